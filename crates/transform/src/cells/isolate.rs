//! Normal form: reads of arrays become steps of their own, and truth values become branches where an
//! assertion gets them.
//!
//! * `x = a[i] + a[b[j]]` becomes `t1 = a[i]; t2 = b[j]; t3 = a[t2]; x = t1 + t3`.
//! * `check(a[i] == 0)`, where `check(0)` is an error, becomes a branch on `a[i] == 0`, with `check(1)` on
//!   one side and `check(0)` on the other; so does `x = a[i] == 0`.
//!
//! The executions are the same: expressions have no effects, and every read sees the state before the
//! operation that it belonged to.

use super::arrays::Arrays;
use super::doom::AssertLike;
use super::rewrite::Rewriting;
use super::sketch::{Sketch, redraw};
use crate::origin::Origin;
use summa_c::Span;
use summa_c::tree::{
    BinaryOp, BranchOrigin, ExprId, ExprKind, PlaceId, PlaceKind, Program, VarKind, Variable,
};
use summa_cfa::BuildError;
use summa_cfa::syntax::strip_casts;
use summa_cfa::{AssumeOrigin, Cfa, Edge, EdgeId, Op};

/// Branches that the source does not have.
const MADE: AssumeOrigin = AssumeOrigin::Branch(BranchOrigin::Conditional);

pub(super) fn isolate(
    cfa: &Cfa,
    program: Program,
    arrays: &Arrays,
    assert_like: &AssertLike,
) -> Result<(Cfa, Origin), BuildError> {
    redraw(cfa, program, |sketch, leaving| Isolate::new(sketch, arrays).node(leaving, assert_like))
}

/// One node, with the reads of its operation.
struct Isolate<'s, 'a, 'c> {
    sketch: &'s mut Sketch<'c>,
    arrays: &'a Arrays,
    rewriting: Rewriting,
    reads: usize,
}

impl<'s, 'a, 'c> Isolate<'s, 'a, 'c> {
    fn new(sketch: &'s mut Sketch<'c>, arrays: &'a Arrays) -> Self {
        Self { sketch, arrays, rewriting: Rewriting::default(), reads: 0 }
    }

    fn node(mut self, leaving: &[EdgeId], assert_like: &AssertLike) {
        let old = self.sketch.old;
        let mut condition_now = None;
        for &id in leaving {
            let edge = &old.edges[id];
            self.sketch.draw(id);
            if let Op::Assume { condition, truth, origin } = edge.op {
                // Both sides of a branch have the same condition.
                let condition = *condition_now.get_or_insert_with(|| self.value(condition, edge.span));
                self.sketch.lead(Op::Assume { condition, truth, origin }, edge.to, edge.span);
            } else {
                self.step(edge, assert_like);
            }
        }
    }

    fn step(&mut self, edge: &Edge, assert_like: &AssertLike) {
        let span = edge.span;
        let op = match &edge.op {
            Op::Assign { place, value } => return self.assign(edge, *place, *value),
            Op::Zero { place } => Op::Zero { place: self.place(*place, span) },
            Op::Havoc { place, source } => Op::Havoc { place: self.place(*place, span), source: *source },
            Op::Call { result, callee, args } => {
                let result = result.map(|place| self.place(place, span));
                let args = self.values(args, span);
                let truth = assert_like.argument(*callee).filter(|&number| {
                    args.get(number).is_some_and(|&arg| self.sketch.program.exprs.as_int(arg).is_none())
                });
                if let Some(number) = truth {
                    let call = |arg: ExprId| {
                        let mut args = args.clone();
                        args[number] = arg;
                        Op::Call { result, callee: *callee, args }
                    };
                    return self.decide(edge, args[number], call);
                }
                Op::Call { result, callee: *callee, args }
            }
            Op::Library { result, model, callee, args } => {
                let result = result.map(|place| self.place(place, span));
                Op::Library { result, model: *model, callee: *callee, args: self.values(args, span) }
            }
            Op::External { result, callee, args } => {
                let result = result.map(|place| self.place(place, span));
                Op::External { result, callee: *callee, args: self.values(args, span) }
            }
            Op::Return { value } => Op::Return { value: value.map(|value| self.value(value, span)) },
            op @ (Op::Skip
            | Op::Assume { .. }
            | Op::Declare { .. }
            | Op::Dead { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. }) => op.clone(),
        };
        self.sketch.lead(op, edge.to, span);
    }

    fn assign(&mut self, edge: &Edge, place: PlaceId, value: ExprId) {
        let span = edge.span;
        let place = self.place(place, span);
        let is_variable = matches!(self.sketch.program.exprs.place(place).kind, PlaceKind::Var(_));
        // A read that is isolated already.
        if let ExprKind::Load(element) = self.sketch.program.exprs.expr(value).kind
            && is_variable
        {
            let element = self.place(element, span);
            let value = self.sketch.program.exprs.load(element);
            return self.sketch.lead(Op::Assign { place, value }, edge.to, span);
        }
        let before = self.reads;
        let value = self.value(value, span);
        if is_variable && self.reads > before && self.as_truth(value).is_some() {
            return self.decide(edge, value, |value| Op::Assign { place, value });
        }
        self.sketch.lead(Op::Assign { place, value }, edge.to, span);
    }

    /// Branches on an integer being zero; `op` gets it, or what is known about it.
    fn decide(&mut self, edge: &Edge, value: ExprId, op: impl Fn(ExprId) -> Op) {
        let truth = self.as_truth(value);
        let program = &mut *self.sketch.program;
        let ty = program.exprs.type_of(value);
        let [zero, one] = [0, 1].map(|number| program.exprs.int(&program.types, ty, number));
        let condition = truth.unwrap_or_else(|| super::sketch::compare(program, BinaryOp::Ne, value, zero));
        let (yes, no) = self.sketch.branch(condition, MADE, edge.span);
        self.sketch.current = yes;
        self.sketch.lead(op(if truth.is_some() { one } else { value }), edge.to, edge.span);
        self.sketch.current = no;
        self.sketch.lead(op(zero), edge.to, edge.span);
    }

    /// The comparison whose outcome, 0 or 1, the integer is.
    fn as_truth(&self, value: ExprId) -> Option<ExprId> {
        let (exprs, types) = (&self.sketch.program.exprs, &self.sketch.program.types);
        let inner = strip_casts(exprs, value);
        let mut cast = value;
        while let ExprKind::Cast(next) = exprs.expr(cast).kind {
            if !types.is_integer(exprs.type_of(cast)) {
                return None;
            }
            cast = next;
        }
        matches!(exprs.expr(inner).kind, ExprKind::Binary(op, ..) if op.is_comparison()).then_some(inner)
    }

    // ---- parts of operations, with their reads before them ----

    fn values(&mut self, values: &[ExprId], span: Span) -> Vec<ExprId> {
        values.iter().map(|&value| self.value(value, span)).collect()
    }

    fn value(&mut self, value: ExprId, span: Span) -> ExprId {
        let mut reads = Vec::new();
        let value = {
            let mut load = reader(self.arrays, self.sketch, &mut reads, span);
            self.rewriting.value(self.sketch.program, value, &mut load)
        };
        self.read(reads, span);
        value
    }

    fn place(&mut self, place: PlaceId, span: Span) -> PlaceId {
        let mut reads = Vec::new();
        let place = {
            let mut load = reader(self.arrays, self.sketch, &mut reads, span);
            self.rewriting.place(self.sketch.program, place, &mut load)
        };
        self.read(reads, span);
        place
    }

    fn read(&mut self, reads: Vec<(PlaceId, PlaceId)>, span: Span) {
        self.reads += reads.len();
        for (place, element) in reads {
            let value = self.sketch.program.exprs.load(element);
            self.sketch.step(Op::Assign { place, value }, span);
        }
    }
}

/// Replaces loads of elements by new variables and notes which.
fn reader<'r>(
    arrays: &'r Arrays,
    sketch: &Sketch<'_>,
    reads: &'r mut Vec<(PlaceId, PlaceId)>,
    span: Span,
) -> impl FnMut(&mut Program, PlaceId) -> Option<ExprId> + use<'r> {
    let function = sketch.function;
    move |program, element| {
        arrays.access(program, element)?;
        let ty = program.exprs.place(element).ty;
        let name = program.names.intern("element");
        let var = program.vars.push(Variable::new(name, ty, VarKind::Temp(function), span));
        let place = program.exprs.var(var, ty);
        reads.push((place, element));
        Some(program.exprs.load(place))
    }
}
