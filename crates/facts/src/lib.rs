//! Facts about frozen automata, computed before any engine runs: beside the automata, never inside.
//!
//! **What it is.** Each module is an analysis: a function from a [`Cfa`] to a table indexed by its ids.
//! [`Analyses`] computes all of them once. Engines, domains, formulas and the checker read the same tables.
//!
//! **What it must not know.** How automata are built; formulas, solvers, abstract states.
//!
//! **Where to start reading.** [`effects`] says what each edge reads and writes; all others build on it.
//! Then, from simple to composed:
//! * control: [`loops`], [`call_graph`], [`wto`], [`reach`], [`once`];
//! * memory: [`points_to`], [`mod_ref`], [`layout`], [`variables`];
//! * data flow: [`live`], [`relevance`], [`idle`];
//! * blocks for summaries: [`blocks`], and [`fingerprint`], which identifies a function's code for later
//!   runs.

pub mod blocks;
pub mod call_graph;
pub mod effects;
pub mod fingerprint;
pub mod idle;
mod inlined;
pub mod layout;
pub mod live;
pub mod loops;
pub mod mod_ref;
pub mod once;
pub mod points_to;
pub mod reach;
pub mod relevance;
pub mod variables;
pub mod wto;

use blocks::{Blocks, Partition};
use call_graph::CallGraph;
use effects::Effects;
use layout::Layouts;
use live::Live;
use loops::Loops;
use mod_ref::ModRefs;
use once::Once;
use points_to::PointsTo;
use reach::Reach;
use relevance::Relevance;
use summa_cfa::Cfa;
use variables::Variables;

/// All facts about one program. [`Analyses::blocks`] cuts it into blocks.
#[derive(Debug)]
pub struct Analyses {
    pub effects: Effects,
    pub calls: CallGraph,
    pub loops: Loops,
    pub once: Once,
    pub layouts: Layouts,
    pub points_to: PointsTo,
    pub mod_refs: ModRefs,
    pub variables: Variables,
    pub live: Live,
    /// Targets are errors, and edges that Summa does not understand.
    pub reach: Reach,
    /// For the same targets.
    pub relevance: Relevance,
}

impl Analyses {
    pub fn new(cfa: &Cfa) -> Self {
        let effects = Effects::new(cfa);
        let calls = CallGraph::new(cfa);
        let loops = Loops::new(cfa);
        let once = Once::new(cfa, &calls, &loops);
        let layouts = Layouts::new(&cfa.program.types);
        let points_to = PointsTo::new(cfa, &layouts);
        let mod_refs = ModRefs::new(cfa, &effects, &calls, &points_to);
        let variables = Variables::new(cfa, &effects, &calls, &mod_refs, &loops);
        let live = Live::new(&live::Given {
            cfa,
            effects: &effects,
            calls: &calls,
            mod_refs: &mod_refs,
            address_taken: &variables.address_taken,
        });
        let reach = Reach::new(cfa, &calls, reach::is_error_or_unsupported);
        let relevance = Relevance::new(cfa, &effects, &points_to, &reach);
        Self { effects, calls, loops, once, layouts, points_to, mod_refs, variables, live, reach, relevance }
    }

    /// Every function is a block.
    pub fn blocks(&self, cfa: &Cfa, partition: Partition) -> Blocks {
        Blocks::new(cfa, self, partition, 0)
    }
}
