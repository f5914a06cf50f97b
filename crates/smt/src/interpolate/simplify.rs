//! Makes interpolants shorter without changing their meaning: two inequalities that are an equation become
//! one, and members that the others imply are dropped.

use crate::workbench::Workbench;
use std::time::Duration;
use summa_term::{Op, Term, Terms};

/// For one formula.
const BUDGET: Duration = Duration::from_millis(50);
/// Longer conjunctions are not searched for redundant members.
const MEMBER_LIMIT: usize = 12;
/// Larger formulas are left as they are.
const SIZE_LIMIT: u32 = 2_000;

pub(crate) fn simplify(bench: &mut Workbench, terms: &mut Terms, formula: Term) -> Term {
    if terms.node(formula).size > SIZE_LIMIT {
        return formula;
    }
    let formula = terms.nnf(formula);
    let formula = merge_inequalities(terms, formula);
    let members = terms.conjuncts(formula);
    if !(2..=MEMBER_LIMIT).contains(&members.len()) {
        return formula;
    }
    let before = bench.within(BUDGET);
    let kept = drop_redundant(bench, terms, members);
    bench.restore(before);
    terms.and(&kept)
}

/// `a ≤ b ∧ b ≤ a` is `a = b`; in a disjunction, `a < b ∨ b < a` is `a ≠ b`.
fn merge_inequalities(terms: &mut Terms, formula: Term) -> Term {
    match terms.as_app(formula) {
        Some((Op::And, _)) => {
            let mut members = terms.conjuncts(formula);
            for member in &mut members {
                if matches!(terms.as_app(*member), Some((Op::Or, _))) {
                    *member = merge_disjunction(terms, *member);
                }
            }
            let merged = merge_members(terms, members);
            terms.and(&merged)
        }
        Some((Op::Or, _)) => merge_disjunction(terms, formula),
        _ => formula,
    }
}

fn merge_disjunction(terms: &mut Terms, formula: Term) -> Term {
    let negated: Vec<Term> = terms.disjuncts(formula).into_iter().map(|member| terms.not(member)).collect();
    let merged = merge_members(terms, negated);
    let merged: Vec<Term> = merged.into_iter().map(|member| terms.not(member)).collect();
    terms.or(&merged)
}

/// Pairs of opposite inequalities in a conjunction.
fn merge_members(terms: &mut Terms, mut members: Vec<Term>) -> Vec<Term> {
    let mut i = 0;
    while i < members.len() {
        let opposite = match terms.as_app(members[i]) {
            Some((op @ (Op::Le | Op::BvSle | Op::BvUle), &[left, right])) => {
                let opposite = terms.build(op, &[right, left], summa_term::Sort::Bool);
                members.iter().position(|&member| member == opposite).map(|position| (position, left, right))
            }
            _ => None,
        };
        if let Some((position, left, right)) = opposite.filter(|&(position, ..)| position != i) {
            members[i] = terms.eq(left, right);
            members.remove(position);
            i = 0;
        } else {
            i += 1;
        }
    }
    members
}

/// Costly members first, each against all others.
fn drop_redundant(bench: &mut Workbench, terms: &mut Terms, mut members: Vec<Term>) -> Vec<Term> {
    let mut order = members.clone();
    order.sort_by_key(|&member| (std::cmp::Reverse(super::quality::formula_cost(terms, member)), member));
    for candidate in order {
        let others: Vec<Term> = members.iter().copied().filter(|&member| member != candidate).collect();
        if bench.entails(terms, &others, candidate) {
            members = others;
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Limits;
    use crate::z3::Family;
    use summa_term::Sort;

    #[test]
    fn inequalities_become_equations_and_the_redundant_goes() {
        let mut terms = Terms::new();
        let mut bench = Workbench::new(&Family::new().unwrap(), Limits::default()).unwrap();
        let family = terms.declare("x", Sort::Int);
        let [x, y] = [0, 1].map(|version| terms.symbol(family, version));
        let difference = terms.sub(x, y);
        let [one, minus_one, five] = [1, -1, 5].map(|n| terms.int(n));
        let sum = terms.add2(x, five);
        // What the Horn engine says for x = y, and something that follows.
        let (above, below) = (terms.ge(difference, one), terms.le(difference, minus_one));
        let members = [terms.not(above), terms.not(below), terms.lt(y, sum)];
        let formula = terms.and(&members);
        let equal = terms.eq(x, y);
        assert_eq!(simplify(&mut bench, &mut terms, formula), equal);
        let either = terms.or(&[above, below]);
        let different = terms.not(equal);
        assert_eq!(simplify(&mut bench, &mut terms, either), different);
    }
}
