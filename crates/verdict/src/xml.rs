//! Text inside of XML, and which documents are refused.

/// The text with all characters replaced that mean something to XML. Characters that XML cannot have become
/// `?`.
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

/// No witness has more attributes in one element, or a deeper nesting. A reader must compare all attributes
/// of an element with each other and descend into the document, which would take long.
const MAX_ATTRIBUTES: usize = 1_000;
const MAX_DEPTH: usize = 1_000;

/// Can the document be read in a time that fits its length? Looks at tags alone; the reader reports what is
/// not XML.
pub(crate) fn check_size(text: &str) -> Result<(), String> {
    let (mut depth, mut rest) = (0usize, text);
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("?", "?>")];
        if let Some((_, end)) = skipped.iter().find(|(begin, _)| rest.starts_with(begin)) {
            rest = rest.find(end).map_or("", |at| &rest[at + end.len()..]);
            continue;
        }
        let (mut attributes, mut quote, mut length) = (0, None, rest.len());
        for (at, byte) in rest.bytes().enumerate() {
            match (quote, byte) {
                (Some(open), _) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => quote = Some(byte),
                (None, b'=') => attributes += 1,
                (None, b'>') => {
                    length = at;
                    break;
                }
                (None, _) => {}
            }
        }
        let tag = &rest[..length];
        if tag.starts_with('/') {
            depth = depth.saturating_sub(1);
        } else if !tag.ends_with('/') && !tag.starts_with('!') {
            depth += 1;
        }
        if attributes > MAX_ATTRIBUTES {
            return Err(format!("an element has more than {MAX_ATTRIBUTES} attributes"));
        }
        if depth > MAX_DEPTH {
            return Err(format!("more than {MAX_DEPTH} elements are inside of each other"));
        }
        rest = &rest[length..];
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_means_something_is_replaced() {
        assert_eq!(super::escaped("a < \"b\" && c\u{1}"), "a &lt; &quot;b&quot; &amp;&amp; c?");
    }

    #[test]
    fn documents_that_take_long_are_refused() {
        let many: String = (0..200_000).map(|n| format!(" a{n}='>'")).collect();
        assert!(super::check_size(&format!("<g{many}/>")).is_err());
        assert!(super::check_size(&"<a>".repeat(100_000)).is_err());
        let flat = "<?x?><!-- <a><a> --><a b=\"<\" c='>'><b/><![CDATA[<a>]]></a>".repeat(5_000);
        assert_eq!(super::check_size(&flat), Ok(()));
    }
}
