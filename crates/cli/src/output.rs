//! Output of `summa verify` for programs: JSON lines during the run, SARIF and annotations at its end.
//!
//! `console.rs` prints the text for people. With `--output-format json` or `sarif`, all of standard output is
//! for programs: the text is left out and the verdict line goes to standard error. `github` adds annotations
//! to the text, before the verdict. Files (`--sarif`, `--json`) can be written in addition.

use crate::args::{Formats, OutputFormat};
use crate::console::Console;
use crate::front_end::{Failure, Job};
use crate::telling::Told;
use crate::verdict::{Exit, Verdict};
use crate::written;
use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::{Duration, Instant};
use summa_base::plain::Shown;
use summa_c::SourceMap;
use summa_c::tree::Assumption;
use summa_verdict::explain::place;
use summa_verdict::finding::{Answer, Finding, Remark, Run};
use summa_verdict::{github, json_lines, sarif};
use summa_verify::{Automata, Verification};

/// Collects events and writes them in all requested formats. Shared with the thread that watches the limits.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    report: Console,
    options: Formats,
    started: Instant,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    run: Run,
    /// The events so far, if they are wanted in a file.
    json_file: Option<File>,
    /// Warnings for the next finding.
    warnings: Vec<Remark>,
    is_over: bool,
}

impl Output {
    /// Opens the files at once, so that an error in writing is reported before the work and not after it.
    pub(crate) fn new(options: &Formats, report: Console) -> Result<Self, String> {
        let create = |path: &Path| File::create(path).map_err(|error| written::failed(path, &error));
        if let Some(path) = &options.sarif {
            create(path)?;
        }
        let json_file = options.json.as_deref().map(create).transpose()?;
        let run = Run {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            arguments: std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect(),
            ..Run::default()
        };
        let state = State { run, json_file, ..State::default() };
        Ok(Self {
            report,
            options: options.clone(),
            started: Instant::now(),
            state: Arc::new(Mutex::new(state)),
        })
    }

    /// The program was read.
    pub(crate) fn start(&self, job: &Job, loaded: &Automata) {
        let mut state = self.state();
        state.run.files = job.files.iter().map(|file| file.shown().to_string()).collect();
        state.run.data_model = job.model.name().to_owned();
        let event = json_lines::start(&state.run, &[job.specification.property.name().to_owned()]);
        self.event(&mut state, || event);
        for assumption in &loaded.cfa.assumptions {
            let remark = of_assumption(&loaded.sources, assumption);
            self.event(&mut state, || json_lines::remark("assumption", &remark));
        }
    }

    /// Something that the user should know about the answer.
    pub(crate) fn warning(&self, remark: Remark) {
        self.report.line(format_args!("Warning:     {}", remark.text));
        let mut state = self.state();
        self.event(&mut state, || json_lines::remark("warning", &remark));
        state.warnings.push(remark);
    }

    /// Are events read during the run?
    pub(crate) fn wants_progress(&self) -> bool {
        self.options.output_format == OutputFormat::Json || self.options.json.is_some()
    }

    /// How far the run is.
    pub(crate) fn progress(&self, members: &[(&str, String)]) {
        let seconds = (self.started.elapsed().as_secs_f64() * 10.0).round() / 10.0;
        self.event(&mut self.state(), || json_lines::progress(seconds, members));
    }

    /// A property was decided.
    pub(crate) fn decided(&self, found: &Verification, told: &Told, time: Duration) {
        let Verification { decision, automata: loaded, property, .. } = found;
        let entry = loaded.cfa.program.func_name(loaded.cfa.main);
        let mut finding = match &Verdict::of(&decision.verdict, loaded) {
            Verdict::True => Finding::new(property.name(), Answer::True, property.describe(entry)),
            Verdict::False(violated) => Finding::new(violated, Answer::False, "the property is violated"),
            Verdict::Unknown(reason) => {
                Finding::new(property.name(), Answer::Unknown(reason.clone()), property.describe(entry))
            }
            Verdict::Internal(what) => {
                let answer = Answer::Unknown(format!("internal error: {what}"));
                Finding::new(property.name(), answer, property.describe(entry))
            }
        };
        let main = loaded.cfa.program.functions[loaded.cfa.main].span;
        finding.place = place(&loaded.sources, main);
        if let summa_verify::Verdict::Unsafe(violation) = &decision.verdict {
            finding.message.clone_from(&violation.what);
            finding.place = place(&loaded.sources, loaded.cfa.edge(violation.edge).span);
        }
        finding.explanation.clone_from(&told.explanation);
        finding.engine = decision.found_by.as_ref().map(|finder| finder.name.clone());
        finding.proof.clone_from(&told.proof);
        finding.assumptions = loaded
            .cfa
            .assumptions
            .iter()
            .map(|assumption| of_assumption(&loaded.sources, assumption))
            .collect();
        finding.time = time;
        self.add(finding);
    }

    /// A property was not decided because the run was stopped.
    pub(crate) fn stopped(&self, property: &str, reason: &str, time: Duration) {
        let mut finding = Finding::new(property, Answer::Unknown(reason.to_owned()), "");
        finding.time = time;
        self.add(finding);
    }

    /// There is no program.
    pub(crate) fn failed(&self, failure: &Failure) {
        let mut state = self.state();
        for diagnostic in &failure.diagnostics {
            let at = place(&failure.sources, diagnostic.span);
            let remark = Remark { place: at, text: diagnostic.message.clone() };
            self.event(&mut state, || json_lines::remark("problem", &remark));
            state.run.problems.push(remark);
        }
    }

    /// Writes everything that is still missing, and the verdict.
    pub(crate) fn end(&self, verdict: &Verdict, exit: Exit) {
        let mut state = self.state();
        if std::mem::replace(&mut state.is_over, true) {
            return;
        }
        state.run.verdict = verdict.to_string();
        state.run.exit_code = written::exit(exit).code();
        state.run.time = self.started.elapsed();
        if let Some(path) = &self.options.sarif {
            let text = format!("{:#}\n", sarif::document(&state.run));
            if let Err(message) = written::file(path, text.as_bytes()) {
                self.report.error(&message);
            }
        }
        let event = json_lines::end(&state.run);
        match self.options.output_format {
            OutputFormat::Text | OutputFormat::Json => {}
            OutputFormat::Sarif => self.report.raw(format!("{:#}\n", sarif::document(&state.run)).as_bytes()),
            OutputFormat::Github => {
                let lines: String =
                    github::annotations(&state.run).iter().map(|line| format!("{line}\n")).collect();
                self.report.raw(lines.as_bytes());
            }
        }
        // The last line for scripts, wherever it goes, and in JSON the last event.
        self.report.verdict(verdict);
        self.event(&mut state, || event);
    }

    fn add(&self, mut finding: Finding) {
        let mut state = self.state();
        finding.warnings = std::mem::take(&mut state.warnings);
        self.event(&mut state, || json_lines::verdict(&finding));
        state.run.findings.push(finding);
    }

    fn event(&self, state: &mut State, event: impl FnOnce() -> serde_json::Value) {
        let is_stream = self.options.output_format == OutputFormat::Json;
        if !is_stream && state.json_file.is_none() {
            return;
        }
        let line = format!("{}\n", event());
        if is_stream {
            self.report.raw(line.as_bytes());
        }
        if let Some(file) = &mut state.json_file
            && file.write_all(line.as_bytes()).is_err()
        {
            // A full disk is no reason to lose the verdict.
            written::incomplete();
            self.report.note("the events cannot be written any more");
            state.json_file = None;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}

fn of_assumption(sources: &SourceMap, assumption: &Assumption) -> Remark {
    Remark { place: place(sources, assumption.span), text: assumption.text.clone() }
}
