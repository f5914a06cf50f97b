//! Calls of functions that allocate.
//!
//! The environment decides whether memory is left. By default no allocation fails. A request that no object
//! can satisfy, because it has more bytes than the largest difference of pointers, ends the execution. With
//! [`Environment::allocation_may_fail`](crate::environment::Environment) each call asks for an input first:
//! if it is zero, the result is null. So a call that an engine sees always returns a new object.

use super::function::FunctionBuilder;
use crate::cfa::{AssumeOrigin, HaltKind, HavocSource, Op};
use crate::library::{LibFn, Size};
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId};
use summa_c::types::{DataModel, IntKind};

const NEVER_FAILS: &str = "no allocation fails: `malloc` and its relatives never return null, and an \
                           execution that asks for more memory than an object can have ends there \
                           (--malloc-may-fail)";

impl FunctionBuilder<'_> {
    /// The `Library` edge of such a function, and the choice of the environment before it.
    pub(super) fn allocate(
        &mut self,
        function: LibFn,
        size: Size,
        callee: FuncId,
        result: Option<PlaceId>,
        args: Vec<ExprId>,
        span: Span,
    ) {
        let may_fail = self.context.environment.allocation_may_fail;
        if !may_fail {
            self.context.assume(self.function, NEVER_FAILS.to_string(), span);
        }
        let failed = if may_fail { self.failing(result, span) } else { None };
        self.end_if_too_large(size, &args, span);
        self.step(Op::Library { result, model: function, callee, args }, span);
        if let Some(failed) = failed {
            self.jump(failed, span);
            self.current = failed;
        }
    }

    /// An input decides. Returns the node where the result is null; control continues where the call
    /// succeeds.
    fn failing(&mut self, result: Option<PlaceId>, span: Span) -> Option<crate::cfa::NodeId> {
        let bool = self.context.program.types.bool;
        let fails = self.temp("fails", bool, span);
        self.step(Op::Havoc { place: fails, source: HavocSource::Allocation }, span);
        let fails = self.context.program.exprs.load(fails);
        let (yes, no) = self.branch(fails, AssumeOrigin::Environment, span)?;
        self.current = yes;
        if let Some(place) = result {
            let ty = self.context.program.exprs.place(place).ty;
            let value = self.int(ty, 0);
            self.step(Op::Assign { place, value }, span);
        }
        let failed = self.current;
        self.current = no;
        Some(failed)
    }

    fn end_if_too_large(&mut self, size: Size, args: &[ExprId], span: Span) {
        let size_t = self.context.program.types.size_t;
        let most = self.context.program.types.model.largest_object();
        let positions = match size {
            Size::Argument(i) => vec![i],
            Size::Product(i, j) => vec![i, j],
            Size::Text(_) => vec![],
        };
        let sizes = positions.into_iter().filter_map(|i| args.get(i).copied());
        let sizes: Vec<ExprId> = sizes.filter_map(|size| self.convert(size, size_t)).collect();
        let known = |this: &Self, size: ExprId| {
            summa_c::fold::int(&this.context.program.types, &this.context.program.exprs, size)
        };
        let (size, limit) = match *sizes.as_slice() {
            [size] => match known(self, size) {
                Some(size) if size <= most => return,
                _ => (size, self.int(size_t, most)),
            },
            [a, b] => match (known(self, a), known(self, b)) {
                (Some(0), _) | (_, Some(0)) => return,
                (Some(a), Some(b)) if a.saturating_mul(b) <= most => return,
                (Some(number), _) => (b, self.int(size_t, most / number)),
                (_, Some(number)) => (a, self.int(size_t, most / number)),
                (None, None) => self.product(a, b, most),
            },
            _ => return,
        };
        let fits = self.comparison(BinaryOp::Le, size, limit);
        self.require(fits, span);
    }

    /// The product of two sizes, and the limit, in a type that holds both.
    fn product(&mut self, a: ExprId, b: ExprId, most: i128) -> (ExprId, ExprId) {
        let program = &mut self.context.program;
        let wide = match program.types.model {
            DataModel::Ilp32 => IntKind::UnsignedLongLong,
            DataModel::Lp64 => IntKind::UnsignedInt128,
        };
        let wide = program.types.int_type(wide);
        let [a, b] = [a, b].map(|size| program.exprs.intern(ExprKind::Cast(size), wide));
        let product = program.exprs.intern(ExprKind::Binary(BinaryOp::Mul, a, b), wide);
        (product, self.int(wide, most))
    }

    /// Executions in which the condition does not hold do not count.
    pub(super) fn require(&mut self, condition: ExprId, span: Span) {
        if let Some((yes, no)) = self.branch(condition, AssumeOrigin::Environment, span) {
            self.current = no;
            self.stop(Op::Halt { kind: HaltKind::Assumption }, span);
            self.current = yes;
        }
    }

    pub(super) fn comparison(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        let int = self.context.program.types.int;
        self.context.program.exprs.intern(ExprKind::Binary(op, a, b), int)
    }
}
