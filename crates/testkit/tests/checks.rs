//! Checks that are built into the automata against the interpreter's own judgement: with the same inputs, a
//! run of the automata with checks reaches the error of a check exactly when a run of those without stops at
//! that fault, at the same place of the source.
//!
//! Two kinds of programs: one expression over all integer types and the values at their borders, and the
//! random programs of the test kit with their assumptions taken away, so that inputs may be large.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::collections::BTreeMap;
use std::fmt::Write;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, Checks, EdgeId, ErrorKind};
use summa_interp::{
    End, Fault, FaultKind, FaultSet, InputRequest, InputSource, InputValue, Policy, Program, run,
};
use summa_testkit::{Random, generate};
use summa_transform::build;

fn automata(model: DataModel, text: &str, checks: Checks) -> Cfa {
    let loaded = summa_c::load_text("test.c", text, model)
        .unwrap_or_else(|failure| panic!("{text}\n{:?}", failure.diagnostics));
    let options = BuildOptions { checks, ..BuildOptions::default() };
    build(loaded.program, &options).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// Values at the borders of all types, small ones, and anything.
struct Borders(Random);

impl InputSource for Borders {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        let random = &mut self.0;
        let width = request.scalar.width().min(127);
        let border = [1i128 << (width - 1), 1 << (width / 2), 1 << (width / 2 - 1), 1 << (width - 2), 0];
        let near = i128::from(random.between(-3, 3));
        Some(InputValue::Int(match random.below(8) {
            0 => i128::from(random.bits()) << random.below(64),
            1 | 2 => near,
            3 => i128::from(random.between(-70, 70)),
            other => {
                let at = *random.pick(&border);
                if other % 2 == 0 { at + near } else { near - at }
            }
        }))
    }
}

/// Do branches of these checks lead to an error that stands for this fault?
fn is_checked_by(kind: FaultKind, checks: Checks) -> bool {
    error_of(kind).is_some_and(|error| error.is_checked_by(checks))
}

fn error_of(kind: FaultKind) -> Option<ErrorKind> {
    match kind {
        FaultKind::SignedOverflow => Some(ErrorKind::Overflow),
        FaultKind::DivisionByZero => Some(ErrorKind::DivisionByZero),
        FaultKind::BadShift => Some(ErrorKind::BadShift),
        FaultKind::ShiftOverflow => Some(ErrorKind::ShiftOverflow),
        FaultKind::NegativeShift => Some(ErrorKind::NegativeShift),
        _ => None,
    }
}

/// Runs both automata with inputs from the seed. What happened, for the statistics; a panic if they differ.
fn compare(text: &str, plain: &Cfa, checked: &Cfa, seed: u64) -> String {
    let is_stop = |kind: &&FaultKind| is_checked_by(**kind, checked.checks);
    let stops: Vec<FaultKind> = FaultKind::ALL.iter().filter(is_stop).copied().collect();
    let policy = Policy { stop: FaultSet::of(&stops), max_steps: 20_000, ..Policy::reachability() };
    let outcome = |cfa: &Cfa, policy: &Policy| {
        let outcome = run(&Program::new(cfa), &mut Borders(Random::new(seed)), policy);
        let is_undefined =
            |fault: &&Fault| matches!(fault.kind, FaultKind::NegativeShift | FaultKind::BadShift);
        let shifts: Vec<Fault> = outcome.noted.iter().filter(is_undefined).copied().collect();
        (outcome.end, outcome.inputs.iter().map(|input| input.bits).collect::<Vec<_>>(), shifts)
    };
    let (expected, inputs, shifts) = outcome(plain, &policy);
    // The automata with checks run without faults of these kinds: the interpreter must not be the one who
    // finds them.
    let (found, same_inputs, missed) = outcome(checked, &policy);
    let message = || {
        format!(
            "seed {seed}, checks {:?}: {expected:?} without, {found:?} with\n{inputs:?}\n{text}",
            checked.checks
        )
    };
    let noted =
        |edge: EdgeId| shifts.iter().any(|fault| plain.edge(fault.edge).span == checked.edge(edge).span);
    match (&expected, &found) {
        // For overflow alone, a left shift that is undefined supports no verdict; the interpreter goes on.
        (_, End::Unsupported { edge, .. }) if !checked.checks.shift && noted(*edge) => {
            "an undefined shift".to_owned()
        }
        (End::Fault(fault), End::Error { kind, edge }) if Some(*kind) == error_of(fault.kind) => {
            let (there, here) = (plain.edge(fault.edge).span, checked.edge(*edge).span);
            assert_eq!(there, here, "{}", message());
            assert_eq!(inputs, same_inputs, "{}", message());
            fault.kind.to_string()
        }
        // Where a division by zero is not checked, it does not hide what else goes wrong in the same
        // expression.
        (End::Fault(fault), End::Error { edge, .. } | End::Unsupported { edge, .. })
            if fault.kind == FaultKind::DivisionByZero && !checked.checks.division =>
        {
            assert_eq!(plain.edge(fault.edge).span, checked.edge(*edge).span, "{}", message());
            "hidden by a division".to_owned()
        }
        (End::Fault(a), End::Fault(b)) => {
            assert_eq!((a.kind, &inputs), (b.kind, &same_inputs), "{}", message());
            assert!(!stops.contains(&b.kind), "{}", message());
            "another fault".to_owned()
        }
        (End::Unsupported { .. }, _) => "unsupported".to_owned(),
        // Checks are steps too.
        (_, End::StepLimit) => "too long".to_owned(),
        (End::Error { kind: a, .. }, End::Error { kind: b, .. }) if a == b && a.checks().is_empty() => {
            "error".to_owned()
        }
        _ => {
            assert_eq!(expected, found, "{}", message());
            assert_eq!(inputs, same_inputs, "{}", message());
            // Nothing is shifted to the left but numbers from 0 to 255, by good amounts.
            let is_left = |fault: &Fault| fault.kind == FaultKind::NegativeShift;
            assert!(checked.checks != Checks::OVERFLOW || !missed.iter().any(is_left), "{}", message());
            "nothing".to_owned()
        }
    }
}

const TYPES: [&str; 9] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "__int128",
];

/// An expression over `v0` … `v3` and constants.
fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 || random.chance(15) {
        return match random.below(8) {
            0..=4 => format!("v{}", random.below(4)),
            5 => format!("({})", random.between(-9, 9)),
            6 => random
                .pick(&["2147483647", "(-2147483647 - 1)", "9223372036854775807", "65536", "46341"])
                .to_string(),
            _ => format!("a[v{} & 3]", random.below(4)),
        };
    }
    let inner = expression(random, depth - 1);
    match random.below(16) {
        0 => format!("(-{inner})"),
        1 => format!("(~{inner})"),
        2 => format!("(({}){inner})", random.pick(&TYPES)),
        3 => format!("abs({inner})"),
        4 => format!("({inner} & {})", random.pick(&["7", "255", "-8"])),
        6 => format!("(({inner} & 255)<<({}))", expression(random, depth - 1)),
        7 => format!("(({inner} & 255)<<({} & 31))", expression(random, depth - 1)),
        5 => {
            let (yes, no) = (expression(random, depth - 1), expression(random, depth - 1));
            format!("({inner} > 0 ? {yes} : {no})")
        }
        _ => {
            let op =
                *random.pick(&["+", "-", "*", "+", "-", "*", "/", "%", "<<", ">>", "&&", "||", "<", "|"]);
            let other = expression(random, depth - 1);
            format!("({inner} {op} {other})")
        }
    }
}

fn one_expression(random: &mut Random) -> String {
    let mut text = String::from("int abs(int);\n");
    let types: Vec<&str> = (0..4).map(|_| *random.pick(&TYPES)).collect();
    for (i, ty) in types.iter().enumerate() {
        let _ = writeln!(text, "extern {ty} __VERIFIER_nondet_{i}(void);");
    }
    text.push_str("int main(void) {\n  int a[4] = { 1, -7, 2147483647, 0 };\n");
    for (i, ty) in types.iter().enumerate() {
        let _ = writeln!(text, "  {ty} v{i} = __VERIFIER_nondet_{i}();");
    }
    let ty = *random.pick(&TYPES);
    let _ = writeln!(text, "  {ty} result = {};", expression(random, 3));
    let _ = writeln!(text, "  result += {};", expression(random, 2));
    text.push_str("  return (int)result;\n}\n");
    text
}

#[test]
fn expressions_go_wrong_where_the_interpreter_says() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut random = Random::new(2026);
    for number in 0..800 {
        // `__int128` is a type of LP64 only.
        let text = one_expression(&mut random);
        let is_wide = text.contains("__int128");
        let model = if is_wide || number % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 };
        let plain = automata(model, &text, Checks::NONE);
        for checks in [Checks::ALL, Checks::OVERFLOW, Checks::DIVISION, Checks::SHIFT] {
            let checked = automata(model, &text, checks);
            for seed in 0..12 {
                *seen.entry(compare(&text, &plain, &checked, seed)).or_default() += 1;
            }
        }
    }
    eprintln!("{seen:?}");
    for kind in [
        FaultKind::SignedOverflow,
        FaultKind::DivisionByZero,
        FaultKind::BadShift,
        FaultKind::ShiftOverflow,
        FaultKind::NegativeShift,
    ] {
        assert!(seen.get(kind.text()).is_some_and(|&count| count > 100), "{kind} is rare: {seen:?}");
    }
}

#[test]
fn programs_go_wrong_where_the_interpreter_says() {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..400 {
        let text = generate(seed)
            .replace("extern void __VERIFIER_assume(int);", "")
            .replace("__VERIFIER_assume(", "(void)(");
        let plain = automata(DataModel::Lp64, &text, Checks::NONE);
        for checks in [Checks::ALL, Checks::OVERFLOW] {
            let checked = automata(DataModel::Lp64, &text, checks);
            for inputs in 0..6 {
                *seen.entry(compare(&text, &plain, &checked, inputs)).or_default() += 1;
            }
        }
    }
    eprintln!("{seen:?}");
    assert!(seen.get(FaultKind::SignedOverflow.text()).is_some_and(|&count| count > 100), "{seen:?}");
}
