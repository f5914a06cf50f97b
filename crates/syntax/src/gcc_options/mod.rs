//! The options of compilers, for commands of a compilation database and for the command line alike.
//!
//! An option that changes the meaning of a program is obeyed or refused, never dropped. An option without
//! influence on the meaning is ignored. No word reaches the preprocessor unchecked: options must be in the
//! table, their arguments are checked, and paths cannot be taken for options. Files of options (`@FILE`) and
//! options that are not in the table are refused.

mod lists;
mod table;

use crate::DataModel;
use crate::preprocess::PreprocessOptions;
use lists::{IGNORED_FLAGS, IGNORED_MACHINE, INSTRUCTIONS};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use table::{Argument, Effect, FLAGS, Form, MACHINE, OPTIONS};

/// The options with which a compiler reads a file.
#[derive(Clone, Debug, Default)]
pub struct CompilerOptions {
    pub preprocess: PreprocessOptions,
    pub dialect: Dialect,
    /// `-m32`, `-m64`
    pub model: Option<DataModel>,
    /// `-x`, if it names a language that is not C.
    pub other_language: Option<String>,
}

/// Options that change the meaning of C after the preprocessor. None: gcc's default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Dialect {
    /// Plain `char` is unsigned.
    pub unsigned_char: Option<bool>,
    /// Enums have the smallest type that holds their values.
    pub short_enums: Option<bool>,
    /// Structs with a tag, and typedef names of structs, may be members without a name.
    pub ms_extensions: Option<bool>,
    /// Signed overflow is defined: it wraps around.
    pub wraps: Option<bool>,
}

/// An option that the front end obeys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Switch {
    UnsignedChar(bool),
    ShortEnums(bool),
    MsExtensions(bool),
    Wraps(bool),
    /// `-m64`
    Wide(bool),
}

/// The standards that are known, as after `-std=`.
const STANDARDS: [&str; 22] = [
    "c89",
    "c90",
    "c99",
    "c9x",
    "c11",
    "c1x",
    "c17",
    "c18",
    "gnu89",
    "gnu90",
    "gnu99",
    "gnu9x",
    "gnu11",
    "gnu1x",
    "gnu17",
    "gnu18",
    "iso9899:1990",
    "iso9899:199409",
    "iso9899:1999",
    "iso9899:199x",
    "iso9899:2011",
    "iso9899:2017",
];

/// Reads the words of a command, without the name of the compiler. Relative paths begin in `folder`. Words
/// that are no options name files. They are passed over, because the caller knows the file. `Err` is a
/// message for the user.
pub fn read<'w>(words: impl IntoIterator<Item = &'w str>, folder: &Path) -> Result<CompilerOptions, String> {
    let mut options = CompilerOptions::default();
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if word.starts_with('@') {
            return Err(format!("options in a file (`{word}`) are not supported"));
        }
        if !word.starts_with('-') || word == "-" {
            continue;
        }
        let Some(found) = find(word) else {
            return Err(format!(
                "the option `{word}` is not known, and it may change the meaning of the program"
            ));
        };
        let argument = match (found.form, found.rest) {
            (Form::Alone | Form::Joined, rest) => rest,
            (Form::Either, rest) if !rest.is_empty() => rest,
            (Form::Either | Form::Next, _) => {
                words.next().ok_or_else(|| format!("the option `{word}` needs an argument"))?
            }
        };
        options.obey(&found, word, argument, folder)?;
    }
    Ok(options)
}

/// Is the word an option of compilers, of any effect? If so, does the next word belong to it?
pub fn recognise(word: &str) -> Option<bool> {
    find(word).map(|found| match found.form {
        Form::Alone | Form::Joined => false,
        Form::Next => true,
        Form::Either => found.rest.is_empty(),
    })
}

/// A row of the table, for one word.
struct Found<'w> {
    name: &'w str,
    form: Form,
    effect: Effect,
    /// The text after the name.
    rest: &'w str,
}

fn find(word: &str) -> Option<Found<'_>> {
    let alone = |effect| Found { name: word, form: Form::Alone, effect, rest: "" };
    let row = |with: &dyn Fn(Form) -> bool| {
        let rows = OPTIONS.iter().filter(|row| with(row.form) && word.starts_with(row.name));
        rows.max_by_key(|row| row.name.len())
    };
    if let Some(row) = OPTIONS.iter().find(|row| row.name == word) {
        return Some(Found { name: word, form: row.form, effect: row.effect, rest: "" });
    }
    if let Some(flag) = word.strip_prefix("-f") {
        let (name, is_off) = flag.strip_prefix("no-").map_or((flag, false), |name| (name, true));
        let matching = FLAGS.iter().filter(|(known, ..)| *known == name || takes_rest(known, name));
        return match matching.max_by_key(|(known, ..)| known.len()) {
            Some(&(known, on, off)) => {
                let effect = if is_off { off } else { on };
                let at = word.len() - (name.len() - known.len());
                match effect {
                    Effect::Passed(argument) if argument != Argument::None => {
                        let (name, rest) = word.split_at(at);
                        Some(Found { name, form: Form::Joined, effect, rest })
                    }
                    _ => Some(alone(effect)),
                }
            }
            None => is_listed(name, IGNORED_FLAGS).then(|| alone(Effect::Ignored)),
        };
    }
    if let Some(machine) = word.strip_prefix("-m") {
        let (name, is_off) = machine.strip_prefix("no-").map_or((machine, false), |name| (name, true));
        let special = MACHINE.iter().find(|(known, _)| *known == name || takes_rest(known, name));
        return match special {
            Some((_, Effect::Refused(_))) if is_off => Some(alone(Effect::Ignored)),
            Some(&(_, effect)) => Some(alone(effect)),
            None if is_listed(name, INSTRUCTIONS) => Some(Found {
                name: "",
                form: Form::Joined,
                effect: Effect::Passed(Argument::Word),
                rest: word,
            }),
            None => is_listed(name, IGNORED_MACHINE).then(|| alone(Effect::Ignored)),
        };
    }
    let row = row(&|form| matches!(form, Form::Joined | Form::Either))?;
    let (name, rest) = word.split_at(row.name.len());
    Some(Found { name, form: row.form, effect: row.effect, rest })
}

/// Does the name of the table end where a value begins?
fn takes_rest(known: &str, name: &str) -> bool {
    (known.ends_with('=') || known.ends_with('-')) && name.starts_with(known)
}

fn is_listed(name: &str, list: &[&str]) -> bool {
    list.iter().any(|known| match known.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => *known == name,
    })
}

impl CompilerOptions {
    /// These options, followed by others, which win in a conflict.
    #[must_use]
    pub fn and(&self, later: &Self) -> Self {
        Self {
            preprocess: self.preprocess.and(&later.preprocess),
            dialect: self.dialect.and(later.dialect),
            model: later.model.or(self.model),
            other_language: later.other_language.clone().or_else(|| self.other_language.clone()),
        }
    }

    /// The same options as words for a compiler, without the data model.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = self.preprocess.words();
        words.extend((self.dialect.short_enums == Some(true)).then(|| "-fshort-enums".into()));
        words
    }

    fn obey(&mut self, found: &Found<'_>, word: &str, argument: &str, folder: &Path) -> Result<(), String> {
        match found.effect {
            Effect::Ignored => Ok(()),
            Effect::Refused(why) => Err(format!("the option `{word}` is not supported: {why}")),
            Effect::Passed(check) => self.pass(found.name, check, argument, folder),
            Effect::Obeyed(switch) => {
                self.turn(switch);
                Ok(())
            }
            Effect::Language => {
                let is_c = matches!(argument, "c" | "cpp-output" | "none");
                self.other_language = (!is_c).then(|| argument.to_owned());
                Ok(())
            }
            Effect::Standard => {
                let standard = if word == "-ansi" { "c90" } else { argument };
                self.preprocess.std = Some(checked_standard(standard)?.to_owned());
                Ok(())
            }
            Effect::Inner => {
                let words: Vec<&str> =
                    if word == "-Xpreprocessor" { vec![argument] } else { argument.split(',').collect() };
                let inner = read(words, folder)?;
                *self = self.and(&inner);
                Ok(())
            }
        }
    }

    /// Lets the preprocessor have an option.
    fn pass(&mut self, name: &str, check: Argument, argument: &str, folder: &Path) -> Result<(), String> {
        let words = &mut self.preprocess.checked;
        let wrong = |why: &str| Err(format!("the argument `{argument}` of the option `{name}` {why}"));
        match check {
            Argument::None => words.push(name.into()),
            Argument::Definition if !is_definition(argument) => return wrong("does not define a macro"),
            Argument::Name if !is_name(argument) => return wrong("is not the name of a macro"),
            Argument::Definition | Argument::Name => words.push(format!("{name}{argument}").into()),
            Argument::Word => {
                let is_plain = |c: char| c.is_ascii_alphanumeric() || "._+-=/".contains(c);
                if !argument.chars().all(is_plain) {
                    return wrong("contains unexpected characters");
                }
                words.push(format!("{name}{argument}").into());
            }
            Argument::Folder if argument.starts_with('=') || argument.starts_with("$SYSROOT") => {
                return wrong("is relative to the root of another system");
            }
            Argument::Folder => match name.strip_suffix('=') {
                Some(_) => {
                    let mut word = OsString::from(name);
                    word.push(plain_path(folder, argument));
                    words.push(word);
                }
                None => words.extend([name.into(), plain_path(folder, argument).into()]),
            },
            Argument::File => {
                // A file that is not there is searched for in the folders of headers.
                let here = plain_path(folder, argument);
                let is_plain = !argument.starts_with(['@', '-']);
                let file = if is_plain && !here.exists() { argument.into() } else { here.into() };
                words.extend([name.into(), file]);
            }
        }
        Ok(())
    }

    fn turn(&mut self, switch: Switch) {
        let dialect = &mut self.dialect;
        match switch {
            Switch::UnsignedChar(on) => {
                dialect.unsigned_char = Some(on);
                // The headers look at the macro `__CHAR_UNSIGNED__`.
                self.preprocess.checked.push(if on { "-funsigned-char" } else { "-fsigned-char" }.into());
            }
            Switch::ShortEnums(on) => dialect.short_enums = Some(on),
            Switch::MsExtensions(on) => {
                dialect.ms_extensions = Some(on);
                let word = if on { "-fms-extensions" } else { "-fno-ms-extensions" };
                self.preprocess.checked.push(word.into());
            }
            Switch::Wraps(on) => dialect.wraps = Some(on),
            Switch::Wide(on) => self.model = Some(if on { DataModel::Lp64 } else { DataModel::Ilp32 }),
        }
    }
}

impl Dialect {
    #[must_use]
    pub fn and(self, later: Self) -> Self {
        Self {
            unsigned_char: later.unsigned_char.or(self.unsigned_char),
            short_enums: later.short_enums.or(self.short_enums),
            ms_extensions: later.ms_extensions.or(self.ms_extensions),
            wraps: later.wraps.or(self.wraps),
        }
    }
}

/// The text after `-std=`, if it is a known standard.
pub fn checked_standard(standard: &str) -> Result<&str, String> {
    if STANDARDS.contains(&standard) {
        return Ok(standard);
    }
    Err(format!("the C standard `{standard}` is not known; the latest known ones are c17 and gnu17"))
}

/// Is it a standard without GNU's extensions? Then there are trigraphs.
pub(crate) fn is_strict(standard: &str) -> bool {
    !standard.starts_with("gnu")
}

/// Is it C as it was before 1999, without comments that begin with `//`?
pub(crate) fn is_c90(standard: &str) -> bool {
    matches!(standard, "c89" | "c90" | "iso9899:1990" | "iso9899:199409")
}

/// `NAME`, `NAME=VALUE` or `NAME(PARAMETERS)=VALUE`, on one line.
pub(crate) fn is_definition(text: &str) -> bool {
    let end = text.find(['=', '(']).unwrap_or(text.len());
    is_name(&text[..end]) && !text.contains(['\n', '\r', '\0'])
}

pub(crate) fn is_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_alphabetic() || c == '_' || c == '$';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// A path that no program takes for an option or a file of options.
pub fn plain_path(folder: &Path, path: &str) -> PathBuf {
    let path = folder.join(path);
    if path.is_absolute() { path } else { Path::new(".").join(path) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Result<(Vec<String>, CompilerOptions), String> {
        let options = read(line.split(' '), Path::new("/p"))?;
        let words =
            options.preprocess.checked.iter().map(|word| word.to_string_lossy().into_owned()).collect();
        Ok((words, options))
    }

    #[test]
    fn what_does_not_matter_is_ignored() {
        let line = "-Wall -Wno-unused -W -O2 -O -g -ggdb3 -pipe -c -o x.o -MD -MF x.d -MTx \
                    -fno-strict-aliasing -fstack-protector-strong -mtune=native -Wl,-z,relro -lm -L . \
                    --param ssp=4 -w x.c -fdiagnostics-color=always -mno-red-zone -mno-android";
        assert_eq!(words(line).unwrap().0, [""; 0]);
    }

    #[test]
    fn the_order_of_macros_stays() {
        let (words, options) =
            words("-UX -D X -DF(a)=a,1 -U Y -Iinc -isystem /s -iquote q -std=c99").unwrap();
        let expected =
            ["-UX", "-DX", "-DF(a)=a,1", "-UY", "-I", "/p/inc", "-isystem", "/s", "-iquote", "/p/q"];
        assert_eq!(words, expected);
        assert_eq!(options.preprocess.std.as_deref(), Some("c99"));
    }

    #[test]
    fn the_last_word_counts() {
        let dialect =
            words("-funsigned-char -fsigned-char -fwrapv -fshort-enums -fno-short-enums").unwrap().1.dialect;
        assert_eq!(
            (dialect.unsigned_char, dialect.wraps, dialect.short_enums),
            (Some(false), Some(true), Some(false))
        );
        assert_eq!(words("-fno-signed-char").unwrap().1.dialect.unsigned_char, Some(true));
        assert_eq!(words("-m64 -m32").unwrap().1.model, Some(DataModel::Ilp32));
        assert_eq!(words("-x c++ -x c").unwrap().1.other_language, None);
        assert_eq!(words("-xc++").unwrap().1.other_language.as_deref(), Some("c++"));
    }

    #[test]
    fn instructions_are_told_to_the_preprocessor() {
        assert_eq!(
            words("-march=x86-64-v3 -mno-sse2 -pthread -fPIC").unwrap().0,
            ["-march=x86-64-v3", "-mno-sse2", "-pthread", "-fPIC"]
        );
        assert_eq!(words("-Wp,-DA=1,-MD,x.d -Xpreprocessor -DB").unwrap().0, ["-DA=1", "-DB"]);
    }

    #[test]
    fn what_would_be_lost_is_refused() {
        for word in [
            "-ftrapv",
            "-fpack-struct",
            "-fpack-struct=2",
            "-fshort-wchar",
            "-mx32",
            "-ffast-math",
            "-Ofast",
            "-fopenmp",
            "-std=c23",
            "-std=gnu++17",
            "-wrapper gdb",
            "-B.",
            "-specs=x",
            "-fplugin=x.so",
            "@opts",
            "-D",
            "-D 1=2",
            "-DX\n=1",
            "-U X=1",
            "-I=inc",
            "-fno-such-thing",
            "--no-such-thing",
            "-mno-such-thing",
            "-m96bit-long-double",
            "-march=a;b",
            "-ftrivial-auto-var-init=zero",
            "-Wp,@x",
            "-Wl,--wrap=malloc",
            "-finput-charset=latin1",
        ] {
            assert!(words(word).is_err(), "{word}");
        }
    }

    #[test]
    fn paths_are_never_options() {
        let options = read(["-I", "-wrapper", "-I@opts", "-include", "@x"], Path::new("")).unwrap();
        let words: Vec<_> = options.preprocess.checked.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words, ["-I", "./-wrapper", "-I", "./@opts", "-include", "./@x"]);
    }

    #[test]
    fn words_are_recognised_with_their_arguments() {
        for (word, expected) in [
            ("-Wall", Some(false)),
            ("-include", Some(true)),
            ("-Dx", Some(false)),
            ("-D", Some(true)),
            ("-o", Some(true)),
            ("--property", None),
            ("-fno-such-thing", None),
        ] {
            assert_eq!(recognise(word), expected, "{word}");
        }
    }
}
