//! Loops, unrolled: one formula for each step.

use super::Problem;
use super::arithmetic::Arithmetic;
use summa_term::{Sort, Term, Terms};

pub(crate) fn all(terms: &mut Terms, a: Arithmetic) -> Vec<Problem> {
    let mut all = Vec::new();
    for steps in [2, 5, 10, 20, 30] {
        all.push(equal_counters(terms, a, steps));
    }
    for steps in [2, 8, 30] {
        all.push(up_to_bound(terms, a, steps));
        all.push(double_counter(terms, a, steps));
        all.push(parity(terms, a, steps));
    }
    for steps in [2, 6, 12] {
        all.push(down_and_up(terms, a, steps));
        all.push(state_machine(terms, a, steps));
        all.push(branches(terms, a, steps));
        all.push(lock(terms, a, steps));
    }
    for steps in [2, 5, 8] {
        all.push(array_kept(terms, a, steps));
    }
    all.push(array_filled(terms, a, 3));
    all.push(function_stays(terms, a, 4));
    all.push(two_phases(terms, a, 4));
    all.push(flags(terms, a, 6));
    all
}

/// `x = y = 0; loop { x++; y++ } assert x == y`.
fn equal_counters(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [x, y, n] = a.vars(terms, ["x", "y", "n"], 0);
    let start = [a.eq_num(terms, x, 0), a.eq_num(terms, y, 0)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..steps {
        let [x, y] = a.vars(terms, ["x", "y"], i);
        let [x1, y1] = a.vars(terms, ["x", "y"], i + 1);
        let parts = [a.lt(terms, x, n), a.step(terms, x1, x, 1), a.step(terms, y1, y, 1)];
        trace.push(terms.and(&parts));
    }
    let [x, y] = a.vars(terms, ["x", "y"], steps);
    trace.push(terms.ne(x, y));
    let mut problem = Problem::sequence(format!("equal counters, {steps} steps"), &trace);
    let equal = terms.eq(x, y);
    problem.expected.push((steps, equal));
    problem
}

/// `i = 0; assume n >= 0; while (i < n) i++; assert i == n`.
fn up_to_bound(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [i0, n] = a.vars(terms, ["i", "n"], 0);
    let start = [a.eq_num(terms, i0, 0), a.ge_num(terms, n, 0)];
    let mut trace = vec![terms.and(&start)];
    for step in 0..steps {
        let (i, i1) = (a.var(terms, "i", step), a.var(terms, "i", step + 1));
        let parts = [a.lt(terms, i, n), a.step(terms, i1, i, 1)];
        trace.push(terms.and(&parts));
    }
    let i = a.var(terms, "i", steps);
    let end = [a.le(terms, n, i), terms.ne(i, n)];
    trace.push(terms.and(&end));
    Problem::sequence(format!("up to a bound, {steps} steps"), &trace)
}

/// `x = y = 0; loop { x++; y += 2 } assert y == 2 * x`.
fn double_counter(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [x, y] = a.vars(terms, ["x", "y"], 0);
    let start = [a.eq_num(terms, x, 0), a.eq_num(terms, y, 0)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..steps {
        let ([x, y], [x1, y1]) = (a.vars(terms, ["x", "y"], i), a.vars(terms, ["x", "y"], i + 1));
        let parts = [a.step(terms, x1, x, 1), a.step(terms, y1, y, 2)];
        trace.push(terms.and(&parts));
    }
    let [x, y] = a.vars(terms, ["x", "y"], steps);
    let double = a.times(terms, 2, x);
    trace.push(terms.ne(y, double));
    Problem::sequence(format!("double counter, {steps} steps"), &trace)
}

/// `x = 0; loop x += 2; assert x is even`.
fn parity(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let x = a.var(terms, "x", 0);
    let mut trace = vec![a.eq_num(terms, x, 0)];
    for i in 0..steps {
        let (x, x1) = (a.var(terms, "x", i), a.var(terms, "x", i + 1));
        trace.push(a.step(terms, x1, x, 2));
    }
    let x = a.var(terms, "x", steps);
    trace.push(a.is_odd(terms, x));
    Problem::sequence(format!("parity, {steps} steps"), &trace)
}

/// `x = n; y = 0; while (x != 0) { x--; y++ } assert y == n`.
fn down_and_up(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [x, y, n] = a.vars(terms, ["x", "y", "n"], 0);
    let start = [terms.eq(x, n), a.eq_num(terms, y, 0)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..steps {
        let ([x, y], [x1, y1]) = (a.vars(terms, ["x", "y"], i), a.vars(terms, ["x", "y"], i + 1));
        let zero = a.eq_num(terms, x, 0);
        let parts = [terms.not(zero), a.step(terms, x1, x, -1), a.step(terms, y1, y, 1)];
        trace.push(terms.and(&parts));
    }
    let [x, y] = a.vars(terms, ["x", "y"], steps);
    let end = [a.eq_num(terms, x, 0), terms.ne(y, n)];
    trace.push(terms.and(&end));
    Problem::sequence(format!("down and up, {steps} steps"), &trace)
}

/// A machine with states 0, 1, 2 in a circle; state 3 is an error.
fn state_machine(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let s = a.var(terms, "s", 0);
    let mut trace = vec![a.eq_num(terms, s, 0)];
    for i in 0..steps {
        let (s, s1) = (a.var(terms, "s", i), a.var(terms, "s", i + 1));
        let moves = [(0, 1), (1, 2), (2, 0), (0, 0)].map(|(from, to)| {
            let pair = [a.eq_num(terms, s, from), a.eq_num(terms, s1, to)];
            terms.and(&pair)
        });
        trace.push(terms.or(&moves));
    }
    let s = a.var(terms, "s", steps);
    trace.push(a.ge_num(terms, s, 3));
    Problem::sequence(format!("state machine, {steps} steps"), &trace)
}

/// `if (*) { x++; y++ } else { x += 2; y += 2 }`, then `assert x == y`.
fn branches(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [x, y] = a.vars(terms, ["x", "y"], 0);
    let start = [a.eq_num(terms, x, 0), a.eq_num(terms, y, 0)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..steps {
        let ([x, y], [x1, y1]) = (a.vars(terms, ["x", "y"], i), a.vars(terms, ["x", "y"], i + 1));
        let arms = [1, 2].map(|n| {
            let parts = [a.step(terms, x1, x, n), a.step(terms, y1, y, n)];
            terms.and(&parts)
        });
        trace.push(terms.or(&arms));
    }
    let [x, y] = a.vars(terms, ["x", "y"], steps);
    trace.push(terms.ne(x, y));
    Problem::sequence(format!("branches, {steps} steps"), &trace)
}

/// `do { lock = 1; old = new; if (*) { lock = 0; new++ } } while (new != old); assert lock`.
fn lock(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let mut trace = Vec::new();
    for i in 0..steps {
        let [old, new, held] = a.vars(terms, ["old", "new", "lock"], i + 1);
        let before = a.var(terms, "new", i);
        let arms = {
            let skip = [terms.eq(new, before), a.eq_num(terms, held, 1)];
            let work = [a.step(terms, new, before, 1), a.eq_num(terms, held, 0)];
            [terms.and(&skip), terms.and(&work)]
        };
        let again = if i + 1 < steps { terms.ne(new, old) } else { terms.eq(new, old) };
        let parts = [terms.eq(old, before), terms.or(&arms), again];
        trace.push(terms.and(&parts));
    }
    let held = a.var(terms, "lock", steps);
    trace.push(a.eq_num(terms, held, 0));
    Problem::sequence(format!("lock, {steps} steps"), &trace)
}

fn array(terms: &mut Terms, a: Arithmetic, name: &str, version: usize) -> Term {
    let sort = terms.array_of(a.sort(), a.sort());
    let family = terms.declare(name, sort);
    terms.symbol(family, version as u32)
}

/// `m[0] = 7; i = 1; loop { m[i] = i; i++ } assert m[0] == 7`.
fn array_kept(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let m = array(terms, a, "m", 0);
    let i0 = a.var(terms, "i", 0);
    let zero = a.num(terms, 0);
    let first = terms.select(m, zero);
    let start = [a.eq_num(terms, first, 7), a.eq_num(terms, i0, 1)];
    let mut trace = vec![terms.and(&start)];
    for step in 0..steps {
        let (m, m1) = (array(terms, a, "m", step), array(terms, a, "m", step + 1));
        let (i, i1) = (a.var(terms, "i", step), a.var(terms, "i", step + 1));
        let written = terms.store(m, i, i);
        let parts = [terms.eq(m1, written), a.step(terms, i1, i, 1)];
        trace.push(terms.and(&parts));
    }
    let m = array(terms, a, "m", steps);
    let first = terms.select(m, zero);
    let same = a.eq_num(terms, first, 7);
    trace.push(terms.not(same));
    Problem::sequence(format!("array kept, {steps} steps"), &trace)
}

/// `for (i = 0; i < steps; i++) m[i] = 0; assert m[k] == 0` for `0 <= k < steps`.
fn array_filled(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let i0 = a.var(terms, "i", 0);
    let mut trace = vec![a.eq_num(terms, i0, 0)];
    let zero = a.num(terms, 0);
    for step in 0..steps {
        let (m, m1) = (array(terms, a, "m", step), array(terms, a, "m", step + 1));
        let (i, i1) = (a.var(terms, "i", step), a.var(terms, "i", step + 1));
        let written = terms.store(m, i, zero);
        let parts = [terms.eq(m1, written), a.step(terms, i1, i, 1)];
        trace.push(terms.and(&parts));
    }
    let (m, k, i) = (array(terms, a, "m", steps), a.var(terms, "k", 0), a.var(terms, "i", steps));
    let element = terms.select(m, k);
    let end = [a.ge_num(terms, k, 0), a.lt(terms, k, i), terms.ne(element, zero)];
    trace.push(terms.and(&end));
    Problem::sequence(format!("array filled, {steps} steps"), &trace)
}

/// `y = f(x); loop { z = x; x = z } assert f(x) == y`.
fn function_stays(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let name = if a == Arithmetic::Integers { "f_int" } else { "f_bv" };
    let f = terms.declare_function(name, vec![a.sort()], a.sort());
    let [x, y] = a.vars(terms, ["x", "y"], 0);
    let applied = terms.apply(f, &[x]);
    let mut trace = vec![terms.eq(y, applied)];
    for i in 0..steps {
        let (x, x1) = (a.var(terms, "x", i), a.var(terms, "x", i + 1));
        let z = a.var(terms, "z", i);
        let parts = [terms.eq(z, x), terms.eq(x1, z)];
        trace.push(terms.and(&parts));
    }
    let x = a.var(terms, "x", steps);
    let applied = terms.apply(f, &[x]);
    trace.push(terms.ne(applied, y));
    Problem::sequence(format!("function, {steps} steps"), &trace)
}

/// Two loops, the second undoing the first: `x` counts up with `y`, then `z` counts up while `x` goes down.
fn two_phases(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [x, y, z] = a.vars(terms, ["x", "y", "z"], 0);
    let start = [a.eq_num(terms, x, 0), a.eq_num(terms, y, 0), a.eq_num(terms, z, 0)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..2 * steps {
        let ([x, y, z], [x1, y1, z1]) =
            (a.vars(terms, ["x", "y", "z"], i), a.vars(terms, ["x", "y", "z"], i + 1));
        let parts = if i < steps {
            [a.step(terms, x1, x, 1), a.step(terms, y1, y, 1), terms.eq(z1, z)]
        } else {
            [a.step(terms, x1, x, -1), terms.eq(y1, y), a.step(terms, z1, z, 1)]
        };
        trace.push(terms.and(&parts));
    }
    let [x, y, z] = a.vars(terms, ["x", "y", "z"], 2 * steps);
    let sum = a.add(terms, x, z);
    trace.push(terms.ne(sum, y));
    Problem::sequence(format!("two phases, {steps} steps each"), &trace)
}

/// Boolean flags set one after the other; the last one implies the first.
fn flags(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let family = terms.declare("flag", Sort::Bool);
    let x = a.var(terms, "x", 0);
    let positive = a.ge_num(terms, x, 1);
    let first = terms.symbol(family, 0);
    let mut trace = vec![terms.iff(first, positive)];
    for i in 0..steps {
        let (flag, next) = (terms.symbol(family, i as u32), terms.symbol(family, i as u32 + 1));
        let (x, x1) = (a.var(terms, "x", i), a.var(terms, "x", i + 1));
        let parts = [terms.implies(next, flag), terms.eq(x1, x)];
        trace.push(terms.and(&parts));
    }
    let (last, x) = (terms.symbol(family, steps as u32), a.var(terms, "x", steps));
    let end = [last, a.le_num(terms, x, 0)];
    trace.push(terms.and(&end));
    Problem::sequence(format!("flags, {steps} steps"), &trace)
}

/// What only bit-vectors can say: unsigned beside signed, masks, shifts, widths.
pub(crate) fn only_bit_vectors(terms: &mut Terms) -> Vec<Problem> {
    let a = Arithmetic::BitVectors;
    let mut all = Vec::new();
    for steps in [2, 6] {
        all.push(signed_and_unsigned(terms, a, steps));
        all.push(mask(terms, a, steps));
        all.push(narrow_counter(terms, steps));
    }
    all.push(shift(terms, a, 4));
    all
}

/// A signed counter goes down from a non-negative value beside an unsigned copy; both must stay equal and
/// small.
fn signed_and_unsigned(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let [s, u] = a.vars(terms, ["s", "u"], 0);
    let start = [a.ge_num(terms, s, 0), a.le_num(terms, s, 1000), terms.eq(u, s)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..steps {
        let ([s, u], [s1, u1]) = (a.vars(terms, ["s", "u"], i), a.vars(terms, ["s", "u"], i + 1));
        let parts = [a.ge_num(terms, s, 1), a.step(terms, s1, s, -1), a.step(terms, u1, u, -1)];
        trace.push(terms.and(&parts));
    }
    let [_, u] = a.vars(terms, ["s", "u"], steps);
    let limit = terms.bv(32, 1000);
    trace.push(terms.bv_ugt(u, limit));
    Problem::sequence(format!("signed and unsigned, {steps} steps"), &trace)
}

/// `f = 4; loop f |= 1 << i` never clears bit 2.
fn mask(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let f = a.var(terms, "f", 0);
    let mut trace = vec![a.eq_num(terms, f, 4)];
    for i in 0..steps {
        let (f, f1) = (a.var(terms, "f", i), a.var(terms, "f", i + 1));
        let c = a.var(terms, "c", i);
        let with = terms.bv_or(f, c);
        trace.push(terms.eq(f1, with));
    }
    let f = a.var(terms, "f", steps);
    let bit = a.num(terms, 4);
    let masked = terms.bv_and(f, bit);
    trace.push(a.eq_num(terms, masked, 0));
    Problem::sequence(format!("mask, {steps} steps"), &trace)
}

/// A byte counts beside a word and is compared after widening; no wrap-around within the bound.
fn narrow_counter(terms: &mut Terms, steps: usize) -> Problem {
    let a = Arithmetic::BitVectors;
    let byte = |terms: &mut Terms, version: usize| {
        let family = terms.declare("b", Sort::Bv(8));
        terms.symbol(family, version as u32)
    };
    let (b, w) = (byte(terms, 0), a.var(terms, "w", 0));
    let zero = terms.bv(8, 0);
    let start = [terms.eq(b, zero), a.eq_num(terms, w, 0)];
    let mut trace = vec![terms.and(&start)];
    for i in 0..steps {
        let (b, b1) = (byte(terms, i), byte(terms, i + 1));
        let (w, w1) = (a.var(terms, "w", i), a.var(terms, "w", i + 1));
        let one = terms.bv(8, 1);
        let next = terms.bv_add(b, one);
        let parts = [a.le_num(terms, w, 100), terms.eq(b1, next), a.step(terms, w1, w, 1)];
        trace.push(terms.and(&parts));
    }
    let (b, w) = (byte(terms, steps), a.var(terms, "w", steps));
    let wide = terms.bv_zero_extend(b, 32);
    trace.push(terms.ne(wide, w));
    Problem::sequence(format!("narrow counter, {steps} steps"), &trace)
}

/// `x = 1; loop x <<= 1` stays even after the first round.
fn shift(terms: &mut Terms, a: Arithmetic, steps: usize) -> Problem {
    let x = a.var(terms, "x", 0);
    let mut trace = vec![Terms::TRUE; 0];
    let one = a.num(terms, 1);
    trace.push(terms.eq(x, one));
    for i in 0..steps {
        let (x, x1) = (a.var(terms, "x", i), a.var(terms, "x", i + 1));
        let shifted = terms.bv_shl(x, one);
        trace.push(terms.eq(x1, shifted));
    }
    let x = a.var(terms, "x", steps);
    trace.push(a.is_odd(terms, x));
    Problem::sequence(format!("shift, {steps} steps"), &trace)
}
