//! The concrete interpreter: runs the automata with the exact semantics of gcc on x86.
//!
//! **What it is.** [`Program::new`] prepares a [`summa_cfa::Cfa`]. [`run`] executes it with inputs from an
//! [`InputSource`] under a [`Policy`], and returns an [`Outcome`]: how the execution ended, and the inputs
//! that repeat it. It searches for bugs, replays counterexamples, and is the truth that tests compare with.
//!
//! ```
//! use summa_interp::{End, Policy, Program, Zeros, run};
//!
//! let cfa = summa_testkit::automata("int main(void) { int x = 6; return x * 7; }");
//! let outcome = run(&Program::new(&cfa), &mut Zeros, &Policy::strict());
//! assert_eq!(outcome.end, End::Returned(42));
//! ```
//!
//! **What it must not know.** Properties and verdicts: it reports what happened and judges nothing. Formulas,
//! solvers and abstract states: it knows one execution at a time.
//!
//! **Where to start reading.** `outcome.rs`, `inputs.rs` and `policy.rs` are the interface; with
//! [`run_observed`] an [`Observer`] sees every edge. Inside, `compile` translates each function to `bytecode`
//! on its first call, `machine` runs it, `memory` has objects down to bytes, and `library` has the models of
//! library functions.

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
