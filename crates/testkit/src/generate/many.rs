//! Programs of many functions, of any size, whose truth is known by construction: what is looked at is how
//! time and memory grow with the number of functions.
//!
//! Each function sums up the last bits of its parameter in a loop of ten rounds, asserts that the sum is not
//! negative, and calls others with a small number that it makes of the sum. A planted bug is in the
//! function that every run comes to: its assertion says that the sum is less than 10, though all sums below
//! the first function are multiples of 10 and at least that.

use crate::random::Random;
use std::fmt::Write;

/// In a random graph, functions that call each other are not further apart.
const NEAR: usize = 50;

/// Who calls whom. The last function is the one that `main` calls, and the first calls nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Calls {
    /// Each the one before it.
    Chain,
    /// A binary tree.
    Tree,
    /// Each one to three of the fifty before it; so all chains of calls end in the first. Some functions are
    /// called by nobody.
    Random,
}

/// What the functions access besides their own variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Footprint {
    Nothing,
    /// Each has a global variable of its own.
    OwnGlobals,
    /// All write the same one.
    SharedGlobal,
    /// All write through a pointer that they pass on.
    Pointer,
}

/// How to make a program.
#[derive(Clone, Copy, Debug)]
pub struct ManyFunctions {
    pub calls: Calls,
    pub footprint: Footprint,
    pub functions: usize,
    pub is_safe: bool,
}

/// The callees of each function, by number.
fn callees(calls: Calls, count: usize) -> Vec<Vec<usize>> {
    let mut random = Random::new(count as u64);
    let of = |function: usize| -> Vec<usize> {
        match calls {
            Calls::Chain => function.checked_sub(1).into_iter().collect(),
            Calls::Tree => {
                // Numbered from the root, which is the last function.
                let place = count - 1 - function;
                [2 * place + 1, 2 * place + 2]
                    .iter()
                    .filter_map(|&child| (count - 1).checked_sub(child))
                    .collect()
            }
            Calls::Random if function == 0 => Vec::new(),
            Calls::Random => {
                let first = function.saturating_sub(NEAR);
                let number = 1 + random.below(3);
                let mut found: Vec<usize> =
                    (0..number).map(|_| first + random.below(function - first)).collect();
                found.sort_unstable();
                found.dedup();
                found
            }
        }
    };
    (0..count).map(of).collect()
}

/// The program. `functions` must not be 0.
pub fn generate_many_functions(how: &ManyFunctions) -> String {
    let mut text = "extern void abort(void);\nextern int __VERIFIER_nondet_int(void);\n\
                    void reach_error(void) { abort(); }\n"
        .to_owned();
    // Writing to a string does not fail.
    let mut line = |arguments: std::fmt::Arguments<'_>| writeln!(text, "{arguments}").unwrap();
    let (parameter, passed) = match how.footprint {
        Footprint::Pointer => (", int *p", ", p"),
        Footprint::Nothing | Footprint::OwnGlobals | Footprint::SharedGlobal => ("", ""),
    };
    if how.footprint == Footprint::SharedGlobal {
        line(format_args!("int shared;"));
    }
    for (function, callees) in callees(how.calls, how.functions).iter().enumerate() {
        let effect = match how.footprint {
            Footprint::Nothing => String::new(),
            Footprint::OwnGlobals => format!("g{function} += s & 1; "),
            Footprint::SharedGlobal => "shared = s; ".to_owned(),
            Footprint::Pointer => "*p = s; ".to_owned(),
        };
        if how.footprint == Footprint::OwnGlobals {
            line(format_args!("int g{function};"));
        }
        let error = if function == 0 && !how.is_safe { "s >= 10" } else { "s < 0" };
        let calls: Vec<String> = callees
            .iter()
            .enumerate()
            .map(|(place, callee)| format!("f{callee}(s % 5 + {}{passed}) % 3", place + 1))
            .collect();
        let result = if calls.is_empty() { "s".to_owned() } else { calls.join(" + ") };
        line(format_args!(
            "int f{function}(int x{parameter}) {{ int s = 0; for (int i = 0; i < 10; i++) s += x & 7; \
             {effect}if ({error}) reach_error(); return {result}; }}"
        ));
    }
    let (object, address) = match how.footprint {
        Footprint::Pointer => ("int object = 0; ", ", &object"),
        Footprint::Nothing | Footprint::OwnGlobals | Footprint::SharedGlobal => ("", ""),
    };
    let last = how.functions - 1;
    line(format_args!(
        "int main(void) {{ int x = __VERIFIER_nondet_int(); {object}return f{last}(x{address}); }}"
    ));
    text
}
