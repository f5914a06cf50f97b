//! What names mean: scopes and linkage, types of declarators, functions of several files, and the messages
//! for declarations that contradict each other.

use expect_test::{Expect, expect};
use std::fmt::Write;
use summa_c::load::{LoadOptions, load, load_text, load_texts};
use summa_c::tree::{Program, StmtKind, VarKind};
use summa_c::types::{DataModel, Type};
use summa_c::{Diagnostic, print};

fn messages(diagnostics: &[Diagnostic]) -> String {
    diagnostics.iter().fold(String::new(), |mut text, d| {
        let _ = writeln!(text, "{:?}: {}", d.severity, d.message);
        text
    })
}

/// Functions and variables with static storage, in C syntax, or the diagnostics.
fn check(source: &str, expected: Expect) {
    check_model(source, DataModel::Lp64, expected);
}

fn check_model(source: &str, model: DataModel, expected: Expect) {
    let text = match load_text("test.c", source, model) {
        Ok(loaded) => describe(&loaded.program) + &messages(&loaded.warnings),
        Err(failure) => messages(&failure.diagnostics),
    };
    expected.assert_eq(&text);
}

fn describe(program: &Program) -> String {
    let mut text = String::new();
    for (id, function) in program.functions.iter() {
        let ty = program.types.declare(function.ty, program.func_name(id), &program.names);
        let storage = if function.is_static { "static " } else { "" };
        let Some(body) = &function.body else {
            let _ = writeln!(text, "{storage}{ty};");
            continue;
        };
        let params: Vec<String> = function
            .params
            .iter()
            .map(|&p| program.types.declare(program.vars[p].ty, program.var_name(p), &program.names))
            .collect();
        let _ = writeln!(text, "{storage}{ty} with ({})", params.join(", "));
        for stmt in &body.stmts {
            let _ = match &stmt.kind {
                StmtKind::Unsupported(why) => writeln!(text, "  unsupported: {why}"),
                StmtKind::Assign(place, value) => {
                    writeln!(text, "  {} = {}", print::place(program, *place), print::expr(program, *value))
                }
                StmtKind::Return(Some(value)) => writeln!(text, "  return {}", print::expr(program, *value)),
                _ => Ok(()),
            };
        }
    }
    let is_shown = |kind| matches!(kind, VarKind::Global | VarKind::External | VarKind::Static(_));
    for (id, variable) in program.vars.iter().filter(|(_, v)| is_shown(v.kind)) {
        let ty = program.types.declare(variable.ty, program.var_name(id), &program.names);
        let kind = match variable.kind {
            VarKind::External => "external",
            VarKind::Global => "global",
            _ => "static",
        };
        let quals = format!(
            "{}{}{}",
            if variable.is_const { " const" } else { "" },
            if variable.is_volatile { " volatile" } else { "" },
            if variable.is_thread_local { " thread" } else { "" },
        );
        let init: Vec<String> = variable.init.iter().map(|(_, value)| print::expr(program, *value)).collect();
        let _ = writeln!(text, "{kind}{quals} {ty} = {{{}}}", init.join(", "));
    }
    text
}

#[test]
fn declarators_are_read_inside_out() {
    check(
        "int *a[3], (*b)[3]; char *(*c)(int, char *[]); void (*signal(int, void (*)(int)))(int);
         typedef int row[4]; row d[2]; const int e = 1, *f, *const g = 0; volatile row h; __thread int i;",
        expect![[r#"
            void (*signal(int, void (*)(int)))(int);
            global int *a[3] = {}
            global int (*b)[3] = {}
            global char *(*c)(int, char **) = {}
            global int d[2][4] = {}
            global const int e = {1}
            global int *f = {}
            global const int *g = {}
            global volatile int h[4] = {}
            global thread int i = {}
        "#]],
    );
}

#[test]
fn tentative_definitions_and_externs_come_together() {
    check(
        "extern int a[]; int a[]; int a[4]; extern int b; int c; int c = 3; int c; extern int d; \
         static int e[];
         int use(void) { extern int late; return late; } int late = 7; struct s; extern struct s x; \
         struct s { int a; };",
        expect![[r#"
            int use(void) with ()
              return late
            global int a[4] = {}
            external int b = {}
            global int c = {3}
            external int d = {}
            global int e[1] = {}
            global int late = {7}
            external struct s x = {}
            Warning: the array `e` has no length: one element is assumed
        "#]],
    );
}

#[test]
fn enums_have_the_types_of_gcc() {
    check(
        "enum a { A1, A2 = 5, A3 }; enum b { B1 = -1 }; enum c { C1 = 1ll << 40, C2 }; \
         enum __attribute__((packed)) d { D1 };
         enum a va = A3; enum b vb; enum c vc = C2; enum d vd; __typeof__(C1) tc; __typeof__(A1) ta; \
         enum f *incomplete;",
        expect![[r#"
            global unsigned int va = {6u}
            global int vb = {}
            global unsigned long vc = {1099511627777ul}
            global unsigned char vd = {}
            global unsigned long tc = {}
            global int ta = {}
            global unsigned int *incomplete = {}
        "#]],
    );
}

#[test]
fn old_style_parameters_are_converted_at_the_entry() {
    check(
        "int f(a, b, c, d) char a; float b; int d[2]; { return a; } int g(short); int g(x) short x; \
         { return x; }",
        expect![[r#"
            int f() with (int a, double b, int c, int *d)
              a = (char)a
              b = (float)b
              return (int)a
            int g(short) with (short x)
              return (int)x
        "#]],
    );
}

#[test]
fn lengths_of_arrays_in_parameters_are_known_in_the_body() {
    check(
        "unsigned long f(int n, int a[n][n + 1], int b[static 2]); \
         unsigned long f(int n, int a[n][n + 1], int b[2])
         { return sizeof a[0]; }",
        expect![[r#"
            unsigned long f(int, int (*)[], int *) with (int n, int (*a)[*], int *b)
              __tmp1 = (unsigned long)(n + 1)
              return __tmp1 * 4ul
        "#]],
    );
}

#[test]
fn inner_scopes_hide_and_end() {
    check(
        "typedef int t; struct s { int a; }; enum { K = 1 };
         int f(t t) { struct s { char c; }; enum { K = 2 }; { typedef char K; \
         static K x = sizeof(struct s); } return K + t; }
         int g(void) { return K + sizeof(struct s); }",
        expect![[r#"
            int f(int) with (int t)
              return 2 + t
            int g(void) with ()
              return (int)(1ul + 4ul)
            static char x = {1}
        "#]],
    );
}

#[test]
fn an_assembler_name_is_the_linked_name() {
    check(
        "int f(void) __asm__(\"real\"); int real(void) { return f(); } extern int v __asm__(\"w\"); \
         int w = 2; int g(void) { return v; }",
        expect![[r#"
            int real(void) with ()
              return __tmp1
            int g(void) with ()
              return w
            global int w = {2}
        "#]],
    );
}

#[test]
fn inline_bodies_give_way() {
    check(
        "extern inline int f(void) { return 1; } int f(void) { return 2; } int f(void); \
         inline int g(void) { return 3; }",
        expect![[r#"
            int f(void) with ()
              return 2
            int g(void) with ()
              return 3
        "#]],
    );
}

#[test]
fn only_users_of_what_is_not_supported_suffer() {
    check(
        "_Complex double z; typedef float v4 __attribute__((vector_size(16))); v4 add(v4 a); \
         struct has { v4 v; };
         register long sp __asm__(\"rsp\"); int twin(void) __attribute__((alias(\"other\"))); \
         int other(void) { return 0; }
         void f(void) { z; } void g(void) { struct has *h; } long h(void) { return sp; } \
         int i(void) { return twin(); }",
        expect![[r#"
            int other(void) with ()
              return 0
            void f(void) with ()
              unsupported: complex numbers
            void g(void) with ()
              unsupported: `struct has`, because of attribute `vector_size`
            long h(void) with ()
              unsupported: a global variable in a machine register
            int i(void) with ()
              unsupported: `twin`, an alias of another function
        "#]],
    );
}

#[test]
fn machine_modes_replace_the_type() {
    let source =
        "typedef int a __attribute__((mode(DI))); typedef unsigned b __attribute__((__mode__(__word__)));
                  a x; b y; unsigned __attribute__((mode(QI))) z; __builtin_va_list list;";
    check(
        source,
        expect![[r#"
            global long x = {}
            global unsigned long y = {}
            global unsigned char z = {}
            global struct __va_list_tag list[1] = {}
        "#]],
    );
    check_model(
        source,
        DataModel::Ilp32,
        expect![[r#"
            global long long x = {}
            global unsigned int y = {}
            global unsigned char z = {}
            global char *list = {}
        "#]],
    );
}

#[test]
fn contradictions_are_errors() {
    for (source, expected) in [
        ("int f(int); int f(char *);", expect![["Error: `f` is declared with different types\n"]]),
        ("int f(void) {} int f(void) {}", expect![["Error: `f` is defined twice\n"]]),
        ("int a = 1; int a = 2;", expect![["Error: `a` is defined twice\n"]]),
        ("int a; char a;", expect![["Error: `a` is declared with different types\n"]]),
        ("int a; int a(void);", expect![["Error: `a` is already declared as something else\n"]]),
        ("typedef int t; typedef char t;", expect![["Error: `t` already names another type\n"]]),
        ("struct s { int a; }; struct s { int b; };", expect![["Error: `struct s` is defined twice\n"]]),
        ("struct s { struct s { int a; } b; };", expect![["Error: `struct s` is defined twice\n"]]),
        ("struct s { int a; char a; };", expect![["Error: there are two members `a`\n"]]),
        (
            "struct s { struct s b; };",
            expect![["Error: a member cannot have the incomplete type `struct s`\n"]],
        ),
        ("struct s { int a[]; int b; };", expect![["Error: a flexible array must be the last member\n"]]),
        (
            "struct s { int a : 33; };",
            expect![["Error: a bit-field of type `int` has at most 32 bits, not 33\n"]],
        ),
        ("struct s; union s x;", expect![["Error: `s` is the tag of another kind of type\n"]]),
        ("struct s x;", expect![["Error: `x` has the incomplete type `struct s`\n"]]),
        ("void f(void) { int a; int a; }", expect![["Error: `a` is declared twice in this scope\n"]]),
        ("void f(void) { struct s x; }", expect![["Error: `x` has the incomplete type `struct s`\n"]]),
        (
            "int n; int a[n];",
            expect![["Error: outside of functions the length of an array must be constant\n"]],
        ),
        ("int a[-1];", expect![["Error: an array cannot have -1 elements\n"]]),
        ("int a[1ul << 62];", expect![["Error: this array is too large\n"]]),
        ("_Static_assert(1 > 2, \"no\");", expect![["Error: static assertion failed: no\n"]]),
        ("int f(void)[3];", expect![["Error: a function cannot return `int [3]`\n"]]),
        (
            "int x __attribute__((aligned(3))); struct { int y __attribute__((aligned(3))); } z;",
            expect![[r#"
                Error: an alignment must be a power of two up to 268435456, not 3
                Error: an alignment must be a power of two up to 268435456, not 3
            "#]],
        ),
        (
            "__attribute__((constructor(70000))) void f(void) {}",
            expect![["Error: a priority is a number from 0 to 65535\n"]],
        ),
    ] {
        check(source, expected);
    }
}

/// Links files that are written to a temporary folder.
fn linked(files: &[&str]) -> String {
    let folder = std::env::temp_dir().join(format!("summa-link-{}-{}", std::process::id(), files[0].len()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let mut paths = Vec::new();
    for (i, text) in files.iter().enumerate() {
        let path = folder.join(format!("file{i}.c"));
        std::fs::write(&path, text).expect("a file in the temporary folder");
        paths.push(path);
    }
    let result = load(&paths, &LoadOptions::new(DataModel::Lp64));
    let _ = std::fs::remove_dir_all(&folder);
    match result {
        Ok(loaded) => describe(&loaded.program) + &messages(&loaded.warnings),
        Err(failure) => messages(&failure.diagnostics),
    }
}

#[test]
fn files_share_what_is_external_and_keep_apart_what_is_static() {
    expect![[r#"
        static int helper(void) with ()
          return 1
        int f(struct s *) with (struct s *p)
          __tmp2 = p->a + shared
          return __tmp2 + __tmp1
        static int helper(void) with ()
          return 2
        int main(void) with ()
          s.a = 1
          return __tmp1 + __tmp2
        global int shared = {5}
        global int common = {}
        global int private = {1}
        global int private = {2}
    "#]]
    .assert_eq(&linked(&[
        "struct s { int a; }; extern int shared; int common; static int private = 1;
         static int helper(void) { return 1; } int f(struct s *p) { return p->a + shared + helper(); }",
        "struct s { int a; }; int shared = 5; extern int common; static int private = 2; int f(struct s *);
         static int helper(void) { return 2; } int main(void) { struct s s = { 1 }; \
         return f(&s) + helper(); }",
    ]));
}

#[test]
fn files_that_contradict_each_other_are_refused() {
    expect![["Error: `x` is declared with different types\n"]]
        .assert_eq(&linked(&["extern int x; int f(void) { return x; }", "char x[3];"]));
    expect![["Error: `f` is defined twice\n"]]
        .assert_eq(&linked(&["int f(void) { return 1; } ", "int f(void) { return 2; }"]));
    expect![[r#"
        static int f(int) with (int __param)
          unsupported: `f` declared as `int (int)`, but defined as `int (char *)`
        int g(void) with ()
          return __tmp1
        int f(char *) with (char *p)
          return 2
        Warning: `f` declared as `int (int)`, but defined as `int (char *)`
    "#]]
    .assert_eq(&linked(&["int f(int); int g(void) { return f(1); }  ", "int f(char *p) { return 2; }"]));
}

/// How many different structs and unions the variables of the linked files have.
fn record_types(files: &[&str]) -> usize {
    let texts: Vec<(String, String)> =
        files.iter().enumerate().map(|(i, text)| (format!("{i}.c"), (*text).to_string())).collect();
    let program = load_texts(&texts, DataModel::Lp64).expect("files that link").program;
    let records = program.vars.values().filter_map(|var| match program.types.get(var.ty) {
        Type::Pointer(target) => program.types.record_of(*target),
        _ => program.types.record_of(var.ty),
    });
    records.collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn types_of_different_files_are_one_if_they_agree() {
    let header = "typedef struct { int a; struct { char c; } in; union { int i; float f; } u; } T; \
        typedef struct { int a; } Twin;
                  struct list { struct list *next; T *of; void (*call)(struct list *, Twin); }; \
                  enum e { A = 4 }; extern enum e state;";
    let one = format!("{header} T t; extern struct list l; void f(struct list *p) {{ p->call = 0; }}");
    let two = format!("{header} extern T t; struct list l; enum e state; T *g(void) {{ return l.of; }}");
    assert_eq!(record_types(&[&one, &two]), 2, "`T` and `struct list`");
    // Incomplete in one file, complete in others; each leads to the other.
    let opaque = "struct a; struct b { struct a *to; int n; }; struct b x; struct a *p;";
    let complete =
        "struct b; struct a { struct b *back; }; struct a q; struct b { struct a *to; int n; }; struct b y;";
    assert_eq!(record_types(&[opaque, complete]), 2);
    // Other members behind the same tag, one pointer further: nothing is the same.
    let int = "struct in { int i; }; struct out { struct in *p; }; struct out one; struct in i;";
    let float = "struct in { float i; }; struct out { struct in *p; }; struct out two; struct in f;";
    assert_eq!(record_types(&[int, float]), 4);
    // What is incomplete then may be either.
    assert_eq!(record_types(&[int, float, "struct in; struct in *unknown;"]), 5);
    // Alignment, order, names and widths count.
    for other in [
        "struct s { int b; int a; } y;",
        "struct s { int a; int c; } y;",
        "struct s { int a, b; } __attribute__((aligned(8))) y;",
        "struct s { int a; unsigned b; } y;",
        "struct s { int a : 32; int b; } y;",
        "union s { int a, b; } y;",
        "struct t { int a, b; } y;",
        "struct { int a, b; } y;",
    ] {
        assert_eq!(record_types(&["struct s { int a, b; } x;", other]), 2, "{other}");
    }
    assert_eq!(record_types(&["struct s { int a, b; } x;", "struct s { int a; int b; } y;"]), 1);
    // In one file each declaration without a tag is a type of its own.
    assert_eq!(record_types(&["typedef struct { int a; } T; typedef struct { int a; } U; T t; U u;"]), 2);
}

#[test]
fn files_that_link_in_c_link_here() {
    let empty = expect![[""]];
    let of = |files: &[&str]| {
        let texts: Vec<(String, String)> =
            files.iter().map(|text| ("x.c".to_string(), (*text).to_string())).collect();
        match load_texts(&texts, DataModel::Lp64) {
            Ok(loaded) => messages(&loaded.warnings),
            Err(failure) => messages(&failure.diagnostics),
        }
    };
    for files in [
        ["typedef struct { int a; } T; T f(T *p) { return *p; }", "typedef struct { int a; } T; T f(T *);"],
        ["struct s; extern struct s v; void *p = &v;", "struct s { int a; } v;"],
        ["extern int v[]; int f(void) { return v[1]; }", "int v[4];"],
        ["int f(); int g(void) { return f(1); }", "int f(int x) { return x; }"],
        [
            "struct n { struct n *p; }; struct n *f(struct n *);",
            "struct n { struct n *p; }; struct n *f(struct n *x) { return x; }",
        ],
        ["enum e { A }; enum e f(enum e);", "enum e { A }; enum e f(enum e x) { return x; }"],
        ["void f(void (*)(struct s *)); struct s;", "struct s; void f(void (*p)(struct s *)) {}"],
    ] {
        empty.assert_eq(&of(&files));
    }
    expect![["Error: `v` is declared with different types\n"]]
        .assert_eq(&of(&["extern struct { int a; } v;", "struct { long a; } v;"]));
    expect![["Warning: `f` declared as `int (long)`, but defined as `int (int)`\n"]]
        .assert_eq(&of(&["int f(long); int g(void) { return f(1); }", "int f(int x) { return x; }"]));
    expect![[r#"
        Error: `f` is defined twice, and under different types
        Warning: `f` declared as `int (int)`, but defined as `int (long)`
    "#]]
    .assert_eq(&of(&["int f(long x) { return 1; }", "int f(int x) { return 1; }"]));
}
