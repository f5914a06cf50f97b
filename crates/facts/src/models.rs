//! What the modelled library functions do to memory, as a table: behind which arguments they read or write,
//! and where an address in their result comes from. Engines know what they compute.

use summa_cfa::library::{self, LibFn};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryModel {
    /// Positions of arguments whose object is read.
    pub reads: &'static [usize],
    /// Positions of arguments whose object is written.
    pub writes: &'static [usize],
    pub copies: Option<Copying>,
    /// Position of a format; the arguments behind it are read as it says, and written where it says `%n`.
    pub format: Option<usize>,
    pub result: ResultAddress,
}

/// Bytes move between the objects that two arguments point into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copying {
    pub to: usize,
    pub from: usize,
    /// The memory is characters of a string.
    pub is_string: bool,
}

/// Which address, if any, a result can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultAddress {
    None,
    /// The argument itself.
    Argument(usize),
    /// Some byte of the object that the argument points into.
    Inside(usize),
    /// A new object of its own.
    Fresh,
    /// The argument's object, moved or not.
    Moved(usize),
    /// An integer made from the bits of the argument.
    Bits(usize),
    /// The next variadic argument of the list that the argument points to.
    Variadic(usize),
}

const BYTES: Option<Copying> = Some(Copying { to: 0, from: 1, is_string: false });
const STRING: Option<Copying> = Some(Copying { to: 0, from: 1, is_string: true });
const PURE: MemoryModel =
    MemoryModel { reads: &[], writes: &[], copies: None, format: None, result: ResultAddress::None };

impl MemoryModel {
    pub fn of(function: LibFn) -> Self {
        use LibFn::*;
        use ResultAddress::{Argument, Bits, Fresh, Inside, Moved, Variadic};
        match function {
            Malloc | Calloc | Alloca => Self { result: Fresh, ..PURE },
            Realloc => Self { reads: &[0], writes: &[0], result: Moved(0), ..PURE },
            // The bytes must not be read any more: for the rest of the program that is a write.
            Free => Self { writes: &[0], ..PURE },
            Memcpy | Memmove => {
                Self { reads: &[1], writes: &[0], copies: BYTES, result: Argument(0), ..PURE }
            }
            Strcpy | Strncpy => {
                Self { reads: &[1], writes: &[0], copies: STRING, result: Argument(0), ..PURE }
            }
            Strcat | Strncat => {
                Self { reads: &[0, 1], writes: &[0], copies: STRING, result: Argument(0), ..PURE }
            }
            // One byte repeated is no address, so nothing flows from the second argument.
            Memset => Self { writes: &[0], result: Argument(0), ..PURE },
            Memcmp | Strcmp | Strncmp | Strspn | Strcspn => Self { reads: &[0, 1], ..PURE },
            Strlen | Strnlen | Puts => Self { reads: &[0], ..PURE },
            Memchr | Strchr | Strrchr => Self { reads: &[0], result: Inside(0), ..PURE },
            Strstr | Strpbrk => Self { reads: &[0, 1], result: Inside(0), ..PURE },
            Strdup => Self { reads: &[0], result: Fresh, ..PURE },
            Printf => Self { reads: &[0], format: Some(0), ..PURE },
            // The stream belongs to the library. Reading and writing it matters only if the program defines
            // it.
            Fprintf => Self { reads: &[0, 1], writes: &[0], format: Some(1), ..PURE },
            Sprintf => Self { reads: &[1], writes: &[0], format: Some(1), ..PURE },
            Snprintf => Self { reads: &[2], writes: &[0], format: Some(2), ..PURE },
            Putchar => PURE,
            Abs | Labs | Llabs | Bswap16 | Bswap32 | Bswap64 => Self { result: Bits(0), ..PURE },
            Clz | Clzl | Clzll | Ctz | Ctzl | Ctzll => PURE,
            Popcount | Popcountl | Popcountll | Ffs | Ffsl | Ffsll => PURE,
            Parity | Parityl | Parityll | Ctype(_) => PURE,
            Math(library::Math::Modf | library::Math::Frexp) => Self { writes: &[1], ..PURE },
            Math(_) => PURE,
            Rounded(_) => PURE,
            ParseInteger(_) | ParsedLength => Self { reads: &[0], ..PURE },
            VaStart => Self { writes: &[0], ..PURE },
            VaArg => Self { reads: &[0], writes: &[0], result: Variadic(0), ..PURE },
            VaEnd => Self { writes: &[0], ..PURE },
            VaCopy => Self { reads: &[1], writes: &[0], copies: BYTES, ..PURE },
        }
    }

    /// Does the call make a new object?
    pub fn allocates(&self) -> bool {
        matches!(self.result, ResultAddress::Fresh | ResultAddress::Moved(_))
    }
}
