//! Running `summa` as a user does: what the tests of the command line share.

#![allow(dead_code, reason = "each test uses a part of it")]

use expect_test::Expect;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

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

/// Waits until the process has worked so many milliseconds, however long that takes; or it has ended.
#[cfg(unix)]
pub(crate) fn until_at_work(child: &std::process::Child, milliseconds: u64) {
    // The 14th and 15th field are hundredths of a second; the second one, in parentheses, may have blanks.
    let worked = || {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
        let fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
        Some(fields.filter_map(|field| field.parse::<u64>().ok()).sum::<u64>() * 10)
    };
    if !Path::new("/proc/self/stat").exists() {
        std::thread::sleep(std::time::Duration::from_millis(10 * milliseconds));
    }
    while worked().is_some_and(|worked| worked < milliseconds) {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
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

/// What the work on the items says, in their order; each core has one of them at a time.
pub(crate) fn on_every_core<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(number) else { break };
                    let result = work(item);
                    done.lock().unwrap().push((number, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap();
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
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
