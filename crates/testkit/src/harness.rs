//! A test program whose tests are found when it runs: one for each file of a folder, say.
//!
//! For a `[[test]]` with `harness = false`. Says what the standard harness says, and understands what is
//! asked of it most: parts of names, `--exact`, `--skip`, `--list`, `--test-threads`. Tests run on every core
//! at once; each says itself what is wrong. Other options of the standard harness are passed over.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A test: its name, and what it does. `Err` says what is wrong.
pub struct Trial {
    pub name: String,
    pub run: Box<dyn Fn() -> Result<(), String> + Sync>,
}

/// What was asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Wanted {
    parts: Vec<String>,
    skipped: Vec<String>,
    is_exact: bool,
    is_list: bool,
    only_ignored: bool,
    threads: Option<usize>,
}

impl Wanted {
    fn read(arguments: impl IntoIterator<Item = String>) -> Self {
        let mut wanted = Self::default();
        let mut arguments = arguments.into_iter();
        while let Some(argument) = arguments.next() {
            let (name, joined) = match argument.split_once('=') {
                Some((name, value)) if name.starts_with("--") => (name.to_owned(), Some(value.to_owned())),
                _ => (argument, None),
            };
            let mut value = || joined.clone().or_else(|| arguments.next());
            match name.as_str() {
                "--exact" => wanted.is_exact = true,
                "--list" => wanted.is_list = true,
                "--ignored" => wanted.only_ignored = true,
                "--skip" => wanted.skipped.extend(value()),
                "--test-threads" => wanted.threads = value().and_then(|text| text.parse().ok()),
                "--format" | "--color" | "--logfile" | "--report-time" | "-Z" => drop(value()),
                option if option.starts_with('-') => {}
                _ => wanted.parts.push(name),
            }
        }
        wanted
    }

    fn has(&self, name: &str) -> bool {
        let fits = |part: &String| if self.is_exact { name == part } else { name.contains(part.as_str()) };
        let is_named = self.parts.is_empty() || self.parts.iter().any(fits);
        // No test here is ignored.
        is_named && !self.only_ignored && !self.skipped.iter().any(fits)
    }
}

/// Runs the tests that the command line asks for.
pub fn main(trials: Vec<Trial>) -> ExitCode {
    let wanted = Wanted::read(std::env::args().skip(1));
    let all = trials.len();
    let chosen: Vec<Trial> = trials.into_iter().filter(|trial| wanted.has(&trial.name)).collect();
    if wanted.is_list {
        chosen.iter().for_each(|trial| println!("{}: test", trial.name));
        println!("\n{} tests, 0 benchmarks", chosen.len());
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", chosen.len());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let failures = run(&chosen, wanted.threads.unwrap_or(cores));
    for (name, why) in &failures {
        println!("\n---- {name} ----\n{why}");
    }
    let (result, passed) = (if failures.is_empty() { "ok" } else { "FAILED" }, chosen.len() - failures.len());
    println!(
        "\ntest result: {result}. {passed} passed; {} failed; 0 ignored; 0 measured; {} filtered out\n",
        failures.len(),
        all - chosen.len()
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// The names of those that fail, with what they say; a panic is a failure.
fn run(trials: &[Trial], threads: usize) -> Vec<(String, String)> {
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let work = || {
        while let Some(trial) = trials.get(next.fetch_add(1, Ordering::Relaxed)) {
            let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (trial.run)()));
            let result = ended.unwrap_or_else(|_| Err("it panicked; see above".to_owned()));
            println!("test {} ... {}", trial.name, if result.is_ok() { "ok" } else { "FAILED" });
            if let Err(why) = result {
                failures.lock().unwrap().push((trial.name.clone(), why));
            }
        }
    };
    std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(work))));
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    failures
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(line: &str) -> Wanted {
        Wanted::read(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn the_command_line_chooses() {
        assert!(wanted("").has("a/b"));
        assert!(wanted("b --nocapture").has("a/b") && !wanted("c").has("a/b"));
        assert!(wanted("--exact a/b").has("a/b") && !wanted("--exact b").has("a/b"));
        assert!(!wanted("--skip=b").has("a/b") && !wanted("--skip b").has("a/b"));
        assert!(wanted("--test-threads 3 b").has("a/b"));
        assert_eq!(wanted("--test-threads=3").threads, Some(3));
        assert!(!wanted("--ignored").has("a/b"));
    }

    #[test]
    fn failures_and_panics_are_found() {
        let trial =
            |name: &str, run: fn() -> Result<(), String>| Trial { name: name.into(), run: Box::new(run) };
        let trials = [
            trial("good", || Ok(())),
            trial("bad", || Err("no".to_owned())),
            trial("worse", || panic!("a panic, on purpose")),
        ];
        for threads in [1, 2, 8] {
            let names: Vec<String> = run(&trials, threads).into_iter().map(|(name, _)| name).collect();
            assert_eq!(names, ["bad", "worse"]);
        }
    }
}
