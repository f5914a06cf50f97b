//! Sizes, alignments, offsets and bit positions of structs and unions are those of gcc, in both data models:
//! a list of tricky ones and many random ones are compiled and asked. Skipped where gcc cannot build for a
//! model.

mod gcc;

use std::fmt::Write;
use summa_c::load::load_text;
use summa_c::tree::Program;
use summa_c::types::{DataModel, Record};

/// Types to build members from; those that bit-fields can have come first.
const PRELUDE: &str = "\
enum e { E0, E1, E2 };
enum __attribute__((packed)) small { S0, S1 };
enum negative { N0 = -5, N1 };
struct inner { char a; long long b; };
struct __attribute__((packed)) tight { char a; int b; short c; };
struct flags { unsigned a : 3; unsigned b : 7; };
union both { double d; char c[5]; };
typedef int int2 __attribute__((aligned(2)));
typedef int int8 __attribute__((aligned(8)));
typedef long long ll1 __attribute__((aligned(1)));
typedef long long ll8 __attribute__((aligned(8)));
typedef char char4 __attribute__((aligned(4)));
typedef struct inner inner32 __attribute__((aligned(32)));
";

/// With the greatest width of a bit-field.
const BIT_TYPES: [(&str, u64); 14] = [
    ("char", 8),
    ("unsigned char", 8),
    ("short", 16),
    ("int", 32),
    ("unsigned", 32),
    ("long long", 64),
    ("unsigned long long", 64),
    ("_Bool", 1),
    ("enum e", 32),
    ("enum small", 8),
    ("int2", 32),
    ("int8", 32),
    ("ll8", 64),
    ("ll1", 64),
];

const OTHER_TYPES: [&str; 12] = [
    "long",
    "float",
    "double",
    "long double",
    "char *",
    "enum negative",
    "struct inner",
    "struct tight",
    "struct flags",
    "union both",
    "inner32",
    "int8",
];

const TRICKY: &str = "\
struct t0 { };
struct t1 { char a; int b : 5; int c : 30; char d; };
struct t2 { int a : 3; int : 0; int b : 3; };
struct t3 { char a; int : 0; char b; };
struct t4 { char a; long long : 0; char b; };
struct t5 { char a; long long b : 40; int c : 20; };
struct t6 { char a; double b; };
struct t7 { char a; long long b; long double c; char d; };
struct t8 { int a : 5; char b : 7; short c : 9; int d; };
struct __attribute__((packed)) t9 { char a; int b : 31; int c : 2; long long d; short e; };
struct __attribute__((packed)) t10 { char a : 3; int : 0; char b : 3; };
struct __attribute__((packed, aligned(4))) t11 { char a; short b; };
struct t12 { char a; int b __attribute__((packed)); short c; };
struct t13 { char a; int b __attribute__((packed, aligned(2))); };
struct t14 { char a; struct { char b; int c; }; union { long d; char e; }; };
struct t15 { int a; char b[]; };
struct t16 { char a; long long b[]; };
union t17 { char a; int b : 3; int : 20; short c[3]; };
union t18 { int a : 9; };
union __attribute__((packed)) t19 { int a : 9; char b; };
struct t20 { int : 7; char a; };
struct t21 { long long : 33; char a; };
struct t22 { _Bool a : 1; _Bool b : 1; _Bool c; };
struct t23 { char a : 4; char b : 5; char c : 4; };
struct t24 { char a : 4 __attribute__((packed)); char b : 5 __attribute__((packed)); };
struct t25 { char a; int b : 4 __attribute__((aligned(8))); };
struct t26 { _Alignas(16) char a; char b; };
struct t27 { char a; char4 b; char4 c; };
struct t28 { char a; ll1 b[2]; } __attribute__((aligned));
struct t29 { char a; struct inner b[2]; struct tight c; char d; };
struct t30 { unsigned a : 32; unsigned b : 32; char c; };
struct t31 { short a : 16; char b; int c : 24; };
struct t32 { char a; int8 b : 4; };
struct t33 { long a : 20; long b : 20; long c : 20; };
struct t34 { int a[0]; char b; };
struct t35 { char a; __float128 b; };
struct t36 { long long a : 64 __attribute__((aligned(2))); char b; };
struct t37 { int a; long long b : 64 __attribute__((aligned(2))); char c; };
struct t38 { ll1 a : 64; char b; };
struct t39 { char a; int : 8 __attribute__((aligned(2))); char b; };
struct t40 { long long : 64; char a; };
";

/// A small pseudo-random generator: the same structs in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

fn random_records(count: usize) -> String {
    let mut random = Random(7);
    let mut text = String::new();
    for i in 0..count {
        // The last third is packed by pragma.
        if i >= count * 2 / 3 && random.chance(10) {
            let pragma = random.pick(&[
                "pack(1)",
                "pack(push, 2)",
                "pack(4)",
                "pack(8)",
                "pack(push, 4)",
                "pack(pop)",
            ]);
            let _ = writeln!(text, "#pragma {pragma}");
        }
        let keyword = if random.chance(15) { "union" } else { "struct" };
        let attribute = if random.chance(20) {
            random.pick(&[
                "__attribute__((packed))",
                "__attribute__((packed, aligned(2)))",
                "__attribute__((packed, aligned(8)))",
            ])
        } else if random.chance(15) {
            random.pick(&[
                "__attribute__((aligned(4)))",
                "__attribute__((aligned(16)))",
                "__attribute__((aligned))",
            ])
        } else {
            ""
        };
        let _ = write!(text, "{keyword} {attribute} r{i} {{");
        for j in 0..=random.below(8) {
            text.push_str(&random_member(&mut random, &format!("f{j}")));
        }
        text.push_str(" };\n");
    }
    text
}

fn random_member(random: &mut Random, name: &str) -> String {
    let attribute = if random.chance(20) {
        random.pick(&[
            " __attribute__((packed))",
            " __attribute__((aligned(2)))",
            " __attribute__((aligned(8)))",
            " __attribute__((packed, aligned(4)))",
        ])
    } else {
        ""
    };
    if random.chance(60) {
        let (ty, most) = BIT_TYPES[random.below(BIT_TYPES.len() as u64) as usize];
        if random.chance(10) {
            let width = if random.chance(50) { 0 } else { random.below(most + 1) };
            return format!(" {ty} : {width}{attribute};");
        }
        let width = if random.chance(20) { most } else { 1 + random.below(most) };
        return format!(" {ty} {name} : {width}{attribute};");
    }
    let ty =
        if random.chance(50) { BIT_TYPES[random.below(10) as usize].0 } else { random.pick(&OTHER_TYPES) };
    let is_special = matches!(ty, "inner32" | "int8");
    let array = if !is_special && random.chance(20) { random.pick(&["[1]", "[3]"]) } else { "" };
    let alignas = if random.chance(5) && attribute.is_empty() { "_Alignas(32) " } else { "" };
    format!(" {alignas}{ty} {name}{array}{attribute};")
}

/// Compares one program: what we know about each record and member, and statements that print what gcc knows.
struct Comparison<'a> {
    program: &'a Program,
    ours: String,
    printing: String,
}

impl Comparison<'_> {
    fn record(&mut self, record: &Record, tag: &str) {
        let ty = format!("{} {tag}", if record.is_union { "union" } else { "struct" });
        let _ = writeln!(self.ours, "{tag} {} {}", record.size, record.align);
        let _ = writeln!(
            self.printing,
            "printf(\"{tag} %u %u\\n\", (unsigned) sizeof({ty}), (unsigned) _Alignof({ty}));"
        );
        self.fields(record, 0, (tag, &ty, record.size as usize));
    }

    /// The members of a record that begins `base` bytes after the start of the outermost one.
    fn fields(&mut self, record: &Record, base: u64, outermost: (&str, &str, usize)) {
        let (tag, ty, size) = outermost;
        for field in &record.fields {
            let Some(symbol) = field.name else {
                let inner = self.program.types.record_of(field.ty).expect("only records are anonymous");
                self.fields(self.program.types.record(inner), base + field.offset, outermost);
                continue;
            };
            let name = self.program.name(symbol);
            if let Some(bits) = field.bits {
                let mut bytes = vec![0u8; size];
                for bit in bits.offset..bits.offset + u64::from(bits.width) {
                    bytes[(base + bit / 8) as usize] |= 1 << (bit % 8);
                }
                assert_eq!(field.offset, bits.offset / 8);
                let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                let _ = writeln!(self.ours, "{tag}.{name} {hex}");
                let _ = writeln!(
                    self.printing,
                    "{{ {ty} x; memset(&x, 0, sizeof x); x.{name} = -1; \
                     printf(\"{tag}.{name} \"); bytes(&x, sizeof x); }}"
                );
            } else {
                let _ = writeln!(self.ours, "{tag}.{name} {}", base + field.offset);
                let offset = format!("__builtin_offsetof({ty}, {name})");
                let _ = writeln!(self.printing, "printf(\"{tag}.{name} %u\\n\", (unsigned) {offset});");
            }
        }
    }
}

fn compare(model: DataModel, flag: &str) {
    let source = format!("{PRELUDE}{TRICKY}{}", random_records(900));
    let program = match load_text("layout.c", &source, model) {
        Ok(loaded) => loaded.program,
        Err(failure) => panic!("{:?}", failure.diagnostics),
    };
    let mut comparison = Comparison { program: &program, ours: String::new(), printing: String::new() };
    for (_, record) in program.types.records() {
        if let Some(tag) = record.tag {
            comparison.record(record, program.name(tag));
        }
    }
    let Comparison { ours, printing, .. } = comparison;
    let c = format!(
        "#include <stdio.h>\n#include <string.h>\n{source}{}int main(void) {{\n{printing}return 0;\n}}\n",
        gcc::PRINT_BYTES
    );
    let Some(theirs) = gcc::run("layout", &c, flag) else { return };
    let declaration = |line: &str| {
        let tag = line.split([' ', '.']).next().unwrap_or("");
        source.lines().find(|l| l.contains(&format!(" {tag} {{"))).unwrap_or("").to_string()
    };
    let differences: Vec<String> = ours
        .lines()
        .zip(theirs.lines())
        .filter(|(a, b)| a != b)
        .map(|(a, b)| format!("ours {a}\ngcc  {b}\n{}", declaration(b)))
        .collect();
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences[..differences.len().min(10)].join("\n")
    );
    assert_eq!(ours.lines().count(), theirs.lines().count());
    assert!(ours.lines().count() > 2000);
}

#[test]
fn layout_of_lp64_is_that_of_gcc() {
    compare(DataModel::Lp64, "-m64");
}

#[test]
fn layout_of_ilp32_is_that_of_gcc() {
    compare(DataModel::Ilp32, "-m32");
}
