//! Random programs against gcc: a few pinned seeds of csmith, whose checksum must come out of `summa run`
//! exactly as out of the compiled program. `scripts/csmith.py` does the same for hundreds of seeds.
//!
//! Skipped with a message where csmith or gcc is not installed.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop where it stands, and says what it skips"
)]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Seed, csmith's switches, flags of gcc and of summa. Each seed ends within a second when compiled.
const PINNED: &[(u32, &[&str], bool)] = &[
    (1, &["--no-pointers", "--no-bitfields"], false),
    (16, &["--no-pointers"], true),
    (3, &[], false),
    (4, &[], true),
    (13, &["--float"], false),
    (6, &["--packed-struct", "--bitfields"], true),
    (7, &["--no-volatiles", "--max-funcs", "5"], false),
    (8, &["--no-unions"], true),
    (9, &["--max-array-dim", "2", "--unions"], false),
    (10, &["--longlong", "--int8"], true),
];

fn run(command: &mut Command) -> Option<(Option<i32>, String)> {
    let output = command.output().ok()?;
    Some((output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned()))
}

fn csmith_headers() -> Option<PathBuf> {
    ["/usr/include/csmith", "/usr/local/include/csmith", "/usr/include/csmith-2.3.0"]
        .map(PathBuf::from)
        .into_iter()
        .find(|folder| folder.join("csmith.h").exists())
}

/// `None`: this machine cannot do the comparison (e.g. no 32-bit libraries), or the program does not end.
fn compare(
    folder: &Path,
    headers: &Path,
    (seed, switches, is_32): (u32, &[&str], bool),
) -> Option<Result<(), String>> {
    let source = folder.join(format!("{seed}.c"));
    let binary = folder.join(format!("{seed}.bin"));
    let mut generate = Command::new("csmith");
    // csmith writes `platform.info` into its working directory.
    generate.current_dir(folder).args(["--seed", &seed.to_string(), "--output"]).arg(&source).args(switches);
    run(&mut generate)?;
    let mut compile = Command::new("gcc");
    compile.args(["-w", "-O0", "-fwrapv"]).args(if is_32 {
        &["-m32", "-msse2", "-mfpmath=sse"][..]
    } else {
        &["-m64"]
    });
    let (code, _) = run(compile.arg("-I").arg(headers).arg(&source).arg("-o").arg(&binary))?;
    if code != Some(0) {
        return None;
    }
    // A limit of the processor's time, which only ends what does not end.
    let limited = "ulimit -t 30; exec \"$0\"";
    let (code, expected) = run(Command::new("sh").arg("-c").arg(limited).arg(&binary))?;
    if code != Some(0) {
        return None;
    }
    let mut interpret = Command::new(env!("CARGO_BIN_EXE_summa"));
    interpret
        .args(["run", "--wrap", "--volatile-is-memory", if is_32 { "--32" } else { "--64" }, "-I"])
        .arg(headers)
        .arg(&source);
    let (code, got) = run(&mut interpret)?;
    let matches = code == Some(0) && got.contains(expected.trim());
    Some(if matches {
        Ok(())
    } else {
        Err(format!("seed {seed} {switches:?}: gcc says `{}`, summa:\n{got}", expected.trim()))
    })
}

#[test]
fn checksums_equal_those_of_gcc() {
    let folder = std::env::temp_dir().join(format!("summa-csmith-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let Some(headers) = csmith_headers() else {
        println!("skipped: csmith is not installed (scripts/setup.sh installs it on Debian)");
        return;
    };
    let results: Vec<_> = PINNED.iter().map(|&pinned| compare(&folder, &headers, pinned)).collect();
    let skipped = results.iter().filter(|result| result.is_none()).count();
    println!("{} compared, {skipped} skipped", results.len() - skipped);
    let failures: Vec<String> = results.into_iter().flatten().filter_map(Result::err).collect();
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(skipped < PINNED.len(), "csmith is there, but nothing could be compared");
}
