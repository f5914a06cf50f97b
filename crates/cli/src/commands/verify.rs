//! `summa verify`: read the program, say what is asked, decide each property, give the verdict.
//!
//! Several properties are decided one after the other, each on automata of its own (what is checked is built into them), each with its
//! part of the time. The last line is the verdict of all: FALSE if one is violated, TRUE if all hold.

use crate::archive::Folder;
use crate::args::{Input, Verify};
use crate::bug_finder::Search;
use crate::compile_commands::{self, Programs};
use crate::config;
use crate::decide::{Case, Decision, Turn};
use crate::front_end::{Failure, Job, Loaded, asked};
use crate::known::Known;
use crate::output::Output;
use crate::process::{LastWord, Limits, within};
use crate::progress;
use crate::property::Property;
use crate::report::{Report, Row};
use crate::vacuity;
use crate::verdict::{Exit, Verdict};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use summa_base::plain::Shown;
use summa_base::{Budget, clock};
use summa_cfa::build::UNDEFINED_SHIFT;
use summa_cfa::{Edge, Op};
use summa_engines::Config;
use summa_engines::config::explain;
use summa_engines::portfolio::DEFAULT_TIME;
use summa_engines::stats::Stats;
use summa_verdict::finding::Remark;

/// The part of the time in which it is tried to show that no index leaves its member.
const MEMBERS_SHARE: f64 = 0.4;

pub(crate) fn verify(options: &Verify, budget: Budget) -> Exit {
    let report = crate::report_for(options);
    if let Some(file) = &options.settings {
        report.told(format_args!("Settings:    {}", file.shown()));
    }
    let wrong = |message: String| {
        report.error(&message);
        Exit::Usage
    };
    let config = match options.config.as_deref().map(|name| config::load(name, options.encoding)).transpose()
    {
        Ok(config) => config,
        Err(message) => return wrong(message),
    };
    if let Some(config) = config.as_ref().filter(|_| options.explain_config) {
        report.raw(explain::explain(config).as_bytes());
        return Exit::Holds;
    }
    let archive = match archive_of(options, config.as_ref()) {
        Ok(archive) => archive,
        Err(message) => return wrong(message),
    };
    let output = match Output::new(&options.formats, report) {
        Ok(output) => output,
        Err(message) => return wrong(message),
    };
    let budget = within(&budget, options.time_limit, options.work_limit);
    let run = Run { options, report, output, config, archive, budget, rows: Arc::default() };
    // What is asked may take long to read as well.
    let word = LastWord::default();
    run.watch(&word, &Arc::default(), None, Instant::now());
    let programs = compile_commands::programs(options, &report)
        .map_err(|message| Failure::plain(Exit::BadInput, message));
    let asked = programs.and_then(|programs| {
        let properties = asked(&options.input.source, &options.property, &options.check)?;
        Ok((programs, properties))
    });
    word.take();
    let (programs, properties) = match asked {
        Ok(asked) => asked,
        Err(failure) => return failed(&run.report, &run.output, &failure),
    };
    let Programs { linked: programs, failed: unlinked } = programs;
    for (label, why) in &unlinked {
        properties.iter().for_each(|property| run.unlinked(label, property.as_deref(), why));
    }
    let questions =
        programs.iter().flat_map(|program| properties.iter().map(move |property| (program, property)));
    let all = programs.len() * properties.len();
    for (number, (program, property)) in questions.enumerate() {
        let question = Question {
            options: program,
            property: property.as_deref(),
            is_first: number % properties.len() == 0,
            left: all - number,
            label: if programs.len() + unlinked.len() > 1 {
                compile_commands::label(program)
            } else {
                String::new()
            },
        };
        if let Err(failure) = run.property(&question) {
            if programs.len() + unlinked.len() == 1 {
                return failed(&run.report, &run.output, &failure);
            }
            run.unreadable(&question, &failure);
        }
    }
    let rows = std::mem::take(&mut *run.rows.lock().unwrap_or_else(|broken| broken.into_inner()));
    run.report.table(&rows);
    let verdict = overall(&rows);
    run.output.end(&verdict, Exit::from(&verdict));
    Exit::from(&verdict)
}

/// The verdict of all properties together: a violation says most, then what is not known.
fn overall(rows: &[Row]) -> Verdict {
    let worst = |row: &&Row| match row.verdict {
        Verdict::False(_) => 0,
        Verdict::Internal(_) => 1,
        Verdict::Unknown(_) => 2,
        Verdict::True => 3,
    };
    let worst = rows.iter().min_by_key(worst);
    worst.map_or_else(|| Verdict::Unknown("nothing is asked".to_owned()), |row| row.verdict.clone())
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
    // A proof for others says why everything holds; and what was confirmed earlier was not asked of the second solver.
    let recognises = options.exports.proof.is_none() && options.second_solver.is_none();
    Folder::new(options.load_summaries.clone(), options.save_summaries.clone(), recognises).map(Some)
}

/// There is no program: the reason, and a verdict for scripts unless it is the command line that is wrong.
fn failed(report: &Report, output: &Output, failure: &Failure) -> Exit {
    report.failure(failure);
    output.failed(failure);
    if failure.exit != Exit::Usage {
        output.end(&Verdict::Unknown(failure.reason.clone()), failure.exit);
    }
    failure.exit
}

/// What all properties share.
struct Run<'r> {
    options: &'r Verify,
    report: Report,
    output: Output,
    config: Option<Config>,
    archive: Option<Folder>,
    budget: Budget,
    /// The properties that are decided. Shared with the thread that has the last word.
    rows: Arc<Mutex<Vec<Row>>>,
}

/// A program and one property of it.
struct Question<'q> {
    options: &'q Verify,
    property: Option<&'q str>,
    /// Nothing was said about this program so far.
    is_first: bool,
    /// How many questions there are from this one on.
    left: usize,
    /// Names the program, if there are several.
    label: String,
}

impl Question<'_> {
    /// What the row of the table is called.
    fn title(&self, property: &str) -> String {
        if self.label.is_empty() { property.to_owned() } else { format!("{}: {property}", self.label) }
    }
}

impl Run<'_> {
    /// One of several programs cannot be read: the others can.
    fn unreadable(&self, question: &Question<'_>, failure: &Failure) {
        self.report.failure(failure);
        self.output.failed(failure);
        let property = question.title(question.property.unwrap_or("unreach-call"));
        let verdict = Verdict::Unknown(failure.reason.clone());
        self.output.stopped(&property, &failure.reason, Duration::ZERO);
        let row = Row { property, verdict, time: Duration::ZERO };
        self.rows.lock().unwrap_or_else(|broken| broken.into_inner()).push(row);
    }

    /// One of several programs cannot be linked: the others can.
    fn unlinked(&self, label: &str, property: Option<&str>, why: &str) {
        self.report.error(why);
        let property = format!("{label}: {}", property.unwrap_or("unreach-call"));
        self.output.stopped(&property, why, Duration::ZERO);
        let row = Row { property, verdict: Verdict::Unknown(why.to_owned()), time: Duration::ZERO };
        self.rows.lock().unwrap_or_else(|broken| broken.into_inner()).push(row);
    }

    /// Decides one property of one program.
    fn property(&self, question: &Question<'_>) -> Result<(), Box<Failure>> {
        let Question { options, property, is_first, left, .. } = *question;
        let report = &self.report;
        let started = Instant::now();
        // What those before left of their time is for all that come.
        let budget = self.budget.part(u32::try_from(left).unwrap_or(u32::MAX));
        let (word, known) = (LastWord::default(), Arc::new(OnceLock::<Known>::new()));
        self.watch(&word, &known, property, started);
        let read = |input: &Input| -> Result<(Job, Loaded), Box<Failure>> {
            let job = Job::new(&input.source, property)?.with_members_apart();
            let loaded = job.load(&input.source, input.function.as_deref())?;
            Ok((job, loaded))
        };
        let (job, loaded) = read(&options.input).inspect_err(|_| word.take())?;
        let front_end = started.elapsed();
        if is_first {
            if !question.label.is_empty() {
                report.line(format_args!("\n== {} ==", question.label));
            }
            report.diagnostics(&loaded.warnings, &loaded.sources);
            report.job(&job, &loaded);
            report.assumptions(&loaded.cfa.assumptions, &loaded.sources, options.stats);
        } else {
            report.line("");
            report.property(&job, &loaded);
        }
        self.output.start(&job, &loaded);
        let asked = &job.specification.property;
        vacuity::before(&loaded.cfa, asked).into_iter().for_each(|warning| self.output.warning(warning));
        let case = Case {
            report,
            job: &job,
            loaded: &loaded,
            budget: &budget,
            word: &word,
            known: &known,
            options,
            archive: self.archive.as_ref(),
            turn: Turn::Only,
        };
        let decision = match asked {
            Property::Unsupported(name) => Decision::unknown(format!("unsupported property: {name}")),
            _ if loaded.cfa.relies_on_members() => self.with_members_apart(&case),
            _ => case.decide(self.config.as_ref()),
        };
        let merged = self.with_members_merged(&case, &decision);
        let last = merged.as_ref().and_then(|merged| self.with_members_apart_again(&case, merged));
        let (job, loaded, decision) = match (&merged, &last) {
            (_, Some(decision)) => (&job, &loaded, decision),
            (Some((job, loaded, decision)), None) => (job, loaded, decision),
            (None, None) => (&job, &loaded, &decision),
        };
        let case = Case { job, loaded, ..case };
        // Automata and answer belong together: what follows speaks of edges.
        let without_shifts = self.without_shifts(&case, decision);
        let (loaded, decision) = match &without_shifts {
            Some((loaded, decision)) => (loaded, decision),
            None => (loaded, decision),
        };
        word.take();
        let undefined = case.undefined(decision);
        let (job, decision) = match &undefined {
            Some((job, decision)) => (job, decision),
            None => (job, decision),
        };
        if !matches!(decision.verdict, Verdict::False(_)) {
            let place = |edge| crate::diagnostics::place(&loaded.sources, loaded.cfa.edge(edge).span);
            let warnings = vacuity::after(&decision.searched, place);
            warnings.into_iter().for_each(|warning| self.output.warning(warning));
        }
        self.output.decided(job, loaded, decision, started.elapsed());
        if options.stats {
            let Decision { searched, stats, .. } = decision;
            statistics(report, loaded, searched, stats, front_end, started.elapsed());
        }
        crate::exports::write(report, &options.exports, &options.input.source, job, loaded, decision);
        let row = Row {
            property: question.title(job.specification.property.name()),
            verdict: decision.verdict.clone(),
            time: started.elapsed(),
        };
        self.rows.lock().unwrap_or_else(|broken| broken.into_inner()).push(row);
        Ok(())
    }

    /// A first try, while members are kept apart: many indices plainly stay in their members.
    fn with_members_apart(&self, case: &Case<'_>) -> Decision {
        let budget = part_of(case.budget, MEMBERS_SHARE);
        let turn = if self.config.is_some() { Turn::Attempt } else { Turn::Glance };
        Case { budget: &budget, turn, ..*case }.decide(self.config.as_ref())
    }

    /// Where no engine excludes that an index leaves a member, the members are taken for one and the program is tried again.
    fn with_members_merged(&self, case: &Case<'_>, decision: &Decision) -> Option<(Job, Loaded, Decision)> {
        let is_open = matches!(decision.verdict, Verdict::Unknown(_)) && case.loaded.cfa.relies_on_members();
        if !is_open || case.budget.check_now().is_err() {
            return None;
        }
        let job = case.job.with_members_merged();
        let input = &case.options.input;
        let loaded = match job.load(&input.source, input.function.as_deref()) {
            Ok(loaded) => loaded,
            Err(failure) => {
                let text = format!("it was not tried with members taken for one: {}", failure.reason);
                self.output.warning(Remark { text, ..Remark::default() });
                return None;
            }
        };
        let budget = part_of(case.budget, 1.0 - MEMBERS_SHARE);
        let decision = match &self.config {
            Some(config) => Case { job: &job, loaded: &loaded, ..*case }.decide(Some(config)),
            None => Case { job: &job, loaded: &loaded, budget: &budget, turn: Turn::Attempt, ..*case }
                .decide(None),
        };
        Some((job, loaded, decision))
    }

    /// What is left of the time goes to engines that keep the members apart.
    fn with_members_apart_again(
        &self,
        case: &Case<'_>,
        (_, _, merged): &(Job, Loaded, Decision),
    ) -> Option<Decision> {
        let is_open = matches!(merged.verdict, Verdict::Unknown(_)) && self.config.is_none();
        (is_open && case.budget.check_now().is_ok()).then(|| Case { turn: Turn::Last, ..*case }.decide(None))
    }

    /// A left shift of a negative value is undefined but no overflow, so an execution with one gives no verdict. If there is an
    /// execution with an overflow, it is FALSE all the same.
    fn without_shifts(&self, case: &Case<'_>, decision: &Decision) -> Option<(Loaded, Decision)> {
        if !matches!(decision.verdict, Verdict::Unknown(_)) || case.budget.check_now().is_err() {
            return None;
        }
        let ends = |edge: &Edge| matches!(&edge.op, Op::Unsupported { what } if **what == *UNDEFINED_SHIFT);
        if !case.loaded.cfa.edges.values().any(ends) {
            return None;
        }
        let job = case.job.passing_shifts()?;
        let input = &case.options.input;
        let loaded = match job.load(&input.source, input.function.as_deref()) {
            Ok(loaded) => loaded,
            Err(failure) => {
                let text = format!("no other overflow was looked for: {}", failure.reason);
                self.output.warning(Remark { text, ..Remark::default() });
                return None;
            }
        };
        let decision = Case { job: &job, loaded: &loaded, ..*case }.look_for_violation()?;
        Some((loaded, decision))
    }

    /// Limits and signals get the last word if the run does not listen.
    fn watch(&self, word: &LastWord, known: &Arc<OnceLock<Known>>, property: Option<&str>, started: Instant) {
        let limits = Limits::of(&self.budget, self.options.input.memory_limit, Duration::ZERO);
        progress::start(known.clone(), self.output.clone(), self.options.quiet);
        let (report, output, known, rows) =
            (self.report, self.output.clone(), known.clone(), self.rows.clone());
        let property = property.unwrap_or("unreach-call").to_owned();
        word.watch(limits, Exit::Unknown, move |limit| {
            if let Some(known) = known.get() {
                known.tell(&report);
            }
            let mut rows = rows.lock().unwrap_or_else(|broken| broken.into_inner());
            let verdict = Verdict::Unknown(limit.reason().to_owned());
            output.stopped(&property, limit.reason(), started.elapsed());
            rows.push(Row { property, verdict, time: started.elapsed() });
            report.table(&rows);
            let verdict = overall(&rows);
            output.end(&verdict, Exit::from(&verdict));
        });
    }
}

/// A part of what is left of the time.
fn part_of(budget: &Budget, share: f64) -> Budget {
    budget.at_most(budget.remaining().unwrap_or(DEFAULT_TIME).mul_f64(share))
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
    report.line(format_args!("Counted work: {:.3} ms", milliseconds(clock::counted())));
    report.line(format_args!("Total time: {:.3} ms", milliseconds(total)));
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
