//! Watching a run edge by edge.

use crate::bytecode::{Code, VarHome, WRITTEN};
use crate::compile::{Program, StaticHome};
use crate::memory::Memory;
use crate::memory::address::function_at;
use crate::memory::object::ObjectOrigin;
use crate::scalar::Scalar;
use summa_base::Id;
use summa_c::tree::{FuncId, PlaceId, VarId};
use summa_c::types::FloatKind;
use summa_cfa::{Cfa, EdgeId};

/// Called around every edge of an observed run. An assumption is reported when it passes. `after` is not
/// called for returns and for edges that end the run; for a call it is called when the callee has returned.
pub trait Observer {
    fn before(&mut self, edge: EdgeId, view: &View<'_>);
    fn after(&mut self, edge: EdgeId, view: &View<'_>);
}

/// The value of a variable at some moment.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Int(i128),
    Float {
        bits: u128,
        kind: FloatKind,
    },
    Pointer(Pointer),
    /// A struct, union or array: its parts have values of their own.
    Aggregate,
    /// Never written.
    Uninitialised,
    /// Not alive, or not part of the current frame.
    Unknown,
}

/// The meaning of a pointer value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pointer {
    Null,
    Function(FuncId),
    /// Into (or just behind) a live object.
    Object {
        origin: ObjectOrigin,
        offset: i64,
    },
    /// Anything else: dangling, or made from a number.
    Other(u64),
}

/// The state of a run between two edges, as far as the running function sees it.
pub struct View<'v> {
    pub(crate) program: &'v Program<'v>,
    pub(crate) code: &'v Code,
    pub(crate) frame: &'v [u64],
    pub(crate) globals: &'v [u64],
    pub(crate) memory: &'v Memory,
    pub(crate) depth: usize,
}

impl View<'_> {
    /// The program that runs.
    pub fn cfa(&self) -> &Cfa {
        self.program.cfa
    }

    /// How many callers wait, the synthetic start function among them.
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// The value of a global or of a variable of the running function.
    pub fn variable(&self, var: VarId) -> Value {
        let ty = self.program.cfa.program.vars[var].ty;
        let bits = |slots: &[u64], slot: u32, scalar: Scalar| {
            let low = slots.get(slot as usize).copied().unwrap_or(0);
            let high = if scalar.is_wide() { slots.get(slot as usize + 1).copied().unwrap_or(0) } else { 0 };
            u128::from(low) | u128::from(high) << 64
        };
        match (self.program.statics[var], self.code.homes.get(&var)) {
            (Some(StaticHome::Global { slot, scalar }), _) => {
                self.value(ty, bits(self.globals, slot, scalar))
            }
            (Some(StaticHome::Object { base, .. }), _) => self.at(base, ty),
            (None, Some(&VarHome::Slot { slot, scalar, flag })) => {
                if flag.is_some_and(|flag| self.frame.get(flag as usize) != Some(&WRITTEN)) {
                    return Value::Uninitialised;
                }
                self.value(ty, bits(self.frame, slot, scalar))
            }
            (None, Some(&VarHome::Object { handle })) => match self.frame.get(handle as usize) {
                Some(&base) if base != 0 => self.at(base, ty),
                _ => Value::Unknown,
            },
            (None, None) => Value::Unknown,
        }
    }

    /// The value of a place that is a variable or a constant part of one.
    pub fn place(&self, place: PlaceId) -> Value {
        let tree = &self.program.cfa.program;
        let ty = tree.exprs.place(place).ty;
        let Some(var) = tree.exprs.root(place) else { return Value::Unknown };
        if let summa_c::tree::PlaceKind::Var(var) = tree.exprs.place(place).kind {
            return self.variable(var);
        }
        let (Some(base), Some(offset)) = (self.address(var), self.program.constant_offset(place)) else {
            return Value::Unknown;
        };
        match tree.bit_field(place) {
            Some(bits) => self.bit_field(base + offset, ty, bits.offset % 8, bits.width),
            None => self.at(base + offset, ty),
        }
    }

    /// The address of a variable that has one now.
    pub fn address(&self, var: VarId) -> Option<u64> {
        match (self.program.statics[var], self.code.homes.get(&var)) {
            (Some(StaticHome::Object { base, .. }), _) => Some(base),
            (None, Some(&VarHome::Object { handle })) => {
                self.frame.get(handle as usize).copied().filter(|&base| base != 0)
            }
            _ => None,
        }
    }

    /// The value of a type at an address.
    pub fn at(&self, address: u64, ty: summa_c::types::TypeId) -> Value {
        let types = &self.program.cfa.program.types;
        let Some(scalar) = Scalar::of(types, ty) else { return Value::Aggregate };
        let Ok(spot) = self.memory.resolve(address, address, scalar.bytes()) else { return Value::Unknown };
        let Some(raw) = self.memory.peek(spot, scalar.bytes()) else { return Value::Uninitialised };
        self.value(ty, if scalar.is_wide() { raw } else { scalar.extend(raw as u64).into() })
    }

    fn bit_field(&self, address: u64, ty: summa_c::types::TypeId, shift: u64, width: u32) -> Value {
        let bytes = (shift + u64::from(width)).div_ceil(8) as usize;
        let Ok(spot) = self.memory.resolve(address, address, bytes) else { return Value::Unknown };
        let mask = ((1u128 << width) - 1) << shift;
        let Some(raw) = self.memory.peek_bits(spot, bytes, mask).map(|raw| raw >> shift) else {
            return Value::Uninitialised;
        };
        Value::Int(summa_c::arith::wrap_to(width, self.program.cfa.program.types.is_signed(ty), raw as i128))
    }

    fn value(&self, ty: summa_c::types::TypeId, bits: u128) -> Value {
        let types = &self.program.cfa.program.types;
        if types.is_pointer(ty) {
            return Value::Pointer(self.pointer(bits as u64));
        }
        match (Scalar::of(types, ty), types.float_kind(ty)) {
            (_, Some(kind)) => Value::Float { bits, kind },
            (Some(scalar), None) => Value::Int(scalar.to_int(bits)),
            (None, None) => Value::Aggregate,
        }
    }

    /// The current meaning of a pointer value.
    pub fn pointer(&self, address: u64) -> Pointer {
        if address == 0 {
            return Pointer::Null;
        }
        if let Some(index) = function_at(address, self.program.cfa.program.functions.len()) {
            return Pointer::Function(FuncId::from_index(index));
        }
        match self.memory.owner_of(address) {
            Some(object) if address.wrapping_sub(object.base) <= object.data.len() as u64 => {
                Pointer::Object { origin: object.origin, offset: address.wrapping_sub(object.base) as i64 }
            }
            _ => Pointer::Other(address),
        }
    }

    /// Are the values of both variables pointers into (or just behind) one object?
    pub fn point_into_one_object(&self, one: VarId, other: VarId) -> bool {
        let owner = |var: VarId| {
            let address = self.raw_pointer(var)?;
            let object = self.memory.owner_of(address)?;
            (address.wrapping_sub(object.base) <= object.data.len() as u64).then_some(object.base)
        };
        let base = owner(one);
        base.is_some() && base == owner(other)
    }

    /// The address that a pointer variable holds.
    fn raw_pointer(&self, var: VarId) -> Option<u64> {
        let slots = |slots: &[u64], slot: u32| slots.get(slot as usize).copied();
        let in_memory = |base: u64| {
            let scalar = Scalar::of(&self.program.cfa.program.types, self.program.cfa.program.vars[var].ty)?;
            let spot = self.memory.resolve(base, base, scalar.bytes()).ok()?;
            Some(self.memory.peek(spot, scalar.bytes())? as u64)
        };
        match (self.program.statics[var], self.code.homes.get(&var)) {
            (Some(StaticHome::Global { slot, .. }), _) => slots(self.globals, slot),
            (None, Some(&VarHome::Slot { slot, .. })) => slots(self.frame, slot),
            (Some(StaticHome::Object { base, .. }), _) => in_memory(base),
            (None, Some(&VarHome::Object { handle })) => in_memory(slots(self.frame, handle)?),
            (None, None) => None,
        }
    }

    /// A value as a reader of C would write it.
    pub fn text(&self, value: &Value) -> String {
        let tree = &self.program.cfa.program;
        match value {
            Value::Int(value) => value.to_string(),
            Value::Float { bits, kind } => {
                let double = summa_c::float::convert(*bits, *kind, FloatKind::Double);
                format!("{:?}", f64::from_bits(double as u64))
            }
            Value::Pointer(Pointer::Null) => "NULL".into(),
            Value::Pointer(Pointer::Function(function)) => format!("&{}", tree.func_name(*function)),
            Value::Pointer(Pointer::Object { origin, offset }) => {
                let name = match origin {
                    ObjectOrigin::Variable(var) => format!("&{}", tree.var_name(*var)),
                    ObjectOrigin::Allocation(_) => "&heap object".into(),
                };
                if *offset == 0 { name } else { format!("{name} + {offset} bytes") }
            }
            Value::Pointer(Pointer::Other(address)) => format!("{address:#x}"),
            Value::Aggregate => "{…}".into(),
            Value::Uninitialised => "uninitialised".into(),
            Value::Unknown => "?".into(),
        }
    }
}
