//! All engines on small programs with known answers: none may contradict the truth, and each must solve the
//! problems that it is made for.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::time::Duration;
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa};
use summa_encode::Encoding;
use summa_engines::config::{EncodingChoice, InvariantSource, LoopBoundConfig, PRESETS};
use summa_engines::encoding_choice::choose;
use summa_engines::shared::Counts;
use summa_engines::{Choice, Config, Outcome, Reason, Task, run};
use summa_facts::Analyses;
use summa_interp::{End, InitialValues, InputValue, List, Policy};
use summa_term::Value;

const PRELUDE: &str =
    "int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void reach_error(void);\n";

/// Bounded, and values decide: everything solves this.
const COUNTED: &str = "int main(void) { int i = 0; while (i < 3) i++; if (i != 3) reach_error(); return 0; }";
const WRONGLY_COUNTED: &str =
    "int main(void) { int i = 0; while (i < 3) i++; if (i == 3) reach_error(); return 0; }";
const INPUT: &str = "int main(void) { int x = __VERIFIER_nondet_int(); \
    if (x > 7) { if (x == 4711) reach_error(); } return 0; }";
/// A target that no execution reaches, for reasons that single values do not know.
const RELATION: &str =
    "int main(void) { int x = __VERIFIER_nondet_int(); int y = x; if (x != y) reach_error(); return 0; }";
/// Only exact over bit-vectors.
const BITS: &str = "int main(void) { unsigned x = __VERIFIER_nondet_uint(), y = __VERIFIER_nondet_uint(); \
                    if ((x ^ y) == 0x12345678u && (x & y) == 1u) reach_error(); return 0; }";

/// In one mode x is small, in the other it is large; both take many values.
const MODES: &str = "int main(void) { int mode = 0, x = 0; if (__VERIFIER_nondet_int()) { mode = 1; \
                     x = 100; } \
                     for (int i = 0; i < 100000; i++) { if (x < 1000000) x++; } \
                     if (mode == 1 && x < 100) reach_error(); return 0; }";
/// The same, decided in the loop and checked behind it.
const CHANGING_MODES: &str = "int main(void) { int mode = 0, x = 0; while (__VERIFIER_nondet_int()) { \
                              if (mode == 0) { if (__VERIFIER_nondet_int()) { mode = 1; x = 100; } } \
                              else if (x < 1000) x++; } \
                              if (mode == 1 && x < 100) reach_error(); return 0; }";

fn cfa(source: &str) -> Cfa {
    let loaded = summa_c::load_text("test.c", &format!("{PRELUDE}{source}"), DataModel::Lp64);
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    summa_transform::build(loaded.program, &BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn replays(cfa: &Cfa, choices: &[Choice]) -> bool {
    let (mut values, mut initial) = (Vec::new(), InitialValues::default());
    for choice in choices {
        let value = match &choice.value {
            Some(Value::Int(value)) => InputValue::Int(i128::try_from(value).unwrap_or(0)),
            Some(Value::Bv(_, bits)) => InputValue::Int(*bits as i128),
            Some(Value::Float(_, bits)) => InputValue::Bits(*bits),
            _ => InputValue::Int(0),
        };
        match choice.input.source {
            summa_encode::InputSource::Uninitialised(var) => initial.push(var, value),
            summa_encode::InputSource::Contents { var, offset } => {
                let scalar = summa_interp::Scalar::of(&cfa.program.types, choice.input.ty).unwrap();
                initial.push_part(var, summa_interp::InitialPart { offset, scalar, value });
            }
            _ => values.push(value),
        }
    }
    let mut inputs = List::new(values).with_initial(initial);
    let outcome = summa_interp::run(&summa_interp::Program::new(cfa), &mut inputs, &Policy::reachability());
    matches!(outcome.end, End::Error { .. })
}

fn answer_of(config: &Config, source: &str) -> String {
    let cfa = cfa(source);
    let facts = Analyses::new(&cfa);
    let task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(20)), &|_| true);
    let report = run(config, &task, &mut |choices| replays(&cfa, choices));
    match report.outcome {
        Outcome::Claimed(_) => "safe".to_owned(),
        Outcome::Error { .. } => "error".to_owned(),
        Outcome::Unknown { reason } => format!("unknown: {reason}"),
    }
}

fn answer(preset: &str, source: &str) -> String {
    answer_of(&Config::preset(preset).unwrap(), source)
}

/// Members and elements that nothing has written have any value.
const CONTENTS: &str = "struct s { char c; int *p; unsigned b : 3; };
    int main(void) { struct s x; int few[3];
      if (x.b == 5 && few[2] == 7) if (x.p != 0) reach_error(); return 0; }";

/// What was found out about an input holds on.
const FLAG: &str = "int main(void) { int hit = __VERIFIER_nondet_int(); int state = 1;
      while (__VERIFIER_nondet_int()) {
        if (state == 1) { if (hit) state = 2; else state = 3; } \
        else if (state == 2) { if (!hit) reach_error(); } }
      return 0; }";

/// The one execution of a program without inputs.
const LONG: &str = "int main(void) { int x = 0, y = 0; while (x < 1000000) { x++; if (x > 400000) y++; }
      if (y == 600000) reach_error(); return 0; }";

#[test]
fn no_engine_contradicts_the_truth() {
    let programs = [
        (COUNTED, "safe"),
        (WRONGLY_COUNTED, "error"),
        (INPUT, "error"),
        (RELATION, "safe"),
        (BITS, "error"),
    ];
    for preset in PRESETS {
        for (source, truth) in programs {
            let found = answer(preset.name, source);
            assert!(found == truth || found.starts_with("unknown"), "{}: {found} for {source}", preset.name);
        }
    }
}

#[test]
fn engines_solve_what_they_are_made_for() {
    for (preset, source, truth) in [
        ("bmc", COUNTED, "safe"),
        ("bmc", CONTENTS, "error"),
        ("predicate", CONTENTS, "error"),
        ("value-cegar", CONTENTS, "error"),
        ("value-cegar", FLAG, "safe"),
        ("value-cegar", LONG, "error"),
        ("bmc", INPUT, "error"),
        ("bmc", BITS, "error"),
        ("predicate", COUNTED, "safe"),
        ("predicate", WRONGLY_COUNTED, "error"),
        ("predicate", RELATION, "safe"),
        ("value+interval", MODES, "safe"),
        ("value+interval", CHANGING_MODES, "safe"),
        ("impact", COUNTED, "safe"),
        ("impact", INPUT, "error"),
        ("value", COUNTED, "safe"),
        ("value", WRONGLY_COUNTED, "error"),
        ("value-cegar", COUNTED, "safe"),
        ("value-cegar", INPUT, "error"),
        ("value+predicate", RELATION, "safe"),
        ("symbolic-execution", RELATION, "safe"),
        ("symbolic-execution", INPUT, "error"),
    ] {
        assert_eq!(answer(preset, source), truth, "{preset} for {source}");
    }
}

#[test]
fn a_bound_can_be_the_end() {
    let mut config = Config::preset("bmc").unwrap();
    config.loop_bound.as_mut().unwrap().max = Some(2);
    assert_eq!(answer_of(&config, COUNTED), "unknown: no error up to the bound 2");
}

#[test]
fn bounded_model_checking_is_also_a_composition() {
    let text = r#"
        description = "Bounded model checking as a product of domains"
        algorithm = "reachability"
        waitlist = ["unrolled"]
        domains = ["location", "callstack", "specification", "loop-bound", "predicate"]
        [predicate]
        blocks = "never"
        refinement = "none"
        merge = "join"
    "#;
    let config = Config::parse("composed", text).unwrap();
    assert_eq!(answer_of(&config, COUNTED), "safe");
    assert_eq!(answer_of(&config, WRONGLY_COUNTED), "error");
    assert_eq!(answer_of(&config, INPUT), "error");
}

#[test]
fn what_is_not_understood_is_no_verdict() {
    let source = "int setjmp(void *); int main(void) { int x = __VERIFIER_nondet_int(); \
        if (x == 3) setjmp(0); return 0; }";
    for preset in PRESETS {
        let found = answer(preset.name, source);
        assert!(found.starts_with("unknown: unsupported"), "{}: {found}", preset.name);
    }
    // Not reached, so it costs nothing.
    let source = "int setjmp(void *); int main(void) { int x = 2; if (x == 3) setjmp(0); return 0; }";
    for preset in ["bmc", "predicate", "impact", "value", "value-cegar"] {
        assert_eq!(answer(preset, source), "safe", "{preset}");
    }
}

#[test]
fn an_encoding_that_is_not_exact_is_no_verdict() {
    let mut config = Config::preset("bmc").unwrap();
    config.encoding = EncodingChoice::Int;
    let found = answer_of(&config, BITS);
    assert!(found == "error" || found.starts_with("unknown"), "{found}");
}

#[test]
fn bits_choose_the_encoding() {
    let first = |source: &str| {
        let cfa = cfa(source);
        let facts = Analyses::new(&cfa);
        choose(&cfa, &facts).first
    };
    assert_eq!(first(COUNTED), Encoding::Int);
    assert_eq!(first(RELATION), Encoding::Int);
    assert_eq!(first(BITS), Encoding::BitVector);
    // A mask is exact over integers, and irrelevant operations do not count.
    assert_eq!(
        first("int main(void) { int x = __VERIFIER_nondet_int(); if ((x & 1) == 2) reach_error(); }"),
        Encoding::Int
    );
    assert_eq!(
        first(
            "int main(void) { int x = __VERIFIER_nondet_int(), y = x; int z = x ^ y; \
             if (x < y) reach_error(); }"
        ),
        Encoding::Int
    );
    assert_eq!(
        first("int main(void) { int x = __VERIFIER_nondet_int(); if (1 << x == 8) reach_error(); }"),
        Encoding::BitVector
    );
    assert_eq!(
        first("int main(void) { double x = __VERIFIER_nondet_int(); if (x * 2 == 3) reach_error(); }"),
        Encoding::BitVector
    );
    assert_eq!(
        first(
            "union u { int i; char c[4]; }; int main(void) { union u u; u.i = __VERIFIER_nondet_int(); \
             if (u.c[0]) reach_error(); }"
        ),
        Encoding::BitVector
    );
}

#[test]
fn an_interrupt_is_the_reason() {
    let cfa =
        cfa("int main(void) { unsigned n = 0; while (1) { n++; if (n == 0xffffffffu) reach_error(); } }");
    let facts = Analyses::new(&cfa);
    for preset in ["value", "bmc"] {
        let budget = Budget::unlimited();
        budget.interrupt().store(true, std::sync::atomic::Ordering::Relaxed);
        let task = Task::new(&cfa, &facts, budget, &|_| true);
        let report = run(&Config::preset(preset).unwrap(), &task, &mut |_| false);
        let Outcome::Unknown { reason: Reason::Exhausted(why) } = report.outcome else { panic!("{preset}") };
        assert_eq!(why.to_string(), "interrupted", "{preset}");
    }
}

/// An infeasible error path that values cannot exclude does not hide one behind it.
#[test]
fn values_look_beyond_a_path_that_is_infeasible() {
    let source = "int main(void) { int x = __VERIFIER_nondet_int(); int y = x; if (x != y) reach_error(); \
                  if (x == 5) reach_error(); return 0; }";
    for preset in ["value", "value-cegar"] {
        assert_eq!(answer(preset, source), "error", "{preset}");
        assert!(
            answer(preset, RELATION).starts_with("unknown: the analysis is not precise enough"),
            "{preset}"
        );
    }
}

/// Refinement lifts the limit on the number of values, for the variables that need it.
#[test]
fn refinement_unrolls_the_loops_that_matter() {
    let proved = "int main(void) { int i = 0, n = 0; while (i < 100) { i++; n += 3; } \
        if (i != 100) reach_error(); return 0; }";
    let wrong = proved.replace("i != 100", "n == 300");
    assert_eq!(answer("value-cegar", proved), "safe");
    assert_eq!(answer("value-cegar", &wrong), "error");
    // Both encodings have their turn at the path.
    assert_eq!(answer("value-cegar", BITS), "error");
}

/// What the first interval analysis finds is too weak; the ones beside keep the modes apart.
#[test]
fn invariants_beside_k_induction_are_refined() {
    let mut config = Config::preset("k-induction").unwrap();
    config.k_induction.get_or_insert_default().invariants = InvariantSource::Interval;
    for encoding in [EncodingChoice::Int, EncodingChoice::Bitvector] {
        config.encoding = encoding;
        assert_eq!(answer_of(&config, CHANGING_MODES), "safe");
    }
    config.k_induction.get_or_insert_default().invariants = InvariantSource::None;
    config.loop_bound = Some(LoopBoundConfig { start: 1, max: Some(4) });
    assert_eq!(answer_of(&config, CHANGING_MODES), "unknown: no error up to the bound 4");
}

/// x is at most the double of y, which no template says; the second error is reached, after some refinements.
const DOUBLED: &str = "int main(void) { int x = 0, y = 0; while (y < 1000 && __VERIFIER_nondet_int()) { y++; \
      x = x + (__VERIFIER_nondet_int() ? 2 : 1); if (x > 2 * y) reach_error(); } \
      if (x == 5 && y == 4) reach_error(); return 0; }";

#[test]
fn engines_tell_each_other_what_they_found() {
    let cfa = cfa(DOUBLED);
    let facts = Analyses::new(&cfa);
    let task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(20)), &|_| true);
    let run_on = |task: &Task<'_>, preset: &str| {
        let mut config = Config { encoding: EncodingChoice::Int, ..Config::preset(preset).unwrap() };
        if preset == "predicate" {
            config.set("predicate", "invariants", "interval").unwrap();
        }
        // No replay confirms an error, so the engine cannot know.
        let report = run(&config, task, &mut |_| false);
        assert!(matches!(report.outcome, Outcome::Unknown { .. }), "{preset}: {:?}", report.outcome);
    };
    assert_eq!(task.shared.counts(), Counts::default());
    run_on(&task, "predicate");
    let told = task.shared.counts();
    assert!(told.analyses > 0 && told.predicates > 0, "{told:?}");
    // Another engine of the same task has them, one of another task does not.
    run_on(&task, "k-induction");
    assert!(task.shared.counts().analyses >= told.analyses);
    let another = Task::new(&cfa, &facts, Budget::unlimited(), &|_| true);
    assert_eq!(another.shared.counts(), Counts::default());
}

/// Intervals know what `calls` is in the end, and that results are not negative; only predicates know how
/// results depend on arguments.
const RESULTS: &str = "int calls; int g(int n) { calls = 7; if (n <= 0) return 0; int r = g(n - 1); \
      return __VERIFIER_nondet_int() ? r + 1 : r; } \
      int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 5000) return 0; int r = g(n); \
      if (r > n || calls != 7 || r < 0) reach_error(); return 0; }";

#[test]
fn summaries_of_one_engine_are_predicates_of_another() {
    let cfa = cfa(RESULTS);
    let facts = Analyses::new(&cfa);
    let refinements = |presets: &[&str]| {
        let task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(20)), &|_| true);
        let mut last = None;
        for preset in presets {
            let report = run(&Config::preset(preset).unwrap(), &task, &mut |_| false);
            last = Some((report.outcome, report.progress.refinements, task.shared.counts().summaries));
        }
        last.unwrap()
    };
    let (alone, many, none) = refinements(&["value+predicate-bam-rec"]);
    assert!(matches!(alone, Outcome::Claimed(_)) && none == 0, "{alone:?}");
    let (told, fewer, some) = refinements(&["interval-bam-rec", "value+predicate-bam-rec"]);
    assert!(matches!(told, Outcome::Claimed(_)) && some > 0, "{told:?}");
    assert!(fewer < many, "{fewer} refinements instead of {many}");
}
