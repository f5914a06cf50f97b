//! Laws that every domain obeys, checked over one table: a new domain adds its line to `laws!`.
//!
//! * Soundness: a concrete run is followed with the transfer relation; after every step some abstract
//!   successor describes the concrete state. And where an analysis is complete, some reached state describes
//!   each concrete state.
//! * stop is reflexive and transitive, and signatures do not rule it out; merge gives an upper bound of both.
//! * transfer is monotone with respect to stop.
//! * Two runs of an analysis give the same graph, and analyses with widening end.
//! * States that were saved come back: see [`portable`]. Reductions lose no run: see [`reductions`]. What
//!   components answer when others ask holds in the run: see [`queries`].
//!
//! Programs: the conformance suite, `tests/programs`, and every `SUMMA_TASKS_STEP`-th task (default 40) of
//! the task set.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they did")]

mod meaning;
mod portable;
mod predicate;
mod queries;
mod reductions;

use meaning::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_cpa::{Arrival, Cpa, CpaPlusPlus, Key, Layer, Move, Product, Reached, Step, cpa_plus_plus, export};
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::{AnyPrecision, AnyState, Domain};
use summa_facts::Analyses;
use summa_interp::{InputSource, Observer, Policy, Random, View, Zeros};
use summa_testkit::{KNOBS, programs_in, read, tasks};

/// How a domain is made, and what its states mean.
struct Law {
    name: &'static str,
    make: for<'a> fn(&'a Cfa, &'a Analyses) -> Domain<'a>,
    describes: fn(&Domain<'_>, &AnyState, &Concrete<'_, '_>) -> bool,
    /// Its analyses end, also on loops without a bound.
    ends: bool,
}

/// The table of all domains, and a test for each.
macro_rules! laws {
    ($($test:ident: $name:literal, $make:expr, $describes:expr, ends: $ends:literal;)*) => {
        const LAWS: &[Law] = &[$(Law { name: $name, make: $make, describes: $describes, ends: $ends }),*];

        $(#[test]
        fn $test() {
            LAWS.iter().filter(|law| law.name == $name).for_each(check_all);
        })*
    };
}

laws! {
    location_obeys: "location", |cfa, _| Domain::Location(Location { cfa }), location, ends: true;
    callstack_obeys: "callstack", |cfa, _| Domain::Callstack(Callstack::new(cfa)), callstack, ends: true;
    specification_obeys: "specification", specification, nothing_observed, ends: true;
    loop_bound_obeys: "loop-bound", loop_bound, not_cut, ends: false;
    value_obeys: "value", value, value_describes, ends: false;
    interval_obeys: "interval", interval, interval_describes, ends: true;
    sign_obeys: "sign", sign, sign_describes, ends: true;
    linear_obeys: "linear", linear, linear_describes, ends: true;
    octagon_obeys: "octagon", octagon, octagon_describes, ends: true;
}

/// Domains whose states are formulas, with laws of their own: see [`predicate`].
const OTHER_LAWS: &[&str] = &["predicate"];

// ---- following runs ----

/// Follows a run with a domain.
struct Follower<'a, 'd> {
    cfa: &'a Cfa,
    law: &'d Law,
    /// The one that made `reached`: states can be numbers in its tables.
    domain: &'d mut Domain<'a>,
    precision: AnyPrecision,
    states: Vec<AnyState>,
    calls: Vec<EdgeId>,
    /// States that an analysis found, by location.
    reached: Option<&'d BTreeMap<NodeId, Vec<AnyState>>>,
    /// States on the way, by location.
    seen: BTreeMap<NodeId, Vec<AnyState>>,
    steps: usize,
    failure: Option<String>,
}

/// Steps of a run that are followed, and states kept for each location.
const MAX_STEPS: u64 = 3_000;
const MAX_STATES: usize = 6;

impl<'a, 'd> Follower<'a, 'd> {
    fn new(
        cfa: &'a Cfa,
        law: &'d Law,
        domain: &'d mut Domain<'a>,
        reached: Option<&'d BTreeMap<NodeId, Vec<AnyState>>>,
    ) -> Self {
        let (state, precision) = domain.initial(cfa.entry());
        Self {
            cfa,
            law,
            domain,
            precision,
            states: vec![state],
            calls: Vec::new(),
            reached,
            seen: BTreeMap::new(),
            steps: 0,
            failure: None,
        }
    }

    fn fail(&mut self, what: &str, edge: EdgeId) {
        let text = self.cfa.edges[edge].op.text(&self.cfa.program);
        let shown: Vec<String> = self.states.iter().map(|state| self.domain.show(state)).collect();
        self.failure = Some(format!("{}: {what} at `{text}`: {shown:?}", self.law.name));
    }

    /// Keeps the states that describe the run; fails if there are none.
    fn check(&mut self, edge: EdgeId, node: NodeId, view: &View<'_>) {
        let now = Concrete { cfa: self.cfa, node, calls: &self.calls, view };
        let describes = |state: &AnyState| (self.law.describes)(self.domain, state, &now);
        let is_reached =
            self.reached.is_none_or(|at| at.get(&node).is_some_and(|all| all.iter().any(describes)));
        let good: Vec<AnyState> = self.states.iter().filter(|state| describes(state)).cloned().collect();
        if good.is_empty() {
            return self.fail("no state describes the run", edge);
        }
        self.states = good;
        if !is_reached {
            self.fail("no reached state describes the run", edge);
        }
    }

    fn step(&mut self, by: Move) {
        let mut next = Vec::new();
        for state in &self.states {
            let successors = self.domain.transfer(state, &self.precision, by).unwrap_or_default();
            for successor in successors {
                let at = Arrival { node: by.to, by: Some(by), is_target: false };
                if let Ok(Some((state, _))) = self.domain.prec(successor, &self.precision, &at) {
                    next.push(state);
                }
            }
        }
        if next.is_empty() {
            return self.fail("no successor", by.step.edge());
        }
        self.states = next;
        let seen = self.seen.entry(by.to).or_default();
        if seen.len() < MAX_STATES && !seen.contains(&self.states[0]) {
            seen.push(self.states[0].clone());
        }
    }
}

impl Observer for Follower<'_, '_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        self.steps += 1;
        self.check(edge, self.cfa.edges[edge].from, view);
        if self.failure.is_none() {
            let by = Move::along(self.cfa, edge);
            if matches!(by.step, Step::Enter(_)) {
                self.calls.push(edge);
            }
            self.step(by);
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        if let Some(by) = Move::back(self.cfa, edge) {
            self.calls.pop();
            self.step(by);
        }
        if self.failure.is_none() {
            self.check(edge, self.cfa.edges[edge].to, view);
        }
    }
}

// ---- analyses ----

type Analysis<'a> = (Product<Domain<'a>>, Reached<Product<Domain<'a>>>, bool);

/// Enough for 20,000 states, each of which looks at the budget. What it takes to make a state is not counted
/// here.
const A_WHILE: Duration = Duration::from_millis(60);

/// The domain in the usual company; is it complete?
fn analyse<'a>(cfa: &'a Cfa, facts: &'a Analyses, law: &Law, work: Duration) -> Analysis<'a> {
    let mut components = vec![Domain::Location(Location { cfa }), Domain::Callstack(Callstack::new(cfa))];
    if law.name != "location" && law.name != "callstack" {
        components.push((law.make)(cfa, facts));
    }
    let mut product = Product::new(components);
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(cfa, &product, cfa.entry(), state, precision);
    let budget = Budget::with_time(work);
    let is_complete = matches!(
        cpa_plus_plus(cfa, &mut product, &mut reached, &|_, _| false, &budget),
        Ok(CpaPlusPlus::Complete)
    );
    (product, reached, is_complete)
}

/// The states of a component by location.
fn states_of(reached: &Reached<Product<Domain<'_>>>, index: usize) -> BTreeMap<NodeId, Vec<AnyState>> {
    let mut found: BTreeMap<NodeId, Vec<AnyState>> = BTreeMap::new();
    for id in reached.reached() {
        let node = &reached.nodes[id];
        found.entry(node.node).or_default().push(node.state[index].clone());
    }
    found
}

/// Does the state know less than it could? What is forgotten depends on what there is, so no order is kept.
fn forgets(state: &AnyState) -> bool {
    match state {
        AnyState::Linear(linear) => linear.equations.is_full(),
        AnyState::Octagon(octagon) => octagon.octagon.is_full(),
        _ => false,
    }
}

/// The laws of stop and merge, and that transfer is monotone, on states of one location.
fn check_order(
    cfa: &Cfa,
    facts: &Analyses,
    domain: &mut Domain<'_>,
    node: NodeId,
    states: &[AnyState],
) -> Result<usize, String> {
    let precision = &domain.initial(cfa.entry()).1;
    let fail = |what: &str, domain: &Domain<'_>, states: &[&AnyState]| {
        let shown: Vec<String> = states.iter().map(|state| domain.show(state)).collect();
        Err(format!("{}: {what}: {shown:#?}", domain.name()))
    };
    let mut checks = 0;
    let mut is_below = vec![vec![false; states.len()]; states.len()];
    let mut moves: Vec<Move> = cfa.leaving(node).iter().map(|&edge| Move::along(cfa, edge)).collect();
    let callers = facts.calls.call_sites_of(cfa.nodes[node].function);
    moves.extend(callers.iter().filter_map(|&call| Move::back(cfa, call)).filter(|by| by.from == node));
    for (i, a) in states.iter().enumerate() {
        for (j, b) in states.iter().enumerate() {
            is_below[i][j] = domain.stop(a, b, precision).unwrap_or(false);
            let at = Arrival { node, by: None, is_target: false };
            if let Ok(Some(merged)) = domain.merge(a, b, precision, &at) {
                checks += 1;
                if domain.never_merges() {
                    return fail("merges what it never merges", domain, &[a, b]);
                }
                if domain.signature(a).kept != domain.signature(b).kept {
                    return fail("signatures rule out a merge", domain, &[a, b]);
                }
                let covers =
                    |domain: &mut Domain<'_>, state| domain.stop(state, &merged, precision) == Ok(true);
                if !covers(domain, a) || !covers(domain, b) {
                    return fail("merge gives no upper bound", domain, &[a, b, &merged]);
                }
            }
            if a == b && domain.signature(a).hash != domain.signature(b).hash {
                return fail("signatures tell equal states apart", domain, &[a, b]);
            }
            if !is_below[i][j] {
                continue;
            }
            if !domain.signature(a).may_be_covered_by(domain.signature(b)) {
                return fail("signatures rule out coverage", domain, &[a, b]);
            }
            for &by in &moves {
                let smaller = domain.transfer(a, precision, by).unwrap_or_default();
                let larger = domain.transfer(b, precision, by).unwrap_or_default();
                for successor in smaller.iter().filter(|successor| !forgets(a) && !forgets(successor)) {
                    checks += 1;
                    if !larger.iter().any(|wide| domain.stop(successor, wide, precision) == Ok(true)) {
                        let what = format!("transfer is not monotone along `{}`", by.text(cfa));
                        return fail(&what, domain, &[a, b, successor]);
                    }
                }
            }
        }
        if !is_below[i][i] {
            return fail("stop is not reflexive", domain, &[a]);
        }
    }
    for i in 0..states.len() {
        for j in 0..states.len() {
            for k in 0..states.len() {
                if is_below[i][j] && is_below[j][k] && !is_below[i][k] {
                    return fail("stop is not transitive", domain, &[&states[i], &states[j], &states[k]]);
                }
            }
        }
    }
    Ok(checks)
}

/// States that a product merges are found by what no merge changes.
fn check_merges(
    product: &mut Product<Domain<'_>>,
    reached: &Reached<Product<Domain<'_>>>,
) -> Result<usize, String> {
    let mut checks = 0;
    for a in reached.reached().map(|id| &reached.nodes[id]).take(20 * MAX_STATES) {
        let mut key = Key::new();
        product.key(&a.state, &mut key);
        for b in reached.bucket(&key).iter().map(|&id| &reached.nodes[id]).take(MAX_STATES) {
            let at = Arrival { node: a.node, by: None, is_target: false };
            let merged = product.merge(&a.state, &b.state, &a.precision, &at);
            checks += 1;
            if matches!(merged, Ok(Some(_)))
                && product.signature(&a.state).kept != product.signature(&b.state).kept
            {
                let shown = [product.show(&a.state), product.show(&b.state)];
                return Err(format!("signatures rule out a merge: {shown:#?}"));
            }
        }
    }
    Ok(checks)
}

/// Everything for one program: how many steps were followed and relations checked.
fn check_program(cfa: &Cfa, law: &Law) -> Result<(usize, usize), String> {
    let facts = Analyses::new(cfa);
    let (mut product, reached, is_complete) = analyse(cfa, &facts, law, A_WHILE);
    let index = product.components.iter().position(|domain| domain.name() == law.name).unwrap();
    let merges = check_merges(&mut product, &reached)?;
    let found = states_of(&reached, index);
    let domain = &mut product.components[index];
    let program = summa_interp::Program::new(cfa);
    let policy = Policy { max_steps: MAX_STEPS, ..Policy::reachability() };
    let mut states = found.clone();
    let (mut steps, mut checks) = (0, merges);
    for seed in 0..4 {
        let mut inputs: Box<dyn InputSource> =
            if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
        let mut follower = Follower::new(cfa, law, domain, is_complete.then_some(&found));
        summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
        steps += follower.steps;
        if let Some(failure) = follower.failure {
            return Err(failure);
        }
        for (node, seen) in follower.seen {
            states.entry(node).or_default().extend(seen);
        }
    }
    let mut other = (law.make)(cfa, &facts);
    let mut random = summa_testkit::Random::new(steps as u64);
    for (node, mut states) in states {
        states.truncate(2 * MAX_STATES);
        for state in &states {
            checks += portable::check(domain, &mut other, state, &mut random)?;
        }
        checks += check_order(cfa, &facts, domain, node, &states)?;
    }
    Ok((steps, checks))
}

fn sources() -> Vec<(std::path::PathBuf, DataModel)> {
    let folders = [
        "tests/conformance",
        "tests/programs/language",
        "tests/programs/memory",
        "tests/programs/reachability",
    ];
    let mut all: Vec<_> = programs_in(&folders).into_iter().map(|path| (path, DataModel::Lp64)).collect();
    let step = KNOBS.tasks_step.or(40) as usize;
    all.extend(tasks().into_iter().flatten().step_by(step).map(|task| (task.path, task.model)));
    all
}

fn check_all(law: &Law) {
    let (mut steps, mut checks, mut failures) = (0, 0, Vec::new());
    for (path, model) in sources() {
        let Some(cfa) = read(&path, model) else { continue };
        match check_program(&cfa, law) {
            Ok((followed, compared)) => (steps, checks) = (steps + followed, checks + compared),
            Err(failure) => failures.push(format!("{}: {failure}", name(&path))),
        }
    }
    eprintln!("{}: {steps} steps followed, {checks} relations checked", law.name);
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(steps > 0);
}

fn name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

#[test]
fn reductions_lose_no_run() {
    let (mut steps, mut changes, mut failures) = (0, 0, Vec::new());
    let written = sources().into_iter().filter_map(|(path, model)| Some((name(&path), read(&path, model)?)));
    let random = (0..100)
        .map(|seed| (format!("seed {seed}"), summa_testkit::automata(&summa_testkit::generate(seed))));
    for (name, cfa) in written.chain(random) {
        match reductions::check_program(&cfa) {
            Ok((followed, changed)) => (steps, changes) = (steps + followed, changes + changed),
            Err(failure) => failures.push(format!("{name}: {failure}")),
        }
    }
    eprintln!("{steps} steps followed, {changes} reductions told something new");
    assert!(failures.is_empty(), "{failures:#?}");
    assert!(changes > 100);
}

#[test]
fn answers_hold_in_the_run() {
    let (mut counts, mut failures) = (queries::Counts::default(), Vec::new());
    let written = sources().into_iter().filter_map(|(path, model)| Some((name(&path), read(&path, model)?)));
    let random = (0..100)
        .map(|seed| (format!("seed {seed}"), summa_testkit::automata(&summa_testkit::generate(seed))));
    for (name, cfa) in written.chain(random) {
        match queries::check_program(&cfa) {
            Ok(checked) => counts.add(&checked),
            Err(failure) => failures.push(format!("{name}: {failure}")),
        }
    }
    eprintln!("{counts:?}");
    assert!(failures.is_empty(), "{failures:#?}");
    let queries::Counts { ranges, zeros, sizes, aliases, gains, .. } = counts;
    assert!(ranges > 10_000 && zeros > 10_000 && sizes > 100 && aliases > 1_000 && gains > 100, "{counts:?}");
}

#[test]
fn every_domain_has_laws() {
    let named = |name: &&&str| !LAWS.iter().any(|law| law.name == **name) && !OTHER_LAWS.contains(name);
    let missing: Vec<_> = Domain::NAMES.iter().filter(named).collect();
    assert!(missing.is_empty(), "add a line to `laws!` for {missing:?}");
}

const LOOPS: &[&str] = &[
    // Counters that run into the limits of their types, upwards, downwards, and around.
    "int main() { int i = 0; while (1) { i++; } }",
    "int main() { unsigned i = 10; while (i--) { } return 0; }",
    "extern int __VERIFIER_nondet_int(); int main() { short s = 0; while (__VERIFIER_nondet_int()) s += 3; \
     return s; }",
    // Nested, with a variable bound.
    "extern int __VERIFIER_nondet_int();
     int main() { int n = __VERIFIER_nondet_int(), s = 0;
       for (int i = 0; i < n; i++) for (int j = i; j < 2 * n; j += 7) { s += j; \
       if (s > 100) s = -s; } return s; }",
    // A loop of gotos with two entries.
    "extern int __VERIFIER_nondet_int();
     int main() { int x = 0; if (__VERIFIER_nondet_int()) goto b;
       a: x = x + 1; b: x = x * 2; if (__VERIFIER_nondet_int()) goto a; return x; }",
    // Calls in loops, arrays, pointers.
    "extern int __VERIFIER_nondet_int(); int a[8]; int g;
     void f(int *p, int i) { *p = *p + i; a[i & 7] += g; }
     int main() { int x = 1; while (__VERIFIER_nondet_int()) { f(&x, g); g = g * 3 + x; \
     f(&g, x); } return x; }",
];

#[test]
fn analyses_with_widening_end() {
    for text in LOOPS {
        let loaded = summa_c::load_text("loop.c", text, DataModel::Lp64)
            .unwrap_or_else(|f| panic!("{:?}", f.diagnostics));
        let cfa = summa_transform::build(loaded.program, &summa_cfa::BuildOptions::default()).unwrap();
        let facts = Analyses::new(&cfa);
        for law in LAWS.iter().filter(|law| law.ends) {
            assert!(
                analyse(&cfa, &facts, law, Duration::from_secs(60)).2,
                "{} does not end on {text}",
                law.name
            );
        }
    }
}

#[test]
fn analyses_repeat() {
    for (path, model) in sources().into_iter().step_by(5) {
        let Some(cfa) = read(&path, model) else { continue };
        let facts = Analyses::new(&cfa);
        for law in LAWS {
            let once = |_| {
                let (product, reached, is_complete) = analyse(&cfa, &facts, law, A_WHILE);
                is_complete.then(|| export::json(&cfa, &product, &reached).to_string())
            };
            let [first, second] = [0, 1].map(once);
            assert!(first.is_none() || second.is_none() || first == second, "{}: {}", law.name, name(&path));
        }
    }
}
