//! Builds and runs C programs with the system's gcc, as the truth to compare with.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder for one program; removed with the value, also when a test fails.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left behind in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The output of the program, or None, with a message, if gcc cannot build for the model of `flag`. A program
/// that gcc refuses is an error in the test.
#[allow(clippy::print_stdout, reason = "whoever runs the tests should know what was left out")]
pub(crate) fn run(name: &str, program: &str, flag: &str) -> Option<String> {
    let folder = Folder(std::env::temp_dir().join(format!("summa-{name}-{}{flag}", std::process::id())));
    std::fs::create_dir_all(&folder.0).ok()?;
    let (source, probe, binary) =
        (folder.0.join("program.c"), folder.0.join("probe.c"), folder.0.join("program"));
    std::fs::write(&source, program).ok()?;
    std::fs::write(&probe, "#include <stdio.h>\nint main(void) { return 0; }\n").ok()?;
    let build = |source: &Path| {
        Command::new("gcc").args(["-w", "-std=gnu11", flag, "-o"]).arg(&binary).arg(source).output().ok()
    };
    if !build(&probe).is_some_and(|built| built.status.success()) {
        println!("skipped: gcc {flag} is not available");
        return None;
    }
    let built = build(&source)?;
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = Command::new(&binary).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A function that prints the bytes of an object, for the programs.
pub(crate) const PRINT_BYTES: &str = "\
static void bytes(const void *object, unsigned size) {
    unsigned i;
    for (i = 0; i < size; i++) printf(\"%02x\", ((const unsigned char *) object)[i]);
    printf(\"\\n\");
}
";
