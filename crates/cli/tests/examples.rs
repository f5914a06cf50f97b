//! Every example in the README and in the help of every command does what it says, as it is written.
//!
//! They run in a copy of the folder `examples`, as they would in the project's folder; what needs a tool that
//! is not there runs up to the pipe. `console` blocks of the README are compared with the real output
//! elsewhere (`cli.rs`).
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may stop where it stands")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use support::text;

const COMMANDS: [&str; 9] =
    ["verify", "run", "cfa", "configs", "arg", "summaries", "harness", "validate", "check-proof"];

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder with nothing but the examples in it.
fn folder(name: &str) -> PathBuf {
    let folder = support::scratch("examples").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("examples")).unwrap();
    for file in std::fs::read_dir(project().join("examples")).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.join("examples").join(file.file_name())).unwrap();
    }
    folder
}

/// The line as a shell takes it, with `summa` where a shell finds it.
fn shell(folder: &Path, line: &str) -> Output {
    let summa = Path::new(env!("CARGO_BIN_EXE_summa")).parent().unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let path = std::iter::once(summa.to_owned()).chain(std::env::split_paths(&path));
    Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", std::env::join_paths(path).unwrap())
        .env("NO_COLOR", "1")
        .env("XDG_STATE_HOME", folder.join("state"))
        .output()
        .unwrap()
}

/// The line up to the first pipe into a tool that is not installed.
fn with_what_is_there<'l>(folder: &Path, line: &'l str) -> &'l str {
    let Some((before, after)) = line.split_once(" | ") else { return line };
    let tool = after.split_whitespace().next().unwrap_or("");
    let is_there = shell(folder, &format!("command -v {tool}")).status.success();
    if is_there { line } else { before }
}

/// An example is right if it has an answer: not UNKNOWN, and no complaint about the command line or a file.
fn must_work(folder: &Path, line: &str) -> Output {
    let output = shell(folder, with_what_is_there(folder, line));
    let code = output.status.code();
    let (out, error) = (text(&output.stdout), text(&output.stderr));
    assert!(matches!(code, Some(0 | 10)), "`{line}` ends with {code:?}\n{out}\n{error}");
    output
}

/// The lines below `Examples`, up to the next empty line.
fn examples(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| !line.starts_with("Examples")).skip(1);
    let lines = lines.take_while(|line| !line.is_empty());
    let mut examples: Vec<String> = Vec::new();
    for line in lines.map(str::trim) {
        match examples.last_mut().and_then(|last| Some((last.strip_suffix('\\')?.to_owned(), last))) {
            Some((begin, last)) => *last = format!("{begin}{line}"),
            None => examples.push(line.to_owned()),
        }
    }
    examples
}

#[test]
fn the_examples_of_each_command_work() {
    for command in COMMANDS.iter().copied().chain([""]) {
        let folder = folder(&format!("help-{command}"));
        let help = text(&shell(&folder, &format!("summa {command} --help")).stdout);
        let examples = examples(&help);
        assert!(!examples.is_empty(), "no examples: {help}");
        for line in examples {
            must_work(&folder, &line);
        }
    }
}

#[test]
fn every_command_is_asked_for_its_examples() {
    let folder = folder("commands");
    let help = text(&shell(&folder, "summa --help").stdout);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let listed = listed.take_while(|line| !line.is_empty()).filter_map(|line| line.split_whitespace().next());
    let listed: Vec<&str> = listed.filter(|name| *name != "help").collect();
    assert_eq!(listed.len(), COMMANDS.len());
    assert!(listed.iter().all(|name| COMMANDS.contains(name)), "{listed:?}");
}

#[test]
fn the_examples_of_the_readme_work() {
    let readme = std::fs::read_to_string(project().join("README.md")).unwrap();
    let folder = folder("readme");
    let mut seen = 0;
    // Every second part is between fences; its first line names the language.
    for block in readme.split("```").skip(1).step_by(2).filter_map(|block| block.strip_prefix("sh\n")) {
        for line in block.lines().filter(|line| line.starts_with("summa ")) {
            must_work(&folder, line);
            seen += 1;
        }
    }
    assert!(seen >= 5, "only {seen} examples were found");
}

/// `summa harness` prints the command that compiles the harness: that command works too, and the error is
/// reached.
#[test]
fn the_command_for_a_harness_works() {
    let folder = folder("harness");
    let output = must_work(&folder, "summa harness -o harness.c examples/withdraw.c");
    let out = text(&output.stdout);
    let compile = out.lines().find_map(|line| line.split_once("gcc ")).map(|(_, rest)| format!("gcc {rest}"));
    let compile = compile.unwrap_or_else(|| panic!("no command in {out}"));
    let output = shell(&folder, &compile);
    assert_eq!(output.status.code(), Some(107), "{compile}\n{}", text(&output.stderr));
}
