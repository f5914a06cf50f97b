//! Limits and signals: whatever ends a run, the last line is a verdict with the reason, and before it stands what is known.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

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

fn file(name: &str, content: &str) {
    support::file_in(&support::scratch("limits"), name, content);
}

fn start(arguments: &str) -> Child {
    let mut command = support::command(&support::scratch("limits"), arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn text(output: &Output) -> String {
    support::text(&output.stdout)
}

/// Ended as UNKNOWN for this reason, and said where it was.
fn assert_unknown(output: &Output, reason: &str) {
    let text = text(output);
    assert_eq!(text.lines().last(), Some(format!("Verdict: UNKNOWN({reason})").as_str()), "{text}");
    assert_eq!(output.status.code(), Some(5));
    assert!(text.contains("Known so far:") && text.contains("most often at the loop in"), "{text}");
}

fn signalled(signal: &str) -> Output {
    file(&format!("signal{signal}.c"), ENDLESS);
    let child = start(&format!("verify --config value signal{signal}.c"));
    std::thread::sleep(Duration::from_millis(1000));
    let sent = Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

#[test]
fn a_time_limit_ends_the_run() {
    file("time.c", ENDLESS);
    for config in ["value", "bmc"] {
        let child = start(&format!("verify --config {config} --time-limit 2 time.c"));
        let output = child.wait_with_output().unwrap();
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
    file("memory.c", ENDLESS);
    let child = start("verify --config bmc --memory-limit 100MB --time-limit 120 memory.c");
    let output = child.wait_with_output().unwrap();
    assert_unknown(&output, "memory limit");
}

#[test]
fn an_address_limit_from_outside_is_a_reason() {
    file("addresses.c", ENDLESS);
    let scratch = support::scratch("limits");
    let summa = support::command(&scratch, "verify --config value --time-limit 120 addresses.c");
    let mut words = vec![summa.get_program().to_owned()];
    words.extend(summa.get_args().map(std::ffi::OsStr::to_owned));
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -v 2000000 && exec \"$0\" \"$@\""]).args(words).current_dir(&scratch);
    let output = shell.output().unwrap();
    let text = text(&output);
    assert_eq!(text.lines().last(), Some("Verdict: UNKNOWN(memory limit)"), "{text}");
    assert_eq!(output.status.code(), Some(5));
}

#[test]
fn a_graph_is_shown_after_a_limit() {
    file("graph.c", ENDLESS);
    let child = start("arg --config value --format json --time-limit 1 graph.c");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("\"waiting\": true"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("not decided: time limit"), "{said}");
}
