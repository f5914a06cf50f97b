//! Programs whose accesses may leave a member of a struct, or walk over the whole of an object.
//!
//! One object of a random struct (arrays, scalars, a bit-field, a union, a struct and a matrix beside each
//! other) is filled with numbers. For one value of the input, a byte or an element somewhere in the object is
//! written, through an index, a pointer or a library function, in one of many ways that C programs use. Then
//! some member is read. Nothing leaves the object, and nothing unwritten is read, so every run has the
//! meaning that gcc gives it.

use super::{HOLE, observed_by};
use crate::random::Random;
use std::fmt::Write;

const PRELUDE: &str = "\
extern void reach_error(void);
extern void __VERIFIER_assume(int);
extern int __VERIFIER_nondet_int(void);
extern void *malloc(unsigned long);
extern void *memset(void *, int, unsigned long);
extern void *memcpy(void *, const void *, unsigned long);
extern char *strcpy(char *, const char *);
extern unsigned long strlen(const char *);
";

/// How the program finds out that the input is the one.
pub const TRIGGER: &str = "t == 3";

/// A member: its declaration, and elements or scalars in it that can be looked at.
struct Member {
    declaration: String,
    /// Name, element type, size of an element, elements; None if it is no array of numbers.
    array: Option<(String, &'static str, u64, u64)>,
    size: u64,
    align: u64,
    /// What to look at.
    values: Vec<String>,
}

struct Made {
    members: Vec<(Member, u64)>,
    size: u64,
}

/// A program from its seed.
pub fn generate_members(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x6d65_6d62);
    let made = members(&mut random);
    let text = program(&mut random, &made);
    let mut values: Vec<String> = Vec::new();
    for (member, _) in &made.members {
        values.extend(member.values.iter().map(|value| format!("o->{value}")));
    }
    let observed = match random.below(3) {
        0 => format!("{} + 7 * {}", random.pick(&values), random.pick(&values)),
        _ => random.pick(&values).clone(),
    };
    let wants_error = random.chance(50);
    observed_by(&mut random, &text, &observed, wants_error)
}

fn scalar(random: &mut Random) -> (&'static str, u64) {
    *random.pick(&[("char", 1), ("unsigned char", 1), ("short", 2), ("int", 4), ("unsigned", 4), ("long", 8)])
}

fn members(random: &mut Random) -> Made {
    let mut members: Vec<(Member, u64)> = Vec::new();
    let mut end = 0u64;
    let count = 2 + random.below(4);
    for number in 0..count {
        let member = member(random, number);
        end = end.next_multiple_of(member.align);
        let offset = end;
        end += member.size;
        members.push((member, offset));
    }
    let align = members.iter().map(|(member, _)| member.align).max().unwrap_or(1);
    Made { members, size: end.next_multiple_of(align) }
}

fn member(random: &mut Random, number: usize) -> Member {
    let name = format!("m{number}");
    let (ty, size) = scalar(random);
    let plain = |declaration: String, size: u64, align: u64, values: Vec<String>| Member {
        declaration,
        array: None,
        size,
        align,
        values,
    };
    match random.below(9) {
        0..=3 => {
            let count = 1 + random.below(4) as u64;
            Member {
                array: Some((name.clone(), ty, size, count)),
                ..plain(
                    format!("{ty} {name}[{count}];"),
                    size * count,
                    size,
                    (0..count).map(|i| format!("{name}[{i}]")).collect(),
                )
            }
        }
        4 | 5 => plain(format!("{ty} {name};"), size, size, vec![name]),
        // A bit-field that is all of its unit, so that it has its own bytes.
        6 => plain(format!("unsigned {name}:32;"), 4, 4, vec![name]),
        7 => {
            let values = vec![format!("{name}.whole"), format!("{name}.part[1]")];
            plain(format!("union {{ int whole; unsigned char part[4]; }} {name};"), 4, 4, values)
        }
        _ if random.chance(50) => {
            let values = vec![format!("{name}.a[0]"), format!("{name}.a[1]"), format!("{name}.b")];
            plain(format!("struct {{ short a[2]; short b; }} {name};"), 6, 2, values)
        }
        _ => Member {
            array: Some((format!("{name}[0]"), ty, size, 2)),
            ..plain(
                format!("{ty} {name}[2][2];"),
                4 * size,
                size,
                vec![format!("{name}[0][1]"), format!("{name}[1][0]"), format!("{name}[1][1]")],
            )
        },
    }
}

fn program(random: &mut Random, made: &Made) -> String {
    let mut out = String::from(PRELUDE);
    let declarations: Vec<&str> =
        made.members.iter().map(|(member, _)| member.declaration.as_str()).collect();
    let _ = writeln!(out, "struct S {{ {} }};", declarations.join(" "));
    let size = made.size;
    out += "void fill(void *p, unsigned long n, int v) { unsigned char *q = p; while (n--) *q++ = v; }\n";
    out += "void put(unsigned char *p, long at, int v) { p[at] = v; }\n";
    out += "struct S give(void) { struct S s; fill(&s, sizeof s, 1); return s; }\n";
    out += "struct S global;\n";
    out += "int main(void) {\n  int t = __VERIFIER_nondet_int();\n  __VERIFIER_assume(t >= 0 && t <= 4);\n";
    // The object, filled with ones.
    match random.below(6) {
        0 => out += "  struct S *o = &global; fill(o, sizeof *o, 1);\n",
        1 => out += "  struct S local; struct S *o = &local; memset(&local, 1, sizeof local);\n",
        2 => out += "  struct S local = give(); struct S *o = &local;\n",
        3 => out += "  struct S *o = malloc(sizeof(struct S)); memset(o, 1, sizeof(struct S));\n",
        4 => out += "  struct S many[2]; fill(many, sizeof many, 1); struct S *o = many + 1;\n",
        _ => {
            out += "  struct S local, *o = &local; fill(&local, sizeof local, 1); struct S copy = local; \
                o = &copy;\n";
        }
    }
    let _ = writeln!(out, "  int hit = 0; if ({TRIGGER}) hit = 1;");
    for _ in 0..1 + random.below(2) {
        let line = write(random, made, size);
        let _ = writeln!(out, "  {line}");
    }
    if random.chance(30) {
        // An access that stays inside, however it is written.
        if let Some((name, _, _, count)) = some_array(random, made).1 {
            let _ =
                writeln!(out, "  for (int i = 0; i < {count}; i++) o->{name}[i] = {};", random.between(1, 5));
        }
    }
    let _ = writeln!(out, "  {HOLE}\n  return 0;\n}}");
    out
}

/// Some array with its offset; None if there is none.
fn some_array(random: &mut Random, made: &Made) -> (u64, Option<(String, &'static str, u64, u64)>) {
    let arrays: Vec<&(Member, u64)> =
        made.members.iter().filter(|(member, _)| member.array.is_some()).collect();
    match arrays.is_empty() {
        true => (0, None),
        false => {
            let (member, offset) = random.pick(&arrays);
            (*offset, member.array.clone())
        }
    }
}

/// One write, if the input is the one.
fn write(random: &mut Random, made: &Made, size: u64) -> String {
    let value = random.between(2, 9);
    let to = random.below(size as usize) as i64;
    let (offset, array) = some_array(random, made);
    let whole = match random.below(7) {
        0 => format!("unsigned char *q = (unsigned char *)o; if (hit) q[{to}] = {value};"),
        1 => format!("if (hit) ((unsigned char *)(o + 1))[{}] = {value};", to - size as i64),
        2 => format!("void *v = o; void *table[2] = {{0, v}}; if (hit) put(table[1], {to}, {value});"),
        3 => format!("unsigned long n = (unsigned long)o + {to}; if (hit) *(unsigned char *)n = {value};"),
        4 => format!("if (hit) fill(o, {}, {value});", to + 1),
        5 => format!("if (hit) memset(o, {value}, {});", to + 1),
        _ => format!("char *q = (char *)o, *e = (char *)(o + 1); for (; q < e; q++) if (hit) *q = {value};"),
    };
    let Some((name, ty, step, count)) = array.filter(|_| random.chance(75)) else {
        return format!("{{ {whole} }}");
    };
    // An element of the array's type somewhere in the object, counted from the array.
    let places = ((size - offset) / step) as i64;
    let first = -((offset / step) as i64);
    let index = random.between(first, places - 1);
    let inside = random.below(count as usize) as i64;
    let is_text = ty == "char" && places > 1;
    let text = match random.below(9) {
        0 => format!("int i = 0; if (hit) i = {index}; o->{name}[i] = {value};"),
        1 => format!("if (hit) o->{name}[{index}] = {value};"),
        2 => format!("{ty} *p = o->{name} + {inside}; if (hit) p[{}] = {value};", index - inside),
        3 => format!("{ty} *p = &o->{name}[{inside}]; if (hit) *(p + ({})) = {value};", index - inside),
        4 if index >= 0 => {
            format!("for (int i = 0; i < (hit ? {} : {inside}); i++) o->{name}[i] = {value};", index + 1)
        }
        5 if index >= 0 => {
            format!("{ty} *p = o->{name}; while (p - o->{name} < (hit ? {} : 0)) *p++ = {value};", index + 1)
        }
        6 => format!("if (hit) put((unsigned char *)o->{name}, {}, {value});", to - offset as i64),
        7 if is_text => {
            let length = random.below(places.min(40) as usize);
            format!(
                "if (hit) strcpy(o->{name}, \"{}\");",
                &"abcdefghijklmnopqrstuvwxyz0123456789abcdefghij"[..length]
            )
        }
        8 if index >= 0 => format!(
            "unsigned char from[{0}]; memset(from, {value}, {0}); if (hit) memcpy(o->{name}, from, {0});",
            (index as u64 + 1) * step
        ),
        _ => format!(
            "struct S *back = (struct S *)((char *)o->{name} - {offset}); \
             if (hit) ((unsigned char *)back)[{to}] = {value};"
        ),
    };
    format!("{{ {text} }}")
}
