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
    /// Sets the precision of the whole program. Summaries of blocks for which it changes something are
    /// dropped, and so are their users. All others stay. False if it changes nothing.
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

    /// Drops the summaries of some blocks, and their users.
    pub fn forget(&mut self, is_dropped: impl Fn(BlockId) -> bool) {
        self.forget_summaries(|summary| is_dropped(summary.block));
    }

    /// Drops some summaries, and their users.
    pub(crate) fn forget_summaries(&mut self, is_dropped: impl Fn(&Summary<C>) -> bool) {
        // Only complete summaries may stay: the list of remaining work on the others is forgotten. This
        // applies to the program itself too, which begins anew.
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

    /// Entries on the way to a target that used a weaker summary get their own. False if there are none.
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
