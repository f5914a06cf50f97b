//! Intervals against brute force: all pairs of small intervals in types of four bits, many in types of eight.

use super::Interval;
use crate::scalars::{NumberSet, Shape, negated, swapped};
use crate::sign::Signs;
use summa_c::arith::{self, Outcome};
use summa_c::tree::{BinaryOp, UnaryOp};

const ARITHMETIC: [BinaryOp; 10] = [
    BinaryOp::Add,
    BinaryOp::Sub,
    BinaryOp::Mul,
    BinaryOp::Div,
    BinaryOp::Rem,
    BinaryOp::And,
    BinaryOp::Or,
    BinaryOp::Xor,
    BinaryOp::Shl,
    BinaryOp::Shr,
];
const COMPARISONS: [BinaryOp; 6] =
    [BinaryOp::Eq, BinaryOp::Ne, BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge];

fn shapes(width: u32) -> [Shape; 2] {
    [true, false].map(|signed| Shape { width, signed, is_bool: false })
}

fn value(outcome: Outcome) -> Option<i128> {
    match outcome {
        Outcome::Exact(value) | Outcome::Overflow(value) => Some(value),
        Outcome::DivisionByZero | Outcome::BadShift => None,
    }
}

/// All intervals of a type with strides up to `steps`.
fn intervals(shape: Shape, steps: i128) -> Vec<Interval> {
    let mut found = Vec::new();
    for lo in shape.min()..=shape.max() {
        for hi in lo..=shape.max() {
            for step in 1..=steps {
                found.extend(Interval::strided(lo, hi, lo, step).filter(|set| set.upper() == hi));
            }
        }
    }
    found.dedup();
    found
}

fn elements(set: Interval) -> impl Iterator<Item = i128> {
    (set.lower()..=set.upper()).step_by(set.step().max(1) as usize)
}

/// The results of an operator on all pairs; None if some pair has none.
fn results(op: BinaryOp, shape: Shape, a: Interval, b: Interval) -> Option<Vec<i128>> {
    let mut found = Vec::new();
    for x in elements(a) {
        for y in elements(b) {
            found.push(value(arith::binary(op, shape.width, shape.signed, x, y)?)?);
        }
    }
    Some(found)
}

#[test]
fn operators_contain_every_result() {
    for shape in shapes(4) {
        let sets = intervals(shape, 3);
        for op in ARITHMETIC {
            for &a in &sets {
                for &b in &sets {
                    let got = Interval::binary(op, shape, a, b);
                    assert!(got.is_subset(Interval::all(shape)), "{a:?} {op:?} {b:?} = {got:?}");
                    for result in results(op, shape, a, b).unwrap_or_default() {
                        assert!(got.contains(result), "{a:?} {op:?} {b:?} = {got:?} without {result}");
                    }
                }
            }
        }
    }
}

/// For intervals without stride: no smaller interval contains the results (where they do not wrap around).
#[test]
fn bounds_are_the_best_where_claimed() {
    for shape in shapes(4) {
        let sets = intervals(shape, 1);
        for op in [BinaryOp::Add, BinaryOp::Sub, BinaryOp::And, BinaryOp::Or, BinaryOp::Xor] {
            for &a in &sets {
                for &b in &sets {
                    let all = results(op, shape, a, b).unwrap();
                    let (least, most) = (*all.iter().min().unwrap(), *all.iter().max().unwrap());
                    let got = Interval::binary(op, shape, a, b);
                    assert_eq!((got.lower(), got.upper()), (least, most), "{a:?} {op:?} {b:?} in {shape:?}");
                }
            }
        }
    }
}

#[test]
fn unary_operators_and_casts_are_exact_on_bounds() {
    for from in shapes(4) {
        for &a in &intervals(from, 3) {
            for op in [UnaryOp::Neg, UnaryOp::BitNot] {
                let got = Interval::unary(op, from, a);
                let all: Vec<i128> =
                    elements(a).map(|x| value(arith::unary(op, 4, from.signed, x)).unwrap()).collect();
                assert!(all.iter().all(|&x| got.contains(x)), "{op:?} {a:?} = {got:?}");
                assert_eq!(Some(&got.lower()), all.iter().min());
                assert_eq!(Some(&got.upper()), all.iter().max());
            }
            for to in [shapes(3), shapes(4), shapes(6)].concat() {
                let got = a.cast(from, to);
                assert!(elements(a).all(|x| got.contains(arith::wrap_to(to.width, to.signed, x))));
            }
            let bool = Shape { width: 8, signed: false, is_bool: true };
            assert!(elements(a).all(|x| a.cast(from, bool).contains((x != 0).into())));
        }
    }
}

fn holds(op: BinaryOp, x: i128, y: i128) -> bool {
    arith::binary(op, 16, true, x, y).and_then(value) == Some(1)
}

#[test]
fn the_lattice_is_one() {
    let shape = shapes(4)[0];
    let sets = intervals(shape, 4);
    for &a in &sets {
        for &b in &sets {
            let join = a.join(b);
            assert!(a.is_subset(join) && b.is_subset(join));
            let inside = elements(a).all(|x| b.contains(x));
            assert_eq!(a.is_subset(b), inside, "{a:?} {b:?}");
            let both: Vec<i128> = elements(a).filter(|&x| b.contains(x)).collect();
            match a.meet(b) {
                None => assert!(both.is_empty()),
                Some(meet) => assert_eq!(elements(meet).collect::<Vec<_>>(), both, "{a:?} {b:?}"),
            }
            let widened = a.widen(b, shape, &[-1, 0, 1]);
            assert!(join.is_subset(widened) && widened.is_subset(Interval::all(shape)));
        }
    }
}

#[test]
fn comparisons_are_decided_and_refined_soundly() {
    let shape = shapes(4)[0];
    let sets = intervals(shape, 3);
    for op in COMPARISONS {
        assert_eq!(negated(negated(op)), op);
        for &a in &sets {
            for &b in &sets {
                let pairs = || elements(a).flat_map(|x| elements(b).map(move |y| (x, y)));
                match Interval::compare(op, a, b) {
                    Some(truth) => assert!(pairs().all(|(x, y)| holds(op, x, y) == truth)),
                    None => assert!(
                        pairs().any(|(x, y)| holds(op, x, y)) && pairs().any(|(x, y)| !holds(op, x, y)),
                        "{a:?} {op:?} {b:?} is decided"
                    ),
                }
                let (left, right) = (a.satisfying(op, b), b.satisfying(swapped(op), a));
                for (x, y) in pairs().filter(|&(x, y)| holds(op, x, y)) {
                    assert!(left.is_some_and(|left| left.contains(x)), "{a:?} {op:?} {b:?}");
                    assert!(right.is_some_and(|right| right.contains(y)), "{a:?} {op:?} {b:?}");
                }
            }
        }
    }
}

#[test]
fn operands_are_found_from_results() {
    use BinaryOp::*;
    for shape in shapes(4) {
        let sets = intervals(shape, 2);
        for op in [Mul, Div, Rem, Shr, And, Or] {
            for &left in &sets {
                for c in shape.min()..=shape.max() {
                    let right = Interval::constant(c);
                    for result in intervals(shape, 1).into_iter().step_by(7) {
                        let Some(found) = Interval::left_operand(op, shape, result, left, right) else {
                            continue;
                        };
                        for x in elements(left) {
                            let y = arith::binary(op, 4, shape.signed, x, c).and_then(value);
                            let fits = y.is_none_or(|y| result.contains(y));
                            assert!(!fits || found.contains(x), "{x} {op:?} {c} in {result:?}: {found:?}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn wide_types_do_not_overflow_the_host() {
    for shape in shapes(64) {
        let extremes = [shape.min(), shape.min() + 1, -1, 0, 1, shape.max() - 1, shape.max()];
        let extremes: Vec<i128> = extremes.into_iter().filter(|&x| shape.contains(x)).collect();
        let mut sets = Vec::new();
        for &lo in &extremes {
            for &hi in &extremes {
                sets.extend(
                    [1, 2, 3, 1 << 62].iter().filter_map(|&step| Interval::strided(lo, hi, lo, step)),
                );
            }
        }
        for op in ARITHMETIC {
            for &a in &sets {
                for &b in &sets {
                    let got = Interval::binary(op, shape, a, b);
                    assert!(got.is_subset(Interval::all(shape)));
                    Interval::left_operand(op, shape, a, b, b);
                    for (x, y) in [(a.lower(), b.lower()), (a.upper(), b.lower()), (a.upper(), b.upper())] {
                        let exact = arith::binary(op, 64, shape.signed, x, y).and_then(value);
                        assert!(exact.is_none_or(|exact| got.contains(exact)), "{a:?} {op:?} {b:?}");
                    }
                    assert_eq!(a.meet(b).is_some(), b.meet(a).is_some(), "{a:?} {b:?}");
                }
            }
        }
    }
}

/// A stride distinguishes even from odd, through multiplication and masks.
#[test]
fn strides_are_congruences() {
    let int = Shape::INT;
    let any = Interval::all(int);
    let even = Interval::binary(BinaryOp::Mul, int, any, Interval::constant(2));
    assert_eq!(even.step(), 2);
    let masked = Interval::binary(BinaryOp::And, int, even, Interval::constant(1));
    assert_eq!(masked.as_constant(), Some(0));
    let aligned = Interval::binary(BinaryOp::And, int, any, Interval::constant(-8));
    assert_eq!((aligned.lower(), aligned.step()), (int.min(), 8));
    let third = Interval::strided(0, 99, 1, 3).unwrap();
    let sixth = third.meet(Interval::strided(0, 99, 0, 2).unwrap()).unwrap();
    assert_eq!((sixth.lower(), sixth.upper(), sixth.step()), (4, 94, 6));
}

/// The signs of results, for all numbers of four bits.
#[test]
fn signs_are_sound() {
    for shape in shapes(4) {
        let numbers = || shape.min()..=shape.max();
        for x in numbers() {
            for op in [UnaryOp::Neg, UnaryOp::BitNot] {
                let exact = value(arith::unary(op, 4, shape.signed, x)).unwrap();
                assert!(Signs::unary(op, shape, Signs::only(x)).contains(exact), "{op:?} {x} in {shape:?}");
            }
            for to in [shapes(3), shapes(4), shapes(6)].concat() {
                let exact = arith::wrap_to(to.width, to.signed, x);
                assert!(Signs::only(x).cast(shape, to).contains(exact), "{x} from {shape:?} to {to:?}");
            }
            for y in numbers() {
                let (a, b) = (Signs::only(x), Signs::only(y));
                for op in ARITHMETIC {
                    let got = Signs::binary(op, shape, a, b);
                    assert!(got.is_subset(Signs::all(shape)));
                    let exact = arith::binary(op, 4, shape.signed, x, y).and_then(value);
                    assert!(exact.is_none_or(|exact| got.contains(exact)), "{x} {op:?} {y} in {shape:?}");
                }
                for op in COMPARISONS {
                    let truth = holds(op, x, y);
                    assert!(Signs::compare(op, a, b).is_none_or(|said| said == truth), "{x} {op:?} {y}");
                    assert!(
                        !truth || a.satisfying(op, b).is_some_and(|left| left.contains(x)),
                        "{x} {op:?} {y}"
                    );
                }
            }
        }
    }
}
