//! `summa harness`: like `summa verify`, and a violation becomes a file for compilers and testing tools.

use crate::args::{Harness, HarnessFormat, Verify};
use crate::verdict::Exit;
use std::path::PathBuf;
use summa_base::Budget;

pub(crate) fn write(options: &Harness, budget: Budget) -> Exit {
    let mut verify: Verify = options.verify.clone();
    let output = |default: &str| options.output.clone().unwrap_or_else(|| PathBuf::from(default));
    match options.format {
        HarnessFormat::Gcc => verify.exports.harness = Some(output("harness.c")),
        HarnessFormat::TestComp => verify.exports.test_suite = Some(output("test-suite")),
    }
    super::verify::verify(&verify, budget)
}
