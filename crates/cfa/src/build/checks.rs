//! Checks of arithmetic as branches of the automata: any engine that decides whether an error can be reached then
//! decides whether an operation can go wrong.
//!
//! Before an edge that computes `x + 1` comes the branch `x > 2147483646`: its true side is an error, its false side
//! goes on to the edge. An edge with several operations gets their branches in the order of evaluation, operands
//! first, so a condition only computes what was checked before it. Expressions are free of `&&`, `||` and `?:`, so
//! everything in them is evaluated.
//!
//! What "goes wrong" means is said by `summa_c::arith`, and the conditions are its comparisons turned around, in a
//! form that suits intervals and linear arithmetic:
//! * one operand is a constant: the other one is compared with a constant;
//! * `int` and less: the result is computed in `long long` and compared with the limits;
//! * wider types: `a > MAX - b` where b ≥ 0 and `a < MIN - b` elsewhere, products by dividing the limits.
//!
//! Operations that types and constants exclude ([`super::ranges`]) get no branch. Pointer arithmetic and indices are
//! no integer arithmetic; conversions never overflow (they are implementation-defined at most).
//! A left shift whose result does not fit is an error of shifts; for overflow alone it leaves what Summa understands.
//!
//! Limits: expressions have no place of their own in the source, so the error has that of its edge. An invalid access
//! or a division by zero (if that is not checked) elsewhere in the same expression does not hide an overflow, even if
//! it comes first in the order of evaluation: C fixes no order, and the behaviour is undefined either way.

use super::draft::Draft;
use super::ranges::{Range, Ranges, exact, of_type};
use crate::cfa::{AssumeOrigin, Checks, ErrorKind, NodeId, NodeKind, Op};
use crate::library::LibFn;
use summa_base::IdSet;
use summa_c::Span;
use summa_c::tree::{BinaryOp, Expr, ExprId, ExprKind, PlaceId, PlaceKind, Program, UnaryOp};
use summa_c::types::{IntKind, TypeId};

/// Results of types up to this width are computed in `long long`.
const NARROW: u32 = 32;

/// Why there is no verdict about such a shift.
const DISPUTED: &str = "left shift whose result does not fit, of which it is disputed whether it is an overflow \
                        (the property `shift` decides it)";

/// Puts the checks before the edges of a function.
pub(super) fn insert(draft: &mut Draft, program: &mut Program, checks: Checks) {
    if checks == Checks::NONE {
        return;
    }
    let mut ranges = Ranges::default();
    let nodes: Vec<NodeId> = draft.node_ids().collect();
    let leaving = draft.leaving();
    for node in nodes {
        // Of two edges that assume the same condition, one stands for both.
        let Some(&first) = leaving[node].first() else { continue };
        let (op, span) = (draft.op(first).clone(), draft.span(first));
        let operations = operations(program, &op);
        let mut branches = Branches {
            draft: &mut *draft,
            program: &mut *program,
            ranges: &mut ranges,
            checks,
            span,
            current: node,
            failing: None,
        };
        for operation in operations {
            branches.check(operation);
            branches.failing = None;
        }
        let last = branches.current;
        if last != node {
            for &edge in &leaving[node] {
                draft.leave_from(edge, last);
            }
        }
    }
}

/// What may have to be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operation {
    Expression(ExprId),
    /// `abs` and the like of a value, in a type of this width.
    Absolute(ExprId, u32),
}

/// The operators in an operation, in the order of evaluation; each once.
fn operations(program: &Program, op: &Op) -> Vec<Operation> {
    let mut walk = Walk::default();
    match op {
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. }
        | Op::Return { value: None } => {}
        Op::Assign { place, value } => {
            walk.place(program, *place);
            walk.expr(program, *value);
        }
        Op::Assume { condition, .. } => walk.expr(program, *condition),
        Op::Zero { place } | Op::Havoc { place, .. } => walk.place(program, *place),
        Op::Call { result, args, .. } | Op::External { result, args, .. } => {
            args.iter().for_each(|&arg| walk.expr(program, arg));
            result.iter().for_each(|&place| walk.place(program, place));
        }
        Op::Library { result, args, model, .. } => {
            args.iter().for_each(|&arg| walk.expr(program, arg));
            let types = &program.types;
            let width = match model {
                LibFn::Abs => types.int_width(types.int),
                LibFn::Labs => types.int_width(types.long),
                LibFn::Llabs => Some(64),
                _ => None,
            };
            let of = args.first().copied().zip(width);
            walk.found.extend(of.map(|(arg, width)| Operation::Absolute(arg, width)));
            result.iter().for_each(|&place| walk.place(program, place));
        }
        Op::Return { value: Some(value) } => walk.expr(program, *value),
    }
    walk.found
}

/// Expressions in post-order, with a stack of our own.
#[derive(Default)]
struct Walk {
    found: Vec<Operation>,
    seen: IdSet<ExprId>,
}

enum Part {
    Expr(ExprId),
    Place(PlaceId),
    /// The operands have been walked.
    Done(ExprId),
}

impl Walk {
    fn expr(&mut self, program: &Program, expr: ExprId) {
        self.walk(program, Part::Expr(expr));
    }

    fn place(&mut self, program: &Program, place: PlaceId) {
        self.walk(program, Part::Place(place));
    }

    fn walk(&mut self, program: &Program, part: Part) {
        let mut todo = vec![part];
        while let Some(part) = todo.pop() {
            match part {
                Part::Done(id) => self.found.push(Operation::Expression(id)),
                Part::Expr(id) if !self.seen.insert(id) => {}
                Part::Expr(id) => match program.exprs.expr(id).kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                    ExprKind::Load(place) | ExprKind::Addr(place) => todo.push(Part::Place(place)),
                    ExprKind::Cast(a) => todo.push(Part::Expr(a)),
                    ExprKind::Unary(_, a) => todo.extend([Part::Done(id), Part::Expr(a)]),
                    ExprKind::Binary(_, a, b) => {
                        todo.extend([Part::Done(id), Part::Expr(b), Part::Expr(a)]);
                    }
                },
                Part::Place(id) => match program.exprs.place(id).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(pointer) => todo.push(Part::Expr(pointer)),
                    PlaceKind::Field(base, _) => todo.push(Part::Place(base)),
                    PlaceKind::Index(base, index) => todo.extend([Part::Expr(index), Part::Place(base)]),
                },
            }
        }
    }
}

/// The branches before one edge.
struct Branches<'a> {
    draft: &'a mut Draft,
    program: &'a mut Program,
    ranges: &'a mut Ranges,
    checks: Checks,
    span: Span,
    /// Where nothing has gone wrong so far.
    current: NodeId,
    /// Where the operation at hand has gone wrong in one way, once a branch leads there.
    failing: Option<NodeId>,
}

/// A signed type and its limits.
#[derive(Clone, Copy)]
struct Signed {
    ty: TypeId,
    width: u32,
    min: i128,
    max: i128,
}

impl Branches<'_> {
    fn check(&mut self, operation: Operation) {
        let id = match operation {
            Operation::Expression(id) => id,
            Operation::Absolute(argument, width) => return self.absolute(argument, width),
        };
        let Expr { kind, ty } = self.program.exprs.expr(id);
        let signed = self.signed(ty);
        match (kind, signed) {
            (ExprKind::Unary(UnaryOp::Neg, a), Some(signed)) if self.checks.overflow => {
                self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, a, signed.min);
            }
            (ExprKind::Binary(BinaryOp::Div | BinaryOp::Rem, a, b), _)
                if self.program.types.is_integer(ty) =>
            {
                if self.checks.division {
                    self.fail_if(ErrorKind::DivisionByZero, BinaryOp::Eq, b, 0);
                    self.failing = None;
                }
                if let Some(signed) = signed.filter(|_| self.checks.overflow) {
                    self.quotient(signed, a, b);
                }
            }
            (ExprKind::Binary(op @ (BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul), a, b), Some(signed))
                if self.checks.overflow =>
            {
                self.result(signed, op, a, b);
            }
            (ExprKind::Binary(op @ (BinaryOp::Shl | BinaryOp::Shr), a, b), _) if self.checks.shift => {
                self.shift(op, ty, signed, a, b);
            }
            (ExprKind::Binary(BinaryOp::Shl, a, b), Some(signed)) if self.checks.disputed_shift => {
                self.shifted(signed, a, b);
            }
            _ => {}
        }
    }

    // ---- the operators ----

    fn absolute(&mut self, argument: ExprId, width: u32) {
        let signed = self.signed(self.program.exprs.type_of(argument));
        // Narrower arguments have a positive counterpart; others do not occur.
        if let Some(signed) = signed.filter(|signed| self.checks.overflow && signed.width == width) {
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, argument, signed.min);
        }
    }

    /// `MIN / -1` and `MIN % -1`.
    fn quotient(&mut self, signed: Signed, a: ExprId, b: ExprId) {
        if !self.may_be(a, signed.min) || !self.may_be(b, -1) {
            return;
        }
        if self.program.exprs.as_int(b) == Some(-1) {
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, a, signed.min);
        } else if self.program.exprs.as_int(a) == Some(signed.min) {
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, b, -1);
        } else {
            let minus_one = self.int(signed.ty, -1);
            let (yes, no) = self.branch(BinaryOp::Eq, b, minus_one);
            self.current = yes;
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, a, signed.min);
            self.join(no);
        }
    }

    /// Sum, difference or product.
    fn result(&mut self, signed: Signed, op: BinaryOp, a: ExprId, b: ExprId) {
        let (left, right) = (self.range(a), self.range(b));
        let values = left.zip(right).and_then(|(left, right)| exact(op, left, right));
        // Which limits the result may leave behind.
        let above = values.is_none_or(|(_, high)| high > signed.max);
        let below = values.is_none_or(|(low, _)| low < signed.min);
        if !above && !below {
            return;
        }
        match (self.program.exprs.as_int(a), self.program.exprs.as_int(b)) {
            (_, Some(constant)) => self.with_constant(signed, op, a, constant),
            (Some(constant), None) if op == BinaryOp::Sub => {
                // constant - b > MAX, constant - b < MIN
                self.fail_beyond(BinaryOp::Lt, b, constant.checked_sub(signed.max));
                self.fail_beyond(BinaryOp::Gt, b, constant.checked_sub(signed.min));
            }
            (Some(constant), None) => self.with_constant(signed, op, b, constant),
            (None, None) if signed.width <= NARROW => {
                let wide = self.program.types.int_type(IntKind::LongLong);
                let [x, y] = [a, b].map(|operand| self.program.exprs.intern(ExprKind::Cast(operand), wide));
                let value = self.program.exprs.intern(ExprKind::Binary(op, x, y), wide);
                for (is_needed, side, limit) in
                    [(above, BinaryOp::Gt, signed.max), (below, BinaryOp::Lt, signed.min)]
                {
                    if is_needed {
                        let limit = self.int(wide, limit);
                        self.fail_on(ErrorKind::Overflow, side, value, limit);
                    }
                }
            }
            (None, None) if op == BinaryOp::Mul => self.wide_product(signed, a, b, (above, below)),
            // What is on the right decides which limit is near: better if its sign is known.
            (None, None) if op == BinaryOp::Add && has_sign(left) && !has_sign(right) => {
                self.wide_sum(signed, op, b, a, (above, below));
            }
            (None, None) => self.wide_sum(signed, op, a, b, (above, below)),
        }
    }

    /// `x op constant`, or the other way round where that is the same.
    fn with_constant(&mut self, signed: Signed, op: BinaryOp, x: ExprId, constant: i128) {
        let Signed { min, max, .. } = signed;
        match op {
            BinaryOp::Add => {
                self.fail_beyond(BinaryOp::Gt, x, max.checked_sub(constant));
                self.fail_beyond(BinaryOp::Lt, x, min.checked_sub(constant));
            }
            BinaryOp::Sub => {
                self.fail_beyond(BinaryOp::Gt, x, max.checked_add(constant));
                self.fail_beyond(BinaryOp::Lt, x, min.checked_add(constant));
            }
            // Division truncates, and that is the right side: for 3 x > 7 the border is 2, for 3 x < -7 it is -2.
            _ if constant > 0 => {
                self.fail_beyond(BinaryOp::Gt, x, max.checked_div(constant));
                self.fail_beyond(BinaryOp::Lt, x, min.checked_div(constant));
            }
            _ if constant < 0 => {
                self.fail_beyond(BinaryOp::Lt, x, max.checked_div(constant));
                self.fail_beyond(BinaryOp::Gt, x, min.checked_div(constant));
            }
            _ => {}
        }
    }

    /// `a + b` and `a - b` in a type without a wider one: where b ≥ 0, `a > MAX - b` and `a < MIN + b`, elsewhere `a <
    /// MIN - b` and `a > MAX + b`.
    fn wide_sum(&mut self, signed: Signed, op: BinaryOp, a: ExprId, b: ExprId, (above, below): (bool, bool)) {
        let is_sum = op == BinaryOp::Add;
        // The value of b from the limit towards zero; it does not overflow on its side.
        let inverse = if is_sum { BinaryOp::Sub } else { BinaryOp::Add };
        let border = |this: &mut Self, limit: i128| {
            let limit = this.int(signed.ty, limit);
            this.program.exprs.intern(ExprKind::Binary(inverse, limit, b), signed.ty)
        };
        let on_side = |this: &mut Self, is_positive: bool| {
            let is_above = is_positive == is_sum;
            let (is_needed, side, limit) =
                if is_above { (above, BinaryOp::Gt, signed.max) } else { (below, BinaryOp::Lt, signed.min) };
            if is_needed {
                let border = border(this, limit);
                this.fail_on(ErrorKind::Overflow, side, a, border);
            }
        };
        match self.range(b) {
            Some((low, _)) if low >= 0 => on_side(self, true),
            Some((_, high)) if high <= 0 => on_side(self, false),
            _ => {
                let zero = self.int(signed.ty, 0);
                let (positive, negative) = self.branch(BinaryOp::Ge, b, zero);
                self.current = positive;
                on_side(self, true);
                let after = self.current;
                self.current = negative;
                on_side(self, false);
                self.join(after);
            }
        }
    }

    /// `a * b` in a type without a wider one: the limits are divided by b. `MIN / -1` is avoided; it is no limit.
    fn wide_product(&mut self, signed: Signed, a: ExprId, b: ExprId, (above, below): (bool, bool)) {
        let quotient = |this: &mut Self, limit: i128| {
            let limit = this.int(signed.ty, limit);
            this.program.exprs.intern(ExprKind::Binary(BinaryOp::Div, limit, b), signed.ty)
        };
        let zero = self.int(signed.ty, 0);
        let (positive, others) = self.branch(BinaryOp::Gt, b, zero);
        self.current = positive;
        for (is_needed, side, limit) in [(above, BinaryOp::Gt, signed.max), (below, BinaryOp::Lt, signed.min)]
        {
            if is_needed {
                let border = quotient(self, limit);
                self.fail_on(ErrorKind::Overflow, side, a, border);
            }
        }
        let after = self.current;
        self.current = others;
        if self.range(b).is_none_or(|(low, _)| low < 0) {
            let (negative, none) = self.branch(BinaryOp::Lt, b, zero);
            self.current = negative;
            if above {
                let border = quotient(self, signed.max);
                self.fail_on(ErrorKind::Overflow, BinaryOp::Lt, a, border);
            }
            if below {
                let minus_one = self.int(signed.ty, -1);
                let (further, one) = self.branch(BinaryOp::Lt, b, minus_one);
                self.current = further;
                let border = quotient(self, signed.min);
                self.fail_on(ErrorKind::Overflow, BinaryOp::Gt, a, border);
                self.join(one);
            }
            self.join(none);
        }
        self.join(after);
    }

    /// The amount is negative or not less than the width; a value that is shifted to the left is negative or loses
    /// bits.
    fn shift(&mut self, op: BinaryOp, ty: TypeId, signed: Option<Signed>, a: ExprId, b: ExprId) {
        let Some(width) = self.program.types.int_width(ty) else { return };
        self.fail_if(ErrorKind::BadShift, BinaryOp::Lt, b, 0);
        self.fail_if(ErrorKind::BadShift, BinaryOp::Gt, b, i128::from(width) - 1);
        let Some(signed) = signed.filter(|_| op == BinaryOp::Shl) else { return };
        self.failing = None;
        self.fail_if(ErrorKind::ShiftOverflow, BinaryOp::Lt, a, 0);
        match (self.program.exprs.as_int(a), self.program.exprs.as_int(b)) {
            (_, Some(amount)) if (0..i128::from(width)).contains(&amount) => {
                self.fail_if(ErrorKind::ShiftOverflow, BinaryOp::Gt, a, signed.max >> amount);
            }
            (Some(value), _) if value >= 0 => {
                // The highest bit must stay below the sign.
                let bits = 128 - value.leading_zeros();
                let most = i128::from(width) - 1 - i128::from(bits);
                if bits > 0 {
                    self.fail_if(ErrorKind::ShiftOverflow, BinaryOp::Gt, b, most);
                }
            }
            _ => {
                let limit = self.int(signed.ty, signed.max);
                let border = self.program.exprs.intern(ExprKind::Binary(BinaryOp::Shr, limit, b), signed.ty);
                self.fail_on(ErrorKind::ShiftOverflow, BinaryOp::Gt, a, border);
            }
        }
    }

    /// `a << b` as a product with a power of two that does not fit. Whether that is an overflow is disputed: it is
    /// undefined (C11 6.5.7p4) and not representable, but compilers define it and people rely on that. So there is no
    /// verdict where it can happen. A bad amount is no overflow; nor is a negative value, if the product fits.
    fn shifted(&mut self, signed: Signed, a: ExprId, b: ExprId) {
        let width = i128::from(signed.width);
        let (low, high) = self.range(b).unwrap_or((i128::MIN, i128::MAX));
        let amount = self.program.exprs.as_int(b);
        let fits = self.range(a).zip(self.range(b)).and_then(|(a, b)| exact(BinaryOp::Shl, a, b));
        if fits.is_some_and(|(_, most)| most <= signed.max)
            || amount.is_some_and(|b| !(0..width).contains(&b))
        {
            return;
        }
        let after = self.draft.node(NodeKind::Plain, self.span);
        for (is_possible, op, limit) in [(low < 0, BinaryOp::Lt, 0), (high >= width, BinaryOp::Gt, width - 1)]
        {
            if is_possible {
                let limit = self.int(self.program.exprs.type_of(b), limit);
                let condition =
                    self.program.exprs.intern(ExprKind::Binary(op, b, limit), self.program.types.int);
                let rest = self.draft.node(NodeKind::Plain, self.span);
                self.assume(condition, after, rest);
                self.current = rest;
            }
        }
        let disputed = self.draft.node(NodeKind::Plain, self.span);
        self.draft.terminal(disputed, Op::Unsupported { what: DISPUTED.into() }, self.span);
        self.failing = Some(disputed);
        for (side, limit) in [(BinaryOp::Gt, signed.max), (BinaryOp::Lt, signed.min)] {
            if let Some(amount) = amount {
                self.fail_if(ErrorKind::Overflow, side, a, limit >> amount);
            } else if self.range(a).is_none_or(|(low, high)| if limit > 0 { high > 0 } else { low < 0 }) {
                let limit = self.int(signed.ty, limit);
                let border = self.program.exprs.intern(ExprKind::Binary(BinaryOp::Shr, limit, b), signed.ty);
                self.fail_on(ErrorKind::Overflow, side, a, border);
            }
        }
        self.join(after);
    }

    // ---- branches ----

    /// Beyond a border that no number is beyond, nothing fails.
    fn fail_beyond(&mut self, op: BinaryOp, x: ExprId, border: Option<i128>) {
        if let Some(border) = border {
            self.fail_if(ErrorKind::Overflow, op, x, border);
        }
    }

    /// An error where `x op constant` holds, if types do not exclude it.
    fn fail_if(&mut self, kind: ErrorKind, op: BinaryOp, x: ExprId, constant: i128) {
        let (low, high) = self.range(x).unwrap_or((i128::MIN, i128::MAX));
        let is_possible = match op {
            BinaryOp::Lt => low < constant,
            BinaryOp::Gt => high > constant,
            _ => (low..=high).contains(&constant),
        };
        if !is_possible {
            return;
        }
        let ty = self.program.exprs.type_of(x);
        let values = of_type(&self.program.types, ty).unwrap_or((i128::MIN, i128::MAX));
        if (values.0..=values.1).contains(&constant) {
            let constant = self.int(ty, constant);
            self.fail_on(kind, op, x, constant);
        } else {
            // The type has no such number, and the comparison always holds.
            let one = self.int(self.program.types.int, 1);
            self.fail_where(kind, one);
        }
    }

    /// An error where `a op b` holds.
    fn fail_on(&mut self, kind: ErrorKind, op: BinaryOp, a: ExprId, b: ExprId) {
        let condition = self.program.exprs.intern(ExprKind::Binary(op, a, b), self.program.types.int);
        self.fail_where(kind, condition);
    }

    fn fail_where(&mut self, kind: ErrorKind, condition: ExprId) {
        let (draft, span) = (&mut *self.draft, self.span);
        let failing = *self.failing.get_or_insert_with(|| {
            let node = draft.node(NodeKind::Plain, span);
            draft.terminal(node, Op::Error { kind }, span);
            node
        });
        let rest = self.draft.node(NodeKind::Plain, span);
        self.assume(condition, failing, rest);
        self.current = rest;
    }

    /// Where `a op b` holds, and where it does not.
    fn branch(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> (NodeId, NodeId) {
        let condition = self.program.exprs.intern(ExprKind::Binary(op, a, b), self.program.types.int);
        let [yes, no] = [(); 2].map(|()| self.draft.node(NodeKind::Plain, self.span));
        self.assume(condition, yes, no);
        (yes, no)
    }

    fn assume(&mut self, condition: ExprId, yes: NodeId, no: NodeId) {
        for (truth, to) in [(true, yes), (false, no)] {
            let op = Op::Assume { condition, truth, origin: AssumeOrigin::Check };
            self.draft.edge(self.current, to, op, self.span);
        }
    }

    /// Control continues at the node.
    fn join(&mut self, node: NodeId) {
        self.draft.edge(self.current, node, Op::Skip, self.span);
        self.current = node;
    }

    // ---- expressions ----

    fn signed(&self, ty: TypeId) -> Option<Signed> {
        let types = &self.program.types;
        if !types.is_integer(ty) || !types.is_signed(ty) {
            return None;
        }
        let ((min, max), width) = (of_type(types, ty)?, types.int_width(ty)?);
        Some(Signed { ty, width, min, max })
    }

    fn range(&mut self, expr: ExprId) -> Option<Range> {
        self.ranges.of(self.program, expr)
    }

    fn may_be(&mut self, expr: ExprId, value: i128) -> bool {
        self.range(expr).is_none_or(|(low, high)| (low..=high).contains(&value))
    }

    fn int(&mut self, ty: TypeId, value: i128) -> ExprId {
        self.program.exprs.int(&self.program.types, ty, value)
    }
}

/// Is it known whether the values are positive or negative?
fn has_sign(range: Option<Range>) -> bool {
    range.is_some_and(|(low, high)| low >= 0 || high <= 0)
}
