//! What tests share: programs from text, the optional task set, replays, and random programs whose truth is
//! known.
//!
//! [`generate_rounding()`] and [`generate_copies()`] write programs about the rounding mode and about
//! indeterminate bytes. [`generate_controller()`] writes large loops as generators of controllers do, with a
//! property that repeats them, [`generate_many_functions()`] chains, trees and graphs of functions.
//! [`generate()`] writes a small C program from a seed, [`generate_recursive()`]
//! one about recursion, [`generate_members()`] one whose accesses leave members, [`generate_environment()`]
//! one about what is around the program; [`truth()`] runs it with every input that it admits and so knows
//! whether an error is reachable; [`minimise()`] cuts a program down while something about it stays.
//!
//! Never: a dependency of anything but tests and benches; a solver.

#![allow(clippy::unwrap_used, reason = "only tests are here, and a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

pub mod forge;
pub mod generate;
pub mod minimise;
pub mod pictures;
pub mod programs;
pub mod random;
pub mod replay;
pub mod tamper;
pub mod tasks;
pub mod truth;
pub mod witness;

pub use forge::{edited_program, edited_proof, edited_summaries};
pub use generate::{
    AboutEnvironment, Calls, Controller, Footprint, ManyFunctions, TRIGGER, generate, generate_controller,
    generate_copies, generate_environment, generate_many_functions, generate_members, generate_recursive,
    generate_rounding,
};
pub use minimise::minimise;
pub use pictures::{node, show};
pub use programs::{automata, automata_in, read};
pub use random::Random;
pub use replay::replays;
pub use tamper::tampered;
pub use tasks::{Task, number, programs_in, tasks};
pub use truth::{Truth, truth};
