//! Shortens proofs: leaves out the parts of a conjunction that follow from the others.
//!
//! Most of these follow without a solver. For comparisons of variables, as octagons and predicates have them,
//! a solver is asked briefly. A part stays if the solver has no answer in time. The longest parts are tried
//! first, so that the simple ones stay.

use crate::plain::Plain;
use crate::questions::Questions;
use std::time::Duration;
use summa_base::Budget;
use summa_term::{Term, Terms};

/// Longer conjunctions are left as they are.
const MAX_COMPARED: usize = 40;
/// For one question, and for all about a proof.
const QUESTION_TIME: Duration = Duration::from_millis(20);
const ALL_TIME: Duration = Duration::from_millis(500);

pub(crate) struct Brevity {
    plain: Plain,
    questions: Questions,
}

impl Brevity {
    pub(crate) fn new() -> Self {
        Self {
            plain: Plain::default(),
            questions: Questions::new(&Budget::unlimited().at_most(ALL_TIME), None),
        }
    }

    /// Does it follow from the facts without a solver?
    pub(crate) fn follows(&mut self, terms: &mut Terms, conclusion: Term, facts: &[Term]) -> bool {
        let ground = self.plain.ground(terms, facts);
        let negation = terms.not(conclusion);
        self.plain.is_contradiction(terms, &[negation], &ground)
    }

    /// Leaves out what follows from the rest.
    pub(crate) fn shorten(&mut self, terms: &mut Terms, facts: &mut Vec<Term>) {
        if facts.len() > MAX_COMPARED {
            return;
        }
        let mut next = 0;
        while next < facts.len() {
            let fact = facts.remove(next);
            if !self.follows(terms, fact, facts) {
                facts.insert(next, fact);
                next += 1;
            }
        }
        let mut relations: Vec<Term> =
            facts.iter().copied().filter(|&fact| terms.free_symbols(fact).len() > 1).collect();
        if relations.is_empty() || facts.len() < 3 {
            return;
        }
        // Sorting is stable: of equally long ones the last goes first.
        relations.reverse();
        relations.sort_by_key(|&fact| std::cmp::Reverse(terms.size(fact)));
        let others: Vec<Term> = facts.iter().copied().filter(|fact| !relations.contains(fact)).collect();
        for fact in relations.into_iter().chain(others) {
            let mut rest: Vec<Term> = facts.iter().copied().filter(|&other| other != fact).collect();
            rest.push(terms.not(fact));
            if self.questions.is_soon_impossible(terms, &rest, QUESTION_TIME) == Ok(true) {
                facts.retain(|&other| other != fact);
            }
        }
    }
}
