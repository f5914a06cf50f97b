//! The arithmetic types, and the data models that say how large they are.

/// Which integer and pointer sizes hold: gcc's `-m32` or `-m64` on x86.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DataModel {
    Ilp32,
    Lp64,
}

impl DataModel {
    pub fn pointer_size(self) -> u64 {
        match self {
            Self::Ilp32 => 4,
            Self::Lp64 => 8,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Self::Ilp32 => "ILP32",
            Self::Lp64 => "LP64",
        }
    }
}

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
}

impl IntKind {
    pub fn is_signed(self) -> bool {
        use IntKind::*;
        matches!(self, Char | SignedChar | Short | Int | Long | LongLong | Int128)
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
