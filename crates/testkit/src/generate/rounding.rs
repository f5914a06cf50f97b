//! Programs about the rounding mode: the same computations in several modes, whose results are compared.
//!
//! A program is a function `body` of one small input and a `main` that asserts something about its result, so
//! that gcc can run the function with every input too. Values differ in their last digits only, so a result
//! distinguishes modes.

use crate::programs::try_automata;
use crate::random::Random;
use crate::truth::results;
use std::fmt::Write;
use summa_c::types::DataModel;

const PRELUDE: &str = "\
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
int fesetround(int);
int fegetround(void);
double rint(double), nearbyint(double), sqrt(double), floor(double), fma(double, double, double);
float sqrtf(float), rintf(float);
long lrint(double);
long long llrint(double);
";

/// The modes of `<fenv.h>` on x86.
const MODES: [&str; 4] = ["0", "0x400", "0x800", "0xc00"];
const DOUBLES: [&str; 10] =
    ["1.0", "3.0", "0.1", "2.5", "-2.5", "7.0", "1e17", "0x1p-60", "-0.7", "16777217.0"];

/// A program about the rounding mode.
#[derive(Clone, Debug)]
pub struct RoundingProgram {
    /// What `body` computes from -2 to 5, without a `main`.
    pub body: String,
    /// The program with its assertion.
    pub text: String,
    /// What `body` gives, as the interpreter computes it; sorted.
    pub values: Vec<i32>,
    pub is_safe: bool,
}

/// A program from its seed.
///
/// # Panics
/// The generator wrote no program.
pub fn generate_rounding(seed: u64) -> RoundingProgram {
    let mut random = Random::new(seed);
    let body = body(&mut random);
    let main = |end: &str| {
        format!(
            "{body}int main(void)\n{{\n    int k = __VERIFIER_nondet_int();\n    \
             __VERIFIER_assume(k >= -2 && k <= 5);\n    int r = body(k);\n    {end}\n}}\n"
        )
    };
    let watching = main("return r;");
    let cfa = try_automata(DataModel::Lp64, &watching)
        .unwrap_or_else(|message| panic!("the generator wrote no program: {message}\n{watching}"));
    let values = results(&cfa).unwrap_or_else(|why| panic!("{why}\n{watching}"));
    let is_safe = random.chance(60);
    let mut allowed = values.clone();
    if !is_safe {
        allowed.remove(random.below(values.len()));
    }
    let mut tests: Vec<String> = allowed.iter().map(|value| format!("r == {value}")).collect();
    if tests.is_empty() {
        tests.push("0".to_owned());
    }
    let text = main(&format!("if (!({})) reach_error();\n    return 0;", tests.join(" || ")));
    RoundingProgram { body, text, values, is_safe }
}

fn body(random: &mut Random) -> String {
    let mut text = String::from(PRELUDE);
    text.push_str("static int body(int k)\n{\n");
    text.push_str("    int r = 0, i = 16777219 + k;\n    long l = 9007199254740993L + k;\n");
    for name in ["a", "b", "c", "x", "y"] {
        let _ = writeln!(text, "    double {name} = {};", random.pick(&DOUBLES));
    }
    text.push_str("    float f = 0.3f, g = 1.5f;\n");
    for _ in 0..random.between(6, 16) {
        let line = match random.below(16) {
            0..=2 => format!("fesetround({});", random.pick(&MODES)),
            3 => format!(
                "fesetround(k > {} ? {} : {});",
                random.between(-1, 4),
                random.pick(&MODES),
                random.pick(&MODES)
            ),
            4 => "if (fesetround(17) == 0) r += 1000;".to_string(),
            5 => format!("if (fegetround() == {}) r += 64;", random.pick(&MODES)),
            6 => "if (x > -1e9 && x < 1e9) r += (int)(lrint(x) % 8) * 3;".to_string(),
            7 => "if (y > -1e9 && y < 1e9) r += (int)(llrint(y / 8.0) % 4) * 9;".to_string(),
            8 => format!("f = {};", number(random)),
            9 => format!("f = {}; g = f {} g;", random.pick(&["i", "l", "k"]), operator(random)),
            10 => format!("{} = l;", target(random)),
            11 => format!("{} = sqrt({});", target(random), positive(random)),
            12 => format!(
                "{} = fma({}, {}, {});",
                target(random),
                number(random),
                number(random),
                number(random)
            ),
            13 => format!(
                "{} = {}({});",
                target(random),
                random.pick::<&str>(&["rint", "nearbyint", "floor"]),
                number(random)
            ),
            _ => format!("{} = {} {} {};", target(random), number(random), operator(random), number(random)),
        };
        let _ = writeln!(text, "    {line}");
        let comparison = match random.below(7) {
            0 => "if (x < y) r += 1;",
            1 => "if (x == y) r += 2;",
            2 => "if ((double)f < x) r += 4;",
            3 => "if (f == (float)y) r += 8;",
            4 => "if (a > b) r += 16;",
            5 => "if (x > -1e9 && x < 1e9) r += (int)lrint(x);",
            _ => "if (g >= f) r += 32;",
        };
        let _ = writeln!(text, "    {comparison}");
    }
    text.push_str("    fesetround(0);\n    return r;\n}\n");
    text
}

fn target(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["x", "y", "a", "b"])
}

fn number(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["a", "b", "c", "x", "y", "f", "g", "(double)k", "(double)i"])
}

fn positive(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["a * a", "i", "g * g", "2.0 + c * c"])
}

fn operator(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["+", "-", "*", "/"])
}
