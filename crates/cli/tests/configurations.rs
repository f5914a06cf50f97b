//! Configurations on the command line: the list, the tree, mistakes, and the graph of a small program.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use expect_test::{Expect, expect};
use std::path::Path;
use std::process::{Command, Output};

const COUNTED: &str = "void reach_error(void);
int main(void)
{
    int i = 0;
    while (i < 2)
        i++;
    if (i != 2)
        reach_error();
    return 0;
}
";

fn folder() -> std::path::PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("configurations");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn file(name: &str, content: &str) {
    std::fs::write(folder().join(name), content).unwrap();
}

fn summa(arguments: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_summa"));
    command.current_dir(folder()).args(arguments.split_whitespace()).env("NO_COLOR", "1");
    command.output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn check(arguments: &str, code: i32, expected: Expect) {
    let output = summa(arguments);
    expected.assert_eq(&text(&output.stdout));
    assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
}

fn check_error(arguments: &str, code: i32, expected: Expect) {
    let output = summa(arguments);
    expected.assert_eq(&text(&output.stderr));
    assert_eq!(output.status.code(), Some(code));
}

#[test]
fn the_engines_are_listed() {
    check("configs", 0, expect![[r#""#]]);
    let printed = text(&summa("configs impact").stdout);
    assert!(printed.starts_with("# IMPACT:") && printed.contains("forced-covering = true"), "{printed}");
    check_error("configs impakt", 2, expect![[r#""#]]);
}

#[test]
fn a_configuration_is_explained() {
    check("verify --config value+predicate --explain-config", 0, expect![[r#""#]]);
}

#[test]
fn mistakes_in_configurations_are_told() {
    file("mistake.toml", "description = \"mine\"\nalgorithm = \"cegar\"\n\n[predicate]\nblock = \"loops\"\n");
    check_error("verify --config mistake.toml x.c", 2, expect![[r#""#]]);
    check_error("verify --config missing.toml x.c", 2, expect![[r#""#]]);
    check_error("verify --config predicat x.c", 2, expect![[r#""#]]);
    check_error("verify --config predicate", 2, expect![[r#""#]]);
    assert_eq!(summa("verify --explain-config x.c").status.code(), Some(2));
    assert_eq!(summa("verify --config bmc --encoding real x.c").status.code(), Some(2));
}

#[test]
fn a_configuration_of_ones_own_decides() {
    file("counted.c", COUNTED);
    let preset = text(&summa("configs value-cegar").stdout);
    file("mine.toml", &preset.replace("\"unrolled\"", "\"depth\""));
    check("verify --64 --config mine.toml counted.c", 0, expect![[r#""#]]);
    file("wrong.c", &COUNTED.replace("!=", "=="));
    let output = summa("verify --config value-cegar --quiet wrong.c");
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("Verdict: FALSE(unreach-call)\n", Some(10)));
}

#[test]
fn a_graph_is_shown() {
    file("graph.c", COUNTED);
    check("arg --config value graph.c", 0, expect![[r#""#]]);
    let dot = text(&summa("arg --config value --format dot graph.c").stdout);
    assert!(dot.starts_with("digraph arg {") && dot.ends_with("}\n"), "{dot}");
    let written = summa("arg --config value --format json -o graph.json graph.c");
    assert!(written.stdout.is_empty());
    let json = std::fs::read_to_string(folder().join("graph.json")).unwrap();
    assert!(json.starts_with("{\n  \"states\": ["), "{json}");
    let none = summa("arg --config bmc graph.c");
    assert_eq!(none.status.code(), Some(5));
}

#[test]
fn statistics_name_domains_and_solver() {
    file("stats.c", COUNTED);
    let output = text(&summa("verify --config predicate --stats stats.c").stdout);
    for line in ["location transfer: ", "predicate prec: ", "Solver calls (predicate): ", "States reached: ", "Refinements: "] {
        assert!(output.contains(line), "{line} is missing in\n{output}");
    }
}
