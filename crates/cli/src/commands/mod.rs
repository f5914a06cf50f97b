//! One file per command: what to do in which order. How things are said is in `report.rs`.

pub(crate) mod arg;
pub(crate) mod cfa;
pub(crate) mod check_proof;
pub(crate) mod configs;
pub(crate) mod harness;
pub(crate) mod run;
pub(crate) mod summaries;
pub(crate) mod validate;
pub(crate) mod verify;

use crate::args::Source;
use crate::front_end::{Job, Loaded};
use crate::report::Report;
use crate::verdict::Exit;

/// Reads a program for a command without a property; what is wrong with it has been reported.
fn load(report: &Report, source: &Source, entry: Option<&str>) -> Result<Loaded, Exit> {
    match Job::new(source, None).and_then(|job| job.load(source, entry)) {
        Ok(loaded) => {
            report.diagnostics(&loaded.warnings, &loaded.sources);
            Ok(loaded)
        }
        Err(failure) => {
            report.failure(&failure);
            Err(failure.exit)
        }
    }
}
