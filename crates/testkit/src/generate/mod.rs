//! Small random C programs with inputs, from a seed: the same seed always gives the same program.
//!
//! The programs have no undefined behaviour except signed overflow, which wraps around for Summa: divisors
//! and shift amounts are kept in range, indices are masked, everything is initialised, pointers point to
//! objects that outlive them. Loops end: they count, or have fuel. Inputs are few and assumed to be small, so
//! that [`crate::truth()`] can try all.
//!
//! The last assertion is made to measure. The program without it is run with all inputs to find the values of
//! an expression, and the assertion is just true or just false for them. Other assertions, in loops and
//! functions, are drawn blindly.

mod controllers;
mod copies;
mod environment;
mod expressions;
mod many;
mod members;
mod recursion;
mod rounding;
mod statements;
pub mod typed;

pub use controllers::{Controller, LEAST, generate_controller, range};
pub use copies::generate_copies;
pub use environment::{AboutEnvironment, generate_environment};
pub use many::{Calls, Footprint, ManyFunctions, generate_many_functions};
pub use members::{TRIGGER, generate_members};
pub use rounding::{RoundingProgram, generate_rounding};

use crate::programs::try_automata;
use crate::random::Random;
use crate::truth::results;
use std::fmt::Write;
use summa_c::types::DataModel;

const PRELUDE: &str = "\
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern unsigned __VERIFIER_nondet_uint(void);
extern short __VERIFIER_nondet_short(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
extern long __VERIFIER_nondet_long(void);
extern _Bool __VERIFIER_nondet_bool(void);
";

/// Where the last assertion will stand.
const HOLE: &str = "/* here */";

/// The features of a program. Each is used in a part of the programs, so that each engine gets some that suit
/// it.
#[derive(Clone, Copy, Debug)]
pub struct Features {
    pub other_types: bool,
    pub bits: bool,
    pub products: bool,
    pub globals: bool,
    pub arrays: bool,
    pub structs: bool,
    pub pointers: bool,
    pub functions: bool,
    pub recursion: bool,
    /// Several functions that call each other, not drawn by chance: see [`generate_recursive`].
    pub families: bool,
    pub long_loops: bool,
}

impl Features {
    fn draw(random: &mut Random) -> Self {
        Self {
            other_types: random.chance(60),
            bits: random.chance(40),
            products: random.chance(30),
            globals: random.chance(40),
            arrays: random.chance(40),
            structs: random.chance(30),
            pointers: random.chance(35),
            functions: random.chance(50),
            recursion: random.chance(15),
            families: false,
            long_loops: random.chance(20),
        }
    }
}

/// A program from its seed.
pub fn generate(seed: u64) -> String {
    let mut random = Random::new(seed);
    let features = Features::draw(&mut random);
    let mut generator = Generator::new(random, features);
    generator.program();
    generator.finish()
}

/// A program about recursion, from its seed.
pub fn generate_recursive(seed: u64) -> String {
    let mut random = Random::new(seed);
    let drawn = Features::draw(&mut random);
    let features = Features { globals: true, families: true, long_loops: false, ..drawn };
    let mut generator = Generator::new(random, features);
    generator.program();
    generator.finish()
}

/// A function that statements can call.
#[derive(Clone, Debug)]
struct Function {
    name: String,
    kind: FunctionKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FunctionKind {
    /// Two numbers in, a number out.
    Plain,
    /// The first argument says how deep it goes.
    Recursive,
    /// Writes through its first argument, an `int *`.
    Writer,
}

struct Generator {
    random: Random,
    features: Features,
    out: String,
    indent: usize,
    /// Names are numbered over the whole program.
    names: usize,
    functions: Vec<Function>,
    /// What can be read here and now, and what of it can be written.
    readable: Vec<String>,
    writable: Vec<String>,
    /// Objects of type `int`, to which pointers can point.
    addresses: Vec<String>,
    pointers: Vec<String>,
    /// Array names with their sizes, which are powers of two.
    arrays: Vec<(String, usize)>,
    structs: Vec<String>,
    /// Inputs: never written, so they can bound loops.
    inputs: Vec<String>,
    /// Loops around.
    loops: usize,
}

/// What is known in a scope, to be forgotten at its end.
struct Scope {
    readable: usize,
    writable: usize,
    addresses: usize,
    pointers: usize,
    arrays: usize,
    structs: usize,
    inputs: usize,
}

impl Generator {
    fn new(random: Random, features: Features) -> Self {
        Self {
            random,
            features,
            out: String::from(PRELUDE),
            indent: 0,
            names: 0,
            functions: Vec::new(),
            readable: Vec::new(),
            writable: Vec::new(),
            addresses: Vec::new(),
            pointers: Vec::new(),
            arrays: Vec::new(),
            structs: Vec::new(),
            inputs: Vec::new(),
            loops: 0,
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{:1$}{text}", "", 2 * self.indent);
    }

    fn open(&mut self, head: &str) {
        self.line(&format!("{head} {{"));
        self.indent += 1;
    }

    fn close(&mut self) {
        self.indent -= 1;
        self.line("}");
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn scope(&self) -> Scope {
        Scope {
            readable: self.readable.len(),
            writable: self.writable.len(),
            addresses: self.addresses.len(),
            pointers: self.pointers.len(),
            arrays: self.arrays.len(),
            structs: self.structs.len(),
            inputs: self.inputs.len(),
        }
    }

    fn leave(&mut self, scope: &Scope) {
        self.readable.truncate(scope.readable);
        self.writable.truncate(scope.writable);
        self.addresses.truncate(scope.addresses);
        self.pointers.truncate(scope.pointers);
        self.arrays.truncate(scope.arrays);
        self.structs.truncate(scope.structs);
        self.inputs.truncate(scope.inputs);
    }

    /// Everything but the last assertion.
    fn program(&mut self) {
        if self.features.structs {
            self.line("struct pair { int first; unsigned char second; };");
        }
        if self.features.globals {
            for _ in 0..1 + self.random.below(2) {
                self.variable();
            }
        }
        if self.features.functions {
            self.function(FunctionKind::Plain);
            if self.random.chance(40) {
                self.function(FunctionKind::Plain);
            }
            if self.features.pointers {
                self.function(FunctionKind::Writer);
            }
        }
        if self.features.recursion {
            self.function(FunctionKind::Recursive);
        }
        if self.features.families {
            self.family();
        }
        self.open("int main(void)");
        self.locals();
        if self.features.families {
            self.family_calls();
        }
        let statements = 2 + self.random.below(5);
        for _ in 0..statements {
            self.statement(2);
        }
        if self.features.long_loops {
            self.long_loop();
        }
        self.line(HOLE);
        self.line("return 0;");
        self.close();
    }

    fn locals(&mut self) {
        for _ in 0..1 + self.random.below(2) {
            self.input();
        }
        for _ in 0..1 + self.random.below(3) {
            self.variable();
        }
        if self.features.arrays {
            let name = self.name("a");
            let size = *self.random.pick(&[2, 4]);
            let ty =
                if self.features.other_types { *self.random.pick(&["int", "unsigned char"]) } else { "int" };
            let values: Vec<String> = (0..size).map(|_| self.random.between(-2, 9).to_string()).collect();
            self.line(&format!("{ty} {name}[{size}] = {{{}}};", values.join(", ")));
            if ty == "int" {
                self.addresses.push(format!("{name}[{}]", self.random.below(size)));
            }
            self.arrays.push((name, size));
        }
        if self.features.structs {
            let copies = self.random.chance(40);
            for _ in 0..1 + usize::from(copies) {
                let name = self.name("s");
                let (first, second) = (self.random.between(-3, 9), self.random.between(0, 255));
                self.line(&format!("struct pair {name} = {{{first}, {second}}};"));
                for field in ["first", "second"] {
                    self.readable.push(format!("{name}.{field}"));
                    self.writable.push(format!("{name}.{field}"));
                }
                self.addresses.push(format!("{name}.first"));
                self.structs.push(name);
            }
        }
        if self.features.pointers {
            if self.addresses.is_empty() {
                let name = self.name("x");
                self.line(&format!("int {name} = 1;"));
                self.declare(name, "int");
            }
            let name = self.name("p");
            let target = self.random.pick(&self.addresses).clone();
            self.line(&format!("int *{name} = &{target};"));
            self.readable.push(format!("(*{name})"));
            self.writable.push(format!("(*{name})"));
            self.pointers.push(name);
        }
    }

    /// An input, with the assumption that makes it small.
    fn input(&mut self) {
        let types: &[(&str, &str, bool)] = if self.features.other_types {
            &[
                ("int", "int", true),
                ("unsigned", "uint", false),
                ("short", "short", true),
                ("unsigned char", "uchar", false),
                ("long", "long", true),
                ("_Bool", "bool", false),
            ]
        } else {
            &[("int", "int", true)]
        };
        let &(ty, suffix, is_signed) = self.random.pick(types);
        let name = self.name("n");
        self.line(&format!("{ty} {name} = __VERIFIER_nondet_{suffix}();"));
        if suffix != "bool" {
            let low = if is_signed && self.random.chance(30) { self.random.between(-2, 0) } else { 0 };
            let high = self.random.between(1, 5);
            self.line(&format!("__VERIFIER_assume({name} >= {low} && {name} <= {high});"));
        }
        self.readable.push(name.clone());
        self.inputs.push(name);
    }

    fn variable(&mut self) {
        let types = ["int", "int", "unsigned", "signed char", "unsigned char", "short", "long"];
        let ty = if self.features.other_types { *self.random.pick(&types) } else { "int" };
        let name = self.name(if self.indent == 0 { "g" } else { "x" });
        // Static storage has constant initialisers.
        let is_constant = self.indent == 0 || self.random.chance(60);
        let value = if is_constant { self.random.between(-2, 9).to_string() } else { self.expression(1) };
        self.line(&format!("{ty} {name} = {value};"));
        self.declare(name, ty);
    }

    fn declare(&mut self, name: String, ty: &str) {
        if ty == "int" {
            self.addresses.push(name.clone());
        }
        self.readable.push(name.clone());
        self.writable.push(name);
    }

    fn function(&mut self, kind: FunctionKind) {
        let name = self.name("f");
        let scope = self.scope();
        match kind {
            FunctionKind::Plain => {
                let types: &[&str] = if self.features.other_types {
                    &["int", "unsigned", "unsigned char", "long"]
                } else {
                    &["int"]
                };
                let (result, ty) = (*self.random.pick(types), *self.random.pick(types));
                self.open(&format!("{result} {name}(int a, {ty} b)"));
                self.declare("a".to_owned(), "int");
                self.declare("b".to_owned(), ty);
                for _ in 0..self.random.below(3) {
                    self.statement(1);
                }
                let value = self.expression(2);
                self.line(&format!("return {value};"));
            }
            FunctionKind::Recursive => {
                self.open(&format!("int {name}(int n, int x)"));
                self.readable.extend(["n".to_owned(), "x".to_owned()]);
                let base = self.expression(1);
                self.line(&format!("if (n <= 0) return {base};"));
                let argument = self.expression(1);
                self.line(&format!("int y = {name}(n - 1, {argument});"));
                self.readable.push("y".to_owned());
                let value = self.expression(1);
                self.line(&format!("return {value};"));
            }
            FunctionKind::Writer => {
                self.open(&format!("void {name}(int *q, int v)"));
                self.readable.extend(["(*q)".to_owned(), "v".to_owned()]);
                self.writable.push("(*q)".to_owned());
                for _ in 0..1 + self.random.below(2) {
                    self.statement(1);
                }
            }
        }
        self.close();
        self.leave(&scope);
        self.functions.push(Function { name, kind });
    }

    /// The program with its last assertion.
    fn finish(mut self) -> String {
        // Blind assertions fail often enough.
        let wants_error = self.random.chance(40);
        let observed = self.expression(1);
        observed_by(&mut self.random, &self.out, &observed, wants_error)
    }
}

/// The program with an assertion about what the expression is at its end.
fn observed_by(random: &mut Random, text: &str, observed: &str, wants_error: bool) -> String {
    // The conversion of the observation to `int` is part of the assertion too.
    let watching = text.replace(HOLE, &format!("return (int)({observed});"));
    let values = try_automata(DataModel::Lp64, &watching)
        .unwrap_or_else(|message| panic!("the generator wrote no program: {message}\n{watching}"));
    let values = results(&values).unwrap_or_default();
    let observed = format!("(int)({observed})");
    let condition = assertion(random, &observed, &values, wants_error);
    text.replace(HOLE, &format!("if (!({condition})) reach_error();"))
}

/// True of all these values, or not of all.
fn assertion(random: &mut Random, observed: &str, values: &[i32], wants_error: bool) -> String {
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
        return format!("{observed} != {}", random.between(-2, 9));
    };
    let number = |value: i64| if value < 0 { format!("({value})") } else { value.to_string() };
    let (first, last) = (i64::from(first), i64::from(last));
    if wants_error {
        let value = i64::from(*random.pick(values));
        return match random.below(3) {
            0 => format!("{observed} != {}", number(value)),
            1 => format!("{observed} < {}", number(last)),
            _ => format!("{observed} > {}", number(first)),
        };
    }
    let missing = (first..=last).find(|value| !values.iter().any(|&seen| i64::from(seen) == *value));
    match random.below(4) {
        0 => format!("{observed} <= {}", number(last)),
        1 => format!("{observed} >= {}", number(first)),
        2 => format!("{observed} >= {} && {observed} <= {}", number(first), number(last)),
        _ => format!("{observed} != {}", number(missing.unwrap_or(last + 1))),
    }
}
