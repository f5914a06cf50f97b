//! Arrays as cells: a program without arrays that does everything which the program with arrays can do wrong.
//!
//! Instead of an array the new program has a few of its elements, the *cells*, as variables. Which elements is settled once, by
//! *chosen numbers* that may be anything and never change: a cell is `a[e]` for an expression `e` over them. A write changes the
//! cells whose index it hits; a read of another element gives anything. Every engine can work with the result: what an array holds
//! everywhere is now what a variable holds for every choice, as in `K < i ==> a_K == 0`.
//!
//! Paper: Monniaux, Gonnord, *Cell morphing: from array programs to array-free Horn clauses*, SAS 2016. There the property says
//! which cells; here the program does, because an assertion that fails must have read what it complains about.
//!
//! **Theorem.** If the program reaches an error that counts, or an edge without support, then the new program does too, for some
//! choice of the numbers. Hence a proof for the new program is one for the program. An error of the new program says nothing.
//!
//! *Proof.* The normal form ([`isolate`]) has the same executions. A *doomed* branch ([`doom`]) is one after which an execution has no
//! choice left but to reach an error. The new program demands at some of these branches, the *required* ones ([`choose`]), that the
//! chosen numbers equal variables of the program, unless an element that was read before the branch is outside of its row. No
//! required branch lies on the way from another one (or itself) to its error, so an execution passes at most one of them, once. Take an
//! execution to an error. If it passes a required branch that demands something, choose the numbers as the variables are there: its
//! demand holds then, and no other one is met. If it fails by a flag ([`flags`]), choose them where that was set; such an execution passes no
//! required branch. Otherwise take any numbers within the bounds that the program starts with
//! ([`choose`] makes sure that some are). The bounds hold in the first case too: they say that the elements which were read just
//! before the branch exist, within their rows. Now follow the execution step by step in the new program ([`replace`]): a
//! cell always holds what its element holds, as long as that lives, because every write to the element hits the cell and no other
//! does; a read of a cell gives the same value, so does one whose value a variable still holds ([`kept`]), and one of another element may
//! give it. ∎
//!
//! Limits: two reads of one element that is no cell may differ if something happens between them; an error that depends on reads which
//! happened earlier, other than by a flag, chooses no cells for them (`if (a[i] < 0) negative++; … assert(negative == 0)`).
//!
//! That different indices are different elements is true of one dimension. With more of them, an index may leave its row: then a read gives
//! anything, and a write makes all cells unknown. So it is with the first index too if rows have a variable length ([`rows`]). Which
//! objects are arrays, and why nothing else writes to them: [`arrays`]. Cells that only [`flow`] asks for are subject to no bounds: an
//! index that is none is never met.

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

use arrays::Arrays;
use choose::Choice;
use doom::AssertLike;
use summa_cfa::BuildError;
use summa_cfa::{Cfa, ErrorKind};
use summa_facts::Analyses;

/// The program with cells instead of arrays, for errors that count; None if it has no array that cells can stand for.
pub fn abstract_arrays(
    cfa: &Cfa,
    facts: &Analyses,
    counts: &dyn Fn(ErrorKind) -> bool,
) -> Result<Option<Cfa>, BuildError> {
    let mut program = cfa.program.clone();
    let arrays = Arrays::find(cfa, facts, &mut program);
    if arrays.all.is_empty() {
        return Ok(None);
    }
    let assert_like = AssertLike::find(cfa, &facts.calls, counts);
    let isolated = isolate::isolate(cfa, program, &arrays, &assert_like)?;
    let mut program = isolated.program.clone();
    let choice = Choice::new(&isolated, &mut program, &arrays, counts);
    let kept = kept::kept_reads(&isolated, &arrays);
    replace::replace(&isolated, program, &arrays, &choice, &kept).map(Some)
}
