//! Questions about a program that the domains of relations between integers (equations, octagons) share: they
//! follow whole variables and sums.

use summa_base::IdSet;
use summa_c::tree::{ExprId, ExprKind, PlaceId, Program, VarId, VarKind};
use summa_cfa::syntax::{Base, base, whole_variable};
use summa_cfa::{Cfa, EdgeId};
use summa_facts::Analyses;
use summa_facts::effects::Effect;

/// Integer variables that only change by name: they are not volatile, and their address is never taken.
pub(crate) fn counted(cfa: &Cfa, facts: &Analyses) -> IdSet<VarId> {
    let program = &cfa.program;
    let is_counted = |var: VarId| {
        let info = &program.vars[var];
        program.types.is_integer(info.ty)
            && !info.is_volatile
            && info.kind != VarKind::Literal
            && !facts.variables.address_taken.contains(var)
    };
    program.vars.ids().filter(|&var| is_counted(var)).collect()
}

/// The variable that contains a place.
pub(crate) fn variable(program: &Program, place: PlaceId) -> Option<VarId> {
    match base(&program.exprs, place) {
        Base::Variable(var) => Some(var),
        Base::Pointer(_) => None,
    }
}

/// Is the place a variable, and not only some of its bits?
pub(crate) fn is_whole(program: &Program, place: PlaceId) -> bool {
    let var = whole_variable(&program.exprs, place);
    var.is_some_and(|var| program.exprs.place(place).ty == program.vars[var].ty)
}

/// Is it a comparison, or the conversion of one?
pub(crate) fn is_comparison(program: &Program, expr: ExprId) -> bool {
    let is_plain =
        |id: ExprId| matches!(program.exprs.expr(id).kind, ExprKind::Binary(op, ..) if op.is_comparison());
    match program.exprs.expr(expr).kind {
        ExprKind::Cast(inner) => is_plain(inner),
        _ => is_plain(expr),
    }
}

/// The variables that a call of a library function or an unknown one writes by their names. No pointer leads
/// to one that counts.
pub(crate) fn written_by_call<'a>(
    program: &'a Program,
    facts: &'a Analyses,
    edge: EdgeId,
) -> impl Iterator<Item = VarId> + 'a {
    facts.effects.of(edge).iter().filter_map(|&effect| match effect {
        Effect::Write(place) => variable(program, place),
        Effect::WriteVar(var) | Effect::Lifetime(var) => Some(var),
        _ => None,
    })
}
