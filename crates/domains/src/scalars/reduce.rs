//! Summaries of blocks for sets of numbers: a block sees what it depends on, and its caller keeps the rest.
//!
//! This is as for constants (see `value::reduce`). In addition, about variables that the block does not
//! write, both the caller's and the block's knowledge hold.

use super::{NumberSet, Scalars, State};
use crate::contract::Speaker;
use std::rc::Rc;
use summa_bam::{CacheKey, Clause, Reducer, Side};
use summa_base::Id;
use summa_cpa::{Move, Stop};
use summa_facts::blocks::Block;

/// Entries that are widened so often use thresholds, then the limits of types. Each time the block is
/// analysed anew.
const THRESHOLD_ROUNDS: u32 = 4;
const STEP_ROUNDS: u32 = 40;

impl<V: NumberSet> Reducer for Scalars<'_, V> {
    fn reduce(&mut self, block: &Block, entry: &State<V>) -> Result<State<V>, Stop> {
        let vars = self.block_vars.of(block);
        let mut reduced = State { store: entry.store.restricted(&vars.inputs), ..State::default() };
        if block.is_recursive && self.options.entry_cases > 0 {
            self.limit_cases(block, &mut reduced);
        }
        Ok(reduced)
    }

    fn reduce_precision(&mut self, _: &Block, (): &()) {}

    fn expand(
        &mut self,
        block: &Block,
        entry: &State<V>,
        _: &State<V>,
        exit: &State<V>,
    ) -> Result<State<V>, Stop> {
        let vars = self.block_vars.of(block);
        // Nothing in common: `rebuild` will say so.
        let mut both = |_, before: V, found: V| Some(before.meet(found).unwrap_or(found));
        let store = entry.store.overwritten(&vars.written, &exit.store, &mut both);
        Ok(State { store, frames: entry.frames.clone(), merges: 0 })
    }

    /// A summary for more entries can have exits that this entry does not reach.
    fn rebuild(
        &mut self,
        block: &Block,
        _: Option<Move>,
        _: &State<V>,
        entry: &State<V>,
        exit: State<V>,
    ) -> Result<Option<State<V>>, Stop> {
        let vars = self.block_vars.of(block);
        let mut before = vars.constant.iter().flat_map(|&var| entry.store.of_var(var));
        let is_empty =
            before.any(|&(at, set)| exit.store.get(at).is_some_and(|found| set.meet(found).is_none()));
        Ok((!is_empty).then_some(exit))
    }

    fn cache_key(&mut self, _: &Block, reduced: &State<V>, (): &(), key: &mut CacheKey) {
        let options = self.options;
        key.extend([options.merge as u64, u64::from(options.joins), u64::from(options.threshold_rounds)]);
        // At a loop head, rounds of widening continue from here.
        key.push(u64::from(reduced.merges));
        for (at, set) in reduced.store.iter() {
            key.extend([at.var.index() as u64, at.offset]);
            key.extend(set.code().into_iter().flat_map(|number| [number as u64, (number >> 64) as u64]));
        }
    }

    fn widen(&mut self, _: &Block, before: &State<V>, now: &State<V>, _: Side) -> Result<State<V>, Stop> {
        if Self::is_within(now, before) {
            return Ok(before.clone());
        }
        let (thresholds, rounds) = match self.options.entry_steps {
            false => (&self.thresholds, THRESHOLD_ROUNDS),
            true => (&self.steps, STEP_ROUNDS),
        };
        let thresholds = if before.merges < rounds { &thresholds[..] } else { &[] };
        let widened = self.combine(before, now, &mut |_, shape, old, new| {
            Some(if new.is_subset(old) { old } else { old.widen(old.join(new), shape, thresholds) })
        });
        // Reduced entries have no frames, so that they fit.
        let widened = widened.unwrap_or_else(|| State { frames: Rc::default(), ..State::default() });
        Ok(State { merges: before.merges.saturating_add(1), ..widened })
    }

    fn contract(&mut self, block: &Block, state: &State<V>, side: Side) -> Vec<Clause> {
        let Some(speaker) = Speaker::new(self.cfa, self.facts, block, side) else { return Vec::new() };
        let mut clauses = Vec::new();
        for (at, set) in state.store.iter() {
            let Some(scalar) = self.layout.at(at) else { continue };
            let named = speaker.value(at.var, 8 * at.offset, scalar.shape.width);
            // Pointers have no numbers in C.
            let named = named.filter(|named| self.cfa.program.types.is_integer(named.ty));
            match named.map(|named| set.to_c(&named.text, scalar.shape)) {
                Some(parts) => clauses.extend(parts.into_iter().map(Clause::C)),
                None => clauses.extend(
                    speaker.clause(None, || set.show(self.cfa.program.var_name(at.var), scalar.shape)),
                ),
            }
        }
        clauses
    }
}
