//! The rules of ARCHITECTURE.md that a compiler does not check: who may depend on whom, a header and a
//! bounded size for every file, printing only in `cli`, a reason for every dependency.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::path::{Path, PathBuf};

/// Which crates of this workspace a crate may use. A new crate gets its line here and in ARCHITECTURE.md.
const LAYERS: &[(&str, &[&str])] = &[
    ("base", &[]),
    ("term", &["base"]),
    ("syntax", &["base"]),
    ("c", &["base", "syntax"]),
    ("cfa", &["base", "c"]),
    ("facts", &["base", "c", "cfa"]),
    ("transform", &["base", "c", "cfa", "facts"]),
    ("smt", &["base", "term"]),
    ("interp", &["base", "c", "cfa"]),
    ("encode", &["base", "term", "c", "cfa", "facts"]),
    ("logic", &["base", "term", "c", "cfa", "smt", "encode"]),
    ("proof", &["base", "term", "c", "cfa", "facts", "transform", "smt", "encode"]),
    ("cpa", &["base", "c", "cfa", "facts"]),
    ("bam", &["base", "c", "cfa", "facts", "cpa"]),
    ("domains", &["base", "term", "c", "cfa", "facts", "smt", "encode", "logic", "cpa", "bam"]),
    (
        "engines",
        &[
            "base", "term", "c", "cfa", "facts", "smt", "interp", "encode", "logic", "cpa", "bam", "domains",
            "proof",
        ],
    ),
    ("verify", &["base", "term", "c", "cfa", "facts", "transform", "interp", "encode", "engines", "proof"]),
    ("verdict", &["base", "syntax", "c", "cfa", "facts", "interp"]),
    ("testkit", &["base", "term", "c", "cfa", "facts", "transform", "interp", "encode", "cpa", "bam"]),
    ("cli", &["base", "syntax", "c", "cfa", "interp", "engines", "verify", "verdict", "proof"]),
];

const MAX_LINES: usize = 500;

/// Files that may be longer, and why.
const LONG_FILES: &[(&str, &str)] = &[(
    "crates/interp/src/machine/execute.rs",
    "one loop over all instructions, whose state is in registers: no instruction can leave the function",
)];

/// As in rustfmt.toml, which leaves strings, comments and macros alone.
const MAX_COLUMNS: usize = 110;

/// The lines in `src` of a crate, tests in these files included; what is in `tests` and `benches` does not
/// count, since nobody has to read it to know what the crate does.
const MAX_CRATE_LINES: usize = 15_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// All Rust files of the workspace with their names from its root.
fn sources() -> Vec<(String, String)> {
    let mut found = Vec::new();
    rust_files(&root().join("crates"), &mut found);
    rust_files(&root().join("fuzz"), &mut found);
    let name = |path: &Path| path.strip_prefix(root()).unwrap_or(path).display().to_string();
    found.iter().map(|path| (name(path), read(path))).collect()
}

fn assert_none(what: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{what}:\n  {}", problems.join("\n  "));
}

#[test]
fn dependencies_follow_the_layers() {
    let mut problems = Vec::new();
    let mut crates: Vec<String> = std::fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    crates.sort();
    let map = read(&root().join("ARCHITECTURE.md"));
    for name in crates {
        let Some((_, allowed)) = LAYERS.iter().find(|(layer, _)| *layer == name) else {
            problems.push(format!("crate `{name}` is not in the layer table"));
            continue;
        };
        if !map.contains(&format!("| `{name}` |")) {
            problems.push(format!("crate `{name}` has no line in the map of ARCHITECTURE.md"));
        }
        let manifest = read(&root().join("crates").join(&name).join("Cargo.toml"));
        // Tests may compare with anything: the truth tests of a formula need the interpreter.
        let manifest = manifest.split("[dev-dependencies]").next().unwrap_or("");
        let used =
            manifest.lines().filter_map(|line| line.strip_prefix("summa-")?.split(['.', ' ', '=']).next());
        for used in used.filter(|used| !allowed.contains(used)) {
            problems.push(format!("`{name}` must not depend on `{used}`"));
        }
    }
    assert_none("layers", &problems);
}

#[test]
fn every_file_has_a_header_and_a_bounded_size() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        if !text.starts_with("//!") {
            problems.push(format!("{name}: does not start with `//!` and its idea"));
        }
        let lines = text.lines().count();
        let excused = LONG_FILES.iter().any(|(file, reason)| *file == name && !reason.is_empty());
        if lines > MAX_LINES && !excused {
            problems.push(format!(
                "{name}: {lines} lines; split it by concept or add it to LONG_FILES with a reason"
            ));
        }
    }
    for (file, _) in LONG_FILES {
        if !root().join(file).exists() {
            problems.push(format!("{file}: in LONG_FILES, but gone"));
        }
    }
    assert_none("files", &problems);
}

#[test]
fn every_crate_has_a_bounded_size() {
    let sources = sources();
    let mut problems = Vec::new();
    for (name, _) in LAYERS {
        let folder = format!("crates/{name}/src/");
        let files = sources.iter().filter(|(file, _)| file.starts_with(&folder));
        let lines: usize = files.map(|(_, text)| text.lines().count()).sum();
        assert!(lines > 0, "no sources of `{name}`");
        if lines > MAX_CRATE_LINES {
            problems.push(format!(
                "`{name}` has {lines} lines; take a part with a boundary of its own out of it"
            ));
        }
    }
    assert_none("crates", &problems);
}

/// Is a raw string open behind the line, if it was `open` before it?
fn leaves_raw_string_open(line: &str, mut open: bool) -> bool {
    let mut rest = line;
    while let Some((_, behind)) = rest.split_once(if open { "\"#" } else { "r#\"" }) {
        (open, rest) = (!open, behind);
    }
    open
}

/// Lines of raw strings are data (programs, what is expected of an output), and rows of tables in
/// documentation have no other form: both stay as they are.
#[test]
fn lines_are_narrow() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        let mut is_raw = false;
        for (number, line) in text.lines().enumerate() {
            let is_data = is_raw || line.contains("r#\"");
            is_raw = leaves_raw_string_open(line, is_raw);
            let is_row = line.trim_start().starts_with("//! |");
            let columns = line.chars().count();
            if columns > MAX_COLUMNS && !is_data && !is_row {
                problems.push(format!("{name}:{}: {columns} columns", number + 1));
            }
        }
        assert!(!is_raw, "{name}: a raw string has no end");
    }
    assert_none("wide lines", &problems);
}

/// What is written as `name` in a sentence is a name even without backquotes.
const SMALL_NAMES: &[&str] = &["gcc's", "glibc's", "serde's"];

/// A sentence that begins above one item and ends above the next one is torn apart in the generated pages.
#[test]
fn documentation_does_not_span_items() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        // clap makes help texts of these, which end without a full stop.
        if name.starts_with("crates/cli/src/args") {
            continue;
        }
        let (mut block, mut is_example): (Vec<&str>, bool) = (Vec::new(), false);
        for (number, line) in text.lines().chain([""]).enumerate() {
            let doc = line.trim_start().strip_prefix("///").filter(|rest| !rest.starts_with('/'));
            if let Some(doc) = doc {
                is_example |= doc.trim_start().starts_with("```");
                block.push(doc.trim());
                continue;
            }
            let ends =
                block.last().is_none_or(|last| last.ends_with(['.', '!', '?', ':', ';', '…', '|', '`', ')']));
            let first = block.first().and_then(|first| first.split_once(' ')).map_or("", |(word, _)| word);
            let is_word = first.len() > 1 && first.chars().all(|c| c.is_ascii_lowercase() || c == '\'');
            if !ends && !is_example {
                problems.push(format!("{name}:{number}: the documentation has no end"));
            }
            if is_word && !SMALL_NAMES.contains(&first) {
                problems.push(format!("{name}:{number}: the documentation begins in a sentence: `{first}`"));
            }
            (block, is_example) = (Vec::new(), false);
        }
    }
    assert_none("documentation across items", &problems);
}

#[test]
fn only_cli_prints() {
    let mut problems = Vec::new();
    for (name, text) in sources() {
        let may_print = ["crates/cli/", "crates/testkit/"].iter().any(|start| name.starts_with(start))
            || ["/tests/", "/examples/", "/benches/", "/build.rs"].iter().any(|part| name.contains(part));
        if may_print {
            continue;
        }
        let code = text.split("#[cfg(test)]").next().unwrap_or("");
        for (number, line) in code.lines().enumerate() {
            let prints = ["println!", "print!(", "eprint", "dbg!"].iter().any(|word| line.contains(word));
            if prints && !line.trim_start().starts_with("//") {
                problems.push(format!("{name}:{}: {}", number + 1, line.trim()));
            }
        }
    }
    assert_none("printing outside of `cli`", &problems);
}

/// What tests read from the environment is in one table; the program itself reads one variable, for the
/// preprocessor.
#[test]
fn the_environment_is_read_in_one_place() {
    let is_home = |name: &str| {
        ["crates/testkit/src/knobs.rs", "crates/syntax/src/preprocess/mod.rs", "crates/cli/tests/tidy.rs"]
            .contains(&name)
    };
    let mut problems = Vec::new();
    for (name, text) in sources().into_iter().filter(|(name, _)| !is_home(name)) {
        for (number, line) in text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if line.contains("\"SUMMA_") && !is_comment {
                problems.push(format!("{name}:{}: a variable for `summa_testkit::knobs`", number + 1));
            }
        }
    }
    assert_none("variables of the environment", &problems);
}

#[test]
fn every_dependency_has_a_reason() {
    let manifest = read(&root().join("Cargo.toml"));
    let section = manifest.split("[workspace.dependencies]").nth(1).unwrap_or("");
    let section = section.split("\n[").next().unwrap_or("");
    let is_third_party =
        |line: &&str| line.contains('=') && !line.starts_with('#') && !line.contains("path = ");
    let lines: Vec<&str> = section.lines().filter(is_third_party).collect();
    assert!(lines.len() > 5, "the dependencies were not found");
    let unexplained: Vec<String> = lines
        .iter()
        .filter(|line| line.split_once('#').is_none_or(|(_, reason)| reason.trim().len() < 10))
        .map(|line| (*line).to_owned())
        .collect();
    assert_none("dependencies without a reason", &unexplained);
}

/// A distributed program must name the work of others in it.
#[test]
fn every_dependency_has_its_licence() {
    let (manifest, notice) = (read(&root().join("Cargo.toml")), read(&root().join("NOTICE")));
    let table = manifest.split_once("[workspace.dependencies]").unwrap().1;
    let names =
        table.lines().take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    let words: Vec<&str> = notice.split(|c: char| c.is_whitespace() || c == ',').collect();
    let is_missing = |name: &str| !name.starts_with("summa-") && !words.contains(&name);
    let missing = names.map(|(name, _)| name.trim().to_owned()).filter(|name| is_missing(name));
    assert_none("not in NOTICE", &missing.collect::<Vec<_>>());
    let setup = read(&root().join("scripts/setup.sh"));
    let version = setup.lines().find_map(|line| line.strip_prefix("Z3_VERSION=")).unwrap();
    assert!(notice.contains(&format!("Z3 {version} ")), "NOTICE names another version of the solver");
    assert!(setup.contains("--require-hashes"), "what is fetched is what was looked at");
}

#[test]
fn documents_point_at_files_that_exist() {
    let mut problems = Vec::new();
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "ROADMAP.md"] {
        let text = read(&root().join(document));
        // What stands in backquotes and looks like a path from the root.
        let quoted = text.split('`').skip(1).step_by(2);
        let starts = ["crates/", "scripts/", "tests/", "examples/", "fuzz/", "docs/"];
        let is_path = |word: &&str| {
            starts.iter().any(|start| word.starts_with(start)) && !word.contains(['<', '*', ' ', '{'])
        };
        for path in quoted.filter(is_path) {
            if !root().join(path).exists() {
                problems.push(format!("{document}: `{path}` does not exist"));
            }
        }
    }
    assert_none("dead references", &problems);
}
