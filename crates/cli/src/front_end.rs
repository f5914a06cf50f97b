//! From the command line to a frozen automaton: which files, which property, which data model, then `c` and
//! `cfa`.

use crate::args::{Input, Source};
use crate::process::Limit;
use crate::specification::{self, PropertyError};
use crate::task::TaskFile;
use crate::verdict::Exit;
use std::path::PathBuf;
use summa_base::plain::Shown;
use summa_c::SourceMap;
use summa_c::types::DataModel;
use summa_c::{Diagnostic, LoadOptions, Span};
use summa_cfa::BuildError;
use summa_cfa::environment::Environment;
use summa_syntax::ReadingLimit;
use summa_verify::{Automata, Program, Property, Specification, Variant};

/// The task, before anything is read.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) specification: Specification,
    pub(crate) model: DataModel,
    pub(crate) model_source: ModelSource,
    /// The environment, as far as the command line describes it.
    pub(crate) environment: Environment,
}

/// Where the data model comes from. A wrong one is a frequent cause of surprises, so this is always printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelSource {
    CommandLine,
    Task,
    Host,
}

/// Why there is no program.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) exit: Exit,
    /// For the verdict line.
    pub(crate) reason: String,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) sources: SourceMap,
}

impl Failure {
    pub(crate) fn plain(exit: Exit, message: String) -> Box<Self> {
        let diagnostics = vec![Diagnostic::error(Span::NONE, message.clone())];
        Box::new(Self { exit, reason: message, diagnostics, sources: SourceMap::new() })
    }
}

impl From<PropertyError> for Box<Failure> {
    fn from(error: PropertyError) -> Self {
        let exit = match error {
            PropertyError::NoSuchProperty(_) => Exit::Usage,
            PropertyError::Unreadable(_) | PropertyError::Malformed(_) => Exit::BadInput,
        };
        Failure::plain(exit, error.to_string())
    }
}

impl Job {
    /// The job of a command line, and the program that it is about.
    pub(crate) fn read(input: &Input, property: Option<&str>) -> Result<(Self, Automata), Box<Failure>> {
        let job = Self::new(&input.source, property)?;
        let loaded = job.load(&input.source, input.function.as_deref())?;
        Ok((job, loaded))
    }

    /// Combines the command line with the task definition, if there is one. The command line wins.
    pub(crate) fn new(source: &Source, property: Option<&str>) -> Result<Self, Box<Failure>> {
        if source.files.is_empty() {
            let message = "no file is given; `summa help` shows examples".to_owned();
            return Err(Failure::plain(Exit::Usage, message));
        }
        let task = match source.files.iter().find(|file| TaskFile::is_task(file)) {
            None => None,
            Some(path) if source.files.len() == 1 => {
                Some(TaskFile::read(path).map_err(|message| Failure::plain(Exit::BadInput, message))?)
            }
            Some(path) => {
                let message = format!("the task definition `{}` must be the only file", path.shown());
                return Err(Failure::plain(Exit::Usage, message));
            }
        };
        let host = if cfg!(target_pointer_width = "64") { DataModel::Lp64 } else { DataModel::Ilp32 };
        let (model, model_source) =
            match (source.chosen_model(), task.as_ref().and_then(|task| task.data_model)) {
                (Some(model), _) => (model, ModelSource::CommandLine),
                (None, Some(model)) => (model, ModelSource::Task),
                (None, None) => (host, ModelSource::Host),
            };
        let specification = match (property, &task) {
            (Some(argument), _) => specification::from_argument(argument)?,
            (None, Some(task)) => task_specification(task)?,
            (None, None) => Specification::default_specification(),
        };
        let files = task.map_or_else(|| source.files.clone(), |task| task.files);
        Ok(Self { files, specification, model, model_source, environment: source.environment() })
    }

    /// Reads the program.
    pub(crate) fn program(&self, source: &Source, function: Option<&str>) -> Result<Program, Box<Failure>> {
        let compiler = source.compiler().map_err(|message| Failure::plain(Exit::Usage, message))?;
        let wraps = source.wraps(&compiler);
        self.accepts(wraps)?;
        let options = LoadOptions { model: self.model, compiler };
        // The options of the command line come after those of the compilation database, and win.
        let units = source.units.iter().map(|unit| (unit.file.clone(), unit.options.and(&options.compiler)));
        let read = match source.units.is_empty() {
            true => summa_c::load(&self.files, &options),
            false => summa_c::load_each(&units.collect::<Vec<_>>(), self.model),
        };
        let mut program = self.read_program(read, function)?;
        program.wraps = wraps;
        Ok(program)
    }

    /// Does the property make sense for a program in which signed overflow is defined?
    pub(crate) fn accepts(&self, wraps: bool) -> Result<(), Box<Failure>> {
        if wraps && matches!(self.specification.property, Property::NoOverflow) {
            let message =
                "with -fwrapv signed overflow is defined, so that there is none to look for (no-overflow)";
            return Err(Failure::plain(Exit::Usage, message.to_owned()));
        }
        Ok(())
    }

    /// Reads the program and builds its automata.
    pub(crate) fn load(&self, source: &Source, function: Option<&str>) -> Result<Automata, Box<Failure>> {
        self.load_as(source, function, Variant::default())
    }

    /// The same for one variant of the automata.
    pub(crate) fn load_as(
        &self,
        source: &Source,
        function: Option<&str>,
        variant: Variant,
    ) -> Result<Automata, Box<Failure>> {
        let program = self.program(source, function)?;
        program.automata(&self.specification, variant).map_err(Box::from)
    }

    /// Reads the program from these texts, each with its name, instead of its files. The given parts of them
    /// must evaluate without undefined behaviour.
    pub(crate) fn load_texts(
        &self,
        texts: &[(String, String)],
        function: Option<&str>,
        variant: Variant,
        must_be_defined: &[Span],
    ) -> Result<Automata, Box<Failure>> {
        let mut program = self.read_program(summa_c::load_texts(texts, self.model), function)?;
        program.must_be_defined = must_be_defined.to_vec();
        program.automata(&self.specification, variant).map_err(Box::from)
    }

    fn read_program(
        &self,
        read: Result<summa_c::Loaded, summa_c::LoadFailure>,
        function: Option<&str>,
    ) -> Result<Program, Box<Failure>> {
        let loaded = read.map_err(|failure| {
            let (exit, reason) = match failure.diagnostics.iter().find_map(|diagnostic| diagnostic.limit) {
                Some(ReadingLimit::Memory) => (Exit::Unknown, Limit::Memory.reason()),
                Some(ReadingLimit::Time) => (Exit::Unknown, Limit::Time.reason()),
                None => (Exit::BadInput, "the input could not be read"),
            };
            Box::new(Failure {
                exit,
                reason: reason.to_owned(),
                diagnostics: failure.diagnostics,
                sources: failure.sources,
            })
        })?;
        let mut program = Program::from(loaded);
        program.entry = function.map(str::to_owned);
        program.environment = self.environment;
        Ok(program)
    }
}

/// For the verdict line: why there are no automata.
pub(crate) fn reason_of(error: &BuildError) -> String {
    match error {
        BuildError::NoEntry { .. } => error.to_string(),
        BuildError::Broken(_) => "internal error".to_owned(),
    }
}

impl From<BuildError> for Box<Failure> {
    fn from(error: BuildError) -> Self {
        let exit = match error {
            BuildError::NoEntry { .. } => Exit::BadInput,
            BuildError::Broken(_) => Exit::Internal,
        };
        Self::new(Failure { reason: reason_of(&error), ..*Failure::plain(exit, error.to_string()) })
    }
}

/// The properties to decide, each as an argument of `--property`; None is the default one. What the command
/// line names, else what the task definition names, and `--check` in addition.
pub(crate) fn asked(
    source: &Source,
    properties: &[String],
    checks: &[String],
) -> Result<Vec<Option<String>>, Box<Failure>> {
    let mut asked: Vec<Option<String>> = properties.iter().cloned().map(Some).collect();
    if asked.is_empty() {
        let task = match source.files.as_slice() {
            [only] if TaskFile::is_task(only) => {
                Some(TaskFile::read(only).map_err(|message| Failure::plain(Exit::BadInput, message))?)
            }
            _ => None,
        };
        let files = task.map(|task| task.property_files).unwrap_or_default();
        asked.extend(files.iter().map(|file| Some(file.display().to_string())));
        if asked.is_empty() {
            asked.push(None);
        }
    }
    asked.extend(checks.iter().cloned().map(Some));
    let mut seen = Vec::new();
    asked.retain(|property| {
        let is_new = !seen.contains(property);
        seen.push(property.clone());
        is_new
    });
    Ok(asked)
}

/// The one property of a task; of several, the user must choose.
fn task_specification(task: &TaskFile) -> Result<Specification, Box<Failure>> {
    match task.property_files.as_slice() {
        [] => Ok(Specification::default_specification()),
        [only] => Ok(specification::from_file(only)?),
        several => {
            let names: Vec<_> = several.iter().map(|path| path.shown().to_string()).collect();
            let message =
                format!("the task has several properties; choose one with --property: {}", names.join(", "));
            Err(Failure::plain(Exit::Usage, message))
        }
    }
}
