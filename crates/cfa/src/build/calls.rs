//! Calls of functions with a body, of modelled and of external functions. [`crate::library`] says what
//! functions without a body mean.

use super::function::FunctionBuilder;
use crate::cfa::{AssumeOrigin, ErrorKind, HaltKind, HavocSource, Op};
use crate::library::{Digits, LibFn, Model, model};
use summa_c::Span;
use summa_c::tree::{BinaryOp, Call, Callee, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, VarKind};
use summa_c::types::TypeId;

impl FunctionBuilder<'_> {
    pub(super) fn call(&mut self, call: &Call, span: Span) {
        match call.callee {
            Callee::Direct(callee) => self.call_function(callee, call.result, &call.args, span),
            Callee::Pointer(pointer) => match self.constant_target(pointer) {
                Some(callee) => self.call_function(callee, call.result, &call.args, span),
                None => self.call_pointer(pointer, call.result, &call.args, span),
            },
        }
    }

    /// Calls `callee` by the rules of [`crate::library`].
    pub(super) fn call_function(
        &mut self,
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        if self.context.error_functions.contains(callee) {
            self.evaluate(args, span);
            self.stop(Op::Error { kind: ErrorKind::Call(callee) }, span);
        } else if self.context.defined.contains(callee) {
            self.call_body(callee, result, args, span);
        } else {
            let found = model(self.context.program.func_name(callee));
            match found {
                Some(model) => self.call_model(model, callee, result, args, span),
                None => self.call_external(callee, result, args, span),
            }
        }
    }

    // ---- functions with a body ----

    fn call_body(&mut self, callee: FuncId, result: Option<PlaceId>, args: &[ExprId], span: Span) {
        let program = &self.context.program;
        let name = program.func_name(callee).to_string();
        let function = &program.functions[callee];
        let is_variadic = program.types.function_type(function.ty).is_some_and(|f| f.is_variadic);
        let params: Vec<TypeId> = function.params.iter().map(|&param| program.vars[param].ty).collect();
        let returned = function.result.map(|var| program.vars[var].ty);
        if args.len() < params.len() {
            let what =
                format!("call of `{name}` with {} arguments for {} parameters", args.len(), params.len());
            return self.unsupported(what, span);
        }
        let mut converted = Vec::with_capacity(args.len());
        for (i, (&arg, &ty)) in args.iter().zip(&params).enumerate() {
            match self.pass(arg, ty) {
                Some(arg) => converted.push(arg),
                None => {
                    let what =
                        format!("argument {} of the call of `{name}` does not fit its parameter", i + 1);
                    return self.unsupported(what, span);
                }
            }
        }
        let extra = &args[params.len()..];
        if is_variadic {
            converted.extend(extra);
        } else {
            self.evaluate(extra, span);
        }
        self.with_result(result, returned, &name, span, |result| Op::Call {
            result,
            callee,
            args: converted,
        });
    }

    /// Emits the call made by `op`. Its result goes to `wanted`, through a temporary if the types differ.
    pub(super) fn with_result(
        &mut self,
        wanted: Option<PlaceId>,
        returned: Option<TypeId>,
        name: &str,
        span: Span,
        op: impl FnOnce(Option<PlaceId>) -> Op,
    ) {
        let Some(place) = wanted else {
            return self.step(op(None), span);
        };
        let Some(returned) = returned else {
            return self.unsupported(format!("use of the result of `{name}`, which returns none"), span);
        };
        let ty = self.context.program.exprs.place(place).ty;
        if self.same_value(ty, returned) {
            return self.step(op(Some(place)), span);
        }
        let temp = self.temp("result", returned, span);
        let value = self.context.program.exprs.load(temp);
        match self.pass(value, ty) {
            Some(value) => {
                self.step(op(Some(temp)), span);
                self.step(Op::Assign { place, value }, span);
            }
            None => {
                self.unsupported(format!("use of the result of `{name}` as a value of another type"), span)
            }
        }
    }

    // ---- functions without a body ----

    fn call_model(
        &mut self,
        model: Model,
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let name = self.context.program.func_name(callee).to_string();
        let returned = self.returned_type(callee);
        let halt = |kind| Op::Halt { kind };
        match model {
            Model::Lib(function, dropped) => self.call_library(function, dropped, callee, result, args, span),
            // `__VERIFIER_nondet_memory` and the like work through their arguments.
            Model::Nondet | Model::NondetBool
                if returned.is_none() || args.iter().any(|&arg| self.is_pointer(arg)) =>
            {
                self.call_external(callee, result, args, span);
            }
            Model::Nondet | Model::NondetBool => {
                self.evaluate(args, span);
                let int = self.context.program.types.int;
                self.input(model == Model::NondetBool, callee, result, returned.unwrap_or(int), span);
            }
            Model::Assume | Model::Assert => {
                let Some((&condition, rest)) = args.split_first() else {
                    return self.unsupported(format!("call of `{name}` without an argument"), span);
                };
                self.evaluate(rest, span);
                let (origin, failure) = match model {
                    Model::Assume => (AssumeOrigin::Assumption, halt(HaltKind::Assumption)),
                    _ => (AssumeOrigin::Assertion, Op::Error { kind: ErrorKind::Assertion }),
                };
                let Some((yes, no)) = self.branch(condition, origin, span) else {
                    return;
                };
                self.current = no;
                self.stop(failure, span);
                self.current = yes;
                if let Some(place) = result {
                    self.external_result(callee, place, returned, &name, span);
                }
            }
            Model::AssertFail => self.end(args, Op::Error { kind: ErrorKind::Assertion }, span),
            Model::Abort => self.end(args, halt(HaltKind::Abort), span),
            Model::Exit => {
                if name == "exit" && !self.run_destructors(span) {
                    return;
                }
                self.end(args, halt(HaltKind::Exit), span)
            }
            Model::Unreachable => self.end(args, halt(HaltKind::Undefined), span),
            Model::First => {
                let Some((&first, rest)) = args.split_first() else {
                    return self.unsupported(format!("call of `{name}` without an argument"), span);
                };
                self.evaluate(rest, span);
                let Some(place) = result else {
                    return self.evaluate(&[first], span);
                };
                let ty = self.context.program.exprs.place(place).ty;
                match self.convert(first, ty) {
                    Some(value) => self.step(Op::Assign { place, value }, span),
                    None => {
                        self.unsupported(format!("call of `{name}` with an argument of another type"), span)
                    }
                }
            }
            Model::NoEffect => {
                self.evaluate(args, span);
                if let Some(place) = result {
                    self.external_result(callee, place, returned, &name, span);
                }
            }
            Model::State(state) => self.call_with_state(state, callee, result, args, span),
            Model::Digits(digits) => self.parse(digits, callee, result, args, span),
            Model::Unsupported(why) => self.unsupported(format!("call of `{name}`: {why}"), span),
        }
    }

    fn end(&mut self, args: &[ExprId], op: Op, span: Span) {
        self.evaluate(args, span);
        self.stop(op, span);
    }

    /// The result has any value. Nothing else changes, so no argument is passed.
    pub(super) fn external_result(
        &mut self,
        callee: FuncId,
        place: PlaceId,
        returned: Option<TypeId>,
        name: &str,
        span: Span,
    ) {
        let op = |result| Op::External { result, callee, args: Vec::new() };
        self.with_result(Some(place), returned, name, span, op);
    }

    /// An input of the program. It is consumed even if it is not used, so that the list of inputs is the list
    /// of calls.
    pub(super) fn input(
        &mut self,
        is_bool: bool,
        callee: FuncId,
        result: Option<PlaceId>,
        returned: TypeId,
        span: Span,
    ) {
        let source = HavocSource::Input(callee);
        let types = &self.context.program.types;
        let ty = if is_bool && types.is_integer(returned) { types.bool } else { returned };
        let place = match result {
            Some(place) if self.context.program.exprs.place(place).ty == ty => place,
            _ => self.temp("input", ty, span),
        };
        self.step(Op::Havoc { place, source }, span);
        if let Some(wanted) = result
            && wanted != place
        {
            let value = self.context.program.exprs.load(place);
            let ty = self.context.program.exprs.place(wanted).ty;
            match self.convert(value, ty) {
                Some(value) => self.step(Op::Assign { place: wanted, value }, span),
                None => self.unsupported("use of an input as a value of another type".to_string(), span),
            }
        }
    }

    /// `strtol` and the like: the number and the end of the number in the string are two questions.
    fn parse(
        &mut self,
        digits: Digits,
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let int = self.context.program.types.int;
        let (string, end, base) = match *args {
            [string] => (string, None, self.int(int, 10)),
            [string, end, base] => (string, Some(end), base),
            _ => return self.call_external(callee, result, args, span),
        };
        let stored = end.filter(|&end| !self.is_null(end));
        let length = match stored.map(|end| self.end_pointer(end, string)) {
            Some(None) => return self.call_external(callee, result, args, span),
            Some(Some(place)) => {
                let ty = self.context.program.types.ptrdiff_t;
                let length = self.temp("length", ty, span);
                self.library_step(LibFn::ParsedLength, Some(length), callee, &[string, base], span);
                Some((place, length))
            }
            None => None,
        };
        self.library_step(LibFn::ParseInteger(digits), result, callee, &[string, base], span);
        self.mark_errno(span);
        let (Some(end), Some((place, length))) = (stored, length) else { return };
        let program = &mut self.context.program;
        let length = program.exprs.load(length);
        let ty = program.exprs.type_of(string);
        let rest = program.exprs.intern(ExprKind::Binary(BinaryOp::PtrAdd, string, length), ty);
        let ty = program.exprs.place(place).ty;
        let Some(value) = self.convert(rest, ty) else { return };
        let kind = self.context.program.exprs.expr(end).kind;
        if matches!(kind, ExprKind::Addr(_)) {
            return self.step(Op::Assign { place, value }, span);
        }
        let Some((there, null)) = self.branch(end, AssumeOrigin::Check, span) else { return };
        self.current = there;
        self.step(Op::Assign { place, value }, span);
        self.jump(null, span);
        self.current = null;
    }

    /// Where a pointer to the rest of a string is stored.
    fn end_pointer(&mut self, end: ExprId, string: ExprId) -> Option<PlaceId> {
        let types = &self.context.program.types;
        let exprs = &mut self.context.program.exprs;
        let target = types.pointee(exprs.type_of(end))?;
        let fits = types.is_pointer(target) && types.is_pointer(exprs.type_of(string));
        fits.then(|| match exprs.expr(end).kind {
            ExprKind::Addr(place) if exprs.place(place).ty == target => place,
            _ => exprs.intern_place(PlaceKind::Deref(end), target),
        })
    }

    fn library_step(
        &mut self,
        model: LibFn,
        result: Option<PlaceId>,
        callee: FuncId,
        args: &[ExprId],
        span: Span,
    ) {
        let program = &self.context.program;
        let result_type = result.map(|place| program.exprs.place(place).ty);
        let arg_types: Vec<TypeId> = args.iter().map(|&arg| program.exprs.type_of(arg)).collect();
        if !model.fits(&program.types, result_type, &arg_types) {
            let name = program.func_name(callee);
            let what = format!(
                "call of `{name}` with a result or arguments that the library function does not have"
            );
            return self.unsupported(what, span);
        }
        self.step(Op::Library { result, model, callee, args: args.to_vec() }, span);
    }

    fn call_library(
        &mut self,
        function: LibFn,
        dropped: &[usize],
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let name = self.context.program.func_name(callee).to_string();
        let kept: Vec<ExprId> =
            args.iter().enumerate().filter(|(i, _)| !dropped.contains(i)).map(|(_, &arg)| arg).collect();
        let others: Vec<ExprId> = dropped.iter().filter_map(|&i| args.get(i).copied()).collect();
        let program = &self.context.program;
        let result_type = result.map(|place| program.exprs.place(place).ty);
        let arg_types: Vec<TypeId> = kept.iter().map(|&arg| program.exprs.type_of(arg)).collect();
        if others.len() < dropped.len() || !function.fits(&program.types, result_type, &arg_types) {
            let what = format!(
                "call of `{name}` with a result or arguments that the library function does not have"
            );
            return self.unsupported(what, span);
        }
        if self.format_writes(function, &kept) {
            return self.unsupported(
                format!("call of `{name}` with the conversion `%n`, which writes memory"),
                span,
            );
        }
        self.evaluate(&others, span);
        let description = function.description();
        if description.reads_locale && self.context.hidden.has_locale {
            let what = format!("call of `{name}`: its answer depends on the locale that the program chooses");
            return self.unsupported(what, span);
        }
        if self.call_rounded(function, result, &kept, span) {
            return self.mark_errno(span);
        }
        match description.fresh().filter(|fresh| fresh.is_heap) {
            Some(fresh) => self.allocate(function, fresh.size, callee, result, kept, span),
            None => self.step(Op::Library { result, model: function, callee, args: kept }, span),
        }
        if description.sets_errno {
            self.mark_errno(span);
        }
    }

    /// Is this a `printf` whose format, a literal, has a `%n`?
    fn format_writes(&self, function: LibFn, args: &[ExprId]) -> bool {
        let format = function.description().format.and_then(|format| args.get(format));
        let Program { exprs, vars, .. } = &self.context.program;
        let Some(mut format) = format.copied() else {
            return false;
        };
        while let ExprKind::Cast(inner) = exprs.expr(format).kind {
            format = inner;
        }
        let ExprKind::Addr(place) = exprs.expr(format).kind else {
            return false;
        };
        let Some(literal) = exprs.root(place).filter(|&var| vars[var].kind == VarKind::Literal) else {
            return false;
        };
        let mut in_conversion = false;
        for byte in
            vars[literal].init.iter().filter_map(|&(_, value)| u8::try_from(exprs.as_int(value)?).ok())
        {
            match byte {
                b'%' => in_conversion = !in_conversion,
                b'n' if in_conversion => return true,
                // Flags, width, precision and length stand between `%` and the conversion.
                b'0'..=b'9'
                | b' '
                | b'+'
                | b'-'
                | b'#'
                | b'.'
                | b'*'
                | b'\''
                | b'h'
                | b'l'
                | b'j'
                | b'z'
                | b't' => {}
                _ => in_conversion = false,
            }
        }
        false
    }

    pub(super) fn call_external(
        &mut self,
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let name = self.context.program.func_name(callee).to_string();
        if self.context.program.functions[callee].is_noreturn {
            let text =
                format!("`{name}` has no body and never returns: a run ends at its call, without error");
            self.context.assume(self.function, text, span);
            self.context.met.external.push((self.function, callee, args.to_vec()));
            self.callbacks(callee, args, span);
            return self.end(args, Op::Halt { kind: HaltKind::Abort }, span);
        }
        let text = format!(
            "`{name}` has no body: a call returns any value and may change what its pointer arguments reach \
             and call functions that it was given; it changes nothing else, and returns"
        );
        self.context.assume(self.function, text, span);
        let returned = self.returned_type(callee);
        let args = args.to_vec();
        self.context.met.external.push((self.function, callee, args.clone()));
        self.callbacks(callee, &args, span);
        self.with_result(result, returned, &name, span, |result| Op::External { result, callee, args });
        self.mark_errno(span);
    }

    /// None for `void`.
    pub(super) fn returned_type(&self, function: FuncId) -> Option<TypeId> {
        let program = &self.context.program;
        let result = program.types.function_type(program.functions[function].ty)?.result;
        (!program.types.is_void(result)).then_some(result)
    }
}
