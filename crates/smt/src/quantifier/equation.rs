//! Solving an equation for a symbol, on terms: the cheapest and most important step of elimination.
//!
//! `∃x. x = t ∧ φ` is `φ[x := t]`. Here `x` may be under operators that can be inverted, for some of them
//! under a condition: `zero_extend(x) = t` is `x = extract(t)` if the high bits of `t` are zero.

use super::bit_sum::BitSum;
use crate::interpolate::problem::Vocabulary;
use dashu_int::IBig;
use summa_term::{Kind, Op, Sort, Term, Terms};

/// `symbol = value` together with `condition` is the equation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Solution {
    pub(crate) symbol: Term,
    pub(crate) value: Term,
    pub(crate) condition: Term,
}

/// Solves the formula for one of `symbols` (sorted), if it is an equation or literal that can be.
pub(crate) fn solve(terms: &mut Terms, formula: Term, symbols: &[Term]) -> Option<Solution> {
    let wanted = |term: &Term| symbols.binary_search(term).is_ok();
    if wanted(&formula) {
        return Some(Solution { symbol: formula, value: Terms::TRUE, condition: Terms::TRUE });
    }
    match terms.as_app(formula)? {
        (Op::Not, &[inner]) if wanted(&inner) => {
            Some(Solution { symbol: inner, value: Terms::FALSE, condition: Terms::TRUE })
        }
        (Op::Not, &[inner]) => match terms.as_app(inner)? {
            // Of two booleans that differ one is the negation of the other.
            (Op::Eq, &[left, right]) if terms.sort(left) == Sort::Bool => {
                let right = terms.not(right);
                solve_equation(terms, left, right, symbols)
            }
            _ => None,
        },
        (Op::Eq, &[left, right]) => solve_equation(terms, left, right, symbols),
        _ => None,
    }
}

fn solve_equation(terms: &mut Terms, left: Term, right: Term, symbols: &[Term]) -> Option<Solution> {
    let in_left = Vocabulary::of(terms, left);
    let in_right = Vocabulary::of(terms, right);
    let candidates: Vec<Term> = in_left.symbols.iter().chain(&in_right.symbols).copied().collect();
    for symbol in candidates {
        if symbols.binary_search(&symbol).is_err() {
            continue;
        }
        let found = match terms.sort(left) {
            Sort::Int => isolate_linear(terms, left, right, symbol),
            _ => {
                let summed = BitSum::difference(terms, left, right).and_then(|sum| sum.solve(terms, symbol));
                match (summed, in_left.has(symbol), in_right.has(symbol)) {
                    (Some(value), ..) => Some(Solution { symbol, value, condition: Terms::TRUE }),
                    (None, true, false) => isolate(terms, left, right, symbol),
                    (None, false, true) => isolate(terms, right, left, symbol),
                    _ => None,
                }
            }
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// `left = right` for a symbol with coefficient 1 or -1 in the difference.
fn isolate_linear(terms: &mut Terms, left: Term, right: Term, symbol: Term) -> Option<Solution> {
    let difference = terms.sub(left, right);
    let mut sum = terms.linear(difference);
    let position = sum.monomials.iter().position(|&(atom, _)| atom == symbol)?;
    let (_, coefficient) = sum.monomials.remove(position);
    let minus_one = IBig::from(-1);
    if coefficient == IBig::ONE {
        sum.scale(&minus_one);
    } else if coefficient != minus_one {
        return None;
    }
    let value = terms.from_linear(&sum);
    let free = !Vocabulary::of(terms, value).has(symbol);
    free.then_some(Solution { symbol, value, condition: Terms::TRUE })
}

/// Brings everything around `symbol` in `side` to the other side, which does not have it.
fn isolate(terms: &mut Terms, mut side: Term, mut other: Term, symbol: Term) -> Option<Solution> {
    let mut conditions = Vec::new();
    while side != symbol {
        let (op, args) = terms.as_app(side)?;
        let args = args.to_vec();
        let mut holders = args.iter().enumerate().filter(|&(_, &arg)| Vocabulary::of(terms, arg).has(symbol));
        let (position, &holder) = holders.next()?;
        if holders.next().is_some() {
            return None;
        }
        let rest: Vec<Term> =
            args.iter().enumerate().filter(|&(i, _)| i != position).map(|(_, &arg)| arg).collect();
        other = invert(terms, op, position, holder, &rest, other, &mut conditions)?;
        side = holder;
    }
    let condition = terms.and(&conditions);
    Some(Solution { symbol, value: other, condition })
}

/// What `holder` is, given that `op` applied to it and `rest` is `other`; pushes what must hold besides.
fn invert(
    terms: &mut Terms,
    op: Op,
    position: usize,
    holder: Term,
    rest: &[Term],
    other: Term,
    conditions: &mut Vec<Term>,
) -> Option<Term> {
    Some(match (op, rest) {
        (Op::Not, []) => terms.not(other),
        (Op::Eq, &[partner]) if terms.sort(holder) == Sort::Bool => terms.iff(other, partner),
        (Op::BvNot, []) => terms.bv_not(other),
        (Op::BvNeg, []) => terms.bv_neg(other),
        (Op::FloatNeg, []) => terms.float_neg(other),
        (Op::BvAdd, _) => rest.iter().fold(other, |value, &arg| terms.bv_sub(value, arg)),
        (Op::BvXor, _) => rest.iter().fold(other, |value, &arg| terms.bv_xor(value, arg)),
        (Op::BvSub, &[partner]) if position == 0 => terms.bv_add(other, partner),
        (Op::BvSub, &[partner]) => terms.bv_sub(partner, other),
        (Op::BvMul, &[partner]) => {
            let (width, factor) = terms.as_bv(partner)?;
            let inverse = inverse(factor)?;
            let inverse = terms.bv(width, inverse & summa_term::bits::mask(width));
            terms.bv_mul(inverse, other)
        }
        (Op::BvZeroExtend | Op::BvSignExtend, []) => {
            let Sort::Bv(width) = terms.sort(holder) else { return None };
            let Sort::Bv(full) = terms.sort(other) else { return None };
            let value = terms.bv_extract(width - 1, 0, other);
            let again = match op {
                Op::BvZeroExtend => terms.bv_zero_extend(value, full),
                _ => terms.bv_sign_extend(value, full),
            };
            conditions.push(terms.eq(again, other));
            value
        }
        (Op::BvConcat, &[partner]) => {
            let (Sort::Bv(own), Sort::Bv(partners)) = (terms.sort(holder), terms.sort(partner)) else {
                return None;
            };
            let total = own.checked_add(partners)?;
            let (high, low) = if position == 0 { (own, partners) } else { (partners, own) };
            let high_part = terms.bv_extract(total - 1, total - high, other);
            let low_part = terms.bv_extract(low - 1, 0, other);
            let (value, partner_is) =
                if position == 0 { (high_part, low_part) } else { (low_part, high_part) };
            conditions.push(terms.eq(partner, partner_is));
            value
        }
        _ => return None,
    })
}

/// The inverse of an odd number modulo 2¹²⁸, by Newton's iteration: each round doubles the number of right
/// bits.
pub(super) fn inverse(odd: u128) -> Option<u128> {
    if odd & 1 == 0 {
        return None;
    }
    let mut inverse = odd; // right for 3 bits
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    Some(inverse)
}

/// `∃ array. newer = store(array, index, element) ∧ φ` with `array` also in `φ`: the older array is the newer
/// one except for one element, which becomes a new symbol. Returns the array, its value with that symbol, and
/// the condition.
pub(crate) fn undo_store(terms: &mut Terms, formula: Term, symbols: &[Term]) -> Option<(Solution, Term)> {
    let (Op::Eq, &[left, right]) = terms.as_app(formula)? else { return None };
    for (stored, newer) in [(left, right), (right, left)] {
        let Some((Op::Store, &[array, index, element])) = terms.as_app(stored) else { continue };
        if symbols.binary_search(&array).is_err() || !matches!(terms.kind(array), Kind::Symbol(..)) {
            continue;
        }
        if [newer, index, element].iter().any(|&part| Vocabulary::of(terms, part).has(array)) {
            continue;
        }
        let sort = terms.sort(element);
        let family = terms.declare("overwritten!", sort);
        // The number of terms grows with each symbol, so this one is new.
        let version = u32::try_from(terms.len()).ok()?;
        let overwritten = terms.symbol(family, version);
        let value = terms.store(newer, index, overwritten);
        let read = terms.select(newer, index);
        let condition = terms.eq(read, element);
        return Some((Solution { symbol: array, value, condition }, overwritten));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_of_odd_numbers() {
        for odd in [1u128, 3, 5, 7, 0xdead_beef, u128::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd).unwrap()), 1);
        }
        assert_eq!(inverse(6), None);
    }

    #[test]
    fn solves_through_invertible_operators() {
        let mut terms = Terms::new();
        let family = terms.declare("x", Sort::Bv(32));
        let (x, y) = (terms.symbol(family, 0), terms.symbol(family, 1));
        let three = terms.bv(32, 3);
        let product = terms.bv_mul(three, x);
        let sum = terms.bv_sub(product, y);
        let equation = terms.eq(sum, three);
        let solution = solve(&mut terms, equation, &[x]).unwrap();
        let (back, expected) = (terms.bv_mul(three, solution.value), terms.bv_add(three, y));
        let difference = BitSum::difference(&terms, back, expected).unwrap();
        assert_eq!((solution.symbol, solution.condition), (x, Terms::TRUE));
        assert_eq!(difference.is_always_zero(), Some(true));
    }
}
