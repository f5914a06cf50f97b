//! The concrete interpreter: runs the automata with the exact semantics of gcc on x86.
//!
//! [`Program::new`] makes a [`summa_cfa::Cfa`] ready; [`run`] executes it with inputs from an [`InputSource`]
//! under a [`Policy`] and says in an [`Outcome`] how it ended; [`run_observed`] shows every edge to an
//! [`Observer`]. Functions are compiled to a register code on first use (`compile`, `bytecode`) and run by
//! `machine` over byte-level `memory`; `library` has the models of library functions.
//!
//! Never: formulas, solvers, abstract states; it knows one execution at a time.

mod bytecode;
mod compile;
mod coverage;
mod evaluate;
mod inputs;
mod library;
mod machine;
mod memory;
mod observer;
mod outcome;
mod policy;
mod scalar;
mod trace;

pub use compile::Program;
pub use coverage::Coverage;
pub use inputs::{
    AllocatedPart, InitialPart, InitialValues, InputOrigin, InputRecord, InputRequest, InputSource,
    InputValue, List, Random, Zeros,
};
pub use memory::object::{ObjectKind, ObjectOrigin};
pub use observer::{Observer, Pointer, Value, View};
pub use outcome::{End, Fault, FaultKind, FaultSet, Outcome, Taint};
pub use policy::Policy;
pub use scalar::Scalar;
pub use trace::{Step, Trace};

/// Runs the program once.
pub fn run(program: &Program<'_>, inputs: &mut dyn InputSource, policy: &Policy) -> Outcome {
    machine::Machine::run(program, inputs, policy, None, None)
}

/// Runs the program once and adds to what was covered. Hardly slower.
pub fn run_covering(
    program: &Program<'_>,
    inputs: &mut dyn InputSource,
    policy: &Policy,
    coverage: &mut Coverage,
) -> Outcome {
    machine::Machine::run(program, inputs, policy, None, Some(coverage))
}

/// Runs the program once, showing every edge to the observer. Slower; the steps are counted exactly.
pub fn run_observed(
    program: &Program<'_>,
    inputs: &mut dyn InputSource,
    policy: &Policy,
    observer: &mut dyn Observer,
) -> Outcome {
    machine::Machine::run(program, inputs, policy, Some(observer), None)
}
