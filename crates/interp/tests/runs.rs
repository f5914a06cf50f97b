//! Inputs, limits, observers, and the edges of what is supported.

mod common;

use common::{cfa, cfa_in, run_with};
use expect_test::expect;
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::environment::Environment;
use summa_interp::{
    Coverage, End, List, Observer, Policy, Program, Random, Taint, Trace, Value, View, Zeros,
};

const MODEL: DataModel = DataModel::Ilp32;

#[test]
fn a_run_is_repeated_by_its_recorded_inputs() {
    let source = "int f(int); struct s { char c; double d; };
        int main(void) { int x = __VERIFIER_nondet_int(); double d = __VERIFIER_nondet_double(); int u;
            int y = f(x); struct s s; if (x > 3 && d < 100) return u + (s.d > 1); return y & 15; }";
    let cfa = cfa(MODEL, source);
    let program = Program::new(&cfa);
    for seed in 0..50 {
        let first = summa_interp::run(&program, &mut Random::new(seed), &Policy::reachability());
        let again = summa_interp::run(&program, &mut List::replay(&first.inputs), &Policy::reachability());
        assert_eq!((&first.end, first.steps), (&again.end, again.steps));
        assert_eq!(first.inputs, again.inputs);
    }
}

#[test]
fn what_was_covered_before_is_not_new() {
    let source =
        "int main(void) { int n = 0; while (__VERIFIER_nondet_int() != 9) { int x = __VERIFIER_nondet_int();
            if (x == 3) n++; else if (x == 5) n--; } return n; }";
    let cfa = cfa(MODEL, source);
    let program = Program::new(&cfa);
    let mut coverage = Coverage::new(&cfa);
    let mut new_with = |inputs: &str| {
        let list = || List::parse(inputs).unwrap();
        let policy = Policy::reachability();
        let covered = summa_interp::run_covering(&program, &mut list(), &policy, &mut coverage);
        // The observer makes no difference.
        let plain = summa_interp::run(&program, &mut list(), &policy);
        assert_eq!((&covered.end, covered.steps), (&plain.end, plain.steps), "{inputs}");
        coverage.take_new()
    };
    assert_eq!(new_with("9"), Some(1));
    assert_eq!(new_with("1,2,1,2,9"), Some(2), "the loop, and neither of its branches");
    assert_eq!(new_with("1,7,9"), None);
    assert_eq!(new_with("1,2,1,5,1,3,1,3,9"), Some(6), "the last that is new is `x == 3`");
    assert_eq!(new_with("1,3,1,5,9"), None);
}

#[test]
fn steps_memory_frames_and_time_are_limited() {
    let run = |source: &str, policy: Policy| run_with(MODEL, source, &mut Zeros, &policy);
    let endless = "int main(void) { unsigned i = 0; for (;;) i++; }";
    let outcome = run(endless, Policy { max_steps: 1000, ..Policy::default() });
    assert_eq!(outcome.end, End::StepLimit);
    assert!((1000..1010).contains(&outcome.steps), "{}", outcome.steps);
    let stopped = Budget::unlimited();
    stopped.interrupt().store(true, std::sync::atomic::Ordering::Relaxed);
    let outcome = run(endless, Policy { budget: stopped, ..Policy::default() });
    assert_eq!(outcome.end, End::Interrupted(summa_base::Exhausted::Interrupted));
    let recursive = "int f(int n) { return f(n + 1) + 1; } int main(void) { return f(0); }";
    assert_eq!(run(recursive, Policy::default()).end, End::MemoryLimit);
    let hungry = "int main(void) { for (;;) malloc(1000); }";
    assert_eq!(run(hungry, Policy { max_memory: 1 << 24, ..Policy::default() }).end, End::MemoryLimit);
    let large = "char a[2000000000]; int main(void) { return a[5]; }";
    assert_eq!(run(large, Policy::default()).end, End::MemoryLimit);
}

/// In 64 bits its size would be 8, and the start of the second row the second element of the first.
#[test]
fn a_variable_length_array_larger_than_its_addresses_can_count_is_not_small() {
    let array =
        "int main(void) { unsigned long n = (1ul << 62) + 1; int a[2][n]; a[0][1] = 7; return a[1][0]; }";
    assert_eq!(run_with(DataModel::Lp64, array, &mut Zeros, &Policy::default()).end, End::MemoryLimit);
}

#[test]
fn addresses_can_be_used_up_and_are_used_again() {
    // 32 bits of addresses: 1 MiB a round with its gap would exhaust them after some 2000 rounds without
    // reuse.
    let source =
        "int main(void) { for (int i = 0; i < 10000; i++) { char *p = malloc(1 << 20); p[i] = 1; free(p); }
        return 0; }";
    assert_eq!(run_with(MODEL, source, &mut Zeros, &Policy::strict()).end, End::Returned(0));
}

#[test]
fn unmodelled_functions_taint_a_run() {
    let source = "int get(int *); int pure(int); extern int outside;
        int main(void) { int x = 1; pure(x); int r = get(&x); return outside; }";
    let outcome = run_with(MODEL, source, &mut Zeros, &Policy::reachability());
    assert_eq!(outcome.end, End::Returned(0));
    let text: Vec<&str> = outcome
        .taints
        .iter()
        .map(|taint| match taint {
            Taint::ExternalCall(_) => "call",
            Taint::ExternalResult(_) => "result",
            Taint::Input(_) => "input",
        })
        .collect();
    assert_eq!(text, ["input", "call", "result"]);
}

#[test]
fn failing_allocations_are_inputs() {
    let source = "int main(void) { int *p = malloc(4); if (!p) return 1; free(p); return 0; }";
    let environment = Environment { allocation_may_fail: true, ..Environment::default() };
    let cfa = cfa_in(MODEL, source, environment);
    let program = Program::new(&cfa);
    let run = |seed| summa_interp::run(&program, &mut Random::new(seed), &Policy::strict()).end;
    let ends: Vec<End> = (0..100).map(run).collect();
    assert!(ends.contains(&End::Returned(0)) && ends.contains(&End::Returned(1)));
    assert!(ends.iter().all(|end| matches!(end, End::Returned(_))));
}

#[test]
fn a_trace_shows_assigned_values() {
    let source = "struct s { int a : 4; double d; }; int g; int twice(int n) { return 2 * n; }
        int main(void) { struct s s; int *p = &g; s.a = -3; s.d = 1.5; g = twice(4); \
        if (g > 7) g = 1; return 0; }";
    let cfa = cfa(MODEL, source);
    let program = Program::new(&cfa);
    let mut trace = Trace::new(&cfa, 1000);
    let outcome = summa_interp::run_observed(&program, &mut Zeros, &Policy::strict(), &mut trace);
    assert_eq!(outcome.end, End::Returned(0));
    assert_eq!(outcome.steps, trace.steps().len() as u64);
    let plain = summa_interp::run(&program, &mut Zeros, &Policy::strict());
    assert_eq!(plain.steps, outcome.steps, "both modes count the same edges");
    let values: Vec<&str> =
        trace.steps().filter_map(|step| Some(step.assigned.as_ref()?.1.as_str())).collect();
    expect![[r#"["0", "&g", "-3", "1.5", "8", "1"]"#]].assert_eq(&format!("{values:?}"));
}

/// Watches one variable.
struct Watch {
    name: &'static str,
    values: Vec<Value>,
}

impl Observer for Watch {
    fn before(&mut self, _: summa_cfa::EdgeId, _: &View<'_>) {}

    fn after(&mut self, _: summa_cfa::EdgeId, view: &View<'_>) {
        let program = &view.cfa().program;
        let found = program.vars.iter().find(|(var, _)| program.var_name(*var) == self.name);
        let value = found.map_or(Value::Unknown, |(var, _)| view.variable(var));
        if self.values.last() != Some(&value) {
            self.values.push(value);
        }
    }
}

#[test]
fn observers_see_variables_change() {
    let cfa = cfa(MODEL, "int main(void) { int n; n = 3; n += 39; int *alias = &n; *alias = 5; return 0; }");
    let mut watch = Watch { name: "n", values: Vec::new() };
    summa_interp::run_observed(&Program::new(&cfa), &mut Zeros, &Policy::strict(), &mut watch);
    let numbers: Vec<Value> =
        watch.values.into_iter().filter(|value| matches!(value, Value::Int(_))).collect();
    assert_eq!(numbers, [3, 42, 5].map(Value::Int));
}

#[test]
fn what_is_not_understood_ends_the_run_where_it_is_reached() {
    let source = "int sprintf(char *, const char *, ...);
        int main(void) { char b[9]; int n; if (__VERIFIER_nondet_int()) sprintf(b, \"%ls\", &n); return 0; }";
    let run = |inputs: &str| {
        run_with(MODEL, source, &mut List::parse(inputs).unwrap(), &Policy::reachability()).end
    };
    assert_eq!(run("0"), End::Returned(0));
    match run("1") {
        End::Unsupported { what, .. } => expect!["the printf conversion `%ls`"].assert_eq(&what),
        other => panic!("{other:?}"),
    }
}
