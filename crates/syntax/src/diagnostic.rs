//! Messages of the front end for the user: errors and warnings with their places in the source. `cli` renders
//! them with snippets.

use crate::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// The limit that was reached while reading a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadingLimit {
    Time,
    Memory,
}

/// A message with its place, and further help to understand it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub span: Span,
    /// The text under the marked source, e.g. "declared as a function here".
    pub label: String,
    /// Other places with a word each.
    pub related: Vec<(Span, String)>,
    /// What the user can do.
    pub help: Option<String>,
    /// A limit is the reason, and not the input.
    pub limit: Option<ReadingLimit>,
}

impl Diagnostic {
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        Self {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            related: Vec::new(),
            help: None,
            limit: None,
        }
    }

    pub fn because_of(mut self, limit: ReadingLimit) -> Self {
        self.limit = Some(limit);
        self
    }

    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
