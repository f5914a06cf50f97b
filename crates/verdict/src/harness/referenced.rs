//! Which functions a harness must know of.

use summa_base::IdSet;
use summa_c::tree::{ExprKind, FuncId};
use summa_cfa::{Cfa, ErrorKind, Op};

/// The functions that the automata call or take the address of.
pub(super) fn referenced(cfa: &Cfa) -> IdSet<FuncId> {
    let exprs = &cfa.program.exprs;
    let addressed = exprs.ids().filter_map(|id| match exprs.expr(id).kind {
        ExprKind::Function(function) => Some(function),
        _ => None,
    });
    let called = cfa.edges.values().filter_map(|edge| match edge.op {
        Op::External { callee, .. } => Some(callee),
        Op::Error { kind: ErrorKind::Call(function) } => Some(function),
        _ => None,
    });
    addressed.chain(called).collect()
}
