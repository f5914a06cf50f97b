//! A second opinion: another solver, which can reveal a wrong answer of the first one. It is a command that
//! reads a question in SMT-LIB on its standard input and writes `sat`, `unsat` or `unknown`.
//!
//! Each question starts the command as a child, through a shell as for the preprocessor. The shell lowers the
//! limits of address space and processor time, which the child inherits. It then waits, in a second process,
//! for the end of its own standard input. This process holds the other end of that pipe and never writes to
//! it. The pipe is closed when the time is over, and when this process ends in any way. Then the shell ends
//! the whole process group. The question is in a file without a name, which the shell gets in place of
//! standard error.
//!
//! Limits: any other output of the command is a failure. Its messages on standard error are not read.

use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The shell's part. `$1` is the limit of the address space in KB, `$2` that of processor time in seconds,
/// the rest is the command.
const SUPERVISOR: &str = r#"
ulimit -c 0
ulimit -v "$1" 2>/dev/null
ulimit -t "$2" 2>/dev/null
shift 2
exec 3<&0 4<&2 2>/dev/null
"$@" <&4 3<&- 4<&- &
child=$!
{ read -r line; kill -s KILL 0; } <&3 4<&- >/dev/null &
watch=$!
wait "$child"
status=$?
{ kill -s KILL "$watch"; wait "$watch"; }
exit "$status"
"#;

/// The address space of the command, unless another limit is set.
const MEMORY: u64 = 4 << 30;
/// No answer is longer.
const MAX_OUTPUT: u64 = 64 << 10;
/// How often the waiting thread checks whether the answer is still wanted.
const LOOK_UP: Duration = Duration::from_millis(20);
/// Processor time is counted in whole seconds; on the wall the command has a moment more than in processor
/// time.
const PATIENCE: Duration = Duration::from_secs(2);

/// The command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecondSolver {
    words: Vec<String>,
    memory: u64,
}

/// What it says about a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Opinion {
    Sat,
    Unsat,
    /// It has no answer, and why if that is known.
    Unknown(&'static str),
}

impl SecondSolver {
    /// A command with its arguments, between blanks.
    ///
    /// # Errors
    /// The command is empty.
    pub fn new(command: &str) -> Result<Self, String> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        if words.is_empty() {
            Err("a command is wanted".to_owned())
        } else {
            Ok(Self { words, memory: MEMORY })
        }
    }

    /// The same with no more than this address space.
    #[must_use]
    pub fn with_memory(self, bytes: Option<u64>) -> Self {
        Self { memory: bytes.unwrap_or(self.memory).min(self.memory), ..self }
    }

    /// Asks a whole script.
    ///
    /// # Errors
    /// The command does not start, fails, or answers something else: in words.
    pub fn ask(&self, script: &str, time: Duration, interrupt: &AtomicBool) -> Result<Opinion, String> {
        let started = self.start(script, time);
        let mut child = started.map_err(|error| format!("it cannot be started: {error}"))?;
        let lifeline = child.stdin.take();
        let (answer, answered) = channel();
        let stdout = child.stdout.take();
        let reader = std::thread::Builder::new().spawn(move || {
            let mut text = Vec::new();
            let _ = stdout.map(|pipe| pipe.take(MAX_OUTPUT).read_to_end(&mut text));
            let _ = answer.send(text);
        });
        let end = Instant::now() + time + PATIENCE;
        let text = loop {
            match answered.recv_timeout(LOOK_UP) {
                Ok(text) => break Some(text),
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => {
                    if interrupt.load(Ordering::Relaxed) || Instant::now() >= end {
                        break None;
                    }
                }
            }
        };
        // Now the group ends, whatever it is at.
        drop(lifeline);
        let status = child.wait().map_err(|error| format!("it is lost: {error}"))?;
        let _ = reader.map(std::thread::JoinHandle::join);
        match text {
            Some(text) => understood(&String::from_utf8_lossy(&text), status.code()),
            None => Ok(Opinion::Unknown("time limit")),
        }
    }

    fn start(&self, script: &str, time: Duration) -> io::Result<Child> {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(SUPERVISOR).arg("second-solver");
        shell.arg((self.memory >> 10).to_string()).arg((time.as_secs() + 1).to_string()).args(&self.words);
        shell.env("LC_ALL", "C").process_group(0);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::from(without_name(script)?)).spawn()
    }
}

/// A file without a name with this text, positioned at its beginning.
fn without_name(text: &str) -> io::Result<File> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("summa-question-{}-{number}", std::process::id()));
        match OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path) {
            Ok(mut file) => {
                std::fs::remove_file(&path)?;
                file.write_all(text.as_bytes())?;
                file.rewind()?;
                return Ok(file);
            }
            // Left behind by a process that was killed in between.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// The one word that is an answer.
fn understood(text: &str, code: Option<i32>) -> Result<Opinion, String> {
    /// How shells say that there is no such command, that it cannot be executed, and that signal 9 or 24 (no
    /// more processor time) ended it.
    const NO_COMMAND: [i32; 2] = [126, 127];
    const OUT_OF_TIME: [i32; 2] = [128 + 9, 128 + 24];
    let lines: Vec<&str> =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && *line != "success").collect();
    match (&lines[..], code) {
        (["unsat"], _) => Ok(Opinion::Unsat),
        (["sat"], _) => Ok(Opinion::Sat),
        (["unknown"], _) => Ok(Opinion::Unknown("it does not know")),
        (["timeout"], _) => Ok(Opinion::Unknown("time limit")),
        ([], Some(code)) if NO_COMMAND.contains(&code) => Err("there is no such command".to_owned()),
        ([], Some(code)) if OUT_OF_TIME.contains(&code) => Ok(Opinion::Unknown("time limit")),
        ([], Some(code)) => Err(format!("it ended with code {code} and without an answer")),
        ([], None) => Err("it was ended and gave no answer".to_owned()),
        ([first, ..], _) => Err(format!("it answered `{}`", first.chars().take(80).collect::<String>())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(command: &[&str], time: Duration) -> Result<Opinion, String> {
        let words = command.iter().map(|&word| word.to_owned()).collect();
        let solver = SecondSolver { words, memory: MEMORY };
        solver.ask("(check-sat)\n", time, &AtomicBool::new(false))
    }

    fn said(script: &str) -> Result<Opinion, String> {
        asked(&["sh", "-c", script], Duration::from_secs(60))
    }

    #[test]
    fn one_word_is_an_answer() {
        assert_eq!(said("echo unsat"), Ok(Opinion::Unsat));
        assert_eq!(said("echo success; echo sat; exit 3"), Ok(Opinion::Sat));
        assert_eq!(said("echo unknown"), Ok(Opinion::Unknown("it does not know")));
        assert_eq!(said("read line; test \"$line\" = '(check-sat)' && echo unsat"), Ok(Opinion::Unsat));
        assert_eq!(said("cat; echo unsat"), Err("it answered `(check-sat)`".to_owned()));
        assert_eq!(said("echo unsat; echo unsat"), Err("it answered `unsat`".to_owned()));
        assert_eq!(said("exit 7"), Err("it ended with code 7 and without an answer".to_owned()));
        let none = asked(&["/nowhere/solver"], Duration::from_secs(60));
        assert_eq!(none, Err("there is no such command".to_owned()));
        assert!(SecondSolver::new(" \t").is_err());
    }

    /// It sleeps, so that no processor time ends it; what it started ends too, else its standard output would
    /// stay open.
    #[test]
    fn who_takes_too_long_is_ended() {
        let sleeping = asked(&["sh", "-c", "sleep 1000 & sleep 1000"], Duration::ZERO);
        assert_eq!(sleeping, Ok(Opinion::Unknown("time limit")));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let solver = SecondSolver::new("sleep 1000").expect("a command");
        let answer = solver.ask("", Duration::from_secs(1000), &AtomicBool::new(true));
        assert_eq!(answer, Ok(Opinion::Unknown("time limit")));
    }

    #[test]
    fn memory_is_limited() {
        let solver = SecondSolver::new("sh -c ulimit").expect("a command").with_memory(Some(1 << 30));
        assert_eq!(solver.memory, 1 << 30);
        let words = ["sh", "-c", "test $(ulimit -v) -le 1048576 && echo unsat"].map(str::to_owned).to_vec();
        let solver = SecondSolver { words, ..solver };
        let answer = solver.ask("", Duration::from_secs(60), &AtomicBool::new(false));
        assert_eq!(answer, Ok(Opinion::Unsat));
    }
}
