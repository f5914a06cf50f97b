//! C programs and the automata they become.

use expect_test::{Expect, expect};
use summa_testkit::{automata, show};

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&show(&automata(text), "main"));
}

#[test]
fn while_loop_with_break_and_continue() {
    check(
        "int main(void) { int i = 0; while (i < 10) { i++; if (i == 5) continue; \
         if (i == 7) break; } return i; }",
        expect![[r#"
            0 -> 1: int i;
            1 -> 2*: i = 0;
            2* -> 3: [i < 10]
            2* -> 6: [i >= 10]
            3 -> 4: i = i + 1;
            4 -> 2*: [i == 5]
            4 -> 5: [i != 5]
            5 -> 6: [i == 7]
            5 -> 2*: [i != 7]
            6 -> 7: return i;
        "#]],
    );
}

#[test]
fn do_while() {
    check(
        "int main(void) { int i = 0; do i += 2; while (i < 9); return 0; }",
        expect![[r#"
        0 -> 1: int i;
        1 -> 2*: i = 0;
        2* -> 3: i = i + 2;
        3 -> 2*: [i < 9]
        3 -> 4: [i >= 9]
        4 -> 5: return 0;
    "#]],
    );
}

#[test]
fn switch_jumps_past_declarations() {
    check(
        "int main(void) { int a = 2; switch (a) { int y; case 1: y = 1; a = y; break; case 2: y = 2; \
         default: a = 3; }
         return a; }",
        expect![[r#"
            0 -> 1: int a;
            1 -> 2: a = 2;
            2 -> 3: [a == 1]
            2 -> 6: [a != 1]
            3 -> 4: int y;
            4 -> 5: y = 1;
            5 -> 11: a = y;
            6 -> 7: [a == 2]
            6 -> 9: [a != 2]
            7 -> 8: int y;
            8 -> 10: y = 2;
            9 -> 10: int y;
            10 -> 11: a = 3;
            11 -> 12: return a;
        "#]],
    );
}

#[test]
fn break_ends_lifetimes() {
    check(
        "int main(void) { int *p = 0; for (;;) { int x; p = &x; if (*p) break; } return 0; }",
        expect![[r#"
            0 -> 1: int *p;
            1 -> 2*: p = (int *)0;
            2* -> 3: int x;
            3 -> 4: p = &x;
            4 -> 5: [*p != 0]
            4 -> 8: [*p == 0]
            5 -> 6: end of x;
            6 -> 7: return 0;
            8 -> 2*: end of x;
        "#]],
    );
}

#[test]
fn goto_into_a_block_begins_lifetimes() {
    check(
        "int main(void) { int *p = 0; goto in; { int x; p = &x; in: x = 1; *p = x; } return 0; }",
        expect![[r#"
            0 -> 1: int *p;
            1 -> 2: p = (int *)0;
            2 -> 3: int x;
            3 -> 4: x = 1;
            4 -> 5: *p = x;
            5 -> 6: end of x;
            6 -> 7: return 0;
        "#]],
    );
}

#[test]
fn static_objects_get_their_values_before_main() {
    let text = r#"
        int used = 3, unused = 4, zero;
        extern int elsewhere;
        int *pointer = &zero;
        static const char *name = "hi";
        int main(int argc, char **argv) { static int calls; calls += used + elsewhere; return *pointer + *name; }
    "#;
    expect![[r#"
        0 -> 1: used = 3;
        1 -> 2: zero = {0};
        2 -> 3: elsewhere = any; // defined elsewhere
        3 -> 4: pointer = &zero;
        4 -> 5: name = "hi";
        5 -> 6: "hi" = {0};
        6 -> 7: "hi"[0] = 104;
        7 -> 8: "hi"[1] = 105;
        8 -> 9: calls = {0};
        9 -> 10: main(0, (char **)0);
        10 -> 11: the run ends
    "#]]
    .assert_eq(&show(&automata(text), "__summa_start"));
}

#[test]
fn calls_through_pointers_compare_with_the_candidates() {
    let cfa = automata(
        "int f(int a) { return a; } int g(int a) { return -a; } int h(char *s) { return 0; }
         int never(int a) { return 1; }
         int (*table[2])(int) = { f, g };
         int (*other)(char *) = h;
         int main(void) { int r = table[1](3); other(0); never(1); return r; }",
    );
    expect![[r#"
        0 -> 1: int r;
        1 -> 2: [table[1] == &f]
        1 -> 3: [table[1] != &f]
        2 -> 5: r = f(3);
        3 -> 4: [table[1] == &g]
        3 -> 11: [table[1] != &g]
        4 -> 5: r = g(3);
        5 -> 6: [other == &h]
        5 -> 10: [other != &h]
        6 -> 7: h((char *)0);
        7 -> 8: never(1);
        8 -> 9: return r;
        10 -> 12: undefined behaviour
        11 -> 12: undefined behaviour
    "#]]
    .assert_eq(&show(&cfa, "main"));
    let texts: Vec<&str> = cfa.assumptions.iter().map(|a| a.text.as_str()).collect();
    expect![[r#"
        [
            "calls through pointers reach functions of the program whose address it takes",
        ]
    "#]]
    .assert_debug_eq(&texts);
}

#[test]
fn a_pointer_without_candidates_is_not_understood() {
    check(
        "extern int (*hook)(char *); int main(void) { char c; return hook(&c); }",
        expect![[r#"
            0 -> 1: char c;
            1 -> 2: callee = hook;
            2 -> 3: unsupported: call through a pointer that leads to no function of the program: what it does is not known
        "#]],
    );
}

#[test]
fn library_calls() {
    let cfa = automata(
        "extern void abort(void); extern void __assert_fail(const char *, const char *, unsigned, \
         const char *);
         extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);
         extern void __VERIFIER_assume(int); extern int unknown(int *); void reach_error(void) { abort(); }
         extern int printf(const char *, ...); extern void *malloc(unsigned long);
         extern int setjmp(void *); extern void stop(void) __attribute__((noreturn));
         void __VERIFIER_assert(int c) { if (!c) { reach_error(); abort(); } }
         int main(void) {
             int x = __VERIFIER_nondet_int();
             _Bool b = __VERIFIER_nondet_bool();
             __VERIFIER_nondet_int();
             __VERIFIER_assume(x > 0 && b);
             x = unknown(&x);
             printf(\"%d\\n\", x);
             if (x == 5) printf(\"%d%n\", x, &x);
             char *p = malloc(x);
             if (x == 1) setjmp(p);
             if (x == 2) stop();
             if (x == 3) __assert_fail(\"x\", \"f\", 1, \"m\");
             if (x == 4) abort();
             __VERIFIER_assert(x);
             return 0;
         }",
    );
    expect![[r#"
        0 -> 1: int x;
        1 -> 2: x = __VERIFIER_nondet_int();
        2 -> 3: _Bool b;
        3 -> 4: b = __VERIFIER_nondet_bool();
        4 -> 5: input = __VERIFIER_nondet_int();
        5 -> 6: [x > 0]
        5 -> 8: [x <= 0]
        6 -> 7: [b != 0]
        6 -> 8: [b == 0]
        7 -> 9: __tmp1 = 1;
        8 -> 9: __tmp1 = 0;
        9 -> 10: [__tmp1 != 0]
        9 -> 32: [__tmp1 == 0]
        10 -> 11: x = unknown(&x);
        11 -> 12: printf("%d\n", x);
        12 -> 13: [x == 5]
        12 -> 14: [x != 5]
        13 -> 20: unsupported: call of `printf` with the conversion `%n`, which writes memory
        14 -> 15: char *p;
        15 -> 16: [(unsigned long)x <= 9223372036854775807ul]
        15 -> 31: [(unsigned long)x > 9223372036854775807ul]
        16 -> 17: __tmp2 = malloc((unsigned long)x);
        17 -> 18: p = (char *)__tmp2;
        18 -> 19: [x == 1]
        18 -> 21: [x != 1]
        19 -> 20: unsupported: call of `setjmp`: it jumps between functions
        21 -> 22: [x == 2]
        21 -> 23: [x != 2]
        22 -> 33: the run aborts
        23 -> 24: [x == 3]
        23 -> 26: [x != 3]
        24 -> 25: assertion fails // error
        26 -> 27: [x == 4]
        26 -> 28: [x != 4]
        27 -> 33: the run aborts
        28 -> 29: __VERIFIER_assert(x);
        29 -> 30: return 0;
        31 -> 33: the assumption fails
        32 -> 33: the assumption fails
    "#]]
    .assert_eq(&show(&cfa, "main"));
    expect![[r#"
        0 -> 1: [c != 0]
        0 -> 3: [c == 0]
        1 -> 2: return;
        3 -> 4: reach_error(); // error
    "#]]
    .assert_eq(&show(&cfa, "__VERIFIER_assert"));
    let texts: Vec<&str> = cfa.assumptions.iter().map(|a| a.text.as_str()).collect();
    expect![[r#"
        [
            "`unknown` has no body: a call returns any value and may change what its pointer arguments reach and call functions that it was given; it changes nothing else, and returns",
            "no allocation fails: `malloc` and its relatives never return null, and an execution that asks for more memory than an object can have ends there (--malloc-may-fail)",
            "`stop` has no body and never returns: a run ends at its call, without error",
        ]
    "#]].assert_debug_eq(&texts);
}
