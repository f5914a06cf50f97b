//! Executions step by step, with source lines and values: `summa run --trace` and `summa verify
//! --full-trace`. Short explanations are made by `summa_verdict::explain`.

use crate::diagnostics::place;
use std::fmt::Write;
use summa_c::SourceMap;
use summa_cfa::{AssumeOrigin, Cfa, EdgeId, Op};
use summa_interp::{Observer, Value, View};

/// Deeper calls are not moved further to the right.
const MAX_INDENT: usize = 20;

/// One step: an edge, and the value that it wrote, if any.
#[derive(Clone, Debug)]
struct Step {
    edge: EdgeId,
    value: Option<String>,
}

/// Prints every step after its execution.
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
            // For calls `after` comes late, and for the others never.
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
        // A check that passes is not worth showing, and the error reports one that fails.
        Op::Assume { origin: AssumeOrigin::Check, .. } => false,
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
    let op = &cfa.edge(edge).op;
    // A step that zeroes something shows that itself.
    let written = op.written().filter(|_| !matches!(op, Op::Zero { .. }))?;
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
