//! What an engine proves is never refused as wrong: random programs about the parts of memory for which
//! states and formulas have different words, put together so that executions meet in between.
//!
//! `SUMMA_REFUSED=1000` takes so many programs, `SUMMA_REFUSED_SEED` the first, `SUMMA_REFUSED_MS` the time
//! for each engine and program.

#![allow(clippy::print_stdout, reason = "the table is for whoever runs it off-line")]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{EdgeId, Op};
use summa_engines::config::PRESETS;
use summa_engines::{Choice, Claim, Config, Outcome, Task, run};
use summa_facts::Analyses;
use summa_proof::check;
use summa_testkit::{KNOBS, Random, automata, replays};

/// Declarations, and what of them can be read; what can be written, with values that fit.
const PARTS: &[(&str, &[&str], &[&str])] = &[
    (
        "struct { unsigned f:9; int g:3; unsigned char h; } B;",
        &["B.f", "B.g", "B.h"],
        &["B.f = 5", "B.g = -2", "B.h = 200"],
    ),
    (
        "struct { int a; unsigned b:1, c:7, d:20; } D = {3, 1, 5, 77};",
        &["D.a", "D.b", "D.c", "D.d"],
        &["D.d = 9", "D.c++"],
    ),
    (
        "struct { unsigned long long w:40; unsigned char z; } W = {1ULL << 39, 4};",
        &["(W.w >> 39)", "W.z"],
        &["W.w = 3", "W.z = 7"],
    ),
    ("const char *s = \"hey\";", &["s[0]", "s[2]", "s[3]", "*s"], &["s = \"you\""]),
    ("static const char *const t = \"abc\";", &["t[1]", "t[3]"], &[]),
    ("const char *names[2] = {\"one\", \"two\"};", &["names[0][0]", "names[1][2]"], &["names[0] = names[1]"]),
    ("char own[4] = \"xyz\"; char *o = own;", &["own[1]", "o[2]"], &["o[1] = 'q'", "own[0] = 3"]),
    (
        "union { int i; unsigned char c[4]; struct { unsigned low:4, high:4; } n; } U = {513};",
        &["U.i", "U.c[1]", "U.n.high"],
        &["U.c[0] = 7", "U.n.low = 3", "U.i = -1"],
    ),
    ("union { float f; unsigned u; } V = {0.5f};", &["V.f", "(V.u >> 24)"], &["V.f = 2", "V.u = 0"]),
    ("long double L; double d = 1.5; float e;", &["L", "d", "e"], &["L = 2", "d = 0.25", "e = 1"]),
    (
        "struct P { char n[4]; int v; } P[2] = {{\"ab\", 1}, {\"cd\", 2}};",
        &["P[1].n[1]", "P[0].v", "P[1].n[3]"],
        &["P[1].v = 6", "P[0].n[0]++"],
    ),
    ("const int table[3] = {1, 2, 3}; const int *q = table;", &["table[1]", "q[2]"], &["q = table + 1"]),
    ("int (*f)(int) = inc; int x9;", &["f(2)", "x9"], &["f = dec", "x9 = f(x9)"]),
    (
        "_Bool flag; struct { _Bool yes:1; signed char tiny:2; } F = {1, 1};",
        &["flag", "F.yes", "F.tiny"],
        &["flag = 4", "F.yes = 0", "F.tiny = -1"],
    ),
];

fn program(random: &mut Random) -> String {
    let mut parts = vec![random.below(PARTS.len()), random.below(PARTS.len())];
    parts.sort_unstable();
    parts.dedup();
    let mut text = String::from(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n\
         int inc(int x) { return x + 1; } int dec(int x) { return x - 1; }\n",
    );
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    for &part in &parts {
        let (declared, read, written) = PARTS[part];
        text.push_str(&format!("{declared}\n"));
        reads.extend_from_slice(read);
        writes.extend_from_slice(written);
    }
    writes.push("r++");
    let read = |random: &mut Random| *random.pick(&reads);
    let write = |random: &mut Random| *random.pick(&writes);
    text.push_str("int r;\nint look(int n) { ");
    if random.chance(50) {
        text.push_str(&format!("if (n) {}; ", write(random)));
    }
    text.push_str(&format!(
        "return {} != 0; }}\nint main(void) {{ int n = __VERIFIER_nondet_int();\n",
        read(random)
    ));
    for _ in 0..random.below(4) {
        let made = match random.below(5) {
            0 => format!("if (n) {}; else {};", write(random), write(random)),
            1 => "if (n > 3) r = 1;".to_owned(),
            2 => format!("for (int i = 0; i < 3; i++) {{ if (n == i) {}; }}", write(random)),
            3 => format!("while (__VERIFIER_nondet_int()) {{ if ({} == 0) r = 2; }}", read(random)),
            _ => "r = look(n);".to_owned(),
        };
        text.push_str(&format!("  {made}\n"));
    }
    // Whether it fails is not asked here; most often it holds for one of the numbers.
    let limit = *random.pick(&["!= 0", "> 300", "< -3", "== 97", "== 121", "!= 1"]);
    text.push_str(&format!("  if ({} {limit}) reach_error();\n  return 0;\n}}\n", read(random)));
    text
}

#[test]
fn nothing_that_is_proved_is_refused_as_wrong() {
    let count = KNOBS.refused.or(25);
    let first = KNOBS.refused_seed.or(1);
    let time = Duration::from_millis(KNOBS.refused_ms.or(150));
    let mut proved: BTreeMap<&str, usize> = BTreeMap::new();
    let mut refused = Vec::new();
    for seed in first..first + count {
        let text = program(&mut Random::new(seed));
        let cfa = automata(&text);
        let facts = Analyses::new(&cfa);
        let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
        for preset in PRESETS {
            let config = Config::preset(preset.name).unwrap();
            let task = Task::new(&cfa, &facts, Budget::with_time(time), &is_error);
            let mut replay =
                |choices: &[Choice]| replays(&cfa, choices.iter().map(|c| (&c.input, c.value.as_ref())));
            let report = run(&config, &task, &mut replay);
            let Outcome::Claimed(Claim { proof: Ok(proof), .. }) = report.outcome else { continue };
            match check(&cfa, &facts, &is_error, &proof, &Budget::with_time(4 * time)) {
                Ok(_) => *proved.entry(preset.name).or_default() += 1,
                Err(refusal) if refusal.is_wrong() => refused.push((seed, preset.name, refusal.to_string())),
                Err(_) => {}
            }
        }
    }
    println!("{proved:?}");
    for (seed, preset, why) in &refused {
        println!("seed {seed}, {preset}: {why}\n{}", program(&mut Random::new(*seed)));
    }
    assert!(refused.is_empty(), "{} proofs were refused", refused.len());
    assert!(proved.get("value").is_some_and(|&count| count > 0), "{proved:?}");
}
