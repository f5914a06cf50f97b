//! The shapes of tokens: where the token that starts at some byte ends, and of what kind it is. Knows nothing
//! of lines, comments and directives.

use crate::token::TokenKind;
use std::borrow::Cow;

const WORD: u8 = 1;
const DIGIT: u8 = 2;
pub(crate) const BLANK: u8 = 4;

/// What each byte can be part of. Bytes of UTF-8 sequences count as parts of words and are checked
/// afterwards.
pub(crate) const CLASS: [u8; 256] = {
    let mut table = [0u8; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphabetic() || b == b'_' || b == b'$' || b >= 0x80 {
            table[byte] |= WORD;
        }
        if b.is_ascii_digit() {
            table[byte] |= WORD | DIGIT;
        }
        if b == b' ' || b == b'\t' || b == b'\r' || b == 0x0b || b == 0x0c {
            table[byte] |= BLANK;
        }
        byte += 1;
    }
    table
};

pub(crate) struct Scan {
    pub(crate) kind: Scanned,
    pub(crate) len: usize,
}

pub(crate) enum Scanned {
    /// An identifier or keyword; plain if it is ASCII without universal character names.
    Word {
        is_plain: bool,
    },
    Token(TokenKind),
    /// A literal without its closing quote.
    Unclosed(TokenKind),
    Stray,
}

/// The longest token that starts at `start`.
#[inline]
pub(crate) fn scan_token(text: &str, start: usize) -> Scan {
    let bytes = text.as_bytes();
    let first = bytes.get(start).copied().unwrap_or(0);
    let class = CLASS[first as usize];
    if class & DIGIT != 0 {
        return scan_number(bytes, start);
    }
    if class & WORD != 0 {
        return scan_word(bytes, start);
    }
    match first {
        b'"' => scan_quoted(bytes, start, start, TokenKind::String),
        b'\'' => scan_quoted(bytes, start, start, TokenKind::Char),
        b'.' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => scan_number(bytes, start),
        b'\\' if character_name(bytes, start).is_some() => scan_word(bytes, start),
        _ => match scan_punctuator(&bytes[start..]) {
            Some((kind, len)) => Scan { kind: Scanned::Token(kind), len },
            None => {
                Scan { kind: Scanned::Stray, len: text[start..].chars().next().map_or(1, char::len_utf8) }
            }
        },
    }
}

#[inline]
fn scan_word(bytes: &[u8], start: usize) -> Scan {
    let mut at = start;
    let mut is_plain = true;
    loop {
        while let Some(&byte) = bytes.get(at) {
            if CLASS[byte as usize] & WORD == 0 {
                break;
            }
            is_plain &= byte < 0x80;
            at += 1;
        }
        match bytes.get(at) {
            Some(b'\\') => match character_name(bytes, at) {
                Some((_, len)) => {
                    is_plain = false;
                    at += len;
                }
                None => break,
            },
            Some(b'"') if matches!(&bytes[start..at], b"L" | b"u" | b"U" | b"u8") => {
                return scan_quoted(bytes, start, at, TokenKind::String);
            }
            Some(b'\'') if matches!(&bytes[start..at], b"L" | b"u" | b"U" | b"u8") => {
                return scan_quoted(bytes, start, at, TokenKind::Char);
            }
            _ => break,
        }
    }
    Scan { kind: Scanned::Word { is_plain }, len: at - start }
}

/// A preprocessing number: digits, letters, dots, and signs after an exponent letter.
#[inline]
fn scan_number(bytes: &[u8], start: usize) -> Scan {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        let after_exponent = || matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P');
        let goes_on = (CLASS[byte as usize] & WORD != 0 && byte < 0x80)
            || byte == b'.'
            || ((byte == b'+' || byte == b'-') && after_exponent());
        if !goes_on {
            break;
        }
        at += 1;
    }
    Scan { kind: Scanned::Token(TokenKind::Number), len: at - start }
}

/// A string or character constant from `start`, whose opening quote is at `quote`.
fn scan_quoted(bytes: &[u8], start: usize, quote: usize, kind: TokenKind) -> Scan {
    let close = bytes.get(quote).copied().unwrap_or(b'"');
    let mut at = quote + 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => {
                return Scan { kind: Scanned::Unclosed(kind), len: at.min(bytes.len()) - start };
            }
            Some(b'\\') if bytes[at + 1..].starts_with(b"\r\n") => at += 3,
            Some(b'\\') => at += 2,
            Some(&byte) if byte == close => {
                return Scan { kind: Scanned::Token(kind), len: at + 1 - start };
            }
            Some(_) => at += 1,
        }
        // An escape may have skipped half of the next character's bytes: quotes and newlines are ASCII, so
        // the walk over bytes stays right.
        at = at.min(bytes.len());
    }
}

#[inline]
fn scan_punctuator(bytes: &[u8]) -> Option<(TokenKind, usize)> {
    use TokenKind::*;
    let at = |i: usize| bytes.get(i).copied().unwrap_or(0);
    let (second, third) = (at(1), at(2));
    Some(match at(0) {
        b'(' => (LParen, 1),
        b')' => (RParen, 1),
        b'[' => (LBracket, 1),
        b']' => (RBracket, 1),
        b'{' => (LBrace, 1),
        b'}' => (RBrace, 1),
        b';' => (Semicolon, 1),
        b',' => (Comma, 1),
        b'?' => (Question, 1),
        b'~' => (Tilde, 1),
        b':' if second == b'>' => (RBracket, 2),
        b':' => (Colon, 1),
        b'.' if second == b'.' && third == b'.' => (Ellipsis, 3),
        b'.' => (Dot, 1),
        b'=' if second == b'=' => (EqualEqual, 2),
        b'=' => (Equal, 1),
        b'!' if second == b'=' => (BangEqual, 2),
        b'!' => (Bang, 1),
        b'*' if second == b'=' => (StarEqual, 2),
        b'*' => (Star, 1),
        b'/' if second == b'=' => (SlashEqual, 2),
        b'/' => (Slash, 1),
        b'^' if second == b'=' => (CaretEqual, 2),
        b'^' => (Caret, 1),
        b'+' if second == b'+' => (PlusPlus, 2),
        b'+' if second == b'=' => (PlusEqual, 2),
        b'+' => (Plus, 1),
        b'-' if second == b'>' => (Arrow, 2),
        b'-' if second == b'-' => (MinusMinus, 2),
        b'-' if second == b'=' => (MinusEqual, 2),
        b'-' => (Minus, 1),
        b'&' if second == b'&' => (AmpAmp, 2),
        b'&' if second == b'=' => (AmpEqual, 2),
        b'&' => (Amp, 1),
        b'|' if second == b'|' => (PipePipe, 2),
        b'|' if second == b'=' => (PipeEqual, 2),
        b'|' => (Pipe, 1),
        b'<' if second == b'<' && third == b'=' => (ShlEqual, 3),
        b'<' if second == b'<' => (Shl, 2),
        b'<' if second == b'=' => (LessEqual, 2),
        b'<' if second == b':' => (LBracket, 2),
        b'<' if second == b'%' => (LBrace, 2),
        b'<' => (Less, 1),
        b'>' if second == b'>' && third == b'=' => (ShrEqual, 3),
        b'>' if second == b'>' => (Shr, 2),
        b'>' if second == b'=' => (GreaterEqual, 2),
        b'>' => (Greater, 1),
        b'%' if second == b'=' => (PercentEqual, 2),
        b'%' if second == b'>' => (RBrace, 2),
        b'%' if second == b':' => (Hash, 2),
        b'%' => (Percent, 1),
        b'#' if second == b'#' => (HashHash, 2),
        b'#' => (Hash, 1),
        _ => return None,
    })
}

/// The universal character name `\u1234` or `\U12345678` at `at`, and its length.
fn character_name(bytes: &[u8], at: usize) -> Option<(char, usize)> {
    let digits = match bytes.get(at + 1)? {
        b'u' => 4,
        b'U' => 8,
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.get(at + 2..at + 2 + digits)?).ok()?;
    let all_hex = text.bytes().all(|b| b.is_ascii_hexdigit());
    let value = all_hex.then(|| u32::from_str_radix(text, 16).ok())??;
    Some((char::from_u32(value)?, digits + 2))
}

pub(crate) fn with_character_names_replaced(word: &str) -> Cow<'_, str> {
    if !word.contains('\\') {
        return word.into();
    }
    let mut result = String::new();
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let (c, len) = character_name(rest.as_bytes(), 0).unwrap_or((c, c.len_utf8()));
        result.push(c);
        rest = &rest[len..];
    }
    result.into()
}

/// C11, annex D.1: the characters that identifiers may have.
pub(crate) fn may_be_in_identifier(c: char) -> bool {
    const RANGES: &[(u32, u32)] = &[
        (0xa8, 0xa8),
        (0xaa, 0xaa),
        (0xad, 0xad),
        (0xaf, 0xaf),
        (0xb2, 0xb5),
        (0xb7, 0xba),
        (0xbc, 0xbe),
        (0xc0, 0xd6),
        (0xd8, 0xf6),
        (0xf8, 0x167f),
        (0x1681, 0x180d),
        (0x180f, 0x1fff),
        (0x200b, 0x200d),
        (0x202a, 0x202e),
        (0x203f, 0x2040),
        (0x2054, 0x2054),
        (0x2060, 0x218f),
        (0x2460, 0x24ff),
        (0x2776, 0x2793),
        (0x2c00, 0x2dff),
        (0x2e80, 0x2fff),
        (0x3004, 0x3007),
        (0x3021, 0x302f),
        (0x3031, 0xd7ff),
        (0xf900, 0xfd3d),
        (0xfd40, 0xfdcf),
        (0xfdf0, 0xfe44),
        (0xfe47, 0xfffd),
    ];
    let value = c as u32;
    match value {
        0..0x80 => CLASS[value as usize] & WORD != 0,
        // From plane 1 on: everything but the last two code points of each plane.
        0x10000.. => value < 0xf0000 && value & 0xffff < 0xfffe,
        _ => RANGES.iter().any(|&(lo, hi)| (lo..=hi).contains(&value)),
    }
}
