//! Random programs about what the environment may do: allocations that fail or are too large, volatile
//! objects, arguments of the program.
//!
//! A program is a list of claims. By its construction and the environment, it is known whether each claim
//! holds. So the truth of the program is known, although it has inputs that cannot all be tried.

use crate::random::Random;
use std::fmt::Write;
use summa_cfa::environment::Environment;

/// A program with its environment, and whether no assertion in it can fail.
#[derive(Clone, Debug)]
pub struct AboutEnvironment {
    pub text: String,
    pub environment: Environment,
    pub is_safe: bool,
}

const PRELUDE: &str = "\
extern void reach_error(void);
extern void *malloc(unsigned long), *calloc(unsigned long, unsigned long), *realloc(void *, unsigned long);
extern void free(void *);
static void claim(int holds) { if (!holds) reach_error(); }
";

const TYPES: [(&str, i64, i64); 5] = [
    ("unsigned char", 0, 255),
    ("signed char", -128, 127),
    ("short", -32768, 32767),
    ("int", -1_000_000, 1_000_000),
    ("unsigned short", 0, 65535),
];

/// The parts from which a claim is made.
struct Maker<'r> {
    random: &'r mut Random,
    environment: Environment,
    number: usize,
    globals: String,
    body: String,
}

/// A program about the environment, from its seed.
pub fn generate_environment(seed: u64) -> AboutEnvironment {
    let mut random = Random::new(seed);
    let environment = Environment {
        allocation_may_fail: random.chance(50),
        volatile_is_memory: random.chance(40),
        any_globals: false,
    };
    let claims = 1 + random.below(3);
    let (mut globals, mut body, mut is_safe) = (String::new(), String::new(), true);
    for number in 0..claims {
        let mut maker =
            Maker { random: &mut random, environment, number, globals: String::new(), body: String::new() };
        is_safe &= match maker.random.below(3) {
            0 => maker.allocation(),
            1 => maker.volatile(),
            _ => maker.arguments(),
        };
        globals += &maker.globals;
        // Each claim has names of its own.
        let _ = writeln!(body, "  {{\n{}  }}", maker.body);
    }
    let uses_list = body.contains("argv");
    let unused = if uses_list { "" } else { "  (void)argc;\n" };
    let text =
        format!("{PRELUDE}{globals}int main(int argc, char **argv) {{\n{unused}{body}  return 0;\n}}\n");
    AboutEnvironment { text, environment, is_safe }
}

impl Maker<'_> {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.body, "    {text}");
    }

    fn global(&mut self, text: &str) {
        let _ = writeln!(self.globals, "{text}");
    }

    fn constant(&mut self, (_, low, high): (&str, i64, i64)) -> i64 {
        self.random.between(low.max(-40), high.min(90))
    }

    fn allocation(&mut self) -> bool {
        let fails = self.environment.allocation_may_fail;
        let kind = *self.random.pick(&TYPES);
        let (ty, value) = (kind.0, self.constant(kind));
        match self.random.below(6) {
            0 => {
                self.line(&format!("{ty} *p = malloc(sizeof({ty}));"));
                self.line("claim(p != 0);");
                !fails
            }
            1 => {
                let count = self.random.between(2, 5);
                self.line(&format!("{ty} *p = malloc({count} * sizeof({ty}));"));
                self.line(&format!("if (p) {{ p[1] = {value}; claim(p[1] == {value}); free(p); }}"));
                true
            }
            2 => {
                self.line(&format!("{ty} *p = calloc(3, sizeof({ty}));"));
                self.line("claim(!p || p[2] == 0);");
                true
            }
            3 => {
                let size = *self.random.pick(&["0ul - 1", "1ul << 63", "0ul - 4096"]);
                // It is served in no environment. Where that ends the execution, other claims must still be
                // reached.
                let claim = if self.random.chance(50) { "p == 0" } else { "p != 0" };
                self.line(&format!("if (argc == 7) {{ char *p = malloc({size}); claim({claim}); }}"));
                !fails || claim == "p == 0"
            }
            4 => {
                self.line("unsigned long n = argc;");
                self.line("if (n > 8) { char *p = calloc(n + (1ul << 62), n + 2); claim(p == 0); }");
                true
            }
            _ => {
                self.line(&format!("{ty} *p = malloc(sizeof({ty}));"));
                self.line(&format!("if (p) {{ *p = {value}; {ty} *q = realloc(p, 2 * sizeof({ty}));"));
                self.line(&format!("  if (q) claim(*q == {value}); else claim(*p == {value}); }}"));
                true
            }
        }
    }

    fn volatile(&mut self) -> bool {
        let is_memory = self.environment.volatile_is_memory;
        let kind = *self.random.pick(&TYPES);
        let (ty, low, high) = kind;
        let (name, value) = (format!("v{}", self.number), self.constant(kind));
        match self.random.below(7) {
            0 => {
                self.global(&format!("volatile {ty} {name};"));
                self.line(&format!("{name} = {value};\n    claim({name} == {value});"));
                is_memory
            }
            1 => {
                self.global(&format!("typedef volatile {ty} {name}_type;\nstatic {name}_type {name}[2];"));
                self.line(&format!("claim({name}[1] == {name}[1]);"));
                is_memory
            }
            2 => {
                self.global(&format!("static volatile {ty} {name};"));
                self.line(&format!("{ty} once = {name};"));
                // The type has all the values of a machine word, or all of these.
                let claim = if ty == "int" {
                    "once == once".to_owned()
                } else {
                    format!("once >= {low} && once <= {high}")
                };
                self.line(&format!("claim({claim});"));
                true
            }
            3 => {
                self.line(&format!("volatile {ty} own = {value}; volatile {ty} *at = &own;"));
                self.line(&format!("claim(own == {value} && *at == {value});"));
                true
            }
            4 => {
                self.global(&format!("volatile {ty} {name};"));
                self.line(&format!("volatile {ty} *at = &{name}; *at = {value};"));
                self.line(&format!("claim(*at == {value});"));
                is_memory
            }
            5 => {
                self.global(&format!(
                    "struct {name}_type {{ int plain; volatile unsigned bits : 5; }} {name};"
                ));
                self.line(&format!("struct {name}_type *at = &{name}; at->plain = {value};"));
                self.line(&format!("unsigned bits = at->bits; claim(bits < 32 && at->plain == {value});"));
                true
            }
            _ => {
                self.global(&format!("static {ty} {name};"));
                self.line(&format!("{name} = {value};\n    claim(*(volatile {ty} *)&{name} == {value});"));
                true
            }
        }
    }

    fn arguments(&mut self) -> bool {
        match self.random.below(6) {
            0 => {
                self.line("claim(argc >= 0);");
                true
            }
            1 => {
                self.line("claim(argv[argc] == 0);");
                true
            }
            2 => {
                let count = self.random.between(0, 3);
                self.line(&format!("claim(argc != {count});"));
                false
            }
            3 => {
                self.line("if (argc > 0) claim(argv[0] != 0);");
                true
            }
            4 => {
                let letter = self.random.between(1, 9);
                self.line(&format!("if (argc == 1) claim(argv[0][0] != {letter});"));
                false
            }
            _ => {
                self.line("if (argc == 1 && argv[0][0] != 0) claim(argv[0][1] != 1 || argv[1] == 0);");
                true
            }
        }
    }
}
