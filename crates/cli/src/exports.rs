//! Files that others read about a verdict: harness, test suite, witness.
//!
//! An execution is first simplified. Values that are no inputs of the program (uninitialised variables,
//! arguments of the entry function) become zero, if the violation is still there, or a value with which gcc
//! can fill them. Compilers and other verifiers cannot choose these values.

use crate::args::{Exports, Source, WitnessFormat};
use crate::console::Console;
use crate::front_end::Job;
use crate::written;
use std::path::Path;
use summa_base::Budget;
use summa_base::plain::Shown;
use summa_cfa::HavocSource;
use summa_interp::{InputOrigin, InputRecord, InputRequest, InputSource, InputValue, List, Program};
use summa_proof::{Audience, InC};
use summa_verdict::harness::{Build, Fill, harness};
use summa_verdict::metadata::Metadata;
use summa_verdict::places::{Location, Places};
use summa_verdict::record::{Style, record};
use summa_verdict::test_suite::test_suite;
use summa_verdict::witness::{Content, Contract};
use summa_verdict::{graphml, yaml};
use summa_verify::executions::{execute, policy_for};
use summa_verify::{Automata, ConfirmedProof, Property, ReplayedViolation, Verdict, Verification};

/// Writes the files that the user asked for, as far as the decision has data for them. Problems are reported,
/// and change no verdict.
pub(crate) fn write(report: &Console, exports: &Exports, source: &Source, job: &Job, found: &Verification) {
    if !exports.any() {
        return;
    }
    let Verification { decision, automata, property, .. } = found;
    let export = Export { report, exports, source, job, property, loaded: automata };
    match &decision.verdict {
        Verdict::Unsafe(violation) => export.violation(violation),
        // Leaving out an invariant makes a witness weaker, not wrong.
        Verdict::Safe(proof) => export.proof(proof),
        Verdict::Unknown(_) | Verdict::Internal(_) => {}
    }
}

struct Export<'e> {
    report: &'e Console,
    exports: &'e Exports,
    source: &'e Source,
    job: &'e Job,
    property: &'e Property,
    loaded: &'e Automata,
}

impl Export<'_> {
    fn violation(&self, violation: &ReplayedViolation) {
        let simpler = self.simpler(violation);
        let violation = simpler.as_ref().unwrap_or(violation);
        if let Some(path) = &self.exports.harness {
            self.harness(violation, path);
        }
        if let Some(folder) = &self.exports.test_suite {
            self.test_suite(violation, folder);
        }
        if self.exports.witness.is_some() {
            let style = match self.format() {
                WitnessFormat::Yaml => Style::Before,
                WitnessFormat::Graphml => Style::After,
            };
            let program = Program::new(&self.loaded.cfa);
            let policy = policy_for(self.property);
            let places = Places::new(&self.loaded.sources);
            let segments =
                record(&program, &places, &policy, &violation.outcome.inputs, violation.edge, style);
            self.witness(&Content::Violation(segments));
        }
    }

    /// The proof as a file, and the witness of it: expressions of C that hold at nodes.
    fn proof(&self, proof: &ConfirmedProof) {
        if let Some(path) = &self.exports.proof {
            match proof.certificate() {
                Some(proof) => {
                    if self.save(path, &format!("{:#}\n", proof.to_json(&self.loaded.cfa))) {
                        self.report.line(format_args!("Proof:       {}", path.shown()));
                    }
                }
                None => self.report.error("no proof is written: this answer has none that can be stored"),
            }
        }
        if self.exports.witness.is_some() {
            let places = Places::new(&self.loaded.sources);
            let said = proof.in_c(&self.loaded.cfa, self.loaded.facts(), Audience::Tools);
            let invariants = summa_verdict::invariants::at_nodes(&self.loaded.cfa, &places, &said.invariants);
            self.witness(&Content::Correctness(invariants, self.contracts(&places, &said)));
        }
    }

    /// The contracts of functions, if the user wants them and they can be written: all of a function or none.
    fn contracts(&self, places: &Places<'_>, said: &InC) -> Vec<Contract> {
        if !self.exports.witness_contracts || self.format() == WitnessFormat::Graphml {
            return Vec::new();
        }
        let program = &self.loaded.cfa.program;
        let whole = said.contracts.iter().filter(|contract| !said.partly_said.contains(&contract.function));
        let written = whole.map(|contract| {
            let function = program.func_name(contract.function).to_owned();
            let location = places.locate(program.functions[contract.function].span);
            Contract {
                location: Location { function: Some(function.clone()), ..location },
                function,
                requires: contract.requires.clone(),
                ensures: contract.ensures.clone(),
            }
        });
        written.collect()
    }

    fn witness(&self, content: &Content) {
        let Some(path) = &self.exports.witness else { return };
        let text = match self.format() {
            WitnessFormat::Yaml => yaml::write(&self.metadata(), content),
            WitnessFormat::Graphml => graphml::write(&self.metadata(), content),
        };
        if self.save(path, &text) {
            self.report.line(format_args!("Witness:     {}", path.shown()));
        }
    }

    /// The format that was asked for, else by the name of the file.
    fn format(&self) -> WitnessFormat {
        self.exports.witness_format.unwrap_or_else(|| {
            let path = self.exports.witness.as_deref().and_then(Path::extension);
            if path.is_some_and(|end| end == "graphml") {
                WitnessFormat::Graphml
            } else {
                WitnessFormat::Yaml
            }
        })
    }

    /// The same violation with zero for all values that are no inputs, or with a value with which gcc can
    /// fill them, if there is such an execution.
    fn simpler(&self, violation: &ReplayedViolation) -> Option<ReplayedViolation> {
        let is_input =
            |input: &&InputRecord| matches!(input.request.origin, InputOrigin::Havoc(HavocSource::Input(_)));
        let inputs = &violation.outcome.inputs;
        if inputs.iter().all(|input| is_input(&input) || input.bits == 0) {
            return None;
        }
        let property = self.property;
        Fill::ALL.into_iter().find_map(|fill| {
            let given = List::new(inputs.iter().filter(is_input).map(InputRecord::value));
            let (mut filled, time) = (Filled { given, fill }, Budget::unlimited());
            execute(&self.loaded.cfa, property, &mut filled, &time, &time).violation
        })
    }

    fn harness(&self, violation: &ReplayedViolation, path: &Path) {
        let build = Build { files: &self.job.files, model: self.job.model, flags: &self.flags() };
        match harness(&self.loaded.cfa, &violation.outcome, &build, path) {
            Ok(harness) => {
                if self.save(path, &harness.text) {
                    self.report.line(format_args!("Harness:     {}", path.shown()));
                    self.report.line(format_args!("             {}", harness.command));
                    for note in harness.notes {
                        self.report.line(format_args!("Note:        {note}"));
                    }
                }
            }
            Err(why) => self.report.error(&format!("no harness is written: {why}")),
        }
    }

    fn test_suite(&self, violation: &ReplayedViolation, folder: &Path) {
        if let Err(error) = std::fs::create_dir_all(folder) {
            written::incomplete();
            return self.report.error(&format!("cannot make the folder `{}`: {error}", folder.shown()));
        }
        let files = test_suite(&self.loaded.cfa, &violation.outcome.inputs, &self.metadata());
        if files.iter().all(|(name, text)| self.save(&folder.join(name), text)) {
            self.report.line(format_args!("Test suite:  {}", folder.shown()));
        }
    }

    fn metadata(&self) -> Metadata {
        let entry = self.loaded.cfa.program.func_name(self.loaded.cfa.main);
        let specification = specification(self.property, entry);
        Metadata::now(&self.job.files, specification, self.job.model)
    }

    /// The options with which a compiler reads the program as it was read here. For a compilation database,
    /// they are those of the first file.
    fn flags(&self) -> Vec<String> {
        let options = self.source.compiler().unwrap_or_default();
        let options = self.source.units.first().map_or(options.clone(), |unit| unit.options.and(&options));
        options.words().iter().map(|word| word.to_string_lossy().into_owned()).collect()
    }

    /// True if it was written.
    fn save(&self, path: &Path, text: &str) -> bool {
        let written = written::file(path, text.as_bytes());
        if let Err(message) = &written {
            self.report.error(message);
        }
        written.is_ok()
    }
}

/// The inputs of a list, and a fixed value for all memory that was never written.
struct Filled {
    given: List,
    fill: Fill,
}

impl InputSource for Filled {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        match request.origin {
            InputOrigin::Uninitialised => Some(self.fill.value(request.scalar)),
            _ => self.given.next(request),
        }
    }
}

/// The property in the words of the competition's files. Properties without such words get words of our own.
pub(crate) fn specification(property: &Property, entry: &str) -> String {
    let check = |formula: &str| format!("CHECK( init({entry}()), LTL({formula}) )");
    match property {
        Property::Unreachable { functions, .. } => {
            let lines: Vec<String> =
                functions.iter().map(|name| check(&format!("G ! call({name}())"))).collect();
            lines.join("\n")
        }
        Property::NoOverflow => check("G ! overflow"),
        Property::MemorySafety(checks) => {
            let lines: Vec<String> = checks.iter().map(|one| check(&format!("G {}", one.name()))).collect();
            lines.join("\n")
        }
        Property::MemoryCleanup => check("G valid-memcleanup"),
        Property::NoDivisionByZero | Property::ValidShifts | Property::Unsupported(_) => {
            check(&format!("G ! {}", property.name()))
        }
    }
}
