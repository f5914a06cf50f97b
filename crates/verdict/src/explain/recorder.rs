//! Watches an execution and records its dependences.
//!
//! For every variable and every word of memory, it knows which step wrote it last. Memory is seen in words of
//! four bytes; a smaller write keeps the earlier write as a dependence. A library function counts as
//! accessing everything from its argument to the end of the object.

use super::control::{PostDominators, Regions};
use super::dependence::{Dependence, NONE, Part, Record};
use std::collections::VecDeque;
use summa_base::{FxHashMap, Id};
use summa_c::tree::{ExprId, FuncId, PlaceId, VarId};
use summa_cfa::syntax::{self, Base};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_facts::effects::{self, Effect, Effects};
use summa_interp::{InputRecord, Observer, View};

/// Ranges longer than this are kept as such, not word by word.
const LONG_RANGE: u64 = 256;
const MAX_RANGES: usize = 64;
/// The most bytes that count of a range that a library function reads.
const READ_RANGE: u64 = 256;
const WORD: u64 = 4;

/// A call that has not returned.
#[derive(Debug, Default)]
struct Frame {
    /// The last writer of each variable, by its number in its function.
    writers: Vec<Record>,
    regions: Regions,
    /// The call, on which everything in the function depends.
    call: Option<Record>,
    /// Set while parameters with an address have no writer yet.
    entered: Option<FuncId>,
}

/// The last writer of each word of memory.
#[derive(Debug, Default)]
struct Memory {
    words: FxHashMap<u64, Record>,
    /// Long ranges, newest last.
    ranges: VecDeque<(u64, u64, Record)>,
}

impl Memory {
    fn writer(&self, address: u64) -> Option<Record> {
        let word = self.words.get(&(address / WORD)).copied();
        let newer =
            |range: &&(u64, u64, Record)| range.0 <= address && address < range.1 && Some(range.2) > word;
        self.ranges.iter().rev().find(newer).map(|range| range.2).or(word)
    }

    fn read(&self, address: u64, size: u64, found: &mut Vec<Record>) {
        let mut at = address;
        while at < address.saturating_add(size.min(READ_RANGE)) {
            found.extend(self.writer(at));
            at = (at / WORD + 1) * WORD;
        }
    }

    fn write(&mut self, address: u64, size: u64, record: Record) {
        let end = address.saturating_add(size);
        if size > LONG_RANGE {
            if self.ranges.len() == MAX_RANGES {
                self.ranges.pop_front();
            }
            self.ranges.push_back((address, end, record));
            return;
        }
        for word in address / WORD..end.div_ceil(WORD) {
            self.words.insert(word, record);
        }
    }

    /// The object is new: it was never written.
    fn clear(&mut self, address: u64, size: u64) {
        for word in address / WORD..address.saturating_add(size.min(READ_RANGE)).div_ceil(WORD) {
            self.words.remove(&word);
        }
    }
}

/// Writes down the dependences of an execution.
pub(crate) struct Recorder<'a> {
    cfa: &'a Cfa,
    effects: Effects,
    dominators: PostDominators,
    /// The number of each variable in its function.
    numbers: Vec<u32>,
    inputs: &'a [InputRecord],
    next_input: usize,
    globals: Vec<Record>,
    frames: Vec<Frame>,
    memory: Memory,
    reads: Vec<Record>,
    pub(crate) dependence: Dependence,
}

impl<'a> Recorder<'a> {
    pub(crate) fn new(cfa: &'a Cfa, inputs: &'a [InputRecord]) -> Self {
        let mut count: FxHashMap<FuncId, u32> = FxHashMap::default();
        let numbers = cfa.program.vars.values().map(|var| match var.kind.frame() {
            Some(function) => {
                let next = count.entry(function).or_default();
                *next += 1;
                *next - 1
            }
            None => 0,
        });
        Self {
            numbers: numbers.collect(),
            effects: Effects::new(cfa),
            dominators: PostDominators::new(cfa),
            globals: vec![NONE; cfa.program.vars.len()],
            frames: vec![Frame::default()],
            memory: Memory::default(),
            reads: Vec::new(),
            dependence: Dependence::default(),
            next_input: 0,
            cfa,
            inputs,
        }
    }

    fn slot(&mut self, var: VarId, depth: usize) -> Option<&mut Record> {
        if self.cfa.program.vars[var].kind.is_static() {
            return self.globals.get_mut(var.index());
        }
        let number = self.numbers.get(var.index()).copied()? as usize;
        let writers = &mut self.frames.get_mut(depth)?.writers;
        if writers.len() <= number {
            writers.resize(number + 1, NONE);
        }
        writers.get_mut(number)
    }

    fn read_variable(&mut self, var: VarId, view: &View<'_>) {
        if let Some(address) = view.address(var) {
            let size = self.cfa.program.types.size_of(self.cfa.program.vars[var].ty).unwrap_or(1);
            let before = self.reads.len();
            self.memory.read(address, size, &mut self.reads);
            if self.reads.len() > before {
                return;
            }
        }
        let writer = self.slot(var, view.depth()).map_or(NONE, |writer| *writer);
        self.reads.extend((writer != NONE).then_some(writer));
    }

    fn write_variable(&mut self, var: VarId, record: Record, view: &View<'_>) {
        if let Some(address) = view.address(var) {
            let size = self.cfa.program.types.size_of(self.cfa.program.vars[var].ty).unwrap_or(1);
            self.memory.write(address, size, record);
        } else if let Some(writer) = self.slot(var, view.depth()) {
            *writer = record;
        }
    }

    fn read_place(&mut self, place: PlaceId, view: &View<'_>) {
        let exprs = &self.cfa.program.exprs;
        match (syntax::whole_variable(exprs, place), syntax::base(exprs, place)) {
            (Some(var), _) => self.read_variable(var, view),
            (None, base) => match (view.address_of(place), base) {
                (Some(address), _) => self.memory.read(address, self.size(place), &mut self.reads),
                (None, Base::Variable(var)) => self.read_variable(var, view),
                (None, Base::Pointer(_)) => {}
            },
        }
    }

    /// Does a write of this place leave something of the words that it touches?
    fn is_partial(&self, place: PlaceId, address: u64) -> bool {
        !address.is_multiple_of(WORD)
            || !self.size(place).is_multiple_of(WORD)
            || self.cfa.program.bit_field(place).is_some()
    }

    fn size(&self, place: PlaceId) -> u64 {
        self.cfa.program.types.size_of(self.cfa.program.exprs.place(place).ty).unwrap_or(1)
    }

    /// From the pointer to the end of its object.
    fn range(&self, pointer: ExprId, view: &View<'_>) -> Option<(u64, u64)> {
        let program = &self.cfa.program;
        let inner = syntax::strip_casts(&program.exprs, pointer);
        if !program.types.is_pointer(program.exprs.type_of(inner)) {
            return None;
        }
        let address = u64::try_from(view.evaluate(pointer)?).ok()?;
        let (base, size) = view.object_at(address)?;
        Some((address, base + size - address))
    }

    fn read_value(&mut self, value: ExprId, view: &View<'_>) {
        let mut places = Vec::new();
        effects::of_value(&self.cfa.program, value, |effect| {
            if let Effect::Read(place) = effect {
                places.push(place);
            }
        });
        places.into_iter().for_each(|place| self.read_place(place, view));
    }

    /// The reads of an edge that is no call. If a word is written in part, its old contents count as read.
    fn gather(&mut self, edge: EdgeId, view: &View<'_>) {
        for index in 0..self.effects.of(edge).len() {
            match self.effects.of(edge)[index] {
                Effect::Read(place) => self.read_place(place, view),
                Effect::ReadVar(var) => self.read_variable(var, view),
                Effect::ReadMemory(pointer) | Effect::ReadVariadic(pointer) | Effect::Escape(pointer) => {
                    if let Some((address, size)) = self.range(pointer, view) {
                        self.memory.read(address, size, &mut self.reads);
                    }
                }
                Effect::WriteMemory(pointer) => {
                    if let Some((address, _)) = self.range(pointer, view) {
                        self.reads.extend(self.memory.writer(address));
                    }
                }
                Effect::Write(place) => {
                    if syntax::whole_variable(&self.cfa.program.exprs, place).is_none() {
                        match view.address_of(place) {
                            Some(address) if self.is_partial(place, address) => {
                                self.memory.read(address, self.size(place), &mut self.reads);
                            }
                            Some(_) => {}
                            None => self.read_place(place, view),
                        }
                    }
                }
                Effect::Deref(_)
                | Effect::Partial(_)
                | Effect::Address(_)
                | Effect::Call(_)
                | Effect::Allocate
                | Effect::WriteVar(_)
                | Effect::Lifetime(_) => {}
            }
        }
    }

    /// The writes of an edge that is no call.
    fn scatter(&mut self, edge: EdgeId, record: Record, view: &View<'_>) {
        for index in 0..self.effects.of(edge).len() {
            match self.effects.of(edge)[index] {
                Effect::Write(place) => self.write_place(place, record, view),
                Effect::WriteVar(var) => self.write_variable(var, record, view),
                Effect::WriteMemory(pointer) | Effect::Escape(pointer) => {
                    if let Some((address, size)) = self.range(pointer, view) {
                        self.memory.write(address, size, record);
                    }
                }
                Effect::Read(_)
                | Effect::ReadVar(_)
                | Effect::Deref(_)
                | Effect::Partial(_)
                | Effect::Address(_)
                | Effect::ReadMemory(_)
                | Effect::ReadVariadic(_)
                | Effect::Call(_)
                | Effect::Allocate
                | Effect::Lifetime(_) => {}
            }
        }
    }

    fn write_place(&mut self, place: PlaceId, record: Record, view: &View<'_>) {
        let exprs = &self.cfa.program.exprs;
        match (syntax::whole_variable(exprs, place), syntax::base(exprs, place)) {
            (Some(var), _) => self.write_variable(var, record, view),
            (None, base) => match (view.address_of(place), base) {
                (Some(address), _) => self.memory.write(address, self.size(place), record),
                (None, Base::Variable(var)) => self.write_variable(var, record, view),
                (None, Base::Pointer(_)) => {}
            },
        }
    }

    /// The records of a call: itself, then one for each parameter.
    fn call(
        &mut self,
        edge: EdgeId,
        callee: FuncId,
        args: &[ExprId],
        control: Option<Record>,
        view: &View<'_>,
    ) {
        let call = self.dependence.push(edge, Part::Whole, &mut self.reads, control);
        let mut frame = Frame { call: Some(call), entered: Some(callee), ..Frame::default() };
        for (position, (&param, &arg)) in
            self.cfa.program.functions[callee].params.iter().zip(args).enumerate()
        {
            self.read_value(arg, view);
            let part = Part::Parameter(u16::try_from(position).unwrap_or(u16::MAX));
            let record = self.dependence.push(edge, part, &mut self.reads, Some(call));
            let number = self.numbers.get(param.index()).map_or(0, |&number| number as usize);
            if frame.writers.len() <= number {
                frame.writers.resize(number + 1, NONE);
            }
            frame.writers[number] = record;
        }
        self.frames.push(frame);
    }

    fn take_inputs(&mut self, edge: EdgeId, record: Record) {
        let takes_one = matches!(self.cfa.edge(edge).op, Op::Havoc { .. });
        while self.inputs.get(self.next_input).is_some_and(|input| input.request.edge == edge) {
            self.dependence.inputs.push((record, self.next_input));
            self.next_input += 1;
            if takes_one {
                break;
            }
        }
    }
}

impl Observer for Recorder<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        let depth = view.depth();
        self.frames.truncate(depth + 1);
        self.frames.resize_with(depth + 1, Frame::default);
        if let Some(function) = self.frames[depth].entered.take() {
            for &param in &self.cfa.program.functions[function].params {
                let writer = self.slot(param, depth).map_or(NONE, |writer| *writer);
                if view.address(param).is_some() && writer != NONE {
                    self.write_variable(param, writer, view);
                }
            }
        }
        let from = self.cfa.edge(edge).from;
        let frame = &mut self.frames[depth];
        frame.regions.arrive(from);
        let control = frame.regions.branch().or(frame.call);
        if let Op::Call { callee, ref args, .. } = self.cfa.edge(edge).op {
            let args = args.clone();
            self.call(edge, callee, &args, control, view);
            return;
        }
        self.gather(edge, view);
        let record = self.dependence.push(edge, Part::Whole, &mut self.reads, control);
        self.scatter(edge, record, view);
        self.take_inputs(edge, record);
        if matches!(self.cfa.edge(edge).op, Op::Assume { .. }) {
            self.frames[depth].regions.enter(record, self.dominators.of(from));
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        match self.cfa.edge(edge).op {
            // The result passes from the callee, whose frame is still there, to the caller.
            Op::Call { result: Some(place), callee, .. } => {
                let depth = view.depth();
                let result = self.cfa.program.functions[callee].result;
                let writer = result.and_then(|var| self.slot(var, depth + 1).map(|writer| *writer));
                self.reads.extend(writer.filter(|&writer| writer != NONE));
                let call = self.frames.get(depth + 1).and_then(|frame| frame.call);
                let record = self.dependence.push(edge, Part::Result, &mut self.reads, call);
                self.write_place(place, record, view);
            }
            Op::Declare { var } => {
                if let Some(address) = view.address(var) {
                    let size = self.cfa.program.types.size_of(self.cfa.program.vars[var].ty).unwrap_or(1);
                    self.memory.clear(address, size);
                }
            }
            _ => {}
        }
    }
}
