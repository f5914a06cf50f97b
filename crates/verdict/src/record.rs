//! A violation witness from an execution: one point for each input, and the error.
//!
//! If an input is stored, its point is an assumption about that place, just before the next statement: all
//! readers of witnesses understand that. If the value goes elsewhere (`if (__VERIFIER_nondet_int())`), its
//! point is the result of the call. If a variable or allocated memory is read before it is written, the point
//! is an assumption before the statement that reads it. There are no other points: the inputs determine an
//! execution, and a reader could misunderstand any further point. Where a location would mean several
//! statements or calls, as in a macro, there is no point either.

use crate::constant;
use crate::places::{Kind, Location, Places};
use crate::witness::{PointKind, Segment, Waypoint};
use std::collections::VecDeque;
use summa_base::{FxHashSet, IdVec};
use summa_c::Span;
use summa_c::print;
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
    /// At the line of the call, with the meaning "after it".
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
    let of_edge = |edge: &Edge| places.statement_at(edge.span.lo);
    let statements = program.cfa.edges.values().map(of_edge).collect();
    let mut watch =
        Watch { records: inputs, inputs: Vec::new(), waiting: None, statements, visit: 0, last: None };
    summa_interp::run_observed(program, &mut List::replay(inputs), policy, &mut watch);
    let (waypoints, zeros) = (Vec::new(), Vec::new());
    let mut path = Path { places, style, waypoints, zeros, last_statement: None, unwritten_in: None };
    for input in &watch.inputs {
        match input.unwritten {
            Some(place) => path.unwritten(program.cfa, input, place),
            None => path.input(program.cfa, input),
        }
    }
    path.drop_zeros();
    path.target(program.cfa.edge(target).span);
    path.waypoints.into_iter().map(Segment::from).collect()
}

/// An input of the program, as it was used.
struct Input {
    edge: EdgeId,
    /// The result of the call.
    given: Value,
    /// The value of the place to which the source assigns the result.
    stored: Option<Value>,
    /// The input is no call, but the first read of this place.
    unwritten: Option<PlaceId>,
    /// In which visit of a statement.
    visit: u64,
}

/// Sees the inputs of a run, and where their values go.
struct Watch<'w> {
    /// The records that are still to come.
    records: &'w [InputRecord],
    inputs: Vec<Input>,
    /// The temporary that holds the last input on its way to a place.
    waiting: Option<PlaceId>,
    /// The statement of each edge, how often control came to another one, and the last one.
    statements: IdVec<EdgeId, Option<usize>>,
    visit: u64,
    last: Option<usize>,
}

impl Watch<'_> {
    /// The records for places that this edge reads and that were never written: one for each such place, or
    /// all records if none is found.
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
        let read = places_read(cfa, edge);
        let is_unwritten = |&place: &PlaceId| view.read(place) == Value::Uninitialised;
        let mut unwritten: VecDeque<PlaceId> = read.iter().copied().filter(is_unwritten).collect();
        let is_known = !unwritten.is_empty();
        let mut named: Vec<PlaceId> = Vec::new();
        while let Some((record, rest)) = self.records.split_first().filter(|(record, _)| is_ours(record)) {
            let InputRequest { scalar, .. } = record.request;
            let given = match scalar.float_kind() {
                Some(kind) => Value::Float { bits: record.bits, kind },
                None => Value::Int(scalar.to_int(record.bits)),
            };
            // A condition is shown when it has been evaluated: then the place has the value already.
            let has_it = |&place: &PlaceId| {
                let is_in_memory = !matches!(cfa.program.exprs.place(place).kind, PlaceKind::Var(_));
                let is_of_kind = is_in_memory || record.allocated.is_none();
                is_of_kind && !named.contains(&place) && number(&view.read(place)) == number(&given)
            };
            let place =
                unwritten.pop_front().or_else(|| read.iter().copied().find(has_it).filter(|_| !is_known));
            // The next one is of another visit, if something was found for this one.
            if place.is_none() && (is_known || !named.is_empty()) {
                break;
            }
            self.records = rest;
            if let Some(place) = place {
                named.push(place);
                let visit = self.visit;
                self.inputs.push(Input { edge, given, stored: None, unwritten: Some(place), visit });
            }
        }
    }
}

/// The value as a number, if it is one: a pointer into an object has none.
fn number(value: &Value) -> Option<u128> {
    match value {
        Value::Int(number) => Some(*number as u128),
        Value::Float { bits, .. } => Some(*bits),
        Value::Pointer(Pointer::Null) => Some(0),
        Value::Pointer(Pointer::Other(address)) => Some((*address).into()),
        Value::Pointer(_) | Value::Aggregate | Value::Uninitialised | Value::Unknown => None,
    }
}

/// The places whose values an edge uses, in the order of evaluation as far as it matters here: a pointer
/// before its target.
pub(crate) fn places_read(cfa: &Cfa, edge: EdgeId) -> Vec<PlaceId> {
    let mut found = Vec::new();
    let mut read = |expr: &ExprId| expr_reads(cfa, *expr, &mut found);
    match &cfa.edge(edge).op {
        Op::Assign { value, .. } => read(value),
        Op::Assume { condition, .. } => read(condition),
        Op::Call { args, .. } | Op::Library { args, .. } | Op::External { args, .. } => {
            args.iter().for_each(read);
        }
        Op::Return { value } => value.iter().for_each(read),
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Zero { .. }
        | Op::Havoc { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. } => {}
    }
    if let Op::Assign { place, .. } | Op::Zero { place } | Op::Havoc { place, .. } = cfa.edge(edge).op {
        place_reads(cfa, place, &mut found);
    }
    found
}

fn expr_reads(cfa: &Cfa, expr: ExprId, found: &mut Vec<PlaceId>) {
    match cfa.program.exprs.expr(expr).kind {
        ExprKind::Load(place) => {
            place_reads(cfa, place, found);
            if !found.contains(&place) {
                found.push(place);
            }
        }
        ExprKind::Unary(_, a) | ExprKind::Cast(a) => expr_reads(cfa, a, found),
        ExprKind::Binary(_, a, b) => {
            expr_reads(cfa, a, found);
            expr_reads(cfa, b, found);
        }
        ExprKind::Addr(place) => place_reads(cfa, place, found),
        ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
    }
}

/// The places that must be read to compute the address of a place.
fn place_reads(cfa: &Cfa, place: PlaceId, found: &mut Vec<PlaceId>) {
    match cfa.program.exprs.place(place).kind {
        PlaceKind::Var(_) => {}
        PlaceKind::Deref(pointer) => expr_reads(cfa, pointer, found),
        PlaceKind::Field(base, _) => place_reads(cfa, base, found),
        PlaceKind::Index(base, index) => {
            place_reads(cfa, base, found);
            expr_reads(cfa, index, found);
        }
    }
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
        let here = self.statements[edge];
        self.visit += u64::from(std::mem::replace(&mut self.last, here) != here);
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
                self.inputs.push(Input { edge, given, stored, unwritten: None, visit: self.visit });
                // Its own record, after records without a point.
                let is_own = |record: &InputRecord| {
                    matches!(record.request.origin, InputOrigin::Havoc(HavocSource::Input(_)))
                };
                let own = self.records.iter().position(is_own);
                self.records = own.and_then(|at| self.records.get(at + 1..)).unwrap_or(&[]);
            }
            Op::Assign { place, value } if waiting.is_some() && loaded(cfa, value) == waiting => {
                // Follows temporaries to a place of the source.
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
    /// Points that only say that unwritten memory is zero.
    zeros: Vec<usize>,
    /// The statement that took the last input, if an assumption says so, and where in it.
    last_statement: Option<(usize, u32)>,
    /// The last point is about unwritten memory that was read in this visit of its statement.
    unwritten_in: Option<u64>,
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
        self.unwritten_in = None;
        let Some(index) = places.call_of(*span) else { return };
        let call = &places.calls[index];
        let statement = &places.statements[call.statement];
        let next = statement.next.map(|next| &places.statements[next]);
        let stored = input.stored.as_ref().and_then(|value| Some((call.assigned?, value)));
        // Control may come to a label from elsewhere.
        let is_before = self.style == Style::Before;
        let is_clear = |next: usize| !is_before || places.names_statement(next);
        let next = next.filter(|next| next.kind != Kind::Label && statement.next.is_some_and(is_clear));
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
        } else if let Some(condition) = equation("\\result", &input.given)
            && (!is_before || places.names_call(index))
        {
            let location = places.locate(call.close);
            self.waypoints.push(Waypoint { kind: PointKind::Return(condition), location, callee });
        }
    }

    /// Readers assume zero by default, unless a later visit of the same place has another value.
    fn drop_zeros(&mut self) {
        let zeros = std::mem::take(&mut self.zeros);
        let is_zero = |at: usize| zeros.binary_search(&at).is_ok();
        let others = self.waypoints.iter().enumerate().filter(|(at, _)| !is_zero(*at));
        let wanted: FxHashSet<(String, u32, Option<u32>)> =
            others.map(|(_, point)| key(&point.location)).collect();
        let mut at = 0;
        self.waypoints.retain(|point| {
            at += 1;
            !is_zero(at - 1) || wanted.contains(&key(&point.location))
        });
    }

    /// Adds an assumption about unwritten memory, before the statement that reads it.
    fn unwritten(&mut self, cfa: &Cfa, input: &Input, place: PlaceId) {
        self.last_statement = None;
        let is_variable = matches!(cfa.program.exprs.place(place).kind, PlaceKind::Var(_));
        let ty = cfa.program.exprs.place(place).ty;
        let is_number = cfa.program.types.is_arithmetic(ty);
        let statement = self.places.statement_at(cfa.edge(input.edge).span.lo);
        let statement = statement.filter(|&at| match self.style {
            Style::Before => self.places.names_statement(at),
            Style::After => self.places.is_first_on_its_line(at),
        });
        let statement =
            statement.map(|at| &self.places.statements[at]).filter(|statement| statement.kind != Kind::Label);
        let is_zero = matches!(input.given, Value::Int(0) | Value::Float { bits: 0, .. });
        let given = match input.given {
            // In memory a pointer has a number only if it leads to the environment.
            Value::Int(address) if !is_number && !is_variable => match u64::try_from(address) {
                Ok(address) => Value::Pointer(Pointer::Other(address)),
                Err(_) => return,
            },
            _ if !is_number => return,
            ref given => given.clone(),
        };
        // A condition changes nothing: what holds before it also holds after it.
        let is_condition = matches!(cfa.edge(input.edge).op, Op::Assume { .. });
        let can_be_said = self.style == Style::Before || is_condition;
        // Automata wait for the visit that is meant.
        let is_left_out = is_zero && self.style == Style::After;
        if let (true, false, Some(statement)) =
            (can_be_said && is_of_source(cfa, place), is_left_out, statement)
            && let Some(condition) = equation(&print::place(&cfa.program, place), &given)
        {
            let location = self.places.locate(statement.span);
            // One visit passes one point. Automata have one point for each part of memory, so that readers
            // can match values with parts.
            let visit = (is_variable || self.style == Style::Before).then_some(input.visit);
            let is_same = visit.is_some() && std::mem::replace(&mut self.unwritten_in, visit) == visit;
            match self.waypoints.last_mut() {
                Some(Waypoint { kind: PointKind::Assumption(earlier), location: other, .. })
                    if is_same && *other == location =>
                {
                    *earlier = format!("{earlier} && {condition}");
                    if !is_zero && self.zeros.last() == Some(&(self.waypoints.len() - 1)) {
                        self.zeros.pop();
                    }
                }
                _ => {
                    if is_zero {
                        self.zeros.push(self.waypoints.len());
                    }
                    let kind = match self.style {
                        Style::Before => PointKind::Assumption(condition),
                        Style::After => PointKind::After(condition),
                    };
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

fn key(location: &Location) -> (String, u32, Option<u32>) {
    (location.file.clone(), location.line, location.column)
}

/// Is the place written with variables that the source has, and a reader of the statement too?
fn is_of_source(cfa: &Cfa, place: PlaceId) -> bool {
    let mut read = Vec::new();
    place_reads(cfa, place, &mut read);
    let roots = read.iter().chain([&place]).filter_map(|&place| cfa.program.exprs.root(place));
    let promoted: Vec<VarId> = cfa.promoted.values().copied().collect();
    let is_named = |var: VarId| {
        let kind = cfa.program.vars[var].kind;
        matches!(kind, VarKind::Local(_) | VarKind::Param(_) | VarKind::Global) && !promoted.contains(&var)
    };
    roots.into_iter().all(is_named)
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
