//! Laws of substitution and renaming, and the functions that look through terms.

mod common;

use common::{ALL_SORTS, ARRAY_SORTS, Model, Pool, Random};
use expect_test::expect;
use proptest::prelude::*;
use summa_base::FxHashMap;
use summa_term::{Evaluator, Op, Quantifier, Renaming, Sort, SymbolSets, Term, Terms, smtlib};

/// A pool with terms in it, and one of them.
fn grown(seed: u64) -> (Pool, Term, Random) {
    let mut random = Random(seed);
    let mut pool = Pool::new(&mut random, 2, ALL_SORTS, ARRAY_SORTS);
    let mut last = Terms::TRUE;
    for _ in 0..150 {
        last = pool.grow(&mut random).2;
    }
    (pool, last, random)
}

proptest! {
    /// The value of t[s/x] is the value of t where x is the value of s.
    #[test]
    fn substitution_is_assignment(seed: u64) {
        let (mut pool, term, mut random) = grown(seed);
        let mut map = FxHashMap::default();
        let mut changed: Model = pool.models[0].clone();
        for symbol in pool.terms.free_symbols(term) {
            let entries = &pool.by_sort.iter().find(|(sort, _)| *sort == pool.terms.sort(symbol)).unwrap().1;
            let (replacement, values) = &entries[random.below(entries.len())];
            if let Some(value) = &values[0] {
                map.insert(symbol, *replacement);
                changed.insert(pool.terms.as_symbol(symbol).unwrap(), value.clone());
            }
        }
        let result = pool.terms.substitute(term, &map);
        let expected = Evaluator::new(&pool.terms, &changed).eval(term);
        let value = Evaluator::new(&pool.terms, &pool.models[0]).eval(result);
        if let (Some(expected), Some(value)) = (&expected, &value) {
            prop_assert!(value.same(expected), "{value:?}, not {expected:?}");
        }
        // A rule may drop what makes a value undetermined, but never adds it.
        prop_assert!(expected.is_none() || value.is_some());
    }

    #[test]
    fn renaming_forth_and_back_is_nothing(seed: u64) {
        let (mut pool, term, _) = grown(seed);
        let renamed = pool.terms.rename_symbols(term, |symbol, version| (symbol, version + 7));
        let back = pool.terms.rename_symbols(renamed, |symbol, version| (symbol, version - 7));
        // Sorted arguments may come in another order, so the terms are compared by value.
        let again = pool.terms.rename_symbols(back, |symbol, version| (symbol, version + 7));
        for model in &pool.models {
            let values = [term, back].map(|term| Evaluator::new(&pool.terms, model).eval(term));
            if let [Some(first), Some(second)] = &values {
                prop_assert!(first.same(second));
            }
        }
        let expected: Vec<_> = pool.terms.free_symbols(renamed);
        prop_assert_eq!(pool.terms.free_symbols(again), expected);
        let identity = pool.terms.substitute(term, &FxHashMap::default());
        prop_assert_eq!(identity, term);
    }

    #[test]
    fn negation_normal_form_means_the_same(seed: u64) {
        let (mut pool, _, _) = grown(seed);
        let formulas: Vec<Term> = pool.by_sort[0].1.iter().map(|(term, _)| *term).collect();
        for formula in formulas {
            let normal = pool.terms.nnf(formula);
            for model in &pool.models {
                let values = [formula, normal].map(|term| Evaluator::new(&pool.terms, model).eval(term));
                if let [Some(first), Some(second)] = &values {
                    prop_assert_eq!(first, second);
                }
            }
            // Below an atom anything may be: atoms are not looked into.
            let is_shaped = |term| match pool.terms.connective(term) {
                Some((Op::Not, args)) => pool.terms.connective(args[0]).is_none(),
                other => matches!(other, Some((Op::And | Op::Or, _))),
            };
            let shape_is_right = top_level(&pool.terms, normal).into_iter().all(is_shaped);
            prop_assert!(shape_is_right, "{}", smtlib::print(&pool.terms, normal));
        }
    }

    #[test]
    fn remembered_symbol_sets_are_right(seed: u64) {
        let (pool, _, _) = grown(seed);
        let mut sets = SymbolSets::new();
        for (_, entries) in &pool.by_sort {
            for (term, _) in entries {
                prop_assert_eq!(sets.of(&pool.terms, *term).to_vec(), pool.terms.free_symbols(*term));
            }
        }
    }
}

/// The formulas of the boolean skeleton.
fn top_level(terms: &Terms, formula: Term) -> Vec<Term> {
    let (mut found, mut todo) = (Vec::new(), vec![formula]);
    while let Some(term) = todo.pop() {
        if let Some((_, args)) = terms.connective(term)
            && !found.contains(&term)
        {
            found.push(term);
            todo.extend_from_slice(args);
        }
    }
    found
}

fn symbols<const N: usize>(terms: &mut Terms, names: [&str; N]) -> [Term; N] {
    names.map(|name| {
        let symbol = terms.declare(name, Sort::Int);
        terms.symbol(symbol, 0)
    })
}

#[test]
fn replacements_are_simultaneous_and_need_not_be_symbols() {
    let mut t = Terms::new();
    let [x, y, z] = symbols(&mut t, ["x", "y", "z"]);
    let three = t.int(3);
    let sum = t.add2(x, y);
    let formula = t.le(sum, z);
    let swapped = t.substitute(formula, &[(x, z), (z, x)].into_iter().collect());
    expect!["(<= (+ y@0 z@0) x@0)"].assert_eq(&smtlib::print(&t, swapped));
    let folded = t.substitute(formula, &[(sum, three)].into_iter().collect());
    expect!["(<= 3 z@0)"].assert_eq(&smtlib::print(&t, folded));
    let constant = t.substitute(formula, &[(x, three), (y, three), (z, three)].into_iter().collect());
    assert_eq!(constant, Terms::FALSE);
}

#[test]
fn bound_symbols_are_not_replaced_and_not_captured() {
    let mut t = Terms::new();
    let [x, y, z] = symbols(&mut t, ["x", "y", "z"]);
    let body = t.lt(x, y);
    let exists = t.quantify(Quantifier::Exists, &[x], body);
    assert_eq!(t.free_symbols(exists), [y]);
    assert_eq!(t.substitute(exists, &[(x, z)].into_iter().collect()), exists);
    let moved = t.substitute(exists, &[(y, z)].into_iter().collect());
    expect!["(exists ((x@0 Int)) (<= (+ x@0 1) z@0))"].assert_eq(&smtlib::print(&t, moved));
    let captured = t.substitute(exists, &[(y, x)].into_iter().collect());
    expect!["(exists ((x@1 Int)) (<= (+ x@1 1) x@0))"].assert_eq(&smtlib::print(&t, captured));
}

#[test]
fn a_renaming_is_reused() {
    let mut t = Terms::new();
    let [x, y] = symbols(&mut t, ["x", "y"]);
    let block = {
        let sum = t.add2(x, y);
        let zero = t.int(0);
        t.eq(sum, zero)
    };
    let mut renaming = Renaming::new();
    let mut asked = 0;
    let mut instance = |t: &mut Terms, term| {
        renaming.apply(t, term, |t, symbol, version| {
            asked += 1;
            t.symbol(symbol, version + 1)
        })
    };
    let first = instance(&mut t, block);
    assert_eq!(instance(&mut t, block), first);
    let more = t.le(x, y);
    instance(&mut t, more);
    assert_eq!(asked, 2);
}

#[test]
fn atoms_and_conjuncts() {
    let mut t = Terms::new();
    let [x, y, z] = symbols(&mut t, ["x", "y", "z"]);
    let (a, b, c) = (t.le(x, y), t.eq(y, z), t.le(z, x));
    let not_b = t.not(b);
    let either = t.or2(not_b, c);
    let formula = t.and2(a, either);
    let mut expected = vec![a, b, c];
    expected.sort();
    assert_eq!(t.atoms(formula), expected);
    let mut members = vec![a, either];
    members.sort();
    assert_eq!(t.conjuncts(formula), members);
    assert_eq!(t.conjuncts(Terms::TRUE), []);
    assert_eq!(t.conjuncts(Terms::FALSE), [Terms::FALSE]);
    assert_eq!(t.size(a), 3);
}
