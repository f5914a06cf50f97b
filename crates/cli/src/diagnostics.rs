//! Diagnostics as text, with the source line they are about, in the look that Rust's compiler made popular.

use annotate_snippets::{AnnotationKind, Element, Group, Level, Origin, Renderer, Snippet};
use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;
use summa_base::files;
use summa_c::SourceMap;
use summa_c::{Diagnostic, Severity, Span};

/// A message with a mark in the source.
pub(crate) struct Message<'a> {
    pub(crate) level: Level<'a>,
    pub(crate) title: &'a str,
    pub(crate) span: Span,
    pub(crate) label: &'a str,
    pub(crate) related: &'a [(Span, String)],
    pub(crate) help: Option<&'a str>,
}

impl<'a> From<&'a Diagnostic> for Message<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Self {
        Self {
            level: match diagnostic.severity {
                Severity::Error => Level::ERROR,
                Severity::Warning => Level::WARNING,
            },
            title: &diagnostic.message,
            span: diagnostic.span,
            label: &diagnostic.label,
            related: &diagnostic.related,
            help: diagnostic.help.as_deref(),
        }
    }
}

/// The message with its snippets, ending in a line break.
pub(crate) fn render(message: &Message<'_>, sources: &SourceMap, colored: bool) -> String {
    let mut group = Group::with_title(message.level.clone().primary_title(message.title));
    if !message.span.is_none() {
        group = group.element(snippet(sources, message.span, AnnotationKind::Primary, message.label));
        for (span, label) in message.related {
            group = group.element(snippet(sources, *span, AnnotationKind::Context, label));
        }
    }
    if let Some(help) = message.help {
        group = group.element(Level::HELP.message(help));
    }
    let renderer = if colored { Renderer::styled() } else { Renderer::plain() };
    let mut text = renderer.render(&[group]);
    text.push('\n');
    text
}

/// `file:line`, as in lists of places.
pub(crate) fn place(sources: &SourceMap, span: Span) -> String {
    let location = sources.locate(span);
    if span.is_none() || location.file.is_empty() {
        return "(no source)".to_owned();
    }
    format!("{}:{}", location.file, location.line)
}

/// One line of source with a mark. If the preprocessor changed the line, the user's version is shown if it
/// can be read, and marked as a whole.
fn snippet<'a>(sources: &'a SourceMap, span: Span, kind: AnnotationKind, label: &'a str) -> Element<'a> {
    let location = sources.locate(span);
    let preprocessed = sources.snippet(span);
    let users = if location.column.is_none() { read_line(location.file, location.line) } else { None };
    let (line, marked) = match users {
        Some(line) => {
            let marked = line.len() - line.trim_start().len()..line.trim_end().len();
            (Cow::Owned(line), marked)
        }
        None => (Cow::Borrowed(preprocessed.line), on_boundaries(preprocessed.line, preprocessed.marked)),
    };
    if line.is_empty() {
        return Origin::path(location.file).line(location.line as usize).into();
    }
    let mut annotation = kind.span(marked);
    if !label.is_empty() {
        annotation = annotation.label(label);
    }
    Snippet::source(line).line_start(location.line as usize).path(location.file).annotation(annotation).into()
}

/// A line of a file, unless it is empty or cannot be read.
fn read_line(file: &str, number: u32) -> Option<String> {
    let text = files::read_text(Path::new(file), files::LARGE).ok()?;
    let line = text.lines().nth((number as usize).checked_sub(1)?)?;
    (!line.trim().is_empty()).then(|| line.to_owned())
}

/// The range with its ends moved outwards to whole characters.
fn on_boundaries(line: &str, range: Range<usize>) -> Range<usize> {
    let start = line.floor_char_boundary(range.start.min(line.len()));
    let end = line.ceil_char_boundary(range.end.clamp(start, line.len()));
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn a_diagnostic_shows_its_line() {
        let mut sources = SourceMap::new();
        sources.add("a.c", "int x;\nint  x = \"é\";\n".to_owned()).unwrap();
        let diagnostic = Diagnostic::error(Span::new(12, 13), "`x` is defined twice")
            .label("again here")
            .related(Span::new(4, 5), "first here")
            .help("remove one of them");
        expect![[r#"
            error: `x` is defined twice
             --> a.c:2:6
              |
            2 | int  x = "é";
              |      ^ again here
              |
             ::: a.c:1:5
              |
            1 | int x;
              |     - first here
              |
              = help: remove one of them
        "#]]
        .assert_eq(&render(&Message::from(&diagnostic), &sources, false));
        assert_eq!(place(&sources, diagnostic.span), "a.c:2");
    }

    #[test]
    fn without_a_place_only_the_message_is_shown() {
        let diagnostic = Diagnostic::error(Span::NONE, "cannot read `x.c`");
        let text = render(&Message::from(&diagnostic), &SourceMap::new(), false);
        assert_eq!(text, "error: cannot read `x.c`\n");
    }
}
