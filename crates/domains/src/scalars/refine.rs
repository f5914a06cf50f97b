//! Backward evaluation: what a condition that holds says about the locations in it.
//!
//! A demand on an expression becomes demands on its operands. Addition, subtraction and the like are undone
//! by their inverse (exact also where they wrap around), casts where they lose nothing, comparisons by the
//! bounds of the other side. Demands may be dropped at any time, so their number is bounded.

use super::Scalars;
use super::evaluate::Target;
use super::set::{NumberSet, Shape};
use super::store::Store;
use summa_c::tree::{BinaryOp, ExprId, ExprKind};

#[derive(Clone, Copy)]
enum Demand<V> {
    /// The value is zero, or not.
    Truth(bool),
    In(V),
}

/// Demands followed for one condition.
const MAX_DEMANDS: usize = 64;

impl<V: NumberSet> Scalars<'_, V> {
    /// Keeps the values that the condition allows; false if there are none.
    pub(super) fn assume(&self, store: &mut Store<V>, condition: ExprId, truth: bool) -> bool {
        self.demand(store, condition, Demand::Truth(truth))
    }

    /// Keeps the values for which the expression is in the set; false if there are none.
    pub(super) fn assume_in(&self, store: &mut Store<V>, expr: ExprId, set: V) -> bool {
        self.demand(store, expr, Demand::In(set))
    }

    fn demand(&self, store: &mut Store<V>, expr: ExprId, demand: Demand<V>) -> bool {
        let mut todo = vec![(expr, demand)];
        for _ in 0..MAX_DEMANDS {
            let Some((expr, demand)) = todo.pop() else { break };
            if self.follow(store, expr, demand, &mut todo).is_none() {
                return false;
            }
        }
        true
    }

    /// One demand; None if it cannot be met.
    fn follow(
        &self,
        store: &mut Store<V>,
        id: ExprId,
        demand: Demand<V>,
        todo: &mut Vec<(ExprId, Demand<V>)>,
    ) -> Option<()> {
        let expr = self.cfa.program.exprs.expr(id);
        let (Some(shape), Some(now)) = (self.shape(expr.ty), self.evaluate(store, id)) else {
            return Some(());
        };
        let set = match demand {
            Demand::Truth(true) => now.satisfying(BinaryOp::Ne, V::only(0))?,
            Demand::Truth(false) => now.meet(V::only(0))?,
            Demand::In(set) => now.meet(set)?,
        };
        match expr.kind {
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                // The value is 0 or 1, also for sets that tell neither from other numbers.
                let truth = match demand {
                    Demand::Truth(truth) => Some(truth),
                    Demand::In(_) => (set.contains(0) != set.contains(1)).then(|| set.contains(1)),
                };
                if let Some(truth) = truth {
                    self.compare(store, if truth { op } else { negated(op) }, a, b, todo)?;
                }
            }
            _ if set == now => {}
            ExprKind::Load(place) => {
                if let target @ Target::Exactly(location) = self.locate(store, place)
                    && self.candidates(&target, u64::from(shape.width / 8), Some(shape)).is_typed
                {
                    self.put(store, location, set);
                }
            }
            ExprKind::Unary(op, a) => todo.push((a, Demand::In(V::unary(op, shape, set)))),
            ExprKind::Cast(a) => self.uncast(store, a, shape, set, todo),
            ExprKind::Binary(op, a, b) => {
                let (Some(left), Some(right)) = (self.evaluate(store, a), self.evaluate(store, b)) else {
                    return Some(());
                };
                let inverse = |op, x, y| Demand::In(V::binary(op, shape, x, y));
                match op {
                    BinaryOp::Add => {
                        todo.push((a, inverse(BinaryOp::Sub, set, right)));
                        todo.push((b, inverse(BinaryOp::Sub, set, left)));
                    }
                    BinaryOp::Sub => {
                        todo.push((a, inverse(BinaryOp::Add, set, right)));
                        todo.push((b, inverse(BinaryOp::Sub, left, set)));
                    }
                    BinaryOp::Xor => {
                        todo.push((a, inverse(BinaryOp::Xor, set, right)));
                        todo.push((b, inverse(BinaryOp::Xor, set, left)));
                    }
                    _ => {
                        let operand = V::left_operand(op, shape, set, left, right);
                        todo.extend(operand.map(|operand| (a, Demand::In(operand))));
                        if matches!(op, BinaryOp::Mul | BinaryOp::And | BinaryOp::Or) {
                            let operand = V::left_operand(op, shape, set, right, left);
                            todo.extend(operand.map(|operand| (b, Demand::In(operand))));
                        }
                    }
                }
            }
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Addr(_) | ExprKind::Function(_) => {}
        }
        Some(())
    }

    /// A comparison that holds.
    fn compare(
        &self,
        store: &Store<V>,
        op: BinaryOp,
        a: ExprId,
        b: ExprId,
        todo: &mut Vec<(ExprId, Demand<V>)>,
    ) -> Option<()> {
        let program = &self.cfa.program;
        // Pointers into different objects have no order that numbers could show.
        let is_order = !matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        if is_order && program.types.is_pointer(program.exprs.type_of(a)) {
            return Some(());
        }
        let (Some(left), Some(right)) = (self.evaluate(store, a), self.evaluate(store, b)) else {
            return Some(());
        };
        let (less_left, less_right) = (left.satisfying(op, right)?, right.satisfying(swapped(op), left)?);
        for (operand, before, after) in [(a, left, less_left), (b, right, less_right)] {
            if after != before {
                todo.push((operand, Demand::In(after)));
            }
        }
        Some(())
    }

    /// A cast to `to` whose result lies in `set`.
    fn uncast(
        &self,
        store: &Store<V>,
        inner: ExprId,
        to: Shape,
        set: V,
        todo: &mut Vec<(ExprId, Demand<V>)>,
    ) {
        let Some(from) = self.shape(self.cfa.program.exprs.type_of(inner)) else { return };
        if to.is_bool {
            todo.extend(set.truth().map(|truth| (inner, Demand::Truth(truth))));
        } else if to.width >= from.width {
            // Nothing was lost: converting back gives the operand.
            todo.push((inner, Demand::In(set.cast(to, from))));
        } else if let Some(value) = self.evaluate(store, inner) {
            let (low, high) = value.bounds(from);
            if to.contains(low) && to.contains(high) {
                todo.push((inner, Demand::In(set)));
            }
        }
    }
}

pub fn negated(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Eq => Ne,
        Ne => Eq,
        Lt => Ge,
        Ge => Lt,
        Gt => Le,
        Le => Gt,
        other => other,
    }
}

/// The comparison with its sides exchanged.
pub fn swapped(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Lt => Gt,
        Gt => Lt,
        Le => Ge,
        Ge => Le,
        other => other,
    }
}
