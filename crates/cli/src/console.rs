//! All printed output. Standard output has the answer and its explanation, with a last line for scripts.
//! Standard error has problems with the input. Colour is used only on a terminal, and not if `NO_COLOR` is
//! set.
//!
//! All text passes [`plain::lines`], because names and sources were written by others. Output that cannot be
//! written becomes an error at the end ([`written`]).

use crate::allocator;
use crate::diagnostics::{self, Message};
use crate::front_end::{Failure, Job, ModelSource};
use crate::progress;
use crate::verdict::Verdict;
use crate::written;
use annotate_snippets::Level;
use std::fmt::Display;
use std::io::{IsTerminal, Write};
use std::time::Duration;
use summa_base::plain::{self, Shown};
use summa_c::SourceMap;
use summa_c::tree::Assumption;
use summa_c::{Diagnostic, Severity, Span};
use summa_verify::Automata;

/// Diagnostics beyond these are only counted: the first ones cause the others.
const SHOWN_DIAGNOSTICS: usize = 20;
/// Assumptions beyond these are only counted, unless statistics are asked for.
const SHOWN_ASSUMPTIONS: usize = 12;

/// A property that is decided, as a row of the table at the end.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) property: String,
    pub(crate) verdict: Verdict,
    pub(crate) time: Duration,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Console {
    quiet: bool,
    /// Standard output is for programs: the text is left out, the verdict goes to standard error.
    for_programs: bool,
    color_out: bool,
    color_err: bool,
}

impl Console {
    pub(crate) fn new(quiet: bool) -> Self {
        let may_color = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
        Self {
            quiet,
            for_programs: false,
            color_out: may_color && std::io::stdout().is_terminal(),
            color_err: may_color && std::io::stderr().is_terminal(),
        }
    }

    /// Standard output then contains only what `raw` writes.
    pub(crate) fn for_programs(quiet: bool) -> Self {
        Self { for_programs: true, ..Self::new(quiet) }
    }

    /// A line for people.
    pub(crate) fn line(&self, text: impl Display) {
        if !self.quiet && !self.for_programs {
            write_out(&format!("{}\n", plain::text_of(text)));
        }
    }

    /// A line for people, also where standard output is for programs.
    pub(crate) fn told(&self, text: impl Display) {
        if self.for_programs && !self.quiet { self.note(&text.to_string()) } else { self.line(text) }
    }

    /// What the interpreted program or an exporter wrote, unchanged.
    pub(crate) fn raw(&self, bytes: &[u8]) {
        let _hidden = progress::hide();
        written::out(bytes);
    }

    /// The last line.
    pub(crate) fn verdict(&self, verdict: &Verdict) {
        let paint = match verdict {
            Verdict::True => "\x1b[1;32m",
            Verdict::False(_) => "\x1b[1;31m",
            Verdict::Unknown(_) | Verdict::Internal(_) => "\x1b[1;33m",
        };
        progress::stop();
        allocator::expect_verdict(false);
        if self.for_programs {
            return self.note(&format!("Verdict: {verdict}"));
        }
        let (on, off) = if self.color_out { (paint, "\x1b[0m") } else { ("", "") };
        write_out(&format!("{on}Verdict: {verdict}{off}\n"));
    }

    /// Why there is no program.
    pub(crate) fn failure(&self, failure: &Failure) {
        self.diagnostics(&failure.diagnostics, &failure.sources);
    }

    pub(crate) fn diagnostics(&self, all: &[Diagnostic], sources: &SourceMap) {
        let wanted = |diagnostic: &&Diagnostic| !self.quiet || diagnostic.severity == Severity::Error;
        let _hidden = progress::hide();
        let mut stderr = std::io::stderr().lock();
        for diagnostic in all.iter().filter(wanted).take(SHOWN_DIAGNOSTICS) {
            let text = self.rendered(&Message::from(diagnostic), sources, self.color_err);
            let _ = writeln!(stderr, "{text}");
        }
        let hidden = all.iter().filter(wanted).count().saturating_sub(SHOWN_DIAGNOSTICS);
        if hidden > 0 {
            let _ = writeln!(stderr, "({hidden} more are not shown)");
        }
    }

    /// A problem without a place in the source.
    pub(crate) fn error(&self, message: &str) {
        self.diagnostics(&[Diagnostic::error(Span::NONE, message)], &SourceMap::new());
    }

    /// A note for people, on standard error.
    pub(crate) fn note(&self, message: &str) {
        let _hidden = progress::hide();
        let _ = writeln!(std::io::stderr(), "{}", plain::lines(message));
    }

    /// A mark in the source as part of the answer.
    pub(crate) fn snippet(&self, sources: &SourceMap, span: Span, title: &str, label: &str) {
        let message = Message { level: Level::ERROR, title, span, label, related: &[], help: None };
        if !self.quiet && !self.for_programs {
            write_out(&format!("{}\n", self.rendered(&message, sources, self.color_out)));
        }
    }

    /// The message as text. With colours it contains commands to the terminal. Commands in names and sources
    /// were already replaced.
    fn rendered(&self, message: &Message<'_>, sources: &SourceMap, has_color: bool) -> String {
        let text = diagnostics::render(message, sources, has_color);
        if has_color { text } else { plain::text_of(text) }
    }

    /// Prints what was read and what is asked, so that users can see that it is what they meant.
    pub(crate) fn job(&self, job: &Job, loaded: &Automata) {
        let cfa = &loaded.cfa;
        let files: Vec<_> = job.files.iter().map(|file| file.shown().to_string()).collect();
        let entry = cfa.program.func_name(cfa.main);
        let bodies = cfa.defined().filter(|automaton| automaton.function != cfa.start).count();
        let model = match job.model_source {
            ModelSource::CommandLine => "as asked for",
            ModelSource::Task => "as the task says",
            ModelSource::Host => "as on this machine; --32 and --64 choose",
        };
        self.line(format_args!("Program:     {}", files.join(" ")));
        self.line(format_args!(
            "             {}, {}, starting in {entry}",
            count(bodies, "function"),
            count(cfa.edges.len(), "edge")
        ));
        self.line(format_args!("Data model:  {} ({model})", job.model.name()));
        self.property(job, loaded);
    }

    /// Prints the property alone, if the program was shown before.
    pub(crate) fn property(&self, job: &Job, loaded: &Automata) {
        let (property, entry) = (&job.specification.property, loaded.cfa.program.func_name(loaded.cfa.main));
        self.line(format_args!("Property:    {}: {}", property.name(), property.describe(entry)));
        if job.specification.is_open {
            self.line("             and no execution that is tried runs into undefined behaviour");
        }
    }

    /// All properties with their verdicts, if there are several.
    pub(crate) fn table(&self, rows: &[Row]) {
        if rows.len() < 2 {
            return;
        }
        let width = rows.iter().map(|row| row.property.len()).max().unwrap_or(0);
        self.line("");
        for Row { property, verdict, time } in rows {
            self.line(format_args!("{property:width$}  {:7.2} s  {verdict}", time.as_secs_f64()));
        }
    }

    /// The assumptions of the answer.
    pub(crate) fn assumptions(&self, assumptions: &[Assumption], sources: &SourceMap, show_all: bool) {
        if assumptions.is_empty() {
            return;
        }
        self.line("Assumptions:");
        let shown = if show_all { assumptions.len() } else { SHOWN_ASSUMPTIONS };
        for assumption in assumptions.iter().take(shown) {
            let place = diagnostics::place(sources, assumption.span);
            self.line(format_args!("  - {} ({place})", assumption.text));
        }
        if assumptions.len() > shown {
            self.line(format_args!("  - and {} more (--stats lists all)", assumptions.len() - shown));
        }
    }
}

fn write_out(text: &str) {
    let _hidden = progress::hide();
    written::out(text.as_bytes());
}

/// `1 function`, `2 functions`.
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// `1,234,567`
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(grouped(7), "7");
        assert_eq!(grouped(1234567), "1,234,567");
        assert_eq!(grouped(100000), "100,000");
        assert_eq!(count(1, "edge"), "1 edge");
        assert_eq!(count(0, "edge"), "0 edges");
    }
}
