//! Finds the optional set of benchmark tasks.

use std::path::{Path, PathBuf};

/// All `.c` and `.i` files of the task set, in a fixed order: below `SUMMA_TASKS`, else beside the workspace.
/// Empty, with a message, when the set is absent.
#[allow(clippy::print_stdout, reason = "whoever runs the tests should know what was left out")]
pub(crate) fn task_files() -> Vec<PathBuf> {
    let folder = std::env::var_os("SUMMA_TASKS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/public"),
        PathBuf::from,
    );
    let mut found = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c" || extension == "i") {
                found.push(path);
            }
        }
    }
    if found.is_empty() {
        println!("skipped: no tasks in {} (set SUMMA_TASKS)", folder.display());
    }
    found.sort();
    found
}
