//! What the tests over programs share: where programs come from.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(dead_code, reason = "each test uses a part of it")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

use std::path::{Path, PathBuf};
use summa_c::types::DataModel;
use summa_c::{LoadOptions, load};
use summa_cfa::{BuildOptions, Cfa};

pub(crate) fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

pub(crate) fn read(path: &Path, model: DataModel) -> Option<Cfa> {
    let Ok(loaded) = load(&[path.to_path_buf()], &LoadOptions::new(model)) else {
        eprintln!("skipped: {} cannot be read here", path.display());
        return None;
    };
    summa_cfa::build(loaded.program, &BuildOptions::default()).ok()
}

/// The programs in some folders of the workspace.
pub(crate) fn programs(folders: &[&str]) -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut sources = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(here.join(folder)).unwrap() {
            sources.push(entry.unwrap().path());
        }
    }
    sources.retain(|path| path.extension().is_some_and(|end| end == "c" || end == "i"));
    sources.sort();
    sources
}

pub(crate) struct Task {
    pub(crate) path: PathBuf,
    pub(crate) model: DataModel,
    pub(crate) property: String,
    pub(crate) is_safe: bool,
    pub(crate) category: String,
}

/// The task set (`SUMMA_TASKS`); None if there is none.
pub(crate) fn tasks() -> Option<Vec<Task>> {
    let folder = std::env::var("SUMMA_TASKS")
        .map(PathBuf::from)
        .unwrap_or_else(|_| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/bench/public"));
    let Ok(manifest) = std::fs::read_to_string(folder.join("manifest.csv")) else {
        eprintln!("skipped: no task set");
        return None;
    };
    let task = |line: &str| {
        let columns: Vec<&str> = line.split(',').collect();
        Some(Task {
            path: folder.join(columns.get(1)?),
            model: if *columns.get(5)? == "LP64" { DataModel::Lp64 } else { DataModel::Ilp32 },
            property: columns.get(2)?.to_string(),
            is_safe: *columns.get(3)? == "true",
            category: columns.get(6)?.to_string(),
        })
    };
    Some(manifest.lines().skip(1).filter_map(task).collect())
}
