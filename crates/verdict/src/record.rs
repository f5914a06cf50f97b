//! A violation witness from an execution: one point for each input, and the error.
//!
//! An input that is stored somewhere is an assumption about that place, just before the next statement: that is what all
//! readers of witnesses understand. Where the value goes elsewhere (`if (__VERIFIER_nondet_int())`) it is the result of the call.
//! What a variable held that was read before it was written is an assumption before the statement that reads it.
//! No other points: with its inputs an execution is determined, and every further point is one that a reader could get wrong.

use crate::constant;
use crate::places::{Kind, Places};
use crate::witness::{PointKind, Segment, Waypoint};
use std::collections::VecDeque;
use summa_c::Span;
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind, VarId, VarKind};
use summa_cfa::{Cfa, Edge, EdgeId, HavocSource, Op};
use summa_interp::{
    InputOrigin, InputRecord, InputRequest, List, Observer, Pointer, Policy, Program, Value, View,
};

/// Where assumptions about inputs are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// Just before the next statement, with its column.
    Before,
    /// On the line of the call, and meant after it.
    After,
}

/// The points of the execution with these inputs, which ends at `target`.
pub fn record(
    program: &Program<'_>,
    places: &Places<'_>,
    policy: &Policy,
    inputs: &[InputRecord],
    target: EdgeId,
    style: Style,
) -> Vec<Segment> {
    let mut watch = Watch { records: inputs, inputs: Vec::new(), waiting: None };
    summa_interp::run_observed(program, &mut List::replay(inputs), policy, &mut watch);
    let mut path = Path { places, style, waypoints: Vec::new(), last_statement: None, is_unwritten: false };
    for input in &watch.inputs {
        match input.unwritten {
            Some(var) => path.unwritten(program.cfa, input, var),
            None => path.input(program.cfa, input),
        }
    }
    path.target(program.cfa.edge(target).span);
    path.waypoints.into_iter().map(Segment::from).collect()
}

/// An input of the program, as it was used.
struct Input {
    edge: EdgeId,
    /// What the call gave.
    given: Value,
    /// What the place holds that the source assigns it to.
    stored: Option<Value>,
    /// It is no call, but the first read of this variable.
    unwritten: Option<VarId>,
}

/// Sees the inputs of a run, and where their values go.
struct Watch<'w> {
    /// Those that are still to come.
    records: &'w [InputRecord],
    inputs: Vec<Input>,
    /// The temporary that holds the last input on its way to a place.
    waiting: Option<PlaceId>,
}

impl Watch<'_> {
    /// The records for what this edge reads that was never written: as many as there are such variables, or all if none is found.
    fn unwritten(&mut self, edge: EdgeId, view: &View<'_>) {
        let cfa = view.cfa();
        // Both sides of a branch are one condition.
        let is_ours = |record: &InputRecord| {
            record.request.origin == InputOrigin::Uninitialised
                && cfa.edge(record.request.edge).from == cfa.edge(edge).from
        };
        if !self.records.first().is_some_and(is_ours) {
            return;
        }
        let read = variables_read(cfa, edge);
        let is_unwritten = |&var: &VarId| view.variable(var) == Value::Uninitialised;
        let mut variables: VecDeque<VarId> = read.iter().copied().filter(is_unwritten).collect();
        let is_known = !variables.is_empty();
        while let Some((record, rest)) = self.records.split_first().filter(|(record, _)| is_ours(record)) {
            let InputRequest { scalar, .. } = record.request;
            let given = match scalar.float_kind() {
                Some(kind) => Value::Float { bits: record.bits, kind },
                None => Value::Int(scalar.to_int(record.bits)),
            };
            // A condition is shown when it has been evaluated: then the variable has the value already.
            let has_it = |&var: &VarId| view.variable(var) == given;
            let var =
                variables.pop_front().or_else(|| read.iter().copied().find(has_it).filter(|_| !is_known));
            if is_known && var.is_none() {
                break;
            }
            self.records = rest;
            if var.is_some() {
                self.inputs.push(Input { edge, given, stored: None, unwritten: var });
            }
        }
    }
}

/// The variables whose values an edge uses, in the order of evaluation as far as it matters here.
fn variables_read(cfa: &Cfa, edge: EdgeId) -> Vec<VarId> {
    let exprs = &cfa.program.exprs;
    let mut open: Vec<ExprId> = match &cfa.edge(edge).op {
        Op::Assign { value, .. } => vec![*value],
        Op::Assume { condition, .. } => vec![*condition],
        Op::Call { args, .. } | Op::Library { args, .. } | Op::External { args, .. } => args.clone(),
        Op::Return { value } => value.iter().copied().collect(),
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Zero { .. }
        | Op::Havoc { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. } => Vec::new(),
    };
    open.reverse();
    let mut found = Vec::new();
    while let Some(id) = open.pop() {
        match exprs.expr(id).kind {
            ExprKind::Load(place) => match exprs.place(place).kind {
                PlaceKind::Var(var) if !found.contains(&var) => found.push(var),
                _ => {}
            },
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => open.push(a),
            ExprKind::Binary(_, a, b) => open.extend([b, a]),
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Addr(_) | ExprKind::Function(_) => {}
        }
    }
    found
}

impl Observer for Watch<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        // Those of other origins have no points.
        let has_point = |record: &InputRecord| {
            matches!(
                record.request.origin,
                InputOrigin::Uninitialised | InputOrigin::Havoc(HavocSource::Input(_))
            )
        };
        while let Some((_, rest)) = self.records.split_first().filter(|(record, _)| !has_point(record)) {
            self.records = rest;
        }
        self.unwritten(edge, view);
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        let cfa = view.cfa();
        let waiting = self.waiting.take();
        match cfa.edge(edge).op {
            Op::Havoc { place, source: HavocSource::Input(_) } => {
                let given = view.read(place);
                let is_temporary = is_temporary(cfa, place);
                let stored = (!is_temporary).then(|| given.clone());
                self.waiting = is_temporary.then_some(place);
                self.inputs.push(Input { edge, given, stored, unwritten: None });
                // Its own record, behind those that nothing was said about.
                let is_own = |record: &InputRecord| record.request.origin != InputOrigin::Uninitialised;
                let own = self.records.iter().position(is_own);
                self.records = own.and_then(|at| self.records.get(at + 1..)).unwrap_or(&[]);
            }
            Op::Assign { place, value } if waiting.is_some() && loaded(cfa, value) == waiting => {
                // By way of one temporary after the other, in the end to a place of the source.
                if is_temporary(cfa, place) {
                    self.waiting = Some(place);
                } else if let Some(input) = self.inputs.last_mut() {
                    input.stored = Some(view.read(place));
                }
            }
            _ => {}
        }
    }
}

/// The place that an expression reads, under any conversions.
pub(crate) fn loaded(cfa: &Cfa, mut value: ExprId) -> Option<PlaceId> {
    loop {
        match cfa.program.exprs.expr(value).kind {
            ExprKind::Load(place) => return Some(place),
            ExprKind::Cast(inner) => value = inner,
            _ => return None,
        }
    }
}

pub(crate) fn is_temporary(cfa: &Cfa, place: PlaceId) -> bool {
    match cfa.program.exprs.place(place).kind {
        PlaceKind::Var(var) => matches!(cfa.program.vars[var].kind, VarKind::Temp(_) | VarKind::Return(_)),
        PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
    }
}

struct Path<'p, 's> {
    places: &'p Places<'s>,
    style: Style,
    waypoints: Vec<Waypoint>,
    /// The statement that took the last input, if an assumption says so, and where in it.
    last_statement: Option<(usize, u32)>,
    /// The last point is about a variable that was never written.
    is_unwritten: bool,
}

impl Path<'_, '_> {
    fn input(&mut self, cfa: &Cfa, input: &Input) {
        let places = self.places;
        let Edge { span, op, .. } = cfa.edge(input.edge);
        let callee = match op {
            Op::Havoc { source: HavocSource::Input(function), .. } => {
                Some(cfa.program.func_name(*function).to_owned())
            }
            _ => None,
        };
        let last = self.last_statement.take();
        self.is_unwritten = false;
        let Some(index) = places.call_of(*span) else { return };
        let call = &places.calls[index];
        let statement = &places.statements[call.statement];
        let next = statement.next.map(|next| &places.statements[next]);
        let stored = input.stored.as_ref().and_then(|value| Some((call.assigned?, value)));
        // Control may come to a label from elsewhere.
        let next = next.filter(|next| next.kind != Kind::Label);
        if let (Style::After, Some((place, value))) = (self.style, stored)
            && let Some(condition) = equation(places.text(place), value)
        {
            let location = places.locate(call.span);
            self.waypoints.push(Waypoint { kind: PointKind::After(condition), location, callee });
        } else if let (Style::Before, Some((place, value)), Some(next)) = (self.style, stored, next)
            && let Some(condition) = equation(places.text(place), value)
        {
            self.last_statement = Some((call.statement, call.span.lo));
            // Declarations may take several inputs before the next statement.
            let is_same = last.is_some_and(|(before, at)| before == call.statement && at < call.span.lo);
            match self.waypoints.last_mut() {
                Some(Waypoint { kind: PointKind::Assumption(earlier), .. }) if is_same => {
                    *earlier = format!("{earlier} && {condition}");
                }
                _ => {
                    let location = places.locate(next.span);
                    self.waypoints.push(Waypoint {
                        kind: PointKind::Assumption(condition),
                        location,
                        callee,
                    });
                }
            }
        } else if let Some(condition) = equation("\\result", &input.given) {
            let location = places.locate(call.close);
            self.waypoints.push(Waypoint { kind: PointKind::Return(condition), location, callee });
        }
    }

    /// An assumption about a variable before the statement that reads it; zero is what readers take anyway.
    fn unwritten(&mut self, cfa: &Cfa, input: &Input, var: VarId) {
        self.last_statement = None;
        let variable = &cfa.program.vars[var];
        let is_local = matches!(variable.kind, VarKind::Local(_));
        let is_number = cfa.program.types.is_arithmetic(variable.ty);
        let statement = self.places.statement_at(cfa.edge(input.edge).span.lo);
        let statement =
            statement.map(|at| &self.places.statements[at]).filter(|statement| statement.kind != Kind::Label);
        let is_zero = matches!(input.given, Value::Int(0) | Value::Float { bits: 0, .. });
        if let (Style::Before, true, false, Some(statement)) =
            (self.style, is_local && is_number, is_zero, statement)
            && let Some(condition) = equation(cfa.program.var_name(var), &input.given)
        {
            let location = self.places.locate(statement.span);
            let is_same = std::mem::replace(&mut self.is_unwritten, true);
            match self.waypoints.last_mut() {
                Some(Waypoint { kind: PointKind::Assumption(earlier), location: other, .. })
                    if is_same && *other == location =>
                {
                    *earlier = format!("{earlier} && {condition}");
                }
                _ => {
                    let kind = PointKind::Assumption(condition);
                    self.waypoints.push(Waypoint { kind, location, callee: None });
                }
            }
        }
    }

    fn target(&mut self, span: Span) {
        let statement = self.places.statement_at(span.lo).map(|at| self.places.statements[at].span);
        let location = self.places.locate(statement.unwrap_or(span));
        self.waypoints.push(Waypoint { kind: PointKind::Target, location, callee: None });
    }
}

/// `place == value`, in C. None for values that have no constant.
fn equation(place: &str, value: &Value) -> Option<String> {
    Some(match value {
        Value::Int(number) => format!("{place} == {}", constant::integer(*number)),
        Value::Float { bits, kind } => {
            let text = constant::float(*bits, *kind);
            // Not a number: the only value that differs from itself.
            if text.contains("nan") { format!("{place} != {place}") } else { format!("{place} == {text}") }
        }
        Value::Pointer(Pointer::Null) => format!("{place} == 0"),
        Value::Pointer(Pointer::Other(address)) => format!("{place} == (void *){address}UL"),
        Value::Pointer(Pointer::Function(_) | Pointer::Object { .. })
        | Value::Aggregate
        | Value::Uninitialised
        | Value::Unknown => return None,
    })
}
