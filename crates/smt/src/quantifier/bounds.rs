//! Integers that occur only in linear inequalities: Fourier and Motzkin's step, where it is exact over the
//! integers.
//!
//! `∃x. l ≤ x ∧ x ≤ u` is `l ≤ u`; with coefficients, `∃x. l ≤ a·x ∧ b·x ≤ u` is `b·l ≤ a·u` if one of `a`
//! and `b` is one.
//! Bounds of one side only say nothing.

use dashu_int::IBig;
use summa_term::{Linear, Op, Sort, SymbolSets, Term, Terms};

/// More pairs of bounds than this are left to the solver.
const PAIR_LIMIT: usize = 24;

/// `coefficient · x + rest ≤ 0`.
struct Bound {
    coefficient: IBig,
    rest: Linear,
}

/// Eliminates one of the symbols if possible; the symbols and parts are replaced by what remains.
pub(super) fn eliminate(
    terms: &mut Terms,
    sets: &mut SymbolSets,
    symbols: &mut Vec<Term>,
    parts: &mut Vec<Term>,
) -> bool {
    for position in 0..symbols.len() {
        let symbol = symbols[position];
        if terms.sort(symbol) != Sort::Int {
            continue;
        }
        if let Some(remaining) = eliminate_one(terms, sets, symbol, parts) {
            *parts = remaining;
            symbols.remove(position);
            return true;
        }
    }
    false
}

fn eliminate_one(
    terms: &mut Terms,
    sets: &mut SymbolSets,
    symbol: Term,
    parts: &[Term],
) -> Option<Vec<Term>> {
    let (mut lower, mut upper, mut remaining) = (Vec::new(), Vec::new(), Vec::new());
    for &part in parts {
        if !super::mentions(terms, sets, part, &[symbol]) {
            remaining.push(part);
            continue;
        }
        let bound = bound(terms, sets, symbol, part)?;
        if bound.coefficient < IBig::ZERO { lower.push(bound) } else { upper.push(bound) }
    }
    if lower.len().saturating_mul(upper.len()) > PAIR_LIMIT {
        return None;
    }
    for low in &lower {
        for high in &upper {
            // -a·x + l ≤ 0 and b·x + u ≤ 0: b·l + a·u ≤ 0.
            let a = -&low.coefficient;
            if a != IBig::ONE && high.coefficient != IBig::ONE {
                return None;
            }
            let left = scaled(terms, &low.rest, &high.coefficient);
            let right = scaled(terms, &high.rest, &a);
            let (sum, zero) = (terms.add2(left, right), terms.int(0));
            remaining.push(terms.le(sum, zero));
        }
    }
    Some(remaining)
}

fn scaled(terms: &mut Terms, sum: &Linear, factor: &IBig) -> Term {
    let mut sum = sum.clone();
    sum.scale(factor);
    terms.from_linear(&sum)
}

/// The inequality as a bound of `symbol`; `None` if it is something else.
fn bound(terms: &mut Terms, sets: &mut SymbolSets, symbol: Term, part: Term) -> Option<Bound> {
    let (op, &[left, right]) = terms.as_app(part)? else { return None };
    let difference = match op {
        Op::Le => terms.sub(left, right),
        Op::Lt => {
            let one = terms.int(1);
            let difference = terms.sub(left, right);
            terms.add2(difference, one)
        }
        _ => return None,
    };
    let mut rest = terms.linear(difference);
    let position = rest.monomials.iter().position(|&(atom, _)| atom == symbol)?;
    let (_, coefficient) = rest.monomials.remove(position);
    let elsewhere = rest.monomials.iter().any(|&(atom, _)| super::mentions(terms, sets, atom, &[symbol]));
    (!elsewhere).then_some(Bound { coefficient, rest })
}
