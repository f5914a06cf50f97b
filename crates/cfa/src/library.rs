//! The library functions that have a model: what each name means to the automata and to the interpreter.
//!
//! The rules, in this order:
//! 1. A call of an error function *is* the error, whether it has a body or not.
//! 2. A user's definition wins over the table.
//! 3. A name of the table ([`mod@table`]) has the meaning given there. If the arguments of a call do not fit
//!    the [`LibFn::signature`], the call is `Unsupported`. So engines may rely on number and class of the
//!    arguments.
//! 4. Any other function without a body is external: any result, and anything may happen to what its pointer
//!    arguments reach. Functions whose effect is covered by that (`time`, `scanf`, …) are not in the table on
//!    purpose. Those that leave something for later calls (`fesetround`, `strtok`) are in it as
//!    [`Model::State`]. Those that would escape it, because they change control flow or call back into the
//!    program (`setjmp`, `pthread_create`, `qsort`, …), are in the table as unsupported.

mod table;

use summa_c::types::{TypeId, Types};
pub use table::{model, table};

/// What a call of a function without a body means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// An edge `Op::Library`. The arguments at these positions (ascending) are evaluated and dropped first:
    /// those that fortified spellings add, or streams that have no influence.
    Lib(LibFn, &'static [usize]),
    /// An input of the program, of the declared result type.
    Nondet,
    /// An input that is 0 or 1 whatever the declared result type.
    NondetBool,
    /// Executions in which the first argument is zero do not count.
    Assume,
    /// An error if the first argument is zero.
    Assert,
    /// The call is a failed assertion.
    AssertFail,
    Abort,
    Exit,
    /// Undefined behaviour that the program promises not to reach.
    Unreachable,
    /// The result is the first argument.
    First,
    /// Any result, no effect on the state.
    NoEffect,
    /// A function with state behind it: see `build/hidden.rs`.
    State(State),
    /// A number is read from the string that is the first argument, as `strtol` does; `atoi` and the like
    /// have one argument.
    Digits(Digits),
    /// No sound model: execution that gets here leaves what Summa understands.
    Unsupported(&'static str),
}

/// Does the C library define the object? Then it does not hold just any value.
pub fn is_object_of_the_library(name: &str) -> bool {
    OBJECTS_OF_THE_LIBRARY.contains(&name)
}

/// Objects that the C library defines.
const OBJECTS_OF_THE_LIBRARY: &[&str] = &[
    "stdin",
    "stdout",
    "stderr",
    "environ",
    "__environ",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "errno",
    "signgam",
    "timezone",
    "daylight",
    "tzname",
    "sys_errlist",
    "sys_nerr",
    "_sys_errlist",
    "_sys_nerr",
    "sys_siglist",
    "program_invocation_name",
    "program_invocation_short_name",
    "in6addr_any",
    "in6addr_loopback",
];

/// The effects of functions with state behind them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// `fesetround`, `fegetround`, and functions that set a whole environment.
    SetRounding,
    GetRounding,
    SetEnvironment,
    /// Returns the address of `errno`.
    Errno,
    /// Pseudo-random numbers, and what determines them.
    Random,
    Seed,
    /// May choose a locale.
    Locale,
    /// Remembers the arguments at these positions and its result; later calls of its group may change what
    /// they lead to.
    Remembers {
        group: &'static str,
        kept: &'static [usize],
    },
    /// The argument at this position becomes the buffer of a stream, unless it is null.
    StreamBuffer(usize),
}

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

impl LibFn {
    /// Classes of the result and of the arguments: `i` integer, `p` pointer, `f` floating, `*` any scalar or
    /// address; a final `.` allows more arguments of any type. Results may always be ignored.
    pub fn signature(self) -> (char, &'static str) {
        use LibFn::*;
        match self {
            Malloc | Alloca => ('p', "i"),
            Calloc => ('p', "ii"),
            Realloc => ('p', "pi"),
            Free => ('v', "p"),
            Memcpy | Memmove => ('p', "ppi"),
            Memset | Memchr => ('p', "pii"),
            Memcmp | Strncmp => ('i', "ppi"),
            Strlen => ('i', "p"),
            Strnlen => ('i', "pi"),
            Strcpy | Strcat | Strstr | Strpbrk => ('p', "pp"),
            Strncpy | Strncat => ('p', "ppi"),
            Strcmp | Strspn | Strcspn => ('i', "pp"),
            Strchr | Strrchr => ('p', "pi"),
            Strdup => ('p', "p"),
            Printf => ('i', "p."),
            Fprintf | Sprintf => ('i', "pp."),
            Snprintf => ('i', "pip."),
            Puts => ('i', "p"),
            Putchar => ('i', "i"),
            Abs | Labs | Llabs | Bswap16 | Bswap32 | Bswap64 => ('i', "i"),
            Clz | Clzl | Clzll | Ctz | Ctzl | Ctzll => ('i', "i"),
            Popcount | Popcountl | Popcountll | Ffs | Ffsl | Ffsll => ('i', "i"),
            Parity | Parityl | Parityll => ('i', "i"),
            Ctype(_) => ('i', "i"),
            Math(math) => math.signature(),
            Rounded(_) => ('*', "i*."),
            ParseInteger(_) | ParsedLength => ('i', "pi"),
            VaStart => ('v', "*."),
            VaArg => ('*', "*."),
            VaEnd => ('v', "*"),
            VaCopy => ('v', "**"),
        }
    }

    /// Do a result and arguments of these types fit the signature?
    pub fn fits(self, types: &Types, result: Option<TypeId>, args: &[TypeId]) -> bool {
        let in_class = |class: char, ty: TypeId| match class {
            'i' => types.is_integer(ty),
            'p' => types.is_pointer(ty),
            'f' => types.is_float(ty),
            '*' => true,
            _ => false,
        };
        let (result_class, params) = self.signature();
        let required = params.trim_end_matches('.');
        let count_fits = if required.len() < params.len() {
            args.len() >= required.len()
        } else {
            args.len() == required.len()
        };
        count_fits
            && result.is_none_or(|ty| in_class(result_class, ty))
            && required.chars().zip(args).all(|(class, &ty)| in_class(class, ty))
    }
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
    fn signature(self) -> (char, &'static str) {
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
