//! Annotated C programs: every `tests/programs/<topic>/NN-name.c` starts with lines that state the truth
//! about it, and the answer of `summa verify` may never contradict the truth.
//!
//! ```text
//! //@ verdict: FALSE(valid-deref)     the truth: TRUE or FALSE(<sub-property>)
//! //@ today: UNKNOWN                  we cannot answer it yet; to be removed once we can
//! //@ property: valid-memsafety       the argument of --property; a .prp file lies beside the program
//! //@ time: 30                        the counted work that it may take, in seconds, if 10 are few
//! //@ args: --32                      more options
//! ```
//!
//! Work is counted (`--work-limit`), not time, so that no program passes or fails by how busy the machine is.
//! Each program is a test of its own (`cargo test --test programs NAME` runs one), and each core has one at a
//! time.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use summa_testkit::harness::{self, Trial};

#[derive(Default)]
struct Annotations {
    verdict: String,
    today: Option<String>,
    property: Option<String>,
    time: Option<String>,
    args: Vec<String>,
}

fn annotations(path: &Path) -> Result<Annotations, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let mut found = Annotations::default();
    for line in text.lines().map_while(|line| line.strip_prefix("//@ ")) {
        let (key, value) = line.split_once(": ").ok_or_else(|| format!("no `key: value` in `{line}`"))?;
        let value = value.trim().to_owned();
        match key {
            "verdict" => found.verdict = value,
            "today" => found.today = Some(value),
            "property" => found.property = Some(value),
            "time" => found.time = Some(value),
            "args" => found.args = value.split_whitespace().map(str::to_owned).collect(),
            _ => return Err(format!("unknown annotation `{key}`")),
        }
    }
    let is_verdict = found.verdict == "TRUE" || found.verdict.starts_with("FALSE(");
    if is_verdict { Ok(found) } else { Err(format!("`{}` is not a verdict", found.verdict)) }
}

/// What is wrong with the answer, if anything.
fn check(path: &Path) -> Result<(), String> {
    let truth = annotations(path)?;
    let mut command = Command::new(env!("CARGO_BIN_EXE_summa"));
    let time = truth.time.as_deref().unwrap_or("10");
    command.args(["verify", "--work-limit", time]).args(&truth.args).arg(path);
    if let Some(property) = &truth.property {
        let beside = path.with_file_name(property);
        let argument = if beside.exists() { beside.into_os_string() } else { property.into() };
        command.arg("--property").arg(argument);
    }
    let output = command.output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().unwrap_or("");
    let answer =
        last.strip_prefix("Verdict: ").ok_or_else(|| format!("the last line is `{last}`, not a verdict"))?;
    let kind = answer.split('(').next().unwrap_or(answer);
    let code = match kind {
        "TRUE" => 0,
        "FALSE" => 10,
        _ => 5,
    };
    if output.status.code() != Some(code) {
        let errors = String::from_utf8_lossy(&output.stderr);
        return Err(format!("`{answer}` with exit code {:?}\n{errors}", output.status.code()));
    }
    match (answer == truth.verdict, kind, truth.today.as_deref()) {
        (true, _, None) | (false, "UNKNOWN", Some("UNKNOWN")) => Ok(()),
        (true, _, Some(_)) => Err(format!("now answered with {answer}: remove the line `//@ today: …`")),
        (false, "UNKNOWN", None) => Err(format!("{answer}, but it should be {}", truth.verdict)),
        (false, _, _) => Err(format!("WRONG: {answer}, the truth is {}", truth.verdict)),
    }
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut all = Vec::new();
    programs(&folder, &mut all);
    assert!(all.len() >= 40, "the programs are missing");
    let trial = |path: PathBuf| Trial {
        name: path.strip_prefix(&folder).unwrap_or(&path).with_extension("").display().to_string(),
        run: Box::new(move || check(&path)),
    };
    harness::main(all.into_iter().map(trial).collect())
}
