//! Executions as people read them: steps with source lines and values, the inputs, the stack of calls.

use crate::diagnostics::place;
use std::collections::VecDeque;
use std::fmt::Write;
use summa_c::source::SourceMap;
use summa_c::tree::PlaceId;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_interp::{InputOrigin, InputRecord, List, Observer, Outcome, Policy, Program, Value, View};

/// How many of the last steps explain a violation.
const LAST_STEPS: usize = 12;
/// More inputs or calls than these are cut in the middle.
const SHOWN_INPUTS: usize = 20;
const SHOWN_CALLS: usize = 12;
/// Deeper calls are not moved further to the right.
const MAX_INDENT: usize = 20;

/// One step: an edge, and the value that it gave to something, if it did.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    edge: EdgeId,
    value: Option<String>,
}

/// What is remembered of an execution to explain its end.
#[derive(Debug)]
pub(crate) struct History<'a> {
    cfa: &'a Cfa,
    /// The calls that have not returned.
    calls: Vec<EdgeId>,
    last: VecDeque<Step>,
}

impl<'a> History<'a> {
    /// Runs the execution again, watching it.
    pub(crate) fn of(program: &Program<'a>, policy: &Policy, outcome: &Outcome) -> Self {
        let mut history = Self { cfa: program.cfa, calls: Vec::new(), last: VecDeque::new() };
        let mut inputs = List::replay(&outcome.inputs);
        summa_interp::run_observed(program, &mut inputs, policy, &mut history);
        history
    }

    /// The explanation, line by line: inputs, calls, last steps.
    pub(crate) fn describe(&self, sources: &SourceMap, inputs: &[InputRecord]) -> Vec<String> {
        let mut lines = Vec::new();
        if !inputs.is_empty() {
            lines.push("Inputs:".to_owned());
            let shown = inputs.iter().map(|input| describe_input(self.cfa, sources, input)).collect();
            lines.extend(cut(shown, SHOWN_INPUTS));
        }
        let calls: Vec<String> =
            self.calls.iter().map(|&call| describe_call(self.cfa, sources, call)).collect();
        if !calls.is_empty() {
            lines.push("Calls:".to_owned());
            lines.extend(cut(calls, SHOWN_CALLS));
        }
        if !self.last.is_empty() {
            lines.push("Last steps:".to_owned());
            lines
                .extend(self.last.iter().map(|step| format!("  {}", describe_step(self.cfa, sources, step))));
        }
        lines
    }
}

impl Observer for History<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        // Not popped at a return: if that is where the execution ends, its call still counts.
        self.calls.truncate(view.depth());
        if matches!(self.cfa.edge(edge).op, Op::Call { .. }) {
            self.calls.push(edge);
        }
        if is_worth_showing(self.cfa, edge) {
            if self.last.len() == LAST_STEPS {
                self.last.pop_front();
            }
            self.last.push_back(Step { edge, value: None });
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        // The effect of a call is complete only now; by then other steps have come between.
        if let Some(step) = self.last.iter_mut().rev().find(|step| step.edge == edge) {
            step.value = new_value(self.cfa, edge, view);
        }
    }
}

/// Prints every step when it is done.
pub(crate) struct Printer<'a, W> {
    cfa: &'a Cfa,
    sources: &'a SourceMap,
    depth: usize,
    print: W,
}

impl<'a, W: FnMut(String)> Printer<'a, W> {
    pub(crate) fn new(cfa: &'a Cfa, sources: &'a SourceMap, print: W) -> Self {
        Self { cfa, sources, depth: 0, print }
    }

    fn show(&mut self, edge: EdgeId, value: Option<String>) {
        if is_worth_showing(self.cfa, edge) {
            let step = describe_step(self.cfa, self.sources, &Step { edge, value });
            self.print_indented(&step);
        }
    }

    fn print_indented(&mut self, text: &str) {
        (self.print)(format!("{:1$}{text}", "", 2 * self.depth.min(MAX_INDENT)));
    }
}

impl<W: FnMut(String)> Observer for Printer<'_, W> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        self.depth = view.depth();
        match self.cfa.edge(edge).op {
            // `after` comes late for calls, and never for the others.
            Op::Call { .. }
            | Op::Return { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. } => {
                self.show(edge, None);
            }
            Op::Skip
            | Op::Assign { .. }
            | Op::Assume { .. }
            | Op::Declare { .. }
            | Op::Dead { .. }
            | Op::Zero { .. }
            | Op::Havoc { .. }
            | Op::Library { .. }
            | Op::External { .. } => {}
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        self.depth = view.depth();
        let value = new_value(self.cfa, edge, view);
        match (&self.cfa.edge(edge).op, value) {
            // The call itself was shown when it began.
            (Op::Call { callee, .. }, Some(value)) => {
                let name = self.cfa.program.func_name(*callee);
                let at = place(self.sources, self.cfa.edge(edge).span);
                self.print_indented(&format!("{at:<24} {name} returned {value}"));
            }
            (Op::Call { .. }, None) => {}
            (_, value) => self.show(edge, value),
        }
    }
}

/// Steps that only open or close a scope explain nothing; nor does what happens before `main`.
fn is_worth_showing(cfa: &Cfa, edge: EdgeId) -> bool {
    let in_start = cfa.nodes[cfa.edge(edge).from].function == cfa.start;
    match cfa.edge(edge).op {
        Op::Skip | Op::Declare { .. } | Op::Dead { .. } => false,
        Op::Assume { .. } | Op::Havoc { .. } | Op::Unsupported { .. } => true,
        Op::Assign { .. }
        | Op::Zero { .. }
        | Op::Call { .. }
        | Op::Library { .. }
        | Op::External { .. }
        | Op::Return { .. }
        | Op::Error { .. }
        | Op::Halt { .. } => !in_start,
    }
}

/// The scalar that the edge wrote, as text.
fn new_value(cfa: &Cfa, edge: EdgeId, view: &View<'_>) -> Option<String> {
    let written: PlaceId = match cfa.edge(edge).op {
        Op::Assign { place, .. } | Op::Havoc { place, .. } => place,
        Op::Call { result, .. } | Op::Library { result, .. } | Op::External { result, .. } => result?,
        Op::Skip
        | Op::Assume { .. }
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Zero { .. }
        | Op::Return { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. } => return None,
    };
    match view.place(written) {
        Value::Unknown | Value::Aggregate => None,
        value => Some(view.text(&value)),
    }
}

fn describe_step(cfa: &Cfa, sources: &SourceMap, step: &Step) -> String {
    let edge = cfa.edge(step.edge);
    let mut text = format!("{:<24} {}", place(sources, edge.span), edge.op.text(&cfa.program));
    if let Some(value) = &step.value {
        let _ = write!(text, "  // = {value}");
    }
    text
}

fn describe_call(cfa: &Cfa, sources: &SourceMap, call: EdgeId) -> String {
    let edge = cfa.edge(call);
    let callee = match edge.op {
        Op::Call { callee, .. } => cfa.program.func_name(callee),
        _ => "?",
    };
    if cfa.nodes[edge.from].function == cfa.start {
        return format!("  {callee}");
    }
    format!("  {callee}, called at {}", place(sources, edge.span))
}

fn describe_input(cfa: &Cfa, sources: &SourceMap, input: &InputRecord) -> String {
    let what = match input.request.origin {
        InputOrigin::Havoc(summa_cfa::HavocSource::Input(function)) => {
            format!("{}()", cfa.program.func_name(function))
        }
        InputOrigin::Havoc(_) => "value from outside".to_owned(),
        InputOrigin::Uninitialised => "uninitialised value".to_owned(),
        InputOrigin::External(function) => {
            format!("{}() (unknown function)", cfa.program.func_name(function))
        }
        InputOrigin::Allocation => "allocation succeeds".to_owned(),
    };
    format!("  {:<24} {what} = {input}", place(sources, cfa.edge(input.request.edge).span))
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
}
