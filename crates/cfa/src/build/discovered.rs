//! Calls that only points-to finds: functions behind pointers of another type, and callbacks from outside.
//!
//! A pointer is compared with the functions that fit the call, and with those that do not fit but are
//! [`Discovered`]. Code outside of the program may call the functions that it knows, whenever it is called
//! with memory or with a function. `summa_transform::build` finds both kinds.

use super::function::FunctionBuilder;
use crate::cfa::{AssumeOrigin, NodeKind, Op};
use summa_base::{FxHashMap, FxHashSet};
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, VarId};
use summa_c::types::{FunctionType, Type, TypeId};

/// Calls of external functions are distinguished by caller, function and arguments.
pub type Site = (FuncId, FuncId, Vec<ExprId>);

/// The calls known so far that are not visible in the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovered {
    /// Functions that are called through a pointer and do not fit the call.
    pub misfits: FxHashMap<ExprId, Vec<FuncId>>,
    /// Functions of the program that code outside may call.
    pub known_outside: Vec<FuncId>,
    /// Calls that may call them back.
    pub calling_back: FxHashSet<Site>,
}

/// What was found while building.
#[derive(Debug, Default)]
pub struct Met {
    /// Pointers that are called, with the functions that do not fit.
    pub pointers: Vec<(ExprId, Vec<FuncId>)>,
    pub external: Vec<Site>,
}

impl FunctionBuilder<'_> {
    /// The functions that do not fit a call through this pointer, but are called.
    pub(super) fn misfits(&self, pointer: ExprId) -> Vec<FuncId> {
        self.context.discovered.misfits.get(&pointer).cloned().unwrap_or_default()
    }

    /// Calls a function that does not fit. A parameter gets its argument as long as all arguments up to it
    /// fit, and otherwise any value. A result that does not fit has any value.
    pub(super) fn call_misfit(
        &mut self,
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let name = self.context.program.func_name(callee).to_string();
        if self.context.error_functions.contains(callee) {
            return self.call_function(callee, result, args, span);
        }
        if !self.context.defined.contains(callee) {
            let what = format!("call of `{name}` through a pointer with other parameters than it has");
            return self.unsupported(what, span);
        }
        let text = format!(
            "`{name}` is called through a pointer with other parameters or another result than it has: from \
             the first one that does not fit, parameters have any value, and so has the result"
        );
        self.context.assume(self.function, text, span);
        let program = &self.context.program;
        let is_variadic =
            program.types.function_type(program.functions[callee].ty).is_some_and(|f| f.is_variadic);
        let params: Vec<TypeId> =
            program.functions[callee].params.iter().map(|&param: &VarId| program.vars[param].ty).collect();
        let mut passed = Vec::with_capacity(args.len().max(params.len()));
        let mut all_fit = true;
        for (i, &ty) in params.iter().enumerate() {
            let fitting = args.get(i).copied().filter(|_| all_fit).and_then(|arg| self.pass(arg, ty));
            all_fit &= fitting.is_some();
            let arg = match fitting {
                Some(arg) => arg,
                None => self.any_value(ty, span),
            };
            passed.push(arg);
        }
        let extra = args.get(params.len()..).unwrap_or_default();
        match is_variadic && all_fit {
            true => passed.extend(extra),
            false => self.evaluate(extra, span),
        }
        if is_variadic && !all_fit {
            return self.unsupported(format!("variable arguments of `{name}` that do not fit"), span);
        }
        let fits = match (result, self.returned_type(callee)) {
            (Some(place), Some(ty)) => self.passes(ty, self.context.program.exprs.place(place).ty),
            _ => false,
        };
        if fits {
            let returned = self.returned_type(callee);
            return self.with_result(result, returned, &name, span, |result| Op::Call {
                result,
                callee,
                args: passed,
            });
        }
        self.step(Op::Call { result: None, callee, args: passed }, span);
        if let Some(place) = result {
            self.any(place, span);
        }
    }

    /// Code outside of the program calls the functions that it knows, in any order, any number of times, with
    /// any arguments; what it can reach may change before each call.
    pub(super) fn callbacks(&mut self, callee: FuncId, args: &[ExprId], span: Span) {
        let site = (self.function, callee, args.to_vec());
        if !self.context.discovered.calling_back.contains(&site) {
            return;
        }
        let int = self.context.program.types.int;
        let (head, next) = (self.draft.node(NodeKind::Plain, span), self.draft.node(NodeKind::Plain, span));
        self.jump(head, span);
        self.current = head;
        self.step(Op::External { result: None, callee, args: args.to_vec() }, span);
        let choice = self.any_value(int, span);
        for (i, function) in self.context.discovered.known_outside.clone().into_iter().enumerate() {
            let number = self.int(int, i as i128);
            let kind = ExprKind::Binary(BinaryOp::Eq, choice, number);
            let condition = self.context.program.exprs.intern(kind, int);
            let Some((yes, no)) = self.branch(condition, AssumeOrigin::FunctionPointer, span) else { break };
            self.current = yes;
            self.call_any(function, span);
            self.jump(head, span);
            self.current = no;
        }
        self.jump(next, span);
        self.current = next;
    }

    /// Calls the function with any arguments.
    fn call_any(&mut self, callee: FuncId, span: Span) {
        if self.context.error_functions.contains(callee) {
            return self.call_function(callee, None, &[], span);
        }
        let program = &self.context.program;
        let params: Vec<TypeId> =
            program.functions[callee].params.iter().map(|&param| program.vars[param].ty).collect();
        let args = params.into_iter().map(|ty| self.any_value(ty, span)).collect();
        self.step(Op::Call { result: None, callee, args }, span);
    }

    /// Any value of the type, from outside of the program.
    fn any_value(&mut self, ty: TypeId, span: Span) -> ExprId {
        let place = self.temp("any", ty, span);
        self.any(place, span);
        self.context.program.exprs.load(place)
    }

    fn any(&mut self, place: PlaceId, span: Span) {
        let types = &mut self.context.program.types;
        let result = self.context.program.exprs.place(place).ty;
        let signature = FunctionType { result, params: [].into(), is_variadic: false, is_prototype: true };
        let ty = types.intern(Type::Function(signature));
        let callee = self.context.outside(ty);
        self.step(Op::External { result: Some(place), callee, args: Vec::new() }, span);
    }
}
