//! One description for each library function: its effect on memory, on hidden state, and its result.
//!
//! It is defined in this one place. Points-to, the effects of edges, the encoder, the domains and the builder
//! of automata read it. A test of the interpreter compares it with executions on random arguments
//! (`crates/interp/tests/descriptions.rs`).
//!
//! No function with a description calls back into the program, keeps a pointer for later calls, or ends the
//! execution. Functions that do are other cases of [`Model`](super::Model), which the builder turns into
//! edges of their own. If a call breaks its promise (an access outside of an object), the execution ends: the
//! extents below say when.

use super::functions::{LibFn, Math};
use summa_c::types::{TypeId, Types};

/// The effect of a call. Positions are those of the arguments of the edge.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    /// Classes of the arguments: `i` integer, `p` pointer, `f` floating, `*` any scalar or address. A final
    /// `.` allows more arguments of any type.
    pub parameters: &'static str,
    /// Behind which arguments it reads, and how far. All of it must be readable, unless the extent says "at
    /// most".
    pub reads: &'static [(usize, Extent)],
    /// The same for writes.
    pub writes: &'static [(usize, Extent)],
    /// The object behind this argument ends, if the argument is not null.
    pub frees: Option<usize>,
    /// This argument is a stream, an object of the library, which it may read and write.
    pub stream: Option<usize>,
    /// This argument is a format; those behind it are read as it says, and written where it says `%n`.
    pub format: Option<usize>,
    /// The flow of bytes that may be parts of addresses.
    pub flow: Flow,
    pub returned: Returned,
    /// The function prints, or writes characters to a stream. The program does not read them back.
    pub is_output: bool,
    /// The function may write `errno`.
    pub sets_errno: bool,
    /// The result depends on the locale that the program has chosen.
    pub reads_locale: bool,
}

/// How many bytes are accessed behind a pointer, from the byte that it points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// As many as this argument says.
    Bytes(usize),
    /// The same, but only up to the byte that the argument `wanted` names.
    Search { wanted: usize, most: usize },
    /// The characters of a string, including its terminator.
    Text,
    /// The same, but not more than this argument says.
    TextUpTo(usize),
    /// As many as the string behind this argument has, with its terminator.
    CopyOf(usize),
    /// The existing string, then the string at `from`, limited by the argument `most`, and then a terminator.
    Appended { from: usize, most: Option<usize> },
    /// At most: as many bytes as the argument says, and none after the first that differs from the other
    /// block.
    ComparedBytes(usize),
    /// At most: a string, limited by the argument, and nothing after the first difference.
    ComparedText(Option<usize>),
    /// At most: a string with its terminator, as far as the question needs it.
    Prefix,
    /// The printed text with a terminator, limited by this argument.
    Printed(Option<usize>),
    /// One value of the type of this argument.
    ValueLike(usize),
    /// One `int`.
    Int,
    /// At most the whole object, whose contents belong to the library.
    Object,
}

/// Between which objects bytes move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    Nothing,
    /// From the object behind one argument to the one behind another.
    Bytes {
        from: usize,
        to: usize,
    },
    /// The same with characters of a string.
    Text {
        from: usize,
        to: usize,
    },
    /// Characters of a string go into the object that is the result.
    TextToResult {
        from: usize,
    },
    /// Characters of the strings that the format prints.
    Printed {
        to: usize,
    },
    /// The list behind the argument gets the address of the variadic arguments.
    Arguments {
        to: usize,
    },
}

/// The result of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    Nothing,
    /// An integer that holds no part of an address.
    Number(Values),
    /// An integer made from the bits of this argument.
    Bits(usize),
    /// A floating-point number.
    Real,
    /// A number of the type that the call wants.
    Scalar,
    /// This argument itself.
    Argument(usize),
    /// Null, or a pointer to a byte of the object that this argument points into.
    Inside(usize),
    /// A pointer to a new object.
    Fresh(Fresh),
    /// The object of the argument `from`, moved or not; or null.
    Moved {
        from: usize,
        fresh: Fresh,
    },
    /// The next variadic argument of the list behind this argument.
    Variadic(usize),
}

/// A new object. Its contents are indeterminate, except for what the flow or `is_zeroed` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fresh {
    pub size: Size,
    /// The object lives until it is freed, and there may be no memory for it. Otherwise it lives as long as
    /// the function that requests it.
    pub is_heap: bool,
    pub is_zeroed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    Argument(usize),
    Product(usize, usize),
    /// The size of the string at this argument, including its terminator.
    Text(usize),
}

/// The integers that a result can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    Any,
    Between(i64, i64),
    /// From 0 up to the size of the largest object.
    Size,
}

const PURE: Description = Description {
    parameters: "",
    reads: &[],
    writes: &[],
    frees: None,
    stream: None,
    format: None,
    flow: Flow::Nothing,
    returned: Returned::Nothing,
    is_output: false,
    sets_errno: false,
    reads_locale: false,
};
const HEAP: Description = Description { sets_errno: true, ..PURE };
const OUTPUT: Description =
    Description { is_output: true, sets_errno: true, returned: Returned::Number(Values::Any), ..PURE };
const ANY: Returned = Returned::Number(Values::Any);
const SIZE: Returned = Returned::Number(Values::Size);

const fn heap(size: Size) -> Fresh {
    Fresh { size, is_heap: true, is_zeroed: false }
}

const fn between(least: i64, most: i64) -> Returned {
    Returned::Number(Values::Between(least, most))
}

impl LibFn {
    /// Does it ask for memory that the environment may refuse?
    pub fn asks_for_memory(self) -> bool {
        self.description().fresh().is_some_and(|fresh| fresh.is_heap)
    }

    pub fn description(self) -> Description {
        use Extent::*;
        use LibFn::*;
        use Returned::{Argument, Inside};
        match self {
            // ---- memory ----
            Malloc => {
                Description { parameters: "i", returned: Returned::Fresh(heap(Size::Argument(0))), ..HEAP }
            }
            Calloc => {
                let fresh = Fresh { is_zeroed: true, ..heap(Size::Product(0, 1)) };
                Description { parameters: "ii", returned: Returned::Fresh(fresh), ..HEAP }
            }
            Realloc => Description {
                parameters: "pi",
                reads: &[(0, Object)],
                frees: Some(0),
                returned: Returned::Moved { from: 0, fresh: heap(Size::Argument(1)) },
                ..HEAP
            },
            Free => Description { parameters: "p", frees: Some(0), ..HEAP },
            Alloca => {
                let fresh = Fresh { is_heap: false, ..heap(Size::Argument(0)) };
                Description { parameters: "i", returned: Returned::Fresh(fresh), ..PURE }
            }
            Memcpy | Memmove => Description {
                parameters: "ppi",
                reads: &[(1, Bytes(2))],
                writes: &[(0, Bytes(2))],
                flow: Flow::Bytes { from: 1, to: 0 },
                returned: Argument(0),
                ..PURE
            },
            // One byte repeated is no address, so nothing flows from the second argument.
            Memset => {
                Description { parameters: "pii", writes: &[(0, Bytes(2))], returned: Argument(0), ..PURE }
            }
            Memcmp => Description {
                parameters: "ppi",
                reads: &[(0, ComparedBytes(2)), (1, ComparedBytes(2))],
                returned: ANY,
                ..PURE
            },
            Memchr => Description {
                parameters: "pii",
                reads: &[(0, Search { wanted: 1, most: 2 })],
                returned: Inside(0),
                ..PURE
            },
            // ---- strings ----
            Strlen => Description { parameters: "p", reads: &[(0, Text)], returned: SIZE, ..PURE },
            Strnlen => Description { parameters: "pi", reads: &[(0, TextUpTo(1))], returned: SIZE, ..PURE },
            Strcpy => Description {
                parameters: "pp",
                reads: &[(1, Text)],
                writes: &[(0, CopyOf(1))],
                flow: Flow::Text { from: 1, to: 0 },
                returned: Argument(0),
                ..PURE
            },
            Strncpy => Description {
                parameters: "ppi",
                reads: &[(1, TextUpTo(2))],
                writes: &[(0, Bytes(2))],
                flow: Flow::Text { from: 1, to: 0 },
                returned: Argument(0),
                ..PURE
            },
            Strcat => Description {
                parameters: "pp",
                reads: &[(0, Text), (1, Text)],
                writes: &[(0, Appended { from: 1, most: None })],
                flow: Flow::Text { from: 1, to: 0 },
                returned: Argument(0),
                ..PURE
            },
            Strncat => Description {
                parameters: "ppi",
                reads: &[(0, Text), (1, TextUpTo(2))],
                writes: &[(0, Appended { from: 1, most: Some(2) })],
                flow: Flow::Text { from: 1, to: 0 },
                returned: Argument(0),
                ..PURE
            },
            Strcmp => Description {
                parameters: "pp",
                reads: &[(0, ComparedText(None)), (1, ComparedText(None))],
                returned: ANY,
                ..PURE
            },
            Strncmp => Description {
                parameters: "ppi",
                reads: &[(0, ComparedText(Some(2))), (1, ComparedText(Some(2)))],
                returned: ANY,
                ..PURE
            },
            Strchr | Strrchr => {
                Description { parameters: "pi", reads: &[(0, Text)], returned: Inside(0), ..PURE }
            }
            Strstr | Strpbrk => {
                Description { parameters: "pp", reads: &[(0, Text), (1, Text)], returned: Inside(0), ..PURE }
            }
            Strspn | Strcspn => {
                Description { parameters: "pp", reads: &[(0, Text), (1, Text)], returned: SIZE, ..PURE }
            }
            Strdup => Description {
                parameters: "p",
                reads: &[(0, Text)],
                flow: Flow::TextToResult { from: 0 },
                returned: Returned::Fresh(heap(Size::Text(0))),
                ..HEAP
            },
            // ---- output ----
            Printf => Description { parameters: "p.", reads: &[(0, Text)], format: Some(0), ..OUTPUT },
            Fprintf => Description {
                parameters: "pp.",
                reads: &[(1, Text)],
                stream: Some(0),
                format: Some(1),
                ..OUTPUT
            },
            Sprintf => Description {
                parameters: "pp.",
                reads: &[(1, Text)],
                writes: &[(0, Printed(None))],
                format: Some(1),
                flow: Flow::Printed { to: 0 },
                reads_locale: true,
                ..OUTPUT
            },
            Snprintf => Description {
                parameters: "pip.",
                reads: &[(2, Text)],
                writes: &[(0, Printed(Some(1)))],
                format: Some(2),
                flow: Flow::Printed { to: 0 },
                reads_locale: true,
                ..OUTPUT
            },
            Puts => Description { parameters: "p", reads: &[(0, Text)], ..OUTPUT },
            Putchar => Description { parameters: "i", ..OUTPUT },
            // ---- numbers ----
            Abs | Labs | Llabs | Bswap16 | Bswap32 | Bswap64 => {
                Description { parameters: "i", returned: Returned::Bits(0), ..PURE }
            }
            Clz | Clzl | Clzll | Ctz | Ctzl | Ctzll => {
                Description { parameters: "i", returned: between(0, 63), ..PURE }
            }
            Popcount | Popcountl | Popcountll | Ffs | Ffsl | Ffsll => {
                Description { parameters: "i", returned: between(0, 64), ..PURE }
            }
            Parity | Parityl | Parityll => Description { parameters: "i", returned: between(0, 1), ..PURE },
            Ctype(class) => {
                Description { parameters: "i", returned: ANY, reads_locale: class.is_by_locale(), ..PURE }
            }
            Math(function) => function.description(),
            Rounded(_) => Description { parameters: "i*.", returned: Returned::Scalar, ..PURE },
            ParseInteger(_) => Description {
                parameters: "pi",
                reads: &[(0, Prefix)],
                returned: ANY,
                sets_errno: true,
                ..PURE
            },
            ParsedLength => Description { parameters: "pi", reads: &[(0, Prefix)], returned: SIZE, ..PURE },
            // ---- variadic functions ----
            VaStart => Description {
                parameters: "*.",
                writes: &[(0, Object)],
                flow: Flow::Arguments { to: 0 },
                ..PURE
            },
            VaArg => Description {
                parameters: "*.",
                reads: &[(0, Object)],
                writes: &[(0, Object)],
                returned: Returned::Variadic(0),
                ..PURE
            },
            VaEnd => Description { parameters: "*", writes: &[(0, Object)], ..PURE },
            VaCopy => Description {
                parameters: "**",
                reads: &[(1, Object)],
                writes: &[(0, Object)],
                flow: Flow::Bytes { from: 1, to: 0 },
                ..PURE
            },
        }
    }
}

impl Math {
    fn description(self) -> Description {
        use Math::*;
        let (result, parameters) = self.signature();
        let writes: &[(usize, Extent)] = match self {
            Modf => &[(1, Extent::ValueLike(0))],
            Frexp => &[(1, Extent::Int)],
            _ => &[],
        };
        let returned = match self {
            Isnan | Isinf | Isfinite | Isnormal => between(0, 1),
            IsinfSign => between(-1, 1),
            Fpclassify => between(0, 4),
            _ if result == 'f' => Returned::Real,
            _ => ANY,
        };
        Description { parameters, writes, returned, sets_errno: true, ..PURE }
    }
}

impl Description {
    /// Does the call make a new object?
    pub fn allocates(&self) -> bool {
        self.fresh().is_some()
    }

    /// The object that it makes, if it makes one.
    pub fn fresh(&self) -> Option<Fresh> {
        match self.returned {
            Returned::Fresh(fresh) | Returned::Moved { fresh, .. } => Some(fresh),
            _ => None,
        }
    }

    /// The class of the result, as in [`Description::parameters`]; `v` for none.
    fn result_class(&self) -> char {
        match self.returned {
            Returned::Nothing => 'v',
            Returned::Number(_) | Returned::Bits(_) => 'i',
            Returned::Real => 'f',
            Returned::Scalar | Returned::Variadic(_) => '*',
            Returned::Argument(_) | Returned::Inside(_) | Returned::Fresh(_) | Returned::Moved { .. } => 'p',
        }
    }
}

impl LibFn {
    /// Do a result and arguments of these types fit the description? Results may always be ignored.
    pub fn fits(self, types: &Types, result: Option<TypeId>, args: &[TypeId]) -> bool {
        let in_class = |class: char, ty: TypeId| match class {
            'i' => types.is_integer(ty),
            'p' => types.is_pointer(ty),
            'f' => types.is_float(ty),
            '*' => true,
            _ => false,
        };
        let description = self.description();
        let required = description.parameters.trim_end_matches('.');
        let count_fits = if required.len() < description.parameters.len() {
            args.len() >= required.len()
        } else {
            args.len() == required.len()
        };
        count_fits
            && result.is_none_or(|ty| in_class(description.result_class(), ty))
            && required.chars().zip(args).all(|(class, &ty)| in_class(class, ty))
    }
}

impl Values {
    /// Least and largest value. None: any.
    pub fn range(self, types: &Types) -> Option<(i128, i128)> {
        match self {
            Self::Any => None,
            Self::Between(least, most) => Some((least.into(), most.into())),
            Self::Size => Some((0, types.model.largest_object())),
        }
    }
}
