//! Scalar types as the machine sees them, and every conversion between them.
//!
//! *Bits* of a scalar are a `u128`. Integers of up to 64 bits and pointers are kept *canonical* in the low 64
//! bits: signed ones sign-extended, unsigned ones zero-extended, so that widening conversions are free and
//! comparisons need no width. Floats are kept by their format. Types wider than 64 bits take two slots.
//!
//! Conversions of floats that do not fit an integer are undefined in C; here they give what gcc's code gives
//! on x86-64: the "integer indefinite" of `cvttsd2si`.

use summa_c::arith::wrap_to;
use summa_c::float;
use summa_c::types::{FloatKind, IntKind, Type, TypeId, Types};

/// A scalar type reduced to what arithmetic needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    Bool,
    F32,
    F64,
    I128,
    U128,
    /// x87 extended precision: `long double`.
    X87,
    /// IEEE quadruple precision: `__float128`.
    Quad,
}

impl Scalar {
    /// The scalar behind a type; pointers are unsigned integers. None for aggregates, `void` and functions.
    pub fn of(types: &Types, ty: TypeId) -> Option<Self> {
        let size = types.size_of(ty)?;
        Some(match *types.get(ty) {
            Type::Int(IntKind::Bool) => Self::Bool,
            Type::Int(kind) => match (size, kind.is_signed()) {
                (1, true) => Self::I8,
                (1, false) => Self::U8,
                (2, true) => Self::I16,
                (2, false) => Self::U16,
                (4, true) => Self::I32,
                (4, false) => Self::U32,
                (8, true) => Self::I64,
                (8, false) => Self::U64,
                (_, true) => Self::I128,
                (_, false) => Self::U128,
            },
            Type::Pointer(_) if size == 4 => Self::U32,
            Type::Pointer(_) => Self::U64,
            Type::Float(FloatKind::Float) => Self::F32,
            Type::Float(FloatKind::Double) => Self::F64,
            Type::Float(FloatKind::LongDouble) => Self::X87,
            Type::Float(FloatKind::Float128) => Self::Quad,
            _ => return None,
        })
    }

    /// Takes two slots?
    #[inline]
    pub fn is_wide(self) -> bool {
        matches!(self, Self::I128 | Self::U128 | Self::X87 | Self::Quad)
    }

    pub fn slots(self) -> u32 {
        1 + u32::from(self.is_wide())
    }

    pub fn float_kind(self) -> Option<FloatKind> {
        Some(match self {
            Self::F32 => FloatKind::Float,
            Self::F64 => FloatKind::Double,
            Self::X87 => FloatKind::LongDouble,
            Self::Quad => FloatKind::Float128,
            _ => return None,
        })
    }

    pub fn is_float(self) -> bool {
        self.float_kind().is_some()
    }

    pub fn is_signed(self) -> bool {
        matches!(self, Self::I8 | Self::I16 | Self::I32 | Self::I64 | Self::I128)
    }

    /// Bytes that a load or store touches; the padding behind an x87 value is left alone, as `fstpt` does.
    #[inline]
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 | Self::Bool => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
            Self::X87 => 10,
            Self::I128 | Self::U128 | Self::Quad => 16,
        }
    }

    /// Width in bits of the value; `_Bool` is taken as its byte.
    pub fn width(self) -> u32 {
        8 * self.bytes() as u32
    }

    /// Canonical bits from the low bytes of `raw` (as they stand in memory).
    #[inline]
    pub fn extend(self, raw: u64) -> u64 {
        match self {
            Self::I8 => raw as i8 as u64,
            Self::U8 | Self::Bool => raw as u8 as u64,
            Self::I16 => raw as i16 as u64,
            Self::U16 => raw as u16 as u64,
            Self::I32 => raw as i32 as u64,
            Self::U32 | Self::F32 => raw as u32 as u64,
            _ => raw,
        }
    }

    /// The number behind the bits of an integer type (`unsigned __int128` by its bits).
    pub fn to_int(self, bits: u128) -> i128 {
        match self {
            Self::I128 | Self::U128 => bits as i128,
            _ if self.is_signed() => i128::from(bits as u64 as i64),
            _ => i128::from(bits as u64),
        }
    }

    /// The bits of a number reduced modulo the width of an integer type; `_Bool` is `!= 0`.
    pub fn from_int(self, value: i128) -> u128 {
        match self {
            Self::Bool => u128::from(value != 0),
            Self::I128 | Self::U128 => value as u128,
            _ => u128::from(wrap_to(self.width(), self.is_signed(), value) as u64),
        }
    }
}

/// Conversion as by a C cast.
pub(crate) fn convert(from: Scalar, to: Scalar, bits: u128) -> u128 {
    match (from.float_kind(), to.float_kind()) {
        (None, None) => to.from_int(from.to_int(bits)),
        (None, Some(_)) => int_to_float(from, to, bits),
        (Some(_), None) => float_to_int(from, to, bits),
        (Some(_), Some(_)) => match (from, to) {
            (Scalar::F32, Scalar::F64) => f64::from(f32::from_bits(bits as u32)).to_bits().into(),
            (Scalar::F64, Scalar::F32) => (f64::from_bits(bits as u64) as f32).to_bits().into(),
            _ => convert_float(from, to, bits),
        },
    }
}

fn convert_float(from: Scalar, to: Scalar, bits: u128) -> u128 {
    match (from.float_kind(), to.float_kind()) {
        (Some(from), Some(to)) => float::convert(bits, from, to),
        _ => bits,
    }
}

fn int_to_float(from: Scalar, to: Scalar, bits: u128) -> u128 {
    let value = from.to_int(bits);
    let unsigned = from == Scalar::U128;
    match to {
        Scalar::F32 if unsigned => (bits as f32).to_bits().into(),
        Scalar::F32 => (value as f32).to_bits().into(),
        Scalar::F64 if unsigned => (bits as f64).to_bits().into(),
        Scalar::F64 => (value as f64).to_bits().into(),
        _ => to.float_kind().map_or(bits, |kind| float::from_int(value, unsigned, kind)),
    }
}

fn float_to_int(from: Scalar, to: Scalar, bits: u128) -> u128 {
    let Some(kind) = from.float_kind() else { return bits };
    if to == Scalar::Bool {
        let zero = float::from_int(0, false, kind);
        return u128::from(float::compare(summa_c::tree::BinaryOp::Ne, kind, bits, zero).unwrap_or(true));
    }
    // Fast and exact for what fits; the rest is undefined in C.
    let whole = match from {
        Scalar::F32 => Some(f64::from(f32::from_bits(bits as u32))),
        Scalar::F64 => Some(f64::from_bits(bits as u64)),
        _ => None,
    };
    if let Some(x) = whole
        && x > -9.2e18
        && x < 9.2e18
    {
        let wide = x as i64;
        // Narrow targets go through a 32-bit conversion, `unsigned` through a 64-bit one.
        let in_int = i32::try_from(wide).is_ok();
        let narrow = matches!(to, Scalar::I8 | Scalar::U8 | Scalar::I16 | Scalar::U16 | Scalar::I32);
        let value = if narrow && !in_int { i64::from(i32::MIN) } else { wide };
        return to.from_int(i128::from(value));
    }
    let value = match float::to_int(bits, kind, to.width(), to.is_signed()) {
        Some(value) => value,
        None => match to {
            Scalar::I64 | Scalar::U64 => i128::from(i64::MIN),
            Scalar::I128 | Scalar::U128 => i128::MIN,
            Scalar::U32 => 0,
            _ => i128::from(i32::MIN),
        },
    };
    to.from_int(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn double(x: f64) -> u128 {
        x.to_bits().into()
    }

    #[test]
    fn integers_wrap_and_stay_canonical() {
        assert_eq!(convert(Scalar::I32, Scalar::U8, u128::from(-1i64 as u64)), 255);
        assert_eq!(convert(Scalar::U8, Scalar::I8, 200), u128::from(-56i64 as u64));
        assert_eq!(convert(Scalar::I8, Scalar::I128, u128::from(-1i64 as u64)), u128::MAX);
        assert_eq!(convert(Scalar::U64, Scalar::U128, u128::from(u64::MAX)), u128::from(u64::MAX));
        assert_eq!(convert(Scalar::I32, Scalar::Bool, 256), 1);
    }

    #[test]
    fn floats_truncate_towards_zero() {
        assert_eq!(convert(Scalar::F64, Scalar::I32, double(-3.99)), u128::from(-3i64 as u64));
        assert_eq!(convert(Scalar::F64, Scalar::U8, double(200.7)), 200);
        assert_eq!(convert(Scalar::F64, Scalar::U64, double(1.8e19)), 18_000_000_000_000_000_000);
        assert_eq!(convert(Scalar::F64, Scalar::Bool, double(0.5)), 1);
        assert_eq!(convert(Scalar::F64, Scalar::Bool, double(-0.0)), 0);
        assert_eq!(convert(Scalar::F64, Scalar::Bool, double(f64::NAN)), 1);
        assert_eq!(convert(Scalar::F64, Scalar::I32, double(1e10)), u128::from(i64::from(i32::MIN) as u64));
    }

    #[test]
    fn extended_precision_keeps_all_64_bits_of_an_integer() {
        let x = convert(Scalar::U64, Scalar::X87, u128::from(u64::MAX));
        assert_eq!(convert(Scalar::X87, Scalar::U64, x), u128::from(u64::MAX));
        let y = convert(Scalar::F32, Scalar::Quad, 1.5f32.to_bits().into());
        assert_eq!(convert(Scalar::Quad, Scalar::F64, y), double(1.5));
    }
}
