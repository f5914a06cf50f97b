//! Settings of a project. `summa.toml` in the folder of the first input or above it gives defaults for
//! options of `summa verify`, so that they need not be typed again. The command line wins. Lists of both are
//! joined, those of the file first.
//!
//! Paths in the file are relative to it, and files that the settings ask for must lie below its folder. An
//! unknown key is an error with its line and a suggestion.

use crate::args::{OutputFormat, Verify, parse_data_model, parse_duration, parse_size};
use clap::ValueEnum;
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};
use summa_base::files;
use summa_base::plain::Shown;

/// The name of the file.
pub(crate) const FILE_NAME: &str = "summa.toml";

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Settings {
    property: OneOrMore,
    check: OneOrMore,
    config: Option<String>,
    jobs: Option<usize>,
    time_limit: Option<TextOrNumber>,
    memory_limit: Option<TextOrNumber>,
    function: Option<String>,
    data_model: Option<String>,
    include_dirs: Vec<PathBuf>,
    include: Vec<PathBuf>,
    define: Vec<String>,
    undefine: Vec<String>,
    std: Option<String>,
    output_format: Option<String>,
    sarif: Option<PathBuf>,
    json: Option<PathBuf>,
    full_trace: bool,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMore {
    One(String),
    More(Vec<String>),
}

impl Default for OneOrMore {
    fn default() -> Self {
        Self::More(Vec::new())
    }
}

impl OneOrMore {
    fn list(self) -> Vec<String> {
        match self {
            Self::One(text) => vec![text],
            Self::More(list) => list,
        }
    }
}

/// `60` or `"15min"`.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum TextOrNumber {
    Text(String),
    Number(u64),
}

impl TextOrNumber {
    fn text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
        }
    }
}

/// Uses the settings of the project as defaults of the options, and stores the name of their file there.
/// `Err` is a message for the user.
pub(crate) fn apply(options: &mut Verify) -> Result<(), String> {
    let file = match (&options.settings, options.no_settings) {
        (_, true) => None,
        (Some(file), false) => Some(file.clone()),
        (None, false) => options.input.source.files.first().and_then(|input| find(input)),
    };
    let Some(file) = file else { return Ok(()) };
    let text = files::read_text(&file, files::SMALL)
        .map_err(|error| format!("cannot read the settings `{}`: {error}", file.shown()))?;
    let settings = parse(&file, &text)?;
    let folder = file.parent().unwrap_or(Path::new(""));
    merge(options, settings, folder).map_err(|message| format!("{}: {message}", file.shown()))?;
    options.settings = Some(file);
    Ok(())
}

/// The nearest file upwards from the input.
fn find(input: &Path) -> Option<PathBuf> {
    let folder = input.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let candidate = |folder: &Path| Some(folder.join(FILE_NAME)).filter(|file| file.is_file());
    // First along the path as the user wrote it, then up from there. The empty path is the current folder,
    // which is not above `..`.
    let goes_up = folder.components().any(|part| part == Component::ParentDir);
    let is_above = |folder: &&Path| !(goes_up && folder.as_os_str().is_empty());
    let near = folder.ancestors().filter(is_above).find_map(candidate);
    near.or_else(|| folder.canonicalize().ok()?.ancestors().find_map(candidate))
        .map(|file| file.strip_prefix("./").map(Path::to_owned).unwrap_or(file))
}

fn parse(file: &Path, text: &str) -> Result<Settings, String> {
    toml::from_str(text).map_err(|error| {
        summa_engines::config::ConfigError::syntax(&file.shown().to_string(), text, &error).to_string()
    })
}

fn merge(options: &mut Verify, settings: Settings, folder: &Path) -> Result<(), String> {
    let about = |key: &'static str| move |message: String| format!("{key}: {message}");
    let path = |path: PathBuf| folder.join(path);
    // A property file is relative to the settings, a name is not.
    let property = |text: String| match folder.join(&text) {
        file if text.ends_with(".prp") => file.display().to_string(),
        _ => text,
    };
    if options.property.is_empty() {
        options.property = settings.property.list().into_iter().map(property).collect();
    }
    if options.check.is_empty() {
        options.check = settings.check.list();
    }
    let asks_for_strategy = options.explain || options.jobs > 1;
    if let Some(config) = settings.config.filter(|_| options.config.is_none() && !asks_for_strategy) {
        let is_file = config.ends_with(".toml") || config.contains('/');
        options.config = Some(if is_file { folder.join(&config).display().to_string() } else { config });
    }
    if let Some(jobs) = settings.jobs.filter(|_| options.jobs == 1 && options.config.is_none()) {
        options.jobs = jobs.max(1);
    }
    if let Some(time) = settings.time_limit.filter(|_| options.time_limit.is_none()) {
        options.time_limit = Some(parse_duration(&time.text()).map_err(about("time-limit"))?);
    }
    let input = &mut options.input;
    if let Some(size) = settings.memory_limit.filter(|_| input.memory_limit.is_none()) {
        input.memory_limit = Some(parse_size(&size.text()).map_err(about("memory-limit"))?);
    }
    input.function = input.function.take().or(settings.function);
    let source = &mut input.source;
    if let Some(model) = settings.data_model.filter(|_| source.chosen_model().is_none()) {
        source.data_model = Some(parse_data_model(&model).map_err(about("data-model"))?);
    }
    source.include_dirs.splice(..0, settings.include_dirs.into_iter().map(path));
    source.include_files.splice(..0, settings.include.into_iter().map(path));
    source.defines.splice(..0, settings.define);
    source.undefines.splice(..0, settings.undefine);
    source.std = source.std.take().or(settings.std);
    let formats = &mut options.formats;
    if let Some(format) = settings.output_format.filter(|_| formats.output_format == OutputFormat::Text) {
        formats.output_format = OutputFormat::from_str(&format, false)
            .map_err(|_| format!("output-format: `{format}` is none of text, json, sarif, github"))?;
    }
    if let Some(sarif) = settings.sarif.filter(|_| formats.sarif.is_none()) {
        formats.sarif = Some(output(folder, &sarif).map_err(about("sarif"))?);
    }
    if let Some(json) = settings.json.filter(|_| formats.json.is_none()) {
        formats.json = Some(output(folder, &json).map_err(about("json"))?);
    }
    formats.full_trace |= settings.full_trace;
    Ok(())
}

/// A file that the settings ask to write. Settings may come with a project from another person. So they may
/// only write below their own folder, through no link, and not into git's own files.
fn output(folder: &Path, named: &Path) -> Result<PathBuf, String> {
    let shown = named.shown();
    let is_plain = |part: Component<'_>| match part {
        Component::Normal(name) => name != ".git",
        Component::CurDir => true,
        Component::Prefix(_) | Component::RootDir | Component::ParentDir => false,
    };
    if named.file_name().is_none() || !named.components().all(is_plain) {
        return Err(format!("`{shown}` is no file below the folder of the settings"));
    }
    let mut path = folder.to_owned();
    for part in named.components() {
        path.push(part);
        if path.symlink_metadata().is_ok_and(|about| about.is_symlink()) {
            return Err(format!("`{shown}` leads through a link, `{}`", path.shown()));
        }
    }
    match files::not_a_file(&path) {
        Some(what) => Err(format!("`{shown}` cannot be written: it is {what}")),
        None => Ok(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;
    use std::time::Duration;
    use summa_c::types::DataModel;

    fn options(line: &str) -> Verify {
        let Command::Verify(options) = Cli::parse_from(line.split(' ')).command else { panic!("not verify") };
        options
    }

    fn merged(line: &str, text: &str) -> Result<Verify, String> {
        let mut options = options(line);
        let settings = parse(Path::new("set/summa.toml"), text)?;
        merge(&mut options, settings, Path::new("set"))?;
        Ok(options)
    }

    const TEXT: &str = "property = [\"unreach-call\", \"p/x.prp\"]\ntime-limit = \"2min\"\n\
                        memory-limit = 500\ndata-model = \"ILP32\"\n\
                        include-dirs = [\"inc\"]\ndefine = [\"N=1\"]\nsarif = \"out.sarif\"\n\
                        output-format = \"github\"\n";

    #[test]
    fn the_command_line_wins() {
        let options = merged("summa verify a.c", TEXT).unwrap();
        assert_eq!(options.property, ["unreach-call", "set/p/x.prp"]);
        assert_eq!(options.time_limit, Some(Duration::from_secs(120)));
        assert_eq!(options.input.memory_limit, Some(500 << 20));
        assert_eq!(options.input.source.chosen_model(), Some(DataModel::Ilp32));
        assert_eq!(options.input.source.include_dirs, [PathBuf::from("set/inc")]);
        assert_eq!(options.formats.sarif, Some(PathBuf::from("set/out.sarif")));
        assert_eq!(options.formats.output_format, OutputFormat::Github);

        let line =
            "summa verify --property no-overflow --time-limit 5 --64 -D N=2 -I x --output-format json a.c";
        let options = merged(line, TEXT).unwrap();
        assert_eq!(options.property, ["no-overflow"]);
        assert_eq!(options.time_limit, Some(Duration::from_secs(5)));
        assert_eq!(options.input.source.chosen_model(), Some(DataModel::Lp64));
        assert_eq!(options.input.source.defines, ["N=1", "N=2"], "the last definition counts");
        assert_eq!(options.input.source.include_dirs, [PathBuf::from("set/inc"), PathBuf::from("x")]);
        assert_eq!(options.formats.output_format, OutputFormat::Json);
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let error = merged("summa verify a.c", "property = \"assert\"\ntime-limt = 5\n").unwrap_err();
        assert!(error.starts_with("set/summa.toml:2: unknown key `time-limt`"), "{error}");
        assert!(error.ends_with("did you mean `time-limit`?"), "{error}");
        for (text, part) in [
            ("time-limit = \"5 parsecs\"", "time-limit: "),
            ("data-model = \"LP32\"", "data-model: "),
            ("output-format = \"xml\"", "none of text"),
            ("define = 3", "set/summa.toml:1"),
            ("= =", "set/summa.toml:1"),
            ("sarif = \"../out.sarif\"", "sarif: `../out.sarif` is no file below"),
            ("json = \"/tmp/out.json\"", "json: `/tmp/out.json` is no file below"),
            ("json = \"a/../../x\"", "is no file below"),
            ("json = \".git/config\"", "is no file below"),
            ("json = \"\"", "is no file below"),
        ] {
            let error = merged("summa verify a.c", text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
