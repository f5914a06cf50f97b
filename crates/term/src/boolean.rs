//! Builders of boolean terms, equality and conditionals.
//!
//! Conjunctions and disjunctions are sorted and have no duplicates; complements and absorbed members go. A
//! nested one is flattened only if it is short: building a long one member by member must not be quadratic.
//! Comparisons of integers and bit-vectors are never under a negation: `not(a <= b)` is `b < a`. A comparison
//! of `ite(c, 1, 0)` with a constant is a boolean combination of `c`: that is what C's truth values become.

use crate::kind::{Kind, Op};
use crate::sort::Sort;
use crate::store::{Term, Terms};

/// A nested conjunction longer than this stays nested.
const FLATTEN_LIMIT: usize = 16;
/// A comparison is pushed through at most this many conditionals, one below the other.
const CONDITIONAL_DEPTH_LIMIT: u32 = 48;
/// A comparison is pushed into both branches only if there are at most this many leaves, all constants but
/// one.
const CONSTANT_LEAVES_LIMIT: usize = 64;

impl Terms {
    pub fn bool(&self, value: bool) -> Term {
        if value { Self::TRUE } else { Self::FALSE }
    }

    /// The value of a boolean constant.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match term {
            Self::TRUE => Some(true),
            Self::FALSE => Some(false),
            _ => None,
        }
    }

    #[track_caller]
    pub(crate) fn expect_sort(&self, term: Term, sort: Sort, what: &str) {
        assert!(self.sort(term) == sort, "{what} wants {sort:?}, not {:?}", self.sort(term));
    }

    #[track_caller]
    pub(crate) fn expect_same_sort(&self, a: Term, b: Term, what: &str) -> Sort {
        let (left, right) = (self.sort(a), self.sort(b));
        assert!(left == right, "{what} wants one sort, not {left:?} and {right:?}");
        left
    }

    pub fn not(&mut self, a: Term) -> Term {
        self.expect_sort(a, Sort::Bool, "not");
        match *self.kind(a) {
            Kind::True => return Self::FALSE,
            Kind::False => return Self::TRUE,
            Kind::App(Op::Not, ref args) => return args[0],
            Kind::App(op @ (Op::Le | Op::Lt | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle), ref args) => {
                let (x, y) = (args[0], args[1]);
                if let Some(&known) = self.negations.get(&a) {
                    return known;
                }
                // What was not pushed into conditionals is not pushed when negated: complements must have one
                // shape.
                let depth = std::mem::replace(&mut self.conditional_depth, CONDITIONAL_DEPTH_LIMIT);
                let negation = match op {
                    Op::Le => self.lt(y, x),
                    Op::Lt => self.le(y, x),
                    Op::BvUlt => self.bv_ule(y, x),
                    Op::BvUle => self.bv_ult(y, x),
                    Op::BvSlt => self.bv_sle(y, x),
                    _ => self.bv_slt(y, x),
                };
                self.conditional_depth = depth;
                self.negations.insert(a, negation);
                self.negations.insert(negation, a);
                return negation;
            }
            _ => {}
        }
        self.app(Op::Not, &[a], Sort::Bool)
    }

    pub fn and(&mut self, args: &[Term]) -> Term {
        self.junction(Op::And, args)
    }

    pub fn and2(&mut self, a: Term, b: Term) -> Term {
        self.junction(Op::And, &[a, b])
    }

    pub fn or(&mut self, args: &[Term]) -> Term {
        self.junction(Op::Or, args)
    }

    pub fn or2(&mut self, a: Term, b: Term) -> Term {
        self.junction(Op::Or, &[a, b])
    }

    pub fn implies(&mut self, a: Term, b: Term) -> Term {
        let not_a = self.not(a);
        self.or2(not_a, b)
    }

    pub fn iff(&mut self, a: Term, b: Term) -> Term {
        self.expect_sort(a, Sort::Bool, "iff");
        self.eq(a, b)
    }

    /// Conjunction and disjunction: `neutral` members go, an `absorbing` one decides.
    fn junction(&mut self, op: Op, args: &[Term]) -> Term {
        let (neutral, absorbing, dual) = match op {
            Op::And => (Self::TRUE, Self::FALSE, Op::Or),
            _ => (Self::FALSE, Self::TRUE, Op::And),
        };
        let mut members = Vec::with_capacity(args.len() + FLATTEN_LIMIT);
        for &arg in args {
            self.expect_sort(arg, Sort::Bool, "and/or");
            match self.kind(arg) {
                _ if arg == absorbing => return absorbing,
                _ if arg == neutral => {}
                Kind::App(o, inner) if *o == op && inner.len() <= FLATTEN_LIMIT => {
                    members.extend_from_slice(inner);
                }
                _ => members.push(arg),
            }
        }
        members.sort_unstable();
        members.dedup();
        match members[..] {
            [] => return neutral,
            [only] => return only,
            _ => {}
        }
        if self.has_complements(&members) {
            return absorbing;
        }
        self.absorb(dual, &mut members);
        match members[..] {
            [only] => only,
            _ => self.app(op, &members, Sort::Bool),
        }
    }

    /// Do the sorted members hold some `a` and its negation? Comparisons in long lists are not looked at.
    fn has_complements(&mut self, members: &[Term]) -> bool {
        for &member in members {
            let negation = match self.kind(member) {
                Kind::App(Op::Not, args) => args[0],
                _ if members.len() <= FLATTEN_LIMIT + 1 && self.is_comparison(member) => self.not(member),
                _ => continue,
            };
            if members.binary_search(&negation).is_ok() {
                return true;
            }
        }
        false
    }

    fn are_complements(&mut self, a: Term, b: Term) -> bool {
        self.args_of(a, Op::Not) == Some([b])
            || self.args_of(b, Op::Not) == Some([a])
            || self.is_comparison(a) && self.is_comparison(b) && self.not(a) == b
    }

    /// An order whose negation is an order again.
    fn is_comparison(&self, term: Term) -> bool {
        let Kind::App(op, _) = self.kind(term) else { return false };
        matches!(op, Op::Le | Op::Lt | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle)
    }

    /// `a ∧ (a ∨ b)` is `a`: drops members that apply the dual operator to another member.
    fn absorb(&self, dual: Op, members: &mut Vec<Term>) {
        let absorbed = |member: Term, members: &[Term]| match self.kind(member) {
            Kind::App(op, inner) if *op == dual && inner.len() <= FLATTEN_LIMIT => {
                inner.iter().any(|part| members.binary_search(part).is_ok())
            }
            _ => false,
        };
        if members.iter().any(|&member| absorbed(member, members)) {
            // A part that applies the dual operator itself is too long to be dropped: so no member is dropped
            // because of one that is dropped too, and one pass over the original list is right.
            let kept = members.iter().copied().filter(|&member| !absorbed(member, members)).collect();
            *members = kept;
        }
    }

    /// `if c then a else b`, of any sort.
    pub fn ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        self.expect_sort(c, Sort::Bool, "the condition of ite");
        let sort = self.expect_same_sort(a, b, "ite");
        let (mut c, mut a, mut b) = (c, a, b);
        if let Some([inner]) = self.args_of(c, Op::Not) {
            c = inner;
            std::mem::swap(&mut a, &mut b);
        }
        if c == Self::TRUE || a == b {
            return a;
        }
        if c == Self::FALSE {
            return b;
        }
        if let Some([d, x, _]) = self.args_of(a, Op::Ite)
            && d == c
        {
            return self.ite(c, x, b);
        }
        if let Some([d, _, y]) = self.args_of(b, Op::Ite)
            && d == c
        {
            return self.ite(c, a, y);
        }
        if sort == Sort::Bool {
            return self.boolean_ite(c, a, b);
        }
        // The same value in the next branch: one condition.
        if let Some([d, x, y]) = self.args_of(b, Op::Ite) {
            if x == a {
                let either = self.or2(c, d);
                return self.ite(either, a, y);
            }
            if y == a {
                let not_d = self.not(d);
                let either = self.or2(c, not_d);
                return self.ite(either, a, x);
            }
        }
        if let Some([d, x, y]) = self.args_of(a, Op::Ite) {
            if y == b {
                let both = self.and2(c, d);
                return self.ite(both, x, b);
            }
            if x == b {
                let not_d = self.not(d);
                let both = self.and2(c, not_d);
                return self.ite(both, y, b);
            }
        }
        self.app(Op::Ite, &[c, a, b], sort)
    }

    fn boolean_ite(&mut self, c: Term, a: Term, b: Term) -> Term {
        if a == Self::TRUE || a == c {
            return self.or2(c, b);
        }
        if b == Self::FALSE || b == c {
            return self.and2(c, a);
        }
        if a == Self::FALSE || self.are_complements(a, c) {
            let not_c = self.not(c);
            return self.and2(not_c, b);
        }
        if b == Self::TRUE || self.are_complements(b, c) {
            let not_c = self.not(c);
            return self.or2(not_c, a);
        }
        if self.are_complements(a, b) {
            return self.eq(c, a);
        }
        self.app(Op::Ite, &[c, a, b], Sort::Bool)
    }

    /// Equality of two terms of one sort. On floats it is identity, see [`Terms::float_eq`] for C's `==`.
    pub fn eq(&mut self, a: Term, b: Term) -> Term {
        let sort = self.expect_same_sort(a, b, "=");
        if a == b {
            return Self::TRUE;
        }
        if self.is_constant(a) && self.is_constant(b) {
            return Self::FALSE;
        }
        match sort {
            Sort::Bool => self.eq_bool(a, b),
            Sort::Int => self.eq_int(a, b),
            Sort::Bv(_) => self.eq_bv(a, b),
            Sort::Float(_) | Sort::Array(_) => {
                let (a, b) = if self.is_constant(a) { (b, a) } else { (a, b) };
                if self.is_constant(b)
                    && let Some(pushed) = self.push_comparison(a, |terms, leaf| terms.eq(leaf, b))
                {
                    return pushed;
                }
                self.app(Op::Eq, &[a.min(b), a.max(b)], Sort::Bool)
            }
        }
    }

    pub fn ne(&mut self, a: Term, b: Term) -> Term {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    /// All different from each other.
    pub fn distinct(&mut self, args: &[Term]) -> Term {
        let mut members = Vec::with_capacity(args.len() * args.len().saturating_sub(1) / 2);
        for (i, &a) in args.iter().enumerate() {
            for &b in &args[i + 1..] {
                members.push(self.ne(a, b));
            }
        }
        self.and(&members)
    }

    fn eq_bool(&mut self, a: Term, b: Term) -> Term {
        for (x, y) in [(a, b), (b, a)] {
            if x == Self::TRUE {
                return y;
            }
            if x == Self::FALSE {
                return self.not(y);
            }
        }
        // Negations move out, so that `a = ¬b` and `¬(a = b)` are one term.
        let (mut x, mut y, mut negated) = (a, b, false);
        for side in [&mut x, &mut y] {
            if let Some([inner]) = self.args_of(*side, Op::Not) {
                *side = inner;
                negated = !negated;
            }
        }
        let result = if x == y {
            Self::TRUE
        } else if self.are_complements(x, y) {
            Self::FALSE
        } else {
            self.app(Op::Eq, &[x.min(y), x.max(y)], Sort::Bool)
        };
        if negated { self.not(result) } else { result }
    }

    /// `compare(ite(c, a, b))` as `ite(c, compare(a), compare(b))` where this does not make the term larger:
    /// a branch is a constant, or the whole is a small tree of constants. `compare` must turn constants into
    /// constants.
    pub(crate) fn push_comparison(
        &mut self,
        term: Term,
        mut compare: impl FnMut(&mut Self, Term) -> Term,
    ) -> Option<Term> {
        let [c, a, b] = self.args_of(term, Op::Ite)?;
        let small = self.is_constant(a) || self.is_constant(b) || self.has_mostly_constant_leaves(term);
        if !small || self.conditional_depth >= CONDITIONAL_DEPTH_LIMIT {
            return None;
        }
        self.conditional_depth += 1;
        let (then, otherwise) = (compare(self, a), compare(self, b));
        self.conditional_depth -= 1;
        Some(self.ite(c, then, otherwise))
    }

    /// All leaves are constants but one, which may occur often: what a variable is after a join that mostly
    /// sets it.
    fn has_mostly_constant_leaves(&self, term: Term) -> bool {
        let (mut todo, mut leaves, mut other) = (vec![term], 0, None);
        while let Some(next) = todo.pop() {
            if let Some([_, a, b]) = self.args_of(next, Op::Ite) {
                todo.extend([a, b]);
            } else {
                leaves += 1;
                if !self.is_constant(next) && *other.get_or_insert(next) != next {
                    return false;
                }
            }
            if leaves + todo.len() > CONSTANT_LEAVES_LIMIT {
                return false;
            }
        }
        true
    }

    /// Condition and the two constants of a conditional between constants.
    pub(crate) fn as_constant_ite(&self, term: Term) -> Option<(Term, Term, Term)> {
        let [c, a, b] = self.args_of(term, Op::Ite)?;
        (self.is_constant(a) && self.is_constant(b)).then_some((c, a, b))
    }
}
