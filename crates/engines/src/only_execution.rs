//! The only execution of a program without inputs. It is run, so that no formula is needed to know where it
//! ends.
//!
//! A path on which the environment chooses nothing belongs to that execution, whatever the abstraction says
//! about values. So errors behind long loops need no unrolling. If the execution did not violate the property
//! once, it never will.

use crate::task::Replay;
use std::cell::Cell;
use summa_cfa::{Cfa, Op};
use summa_cpa::Move;

pub(crate) struct OnlyExecution<'t> {
    cfa: &'t Cfa,
    /// The number of further paths without choices before it is run; None after it was run.
    before: Cell<Option<u32>>,
}

impl<'t> OnlyExecution<'t> {
    /// The execution is run when more than this number of its paths were found. It may be long or endless,
    /// while one refinement may be enough for a proof. But running a loop of thousands of rounds is faster
    /// than refining it.
    pub(crate) fn after_paths(cfa: &'t Cfa, paths: u32) -> Self {
        Self { cfa, before: Cell::new(Some(paths)) }
    }

    pub(crate) fn was_run(&self) -> bool {
        self.before.get().is_none()
    }

    /// Runs the execution if this path belongs to it and enough paths were found: does it violate the
    /// property?
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
