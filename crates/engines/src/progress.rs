//! What is known before there is an answer: how far an engine got, and where it spends its time.
//!
//! Engines write to a [`Board`] without locks while they work, and any thread can read it. So a run that is
//! stopped while the solver does not react can still report what it knows.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use summa_base::Id;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, NodeId};
use summa_facts::loops::Loops;

/// Written by an engine, and read by other threads.
#[derive(Debug)]
pub struct Board {
    /// By node: how often it was reached.
    visits: Vec<AtomicU32>,
    /// Loop heads, and the function of each node.
    heads: Vec<NodeId>,
    functions: Vec<FuncId>,
    /// Its nodes do not count: the user did not write them.
    start: FuncId,
    moves: AtomicU64,
    refinements: AtomicU64,
    /// The bound that was explored completely, plus one; 0 is none.
    bound: AtomicU32,
    /// The bound of a k-inductive proof attempt, likewise.
    depth: AtomicU32,
    /// The same for the current engine alone.
    own_bound: AtomicU32,
    own_depth: AtomicU32,
    refinements_of_others: AtomicU64,
    reached: AtomicU64,
    waiting: AtomicU64,
    covered: AtomicU64,
    invariants: AtomicU64,
    /// The current activity and the engine.
    phase: Mutex<String>,
    engine: Mutex<String>,
}

/// A look at the board.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The current activity.
    pub phase: String,
    /// The engine at work, if several take turns.
    pub engine: String,
    /// There is no error within this many rounds of each loop and nested calls.
    pub bound: Option<u32>,
    /// Induction was tried up to this many rounds.
    pub depth: Option<u32>,
    pub refinements: u64,
    /// The same of the engine at work alone.
    pub own_bound: Option<u32>,
    pub own_depth: Option<u32>,
    pub own_refinements: u64,
    /// States of the abstract reachability graph: in the reached set, of these still to be expanded, and
    /// covered.
    pub reached: u64,
    pub waiting: u64,
    pub covered: u64,
    /// Locations for which the analysis excludes some values.
    pub invariants: u64,
    pub moves: u64,
    /// The loop head that was reached most often, and how often.
    pub busiest_loop: Option<(NodeId, u32)>,
    /// The function in which most moves ended.
    pub busiest_function: Option<FuncId>,
}

impl Board {
    pub fn new(cfa: &Cfa, loops: &Loops) -> Self {
        Self {
            heads: cfa.nodes.ids().filter(|&node| loops.is_head(node)).collect(),
            functions: cfa.nodes.values().map(|node| node.function).collect(),
            start: cfa.start,
            visits: cfa.nodes.ids().map(|_| AtomicU32::new(0)).collect(),
            moves: AtomicU64::new(0),
            refinements: AtomicU64::new(0),
            bound: AtomicU32::new(0),
            depth: AtomicU32::new(0),
            own_bound: AtomicU32::new(0),
            own_depth: AtomicU32::new(0),
            refinements_of_others: AtomicU64::new(0),
            reached: AtomicU64::new(0),
            waiting: AtomicU64::new(0),
            covered: AtomicU64::new(0),
            invariants: AtomicU64::new(0),
            phase: Mutex::default(),
            engine: Mutex::default(),
        }
    }

    // ---- for engines ----

    /// Control was followed to this location.
    pub fn visit(&self, node: NodeId) {
        self.moves.fetch_add(1, Relaxed);
        if let Some(count) = self.visits.get(node.index()) {
            count.fetch_add(1, Relaxed);
        }
    }

    /// There is no error up to this bound. A larger bound of another engine stays true.
    pub fn set_bound(&self, bound: u32) {
        self.bound.fetch_max(bound.saturating_add(1), Relaxed);
        self.own_bound.fetch_max(bound.saturating_add(1), Relaxed);
    }

    pub fn set_depth(&self, depth: u32) {
        self.depth.fetch_max(depth.saturating_add(1), Relaxed);
        self.own_depth.fetch_max(depth.saturating_add(1), Relaxed);
    }

    pub fn refined(&self) {
        self.refinements.fetch_add(1, Relaxed);
    }

    /// The sizes of the reached set, of the waitlist, and of the set of covered states.
    pub fn set_states(&self, reached: usize, waiting: usize, covered: usize) {
        self.reached.store(reached as u64, Relaxed);
        self.waiting.store(waiting as u64, Relaxed);
        self.covered.store(covered as u64, Relaxed);
    }

    pub fn set_invariants(&self, locations: usize) {
        self.invariants.store(locations as u64, Relaxed);
    }

    pub fn set_phase(&self, phase: impl Into<String>) {
        if let Ok(mut now) = self.phase.lock() {
            *now = phase.into();
        }
    }

    /// Sets the engine that writes from now on, if several do so in turn.
    pub fn set_engine(&self, name: String) {
        self.own_bound.store(0, Relaxed);
        self.own_depth.store(0, Relaxed);
        self.refinements_of_others.store(self.refinements.load(Relaxed), Relaxed);
        if let Ok(mut now) = self.engine.lock() {
            *now = name;
        }
    }

    // ---- for readers ----

    pub fn progress(&self) -> Progress {
        let optional = |value: &AtomicU32| value.load(Relaxed).checked_sub(1);
        Progress {
            // Without waiting: the thread that holds the lock may be the one that hangs.
            phase: self.phase.try_lock().map(|phase| phase.clone()).unwrap_or_default(),
            engine: self.engine.try_lock().map(|engine| engine.clone()).unwrap_or_default(),
            bound: optional(&self.bound),
            own_bound: optional(&self.own_bound),
            own_depth: optional(&self.own_depth),
            own_refinements: {
                let others = self.refinements_of_others.load(Relaxed);
                self.refinements.load(Relaxed).saturating_sub(others)
            },
            depth: optional(&self.depth),
            refinements: self.refinements.load(Relaxed),
            reached: self.reached.load(Relaxed),
            waiting: self.waiting.load(Relaxed),
            covered: self.covered.load(Relaxed),
            invariants: self.invariants.load(Relaxed),
            moves: self.moves.load(Relaxed),
            busiest_loop: self.busiest_loop(),
            busiest_function: self.busiest_function(),
        }
    }

    /// The first of several equal ones.
    fn busiest_loop(&self) -> Option<(NodeId, u32)> {
        let count = |node: NodeId| self.visits.get(node.index()).map_or(0, |count| count.load(Relaxed));
        let counts = self.heads.iter().map(|&node| (count(node), node)).filter(|&(count, _)| count > 0);
        counts.min_by_key(|&(count, node)| (Reverse(count), node)).map(|(count, node)| (node, count))
    }

    fn busiest_function(&self) -> Option<FuncId> {
        let mut totals: BTreeMap<FuncId, u64> = BTreeMap::new();
        for (count, &function) in self.visits.iter().zip(&self.functions) {
            let count = u64::from(count.load(Relaxed));
            if count > 0 && function != self.start {
                *totals.entry(function).or_default() += count;
            }
        }
        totals
            .into_iter()
            .min_by_key(|&(function, total)| (Reverse(total), function))
            .map(|(function, _)| function)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_c::types::DataModel;
    use summa_cfa::BuildOptions;

    #[test]
    fn the_busiest_places_are_found() {
        let source = "int f(int n) { while (n > 0) n--; return n; }\nint main(void) { for (int i = 0; i < 3; \
            i++) f(i); }";
        let loaded =
            summa_c::load_text("test.c", source, DataModel::Lp64).unwrap_or_else(|_| panic!("not C"));
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        let loops = Loops::new(&cfa);
        let board = Board::new(&cfa, &loops);
        assert_eq!(board.progress(), Progress::default());
        let heads: Vec<NodeId> = cfa.nodes.ids().filter(|&node| loops.is_head(node)).collect();
        for (visits, &head) in [5, 2].iter().zip(&heads) {
            (0..*visits).for_each(|_| board.visit(head));
        }
        board.set_bound(7);
        let progress = board.progress();
        assert_eq!(progress.busiest_loop, Some((heads[0], 5)));
        assert_eq!(progress.busiest_function, Some(cfa.nodes[heads[0]].function));
        assert_eq!((progress.bound, progress.moves, progress.depth), (Some(7), 7, None));
    }
}
