//! The optional set of benchmark tasks, and other programs of the workspace.

use std::path::{Path, PathBuf};
use summa_c::types::DataModel;

/// A program with a property and the expected verdict.
#[derive(Clone, Debug)]
pub struct Task {
    pub path: PathBuf,
    pub model: DataModel,
    pub property: String,
    pub is_safe: bool,
    pub category: String,
}

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of the task set: `SUMMA_TASKS`, else beside the workspace.
pub fn task_folder() -> PathBuf {
    std::env::var_os("SUMMA_TASKS").map_or_else(|| workspace().join("../shared/bench/public"), PathBuf::from)
}

/// The tasks in the order of their manifest; None, with a message, if there is no task set.
pub fn tasks() -> Option<Vec<Task>> {
    let folder = task_folder();
    let Ok(manifest) = std::fs::read_to_string(folder.join("manifest.csv")) else {
        eprintln!("skipped: no task set in {} (see SUMMA_TASKS)", folder.display());
        return None;
    };
    let task = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        Some(Task {
            path: folder.join(columns.get(1)?),
            model: if *columns.get(5)? == "LP64" { DataModel::Lp64 } else { DataModel::Ilp32 },
            property: (*columns.get(2)?).to_owned(),
            is_safe: *columns.get(3)? == "true",
            category: (*columns.get(6)?).to_owned(),
        })
    };
    Some(manifest.lines().skip(1).filter_map(task).collect())
}

/// The C files in some folders of the workspace, in a fixed order.
pub fn programs_in(folders: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(workspace().join(folder)).unwrap() {
            found.push(entry.unwrap().path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|end| end == "c" || end == "i"));
    found.sort();
    found
}

/// A number from the environment, by which a test is made larger off-line.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}
