//! The sorts of terms.

use summa_base::define_id;

define_id! {
    /// An interned array sort; [`crate::Terms::array_sort`] gives index and element back.
    ArraySort = "arr";
}

/// What a term denotes. Small and `Copy`: array sorts are interned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sort {
    Bool,
    /// Mathematical integers.
    Int,
    /// Bit-vectors of this width, 1 to 128.
    Bv(u8),
    Float(FloatSort),
    Array(ArraySort),
}

/// The floating-point formats of C on x86. The x87 format is taken with its hidden bit, as SMT-LIB does: 79
/// bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatSort {
    F32,
    F64,
    /// x87 extended: 15 exponent bits, 64 bits of precision.
    F80,
    F128,
}

impl FloatSort {
    /// Bits of the exponent and of the significand including the hidden bit, as in SMT-LIB's `(_
    /// FloatingPoint e s)`.
    pub fn shape(self) -> (u32, u32) {
        match self {
            Self::F32 => (8, 24),
            Self::F64 => (11, 53),
            Self::F80 => (15, 64),
            Self::F128 => (15, 113),
        }
    }
}
