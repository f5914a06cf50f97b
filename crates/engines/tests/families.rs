//! No engine contradicts the truth of programs about the rounding mode and about indeterminate bytes, in
//! either arithmetic.
//!
//! A sample of fixed seeds runs always; `SUMMA_FAMILIES=2000` takes so many, `SUMMA_FAMILIES_MS` is the time
//! for each engine and program.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs it off-line")]

mod verdicts;

use std::fmt::Write;
use std::time::Duration;
use summa_engines::Config;
use summa_engines::config::EncodingChoice;
use summa_facts::Analyses;
use summa_testkit::{KNOBS, Truth, automata, generate_copies, generate_rounding};
use verdicts::{Verdict, complaint, verdict};

const ENGINES: [&str; 4] = ["predicate", "k-induction", "value+interval", "symbolic-execution"];

fn contradictions(program: impl Fn(u64) -> (String, bool)) -> String {
    let count = KNOBS.families.or(6);
    let time = Duration::from_millis(KNOBS.families_ms.or(150));
    let mut problems = String::new();
    // TRUE, FALSE, anything else.
    let mut verdicts = [0; 3];
    for seed in 0..count {
        let (text, is_safe) = program(seed);
        let cfa = automata(&text);
        let facts = Analyses::new(&cfa);
        let truth = if is_safe { Truth::Safe } else { Truth::Error };
        for name in ENGINES {
            for encoding in [EncodingChoice::Int, EncodingChoice::Bitvector] {
                let Ok(mut config) = Config::preset(name) else { panic!("{name} is no configuration") };
                config.encoding = encoding;
                let said = verdict(&config, &cfa, &facts, time);
                verdicts[match said {
                    Verdict::True => 0,
                    Verdict::False => 1,
                    _ => 2,
                }] += 1;
                if let Some(what) = complaint(&said, truth) {
                    let _ = writeln!(problems, "seed {seed}: {name}, {encoding:?} {what}\n{text}");
                }
            }
        }
    }
    println!("TRUE, FALSE, other: {verdicts:?}");
    problems
}

#[test]
fn rounding_modes() {
    let problems = contradictions(|seed| {
        let program = generate_rounding(seed);
        (program.text, program.is_safe)
    });
    assert!(problems.is_empty(), "{problems}");
}

#[test]
fn indeterminate_bytes() {
    let problems = contradictions(generate_copies);
    assert!(problems.is_empty(), "{problems}");
}
