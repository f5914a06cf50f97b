//! From a path to text that the lexer can read. Only files that need it go through the system's preprocessor:
//! for a small program, starting a process costs more than the rest of the front end.
//!
//! A file needs it in three cases: it has directives other than line markers, `#pragma` and `#ident`; it uses
//! a macro that compilers predefine (`__INT_MAX__`, `__LINE__`); or the user defines macros or includes files
//! on the command line. Files named `*.i` count as preprocessed unless they have such directives.
//!
//! What reaches the compiler may come from a file that another person wrote (a task, settings, a compilation
//! database). So every word for the compiler is checked here, and nowhere else, with the table of
//! [`crate::gcc_options`]. Paths are made absolute or begin with `./` where they could be taken for an option
//! or for a file of options (`@file`). Names of macros and standards must look like such. The compiler is a
//! child of a shell that ends it together with this process ([`child`]).

mod child;
mod directives;
mod includes;
mod options;

use crate::diagnostic::ReadingLimit;
use crate::source::decode;
use crate::{DataModel, Diagnostic, Span, gcc_options};
use child::Failure;
use directives::{divisions_apart, has_directives};
pub use options::PreprocessOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use summa_base::clock;
use summa_base::files::{self, Unreadable};
use summa_base::plain::Shown;

/// The environment variable with the command to preprocess with, e.g. `clang -E`.
const OVERRIDE: &str = "SUMMA_CPP";
/// The commands that are tried otherwise, in this order.
const PREPROCESSORS: [&str; 4] = ["gcc -E", "cc -E", "cpp", "clang -E"];

/// The address space that a preprocessor may use, in bytes.
static MEMORY: AtomicU64 = AtomicU64::new(2 << 30);

/// A preprocessor may use no more memory than this from now on.
pub fn limit_memory(bytes: u64) {
    MEMORY.store(bytes, Ordering::Relaxed);
}

/// The processor time that this process and each preprocessor may use, in seconds.
static PROCESSOR_TIME: AtomicU64 = AtomicU64::new(u64::MAX);

/// Limits the processor time of preprocessors to what is left of this time when they start.
pub fn limit_processor_time(seconds: u64) {
    PROCESSOR_TIME.store(seconds, Ordering::Relaxed);
}

/// In whole seconds; None without limit.
fn processor_time_left() -> Option<u64> {
    let limit = PROCESSOR_TIME.load(Ordering::Relaxed);
    (limit != u64::MAX).then(|| limit.saturating_sub(clock::of_process().as_secs()).max(1))
}

fn process_memory() -> u64 {
    MEMORY.load(Ordering::Relaxed)
}

/// Why a file could not be read or preprocessed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    pub path: PathBuf,
    pub message: String,
    /// The messages of the preprocessor, line by line.
    pub details: Vec<String>,
    pub help: Option<String>,
    /// A limit is the reason, and not the file.
    pub limit: Option<ReadingLimit>,
}

impl LoadError {
    fn new(path: &Path, message: String) -> Self {
        Self { path: path.to_owned(), message, details: Vec::new(), help: None, limit: None }
    }

    /// One diagnostic without a place in the source.
    pub fn into_diagnostic(self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(Span::NONE, self.to_string());
        diagnostic.help = self.help;
        diagnostic.limit = self.limit;
        diagnostic
    }
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)?;
        self.details.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

impl std::error::Error for LoadError {}

/// Reads `path`, preprocessed if needed.
pub fn load(path: &Path, options: &PreprocessOptions) -> Result<String, LoadError> {
    let bytes = files::read(path, files::LARGE).map_err(|why| unreadable(path, &why))?;
    let text = decode(bytes);
    let is_preprocessed = path.extension().is_some_and(|extension| extension == "i");
    let needed = if is_preprocessed {
        has_directives(&text, false)
    } else {
        options.changes_plain_text() || has_directives(&text, true)
    };
    if !needed {
        return Ok(text);
    }
    includes::check(path, &text, options)?;
    preprocess(path, options)
}

fn unreadable(path: &Path, why: &Unreadable) -> LoadError {
    LoadError::new(path, format!("cannot read `{}`: {why}", path.shown()))
}

/// Runs the first preprocessor that is installed.
fn preprocess(path: &Path, options: &PreprocessOptions) -> Result<String, LoadError> {
    let chosen = std::env::var(OVERRIDE).ok().filter(|command| !command.trim().is_empty());
    let candidates: Vec<&str> = match &chosen {
        Some(command) => vec![command],
        None => PREPROCESSORS.to_vec(),
    };
    let shown = path.shown();
    let error = |message: String| Err(LoadError::new(path, message));
    let arguments = match options.arguments(path) {
        Ok(arguments) => arguments,
        Err(why) => return error(format!("cannot preprocess `{shown}`: {why}")),
    };
    for candidate in &candidates {
        let mut words = candidate.split_whitespace();
        let Some(program) = words.next() else { continue };
        match child::run(program, &words.collect::<Vec<_>>(), &arguments) {
            Ok(said) if said.is_success => {
                let text = decode(said.output);
                let is_c90 = options.std.as_deref().is_some_and(gcc_options::is_c90);
                return Ok(if is_c90 { divisions_apart(text) } else { text });
            }
            Ok(said) => return Err(failure(path, candidate, options, &decode(said.complaints))),
            Err(Failure::NotInstalled) => {}
            Err(Failure::TooMuch) => {
                let limit = files::LARGE >> 20;
                return error(format!("cannot read `{shown}`: preprocessed it is larger than {limit} MB"));
            }
            Err(Failure::OutOfMemory(limit)) => {
                let limit = limit >> 20;
                let message = format!("memory limit: `{candidate}` needs more than {limit} MB for `{shown}`");
                return Err(LoadError { limit: Some(ReadingLimit::Memory), ..LoadError::new(path, message) });
            }
            Err(Failure::OutOfTime) => {
                let message = format!("time limit: `{candidate}` was not done with `{shown}`");
                return Err(LoadError { limit: Some(ReadingLimit::Time), ..LoadError::new(path, message) });
            }
            Err(Failure::Other(why)) => {
                return error(format!("cannot run the preprocessor `{candidate}`: {why}"));
            }
        }
    }
    let message =
        format!("`{shown}` needs a preprocessor, but none is installed (tried: {})", candidates.join(", "));
    Err(LoadError {
        help: Some(format!(
            "install gcc or clang, set {OVERRIDE} to a command, or give a preprocessed `.i` file"
        )),
        ..LoadError::new(path, message)
    })
}

/// The message for the user about a failed run.
fn failure(path: &Path, command: &str, options: &PreprocessOptions, stderr: &str) -> LoadError {
    const SHOWN_LINES: usize = 12;
    let is_m32 = options.data_model == DataModel::Ilp32;
    let missing = stderr.lines().find(|line| line.contains("No such file or directory"));
    let help = match missing {
        Some(line)
            if is_m32 && ["stubs-32.h", "bits/", "sys/cdefs.h"].iter().any(|part| line.contains(part)) =>
        {
            Some("the headers for 32-bit programs are missing: install the package gcc-multilib".to_owned())
        }
        Some(_) => Some(
            "name the folder of the missing header with -I, or install the package that has it".to_owned(),
        ),
        None => None,
    };
    LoadError {
        details: stderr.lines().take(SHOWN_LINES).map(str::to_owned).collect(),
        help,
        ..LoadError::new(path, format!("the preprocessor `{command}` failed on `{}`", path.shown()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_files_and_directories_say_so() {
        let options = PreprocessOptions::default();
        let missing = load(Path::new("no/such/file.c"), &options).unwrap_err();
        assert_eq!(missing.message, "cannot read `no/such/file.c`: there is no such file");
        let folder = std::env::temp_dir();
        assert!(load(&folder, &options).unwrap_err().message.ends_with("it is a directory"));
    }

    #[test]
    fn what_never_ends_is_refused() {
        let folder = std::env::temp_dir().join(format!("summa-endless-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("inc")).unwrap();
        let path = folder.join("a.c");
        std::os::unix::fs::symlink("/dev/zero", folder.join("inc/zero.h")).unwrap();
        std::fs::write(folder.join("b.h"), "#include <zero.h>\n").unwrap();
        let options = PreprocessOptions { include_dirs: vec![folder.join("inc")], ..Default::default() };
        for text in ["#include \"/dev/urandom\"\n", "#include </dev/zero>\n", "#include \"b.h\"\n"] {
            std::fs::write(&path, text).unwrap();
            let error = load(&path, &options).unwrap_err();
            assert!(error.message.ends_with("which is a device"), "{error}");
        }
        std::fs::write(&path, "#define NAME \"/dev/zero\"\n#include NAME\n").unwrap();
        limit_memory(256 << 20);
        let error = load(&path, &options).unwrap_err();
        let is_known = ["memory limit", "none is installed"].iter().any(|part| error.message.contains(part));
        assert!(is_known, "{error}");
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn options_reach_the_preprocessor() {
        let folder = std::env::temp_dir().join(format!("summa-preprocess-test-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("a.c");
        std::fs::write(
            &path,
            "#ifdef __SUMMA__\nint a[N];\n#endif\n#ifdef MISSING\n#include \"missing.h\"\n#endif\n",
        )
        .unwrap();
        let mut options = PreprocessOptions { defines: vec!["N=7".into()], ..Default::default() };
        let text = match load(&path, &options) {
            Err(error) if error.message.contains("none is installed") => return,
            result => result.unwrap(),
        };
        assert!(text.contains("int a[7];"), "{text}");
        options.defines.push("MISSING".into());
        let error = load(&path, &options).unwrap_err();
        assert!(error.details.iter().any(|line| line.contains("missing.h")) && error.help.is_some());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
