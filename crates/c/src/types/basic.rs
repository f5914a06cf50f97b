//! The arithmetic types, and how large they are in a data model.

use summa_syntax::DataModel;

/// The integer types. Plain `char` is a type of its own, signed as on x86 unless the user wants it otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IntKind {
    Bool,
    Char,
    /// Plain `char` where it is unsigned (`-funsigned-char`).
    CharUnsigned,
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
    /// The type in which gcc computes if a bit-field is wider than `int` and narrower than its declared type.
    /// Its values are kept in the whole type of [`IntKind::container`], and wherever one could leave the
    /// width the tree says how it is cut. So only the front end has to know the width.
    Exact {
        width: u8,
        signed: bool,
    },
}

impl IntKind {
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        match self {
            Char | SignedChar | Short | Int | Long | LongLong | Int128 => true,
            Exact { signed, .. } => signed,
            _ => false,
        }
    }

    /// The whole type that holds the values of an exact width; any other type itself.
    pub fn container(self) -> Self {
        match self {
            Self::Exact { width: 0..=64, signed: true } => Self::LongLong,
            Self::Exact { width: 0..=64, signed: false } => Self::UnsignedLongLong,
            Self::Exact { signed: true, .. } => Self::Int128,
            Self::Exact { signed: false, .. } => Self::UnsignedInt128,
            other => other,
        }
    }

    /// The bits that count in the usual conversions: those of the type, or the exact width.
    pub(super) fn precision(self, model: DataModel) -> u32 {
        match self {
            Self::Exact { width, .. } => u32::from(width),
            other => 8 * other.size(model) as u32,
        }
    }

    /// Size in bytes.
    pub fn size(self, model: DataModel) -> u64 {
        use IntKind::*;
        match self {
            Bool | Char | CharUnsigned | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 4,
            Long | UnsignedLong => model.pointer_size(),
            LongLong | UnsignedLongLong => 8,
            Int128 | UnsignedInt128 => 16,
            Exact { .. } => self.container().size(model),
        }
    }

    /// Conversion rank (6.3.1.1).
    pub fn rank(self) -> u8 {
        use IntKind::*;
        match self {
            Bool => 0,
            Char | CharUnsigned | SignedChar | UnsignedChar => 1,
            Short | UnsignedShort => 2,
            Int | UnsignedInt => 3,
            Long | UnsignedLong => 4,
            LongLong | UnsignedLongLong => 5,
            Int128 | UnsignedInt128 => 6,
            // Wider than `int` in any case; the usual conversions ask for the precision first.
            Exact { .. } => 4,
        }
    }

    pub fn to_unsigned(self) -> Self {
        use IntKind::*;
        match self {
            Char | CharUnsigned | SignedChar => UnsignedChar,
            Short => UnsignedShort,
            Int => UnsignedInt,
            Long => UnsignedLong,
            LongLong => UnsignedLongLong,
            Int128 => UnsignedInt128,
            Exact { width, .. } => Exact { width, signed: false },
            other => other,
        }
    }

    pub fn name(self) -> &'static str {
        use IntKind::*;
        match self {
            Bool => "_Bool",
            Char | CharUnsigned => "char",
            SignedChar => "signed char",
            UnsignedChar => "unsigned char",
            Short => "short",
            UnsignedShort => "unsigned short",
            Int => "int",
            UnsignedInt => "unsigned int",
            Long => "long",
            UnsignedLong => "unsigned long",
            LongLong => "long long",
            UnsignedLongLong => "unsigned long long",
            Int128 => "__int128",
            UnsignedInt128 => "unsigned __int128",
            // C has no name for it; its values are those of a part of this type.
            Exact { .. } => self.container().name(),
        }
    }
}

/// The floating types, by format: IEEE single and double, x87 extended, IEEE quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FloatKind {
    Float,
    Double,
    LongDouble,
    Float128,
}

impl FloatKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Float => "float",
            Self::Double => "double",
            Self::LongDouble => "long double",
            Self::Float128 => "__float128",
        }
    }

    pub fn size(self, model: DataModel) -> u64 {
        match self {
            Self::Float => 4,
            Self::Double => 8,
            Self::LongDouble if model == DataModel::Ilp32 => 12,
            Self::LongDouble | Self::Float128 => 16,
        }
    }
}
