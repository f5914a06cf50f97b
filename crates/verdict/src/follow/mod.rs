//! Executions that follow a violation witness: its constraints on inputs give the inputs, and every point must be passed in its
//! order before the target.
//!
//! A constraint gives an input where it speaks of the place that a call is assigned to, just before the next statement, or of the
//! call's `\result`. Other assumptions are looked at when they come: the program has been given a variable for each of them
//! ([`crate::instrument`]). A point that is reached while its constraint is false is not passed, and may be later. What
//! the witness leaves open is zero in the first execution, then something else, at last random.
//!
//! Limits: branches of `switch` by their case are not followed.

mod plan;

pub use plan::{Plan, Probe};

use crate::constraint::Comparison;
use crate::harness::Fill;
use crate::instrument::{Instrumented, PROBE};
use crate::places::{Branch, Places};
use plan::{Point, Step};
use std::cell::RefCell;
use std::rc::Rc;
use summa_base::IdVec;
use summa_c::Span;
use summa_c::tree::{PlaceId, PlaceKind, VarId};
use summa_cfa::{Cfa, EdgeId, HavocSource, Op};
use summa_interp::{
    InputOrigin, InputRequest, InputSource, InputValue, Observer, Outcome, Policy, Program, Random, Scalar,
    Value, View, Zeros,
};

/// One execution under a plan.
pub struct Attempt {
    pub outcome: Outcome,
    /// How many points it passed, the target not among them.
    pub passed: usize,
    /// It passed one that it had to avoid.
    pub is_discarded: bool,
}

/// A plan for a program: the one it was made for, with a variable for each of its probes.
pub struct Guide<'g> {
    plan: &'g Plan,
    places: &'g Places<'g>,
    program: Program<'g>,
    /// For each edge, its position in the original text, and its call there.
    offsets: IdVec<EdgeId, u32>,
    calls: IdVec<EdgeId, Option<usize>>,
}

impl<'g> Guide<'g> {
    pub fn new(plan: &'g Plan, places: &'g Places<'g>, cfa: &'g Cfa, instrumented: &Instrumented) -> Self {
        let (mut offsets, mut calls) = (IdVec::new(), IdVec::new());
        for edge in cfa.edges.values() {
            let span = instrumented.original(edge.span);
            offsets.push(span.lo);
            let is_call = matches!(
                edge.op,
                Op::Havoc { source: HavocSource::Input(_), .. }
                    | Op::Call { .. }
                    | Op::External { .. }
                    | Op::Library { .. }
                    | Op::Error { .. }
            );
            calls.push(if is_call { places.call_of(span) } else { None });
        }
        Self { plan, places, program: Program::new(cfa), offsets, calls }
    }

    /// Executes the program; the same for the same number.
    pub fn attempt(&self, policy: &Policy, number: u64) -> Attempt {
        let state = Rc::new(RefCell::new(State::default()));
        let mut inputs = Inputs { guide: self, state: state.clone(), open: Open::of(number) };
        let mut watch = Watch { guide: self, state: state.clone() };
        let outcome = summa_interp::run_observed(&self.program, &mut inputs, policy, &mut watch);
        let state = state.borrow();
        Attempt { outcome, passed: state.passed, is_discarded: state.is_discarded }
    }

    /// Is the edge where the target is?
    pub fn is_target(&self, edge: EdgeId) -> bool {
        let offset = self.offsets[edge];
        self.plan.steps.last().is_some_and(|step| match &step.follow {
            Point::Target(Ok(statement)) => {
                let span = self.places.statements[*statement].span;
                span.lo <= offset && offset < span.hi
            }
            Point::Target(Err(location)) => {
                let statement = self.places.statement_at(offset).map(|at| self.places.statements[at].span);
                let here = [Some(Span::new(offset, offset)), statement];
                here.into_iter().flatten().any(|span| self.places.is_at(span, location))
            }
            _ => false,
        })
    }
}

/// Where an execution is in its plan.
#[derive(Default)]
struct State {
    passed: usize,
    is_discarded: bool,
    /// The calls of the current point that gave what they should.
    satisfied: Vec<usize>,
    /// The last input on its way to a place: its call, and the temporary that holds it.
    waiting: Option<(usize, PlaceId)>,
    /// A condition that is being evaluated, and how deep in calls.
    evaluated: Option<(Branch, usize)>,
}

struct Inputs<'i, 'g> {
    guide: &'i Guide<'g>,
    state: Rc<RefCell<State>>,
    open: Open,
}

/// What the witness leaves open. Zero first; then whatever is no input of the program (variables that were never written, arguments
/// of the entry function) takes other values, all of it the same; then everything is random.
enum Open {
    Same(Option<Fill>, i128),
    Random(Random),
}

/// So many executions before those with random values.
const PLAIN_ATTEMPTS: u64 = 10;

impl Open {
    fn of(number: u64) -> Self {
        match number {
            0 => Self::Same(None, 0),
            1 => Self::Same(Some(Fill::Pattern), 0),
            _ if number < PLAIN_ATTEMPTS => Self::Same(None, i128::from(number) - 1),
            _ => Self::Random(Random::new(number)),
        }
    }
}

impl InputSource for Open {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        let is_input = matches!(request.origin, InputOrigin::Havoc(HavocSource::Input(_)));
        match self {
            Self::Random(random) => random.next(request),
            _ if is_input || request.origin == InputOrigin::Allocation => Zeros.next(request),
            Self::Same(Some(fill), _) if request.origin == InputOrigin::Uninitialised => {
                Some(fill.value(request.scalar))
            }
            Self::Same(_, value) => Some(InputValue::Int(*value)),
        }
    }
}

impl Inputs<'_, '_> {
    /// What memory holds that an assumption is the first to read: what the next assumption about the same statement says. The
    /// others about it are evaluated too, but belong to other visits.
    fn assumed(&self, request: &InputRequest) -> Option<InputValue> {
        let Op::Assign { place, .. } = self.guide.program.cfa.edge(request.edge).op else { return None };
        let plan = self.guide.plan;
        let here = plan.probes.get(probe_number(self.guide.program.cfa, place)?)?.statement;
        let Point::Probe(next) = plan.steps.get(self.state.borrow().passed)?.follow else { return None };
        match &plan.hints.get(next)?[..] {
            [only] if request.origin == InputOrigin::Uninitialised && plan.probes[next].statement == here => {
                Some(only.suggestion())
            }
            _ => None,
        }
    }
}

/// The number of the assumption whose truth the place holds.
fn probe_number(cfa: &Cfa, place: PlaceId) -> Option<usize> {
    let PlaceKind::Var(var) = cfa.program.exprs.place(place).kind else { return None };
    cfa.program.var_name(var).strip_prefix(PROBE)?.parse().ok()
}

impl InputSource for Inputs<'_, '_> {
    fn knows_initial(&self) -> bool {
        !self.guide.plan.probes.is_empty()
    }

    /// An assumption to come that is about the variable, unless an input is stored there first: then it does not matter.
    fn initial(&mut self, var: VarId, _: Scalar) -> Option<InputValue> {
        let passed = self.state.borrow().passed;
        let name = self.guide.program.cfa.program.var_name(var);
        let steps = self.guide.plan.steps.get(passed..)?;
        steps.iter().find_map(|step| match step.follow {
            Point::Probe(number) => {
                let all = self.guide.plan.hints.get(number)?;
                all.iter().find(|comparison| comparison.place == name).map(Comparison::suggestion)
            }
            _ => None,
        })
    }

    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        if !matches!(request.origin, InputOrigin::Havoc(HavocSource::Input(_))) {
            return self.assumed(request).or_else(|| self.open.next(request));
        }
        let state = self.state.borrow();
        let asked = self.guide.calls[request.edge];
        let wanted = match self.guide.plan.steps.get(state.passed).map(|step| &step.follow) {
            Some(Point::Stored(all)) => {
                all.iter().find(|(call, _)| Some(*call) == asked).map(|(_, comparison)| comparison)
            }
            Some(Point::Result(calls, all)) if asked.is_some_and(|asked| calls.contains(&asked)) => {
                all.first()
            }
            _ => None,
        };
        match wanted {
            Some(comparison) => Some(comparison.suggestion()),
            None => self.open.next(request),
        }
    }
}

struct Watch<'w, 'g> {
    guide: &'w Guide<'g>,
    state: Rc<RefCell<State>>,
}

impl Watch<'_, '_> {
    /// Something happened: is the current point passed by it, or one that is to be avoided?
    fn happened(&self, state: &mut State, is_passed: impl Fn(&Point) -> bool) {
        let Some(step) = self.guide.plan.steps.get(state.passed) else { return };
        if step.avoid.iter().any(&is_passed) {
            state.is_discarded = true;
        }
        if is_passed(&step.follow) {
            state.passed += 1;
            state.satisfied.clear();
        }
    }

    /// The input of a call is stored with this value.
    fn stored(&self, state: &mut State, call: usize, value: &Value) {
        let step = self.guide.plan.steps.get(state.passed);
        let Some(Step { follow: Point::Stored(all), .. }) = step else { return };
        if all.iter().any(|(one, comparison)| *one == call && comparison.holds(value)) {
            state.satisfied.push(call);
        }
        if all.iter().all(|(one, _)| state.satisfied.contains(one)) {
            self.happened(state, |point| matches!(point, Point::Stored(_)));
        }
    }

    /// A condition is evaluated, or it was and this edge shows where it led.
    fn branches(&self, state: &mut State, offset: u32, depth: usize) {
        let inside = |span: Span| span.lo <= offset && offset < span.hi;
        if let Some((branch, at)) = state.evaluated {
            match depth.cmp(&at) {
                std::cmp::Ordering::Less => state.evaluated = None,
                std::cmp::Ordering::Equal if !inside(branch.condition) => {
                    state.evaluated = None;
                    let taken = inside(branch.then);
                    self.happened(
                        state,
                        |point| matches!(*point, Point::Branch(b, t) if b == branch && t == taken),
                    );
                }
                _ => {}
            }
        }
        let Some(step) = self.guide.plan.steps.get(state.passed) else { return };
        let all = step.avoid.iter().chain([&step.follow]);
        let mut evaluated = all.filter_map(|point| match point {
            Point::Branch(branch, _) if inside(branch.condition) => Some(*branch),
            _ => None,
        });
        if let Some(branch) = evaluated.next_back() {
            state.evaluated = Some((branch, depth));
        }
    }
}

impl Observer for Watch<'_, '_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        let mut state = self.state.borrow_mut();
        self.branches(&mut state, self.guide.offsets[edge], view.depth());
        if let Some(call) = self.guide.calls[edge] {
            self.happened(&mut state, |point| matches!(point, Point::Enter(one) if *one == call));
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        let mut state = self.state.borrow_mut();
        let cfa = view.cfa();
        let waiting = state.waiting.take();
        let result = match cfa.edge(edge).op {
            Op::Havoc { place, source: HavocSource::Input(_) } => Some(place),
            Op::Call { result, .. } | Op::Library { result, .. } | Op::External { result, .. } => result,
            _ => None,
        };
        if let Some(call) = self.guide.calls[edge] {
            let value = result.map(|place| view.read(place));
            self.happened(&mut state, |point| match point {
                Point::Result(calls, all) if calls.contains(&call) => {
                    all.iter().all(|comparison| value.as_ref().is_some_and(|value| comparison.holds(value)))
                }
                _ => false,
            });
            if let (Some(place), Some(value)) = (result, &value) {
                if crate::record::is_temporary(cfa, place) {
                    state.waiting = Some((call, place));
                } else {
                    self.stored(&mut state, call, value);
                }
            }
            return;
        }
        let Op::Assign { place, value } = cfa.edge(edge).op else { return };
        if let Some((call, from)) = waiting
            && crate::record::loaded(cfa, value) == Some(from)
        {
            if crate::record::is_temporary(cfa, place) {
                state.waiting = Some((call, place));
            } else {
                self.stored(&mut state, call, &view.read(place));
            }
        }
        if let Some(number) = probe_number(cfa, place)
            && view.read(place) != Value::Int(0)
        {
            self.happened(&mut state, |point| matches!(point, Point::Probe(one) if *one == number));
        }
    }
}
