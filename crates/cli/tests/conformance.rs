//! Programs that use the language broadly print under `summa run` what they print when gcc has compiled them,
//! in both data models. Skips what this machine's gcc cannot do.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance")
}

/// Compiles with gcc; None if gcc or its libraries for the model are missing.
fn compile(source: &Path, model: &str) -> Option<PathBuf> {
    let name = format!("conformance-{}{model}", source.file_stem()?.to_str()?);
    let program = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-O0", "-msse2", "-mfpmath=sse", model, "-o"]).arg(&program).arg(source).arg("-lm");
    gcc.status().ok()?.success().then_some(program)
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

#[test]
fn programs_print_what_gcc_makes_them_print() {
    let mut sources: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    sources.sort();
    let mut compared = 0;
    for source in &sources {
        for (gcc_model, our_model) in [("-m64", "--64"), ("-m32", "--32")] {
            let Some(program) = compile(source, gcc_model) else {
                eprintln!("skipped: gcc cannot compile {} with {gcc_model} here", source.display());
                continue;
            };
            let expected = run(&mut Command::new(program));
            let mut summa = Command::new(env!("CARGO_BIN_EXE_summa"));
            let ours = run(summa.args(["run", our_model]).arg(source));
            let (expected, ours) =
                (String::from_utf8_lossy(&expected.stdout), String::from_utf8_lossy(&ours.stdout));
            // Our own lines follow the program's output.
            assert!(
                ours.starts_with(&*expected),
                "{} {our_model}\ngcc:\n{expected}\nsumma:\n{ours}",
                source.display()
            );
            assert!(ours.contains("\nOutcome: "), "{}: no outcome\n{ours}", source.display());
            compared += 1;
        }
    }
    assert!(compared > 0 || Command::new("gcc").arg("--version").output().is_err(), "nothing was compared");
}
