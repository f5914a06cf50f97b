//! Finds text that only a preprocessor can read: directives, and macros that compilers predefine. Comments
//! and literals are passed over, as in the lexer.

use crate::source::BYTE_ORDER_MARK;

/// Has `text` anything for a preprocessor to do? Comments and literals are ignored.
/// With `or_predefined`, the use of a predefined macro counts too.
pub(super) fn has_directives(text: &str, or_predefined: bool) -> bool {
    let may_have = text.contains('#') || text.contains("%:") || (or_predefined && text.contains("__"));
    if !may_have {
        return false;
    }
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let (mut at, mut at_line_start) = (0, true);
    while at < bytes.len() {
        match byte(at) {
            b'\n' => {
                at_line_start = true;
                at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => at += 1,
            b'/' if byte(at + 1) == b'*' => at = end_of_comment(text, at),
            b'/' if byte(at + 1) == b'/' => at = end_of_line(bytes, at),
            b'#' if at_line_start && is_real_directive(&bytes[at + 1..]) => return true,
            b'%' if at_line_start && byte(at + 1) == b':' && is_real_directive(&bytes[at + 2..]) => {
                return true;
            }
            b'#' if at_line_start => at = end_of_line(bytes, at),
            quote @ (b'"' | b'\'') => {
                at_line_start = false;
                at = end_of_quoted(bytes, at, quote);
            }
            first if first.is_ascii_alphanumeric() || first == b'_' => {
                at_line_start = false;
                let rest = &bytes[at..];
                let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                let len = rest.iter().position(|b| !is_word(b)).unwrap_or(rest.len());
                if or_predefined && is_predefined_macro(&rest[..len]) {
                    return true;
                }
                at += len;
            }
            _ => {
                at_line_start = false;
                at += 1;
            }
        }
    }
    false
}

/// Given what follows `#`: is it a directive that the lexer does not know how to take?
fn is_real_directive(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    let rest = &rest[blanks..];
    let len = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let name = &rest[..len];
    let is_marker = name.iter().all(u8::is_ascii_digit);
    !is_marker && !matches!(name, b"line" | b"pragma" | b"ident" | b"sccs")
}

/// `__UPPER_CASE__`: macros that compilers predefine, but not function names that look the same.
fn is_predefined_macro(word: &[u8]) -> bool {
    word.len() > 4
        && word.starts_with(b"__")
        && word[2].is_ascii_uppercase()
        && word.ends_with(b"__")
        && !matches!(word, b"__FUNCTION__" | b"__PRETTY_FUNCTION__")
}

fn end_of_comment(text: &str, start: usize) -> usize {
    let body = text.get(start + 2..).unwrap_or("");
    body.find("*/").map_or(text.len(), |len| start + 2 + len + 2)
}

/// The end of the line that `start` is on, past line continuations.
fn end_of_line(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(len) = bytes[at..].iter().position(|&b| b == b'\n') {
        let end = at + len;
        let before = bytes[start..end].strip_suffix(b"\r").unwrap_or(&bytes[start..end]);
        if !before.ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
    bytes.len()
}

/// Past the closing quote, or to the end of the line if there is none.
fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Before C99, `//` was two divisions. Comments are gone here, so every `//` outside of literals means that.
pub(super) fn divisions_apart(text: String) -> String {
    if !text.contains("//") {
        return text;
    }
    let bytes = text.as_bytes();
    let (mut apart, mut copied, mut at, mut at_line_start) = (String::new(), 0, 0, true);
    while at < bytes.len() {
        match bytes[at] {
            // A line marker, whose path may have the two signs.
            b'#' if at_line_start => at = end_of_line(bytes, at),
            quote @ (b'"' | b'\'') => at = end_of_quoted(bytes, at, quote),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                apart.push_str(&text[copied..=at]);
                apart.push(' ');
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
        at_line_start = at > 0 && bytes.get(at - 1) == Some(&b'\n');
    }
    apart + &text[copied.min(text.len())..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_directives_count() {
        for text in [
            "int x;",
            "# 1 \"a.c\"\nint x;\n#pragma pack(1)\n#ident \"x\"\n#line 3 \"b.c\"\n#\n",
            "/* \n#define X\n*/ int x;",
            "char *s = \"a\\\"\\\n#define\";",
            "// a \\\n#define X 1\nint x;",
            "char c = '\"'; // \"\n",
            "int f(void) { return __VERIFIER_nondet_int(); } char *g(void) { return __FUNCTION__; }",
        ] {
            assert!(!has_directives(text, true), "{text}");
        }
        for text in [
            "#include <stdio.h>",
            "int x;\n  # define X",
            "/* a */ #if 1\n#endif",
            "%:define X 1",
            "\u{feff}#define X 1",
            "int x = __INT_MAX__;",
        ] {
            assert!(has_directives(text, true), "{text}");
        }
        assert!(!has_directives("int x = __INT_MAX__;", false));
    }

    #[test]
    fn divisions_stay_divisions_before_c99() {
        let text = "# 1 \"a//b.c\"\nchar *s = \"//\"; int x = 8 //**/ 2;\n/ 2;".to_owned();
        let apart = divisions_apart(text.clone());
        assert_eq!(apart, text.replace("8 //", "8 / /"));
    }
}
