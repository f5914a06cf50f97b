//! Places: where they are, and how they are read and written.
//!
//! A pointer is kept in three parts as long as possible: the pointer from which it starts, a constant offset,
//! and one scaled index. So the machine can check the access against the object of the starting pointer.

use super::StaticHome;
use super::layout::{Compiler, Operand, Refused};
use crate::bytecode::{BitSite, Inst, LocalObject, Slot, VarHome};
use crate::scalar::Scalar;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, VarId};
use summa_c::types::{ArrayLen, BitField, Type, TypeId};

#[derive(Clone, Copy, Debug)]
pub(super) enum Storage {
    Slot {
        slot: Slot,
        flag: Option<Slot>,
        var: VarId,
    },
    Global {
        slot: u32,
    },
    /// In a static object, at a constant offset.
    Static {
        number: u32,
        base: u64,
        size: u64,
        offset: i64,
    },
    /// At `base + index * stride + offset`.
    Memory {
        base: Slot,
        index: Option<(Slot, u16)>,
        offset: i64,
    },
}

/// A size that may depend on the lengths of variable-length arrays.
#[derive(Clone, Copy, Debug)]
pub(super) enum Size {
    Const(u64),
    Slot(Slot),
}

/// The displacement that instructions add to a base address.
enum Displacement {
    Offset(i32),
    Index { index: Slot, stride: u16 },
}

impl Compiler<'_, '_> {
    /// The location of a variable; an object that may not be alive yet is begun.
    pub(super) fn var_location(&mut self, var: VarId) -> Result<Storage, Refused> {
        match self.program.statics[var] {
            Some(StaticHome::Global { slot, .. }) => return Ok(Storage::Global { slot }),
            Some(StaticHome::Object { number, base, size }) => {
                return Ok(Storage::Static { number, base, size, offset: 0 });
            }
            None => {}
        }
        match self.code.homes.get(&var) {
            Some(&VarHome::Slot { slot, flag, .. }) => Ok(Storage::Slot { slot, flag, var }),
            Some(&VarHome::Object { handle }) => {
                if !self.facts.is_certain(self.node, var) && self.checked.insert(var) {
                    let ty = self.tree.vars[var].ty;
                    let Some(size) = self.tree.types.size_of(ty) else {
                        return Err("a jump past the declaration of a variable-length array".into());
                    };
                    let local = self.local_object(var, size);
                    self.emit(Inst::Ensure { handle, local });
                }
                Ok(Storage::Memory { base: handle, index: None, offset: 0 })
            }
            None => Err(format!("the variable `{}` outside of its function", self.tree.var_name(var))),
        }
    }

    pub(super) fn local_object(&mut self, var: VarId, size: u64) -> u32 {
        self.code.locals.push(LocalObject { var, size });
        self.code.locals.len() as u32 - 1
    }

    /// The location of a place whose parts were computed before. A bit-field is at its record.
    pub(super) fn place_location(&mut self, place: PlaceId) -> Result<Storage, Refused> {
        let here = self.tree.exprs.place(place);
        match here.kind {
            PlaceKind::Var(var) => self.var_location(var),
            PlaceKind::Deref(pointer) => self.known_pointer(pointer),
            PlaceKind::Field(base, index) => {
                let location = self.known_place(base)?;
                if self.tree.bit_field(place).is_some() {
                    return Ok(location);
                }
                let types = &self.tree.types;
                let field = types
                    .record_of(self.tree.exprs.place(base).ty)
                    .and_then(|record| types.record(record).fields.get(index as usize));
                let offset =
                    field.map(|field| field.offset).ok_or("a field of something that is no record")?;
                self.moved(location, Operand::Const(1), Size::Const(offset))
            }
            PlaceKind::Index(base, index) => {
                let location = self.known_place(base)?;
                let index = self.known_value(index)?;
                let size = self.size_of(here.ty)?;
                self.moved(location, index, size)
            }
        }
    }

    /// Where a pointer points, its parts having been computed before.
    pub(super) fn pointer_location(&mut self, pointer: ExprId) -> Result<Storage, Refused> {
        let expr = self.tree.exprs.expr(pointer);
        match expr.kind {
            ExprKind::Addr(place) => {
                let location = self.known_place(place)?;
                Ok(location)
            }
            ExprKind::Binary(op @ (BinaryOp::PtrAdd | BinaryOp::PtrSub), base, index) => {
                let location = self.known_pointer(base)?;
                let mut index = self.known_value(index)?;
                if op == BinaryOp::PtrSub {
                    index = self.negated_index(index);
                }
                let target =
                    self.tree.types.pointee(expr.ty).ok_or("pointer arithmetic on something else")?;
                let stride = match self.tree.types.stride(target) {
                    Some(stride) => Size::Const(stride),
                    None => self.size_of(target)?,
                };
                self.moved(location, index, stride)
            }
            ExprKind::Cast(inner) if self.is_pointer_cast(expr.ty, inner) => self.known_pointer(inner),
            _ => {
                let value = self.known_value(pointer)?;
                Ok(Storage::Memory { base: self.slot(value), index: None, offset: 0 })
            }
        }
    }

    pub(super) fn is_pointer_cast(&self, to: TypeId, inner: ExprId) -> bool {
        self.tree.types.is_pointer(to) && self.tree.types.is_pointer(self.tree.exprs.type_of(inner))
    }

    fn negated_index(&mut self, index: Operand) -> Operand {
        match index {
            Operand::Const(value) => Operand::Const(value.wrapping_neg()),
            Operand::Slot(src) => {
                let dst = self.temp(1);
                self.emit(Inst::Neg { kind: Scalar::U64, dst, a: src });
                Operand::Slot(dst)
            }
        }
    }

    fn known_place(&mut self, place: PlaceId) -> Result<Storage, Refused> {
        self.places.get(&place).copied().ok_or_else(|| "a place before its parts".into())
    }

    fn known_pointer(&mut self, pointer: ExprId) -> Result<Storage, Refused> {
        self.pointers.get(&pointer).copied().ok_or_else(|| "a pointer before its parts".into())
    }

    /// The location `index * stride` bytes further on.
    fn moved(&mut self, location: Storage, index: Operand, stride: Size) -> Result<Storage, Refused> {
        match (index, stride) {
            (Operand::Const(index), Size::Const(stride)) => {
                let distance = (index as i64).wrapping_mul(stride as i64);
                Ok(match location {
                    Storage::Static { number, base, size, offset } => {
                        Storage::Static { number, base, size, offset: offset.wrapping_add(distance) }
                    }
                    Storage::Memory { base, index, offset } => {
                        Storage::Memory { base, index, offset: offset.wrapping_add(distance) }
                    }
                    Storage::Slot { .. } | Storage::Global { .. } if distance == 0 => location,
                    Storage::Slot { .. } | Storage::Global { .. } => {
                        return Err("a part of a variable that has no parts".into());
                    }
                })
            }
            (Operand::Slot(index), Size::Const(stride)) if stride <= u64::from(u16::MAX) => {
                self.indexed(location, index, stride as u16)
            }
            (index, stride) => {
                let (a, b) = (self.slot(index), self.size_slot(stride));
                let dst = self.temp(1);
                self.emit(Inst::MulU64 { dst, a, b });
                self.indexed(location, dst, 1)
            }
        }
    }

    fn indexed(&mut self, location: Storage, index: Slot, stride: u16) -> Result<Storage, Refused> {
        Ok(match location {
            Storage::Memory { base, index: None, offset } => {
                Storage::Memory { base, index: Some((index, stride)), offset }
            }
            Storage::Static { .. } | Storage::Memory { .. } => {
                let base = self.address(location)?;
                Storage::Memory { base: self.slot(base), index: Some((index, stride)), offset: 0 }
            }
            Storage::Slot { .. } | Storage::Global { .. } => {
                return Err("an element of a variable that has none".into());
            }
        })
    }

    /// The address of a location as a value.
    pub(super) fn address(&mut self, location: Storage) -> Result<Operand, Refused> {
        match location {
            Storage::Static { base, offset, .. } => {
                Ok(Operand::Const(self.program.memory.wrap(base.wrapping_add(offset as u64))))
            }
            Storage::Memory { base, index, offset } => {
                let mut at = base;
                if let Some((index, stride)) = index {
                    let dst = self.temp(1);
                    self.emit(Inst::AddressIndex { stride, dst, base: at, index });
                    at = dst;
                }
                Ok(Operand::Slot(self.displaced(at, offset)))
            }
            Storage::Slot { .. } | Storage::Global { .. } => {
                Err("the address of a variable that has none".into())
            }
        }
    }

    fn displaced(&mut self, base: Slot, offset: i64) -> Slot {
        if offset == 0 {
            return base;
        }
        match i32::try_from(offset) {
            Ok(offset) => {
                let dst = self.temp(1);
                self.emit(Inst::Address { dst, base, offset });
                dst
            }
            Err(_) => {
                let index = self.slot(Operand::Const(offset as u64));
                let dst = self.temp(1);
                self.emit(Inst::AddressIndex { stride: 1, dst, base, index });
                dst
            }
        }
    }

    /// Splits a memory location into the form that instructions take: base and either offset or index.
    fn reachable(&mut self, location: Storage) -> Result<(Slot, Displacement), Refused> {
        match location {
            Storage::Memory { base, index: None, offset } => match i32::try_from(offset) {
                Ok(offset) => Ok((base, Displacement::Offset(offset))),
                Err(_) => Ok((self.displaced(base, offset), Displacement::Offset(0))),
            },
            // The offset goes to the base: a member of element 0 is still inside the array's object.
            Storage::Memory { base, index: Some((index, stride)), offset } => {
                Ok((self.displaced(base, offset), Displacement::Index { index, stride }))
            }
            _ => {
                let address = self.address(location)?;
                Ok((self.slot(address), Displacement::Offset(0)))
            }
        }
    }

    // ---- reading and writing ----

    /// Reads a scalar; `dst` is where it should go, if that matters.
    pub(super) fn load(
        &mut self,
        location: Storage,
        bits: Option<BitField>,
        kind: Scalar,
        dst: Option<Slot>,
    ) -> Result<Operand, Refused> {
        if let Storage::Slot { slot, flag, var } = location {
            if let Some(flag) = flag
                && !self.facts.is_certain(self.node, var)
                && self.checked.insert(var)
            {
                self.emit(Inst::CheckWritten { kind, slot, flag });
            }
            if let Some(dst) = dst {
                self.emit(move_inst(kind, dst, slot));
            }
            return Ok(Operand::Slot(dst.unwrap_or(slot)));
        }
        let dst = match dst {
            Some(dst) => dst,
            None => self.temp(kind.slots()),
        };
        if let Some(bits) = bits {
            let (base, site) = self.bit_site(location, bits, kind)?;
            self.emit(Inst::LoadBits { dst, base, site });
            return Ok(Operand::Slot(dst));
        }
        match location {
            Storage::Global { slot } if kind.is_wide() => {
                self.emit(Inst::GetGlobalWide { dst, global: slot })
            }
            Storage::Global { slot } => self.emit(Inst::GetGlobal { dst, global: slot }),
            Storage::Static { number, size, offset, .. } if is_inside(offset, size, kind) => {
                self.emit(Inst::LoadStatic { kind, dst, object: number, at: offset as u32 });
            }
            _ => {
                let inst = match self.reachable(location)? {
                    (base, Displacement::Offset(offset)) => Inst::Load { kind, dst, base, offset },
                    (base, Displacement::Index { index, stride }) => {
                        Inst::LoadIndex { kind, stride, dst, base, index }
                    }
                };
                self.emit(inst);
            }
        }
        Ok(Operand::Slot(dst))
    }

    pub(super) fn store(
        &mut self,
        location: Storage,
        bits: Option<BitField>,
        kind: Scalar,
        value: Operand,
    ) -> Result<(), Refused> {
        if let (Storage::Slot { slot, .. }, Operand::Const(value)) = (location, value) {
            self.emit(Inst::Const { dst: slot, value });
            self.mark_written(location);
            return Ok(());
        }
        let src = self.slot(value);
        if let Some(bits) = bits {
            let (base, site) = self.bit_site(location, bits, kind)?;
            self.emit(Inst::StoreBits { src, base, site });
            return Ok(());
        }
        match location {
            Storage::Slot { slot, .. } => {
                if slot != src {
                    self.emit(move_inst(kind, slot, src));
                }
                self.mark_written(location);
            }
            Storage::Global { slot } if kind.is_wide() => {
                self.emit(Inst::SetGlobalWide { global: slot, src })
            }
            Storage::Global { slot } => self.emit(Inst::SetGlobal { global: slot, src }),
            Storage::Static { number, size, offset, .. } if is_inside(offset, size, kind) => {
                self.emit(Inst::StoreStatic { kind, src, object: number, at: offset as u32 });
            }
            _ => {
                let inst = match self.reachable(location)? {
                    (base, Displacement::Offset(offset)) => Inst::Store { kind, src, base, offset },
                    (base, Displacement::Index { index, stride }) => {
                        Inst::StoreIndex { kind, stride, src, base, index }
                    }
                };
                self.emit(inst);
            }
        }
        Ok(())
    }

    /// A variable in a slot has a value now.
    pub(super) fn mark_written(&mut self, location: Storage) {
        if let Storage::Slot { flag: Some(flag), .. } = location {
            self.emit(Inst::Const { dst: flag, value: 1 });
        }
    }

    fn bit_site(&mut self, location: Storage, bits: BitField, kind: Scalar) -> Result<(Slot, u32), Refused> {
        let address = match location {
            Storage::Memory { base, index: None, offset: 0 } => Operand::Slot(base),
            _ => self.address(location)?,
        };
        let base = self.slot(address);
        let site = BitSite {
            offset: (bits.offset / 8) as i64,
            shift: (bits.offset % 8) as u32,
            width: bits.width,
            kind,
        };
        self.code.bits.push(site);
        Ok((base, self.code.bits.len() as u32 - 1))
    }

    // ---- sizes ----

    /// The size of an object type, as steps of pointers count it; lengths of variable-length arrays are read
    /// now.
    pub(super) fn size_of(&mut self, ty: TypeId) -> Result<Size, Refused> {
        self.size_by(ty, |dst, a, b| Inst::MulU64 { dst, a, b })
    }

    /// The size of an object that begins to live now: one that no address could count must not seem small.
    pub(super) fn size_of_new(&mut self, ty: TypeId) -> Result<Size, Refused> {
        self.size_by(ty, |dst, a, b| Inst::MulSize { dst, a, b })
    }

    fn size_by(&mut self, ty: TypeId, times: fn(Slot, Slot, Slot) -> Inst) -> Result<Size, Refused> {
        if let Some(size) = self.tree.types.size_of(ty) {
            return Ok(Size::Const(size));
        }
        let (mut ty, mut lengths) = (ty, Vec::new());
        let element = loop {
            match *self.tree.types.get(ty) {
                Type::Array(element, ArrayLen::Variable(var)) => {
                    lengths.push(Operand::Slot(self.read_length(var)?));
                    ty = element;
                }
                Type::Array(element, ArrayLen::Fixed(n)) if self.tree.types.size_of(element).is_none() => {
                    lengths.push(Operand::Const(n));
                    ty = element;
                }
                _ => break self.tree.types.size_of(ty).ok_or("the size of an incomplete type")?,
            }
        };
        let mut size = self.slot(Operand::Const(element));
        for length in lengths {
            let (a, b) = (size, self.slot(length));
            size = self.temp(1);
            self.emit(times(size, a, b));
        }
        Ok(Size::Slot(size))
    }

    fn read_length(&mut self, var: VarId) -> Result<Slot, Refused> {
        let kind = Scalar::of(&self.tree.types, self.tree.vars[var].ty)
            .ok_or("an array length that is no number")?;
        let location = self.var_location(var)?;
        let value = self.load(location, None, kind, None)?;
        Ok(self.slot(value))
    }

    pub(super) fn size_slot(&mut self, size: Size) -> Slot {
        match size {
            Size::Const(size) => self.slot(Operand::Const(size)),
            Size::Slot(slot) => slot,
        }
    }
}

/// Does the whole scalar lie in the object, within reach of an instruction?
fn is_inside(offset: i64, size: u64, kind: Scalar) -> bool {
    u32::try_from(offset).is_ok_and(|at| u64::from(at) + kind.bytes() as u64 <= size)
}

pub(super) fn move_inst(kind: Scalar, dst: Slot, src: Slot) -> Inst {
    if kind.is_wide() { Inst::MovWide { dst, src } } else { Inst::Mov { dst, src } }
}
