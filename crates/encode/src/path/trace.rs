//! What translation collected on the way to a path: facts about fresh symbols, inputs, approximations,
//! summaries that were used. Paths with a common beginning share this part; a join has two predecessors.

use super::summary::SummaryUse;
use crate::encoder::{Approximation, Input};
use summa_base::{FxHashSet, IdVec, define_id};
use summa_term::Term;

define_id! {
    /// The past of a path.
    TraceId = "past";
}

/// What one step added.
#[derive(Debug, Default)]
pub(super) struct Added {
    pub(super) facts: Vec<Term>,
    pub(super) inputs: Vec<Input>,
    pub(super) approximations: Vec<Approximation>,
    /// A summary that stands for the step; what else the step added came before it.
    pub(super) summary: Option<SummaryUse>,
}

impl Added {
    fn is_empty(&self) -> bool {
        let Self { facts, inputs, approximations, summary } = self;
        facts.is_empty() && inputs.is_empty() && approximations.is_empty() && summary.is_none()
    }
}

#[derive(Debug)]
struct Trace {
    /// One for a step, two for a join.
    before: [Option<TraceId>; 2],
    added: Added,
}

#[derive(Debug, Default)]
pub(super) struct Traces {
    traces: IdVec<TraceId, Trace>,
}

impl Traces {
    pub(super) fn step(&mut self, before: Option<TraceId>, added: Added) -> Option<TraceId> {
        if added.is_empty() {
            return before;
        }
        Some(self.traces.push(Trace { before: [before, None], added }))
    }

    pub(super) fn join(&mut self, a: Option<TraceId>, b: Option<TraceId>) -> Option<TraceId> {
        match (a, b) {
            (_, None) => a,
            (None, _) => b,
            _ if a == b => a,
            _ => Some(self.traces.push(Trace { before: [a, b], added: Added::default() })),
        }
    }

    /// All steps in the order of time, the first past of a join before the second.
    pub(super) fn steps(&self, last: Option<TraceId>) -> Vec<&Added> {
        let mut steps = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack: Vec<(TraceId, bool)> = last.map(|last| (last, false)).into_iter().collect();
        while let Some((id, is_past_done)) = stack.pop() {
            let trace = &self.traces[id];
            if is_past_done {
                steps.push(&trace.added);
            } else if seen.insert(id) {
                stack.push((id, true));
                stack.extend(trace.before.iter().rev().flatten().map(|&before| (before, false)));
            }
        }
        steps
    }
}
