//! Hostile input: mutated and truncated C files go through the whole front end, in this process. None may
//! panic or hang, and each that is refused must be refused with a diagnostic that points into the source.
//!
//! `SUMMA_MUTANTS` is the number of mutants (1,000 otherwise), `SUMMA_TASKS` a folder with a `manifest.csv`
//! whose files are mutated together with the project's own programs. A failing mutant is kept and named.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test may stop where it stands, and says what it skips"
)]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;
use summa_base::clock;
use summa_c::types::DataModel;
use summa_c::{Severity, load_text};
use summa_cfa::{BuildError, BuildOptions};
use summa_interp::{Policy, Program, Zeros, run};
use summa_syntax::source::decode;
use summa_testkit::KNOBS;

/// No mutant of a file of this size may take longer, in a debug build: what all threads work meanwhile, which
/// on a busy machine is no more.
const HANG: Duration = Duration::from_secs(300);
/// Larger files are cut: most mutants should be fast.
const MAX_BYTES: usize = 60_000;

/// What C is made of, for insertion at random places.
const TOKENS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "*",
    "&",
    "->",
    ".",
    "...",
    "=",
    "==",
    "+=",
    "<<",
    ">>",
    "?",
    ":",
    "~",
    "!",
    "-",
    "--",
    "/",
    "%",
    "#",
    "##",
    "\"",
    "'",
    "\\",
    "0",
    "1",
    "-1",
    "0x",
    "1e999",
    "08",
    "0xffffffffffffffffffff",
    "'\\x'",
    "\"\\",
    "int",
    "long",
    "unsigned",
    "struct",
    "union",
    "enum",
    "typedef",
    "static",
    "extern",
    "inline",
    "sizeof",
    "_Alignof",
    "_Generic",
    "_Static_assert",
    "typeof",
    "__attribute__",
    "__asm__",
    "goto",
    "case",
    "default",
    "switch",
    "while",
    "for",
    "do",
    "if",
    "else",
    "return",
    "break",
    "continue",
    "volatile",
    "const",
    "restrict",
    "_Bool",
    "float",
    "double",
    "__int128",
    "void",
    "char",
    "__builtin_va_arg",
    "__builtin_offsetof",
    "__extension__",
    "/*",
    "*/",
    "//",
    "\n# 1 \"x.c\"\n",
    "\u{e9}",
    "\u{1a}",
    "\0",
    "$",
    "@",
    "main",
    "x",
];

/// SplitMix64: the same mutants everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % below.max(1) as u64) as usize
    }

    /// A short range of `text`; tokens are a few bytes long, statements some dozens.
    fn range(&mut self, text: &[u8]) -> std::ops::Range<usize> {
        let start = self.roll(text.len());
        let longest = [4, 30, 300][self.roll(3)];
        start..(start + 1 + self.roll(longest)).min(text.len())
    }
}

/// The words of the text: names, keywords, numbers; or, the other way, the operators between them.
fn words(text: &[u8], operators: bool) -> Vec<std::ops::Range<usize>> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let is_operator = |byte: u8| b"+-*/%&|^<>=!".contains(&byte);
    let belongs = |byte: u8| if operators { is_operator(byte) } else { is_word(byte) };
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let len = text[at..].iter().take_while(|&&byte| belongs(byte)).count();
        if len > 0 {
            found.push(at..at + len);
        }
        at += len.max(1);
    }
    found
}

/// A word becomes another word of the text, an operator another operator: mostly still C, but with another
/// meaning or with none. What the parser takes must be caught behind it.
fn change_words(dice: &mut Dice, text: &mut Vec<u8>) {
    const OPERATORS: &[&str] =
        &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "&&", "||", "==", "<", "=", "+=", "<<="];
    const WORDS: &[&str] =
        &["int", "char", "void", "double", "long", "unsigned", "struct", "0", "1", "0u", "1.5", "4294967295"];
    let operators = dice.roll(4) == 0;
    let found = words(text, operators);
    if found.is_empty() {
        return;
    }
    let here = found[dice.roll(found.len())].clone();
    let new = if operators {
        OPERATORS[dice.roll(OPERATORS.len())].as_bytes().to_vec()
    } else if dice.roll(3) == 0 {
        WORDS[dice.roll(WORDS.len())].as_bytes().to_vec()
    } else {
        text[found[dice.roll(found.len())].clone()].to_vec()
    };
    text.splice(here, new);
}

fn mutate(dice: &mut Dice, originals: &[Vec<u8>]) -> Vec<u8> {
    let mut text = originals[dice.roll(originals.len())].clone();
    // Half of the mutants differ in a few words only, and are whole files.
    let gentle = dice.roll(2) == 0;
    if text.len() > MAX_BYTES && !gentle {
        // A window, so that not only the beginnings of large files are seen.
        let start = dice.roll(text.len() - MAX_BYTES);
        text = text[start..start + MAX_BYTES].to_vec();
    }
    for _ in 0..1 + dice.roll(if gentle { 2 } else { 4 }) {
        if gentle {
            change_words(dice, &mut text);
            continue;
        }
        if text.is_empty() {
            break;
        }
        match dice.roll(8) {
            0 => text.truncate(dice.roll(text.len())),
            1 => {
                let range = dice.range(&text);
                text.drain(range);
            }
            2 => {
                let range = dice.range(&text);
                let copy = text[range].to_vec();
                let at = dice.roll(text.len());
                text.splice(at..at, copy);
            }
            3 => {
                let at = dice.roll(text.len());
                text[at] = dice.roll(256) as u8;
            }
            4 => {
                let other = &originals[dice.roll(originals.len())];
                let copy = if other.is_empty() { Vec::new() } else { other[dice.range(other)].to_vec() };
                let at = dice.roll(text.len());
                text.splice(at..at, copy);
            }
            5 => {
                // Deep nesting.
                let (open, times) = ([b'(', b'{', b'[', b'*', b'-', b'!'][dice.roll(6)], dice.roll(5_000));
                let at = dice.roll(text.len());
                text.splice(at..at, std::iter::repeat_n(open, times));
            }
            _ => {
                let token = TOKENS[dice.roll(TOKENS.len())];
                let range = dice.range(&text);
                let replaced = if dice.roll(2) == 0 { range } else { range.start..range.start };
                text.splice(replaced, format!(" {token} ").into_bytes());
            }
        }
    }
    text
}

/// Is the text accepted? The error is what is wrong with how the front end takes it.
fn check(text: &str, model: DataModel) -> Result<bool, String> {
    let outcome = catch_unwind(AssertUnwindSafe(|| match load_text("mutant.i", text, model) {
        Ok(loaded) => match summa_transform::build(loaded.program, &BuildOptions::default()) {
            Ok(cfa) => {
                run(&Program::new(&cfa), &mut Zeros, &Policy { max_steps: 2_000, ..Policy::strict() });
                Ok(true)
            }
            Err(BuildError::NoEntry { .. }) => Ok(true),
            Err(error @ BuildError::Broken(_)) => Err(error.to_string()),
        },
        Err(failure) => {
            let errors =
                failure.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
            if errors.clone().next().is_none() {
                return Err("refused without an error".to_owned());
            }
            for error in errors {
                let inside = error.span.hi as usize <= text.len() + 1 && error.span.lo <= error.span.hi;
                if error.span.is_none() || !inside {
                    return Err(format!("`{}` points nowhere: {:?}", error.message, error.span));
                }
                // What the printing side asks for must be there too.
                let (at, shown) = (failure.sources.locate(error.span), failure.sources.snippet(error.span));
                if at.line == 0 || shown.marked.end > shown.line.len() {
                    return Err(format!("`{}` has no line to show: {at:?}", error.message));
                }
            }
            Ok(false)
        }
    }));
    outcome.unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        Err(format!("panic: {}", text.or(panic.downcast_ref::<&str>().copied()).unwrap_or("?")))
    })
}

/// The files to start from: the project's own programs, and those of the task set if there is one.
fn originals() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut paths = Vec::new();
    for folder in ["examples", "tests/programs"] {
        collect(&root.join(folder), &mut paths);
    }
    let tasks = summa_testkit::task_folder();
    match std::fs::read_to_string(tasks.join("manifest.csv")) {
        Ok(manifest) => {
            let inputs = manifest.lines().skip(1).filter_map(|line| line.split(',').nth(1));
            paths.extend(inputs.map(|input| tasks.join(input)));
            paths.sort();
            paths.dedup();
        }
        Err(_) => println!("no task set: only the project's own programs are mutated"),
    }
    paths.iter().map(|path| std::fs::read(path).unwrap()).filter(|text| !text.is_empty()).collect()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "c") {
            found.push(path);
        }
    }
}

/// What each worker is at, and since when.
type Running = Vec<Mutex<Option<(u64, Duration)>>>;

/// Ends the test with a message if a mutant runs for too long: a thread that hangs cannot be stopped
/// otherwise.
fn watch(running: Weak<Running>) {
    std::thread::spawn(move || {
        while let Some(slots) = running.upgrade() {
            for slot in slots.iter() {
                let is_late = |&(_, started): &(u64, Duration)| clock::of_process() > started + HANG;
                if let Some((number, _)) = slot.lock().unwrap().filter(is_late) {
                    println!(
                        "mutant {number} hangs (SUMMA_FIRST_MUTANT={number} SUMMA_MUTANTS=1 repeats it)"
                    );
                    std::process::exit(101);
                }
            }
            drop(slots);
            std::thread::sleep(Duration::from_millis(500));
        }
    });
}

#[test]
fn no_mutant_breaks_the_front_end() {
    let wanted: u64 = KNOBS.mutants.or(1_000);
    let first: u64 = KNOBS.first_mutant.or(0);
    let originals = originals();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    std::fs::create_dir_all(&folder).unwrap();
    // Panics are collected, not printed one by one.
    std::panic::set_hook(Box::new(|_| {}));
    let next = AtomicU64::new(first);
    let accepted = AtomicU64::new(0);
    let slowest = Mutex::new((Duration::ZERO, 0));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let running: Arc<Running> = Arc::new((0..threads).map(|_| Mutex::new(None)).collect());
    watch(Arc::downgrade(&running));
    let failures = Mutex::new(Vec::new());
    let work = |slot: &Mutex<Option<(u64, Duration)>>| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= first + wanted {
                return;
            }
            let mut dice = Dice(number.wrapping_mul(0xD1B5_4A32_D192_ED03));
            let text = decode(mutate(&mut dice, &originals));
            let started = clock::of_process();
            *slot.lock().unwrap() = Some((number, started));
            let model = if number.is_multiple_of(2) { DataModel::Ilp32 } else { DataModel::Lp64 };
            let result = check(&text, model);
            let took = clock::of_process() - started;
            *slot.lock().unwrap() = None;
            {
                let mut slowest = slowest.lock().unwrap();
                *slowest = (*slowest).max((took, number));
            }
            accepted.fetch_add(u64::from(result == Ok(true)), Ordering::Relaxed);
            if let Err(why) = result {
                let path = folder.join(format!("mutant-{number}.i"));
                std::fs::write(&path, &text).unwrap();
                failures.lock().unwrap().push(format!("{}: {why}", path.display()));
            }
        }
    };
    std::thread::scope(|scope| {
        for slot in running.iter() {
            let worker = std::thread::Builder::new().stack_size(64 << 20);
            worker.spawn_scoped(scope, || work(slot)).unwrap();
        }
    });
    drop(std::panic::take_hook());
    let (took, number) = *slowest.lock().unwrap();
    println!(
        "{wanted} mutants of {} files, {} accepted; the slowest (number {number}) took {took:?}",
        originals.len(),
        accepted.into_inner()
    );
    let failures = failures.into_inner().unwrap();
    let shown: Vec<_> = failures.iter().take(10).cloned().collect();
    assert!(failures.is_empty(), "{} of {wanted} mutants:\n{}", failures.len(), shown.join("\n"));
}
