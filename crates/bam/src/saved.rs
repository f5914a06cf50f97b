//! Summaries as data: the summaries of one run are the cache of another.
//!
//! What is stored of a function is its reduced precision, and the exits for each entry. Only complete
//! summaries without a target below them are stored. So a loaded summary says: from this entry the block
//! leads to these exits and to no error. The caller must know that it is about the same function (by content:
//! [`summa_facts::fingerprint`]).
//!
//! A loaded summary has no states but its entry, so no path can be written out for it. It serves proofs, as
//! an over-approximation. Before a target counts, the loaded summaries behind it are computed again:
//! [`Bam::loaded_behind`], [`Bam::forget_loaded`].
//!
//! Functions that changed begin with the precision that they had, found by the function's name; most often it
//! is still the right one. Measured on one program of 100 functions: with stored precisions, re-verification
//! is 70 times faster than from scratch instead of 7 times, because it needs no refinement. Paper: Beyer,
//! Löwe, Novikov, Stahlbauer, Wendler, *Precision reuse for efficient regression verification*, ESEC/FSE
//! 2013.

use crate::engine::Bam;
use crate::reducer::Reducer;
use crate::store::{Exit, SummaryId};
use crate::trace::Frame;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use summa_base::IdSet;
use summa_c::tree::FuncId;
use summa_cfa::Op;
use summa_cpa::product::Component;
use summa_cpa::{ArgId, Misfit, Portable, Product};
use summa_facts::blocks::{Block, BlockId, BlockKind};

/// A domain whose summaries can be stored.
pub trait Storable: Reducer + Portable {
    /// The precision as data; null if it says nothing.
    ///
    /// # Errors
    /// The precision means nothing outside of its run.
    fn save_precision(&self, _: &Self::Precision) -> Result<Json, Misfit> {
        Ok(Json::Null)
    }

    /// Adds a saved precision to another one.
    ///
    /// # Errors
    /// It is no precision of this program.
    fn load_precision(&mut self, saved: &Json, _: &mut Self::Precision) -> Result<(), Misfit> {
        if saved.is_null() { Ok(()) } else { Err(Misfit::new("a precision that says something")) }
    }

    /// A loaded state, in the form in which `reduce` gives it to the block.
    ///
    /// # Errors
    /// `reduce` gives no such state.
    fn as_reduced(&mut self, _: &Block, loaded: Self::State) -> Result<Self::State, Misfit> {
        Ok(loaded)
    }
}

/// By component.
impl<D: Component + Storable> Storable for Product<D> {
    fn save_precision(&self, precision: &Self::Precision) -> Result<Json, Misfit> {
        let parts = self.components.iter().zip(precision.iter());
        let parts = parts.map(|(component, precision)| component.save_precision(precision));
        parts.collect::<Result<Vec<Json>, Misfit>>().map(Json::Array)
    }

    fn load_precision(&mut self, saved: &Json, into: &mut Self::Precision) -> Result<(), Misfit> {
        let parts = saved.as_array().filter(|parts| parts.len() == self.components.len());
        let parts = parts.ok_or_else(|| Misfit::new("a precision for each component is wanted"))?;
        let mut precisions = into.to_vec();
        for ((component, part), into) in self.components.iter_mut().zip(parts).zip(&mut precisions) {
            component.load_precision(part, into)?;
        }
        *into = precisions.into();
        Ok(())
    }

    fn as_reduced(&mut self, block: &Block, loaded: Self::State) -> Result<Self::State, Misfit> {
        let states = self.components.iter_mut().zip(loaded.iter());
        states.map(|(component, state)| component.as_reduced(block, state.clone())).collect()
    }
}

/// What is stored of one function.
#[derive(Clone, Debug, PartialEq)]
pub struct SavedFunction {
    pub precision: Json,
    /// Entries with their exits.
    pub summaries: Vec<(Json, Vec<Json>)>,
}

impl<C: Storable> Bam<'_, C> {
    /// The data to store, by function. Summaries with states that cannot be saved are left out.
    pub fn save(&self) -> Vec<(FuncId, SavedFunction)> {
        let mut found: BTreeMap<FuncId, SavedFunction> = BTreeMap::new();
        let doubtful = self.with_target_or_incomplete();
        for id in self.store.held().into_iter().filter(|&id| !doubtful.contains(id)) {
            let summary = &self.store.summaries[id];
            let BlockKind::Function(function) = self.blocks.blocks[summary.block].kind else { continue };
            if function == self.cfa.start {
                continue;
            }
            let exits = summary.exits.iter().map(|exit| self.cpa.save(&exit.state));
            let saved = self.cpa.save_precision(&summary.precision).and_then(|precision| {
                Ok((precision, self.cpa.save(&summary.entry)?, exits.collect::<Result<Vec<Json>, Misfit>>()?))
            });
            let Ok((precision, entry, exits)) = saved else { continue };
            let all = found
                .entry(function)
                .or_insert_with(|| SavedFunction { precision: precision.clone(), summaries: Vec::new() });
            if all.precision == precision {
                all.summaries.push((entry, exits));
            }
        }
        found.into_iter().collect()
    }

    /// The summaries from which a target can be reached, or that can still change, through calls as well.
    pub fn with_target_or_incomplete(&self) -> IdSet<SummaryId> {
        let is_doubtful = |&id: &SummaryId| {
            let summary = &self.store.summaries[id];
            !summary.is_complete || !summary.targets.is_empty()
        };
        let mut found = IdSet::new();
        let mut todo: Vec<SummaryId> = self.store.held().into_iter().filter(is_doubtful).collect();
        while let Some(id) = todo.pop() {
            if found.insert(id) {
                let users = self.store.summaries[id].users.iter();
                todo.extend(users.map(|&user| self.store.uses[user].caller));
            }
        }
        found
    }

    /// The precisions of the functions that have one.
    pub fn save_precisions(&mut self) -> Vec<(FuncId, Json)> {
        let (_, initial) = self.cpa.initial(self.cfa.entry());
        let mut found = Vec::new();
        for (id, block) in self.blocks.blocks.iter() {
            let BlockKind::Function(function) = block.kind else { continue };
            let precision = self.block_precision(id);
            if precision != self.cpa.reduce_precision(block, &initial)
                && let Ok(saved) = self.cpa.save_precision(&precision)
            {
                found.push((function, saved));
            }
        }
        found
    }

    /// Begins with the precisions that functions had before they changed, as far as these still have a
    /// meaning. Not if a loaded summary would be lost by that. False if nothing was taken over.
    pub fn load_precisions(&mut self, saved: &[Json]) -> bool {
        let mut joined = self.precision.clone();
        for hint in saved {
            let mut with = joined.clone();
            if self.cpa.load_precision(hint, &mut with).is_ok() {
                joined = with;
            }
        }
        let held = self.store.held();
        let loaded: IdSet<BlockId> = held.into_iter().map(|id| self.store.summaries[id].block).collect();
        let is_kept = |id: BlockId| {
            let reduced = self.cpa.reduce_precision(&self.blocks.blocks[id], &joined);
            reduced == self.block_precision(id)
        };
        let are_kept = loaded.iter().all(is_kept);
        let is_new = are_kept && joined != self.precision;
        if is_new {
            self.set_precision(joined);
        }
        is_new
    }

    /// Takes over the stored data of some functions, before the work begins. The precisions of all of them
    /// come first, because summaries are found by their precision. Returns why something was not taken over.
    pub fn load(&mut self, saved: &[(FuncId, SavedFunction)]) -> Vec<(FuncId, Misfit)> {
        let mut refused = Vec::new();
        let mut joined = self.precision.clone();
        let mut accepted = Vec::new();
        for (function, data) in saved {
            let mut with = joined.clone();
            match self.cpa.load_precision(&data.precision, &mut with) {
                Ok(()) => {
                    joined = with;
                    accepted.push((*function, data));
                }
                Err(misfit) => refused.push((*function, misfit)),
            }
        }
        let initial = self.precision.clone();
        self.set_precision(joined);
        for (function, data) in accepted {
            if let Err(misfit) = self.load_function(function, data, &initial) {
                refused.push((function, misfit));
            }
        }
        refused
    }

    fn load_function(
        &mut self,
        function: FuncId,
        data: &SavedFunction,
        initial: &C::Precision,
    ) -> Result<(), Misfit> {
        let no_block = || Misfit::new("the function is no block");
        let (id, block) = self.function_block(function).ok_or_else(no_block)?;
        let precision = self.block_precision(id);
        // Other functions may have added to it.
        let mut own = self.cpa.reduce_precision(block, initial);
        self.cpa.load_precision(&data.precision, &mut own)?;
        if own != precision {
            return Err(Misfit::new("the precision is another one by now"));
        }
        let mut ready = Vec::new();
        for (entry, exits) in &data.summaries {
            let entry = self.cpa.load(entry)?;
            let entry = self.cpa.as_reduced(block, entry)?;
            let exits = exits.iter().map(|exit| self.cpa.load(exit)).collect::<Result<Vec<_>, Misfit>>()?;
            ready.push((entry, exits));
        }
        // Only now, so that all or nothing is taken over.
        for (entry, exits) in ready {
            let key = self.key(id, &entry, &precision);
            if self.store.get(&key).is_some() {
                continue;
            }
            let state = (entry, precision.clone());
            let made = self.store.create(self.cfa, &self.cpa, key, id, block.entry, state, (None, 1));
            let summary = &mut self.store.summaries[made];
            // It is never expanded.
            summary.reached.waitlist.pop();
            let node: ArgId = summary.reached.roots[0];
            summary.exits = exits.into_iter().map(|state| Exit { node, state }).collect();
            summary.is_loaded = true;
            summary.is_complete = true;
            summary.reached.freeze();
            self.counters.loaded += 1;
        }
        Ok(())
    }

    /// The blocks of the loaded summaries from which states on the way to a target may come: on the path
    /// itself, and on paths that were merged into it.
    pub fn loaded_behind(&self, frames: &[Frame]) -> IdSet<BlockId> {
        let mut found = IdSet::new();
        if self.counters.loaded == 0 {
            return found;
        }
        let mut seen = IdSet::new();
        let mut callees: Vec<SummaryId> = Vec::new();
        for frame in frames {
            let before = self.ancestors(frame.summary, frame.at);
            let uses = self.store.summaries[frame.summary].uses.iter().map(|&id| &self.store.uses[id]);
            callees.extend(uses.filter(|each| before.contains(each.at)).map(|each| each.callee));
        }
        while let Some(id) = callees.pop() {
            if seen.insert(id) {
                let summary = &self.store.summaries[id];
                if summary.is_loaded {
                    found.insert(summary.block);
                }
                callees.extend(summary.uses.iter().map(|&each| self.store.uses[each].callee));
            }
        }
        found
    }

    /// The states from which one was reached, itself included.
    fn ancestors(&self, summary: SummaryId, at: ArgId) -> IdSet<ArgId> {
        let nodes = &self.store.summaries[summary].reached.nodes;
        let (mut seen, mut todo) = (IdSet::new(), vec![at]);
        while let Some(id) = todo.pop() {
            if seen.insert(id) {
                todo.extend(nodes[id].parents.iter().map(|&(parent, _)| parent));
            }
        }
        seen
    }

    /// Drops the loaded summaries of these blocks and of all that they call, and their users.
    pub fn forget_loaded(&mut self, blocks: &IdSet<BlockId>) {
        let (mut all, mut todo): (IdSet<BlockId>, Vec<BlockId>) = (IdSet::new(), blocks.iter().collect());
        while let Some(id) = todo.pop() {
            if all.insert(id) {
                for &call in &self.blocks.blocks[id].calls {
                    if let Op::Call { callee, .. } = self.cfa.edges[call].op {
                        todo.extend(self.function_block(callee).map(|(id, _)| id));
                    }
                }
            }
        }
        self.forget_summaries(|summary| summary.is_loaded && all.contains(summary.block));
    }
}
