//! An observer that writes down the path of a run with the values it assigned.

use crate::observer::{Observer, Value, View};
use summa_c::tree::PlaceId;
use summa_cfa::{Cfa, EdgeId, Op};

/// One edge of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    pub edge: EdgeId,
    /// How many callers waited.
    pub depth: usize,
    /// The place that the edge assigned, and its new value as text.
    pub assigned: Option<(PlaceId, String)>,
}

/// The last `limit` steps of a run.
pub struct Trace<'a> {
    cfa: &'a Cfa,
    limit: usize,
    steps: std::collections::VecDeque<Step>,
    dropped: usize,
}

impl<'a> Trace<'a> {
    pub fn new(cfa: &'a Cfa, limit: usize) -> Self {
        Self { cfa, limit: limit.max(1), steps: std::collections::VecDeque::new(), dropped: 0 }
    }

    pub fn steps(&self) -> impl ExactSizeIterator<Item = &Step> {
        self.steps.iter()
    }

    /// Steps at the beginning that were forgotten.
    pub fn dropped(&self) -> usize {
        self.dropped
    }

    fn target(&self, edge: EdgeId) -> Option<PlaceId> {
        match self.cfa.edge(edge).op {
            Op::Assign { place, .. } | Op::Havoc { place, .. } | Op::Zero { place } => Some(place),
            Op::Call { result, .. } | Op::Library { result, .. } | Op::External { result, .. } => result,
            _ => None,
        }
    }
}

impl Observer for Trace<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.steps.len() == self.limit {
            self.steps.pop_front();
            self.dropped += 1;
        }
        self.steps.push_back(Step { edge, depth: view.depth(), assigned: None });
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        let Some(place) = self.target(edge) else { return };
        let value = view.place(place);
        if value == Value::Unknown {
            return;
        }
        let assigned = Some((place, view.text(&value)));
        // The steps of a callee may lie between a call and its end.
        let depth = view.depth();
        match self.steps.back_mut() {
            Some(last) if last.edge == edge && last.depth == depth => last.assigned = assigned,
            _ => {
                let waiting =
                    self.steps.iter_mut().rev().find(|step| step.edge == edge && step.depth == depth);
                if let Some(step) = waiting {
                    step.assigned = assigned;
                }
            }
        }
    }
}
