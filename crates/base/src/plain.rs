//! Names and texts of others as plain text. Characters that a terminal, a log or a pull request could take
//! for a command are made visible instead. Every name and every source line that people see passes here.
//!
//! The name of a file may hold a line break, followed by text that looks like a line of Summa's output. `ESC`
//! begins commands to a terminal. Some characters change the direction of the text after them.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};
use std::path::Path;

/// Could a terminal or another program take this character for a command?
pub fn is_active(c: char) -> bool {
    c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// A name on one line. Active characters are written as escapes, as in C.
pub fn name(text: &str) -> Cow<'_, str> {
    if !text.contains(is_active) {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_active(c) { plain.extend(c.escape_default()) } else { plain.push(c) }
    }
    Cow::Owned(plain)
}

/// Paths that can be shown.
pub trait Shown {
    /// The path on one line, as plain text.
    fn shown(&self) -> impl Display;
}

impl<P: AsRef<Path> + ?Sized> Shown for P {
    fn shown(&self) -> impl Display {
        PlainPath(self.as_ref())
    }
}

struct PlainPath<'p>(&'p Path);

impl Display for PlainPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&name(&self.0.to_string_lossy()))
    }
}

/// Text of several lines for people. Line breaks and tabs stay, other active characters are replaced. No line
/// begins like a command to a system that reads logs (`::error …`, and `##[…]` anywhere).
pub fn lines(text: &str) -> Cow<'_, str> {
    let is_harmless = |c: char| matches!(c, '\n' | '\t') || !is_active(c);
    if text.chars().all(is_harmless) && !text.contains("::") && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start();
        let line = line.replace("##[", "## [");
        let line = if rest.starts_with("::") { line.replacen("::", ": :", 1) } else { line };
        plain.extend(line.chars().map(|c| if is_harmless(c) { c } else { '\u{fffd}' }));
    }
    Cow::Owned(plain)
}

/// The text of `what`, made plain by [`lines`].
pub fn text_of(what: impl Display) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = write!(text, "{what}");
    match lines(&text) {
        Cow::Borrowed(_) => text,
        Cow::Owned(plain) => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_on_their_line() {
        assert_eq!(name("src/é b.c"), "src/é b.c");
        assert_eq!(name("a\n::error::x\u{1b}[2J"), "a\\n::error::x\\u{1b}[2J");
        assert_eq!(name("a\u{202e}c.b"), "a\\u{202e}c.b");
        assert_eq!(Path::new("a\r.c").shown().to_string(), "a\\r.c");
    }

    #[test]
    fn lines_command_nothing() {
        assert_eq!(lines("a::b\n  c\t\n"), "a::b\n  c\t\n");
        assert_eq!(lines("a\n  ::error::x\n::b ::c"), "a\n  : :error::x\n: :b ::c");
        assert_eq!(lines("x ##[error]y \u{1b}[1m\u{7}"), "x ## [error]y \u{fffd}[1m\u{fffd}");
    }
}
