//! Algorithms 1 and 2 of the paper, word for word: the reference with which tests compare the engine.
//!
//! Paper: Beyer, Friedberger, ESEC/FSE 2020, Sections 3.2 and 3.3; line numbers are the paper's. Blocks are
//! functions, there is no precision but the initial one, and targets are states like others. It is simple on
//! purpose: every round starts at the program's entry, and nested analyses run on the host's stack. It is not
//! for use: [`crate::engine`] computes the same.
//!
//! Where the paper is silent: line 10 continues a cached analysis, but its states before nested calls must
//! see new exits of their callees. So a cached analysis starts anew once in every round. A recursion that
//! descends without end is cut at the depth that the caller gives.

use crate::reducer::{CacheKey, Reducer};
use summa_base::{Budget, FxHashMap, FxHashSet, Id};
use summa_cfa::Cfa;
use summa_cpa::{ArgId, Arrival, Layer, Move, Reached, Step, Stop, add_successor};
use summa_facts::blocks::{Block, BlockId, Blocks};

pub struct Reference<'a, C: Reducer> {
    pub cfa: &'a Cfa,
    pub blocks: &'a Blocks,
    pub cpa: C,
    layers: Vec<Layer>,
    fixedpoint_reached: bool,
    /// The states at the exits of a block. Nothing else of its reached set is used.
    cache: FxHashMap<CacheKey, Vec<C::State>>,
    stack: Vec<(BlockId, C::State)>,
    /// Analysed in this round.
    fresh: FxHashSet<CacheKey>,
    max_depth: usize,
    budget: Budget,
    /// The number of rounds of the loop of Algorithm 1.
    pub rounds: usize,
}

impl<'a, C: Reducer> Reference<'a, C> {
    pub fn new(cfa: &'a Cfa, blocks: &'a Blocks, cpa: C, layers: Vec<Layer>, max_depth: usize) -> Self {
        let (cache, stack, fresh) = (FxHashMap::default(), Vec::new(), FxHashSet::default());
        Self {
            cfa,
            blocks,
            cpa,
            layers,
            fixedpoint_reached: false,
            cache,
            stack,
            fresh,
            max_depth,
            budget: Budget::unlimited(),
            rounds: 0,
        }
    }

    /// Algorithm 1: fixedPoint(B_main, l_0, e_0).
    pub fn fixed_point(&mut self, budget: &Budget) -> Result<Vec<C::State>, Stop> {
        let entry = self.cfa.entry();
        let Some(main) = self.blocks.entered_at(entry) else { return Ok(Vec::new()) };
        let (state, precision) = self.cpa.initial(entry);
        self.budget = budget.clone();
        // 1: repeat
        loop {
            // 2: fixedpointReached := true
            self.fixedpoint_reached = true;
            self.rounds += 1;
            self.fresh.clear();
            // 3: blockResult := applyBlockAbstraction(B_main, e_0)
            let result = self.analyse(main, &state, &precision)?;
            // 4: until fixedpointReached, 5: return
            if self.fixedpoint_reached {
                return Ok(result);
            }
        }
    }

    /// Algorithm 2: applyBlockAbstraction(B, e_I), for a call: the states e_r at the exit of the callee.
    fn apply_block_abstraction(
        &mut self,
        (id, by): (BlockId, Move),
        (before, entry): (&C::State, &C::State),
        precision: &C::Precision,
    ) -> Result<Vec<C::State>, Stop> {
        let block: &Block = &self.blocks.blocks[id];
        // 1: e_i := reduce(B, e_I)
        let mut begun = self.cpa.reduce(block, entry)?;
        // 2: if ∃ (B, e_c) ∈ stack: e_i ⊑ e_c
        let exits = if let Some(on_stack) = self.covering_on_stack(id, &begun, precision)? {
            begun = on_stack;
            let key = self.key(id, &begun, precision);
            match self.cache.get(&key) {
                // 3, 4: (reached, ·) := cache(B, e_c)
                Some(exits) => exits.clone(),
                // 6, 7: the first round of a recursion: nothing comes back yet
                None => {
                    self.fixedpoint_reached = false;
                    Vec::new()
                }
            }
        } else {
            let key = self.key(id, &begun, precision);
            match self.cache.get(&key).filter(|_| self.fresh.contains(&key)) {
                // 9, 10: if cache contains (B, e_i)
                Some(exits) => exits.clone(),
                None => {
                    // 13 to 15: the block's own analysis
                    let exits = self.analyse_on_stack(id, &begun, precision)?;
                    // 16 to 20: is there an exit that was not there before?
                    let old = self.cache.get(&key).cloned();
                    if old.is_some_and(|old| !self.are_covered(&exits, &old, precision)) {
                        self.fixedpoint_reached = false;
                    }
                    // 21: cache(B, e_i) := (reached, waitlist)
                    self.fresh.insert(key.clone());
                    self.cache.insert(key, exits.clone());
                    exits
                }
            }
        };
        let mut behind = Vec::new();
        for exit in &exits {
            // 22, 23: e_O := expand(e_I, B, e_o), 24: rebuild(e_call, e_I, e_O)
            let expanded = self.cpa.expand(block, entry, &begun, exit)?;
            behind.extend(self.cpa.rebuild(block, Some(by), before, entry, expanded)?);
        }
        Ok(behind)
    }

    /// The entry e_c of the same block that is being analysed and covers this one, outermost first.
    fn covering_on_stack(
        &mut self,
        id: BlockId,
        reduced: &C::State,
        precision: &C::Precision,
    ) -> Result<Option<C::State>, Stop> {
        for (block, state) in &self.stack {
            if *block == id && self.cpa.stop(reduced, state, precision)? {
                return Ok(Some(state.clone()));
            }
        }
        Ok(None)
    }

    /// The analysis of a block while it is on the stack.
    fn analyse_on_stack(
        &mut self,
        id: BlockId,
        reduced: &C::State,
        precision: &C::Precision,
    ) -> Result<Vec<C::State>, Stop> {
        if self.stack.len() >= self.max_depth {
            return Err(Stop::GaveUp("deeper than the reference goes".to_owned()));
        }
        self.stack.push((id, reduced.clone()));
        let exits = self.analyse(id, reduced, precision);
        self.stack.pop();
        exits
    }

    /// Is each of these states covered by one of the others? No answer is no: another round is never wrong.
    fn are_covered(&mut self, states: &[C::State], by: &[C::State], precision: &C::Precision) -> bool {
        let mut covers = |state, other| self.cpa.stop(state, other, precision).unwrap_or(false);
        states.iter().all(|state| by.iter().any(|other| covers(state, other)))
    }

    /// The states at the exits of a block, for all entries with which it was analysed; sorted by entry.
    pub fn exits(&self, id: BlockId) -> Vec<C::State> {
        let of_block = |(key, _): &(&CacheKey, &Vec<C::State>)| key.first() == Some(&(id.index() as u64));
        let mut found: Vec<_> = self.cache.iter().filter(of_block).collect();
        found.sort_unstable_by_key(|(key, _)| *key);
        found.into_iter().flat_map(|(_, exits)| exits.iter().cloned()).collect()
    }

    fn key(&mut self, id: BlockId, state: &C::State, precision: &C::Precision) -> CacheKey {
        let mut key = vec![id.index() as u64];
        self.cpa.cache_key(&self.blocks.blocks[id], state, precision, &mut key);
        key
    }

    /// The CPA algorithm with the transfer relation of BAM; the states at the exits of the block.
    fn analyse(
        &mut self,
        id: BlockId,
        entry: &C::State,
        precision: &C::Precision,
    ) -> Result<Vec<C::State>, Stop> {
        let block = &self.blocks.blocks[id];
        let mut reached = Reached::new(self.layers.clone());
        reached.add_root(self.cfa, &self.cpa, block.entry, entry.clone(), precision.clone());
        while let Some(e) = reached.waitlist.pop() {
            self.budget.check()?;
            // No successors at output locations.
            if block.exits.contains(&reached.nodes[e].node) {
                continue;
            }
            for (by, successor) in self.transfer(&reached, e)? {
                add_successor(self.cfa, &mut self.cpa, &mut reached, e, by, successor)?;
            }
        }
        let is_exit = |id: &ArgId| block.exits.contains(&reached.nodes[*id].node);
        Ok(reached.reached().filter(is_exit).map(|id| reached.nodes[id].state.clone()).collect())
    }

    /// ⇝ of BAM: into a block by applyBlockAbstraction, everywhere else as the wrapped analysis does.
    fn transfer(&mut self, reached: &Reached<C>, e: ArgId) -> Result<Vec<(Move, C::State)>, Stop> {
        let (state, precision) = (reached.nodes[e].state.clone(), reached.nodes[e].precision.clone());
        let mut moves = Vec::new();
        self.cpa.moves(&state, &mut moves);
        let mut found = Vec::new();
        for by in moves {
            for successor in self.cpa.transfer(&state, &precision, by)? {
                // A function that is inlined in its callers is no block.
                let (Step::Enter(call), Some(callee)) = (by.step, self.blocks.entered_at(by.to)) else {
                    found.push((by, successor));
                    continue;
                };
                let arrival = Arrival { node: by.to, by: Some(by), is_target: false };
                let Some((entry, _)) = self.cpa.prec(successor, &precision, &arrival)? else { continue };
                let Some(back) = Move::back(self.cfa, call) else { continue };
                for rebuilt in self.apply_block_abstraction((callee, by), (&state, &entry), &precision)? {
                    let behind = self.cpa.transfer(&rebuilt, &precision, back)?;
                    found.extend(behind.into_iter().map(|state| (back, state)));
                }
            }
        }
        Ok(found)
    }
}
