//! Guards for loops within loops: which elements of an array with several dimensions have been passed.

use super::Implications;
use crate::invariants::linear::Linear;
use summa_c::tree::VarId;
use summa_term::{Term, Terms};

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

    /// For loops within loops that go through all elements in order, for any number of dimensions: guards as their negations. Up to some
    /// dimension the element is in the present row, in the next one it was passed: `K₁ = i ∧ … ∧ Kₗ < j ∧ Kₗ₊₁ < n ∧ …`. At last: everything
    /// was passed.
    pub(super) fn in_order(&self, terms: &mut Terms, is_visible: impl Fn(VarId) -> bool) -> Vec<Term> {
        // What each index of a cell is compared with, and its limit.
        let mut dimensions: Vec<(Term, Term, Option<Term>)> = Vec::new();
        for index in &self.indices {
            let is_partner = |(of_cell, partner): &&(Linear, Linear)| {
                of_cell == index && partner.as_variable().is_some_and(&is_visible)
            };
            let Some((_, partner)) = self.compared.iter().find(is_partner) else { return Vec::new() };
            let is_limit = |(var, limit): &&(VarId, Linear)| {
                partner.as_variable() == Some(*var) && limit.parts.keys().all(|&var| is_visible(var))
            };
            let limit = self.limits.iter().find(is_limit).and_then(|(_, limit)| self.term(terms, limit));
            let (Some(index), Some(partner)) = (self.term(terms, index), self.term(terms, partner)) else {
                return Vec::new();
            };
            dimensions.push((index, partner, limit));
        }
        if dimensions.len() < 2 {
            return Vec::new();
        }
        let mut found = Vec::new();
        for level in 0..=dimensions.len() {
            let mut unless = Vec::new();
            for (number, &(index, partner, limit)) in dimensions.iter().enumerate() {
                match number.cmp(&level) {
                    std::cmp::Ordering::Less if level == dimensions.len() => {
                        unless.extend(limit.map(|limit| terms.ge(index, limit)));
                    }
                    std::cmp::Ordering::Less => {
                        let equal = terms.eq(index, partner);
                        unless.push(terms.not(equal));
                    }
                    std::cmp::Ordering::Equal => unless.push(terms.ge(index, partner)),
                    std::cmp::Ordering::Greater => {
                        unless.extend(limit.map(|limit| terms.ge(index, limit)));
                    }
                }
            }
            found.push(terms.or(&unless));
        }
        found
    }
}
