//! The untyped syntax tree: what the parser saw, nothing resolved. It lives in arenas, so that a tree of any
//! depth is built, walked by index and dropped without recursion on the host's stack.

use crate::span::Span;
use summa_base::{IdVec, Symbol, define_id};

mod code;

pub use code::{Asm, BinaryOp, Expr, ExprKind, FloatSuffix, IntSuffix, Stmt, StmtKind, UnaryOp};

define_id! {
    ExprId = "x";
    StmtId = "st";
    /// A type name, as in casts and `sizeof`.
    TypeNameId = "tn";
    RecordSpecId = "rs";
    EnumSpecId = "es";
    InitId = "in";
    DeclId = "d";
    FunctionId = "fd";
    StringId = "sl";
}

/// One parsed translation unit.
#[derive(Debug, Default)]
pub struct Ast {
    pub items: Vec<Item>,
    pub exprs: IdVec<ExprId, Expr>,
    pub stmts: IdVec<StmtId, Stmt>,
    pub type_names: IdVec<TypeNameId, TypeName>,
    pub records: IdVec<RecordSpecId, RecordSpec>,
    pub enums: IdVec<EnumSpecId, EnumSpec>,
    pub inits: IdVec<InitId, Init>,
    pub decls: IdVec<DeclId, Declaration>,
    pub functions: IdVec<FunctionId, FunctionDef>,
    pub strings: IdVec<StringId, StringLiteral>,
    /// Changes by `#pragma pack`, in order.
    pub packs: Vec<Pack>,
    /// `#pragma weak` and `#pragma redefine_extname`.
    pub renames: Vec<SymbolPragma>,
}

/// `#pragma weak name`, `#pragma weak name = other` or `#pragma redefine_extname name other`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SymbolPragma {
    pub name: String,
    /// The other name for which this one stands.
    pub other: Option<String>,
    pub span: Span,
}

/// `#pragma pack`: members of records that end after the position `at` (of a [`Span`]) are aligned to at most
/// `limit` bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack {
    pub at: u32,
    pub limit: Option<u64>,
}

/// An item at file scope.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    Function(FunctionId),
    Declaration(DeclId),
    StaticAssert(StaticAssert),
    /// `__asm__("...");` at file scope.
    Asm(Span),
}

#[derive(Clone, Copy, Debug)]
pub struct StaticAssert {
    pub condition: ExprId,
    pub message: Option<StringId>,
    pub span: Span,
}

#[derive(Debug)]
pub struct FunctionDef {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
    /// Declarations between `)` and `{` of a K&R definition.
    pub kr_declarations: Vec<DeclId>,
    /// A [`StmtKind::Compound`].
    pub body: StmtId,
    pub span: Span,
}

/// `specs declarator = init, declarator, …;`
#[derive(Debug)]
pub struct Declaration {
    pub specs: DeclSpecs,
    pub declarators: Vec<InitDeclarator>,
    pub span: Span,
}

#[derive(Debug)]
pub struct InitDeclarator {
    pub declarator: Declarator,
    pub init: Option<InitId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Storage {
    #[default]
    None,
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Quals {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

#[derive(Clone, Debug)]
pub struct DeclSpecs {
    pub storage: Storage,
    pub is_thread_local: bool,
    pub is_inline: bool,
    pub is_noreturn: bool,
    pub quals: Quals,
    pub ty: TypeSpec,
    /// `_Alignas`.
    pub alignas: Vec<AlignArg>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug)]
pub enum AlignArg {
    Expr(ExprId),
    Type(TypeNameId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeSpec {
    /// No type specifier at all (implicit `int`).
    Missing,
    Builtin(BuiltinType),
    Record(RecordSpecId),
    Enum(EnumSpecId),
    Typedef(Symbol),
    TypeofExpr(ExprId),
    TypeofType(TypeNameId),
    /// `_Atomic(T)`.
    Atomic(TypeNameId),
    /// `__auto_type`.
    Auto,
}

/// The arithmetic types, `void` and `__builtin_va_list`: what a multiset of specifier words means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltinType {
    Void,
    Bool,
    Char,
    SignedChar,
    UnsignedChar,
    Short,
    UnsignedShort,
    Int,
    UnsignedInt,
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
    Int128,
    UnsignedInt128,
    Float,
    Double,
    LongDouble,
    Float128,
    /// `_Complex` of any kind.
    Complex,
    /// `_Float16`, `__bf16` and the decimal floating types: known so that headers parse.
    OtherFloat,
    VaList,
}

/// A declarator: the name and how its type is made from that of the specifiers.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// None in abstract declarators and unnamed parameters or bit-fields.
    pub name: Option<Symbol>,
    pub name_span: Span,
    /// Applied to the base type first to last: `int *a[3]` has `[Pointer, Array]`.
    pub derived: Vec<Derived>,
    pub attributes: Vec<Attribute>,
    /// `asm("other_name")`.
    pub asm_label: Option<StringId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum Derived {
    Pointer(Quals),
    Array { size: ArraySize, quals: Quals },
    Function(FunctionDeclarator),
}

#[derive(Clone, Copy, Debug)]
pub enum ArraySize {
    /// `[]`.
    Unknown,
    /// `[*]`.
    Star,
    Expr(ExprId),
}

#[derive(Clone, Debug)]
pub struct FunctionDeclarator {
    /// A single unnamed `void` parameter is removed by the parser: then `params` is empty and `is_prototype`
    /// true.
    pub params: Vec<Param>,
    pub is_variadic: bool,
    /// False for `()` and for K&R identifier lists.
    pub is_prototype: bool,
    /// The names of a K&R identifier list.
    pub kr_names: Vec<(Symbol, Span)>,
}

#[derive(Clone, Debug)]
pub struct Param {
    pub specs: DeclSpecs,
    pub declarator: Declarator,
}

#[derive(Debug)]
pub struct TypeName {
    pub specs: DeclSpecs,
    /// Without a name.
    pub declarator: Declarator,
    pub span: Span,
}

#[derive(Debug)]
pub struct RecordSpec {
    pub is_union: bool,
    pub tag: Option<Symbol>,
    /// None for `struct S` without a body.
    pub members: Option<Vec<MemberDecl>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub enum MemberDecl {
    /// Empty `declarators`: an anonymous struct or union member.
    Fields {
        specs: DeclSpecs,
        declarators: Vec<FieldDeclarator>,
        span: Span,
    },
    StaticAssert(StaticAssert),
}

#[derive(Debug)]
pub struct FieldDeclarator {
    pub declarator: Declarator,
    pub bit_width: Option<ExprId>,
}

#[derive(Debug)]
pub struct EnumSpec {
    pub tag: Option<Symbol>,
    pub enumerators: Option<Vec<Enumerator>>,
    pub attributes: Vec<Attribute>,
    pub span: Span,
}

#[derive(Debug)]
pub struct Enumerator {
    pub name: Symbol,
    pub value: Option<ExprId>,
    pub span: Span,
}

/// `__attribute__((name(args)))`; the underscores around the name are removed (`__packed__` is `packed`).
/// Arguments that are not expressions (e.g. the mode of `mode(DI)`) come as identifiers.
#[derive(Clone, Debug)]
pub struct Attribute {
    pub name: Symbol,
    pub args: Vec<ExprId>,
    pub span: Span,
}

#[derive(Debug)]
pub struct StringLiteral {
    /// Code units after escapes and concatenation, without the terminating zero.
    pub units: Vec<u32>,
    pub encoding: Encoding,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// `"…"` and `u8"…"`: bytes.
    Plain,
    /// `L"…"`.
    Wide,
    /// `u"…"`.
    Utf16,
    /// `U"…"`.
    Utf32,
}

#[derive(Debug)]
pub enum Init {
    Expr(ExprId),
    List { entries: Vec<InitEntry>, span: Span },
}

#[derive(Debug)]
pub struct InitEntry {
    /// `.a[3].b =`; empty without designation. Also the old forms `a: x` and `[3] x`.
    pub designators: Vec<Designator>,
    pub init: InitId,
}

#[derive(Clone, Copy, Debug)]
pub enum Designator {
    Field(Symbol, Span),
    Index(ExprId),
    /// GNU `[lo ... hi]`.
    Range(ExprId, ExprId),
}
