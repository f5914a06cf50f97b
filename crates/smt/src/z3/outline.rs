//! Questions in outline: hard operations become symbols, and get their meaning back one by one, where a model
//! misuses it.
//!
//! Floating-point arithmetic, products and quotients of variables are circuits of thousands of gates for a
//! solver that looks at bits. Most proofs need none of these gates: a program that computes a value and an
//! assertion that computes it again agree whatever the operation does. So a question `φ` is asked as `φ°`, in
//! which every hard application `f(a, b)` is a symbol `v`, the same for the same arguments:
//! * `φ°` unsatisfiable: so is `φ`, since every model of `φ` gives one of `φ°`.
//! * a model of `φ°` in which every `v` that counts is `f(a, b)`: a model of `φ`. It is confirmed by asking
//!   `φ` with the symbols of `φ` fixed to their values.
//! * a model that contradicts what functions are (`a = a'`, `b = b'`, `v ≠ v'`): that is excluded for the
//!   pair, and asked again.
//! * a model that contradicts the result of multiplying out sums and products: that is excluded (`ring.rs`).
//! * any other model: the cheapest wrong applications are defined, `v = f(a, b)`, and `φ°` is asked again.
//!
//! Compare Kroening and others, "Approximation refinement of bit-vector formulas", and lazy bit-blasting of
//! floats.
//!
//! Limits: formulas with quantifiers have no outline. Rounds and the work of each are bounded; then the whole
//! question is for the solver as before.

use super::facts::facts;
use super::family::Family;
use super::native::{CheckResult, NativeError, NativeSolver};
use super::ring::Reader;
use super::values;
use crate::model::Model;
use crate::solver::Limits;
use rustc_hash::{FxHashMap, FxHashSet};
use summa_term::{Evaluator, Kind, Op, Sort, Term, Terms, Value, semantics};

/// How often an outline is asked, each time with more of the meaning of its operations.
const ROUNDS: usize = 16;
/// Z3's own count of work for one round.
const ROUND_WORK: u32 = 3_000_000;
/// Larger questions cost more to outline and evaluate than they are likely to gain.
const SIZE_LIMIT: usize = 200_000;
/// Pairs of applications that are compared after a model.
const PAIR_LIMIT: usize = 20_000;

/// What the outline of a question says about the question.
pub(super) enum Outlined {
    Unsat,
    /// The solver has a model of the whole question.
    Sat(NativeSolver),
    /// Nothing: it must be asked as it is.
    Unknown,
}

/// A hard application and the symbol in its place.
#[derive(Clone, Debug)]
struct Hard {
    symbol: Term,
    op: Op,
    sort: Sort,
    /// The arguments in outline.
    args: Box<[Term]>,
    /// What the operation guarantees, as formulas that are cheap.
    facts: Box<[Term]>,
}

impl Hard {
    fn is_product(&self) -> bool {
        matches!(self.op, Op::Mul | Op::BvMul)
    }
}

/// A hard application in a model.
struct Use<'a> {
    hard: &'a Hard,
    args: Vec<Value>,
    value: Value,
    /// The operation has another value for these arguments.
    is_wrong: bool,
}

/// Outlines of the terms of one store. Entries are kept, as the solver's own translations are.
#[derive(Default)]
pub(super) struct Outlines {
    /// The outline of a term; none where there is a quantifier below.
    done: FxHashMap<Term, Option<Term>>,
    hard: FxHashMap<Term, Hard>,
    /// The application in outline and its symbol.
    symbols: FxHashMap<Term, Term>,
}

impl Outlines {
    /// Asks the conjunction of `question` in outline.
    ///
    /// # Errors
    /// Z3 could not take a formula.
    pub(super) fn ask(
        &mut self,
        family: &Family,
        terms: &mut Terms,
        question: &[Term],
        limits: &Limits,
    ) -> Result<Outlined, NativeError> {
        let Some(mut formulas) = self.of_question(terms, question) else { return Ok(Outlined::Unknown) };
        let mut defined = FxHashSet::default();
        for round in 0..ROUNDS {
            if limits.is_interrupted() {
                break;
            }
            let solver = NativeSolver::strategic(&family.context)?;
            for &formula in &formulas {
                solver.assert(&family.native(terms, formula)?)?;
            }
            match solver.check(&[], limits, Some(ROUND_WORK)) {
                CheckResult::Unsat => return Ok(Outlined::Unsat),
                CheckResult::Unknown(..) => break,
                CheckResult::Sat => {}
            }
            let Ok(model) = values::read(family, terms, &solver.model()?, &formulas) else { break };
            // The numbers of the model may do for the whole question, whatever its symbols are.
            if let Some(model) = self.lucky(terms, &model, question, &formulas) {
                return self.confirmed(family, terms, question, &model, limits);
            }
            let more = self.misused(terms, &model, &formulas, &defined, 1 << round.min(8));
            if more.is_empty() {
                return self.confirmed(family, terms, question, &model, limits);
            }
            for formula in more {
                defined.insert(formula);
                formulas.push(formula);
            }
        }
        Ok(Outlined::Unknown)
    }

    /// The question in outline with the facts about its symbols; none if there is nothing hard in it.
    fn of_question(&mut self, terms: &mut Terms, question: &[Term]) -> Option<Vec<Term>> {
        let order = terms.post_order(question);
        if order.len() > SIZE_LIMIT {
            return None;
        }
        for term in order {
            self.outline(terms, term);
        }
        let mut formulas =
            question.iter().map(|formula| *self.done.get(formula)?).collect::<Option<Vec<Term>>>()?;
        if formulas == question {
            return None;
        }
        let mut facts = Vec::new();
        for term in terms.post_order(&formulas) {
            self.facts_below(terms, term, &mut facts);
        }
        facts.sort_unstable();
        facts.dedup();
        formulas.extend(facts);
        Some(formulas)
    }

    /// Facts about a symbol of an outline, and about those that its arguments contain.
    fn facts_below(&self, terms: &Terms, symbol: Term, facts: &mut Vec<Term>) {
        let (mut todo, mut seen) = (vec![symbol], FxHashSet::default());
        while let Some(next) = todo.pop() {
            let Some(hard) = self.hard.get(&next).filter(|_| seen.insert(next)) else { continue };
            facts.extend_from_slice(&hard.facts);
            if !hard.facts.is_empty() {
                todo.extend(terms.post_order(&hard.args));
            }
        }
    }

    /// One term, whose children are done.
    fn outline(&mut self, terms: &mut Terms, term: Term) {
        if self.done.contains_key(&term) {
            return;
        }
        let outlined = match terms.kind(term) {
            Kind::Quantified(..) => None,
            Kind::App(op, args) => {
                let (op, sort) = (*op, terms.sort(term));
                let new: Option<Vec<Term>> =
                    args.iter().map(|arg| self.done.get(arg).copied().flatten()).collect();
                new.map(|new| {
                    let same = terms.as_app(term).is_some_and(|(_, old)| *old == *new);
                    let built = if same { term } else { terms.build(op, &new, sort) };
                    self.symbol_for(terms, built).unwrap_or(built)
                })
            }
            _ => Some(term),
        };
        self.done.insert(term, outlined);
    }

    /// The symbol in the place of an application in outline, if it is a hard one.
    fn symbol_for(&mut self, terms: &mut Terms, application: Term) -> Option<Term> {
        if let Some(&symbol) = self.symbols.get(&application) {
            return Some(symbol);
        }
        let (op, args) = terms.as_app(application).filter(|&(op, args)| is_hard(terms, op, args))?;
        let (args, sort): (Box<[Term]>, Sort) = (args.into(), terms.sort(application));
        let name = terms.declare(&format!("outline!{application}"), sort);
        let symbol = terms.symbol(name, 0);
        let facts = facts(terms, op, &args, symbol).into();
        self.symbols.insert(application, symbol);
        self.hard.insert(symbol, Hard { symbol, op, sort, args, facts });
        Some(symbol)
    }

    /// Formulas that exclude this model, at most `at_most`; none if the model respects every operation that
    /// counts.
    fn misused(
        &self,
        terms: &mut Terms,
        model: &Model,
        formulas: &[Term],
        said: &FxHashSet<Term>,
        at_most: usize,
    ) -> Vec<Term> {
        let uses = self.uses(terms, model, formulas);
        let pairs = unlike(terms, &uses);
        let mut new: Vec<Term> = pairs.into_iter().filter(|pair| !said.contains(pair)).collect();
        new.extend(self.ring_lemmas(terms, model, formulas, &uses));
        if !new.is_empty() {
            return new;
        }
        let mut wrong: Vec<&Hard> = uses.iter().filter(|used| used.is_wrong).map(|used| used.hard).collect();
        wrong.sort_by_key(|hard| (cost(hard.op, hard.sort), hard.symbol));
        let define = |hard: &Hard| {
            let application = terms.build(hard.op, &hard.args, hard.sort);
            terms.eq(hard.symbol, application)
        };
        wrong.into_iter().map(define).filter(|definition| !said.contains(definition)).take(at_most).collect()
    }

    /// Lemmas about multiplied-out products that the model contradicts.
    fn ring_lemmas(
        &self,
        terms: &mut Terms,
        model: &Model,
        formulas: &[Term],
        uses: &[Use<'_>],
    ) -> Vec<Term> {
        if !uses.iter().any(|used| used.is_wrong && used.hard.is_product()) {
            return Vec::new();
        }
        let mut evaluator = Evaluator::new(terms, model);
        let relevant = self.relevant(terms, &mut evaluator, formulas);
        let factors = |symbol| self.factors(symbol);
        let lemmas = Reader::new(terms, evaluator, &factors).lemmas(&relevant);
        lemmas.into_iter().map(|lemma| lemma.clause(terms)).collect()
    }

    /// A model of the whole question: this one, or the one that its equalities make of it.
    fn lucky(&self, terms: &Terms, model: &Model, question: &[Term], formulas: &[Term]) -> Option<Model> {
        if satisfies(model, terms, question) {
            return Some(model.clone());
        }
        let mut evaluator = Evaluator::new(terms, model);
        let relevant = self.relevant(terms, &mut evaluator, formulas);
        let factors = |symbol| self.factors(symbol);
        relevant.iter().find_map(|&symbol| factors(symbol))?;
        let repaired = Reader::new(terms, evaluator, &factors).repaired(model, &relevant);
        satisfies(&repaired, terms, question).then_some(repaired)
    }

    /// What a symbol that stands for a product multiplies.
    fn factors(&self, symbol: Term) -> Option<(Term, Term)> {
        match self.hard.get(&symbol).filter(|hard| hard.is_product())?.args[..] {
            [a, b] => Some((a, b)),
            _ => None,
        }
    }

    /// The hard applications that count in the model, with their values there.
    fn uses(&self, terms: &Terms, model: &Model, formulas: &[Term]) -> Vec<Use<'_>> {
        let mut evaluator = Evaluator::new(terms, model);
        let mut uses = Vec::new();
        for symbol in self.relevant(terms, &mut evaluator, formulas) {
            let Some(hard) = self.hard.get(&symbol) else { continue };
            let args: Option<Vec<Value>> = hard.args.iter().map(|&arg| evaluator.eval(arg)).collect();
            let (Some(args), Some(value)) = (args, evaluator.eval(symbol)) else { continue };
            // Where the operation may give anything, the solver has chosen.
            let is_wrong =
                semantics::apply(hard.op, hard.sort, &args).is_some_and(|right| !right.same(&value));
            uses.push(Use { hard, args, value, is_wrong });
        }
        uses
    }

    /// The terms on which it depends that the model satisfies the formulas; for hard applications their
    /// symbols.
    fn relevant(&self, terms: &Terms, evaluator: &mut Evaluator<'_>, formulas: &[Term]) -> Vec<Term> {
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut todo = formulas.to_vec();
        while let Some(term) = todo.pop() {
            if !seen.insert(term) {
                continue;
            }
            found.push(term);
            if let Some(hard) = self.hard.get(&term) {
                todo.extend_from_slice(&hard.args);
                continue;
            }
            let Some((op, args)) = terms.as_app(term) else { continue };
            // One member decides a conjunction that is false and a disjunction that is true.
            let deciding = match (op, evaluator.is_true(term)) {
                (Op::And, Some(false)) => args.iter().find(|&&arg| evaluator.is_true(arg) == Some(false)),
                (Op::Or, Some(true)) => args.iter().find(|&&arg| evaluator.is_true(arg) == Some(true)),
                _ => None,
            };
            match (op, deciding) {
                (_, Some(&one)) => todo.push(one),
                (Op::Ite, _) => match evaluator.is_true(args[0]) {
                    Some(condition) => todo.extend([args[0], if condition { args[1] } else { args[2] }]),
                    None => todo.extend_from_slice(args),
                },
                _ => todo.extend_from_slice(args),
            }
        }
        found
    }

    /// The whole question with its symbols as in the model: quick, because little is left to find.
    pub(super) fn confirmed(
        &self,
        family: &Family,
        terms: &mut Terms,
        question: &[Term],
        model: &Model,
        limits: &Limits,
    ) -> Result<Outlined, NativeError> {
        let solver = NativeSolver::strategic(&family.context)?;
        let fixed: Vec<Term> = model
            .values()
            .filter(|(name, _, value)| {
                !matches!(value, Value::Array(_)) && !terms.symbol_name(*name).starts_with("outline!")
            })
            .map(|(name, version, value)| (name, version, value.clone()))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(name, version, value)| {
                let symbol = terms.symbol(name, version);
                let value = terms.value_term(&value, terms.sort(symbol));
                terms.eq(symbol, value)
            })
            .collect();
        for &formula in question.iter().chain(&fixed) {
            solver.assert(&family.native(terms, formula)?)?;
        }
        Ok(match solver.check(&[], limits, Some(ROUND_WORK)) {
            CheckResult::Sat => Outlined::Sat(solver),
            CheckResult::Unsat | CheckResult::Unknown(..) => Outlined::Unknown,
        })
    }
}

fn satisfies(model: &Model, terms: &Terms, formulas: &[Term]) -> bool {
    let mut evaluator = Evaluator::new(terms, model);
    formulas.iter().all(|&formula| evaluator.is_true(formula) == Some(true))
}

/// Pairs that a function cannot have: equal arguments and different values.
fn unlike(terms: &mut Terms, uses: &[Use<'_>]) -> Vec<Term> {
    let mut pairs = Vec::new();
    let mut compared = 0;
    for a in uses.iter().filter(|used| used.is_wrong) {
        for b in uses {
            compared += 1;
            if compared > PAIR_LIMIT {
                return pairs;
            }
            let (x, y) = (a.hard, b.hard);
            let alike = x.op == y.op && x.sort == y.sort && same_all(&a.args, &b.args);
            if !alike || a.value.same(&b.value) {
                continue;
            }
            let equal: Vec<Term> = x.args.iter().zip(&y.args).map(|(&p, &q)| terms.eq(p, q)).collect();
            let (equal, results) = (terms.and(&equal), terms.eq(x.symbol, y.symbol));
            pairs.push(terms.implies(equal, results));
        }
    }
    pairs
}

fn same_all(a: &[Value], b: &[Value]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x.same(y))
}

/// Worth a symbol of its own?
fn is_hard(terms: &Terms, op: Op, args: &[Term]) -> bool {
    let varies = |index: usize| args.get(index).is_some_and(|&arg| !terms.is_constant(arg));
    match op {
        Op::FloatAdd
        | Op::FloatSub
        | Op::FloatMul
        | Op::FloatDiv
        | Op::FloatRem
        | Op::FloatSqrt
        | Op::FloatRoundToIntegral(_)
        | Op::FloatToFloat
        | Op::FloatFromSbv
        | Op::FloatFromUbv
        | Op::FloatToSbv
        | Op::FloatToUbv => true,
        Op::BvMul | Op::Mul => varies(0) && varies(1),
        Op::BvUdiv | Op::BvUrem | Op::BvSdiv | Op::BvSrem => varies(0),
        Op::Div | Op::Mod => varies(1),
        _ => false,
    }
}

/// Which definitions are tried first.
fn cost(op: Op, sort: Sort) -> u32 {
    let width = match sort {
        Sort::Bv(width) => u32::from(width),
        Sort::Float(float) => float.shape().1,
        Sort::Bool | Sort::Int | Sort::Array(_) => 64,
    };
    let depth = match op {
        Op::FloatToFloat | Op::FloatFromSbv | Op::FloatFromUbv | Op::FloatToSbv | Op::FloatToUbv => 1,
        Op::FloatAdd | Op::FloatSub | Op::FloatRoundToIntegral(_) => 2,
        Op::BvMul | Op::Mul | Op::FloatMul => 4,
        _ => 16,
    };
    depth * width
}

#[cfg(test)]
mod tests;
