//! Equalities with constants, used up before a solver is asked.
//!
//! Where a question says `x = 5`, or `x ^ 9 = 12`, the rest is asked with the number in place of the symbol. A program whose input is one of a
//! few values gives such questions: what a loop computed from it over many rounds is then a constant, while a solver would look into every
//! round. The replacement is done again with what it brings to light. If nothing is left, the question is answered; if something is left,
//! this says nothing. Limits: chains of operations that can be turned round; symbols that are numbers.

use crate::model::Model;
use rustc_hash::FxHashMap;
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
        for (&symbol, &value) in &known {
            let (name, version) = terms.as_symbol(symbol)?;
            model.set(name, version, terms.eval(value, &Model::new())?);
        }
        let replaced = terms.substitute_all(&parts, &known);
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

/// The symbols that are equal to a constant. One that is equal to two is given the first: the second equality becomes false.
fn constants(terms: &mut Terms, parts: &[Term]) -> FxHashMap<Term, Term> {
    let mut known = FxHashMap::default();
    for &part in parts {
        let Some((Op::Eq, &[a, b])) = terms.as_app(part) else { continue };
        let (side, value) = match (terms.is_constant(a), terms.is_constant(b)) {
            (false, true) => (a, b),
            (true, false) => (b, a),
            _ => continue,
        };
        if let Some((symbol, value)) = turned(terms, side, value) {
            known.entry(symbol).or_insert(value);
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
