//! After a refinement: which summaries stay, and which begin anew.
//!
//! There is one precision for the program, and each block sees its part of it. Summaries of blocks whose part
//! did not change stay valid. The others are dropped, together with all summaries that used them. Weaker
//! summaries that were borrowed are replaced by exact ones before anything is refined.

use crate::engine::Bam;
use crate::reducer::Reducer;
use crate::store::{Summary, UseId};
use summa_base::IdSet;
use summa_cpa::Stop;
use summa_facts::blocks::BlockId;

impl<C: Reducer> Bam<'_, C> {
    /// A precision for the whole program. Summaries of blocks for which it changes something are dropped, and
    /// so is what used them; all others stay. False if it changes nothing.
    pub fn set_precision(&mut self, precision: C::Precision) -> bool {
        self.precision = precision;
        let before = std::mem::take(&mut self.reduced_precisions);
        let mut changed = IdSet::new();
        for id in self.blocks.blocks.ids() {
            let is_changed = match before.get(&id) {
                Some(old) => self.block_precision(id) != *old,
                None => false,
            };
            if is_changed {
                changed.insert(id);
            }
        }
        if changed.is_empty() {
            return false;
        }
        self.forget(|block| changed.contains(block));
        true
    }

    /// Drops the summaries of some blocks, and what used them.
    pub fn forget(&mut self, is_dropped: impl Fn(BlockId) -> bool) {
        self.forget_summaries(|summary| is_dropped(summary.block));
    }

    /// Drops some summaries, and what used them.
    pub(crate) fn forget_summaries(&mut self, is_dropped: impl Fn(&Summary<C>) -> bool) {
        // Only what is complete may stay: the work that was left to do on all others is forgotten with the
        // list of it. That goes for the program itself too: it begins anew.
        let root = self.root.map(|root| self.store.summaries[root].block);
        self.store.drop_with_users(|summary| {
            !summary.is_complete
                || is_dropped(summary)
                || root == Some(summary.block) && summary.creator.is_none()
        });
        self.root = None;
        self.work.clear();
        self.known_targets.clear();
    }

    /// Entries that a weaker summary stood in for on the way to a target get their own. False if there are
    /// none.
    pub fn repair(&mut self, borrowed: &[UseId]) -> Result<bool, Stop> {
        let mut is_new = false;
        for &id in borrowed {
            let block = self.store.summaries[self.store.uses[id].callee].block;
            let entry = self.store.uses[id].entry.clone();
            let reduced = self.cpa.reduce(self.block(block), &entry)?;
            let precision = self.block_precision(block);
            let key = self.key(block, &reduced, &precision);
            is_new |= self.store.demand_exact(key);
        }
        if is_new {
            let callers: IdSet<BlockId> =
                borrowed.iter().map(|&id| self.store.summaries[self.store.uses[id].caller].block).collect();
            self.forget(|block| callers.contains(block));
        }
        Ok(is_new)
    }
}
