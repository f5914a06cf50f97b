//! Effects of edges, calls and returns on a state.

use super::evaluate::Target;
use super::layout::Location;
use super::set::NumberSet;
use super::store::Store;
use super::{Scalars, State};
use std::rc::Rc;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, VarId};
use summa_cfa::library::Returned;
use summa_cfa::{EdgeId, LibFn, Op};
use summa_cpa::Oracle;
use summa_facts::effects::Effect;

/// A value that is written: a scalar, or the known scalars of an aggregate by offset from its start.
enum Written<V> {
    Anything,
    Zero,
    Scalar(V),
    Parts(Vec<(u64, V)>),
}

impl<V: NumberSet> Scalars<'_, V> {
    /// An edge that is no call of a function with an automaton; None if it cannot be passed.
    pub(super) fn edge(&self, state: &State<V>, edge: EdgeId, others: &dyn Oracle) -> Option<State<V>> {
        let mut next = state.clone();
        let store = &mut next.store;
        match self.cfa.edges[edge].op {
            Op::Skip | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assign { place, value } => {
                let written = self.written(store, value, others);
                self.write(store, place, &written);
            }
            Op::Assume { condition, truth, .. } => {
                if !self.assume(store, condition, truth) {
                    return None;
                }
            }
            Op::Declare { var } | Op::Dead { var } => store.forget_var(var),
            Op::Zero { place } => self.write(store, place, &Written::Zero),
            Op::Havoc { place, .. } => self.write(store, place, &Written::Anything),
            Op::Return { value } => {
                let function = self.cfa.nodes[self.cfa.edges[edge].from].function;
                if let Some(result) = self.cfa.program.functions[function].result {
                    let written = value.map_or(Written::Anything, |value| self.written(store, value, others));
                    self.write_var(store, result, &written);
                }
            }
            Op::Library { result, model, .. } => {
                self.unseen(store, edge);
                if let Some((place, value)) =
                    result.and_then(|place| Some((place, self.answer(model, place)?)))
                {
                    self.write(store, place, &Written::Scalar(value));
                }
            }
            Op::External { .. } => self.unseen(store, edge),
            // A call always has an automaton here. Otherwise nothing is known about its effect.
            Op::Call { .. } => return Some(State::default()),
        }
        Some(next)
    }

    /// From before a call to the entry of the callee.
    pub(super) fn enter(
        &self,
        state: &State<V>,
        callee: FuncId,
        args: &[ExprId],
        others: &dyn Oracle,
    ) -> State<V> {
        let mut next = state.clone();
        let written = args.iter().map(|&arg| (arg, self.written(&state.store, arg, others)));
        let written: Vec<_> = written.collect();
        if self.facts.calls.is_recursive(callee) {
            let frame = self.layout.frame(callee).iter().flat_map(|&var| state.store.of_var(var));
            Rc::make_mut(&mut next.frames).push(frame.copied().collect());
        }
        self.forget_frame(&mut next.store, callee);
        let program = &self.cfa.program;
        for (&param, (arg, written)) in program.functions[callee].params.iter().zip(&written) {
            let is_typed = program.exprs.type_of(*arg) == program.vars[param].ty;
            self.write_var(&mut next.store, param, if is_typed { written } else { &Written::Anything });
        }
        next
    }

    /// From the exit of the callee to the location after the call; None if the callee cannot have been called
    /// with these arguments.
    pub(super) fn leave(
        &self,
        state: &State<V>,
        callee: FuncId,
        result: Option<PlaceId>,
        call: EdgeId,
    ) -> Option<State<V>> {
        let mut next = state.clone();
        let written = match self.cfa.program.functions[callee].result {
            Some(var) => self.parts(&state.store, Location { var, offset: 0 }, u64::MAX),
            None => Written::Anything,
        };
        self.forget_frame(&mut next.store, callee);
        if self.facts.calls.is_recursive(callee) && !next.frames.is_empty() {
            // What the activation that called had in its variables; no pointer leads to those.
            let saved = Rc::make_mut(&mut next.frames).pop();
            saved.iter().flat_map(|frame| frame.iter()).for_each(|&(at, value)| next.store.set(at, value));
        }
        if !self.learn_arguments(&mut next.store, &state.store, callee, call) {
            return None;
        }
        if let Some(place) = result {
            self.write(&mut next.store, place, &written);
        }
        Some(next)
    }

    fn forget_frame(&self, store: &mut Store<V>, function: FuncId) {
        self.layout.frame(function).iter().for_each(|&var| store.forget_var(var));
    }

    fn written(&self, store: &Store<V>, value: ExprId, others: &dyn Oracle) -> Written<V> {
        let program = &self.cfa.program;
        let expr = program.exprs.expr(value);
        match expr.kind {
            ExprKind::Load(place) if program.types.is_aggregate(expr.ty) => match self.locate(store, place) {
                Target::Exactly(start) => {
                    self.parts(store, start, program.types.size_of(expr.ty).unwrap_or(u64::MAX))
                }
                _ => Written::Anything,
            },
            _ => match self.evaluate(store, value) {
                Some(set) => Written::Scalar(self.with_answer(set, value, others)),
                None => Written::Anything,
            },
        }
    }

    /// The part of the set that others allow the expression; all of it if they contradict.
    fn with_answer(&self, set: V, expr: ExprId, others: &dyn Oracle) -> V {
        let ty = self.type_of(expr);
        let is_open = |shape| {
            let (lower, upper) = set.bounds(shape);
            lower < upper && self.cfa.program.types.is_integer(ty)
        };
        let within = |(lower, upper)| {
            let above = set.satisfying(BinaryOp::Ge, V::only(lower))?;
            above.satisfying(BinaryOp::Le, V::only(upper)).filter(|part| part.is_subset(set))
        };
        if !self.shape(ty).is_some_and(is_open) {
            return set;
        }
        others.range(expr).and_then(within).unwrap_or(set)
    }

    /// The known scalars of a part of a variable.
    fn parts(&self, store: &Store<V>, start: Location, size: u64) -> Written<V> {
        let end = start.offset.saturating_add(size);
        let inside =
            store.of_var(start.var).iter().filter(|(at, _)| (start.offset..end).contains(&at.offset));
        Written::Parts(inside.map(|&(at, value)| (at.offset - start.offset, value)).collect())
    }

    fn write_var(&self, store: &mut Store<V>, var: VarId, written: &Written<V>) {
        let size = self.cfa.program.types.size_of(self.cfa.program.vars[var].ty).unwrap_or(u64::MAX);
        self.write_at(store, &Target::Exactly(Location { var, offset: 0 }), size, None, written);
    }

    fn write(&self, store: &mut Store<V>, place: PlaceId, written: &Written<V>) {
        let program = &self.cfa.program;
        let ty = program.exprs.place(place).ty;
        let target = self.locate(store, place);
        let size = program.types.size_of(ty).unwrap_or(u64::MAX);
        // The value of a bit-field is not the value of a scalar at this place.
        let written = if program.bit_field(place).is_some() { &Written::Anything } else { written };
        self.write_at(store, &target, size, self.shape(ty), written);
    }

    fn write_at(
        &self,
        store: &mut Store<V>,
        target: &Target,
        size: u64,
        shape: Option<super::Shape>,
        written: &Written<V>,
    ) {
        if let &Target::Exactly(start) = target {
            let touched: Vec<_> =
                self.layout.within(start.var, start.offset, start.offset.saturating_add(size)).collect();
            for scalar in touched {
                let at = Location { var: start.var, offset: scalar.offset };
                let is_inside = scalar.offset >= start.offset
                    && scalar.offset - start.offset + scalar.size() <= size
                    && shape.is_none_or(|shape| shape == scalar.shape);
                let from_start = scalar.offset.wrapping_sub(start.offset);
                let value = match written {
                    _ if !is_inside => None,
                    Written::Zero => Some(V::only(0)),
                    Written::Scalar(value) => (from_start == 0).then_some(*value),
                    Written::Parts(parts) => {
                        parts.iter().find(|part| part.0 == from_start).map(|part| part.1)
                    }
                    Written::Anything => None,
                };
                match value {
                    Some(value) => self.put(store, at, value),
                    None => store.forget(at),
                }
            }
            return;
        }
        let meant = self.candidates(target, size, shape);
        let value = match written {
            Written::Zero => Some(V::only(0)),
            Written::Scalar(value) => Some(*value),
            Written::Anything | Written::Parts(_) => None,
        };
        for at in meant.locations {
            match (store.get(at), value) {
                (Some(old), Some(value)) if meant.is_typed => self.put(store, at, old.join(value)),
                _ => store.forget(at),
            }
        }
    }

    /// The numbers that the description of a library function allows as its result, if the place can hold all
    /// of them.
    fn answer(&self, model: LibFn, place: PlaceId) -> Option<V> {
        let Returned::Number(values) = model.description().returned else { return None };
        let (least, most) = values.range(&self.cfa.program.types)?;
        let shape = self.shape(self.cfa.program.exprs.place(place).ty)?;
        let fits = shape.contains(least) && shape.contains(most);
        let upwards = V::all(shape).satisfying(BinaryOp::Ge, V::only(least)).filter(|_| fits)?;
        upwards.satisfying(BinaryOp::Le, V::only(most))
    }

    /// A function without code: what it may write is forgotten.
    fn unseen(&self, store: &mut Store<V>, edge: EdgeId) {
        let points_to = &self.facts.points_to;
        for &effect in self.facts.effects.of(edge) {
            let classes = match effect {
                Effect::WriteMemory(pointer) => points_to.target_objects(pointer),
                Effect::Escape(value) if points_to.holds_address(&self.cfa.program, value) => {
                    points_to.siblings(points_to.unknown())
                }
                Effect::Write(place) => {
                    self.write(store, place, &Written::Anything);
                    continue;
                }
                Effect::WriteVar(var) | Effect::Lifetime(var) => {
                    store.forget_var(var);
                    continue;
                }
                _ => continue,
            };
            classes
                .iter()
                .flat_map(|&class| points_to.variables(class))
                .for_each(|&var| store.forget_var(var));
        }
    }

    /// Sets a location, or forgets it if the set says nothing.
    pub(super) fn put(&self, store: &mut Store<V>, at: Location, set: V) {
        let Some(scalar) = self.layout.at(at) else { return };
        if set == V::all(scalar.shape) { store.forget(at) } else { store.set(at, set) }
    }
}
