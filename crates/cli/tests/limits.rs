//! Limits and signals: whatever ends a run, the last line is a verdict with the reason, and before it stands what is known.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

/// A loop that engines follow for ever, round by round, so that memory grows with time.
const ENDLESS: &str = "void reach_error(void);
int main(void)
{
    unsigned long n = 0, m = 1;
    while (n != m) {
        n = n + 2;
        m = m + 4;
        if (m == 2)
            reach_error();
    }
    return 0;
}
";

fn file(name: &str, content: &str) -> String {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("limits");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, content).unwrap();
    path.display().to_string()
}

fn start(arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_summa"));
    command.args(arguments).env("NO_COLOR", "1").stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Ended as UNKNOWN for this reason, and said where it was.
fn assert_unknown(output: &Output, reason: &str) {
    let text = text(output);
    assert_eq!(text.lines().last(), Some(format!("Verdict: UNKNOWN({reason})").as_str()), "{text}");
    assert_eq!(output.status.code(), Some(5));
    assert!(text.contains("Known so far:") && text.contains("most often at the loop in"), "{text}");
}

fn signalled(signal: &str) -> Output {
    let path = file(&format!("signal{signal}.c"), ENDLESS);
    let child = start(&["verify", "--config", "value", &path]);
    std::thread::sleep(Duration::from_millis(1000));
    let sent = Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

#[test]
fn a_time_limit_ends_the_run() {
    let path = file("time.c", ENDLESS);
    for config in ["value", "bmc"] {
        let output =
            start(&["verify", "--config", config, "--time-limit", "2", &path]).wait_with_output().unwrap();
        assert_unknown(&output, "time limit");
    }
}

#[test]
fn control_c_ends_the_run() {
    assert_unknown(&signalled("-INT"), "interrupted");
}

#[test]
fn a_termination_signal_ends_the_run() {
    assert_unknown(&signalled("-TERM"), "interrupted");
}

#[test]
fn a_memory_limit_ends_the_run() {
    let path = file("memory.c", ENDLESS);
    let output =
        start(&["verify", "--config", "bmc", "--memory-limit", "100MB", "--time-limit", "120", &path]);
    let output = output.wait_with_output().unwrap();
    assert_unknown(&output, "memory limit");
}

#[test]
fn a_graph_is_shown_after_a_limit() {
    let path = file("graph.c", ENDLESS);
    let output = start(&["arg", "--config", "value", "--format", "json", "--time-limit", "1", &path])
        .wait_with_output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("\"waiting\": true"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("not decided: time limit"), "{said}");
}
