//! The laws of predicate states, as far as runs can judge them.
//!
//! * Soundness: a run is followed with the transfer relation, with predicates at every loop head. ψ holds of
//!   the values that the run has where it is computed. In between, the values that φ gives to variables, from
//!   those at the begin of the block, are those of the run, and its guard does not exclude the run.
//! * merge: the disjunction of two states of one block still describes the runs of both.
//! * stop is reflexive, on abstractions transitive, and what a state describes is described by one that
//!   covers it.
//!
//! Limits: what a formula says of memory, of inputs in the middle of a block, and of variables that the
//! running function cannot name, is not judged.

use super::{name, sources};
use std::collections::BTreeMap;
use summa_base::{Budget, FxHashMap};
use summa_c::tree::VarKind;
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_cpa::{Arrival, Cpa, Move};
use summa_domains::predicate::{Predicate, PredicatePrecision, PredicateState, Representation, Settings};
use summa_encode::{CellId, Encoding};
use summa_facts::Analyses;
use summa_interp::{InputSource, Observer, Policy, Random, Value, View, Zeros};
use summa_term::{Sort, SymbolId, Term, Value as Constant};
use summa_testkit::read;

/// The values of cells in version 0.
type Values = FxHashMap<(SymbolId, u32), Constant>;

/// A state, the values at the begin of its block, and those where it is.
#[derive(Clone)]
struct Moment {
    state: PredicateState,
    before: Values,
    now: Values,
}

struct Follower<'a, 'd> {
    cfa: &'a Cfa,
    domain: &'d mut Predicate<'a>,
    precision: &'d PredicatePrecision,
    state: PredicateState,
    before: Values,
    seen: &'d mut BTreeMap<NodeId, Vec<Moment>>,
    counts: &'d mut Counts,
    /// Something that the domain does not answer: a solver that gives up, a construct without formulas.
    is_over: bool,
    failure: Option<String>,
}

#[derive(Debug, Default)]
struct Counts {
    steps: usize,
    abstractions: usize,
    formulas: usize,
    values: usize,
    merges: usize,
    covers: usize,
}

/// Steps of a run that are followed, and states that are kept for each location.
const MAX_STEPS: usize = 150;
const MAX_STATES: usize = 4;

/// An integer of the run as a value of a formula.
fn constant(value: &Value, sort: Sort) -> Option<Constant> {
    match (value, sort) {
        (Value::Int(value), Sort::Int) => Some(Constant::Int((*value).into())),
        (Value::Int(value), Sort::Bv(width)) => {
            Some(Constant::Bv(width, *value as u128 & (u128::MAX >> (128 - u32::from(width)))))
        }
        _ => None,
    }
}

/// The values of the integer variables that the running function can name.
fn values(domain: &Predicate<'_>, cfa: &Cfa, node: NodeId, view: &View<'_>) -> Values {
    let (program, function) = (&cfa.program, cfa.nodes[node].function);
    let cells = domain.logic.paths.encoder.cells.cells.values();
    let found = cells.filter_map(|cell| {
        let (var, _) = cell.variable.filter(|&(var, offset)| {
            let info = &program.vars[var];
            // These have no value before they are written, and no run looks at them before; the cells of a
            // formula then still have the value of an earlier activation.
            let is_set = match info.kind {
                VarKind::Temp(_) => false,
                VarKind::Return(_) => cfa.automaton(function).is_some_and(|it| it.exit == node),
                _ => true,
            };
            let is_whole = offset == 0 && program.types.is_scalar(info.ty);
            is_set && is_whole && info.kind.frame().is_none_or(|frame| frame == function)
        })?;
        Some(((cell.symbol, 0), constant(&view.variable(var), cell.sort)?))
    });
    found.collect()
}

/// Is the formula false under these values? None: it says something of what has no value here.
fn is_false(domain: &Predicate<'_>, formula: Term, values: &Values) -> Option<bool> {
    let value = domain.logic.paths.encoder.terms.eval(formula, values)?;
    Some(value == Constant::Bool(false))
}

/// What is wrong with a state, if it does not describe this moment.
fn judge(domain: &Predicate<'_>, moment: &Moment, counts: &mut Counts) -> Option<String> {
    let paths = &domain.logic.paths;
    if moment.state.is_abstraction {
        let psi = domain.abstractions[moment.state.abstraction].formula;
        let excluded = is_false(domain, psi, &moment.now);
        counts.formulas += usize::from(excluded.is_some());
        return (excluded == Some(true)).then(|| format!("ψ is false: {}", domain.show_formula(psi)));
    }
    let guard = paths.guard(moment.state.path);
    let excluded = is_false(domain, guard, &moment.before);
    counts.formulas += usize::from(excluded.is_some());
    if excluded == Some(true) {
        return Some(format!("φ is false: {}", domain.show_formula(guard)));
    }
    for cell in paths.changed(moment.state.path) {
        let symbol = paths.encoder.cells.cells[cell].symbol;
        let Some(expected) = moment.now.get(&(symbol, 0)) else { continue };
        let term = paths.state(moment.state.path).get(cell);
        let Some(found) = paths.encoder.terms.eval(term, &moment.before) else { continue };
        counts.values += 1;
        if found != *expected {
            return Some(format!("φ says {found:?} for {}, it is {expected:?}", paths.name_of(cell)));
        }
    }
    None
}

impl Follower<'_, '_> {
    fn fail(&mut self, edge: EdgeId, what: &str) {
        let text = self.cfa.edges[edge].op.text(&self.cfa.program);
        self.failure = Some(format!("{what} at `{text}`: {}", self.domain.show(&self.state)));
    }

    fn is_done(&self) -> bool {
        self.is_over || self.failure.is_some()
    }

    fn step(&mut self, by: Move) {
        let Ok(successors) = self.domain.transfer(&self.state, self.precision, by) else {
            self.is_over = true;
            return;
        };
        let Some(successor) = successors.into_iter().next() else {
            return self.fail(by.step.edge(), "no successor");
        };
        let at = Arrival { node: by.to, by: Some(by), is_target: false };
        match self.domain.prec(successor, self.precision, &at) {
            Ok(Some((state, _))) => self.state = state,
            Ok(None) => self.fail(by.step.edge(), "the run is excluded"),
            Err(_) => self.is_over = true,
        }
    }

    fn check(&mut self, edge: EdgeId, node: NodeId, view: &View<'_>) {
        let now = values(self.domain, self.cfa, node, view);
        if self.state.is_abstraction {
            self.counts.abstractions += 1;
            self.before = now.clone();
        }
        let moment = Moment { state: self.state, before: self.before.clone(), now };
        if let Some(what) = judge(self.domain, &moment, self.counts) {
            return self.fail(edge, &what);
        }
        let seen = self.seen.entry(node).or_default();
        if seen.len() < MAX_STATES && seen.iter().all(|other| other.state != moment.state) {
            seen.push(moment);
        }
    }
}

impl Observer for Follower<'_, '_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        self.counts.steps += 1;
        self.is_over |= self.counts.steps > MAX_STEPS;
        if !self.is_done() {
            self.check(edge, self.cfa.edges[edge].from, view);
        }
        if !self.is_done() {
            self.step(Move::along(self.cfa, edge));
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.is_done() {
            return;
        }
        if let Some(by) = Move::back(self.cfa, edge) {
            self.step(by);
        }
        if !self.is_done() {
            self.check(edge, self.cfa.edges[edge].to, view);
        }
    }
}

/// Predicates at every loop head: how some of the variables there are related.
fn precision(cfa: &Cfa, facts: &Analyses, domain: &mut Predicate<'_>) -> PredicatePrecision {
    const MOST: usize = 5;
    let mut precision = PredicatePrecision::default();
    for node in cfa.nodes.ids().filter(|&node| facts.loops.is_head(node)) {
        let encoder = &mut domain.logic.paths.encoder;
        let function = cfa.nodes[node].function;
        let is_here = |&cell: &CellId| {
            let variable = encoder.cells.cells[cell].variable;
            variable.is_some_and(|(var, _)| cfa.program.vars[var].kind.frame() == Some(function))
        };
        let here: Vec<CellId> = encoder.cells.cells.ids().filter(is_here).take(4).collect();
        let mut predicates = Vec::new();
        for (i, &x) in here.iter().enumerate() {
            for &y in &here[i + 1..] {
                predicates.extend(encoder.relate(x, y));
            }
            predicates.extend(encoder.balance(x, x));
        }
        predicates.truncate(MOST);
        precision.add(node, &predicates);
    }
    precision
}

fn check_merges(
    domain: &mut Predicate<'_>,
    precision: &PredicatePrecision,
    node: NodeId,
    moments: &[Moment],
    counts: &mut Counts,
) -> Result<(), String> {
    let at = Arrival { node, by: None, is_target: false };
    for a in moments {
        for b in moments {
            let Ok(Some(merged)) = domain.merge(&a.state, &b.state, precision, &at) else { continue };
            counts.merges += 1;
            for moment in [a, b] {
                let moment = Moment { state: merged, ..moment.clone() };
                if let Some(what) = judge(domain, &moment, counts) {
                    return Err(format!("a merge loses a run: {what}"));
                }
            }
        }
    }
    Ok(())
}

fn check_order(
    domain: &mut Predicate<'_>,
    precision: &PredicatePrecision,
    moments: &[Moment],
    counts: &mut Counts,
) -> Result<(), String> {
    let mut is_below = vec![vec![false; moments.len()]; moments.len()];
    for (i, a) in moments.iter().enumerate() {
        for (j, b) in moments.iter().enumerate() {
            is_below[i][j] = domain.stop(&a.state, &b.state, precision).unwrap_or(false);
            if !is_below[i][j] {
                continue;
            }
            counts.covers += usize::from(i != j);
            let covered = Moment { state: b.state, ..a.clone() };
            if let Some(what) = judge(domain, &covered, counts) {
                let shown = [domain.show(&a.state), domain.show(&b.state)];
                return Err(format!("what is covered is not described: {what}: {shown:#?}"));
            }
        }
        if !is_below[i][i] {
            return Err(format!("stop is not reflexive: {}", domain.show(&a.state)));
        }
    }
    let all = 0..moments.len();
    for (i, j) in all.clone().flat_map(|i| all.clone().map(move |j| (i, j))) {
        if let Some(k) = all.clone().find(|&k| is_below[i][j] && is_below[j][k] && !is_below[i][k]) {
            let shown = [i, j, k].map(|at| domain.show(&moments[at].state));
            return Err(format!("stop is not transitive: {shown:#?}"));
        }
    }
    Ok(())
}

/// Everything for one program.
fn check_program(
    cfa: &Cfa,
    encoding: Encoding,
    representation: Representation,
    counts: &mut Counts,
) -> Result<(), String> {
    let facts = Analyses::new(cfa);
    let settings = Settings { representation, ..Settings::ABSTRACTION };
    let mut domain = Predicate::new(cfa, &facts, encoding, settings, &Budget::unlimited()).unwrap();
    let precision = precision(cfa, &facts, &mut domain);
    // All runs begin with one state: what they share is one block, and can be merged.
    let (start, _) = domain.initial(cfa.entry());
    let mut seen = BTreeMap::new();
    let program = summa_interp::Program::new(cfa);
    let policy = Policy { max_steps: 2 * MAX_STEPS as u64, ..Policy::reachability() };
    for seed in 0..4 {
        let mut inputs: Box<dyn InputSource> =
            if seed == 0 { Box::new(Zeros) } else { Box::new(Random::new(seed)) };
        let mut of_run = Counts::default();
        let mut follower = Follower {
            cfa,
            domain: &mut domain,
            precision: &precision,
            state: start,
            before: Values::default(),
            seen: &mut seen,
            counts: &mut of_run,
            is_over: false,
            failure: None,
        };
        summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
        if let Some(failure) = follower.failure {
            return Err(failure);
        }
        counts.steps += of_run.steps.min(MAX_STEPS);
        counts.abstractions += of_run.abstractions;
        counts.formulas += of_run.formulas;
        counts.values += of_run.values;
    }
    for (node, moments) in seen {
        check_merges(&mut domain, &precision, node, &moments, counts)?;
        check_order(&mut domain, &precision, &moments, counts)?;
    }
    Ok(())
}

/// Formulas over integers and bit-vectors, as terms and as decision diagrams, each on a part of the programs.
#[test]
fn predicate_obeys() {
    let check = || {
        let (mut counts, mut failures) = (Counts::default(), Vec::new());
        for (number, (path, model)) in sources().into_iter().step_by(2).enumerate() {
            let Some(cfa) = read(&path, model) else { continue };
            let encoding = if number % 2 == 0 { Encoding::Int } else { Encoding::BitVector };
            let representation = if number % 4 < 2 { Representation::Bdd } else { Representation::Term };
            let checked = check_program(&cfa, encoding, representation, &mut counts);
            failures.extend(checked.err().map(|failure| format!("{}: {failure}", name(&path))));
        }
        eprintln!("predicate: {counts:?}");
        assert!(failures.is_empty(), "{failures:#?}");
        assert!(counts.formulas > 1_000 && counts.values > 1_000, "{counts:?}");
        assert!(counts.abstractions > 50 && counts.merges > 20 && counts.covers > 0, "{counts:?}");
    };
    // Solvers recurse over formulas.
    let large = std::thread::Builder::new().stack_size(256 << 20);
    large.spawn(check).unwrap().join().unwrap();
}
