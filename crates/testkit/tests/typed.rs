//! Programs about types mean for Summa what they mean for gcc, in both data models: the interpreter and gcc's
//! code compute the same numbers, each with all inputs.
//!
//! A sample of fixed seeds runs always; `SUMMA_TYPED=2000` takes so many, `SUMMA_TYPED_FROM` says the first.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop where it stands, and says what it compared"
)]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use summa_c::types::DataModel;
use summa_testkit::generate::typed::{PRELUDE, measure_typed};
use summa_testkit::{KNOBS, programs::try_automata, truth::results};

/// Programs for gcc in one file.
const BATCH: usize = 50;

const DRIVER: &str = "\
#include <setjmp.h>
#include <stdio.h>
static int in_[2], at_, i_, j_;
static jmp_buf out_;
void reach_error(void) { longjmp(out_, 1); }
void __VERIFIER_assume(int holds) { if (!holds) longjmp(out_, 1); }
int __VERIFIER_nondet_int(void) { return in_[at_++]; }
static void check(int (*program)(void)) {
    for (i_ = -2; i_ <= 5; i_++) {
        for (j_ = -2; j_ <= 5; j_++) {
            in_[0] = i_, in_[1] = j_, at_ = 0, calls = 0;
            if (!setjmp(out_)) printf(\"%d \", program());
        }
    }
    puts(\"\");
}
";

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// What gcc's code prints; None if gcc cannot build for the model of `flag`.
fn gcc(folder: &Path, text: &str, flag: &str) -> Option<String> {
    let (source, binary) = (folder.join("programs.c"), folder.join("programs"));
    let build = |text: &str| {
        std::fs::write(&source, text).unwrap();
        Command::new("gcc").args(["-w", "-fwrapv", "-O0", flag, "-o"]).arg(&binary).arg(&source).output()
    };
    if !build("#include <stdio.h>\nint main(void) { return 0; }\n").is_ok_and(|built| built.status.success())
    {
        println!("skipped: gcc {flag} is not available");
        return None;
    }
    let built = build(text).unwrap();
    assert!(built.status.success(), "{}\n{text}", String::from_utf8_lossy(&built.stderr));
    Some(String::from_utf8_lossy(&Command::new(&binary).output().unwrap().stdout).into_owned())
}

fn compare(model: DataModel, flag: &str) {
    let (count, first) = (KNOBS.typed.or(60), KNOBS.typed_from.or(0));
    let folder = Folder(std::env::temp_dir().join(format!("summa-typed-{}{flag}", std::process::id())));
    std::fs::create_dir_all(&folder.0).unwrap();
    let mut known = 0;
    let seeds: Vec<u64> = (first..first + count).collect();
    for batch in seeds.chunks(BATCH) {
        let mut programs = Vec::new();
        for &seed in batch {
            let text = measure_typed(seed);
            let cfa =
                try_automata(model, &text).unwrap_or_else(|message| panic!("{seed}: {message}\n{text}"));
            // Undefined in spite of all: the smallest number has no absolute value.
            if let Ok(found) = results(&cfa) {
                programs.push((seed, text, found));
            }
        }
        known += programs.len();
        let (mut text, mut calls) = (format!("{PRELUDE}{DRIVER}"), String::new());
        for (seed, program, _) in &programs {
            text +=
                &program[PRELUDE.len()..].replace("int main(void)", &format!("static int main{seed}(void)"));
            let _ = writeln!(calls, "    check(main{seed});");
        }
        let _ = writeln!(text, "int main(void) {{\n{calls}    return 0;\n}}");
        let Some(printed) = gcc(&folder.0, &text, flag) else { return };
        assert_eq!(printed.lines().count(), programs.len());
        for ((seed, program, found), line) in programs.iter().zip(printed.lines()) {
            let mut numbers: Vec<i32> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(*found, numbers, "seed {seed}, {flag}: Summa first, then gcc\n{program}");
        }
    }
    println!("{flag}: {known} programs");
    assert!(known * 10 >= seeds.len() * 8, "{known} programs");
}

#[test]
fn types_are_those_of_gcc_in_64_bits() {
    compare(DataModel::Lp64, "-m64");
}

#[test]
fn types_are_those_of_gcc_in_32_bits() {
    compare(DataModel::Ilp32, "-m32");
}
