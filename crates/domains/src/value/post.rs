//! The strongest postcondition of a move on constants.
//!
//! Writes to a known spot are exact. A write through an unknown pointer forgets all cells to which points-to
//! analysis allows it to lead. Values that are not read any more are forgotten too, so that states meet.
//!
//! A recursive function that is entered again gets a new frame. The values of the old frame wait in the state
//! until the function returns. They cannot change meanwhile, since variables of recursive functions whose
//! address is taken have no cells.

use super::Precision;
use super::cells::CellId;
use super::constant::Constant;
use super::eval::{Semantics, Spot};
use super::state::Values;
use std::rc::Rc;
use summa_base::Id;
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, VarId};
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{Move, Nobody, Oracle, Step};
use summa_facts::effects::Effect;
use summa_facts::points_to::ClassId;

/// How values are followed.
#[derive(Clone, Copy, Debug)]
pub struct Limits<'p> {
    pub precision: &'p Precision,
    /// A cell that had more than this number of values on a path is no longer followed.
    pub distinct_values: Option<usize>,
}

/// A value on its way into a place: that of a scalar, or those of the cells of a record.
enum Moved {
    Scalar(Option<Constant>),
    /// Bits from its start, width, value.
    Record(Vec<(u64, u32, Constant)>),
}

/// One step of the semantics: the state as it changes.
pub(super) struct Post<'s, 'a> {
    pub(super) semantics: &'s mut Semantics<'a>,
    pub(super) state: Values,
    limits: Limits<'s>,
    to: NodeId,
    pub(super) others: &'s dyn Oracle,
}

impl<'a> Semantics<'a> {
    /// The state after the move; None if no execution gets there.
    pub fn post(&mut self, state: &Values, by: Move, limits: Limits<'_>) -> Option<Values> {
        self.post_asking(state, by, limits, &Nobody)
    }

    /// The same where others can be asked about the state before the move.
    pub fn post_asking(
        &mut self,
        state: &Values,
        by: Move,
        limits: Limits<'_>,
        others: &dyn Oracle,
    ) -> Option<Values> {
        self.reads.clear();
        self.writes.clear();
        let mut post = Post { semantics: self, state: state.clone(), limits, to: by.to, others };
        if !post.step(by.step) {
            return None;
        }
        post.forget_dead(by);
        Some(post.state)
    }
}

impl<'a> Post<'_, 'a> {
    fn cfa(&self) -> &'a Cfa {
        self.semantics.cfa
    }

    /// False if nothing passes.
    fn step(&mut self, step: Step) -> bool {
        let cfa = self.cfa();
        match (step, &cfa.edges[step.edge()].op) {
            (Step::Edge(edge), op) => return self.edge(edge, op),
            (Step::Enter(_), Op::Call { callee, args, .. }) => self.enter(*callee, args),
            (Step::Leave(_), Op::Call { callee, result, .. }) => self.leave(*callee, *result),
            _ => {}
        }
        true
    }

    fn edge(&mut self, edge: EdgeId, op: &Op) -> bool {
        match *op {
            Op::Skip | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assume { condition, truth, .. } => return self.assume(condition, truth),
            Op::Assign { place, value } => {
                let value = self.value(value);
                let spot = self.spot_with_answers(place);
                self.store_in(place, spot, value);
            }
            Op::Declare { var } | Op::Dead { var } => {
                self.forget_var(var);
                self.forget_pointers_to(&|other| other == var, self.is_address_taken(var));
            }
            Op::Zero { place } => self.zero(place),
            Op::Havoc { place, .. } => self.store(place, Moved::Scalar(None)),
            Op::Return { value } => {
                let function = self.cfa().nodes[self.cfa().edges[edge].from].function;
                if let Some(result) = self.cfa().program.functions[function].result {
                    let value = value.map_or(Moved::Scalar(None), |value| self.value(value));
                    self.store_var(result, value);
                }
            }
            Op::Library { result, model, ref args, .. } => {
                let declared = result.map(|place| self.cfa().program.exprs.place(place).ty);
                let value = self.library(model, args, declared);
                self.forget_effects(edge);
                if let Some(place) = result {
                    self.store(place, Moved::Scalar(value));
                }
            }
            // Calls of functions with an automaton come as two steps.
            Op::External { result, .. } | Op::Call { result, .. } => {
                self.forget_effects(edge);
                if let Some(place) = result {
                    self.store(place, Moved::Scalar(None));
                }
            }
        }
        true
    }

    // ---- values ----

    pub(super) fn eval(&mut self, expr: ExprId) -> Option<Constant> {
        self.semantics.eval(&self.state, expr)
    }

    fn value(&mut self, expr: ExprId) -> Moved {
        let program = &self.cfa().program;
        match program.exprs.expr(expr).kind {
            ExprKind::Load(place) if !program.types.is_scalar(program.exprs.type_of(expr)) => {
                let size = program.types.size_of(program.exprs.type_of(expr)).unwrap_or(0);
                match self.semantics.address(&self.state, place) {
                    Some((var, byte)) => self.record(var, 8 * byte, 8 * size),
                    None => Moved::Record(Vec::new()),
                }
            }
            _ => Moved::Scalar(self.eval(expr)),
        }
    }

    /// The known cells of a part of a variable.
    fn record(&mut self, var: VarId, at: u64, width: u64) -> Moved {
        let mut found = Vec::new();
        for cell in self.semantics.cells.overlapping(var, at, width) {
            let place = self.semantics.cells.get(cell);
            self.semantics.reads.push(cell);
            if let (Some(value), Some(start)) = (self.state.get(cell), place.at.checked_sub(at))
                && start + u64::from(place.width) <= width
            {
                found.push((start, place.width, value));
            }
        }
        Moved::Record(found)
    }

    // ---- writing ----

    /// The cell takes a value, if it is followed.
    pub(super) fn set(&mut self, cell: CellId, value: Constant) {
        let Limits { precision, distinct_values } = self.limits;
        let limit = distinct_values.filter(|_| !precision.is_exact(cell));
        let is_followed = precision.tracks(self.to, cell)
            && (value != Constant::NonZero || precision.tracks_non_zero(cell))
            && limit.is_none_or(|limit| self.state.count(cell, value, limit));
        if is_followed {
            self.semantics.writes.push(cell);
            self.state.set(cell, value);
        } else {
            self.state.forget(cell);
        }
    }

    /// These bits of the variable take a value.
    fn write(&mut self, var: VarId, at: u64, width: u32, value: Constant) {
        // A bit-field keeps the low bits of what is assigned.
        let value = match value {
            Constant::Int(bits) => Constant::Int(super::constant::low(width, bits as i128)),
            other => other,
        };
        let cells: Vec<CellId> = self.semantics.cells.overlapping(var, at, width.into()).collect();
        if let [cell] = &cells[..] {
            let whole = self.semantics.cells.get(*cell);
            if whole.at == at && whole.width == width {
                return self.set(*cell, value);
            }
            let shift = at.checked_sub(whole.at).and_then(|shift| u32::try_from(shift).ok());
            let inside = shift.filter(|shift| shift + width <= whole.width);
            self.semantics.reads.push(*cell);
            let old = self.state.get(*cell).and_then(Constant::bits);
            if let (Some(shift), Some(old), Some(new)) = (inside, old, value.bits()) {
                let mask = super::constant::low(width, -1) << shift;
                return self.set(*cell, Constant::Int(old & !mask | new << shift & mask));
            }
        }
        cells.into_iter().for_each(|cell| self.state.forget(cell));
    }

    fn forget_part(&mut self, var: VarId, at: u64, width: u64) {
        for cell in self.semantics.cells.overlapping(var, at, width) {
            self.state.forget(cell);
        }
    }

    fn forget_var(&mut self, var: VarId) {
        for cell in self.semantics.cells.of_var(var) {
            self.state.forget(cell);
        }
    }

    fn forget_class(&mut self, class: ClassId) {
        for &cell in self.semantics.cells.of_class(class) {
            self.state.forget(cell);
        }
    }

    fn store(&mut self, place: PlaceId, value: Moved) {
        let spot = self.semantics.spot(&self.state, place);
        self.store_in(place, spot, value);
    }

    fn store_in(&mut self, place: PlaceId, spot: Spot, value: Moved) {
        // The low bits of something that is not zero may be.
        let value = match value {
            Moved::Scalar(Some(Constant::NonZero)) if self.cfa().program.bit_field(place).is_some() => {
                Moved::Scalar(None)
            }
            value => value,
        };
        match spot {
            Spot::Exact { var, at, width } => self.store_at(var, at, width, value),
            spot => self.forget(place, spot),
        }
    }

    /// The place, which is not exactly known, takes any value.
    fn forget(&mut self, place: PlaceId, spot: Spot) {
        match spot {
            Spot::Exact { var, at, width } | Spot::Within { var, at, width } => {
                self.forget_part(var, at, width)
            }
            Spot::Unknown => {
                let facts = self.semantics.facts;
                facts.points_to.of_place(place).iter().for_each(|&class| self.forget_class(class));
            }
        }
    }

    fn store_at(&mut self, var: VarId, at: u64, width: u64, value: Moved) {
        match (value, u32::try_from(width)) {
            (Moved::Scalar(Some(value)), Ok(width)) => self.write(var, at, width, value),
            (Moved::Scalar(_), _) => self.forget_part(var, at, width),
            (Moved::Record(parts), _) => {
                self.forget_part(var, at, width);
                for (start, width, value) in parts {
                    self.write(var, at + start, width, value);
                }
            }
        }
    }

    fn store_var(&mut self, var: VarId, value: Moved) {
        let size = self.cfa().program.types.size_of(self.cfa().program.vars[var].ty).unwrap_or(0);
        let width = super::cells::width(&self.cfa().program.types, self.cfa().program.vars[var].ty);
        self.store_at(var, 0, width.map_or(8 * size, u64::from), value);
    }

    fn zero(&mut self, place: PlaceId) {
        let spot = self.semantics.spot(&self.state, place);
        let Spot::Exact { var, at, width } = spot else { return self.forget(place, spot) };
        for cell in self.semantics.cells.overlapping(var, at, width) {
            let part = self.semantics.cells.get(cell);
            if part.at >= at && part.at + u64::from(part.width) <= at + width {
                self.set(cell, Constant::ZERO);
            } else {
                self.state.forget(cell);
            }
        }
    }

    /// Forgets all that the edge may write, except its result.
    fn forget_effects(&mut self, edge: EdgeId) {
        let facts = self.semantics.facts;
        let points_to = &facts.points_to;
        for &effect in facts.effects.of(edge) {
            match effect {
                Effect::WriteMemory(pointer) => match self.eval(pointer) {
                    Some(Constant::Address { var, .. }) => self.forget_var(var),
                    _ => {
                        let objects = points_to.target_objects(pointer);
                        objects.iter().for_each(|&class| self.forget_class(class));
                    }
                },
                Effect::Escape(value) if points_to.holds_address(&self.cfa().program, value) => {
                    let unknown = points_to.siblings(points_to.unknown());
                    unknown.iter().for_each(|&class| self.forget_class(class));
                }
                Effect::WriteVar(var) | Effect::Lifetime(var) => self.forget_var(var),
                // The caller writes the result.
                Effect::Write(_) | Effect::Escape(_) | Effect::Call(_) | Effect::Allocate => {}
                Effect::Read(_) | Effect::ReadVar(_) | Effect::ReadMemory(_) | Effect::ReadVariadic(_) => {}
                Effect::Deref(_) | Effect::Partial(_) | Effect::Address(_) => {}
            }
        }
    }

    fn is_address_taken(&self, var: VarId) -> bool {
        self.semantics.facts.variables.address_taken.contains(var)
    }

    /// Pointers into objects that are gone mean nothing any more.
    fn forget_pointers_to(&mut self, is_gone: &dyn Fn(VarId) -> bool, can_exist: bool) {
        if can_exist {
            self.state.retain(|_, value| !matches!(value, Constant::Address { var, .. } if is_gone(var)));
        }
    }

    // ---- calls ----

    fn enter(&mut self, callee: FuncId, args: &[ExprId]) {
        let args: Vec<Moved> = args.iter().map(|&arg| self.value(arg)).collect();
        let frame = self.semantics.cells.of_frame(callee);
        if self.semantics.facts.calls.is_recursive(callee) {
            let known = frame.iter().filter_map(|&cell| Some((cell, self.state.get(cell)?)));
            let saved = known.collect();
            self.state.push_frame(saved);
        }
        frame.iter().for_each(|&cell| self.state.forget(cell));
        let params = &self.cfa().program.functions[callee].params;
        for (&param, arg) in params.iter().zip(args) {
            self.store_var(param, arg);
        }
    }

    fn leave(&mut self, callee: FuncId, result: Option<PlaceId>) {
        let program = &self.cfa().program;
        let returned = match program.functions[callee].result {
            Some(var) if program.types.is_scalar(program.vars[var].ty) => {
                let width = super::cells::width(&program.types, program.vars[var].ty).unwrap_or(0);
                Moved::Scalar(self.semantics.peek(&self.state, var, 0, width))
            }
            Some(var) => self.record(var, 0, 8 * program.types.size_of(program.vars[var].ty).unwrap_or(0)),
            None => Moved::Scalar(None),
        };
        for &cell in self.semantics.cells.of_frame(callee) {
            self.state.forget(cell);
        }
        let is_gone = |var: VarId| program.vars[var].kind.frame() == Some(callee);
        self.forget_pointers_to(&is_gone, self.semantics.exposed.contains(callee));
        if self.semantics.facts.calls.is_recursive(callee) {
            for &(cell, value) in self.state.pop_frame().iter().flat_map(|frame| frame.iter()) {
                self.state.set(cell, value);
            }
        }
        if let Some(place) = result {
            let is_valid =
                |value: &Constant| !matches!(value, Constant::Address { var, .. } if is_gone(*var));
            let returned = match returned {
                Moved::Scalar(value) => Moved::Scalar(value.filter(is_valid)),
                Moved::Record(parts) => {
                    Moved::Record(parts.into_iter().filter(|(_, _, value)| is_valid(value)).collect())
                }
            };
            self.store(place, returned);
        }
    }

    // ---- what is not read any more ----

    fn forget_dead(&mut self, by: Move) {
        let dying = match self.semantics.dying.get(&by.step) {
            Some(known) => known.clone(),
            None => {
                let cells: Rc<[CellId]> = self.dying(by).into();
                self.semantics.dying.insert(by.step, cells.clone());
                cells
            }
        };
        dying.iter().for_each(|&cell| self.state.forget(cell));
        let live = &self.semantics.facts.live;
        for i in 0..self.semantics.writes.len() {
            let cell = self.semantics.writes[i];
            if !live.is_live(by.to, self.semantics.cells.get(cell).var) {
                self.state.forget(cell);
            }
        }
    }

    /// The cells that may be known before the move and are not read after it.
    fn dying(&self, by: Move) -> Vec<CellId> {
        let (cfa, live) = (self.cfa(), &self.semantics.facts.live);
        let function = |node: NodeId| cfa.nodes[node].function;
        let is_static = |var: VarId| cfa.program.vars[var].kind.is_static();
        let mut vars: Vec<VarId> = Vec::new();
        match by.step {
            Step::Edge(_) => vars.extend(live.at(by.from).filter(|&var| !live.is_live(by.to, var))),
            Step::Enter(call) => {
                // The caller continues after the call.
                let back = cfa.edges[call].to;
                let own = live.tracked(function(by.from)).iter().copied();
                vars.extend(own.filter(|&var| !is_static(var) && !live.is_live(back, var)));
                let others = live.tracked(function(by.to)).iter().copied();
                vars.extend(others.filter(|&var| is_static(var) && !live.is_live(by.to, var)));
            }
            Step::Leave(_) => {
                vars.extend(live.tracked(function(by.to)).iter().filter(|&&var| !live.is_live(by.to, var)));
            }
        }
        // A function that calls itself: its parameters are those of the new frame.
        if let Step::Enter(_) = by.step
            && function(by.from) == function(by.to)
        {
            vars.retain(|&var| is_static(var));
        }
        vars.sort_unstable_by_key(|var| var.index());
        vars.dedup();
        vars.into_iter().flat_map(|var| self.semantics.cells.of_var(var)).collect()
    }
}
