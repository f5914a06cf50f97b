//! Running `summa` as a user does: what the tests of the command line share.

#![allow(dead_code, reason = "each test uses a part of it")]

use expect_test::Expect;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The program with these arguments, without colours, in this folder.
pub(crate) fn command(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_summa"));
    command
        .current_dir(folder)
        .args(arguments.split_whitespace())
        .env("NO_COLOR", "1")
        .env("XDG_STATE_HOME", folder.join("state"))
        .env_remove("RUST_BACKTRACE");
    command
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Exit code and standard output as expected.
pub(crate) fn expect_output(output: &Output, code: i32, expected: Expect) {
    expected.assert_eq(&text(&output.stdout));
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
}

/// Exit code and standard error as expected.
pub(crate) fn expect_error(output: &Output, code: i32, expected: Expect) {
    expected.assert_eq(&text(&output.stderr));
    assert_eq!(output.status.code(), Some(code));
}

/// A folder for the files of one test program.
pub(crate) fn scratch(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file with this text in such a folder; the name is unique to the test.
pub(crate) fn file_in(folder: &Path, name: &str, content: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}
