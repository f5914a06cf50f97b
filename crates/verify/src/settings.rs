//! How to verify: with which engine, for how long, with which other inputs.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use summa_base::Budget;
use summa_engines::{Archive, Config};
use summa_proof::SecondSolver;

/// How to verify. The default: the automatic strategy, one engine at a time, until there is an answer.
#[derive(Clone)]
pub struct Settings {
    /// Use this engine alone; otherwise executions, and then the engines that fit the program.
    pub config: Option<Config>,
    /// The engine gets the program with cells instead of arrays, and so can only prove.
    pub on_cells: bool,
    /// The number of engines that may run at once.
    pub jobs: usize,
    /// When the run is over.
    pub budget: Budget,
    /// The budget limits work that is counted, besides time.
    pub limits_work: bool,
    /// Set by a caller that interrupted the budget because memory runs out.
    pub out_of_memory: Arc<AtomicBool>,
    /// A second solver that is asked every question on which a proof rests.
    pub second_solver: Option<SecondSolver>,
    /// The storage for summaries of this and other runs.
    pub archive: Option<Arc<dyn Archive>>,
    /// Operators of domains are counted and timed.
    pub measure: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            config: None,
            on_cells: false,
            jobs: 1,
            budget: Budget::unlimited(),
            limits_work: false,
            out_of_memory: Arc::default(),
            second_solver: None,
            archive: None,
            measure: false,
        }
    }
}

impl Settings {
    /// The run ends after this much work. Work is counted, so the run ends in the same way on every machine;
    /// a unit is about a second on an ordinary one.
    #[must_use]
    pub fn with_work(self, limit: Duration) -> Self {
        Self { budget: self.budget.with_work(limit), limits_work: true, ..self }
    }

    pub(crate) fn is_out_of_memory(&self) -> bool {
        self.out_of_memory.load(Ordering::SeqCst)
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let engine = self.config.as_ref().map_or("automatic", |config| config.name.as_str());
        f.debug_struct("Settings").field("engine", &engine).field("jobs", &self.jobs).finish_non_exhaustive()
    }
}
