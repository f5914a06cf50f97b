//! What recursive calls restore: a stack, persistent like the paths to which it belongs.
//!
//! A cell holds a variable of all activations of a function, one at a time. A call that may lead back into an
//! active function first saves the callee's variables, and its return restores them.

use crate::cells::CellId;
use crate::encoder::Encoder;
use std::rc::Rc;
use summa_base::{IdVec, define_id};
use summa_c::tree::FuncId;
use summa_cfa::{EdgeId, Op};
use summa_term::{Term, Terms};

define_id! {
    /// The top of a stack.
    FrameId = "frame";
}

#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) call: EdgeId,
    pub(super) saved: Rc<[(CellId, Term)]>,
    pub(super) below: Option<FrameId>,
}

#[derive(Debug, Default)]
pub(super) struct Frames {
    frames: IdVec<FrameId, Frame>,
}

/// The callee, if the call must restore the callee's variables. It need not if caller and callee are in
/// different strongly connected parts of the call graph: then the callee cannot be active already, because it
/// would have to reach the caller.
pub(super) fn given_back(encoder: &Encoder<'_>, call: EdgeId) -> Option<FuncId> {
    let (cfa, calls) = (encoder.cfa, &encoder.facts.calls);
    let Op::Call { callee, .. } = cfa.edges[call].op else { return None };
    let caller = cfa.nodes[cfa.edges[call].from].function;
    (calls.is_recursive(callee) && calls.scc_of(caller) == calls.scc_of(callee)).then_some(callee)
}

impl Frames {
    pub(super) fn push(
        &mut self,
        call: EdgeId,
        saved: Vec<(CellId, Term)>,
        below: Option<FrameId>,
    ) -> FrameId {
        self.frames.push(Frame { call, saved: saved.into(), below })
    }

    pub(super) fn get(&self, id: FrameId) -> Frame {
        self.frames[id].clone()
    }

    /// The stack that is `a` where `condition` holds and `b` elsewhere. Stacks of different calls have only
    /// the part below in common: then a return from here is an error.
    pub(super) fn merge(
        &mut self,
        terms: &mut Terms,
        condition: Term,
        a: Option<FrameId>,
        b: Option<FrameId>,
    ) -> Option<FrameId> {
        let (mut top_a, mut top_b, mut pairs) = (a, b, Vec::new());
        while let (Some(x), Some(y)) = (top_a, top_b)
            && x != y
        {
            let (x, y) = (self.get(x), self.get(y));
            if x.call != y.call {
                return None;
            }
            (top_a, top_b) = (x.below, y.below);
            pairs.push((x, y));
        }
        if top_a != top_b {
            return None;
        }
        let mut merged = top_a;
        for (x, y) in pairs.into_iter().rev() {
            // One call, one callee: the cells are the same.
            let both = x.saved.iter().zip(y.saved.iter());
            let saved = both.map(|(&(cell, a), &(_, b))| (cell, terms.ite(condition, a, b))).collect();
            merged = Some(self.push(x.call, saved, merged));
        }
        merged
    }
}
