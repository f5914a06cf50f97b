//! Equalities with constants, used up before a solver is asked.
//!
//! If a question says `x = 5`, or `x ^ 9 = 12`, the symbol is replaced by the number in the rest of the
//! question. Programs whose input is one of a few values give such questions: what a loop computed from the
//! input over many rounds is then a constant, while a solver would look into every round. The replacement is
//! repeated with the equalities that it reveals. If nothing is left, the question is answered; otherwise this
//! step has no answer.
//!
//! Limits: chains of operations that can be inverted; symbols that are numbers.

use crate::model::Model;
use summa_base::FxHashSet;
use summa_term::{Op, Sort, Term, Terms};

/// How often what came to light is used.
const ROUNDS: usize = 6;

/// What the equalities say about a question.
pub(crate) enum Settled {
    Unsat,
    Sat(Model),
}

/// The answer to the conjunction of these formulas, if equalities give one.
pub(crate) fn settle(terms: &mut Terms, question: &[Term]) -> Option<Settled> {
    let mut parts: Vec<Term> = conjuncts(terms, question);
    let mut model = Model::new();
    for _ in 0..ROUNDS {
        let known = constants(terms, &parts);
        if known.is_empty() {
            return None;
        }
        for &(symbol, value) in &known {
            let (name, version) = terms.as_symbol(symbol)?;
            model.set(name, version, terms.eval(value, &Model::new())?);
        }
        let replaced = terms.substitute_all(&parts, &known.into_iter().collect());
        parts = conjuncts(terms, &replaced);
        if parts.contains(&Terms::FALSE) {
            return Some(Settled::Unsat);
        }
        if parts.is_empty() {
            return Some(Settled::Sat(model));
        }
    }
    None
}

/// All conjuncts, once each, without what is true anyway.
fn conjuncts(terms: &Terms, formulas: &[Term]) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let all = formulas.iter().flat_map(|&formula| terms.conjuncts(formula));
    all.filter(|&part| part != Terms::TRUE && seen.insert(part)).collect()
}

/// The symbols that are equal to a constant. One that is equal to two is given the first: the second equality
/// becomes false.
fn constants(terms: &mut Terms, parts: &[Term]) -> Vec<(Term, Term)> {
    let (mut known, mut seen) = (Vec::new(), FxHashSet::default());
    for &part in parts {
        let Some((Op::Eq, &[a, b])) = terms.as_app(part) else { continue };
        let (side, value) = match (terms.is_constant(a), terms.is_constant(b)) {
            (false, true) => (a, b),
            (true, false) => (b, a),
            _ => continue,
        };
        if let Some((symbol, value)) = turned(terms, side, value)
            && seen.insert(symbol)
        {
            known.push((symbol, value));
        }
    }
    known
}

/// The symbol in `side = value`, and what it is.
fn turned(terms: &mut Terms, mut side: Term, mut value: Term) -> Option<(Term, Term)> {
    if !matches!(terms.sort(side), Sort::Int | Sort::Bv(_)) {
        return None;
    }
    loop {
        if terms.as_symbol(side).is_some() {
            return Some((side, value));
        }
        let (op, args) = terms.as_app(side)?;
        let (a, b) = match *args {
            [a] => (a, a),
            [a, b] => (a, b),
            _ => return None,
        };
        let (rest, constant) = if terms.is_constant(a) { (b, a) } else { (a, b) };
        let is_halved = a != b && terms.is_constant(constant);
        value = match op {
            Op::BvNot => terms.bv_not(value),
            Op::BvXor if is_halved => terms.bv_xor(value, constant),
            Op::BvAdd if is_halved => terms.bv_sub(value, constant),
            // `x - c`, but not `c - x`.
            Op::BvSub if is_halved && rest == a => terms.bv_add(value, constant),
            Op::BvSub if is_halved => terms.bv_sub(constant, value),
            Op::Add if is_halved => terms.sub(value, constant),
            _ => return None,
        };
        side = rest;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_computed_from_a_constant_is_one() {
        let mut terms = Terms::new();
        let symbol = terms.declare("x", Sort::Bv(32));
        let x = terms.symbol(symbol, 0);
        let (key, six) = (terms.bv(32, 9), terms.bv(32, 6));
        let hidden = terms.bv_xor(x, key);
        let is_six = terms.eq(hidden, six);
        let square = terms.bv_mul(x, x);
        let expected = terms.bv(32, 15 * 15);
        let (right, wrong) = (terms.eq(square, expected), terms.ne(square, expected));
        assert!(matches!(settle(&mut terms, &[is_six, wrong]), Some(Settled::Unsat)));
        let Some(Settled::Sat(model)) = settle(&mut terms, &[right, is_six]) else { panic!("no answer") };
        assert_eq!(model.is_true(&terms, is_six), Some(true));
        // Nothing is known of another symbol.
        let other = terms.declare("y", Sort::Bv(32));
        let y = terms.symbol(other, 0);
        let open = terms.eq(y, square);
        assert!(settle(&mut terms, &[is_six, open]).is_none_or(|settled| matches!(settled, Settled::Sat(_))));
        assert!(settle(&mut terms, &[open]).is_none());
    }
}
