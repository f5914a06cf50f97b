//! Controllers as generators of code write them: `while (1) { remember(); inputs(); step();
//! assert(property()); }`.
//!
//! Each signal is computed by one rule from inputs and from what was computed before it: arithmetic, a
//! guarded assignment, minimum or maximum, saturation, a mode, the last value of an input. The property
//! repeats what the rules compute, or bounds it. So the truth is known by construction: every signal is
//! written once in a step, and its operands do not change behind it. Half of the programs have a planted bug:
//! one part of the property says something else than its rule.
//!
//! Inputs of a type have one range, see [`range`]; no operation on them gives infinity or NaN, which is not
//! equal to itself.

use crate::random::Random;
use std::fmt::Write;

/// A program with its truth.
#[derive(Clone, Debug)]
pub struct Controller {
    pub text: String,
    pub is_safe: bool,
    pub signals: usize,
}

/// The types of signals, with the function that gives an input, and the range of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Char,
    Short,
    Int,
    Float,
    Double,
}

use Type::{Char, Double, Float, Int, Short};

impl Type {
    fn name(self) -> &'static str {
        match self {
            Char => "signed char",
            Short => "short",
            Int => "int",
            Float => "float",
            Double => "double",
        }
    }

    fn input(self) -> &'static str {
        match self {
            Char => "__VERIFIER_nondet_char",
            Short => "__VERIFIER_nondet_short",
            Int => "__VERIFIER_nondet_int",
            Float => "__VERIFIER_nondet_float",
            Double => "__VERIFIER_nondet_double",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }
}

/// The greatest absolute value of inputs of a type with this many bytes. Floating-point numbers have at least
/// [`LEAST`].
pub fn range(bytes: u64, is_float: bool) -> i64 {
    match (bytes, is_float) {
        (1, _) => 30,
        (2, _) => 5000,
        (_, false) => 1_000_000,
        (_, true) => 100_000_000,
    }
}

/// The smallest absolute value of an input that is a floating-point number.
pub const LEAST: f64 = 1.0 / 1024.0;

struct Input {
    name: String,
    ty: Type,
}

/// What is computed for a signal, and what the property says about it.
struct Rule {
    step: String,
    says: String,
    /// What is said instead in a program with a bug here; none where it is not plain that this goes wrong.
    wrong: Option<String>,
}

struct Writer {
    random: Random,
    inputs: Vec<Input>,
}

/// A controller from its seed.
pub fn generate_controller(seed: u64) -> Controller {
    let mut random = Random::new(seed);
    let signals = random.between(10, 60) as usize;
    let floats = *random.pick(&[0, 50, 100]);
    let mut types = Vec::new();
    for _ in 0..signals {
        types.push(if random.chance(floats) {
            *random.pick(&[Float, Double])
        } else {
            *random.pick(&[Char, Short, Int])
        });
    }
    let is_safe = random.chance(50);
    // About half of the signals come from outside, two of each type at least.
    let mut inputs: Vec<Input> = Vec::new();
    for (number, ty) in [Char, Short, Int, Float, Double].into_iter().enumerate() {
        if types.contains(&ty) || ty == Int {
            inputs.extend((0..2).map(|k| Input { name: format!("in_{number}_{k}"), ty }));
        }
    }
    let (from_outside, computed) = types.split_at(signals / 2);
    for (number, &ty) in from_outside.iter().enumerate() {
        inputs.push(Input { name: format!("in_{number}"), ty });
    }
    let mut writer = Writer { random, inputs };
    let mut rules: Vec<Rule> = Vec::new();
    for (number, &ty) in computed.iter().enumerate() {
        rules.push(writer.rule(&format!("out_{number}"), ty));
    }
    let (a, b) = writer.two(Int);
    rules.push(Rule {
        step: format!("    total = {a} - {b};\n"),
        says: format!("total == (int)({a} - {b})"),
        wrong: Some(format!("total == (int)({b} - {a})")),
    });
    let breakable: Vec<usize> = (0..rules.len()).filter(|&rule| rules[rule].wrong.is_some()).collect();
    let broken = (!is_safe).then(|| *writer.random.pick(&breakable));
    let text = program(&writer.inputs, computed, &rules, broken);
    Controller { text, is_safe, signals: writer.inputs.len() + computed.len() }
}

impl Writer {
    fn some_input(&mut self, ty: Type) -> String {
        let fitting: Vec<&Input> = self.inputs.iter().filter(|input| input.ty == ty).collect();
        self.random.pick(&fitting).name.clone()
    }

    /// Two different inputs of a type.
    fn two(&mut self, ty: Type) -> (String, String) {
        let first = self.some_input(ty);
        loop {
            let second = self.some_input(ty);
            if second != first {
                return (first, second);
            }
        }
    }

    /// An expression over inputs that stays in the range of the type, or wraps around in both places alike.
    fn expression(&mut self, ty: Type) -> String {
        let (a, b) = self.two(ty);
        let c = self.some_input(ty);
        let forms: &[&str] = if ty.is_float() {
            &["A + B", "(A - B) + C", "A * B", "A / B", "(A * B) - C", "(A + B) / C", "A"]
        } else {
            &["A + B", "(A - B) + C", "A * B", "(A + B) - C", "A / (C > 0 ? C : 1)", "A"]
        };
        self.random.pick(forms).replace('A', &a).replace('B', &b).replace('C', &c)
    }

    fn condition(&mut self) -> String {
        let ty = self.inputs[self.random.below(self.inputs.len())].ty;
        let (a, b) = self.two(ty);
        let relation = *self.random.pick(&["<", ">", "<=", ">=", "!="]);
        match self.random.below(4) {
            0 if ty.is_float() => format!("{a} {relation} ({b} / {})", self.some_input(ty)),
            1 => format!("({a} {relation} {b} && in_2_0 != in_2_1)"),
            2 => format!("({a} + {b}) {relation} {}", self.some_input(ty)),
            _ => format!("{a} {relation} {b}"),
        }
    }

    fn rule(&mut self, out: &str, ty: Type) -> Rule {
        let name = ty.name();
        match self.random.below(7) {
            0 => {
                let (a, b) = self.two(ty);
                Rule {
                    step: format!("    {out} = {a} - {b};\n"),
                    says: format!("{out} == ({name})({a} - {b})"),
                    wrong: Some(format!("{out} == ({name})({b} - {a})")),
                }
            }
            // Kept where the guard does not hold.
            1 => {
                let (guard, value) = (self.condition(), self.expression(ty));
                Rule {
                    step: format!("    if ({guard}) {{\n        {out} = {value};\n    }}\n"),
                    says: format!("(({guard}) ? ({out} == ({name})({value})) : 1)"),
                    wrong: None,
                }
            }
            2 => {
                let (guard, yes, no) = (self.condition(), self.expression(ty), self.expression(ty));
                Rule {
                    step: format!(
                        "    if ({guard}) {{\n        {out} = {yes};\n    }} \
                         else {{\n        {out} = {no};\n    }}\n"
                    ),
                    says: format!("(({guard}) ? ({out} == ({name})({yes})) : ({out} == ({name})({no})))"),
                    wrong: None,
                }
            }
            3 => {
                let (a, b) = self.two(ty);
                Rule {
                    step: format!("    {out} = {a} > {b} ? {a} : {b};\n"),
                    says: format!("({out} >= {a} && {out} >= {b} && ({out} == {a} || {out} == {b}))"),
                    wrong: Some(format!("({out} <= {a} && {out} >= {b})")),
                }
            }
            4 => {
                let (a, b) = self.two(ty);
                Rule {
                    step: format!(
                        "    {out} = {a} + {b};\n    if ({out} > 20) {{\n        {out} = 20;\n    }}\n    \
                         if ({out} < -20) {{\n        {out} = -20;\n    }}\n"
                    ),
                    says: format!("({out} <= 20 && {out} >= -20)"),
                    wrong: Some(format!("({out} < 20 && {out} >= -20)")),
                }
            }
            5 => {
                let (first, second) = (self.condition(), self.condition());
                Rule {
                    step: format!(
                        "    switch (mode_{out}) {{\n    case 0: if ({first}) mode_{out} = 1; break;\n    \
                         case 1: mode_{out} = {second} ? 2 : 0; break;\n    default: mode_{out} = 0; \
                         break;\n    }}\n    \
                         {out} = mode_{out} * 5;\n"
                    ),
                    says: format!("(mode_{out} >= 0 && mode_{out} <= 2 && {out} == mode_{out} * 5)"),
                    wrong: Some(format!("(mode_{out} == 0 && {out} == 0 || mode_{out} == 2)"))
                        .filter(|_| is_simple(&first)),
                }
            }
            _ => {
                let (a, b) = self.two(ty);
                Rule {
                    step: format!("    {out} = last_{a} < {b} ? {b} : last_{a};\n"),
                    says: format!("{out} == (last_{a} < {b} ? {b} : last_{a})"),
                    wrong: Some(format!("{out} == {a}")),
                }
            }
        }
    }
}

/// Is it plain that a condition can hold?
fn is_simple(condition: &str) -> bool {
    !condition.contains(['/', '+', '&'])
}

fn program(inputs: &[Input], computed: &[Type], rules: &[Rule], broken: Option<usize>) -> String {
    let mut text = String::from("extern void reach_error(void);\nextern void abort(void);\n");
    for ty in [Char, Short, Int, Float, Double] {
        let _ = writeln!(text, "extern {} {}(void);", ty.name().trim_start_matches("signed "), ty.input());
    }
    text.push_str("void assume_abort_if_not(int condition) { if (!condition) { abort(); } }\n");
    text.push_str("unsigned char isInitial = 0;\nint total = 0;\n");
    for Input { name, ty } in inputs {
        let ty = ty.name();
        let _ = writeln!(text, "{ty} {name} = 1;\n{ty} last_{name} = 1;");
    }
    for (number, ty) in computed.iter().enumerate() {
        let _ = writeln!(text, "{} out_{number} = 0;\nint mode_out_{number} = 0;", ty.name());
    }
    text.push_str("void remember(void) {\n");
    for Input { name, .. } in inputs {
        let _ = writeln!(text, "    last_{name} = {name};");
    }
    text.push_str("}\nvoid inputs(void) {\n");
    for Input { name, ty } in inputs {
        let _ = writeln!(text, "    {name} = {}();", ty.input());
        let bytes = match ty {
            Char => 1,
            Short => 2,
            Int | Float => 4,
            Double => 8,
        };
        let most = range(bytes, ty.is_float());
        let _ = if ty.is_float() {
            let least = LEAST;
            writeln!(
                text,
                "    assume_abort_if_not(({name} >= -{most}.0 && {name} <= -{least}) || ({name} <= {most}.0 \
                 && {name} >= {least}));"
            )
        } else {
            writeln!(
                text,
                "    assume_abort_if_not({name} >= -{most});\n    assume_abort_if_not({name} <= {most});"
            )
        };
    }
    text.push_str("}\nvoid step(void) {\n");
    for rule in rules {
        text.push_str(&rule.step);
    }
    text.push_str("}\nint property(void) {\n    return ");
    let parts: Vec<&str> = rules
        .iter()
        .enumerate()
        .map(|(number, rule)| match &rule.wrong {
            Some(wrong) if broken == Some(number) => &wrong[..],
            _ => &rule.says[..],
        })
        .collect();
    text.push_str(&parts.join("\n        && "));
    text.push_str(
        ";\n}\nint main(void) {\n    isInitial = 1;\n    while (1) {\n        remember();\n        \
         inputs();\n        step();\n        \
         if (!property()) { reach_error(); }\n        isInitial = 0;\n    }\n    return 0;\n}\n",
    );
    text
}
