//! Effects of edges, calls and returns on equations.

use super::{Linear, State};
use crate::relational::{is_comparison, is_whole, variable, written_by_call};
use crate::says::equations::{Row, Unknown, plus, times};
use summa_c::arith::wrap_to;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, UnaryOp, VarId};
use summa_c::types::TypeId;
use summa_cfa::syntax::whole_variable;
use summa_cfa::{EdgeId, Op};

/// Sums with more terms are not followed.
const MAX_TERMS: usize = 16;

enum Task {
    Evaluate(ExprId),
    /// The operands are on the stack of values.
    Apply(ExprId),
}

impl Linear<'_> {
    /// An edge that is no call of a function with an automaton; None if it cannot be passed.
    pub(super) fn edge(&self, state: &State, edge: EdgeId) -> Option<State> {
        match self.cfa.edges[edge].op {
            Op::Skip | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => Some(state.clone()),
            Op::Assign { place, value } => {
                let sum = self.sum(value).filter(|_| is_whole(&self.cfa.program, place));
                Some(self.assign(state, variable(&self.cfa.program, place), sum))
            }
            Op::Zero { place } => {
                let sum = is_whole(&self.cfa.program, place).then(Row::new);
                Some(self.assign(state, variable(&self.cfa.program, place), sum))
            }
            Op::Havoc { place, .. } => Some(self.assign(state, variable(&self.cfa.program, place), None)),
            Op::Assume { condition, truth, .. } => self.assume(state, condition, truth),
            Op::Declare { var } | Op::Dead { var } => Some(self.assign(state, Some(var), None)),
            Op::Return { value } => {
                let function = self.cfa.nodes[self.cfa.edges[edge].from].function;
                let result = self.cfa.program.functions[function].result;
                Some(self.assign(state, result, value.and_then(|value| self.sum(value))))
            }
            Op::Library { .. } | Op::External { .. } => {
                let mut next = state.clone();
                for var in written_by_call(&self.cfa.program, self.facts, edge) {
                    next = self.assign(&next, Some(var), None);
                }
                Some(next)
            }
            // A call always has an automaton here. Otherwise nothing is known about its effect.
            Op::Call { .. } => Some(State { depth: state.depth, ..State::default() }),
        }
    }

    /// The variable becomes the sum, or anything.
    fn assign(&self, state: &State, var: Option<VarId>, sum: Option<Row>) -> State {
        let Some(var) = var.filter(|&var| self.counted.contains(var)) else { return state.clone() };
        let (old, passing) = (Unknown::Now(var), Unknown::Passing(var));
        // The sum may speak of the old value.
        let equation = sum.map(|sum| plus(&[(passing, 1)], u32::MAX, &sum));
        let is_known = equation.is_some();
        let mut equations = state.equations.and(equation).without(|unknown| unknown == old);
        if is_known {
            equations = equations.rename(|unknown| Some(if unknown == passing { old } else { unknown }));
        }
        State { equations, ..*state }
    }

    fn assume(&self, state: &State, mut condition: ExprId, mut truth: bool) -> Option<State> {
        let exprs = &self.cfa.program.exprs;
        // `!(a == b)` is `(a == b) == 0`.
        let (difference, is_zero) = loop {
            match exprs.expr(condition).kind {
                ExprKind::Cast(inner) if is_comparison(&self.cfa.program, inner) => condition = inner,
                ExprKind::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), a, b) => {
                    let is_equal = truth == (op == BinaryOp::Eq);
                    if exprs.as_int(b) == Some(0) && is_comparison(&self.cfa.program, a) {
                        (condition, truth) = (a, !is_equal);
                    } else {
                        condition = a;
                        let sums = self.sum(a).zip(self.sum(b));
                        break (sums.map(|(a, b)| plus(&a, u32::MAX, &b)), is_equal);
                    }
                }
                _ => break (self.sum(condition), !truth),
            }
        };
        let Some(difference) = difference else { return Some(state.clone()) };
        if is_zero {
            let equations = state.equations.and([difference]);
            return (!equations.is_empty()).then_some(State { equations, ..*state });
        }
        // The upper halves of wider numbers may differ.
        let is_whole = self.width(exprs.type_of(condition)).is_some_and(|width| width <= 32);
        (!is_whole || !state.equations.implies(&difference)).then(|| state.clone())
    }

    /// From before a call to the entry of the callee.
    pub(super) fn enter(&self, state: &State, callee: FuncId, args: &[ExprId]) -> State {
        let program = &self.cfa.program;
        let mut passed = Vec::new();
        for (&param, &arg) in program.functions[callee].params.iter().zip(args) {
            let is_typed = program.exprs.type_of(arg) == program.vars[param].ty;
            if is_typed && self.counted.contains(param) {
                passed.extend(self.sum(arg).map(|sum| plus(&[(Unknown::Passing(param), 1)], u32::MAX, &sum)));
            }
        }
        // An older activation of a recursive function waits now.
        let is_recursive = self.facts.calls.is_recursive(callee);
        let depth = state.depth + u32::from(is_recursive);
        let equations = state.equations.and(passed).rename(|unknown| match unknown {
            Unknown::Passing(var) => Some(Unknown::Now(var)),
            Unknown::Now(var) if self.is_in_frame(var, callee) => {
                is_recursive.then_some(Unknown::Waiting(depth, var))
            }
            other => Some(other),
        });
        State { equations, depth }
    }

    /// From the exit of the callee to the location after the call.
    pub(super) fn leave(&self, state: &State, callee: FuncId, result: Option<PlaceId>) -> State {
        let program = &self.cfa.program;
        let written = result.and_then(|place| variable(&self.cfa.program, place));
        let written = written.filter(|&var| self.counted.contains(var));
        let returned = program.functions[callee].result;
        let is_typed = |&(var, returned): &(VarId, VarId)| program.vars[var].ty == program.vars[returned].ty;
        let passed = written
            .zip(returned)
            .filter(is_typed)
            .filter(|_| result.is_some_and(|r| is_whole(&self.cfa.program, r)));
        let passed = passed.map(|(var, returned)| {
            plus(&[(Unknown::Passing(var), 1)], u32::MAX, &[(Unknown::Now(returned), 1)])
        });
        let is_recursive = self.facts.calls.is_recursive(callee);
        let back = state.equations.and(passed).rename(|unknown| match unknown {
            Unknown::Now(var) if self.is_in_frame(var, callee) => None,
            // What the activation that called had in its variables; no pointer leads to those.
            Unknown::Waiting(depth, var) if is_recursive && depth == state.depth => Some(Unknown::Now(var)),
            other => Some(other),
        });
        let back = back.without(|unknown| written.is_some_and(|var| unknown == Unknown::Now(var)));
        let equations = back.rename(|unknown| match unknown {
            Unknown::Passing(var) => Some(Unknown::Now(var)),
            other => Some(other),
        });
        State { equations, depth: state.depth.saturating_sub(u32::from(is_recursive)) }
    }

    /// The width of an integer type.
    pub(super) fn width(&self, ty: TypeId) -> Option<u32> {
        let types = &self.cfa.program.types;
        types.is_integer(ty).then(|| types.int_width(ty)).flatten()
    }

    /// The value of an integer expression modulo 2³² as a sum of multiples of variables and a constant, if it
    /// is one.
    pub(super) fn sum(&self, expr: ExprId) -> Option<Row> {
        let exprs = &self.cfa.program.exprs;
        // Explicit stacks: expressions nest as deep as the source is long.
        let (mut tasks, mut sums): (Vec<Task>, Vec<Row>) = (vec![Task::Evaluate(expr)], Vec::new());
        while let Some(task) = tasks.pop() {
            match task {
                Task::Evaluate(id) => match exprs.expr(id).kind {
                    ExprKind::Int(value) => sums.push(number(value as u32)),
                    ExprKind::Load(place) => {
                        let var =
                            whole_variable(exprs, place).filter(|_| is_whole(&self.cfa.program, place))?;
                        let var = Some(var).filter(|&var| self.counted.contains(var))?;
                        sums.push(vec![(Unknown::Now(var), 1)]);
                    }
                    ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                        tasks.extend([Task::Apply(id), Task::Evaluate(a)]);
                    }
                    ExprKind::Binary(op, a, b) => {
                        let is_linear =
                            matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Shl);
                        if !is_linear {
                            return None;
                        }
                        tasks.extend([Task::Apply(id), Task::Evaluate(b), Task::Evaluate(a)]);
                    }
                    ExprKind::Float(_) | ExprKind::Addr(_) | ExprKind::Function(_) => return None,
                },
                Task::Apply(id) => {
                    let sum = self.apply(id, &mut sums)?;
                    sums.push(Some(sum).filter(|sum| sum.len() <= MAX_TERMS)?);
                }
            }
        }
        sums.pop().filter(|_| self.width(exprs.type_of(expr)).is_some())
    }

    /// Takes the operands of the expression from the stack.
    fn apply(&self, id: ExprId, sums: &mut Vec<Row>) -> Option<Row> {
        let exprs = &self.cfa.program.exprs;
        let expr = exprs.expr(id);
        let width = self.width(expr.ty)?;
        match expr.kind {
            ExprKind::Cast(a) => self.convert(exprs.type_of(a), expr.ty, sums.pop()?),
            // C has no arithmetic that is narrower than `int`.
            _ if width < 32 => None,
            ExprKind::Unary(UnaryOp::Neg, _) => Some(times(u32::MAX, &sums.pop()?)),
            ExprKind::Unary(UnaryOp::BitNot, _) => Some(plus(&number(u32::MAX), u32::MAX, &sums.pop()?)),
            ExprKind::Binary(op, ..) => {
                let (b, a) = (sums.pop()?, sums.pop()?);
                match (op, as_number(&a), as_number(&b)) {
                    (BinaryOp::Add, ..) => Some(plus(&a, 1, &b)),
                    (BinaryOp::Sub, ..) => Some(plus(&a, u32::MAX, &b)),
                    (BinaryOp::Mul, Some(factor), _) => Some(times(factor, &b)),
                    (BinaryOp::Mul, _, Some(factor)) => Some(times(factor, &a)),
                    (BinaryOp::Shl, _, Some(count)) if count < 32 => Some(times(1 << count, &a)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn convert(&self, from: TypeId, to: TypeId, sum: Row) -> Option<Row> {
        let types = &self.cfa.program.types;
        let (before, after) = (self.width(from)?, self.width(to)?);
        let is_bool = |ty: TypeId| ty == types.bool;
        if is_bool(to) && !is_bool(from) {
            return as_number(&sum).filter(|_| before <= 32).map(|value| number(u32::from(value != 0)));
        }
        let (was_signed, is_signed) = (types.is_signed(from), types.is_signed(to));
        // The number stays the same, or only irrelevant bits are lost.
        let is_kept = after >= 32
            || is_bool(from)
            || before < after && (is_signed || !was_signed)
            || before == after && is_signed == was_signed;
        match as_number(&sum) {
            _ if is_kept => Some(sum),
            Some(value) => Some(number(wrap_to(after, is_signed, i128::from(value)) as u32)),
            None => None,
        }
    }
}

fn number(value: u32) -> Row {
    if value == 0 { Vec::new() } else { vec![(Unknown::One, value)] }
}

fn as_number(sum: &Row) -> Option<u32> {
    match sum[..] {
        [] => Some(0),
        [(Unknown::One, value)] => Some(value),
        _ => None,
    }
}
