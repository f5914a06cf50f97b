//! Command lines as users type them, before they are parsed: the spellings of C compilers with one dash
//! (`-std=c11`, `-include`, `-m32`), and `summa FILE.c`.

use super::input::COMPILER_OPTION;
use std::ffi::OsString;
use summa_syntax::gcc_options;

/// The beginnings of compiler options that have no other meaning here. (`-c`, `-o` and `-p` have one.)
const COMPILER_STARTS: [&str; 26] = [
    "-D",
    "-U",
    "-I",
    "-L",
    "-M",
    "-O",
    "-W",
    "-f",
    "-g",
    "-i",
    "-l",
    "-m",
    "-w",
    "-x",
    "-std=",
    "-ansi",
    "-nost",
    "-pthread",
    "-pedantic",
    "-trigraphs",
    "-undef",
    "-X",
    "-no-pie",
    "-save-temps",
    "-shared",
    "-static",
];
const COMPILER_WORDS: [&str; 4] = ["-pipe", "-pg", "-rdynamic", "-pie"];

/// Options that need no command.
const ABOUT_SUMMA: [&str; 4] = ["-h", "--help", "-V", "--version"];

/// Turns the spellings of C compilers into ours, and `summa FILE.c`, with or without options, into `summa
/// verify FILE.c`.
pub(crate) fn normalise(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut normal: Vec<OsString> = Vec::new();
    let mut only_files = false;
    // True if the previous word is a compiler option whose argument is this word.
    let mut is_argument = false;
    for (position, argument) in arguments.into_iter().enumerate() {
        let text = argument.to_str().unwrap_or("");
        let of_compiler = !only_files && position > 0 && (is_argument || is_of_compiler(text));
        let is_file =
            [".c", ".i", ".yml", ".yaml", "compile_commands.json"].iter().any(|end| text.ends_with(end))
                && !text.starts_with('-');
        let is_option = text.starts_with('-') && !ABOUT_SUMMA.contains(&text);
        if position == 1 && (is_file || is_option) {
            normal.push("verify".into());
        }
        only_files |= text == "--";
        if of_compiler {
            is_argument = !is_argument && gcc_options::recognise(text) == Some(true);
            normal.push(match text {
                "-m32" => "--32".into(),
                "-m64" => "--64".into(),
                _ => {
                    let mut word = OsString::from(format!("--{COMPILER_OPTION}="));
                    word.push(&argument);
                    word
                }
            });
        } else {
            normal.push(argument);
        }
    }
    normal
}

fn is_of_compiler(text: &str) -> bool {
    COMPILER_STARTS.iter().any(|start| text.starts_with(start)) || COMPILER_WORDS.contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compiler_spellings_are_understood() {
        let words = |line: &str| -> Vec<OsString> { line.split(' ').map(OsString::from).collect() };
        assert_eq!(
            normalise(words("summa verify -m32 -std=c11 -include -m.h -O2 --include b.h -p x -- -m64.c")),
            words(
                "summa verify --32 --compiler-option=-std=c11 --compiler-option=-include \
                 --compiler-option=-m.h --compiler-option=-O2 --include b.h -p x -- -m64.c"
            )
        );
        assert_eq!(normalise(words("summa -Wall a.c")), words("summa verify --compiler-option=-Wall a.c"));
        assert_eq!(normalise(words("summa a.c")), words("summa verify a.c"));
        assert_eq!(normalise(words("summa -q a.c")), words("summa verify -q a.c"));
        assert_eq!(normalise(words("summa --version")), words("summa --version"));
        assert_eq!(normalise(words("summa run a.c")), words("summa run a.c"));
    }
}
