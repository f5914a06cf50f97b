//! Summaries on the command line: contracts, and what is stored for later runs.
//!
//! Most of these tests check what must not happen: whatever the folder of stored summaries contains, the
//! verdict is that of a run without it.

#![allow(clippy::print_stdout, reason = "what was loaded is for whoever runs it off-line")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod contracts;
#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use summa_testkit::KNOBS;
use support::text;

const HEAD: &str = "void reach_error(void);\nint __VERIFIER_nondet_int(void);\n";

/// A new folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = support::scratch("summaries").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// What a run said: the verdict, how many summaries it made and how many it loaded.
#[derive(Debug, PartialEq, Eq)]
struct Ran {
    verdict: String,
    made: u64,
    loaded: u64,
    notes: usize,
}

fn verify(folder: &Path, arguments: &str, program: &str) -> Ran {
    verify_as("state", folder, arguments, program).0
}

/// The same by a user whose key is in this folder; also: how many contracts that user's runs had confirmed
/// before.
fn verify_as(user: &str, folder: &Path, arguments: &str, program: &str) -> (Ran, u64) {
    support::file_in(folder, "program.c", program);
    let arguments = format!("verify --stats {arguments} program.c");
    let mut command = support::command(folder, &arguments);
    let output = command.env("XDG_STATE_HOME", folder.join(user)).output().unwrap();
    let said = text(&output.stdout);
    let verdict = said.lines().last().and_then(|line| line.strip_prefix("Verdict: "));
    let Some(verdict) = verdict else { panic!("no verdict: {said}{}", text(&output.stderr)) };
    let count = |name: &str| -> u64 {
        let lines = said.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
        lines.map(|number| number.parse::<u64>().unwrap()).sum()
    };
    let notes = said.lines().filter(|line| line.starts_with("Note:") && line.contains("summaries")).count();
    let ran = Ran {
        verdict: verdict.to_owned(),
        made: count("Summaries"),
        loaded: count("Summaries loaded"),
        notes,
    };
    (ran, count("Contracts known"))
}

/// Functions in chains of ten: each has a loop, an assertion and a call of the one before it. `changed`
/// writes another global.
fn program(functions: usize, changed: Option<usize>, bound: &str) -> String {
    let mut text = format!("{HEAD}int last;\n");
    for i in 0..functions {
        let change = if changed == Some(i) { "last = 1;" } else { "" };
        let call = if i % 10 == 0 { String::new() } else { format!("s = s + f{}(n);", i - 1) };
        let _ = writeln!(
            text,
            "int f{i}(int n) {{ int i, s = 0; {change}
  for (i = 0; i < 12; i++) {{ s = (s * 3 + i + {i}) % 1000; if (s < {bound}) reach_error(); }}
  {call} return s % 1000; }}"
        );
    }
    text.push_str("int main(void) {\n");
    for i in 0..functions {
        let _ = writeln!(text, "  if (f{i}({}) < 0) reach_error();", i % 3);
    }
    text.push_str("  return 0;\n}\n");
    text
}

#[test]
fn one_changed_function_of_a_hundred() {
    for config in ["value-bam-rec", "interval-bam-rec"] {
        let folder = folder(&format!("hundred-{config}"));
        let first =
            verify(&folder, &format!("--config {config} --save-summaries kept"), &program(100, None, "0"));
        assert_eq!((&*first.verdict, first.loaded), ("TRUE", 0));
        let load = format!("--config {config} --load-summaries kept");
        let same = verify(&folder, &load, &program(100, None, "0"));
        let expected = Ran { verdict: "TRUE".to_owned(), made: 0, loaded: first.made, notes: 0 };
        assert_eq!(same, expected, "{config}: nothing changed");
        // f47 is called by f48 and that by f49; `main` calls all.
        let changed = verify(&folder, &load, &program(100, Some(47), "0"));
        assert_eq!(changed.verdict, "TRUE");
        assert_eq!(changed.made + changed.loaded, first.made, "{config}");
        assert!(changed.made > 3 && changed.made < 12, "{config}: {changed:?}");
    }
}

#[test]
fn predicates_are_kept_too() {
    let folder = folder("predicates");
    let config = "--config value+predicate-bam-rec";
    let first = verify(&folder, &format!("{config} --save-summaries kept"), &program(20, None, "0"));
    assert_eq!(first.verdict, "TRUE");
    let load = format!("{config} --load-summaries kept");
    let same = verify(&folder, &load, &program(20, None, "0"));
    assert_eq!((&*same.verdict, same.made, same.notes), ("TRUE", 0, 0));
    assert!(same.loaded > 20, "{same:?}");
    let changed = verify(&folder, &load, &program(20, Some(7), "0"));
    assert_eq!(changed.verdict, "TRUE");
    assert!(changed.loaded > 0 && changed.made < first.made, "{changed:?}");
}

/// Pairs of programs that differ in one thing, which makes the second one unsafe.
const PAIRS: &[(&str, &str, &str)] = &[
    (
        "a constant of a callee",
        "int g(int x) { return x + 1; } int f(int x) { return g(x); }
         int main(void) { if (f(1) != 2) reach_error(); return 0; }",
        "int g(int x) { return x + 2; } int f(int x) { return g(x); }
         int main(void) { if (f(1) != 2) reach_error(); return 0; }",
    ),
    (
        "the type of a global",
        "unsigned char g; int f(void) { g = g + 250; return g; }
         int main(void) { g = 10; if (f() > 255) reach_error(); return 0; }",
        "unsigned short g; int f(void) { g = g + 250; return g; }
         int main(void) { g = 10; if (f() > 255) reach_error(); return 0; }",
    ),
    (
        "an initial value",
        "int g = 1; int f(void) { return g; } int main(void) { if (f() != 1) reach_error(); return 0; }",
        "int g = 2; int f(void) { return g; } int main(void) { if (f() != 1) reach_error(); return 0; }",
    ),
    (
        "where a pointer points",
        "int a, b; int *p; int f(void) { a = 1; *p = 2; return a; }
         int main(void) { p = &b; if (f() != 1) reach_error(); return 0; }",
        "int a, b; int *p; int f(void) { a = 1; *p = 2; return a; }
         int main(void) { p = &a; if (f() != 1) reach_error(); return 0; }",
    ),
    (
        "what the caller wants",
        "int f(int x) { if (x > 5) x = 5; return x; }
         int main(void) { if (f(__VERIFIER_nondet_int()) > 5) reach_error(); return 0; }",
        "int f(int x) { if (x > 5) x = 5; return x; }
         int main(void) { if (f(__VERIFIER_nondet_int()) > 4) reach_error(); return 0; }",
    ),
    (
        "an error in a callee",
        "void g(int x) { if (x > 7) return; } int f(int x) { g(x); return 0; }
         int main(void) { return f(__VERIFIER_nondet_int()); }",
        "void g(int x) { if (x > 7) reach_error(); } int f(int x) { g(x); return 0; }
         int main(void) { return f(__VERIFIER_nondet_int()); }",
    ),
    (
        "the end of a recursion",
        "int f(int n) { if (n <= 0) return 0; return f(n - 1) + 1; }
         int main(void) { if (f(4) != 4) reach_error(); return 0; }",
        "int f(int n) { if (n <= 0) return 1; return f(n - 1) + 1; }
         int main(void) { if (f(4) != 4) reach_error(); return 0; }",
    ),
    (
        "another variable of the same name",
        "int f(int n) { int r = n; { int x = 1; { int x = 2; r = r + x; } r = r - x; } return r; }
         int main(void) { if (f(1) != 2) reach_error(); return 0; }",
        "int f(int n) { int r = n; { int x = 1; { int x = 2; } r = r + x; r = r - x; } return r; }
         int main(void) { if (f(1) != 2) reach_error(); return 0; }",
    ),
];

#[test]
fn what_changed_is_analysed_again() {
    let folder = folder("pairs");
    for config in ["value-bam-rec", "interval-bam-rec", "predicate-bam-rec", "value+predicate-bam-rec"] {
        for (what, safe, unsafe_) in PAIRS {
            let _ = std::fs::remove_dir_all(folder.join("kept"));
            let (safe, unsafe_) = (format!("{HEAD}{safe}"), format!("{HEAD}{unsafe_}"));
            let plain = format!("--config {config} --work-limit 20");
            let options = format!("{plain} --load-summaries kept --save-summaries kept");
            // Both ways, and again with what both left behind.
            for program in [&safe, &unsafe_, &safe, &unsafe_] {
                let (with, without) = (verify(&folder, &options, program), verify(&folder, &plain, program));
                assert_eq!(with.verdict, without.verdict, "{config}: {what}");
                let wrong = if *program == safe { "FALSE" } else { "TRUE" };
                assert!(!with.verdict.starts_with(wrong), "{config}: {what}: {}", with.verdict);
            }
        }
    }
}

#[test]
fn a_function_that_changed_begins_with_the_precision_it_had() {
    let folder = folder("precision");
    let source = |limit: u32| {
        format!(
            "{HEAD}int clamp(int x) {{ if (x > {limit}) x = {limit}; if (x < 0) x = 0; return x; }}\n\
             int main(void) {{ int y = clamp(__VERIFIER_nondet_int()); \
             if (y < 0 || y > 100) reach_error(); }}\n"
        )
    };
    let refinements = |options: &str, limit: u32| -> u64 {
        support::file_in(&folder, "program.c", &source(limit));
        let arguments = format!("verify --stats --config value+predicate-bam-rec {options} program.c");
        let output = support::command(&folder, &arguments).output().unwrap();
        let said = text(&output.stdout);
        assert!(said.ends_with("Verdict: TRUE\n"), "{said}");
        let line = said.lines().find_map(|line| line.strip_prefix("Refinements: "));
        line.unwrap().parse().unwrap()
    };
    assert!(refinements("--save-summaries kept", 100) > 0);
    assert_eq!(refinements("--load-summaries kept", 99), 0, "what clamp returns is asked right away");
    assert!(refinements("", 99) > 0);
    // Of a damaged file nothing is taken over.
    for file in kept(&folder, "summary") {
        std::fs::write(&file, "nonsense\n{}\n").unwrap();
    }
    assert!(refinements("--load-summaries kept", 99) > 0);
}

/// The files that were stored.
fn kept(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder.join("kept")).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|file| file.extension().is_some_and(|found| found == extension)).collect();
    files.sort();
    files
}

#[test]
fn what_was_confirmed_is_recognised_by_the_same_user() {
    let folder = folder("confirmed");
    let (config, source) = ("--config value-bam-rec", program(10, None, "0"));
    let known = |user: &str, options: &str| {
        let (ran, known) = verify_as(user, &folder, &format!("{config} {options}"), &source);
        assert_eq!(ran.verdict, "TRUE", "{user}: {options}");
        known
    };
    assert_eq!(known("me", "--save-summaries kept"), 0);
    assert!(known("me", "--load-summaries kept") > 0);
    assert_eq!(known("another", "--load-summaries kept"), 0, "no key");
    assert_eq!(known("another", "--save-summaries others"), 0);
    assert_eq!(known("another", "--load-summaries kept"), 0, "another key");
    assert!(known("me", "--load-summaries kept") > 0);
    // A proof for others says why everything holds.
    assert_eq!(known("me", "--load-summaries kept --proof whole.json"), 0);
    let check = support::command(&folder, "check-proof --proof whole.json program.c").output().unwrap();
    assert_eq!(check.status.code(), Some(0), "{}{}", text(&check.stdout), text(&check.stderr));
    // A key that others can read is no secret.
    let key = folder.join("me/summa/key");
    let open = |mode| std::fs::set_permissions(&key, PermissionsExt::from_mode(mode)).unwrap();
    open(0o644);
    assert_eq!(known("me", "--load-summaries kept"), 0, "an open key");
    open(0o600);
    assert!(known("me", "--load-summaries kept") > 0);
    for file in kept(&folder, "confirmed") {
        let seals = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, seals.replace(['0', '1', '2'], "3")).unwrap();
    }
    assert_eq!(known("me", "--load-summaries kept"), 0, "other seals");
}

#[test]
fn forged_summaries_prove_nothing() {
    let folder = folder("forged");
    let program = format!(
        "{HEAD}int f(int n) {{ return n > 5 ? 7 : 7; }}
int main(void) {{ if (f(__VERIFIER_nondet_int()) == 7) reach_error(); return 0; }}"
    );
    // The check is after the summary: it is the same text with another number.
    let harmless = program.replace("== 7)", "== 8)");
    let config = "--config value-bam-rec";
    let first = verify(&folder, &format!("{config} --save-summaries kept"), &harmless);
    assert_eq!(first.verdict, "TRUE");
    let mut forged = 0;
    for file in kept(&folder, "summary") {
        let content = std::fs::read_to_string(&file).unwrap();
        let (_, body) = content.split_once('\n').unwrap();
        let other = body.replace(r#"["int","7"]"#, r#"["int","6"]"#);
        forged += usize::from(other != body);
        let sum = blake3::hash(other.trim_end().as_bytes()).to_hex();
        std::fs::write(&file, format!("{sum}\n{other}")).unwrap();
    }
    assert!(forged > 0);
    let ran = verify(&folder, &format!("{config} --load-summaries kept"), &program);
    assert_eq!(ran.verdict, "FALSE(unreach-call)", "what was loaded does not hide the error");
    let ran = verify(&folder, &format!("{config} --load-summaries kept"), &harmless);
    assert_eq!((&*ran.verdict, ran.loaded > 0), ("TRUE", true), "by what was found out here");
}

#[test]
fn damaged_and_foreign_files_are_not_used() {
    let folder = folder("damaged");
    let config = "--config value-bam-rec";
    let (good, load) = (program(10, None, "0"), format!("{config} --load-summaries kept"));
    type Damage = dyn Fn(&[u8], &[u8]) -> Vec<u8>;
    let damage: [(&str, &Damage); 5] = [
        ("flipped", &|own, _| {
            own.iter().enumerate().map(|(i, b)| if i == own.len() / 2 { b ^ 1 } else { *b }).collect()
        }),
        ("cut off", &|own, _| own[..own.len() / 2].to_vec()),
        ("empty", &|_, _| Vec::new()),
        ("of another function", &|_, other| other.to_vec()),
        ("noise", &|_, _| vec![0xff; 1000]),
    ];
    for (what, damaged) in damage {
        let _ = std::fs::remove_dir_all(folder.join("kept"));
        verify(&folder, &format!("{config} --save-summaries kept"), &good);
        let files = kept(&folder, "summary");
        assert_eq!(files.len(), 11, "ten functions and main");
        let contents: Vec<Vec<u8>> = files.iter().map(|file| std::fs::read(file).unwrap()).collect();
        for (i, file) in files.iter().enumerate() {
            let other = &contents[(i + 1) % contents.len()];
            std::fs::write(file, damaged(&contents[i], other)).unwrap();
        }
        let ran = verify(&folder, &load, &good);
        assert_eq!((&*ran.verdict, ran.loaded, ran.notes), ("TRUE", 0, 11), "{what}");
    }
    // Right files for another question: they are not even looked at.
    let _ = std::fs::remove_dir_all(folder.join("kept"));
    verify(&folder, &format!("{config} --save-summaries kept"), &good);
    for other in ["--config interval-bam-rec", "--config value-bam", "--config value-bam-rec --32"] {
        let ran = verify(&folder, &format!("{other} --load-summaries kept"), &good);
        assert_eq!((&*ran.verdict, ran.loaded, ran.notes), ("TRUE", 0, 0), "{other}");
    }
    let ran = verify(&folder, &load, &program(10, None, "1"));
    assert_eq!((&*ran.verdict, ran.loaded), ("FALSE(unreach-call)", 0), "other assertions");
}

#[test]
fn random_programs_have_the_same_verdicts() {
    let folder = folder("random");
    let mut loaded = 0;
    for seed in 0..12 {
        let program = summa_testkit::generate_recursive(seed);
        for config in ["value-bam-rec", "interval-bam-rec", "value+predicate-bam-rec"] {
            let plain = format!("--config {config} --work-limit 3");
            let first = verify(&folder, &format!("{plain} --save-summaries kept"), &program);
            let again = verify(&folder, &format!("{plain} --load-summaries kept"), &program);
            loaded += again.loaded;
            let is_decided = |ran: &Ran| !ran.verdict.starts_with("UNKNOWN");
            if is_decided(&first) && is_decided(&again) {
                assert_eq!(first.verdict, again.verdict, "{config}, seed {seed}");
            }
        }
    }
    assert!(loaded > 20, "{loaded}");
}

#[test]
fn only_engines_with_summaries() {
    let folder = folder("usage");
    support::file_in(&folder, "program.c", "int main(void) { return 0; }");
    for arguments in [
        "summaries --config bmc program.c",
        "verify --config bmc --save-summaries kept program.c",
        "verify --config bmc --load-summaries kept program.c",
    ] {
        let output = support::command(&folder, arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments}");
        assert!(text(&output.stderr).contains("summarises nothing"), "{}", text(&output.stderr));
    }
}

/// An edited folder, for a program that changed and has an error now: never TRUE, even with our own seals in
/// the folder. `SUMMA_FORGED_SUMMARIES=100` sets the number of programs.
#[test]
fn edited_folders_prove_no_program_with_an_error() {
    let folder = folder("edited");
    let (mut asked, mut loaded) = (0, 0);
    for seed in 0..KNOBS.forged_summaries.or(3) {
        let text = summa_testkit::generate_recursive(seed);
        let mut random = summa_testkit::Random::new(seed);
        let is_wrong = |text: &String| {
            let cfa = summa_testkit::programs::try_automata(summa_c::types::DataModel::Lp64, text);
            cfa.is_ok_and(|cfa| summa_testkit::truth(&cfa) == summa_testkit::Truth::Error)
        };
        let mut edits = (0..20).filter_map(|_| summa_testkit::edited_program(&text, &mut random));
        let Some(wrong) = edits.find(is_wrong) else { continue };
        for config in ["value-bam-rec", "interval-bam-rec", "value+predicate-bam-rec"] {
            let _ = std::fs::remove_dir_all(folder.join("kept"));
            let plain = format!("--config {config} --work-limit 3");
            // Of both programs, so that nothing is missing in the folder.
            for program in [&text, &wrong] {
                verify(&folder, &format!("{plain} --save-summaries kept"), program);
            }
            if !folder.join("kept").exists() {
                continue;
            }
            for file in kept(&folder, "summary") {
                let content = std::fs::read_to_string(&file).unwrap();
                let (_, body) = content.split_once('\n').unwrap();
                let body: serde_json::Value = serde_json::from_str(body).unwrap();
                let edited = summa_testkit::edited_summaries(&body, &mut random).to_string();
                let sum = blake3::hash(edited.as_bytes()).to_hex();
                std::fs::write(&file, format!("{sum}\n{edited}\n")).unwrap();
            }
            let ran = verify(&folder, &format!("{plain} --load-summaries kept"), &wrong);
            assert_ne!(ran.verdict, "TRUE", "{config}, seed {seed}:\n{wrong}");
            (asked, loaded) = (asked + 1, loaded + ran.loaded);
        }
    }
    println!("{asked} runs, {loaded} summaries loaded");
    assert!(asked > 0 && loaded > 0, "{asked} runs, {loaded} summaries loaded");
}
