//! Formats for programs, CI and projects: JSON lines, SARIF, annotations, settings, compilation databases,
//! warnings.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;
use support::text;

const BUG: &str = "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nint main(void) {\n  \
                   int x = __VERIFIER_nondet_int();\n  if (x == 3)\n    reach_error();\n  return 0;\n}\n";
const SAFE: &str = "void reach_error(void);\nint twice(int x) { return 2 * x; }\nint main(void) {\n  \
                    if (twice(2) != 4)\n    reach_error();\n  return 0;\n}\n";

/// A folder of its own for each test.
fn folder(name: &str) -> PathBuf {
    let folder = support::scratch("formats").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn summa(folder: &Path, arguments: &str) -> Output {
    support::command(folder, arguments).output().unwrap()
}

fn lines(output: &[u8]) -> Vec<Value> {
    text(output).lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn last_line(output: &[u8]) -> String {
    text(output).lines().last().unwrap_or("").to_owned()
}

#[test]
fn json_is_for_programs_alone() {
    let folder = folder("json");
    std::fs::write(folder.join("bug.c"), BUG).unwrap();
    let output = summa(&folder, "verify --output-format json bug.c");
    assert_eq!(output.status.code(), Some(10));
    let events = lines(&output.stdout);
    let names: Vec<&str> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
    assert_eq!(names, ["start", "verdict", "end"]);
    assert_eq!(events[1]["verdict"], "FALSE");
    assert_eq!(events[1]["place"]["line"], 6);
    assert_eq!(events[1]["explanation"]["inputs"][0]["value"], "3");
    assert_eq!(events[2]["verdict"], "FALSE(unreach-call)");
    assert_eq!(events[2]["exit_code"], 10);
    assert_eq!(last_line(&output.stderr), "Verdict: FALSE(unreach-call)");
}

#[test]
fn files_come_beside_the_text() {
    let folder = folder("files");
    std::fs::write(folder.join("bug.c"), BUG).unwrap();
    let output = summa(&folder, "verify --json events.jsonl --sarif out.sarif --output-format github bug.c");
    let out = text(&output.stdout);
    assert!(out.contains("\n::error file=bug.c,line=6,col=5,"), "{out}");
    assert_eq!(last_line(&output.stdout), "Verdict: FALSE(unreach-call)");
    let events = lines(&std::fs::read(folder.join("events.jsonl")).unwrap());
    assert_eq!(events.last().unwrap()["event"], "end");
    let sarif: Value = serde_json::from_slice(&std::fs::read(folder.join("out.sarif")).unwrap()).unwrap();
    let result = &sarif["runs"][0]["results"][0];
    assert_eq!((&result["kind"], &result["ruleId"]), (&"fail".into(), &"unreach-call".into()));
    let flow = result["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert!(flow.len() >= 3, "{flow:?}");
    // A folder that does not exist is reported before any work is done.
    let output = summa(&folder, "verify --sarif no/such/out.sarif bug.c");
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn sarif_knows_every_answer() {
    let folder = folder("sarif");
    std::fs::write(folder.join("safe.c"), SAFE).unwrap();
    std::fs::write(folder.join("broken.c"), "int main(void) { return y; }\n").unwrap();
    let document =
        |arguments: &str| -> Value { serde_json::from_slice(&summa(&folder, arguments).stdout).unwrap() };
    let safe = document("verify --output-format sarif --property unreach-call --property termination safe.c");
    let kinds: Vec<&str> = safe["runs"][0]["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["pass", "open"]);
    let broken = document("verify --output-format sarif broken.c");
    let invocation = &broken["runs"][0]["invocations"][0];
    assert_eq!((&invocation["exitCode"], &invocation["executionSuccessful"]), (&6.into(), &false.into()));
    assert!(invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().unwrap().contains("`y`"));
}

#[test]
fn a_limit_is_told_in_every_format() {
    let folder = folder("limit");
    let program = "int __VERIFIER_nondet_int(void);\nvoid reach_error(void);\nint mult(int n, int m) {\n  \
                   return m <= 0 ? 0 : n + mult(n, m - 1);\n}\n\
                   int main(void) {\n  int x = __VERIFIER_nondet_int();\n  \
                   int y = __VERIFIER_nondet_int();\n  if (x > 0 && y > 0 && x < 40000 && y < 40000 && \
                   mult(x, y) != mult(y, x)) \
                   reach_error();\n  return 0;\n}\n";
    std::fs::write(folder.join("hard.c"), program).unwrap();
    let output = summa(&folder, "verify --output-format json --time-limit 2 hard.c");
    assert_eq!(output.status.code(), Some(5));
    let events = lines(&output.stdout);
    assert_eq!(events.last().unwrap()["event"], "end");
    assert!(events.iter().any(|event| event["event"] == "verdict" && event["verdict"] == "UNKNOWN"));
    assert!(events.iter().any(|event| event["event"] == "progress"), "long runs tell how far they are");
}

#[test]
fn vacuous_success_is_told() {
    let folder = folder("vacuous");
    let check = |name: &str, program: &str, part: &str| {
        std::fs::write(folder.join(name), program).unwrap();
        let out =
            text(&summa(&folder, &format!("verify --property unreach-call --work-limit 20 {name}")).stdout);
        assert!(out.lines().any(|line| line.starts_with("Warning:") && line.contains(part)), "{out}");
    };
    check("nothing.c", "int main(void) { return 0; }\n", "nothing to reach");
    let unused = "void reach_error(void);\nvoid check(int x) { if (x) reach_error(); }\n\
        int main(void) { return 0; }\n";
    check("unused.c", unused, "no error can be reached from main");
    let excluded = "void reach_error(void);\nvoid __VERIFIER_assume(int);\nint __VERIFIER_nondet_int(void);\n\
                    int main(void) {\n  \
                    int x = __VERIFIER_nondet_int();\n  __VERIFIER_assume(x > 5);\n  \
                    __VERIFIER_assume(x < 3);\n  \
                    if (x == 7)\n    reach_error();\n  return 0;\n}\n";
    check("excluded.c", excluded, "stopped at an assumption");
    let undefined = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint a[3];\n\
                     int main(void) {\n  \
                     for (int i = 0; i <= 3; i++)\n    a[i] = __VERIFIER_nondet_int();\n  \
                     if (a[1] != a[1])\n    reach_error();\n  return 0;\n}\n";
    check("undefined.c", undefined, "undefined behaviour (access out of bounds at undefined.c:6)");
}

/// What no engine sees, and what is longer than the first search has time for.
#[test]
fn the_only_execution_is_carried_out() {
    let folder = folder("execution");
    let program = |last: &str| {
        format!(
            "void reach_error(void);\nint main(void) {{\n  unsigned s = 0;\n  \
             for (unsigned i = 0; i < 30000000u; i++)\n    s = s * 1664525u + 1013904223u;\n  \
             if (s == {last}u)\n    reach_error();\n  return 0;\n}}\n"
        )
    };
    let mut last: u32 = 0;
    for _ in 0..30_000_000 {
        last = last.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    }
    for (number, verdict) in [(last, "FALSE(unreach-call)"), (last ^ 1, "TRUE")] {
        std::fs::write(folder.join("long.c"), program(&number.to_string())).unwrap();
        let out = text(&summa(&folder, "verify --explain --work-limit 20 long.c").stdout);
        assert!(out.ends_with(&format!("Verdict: {verdict}\n")), "{out}");
        // An engine that finds a path to the error has it executed, too.
        let is_executed = out.lines().any(|line| line.starts_with("Tried:       execution ("));
        assert!(is_executed || verdict != "TRUE", "{out}");
    }
}

#[test]
fn a_full_trace_shows_every_step() {
    let folder = folder("trace");
    let program = BUG.replace("  if (x", "  int noise = 5;\n  noise++;\n  if (x");
    std::fs::write(folder.join("bug.c"), program).unwrap();
    let short = text(&summa(&folder, "verify bug.c").stdout);
    assert!(
        !short.contains("noise") && short.contains("Because:     `reach_error` is called because `x == 3`"),
        "{short}"
    );
    let full = text(&summa(&folder, "verify --full-trace bug.c").stdout);
    assert!(full.contains("noise = noise + 1;"), "{full}");
}

#[test]
fn settings_are_found_upwards() {
    let folder = folder("settings");
    std::fs::create_dir_all(folder.join("src/deep")).unwrap();
    std::fs::write(folder.join("src/deep/bug.c"), BUG).unwrap();
    std::fs::write(folder.join("summa.toml"), "data-model = \"ILP32\"\njson = \"events.jsonl\"\n").unwrap();
    let out = text(&summa(&folder, "verify src/deep/bug.c").stdout);
    assert!(out.contains("Settings:    summa.toml\n") && out.contains("Data model:  ILP32"), "{out}");
    assert!(folder.join("events.jsonl").exists());
    let out = text(&summa(&folder, "verify --64 src/deep/bug.c").stdout);
    assert!(out.contains("Data model:  LP64"), "the command line wins: {out}");
    let out = text(&summa(&folder, "verify --no-settings src/deep/bug.c").stdout);
    assert!(!out.contains("Settings:"), "{out}");
    std::fs::write(folder.join("src/summa.toml"), "propertie = \"assert\"\n").unwrap();
    let output = summa(&folder, "verify src/deep/bug.c");
    assert_eq!(output.status.code(), Some(2));
    let error = text(&output.stderr);
    assert!(error.contains("src/summa.toml:1: unknown key `propertie`"), "{error}");
    assert!(error.contains("did you mean `property`?"), "{error}");
}

#[test]
fn each_program_of_a_database_has_a_verdict() {
    let folder = folder("database");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("lib.h", "int limit(void);\n");
    write("lib.c", "#include \"lib.h\"\nint limit(void) { return LIMIT; }\n");
    let main = |condition: &str| {
        format!(
            "#include \"lib.h\"\nvoid reach_error(void);\n\
             int main(void) {{\n  if ({condition})\n    reach_error();\n  return 0;\n}}\n"
        )
    };
    write("good.c", &main("limit() != 7"));
    write("bad.c", &main("limit() == 7"));
    let entry = |file: &str, flags: &str| {
        format!(
            r#"{{"directory": "{}", "file": "{file}", "command": "cc {flags} -c {file}"}}"#,
            folder.display()
        )
    };
    let entries = [entry("lib.c", "-I. -DLIMIT=7"), entry("good.c", "-I ."), entry("bad.c", "-I.")];
    write("compile_commands.json", &format!("[{}]", entries.join(",\n")));
    let output = summa(&folder, "verify compile_commands.json");
    let out = text(&output.stdout);
    assert_eq!(output.status.code(), Some(10), "{out}");
    let row = |file: &str, verdict: &str| {
        out.lines().any(|line| line.starts_with(&format!("{file}: unreach-call")) && line.ends_with(verdict))
    };
    assert!(row("good.c", "TRUE") && row("bad.c", "FALSE(unreach-call)"), "{out}");
    let output = summa(&folder, "verify --compile-commands . --function limit");
    assert_eq!(last_line(&output.stdout), "Verdict: TRUE", "{}", text(&output.stderr));
    let output = summa(&folder, "verify --compile-commands . --all-functions");
    let out = text(&output.stdout);
    assert!(
        out.lines().any(|line| line.starts_with("lib.c, limit: unreach-call") && line.ends_with("TRUE")),
        "{out}"
    );
}

#[test]
fn files_named_beside_a_database_choose() {
    let folder = folder("choose");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let main = "void reach_error(void);\nint level(void);\n\
        int main(void) {\n  if (level() == 7)\n    reach_error();\n  return 0;\n}\n";
    write("main.c", main);
    write("low.c", "int level(void) { return 1; }\n");
    write("high.c", "int level(void) { return 7; }\n");
    write("own.c", "int level(void) { return 2; }\nint main(void) { return level(); }\n");
    write("broken.c", "int oops(void) { return }\n");
    let database = |files: &[&str]| {
        let entry = |file: &&str| {
            format!(
                r#"{{"directory": "{}", "file": "{file}", "command": "cc -Wall -O2 -c {file}"}}"#,
                folder.display()
            )
        };
        let entries: Vec<String> = files.iter().map(entry).collect();
        write("compile_commands.json", &format!("[{}]", entries.join(",\n")));
    };
    // What another program defines for itself is no choice; a file that cannot be read is none either.
    database(&["main.c", "low.c", "own.c", "broken.c"]);
    let output = summa(&folder, "verify compile_commands.json");
    let out = text(&output.stdout);
    assert!(out.contains("broken.c") && out.contains("left out"), "{out}");
    let row = |out: &str, file: &str, verdict: &str| {
        out.lines().any(|line| line.starts_with(&format!("{file}: unreach-call")) && line.contains(verdict))
    };
    assert!(row(&out, "main.c", "TRUE") && row(&out, "own.c", "TRUE"), "{out}");
    // Two definitions: the program of `own.c` is decided nevertheless, and a message says how to choose.
    database(&["main.c", "low.c", "high.c", "own.c"]);
    let output = summa(&folder, "verify compile_commands.json");
    let out = text(&output.stdout);
    assert!(row(&out, "main.c", "UNKNOWN") && row(&out, "own.c", "TRUE"), "{out}");
    assert!(out.contains("`level`") && out.contains("name the one"), "{out}");
    for (files, verdict) in
        [("main.c low.c", "Verdict: TRUE"), ("high.c main.c", "Verdict: FALSE(unreach-call)")]
    {
        let output = summa(&folder, &format!("verify --compile-commands . {files}"));
        assert_eq!(last_line(&output.stdout), verdict, "{}", text(&output.stderr));
        let output = summa(&folder, &format!("verify compile_commands.json {files}"));
        assert_eq!(last_line(&output.stdout), verdict, "{}", text(&output.stderr));
    }
    let output = summa(&folder, "verify compile_commands.json other.c");
    assert!(text(&output.stderr).contains("`other.c` is not in the compilation database"));
}

#[test]
fn files_with_the_same_header_link() {
    let folder = folder("header");
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write(
        "common.h",
        "#include <stdlib.h>\ntypedef struct { int a; union { int i; float f; } u; } T;\n\
         typedef struct node { struct node *next; T *of; } Node;\nstruct opaque;\nextern T shared;\n\
         int sum(const Node *n);\nstruct opaque *open_it(void);\nint look(struct opaque *o);\n\
         void reach_error(void);\n",
    );
    write(
        "a.c",
        "#include \"common.h\"\nT shared;\nint main(void) {\n  T t = {3, {.i = 4}};\n  Node last = {0, &t}, \
         first = {&last, &shared};\n  \
         shared.a = 5;\n  shared.u.i = WANT;\n  if (sum(&first) == 20 && look(open_it()) == 42)\n    \
         reach_error();\n  return 0;\n}\n",
    );
    write(
        "b.c",
        "#include \"common.h\"\nstruct opaque { int secret; };\nstatic struct opaque one = {42};\n\
         struct opaque *open_it(void) { return &one; }\nint look(struct opaque *o) { return o->secret; }\n\
         int sum(const Node *n) { int s = 0; for (; n; n = n->next) s += n->of->a + n->of->u.i; \
         return s; }\n",
    );
    for (want, verdict) in [(8, "Verdict: FALSE(unreach-call)"), (7, "Verdict: TRUE")] {
        let output = summa(&folder, &format!("verify -DWANT={want} a.c b.c"));
        assert_eq!(last_line(&output.stdout), verdict, "{}", text(&output.stderr));
    }
}
