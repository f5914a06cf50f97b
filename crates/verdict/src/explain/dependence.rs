//! What each step of an execution depends on: the steps that wrote what it reads, and the branch that let it happen.
//!
//! An observer keeps, for every variable and every word of memory, the step that wrote it last, and notes for each new step which of
//! these it read (Korel, Laski: *Dynamic program slicing*, 1988). Going back from the error along these notes gives the steps that have a
//! part in it.
//!
//! Memory is bounded: only the last [`WINDOW`] steps are kept, and what older ones did has no explanation. A call is several
//! records, one for each parameter, so that arguments are not mixed up. Memory is seen in words of four bytes; a write of less
//! keeps what was there before as a dependence. What library functions do to memory is taken as from their argument to the end of its object.

use super::control::{PostDominators, Regions};
use std::collections::VecDeque;
use summa_base::{FxHashMap, Id};
use summa_c::tree::{ExprId, FuncId, PlaceId, VarId};
use summa_cfa::analysis::effects::{self, Base, Effect, Effects};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_interp::{InputRecord, Observer, View};

/// How many records are kept at most; half of them are forgotten when it is full.
const WINDOW: usize = 4 << 20;
/// Ranges longer than this are kept as such, not word by word.
const LONG_RANGE: u64 = 256;
const MAX_RANGES: usize = 64;
/// Of a range that is read by a library function, so much is looked at.
const READ_RANGE: u64 = 256;
const WORD: u64 = 4;

/// The number of a record, counted from the start of the execution.
pub(crate) type Record = u32;

const NONE: Record = Record::MAX;

/// What a record of an edge is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The edge itself.
    Whole,
    /// A parameter of a call takes its value, by its position.
    Parameter(u16),
    /// The result of a call is handed on.
    Result,
}

/// What is known about an execution when it is over.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    /// The number of the first record that is kept.
    first: Record,
    edges: Vec<EdgeId>,
    parts: Vec<Part>,
    /// Where the reads of a record begin in `reads`; they end where those of the next one begin.
    starts: Vec<u32>,
    reads: Vec<Record>,
    control: Vec<Record>,
    /// The records of inputs that were taken, with the number of the input.
    pub(crate) inputs: Vec<(Record, usize)>,
}

impl Dependence {
    pub(crate) fn last(&self) -> Option<Record> {
        self.edges.len().checked_sub(1).map(|index| self.first + index as Record)
    }

    /// The last record of this edge.
    pub(crate) fn last_of(&self, edge: EdgeId) -> Option<Record> {
        self.edges.iter().rposition(|&other| other == edge).map(|index| self.first + index as Record)
    }

    pub(crate) fn edge(&self, record: Record) -> Option<EdgeId> {
        self.edges.get(self.index(record)?).copied()
    }

    pub(crate) fn part(&self, record: Record) -> Part {
        self.index(record).and_then(|index| self.parts.get(index)).copied().unwrap_or(Part::Whole)
    }

    /// The records whose values it used; some may be forgotten.
    pub(crate) fn reads(&self, record: Record) -> &[Record] {
        let Some(index) = self.index(record) else { return &[] };
        let start = self.starts.get(index).map_or(0, |&start| start as usize);
        let end = self.starts.get(index + 1).map_or(self.reads.len(), |&end| end as usize);
        self.reads.get(start..end).unwrap_or(&[])
    }

    /// The branch or call that let it happen.
    pub(crate) fn control(&self, record: Record) -> Option<Record> {
        self.control.get(self.index(record)?).copied().filter(|&control| control != NONE)
    }

    /// Everything that has a part in the record, nearest first, itself included.
    pub(crate) fn slice(&self, from: Record) -> Vec<Record> {
        let mut seen = vec![false; self.edges.len()];
        let mut found = VecDeque::new();
        let mut order = Vec::new();
        let mut add = |record: Record, found: &mut VecDeque<Record>| {
            if let Some(index) = self.index(record)
                && !std::mem::replace(&mut seen[index], true)
            {
                found.push_back(record);
            }
        };
        add(from, &mut found);
        while let Some(record) = found.pop_front() {
            order.push(record);
            self.reads(record).iter().for_each(|&read| add(read, &mut found));
            self.control(record).into_iter().for_each(|control| add(control, &mut found));
        }
        order
    }

    fn index(&self, record: Record) -> Option<usize> {
        record.checked_sub(self.first).map(|index| index as usize).filter(|&index| index < self.edges.len())
    }

    fn push(&mut self, edge: EdgeId, part: Part, reads: &mut Vec<Record>, control: Option<Record>) -> Record {
        if self.edges.len() >= WINDOW {
            self.forget(WINDOW / 2);
        }
        reads.sort_unstable();
        reads.dedup();
        self.starts.push(self.reads.len() as u32);
        self.reads.append(reads);
        self.edges.push(edge);
        self.parts.push(part);
        self.control.push(control.unwrap_or(NONE));
        self.first + (self.edges.len() - 1) as Record
    }

    fn forget(&mut self, count: usize) {
        let cut = self.starts.get(count).copied().unwrap_or(0);
        self.reads.drain(..cut as usize);
        self.starts.drain(..count);
        self.starts.iter_mut().for_each(|start| *start -= cut);
        self.edges.drain(..count);
        self.parts.drain(..count);
        self.control.drain(..count);
        self.first += count as Record;
        let first = self.first;
        self.inputs.retain(|&(record, _)| record >= first);
    }
}

/// A call that has not returned.
#[derive(Debug, Default)]
struct Frame {
    /// By number of the variable in its function: who wrote it last.
    writers: Vec<Record>,
    regions: Regions,
    /// The call, on which everything in the function depends.
    call: Option<Record>,
    /// Parameters that have an address do not yet know who wrote them.
    entered: Option<FuncId>,
}

/// Who wrote what last.
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

    /// The object is new: nobody wrote it.
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
        match (effects::whole_variable(exprs, place), effects::base(exprs, place)) {
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
        let inner = effects::strip_casts(&program.exprs, pointer);
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

    /// What an edge that is no call reads; the old contents of what it writes in part count as read.
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
                    if effects::whole_variable(&self.cfa.program.exprs, place).is_none() {
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

    /// What an edge that is no call writes.
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
        match (effects::whole_variable(exprs, place), effects::base(exprs, place)) {
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

/// How many records come before an edge's `after`, and whether there is one at that time: the numbering of [`Recorder`], for those who
/// watch the same execution again.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    pub(crate) next: Record,
}

impl Numbering {
    /// The records that the edge makes when it begins: its own, and those of parameters.
    pub(crate) fn before(&mut self, cfa: &Cfa, edge: EdgeId) -> std::ops::Range<Record> {
        let own = match cfa.edge(edge).op {
            Op::Call { callee, ref args, .. } => {
                1 + cfa.program.functions[callee].params.len().min(args.len()) as Record
            }
            _ => 1,
        };
        self.next += own;
        self.next - own..self.next
    }

    /// The result of a call is one more.
    pub(crate) fn after(&mut self, cfa: &Cfa, edge: EdgeId) {
        if matches!(cfa.edge(edge).op, Op::Call { result: Some(_), .. }) {
            self.next += 1;
        }
    }
}
