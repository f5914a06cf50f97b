//! One question about the automata of a program: a search among executions, then engines, then the verdict.
//!
//! The order follows trust and cost. An execution that violates the property is the best answer. If the
//! program has only one execution and it violates nothing, that is a proof. Everything else is for the
//! engines: the one that the user chose, or those of the automatic strategy.

mod attempts;
mod conclude;

use crate::automata::Automata;
use crate::cells::CellProgram;
use crate::confirm::ConfirmedProof;
use crate::engine::{self, Answer, Tried};
use crate::executions::{Doubtful, Effort, Hunt, Search, execute, violation_without_memory};
use crate::features::Features;
use crate::listener::Listener;
use crate::property::Property;
use crate::settings::Settings;
use crate::strategy::{EXECUTION, first_look, plan, time_for_summaries};
use crate::verdict::{Reason, Verdict};
use attempts::Attempts;
use std::cell::OnceCell;
use std::sync::OnceLock;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::EdgeId;
use summa_encode::Encoding;
use summa_engines::progress::Progress;
use summa_engines::stats::Stats;
use summa_engines::{Config, Task};

/// The most time for the search for concrete bugs; its rounds usually end earlier.
const SEARCH_TIME: Duration = Duration::from_millis(2000);
/// The search's share of the time of the whole run, if that is less.
const SEARCH_SHARE: f64 = 0.2;
/// The most time for the first look of engines, including the check of a proof. The plan limits the time to
/// find one.
const FIRST_LOOK_TIME: Duration = Duration::from_secs(3);
/// Share of the remaining time that summaries of many functions may take besides that.
const SUMMARIES_SHARE: f64 = 0.4;
/// An execution that supports no verdict makes a proof impossible. A better execution is searched for this
/// long.
const DOUBT_TIME: Duration = Duration::from_secs(10);

/// The answer to one question, about the automata that it was asked of.
#[derive(Debug)]
pub struct Decision {
    pub verdict: Verdict,
    /// Who found the answer, if there is one.
    pub found_by: Option<Finder>,
    /// What executions have shown.
    pub searched: Search,
    /// What engines did.
    pub stats: Stats,
}

/// Who found an answer, and how far it had to go.
#[derive(Clone, Debug)]
pub struct Finder {
    /// The name of a configuration, or [`EXECUTION`].
    pub name: String,
    /// In which arithmetic formulas were written, if the configuration says so.
    pub encoding: Option<Encoding>,
    pub progress: Progress,
}

impl Finder {
    fn execution() -> Self {
        Self { name: EXECUTION.to_owned(), encoding: None, progress: Progress::default() }
    }
}

impl Decision {
    pub(crate) fn unknown(reason: Reason) -> Self {
        Self::of(Verdict::Unknown(reason), None)
    }

    fn of(verdict: Verdict, found_by: Option<Finder>) -> Self {
        Self { verdict, found_by, searched: Search::default(), stats: Stats::default() }
    }
}

/// What is tried on the way to a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The only turn: everything is tried, and otherwise there is a reason why there is no verdict.
    Only,
    /// A first turn with what decides most programs; other turns follow.
    Glance,
    /// Everything is tried; another turn follows.
    Attempt,
    /// Engines alone: executions were searched before.
    Last,
}

impl Turn {
    /// The listener is not told if there is no verdict.
    fn is_silent(self) -> bool {
        matches!(self, Self::Glance | Self::Attempt)
    }
}

/// Automata, a property, and what is found out about both once.
pub(crate) struct Question<'q> {
    pub(crate) automata: &'q Automata,
    pub(crate) property: &'q Property,
    pub(crate) settings: &'q Settings,
    pub(crate) listener: &'q dyn Listener,
    features: OnceCell<Features>,
    cells: OnceLock<Result<CellProgram, String>>,
}

/// Decides one property of automata, by everything that Summa can do or by the one engine that the settings
/// name.
pub fn decide(
    automata: &Automata,
    property: &Property,
    settings: &Settings,
    listener: &dyn Listener,
) -> Decision {
    let question = Question::new(automata, property, settings, listener);
    question.decide(Turn::Only, &settings.budget)
}

impl<'q> Question<'q> {
    pub(crate) fn new(
        automata: &'q Automata,
        property: &'q Property,
        settings: &'q Settings,
        listener: &'q dyn Listener,
    ) -> Self {
        let (features, cells) = (OnceCell::new(), OnceLock::new());
        Self { automata, property, settings, listener, features, cells }
    }

    pub(crate) fn decide(&self, turn: Turn, budget: &Budget) -> Decision {
        Case { question: self, turn, budget }.decide()
    }

    fn features(&self, task: &Task<'_>) -> &Features {
        self.features.get_or_init(|| Features::of(task))
    }

    fn cells(&self) -> Result<&CellProgram, &str> {
        cells_of(&self.cells, self.automata, self.property)
    }

    /// An answer only if the property is violated: by an execution with simple inputs, or with those of a
    /// model.
    pub(crate) fn look_for_violation(&self, budget: &Budget) -> Option<Decision> {
        let (cfa, property) = (&self.automata.cfa, self.property);
        let case = Case { question: self, turn: Turn::Only, budget };
        let searched = Hunt::new(cfa, property, budget).until_the_end(case.search_effort());
        if let Some(violation) = searched.violation {
            return Some(case.violated(violation, Finder::execution()));
        }
        let is_error = |edge: EdgeId| property.is_violated_at(cfa, edge);
        let task = Task::new(cfa, self.automata.facts(), budget.at_most(DOUBT_TIME), &is_error);
        let tried = engine::run(&task, &Config::preset("bmc").ok()?, property).tried;
        let (answer, finder) = finder(tried);
        match answer {
            Answer::Violation(violation) => Some(case.violated(*violation, finder)),
            Answer::Safe(_) | Answer::Doubtful(_) | Answer::Contradicted(_) | Answer::Unknown(_) => None,
        }
    }

    /// FALSE for undefined behaviour that an execution ran into, with the property that it violates.
    pub(crate) fn undefined(&self, searched: &Search, budget: &Budget) -> Option<(Property, Decision)> {
        let defined = |property: &Property| self.automata.wraps && *property == Property::NoOverflow;
        let found = searched.undefined().filter(|(property, _)| !defined(property));
        found.into_iter().find_map(|(property, mut inputs)| {
            let time = Budget::unlimited();
            let again = execute(&self.automata.cfa, &property, &mut inputs, &time, &time);
            let question = Question::new(self.automata, &property, self.settings, self.listener);
            let case = Case { question: &question, turn: Turn::Only, budget };
            let decision = case.violated(again.violation?, Finder::execution());
            Some((property, decision))
        })
    }
}

/// The program with cells, made when it is first asked for. Several threads may ask.
fn cells_of<'c>(
    cells: &'c OnceLock<Result<CellProgram, String>>,
    automata: &Automata,
    property: &Property,
) -> Result<&'c CellProgram, &'c str> {
    let made = cells.get_or_init(|| CellProgram::new(&automata.cfa, automata.facts(), property));
    made.as_ref().map_err(String::as_str)
}

/// The answer, and who gave it.
fn finder(tried: Tried) -> (Answer, Finder) {
    let Tried { answer, progress, encoding, engine, .. } = tried;
    (answer, Finder { name: engine, encoding, progress })
}

/// A question in one of its turns, with the time for it.
struct Case<'c, 'q> {
    question: &'c Question<'q>,
    turn: Turn,
    budget: &'c Budget,
}

impl Case<'_, '_> {
    fn decide(&self) -> Decision {
        let Question { automata, property, settings, listener, .. } = *self.question;
        if let Some(config) = &settings.config {
            listener.engine_begins();
            return self.with_task(self.budget, |task| self.engine(task, config));
        }
        if self.turn == Turn::Last {
            return self.with_task(self.budget, |task| self.strategy(task, Attempts::default()));
        }
        let mut hunt = Hunt::new(&automata.cfa, property, self.budget);
        if !hunt.is_open_at_first_sight() || !property.is_reachability() {
            return self.judge(hunt, |budget| {
                self.with_task(budget, |task| self.strategy(task, Attempts::default()))
            });
        }
        self.with_task(self.budget, |task| {
            let mut attempts = Attempts::default();
            match self.first_look(task, &mut attempts) {
                Some(tried) => self.seen(task, tried, &attempts, hunt),
                None if self.turn == Turn::Glance => nothing_at_first_sight(),
                None => self.judge(hunt, |budget| {
                    let task = Task { budget: budget.clone(), whole: budget.clone(), ..task.clone() };
                    self.strategy(&task, attempts)
                }),
            }
        })
    }

    /// What was decided at first sight is compared with a few more executions.
    fn seen(&self, task: &Task<'_>, tried: Tried, attempts: &Attempts, hunt: Hunt<'_>) -> Decision {
        let mut searched = hunt.until_one_is_not_excluded(self.search_effort());
        let decision = match (searched.violation.take(), tried.answer) {
            (Some(violation), Answer::Safe(proof)) => self.contradicted(tried.engine, *proof, violation),
            // One contradiction is enough, and it must be reported.
            (Some(_), answer @ Answer::Contradicted(_)) => {
                self.conclude(Tried { answer, ..tried }, attempts, task)
            }
            (Some(violation), _) => self.violated(violation, Finder::execution()),
            (None, answer) => {
                self.question.listener.executions_end();
                self.question.listener.no_violation(&searched);
                self.conclude(Tried { answer, ..tried }, attempts, task)
            }
        };
        Decision { searched, ..decision }
    }

    /// The effort in steps. It depends on the time limit of the run, not on the time that is left.
    fn search_effort(&self) -> Effort {
        let given = self.budget.given();
        Effort::of(given.map_or(SEARCH_TIME, |given| SEARCH_TIME.min(given.mul_f64(SEARCH_SHARE))))
    }

    /// Continues with executions, and with engines if those found nothing.
    fn judge(&self, hunt: Hunt<'_>, engines: impl FnOnce(&Budget) -> Decision) -> Decision {
        let mut searched = hunt.until_the_end(self.search_effort());
        let decision = self.judged(&mut searched, engines);
        Decision { searched, ..decision }
    }

    fn judged(&self, searched: &mut Search, engines: impl FnOnce(&Budget) -> Decision) -> Decision {
        if let Some(decision) = self.executed(searched) {
            return decision;
        }
        if let Some((what, edge)) = searched.unsupported.as_ref().filter(|_| self.turn.is_silent())
            && self.question.automata.cfa.leaves_member(*edge)
        {
            return Decision::unknown(Reason::Other(what.clone()));
        }
        let doubt = self.tell_search(searched);
        // The end of the search's own time is not the end of the user's.
        if let Err(why) = self.budget.check_now() {
            return Decision::unknown(self.stopped(summa_engines::Reason::Exhausted(why).into()));
        }
        let doubt = doubt.or_else(|| self.tell_unsupported(searched));
        if self.turn == Turn::Glance {
            return nothing_at_first_sight();
        }
        // A violation in an execution excludes a proof, but a better execution may be found.
        let Some(reason) = doubt else { return engines(self.budget) };
        let decision = engines(&self.budget.at_most(DOUBT_TIME));
        match decision.verdict {
            Verdict::Unsafe(_) | Verdict::Internal(_) => decision,
            Verdict::Safe(_) | Verdict::Unknown(_) => {
                let verdict = Verdict::Unknown(self.stopped(reason));
                Decision { verdict, found_by: None, ..decision }
            }
        }
    }

    /// What executions alone decide: a violation, or that the only execution has none.
    fn executed(&self, searched: &mut Search) -> Option<Decision> {
        let Question { automata, property, listener, .. } = *self.question;
        if let Some(violation) = searched.violation.take() {
            listener.answered();
            listener.executions_end();
            return Some(self.violated(violation, Finder::execution()));
        }
        listener.executions_end();
        let proof = ConfirmedProof::from(searched.repeated(&automata.cfa, property, self.budget)?);
        if let Some(violation) = violation_without_memory(&automata.cfa, property, self.budget) {
            let why = "it needs a request for memory that is refused".to_owned();
            searched.doubtful = Some(Doubtful { violation, why });
            return None;
        }
        listener.answered();
        Some(Decision::of(Verdict::Safe(Box::new(proof)), Some(Finder::execution())))
    }

    /// Reports what executions have shown. Returns the reason why they make a proof impossible, if they do.
    fn tell_search(&self, searched: &Search) -> Option<Reason> {
        let Question { automata, listener, .. } = *self.question;
        if let Some(doubtful) = &searched.doubtful {
            listener.doubtful(automata, doubtful, searched);
            return Some(Reason::Doubtful(doubtful.why.clone()));
        }
        if searched.is_exhaustive {
            listener.no_violation_in_only_execution();
        } else {
            listener.no_violation(searched);
        }
        None
    }

    fn tell_unsupported(&self, searched: &Search) -> Option<Reason> {
        let (what, edge) = searched.unsupported.as_ref()?;
        self.question.listener.unsupported(self.question.automata, what, *edge);
        Some(summa_engines::Reason::Unsupported { what: what.clone(), edge: Some(*edge) }.into())
    }

    /// Calls `decide` with everything that engines need.
    fn with_task(&self, budget: &Budget, decide: impl FnOnce(&Task<'_>) -> Decision) -> Decision {
        let Question { automata, property, settings, listener, .. } = *self.question;
        if !property.is_reachability() {
            listener.no_engine(property.name());
            return Decision::unknown(Reason::NoEngine(property.name().to_owned()));
        }
        let is_error = |edge: EdgeId| property.is_violated_at(&automata.cfa, edge);
        let task = Task::new(&automata.cfa, automata.facts(), budget.clone(), &is_error);
        let task = Task {
            measure: settings.measure,
            archive: settings.archive.as_deref(),
            second_solver: settings.second_solver.clone(),
            ..task
        };
        listener.engines_begin(automata, &task.board);
        decide(&task)
    }

    /// The engine of this configuration.
    fn engine(&self, task: &Task<'_>, config: &Config) -> Decision {
        let tried = if self.question.settings.on_cells {
            match self.question.cells() {
                Ok(cells) => cells.prove(task, config, self.question.property),
                Err(why) => return Decision::unknown(Reason::Other(why.to_owned())),
            }
        } else {
            engine::run(task, config, self.question.property).tried
        };
        self.conclude(tried, &Attempts::default(), task)
    }

    /// Many programs are simple to one engine or another: each has a moment before longer executions and the
    /// plan.
    fn first_look(&self, task: &Task<'_>, attempts: &mut Attempts) -> Option<Tried> {
        let features = self.question.features(task);
        let stages = first_look(features).ok()?;
        let left = task.budget.remaining();
        let mut time = left.map_or(FIRST_LOOK_TIME, |left| left.mul_f64(0.1)).min(FIRST_LOOK_TIME);
        if features.has_many_functions() {
            // Where summaries are stopped before they are complete, the plan begins anew with them.
            let summaries = time_for_summaries(features);
            time += left.map_or(summaries, |left| summaries.min(left.mul_f64(SUMMARIES_SHARE)));
        }
        let whole = task.budget.at_most(time);
        let task = Task { budget: whole.clone(), whole, ..task.clone() };
        let tried = self.carry_out(&task, &stages, attempts)?;
        if !tried.answer.is_sure() {
            attempts.stats.add(tried.stats);
            return None;
        }
        Some(tried)
    }

    /// Runs the engines that fit the program until one has an answer.
    fn strategy(&self, task: &Task<'_>, mut attempts: Attempts) -> Decision {
        let stages = plan(self.question.features(task)).map(|mut stages| {
            stages.retain(|stage| !attempts.is_imprecise(stage));
            stages
        });
        match stages {
            Ok(stages) => match self.carry_out(task, &stages, &mut attempts) {
                Some(last) => self.conclude(last, &attempts, task),
                None => Decision::unknown(Reason::Other("no engine could be started".to_owned())),
            },
            Err(error) => Decision::unknown(Reason::Other(error.to_string())),
        }
    }
}

fn nothing_at_first_sight() -> Decision {
    Decision::unknown(Reason::Other("nothing was found at first sight".to_owned()))
}
