//! Elements of arrays whose rows have a variable length. The front end computes the address of a row; here
//! the indices are recovered.
//!
//! `a[i][j]` with `int a[m][n]` is `(*(int (*)[n])((char *)&a + i * (n * sizeof(int))))[j]` in the automata.
//! This is the element `(i, j)` only if all indices are within their dimensions, including the first one.
//! Beyond them the product may wrap around to another element. Within them it cannot, because an array is not
//! larger than the address space.

use summa_c::tree::{BinaryOp, ExprId, ExprKind, Exprs, PlaceKind, Program, VarId};
use summa_c::types::{ArrayLen, Type, TypeId, Types};
use summa_cfa::syntax::strip_casts;

/// An array or a row of it that a pointer leads to.
pub(super) struct Row {
    pub(super) var: VarId,
    /// The indices of the row, outermost first; none for the array itself.
    pub(super) indices: Vec<ExprId>,
    ty: TypeId,
}

/// The row that a pointer leads to.
pub(super) fn row(program: &Program, pointer: ExprId) -> Option<Row> {
    let (exprs, types) = (&program.exprs, &program.types);
    match exprs.expr(strip_casts(exprs, pointer)).kind {
        ExprKind::Addr(place) => match exprs.place(place).kind {
            PlaceKind::Var(var) => Some(Row { var, indices: Vec::new(), ty: program.vars[var].ty }),
            _ => None,
        },
        ExprKind::Binary(BinaryOp::PtrAdd, base, offset) => {
            let outer = row(program, base)?;
            let Type::Array(inner, _) = *types.get(outer.ty) else { return None };
            let ExprKind::Binary(BinaryOp::Mul, index, size) = exprs.expr(offset).kind else { return None };
            let mut indices = outer.indices;
            indices.push(index);
            is_size(exprs, types, size, inner).then_some(Row { var: outer.var, indices, ty: inner })
        }
        _ => None,
    }
}

/// Is the expression the size of this type with a variable length?
fn is_size(exprs: &Exprs, types: &Types, size: ExprId, ty: TypeId) -> bool {
    let size = strip_casts(exprs, size);
    if let Some(constant) = types.size_of(ty) {
        return exprs.as_int(size) == Some(i128::from(constant));
    }
    let (&Type::Array(element, length), ExprKind::Binary(BinaryOp::Mul, count, of_element)) =
        (types.get(ty), exprs.expr(size).kind)
    else {
        return false;
    };
    let is_count = match (length, exprs.expr(count).kind) {
        (ArrayLen::Fixed(number), ExprKind::Int(count)) => i128::from(number) == count,
        (ArrayLen::Variable(var), ExprKind::Load(place)) => exprs.place(place).kind == PlaceKind::Var(var),
        _ => false,
    };
    is_count && is_size(exprs, types, of_element, element)
}
