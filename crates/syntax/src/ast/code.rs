//! Expressions and statements of the syntax tree.

use super::{
    DeclId, Designator, Encoding, ExprId, FunctionId, InitId, StaticAssert, StmtId, StringId, TypeNameId,
};
use crate::Span;
use summa_base::Symbol;

#[derive(Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IntSuffix {
    pub unsigned: bool,
    /// 0, 1 (`L`) or 2 (`LL`).
    pub longs: u8,
    /// Written in decimal: then an unsuffixed literal never becomes unsigned.
    pub decimal: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatSuffix {
    None,
    F,
    L,
    /// `q`/`Q`/`f128`.
    Q,
}

#[derive(Debug)]
pub enum ExprKind {
    Ident(Symbol),
    Int(u128, IntSuffix),
    /// Digits as written, without the suffix (decimal or hexadecimal floating literal).
    Float(Symbol, FloatSuffix),
    /// Value of a character constant (`'a'` is an int; multi-character as gcc does it).
    Char(i32, Encoding),
    String(StringId),
    Unary(UnaryOp, ExprId),
    Binary(BinaryOp, ExprId, ExprId),
    /// `a = b`, or `a op= b`.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// `c ? a : b`; without a: GNU `c ?: b`. The span is the one of the `?`.
    Conditional {
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        question: Span,
    },
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
        close_paren: Span,
    },
    Index(ExprId, ExprId),
    /// `e.name`
    Member(ExprId, Symbol),
    /// `e->name`
    Arrow(ExprId, Symbol),
    Cast(TypeNameId, ExprId),
    CompoundLiteral(TypeNameId, InitId),
    SizeofExpr(ExprId),
    SizeofType(TypeNameId),
    AlignofExpr(ExprId),
    /// `_Alignof(T)`: the alignment that every object of the type has.
    AlignofType(TypeNameId),
    /// `__alignof__(T)`: the alignment that the type prefers.
    PreferredAlignofType(TypeNameId),
    Generic {
        selector: ExprId,
        arms: Vec<(Option<TypeNameId>, ExprId)>,
    },
    /// `({ … })`; the statement is a compound.
    StatementExpr(StmtId),
    /// `&&label`.
    LabelAddress(Symbol),
    VaArg(ExprId, TypeNameId),
    Offsetof(TypeNameId, Vec<Designator>),
    TypesCompatible(TypeNameId, TypeNameId),
    ChooseExpr(ExprId, ExprId, ExprId),
    Comma(ExprId, ExprId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    Not,
    Deref,
    AddressOf,
    PreIncrement,
    PreDecrement,
    PostIncrement,
    PostDecrement,
    /// `__real__`, `__imag__`
    Real,
    Imag,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    Mul,
    Div,
    Rem,
    Add,
    Sub,
    Shl,
    Shr,
    Lt,
    Gt,
    Le,
    Ge,
    Eq,
    Ne,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
}

#[derive(Debug)]
pub struct Stmt {
    pub kind: StmtKind,
    pub span: Span,
}

#[derive(Debug)]
pub enum StmtKind {
    Empty,
    Expr(ExprId),
    Declaration(DeclId),
    StaticAssert(StaticAssert),
    Compound(Vec<StmtId>),
    If {
        condition: ExprId,
        then: StmtId,
        otherwise: Option<StmtId>,
    },
    While {
        condition: ExprId,
        body: StmtId,
    },
    DoWhile {
        body: StmtId,
        condition: ExprId,
    },
    For {
        init: Option<StmtId>,
        condition: Option<ExprId>,
        step: Option<ExprId>,
        body: StmtId,
    },
    Switch {
        value: ExprId,
        body: StmtId,
    },
    /// `case lo:` or GNU `case lo ... hi:`
    Case {
        lo: ExprId,
        hi: Option<ExprId>,
        body: StmtId,
    },
    Default(StmtId),
    Label {
        name: Symbol,
        body: StmtId,
    },
    /// GNU `__label__ a, b;`
    LocalLabels(Vec<Symbol>),
    Goto(Symbol),
    /// GNU `goto *e;`
    GotoComputed(ExprId),
    Break,
    Continue,
    Return(Option<ExprId>),
    Asm(Asm),
    /// GNU nested function.
    NestedFunction(FunctionId),
}

/// Inline assembly: only what it may read and write matters to us.
#[derive(Debug)]
pub struct Asm {
    pub is_volatile: bool,
    /// Empty text with only constraints is a compiler barrier.
    pub template_is_empty: bool,
    pub outputs: Vec<ExprId>,
    pub inputs: Vec<ExprId>,
    /// `asm goto` labels.
    pub labels: Vec<Symbol>,
}
