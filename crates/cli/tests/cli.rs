//! The command line as users and scripts see it: output, exit codes, and what is said about mistakes.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use expect_test::{Expect, expect};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::text;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs `summa` from the root of the project, so that paths in its output are the same everywhere.
fn summa(arguments: &str) -> Output {
    support::command(&root(), arguments).output().unwrap()
}

fn check(arguments: &str, code: i32, expected: Expect) {
    support::expect_output(&summa(arguments), code, expected);
}

fn check_error(arguments: &str, code: i32, expected: Expect) {
    support::expect_error(&summa(arguments), code, expected);
}

fn file(name: &str, content: &str) -> String {
    support::file_in(&support::scratch("cli"), name, content)
}

fn last_line(output: &Output) -> String {
    text(&output.stdout).lines().last().unwrap_or("").to_owned()
}

#[test]
fn a_bug_is_found_and_explained() {
    check(
        "verify --64 examples/withdraw.c",
        10,
        expect![[r#"
            Program:     examples/withdraw.c
                         2 functions, 59 edges, starting in main
            Data model:  LP64 (as asked for)
            Property:    unreach-call: no call of reach_error or __VERIFIER_error and no failing assertion is reachable from main
                         and no execution that is tried runs into undefined behaviour

            error: an assertion fails
              --> examples/withdraw.c:20:5
               |
            20 |     assert(balance <= 100);
               |     ^^^^^^^^^^^^^^^^^^^^^^^

            Because:     the assertion `balance <= 100` fails because balance is 101
            Inputs:
              withdraw.c:19  __VERIFIER_nondet_int() = -1
              withdraw.c:19  __VERIFIER_nondet_int() = 0
              withdraw.c:19  __VERIFIER_nondet_int() = 0
            Calls:
              main
            Steps that matter:
              withdraw.c:6   balance = 100;
              withdraw.c:18  customer = 0;
              withdraw.c:18  [customer < 3]  // customer = 0
              withdraw.c:19  __VERIFIER_nondet_int();  // = -1
              withdraw.c:19  withdraw(__VERIFIER_nondet_int());  // amount = -1
              withdraw.c:10    [amount <= balance]  // amount = -1, balance = 100
              withdraw.c:12    balance = balance - amount;  // = 101
              withdraw.c:18  customer = customer + 1;  // = 1
              withdraw.c:18  [customer < 3]  // customer = 1
              withdraw.c:19  __VERIFIER_nondet_int();  // = 0
              withdraw.c:19  withdraw(__VERIFIER_nondet_int());  // amount = 0
              withdraw.c:10    [amount <= balance]  // amount = 0, balance = 101
              withdraw.c:12    balance = balance - amount;  // = 101
              withdraw.c:18  customer = customer + 1;  // = 2
              withdraw.c:18  [customer < 3]  // customer = 2
              withdraw.c:19  __VERIFIER_nondet_int();  // = 0
              withdraw.c:19  withdraw(__VERIFIER_nondet_int());  // amount = 0
              withdraw.c:10    [amount <= balance]  // amount = 0, balance = 101
              withdraw.c:12    balance = balance - amount;  // = 101
              withdraw.c:20  [balance > 100]  // balance = 101
              withdraw.c:20  assertion fails // error
            Replayed:    68 steps, with the same end

            Verdict: FALSE(unreach-call)
        "#]],
    );
}

#[test]
fn quiet_leaves_the_verdict_alone() {
    check(
        "verify --quiet examples/withdraw.c",
        10,
        expect![[r#"
        Verdict: FALSE(unreach-call)
    "#]],
    );
}

#[test]
fn a_bounded_program_is_proved() {
    let program = file(
        "bounded.c",
        "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\n\
         int main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
         if (x > 100 && x < 100) reach_error();\n  return 0;\n}\n",
    );
    let output = summa(&format!("verify {program}"));
    assert_eq!((last_line(&output).as_str(), output.status.code()), ("Verdict: TRUE", Some(0)));
}

#[test]
fn the_time_limit_is_a_reason() {
    let program = file(
        "commutative.c",
        "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nint mult(int n, int m) {\n  \
         return m <= 0 ? 0 : n + mult(n, m - 1);\n}\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
         int y = __VERIFIER_nondet_int();\n  if (x > 0 && y > 0 && x < 40000 && y < 40000 && mult(x, y) \
         != mult(y, x)) \
         reach_error();\n  return 0;\n}\n",
    );
    let output = summa(&format!("verify --time-limit 1 {program}"));
    assert!(last_line(&output).starts_with("Verdict: UNKNOWN("), "{}", last_line(&output));
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn properties_have_names() {
    for (arguments, verdict) in [
        ("verify -p no-overflow examples/average.c", "Verdict: FALSE(no-overflow)"),
        ("verify --spec valid-memsafety examples/list.c", "Verdict: FALSE(valid-deref)"),
        (
            "verify --property termination examples/sum.c",
            "Verdict: UNKNOWN(unsupported property: termination)",
        ),
    ] {
        assert_eq!(last_line(&summa(arguments)), verdict, "{arguments}");
    }
}

#[test]
fn a_left_shift_is_a_product_or_undefined() {
    let program = |name, bound: &str, then: &str| {
        let head = "int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int();";
        file(name, &format!("{head}\n  if (!({bound})) return 0;\n  {then}\n  return 0;\n}}\n"))
    };
    let answer = |name, bound: &str, then: &str| {
        last_line(&summa(&format!("verify -p no-overflow {}", program(name, bound, then))))
    };
    // A product that does not fit.
    assert_eq!(answer("shift.c", "n >= 0 && n < 32", "int x = 1 << n;"), "Verdict: FALSE(no-overflow)");
    assert_eq!(answer("shift_fits.c", "n >= 0 && n < 31", "int x = 1 << n;"), "Verdict: TRUE");
    // Undefined, but no overflow: the property of shifts speaks of it.
    for (name, bound, then) in [
        ("shift_negative.c", "n < 0 && n > -9", "int x = n << 2;"),
        ("shift_amount.c", "n > 31 && n < 99", "int x = 1 << n;"),
        ("shift_back.c", "n < 0 && n > -9", "int x = 1 << n;"),
    ] {
        let undefined = answer(name, bound, then);
        assert!(undefined.starts_with("Verdict: UNKNOWN(unsupported: left shift"), "{undefined}");
    }
    // Whatever an undefined shift does, it hides no overflow that happens without it.
    let other = answer("shift_other.c", "n < 9", "int x = n << 2; if (n == 5) x = 2147483642 + n + x;");
    assert_eq!(other, "Verdict: FALSE(no-overflow)");
    // Shifts of unsigned values and to the right are no overflow.
    let unsigned = answer("shift_unsigned.c", "n > 0", "unsigned x = (1u << n) + (n >> n);");
    assert_eq!(unsigned, "Verdict: TRUE");
}

#[test]
fn a_program_is_run() {
    check(
        "run --64 --inputs -30,5,1 examples/withdraw.c",
        10,
        expect![[r#"
        error: assertion fails
          --> examples/withdraw.c:20:5
           |
        20 |     assert(balance <= 100);
           |     ^^^^^^^^^^^^^^^^^^^^^^^

        Outcome: error: assertion fails at examples/withdraw.c:20 (68 steps)
    "#]],
    );
    check(
        "run --64 --inputs 30,5,1 examples/withdraw.c",
        0,
        expect![[r#"
        Outcome: returned 0 (69 steps)
    "#]],
    );
}

#[test]
fn a_trace_shows_lines_and_values() {
    let path = file(
        "trace.c",
        "int twice(int x) { return x + x; }\nint main(void) {\n  int y = twice(21);\n  return y;\n}\n",
    );
    let output = summa(&format!("run --trace {path}"));
    let folder = Path::new(&path).parent().unwrap().display().to_string();
    expect![[r#"
          DIR/trace.c:3 y = twice(21);
            DIR/trace.c:1 return x + x;
          DIR/trace.c:3 twice returned 42
          DIR/trace.c:4 return y;
        Outcome: returned 42 (6 steps)
    "#]]
    .assert_eq(&text(&output.stdout).replace(&folder, "DIR"));
}

#[test]
fn an_automaton_is_shown() {
    let path = file("loop.c", "int main(void) { int i = 0; while (i < 3) i++; return i; }\n");
    let output = summa(&format!("cfa --function main {path}"));
    let folder = Path::new(&path).parent().unwrap().display().to_string();
    expect![[r#"
        main (DIR/loop.c:1), from n0 to n5
                    n0 -> n1         line 1  int i;
                    n1 -> n2         line 1  i = 0;
             n2 (loop) -> n3         line 1  [i < 3]
             n2 (loop) -> n4         line 1  [i >= 3]
                    n3 -> n2         line 1  i = i + 1;
                    n4 -> n5         line 1  return i;

    "#]]
    .assert_eq(&text(&output.stdout).replace(&folder, "DIR"));
    let dot = text(&summa(&format!("cfa --function main --format dot {path}")).stdout);
    assert!(dot.starts_with("digraph"), "{dot}");
    let json = text(&summa(&format!("cfa --format json {path}")).stdout);
    assert!(json.starts_with('{') && json.contains("\"name\": \"main\""), "{json}");
}

#[test]
fn a_mistake_in_the_program_is_shown_in_place() {
    let path = file("mistake.c", "int main(void) {\n  int x = 1;\n  return x + y;\n}\n");
    let output = summa(&format!("verify {path}"));
    let folder = Path::new(&path).parent().unwrap().display().to_string();
    expect![[r#"
        error: `y` is not declared
         --> DIR/mistake.c:3:14
          |
        3 |   return x + y;
          |              ^

    "#]]
    .assert_eq(&text(&output.stderr).replace(&folder, "DIR"));
    assert_eq!(
        (last_line(&output).as_str(), output.status.code()),
        ("Verdict: UNKNOWN(the input could not be read)", Some(6))
    );
}

#[test]
fn mistakes_on_the_command_line_are_told() {
    check_error(
        "verify no-such-file.c",
        6,
        expect![[r#"
        error: cannot read `no-such-file.c`: there is no such file

    "#]],
    );
    check_error(
        "verify --property unreach examples/sum.c",
        2,
        expect![[r#"
        error: `unreach` is neither a property file nor one of: unreach-call, no-overflow, division-by-zero, shift, valid-memsafety, valid-deref, valid-free, valid-memtrack, valid-memcleanup, termination, no-data-race

    "#]],
    );
    check_error(
        "verify --function mian examples/sum.c",
        6,
        expect![[r#"
        error: the entry function `mian` is not in the program; did you mean `main`?

    "#]],
    );
    assert_eq!(summa("verify").status.code(), Some(2));
    assert_eq!(summa("prove examples/sum.c").status.code(), Some(2));
    assert_eq!(summa("verify --32 --64 examples/sum.c").status.code(), Some(2));
    assert_eq!(summa("verify --time-limit never examples/sum.c").status.code(), Some(2));
}

#[test]
fn a_task_definition_names_everything() {
    file(
        "task.c",
        "void reach_error(void);\nint main(void) { if (sizeof(long) == 4) reach_error(); return 0; }\n",
    );
    file("task.prp", "CHECK( init(main()), LTL(G ! call(reach_error())) )\n");
    let task = file(
        "task.yml",
        "format_version: '2.0'\ninput_files: task.c\nproperties:\n  - property_file: task.prp\n    \
         expected_verdict: true\n\
         options: {language: C, data_model: ILP32}\n",
    );
    assert_eq!(last_line(&summa(&format!("verify {task}"))), "Verdict: FALSE(unreach-call)");
    // The command line wins.
    assert_eq!(last_line(&summa(&format!("verify --64 {task}"))), "Verdict: TRUE");
    let output = summa(&format!("verify {task} examples/sum.c"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn several_files_are_one_program() {
    let main = file(
        "main.c",
        "int half(int);\nvoid reach_error(void);\nint main(void) { if (half(8) == 4) reach_error(); }\n",
    );
    let other = file("other.c", "static int two = 2;\nint half(int x) { return x / two; }\n");
    assert_eq!(last_line(&summa(&format!("verify {main} {other}"))), "Verdict: FALSE(unreach-call)");
}

#[test]
fn options_of_compilers_are_understood() {
    let header = file("defs.h", "#define LIMIT 5\n");
    let path = file(
        "macros.c",
        "void reach_error(void);\nint main(void) { if (LIMIT == 5 && MORE == 7) reach_error(); return 0; }\n",
    );
    let output = summa(&format!("{path} -include {header} -DMORE=7 -std=gnu11 -m32"));
    assert_eq!(last_line(&output), "Verdict: FALSE(unreach-call)", "{}", text(&output.stderr));
}

#[test]
fn assumptions_are_listed() {
    let path = file("unknown.c", "int mystery(int *);\nint main(void) { int x = 0; return mystery(&x); }\n");
    let output = text(&summa(&format!("verify {path}")).stdout);
    assert!(output.contains("Assumptions:") && output.contains("mystery"), "{output}");
}

/// Shorter executions were tried before, and do not count.
#[test]
fn the_only_execution_is_a_proof_also_if_it_is_long() {
    let path = file(
        "only.c",
        "void reach_error(void);\nint main(void) {\n  unsigned n = 0;\n  for (int i = 0; i < 30000; \
         i++) n = n * 3 + i % 7;\n  \
         if (n % 2 == 0) reach_error();\n  return 0;\n}\n",
    );
    let output = text(&summa(&format!("verify {path}")).stdout);
    assert!(output.contains("executed a second time, 90,00"), "{output}");
    assert!(output.ends_with("Verdict: TRUE\n"), "{output}");
}

#[test]
fn help_teaches() {
    let help = text(&summa("help verify").stdout);
    for part in ["Exit codes:", "Examples, with", "--property", "--data-model", "UNKNOWN"] {
        assert!(help.contains(part), "{part} is missing in\n{help}");
    }
    assert!(text(&summa("--version").stdout).starts_with("summa "));
}

#[cfg(target_pointer_width = "64")]
#[test]
fn the_readme_shows_the_real_output() {
    let readme = std::fs::read_to_string(root().join("README.md")).unwrap();
    let program = std::fs::read_to_string(root().join("examples/withdraw.c")).unwrap();
    assert!(readme.contains(&program), "the program in README.md is not examples/withdraw.c");
    let blocks = readme.split("```console\n$ summa ").skip(1).map(|block| block.split("```").next().unwrap());
    let mut shown = 0;
    for (arguments, expected) in blocks.filter_map(|block| block.split_once('\n')) {
        assert_eq!(text(&summa(arguments).stdout), expected, "summa {arguments}");
        shown += 1;
    }
    assert_eq!(shown, 3);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_in_a_verdict() {
    let path = file("endless.c", "unsigned n;\nint main(void) { while (1) n++; }\n");
    let mut command = Command::new(env!("CARGO_BIN_EXE_summa"));
    command.args(["run", "--steps", "1000000000000", &path]).stdout(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    support::until_at_work(&child, 100);
    let killed = Command::new("kill").arg("-TERM").arg(child.id().to_string()).status().unwrap();
    assert!(killed.success());
    let output = child.wait_with_output().unwrap();
    assert!(last_line(&output).starts_with("Outcome: stopped: interrupted"), "{}", text(&output.stdout));
    assert_eq!(output.status.code(), Some(5));
}
