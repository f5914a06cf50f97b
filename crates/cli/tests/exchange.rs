//! What leaves Summa with a verdict does what it says: harnesses reach the error under gcc, for both data
//! models, and witnesses are accepted when they come back. Over the annotated programs that are violated
//! today.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A program of `tests/programs` with what its header says.
struct Program {
    path: PathBuf,
    options: Vec<String>,
    is_false: bool,
}

fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().filter(|path| path.is_dir()) {
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for path in files.into_iter().filter(|path| path.extension().is_some_and(|end| end == "c")) {
            let text = std::fs::read_to_string(&path).unwrap();
            let line = |key: &str| text.lines().find_map(|line| line.strip_prefix(&format!("//@ {key}: ")));
            if line("today").is_some() {
                continue;
            }
            let mut options: Vec<String> =
                line("args").unwrap_or("").split_whitespace().map(str::to_owned).collect();
            if let Some(property) = line("property").map(str::trim) {
                let beside = path.with_file_name(property);
                let property =
                    if beside.exists() { beside.display().to_string() } else { property.to_owned() };
                options.extend(["--property".to_owned(), property]);
            }
            let is_false = line("verdict").is_some_and(|verdict| verdict.starts_with("FALSE"));
            found.push(Program { path, options, is_false });
        }
    }
    assert!(found.iter().any(|program| program.is_false), "no program is violated");
    found
}

fn summa(arguments: &[&str], program: &Program) -> (String, Output) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_summa"));
    command.args(arguments).args(["--work-limit", "20"]).args(&program.options).arg(&program.path);
    let output = command.output().unwrap();
    (String::from_utf8_lossy(&output.stdout).into_owned(), output)
}

fn verdict(text: &str) -> &str {
    text.lines().last().and_then(|line| line.strip_prefix("Verdict: ")).unwrap_or("")
}

/// A folder of this test, gone at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("summa-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn gcc_works(scratch: &Scratch, machine: &str) -> bool {
    let (source, program) = (scratch.file("try.c"), scratch.file("try"));
    std::fs::write(&source, "#include <stdio.h>\nint main(void) { return puts(\"\") < 0; }\n").unwrap();
    let compiled =
        Command::new("gcc").args([machine, "-fsanitize=address", &source, "-o", &program]).output();
    compiled.is_ok_and(|output| output.status.success())
}

/// What a harness does under gcc.
enum Ran {
    Reached,
    /// It says that it may miss the error.
    Told,
    /// The verdict depends on the data model.
    Other,
}

#[test]
fn harnesses_reach_the_error() {
    let scratch = Scratch::new("harness");
    let mut runs = Vec::new();
    for (model, machine) in [("--32", "-m32"), ("--64", "-m64")] {
        if !gcc_works(&scratch, machine) {
            eprintln!("skipped: gcc {machine} does not work here");
            continue;
        }
        for program in programs().into_iter().filter(|program| program.is_false) {
            let mut models =
                program.options.iter().filter(|option| ["--32", "--64"].contains(&option.as_str()));
            if models.all(|option| option == model) {
                runs.push((runs.len(), model, program));
            }
        }
    }
    let results = support::on_every_core(&runs, |(number, model, program)| {
        run_harness(&scratch.file(&format!("harness{number}.c")), model, program)
    });
    let count = |is_it: fn(&Ran) -> bool| results.iter().flatten().filter(|ran| is_it(ran)).count();
    let (reached, told) = (count(|ran| matches!(ran, Ran::Reached)), count(|ran| matches!(ran, Ran::Told)));
    let problems: Vec<String> = results.into_iter().filter_map(Result::err).collect();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(told < reached / 4, "{told} harnesses say that they may miss the error, {reached} reach it");
    eprintln!("{reached} harnesses reach the error, {told} say that they may not");
}

fn run_harness(harness: &str, model: &str, program: &Program) -> Result<Ran, String> {
    let mut arguments = vec!["harness", "-o", harness];
    if !program.options.iter().any(|option| option == model) {
        arguments.push(model);
    }
    let (text, _) = summa(&arguments, program);
    if !verdict(&text).starts_with("FALSE") {
        return Ok(Ran::Other);
    }
    let name = program.path.display();
    let mut lines = text.lines().skip_while(|line| !line.starts_with("Harness:")).skip(1);
    let Some(command) = lines.next() else {
        return Err(format!("{name} {model}: no harness\n{text}"));
    };
    let output = Command::new("sh").args(["-c", command.trim()]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(107) && errors.contains("summa: error reached") {
        Ok(Ran::Reached)
    } else if text.contains("the program may do something else") {
        // What came from outside of the program in the execution does not happen in the harness.
        Ok(Ran::Told)
    } else {
        Err(format!("{name} {model}: {:?} {errors}\n{command}", output.status.code()))
    }
}

#[test]
fn witnesses_come_back() {
    let problems = support::on_every_core(&programs(), comes_back).concat();
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What is wrong with the witnesses of a program.
fn comes_back(program: &Program) -> Vec<String> {
    let path = program.path.display();
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let topic = stem(program.path.parent().unwrap());
    let scratch = Scratch::new(&format!("witness-{topic}-{}", stem(&program.path)));
    let mut problems = Vec::new();
    for name in ["witness.yml", "witness.graphml"] {
        let witness = scratch.file(name);
        let (text, _) = summa(&["verify", "--witness", &witness], program);
        let expected = verdict(&text).to_owned();
        if expected.starts_with("UNKNOWN") {
            continue;
        }
        if name == "witness.yml" {
            let written = std::fs::read_to_string(&witness).unwrap();
            let value: serde_json::Value = serde_saphyr::from_str(&written).unwrap();
            if let Err(why) = summa_testkit::witness::check(&value) {
                problems.push(format!("{path}: {why}\n{written}"));
            }
        }
        let (text, output) = summa(&["validate", "--witness", &witness], program);
        if verdict(&text) != expected {
            let errors = String::from_utf8_lossy(&output.stderr);
            problems.push(format!("{path}: {name}: {} instead of {expected}\n{errors}", verdict(&text)));
        }
    }
    problems
}

#[test]
fn a_test_suite_has_the_inputs() {
    let scratch = Scratch::new("suite");
    let path = PathBuf::from(scratch.file("a.c"));
    let text = "extern int __VERIFIER_nondet_int(void);\n\
                extern unsigned char __VERIFIER_nondet_uchar(void);\n\
                void reach_error(void) {}\nint main(void) {\n  if (__VERIFIER_nondet_int() == 7 && \
                __VERIFIER_nondet_uchar() == 3)\n    \
                reach_error();\n  return 0;\n}\n";
    std::fs::write(&path, text).unwrap();
    let program = Program { path, options: Vec::new(), is_false: true };
    let folder = scratch.file("tests");
    let (text, _) = summa(&["harness", "--format", "test-comp", "-o", &folder], &program);
    assert!(verdict(&text).starts_with("FALSE"), "{text}");
    let case = std::fs::read_to_string(Path::new(&folder).join("testcase-1.xml")).unwrap();
    assert!(
        case.contains("<input type=\"int\">7</input>\n  <input type=\"unsigned char\">3</input>"),
        "{case}"
    );
    let metadata = std::fs::read_to_string(Path::new(&folder).join("metadata.xml")).unwrap();
    assert!(metadata.contains("<entryfunction>main</entryfunction>"), "{metadata}");
}

#[test]
fn wrong_witnesses_are_refused() {
    let scratch = Scratch::new("wrong");
    let path = PathBuf::from(scratch.file("a.c"));
    let text = "extern int __VERIFIER_nondet_int(void);\nvoid reach_error(void) {}\n\
                int main(void) {\n  int i = 0;\n  while (i < 10)\n    \
                i++;\n  if (i != 10)\n    reach_error();\n  return 0;\n}\n";
    std::fs::write(&path, text).unwrap();
    let program = Program { path: path.clone(), options: Vec::new(), is_false: false };
    let witness = scratch.file("w.yml");
    let entry = |content: &str| {
        format!("- entry_type: invariant_set\n  metadata: {{format_version: \"2.0\"}}\n  content:\n{content}")
    };
    let invariant = |value: &str| {
        format!(
            "  - invariant:\n      type: loop_invariant\n      location: {{file_name: a.c, line: 5, column: \
             3, function: main}}\n      value: \"{value}\"\n      format: c_expression\n"
        )
    };
    for (text, expected) in [
        (entry(&invariant("i <= 10")), "TRUE"),
        (entry(&(invariant("0 <= i") + &invariant("i < 11"))), "TRUE"),
        (entry(&invariant("i < 10")), "UNKNOWN(the witness is wrong: an invariant is violated)"),
        (entry(&invariant("j < 10")), "UNKNOWN(an expression of the witness means nothing here"),
        (entry(&invariant("i++ < 10")), "UNKNOWN(an expression of the witness has an effect)"),
        ("- entry_type: violation_sequence\n  content:\n  - segment:\n    - waypoint: {type: target, action: \
            follow, location: {file_name: a.c, line: 8}}\n".to_owned(),
         "UNKNOWN(the witness was not confirmed: waypoint 1 (target at a.c:8) was not passed"),
        ("nonsense".to_owned(), "UNKNOWN(the witness could not be read)"),
    ] {
        std::fs::write(&witness, &text).unwrap();
        let (output, _) = summa(&["validate", "--witness", &witness], &program);
        assert!(verdict(&output).starts_with(expected), "{text}\n{output}");
    }
}

#[test]
fn contracts_come_back_and_wrong_ones_do_not() {
    let scratch = Scratch::new("contracts");
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sum.c");
    let program = Program { path: example, options: Vec::new(), is_false: false };
    let witness = scratch.file("witness.yml");
    let (text, _) = summa(&["verify", "--witness", &witness, "--witness-contracts"], &program);
    assert_eq!(verdict(&text), "TRUE", "{text}");
    let written = std::fs::read_to_string(&witness).unwrap();
    assert!(
        written.contains("format_version: \"2.1\"") && written.contains("function_contract"),
        "{written}"
    );
    let validated = |changed: &str| {
        std::fs::write(&witness, changed).unwrap();
        summa(&["validate", "--witness", &witness], &program).0
    };
    let text = validated(&written);
    assert!(verdict(&text) == "TRUE" && text.contains("2 contracts of the witness"), "{text}");
    // `requires` and `ensures` of a function: neither may claim more than is true.
    for (right, wrong) in [
        ("<= 999u", "<= 998u"),
        ("\\\\old(m)", "(\\\\old(m) + 1)"),
        ("ensures: \"1\"", "ensures: \"\\\\result == 1\""),
    ] {
        assert!(written.contains(right), "{right} is not in\n{written}");
        let text = validated(&written.replace(right, wrong));
        assert!(verdict(&text).starts_with("UNKNOWN(the witness is wrong"), "{wrong}: {text}");
    }
    let text = validated(&written.replace("\\\\result", "\\\\at(n, Pre)"));
    assert!(verdict(&text).contains("is not supported"), "{text}");
}

/// What one file declares, another does not know.
#[test]
fn variables_of_other_files_are_not_in_witnesses() {
    let scratch = Scratch::new("files");
    let [first, second] = ["first.c", "second.c"].map(|name| scratch.file(name));
    let texts = [
        "static int hidden;\nint shared;\n\
         void step(void) { if (hidden < 100) { hidden++; shared = hidden; } }\n",
        "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nvoid step(void);\nextern int shared;\n\
         int main(void) {\n  while (__VERIFIER_nondet_int()) step();\n  if (shared > 100) reach_error();\n  \
         return 0;\n}\n",
    ];
    for (file, text) in [&first, &second].into_iter().zip(texts) {
        std::fs::write(file, text).unwrap();
    }
    let program = Program { path: first.into(), options: vec![second], is_false: false };
    let witness = scratch.file("witness.yml");
    let (text, _) = summa(&["verify", "--config", "interval", "--witness", &witness], &program);
    assert_eq!(verdict(&text), "TRUE", "{text}");
    let written = std::fs::read_to_string(&witness).unwrap();
    assert!(written.contains("shared <= 100") && !written.contains("hidden"), "{written}");
    let (text, _) = summa(&["validate", "--witness", &witness], &program);
    assert_eq!(verdict(&text), "TRUE", "{text}");
}

/// Where a witness speaks, C knows only what is declared above.
#[test]
fn variables_that_are_declared_further_down_are_not_in_witnesses() {
    let scratch = Scratch::new("scopes");
    let source = scratch.file("program.c");
    std::fs::write(
        &source,
        "void reach_error(void);\nint __VERIFIER_nondet_int(void);\nint above;\nvoid step(void);\n\
         int get(void);\n\
         int main(void) {\n  while (__VERIFIER_nondet_int() && above < 2) {\n    above++;\n    \
         step();\n  }\n  \
         if (get() < 0 || get() > 1 || above > 2) reach_error();\n  return 0;\n}\n\
         int below;\nvoid step(void) { below = !below; }\nint get(void) { return below; }\n",
    )
    .unwrap();
    let program = Program { path: source.into(), options: Vec::new(), is_false: false };
    let witness = scratch.file("witness.yml");
    let (text, _) = summa(&["verify", "--witness", &witness], &program);
    assert!(verdict(&text) == "TRUE" && text.contains("below"), "people know it: {text}");
    let written = std::fs::read_to_string(&witness).unwrap();
    assert!(written.contains("above") && !written.contains("below"), "{written}");
    let (text, _) = summa(&["validate", "--witness", &witness], &program);
    assert_eq!(verdict(&text), "TRUE", "{text}");
}
