//! Task definitions: the `.yml` files of benchmark sets, in the format versions 1.0, 2.0 and 2.1. A task
//! names its input files, the properties to check, and perhaps the data model.
//!
//! Paths in a task are relative to its file. Expected verdicts are not read: an answer must never depend on
//! them.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use summa_base::files;
use summa_base::plain::Shown;
use summa_c::types::DataModel;

/// What a task definition asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TaskFile {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) property_files: Vec<PathBuf>,
    pub(crate) data_model: Option<DataModel>,
}

#[derive(Deserialize)]
struct Document {
    format_version: String,
    input_files: OneOrMore,
    #[serde(default)]
    properties: Vec<PropertyEntry>,
    #[serde(default)]
    options: Options,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

#[derive(Deserialize)]
struct PropertyEntry {
    property_file: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Options {
    data_model: Option<String>,
    language: Option<String>,
}

impl TaskFile {
    pub(crate) fn is_task(path: &Path) -> bool {
        path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml")
    }

    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let shown = path.shown();
        let text = files::read_text(path, files::SMALL)
            .map_err(|e| format!("cannot read the task `{shown}`: {e}"))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, folder)
            .map_err(|message| format!("the task definition `{shown}` is not valid: {message}"))
    }

    fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let document: Document = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
        if !matches!(document.format_version.as_str(), "1.0" | "2.0" | "2.1") {
            return Err(format!(
                "format version {} is not known (1.0, 2.0 and 2.1 are)",
                document.format_version
            ));
        }
        if let Some(language) = document.options.language.filter(|language| language != "C") {
            return Err(format!("it is about the language {language}, not C"));
        }
        let data_model = match document.options.data_model.as_deref() {
            None => None,
            Some("ILP32") => Some(DataModel::Ilp32),
            Some("LP64") => Some(DataModel::Lp64),
            Some(other) => return Err(format!("there is no data model {other}: ILP32 and LP64 are known")),
        };
        let files = match document.input_files {
            OneOrMore::One(file) => vec![file],
            OneOrMore::More(files) => files,
        };
        if files.is_empty() {
            return Err("it names no input file".to_owned());
        }
        Ok(Self {
            files: files.iter().map(|file| folder.join(file)).collect(),
            property_files: document
                .properties
                .iter()
                .map(|entry| folder.join(&entry.property_file))
                .collect(),
            data_model,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_format_versions_are_read() {
        let old = "format_version: '1.0'\n\n# old name\ninput_files: 'a.i'\n\n\
                   properties:\n  - property_file: ../p/u.prp\n    \
                   expected_verdict: false\n    subproperty: valid-deref\n";
        let task = TaskFile::parse(old, Path::new("set")).unwrap();
        assert_eq!(task.files, [PathBuf::from("set/a.i")]);
        assert_eq!(task.property_files, [PathBuf::from("set/../p/u.prp")]);
        assert_eq!(task.data_model, None);

        let new = "format_version: '2.0'\ninput_files:\n  - a.c\n  - b.c\nproperties: []\n\
                   options:\n  language: C\n  \
                   data_model: ILP32\n";
        let task = TaskFile::parse(new, Path::new("")).unwrap();
        assert_eq!(task.files.len(), 2);
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        assert!(TaskFile::parse("format_version: \"2.1\"\ninput_files: x.c\n", Path::new("")).is_ok());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, part) in [
            ("format_version: '3.0'\ninput_files: a.c\n", "format version 3.0"),
            ("format_version: '2.0'\ninput_files: []\n", "no input file"),
            ("format_version: '2.0'\n", "input_files"),
            ("format_version: '2.0'\ninput_files: a.c\noptions: {data_model: LP32}\n", "no data model LP32"),
            ("format_version: '2.0'\ninput_files: a.java\noptions: {language: Java}\n", "language Java"),
            ("- [", ""),
        ] {
            let error = TaskFile::parse(text, Path::new("")).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
