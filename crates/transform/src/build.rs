//! Builds the automata until no new call is found.
//!
//! A call through a pointer compares the pointer with the functions that fit the call. Points-to may find
//! more functions in the automata that result, whatever their type. The automata are then built again with
//! these calls, until nothing is new. The result is the fixpoint of a pointer analysis that discovers calls
//! as it goes. A parameter that gets no fitting argument has any value.
//!
//! Code outside of the program may call the functions that it knows, whenever it is called with memory or
//! with a function.
//!
//! Limits: one set holds all functions that outside code knows, for the whole program. So a function counts
//! as known even before it is handed out.

use crate::promote::promote;
use crate::volatile::settle;
use summa_c::tree::{FuncId, Program};
use summa_cfa::build::{Built, Discovered, Met, Site, build_with, takes_functions};
use summa_cfa::verify::verify;
use summa_cfa::{BuildError, BuildOptions, Cfa};
use summa_facts::layout::Layouts;
use summa_facts::points_to::PointsTo;

/// Builds, verifies and freezes the automata of `program`.
pub fn build(program: Program, options: &BuildOptions) -> Result<Cfa, BuildError> {
    // Kept for another round where functions have their address taken.
    let mut kept = takes_functions(&program, options)?.then(|| program.clone());
    let mut discovered = Discovered::default();
    let (mut cfa, mut met) = round(program, options, &discovered)?;
    while let Some(program) = kept.take()
        && let Some(next) = discover(&discovered, &cfa, &met)
    {
        kept = Some(program.clone());
        discovered = next;
        (cfa, met) = round(program, options, &discovered)?;
    }
    let cfa = crate::random::free(cfa)?;
    if !options.promote {
        return Ok(cfa);
    }
    promote(cfa)
}

/// The automata with the calls that are discovered, and what was met on the way.
fn round(
    program: Program,
    options: &BuildOptions,
    discovered: &Discovered,
) -> Result<(Cfa, Met), BuildError> {
    let Built { cfa, met } = build_with(program, options, discovered)?;
    Ok((settle(cfa)?, met))
}

/// The automata, if they keep the invariants.
pub(crate) fn checked(cfa: Cfa) -> Result<Cfa, BuildError> {
    verify(&cfa).map_err(BuildError::Broken)?;
    Ok(cfa)
}

/// All that is discovered in these automata, in which `known` is carried out. None: nothing that is new.
fn discover(known: &Discovered, cfa: &Cfa, met: &Met) -> Option<Discovered> {
    let has_misfits = met.pointers.iter().any(|(_, functions)| !functions.is_empty());
    if !has_misfits && met.external.is_empty() {
        return None;
    }
    let points_to = PointsTo::new(cfa, &Layouts::new(&cfa.program.types));
    let mut found = known.clone();
    for (pointer, functions) in &met.pointers {
        let reached = points_to.target(*pointer).map_or(&[][..], |class| points_to.functions(class));
        let misfits: Vec<FuncId> = functions.iter().copied().filter(|f| reached.contains(f)).collect();
        if !misfits.is_empty() {
            let misfitting = found.misfits.entry(*pointer).or_default();
            misfitting.extend(misfits);
            misfitting.sort_unstable();
            misfitting.dedup();
        }
    }
    let is_known = |function: &FuncId| points_to.functions(points_to.unknown()).contains(function);
    found.known_outside.extend(cfa.defined().map(|automaton| automaton.function).filter(is_known));
    found.known_outside.sort_unstable();
    found.known_outside.dedup();
    if !found.known_outside.is_empty() {
        let gets = |site: &&Site| site.2.iter().any(|&arg| points_to.holds_address(&cfa.program, arg));
        found.calling_back.extend(met.external.iter().filter(gets).cloned());
    }
    (found != *known).then_some(found)
}
