//! Slow memory accesses: unwritten bytes, bit-fields, records, havoc, and what the library needs.

use super::{Flow, Machine};
use crate::bytecode::{BitSite, FORESEEN, InputSite, ValueShape, VarHome};
use crate::inputs::{AllocatedPart, InitialPart, InputOrigin};
use crate::memory::Spot;
use crate::memory::object::{ObjectKind, ObjectOrigin};
use crate::memory::shared::Wanted;
use crate::outcome::FaultKind;
use crate::scalar::Scalar;
use summa_c::tree::VarId;

impl Machine<'_> {
    /// Unwritten bytes are read: they get a value from the inputs and keep it.
    #[cold]
    pub(crate) fn fill_unwritten(&mut self, spot: Spot, kind: Scalar) -> Flow<()> {
        self.note(FaultKind::UninitialisedRead)?;
        let size = kind.bytes();
        let allocated = self.memory.allocated_part(spot);
        let bits = match self.memory.settle(spot, size) {
            Wanted::Nothing => return Ok(()),
            Wanted::Foreseen => {
                let bits = self.memory.object(spot).read_wide(spot.at, size);
                let bits = if kind.is_wide() { bits } else { kind.extend(bits as u64).into() };
                self.record(kind, InputOrigin::Uninitialised, bits)?;
                bits
            }
            Wanted::Input => self.input(kind, InputOrigin::Uninitialised)?,
        };
        self.recorded_from(allocated);
        self.memory.decide(spot, size, bits);
        Ok(())
    }

    /// The last input was read from there.
    fn recorded_from(&mut self, allocated: Option<AllocatedPart>) {
        if let Some(record) = self.records.last_mut() {
            record.allocated = allocated;
        }
    }

    /// `malloc` made the object at `base`, or would have made it, had it not become a variable.
    pub(crate) fn number_allocation(&mut self, base: u64) {
        if let Ok(spot) = self.memory.resolve(base, base, 0) {
            self.memory.object_mut(spot).allocation = Some(self.allocations);
        }
        self.allocations += 1;
    }

    pub(crate) fn place_to_read(&mut self, origin: u64, address: u64, size: usize) -> Flow<Spot> {
        self.memory.resolve(origin, address, size).map_err(|refusal| self.refuse(refusal))
    }

    pub(crate) fn place_to_write(&mut self, origin: u64, address: u64, size: usize) -> Flow<Spot> {
        self.memory.resolve_for_write(origin, address, size).map_err(|refusal| self.refuse(refusal))
    }

    /// Reads a scalar of any kind.
    pub(crate) fn read(&mut self, address: u64, kind: Scalar) -> Flow<u128> {
        let spot = self.place_to_read(address, address, kind.bytes())?;
        if !self.memory.object(spot).is_written(spot.at, kind.bytes()) {
            self.fill_unwritten(spot, kind)?;
        }
        let raw = self.memory.object(spot).read_wide(spot.at, kind.bytes());
        Ok(if kind.is_wide() { raw } else { kind.extend(raw as u64).into() })
    }

    pub(crate) fn write(&mut self, address: u64, kind: Scalar, bits: u128) -> Flow<()> {
        let spot = self.place_to_write(address, address, kind.bytes())?;
        self.memory.object_mut(spot).write_wide(spot.at, kind.bytes(), bits);
        Ok(())
    }

    /// The unsigned byte at an address.
    pub(crate) fn read_byte(&mut self, origin: u64, address: u64) -> Flow<u8> {
        let spot = self.place_to_read(origin, address, 1)?;
        if !self.memory.object(spot).is_written(spot.at, 1) {
            self.fill_unwritten(spot, Scalar::U8)?;
        }
        Ok(self.memory.object(spot).data[spot.at])
    }

    pub(crate) fn write_bytes(&mut self, address: u64, bytes: &[u8]) -> Flow<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let spot = self.place_to_write(address, address, bytes.len())?;
        let object = self.memory.object_mut(spot);
        object.data[spot.at..spot.at + bytes.len()].copy_from_slice(bytes);
        object.mark_written(spot.at, bytes.len());
        Ok(())
    }

    // ---- bit-fields ----

    pub(crate) fn load_bits(&mut self, base: u64, site: BitSite) -> Flow<u64> {
        let bytes = (site.shift + site.width).div_ceil(8) as usize;
        let address = self.memory.wrap(base.wrapping_add(site.offset as u64));
        let spot = self.place_to_read(base, address, bytes)?;
        let mask = field_mask(site).to_le_bytes();
        for (i, &mask) in mask.iter().enumerate().take(bytes) {
            let byte = Spot { at: spot.at + i, ..spot };
            if !self.memory.object(byte).are_bits_written(byte.at, mask) {
                self.fill_unwritten(byte, Scalar::U8)?;
            }
        }
        let raw = self.memory.object(spot).read_wide(spot.at, bytes) >> site.shift;
        let value = summa_c::arith::wrap_to(site.width, site.kind.is_signed(), raw as i128);
        Ok(value as u64)
    }

    pub(crate) fn store_bits(&mut self, base: u64, site: BitSite, value: u64) -> Flow<()> {
        let bytes = (site.shift + site.width).div_ceil(8) as usize;
        let address = self.memory.wrap(base.wrapping_add(site.offset as u64));
        let spot = self.place_to_write(base, address, bytes)?;
        let (mask, value) = (field_mask(site), u128::from(value) << site.shift);
        let object = self.memory.object_mut(spot);
        for (i, (mask, value)) in
            mask.to_le_bytes().into_iter().zip(value.to_le_bytes()).enumerate().take(bytes)
        {
            object.write_bits(spot.at + i, mask, value);
        }
        Ok(())
    }

    // ---- aggregates ----

    pub(crate) fn copy_record(&mut self, to: u64, from: u64, size: usize) -> Flow<()> {
        if size == 0 {
            return Ok(());
        }
        let source = self.place_to_read(from, from, size)?;
        let target = self.place_to_write(to, to, size)?;
        self.memory.copy(target, source, size);
        Ok(())
    }

    pub(crate) fn fill(&mut self, at: u64, byte: u8, size: usize) -> Flow<()> {
        if size == 0 {
            return Ok(());
        }
        let spot = self.place_to_write(at, at, size)?;
        let object = self.memory.object_mut(spot);
        object.data[spot.at..spot.at + size].fill(byte);
        object.mark_written(spot.at, size);
        Ok(())
    }

    pub(crate) fn keep_record(&mut self, from: u64, size: usize) -> Flow<()> {
        self.returned.data.clear();
        self.returned.holes.clear();
        if size > 0 {
            let spot = self.place_to_read(from, from, size)?;
            self.returned.holes = self.memory.holes(spot, size);
            let object = &self.memory.objects[spot.object as usize];
            self.returned.data.extend_from_slice(&object.data[spot.at..spot.at + size]);
        }
        Ok(())
    }

    pub(crate) fn take_record(&mut self, to: u64, size: usize) -> Flow<()> {
        if size == 0 {
            return Ok(());
        }
        let record = std::mem::take(&mut self.returned);
        if record.data.len() != size {
            return Err(self.unsupported("a call that expects a record of another size"));
        }
        self.write_bytes(to, &record.data)?;
        let spot = self.place_to_write(to, to, size)?;
        self.memory.fill_holes(spot, &record.holes);
        self.returned = record;
        Ok(())
    }

    pub(crate) fn havoc_memory(&mut self, at: u64, site: &InputSite) -> Flow<()> {
        let ValueShape::Record { size, .. } = site.shape else { return Ok(()) };
        if size == 0 {
            return Ok(());
        }
        self.place_to_write(at, at, size as usize)?;
        for &(offset, kind) in &site.leaves {
            let bits = self.input(kind, site.origin)?;
            self.write(at.wrapping_add(offset), kind, bits)?;
        }
        Ok(())
    }

    // ---- lifetimes ----

    pub(crate) fn allocate(&mut self, size: u64, kind: ObjectKind, zeroed: bool) -> Flow<u64> {
        let origin = ObjectOrigin::Allocation(self.edge());
        self.memory.allocate(size, kind, origin, zeroed).map_err(|refusal| self.refuse(refusal))
    }

    /// The local with this number begins to live; `old` is its handle from an earlier life.
    pub(crate) fn begin_local(&mut self, old: u64, local: u32, size: Option<u64>) -> Flow<u64> {
        if old != 0 {
            self.memory.kill(old);
        }
        let local = self.code.locals[local as usize];
        let origin = ObjectOrigin::Variable(local.var);
        let size = size.unwrap_or(local.size);
        self.memory.allocate(size, ObjectKind::Local, origin, false).map_err(|refusal| self.refuse(refusal))
    }

    /// The bytes of a new scalar are what the inputs know beforehand, and still count as unwritten.
    #[cold]
    pub(crate) fn foresee_object(&mut self, base: u64, local: u32) -> Flow<()> {
        let program = &self.program.cfa.program;
        let var = self.code.locals[local as usize].var;
        let Some(scalar) = Scalar::of(&program.types, program.vars[var].ty) else {
            return self.foresee_contents(base, var);
        };
        let Some(bits) = self.initial(var, scalar) else { return Ok(()) };
        self.foresee_part(base, scalar, bits)
    }

    /// The same for static objects that nothing initialises.
    pub(crate) fn foresee_statics(&mut self) -> Flow<()> {
        if self.foresees {
            for (var, base) in self.program.raw_statics() {
                self.foresee_contents(base, var)?;
            }
        }
        Ok(())
    }

    /// The same for all parts of a variable.
    #[cold]
    pub(crate) fn foresee_contents(&mut self, base: u64, var: VarId) -> Flow<()> {
        for InitialPart { offset, scalar, value } in self.inputs.contents(var).unwrap_or_default() {
            self.foresee_part(base.wrapping_add(offset), scalar, value.to_bits(scalar))?;
        }
        Ok(())
    }

    fn foresee_part(&mut self, at: u64, scalar: Scalar, bits: u128) -> Flow<()> {
        let spot = self.place_to_write(at, at, scalar.bytes())?;
        let object = self.memory.object_mut(spot);
        object.write_wide(spot.at, scalar.bytes(), bits);
        object.mark_unwritten(spot.at, scalar.bytes());
        object.is_foreseen = true;
        Ok(())
    }

    /// Like [`Machine::foresee_object`], for a variable in a slot.
    #[cold]
    pub(crate) fn foresee_slot(&mut self, frame: &mut [u64], local: u32) {
        let var = self.code.locals[local as usize].var;
        let Some(&VarHome::Slot { slot, scalar, flag: Some(flag) }) = self.code.homes.get(&var) else {
            return;
        };
        let Some(bits) = self.initial(var, scalar) else { return };
        frame[slot as usize] = bits as u64;
        if scalar.is_wide() {
            frame[slot as usize + 1] = (bits >> 64) as u64;
        }
        frame[flag as usize] = FORESEEN;
    }
}

/// The bits of a bit-field, from its first byte on.
fn field_mask(site: BitSite) -> u128 {
    ((1u128 << site.width) - 1) << site.shift
}
