//! The preprocessor as a child process that cannot outlive this process, nor grow without limit.
//!
//! A compiler starts children of its own, and none of them may continue after Summa has ended, in whatever
//! way. So a shell stands between. It lowers the limit of the address space, which all its children inherit,
//! starts the compiler, and waits in a second process for the end of its standard input. Summa holds the
//! other end of that pipe and never writes to it. The pipe is closed when Summa drops it, exits or is killed.
//! Then the shell ends the whole process group. Without a shell the compiler is started directly.
//!
//! Limits: the time is that of the run, which ends the process. Output of a child beyond [`MAX_OUTPUT`] is
//! not read.

use super::{process_memory, processor_time_left};
use std::ffi::{OsStr, OsString};
use std::io::{self, ErrorKind, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitStatus, Stdio};
use summa_base::files;

/// The shell's part. `$1` is the limit of the address space in KB, `$2` that of the processor's time in
/// seconds, the rest is the command. In the background of a shell standard input is `/dev/null` unless
/// something else is said, so the pipe has another number.
const SUPERVISOR: &str = r#"
ulimit -c 0
ulimit -v "$1" 2>/dev/null
ulimit -t "$2" 2>/dev/null
shift 2
exec 3<&0
"$@" 3<&- &
child=$!
{ read -r line; kill -s KILL 0; } <&3 >/dev/null 2>&1 &
watch=$!
wait "$child"
status=$?
{ kill -s KILL "$watch"; wait "$watch"; } 2>/dev/null
exit "$status"
"#;

/// The exit code by which a shell says that there is no such command.
const NO_COMMAND: i32 = 127;
/// A source has at most this much text after preprocessing.
const MAX_OUTPUT: u64 = files::LARGE;
/// The most bytes of the compiler's messages that are kept.
const MAX_COMPLAINTS: u64 = 1 << 20;

/// The result of a command.
pub(super) struct Said {
    /// There is no such command.
    is_missing: bool,
    pub(super) is_success: bool,
    pub(super) output: Vec<u8>,
    pub(super) complaints: Vec<u8>,
}

pub(super) enum Failure {
    NotInstalled,
    /// The output is larger than any source.
    TooMuch,
    /// The child needed more memory than this many bytes.
    OutOfMemory(u64),
    /// The child needed more processor time than there is.
    OutOfTime,
    Other(io::Error),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        if error.kind() == ErrorKind::NotFound { Self::NotInstalled } else { Self::Other(error) }
    }
}

/// Runs a command to its end.
pub(super) fn run(program: &str, words: &[&str], arguments: &[OsString]) -> Result<Said, Failure> {
    let memory = process_memory();
    let no_memory = |failure| match failure {
        Failure::Other(error) if error.kind() == ErrorKind::OutOfMemory => Failure::OutOfMemory(memory),
        other => other,
    };
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(SUPERVISOR).arg("preprocess").arg((memory >> 10).to_string());
    let time = processor_time_left();
    shell.arg(time.map_or("unlimited".to_owned(), |seconds| seconds.to_string()));
    shell.arg(program).args(words).args(arguments).stdin(Stdio::piped()).process_group(0);
    let said = match collect(shell) {
        Err(Failure::NotInstalled) => {
            let mut plain = Command::new(program);
            plain.args(words).args(arguments).stdin(Stdio::null()).process_group(0);
            collect(plain)
        }
        said => said,
    }
    .map_err(no_memory)?;
    match said {
        said if !said.is_success && ran_out(&said.complaints) => Err(Failure::OutOfMemory(memory)),
        said if !said.is_success && time.is_some() && was_ended(&said.complaints) => Err(Failure::OutOfTime),
        said if said.is_missing => Err(Failure::NotInstalled),
        said => Ok(said),
    }
}

fn collect(mut command: Command) -> Result<Said, Failure> {
    command.env("LC_ALL", "C").stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    // Kept open as long as the child may live.
    let lifeline = child.stdin.take();
    let complaints = child.stderr.take();
    let complaints = std::thread::Builder::new().spawn(move || complaints.map_or_else(Vec::new, some));
    let mut output = Vec::new();
    let stdout = child.stdout.take();
    let size = stdout.map(|pipe| pipe.take(MAX_OUTPUT + 1).read_to_end(&mut output)).transpose();
    let is_too_much = output.len() as u64 > MAX_OUTPUT;
    if is_too_much || size.is_err() {
        drop(lifeline);
        end(&mut child);
        size?;
        return Err(Failure::TooMuch);
    }
    let status = child.wait()?;
    drop(lifeline);
    let complaints = complaints.map(|thread| thread.join().unwrap_or_default()).unwrap_or_default();
    let is_missing = status.code() == Some(NO_COMMAND);
    Ok(Said { is_missing, is_success: is_success(status), output, complaints })
}

/// The beginning of the compiler's messages. The rest is read and dropped, so that the compiler can continue.
fn some(mut pipe: impl Read) -> Vec<u8> {
    let mut kept = Vec::new();
    let _ = pipe.by_ref().take(MAX_COMPLAINTS).read_to_end(&mut kept);
    let _ = io::copy(&mut pipe, &mut io::sink());
    kept
}

/// With the pipe closed the shell has ended its group; without a shell the compiler is alone.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn is_success(status: ExitStatus) -> bool {
    status.success() && status.signal().is_none()
}

/// Is this the message of a compiler that gets no memory?
fn ran_out(complaints: &[u8]) -> bool {
    let text = String::from_utf8_lossy(complaints);
    [
        "out of memory",
        "virtual memory exhausted",
        "Cannot allocate memory",
        "failed to map segment",
        "bad_alloc",
        "Cannot fork",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// Is this the message of a compiler that the system ended, as at a limit of time?
fn was_ended(complaints: &[u8]) -> bool {
    let text = String::from_utf8_lossy(complaints);
    ["CPU time limit exceeded", "Killed signal terminated", "Killed (program"]
        .iter()
        .any(|words| text.contains(words))
}

/// The name of a command as an argument that nothing expands.
pub(super) fn plain_argument(path: &OsStr) -> OsString {
    let first = path.as_encoded_bytes().first().copied().unwrap_or(b'.');
    if first.is_ascii_alphanumeric() || matches!(first, b'/' | b'.' | b'_') || first >= 0x80 {
        return path.to_owned();
    }
    let mut word = OsString::from("./");
    word.push(path);
    word
}
