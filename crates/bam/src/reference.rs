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
            rounds: 0,
        }
    }

    /// Algorithm 1: fixedPoint(B_main, l_0, e_0).
    pub fn fixed_point(&mut self, budget: &Budget) -> Result<Vec<C::State>, Stop> {
        let entry = self.cfa.entry();
        let Some(main) = self.blocks.entered_at(entry) else { return Ok(Vec::new()) };
        let (state, precision) = self.cpa.initial(entry);
        // 1: repeat
        loop {
            // 2: fixedpointReached := true
            self.fixedpoint_reached = true;
            self.rounds += 1;
            self.fresh.clear();
            // 3: blockResult := applyBlockAbstraction(B_main, e_0)
            let result = self.analyse(main, state.clone(), precision.clone(), budget)?;
            // 4: until fixedpointReached, 5: return
            if self.fixedpoint_reached {
                return Ok(result);
            }
        }
    }

    /// Algorithm 2: applyBlockAbstraction(B, e_I), up to line 21: the states at the exits, reduced.
    fn apply_block_abstraction(
        &mut self,
        id: BlockId,
        entry: &C::State,
        precision: &C::Precision,
        budget: &Budget,
    ) -> Result<Vec<C::State>, Stop> {
        let block: &Block = &self.blocks.blocks[id];
        // 1: e_i := reduce(B, e_I)
        let reduced = self.cpa.reduce(block, entry)?;
        // 2: if ∃ (B, e_c) ∈ stack: e_i ⊑ e_c
        for i in 0..self.stack.len() {
            let (on_stack, state) = self.stack[i].clone();
            if on_stack == id && self.cpa.stop(&reduced, &state, precision)? {
                let key = self.key(id, &state, precision);
                return Ok(match self.cache.get(&key) {
                    // 3, 4: (reached, ·) := cache(B, e_c)
                    Some(exits) => exits.clone(),
                    // 6, 7
                    None => {
                        self.fixedpoint_reached = false;
                        Vec::new()
                    }
                });
            }
        }
        if self.stack.len() >= self.max_depth {
            return Err(Stop::GaveUp("deeper than the reference goes".to_owned()));
        }
        // 9, 10: if cache contains (B, e_i)
        let key = self.key(id, &reduced, precision);
        if self.fresh.contains(&key)
            && let Some(exits) = self.cache.get(&key)
        {
            return Ok(exits.clone());
        }
        // 13 to 15: the block's own analysis
        self.stack.push((id, reduced.clone()));
        let exits = self.analyse(id, reduced.clone(), precision.clone(), budget);
        self.stack.pop();
        let exits = exits?;
        // 16 to 20: is there an exit that was not there before?
        if let Some(old) = self.cache.get(&key).cloned() {
            for exit in &exits {
                if !self.is_covered(exit, &old, precision)? {
                    self.fixedpoint_reached = false;
                }
            }
        }
        // 21: cache(B, e_i) := (reached, waitlist)
        self.fresh.insert(key.clone());
        self.cache.insert(key, exits.clone());
        Ok(exits)
    }

    fn is_covered(
        &mut self,
        state: &C::State,
        by: &[C::State],
        precision: &C::Precision,
    ) -> Result<bool, Stop> {
        for other in by {
            if self.cpa.stop(state, other, precision)? {
                return Ok(true);
            }
        }
        Ok(false)
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
        entry: C::State,
        precision: C::Precision,
        budget: &Budget,
    ) -> Result<Vec<C::State>, Stop> {
        let block = &self.blocks.blocks[id];
        let mut reached = Reached::new(self.layers.clone());
        reached.add_root(self.cfa, &self.cpa, block.entry, entry, precision.clone());
        while let Some(e) = reached.waitlist.pop() {
            budget.check()?;
            // No successors at output locations.
            if block.exits.contains(&reached.nodes[e].node) {
                continue;
            }
            for (by, successor) in self.transfer(&reached, e, budget)? {
                add_successor(self.cfa, &mut self.cpa, &mut reached, e, by, successor)?;
            }
        }
        let is_exit = |id: &ArgId| block.exits.contains(&reached.nodes[*id].node);
        Ok(reached.reached().filter(is_exit).map(|id| reached.nodes[id].state.clone()).collect())
    }

    /// ⇝ of BAM: into a block by applyBlockAbstraction, everywhere else as the wrapped analysis does.
    fn transfer(
        &mut self,
        reached: &Reached<C>,
        e: ArgId,
        budget: &Budget,
    ) -> Result<Vec<(Move, C::State)>, Stop> {
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
                let block = &self.blocks.blocks[callee];
                for exit in self.apply_block_abstraction(callee, &entry, &precision, budget)? {
                    // 22 to 24: expand, then rebuild
                    let expanded = self.cpa.expand(block, &entry, &exit)?;
                    if let Some(rebuilt) = self.cpa.rebuild(block, Some(by), &state, &entry, expanded)? {
                        let behind = self.cpa.transfer(&rebuilt, &precision, back)?;
                        found.extend(behind.into_iter().map(|state| (back, state)));
                    }
                }
            }
        }
        Ok(found)
    }
}
