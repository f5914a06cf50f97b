//! The solver trait on Z3, alone and behind the front: stack, models, cores, enumeration, limits, and what it
//! records.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use summa_base::Budget;
use summa_smt::{AllSat, Answer, Family, Front, Limits, Reason, Recorder, Solver, Z3Solver};
use summa_term::{Sort, Term, Terms, Value};

struct World {
    terms: Terms,
    solver: Z3Solver,
}

fn world() -> World {
    let family = Family::new().unwrap();
    World { terms: Terms::new(), solver: Z3Solver::new(&family).unwrap() }
}

fn symbol(terms: &mut Terms, name: &str, sort: Sort) -> Term {
    let family = terms.declare(name, sort);
    terms.symbol(family, 0)
}

#[test]
fn stack_model_and_core() {
    let World { mut terms, mut solver } = world();
    let x = symbol(&mut terms, "x", Sort::Int);
    let (three, five) = (terms.int(3), terms.int(5));
    let at_least = terms.ge(x, three);
    solver.assert(&terms, at_least);
    assert_eq!(solver.check(&mut terms, &[]), Answer::Sat);
    let model = solver.model(&mut terms).unwrap();
    assert_eq!(model.is_true(&terms, at_least), Some(true));

    solver.push();
    let below = terms.lt(x, three);
    let equal = terms.eq(x, five);
    assert_eq!(solver.check(&mut terms, &[equal]), Answer::Sat);
    assert_eq!(solver.model(&mut terms).unwrap().eval(&terms, x), Some(Value::Int(5.into())));
    let other = symbol(&mut terms, "p", Sort::Bool);
    assert_eq!(solver.check(&mut terms, &[other, below]), Answer::Unsat);
    assert_eq!(solver.unsat_core(), vec![below]);
    assert_eq!(solver.model(&mut terms), None);
    solver.assert(&terms, below);
    assert_eq!(solver.check(&mut terms, &[]), Answer::Unsat);
    solver.pop();
    assert_eq!((solver.check(&mut terms, &[]), solver.level()), (Answer::Sat, 0));
    solver.pop(); // nothing to pop
    assert_eq!(solver.statistics().checks, 5);
}

/// The same assumption again in another scope: its literal must not be lost with the scope it was made in.
#[test]
fn assumptions_outlive_scopes() {
    let World { mut terms, mut solver } = world();
    let x = symbol(&mut terms, "x", Sort::Bv(8));
    let zero = terms.bv(8, 0);
    let positive = terms.bv_sgt(x, zero);
    let negative = terms.bv_slt(x, zero);
    solver.push();
    assert_eq!(solver.check(&mut terms, &[positive, negative]), Answer::Unsat);
    solver.pop();
    assert_eq!(solver.check(&mut terms, &[positive, negative]), Answer::Unsat);
    assert_eq!(solver.check(&mut terms, &[positive]), Answer::Sat);
}

#[test]
fn enumerates_all_combinations_once() {
    let World { mut terms, solver } = world();
    let mut solver = Front::new(solver);
    let x = symbol(&mut terms, "x", Sort::Int);
    let [zero, ten] = [0, 10].map(|n| terms.int(n));
    let important = [terms.ge(x, zero), terms.le(x, ten), terms.eq(x, zero)];
    let mut found = Vec::new();
    let outcome = solver.all_sat(&mut terms, &important, 100, &mut |values| {
        found.push(values.to_vec());
        ControlFlow::Continue(())
    });
    found.sort();
    assert_eq!(outcome, AllSat::Complete);
    let expected = [[false, true, false], [true, false, false], [true, true, false], [true, true, true]];
    assert_eq!(found, expected);
    let outcome = solver.all_sat(&mut terms, &important, 2, &mut |_| ControlFlow::Continue(()));
    assert_eq!((outcome, solver.level()), (AllSat::Stopped, 0));
    let outcome = solver.all_sat(&mut terms, &important, 100, &mut |_| ControlFlow::Break(()));
    assert_eq!(outcome, AllSat::Stopped);
}

#[test]
fn front_avoids_checks_and_agrees() {
    let World { mut terms, solver } = world();
    let mut front = Front::new(solver);
    let x = symbol(&mut terms, "x", Sort::Int);
    let [two, nine] = [2, 9].map(|n| terms.int(n));
    let at_most = terms.le(x, nine);
    front.assert(&terms, at_most);
    assert_eq!(front.check(&mut terms, &[]), Answer::Sat);
    front.push();
    let square = terms.mul(x, x);
    let wanted = terms.le(square, two);
    front.assert(&terms, wanted);
    let first = front.check(&mut terms, &[]);
    assert_eq!(front.check(&mut terms, &[]), first);
    assert_eq!(first, Answer::Sat);
    let not_wanted = terms.lt(two, square);
    assert_eq!(front.check(&mut terms, &[not_wanted]), Answer::Unsat);
    assert_eq!(front.unsat_core(), vec![not_wanted]);
    assert_eq!(front.check(&mut terms, &[not_wanted, at_most]), Answer::Unsat);
    assert_eq!(front.unsat_core(), vec![not_wanted]);
    front.pop();
    assert_eq!(front.check(&mut terms, &[]), Answer::Sat);
    assert!(front.model(&mut terms).unwrap().is_true(&terms, at_most).unwrap());
    let statistics = front.statistics();
    let avoided = statistics.avoided_cached + statistics.avoided_by_model + statistics.avoided_trivial;
    assert!(avoided >= 3, "{statistics:?}");
    assert_eq!(statistics.checks, 6);
    assert!(front.inner().statistics().checks + avoided == 6, "{statistics:?}");
}

/// Multiplication of wide bit-vectors: no answer within the time, and the solver goes on afterwards.
fn hard_problem(terms: &mut Terms) -> Term {
    let [x, y] = ["x", "y"].map(|name| symbol(terms, name, Sort::Bv(64)));
    let one = terms.bv(64, 1);
    let product = terms.bv_mul(x, y);
    // A product of two primes of 31 bits each.
    let composite = terms.bv(64, 2_147_483_647 * 2_147_483_629);
    let limit = terms.bv(64, 1 << 32);
    let conditions = [
        terms.eq(product, composite),
        terms.bv_ult(one, x),
        terms.bv_ult(one, y),
        terms.bv_ult(x, limit),
        terms.bv_ult(y, limit),
        terms.bv_ult(x, y),
    ];
    terms.and(&conditions)
}

#[test]
fn time_out_leaves_the_solver_usable() {
    let World { mut terms, mut solver } = world();
    let hard = hard_problem(&mut terms);
    solver.push();
    solver.assert(&terms, hard);
    solver.set_limits(Limits::timeout(Duration::from_millis(100)));
    for _ in 0..2 {
        assert_eq!(solver.check(&mut terms, &[]), Answer::Unknown(Reason::TimeOut));
    }
    solver.pop();
    solver.set_limits(Limits::default());
    let x = symbol(&mut terms, "x", Sort::Bv(64));
    let one = terms.bv(64, 1);
    let easy = terms.bv_ult(one, x);
    assert_eq!(solver.check(&mut terms, &[easy]), Answer::Sat);
    let hopeless = terms.bv_ult(x, one);
    assert_eq!(solver.check(&mut terms, &[easy, hopeless]), Answer::Unsat);
}

/// Interruptions that come late must not hit the next question.
#[test]
fn a_time_out_never_hits_the_next_check() {
    let World { mut terms, mut solver } = world();
    let hard = hard_problem(&mut terms);
    let x = symbol(&mut terms, "x", Sort::Bv(64));
    let one = terms.bv(64, 1);
    let easy = terms.bv_ult(one, x);
    for round in 0..20 {
        solver.push();
        solver.assert(&terms, hard);
        // Counted work ends every other question, the end of the run in real time those between.
        let late = Budget::unlimited().until(Some(Instant::now()));
        solver.set_limits(match round % 2 {
            0 => Limits::timeout(Duration::from_millis(3 + round)),
            _ => Limits::of(&late, Duration::MAX),
        });
        assert_eq!(solver.check(&mut terms, &[]), Answer::Unknown(Reason::TimeOut));
        solver.pop();
        solver.set_limits(Limits::timeout(Duration::from_secs(20)));
        assert_eq!(solver.check(&mut terms, &[easy]), Answer::Sat, "round {round}");
    }
}

#[test]
fn another_thread_interrupts() {
    let World { mut terms, mut solver } = world();
    let hard = hard_problem(&mut terms);
    solver.assert(&terms, hard);
    let flag = Arc::new(AtomicBool::new(false));
    solver.set_limits(Limits { interrupt: Some(Arc::clone(&flag)), ..Limits::default() });
    let raiser = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        flag.store(true, Ordering::Relaxed);
    });
    assert_eq!(solver.check(&mut terms, &[]), Answer::Unknown(Reason::Interrupted));
    raiser.join().unwrap();
}

#[test]
fn records_queries() {
    let folder = std::env::temp_dir().join(format!("summa-smt-record-{}", std::process::id()));
    let World { mut terms, solver } = world();
    let mut solver = Recorder::new(solver, &folder).unwrap();
    let x = symbol(&mut terms, "x", Sort::Int);
    let zero = terms.int(0);
    let positive = terms.gt(x, zero);
    let negative = terms.lt(x, zero);
    solver.assert(&terms, positive);
    solver.check(&mut terms, &[]);
    solver.check(&mut terms, &[negative]);
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let text = std::fs::read_to_string(folder.join(&names[1])).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(names, ["000001-sat.smt2", "000002-unsat.smt2"]);
    assert_eq!(text.matches("(assert").count(), 2, "{text}");
    assert_eq!(solver.failed_writes(), 0);
}

/// A chain of a hundred thousand nodes: conversion must not use the stack.
#[test]
fn deep_terms() {
    let World { mut terms, mut solver } = world();
    let function = terms.declare_function("f", vec![Sort::Int], Sort::Int);
    let x = symbol(&mut terms, "x", Sort::Int);
    let mut deep = x;
    for _ in 0..20_000 {
        deep = terms.apply(function, &[deep]);
    }
    let equal = terms.eq(deep, x);
    solver.set_limits(Limits::timeout(Duration::from_secs(20)));
    solver.assert(&terms, equal);
    assert_eq!(solver.check(&mut terms, &[]), Answer::Sat);
}
