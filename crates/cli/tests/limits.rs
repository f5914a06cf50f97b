//! Limits and signals: whatever ends a run, the last line is a verdict with the reason, and before it stands
//! what is known.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use std::process::{Child, Command, Output, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// A loop that engines follow without end, round by round, so that memory grows with time.
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
    support::until_at_work(&child, 600);
    let sent = Command::new("kill").arg(signal).arg(child.id().to_string()).status().unwrap();
    assert!(sent.success());
    child.wait_with_output().unwrap()
}

/// In a shell that limits something before it becomes Summa.
fn limited(limit: &str, arguments: &str) -> Output {
    let scratch = support::scratch("limits");
    let summa = support::command(&scratch, arguments);
    let mut words = vec![summa.get_program().to_owned()];
    words.extend(summa.get_args().map(std::ffi::OsStr::to_owned));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit {limit} && exec \"$0\" \"$@\"")).args(words);
    shell.current_dir(&scratch).output().unwrap()
}

fn last(output: &Output) -> String {
    text(output).lines().last().unwrap_or("").to_owned()
}

/// Work is counted: on a busy machine a run gets as far as on an idle one.
#[test]
fn a_work_limit_ends_the_run() {
    file("work.c", ENDLESS);
    for config in ["value", "bmc"] {
        let run = || start(&format!("verify --config {config} --work-limit 1 work.c")).wait_with_output();
        let (first, second) = (run().unwrap(), run().unwrap());
        assert_unknown(&first, "work limit");
        assert_eq!(text(&first), text(&second), "{config}");
    }
}

#[test]
fn a_time_limit_ends_the_run() {
    file("time.c", HARD);
    let output = start("verify --time-limit 1 time.c").wait_with_output().unwrap();
    assert_eq!((last(&output).as_str(), output.status.code()), ("Verdict: UNKNOWN(time limit)", Some(5)));
}

/// Of the processor's time all that there is can be spent, and no more, with one thread and with several.
#[test]
fn a_limit_of_processor_time_ends_the_run() {
    file("processor.c", HARD);
    for arguments in ["verify processor.c", "verify --jobs 3 processor.c", "verify --config bmc processor.c"]
    {
        // The soft limit alone, as benchmark tools set it, and both.
        for limit in ["-S -t 2", "-t 2"] {
            let output = limited(limit, arguments);
            let ended = (last(&output), output.status.code());
            assert_eq!(ended, ("Verdict: UNKNOWN(time limit)".to_owned(), Some(5)), "{limit}: {arguments}");
        }
    }
}

#[test]
fn control_c_ends_the_run() {
    assert_unknown(&signalled("-INT"), "interrupted");
}

/// Questions to the solver that it does not answer.
const HARD: &str = "unsigned long __VERIFIER_nondet_ulong(void);
void reach_error(void);
int main(void)
{
    unsigned long x = __VERIFIER_nondet_ulong(), y = __VERIFIER_nondet_ulong();
    if (x > 1 && y > 1 && x < 4294967296 && y < 4294967296 && x * y == 13835058115983998977ul && x < y)
        reach_error();
    return 0;
}
";

/// At whatever moment it comes: also while the solver is at work, which would handle it otherwise.
#[test]
fn no_control_c_is_swallowed() {
    const RUNS: u64 = 50;
    file("hard.c", HARD);
    let next = AtomicU64::new(0);
    let failures = Mutex::new(Vec::new());
    let work = || {
        while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < RUNS) {
            let config =
                ["", "--config bmc", "--config k-induction", "--config predicate"][number as usize % 4];
            let child = start(&format!("verify {config} hard.c"));
            // Hundredths of a second of its own work, in no order; before the first one there may be no
            // handler yet.
            support::until_at_work(&child, 20 + 10 * (number * 29 % 53));
            let sent = Command::new("kill").arg("-INT").arg(child.id().to_string()).status().unwrap();
            let output = child.wait_with_output().unwrap();
            let ended = (last(&output), output.status.code());
            if sent.success() && ended != ("Verdict: UNKNOWN(interrupted)".to_owned(), Some(5)) {
                failures.lock().unwrap().push((number, ended));
            }
        }
    };
    std::thread::scope(|scope| (0..4).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{failures:?}");
}

#[test]
fn a_termination_signal_ends_the_run() {
    assert_unknown(&signalled("-TERM"), "interrupted");
}

#[test]
fn a_memory_limit_ends_the_run() {
    file("memory.c", ENDLESS);
    let child = start("verify --config bmc --memory-limit 100MB memory.c");
    let output = child.wait_with_output().unwrap();
    assert_unknown(&output, "memory limit");
}

#[test]
fn an_address_limit_from_outside_is_a_reason() {
    file("addresses.c", ENDLESS);
    for kilobytes in [100_000, 300_000, 600_000, 1_000_000, 2_000_000] {
        let output = limited(&format!("-v {kilobytes}"), "verify --config value addresses.c");
        let ended = (last(&output), output.status.code());
        assert_eq!(ended, ("Verdict: UNKNOWN(memory limit)".to_owned(), Some(5)), "{kilobytes} KB");
    }
}

/// Reading a program counts, also what the preprocessor does for it.
#[test]
fn limits_hold_for_the_preprocessor() {
    let twice = "#if __INCLUDE_LEVEL__ < 60\n#include \"twice.h\"\n#include \"twice.h\"\n#endif\n";
    file("twice.h", twice);
    file("twice.c", "#include \"twice.h\"\nint main(void) { return 0; }\n");
    file("zero.c", "#define NAME \"/dev/zero\"\n#include NAME\nint main(void) { return 0; }\n");
    for (limit, arguments, reason) in [
        ("-t 2", "verify twice.c", "time limit"),
        ("-t unlimited", "verify --time-limit 1 twice.c", "time limit"),
        ("-t unlimited", "verify --memory-limit 200MB zero.c", "memory limit"),
        ("-v 1000000", "verify zero.c", "memory limit"),
    ] {
        let output = limited(limit, arguments);
        let ended = (last(&output), output.status.code());
        assert_eq!(ended, (format!("Verdict: UNKNOWN({reason})"), Some(5)), "{limit}: {arguments}");
    }
}

#[test]
fn a_graph_is_shown_after_a_limit() {
    file("graph.c", ENDLESS);
    let child = start("arg --config value --format json --work-limit 1 graph.c");
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output).contains("\"waiting\": true"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.starts_with("not decided: time limit"), "{said}");
}
