//! `summa verify`: reads the program, states the question, decides each property, and prints the verdict.
//!
//! Several properties are decided one after the other. Each has automata of its own, because checks are built
//! into them, and its share of the time. The last line is the verdict of all: FALSE if one is violated, TRUE
//! if all hold.

use crate::archive::Folder;
use crate::args::Verify;
use crate::compile_commands::{self, Programs};
use crate::config;
use crate::console::{Console, Row};
use crate::front_end::{Failure, Job, asked};
use crate::known::Known;
use crate::output::Output;
use crate::process::{Limits, OutputRight, within};
use crate::progress;
use crate::telling::{self, Telling, Told};
use crate::verdict::{Exit, Verdict};
use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use summa_base::plain::Shown;
use summa_base::{Budget, clock};
use summa_engines::config::explain;
use summa_engines::{Archive, Config};
use summa_verdict::finding::Remark;
use summa_verify::vacuity::{self, Vacuity};
use summa_verify::{Automata, Decision, Program, Settings, Verification};

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
    // Reading the properties may take long too, so it is watched as well.
    let word = OutputRight::default();
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
    let mut read = None;
    for (number, (program, property)) in questions.enumerate() {
        let is_first = number % properties.len() == 0;
        if is_first {
            read = None;
        }
        let question = Question {
            options: program,
            property: property.as_deref(),
            is_first,
            left: all - number,
            label: if programs.len() + unlinked.len() > 1 {
                compile_commands::label(program)
            } else {
                String::new()
            },
        };
        if let Err(failure) = run.property(&question, &mut read) {
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
fn archive_of(options: &Verify, config: Option<&Config>) -> Result<Option<Arc<Folder>>, String> {
    if options.save_summaries.is_none() && options.load_summaries.is_none() {
        return Ok(None);
    }
    if let Some(config) = config.filter(|config| config.bam.is_none()) {
        return Err(format!(
            "`{}` summarises nothing: use a configuration with a section [bam]",
            config.name
        ));
    }
    // A proof for others must show everything, and the second solver was not asked about contracts that were
    // confirmed earlier.
    let recognises = options.exports.proof.is_none() && options.second_solver.is_none();
    Folder::new(options.load_summaries.clone(), options.save_summaries.clone(), recognises)
        .map(|folder| Some(Arc::new(folder)))
}

/// There is no program: the reason, and a verdict for scripts unless it is the command line that is wrong.
fn failed(report: &Console, output: &Output, failure: &Failure) -> Exit {
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
    report: Console,
    output: Output,
    config: Option<Config>,
    archive: Option<Arc<Folder>>,
    budget: Budget,
    /// The properties that are decided. Shared with the thread that watches the limits.
    rows: Arc<Mutex<Vec<Row>>>,
}

/// A program and one property of it.
struct Question<'q> {
    options: &'q Verify,
    property: Option<&'q str>,
    /// Nothing was printed about this program so far.
    is_first: bool,
    /// The number of questions from this one on.
    left: usize,
    /// Names the program, if there are several.
    label: String,
}

impl Question<'_> {
    /// The title of the row in the table.
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

    /// Decides one property of one program, which is read if that was not done before.
    fn property(&self, question: &Question<'_>, program: &mut Option<Program>) -> Result<(), Box<Failure>> {
        let Question { options, property, left, .. } = *question;
        let started = Instant::now();
        // Time that earlier questions did not use is for all later ones.
        let budget = self.budget.part(u32::try_from(left).unwrap_or(u32::MAX));
        let (word, known) = (OutputRight::default(), Arc::new(OnceLock::<Known>::new()));
        self.watch(&word, &known, property, started);
        let input = &options.input;
        let read = Job::new(&input.source, property).and_then(|job| {
            let read = match program.take() {
                Some(read) => job.accepts(read.wraps).map(|()| read)?,
                None => job.program(&input.source, input.function.as_deref())?,
            };
            Ok((job, &*program.insert(read)))
        });
        let (job, program) = read.inspect_err(|_| word.take())?;
        let front_end = Cell::new(Duration::ZERO);
        let telling = Telling {
            report: &self.report,
            options,
            word: &word,
            known: &known,
            archive: self.archive.as_deref(),
            built: &|automata| {
                front_end.set(started.elapsed());
                self.begin(question, &job, automata);
            },
            warn: &|text| self.output.warning(Remark { text, ..Remark::default() }),
        };
        let settings = self.settings(question, budget, &word);
        let found = program.verify_aloud(&job.specification, &settings, &telling);
        let found = found.inspect_err(|_| word.take())?;
        let told = self.tell(&telling, &job, &found);
        self.output.decided(&found, &told, started.elapsed());
        if options.stats {
            statistics(&self.report, &found, front_end.get(), started.elapsed());
        }
        crate::exports::write(&self.report, &options.exports, &input.source, &job, &found);
        let row = Row {
            property: question.title(found.property.name()),
            verdict: Verdict::of(found.verdict(), &found.automata),
            time: started.elapsed(),
        };
        self.rows.lock().unwrap_or_else(|broken| broken.into_inner()).push(row);
        Ok(())
    }

    fn settings(&self, question: &Question<'_>, budget: Budget, word: &OutputRight) -> Settings {
        let archive = self.archive.clone().map(|folder| folder as Arc<dyn Archive>);
        let (config, on_cells) = (self.config.clone(), question.options.cells);
        Settings { config, on_cells, archive, ..super::settings(question.options, budget, word) }
    }

    /// Prints what was read and what is asked.
    fn begin(&self, question: &Question<'_>, job: &Job, automata: &Automata) {
        let report = &self.report;
        if question.is_first {
            if !question.label.is_empty() {
                report.line(format_args!("\n== {} ==", question.label));
            }
            report.diagnostics(&automata.warnings, &automata.sources);
            report.job(job, automata);
            let show_all = question.options.stats;
            report.assumptions(&automata.cfa.assumptions, &automata.sources, show_all);
        } else {
            report.line("");
            report.property(job, automata);
        }
        self.output.start(job, automata);
        self.warn(vacuity::before(&automata.cfa, &job.specification.property), automata);
    }

    /// Prints the result.
    fn tell(&self, telling: &Telling<'_>, job: &Job, found: &Verification) -> Told {
        let Verification { decision, automata, property, by_default } = found;
        if let Some(decision) = by_default {
            telling.answer(automata, &job.specification.property, decision);
        }
        let told = telling.answer(automata, property, decision);
        if !matches!(decision.verdict, summa_verify::Verdict::Unsafe(_)) {
            self.warn(vacuity::after(&decision.searched), automata);
        }
        told
    }

    fn warn(&self, told: impl IntoIterator<Item = Vacuity>, automata: &Automata) {
        for one in told {
            let text = telling::vacuity(one, automata);
            self.output.warning(Remark { text, ..Remark::default() });
        }
    }

    /// At limits and signals, the watch prints the answer if the run does not react.
    fn watch(
        &self,
        word: &OutputRight,
        known: &Arc<OnceLock<Known>>,
        property: Option<&str>,
        started: Instant,
    ) {
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

/// `Name: value` lines, which benchmark tools turn into columns.
fn statistics(report: &Console, found: &Verification, front_end: Duration, total: Duration) {
    let (cfa, Decision { searched, stats, .. }) = (&found.automata.cfa, &found.decision);
    report.line("");
    report.line(format_args!("Functions: {}", cfa.defined().count()));
    report.line(format_args!("Nodes: {}", cfa.nodes.len()));
    report.line(format_args!("Edges: {}", cfa.edges.len()));
    report.line(format_args!("Variables: {}", cfa.program.vars.len()));
    report.line(format_args!("Front end time: {:.3} ms", milliseconds(front_end)));
    report.line(format_args!("Executions: {}", searched.runs));
    report.line(format_args!("Steps executed: {}", searched.steps));
    for (name, value) in stats.lines() {
        report.line(format_args!("{name}: {value}"));
    }
    report.line(format_args!("Execution time: {:.3} ms", milliseconds(total.saturating_sub(front_end))));
    report.line(format_args!("Counted work: {:.3} ms", milliseconds(clock::counted())));
    report.line(format_args!("Total time: {:.3} ms", milliseconds(total)));
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
