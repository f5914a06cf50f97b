//! The program finds its solver where it was installed, and in a workspace that was moved.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test may stop where it stands, and says what it skips"
)]

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder(name: &str) -> PathBuf {
    let folder = support::scratch(&format!("installed-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Starts it without what cargo says about libraries, and asks the loader which solver it takes.
fn assert_finds(program: &Path, library: &Path) {
    let mut ldd = Command::new("ldd");
    let Ok(said) = ldd.arg(program).env_remove("LD_LIBRARY_PATH").output() else {
        eprintln!("skipped: there is no ldd");
        return;
    };
    let said = support::text(&said.stdout);
    let found = said.lines().find(|line| line.contains("libz3")).and_then(|line| line.split_once("=> "));
    let found = found.and_then(|(_, rest)| rest.split(" (").next()).unwrap_or_default();
    let is_it = Path::new(found).canonicalize().is_ok_and(|found| found.starts_with(library));
    assert!(is_it, "{found} instead of one in {}", library.display());
    let output = Command::new(program)
        .args(["verify", "--quiet", "examples/lock.c"])
        .current_dir(root())
        .env_remove("LD_LIBRARY_PATH")
        .output()
        .unwrap();
    assert!(support::text(&output.stdout).starts_with("Verdict: "), "{}", support::text(&output.stderr));
}

#[test]
fn an_installed_program_brings_its_solver() {
    let folder = folder("prefix");
    let program = Path::new(env!("CARGO_BIN_EXE_summa"));
    let install = |program: &Path| {
        let mut script = Command::new(root().join("scripts/install.sh"));
        assert!(script.arg(program).arg(&folder).output().unwrap().status.success());
    };
    install(program);
    let installed = folder.join("bin/summa");
    assert_finds(&installed, &folder.canonicalize().unwrap().join("lib"));
    // As after `cargo install --root`: the program is there already.
    std::fs::remove_dir_all(folder.join("lib")).unwrap();
    install(&installed);
    assert_finds(&installed, &folder.canonicalize().unwrap().join("lib"));
    assert!(folder.join("share/doc/summa/NOTICE").is_file());
}

#[test]
fn a_workspace_can_be_moved() {
    let folder = folder("moved").canonicalize().unwrap();
    let (target, library) = (folder.join("target/release"), folder.join("third_party/z3/lib"));
    std::fs::create_dir_all(&target).unwrap();
    std::fs::create_dir_all(&library).unwrap();
    let program = target.join("summa");
    std::fs::copy(env!("CARGO_BIN_EXE_summa"), &program).unwrap();
    for entry in std::fs::read_dir(root().join("third_party/z3/lib")).unwrap() {
        let from = entry.unwrap().path();
        std::fs::copy(&from, library.join(from.file_name().unwrap())).unwrap();
    }
    assert_finds(&program, &library);
}
