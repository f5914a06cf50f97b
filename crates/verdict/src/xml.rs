//! Text inside of XML.

/// The text with all characters replaced that mean something to XML. Characters that XML cannot have become `?`.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\t' | '\n' | '\r' => out.push(c),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_means_something_is_replaced() {
        assert_eq!(super::escaped("a < \"b\" && c\u{1}"), "a &lt; &quot;b&quot; &amp;&amp; c?");
    }
}
