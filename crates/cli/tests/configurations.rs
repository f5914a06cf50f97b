//! Configurations on the command line: the list, the tree, mistakes, and the graph of a small program.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

mod support;

use expect_test::{Expect, expect};
use std::process::Output;
use support::text;

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
    support::scratch("configurations")
}

fn file(name: &str, content: &str) {
    support::file_in(&folder(), name, content);
}

fn summa(arguments: &str) -> Output {
    support::command(&folder(), arguments).output().unwrap()
}

fn check(arguments: &str, code: i32, expected: Expect) {
    support::expect_output(&summa(arguments), code, expected);
}

fn check_error(arguments: &str, code: i32, expected: Expect) {
    support::expect_error(&summa(arguments), code, expected);
}

#[test]
fn the_engines_are_listed() {
    check(
        "configs",
        0,
        expect![[r#"
            bmc                      Bounded model checking: unrolls loops and recursion, finds bugs, proves bounded programs
            k-induction              k-induction: bounded model checking plus an induction step, strengthened by invariants that it finds
            predicate                Lazy predicate abstraction: boolean abstraction at loop heads, predicates from interpolants
            impact                   Lazy abstraction with interpolants (IMPACT): states strengthened in place, forced covering
            value                    Explicit values of all variables, states kept apart
            value-cegar              Explicit values, of variables with many values only if refinement finds them to matter
            value+interval           Explicit values and intervals that exchange facts; intervals joined where values agree
            value+predicate          Explicit values and predicates together: a path is excluded by values if that is possible
            interval                 Intervals of all variables, states kept apart
            octagon                  Octagons: bounds of variables, of their sums and differences
            symbolic-execution       Symbolic execution: every path on its own, with its exact formula
            value-bam                Function summaries with explicit values of all variables
            value-bam-rec            Function summaries and recursion with explicit values of all variables
            interval-bam             Function summaries with intervals
            interval-bam-rec         Function summaries and recursion with intervals
            interval+linear-bam-rec  Function summaries and recursion by cases of few values, and by linear equations where there are many
            octagon-bam-rec          Function summaries and recursion with bounds of sums and differences
            predicate-bam            Function summaries with predicate abstraction
            predicate-bam-rec        Function summaries and recursion with predicate abstraction
            value+predicate-bam      Function summaries with explicit values and predicates, each where it matters
            value+predicate-bam-rec  Function summaries and recursion with explicit values and predicates, each where it matters
        "#]],
    );
    let printed = text(&summa("configs impact").stdout);
    assert!(printed.starts_with("# IMPACT:") && printed.contains("forced-covering = true"), "{printed}");
    check_error(
        "configs impakt",
        2,
        expect![[r#"
            error: `impakt` is neither a file nor one of the configurations bmc, k-induction, predicate, impact, value, value-cegar, value+interval, value+predicate, interval, octagon, symbolic-execution, value-bam, value-bam-rec, interval-bam, interval-bam-rec, interval+linear-bam-rec, octagon-bam-rec, predicate-bam, predicate-bam-rec, value+predicate-bam, value+predicate-bam-rec; did you mean `impact`?

        "#]],
    );
}

#[test]
fn a_configuration_is_explained() {
    check(
        "verify --config value+predicate --explain-config",
        0,
        expect![[r#"
        value+predicate: Explicit values and predicates together: a path is excluded by values if that is possible

        cegar: exploration and refinement in turn
        ├─ explore: CPA++, in the order of the unrolled program
        │  └─ product
        │     ├─ location: where control is
        │     ├─ callstack: calls that have not returned
        │     ├─ specification: errors are targets
        │     ├─ value: explicit values; variables that refinement finds; merge sep
        │     └─ predicate: formulas; abstraction at loop heads (blk^l), as BDD; merge join
        ├─ refine: the first that excludes the path
        │  ├─ value: interpolants of values tell which variables to track
        │  └─ predicate: interpolants become predicates of their location
        └─ formulas: over integers or bit-vectors, as the program needs; the other one if that fails
    "#]],
    );
}

#[test]
fn mistakes_in_configurations_are_told() {
    file("mistake.toml", "description = \"mine\"\nalgorithm = \"cegar\"\n\n[predicate]\nblock = \"loops\"\n");
    check_error(
        "verify --config mistake.toml x.c",
        2,
        expect![[r#"
        error: mistake.toml:5: unknown key `block`, expected one of `abstraction`, `blocks`, `refinement`, `forced-covering`, `cartesian`, `merge`, `invariants`; did you mean `blocks`?

    "#]],
    );
    check_error(
        "verify --config missing.toml x.c",
        2,
        expect![[r#"
            error: cannot read the configuration `missing.toml`: there is no such file

        "#]],
    );
    check_error(
        "verify --config predicat x.c",
        2,
        expect![[r#"
            error: `predicat` is neither a file nor one of the configurations bmc, k-induction, predicate, impact, value, value-cegar, value+interval, value+predicate, interval, octagon, symbolic-execution, value-bam, value-bam-rec, interval-bam, interval-bam-rec, interval+linear-bam-rec, octagon-bam-rec, predicate-bam, predicate-bam-rec, value+predicate-bam, value+predicate-bam-rec; did you mean `predicate`?

        "#]],
    );
    check_error(
        "verify --config predicate",
        2,
        expect![[r#"
        error: no file is given; `summa help` shows examples

    "#]],
    );
    assert_eq!(summa("verify --explain-config x.c").status.code(), Some(2));
    assert_eq!(summa("verify --config bmc --encoding real x.c").status.code(), Some(2));
}

#[test]
fn a_configuration_of_ones_own_decides() {
    file("counted.c", COUNTED);
    let preset = text(&summa("configs value-cegar").stdout);
    file("mine.toml", &preset.replace("\"breadth\"", "\"depth\""));
    check(
        "verify --64 --config mine.toml counted.c",
        0,
        expect![[r#"
            Program:     counted.c
                         1 function, 11 edges, starting in main
            Data model:  LP64 (as asked for)
            Property:    unreach-call: no call of reach_error or __VERIFIER_error and no failing assertion is reachable from main
                         and no execution that is tried runs into undefined behaviour

            Proved:      no error is reachable
                         (configuration mine.toml: 13 abstract states, 0 refinements)
            Checked:     the proof, 7 steps, 0 with fresh queries
            Invariants:
              counted.c:5  while (i < 2)
                (i == 0) || (i == 1) || (i == 2)
            Verdict: TRUE
        "#]],
    );
    file("wrong.c", &COUNTED.replace("!=", "=="));
    let output = summa("verify --config value-cegar --quiet wrong.c");
    assert_eq!(
        (text(&output.stdout).as_str(), output.status.code()),
        ("Verdict: FALSE(unreach-call)\n", Some(10))
    );
}

#[test]
fn a_graph_is_shown() {
    file("graph.c", COUNTED);
    check(
        "arg --config value graph.c",
        0,
        expect![[r#"
        s0: n9 in __summa_start
        s1: n0 in main, called by __summa_start
            from s0 by call main();
        s2: n1 in main, called by __summa_start
            from s1 by int i;
        s3: n2 in main, called by __summa_start, {main::i = 0}
            from s2 by i = 0;
        s4: n3 in main, called by __summa_start, {main::i = 0}
            from s3 by [i < 2]
        s5: n2 in main, called by __summa_start, {main::i = 1}
            from s4 by i = i + 1;
        s6: n3 in main, called by __summa_start, {main::i = 1}
            from s5 by [i < 2]
        s7: n2 in main, called by __summa_start, {main::i = 2}
            from s6 by i = i + 1;
        s8: n4 in main, called by __summa_start, {main::i = 2}
            from s7 by [i >= 2]
        s9: n7 in main, called by __summa_start
            from s8 by [i == 2]
        s10: n8 in main, called by __summa_start, {main::__result = 0}
            from s9 by return 0;
        s11: n10 in __summa_start
            from s10 by return from main();
        s12: n11 in __summa_start
            from s11 by the run ends
    "#]],
    );
    let dot = text(&summa("arg --config value --format dot graph.c").stdout);
    assert!(dot.starts_with("digraph arg {") && dot.ends_with("}\n"), "{dot}");
    let written = summa("arg --config value --format json -o graph.json graph.c");
    assert!(written.stdout.is_empty());
    let json = std::fs::read_to_string(folder().join("graph.json")).unwrap();
    assert!(json.starts_with("{\n  \"states\": ["), "{json}");
    let unrolled = text(&summa("arg --config bmc graph.c").stdout);
    assert!(unrolled.contains("φ: "), "{unrolled}");
}

#[test]
fn statistics_name_domains_and_solver() {
    file("stats.c", COUNTED);
    let output = text(&summa("verify --config predicate --stats stats.c").stdout);
    for line in [
        "location transfer: ",
        "predicate prec: ",
        "Solver calls (predicate): ",
        "States reached: ",
        "Refinements: ",
    ] {
        assert!(output.contains(line), "{line} is missing in\n{output}");
    }
}
