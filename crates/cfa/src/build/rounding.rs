//! Floating-point operations in programs that choose how results are rounded: `fesetround` is state.
//!
//! The mode is a variable of the program. It exists only if something can change it. Every operation whose
//! result is rounded becomes a call of [`LibFn::Rounded`], a step of its own that reads the variable.
//! Engines, checker and interpreter then need to know only that function. Operations that are exact in every
//! mode (comparisons, negation, conversions to wider formats and to integers) stay as they are.
//!
//! gcc computes an inexact operation on constants at compile time, unless it gets `-frounding-math`. If the
//! mode is not the default one there, execution leaves what Summa understands. Converted constants and
//! initialisers of static objects are always those of the compiler, rounded to nearest.

use super::draft::Draft;
use crate::cfa::{AssumeOrigin, NodeId, NodeKind, Op};
use crate::library::{LibFn, Rounded};
use summa_base::FxHashMap;
use summa_c::Span;
use summa_c::float::{self, Direction};
use summa_c::tree::{
    BinaryOp, Expr, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, VarId, VarKind, Variable,
};
use summa_c::types::{FloatKind, TypeId};

/// Where the program keeps its rounding mode.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mode {
    pub var: VarId,
    /// The function that stands for all rounded operations.
    pub operations: FuncId,
}

/// Gives every rounded operation of a function a step of its own.
pub(super) fn insert(draft: &mut Draft, program: &mut Program, function: FuncId, mode: Mode) {
    let nodes: Vec<NodeId> = draft.node_ids().collect();
    let leaving = draft.leaving();
    for node in nodes {
        // Of two edges that assume the same condition, one stands for both.
        let Some(&first) = leaving[node].first() else { continue };
        let (op, span) = (draft.op(first).clone(), draft.span(first));
        let mut steps = Steps {
            draft: &mut *draft,
            program: &mut *program,
            function,
            mode,
            span,
            current: node,
            exprs: FxHashMap::default(),
            places: FxHashMap::default(),
        };
        steps.parts_of(&op);
        let last = steps.current;
        if last == node {
            continue;
        }
        let (exprs, places) = (steps.exprs, steps.places);
        for &edge in &leaving[node] {
            replace(draft.op_mut(edge), &exprs, &places);
            draft.leave_from(edge, last);
        }
    }
}

/// The steps before one edge.
struct Steps<'a> {
    draft: &'a mut Draft,
    program: &'a mut Program,
    function: FuncId,
    mode: Mode,
    span: Span,
    current: NodeId,
    /// The new expressions; below, the new places.
    exprs: FxHashMap<ExprId, ExprId>,
    places: FxHashMap<PlaceId, PlaceId>,
}

#[derive(Clone, Copy)]
enum Part {
    Expr(ExprId),
    Place(PlaceId),
}

impl Steps<'_> {
    fn parts_of(&mut self, op: &Op) {
        match op {
            Op::Skip
            | Op::Declare { .. }
            | Op::Dead { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. }
            | Op::Return { value: None } => {}
            Op::Assign { place, value } => {
                self.walk(Part::Place(*place));
                self.walk(Part::Expr(*value));
            }
            Op::Assume { condition, .. } => self.walk(Part::Expr(*condition)),
            Op::Zero { place } | Op::Havoc { place, .. } => self.walk(Part::Place(*place)),
            Op::Call { result, args, .. }
            | Op::External { result, args, .. }
            | Op::Library { result, args, .. } => {
                args.iter().for_each(|&arg| self.walk(Part::Expr(arg)));
                result.iter().for_each(|&place| self.walk(Part::Place(place)));
            }
            Op::Return { value: Some(value) } => self.walk(Part::Expr(*value)),
        }
    }

    /// Operands first, with a stack of our own.
    fn walk(&mut self, part: Part) {
        let mut todo = vec![(part, false)];
        while let Some((part, are_operands_done)) = todo.pop() {
            let is_known = match part {
                Part::Expr(id) => self.exprs.contains_key(&id),
                Part::Place(id) => self.places.contains_key(&id),
            };
            if is_known {
                continue;
            }
            if are_operands_done {
                match part {
                    Part::Expr(id) => {
                        let new = self.expr(id);
                        self.exprs.insert(id, new);
                    }
                    Part::Place(id) => {
                        let new = self.place(id);
                        self.places.insert(id, new);
                    }
                }
                continue;
            }
            todo.push((part, true));
            let mut push = |part| todo.push((part, false));
            match part {
                Part::Expr(id) => match self.program.exprs.expr(id).kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                    ExprKind::Load(place) | ExprKind::Addr(place) => push(Part::Place(place)),
                    ExprKind::Unary(_, a) | ExprKind::Cast(a) => push(Part::Expr(a)),
                    ExprKind::Binary(_, a, b) => {
                        push(Part::Expr(b));
                        push(Part::Expr(a));
                    }
                },
                Part::Place(id) => match self.program.exprs.place(id).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(pointer) => push(Part::Expr(pointer)),
                    PlaceKind::Field(base, _) => push(Part::Place(base)),
                    PlaceKind::Index(base, index) => {
                        push(Part::Expr(index));
                        push(Part::Place(base));
                    }
                },
            }
        }
    }

    fn place(&mut self, id: PlaceId) -> PlaceId {
        let place = self.program.exprs.place(id);
        let kind = match place.kind {
            PlaceKind::Var(_) => return id,
            PlaceKind::Deref(pointer) => PlaceKind::Deref(self.exprs[&pointer]),
            PlaceKind::Field(base, field) => PlaceKind::Field(self.places[&base], field),
            PlaceKind::Index(base, index) => PlaceKind::Index(self.places[&base], self.exprs[&index]),
        };
        self.program.exprs.intern_place(kind, place.ty)
    }

    fn expr(&mut self, id: ExprId) -> ExprId {
        let Expr { kind, ty } = self.program.exprs.expr(id);
        let new = match kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => return id,
            ExprKind::Load(place) => ExprKind::Load(self.places[&place]),
            ExprKind::Addr(place) => ExprKind::Addr(self.places[&place]),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.exprs[&a]),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.exprs[&a], self.exprs[&b]);
                if let (Some(kind), Some(rounded)) = (self.program.types.float_kind(ty), operator(op)) {
                    return self.arithmetic(kind, op, rounded, ty, a, b);
                }
                ExprKind::Binary(op, a, b)
            }
            ExprKind::Cast(a) => {
                let a = self.exprs[&a];
                if self.is_rounded_cast(ty, self.program.exprs.type_of(a)) {
                    return self.step(Rounded::Convert, ty, &[a]);
                }
                ExprKind::Cast(a)
            }
        };
        self.program.exprs.intern(new, ty)
    }

    fn arithmetic(
        &mut self,
        kind: FloatKind,
        op: BinaryOp,
        rounded: Rounded,
        ty: TypeId,
        a: ExprId,
        b: ExprId,
    ) -> ExprId {
        let exprs = &self.program.exprs;
        if let (ExprKind::Float(x), ExprKind::Float(y)) = (exprs.expr(a).kind, exprs.expr(b).kind) {
            let results = Direction::ALL.map(|direction| float::rounded(op, direction, kind, x, y));
            if results.iter().any(|result| *result != results[0]) {
                self.require_nearest();
            }
            return self.program.exprs.intern(ExprKind::Binary(op, a, b), ty);
        }
        self.step(rounded, ty, &[a, b])
    }

    /// Can the conversion of a number to a floating type need rounding?
    fn is_rounded_cast(&self, to: TypeId, from: TypeId) -> bool {
        let types = &self.program.types;
        let Some(precision) = types.float_kind(to).map(precision) else { return false };
        match types.float_kind(from) {
            Some(source) => precision < self::precision(source),
            None => types.int_width(from).is_none_or(|width| {
                let digits = if types.is_signed(from) { width - 1 } else { width };
                digits > precision
            }),
        }
    }

    /// The operation as an edge; its result.
    fn step(&mut self, rounded: Rounded, ty: TypeId, operands: &[ExprId]) -> ExprId {
        let name = self.program.names.intern("rounded");
        let variable = Variable::new(name, ty, VarKind::Temp(self.function), self.span);
        let var = self.program.vars.push(variable);
        let place = self.program.exprs.var(var, ty);
        let mut args = vec![self.mode()];
        args.extend(operands);
        let callee = self.mode.operations;
        let op = Op::Library { result: Some(place), model: LibFn::Rounded(rounded), callee, args };
        let to = self.draft.node(NodeKind::Plain, self.span);
        self.draft.edge(self.current, to, op, self.span);
        self.current = to;
        self.program.exprs.load(place)
    }

    fn mode(&mut self) -> ExprId {
        let int = self.program.types.int;
        let place = self.program.exprs.var(self.mode.var, int);
        self.program.exprs.load(place)
    }

    /// Execution continues only in the default mode.
    fn require_nearest(&mut self) {
        let (mode, int) = (self.mode(), self.program.types.int);
        let nearest = self.program.exprs.int(&self.program.types, int, 0);
        let condition = self.program.exprs.intern(ExprKind::Binary(BinaryOp::Eq, mode, nearest), int);
        let [yes, no] = [(); 2].map(|()| self.draft.node(NodeKind::Plain, self.span));
        for (truth, to) in [(true, yes), (false, no)] {
            let op = Op::Assume { condition, truth, origin: AssumeOrigin::Check };
            self.draft.edge(self.current, to, op, self.span);
        }
        self.draft.terminal(no, Op::Unsupported { what: INEXACT_CONSTANT.into() }, self.span);
        self.current = yes;
    }
}

const INEXACT_CONSTANT: &str = "an inexact operation on constants in another rounding mode than to nearest, \
                                which compilers carry out before the program runs";

fn operator(op: BinaryOp) -> Option<Rounded> {
    match op {
        BinaryOp::Add => Some(Rounded::Add),
        BinaryOp::Sub => Some(Rounded::Sub),
        BinaryOp::Mul => Some(Rounded::Mul),
        BinaryOp::Div => Some(Rounded::Div),
        _ => None,
    }
}

/// Digits of the significand, with the leading one.
fn precision(kind: FloatKind) -> u32 {
    match kind {
        FloatKind::Float => 24,
        FloatKind::Double => 53,
        FloatKind::LongDouble => 64,
        FloatKind::Float128 => 113,
    }
}

/// The same operation on the new expressions.
fn replace(op: &mut Op, exprs: &FxHashMap<ExprId, ExprId>, places: &FxHashMap<PlaceId, PlaceId>) {
    let expr = |id: &mut ExprId| *id = exprs.get(id).copied().unwrap_or(*id);
    let at = |id: &mut PlaceId| *id = places.get(id).copied().unwrap_or(*id);
    match op {
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. }
        | Op::Return { value: None } => {}
        Op::Assign { place, value } => {
            at(place);
            expr(value);
        }
        Op::Assume { condition, .. } => expr(condition),
        Op::Zero { place } | Op::Havoc { place, .. } => at(place),
        Op::Call { result, args, .. }
        | Op::External { result, args, .. }
        | Op::Library { result, args, .. } => {
            args.iter_mut().for_each(expr);
            result.iter_mut().for_each(at);
        }
        Op::Return { value: Some(value) } => expr(value),
    }
}
