//! The typed program without side effects that the front end delivers.
//!
//! * *Expressions* are pure and hash-consed: equal expressions have equal [`ExprId`]s. All conversions are
//!   explicit [`ExprKind::Cast`]s. Both operands of an arithmetic operator have the operator's type.
//! * *Places* are lvalues: a variable, what a pointer points to, a field, an array element.
//! * *Statements* carry every effect: assignments, calls, branches.
//!
//! The order of evaluation is fixed here, once for the whole tool: left to right, an assignment's place
//! before its value, arguments first to last, and the left operand's value is taken before effects of the
//! right one. `&&`, `||`, `?:` and `switch` are branches. Loops are endless [`StmtKind::Loop`]s left by
//! `goto`. Operators of the source are not folded, so that overflow can be checked; exceptions are casts of
//! constants and branches on constants.

use crate::types::{BitField, Type, TypeId, Types};
use summa_base::{FxHashMap, IdVec, Interner, Symbol, define_id};
use summa_syntax::Span;

define_id! {
    ExprId = "x";
    PlaceId = "pl";
    VarId = "v";
    FuncId = "f";
    LabelId = "l";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expr {
    pub kind: ExprKind,
    pub ty: TypeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// An integer or pointer constant, in the range of its type (pointers and `unsigned __int128`: see
    /// [`Exprs::int`]).
    Int(i128),
    /// Bits of a floating constant in the format of its type (low bits; x87 uses 80 of them).
    Float(u128),
    /// The value of a place. A record-typed load is the value of an aggregate assignment, argument or result.
    Load(PlaceId),
    /// The address of a place; also what an array decays to (then the place is `Index(array, 0)`).
    Addr(PlaceId),
    /// The address of a function.
    Function(FuncId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// Conversion to the type of the expression. To `_Bool`: `!= 0`. Between pointers: no change.
    Cast(ExprId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `-e`, on integers and floats.
    Neg,
    /// `~e`, on integers.
    BitNot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    // Operands and result have the same arithmetic type (bit operations and `Rem`: integers).
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// The left operand has the result's type, the right one any promoted integer type.
    Shl,
    /// Arithmetic on signed, logical on unsigned types.
    Shr,
    // Operands of one scalar type, result `int` 0 or 1.
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    /// Pointer plus index of type `ptrdiff_t`, counted in elements ([`Types::stride`] of the pointee).
    PtrAdd,
    /// Pointer minus index.
    PtrSub,
    /// Difference of two pointers of one type in elements, of type `ptrdiff_t`.
    PtrDiff,
}

impl BinaryOp {
    pub fn is_shift(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }

    pub fn is_comparison(self) -> bool {
        use BinaryOp::*;
        matches!(self, Eq | Ne | Lt | Le | Gt | Ge)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub kind: PlaceKind,
    pub ty: TypeId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaceKind {
    Var(VarId),
    /// What the pointer points to.
    Deref(ExprId),
    /// Field by its number in the record that is the type of the place.
    Field(PlaceId, u32),
    /// Element of the array that is the type of the place; the index has type `ptrdiff_t`.
    Index(PlaceId, ExprId),
}

/// The hash-consed expressions and places of a program.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    exprs: IdVec<ExprId, Expr>,
    places: IdVec<PlaceId, Place>,
    expr_ids: FxHashMap<Expr, ExprId>,
    place_ids: FxHashMap<Place, PlaceId>,
}

impl Exprs {
    pub fn expr(&self, id: ExprId) -> Expr {
        self.exprs[id]
    }

    pub fn place(&self, id: PlaceId) -> Place {
        self.places[id]
    }

    /// The ids of all expressions, also of those that only occur in others.
    pub fn ids(&self) -> impl Iterator<Item = ExprId> + use<> {
        self.exprs.ids()
    }

    pub fn type_of(&self, id: ExprId) -> TypeId {
        self.exprs[id].ty
    }

    pub fn len(&self) -> usize {
        self.exprs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.exprs.is_empty()
    }

    pub fn places_len(&self) -> usize {
        self.places.len()
    }

    pub fn expr_ids(&self) -> impl DoubleEndedIterator<Item = ExprId> + use<> {
        self.exprs.ids()
    }

    pub fn place_ids(&self) -> impl DoubleEndedIterator<Item = PlaceId> + use<> {
        self.places.ids()
    }

    /// The expression with this kind and type. Children are always older than their parents.
    pub fn intern(&mut self, kind: ExprKind, ty: TypeId) -> ExprId {
        let expr = Expr { kind, ty };
        if let Some(&id) = self.expr_ids.get(&expr) {
            return id;
        }
        let id = self.exprs.push(expr);
        self.expr_ids.insert(expr, id);
        id
    }

    pub fn intern_place(&mut self, kind: PlaceKind, ty: TypeId) -> PlaceId {
        let place = Place { kind, ty };
        if let Some(&id) = self.place_ids.get(&place) {
            return id;
        }
        let id = self.places.push(place);
        self.place_ids.insert(place, id);
        id
    }

    /// The constant `value` of integer or pointer type, reduced modulo the type's width into its range.
    /// Values of unsigned types up to 64 bits and pointers are non-negative; `unsigned __int128` is kept by
    /// its bits.
    pub fn int(&mut self, types: &Types, ty: TypeId, value: i128) -> ExprId {
        self.intern(ExprKind::Int(crate::arith::wrap(types, ty, value)), ty)
    }

    pub fn load(&mut self, place: PlaceId) -> ExprId {
        let ty = self.places[place].ty;
        self.intern(ExprKind::Load(place), ty)
    }

    pub fn var(&mut self, var: VarId, ty: TypeId) -> PlaceId {
        self.intern_place(PlaceKind::Var(var), ty)
    }

    /// The constant behind the id, if it is an integer (or pointer) constant.
    pub fn as_int(&self, id: ExprId) -> Option<i128> {
        match self.exprs[id].kind {
            ExprKind::Int(value) => Some(value),
            _ => None,
        }
    }

    /// Is the place an lvalue of a volatile type?
    pub fn is_volatile(&self, types: &Types, vars: &IdVec<VarId, Variable>, mut place: PlaceId) -> bool {
        loop {
            match self.places[place].kind {
                PlaceKind::Var(var) => return vars[var].is_volatile,
                PlaceKind::Deref(pointer) => return types.points_to_volatile(self.exprs[pointer].ty),
                PlaceKind::Index(base, _) => place = base,
                PlaceKind::Field(base, field) => {
                    let record = types.record_of(self.places[base].ty);
                    let fields = record.map(|record| &types.record(record).fields);
                    let field = fields.and_then(|fields| fields.get(field as usize));
                    if field.is_some_and(|field| field.is_volatile) {
                        return true;
                    }
                    place = base;
                }
            }
        }
    }

    /// The variable that contains a place, unless the place is behind a pointer.
    pub fn root(&self, mut place: PlaceId) -> Option<VarId> {
        loop {
            match self.places[place].kind {
                PlaceKind::Var(var) => return Some(var),
                PlaceKind::Deref(_) => return None,
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => place = base,
            }
        }
    }
}

/// A variable of any kind. Names are not unique; ids are.
#[derive(Clone, Debug)]
pub struct Variable {
    pub name: Symbol,
    pub ty: TypeId,
    pub kind: VarKind,
    pub span: Span,
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_thread_local: bool,
    /// For declarations at file scope: from each one to the end of its file, where the name is known.
    pub scopes: Vec<Span>,
    /// For static storage: the writes over the zeroed object, in order. The values have no effects and are
    /// constants or addresses.
    pub init: Vec<(PlaceId, ExprId)>,
}

impl Variable {
    /// Not qualified, not initialised.
    pub fn new(name: Symbol, ty: TypeId, kind: VarKind, span: Span) -> Self {
        Self {
            name,
            ty,
            kind,
            span,
            is_const: false,
            is_volatile: false,
            is_thread_local: false,
            scopes: Vec::new(),
            init: Vec::new(),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VarKind {
    /// File scope, defined in one of the inputs (perhaps tentatively).
    Global,
    /// Declared `extern` and defined nowhere: its initial value is unknown.
    External,
    /// `static` inside a function.
    Static(FuncId),
    /// The array behind a string literal.
    Literal,
    Param(FuncId),
    Local(FuncId),
    /// Made by the front end to hold an intermediate value.
    Temp(FuncId),
    /// Holds a function's result between `return` and the caller.
    Return(FuncId),
}

impl VarKind {
    /// Lives as long as the program.
    pub fn is_static(self) -> bool {
        matches!(self, Self::Global | Self::External | Self::Static(_) | Self::Literal)
    }

    /// The function whose frame it lives in.
    pub fn frame(self) -> Option<FuncId> {
        match self {
            Self::Param(f) | Self::Local(f) | Self::Temp(f) | Self::Return(f) => Some(f),
            Self::Global | Self::External | Self::Static(_) | Self::Literal => None,
        }
    }
}

#[derive(Clone, Debug)]
pub struct Function {
    pub name: Symbol,
    /// A [`Type::Function`].
    pub ty: TypeId,
    pub span: Span,
    /// `static`: another file may have another function of this name.
    pub is_static: bool,
    pub is_noreturn: bool,
    /// Without a definition, the function may be missing: then its address is null.
    pub is_weak: bool,
    /// In order; empty without a body.
    pub params: Vec<VarId>,
    /// The variable of kind [`VarKind::Return`]; None for `void` and without a body.
    pub result: Option<VarId>,
    pub body: Option<Body>,
}

#[derive(Clone, Debug, Default)]
pub struct Body {
    pub stmts: Vec<Stmt>,
    pub labels: IdVec<LabelId, Label>,
    /// The closing brace, where a function without `return` returns.
    pub end: Span,
}

#[derive(Clone, Copy, Debug)]
pub struct Label {
    /// None for targets made by the front end (loop exits and the like).
    pub name: Option<Symbol>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum StmtKind {
    /// The lifetime of a local begins (again): its contents are indeterminate. It ends with the enclosing
    /// `Block`. The length of a variable-length array has been assigned to its length variable before.
    Declare(VarId),
    Assign(PlaceId, ExprId),
    /// All bytes of the place become zero.
    Zero(PlaceId),
    /// The variable `into` takes what a read of the place, which is volatile, gives.
    ReadVolatile {
        into: PlaceId,
        place: PlaceId,
    },
    /// The place takes any value of its type (output of skipped assembly and the like; `why` says which).
    Havoc(PlaceId, String),
    Call(Call),
    If {
        condition: ExprId,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
        origin: BranchOrigin,
    },
    /// Repeats without end; left by `Goto` and `Return`. The span is that of the keyword statement.
    Loop(Vec<Stmt>),
    Block(Vec<Stmt>),
    Label(LabelId),
    Goto(LabelId),
    Return(Option<ExprId>),
    /// Execution that gets here leaves what Summa understands.
    Unsupported(String),
}

#[derive(Clone, Debug)]
pub struct Call {
    /// Where the result goes: always a whole variable, of the function's result type.
    pub result: Option<PlaceId>,
    pub callee: Callee,
    /// Converted to the parameter types; those beyond the prototype after default promotion.
    pub args: Vec<ExprId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Direct(FuncId),
    /// A value of type pointer to function.
    Pointer(ExprId),
}

/// The construct of the source from which a branch comes: witnesses and explanations name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchOrigin {
    If,
    Loop,
    /// One comparison of a `switch`.
    Switch,
    /// `?:`
    Conditional,
    /// `&&`, `||`
    Logical,
}

/// An assumption of the run that the user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    pub text: String,
    pub span: Span,
    pub about: About,
}

/// The subject of an assumption, which does not matter if the program does not use it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    Program,
    Function(FuncId),
    /// With static storage.
    Object(VarId),
}

/// A whole program: all translation units, linked.
#[derive(Clone, Debug)]
pub struct Program {
    pub types: Types,
    pub exprs: Exprs,
    pub vars: IdVec<VarId, Variable>,
    pub functions: IdVec<FuncId, Function>,
    pub names: Interner,
    pub assumptions: Vec<Assumption>,
    /// Functions that run before the entry function, in this order (attribute `constructor`).
    pub constructors: Vec<FuncId>,
    /// Functions that run after the entry function, and when the program calls `exit` (attribute
    /// `destructor`).
    pub destructors: Vec<FuncId>,
}

impl Program {
    pub fn name(&self, symbol: Symbol) -> &str {
        self.names.text(symbol)
    }

    pub fn var_name(&self, var: VarId) -> &str {
        self.names.text(self.vars[var].name)
    }

    pub fn func_name(&self, func: FuncId) -> &str {
        self.names.text(self.functions[func].name)
    }

    /// The function of this name with external linkage, else a static one.
    pub fn find_function(&self, name: &str) -> Option<FuncId> {
        let symbol = self.names.lookup(name)?;
        let mut found = self.functions.iter().filter(|(_, f)| f.name == symbol);
        let first = found.next()?;
        Some(std::iter::once(first).chain(found).find(|(_, f)| !f.is_static).unwrap_or(first).0)
    }

    /// The bit-field that a place is, if it is one.
    pub fn bit_field(&self, place: PlaceId) -> Option<BitField> {
        let PlaceKind::Field(base, index) = self.exprs.place(place).kind else {
            return None;
        };
        let Type::Record(record) = *self.types.get(self.exprs.place(base).ty) else {
            return None;
        };
        self.types.record(record).fields[index as usize].bits
    }
}
