//! What the operators of the analyses cost on small programs: transfer, coverage, abstraction, refinement,
//! and a whole run.

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_cpa::{ArgId, Cpa, CpaPlusPlus, Layer, Move, Product, Reached, Refiner, cpa_plus_plus};
use summa_domains::callstack::Callstack;
use summa_domains::interval::Intervals;
use summa_domains::location::Location;
use summa_domains::loop_bound::{Counting, LoopBound};
use summa_domains::predicate::{
    Blocks, Predicate, PredicateRefiner, Representation, Settings, Strategy, predicate_of,
};
use summa_domains::specification::Specification;
use summa_domains::value::{self, Value};
use summa_domains::{AnyState, Domain, scalars};
use summa_encode::Encoding;
use summa_engines::config::PRESETS;
use summa_engines::{Config, Task, run};
use summa_facts::Analyses;
use summa_logic::Block;
use summa_testkit::automata;

/// The running example of Beyer, Dangl, Wendler, JAR 2018.
const COUNTERS: &str = "extern void reach_error(void); int main(void) { int x = 0, y = 0;
    while (x < 2) { x++; y++; if (x != y) reach_error(); } return 0; }";
/// Nested loops and a function.
const NESTED: &str = "extern void reach_error(void); int add(int a, int b) { return a + b; }
    int main(void) { int sum = 0; for (int i = 0; i < 3; i++) { for (int j = 0; j < 3; \
    j++) sum = add(sum, i * j); }
    if (sum != 9) reach_error(); return 0; }";
/// Branches over inputs: many paths, which meet again.
const BRANCHES: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
    int main(void) { int held = 0, n = 0; while (n < 4) { int a = __VERIFIER_nondet_int(), b = \
    __VERIFIER_nondet_int();
    if (a) held = 1; if (b) n++; if (a) { if (held != 1) reach_error(); held = 0; } \
    if (held) reach_error(); } return 0; }";
const PROGRAMS: [(&str, &str); 3] = [("counters", COUNTERS), ("nested", NESTED), ("branches", BRANCHES)];

const SETTINGS: Settings = Settings::ABSTRACTION;
const UNROLLING: Settings =
    Settings { representation: Representation::Term, blocks: Blocks::Never, ..SETTINGS };
/// Rounds of each loop, where they are counted.
const ROUNDS: u32 = 4;

type Arg<'t> = Reached<Product<Domain<'t>>>;

struct Example {
    cfa: Cfa,
    facts: Analyses,
}

impl Example {
    fn new(text: &str) -> Self {
        let cfa = automata(text);
        let facts = Analyses::new(&cfa);
        Self { cfa, facts }
    }

    fn is_error(&self, edge: EdgeId) -> bool {
        matches!(self.cfa.edges[edge].op, Op::Error { .. })
    }

    fn predicate(&self, settings: Settings) -> Domain<'_> {
        let budget = Budget::unlimited();
        let predicate = Predicate::new(&self.cfa, &self.facts, Encoding::BitVector, settings, &budget);
        match predicate {
            Ok(predicate) => Domain::Predicate(predicate),
            Err(stop) => panic!("{stop}"),
        }
    }

    fn values(&self) -> Domain<'_> {
        Domain::Value(Value::new(&self.cfa, &self.facts, value::Options::default()))
    }

    fn intervals(&self) -> Domain<'_> {
        Domain::Interval(Intervals::new(&self.cfa, &self.facts, scalars::Options::default()))
    }

    /// The product of the domains of control and one of data, with its initial state.
    fn analysis<'e>(&'e self, data: Domain<'e>, bound: Option<u32>) -> (Product<Domain<'e>>, Arg<'e>) {
        let (cfa, facts) = (&self.cfa, &self.facts);
        let mut components = vec![
            Domain::Location(Location { cfa }),
            Domain::Callstack(Callstack::new(cfa)),
            Domain::Specification(Specification::new(cfa, Box::new(|edge| self.is_error(edge)))),
        ];
        components.extend(bound.map(|k| Domain::LoopBound(LoopBound::new(cfa, facts, Counting::PerLoop, k))));
        components.push(data);
        let mut product = Product::new(components);
        let mut reached = Reached::new(vec![Layer::Unrolled]);
        let (state, precision) = product.initial(cfa.entry());
        reached.add_root(cfa, &product, cfa.entry(), state, precision);
        (product, reached)
    }

    /// CPA++ to the end, or to the first error if `aborts`.
    fn explore<'e>(
        &'e self,
        product: &mut Product<Domain<'e>>,
        reached: &mut Arg<'e>,
        aborts: bool,
    ) -> Option<ArgId> {
        let abort = |cpa: &Product<Domain<'e>>, state: &_| aborts && cpa.is_target(state);
        match cpa_plus_plus(&self.cfa, product, reached, &abort, &Budget::unlimited()) {
            Ok(CpaPlusPlus::Aborted(target)) => Some(target),
            Ok(CpaPlusPlus::Complete) => None,
            Err(stop) => panic!("{stop}"),
        }
    }
}

/// All moves of all reached states, by one domain.
fn transfer(c: &mut Criterion) {
    let mut group = c.benchmark_group("transfer");
    for (name, text) in PROGRAMS {
        let example = Example::new(text);
        let domains = [
            ("predicate", example.predicate(UNROLLING)),
            ("value", example.values()),
            ("interval", example.intervals()),
        ];
        for (domain, data) in domains {
            let (mut product, mut reached) = example.analysis(data, Some(ROUNDS));
            example.explore(&mut product, &mut reached, false);
            group.bench_function(format!("{domain}/{name}"), |b| {
                b.iter(|| {
                    let mut successors = 0;
                    let mut moves: Vec<Move> = Vec::new();
                    for id in reached.reached() {
                        let node = &reached.nodes[id];
                        moves.clear();
                        product.moves(&node.state, &mut moves);
                        for &by in &moves {
                            successors +=
                                product.transfer(&node.state, &node.precision, by).map_or(0, |s| s.len());
                        }
                    }
                    successors
                });
            });
        }
    }
    group.finish();
}

/// Is a state covered? For all pairs of reached states of one location.
fn coverage(c: &mut Criterion) {
    let mut group = c.benchmark_group("coverage");
    for (name, text) in PROGRAMS {
        let example = Example::new(text);
        let domains = [("predicate", example.predicate(SETTINGS)), ("value", example.values())];
        for (domain, data) in domains {
            let (mut product, mut reached) = example.analysis(data, Some(ROUNDS));
            example.explore(&mut product, &mut reached, false);
            let states: Vec<ArgId> = reached.reached().collect();
            group.bench_function(format!("{domain}/{name}"), |b| {
                b.iter(|| {
                    let mut covered = 0;
                    for &id in &states {
                        let node = &reached.nodes[id];
                        for &other in reached.bucket(reached.key(id)) {
                            let other = &reached.nodes[other].state;
                            covered +=
                                usize::from(product.stop(&node.state, other, &node.precision) == Ok(true));
                        }
                    }
                    covered
                });
            });
        }
    }
    group.finish();
}

/// An analysis that has found its first error path.
type Found<'e> = (Product<Domain<'e>>, Arg<'e>, ArgId);

fn error_path(example: &Example, settings: Settings) -> Found<'_> {
    let (mut product, mut reached) = example.analysis(example.predicate(settings), None);
    let target = example.explore(&mut product, &mut reached, true);
    (product, reached, target.unwrap_or_else(|| panic!("nothing was abstracted, and there is no error path")))
}

/// The boolean abstraction of the first block of an error path, by the atoms of its interpolants. Nothing is
/// known from before: each round has a domain of its own.
fn abstraction(c: &mut Criterion) {
    let mut group = c.benchmark_group("abstraction");
    for (name, text) in PROGRAMS {
        let example = Example::new(text);
        let question = || {
            let (mut product, reached, target) = error_path(&example, SETTINGS);
            let Some((index, predicate)) = predicate_of(&mut product) else { panic!("no predicate domain") };
            let AnyState::Predicate(state) = reached.nodes[target].state[index] else {
                panic!("another domain")
            };
            let mut blocks = Vec::new();
            let mut at = state.abstraction;
            while let Some((before, path)) = predicate.abstractions[at].block {
                blocks.push(Block::alone(path));
                at = before;
            }
            blocks.reverse();
            let interpolants = {
                let chain = predicate.logic.chain(&blocks);
                predicate.logic.interpolants(&chain, false).unwrap_or_default()
            };
            let terms = &predicate.logic.paths.encoder.terms;
            let mut predicates: Vec<_> =
                interpolants.iter().flat_map(|&interpolant| terms.atoms(interpolant)).collect();
            predicates.sort_unstable();
            predicates.dedup();
            (product, blocks, predicates)
        };
        group.bench_function(name, |b| {
            b.iter_batched(
                question,
                |(mut product, blocks, predicates)| {
                    let found =
                        predicate_of(&mut product).zip(blocks.first()).map(|((_, predicate), block)| {
                            predicate.abstract_formula(summa_term::Terms::TRUE, block.path, &predicates)
                        });
                    black_box(found.is_some_and(|formula| formula.is_ok()));
                    product
                },
                BatchSize::PerIteration,
            );
        });
    }
    group.finish();
}

/// The first refinement: feasibility, interpolants, and the graph after it.
fn refinement(c: &mut Criterion) {
    let mut group = c.benchmark_group("refinement");
    let impact = Settings { representation: Representation::Term, strategy: Strategy::Impact, ..SETTINGS };
    for (strategy, settings) in [("predicate", SETTINGS), ("impact", impact)] {
        for (name, text) in PROGRAMS {
            let example = Example::new(text);
            group.bench_function(format!("{strategy}/{name}"), |b| {
                b.iter_batched(
                    || error_path(&example, settings),
                    |(mut product, mut reached, target)| {
                        let refined = PredicateRefiner::default().refine(&mut product, &mut reached, target);
                        black_box(refined.is_ok());
                        (product, reached)
                    },
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

/// Every engine on the running example, from the automata to the verdict.
fn engines(c: &mut Criterion) {
    let mut group = c.benchmark_group("engine");
    let example = Example::new(COUNTERS);
    let is_error = |edge| example.is_error(edge);
    for preset in PRESETS {
        let Ok(config) = Config::preset(preset.name) else { panic!("{} is no configuration", preset.name) };
        group.bench_function(preset.name, |b| {
            b.iter(|| {
                let task = Task::new(&example.cfa, &example.facts, Budget::unlimited(), &is_error);
                run(&config, &task, &mut |_| false).outcome
            });
        });
    }
    group.finish();
}

criterion_group!(benches, transfer, coverage, abstraction, refinement, engines);
criterion_main!(benches);
