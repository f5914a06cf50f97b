//! Invariants of loop heads for the engines that use formulas, from an interval analysis of the whole program.
//!
//! What the analysis knows about a scalar that is one cell of the encoding becomes a formula over that cell; the rest is left out,
//! which only makes the invariant weaker.

use crate::task::{Reason, Task};
use std::time::Duration;
use summa_base::Budget;
use summa_cpa::{Cpa, Layer, Product, Reached, Stop, cpa_plus_plus};
use summa_domains::Domain;
use summa_domains::callstack::Callstack;
use summa_domains::interval::{Bound, Intervals, narrow};
use summa_domains::location::Location;
use summa_domains::predicate::{Invariants, Predicate};
use summa_domains::scalars::Options;
use summa_encode::Range;
use summa_term::{Term, Terms};

/// The analysis takes at most this part of the time that is left.
const SHARE: f64 = 0.2;
const DEFAULT_TIME: Duration = Duration::from_secs(20);

const NARROWING_ROUNDS: u32 = 2;

/// What always holds at the loop heads of the program, over the cells of the predicate domain in version 0. Empty if the analysis
/// does not end in time: an unfinished one says nothing.
///
/// # Errors
/// The time of the whole task is up.
pub fn of_loop_heads(task: &Task<'_>, predicate: &mut Predicate<'_>) -> Result<Invariants, Reason> {
    let time = task.budget.remaining().map_or(DEFAULT_TIME, |left| left.mul_f64(SHARE));
    let budget = task.budget.at_most(time);
    match analyse(task, predicate, &budget) {
        Ok(invariants) => {
            task.board.set_invariants(invariants.len());
            Ok(invariants)
        }
        Err(Stop::Exhausted(_)) => {
            task.budget.check_now()?;
            Ok(Invariants::default())
        }
        Err(_) => Ok(Invariants::default()),
    }
}

fn analyse(task: &Task<'_>, predicate: &mut Predicate<'_>, budget: &Budget) -> Result<Invariants, Stop> {
    let cfa = task.cfa;
    let mut product = Product::new(vec![
        Domain::Location(Location { cfa }),
        Domain::Callstack(Callstack::new(cfa)),
        Domain::Interval(Intervals::new(cfa, task.facts, Options::default())),
    ]);
    let mut reached = Reached::new(vec![Layer::Unrolled]);
    let (state, precision) = product.initial(cfa.entry());
    reached.add_root(cfa, &product, cfa.entry(), state, precision);
    cpa_plus_plus(cfa, &mut product, &mut reached, &|_, _| false, budget)?;
    narrow(&mut product, &mut reached, NARROWING_ROUNDS, budget)?;
    let mut invariants = Invariants::default();
    let Some(Domain::Interval(interval)) = product.components.last() else { return Ok(invariants) };
    for node in cfa.nodes.ids().filter(|&node| task.facts.loops.is_head(node)) {
        let formula = match interval.invariant_at(&reached, node) {
            // The analysis is complete and control never gets there.
            None => Terms::FALSE,
            Some(bounds) => {
                let parts: Vec<Term> = bounds.iter().filter_map(|bound| formula(predicate, bound)).collect();
                predicate.paths.encoder.terms.and(&parts)
            }
        };
        if formula != Terms::TRUE {
            invariants.insert(node, formula);
        }
    }
    Ok(invariants)
}

/// A bound as a formula.
fn formula(predicate: &mut Predicate<'_>, bound: &Bound) -> Option<Term> {
    let encoder = &mut predicate.paths.encoder;
    let cell = encoder.cell_of(bound.location.var, bound.location.offset)?;
    let Bound { lower, upper, modulus, residue, .. } = *bound;
    encoder.in_range(cell, bound.ty, Range { lower, upper, modulus, residue })
}
