//! Which summary stands for an entry: lines 2 to 12 of Algorithm 2.
//!
//! In this order:
//! 1. the summary of an equal entry;
//! 2. in a recursion, a summary that is being made and covers the entry;
//! 3. if settings allow it, a complete summary of a weaker entry, which refinement must replace first;
//! 4. a new summary.
//!
//! If a recursion produces new entries again and again (numbers, intervals, values), the entries are widened.

use crate::engine::Bam;
use crate::reducer::{CacheKey, Reducer, Side};
use crate::store::{SummaryId, UseId};
use summa_base::Id;
use summa_cpa::Stop;
use summa_facts::blocks::BlockId;

impl<C: Reducer> Bam<'_, C> {
    /// The summary for a reduced entry: lines 2 to 12. True if it began with a weaker one.
    pub(crate) fn summary_for(
        &mut self,
        caller: SummaryId,
        creator: UseId,
        block: BlockId,
        mut entry: C::State,
    ) -> Result<(SummaryId, bool), Stop> {
        let precision = self.block_precision(block);
        let data = self.block(block);
        let mut nesting = 1;
        let mut is_widened = false;
        loop {
            let key = self.key(block, &entry, &precision);
            // 9: if cache contains (B, e_i)
            if let Some(known) = self.store.get(&key) {
                self.counters.hits += 1;
                return Ok((known, is_widened));
            }
            let only_exact = self.store.is_exact_demanded(&key);
            if data.is_recursive {
                // 2: if ∃ (B, e_c) ∈ stack: e_i ⊑ e_c
                let cut = self.store.covering(&mut self.cpa, block, &entry, &precision, |summary| {
                    !summary.is_complete && summary.precision == precision
                })?;
                if let Some(cut) = cut {
                    self.counters.cuts += 1;
                    return Ok((cut, true));
                }
            }
            if self.settings.borrow && !only_exact {
                let lent = self.store.covering(&mut self.cpa, block, &entry, &precision, |summary| {
                    summary.is_complete && summary.targets.is_empty()
                })?;
                if let Some(lent) = lent {
                    self.counters.borrowed += 1;
                    return Ok((lent, true));
                }
            }
            if data.is_recursive
                && !is_widened
                && let Some(outer) = self.store.innermost(caller, block)
            {
                nesting = self.store.summaries[outer].nesting + 1;
                if nesting > self.settings.widen_after {
                    let before = self.store.summaries[outer].entry.clone();
                    entry = self.cpa.widen(data, &before, &entry, Side::Entry)?;
                    self.counters.widened += 1;
                    is_widened = true;
                    continue;
                }
            }
            self.counters.created += 1;
            let node = data.entry;
            let state = (entry, precision);
            let made =
                self.store.create(self.cfa, &self.cpa, key, block, node, state, (Some(creator), nesting));
            return Ok((made, is_widened));
        }
    }

    pub(crate) fn key(&mut self, block: BlockId, entry: &C::State, precision: &C::Precision) -> CacheKey {
        let mut key = vec![block.index() as u64];
        self.cpa.cache_key(self.block(block), entry, precision, &mut key);
        key
    }
}
