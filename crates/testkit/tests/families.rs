//! Random programs about the rounding mode and about indeterminate bytes: the interpreter against gcc and
//! against what the generator knows.
//!
//! A sample of fixed seeds runs always; `SUMMA_FAMILIES=2000` takes so many.

#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may stop where it stands, and says what it skips"
)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;
use summa_interp::{Policy, Program};
use summa_testkit::{KNOBS, automata, generate_copies, generate_rounding};

/// Programs for one run of the compiler.
const BATCH: u64 = 50;

/// What a program prints that gcc made of this text; None: there is no gcc.
fn output(name: &str, text: &str, options: &[&str]) -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (source, program) = (folder.join(format!("{name}.c")), folder.join(name));
    std::fs::write(&source, text).unwrap();
    let mut command = Command::new("gcc");
    command.args(["-w", "-O0", "-frounding-math", "-o"]).arg(&program).arg(&source).arg("-lm").args(options);
    let Ok(compiled) = command.output() else {
        eprintln!("skipped: there is no gcc");
        return None;
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = Command::new(&program).output().unwrap();
    assert!(run.status.success(), "{name} ended with {}", run.status);
    Some(String::from_utf8(run.stdout).unwrap())
}

#[test]
fn rounding_as_gcc_does_it() {
    let count = KNOBS.families.or(40);
    for first in (0..count).step_by(BATCH as usize) {
        let seeds = first..count.min(first + BATCH);
        let mut text = String::from("int printf(const char *, ...);\n");
        let mut calls = String::new();
        for seed in seeds.clone() {
            let body = generate_rounding(seed).body.replace("body(", &format!("body_{seed}("));
            text.push_str(&body);
            let _ = writeln!(
                calls,
                "  for (int k = -2; k <= 5; k++) {{ fesetround(0); int r = body_{seed}(k); fesetround(0); \
                 printf(\"{seed} %d\\n\", r); }}"
            );
        }
        let _ = write!(text, "int main(void) {{\n{calls}  return 0;\n}}\n");
        let Some(printed) = output(&format!("rounding-{first}"), &text, &[]) else { return };
        for seed in seeds {
            let program = generate_rounding(seed);
            let own = format!("{seed} ");
            let mut values: Vec<i32> =
                printed.lines().filter_map(|line| line.strip_prefix(&own)?.parse().ok()).collect();
            values.sort_unstable();
            values.dedup();
            assert_eq!(program.values, values, "seed {seed}: interpreter and gcc\n{}", program.text);
        }
    }
}

#[test]
fn rounding_modes_make_a_difference() {
    let programs: Vec<_> = (0..60).map(generate_rounding).collect();
    let has_two = programs.iter().filter(|program| program.values.len() > 1).count();
    let safe = programs.iter().filter(|program| program.is_safe).count();
    assert!(
        has_two > 20 && (15..=50).contains(&safe),
        "{has_two} of 60 have several values, {safe} are safe"
    );
}

#[test]
fn copies_are_what_the_generator_knows() {
    let count = KNOBS.families.or(40);
    let (mut safe_programs, mut wrong) = (0, String::new());
    for seed in 0..count {
        let (text, is_safe) = generate_copies(seed);
        let cfa = automata(&text);
        let program = Program::new(&cfa);
        let policy = Policy::reachability();
        let fails = |run: u64| {
            let mut inputs = summa_interp::Random::new(run);
            let outcome = summa_interp::run(&program, &mut inputs, &policy);
            // The same inputs lead to the same end.
            let mut again = summa_interp::List::replay(&outcome.inputs);
            assert_eq!(summa_interp::run(&program, &mut again, &policy).end, outcome.end, "{text}");
            outcome.is_error()
        };
        let has_error = (0..60).any(fails);
        if has_error == is_safe {
            let _ = writeln!(
                wrong,
                "seed {seed}: safe is {is_safe}, but an error was found is {has_error}\n{text}"
            );
        }
        safe_programs += u64::from(is_safe);
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(
        safe_programs * 4 > count && safe_programs * 10 < count * 9,
        "{safe_programs} of {count} are safe"
    );
}

#[test]
fn copies_are_the_same_bytes_for_gcc() {
    let count = KNOBS.families.or(40);
    for first in (0..count).step_by(BATCH as usize) {
        let mut text = String::from("int printf(const char *, ...);\nint exit(int);\n");
        let mut calls = String::new();
        for seed in first..count.min(first + BATCH) {
            let (program, is_safe) = generate_copies(seed);
            if !is_safe {
                continue;
            }
            let mut own = program.replace("int main(void)", &format!("int main_{seed}(void)"));
            for name in ["struct S", "same", "other", "reach_error"] {
                own = own.replace(name, &format!("{name}_{seed}"));
            }
            let declared = format!("extern void reach_error_{seed}(void);");
            let defined =
                format!("static void reach_error_{seed}(void) {{ printf(\"{seed} is wrong\\n\"); }}");
            text.push_str(&own.replace(&declared, &defined));
            let _ = writeln!(calls, "  main_{seed}();");
        }
        let _ = write!(text, "int main(void) {{\n{calls}  return 0;\n}}\n");
        let pattern = ["-ftrivial-auto-var-init=pattern"];
        let Some(printed) = output(&format!("copies-{first}"), &text, &pattern) else { return };
        assert!(printed.is_empty(), "{printed}{text}");
    }
}
