//! Files of others open no doors: no word of them becomes a command, they do not choose where anything is
//! written, and nothing is read without end.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const SAFE: &str = "#include <assert.h>\nint main(void) { assert(1); return 0; }\n";

/// A folder of a test alone, without what an earlier run left there.
fn folder(name: &str) -> PathBuf {
    let folder = support::scratch(&format!("doors-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(folder: &Path, name: &str, content: &str) {
    support::file_in(folder, name, content);
}

fn summa(folder: &Path, words: &[&str]) -> Output {
    support::command(folder, "").args(words).stdin(Stdio::null()).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    support::text(bytes)
}

fn last(output: &Output) -> String {
    text(&output.stdout).lines().last().unwrap_or("").to_owned()
}

/// What a compiler would do with it: it runs `touch`.
const COMMAND: &str = "-wrapper touch,PWNED";

fn bait(folder: &Path) {
    for name in ["opts", "opts.c", "opts.h", "a/opts.c"] {
        std::fs::create_dir_all(folder.join("a")).unwrap();
        file(folder, name, COMMAND);
    }
    for name in ["@opts.c", "a/@opts.c", "@opts.h", "plain.c"] {
        file(folder, name, SAFE);
    }
    std::fs::create_dir_all(folder.join("@opts")).unwrap();
}

fn assert_untouched(folder: &Path, what: &str, output: &Output) {
    let is_there = folder.join("PWNED").exists() || folder.join("a/PWNED").exists();
    assert!(!is_there, "{what} ran a command");
    assert_ne!(output.status.code(), Some(70), "{what}: {}", text(&output.stderr));
}

#[test]
fn no_word_of_a_file_is_an_option() {
    let folder = folder("words");
    bait(&folder);
    let settings = [
        "include-dirs = [\"@opts\"]",
        "include-dirs = [\"-wrapper\", \"touch,PWNED\"]",
        "include-dirs = [\"=x\", \"-B.\"]",
        "include = [\"@opts.h\"]",
        "include = [\"-wrapper\"]",
        "define = [\"@opts\"]",
        "define = [\"X -wrapper touch,PWNED\"]",
        "undefine = [\"@opts\"]",
        "std = \"c99 -wrapper touch,PWNED\"",
        "std = \"@opts\"",
    ];
    for line in settings {
        file(&folder, "summa.toml", line);
        let output = summa(&folder, &["verify", "plain.c"]);
        assert_untouched(&folder, line, &output);
        assert!(!text(&output.stdout).contains("FALSE"), "{line}");
    }
    std::fs::remove_file(folder.join("summa.toml")).unwrap();
    for input in ["'@opts.c'", "'a/@opts.c'", "'-wrapper'", "[plain.c, '@opts.c']", "'-Ba.c'"] {
        file(&folder, "task.yml", &format!("format_version: '2.0'\ninput_files: {input}\n"));
        let output = summa(&folder, &["verify", "task.yml"]);
        assert_untouched(&folder, input, &output);
        assert_eq!(output.status.code(), Some(6), "{input}");
    }
    for words in [
        "\"@opts\"",
        "\"-wrapper\", \"touch,PWNED\"",
        "\"-B.\"",
        "\"-specs=opts\"",
        "\"-fplugin=./x.so\"",
        "\"-I\", \"@opts\"",
        "\"-include\", \"@opts.h\"",
        "\"-Wp,@opts\"",
        "\"-Xpreprocessor\", \"@opts\"",
        "\"-std=@opts\"",
    ] {
        let here = folder.display();
        let entry = format!(
            "[{{\"directory\": \"{here}\", \"file\": \"plain.c\", \"arguments\": [\"cc\", \
             {words}, \"-c\", \"plain.c\"]}}]"
        );
        file(&folder, "compile_commands.json", &entry);
        let output = summa(&folder, &["verify", "compile_commands.json"]);
        assert_untouched(&folder, words, &output);
        let entry = format!(
            "[{{\"directory\": \"{here}\", \"file\": \"@opts.c\", \"arguments\": [\"cc\", \"@opts.c\"]}}]"
        );
        file(&folder, "compile_commands.json", &entry);
        assert_untouched(&folder, "a file", &summa(&folder, &["verify", "compile_commands.json"]));
    }
}

#[test]
fn settings_write_only_below_their_folder() {
    let outside = folder("outside");
    let folder = folder("settings");
    file(&folder, "a.c", SAFE);
    file(&outside, "victim", "untouched");
    symlink(&outside, folder.join("link")).unwrap();
    symlink(outside.join("victim"), folder.join("out.sarif")).unwrap();
    let victim = outside.join("victim").display().to_string();
    let absolute = format!("sarif = \"{victim}\"");
    let up = format!("json = \"../{}/victim\"", outside.file_name().unwrap().to_str().unwrap());
    for line in
        [absolute.as_str(), &up, "sarif = \"link/victim\"", "sarif = \"out.sarif\"", "json = \".git/x\""]
    {
        file(&folder, "summa.toml", line);
        let output = summa(&folder, &["verify", "a.c"]);
        assert_eq!(output.status.code(), Some(2), "{line}: {}", text(&output.stdout));
        assert!(text(&output.stderr).contains("summa.toml: "), "{line}");
        assert_eq!(std::fs::read_to_string(outside.join("victim")).unwrap(), "untouched", "{line}");
    }
    file(&folder, "summa.toml", "sarif = \"./new.sarif\"");
    let output = summa(&folder, &["verify", "a.c"]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).starts_with("Settings:    summa.toml\n"));
    assert!(folder.join("new.sarif").is_file());
    // Also where there is no program.
    let output = summa(&folder, &["verify", "--settings", "summa.toml", "none.c"]);
    assert!(text(&output.stdout).starts_with("Settings:    summa.toml\n"));
    let output = summa(&folder, &["verify", "--output-format", "json", "a.c"]);
    assert!(text(&output.stderr).contains("Settings:    summa.toml\n"));
}

#[test]
fn drafts_follow_no_links() {
    let outside = folder("draft-outside");
    let folder = folder("drafts");
    file(&outside, "victim", "untouched");
    let program = "int __VERIFIER_nondet_int(void); void reach_error(void);\n\
                   int f(int n) { return n <= 0 ? 0 : 1 + f(n - 1); }\n\
                   int main(void) { if (f(3) != 3) reach_error(); return 0; }\n";
    file(&folder, "r.c", program);
    let words = |store: &str| format!("verify --config interval-bam-rec --save-summaries {store} r.c");
    let output = support::command(&folder, &words("store")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    let names: Vec<String> = std::fs::read_dir(folder.join("store"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().all(|name| !name.ends_with("draft")) && !names.is_empty());
    // The number of the next process is not known, but a shell that becomes Summa knows its own.
    std::fs::create_dir_all(folder.join("trap")).unwrap();
    let stems: Vec<&str> = names.iter().filter_map(|name| name.strip_suffix(".summary")).collect();
    let victim = outside.join("victim");
    let script = format!(
        "for n in {}; do ln -s '{}' trap/$n.$$.draft; done; exec \"$0\" \"$@\"",
        stems.join(" "),
        victim.display()
    );
    let summa = support::command(&folder, &words("trap"));
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(script).arg(summa.get_program()).args(summa.get_args()).current_dir(&folder);
    assert_eq!(shell.output().unwrap().status.code(), Some(0));
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "untouched");
    assert!(stems.iter().all(|stem| folder.join(format!("trap/{stem}.summary")).is_file()));
}

#[test]
fn names_command_nothing() {
    let folder = folder("names");
    let name = "x\n::error::planted\u{1b}[2J\r.c";
    let bug = "void reach_error(void);\nint main(void) { reach_error(); return 0; }\n";
    file(&folder, name, bug);
    file(&folder, "marked.i", &format!("# 1 \"y\\n::error::planted.h\"\n{bug}"));
    file(&folder, "task\n::error::planted.yml", "format_version: '7'\n");
    let inputs = [name, "marked.i", "task\n::error::planted.yml", "none\n::error::planted\u{7}.c"];
    for (input, format) in
        inputs.iter().flat_map(|input| ["text", "github", "json", "sarif"].map(|f| (input, f)))
    {
        let output = summa(&folder, &["verify", "--output-format", format, input]);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(said.lines().all(|line| !line.trim_start().starts_with("::error::planted")), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{7}', '\r']), "{said:?}");
        for line in text(&output.stdout).lines().filter(|_| format == "json") {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
        if format == "sarif" {
            serde_json::from_str::<serde_json::Value>(&text(&output.stdout)).unwrap();
        }
    }
    for command in ["run", "cfa"] {
        let output = summa(&folder, &[command, name]);
        assert!(!text(&output.stdout).contains('\u{1b}'));
    }
}

/// Every input that a command has.
fn commands(input: &str) -> Vec<Vec<String>> {
    let all = [
        "verify X",
        "verify --property X ok.c",
        "verify --settings X ok.c",
        "verify --config X ok.c",
        "verify --compile-commands X",
        "verify X.yml",
        "run X",
        "cfa X",
        "check-proof --proof X ok.c",
        "check-proof --proof ok.json X",
        "validate --witness X ok.c",
        "validate --witness ok.yml X",
        "arg --config value X",
        "summaries X",
        "harness -o h.c X",
    ];
    all.iter().map(|line| line.split(' ').map(|word| word.replace('X', input)).collect()).collect()
}

#[test]
fn what_never_ends_is_no_input() {
    let folder = folder("endless");
    file(&folder, "ok.c", SAFE);
    file(&folder, "ok.json", "{}");
    file(&folder, "ok.yml", "[]");
    let mut inputs = vec!["./zero", "./folder"];
    symlink("/dev/zero", folder.join("zero")).unwrap();
    symlink("/dev/zero", folder.join("zero.yml")).unwrap();
    std::fs::create_dir_all(folder.join("folder")).unwrap();
    std::fs::create_dir_all(folder.join("folder.yml")).unwrap();
    let makes =
        |name: &str| Command::new("mkfifo").arg(folder.join(name)).status().is_ok_and(|s| s.success());
    if makes("fifo") && makes("fifo.yml") {
        inputs.push("./fifo");
    }
    for words in inputs.into_iter().flat_map(commands) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = summa(&folder, &words);
        assert!(matches!(output.status.code(), Some(2 | 6)), "{words:?}: {:?}", output.status);
        assert!(!output.stderr.is_empty(), "{words:?}");
    }
    for text_of in ["#include \"/dev/urandom\"\n", "#include \"fifo\"\n", "#include \"next.h\"\n"] {
        file(&folder, "next.h", "#include </dev/zero>\n");
        file(&folder, "include.c", text_of);
        let output = summa(&folder, &["run", "include.c"]);
        assert_eq!(output.status.code(), Some(6), "{text_of}");
    }
    file(&folder, "marked.i", "# 1 \"/dev/zero\"\nint main(void) { return missing; }\n");
    assert_eq!(summa(&folder, &["verify", "marked.i"]).status.code(), Some(6));
}

#[test]
fn documents_that_are_deep_or_wide_are_refused() {
    let folder = folder("documents");
    file(&folder, "ok.c", SAFE);
    let many: String = (0..200_000).map(|n| format!(" a{n}='1'")).collect();
    let deep = 300_000;
    let nested = [
        ("w.graphml", format!("<graphml{many}></graphml>")),
        ("x.graphml", "<graphml>".repeat(deep)),
        ("w.yml", "[".repeat(deep)),
        ("x.yml", "- ".repeat(deep)),
        ("y.yml", "{a: ".repeat(deep)),
        ("z.yml", "a: &a [x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\n".repeat(2)),
        ("p.json", "[".repeat(deep)),
        ("q.json", "{\"a\":".repeat(deep)),
        ("s.toml", format!("a = {}", "[".repeat(deep))),
        ("d.c", format!("int main(void) {{ return {}1; }}", "(".repeat(deep))),
    ];
    for (name, content) in &nested {
        file(&folder, name, content);
        let lines: &[&str] = match Path::new(name).extension().and_then(|end| end.to_str()) {
            Some("graphml") => &["validate --witness X ok.c"],
            Some("yml") => &["validate --witness X ok.c", "verify X"],
            Some("json") => &["check-proof --proof X ok.c", "verify --compile-commands X"],
            Some("toml") => &["verify --settings X ok.c", "verify --config X ok.c"],
            _ => &["verify X", "run X", "cfa X"],
        };
        for line in lines {
            let words: Vec<String> = line.split(' ').map(|word| word.replace('X', name)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let output = summa(&folder, &words);
            assert!(matches!(output.status.code(), Some(2 | 6)), "{words:?}: {:?}", output.status);
        }
    }
}

#[test]
fn what_is_not_written_is_an_error() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        eprintln!("skipped: there is no /dev/full");
        return;
    }
    let folder = folder("full");
    file(
        &folder,
        "loop.c",
        "void reach_error(void);\nint __VERIFIER_nondet_int(void);\n\
         int main(void) { int n = __VERIFIER_nondet_int(); int i = 0;\n\
         while (i < n) i++; if (i < 0) reach_error(); return 0; }\n",
    );
    file(&folder, "bug.c", "void reach_error(void);\nint main(void) { reach_error(); return 0; }\n");
    for line in [
        "verify --proof /dev/full loop.c",
        "verify --witness /dev/full loop.c",
        "verify --witness /dev/full bug.c",
        "verify --sarif /dev/full bug.c",
        "verify --json /dev/full bug.c",
        "verify --harness /dev/full bug.c",
        "verify --proof no/such/folder/p.json loop.c",
        "arg --config value -o /dev/full bug.c",
    ] {
        let output = support::command(&folder, line).output().unwrap();
        assert_eq!(output.status.code(), Some(74), "{line}: {}", text(&output.stdout));
        assert!(!output.stderr.is_empty(), "{line}");
    }
    for line in [
        "verify bug.c",
        "run bug.c",
        "cfa bug.c",
        "verify --output-format json bug.c",
        "configs",
        "--help",
        "arg --config value bug.c",
        "verify --output-format sarif bug.c",
        "summaries bug.c",
    ] {
        let out = std::fs::OpenOptions::new().write(true).open(full).unwrap();
        let status = support::command(&folder, line).stdout(out).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(74), "{line} on a full disk");
        // A pipe without a reader.
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = support::command(&folder, line).stdout(writer).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(74), "{line} into a closed pipe");
    }
    assert_eq!(last(&summa(&folder, &["verify", "bug.c"])), "Verdict: FALSE(unreach-call)");
}

/// Is there a process that has all these words among its arguments?
fn is_running(words: &[&str]) -> bool {
    let mut all = std::fs::read_dir("/proc").unwrap().flatten();
    all.any(|entry| {
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line);
        words.iter().all(|word| line.contains(word))
    })
}

/// However Summa ends, the preprocessor ends with it.
#[test]
#[cfg(target_os = "linux")]
fn the_preprocessor_does_not_outlive_us() {
    let folder = folder("children");
    let name = format!("waits-{}.c", std::process::id());
    // The name comes from a macro, so it is not known beforehand that it is a pipe.
    let Ok(true) = Command::new("mkfifo").arg(folder.join("pipe.h")).status().map(|status| status.success())
    else {
        eprintln!("skipped: there are no pipes to be had");
        return;
    };
    file(&folder, &name, "#define NAME \"pipe.h\"\n#include NAME\n");
    for signal in ["-KILL", "-INT", "-TERM"] {
        let mut summa =
            support::command(&folder, &format!("verify {name}")).stdout(Stdio::null()).spawn().unwrap();
        // Until our compiler itself is there: others may compile on this machine.
        while !is_running(&["cc1", &name]) && summa.try_wait().unwrap().is_none() {
            std::thread::yield_now();
        }
        assert!(Command::new("kill").arg(signal).arg(summa.id().to_string()).status().unwrap().success());
        let status = summa.wait().unwrap();
        assert_eq!(status.code(), if signal == "-KILL" { None } else { Some(5) });
        // If one went on, this test would not end.
        while is_running(&[&name]) {
            std::thread::yield_now();
        }
    }
}
