//! An execution that violates what was proved: a bug in Summa, whichever of the two is wrong.
//!
//! No verdict is given. Both are kept, so that the bug can be found: the proof, as `summa check-proof` reads
//! it, and the inputs of the execution.

use super::Telling;
use crate::written;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use summa_base::plain::Shown;
use summa_cfa::Cfa;
use summa_interp::{InputOrigin, InputRecord, Taint};
use summa_verify::executions::describe_taint;
use summa_verify::{Automata, Contradiction};

/// The number of folder names that are tried for the two files.
const MAX_FOLDERS: u32 = 1000;

impl Telling<'_> {
    /// Keeps both in files and reports it.
    pub(super) fn contradiction(&self, automata: &Automata, both: &Contradiction) {
        let Contradiction { engine, proof, violation } = both;
        let (report, cfa) = (self.report, &automata.cfa);
        let span = cfa.edge(violation.edge).span;
        report.snippet(&automata.sources, span, &violation.what, "here, in an execution");
        let what = format!("an execution contradicts the proof of {engine}");
        report.error(&format!("internal error: {what}, which is a bug in Summa. Please report it."));
        let proof = proof.certificate().map(|proof| format!("{:#}\n", proof.to_json(cfa)));
        let inputs = inputs(cfa, &violation.outcome.inputs);
        match keep(&std::env::temp_dir(), proof.as_deref(), &inputs) {
            Ok(kept) => {
                let proof = kept
                    .proof
                    .as_deref()
                    .map_or_else(|| "none that can be stored".to_owned(), |path| path.shown().to_string());
                report.line(format_args!("Proof:       {proof}"));
                report.line(format_args!("Inputs:      {}", kept.inputs.shown()));
            }
            Err(message) => report.error(&message),
        }
    }
}

/// The inputs of the execution, in order.
fn inputs(cfa: &Cfa, inputs: &[InputRecord]) -> String {
    let mut text = String::from(
        "# The values that the execution used for what the program does not determine, in order.\n",
    );
    for input in inputs {
        let what = match input.request.origin {
            InputOrigin::Havoc(source) => describe_taint(cfa, Taint::Input(source)),
            InputOrigin::External(function) => describe_taint(cfa, Taint::ExternalResult(function)),
            InputOrigin::Uninitialised => "memory that was never written".to_owned(),
        };
        let _ = writeln!(text, "{input} # {what}");
    }
    text
}

struct Kept {
    proof: Option<PathBuf>,
    inputs: PathBuf,
}

/// Writes both into a new folder. `Err` is a message for the user.
fn keep(parent: &Path, proof: Option<&str>, inputs: &str) -> Result<Kept, String> {
    let name = |number: u32| parent.join(format!("summa-contradiction-{}-{number}", std::process::id()));
    // Only a new folder: it contains no files of others.
    let made = (0..MAX_FOLDERS).map(name).find(|folder| std::fs::create_dir(folder).is_ok());
    let folder = made.ok_or_else(|| {
        written::incomplete();
        format!("proof and inputs are lost: no folder can be made in `{}`", parent.shown())
    })?;
    let kept = Kept { proof: proof.map(|_| folder.join("proof.json")), inputs: folder.join("inputs.txt") };
    if let (Some(path), Some(proof)) = (&kept.proof, proof) {
        written::file(path, proof.as_bytes())?;
    }
    written::file(&kept.inputs, inputs.as_bytes())?;
    Ok(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Exit, Verdict};

    #[test]
    fn both_are_kept_in_a_folder_of_their_own() {
        let first = keep(&std::env::temp_dir(), Some("{}\n"), "5 # n\n").expect("a temporary folder");
        let second = keep(&std::env::temp_dir(), None, "").expect("another one");
        assert_ne!(first.inputs.parent(), second.inputs.parent());
        let proof = first.proof.expect("there is one");
        assert_eq!(std::fs::read_to_string(&proof).ok().as_deref(), Some("{}\n"));
        assert_eq!(std::fs::read_to_string(&first.inputs).ok().as_deref(), Some("5 # n\n"));
        assert!(second.proof.is_none());
        for inputs in [first.inputs, second.inputs] {
            let _ = inputs.parent().map(std::fs::remove_dir_all);
        }
        assert!(keep(Path::new("/nowhere"), None, "").is_err());
    }

    #[test]
    fn it_is_an_internal_error() {
        let verdict = Verdict::Internal("two answers".to_owned());
        assert_eq!(verdict.to_string(), "UNKNOWN(internal error: two answers)");
        assert_eq!(Exit::from(&verdict), Exit::Internal);
    }
}
