//! Reads of elements in the normal form ([`super::isolate`]), where each is a step of its own.

use super::arrays::{ArrayId, Arrays};
use super::rewrite::{is_plain, variables};
use summa_base::IdSet;
use summa_c::tree::{ExprId, ExprKind, PlaceKind, Program, VarId};
use summa_cfa::{Cfa, Checks, NodeId, Op};

/// How far back from a branch reads are searched for.
const BACK: usize = 100;

/// An element that is read, and the variables of its indices.
pub(super) struct Read {
    pub(super) array: ArrayId,
    pub(super) indices: Vec<ExprId>,
    pub(super) variables: Vec<VarId>,
}

impl Read {
    /// The element that an expression loads, if its indices consist of variables.
    pub(super) fn of(program: &Program, arrays: &Arrays, value: ExprId) -> Option<Self> {
        let ExprKind::Load(element) = program.exprs.expr(value).kind else { return None };
        let access = arrays.access(program, element)?;
        let mut all = Vec::new();
        for &index in &access.indices {
            for var in variables(program, index)? {
                if !all.contains(&var) {
                    all.push(var);
                }
            }
        }
        Some(Self { array: access.array, indices: access.indices, variables: all })
    }
}

/// The reads on the straight way to a node, in the order of the program; only those whose index is the same
/// when the node is reached.
pub(super) fn reads_before(cfa: &Cfa, arrays: &Arrays, mut node: NodeId) -> Vec<Read> {
    let program = &cfa.program;
    let mut written: IdSet<VarId> = IdSet::new();
    let mut reads = Vec::new();
    for _ in 0..BACK {
        let &[before] = cfa.entering(node) else { break };
        let edge = &cfa.edges[before];
        node = edge.from;
        match edge.op {
            Op::Skip | Op::Assume { .. } => {}
            Op::Declare { var } | Op::Dead { var } => {
                written.insert(var);
            }
            Op::Assign { place, .. } | Op::Zero { place } | Op::Havoc { place, .. } => {
                if arrays.access(program, place).is_none() {
                    let PlaceKind::Var(var) = program.exprs.place(place).kind else { break };
                    written.insert(var);
                }
                if let Op::Assign { value, .. } = edge.op
                    && let Some(read) = Read::of(program, arrays, value)
                    && is_same_with_other_numbers(cfa, &read)
                    && read.variables.iter().all(|&var| !written.contains(var))
                {
                    reads.push(read);
                }
            }
            // What others do to the variables is not looked at.
            Op::Call { .. } | Op::Library { .. } | Op::External { .. } => break,
            Op::Return { .. } | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => break,
        }
    }
    reads.reverse();
    reads
}

/// Where overflow is an error, no operation overflows; with other numbers than it was meant for, an index
/// could.
fn is_same_with_other_numbers(cfa: &Cfa, read: &Read) -> bool {
    cfa.checks == Checks::NONE || read.indices.iter().all(|&index| is_plain(&cfa.program, index))
}
