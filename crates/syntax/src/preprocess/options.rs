//! The options of the preprocessor, and the words for them. Each word is checked before a compiler gets it.

use super::child::plain_argument;
use crate::{DataModel, gcc_options};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use summa_base::plain;

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
    pub data_model: DataModel,
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
    pub(super) fn changes_plain_text(&self) -> bool {
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
    pub(super) fn headers(&self) -> (Vec<PathBuf>, Vec<PathBuf>) {
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
    pub(super) fn arguments(&self, path: &Path) -> Result<Vec<OsString>, String> {
        let mut arguments: Vec<OsString> = ["-x", "c"].map(OsString::from).into();
        match self.data_model {
            DataModel::Ilp32 => arguments.push("-m32".into()),
            // Compilers for other machines do not know the flag; those with 64 bits need none.
            DataModel::Lp64 if cfg!(target_arch = "x86_64") => arguments.push("-m64".into()),
            DataModel::Lp64 => {}
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
