//! Options that say which program is meant and how to read it. Options of C compilers keep their names.

use super::{Globals, parse_data_model, parse_size};
use crate::compile_commands::Unit;
use clap::Args;
use std::path::{Path, PathBuf};
use summa_c::types::DataModel;
use summa_cfa::environment::Environment;
use summa_syntax::preprocess::PreprocessOptions;
use summa_syntax::{CompilerOptions, gcc_options};

/// The hidden option that hands on one word as compilers spell it.
pub(super) const COMPILER_OPTION: &str = "compiler-option";

/// A program and where it starts.
#[derive(Args, Clone, Debug)]
pub(crate) struct Input {
    /// The function to start in
    #[arg(long, aliases = ["entry-function", "entry"], value_name = "NAME")]
    pub(crate) function: Option<String>,

    /// Use at most this much memory (4GB, 500MB); three quarters of the machine's if not given
    #[arg(long, alias = "memlimit", value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory_limit: Option<u64>,

    #[command(flatten)]
    pub(crate) source: Source,
}

/// A program and how to read it.
#[derive(Args, Clone, Debug)]
pub(crate) struct Source {
    /// C files (.c, or .i if preprocessed), linked into one program; or one task definition (.yml)
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,

    /// Sizes of the C types: ILP32 or LP64; without it, from the task definition, else as on this machine
    #[arg(long, value_name = "MODEL", value_parser = parse_data_model, help_heading = "Reading C")]
    pub(crate) data_model: Option<DataModel>,

    /// Same as --data-model ILP32
    #[arg(long = "32", aliases = ["ILP32", "i386"], conflicts_with_all = ["data_model", "m64"])]
    #[arg(help_heading = "Reading C")]
    pub(crate) m32: bool,

    /// Same as --data-model LP64
    #[arg(long = "64", aliases = ["LP64", "x86_64"], conflicts_with = "data_model")]
    #[arg(help_heading = "Reading C")]
    pub(crate) m64: bool,

    /// Look for headers in this folder too
    #[arg(short = 'I', value_name = "DIR", help_heading = "Reading C")]
    pub(crate) include_dirs: Vec<PathBuf>,

    /// Define a macro
    #[arg(short = 'D', value_name = "NAME[=VALUE]", help_heading = "Reading C")]
    pub(crate) defines: Vec<String>,

    /// Undefine a macro
    #[arg(short = 'U', value_name = "NAME", help_heading = "Reading C")]
    pub(crate) undefines: Vec<String>,

    /// The C standard for the preprocessor (also -std=…)
    #[arg(long, value_name = "STANDARD", help_heading = "Reading C")]
    pub(crate) std: Option<String>,

    /// Read this file before each input (also -include)
    #[arg(long = "include", value_name = "FILE", help_heading = "Reading C")]
    pub(crate) include_files: Vec<PathBuf>,

    /// Allocations may fail: each call of malloc and its relatives may return null
    #[arg(long, help_heading = "Environment")]
    pub(crate) malloc_may_fail: bool,

    /// Only the program writes to volatile objects, as in the competition (and with its property files)
    #[arg(long, help_heading = "Environment")]
    pub(crate) volatile_is_memory: bool,

    /// What objects with static storage hold when the function to start in is called
    #[arg(long, value_enum, value_name = "VALUES", default_value_t = Globals::Initial)]
    #[arg(help_heading = "Environment")]
    pub(crate) globals: Globals,

    /// Options of compilers in their own spelling and order; `spelling.rs` puts them here.
    #[arg(long = COMPILER_OPTION, hide = true, value_name = "WORD", allow_hyphen_values = true)]
    pub(crate) compiler_options: Vec<String>,

    /// From a compilation database: each file with options of its own.
    #[arg(skip)]
    pub(crate) units: Vec<Unit>,
}

impl Source {
    /// What the command line and the settings say about the reading of all files. `Err` is a message for the
    /// user.
    pub(crate) fn compiler(&self) -> Result<CompilerOptions, String> {
        if let Some(standard) = &self.std {
            gcc_options::checked_standard(standard)?;
        }
        let named = PreprocessOptions {
            include_dirs: self.include_dirs.clone(),
            defines: self.defines.clone(),
            undefines: self.undefines.clone(),
            std: self.std.clone(),
            include_files: self.include_files.clone(),
            ..PreprocessOptions::default()
        };
        let named = CompilerOptions { preprocess: named, ..CompilerOptions::default() };
        let spelled = gcc_options::read(self.compiler_options.iter().map(String::as_str), Path::new(""))?;
        if let Some(language) = &spelled.other_language {
            return Err(format!("the language `{language}` of the option `-x` is not C"));
        }
        Ok(named.and(&spelled))
    }

    /// Is signed overflow defined, in some file at least? The options are those of the command line.
    pub(crate) fn wraps(&self, compiler: &CompilerOptions) -> bool {
        let wraps = |options: &CompilerOptions| options.dialect.wraps == Some(true);
        match self.units.as_slice() {
            [] => wraps(compiler),
            units => units.iter().any(|unit| wraps(&unit.options.and(compiler))),
        }
    }

    /// What the environment may do, as far as the command line says.
    pub(crate) fn environment(&self) -> Environment {
        Environment {
            allocation_may_fail: self.malloc_may_fail,
            volatile_is_memory: self.volatile_is_memory,
            any_globals: self.globals == Globals::Any,
        }
    }

    /// The data model that the user asks for.
    pub(crate) fn chosen_model(&self) -> Option<DataModel> {
        match (self.m32, self.m64) {
            (true, _) => Some(DataModel::Ilp32),
            (_, true) => Some(DataModel::Lp64),
            _ => self.data_model,
        }
    }
}
