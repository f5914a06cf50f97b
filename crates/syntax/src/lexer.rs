//! From text to tokens. One pass over the bytes; literals are delimited here and decoded when the parser
//! takes them; words are interned at once, and keywords known by the number of their symbol.
//!
//! Line markers and `#pragma pack` are recorded, other pragmas skipped. Line continuations are blanks between
//! tokens; a token that is split by one is lexed again from the joined line. Limits: trigraphs are not
//! replaced (gcc's default too).

use crate::ast::{Pack, SymbolPragma};
use crate::pack::Packs;
use crate::scan::{
    BLANK, CLASS, Scan, Scanned, may_be_in_identifier, scan_token, with_character_names_replaced,
};
use crate::source::{BYTE_ORDER_MARK, FileIx, Marker, SourceMap, UNREADABLE};
use crate::token::{Keywords, Token, TokenKind};
use crate::{Diagnostic, Span};

use summa_base::{Id, Interner, Symbol};

const MAX_ERRORS: usize = 20;

/// What lexing an input gives. The tokens end with one of kind [`TokenKind::Eof`].
pub(crate) struct Lexed {
    pub(crate) tokens: Vec<Token>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) packs: Vec<Pack>,
    pub(crate) renames: Vec<SymbolPragma>,
}

/// A line marker before its file name is known to the source map.
struct RawMarker {
    offset: u32,
    file: Option<String>,
    line: u32,
    is_system: bool,
}

/// Lexes `file` and records its line markers in `source`.
pub(crate) fn lex(source: &mut SourceMap, file: FileIx, names: &mut Interner) -> Lexed {
    let text = source.file_text(file);
    let keywords = Keywords::new(names);
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        base: source.base(file),
        at: 0,
        keywords,
        names,
        // Real code has about one token in four bytes.
        tokens: Vec::with_capacity(text.len() / 4 + 1),
        markers: Vec::new(),
        diagnostics: Vec::new(),
        saw_pragma_operator: false,
        packs: Packs::default(),
        renames: Vec::new(),
    };
    lexer.run();
    let Lexer { mut tokens, markers, mut diagnostics, saw_pragma_operator, packs, renames, .. } = lexer;
    if saw_pragma_operator {
        drop_pragma_operators(&mut tokens, text, source.base(file), &mut diagnostics);
    }
    let own_name = source.name(file).to_owned();
    let mut origin = (!markers.is_empty()).then(|| source.origin(&own_name));
    let mut resolved = Vec::with_capacity(markers.len());
    for RawMarker { offset, file, line, is_system } in markers {
        if let Some(name) = file {
            origin = Some(source.origin(&name));
        }
        resolved.extend(origin.map(|origin| Marker { offset, origin, line, is_system }));
    }
    source.set_markers(file, resolved);
    Lexed { tokens, diagnostics, packs: packs.changes, renames }
}

/// Removes `_Pragma("…")` wherever it stands. The preprocessor makes directives of them, so that those that
/// matter are seen; in text that was not preprocessed they are refused.
fn drop_pragma_operators(tokens: &mut Vec<Token>, text: &str, base: u32, diagnostics: &mut Vec<Diagnostic>) {
    use TokenKind::{LParen, Pragma, RParen, String};
    let mut kept = Vec::with_capacity(tokens.len());
    let mut rest = tokens.as_slice();
    while let [first, after @ ..] = rest {
        let kinds = rest.get(..4).map(|four| [four[0].kind, four[1].kind, four[2].kind, four[3].kind]);
        if kinds == Some([Pragma, LParen, String, RParen]) {
            let pragma = rest[2].span();
            let pragma_text =
                text.get((pragma.lo - base) as usize..(pragma.hi - base) as usize).unwrap_or("");
            if pragma_text.trim_matches('"').trim_start().starts_with("pack") {
                diagnostics.push(Diagnostic::error(pragma, "not supported: `_Pragma(\"pack…\")`"));
            }
            rest = &rest[4..];
        } else {
            kept.push(*first);
            rest = after;
        }
    }
    *tokens = kept;
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    base: u32,
    at: usize,
    keywords: Keywords,
    names: &'a mut Interner,
    tokens: Vec<Token>,
    markers: Vec<RawMarker>,
    diagnostics: Vec<Diagnostic>,
    saw_pragma_operator: bool,
    packs: Packs,
    renames: Vec<SymbolPragma>,
}

impl Lexer<'_> {
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or(0)
    }

    fn span(&self, from: usize, to: usize) -> Span {
        Span::new(self.base + from as u32, self.base + to as u32)
    }

    fn error(&mut self, from: usize, to: usize, message: impl Into<String>) {
        // A binary file would make an error of every byte.
        if self.diagnostics.len() < MAX_ERRORS {
            self.diagnostics.push(Diagnostic::error(self.span(from, to), message));
        }
    }

    fn run(&mut self) {
        let mut at_line_start = true;
        if self.text.starts_with(BYTE_ORDER_MARK) {
            self.at = BYTE_ORDER_MARK.len_utf8();
        }
        while self.at < self.bytes.len() {
            let start = self.at;
            let first = self.bytes[start];
            if CLASS[first as usize] & BLANK != 0 {
                self.at += 1;
                continue;
            }
            match first {
                b'\n' => {
                    self.at += 1;
                    at_line_start = true;
                    continue;
                }
                b'/' if self.byte(start + 1) == b'*' => {
                    self.block_comment();
                    continue;
                }
                b'/' if self.byte(start + 1) == b'/' => {
                    self.at = self.end_of_line(start);
                    continue;
                }
                b'\\' if self.continuation(start) > 0 => {
                    self.at += self.continuation(start);
                    continue;
                }
                b'#' if at_line_start => {
                    self.directive();
                    continue;
                }
                _ => at_line_start = false,
            }
            self.token();
        }
        let end = self.base + self.bytes.len() as u32;
        self.push(TokenKind::Eof, end, end, Symbol::from_index(0));
    }

    #[inline]
    fn push(&mut self, kind: TokenKind, lo: u32, hi: u32, symbol: Symbol) {
        self.tokens.push(Token { lo, hi, symbol, kind });
    }

    /// The length of a line continuation at `at`, or 0.
    fn continuation(&self, at: usize) -> usize {
        match (self.byte(at), self.byte(at + 1), self.byte(at + 2)) {
            (b'\\', b'\n', _) => 2,
            (b'\\', b'\r', b'\n') => 3,
            _ => 0,
        }
    }

    fn block_comment(&mut self) {
        let start = self.at;
        match self.text.get(start + 2..).and_then(|body| body.find("*/")) {
            Some(len) => self.at = start + 2 + len + 2,
            None => {
                self.at = self.bytes.len();
                self.error(start, start + 2, "this comment has no end");
            }
        }
    }

    /// The newline that ends the logical line which `from` is on.
    fn end_of_line(&self, from: usize) -> usize {
        let mut at = from;
        while at < self.bytes.len() && self.byte(at) != b'\n' {
            at += self.continuation(at).max(1);
        }
        at.min(self.bytes.len())
    }

    /// Takes one token (or refuses one character).
    fn token(&mut self) {
        let start = self.at;
        let scan = scan_token(self.text, start);
        let end = start + scan.len;
        if self.continuation(end) > 0 && !matches!(scan.kind, Scanned::Stray) {
            return self.spliced_token();
        }
        self.accept(scan, start, end, None);
    }

    /// Takes a token that may contain a line continuation: lexes it from a copy of the joined lines. The copy
    /// grows only with the token, so a file full of continuations still takes linear time.
    fn spliced_token(&mut self) {
        const LONGEST_PUNCTUATOR: usize = 3;
        let start = self.at;
        let mut joined = String::new();
        // For every byte of `joined`, the offset after it.
        let mut ends: Vec<usize> = Vec::new();
        let mut at = start;
        let scan = loop {
            let wanted = (joined.len() * 2).max(64);
            while joined.len() < wanted && self.byte(at) != b'\n' {
                let skip = self.continuation(at);
                let Some(c) = self.text.get(at + skip..).and_then(|rest| rest.chars().next()) else {
                    break;
                };
                at += skip;
                if skip == 0 {
                    joined.push(c);
                    at += c.len_utf8();
                    ends.extend(std::iter::repeat_n(at, c.len_utf8()));
                }
            }
            let scan = scan_token(&joined, 0);
            if joined.len() < wanted || scan.len + LONGEST_PUNCTUATOR < joined.len() {
                break scan;
            }
        };
        if joined.starts_with("/*") || joined.starts_with("//") {
            self.error(
                start,
                start + 1,
                "a comment whose start is split by a line continuation is not supported",
            );
        }
        let end = scan.len.checked_sub(1).and_then(|last| ends.get(last)).copied().unwrap_or(start + 1);
        let word = joined.get(..scan.len).map(str::to_owned);
        self.accept(scan, start, end, word.as_deref());
    }

    /// Makes a token of what was scanned from `start` to `end`; `joined` is its text if that differs.
    fn accept(&mut self, scan: Scan, start: usize, end: usize, joined: Option<&str>) {
        self.at = end;
        let (lo, hi) = (self.base + start as u32, self.base + end as u32);
        match scan.kind {
            Scanned::Word { is_plain } => {
                let text = joined.or_else(|| self.text.get(start..end)).unwrap_or("");
                let symbol = if is_plain {
                    self.names.intern(text)
                } else {
                    let word = with_character_names_replaced(text);
                    if let Some(bad) = word.chars().find(|&c| !may_be_in_identifier(c)) {
                        self.error(start, end, format!("{} is not allowed in an identifier", quoted(bad)));
                    }
                    self.names.intern(&word)
                };
                let kind = self.keywords.kind(symbol);
                self.saw_pragma_operator |= kind == TokenKind::Pragma;
                self.push(kind, lo, hi, symbol);
            }
            Scanned::Token(kind) => self.push(kind, lo, hi, Symbol::from_index(0)),
            Scanned::Unclosed(kind) => {
                let what = if kind == TokenKind::String { "string" } else { "character constant" };
                self.error(start, end, format!("this {what} has no closing quote on its line"));
                self.push(kind, lo, hi, Symbol::from_index(0));
            }
            Scanned::Stray => {
                let c = self.text.get(start..end).and_then(|text| text.chars().next()).unwrap_or(UNREADABLE);
                self.error(start, end, format!("{} does not belong to any C token", quoted(c)));
            }
        }
    }

    /// `#` at the start of a line: a line marker, a pragma, or a directive that should have been
    /// preprocessed.
    fn directive(&mut self) {
        let start = self.at;
        let end = self.end_of_line(start);
        self.at = end;
        let line = self.text.get(start + 1..end).unwrap_or("").trim();
        let name_len = line.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(line.len());
        let (name, rest) = line.split_at(name_len);
        if name == "line" || (!name.is_empty() && name.bytes().all(|b| b.is_ascii_digit())) {
            let number_and_file = if name == "line" { rest } else { line };
            match parse_marker(number_and_file) {
                Some((line, file, is_system)) => {
                    let offset = self.base + (end as u32 + 1).min(self.bytes.len() as u32);
                    // A marker without a file name keeps the flags of the file.
                    let is_system =
                        is_system || (file.is_none() && self.markers.last().is_some_and(|m| m.is_system));
                    self.markers.push(RawMarker { offset, file, line, is_system });
                }
                None => self.error(start, end, "this line marker is malformed"),
            }
        } else if let ("pragma", Some(arguments)) = (name, rest.trim_start().strip_prefix("pack")) {
            let at = self.span(start, end).hi;
            if !self.packs.execute(at, arguments) {
                let message = "this `#pragma pack` is ignored";
                self.diagnostics.push(Diagnostic::warning(self.span(start, end), message));
            }
        } else if let ("pragma", Some((name, other))) = (name, symbol_pragma(rest)) {
            let span = self.span(start, end);
            self.renames.push(SymbolPragma { name, other, span });
        } else if name == "pragma" && rest.trim_start().starts_with("scalar_storage_order") {
            self.error(start, end, "not supported: `#pragma scalar_storage_order`");
        } else if !matches!(name, "pragma" | "ident" | "sccs") && !line.is_empty() {
            self.error(start, end, "there is a preprocessor directive in preprocessed text");
        }
    }
}

/// The name, and the other one if there is one, of a pragma about symbols.
fn symbol_pragma(text: &str) -> Option<(String, Option<String>)> {
    let spaced = text.replace('=', " = ");
    let owned = |name: &str| name.to_owned();
    match *spaced.split_whitespace().collect::<Vec<&str>>() {
        ["weak", name] => Some((owned(name), None)),
        ["weak", name, "=", other] | ["redefine_extname", name, other] => {
            Some((owned(name), Some(owned(other))))
        }
        _ => None,
    }
}

/// `12 "file.h" 1 3`: line, file and whether it is a system header.
fn parse_marker(text: &str) -> Option<(u32, Option<String>, bool)> {
    let text = text.trim_start();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let line = text.get(..digits)?.parse().ok()?;
    let rest = text.get(digits..)?.trim();
    if rest.is_empty() {
        return Some((line, None, false));
    }
    let mut name = Vec::new();
    let mut bytes = rest.strip_prefix('"')?.bytes();
    loop {
        match bytes.next()? {
            b'"' => break,
            b'\\' => match bytes.next()? {
                digit @ b'0'..=b'7' => {
                    let (second, third) = (bytes.next()?, bytes.next()?);
                    let value = [digit, second, third].iter().fold(0u32, |v, d| v * 8 + u32::from(d & 7));
                    name.push(value as u8);
                }
                other => name.push(other),
            },
            other => name.push(other),
        }
    }
    let flags: Vec<u8> = bytes.collect();
    let is_system = flags.split(|b| *b == b' ').any(|flag| flag == b"3");
    Some((line, Some(crate::source::decode(name)), is_system))
}

fn quoted(c: char) -> String {
    match c {
        UNREADABLE => "a byte that is not UTF-8".to_owned(),
        c if c.is_ascii_graphic() || (!c.is_ascii() && c.is_alphanumeric()) => format!("the character `{c}`"),
        c => format!("the character U+{:04X}", c as u32),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expected: Expect) {
        let mut source = SourceMap::new();
        let mut names = Interner::new();
        let file = source.add("t.c", text.to_owned()).unwrap();
        let lexed = lex(&mut source, file, &mut names);
        let mut shown = String::new();
        for token in lexed.tokens {
            let text = match token.kind {
                TokenKind::Identifier => names.text(token.symbol),
                _ => source.text(token.span()),
            };
            shown += &format!("{:?}({text}) ", token.kind);
        }
        for diagnostic in lexed.diagnostics {
            shown += &format!("\n{:?}: {}", diagnostic.span, diagnostic.message);
        }
        expected.assert_eq(&shown);
    }

    #[test]
    fn longest_match_and_digraphs() {
        check(
            "a+++b<<=c->d...<:1:>%:x<%%>",
            expect![
                "Identifier(a) PlusPlus(++) Plus(+) Identifier(b) ShlEqual(<<=) Identifier(c) Arrow(->) \
                 Identifier(d) Ellipsis(...) LBracket(<:) Number(1) RBracket(:>) Hash(%:) Identifier(x) \
                 LBrace(<%) RBrace(%>) Eof() "
            ],
        );
    }

    #[test]
    fn numbers_are_preprocessing_numbers() {
        check(
            "0x1e+3 1.5e-3f .5 1..2 0x1p-3 a.b",
            expect![
                "Number(0x1e+3) Number(1.5e-3f) Number(.5) Number(1..2) Number(0x1p-3) Identifier(a) Dot(.) \
                 Identifier(b) Eof() "
            ],
        );
    }

    #[test]
    fn words_of_all_kinds() {
        check(
            "\u{feff}$x _a1 caf\u{e9} caf\\u00e9 __const__ L\"a\" u8\"b\" L'c' Lx",
            expect![
                "Identifier($x) Identifier(_a1) Identifier(café) Identifier(café) Const(__const__) \
                 String(L\"a\") String(u8\"b\") Char(L'c') Identifier(Lx) Eof() "
            ],
        );
    }

    #[test]
    fn comments_pragmas_and_markers_are_no_tokens() {
        check(
            "/* a\n# 3 */ a // b \\\n c\n#pragma x \\\n y\n # 3 \"f\" 2\nb _Pragma(\"x\") c",
            expect!["Identifier(a) Identifier(b) Identifier(c) Eof() "],
        );
    }

    #[test]
    fn line_continuations_split_tokens() {
        check(
            "ab\\\ncd + \\\r\n 1\\\n2 +\\\n+ \"a\\\nb\"",
            expect![[r#"
            Identifier(abcd) Plus(+) Number(1\
            2) PlusPlus(+\
            +) String("a\
            b") Eof() "#]],
        );
    }

    #[test]
    fn errors() {
        check(
            "a @ \"b\n'c\n#define X\n\u{d7} \u{1a} /* ",
            expect![[r#"
            Identifier(a) String("b) Char('c) Identifier(×) Eof() 
            2..3: the character `@` does not belong to any C token
            4..6: this string has no closing quote on its line
            7..9: this character constant has no closing quote on its line
            10..19: there is a preprocessor directive in preprocessed text
            20..22: the character U+00D7 is not allowed in an identifier
            23..24: a byte that is not UTF-8 does not belong to any C token
            25..27: this comment has no end"#]],
        );
    }

    #[test]
    fn markers_are_parsed() {
        assert_eq!(parse_marker("12 \"a b\\\"c.h\" 1 3 4"), Some((12, Some("a b\"c.h".into()), true)));
        assert_eq!(parse_marker(" 7"), Some((7, None, false)));
        assert_eq!(parse_marker("7 foo"), None);
    }
}
