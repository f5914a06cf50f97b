//! The interpolation suite: how many problems each source and the chooser solve. Every answer is checked by
//! the library, and once more here, by a solver of its own.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop where it stands, and shows a table"
)]

mod suite;

use std::time::{Duration, Instant};
use suite::Problem;
use summa_smt::interpolate::{ChooserOptions, Failure, Source};
use summa_smt::{Chooser, Family, Interpolator, Solver, Tree, Z3Solver};
use summa_term::{Sort, Term, Terms};

/// Generous: the tests also run on slow and loaded machines. The benchmark measures.
const BUDGET: Duration = Duration::from_secs(30);

fn chooser(family: &Family) -> Chooser {
    let options =
        ChooserOptions { budget: BUDGET, source_budget: Duration::from_secs(8), ..ChooserOptions::default() };
    Chooser::new(family, options).unwrap()
}

fn entails(terms: &mut Terms, solver: &mut Z3Solver, premises: &[Term], conclusion: Term) -> bool {
    solver.push();
    for &premise in premises {
        solver.assert(terms, premise);
    }
    let negated = terms.not(conclusion);
    solver.assert(terms, negated);
    let answer = solver.check(terms, &[]);
    solver.pop();
    answer.is_unsat()
}

/// The conditions of tree interpolants, written again: not those of the library.
fn verify(terms: &mut Terms, tree: &Tree, interpolants: &[Term]) {
    let mut solver = Z3Solver::new(&Family::new().unwrap()).unwrap();
    for (i, node) in tree.nodes().iter().enumerate() {
        let mut premises: Vec<Term> = node.children.iter().map(|&child| interpolants[child]).collect();
        premises.push(node.formula);
        assert!(entails(terms, &mut solver, &premises, interpolants[i]), "node {i} is not inductive");
        let mut inside = vec![i];
        let mut position = 0;
        while let Some(&node) = inside.get(position) {
            inside.extend(&tree.nodes()[node].children);
            position += 1;
        }
        let symbols_where = |wanted: bool| -> Vec<Term> {
            let all = tree.nodes().iter().enumerate().filter(|(j, _)| inside.contains(j) == wanted);
            all.flat_map(|(_, node)| terms.free_symbols(node.formula)).collect()
        };
        let (in_subtree, outside) = (symbols_where(true), symbols_where(false));
        for symbol in terms.free_symbols(interpolants[i]) {
            assert!(
                in_subtree.contains(&symbol) && outside.contains(&symbol),
                "node {i} has a foreign symbol"
            );
        }
    }
    assert_eq!(interpolants.last(), Some(&Terms::FALSE));
}

/// Solves all and returns how many; prints a line for each.
fn solve(terms: &mut Terms, problems: &[Problem]) -> usize {
    let family = Family::new().unwrap();
    let mut chooser = chooser(&family);
    let mut solver = Z3Solver::new(&family).unwrap();
    let mut solved = 0;
    for problem in problems {
        let start = Instant::now();
        let result = chooser.tree(terms, &problem.tree);
        let time = start.elapsed();
        let Ok(interpolants) = result else {
            println!("{:32} {:7.3} s  {:?}", problem.name, time.as_secs_f64(), result);
            continue;
        };
        solved += 1;
        verify(terms, &problem.tree, &interpolants);
        let general = problem
            .expected
            .iter()
            .filter(|&&(i, wanted)| entails(terms, &mut solver, &[interpolants[i]], wanted))
            .count();
        let shown = interpolants[problem.tree.nodes().len() / 2];
        let mut shown = summa_term::smtlib::print(terms, shown);
        shown.truncate(100);
        println!(
            "{:32} {:7.3} s  {:10} {}/{}  {shown}",
            problem.name,
            time.as_secs_f64(),
            format!("{:?}", chooser.last_source().unwrap()),
            general,
            problem.expected.len(),
        );
        if problem.name.starts_with("sum") && terms.sort(problem.expected[0].1) == Sort::Bool {
            assert!(general == problem.expected.len() || is_bit_vector(terms, problem), "{}", problem.name);
        }
    }
    for source in Source::ALL {
        println!("{source:?}: {:?}", chooser.statistics(source));
    }
    solved
}

fn is_bit_vector(terms: &Terms, problem: &Problem) -> bool {
    let symbols = problem.tree.nodes().iter().flat_map(|node| terms.free_symbols(node.formula));
    symbols.into_iter().any(|symbol| matches!(terms.sort(symbol), Sort::Bv(_)))
}

#[test]
fn integers_are_all_solved() {
    let mut terms = Terms::new();
    let problems = suite::integers(&mut terms);
    let solved = solve(&mut terms, &problems);
    assert_eq!(solved, problems.len());
}

#[test]
fn most_bit_vectors_are_solved() {
    let mut terms = Terms::new();
    let problems = suite::bit_vectors(&mut terms);
    let solved = solve(&mut terms, &problems);
    assert!(solved * 10 >= problems.len() * 9, "{solved} of {}", problems.len());
}

/// Floats: no Horn engine, but pre- and postconditions work where equations can be solved.
#[test]
fn floats() {
    use summa_term::FloatSort::F64;
    let mut terms = Terms::new();
    let mut chooser = chooser(&Family::new().unwrap());
    let family = terms.declare("x", Sort::Float(F64));
    let x: Vec<Term> = (0..3).map(|version| terms.symbol(family, version)).collect();
    let one = {
        let one = terms.bv(8, 1);
        terms.float_from_sbv(one, F64)
    };
    let double = terms.float_add(x[0], x[0]);
    let formulas =
        [terms.eq(x[0], one), terms.eq(x[1], double), terms.eq(x[2], x[1]), terms.float_lt(x[2], one)];
    let interpolants = chooser.sequence(&mut terms, &formulas).unwrap();
    verify(&mut terms, &Tree::sequence(&formulas).unwrap(), &interpolants[1..]);
}

#[test]
fn satisfiable_traces_are_refused() {
    let mut terms = Terms::new();
    let mut chooser = chooser(&Family::new().unwrap());
    let family = terms.declare("x", Sort::Int);
    let [x, y] = [0, 1].map(|version| terms.symbol(family, version));
    let formulas = [terms.lt(x, y), terms.lt(x, y)];
    assert_eq!(chooser.sequence(&mut terms, &formulas), Err(Failure::Satisfiable));
    assert_eq!(chooser.sequence(&mut terms, &[]), Err(Failure::Satisfiable));
}

#[test]
fn a_contradictory_formula_needs_no_interpolation() {
    let mut terms = Terms::new();
    let mut chooser = chooser(&Family::new().unwrap());
    let family = terms.declare("x", Sort::Int);
    let [x, y] = [0, 1].map(|version| terms.symbol(family, version));
    let both = [terms.lt(x, y), terms.lt(y, x)];
    let contradiction = terms.and(&both);
    let after = terms.eq(x, y);
    let (yes, no) = (Terms::TRUE, Terms::FALSE);
    let result = chooser.sequence(&mut terms, &[Terms::TRUE, contradiction, after]);
    assert_eq!(result, Ok(vec![yes, yes, no, no]));
    assert_eq!(chooser.last_source(), Some(Source::Single));
}
