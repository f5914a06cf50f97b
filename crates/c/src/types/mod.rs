//! C types, interned: equal types have equal ids.
//!
//! Qualifiers are facts about variables and members, not types, with one exception: what a pointer to
//! volatile points to. That type is a *twin*, which has an id of its own and is otherwise the same type
//! ([`Types::volatile`]). Only pointers lead to twins: places and values never have such a type. An enum is
//! its integer type. Sizes and alignments follow gcc on x86 for the chosen [`DataModel`].

mod basic;
mod compatible;
mod declare;

pub use basic::{FloatKind, IntKind};

use crate::tree::VarId;
use std::cmp::Ordering;
use summa_base::{FxHashMap, IdVec, Symbol, define_id};
pub use summa_syntax::DataModel;
use summa_syntax::Span;

define_id! {
    TypeId = "ty";
    RecordId = "r";
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    Void,
    Int(IntKind),
    Float(FloatKind),
    Pointer(TypeId),
    Array(TypeId, ArrayLen),
    Function(FunctionType),
    Record(RecordId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ArrayLen {
    Fixed(u64),
    /// `[]`, also of a flexible array member.
    Unknown,
    /// A variable-length array; the variable (of type `size_t`) holds the number of elements.
    Variable(VarId),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionType {
    pub result: TypeId,
    pub params: Box<[TypeId]>,
    pub is_variadic: bool,
    /// False for `()`: then `params` is empty and any arguments may be passed.
    pub is_prototype: bool,
}

/// A struct or union. Layout is known once `is_complete`.
#[derive(Clone, Debug)]
pub struct Record {
    pub tag: Option<Symbol>,
    pub is_union: bool,
    pub fields: Vec<Field>,
    pub size: u64,
    pub align: u64,
    pub is_complete: bool,
    pub span: Span,
    /// The translation unit that mentioned it first.
    pub unit: u32,
}

#[derive(Clone, Debug)]
pub struct Field {
    /// None for anonymous structs and unions, whose members are found through them.
    pub name: Option<Symbol>,
    pub ty: TypeId,
    /// In bytes from the start of the record; for a bit-field the byte that holds its first bit.
    pub offset: u64,
    /// In bytes: the offset is a multiple of this if the record has its own alignment.
    pub align: u64,
    pub bits: Option<BitField>,
    pub is_volatile: bool,
    pub is_atomic: bool,
}

/// A bit-field occupies `width` bits from `offset` on, counted from the record's first bit (little-endian).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitField {
    pub offset: u64,
    pub width: u32,
}

/// All types of a program.
#[derive(Clone, Debug)]
pub struct Types {
    pub model: DataModel,
    types: IdVec<TypeId, Type>,
    ids: FxHashMap<Type, TypeId>,
    /// The twins of types, and the types of twins.
    twins: FxHashMap<TypeId, TypeId>,
    plain: FxHashMap<TypeId, TypeId>,
    records: IdVec<RecordId, Record>,
    /// The translation unit that is being read, from 0.
    pub(crate) unit: u32,
    pub void: TypeId,
    pub void_ptr: TypeId,
    pub char_ptr: TypeId,
    pub bool: TypeId,
    pub char: TypeId,
    pub int: TypeId,
    pub unsigned_int: TypeId,
    pub long: TypeId,
    pub unsigned_long: TypeId,
    pub float: TypeId,
    pub double: TypeId,
    pub long_double: TypeId,
    /// The type of `sizeof`.
    pub size_t: TypeId,
    pub ptrdiff_t: TypeId,
}

impl Types {
    pub fn new(model: DataModel) -> Self {
        let nothing = <TypeId as summa_base::Id>::from_index(0);
        let mut types = Self {
            model,
            types: IdVec::new(),
            ids: FxHashMap::default(),
            twins: FxHashMap::default(),
            plain: FxHashMap::default(),
            records: IdVec::new(),
            unit: 0,
            void: nothing,
            void_ptr: nothing,
            char_ptr: nothing,
            bool: nothing,
            char: nothing,
            int: nothing,
            unsigned_int: nothing,
            long: nothing,
            unsigned_long: nothing,
            float: nothing,
            double: nothing,
            long_double: nothing,
            size_t: nothing,
            ptrdiff_t: nothing,
        };
        types.void = types.intern(Type::Void);
        types.void_ptr = types.pointer_to(types.void);
        types.bool = types.int_type(IntKind::Bool);
        types.char = types.int_type(IntKind::Char);
        types.char_ptr = types.pointer_to(types.char);
        types.int = types.int_type(IntKind::Int);
        types.unsigned_int = types.int_type(IntKind::UnsignedInt);
        types.long = types.int_type(IntKind::Long);
        types.unsigned_long = types.int_type(IntKind::UnsignedLong);
        types.float = types.intern(Type::Float(FloatKind::Float));
        types.double = types.intern(Type::Float(FloatKind::Double));
        types.long_double = types.intern(Type::Float(FloatKind::LongDouble));
        (types.size_t, types.ptrdiff_t) = match model {
            DataModel::Ilp32 => (types.unsigned_int, types.int),
            DataModel::Lp64 => (types.unsigned_long, types.long),
        };
        types
    }

    /// From now on plain `char` is unsigned; to be called before anything else.
    pub(crate) fn make_char_unsigned(&mut self) {
        self.char = self.int_type(IntKind::CharUnsigned);
        self.char_ptr = self.pointer_to(self.char);
    }

    pub fn intern(&mut self, ty: Type) -> TypeId {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.types.push(ty.clone());
        self.ids.insert(ty, id);
        id
    }

    pub fn int_type(&mut self, kind: IntKind) -> TypeId {
        self.intern(Type::Int(kind))
    }

    pub fn pointer_to(&mut self, target: TypeId) -> TypeId {
        self.intern(Type::Pointer(target))
    }

    /// The same type, qualified as volatile: for what pointers point to.
    pub fn volatile(&mut self, ty: TypeId) -> TypeId {
        let ty = self.plain(ty);
        if let Some(&twin) = self.twins.get(&ty) {
            return twin;
        }
        let twin = self.types.push(self.types[ty].clone());
        self.twins.insert(ty, twin);
        self.plain.insert(twin, ty);
        twin
    }

    /// The type without the qualifier.
    pub fn plain(&self, ty: TypeId) -> TypeId {
        self.plain.get(&ty).copied().unwrap_or(ty)
    }

    /// Is it a pointer to something volatile?
    pub fn points_to_volatile(&self, pointer: TypeId) -> bool {
        matches!(self.get(pointer), Type::Pointer(target) if self.plain.contains_key(target))
    }

    pub fn array_of(&mut self, element: TypeId, len: ArrayLen) -> TypeId {
        self.intern(Type::Array(element, len))
    }

    /// A new incomplete struct or union; `records` are never equal to each other.
    pub fn new_record(&mut self, tag: Option<Symbol>, is_union: bool, span: Span) -> (RecordId, TypeId) {
        let (fields, unit) = (Vec::new(), self.unit);
        let record = Record { tag, is_union, fields, size: 0, align: 1, is_complete: false, span, unit };
        let id = self.records.push(record);
        (id, self.intern(Type::Record(id)))
    }

    pub fn get(&self, id: TypeId) -> &Type {
        &self.types[id]
    }

    pub fn record(&self, id: RecordId) -> &Record {
        &self.records[id]
    }

    pub fn record_mut(&mut self, id: RecordId) -> &mut Record {
        &mut self.records[id]
    }

    pub fn records(&self) -> impl Iterator<Item = (RecordId, &Record)> {
        self.records.iter()
    }

    pub fn len(&self) -> usize {
        self.types.len()
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    // ---- questions about one type ----

    pub fn int_kind(&self, id: TypeId) -> Option<IntKind> {
        match *self.get(id) {
            Type::Int(kind) => Some(kind),
            _ => None,
        }
    }

    pub fn float_kind(&self, id: TypeId) -> Option<FloatKind> {
        match *self.get(id) {
            Type::Float(kind) => Some(kind),
            _ => None,
        }
    }

    pub fn is_integer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Int(_))
    }

    pub fn is_float(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Float(_))
    }

    pub fn is_arithmetic(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Int(_) | Type::Float(_))
    }

    pub fn is_pointer(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Pointer(_))
    }

    pub fn is_scalar(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Int(_) | Type::Float(_) | Type::Pointer(_))
    }

    pub fn is_void(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Void)
    }

    pub fn is_function(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Function(_))
    }

    pub fn is_aggregate(&self, id: TypeId) -> bool {
        matches!(self.get(id), Type::Array(..) | Type::Record(_))
    }

    /// What a pointer points to.
    pub fn pointee(&self, id: TypeId) -> Option<TypeId> {
        match *self.get(id) {
            Type::Pointer(target) => Some(self.plain(target)),
            _ => None,
        }
    }

    pub fn element(&self, id: TypeId) -> Option<TypeId> {
        match *self.get(id) {
            Type::Array(element, _) => Some(element),
            _ => None,
        }
    }

    pub fn record_of(&self, id: TypeId) -> Option<RecordId> {
        match *self.get(id) {
            Type::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The type of a function, also through a pointer to it.
    pub fn function_type(&self, id: TypeId) -> Option<&FunctionType> {
        match self.get(id) {
            Type::Function(function) => Some(function),
            Type::Pointer(target) => match self.get(*target) {
                Type::Function(function) => Some(function),
                _ => None,
            },
            _ => None,
        }
    }

    /// Width in bits of an integer or pointer type (`_Bool`: 8, though it holds only 0 and 1).
    pub fn int_width(&self, id: TypeId) -> Option<u32> {
        match *self.get(id) {
            Type::Int(kind) => Some(8 * kind.size(self.model) as u32),
            Type::Pointer(_) => Some(8 * self.model.pointer_size() as u32),
            _ => None,
        }
    }

    /// Signed integer type? Pointers are unsigned.
    pub fn is_signed(&self, id: TypeId) -> bool {
        matches!(*self.get(id), Type::Int(kind) if kind.is_signed())
    }

    /// Does a conversion between these integer types keep every value?
    pub fn keeps_values(&self, from: TypeId, to: TypeId) -> bool {
        let (Some(own), Some(other)) = (self.int_kind(from), self.int_kind(to)) else { return false };
        let (own_size, size) = (own.size(self.model), other.size(self.model));
        match (own.is_signed(), other.is_signed()) {
            _ if own == IntKind::Bool || other == IntKind::Bool => own == IntKind::Bool,
            (false, true) => own_size < size,
            (true, false) => false,
            _ => own_size <= size,
        }
    }

    /// Size in bytes; None for incomplete types, functions and variable-length arrays.
    /// `void` and functions have size 1 in GNU pointer arithmetic: see [`Types::stride`].
    pub fn size_of(&self, id: TypeId) -> Option<u64> {
        match *self.get(id) {
            Type::Void | Type::Function(_) => None,
            Type::Int(kind) => Some(kind.size(self.model)),
            Type::Float(kind) => Some(kind.size(self.model)),
            Type::Pointer(_) => Some(self.model.pointer_size()),
            Type::Array(element, ArrayLen::Fixed(n)) => self.size_of(element)?.checked_mul(n),
            Type::Array(_, ArrayLen::Unknown | ArrayLen::Variable(_)) => None,
            Type::Record(record) => {
                let record = self.record(record);
                record.is_complete.then_some(record.size)
            }
        }
    }

    /// How far a pointer to `target` moves by one: its size, or 1 for `void` and functions.
    pub fn stride(&self, target: TypeId) -> Option<u64> {
        match self.get(target) {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.size_of(target),
        }
    }

    /// Alignment in bytes as gcc lays out struct members (i386 aligns 8-byte scalars to 4 there).
    pub fn align_of(&self, id: TypeId) -> u64 {
        let most = if self.model == DataModel::Ilp32 { 4 } else { 16 };
        match *self.get(id) {
            Type::Void | Type::Function(_) => 1,
            Type::Int(kind @ (IntKind::Int128 | IntKind::UnsignedInt128)) => kind.size(self.model),
            Type::Float(FloatKind::Float128) => 16,
            Type::Int(kind) => kind.size(self.model).min(most),
            Type::Float(FloatKind::LongDouble) => most,
            Type::Float(kind) => kind.size(self.model).min(most),
            Type::Pointer(_) => self.model.pointer_size(),
            Type::Array(element, _) => self.align_of(element),
            Type::Record(record) => self.record(record).align,
        }
    }

    /// Alignment in bytes that an object of its own gets: 8-byte scalars have 8 on i386 too.
    pub fn preferred_align_of(&self, id: TypeId) -> u64 {
        match *self.get(id) {
            Type::Int(kind) => kind.size(self.model),
            Type::Float(FloatKind::Double) => 8,
            Type::Array(element, _) => self.preferred_align_of(element),
            _ => self.align_of(id),
        }
    }

    /// Integer promotion (6.3.1.1p2). Bit-fields are promoted by their width where they are read.
    pub fn promote(&mut self, id: TypeId) -> TypeId {
        match self.int_kind(id) {
            Some(kind) if kind.rank() < IntKind::Int.rank() => self.int,
            _ => id,
        }
    }

    /// The usual arithmetic conversions (6.3.1.8) for two arithmetic types: of two integers the one with more
    /// bits wins.
    pub fn usual_conversion(&mut self, a: TypeId, b: TypeId) -> TypeId {
        match (self.float_kind(a), self.float_kind(b)) {
            (Some(x), Some(y)) => return if x >= y { a } else { b },
            (Some(_), None) => return a,
            (None, Some(_)) => return b,
            (None, None) => {}
        }
        let (a, b) = (self.promote(a), self.promote(b));
        let (Some(x), Some(y)) = (self.int_kind(a), self.int_kind(b)) else {
            return a;
        };
        if x == y {
            return a;
        }
        match x.precision(self.model).cmp(&y.precision(self.model)) {
            Ordering::Greater => return a,
            Ordering::Less => return b,
            Ordering::Equal => {}
        }
        if x.is_signed() == y.is_signed() {
            return if x.rank() >= y.rank() { a } else { b };
        }
        let (signed, unsigned) = if x.is_signed() { (x, y) } else { (y, x) };
        self.int_type(if unsigned.rank() >= signed.rank() { unsigned } else { signed.to_unsigned() })
    }

    /// The fields to walk through to the member `name`, anonymous members included.
    pub fn find_field(&self, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
        let fields = &self.record(record).fields;
        if let Some(i) = fields.iter().position(|f| f.name == Some(name)) {
            return Some(vec![i as u32]);
        }
        fields.iter().enumerate().filter(|(_, f)| f.name.is_none()).find_map(|(i, f)| {
            let mut path = self.find_field(self.record_of(f.ty)?, name)?;
            path.insert(0, i as u32);
            Some(path)
        })
    }
}
