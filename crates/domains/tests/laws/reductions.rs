//! Reductions: along concrete runs, values, intervals and equations that tell each other what they know still
//! describe the run; and what a reduction gives is covered by what it was given.

use crate::meaning::{Concrete, interval_describes, linear_describes, value_describes};
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_cpa::{Arrival, Cpa, Move, Product, Step};
use summa_domains::interval::Intervals;
use summa_domains::linear::Linear;
use summa_domains::reductions::{REDUCTIONS, reduction};
use summa_domains::{AnyPrecision, AnyState, Domain, scalars, value};
use summa_facts::Analyses;
use summa_interp::{InputSource, Observer, Policy, Random, View, Zeros};

const MAX_STEPS: u64 = 3_000;

/// How values are followed: all, and few.
fn options() -> [value::Options; 2] {
    [value::Options::default(), value::Options { distinct_values: Some(3), ..value::Options::default() }]
}

/// Values, intervals and equations with all reductions.
fn reduced<'a>(cfa: &'a Cfa, facts: &'a Analyses, options: value::Options) -> Product<Domain<'a>> {
    let components = vec![
        Domain::Value(value::Value::new(cfa, facts, options)),
        Domain::Interval(Intervals::new(cfa, facts, scalars::Options::default())),
        Domain::Linear(Linear::new(cfa, facts)),
    ];
    let mut product = Product::new(components);
    product.reductions =
        REDUCTIONS.iter().map(|named| reduction(named, &product.components).unwrap()).collect();
    product
}

/// Follows a run with the product, applying each reduction by itself.
struct Follower<'a> {
    cfa: &'a Cfa,
    product: Product<Domain<'a>>,
    states: Vec<AnyState>,
    precisions: Vec<AnyPrecision>,
    calls: Vec<EdgeId>,
    steps: usize,
    /// Reductions that changed something.
    changes: usize,
    failure: Option<String>,
}

impl Follower<'_> {
    fn fail(&mut self, what: &str, edge: EdgeId) {
        let text = self.cfa.edges[edge].op.text(&self.cfa.program);
        let shown = self.shown();
        self.failure.get_or_insert_with(|| format!("{what} at `{text}`: {shown:?}"));
    }

    fn shown(&self) -> Vec<String> {
        self.product.components.iter().zip(&self.states).map(|(domain, state)| domain.show(state)).collect()
    }

    fn check(&mut self, edge: EdgeId, node: NodeId, view: &View<'_>) {
        let now = Concrete { cfa: self.cfa, node, calls: &self.calls, view };
        let describes = value_describes(&self.product.components[0], &self.states[0], &now)
            && interval_describes(&self.product.components[1], &self.states[1], &now)
            && linear_describes(&self.product.components[2], &self.states[2], &now);
        if !describes {
            self.fail("the states do not describe the run", edge);
        }
    }

    fn step(&mut self, by: Move) {
        for i in 0..self.states.len() {
            let next = self.product.components[i].transfer(&self.states[i], &self.precisions[i], by);
            match next.unwrap_or_default().pop() {
                Some(next) => self.states[i] = next,
                None => return self.fail("no successor", by.step.edge()),
            }
        }
        for index in 0..self.product.reductions.len() {
            let Product { components, reductions, .. } = &mut self.product;
            let (from, to, name) = (reductions[index].from, reductions[index].to, reductions[index].name);
            let (given, before, precision) = (&self.states[from], &self.states[to], &self.precisions[to]);
            let reduced = (reductions[index].apply)(&mut components[to], given, before, precision, by);
            let Some(reduced) = reduced else {
                return self.fail(&format!("{name} takes the run away"), by.step.edge());
            };
            if components[to].stop(&reduced, before, precision) != Ok(true) {
                return self.fail(&format!("{name} makes a state larger"), by.step.edge());
            }
            self.changes += usize::from(reduced != *before);
            self.states[to] = reduced;
        }
        let at = Arrival { node: by.to, by: Some(by), is_target: false };
        for i in 0..self.states.len() {
            let state = self.states[i].clone();
            if let Ok(Some((state, _))) = self.product.components[i].prec(state, &self.precisions[i], &at) {
                self.states[i] = state;
            }
        }
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        self.steps += 1;
        self.check(edge, self.cfa.edges[edge].from, view);
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

/// Follows some runs of a program: steps, and reductions that changed something.
pub(crate) fn check_program(cfa: &Cfa) -> Result<(usize, usize), String> {
    let facts = Analyses::new(cfa);
    let program = summa_interp::Program::new(cfa);
    let policy = Policy { max_steps: MAX_STEPS, ..Policy::reachability() };
    let (mut steps, mut changes) = (0, 0);
    for options in options() {
        for seed in 0..4 {
            let mut inputs: Box<dyn InputSource> =
                if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
            let mut product = reduced(cfa, &facts, options);
            let (states, precisions) = product.initial(cfa.entry());
            let mut follower = Follower {
                cfa,
                product,
                states: states.to_vec(),
                precisions: precisions.to_vec(),
                calls: Vec::new(),
                steps: 0,
                changes: 0,
                failure: None,
            };
            summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
            (steps, changes) = (steps + follower.steps, changes + follower.changes);
            if let Some(failure) = follower.failure {
                return Err(failure);
            }
        }
    }
    Ok((steps, changes))
}
