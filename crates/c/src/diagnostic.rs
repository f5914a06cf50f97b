//! What the front end says to the user: errors and warnings with the source they are about. Rendering with
//! snippets is the business of `cli`.

use crate::span::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    Error,
    Warning,
}

/// One message, the place it is about, and what else helps to understand it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub severity: Severity,
    pub message: String,
    pub span: Span,
    /// What stands under the marked source, e.g. "declared as a function here".
    pub label: String,
    /// Other places with a word each.
    pub related: Vec<(Span, String)>,
    /// What the user can do.
    pub help: Option<String>,
    /// A limit of memory is the reason, and not the input.
    pub is_limit: bool,
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
            is_limit: false,
        }
    }

    /// A limit of memory is the reason.
    pub fn because_of_limit(mut self) -> Self {
        self.is_limit = true;
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
