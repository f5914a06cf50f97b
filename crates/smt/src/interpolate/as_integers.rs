//! A trace over bit-vectors as one over integers, to guess: its interpolants are found fast and generalise well. Back as
//! bit-vectors they are candidates for the filter, never answers: integers do not wrap around.
//!
//! Constants are taken as signed. What integers cannot say (shifts, bit operations) is left out.

use super::functions::rebuild;
use super::problem::Tree;
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use summa_term::{Linear, Op, Sort, Term, Terms, bits};

/// The trace over integers, and which bit-vector symbol each of its symbols is.
pub(crate) struct Integers {
    pub(crate) tree: Tree,
    originals: FxHashMap<Term, Term>,
}

/// `None` if nothing of the trace is over bit-vectors.
pub(crate) fn abstracted(terms: &mut Terms, tree: &Tree) -> Option<Integers> {
    let mut symbols = FxHashMap::default();
    let formulas: Vec<Term> = tree.nodes().iter().map(|node| node.formula).collect();
    for symbol in super::problem::Vocabulary::of_all(terms, &formulas).symbols {
        if let (Sort::Bv(_), Some((name, version))) = (terms.sort(symbol), terms.as_symbol(symbol)) {
            let name = format!("{}!integer{}", terms.symbol_name(name), terms.bv_width(symbol));
            let family = terms.declare(&name, Sort::Int);
            let integer = terms.symbol(family, version);
            symbols.insert(symbol, integer);
        }
    }
    if symbols.is_empty() {
        return None;
    }
    let tree = tree.with_formulas(|_, formula| {
        // Conjunct by conjunct, so that one that cannot be translated does not cost the others.
        let parts: Vec<Term> =
            terms.conjuncts(formula).into_iter().filter_map(|part| to_integers(terms, part, &symbols)).collect();
        terms.and(&parts)
    });
    let originals = symbols.into_iter().map(|(vector, integer)| (integer, vector)).collect();
    Some(Integers { tree, originals })
}

fn to_integers(terms: &mut Terms, formula: Term, symbols: &FxHashMap<Term, Term>) -> Option<Term> {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for term in terms.post_order(&[formula]) {
        let sort = terms.sort(term);
        let made = if let Some(&integer) = symbols.get(&term) {
            integer
        } else if let Some((width, value)) = terms.as_bv(term) {
            terms.int(bits::to_signed(width, value))
        } else if let Some((op, args)) = terms.as_app(term) {
            let args: Vec<Term> = args.iter().map(|arg| done.get(arg).copied()).collect::<Option<_>>()?;
            translate(terms, op, &args, sort)?
        } else if matches!(sort, Sort::Bool | Sort::Int) {
            term
        } else {
            return None;
        };
        done.insert(term, made);
    }
    done.get(&formula).copied()
}

fn translate(terms: &mut Terms, op: Op, args: &[Term], sort: Sort) -> Option<Term> {
    Some(match (op, args) {
        (Op::Not | Op::And | Op::Or | Op::Ite | Op::Eq, _) => {
            let sort = if matches!(sort, Sort::Bv(_)) { Sort::Int } else { sort };
            terms.build(op, args, sort)
        }
        (Op::Add | Op::Mul | Op::Le | Op::Lt | Op::Div | Op::Mod, _) => terms.build(op, args, sort),
        (Op::BvAdd, _) => terms.add(args),
        (Op::BvSub, &[a, b]) => terms.sub(a, b),
        (Op::BvNeg, &[a]) => terms.neg(a),
        (Op::BvNot, &[a]) => {
            let (negated, one) = (terms.neg(a), terms.int(1));
            terms.sub(negated, one)
        }
        (Op::BvMul, &[a, b]) => terms.mul(a, b),
        (Op::BvSlt | Op::BvUlt, &[a, b]) => terms.lt(a, b),
        (Op::BvSle | Op::BvUle, &[a, b]) => terms.le(a, b),
        (Op::BvSignExtend | Op::BvZeroExtend, &[a]) => a,
        (Op::BvExtract { lo: 0, .. }, &[a]) => a,
        _ => return None,
    })
}

impl Integers {
    /// Atoms over bit-vectors that look like this atom over integers: signed and unsigned.
    pub(crate) fn candidates(&self, terms: &mut Terms, atom: Term) -> Vec<Term> {
        if let Some((Op::Not, &[inner])) = terms.as_app(atom) {
            return self.candidates(terms, inner).into_iter().map(|candidate| terms.not(candidate)).collect();
        }
        let Some((op, &[left, right])) = terms.as_app(atom) else { return vec![atom] };
        if terms.sort(left) != Sort::Int {
            return self.back(terms, atom).into_iter().collect();
        }
        let (left, right) = (terms.linear(left), terms.linear(right));
        let Some(width) = self.width(terms, &left, &right) else { return Vec::new() };
        let (Some(left), Some(right)) = (self.sum(terms, &left, width), self.sum(terms, &right, width)) else {
            return Vec::new();
        };
        match op {
            Op::Eq => vec![terms.eq(left, right)],
            Op::Le => vec![terms.bv_sle(left, right), terms.bv_ule(left, right)],
            Op::Lt => vec![terms.bv_slt(left, right), terms.bv_ult(left, right)],
            _ => Vec::new(),
        }
    }

    /// A formula without integers stays.
    fn back(&self, terms: &mut Terms, formula: Term) -> Option<Term> {
        rebuild(terms, formula, |terms, op, args, sort| {
            (sort == Sort::Bool && args.iter().all(|&arg| terms.sort(arg) == Sort::Bool))
                .then(|| terms.build(op, args, sort))
        })
    }

    /// The widest symbol of an atom.
    fn width(&self, terms: &Terms, left: &Linear, right: &Linear) -> Option<u8> {
        let atoms = left.monomials.iter().chain(&right.monomials);
        atoms.filter_map(|(atom, _)| self.originals.get(atom)).map(|&symbol| terms.bv_width(symbol)).max()
    }

    fn sum(&self, terms: &mut Terms, sum: &Linear, width: u8) -> Option<Term> {
        let mut total = terms.bv(width, truncated(&sum.constant, width)?);
        for (atom, coefficient) in &sum.monomials {
            let &symbol = self.originals.get(atom)?;
            let symbol = terms.bv_sign_extend(symbol, width);
            let factor = terms.bv(width, truncated(coefficient, width)?);
            let product = terms.bv_mul(factor, symbol);
            total = terms.bv_add(total, product);
        }
        Some(total)
    }
}

fn truncated(value: &IBig, width: u8) -> Option<u128> {
    let value = i128::try_from(value).ok()?;
    Some(value.cast_unsigned() & bits::mask(width))
}
