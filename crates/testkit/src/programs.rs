//! C text in, automata out.

use std::path::Path;
use summa_c::SourceMap;
use summa_c::types::DataModel;
use summa_c::{LoadOptions, Loaded};
use summa_cfa::environment::Environment;
use summa_cfa::{BuildOptions, Cfa, Checks};

/// The automata of a program for LP64.
///
/// # Panics
/// The text is no program.
pub fn automata(text: &str) -> Cfa {
    automata_in(DataModel::Lp64, text)
}

/// The automata of a program.
///
/// # Panics
/// The text is no program.
pub fn automata_in(model: DataModel, text: &str) -> Cfa {
    try_automata(model, text).unwrap_or_else(|message| panic!("{text}\n{message}"))
}

/// The automata for LP64, and what knows the lines of the text.
///
/// # Panics
/// The text is no program.
pub fn automata_with_sources(text: &str) -> (Cfa, SourceMap) {
    let Loaded { program, sources, .. } =
        load(DataModel::Lp64, text).unwrap_or_else(|message| panic!("{text}\n{message}"));
    let cfa = summa_transform::build(program, &BuildOptions::default())
        .unwrap_or_else(|error| panic!("{text}\n{error}"));
    (cfa, sources)
}

/// The automata, or why the text is no program.
pub fn try_automata(model: DataModel, text: &str) -> Result<Cfa, String> {
    summa_transform::build(load(model, text)?.program, &BuildOptions::default())
        .map_err(|error| error.to_string())
}

/// The automata that are built with these options, or why the text is no program.
pub fn try_built(model: DataModel, text: &str, options: &BuildOptions) -> Result<Cfa, String> {
    summa_transform::build(load(model, text)?.program, options).map_err(|error| error.to_string())
}

/// The automata with checks of arithmetic, or why the text is no program.
pub fn try_checked(model: DataModel, text: &str, checks: Checks) -> Result<Cfa, String> {
    try_built(model, text, &BuildOptions { checks, ..BuildOptions::default() })
}

/// The automata of a program in this environment.
///
/// # Panics
/// The text is no program.
pub fn automata_around(text: &str, environment: Environment) -> Cfa {
    let options = BuildOptions { environment, promote: true, ..BuildOptions::default() };
    let program = load(DataModel::Lp64, text).unwrap_or_else(|message| panic!("{text}\n{message}")).program;
    summa_transform::build(program, &options).unwrap_or_else(|error| panic!("{text}\n{error}"))
}

/// The automata of a file; None, with a message, if it cannot be read here.
pub fn read(path: &Path, model: DataModel) -> Option<Cfa> {
    let Ok(loaded) = summa_c::load(&[path.to_path_buf()], &LoadOptions::new(model)) else {
        eprintln!("skipped: {} cannot be read here", path.display());
        return None;
    };
    summa_transform::build(loaded.program, &BuildOptions::default()).ok()
}

fn load(model: DataModel, text: &str) -> Result<Loaded, String> {
    summa_c::load_text("test.c", text, model).map_err(|failure| {
        let messages: Vec<&str> = failure.diagnostics.iter().map(|d| d.message.as_str()).collect();
        messages.join("\n")
    })
}
