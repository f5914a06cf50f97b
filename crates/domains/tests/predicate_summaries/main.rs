//! Predicates under block-abstraction memoization: the operators on the example of the paper, refinement
//! through blocks, and both with the engine against programs whose truth is known.
//!
//! `SUMMA_BAM_SEEDS`: how many random programs.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they did")]

mod programs;

use expect_test::expect;
use programs::PROGRAMS;
use std::fmt::Write;
use std::time::Duration;
use summa_bam::{Bam, Reducer, Settings as Work, Solved};
use summa_base::Budget;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, NodeId, Op};
use summa_cpa::{Arrival, Cpa, Layer, Move, Product, Refinement, Step, Stop};
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::predicate::{
    OpenFrame, Predicate, PredicatePrecision, PredicateState, Representation, Settings,
};
use summa_domains::specification::Specification;
use summa_domains::{AnyPrecision, AnyState, Domain};
use summa_encode::{CellId, Encoding};
use summa_facts::Analyses;
use summa_facts::blocks::{Block, BlockKind, Blocks, Partition};
use summa_logic::Counterexample;
use summa_term::{Term, Terms};
use summa_testkit::{KNOBS, Truth, automata, generate_recursive, replays, truth};

const PRELUDE: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

/// Fig. 5 of the paper, more or less: the result is n + m.
const SUM: &str = "int sum(int n, int m) { if (n <= 0) { return m + n; } else { return sum(n - 1, m + 1); } }
int main(void) { int a = __VERIFIER_nondet_int(); int b = __VERIFIER_nondet_int();
  if (a < 0 || a > 1000 || b < 0 || b > 1000) return 0;
  if (sum(a, b) != a + b) reach_error();
  return 0; }";

fn settings(representation: Representation) -> Settings {
    Settings { representation, summaries: true, ..Settings::ABSTRACTION }
}

/// Short functions are parts of their callers.
const INLINE: u32 = 30;

fn predicate<'a>(
    cfa: &'a Cfa,
    facts: &'a Analyses,
    encoding: Encoding,
    representation: Representation,
    budget: &Budget,
) -> Predicate<'a> {
    Predicate::new(cfa, facts, encoding, settings(representation), budget).unwrap()
}

fn function(cfa: &Cfa, name: &str) -> FuncId {
    cfa.program.functions.ids().find(|&f| cfa.program.name(cfa.program.functions[f].name) == name).unwrap()
}

fn block_of(blocks: &Blocks, function: FuncId) -> &Block {
    blocks.blocks.values().find(|block| block.kind == BlockKind::Function(function)).unwrap()
}

// ---- the operators by hand ----

/// The domain and the program of a test.
struct Bench<'a> {
    cfa: &'a Cfa,
    blocks: &'a Blocks,
    domain: Predicate<'a>,
    precision: PredicatePrecision,
}

impl Bench<'_> {
    fn cell(&self, name: &str) -> CellId {
        let cells = &self.domain.logic.paths.encoder.cells.cells;
        cells.ids().find(|&cell| self.domain.logic.paths.name_of(cell) == name).unwrap()
    }

    fn symbol(&mut self, name: &str) -> Term {
        let encoder = &mut self.domain.logic.paths.encoder;
        let symbols: Vec<_> = encoder.cells.cells.values().map(|cell| cell.symbol).collect();
        let symbol = symbols.into_iter().find(|&symbol| encoder.terms.symbol_name(symbol) == name).unwrap();
        encoder.terms.symbol(symbol, 0)
    }

    fn terms(&mut self) -> &mut Terms {
        &mut self.domain.logic.paths.encoder.terms
    }

    fn formula(&self, state: &PredicateState) -> String {
        self.domain.show_formula(self.domain.abstractions[state.abstraction].formula)
    }

    /// Everything that is reached from a state of one function, calls left out: exits, and states before
    /// calls.
    fn explore(
        &mut self,
        node: NodeId,
        start: PredicateState,
    ) -> (Vec<PredicateState>, Vec<(Move, PredicateState)>) {
        let exit = self.cfa.automaton(self.cfa.nodes[node].function).unwrap().exit;
        let (mut exits, mut calls) = (Vec::new(), Vec::new());
        let mut todo = vec![(node, start)];
        while let Some((node, state)) = todo.pop() {
            if node == exit {
                exits.push(state);
                continue;
            }
            for &edge in self.cfa.leaving(node) {
                if let Op::Call { .. } = self.cfa.edges[edge].op {
                    calls.push((Move::along(self.cfa, edge), state));
                    continue;
                }
                let by = Move { step: Step::Edge(edge), from: node, to: self.cfa.edges[edge].to };
                todo.extend(self.go(&state, by).map(|state| (by.to, state)));
            }
        }
        (exits, calls)
    }

    fn go(&mut self, state: &PredicateState, by: Move) -> Option<PredicateState> {
        let precision = self.precision.clone();
        let next = self.domain.transfer(state, &precision, by).unwrap().into_iter().next()?;
        let is_target =
            matches!(by.step, Step::Edge(edge) if matches!(self.cfa.edges[edge].op, Op::Error { .. }));
        let at = Arrival { node: by.to, by: Some(by), is_target };
        self.domain.prec(next, &precision, &at).unwrap().map(|(state, _)| state)
    }

    /// e_r after a call, and behind it.
    fn come_back(
        &mut self,
        by: Move,
        before: &PredicateState,
        exit: &PredicateState,
    ) -> Option<PredicateState> {
        let block = block_of(self.blocks, self.cfa.nodes[by.to].function);
        let entered = self.go(before, by)?;
        let begun = self.domain.reduce(block, &entered).unwrap();
        let expanded = self.domain.expand(block, &entered, &begun, exit).unwrap();
        let rebuilt = self.domain.rebuild(block, Some(by), before, &entered, expanded).unwrap()?;
        let back = Move::back(self.cfa, by.step.edge()).unwrap();
        self.go(&rebuilt, back)
    }
}

/// Section 4.3 of the paper: with the predicate `result = n° + m°` the summary of `sum` is found in two
/// rounds.
#[test]
fn the_summary_of_a_recursive_function_is_a_fixed_point() {
    let cfa = automata(&format!("{PRELUDE}{SUM}"));
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    for encoding in [Encoding::Int, Encoding::BitVector] {
        for representation in [Representation::Bdd, Representation::Term] {
            let domain = predicate(&cfa, &facts, encoding, representation, &Budget::unlimited());
            let mut bench =
                Bench { cfa: &cfa, blocks: &blocks, domain, precision: PredicatePrecision::default() };
            let (sum, exit) = {
                let sum = function(&cfa, "sum");
                (sum, cfa.automaton(sum).unwrap().exit)
            };
            let [result, n, m] = ["sum.__result", "old(sum.n)", "old(sum.m)"].map(|name| bench.cell(name));
            let is_sum = bench.domain.logic.paths.encoder.sum_is(n, m, result).unwrap();
            bench.precision.add(exit, &[is_sum]);

            // From main into sum, with anything.
            let entry = cfa.automaton(sum).unwrap().entry;
            let call = facts
                .calls
                .call_sites_of(sum)
                .iter()
                .copied()
                .find(|&call| cfa.nodes[cfa.edges[call].from].function != sum);
            let by = Move::along(&cfa, call.unwrap());
            let (start, _) = bench.domain.initial(by.from);
            let entered = bench.go(&start, by).unwrap();
            let block = block_of(&blocks, sum);
            let reduced = bench.domain.reduce(block, &entered).unwrap();
            assert_eq!(bench.formula(&reduced), "true");
            assert!(bench.domain.stop(&reduced, &reduced, &PredicatePrecision::default()).unwrap());

            // First round: no exit of the recursive call is known yet.
            let (exits, calls) = bench.explore(entry, reduced);
            let [first] = &exits[..] else { panic!("{exits:?}") };
            let shown = bench.formula(first);
            assert!(shown.contains("old(sum.n)") && shown.contains("sum.__result"), "{shown}");
            let [(again, before)] = &calls[..] else { panic!("{calls:?}") };

            // The recursive call enters with the same, so it is cut.
            let inner = bench.go(before, *again).unwrap();
            let inner = bench.domain.reduce(block, &inner).unwrap();
            assert!(bench.domain.stop(&inner, &reduced, &PredicatePrecision::default()).unwrap());

            // Second round: what comes out is covered by what was known.
            let behind = bench.come_back(*again, before, first).unwrap();
            let (exits, _) = bench.explore(cfa.edges[again.step.edge()].to, behind);
            let [second] = &exits[..] else { panic!("{exits:?}") };
            assert_eq!(bench.formula(second), shown, "{}", encoding.name());
            assert!(bench.domain.stop(second, first, &PredicatePrecision::default()).unwrap());

            // The caller learns it.
            let behind = bench.come_back(by, &start, first).unwrap();
            let (mut left, guard) =
                (bench.domain.logic.paths.facts(behind.path), bench.domain.logic.paths.guard(behind.path));
            left.push(guard);
            let [a, b, result] = ["main.a", "main.b", "sum.__result"].map(|name| bench.cell(name));
            let expected = bench.domain.logic.paths.encoder.sum_is(a, b, result).unwrap();
            let expected = bench.domain.logic.after(behind.path, expected);
            assert!(bench.domain.logic.implies(&left, expected).unwrap(), "{}", encoding.name());
        }
    }
}

#[test]
fn what_a_block_does_not_see_is_not_in_its_entry() {
    let cfa = automata(&format!(
        "{PRELUDE}int g, h; void f(int x) {{ g = x; }} int main(void) {{ h = 1; g = 2; f(h); }}"
    ));
    let facts = Analyses::new(&cfa);
    let blocks = facts.blocks(&cfa, Partition::Functions);
    for representation in [Representation::Bdd, Representation::Term] {
        let domain = predicate(&cfa, &facts, Encoding::Int, representation, &Budget::unlimited());
        let mut bench =
            Bench { cfa: &cfa, blocks: &blocks, domain, precision: PredicatePrecision::default() };
        let f = function(&cfa, "f");
        let by = Move::along(&cfa, facts.calls.call_sites_of(f)[0]);
        let [x, h] = ["f.x", "h"].map(|name| bench.symbol(name));
        let terms = bench.terms();
        let (one, zero) = (terms.int(1), terms.int(0));
        let predicates = [terms.eq(x, one), terms.le(h, zero), terms.eq(x, h)];
        bench.precision.add(by.to, &predicates);
        let automaton = cfa.automaton(function(&cfa, "main")).unwrap();
        let (start, _) = bench.domain.initial(automaton.entry);
        let (_, calls) = bench.explore(automaton.entry, start);
        let entered = bench.go(&calls[0].1, by).unwrap();
        assert!(bench.formula(&entered).contains('h'), "{}", bench.formula(&entered));
        let reduced = bench.domain.reduce(block_of(&blocks, f), &entered).unwrap();
        expect!["(= f.x 1)"].assert_eq(&bench.formula(&reduced));
        // Entries with the same formula have the same key, whatever else the callers know.
        let mut keys = [Vec::new(), Vec::new()];
        let precision = bench.precision.clone();
        let own = bench.domain.reduce_precision(block_of(&blocks, f), &precision);
        bench.domain.cache_key(block_of(&blocks, f), &reduced, &own, &mut keys[0]);
        let again = bench.domain.reduce(block_of(&blocks, f), &entered).unwrap();
        bench.domain.cache_key(block_of(&blocks, f), &again, &own, &mut keys[1]);
        assert_eq!(keys[0], keys[1]);
        assert_eq!(reduced, again);
    }
}

// ---- with the engine ----

const PREDICATE: usize = 3;

#[derive(Debug)]
enum Verdict {
    Safe,
    /// Does the interpreter agree?
    Error(bool),
    Unknown(String),
}

struct Run<'a> {
    bam: Bam<'a, Product<Domain<'a>>>,
    refinements: usize,
}

fn run<'a>(cfa: &'a Cfa, facts: &'a Analyses, blocks: &'a Blocks, predicate: Predicate<'a>) -> Run<'a> {
    let is_error = |edge| matches!(cfa.edges[edge].op, Op::Error { .. });
    let product = Product::new(vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Specification(Specification::new(cfa, Box::new(is_error))),
        Domain::Predicate(predicate),
    ]);
    let _ = facts;
    Run { bam: Bam::new(cfa, blocks, product, Work::default(), vec![Layer::Unrolled]), refinements: 0 }
}

impl<'a> Run<'a> {
    fn decide(&mut self, budget: &Budget) -> Verdict {
        loop {
            match self.round(budget) {
                Err(stop) => return Verdict::Unknown(stop.to_string()),
                Ok(None) => return Verdict::Safe,
                Ok(Some(Refinement::Refined)) => {}
                Ok(Some(Refinement::Feasible(found))) => {
                    let choices = found.inputs.iter().map(|(input, value)| (input, value.as_ref()));
                    return Verdict::Error(replays(self.bam.cfa, choices));
                }
            }
        }
    }

    /// To the next target, and what it means.
    fn round(&mut self, budget: &Budget) -> Result<Option<Refinement<Counterexample>>, Stop> {
        let Solved::Target(target) = self.bam.solve(budget)? else { return Ok(None) };
        self.refinements += 1;
        let frames = self.bam.frames(target);
        let store = &self.bam.store;
        let open: Vec<OpenFrame> = frames
            .iter()
            .map(|frame| {
                let AnyState::Predicate(state) =
                    store.summaries[frame.summary].reached.nodes[frame.at].state[PREDICATE]
                else {
                    panic!("no predicates")
                };
                OpenFrame { state, call: frame.next.and_then(|id| store.uses[id].call) }
            })
            .collect();
        let mut precision = self.bam.precision.to_vec();
        let (Domain::Predicate(domain), AnyPrecision::Predicate(predicates)) =
            (&mut self.bam.cpa.components[PREDICATE], &mut precision[PREDICATE])
        else {
            panic!("no predicates")
        };
        let refined = domain.refine_through_blocks(&open, predicates)?;
        if matches!(refined, Refinement::Refined) && !self.bam.set_precision(precision.into()) {
            return Err(Stop::GaveUp("nothing new".to_owned()));
        }
        Ok(Some(refined))
    }

    /// The predicates, by function and location.
    fn predicates(&self) -> String {
        let (Domain::Predicate(domain), AnyPrecision::Predicate(precision)) =
            (&self.bam.cpa.components[PREDICATE], &self.bam.precision[PREDICATE])
        else {
            panic!("no predicates")
        };
        let (cfa, mut text) = (self.bam.cfa, String::new());
        for (node, predicates) in precision.iter() {
            let function = cfa.nodes[node].function;
            let name = cfa.program.name(cfa.program.functions[function].name);
            let automaton = cfa.automaton(function).unwrap();
            let place = match node {
                _ if node == automaton.entry => "entry",
                _ if node == automaton.exit => "exit",
                _ => "inside",
            };
            for &predicate in predicates {
                let _ = writeln!(text, "{name} {place}: {}", domain.show_formula(predicate));
            }
        }
        text
    }
}

fn decide(
    text: &str,
    encoding: Encoding,
    representation: Representation,
    (partition, inline): (Partition, u32),
) -> (Verdict, String) {
    let cfa = automata(&format!("{PRELUDE}{text}"));
    let facts = Analyses::new(&cfa);
    let blocks = Blocks::new(&cfa, &facts, partition, inline);
    let budget = Budget::with_time(Duration::from_secs(20));
    let mut domain = predicate(&cfa, &facts, encoding, representation, &budget);
    domain.settings.inline = inline;
    let mut run = run(&cfa, &facts, &blocks, domain);
    let verdict = run.decide(&budget);
    (verdict, run.predicates())
}

#[test]
fn predicates_of_a_summary_relate_results_to_copies() {
    let text = "int add(int a, int b) { return a + b; }
        int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 100) return 0;
          int y = add(x, 1); int z = add(y, 2); if (z != x + 3) reach_error(); return 0; }";
    let (verdict, predicates) = decide(text, Encoding::Int, Representation::Bdd, (Partition::Functions, 0));
    assert!(matches!(verdict, Verdict::Safe), "{verdict:?}\n{predicates}");
    let at_exit: Vec<&str> = predicates.lines().filter(|line| line.starts_with("add exit")).collect();
    assert!(!at_exit.is_empty(), "{predicates}");
    assert!(
        at_exit.iter().any(|line| line.contains("old(add.a)") && line.contains("add.__result")),
        "{predicates}"
    );
    assert!(at_exit.iter().all(|line| !line.contains(" add.a") && !line.contains("main.")), "{predicates}");
}

/// A proof must be right, an error must be real; that nothing is known may be.
fn check(name: &str, verdict: &Verdict, is_error: bool, predicates: &str) {
    match verdict {
        Verdict::Safe => assert!(!is_error, "{name}: the error is missing\n{predicates}"),
        Verdict::Error(is_real) => {
            assert!(is_error && *is_real, "{name}: no real error ({is_real})\n{predicates}")
        }
        Verdict::Unknown(_) => {}
    }
}

fn check_programs(
    encoding: Encoding,
    representation: Representation,
    partition: (Partition, u32),
) -> Vec<String> {
    let mut unknown = Vec::new();
    for &(name, text, is_error) in PROGRAMS {
        let (verdict, predicates) = decide(text, encoding, representation, partition);
        check(name, &verdict, is_error, &predicates);
        if let Verdict::Unknown(why) = verdict {
            unknown.push(format!("{name}: {why}"));
        }
    }
    eprintln!("not decided: {unknown:?}");
    unknown
}

/// Solvers recurse over formulas.
fn with_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(256 << 20).spawn_scoped(scope, work).unwrap();
        thread.join().unwrap()
    })
}

#[test]
fn functions_over_integers() {
    let unknown =
        with_stack(|| check_programs(Encoding::Int, Representation::Bdd, (Partition::Functions, 0)));
    assert!(unknown.len() <= 3, "{unknown:?}");
}

#[test]
fn functions_over_bit_vectors() {
    let unknown =
        with_stack(|| check_programs(Encoding::BitVector, Representation::Bdd, (Partition::Functions, 0)));
    assert!(unknown.len() < PROGRAMS.len() / 2, "{unknown:?}");
}

#[test]
fn functions_and_loops() {
    let unknown =
        with_stack(|| check_programs(Encoding::Int, Representation::Term, (Partition::FunctionsAndLoops, 0)));
    assert!(unknown.len() < PROGRAMS.len() / 2, "{unknown:?}");
}

#[test]
fn short_functions_as_parts_of_their_callers() {
    for partition in [Partition::Functions, Partition::FunctionsAndLoops] {
        let unknown = with_stack(|| check_programs(Encoding::Int, Representation::Bdd, (partition, INLINE)));
        assert!(unknown.len() < PROGRAMS.len() / 2, "{unknown:?}");
    }
}

#[test]
fn random_programs_have_the_verdict_that_running_them_gives() {
    with_stack(check_random_programs);
}

fn check_random_programs() {
    let (mut decided, mut unknown) = (0, 0);
    for seed in 0..KNOBS.bam_seeds.or(20) {
        let text = generate_recursive(seed);
        let cfa = automata(&text);
        let is_error = match truth(&cfa) {
            Truth::Safe => false,
            Truth::Error => true,
            Truth::Unknown(_) => continue,
        };
        let facts = Analyses::new(&cfa);
        let partition = if seed % 2 == 0 { Partition::Functions } else { Partition::FunctionsAndLoops };
        let encoding = if seed % 3 == 0 { Encoding::BitVector } else { Encoding::Int };
        let representation = if seed % 4 < 2 { Representation::Bdd } else { Representation::Term };
        let inline = if seed % 5 < 2 { INLINE } else { 0 };
        let blocks = Blocks::new(&cfa, &facts, partition, inline);
        let budget = Budget::with_time(Duration::from_secs(3));
        let mut domain = predicate(&cfa, &facts, encoding, representation, &budget);
        domain.settings.inline = inline;
        let mut run = run(&cfa, &facts, &blocks, domain);
        let verdict = run.decide(&budget);
        check(&format!("seed {seed}\n{text}"), &verdict, is_error, &run.predicates());
        match verdict {
            Verdict::Unknown(why) => {
                eprintln!("seed {seed}: {why} after {} refinements", run.refinements);
                unknown += 1;
            }
            Verdict::Safe | Verdict::Error(_) => decided += 1,
        }
    }
    eprintln!("{decided} decided, {unknown} not");
    assert!(decided > 0, "nothing was decided");
}
