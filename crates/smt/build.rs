//! Makes programs find Z3's shared library at run time.
//!
//! The programs of a package with this build script look for the library in [`FOLDERS`], relative to the
//! binary, and at last where it was when they were built, for target folders elsewhere. Programs of other
//! packages that depend on this one cannot be told from here, but cargo lets the programs it starts search
//! every library folder inside of the target folder: a link to the library there is enough for their tests.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Where `make install` puts it; and in a workspace, which may be moved.
const FOLDERS: [&str; 2] = ["$ORIGIN/../lib/summa", "$ORIGIN/../../third_party/z3/lib"];

fn main() {
    println!("cargo:rerun-if-env-changed=Z3_LIBRARY_PATH_OVERRIDE");
    // Packages that use this script have none of their own: what is missing would count as changed every
    // time.
    println!("cargo:rerun-if-changed=../smt/build.rs");
    let Ok(folder) = env::var("Z3_LIBRARY_PATH_OVERRIDE") else { return };
    let folder = PathBuf::from(folder);
    let folder = folder.canonicalize().unwrap_or(folder);
    println!("cargo:rerun-if-changed={}", folder.display());
    if !has_solver(&folder) {
        // Else the linker would take whatever version the system has, with faults that ours does not have.
        println!(
            "cargo::error=the solver is not in {}: run scripts/setup.sh (or make demo)",
            folder.display()
        );
    }
    for folder in FOLDERS {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{folder}");
    }
    println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
    if let Ok(out) = env::var("OUT_DIR") {
        link_libraries(&folder, Path::new(&out));
        println!("cargo:rustc-link-search=native={out}");
    }
}

fn has_solver(folder: &Path) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libz3"))
}

/// Without the links only programs of other packages have a problem, and the loader names it; so this does
/// not fail.
fn link_libraries(from: &Path, to: &Path) {
    let Ok(entries) = fs::read_dir(from) else { return };
    for entry in entries.flatten() {
        let target = to.join(entry.file_name());
        let _ = fs::remove_file(&target);
        #[cfg(unix)]
        let _ = std::os::unix::fs::symlink(entry.path(), &target);
        #[cfg(not(unix))]
        let _ = fs::copy(entry.path(), &target);
    }
}
