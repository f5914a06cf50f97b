//! The arguments with which the entry function is called.
//!
//! `main` gets what the environment gives every program (5.1.2.2.1). `argc` is not negative. `argv` has
//! `argc` strings and then a null pointer. `envp` is such a list of any length. Strings have any length and
//! any characters. The function that runs first makes all of that, in loops whose rounds are inputs. So
//! executions have short lists, and a proof is about all of them. A list that `main` does not use is not
//! made; then it is null. If `main` uses none of its arguments, they are zero.
//!
//! Any other entry function, and a `main` with other parameters, gets any values. A pointer among them is an
//! input like those from input functions: null, invalid, or into memory of the environment.

use super::function::FunctionBuilder;
use crate::cfa::{HavocSource, NodeId, NodeKind, Op};
use crate::environment::is_hosted;
use crate::library::LibFn;
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, VarId};
use summa_c::types::{DataModel, FunctionType, Type, TypeId};

/// A loop that counts from zero.
struct Counted {
    head: NodeId,
    index: PlaceId,
    after: NodeId,
}

impl FunctionBuilder<'_> {
    /// The arguments of the entry function, in order.
    pub(super) fn arguments(&mut self, main: FuncId, span: Span) -> Vec<ExprId> {
        let params = self.context.program.functions[main].params.clone();
        match params.as_slice() {
            params @ &[argc, ref lists @ ..] if is_hosted(&self.context.program, main) => {
                let program = &self.context.program;
                if !params.iter().any(|&param| is_used(program, param)) {
                    let none = |builder: &mut Self, param: VarId| {
                        let ty = builder.context.program.vars[param].ty;
                        builder.int(ty, 0)
                    };
                    return params.iter().map(|&param| none(self, param)).collect();
                }
                let mut count = self.any_argument(argc, span);
                let zero = self.int(self.context.program.types.int, 0);
                let is_possible = self.comparison(BinaryOp::Ge, count, zero);
                self.require(is_possible, span);
                let mut args = vec![count];
                for (position, &list) in lists.iter().enumerate() {
                    if !is_used(&self.context.program, list) {
                        let ty = self.context.program.vars[list].ty;
                        args.push(self.int(ty, 0));
                        continue;
                    }
                    if position > 0 {
                        count = self.any_argument(argc, span);
                        let is_possible = self.comparison(BinaryOp::Ge, count, zero);
                        self.require(is_possible, span);
                    }
                    let made = self.list(count, span);
                    args.push(made);
                }
                args
            }
            _ => params.iter().map(|&param| self.any_argument(param, span)).collect(),
        }
    }

    /// Any value of a parameter's type.
    fn any_argument(&mut self, param: VarId, span: Span) -> ExprId {
        let variable = &self.context.program.vars[param];
        let (name, ty) = (self.context.program.var_name(param).to_string(), variable.ty);
        self.given(&name, ty, span)
    }

    fn given(&mut self, name: &str, ty: TypeId, span: Span) -> ExprId {
        let place = self.temp(name, ty, span);
        self.step(Op::Havoc { place, source: HavocSource::EntryArgument }, span);
        self.context.program.exprs.load(place)
    }

    /// `count` strings and a null pointer.
    fn list(&mut self, count: ExprId, span: Span) -> ExprId {
        let types = &mut self.context.program.types;
        let (string, int, size_t, model) = (types.char_ptr, types.int, types.size_t, types.model);
        let list = types.pointer_to(string);
        if model == DataModel::Ilp32 {
            // More pointers do not fit into an object.
            let most = self.int(int, i128::from(i32::MAX) / 4 - 1);
            let fits = self.comparison(BinaryOp::Le, count, most);
            self.require(fits, span);
        }
        let pointer_size = self.int(size_t, i128::from(model.pointer_size()));
        let one = self.int(size_t, 1);
        let exprs = &mut self.context.program.exprs;
        let strings = exprs.intern(ExprKind::Cast(count), size_t);
        let places = exprs.intern(ExprKind::Binary(BinaryOp::Add, strings, one), size_t);
        let size = exprs.intern(ExprKind::Binary(BinaryOp::Mul, places, pointer_size), size_t);
        let made = self.object("list", list, size, span);
        let each = self.begin_loop(int, count, span);
        let text = self.string(span);
        let index = self.context.program.exprs.load(each.index);
        self.put(made, index, text, span);
        self.end_loop(&each, int, span);
        let null = self.int(string, 0);
        self.put(made, count, null, span);
        made
    }

    /// A string of any length and content.
    fn string(&mut self, span: Span) -> ExprId {
        let types = &self.context.program.types;
        let (char, string, size_t) = (types.char, types.char_ptr, types.size_t);
        let most = types.model.largest_object();
        let length = self.given("length", size_t, span);
        let most = self.int(size_t, most);
        let fits = self.comparison(BinaryOp::Lt, length, most);
        self.require(fits, span);
        let one = self.int(size_t, 1);
        let size = self.context.program.exprs.intern(ExprKind::Binary(BinaryOp::Add, length, one), size_t);
        let made = self.object("string", string, size, span);
        let each = self.begin_loop(size_t, length, span);
        let character = self.given("character", char, span);
        let end = self.int(char, 0);
        let is_inside = self.comparison(BinaryOp::Ne, character, end);
        self.require(is_inside, span);
        let index = self.context.program.exprs.load(each.index);
        self.put(made, index, character, span);
        self.end_loop(&each, size_t, span);
        self.put(made, length, end, span);
        made
    }

    /// A new object that lives as long as the program and must not be freed.
    fn object(&mut self, name: &str, ty: TypeId, size: ExprId, span: Span) -> ExprId {
        let callee = self.allocator();
        let result = self.temp(name, ty, span);
        self.step(Op::Library { result: Some(result), model: LibFn::Alloca, callee, args: vec![size] }, span);
        self.context.program.exprs.load(result)
    }

    fn allocator(&mut self) -> FuncId {
        let program = &mut self.context.program;
        if let Some(known) = program.find_function("__builtin_alloca") {
            return known;
        }
        let types = &mut program.types;
        let (result, params) = (types.void_ptr, [types.size_t].into());
        let ty = FunctionType { result, params, is_variadic: false, is_prototype: true };
        let ty = types.intern(Type::Function(ty));
        super::declare(program, "__builtin_alloca", ty)
    }

    /// `pointer[index] = value`
    fn put(&mut self, pointer: ExprId, index: ExprId, value: ExprId, span: Span) {
        let program = &mut self.context.program;
        let (ty, ptrdiff_t) = (program.exprs.type_of(pointer), program.types.ptrdiff_t);
        let index = match program.exprs.as_int(index) {
            Some(number) => program.exprs.int(&program.types, ptrdiff_t, number),
            None if program.exprs.type_of(index) == ptrdiff_t => index,
            None => program.exprs.intern(ExprKind::Cast(index), ptrdiff_t),
        };
        let at = program.exprs.intern(ExprKind::Binary(BinaryOp::PtrAdd, pointer, index), ty);
        let element = program.exprs.type_of(value);
        let place = program.exprs.intern_place(PlaceKind::Deref(at), element);
        self.step(Op::Assign { place, value }, span);
    }

    fn begin_loop(&mut self, ty: TypeId, count: ExprId, span: Span) -> Counted {
        let index = self.temp("index", ty, span);
        let zero = self.int(ty, 0);
        self.step(Op::Assign { place: index, value: zero }, span);
        let head = self.draft.node(NodeKind::Plain, span);
        self.jump(head, span);
        self.current = head;
        let reached = self.context.program.exprs.load(index);
        let goes_on = self.comparison(BinaryOp::Lt, reached, count);
        let after = match self.branch(goes_on, crate::cfa::AssumeOrigin::Environment, span) {
            Some((yes, no)) => {
                self.current = yes;
                no
            }
            None => self.current,
        };
        Counted { head, index, after }
    }

    fn end_loop(&mut self, each: &Counted, ty: TypeId, span: Span) {
        let one = self.int(ty, 1);
        let exprs = &mut self.context.program.exprs;
        let index = exprs.load(each.index);
        let value = exprs.intern(ExprKind::Binary(BinaryOp::Add, index, one), ty);
        self.step(Op::Assign { place: each.index, value }, span);
        self.jump(each.head, span);
        self.current = each.after;
    }
}

/// Does anything look at the variable?
fn is_used(program: &Program, var: VarId) -> bool {
    let exprs = &program.exprs;
    exprs.expr_ids().any(|id| match exprs.expr(id).kind {
        ExprKind::Load(place) | ExprKind::Addr(place) => exprs.root(place) == Some(var),
        _ => false,
    })
}
