//! Guards for loops within loops: which elements of an array with several dimensions have been passed.

use super::Implications;
use crate::invariants::linear::Linear;
use std::cmp::Ordering;
use summa_c::tree::VarId;
use summa_term::{Term, Terms};

/// Different limits of one index that are tried.
const MAX_LIMITS: usize = 3;

impl Implications {
    /// For loops within loops: pairs of guards about two indices, as negations.
    pub(super) fn nested(
        &self,
        terms: &mut Terms,
        partners: &[Term],
        is_visible: impl Fn(VarId) -> bool,
    ) -> Vec<(Term, Term)> {
        let mut compared = Vec::new();
        for (of_cell, index) in &self.compared {
            if index.parts.keys().all(|&var| is_visible(var))
                && let (Some(of_cell), Some(index)) = (self.term(terms, of_cell), self.term(terms, index))
            {
                compared.push((of_cell, index));
            }
        }
        let mut found = Vec::new();
        for &(outer, at) in &compared {
            for &(inner, inner_at) in compared.iter().filter(|&&(inner, _)| inner != outer) {
                let equal = terms.eq(outer, at);
                let mut seconds = vec![terms.ge(inner, inner_at), terms.le(inner, inner_at)];
                seconds.extend(partners.iter().map(|&partner| terms.ge(inner, partner)));
                for first in [terms.ge(outer, at), terms.le(outer, at), terms.not(equal)] {
                    found.extend(seconds.iter().map(|&second| (first, second)));
                }
            }
        }
        found
    }

    /// For loops within loops that go through all elements in order, for any number of dimensions: guards as
    /// their negations. Up to some dimension the element is in the present row, in the next one it was
    /// passed: `K₁ = i ∧ … ∧ Kₗ < j ∧ Kₗ₊₁ < n ∧ …`. At last: everything was passed. Where loops over the
    /// same indices have different limits, each has its turn.
    pub(super) fn in_order(&self, terms: &mut Terms, is_visible: impl Fn(VarId) -> bool) -> Vec<Term> {
        let nests = self.nests(terms, is_visible);
        let mut found: Vec<Term> =
            nests.iter().filter(|nest| nest.len() > 1).flat_map(|nest| passed(terms, nest)).collect();
        found.dedup();
        found
    }

    /// The indices of cells that the program compares with variables, in groups: a group has each variable
    /// once.
    fn nests(&self, terms: &mut Terms, is_visible: impl Fn(VarId) -> bool) -> Vec<Vec<Dimension>> {
        let mut nests: Vec<Vec<Dimension>> = vec![Vec::new()];
        for index in &self.indices {
            let is_partner = |(of_cell, partner): &&(Linear, Linear)| {
                of_cell == index && partner.as_variable().is_some_and(&is_visible)
            };
            let Some((_, partner)) = self.compared.iter().find(is_partner) else { continue };
            let mut limits = Vec::new();
            for (var, limit) in &self.limits {
                if partner.as_variable() == Some(*var) && limit.parts.keys().all(|&var| is_visible(var)) {
                    limits.extend(self.term(terms, limit));
                }
            }
            limits.truncate(MAX_LIMITS);
            let (Some(index), Some(partner)) = (self.term(terms, index), self.term(terms, partner)) else {
                continue;
            };
            let dimension = Dimension { index, partner, limits };
            match nests.last_mut() {
                Some(nest) if nest.iter().all(|other| other.partner != partner) => nest.push(dimension),
                _ => nests.push(vec![dimension]),
            }
        }
        nests
    }
}

/// An index of the cells, what the program compares it with, and what that stays below.
struct Dimension {
    index: Term,
    partner: Term,
    limits: Vec<Term>,
}

/// The guards for one group of indices.
fn passed(terms: &mut Terms, dimensions: &[Dimension]) -> Vec<Term> {
    let turns = dimensions.iter().map(|dimension| dimension.limits.len()).max().unwrap_or(0).max(1);
    let mut found = Vec::new();
    for turn in 0..turns {
        for level in 0..=dimensions.len() {
            let mut unless = Vec::new();
            for (number, dimension) in dimensions.iter().enumerate() {
                let Dimension { index, partner, ref limits } = *dimension;
                match number.cmp(&level) {
                    Ordering::Less if level < dimensions.len() => {
                        let equal = terms.eq(index, partner);
                        unless.push(terms.not(equal));
                    }
                    Ordering::Equal => unless.push(terms.ge(index, partner)),
                    Ordering::Less | Ordering::Greater => {
                        let limit = limits.get(turn).or(limits.last());
                        unless.extend(limit.map(|&limit| terms.ge(index, limit)));
                    }
                }
            }
            found.push(terms.or(&unless));
        }
    }
    found
}
