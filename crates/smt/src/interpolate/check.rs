//! The check of interpolants, by queries of its own: each step must be inductive, and the vocabulary must be
//! shared. Only the solver is trusted here, not the reasoning that produced the answer.

use super::problem::{Tree, Vocabulary};
use crate::workbench::Workbench;
use summa_term::{Term, Terms};

/// What is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Flaw {
    /// Not one formula for each node, or the root's is not `false`.
    Shape,
    /// The node whose interpolant has a symbol or function that is not shared.
    Vocabulary(usize),
    /// The node at which children and formula do not imply the interpolant (or not in time).
    NotInductive(usize),
}

pub(crate) fn check(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
    interpolants: &[Term],
) -> Result<(), Flaw> {
    if interpolants.len() != tree.nodes().len() || interpolants.last() != Some(&Terms::FALSE) {
        return Err(Flaw::Shape);
    }
    for (i, (&interpolant, vocabulary)) in interpolants.iter().zip(vocabularies).enumerate() {
        if !vocabulary.includes(&Vocabulary::of(terms, interpolant)) {
            return Err(Flaw::Vocabulary(i));
        }
    }
    for (i, node) in tree.nodes().iter().enumerate() {
        let mut question: Vec<Term> = node.children.iter().map(|&child| interpolants[child]).collect();
        question.push(node.formula);
        question.push(terms.not(interpolants[i]));
        if bench.is_unsat_by_solver(terms, &question) != Some(true) {
            return Err(Flaw::NotInductive(i));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Limits;
    use crate::z3::Family;
    use summa_term::Sort;

    /// `x = 0`, `y = x + 1`, `y < 1`.
    fn problem(terms: &mut Terms) -> (Tree, [Term; 2]) {
        let family = terms.declare("x", Sort::Int);
        let [x, y] = [0, 1].map(|version| terms.symbol(family, version));
        let (zero, one) = (terms.int(0), terms.int(1));
        let next = terms.add2(x, one);
        let formulas = [terms.eq(x, zero), terms.eq(y, next), terms.lt(y, one)];
        (Tree::sequence(&formulas).unwrap(), [x, y])
    }

    fn verdict(
        first: impl Fn(&mut Terms, [Term; 2]) -> Term,
        second: impl Fn(&mut Terms, [Term; 2]) -> Term,
    ) -> Result<(), Flaw> {
        let mut terms = Terms::new();
        let mut bench = Workbench::new(&Family::new().unwrap(), Limits::default()).unwrap();
        let (tree, symbols) = problem(&mut terms);
        let vocabularies = tree.vocabularies(&terms);
        let interpolants = [first(&mut terms, symbols), second(&mut terms, symbols), Terms::FALSE];
        check(&mut bench, &mut terms, &tree, &vocabularies, &interpolants)
    }

    fn at_least(terms: &mut Terms, symbol: Term, bound: i64) -> Term {
        let bound = terms.int(bound);
        terms.ge(symbol, bound)
    }

    #[test]
    fn right_answers_pass_and_wrong_ones_do_not() {
        let good = |terms: &mut Terms, [x, _]: [Term; 2]| at_least(terms, x, 0);
        let then_good = |terms: &mut Terms, [_, y]: [Term; 2]| at_least(terms, y, 1);
        assert_eq!(verdict(good, then_good), Ok(()));
        // Too strong at the leaf, too weak in the middle, too weak for the root.
        let strong = |terms: &mut Terms, [x, _]: [Term; 2]| at_least(terms, x, 1);
        assert_eq!(verdict(strong, then_good), Err(Flaw::NotInductive(0)));
        let weak = |terms: &mut Terms, [x, _]: [Term; 2]| at_least(terms, x, -1);
        assert_eq!(verdict(weak, then_good), Err(Flaw::NotInductive(1)));
        let weak_end = |terms: &mut Terms, [_, y]: [Term; 2]| at_least(terms, y, 0);
        assert_eq!(verdict(good, weak_end), Err(Flaw::NotInductive(2)));
        // A symbol that the rest of the sequence does not have.
        let foreign = |terms: &mut Terms, [x, y]: [Term; 2]| {
            let both = [at_least(terms, y, 1), at_least(terms, x, 0)];
            terms.and(&both)
        };
        assert_eq!(verdict(good, foreign), Err(Flaw::Vocabulary(1)));
    }

    #[test]
    fn the_shape_counts() {
        let mut terms = Terms::new();
        let mut bench = Workbench::new(&Family::new().unwrap(), Limits::default()).unwrap();
        let (tree, _) = problem(&mut terms);
        let vocabularies = tree.vocabularies(&terms);
        let all_true = [Terms::TRUE; 3];
        assert_eq!(check(&mut bench, &mut terms, &tree, &vocabularies, &all_true), Err(Flaw::Shape));
        assert_eq!(check(&mut bench, &mut terms, &tree, &vocabularies, &[Terms::FALSE]), Err(Flaw::Shape));
    }
}
