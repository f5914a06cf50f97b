//! Explanations as lines for people.

use crate::finding::{Explanation, Place, TraceStep};
use std::fmt::Write;

/// More inputs or calls than these are cut in the middle.
const SHOWN_INPUTS: usize = 16;
const SHOWN_CALLS: usize = 12;
/// Deeper calls are not moved further to the right.
const MAX_INDENT: usize = 12;
/// Where the text behind a place begins.
const PLACE_WIDTH: usize = 24;

/// The explanation of an error: why, inputs, calls, steps.
pub fn explanation(explanation: &Explanation) -> Vec<String> {
    let mut lines = Vec::new();
    if !explanation.because.is_empty() {
        lines.push(format!("Because:     {}", explanation.because));
    }
    let matters = explanation.inputs.iter().filter(|input| input.matters);
    let inputs: Vec<String> =
        matters.map(|input| format!("  {} {} = {}", padded(&input.place), input.what, input.value)).collect();
    let others = explanation.inputs.len() - inputs.len();
    if inputs.is_empty() && others > 0 {
        lines.push("Inputs:      none has a part in it".to_owned());
    } else if others > 0 || !inputs.is_empty() {
        lines.push("Inputs:".to_owned());
        lines.extend(cut(inputs, SHOWN_INPUTS));
        if others > 0 {
            let (plural, have) = if others == 1 { ("", "has") } else { ("s", "have") };
            lines.push(format!("  ({others} other{plural} {have} no part in it)"));
        }
    }
    if !explanation.calls.is_empty() {
        lines.push("Calls:".to_owned());
        let calls = explanation.calls.iter().map(|call| {
            let at =
                if call.place.is_known() { format!(", called at {}", call.place) } else { String::new() };
            format!("  {}{at}", call.function)
        });
        lines.extend(cut(calls.collect(), SHOWN_CALLS));
    }
    if !explanation.steps.is_empty() {
        lines.push("Steps that matter:".to_owned());
        lines.extend(explanation.steps.iter().map(|one| format!("  {}", step(one))));
    }
    if explanation.hidden > 0 {
        let (steps, total) = (explanation.hidden, explanation.length);
        let plural = if steps == 1 { "" } else { "s" };
        lines.push(format!(
            "  ({steps} more step{plural} of {total} have a part in it; --full-trace shows all)"
        ));
    }
    lines
}

/// A step in one line.
pub fn step(step: &TraceStep) -> String {
    let indent = 2 * (step.depth as usize).min(MAX_INDENT);
    if step.is_gap {
        return format!("{:width$} {:indent$}{}", "", "", step.text, width = PLACE_WIDTH);
    }
    let mut text = format!("{} {:indent$}{}", padded(&step.place), "", step.text);
    for (number, (name, value)) in step.values.iter().enumerate() {
        let separator = if number == 0 { "  // " } else { ", " };
        let name = if name.is_empty() { String::new() } else { format!("{name} ") };
        let _ = write!(text, "{separator}{name}= {value}");
    }
    text
}

/// What a function requires and ensures, as C text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    pub place: Place,
    pub function: String,
    pub requires: String,
    pub ensures: String,
}

/// What a proof consists of: invariants of loops and contracts of functions, each under its line of the source.
pub fn proof_summary(
    invariants: &[(Place, String)],
    contracts: &[Contract],
    source_line: &dyn Fn(&Place) -> Option<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let under = |place: &Place, name: &str| {
        let source = source_line(place).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
        format!("  {} {}", padded(place), source.unwrap_or_else(|| name.to_owned()))
    };
    if !invariants.is_empty() {
        lines.push("Invariants:".to_owned());
        let mut last: Option<&Place> = None;
        for (place, text) in invariants {
            if last != Some(place) {
                lines.push(under(place, ""));
            }
            lines.push(format!("    {text}"));
            last = Some(place);
        }
    }
    if !contracts.is_empty() {
        lines.push("Contracts:".to_owned());
        for contract in contracts {
            lines.push(under(&contract.place, &contract.function));
            for (word, text) in [("requires", &contract.requires), ("ensures", &contract.ensures)] {
                if !text.is_empty() {
                    lines.push(format!("    {word} {text}"));
                }
            }
        }
    }
    lines.into_iter().map(|line| line.trim_end().to_owned()).collect()
}

fn padded(place: &Place) -> String {
    format!("{:<PLACE_WIDTH$}", place.to_string())
}

/// The first and last ones, if there are too many.
fn cut(mut lines: Vec<String>, shown: usize) -> Vec<String> {
    if lines.len() > shown {
        let hidden = lines.len() - shown;
        let rest = lines.split_off(lines.len() - shown / 2);
        lines.truncate(shown - shown / 2);
        lines.push(format!("  … ({hidden} more) …"));
        lines.extend(rest);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_lose_their_middle() {
        let lines: Vec<String> = (0..30).map(|n| n.to_string()).collect();
        let shown = cut(lines, 4);
        assert_eq!(shown, ["0", "1", "  … (26 more) …", "28", "29"]);
        assert_eq!(cut(vec!["a".into()], 4), ["a"]);
    }

    #[test]
    fn a_proof_is_shown_with_its_source() {
        let at = |line| Place { file: "a.c".into(), line, column: None, end_column: None };
        let invariants =
            [(at(4), "0 <= i".to_owned()), (at(4), "i <= n".to_owned()), (at(9), "x == 1".to_owned())];
        let contract = Contract {
            place: at(1),
            function: "f".into(),
            requires: String::new(),
            ensures: "\\result > 0".into(),
        };
        let source = |place: &Place| (place.line == 4).then(|| "  while (i < n)".to_owned());
        let expected = "Invariants:
  a.c:4                    while (i < n)
    0 <= i
    i <= n
  a.c:9
    x == 1
Contracts:
  a.c:1                    f
    ensures \\result > 0";
        assert_eq!(proof_summary(&invariants, &[contract], &source).join("\n"), expected);
    }
}
