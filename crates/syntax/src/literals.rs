//! What literals mean: numbers with their suffixes, characters and strings with their escapes.
//!
//! Limits: imaginary and decimal-float literals are refused; a byte that is not UTF-8 in a literal is refused
//! too, because its value is lost (an escape like `\xe9` says it).

use crate::ast::{Encoding, FloatSuffix, IntSuffix};
use crate::source::UNREADABLE;
use std::borrow::Cow;

/// A number literal.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Number<'a> {
    Int(u128, IntSuffix),
    /// The digits without the suffix.
    Float(&'a str, FloatSuffix),
}

/// Removes line continuations from the text of a token.
pub(crate) fn spliced(text: &str) -> Cow<'_, str> {
    if !text.contains("\\\n") && !text.contains("\\\r\n") {
        return text.into();
    }
    text.replace("\\\n", "").replace("\\\r\n", "").into()
}

/// Reads a preprocessing number; the error message says what is wrong with it.
pub(crate) fn number(text: &str) -> Result<Number<'_>, String> {
    let (radix, digits) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &text[2..]),
        [b'0', b'b' | b'B', ..] => (2, &text[2..]),
        [b'0', b'0'..=b'9', ..] => (8, &text[1..]),
        _ => (10, text),
    };
    let exponent: &[char] = if radix == 16 { &['.', 'p', 'P'] } else { &['.', 'e', 'E'] };
    if radix != 2 && digits.contains(exponent) {
        return float(text, radix == 16);
    }
    let end = digits.find(|c: char| !c.is_ascii_hexdigit() || (radix <= 10 && !c.is_ascii_digit()));
    let (digits, suffix) = digits.split_at(end.unwrap_or(digits.len()));
    if digits.is_empty() {
        return Err(format!("`{text}` has no digits"));
    }
    let mut value = 0u128;
    for c in digits.chars() {
        let Some(digit) = c.to_digit(radix) else {
            return Err(format!(
                "`{c}` is not a digit of {} number",
                if radix == 8 { "an octal" } else { "a binary" }
            ));
        };
        let next = value.checked_mul(radix.into()).and_then(|v| v.checked_add(digit.into()));
        value = next.ok_or_else(|| format!("`{text}` is too large for any integer type"))?;
    }
    let (unsigned, longs) = int_suffix(suffix).ok_or_else(|| bad_suffix(suffix, "integer"))?;
    Ok(Number::Int(value, IntSuffix { unsigned, longs, decimal: radix == 10 }))
}

/// `u`, `l`, `ll` in any order and case, but not `lL`: is it unsigned, and how many `l` has it?
fn int_suffix(suffix: &str) -> Option<(bool, u8)> {
    let is_u = |c| c == 'u' || c == 'U';
    let without_u = suffix.strip_prefix(is_u).or_else(|| suffix.strip_suffix(is_u));
    let longs = match without_u.unwrap_or(suffix) {
        "" => 0,
        "l" | "L" => 1,
        "ll" | "LL" => 2,
        _ => return None,
    };
    Some((without_u.is_some(), longs))
}

fn bad_suffix(suffix: &str, what: &str) -> String {
    if suffix.contains(['i', 'j', 'I', 'J']) {
        return "imaginary numbers are not supported".to_owned();
    }
    format!("`{suffix}` is not a suffix of {what} literals")
}

fn float(text: &str, is_hex: bool) -> Result<Number<'_>, String> {
    let skip_digits = |from: usize, hex: bool| {
        let is_digit = |c: char| {
            if hex { c.is_ascii_hexdigit() } else { c.is_ascii_digit() }
        };
        from + text[from..].find(|c| !is_digit(c)).unwrap_or(text.len() - from)
    };
    let start = if is_hex { 2 } else { 0 };
    let mut end = skip_digits(start, is_hex);
    let mut mantissa_digits = end - start;
    if text[end..].starts_with('.') {
        let after = skip_digits(end + 1, is_hex);
        mantissa_digits += after - end - 1;
        end = after;
    }
    if mantissa_digits == 0 {
        return Err(format!("`{text}` has no digits"));
    }
    let marks: [char; 2] = if is_hex { ['p', 'P'] } else { ['e', 'E'] };
    if text[end..].starts_with(marks) {
        let signed = end + 1 + usize::from(text[end + 1..].starts_with(['+', '-']));
        let after = skip_digits(signed, false);
        if after == signed {
            return Err(format!("the exponent of `{text}` has no digits"));
        }
        end = after;
    } else if is_hex {
        return Err(format!("`{text}` is a hexadecimal floating literal without exponent (`p0`)"));
    }
    let suffix = match &text[end..] {
        "" | "d" | "D" | "f64" | "F64" | "f32x" | "F32x" => FloatSuffix::None,
        "f" | "F" | "f32" | "F32" => FloatSuffix::F,
        "l" | "L" | "w" | "W" | "f64x" | "F64x" => FloatSuffix::L,
        "q" | "Q" | "f128" | "F128" => FloatSuffix::Q,
        "df" | "dd" | "dl" | "DF" | "DD" | "DL" => {
            return Err("decimal floating types are not supported".to_owned());
        }
        other => return Err(bad_suffix(other, "floating")),
    };
    Ok(Number::Float(&text[..end], suffix))
}

/// The encoding that the prefix of a literal asks for, and what stands between its quotes.
fn split_prefix(text: &str) -> (Option<Encoding>, &str) {
    let quote = text.find(['"', '\'']).unwrap_or(text.len());
    let (prefix, quoted) = text.split_at(quote);
    let encoding = match prefix {
        "L" => Some(Encoding::Wide),
        "u" => Some(Encoding::Utf16),
        "U" => Some(Encoding::Utf32),
        _ => None,
    };
    let close: &[char] = if quoted.starts_with('"') { &['"'] } else { &['\''] };
    let body = quoted.get(1..).unwrap_or("");
    (encoding, body.strip_suffix(close).unwrap_or(body))
}

/// The code units of adjacent string literals, joined.
pub(crate) fn string(parts: &[&str]) -> Result<(Vec<u32>, Encoding), String> {
    let mut encoding = None;
    for part in parts {
        let (wanted, _) = split_prefix(part);
        if wanted.is_some() && encoding.is_some() && wanted != encoding {
            return Err("strings with different prefixes cannot be joined".to_owned());
        }
        encoding = wanted.or(encoding);
    }
    let encoding = encoding.unwrap_or(Encoding::Plain);
    let mut units = Vec::new();
    for part in parts {
        let text = spliced(part);
        units_of(split_prefix(&text).1, encoding, &mut units)?;
    }
    Ok((units, encoding))
}

/// The value of a character constant.
pub(crate) fn character(text: &str) -> Result<(i32, Encoding), String> {
    let text = spliced(text);
    let (encoding, body) = split_prefix(&text);
    let encoding = encoding.unwrap_or(Encoding::Plain);
    let mut units = Vec::new();
    units_of(body, encoding, &mut units)?;
    let value = match (encoding, units.as_slice()) {
        (_, []) => return Err("this character constant is empty".to_owned()),
        // Plain `char` is signed on the machines we know.
        (Encoding::Plain, &[unit]) => i32::from(unit as u8 as i8),
        // gcc: each character shifts the ones before by a byte.
        (Encoding::Plain, units) => units.iter().fold(0u32, |value, unit| value << 8 | unit) as i32,
        (_, &[unit]) => unit as i32,
        _ => return Err("this character constant has more than one character".to_owned()),
    };
    Ok((value, encoding))
}

enum Escape {
    /// A number that is the code unit itself.
    Unit(u32),
    Char(char),
}

fn units_of(body: &str, encoding: Encoding, units: &mut Vec<u32>) -> Result<(), String> {
    if encoding == Encoding::Plain && !body.contains(['\\', UNREADABLE]) {
        units.extend(body.bytes().map(u32::from));
        return Ok(());
    }
    let max_unit = match encoding {
        Encoding::Plain => 0xff,
        Encoding::Utf16 => 0xffff,
        Encoding::Wide | Encoding::Utf32 => u32::MAX,
    };
    let mut rest = body;
    while let Some(c) = rest.chars().next() {
        let mut value = Escape::Char(c);
        let mut len = c.len_utf8();
        match c {
            '\\' => (value, len) = escape(&rest[1..])?,
            UNREADABLE => {
                return Err(
                    "a byte that is not UTF-8 in a literal: write it as an escape (`\\x..`)".to_owned()
                );
            }
            _ => {}
        }
        match value {
            Escape::Unit(unit) if unit > max_unit => {
                return Err(format!("the escape sequence `{}` is out of range", &rest[..len]));
            }
            Escape::Unit(unit) => units.push(unit),
            Escape::Char(c) => match encoding {
                Encoding::Plain => units.extend(c.encode_utf8(&mut [0; 4]).bytes().map(u32::from)),
                Encoding::Utf16 => {
                    units.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&unit| u32::from(unit)))
                }
                Encoding::Wide | Encoding::Utf32 => units.push(c as u32),
            },
        }
        rest = &rest[len..];
    }
    Ok(())
}

/// The escape whose backslash stands before `text`, and its length with the backslash.
fn escape(text: &str) -> Result<(Escape, usize), String> {
    let Some(c) = text.chars().next() else {
        return Err("a backslash at the end of a literal".to_owned());
    };
    let digits = |from: usize, radix: u32, most: usize| {
        let rest = &text[from..];
        let len = rest.bytes().take(most).take_while(|&b| (b as char).is_digit(radix)).count();
        &rest[..len]
    };
    let simple = |unit: u8| Ok((Escape::Unit(unit.into()), 2));
    match c {
        'n' => simple(b'\n'),
        't' => simple(b'\t'),
        'r' => simple(b'\r'),
        'a' => simple(7),
        'b' => simple(8),
        'f' => simple(12),
        'v' => simple(11),
        'e' | 'E' => simple(27),
        '0'..='7' => {
            let digits = digits(0, 8, 3);
            let value = u32::from_str_radix(digits, 8).map_err(|error| error.to_string())?;
            Ok((Escape::Unit(value), 1 + digits.len()))
        }
        'x' => {
            let digits = digits(1, 16, usize::MAX);
            if digits.is_empty() {
                return Err("`\\x` without hexadecimal digits".to_owned());
            }
            let value = u32::from_str_radix(digits, 16)
                .map_err(|_| format!("the escape sequence `\\x{digits}` is out of range"))?;
            Ok((Escape::Unit(value), 2 + digits.len()))
        }
        'u' | 'U' => {
            let wanted = if c == 'u' { 4 } else { 8 };
            let digits = digits(1, 16, wanted);
            let value = (digits.len() == wanted).then(|| u32::from_str_radix(digits, 16).ok()).flatten();
            let named = value.and_then(char::from_u32);
            let named = named.ok_or_else(|| format!("`\\{c}{digits}` does not name a character"))?;
            Ok((Escape::Char(named), 2 + digits.len()))
        }
        // gcc takes the character itself where C knows no escape.
        _ => Ok((Escape::Char(c), 1 + c.len_utf8())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: u128, unsigned: bool, longs: u8, decimal: bool) -> Result<Number<'static>, String> {
        Ok(Number::Int(value, IntSuffix { unsigned, longs, decimal }))
    }

    #[test]
    fn integers() {
        assert_eq!(number("42"), int(42, false, 0, true));
        assert_eq!(number("0"), int(0, false, 0, true));
        assert_eq!(number("0777uLL"), int(0o777, true, 2, false));
        assert_eq!(number("0xFFffLu"), int(0xffff, true, 1, false));
        assert_eq!(number("0b101u"), int(5, true, 0, false));
        assert_eq!(number("18446744073709551616"), int(1 << 64, false, 0, true));
        for wrong in [
            "08",
            "0x",
            "0b2",
            "1lL",
            "1uu",
            "1i",
            "0x1e+3",
            "1_0",
            "99999999999999999999999999999999999999999",
        ] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn floats() {
        assert_eq!(number("1.5e-3f"), Ok(Number::Float("1.5e-3", FloatSuffix::F)));
        assert_eq!(number(".5"), Ok(Number::Float(".5", FloatSuffix::None)));
        assert_eq!(number("1."), Ok(Number::Float("1.", FloatSuffix::None)));
        assert_eq!(number("1e10L"), Ok(Number::Float("1e10", FloatSuffix::L)));
        assert_eq!(number("010.5"), Ok(Number::Float("010.5", FloatSuffix::None)));
        assert_eq!(number("0x1.8p3"), Ok(Number::Float("0x1.8p3", FloatSuffix::None)));
        assert_eq!(number("1.0f128"), Ok(Number::Float("1.0", FloatSuffix::Q)));
        assert_eq!(number("0x.8p0f"), Ok(Number::Float("0x.8p0", FloatSuffix::F)));
        for wrong in ["1e", "1e+", "0x1.8", "1.5x", "1.0i", "1.2.3", "0x.p1", "1.0df"] {
            assert!(number(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn characters() {
        assert_eq!(character("'a'"), Ok((97, Encoding::Plain)));
        assert_eq!(character(r"'\xff'"), Ok((-1, Encoding::Plain)));
        assert_eq!(character(r"'\0'"), Ok((0, Encoding::Plain)));
        assert_eq!(character(r"'\''"), Ok((39, Encoding::Plain)));
        assert_eq!(character(r"'\377a'"), Ok((0xff61, Encoding::Plain)));
        assert_eq!(character("'abcd'"), Ok((0x6162_6364, Encoding::Plain)));
        assert_eq!(character("'\u{e9}'"), Ok((0xc3a9, Encoding::Plain)));
        assert_eq!(character("L'\u{e9}'"), Ok((0xe9, Encoding::Wide)));
        assert_eq!(character(r"U'\U0001F600'"), Ok((0x1f600, Encoding::Utf32)));
        for wrong in ["''", r"'\x'", r"'\x100'", r"u'\U0001F600'", "L'ab'", "'\u{1a}'"] {
            assert!(character(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn strings() {
        let text = |parts: &[&str]| string(parts);
        assert_eq!(text(&[r#""a\n\x41\1012\e""#]), Ok((vec![97, 10, 0x41, 0o101, 50, 27], Encoding::Plain)));
        assert_eq!(text(&["\"\\x1\"", "\"1\""]), Ok((vec![1, 49], Encoding::Plain)));
        assert_eq!(text(&["\"\u{e9}\"", "L\"b\""]), Ok((vec![0xe9, 98], Encoding::Wide)));
        assert_eq!(text(&["u\"\u{1f600}\""]), Ok((vec![0xd83d, 0xde00], Encoding::Utf16)));
        assert_eq!(text(&["u8\"\\u00e9\""]), Ok((vec![0xc3, 0xa9], Encoding::Plain)));
        assert_eq!(text(&["\"a\\\nb\""]), Ok((vec![97, 98], Encoding::Plain)));
        assert!(text(&["L\"a\"", "u\"b\""]).is_err());
    }
}
