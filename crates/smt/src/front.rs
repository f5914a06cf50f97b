//! The cheap front before a solver: most questions of an analysis need no search.
//!
//! * *Trivial*: `false`, or a formula beside its negation, is unsatisfiable; nothing but `true` is
//!   satisfiable.
//! * *Cached*: the same set of formulas was asked before.
//! * *Recent models*: a model of an earlier question satisfies this one too.
//! * *Equalities*: a large question that fixes symbols to constants is answered if nothing is left after
//!   putting the constants in their place.
//!
//! Assertions are passed on only when the solver must be asked, so an avoided check costs the solver nothing.

use crate::equalities::{Settled, settle};
use crate::model::Model;
use crate::solver::{Answer, Limits, Solver, Statistics};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::rc::Rc;
use summa_term::{Evaluator, Op, Term, Terms};

/// Models to try; each costs an evaluation of the formulas.
const MODELS: usize = 4;
/// Larger questions are not evaluated under old models.
const EVALUATION_LIMIT: u32 = 20_000;
/// Smaller questions go to the solver, whatever they say about symbols.
const LARGE: u32 = 500;
/// Answers to remember; then all are forgotten, which is simple and keeps memory bounded.
const CACHE_LIMIT: usize = 100_000;
/// Formulas of all questions that are remembered.
const CACHE_TERMS_LIMIT: usize = 4_000_000;

/// A solver with a front.
pub struct Front<S> {
    solver: S,
    scopes: Vec<Scope>,
    /// Open scopes of ours that are also open in the solver.
    passed_scopes: usize,
    cache: FxHashMap<Box<[Term]>, Cached>,
    cached_terms: usize,
    models: VecDeque<Rc<Model>>,
    last: Last,
    statistics: Statistics,
}

#[derive(Default)]
struct Scope {
    formulas: Vec<Term>,
    /// How many of them the solver has.
    passed: usize,
}

#[derive(Clone)]
enum Cached {
    Sat(Rc<Model>),
    /// Members of the question that are unsatisfiable together with the rest; filtered by assumptions when
    /// asked for.
    Unsat(Box<[Term]>),
}

/// What the last check left.
#[derive(Default)]
enum Last {
    #[default]
    Nothing,
    /// The solver has the model.
    Solver,
    Model(Rc<Model>),
    Core(Vec<Term>),
}

impl<S: Solver> Front<S> {
    pub fn new(solver: S) -> Self {
        Self {
            solver,
            scopes: vec![Scope::default()],
            passed_scopes: 0,
            cache: FxHashMap::default(),
            cached_terms: 0,
            models: VecDeque::new(),
            last: Last::Nothing,
            statistics: Statistics::default(),
        }
    }

    /// The solver behind.
    pub fn inner(&self) -> &S {
        &self.solver
    }

    /// Brings the solver's stack to ours.
    fn pass_on(&mut self, terms: &Terms) {
        for (depth, scope) in self.scopes.iter_mut().enumerate() {
            if depth > self.passed_scopes {
                self.solver.push();
                self.passed_scopes += 1;
            }
            for &formula in &scope.formulas[scope.passed..] {
                self.solver.assert(terms, formula);
            }
            scope.passed = scope.formulas.len();
        }
    }

    /// All formulas of the question, sorted, once each.
    fn question(&self, assumptions: &[Term]) -> Vec<Term> {
        let asserted = self.scopes.iter().flat_map(|scope| scope.formulas.iter());
        let mut all: Vec<Term> =
            asserted.chain(assumptions).copied().filter(|&formula| formula != Terms::TRUE).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    fn without_solver(
        &mut self,
        terms: &mut Terms,
        question: &[Term],
        assumptions: &[Term],
    ) -> Option<Answer> {
        if question.is_empty() {
            self.statistics.avoided_trivial += 1;
            self.last = Last::Model(Rc::default());
            return Some(Answer::Sat);
        }
        if let Some(conflict) = trivial_conflict(terms, question) {
            self.statistics.avoided_trivial += 1;
            self.last = Last::Core(self.among(assumptions, &conflict));
            return Some(Answer::Unsat);
        }
        match self.cache.get(question) {
            Some(Cached::Sat(model)) => {
                self.statistics.avoided_cached += 1;
                self.last = Last::Model(Rc::clone(model));
                return Some(Answer::Sat);
            }
            Some(Cached::Unsat(core)) => {
                self.statistics.avoided_cached += 1;
                self.last = Last::Core(self.among(assumptions, core));
                return Some(Answer::Unsat);
            }
            None => {}
        }
        let size = question.iter().fold(0u32, |sum, &formula| sum.saturating_add(terms.node(formula).size));
        if size > EVALUATION_LIMIT {
            return self.by_equalities(terms, question, assumptions);
        }
        let Some(model) = self.models.iter().find(|model| satisfies(terms, model, question)).cloned() else {
            return if size < LARGE { None } else { self.by_equalities(terms, question, assumptions) };
        };
        self.statistics.avoided_by_model += 1;
        self.remember(question, Cached::Sat(Rc::clone(&model)));
        self.last = Last::Model(model);
        Some(Answer::Sat)
    }

    fn by_equalities(
        &mut self,
        terms: &mut Terms,
        question: &[Term],
        assumptions: &[Term],
    ) -> Option<Answer> {
        let settled = settle(terms, question)?;
        self.statistics.avoided_trivial += 1;
        match settled {
            Settled::Unsat => {
                self.remember(question, Cached::Unsat(question.into()));
                self.last = Last::Core(assumptions.to_vec());
                Some(Answer::Unsat)
            }
            Settled::Sat(model) => {
                let model = Rc::new(model);
                self.remember(question, Cached::Sat(Rc::clone(&model)));
                self.models.push_front(Rc::clone(&model));
                self.models.truncate(MODELS);
                self.last = Last::Model(model);
                Some(Answer::Sat)
            }
        }
    }

    fn by_solver(&mut self, terms: &mut Terms, question: &[Term], assumptions: &[Term]) -> Answer {
        self.pass_on(terms);
        let answer = self.solver.check(terms, assumptions);
        self.last = Last::Nothing;
        match answer {
            Answer::Sat => {
                self.last = Last::Solver;
                if let Some(model) = self.solver.model(terms).map(Rc::new) {
                    self.remember(question, Cached::Sat(Rc::clone(&model)));
                    self.models.push_front(Rc::clone(&model));
                    self.models.truncate(MODELS);
                    self.last = Last::Model(model);
                }
            }
            Answer::Unsat => {
                let core = self.solver.unsat_core();
                // With other assumptions the asserted formulas of this question may be assumptions, so they
                // count as needed.
                let assumed: FxHashSet<Term> = assumptions.iter().copied().collect();
                let needed: Vec<Term> = question
                    .iter()
                    .copied()
                    .filter(|term| !assumed.contains(term) || core.contains(term))
                    .collect();
                self.remember(question, Cached::Unsat(needed.into()));
                self.last = Last::Core(core);
            }
            Answer::Unknown(_) => {}
        }
        answer
    }

    /// Those assumptions that are in `core` and not asserted anyway.
    fn among(&self, assumptions: &[Term], core: &[Term]) -> Vec<Term> {
        let asserted = |term: &Term| self.scopes.iter().any(|scope| scope.formulas.contains(term));
        assumptions
            .iter()
            .copied()
            .filter(|assumption| core.contains(assumption) && !asserted(assumption))
            .collect()
    }

    fn remember(&mut self, question: &[Term], cached: Cached) {
        if self.cache.len() >= CACHE_LIMIT || self.cached_terms + question.len() > CACHE_TERMS_LIMIT {
            self.cache.clear();
            self.cached_terms = 0;
        }
        self.cached_terms += question.len();
        self.cache.insert(question.into(), cached);
    }
}

impl<S: Solver> Solver for Front<S> {
    fn push(&mut self) {
        self.scopes.push(Scope::default());
    }

    fn pop(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
            if self.passed_scopes > self.scopes.len() - 1 {
                self.solver.pop();
                self.passed_scopes -= 1;
            }
        }
    }

    fn level(&self) -> usize {
        self.scopes.len() - 1
    }

    fn assert(&mut self, _terms: &Terms, formula: Term) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.formulas.push(formula);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Answer {
        let question = self.question(assumptions);
        let answer = match self.without_solver(terms, &question, assumptions) {
            Some(answer) => answer,
            None => self.by_solver(terms, &question, assumptions),
        };
        self.statistics.count(&answer);
        answer
    }

    fn model(&mut self, terms: &mut Terms) -> Option<Model> {
        match &self.last {
            Last::Model(model) => Some((**model).clone()),
            Last::Solver => self.solver.model(terms),
            Last::Nothing | Last::Core(_) => None,
        }
    }

    fn unsat_core(&mut self) -> Vec<Term> {
        match &self.last {
            Last::Core(core) => core.clone(),
            _ => Vec::new(),
        }
    }

    fn set_limits(&mut self, limits: Limits) {
        self.solver.set_limits(limits);
    }

    fn statistics(&self) -> Statistics {
        Statistics { time: self.solver.statistics().time, ..self.statistics }
    }
}

/// Formulas of the question that contradict each other on their face.
fn trivial_conflict(terms: &mut Terms, question: &[Term]) -> Option<Vec<Term>> {
    if question.contains(&Terms::FALSE) {
        return Some(vec![Terms::FALSE]);
    }
    // Only for literals with `not`: it finds most, and no negation has to be built.
    question.iter().find_map(|&formula| match terms.as_app(formula) {
        Some((Op::Not, &[inner])) if question.binary_search(&inner).is_ok() => Some(vec![inner, formula]),
        _ => None,
    })
}

fn satisfies(terms: &Terms, model: &Model, question: &[Term]) -> bool {
    let mut evaluator = Evaluator::new(terms, model);
    question.iter().all(|&formula| evaluator.is_true(formula) == Some(true))
}
