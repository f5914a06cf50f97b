//! Which lifetimes end and begin when control jumps between blocks.
//!
//! Blocks form a tree. A jump leaves the blocks from its own up to the common one, which ends the lifetimes
//! of their variables. It enters the blocks down to the label, which begins the lifetimes of variables that
//! are declared there before the label. The jump passes their declarations, but in C objects live from the
//! entry of their block (6.2.4p6).
//!
//! Time here is textual: the number of declarations so far. A variable declared after a jump is alive there
//! only if control came back in between, by a loop or a backward `goto` around both.

use summa_base::{IdVec, define_id};
use summa_c::tree::VarId;

define_id! {
    /// A block of a function body.
    ScopeId = "scope";
}

pub(super) struct Scopes {
    scopes: IdVec<ScopeId, Scope>,
    pub current: ScopeId,
    declared: u32,
    /// Pieces of text, by first and last time, that control may run through again. Disjoint and ascending
    /// once the body is complete.
    repeats: Vec<(u32, u32)>,
}

struct Scope {
    parent: Option<ScopeId>,
    depth: u32,
    /// With the time of the declaration.
    vars: Vec<(VarId, u32)>,
}

/// A point in the text.
#[derive(Clone, Copy)]
pub(super) struct Position {
    scope: ScopeId,
    time: u32,
}

impl Scopes {
    pub(super) fn new() -> Self {
        let mut scopes = IdVec::new();
        let current = scopes.push(Scope { parent: None, depth: 0, vars: Vec::new() });
        Self { scopes, current, declared: 0, repeats: Vec::new() }
    }

    pub(super) fn enter(&mut self) {
        let depth = self.scopes[self.current].depth + 1;
        let scope = Scope { parent: Some(self.current), depth, vars: Vec::new() };
        self.current = self.scopes.push(scope);
    }

    /// Leaves the innermost block at its end; the variables whose lifetime ends, last declared first.
    pub(super) fn leave(&mut self) -> Vec<VarId> {
        let scope = &self.scopes[self.current];
        let ended = scope.vars.iter().rev().map(|&(var, _)| var).collect();
        self.current = scope.parent.unwrap_or(self.current);
        ended
    }

    pub(super) fn declare(&mut self, var: VarId) {
        self.declared += 1;
        self.scopes[self.current].vars.push((var, self.declared));
    }

    pub(super) fn here(&self) -> Position {
        Position { scope: self.current, time: self.declared }
    }

    /// Control may come back from here to `start`.
    pub(super) fn repeat(&mut self, start: Position) {
        if start.time < self.declared {
            self.repeats.push((start.time, self.declared));
        }
    }

    /// To be called at the end of the body, before [`Scopes::jump`].
    pub(super) fn complete(&mut self) {
        self.repeats.sort_unstable();
        self.repeats.dedup_by(|next, kept| {
            let overlap = next.0 <= kept.1;
            if overlap {
                kept.1 = kept.1.max(next.1);
            }
            overlap
        });
    }

    /// The last declaration that can have been executed when control is at `time`.
    fn horizon(&self, time: u32) -> u32 {
        let after = self.repeats.partition_point(|repeat| repeat.0 <= time);
        match self.repeats[..after].last() {
            Some(&(_, end)) => end.max(time),
            None => time,
        }
    }

    /// The lifetimes that a jump ends (innermost first) and begins (outermost first).
    pub(super) fn jump(&self, from: Position, to: Position) -> (Vec<VarId>, Vec<VarId>) {
        let (mut ended, mut begun) = (Vec::new(), Vec::new());
        let (mut a, mut b) = (from.scope, to.scope);
        let horizon = self.horizon(from.time);
        while a != b {
            let (left, entered) = (&self.scopes[a], &self.scopes[b]);
            if left.depth >= entered.depth {
                let alive = |&&(_, time): &&(VarId, u32)| time <= horizon;
                ended.extend(left.vars.iter().filter(alive).rev().map(|&(var, _)| var));
                let Some(parent) = left.parent else { break };
                a = parent;
            } else {
                let before = |&&(_, time): &&(VarId, u32)| time <= to.time;
                begun.extend(entered.vars.iter().filter(before).rev().map(|&(var, _)| var));
                let Some(parent) = entered.parent else { break };
                b = parent;
            }
        }
        begun.reverse();
        (ended, begun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_base::Id;

    fn v(i: usize) -> VarId {
        VarId::from_index(i)
    }

    /// `{ v0; { v1; A: } { v2; B: v3; } }`
    #[test]
    fn jumps_between_siblings() {
        let mut scopes = Scopes::new();
        scopes.enter();
        scopes.declare(v(0));
        scopes.enter();
        scopes.declare(v(1));
        let a = scopes.here();
        assert_eq!(scopes.leave(), [v(1)]);
        scopes.enter();
        scopes.declare(v(2));
        let b = scopes.here();
        scopes.declare(v(3));
        let after = scopes.here();
        assert_eq!(scopes.leave(), [v(3), v(2)]);
        assert_eq!(scopes.jump(a, b), (vec![v(1)], vec![v(2)]));
        assert_eq!(scopes.jump(after, a), (vec![v(3), v(2)], vec![v(1)]));
        assert_eq!(scopes.jump(b, b), (vec![], vec![]));
    }

    /// `{ start: jump; v0; }`: at the jump nothing is alive yet, unless control comes back to the start.
    #[test]
    fn later_declarations_matter_only_with_a_way_back() {
        for comes_back in [false, true] {
            let mut scopes = Scopes::new();
            let outside = scopes.here();
            scopes.enter();
            let start = scopes.here();
            scopes.declare(v(0));
            if comes_back {
                scopes.repeat(start);
            }
            scopes.declare(v(1));
            scopes.leave();
            scopes.complete();
            let ended = if comes_back { vec![v(0)] } else { vec![] };
            assert_eq!(scopes.jump(start, outside).0, ended);
        }
    }

    #[test]
    fn overlapping_repeats_are_one() {
        let mut scopes = Scopes::new();
        let at = |time| Position { scope: scopes.current, time };
        let (one, three) = (at(1), at(3));
        for i in 0..4 {
            scopes.declare(v(i));
        }
        scopes.repeat(one);
        scopes.declare(v(4));
        scopes.declare(v(5));
        scopes.repeat(three);
        scopes.complete();
        assert_eq!([0, 1, 5, 6, 7].map(|time| scopes.horizon(time)), [0, 6, 6, 6, 7]);
    }
}
