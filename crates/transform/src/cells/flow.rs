//! Which elements flow into a cell. If the program has `b[i] = a[i]`, then `b[K]` holds what `a[K]` held. So
//! if `b[K]` is a cell, `a[K]` becomes one too, and then whatever flows into that, until nothing is new. A
//! property of the last array in a chain of copies is thus one of the first.
//!
//! An additional cell never does harm: the theorem of [`super`] holds for any elements at indices over chosen
//! numbers. Which of them are worth their branches is a guess: elements that are read on the straight way to
//! the write, at indices that follow from the index of the write.
//!
//! Limits: the index of a write is a variable (converted or not). What flows from an array into itself is
//! left out.

use super::arrays::{Access, ArrayId, Arrays};
use super::reads::{Read, reads_before};
use super::rewrite::Rewriting;
use summa_c::tree::{ExprId, ExprKind, PlaceKind, Program, VarId};
use summa_cfa::{Cfa, Op};

/// A write to an element, and the reads before it.
pub(super) struct Flow {
    pub(super) into: Access,
    from: Vec<Read>,
}

/// All that the program writes into arrays from other arrays.
pub(super) fn flows(cfa: &Cfa, arrays: &Arrays) -> Vec<Flow> {
    let program = &cfa.program;
    let mut found = Vec::new();
    for edge in cfa.edges.values() {
        let Op::Assign { place, .. } = edge.op else { continue };
        let Some(into) = arrays.access(program, place) else { continue };
        let mut from = reads_before(cfa, arrays, edge.from);
        from.retain(|read| read.array != into.array);
        if !from.is_empty() {
            found.push(Flow { into, from });
        }
    }
    found
}

impl Flow {
    /// The elements from which the one at these indices may come.
    pub(super) fn sources(&self, program: &mut Program, indices: &[ExprId]) -> Vec<(ArrayId, Vec<ExprId>)> {
        let mut solution: Vec<(VarId, ExprId)> = Vec::new();
        let is_solved = (self.into.indices.iter().zip(indices))
            .all(|(&index, &wanted)| solve(program, index, wanted, &mut solution));
        if !is_solved {
            return Vec::new();
        }
        let mut rewriting = Rewriting::default();
        for &(var, value) in &solution {
            let place = program.exprs.var(var, program.vars[var].ty);
            rewriting.replace(program.exprs.load(place), value);
        }
        let is_known = |var: &VarId| solution.iter().any(|(known, _)| known == var);
        let known = self.from.iter().filter(|read| read.variables.iter().all(is_known));
        let mut rewritten = |&index: &ExprId| rewriting.value(program, index, &mut |_, _| None);
        known.map(|read| (read.array, read.indices.iter().map(&mut rewritten).collect())).collect()
    }
}

/// Makes an index equal to the wanted one, by what its variable is.
fn solve(
    program: &mut Program,
    mut index: ExprId,
    mut wanted: ExprId,
    solution: &mut Vec<(VarId, ExprId)>,
) -> bool {
    loop {
        match (program.exprs.expr(index).kind, program.exprs.expr(wanted).kind) {
            _ if index == wanted => return true,
            (ExprKind::Cast(inner), ExprKind::Cast(other))
                if program.exprs.type_of(index) == program.exprs.type_of(wanted) =>
            {
                (index, wanted) = (inner, other);
            }
            (ExprKind::Cast(inner), _) => index = inner,
            (ExprKind::Load(place), _) => {
                let PlaceKind::Var(var) = program.exprs.place(place).kind else { return false };
                let ty = program.vars[var].ty;
                if program.exprs.type_of(wanted) != ty {
                    wanted = program.exprs.intern(ExprKind::Cast(wanted), ty);
                }
                let known = solution.iter().find(|(known, _)| *known == var).map(|&(_, value)| value);
                if known.is_none() {
                    solution.push((var, wanted));
                }
                return known.is_none_or(|value| value == wanted);
            }
            _ => return false,
        }
    }
}
