//! `summa verify`: read the program, say what is asked, look for a violation, give the verdict.

use crate::archive::Folder;
use crate::args::Verify;
use crate::bug_finder::{Search, Violation, policy_for, search};
use crate::config;
use crate::diagnostics::place;
use crate::front_end::{Job, Loaded};
use crate::known::Known;
use crate::process::{LastWord, Limit, Limits, time_limit};
use crate::property::Property;
use crate::report::{Report, count, grouped};
use crate::symbolic::{self, Answer, Ran};
use crate::trace::History;
use crate::verdict::{Exit, Verdict};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use summa_base::Budget;
use summa_cfa::analysis::Analyses;
use summa_cfa::{EdgeId, Op};
use summa_engines::config::explain;
use summa_engines::stats::Stats;
use summa_engines::strategy;
use summa_engines::{Archive, Config, Task};
use summa_interp::Program;

/// What the search for concrete bugs may take at most; its rounds usually end earlier.
const SEARCH_TIME: Duration = Duration::from_millis(2000);

/// Longer executions are reported without their path: to watch every step takes many times longer than to run it.
const EXPLAINED_STEPS: u64 = 10_000_000;

pub(crate) fn verify(options: &Verify, budget: Budget) -> Exit {
    let report = Report::new(options.quiet);
    let config = match options.config.as_deref().map(|name| config::load(name, options.encoding)).transpose()
    {
        Ok(config) => config,
        Err(message) => {
            report.error(&message);
            return Exit::Usage;
        }
    };
    if let Some(config) = config.as_ref().filter(|_| options.explain_config) {
        report.raw(explain::explain(config).as_bytes());
        return Exit::Holds;
    }
    let archive = match archive_of(options, config.as_ref()) {
        Ok(archive) => archive,
        Err(message) => {
            report.error(&message);
            return Exit::Usage;
        }
    };
    let started = Instant::now();
    let (word, known) = (LastWord::default(), Arc::new(OnceLock::<Known>::new()));
    watch(options, &report, &word, &known, &budget);
    let budget = time_limit(options.time_limit).map_or(budget.clone(), |limit| budget.at_most(limit));
    let (job, loaded) = match Job::read(&options.input, options.property.as_deref()) {
        Ok(read) => read,
        Err(failure) => {
            word.take();
            report.failure(&failure);
            if failure.exit != Exit::Usage {
                report.verdict(&Verdict::Unknown(failure.reason));
            }
            return failure.exit;
        }
    };
    let front_end = started.elapsed();
    report.diagnostics(&loaded.warnings, &loaded.sources);
    report.job(&job, &loaded);
    report.assumptions(&loaded.cfa.assumptions, &loaded.sources, options.stats);

    let property = &job.specification.property;
    if matches!(property, Property::Unreachable { .. }) && !has_errors(&loaded) {
        report.line(
            "Note:        no error function is called and nothing is asserted: there is nothing to reach",
        );
    }
    let run = Run {
        report: &report,
        job: &job,
        loaded: &loaded,
        budget: &budget,
        word: &word,
        known: &known,
        options,
        archive: archive.as_ref(),
    };
    let (verdict, searched, engine) = match (property, &config) {
        (Property::Unsupported(name), _) => {
            (Verdict::Unknown(format!("unsupported property: {name}")), Search::default(), Stats::default())
        }
        (_, Some(config)) => {
            report.line("");
            let (verdict, stats) = run.engine(Some(config));
            (verdict, Search::default(), stats)
        }
        (_, None) => {
            let search_time =
                budget.remaining().map_or(SEARCH_TIME, |left| SEARCH_TIME.min(left.mul_f64(0.2)));
            let searched = search(&loaded.cfa, property, &budget.at_most(search_time));
            let (verdict, stats) = run.judge(&searched);
            (verdict, searched, stats)
        }
    };
    word.take();
    if options.stats {
        statistics(&report, &loaded, &searched, &engine, front_end, started.elapsed());
    }
    report.verdict(&verdict);
    Exit::from(&verdict)
}

/// Where summaries are stored and loaded, if the user wants that.
fn archive_of(options: &Verify, config: Option<&Config>) -> Result<Option<Folder>, String> {
    if options.save_summaries.is_none() && options.load_summaries.is_none() {
        return Ok(None);
    }
    if let Some(config) = config.filter(|config| config.bam.is_none()) {
        return Err(format!(
            "`{}` summarises nothing: use a configuration with a section [bam]",
            config.name
        ));
    }
    Folder::new(options.load_summaries.clone(), options.save_summaries.clone()).map(Some)
}

/// Limits and signals get the last word if the run does not listen.
fn watch(options: &Verify, report: &Report, word: &LastWord, known: &Arc<OnceLock<Known>>, budget: &Budget) {
    let limits = Limits {
        time: time_limit(options.time_limit),
        memory: options.input.memory_limit,
        interrupt: budget.interrupt(),
    };
    let (report, known) = (*report, known.clone());
    word.watch(limits, Exit::Unknown.code(), move |limit| {
        if let Some(known) = known.get() {
            known.tell(&report);
        }
        report.verdict(&Verdict::Unknown(limit.reason().to_owned()));
    });
}

/// Is there anything to reach? An answer about nothing should not pass unnoticed.
fn has_errors(loaded: &Loaded) -> bool {
    loaded.cfa.edges.values().any(|edge| matches!(edge.op, Op::Error { .. }))
}

/// What everything that follows the front end needs.
struct Run<'r> {
    report: &'r Report,
    job: &'r Job,
    loaded: &'r Loaded,
    budget: &'r Budget,
    word: &'r LastWord,
    known: &'r OnceLock<Known>,
    options: &'r Verify,
    archive: Option<&'r Folder>,
}

impl Run<'_> {
    /// Explains what the search for concrete bugs found and gives the verdict; an engine goes on if it found nothing.
    fn judge(&self, searched: &Search) -> (Verdict, Stats) {
        let Self { report, loaded, .. } = self;
        if searched.violation.is_some() || searched.doubtful.is_some() || searched.unsupported.is_some() {
            self.word.take();
        }
        report.line("");
        if let Some(violation) = &searched.violation {
            self.explain(violation);
            return (Verdict::False(violation.property.clone()), Stats::default());
        }
        let runs =
            format!("{} ({} steps)", count(searched.runs as usize, "execution"), grouped(searched.steps));
        if let Some((violation, why)) = &searched.doubtful {
            let what = format!("{} (perhaps)", violation.what);
            let span = loaded.cfa.edge(violation.edge).span;
            report.snippet(&loaded.sources, span, &what, "here, in one execution");
            report.line(format_args!("This is no verdict, because {why}."));
            report.line(format_args!("Tried: {runs} with zero, small and random inputs."));
            return (Verdict::Unknown(format!("possible violation, but {why}")), Stats::default());
        }
        if searched.is_exhaustive {
            report.line("The program takes no inputs, and its execution violates nothing.");
        } else {
            report.line(format_args!("No violation in {runs} with zero, small and random inputs."));
        }
        // The end of the search's own time is not the end of the user's.
        if let Err(why) = self.budget.check_now() {
            return (self.stopped(why.to_string()), Stats::default());
        }
        if let Some((what, edge)) = &searched.unsupported {
            let span = loaded.cfa.edge(*edge).span;
            report.snippet(
                &loaded.sources,
                span,
                &format!("not supported: {what}"),
                "an execution gets here",
            );
            let at = place(&loaded.sources, span);
            return (Verdict::Unknown(format!("unsupported: {what} at {at}")), Stats::default());
        }
        self.engine(None)
    }

    /// The engine of this configuration, or the default one.
    fn engine(&self, config: Option<&Config>) -> (Verdict, Stats) {
        let Self { report, loaded, .. } = self;
        let property = &self.job.specification.property;
        if !matches!(property, Property::Unreachable { .. }) {
            report.line("Proofs of this property are not possible yet: engines for them are being built.");
            return (Verdict::Unknown("no engine yet".to_owned()), Stats::default());
        }
        let facts = Analyses::new(&loaded.cfa);
        let is_error = |edge: EdgeId| symbolic::counts(&loaded.cfa, property, edge);
        let task = Task::new(&loaded.cfa, &facts, self.budget.clone(), &is_error);
        let archive = self.archive.map(|folder| folder as &dyn Archive);
        let task = Task { measure: self.options.stats, archive, ..task };
        let known = self.known.get_or_init(|| Known::new(task.board.clone(), loaded, &facts.loops));
        let ran = match config {
            Some(config) => symbolic::run(&task, config, property),
            None => match strategy::plan(&loaded.cfa, &facts) {
                Ok(stages) => match symbolic::by_default(&task, &stages, property) {
                    Some(ran) => ran,
                    None => return (Verdict::Unknown("no engine".to_owned()), Stats::default()),
                },
                Err(error) => return (Verdict::Unknown(error.to_string()), Stats::default()),
            },
        };
        self.word.take();
        for note in self.archive.iter().flat_map(|folder| folder.notes()) {
            report.line(format_args!("Note:        {note}"));
        }
        let verdict = match &ran.answer {
            Answer::Safe => {
                self.proved(config, &ran);
                Verdict::True
            }
            Answer::Violation(violation) => {
                self.explain(violation);
                Verdict::False(violation.property.clone())
            }
            Answer::Doubtful(doubtful) => {
                let why = &doubtful.1;
                report.line(format_args!("A violation was found, but this is no verdict, because {why}."));
                Verdict::Unknown(format!("possible violation, but {why}"))
            }
            Answer::Unknown(reason) => {
                known.tell(report);
                let at = reason.edge().map(|edge| place(&loaded.sources, loaded.cfa.edge(edge).span));
                let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
                self.stopped(format!("{reason}{at}"))
            }
        };
        (verdict, ran.report.stats)
    }

    /// UNKNOWN for this reason, unless it is that memory ran out.
    fn stopped(&self, reason: String) -> Verdict {
        let reason = if self.word.is_out_of_memory() { Limit::Memory.reason().to_owned() } else { reason };
        Verdict::Unknown(reason)
    }

    fn proved(&self, config: Option<&Config>, ran: &Ran<'_>) {
        let progress = &ran.report.progress;
        let encoding =
            ran.encoding.map(|encoding| format!(", {} encoding", encoding.name())).unwrap_or_default();
        match (config, progress.depth, progress.bound) {
            (None, None, Some(bound)) if ran.engine == "k-induction" => {
                self.report.line(format_args!(
                    "Proved:      no error is reachable; no execution takes more than {bound} rounds of a loop or nested calls"
                ));
                self.report.line(format_args!("             (bounded model checking{encoding})"));
            }
            _ => {
                let name = &ran.engine;
                let mut work = Vec::new();
                if progress.reached > 0 {
                    work.push(count(progress.reached as usize, "abstract state"));
                    work.push(count(progress.refinements as usize, "refinement"));
                }
                work.extend(progress.bound.map(|bound| format!("bound {bound}")));
                work.extend(
                    progress.depth.map(|depth| format!("induction over {}", count(depth as usize, "round"))),
                );
                let work = if work.is_empty() { String::new() } else { format!(": {}", work.join(", ")) };
                self.report.line("Proved:      no error is reachable");
                self.report.line(format_args!("             (configuration {name}{encoding}{work})"));
            }
        }
    }

    /// The counterexample: where, with which inputs, along which calls and last steps.
    fn explain(&self, violation: &Violation) {
        let Self { report, loaded, .. } = self;
        let span = loaded.cfa.edge(violation.edge).span;
        report.snippet(&loaded.sources, span, &violation.what, "");
        if violation.outcome.steps <= EXPLAINED_STEPS {
            let program = Program::new(&loaded.cfa);
            let policy = policy_for(&self.job.specification.property);
            let history = History::of(&program, &policy, &violation.outcome);
            for line in history.describe(&loaded.sources, &violation.outcome.inputs) {
                report.line(line);
            }
        }
        report
            .line(format_args!("Replayed:    {} steps, with the same end", grouped(violation.outcome.steps)));
        report.line("");
    }
}

/// `Name: value` lines, which benchmark tools turn into columns.
fn statistics(
    report: &Report,
    loaded: &Loaded,
    searched: &Search,
    engine: &Stats,
    front_end: Duration,
    total: Duration,
) {
    let cfa = &loaded.cfa;
    report.line("");
    report.line(format_args!("Functions: {}", cfa.defined().count()));
    report.line(format_args!("Nodes: {}", cfa.nodes.len()));
    report.line(format_args!("Edges: {}", cfa.edges.len()));
    report.line(format_args!("Variables: {}", cfa.program.vars.len()));
    report.line(format_args!("Front end time: {:.3} ms", milliseconds(front_end)));
    report.line(format_args!("Executions: {}", searched.runs));
    report.line(format_args!("Steps executed: {}", searched.steps));
    for (name, value) in engine.lines() {
        report.line(format_args!("{name}: {value}"));
    }
    report.line(format_args!("Execution time: {:.3} ms", milliseconds(total.saturating_sub(front_end))));
    report.line(format_args!("Total time: {:.3} ms", milliseconds(total)));
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
