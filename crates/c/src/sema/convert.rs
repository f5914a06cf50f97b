//! Conversions made explicit: decay, promotions, the usual arithmetic conversions, assignment.

use super::{Lowered, Sema};
use crate::fold::{self, Constant};
use crate::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, StmtKind};
use crate::types::{ArrayLen, FunctionType, IntKind, Type, TypeId};
use summa_syntax::Span;

/// The meaning of an expression before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operand {
    /// A scalar or record value.
    Value(ExprId),
    /// An lvalue (or the array or record that a call or statement expression left in a temporary).
    Place(PlaceId),
    Function(FuncId),
    Void,
}

impl Sema<'_> {
    /// The type of an operand before decay.
    pub(crate) fn operand_type(&self, operand: Operand) -> TypeId {
        match operand {
            Operand::Value(value) => self.exprs.type_of(value),
            Operand::Place(place) => self.exprs.place(place).ty,
            Operand::Function(function) => self.functions[function].ty,
            Operand::Void => self.types.void,
        }
    }

    /// The value of an operand: arrays and functions decay to pointers, bit-fields that fit promote to `int`.
    pub(crate) fn value_of(&mut self, operand: Operand, span: Span) -> Lowered<ExprId> {
        match operand {
            Operand::Value(value) => Ok(value),
            Operand::Void => self.error(span, "this expression has no value (its type is void)"),
            // It would differ from the address of the same function under its other type.
            Operand::Function(function) if self.is_retyped(function) => {
                let name = self.text(self.functions[function].name);
                self.unsupported(span, format!("the address of `{name}`, which has several types"))
            }
            Operand::Function(function) => {
                let pointer = self.types.pointer_to(self.functions[function].ty);
                Ok(self.exprs.intern(ExprKind::Function(function), pointer))
            }
            Operand::Place(place) => match *self.types.get(self.exprs.place(place).ty) {
                Type::Array(..) => self.decay(place, span),
                // `*f` of a pointer to function: decays back to the pointer.
                Type::Function(_) => self.address_of(place, span),
                Type::Void => self.error(span, "this expression has no value (its type is void)"),
                Type::Record(record) if !self.types.record(record).is_complete => {
                    let name = self.type_name(self.exprs.place(place).ty);
                    self.error(span, format!("`{name}` is incomplete here"))
                }
                _ if self.exprs.is_volatile(&self.types, &self.vars, place) => {
                    let read = self.read_volatile(place, span);
                    Ok(self.promote_bit_field(place, read, span))
                }
                _ => Ok(self.kept(place, span)),
            },
        }
    }

    /// The value that was just stored in a place, whether it is volatile or not.
    pub(crate) fn kept(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.exprs.place(place).ty;
        let load = self.make(ExprKind::Load(place), ty, span);
        self.promote_bit_field(place, load, span)
    }

    /// The value that one read of a volatile place gives. A bit-field gives one of its width.
    fn read_volatile(&mut self, place: PlaceId, span: Span) -> ExprId {
        let ty = self.exprs.place(place).ty;
        let into = self.new_temp(ty, span);
        self.emit(span, StmtKind::ReadVolatile { into, place });
        let read = self.exprs.load(into);
        let Some(bits) = self.bit_field(place).filter(|bits| bits.width < 64) else { return read };
        let mask = self.int(ty, (1i128 << bits.width) - 1);
        let read = self.make(ExprKind::Binary(BinaryOp::And, read, mask), ty, span);
        if !self.types.is_signed(ty) {
            return read;
        }
        // The highest bit is the sign.
        let sign = self.int(ty, 1i128 << (bits.width - 1));
        let read = self.make(ExprKind::Binary(BinaryOp::Xor, read, sign), ty, span);
        self.make(ExprKind::Binary(BinaryOp::Sub, read, sign), ty, span)
    }

    /// A bit-field whose values fit into `int` has type `int` when used (6.3.1.1p2).
    fn promote_bit_field(&mut self, place: PlaceId, load: ExprId, span: Span) -> ExprId {
        let Some(bits) = self.bit_field(place) else {
            return load;
        };
        let ty = self.exprs.type_of(load);
        let signed = self.types.is_signed(ty);
        if bits.width < 32 || bits.width == 32 && signed {
            return self.cast(load, self.types.int, span);
        }
        if bits.width == 32 {
            return self.cast(load, self.types.unsigned_int, span);
        }
        // gcc computes in exactly this width (the standard leaves the promotion of such bit-fields open).
        match self.types.int_width(ty) {
            Some(whole) if bits.width < whole => {
                let width = bits.width as u8;
                let exact = self.types.int_type(IntKind::Exact { width, signed });
                self.make(ExprKind::Cast(load), exact, span)
            }
            _ => load,
        }
    }

    pub(crate) fn bit_field(&self, place: PlaceId) -> Option<crate::types::BitField> {
        let PlaceKind::Field(base, index) = self.exprs.place(place).kind else {
            return None;
        };
        let record = self.types.record_of(self.exprs.place(base).ty)?;
        self.types.record(record).fields[index as usize].bits
    }

    /// Pointer to the first element of an array.
    fn decay(&mut self, array: PlaceId, span: Span) -> Lowered<ExprId> {
        let ty = self.exprs.place(array).ty;
        let Some(element) = self.types.element(ty) else {
            return self.error(span, "this is not an array");
        };
        let pointer = self.pointer_into(array, element);
        if self.is_variably_sized(element) {
            // No `Index` over elements of variable size: the address of the whole, seen as pointer to the
            // first.
            let whole = self.address_of(array, span)?;
            return Ok(self.cast(whole, pointer, span));
        }
        let zero = self.int(self.types.ptrdiff_t, 0);
        let first = self.exprs.intern_place(PlaceKind::Index(array, zero), element);
        Ok(self.make(ExprKind::Addr(first), pointer, span))
    }

    /// The type of a pointer to (a part of) the place that has this type.
    fn pointer_into(&mut self, place: PlaceId, ty: TypeId) -> TypeId {
        let is_volatile = self.exprs.is_volatile(&self.types, &self.vars, place);
        let target = if is_volatile { self.types.volatile(ty) } else { ty };
        self.types.pointer_to(target)
    }

    /// Does the size of the type depend on a variable?
    pub(crate) fn is_variably_sized(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            Type::Array(_, ArrayLen::Variable(_)) => true,
            Type::Array(element, _) => self.is_variably_sized(element),
            _ => false,
        }
    }

    /// `&place`; `&*p` is `p`.
    pub(crate) fn address_of(&mut self, place: PlaceId, span: Span) -> Lowered<ExprId> {
        if self.bit_field(place).is_some() {
            return self.error(span, "a bit-field has no address");
        }
        let pointer = self.pointer_into(place, self.exprs.place(place).ty);
        if let PlaceKind::Deref(inner) = self.exprs.place(place).kind {
            return Ok(self.cast(inner, pointer, span));
        }
        Ok(self.make(ExprKind::Addr(place), pointer, span))
    }

    /// Conversion without any question: the identity, a folded constant, or a `Cast`.
    pub(crate) fn cast(&mut self, value: ExprId, ty: TypeId, span: Span) -> ExprId {
        let from = self.exprs.type_of(value);
        if from == ty {
            return value;
        }
        if let Some(IntKind::Exact { width, signed }) = self.types.int_kind(ty) {
            return self.cut(value, ty, (width, signed), span);
        }
        let constant = match self.exprs.expr(value).kind {
            ExprKind::Int(value) => Some(Constant::Int(value)),
            ExprKind::Float(bits) => Some(Constant::Float(bits)),
            _ => None,
        };
        match constant.and_then(|constant| fold::cast(&self.types, constant, from, ty)) {
            Some(Constant::Int(value)) => self.int(ty, value),
            Some(Constant::Float(bits)) => self.exprs.intern(ExprKind::Float(bits), ty),
            None => self.make(ExprKind::Cast(value), ty, span),
        }
    }

    /// Conversion as by assignment (6.5.16.1). Where gcc only warns, the code is accepted with a warning.
    /// Code without a meaning is an error.
    pub(crate) fn convert(&mut self, value: ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let from = self.exprs.type_of(value);
        if from == ty {
            return Ok(value);
        }
        match (self.types.get(from), self.types.get(ty)) {
            (Type::Int(_) | Type::Float(_), Type::Int(_) | Type::Float(_)) => {}
            (Type::Pointer(_), Type::Pointer(_)) => {}
            (Type::Pointer(_), Type::Int(_)) => {
                if self.types.int_kind(ty) != Some(IntKind::Bool) {
                    self.warn(span, "integer made from a pointer without a cast");
                }
            }
            (Type::Int(_), Type::Pointer(_)) => {
                if self.fold_int(value) != Some(0) {
                    self.warn(span, "pointer made from an integer without a cast");
                }
            }
            (Type::Record(_), Type::Record(_)) if self.types.compatible(from, ty) => {
                return self.as_compatible_record(value, ty, span);
            }
            _ => return self.mismatch(from, ty, span),
        }
        Ok(self.cast(value, ty, span))
    }

    pub(crate) fn mismatch<T>(&mut self, from: TypeId, to: TypeId, span: Span) -> Lowered<T> {
        let (from, to) = (self.type_name(from), self.type_name(to));
        self.error(span, format!("a value of type `{from}` cannot be converted to `{to}`"))
    }

    /// The same struct as declared in another file: read its bytes through a pointer to the wanted type.
    fn as_compatible_record(&mut self, value: ExprId, ty: TypeId, span: Span) -> Lowered<ExprId> {
        let place = match self.exprs.expr(value).kind {
            ExprKind::Load(place) => place,
            _ => return self.mismatch(self.exprs.type_of(value), ty, span),
        };
        let address = self.address_of(place, span)?;
        let pointer = self.types.pointer_to(ty);
        let address = self.cast(address, pointer, span);
        let place = self.exprs.intern_place(PlaceKind::Deref(address), ty);
        Ok(self.make(ExprKind::Load(place), ty, span))
    }

    /// Integer promotion of a value.
    pub(crate) fn promote(&mut self, value: ExprId, span: Span) -> ExprId {
        let ty = self.types.promote(self.exprs.type_of(value));
        self.cast(value, ty, span)
    }

    /// The conversion of an argument without a parameter type (6.5.2.2p6).
    pub(crate) fn default_promotion(&mut self, value: ExprId, span: Span) -> ExprId {
        let ty = self.exprs.type_of(value);
        if ty == self.types.float {
            self.cast(value, self.types.double, span)
        } else {
            self.promote(value, span)
        }
    }

    /// `value != 0` as an `int`; comparisons are taken as they are.
    pub(crate) fn truth(&mut self, value: ExprId, span: Span) -> Lowered<ExprId> {
        if let ExprKind::Binary(op, ..) = self.exprs.expr(value).kind
            && op.is_comparison()
        {
            return Ok(value);
        }
        let ty = self.exprs.type_of(value);
        let zero = self.zero(ty, span)?;
        Ok(self.make(ExprKind::Binary(BinaryOp::Ne, value, zero), self.types.int, span))
    }

    /// The zero of a scalar type.
    pub(crate) fn zero(&mut self, ty: TypeId, span: Span) -> Lowered<ExprId> {
        match *self.types.get(ty) {
            Type::Int(_) | Type::Pointer(_) => Ok(self.int(ty, 0)),
            Type::Float(kind) => {
                Ok(self.exprs.intern(ExprKind::Float(crate::float::from_int(0, false, kind)), ty))
            }
            _ => {
                let name = self.type_name(ty);
                self.error(span, format!("a scalar is needed here, not a value of type `{name}`"))
            }
        }
    }

    /// The function type of a callee of this type (function or pointer to function).
    pub(crate) fn callee_type(&self, ty: TypeId) -> Option<FunctionType> {
        self.types.function_type(ty).cloned()
    }
}
