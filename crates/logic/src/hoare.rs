//! Hoare triples `{pre} path {post}`: if `pre` holds and the path is taken, `post` holds at its end.
//!
//! Paper: Hoare, *An axiomatic basis for computer programming*, CACM 1969. The path formula gives every cell
//! its value at the end, so the weakest precondition of `post` is `post` with these values in place. That
//! alone decides most triples. The checks, from cheap to expensive:
//! 1. `post` is `true`, or `pre` or the guard of the path is `false`;
//! 2. `post` after the path is `true`, or a member of `pre` or of the guard; this covers everything that the
//!    path does not change;
//! 3. the solver, without atoms that are hard and irrelevant to `post`: see [`crate::lighten`];
//! 4. the solver, with everything.

use crate::workbench::Workbench;
use std::time::Duration;
use summa_base::{FxHashSet, Unanswered};
use summa_encode::PathId;
use summa_smt::Model;
use summa_term::{Term, Terms};

/// For the question without hard atoms.
pub(crate) const LIGHT_TIME: Duration = Duration::from_secs(2);

/// `{pre} path {post}`, formulas over the cells in version 0.
#[derive(Clone, Copy, Debug)]
pub struct Triple<'f> {
    pub pre: &'f [Term],
    pub path: PathId,
    pub post: &'f [Term],
}

/// What is known about formulas under the assumption of others, without asking the solver.
pub struct Plainly {
    known: FxHashSet<Term>,
}

impl Plainly {
    pub fn new(terms: &Terms, premises: &[Term]) -> Self {
        Self { known: premises.iter().flat_map(|&premise| terms.conjuncts(premise)).collect() }
    }

    /// The truth of a formula, if no solver is needed to see it.
    pub fn decide(&self, terms: &mut Terms, formula: Term) -> Option<bool> {
        match formula {
            Terms::TRUE => Some(true),
            Terms::FALSE => Some(false),
            _ if self.known.contains(&formula) => Some(true),
            _ => self.known.contains(&terms.not(formula)).then_some(false),
        }
    }
}

/// What the cheap checks leave of a triple.
enum Cheap {
    Valid,
    /// The members of `post` after the path whose truth is open.
    Open(Vec<Term>),
}

impl Workbench<'_> {
    /// Is the triple valid?
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn holds(&mut self, triple: Triple<'_>) -> Result<bool, Unanswered> {
        let open = match self.cheaply(triple) {
            Cheap::Valid => return Ok(true),
            Cheap::Open(open) => open,
        };
        let question = self.negation(triple, &open);
        let relevant: Vec<Term> = triple.post.iter().chain(&open).copied().collect();
        let light = self.lighten(&question, &relevant);
        if light.is_lighter() && !self.may_be_sat(&light.formulas, LIGHT_TIME)? {
            return Ok(true);
        }
        self.is_sat(&question).map(|is_sat| !is_sat)
    }

    /// Values before the path, and choices on it, with which `post` is false at the end; None if the triple
    /// is valid.
    ///
    /// # Errors
    /// There is no answer in time.
    pub fn refute(&mut self, triple: Triple<'_>, time: Duration) -> Result<Option<Model>, Unanswered> {
        match self.cheaply(triple) {
            Cheap::Valid => Ok(None),
            Cheap::Open(open) => {
                let question = self.negation(triple, &open);
                self.find_model_within(&question, time)
            }
        }
    }

    fn cheaply(&mut self, Triple { pre, path, post }: Triple<'_>) -> Cheap {
        let guard = self.paths.guard(path);
        if guard == Terms::FALSE || pre.contains(&Terms::FALSE) {
            return Cheap::Valid;
        }
        let premises: Vec<Term> = pre.iter().copied().chain([guard]).collect();
        let plainly = Plainly::new(&self.paths.encoder.terms, &premises);
        let mut open: Vec<Term> = post.iter().map(|&one| self.after(path, one)).collect();
        open.retain(|&one| plainly.decide(self.terms(), one) != Some(true));
        if open.is_empty() { Cheap::Valid } else { Cheap::Open(open) }
    }

    /// `pre` holds, the path is taken, and a member of `post` is false behind it.
    fn negation(&mut self, Triple { pre, path, .. }: Triple<'_>, open: &[Term]) -> Vec<Term> {
        let mut question = self.premises(pre, path, open);
        let all = self.terms().and(open);
        question.push(self.terms().not(all));
        question
    }
}
