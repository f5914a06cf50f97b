//! Executions that follow a violation witness. Its constraints on inputs give the inputs, and every point
//! must be passed in its order before the target.
//!
//! A constraint gives an input in two cases: it speaks of the place to which a call is assigned, just before
//! the next statement, or of the call's `\result`. Other assumptions, and branches, are evaluated when they
//! are reached. For each of them the program has got a variable that holds the outcome
//! ([`crate::instrument`]). Inputs that the witness leaves open are zero in the first execution, then other
//! values, at last random.
//!
//! In the YAML formats, a point that is reached and not passed ends this execution's path along the witness.
//!
//! Where inputs are not obvious, [`lead`] makes a program that ends as soon as it leaves the witness. Any
//! engine that finds an error of it finds inputs. They count only if the execution with them follows the
//! witness here.

mod lead;
mod plan;

pub use lead::led;
pub use plan::{Asked, At, Plan, Probe};

use crate::constraint::{Comparison, without_blanks};
use crate::harness::Fill;
use crate::instrument::{Instrumented, PROBE};
use crate::places::Places;
use crate::witness::Order;
use plan::{Point, Step};
use std::cell::RefCell;
use std::rc::Rc;
use summa_base::IdVec;
use summa_c::print;
use summa_c::tree::{PlaceId, PlaceKind, VarId};
use summa_cfa::{Cfa, EdgeId, HavocSource, Op};
use summa_interp::{
    InputOrigin, InputRecord, InputRequest, InputSource, InputValue, List, Observer, Outcome, Policy,
    Program, Random, Scalar, Value, View, Zeros,
};

/// One execution under a plan.
pub struct Attempt {
    pub outcome: Outcome,
    /// How many points it passed, the target not among them.
    pub passed: usize,
    /// The execution passed a point that it had to avoid.
    pub is_discarded: bool,
}

/// A plan for a program: its own program, extended with a variable for each of its probes.
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
        let state = self.start();
        let mut inputs = Inputs { guide: self, state: state.clone(), open: Open::of(number) };
        self.watched(policy, &mut inputs, state)
    }

    /// Executes the program with these inputs.
    pub fn replay(&self, policy: &Policy, inputs: &[InputRecord]) -> Attempt {
        self.watched(policy, &mut List::replay(inputs), self.start())
    }

    fn start(&self) -> Rc<RefCell<State>> {
        let answers = vec![false; self.plan.probes.len()];
        Rc::new(RefCell::new(State { answers, ..State::default() }))
    }

    fn watched(&self, policy: &Policy, inputs: &mut dyn InputSource, state: Rc<RefCell<State>>) -> Attempt {
        let mut watch = Watch { guide: self, state: state.clone() };
        let outcome = summa_interp::run_observed(&self.program, inputs, policy, &mut watch);
        let state = state.borrow();
        Attempt { outcome, passed: state.passed, is_discarded: state.is_discarded }
    }

    /// Is the edge where the target is?
    pub fn is_target(&self, edge: EdgeId) -> bool {
        self.plan.is_target_at(self.places, self.offsets[edge])
    }
}

/// Where an execution is in its plan.
#[derive(Default)]
struct State {
    passed: usize,
    is_discarded: bool,
    /// The results of the calls of the current point.
    stored: Vec<(usize, Value)>,
    /// The last input on its way to a place: its call, and the temporary that holds it.
    waiting: Option<(usize, PlaceId)>,
    /// The last answers to the questions of the witness.
    answers: Vec<bool>,
}

struct Inputs<'i, 'g> {
    guide: &'i Guide<'g>,
    state: Rc<RefCell<State>>,
    open: Open,
}

/// Values for inputs that the witness leaves open. At first they are zero. Then values that are no inputs of
/// the program (unwritten variables, arguments of the entry function) change, all alike. Then everything is
/// random.
enum Open {
    Same(Option<Fill>, i128),
    Random(Random),
}

/// The number of executions before those with random values.
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
        let is_failure = matches!(request.origin, InputOrigin::Havoc(HavocSource::Allocation));
        match self {
            Self::Random(random) => random.next(request),
            _ if is_input || is_failure => Zeros.next(request),
            Self::Same(Some(fill), _) if request.origin == InputOrigin::Uninitialised => {
                Some(fill.value(request.scalar))
            }
            Self::Same(_, value) => Some(InputValue::Int(*value)),
        }
    }
}

impl Inputs<'_, '_> {
    /// The value of memory that an assumption is the first to read: what the next assumption about the same
    /// statement says about the place. Other assumptions about it are evaluated too, but belong to other
    /// visits.
    fn assumed(&self, request: &InputRequest) -> Option<InputValue> {
        if request.origin != InputOrigin::Uninitialised {
            return None;
        }
        let (plan, cfa) = (self.guide.plan, self.guide.program.cfa);
        let Point::Probe(next, true) = plan.steps.get(self.state.borrow().passed)?.follow else {
            return None;
        };
        let At::Statement(statement) = plan.probes[next].at else { return None };
        if self.guide.offsets[request.edge] != self.guide.places.statements[statement].span.lo {
            return None;
        }
        let read = crate::record::places_read(cfa, request.edge);
        let read: Vec<String> =
            read.into_iter().map(|place| without_blanks(&print::place(&cfa.program, place))).collect();
        match &plan.hints.get(next)?[..] {
            [only] => Some(only.suggestion()),
            all => all.iter().find(|one| read.contains(&one.place)).map(Comparison::suggestion),
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

    /// An assumption to come that is about the variable, unless an input is stored there first: then it does
    /// not matter.
    fn initial(&mut self, var: VarId, _: Scalar) -> Option<InputValue> {
        let passed = self.state.borrow().passed;
        let name = self.guide.program.cfa.program.var_name(var);
        let steps = self.guide.plan.steps.get(passed..)?;
        steps.iter().find_map(|step| match step.follow {
            Point::Probe(number, _) => {
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
            Some(Point::Stored { all, .. }) => {
                all.iter().find(|(call, _)| Some(*call) == asked).map(|(_, comparison)| comparison)
            }
            Some(Point::Result(calls, all, _)) if asked.is_some_and(|asked| calls.contains(&asked)) => {
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
    /// Something happened: is the current point passed by it, or one that is to be avoided? None: it is not
    /// about this point.
    fn happened(&self, state: &mut State, is_passed: impl Fn(&Point, &State) -> Option<bool>) {
        let Some(step) = self.guide.plan.steps.get(state.passed) else { return };
        if step.avoid.iter().any(|point| is_passed(point, state) == Some(true)) {
            state.is_discarded = true;
        }
        match is_passed(&step.follow, state) {
            Some(true) => {
                state.passed += 1;
                state.stored.clear();
            }
            Some(false) if self.guide.plan.order == Order::FirstDecides => state.is_discarded = true,
            _ => {}
        }
    }

    /// The input of a call is stored with this value.
    fn stored(&self, state: &mut State, call: usize, value: &Value) {
        let step = self.guide.plan.steps.get(state.passed);
        let about = |point: &Point| match point {
            Point::Stored { all, .. } => all.iter().any(|(one, _)| *one == call),
            _ => false,
        };
        let Some(Step { follow, avoid, .. }) = step else { return };
        if !avoid.iter().chain([follow]).any(about) {
            return;
        }
        state.stored.retain(|(one, _)| *one != call);
        state.stored.push((call, value.clone()));
        self.happened(state, |point, state| match point {
            Point::Stored { all, .. } if about(point) => {
                let value_of = |call: usize| state.stored.iter().find(|(one, _)| *one == call);
                let holds = |(call, comparison): &(usize, Comparison)| {
                    value_of(*call).map(|(_, value)| comparison.holds(value))
                };
                let known: Vec<bool> = all.iter().filter_map(holds).collect();
                // Those of the same statement may still come.
                if known.contains(&false) { Some(false) } else { (known.len() == all.len()).then_some(true) }
            }
            _ => None,
        });
    }
}

impl Observer for Watch<'_, '_> {
    fn before(&mut self, edge: EdgeId, _: &View<'_>) {
        if let Some(call) = self.guide.calls[edge] {
            let is_it = |point: &Point, _: &State| match point {
                Point::Enter(one) if *one == call => Some(true),
                _ => None,
            };
            self.happened(&mut self.state.borrow_mut(), is_it);
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
            self.happened(&mut state, |point, _| match point {
                Point::Result(calls, all, _) if calls.contains(&call) => Some(
                    all.iter().all(|comparison| value.as_ref().is_some_and(|value| comparison.holds(value))),
                ),
                _ => None,
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
        let plan = self.guide.plan;
        let Some(number) = probe_number(cfa, place).filter(|&number| number < plan.probes.len()) else {
            return;
        };
        state.answers[number] = view.read(place) != Value::Int(0);
        // All that is asked at a place is one moment, but automata take one edge after the other.
        let here = &plan.probes[number].at;
        let is_single = plan.order == Order::AnyTime;
        if is_single || plan.is_last[number] {
            self.happened(&mut state, |point, state| match *point {
                Point::Probe(one, wanted) if one == number || !is_single && plan.probes[one].at == *here => {
                    Some(state.answers[one] == wanted)
                }
                _ => None,
            });
        }
    }
}
