//! The differential law: on random programs no engine contradicts the truth, no two contradict each other,
//! and every error replays. The truth is that of the interpreter, which tries all inputs.
//!
//! A sample of fixed seeds runs always. `SUMMA_DIFFERENTIAL=2000` takes so many,
//! `SUMMA_DIFFERENTIAL_TYPED=2000` so many about types, builtins and calls through pointers,
//! `SUMMA_DIFFERENTIAL_MEMBERS=2000` so many whose accesses leave members; `SUMMA_DIFFERENTIAL_FROM` says the
//! first seed, `SUMMA_DIFFERENTIAL_MS` the time for each engine and program. What breaks the law is reported
//! with its program cut down.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs it off-line")]

mod verdicts;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};
use summa_c::types::DataModel;
use summa_cfa::BuildOptions;
use summa_cfa::Checks;
use summa_engines::Config;
use summa_engines::config::{EncodingChoice, PRESETS};
use summa_facts::Analyses;
use summa_testkit::generate::typed::generate_typed;
use summa_testkit::programs::try_built;
use summa_testkit::{KNOBS, Truth, generate, generate_members, generate_recursive, minimise, truth};
use verdicts::{Verdict, complaint, verdict};

/// For the programs on the way to a smaller one.
const MINIMISING: Duration = Duration::from_secs(120);
/// Every third program is about recursion.
fn program(seed: u64) -> String {
    if seed % 3 == 2 { generate_recursive(seed) } else { generate(seed) }
}

/// In every fifth one, operations that go wrong are errors too.
fn options(seed: u64) -> BuildOptions {
    let checks = if seed % 5 == 4 { Checks::ALL } else { Checks::NONE };
    BuildOptions { checks, ..BuildOptions::default() }
}

/// Of programs whose accesses may leave members, every other one has them apart.
fn options_of_members(seed: u64) -> BuildOptions {
    BuildOptions { members_apart: seed.is_multiple_of(2), promote: seed % 8 < 4, ..BuildOptions::default() }
}

/// The program as small as possible with the same complaint about the same engine.
fn smaller(config: &Config, text: &str, options: &BuildOptions, what: &str, time: Duration) -> String {
    let start = Instant::now();
    minimise(text, &mut |candidate| {
        if start.elapsed() > MINIMISING {
            return false;
        }
        let Ok(cfa) = try_built(DataModel::Lp64, candidate, options) else { return false };
        let truth = truth(&cfa);
        if matches!(truth, Truth::Unknown(_)) {
            return false;
        }
        let facts = Analyses::new(&cfa);
        complaint(&verdict(config, &cfa, &facts, time), truth) == Some(what)
    })
}

#[derive(Default)]
struct Tally {
    verdicts: [usize; 3],
    /// Why there was no verdict, how often.
    reasons: BTreeMap<String, usize>,
    time: Duration,
    longest: Duration,
}

fn presets() -> Vec<Config> {
    let configs: Vec<Config> = PRESETS.iter().filter_map(|preset| Config::preset(preset.name).ok()).collect();
    assert_eq!(configs.len(), PRESETS.len(), "a preset is no configuration");
    configs
}

#[test]
fn no_engine_contradicts_the_truth_or_another() {
    let program = |seed| Some(program(seed));
    the_law_holds(KNOBS.differential.or(60), &program, options, &|_| presets(), false);
}

/// What types, builtins and calls mean.
#[test]
fn no_engine_contradicts_the_truth_about_types() {
    let program = |seed| generate_typed(seed, DataModel::Lp64);
    the_law_holds(KNOBS.differential_typed.or(12), &program, options, &|_| presets(), false);
}

/// The same with arithmetic by turns.
#[test]
fn no_engine_contradicts_the_truth_where_accesses_leave_members() {
    let configs = |seed: u64| {
        let encoding = if seed % 4 < 2 { EncodingChoice::Int } else { EncodingChoice::Bitvector };
        let fits = |config: &Config| config.uses_formulas();
        let with = |config: Config| if fits(&config) { Config { encoding, ..config } } else { config };
        presets().into_iter().map(with).collect()
    };
    let (count, program) = (KNOBS.differential_members.or(24), |seed| Some(generate_members(seed)));
    the_law_holds(count, &program, options_of_members, &configs, true);
}

fn the_law_holds(
    count: u64,
    program: &dyn Fn(u64) -> Option<String>,
    options: fn(u64) -> BuildOptions,
    configs: &dyn Fn(u64) -> Vec<Config>,
    is_about_bytes: bool,
) {
    let first = KNOBS.differential_from.or(0);
    let time = Duration::from_millis(KNOBS.differential_ms.or(40));
    let names = presets();
    let mut tallies: Vec<Tally> = names.iter().map(|_| Tally::default()).collect();
    let mut truths = [0; 3];
    let mut problems = String::new();
    // Safe, with a proof that was refused.
    let mut refused: Vec<(String, String)> = Vec::new();
    for seed in first..first + count {
        let Some(text) = program(seed) else { continue };
        let (configs, options) = (configs(seed), options(seed));
        let cfa = try_built(DataModel::Lp64, &text, &options)
            .unwrap_or_else(|message| panic!("{seed}: {message}\n{text}"));
        let facts = Analyses::new(&cfa);
        let truth = truth(&cfa);
        truths[match truth {
            Truth::Safe => 0,
            Truth::Error => 1,
            Truth::Unknown(_) => 2,
        }] += 1;
        // Where all inputs cannot be tried, engines are still compared with each other: the first verdict is
        // the truth.
        let mut known = truth;
        for (config, tally) in configs.iter().zip(&mut tallies) {
            let start = Instant::now();
            let verdict = verdict(config, &cfa, &facts, time);
            tally.time += start.elapsed();
            tally.longest = tally.longest.max(start.elapsed());
            let column = match verdict {
                Verdict::True => 0,
                Verdict::False => 1,
                _ => 2,
            };
            tally.verdicts[column] += 1;
            if let Verdict::Unproved(reason) = &verdict {
                refused.push((config.name.clone(), format!("seed {seed}: {reason}")));
            }
            if let Verdict::Unknown(reason) | Verdict::Unproved(reason) = &verdict {
                *tally.reasons.entry(reason.clone()).or_default() += 1;
            }
            if let Some(what) = complaint(&verdict, known) {
                let least = smaller(config, &text, &options, what, time);
                let problem = format!("seed {seed}: {} {what}\n{least}\n\n", config.name);
                println!("{problem}");
                problems += &problem;
            }
            if let Truth::Unknown(_) = known {
                known = match verdict {
                    Verdict::True => Truth::Safe,
                    Verdict::False => Truth::Error,
                    _ => known,
                };
            }
        }
        if seed % 100 == 99 {
            println!("{} programs", seed - first + 1);
        }
    }
    println!("{}", table(&names, &tallies, truths));
    assert!(problems.is_empty(), "{problems}");
    // A refusal costs an answer and never makes a wrong one. Intervals take it for granted that pointers
    // which are followed are valid, which the checker does not; over integers it does not know either that
    // what lies in bytes are bytes. No other domain says what does not follow.
    let of_intervals = |name: &str| name.contains("interval") || is_about_bytes;
    let (of_intervals, others): (Vec<_>, Vec<_>) =
        refused.into_iter().partition(|(name, _)| of_intervals(name));
    let proved: usize = tallies.iter().map(|tally| tally.verdicts[0]).sum();
    let few = (if is_about_bytes { 10 } else { 50 }) * of_intervals.len() <= proved;
    assert!(few, "many proofs of intervals are refused, {proved} proofs are confirmed: {of_intervals:#?}");
    assert!(others.is_empty(), "proofs are refused: {others:#?}");
}

fn table(configs: &[Config], tallies: &[Tally], truths: [usize; 3]) -> String {
    let mut out =
        format!("{:<20} {:>6} {:>6} {:>8} {:>8} {:>8}\n", "", "TRUE", "FALSE", "UNKNOWN", "s", "longest");
    let _ = writeln!(out, "{:<20} {:>6} {:>6} {:>8}", "truth", truths[0], truths[1], truths[2]);
    for (config, tally) in configs.iter().zip(tallies) {
        let [yes, no, unknown] = tally.verdicts;
        let (seconds, longest) = (tally.time.as_secs_f64(), tally.longest.as_secs_f64());
        let _ =
            writeln!(out, "{:<20} {yes:>6} {no:>6} {unknown:>8} {seconds:>8.1} {longest:>8.2}", config.name);
        for (reason, times) in &tally.reasons {
            let _ = writeln!(out, "    {times:>4} {reason}");
        }
    }
    out
}
