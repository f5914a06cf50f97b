//! A second solver is asked about everything that a proof rests on, and can reject it. The tests use a
//! scripted solver that says what the test wants, and, where Python has one, a real solver.

#![allow(clippy::print_stderr, reason = "tests say what they skipped")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use summa_testkit::KNOBS;
use support::text;

/// Its proof needs a solver.
const SAFE: &str = "extern int __VERIFIER_nondet_int(void); void reach_error(void);
int main(void) { int n = __VERIFIER_nondet_int(), i = 0; if (n < 0 || n > 1000) return 0;
  while (__VERIFIER_nondet_int()) { if (i < n) i = i + 1; } if (i > 1000) reach_error(); return 0; }\n";

const WRONG: &str = "extern int __VERIFIER_nondet_int(void); void reach_error(void);
int main(void) { if (__VERIFIER_nondet_int() == 77) reach_error(); return 0; }\n";

fn folder(name: &str) -> PathBuf {
    let folder = support::scratch("second-solver").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    support::file_in(&folder, "safe.c", SAFE);
    support::file_in(&folder, "wrong.c", WRONG);
    folder
}

/// The last line, and the code.
fn ran(folder: &Path, arguments: &[&str]) -> (String, Option<i32>, String) {
    let output = support::command(folder, "").args(arguments).output().unwrap();
    let said = text(&output.stdout);
    let last = said.lines().last().unwrap_or_default().to_owned();
    (last, output.status.code(), format!("{said}{}", text(&output.stderr)))
}

/// A script that does this with the question.
fn scripted(folder: &Path, what: &str) -> String {
    support::file_in(folder, "solver.sh", what);
    "sh solver.sh".to_owned()
}

const ENGINE: &[&str] = &["--config", "predicate"];

#[test]
fn a_proof_needs_both() {
    let folder = folder("scripted");
    let (verdict, ..) = ran(&folder, &[&["verify", "--proof", "safe.json"], ENGINE, &["safe.c"]].concat());
    assert_eq!(verdict, "Verdict: TRUE");
    let answers = [
        ("cat > /dev/null; echo unsat", "TRUE", 0),
        (
            "cat > /dev/null; echo sat",
            "the second solver disagrees: it has a model of what should have none",
            5,
        ),
        ("cat > /dev/null; echo unknown", "the second solver: it does not know", 5),
        ("kill -s KILL $$", "the second solver: time limit", 5),
        ("exit 3", "the second solver fails: it ended with code 3 and without an answer", 5),
        ("echo '(error \"no\")'", "the second solver fails: it answered `(error \"no\")`", 5),
        ("exec /nowhere/solver", "the second solver fails: there is no such command", 5),
        // The question arrives as a whole.
        ("grep -c '(check-sat)' | grep -qx 1 && echo unsat", "TRUE", 0),
    ];
    for (script, expected, code) in answers {
        let solver = scripted(&folder, script);
        let verify = [&["verify", "--second-solver", &solver], ENGINE, &["safe.c"]].concat();
        let check = vec!["check-proof", "--second-solver", &solver, "--proof", "safe.json", "safe.c"];
        for arguments in [verify, check] {
            let (verdict, found, said) = ran(&folder, &arguments);
            assert!(verdict.contains(expected), "{script}: {arguments:?}: {said}");
            assert_eq!(found, Some(code), "{script}: {said}");
        }
    }
}

#[test]
fn an_execution_needs_no_solver() {
    let folder = folder("execution");
    let solver = scripted(&folder, "exit 1");
    let (verdict, ..) = ran(&folder, &["verify", "--second-solver", &solver, "wrong.c"]);
    assert_eq!(verdict, "Verdict: FALSE(unreach-call)");
}

#[test]
fn it_comes_from_the_command_line_only() {
    let folder = folder("settings");
    support::file_in(&folder, "summa.toml", "second-solver = \"touch opened\"\n");
    let (_, code, said) = ran(&folder, &["verify", "safe.c"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(!folder.join("opened").exists());
    let (_, code, said) = ran(&folder, &["verify", "--no-settings", "--second-solver", " ", "safe.c"]);
    assert_eq!(code, Some(2), "{said}");
}

/// A solver of another house, if its package is installed: `pip install cvc5`.
const CVC5: &str = "
import sys, cvc5
solver = cvc5.Solver()
parser = cvc5.InputParser(solver)
parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, sys.stdin.read(), 'question')
while not (command := parser.nextCommand()).isNull():
    print(command.invoke(solver, parser.getSymbolManager()), end='')
";

#[test]
fn another_solver_agrees() {
    let python = KNOBS.python.text().unwrap_or_else(|| "python3".to_owned());
    let probe = Command::new(&python).args(["-c", "import cvc5"]).stderr(Stdio::null()).status();
    if !probe.is_ok_and(|status| status.success()) {
        eprintln!("skipped: `{python}` has no package cvc5");
        return;
    }
    let folder = folder("cvc5");
    support::file_in(&folder, "cvc5_on_stdin.py", CVC5);
    let solver = format!("{python} cvc5_on_stdin.py");
    for encoding in ["int", "bitvector"] {
        let arguments =
            [&["verify", "--second-solver", &solver, "--encoding", encoding], ENGINE, &["safe.c"]];
        let (verdict, code, said) = ran(&folder, &arguments.concat());
        assert_eq!((verdict.as_str(), code), ("Verdict: TRUE", Some(0)), "{encoding}: {said}");
        assert!(said.contains("the second solver agrees on"), "{said}");
    }
}
