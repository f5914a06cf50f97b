//! Everything that the program writes, and whether it arrived.
//!
//! A proof on a full disk, or a verdict into a closed pipe, is not what the user asked for. In such a case
//! the process ends with [`Exit::Unwritten`], whatever the verdict is.

use crate::verdict::Exit;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use summa_base::plain::Shown;

/// Set when something could not be written.
static IS_INCOMPLETE: AtomicBool = AtomicBool::new(false);

/// Writes to standard output, up to the last byte.
pub(crate) fn out(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if let Err(error) = out.write_all(bytes).and_then(|()| out.flush())
        && !IS_INCOMPLETE.swap(true, Ordering::SeqCst)
    {
        // Nothing can be done if standard error is closed too.
        let _ = writeln!(io::stderr(), "error: standard output cannot be written: {error}");
    }
}

/// Writes a file. `Err` is a message for the user.
pub(crate) fn file(path: &Path, bytes: &[u8]) -> Result<(), String> {
    File::create(path).and_then(|mut file| file.write_all(bytes)).map_err(|error| failed(path, &error))
}

/// The message for the user when something could not be written.
pub(crate) fn failed(path: &Path, error: &io::Error) -> String {
    incomplete();
    format!("cannot write `{}`: {error}", path.shown())
}

/// Notes that requested output is missing.
pub(crate) fn incomplete() {
    IS_INCOMPLETE.store(true, Ordering::SeqCst);
}

/// The exit code of the process: that of the answer, if all output was written.
pub(crate) fn exit(answer: Exit) -> Exit {
    match answer {
        Exit::Holds | Exit::Violated | Exit::Unknown | Exit::BadInput
            if IS_INCOMPLETE.load(Ordering::SeqCst) =>
        {
            Exit::Unwritten
        }
        _ => answer,
    }
}
