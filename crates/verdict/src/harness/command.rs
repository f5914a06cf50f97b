//! How gcc compiles a harness together with the program.

use super::{Build, Detected, Fill};
use std::path::Path;
use summa_c::types::DataModel;
use summa_cfa::Cfa;

/// The functions that may fail, malloc first.
pub(super) const ALLOCATORS: [&str; 4] = ["malloc", "calloc", "realloc", "strdup"];

/// The line for the shell that compiles and runs.
pub(super) fn command(
    cfa: &Cfa,
    kind: Detected,
    build: &Build<'_>,
    path: &Path,
    renames_main: bool,
    (fill, fails): (Option<Fill>, bool),
) -> String {
    let mut flags: Vec<String> = match build.model {
        // Floating-point arithmetic as in the verifier: in SSE registers.
        DataModel::Ilp32 => ["-m32", "-msse2", "-mfpmath=sse"].map(str::to_owned).to_vec(),
        DataModel::Lp64 => vec!["-m64".to_owned()],
    };
    flags.extend(["-w", "-g", "-O0", "-fgnu89-inline"].map(str::to_owned));
    let has_body = |function| cfa.automaton(function).is_some();
    match kind {
        Detected::Call(function) if has_body(function) => flags.push("-finstrument-functions".to_owned()),
        Detected::Call(_) | Detected::Assertion => {}
        Detected::Arithmetic(check) => {
            flags.push(format!("-fsanitize={check}"));
            flags.push("-fno-sanitize-recover=all".to_owned());
            // Otherwise gcc makes `x + x > 0` simpler before anything is checked.
            flags.push("-ftrapv".to_owned());
        }
        Detected::Address | Detected::Lost => flags.push("-fsanitize=address".to_owned()),
        Detected::Unfreed => {
            flags.push("-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free".to_owned());
        }
    }
    if !matches!(kind, Detected::Arithmetic(_)) {
        flags.push("-fwrapv".to_owned());
        // Sanitizers check `abs` only if it is built in; elsewhere the program's own functions must be
        // called.
        flags.push("-fno-builtin".to_owned());
    }
    if let Some(fill) = fill {
        flags.push(format!("-ftrivial-auto-var-init={}", fill.name()));
        if kind != Detected::Unfreed {
            flags.push("-Wl,--wrap=malloc".to_owned());
        }
    }
    if fails {
        flags.push(format!("-Wl,--wrap={}", ALLOCATORS.join(",--wrap=")));
    }
    if renames_main {
        flags.push("-Dmain=summa_program_main".to_owned());
    }
    flags.extend(build.flags.iter().map(|flag| quoted(flag)));
    let flags = flags.join(" ");
    let (harness, program) = (quoted(&path.display().to_string()), path.with_extension(""));
    let run = match program.components().count() {
        1 => format!("./{}", program.display()),
        _ => program.display().to_string(),
    };
    let (program, run) = (quoted(&program.display().to_string()), quoted(&run));
    let files: Vec<String> = build.files.iter().map(|file| quoted(&file.display().to_string())).collect();
    // Functions that nothing calls may be missing.
    let link = "-x none -Wl,--unresolved-symbols=ignore-all -no-pie -lm";
    let hidden: Vec<&str> = match kind {
        Detected::Call(function) => Some(function).into_iter().chain([cfa.main]),
        _ => None.into_iter().chain([cfa.main]),
    }
    .filter(|&function| has_body(function) && cfa.program.functions[function].is_static)
    .map(|function| cfa.program.func_name(function))
    .collect();
    if hidden.is_empty() {
        return format!("gcc {flags} -x c {harness} {} {link} -o {program} && {run}", files.join(" "));
    }
    // A static function is made visible to the harness between compiling and linking.
    let names: Vec<String> = hidden.iter().map(|name| format!("--globalize-symbol={name}")).collect();
    let mut steps = Vec::new();
    let mut objects = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let object = quoted(&path.with_extension(format!("{index}.o")).display().to_string());
        steps.push(format!("gcc {flags} -x c -c {file} -o {object}"));
        steps.push(format!("objcopy {} {object}", names.join(" ")));
        objects.push(object);
    }
    let objects = objects.join(" ");
    steps.push(format!("gcc {flags} -x c {harness} -x none {objects} {link} -o {program}"));
    steps.push(run);
    steps.join(" && ")
}

/// A word for the shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}
