//! Every TRUE comes with a proof that the checker confirms: small programs of each kind, and off-line the
//! tasks of the task set.
//!
//! `SUMMA_PROOFS=100` takes so many tasks, `SUMMA_PROOFS_PRESETS` names presets, `SUMMA_PROOFS_CATEGORY` a
//! part of the name of categories, `SUMMA_PROOFS_MS` is the time for each engine and task.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs it off-line")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use summa_base::Budget;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_encode::Encoding;
use summa_engines::config::{EncodingChoice, InvariantSource, KInductionConfig, PRESETS};
use summa_engines::{Choice, Claim, Config, Outcome, Task, run};
use summa_facts::Analyses;
use summa_proof::{Confirmed, Proof, check};
use summa_testkit::programs::{automata, read};
use summa_testkit::{KNOBS, replays, tasks};

/// What a preset came to.
enum Answer {
    Confirmed(Confirmed),
    Refused(String),
    Other,
}

/// The answer with the proof, and how long the engine and the checker took.
fn answer(config: &Config, cfa: &Cfa, time: Duration) -> (Answer, Option<Proof>, Duration, Duration) {
    let facts = Analyses::new(cfa);
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    let task = Task::new(cfa, &facts, Budget::with_time(time), &is_error);
    let replay = |choices: &[Choice]| replays(cfa, choices.iter().map(|c| (&c.input, c.value.as_ref())));
    let started = Instant::now();
    let report = run(config, &task, &mut |choices| replay(choices));
    let engine = started.elapsed();
    let (answer, proof) = match report.outcome {
        Outcome::Claimed(Claim { proof: Ok(proof), .. }) => {
            let budget = Budget::with_time(time * 2);
            match check(cfa, &facts, &is_error, &proof, &budget) {
                Ok(confirmed) => (Answer::Confirmed(confirmed), Some(proof)),
                Err(refusal) => (Answer::Refused(refusal.to_string()), Some(proof)),
            }
        }
        Outcome::Claimed(Claim { proof: Err(reason), .. }) => (Answer::Refused(reason), None),
        _ => (Answer::Other, None),
    };
    (answer, proof, engine, started.elapsed() - engine)
}

#[derive(Default)]
struct Tally {
    safe: usize,
    confirmed: usize,
    queries: u64,
    steps: u64,
    engine: Duration,
    check: Duration,
}

#[test]
fn proofs_of_the_task_set_are_confirmed() {
    // Solvers need more stack than a test has.
    let large = std::thread::Builder::new().stack_size(512 << 20);
    large.spawn(measure_the_task_set).unwrap().join().unwrap();
}

fn measure_the_task_set() {
    let count = KNOBS.proofs.or(0) as usize;
    let Some(all) = tasks().filter(|_| count > 0) else { return };
    let category = KNOBS.proofs_category.text().unwrap_or_default();
    let wanted = KNOBS.proofs_presets.text().unwrap_or_default();
    let time = Duration::from_millis(KNOBS.proofs_ms.or(4000));
    let mut tasks: Vec<summa_testkit::Task> = all
        .into_iter()
        .filter(|task| task.property == "unreach-call" && task.is_safe && task.category.contains(&category))
        .collect();
    // A sample of all that there is, by numbers that have nothing to do with the tasks.
    let mut random = summa_testkit::Random::new(KNOBS.proofs_seed.or(1));
    tasks.sort_by_cached_key(|_| random.bits());
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    let presets =
        presets.into_iter().filter(|name| wanted.is_empty() || wanted.split(',').any(|one| one == *name));
    let mut tallies: BTreeMap<&str, Tally> = BTreeMap::new();
    for preset in presets {
        let config = Config::preset(preset).unwrap();
        for task in tasks.iter().take(count) {
            let Some(cfa) = read(&task.path, task.model) else { continue };
            let (answer, proof, engine, check) = answer(&config, &cfa, time);
            let tally = tallies.entry(preset).or_default();
            let name = task.path.file_name().unwrap_or_default().to_string_lossy();
            let size = proof.map_or(0, |proof| proof.size());
            let times = format!("{:.2} + {:.2} s", engine.as_secs_f64(), check.as_secs_f64());
            match answer {
                Answer::Confirmed(confirmed) => {
                    println!(
                        "ok      {preset:24} {times:16} {size:6} {:6} {:6} {name}",
                        confirmed.steps, confirmed.queries
                    );
                    tally.confirmed += 1;
                    (tally.queries, tally.steps) =
                        (tally.queries + confirmed.queries, tally.steps + confirmed.steps);
                }
                Answer::Refused(why) => println!("refused {preset:24} {times:16} {size:6} {name}: {why}"),
                Answer::Other => continue,
            }
            tally.safe += 1;
            (tally.engine, tally.check) = (tally.engine + engine, tally.check + check);
        }
    }
    for (preset, tally) in tallies {
        println!(
            "{preset:28} {:4} safe, {:4} confirmed, {:8} steps, {:7} queries, engine {:8.2} s, check {:8.2} \
             s",
            tally.safe,
            tally.confirmed,
            tally.steps,
            tally.queries,
            tally.engine.as_secs_f64(),
            tally.check.as_secs_f64()
        );
    }
}

/// Programs that are safe, each for another reason.
const SAFE: &[(&str, &str)] = &[
    ("no loop", "int x = 3; if (x != 3) reach_error();"),
    ("a loop that ends", "int i = 0; while (i < 5) i++; if (i != 5) reach_error();"),
    ("a flag", "int f = 0; while (nondet()) { if (f == 1) reach_error(); f = 2; }"),
    ("a bound", "int i = 0; while (nondet()) { if (i < 10) i++; if (i > 10) reach_error(); }"),
    (
        "two loops",
        "int i, s = 0; for (i = 0; i < 3; i++) s += 2; while (s > 0) s -= 2; if (s != 0) reach_error();",
    ),
    ("an array", "int a[3] = {1, 2, 3}; int i = 2; a[i] = 7; if (a[2] != 7 || a[0] != 1) reach_error();"),
    ("a call", "int r = 0; while (nondet()) { r = inc(r); if (r > 5) r = 0; } if (r > 6) reach_error();"),
    ("recursion", "if (sum(4) != 10) reach_error();"),
    (
        "a call to which two contracts apply",
        "int x = 8, *p = &g; for (int i = 0; i < 2; i++) { *p = some(i); p = &x; } *p = nondet(); \
         x = some(x & 3); \
         if (x > 7) reach_error();",
    ),
    (
        "a bit-field where executions meet",
        "int r = 0; if (nondet()) r = 1; if (bits.f != 0 || r > 1) reach_error();",
    ),
    (
        "a literal where executions meet",
        "int r = 0; if (nondet()) r = 1; if (text[2] != 'y' || r > 1) reach_error();",
    ),
];

fn program(body: &str) -> Cfa {
    automata(&format!(
        "extern void abort(void); void reach_error(void) {{ abort(); }}\n\
         extern int __VERIFIER_nondet_int(void);\n\
         int nondet(void) {{ return __VERIFIER_nondet_int(); }}\nstruct {{ unsigned f:9; }} bits; \
         char *text = \"hey\";\nint inc(int x) {{ return x + 1; }}\n\
         int g = 5; int some(int n) {{ if (n <= 0) return g ? 3 : 3; return 7; }}\n\
         int sum(int n) {{ if (n <= 0) return 0; return n + sum(n - 1); }}\n\
         int main(void) {{ {body} return 0; }}"
    ))
}

#[test]
fn small_programs_are_confirmed_by_every_preset_that_proves_them() {
    let mut proved: BTreeMap<&str, usize> = BTreeMap::new();
    for (what, body) in SAFE {
        let cfa = program(body);
        for preset in PRESETS {
            let config = Config::preset(preset.name).unwrap();
            match answer(&config, &cfa, Duration::from_millis(1500)).0 {
                Answer::Confirmed(_) => *proved.entry(what).or_default() += 1,
                Answer::Refused(why) => panic!("{what}, {}: {why}", preset.name),
                Answer::Other => {}
            }
        }
    }
    for (what, _) in SAFE {
        assert!(proved.get(what).is_some_and(|&count| count > 3), "{what}: {proved:?}");
    }
}

/// What is irrelevant to reaching an error is not required; then it must not be ensured either.
#[test]
fn what_does_not_matter_is_in_no_contract() {
    let cfa = automata(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         void t(int n, int from, int to) { if (n == 0) return; t(n - 1, to, from); }\n\
         int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 2) return 0; t(n, 1, 3);\n\
         if (n > 2) reach_error(); return 0; }",
    );
    let mut config = Config::preset("interval+linear-bam-rec").unwrap();
    config.reduce_first("interval->linear").unwrap();
    match answer(&config, &cfa, Duration::from_secs(20)).0 {
        Answer::Confirmed(_) => {}
        Answer::Refused(why) => panic!("{why}"),
        Answer::Other => panic!("not proved"),
    }
}

/// Intervals know which bits a result has; formulas over integers only that it is not larger than an operand.
/// What k-induction over integers takes from intervals is proved over bit-vectors.
#[test]
fn intervals_of_bit_operations_are_inductive_over_bit_vectors() {
    let cfa = program(
        "int x = 5, n = nondet(); if (n < 0 || n > 2) return 0; \
         while (nondet()) { x += n; x &= n - 9; } if (x > 11) reach_error();",
    );
    let mut config = Config::preset("k-induction").unwrap();
    config.encoding = EncodingChoice::Int;
    config.k_induction = Some(KInductionConfig { invariants: InvariantSource::Interval });
    let (answer, proof, ..) = answer(&config, &cfa, Duration::from_secs(20));
    assert!(matches!(answer, Answer::Confirmed(_)), "not confirmed");
    assert_eq!(proof.unwrap().encoding, Encoding::BitVector);
}
