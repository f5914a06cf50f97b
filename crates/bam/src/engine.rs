//! What Algorithms 1 and 2 compute, as a worklist over summaries.
//!
//! A state at the entry of a block is suspended. The block's summary is looked up or made, and the state is
//! resumed with each of its exits, now and later. Recursion is a summary that is used on the way to its own
//! exits. It begins with none (Alg. 2, line 6). Each new exit is another round (line 19), but only for the
//! states that wait for it. The work ends when no summary has a waiting state. Then every exit of a block
//! that was computed with the summaries is covered by the summaries, which is Hoare's rule for recursion
//! (Fig. 4).
//!
//! The work is a stack of summaries, and the one on top is explored. A callee is finished before its caller
//! continues, so that states after a call meet all others at joins. The host's stack does not grow with the
//! program's.
//!
//! Limits: there are no states that are covered by force (IMPACT).

use crate::reducer::{Reducer, Side};
use crate::store::{Exit, Store, SummaryId, Use, UseId};
use summa_base::{Budget, FxHashMap};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, Op};
use summa_cpa::{ArgId, Arrival, Layer, Move, Step, Stop, add_successor};
use summa_facts::blocks::{Block, BlockId, BlockKind, Blocks};

/// Settings of the summaries of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Without recursion, a recursive call ends the analysis (BAM intraprocedural).
    pub recursion: bool,
    /// An entry that is entered from within itself more often than this is widened, and so is a recursion
    /// that returns more states than this.
    pub widen_after: u32,
    /// A complete summary without targets of a weaker entry may be used too; refinement must first replace
    /// it.
    pub borrow: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self { recursion: true, widen_after: 500, borrow: false }
    }
}

/// A target, with the summary in which it was reached, and the use through which the program reaches it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    pub summary: SummaryId,
    pub node: ArgId,
    pub through: Option<UseId>,
}

/// How the work ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solved {
    /// Every summary is complete.
    Complete,
    Target(Target),
}

/// Counts of the work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    pub created: u64,
    /// Lookups that found a summary with this entry.
    pub hits: u64,
    /// Recursive calls whose entry was covered (Alg. 2, line 2).
    pub cuts: u64,
    pub borrowed: u64,
    pub widened: u64,
    pub resumed: u64,
    /// Summaries that another run made.
    pub loaded: u64,
}

pub struct Bam<'a, C: Reducer> {
    pub cfa: &'a Cfa,
    pub blocks: &'a Blocks,
    pub cpa: C,
    pub store: Store<C>,
    pub settings: Settings,
    pub counters: Counters,
    /// The precision of the whole program.
    pub precision: C::Precision,
    pub(crate) reduced_precisions: FxHashMap<BlockId, C::Precision>,
    functions: FxHashMap<FuncId, BlockId>,
    pub root: Option<SummaryId>,
    pub(crate) work: Vec<SummaryId>,
    /// Targets of summaries that were found by another caller.
    pub(crate) known_targets: Vec<Target>,
}

impl<'a, C: Reducer> Bam<'a, C> {
    pub fn new(cfa: &'a Cfa, blocks: &'a Blocks, mut cpa: C, settings: Settings, layers: Vec<Layer>) -> Self {
        let (_, precision) = cpa.initial(cfa.entry());
        let functions = blocks.blocks.iter().filter_map(|(id, block)| match block.kind {
            BlockKind::Function(function) => Some((function, id)),
            BlockKind::Loop(_) => None,
        });
        Self {
            cfa,
            blocks,
            cpa,
            store: Store::new(layers),
            settings,
            counters: Counters::default(),
            precision,
            reduced_precisions: FxHashMap::default(),
            functions: functions.collect(),
            root: None,
            work: Vec::new(),
            known_targets: Vec::new(),
        }
    }

    pub(crate) fn block(&self, id: BlockId) -> &'a Block {
        &self.blocks.blocks[id]
    }

    pub(crate) fn function_block(&self, function: FuncId) -> Option<(BlockId, &'a Block)> {
        self.functions.get(&function).map(|&id| (id, self.block(id)))
    }

    pub(crate) fn block_precision(&mut self, block: BlockId) -> C::Precision {
        if let Some(known) = self.reduced_precisions.get(&block) {
            return known.clone();
        }
        let reduced = self.cpa.reduce_precision(self.block(block), &self.precision);
        self.reduced_precisions.insert(block, reduced.clone());
        reduced
    }

    /// Makes the program's own summary, with the initial state.
    fn begin(&mut self) -> Result<(), Stop> {
        let entry = self.cfa.entry();
        let Some(&block) = self.functions.get(&self.cfa.nodes[entry].function) else {
            return Err(Stop::GaveUp("the program has no entry block".to_owned()));
        };
        let (state, _) = self.cpa.initial(entry);
        let precision = self.block_precision(block);
        // No other entry has this key: blocks have numbers.
        let key = vec![u64::MAX];
        let root = self.store.create(self.cfa, &self.cpa, key, block, entry, (state, precision), (None, 1));
        self.root = Some(root);
        self.push_work(root);
        Ok(())
    }

    /// Works until everything is complete or a target is found. Can be called again after a target.
    pub fn solve(&mut self, budget: &Budget) -> Result<Solved, Stop> {
        if self.root.is_none() {
            self.begin()?;
        }
        loop {
            if let Some(target) = self.known_targets.pop() {
                return Ok(Solved::Target(target));
            }
            let Some(&summary) = self.work.last() else {
                return if self.is_settled() {
                    Ok(Solved::Complete)
                } else {
                    Err(Stop::GaveUp("summaries were left incomplete".to_owned()))
                };
            };
            let Some(e) = self.store.summaries[summary].reached.waitlist.pop() else {
                self.work.pop();
                self.store.summaries[summary].is_queued = false;
                self.store.complete(summary);
                continue;
            };
            let stepped = budget.check().map_err(Stop::from).and_then(|()| self.step(summary, e));
            match stepped {
                Ok(None) => {}
                Ok(Some(target)) => return Ok(Solved::Target(target)),
                Err(stop) => {
                    let reached = &mut self.store.summaries[summary].reached;
                    reached.requeue(e, reached.nodes[e].precision.clone());
                    return Err(stop);
                }
            }
        }
    }

    /// The condition for a proof: nothing waits in any summary on which the program's depends, and every exit
    /// has reached all states that wait for it.
    fn is_settled(&self) -> bool {
        let (mut seen, mut todo) = (summa_base::IdSet::new(), Vec::from_iter(self.root));
        while let Some(id) = todo.pop() {
            if !seen.insert(id) {
                continue;
            }
            let summary = &self.store.summaries[id];
            let has_seen_all =
                |each: &Use<C>| each.is_over || each.seen == self.store.summaries[each.callee].exits.len();
            if !summary.reached.waitlist.is_empty()
                || !summary.uses.iter().all(|&each| has_seen_all(&self.store.uses[each]))
            {
                return false;
            }
            todo.extend(summary.uses.iter().map(|&each| self.store.uses[each].callee));
        }
        true
    }

    /// One state: an exit is published, the entry of a nested block is suspended, all else has successors.
    fn step(&mut self, summary: SummaryId, e: ArgId) -> Result<Option<Target>, Stop> {
        let block = self.store.summaries[summary].block;
        let reached = &self.store.summaries[summary].reached;
        let (node, is_root) = (reached.nodes[e].node, reached.roots.contains(&e));
        let state = reached.nodes[e].state.clone();
        if self.block(block).exits.binary_search(&node).is_ok() {
            self.publish(summary, e, state)?;
            return Ok(None);
        }
        if let Some(nested) = self.blocks.entered_at(node)
            && nested != block
            && !is_root
        {
            self.enter_block(summary, (e, 0), None, state, nested)?;
            return Ok(None);
        }
        let mut moves = Vec::new();
        self.cpa.moves(&state, &mut moves);
        let mut found = None;
        for by in moves {
            let precision = self.store.summaries[summary].reached.nodes[e].precision.clone();
            if let Step::Enter(_) = by.step
                && !self.blocks.inlined.contains(self.cfa.nodes[by.to].function)
            {
                for (which, entered) in self.cpa.transfer(&state, &precision, by)?.into_iter().enumerate() {
                    self.call(summary, (e, which), by, entered)?;
                }
                continue;
            }
            for successor in self.cpa.transfer(&state, &precision, by)? {
                let added = self.add(summary, e, by, successor)?;
                if let Some(new) = added.new
                    && self.store.summaries[summary].reached.nodes[new].is_target
                {
                    self.store.summaries[summary].targets.push(new);
                    found.get_or_insert(Target { summary, node: new, through: None });
                }
            }
        }
        Ok(found)
    }

    fn add(
        &mut self,
        summary: SummaryId,
        e: ArgId,
        by: Move,
        successor: C::State,
    ) -> Result<summa_cpa::Successor, Stop> {
        let reached = &mut self.store.summaries[summary].reached;
        add_successor(self.cfa, &mut self.cpa, reached, e, by, successor)
    }

    /// A move into a function. `which` is the number of the resulting state.
    fn call(
        &mut self,
        summary: SummaryId,
        (e, which): (ArgId, usize),
        by: Move,
        entered: C::State,
    ) -> Result<(), Stop> {
        let Some(&block) = self.functions.get(&self.cfa.nodes[by.to].function) else {
            return Err(Stop::unsupported("a call of a function without a block", by.step.edge()));
        };
        if self.block(block).is_recursive && !self.settings.recursion {
            return Err(Stop::unsupported("recursion", by.step.edge()));
        }
        let arrival = Arrival { node: by.to, by: Some(by), is_target: false };
        // The precision of the whole program: the caller's own variables are part of the state until it is
        // reduced.
        let precision = self.precision.clone();
        match self.cpa.prec(entered, &precision, &arrival)? {
            Some((entry, _)) => self.enter_block(summary, (e, which), Some(by), entry, block),
            None => Ok(()),
        }
    }

    /// Alg. 2: the state e_I waits for the exits of the block.
    fn enter_block(
        &mut self,
        caller: SummaryId,
        (at, which): (ArgId, usize),
        call: Option<Move>,
        entry: C::State,
        block: BlockId,
    ) -> Result<(), Stop> {
        // A state that grew by a merge is expanded again. Uses of the smaller state are part of it.
        let place = (at, call.map(|call| call.step.edge()), which);
        if let Some(&old) = self.store.summaries[caller].last_use.get(&place) {
            self.store.uses[old].is_over = true;
        }
        // 1: e_i := reduce(B, e_I)
        let reduced = self.cpa.reduce(self.block(block), &entry)?;
        let id = self.store.uses.next_id();
        let (callee, is_borrowed) = self.summary_for(caller, id, block, reduced)?;
        let before = self.store.summaries[caller].reached.nodes[at].state.clone();
        self.store.uses.push(Use {
            caller,
            at,
            call,
            before,
            entry,
            callee,
            is_borrowed,
            seen: 0,
            is_over: false,
        });
        self.store.summaries[caller].uses.push(id);
        self.store.summaries[caller].last_use.insert(place, id);
        let summary = &mut self.store.summaries[callee];
        summary.users.push(id);
        summary.creator.get_or_insert(id);
        let targets = summary.targets.iter();
        self.known_targets.extend(targets.map(|&node| Target { summary: callee, node, through: Some(id) }));
        if !summary.reached.waitlist.is_empty() {
            self.push_work(callee);
        }
        self.resume(id)
    }

    /// Lines 16 to 21: a new exit is news for all who use the summary.
    fn publish(&mut self, summary: SummaryId, node: ArgId, mut state: C::State) -> Result<(), Stop> {
        let block = self.block(self.store.summaries[summary].block);
        let exits = &self.store.summaries[summary].exits;
        // A recursion may return new states without end. An upper bound of the last and the new state makes
        // this end.
        if block.is_recursive
            && exits.len() > self.settings.widen_after as usize
            && let Some(last) = exits.last()
        {
            let last = last.state.clone();
            state = self.cpa.widen(block, &last, &state, Side::Exit)?;
            if state == last {
                return Ok(());
            }
            self.counters.widened += 1;
        }
        self.store.summaries[summary].exits.push(Exit { node, state });
        let mut next = 0;
        while let Some(&id) = self.store.summaries[summary].users.get(next) {
            self.resume(id)?;
            next += 1;
        }
        Ok(())
    }

    /// Lines 22 to 24 for every exit that the use has not seen: back into the graph of the caller.
    fn resume(&mut self, id: UseId) -> Result<(), Stop> {
        loop {
            let each = &mut self.store.uses[id];
            let (caller, at, call, callee, index) = (each.caller, each.at, each.call, each.callee, each.seen);
            let Some(exit) = self.store.summaries[callee].exits.get(index) else { break };
            if each.is_over {
                break;
            }
            self.counters.resumed += 1;
            let exit_state = exit.state.clone();
            let by = match call.and_then(|call| Move::back(self.cfa, call.step.edge())) {
                Some(back) => back,
                None => self.last_move(callee, exit.node)?,
            };
            let block = self.block(self.store.summaries[callee].block);
            let (before, entry) = (self.store.uses[id].before.clone(), self.store.uses[id].entry.clone());
            // 23: expand, 24: rebuild
            let begun = &self.store.summaries[callee].entry;
            let expanded = self.cpa.expand(block, &entry, begun, &exit_state)?;
            let rebuilt = self.cpa.rebuild(block, call, &before, &entry, expanded)?;
            let precision = self.store.summaries[caller].reached.nodes[at].precision.clone();
            let successors = match (rebuilt, call) {
                (None, _) => Vec::new(),
                (Some(state), Some(_)) => self.cpa.transfer(&state, &precision, by)?,
                (Some(state), None) => vec![state],
            };
            for successor in successors {
                let added = self.add(caller, at, by, successor)?;
                let summary = &mut self.store.summaries[caller];
                if let Some(child) = added.node
                    && summary.reached.nodes[child].parents.first() == Some(&(at, by))
                {
                    summary.via.entry(child).or_insert((id, index));
                }
            }
            // Only now, because a stop on the way must not lose the exit.
            self.store.uses[id].seen = index + 1;
            self.queue(caller);
        }
        Ok(())
    }

    /// The move by which a loop was left.
    fn last_move(&self, callee: SummaryId, exit: ArgId) -> Result<Move, Stop> {
        let parents = &self.store.summaries[callee].reached.nodes[exit].parents;
        parents.first().map(|&(_, by)| by).ok_or_else(|| Stop::GaveUp("an exit that is an entry".to_owned()))
    }

    /// Puts the summary on top, to be explored next.
    fn push_work(&mut self, summary: SummaryId) {
        if !std::mem::replace(&mut self.store.summaries[summary].is_queued, true) {
            self.store.summaries[summary].is_complete = false;
            self.work.push(summary);
        }
    }

    /// Puts the summary below the top, if it is not waiting yet: it is explored after the summary that has
    /// news for it.
    fn queue(&mut self, summary: SummaryId) {
        if !std::mem::replace(&mut self.store.summaries[summary].is_queued, true) {
            self.store.summaries[summary].is_complete = false;
            self.work.insert(self.work.len().saturating_sub(1), summary);
        }
    }

    /// The callee of a call, for people.
    pub fn callee_name(&self, call: Move) -> &str {
        match self.cfa.edges[call.step.edge()].op {
            Op::Call { callee, .. } => self.cfa.program.func_name(callee),
            _ => "",
        }
    }
}
