//! A C file with the inputs of an execution. gcc compiles it together with the program, and the result
//! reaches the error: a counterexample that can be trusted without a verifier.
//!
//! The file defines what the program only declares: the input functions, each with its recorded values in
//! order, error functions, and assumptions. If the program defines its error function itself, gcc's
//! `-finstrument-functions` reports when it is entered; its body does not matter. gcc's sanitizers find
//! overflow and invalid accesses. Reaching the error always prints [`MESSAGE`] and ends the process with
//! [`EXIT_CODE`].
//!
//! Memory from `malloc` holds what the execution found there. Limits: the contents of uninitialised variables
//! cannot be chosen, except that gcc can fill all of them alike ([`Fill`]). Nothing changes volatile objects
//! while the program runs. A header comment says so where it matters. Input functions that return structures
//! have no harness.

mod command;
mod referenced;
mod writer;

use command::command;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use summa_c::tree::{FuncId, PlaceKind, VarId};
use summa_c::types::DataModel;
use summa_cfa::{Cfa, ErrorKind, HavocSource, Op};
use summa_interp::{AllocatedPart, End, FaultKind, InputOrigin, InputRecord, InputValue, Outcome, Scalar};
use writer::Writer;

/// The message of a harness when the error is reached.
pub const MESSAGE: &str = "summa: error reached";
/// How it then ends: the code of nothing else.
pub const EXIT_CODE: u8 = 107;
/// The program asks for more inputs than the execution had.
pub const OUT_OF_INPUTS_CODE: u8 = 108;
/// An assumption of the program does not hold.
pub const ASSUMPTION_CODE: u8 = 109;

/// The contents of memory that was never written: `-ftrivial-auto-var-init` of gcc fills variables, the
/// harness fills allocated memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    Zero,
    /// Bytes 0xFE.
    Pattern,
}

impl Fill {
    pub const ALL: [Self; 2] = [Self::Zero, Self::Pattern];

    /// The value of something that is filled.
    pub fn value(self, scalar: Scalar) -> InputValue {
        match (self, scalar) {
            (Self::Zero, _) => InputValue::Int(0),
            (Self::Pattern, Scalar::Bool) => InputValue::Int(1),
            (Self::Pattern, _) => {
                let bits = 8 * scalar.bytes().min(16) as u32;
                InputValue::Bits(u128::from_ne_bytes([0xFE; 16]) >> (128 - bits.clamp(8, 128)))
            }
        }
    }

    /// The fill that gives these values, if there is one.
    fn of(inputs: &[&InputRecord]) -> Option<Self> {
        let fits = |fill: &Self| {
            let is_it = |input: &&InputRecord| {
                let scalar = input.request.scalar;
                input.bits == fill.value(scalar).to_bits(scalar)
            };
            inputs.iter().all(is_it)
        };
        Self::ALL.into_iter().find(fits)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Zero => "zero",
            Self::Pattern => "pattern",
        }
    }

    fn byte(self) -> &'static str {
        match self {
            Self::Zero => "0",
            Self::Pattern => "0xFE",
        }
    }
}

/// How the program is compiled.
#[derive(Clone, Copy, Debug)]
pub struct Build<'a> {
    pub files: &'a [PathBuf],
    pub model: DataModel,
    /// Options of the preprocessor, as the user gave them.
    pub flags: &'a [String],
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harness {
    /// The C file.
    pub text: String,
    /// The command that compiles and runs it.
    pub command: String,
    /// Why it may do something else than the execution did.
    pub notes: Vec<String>,
}

/// The harness of an execution that ended in a violation. `path` is the place of the C file; the compiled
/// program has its name without `.c`. The error says why there is no harness.
pub fn harness(cfa: &Cfa, outcome: &Outcome, build: &Build<'_>, path: &Path) -> Result<Harness, String> {
    let mut writer = Writer::new(cfa);
    let kind = Detected::of(&outcome.end)?;
    let inputs = Inputs::of(cfa, outcome);
    let fill = Fill::of(&inputs.uninitialised);
    if fill.is_none() {
        writer.notes.push(
            "the execution read variables before they were written, and found different values: they cannot \
             be chosen here, and the program may do something else"
                .to_owned(),
        );
    }
    let is_filled = !inputs.uninitialised.is_empty() || !inputs.allocated.is_empty();
    let fill = is_filled.then(|| fill.unwrap_or(Fill::Zero));
    writer.error(kind);
    writer.environment(&outcome.inputs);
    writer.input_functions(&inputs.of_function)?;
    writer.primitives(kind);
    if inputs.changes {
        writer.notes.push(
            "something else changed volatile or static objects in the execution, which nothing does here: \
             the program may do something else"
                .to_owned(),
        );
    }
    let renames_main = writer.entry(&inputs.arguments)?;
    writer.detector(kind);
    let fails = inputs.failures.contains(&true);
    writer.allocation(kind, fill, &inputs.allocated, if fails { &inputs.failures } else { &[] });
    writer.external_objects(&inputs.external);
    let command = command(cfa, kind, build, path, renames_main, (fill, fails));
    Ok(Harness { text: writer.finish(&command), command, notes: writer.notes })
}

/// The way in which the error is detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detected {
    /// The call of this function, which has a body or not.
    Call(FuncId),
    Assertion,
    /// The sanitizers of arithmetic and memory.
    Arithmetic(&'static str),
    Address,
    /// Memory that is lost or not freed when the program ends.
    Lost,
    Unfreed,
}

impl Detected {
    fn of(end: &End) -> Result<Self, String> {
        use FaultKind::*;
        let unfit = |what: &str| Err(format!("there is no harness for this end of an execution: {what}"));
        match end {
            End::Error { kind, .. } => Ok(match kind {
                ErrorKind::Call(function) => Self::Call(*function),
                ErrorKind::Assertion => Self::Assertion,
                ErrorKind::Overflow => Self::Arithmetic("signed-integer-overflow"),
                ErrorKind::DivisionByZero => Self::Arithmetic("integer-divide-by-zero"),
                ErrorKind::BadShift | ErrorKind::ShiftOverflow | ErrorKind::NegativeShift => {
                    Self::Arithmetic("shift")
                }
            }),
            End::Fault(fault) => match fault.kind {
                SignedOverflow => Ok(Self::Arithmetic("signed-integer-overflow")),
                DivisionByZero => Ok(Self::Arithmetic("integer-divide-by-zero")),
                ShiftOverflow | NegativeShift | BadShift => Ok(Self::Arithmetic("shift")),
                NullDereference | InvalidDereference | OutOfBounds | UseAfterFree | UseAfterScope
                | DoubleFree | InvalidFree => Ok(Self::Address),
                LostMemory => Ok(Self::Lost),
                UnfreedMemory => Ok(Self::Unfreed),
                WriteToConstant | UninitialisedRead | InvalidCall | OverlappingCopy | Unreachable
                | InvalidArgument => unfit(fault.kind.text()),
            },
            End::Returned(_)
            | End::Exit
            | End::Abort
            | End::AssumptionFailed
            | End::StepLimit
            | End::MemoryLimit
            | End::AddressLimit
            | End::OutOfInputs
            | End::Unsupported { .. }
            | End::Interrupted(_) => unfit("it reached no error"),
        }
    }
}

/// The inputs of an execution, by their sources.
#[derive(Default)]
struct Inputs<'a> {
    of_function: BTreeMap<FuncId, Vec<&'a InputRecord>>,
    arguments: Vec<&'a InputRecord>,
    /// Inputs that are values of variables.
    uninitialised: Vec<&'a InputRecord>,
    /// For each allocation that may fail: does it fail?
    failures: Vec<bool>,
    /// Volatile objects had other values than the program gave them, or static ones other than their initial
    /// values.
    changes: bool,
    /// Inputs that are values of objects that no file defines, in the order of their parts.
    external: BTreeMap<VarId, Vec<&'a InputRecord>>,
    /// Inputs that are memory from `malloc`.
    allocated: Vec<(AllocatedPart, &'a InputRecord)>,
}

impl<'a> Inputs<'a> {
    fn of(cfa: &Cfa, outcome: &'a Outcome) -> Self {
        let mut inputs = Self::default();
        for edge in cfa.edges.values() {
            if let Op::Havoc { source: HavocSource::Input(function), .. } = edge.op {
                inputs.of_function.entry(function).or_default();
            }
        }
        for input in &outcome.inputs {
            match input.request.origin {
                InputOrigin::Havoc(HavocSource::Input(function)) => {
                    inputs.of_function.entry(function).or_default().push(input);
                }
                InputOrigin::Havoc(HavocSource::EntryArgument) => inputs.arguments.push(input),
                InputOrigin::Uninitialised => match input.allocated {
                    Some(part) => inputs.allocated.push((part, input)),
                    None => inputs.uninitialised.push(input),
                },
                InputOrigin::Havoc(HavocSource::Allocation) => inputs.failures.push(input.bits != 0),
                InputOrigin::Havoc(
                    HavocSource::Volatile | HavocSource::MaybeVolatile | HavocSource::Global,
                ) => inputs.changes = true,
                InputOrigin::Havoc(HavocSource::ExternalObject) => {
                    if let Op::Havoc { place, .. } = cfa.edge(input.request.edge).op
                        && let PlaceKind::Var(var) = cfa.program.exprs.place(place).kind
                    {
                        inputs.external.entry(var).or_default().push(input);
                    }
                }
                // An execution that used one of these supports no verdict.
                InputOrigin::Havoc(HavocSource::Assembly | HavocSource::Abstraction)
                | InputOrigin::External(_) => {}
            }
        }
        inputs
    }
}
