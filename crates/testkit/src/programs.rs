//! C text in, automata out.

use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa};

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

/// The automata, or why the text is no program.
pub fn try_automata(model: DataModel, text: &str) -> Result<Cfa, String> {
    let loaded = summa_c::load_text("test.c", text, model).map_err(|failure| {
        let messages: Vec<&str> = failure.diagnostics.iter().map(|d| d.message.as_str()).collect();
        messages.join("\n")
    })?;
    summa_cfa::build(loaded.program, &BuildOptions::default()).map_err(|error| error.to_string())
}
