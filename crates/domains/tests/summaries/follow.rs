//! Following a run through blocks.

use crate::Law;
use crate::entries::Entries;
use crate::meaning::Concrete;
use summa_bam::{Reducer, Side};
use summa_c::tree::VarId;
use summa_cfa::{Cfa, EdgeId, NodeId};
use summa_cpa::{Arrival, Cpa, Move, Step};
use summa_domains::scalars::{NumberSet, State};
use summa_domains::{AnyPrecision, AnyState, Domain};
use summa_facts::Analyses;
use summa_facts::blocks::{BlockId, BlockKind, Blocks};
use summa_interp::{Observer, View};
use summa_testkit::Random;

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) programs: usize,
    pub(crate) steps: usize,
    /// Blocks that were entered and left.
    pub(crate) functions: usize,
    pub(crate) loops: usize,
    /// Entries that were widened on the way.
    pub(crate) widened: usize,
    /// Comparisons with the state that never saw a block.
    pub(crate) exact: usize,
    /// Relations between keys.
    pub(crate) keys: usize,
    pub(crate) widenings: usize,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.steps += other.steps;
        self.functions += other.functions;
        self.loops += other.loops;
        self.exact += other.exact;
        self.widened += other.widened;
    }
}

/// A block that the run is in.
struct Open {
    block: BlockId,
    call: Option<Move>,
    before: AnyState,
    entry: AnyState,
    /// The reduced entry, perhaps widened.
    begun: AnyState,
    /// Calls on the stack inside.
    depth: usize,
    /// To go on with.
    precision: AnyPrecision,
    base: usize,
}

pub(crate) struct Follower<'a, 'd> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    law: &'d Law,
    blocks: &'d Blocks,
    domain: &'d mut Domain<'a>,
    entries: &'d mut Entries,
    random: Random,
    state: AnyState,
    /// The state of an analysis that goes the same way without blocks.
    plain: AnyState,
    /// That of the innermost block or plain call, those of the calls that wait, and that of the whole
    /// program.
    precision: AnyPrecision,
    waiting: Vec<AnyPrecision>,
    full: AnyPrecision,
    open: Vec<Open>,
    calls: Vec<EdgeId>,
    /// Calls that the state does not know of.
    base: usize,
    /// Are entries widened now and then, as if their block had been entered before?
    widens: bool,
    pub(crate) counts: Counts,
    pub(crate) failure: Option<String>,
}

impl<'a, 'd> Follower<'a, 'd> {
    pub(crate) fn new(
        cfa: &'a Cfa,
        facts: &'a Analyses,
        law: &'d Law,
        blocks: &'d Blocks,
        domain: &'d mut Domain<'a>,
        entries: &'d mut Entries,
        seed: u64,
    ) -> Self {
        let (state, precision) = domain.initial(cfa.entry());
        Self {
            cfa,
            facts,
            law,
            blocks,
            domain,
            entries,
            random: Random::new(seed + 4 * cfa.nodes.len() as u64),
            plain: state.clone(),
            state,
            full: precision.clone(),
            precision,
            waiting: Vec::new(),
            widens: seed >= 2,
            open: Vec::new(),
            calls: Vec::new(),
            base: 0,
            counts: Counts::default(),
            failure: None,
        }
    }

    fn fail(&mut self, what: &str, by: &str) {
        let (shown, plain) = (self.domain.show(&self.state), self.domain.show(&self.plain));
        self.failure = Some(format!("{what} at `{by}`:\n{shown}\nwithout blocks: {plain}"));
    }

    fn successor(&mut self, state: &AnyState, precision: &AnyPrecision, by: Move) -> Option<AnyState> {
        let at = Arrival { node: by.to, by: Some(by), is_target: false };
        let next = self.domain.transfer(state, precision, by).unwrap().pop()?;
        Some(self.domain.prec(next, precision, &at).unwrap()?.0)
    }

    fn step(&mut self, by: Move) {
        let (state, plain) = (self.state.clone(), self.plain.clone());
        let (precision, full) = (self.precision.clone(), self.full.clone());
        match (self.successor(&state, &precision, by), self.successor(&plain, &full, by)) {
            (Some(next), Some(plain)) => (self.state, self.plain) = (next, plain),
            _ => self.fail("no successor", &by.text(self.cfa)),
        }
    }

    /// Reduces, perhaps.
    fn enter(&mut self, id: BlockId, call: Option<Move>, before: AnyState) {
        if self.random.chance(25) {
            // Callees have a precision of their own.
            if call.is_some() {
                self.precision = self.full.clone();
            }
            return;
        }
        let block = &self.blocks.blocks[id];
        let entry = self.state.clone();
        self.state = self.domain.reduce(block, &entry).unwrap();
        let precision = self.domain.reduce_precision(block, &self.full);
        if self.widens
            && self.random.chance(30)
            && let Some(earlier) = self.entries.reduced(id)
            && let Ok(wider) = self.domain.widen(block, earlier, &self.state, Side::Entry)
        {
            self.state = wider;
            self.counts.widened += 1;
        } else {
            self.entries.add(self.domain, id, block, &entry, &self.state, &precision);
        }
        let outer = std::mem::replace(&mut self.precision, precision);
        self.open.push(Open {
            block: id,
            call,
            before,
            entry,
            begun: self.state.clone(),
            depth: self.calls.len(),
            precision: outer,
            base: self.base,
        });
        if !self.law.keeps_stack {
            self.base = self.calls.len();
        }
    }

    /// Expands and rebuilds.
    fn leave(&mut self) {
        let Some(open) = self.open.pop() else { return };
        let block = &self.blocks.blocks[open.block];
        let expanded = self.domain.expand(block, &open.entry, &open.begun, &self.state).unwrap();
        let rebuilt = self.domain.rebuild(block, open.call, &open.before, &open.entry, expanded).unwrap();
        match block.kind {
            BlockKind::Function(_) => self.counts.functions += 1,
            BlockKind::Loop(_) => self.counts.loops += 1,
        }
        (self.precision, self.base) = (open.precision, open.base);
        match rebuilt {
            Some(state) => self.state = state,
            None => self.fail("a run that exists has no rebuilt state", &block.entry.to_string()),
        }
    }

    /// Leaves the loops that end at this location.
    fn leave_loops(&mut self, node: NodeId) {
        while let Some(open) = self.open.last()
            && open.depth == self.calls.len()
            && open.call.is_none()
            && self.blocks.blocks[open.block].exits.contains(&node)
        {
            self.leave();
        }
    }

    fn check(&mut self, edge: EdgeId, node: NodeId, view: &View<'_>) {
        let now = Concrete { cfa: self.cfa, node, calls: &self.calls[self.base..], view };
        let by = || self.cfa.edges[edge].op.text(&self.cfa.program);
        // The last blocks of main need not be left.
        if !(self.law.describes)(self.domain, &self.state, &now) {
            return self.fail("the state does not describe the run", &by());
        }
        if self.law.is_exact && !self.widens && self.open.is_empty() {
            self.counts.exact += 1;
            // For variables of other functions it is unknown here whether they are still needed.
            let function = self.cfa.nodes[node].function;
            let matters = |var: VarId| {
                let frame = self.cfa.program.vars[var].kind.frame();
                frame.is_none_or(|frame| frame == function) && self.facts.live.is_live(node, var)
            };
            if !says_all_of(self.domain, &self.plain, &self.state, &matters) {
                self.fail("something is claimed that is not known without blocks", &by());
            } else if !says_all_of(self.domain, &self.state, &self.plain, &matters) {
                self.fail("something was lost", &by());
            }
        }
    }

    fn function_block(&self, node: NodeId) -> Option<BlockId> {
        let is_entered =
            |kind: BlockKind| matches!(kind, BlockKind::Function(f) if f == self.cfa.nodes[node].function);
        self.blocks.blocks.iter().find(|(_, block)| is_entered(block.kind)).map(|(id, _)| id)
    }
}

/// Does the state say all that the other says, as far as it matters?
fn says_all_of(
    domain: &mut Domain<'_>,
    state: &AnyState,
    other: &AnyState,
    matters: &dyn Fn(VarId) -> bool,
) -> bool {
    fn numbers<V: NumberSet>(state: &State<V>, other: &State<V>, matters: &dyn Fn(VarId) -> bool) -> bool {
        let mut said = other.store.iter().filter(|(at, _)| matters(at.var));
        said.all(|(at, set)| state.store.get(at).is_some_and(|found| found.is_subset(set)))
    }
    match (&*domain, state, other) {
        (_, AnyState::Interval(state), AnyState::Interval(other)) => numbers(state, other, matters),
        (_, AnyState::Sign(state), AnyState::Sign(other)) => numbers(state, other, matters),
        (Domain::Value(domain), AnyState::Value(state), AnyState::Value(other)) => {
            let mut said = other.iter().filter(|&(cell, _)| matters(domain.semantics.cells.get(cell).var));
            said.all(|(cell, value)| state.get(cell) == Some(value))
        }
        _ => state == other,
    }
}

impl Observer for Follower<'_, '_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        self.counts.steps += 1;
        let node = self.cfa.edges[edge].from;
        self.check(edge, node, view);
        if self.facts.loops.is_head(node)
            && let Some(id) = self.blocks.entered_at(node)
            && matches!(self.blocks.blocks[id].kind, BlockKind::Loop(_))
            && !self.open.iter().any(|open| open.block == id && open.depth == self.calls.len())
        {
            self.enter(id, None, self.state.clone());
        }
        let (by, before) = (Move::along(self.cfa, edge), self.state.clone());
        if self.failure.is_none() {
            self.step(by);
        }
        if matches!(by.step, Step::Enter(_)) && self.failure.is_none() {
            self.calls.push(edge);
            self.waiting.push(self.precision.clone());
            if let Some(id) = self.function_block(by.to) {
                self.enter(id, Some(by), before);
            }
        } else {
            self.leave_loops(by.to);
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.failure.is_some() {
            return;
        }
        let to = self.cfa.edges[edge].to;
        if let Some(by) = Move::back(self.cfa, edge) {
            if self.open.last().is_some_and(|open| open.call.is_some() && open.depth == self.calls.len()) {
                self.leave();
            }
            self.calls.pop();
            self.precision = self.waiting.pop().unwrap();
            if self.failure.is_none() {
                self.step(by);
                self.leave_loops(to);
            }
        }
        if self.failure.is_none() {
            self.check(edge, to, view);
        }
    }
}
