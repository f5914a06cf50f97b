//! Calls through pointers.
//!
//! Such a call becomes a chain of comparisons with candidates:
//! 1. Functions whose address is taken in code that can run (or in initialisers that it needs), and that can
//!    be called with these arguments and this result: the callee would read the bytes that the caller wrote.
//!    This is wider than C's compatibility, since real code calls through pointers of a slightly different
//!    type.
//! 2. Functions that do not fit, but to which the pointer leads ([`super::discovered`]).
//!
//! What is left after the chain is undefined behaviour, or code outside of the program. It halts, which is an
//! assumption. Without any candidate nothing is known about the call, so it is not supported.

use super::function::FunctionBuilder;
use crate::cfa::{AssumeOrigin, HaltKind, NodeKind, Op};
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId};
use summa_c::types::TypeId;

impl FunctionBuilder<'_> {
    /// The function that the pointer is, whatever it is cast to.
    pub(super) fn constant_target(&self, mut pointer: ExprId) -> Option<FuncId> {
        loop {
            match self.context.program.exprs.expr(pointer).kind {
                ExprKind::Function(function) => return Some(function),
                ExprKind::Cast(inner) if self.is_pointer(inner) => pointer = inner,
                _ => return None,
            }
        }
    }

    pub(super) fn is_pointer(&self, expr: ExprId) -> bool {
        self.context.program.types.is_pointer(self.context.program.exprs.type_of(expr))
    }

    pub(super) fn call_pointer(
        &mut self,
        pointer: ExprId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let targets: Vec<FuncId> = self.context.references.targets.iter().collect();
        let (candidates, others): (Vec<FuncId>, Vec<FuncId>) =
            targets.into_iter().partition(|&function| self.fits(function, result, args));
        self.context.met.pointers.push((pointer, others));
        let misfits = self.misfits(pointer);
        if candidates.is_empty() && misfits.is_empty() {
            // The pointer is evaluated, so that it is known where it leads.
            let place = self.temp("callee", self.context.program.exprs.type_of(pointer), span);
            self.step(Op::Assign { place, value: pointer }, span);
            let what =
                "call through a pointer that leads to no function of the program: what it does is not known";
            return self.unsupported(what.to_string(), span);
        }
        let text = "calls through pointers reach functions of the program whose address it takes";
        self.context.assume(self.function, text.to_string(), span);
        let join = self.draft.node(NodeKind::Plain, span);
        for callee in candidates.iter().chain(&misfits).copied() {
            let condition = self.is_function(pointer, callee);
            let Some((yes, no)) = self.branch(condition, AssumeOrigin::FunctionPointer, span) else {
                break;
            };
            self.current = yes;
            match misfits.contains(&callee) {
                true => self.call_misfit(callee, result, args, span),
                false => self.call_function(callee, result, args, span),
            }
            self.jump(join, span);
            self.current = no;
        }
        self.stop(Op::Halt { kind: HaltKind::Undefined }, span);
        self.current = join;
    }

    /// `pointer == &callee`
    fn is_function(&mut self, pointer: ExprId, callee: FuncId) -> ExprId {
        let program = &mut self.context.program;
        let ty = program.exprs.type_of(pointer);
        let own = program.types.pointer_to(program.functions[callee].ty);
        let mut address = program.exprs.intern(ExprKind::Function(callee), own);
        if own != ty {
            address = program.exprs.intern(ExprKind::Cast(address), ty);
        }
        program.exprs.intern(ExprKind::Binary(BinaryOp::Eq, pointer, address), program.types.int)
    }

    /// Parameter types: of the definition, if there is one, since `f()` may have been declared without a
    /// prototype.
    fn parameters(&self, function: FuncId) -> Vec<TypeId> {
        let program = &self.context.program;
        match program.types.function_type(program.functions[function].ty) {
            Some(ty) if !self.context.defined.contains(function) => ty.params.to_vec(),
            _ => program.functions[function].params.iter().map(|&param| program.vars[param].ty).collect(),
        }
    }

    /// Can the function be called with this number of arguments?
    fn takes(&self, function: FuncId, count: usize) -> bool {
        let program = &self.context.program;
        let params = self.parameters(function).len();
        match program.types.function_type(program.functions[function].ty) {
            Some(ty) if ty.is_variadic => count >= params,
            Some(ty) if !ty.is_prototype && !self.context.defined.contains(function) => true,
            _ => count == params,
        }
    }

    fn fits(&self, function: FuncId, result: Option<PlaceId>, args: &[ExprId]) -> bool {
        let exprs = &self.context.program.exprs;
        let result_fits = match (result, self.returned_type(function)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(place), Some(ty)) => self.passes(ty, exprs.place(place).ty),
        };
        result_fits
            && self.takes(function, args.len())
            && args
                .iter()
                .zip(self.parameters(function))
                .all(|(&arg, ty)| self.passes(exprs.type_of(arg), ty))
    }
}
