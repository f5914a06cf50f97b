//! Lemmas of commutative rings: what sums and products alone say about a model of an outline.
//!
//! In an outline a product of variables is a symbol. So a model may contradict the result of multiplying out.
//! Under the model each condition has one value, so every number can be read as a polynomial over atoms
//! ([`summa_term::Polynomial`]). The equalities that the model makes true are polynomials that are zero. An
//! equality that it makes false is refuted if its polynomial lies in their ideal. The lemma is the clause
//! *premises ⟹ equality*, which holds in every model. In this way the equations of Euclid's algorithm, `a =
//! y·r + x·p` and `b = x·q + y·s`, are shown to be inductive without a single gate of a multiplier.
//!
//! Compare lazy combination of theories: this is the solver for one theory, and it is asked about whole
//! models.
//!
//! Limits: extensions of sums, quotients and bit operations are atoms. The number of literals and the size of
//! polynomials are bounded.

use crate::model::Model;
use dashu_int::IBig;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use summa_term::{Evaluator, Ideal, Kind, Op, Polynomial, Ring, Sort, Term, Terms, Value};

/// The most equalities that hold, and the most goals, that are looked at for one model.
const MAX_PREMISES: usize = 60;
const MAX_GOALS: usize = 60;
/// Deeper parts of a number are atoms.
const MAX_DEPTH: u32 = 200;

/// A formula and its value in the model.
type Literal = (Term, bool);

/// A polynomial, and the literals under which a term is that polynomial.
#[derive(Clone, Debug)]
struct Reading {
    polynomial: Polynomial,
    under: BTreeSet<Literal>,
}

/// A comparison that cannot have its value in the model if both sides are equal.
struct Goal {
    literal: Literal,
    sides: (Term, Term),
}

/// Reads numbers as polynomials under one model.
pub(super) struct Reader<'r> {
    terms: &'r Terms,
    evaluator: Evaluator<'r>,
    /// The factors of a symbol that stands for a product.
    factors: &'r dyn Fn(Term) -> Option<(Term, Term)>,
    known: FxHashMap<(Term, Ring), Rc<Reading>>,
}

/// A clause that holds in every model: at least one of these literals differs from its value in the model
/// that was read.
pub(super) struct Lemma(BTreeSet<Literal>);

impl Lemma {
    pub(super) fn clause(&self, terms: &mut Terms) -> Term {
        let members: Vec<Term> =
            self.0.iter().map(|&(formula, value)| if value { terms.not(formula) } else { formula }).collect();
        terms.or(&members)
    }
}

impl<'r> Reader<'r> {
    pub(super) fn new(
        terms: &'r Terms,
        evaluator: Evaluator<'r>,
        factors: &'r dyn Fn(Term) -> Option<(Term, Term)>,
    ) -> Self {
        Self { terms, evaluator, factors, known: FxHashMap::default() }
    }

    /// Lemmas that exclude the model, from the terms on which it depends.
    pub(super) fn lemmas(&mut self, relevant: &[Term]) -> Vec<Lemma> {
        let (premises, goals) = self.premises_and_goals(relevant);
        let rings = self.rings(goals.iter().map(|goal| goal.sides.0));
        rings.into_iter().flat_map(|ring| self.lemmas_in(ring, &premises, &goals)).collect()
    }

    fn premises_and_goals(&mut self, relevant: &[Term]) -> (Vec<(Term, Term, Term)>, Vec<Goal>) {
        let (mut premises, mut goals) = (Vec::new(), Vec::new());
        for &term in relevant {
            self.sort_out(term, &mut premises, &mut goals);
        }
        premises.truncate(MAX_PREMISES);
        goals.truncate(MAX_GOALS);
        (premises, goals)
    }

    /// The rings of these terms, each once.
    fn rings(&self, of: impl Iterator<Item = Term>) -> BTreeSet<Ring> {
        of.filter_map(|term| ring_of(self.terms.sort(term))).collect()
    }

    /// Is the term a premise or a goal?
    fn sort_out(&mut self, term: Term, premises: &mut Vec<(Term, Term, Term)>, goals: &mut Vec<Goal>) {
        let Some((op, &[a, b])) = self.terms.as_app(term) else { return };
        if ring_of(self.terms.sort(a)).is_none() {
            return;
        }
        let is_goal_if = match op {
            Op::Eq | Op::Le | Op::BvUle | Op::BvSle => false,
            Op::Lt | Op::BvUlt | Op::BvSlt => true,
            _ => return,
        };
        match self.evaluator.is_true(term) {
            Some(value) if value == is_goal_if => {
                goals.push(Goal { literal: (term, value), sides: (a, b) });
            }
            Some(true) if op == Op::Eq => premises.push((term, a, b)),
            _ => {}
        }
    }

    /// Values for symbols with which the equalities hold that the model makes true, also where it is wrong
    /// about products: what the equalities determine is computed from the rest of the model.
    pub(super) fn repaired(&mut self, model: &Model, relevant: &[Term]) -> Model {
        let (premises, _) = self.premises_and_goals(relevant);
        let rings = self.rings(premises.iter().map(|&(_, a, _)| a));
        let mut repaired = model.clone();
        for ring in rings {
            let (ideal, _) = self.ideal(ring, &premises);
            for (atom, solution) in ideal.solutions() {
                let Some((name, version)) = self.terms.as_symbol(atom) else { continue };
                let mut value_of = |term: Term| number(&repaired.eval(self.terms, term)?);
                let Some(value) = solution.value(&mut value_of) else { continue };
                if let Some(value) = value_in(self.terms.sort(atom), value) {
                    repaired.set(name, version, value);
                }
            }
        }
        repaired
    }

    /// The ideal of the equalities, and the literals under which each of its polynomials is zero.
    fn ideal(&mut self, ring: Ring, premises: &[(Term, Term, Term)]) -> (Ideal, Vec<BTreeSet<Literal>>) {
        let (mut given, mut under) = (Vec::new(), Vec::new());
        for &(equality, a, b) in premises {
            if is_narrower(self.terms.sort(a), ring) {
                continue;
            }
            if let Some(mut reading) = self.difference(ring, a, b).filter(|r| !r.polynomial.is_zero()) {
                reading.under.insert((equality, true));
                given.push(reading.polynomial);
                under.push(reading.under);
            }
        }
        (Ideal::new(given), under)
    }

    fn lemmas_in(&mut self, ring: Ring, premises: &[(Term, Term, Term)], goals: &[Goal]) -> Vec<Lemma> {
        let (ideal, under) = self.ideal(ring, premises);
        let premises = |indices: &[usize]| -> BTreeSet<Literal> {
            indices.iter().filter_map(|&index| under.get(index)).flatten().copied().collect()
        };
        if let Some(indices) = ideal.contradiction() {
            return vec![Lemma(premises(indices))];
        }
        let mut lemmas = Vec::new();
        for goal in goals.iter().filter(|goal| ring_of(self.terms.sort(goal.sides.0)) == Some(ring)) {
            let Some(reading) = self.difference(ring, goal.sides.0, goal.sides.1) else { continue };
            let Some(indices) = ideal.contains(&reading.polynomial) else { continue };
            let mut literals = premises(&indices);
            literals.extend(reading.under);
            literals.insert(goal.literal);
            lemmas.push(Lemma(literals));
        }
        lemmas
    }

    fn difference(&mut self, ring: Ring, a: Term, b: Term) -> Option<Reading> {
        let (a, b) = (self.read(ring, a, 0), self.read(ring, b, 0));
        plus(&a, -1, &b)
    }

    /// The term in a ring that is no wider than it.
    fn read(&mut self, ring: Ring, term: Term, depth: u32) -> Rc<Reading> {
        if let Some(known) = self.known.get(&(term, ring)) {
            return known.clone();
        }
        let reading = match self.composed(ring, term, depth) {
            Some(reading) if depth < MAX_DEPTH => reading,
            _ => Reading { polynomial: Polynomial::atom(ring, term), under: BTreeSet::new() },
        };
        let reading = Rc::new(reading);
        self.known.insert((term, ring), reading.clone());
        reading
    }

    /// None for an atom, and for a result that would be too large.
    fn composed(&mut self, ring: Ring, term: Term, depth: u32) -> Option<Reading> {
        if depth >= MAX_DEPTH {
            return None;
        }
        let constant =
            |value| Reading { polynomial: Polynomial::constant(ring, value), under: BTreeSet::new() };
        let (op, args) = match self.terms.kind(term) {
            Kind::Int(value) => return Some(constant(value.clone())),
            Kind::Bv(bits) => return Some(constant((*bits).into())),
            Kind::App(op, args) => (*op, &args[..]),
            _ => {
                let (a, b) = (self.factors)(term)?;
                return self.product(ring, &[a, b], depth);
            }
        };
        match (op, args) {
            (Op::Add | Op::BvAdd, _) => {
                let mut sum = constant(0.into());
                for &arg in args {
                    sum = plus(&sum, 1, &self.read(ring, arg, depth + 1))?;
                }
                Some(sum)
            }
            (Op::BvSub, &[a, b]) => {
                let a = self.read(ring, a, depth + 1);
                plus(&a, -1, &self.read(ring, b, depth + 1))
            }
            (Op::BvNeg, &[a]) => plus(&constant(0.into()), -1, &self.read(ring, a, depth + 1)),
            (Op::BvNot, &[a]) => plus(&constant((-1).into()), -1, &self.read(ring, a, depth + 1)),
            (Op::Mul | Op::BvMul, _) => self.product(ring, args, depth),
            (Op::BvShl, &[a, by]) => {
                let (width, by) = self.terms.as_bv(by)?;
                let factor = if by < u128::from(width) { 1u128 << by } else { 0 };
                times(&constant(factor.into()), &self.read(ring, a, depth + 1))
            }
            (Op::Ite, &[condition, a, b]) => {
                let value = self.evaluator.is_true(condition)?;
                let mut chosen = (*self.read(ring, if value { a } else { b }, depth + 1)).clone();
                chosen.under.insert((condition, value));
                Some(chosen)
            }
            // Bits that are cut off or put in front do not influence the low bits.
            (Op::BvExtract { lo: 0, .. } | Op::BvZeroExtend | Op::BvSignExtend, &[a])
                if !is_narrower(self.terms.sort(a), ring) =>
            {
                Some((*self.read(ring, a, depth + 1)).clone())
            }
            _ => None,
        }
    }

    fn product(&mut self, ring: Ring, factors: &[Term], depth: u32) -> Option<Reading> {
        let (first, rest) = factors.split_first()?;
        let mut product = (*self.read(ring, *first, depth + 1)).clone();
        for &factor in rest {
            product = times(&product, &self.read(ring, factor, depth + 1))?;
        }
        Some(product)
    }
}

/// A number that is a value of a sort of a ring; the bits of a bit-vector.
fn number(value: &Value) -> Option<IBig> {
    match value {
        Value::Int(value) => Some(value.clone()),
        Value::Bv(_, bits) => Some((*bits).into()),
        _ => None,
    }
}

/// The value as one of a sort; where that is wider than the ring, only the low bits are known, and the others
/// are zero.
fn value_in(sort: Sort, value: IBig) -> Option<Value> {
    match sort {
        Sort::Int => Some(Value::Int(value)),
        Sort::Bv(width) => Some(Value::Bv(width, u128::try_from(value).ok()?)),
        _ => None,
    }
}

fn plus(a: &Reading, factor: i32, b: &Reading) -> Option<Reading> {
    let polynomial = a.polynomial.clone().plus(&factor.into(), &b.polynomial)?;
    Some(Reading { polynomial, under: a.under.union(&b.under).copied().collect() })
}

fn times(a: &Reading, b: &Reading) -> Option<Reading> {
    let polynomial = a.polynomial.times(&b.polynomial)?;
    Some(Reading { polynomial, under: a.under.union(&b.under).copied().collect() })
}

fn ring_of(sort: Sort) -> Option<Ring> {
    match sort {
        Sort::Int => Some(Ring::Integers),
        Sort::Bv(width) => Some(Ring::Bits(width)),
        _ => None,
    }
}

/// Too narrow to say anything in the ring, or of another kind.
fn is_narrower(sort: Sort, ring: Ring) -> bool {
    match (sort, ring) {
        (Sort::Int, Ring::Integers) => false,
        (Sort::Bv(width), Ring::Bits(wanted)) => width < wanted,
        _ => true,
    }
}
