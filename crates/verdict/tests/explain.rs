//! Explanations of errors: what is shown of an execution, and why.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use expect_test::{Expect, expect};
use summa_c::types::DataModel;
use summa_cfa::BuildOptions;
use summa_interp::{End, FaultKind, FaultSet, InputValue, List, Policy, Program};
use summa_verdict::{explain, text};

/// Runs the program with these inputs into its error, and compares the explanation.
fn check_with(policy: &Policy, source: &str, inputs: &[i128], expected: Expect) {
    let loaded = summa_c::load_text("t.c", source, DataModel::Lp64).unwrap_or_else(|_| panic!("not C"));
    let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
    let program = Program::new(&cfa);
    let mut values = List::new(inputs.iter().map(|&value| InputValue::Int(value)));
    let outcome = summa_interp::run(&program, &mut values, policy);
    let edge = match &outcome.end {
        End::Error { edge, .. } => *edge,
        End::Fault(fault) => fault.edge,
        other => panic!("no error: {other:?}"),
    };
    let explanation = explain::explain(&program, policy, &loaded.sources, &outcome, edge);
    expected.assert_eq(&(text::explanation(&explanation).join("\n") + "\n"));
}

fn check(source: &str, inputs: &[i128], expected: Expect) {
    check_with(&Policy::reachability(), source, inputs, expected);
}

const HEADER: &str =
    "int __VERIFIER_nondet_int(void); void reach_error(void); void __VERIFIER_assume(int);\n";

#[test]
fn what_does_not_matter_is_left_out() {
    let source = format!(
        "{HEADER}int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  int noise = \
         __VERIFIER_nondet_int();\n  \
         int y = x + 1;\n  noise = noise * 3;\n  if (noise > 5)\n    noise = 0;\n  if (y > 10)\n    \
         reach_error();\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[12, 40],
        expect![[r#"
            Because:     `reach_error` is called because `y > 10` at line 9 holds: y is 13
            Inputs:
              t.c:3   __VERIFIER_nondet_int() = 12
              (1 other does not matter)
            Calls:
              main
            Steps that matter:
              t.c:3   x = __VERIFIER_nondet_int();  // = 12
              t.c:5   y = x + 1;  // = 13
              t.c:9   [y > 10]  // y = 13
              t.c:10  reach_error(); // error
        "#]],
    );
}

#[test]
fn rounds_of_loops_are_counted() {
    let source = format!(
        "{HEADER}int main(void) {{\n  int n = __VERIFIER_nondet_int();\n  int sum = 0;\n  for (int i = 0; \
         i < n; i++)\n    \
         sum += i;\n  if (sum == 190)\n    reach_error();\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[20],
        expect![[r#"
            Because:     `reach_error` is called because `sum == 190` at line 7 holds: sum is 190
            Inputs:
              t.c:3  __VERIFIER_nondet_int() = 20
            Calls:
              main
            Steps that matter:
              t.c:3  n = __VERIFIER_nondet_int();  // = 20
              t.c:4  sum = 0;
              t.c:5  i = 0;
              t.c:5  [i < n]  // i = 0, n = 20
              t.c:6  sum = sum + i;  // = 0
              t.c:5  i = i + 1;  // = 1
                     … 17 more rounds of the loop at line 5
              t.c:5  [i < n]  // i = 18, n = 20
              t.c:6  sum = sum + i;  // = 171
              t.c:5  i = i + 1;  // = 19
              t.c:5  [i < n]  // i = 19, n = 20
              t.c:6  sum = sum + i;  // = 190
              t.c:7  [sum == 190]  // sum = 190
              t.c:8  reach_error(); // error
        "#]],
    );
}

#[test]
fn an_assertion_is_explained_where_it_is_written() {
    let source = format!(
        "{HEADER}void check(int cond) {{\n  if (!cond) {{\n    reach_error();\n  }}\n}}\nint limit = 10;\n\
         int main(void) {{\n  \
         int x = __VERIFIER_nondet_int();\n  check(x >= 0 || x < -5);\n  check(x < limit);\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[12],
        expect![[r#"
            Because:     `reach_error` is called because `x < limit` at line 11 does not hold: x is 12 and limit is 10
            Inputs:
              t.c:9   __VERIFIER_nondet_int() = 12
            Calls:
              main
              check, called at t.c:11
            Steps that matter:
              t.c:7   limit = 10;
              t.c:9   x = __VERIFIER_nondet_int();  // = 12
              t.c:11  check(x < limit);  // cond = 0
              t.c:3     [cond == 0]  // cond = 0
              t.c:4     reach_error(); // error
        "#]],
    );
    check(
        &source,
        &[-2],
        expect![[r#"
            Because:     `reach_error` is called because `x >= -5` at line 10 holds: x is -2
            Inputs:
              t.c:9   __VERIFIER_nondet_int() = -2
            Calls:
              main
              check, called at t.c:10
            Steps that matter:
              t.c:9   x = __VERIFIER_nondet_int();  // = -2
              t.c:10  [x < 0]  // x = -2
              t.c:10  [x >= -5]  // x = -2
              t.c:10  check(x >= 0 || x < -5);  // cond = 0
              t.c:3     [cond == 0]  // cond = 0
              t.c:4     reach_error(); // error
        "#]],
    );
}

#[test]
fn memory_and_pointers_are_followed() {
    let source = format!(
        "{HEADER}struct s {{ int a; int b; }};\nvoid set(struct s *p, int v) {{\n  p->a = v;\n  p->b = \
         7;\n}}\nint main(void) {{\n  \
         struct s one, two;\n  int array[4];\n  set(&one, 1);\n  set(&two, 2);\n  for (int i = 0; i < 4; \
         i++)\n    array[i] = i * two.a;\n  \
         if (array[3] == 6)\n    reach_error();\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[],
        expect![[r#"
            Because:     `reach_error` is called because `array[3] == 6` at line 14 holds: array[3] is 6
            Calls:
              main
            Steps that matter:
              t.c:11  set(&two, 2);  // p = &two, v = 2
              t.c:4     p->a = v;  // = 2
              t.c:12  i = 0;
              t.c:12  [i < 4]  // i = 0
              t.c:12  i = i + 1;  // = 1
                      … 1 more round of the loop at line 12
              t.c:12  [i < 4]  // i = 2
              t.c:12  i = i + 1;  // = 3
              t.c:12  [i < 4]  // i = 3
              t.c:13  array[i] = i * two.a;  // = 6
              t.c:14  [array[3] == 6]  // array[3] = 6
              t.c:15  reach_error(); // error
        "#]],
    );
}

#[test]
fn recursion_is_indented() {
    let source = format!(
        "{HEADER}int f(int n) {{\n  if (n <= 0)\n    return 1;\n  return n + f(n - 1);\n}}\n\
         int main(void) {{\n  \
         int r = f(2);\n  if (r == 4)\n    reach_error();\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[],
        expect![[r#"
            Because:     `reach_error` is called because `r == 4` at line 9 holds: r is 4
            Calls:
              main
            Steps that matter:
              t.c:8   r = f(2);  // n = 2
              t.c:3     [n > 0]  // n = 2
              t.c:5     f(n - 1);  // n = 1
              t.c:3       [n > 0]  // n = 1
              t.c:5       f(n - 1);  // n = 0
              t.c:3         [n <= 0]  // n = 0
              t.c:4         return 1;  // = 1
              t.c:5       return n + f(n - 1);  // = 2
              t.c:5     return n + f(n - 1);  // = 4
              t.c:9   [r == 4]  // r = 4
              t.c:10  reach_error(); // error
        "#]],
    );
}

#[test]
fn results_of_calls_are_named_by_their_call() {
    let source = format!(
        "{HEADER}int twice(int n) {{\n  return n + n;\n}}\n\
         int main(void) {{\n  if (twice(4) == 8)\n    reach_error();\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[],
        expect![[r#"
            Because:     `reach_error` is called because `twice(4) == 8` at line 6 holds: twice(4) is 8
            Calls:
              main
            Steps that matter:
              t.c:6  twice(4);  // n = 4
              t.c:3    return n + n;  // = 8
              t.c:6  [twice(4) == 8]  // twice(4) = 8
              t.c:7  reach_error(); // error
        "#]],
    );
}

#[test]
fn of_many_conditions_on_the_same_values_the_last_is_shown() {
    let source = format!(
        "{HEADER}int main(void) {{\n  int s = __VERIFIER_nondet_int();\n  int t = 0;\n  switch (s) {{\n  \
         case 1: t = 3; break;\n  \
         case 2: t = 4; break;\n  case 3: t = 5; break;\n  case 4: t = 6; \
         break;\n  }}\n  if (t > 5 && t < 7)\n    reach_error();\n  \
         return 0;\n}}\n"
    );
    check(
        &source,
        &[4],
        expect![[r#"
        Because:     `reach_error` is called because `t < 7` at line 11 holds: t is 6
        Inputs:
          t.c:3   __VERIFIER_nondet_int() = 4
        Calls:
          main
        Steps that matter:
          t.c:3   s = __VERIFIER_nondet_int();  // = 4
                  … 3 other conditions on the same values
          t.c:5   [s == 4]  // s = 4
          t.c:9   t = 6;
          t.c:11  [t > 5]  // t = 6
          t.c:11  [t < 7]  // t = 6
          t.c:12  reach_error(); // error
    "#]],
    );
}

#[test]
fn operands_and_arguments_are_named_by_their_source() {
    let source = format!(
        "{HEADER}int inc(int n) {{\n  return n + 1;\n}}\n\
         int main(void) {{\n  int x = __VERIFIER_nondet_int();\n  \
         int y = x + inc(inc(__VERIFIER_nondet_int()));\n  if (inc(x > 3 && y > 3) == 2)\n    \
         reach_error();\n  return 0;\n}}\n"
    );
    check(
        &source,
        &[4, 5],
        expect![[r#"
        Because:     `reach_error` is called because `inc(x > 3 && y > 3) == 2` at line 8 holds: inc(x > 3 && y > 3) is 2
        Inputs:
          t.c:6  __VERIFIER_nondet_int() = 4
          t.c:7  __VERIFIER_nondet_int() = 5
        Calls:
          main
        Steps that matter:
          t.c:6  x = __VERIFIER_nondet_int();  // = 4
          t.c:7  __VERIFIER_nondet_int();  // = 5
          t.c:7  inc(__VERIFIER_nondet_int());  // n = 5
          t.c:3    return n + 1;  // = 6
          t.c:7  inc(inc(__VERIFIER_nondet_int()));  // n = 6
          t.c:3    return n + 1;  // = 7
          t.c:7  y = x + inc(inc(__VERIFIER_nondet_int()));  // = 11
          t.c:8  [x > 3]  // x = 4
          t.c:8  [y > 3]  // y = 11
          t.c:8  inc(x > 3 && y > 3);  // n = 1
          t.c:3    return n + 1;  // = 2
          t.c:8  [inc(x > 3 && y > 3) == 2]  // inc(x > 3 && y > 3) = 2
          t.c:9  reach_error(); // error
    "#]],
    );
}

#[test]
fn an_overflow_has_operands() {
    let source = format!(
        "{HEADER}int main(void) {{\n  int a = __VERIFIER_nondet_int();\n  int b = 1;\n  int c = 5;\n  \
         c = c + 1;\n  \
         int sum = a + b;\n  return sum;\n}}\n"
    );
    let policy = Policy { stop: FaultSet::of(&[FaultKind::SignedOverflow]), ..Policy::reachability() };
    check_with(
        &policy,
        &source,
        &[2147483647],
        expect![[r#"
            Because:     a is 2147483647 and b is 1
            Inputs:
              t.c:3  __VERIFIER_nondet_int() = 2147483647
            Calls:
              main
            Steps that matter:
              t.c:3  a = __VERIFIER_nondet_int();  // = 2147483647
              t.c:4  b = 1;
              t.c:7  sum = a + b;  // a = 2147483647, b = 1
        "#]],
    );
}

#[test]
fn long_executions_are_explained_too() {
    // More records than are kept: the beginning is forgotten, the end is not.
    let source = format!(
        "{HEADER}int main(void) {{\n  unsigned i, x = 0;\n  for (i = 0; i < 2000000; \
         i++)\n    x = x + i % 7;\n  \
         int last = __VERIFIER_nondet_int();\n  if (last == 3 && x > 7)\n    reach_error();\n  \
         return 0;\n}}\n"
    );
    check(
        &source,
        &[3],
        expect![[r#"
            Because:     `reach_error` is called because `x > 7u` at line 7 holds: x is 5999995
            Inputs:
              t.c:6  __VERIFIER_nondet_int() = 3
            Calls:
              main
            Steps that matter:
              t.c:5  x = x + i % 7u;  // = 5899998
              t.c:4  i = i + 1u;  // = 1966668
              t.c:5  x = x + i % 7u;  // = 5900002
              t.c:4  i = i + 1u;  // = 1966669
              t.c:4  [i < 2000000u]  // i = 1966669
                     … 33329 more rounds of the loop at line 4
              t.c:5  x = x + i % 7u;  // = 5999994
              t.c:4  i = i + 1u;  // = 1999999
              t.c:4  [i < 2000000u]  // i = 1999999
              t.c:5  x = x + i % 7u;  // = 5999995
              t.c:6  last = __VERIFIER_nondet_int();  // = 3
              t.c:7  [last == 3]  // last = 3
              t.c:7  [x > 7u]  // x = 5999995
              t.c:8  reach_error(); // error
              (3802856 more steps of 6000011 matter; --full-trace shows all)
        "#]],
    );
}
