//! A program that was read, and the automata that are built from it for each property.

use crate::automata::Automata;
use crate::error::Error;
use crate::property::{DEFAULT_ERROR_FUNCTIONS, Property};
use crate::specification::Specification;
use std::sync::Arc;
use summa_c::SourceMap;
use summa_c::types::DataModel;
use summa_c::{Diagnostic, Loaded, Span, tree};
use summa_cfa::environment::Environment;
use summa_cfa::{BuildError, BuildOptions, Checks};

/// A C program: read once, verified as often as wanted.
#[derive(Clone, Debug)]
pub struct Program {
    tree: tree::Program,
    sources: Arc<SourceMap>,
    warnings: Arc<[Diagnostic]>,
    /// The function to start in; otherwise the one that the property names, or `main`.
    pub entry: Option<String>,
    /// What the environment of the program may do.
    pub environment: Environment,
    /// Signed overflow is defined (`-fwrapv`).
    pub wraps: bool,
    /// What these parts of the source evaluate must be defined.
    pub must_be_defined: Vec<Span>,
}

/// Which automata are built where there is a choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Variant {
    /// Left shifts whose result does not fit are no overflow. Usually false: then they lead to no verdict.
    pub passes_shifts: bool,
    /// Members are kept apart, and an index that leaves one leads to no verdict (`Cfa::members_apart`).
    /// Otherwise, if an index may leave a member, the members of the object are taken for one, which is exact
    /// but says less.
    pub members_apart: bool,
}

impl Variant {
    /// Members apart, where engines decide the property.
    pub fn with_members_apart(property: &Property) -> Self {
        Self { members_apart: property.is_reachability(), ..Self::default() }
    }

    /// The same, in which nothing is said about undefined left shifts. None if that makes no difference.
    pub fn passing_shifts(self, property: &Property) -> Option<Self> {
        let is_checked = property.checks().undefined_shift && !self.passes_shifts;
        is_checked.then_some(Self { passes_shifts: true, ..self })
    }
}

impl Program {
    /// Reads a program from its text. `name` is that of the file in messages; `#include` and macros need a
    /// preprocessor (see `summa_c`).
    ///
    /// # Errors
    /// The text is no C.
    pub fn from_source(name: &str, text: &str, model: DataModel) -> Result<Self, Error> {
        Ok(Self::from(summa_c::load_text(name, text, model)?))
    }

    /// The sources, to which the spans of automata and diagnostics point.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// Builds the automata in which the property is reachability of errors, as far as it can be.
    ///
    /// # Errors
    /// The program has no function to start in.
    pub fn automata(&self, specification: &Specification, variant: Variant) -> Result<Automata, BuildError> {
        let Specification { property, entry, .. } = specification;
        let checks = property.checks();
        // The competition's rule, where the property is given in its words.
        let volatile_is_memory = self.environment.volatile_is_memory || specification.is_from_file();
        let build = BuildOptions {
            entry: self.entry.as_ref().or(entry.as_ref()).map_or("main", String::as_str).to_owned(),
            error_functions: match property {
                Property::Unreachable { functions, .. } => functions.clone(),
                _ => DEFAULT_ERROR_FUNCTIONS.map(str::to_owned).to_vec(),
            },
            // What is allocated, and whether it is freed, does not matter for reachability.
            promote: property.is_reachability(),
            environment: Environment { volatile_is_memory, ..self.environment },
            checks: Checks { undefined_shift: checks.undefined_shift && !variant.passes_shifts, ..checks },
            members_apart: variant.members_apart,
            must_be_defined: self.must_be_defined.clone(),
        };
        let cfa = summa_transform::build(self.tree.clone(), &build)?;
        Ok(Automata::new(cfa, self.sources.clone(), self.warnings.clone(), self.wraps))
    }
}

/// Begins with `main`, in an environment that does nothing unusual.
impl From<Loaded> for Program {
    fn from(Loaded { program, sources, warnings }: Loaded) -> Self {
        Self {
            tree: program,
            sources: Arc::new(sources),
            warnings: warnings.into(),
            entry: None,
            environment: Environment::default(),
            wraps: false,
            must_be_defined: Vec::new(),
        }
    }
}
