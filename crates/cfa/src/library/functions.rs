//! The library functions that engines meet in `Op::Library`, by what they do and not by how they are spelled.
//! What they do is in their [`Description`](super::Description).

/// The type of a number that is read from digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Digits {
    Long,
    UnsignedLong,
    LongLong,
    UnsignedLongLong,
}

/// An operation whose result is rounded in the mode that is the first argument, as `<fenv.h>` numbers modes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounded {
    Add,
    Sub,
    Mul,
    Div,
    Sqrt,
    Fma,
    /// `rint`
    Integral,
    /// A number of any type to the type of the result.
    Convert,
}

/// What a modelled library call does. The automaton builder turns the control-like ones into edges of their
/// own (`Error`, `Halt`, `Assume`, `Havoc`), so engines meet only the rest in `Op::Library`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LibFn {
    // Memory.
    Malloc,
    Calloc,
    Realloc,
    Free,
    Alloca,
    Memcpy,
    Memmove,
    Memset,
    Memcmp,
    Memchr,
    // Strings.
    Strlen,
    Strnlen,
    Strcpy,
    Strncpy,
    Strcat,
    Strncat,
    Strcmp,
    Strncmp,
    Strchr,
    Strrchr,
    Strstr,
    Strspn,
    Strcspn,
    Strpbrk,
    Strdup,
    // Output without effect on the program's state; the result is the number of characters, or any int.
    Printf,
    Fprintf,
    Sprintf,
    Snprintf,
    Puts,
    Putchar,
    // Integers.
    Abs,
    Labs,
    Llabs,
    Bswap16,
    Bswap32,
    Bswap64,
    Clz,
    Clzl,
    Clzll,
    Ctz,
    Ctzl,
    Ctzll,
    Popcount,
    Popcountl,
    Popcountll,
    Ffs,
    Ffsl,
    Ffsll,
    Parity,
    Parityl,
    Parityll,
    /// `isdigit`, `toupper`, … in the C locale.
    Ctype(Ctype),
    // Floating point; the kind of the operation comes from the type of the arguments.
    Math(Math),
    Rounded(Rounded),
    /// The number that stands at the start of a string, to a base.
    ParseInteger(Digits),
    /// The number of characters of such a number, including what precedes it; zero if there is none.
    ParsedLength,
    // Variadic functions; the first argument is the address of (or pointer that is) the `va_list`.
    VaStart,
    VaArg,
    VaEnd,
    VaCopy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Ctype {
    Alnum,
    Alpha,
    Blank,
    Cntrl,
    Digit,
    Graph,
    Lower,
    Print,
    Punct,
    Space,
    Upper,
    Xdigit,
    ToLower,
    ToUpper,
}

impl Ctype {
    /// Can another locale give another answer? Digits are the same in all of them.
    pub(super) fn is_by_locale(self) -> bool {
        !matches!(self, Self::Digit | Self::Xdigit)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Math {
    Fabs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    Round,
    Rint,
    Nearbyint,
    Lround,
    Llround,
    Lrint,
    Llrint,
    Fmod,
    Remainder,
    Fmin,
    Fmax,
    Fdim,
    Copysign,
    Isnan,
    Isinf,
    /// glibc's `isinf` function: -1 for minus infinity.
    IsinfSign,
    Isfinite,
    Isnormal,
    Signbit,
    Fpclassify,
    Modf,
    Fma,
    /// `ldexp`, `scalbn`
    Ldexp,
    Frexp,
    Ilogb,
    Logb,
    Nextafter,
    // Not exact: results differ between libraries, so engines treat them as any value; the interpreter uses
    // the host's.
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Log,
    Log2,
    Log10,
    Pow,
    Cbrt,
    Hypot,
    Expm1,
    Log1p,
}

impl Math {
    /// Classes of the result and of the arguments, as in [`Description`](super::Description).
    pub(super) fn signature(self) -> (char, &'static str) {
        use Math::*;
        match self {
            Fabs | Sqrt | Floor | Ceil | Trunc | Round | Rint | Nearbyint => ('f', "f"),
            Lround | Llround | Lrint | Llrint => ('i', "f"),
            Fmod | Remainder | Fmin | Fmax | Fdim | Copysign | Nextafter | Atan2 | Pow | Hypot => ('f', "ff"),
            Isnan | Isinf | IsinfSign | Isfinite | Isnormal | Signbit | Fpclassify => ('i', "f"),
            Modf | Frexp => ('f', "fp"),
            Fma => ('f', "fff"),
            Ldexp => ('f', "fi"),
            Ilogb => ('i', "f"),
            Logb => ('f', "f"),
            Sin | Cos | Tan | Asin | Acos | Atan | Sinh | Cosh | Tanh => ('f', "f"),
            Exp | Exp2 | Log | Log2 | Log10 | Cbrt => ('f', "f"),
            Expm1 | Log1p => ('f', "f"),
        }
    }

    /// Can the result depend on the rounding mode?
    pub fn is_rounded(self) -> bool {
        use Math::*;
        match self {
            Fabs | Floor | Ceil | Trunc | Round | Lround | Llround | Fmod | Remainder | Fmin | Fmax
            | Copysign => false,
            Isnan | Isinf | IsinfSign | Isfinite | Isnormal | Signbit | Fpclassify | Modf => false,
            Frexp | Ilogb | Logb | Nextafter => false,
            Sqrt | Rint | Nearbyint | Lrint | Llrint | Fdim | Fma | Ldexp => true,
            Sin | Cos | Tan | Asin | Acos | Atan | Atan2 | Sinh | Cosh | Tanh => true,
            Exp | Exp2 | Log | Log2 | Log10 | Pow | Cbrt | Hypot => true,
            Expm1 | Log1p => true,
        }
    }
}

impl LibFn {
    pub fn family(self) -> Family {
        use LibFn::*;
        match self {
            Malloc | Calloc | Realloc | Free | Alloca => Family::Allocation,
            Memcpy | Memmove | Memset | Memcmp | Memchr => Family::Block,
            Strlen | Strnlen | Strcpy | Strncpy | Strcat | Strncat | Strcmp | Strncmp | Strchr | Strrchr
            | Strstr | Strspn | Strcspn | Strpbrk | Strdup => Family::Text,
            Printf | Fprintf | Sprintf | Snprintf | Puts | Putchar => Family::Output,
            Abs | Labs | Llabs | Bswap16 | Bswap32 | Bswap64 => Family::Integer,
            Clz | Clzl | Clzll | Ctz | Ctzl | Ctzll => Family::Integer,
            Popcount | Popcountl | Popcountll | Ffs | Ffsl | Ffsll => Family::Integer,
            Parity | Parityl | Parityll => Family::Integer,
            Ctype(_) => Family::Character,
            Math(_) | Rounded(_) => Family::Real,
            ParseInteger(_) | ParsedLength => Family::Digits,
            VaStart | VaArg | VaEnd | VaCopy => Family::Variadic,
        }
    }
}

/// Functions that are alike: the interpreter and the encoder dispatch by this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    Allocation,
    /// `mem…`
    Block,
    /// `str…`
    Text,
    Output,
    /// Of one integer: see [`Parameter`](super::Parameter).
    Integer,
    Character,
    Real,
    Digits,
    Variadic,
}
