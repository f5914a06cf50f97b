//! Static initialisers give the bytes that gcc gives, in both data models; automatic ones are checked as
//! statements.

mod gcc;

use std::fmt::Write;
use summa_c::load::load_text;
use summa_c::tree::{PlaceId, PlaceKind, Program, StmtKind, VarKind};
use summa_c::types::{BitField, DataModel, Type, TypeId};
use summa_c::{fold, print};

const OBJECTS: &str = r#"
struct point { int x, y; };
struct line { struct point a, b; };
struct mixed { char c; struct point p[2]; union { short s; long long l; char bytes[8]; } u; unsigned f : 3, g : 5; };
typedef struct { int n; struct { int deep; char text[6]; }; } named;
enum { TWO = 2, FIVE = 5 };
struct empty { };
struct with_empty { int a; struct empty e; int b; };
typedef int triple[3];
int a0[5] = { 1, 2, 3 };
int a1[] = { 1, 2, 3, [8] = 9, 10 };
int a2[2][3] = { 1, 2, 3, 4 };
int a3[2][3] = { { 1 }, { 2, 3 } };
int a4[][2] = { 1, 2, 3 };
int a5[10] = { [2 ... 5] = 7, [4] = 0, 8 };
int a6[] = { [3] = 1, [0] = 5, 6, 7, 8 };
struct point a7[3] = { [1].y = 4, 5, [0] = { 1, 2 } };
struct point a8[4] = { [0 ... 2] = { 1, 2 }, [1].x = 9 };
struct point a9[4] = { [1 ... 2].y = 3, 4 };
struct line b0 = { 1, 2, 3, 4 };
struct line b1 = { { 1 }, { .y = 2 } };
struct line b2 = { .b = { 7, 8 }, .a.x = 1, 2 };
struct line b3 = { .a = { 1, 2 }, .a = { 3 } };
struct line b4 = { .b.x = 3, 4 };
struct mixed c0 = { 'x', { { 1, 2 }, { 3, 4 } }, { 5 }, 6, 7 };
struct mixed c1 = { .u.l = 0x1122334455667788LL, .g = 3, .p[1].x = -1 };
struct mixed c2 = { 1, 2, 3, 4, 5, 6, 7, 8 };
struct mixed c3 = { .u.l = -1, .u.s = 2 };
struct mixed c4 = { .u = { .bytes = "abc" }, .f = 15 };
struct mixed c5 = { .u.bytes = "abcdefgh", 1 };
named d0 = { 1, 2, "hi" };
named d1 = { .deep = 5, "text", .n = TWO };
named d2 = { .text = { 'a', [3] = 'b' } };
char e0[] = "hello";
char e1[5] = "hello";
char e2[10] = { "hi" };
char e3[3][4] = { "abc", "abcd", { 'x' } };
unsigned char e4[] = { "a" "b\0c" };
char e5[2][3] = { { "ab" }, "c" };
__typeof__(L'a') e6[] = L"w\x1234";
unsigned short e7[] = u"u\xffff";
struct { char s[4]; int n; } e8[] = { "ab", 1, { "cd", 2 }, { .n = 3, .s = "ef" } };
struct { char s[4]; } e9 = { .s = "abc", .s[1] = 0 };
int f0 = { 5 };
_Bool f2 = 17, f3 = 0.5;
unsigned char f4 = 300;
long long f5 = -1;
short f6 = 'a' + FIVE * 1000;
int f7 = 1.9;
struct with_empty g0 = { 1, {}, 2 };
triple g1[2] = { 1, 2, 3, 4 };
struct point g2 = (struct point) { 3, 4 };
struct point g3[] = { (struct point) { 1, 2 }, { 5 }, 6, 7 };
int g4[] = (int[]) { 1, 2, 3 };
union { int i; char c; } g5 = { .c = 1 };
union { struct point p; long long l[3]; } g6 = { 1, 2 };
union { struct point p; long long l[3]; } g7[2] = { { .l = { 1, 2, 3 } }, 4, 5 };
struct { int : 4; int a : 4; int : 0; int b; } g8 = { 1, 2 };
struct { int n; int tail[]; } g9 = { 1 };
int h0 = sizeof(a1), h1 = sizeof a4 / sizeof *a4, h2 = __builtin_offsetof(struct mixed, u.bytes[3]);
const int h3 = 42;
int h4 = TWO ? h3 + 1 : 0;
int h5[] = { 1 > 2 ? 3 : 4, 5 && 0, !7, ~8, -9 % 4, 1 << 10 };
int old[] = { [2] 5, 6 };
struct point colon = { y: 3, x: 4 };
unsigned long h6 = -1, h7 = 1ul << 31;
enum { BIG = 0x80000000u, NEGATIVE = -1 } h8 = BIG;
"#;

/// The bytes of all globals, one line each, as the initialisers say.
fn images(program: &Program) -> String {
    let mut text = String::new();
    for (id, variable) in program.vars.iter().filter(|(_, v)| v.kind == VarKind::Global) {
        let mut bytes = vec![0u8; size_of(program, variable.ty) as usize];
        for &(place, value) in &variable.init {
            let (offset, bits) = position(program, place);
            let size = size_of(program, program.exprs.place(place).ty);
            let value = fold::int(&program.types, &program.exprs, value)
                .unwrap_or_else(|| panic!("{} = {}", print::var(program, id), print::expr(program, value)));
            let (first, width) =
                bits.map_or((offset * 8, size as u32 * 8), |b| (offset * 8 + b.offset, b.width));
            for bit in 0..u64::from(width) {
                let (byte, mask) = ((first + bit) / 8, 1 << ((first + bit) % 8));
                bytes[byte as usize] &= !mask;
                bytes[byte as usize] |= mask * ((value >> bit) & 1) as u8;
            }
        }
        let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
        let _ = writeln!(text, "{} {hex}", program.var_name(id));
    }
    text
}

fn size_of(program: &Program, ty: TypeId) -> u64 {
    program.types.size_of(ty).expect("a complete type")
}

/// Byte offset of a place in its variable; for a bit-field, of the record it belongs to.
fn position(program: &Program, place: PlaceId) -> (u64, Option<BitField>) {
    match program.exprs.place(place).kind {
        PlaceKind::Var(_) => (0, None),
        PlaceKind::Field(base, index) => {
            let (offset, _) = position(program, base);
            let Type::Record(record) = *program.types.get(program.exprs.place(base).ty) else {
                panic!("a field of what is no record")
            };
            let field = &program.types.record(record).fields[index as usize];
            let start = if field.bits.is_some() { 0 } else { field.offset };
            (offset + start, field.bits)
        }
        PlaceKind::Index(base, index) => {
            let size = size_of(program, program.exprs.place(place).ty);
            (
                position(program, base).0
                    + size * program.exprs.as_int(index).expect("a constant index") as u64,
                None,
            )
        }
        PlaceKind::Deref(_) => panic!("an initialiser of something behind a pointer"),
    }
}

fn compare(model: DataModel, flag: &str) {
    let loaded = match load_text("init.c", OBJECTS, model) {
        Ok(loaded) => loaded,
        Err(failure) => panic!("{:?}", failure.diagnostics),
    };
    let ours = images(&loaded.program);
    let mut main = String::new();
    for line in ours.lines() {
        let name = line.split(' ').next().unwrap_or("");
        let _ = writeln!(main, "printf(\"{name} \"); bytes(&{name}, sizeof {name});");
    }
    let program =
        format!("#include <stdio.h>\n{OBJECTS}{}int main(void) {{\n{main}return 0;\n}}\n", gcc::PRINT_BYTES);
    if let Some(theirs) = gcc::run("init", &program, flag) {
        assert_eq!(ours, theirs);
    }
    assert!(ours.lines().count() > 60);
}

#[test]
fn static_objects_of_lp64_have_the_bytes_of_gcc() {
    compare(DataModel::Lp64, "-m64");
}

#[test]
fn static_objects_of_ilp32_have_the_bytes_of_gcc() {
    compare(DataModel::Ilp32, "-m32");
}

/// The statements of `f`, one per line; assignments and zeroing only.
fn stores(source: &str) -> String {
    let program = match load_text("test.c", source, DataModel::Lp64) {
        Ok(loaded) => loaded.program,
        Err(failure) => return failure.diagnostics.iter().map(|d| format!("{}\n", d.message)).collect(),
    };
    let function = program.find_function("f").expect("a function `f`");
    let mut text = String::new();
    let body = program.functions[function].body.as_ref().expect("a body");
    let mut todo: Vec<_> = body.stmts.iter().rev().collect();
    while let Some(stmt) = todo.pop() {
        let _ = match &stmt.kind {
            StmtKind::Zero(place) => writeln!(text, "zero {}", print::place(&program, *place)),
            StmtKind::Assign(place, value) => {
                writeln!(text, "{} = {}", print::place(&program, *place), print::expr(&program, *value))
            }
            StmtKind::Unsupported(why) => writeln!(text, "unsupported: {why}"),
            StmtKind::Block(inner) => {
                todo.extend(inner.iter().rev());
                Ok(())
            }
            _ => Ok(()),
        };
    }
    text
}

#[test]
fn partly_initialised_objects_are_zeroed_first() {
    expect_test::expect![[r#"
        zero a
        zero s
        s.y = b
    "#]]
    .assert_eq(&stores("void f(int b) { int a[1000] = { 0 }; struct { int x, y; } s = { .y = b }; }"));
}

#[test]
fn fully_initialised_objects_are_only_assigned() {
    expect_test::expect![[r#"
        s.x = b
        s.y = b + 1
        t[0] = 104
        t[1] = 105
        t[2] = 0
        n = 3
    "#]]
    .assert_eq(&stores(
        "void f(int b) { struct { int x, y; } s = { b, b + 1 }; char t[] = \"hi\"; int n = { 3 }; }",
    ));
}

#[test]
fn a_range_evaluates_its_value_once() {
    expect_test::expect![[r#"
        b = b + 1
        __tmp1 = b
        a[0] = __tmp1
        a[1] = __tmp1
    "#]]
    .assert_eq(&stores("void f(int b) { int a[2] = { [0 ... 1] = ++b }; }"));
}

#[test]
fn records_are_copied_whole_and_lists_may_leave_out_braces() {
    expect_test::expect![[r#"
        l.a = p
        l.b.x = 1
        l.b.y = 2
    "#]]
    .assert_eq(&stores(
        "struct p { int x, y; }; struct l { struct p a, b; }; \
         void f(struct p p) { struct l l = { p, 1, 2 }; }",
    ));
}

#[test]
fn what_is_not_constant_or_not_an_element_is_an_error() {
    expect_test::expect![[r#"
        the initial value of a static object must be constant
    "#]]
    .assert_eq(&stores("int g(void); int x = g(); void f(void) {}"));
    expect_test::expect![[r#"
        the index 3 lies outside of the array
    "#]]
    .assert_eq(&stores("void f(void) { int a[3] = { [3] = 1 }; }"));
    expect_test::expect![[r#"
        `struct s` has no member `z`
    "#]]
    .assert_eq(&stores("struct s { int a; }; void f(void) { struct s a = { .z = 1 }; }"));
}

#[test]
fn an_initialised_flexible_array_is_unsupported_where_it_is_used() {
    expect_test::expect![[r#"
        unsupported: an initialised flexible array member
    "#]]
    .assert_eq(&stores("struct { int n; int tail[]; } g = { 1, { 2, 3 } }; int f(void) { return g.n; }"));
}
