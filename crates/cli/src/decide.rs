//! One property of one program: a search for concrete bugs, then engines, then the words for what came out.
//!
//! The order is that of trust and cost. An execution that violates the property is the best answer; if the program has only one
//! execution and it violates nothing, that is a proof. Everything else is for the engines: the one that the user names, or those of
//! the automatic strategy.

mod contradiction;
mod words;

use crate::archive::Folder;
use crate::args::Verify;
use crate::bug_finder::{Effort, Hunt, Search, Violation, confirm, shrink};
use crate::cells::Cells;
use crate::diagnostics::place;
use crate::front_end::{Job, Loaded};
use crate::known::Known;
use crate::process::{LastWord, Limit};
use crate::property::{Property, Specification};
use crate::report::Report;
use crate::symbolic::{self, Answer, Tried};
use crate::verdict::Verdict;
use std::sync::OnceLock;
use std::time::Duration;
use summa_base::{Budget, Exhausted};
use summa_cfa::EdgeId;
use summa_engines::features::Features;
use summa_engines::portfolio::{DEFAULT_TIME, carry_out};
use summa_engines::stats::Stats;
use summa_engines::strategy::{EXECUTION, Stage, Work, first_look, plan};
use summa_engines::{Archive, Config, Reason, Task};
use summa_facts::Analyses;
use summa_proof::{Audience, Certificate, InC};
use summa_verdict::finding::{Explanation, Remark};
use words::runs;
pub(crate) use words::seconded;

/// What the search for concrete bugs may take at most; its rounds usually end earlier.
const SEARCH_TIME: Duration = Duration::from_millis(2000);
/// The part of the time of the whole run that it may take, if that is less.
const SEARCH_SHARE: f64 = 0.2;
/// What engines may take at first sight, if they find a proof and check it; what they may take to find one is said by the plan.
const FIRST_LOOK_TIME: Duration = Duration::from_secs(3);
/// An execution that supports no verdict makes a proof impossible: so long a better execution is looked for.
const DOUBT_TIME: Duration = Duration::from_secs(10);

/// A program, a property, and everything around the question.
pub(crate) struct Case<'c> {
    pub(crate) report: &'c Report,
    pub(crate) job: &'c Job,
    pub(crate) loaded: &'c Loaded,
    pub(crate) budget: &'c Budget,
    pub(crate) word: &'c LastWord,
    pub(crate) known: &'c OnceLock<Known>,
    pub(crate) options: &'c Verify,
    pub(crate) archive: Option<&'c Folder>,
    pub(crate) turn: Turn,
}

/// What is tried on the way to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// Everything, and then the reason why there is no verdict.
    Only,
    /// What decides most programs; other turns follow.
    Glance,
    /// Everything; another turn follows.
    Attempt,
    /// Engines alone: executions were searched before.
    Last,
}

impl Turn {
    /// Nothing is said if there is no verdict.
    fn is_silent(self) -> bool {
        matches!(self, Self::Glance | Self::Attempt)
    }
}

/// The answer, with what others make of it: statistics, witnesses, reports.
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    /// The execution behind FALSE, and why it ends as it does.
    pub(crate) violation: Option<Violation>,
    pub(crate) explanation: Option<Explanation>,
    /// What is behind TRUE: the proof as data, what it says in C if a witness is wanted, and as remarks.
    pub(crate) proof_data: Option<Certificate>,
    pub(crate) proof_in_c: InC,
    pub(crate) proof: Vec<Remark>,
    /// Who found the answer.
    pub(crate) engine: Option<String>,
    pub(crate) searched: Search,
    pub(crate) stats: Stats,
}

/// What engines were tried, in words, and what those without an answer did.
#[derive(Default)]
struct Attempts {
    words: Vec<String>,
    /// Bugs of Summa's that it noticed itself.
    bugs: Vec<String>,
    stats: Stats,
}

impl Decision {
    pub(crate) fn unknown(reason: impl Into<String>) -> Self {
        let verdict = Verdict::Unknown(reason.into());
        Self {
            verdict,
            violation: None,
            explanation: None,
            proof_data: None,
            proof_in_c: InC::default(),
            proof: Vec::new(),
            engine: None,
            searched: Search::default(),
            stats: Stats::default(),
        }
    }
}

impl Case<'_> {
    /// By this configuration alone, or by all that Summa can do.
    pub(crate) fn decide(&self, config: Option<&Config>) -> Decision {
        if let Some(config) = config {
            self.report.line("");
            return self.with_task(self.budget, |task| self.engine(task, config));
        }
        if self.turn == Turn::Last {
            return self.with_task(self.budget, |task| self.strategy(task, Attempts::default()));
        }
        let property = &self.job.specification.property;
        let mut hunt = Hunt::new(&self.loaded.cfa, property, self.budget);
        if !hunt.is_open_at_first_sight() || !symbolic::is_for_engines(property) {
            return self.judge(hunt, |budget| {
                self.with_task(budget, |task| self.strategy(task, Attempts::default()))
            });
        }
        self.with_task(self.budget, |task| {
            let mut attempts = Attempts::default();
            match self.first_look(task, &mut attempts) {
                Some(tried) => {
                    let mut searched = hunt.until_one_is_not_excluded(self.search_effort());
                    if let Some(violation) = searched.violation.take() {
                        let found = match tried.answer {
                            Answer::Safe => self.contradicted(&tried, &violation),
                            _ => self.violated(violation, EXECUTION.to_owned()),
                        };
                        return Decision { searched, ..found };
                    }
                    self.report.line("");
                    self.searched(&searched);
                    Decision { searched, ..self.conclude(tried, &attempts, task) }
                }
                None if self.turn == Turn::Glance => Decision::unknown("nothing was found at first sight"),
                None => self.judge(hunt, |budget| {
                    let task = Task { budget: budget.clone(), whole: budget.clone(), ..task.clone() };
                    self.strategy(&task, attempts)
                }),
            }
        })
    }

    /// An answer only if the property is violated: by an execution with simple inputs, or with those of a model.
    pub(crate) fn look_for_violation(&self) -> Option<Decision> {
        let property = &self.job.specification.property;
        let hunt = Hunt::new(&self.loaded.cfa, property, self.budget);
        let searched = hunt.until_the_end(self.search_effort());
        if let Some(violation) = searched.violation {
            return Some(self.violated(violation, EXECUTION.to_owned()));
        }
        let facts = Analyses::new(&self.loaded.cfa);
        let is_error = |edge: EdgeId| symbolic::counts(&self.loaded.cfa, property, edge);
        let budget = self.budget.at_most(DOUBT_TIME);
        let task = Task::new(&self.loaded.cfa, &facts, budget, &is_error);
        let tried = symbolic::run(&task, &Config::preset("bmc").ok()?, property).into_tried();
        match tried.answer {
            Answer::Violation(violation) => Some(self.violated(*violation, tried.engine)),
            _ => None,
        }
    }

    /// FALSE for undefined behaviour that an execution ran into, where nothing was asked. The job is then about what it violated.
    pub(crate) fn undefined(&self, decision: &Decision) -> Option<(Job, Decision)> {
        let specification = &self.job.specification;
        if !specification.is_open || matches!(decision.verdict, Verdict::False(_)) {
            return None;
        }
        let defined = |property: &Property| self.loaded.wraps && *property == Property::NoOverflow;
        let found = decision.searched.undefined().filter(|(property, _)| !defined(property));
        found.into_iter().find_map(|(property, mut inputs)| {
            let budget = Budget::unlimited();
            let again = confirm(&self.loaded.cfa, &property, &mut inputs, &budget, &budget);
            let violation = again.violation?;
            let specification = Specification { property, ..specification.clone() };
            let job = Job { specification, ..self.job.clone() };
            let decision = Case { job: &job, ..*self }.violated(violation, EXECUTION.to_owned());
            Some((job, decision))
        })
    }

    /// In steps, and so by the time that the run was given, not by what is left of it.
    fn search_effort(&self) -> Effort {
        let given = self.budget.given();
        Effort::of(given.map_or(SEARCH_TIME, |given| SEARCH_TIME.min(given.mul_f64(SEARCH_SHARE))))
    }

    /// Goes on with executions, then explains what they found and gives the verdict; engines go on if they found nothing.
    fn judge(&self, hunt: Hunt<'_>, engines: impl FnOnce(&Budget) -> Decision) -> Decision {
        let mut searched = hunt.until_the_end(self.search_effort());
        let decision = self.judged(&mut searched, engines);
        Decision { searched, ..decision }
    }

    fn judged(&self, searched: &mut Search, engines: impl FnOnce(&Budget) -> Decision) -> Decision {
        let Self { report, loaded, .. } = self;
        let violation = searched.violation.take();
        if let Some(decision) = self.executed(searched, violation) {
            return decision;
        }
        if let Some((what, edge)) = searched.unsupported.as_ref().filter(|_| self.turn.is_silent())
            && loaded.cfa.leaves_member(*edge)
        {
            return Decision::unknown(what);
        }
        // What an execution ran into cannot be proved away, but a better execution may be found.
        let mut better = None;
        if let Some((violation, why)) = &searched.doubtful {
            let what = format!("{} (perhaps)", violation.what);
            let span = loaded.cfa.edge(violation.edge).span;
            report.snippet(&loaded.sources, span, &what, "here, in one execution");
            report.line(format_args!("This is no verdict, because {why}."));
            report.line(format_args!("Tried: {} with zero, small and random inputs.", runs(searched)));
            better = Some(format!("possible violation, but {why}"));
        } else if searched.is_exhaustive {
            report.line("The program takes no inputs, and its execution violates nothing.");
        } else {
            self.searched(searched);
        }
        // The end of the search's own time is not the end of the user's.
        if let Err(why) = self.budget.check_now() {
            return Decision { verdict: self.stopped(why.to_string()), ..Decision::unknown("") };
        }
        if let Some((what, edge)) = searched.unsupported.as_ref().filter(|_| better.is_none()) {
            let span = loaded.cfa.edge(*edge).span;
            let title = format!("not supported: {what}");
            report.snippet(&loaded.sources, span, &title, "an execution gets here");
            better = Some(format!("unsupported: {what} at {}", place(&loaded.sources, span)));
        }
        if self.turn == Turn::Glance {
            return Decision::unknown("nothing was found at first sight");
        }
        let Some(reason) = better else { return engines(self.budget) };
        let decision = engines(&self.budget.at_most(DOUBT_TIME));
        match decision.verdict {
            Verdict::False(_) | Verdict::Internal(_) => decision,
            Verdict::True | Verdict::Unknown(_) => {
                Decision { verdict: self.stopped(reason), engine: None, ..decision }
            }
        }
    }

    /// What executions alone decide: a violation, or that the only one has none.
    fn executed(&self, searched: &Search, violation: Option<Violation>) -> Option<Decision> {
        let Self { report, loaded, .. } = self;
        let engine = EXECUTION.to_owned();
        if let Some(violation) = violation {
            self.word.take();
            report.line("");
            return Some(self.violated(violation, engine));
        }
        report.line("");
        let property = &self.job.specification.property;
        if !searched.is_repeated_proof(&loaded.cfa, property, self.budget) {
            return None;
        }
        self.word.take();
        self.executed_to_its_end(searched.last_steps);
        Some(Decision { verdict: Verdict::True, engine: Some(engine), ..Decision::unknown("") })
    }

    /// What engines need.
    fn with_task(&self, budget: &Budget, decide: impl FnOnce(&Task<'_>) -> Decision) -> Decision {
        let Self { loaded, .. } = self;
        let property = &self.job.specification.property;
        if !symbolic::is_for_engines(property) {
            let name = property.name();
            self.report.line(format_args!("No engine decides {name} yet: it is only tested by executions."));
            return Decision::unknown(format!("no engine for {name}"));
        }
        let facts = Analyses::new(&loaded.cfa);
        let is_error = |edge: EdgeId| symbolic::counts(&loaded.cfa, property, edge);
        let archive = self.archive.map(|folder| folder as &dyn Archive);
        let task = Task::new(&loaded.cfa, &facts, budget.clone(), &is_error);
        let second_solver = self.options.second_solver.clone();
        let second_solver = second_solver.map(|solver| solver.with_memory(self.options.input.memory_limit));
        let task = Task { measure: self.options.stats, archive, second_solver, ..task };
        self.known.get_or_init(|| Known::new(task.board.clone(), loaded, &facts.loops));
        decide(&task)
    }

    /// The engine of this configuration.
    fn engine(&self, task: &Task<'_>, config: &Config) -> Decision {
        let property = &self.job.specification.property;
        let tried = if self.options.cells {
            match Cells::new(task, property) {
                Ok(cells) => cells.prove(task, config, property),
                Err(why) => return Decision::unknown(why),
            }
        } else {
            symbolic::run(task, config, property).into_tried()
        };
        self.conclude(tried, &Attempts::default(), task)
    }

    /// Many programs are simple to one engine or another: each has a moment before longer executions and the plan.
    fn first_look(&self, task: &Task<'_>, attempts: &mut Attempts) -> Option<Tried> {
        let features = Features::of(task);
        let time = task.budget.remaining().map_or(FIRST_LOOK_TIME, |left| left.mul_f64(0.1));
        let whole = task.budget.at_most(time.min(FIRST_LOOK_TIME));
        let task = Task { budget: whole.clone(), whole, ..task.clone() };
        let tried = self.carry_out(&task, &first_look(&features).ok()?, attempts)?;
        let is_answer = matches!(tried.answer, Answer::Safe | Answer::Violation(_) | Answer::Contradicted(_));
        if !is_answer {
            attempts.stats.add(tried.stats);
            return None;
        }
        Some(tried)
    }

    /// The engines that fit the program, until one knows.
    fn strategy(&self, task: &Task<'_>, mut attempts: Attempts) -> Decision {
        match plan(&Features::of(task)) {
            Ok(stages) => match self.carry_out(task, &stages, &mut attempts) {
                Some(last) => self.conclude(last, &attempts, task),
                None => Decision::unknown("no engine could be started"),
            },
            Err(error) => Decision::unknown(error.to_string()),
        }
    }

    /// The stages, until one knows; the answer of the last.
    fn carry_out(&self, task: &Task<'_>, stages: &[Stage], so_far: &mut Attempts) -> Option<Tried> {
        let property = &self.job.specification.property;
        let cells: OnceLock<Result<Cells, String>> = OnceLock::new();
        let given = self.budget.given().unwrap_or(DEFAULT_TIME);
        let run = |task: &Task<'_>, stage: &Stage| {
            task.board.set_engine(stage.name());
            match &stage.work {
                Work::Engine(config) => symbolic::with_second_opinion(task, config, property),
                Work::OnCells(config) => match cells.get_or_init(|| Cells::new(task, property)) {
                    Ok(cells) => cells.prove(task, config, property),
                    Err(why) => Tried::unknown(why.clone(), stage.name()),
                },
                Work::Execution => symbolic::execute(task, property, stage.name()),
                Work::Exploration => {
                    let effort = Effort::of(given.mul_f64(stage.share));
                    symbolic::explore(task, property, effort, stage.name())
                }
            }
        };
        let is_final = |tried: &Tried| !matches!(tried.answer, Answer::Unknown(_));
        let mut attempts = carry_out(task, stages, self.options.jobs, &run, is_final);
        so_far.words.extend(attempts.iter().map(|attempt| self.describe(attempt, &stages[attempt.stage])));
        so_far.bugs.extend(attempts.iter().filter_map(|attempt| match &attempt.answer.answer {
            Answer::Unknown(Reason::Bug(what)) => Some(format!("{}: {what}", stages[attempt.stage].name())),
            _ => None,
        }));
        let last = contradiction::between(&mut attempts).or_else(|| attempts.pop())?;
        for attempt in attempts {
            so_far.stats.add(attempt.answer.stats);
        }
        Some(last.answer)
    }

    fn place_of(&self, edge: EdgeId) -> String {
        place(&self.loaded.sources, self.loaded.cfa.edge(edge).span)
    }

    /// The words for an answer. What was tried is of interest if there is none.
    fn conclude(&self, tried: Tried, attempts: &Attempts, task: &Task<'_>) -> Decision {
        let report = self.report;
        if let (true, Answer::Unknown(reason)) = (self.turn.is_silent(), &tried.answer) {
            return Decision { stats: tried.stats, ..Decision::unknown(reason.to_string()) };
        }
        self.word.take();
        for note in self.archive.iter().flat_map(|folder| folder.notes()) {
            report.line(format_args!("Note:        {note}"));
        }
        let words = &attempts.words;
        if self.options.explain {
            self.explain_plan(task);
        }
        if self.options.explain || words.len() > 1 && matches!(tried.answer, Answer::Unknown(_)) {
            for attempt in words {
                report.line(format_args!("Tried:       {attempt}"));
            }
        }
        if !matches!(tried.answer, Answer::Unknown(_)) {
            // Another engine did better.
            attempts.bugs.iter().for_each(|bug| report.error(&format!("internal error: {bug}")));
        }
        let mut stats = tried.stats.clone();
        stats.add(attempts.stats.clone());
        let decision = match tried.answer {
            Answer::Safe => {
                self.proved(&tried);
                let said = |audience| {
                    let said = tried.proof.as_ref().map(|proof| proof.in_c(task.cfa, task.facts, audience));
                    said.unwrap_or_default()
                };
                let is_exported = self.options.exports.witness.is_some();
                let proof_in_c = if is_exported { said(Audience::Tools) } else { InC::default() };
                let shown = said(Audience::People);
                Decision {
                    verdict: Verdict::True,
                    engine: Some(tried.engine),
                    proof: self.proof_summary(&shown),
                    proof_in_c,
                    proof_data: tried.proof,
                    ..Decision::unknown("")
                }
            }
            Answer::Violation(violation) => self.violated(*violation, tried.engine),
            Answer::Contradicted(ref violation) => self.contradicted(&tried, violation),
            Answer::Doubtful(doubtful) => {
                let why = &doubtful.1;
                report.line(format_args!("A violation was found, but this is no verdict, because {why}."));
                Decision::unknown(format!("possible violation, but {why}"))
            }
            Answer::Unknown(reason) => {
                self.known.get().inspect(|known| known.tell(report));
                let at = reason.edge().map(|edge| format!(" at {}", self.place_of(edge)));
                let verdict = match (&reason, attempts.bugs.first()) {
                    (Reason::Bug(bug), _) | (_, Some(bug)) => Verdict::Internal(bug.clone()),
                    (_, None) => self.stopped(format!("{reason}{}", at.unwrap_or_default())),
                };
                Decision { verdict, ..Decision::unknown("") }
            }
        };
        Decision { stats, ..decision }
    }

    /// UNKNOWN for this reason, unless it is that memory ran out, that somebody interrupted, or work that was limited: whatever follows from that is
    /// no reason.
    fn stopped(&self, reason: String) -> Verdict {
        let (time, signal) = (Limit::Time.reason(), Limit::Signal.reason());
        let state = self.budget.check_now();
        // Other reasons tell more, and are true whenever the run ends.
        let is_end = [time, signal].contains(&reason.as_str()) || reason.starts_with("the solver ");
        Verdict::Unknown(if self.word.is_out_of_memory() {
            Limit::Memory.reason().to_owned()
        } else if state == Err(Exhausted::Interrupted) {
            signal.to_owned()
        } else if is_end && self.budget.ends().are_reached() {
            time.to_owned()
        } else if is_end && state == Err(Exhausted::Time) && self.options.work_limit.is_some() {
            "work limit".to_owned()
        } else {
            reason
        })
    }

    fn violated(&self, violation: Violation, engine: String) -> Decision {
        let violation = shrink(&self.loaded.cfa, &self.job.specification.property, violation, self.budget);
        let explanation = self.explain(&violation);
        Decision {
            verdict: Verdict::False(violation.property.clone()),
            explanation,
            violation: Some(violation),
            engine: Some(engine),
            ..Decision::unknown("")
        }
    }
}
