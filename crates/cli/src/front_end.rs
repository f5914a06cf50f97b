//! From the command line to a frozen automaton: which files, which property, which data model, then `c` and `cfa`.

use crate::args::{Input, Source};
use crate::property::{DEFAULT_ERROR_FUNCTIONS, Property, PropertyError, Specification};
use crate::task::Task;
use crate::verdict::Exit;
use std::path::PathBuf;
use summa_c::preprocess::PreprocessOptions;
use summa_c::source::SourceMap;
use summa_c::types::DataModel;
use summa_c::{Diagnostic, LoadOptions, Span};
use summa_cfa::{BuildError, BuildOptions, Cfa};

/// What is to be done, before anything is read.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) specification: Specification,
    pub(crate) model: DataModel,
    pub(crate) model_source: ModelSource,
}

/// Why the data model is what it is: a wrong one is a frequent cause of surprises, so it is always printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ModelSource {
    CommandLine,
    Task,
    Host,
}

/// A program that was read.
#[derive(Debug)]
pub(crate) struct Loaded {
    pub(crate) cfa: Cfa,
    pub(crate) sources: SourceMap,
    pub(crate) warnings: Vec<Diagnostic>,
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
    fn plain(exit: Exit, message: String) -> Box<Self> {
        let diagnostics = vec![Diagnostic::error(Span::NONE, message.clone())];
        Box::new(Self { exit, reason: message, diagnostics, sources: SourceMap::new() })
    }
}

impl From<PropertyError> for Box<Failure> {
    fn from(error: PropertyError) -> Self {
        let exit = match error {
            PropertyError::NoSuchProperty(_) => Exit::Usage,
            PropertyError::Unreadable(_) | PropertyError::Malformed { .. } => Exit::BadInput,
        };
        Failure::plain(exit, error.to_string())
    }
}

impl Job {
    /// The job of a command line, and the program that it is about.
    pub(crate) fn read(input: &Input, property: Option<&str>) -> Result<(Self, Loaded), Box<Failure>> {
        let job = Self::new(&input.source, property)?;
        let loaded = job.load(&input.source, input.function.as_deref())?;
        Ok((job, loaded))
    }

    /// Puts together what the command line and, if there is one, the task definition say. The command line wins.
    pub(crate) fn new(source: &Source, property: Option<&str>) -> Result<Self, Box<Failure>> {
        if source.files.is_empty() {
            let message = "no file is given; `summa help` shows examples".to_owned();
            return Err(Failure::plain(Exit::Usage, message));
        }
        let task = match source.files.iter().find(|file| Task::is_task(file)) {
            None => None,
            Some(path) if source.files.len() == 1 => {
                Some(Task::read(path).map_err(|message| Failure::plain(Exit::BadInput, message))?)
            }
            Some(path) => {
                let message = format!("the task definition `{}` must be the only file", path.display());
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
            (Some(argument), _) => Specification::from_argument(argument)?,
            (None, Some(task)) => task_specification(task)?,
            (None, None) => Specification::default_specification(),
        };
        let files = task.map_or_else(|| source.files.clone(), |task| task.files);
        Ok(Self { files, specification, model, model_source })
    }

    /// Reads the program and builds its automata.
    pub(crate) fn load(&self, source: &Source, function: Option<&str>) -> Result<Loaded, Box<Failure>> {
        let options = LoadOptions {
            model: self.model,
            preprocess: PreprocessOptions {
                include_dirs: source.include_dirs.clone(),
                defines: source.defines.clone(),
                undefines: source.undefines.clone(),
                std: source.std.clone(),
                include_files: source.include_files.clone(),
                ..PreprocessOptions::default()
            },
        };
        let loaded = summa_c::load(&self.files, &options).map_err(|failure| {
            Box::new(Failure {
                exit: Exit::BadInput,
                reason: "the input could not be read".to_owned(),
                diagnostics: failure.diagnostics,
                sources: failure.sources,
            })
        })?;
        let build = BuildOptions {
            entry: function.or(self.specification.entry.as_deref()).unwrap_or("main").to_owned(),
            error_functions: match &self.specification.property {
                Property::Unreachable { functions, .. } => functions.clone(),
                _ => DEFAULT_ERROR_FUNCTIONS.map(str::to_owned).to_vec(),
            },
            // What is allocated, and whether it is freed, does not matter for reachability.
            promote: matches!(self.specification.property, Property::Unreachable { .. }),
        };
        match summa_cfa::build(loaded.program, &build) {
            Ok(cfa) => Ok(Loaded { cfa, sources: loaded.sources, warnings: loaded.warnings }),
            Err(error) => {
                let message = error.to_string();
                let (exit, reason) = match error {
                    BuildError::NoEntry { .. } => (Exit::BadInput, message.clone()),
                    BuildError::Broken(_) => (Exit::Internal, "internal error".to_owned()),
                };
                let diagnostics = vec![Diagnostic::error(Span::NONE, message)];
                Err(Box::new(Failure { exit, reason, diagnostics, sources: loaded.sources }))
            }
        }
    }
}

/// The one property of a task; of several, the user must choose.
fn task_specification(task: &Task) -> Result<Specification, Box<Failure>> {
    match task.property_files.as_slice() {
        [] => Ok(Specification::default_specification()),
        [only] => Ok(Specification::from_file(only)?),
        several => {
            let names: Vec<_> = several.iter().map(|path| path.display().to_string()).collect();
            let message =
                format!("the task has several properties; choose one with --property: {}", names.join(", "));
            Err(Failure::plain(Exit::Usage, message))
        }
    }
}
