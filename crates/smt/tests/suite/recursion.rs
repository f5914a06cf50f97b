//! Unrolled recursive functions as trees: one node for each activation, its children are the calls it makes.

use super::Problem;
use super::arithmetic::Arithmetic;
use summa_smt::{Tree, TreeNode};
use summa_term::{Term, Terms};

pub(crate) fn all(terms: &mut Terms, a: Arithmetic) -> Vec<Problem> {
    let mut all = Vec::new();
    for levels in 1..=3 {
        all.push(sum(terms, a, levels));
    }
    for depth in 1..=3 {
        all.push(mccarthy(terms, a, depth));
        all.push(fibonacci(terms, a, depth));
    }
    for depth in 1..=2 {
        all.push(ackermann(terms, a, depth));
    }
    all
}

/// A tree under construction, in post-order.
#[derive(Default)]
struct Unrolling {
    nodes: Vec<TreeNode>,
    /// Activations so far: the version of their symbols.
    activations: usize,
}

impl Unrolling {
    fn fresh(&mut self) -> usize {
        self.activations += 1;
        self.activations
    }

    fn push(&mut self, formula: Term, children: Vec<usize>) -> usize {
        self.nodes.push(TreeNode { formula, children });
        self.nodes.len() - 1
    }

    fn finish(self, name: String) -> Problem {
        Problem { name, tree: Tree::new(self.nodes).unwrap(), expected: Vec::new() }
    }
}

/// `sum(n, m) = n <= 0 ? m + n : sum(n - 1, m + 1)`; main asserts `sum(a, b) == a + b`.
fn sum(terms: &mut Terms, a: Arithmetic, levels: usize) -> Problem {
    let mut tree = Unrolling::default();
    let mut child = None;
    let mut expected = Vec::new();
    for level in (1..=levels).rev() {
        let [n, m, ret] = a.vars(terms, ["n", "m", "ret"], level);
        let total = a.add(terms, n, m);
        let formula = if level == levels {
            let parts = [a.le_num(terms, n, 0), terms.eq(ret, total)];
            terms.and(&parts)
        } else {
            let [n1, m1, ret1] = a.vars(terms, ["n", "m", "ret"], level + 1);
            let parts = [
                a.ge_num(terms, n, 1),
                a.step(terms, n1, n, -1),
                a.step(terms, m1, m, 1),
                terms.eq(ret, ret1),
            ];
            terms.and(&parts)
        };
        let node = tree.push(formula, child.into_iter().collect());
        child = Some(node);
        expected.push((node, terms.eq(ret, total)));
    }
    let [n, m, ret] = a.vars(terms, ["n", "m", "ret"], 1);
    let [x, y] = a.vars(terms, ["a", "b"], 0);
    let total = a.add(terms, x, y);
    let parts = [terms.eq(n, x), terms.eq(m, y), terms.ne(ret, total)];
    let main = terms.and(&parts);
    tree.push(main, child.into_iter().collect());
    let mut problem = tree.finish(format!("sum, {levels} levels"));
    problem.expected = expected;
    problem
}

/// `f(x) = x > 100 ? x - 10 : f(f(x + 11))`; main asserts `f(x) == 91 || x > 101 && f(x) == x - 10`.
fn mccarthy(terms: &mut Terms, a: Arithmetic, depth: usize) -> Problem {
    let mut tree = Unrolling::default();
    let (call, version) = mccarthy_call(terms, a, &mut tree, depth);
    let [x, r] = a.vars(terms, ["x", "r"], version);
    let large = {
        let parts = [a.ge_num(terms, x, 102), a.step(terms, r, x, -10)];
        terms.and(&parts)
    };
    let right = [a.eq_num(terms, r, 91), large];
    let right = terms.or(&right);
    let wrong = terms.not(right);
    tree.push(wrong, vec![call]);
    tree.finish(format!("McCarthy 91, depth {depth}"))
}

fn mccarthy_call(terms: &mut Terms, a: Arithmetic, tree: &mut Unrolling, depth: usize) -> (usize, usize) {
    let version = tree.fresh();
    let [x, r] = a.vars(terms, ["x", "r"], version);
    if depth == 1 {
        let parts = [a.ge_num(terms, x, 101), a.step(terms, r, x, -10)];
        let formula = terms.and(&parts);
        return (tree.push(formula, Vec::new()), version);
    }
    let (inner, first) = mccarthy_call(terms, a, tree, depth - 1);
    let (outer, second) = mccarthy_call(terms, a, tree, 1);
    let ([x1, r1], [x2, r2]) = (a.vars(terms, ["x", "r"], first), a.vars(terms, ["x", "r"], second));
    let parts = [a.le_num(terms, x, 100), a.step(terms, x1, x, 11), terms.eq(x2, r1), terms.eq(r, r2)];
    let formula = terms.and(&parts);
    (tree.push(formula, vec![inner, outer]), version)
}

/// `fib(n) = n < 1 ? 0 : n == 1 ? 1 : fib(n - 1) + fib(n - 2)`; main asserts `fib(n) >= n - 1`.
fn fibonacci(terms: &mut Terms, a: Arithmetic, depth: usize) -> Problem {
    let mut tree = Unrolling::default();
    let (call, version) = fibonacci_call(terms, a, &mut tree, depth);
    let [n, r] = a.vars(terms, ["n", "r"], version);
    let less = a.plus(terms, n, -1);
    // Small arguments, so that nothing wraps around.
    let parts = [a.lt(terms, r, less), a.ge_num(terms, n, -20), a.le_num(terms, n, 20)];
    let wrong = terms.and(&parts);
    tree.push(wrong, vec![call]);
    tree.finish(format!("Fibonacci, depth {depth}"))
}

fn fibonacci_call(terms: &mut Terms, a: Arithmetic, tree: &mut Unrolling, depth: usize) -> (usize, usize) {
    let version = tree.fresh();
    let [n, r] = a.vars(terms, ["n", "r"], version);
    if depth == 1 {
        let arms = {
            let zero = [a.le_num(terms, n, 0), a.eq_num(terms, r, 0)];
            let one = [a.eq_num(terms, n, 1), a.eq_num(terms, r, 1)];
            [terms.and(&zero), terms.and(&one)]
        };
        let formula = terms.or(&arms);
        return (tree.push(formula, Vec::new()), version);
    }
    let (left, first) = fibonacci_call(terms, a, tree, depth - 1);
    let (right, second) = fibonacci_call(terms, a, tree, depth - 1);
    let ([n1, r1], [n2, r2]) = (a.vars(terms, ["n", "r"], first), a.vars(terms, ["n", "r"], second));
    let total = a.add(terms, r1, r2);
    let parts =
        [a.ge_num(terms, n, 2), a.step(terms, n1, n, -1), a.step(terms, n2, n, -2), terms.eq(r, total)];
    let formula = terms.and(&parts);
    (tree.push(formula, vec![left, right]), version)
}

/// `ack(m, n) = m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1))`; main asserts `ack(m, n)
/// > n`.
fn ackermann(terms: &mut Terms, a: Arithmetic, depth: usize) -> Problem {
    let mut tree = Unrolling::default();
    let (call, version) = ackermann_call(terms, a, &mut tree, depth, depth);
    let [m, n, r] = a.vars(terms, ["m", "n", "r"], version);
    let parts = [a.ge_num(terms, m, 0), a.ge_num(terms, n, 0), a.le_num(terms, n, 1000), a.le(terms, r, n)];
    let wrong = terms.and(&parts);
    tree.push(wrong, vec![call]);
    tree.finish(format!("Ackermann, depth {depth}"))
}

/// An activation for `m = m_depth`, which for `m > 0` and `n = n_depth - 1 > 0` makes two calls.
fn ackermann_call(
    terms: &mut Terms,
    a: Arithmetic,
    tree: &mut Unrolling,
    m_depth: usize,
    n_depth: usize,
) -> (usize, usize) {
    let version = tree.fresh();
    let [m, n, r] = a.vars(terms, ["m", "n", "r"], version);
    if m_depth == 0 {
        let parts = [a.eq_num(terms, m, 0), a.step(terms, r, n, 1)];
        let formula = terms.and(&parts);
        return (tree.push(formula, Vec::new()), version);
    }
    if n_depth == 0 {
        let (call, inner) = ackermann_call(terms, a, tree, m_depth - 1, 1);
        let [m1, n1, r1] = a.vars(terms, ["m", "n", "r"], inner);
        let parts = [
            a.ge_num(terms, m, 1),
            a.eq_num(terms, n, 0),
            a.step(terms, m1, m, -1),
            a.eq_num(terms, n1, 1),
            terms.eq(r, r1),
        ];
        let formula = terms.and(&parts);
        return (tree.push(formula, vec![call]), version);
    }
    let (argument, first) = ackermann_call(terms, a, tree, m_depth, n_depth - 1);
    let (call, second) = ackermann_call(terms, a, tree, m_depth - 1, n_depth);
    let ([m1, n1, r1], [m2, n2, r2]) =
        (a.vars(terms, ["m", "n", "r"], first), a.vars(terms, ["m", "n", "r"], second));
    let parts = [
        a.ge_num(terms, m, 1),
        a.ge_num(terms, n, 1),
        terms.eq(m1, m),
        a.step(terms, n1, n, -1),
        a.step(terms, m2, m, -1),
        terms.eq(n2, r1),
        terms.eq(r, r2),
    ];
    let formula = terms.and(&parts);
    (tree.push(formula, vec![argument, call]), version)
}
