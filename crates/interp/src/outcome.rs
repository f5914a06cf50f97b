//! How a run ended and what was seen on the way.

use crate::inputs::InputRecord;
use summa_c::tree::FuncId;
use summa_cfa::{EdgeId, ErrorKind, HavocSource};

/// Undefined behaviour and other faults that the machine detects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum FaultKind {
    /// A signed result that does not fit (`+ - * / %` and unary minus; conversions do not count).
    SignedOverflow,
    /// A signed `<<` of a number that is not negative, with a result that does not fit: an overflow, which
    /// the property of shifts covers too.
    ShiftOverflow,
    /// A signed `<<` of a negative number: undefined in C, defined by gcc, and no overflow.
    NegativeShift,
    DivisionByZero,
    /// A shift by a negative amount or by the width or more.
    BadShift,
    NullDereference,
    /// A pointer that never pointed to an object.
    InvalidDereference,
    OutOfBounds,
    UseAfterFree,
    UseAfterScope,
    DoubleFree,
    /// `free` of something that did not come from `malloc`, or not of its start.
    InvalidFree,
    WriteToConstant,
    UninitialisedRead,
    /// A call through a pointer that points to none of the functions it could mean.
    InvalidCall,
    /// `memcpy` or `strcpy` between overlapping ranges.
    OverlappingCopy,
    /// At the end of the program: an allocated object to which no pointer is left (SV-COMP's valid-memtrack).
    LostMemory,
    /// At the end of the program: an allocated object that was not freed (SV-COMP's valid-memcleanup).
    UnfreedMemory,
    /// Undefined behaviour that the program promised away: `__builtin_unreachable`.
    Unreachable,
    /// An argument outside of what the library function allows.
    InvalidArgument,
}

impl FaultKind {
    pub const ALL: [Self; 20] = [
        Self::SignedOverflow,
        Self::ShiftOverflow,
        Self::NegativeShift,
        Self::DivisionByZero,
        Self::BadShift,
        Self::NullDereference,
        Self::InvalidDereference,
        Self::OutOfBounds,
        Self::UseAfterFree,
        Self::UseAfterScope,
        Self::DoubleFree,
        Self::InvalidFree,
        Self::WriteToConstant,
        Self::UninitialisedRead,
        Self::InvalidCall,
        Self::OverlappingCopy,
        Self::LostMemory,
        Self::UnfreedMemory,
        Self::Unreachable,
        Self::InvalidArgument,
    ];

    /// Can the run continue after it, with a defined (if arbitrary) result?
    pub fn can_continue(self) -> bool {
        use FaultKind::*;
        matches!(
            self,
            SignedOverflow
                | ShiftOverflow
                | NegativeShift
                | BadShift
                | UninitialisedRead
                | OverlappingCopy
                | LostMemory
                | UnfreedMemory
        )
    }

    pub fn text(self) -> &'static str {
        match self {
            Self::SignedOverflow => "signed overflow",
            Self::ShiftOverflow => "left shift that overflows",
            Self::NegativeShift => "left shift of a negative value",
            Self::DivisionByZero => "division by zero",
            Self::BadShift => "shift by a negative or too large amount",
            Self::NullDereference => "dereference of a null pointer",
            Self::InvalidDereference => "dereference of an invalid pointer",
            Self::OutOfBounds => "access out of bounds",
            Self::UseAfterFree => "use after free",
            Self::UseAfterScope => "use of an object after its scope",
            Self::DoubleFree => "double free",
            Self::InvalidFree => "free of an invalid pointer",
            Self::WriteToConstant => "write to a constant object",
            Self::UninitialisedRead => "read of an uninitialised value",
            Self::InvalidCall => "call through an invalid function pointer",
            Self::OverlappingCopy => "copy between overlapping ranges",
            Self::LostMemory => "allocated memory to which no pointer is left",
            Self::UnfreedMemory => "allocated memory that was not freed",
            Self::Unreachable => "code that was promised to be unreachable",
            Self::InvalidArgument => "argument outside of what the function allows",
        }
    }
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.text())
    }
}

/// A set of fault kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct FaultSet(u32);

impl FaultSet {
    pub const NONE: Self = Self(0);

    pub fn of(kinds: &[FaultKind]) -> Self {
        Self(kinds.iter().fold(0, |set, &kind| set | 1 << kind as u8))
    }

    pub fn all() -> Self {
        Self::of(&FaultKind::ALL)
    }

    #[inline]
    pub fn contains(self, kind: FaultKind) -> bool {
        self.0 >> kind as u8 & 1 == 1
    }

    #[must_use]
    pub fn with(self, kind: FaultKind) -> Self {
        Self(self.0 | 1 << kind as u8)
    }

    #[must_use]
    pub fn without(self, kind: FaultKind) -> Self {
        Self(self.0 & !(1 << kind as u8))
    }
}

/// A fault and the edge that committed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    pub kind: FaultKind,
    pub edge: EdgeId,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// The entry function returned; the value is what the process would exit with before truncation.
    Returned(i32),
    /// `exit` and the like.
    Exit,
    Abort,
    /// An assumption does not hold: this execution does not count.
    AssumptionFailed,
    Error {
        kind: ErrorKind,
        edge: EdgeId,
    },
    Fault(Fault),
    StepLimit,
    MemoryLimit,
    /// More addresses were needed than the data model has.
    AddressLimit,
    OutOfInputs,
    /// The run reached a construct that Summa does not understand.
    Unsupported {
        what: String,
        edge: EdgeId,
    },
    /// The budget of the run ended it: by time, or by an interrupt.
    Interrupted(summa_base::Exhausted),
}

/// Why a compiled program may behave differently from this run: values or effects from outside of the
/// program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taint {
    /// An unmodelled function got a pointer to memory and may have written to it.
    ExternalCall(FuncId),
    /// An input that is not asked for by the program: skipped assembly, undefined objects, arguments of
    /// `main`.
    Input(HavocSource),
    /// The result of an unmodelled function was taken as input.
    ExternalResult(FuncId),
}

/// Everything about a finished run.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub end: End,
    /// Edges taken.
    pub steps: u64,
    /// Bytes of objects that were made or copied as a whole.
    pub moved: u64,
    /// In the order of their use; replaying them repeats the run.
    pub inputs: Vec<InputRecord>,
    /// Faults after which the run went on, each kind once per edge, in order of appearance.
    pub noted: Vec<Fault>,
    /// Each once, in order of appearance.
    pub taints: Vec<Taint>,
    /// What the program printed to standard output.
    pub output: Vec<u8>,
    /// How often the program asked for memory.
    pub requests: u64,
}

/// Steps, and bytes that were moved without steps, as steps.
pub(crate) fn work(steps: u64, moved: u64) -> u64 {
    const BYTES_IN_A_STEP: u64 = 32;
    steps.saturating_add(moved / BYTES_IN_A_STEP)
}

impl Outcome {
    /// The cost of the run in steps, including work that takes few steps. Unlike its time, it is the same in
    /// every run.
    pub fn work(&self) -> u64 {
        work(self.steps, self.moved)
    }

    /// Did the run reach an error call or a failed assertion?
    pub fn is_error(&self) -> bool {
        matches!(self.end, End::Error { .. })
    }

    /// Was any memory possibly changed by code that is not part of the program?
    pub fn is_tainted(&self) -> bool {
        !self.taints.is_empty()
    }
}
