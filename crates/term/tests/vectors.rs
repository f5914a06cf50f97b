//! Bit-vectors of few bits, exhaustively: the semantics against its definition in SMT-LIB on plain numbers,
//! and the builders with constants and symbols on either side.

#![allow(clippy::unwrap_used, reason = "this is a test")]

use summa_base::FxHashMap;
use summa_term::{Op, Sort, Term, Terms, Value, semantics};

const BINARY: &[Op] = &[
    Op::BvAdd,
    Op::BvSub,
    Op::BvMul,
    Op::BvUdiv,
    Op::BvUrem,
    Op::BvSdiv,
    Op::BvSrem,
    Op::BvAnd,
    Op::BvOr,
    Op::BvXor,
    Op::BvShl,
    Op::BvLshr,
    Op::BvAshr,
];
const COMPARISONS: &[Op] = &[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle, Op::Eq];

fn signed(width: u32, a: i64) -> i64 {
    if a >> (width - 1) & 1 == 1 { a - (1 << width) } else { a }
}

/// The definitions, on numbers from 0 to 2^width - 1.
fn defined(op: Op, width: u32, a: i64, b: i64) -> i64 {
    let (s, t) = (signed(width, a), signed(width, b));
    let modulus = 1i64 << width;
    let result = match op {
        Op::BvAdd => a + b,
        Op::BvSub => a - b,
        Op::BvMul => a * b,
        Op::BvUdiv => {
            if b == 0 {
                modulus - 1
            } else {
                a / b
            }
        }
        Op::BvUrem => {
            if b == 0 {
                a
            } else {
                a % b
            }
        }
        Op::BvSdiv if b == 0 => {
            if s < 0 {
                1
            } else {
                -1
            }
        }
        Op::BvSdiv => s / t,
        Op::BvSrem => {
            if b == 0 {
                s
            } else {
                s % t
            }
        }
        Op::BvAnd => a & b,
        Op::BvOr => a | b,
        Op::BvXor => a ^ b,
        Op::BvShl => {
            if b >= i64::from(width) {
                0
            } else {
                a << b
            }
        }
        Op::BvLshr => {
            if b >= i64::from(width) {
                0
            } else {
                a >> b
            }
        }
        Op::BvAshr => s >> b.min(i64::from(width)),
        Op::BvUlt => i64::from(a < b),
        Op::BvUle => i64::from(a <= b),
        Op::BvSlt => i64::from(s < t),
        Op::BvSle => i64::from(s <= t),
        Op::Eq => i64::from(a == b),
        _ => unreachable!("{op:?}"),
    };
    result.rem_euclid(modulus)
}

fn number(value: Value) -> i64 {
    match value {
        Value::Bool(value) => i64::from(value),
        Value::Bv(_, bits) => bits as i64,
        other => panic!("{other:?}"),
    }
}

fn model(pairs: &[(Term, u8, i64)], terms: &Terms) -> FxHashMap<(summa_term::SymbolId, u32), Value> {
    pairs
        .iter()
        .map(|&(term, width, bits)| (terms.as_symbol(term).unwrap(), Value::Bv(width, bits as u128)))
        .collect()
}

#[test]
fn all_pairs_of_all_binary_operators() {
    for width in 1..=4u8 {
        let size = 1i64 << width;
        let mut terms = Terms::new();
        let (x, y) = (terms.declare("x", Sort::Bv(width)), terms.declare("y", Sort::Bv(width)));
        let (x, y) = (terms.symbol(x, 0), terms.symbol(y, 0));
        for &op in BINARY.iter().chain(COMPARISONS) {
            let sort = if BINARY.contains(&op) { Sort::Bv(width) } else { Sort::Bool };
            let both = terms.build(op, &[x, y], sort);
            let same = terms.build(op, &[x, x], sort);
            for a in 0..size {
                let (left, on_a) = (terms.bv(width, a as u128), model(&[(x, width, a)], &terms));
                assert_eq!(
                    number(terms.eval(same, &on_a).unwrap()),
                    defined(op, width.into(), a, a),
                    "{op:?} {a}"
                );
                for b in 0..size {
                    let expected = defined(op, width.into(), a, b);
                    let values = [Value::Bv(width, a as u128), Value::Bv(width, b as u128)];
                    assert_eq!(
                        number(semantics::apply(op, sort, &values).unwrap()),
                        expected,
                        "{op:?} {a} {b}"
                    );
                    let right = terms.bv(width, b as u128);
                    let folded = terms.build(op, &[left, right], sort);
                    assert_eq!(number(terms.constant_value(folded).unwrap()), expected, "{op:?} {a} {b}");
                    let constant_right = terms.build(op, &[x, right], sort);
                    assert_eq!(
                        number(terms.eval(constant_right, &on_a).unwrap()),
                        expected,
                        "{op:?} x {b} at {a}"
                    );
                    let constant_left = terms.build(op, &[left, y], sort);
                    let on_b = model(&[(y, width, b)], &terms);
                    assert_eq!(
                        number(terms.eval(constant_left, &on_b).unwrap()),
                        expected,
                        "{op:?} {a} y at {b}"
                    );
                    let on_both = model(&[(x, width, a), (y, width, b)], &terms);
                    assert_eq!(number(terms.eval(both, &on_both).unwrap()), expected, "{op:?} at {a} {b}");
                }
            }
        }
    }
}

/// Two operators with constants, one on the other, and comparisons of the result with constants: three bits.
#[test]
fn all_chains_with_constants() {
    let (width, size) = (3u8, 8i64);
    let mut terms = Terms::new();
    let x = terms.declare("x", Sort::Bv(width));
    let x = terms.symbol(x, 0);
    let models: Vec<_> = (0..size).map(|a| model(&[(x, width, a)], &terms)).collect();
    for &inner in BINARY {
        for &outer in BINARY.iter().chain(COMPARISONS) {
            let sort = if BINARY.contains(&outer) { Sort::Bv(width) } else { Sort::Bool };
            for k in 0..size {
                for l in 0..size {
                    let (first, second) = (terms.bv(width, k as u128), terms.bv(width, l as u128));
                    for sides in 0..4 {
                        let (inner_left, outer_left) = (sides & 1 == 1, sides & 2 == 2);
                        let args = if inner_left { [first, x] } else { [x, first] };
                        let middle = terms.build(inner, &args, Sort::Bv(width));
                        let args = if outer_left { [second, middle] } else { [middle, second] };
                        let term = terms.build(outer, &args, sort);
                        for (a, model) in models.iter().enumerate() {
                            let a = a as i64;
                            let (p, q) = if inner_left { (k, a) } else { (a, k) };
                            let middle = defined(inner, 3, p, q);
                            let (p, q) = if outer_left { (l, middle) } else { (middle, l) };
                            let expected = defined(outer, 3, p, q);
                            let value = number(terms.eval(term, model).unwrap());
                            assert_eq!(
                                value, expected,
                                "{outer:?} {l} of {inner:?} {k} at {a}, sides {sides}"
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Comparisons of extended values with all constants and with each other.
#[test]
fn extensions_are_taken_off_correctly() {
    let mut terms = Terms::new();
    let (x, y) = (terms.declare("x", Sort::Bv(2)), terms.declare("y", Sort::Bv(3)));
    let (x, y) = (terms.symbol(x, 0), terms.symbol(y, 0));
    for op in [Op::BvZeroExtend, Op::BvSignExtend] {
        let wide = terms.build(op, &[x], Sort::Bv(4));
        for other in [Op::BvZeroExtend, Op::BvSignExtend] {
            let wide_y = terms.build(other, &[y], Sort::Bv(4));
            for &comparison in COMPARISONS {
                let term = terms.build(comparison, &[wide, wide_y], Sort::Bool);
                for (a, b) in (0..4).flat_map(|a| (0..8).map(move |b| (a, b))) {
                    let extend = |op, width, value: i64| {
                        if op == Op::BvSignExtend { signed(width, value).rem_euclid(16) } else { value }
                    };
                    let expected = defined(comparison, 4, extend(op, 2, a), extend(other, 3, b));
                    let value = terms.eval(term, &model(&[(x, 2, a), (y, 3, b)], &terms)).unwrap();
                    assert_eq!(number(value), expected, "{comparison:?} {op:?} {a}, {other:?} {b}");
                }
            }
        }
        for k in 0..16i64 {
            let constant = terms.bv(4, k as u128);
            for &comparison in COMPARISONS {
                for args in [[wide, constant], [constant, wide]] {
                    let term = terms.build(comparison, &args, Sort::Bool);
                    for a in 0..4 {
                        let extended = if op == Op::BvSignExtend { signed(2, a).rem_euclid(16) } else { a };
                        let (p, q) = if args[0] == wide { (extended, k) } else { (k, extended) };
                        let value = terms.eval(term, &model(&[(x, 2, a)], &terms)).unwrap();
                        assert_eq!(
                            number(value),
                            defined(comparison, 4, p, q),
                            "{comparison:?} {op:?} {a} {k}"
                        );
                    }
                }
            }
        }
    }
}
