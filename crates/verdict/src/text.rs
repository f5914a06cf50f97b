//! Explanations as lines for people.

use crate::finding::{Explanation, Place, TraceStep};
use std::fmt::Write;

/// More inputs or calls than these are cut in the middle.
const SHOWN_INPUTS: usize = 16;
const SHOWN_CALLS: usize = 12;
/// Deeper calls are not moved further to the right.
const MAX_INDENT: usize = 12;

/// The explanation of an error: why, inputs, calls, steps.
pub fn explanation(explanation: &Explanation) -> Vec<String> {
    let mut lines = Vec::new();
    if !explanation.because.is_empty() {
        lines.push(format!("Because:     {}", explanation.because));
    }
    let matters = explanation.inputs.iter().filter(|input| input.matters);
    let shown = explanation.steps.iter().map(|step| &step.place);
    let called = explanation.calls.iter().map(|call| &call.place);
    let column = Column::of(matters.clone().map(|input| &input.place).chain(shown).chain(called));
    let inputs: Vec<String> = matters
        .map(|input| format!("  {} {} = {}", column.at(&input.place), input.what, input.value))
        .collect();
    let others = explanation.inputs.len() - inputs.len();
    if inputs.is_empty() && others > 0 {
        lines.push("Inputs:      none matters".to_owned());
    } else if others > 0 || !inputs.is_empty() {
        lines.push("Inputs:".to_owned());
        lines.extend(cut(inputs, SHOWN_INPUTS));
        if others > 0 {
            let (plural, does) = if others == 1 { ("", "does") } else { ("s", "do") };
            lines.push(format!("  ({others} other{plural} {does} not matter)"));
        }
    }
    if !explanation.calls.is_empty() {
        lines.push("Calls:".to_owned());
        let calls = explanation.calls.iter().map(|call| {
            let at = if call.place.is_known() { ", called at " } else { "" };
            format!("  {}{at}{}", call.function, column.name(&call.place))
        });
        lines.extend(cut(calls.collect(), SHOWN_CALLS));
    }
    if !explanation.steps.is_empty() {
        lines.push("Steps that matter:".to_owned());
        lines.extend(explanation.steps.iter().map(|one| format!("  {}", step(one, &column))));
    }
    if explanation.hidden > 0 {
        let (steps, total) = (explanation.hidden, explanation.length);
        let (plural, matter) = if steps == 1 { ("", "matters") } else { ("s", "matter") };
        lines.push(format!("  ({steps} more step{plural} of {total} {matter}; --full-trace shows all)"));
    }
    lines
}

/// A step in one line.
fn step(step: &TraceStep, column: &Column) -> String {
    let indent = 2 * (step.depth as usize).min(MAX_INDENT);
    if step.is_gap {
        return format!("{:width$}  {:indent$}{}", "", "", step.text, width = column.width);
    }
    let mut text = format!("{} {:indent$}{}", column.at(&step.place), "", step.text);
    for (number, (name, value)) in step.values.iter().enumerate() {
        let separator = if number == 0 { "  // " } else { ", " };
        let name = if name.is_empty() { String::new() } else { format!("{name} ") };
        let _ = write!(text, "{separator}{name}= {value}");
    }
    text
}

/// The contract of a function, as C text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contract {
    pub place: Place,
    pub function: String,
    pub requires: String,
    pub ensures: String,
}

/// The contents of a proof: invariants of loops and contracts of functions, each under its line of the
/// source.
pub fn proof_summary(
    invariants: &[(Place, String)],
    contracts: &[Contract],
    source_line: &dyn Fn(&Place) -> Option<String>,
) -> Vec<String> {
    let mut lines = Vec::new();
    let places = invariants.iter().map(|(place, _)| place);
    let column = Column::of(places.chain(contracts.iter().map(|contract| &contract.place)));
    let under = |place: &Place, name: &str| {
        let source = source_line(place).map(|line| line.trim().to_owned()).filter(|line| !line.is_empty());
        format!("  {} {}", column.at(place), source.unwrap_or_else(|| name.to_owned()))
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

/// Places below each other. Files are named without their folders, unless two would have the same name.
struct Column {
    with_folders: bool,
    width: usize,
}

impl Column {
    fn of<'p>(places: impl Iterator<Item = &'p Place>) -> Self {
        let places: Vec<&Place> = places.filter(|place| place.is_known()).collect();
        let mut files: Vec<&str> = places.iter().map(|place| place.file.as_str()).collect();
        files.sort_unstable();
        files.dedup();
        let mut names: Vec<&str> = places.iter().map(|place| place.base_name()).collect();
        names.sort_unstable();
        names.dedup();
        let mut column = Self { with_folders: names.len() < files.len(), width: 0 };
        column.width = places.iter().map(|place| column.name(place).chars().count()).max().unwrap_or(0);
        column
    }

    /// `file:line`, or nothing.
    fn name(&self, place: &Place) -> String {
        match (place.is_known(), self.with_folders) {
            (false, _) => String::new(),
            (true, true) => place.to_string(),
            (true, false) => format!("{}:{}", place.base_name(), place.line),
        }
    }

    /// The same, as wide as the column.
    fn at(&self, place: &Place) -> String {
        format!("{:<width$} ", self.name(place), width = self.width)
    }
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
    fn folders_are_named_where_names_are_not_enough() {
        let at = |file: &str| Place { file: file.into(), line: 7, column: None, end_column: None };
        let [one, other, same] = ["lib/a.c", "lib/bc.c", "test/a.c"].map(at);
        let column = Column::of([&one, &other].into_iter());
        assert_eq!([column.at(&one), column.at(&other)], ["a.c:7  ", "bc.c:7 "]);
        let column = Column::of([&one, &same].into_iter());
        assert_eq!([column.at(&one), column.at(&same)], ["lib/a.c:7  ", "test/a.c:7 "]);
        assert_eq!(column.name(&Place::default()), "");
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
  a.c:4  while (i < n)
    0 <= i
    i <= n
  a.c:9
    x == 1
Contracts:
  a.c:1  f
    ensures \\result > 0";
        assert_eq!(proof_summary(&invariants, &[contract], &source).join("\n"), expected);
    }
}
