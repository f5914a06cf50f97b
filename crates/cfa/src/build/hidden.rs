//! State behind library functions: what a call leaves for later calls of the same or other functions.
//!
//! Each piece of such state is a variable of the program. It is made only if the program can call a function
//! that needs it. All analyses follow it like any other variable.
//! * The rounding mode: `fesetround` writes it. `fegetround` and every operation that rounds read it. In a
//!   program that sets the mode, each rounding operation is a step of its own ([`super::rounding`],
//!   `LibFn::Rounded`), so that engines and the checker learn its direction from that one function. A saved
//!   environment (`fesetenv`) could have any mode, so execution that sets one leaves what Summa understands.
//!   So does an inexact operation on constants in another mode.
//! * `errno`: zero at first. Functions that may write it mark it. The next use of the name gives it any
//!   value, unless nothing was marked. A pointer to `errno` that is kept would miss that, so keeping one is
//!   not supported.
//! * Pointers that a function remembers (`strtok`), and buffers that it hands out and overwrites later
//!   (`localtime`): every call gets them as further arguments, so that it may change what they lead to.
//! * The numbers of `rand` are inputs, unless the program sets a seed. With a seed, equal seeds give equal
//!   numbers, which inputs cannot express. So they are then results of unknown code, and an execution through
//!   `rand` supports no FALSE, unless nothing is known of the seed (`summa_facts::idle`).
//! * The locale: where the program may choose one, the questions whether a character is a letter and the like
//!   have any answer.
//!
//! What is not followed is an end of the execution that a proof must exclude.

use super::function::FunctionBuilder;
use super::kept_address::KEPT_ADDRESS;
use super::rounding::Mode;
use crate::cfa::{AssumeOrigin, HaltKind, NodeKind, Op};
use crate::library::{LibFn, Math, Model, Rounded, State, model};
use summa_base::{FxHashMap, IdSet};
use summa_c::Span;
use summa_c::float::Direction;
use summa_c::tree::{
    BinaryOp, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, VarId, VarKind, Variable,
};
use summa_c::types::{FunctionType, Type, TypeId};

/// The state that the functions of this program have.
#[derive(Debug, Default)]
pub(super) struct Hidden {
    pub mode: Option<Mode>,
    errno: Option<Errno>,
    remembered: FxHashMap<&'static str, VarId>,
    has_seed: bool,
    pub(super) has_locale: bool,
}

#[derive(Clone, Copy, Debug)]
struct Errno {
    var: VarId,
    /// Something may have written it since it was used last.
    is_marked: VarId,
    /// The function whose result is the value that calls have left there.
    value: FuncId,
}

impl Hidden {
    /// What these functions need; the variables begin as zero and are added to `statics`.
    pub(super) fn collect(
        program: &mut Program,
        functions: &IdSet<FuncId>,
        statics: &mut IdSet<VarId>,
    ) -> Self {
        let mut hidden = Self::default();
        let is_external = |function: &FuncId| program.functions[*function].body.is_none();
        let found: Vec<(FuncId, State)> = functions
            .iter()
            .filter(is_external)
            .filter_map(|function| match model(program.func_name(function))? {
                Model::State(state) => Some((function, state)),
                _ => None,
            })
            .collect();
        let int = program.types.int;
        let pointer = program.types.pointer_to(program.types.void);
        let mut variable = |program: &mut Program, name: &str, ty: TypeId| {
            let name = program.names.intern(name);
            let var = program.vars.push(Variable::new(name, ty, VarKind::Global, Span::NONE));
            statics.insert(var);
            var
        };
        for (function, state) in found {
            match state {
                State::SetRounding if hidden.mode.is_none() => {
                    let var = variable(program, "rounding$mode", int);
                    let ty = program.functions[function].ty;
                    let operations = super::declare(program, "__summa_rounded", ty);
                    hidden.mode = Some(Mode { var, operations });
                }
                State::Errno if hidden.errno.is_none() => {
                    // Programs that declare the object themselves have one already.
                    let own = program.vars.iter().find(|(_, var)| {
                        var.kind == VarKind::External && program.names.text(var.name) == "errno"
                    });
                    let var = match own {
                        Some((var, variable)) if variable.ty == int => var,
                        _ => variable(program, "errno$value", int),
                    };
                    let is_marked = variable(program, "errno$marked", int);
                    let ty = FunctionType {
                        result: int,
                        params: [].into(),
                        is_variadic: false,
                        is_prototype: true,
                    };
                    let ty = program.types.intern(Type::Function(ty));
                    let value = super::declare(program, "errno", ty);
                    hidden.errno = Some(Errno { var, is_marked, value });
                }
                State::Remembers { group, .. } if !hidden.remembered.contains_key(group) => {
                    let var = variable(program, &format!("{group}$kept"), pointer);
                    hidden.remembered.insert(group, var);
                }
                State::Seed => hidden.has_seed = true,
                State::Locale => hidden.has_locale = true,
                State::SetRounding
                | State::GetRounding
                | State::SetEnvironment
                | State::Errno
                | State::Remembers { .. }
                | State::StreamBuffer(_)
                | State::Random => {}
            }
        }
        hidden
    }
}

impl FunctionBuilder<'_> {
    /// A call of a function with state of its own.
    pub(super) fn call_with_state(
        &mut self,
        state: State,
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        match state {
            State::SetRounding => self.set_rounding(callee, result, args, span),
            State::GetRounding => {
                self.evaluate(args, span);
                let mode = match self.context.hidden.mode {
                    Some(mode) => self.load_hidden(mode.var),
                    None => self.int(self.context.program.types.int, Direction::Nearest.number()),
                };
                self.answer(result, mode, span);
            }
            State::SetEnvironment => self.set_environment(callee, result, args, span),
            State::Errno => self.locate_errno(result, span),
            State::Random => self.random(callee, result, args, span),
            State::Seed | State::Locale => self.call_external(callee, result, args, span),
            State::Remembers { group, kept } => self.remember(group, kept, callee, result, args, span),
            State::StreamBuffer(position) => {
                let is_null = args.get(position).is_some_and(|&buffer| self.is_null(buffer));
                if is_null {
                    return self.call_external(callee, result, args, span);
                }
                let name = self.context.program.func_name(callee);
                let what = format!("call of `{name}`: later output writes to the buffer that it sets");
                self.unsupported(what, span);
            }
        }
    }

    fn load_hidden(&mut self, var: VarId) -> ExprId {
        let place = self.hidden_place(var);
        self.context.program.exprs.load(place)
    }

    fn hidden_place(&mut self, var: VarId) -> PlaceId {
        let program = &mut self.context.program;
        let ty = program.vars[var].ty;
        program.exprs.var(var, ty)
    }

    /// Stores a value as the result of a call.
    fn answer(&mut self, result: Option<PlaceId>, value: ExprId, span: Span) {
        let Some(place) = result else { return };
        let ty = self.context.program.exprs.place(place).ty;
        match self.convert(value, ty) {
            Some(value) => self.step(Op::Assign { place, value }, span),
            None => self.unsupported("use of a result as a value of another type".to_string(), span),
        }
    }

    pub(super) fn is_null(&self, mut pointer: ExprId) -> bool {
        let exprs = &self.context.program.exprs;
        while let ExprKind::Cast(inner) = exprs.expr(pointer).kind {
            pointer = inner;
        }
        exprs.as_int(pointer) == Some(0)
    }

    fn is_equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let program = &mut self.context.program;
        program.exprs.intern(ExprKind::Binary(BinaryOp::Eq, a, b), program.types.int)
    }

    // ---- rounding ----

    /// One of the four modes is set, and the answer is zero; any other number changes nothing.
    fn set_rounding(&mut self, callee: FuncId, result: Option<PlaceId>, args: &[ExprId], span: Span) {
        let (Some(mode), &[wanted]) = (self.context.hidden.mode, args) else {
            return self.unfit(callee, span);
        };
        let ty = self.context.program.exprs.type_of(wanted);
        let int = self.context.program.types.int;
        if !self.context.program.types.is_integer(ty) {
            return self.unfit(callee, span);
        }
        let place = self.hidden_place(mode.var);
        let end = self.draft.node(NodeKind::Plain, span);
        for direction in Direction::ALL {
            let number = self.int(ty, direction.number());
            let condition = self.is_equal(wanted, number);
            let Some((yes, no)) = self.branch(condition, AssumeOrigin::Check, span) else { return };
            self.current = yes;
            let (value, zero) = (self.int(int, direction.number()), self.int(int, 0));
            self.step(Op::Assign { place, value }, span);
            self.answer(result, zero, span);
            self.jump(end, span);
            self.current = no;
        }
        let one = self.int(int, 1);
        self.answer(result, one, span);
        self.jump(end, span);
        self.current = end;
    }

    /// `fesetenv(FE_DFL_ENV)`; any other environment may have any mode.
    fn set_environment(&mut self, callee: FuncId, result: Option<PlaceId>, args: &[ExprId], span: Span) {
        let exprs = &self.context.program.exprs;
        let mut environment = args.first().copied();
        while let Some(ExprKind::Cast(inner)) = environment.map(|id| exprs.expr(id).kind) {
            environment = Some(inner);
        }
        let size = self.context.program.types.model.pointer_size();
        let all_ones = if size == 4 { i128::from(u32::MAX) } else { i128::from(u64::MAX) };
        let is_default =
            environment.and_then(|id| exprs.as_int(id)).is_some_and(|n| n == -1 || n == all_ones);
        if !is_default {
            let name = self.context.program.func_name(callee);
            let what = format!("call of `{name}`: a saved environment may have any rounding mode");
            return self.unsupported(what, span);
        }
        if let Some(mode) = self.context.hidden.mode {
            let (place, int) = (self.hidden_place(mode.var), self.context.program.types.int);
            let value = self.int(int, Direction::Nearest.number());
            self.step(Op::Assign { place, value }, span);
        }
        let returned = self.returned_type(callee);
        if let Some(place) = result {
            let name = self.context.program.func_name(callee).to_string();
            self.external_result(callee, place, returned, &name, span);
        }
    }

    fn unfit(&mut self, callee: FuncId, span: Span) {
        let name = self.context.program.func_name(callee);
        let what =
            format!("call of `{name}` with a result or arguments that the library function does not have");
        self.unsupported(what, span);
    }

    /// A modelled function where the rounding mode is state. False: it does not depend on the mode.
    pub(super) fn call_rounded(
        &mut self,
        function: LibFn,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) -> bool {
        let Some(mode) = self.context.hidden.mode else { return false };
        let rounded = match function {
            LibFn::Math(Math::Sqrt) => Rounded::Sqrt,
            LibFn::Math(Math::Fma) => Rounded::Fma,
            LibFn::Math(Math::Rint | Math::Nearbyint | Math::Lrint | Math::Llrint) => Rounded::Integral,
            LibFn::Math(math) if math.is_rounded() => {
                self.require_nearest(mode, &format!("`{math:?}`"), span);
                return false;
            }
            LibFn::Sprintf | LibFn::Snprintf => {
                let program = &self.context.program;
                if args.iter().any(|&arg| program.types.is_float(program.exprs.type_of(arg))) {
                    self.require_nearest(mode, "the digits of a floating-point number", span);
                }
                return false;
            }
            _ => return false,
        };
        let Some(place) = result else { return false };
        let ty = self.context.program.exprs.type_of(args[0]);
        let value = self.temp("rounded", ty, span);
        let mut all = vec![self.load_hidden(mode.var)];
        for &arg in args {
            match self.convert(arg, ty) {
                Some(arg) => all.push(arg),
                None => return false,
            }
        }
        let model = LibFn::Rounded(rounded);
        self.step(Op::Library { result: Some(value), model, callee: mode.operations, args: all }, span);
        let value = self.context.program.exprs.load(value);
        self.answer(Some(place), value, span);
        true
    }

    /// Execution continues only in the default mode.
    fn require_nearest(&mut self, mode: Mode, what: &str, span: Span) {
        let (value, int) = (self.load_hidden(mode.var), self.context.program.types.int);
        let nearest = self.int(int, Direction::Nearest.number());
        let condition = self.is_equal(value, nearest);
        let Some((yes, no)) = self.branch(condition, AssumeOrigin::Check, span) else { return };
        self.current = no;
        self.unsupported(format!("{what} in another rounding mode than to nearest"), span);
        self.current = yes;
    }

    // ---- errno ----

    /// After a call of a function that may write `errno`.
    pub(super) fn mark_errno(&mut self, span: Span) {
        let Some(errno) = self.context.hidden.errno else { return };
        let (place, int) = (self.hidden_place(errno.is_marked), self.context.program.types.int);
        let value = self.int(int, 1);
        self.step(Op::Assign { place, value }, span);
    }

    /// The address of `errno`, which gets its value now if something may have written it.
    fn locate_errno(&mut self, result: Option<PlaceId>, span: Span) {
        let (Some(errno), Some(place)) = (self.context.hidden.errno, result) else { return };
        // `errno` itself is a temporary that the front end made; any other variable keeps the address.
        let own = match self.context.program.exprs.place(place).kind {
            PlaceKind::Var(var) if matches!(self.context.program.vars[var].kind, VarKind::Temp(_)) => var,
            _ => return self.unsupported(KEPT_ADDRESS.to_string(), span),
        };
        let int = self.context.program.types.int;
        let (mark, zero) = (self.hidden_place(errno.is_marked), self.int(int, 0));
        let is_marked = self.context.program.exprs.load(mark);
        let is_clean = self.is_equal(is_marked, zero);
        let Some((clean, marked)) = self.branch(is_clean, AssumeOrigin::Check, span) else { return };
        self.current = marked;
        let value = self.hidden_place(errno.var);
        let op = Op::External { result: Some(value), callee: errno.value, args: Vec::new() };
        self.step(op, span);
        self.step(Op::Assign { place: mark, value: zero }, span);
        self.jump(clean, span);
        self.current = clean;
        let program = &mut self.context.program;
        let pointer = program.types.pointer_to(int);
        let address = program.exprs.intern(ExprKind::Addr(value), pointer);
        self.answer(Some(place), address, span);
        self.errno_pointers.insert(own);
    }

    // ---- random numbers ----

    fn random(&mut self, callee: FuncId, result: Option<PlaceId>, args: &[ExprId], span: Span) {
        let returned = self.returned_type(callee);
        let Some(returned) = returned.filter(|&returned| self.context.program.types.is_integer(returned))
        else {
            return self.call_external(callee, result, args, span);
        };
        let place = self.temp("random", returned, span);
        if self.context.hidden.has_seed {
            self.call_external(callee, Some(place), args, span);
        } else {
            self.evaluate(args, span);
            self.input(false, callee, Some(place), returned, span);
        }
        let value = self.context.program.exprs.load(place);
        // Both `RAND_MAX` and the largest number of `random` are at most this.
        for (op, limit) in [(BinaryOp::Ge, 0), (BinaryOp::Le, i128::from(i32::MAX))] {
            let limit = self.int(returned, limit);
            let program = &mut self.context.program;
            let kind = ExprKind::Binary(op, value, limit);
            let condition = program.exprs.intern(kind, program.types.int);
            let Some((yes, no)) = self.branch(condition, AssumeOrigin::Assumption, span) else { return };
            self.current = no;
            self.stop(Op::Halt { kind: HaltKind::Assumption }, span);
            self.current = yes;
        }
        self.answer(result, value, span);
    }

    // ---- remembered pointers ----

    fn remember(
        &mut self,
        group: &'static str,
        kept: &[usize],
        callee: FuncId,
        result: Option<PlaceId>,
        args: &[ExprId],
        span: Span,
    ) {
        let Some(&hidden) = self.context.hidden.remembered.get(group) else {
            return self.call_external(callee, result, args, span);
        };
        let mut all = args.to_vec();
        all.push(self.load_hidden(hidden));
        let returned = self.returned_type(callee);
        let result = match (result, returned) {
            (None, Some(ty)) if self.context.program.types.is_pointer(ty) => {
                Some(self.temp("unused", ty, span))
            }
            _ => result,
        };
        self.call_external(callee, result, &all, span);
        let place = self.hidden_place(hidden);
        let mut pointers: Vec<ExprId> = kept.iter().filter_map(|&i| args.get(i).copied()).collect();
        pointers.retain(|&pointer| self.is_pointer(pointer) && !self.is_null(pointer));
        if let Some(result) = result {
            let value = self.context.program.exprs.load(result);
            if self.is_pointer(value) {
                pointers.push(value);
            }
        }
        for pointer in pointers {
            let ty = self.context.program.exprs.place(place).ty;
            if let Some(value) = self.convert(pointer, ty) {
                self.step(Op::Assign { place, value }, span);
            }
        }
    }
}
