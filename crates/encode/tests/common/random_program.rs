//! Random C programs without undefined behaviour that would end most runs: integers of all types, floats,
//! arrays, records, bit-fields, unions, pointers, loops, calls, and library functions, over inputs.

use std::fmt::Write as _;
use summa_testkit::Random;

const TYPES: [&str; 9] = [
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned int",
    "long",
    "unsigned long",
    "long long",
];

const HEAD: &str = "\
extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern short __VERIFIER_nondet_short(void); extern long long __VERIFIER_nondet_longlong(void);
extern unsigned int __VERIFIER_nondet_uint(void); extern double __VERIFIER_nondet_double(void);
extern float __VERIFIER_nondet_float(void);
void *memcpy(void *, const void *, unsigned long); void *memmove(void *, const void *, unsigned long);
void *memset(void *, int, unsigned long); int memcmp(const void *, const void *, unsigned long);
void *memchr(const void *, int, unsigned long); unsigned long strlen(const char *);
char *strcpy(char *, const char *); char *strncpy(char *, const char *, unsigned long);
char *strcat(char *, const char *); char *strncat(char *, const char *, unsigned long);
int strcmp(const char *, const char *);
int strncmp(const char *, const char *, unsigned long); char *strchr(const char *, int);
char *strrchr(const char *, int); unsigned long strspn(const char *, const char *);
unsigned long strcspn(const char *, const char *); char *strpbrk(const char *, const char *);
int abs(int); int isalpha(int); int isdigit(int); int isspace(int); int ispunct(int); int toupper(int); \
int tolower(int);
double fabs(double); double floor(double); double ceil(double); double trunc(double); double round(double);
double rint(double); double fmin(double, double); double fmax(double, double); double fdim(double, double);
double sqrt(double); double copysign(double, double); double modf(double, double *); long lround(double);
int __builtin_popcount(unsigned int); int __builtin_ffs(int); int __builtin_parity(unsigned int);
int __builtin_clz(unsigned int); int __builtin_ctz(unsigned int); \
unsigned int __builtin_bswap32(unsigned int);
int __builtin_isnan(double); int __builtin_isfinite(double); int __fpclassify(double);
struct R { char c; int i; short s[3]; unsigned int f : 5; int g : 7; long long l; };
struct P { int x; int y; double d; };
union U { unsigned int word; unsigned char byte[4]; short half[2]; };
";

pub(crate) struct Generator {
    dice: Random,
    text: String,
    depth: usize,
    /// Loops around, which have counters of their own.
    loops: usize,
    /// Functions that can be called.
    functions: usize,
}

/// The text of the program with this seed.
pub(crate) fn random_program(seed: u64) -> String {
    let mut generator =
        Generator { dice: Random::new(seed), text: HEAD.to_string(), depth: 0, loops: 0, functions: 0 };
    generator.program();
    generator.text
}

impl Generator {
    fn program(&mut self) {
        for i in 0..4 {
            let (ty, value) = (self.dice.pick(&TYPES), self.dice.below(300));
            writeln!(self.text, "{ty} g{i} = {value};").unwrap();
        }
        self.text += "int ga[8]; unsigned char gb[8] = {1, 2, 250}; struct R gr; struct P gp; union U gu;\n";
        self.text += "char gs[16] = \"ab1 C\"; double gd = 0.5; float gf;\n";
        for i in 0..2 {
            let (result, a, b) = (self.dice.pick(&TYPES), self.dice.pick(&TYPES), self.dice.pick(&TYPES));
            writeln!(self.text, "{result} f{i}({a} x, {b} y) {{").unwrap();
            self.body(2);
            let value = self.expression();
            writeln!(self.text, "  return {value};\n}}").unwrap();
            self.functions += 1;
        }
        self.text += "int main(void) {\n  int x = __VERIFIER_nondet_int(); long long y = 3;\n";
        self.body(8);
        self.text += "  return 0;\n}\n";
    }

    /// Locals of their own, then statements.
    fn body(&mut self, statements: usize) {
        for i in 0..4 {
            let ty = self.dice.pick(&TYPES);
            let value = match self.dice.below(4) {
                0 => "__VERIFIER_nondet_int()".to_string(),
                1 => "__VERIFIER_nondet_uchar()".to_string(),
                2 => "__VERIFIER_nondet_longlong()".to_string(),
                _ => self.dice.below(100).to_string(),
            };
            writeln!(self.text, "  {ty} v{i} = {value};").unwrap();
        }
        let undetermined = self.dice.pick(&TYPES);
        writeln!(
            self.text,
            "  {undetermined} u; int *p = &ga[0]; struct R r = gr; struct P q; union U un; \
            char s[12] = \"x\";"
        )
        .unwrap();
        self.text +=
            "  double d = __VERIFIER_nondet_double(); float e = __VERIFIER_nondet_float(); int a[4] = {1};\n";
        self.text += "  q.x = 1; q.y = v0; q.d = 0; un.word = v1; int i0, i1;\n";
        for _ in 0..statements {
            self.statement();
        }
    }

    fn statement(&mut self) {
        let value = self.expression();
        match self.dice.below(30) {
            0..=7 => {
                let target = self.target();
                let op = self.dice.pick(&["=", "=", "+=", "-=", "*=", "^=", "|=", "&="]);
                writeln!(self.text, "  {target} {op} {value};").unwrap();
            }
            8..=10 => {
                writeln!(self.text, "  if ({value}) {{").unwrap();
                self.nested();
                self.text += "  } else {\n";
                self.nested();
                self.text += "  }\n";
            }
            11..=12 if self.loops < 2 => {
                let (counter, rounds) = (self.loops, 1 + self.dice.below(4));
                writeln!(self.text, "  for (i{counter} = 0; i{counter} < {rounds}; i{counter}++) {{")
                    .unwrap();
                self.loops += 1;
                self.nested();
                self.loops -= 1;
                self.text += "  }\n";
            }
            13 => {
                writeln!(self.text, "  switch (({value}) & 3) {{ case 0:").unwrap();
                self.nested();
                self.text += "  break; case 2:\n";
                self.nested();
                self.text += "  default:;\n  }\n";
            }
            14..=16 => {
                let line = self.float_statement();
                writeln!(self.text, "  {line};").unwrap();
            }
            17..=19 => {
                let line = self.string_statement(&value);
                writeln!(self.text, "  {line};").unwrap();
            }
            20..=21 => {
                let line = self.block_statement(&value);
                writeln!(self.text, "  {line};").unwrap();
            }
            22 => {
                let place = self.dice.pick(&["&ga[3]", "&a[1]", "&q.x", "&q.y", "&gp.x"]);
                writeln!(self.text, "  p = {place}; *p = {value};").unwrap();
            }
            23 => self.text += *self.dice.pick(&["  gr = r;\n", "  r = gr;\n", "  gp = q;\n", "  q = gp;\n"]),
            24 if self.functions > 0 => {
                let (target, function) = (self.target(), self.dice.below(self.functions));
                let other = self.expression();
                writeln!(self.text, "  {target} = f{function}({value}, {other});").unwrap();
            }
            25 => {
                let input = self.dice.pick(&["__VERIFIER_nondet_short()", "__VERIFIER_nondet_uint()"]);
                let target = self.target();
                writeln!(self.text, "  {target} = {input};").unwrap();
            }
            _ => {
                let target = self.target();
                writeln!(self.text, "  {target} = {value};").unwrap();
            }
        }
    }

    fn nested(&mut self) {
        if self.depth < 2 {
            self.depth += 1;
            for _ in 0..1 + self.dice.below(2) {
                self.statement();
            }
            self.depth -= 1;
        }
    }

    fn target(&mut self) -> String {
        match self.dice.below(16) {
            0..=5 => format!("v{}", self.dice.below(4)),
            6..=7 => format!("g{}", self.dice.below(4)),
            8 => format!("ga[{} & 7]", self.leaf()),
            9 => format!("a[{} & 3]", self.leaf()),
            10 => format!("gb[{} & 7]", self.leaf()),
            11 => self.dice.pick(&["r.c", "r.i", "r.s[1]", "r.l", "gr.i", "gr.s[v0 & 1]"]).to_string(),
            12 => self.dice.pick(&["r.f", "r.g", "gr.f", "gr.g"]).to_string(),
            13 => self
                .dice
                .pick(&["un.word", "un.byte[1]", "un.half[1]", "gu.word", "gu.byte[v1 & 3]"])
                .to_string(),
            14 => self.dice.pick(&["q.x", "q.y", "gp.x", "gp.y"]).to_string(),
            _ => "*p".to_string(),
        }
    }

    fn leaf(&mut self) -> String {
        match self.dice.below(8) {
            0 => self
                .dice
                .pick(&["0", "1", "2", "7", "255", "-1", "0x80", "1000", "0x7fffffff", "3u"])
                .to_string(),
            1 => "x".to_string(),
            2 => "y".to_string(),
            3 => "u".to_string(),
            _ => format!("v{}", self.dice.below(4)),
        }
    }

    fn expression(&mut self) -> String {
        let levels = self.dice.below(4);
        self.integer(levels)
    }

    fn integer(&mut self, levels: usize) -> String {
        if levels == 0 {
            return if self.dice.below(2) == 0 { self.leaf() } else { self.target() };
        }
        let (a, b) = (self.integer(levels - 1), self.integer(levels - 1));
        match self.dice.below(24) {
            0..=6 => format!("({a} {} {b})", self.dice.pick(&["+", "-", "*"])),
            7..=9 => format!("({a} {} {b})", self.dice.pick(&["&", "|", "^"])),
            10 => format!("({a} {} ({b} | 1))", self.dice.pick(&["/", "%"])),
            11..=12 => format!("({a} {} ({b} & 7))", self.dice.pick(&["<<", ">>"])),
            13 => format!("({a} {} {b})", self.dice.pick(&["<<", ">>"])),
            14..=16 => format!("({a} {} {b})", self.dice.pick(&["<", "<=", "==", "!=", ">", "&&", "||"])),
            17 => format!("({}{a})", self.dice.pick(&["-", "~", "!"])),
            18..=19 => format!("(({}){a})", self.dice.pick(&TYPES)),
            20 => format!("({a} ? {b} : 5)"),
            21 => format!("({a} & {})", self.dice.pick(&["0xff", "0xf0", "0x0ff0", "1"])),
            22 => {
                let function = self.dice.pick(&[
                    "abs",
                    "isalpha",
                    "isdigit",
                    "isspace",
                    "ispunct",
                    "toupper",
                    "tolower",
                    "__builtin_popcount",
                    "__builtin_ffs",
                    "__builtin_parity",
                    "__builtin_bswap32",
                ]);
                format!("{function}({a})")
            }
            _ => format!("{}({a} | 1)", self.dice.pick(&["__builtin_clz", "__builtin_ctz"])),
        }
    }

    fn float_statement(&mut self) -> String {
        let value = self.leaf();
        let x = self.dice.pick(&["d", "gd", "e", "gf", "q.d", "1.5", "-0.25", "0.0"]);
        let y = self.dice.pick(&["d", "gd", "e", "2.0", "-3.5"]);
        let target = self.dice.pick(&["d", "gd", "e", "gf", "q.d"]);
        let counter = self.dice.below(4);
        match self.dice.below(8) {
            0..=1 => format!("{target} = {x} {} {y}", self.dice.pick(&["+", "-", "*", "/"])),
            2 => format!("{target} = {value}"),
            3 => format!(
                "{target} = {}({x})",
                self.dice.pick(&["fabs", "floor", "ceil", "trunc", "round", "rint", "sqrt"])
            ),
            4 => format!("{target} = {}({x}, {y})", self.dice.pick(&["fmin", "fmax", "fdim", "copysign"])),
            5 => format!("v{counter} = {x} {} {y}", self.dice.pick(&["<", "<=", "==", "!="])),
            6 => format!(
                "v{counter} = {}({x})",
                self.dice.pick(&["__builtin_isnan", "__builtin_isfinite", "__fpclassify", "lround"])
            ),
            _ => format!(
                "if ({x} > -1000.0 && {x} < 1000.0) v{counter} = (int)({x}); {target} = modf({x}, &d)"
            ),
        }
    }

    fn string_statement(&mut self, value: &str) -> String {
        let (a, b) = (self.dice.pick(&["s", "gs", "\"ab\""]), self.dice.pick(&["s", "gs", "\"a1\"", "\"\""]));
        let target = self.dice.below(4);
        match self.dice.below(12) {
            0 => format!("s[{value} & 7] = {value}"),
            1 => format!("gs[{value} & 7] = {value}; gs[15] = 0"),
            2 => format!("v{target} = strlen({a})"),
            3 => format!("v{target} = strcmp({a}, {b})"),
            4 => format!("v{target} = strncmp({a}, {b}, {})", self.dice.below(6)),
            5 => "s[4] = 0; strcpy(gs, s)".to_string(),
            6 => format!("strncpy(s, {b}, {})", self.dice.below(12)),
            7 => "gs[3] = 0; s[4] = 0; strcat(gs, s)".to_string(),
            8 => format!("gs[3] = 0; strncat(gs, {b}, {})", self.dice.below(5)),
            9 => format!("v{target} = {}({a}, {value}) != 0", self.dice.pick(&["strchr", "strrchr"])),
            10 => format!("v{target} = {}({a}, {b})", self.dice.pick(&["strspn", "strcspn"])),
            _ => format!("v{target} = strpbrk({a}, {b}) != 0"),
        }
    }

    fn block_statement(&mut self, value: &str) -> String {
        let target = self.dice.below(4);
        match self.dice.below(9) {
            0 => "memcpy(&gr, &r, sizeof r)".to_string(),
            1 => "memcpy(&q, &gp, sizeof q)".to_string(),
            2 => "memcpy(ga, a, sizeof a)".to_string(),
            3 => format!("memset(a, {value}, sizeof a)"),
            4 => "memset(&r, 0, sizeof r)".to_string(),
            5 => format!("memset(ga, {}, 16)", self.dice.below(3)),
            6 => format!("v{target} = memcmp(gb, s, {})", 1 + self.dice.below(4)),
            7 => format!("v{target} = memchr(gb, {value}, 8) != 0"),
            _ => "memmove(gb, gb + 1, 5)".to_string(),
        }
    }
}
