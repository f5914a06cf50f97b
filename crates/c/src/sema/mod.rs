//! Typing and lowering: from the untyped trees of all translation units to one [`Program`].
//!
//! `types.rs` and `record.rs` turn specifiers and declarators into types with gcc's layout. `declare.rs` puts
//! names into scope and links files. `init.rs` flattens initialisers. `expr.rs` and its neighbours make
//! expressions pure by moving effects into statements. `stmt.rs` and `branch.rs` reduce control flow to
//! branches, loops and gotos.
//!
//! Invalid C gives a [`Diagnostic`]; C that is valid but not supported becomes a [`StmtKind::Unsupported`]
//! where it would be executed, so that only executions that get there are lost.

mod assign;
mod atomic;
mod attribute;
mod branch;
mod builtin;
mod builtin_float;
mod builtin_int;
mod call;
mod cleanup;
mod convert;
mod declare;
mod definition;
mod exact;
mod expr;
mod function;
mod init;
mod jump;
mod layout;
mod local;
mod loops;
mod operator;
mod place;
mod plan;
mod record;
mod scope;
mod stmt;
mod store;
mod switch;
mod type_operand;
mod types;

use crate::tree::{
    About, Assumption, Body, ExprId, ExprKind, Exprs, FuncId, Function, Label, LabelId, PlaceId, Program,
    Stmt, StmtKind, VarId, VarKind, Variable,
};
use crate::types::{DataModel, TypeId, Types};
use scope::{Linkage, Scopes};
use summa_base::{FxHashMap, IdMap, IdSet, IdVec, Interner, Symbol};
use summa_syntax::Dialect;
use summa_syntax::Span;
use summa_syntax::ast::{self, Ast};
use summa_syntax::{Diagnostic, Severity};

/// Types and links the units, each in its dialect. The program is usable only if no diagnostic is an error.
pub fn analyze(
    units: &[Ast],
    dialects: &[Dialect],
    names: Interner,
    model: DataModel,
) -> (Program, Vec<Diagnostic>) {
    let empty = Ast::default();
    let mut sema = Sema::new(&empty, names, model);
    let is_unsigned = |dialect: &Dialect| dialect.unsigned_char == Some(true);
    if dialects.iter().any(is_unsigned) {
        sema.types.make_char_unsigned();
        if !dialects.iter().all(is_unsigned) {
            let message = "plain `char` is unsigned in some files of the program and signed in others";
            sema.report(Diagnostic::error(Span::NONE, message));
        }
    }
    for (position, unit) in units.iter().enumerate() {
        sema.ast = unit;
        sema.types.unit = position as u32;
        sema.dialect = dialects.get(position).copied().unwrap_or_default();
        sema.unit();
    }
    sema.finish_linking();
    let mut program = sema.program();
    crate::unify::unify(&mut program);
    (program, sema.diagnostics)
}

/// The lowering of a construct stopped. The reason was already given: a diagnostic, or an `Unsupported`
/// statement.
#[derive(Debug)]
pub(crate) struct Stop;

pub(crate) type Lowered<T> = Result<T, Stop>;

/// After this many errors no more are reported.
const MAX_ERRORS: usize = 50;

/// Deeper expressions are split with temporaries, so that code that walks the tree may recurse.
const MAX_EXPR_DEPTH: u16 = 400;

/// Chains that the parser reads in a loop (`a = b = …`, `c ? x : d ? y : …`) are nested here.
const MAX_NESTING: u32 = 20_000;

/// Everything known so far about the program, and where in it we are.
pub(crate) struct Sema<'a> {
    pub(crate) ast: &'a Ast,
    /// The dialect of the current translation unit.
    pub(crate) dialect: Dialect,
    pub(crate) types: Types,
    pub(crate) exprs: Exprs,
    pub(crate) vars: IdVec<VarId, Variable>,
    pub(crate) functions: IdVec<FuncId, Function>,
    pub(crate) names: Interner,
    pub(crate) assumptions: Vec<Assumption>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) scopes: Scopes,
    pub(crate) linkage: Linkage,
    pub(crate) declared: declare::Declared,
    /// The function whose body is being lowered.
    pub(crate) function: Option<FunctionContext>,
    /// Where statements go; innermost list.
    pub(crate) out: Vec<Stmt>,
    /// Depth of the expressions made so far; 0 for those that count as leaves.
    depths: IdMap<ExprId, u16>,
    literals: FxHashMap<(Vec<u32>, TypeId), VarId>,
    /// How deep in nested expressions and statements we are.
    nesting: u32,
    /// Reported so far.
    errors: usize,
}

/// The state of lowering one function body.
pub(crate) struct FunctionContext {
    pub(crate) id: FuncId,
    pub(crate) labels: IdVec<LabelId, Label>,
    /// Labels of the source by name, made at first mention; `defined` ones have been placed.
    pub(crate) named_labels: FxHashMap<Symbol, LabelId>,
    pub(crate) defined_labels: IdSet<LabelId>,
    /// Labels whose address is taken, in order; `&&label` is its position plus one.
    pub(crate) address_labels: Vec<LabelId>,
    /// Where computed gotos meet: the variable with the target, and the dispatcher's label.
    pub(crate) dispatch: Option<(PlaceId, LabelId)>,
    /// Names hidden by `__label__` in open blocks, with what they meant outside.
    pub(crate) local_labels: Vec<(Symbol, Option<LabelId>)>,
    /// Targets of `break` and `continue`, innermost last.
    pub(crate) breaks: Vec<LabelId>,
    pub(crate) continues: Vec<LabelId>,
    /// Open `switch` statements, innermost last.
    pub(crate) switches: Vec<switch::Switch>,
    pub(crate) temps: u32,
    pub(crate) cleanups: cleanup::Cleanups,
}

impl FunctionContext {
    pub(crate) fn new(id: FuncId) -> Self {
        Self {
            id,
            labels: IdVec::new(),
            named_labels: FxHashMap::default(),
            defined_labels: IdSet::new(),
            address_labels: Vec::new(),
            dispatch: None,
            local_labels: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            temps: 0,
            cleanups: cleanup::Cleanups::default(),
        }
    }
}

impl<'a> Sema<'a> {
    fn new(ast: &'a Ast, names: Interner, model: DataModel) -> Self {
        Self {
            ast,
            dialect: Dialect::default(),
            types: Types::new(model),
            exprs: Exprs::default(),
            vars: IdVec::new(),
            functions: IdVec::new(),
            names,
            assumptions: Vec::new(),
            diagnostics: Vec::new(),
            scopes: Scopes::new(),
            linkage: Linkage::default(),
            declared: declare::Declared::default(),
            function: None,
            out: Vec::new(),
            depths: IdMap::default(),
            literals: FxHashMap::default(),
            nesting: 0,
            errors: 0,
        }
    }

    fn program(&mut self) -> Program {
        let constructors = self.sorted_by_priority(declare::When::Before);
        let destructors = self.sorted_by_priority(declare::When::After);
        Program {
            types: std::mem::replace(&mut self.types, Types::new(DataModel::Lp64)),
            exprs: std::mem::take(&mut self.exprs),
            vars: std::mem::take(&mut self.vars),
            functions: std::mem::take(&mut self.functions),
            names: std::mem::take(&mut self.names),
            assumptions: std::mem::take(&mut self.assumptions),
            constructors,
            destructors,
        }
    }

    // ---- messages ----

    /// Records an error and stops the construct.
    pub(crate) fn error<T>(&mut self, span: Span, message: impl Into<String>) -> Lowered<T> {
        self.report(Diagnostic::error(span, message));
        Err(Stop)
    }

    pub(crate) fn warn(&mut self, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::warning(span, message));
    }

    pub(crate) fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        if diagnostic.severity == Severity::Warning || self.errors <= MAX_ERRORS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The construct is valid C that is not supported: an execution that gets here ends in UNKNOWN.
    pub(crate) fn unsupported<T>(&mut self, span: Span, what: impl Into<String>) -> Lowered<T> {
        self.emit(span, StmtKind::Unsupported(what.into()));
        Err(Stop)
    }

    /// Records once per text and function that the run takes something for granted.
    pub(crate) fn assume(&mut self, span: Span, text: impl Into<String>) {
        self.assume_about(self.here(), span, text);
    }

    pub(crate) fn assume_about(&mut self, about: About, span: Span, text: impl Into<String>) {
        let text = text.into();
        if !self.assumptions.iter().any(|a| a.text == text && a.about == about) {
            self.assumptions.push(Assumption { text, span, about });
        }
    }

    /// The construct that is being lowered.
    pub(crate) fn here(&self) -> About {
        self.function.as_ref().map_or(About::Program, |context| About::Function(context.id))
    }

    /// Runs `f` one level deeper; too deep is an error, not a stack overflow.
    pub(crate) fn nested<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> Lowered<T>) -> Lowered<T> {
        if self.nesting >= MAX_NESTING {
            return self.error(span, "this is nested too deeply");
        }
        self.nesting += 1;
        let result = f(self);
        self.nesting -= 1;
        result
    }

    // ---- statements ----

    pub(crate) fn emit(&mut self, span: Span, kind: StmtKind) {
        self.out.push(Stmt { kind, span });
    }

    /// Runs `f` with an empty statement list and returns what it emitted.
    pub(crate) fn collect<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> (T, Vec<Stmt>) {
        let outer = std::mem::take(&mut self.out);
        let result = f(self);
        (result, std::mem::replace(&mut self.out, outer))
    }

    pub(crate) fn new_label(&mut self, name: Option<Symbol>, span: Span) -> LabelId {
        match &mut self.function {
            Some(context) => context.labels.push(Label { name, span }),
            // Outside a function (a static initialiser): the statements are refused anyway.
            None => <LabelId as summa_base::Id>::from_index(0),
        }
    }

    /// A fresh temporary of the current function. At file scope a static one, for unevaluated operands.
    pub(crate) fn new_temp(&mut self, ty: TypeId, span: Span) -> PlaceId {
        let (kind, number) = match &mut self.function {
            Some(context) => {
                context.temps += 1;
                (VarKind::Temp(context.id), context.temps)
            }
            None => (VarKind::Literal, 0),
        };
        let name = self.names.intern(&format!("__tmp{number}"));
        let var = self.vars.push(Variable::new(name, ty, kind, span));
        self.exprs.var(var, ty)
    }

    /// Assigns `value` to a fresh temporary and returns its load.
    pub(crate) fn save(&mut self, value: ExprId, span: Span) -> ExprId {
        let temp = self.new_temp(self.exprs.type_of(value), span);
        self.emit(span, StmtKind::Assign(temp, value));
        self.exprs.load(temp)
    }

    // ---- expressions ----

    /// Interns an expression; one that has become too deep is replaced by its constant value or put into a
    /// temporary.
    pub(crate) fn make(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        let id = self.exprs.intern(kind, ty);
        if self.depths[id] == 0 {
            let below = |d: &IdMap<ExprId, u16>, e: ExprId| d[e].max(1);
            let depth = match kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => 0,
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => below(&self.depths, a),
                ExprKind::Binary(_, a, b) => below(&self.depths, a).max(below(&self.depths, b)),
                ExprKind::Load(place) | ExprKind::Addr(place) => self.place_depth(place),
            };
            self.depths[id] = depth.saturating_add(1);
        }
        if self.depths[id] <= MAX_EXPR_DEPTH {
            return id;
        }
        match self.fold_int(id) {
            Some(value) => self.int(ty, value),
            None => self.save(id, span),
        }
    }

    fn place_depth(&self, mut place: PlaceId) -> u16 {
        use crate::tree::PlaceKind::*;
        let mut depth = 0u16;
        loop {
            depth = depth.saturating_add(1);
            match self.exprs.place(place).kind {
                Var(_) => return depth,
                Deref(e) => return depth.saturating_add(self.depths[e].max(1)),
                Field(base, _) => place = base,
                Index(base, e) => {
                    depth = depth.saturating_add(self.depths[e].max(1));
                    place = base;
                }
            }
        }
    }

    pub(crate) fn int(&mut self, ty: TypeId, value: i128) -> ExprId {
        self.exprs.int(&self.types, ty, value)
    }

    /// The value of an integer constant expression, as gcc evaluates it; anything else is an error.
    pub(crate) fn constant(&mut self, expr: ast::ExprId) -> Lowered<i128> {
        let span = self.ast.exprs[expr].span;
        let (value, stmts) = self.collect(|s| s.rvalue(expr));
        let value = value?;
        let folded = if stmts.is_empty() { self.wrapped_int(value) } else { None };
        match folded {
            Some(value) => Ok(value),
            None => self.error(span, "this must be an integer constant expression"),
        }
    }

    /// The value of `expr` if it is a constant integer expression.
    pub(crate) fn fold_int(&self, expr: ExprId) -> Option<i128> {
        crate::fold::int(&self.types, &self.exprs, expr)
    }

    /// The value of `expr` where C wants a constant: what overflows wraps around.
    pub(crate) fn wrapped_int(&self, expr: ExprId) -> Option<i128> {
        crate::fold::wrapped_int(&self.types, &self.exprs, expr)
    }

    /// C spelling of a type, for messages.
    pub(crate) fn type_name(&self, ty: TypeId) -> String {
        self.types.declare(ty, "", &self.names)
    }

    pub(crate) fn text(&self, symbol: Symbol) -> String {
        self.names.text(symbol).to_string()
    }

    /// Takes the finished body of the function that was being lowered.
    pub(crate) fn take_body(&mut self, stmts: Vec<Stmt>, end: Span) -> Body {
        let labels = self.function.take().map(|context| context.labels).unwrap_or_default();
        Body { stmts, labels, end }
    }

    /// The array behind a string literal (units, without the terminating zero), shared between equal literals
    /// as gcc does at -O0 within one file.
    pub(crate) fn literal(&mut self, units: &[u32], element: TypeId, span: Span) -> PlaceId {
        use crate::tree::PlaceKind;
        use crate::types::ArrayLen;
        let ty = self.types.array_of(element, ArrayLen::Fixed(units.len() as u64 + 1));
        let key = (units.to_vec(), ty);
        if let Some(&var) = self.literals.get(&key) {
            return self.exprs.var(var, ty);
        }
        let name = self.names.intern(&format!("__str{}", self.literals.len() + 1));
        let var =
            self.vars.push(Variable { is_const: true, ..Variable::new(name, ty, VarKind::Literal, span) });
        let array = self.exprs.var(var, ty);
        let mut init = Vec::new();
        for (i, &unit) in units.iter().enumerate().filter(|(_, u)| **u != 0) {
            let index = self.int(self.types.ptrdiff_t, i as i128);
            let place = self.exprs.intern_place(PlaceKind::Index(array, index), element);
            let value = self.int(element, i128::from(unit));
            init.push((place, value));
        }
        self.vars[var].init = init;
        self.literals.insert(key, var);
        array
    }
}
