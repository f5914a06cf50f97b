//! The one execution of a program that asks for nothing: it is run, and no formula is needed to know where it
//! ends.
//!
//! A path on which the environment chooses nothing belongs to that execution, whatever the abstraction says
//! of values. So errors behind long loops need no unrolling. An execution that did not violate the property
//! once never will.

use crate::task::Replay;
use std::cell::Cell;
use summa_cfa::{Cfa, Op};
use summa_cpa::Move;

pub(crate) struct OnlyExecution<'t> {
    cfa: &'t Cfa,
    /// So many more paths without choices come before it is run; None once it was.
    before: Cell<Option<u32>>,
}

impl<'t> OnlyExecution<'t> {
    /// It is run when so many paths of it were found and one more. It may be long or have no end, where one
    /// refinement is enough for a proof. But a loop of thousands of rounds is faster run than refined.
    pub(crate) fn after_paths(cfa: &'t Cfa, paths: u32) -> Self {
        Self { cfa, before: Cell::new(Some(paths)) }
    }

    pub(crate) fn was_run(&self) -> bool {
        self.before.get().is_none()
    }

    /// Runs it, if this path belongs to it and it is time: does it violate the property?
    pub(crate) fn violates(&self, moves: &[Move], replay: &mut Replay<'_>) -> bool {
        let Some(before) = self.before.get() else { return false };
        if moves.iter().any(|by| self.may_choose(by)) {
            return false;
        }
        self.before.set(before.checked_sub(1));
        before == 0 && replay(&[])
    }

    /// May the environment decide something on this move?
    fn may_choose(&self, by: &Move) -> bool {
        matches!(
            self.cfa.edges[by.step.edge()].op,
            Op::Havoc { .. } | Op::External { .. } | Op::Library { .. }
        )
    }
}
