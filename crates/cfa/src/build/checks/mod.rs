//! Checks of arithmetic as branches of the automata. So any engine that decides whether an error can be
//! reached also decides whether an operation can go wrong.
//!
//! Before an edge that computes `x + 1` comes the branch `x > 2147483646`. Its true side is an error, its
//! false side leads to the edge. An edge with several operations gets their branches in the order of
//! evaluation, operands first, so a condition computes only what was checked before it. Expressions are free
//! of `&&`, `||` and `?:`, so everything in them is evaluated.
//!
//! `summa_c::arith` defines what "goes wrong" means. The conditions are its comparisons, rewritten in a form
//! that suits intervals and linear arithmetic:
//! * one operand is a constant: the other one is compared with a constant;
//! * `int` and smaller types: the result is computed in `long long` and compared with the limits;
//! * wider types: `a > MAX - b` where b ≥ 0 and `a < MIN - b` elsewhere, products by dividing the limits.
//!
//! Operations that types and constants show to be safe ([`super::ranges`]) get no branch. Pointer arithmetic
//! and indices are no integer arithmetic. Conversions never overflow (they are implementation-defined at
//! most). Right shifts and shifts of unsigned values never overflow.
//!
//! A left shift of a value that is not negative is a product. If that does not fit, it is an overflow, and an
//! error of shifts too. A negative value or a bad amount is an error of shifts. If only overflow is asked
//! for, such a left shift leaves what Summa understands, because it is undefined and the property does not
//! cover it.
//!
//! Limits: expressions have no place of their own in the source, so the error has that of its edge. An
//! invalid access or a division by zero (if that is not checked) elsewhere in the same expression does not
//! hide an overflow, even if it comes first in the order of evaluation. C fixes no order, and the behaviour
//! is undefined either way.

mod conditions;
mod indices;
mod operations;

use super::draft::Draft;
use super::ranges::{Range, Ranges, of_type};
use crate::cfa::{AssumeOrigin, Checks, ErrorKind, NodeId, NodeKind, Op};
pub use conditions::UNDEFINED_SHIFT;
pub use indices::LEAVES_MEMBER;
use operations::{Operation, operations};
use summa_c::Span;
use summa_c::tree::{BinaryOp, Expr, ExprId, ExprKind, FuncId, PlaceId, Program, UnaryOp};
use summa_c::types::{ArrayLen, Type, TypeId};

/// Where every evaluation must be defined, and the function that counts as called otherwise.
pub(super) struct MustBeDefined<'m> {
    pub(super) within: &'m [Span],
    pub(super) broken: FuncId,
}

/// Reads through pointers, where all must be defined.
const MAY_BE_INVALID: &str = "an access through a pointer where it must be valid";

/// Puts the checks before the edges of a function: all, or those of a part of the text.
pub(super) fn insert(
    draft: &mut Draft,
    program: &mut Program,
    checks: Checks,
    members_apart: bool,
    must_be: Option<&MustBeDefined<'_>>,
) {
    if checks == Checks::NONE && !members_apart && must_be.is_none() {
        return;
    }
    let mut ranges = Ranges::default();
    let nodes: Vec<NodeId> = draft.node_ids().collect();
    let leaving = draft.leaving();
    for node in nodes {
        // Of two edges that assume the same condition, one stands for both.
        let Some(&first) = leaving[node].first() else { continue };
        let (op, span) = (draft.op(first).clone(), draft.span(first));
        let is_within = |part: &Span| part.lo <= span.lo && span.hi <= part.hi && span.lo < span.hi;
        let must_be = must_be.filter(|must_be| must_be.within.iter().any(is_within));
        let broken = must_be.map(|must_be| must_be.broken);
        let checks = if broken.is_some() { Checks::ALL } else { checks };
        let operations = operations(program, &op, broken.is_some());
        let mut branches = Branches {
            draft: &mut *draft,
            program: &mut *program,
            ranges: &mut ranges,
            checks,
            members_apart,
            broken,
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

/// The branches before one edge.
struct Branches<'a> {
    draft: &'a mut Draft,
    program: &'a mut Program,
    ranges: &'a mut Ranges,
    checks: Checks,
    members_apart: bool,
    /// The function whose call stands for every error, if there is one.
    broken: Option<FuncId>,
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
            Operation::Index(array, index) if self.broken.is_some() => return self.element(array, index),
            Operation::Index(array, index) => return self.index(array, index),
            Operation::Followed => return self.unknown(),
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
            (ExprKind::Binary(BinaryOp::Shl, a, b), Some(signed)) if self.checks.overflow => {
                self.shifted(signed, a, b);
            }
            _ => {}
        }
    }

    /// An element must be one of its array.
    fn element(&mut self, array: PlaceId, index: ExprId) {
        let array = self.program.exprs.place(array).ty;
        let &Type::Array(_, ArrayLen::Fixed(length)) = self.program.types.get(array) else {
            return self.unknown();
        };
        self.fail_if(ErrorKind::Overflow, BinaryOp::Lt, index, 0);
        self.fail_if(ErrorKind::Overflow, BinaryOp::Gt, index, i128::from(length) - 1);
    }

    /// Whether a pointer may be followed is not known here: control ends in something that is not supported.
    fn unknown(&mut self) {
        self.draft.terminal(self.current, Op::Unsupported { what: MAY_BE_INVALID.into() }, self.span);
        self.current = self.draft.node(NodeKind::Plain, self.span);
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
        let kind = self.broken.map_or(kind, ErrorKind::Call);
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
