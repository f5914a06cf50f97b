//! The synthetic function that runs first: it gives static objects their initial values, and calls
//! constructors, the entry function, and destructors.
//!
//! Objects to which nothing reachable refers are left out. Objects that no file defines start with any value.
//! So do all objects that are not constant, if the environment may have changed them before. `arguments.rs`
//! makes the arguments.

use super::Context;
use super::draft::Draft;
use super::function::FunctionBuilder;
use crate::cfa::{HaltKind, HavocSource, Op};
use summa_c::Span;
use summa_c::tree::{FuncId, Function, Program, VarId, VarKind};
use summa_c::types::{FunctionType, Type};

pub(super) fn declare(program: &mut Program) -> FuncId {
    let result = program.types.void;
    let ty = FunctionType { result, params: [].into(), is_variadic: false, is_prototype: true };
    let ty = program.types.intern(Type::Function(ty));
    super::declare(program, "__summa_start", ty)
}

pub(super) fn build(context: &mut Context, start: FuncId, main: FuncId) -> Draft {
    context.references.functions.insert(start);
    let statics: Vec<VarId> = context.references.statics.iter().collect();
    let span = context.program.functions[main].span;
    let mut builder = FunctionBuilder::new(context, start, Draft::new(span, span));
    for var in statics {
        builder.initialise(var);
    }
    let perhaps_null = builder.context.references.perhaps_null.iter().next();
    if let Some(function) = perhaps_null {
        let program = &builder.context.program;
        let (name, place) = (program.func_name(function), program.functions[function].span);
        let what = format!("the address of `{name}`, which is weak and has no definition: it may be null");
        builder.unsupported(what, place);
    }
    builder.run(main, span);
    builder.draft
}

impl FunctionBuilder<'_> {
    fn initialise(&mut self, var: VarId) {
        let variable = &self.context.program.vars[var];
        let (ty, span, kind) = (variable.ty, variable.span, variable.kind);
        // State behind library functions is no object of the program.
        let is_constant = variable.is_const || kind == VarKind::Literal || span == Span::NONE;
        let init = variable.init.clone();
        let place = self.context.program.exprs.var(var, ty);
        if kind == VarKind::External {
            let name = self.context.program.var_name(var);
            let text = format!(
                "`{name}` is defined in none of the files: it starts with any value, and nothing outside of \
                 the program writes to it"
            );
            self.context.assume(self.function, text, span);
            return self.step(Op::Havoc { place, source: HavocSource::ExternalObject }, span);
        }
        if self.context.environment.any_globals && !is_constant {
            return self.step(Op::Havoc { place, source: HavocSource::Global }, span);
        }
        // A scalar with an initialiser needs no zero before it.
        if init.first().is_none_or(|&(first, _)| first != place) {
            self.step(Op::Zero { place }, span);
        }
        for (place, value) in init {
            self.step(Op::Assign { place, value }, span);
        }
    }

    fn run(&mut self, main: FuncId, span: Span) {
        let program = &self.context.program;
        let is_kept = |var: VarId| {
            let variable = &program.vars[var];
            let is_own = variable.span != Span::NONE && !variable.is_const;
            is_own && matches!(variable.kind, VarKind::Global | VarKind::Static(_))
        };
        let name = program.func_name(main).to_string();
        if name != "main"
            && !self.context.environment.any_globals
            && self.context.references.statics.iter().any(is_kept)
        {
            let text =
                format!("static objects hold their initial values when `{name}` is called (--globals any)");
            self.context.assume(main, text, span);
        }
        for constructor in self.context.program.constructors.clone() {
            if !self.call_unasked(constructor) {
                return;
            }
        }
        let args = self.arguments(main, span);
        self.step(Op::Call { result: None, callee: main, args }, span);
        if self.run_destructors(span) {
            self.stop(Op::Halt { kind: HaltKind::Exit }, span);
        }
    }

    /// Calls a constructor or destructor. False: control ends here.
    fn call_unasked(&mut self, function: FuncId) -> bool {
        let Function { params, span, .. } = &self.context.program.functions[function];
        let (is_plain, span) = (params.is_empty(), *span);
        if is_plain {
            self.step(Op::Call { result: None, callee: function, args: Vec::new() }, span);
        } else {
            self.unsupported("a constructor or destructor with parameters".to_string(), span);
        }
        is_plain
    }

    /// What runs when the program ends. False: control ends here.
    pub(super) fn run_destructors(&mut self, span: Span) -> bool {
        let destructors = self.context.program.destructors.clone();
        if self.context.references.ending.contains(self.function) {
            self.unsupported("`exit` in what a destructor may call".to_string(), span);
            return false;
        }
        destructors.into_iter().all(|destructor| self.call_unasked(destructor))
    }
}
