//! Traces over bit-vectors as traces over integers, as a source of guesses. Interpolants over integers are
//! found fast and generalise well. Translated back to bit-vectors they are candidates for the filter, never
//! answers, because integers do not wrap around.
//!
//! Constants are taken as signed. What integers cannot express (shifts, bit operations) is left out.

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
        let Some((name, version)) = terms.as_symbol(symbol) else { continue };
        let sort = integer_sort(terms, terms.sort(symbol))?;
        if sort != terms.sort(symbol) {
            // Symbols of one name and several sorts must stay apart.
            let name = format!("{}!integer!{name}", terms.symbol_name(name));
            let family = terms.declare(&name, sort);
            let integer = terms.symbol(family, version);
            symbols.insert(symbol, integer);
        }
    }
    if symbols.is_empty() {
        return None;
    }
    let tree = tree.with_formulas(|_, formula| {
        // Conjunct by conjunct, so that one that cannot be translated does not cost the others.
        let parts: Vec<Term> = terms
            .conjuncts(formula)
            .into_iter()
            .filter_map(|part| to_integers(terms, part, &symbols))
            .collect();
        terms.and(&parts)
    });
    let originals = symbols.into_iter().map(|(vector, integer)| (integer, vector)).collect();
    Some(Integers { tree, originals })
}

/// Integers for bit-vectors, also in arrays; `None` for floats.
fn integer_sort(terms: &mut Terms, sort: Sort) -> Option<Sort> {
    Some(match sort {
        Sort::Bv(_) => Sort::Int,
        Sort::Bool | Sort::Int => sort,
        Sort::Array(array) => {
            let (index, element) = terms.array_sort(array);
            let (index, element) = (integer_sort(terms, index)?, integer_sort(terms, element)?);
            terms.array_of(index, element)
        }
        Sort::Float(_) => return None,
    })
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
        (Op::Not | Op::And | Op::Or | Op::Ite | Op::Eq | Op::Select | Op::Store | Op::ConstArray, _) => {
            let sort = integer_sort(terms, sort)?;
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
        let (Some(left), Some(right)) = (self.sum(terms, &left, width), self.sum(terms, &right, width))
        else {
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

    /// The widest bit-vector among the atoms of both sides.
    fn width(&self, terms: &mut Terms, left: &Linear, right: &Linear) -> Option<u8> {
        let atoms = left.monomials.iter().chain(&right.monomials);
        let vectors: Vec<Term> =
            atoms.map(|&(atom, _)| self.vector(terms, atom, 0)).collect::<Option<_>>()?;
        vectors.into_iter().map(|vector| terms.bv_width(vector)).max()
    }

    fn sum(&self, terms: &mut Terms, sum: &Linear, width: u8) -> Option<Term> {
        let mut total = terms.bv(width, truncated(&sum.constant, width)?);
        for (atom, coefficient) in &sum.monomials {
            let vector = self.vector(terms, *atom, 0)?;
            let vector = terms.bv_sign_extend(vector, width);
            let factor = terms.bv(width, truncated(coefficient, width)?);
            let product = terms.bv_mul(factor, vector);
            total = terms.bv_add(total, product);
        }
        Some(total)
    }

    /// The bit-vector that an integer atom stands for: a symbol, or an element of an array.
    fn vector(&self, terms: &mut Terms, atom: Term, depth: u32) -> Option<Term> {
        if let Some(&symbol) = self.originals.get(&atom) {
            return matches!(terms.sort(symbol), Sort::Bv(_)).then_some(symbol);
        }
        let (Op::Select, &[array, index]) = terms.as_app(atom)? else { return None };
        let &array = self.originals.get(&array).filter(|_| depth < 4)?;
        let Sort::Array(sort) = terms.sort(array) else { return None };
        let (Sort::Bv(index_width), Sort::Bv(_)) = terms.array_sort(sort) else { return None };
        let index = terms.linear(index);
        let index = self.sum_below(terms, &index, index_width, depth + 1)?;
        Some(terms.select(array, index))
    }

    /// An index: its atoms must have its width.
    fn sum_below(&self, terms: &mut Terms, sum: &Linear, width: u8, depth: u32) -> Option<Term> {
        let mut total = terms.bv(width, truncated(&sum.constant, width)?);
        for (atom, coefficient) in &sum.monomials {
            let vector =
                self.vector(terms, *atom, depth).filter(|&vector| terms.bv_width(vector) == width)?;
            let factor = terms.bv(width, truncated(coefficient, width)?);
            let product = terms.bv_mul(factor, vector);
            total = terms.bv_add(total, product);
        }
        Some(total)
    }
}

fn truncated(value: &IBig, width: u8) -> Option<u128> {
    let value = i128::try_from(value).ok()?;
    Some(value.cast_unsigned() & bits::mask(width))
}
