//! Blocks seen from outside: a formula about the values before and after a block, in place of the block's
//! path.
//!
//! Paper: Beyer, Friedberger, *Domain-independent interprocedural program analysis using block-abstraction
//! memoization*, ESEC/FSE 2020, Section 4 (rebuild); summaries as relations: Hoare, *Procedures and
//! parameters*, 1971.
//!
//! A block that is to be summarised begins with a path in which each input c is copied to a cell of its own,
//! c° (`old(c)`). From then on c° is the entry value of c, so a formula at the exit over c° and c is a
//! relation. Where the block is used, c° stands for the user's value of c, and outputs stand for new values.
//! Anything else in the formula is internal to the block: it has any value for which the formula holds. The
//! user's own copies stay as they are, in recursion too.
//!
//! A use can be undone: the path knows its uses of summaries, and [`Paths::link`] gives its formula without
//! them, to be combined with the formulas of the blocks themselves.

use super::relation::{access_cells, written_cells};
use super::trace::Added;
use super::{Path, PathId, Paths, Ssa};
use crate::cells::{CellId, OBJECT};
use crate::encoder::{Encoder, Input};
use crate::shape::Shape;
use crate::state::State;
use summa_base::{FxHashMap, IdSet};
use summa_c::tree::{BinaryOp, FuncId, VarId};
use summa_cfa::EdgeId;
use summa_facts::blocks::{Block, BlockKind};
use summa_term::{Kind, Op, Sort, Term, Terms};

/// The cells on which a block depends and those that it changes, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    pub inputs: Vec<CellId>,
    /// Cells that may have another value after the block, if other functions can see them.
    pub outputs: Vec<CellId>,
}

impl Interface {
    pub fn new(encoder: &Encoder<'_>, block: &Block) -> Self {
        let handles = |variables: &IdSet<VarId>| -> Vec<CellId> {
            variables.iter().filter_map(|var| encoder.cells.handle(var)).collect()
        };
        let mut inputs = access_cells(encoder, &block.inputs);
        inputs.extend(handles(&block.inputs.variables));
        let mut outputs = match block.kind {
            // Variables of its frame belong to no other function.
            BlockKind::Function(function) => {
                inputs.extend(handles(
                    &encoder.cfa.program.functions[function].params.iter().copied().collect(),
                ));
                let mut outputs = written_cells(encoder, function);
                outputs.extend(encoder.frame_result(function));
                outputs
            }
            BlockKind::Loop(_) => {
                let mut outputs = access_cells(encoder, &block.written);
                outputs.extend(handles(&block.written.variables));
                outputs
            }
        };
        inputs.insert(encoder.cells.next_object);
        outputs.insert(encoder.cells.next_object);
        Self { inputs: inputs.iter().collect(), outputs: outputs.iter().collect() }
    }

    /// Adds locals of other functions that share memory with what the function uses, so that the summary can
    /// speak of their values. Only locals whose functions are not entered meanwhile, because otherwise they
    /// would be other objects.
    #[must_use]
    pub fn with_outer_locals(mut self, encoder: &Encoder<'_>, function: FuncId) -> Self {
        let is_used = |var: VarId| {
            let classes = encoder.facts.points_to.of_var(var).iter();
            let mut cells = classes.filter_map(|&class| Some(encoder.cells.region(class)?.first));
            cells.any(|cell| {
                self.inputs.binary_search(&cell).is_ok() || self.outputs.binary_search(&cell).is_ok()
            })
        };
        let used: Vec<(VarId, CellId)> = encoder.cells.handles().filter(|&(var, _)| is_used(var)).collect();
        if used.is_empty() {
            return self;
        }
        let entered = encoder.facts.calls.below(function);
        let is_outside = |var: VarId| {
            encoder.cfa.program.vars[var].kind.frame().is_some_and(|frame| !entered.contains(frame))
        };
        let handles = used.into_iter().filter(|&(var, _)| is_outside(var)).map(|(_, handle)| handle);
        self.inputs.extend(handles);
        self.inputs.sort_unstable();
        self.inputs.dedup();
        self
    }
}

/// A formula in the place of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Summary {
    /// The call, if the block is a function.
    pub call: Option<EdgeId>,
    /// Over cells in version 0 at the exit of the block, and copies of cells at its entry.
    pub formula: Term,
    /// Whose formula it is: a number that means something to the user.
    pub exit: u32,
}

/// A summary on a path, in terms of the path's entry symbols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SummaryUse {
    pub summary: Summary,
    /// A fresh boolean: the block was left through this exit. It is part of the guards of the paths behind.
    pub taken: Term,
    /// The path leads through the block, and it was left through this exit.
    pub guard: Term,
    /// The state in which the block is entered; of functions when the parameters have the arguments.
    pub entry: State,
    /// The inputs of the block: their values in that state are what the copies stand for.
    pub inputs: Vec<CellId>,
    /// The outputs with their new values.
    pub outputs: Vec<(CellId, Term)>,
    /// If the use was taken, the formula holds.
    pub fact: Term,
}

/// An event on a path.
#[derive(Clone, Debug)]
pub enum Event {
    Input(Input),
    Summary(Box<SummaryUse>),
}

/// An instance of a path without what summaries say.
#[derive(Clone, Debug)]
pub struct Linked {
    /// Guard, facts, equations of exit symbols.
    pub formula: Term,
    /// The versions after the path.
    pub exit: Ssa,
    /// The terms in this instance.
    pub terms: Vec<Term>,
}

impl Paths<'_> {
    /// The path on which a block was just entered and its inputs were copied. [`Encoder::with_entry_copies`]
    /// makes the cells for the copies.
    pub fn summary_entry(&mut self, interface: &Interface) -> PathId {
        self.summary_entry_with(interface, &[])
    }

    /// The same for an entry at which these cells have these values, so that the path has numbers where
    /// possible.
    pub fn summary_entry_with(&mut self, interface: &Interface, constants: &[(CellId, Term)]) -> PathId {
        let key = (interface.inputs.clone(), constants.to_vec());
        if let Some(&known) = self.summary_entries.get(&key) {
            return known;
        }
        let mut state = self.paths[self.block_entry].state.clone();
        for &(cell, value) in constants {
            state.set(cell, value);
        }
        for &cell in &interface.inputs {
            if let Some(copy) = self.encoder.cells.entry_copy(cell) {
                state.set(copy, state.get(cell));
            }
        }
        let entry = self.paths.push(Path { guard: Terms::TRUE, state, frames: None, past: None });
        self.summary_entries.insert(key, entry);
        entry
    }

    /// Is it the entry path of a summarised block?
    pub fn is_summary_entry(&self, path: PathId) -> bool {
        self.summary_entries.values().any(|&entry| entry == path)
    }

    /// The path, which is before a call or at the entry of a loop, then the block as its summary says. Behind
    /// it the callee has not given its result to the caller yet, see [`Paths::receive`]; all else is as for
    /// the caller.
    pub fn summarise(&mut self, path: PathId, interface: &Interface, summary: Summary) -> PathId {
        let key = (path, summary);
        if let Some(&known) = self.summarised.get(&key) {
            return known;
        }
        let before = self.paths[path].clone();
        if before.guard == Terms::FALSE {
            return path;
        }
        let (used, added) = self.collect(|encoder| used(encoder, &before, interface, summary));
        let (mut state, guard) = (before.state, used.guard);
        for &(cell, value) in &used.outputs {
            state.set(cell, value);
        }
        let past = self.pasts.step(before.past, Added { summary: Some(used), ..added });
        let made = self.paths.push(Path { guard, state, frames: before.frames, past });
        self.summarised.insert(key, made);
        made
    }

    /// Inputs and uses of summaries, in the order of a run. Guards are relative to the block entry.
    pub fn events(&self, path: PathId) -> Vec<Event> {
        let mut events = Vec::new();
        for step in self.pasts.steps(self.paths[path].past) {
            events.extend(step.inputs.iter().cloned().map(Event::Input));
            events.extend(step.summary.iter().cloned().map(|used| Event::Summary(Box::new(used))));
        }
        events
    }

    /// The events of an instance of the path: inputs as there, of summaries the guard.
    pub fn instantiate_events(&mut self, path: PathId, entry: &Ssa, instance: u32) -> Vec<Event> {
        let mut events = self.events(path);
        for event in &mut events {
            match event {
                Event::Input(input) => self.instantiate_input(input, entry, instance),
                Event::Summary(used) => used.guard = self.rename(&[used.guard], entry, instance)[0],
            }
        }
        events
    }

    /// The calls on the path that are summaries, with their exits, in the order of a run.
    pub fn exits_taken(&self, path: PathId) -> Vec<(EdgeId, u32)> {
        let steps = self.pasts.steps(self.paths[path].past);
        let uses = steps.into_iter().filter_map(|step| step.summary.as_ref());
        uses.filter_map(|used| Some((used.summary.call?, used.summary.exit))).collect()
    }

    /// The summaries on the path, in the order of a run.
    pub fn uses(&self, path: PathId) -> Vec<SummaryUse> {
        let steps = self.pasts.steps(self.paths[path].past);
        steps.into_iter().filter_map(|step| step.summary.clone()).collect()
    }

    /// Like [`Paths::instantiate`], but without knowledge of the blocks behind summaries. `terms` are values
    /// on the path, which get their facts too.
    pub fn link(&mut self, path: PathId, entry: &Ssa, instance: u32, terms: &[Term]) -> Linked {
        let changed = self.changed(path);
        let mut parts = vec![self.guard(path)];
        parts.extend(self.facts_about(path, terms, false));
        let mut parts = self.rename(&parts, entry, instance);
        let values: Vec<Term> = changed.iter().map(|&cell| self.state(path).get(cell)).collect();
        let values = self.rename(&values, entry, instance);
        let mut exit = entry.clone();
        for (&cell, value) in changed.iter().zip(values) {
            exit.set(cell, self.exit_version(entry.get(cell), instance));
            parts.push(self.is_value(cell, &exit, value));
        }
        let terms = self.rename(terms, entry, instance);
        Linked { formula: self.encoder.terms.and(&parts), exit, terms }
    }
}

/// What the summary means after a path.
fn used(encoder: &mut Encoder<'_>, before: &Path, interface: &Interface, summary: Summary) -> SummaryUse {
    let mut entry = before.state.clone();
    if let Some(call) = summary.call {
        encoder.enter(&mut entry, call, before.guard);
    }
    // The summary holds only if the block was left. It may also be the summary of a block that never is.
    let taken = encoder.fresh("any.exit", Sort::Bool);
    let otherwise = encoder.terms.not(taken);
    // What the summary knows exactly needs no symbol.
    let constants: FxHashMap<CellId, Term> = constants_in(encoder, summary.formula).into_iter().collect();
    let mut new_value =
        |cell: CellId| constants.get(&cell).copied().unwrap_or_else(|| encoder.fresh_content(cell));
    let outputs: Vec<(CellId, Term)> =
        interface.outputs.iter().map(|&cell| (cell, new_value(cell))).collect();
    let next = encoder.cells.next_object;
    if let Some(&(_, after)) = outputs.iter().find(|&&(cell, _)| cell == next) {
        // Numbers of objects are never used twice.
        let is_later =
            encoder.arithmetic.compare(&mut encoder.terms, BinaryOp::Le, OBJECT, entry.get(next), after);
        let are_few = encoder.few_objects(after);
        for fact in [is_later, are_few] {
            let fact = encoder.terms.or2(otherwise, fact);
            encoder.assume(fact);
        }
    }
    let known: FxHashMap<CellId, Term> = outputs.iter().copied().collect();
    let mut meaning = FxHashMap::default();
    for symbol in encoder.terms.free_symbols(summary.formula) {
        let cell = encoder.terms.as_symbol(symbol).and_then(|(family, _)| encoder.cells.of_symbol(family));
        let Some(cell) = cell else { continue };
        let input = encoder.cells.original(cell).filter(|cell| interface.inputs.binary_search(cell).is_ok());
        let value = match (input, known.get(&cell)) {
            (Some(input), _) => entry.get(input),
            (None, Some(&output)) => output,
            (None, None) => encoder.fresh_content(cell),
        };
        meaning.insert(symbol, value);
    }
    let terms = &mut encoder.terms;
    let holds = terms.substitute(summary.formula, &meaning);
    let fact = terms.or2(otherwise, holds);
    let guard = terms.and2(before.guard, taken);
    SummaryUse { summary, taken, guard, entry, inputs: interface.inputs.clone(), outputs, fact }
}

/// The cells that a formula over cells in version 0 equates with numbers. Only numbers that the cells can
/// hold: equations with other numbers stay contradictions, because terms must lie in the range of their type.
fn constants_in(encoder: &Encoder<'_>, formula: Term) -> Vec<(CellId, Term)> {
    let (terms, cells) = (&encoder.terms, &encoder.cells);
    let is_number = |term: Term| matches!(terms.kind(term), Kind::Int(_) | Kind::Bv(_));
    let as_constant = |conjunct: Term| {
        let Kind::App(Op::Eq, args) = terms.kind(conjunct) else { return None };
        let &[a, b] = &args[..] else { return None };
        let (symbol, value) = if is_number(a) { (b, a) } else { (a, b) };
        let (family, version) = terms.as_symbol(symbol)?;
        let cell = cells.of_symbol(family).filter(|_| version == 0 && is_number(value))?;
        cells.cells[cell].shape.is_none_or(|shape| can_hold(terms, shape, value)).then_some((cell, value))
    };
    terms.conjuncts(formula).into_iter().filter_map(as_constant).collect()
}

/// Does the number lie in the range of the type?
fn can_hold(terms: &Terms, shape: Shape, number: Term) -> bool {
    match (terms.as_int(number), terms.as_bv(number)) {
        (Some(value), _) => {
            let value = i128::try_from(value).ok();
            value.zip(shape.range()).is_some_and(|(value, (low, high))| low <= value && value <= high)
        }
        (None, Some((_, bits))) => !shape.is_bool || bits <= 1,
        (None, None) => false,
    }
}
