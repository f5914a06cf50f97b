//! The summaries: what the paper calls the cache, as a database that knows who depends on what.
//!
//! A summary is the block abstraction of one block for one reduced entry state and one precision: the states
//! that were reached, and the exits among them. A *use* is a state that waits at the entry of a block for the
//! exits of a summary: it remembers how many it has seen. Exits are a log that only grows; a state that grew
//! by a merge is logged again.
//!
//! The reduced entries of a block are a reached set of their own, so that coverage between entries is asked
//! as it is between states.

use crate::reducer::{CacheKey, Reducer};
use summa_base::{FxHashMap, Id, IdMap, IdVec, define_id};
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_cpa::rank::Ranks;
use summa_cpa::{ArgId, Cpa, Layer, Move, Reached, Stop};
use summa_facts::blocks::BlockId;

define_id! {
    /// The summary of a block for one entry.
    SummaryId = "S";
    /// A state that waits for the exits of a summary.
    UseId = "u";
}

/// A state at an exit of a block, at the time when it was published.
#[derive(Debug)]
pub struct Exit<C: Cpa> {
    pub node: ArgId,
    pub state: C::State,
}

#[derive(Debug)]
pub struct Summary<C: Cpa> {
    pub block: BlockId,
    /// The reduced entry.
    pub entry: C::State,
    pub precision: C::Precision,
    /// The states of the block. States after a nested block come from its summary.
    pub reached: Reached<C>,
    pub exits: Vec<Exit<C>>,
    /// The targets that were reached in the block itself.
    pub targets: Vec<ArgId>,
    /// The use for which the summary was made; error paths go through it. None for the program, and after its
    /// caller was dropped.
    pub creator: Option<UseId>,
    /// The uses that are resumed with new exits.
    pub users: Vec<UseId>,
    /// The nested blocks for which its own states wait.
    pub uses: Vec<UseId>,
    /// The last use of a state and a move, for each state that the move leads to.
    pub(crate) last_use: FxHashMap<(ArgId, Option<EdgeId>, usize), UseId>,
    /// For a state after a nested block: the use, and the exit that led there first.
    pub via: FxHashMap<ArgId, (UseId, usize)>,
    /// How often the block was entered on the way here, including this time.
    pub nesting: u32,
    /// There will be no new exits, here or in the summaries that it uses.
    pub is_complete: bool,
    /// The summary comes from another run: there are exits, but no states.
    pub is_loaded: bool,
    pub(crate) is_queued: bool,
}

/// A state at the entry of a block.
#[derive(Debug)]
pub struct Use<C: Cpa> {
    pub caller: SummaryId,
    /// The state before the block in the graph of the caller.
    pub at: ArgId,
    /// The move into a function; None for a loop.
    pub call: Option<Move>,
    /// e_call as it was, and e_I.
    pub before: C::State,
    pub entry: C::State,
    pub callee: SummaryId,
    /// The callee began with a weaker entry than this one.
    pub is_borrowed: bool,
    pub(crate) seen: usize,
    /// A later use of the same state took its place.
    pub(crate) is_over: bool,
}

/// The entries of one block.
struct Entries<C: Cpa> {
    states: Reached<C>,
    summaries: IdMap<ArgId, Option<SummaryId>>,
}

pub struct Store<C: Cpa> {
    pub summaries: IdVec<SummaryId, Summary<C>>,
    pub uses: IdVec<UseId, Use<C>>,
    exact: FxHashMap<CacheKey, SummaryId>,
    entries: FxHashMap<BlockId, Entries<C>>,
    /// Entries for which no weaker summary may stand in.
    only_exact: FxHashMap<CacheKey, ()>,
    layers: Vec<Layer>,
    ranks: Ranks,
}

impl<C: Reducer> Store<C> {
    pub fn new(layers: Vec<Layer>) -> Self {
        Self {
            summaries: IdVec::new(),
            uses: IdVec::new(),
            exact: FxHashMap::default(),
            entries: FxHashMap::default(),
            only_exact: FxHashMap::default(),
            layers,
            ranks: Ranks::default(),
        }
    }

    pub fn get(&self, key: &CacheKey) -> Option<SummaryId> {
        self.exact.get(key).copied()
    }

    /// A new summary with its entry as the only state, reached and waiting.
    #[expect(clippy::too_many_arguments, reason = "they are the parts of a summary")]
    pub fn create(
        &mut self,
        cfa: &Cfa,
        cpa: &C,
        key: CacheKey,
        block: BlockId,
        node: NodeId,
        (entry, precision): (C::State, C::Precision),
        (creator, nesting): (Option<UseId>, u32),
    ) -> SummaryId {
        let mut reached = Reached::with_ranks(self.layers.clone(), self.ranks.clone());
        reached.add_root(cfa, cpa, node, entry.clone(), precision.clone());
        let (layers, ranks) = (&self.layers, &self.ranks);
        let entries = self.entries.entry(block).or_insert_with(|| Entries {
            states: Reached::with_ranks(layers.clone(), ranks.clone()),
            summaries: IdMap::new(None),
        });
        let place = entries.states.add_root(cfa, cpa, node, entry.clone(), precision.clone());
        // Entries are never expanded here.
        entries.states.waitlist.pop();
        let id = self.summaries.push(Summary {
            block,
            entry,
            precision,
            reached,
            exits: Vec::new(),
            targets: Vec::new(),
            creator,
            users: Vec::new(),
            uses: Vec::new(),
            last_use: FxHashMap::default(),
            via: FxHashMap::default(),
            nesting,
            is_complete: false,
            is_loaded: false,
            is_queued: false,
        });
        entries.summaries[place] = Some(id);
        self.exact.insert(key, id);
        id
    }

    /// The summaries of a block whose entry covers this one, oldest first as far as coverage goes.
    pub fn covering(
        &mut self,
        cpa: &mut C,
        block: BlockId,
        entry: &C::State,
        precision: &C::Precision,
        accept: impl Fn(&Summary<C>) -> bool,
    ) -> Result<Option<SummaryId>, Stop> {
        let Some(entries) = self.entries.get_mut(&block) else { return Ok(None) };
        let place = entries.states.place(cpa, entry);
        for candidate in entries.states.candidates(place) {
            let Some(summary) = entries.summaries[candidate] else { continue };
            if accept(&self.summaries[summary])
                && cpa.stop(entry, &entries.states.nodes[candidate].state, precision)?
            {
                return Ok(Some(summary));
            }
        }
        Ok(None)
    }

    pub fn demand_exact(&mut self, key: CacheKey) -> bool {
        self.only_exact.insert(key, ()).is_none()
    }

    pub fn is_exact_demanded(&self, key: &CacheKey) -> bool {
        self.only_exact.contains_key(key)
    }

    /// The summary on the way to `from` (itself included) that is of this block, the innermost.
    pub fn innermost(&self, from: SummaryId, block: BlockId) -> Option<SummaryId> {
        let outer = |&id: &SummaryId| self.summaries[id].creator.map(|creator| self.uses[creator].caller);
        std::iter::successors(Some(from), outer).find(|&id| self.summaries[id].block == block)
    }

    /// Marks what can no longer change: the summary and what it uses, if none of them is queued.
    pub fn complete(&mut self, root: SummaryId) {
        let mut seen = summa_base::IdSet::new();
        let (mut found, mut todo) = (Vec::new(), vec![root]);
        while let Some(id) = todo.pop() {
            let summary = &self.summaries[id];
            if summary.is_complete || !seen.insert(id) {
                continue;
            }
            if summary.is_queued {
                return;
            }
            found.push(id);
            todo.extend(summary.uses.iter().map(|&each| self.uses[each].callee));
        }
        for id in found {
            self.summaries[id].is_complete = true;
            self.summaries[id].reached.freeze();
        }
    }

    /// Drops summaries together with everything that used them, and forgets their uses.
    pub fn drop_with_users(&mut self, of: impl Fn(&Summary<C>) -> bool) {
        let mut dropped = summa_base::IdSet::new();
        let mut todo: Vec<SummaryId> = self.exact.values().copied().collect();
        todo.sort_unstable();
        todo.retain(|&id| of(&self.summaries[id]));
        while let Some(id) = todo.pop() {
            if dropped.insert(id) {
                todo.extend(self.summaries[id].users.iter().map(|&each| self.uses[each].caller));
            }
        }
        if dropped.is_empty() {
            return;
        }
        self.exact.retain(|_, id| !dropped.contains(*id));
        let blocks: summa_base::IdSet<BlockId> = dropped.iter().map(|id| self.summaries[id].block).collect();
        for block in blocks.iter() {
            if let Some(entries) = self.entries.get_mut(&block) {
                let roots = entries.states.roots.clone();
                for root in roots {
                    if entries.summaries[root].is_some_and(|id| dropped.contains(id)) {
                        entries.states.prune(root);
                        entries.summaries[root] = None;
                    }
                }
            }
        }
        for id in dropped.iter() {
            // The memory of a dropped summary is given back; its number is not used again.
            self.summaries[id].reached = Reached::new(self.layers.clone());
            self.summaries[id].via = FxHashMap::default();
            self.summaries[id].last_use = FxHashMap::default();
            self.summaries[id].is_queued = false;
        }
        let uses = &self.uses;
        let is_kept = |id: &UseId| !dropped.contains(uses[*id].caller);
        for (id, summary) in self.summaries.iter_mut() {
            if !dropped.contains(id) {
                summary.users.retain(is_kept);
                summary.creator = summary.creator.filter(is_kept);
                summary.is_queued = false;
            }
        }
    }

    /// How many summaries are held.
    pub fn len(&self) -> usize {
        self.exact.len()
    }

    pub fn is_empty(&self) -> bool {
        self.exact.is_empty()
    }

    /// The summaries that are held, oldest first.
    pub fn held(&self) -> Vec<SummaryId> {
        let mut held: Vec<SummaryId> = self.exact.values().copied().collect();
        held.sort_unstable_by_key(|id| id.index());
        held
    }
}
