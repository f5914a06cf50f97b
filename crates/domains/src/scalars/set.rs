//! The requirements of a non-relational domain on its sets of numbers, and C's operators on such sets.

use serde_json::Value as Json;
use std::fmt::Debug;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_c::types::{IntKind, Type, TypeId, Types};

/// An integer type or a pointer of at most 64 bits, as a range of numbers. Wider integers and floats have no
/// shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub width: u32,
    pub signed: bool,
    pub is_bool: bool,
}

impl Shape {
    /// Of comparisons: `int`.
    pub const INT: Self = Self { width: 32, signed: true, is_bool: false };

    pub fn of(types: &Types, ty: TypeId) -> Option<Self> {
        let is_bool = match *types.get(ty) {
            Type::Int(kind) => kind == IntKind::Bool,
            Type::Pointer(_) => false,
            _ => return None,
        };
        let width = types.int_width(ty).filter(|&width| width <= 64)?;
        Some(Self { width, signed: types.is_signed(ty), is_bool })
    }

    pub fn min(self) -> i128 {
        if self.signed { -(1 << (self.width - 1)) } else { 0 }
    }

    pub fn max(self) -> i128 {
        match (self.is_bool, self.signed) {
            (true, _) => 1,
            (false, true) => (1 << (self.width - 1)) - 1,
            (false, false) => (1 << self.width) - 1,
        }
    }

    pub fn contains(self, value: i128) -> bool {
        (self.min()..=self.max()).contains(&value)
    }
}

/// A non-empty set of numbers. Operators take operands within their shape and answer within the shape of the
/// result; they mean what [`summa_c::arith`] says, wrapped around where the exact result does not fit.
pub trait NumberSet: Copy + PartialEq + Debug + 'static {
    /// The name of the domain, as configurations write it.
    const NAME: &'static str;
    /// What the sets say, in a part of a line.
    const WHAT: &'static str;

    /// All numbers of the type.
    fn all(shape: Shape) -> Self;
    fn only(value: i128) -> Self;
    /// All numbers of the type but zero.
    fn nonzero(shape: Shape) -> Self;

    fn contains(self, value: i128) -> bool;
    /// A range around the set.
    fn bounds(self, shape: Shape) -> (i128, i128);
    fn is_subset(self, other: Self) -> bool;
    fn join(self, other: Self) -> Self;
    fn meet(self, other: Self) -> Option<Self>;
    /// A set around both. Chains `x₀, x₀ ∇ y₁, (x₀ ∇ y₁) ∇ y₂, …` must become stable.
    fn widen(self, next: Self, shape: Shape, thresholds: &[i128]) -> Self;

    /// Conversion; `self` has the shape `from`.
    fn cast(self, from: Shape, to: Shape) -> Self;
    fn unary(op: UnaryOp, shape: Shape, a: Self) -> Self;
    /// All operators with a number as result but comparisons. The shape is that of the left operand and of
    /// the result.
    fn binary(op: BinaryOp, shape: Shape, a: Self, b: Self) -> Self;
    /// The outcome of a comparison, if it is the same for all pairs.
    fn compare(op: BinaryOp, a: Self, b: Self) -> Option<bool>;

    /// The part of the set for which the comparison with some number of `other` holds; more is allowed.
    fn satisfying(self, op: BinaryOp, other: Self) -> Option<Self>;
    /// What the left operand can be if `left op right` lies in `result`, for operators that cannot be undone
    /// by another one. `None`: nothing is known.
    fn left_operand(_op: BinaryOp, _shape: Shape, _result: Self, _left: Self, _right: Self) -> Option<Self> {
        None
    }

    /// Is zero the only element (false), or none (true)?
    fn truth(self) -> Option<bool> {
        Self::compare(BinaryOp::Ne, self, Self::only(0))
    }

    /// All its numbers, if there are at most `_most` and the domain can distinguish them.
    fn elements(self, _most: usize) -> Option<Vec<i128>> {
        None
    }

    /// All its numbers have this residue (from 0 on) modulo this number, if the domain knows of one.
    fn congruence(self) -> Option<(i128, i128)> {
        None
    }

    fn show(self, name: &str, shape: Shape) -> String;

    /// C expressions that together say that `name` lies in the set.
    fn to_c(self, name: &str, shape: Shape) -> Vec<String>;

    /// Numbers that distinguish the set from all others.
    fn code(self) -> [i128; 3];

    /// The set as data.
    fn save(self) -> Json;
    /// The set that was saved, if it is one of this shape's numbers.
    fn load(saved: &Json, shape: Shape) -> Option<Self>;
}
