//! The front door: files in, a typed program out.

use crate::tree::Program;
use std::path::PathBuf;
use summa_base::Interner;
use summa_syntax::ast::Ast;
use summa_syntax::{
    CompilerOptions, DataModel, Diagnostic, Dialect, FileIx, ReadingLimit, Severity, SourceMap, Span, parse,
    preprocess,
};

/// How to read the inputs.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    pub model: DataModel,
    /// The data model in here does not count.
    pub compiler: CompilerOptions,
}

impl LoadOptions {
    pub fn new(model: DataModel) -> Self {
        Self { model, compiler: CompilerOptions::default() }
    }
}

/// A program and the text it came from.
#[derive(Debug)]
pub struct Loaded {
    pub program: Program,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no program: at least one diagnostic is an error.
#[derive(Debug)]
pub struct LoadFailure {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads files and links them into one program.
pub fn load(paths: &[PathBuf], options: &LoadOptions) -> Result<Loaded, LoadFailure> {
    let inputs: Vec<_> = paths.iter().map(|path| (path.clone(), options.compiler.clone())).collect();
    load_each(&inputs, options.model)
}

/// Reads files, each in its own way, and links them into one program.
pub fn load_each(inputs: &[(PathBuf, CompilerOptions)], model: DataModel) -> Result<Loaded, LoadFailure> {
    let mut sources = SourceMap::new();
    let mut diagnostics = Vec::new();
    let mut dialects = Vec::new();
    for (path, options) in inputs {
        let mut preprocess = options.preprocess.clone();
        preprocess.data_model = model;
        let text = match preprocess::load(path, &preprocess) {
            Ok(text) => text,
            Err(error) => {
                diagnostics.push(error.into_diagnostic());
                continue;
            }
        };
        match sources.add(path.display().to_string(), text) {
            Ok(_) => dialects.push(options.dialect),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if !diagnostics.is_empty() {
        return Err(LoadFailure { sources, diagnostics });
    }
    compile(sources, dialects, model)
}

/// Reads one program from text that needs no preprocessing.
pub fn load_text(name: &str, text: &str, model: DataModel) -> Result<Loaded, LoadFailure> {
    let mut sources = SourceMap::new();
    match sources.add(name, text.to_string()) {
        Ok(_) => compile(sources, vec![Dialect::default()], model),
        Err(diagnostic) => Err(LoadFailure { sources, diagnostics: vec![diagnostic] }),
    }
}

/// Reads a program from texts that need no preprocessing, each with its name, and links them.
pub fn load_texts(texts: &[(String, String)], model: DataModel) -> Result<Loaded, LoadFailure> {
    let mut sources = SourceMap::new();
    for (name, text) in texts {
        if let Err(diagnostic) = sources.add(name.clone(), text.clone()) {
            return Err(LoadFailure { sources, diagnostics: vec![diagnostic] });
        }
    }
    compile(sources, vec![Dialect::default(); texts.len()], model)
}

/// The front end recurses with the nesting of the source, which it limits; this stack is enough for the
/// limits.
const STACK_SIZE: usize = 256 << 20;

/// Parses, types and links everything in `sources`, on a stack of its own. Each file has a dialect.
fn compile(sources: SourceMap, dialects: Vec<Dialect>, model: DataModel) -> Result<Loaded, LoadFailure> {
    let thread = std::thread::Builder::new().name("front end".to_string()).stack_size(STACK_SIZE);
    match thread.spawn(move || compile_here(sources, &dialects, model)).map(std::thread::JoinHandle::join) {
        Ok(Ok(result)) => result,
        Ok(Err(panic)) => std::panic::resume_unwind(panic),
        Err(error) => {
            let message = format!("no thread for the front end could be started: {error}");
            let diagnostics = vec![Diagnostic::error(Span::NONE, message).because_of(ReadingLimit::Memory)];
            Err(LoadFailure { sources: SourceMap::new(), diagnostics })
        }
    }
}

fn compile_here(
    mut sources: SourceMap,
    dialects: &[Dialect],
    model: DataModel,
) -> Result<Loaded, LoadFailure> {
    let mut names = Interner::new();
    let (mut units, mut diagnostics): (Vec<Ast>, Vec<Diagnostic>) = (Vec::new(), Vec::new());
    let files: Vec<FileIx> = sources.files().collect();
    for file in files {
        let (unit, found) = parse(&mut sources, file, &mut names);
        units.push(unit);
        diagnostics.extend(found);
    }
    if has_errors(&diagnostics) {
        return Err(LoadFailure { sources, diagnostics });
    }
    let (program, found) = crate::sema::analyze(&units, dialects, names, model);
    diagnostics.extend(found);
    if has_errors(&diagnostics) {
        return Err(LoadFailure { sources, diagnostics });
    }
    Ok(Loaded { program, sources, warnings: diagnostics })
}

fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error)
}
