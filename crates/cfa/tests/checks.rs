//! Checks of arithmetic in the automata: where the branches stand and what they ask.

use expect_test::{Expect, expect};
use summa_c::load::load_text;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, Checks, ErrorKind, Op};
use summa_testkit::show;
use summa_transform::build;

fn automata(text: &str, checks: Checks) -> Cfa {
    let loaded = load_text("test.c", text, DataModel::Lp64).unwrap_or_else(|failure| {
        panic!("{:?}", failure.diagnostics);
    });
    let options = BuildOptions { checks, ..BuildOptions::default() };
    build(loaded.program, &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The branches of the checks in `f`, in order.
fn check(parameters: &str, statement: &str, checks: Checks, expected: Expect) {
    let text = format!("int f({parameters}) {{ {statement} return 0; }} int main(void) {{ return 0; }}");
    expected.assert_eq(&show(&automata(&text, checks), "f"));
}

#[test]
fn a_constant_on_one_side_needs_one_comparison() {
    check(
        "int x",
        "x = x + 1;",
        Checks::OVERFLOW,
        expect![[r#"
        0 -> 1: [x > 2147483646]
        0 -> 3: [x <= 2147483646]
        1 -> 2: signed overflow // error
        3 -> 4: x = x + 1;
        4 -> 5: return 0;
    "#]],
    );
    check(
        "int x",
        "x = 5 - x;",
        Checks::OVERFLOW,
        expect![[r#"
        0 -> 1: [x < -2147483642]
        0 -> 3: [x >= -2147483642]
        1 -> 2: signed overflow // error
        3 -> 4: x = 5 - x;
        4 -> 5: return 0;
    "#]],
    );
    check(
        "long x",
        "x = x * -3;",
        Checks::OVERFLOW,
        expect![[r#"
        0 -> 2: [x < -3074457345618258602l]
        0 -> 1: [x >= -3074457345618258602l]
        1 -> 2: [x > 3074457345618258602l]
        1 -> 4: [x <= 3074457345618258602l]
        2 -> 3: signed overflow // error
        4 -> 5: x = x * -3l;
        5 -> 6: return 0;
    "#]],
    );
}

#[test]
fn two_variables_are_added_in_a_wider_type() {
    check(
        "int x, int y",
        "x = x + y;",
        Checks::OVERFLOW,
        expect![[r#"
        0 -> 2: [(long long)x + (long long)y > 2147483647ll]
        0 -> 1: [(long long)x + (long long)y <= 2147483647ll]
        1 -> 2: [(long long)x + (long long)y < -2147483648ll]
        1 -> 4: [(long long)x + (long long)y >= -2147483648ll]
        2 -> 3: signed overflow // error
        4 -> 5: x = x + y;
        5 -> 6: return 0;
    "#]],
    );
}

#[test]
fn the_widest_types_need_the_sign_of_an_operand() {
    check(
        "long x, long y",
        "x = x - y;",
        Checks::OVERFLOW,
        expect![[r#"
        0 -> 1: [y >= 0l]
        0 -> 2: [y < 0l]
        1 -> 3: [x < -9223372036854775808l + y]
        1 -> 5: [x >= -9223372036854775808l + y]
        2 -> 3: [x > 9223372036854775807l + y]
        2 -> 5: [x <= 9223372036854775807l + y]
        3 -> 4: signed overflow // error
        5 -> 6: x = x - y;
        6 -> 7: return 0;
    "#]],
    );
    check(
        "long x, long y",
        "x = x * y;",
        Checks::OVERFLOW,
        expect![[r#"
        0 -> 1: [y > 0l]
        0 -> 3: [y <= 0l]
        1 -> 7: [x > 9223372036854775807l / y]
        1 -> 2: [x <= 9223372036854775807l / y]
        2 -> 7: [x < -9223372036854775808l / y]
        2 -> 9: [x >= -9223372036854775808l / y]
        3 -> 4: [y < 0l]
        3 -> 9: [y >= 0l]
        4 -> 7: [x < 9223372036854775807l / y]
        4 -> 5: [x >= 9223372036854775807l / y]
        5 -> 6: [y < -1l]
        5 -> 9: [y >= -1l]
        6 -> 7: [x > -9223372036854775808l / y]
        6 -> 9: [x <= -9223372036854775808l / y]
        7 -> 8: signed overflow // error
        9 -> 10: x = x * y;
        10 -> 11: return 0;
    "#]],
    );
}

#[test]
fn division_and_shifts() {
    check(
        "int x, int y",
        "x = x / y;",
        Checks::ALL,
        expect![[r#"
        0 -> 1: [y == 0]
        0 -> 2: [y != 0]
        1 -> 5: division by zero // error
        2 -> 3: [y == -1]
        2 -> 6: [y != -1]
        3 -> 4: [x == -2147483648]
        3 -> 6: [x != -2147483648]
        4 -> 5: signed overflow // error
        6 -> 7: x = x / y;
        7 -> 8: return 0;
    "#]],
    );
    check(
        "int x, int y",
        "x = x << y;",
        Checks::SHIFT,
        expect![[r#"
            0 -> 2: [y < 0]
            0 -> 1: [y >= 0]
            1 -> 2: [y > 31]
            1 -> 3: [y <= 31]
            2 -> 7: shift by a bad amount // error
            3 -> 4: [x < 0]
            3 -> 5: [x >= 0]
            4 -> 7: left shift of a negative value // error
            5 -> 6: [x > 2147483647 >> y]
            5 -> 8: [x <= 2147483647 >> y]
            6 -> 7: left shift overflows // error
            8 -> 9: x = x << y;
            9 -> 10: return 0;
        "#]],
    );
    check(
        "unsigned x, int y",
        "x = x >> y;",
        Checks::SHIFT,
        expect![[r#"
        0 -> 2: [y < 0]
        0 -> 1: [y >= 0]
        1 -> 2: [y > 31]
        1 -> 4: [y <= 31]
        2 -> 3: shift by a bad amount // error
        4 -> 5: x = x >> y;
        5 -> 6: return 0;
    "#]],
    );
}

#[test]
fn operands_come_first_and_conditions_are_checked_too() {
    check(
        "int x, int y",
        "while (x * x / y > 2) x--;",
        Checks::ALL,
        expect![[r#"
        0 -> 1*: 
        1* -> 3: [(long long)x * (long long)x > 2147483647ll]
        1* -> 2: [(long long)x * (long long)x <= 2147483647ll]
        2 -> 3: [(long long)x * (long long)x < -2147483648ll]
        2 -> 4: [(long long)x * (long long)x >= -2147483648ll]
        3 -> 12: signed overflow // error
        4 -> 5: [y == 0]
        4 -> 6: [y != 0]
        5 -> 12: division by zero // error
        6 -> 7: [y == -1]
        6 -> 9: [y != -1]
        7 -> 8: [x * x == -2147483648]
        7 -> 9: [x * x != -2147483648]
        8 -> 12: signed overflow // error
        9 -> 10: [x * x / y > 2]
        9 -> 14: [x * x / y <= 2]
        10 -> 11: [x < -2147483647]
        10 -> 13: [x >= -2147483647]
        11 -> 12: signed overflow // error
        13 -> 1*: x = x - 1;
        14 -> 15: return 0;
    "#]],
    );
}

#[test]
fn what_types_exclude_is_not_checked() {
    let statements = "x = c + 1; x = c * d; x = x % 10 + 5; x = (x & 255) * 3; x = -c; x = 7 / 2 + 3; \
                      u = u + 1; u = u * u; \
                      u = u << 3; l = (long)x * x; c++; x = a[l]; p = p + l; x = x / 3; \
                      x = (x > 3) + (x < 7); f = f + f;";
    check(
        "int x, char c, short d, unsigned u, long l, int *a, char *p, double f",
        statements,
        Checks::ALL,
        expect![[r#"
            0 -> 1: x = (int)c + 1;
            1 -> 2: x = (int)c * (int)d;
            2 -> 3: x = x % 10 + 5;
            3 -> 4: x = (x & 255) * 3;
            4 -> 5: x = -(int)c;
            5 -> 6: x = 7 / 2 + 3;
            6 -> 7: u = u + 1u;
            7 -> 8: u = u * u;
            8 -> 9: u = u << 3;
            9 -> 10: l = (long)x * (long)x;
            10 -> 11: c = (char)((int)c + 1);
            11 -> 12: x = a[l];
            12 -> 13: p = p + l;
            13 -> 14: x = x / 3;
            14 -> 15: x = (x > 3) + (x < 7);
            15 -> 16: f = f + f;
            16 -> 17: return 0;
        "#]],
    );
}

#[test]
fn without_checks_nothing_changes() {
    let text = "int main(void) { int x = 3; x = x + x; return x / x; }";
    let cfa = automata(text, Checks::NONE);
    assert!(cfa.edges.values().all(|edge| !matches!(edge.op, Op::Error { .. })));
}

#[test]
fn one_error_stands_for_one_operation() {
    let text = "int main(void) { int x = 3, y = 4; x = x + y + x * y; return 0; }";
    let cfa = automata(text, Checks::OVERFLOW);
    let errors = cfa.edges.values().filter(|edge| edge.op == Op::Error { kind: ErrorKind::Overflow });
    assert_eq!(errors.count(), 3);
}
