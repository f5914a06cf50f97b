//! Flags: variables in which a loop notes for a later assertion that an element is wrong, as in `if (a[i] <
//! 0) fine = 0; … assert(fine);`. The elements to choose are those that were read before the note, not before
//! the assertion.
//!
//! A flag is assigned only constants. Some of them are *bad*: an execution that reads the flag while it holds
//! a bad constant is doomed. So an execution to an error either overwrites a bad constant before it is read,
//! or fails by it. In the new program a bad constant is written only if the chosen numbers equal the
//! variables that they stand for. Otherwise the flag stays as it is.
//!
//! Why that is enough: let an execution fail by a flag, and choose the numbers at its last write of this flag
//! before. At every read of any flag the new program has the same value. If the last write before the read
//! was one of a constant that is not bad, both programs have done it. If it was one of a bad constant, the
//! execution fails by it. Then it is the write for which the numbers were chosen, and both programs have done
//! it too.

use super::doom::{DEEP, doom, evaluate};
use std::collections::BTreeMap;
use summa_base::IdSet;
use summa_c::tree::{PlaceKind, VarId};
use summa_cfa::{Cfa, EdgeId, ErrorKind, NodeId, Op};
use summa_facts::effects::{Effects, Touch, touched};

/// A flag of the program.
pub(super) struct Flag {
    /// The edges that write bad constants.
    pub(super) sets: Vec<EdgeId>,
    /// The doomed branches that are taken when it holds one, with the edges behind them.
    pub(super) doomed: Vec<(EdgeId, Vec<EdgeId>)>,
}

/// What happens to a variable.
#[derive(Default)]
struct Uses {
    writes: Vec<(EdgeId, i128)>,
    reads: Vec<EdgeId>,
}

pub(super) fn flags(cfa: &Cfa, counts: &dyn Fn(ErrorKind) -> bool) -> Vec<Flag> {
    uses(cfa).into_iter().filter_map(|(var, uses)| flag(cfa, counts, var, &uses)).collect()
}

/// The variables that are assigned only constants, and that no pointer reaches.
fn uses(cfa: &Cfa) -> BTreeMap<VarId, Uses> {
    let program = &cfa.program;
    let effects = Effects::new(cfa);
    let mut all: BTreeMap<VarId, Uses> = BTreeMap::new();
    let mut others: IdSet<VarId> = IdSet::new();
    for (edge, data) in cfa.edges.iter() {
        for &effect in effects.of(edge) {
            let Some((touch, var)) = touched(&program.exprs, effect) else { continue };
            match touch {
                Touch::Read => all.entry(var).or_default().reads.push(edge),
                Touch::Write => {
                    let whole = data.op.written().map(|place| program.exprs.place(place).kind);
                    let constant = match data.op {
                        Op::Assign { value, .. } => program.exprs.as_int(value),
                        Op::Zero { .. } => Some(0),
                        _ => None,
                    };
                    match constant.filter(|_| whole == Some(PlaceKind::Var(var))) {
                        Some(constant) => all.entry(var).or_default().writes.push((edge, constant)),
                        None => {
                            others.insert(var);
                        }
                    }
                }
                Touch::Receive | Touch::Address => {
                    others.insert(var);
                }
            }
        }
    }
    all.retain(|&var, uses| {
        let variable = &program.vars[var];
        let is_plain = program.types.is_integer(variable.ty) && !variable.is_volatile;
        is_plain && !others.contains(var) && !uses.writes.is_empty() && !uses.reads.is_empty()
    });
    all
}

/// The flag that a variable is.
fn flag(cfa: &Cfa, counts: &dyn Fn(ErrorKind) -> bool, var: VarId, uses: &Uses) -> Option<Flag> {
    let is_branch = |edge: &&EdgeId| matches!(cfa.edges[**edge].op, Op::Assume { .. });
    let mut branches: Vec<NodeId> =
        uses.reads.iter().filter(is_branch).map(|&edge| cfa.edges[edge].from).collect();
    branches.sort_unstable();
    branches.dedup();
    let (mut sets, mut doomed): (Vec<EdgeId>, Vec<(EdgeId, Vec<EdgeId>)>) = (Vec::new(), Vec::new());
    for &(write, constant) in &uses.writes {
        let mut taken = Vec::new();
        for &node in &branches {
            let edge = side(cfa, node, var, constant)?;
            taken.push((edge, doom(cfa, edge, counts)));
        }
        let bad = taken.iter().filter(|(_, behind)| behind.is_some()).count();
        // It must be bad for all reads or for none.
        if bad != 0 && bad != taken.len() {
            return None;
        }
        if bad > 0 {
            sets.push(write);
            for (edge, behind) in taken {
                if doomed.iter().all(|(known, _)| *known != edge) {
                    doomed.push((edge, behind?));
                }
            }
        }
    }
    // Other reads come just after a branch that found it not to be bad.
    let is_behind_good = |&edge: &EdgeId| match *cfa.entering(cfa.edges[edge].from) {
        [before] => {
            branches.contains(&cfa.edges[before].from) && doomed.iter().all(|(edge, _)| *edge != before)
        }
        _ => false,
    };
    let mut reads = uses.reads.iter();
    let is_read_well = reads.all(|edge| is_branch(&edge) || is_behind_good(edge));
    (!sets.is_empty() && is_read_well).then_some(Flag { sets, doomed })
}

/// Where a branch leads if the variable holds a constant.
fn side(cfa: &Cfa, node: NodeId, var: VarId, constant: i128) -> Option<EdgeId> {
    let leaving = cfa.leaving(node);
    let Op::Assume { condition, .. } = cfa.edges[*leaving.first()?].op else { return None };
    let known = |read: VarId| (read == var).then_some(constant);
    let holds = evaluate(&cfa.program, condition, &known, DEEP)? != 0;
    leaving
        .iter()
        .copied()
        .find(|&edge| matches!(cfa.edges[edge].op, Op::Assume { truth, .. } if truth == holds))
}
