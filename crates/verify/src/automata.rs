//! The automata of a program, built for one property, with facts about them. Each fact is computed when it is
//! first asked for, and once.

use std::sync::{Arc, OnceLock};
use summa_c::Diagnostic;
use summa_c::SourceMap;
use summa_cfa::Cfa;
use summa_facts::Analyses;

/// The frozen automata of a program with its sources.
#[derive(Debug)]
pub struct Automata {
    pub cfa: Cfa,
    pub sources: Arc<SourceMap>,
    /// Warnings about the source.
    pub warnings: Arc<[Diagnostic]>,
    /// Signed overflow is defined (`-fwrapv`).
    pub wraps: bool,
    facts: OnceLock<Analyses>,
}

impl Automata {
    pub(crate) fn new(cfa: Cfa, sources: Arc<SourceMap>, warnings: Arc<[Diagnostic]>, wraps: bool) -> Self {
        Self { cfa, sources, warnings, wraps, facts: OnceLock::new() }
    }

    /// Loops, calls, pointers, effects: what can be known before an engine runs.
    pub fn facts(&self) -> &Analyses {
        self.facts.get_or_init(|| Analyses::new(&self.cfa))
    }
}
