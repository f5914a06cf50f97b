//! Uninterpreted functions as arrays, for the Horn engine, which has no functions: `f(a, b)` is
//! `f!array[a][b]`.
//!
//! Limits: on the way back every use of such an array must be an application; an interpolant that compares or
//! stores into it has no counterpart with functions and is given up.

use super::problem::{Tree, Vocabulary};
use rustc_hash::FxHashMap;
use summa_term::{FunctionId, Kind, Op, Sort, Term, Terms};

/// A tree without functions, and the way back.
pub(crate) struct WithoutFunctions {
    pub(crate) tree: Tree,
    arrays: FxHashMap<Term, FunctionId>,
}

/// `None` if a function has no arguments, or one of a sort that cannot be an index.
pub(crate) fn remove(terms: &mut Terms, tree: &Tree) -> Option<WithoutFunctions> {
    let formulas: Vec<Term> = tree.nodes().iter().map(|node| node.formula).collect();
    let functions = Vocabulary::of_all(terms, &formulas).functions;
    let mut arrays = FxHashMap::default();
    let mut of_function = FxHashMap::default();
    for function in functions {
        let info = terms.function_info(function).clone();
        let name = format!("{}!array", terms.function_name(function));
        if info.args.is_empty() || info.args.iter().any(|sort| matches!(sort, Sort::Array(_))) {
            return None;
        }
        let sort = info.args.iter().rev().fold(info.result, |element, &index| terms.array_of(index, element));
        let family = terms.declare(&name, sort);
        let array = terms.symbol(family, 0);
        arrays.insert(array, function);
        of_function.insert(function, array);
    }
    let tree = tree.with_formulas(|_, formula| {
        rebuild(terms, formula, |terms, op, args, sort| match op {
            Op::Apply(function) => {
                let array = of_function.get(&function)?;
                Some(args.iter().fold(*array, |array, &index| terms.select(array, index)))
            }
            _ => Some(terms.build(op, args, sort)),
        })
        .unwrap_or(formula)
    });
    Some(WithoutFunctions { tree, arrays })
}

impl WithoutFunctions {
    pub(crate) fn is_needed(&self) -> bool {
        !self.arrays.is_empty()
    }

    /// The formula with functions again.
    pub(crate) fn restore(&self, terms: &mut Terms, formula: Term) -> Option<Term> {
        let restored = rebuild(terms, formula, |terms, op, args, sort| {
            let made = terms.build(op, args, sort);
            let Some((function, indices)) = self.application(terms, made) else { return Some(made) };
            match indices.len() == terms.function_info(function).args.len() {
                true => Some(terms.apply(function, &indices)),
                false => Some(made), // not all arguments yet
            }
        })?;
        let left = Vocabulary::of(terms, restored).symbols;
        left.iter().all(|symbol| !self.arrays.contains_key(symbol)).then_some(restored)
    }

    /// `array[i][j]…` as a function and its arguments so far.
    fn application(&self, terms: &Terms, term: Term) -> Option<(FunctionId, Vec<Term>)> {
        let mut indices = Vec::new();
        let mut current = term;
        while let Some((Op::Select, &[array, index])) = terms.as_app(current) {
            indices.push(index);
            current = array;
        }
        indices.reverse();
        self.arrays.get(&current).filter(|_| !indices.is_empty()).map(|&function| (function, indices))
    }
}

/// The formula with each application made anew by `make`; `None` if `make` gives up.
pub(crate) fn rebuild(
    terms: &mut Terms,
    formula: Term,
    mut make: impl FnMut(&mut Terms, Op, &[Term], Sort) -> Option<Term>,
) -> Option<Term> {
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for term in terms.post_order(&[formula]) {
        let made = match terms.kind(term) {
            Kind::App(op, args) => {
                let op = *op;
                let args: Option<Vec<Term>> = args.iter().map(|arg| done.get(arg).copied()).collect();
                let sort = terms.sort(term);
                make(terms, op, &args?, sort)?
            }
            Kind::Quantified(..) => return None,
            _ => term,
        };
        done.insert(term, made);
    }
    done.get(&formula).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_and_back() {
        let mut terms = Terms::new();
        let f = terms.declare_function("f", vec![Sort::Int, Sort::Bool], Sort::Int);
        let family = terms.declare("x", Sort::Int);
        let x = terms.symbol(family, 0);
        let inner = terms.apply(f, &[x, Terms::TRUE]);
        let outer = terms.apply(f, &[inner, Terms::FALSE]);
        let formula = terms.lt(outer, inner);
        let without = remove(&mut terms, &Tree::sequence(&[formula]).unwrap()).unwrap();
        let arrays = without.tree.nodes()[0].formula;
        assert!(without.is_needed() && !terms.contains_op(arrays, |op| matches!(op, Op::Apply(_))));
        assert_eq!(without.restore(&mut terms, arrays), Some(formula));
        // A formula about the array itself is none about the function.
        let (&array, _) = without.arrays.iter().next().unwrap();
        let sort = terms.sort(array);
        let family = terms.declare("other", sort);
        let other = terms.symbol(family, 0);
        let equal = terms.eq(array, other);
        assert_eq!(without.restore(&mut terms, equal), None);
    }
}
