//! What types and constants alone say about the values of integer expressions: which checks can never fail.
//!
//! `c + 1` with a `char` stays far below the limit of `int`, `x % 10` below 10. Variables have any value of
//! their type, so the answer holds in every state. Ranges that do not fit into `i128`, and types that are no
//! integers, have no answer.

use summa_base::FxHashMap;
use summa_c::tree::{BinaryOp, Expr, ExprId, ExprKind, Program, UnaryOp};
use summa_c::types::{IntKind, Type, TypeId, Types};

/// Both ends included.
pub type Range = (i128, i128);

/// The ranges of the expressions that were asked about.
#[derive(Default)]
pub struct Ranges {
    known: FxHashMap<ExprId, Option<Range>>,
}

/// All values of an integer type.
pub(super) fn of_type(types: &Types, ty: TypeId) -> Option<Range> {
    match *types.get(ty) {
        Type::Int(IntKind::Bool) => Some((0, 1)),
        Type::Int(_) => of_width(types.int_width(ty)?, types.is_signed(ty)),
        _ => None,
    }
}

fn of_width(width: u32, signed: bool) -> Option<Range> {
    match (width, signed) {
        (1..=128, true) => Some((i128::MIN >> (128 - width), i128::MAX >> (128 - width))),
        (1..=127, false) => Some((0, (1i128 << width) - 1)),
        _ => None,
    }
}

impl Ranges {
    /// The values that the expression can have. Operands are looked at first, with a stack of our own: sums
    /// are as deep as they are long.
    pub fn of(&mut self, program: &Program, expr: ExprId) -> Option<Range> {
        let mut todo = vec![expr];
        while let Some(&id) = todo.last() {
            if self.known.contains_key(&id) {
                todo.pop();
                continue;
            }
            let operands = match program.exprs.expr(id).kind {
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => [Some(a), None],
                ExprKind::Binary(_, a, b) => [Some(a), Some(b)],
                ExprKind::Int(_)
                | ExprKind::Float(_)
                | ExprKind::Load(_)
                | ExprKind::Addr(_)
                | ExprKind::Function(_) => [None, None],
            };
            let before = todo.len();
            todo.extend(operands.into_iter().flatten().filter(|operand| !self.known.contains_key(operand)));
            if todo.len() == before {
                let range = self.compute(program, id);
                self.known.insert(id, range);
                todo.pop();
            }
        }
        self.get(expr)
    }

    fn get(&self, expr: ExprId) -> Option<Range> {
        self.known.get(&expr).copied().flatten()
    }

    /// From the ranges of the operands.
    fn compute(&self, program: &Program, id: ExprId) -> Option<Range> {
        let Expr { kind, ty } = program.exprs.expr(id);
        let all = of_type(&program.types, ty)?;
        let exact = match kind {
            ExprKind::Int(value) => Some((value, value)),
            ExprKind::Load(place) => program
                .bit_field(place)
                .filter(|_| program.types.int_kind(ty) != Some(IntKind::Bool))
                .and_then(|bits| of_width(bits.width, program.types.is_signed(ty))),
            ExprKind::Cast(a) => self.get(a).filter(|_| program.types.int_kind(ty) != Some(IntKind::Bool)),
            ExprKind::Unary(op, a) => self.get(a).and_then(|a| unary(op, a)),
            ExprKind::Binary(op, ..) if op.is_comparison() => Some((0, 1)),
            ExprKind::Binary(op, a, b) => self.get(a).zip(self.get(b)).and_then(|(a, b)| exact(op, a, b)),
            ExprKind::Float(_) | ExprKind::Addr(_) | ExprKind::Function(_) => None,
        };
        // A result that leaves the type wraps around and may be any value in it.
        Some(exact.filter(|&(low, high)| all.0 <= low && high <= all.1).unwrap_or(all))
    }
}

fn unary(op: UnaryOp, (low, high): Range) -> Option<Range> {
    match op {
        UnaryOp::Neg => Some((high.checked_neg()?, low.checked_neg()?)),
        // Of an unsigned type the result is negative here, so not in the type.
        UnaryOp::BitNot => Some((!high, !low)),
    }
}

/// The mathematical results of an operator on integers; None if they are not known or do not fit.
pub(super) fn exact(op: BinaryOp, (a, b): Range, (c, d): Range) -> Option<Range> {
    use BinaryOp::*;
    let hull = |corners: [Option<i128>; 4]| -> Option<Range> {
        let corners = corners.into_iter().collect::<Option<Vec<i128>>>()?;
        Some((*corners.iter().min()?, *corners.iter().max()?))
    };
    match op {
        Add => Some((a.checked_add(c)?, b.checked_add(d)?)),
        Sub => Some((a.checked_sub(d)?, b.checked_sub(c)?)),
        Mul => hull([a.checked_mul(c), a.checked_mul(d), b.checked_mul(c), b.checked_mul(d)]),
        Div if c > 0 || d < 0 => {
            hull([a.checked_div(c), a.checked_div(d), b.checked_div(c), b.checked_div(d)])
        }
        Rem if c > 0 || d < 0 => {
            let most = c.checked_abs()?.max(d.checked_abs()?) - 1;
            Some((a.min(0).max(-most), b.max(0).min(most)))
        }
        And if a >= 0 && c >= 0 => Some((0, b.min(d))),
        And if a >= 0 => Some((0, b)),
        And if c >= 0 => Some((0, d)),
        // No bit above the highest one of both.
        Or | Xor if a >= 0 && c >= 0 => {
            Some((0, i128::MAX >> b.max(d).max(1).leading_zeros().saturating_sub(1)))
        }
        // Every type that is shifted has at least 32 bits.
        Shr if c >= 0 && d < 32 => hull([Some(a >> c), Some(a >> d), Some(b >> c), Some(b >> d)]),
        Shl if a >= 0 && c >= 0 && d < 126 => Some((a.checked_mul(1 << c)?, b.checked_mul(1 << d)?)),
        Div | Rem | And | Or | Xor | Shl | Shr => None,
        Eq | Ne | Lt | Le | Gt | Ge => Some((0, 1)),
        PtrAdd | PtrSub | PtrDiff => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_c::arith;

    /// Every result of every pair of small numbers lies in the range.
    #[test]
    fn results_lie_in_their_ranges() {
        use BinaryOp::*;
        for op in [Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Eq, Lt] {
            for (a, b) in [(-9, -3), (-4, 5), (0, 0), (0, 7), (3, 3), (2, 12)] {
                for (c, d) in [(-6, -1), (-2, 2), (0, 3), (1, 4), (5, 5)] {
                    let Some((low, high)) = exact(op, (a, b), (c, d)) else { continue };
                    for x in a..=b {
                        for y in c..=d {
                            let result = arith::binary(op, 32, true, x, y);
                            let value = match result {
                                Some(arith::Outcome::Exact(value) | arith::Outcome::Overflow(value)) => value,
                                _ => continue,
                            };
                            assert!((low..=high).contains(&value), "{x} {op:?} {y} = {value}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn types_have_their_limits() {
        assert_eq!(of_width(32, true), Some((i128::from(i32::MIN), i128::from(i32::MAX))));
        assert_eq!(of_width(64, false), Some((0, i128::from(u64::MAX))));
        assert_eq!(of_width(128, true), Some((i128::MIN, i128::MAX)));
        assert_eq!(of_width(128, false), None);
        assert_eq!(of_width(1, true), Some((-1, 0)));
    }
}
