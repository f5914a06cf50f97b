//! Arrays as cells: a program without arrays that can do everything wrong that the program with arrays can.
//!
//! The new program has a few elements of each array, the *cells*, as variables. *Chosen numbers* fix which
//! elements these are: they may be anything and never change. A cell is `a[e]` for an expression `e` over
//! them. A write changes the cells whose index it hits. A read of another element gives any value. Every
//! engine can work with the result. What an array holds everywhere is now what a variable holds for every
//! choice, as in `K < i ==> a_K == 0`.
//!
//! Paper: Monniaux, Gonnord, *Cell morphing: from array programs to array-free Horn clauses*, SAS 2016. There
//! the property says which cells are needed. Here the program says it: an assertion that fails must have read
//! what it complains about. An element that flows into a chosen element from another array is chosen too, so
//! that copies of copies are followed ([`flow`]). If a flag stands between the reads and the assertion, the
//! elements are those that were read when the flag was set ([`flags`]).
//!
//! A proof file names the transformation, and the checker carries it out again (`summa_proof`'s
//! `certificate.rs`). Invariants come home if they speak only of variables that both programs have.
//!
//! **Theorem.** If the program reaches an error that counts, or an edge without support, then the new program
//! does too, for some choice of the numbers. Hence a proof for the new program is one for the program. An
//! error of the new program says nothing.
//!
//! *Proof.* The normal form ([`isolate`]) has the same executions. A branch is *doomed* ([`doom`]) if an
//! execution that passes it can only reach an error. At some of these branches, the *required* ones
//! ([`choose`]), the new program demands that the chosen numbers equal variables of the program, unless an
//! element that was read before the branch is outside of its row. No required branch lies on the way from
//! another one (or itself) to its error, so an execution passes at most one of them, once. Take an execution
//! to an error. If it passes a required branch that demands something, choose the numbers as the variables
//! are there: its demand holds then, and no other one is met. If it fails by a flag ([`flags`]), choose the
//! numbers where the flag was set; such an execution passes no required branch. Otherwise take any numbers
//! within the bounds that the program starts with ([`choose`] makes sure that some are). The bounds hold in
//! the first case too: they say that the elements which were read just before the branch exist, within their
//! rows. Now follow the execution step by step in the new program ([`replace`]). A cell always holds what its
//! element holds, as long as that lives, because every write to the element hits the cell and no other write
//! does. A read of a cell gives the same value, and so does a read whose value a variable still holds
//! ([`kept`]). A read of another element may give the same value. ∎
//!
//! **Corollary.** Let the new program reach no error that counts, and no edge without support, and let it
//! have no flag. Then each execution of the program, up to any of its locations, corresponds to one of the
//! new program that visits the corresponding locations with the same values of all variables of the program.
//! Hence what holds there of these variables in the new program holds in the program.
//!
//! *Proof.* By the theorem the program reaches no error either. So no execution passes a required branch,
//! because only an error follows there; executions that end in undefined behaviour before that error do not
//! count. Take any numbers within the bounds and follow the execution as above. (With flags, an execution may
//! note several wrong elements and still reach no error, but the new program notes only the chosen ones.) ∎
//!
//! Limits: two reads of one element that is no cell may differ if something happens between them. If an error
//! depends on earlier reads other than by a flag, no cells are chosen for these reads (`if (a[i] < 0)
//! negative++; … assert(negative == 0)`).
//!
//! Different indices are different elements only in one dimension. With more dimensions, an index may leave
//! its row: then a read gives any value, and a write makes all cells unknown. The same holds for the first
//! index if rows have a variable length ([`rows`]). [`arrays`] says which objects are arrays, and why nothing
//! else writes to them. Cells that only [`flow`] asks for are subject to no bounds: an index outside of the
//! array is never met.

mod arrays;
mod choose;
mod constants;
mod doom;
mod flags;
mod flow;
mod isolate;
mod kept;
mod reads;
mod replace;
mod rewrite;
mod rows;
mod sketch;

use crate::origin::Origin;
use crate::transformation::{Transformation, Transformed};
use arrays::Arrays;
use choose::Choice;
use doom::AssertLike;
use summa_cfa::BuildError;
use summa_cfa::{Cfa, ErrorKind};
use summa_facts::Analyses;

/// The program with cells instead of arrays, for these errors; None if it has no array that cells can stand
/// for.
pub fn abstract_arrays(
    cfa: &Cfa,
    facts: &Analyses,
    errors: &[ErrorKind],
) -> Result<Option<Transformed>, BuildError> {
    let counts = |kind: ErrorKind| errors.contains(&kind);
    let mut program = cfa.program.clone();
    let arrays = Arrays::find(cfa, facts, &mut program);
    if arrays.all.is_empty() {
        return Ok(None);
    }
    let assert_like = AssertLike::find(cfa, &facts.calls, &counts);
    let (isolated, from_isolated) = isolate::isolate(cfa, program, &arrays, &assert_like)?;
    let mut program = isolated.program.clone();
    let choice = Choice::new(&isolated, &mut program, &arrays, &counts);
    let kept = kept::kept_reads(&isolated, &arrays);
    let (made, from_made) = replace::replace(&isolated, program, &arrays, &choice, &kept)?;
    // `Arrays::find` adds variables too.
    let origin = Origin { variables: cfa.program.vars.len(), ..from_made.then(&from_isolated) };
    Ok(Some(Transformed {
        cfa: made,
        transformation: Transformation::Cells { errors: errors.to_vec() },
        origin,
        follows_all: !choice.has_flags(&isolated),
    }))
}
