//! Witnesses as others write them: right ones are confirmed, wrong ones never are. Each is written in a short
//! form that says all that matters: segments with `|` between them, and in them waypoints with `,` between
//! them.
//!
//! A waypoint is `b VALUE PLACE` (branching), `a EXPRESSION PLACE` (assumption), `r COMPARISON PLACE`
//! (function_return), `e PLACE` (function_enter) or `t PLACE` (target), with `!` before what is to be
//! avoided. A place is a line, or a line and the text that stands at the column.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::path::PathBuf;
use std::process::Command;

/// A folder of this test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("summa-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The last line on standard output.
fn summa(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_summa")).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or("").trim_start_matches("Verdict: ").to_owned()
}

const TASK: &str = "{input_files: [p.c], input_file_hashes: {}, specification: \"G ! call(reach_error())\", \
                    data_model: LP64, language: C}";

fn entry(kind: &str, version: &str, task: &str, content: &str) -> String {
    format!(
        "- entry_type: {kind}\n  metadata:\n    format_version: \"{version}\"\n    \
         uuid: 5c39719e-057d-458d-9d56-5c9078e7919d\n    creation_time: 2026-11-19T05:00:00Z\n    \
         producer: {{name: other, version: \"1\"}}\n    task: {task}\n  content:\n{content}"
    )
}

fn place(program: &str, text: &str) -> String {
    let (line, at) = text.split_once('~').unwrap_or((text, ""));
    let number: usize = line.parse().unwrap();
    let column = match at {
        "" => String::new(),
        at => {
            let line = program.lines().nth(number - 1).unwrap();
            format!(", column: {}", line.find(at).unwrap_or_else(|| panic!("no {at} in {line}")) + 1)
        }
    };
    format!("{{file_name: p.c, line: {line}{column}}}")
}

fn waypoint(program: &str, text: &str) -> String {
    let (action, text) = match text.strip_prefix('!') {
        Some(text) => ("avoid", text),
        None => ("follow", text),
    };
    let parts: Vec<&str> = text.split(' ').collect();
    let value = parts[1..parts.len() - 1].join(" ");
    let (kind, constraint) = match parts[0] {
        "b" => ("branching", format!(", constraint: {{value: {value}}}")),
        "a" => ("assumption", format!(", constraint: {{value: \"{value}\", format: c_expression}}")),
        "r" => {
            let value = format!("{{value: \"\\\\result {value}\", format: acsl_expression}}");
            ("function_return", format!(", constraint: {value}"))
        }
        "e" => ("function_enter", String::new()),
        "t" => ("target", String::new()),
        other => panic!("{other}"),
    };
    let location = place(program, parts[parts.len() - 1]);
    format!("    - waypoint: {{type: {kind}, action: {action}, location: {location}{constraint}}}\n")
}

fn segments(program: &str, text: &str) -> String {
    let segment = |text: &str| {
        let points: String = text.split(',').map(|text| waypoint(program, text)).collect();
        format!("  - segment:\n{points}")
    };
    text.split('|').map(segment).collect()
}

const BRANCHES: &str = "\
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int pick(int v) { return v > 5 ? 1 : 0; }
int main(void) {
  int a = __VERIFIER_nondet_int();
  int n = 0;
  while (n < 3) {
    int b = __VERIFIER_nondet_int();
    if (b == 4)
      n += 2;
    else
      n++;
  }
  switch (a) {
  case 1: case 2: n = 10; break;
  case -3: n = 20; break;
  default: n += 7;
  }
  int r = pick(a);
  do { n--; } while (n > 100);
  for (int i = 0; i < 2; i++) a += 0;
  if (n == 19 || n == 10 || (n == 9 && r))
    reach_error();
  return 0;
}
";

const RIGHT: &[&str] = &[
    "t 23~reach",
    "t 23",
    "b -3 14~switch|t 23~reach",
    "b -3 14|t 23",
    "b default 14~switch|t 23~reach",
    "b default 14|t 23",
    "b 4 14|t 23",
    "b true 7~while|b true 9~if|b true 9~if|b default 14~switch|t 23~reach",
    "b false 9|b false 9|b false 9|b false 7|b default 14|b true 3|t 23",
    "b false 9~if|b false 9~if|b false 9~if|b false 7~while|b default 14~switch|b true 3~?|t 23~reach",
    "!b true 9,b default 14|t 23",
    "!b default 14,!b 1 14,!b 2 14,t 23",
    "!b false 22,t 23",
    "e 19~)|t 23~reach",
    "e 19|t 23",
    "e 5|e 8|e 19|t 23",
    "r == 1 19~)|t 23~reach",
    "r == 0 19|t 23",
    "r < 0 5|b -3 14|t 23",
    "r <= -3 5|r >= 4 8|t 23",
    "r != 4 8|r != 4 8|r != 4 8|b default 14|t 23",
    "r == 4 8|!r == 4 8,b default 14|t 23",
    "a a == -3 6~int|t 23~reach",
    "a a == -3 6|t 23",
    "a n == 4 14~switch|b default 14~switch|t 23~reach",
    "a b == 4 9~if|t 23~reach",
    "a b == 4 9|a n == 0 10~n|b true 7|t 23",
    "a n == 20 19~int|t 23",
    "a a == -3 16~case|t 23",
    "a a == -3 16~n|t 23",
    "a n == 4 17|t 23",
    "a !(n != 0 && 1 / (n - n)) 7|b -3 14|t 23",
    "!a n > 20 19,t 23",
    "b false 20~do|t 23",
    "b false 20~while|t 23",
    "b true 21|b true 21|b false 21|t 23",
    "a n == 19 22~if|b true 22~if|t 23",
];

const WRONG: &[&str] = &[
    "b 1 14~switch|t 23~reach",
    "b 2 14|t 23",
    "b 18446744073709551613 14|t 23",
    "b 4294967293 14|t 23",
    "b false 7|t 23",
    "b true 7|b true 9|b false 9|b false 9|t 23",
    "b false 9|b false 9|b false 9|b false 7|b default 14|b false 3|t 23",
    "!b true 9,b default 14|!b true 3,t 23",
    "!b true 9,!b false 9,b default 14|t 23",
    "!b default 14,!b 1 14,!b 2 14,!b -3 14,t 23",
    "!b true 22,t 23",
    "!e 5,t 23",
    "!e 19,t 23",
    "r == 2 19|t 23",
    "r > 0 5|b -3 14|t 23",
    "r != 4 8|r != 4 8|r != 4 8|r != 4 8|t 23",
    "r == 4 8|r == 4 8|r == 4 8|t 23",
    "a a == 3 && 0 6|t 23",
    "a n == 5 14|t 23",
    "a a == 2 16|t 23",
    "a n == 10 15~n|t 23",
    "a 1 / (n - n) 7|t 23",
    "a n == 1 7|t 23",
    "b -3 14|a a == -3 6|t 23",
    "b -3 14|b -3 14|t 23",
    "b -3 14|t 22~if",
    "b -3 14|t 22",
    "b -3 14|t 24~return",
    "b -3 14|t 2",
    "b -3 14|t 4",
    "b true 20~do|t 23",
    "b true 21|b true 21|b true 21|t 23",
    "b maybe 14|t 23",
    "b true 14|t 23",
    "b 7 9|t 23",
    "b default 9|t 23",
    "b true 5|t 23",
    "e 9|t 23",
    "a z == 1 6|t 23",
    "a n++ == 0 7|t 23",
    "r == n 5|t 23",
    "a n == 19 23~reach|b -3 14|t 23",
    "b 99 14|!b true 22,t 23",
];

#[test]
fn right_witnesses_are_confirmed_and_wrong_ones_are_not() {
    let scratch = Scratch::new("others");
    let program = scratch.write("p.c", BRANCHES);
    let verdict = |text: &str| {
        let witness = entry("violation_sequence", "2.0", TASK, &segments(BRANCHES, text));
        let witness = scratch.write("w.yml", &witness);
        summa(&["validate", "--work-limit", "60", "--witness", &witness, &program])
    };
    let mut problems = Vec::new();
    for (all, is_right) in [(RIGHT, true), (WRONG, false)] {
        for text in all {
            let verdict = verdict(text);
            if verdict.starts_with("FALSE") != is_right || verdict.is_empty() {
                problems.push(format!("{text}: {verdict}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What is in a file beside its points.
#[test]
fn dialects_are_read_or_refused_with_the_reason() {
    let scratch = Scratch::new("dialects");
    let program = scratch.write("p.c", BRANCHES);
    let right = segments(BRANCHES, "b -3 14|t 23");
    let of = |version: &str, task: &str, content: &str| entry("violation_sequence", version, task, content);
    let task = |from: &str, to: &str| {
        assert!(TASK.contains(from), "{from}");
        TASK.replace(from, to)
    };
    let point = |rest: &str| format!("    - waypoint: {{location: {{file_name: p.c, line: 14}}, {rest}}}\n");
    let branch = point("type: branching, action: follow, constraint: {value: -3}");
    let avoid = point("type: branching, action: avoid, constraint: {value: default}");
    let target = segments(BRANCHES, "t 23");
    let with = |points: &str| of("2.1", TASK, &format!("  - segment:\n{points}{target}"));
    let one = of("2.0", TASK, &right);
    let ghosts = entry(
        "ghost_instrumentation",
        "2.1",
        TASK,
        "    ghost_variables: [{name: g, type: int, scope: global, initial: {value: \"0\", format: \
         c_expression}}]\n    \
         ghost_updates: []\n",
    );
    let hash = "0123456789abcdef".repeat(4);
    let other_hash = task("input_file_hashes: {}", &format!("input_file_hashes: {{p.c: {hash}}}"));
    let named = |function: &str| right.replace("line: 14", &format!("line: 14, function: {function}"));
    let long = "G ! call(reach_error())";
    let cases: Vec<(String, &[&str], &str)> = vec![
        (one.clone(), &[], "FALSE(unreach-call)"),
        (of("2.1", TASK, &right), &[], "FALSE(unreach-call)"),
        (of("2.2", TASK, &right), &[], "FALSE(unreach-call)"),
        (of("3.0", TASK, &right), &[], "UNKNOWN(the witness could not be read)"),
        // The order in a segment.
        (with(&format!("{avoid}{branch}")), &[], "FALSE(unreach-call)"),
        (with(&format!("{branch}{avoid}")), &[], "FALSE(unreach-call)"),
        (with(&format!("{branch}{branch}")), &[], "UNKNOWN(the witness could not be read)"),
        (with(&avoid), &[], "UNKNOWN(the witness could not be read)"),
        // What has no meaning here.
        (with(&branch.replace("follow", "cycle")), &[], "UNKNOWN(the witness could not be read)"),
        (with(&branch.replace("type", "thread_id: 0, type")), &[], "FALSE(unreach-call)"),
        (with(&branch.replace("type", "thread_id: 1, type")), &[], "UNKNOWN(the witness could not be read)"),
        (format!("{ghosts}{one}"), &[], "UNKNOWN(the witness could not be read)"),
        (format!("{one}{one}"), &[], "UNKNOWN(the witness could not be read)"),
        // Functions.
        (of("2.0", TASK, &named("main")), &[], "FALSE(unreach-call)"),
        (
            of("2.0", TASK, &named("pick")),
            &[],
            "UNKNOWN(waypoint 1 (branching `-3` at p.c:14): the place is in",
        ),
        // Specifications.
        (of("2.0", &task(long, "CHECK( init(main()), LTL(G ! call(reach_error())) )"), &right), &[], "FALSE"),
        (
            of("2.0", &task(long, "CHECK( init(main()),\\n LTL(G ! call(reach_error())) )\\n"), &right),
            &[],
            "FALSE",
        ),
        (of("2.0", &task(long, "LTL(G ! call(reach_error()))"), &right), &[], "FALSE"),
        (of("2.0", &task(long, "G ! call(other())"), &right), &[], "UNKNOWN("),
        (of("2.0", &task(long, "what"), &right), &[], "UNKNOWN("),
        (
            one.clone(),
            &["--property", "no-overflow"],
            "UNKNOWN(the witness is about unreach-call, not about no-overflow)",
        ),
        (one.clone(), &["--property", "unreach-call"], "FALSE(unreach-call)"),
        // Data models, files and hashes.
        (one.clone(), &["--64"], "FALSE(unreach-call)"),
        (one.clone(), &["--32"], "UNKNOWN(the witness is about the data model LP64, not ILP32)"),
        (of("2.0", &task("LP64", "ILP32"), &right), &[], "FALSE(unreach-call)"),
        (of("2.0", &task("LP64", "LP128"), &right), &[], "UNKNOWN(the witness could not be read)"),
        (
            of("2.0", &task("language: C", "language: Java"), &right),
            &[],
            "UNKNOWN(the witness could not be read)",
        ),
        (of("2.0", &other_hash, &right), &[], "UNKNOWN(the witness is about another `p.c`: its hash differs"),
        (of("2.0", &other_hash, &right), &["--ignore-hash"], "FALSE(unreach-call)"),
        (
            of("2.0", &task("[p.c]", "[q.c]"), &right),
            &[],
            "UNKNOWN(the witness is about `q.c`, which is not among",
        ),
        (of("2.0", TASK, &right.replace("p.c", "q.c")), &[], "UNKNOWN(waypoint 1"),
        (of("2.0", TASK, &right.replace("p.c", "/somewhere/p.c")), &[], "FALSE(unreach-call)"),
    ];
    for (text, options, expected) in cases {
        let witness = scratch.write("w.yml", &text);
        let arguments =
            [&["validate", "--work-limit", "60", "--witness", &witness, &program], options].concat();
        let verdict = summa(&arguments);
        assert!(verdict.starts_with(expected), "{verdict} instead of {expected}\n{options:?}\n{text}");
    }
}

const LOOP: &str = "\
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int a[4];
int half(int v) { return v / 2; }
int main(void) {
  int n = __VERIFIER_nondet_int();
  int i = 0, *p = &n;
  while (i < 10)
    i++;
  if (i != 10)
    reach_error();
  return half(7) - 3;
}
";

#[test]
fn invariants_hold_and_are_defined() {
    let scratch = Scratch::new("invariants");
    let program = scratch.write("p.c", LOOP);
    let invariant = |kind: &str, line: u32, value: &str, format: &str| {
        format!(
            "  - invariant: {{type: {kind}, location: {{file_name: p.c, line: {line}}}, value: \"{value}\", \
             format: {format}}}\n"
        )
    };
    let at_loop = |value: &str| invariant("loop_invariant", 8, value, "c_expression");
    let behind = |value: &str| invariant("location_invariant", 10, value, "c_expression");
    let contract = |key: &str, requires: &str, ensures: &str| {
        format!(
            "  - {key}: {{type: function_contract, location: {{file_name: p.c, line: 4, function: half}}, \
             requires: \"{requires}\", ensures: \"{ensures}\", format: acsl_expression}}\n"
        )
    };
    let right = [
        "  []\n".to_owned(),
        at_loop("i <= 10"),
        at_loop("0 <= i && i <= 10"),
        at_loop("n <= 0 || i / n <= 10"),
        at_loop("i > 3 || a[i] == 0"),
        at_loop("n == 2147483647 || n + 1 > n"),
        at_loop("(n & 7) << 3 >= 0"),
        behind("i == 10"),
        invariant("location_invariant", 10, "i == 10", "ext_c_expression"),
        at_loop("i <= 10") + &behind("i >= 10"),
        contract("invariant", "v == 7", "\\\\result == 3"),
        contract("contract", "v == 7", "\\\\result == 3"),
    ];
    let wrong = [
        at_loop("i < 10"),
        behind("i == 11"),
        // Undefined, whatever it would give.
        at_loop("i == 77 || 1 / (n - n)"),
        at_loop("n / n == 1 || 1"),
        at_loop("n % i == 0 || 1"),
        at_loop("n + 1 > n"),
        at_loop("-n <= 0 || -n > 0"),
        at_loop("n * n >= 0 || n * n < 0"),
        at_loop("(1 << n) != 5 || 1"),
        at_loop("(n >> 40) == 0 || 1"),
        at_loop("a[i] == 0 || 1"),
        at_loop("a[10] == 0 || 1"),
        at_loop("a[n] == a[n]"),
        at_loop("*(int *)0 == 5 || 1"),
        at_loop("*p == 77 || 1"),
        behind("i / (i - 10) || 1"),
        // More than an expression, or one that means nothing.
        at_loop("i++ < 10"),
        at_loop("unknown <= 10"),
        at_loop("half(i) <= 10"),
        invariant("loop_invariant", 9, "1", "c_expression"),
        invariant("loop_invariant", 8, "i <= 10", "acsl_expression"),
        invariant("loop_transition_invariant", 8, "i <= 10", "ext_c_expression"),
        invariant("location_transition_invariant", 10, "i <= 10", "ext_c_expression"),
        contract("invariant", "v == 7", "\\\\result == 4"),
        contract("contract", "v == 8", "\\\\result == 4"),
        contract("contract", "v == 7", "\\\\result == \\\\at(v, Pre)"),
        contract("contract", "1 / (v - 7)", "1"),
        contract("contract", "1", "1 / (\\\\result - 3) || 1"),
    ];
    let verdict = |content: &str| {
        let text = entry("invariant_set", "2.1", TASK, content);
        let text = if content.trim() == "[]" { text.replace("content:\n  []", "content: []") } else { text };
        let witness = scratch.write("w.yml", &text);
        summa(&["validate", "--work-limit", "60", "--witness", &witness, &program])
    };
    let mut problems = Vec::new();
    for content in &right {
        let verdict = verdict(content);
        if verdict != "TRUE" {
            problems.push(format!("{content}{verdict}"));
        }
    }
    for content in &wrong {
        let verdict = verdict(content);
        if !verdict.starts_with("UNKNOWN(") {
            problems.push(format!("{content}{verdict}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// Files that were made to hurt their reader.
#[test]
fn hostile_files_are_refused() {
    let scratch = Scratch::new("hostile");
    let program = scratch.write("p.c", BRANCHES);
    let right = entry("violation_sequence", "2.0", TASK, &segments(BRANCHES, "b -3 14|t 23"));
    let bomb: String = (1..30)
        .map(|n| {
            format!("  b{n}: &b{n} [*b{m}, *b{m}, *b{m}, *b{m}, *b{m}, *b{m}, *b{m}, *b{m}]\n", m = n - 1)
        })
        .collect();
    let deep = |open: &str, close: &str| format!("{}{}", open.repeat(100_000), close.repeat(100_000));
    let assumption = |value: &str| {
        let points = segments(BRANCHES, "a VALUE 6|t 23").replace("VALUE", value);
        entry("violation_sequence", "2.0", TASK, &points)
    };
    let files = [
        format!("- entry_type: violation_sequence\n  b0: &b0 [1, 1, 1, 1]\n{bomb}"),
        format!("- entry_type: {}\n", deep("[", "]")),
        format!("- {}", deep("{a: ", "}")),
        assumption(&deep("(", ")")),
        assumption(&"- ".repeat(100_000)),
        assumption("1) { reach_error(); } if (1"),
        right.replace("line: 14", "line: 99999999999999999999"),
        right.replace("line: 14", "line: -1"),
        right.replace("line: 14", "line: 4294967295"),
        right.replace("line: 14", "line: 14, column: 4294967295"),
        right.replace("value: -3", &format!("value: {}", "9".repeat(100_000))),
        right.replace("value: -3", "value: .nan"),
        right.replace("p.c", "\\x1b[31mp.c\\n::error::p.c"),
        right.replace("entry_type", "<<"),
        "&a [*a]".to_owned(),
        String::new(),
    ];
    for text in files {
        let witness = scratch.write("w.yml", &text);
        let verdict = summa(&["validate", "--work-limit", "60", "--witness", &witness, &program]);
        assert!(verdict.starts_with("UNKNOWN("), "{verdict}\n{}", text.chars().take(400).collect::<String>());
    }
}
