//! The operators of terms and what they mean: SMT-LIB's meaning, except where a comment says otherwise.

use crate::sort::Sort;
use crate::store::Term;
use dashu_int::IBig;
use summa_base::define_id;

define_id! {
    /// A family of symbols that differ by their version: `x@0`, `x@1`, … all of one sort.
    SymbolId = "sy";
    /// An uninterpreted function.
    FunctionId = "uf";
}

/// One node of the term graph. Children are always older than their parent.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    True,
    False,
    Int(IBig),
    /// Bits of a bit-vector constant; the sort has the width.
    Bv(u128),
    /// Bits of a floating-point constant in its interchange format (x87: 80 bits with the explicit leading
    /// one).
    Float(u128),
    /// A symbol is a family and a version, structurally.
    Symbol(SymbolId, u32),
    /// An operator with its arguments.
    App(Op, Box<[Term]>),
    /// `∃` or `∀` over symbols; only quantifier elimination makes and takes these.
    Quantified(Quantifier, Box<[Term]>, Term),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Quantifier {
    Exists,
    Forall,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    // ---- Bool ----
    Not,
    /// Two or more arguments, sorted, no duplicates, no constants.
    And,
    Or,
    /// Condition, then, else; any sort.
    Ite,
    /// Two arguments of one sort (floats: the same value bit by bit, so NaN = NaN and -0 ≠ +0).
    Eq,

    // ---- Int ----
    /// Two or more arguments: linear normal form, see `linear.rs`.
    Add,
    /// Two arguments; a constant stands first.
    Mul,
    /// Euclidean: `a = b * div(a, b) + mod(a, b)`, `0 <= mod < |b|`. Any value for `b = 0`: callers exclude
    /// it.
    Div,
    Mod,
    Le,
    Lt,

    // ---- bit-vectors ----
    BvNot,
    BvNeg,
    BvAdd,
    BvSub,
    BvMul,
    /// Division by zero as in SMT-LIB: all ones, and the dividend as remainder.
    BvUdiv,
    BvUrem,
    BvSdiv,
    BvSrem,
    BvAnd,
    BvOr,
    BvXor,
    BvShl,
    BvLshr,
    BvAshr,
    BvUlt,
    BvUle,
    BvSlt,
    BvSle,
    /// High part first.
    BvConcat,
    /// Bits `hi` down to `lo`.
    BvExtract {
        hi: u8,
        lo: u8,
    },
    /// To the width of the sort.
    BvZeroExtend,
    BvSignExtend,

    // ---- floats; rounding is to nearest, ties to even, except for `FloatToSbv`/`Ubv`, which truncate ----
    FloatAdd,
    FloatSub,
    FloatMul,
    FloatDiv,
    FloatRem,
    FloatSqrt,
    FloatNeg,
    FloatAbs,
    FloatRoundToIntegral(Rounding),
    /// An operator that rounds, in this direction; to nearest only where there is no operator of its own.
    FloatRounded(FloatOp, Rounding),
    /// IEEE equality and order: false on NaN, -0 = +0.
    FloatEq,
    FloatLt,
    FloatLe,
    FloatIsNan,
    FloatIsInf,
    FloatIsNegative,
    /// To the sort of the term.
    FloatToFloat,
    FloatFromSbv,
    FloatFromUbv,
    /// Truncation; any value out of range.
    FloatToSbv,
    FloatToUbv,
    /// The float with these bits (x87: 79 bits, without the explicit leading one).
    FloatFromBits,

    // ---- arrays ----
    Select,
    Store,
    /// The same element everywhere; the sort is an array sort.
    ConstArray,

    Apply(FunctionId),
}

/// The operators on floats whose result is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatOp {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    /// `a · b + c` with one rounding.
    Fma,
    /// To the sort of the term: from another format, from the bits of a signed or an unsigned integer.
    FromFloat,
    FromSbv,
    FromUbv,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rounding {
    NearestEven,
    NearestAway,
    Down,
    Up,
    Zero,
}

/// A node with its sort.
#[derive(Clone, Debug)]
pub struct Node {
    pub kind: Kind,
    pub sort: Sort,
    /// Number of nodes of the term as a tree, saturating.
    pub size: u32,
    /// Contains a symbol?
    pub is_ground: bool,
}
