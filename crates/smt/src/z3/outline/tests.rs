//! Outlines against the solver itself, and what they show without it.

use super::*;
use summa_term::FloatSort;

fn ask(terms: &mut Terms, question: &[Term]) -> Outlined {
    let family = Family::new().unwrap();
    Outlines::default().ask(&family, terms, question, &Limits::default()).unwrap()
}

fn symbol(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let name = terms.declare(name, sort);
    terms.symbol(name, 0)
}

#[test]
fn what_is_computed_twice_is_the_same() {
    let mut terms = Terms::new();
    let float = Sort::Float(FloatSort::F64);
    let [a, b, c] = ["a", "b", "c"].map(|name| symbol(&mut terms, name, float));
    let (first, second) = (terms.float_div(a, b), terms.float_div(c, b));
    let (same, equal) = (terms.eq(a, c), terms.eq(first, second));
    let differs = terms.not(equal);
    assert!(matches!(ask(&mut terms, &[same, differs]), Outlined::Unsat));
}

#[test]
fn a_model_is_one_of_the_whole_question() {
    let mut terms = Terms::new();
    let float = Sort::Float(FloatSort::F32);
    let [a, b, c] = ["a", "b", "c"].map(|name| symbol(&mut terms, name, float));
    let (first, second) = (terms.float_sub(a, b), terms.float_sub(c, b));
    let equal = terms.eq(first, second);
    let differs = terms.not(equal);
    assert!(matches!(ask(&mut terms, &[differs]), Outlined::Sat(_)));
}

#[test]
fn what_multiplies_out_needs_no_multiplier() {
    // Knuth's division: 4·(n + r) = u² - v² - 2·u + 2·v before a round, and after it.
    let mut terms = Terms::new();
    let [n, r, u, v] = ["n", "r", "u", "v"].map(|name| symbol(&mut terms, name, Sort::Bv(64)));
    let invariant = |terms: &mut Terms, r: Term, v: Term| {
        let (four, two) = (terms.bv(64, 4), terms.bv(64, 2));
        let sum = terms.bv_add(n, r);
        let left = terms.bv_mul(four, sum);
        let [uu, vv] = [u, v].map(|x| terms.bv_mul(x, x));
        let [u2, v2] = [u, v].map(|x| terms.bv_mul(two, x));
        let squares = terms.bv_sub(uu, vv);
        let rest = terms.bv_sub(v2, u2);
        let right = terms.bv_add(squares, rest);
        terms.eq(left, right)
    };
    let before = invariant(&mut terms, r, v);
    let (two, zero) = (terms.bv(64, 2), terms.bv(64, 0));
    let is_positive = terms.bv_slt(zero, r);
    let (lower, higher) = (terms.bv_sub(r, v), terms.bv_add(v, two));
    let (r_after, v_after) = (terms.ite(is_positive, lower, r), terms.ite(is_positive, higher, v));
    let after = invariant(&mut terms, r_after, v_after);
    let after = terms.not(after);
    assert!(matches!(ask(&mut terms, &[before, after]), Outlined::Unsat));
    assert!(!matches!(ask(&mut terms, &[after]), Outlined::Unsat));
}

#[test]
fn questions_without_hard_operations_have_no_outline() {
    let mut terms = Terms::new();
    let [a, b] = ["a", "b"].map(|name| symbol(&mut terms, name, Sort::Bv(8)));
    let sum = terms.bv_add(a, b);
    let equal = terms.eq(sum, a);
    assert!(matches!(ask(&mut terms, &[equal]), Outlined::Unknown));
}

/// Numbers that look random and are the same in every run.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// A random term over small bit-vectors, with everything that is hard about them.
fn number(terms: &mut Terms, dice: &mut Dice, symbols: &[Term], depth: u32) -> Term {
    if depth == 0 || dice.below(5) == 0 {
        return match dice.below(3) {
            0 => terms.bv(6, dice.below(64) as u128),
            _ => symbols[dice.below(symbols.len())],
        };
    }
    let mut below = |terms: &mut Terms| number(terms, dice, symbols, depth - 1);
    let (a, b) = (below(terms), below(terms));
    match dice.below(8) {
        0 | 1 => terms.bv_mul(a, b),
        2 => terms.bv_udiv(a, b),
        3 => terms.bv_urem(a, b),
        4 => terms.bv_sdiv(a, b),
        5 => terms.bv_srem(a, b),
        6 => terms.bv_add(a, b),
        _ => {
            let condition = terms.bv_ult(a, b);
            terms.ite(condition, a, b)
        }
    }
}

#[test]
fn outlines_and_the_solver_agree() {
    let mut dice = Dice(7);
    let (mut unsat, mut sat) = (0, 0);
    for _ in 0..60 {
        let mut terms = Terms::new();
        let symbols: Vec<Term> =
            ["a", "b", "c"].iter().map(|name| symbol(&mut terms, name, Sort::Bv(6))).collect();
        let question: Vec<Term> = (0..2 + dice.below(3))
            .map(|_| {
                let a = number(&mut terms, &mut dice, &symbols, 3);
                let b = number(&mut terms, &mut dice, &symbols, 3);
                if dice.below(2) == 0 { terms.eq(a, b) } else { terms.bv_slt(a, b) }
            })
            .collect();
        let family = Family::new().unwrap();
        let exact = NativeSolver::strategic(&family.context).unwrap();
        for &formula in &question {
            exact.assert(&family.native(&terms, formula).unwrap()).unwrap();
        }
        let exact = exact.check(&[], &Limits::default(), None);
        match ask(&mut terms, &question) {
            Outlined::Unsat => {
                assert!(matches!(exact, CheckResult::Unsat), "{question:?}");
                unsat += 1;
            }
            Outlined::Sat(_) => {
                assert!(matches!(exact, CheckResult::Sat), "{question:?}");
                sat += 1;
            }
            Outlined::Unknown => {}
        }
    }
    assert!(unsat > 5 && sat > 5, "both answers occur: {unsat} and {sat}");
}
