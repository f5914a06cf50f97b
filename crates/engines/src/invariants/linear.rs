//! Sums in the program: indices of arrays and the expressions with which they are compared. Temporaries are
//! replaced by what they hold.

use std::collections::BTreeMap;
use summa_base::FxHashMap;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceKind, UnaryOp, VarId, VarKind};
use summa_cfa::{Cfa, Op};

/// A sum of variables with factors, and a constant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Linear {
    pub(super) parts: BTreeMap<VarId, i128>,
    pub(super) constant: i128,
}

impl Linear {
    /// The variable, if it is nothing else.
    pub(super) fn as_variable(&self) -> Option<VarId> {
        let mut parts = self.parts.iter();
        match (parts.next(), parts.next(), self.constant) {
            (Some((&var, 1)), None, 0) => Some(var),
            _ => None,
        }
    }
}

/// Temporaries that hold one expression whenever they hold something.
pub(super) fn saved_values(cfa: &Cfa) -> FxHashMap<VarId, ExprId> {
    let mut values: FxHashMap<VarId, Option<ExprId>> = FxHashMap::default();
    for edge in cfa.edges.values() {
        let (Op::Assign { place, .. } | Op::Zero { place } | Op::Havoc { place, .. }) = edge.op else {
            continue;
        };
        let PlaceKind::Var(var) = cfa.program.exprs.place(place).kind else { continue };
        let value = if let Op::Assign { value, .. } = edge.op { Some(value) } else { None };
        values.entry(var).and_modify(|known| *known = None).or_insert(value);
    }
    let mut saved: Vec<(VarId, Option<ExprId>)> = values.into_iter().collect();
    saved.sort_unstable_by_key(|&(var, _)| var);
    saved
        .into_iter()
        .filter(|&(var, _)| is_temporary(cfa, var))
        .filter_map(|(var, value)| Some((var, value?)))
        .collect()
}

/// The expression as a sum, if it is one; conversions are taken to keep the value.
pub(super) fn linear(cfa: &Cfa, saved: &FxHashMap<VarId, ExprId>, value: ExprId) -> Option<Linear> {
    let exprs = &cfa.program.exprs;
    let mut sum = Linear::default();
    let mut todo = vec![(value, 1i128)];
    // Sums that are longer than this are no indices.
    for _ in 0..50 {
        let Some((value, factor)) = todo.pop() else {
            sum.parts.retain(|_, factor| *factor != 0);
            return Some(sum);
        };
        match exprs.expr(value).kind {
            ExprKind::Int(number) => sum.constant = sum.constant.checked_add(number.checked_mul(factor)?)?,
            ExprKind::Cast(inner) => todo.push((inner, factor)),
            ExprKind::Unary(UnaryOp::Neg, a) => todo.push((a, factor.checked_neg()?)),
            ExprKind::Binary(BinaryOp::Add, a, b) => todo.extend([(a, factor), (b, factor)]),
            ExprKind::Binary(BinaryOp::Sub, a, b) => todo.extend([(a, factor), (b, factor.checked_neg()?)]),
            ExprKind::Binary(BinaryOp::Mul, a, b) => match (exprs.as_int(a), exprs.as_int(b)) {
                (Some(number), _) => todo.push((b, factor.checked_mul(number)?)),
                (None, Some(number)) => todo.push((a, factor.checked_mul(number)?)),
                (None, None) => return None,
            },
            ExprKind::Load(place) => {
                let PlaceKind::Var(var) = exprs.place(place).kind else { return None };
                match saved.get(&var) {
                    Some(&value) => todo.push((value, factor)),
                    None => {
                        let part = sum.parts.entry(var).or_default();
                        *part = part.checked_add(factor)?;
                    }
                }
            }
            _ => return None,
        }
    }
    None
}

pub(super) fn is_temporary(cfa: &Cfa, var: VarId) -> bool {
    matches!(cfa.program.vars[var].kind, VarKind::Temp(_))
}
