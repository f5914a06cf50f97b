//! Programs about indeterminate values that are copied: what is equal whatever they are, and what is not.
//!
//! The generator follows which members hold the same value, so that it knows the truth: two members are equal
//! in every execution exactly if their values are the same constant or came from the same indeterminate
//! bytes.

use crate::random::Random;
use std::fmt::Write;

const PRELUDE: &str = "\
extern void reach_error(void);
void *malloc(unsigned long);
void *realloc(void *, unsigned long);
void *memcpy(void *, const void *, unsigned long);
void *memmove(void *, const void *, unsigned long);
struct S { int a; char c; short h; unsigned p : 3, q : 5; long l; union { int i; unsigned char b[4]; } u; };
static struct S same(struct S s) { return s; }
static struct S *other(struct S *s) { struct S t = *s; *s = t; return s; }
";

const MEMBERS: [&str; 7] = ["a", "c", "h", "p", "q", "l", "u.i"];
const PLACES: [&str; 6] = ["s", "t", "v[0]", "v[1]", "h[0]", "h[1]"];

/// What a member holds: a constant, or the indeterminate value with a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Constant(i64),
    Indeterminate(usize),
}

type Record = [Value; MEMBERS.len()];

/// A program from its seed, and whether it is safe.
pub fn generate_copies(seed: u64) -> (String, bool) {
    let mut random = Random::new(seed);
    let random = &mut random;
    let mut text = String::from(PRELUDE);
    text.push_str("int main(void)\n{\n    struct S s, t, v[2], *h = malloc(2 * sizeof *h);\n");
    let mut values: Vec<Record> = (0..PLACES.len())
        .map(|place| std::array::from_fn(|member| Value::Indeterminate(place * MEMBERS.len() + member)))
        .collect();
    for _ in 0..random.between(2, 8) {
        let (to, from, member) =
            (random.below(PLACES.len()), random.below(PLACES.len()), random.below(MEMBERS.len()));
        let (target, source, name) = (PLACES[to], PLACES[from], MEMBERS[member]);
        let line = match random.below(12) {
            0..=2 => {
                let constant = random.between(0, 3);
                values[to][member] = Value::Constant(constant);
                format!("{target}.{name} = {constant};")
            }
            3 | 4 => {
                values[to][member] = values[from][member];
                format!("{target}.{name} = {source}.{name};")
            }
            5 => format!("h = realloc(h, {} * sizeof *h);", random.between(2, 4)),
            6 => format!("other(&{target});"),
            way => {
                values[to] = values[from];
                match way {
                    7 => format!("{target} = same({source});"),
                    8 if to != from => format!("memcpy(&{target}, &{source}, sizeof s);"),
                    9 => format!("memmove(&{target}, &{source}, sizeof s);"),
                    10 => format!("{target} = *other(&{source});"),
                    _ => format!("{target} = {source};"),
                }
            }
        };
        let _ = writeln!(text, "    {line}");
    }
    let (one, two) = (random.below(PLACES.len()), random.below(PLACES.len()));
    let member = random.below(MEMBERS.len());
    // Mostly about what is equal: two members that differ are easily found.
    let equal: Vec<(usize, usize, usize)> = (0..MEMBERS.len())
        .flat_map(|member| {
            let values = &values;
            (0..PLACES.len()).flat_map(move |one| {
                (one + 1..PLACES.len())
                    .filter(move |&two| values[one][member] == values[two][member])
                    .map(move |two| (one, two, member))
            })
        })
        .collect();
    let (one, two, member) = match equal.as_slice() {
        [] => (one, two, member),
        some if random.chance(65) => *random.pick(some),
        _ => (one, two, member),
    };
    let name = MEMBERS[member];
    let _ = writeln!(text, "    if ({}.{name} != {}.{name}) reach_error();", PLACES[one], PLACES[two]);
    text.push_str("    return 0;\n}\n");
    (text, values[one][member] == values[two][member])
}
