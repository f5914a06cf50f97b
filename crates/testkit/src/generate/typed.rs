//! Programs about types: promotions, conversions, bit-fields, builtins, and calls through pointers of other
//! types.
//!
//! Two inputs decide everything. A few variables of random types get values from them. One expression over
//! these is folded into a number together with its size and its type. The assertion is made to measure: just
//! true or just false for the numbers that result. Division and shifts have constant right sides that are in
//! range; signed overflow wraps around.

use crate::programs::try_automata;
use crate::random::Random;
use crate::truth::results;
use std::fmt::Write;
use summa_c::types::DataModel;

/// What all these programs begin with.
pub const PRELUDE: &str = "\
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
enum small { S0, S1, S2 };
enum negative { N0 = -3, N1 };
struct bits { unsigned u3 : 3; int s7 : 7; _Bool b : 1; unsigned long long u33 : 33; long long s40 : 40; \
unsigned u32 : 32; };
static int calls;
static int f0(void) { calls++; return 4; }
static int f1(int a) { return a + 3; }
static int f2(int a, long b) { return a - (int)b; }
static long f3(long a) { return a * 2; }
static int f4(int a, int b) { return a ^ b; }
static int f5(unsigned char a) { return a; }
";

const TYPES: [&str; 15] = [
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "enum small",
    "enum negative",
    "int",
];

/// What `_Generic` says of an expression, as a number.
const CODE: &str = "_Generic((E), _Bool: 1, char: 2, signed char: 3, unsigned char: 4, short: 5, unsigned \
                    short: 6, int: 7, unsigned: 8, long: 9, unsigned long: 10, long long: 11, unsigned long \
                    long: 12, default: 13)";

const HOLE: &str = "/* here */";

/// The greatest number of operators below each other.
const DEPTH: usize = 3;

/// A program about types, from its seed. None: what it computes is not known.
pub fn generate_typed(seed: u64, model: DataModel) -> Option<String> {
    let mut random = Random::new(seed ^ 0x7479_7065);
    let frame = frame(&mut random);
    let found = results(&try_automata(model, &frame.replace(HOLE, "return r;")).ok()?).ok()?;
    let is_wrong = random.chance(50);
    let &value = found.get(random.below(found.len().max(1)))?;
    let value = match is_wrong {
        true => value,
        false => (1..).map(|step| value.wrapping_add(step)).find(|other| !found.contains(other))?,
    };
    Some(frame.replace(HOLE, &format!("if (r == {value}) reach_error();\n  return 0;")))
}

/// The same program without assertion: it returns the number.
pub fn measure_typed(seed: u64) -> String {
    frame(&mut Random::new(seed ^ 0x7479_7065)).replace(HOLE, "return r;")
}

fn frame(random: &mut Random) -> String {
    let mut out = PRELUDE.to_owned();
    out += "int main(void) {\n";
    for input in ["i", "j"] {
        let _ = writeln!(out, "  int {input} = __VERIFIER_nondet_int();");
        let _ = writeln!(out, "  __VERIFIER_assume({input} >= -2 && {input} <= 5);");
    }
    for var in 0..4 {
        let ty = random.pick(&TYPES);
        let factor = random.pick(&["1", "7", "-1", "100", "1000003", "0x10000001LL", "0x7fffffffffffLL"]);
        let input = random.pick(&["i", "j"]);
        let _ = writeln!(out, "  {ty} v{var} = ({ty})({input} * {factor} + {});", random.between(-3, 130));
    }
    out += "  struct bits s;\n";
    for field in ["u3", "s7", "b", "u33", "s40", "u32"] {
        let input = random.pick(&["i", "j"]);
        let _ = writeln!(out, "  s.{field} = {input} * {}LL;", random.pick(&["1", "-1", "3", "0x123456789"]));
    }
    let expression = expression(random, DEPTH);
    let _ = writeln!(out, "  __typeof__({expression}) e = {expression};");
    let _ = writeln!(out, "  unsigned long long h = (unsigned long long)e * 31 + sizeof({expression});");
    let _ = writeln!(out, "  h = h * 31 + {} + (unsigned)calls;", CODE.replace('E', &expression));
    let _ = writeln!(out, "  int r = (int)(unsigned)(h ^ (h >> 32));\n  {HOLE}\n}}");
    out
}

fn leaf(random: &mut Random) -> String {
    match random.below(10) {
        0..=4 => format!("v{}", random.below(4)),
        // Promoted, since a bit-field itself has no size and no named type.
        5 => format!("+s.{}", random.pick(&["u3", "s7", "b", "u33", "s40", "u32"])),
        6 => format!("s.{} + 1", random.pick(&["u3", "s7", "u33", "s40", "u32"])),
        7 => (*random.pick(&["'a'", "S1", "N0", "1u", "2l", "3ull", "-1", "255", "32768"])).to_owned(),
        8 => format!("({})i", random.pick(&TYPES)),
        _ => (*random.pick(&["i", "j", "sizeof(v0)", "(_Bool)j"])).to_owned(),
    }
}

fn expression(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return format!("({})", leaf(random));
    }
    let a = expression(random, depth - 1);
    match random.below(16) {
        0..=3 => {
            let b = expression(random, depth - 1);
            format!("({a} {} {b})", random.pick(&["+", "-", "*", "&", "|", "^"]))
        }
        4 => {
            let b = expression(random, depth - 1);
            format!("({a} {} {b})", random.pick(&["<", ">=", "==", "!=", "&&", "||"]))
        }
        5 => format!(
            "({a} {} {})",
            random.pick(&["/", "%"]),
            random.pick(&["3", "7u", "5l", "(short)9", "100ull"])
        ),
        6 => format!("({a} {} {})", random.pick(&["<<", ">>"]), random.below(8)),
        7 | 8 => {
            let (b, c) = (expression(random, depth - 1), leaf(random));
            format!("(({c}) {} ? {a} : {b})", random.pick(&["", "> 1", "!= 3"]))
        }
        9 => format!("({}{a})", random.pick(&["-", "~", "!", "+"])),
        10 => format!("(({}){a})", random.pick(&TYPES)),
        11 => format!("({}, {a})", leaf(random)),
        12 => builtin(random, &a, depth),
        13 => call(random, &a),
        _ => {
            let (ty, op) = (random.pick(&TYPES), random.pick(&["", "+", "-", "*", "&", "|", "^"]));
            format!("({{ {ty} t_ = i + 3; t_ {op}= {a}; }})")
        }
    }
}

fn builtin(random: &mut Random, a: &str, depth: usize) -> String {
    let b = expression(random, depth - 1);
    let op = random.pick(&["add", "sub", "mul"]);
    match random.below(7) {
        0 => {
            let (word, ty) = *random.pick(&[
                ("s", "int"),
                ("u", "unsigned"),
                ("sl", "long"),
                ("ul", "unsigned long"),
                ("sll", "long long"),
                ("ull", "unsigned long long"),
            ]);
            let (sign, size) = word.split_at(1);
            let name = format!("__builtin_{sign}{op}{size}_overflow");
            format!("({{ {ty} r_; int o_ = {name}({a}, {b}, &r_); r_ + o_; }})")
        }
        1 => {
            let ty = random.pick(&[
                "signed char",
                "unsigned short",
                "int",
                "unsigned",
                "long",
                "unsigned long long",
            ]);
            format!("({{ {ty} r_; int o_ = __builtin_{op}_overflow({a}, {b}, &r_); r_ * 2 + o_; }})")
        }
        2 => {
            let ty = random.pick(&["(char)0", "(short)0", "0", "0u", "0ll", "s.u3", "s.s40"]);
            format!("__builtin_{op}_overflow_p({a}, {b}, {ty})")
        }
        3 => format!(
            "__builtin_{}({a})",
            random.pick(&["popcount", "popcountll", "parity", "parityl", "ffs", "ffsll"])
        ),
        4 => format!("__builtin_{}({a} | 1)", random.pick(&["clz", "clzl", "clzll", "ctz", "ctzll"])),
        5 => format!(
            "__builtin_{}({a})",
            random.pick(&["bswap16", "bswap32", "bswap64", "clrsb", "clrsbll", "abs", "labs"])
        ),
        _ => {
            let name = random.pick(&[
                "__sync_fetch_and_add",
                "__sync_sub_and_fetch",
                "__atomic_exchange_n",
                "__sync_lock_test_and_set",
            ]);
            let order = if name.starts_with("__atomic") { ", 5" } else { "" };
            format!("({{ short t_ = {a}; int q_ = {name}(&t_, {b}{order}); q_ * 3 + t_; }})")
        }
    }
}

/// The type of the pointer says less than the function, or something equivalent.
fn call(random: &mut Random, a: &str) -> String {
    match random.below(6) {
        0 => "({ int (*p_)() = f0; p_(); })".to_owned(),
        1 => format!("({{ int (*p_)() = j > 1 ? f1 : f4; j > 1 ? p_((int){a}) : p_((int){a}, i); }})"),
        2 => format!("({{ int (*p_)() = f2; p_(i, (long){a}); }})"),
        3 => format!("({{ void *p_ = (void *)f3; ((long (*)(long))p_)({a}); }})"),
        4 => format!(
            "({{ union {{ long (*l)(long); int (*u)(int, int); }} p_; p_.u = f4; p_.u((int){a}, j); }})"
        ),
        _ => format!("({{ int (*p_)() = (int (*)())f5; p_({a} & 255); }})"),
    }
}
