//! Interval analysis on small programs: the invariants of loop heads, and whether the error can be reached.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use expect_test::{Expect, expect};
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, EdgeId, Op};
use summa_cpa::{Cpa, CpaPlusPlus, Layer, Product, Reached, cpa_plus_plus};
use summa_domains::Domain;
use summa_domains::callstack::Callstack;
use summa_domains::interval::{Intervals, narrow, states_at};
use summa_domains::location::Location;
use summa_domains::scalars::Options;
use summa_domains::specification::Specification;
use summa_facts::Analyses;

/// Invariants of loop heads without those of constant variables, then the verdict; after so many rounds of
/// narrowing.
fn check(rounds: u32, text: &str, expected: Expect) {
    let text = format!(
        "extern int __VERIFIER_nondet_int(); extern unsigned __VERIFIER_nondet_uint(); \
         extern void reach_error();
         {text}"
    );
    let loaded = summa_c::load_text("test.c", &text, DataModel::Lp64);
    let loaded = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics));
    let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
    let facts = Analyses::new(&cfa);
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa: &cfa }),
        Domain::Callstack(Callstack::new(&cfa)),
        Domain::Specification(Specification::new(&cfa, Box::new(is_error))),
        Domain::Interval(Intervals::new(&cfa, &facts, Options::default())),
    ]);
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(&cfa, &product, cfa.entry(), state, precision);
    let budget = Budget::unlimited();
    let explored = cpa_plus_plus(&cfa, &mut product, &mut reached, &|_, _| false, &budget);
    assert_eq!(explored, Ok(CpaPlusPlus::Complete));
    let unreachable = narrow(&mut product, &mut reached, rounds, &budget).unwrap();
    let Some(Domain::Interval(intervals)) = product.components.get(3) else { unreachable!() };
    let mut shown = String::new();
    for found in facts.loops.loops.values() {
        let bounds = intervals.invariant(states_at(&reached, &unreachable, found.head())).unwrap_or_default();
        let shown_bounds = bounds.iter().filter(|bound| bound.lower != bound.upper).map(|bound| {
            let name = cfa.program.var_name(bound.location.var);
            let place = if bound.location.offset == 0 {
                String::new()
            } else {
                format!("+{}", bound.location.offset)
            };
            let modulo = if bound.modulus == 1 { String::new() } else { format!(" mod {}", bound.modulus) };
            format!("{} ≤ {name}{place} ≤ {}{modulo}", bound.lower, bound.upper)
        });
        shown += &format!("{}: {}\n", found.head(), shown_bounds.collect::<Vec<_>>().join(", "));
    }
    let is_safe = reached.targets().all(|target| unreachable.contains(target));
    shown += if is_safe { "safe\n" } else { "maybe not\n" };
    expected.assert_eq(&shown);
}

#[test]
fn a_counter_stops_at_its_bound() {
    check(
        0,
        "int main() { int i = 0; while (i < 100) i++; if (i != 100) reach_error(); }",
        expect![[r#"
        n2: 0 ≤ i ≤ 100
        safe
    "#]],
    );
}

#[test]
fn strides_survive_loops() {
    check(
        1,
        "int main() { unsigned x = 0; while (x < 99) { if (__VERIFIER_nondet_int()) x += 2; else x += 4; }
           if (x % 2) reach_error(); }",
        expect![[r#"
            n2: 0 ≤ x ≤ 102 mod 2
            safe
        "#]],
    );
}

/// The counter passes zero on its way: both ends of the type belong to the invariant.
#[test]
fn unsigned_counters_wrap_around() {
    check(
        0,
        "int main() { unsigned char c = 250; while (c >= 250) c++; if (c == 0) reach_error(); }",
        expect![[r#"
            n2: 
            maybe not
        "#]],
    );
}

/// No constant of the program is the bound: only narrowing finds it.
#[test]
fn narrowing_wins_back_what_widening_gave_away() {
    let text = "int main() { int n = 700 + (__VERIFIER_nondet_int() & 15), i = 0;
                  while (i < n) i++; if (i > 5 * 143) reach_error(); }";
    check(
        0,
        text,
        expect![[r#"
        n5: 700 ≤ n ≤ 715, 0 ≤ i ≤ 2147483647
        maybe not
    "#]],
    );
    check(
        2,
        text,
        expect![[r#"
        n5: 700 ≤ n ≤ 715, 0 ≤ i ≤ 715
        safe
    "#]],
    );
}

#[test]
fn pointers_to_one_variable_are_followed_exactly() {
    check(
        0,
        "void set(int *p, int v) { *p = v; }
         int main() { int x = 0; set(&x, 3); if (x != 3) reach_error(); }",
        expect![[r#"
            safe
        "#]],
    );
}

#[test]
fn writes_through_other_pointers_are_weak() {
    check(
        0,
        "int main() { int x = 3, y = 5; int *q = __VERIFIER_nondet_int() ? &x : &y; *q = 4;
           if (x < 3 || x > 4 || y < 4 || y > 5) reach_error(); }",
        expect![[r#"
            safe
        "#]],
    );
    check(
        0,
        "int main() { int x = 3, y = 5; int *q = __VERIFIER_nondet_int() ? &x : &y; *q = 4; \
         if (x == 4) reach_error(); }",
        expect![[r#"
            maybe not
        "#]],
    );
}

#[test]
fn null_is_told_from_other_pointers() {
    check(
        0,
        "int g; int main() { int *p = 0; if (__VERIFIER_nondet_int()) p = &g; \
         if (p) { if (p == 0) reach_error(); } }",
        expect![[r#"
            safe
        "#]],
    );
}

#[test]
fn activations_of_recursive_functions_keep_their_own_variables() {
    check(
        0,
        "int f(int n) { int local = n; if (n > 0) { int r = f(n - 1); if (local != n) reach_error(); \
         return r + 1; }
           return 0; }
         int main() { if (f(5) != 5) reach_error(); }",
        expect![[r#"
            safe
        "#]],
    );
}

#[test]
fn members_and_elements_are_separate() {
    check(
        0,
        "struct s { int a; char b[3]; }; struct s x;
         int main() { struct s y; y.a = 1; y.b[1] = 7; x = y; if (x.a + x.b[1] != 8) reach_error();
           unsigned i = __VERIFIER_nondet_uint() % 3; x.b[i] = 9; \
           if (x.a != 1 || x.b[1] < 7 || x.b[1] > 9) reach_error(); }",
        expect![[r#"
            safe
        "#]],
    );
}

#[test]
fn conditions_are_undone_through_arithmetic_and_casts() {
    check(
        0,
        "int main() { int x = __VERIFIER_nondet_int(); unsigned u = __VERIFIER_nondet_uint();
           if (x + 3 > 5 && x + 3 < 10) { if (x < 3 || x > 6) reach_error(); }
           if ((unsigned)x < 10) { if (x < 0 || x >= 10) reach_error(); }
           if (u - 5 <= 3) { if (u < 5 || u > 8) reach_error(); }
           if ((u & 3) == 2) { if (u % 2 != 0) reach_error(); }
           if (!(x >= 0)) { if (x > -1) reach_error(); } }",
        expect![[r#"
            safe
        "#]],
    );
}

/// What is undefined or not known has any value.
#[test]
fn nothing_is_claimed_about_the_rest() {
    check(
        0,
        "union { int i; char c[4]; } u; volatile int v; extern void unknown(int *);
         int main() { int zero = 0, x = 1;
           u.i = 1; u.c[1] = 1; if (u.i == 1) v = 1; v = 2; if (v == 2) { unknown(&x); \
           if (x == 1) reach_error(); } }",
        expect![[r#"
            maybe not
        "#]],
    );
}
