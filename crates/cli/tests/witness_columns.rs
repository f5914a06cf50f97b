//! Programs on one line, behind macros, and with statements that share a line: witnesses of them keep their
//! columns, fit the schema, and are confirmed when they come back. What a macro brings is where it is used;
//! where that would mean several places, nothing is written.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::path::PathBuf;
use std::process::Command;

/// Behind the declarations, all on their line.
const ON_ONE_LINE: &[(&str, bool)] = &[
    ("int main(void){int x=__VERIFIER_nondet_int();if(x==7)reach_error();return 0;}", false),
    (
        "int main(void){int x=__VERIFIER_nondet_int();int \
         y=__VERIFIER_nondet_int();if(x==7&&y==x+3)reach_error();return 0;}",
        false,
    ),
    (
        "int main(void){int i,s=0;for(i=0;i<3;i++){int \
         x=__VERIFIER_nondet_int();s+=x;}if(s==1234567)reach_error();return 0;}",
        false,
    ),
    (
        "int main(void){int s=0;while(__VERIFIER_nondet_int()){s++;if(s==3)reach_error();}return \
         0;}",
        false,
    ),
    (
        "int f(void){return __VERIFIER_nondet_int();} int \
         main(void){if(f()==3)if(f()==4)reach_error();return 0;}",
        false,
    ),
    (
        "int main(void){int x;x=__VERIFIER_nondet_int();int \
         z=x>5?__VERIFIER_nondet_int():0;if(z==9)reach_error();return 0;}",
        false,
    ),
    (
        "int main(void){int x=__VERIFIER_nondet_int();switch(x){case \
         3:reach_error();break;default:;}return 0;}",
        false,
    ),
    ("int main(void){int x;if(x==5)reach_error();return 0;}", false),
    ("int main(void){int i=0;while(i<10)i++;if(i!=10)reach_error();return 0;}", true),
    (
        "int main(void){unsigned n=__VERIFIER_nondet_int(),s=0;for(unsigned \
         i=0;i<n;i++)s+=2;if(s%2)reach_error();return 0;}",
        true,
    ),
    (
        "int main(void){int a=__VERIFIER_nondet_int();int \
         b=0;if(a>0&&a<100){while(b<a)b++;if(b!=a)reach_error();}return 0;}",
        true,
    ),
    (
        "int g;void set(int v){g=v;}int main(void){int \
         x=__VERIFIER_nondet_int();set(x);if(g==42)reach_error();return 0;}",
        false,
    ),
];

/// Behind the declarations and the macros.
const WITH_MACROS: &[(&str, bool)] = &[
    ("int main(void) { int x = NONDET; CHECK(x != 7); return 0; }", false),
    ("int main(void) { INPUT(x); CHECK(x != 7); return 0; }", false),
    ("int main(void) {\n  INPUT(x);\n  CHECK2(x != 7);\n  return 0;\n}", false),
    ("int main(void) { INPUT(x); INPUT(y); CHECK(x != y + 77); return 0; }", false),
    (
        "int main(void) { int s = 0; LOOP(i, 3) { INPUT(x); s += x; } CHECK(s != 1234567); \
         return 0; }",
        false,
    ),
    ("int main(void) { TWO(x, y) CHECK(x != 3 || y != 4); return 0; }", false),
    ("int main(void) { INPUT(x); WHEN(x == 99, reach_error()) return 0; }", false),
    ("int main(void) { int s = 0; LOOP(i, 10) s++; CHECK(s == 10); return 0; }", true),
    (
        "int main(void) { int n = NONDET, s = 0; if (n > 0 && n < 50) { LOOP(i, n) { s++; } \
         CHECK(s == n); } return 0; }",
        true,
    ),
    (
        "#define BODY int x = NONDET; while (x > 5) x--; CHECK(x <= 5);\nint main(void) { BODY \
         return 0; }",
        true,
    ),
    (
        "#define BODY int x = NONDET; int y = NONDET; if (x > y) reach_error();\nint main(void) \
         { BODY return 0; }",
        false,
    ),
    ("int main(void) { if (NONDET == 3 && NONDET == 4) reach_error(); return 0; }", false),
    ("#include <assert.h>\nint main(void) { INPUT(x); assert(x != 7); return 0; }", false),
    (
        "#include <assert.h>\nint main(void) { int i = 0; while (i < 5) { i++; } assert(i == 5); \
         return 0; }",
        true,
    ),
    ("int main(void) { int a[4]; LOOP(i, 4) a[i] = NONDET; CHECK(a[2] != 55); return 0; }", false),
    (
        "struct S { int v; };\n#define GET(s) (s).v = NONDET\nint main(void) { struct S s; \
         GET(s); CHECK(s.v != 12); return 0; }",
        false,
    ),
];

/// Behind the line of the declarations.
const WITH_SHARED_LINES: &[(&str, bool)] = &[
    ("int main(void) { int x = __VERIFIER_nondet_int(); if (x == 7) reach_error(); return 0; }", false),
    (
        "int main(void) {\n  int x, y;\n  x = __VERIFIER_nondet_int(); y = \
         __VERIFIER_nondet_int(); if (x == 3) if (y == 4) reach_error();\n  return 0;\n}",
        false,
    ),
    (
        "int main(void) {\n  int s = 0;\n  for (int i = 0; i < 3; i++) for (int j = 0; j < 3; \
         j++) s++;\n  if (s != 9) reach_error();\n  return 0;\n}",
        true,
    ),
    (
        "int main(void) {\n  int i = 0, j = 0; while (i < 10) i++; while (j < 10) j++; if (i + j \
         != 20) reach_error();\n  return 0;\n}",
        true,
    ),
    (
        "int main(void) { unsigned i = 0; do { i++; } while (i < 7); if (i != 7) reach_error(); \
         return 0; }",
        true,
    ),
    (
        "int f(int a) { return a + __VERIFIER_nondet_int(); } int main(void) { int r = f(1) + \
         f(2); if (r == 100) reach_error(); return 0; }",
        false,
    ),
    (
        "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); x = x == \
         3 ? y : 0; if (x == 8) reach_error(); return 0; }",
        false,
    ),
    (
        "int main(void) { again: ; int x = __VERIFIER_nondet_int(); if (x == 1) goto again; if \
         (x == 5) reach_error(); return 0; }",
        false,
    ),
    (
        "int main(void) { int x = 0; for (;;) { int y = __VERIFIER_nondet_int(); x = x + 1; if \
         (y == 3) break; } if (x == 3) reach_error(); return 0; }",
        false,
    ),
    (
        "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 20) return 0; int i \
         = 0; for (; i < n; ) { i++; } if (i != n) reach_error(); return 0; }",
        true,
    ),
    (
        "#define SQ(x) ((x) * (x))\nint main(void) { int x = __VERIFIER_nondet_int(); if (SQ(x) \
         == 49 && x < 0 && x > -100) reach_error(); return 0; }",
        false,
    ),
    (
        "#define END ; }\nint main(void) { int x = __VERIFIER_nondet_int(); if (x == 11) { \
         reach_error() END return 0; }",
        false,
    ),
];

const DECLARATIONS: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);";

const MACROS: &str = "
#define NONDET __VERIFIER_nondet_int()
#define INPUT(v) int v = __VERIFIER_nondet_int()
#define CHECK(c) if (!(c)) reach_error()
#define CHECK2(c) do { if (!(c)) { reach_error(); } } while (0)
#define LOOP(i,n) for (int i = 0; i < (n); i++)
#define WHEN(c, s) if (c) { s; }
#define TWO(v,w) int v = __VERIFIER_nondet_int(); int w = __VERIFIER_nondet_int();
";

/// A folder of this test, gone at its end.
struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn verdict(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_summa")).args(arguments).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().last().unwrap_or("").trim_start_matches("Verdict: ").to_owned()
}

/// The locations in a witness that have no column.
fn without_column(value: &serde_json::Value) -> usize {
    match value {
        serde_json::Value::Array(all) => all.iter().map(without_column).sum(),
        serde_json::Value::Object(all) => {
            let is_place = all.contains_key("line") && !all.contains_key("column");
            usize::from(is_place) + all.values().map(without_column).sum::<usize>()
        }
        _ => 0,
    }
}

#[test]
fn columns_are_kept() {
    let folder = std::env::temp_dir().join(format!("summa-columns-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let scratch = Scratch(folder);
    let [program, yaml, graphml] =
        ["p.c", "w.yml", "w.graphml"].map(|name| scratch.0.join(name).display().to_string());
    let mut problems = Vec::new();
    let sets = [(ON_ONE_LINE, " "), (WITH_MACROS, MACROS), (WITH_SHARED_LINES, "\n")];
    for (text, is_true, between) in
        sets.iter().flat_map(|(set, between)| set.iter().map(move |(text, truth)| (text, *truth, between)))
    {
        std::fs::write(&program, format!("{DECLARATIONS}{between}{text}\n")).unwrap();
        let expected = if is_true { "TRUE" } else { "FALSE(unreach-call)" };
        for witness in [&yaml, &graphml] {
            let _ = std::fs::remove_file(witness);
            let first = verdict(&["verify", "--work-limit", "60", "--witness", witness, &program]);
            if first != expected {
                problems.push(format!("{text}\n{first}"));
                continue;
            }
            let written = std::fs::read_to_string(witness).unwrap();
            if witness == &yaml {
                let value: serde_json::Value = serde_saphyr::from_str(&written).unwrap();
                summa_testkit::witness::check(&value).unwrap();
                if without_column(&value) > 0 {
                    problems.push(format!("{text}\na place without a column\n{written}"));
                }
            }
            let again = verdict(&["validate", "--work-limit", "60", "--witness", witness, &program]);
            if again != expected {
                problems.push(format!("{text}\n{again}\n{written}"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
