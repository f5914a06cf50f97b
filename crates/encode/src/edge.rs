//! Edges: what each operation does to a state.
//!
//! A call of a function with an automaton is two steps, [`Encoder::enter`] and [`Encoder::leave`], since the
//! caller explores what is between them.

use crate::cells::{CellId, Content, Layout, Region};
use crate::encoder::{Encoder, Input, InputSource};
use crate::leaves::LeafKind;
use crate::memory::Spot;
use crate::shape::Shape;
use crate::state::State;
use crate::value::Value;
use summa_c::tree::{ExprId, FuncId, PlaceId, VarId};
use summa_c::types::{ArrayLen, Type, TypeId};
use summa_cfa::{EdgeId, HavocSource, Op};
use summa_facts::effects::Effect;
use summa_term::{Term, Terms};

/// Objects with more parts get no inputs for their contents.
const MAX_CONTENTS: usize = 1024;
/// Arrays with more elements are described as a whole.
const LONG_ARRAY: u64 = 64;

impl Encoder<'_> {
    /// Applies the edge to the state; the result is the condition under which it is passed. `guard` is the
    /// condition under which it is reached. Calls and edges that end the run change nothing here.
    pub fn edge(&mut self, state: &mut State, edge: EdgeId, guard: Term) -> Term {
        (self.edge, self.guard) = (edge, guard);
        let cfa = self.cfa;
        match &cfa.edges[edge].op {
            Op::Assume { condition, truth, .. } => {
                let holds = self.condition(state, *condition);
                return if *truth { holds } else { self.terms.not(holds) };
            }
            Op::Assign { place, value } => {
                let value = self.value(state, *value);
                self.store(state, *place, &value);
                if let Some(&object) = cfa.promoted.get(&edge) {
                    self.record_contents(state, object);
                }
            }
            Op::Declare { var } => self.declare(state, *var),
            Op::Zero { place } => self.zero_place(state, *place),
            Op::Havoc { place, source } => self.havoc(state, *place, *source),
            Op::Library { result, model, args, .. } => self.library(state, *result, *model, args),
            Op::External { result, .. } => {
                self.havoc_effects(state);
                if let Some(place) = result {
                    self.input(state, *place, InputSource::External);
                }
            }
            Op::Return { value } => self.return_value(state, *value),
            Op::Skip
            | Op::Dead { .. }
            | Op::Call { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. } => {}
        }
        Terms::TRUE
    }

    // ---- calls ----

    /// Before the callee: parameters take the values of the arguments.
    pub fn enter(&mut self, state: &mut State, edge: EdgeId, guard: Term) {
        (self.edge, self.guard) = (edge, guard);
        let cfa = self.cfa;
        let Op::Call { callee, args, .. } = &cfa.edges[edge].op else { return };
        let values: Vec<Value> = args.iter().map(|&arg| self.value(state, arg)).collect();
        for (&param, value) in cfa.program.functions[*callee].params.iter().zip(&values) {
            self.begin_object(state, param);
            self.store_var(state, param, value);
        }
    }

    /// After the callee: the result goes where the caller wants it.
    pub fn leave(&mut self, state: &mut State, edge: EdgeId, guard: Term) {
        (self.edge, self.guard) = (edge, guard);
        let cfa = self.cfa;
        let Op::Call { result: Some(place), callee, .. } = &cfa.edges[edge].op else { return };
        if let Some(result) = cfa.program.functions[*callee].result {
            let value = self.load_var(state, result);
            self.store(state, *place, &value);
        }
    }

    /// The cells of a function's frame. A recursive call must restore them for its caller.
    pub fn frame(&self, function: FuncId) -> Vec<CellId> {
        let mut cells = Vec::new();
        for (var, variable) in self.cfa.program.vars.iter() {
            if variable.kind.frame() != Some(function) {
                continue;
            }
            cells.extend(self.cells.handle(var));
            for &class in self.facts.points_to.of_var(var) {
                if let Some(region) = self.cells.region(class)
                    && region.layout != Layout::Objects
                    && !self.facts.points_to.is_pointed_to(class)
                {
                    cells.extend(region.cells());
                }
            }
        }
        cells
    }

    /// The cells that hold a function's result.
    pub fn frame_result(&self, function: FuncId) -> Vec<CellId> {
        let result = self.cfa.program.functions[function].result;
        let classes = result.map_or(&[][..], |var| self.facts.points_to.of_var(var));
        classes
            .iter()
            .filter_map(|&class| self.cells.region(class))
            .flat_map(|region| region.cells())
            .collect()
    }

    fn return_value(&mut self, state: &mut State, value: Option<ExprId>) {
        let function = self.cfa.nodes[self.cfa.edges[self.edge].from].function;
        let Some(result) = self.cfa.program.functions[function].result else { return };
        match value {
            Some(value) => {
                let value = self.value(state, value);
                self.store_var(state, result, &value);
            }
            None => self.havoc_var(state, result),
        }
    }

    // ---- objects and inputs ----

    /// A local begins to live: a new object if that matters, with any contents.
    fn declare(&mut self, state: &mut State, var: VarId) {
        self.begin_object(state, var);
        let ty = self.cfa.program.vars[var].ty;
        match self.fresh_value(ty) {
            Some(value) => {
                self.store_var(state, var, &value);
                self.record(InputSource::Uninitialised(var), ty, value);
            }
            None => {
                // Nothing was ever written to a new object.
                if self.cells.handle(var).is_none() {
                    self.havoc_var(state, var);
                }
                self.record_contents(state, var);
            }
        }
    }

    /// The contents of a variable become inputs, part by part; large variables are left out. This serves
    /// searches for inputs and is no part of the formula.
    fn record_contents(&mut self, state: &State, var: VarId) {
        let types = &self.cfa.program.types;
        let (ty, byte) = (self.cfa.program.vars[var].ty, types.char);
        let Some(whole) = self.spot_of_var(state, var) else { return };
        // A long array as one value: there may be many declarations of it on a path.
        if let Type::Array(element, ArrayLen::Fixed(LONG_ARRAY..)) = *types.get(ty)
            && self.is_scalar(element)
        {
            let region = self.cells.region(whole.class).filter(|region| region.layout == Layout::Offsets);
            let is_plain = |region: &Region| match region.content {
                Content::Int(shape) => Shape::of(types, element) == Some(shape),
                Content::Float(_) | Content::Pointer | Content::Bytes => false,
            };
            if let Some(region) = region.filter(is_plain) {
                let value = Value::Scalar(state.get(region.first));
                self.record(InputSource::Contents { var, offset: 0 }, element, value);
            }
            return;
        }
        let parts = self.leaves().elements_up_to(MAX_CONTENTS, ty).unwrap_or_default();
        let constraints = self.constraints.len();
        for part in parts {
            let at = self.moved(whole.at, part.offset);
            let spot = Spot { class: self.class_behind(whole, part.offset), at };
            let found = match part.kind {
                LeafKind::Scalar(ty) => self.load_at(state, spot, ty).map(|value| vec![(ty, value)]),
                LeafKind::Bytes(count) => self
                    .load_bytes(state, spot, count)
                    .map(|bytes| bytes.into_iter().map(|term| (byte, Value::Scalar(term))).collect()),
            };
            for (i, (ty, value)) in (0..).zip(found.unwrap_or_default()) {
                let offset = part.offset + i;
                self.record(InputSource::Contents { var, offset }, ty, value);
            }
        }
        self.constraints.truncate(constraints);
    }

    fn begin_object(&mut self, state: &mut State, var: VarId) {
        if let Some(handle) = self.cells.handle(var) {
            let object = self.new_object(state);
            state.set(handle, object);
        }
    }

    fn havoc(&mut self, state: &mut State, place: PlaceId, source: HavocSource) {
        let ty = self.cfa.program.exprs.place(place).ty;
        if self.is_scalar(ty) {
            self.input(state, place, InputSource::Havoc(source));
        } else {
            self.note("an object of unknown contents");
            self.havoc_place(state, place);
        }
    }

    /// The place takes any value of its type, as an input of the run.
    fn input(&mut self, state: &mut State, place: PlaceId, source: InputSource) {
        let ty = self.cfa.program.exprs.place(place).ty;
        let Some(value) = self.fresh_value(ty) else { return self.havoc_place(state, place) };
        self.store(state, place, &value);
        self.record(source, ty, value);
    }

    fn record(&mut self, source: InputSource, ty: TypeId, value: Value) {
        let (edge, guard) = (self.edge, self.guard);
        self.inputs.push(Input { edge, source, ty, value, guard });
    }

    /// Everything that the edge may write in ways that are not modelled takes any value.
    pub(crate) fn havoc_effects(&mut self, state: &mut State) {
        let facts = self.facts;
        let mut classes = Vec::new();
        for effect in facts.effects.of(self.edge) {
            match *effect {
                Effect::WriteMemory(pointer) => {
                    classes.extend_from_slice(facts.points_to.target_objects(pointer))
                }
                Effect::Escape(_) => {
                    // For pointers, memory that escapes is part of unknown memory.
                    let unknown = facts.points_to.unknown();
                    classes.extend_from_slice(facts.points_to.siblings(unknown));
                }
                _ => {}
            }
        }
        for class in classes {
            self.havoc_class(state, class);
        }
    }
}
