//! States of whole analyses as data: what engines reached is saved, loaded by an analysis of the same program
//! that was assembled anew (as another process would), and covers what was saved and is covered by it when it
//! comes back. What was tampered with is refused or is some state, never a panic.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use serde_json::Value as Json;
use std::time::Duration;
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa};
use summa_cpa::{Cpa, Portable};
use summa_domains::predicate::Predicate;
use summa_domains::{AnyState, Domain};
use summa_engines::assemble::assemble;
use summa_engines::config::EncodingChoice;
use summa_engines::{Config, Task, run};
use summa_facts::Analyses;
use summa_testkit::{Random, generate, tampered};

const PRELUDE: &str = "int __VERIFIER_nondet_int(void); void reach_error(void);\n";

const PROGRAMS: &[&str] = &[
    // Relations between variables.
    "int main(void) { int x = 0, y = 0; while (__VERIFIER_nondet_int()) { x++; y++; } \
     if (x != y) reach_error(); return 0; }",
    // Arrays, pointers, a call.
    "int a[4]; int *p; void set(int i, int v) { if (i >= 0 && i < 4) { a[i] = v; p = &a[i]; } }
     int main(void) { int n = __VERIFIER_nondet_int(); for (int i = 0; i < 4; i++) set(i, n + i);
       while (__VERIFIER_nondet_int()) { set(3, a[0]); } if (p == 0) reach_error(); return 0; }",
    // Floats, and a number that is an address.
    "int main(void) { double d = 1.5; int x; unsigned long n = (unsigned long)&x;
       while (__VERIFIER_nondet_int()) { if (d < 100.0) d = d * 2; if (n == 0) reach_error(); }
       if (d < 1.0) reach_error(); return 0; }",
];

const LOOP_BOUND: &str = r#"description = "bounded"
algorithm = "reachability"
waitlist = ["unrolled"]
domains = ["location", "callstack", "specification", "loop-bound", "sign"]
[loop-bound]
max = 3
"#;

fn cfa(source: &str) -> Cfa {
    let loaded = summa_c::load_text("test.c", source, DataModel::Lp64);
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    summa_transform::build(loaded.program, &BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// States that are looked at in one analysis.
const MAX_STATES: usize = 60;

/// How many states were saved, and how many of predicates say something.
#[derive(Clone, Copy, Debug, Default)]
struct Checked {
    states: usize,
    formulas: usize,
}

fn check(config: &Config, cfa: &Cfa, random: &mut Random, checked: &mut Checked) {
    let facts = Analyses::new(cfa);
    let task = Task::new(cfa, &facts, Budget::with_time(Duration::from_secs(1)), &|_| true);
    let Some(mut graph) = run(config, &task, &mut |_| false).graph else { return };
    // In the encoding of the last attempt.
    let encoding = graph.product.components.iter().find_map(|component| match component {
        Domain::Predicate(predicate) => Some(predicate.logic.paths.encoder.encoding),
        _ => None,
    });
    let task = encoding.map_or_else(|| task.clone(), |encoding| task.in_encoding(encoding));
    let mut other = assemble(config, &task).unwrap_or_else(|reason| panic!("{reason}")).product;
    let before = checked.states;
    for id in graph.reached.alive().collect::<Vec<_>>() {
        if checked.states - before >= MAX_STATES {
            break;
        }
        let node = &graph.reached.nodes[id];
        let (state, precision) = (node.state.clone(), node.precision.clone());
        let shown = graph.product.show(&state);
        let is_inside = state
            .iter()
            .any(|part| matches!(part, AnyState::Predicate(predicate) if !predicate.is_abstraction));
        let saved = match graph.product.save(&state) {
            Ok(saved) => saved,
            Err(misfit) => {
                assert!(is_inside, "{shown}: {misfit}");
                continue;
            }
        };
        let saved: Json = serde_json::from_str(&saved.to_string()).unwrap();
        let there = other.load(&saved).unwrap_or_else(|misfit| panic!("{shown}: {misfit}"));
        let again = other.save(&there).unwrap_or_else(|misfit| panic!("{shown}: {misfit}"));
        let back = graph.product.load(&again).unwrap_or_else(|misfit| panic!("{shown}: {misfit}"));
        assert_eq!(graph.product.stop(&state, &back, &precision), Ok(true), "{shown} in {saved}");
        assert_eq!(graph.product.stop(&back, &state, &precision), Ok(true), "{shown} in {saved}");
        checked.states += 1;
        checked.formulas += usize::from(says_something(&graph.product.components, &state));
        for _ in 0..3 {
            if let Ok(loaded) = other.load(&tampered(saved.clone(), random)) {
                let _ = (other.show(&loaded), other.save(&loaded));
            }
        }
    }
}

fn says_something(components: &[Domain<'_>], state: &[AnyState]) -> bool {
    components.iter().zip(state).any(|pair| match pair {
        (Domain::Predicate(predicate), AnyState::Predicate(state)) => {
            formula_of(predicate, state.abstraction) != summa_term::Terms::TRUE
        }
        _ => false,
    })
}

fn formula_of(predicate: &Predicate<'_>, id: summa_domains::predicate::AbstractionId) -> summa_term::Term {
    predicate.abstractions[id].formula
}

#[test]
fn saved_states_come_back() {
    let mut random = Random::new(7);
    let presets = ["predicate", "impact", "value", "value-cegar", "value+interval", "interval"];
    let mut checked = Checked::default();
    for text in PROGRAMS {
        let cfa = cfa(&format!("{PRELUDE}{text}"));
        check(&Config::parse("loop-bound", LOOP_BOUND).unwrap(), &cfa, &mut random, &mut checked);
        for preset in presets {
            let mut config = Config::preset(preset).unwrap();
            for encoding in [EncodingChoice::Int, EncodingChoice::Bitvector] {
                config.encoding = encoding;
                // Predicates, not lemmas that make them unnecessary.
                if preset == "predicate" || preset == "impact" {
                    config.set("predicate", "invariants", "none").unwrap();
                }
                check(&config, &cfa, &mut random, &mut checked);
            }
        }
    }
    for seed in 0..6 {
        let cfa = summa_testkit::automata(&generate(seed));
        for preset in presets {
            check(&Config::preset(preset).unwrap(), &cfa, &mut random, &mut checked);
        }
    }
    assert!(checked.states > 500, "{checked:?}");
    assert!(checked.formulas > 10, "{checked:?}");
}

/// The states of one program mean nothing to another.
#[test]
fn states_of_another_program_are_refused() {
    let one = cfa("int f(int x) { return x + 1; } int main(void) { int y = f(3); return y; }");
    let two = cfa("int g(int x) { return x + 1; } int main(void) { int z = g(3); return z; }");
    let (facts_one, facts_two) = (Analyses::new(&one), Analyses::new(&two));
    let config = Config::preset("value+interval").unwrap();
    let task_one = Task::new(&one, &facts_one, Budget::with_time(Duration::from_secs(3)), &|_| true);
    let task_two = Task::new(&two, &facts_two, Budget::with_time(Duration::from_secs(3)), &|_| true);
    let graph = run(&config, &task_one, &mut |_| false).graph.unwrap();
    let mut other = assemble(&config, &task_two).unwrap_or_else(|reason| panic!("{reason}")).product;
    let saved = graph.reached.reached().map(|id| graph.product.save(&graph.reached.nodes[id].state).unwrap());
    let refused = saved.filter(|saved| other.load(saved).is_err()).count();
    assert!(refused > 0);
}
