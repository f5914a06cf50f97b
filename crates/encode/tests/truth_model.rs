//! The other truth test: the model of a path's formula, replayed, is a run along the path with the values of
//! the model, step by step, in both encodings.
//!
//! The path is that of a run with random inputs. The model is not that run: it must also fulfil wishes about
//! the inputs (another value, a bound), as far as the path allows them. A path ends before the first step
//! whose formula is not exact, that reads unwritten memory other than a scalar variable, or whose value the
//! formulas leave open (undefined behaviour).
//!
//! Programs: as for the test `truth`, scaled by the same environment variables; `SUMMA_TRUTH_FIRST_SEED`
//! gives other random programs. A failure names the program, the path and the step.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

mod common;

use common::random_program::random_program;
use common::recording::{Event, Recorder, Recording};
use common::replaying::{Checker, Expected, Replay};
use common::{programs, tasks};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use summa_c::tree::PlaceId;
use summa_c::types::DataModel;
use summa_cfa::{Cfa, Op};
use summa_encode::{CellId, Encoder, Encoding, InputSource as Source, State, Value};
use summa_facts::Analyses;
use summa_interp::{End, Policy, Program, Random, Scalar};
use summa_smt::{Answer, Family, Limits, Model, Solver, Z3Solver};
use summa_term::{Evaluator, Sort, Term, Terms, Value as Constant};
use summa_testkit::{KNOBS, Random as Dice, read};

/// Edges of a path that are followed.
const MAX_STEPS: usize = 400;
/// Larger formulas are not asked about.
const MAX_TERMS: usize = 200_000;
const QUERY_TIME: Duration = Duration::from_millis(1000);
const MAX_WISHES: usize = 12;
/// An approximation that matters only where the model has a NaN.
const NAN_BITS: &str = "the bits of a NaN";

// ---- the formula of the path ----

struct Step {
    event: Event,
    /// The condition under which it is passed.
    passes: Term,
    /// The place that it writes, and the value there afterwards.
    written: Option<(PlaceId, Term)>,
}

/// Encodes the events as far as the formulas are exact.
fn encode(encoder: &mut Encoder<'_>, events: &[Event]) -> Vec<Step> {
    let cfa = encoder.cfa;
    let mut state = encoder.initial_state();
    let mut frames: Vec<Vec<(CellId, Term)>> = Vec::new();
    let mut steps = Vec::new();
    for &event in events {
        let mut passes = Terms::TRUE;
        let place = match event {
            Event::Edge(edge) => match &cfa.edges[edge].op {
                Op::Call { callee, .. } => {
                    let is_recursive = encoder.facts.calls.is_recursive(*callee);
                    let cells = if is_recursive { encoder.frame(*callee) } else { Vec::new() };
                    frames.push(cells.into_iter().map(|cell| (cell, state.get(cell))).collect());
                    encoder.enter(&mut state, edge, Terms::TRUE);
                    None
                }
                op => {
                    passes = encoder.edge(&mut state, edge, Terms::TRUE);
                    match op {
                        Op::Assign { place, .. }
                        | Op::Zero { place }
                        | Op::Havoc { place, .. }
                        | Op::External { result: Some(place), .. }
                        | Op::Library { result: Some(place), .. } => Some(*place),
                        _ => None,
                    }
                }
            },
            Event::Returned(edge) => {
                let Op::Call { callee, result, .. } = &cfa.edges[edge].op else { break };
                let results = encoder.frame_result(*callee);
                for (cell, term) in frames.pop().unwrap_or_default() {
                    if !results.contains(&cell) {
                        state.set(cell, term);
                    }
                }
                encoder.leave(&mut state, edge, Terms::TRUE);
                *result
            }
        };
        let written = place.filter(|_| is_exact(encoder)).and_then(|place| loaded(encoder, &state, place));
        if !is_exact(encoder) || encoder.terms.len() > MAX_TERMS {
            break;
        }
        steps.push(Step { event, passes, written });
    }
    steps
}

fn is_exact(encoder: &Encoder<'_>) -> bool {
    encoder.approximations.iter().all(|inexact| inexact.what == NAN_BITS)
}

fn loaded(encoder: &mut Encoder<'_>, state: &State, place: PlaceId) -> Option<(PlaceId, Term)> {
    match encoder.load(state, place) {
        Value::Scalar(term) => Some((place, term)),
        Value::Pointer(_) | Value::Record(_) => None,
    }
}

// ---- a model of it ----

enum Found {
    Model(Box<Model>),
    Unsat,
    Unknown,
}

/// A model of the path that fulfils as many wishes as it can.
fn solve(encoder: &mut Encoder<'_>, steps: &[Step], given: &[(Scalar, u128)], dice: &mut Dice) -> Found {
    // A family belongs to one store of terms.
    let mut solver = Z3Solver::new(&Family::new().unwrap()).unwrap();
    solver.set_limits(Limits::timeout(QUERY_TIME));
    for &fact in &encoder.constraints {
        solver.assert(&encoder.terms, fact);
    }
    for step in steps {
        solver.assert(&encoder.terms, step.passes);
    }
    let mut wishes = wishes(encoder, given, dice);
    for _ in 0..6 {
        match solver.check(&mut encoder.terms, &wishes) {
            Answer::Sat => {
                return solver
                    .model(&mut encoder.terms)
                    .map_or(Found::Unknown, |m| Found::Model(Box::new(m)));
            }
            Answer::Unsat => {
                let core = solver.unsat_core();
                if core.is_empty() && wishes.is_empty() {
                    return Found::Unsat;
                }
                wishes.retain(|wish| !core.contains(wish));
                if core.is_empty() {
                    wishes.clear();
                }
            }
            Answer::Unknown(_) if wishes.is_empty() => return Found::Unknown,
            Answer::Unknown(_) => wishes.clear(),
        }
    }
    Found::Unknown
}

fn wishes(encoder: &mut Encoder<'_>, given: &[(Scalar, u128)], dice: &mut Dice) -> Vec<Term> {
    let mut wishes = Vec::new();
    let mut given = given.iter();
    for input in encoder.inputs.clone() {
        // Pointers from outside are numbers if possible: a run cannot be given an address of its own.
        if let Value::Pointer(pointer) = input.value
            && let Some(none) = encoder.terms.zero_of(pointer.object)
        {
            wishes.push(encoder.terms.eq(pointer.object, none));
        }
        let is_asked = !matches!(input.source, Source::Uninitialised(_) | Source::Contents { .. });
        let before = if is_asked { given.next().copied() } else { None };
        let Value::Scalar(term) = input.value else { continue };
        if wishes.len() >= MAX_WISHES || dice.below(3) == 0 {
            continue;
        }
        let terms = &mut encoder.terms;
        let sort = terms.sort(term);
        let random = match dice.below(4) {
            0 => dice.below(4) as i128 - 1,
            1 => dice.below(300) as i128,
            2 => (1i128 << dice.below(32)) - dice.below(2) as i128,
            _ => i128::from(dice.bits() as i64),
        };
        let other = match (dice.below(2), before, sort) {
            (0, Some((scalar, bits)), Sort::Int | Sort::Bv(_)) => scalar.to_int(bits),
            _ => random,
        };
        wishes.push(match sort {
            Sort::Int => {
                let number = terms.int(other);
                match dice.below(4) {
                    0 => terms.eq(term, number),
                    1 => terms.lt(term, number),
                    2 => terms.gt(term, number),
                    _ => terms.ne(term, number),
                }
            }
            Sort::Bv(width) => {
                let number = terms.bv_signed(width, other);
                match dice.below(4) {
                    0 => terms.eq(term, number),
                    1 => terms.bv_slt(term, number),
                    2 => terms.bv_ugt(term, number),
                    _ => terms.ne(term, number),
                }
            }
            Sort::Float(sort) => {
                let bits = terms.bv_signed(64, random);
                let number = terms.float_from_sbv(bits, sort);
                match dice.below(3) {
                    0 => terms.float_lt(term, number),
                    1 => terms.float_gt(term, number),
                    _ => terms.float_is_nan(term),
                }
            }
            Sort::Bool | Sort::Array(_) => continue,
        });
    }
    wishes
}

// ---- all together ----

#[derive(Default, Debug)]
struct Counts {
    /// Paths with a model that was replayed, in each encoding.
    paths: [usize; 2],
    steps: usize,
    values: usize,
    /// Models whose replay ends in undefined behaviour, or for lack of memory.
    faults: usize,
    unknown: usize,
    /// Why paths ended before the run: what was not exact, in each encoding.
    inexact: BTreeMap<String, [usize; 2]>,
    failures: Vec<String>,
}

fn check(cfa: &Cfa, name: &str, paths: u64, counts: &mut Counts) {
    let facts = Analyses::new(cfa);
    let program = Program::new(cfa);
    let policy = Policy { max_steps: MAX_STEPS as u64, ..Policy::reachability() };
    for path in 0..paths {
        let mut recorder = Recorder::default();
        let mut inputs = Recording {
            random: Random::new(path),
            given: Vec::new(),
            events: recorder.count.clone(),
            invented: None,
        };
        summa_interp::run_observed(&program, &mut inputs, &policy, &mut recorder);
        // The event in whose middle a value was invented is not part of the path.
        let upto = inputs.invented.map_or(recorder.events.len(), |count| count.saturating_sub(1));
        for (which, encoding) in [Encoding::Int, Encoding::BitVector].into_iter().enumerate() {
            let mut encoder = Encoder::new(cfa, &facts, encoding);
            let steps = encode(&mut encoder, &recorder.events[..upto]);
            if let Some(first) = encoder.approximations.iter().find(|inexact| inexact.what != NAN_BITS) {
                counts.inexact.entry(first.what.clone()).or_default()[which] += 1;
            }
            let mut dice = Dice::new(path.wrapping_mul(31).wrapping_add(recorder.events.len() as u64));
            let name = format!("{name}, path {path}, {}", encoding.name());
            match solve(&mut encoder, &steps, &inputs.given, &mut dice) {
                Found::Model(model) => {
                    replay(&program, &policy, &encoder, &steps, &model, &name, counts);
                }
                // Pointers from outside have numbers in the run that the formulas do not know.
                Found::Unsat if encoder.inputs.iter().any(|input| input.value.scalar().is_none()) => {
                    counts.unknown += 1;
                }
                Found::Unsat => counts.failures.push(format!("{name}: the path has no model")),
                Found::Unknown => counts.unknown += 1,
            }
        }
    }
}

fn replay(
    program: &Program<'_>,
    policy: &Policy,
    encoder: &Encoder<'_>,
    steps: &[Step],
    model: &Model,
    name: &str,
    counts: &mut Counts,
) {
    let mut evaluator = Evaluator::new(&encoder.terms, model);
    if has_nan_bits(encoder, model) || has_addresses(encoder, &mut evaluator) {
        counts.unknown += 1;
        return;
    }
    counts.paths[usize::from(encoder.encoding == Encoding::BitVector)] += 1;
    let mut expected = Vec::new();
    for step in steps {
        match evaluator.is_true(step.passes) {
            Some(true) => {}
            Some(false) => {
                counts.failures.push(format!("{name}: the model is none"));
                return;
            }
            // Undefined behaviour: the formulas leave it open.
            None => break,
        }
        let mut written = None;
        if let Some((place, term)) = step.written {
            match evaluator.eval(term) {
                Some(value) => written = Some((place, encoder.terms.sort(term), value)),
                None => break,
            }
        }
        expected.push(Expected { event: step.event, written });
    }
    let mut checker = Checker::new(&expected);
    let mut inputs = Replay::new(&encoder.cfa.program.types, &encoder.inputs, &mut evaluator);
    let outcome = summa_interp::run_observed(program, &mut inputs, policy, &mut checker);
    counts.steps += checker.passed;
    counts.values += checker.compared;
    if let Some(failure) = checker.failure {
        let inputs: Vec<String> = outcome.inputs.iter().map(ToString::to_string).collect();
        counts.failures.push(format!("{name}: {failure}; inputs {}", inputs.join(", ")));
    } else if checker.passed < expected.len() {
        match outcome.end {
            // Undefined behaviour, or an object larger than what the interpreter allows itself.
            End::Fault(_) | End::MemoryLimit | End::AddressLimit => counts.faults += 1,
            end => counts.failures.push(format!("{name}: the run ends early: {end:?}")),
        }
    }
}

/// Were the bits of a NaN chosen by the model? The run has others.
fn has_nan_bits(encoder: &Encoder<'_>, model: &Model) -> bool {
    model.values().any(|(symbol, _, value)| {
        let (width, exponent) = match value {
            Constant::Bv(32, _) => (32, 8),
            Constant::Bv(64, _) => (64, 11),
            Constant::Bv(width @ (80 | 128), _) => (*width, 15),
            _ => return false,
        };
        let Constant::Bv(_, bits) = value else { return false };
        let ones = ((1u128 << exponent) - 1) << (width - 1 - exponent);
        encoder.terms.symbol_name(symbol) == "any.bits" && bits & ones == ones
    })
}

/// Is there an input that points into an object?
fn has_addresses(encoder: &Encoder<'_>, evaluator: &mut Evaluator<'_>) -> bool {
    encoder.inputs.iter().any(|input| match input.value {
        Value::Pointer(pointer) => {
            !matches!(evaluator.eval(pointer.object), Some(Constant::Int(n)) if n == 0.into())
                && !matches!(evaluator.eval(pointer.object), Some(Constant::Bv(_, 0)))
        }
        Value::Scalar(_) | Value::Record(_) => false,
    })
}

fn report(counts: &Counts, what: &str) {
    let [int, bv] = counts.paths;
    eprintln!(
        "{what}: {int} int and {bv} bitvector paths, {} steps, {} values compared, {} ended early, {} \
         without answer, {} disagreements",
        counts.steps,
        counts.values,
        counts.faults,
        counts.unknown,
        counts.failures.len()
    );
    for (what, [int, bv]) in &counts.inexact {
        eprintln!("  not exact, int {int}, bitvector {bv}: {what}");
    }
    assert!(counts.failures.is_empty(), "{}", counts.failures.join("\n"));
    assert!(counts.values > 0, "nothing was compared");
}

#[test]
fn models_of_programs_replay() {
    let mut counts = Counts::default();
    for path in programs() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let Some(cfa) = read(&path, model) else { continue };
            check(&cfa, &path.display().to_string(), KNOBS.truth_paths.or(2), &mut counts);
        }
    }
    report(&counts, "programs");
}

#[test]
fn models_of_random_programs_replay() {
    let mut counts = Counts::default();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let first = KNOBS.truth_first_seed.or(0);
    for seed in first..first + KNOBS.truth_seeds.or(60) {
        let path = folder.join(format!("model-{seed}.c"));
        std::fs::write(&path, random_program(seed)).unwrap();
        let model = if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let Some(cfa) = read(&path, model) else { continue };
        check(&cfa, &path.display().to_string(), KNOBS.truth_paths.or(2), &mut counts);
    }
    report(&counts, "random programs");
}

#[test]
fn models_of_tasks_replay() {
    let Some(tasks) = tasks(KNOBS.tasks_step.or(20) as usize) else { return };
    let mut counts = Counts::default();
    for (path, model) in tasks {
        let Some(cfa) = read(&path, model) else { continue };
        check(&cfa, &path.display().to_string(), KNOBS.truth_paths.or(2), &mut counts);
    }
    report(&counts, "tasks");
}
