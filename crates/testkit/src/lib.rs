//! What tests share: programs from text, random programs whose truth is known, and the optional task set.
//!
//! **What it is.**
//! * *Programs*: [`automata()`] builds automata from text, [`tasks()`] reads the optional task set.
//! * *Random programs*: [`generate()`] writes a small C program from a seed. Others specialise:
//!   [`generate_recursive()`] on recursion, [`generate_members()`] on accesses that leave members,
//!   [`generate_environment()`] on what is around the program, [`generate_rounding()`] on the rounding mode,
//!   [`generate_copies()`] on indeterminate bytes, [`generate_controller()`] on large loops with a property
//!   that repeats them, and [`generate_many_functions()`] on chains, trees and graphs of functions.
//! * *Truth*: [`truth()`] runs a program with every input that it admits, and so knows whether an error is
//!   reachable. [`replays()`] repeats executions.
//! * *Shrinking*: [`minimise()`] cuts a program down while a given fact about it stays true.
//! * *A toy domain*: [`mod@toy`] can be worked out on paper, for the algorithms of `cpa` and `bam`.
//!
//! **What it must not know.** Solvers and engines. Only tests and benches depend on this crate.
//!
//! **Where to start reading.** [`programs`], then [`mod@generate`] and [`mod@truth`].

#![allow(clippy::unwrap_used, reason = "only tests are here, and a test may stop where it stands")]
#![allow(clippy::print_stdout, reason = "the harness says what became of each test")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

pub mod forge;
pub mod generate;
pub mod golden;
pub mod harness;
pub mod knobs;
pub mod minimise;
pub mod pictures;
pub mod programs;
pub mod random;
pub mod replay;
pub mod tamper;
pub mod tasks;
pub mod toy;
pub mod truth;
pub mod witness;

pub use forge::{edited_program, edited_proof, edited_summaries};
pub use generate::{
    AboutEnvironment, Calls, Controller, Footprint, ManyFunctions, TRIGGER, generate, generate_controller,
    generate_copies, generate_environment, generate_many_functions, generate_members, generate_recursive,
    generate_rounding,
};
pub use knobs::{KNOBS, Knob, Knobs};
pub use minimise::minimise;
pub use pictures::{node, show};
pub use programs::{automata, automata_in, read};
pub use random::Random;
pub use replay::replays;
pub use tamper::tampered;
pub use tasks::{Task, programs_in, task_files, task_folder, tasks};
pub use truth::{Truth, truth};
