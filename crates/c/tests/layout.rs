//! Sizes, alignments, offsets and bit positions of structs and unions are those of gcc, in both data models: a list of
//! tricky ones and many random ones are compiled and asked. Skipped where gcc cannot build for a model.

use std::fmt::Write;
use std::process::Command;
use summa_c::load::load_text;
use summa_c::types::{DataModel, Record, Types};

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
        let keyword = if random.chance(15) { "union" } else { "struct" };
        let attribute = if random.chance(20) {
            random.pick(&[
                "__attribute__((packed))",
                "__attribute__((packed, aligned(2)))",
                "__attribute__((packed, aligned(8)))",
            ])
        } else if random.chance(15) {
            random.pick(&["__attribute__((aligned(4)))", "__attribute__((aligned(16)))", "__attribute__((aligned))"])
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
    let ty = if random.chance(50) { BIT_TYPES[random.below(10) as usize].0 } else { random.pick(&OTHER_TYPES) };
    let is_special = matches!(ty, "inner32" | "int8");
    let array = if !is_special && random.chance(20) { random.pick(&["[1]", "[3]"]) } else { "" };
    let alignas = if random.chance(5) && attribute.is_empty() { "_Alignas(32) " } else { "" };
    format!(" {alignas}{ty} {name}{array}{attribute};")
}

/// One line per record and member, as the program that gcc builds prints them.
fn describe(types: &Types, record: &Record, tag: &str, name: impl Fn(summa_base::Symbol) -> String + Copy) -> String {
    let mut text = format!("{tag} {} {}\n", record.size, record.align);
    describe_fields(types, record, 0, tag, name, &mut text);
    text
}

fn describe_fields(
    types: &Types,
    record: &Record,
    base: u64,
    tag: &str,
    name: impl Fn(summa_base::Symbol) -> String + Copy,
    text: &mut String,
) {
    let size = types.records().find(|(_, r)| r.tag.map(name).as_deref() == Some(tag)).unwrap().1.size;
    for field in &record.fields {
        match (field.name, field.bits) {
            (Some(symbol), Some(bits)) => {
                let mut bytes = vec![0u8; size as usize];
                for bit in bits.offset..bits.offset + u64::from(bits.width) {
                    bytes[(base + bit / 8) as usize] |= 1 << (bit % 8);
                }
                assert_eq!(field.offset, bits.offset / 8);
                let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
                let _ = writeln!(text, "{tag}.{} {hex}", name(symbol));
            }
            (Some(symbol), None) => {
                let _ = writeln!(text, "{tag}.{} {}", name(symbol), base + field.offset);
            }
            (None, _) => {
                let inner = types.record(types.record_of(field.ty).unwrap());
                describe_fields(types, inner, base + field.offset, tag, name, text);
            }
        }
    }
}

/// The C statements that print what [`describe`] says, for one record.
fn printing(types: &Types, record: &Record, tag: &str, name: impl Fn(summa_base::Symbol) -> String + Copy) -> String {
    let keyword = if record.is_union { "union" } else { "struct" };
    let mut text =
        format!("printf(\"{tag} %u %u\\n\", (unsigned) sizeof({keyword} {tag}), (unsigned) _Alignof({keyword} {tag}));\n");
    printing_fields(types, record, &format!("{keyword} {tag}"), tag, name, &mut text);
    text
}

fn printing_fields(
    types: &Types,
    record: &Record,
    ty: &str,
    tag: &str,
    name: impl Fn(summa_base::Symbol) -> String + Copy,
    text: &mut String,
) {
    for field in &record.fields {
        let Some(symbol) = field.name else {
            let inner = types.record(types.record_of(field.ty).unwrap());
            printing_fields(types, inner, ty, tag, name, text);
            continue;
        };
        let field_name = name(symbol);
        let _ = match field.bits {
            Some(_) => writeln!(
                text,
                "{{ {ty} x; memset(&x, 0, sizeof x); x.{field_name} = -1; \
                 printf(\"{tag}.{field_name} \"); bytes(&x, sizeof x); }}"
            ),
            None => writeln!(
                text,
                "printf(\"{tag}.{field_name} %u\\n\", (unsigned) __builtin_offsetof({ty}, {field_name}));"
            ),
        };
    }
}

fn compare(model: DataModel, flag: &str) {
    let source = format!("{PRELUDE}{TRICKY}{}", random_records(600));
    // __float128 needs no library here, but its 12-byte neighbour differs between models: both are in the list.
    let loaded = match load_text("layout.c", &source, model) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("{:?}", failure.diagnostics),
    };
    let types = &loaded.program.types;
    let name = |symbol| loaded.program.name(symbol).to_string();
    let mut ours = String::new();
    let mut main = String::new();
    for (_, record) in types.records() {
        let Some(tag) = record.tag.map(name) else { continue };
        ours.push_str(&describe(types, record, &tag, name));
        main.push_str(&printing(types, record, &tag, name));
    }
    let program = format!(
        "#include <stdio.h>\n#include <string.h>\n{source}\
         static void bytes(void *p, unsigned n) {{\n\
         unsigned i; for (i = 0; i < n; i++) printf(\"%02x\", ((unsigned char *) p)[i]); printf(\"\\n\"); }}\n\
         int main(void) {{\n{main}return 0;\n}}\n"
    );
    let Some(theirs) = run_with_gcc(&program, flag) else {
        eprintln!("skipped: gcc {flag} is not available");
        return;
    };
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
    assert!(differences.is_empty(), "{} differences\n{}", differences.len(), differences[..differences.len().min(10)].join("\n"));
    assert_eq!(ours.lines().count(), theirs.lines().count());
    assert!(ours.lines().count() > 2000);
}

/// The output of the program, or None if it cannot be built.
fn run_with_gcc(program: &str, flag: &str) -> Option<String> {
    let folder = std::env::temp_dir().join(format!("summa-layout-{}{flag}", std::process::id()));
    std::fs::create_dir_all(&folder).ok()?;
    let (source, binary) = (folder.join("layout.c"), folder.join("layout"));
    std::fs::write(&source, program).ok()?;
    let probe = folder.join("probe.c");
    std::fs::write(&probe, "#include <stdio.h>\nint main(void) { return 0; }\n").ok()?;
    let build = |source: &std::path::Path| {
        Command::new("gcc").args(["-w", "-std=gnu11", flag, "-o"]).arg(&binary).arg(source).output().ok()
    };
    let output = if build(&probe)?.status.success() {
        let built = build(&source)?;
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let output = Command::new(&binary).output().ok()?;
        Some(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        None
    };
    let _ = std::fs::remove_dir_all(&folder);
    output
}

#[test]
fn layout_of_lp64_is_that_of_gcc() {
    compare(DataModel::Lp64, "-m64");
}

#[test]
fn layout_of_ilp32_is_that_of_gcc() {
    compare(DataModel::Ilp32, "-m32");
}
