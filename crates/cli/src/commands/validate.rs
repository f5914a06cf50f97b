//! `summa validate`: checks a witness.
//!
//! The answer is FALSE if an execution passed all points of a violation witness and violated the property at
//! its target, twice. It is TRUE if the program was proved, and then every invariant of a correctness
//! witness, as an assertion in the program. A witness that leads to neither is no verdict about the program:
//! UNKNOWN with the reason.

use crate::args::{Validate, Verify};
use crate::console::{Console, count};
use crate::front_end::{Failure, Job, ModelSource};
use crate::known::Known;
use crate::process::{Limits, OutputRight, within};
use crate::specification::PropertyError;
use crate::telling::Telling;
use crate::verdict::{Exit, Verdict};
use std::sync::OnceLock;
use std::time::Duration;
use summa_base::plain::Shown;
use summa_base::{Budget, files};
use summa_interp::{InputRecord, List, Policy};
use summa_verdict::follow::{Attempt, Guide, Plan, led};
use summa_verdict::instrument::{BROKEN, Instrumented, with_invariants, with_probes};
use summa_verdict::metadata::File;
use summa_verdict::places::Places;
use summa_verdict::witness::{Content, Contract, Invariant, Order, Segment, Witness};
use summa_verdict::{graphml, yaml};
use summa_verify::executions::{execute, policy_for};
use summa_verify::property::DEFAULT_ERROR_FUNCTIONS;
use summa_verify::{Automata, Decision, Property, Specification, Variant, decide};

/// The number of executions that are tried for inputs that a witness leaves open; below, their lengths.
const ATTEMPTS: u64 = 200;
/// The number of executions before a search with all engines.
const PLAIN_ATTEMPTS: u64 = 12;
const FIRST_STEPS: u64 = 1_000_000_000;
const OTHER_STEPS: u64 = 1_000_000;

pub(crate) fn validate(given: &Validate, budget: Budget) -> Exit {
    let options = &given.verify;
    let report = Console::new(options.quiet);
    let budget = within(&budget, options.time_limit, options.work_limit);
    let word = OutputRight::default();
    let last = report;
    let limits = Limits::of(&budget, options.input.memory_limit, Duration::ZERO);
    word.watch(limits, Exit::Unknown, move |limit| {
        last.verdict(&Verdict::Unknown(limit.reason().to_owned()));
    });
    let witness = match read(options) {
        Ok(witness) => witness,
        Err(message) => {
            word.take();
            report.error(&message);
            report.verdict(&Verdict::Unknown("the witness could not be read".to_owned()));
            return Exit::BadInput;
        }
    };
    let (job, variant, loaded) = match load(options, &witness) {
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
    report.diagnostics(&loaded.warnings, &loaded.sources);
    report.job(&job, &loaded);
    let validation = Validation {
        report: &report,
        options,
        job: &job,
        variant,
        loaded: &loaded,
        budget: &budget,
        word: &word,
        ignores_hash: given.ignore_hash,
    };
    let verdict = validation.is_about_these_files(&witness).and_then(|()| match &witness.content {
        Content::Violation(segments) => validation.violation(segments, witness.order),
        Content::Correctness(invariants, contracts) => validation.correctness(invariants, contracts),
    });
    let verdict = verdict.unwrap_or_else(Verdict::Unknown);
    word.take();
    report.verdict(&verdict);
    Exit::from(&verdict)
}

/// The witness; its first character determines the format.
fn read(options: &Verify) -> Result<Witness, String> {
    let path = options.exports.witness.as_deref().ok_or("no witness is given: use --witness FILE")?;
    let shown = path.shown();
    let text = files::read_text(path, files::LARGE)
        .map_err(|error| format!("cannot read the witness `{shown}`: {error}"))?;
    let witness = if text.trim_start().starts_with('<') { graphml::read(&text) } else { yaml::read(&text) };
    witness.map_err(|why| format!("the witness `{shown}` is not valid: {why}"))
}

/// The program, with property and data model of the witness if the user names none. If both name them, they
/// must agree.
fn load(options: &Verify, witness: &Witness) -> Result<(Job, Variant, Automata), Box<Failure>> {
    let mut job = Job::new(&options.input.source, options.property.first().map(String::as_str))?;
    if let Some(metadata) = &witness.metadata {
        if job.model_source == ModelSource::Host {
            (job.model, job.model_source) = (metadata.model, ModelSource::Task);
        } else if metadata.model != job.model {
            let (its, ours) = (metadata.model.name(), job.model.name());
            let why = format!("the witness is about the data model {its}, not {ours}");
            return Err(Failure::plain(Exit::Unknown, why));
        }
        if !metadata.specification.trim().is_empty() {
            let its = Specification::of_witness(&metadata.specification).map_err(PropertyError::from)?;
            if options.property.is_empty() {
                // The default property of Summa has no equivalent in property files: assertions are errors
                // too.
                let is_default = matches!(&its.property,
                    Property::Unreachable { functions, .. } if *functions == DEFAULT_ERROR_FUNCTIONS);
                job.specification = if is_default { Specification::default_specification() } else { its };
            } else if !its.property.is_of_the_kind_of(&job.specification.property) {
                let asked = job.specification.property.name();
                let why = format!("the witness is about {}, not about {asked}", its.property.name());
                return Err(Failure::plain(Exit::Unknown, why));
            }
        }
    }
    // Whatever an undefined left shift does, an overflow elsewhere is one.
    let passing = Variant::default().passing_shifts(&job.specification.property);
    let variant = match &witness.content {
        Content::Violation(_) => passing.unwrap_or_default(),
        Content::Correctness(..) => Variant::default(),
    };
    let loaded = job.load_as(&options.input.source, options.input.function.as_deref(), variant)?;
    Ok((job, variant, loaded))
}

#[derive(Clone, Copy)]
struct Validation<'v> {
    report: &'v Console,
    options: &'v Verify,
    job: &'v Job,
    variant: Variant,
    loaded: &'v Automata,
    budget: &'v Budget,
    word: &'v OutputRight,
    ignores_hash: bool,
}

impl Validation<'_> {
    /// A witness about another version of the program, or about another one, says nothing about this one.
    fn is_about_these_files(&self, witness: &Witness) -> Result<(), String> {
        let last = |path: &str| path.rsplit(['/', '\\']).next().unwrap_or("").to_owned();
        let ours: Vec<File> = self.job.files.iter().map(|file| File::read(file)).collect();
        for file in witness.metadata.iter().flat_map(|metadata| &metadata.files) {
            let is_known = |one: &&File| last(&one.name) == last(&file.name);
            let has_hash = !file.hash.is_empty();
            if has_hash && ours.iter().any(|one| one.hash.eq_ignore_ascii_case(&file.hash)) {
                continue;
            }
            let name = file.name.as_str().shown();
            let why = match ours.iter().find(is_known) {
                Some(_) if !has_hash => continue,
                Some(_) => format!("the witness is about another `{name}`: its hash differs"),
                None => format!("the witness is about `{name}`, which is not among the files"),
            };
            if !self.ignores_hash {
                return Err(format!("{why} (--ignore-hash validates it all the same)"));
            }
            self.report.line(format_args!("Note:        {why}"));
        }
        Ok(())
    }

    /// The error is the reason for UNKNOWN.
    fn violation(&self, segments: &[Segment], order: Order) -> Result<Verdict, String> {
        let places = Places::new(&self.loaded.sources);
        let plan = Plan::new(&places, segments, order)?;
        let (instrumented, changed) = self.with_probes(&places, &plan)?;
        let cfa = changed.as_ref().map_or(&self.loaded.cfa, |changed| &changed.cfa);
        let guide = Guide::new(&plan, &places, cfa, &instrumented);
        let property = &self.job.specification.property;
        let policy = Policy { budget: self.budget.clone(), ..policy_for(property) };
        let mut best = 0;
        let mut try_it = |attempt: Attempt| {
            best = best.max(attempt.passed);
            if attempt.is_discarded || attempt.passed + 1 < plan.len() {
                return None;
            }
            let mut again = List::replay(&attempt.outcome.inputs);
            let found = execute(cfa, property, &mut again, self.budget, self.budget).violation?;
            let is_it = guide.is_target(found.edge)
                && self.is_confirmed(&places, &plan, &attempt.outcome.inputs, &found.property);
            is_it.then_some((found, attempt.outcome.steps))
        };
        let mut attempt = |number: u64| {
            self.budget.check_now().ok()?;
            let max_steps = if number == 0 { FIRST_STEPS } else { OTHER_STEPS };
            try_it(guide.attempt(&Policy { max_steps, ..policy.clone() }, number))
        };
        let mut found = (0..PLAIN_ATTEMPTS).find_map(&mut attempt);
        if found.is_none() {
            // The inputs are not obvious.
            found = match self.search(&places, &plan) {
                Some(inputs) => try_it(guide.replay(&policy, &inputs)),
                None => (PLAIN_ATTEMPTS..ATTEMPTS).find_map(&mut attempt),
            };
        }
        let Some((violation, steps)) = found else {
            let missed = plan.describe(best.min(plan.len().saturating_sub(1)));
            return Err(format!("the witness was not confirmed: {missed} was not passed in any execution"));
        };
        let span = instrumented.original(cfa.edge(violation.edge).span);
        self.report.line("");
        self.report.snippet(&self.loaded.sources, span, &violation.what, "");
        self.report.line(format_args!(
            "Validated:   {} passed in order, then the target; {} in all",
            count(plan.len() - 1, "waypoint"),
            count(steps as usize, "step")
        ));
        Ok(Verdict::False(violation.property.clone()))
    }

    /// Inputs that lead along the witness, found by executions and engines.
    fn search(&self, places: &Places<'_>, plan: &Plan) -> Option<Vec<InputRecord>> {
        let errors = match &self.job.specification.property {
            Property::Unreachable { functions, .. } => functions.as_slice(),
            _ => &[],
        };
        let instrumented = led(&self.loaded.sources, places, plan, errors)?;
        let changed = self.load_changed(self.job, &instrumented).ok()?;
        let quiet = Console::new(true);
        let search = Validation { report: &quiet, ..*self };
        match search.decide(self.job, &changed).verdict {
            summa_verify::Verdict::Unsafe(violation) => Some(violation.outcome.inputs.clone()),
            _ => None,
        }
    }

    /// Does the unchanged program do the same with these inputs, at the same place?
    fn is_confirmed(&self, places: &Places<'_>, plan: &Plan, inputs: &[InputRecord], violated: &str) -> bool {
        let (cfa, property) = (&self.loaded.cfa, &self.job.specification.property);
        let (mut inputs, time) = (List::replay(inputs), self.budget);
        let found = execute(cfa, property, &mut inputs, time, time).violation;
        found.is_some_and(|found| {
            found.property == violated && plan.is_target_at(places, cfa.edge(found.edge).span.lo)
        })
    }

    fn with_probes(
        &self,
        places: &Places<'_>,
        plan: &Plan,
    ) -> Result<(Instrumented, Option<Automata>), String> {
        if plan.probes.is_empty() {
            return Ok((Instrumented::default(), None));
        }
        let instrumented = with_probes(&self.loaded.sources, places, &plan.probes)?;
        let changed = self.load_changed(self.job, &instrumented)?;
        Ok((instrumented, Some(changed)))
    }

    fn load_changed(&self, job: &Job, instrumented: &Instrumented) -> Result<Automata, String> {
        let function = self.options.input.function.as_deref();
        let (texts, must_be_defined) = (&instrumented.texts, &instrumented.must_be_defined);
        job.load_texts(texts, function, self.variant, must_be_defined).map_err(|failure| {
            let first = failure.diagnostics.first().map(|diagnostic| diagnostic.message.clone());
            format!("an expression of the witness means nothing here: {}", first.unwrap_or(failure.reason))
        })
    }

    /// Proves the program first, because its proof must not depend on the witness.
    fn correctness(&self, invariants: &[Invariant], contracts: &[Contract]) -> Result<Verdict, String> {
        let places = Places::new(&self.loaded.sources);
        let instrumented = with_invariants(&self.loaded.sources, &places, invariants, contracts)?;
        let verdict = Verdict::of(&self.decide(self.job, self.loaded).verdict, self.loaded);
        if verdict != Verdict::True {
            return Err(match verdict {
                Verdict::False(property) => format!("the witness is wrong: the program violates {property}"),
                Verdict::Unknown(why) => why,
                Verdict::Internal(what) => format!("internal error: {what}"),
                Verdict::True => String::new(),
            });
        }
        if invariants.is_empty() && contracts.is_empty() {
            self.report.line("Validated:   the program is proved; the witness has no invariants");
            return Ok(Verdict::True);
        }
        let property = Property::Unreachable { functions: vec![BROKEN.to_owned()], asserts: false };
        let specification = Specification { property, ..self.job.specification.clone() };
        let job = Job { specification, ..self.job.clone() };
        let changed = self.load_changed(&job, &instrumented)?;
        let what = if contracts.is_empty() { "an invariant" } else { "an invariant or a contract" };
        match Verdict::of(&self.decide(&job, &changed).verdict, &changed) {
            Verdict::True => {
                let mut all = vec![count(invariants.len(), "invariant")];
                all.extend((!contracts.is_empty()).then(|| count(contracts.len(), "contract")));
                let all = all.join(" and ");
                self.report
                    .line(format_args!("Validated:   the program is proved, and {all} of the witness"));
                Ok(Verdict::True)
            }
            Verdict::False(_) => Err(format!("the witness is wrong: {what} is violated")),
            Verdict::Unknown(why) => Err(format!("{what} is not proved: {why}")),
            Verdict::Internal(bug) => Err(format!("{what} is not proved: internal error: {bug}")),
        }
    }

    /// Decides and reports like `summa verify`.
    fn decide(&self, job: &Job, loaded: &Automata) -> Decision {
        let (word, known) = (self.word.of_part(), OnceLock::<Known>::new());
        let telling = Telling {
            report: self.report,
            options: self.options,
            word: &word,
            known: &known,
            archive: None,
            built: &|_| {},
            warn: &|_| {},
        };
        let property = &job.specification.property;
        let settings = super::settings(self.options, self.budget.clone(), &word);
        let decision = decide(loaded, property, &settings, &telling);
        telling.answer(loaded, property, &decision);
        decision
    }
}
