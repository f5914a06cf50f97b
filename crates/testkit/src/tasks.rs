//! The optional set of benchmark tasks, and other programs of the workspace.

use crate::knobs::KNOBS;
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
    KNOBS.tasks.text().map_or_else(|| workspace().join("../shared/bench/public"), PathBuf::from)
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

/// All `.c` and `.i` files of the task set, in a fixed order. Empty, with a message, if there is no task set.
pub fn task_files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![task_folder()];
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
        eprintln!("skipped: no tasks in {} (see SUMMA_TASKS)", task_folder().display());
    }
    found.sort();
    found
}
