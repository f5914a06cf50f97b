//! Queries: along concrete runs, every answer of a component holds, about every expression and place that the
//! run meets. The states of components that believe each other's answers still describe the run.

use crate::meaning::{Concrete, interval_describes, linear_describes, octagon_describes, value_describes};
use summa_base::IdSet;
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind};
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{Answer, Arrival, Cpa, Move, Product, Query, Step};
use summa_domains::interval::Intervals;
use summa_domains::linear::Linear;
use summa_domains::octagon::Octagons;
use summa_domains::{AnyPrecision, AnyState, Domain, scalars, value};
use summa_facts::Analyses;
use summa_interp::{InputSource, Observer, Policy, Random, View, Zeros};

const MAX_STEPS: u64 = 2_000;

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) steps: usize,
    /// Answers about numbers, about zero, about sizes, about places.
    pub(crate) ranges: usize,
    pub(crate) zeros: usize,
    pub(crate) sizes: usize,
    pub(crate) aliases: usize,
    /// Moves behind which a component knew more because it had asked.
    pub(crate) gains: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.ranges += other.ranges;
        self.zeros += other.zeros;
        self.sizes += other.sizes;
        self.aliases += other.aliases;
        self.gains += other.gains;
    }
}

/// All domains that answer, without reductions: what one learns from another, it has asked for.
fn product<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Product<Domain<'a>> {
    Product::new(vec![
        Domain::Value(value::Value::new(cfa, facts, value::Options::default())),
        Domain::Interval(Intervals::new(cfa, facts, scalars::Options::default())),
        Domain::Linear(Linear::new(cfa, facts)),
        Domain::Octagon(Octagons::new(cfa, facts)),
    ])
}

struct Follower<'a> {
    cfa: &'a Cfa,
    product: Product<Domain<'a>>,
    states: Vec<AnyState>,
    precisions: Vec<AnyPrecision>,
    calls: Vec<EdgeId>,
    counts: Counts,
    failure: Option<String>,
}

impl Follower<'_> {
    fn fail(&mut self, what: &str, edge: EdgeId) {
        let text = self.cfa.edges[edge].op.text(&self.cfa.program);
        let shown: Vec<String> =
            self.product.components.iter().zip(&self.states).map(|(one, state)| one.show(state)).collect();
        self.failure.get_or_insert_with(|| format!("{what} at `{text}`: {shown:?}"));
    }

    fn check(&mut self, edge: EdgeId, node: NodeId, view: &View<'_>) {
        let now = Concrete { cfa: self.cfa, node, calls: &self.calls, view };
        let (components, states) = (&self.product.components, &self.states);
        let describes = value_describes(&components[0], &states[0], &now)
            && interval_describes(&components[1], &states[1], &now)
            && linear_describes(&components[2], &states[2], &now)
            && octagon_describes(&components[3], &states[3], &now);
        if !describes {
            self.fail("the states do not describe the run", edge);
        }
    }

    /// Asks every component about all that the edge looks at.
    fn ask(&mut self, edge: EdgeId, view: &View<'_>) {
        let (exprs, places) = looked_at(self.cfa, edge);
        let mut wrong = None;
        for (component, state) in self.product.components.iter().zip(&self.states) {
            let mut counts = self.counts;
            let mut ask = |query: Query| {
                let holds = holds(self.cfa, view, query, component.answer(state, query), &mut counts);
                if !holds {
                    wrong = Some(format!("{} answers {query:?} wrongly", component.name()));
                }
            };
            for &expr in &exprs {
                [Query::Range(expr), Query::IsZero(expr), Query::Size(expr)].into_iter().for_each(&mut ask);
            }
            for (i, &a) in places.iter().enumerate() {
                places[..i].iter().for_each(|&b| ask(Query::MayAlias(a, b)));
            }
            self.counts = counts;
        }
        if let Some(wrong) = wrong {
            self.fail(&wrong, edge);
        }
    }

    fn step(&mut self, by: Move) {
        let before: std::rc::Rc<[AnyState]> = self.states.clone().into();
        let precisions: std::rc::Rc<[AnyPrecision]> = self.precisions.clone().into();
        let successors = self.product.transfer(&before, &precisions, by).unwrap_or_default();
        let [successor] = &successors[..] else { return self.fail("no successor", by.step.edge()) };
        let at = Arrival { node: by.to, by: Some(by), is_target: false };
        for (i, component) in self.product.components.iter_mut().enumerate() {
            let (state, precision) = (successor[i].clone(), &precisions[i]);
            let alone = component.transfer(&before[i], precision, by).unwrap_or_default();
            if let [alone] = &alone[..]
                && *alone != state
            {
                if component.stop(&state, alone, precision) != Ok(true) {
                    let name = component.name();
                    return self.fail(&format!("{name} knows less because it has asked"), by.step.edge());
                }
                self.counts.gains += 1;
            }
            if let Ok(Some((state, _))) = component.prec(state, precision, &at) {
                self.states[i] = state;
            }
        }
    }
}

/// The expressions and places of an edge with all their parts.
fn looked_at(cfa: &Cfa, edge: EdgeId) -> (Vec<ExprId>, Vec<PlaceId>) {
    let tree = &cfa.program.exprs;
    let (mut exprs, mut places) = (Vec::new(), Vec::new());
    match cfa.edges[edge].op {
        Op::Assign { place, value } => (places, exprs) = (vec![place], vec![value]),
        Op::Assume { condition, .. } => exprs.push(condition),
        Op::Return { value } => exprs.extend(value),
        Op::Call { ref args, .. } | Op::Library { ref args, .. } => exprs.extend(args.iter().copied()),
        Op::Havoc { place, .. } | Op::Zero { place } => places.push(place),
        _ => {}
    }
    let (mut seen, mut seen_places) = (IdSet::new(), IdSet::new());
    while !exprs.is_empty() || !places.is_empty() {
        while let Some(place) = places.pop() {
            if !seen_places.insert(place) {
                continue;
            }
            match tree.place(place).kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Field(inner, _) => places.push(inner),
                PlaceKind::Deref(pointer) => exprs.push(pointer),
                PlaceKind::Index(inner, index) => {
                    places.push(inner);
                    exprs.push(index);
                }
            }
        }
        if let Some(expr) = exprs.pop()
            && seen.insert(expr)
        {
            match tree.expr(expr).kind {
                ExprKind::Load(place) | ExprKind::Addr(place) => places.push(place),
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => exprs.push(a),
                ExprKind::Binary(_, a, b) => exprs.extend([a, b]),
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            }
        }
    }
    (seen.iter().collect(), seen_places.iter().collect())
}

/// Does the answer hold in the run? What the run cannot tell may be anything.
fn holds(cfa: &Cfa, view: &View<'_>, query: Query, answer: Answer, counts: &mut Counts) -> bool {
    let program = &cfa.program;
    let number = |expr: ExprId| view.evaluate(expr);
    match (query, answer) {
        (_, Answer::Unknown) => true,
        // A component alone never contradicts itself where a run is.
        (_, Answer::Nothing) => false,
        (Query::Range(expr), Answer::Range(lower, upper)) => {
            assert!(program.types.is_integer(program.exprs.type_of(expr)), "only integers have numbers");
            number(expr).is_none_or(|number| {
                counts.ranges += 1;
                (lower..=upper).contains(&number)
            })
        }
        (Query::IsZero(expr), Answer::Truth(is_zero)) => number(expr).is_none_or(|number| {
            counts.zeros += 1;
            is_zero == (number == 0)
        }),
        (Query::Size(pointer), Answer::Range(least, most)) => {
            let address = number(pointer).and_then(|address| u64::try_from(address).ok());
            address.and_then(|address| view.object_at(address)).is_none_or(|(_, size)| {
                counts.sizes += 1;
                (least..=most).contains(&size.into())
            })
        }
        (Query::MayAlias(a, b), Answer::Truth(may)) => {
            let part = |place: PlaceId| {
                let size = program.types.size_of(program.exprs.place(place).ty)?;
                view.address_of(place).map(|start| (start, start + size))
            };
            part(a).zip(part(b)).is_none_or(|((start, end), (from, to))| {
                counts.aliases += 1;
                may || end <= from || to <= start
            })
        }
        _ => false,
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        self.counts.steps += 1;
        self.check(edge, self.cfa.edges[edge].from, view);
        self.ask(edge, view);
        if self.failure.is_some() {
            return;
        }
        let by = Move::along(self.cfa, edge);
        if matches!(by.step, Step::Enter(_)) {
            self.calls.push(edge);
        }
        self.step(by);
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        if let Some(by) = Move::back(self.cfa, edge) {
            self.calls.pop();
            self.step(by);
        }
        self.check(edge, self.cfa.edges[edge].to, view);
    }
}

/// Follows some runs of a program.
pub(crate) fn check_program(cfa: &Cfa) -> Result<Counts, String> {
    let facts = Analyses::new(cfa);
    let program = summa_interp::Program::new(cfa);
    let policy = Policy { max_steps: MAX_STEPS, ..Policy::reachability() };
    let mut counts = Counts::default();
    for seed in 0..3 {
        let mut inputs: Box<dyn InputSource> =
            if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
        let mut product = product(cfa, &facts);
        let (states, precisions) = product.initial(cfa.entry());
        let mut follower = Follower {
            cfa,
            product,
            states: states.to_vec(),
            precisions: precisions.to_vec(),
            calls: Vec::new(),
            counts: Counts::default(),
            failure: None,
        };
        summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
        counts.add(&follower.counts);
        if let Some(failure) = follower.failure {
            return Err(failure);
        }
    }
    Ok(counts)
}
