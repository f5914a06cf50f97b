//! Expressions and conditions.

use crate::arithmetic::Encoding;
use crate::cells::{OBJECT, offset_shape};
use crate::encoder::Encoder;
use crate::shape::{Shape, float_sort};
use crate::state::State;
use crate::value::{Pointer, Value};
use summa_c::tree::{BinaryOp, ExprId, ExprKind, UnaryOp};
use summa_c::types::TypeId;
use summa_term::{FunctionId, Rounding, Sort, Term};

impl Encoder<'_> {
    /// The value of an expression in a state.
    pub fn value(&mut self, state: &State, id: ExprId) -> Value {
        let expr = self.cfa.program.exprs.expr(id);
        match expr.kind {
            ExprKind::Int(value) => self.constant(expr.ty, value),
            ExprKind::Float(bits) => match float_sort(&self.cfa.program.types, expr.ty) {
                Some(sort) => Value::Scalar(self.terms.float(sort, bits)),
                None => self.any(expr.ty, "a constant"),
            },
            ExprKind::Load(place) => self.load(state, place),
            ExprKind::Addr(place) => Value::Pointer(self.address(state, place)),
            ExprKind::Function(function) => {
                let number = i128::from(self.cells.function_object(function));
                Value::Pointer(Pointer { object: self.object(number), offset: self.offset(0) })
            }
            ExprKind::Unary(op, a) => self.unary(state, op, a, expr.ty),
            ExprKind::Binary(op, ..) if op.is_comparison() => {
                let holds = self.condition(state, id);
                let shape = Shape::of(&self.cfa.program.types, expr.ty).unwrap_or(Shape::signed(32));
                Value::Scalar(self.arithmetic.of_bool(&mut self.terms, shape, holds))
            }
            ExprKind::Binary(op, a, b) => self.binary(state, op, a, b, expr.ty),
            ExprKind::Cast(inner) => self.cast(state, inner, expr.ty),
        }
    }

    fn constant(&mut self, ty: TypeId, value: i128) -> Value {
        match Shape::of(&self.cfa.program.types, ty) {
            Some(shape) => Value::Scalar(self.arithmetic.constant(&mut self.terms, shape, value)),
            None => Value::Pointer(Pointer { object: self.object(0), offset: self.offset(value) }),
        }
    }

    /// The expression as a formula: is it non-zero?
    pub fn condition(&mut self, state: &State, id: ExprId) -> Term {
        let expr = self.cfa.program.exprs.expr(id);
        match expr.kind {
            ExprKind::Int(value) => self.terms.bool(value != 0),
            ExprKind::Binary(op, a, b) if op.is_comparison() => {
                let ty = self.cfa.program.exprs.type_of(a);
                let (a, b) = (self.value(state, a), self.value(state, b));
                self.compare(op, ty, &a, &b)
            }
            _ => {
                let value = self.value(state, id);
                self.is_nonzero(expr.ty, &value)
            }
        }
    }

    fn is_nonzero(&mut self, ty: TypeId, value: &Value) -> Term {
        let zero = match float_sort(&self.cfa.program.types, ty) {
            Some(sort) => Value::Scalar(self.terms.float(sort, 0)),
            None => self.constant(ty, 0),
        };
        self.compare(BinaryOp::Ne, ty, value, &zero)
    }

    fn compare(&mut self, op: BinaryOp, ty: TypeId, a: &Value, b: &Value) -> Term {
        let types = &self.cfa.program.types;
        match (a, b) {
            (Value::Scalar(a), Value::Scalar(b)) => match Shape::of(types, ty) {
                Some(shape) => self.arithmetic.compare(&mut self.terms, op, shape, *a, *b),
                None => self.compare_floats(op, *a, *b),
            },
            (Value::Pointer(a), Value::Pointer(b)) => self.compare_pointers(op, *a, *b),
            _ => {
                self.note("a comparison");
                self.fresh("any.truth", Sort::Bool)
            }
        }
    }

    fn compare_floats(&mut self, op: BinaryOp, a: Term, b: Term) -> Term {
        match op {
            BinaryOp::Eq => self.terms.float_eq(a, b),
            BinaryOp::Lt => self.terms.float_lt(a, b),
            BinaryOp::Le => self.terms.float_le(a, b),
            BinaryOp::Gt => self.terms.float_lt(b, a),
            BinaryOp::Ge => self.terms.float_le(b, a),
            _ => {
                let equal = self.terms.float_eq(a, b);
                self.terms.not(equal)
            }
        }
    }

    fn compare_pointers(&mut self, op: BinaryOp, a: Pointer, b: Pointer) -> Term {
        let (objects, offsets) = (self.terms.eq(a.object, b.object), self.terms.eq(a.offset, b.offset));
        match op {
            BinaryOp::Eq => self.terms.and2(objects, offsets),
            BinaryOp::Ne => {
                let equal = self.terms.and2(objects, offsets);
                self.terms.not(equal)
            }
            _ => {
                // Order is defined inside one object only (6.5.8).
                let shape = offset_shape(self.cfa);
                let order = self.arithmetic.compare(&mut self.terms, op, shape, a.offset, b.offset);
                if self.terms.as_bool(objects) == Some(true) {
                    return order;
                }
                self.note("the order of pointers into different objects");
                let unknown = self.fresh("any.truth", Sort::Bool);
                self.terms.ite(objects, order, unknown)
            }
        }
    }

    fn unary(&mut self, state: &State, op: UnaryOp, a: ExprId, ty: TypeId) -> Value {
        let value = self.value(state, a);
        let types = &self.cfa.program.types;
        match (value, Shape::of(types, ty), float_sort(types, ty)) {
            (Value::Scalar(a), Some(shape), _) => {
                Value::Scalar(self.arithmetic.unary(&mut self.terms, op, shape, a))
            }
            (Value::Scalar(a), _, Some(_)) => Value::Scalar(self.terms.float_neg(a)),
            _ => self.any(ty, "a unary operator"),
        }
    }

    fn binary(&mut self, state: &State, op: BinaryOp, left: ExprId, right: ExprId, ty: TypeId) -> Value {
        let program = &self.cfa.program;
        let (lt, rt) = (program.exprs.type_of(left), program.exprs.type_of(right));
        let (a, b) = (self.value(state, left), self.value(state, right));
        match (op, a, b) {
            (BinaryOp::PtrAdd | BinaryOp::PtrSub, Value::Pointer(pointer), Value::Scalar(index)) => {
                let stride =
                    program.types.pointee(lt).and_then(|target| program.types.stride(target)).unwrap_or(1);
                let distance = self.offset_scale(index, stride);
                let offset = match op {
                    BinaryOp::PtrAdd => self.offset_add(pointer.offset, distance),
                    _ => self.offset_sub(pointer.offset, distance),
                };
                Value::Pointer(Pointer { object: pointer.object, offset })
            }
            (BinaryOp::PtrDiff, Value::Pointer(a), Value::Pointer(b)) => {
                let stride =
                    program.types.pointee(lt).and_then(|target| program.types.stride(target)).unwrap_or(1);
                let bytes = self.offset_sub(a.offset, b.offset);
                let stride = self.offset(i128::from(stride));
                let shape = offset_shape(self.cfa);
                match self.arithmetic.binary(&mut self.terms, BinaryOp::Div, shape, (bytes, stride), shape) {
                    Some(result) => Value::Scalar(result),
                    None => self.any(ty, "a difference of pointers"),
                }
            }
            (_, Value::Scalar(a), Value::Scalar(b)) => {
                let amount = Shape::of(&program.types, rt).unwrap_or(Shape::signed(32));
                let result = match Shape::of(&program.types, ty) {
                    Some(shape) => self.arithmetic.binary(&mut self.terms, op, shape, (a, b), amount),
                    None => self.float_binary(op, a, b),
                };
                match result {
                    Some(result) => Value::Scalar(result),
                    None => {
                        let any =
                            self.any(ty, &format!("the operator {op:?} on values that are not constant"));
                        if let (Value::Scalar(result), Some(shape)) = (&any, Shape::of(&program.types, ty)) {
                            let fact = self.arithmetic.facts(&mut self.terms, op, shape, (a, b), *result);
                            self.assume(fact);
                        }
                        any
                    }
                }
            }
            _ => self.any(ty, "an operator on pointers"),
        }
    }

    fn float_binary(&mut self, op: BinaryOp, a: Term, b: Term) -> Option<Term> {
        Some(match op {
            BinaryOp::Add => self.terms.float_add(a, b),
            BinaryOp::Sub => self.terms.float_sub(a, b),
            BinaryOp::Mul => self.terms.float_mul(a, b),
            BinaryOp::Div => self.terms.float_div(a, b),
            _ => return None,
        })
    }

    // ---- conversions ----

    fn cast(&mut self, state: &State, inner: ExprId, to: TypeId) -> Value {
        let from = self.cfa.program.exprs.type_of(inner);
        let value = self.value(state, inner);
        self.convert(value, from, to)
    }

    /// Conversion between scalar types.
    pub(crate) fn convert(&mut self, value: Value, from: TypeId, to: TypeId) -> Value {
        let types = &self.cfa.program.types;
        if from == to || !types.is_scalar(to) {
            return value;
        }
        let (source, target) = (Shape::of(types, from), Shape::of(types, to));
        if let Some(shape) = target.filter(|shape| shape.is_bool) {
            let truth = self.is_nonzero(from, &value);
            return Value::Scalar(self.arithmetic.of_bool(&mut self.terms, shape, truth));
        }
        let (source_float, target_float) = (float_sort(types, from), float_sort(types, to));
        let result = match (&value, source, target) {
            (Value::Scalar(term), Some(source), Some(target)) => {
                Some(Value::Scalar(self.arithmetic.convert(&mut self.terms, source, target, *term)))
            }
            (Value::Pointer(_), None, None) => Some(value),
            (Value::Pointer(pointer), None, Some(target)) => {
                Some(Value::Scalar(self.number_of(*pointer, target)))
            }
            (Value::Scalar(term), Some(source), None) => match target_float {
                Some(sort) => self
                    .arithmetic
                    .to_float(&mut self.terms, Rounding::NearestEven, source, sort, *term)
                    .map(Value::Scalar),
                None => Some(Value::Pointer(self.pointer_of(*term, source))),
            },
            (Value::Scalar(term), None, Some(target)) if source_float.is_some() => {
                self.arithmetic.of_float(&mut self.terms, target, *term).map(Value::Scalar)
            }
            (Value::Scalar(term), None, None) => {
                target_float.map(|sort| Value::Scalar(self.terms.float_to_float(*term, sort)))
            }
            _ => None,
        };
        match result {
            Some(value) => value,
            None => self.any(to, "a conversion between integers and floats"),
        }
    }

    /// The address of each object, as an uninterpreted function.
    pub fn address_function(&mut self) -> FunctionId {
        let (object, offset) = (self.arithmetic.sort(OBJECT), self.arithmetic.sort(offset_shape(self.cfa)));
        self.terms.declare_function("address", vec![object], offset)
    }

    /// The number of a pointer: its object's address, which is any number, plus its offset.
    fn number_of(&mut self, pointer: Pointer, to: Shape) -> Term {
        let shape = offset_shape(self.cfa);
        let unsigned = Shape::unsigned(shape.width);
        let zero = self.object(0);
        let number = if pointer.object == zero {
            pointer.offset
        } else {
            self.note("the number of an address");
            let address = self.address_function();
            let base = self.terms.apply(address, &[pointer.object]);
            let sum = self.offset_add(base, pointer.offset);
            let none = self.terms.eq(pointer.object, zero);
            // Only null is zero, as in `pointer_of`: no pointer that the standard allows leaves its object so
            // far.
            let null = self.offset(0);
            let is_other = self.terms.ne(sum, null);
            let fact = self.terms.or2(none, is_other);
            self.assume_here(fact);
            self.terms.ite(none, pointer.offset, sum)
        };
        let number = self.arithmetic.convert(&mut self.terms, unsigned, to, number);
        // A number that lost bits is no longer the pointer. A number of a pointer without an object says
        // nothing about equal numbers.
        if to.width >= shape.width && pointer.object != zero && !self.terms.is_constant(number) {
            self.numbers.insert(number, pointer);
        }
        number
    }

    /// The pointer for a number: the pointer from which the number was made; a pointer into no object if the
    /// number is a constant; otherwise any pointer, which is null if the number is zero.
    fn pointer_of(&mut self, number: Term, from: Shape) -> Pointer {
        if let Some(&pointer) = self.numbers.get(&number) {
            return pointer;
        }
        if self.terms.is_constant(number) {
            let offset = match self.encoding {
                Encoding::Int => number,
                Encoding::BitVector => {
                    self.arithmetic.convert(&mut self.terms, from, offset_shape(self.cfa), number)
                }
            };
            return Pointer { object: self.object(0), offset };
        }
        self.note("a pointer made from a number");
        let (pointer, null) = (self.fresh_pointer(), self.null());
        let is_null = self.compare_pointers(BinaryOp::Eq, pointer, null);
        let zero = self.arithmetic.constant(&mut self.terms, from, 0);
        let is_zero = self.terms.eq(number, zero);
        let fact = self.terms.iff(is_null, is_zero);
        self.assume(fact);
        pointer
    }
}
