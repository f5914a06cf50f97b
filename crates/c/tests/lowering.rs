//! What the front end makes of small functions: the statements of the last function, with effects pulled out
//! of expressions, in the documented order of evaluation.

use expect_test::{Expect, expect};
use std::fmt::Write;
use summa_c::load::load_text;
use summa_c::print;
use summa_c::tree::{Callee, Program, Stmt, StmtKind};
use summa_c::types::DataModel;

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&lower(source, DataModel::Lp64));
}

fn lower(source: &str, model: DataModel) -> String {
    match load_text("test.c", source, model) {
        Ok(loaded) => {
            let program = loaded.program;
            let mut bodies = program.functions.values().filter_map(|f| f.body.as_ref());
            let mut out = String::new();
            if let Some(body) = bodies.next_back() {
                dump(&program, &body.stmts, 0, &mut out);
            }
            out
        }
        Err(failure) => failure.diagnostics.iter().fold(String::new(), |mut out, d| {
            let _ = writeln!(out, "{:?}: {}", d.severity, d.message);
            out
        }),
    }
}

fn dump(program: &Program, stmts: &[Stmt], depth: usize, out: &mut String) {
    let pad = "  ".repeat(depth);
    for stmt in stmts {
        let expr = |e| print::expr(program, e);
        let line = match &stmt.kind {
            StmtKind::Declare(var) => {
                let ty = program.vars[*var].ty;
                format!("declare {}", program.types.declare(ty, program.var_name(*var), &program.names))
            }
            StmtKind::Assign(place, value) => format!("{} = {}", print::place(program, *place), expr(*value)),
            StmtKind::Zero(place) => format!("zero {}", print::place(program, *place)),
            StmtKind::ReadVolatile { into, place } => {
                format!("{} = volatile {}", print::place(program, *into), print::place(program, *place))
            }
            StmtKind::Havoc(place, why) => format!("havoc {} ({why})", print::place(program, *place)),
            StmtKind::Call(call) => {
                let result =
                    call.result.map_or(String::new(), |r| format!("{} = ", print::place(program, r)));
                let callee = match call.callee {
                    Callee::Direct(function) => program.func_name(function).to_string(),
                    Callee::Pointer(pointer) => format!("(*{})", expr(pointer)),
                };
                let args: Vec<String> = call.args.iter().map(|&a| expr(a)).collect();
                format!("{result}{callee}({})", args.join(", "))
            }
            StmtKind::If { condition, then, otherwise, .. } => {
                let one = |stmts: &[Stmt]| {
                    let mut text = String::new();
                    dump(program, stmts, 0, &mut text);
                    text.trim_end().replace('\n', "; ")
                };
                format!("if {} {{{}}} else {{{}}}", expr(*condition), one(then), one(otherwise))
            }
            StmtKind::Loop(body) | StmtKind::Block(body) => {
                let keyword = if matches!(stmt.kind, StmtKind::Loop(_)) { "loop" } else { "block" };
                let _ = writeln!(out, "{pad}{keyword}");
                dump(program, body, depth + 1, out);
                continue;
            }
            StmtKind::Label(label) => format!("{label}:"),
            StmtKind::Goto(label) => format!("goto {label}"),
            StmtKind::Return(value) => {
                format!("return {}", value.map_or(String::new(), expr)).trim_end().to_string()
            }
            StmtKind::Unsupported(what) => format!("UNSUPPORTED {what}"),
        };
        let _ = writeln!(out, "{pad}{line}");
    }
}

#[test]
fn increments_leave_expressions() {
    check(
        "int f(int x) { int y = x++ + ++x; return y; }",
        expect![[r#"
        declare int y
        __tmp1 = x
        x = __tmp1 + 1
        x = x + 1
        y = __tmp1 + x
        return y
    "#]],
    );
}

#[test]
fn the_left_operand_is_read_before_a_call_on_the_right() {
    check(
        "int g; int h(void); int f(void) { return g + h(); }",
        expect![[r#"
        __tmp2 = g
        __tmp1 = h()
        return __tmp2 + __tmp1
    "#]],
    );
}

#[test]
fn the_place_of_an_assignment_comes_before_its_value() {
    check(
        "int *p; int h(void); void f(void) { *p = h(); }",
        expect![[r#"
        __tmp2 = p
        __tmp1 = h()
        *__tmp2 = __tmp1
    "#]],
    );
}

#[test]
fn compound_assignment_reads_before_effects_on_the_right() {
    check(
        "int *p; int h(void); void f(void) { *p += h(); }",
        expect![[r#"
        __tmp3 = p
        __tmp2 = *p
        __tmp1 = h()
        *__tmp3 = __tmp2 + __tmp1
    "#]],
    );
}

#[test]
fn short_circuit_is_control_flow() {
    check(
        "int f(int a, int b) { if (a > 0 && b > 0) return 1; return a || b; }",
        expect![[r#"
        if a > 0 {goto l3} else {goto l2}
        l3:
        if b > 0 {goto l1} else {goto l2}
        l1:
        return 1
        goto l0
        l2:
        l0:
        if a != 0 {goto l4} else {goto l7}
        l7:
        if b != 0 {goto l4} else {goto l5}
        l4:
        __tmp1 = 1
        goto l6
        l5:
        __tmp1 = 0
        l6:
        return __tmp1
    "#]],
    );
}

#[test]
fn the_value_of_an_assignment_does_not_move() {
    check(
        "int a[4]; int f(void) { return a[a[0]] = f(); }",
        expect![[r#"
        __tmp2 = (long)a[0]
        __tmp1 = f()
        __tmp3 = __tmp1
        a[__tmp2] = __tmp3
        return __tmp3
    "#]],
    );
}

#[test]
fn loops_are_left_by_goto() {
    check(
        "void g(int); void f(int n) { for (int i = 0; i < n; i++) { if (i == 3) continue; \
         if (i == 5) break; g(i); } }",
        expect![[r#"
            block
              declare int i
              i = 0
              loop
                if i < n {goto l2} else {goto l0}
                l2:
                if i == 3 {goto l4} else {goto l5}
                l4:
                goto l1
                goto l3
                l5:
                l3:
                if i == 5 {goto l7} else {goto l8}
                l7:
                goto l0
                goto l6
                l8:
                l6:
                g(i)
                l1:
                i = i + 1
              l0:
        "#]],
    );
}

#[test]
fn switch_with_ranges_and_fall_through() {
    check(
        "int f(int x) { switch (x) { case 1: x = 2; case 5 ... 9: return x; default: ; } return 0; }",
        expect![[r#"
        if x == 1 {goto l1} else {}
        if x >= 5 {if x <= 9 {goto l2} else {}} else {}
        goto l3
        l1:
        x = 2
        l2:
        return x
        l3:
        l0:
        return 0
    "#]],
    );
}

#[test]
fn conversions_are_explicit() {
    check(
        "long f(char c, unsigned u, float x) { c += u; return c * x; }",
        expect![[r#"
        c = (char)((unsigned int)c + u)
        return (long)((float)c * x)
    "#]],
    );
}

#[test]
fn constant_conditions_leave_no_branch() {
    check(
        "int f(int x) { return sizeof(x) == 4 ? x : x / 0; }",
        expect![[r#"
        return x
    "#]],
    );
}

#[test]
fn statement_expressions_and_the_short_conditional() {
    check(
        "int f(int x) { return ({ int y = x; y * 2; }) ?: x; }",
        expect![[r#"
        block
          declare int y
          y = x
          __tmp1 = y * 2
        __tmp2 = __tmp1
        if __tmp2 != 0 {goto l0} else {goto l1}
        l0:
        __tmp3 = __tmp2
        goto l2
        l1:
        __tmp3 = x
        l2:
        return __tmp3
    "#]],
    );
}

#[test]
fn computed_gotos_meet_in_a_dispatcher() {
    check(
        "int f(int x) { static void *t[] = { &&a, &&b }; goto *t[x]; a: return 1; b: return 2; }",
        expect![[r#"
            __tmp1 = t[x]
            goto l2
            l0:
            return 1
            l1:
            return 2
            return
            l2:
            if __tmp1 == (void *)0x1 {goto l0} else {}
            if __tmp1 == (void *)0x2 {goto l1} else {}
            UNSUPPORTED computed goto to something that is not a label here
        "#]],
    );
}

#[test]
fn pointers_and_arrays() {
    check(
        "int f(int *p, int i) { int a[3]; a[i] = *(p + 1) + p[-1]; return &a[2] - a; }",
        expect![[r#"
            declare int a[3]
            a[i] = p[1] + p[-1]
            return (int)(&a[2] - a)
        "#]],
    );
}

#[test]
fn variable_length_arrays_know_their_size() {
    check(
        "unsigned long f(int n) { int a[n][n]; a[1][2] = 3; return sizeof a; }",
        expect![[r#"
        __tmp1 = (unsigned long)n
        __tmp2 = (unsigned long)n
        declare int a[*][*]
        (*(int (*)[*])((char *)(int (*)[*])&a + 1l * (long)(__tmp1 * 4ul)))[2] = 3
        return __tmp2 * (__tmp1 * 4ul)
    "#]],
    );
}

#[test]
fn initialisers() {
    check(
        "struct s { int a; struct { char b[4]; } c; }; void g(struct s *);
         void f(int n) { struct s x = { .c.b = \"hi\", .a = n }; int v[5] = { [3] = n, 7 }; \
         g(&x); v[0] = 1; }",
        expect![[r#"
            declare struct s x
            zero x
            x.c.b[0] = 104
            x.c.b[1] = 105
            x.a = n
            declare int v[5]
            zero v
            v[3] = n
            v[4] = 7
            g(&x)
            v[0] = 1
        "#]],
    );
}

#[test]
fn bit_fields_promote_by_width() {
    check(
        "struct s { unsigned a : 3; int b : 5; }; int f(struct s x) { return x.a - 5 + (x.b = 9); }",
        expect![[r#"
        __tmp1 = (int)x.a - 5
        x.b = 9
        return __tmp1 + x.b
    "#]],
    );
}

#[test]
fn what_is_not_supported_is_lost_alone() {
    check(
        "int f(int x) { if (x) return __builtin_return_address(0) != 0; return 2; }",
        expect![[r#"
        if x != 0 {goto l1} else {goto l2}
        l1:
        UNSUPPORTED the builtin function `__builtin_return_address`
        goto l0
        l2:
        l0:
        return 2
    "#]],
    );
}

#[test]
fn errors_are_many_and_clear() {
    check(
        "struct s { int a; }; int f(struct s *p, int count) { cuont = 1; p->b = 2; *count = 3; \
         goto end; return p; }",
        expect![[r#"
            Error: `cuont` is not declared
            Error: `struct s` has no member `b`
            Error: `int` is not a pointer
            Warning: integer made from a pointer without a cast
            Error: the label `end` is not defined in this function
        "#]],
    );
}

#[test]
fn a_sum_of_fifty_thousand_terms_is_split() {
    let sum = vec!["x"; 50_000].join(" + ");
    let lowered = lower(&format!("unsigned f(unsigned x) {{ return {sum}; }}"), DataModel::Ilp32);
    assert!(lowered.lines().count() > 100, "deep expressions are split with temporaries");
    assert!(lowered.lines().all(|line| line.len() < 3_000));
}
