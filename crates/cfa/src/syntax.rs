//! Where places lie and what conversions hide: questions about the text of expressions that need no analysis.

use summa_c::tree::{ExprId, ExprKind, Exprs, PlaceId, PlaceKind, VarId};

/// The object or pointer to which a place belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    Variable(VarId),
    Pointer(ExprId),
}

/// The variable that contains a place, or the pointer that leads to it. `*&x` is `x`.
pub fn base(exprs: &Exprs, mut place: PlaceId) -> Base {
    loop {
        match exprs.place(place).kind {
            PlaceKind::Var(var) => return Base::Variable(var),
            PlaceKind::Field(inner, _) | PlaceKind::Index(inner, _) => place = inner,
            PlaceKind::Deref(pointer) => match exprs.expr(pointer).kind {
                ExprKind::Addr(inner) => place = inner,
                _ => return Base::Pointer(pointer),
            },
        }
    }
}

/// The variable that the place is, whole: a write to it is strong.
pub fn whole_variable(exprs: &Exprs, mut place: PlaceId) -> Option<VarId> {
    loop {
        match exprs.place(place).kind {
            PlaceKind::Var(var) => return Some(var),
            PlaceKind::Field(..) | PlaceKind::Index(..) => return None,
            PlaceKind::Deref(pointer) => match exprs.expr(pointer).kind {
                ExprKind::Addr(inner) => place = inner,
                _ => return None,
            },
        }
    }
}

/// The expression under all conversions.
pub fn strip_casts(exprs: &Exprs, mut expr: ExprId) -> ExprId {
    while let ExprKind::Cast(inner) = exprs.expr(expr).kind {
        expr = inner;
    }
    expr
}
