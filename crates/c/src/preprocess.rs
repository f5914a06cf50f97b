//! From a path to text that the lexer can take. Only files that need it go through the system's preprocessor:
//! starting a process costs more than all the rest of the front end on a small program.
//!
//! A file needs it if it has directives other than line markers, `#pragma` and `#ident`, if it uses a macro that
//! compilers predefine (`__INT_MAX__`, `__LINE__`), or if the user defines macros or includes files from the command
//! line. Files named `*.i` count as preprocessed unless they have such directives anyway.

use crate::source::{BYTE_ORDER_MARK, decode};
use crate::{Diagnostic, Span, gcc_options};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable with the command to preprocess with, e.g. `clang -E`.
const OVERRIDE: &str = "SUMMA_CPP";
/// What is tried otherwise, in this order.
const PREPROCESSORS: [&str; 4] = ["gcc -E", "cc -E", "cpp", "clang -E"];

/// What the preprocessor is told.
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
    /// Further words in their order, as [`gcc_options`](crate::gcc_options) has put them together.
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
    /// What the preprocessor said, line by line.
    pub details: Vec<String>,
    pub help: Option<String>,
}

impl LoadError {
    fn new(path: &Path, message: String) -> Self {
        Self { path: path.to_owned(), message, details: Vec::new(), help: None }
    }

    /// One diagnostic without a place in the source.
    pub fn into_diagnostic(self) -> Diagnostic {
        let mut diagnostic = Diagnostic::error(Span::NONE, self.to_string());
        diagnostic.help = self.help;
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
    let shown = path.display();
    let bytes = std::fs::read(path).map_err(|error| {
        let why = match error.kind() {
            ErrorKind::NotFound => "there is no such file".to_owned(),
            ErrorKind::PermissionDenied => "no permission to read it".to_owned(),
            _ if path.is_dir() => "it is a directory".to_owned(),
            _ => error.to_string(),
        };
        LoadError::new(path, format!("cannot read `{shown}`: {why}"))
    })?;
    let text = decode(bytes);
    let is_preprocessed = path.extension().is_some_and(|extension| extension == "i");
    let needed = if is_preprocessed {
        has_directives(&text, false)
    } else {
        options.changes_plain_text() || has_directives(&text, true)
    };
    if needed { preprocess(path, options) } else { Ok(text) }
}

impl PreprocessOptions {
    /// These options and after them others, which win where both speak of the same thing.
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

    /// What the user asks for, as compilers spell it, without the data model.
    pub(crate) fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = self.std.iter().map(|std| format!("-std={std}").into()).collect();
        for folder in &self.include_dirs {
            words.push("-I".into());
            words.push(folder.into());
        }
        words.extend(self.defines.iter().map(|define| format!("-D{define}").into()));
        words.extend(self.undefines.iter().map(|name| format!("-U{name}").into()));
        for file in &self.include_files {
            words.push("-include".into());
            words.push(file.into());
        }
        words.extend(self.checked.iter().cloned());
        words
    }

    fn arguments(&self, path: &Path) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = ["-x", "c"].map(OsString::from).into();
        match self.data_model {
            DataModelFlag::M32 => arguments.push("-m32".into()),
            // Compilers for other machines do not know the flag; those with 64 bits need none.
            DataModelFlag::M64 if cfg!(target_arch = "x86_64") => arguments.push("-m64".into()),
            DataModelFlag::M64 => {}
        }
        arguments.push("-D__SUMMA__=1".into());
        // glibc's macros for `isdigit` and its kin index a table inside the library; the functions have models.
        arguments.push("-D__NO_CTYPE=1".into());
        arguments.extend(self.words());
        // A path that looks like an option is made one that does not.
        let looks_like_option = path.as_os_str().as_encoded_bytes().starts_with(b"-");
        arguments.push(if looks_like_option { Path::new(".").join(path).into() } else { path.into() });
        arguments
    }
}

/// Runs the first preprocessor that is installed.
fn preprocess(path: &Path, options: &PreprocessOptions) -> Result<String, LoadError> {
    let chosen = std::env::var(OVERRIDE).ok().filter(|command| !command.trim().is_empty());
    let candidates: Vec<&str> = match &chosen {
        Some(command) => vec![command],
        None => PREPROCESSORS.to_vec(),
    };
    let arguments = options.arguments(path);
    for candidate in &candidates {
        let mut words = candidate.split_whitespace();
        let Some(program) = words.next() else { continue };
        match Command::new(program).args(words).args(&arguments).env("LC_ALL", "C").output() {
            Ok(output) if output.status.success() => {
                let text = decode(output.stdout);
                let is_c90 = options.std.as_deref().is_some_and(gcc_options::is_c90);
                return Ok(if is_c90 { divisions_apart(text) } else { text });
            }
            Ok(output) => return Err(failure(path, candidate, options, &decode(output.stderr))),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                return Err(LoadError::new(
                    path,
                    format!("cannot run the preprocessor `{candidate}`: {error}"),
                ));
            }
        }
    }
    let message = format!(
        "`{}` needs a preprocessor, but none is installed (tried: {})",
        path.display(),
        candidates.join(", ")
    );
    Err(LoadError {
        help: Some(format!(
            "install gcc or clang, set {OVERRIDE} to a command, or give a preprocessed `.i` file"
        )),
        ..LoadError::new(path, message)
    })
}

/// Before C99, `//` was two divisions. Comments are gone by now, so every one that is left outside of literals is meant like that.
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

/// What to tell the user about a failed run.
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
        ..LoadError::new(path, format!("the preprocessor `{command}` failed on `{}`", path.display()))
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

/// `__UPPER_CASE__`: what compilers predefine, but not the function names that look the same.
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
