//! Annotations for GitHub's pages: workflow commands that a step prints, one line each.
//!
//! Format: `::error file=…,line=…,col=…::message`. In the message `%` and line ends are escaped, in
//! properties `:` and `,` too.

use crate::finding::{Answer, Finding, Place, Remark, Run};
use std::fmt::Write;

/// An annotation for each finding, warning and problem of the run.
pub fn annotations(run: &Run) -> Vec<String> {
    let problem = |problem: &Remark| annotation("error", &problem.place, "summa", &problem.text);
    run.problems.iter().map(problem).chain(run.findings.iter().flat_map(of_finding)).collect()
}

/// The annotations of one finding.
pub fn of_finding(finding: &Finding) -> Vec<String> {
    let title = format!("summa: {}", finding.property);
    let mut lines = Vec::new();
    match &finding.answer {
        Answer::False => {
            let because = finding.explanation.as_ref().map_or("", |explanation| &explanation.because);
            let message = if because.is_empty() {
                finding.message.clone()
            } else {
                format!("{}: {because}", finding.message)
            };
            lines.push(annotation("error", &finding.place, &title, &message));
        }
        Answer::Unknown(reason) => {
            lines.push(annotation("warning", &finding.place, &title, &format!("not decided: {reason}")));
        }
        Answer::True => lines.push(annotation("notice", &finding.place, &title, &finding.message)),
    }
    lines.extend(
        finding.warnings.iter().map(|warning| annotation("warning", &warning.place, &title, &warning.text)),
    );
    lines
}

fn annotation(command: &str, place: &Place, title: &str, message: &str) -> String {
    let mut line = format!("::{command} ");
    if place.is_known() {
        let _ = write!(line, "file={},line={},", property(&place.file), place.line);
        if let Some(column) = place.column {
            let _ = write!(line, "col={column},");
        }
        // GitHub's end is the last column, not the one behind it.
        if let Some(end) = place.end_column {
            let _ = write!(line, "endColumn={},", end.saturating_sub(1).max(1));
        }
    }
    let _ = write!(line, "title={}::{}", property(title), data(message));
    line
}

fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Explanation;

    #[test]
    fn special_characters_are_escaped() {
        let mut finding = Finding::new("unreach-call", Answer::False, "an assertion fails");
        finding.place = Place { file: "a,b:c.c".into(), line: 7, column: Some(3), end_column: Some(9) };
        finding.explanation =
            Some(Explanation { because: "x % 2 is 1:\nodd".into(), ..Explanation::default() });
        finding.warnings.push(Remark { place: Place::default(), text: "100%".into() });
        assert_eq!(
            of_finding(&finding),
            [
                "::error file=a%2Cb%3Ac.c,line=7,col=3,endColumn=8,title=summa%3A unreach-call::an assertion \
                 fails: x %25 2 is 1:%0Aodd",
                "::warning title=summa%3A unreach-call::100%25",
            ]
        );
    }

    #[test]
    fn every_answer_has_its_level() {
        let run = Run {
            problems: vec![Remark { place: Place::default(), text: "not C".into() }],
            findings: vec![
                Finding::new("no-overflow", Answer::True, "no signed overflow"),
                Finding::new("unreach-call", Answer::Unknown("time limit".into()), ""),
            ],
            ..Run::default()
        };
        assert_eq!(
            annotations(&run),
            [
                "::error title=summa::not C",
                "::notice title=summa%3A no-overflow::no signed overflow",
                "::warning title=summa%3A unreach-call::not decided: time limit",
            ]
        );
    }
}
