//! Parts of candidates put together, in rounds: the few about nested loops first, then those about single
//! indices, then those with more parts.

use summa_base::FxHashSet;
use summa_term::{Term, Terms};

/// Candidates at one loop head in one round.
const MAX_CANDIDATES: usize = 1500;

/// Candidates for a loop head in rounds, small ones first: about nested loops, about single indices, about
/// several indices.
pub(in crate::invariants) type Rounds = [Vec<Term>; 3];

pub(super) struct Fact {
    /// The number of the cell that it is about; none has the greatest.
    pub(super) cell: usize,
    pub(super) kind: FactKind,
    pub(super) formula: Term,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FactKind {
    /// The cell is this constant.
    Constant,
    Order,
    Other,
}

/// The parts of candidates at a loop head. Guards are kept as their negations, because a candidate is a
/// disjunction.
pub(super) struct Parts {
    /// Variables that are no indices.
    pub(super) partners: Vec<Term>,
    /// Indices of the cells.
    pub(super) indices: Vec<Term>,
    /// Guards about single indices, and those of them that compare with an index of the program.
    pub(super) unless: Vec<Term>,
    pub(super) passed: Vec<Term>,
    /// Guards for loops within loops, and pairs of guards.
    pub(super) in_order: Vec<Term>,
    pub(super) nested: Vec<(Term, Term)>,
    pub(super) facts: Vec<Fact>,
    /// Conditions of the program on cells, and values that it writes into them.
    pub(super) conditions: Vec<Term>,
    pub(super) written: Vec<Term>,
}

impl Parts {
    pub(super) fn rounds(&self, terms: &mut Terms) -> Rounds {
        [self.ordered(terms), self.simple(terms), self.compound(terms)].map(|mut round| {
            dedup(&mut round);
            round.retain(|&candidate| candidate != Terms::TRUE && candidate != Terms::FALSE);
            round.truncate(MAX_CANDIDATES);
            round
        })
    }

    fn ordered(&self, terms: &mut Terms) -> Vec<Term> {
        let mut found = Vec::new();
        for &unless in &self.in_order {
            found.extend(self.facts.iter().map(|fact| terms.or2(unless, fact.formula)));
        }
        found
    }

    fn simple(&self, terms: &mut Terms) -> Vec<Term> {
        let mut found: Vec<Term> = self.facts.iter().map(|fact| fact.formula).collect();
        for &guard in &self.unless {
            found.extend(self.facts.iter().map(|fact| terms.or2(guard, fact.formula)));
        }
        found
    }

    fn compound(&self, terms: &mut Terms) -> Vec<Term> {
        let mut found = Vec::new();
        for mut group in [self.nested(terms), self.written_if(terms), self.one_of_two(terms)] {
            dedup(&mut group);
            group.truncate(MAX_CANDIDATES / 3);
            found.extend(group);
        }
        found.extend(self.with_second_guard(terms));
        found
    }

    fn nested(&self, terms: &mut Terms) -> Vec<Term> {
        let mut found = Vec::new();
        for &(first, second) in &self.nested {
            found.extend(self.facts.iter().map(|fact| terms.or(&[first, second, fact.formula])));
        }
        found
    }

    /// Written where a condition holds: the condition is another one, or this is what the cell holds.
    fn written_if(&self, terms: &mut Terms) -> Vec<Term> {
        let constants = self.of_kind(FactKind::Constant).map(|fact| fact.formula);
        let mut found = Vec::new();
        for written in self.written.iter().copied().chain(constants) {
            for &first in std::iter::once(&Terms::FALSE).chain(&self.passed) {
                let one = |&condition: &Term| terms.or(&[first, condition, written]);
                found.extend(self.conditions.iter().map(one));
            }
        }
        found
    }

    /// A cell has one value, or is on one side of another one.
    fn one_of_two(&self, terms: &mut Terms) -> Vec<Term> {
        let mut found = Vec::new();
        for &first in std::iter::once(&Terms::FALSE).chain(&self.unless) {
            for order in self.of_kind(FactKind::Order) {
                let same = self.of_kind(FactKind::Constant).filter(|fact| fact.cell == order.cell);
                found.extend(same.map(|fact| terms.or(&[first, order.formula, fact.formula])));
            }
        }
        found
    }

    fn with_second_guard(&self, terms: &mut Terms) -> Vec<Term> {
        let zero = terms.int(0);
        let mut seconds = Vec::new();
        for &partner in &self.partners {
            for &index in &self.indices {
                seconds.extend([terms.ge(index, partner), terms.eq(index, partner)]);
            }
            let is_zero = terms.eq(partner, zero);
            seconds.extend([is_zero, terms.not(is_zero)]);
        }
        let mut found = Vec::new();
        for &first in std::iter::once(&Terms::FALSE).chain(&self.unless) {
            for &second in &seconds {
                found.extend(self.facts.iter().map(|fact| terms.or(&[first, second, fact.formula])));
            }
            if found.len() > MAX_CANDIDATES {
                break;
            }
        }
        found
    }

    fn of_kind(&self, kind: FactKind) -> impl Iterator<Item = &Fact> {
        self.facts.iter().filter(move |fact| fact.kind == kind)
    }
}

pub(super) fn dedup(list: &mut Vec<Term>) {
    let mut seen = FxHashSet::default();
    list.retain(|&item| seen.insert(item));
}
