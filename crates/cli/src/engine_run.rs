//! Commands that run one engine to show something of it (`summa arg`, `summa summaries`): what they share
//! before the engine starts.

use crate::args::EngineOptions;
use crate::config;
use crate::console::Console;
use crate::front_end::Job;
use crate::process::{Limits, OutputRight, within};
use crate::verdict::Exit;
use std::time::Duration;
use summa_base::Budget;
use summa_engines::Config;
use summa_verify::Automata;

/// The engine ends at the limit; writing down what it found may take a little longer.
const TIME_FOR_WRITING: Duration = Duration::from_secs(5);

/// What such a command is asked to do.
pub(crate) struct Asked<'a> {
    pub(crate) config: &'a str,
    pub(crate) options: &'a EngineOptions,
    /// The output that is missing if the solver does not stop in time.
    pub(crate) wanted: &'static str,
}

/// Everything that the engine needs.
pub(crate) struct EngineRun {
    pub(crate) report: Console,
    pub(crate) config: Config,
    pub(crate) job: Job,
    pub(crate) loaded: Automata,
    pub(crate) budget: Budget,
    pub(crate) word: OutputRight,
}

impl EngineRun {
    /// Reads the configuration and the program, and starts to watch the limits. Errors are reported here.
    /// `accept` checks the configuration before the program is read.
    pub(crate) fn begin(
        asked: &Asked<'_>,
        budget: Budget,
        accept: impl Fn(&Config) -> Result<(), String>,
    ) -> Result<Self, Exit> {
        let report = Console::new(false);
        let wrong = |message: String| {
            report.error(&message);
            Exit::Usage
        };
        let config = config::load(asked.config, asked.options.encoding).map_err(wrong)?;
        accept(&config).map_err(wrong)?;
        let word = OutputRight::default();
        let budget = within(&budget, asked.options.time_limit, asked.options.work_limit);
        let limits = Limits::of(&budget, asked.options.input.memory_limit, TIME_FOR_WRITING);
        let wanted = asked.wanted;
        word.watch(limits, Exit::Unknown, move |limit| {
            report.error(&format!("{}: the solver did not stop in time, and {wanted}", limit.reason()));
        });
        let (job, loaded) =
            Job::read(&asked.options.input, asked.options.property.as_deref()).map_err(|failure| {
                word.take();
                report.failure(&failure);
                failure.exit
            })?;
        report.diagnostics(&loaded.warnings, &loaded.sources);
        let property = &job.specification.property;
        if !property.is_reachability() {
            return Err(wrong(format!("no engine decides {}", property.name())));
        }
        Ok(Self { report, config, job, loaded, budget, word })
    }
}
