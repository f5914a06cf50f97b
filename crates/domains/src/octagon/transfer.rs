//! Effects of edges, calls and returns on octagons.
//!
//! Expressions are sums of multiples of variables, as long as no operation in them can leave its type. If an
//! octagon knows too little about the operands, it knows nothing about the result.

use super::matrix::{Constraint, Name, Octagon};
use super::{Octagons, State, limits};
use crate::relational::{is_comparison, is_whole, variable, written_by_call};
use std::rc::Rc;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, UnaryOp, VarId};
use summa_cfa::syntax::whole_variable;
use summa_cfa::{EdgeId, Op};

/// Sums with more terms are not followed.
const MAX_TERMS: usize = 8;
/// Larger factors and constants are not followed.
const MAX_NUMBER: i128 = 1 << 70;

/// Σ cᵢ·xᵢ + constant, with coefficients that are not zero; variables ascend.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sum {
    terms: Vec<(Name, i128)>,
    constant: i128,
}

impl Sum {
    fn number(constant: i128) -> Self {
        Self { terms: Vec::new(), constant }
    }

    fn variable(name: Name) -> Self {
        Self { terms: vec![(name, 1)], constant: 0 }
    }

    fn plus(&self, factor: i128, other: &Self) -> Option<Self> {
        let mut sum = self.clone();
        sum.constant = sum.constant.checked_add(factor.checked_mul(other.constant)?)?;
        for &(name, c) in &other.terms {
            let c = c.checked_mul(factor)?;
            match sum.terms.binary_search_by_key(&name, |term| term.0) {
                Ok(at) => sum.terms[at].1 = sum.terms[at].1.checked_add(c)?,
                Err(at) => sum.terms.insert(at, (name, c)),
            }
        }
        sum.terms.retain(|&(_, c)| c != 0);
        let is_small = sum.terms.iter().map(|&(_, c)| c).chain([sum.constant]).all(|c| c.abs() <= MAX_NUMBER);
        (is_small && sum.terms.len() <= MAX_TERMS).then_some(sum)
    }

    fn as_number(&self) -> Option<i128> {
        self.terms.is_empty().then_some(self.constant)
    }

    /// The terms, if each is a variable or its negation and there are at most two.
    fn octagonal(&self) -> Option<Vec<(Name, bool)>> {
        let term = |&(name, c): &(Name, i128)| (c.abs() == 1).then_some((name, c < 0));
        if self.terms.is_empty() || self.terms.len() > 2 {
            return None;
        }
        self.terms.iter().map(term).collect()
    }
}

enum Task {
    Evaluate(ExprId),
    /// The operands are on the stack of values.
    Apply(ExprId),
}

impl Octagons<'_> {
    /// An edge that is no call of a function with an automaton; None if it cannot be passed.
    pub(super) fn edge(&self, state: &State, edge: EdgeId) -> Option<State> {
        let octagon = match self.cfa.edges[edge].op {
            Op::Skip | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {
                return Some(state.clone());
            }
            Op::Assign { place, value } => {
                let sum = self.sum(&state.octagon, value).filter(|_| is_whole(&self.cfa.program, place));
                self.assign(&state.octagon, variable(&self.cfa.program, place), sum)
            }
            Op::Zero { place } => {
                let sum = is_whole(&self.cfa.program, place).then(|| Sum::number(0));
                self.assign(&state.octagon, variable(&self.cfa.program, place), sum)
            }
            Op::Havoc { place, .. } => self.assign(&state.octagon, variable(&self.cfa.program, place), None),
            Op::Assume { condition, truth, .. } => self.assume(&state.octagon, condition, truth)?,
            Op::Declare { var } | Op::Dead { var } => self.assign(&state.octagon, Some(var), None),
            Op::Return { value } => {
                let function = self.cfa.nodes[self.cfa.edges[edge].from].function;
                let result = self.cfa.program.functions[function].result;
                let sum = value.and_then(|value| self.sum(&state.octagon, value));
                self.assign(&state.octagon, result, sum)
            }
            Op::Library { .. } | Op::External { .. } => {
                let mut next = (*state.octagon).clone();
                for var in written_by_call(&self.cfa.program, self.facts, edge) {
                    next = self.assign(&next, Some(var), None);
                }
                next
            }
            // A call always has an automaton here. Otherwise nothing is known about its effect.
            Op::Call { .. } => Octagon::default(),
        };
        Some(State { octagon: Rc::new(octagon), ..state.clone() })
    }

    /// The variable becomes the sum, or anything.
    fn assign(&self, octagon: &Octagon, var: Option<VarId>, sum: Option<Sum>) -> Octagon {
        let Some(var) = var.filter(|&var| self.counted.contains(var)) else { return octagon.clone() };
        self.put(octagon, Name::Now(var), sum)
    }

    fn put(&self, octagon: &Octagon, name: Name, sum: Option<Sum>) -> Octagon {
        let others = || octagon.without(|known| known == name);
        let Some(sum) = sum else { return others() };
        if sum.terms == [(name, 1)] {
            return octagon.shifted(name, sum.constant);
        }
        let mut constraints = Vec::new();
        // `name` minus a part of the sum equals the rest of the sum. The part is empty, or a variable that
        // stays.
        let parts = sum.terms.iter().filter(|&&(part, c)| part != name && c.abs() == 1);
        let parts: Vec<(Name, i128)> = parts.copied().collect();
        for part in std::iter::once(None).chain(parts.into_iter().map(Some)) {
            let rest = match part {
                None => Some(sum.clone()),
                Some((of, c)) => sum.plus(-c, &Sum::variable(of)),
            };
            let Some((lower, upper)) = rest.and_then(|rest| self.range(octagon, &rest)) else { continue };
            let with = |is_negative: bool, bound: i128| {
                let mut terms = vec![(name, is_negative)];
                terms.extend(part.map(|(of, c)| (of, (c > 0) != is_negative)));
                Constraint { terms, bound }
            };
            constraints.extend([with(false, upper), with(true, -lower)]);
        }
        // The old value of the variable is gone, whatever was known of it.
        let others = others();
        others.and(&constraints).unwrap_or(others)
    }

    /// The least and the greatest value of a sum.
    pub(super) fn range(&self, octagon: &Octagon, sum: &Sum) -> Option<(i128, i128)> {
        let (mut lower, mut upper) = (sum.constant, sum.constant);
        for &(name, c) in &sum.terms {
            let (Name::Now(var) | Name::Next(var)) = name;
            let (least, most) = limits(self.cfa, self.cfa.program.vars[var].ty)?;
            let most = octagon.bound(&[(name, false)]).map_or(most, |bound| bound.min(most));
            let least = octagon.bound(&[(name, true)]).map_or(least, |bound| least.max(-bound));
            let (a, b) = (c.checked_mul(least)?, c.checked_mul(most)?);
            (lower, upper) = (lower.checked_add(a.min(b))?, upper.checked_add(a.max(b))?);
        }
        if let Some(terms) = sum.octagonal() {
            let opposite: Vec<(Name, bool)> = terms.iter().map(|&(name, minus)| (name, !minus)).collect();
            let bound = |terms: &[(Name, bool)]| octagon.bound(terms);
            upper = bound(&terms).map_or(upper, |bound| upper.min(bound + sum.constant));
            lower = bound(&opposite).map_or(lower, |bound| lower.max(sum.constant - bound));
        }
        Some((lower, upper))
    }

    // ---- conditions ----

    fn assume(&self, octagon: &Octagon, mut condition: ExprId, mut truth: bool) -> Option<Octagon> {
        let exprs = &self.cfa.program.exprs;
        loop {
            match exprs.expr(condition).kind {
                ExprKind::Cast(inner) if is_comparison(&self.cfa.program, inner) => condition = inner,
                // `!(a < b)` is `(a < b) == 0`.
                ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b)
                    if exprs.as_int(b) == Some(0) && is_comparison(&self.cfa.program, a) =>
                {
                    (condition, truth) = (a, truth != (op == BinaryOp::Eq));
                }
                ExprKind::Binary(op, a, b) if op.is_comparison() => {
                    let sums = self.sum(octagon, a).zip(self.sum(octagon, b));
                    let Some(difference) = sums.and_then(|(a, b)| a.plus(-1, &b)) else {
                        return Some(octagon.clone());
                    };
                    return self.compare(octagon, op, truth, &difference);
                }
                _ => {
                    let Some(sum) = self.sum(octagon, condition) else { return Some(octagon.clone()) };
                    return self.compare(octagon, BinaryOp::Ne, truth, &sum);
                }
            }
        }
    }

    /// Compares a sum with 0.
    fn compare(&self, octagon: &Octagon, op: BinaryOp, truth: bool, sum: &Sum) -> Option<Octagon> {
        let opposite = Sum::default().plus(-1, sum)?;
        match (op, truth) {
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => self.at_most(octagon, sum, -1),
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => self.at_most(octagon, sum, 0),
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => self.at_most(octagon, &opposite, -1),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => self.at_most(octagon, &opposite, 0),
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => {
                self.at_most(&self.at_most(octagon, sum, 0)?, &opposite, 0)
            }
            (BinaryOp::Ne, true) | (BinaryOp::Eq, false) => match self.range(octagon, sum) {
                Some((0, 0)) => None,
                Some((0, _)) => self.at_most(octagon, &opposite, -1),
                Some((_, 0)) => self.at_most(octagon, sum, -1),
                _ => Some(octagon.clone()),
            },
            _ => Some(octagon.clone()),
        }
    }

    /// The octagon with the constraint that the sum is at most the bound; None if that never holds.
    fn at_most(&self, octagon: &Octagon, sum: &Sum, bound: i128) -> Option<Octagon> {
        if self.range(octagon, sum).is_some_and(|(lower, _)| lower > bound) {
            return None;
        }
        let bound = bound.checked_sub(sum.constant)?;
        let constraint = match sum.terms[..] {
            // c·x ≤ bound
            [(name, c)] if c > 0 => Constraint { terms: vec![(name, false)], bound: bound.div_euclid(c) },
            [(name, c)] => Constraint { terms: vec![(name, true)], bound: bound.div_euclid(-c) },
            _ => match sum.octagonal() {
                Some(terms) => Constraint { terms, bound },
                None => return Some(octagon.clone()),
            },
        };
        octagon.and([&constraint])
    }

    // ---- calls ----

    /// From before a call to the entry of the callee.
    pub(super) fn enter(&self, state: &State, callee: FuncId, args: &[ExprId]) -> Option<State> {
        let program = &self.cfa.program;
        let mut octagon = (*state.octagon).clone();
        for (&param, &arg) in program.functions[callee].params.iter().zip(args) {
            let is_typed = program.exprs.type_of(arg) == program.vars[param].ty;
            if is_typed && self.counted.contains(param) {
                let sum = self.sum(&octagon, arg);
                octagon = self.put(&octagon, Name::Next(param), sum);
            }
        }
        let mut waiting = state.waiting.clone();
        if self.facts.calls.is_recursive(callee) {
            let own = octagon.without(|name| !self.is_in_frame(name, callee));
            Rc::make_mut(&mut waiting).push(own);
        }
        let octagon = octagon.without(|name| self.is_in_frame(name, callee));
        Some(State { octagon: Rc::new(arrived(&octagon)), waiting, ..state.clone() })
    }

    /// From the exit of the callee to the location after the call.
    pub(super) fn leave(&self, state: &State, callee: FuncId, result: Option<PlaceId>) -> Option<State> {
        let program = &self.cfa.program;
        let written = result.and_then(|place| variable(&self.cfa.program, place));
        let written = written.filter(|&var| self.counted.contains(var));
        let returned = program.functions[callee].result.filter(|&var| self.counted.contains(var));
        let mut octagon = (*state.octagon).clone();
        if let (Some(var), Some(returned), Some(place)) = (written, returned, result)
            && program.vars[var].ty == program.vars[returned].ty
            && is_whole(&self.cfa.program, place)
        {
            octagon = self.put(&octagon, Name::Next(var), Some(Sum::variable(Name::Now(returned))));
        }
        octagon = octagon.without(|name| self.is_in_frame(name, callee));
        let mut waiting = state.waiting.clone();
        if self.facts.calls.is_recursive(callee) {
            // The variables of the calling activation, to which no pointer leads. Without a known call,
            // nothing is known about them.
            if let Some(own) = Rc::make_mut(&mut waiting).pop() {
                octagon = octagon.meet(&own)?;
            }
        }
        let octagon = octagon.without(|name| written.is_some_and(|var| name == Name::Now(var)));
        Some(State { octagon: Rc::new(arrived(&octagon)), waiting, ..state.clone() })
    }

    // ---- expressions ----

    /// The value of an integer expression as a sum, if it is one in all states of the octagon.
    pub(super) fn sum(&self, octagon: &Octagon, expr: ExprId) -> Option<Sum> {
        let exprs = &self.cfa.program.exprs;
        // Explicit stacks: expressions nest as deep as the source is long.
        let (mut tasks, mut sums): (Vec<Task>, Vec<Sum>) = (vec![Task::Evaluate(expr)], Vec::new());
        while let Some(task) = tasks.pop() {
            match task {
                Task::Evaluate(id) => match exprs.expr(id).kind {
                    ExprKind::Int(value) => sums.push(Sum::number(value)),
                    ExprKind::Load(place) => {
                        let var =
                            whole_variable(exprs, place).filter(|_| is_whole(&self.cfa.program, place))?;
                        let var = Some(var).filter(|&var| self.counted.contains(var))?;
                        sums.push(Sum::variable(Name::Now(var)));
                    }
                    ExprKind::Unary(UnaryOp::Neg, a) | ExprKind::Cast(a) => {
                        tasks.extend([Task::Apply(id), Task::Evaluate(a)]);
                    }
                    ExprKind::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul, a, b) => {
                        tasks.extend([Task::Apply(id), Task::Evaluate(b), Task::Evaluate(a)]);
                    }
                    _ => return None,
                },
                Task::Apply(id) => {
                    let sum = self.apply(id, &mut sums)?;
                    let (least, most) = limits(self.cfa, exprs.type_of(id))?;
                    let (lower, upper) = self.range(octagon, &sum)?;
                    sums.push(Some(sum).filter(|_| least <= lower && upper <= most)?);
                }
            }
        }
        sums.pop().filter(|_| limits(self.cfa, exprs.type_of(expr)).is_some())
    }

    /// Takes the operands of the expression from the stack; the result is that of numbers without limits.
    fn apply(&self, id: ExprId, sums: &mut Vec<Sum>) -> Option<Sum> {
        match self.cfa.program.exprs.expr(id).kind {
            ExprKind::Cast(_) => sums.pop(),
            ExprKind::Unary(..) => Sum::default().plus(-1, &sums.pop()?),
            ExprKind::Binary(op, ..) => {
                let (b, a) = (sums.pop()?, sums.pop()?);
                match (op, a.as_number(), b.as_number()) {
                    (BinaryOp::Add, ..) => a.plus(1, &b),
                    (BinaryOp::Sub, ..) => a.plus(-1, &b),
                    (BinaryOp::Mul, Some(factor), _) => Sum::default().plus(factor, &b),
                    (BinaryOp::Mul, _, Some(factor)) => Sum::default().plus(factor, &a),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// What was on the way is there.
fn arrived(octagon: &Octagon) -> Octagon {
    octagon.rename(|name| match name {
        Name::Next(var) | Name::Now(var) => Name::Now(var),
    })
}
