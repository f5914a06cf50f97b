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
mod includes;

use crate::diagnostic::ReadingLimit;
use crate::source::{BYTE_ORDER_MARK, decode};
use crate::{Diagnostic, Span, gcc_options};
use child::{Failure, plain_argument};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use summa_base::clock;
use summa_base::files::{self, Unreadable};
use summa_base::plain::{self, Shown};

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

/// The options of the preprocessor.
#[derive(Clone, Debug, Default)]
pub struct PreprocessOptions {
    /// `-I`
    pub include_dirs: Vec<PathBuf>,
    /// `-D`, as `NAME` or `NAME=VALUE`
    pub defines: Vec<String>,
    /// `-U`
    pub undefines: Vec<String>,
    /// `-std=`
    pub std: Option<String>,
    /// `-include`
    pub include_files: Vec<PathBuf>,
    /// Further words in their order, as [`gcc_options`] has put them together.
    pub checked: Vec<OsString>,
    pub data_model: DataModelFlag,
}

/// For which machine the headers speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DataModelFlag {
    /// `-m32`
    M32,
    /// `-m64`
    #[default]
    M64,
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

impl PreprocessOptions {
    /// These options, followed by others, which win in a conflict.
    #[must_use]
    pub fn and(&self, later: &Self) -> Self {
        let mut both = self.clone();
        both.include_dirs.extend(later.include_dirs.iter().cloned());
        both.defines.extend(later.defines.iter().cloned());
        both.undefines.extend(later.undefines.iter().cloned());
        both.include_files.extend(later.include_files.iter().cloned());
        both.checked.extend(later.checked.iter().cloned());
        both.std = later.std.clone().or(both.std);
        both
    }

    /// Could these options change the meaning of a file without directives?
    fn changes_plain_text(&self) -> bool {
        let defines = |word: &OsString| {
            let word = word.as_encoded_bytes();
            word.starts_with(b"-D") || matches!(word, b"-include" | b"-imacros" | b"-trigraphs")
        };
        !self.defines.is_empty()
            || !self.include_files.is_empty()
            || self.checked.iter().any(defines)
            || self.std.as_deref().is_some_and(gcc_options::is_strict)
    }

    /// The options of the user as compilers spell them, without the data model.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = self.std.iter().map(|std| format!("-std={std}").into()).collect();
        for folder in &self.include_dirs {
            words.push("-I".into());
            words.push(plain_argument(folder.as_os_str()));
        }
        words.extend(self.defines.iter().map(|define| format!("-D{define}").into()));
        words.extend(self.undefines.iter().map(|name| format!("-U{name}").into()));
        for file in &self.include_files {
            words.push("-include".into());
            words.push(plain_argument(file.as_os_str()));
        }
        words.extend(self.checked.iter().cloned());
        words
    }

    /// Checks options that were given without a compiler's spelling. `Err` says what is wrong.
    fn check(&self) -> Result<(), String> {
        if let Some(std) = &self.std {
            gcc_options::checked_standard(std)?;
        }
        if let Some(wrong) = self.defines.iter().find(|define| !gcc_options::is_definition(define)) {
            return Err(format!("`{}` defines no macro", plain::name(wrong)));
        }
        match self.undefines.iter().find(|name| !gcc_options::is_name(name)) {
            Some(wrong) => Err(format!("`{}` is not the name of a macro", plain::name(wrong))),
            None => Ok(()),
        }
    }

    /// The folders in which headers are searched, and the files that are read first, as the words say.
    fn headers(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut folders, mut files) = (self.include_dirs.clone(), self.include_files.clone());
        for pair in self.checked.windows(2) {
            match pair[0].as_encoded_bytes() {
                b"-I" | b"-isystem" | b"-iquote" | b"-idirafter" => folders.push(PathBuf::from(&pair[1])),
                b"-include" | b"-imacros" => files.push(PathBuf::from(&pair[1])),
                _ => {}
            }
        }
        (folders, files)
    }

    /// The words for the compiler. `Err` names one that is none of those that it should get.
    fn arguments(&self, path: &Path) -> Result<Vec<OsString>, String> {
        let mut arguments: Vec<OsString> = ["-x", "c"].map(OsString::from).into();
        match self.data_model {
            DataModelFlag::M32 => arguments.push("-m32".into()),
            // Compilers for other machines do not know the flag; those with 64 bits need none.
            DataModelFlag::M64 if cfg!(target_arch = "x86_64") => arguments.push("-m64".into()),
            DataModelFlag::M64 => {}
        }
        arguments.push("-D__SUMMA__=1".into());
        // glibc's macros for `isdigit` and the like index a table inside the library; the functions have
        // models.
        arguments.push("-D__NO_CTYPE=1".into());
        self.check()?;
        arguments.extend(self.words());
        // The compiler passes the name without its folder to its parts, and these read options from the file
        // after an `@`.
        let name = path.file_name().unwrap_or(path.as_os_str());
        if name.as_encoded_bytes().starts_with(b"@") {
            return Err("compilers take a name that begins with `@` for a file of options".to_owned());
        }
        arguments.push(plain_argument(path.as_os_str()));
        Ok(arguments)
    }
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

/// Before C99, `//` was two divisions. Comments are gone here, so every `//` outside of literals means that.
fn divisions_apart(text: String) -> String {
    if !text.contains("//") {
        return text;
    }
    let bytes = text.as_bytes();
    let (mut apart, mut copied, mut at, mut at_line_start) = (String::new(), 0, 0, true);
    while at < bytes.len() {
        match bytes[at] {
            // A line marker, whose path may have the two signs.
            b'#' if at_line_start => at = end_of_line(bytes, at),
            quote @ (b'"' | b'\'') => at = end_of_quoted(bytes, at, quote),
            b'/' if bytes.get(at + 1) == Some(&b'/') => {
                apart.push_str(&text[copied..=at]);
                apart.push(' ');
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
        at_line_start = at > 0 && bytes.get(at - 1) == Some(&b'\n');
    }
    apart + &text[copied.min(text.len())..]
}

/// The message for the user about a failed run.
fn failure(path: &Path, command: &str, options: &PreprocessOptions, stderr: &str) -> LoadError {
    const SHOWN_LINES: usize = 12;
    let is_m32 = options.data_model == DataModelFlag::M32;
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

/// Has `text` anything for a preprocessor to do? Comments and literals are ignored.
/// With `or_predefined`, the use of a predefined macro counts too.
fn has_directives(text: &str, or_predefined: bool) -> bool {
    let may_have = text.contains('#') || text.contains("%:") || (or_predefined && text.contains("__"));
    if !may_have {
        return false;
    }
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let bytes = text.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let (mut at, mut at_line_start) = (0, true);
    while at < bytes.len() {
        match byte(at) {
            b'\n' => {
                at_line_start = true;
                at += 1;
            }
            b' ' | b'\t' | b'\r' | 0x0b | 0x0c => at += 1,
            b'/' if byte(at + 1) == b'*' => at = end_of_comment(text, at),
            b'/' if byte(at + 1) == b'/' => at = end_of_line(bytes, at),
            b'#' if at_line_start && is_real_directive(&bytes[at + 1..]) => return true,
            b'%' if at_line_start && byte(at + 1) == b':' && is_real_directive(&bytes[at + 2..]) => {
                return true;
            }
            b'#' if at_line_start => at = end_of_line(bytes, at),
            quote @ (b'"' | b'\'') => {
                at_line_start = false;
                at = end_of_quoted(bytes, at, quote);
            }
            first if first.is_ascii_alphanumeric() || first == b'_' => {
                at_line_start = false;
                let rest = &bytes[at..];
                let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
                let len = rest.iter().position(|b| !is_word(b)).unwrap_or(rest.len());
                if or_predefined && is_predefined_macro(&rest[..len]) {
                    return true;
                }
                at += len;
            }
            _ => {
                at_line_start = false;
                at += 1;
            }
        }
    }
    false
}

/// Given what follows `#`: is it a directive that the lexer does not know how to take?
fn is_real_directive(rest: &[u8]) -> bool {
    let blanks = rest.iter().take_while(|&&b| b == b' ' || b == b'\t').count();
    let rest = &rest[blanks..];
    let len = rest.iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let name = &rest[..len];
    let is_marker = name.iter().all(u8::is_ascii_digit);
    !is_marker && !matches!(name, b"line" | b"pragma" | b"ident" | b"sccs")
}

/// `__UPPER_CASE__`: macros that compilers predefine, but not function names that look the same.
fn is_predefined_macro(word: &[u8]) -> bool {
    word.len() > 4
        && word.starts_with(b"__")
        && word[2].is_ascii_uppercase()
        && word.ends_with(b"__")
        && !matches!(word, b"__FUNCTION__" | b"__PRETTY_FUNCTION__")
}

fn end_of_comment(text: &str, start: usize) -> usize {
    let body = text.get(start + 2..).unwrap_or("");
    body.find("*/").map_or(text.len(), |len| start + 2 + len + 2)
}

/// The end of the line that `start` is on, past line continuations.
fn end_of_line(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(len) = bytes[at..].iter().position(|&b| b == b'\n') {
        let end = at + len;
        let before = bytes[start..end].strip_suffix(b"\r").unwrap_or(&bytes[start..end]);
        if !before.ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
    bytes.len()
}

/// Past the closing quote, or to the end of the line if there is none.
fn end_of_quoted(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_real_directives_count() {
        for text in [
            "int x;",
            "# 1 \"a.c\"\nint x;\n#pragma pack(1)\n#ident \"x\"\n#line 3 \"b.c\"\n#\n",
            "/* \n#define X\n*/ int x;",
            "char *s = \"a\\\"\\\n#define\";",
            "// a \\\n#define X 1\nint x;",
            "char c = '\"'; // \"\n",
            "int f(void) { return __VERIFIER_nondet_int(); } char *g(void) { return __FUNCTION__; }",
        ] {
            assert!(!has_directives(text, true), "{text}");
        }
        for text in [
            "#include <stdio.h>",
            "int x;\n  # define X",
            "/* a */ #if 1\n#endif",
            "%:define X 1",
            "\u{feff}#define X 1",
            "int x = __INT_MAX__;",
        ] {
            assert!(has_directives(text, true), "{text}");
        }
        assert!(!has_directives("int x = __INT_MAX__;", false));
    }

    #[test]
    fn divisions_stay_divisions_before_c99() {
        let text = "# 1 \"a//b.c\"\nchar *s = \"//\"; int x = 8 //**/ 2;\n/ 2;".to_owned();
        let apart = divisions_apart(text.clone());
        assert_eq!(apart, text.replace("8 //", "8 / /"));
    }

    #[test]
    fn missing_files_and_directories_say_so() {
        let options = PreprocessOptions::default();
        let missing = load(Path::new("no/such/file.c"), &options).unwrap_err();
        assert_eq!(missing.message, "cannot read `no/such/file.c`: there is no such file");
        let folder = std::env::temp_dir();
        assert!(load(&folder, &options).unwrap_err().message.ends_with("it is a directory"));
    }

    #[test]
    fn no_word_is_more_than_it_says() {
        let options = PreprocessOptions {
            include_dirs: vec!["@opts".into(), "-wrapper".into(), "=x".into(), "inc".into()],
            include_files: vec!["-specs=x".into(), "/abs.h".into()],
            defines: vec!["N".into(), "F(x, y)=x @y -B".into()],
            std: Some("gnu17".into()),
            ..Default::default()
        };
        assert!(options.arguments(Path::new("folder/@opts.c")).is_err());
        let words = options.arguments(Path::new("-opts.c")).unwrap();
        let words: Vec<&str> = words.iter().map(|word| word.to_str().unwrap()).collect();
        let expected = "-I|./@opts|-I|./-wrapper|-I|./=x|-I|inc|-DN|-DF(x, y)=x @y -B|\
                        -include|./-specs=x|-include|/abs.h|./-opts.c";
        assert!(words.join("|").ends_with(expected), "{words:?}");
        assert!(words.iter().all(|word| !word.starts_with('@')));

        let with = |change: fn(&mut PreprocessOptions)| {
            let mut options = PreprocessOptions::default();
            change(&mut options);
            options.arguments(Path::new("a.c"))
        };
        assert!(with(|options| options.defines.push("-wrapper x".into())).is_err());
        assert!(with(|options| options.defines.push("@x".into())).is_err());
        assert!(with(|options| options.defines.push("A=1\n#include \"x\"".into())).is_err());
        assert!(with(|options| options.undefines.push("A B".into())).is_err());
        for std in ["c99 -wrapper sh", "@x", "c++17", "", "c"] {
            let options = PreprocessOptions { std: Some(std.into()), ..Default::default() };
            assert!(options.arguments(Path::new("a.c")).is_err(), "{std}");
        }
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
