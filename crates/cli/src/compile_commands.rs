//! `compile_commands.json`, as build systems write it: each program that the files in it can be linked to.
//!
//! A program is a file that defines the entry function, together with the files that define what it needs,
//! what these need, and so on. What no file defines stays unknown, as always, and is listed among the
//! assumptions. Without an entry function the user says where to start: `--function NAME`, or
//! `--all-functions` for every function that is not static, each on its own.
//!
//! Files that are named beside the database choose: programs start in them, they belong to the program, and
//! what several files define is taken from them. Otherwise a name that several files define is taken from the
//! one that is no program of its own; if that does not decide, this program is not linked, and the others
//! are.
//!
//! The options of each command count (`summa_syntax::gcc_options`).
//! Files that are not C, and further entries for the same file, are left out with a note.

use crate::args::Verify;
use crate::console::Console;
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use summa_base::files;
use summa_c::tree::VarKind;
use summa_c::types::DataModel;
use summa_syntax::{CompilerOptions, gcc_options};

const FILE_NAME: &str = "compile_commands.json";

/// A file and how the compiler reads it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    pub(crate) file: PathBuf,
    pub(crate) options: CompilerOptions,
}

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// What a file defines and needs, by name.
#[derive(Clone, Debug, Default)]
struct Symbols {
    functions: BTreeSet<String>,
    objects: BTreeSet<String>,
    needs: BTreeSet<String>,
}

/// The programs that the options name, each with options of its own: those of a compilation database, or the
/// only one.
#[derive(Default)]
pub(crate) struct Programs {
    pub(crate) linked: Vec<Verify>,
    /// Programs that cannot be linked: their names, and why.
    pub(crate) failed: Vec<(String, String)>,
}

/// `Err` is a message for the user.
pub(crate) fn programs(options: &Verify, report: &Console) -> Result<Programs, String> {
    let Some((database, named)) = database(options) else {
        return match options.all_functions {
            true => Err("--all-functions is for compilation databases".to_owned()),
            false => Ok(Programs { linked: vec![options.clone()], ..Programs::default() }),
        };
    };
    let text = files::read_text(&database, files::LARGE)
        .map_err(|error| format!("cannot read `{}`: {error}", database.display()))?;
    let (units, notes) = units(&text).map_err(|message| format!("{}: {message}", database.display()))?;
    let named = named.iter().map(|file| position(file, &units)).collect::<Result<BTreeSet<usize>, _>>()?;
    notes.iter().for_each(|note| report.line(format_args!("Note:        {note}")));
    let mut symbols = Vec::with_capacity(units.len());
    let mut unreadable = None;
    for (file, unit) in units.iter().enumerate() {
        match self::symbols(unit, options) {
            Ok(of_file) => symbols.push(of_file),
            Err(message) if named.contains(&file) => return Err(message),
            // The definitions in this file are unknown, as if the file were missing.
            Err(message) => {
                report.line(format_args!("Note:        {message}; the file is left out"));
                unreadable = unreadable.or(Some(message));
                symbols.push(Symbols::default());
            }
        }
    }
    let starts = starts(options, &symbols, &named).map_err(|message| unreadable.unwrap_or(message))?;
    let entry = options.input.function.as_deref().unwrap_or("main");
    let mut programs = Programs::default();
    for (start, function) in starts {
        match linked(start, entry, &named, &units, &symbols) {
            Ok(files) => programs.linked.push(program(options, &files, function)?),
            Err(why) => programs.failed.push((units[start].file.display().to_string(), why)),
        }
    }
    match programs.failed.first() {
        Some((_, why)) if programs.linked.is_empty() => Err(why.clone()),
        _ => Ok(programs),
    }
}

/// The position of the file in the database.
fn position(file: &Path, units: &[Unit]) -> Result<usize, String> {
    let absolute = |path: &Path| std::env::current_dir().unwrap_or_default().join(shorten(path));
    let found = units.iter().position(|unit| absolute(&unit.file) == absolute(file));
    found.ok_or_else(|| format!("`{}` is not in the compilation database", file.display()))
}

/// The name of a program among several: its first file, and the function where it starts if that is not
/// `main`.
pub(crate) fn label(program: &Verify) -> String {
    let source = &program.input.source;
    let file = source.files.first().map_or_else(String::new, |file| file.display().to_string());
    match &program.input.function {
        Some(function) => format!("{file}, {function}"),
        None => file,
    }
}

/// The compilation database that the options name, and the files that they name beside it; None if they name
/// no database.
fn database(options: &Verify) -> Option<(PathBuf, Vec<PathBuf>)> {
    let is_database = |file: &PathBuf| file.file_name().is_some_and(|name| name == FILE_NAME);
    let mut files = options.input.source.files.clone();
    let named = match &options.compile_commands {
        Some(named) => named.clone(),
        None => files.remove(files.iter().position(is_database)?),
    };
    Some((if named.is_dir() { named.join(FILE_NAME) } else { named }, files))
}

/// The files where programs start, and in which function if it is not `main`.
fn starts(
    options: &Verify,
    symbols: &[Symbols],
    named: &BTreeSet<usize>,
) -> Result<Vec<(usize, Option<String>)>, String> {
    let is_asked = |file: &usize| named.is_empty() || named.contains(file);
    if options.all_functions {
        let asked = symbols.iter().enumerate().filter(|(file, _)| is_asked(file));
        let all = asked.flat_map(|(file, symbols)| {
            symbols.functions.iter().map(move |function| (file, Some(function.clone())))
        });
        return Ok(all.collect());
    }
    let entry = options.input.function.as_deref().unwrap_or("main");
    let mut found: Vec<usize> =
        (0..symbols.len()).filter(|&file| symbols[file].functions.contains(entry)).collect();
    if found.iter().any(is_asked) {
        found.retain(is_asked);
    }
    let found: Vec<(usize, Option<String>)> =
        found.into_iter().map(|file| (file, options.input.function.clone())).collect();
    if found.is_empty() {
        return Err(format!(
            "no file of the compilation database defines `{entry}`; --function names another one, \
             --all-functions takes each"
        ));
    }
    Ok(found)
}

/// The start, then the files that are named, and then all files that define what these need, directly or not,
/// in the order of the database.
fn linked(
    start: usize,
    entry: &str,
    named: &BTreeSet<usize>,
    units: &[Unit],
    symbols: &[Symbols],
) -> Result<Vec<Unit>, String> {
    let mut definers: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (file, of_file) in symbols.iter().enumerate() {
        for name in of_file.functions.iter().chain(&of_file.objects) {
            definers.entry(name).or_default().push(file);
        }
    }
    // A file that has an entry of its own is another program.
    let is_other = |file: usize| file != start && symbols[file].functions.contains(entry);
    let mut chosen = BTreeSet::from([start]);
    chosen.extend(named.iter().copied().filter(|&file| !is_other(file)));
    let mut todo: Vec<usize> = chosen.iter().copied().collect();
    while let Some(file) = todo.pop() {
        for name in &symbols[file].needs {
            let all = definers.get(name.as_str()).map_or(&[][..], Vec::as_slice);
            if all.iter().any(|candidate| chosen.contains(candidate)) {
                continue;
            }
            let candidates: Vec<usize> = all.iter().copied().filter(|&file| !is_other(file)).collect();
            match candidates[..] {
                [] => {}
                [only] => {
                    chosen.insert(only);
                    todo.push(only);
                }
                [first, second, ..] => {
                    return Err(format!(
                        "`{name}` is needed by {} and defined in {} and in {}: name the one that belongs to \
                         the program, beside the database and {}",
                        units[file].file.display(),
                        units[first].file.display(),
                        units[second].file.display(),
                        units[start].file.display()
                    ));
                }
            }
        }
    }
    chosen.remove(&start);
    Ok(std::iter::once(start).chain(chosen).map(|file| units[file].clone()).collect())
}

/// The options for one program.
fn program(options: &Verify, units: &[Unit], function: Option<String>) -> Result<Verify, String> {
    let mut program = options.clone();
    let models: BTreeSet<&str> =
        units.iter().filter_map(|unit| unit.options.model).map(DataModel::name).collect();
    let model = units.iter().find_map(|unit| unit.options.model);
    let source = &mut program.input.source;
    if source.chosen_model().is_none() {
        if models.len() > 1 {
            return Err(
                "files that are compiled with -m32 and with -m64 are one program; --32 or --64 must choose"
                    .to_owned(),
            );
        }
        source.data_model = model;
    }
    source.files = units.iter().map(|unit| unit.file.clone()).collect();
    source.units = units.to_vec();
    program.input.function = function;
    program.compile_commands = None;
    Ok(program)
}

/// What a file defines for others and needs from them.
fn symbols(unit: &Unit, options: &Verify) -> Result<Symbols, String> {
    let host = if cfg!(target_pointer_width = "64") { DataModel::Lp64 } else { DataModel::Ilp32 };
    let model = options.input.source.chosen_model().or(unit.options.model).unwrap_or(host);
    let inputs = [(unit.file.clone(), unit.options.clone())];
    let loaded = summa_c::load_each(&inputs, model).map_err(|failure| {
        let first = failure.diagnostics.first().map_or_else(String::new, |first| first.message.clone());
        format!("cannot read `{}`: {first}", unit.file.display())
    })?;
    let mut symbols = Symbols::default();
    let program = &loaded.program;
    for function in program.functions.values().filter(|function| !function.is_static) {
        let name = program.name(function.name).to_owned();
        if function.body.is_some() {
            symbols.functions.insert(name);
        } else {
            symbols.needs.insert(name);
        }
    }
    for var in program.vars.values() {
        let name = program.name(var.name).to_owned();
        match var.kind {
            VarKind::Global => {
                symbols.objects.insert(name);
            }
            VarKind::External => {
                symbols.needs.insert(name);
            }
            _ => {}
        }
    }
    Ok(symbols)
}

/// The C files of the database, each once, and what was left out.
fn units(text: &str) -> Result<(Vec<Unit>, Vec<String>), String> {
    let entries: Vec<Entry> = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let (mut units, mut notes): (Vec<Unit>, Vec<String>) = (Vec::new(), Vec::new());
    for entry in entries {
        let file = shorten(&entry.directory.join(&entry.file));
        if !file.extension().is_some_and(|extension| extension == "c" || extension == "i") {
            notes.push(format!("{} is not C and left out", file.display()));
            continue;
        }
        if units.iter().any(|unit| unit.file == file) {
            notes.push(format!("{} is compiled several times; the first command counts", file.display()));
            continue;
        }
        let words = match (entry.arguments, entry.command) {
            (Some(arguments), _) => arguments,
            (None, Some(command)) => split(&command)?,
            (None, None) => return Err(format!("the entry of `{}` has no command", file.display())),
        };
        let words = words.iter().skip(1).map(String::as_str);
        let options = gcc_options::read(words, &entry.directory)
            .map_err(|message| format!("the command of `{}`: {message}", file.display()))?;
        if let Some(language) = &options.other_language {
            notes.push(format!("{} is read as {language}, not C, and left out", file.display()));
            continue;
        }
        units.push(Unit { file, options });
    }
    if units.is_empty() {
        return Err("it names no C file".to_owned());
    }
    Ok((units, notes))
}

/// A command as a shell splits it: blanks, quotes, backslashes. Nothing is expanded.
fn split(command: &str) -> Result<Vec<String>, String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\n' => words.extend(word.take()),
            '\'' | '"' => {
                let quoted = word.get_or_insert_with(String::new);
                loop {
                    match chars.next() {
                        None => return Err(format!("a quote is not closed in `{command}`")),
                        Some(end) if end == c => break,
                        Some('\\') if c == '"' => match chars.next() {
                            Some(escaped @ ('"' | '\\' | '$' | '`')) => quoted.push(escaped),
                            Some(other) => quoted.extend(['\\', other]),
                            None => return Err(format!("a quote is not closed in `{command}`")),
                        },
                        Some(other) => quoted.push(other),
                    }
                }
            }
            '\\' => word.get_or_insert_with(String::new).extend(chars.next()),
            other => word.get_or_insert_with(String::new).push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

/// The path without `.` and `..` where they cancel out, and relative to the current folder if it lies there.
fn shorten(path: &Path) -> PathBuf {
    use std::path::Component;
    let mut short = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(short.components().next_back(), Some(Component::Normal(_))) => {
                short.pop();
            }
            _ => short.push(part),
        }
    }
    let here = std::env::current_dir().unwrap_or_default();
    short.strip_prefix(&here).map(Path::to_owned).unwrap_or(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_by_a_shell() {
        let words = split(r#"gcc -DX="a \"b\"" -D'Y=1 2' a\ b.c  -I inc"#).unwrap();
        assert_eq!(words, ["gcc", "-DX=a \"b\"", "-DY=1 2", "a b.c", "-I", "inc"]);
        assert!(split("gcc 'x").is_err());
        assert_eq!(split("gcc ''").unwrap(), ["gcc", ""]);
    }

    #[test]
    fn options_of_the_preprocessor_are_read() {
        let text = r#"[
          {"directory": "/p/build", "file": "../src/a.c",
           "command": "cc -Iinc -I ../x -DN=1 -D M -UQ -std=c99 -m32 -include cfg.h -o a.o -c ../src/a.c"},
          {"directory": "/p/build", "file": "../src/a.c", "arguments": ["cc", "-c", "../src/a.c"]},
          {"directory": "/p", "file": "x.cpp", "arguments": ["c++", "x.cpp"]}
        ]"#;
        let (units, notes) = units(text).unwrap();
        assert_eq!(units.len(), 1);
        let unit = &units[0];
        assert_eq!(unit.file, Path::new("/p/src/a.c"));
        let preprocess = &unit.options.preprocess;
        let words: Vec<_> = preprocess.checked.iter().map(|word| word.to_string_lossy()).collect();
        let expected =
            ["-I", "/p/build/inc", "-I", "/p/build/../x", "-DN=1", "-DM", "-UQ", "-include", "cfg.h"];
        assert_eq!(words, expected);
        assert_eq!(preprocess.std.as_deref(), Some("c99"));
        assert_eq!(unit.options.model, Some(DataModel::Ilp32));
        assert_eq!(notes.len(), 2, "{notes:?}");
    }

    #[test]
    fn programs_are_what_is_linked() {
        let unit = |name: &str| Unit { file: name.into(), ..Unit::default() };
        let units = [unit("a.c"), unit("b.c"), unit("lib.c"), unit("twin.c")];
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        let symbols = [
            Symbols { functions: set(&["main"]), needs: set(&["help", "puts"]), ..Symbols::default() },
            Symbols { functions: set(&["main"]), needs: set(&["table"]), ..Symbols::default() },
            Symbols { functions: set(&["help"]), objects: set(&["table"]), needs: set(&["main"]) },
            Symbols { objects: set(&["table"]), ..Symbols::default() },
        ];
        let names = |start| {
            linked(start, "main", &BTreeSet::new(), &units, &symbols)
                .map(|files| files.iter().map(|unit| unit.file.display().to_string()).collect::<Vec<_>>())
        };
        assert_eq!(names(0).unwrap(), ["a.c", "lib.c"], "`main` is there already");
        let error = names(1).unwrap_err();
        assert!(error.contains("`table`") && error.contains("twin.c"), "{error}");
    }

    #[test]
    fn damaged_databases_are_told() {
        assert!(units("{").is_err());
        assert!(units("[]").unwrap_err().contains("no C file"));
        assert!(units(r#"[{"directory": "/", "file": "a.c"}]"#).unwrap_err().contains("no command"));
        let error =
            units(r#"[{"directory": "/", "file": "a.c", "command": "cc -ftrapv -c a.c"}]"#).unwrap_err();
        assert!(error.contains("`/a.c`") && error.contains("`-ftrapv`"), "{error}");
    }
}
