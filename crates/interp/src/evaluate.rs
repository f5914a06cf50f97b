//! Evaluates expressions of the program in the state that an observer sees: the address of a place, and the
//! value of an expression.
//!
//! It serves explanations, so it may have no answer: floating-point arithmetic, places in variables without
//! an address, and strides of variable-length arrays. Any answer is what the run itself computes.

use crate::bytecode::{VarHome, WRITTEN};
use crate::compile::StaticHome;
use crate::observer::{Value, View};
use crate::scalar::Scalar;
use summa_c::arith;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, VarId};
use summa_c::types::TypeId;

/// Deeper expressions are not worth an explanation, and the host's stack is not for the program to use.
const MAX_DEPTH: u32 = 64;

impl View<'_> {
    /// The current address of the place; None for a variable without an address.
    pub fn address_of(&self, place: PlaceId) -> Option<u64> {
        self.locate(place, MAX_DEPTH)
    }

    /// The value of any scalar place, behind pointers and indices too.
    pub fn read(&self, place: PlaceId) -> Value {
        match self.place(place) {
            Value::Unknown if self.cfa().program.bit_field(place).is_none() => {
                let ty = self.cfa().program.exprs.place(place).ty;
                self.address_of(place).map_or(Value::Unknown, |address| self.at(address, ty))
            }
            value => value,
        }
    }

    /// The value of an expression over integers and pointers; pointers are addresses.
    pub fn evaluate(&self, expr: ExprId) -> Option<i128> {
        self.compute(expr, MAX_DEPTH)
    }

    /// First address and size of the object that the address points into or just behind.
    pub fn object_at(&self, address: u64) -> Option<(u64, u64)> {
        let object = self.memory.owner_of(address)?;
        let size = object.data.len() as u64;
        (address.wrapping_sub(object.base) <= size).then_some((object.base, size))
    }

    fn locate(&self, place: PlaceId, depth: u32) -> Option<u64> {
        let depth = depth.checked_sub(1)?;
        let tree = &self.cfa().program;
        let here = tree.exprs.place(place);
        match here.kind {
            PlaceKind::Var(var) => self.address(var),
            PlaceKind::Deref(pointer) => u64::try_from(self.compute(pointer, depth)?).ok(),
            PlaceKind::Field(base, index) => {
                let record = tree.types.record_of(tree.exprs.place(base).ty)?;
                let offset = tree.types.record(record).fields.get(index as usize)?.offset;
                Some(self.locate(base, depth)?.wrapping_add(offset))
            }
            PlaceKind::Index(base, index) => {
                let distance =
                    self.compute(index, depth)?.checked_mul(i128::from(tree.types.size_of(here.ty)?))?;
                Some(self.locate(base, depth)?.wrapping_add(distance as u64))
            }
        }
    }

    fn compute(&self, expr: ExprId, depth: u32) -> Option<i128> {
        let depth = depth.checked_sub(1)?;
        let tree = &self.cfa().program;
        let here = tree.exprs.expr(expr);
        match here.kind {
            ExprKind::Int(value) => Some(value),
            ExprKind::Float(_) | ExprKind::Function(_) => None,
            ExprKind::Load(place) => self.load(place, depth),
            ExprKind::Addr(place) => self.locate(place, depth).map(i128::from),
            ExprKind::Unary(op, operand) => {
                let (width, signed) = arith::shape(&tree.types, here.ty)?;
                wrapped(arith::unary(op, width, signed, self.compute(operand, depth)?))
            }
            ExprKind::Cast(inner) => {
                let from = tree.exprs.type_of(inner);
                if tree.types.is_float(from) || tree.types.is_float(here.ty) {
                    return None;
                }
                Some(arith::wrap(&tree.types, here.ty, self.compute(inner, depth)?))
            }
            ExprKind::Binary(op @ (BinaryOp::PtrAdd | BinaryOp::PtrSub), pointer, index) => {
                let stride = i128::from(tree.types.stride(tree.types.pointee(here.ty)?)?);
                let distance = self.compute(index, depth)?.checked_mul(stride)?;
                let pointer = self.compute(pointer, depth)?;
                let moved = if op == BinaryOp::PtrAdd {
                    pointer.checked_add(distance)
                } else {
                    pointer.checked_sub(distance)
                };
                Some(arith::wrap(&tree.types, here.ty, moved?))
            }
            ExprKind::Binary(op, left, right) => {
                let operands = tree.exprs.type_of(left);
                if tree.types.is_float(operands) || tree.types.is_pointer(operands) {
                    return None;
                }
                let (width, signed) = arith::shape(&tree.types, operands)?;
                let (left, right) = (self.compute(left, depth)?, self.compute(right, depth)?);
                wrapped(arith::binary(op, width, signed, left, right)?)
            }
        }
    }

    fn load(&self, place: PlaceId, depth: u32) -> Option<i128> {
        let tree = &self.cfa().program;
        let ty = tree.exprs.place(place).ty;
        if tree.types.is_pointer(ty) {
            return match tree.exprs.place(place).kind {
                PlaceKind::Var(var) => self.stored(var, ty),
                _ => self.stored_at(self.locate(place, depth)?, ty),
            };
        }
        let value = match self.place(place) {
            Value::Unknown if tree.bit_field(place).is_none() => self.at(self.locate(place, depth)?, ty),
            value => value,
        };
        match value {
            Value::Int(value) => Some(value),
            Value::Float { .. }
            | Value::Pointer(_)
            | Value::Aggregate
            | Value::Uninitialised
            | Value::Unknown => None,
        }
    }
    /// The address that a pointer variable holds.
    fn stored(&self, var: VarId, ty: TypeId) -> Option<i128> {
        let slot = match (self.program.statics[var], self.code.homes.get(&var)) {
            (Some(StaticHome::Global { slot, .. }), _) => self.globals.get(slot as usize),
            (None, Some(&VarHome::Slot { slot, flag, .. })) => {
                let is_written = flag.is_none_or(|flag| self.frame.get(flag as usize) == Some(&WRITTEN));
                self.frame.get(slot as usize).filter(|_| is_written)
            }
            (Some(StaticHome::Object { .. }), _) | (None, Some(&VarHome::Object { .. })) => {
                return self.stored_at(self.address(var)?, ty);
            }
            (None, None) => None,
        };
        slot.copied().map(i128::from)
    }

    /// The address that is stored at an address.
    fn stored_at(&self, address: u64, ty: TypeId) -> Option<i128> {
        let scalar = Scalar::of(&self.cfa().program.types, ty)?;
        let spot = self.memory.resolve(address, address, scalar.bytes()).ok()?;
        let bits = self.memory.peek(spot, scalar.bytes())?;
        Some(i128::from(scalar.extend(bits as u64)))
    }
}

/// The value with which the run continues: signed results wrap around.
fn wrapped(outcome: arith::Outcome) -> Option<i128> {
    match outcome {
        arith::Outcome::Exact(value) | arith::Outcome::Overflow(value) => Some(value),
        arith::Outcome::DivisionByZero | arith::Outcome::BadShift => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::{Observer, Policy, Program, Value, View, Zeros, run_observed};
    use summa_c::tree::ExprKind;
    use summa_c::types::DataModel;
    use summa_cfa::{Cfa, EdgeId, Op};

    /// The values of everything that conditions read, in order.
    struct Conditions<'a> {
        cfa: &'a Cfa,
        seen: Vec<(String, Value, Option<i128>)>,
    }

    impl Observer for Conditions<'_> {
        fn before(&mut self, edge: EdgeId, view: &View<'_>) {
            let Op::Assume { condition, .. } = self.cfa.edge(edge).op else { return };
            let program = &self.cfa.program;
            let ExprKind::Binary(_, left, _) = program.exprs.expr(condition).kind else { return };
            if let ExprKind::Load(place) = program.exprs.expr(left).kind {
                let name = summa_c::print::place(program, place);
                self.seen.push((name, view.read(place), view.evaluate(left)));
            }
        }

        fn after(&mut self, _: EdgeId, _: &View<'_>) {}
    }

    #[test]
    fn places_behind_pointers_and_indices_have_values() {
        let source = "struct s { char c; int x[3]; struct s *next; };\n\
                      int main(void) {\n  struct s a, b = {0};\n  \
                      struct s *p = &a; a.next = &b; int i = 2; int *q = b.x;\n  b.x[2] = 42; a.x[1] = 7;\n  \
                      if (p->next->x[i] == 1) return 1;\n  if (p->x[i - 1] == 1) return 1;\n  if (q[i] == 1) \
                      return 1;\n  \
                      if (*(q + 2) == 1) return 1;\n  return 0;\n}";
        let loaded =
            summa_c::load_text("test.c", source, DataModel::Lp64).unwrap_or_else(|_| panic!("not C"));
        let cfa = summa_transform::build(loaded.program, &summa_cfa::BuildOptions::default()).unwrap();
        let program = Program::new(&cfa);
        let mut conditions = Conditions { cfa: &cfa, seen: Vec::new() };
        run_observed(&program, &mut Zeros, &Policy::reachability(), &mut conditions);
        let values: Vec<i128> = conditions.seen.iter().map(|(_, _, value)| value.unwrap()).collect();
        assert_eq!(values, [42, 7, 42, 42], "{:?}", conditions.seen);
        assert!(conditions.seen.iter().all(|(_, value, number)| *value == Value::Int(number.unwrap())));
    }
}
