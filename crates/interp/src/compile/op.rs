//! The operations of edges.

use super::StaticHome;
use super::frame;
use super::layout::{Compiler, Operand, Refused};
use super::place::{Size, Storage};
use crate::bytecode::{InputSite, Inst, LibrarySite, Slot, ValueShape, VarHome, VariadicSite};
use crate::inputs::InputOrigin;
use crate::scalar::Scalar;
use summa_c::tree::{ExprId, FuncId, PlaceId, VarId};
use summa_c::types::{ArrayLen, Type, TypeId};
use summa_cfa::{EdgeId, HavocSource, LibFn, Op};

/// More scalars than this are not taken from the inputs one by one.
const MAX_LEAVES: usize = 1 << 20;

impl Compiler<'_, '_> {
    /// Emits an edge that is not an assumption. True: the run of edges ends with it.
    pub(super) fn operation(&mut self, edge: EdgeId) -> Result<bool, Refused> {
        let cfa = self.program.cfa;
        match &cfa.edge(edge).op {
            Op::Skip => {}
            Op::Assign { place, value } => {
                self.assign(*place, *value)?;
                if let Some(&object) = cfa.promoted.get(&edge)
                    && let Some(StaticHome::Object { base, .. }) = self.program.statics[object]
                {
                    self.emit(Inst::Allocated { base });
                }
            }
            Op::Assume { .. } => return Err("an assumption without its complement".into()),
            Op::Declare { var } => self.declare(*var)?,
            Op::Dead { var } => match self.code.homes.get(var) {
                Some(&VarHome::Object { handle }) => self.emit(Inst::EndLife { handle }),
                Some(&VarHome::Slot { flag: Some(flag), .. }) => {
                    self.emit(Inst::Const { dst: flag, value: 0 })
                }
                _ => {}
            },
            Op::Zero { place } => self.zero(*place)?,
            Op::Havoc { place, source } => self.havoc(*place, *source)?,
            Op::Call { result, callee, args } => self.call(*result, *callee, args)?,
            Op::Library { result, model, callee, args } => {
                self.library(*result, Some(*model), *callee, args)?
            }
            Op::External { result, callee, args } => self.library(*result, None, *callee, args)?,
            Op::Return { value } => {
                self.give_back(cfa.nodes[cfa.edge(edge).from].function, *value)?;
                return Ok(true);
            }
            Op::Error { kind } => {
                self.emit(Inst::Error { kind: *kind });
                return Ok(true);
            }
            Op::Halt { kind } => {
                self.emit(Inst::Halt { kind: *kind });
                return Ok(true);
            }
            Op::Unsupported { what } => return Err(what.to_string()),
        }
        Ok(false)
    }

    fn assign(&mut self, place: PlaceId, value: ExprId) -> Result<(), Refused> {
        let location = self.locate(place)?;
        let ty = self.tree.exprs.place(place).ty;
        let Some(kind) = Scalar::of(&self.tree.types, ty) else {
            let value = self.value(value)?;
            let (from, to) = (self.slot(value), self.address_slot(location)?);
            let size = self.record_size(ty)?;
            self.emit(Inst::Copy { to, from, size });
            return Ok(());
        };
        if let Storage::Slot { slot, .. } = location {
            self.value_into(value, slot)?;
            self.mark_written(location);
            return Ok(());
        }
        let value = self.value(value)?;
        self.store(location, self.tree.bit_field(place), kind, value)
    }

    fn address_slot(&mut self, location: Storage) -> Result<Slot, Refused> {
        let address = self.address(location)?;
        Ok(self.slot(address))
    }

    /// The size of a record or array as instructions take it.
    fn record_size(&self, ty: TypeId) -> Result<u32, Refused> {
        let size = self.tree.types.size_of(ty).and_then(|size| u32::try_from(size).ok());
        size.ok_or_else(|| "an aggregate of unknown size or of 4 GiB and more".into())
    }

    fn declare(&mut self, var: VarId) -> Result<(), Refused> {
        match self.code.homes.get(&var).copied() {
            Some(VarHome::Object { handle }) => match self.size_of_new(self.tree.vars[var].ty)? {
                Size::Const(size) => {
                    let local = self.local_object(var, size);
                    self.emit(Inst::Begin { handle, local });
                }
                Size::Slot(size) => {
                    let local = self.local_object(var, 0);
                    self.emit(Inst::BeginSized { handle, local, size });
                }
            },
            Some(VarHome::Slot { flag: Some(flag), .. }) => {
                let local = self.local_object(var, 0);
                self.emit(Inst::BeginSlot { flag, local });
            }
            _ => {}
        }
        Ok(())
    }

    fn zero(&mut self, place: PlaceId) -> Result<(), Refused> {
        let location = self.locate(place)?;
        let ty = self.tree.exprs.place(place).ty;
        let kind = Scalar::of(&self.tree.types, ty);
        let bits = self.tree.bit_field(place);
        match (location, kind) {
            (Storage::Slot { .. } | Storage::Global { .. }, Some(kind)) => {
                let zero = self.temp(kind.slots());
                (zero..zero + kind.slots()).for_each(|dst| self.emit(Inst::Const { dst, value: 0 }));
                self.store(location, bits, kind, Operand::Slot(zero))
            }
            (_, Some(kind)) if bits.is_some() => self.store(location, bits, kind, Operand::Const(0)),
            _ => {
                let size = self.record_size(ty)?;
                let at = self.address_slot(location)?;
                self.emit(Inst::Zero { at, size });
                Ok(())
            }
        }
    }

    // ---- inputs ----

    fn havoc(&mut self, place: PlaceId, source: HavocSource) -> Result<(), Refused> {
        let location = self.locate(place)?;
        let ty = self.tree.exprs.place(place).ty;
        self.take_input(location, place, ty, InputOrigin::Havoc(source))
    }

    fn take_input(
        &mut self,
        location: Storage,
        place: PlaceId,
        ty: TypeId,
        origin: InputOrigin,
    ) -> Result<(), Refused> {
        if let Some(kind) = Scalar::of(&self.tree.types, ty) {
            let site = self.input_site(ValueShape::Scalar(kind), origin, Vec::new());
            let dst = match location {
                Storage::Slot { slot, .. } => slot,
                _ => self.temp(kind.slots()),
            };
            self.emit(Inst::Input { dst, site });
            return self.store(location, self.tree.bit_field(place), kind, Operand::Slot(dst));
        }
        if self.tree.types.size_of(ty).is_none() && origin == InputOrigin::Havoc(HavocSource::ExternalObject)
        {
            // Nothing is known about it, not even its size; accesses will report that.
            return Ok(());
        }
        let size = u64::from(self.record_size(ty)?);
        let mut leaves = Vec::new();
        self.leaves(ty, 0, &mut leaves)?;
        let shape = ValueShape::Record { size, align: self.tree.types.align_of(ty) };
        let site = self.input_site(shape, origin, leaves);
        let at = self.address_slot(location)?;
        self.emit(Inst::HavocMemory { at, site });
        Ok(())
    }

    fn input_site(&mut self, shape: ValueShape, origin: InputOrigin, leaves: Vec<(u64, Scalar)>) -> u32 {
        self.code.inputs.push(InputSite { shape, origin, leaves });
        self.code.inputs.len() as u32 - 1
    }

    /// The scalars inside an aggregate. Unions and bit-fields are taken byte by byte.
    fn leaves(&self, ty: TypeId, at: u64, out: &mut Vec<(u64, Scalar)>) -> Result<(), Refused> {
        if out.len() > MAX_LEAVES {
            return Err("an unknown value with more than a million parts".into());
        }
        let types = &self.tree.types;
        if let Some(scalar) = Scalar::of(types, ty) {
            out.push((at, scalar));
            return Ok(());
        }
        match *types.get(ty) {
            Type::Array(element, ArrayLen::Fixed(n)) => {
                let size = types.size_of(element).ok_or("an element of unknown size")?;
                if n > MAX_LEAVES as u64 {
                    return Err("an unknown value with more than a million parts".into());
                }
                (0..n).try_for_each(|i| self.leaves(element, at + i * size, out))
            }
            // A flexible array member has no elements of its own.
            Type::Array(_, ArrayLen::Unknown) => Ok(()),
            Type::Record(record) => {
                let record = types.record(record);
                if record.is_union || record.fields.iter().any(|field| field.bits.is_some()) {
                    out.extend((at..at + record.size).map(|byte| (byte, Scalar::U8)));
                    return Ok(());
                }
                record.fields.iter().try_for_each(|field| self.leaves(field.ty, at + field.offset, out))
            }
            _ => Err("an unknown value of a type without one".into()),
        }
    }

    // ---- calls ----

    /// Computes the arguments, then lays them into a new window at the end of the frame.
    fn window(&mut self, values: &[(Operand, Option<Scalar>)]) -> Slot {
        let window = self.temp(0);
        let mut next = window;
        for &(value, kind) in values {
            let slots = kind.map_or(1, Scalar::slots);
            self.reserve(next + slots);
            self.move_to(kind.unwrap_or(Scalar::U64), next, value);
            next += slots;
        }
        // The result comes back in the first slots.
        self.reserve(next.max(window + 2));
        window
    }

    fn reserve(&mut self, end: Slot) {
        self.next_temp = self.next_temp.max(end);
        self.code.frame = self.code.frame.max(end);
    }

    fn call(&mut self, result: Option<PlaceId>, callee: FuncId, args: &[ExprId]) -> Result<(), Refused> {
        let target = result.map(|place| self.locate(place)).transpose()?;
        let params = self.tree.functions[callee].params.clone();
        if args.len() < params.len() {
            return Err(format!("a call of `{}` with too few arguments", self.tree.func_name(callee)));
        }
        let mut passed = Vec::with_capacity(params.len());
        for (&arg, &param) in args.iter().zip(&params) {
            let from = Scalar::of(&self.tree.types, self.tree.exprs.type_of(arg));
            let to = Scalar::of(&self.tree.types, self.tree.vars[param].ty);
            let value = self.value(arg)?;
            passed.push(match (from, to) {
                (Some(from), Some(to)) => (self.cast(from, to, value, None), Some(to)),
                (None, None) => (value, None),
                _ => return Err("an argument that does not match its parameter".into()),
            });
        }
        let mut extra = Vec::new();
        for &arg in &args[params.len()..] {
            let value = self.value(arg)?;
            let shape = self.shape(self.tree.exprs.type_of(arg))?;
            extra.push((self.slot(value), shape));
        }
        if callee == self.program.cfa.main {
            self.emit(Inst::Freeze);
        }
        let variadic = frame::is_variadic(self.program, callee);
        let site = (variadic && !extra.is_empty()).then(|| {
            self.code.variadics.push(VariadicSite { args: extra });
            self.code.variadics.len() as u32 - 1
        });
        let args = self.window(&passed);
        if variadic {
            let dst = args + frame::param_slots(self.program, callee);
            self.reserve(dst + 1);
            self.emit(match site {
                Some(site) => Inst::Variadic { dst, site },
                None => Inst::Const { dst, value: 0 },
            });
        }
        let steps = self.take_steps();
        self.emit(Inst::Call { steps, function: summa_base::Id::index(callee) as u32, args });
        let (Some(location), Some(place)) = (target, result) else { return Ok(()) };
        let ty = self.tree.exprs.place(place).ty;
        match Scalar::of(&self.tree.types, ty) {
            Some(kind) => {
                // If the caller expects another type, the result is converted.
                let own = self.tree.functions[callee].result.map(|var| self.tree.vars[var].ty);
                let from = own.and_then(|ty| Scalar::of(&self.tree.types, ty)).unwrap_or(kind);
                let value = self.cast(from, kind, Operand::Slot(args), None);
                self.store(location, self.tree.bit_field(place), kind, value)
            }
            None => {
                let size = self.record_size(ty)?;
                let to = self.address_slot(location)?;
                self.emit(Inst::TakeRecord { to, size });
                Ok(())
            }
        }
    }

    fn shape(&self, ty: TypeId) -> Result<ValueShape, Refused> {
        match Scalar::of(&self.tree.types, ty) {
            Some(kind) => Ok(ValueShape::Scalar(kind)),
            None => {
                let size = u64::from(self.record_size(ty)?);
                Ok(ValueShape::Record { size, align: self.tree.types.align_of(ty) })
            }
        }
    }

    fn library(
        &mut self,
        result: Option<PlaceId>,
        model: Option<LibFn>,
        callee: FuncId,
        args: &[ExprId],
    ) -> Result<(), Refused> {
        let target = result.map(|place| self.locate(place)).transpose()?;
        let mut values = Vec::with_capacity(args.len());
        let mut shapes = Vec::with_capacity(args.len());
        let mut is_pointer = Vec::with_capacity(args.len());
        for &arg in args {
            let ty = self.tree.exprs.type_of(arg);
            let value = self.value(arg)?;
            values.push((value, Scalar::of(&self.tree.types, ty)));
            shapes.push(self.shape(ty)?);
            is_pointer.push(self.tree.types.is_pointer(ty));
        }
        let ty = result.map(|place| self.tree.exprs.place(place).ty);
        // `va_arg` advances by the size of its result even if the result is not used.
        let own =
            self.tree.types.function_type(self.tree.functions[callee].ty).map(|function| function.result);
        let wanted = if model == Some(LibFn::VaArg) { own } else { ty };
        let shape = wanted.map(|ty| self.shape(ty)).transpose()?;
        let window = self.window(&values);
        let site = self.code.libraries.len() as u32;
        self.code.libraries.push(LibrarySite { model, callee, args: shapes, is_pointer, result: shape });
        self.emit(match model {
            Some(_) => Inst::Library { args: window, site },
            None => Inst::External { args: window, site },
        });
        let (Some(location), Some(place), Some(ty)) = (target, result, ty) else { return Ok(()) };
        if model.is_none() {
            return self.take_input(location, place, ty, InputOrigin::External(callee));
        }
        match Scalar::of(&self.tree.types, ty) {
            Some(kind) => self.store(location, self.tree.bit_field(place), kind, Operand::Slot(window)),
            None => {
                // The library leaves the address of a record.
                let size = self.record_size(ty)?;
                let to = self.address_slot(location)?;
                self.emit(Inst::Copy { to, from: window, size });
                Ok(())
            }
        }
    }

    fn give_back(&mut self, function: FuncId, value: Option<ExprId>) -> Result<(), Refused> {
        let result = self.tree.functions[function].result;
        match (value, result) {
            (Some(value), Some(var)) => {
                let ty = self.tree.vars[var].ty;
                let Some(kind) = Scalar::of(&self.tree.types, ty) else {
                    let value = self.value(value)?;
                    let src = self.slot(value);
                    let size = self.record_size(ty)?;
                    let steps = self.take_steps();
                    self.emit(Inst::ReturnRecord { steps, src, size });
                    return Ok(());
                };
                let value = self.value(value)?;
                let src = self.slot(value);
                let steps = self.take_steps();
                self.emit(match kind.is_wide() {
                    true => Inst::ReturnWide { steps, src },
                    false => Inst::Return { steps, src },
                });
            }
            (None, Some(var)) => {
                let kind = Scalar::of(&self.tree.types, self.tree.vars[var].ty);
                let kind = kind.ok_or("the end of a function that promises a record")?;
                let steps = self.take_steps();
                self.emit(Inst::ReturnNothing { steps, kind });
            }
            (_, None) => {
                let steps = self.take_steps();
                self.emit(Inst::ReturnVoid { steps });
            }
        }
        Ok(())
    }
}
