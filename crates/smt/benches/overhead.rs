//! What our layer costs on top of the bare interface of Z3: the same 100,000 small checks (push, assert,
//! check, pop) through the C functions, through [`Z3Solver`], and through [`Front`].
//!
//! `cargo bench -p summa-smt --bench overhead [-- COUNT]`
#![expect(clippy::print_stdout, reason = "a benchmark reports by printing")]
#![allow(unsafe_code, reason = "the bare interface is what is compared with")]

use std::ffi::CString;
use std::time::{Duration, Instant};
use summa_smt::{Answer, Family, Front, Solver, Z3Solver};
use summa_term::{Sort, Term, Terms};
use z3_sys::*;

const VARIABLES: usize = 10;
/// The three ways take turns in rounds, so that a loaded machine slows all of them alike.
const ROUNDS: usize = 10;

/// Question `i`: `x + y <= c`, which together with `0 <= x, y, … <= 100` is satisfiable or not.
fn question(i: usize) -> (usize, usize, i64) {
    (i % VARIABLES, (i / 7) % VARIABLES, (i * 31 % 2003) as i64 - 1000)
}

fn main() {
    let count: usize = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(100_000);
    let mut terms = Terms::new();
    let mut bare = Bare::new();
    let mut plain = Ours::new(&mut terms, |solver| solver);
    let mut fronted = Ours::new(&mut terms, Front::new);
    let mut times = [Duration::ZERO; 3];
    let mut satisfiable = [0; 3];
    for round in 0..ROUNDS {
        let questions = round * count / ROUNDS..(round + 1) * count / ROUNDS;
        let start = Instant::now();
        satisfiable[0] += questions.clone().filter(|&i| bare.check(question(i))).count();
        times[0] += start.elapsed();
        let start = Instant::now();
        satisfiable[1] += questions.clone().filter(|&i| plain.check(&mut terms, question(i))).count();
        times[1] += start.elapsed();
        let start = Instant::now();
        satisfiable[2] += questions.filter(|&i| fronted.check(&mut terms, question(i))).count();
        times[2] += start.elapsed();
    }
    assert!(satisfiable.iter().all(|&n| n == satisfiable[0]), "the answers differ: {satisfiable:?}");
    println!("{count} checks, {} satisfiable", satisfiable[0]);
    for (name, time) in ["bare interface", "Z3Solver", "Front<Z3Solver>"].into_iter().zip(times) {
        let (seconds, ratio) = (time.as_secs_f64(), time.as_secs_f64() / times[0].as_secs_f64());
        println!(
            "  {name:16} {seconds:7.2} s  {:6.1} µs per check  ratio {ratio:.2}",
            seconds * 1e6 / count as f64
        );
    }
    println!("  {:?}", fronted.solver.statistics());
}

struct Ours<S> {
    solver: S,
    variables: Vec<Term>,
}

impl<S: Solver> Ours<S> {
    fn new(terms: &mut Terms, wrap: impl FnOnce(Z3Solver) -> S) -> Self {
        let family = Family::new().expect("Z3 makes a context");
        let mut solver = wrap(Z3Solver::new(&family).expect("Z3 makes a solver"));
        let name = terms.declare("x", Sort::Int);
        let variables: Vec<Term> = (0..VARIABLES).map(|i| terms.symbol(name, i as u32)).collect();
        let (zero, hundred) = (terms.int(0), terms.int(100));
        for &x in &variables {
            let bounds = [terms.le(zero, x), terms.le(x, hundred)];
            bounds.iter().for_each(|&bound| solver.assert(terms, bound));
        }
        Self { solver, variables }
    }

    fn check(&mut self, terms: &mut Terms, (x, y, limit): (usize, usize, i64)) -> bool {
        self.solver.push();
        let sum = terms.add2(self.variables[x], self.variables[y]);
        let limit = terms.int(limit);
        let formula = terms.le(sum, limit);
        self.solver.assert(terms, formula);
        let answer = self.solver.check(terms, &[]);
        self.solver.pop();
        answer == Answer::Sat
    }
}

struct Bare {
    context: Z3_context,
    solver: Z3_solver,
    sort: Z3_sort,
    variables: Vec<Z3_ast>,
}

impl Bare {
    fn new() -> Self {
        // SAFETY: everything lives as long as the process; terms are counted because the context frees
        // others.
        unsafe {
            let config = Z3_mk_config().expect("configuration");
            let context = Z3_mk_context_rc(config).expect("context");
            Z3_del_config(config);
            let solver = Z3_mk_simple_solver(context).expect("solver");
            Z3_solver_inc_ref(context, solver);
            let sort = Z3_mk_int_sort(context).expect("sort");
            Z3_inc_ref(context, Z3_sort_to_ast(context, sort).expect("sort"));
            let counted = |ast: Option<Z3_ast>| {
                let ast = ast.expect("term");
                Z3_inc_ref(context, ast);
                ast
            };
            let zero = counted(Z3_mk_int64(context, 0, sort));
            let hundred = counted(Z3_mk_int64(context, 100, sort));
            let mut variables = Vec::new();
            for i in 0..VARIABLES {
                let name = CString::new(format!("x{i}")).expect("name");
                let symbol = Z3_mk_string_symbol(context, name.as_ptr()).expect("symbol");
                let x = counted(Z3_mk_const(context, symbol, sort));
                let bounds = [counted(Z3_mk_le(context, zero, x)), counted(Z3_mk_le(context, x, hundred))];
                bounds.iter().for_each(|&bound| Z3_solver_assert(context, solver, bound));
                variables.push(x);
            }
            Self { context, solver, sort, variables }
        }
    }

    fn check(&mut self, (x, y, limit): (usize, usize, i64)) -> bool {
        let c = self.context;
        // SAFETY: as above.
        unsafe {
            Z3_solver_push(c, self.solver);
            let args = [self.variables[x], self.variables[y]];
            let sum = Z3_mk_add(c, 2, args.as_ptr()).expect("term");
            Z3_inc_ref(c, sum);
            let limit = Z3_mk_int64(c, limit, self.sort).expect("term");
            Z3_inc_ref(c, limit);
            let formula = Z3_mk_le(c, sum, limit).expect("term");
            Z3_inc_ref(c, formula);
            Z3_solver_assert(c, self.solver, formula);
            let answer = Z3_solver_check(c, self.solver);
            Z3_solver_pop(c, self.solver, 1);
            for ast in [sum, limit, formula] {
                Z3_dec_ref(c, ast);
            }
            answer == Z3_L_TRUE
        }
    }
}
