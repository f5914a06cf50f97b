//! The library functions that have a model: what each name means to the automata and to the interpreter.
//!
//! The rules, in this order:
//! 1. A call of an error function *is* the error, whether it has a body or not.
//! 2. A user's definition wins over the table.
//! 3. A name of the table ([`mod@table`]) has the meaning given there. If the arguments of a call do not fit
//!    the description of the function ([`LibFn::fits`]), the call is `Unsupported`. So engines may rely on
//!    number and class of the arguments.
//! 4. Any other function without a body is external: any result, and anything may happen to what its pointer
//!    arguments reach. Functions whose effect is covered by that (`time`, `scanf`, …) are not in the table on
//!    purpose. Those that leave something for later calls (`fesetround`, `strtok`) are in it as
//!    [`Model::State`]. Those that would escape it, because they change control flow or call back into the
//!    program (`setjmp`, `pthread_create`, `qsort`, …), are in the table as unsupported.
//!
//! What a function of the table does to memory, to hidden state and with its result is said once, in its
//! [`Description`] ([`LibFn::description`]): points-to, effects, formulas, domains and the builder read it.
//! What it computes is said where it is computed, by the interpreter and, if it has an exact formula, by
//! `encode`.

mod description;
mod functions;
mod integer;
mod table;

pub use description::{Description, Extent, Flow, Fresh, Returned, Size, Values};
pub use functions::{Ctype, Digits, Family, LibFn, Math, Rounded};
pub use integer::{Computed, Parameter};
pub use table::{model, modelled, table};

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
