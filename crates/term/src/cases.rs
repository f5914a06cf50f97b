//! Operators on a choice: if conditions choose one of a few constants, the result is the same choice among
//! the results.
//!
//! Solvers unfold floating-point operators into thousands of bits, but results for constants are known. A
//! look-up in a table of constants is such a choice, so a function of it becomes a table too. Choices by the
//! same condition are combined, so an operator on two of them has no more cases than each has. An element of
//! an array of constants is such a choice too.
//!
//! Limit: [`LIMIT`] cases.

use crate::kind::Op;
use crate::store::{Term, Terms};

/// Cases of one operator.
const LIMIT: usize = 48;

impl Terms {
    /// Is this a constant, or a choice among a few?
    pub fn is_choice_of_constants(&self, term: Term) -> bool {
        let (mut stack, mut leaves) = (vec![term], 0);
        while let Some(term) = stack.pop() {
            match self.args_of(term, Op::Ite) {
                Some([_, a, b]) => stack.extend([a, b]),
                None if self.is_constant(term) => leaves += 1,
                None => match self.table(term) {
                    Some((_, rows, _)) => leaves += rows.len() + 1,
                    None => return false,
                },
            }
            if leaves + stack.len() > LIMIT {
                return false;
            }
        }
        true
    }

    /// The result of `build` on choices of constants, as a choice of its results on constants. `None`: these
    /// are no such choices, or `build` has no result on one of them.
    pub fn by_cases(
        &mut self,
        args: &[Term],
        build: &mut dyn FnMut(&mut Self, &[Term]) -> Option<Term>,
    ) -> Option<Term> {
        if args.iter().all(|&arg| self.is_constant(arg))
            || !args.iter().all(|&arg| self.is_choice_of_constants(arg))
        {
            return None;
        }
        let mut left = LIMIT;
        self.split_cases(args, build, &mut left)
    }

    /// Nested as deep as the choices are, which have at most [`LIMIT`] leaves each.
    fn split_cases(
        &mut self,
        args: &[Term],
        build: &mut dyn FnMut(&mut Self, &[Term]) -> Option<Term>,
        left: &mut usize,
    ) -> Option<Term> {
        let args: Vec<Term> = args.iter().map(|&arg| self.looked_up(arg)).collect();
        let args = args.as_slice();
        let Some([condition, ..]) = args.iter().find_map(|&arg| self.args_of::<3>(arg, Op::Ite)) else {
            *left = left.checked_sub(1)?;
            return build(self, args);
        };
        let side = |truth: bool| -> Vec<Term> {
            args.iter().map(|&arg| self.chosen(arg, condition, truth)).collect()
        };
        let (yes, no) = (side(true), side(false));
        let yes = self.split_cases(&yes, build, left)?;
        let no = self.split_cases(&no, build, left)?;
        Some(self.ite(condition, yes, no))
    }

    /// An element of an array that holds constants only, written at constant indices, the last ones first:
    /// the index, what is written, and what is everywhere else.
    #[expect(clippy::type_complexity, reason = "the parts have their names in the line above")]
    fn table(&self, term: Term) -> Option<(Term, Vec<(Term, Term)>, Term)> {
        let [mut array, index] = self.args_of(term, Op::Select)?;
        let mut rows: Vec<(Term, Term)> = Vec::new();
        while let Some([inner, at, value]) = self.args_of::<3>(array, Op::Store) {
            if !self.is_constant(at) || !self.is_constant(value) || rows.len() >= LIMIT {
                return None;
            }
            rows.push((at, value));
            array = inner;
        }
        let [rest] = self.args_of(array, Op::ConstArray)?;
        self.is_constant(rest).then_some((index, rows, rest))
    }

    /// The element of such an array as a choice; any other term as it is.
    fn looked_up(&mut self, term: Term) -> Term {
        let Some((index, rows, rest)) = self.table(term) else { return term };
        let mut choice = rest;
        for (at, value) in rows.into_iter().rev() {
            let is_here = self.eq(index, at);
            choice = self.ite(is_here, value, choice);
        }
        choice
    }

    /// What a choice is where the condition is true, or false.
    fn chosen(&self, mut term: Term, condition: Term, truth: bool) -> Term {
        while let Some([c, a, b]) = self.args_of(term, Op::Ite)
            && c == condition
        {
            term = if truth { a } else { b };
        }
        term
    }
}

#[cfg(test)]
mod tests {
    use crate::sort::{FloatSort, Sort};
    use crate::store::Terms;

    #[test]
    fn functions_of_a_table_are_tables() {
        let mut terms = Terms::default();
        let symbol = |terms: &mut Terms, name: &str, sort| {
            let name = terms.declare(name, sort);
            terms.symbol(name, 0)
        };
        let [c, d] = ["c", "d"].map(|name| symbol(&mut terms, name, Sort::Bool));
        let number = |terms: &mut Terms, x: f64| terms.float(FloatSort::F64, u128::from(x.to_bits()));
        let [two, four, nine] = [2.0, 4.0, 9.0].map(|x| number(&mut terms, x));
        let rest = terms.ite(d, four, nine);
        let table = terms.ite(c, two, rest);
        let square = terms.float_mul(table, table);
        let root = terms.float_sqrt(square);
        assert_eq!(root, table);
        assert!(terms.is_choice_of_constants(square));
        let x = symbol(&mut terms, "x", Sort::Float(FloatSort::F64));
        let open = terms.ite(c, two, x);
        assert!(!terms.is_choice_of_constants(open));
    }
}
