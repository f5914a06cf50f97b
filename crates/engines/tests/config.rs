//! Configurations: the presets are well-formed, mistakes are told with their place, and the tree says what
//! runs.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use expect_test::{Expect, expect};
use std::time::Duration;
use summa_base::Budget;
use summa_c::types::DataModel;
use summa_cfa::BuildOptions;
use summa_domains::reductions::{REDUCTIONS, VALUE_TO_INTERVAL};
use summa_engines::assemble::assemble;
use summa_engines::config::explain::explain;
use summa_engines::config::{Algorithm, PRESETS};
use summa_engines::{Config, Task};
use summa_facts::Analyses;

/// A configuration that is right, to be changed.
const PREDICATE: &str = r#"description = "mine"
algorithm = "cegar"
waitlist = ["unrolled"]
domains = ["location", "callstack", "specification", "predicate"]

[predicate]
blocks = "loops"
"#;

fn mistake(text: &str, expected: Expect) {
    let error = Config::parse("mine.toml", text).unwrap_err();
    expected.assert_eq(&error.to_string());
}

#[test]
fn every_preset_is_well_formed() {
    for preset in PRESETS {
        let config = Config::parse(preset.name, preset.text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(config.name, preset.name);
        assert!(preset.text.starts_with("# "), "{}: says no paper", preset.name);
        assert!((20..=110).contains(&config.description.len()), "{}: {}", preset.name, config.description);
    }
}

#[test]
fn every_preset_can_be_assembled() {
    let loaded = summa_c::load_text("test.c", "int main(void) { return 0; }", DataModel::Lp64);
    let program = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).program;
    let cfa =
        summa_transform::build(program, &BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let facts = Analyses::new(&cfa);
    for preset in PRESETS {
        let config = Config::preset(preset.name).unwrap();
        if matches!(config.algorithm, Algorithm::Bmc | Algorithm::KInduction) {
            continue;
        }
        let task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(10)), &|_| true);
        let assembly = assemble(&config, &task).unwrap_or_else(|reason| panic!("{}: {reason}", preset.name));
        let names: Vec<&str> = assembly.product.components.iter().map(|component| component.name()).collect();
        let wanted: Vec<&str> = config.domains.iter().map(|chosen| chosen.registration.name).collect();
        assert_eq!(names, wanted, "{}", preset.name);
        assert_eq!(
            assembly.refiners.is_empty(),
            config.algorithm == Algorithm::Reachability && !config_checks(&config)
        );
    }
}

/// Symbolic execution asks the predicate refiner about every target, though nothing is refined.
fn config_checks(config: &Config) -> bool {
    config.domains.iter().any(|chosen| chosen.decides_targets())
}

#[test]
fn a_setting_is_changed_by_its_name() {
    let mut config = Config::preset("value+interval").unwrap();
    let before = config.clone();
    config.set("interval", "widen-after", 7).unwrap();
    assert_ne!(config, before);
    assert_ne!(format!("{config:?}"), format!("{before:?}"), "stored summaries depend on it");
    assert!(explain(&config).contains("widened after 7 merges"), "{}", explain(&config));
    config.set("interval", "widen-after", 2).unwrap();
    assert_eq!(config, before);
    let error = config.set("interval", "widen-afterwards", 7).unwrap_err().to_string();
    assert!(error.contains("did you mean `widen-after`?"), "{error}");
    assert!(config.set("interval", "widen-after", "much").is_err());
    assert!(config.set("octagon", "merge", "sep").is_err(), "there is no such domain");
    assert_eq!(config, before);
}

#[test]
fn a_key_that_is_not_known_is_an_error() {
    mistake(
        &PREDICATE.replace("blocks", "block"),
        expect![
            "mine.toml:7: unknown key `block`, expected one of `abstraction`, `blocks`, `refinement`, \
             `forced-covering`, `cartesian`, `merge`, `invariants`; did you mean `blocks`?"
        ],
    );
    mistake(
        &PREDICATE.replace("waitlist", "wait-list"),
        expect![
            "mine.toml:3: unknown key `wait-list`, expected one of `description`, `algorithm`, `encoding`, \
             `waitlist`, `domains`, `reductions`, `loop-bound`, `k-induction`, `bam`, `value`, `interval`, \
             `sign`, `predicate`; did you mean `waitlist`?"
        ],
    );
}

#[test]
fn a_word_that_is_not_known_is_an_error() {
    mistake(
        &PREDICATE.replace("\"loops\"", "\"loop\""),
        expect![
            "mine.toml:7: unknown word `loop`, expected one of `loops`, `loops-and-functions`, `never`; did \
             you mean `loops`?"
        ],
    );
    mistake(
        &PREDICATE.replace("\"callstack\"", "\"call-stack\""),
        expect![
            "mine.toml:4: unknown word `call-stack`, expected one of `location`, `callstack`, \
             `specification`, `loop-bound`, `value`, `interval`, `sign`, `linear`, `octagon`, `predicate`; \
             did you mean `callstack`?"
        ],
    );
    mistake(
        &PREDICATE.replace("cegar", "ceger"),
        expect![
            "mine.toml:2: unknown word `ceger`, expected one of `reachability`, `cegar`, `bmc`, \
             `k-induction`; did you mean `cegar`?"
        ],
    );
    let far = PREDICATE.replace("cegar", "portfolio");
    mistake(
        &far,
        expect![
            "mine.toml:2: unknown word `portfolio`, expected one of `reachability`, `cegar`, `bmc`, \
             `k-induction`"
        ],
    );
    expect![
        "`predicates` is neither a file nor one of the configurations bmc, k-induction, predicate, \
        impact, value, value-cegar, value+interval, value+predicate, interval, octagon, symbolic-execution, \
        value-bam, value-bam-rec, interval-bam, interval-bam-rec, interval+linear-bam-rec, octagon-bam-rec, \
        predicate-bam, predicate-bam-rec, value+predicate-bam, value+predicate-bam-rec; did you mean \
        `predicate`?"
    ]
    .assert_eq(&Config::preset("predicates").unwrap_err().to_string());
}

#[test]
fn parts_that_do_not_fit_are_an_error() {
    mistake(
        &PREDICATE.replace("\"callstack\", ", ""),
        expect!["mine.toml: the domain `callstack` is missing: explorations need it"],
    );
    mistake(
        &PREDICATE.replace("\"predicate\"]", "\"location\"]"),
        expect!["mine.toml: the domain `location` is there twice"],
    );
    mistake(
        &PREDICATE.replace(", \"predicate\"]", ", \"value\"]"),
        expect!["mine.toml: the section [predicate] is there, but `predicate` is not used"],
    );
    mistake(
        &PREDICATE.replace("cegar", "reachability"),
        expect!["mine.toml: `predicate` needs `refinement = \"none\"` here, or the algorithm `cegar`"],
    );
    mistake(
        &PREDICATE.replace("blocks = \"loops\"", "refinement = \"none\""),
        expect![
            "mine.toml: `cegar` needs something to refine: `value` with `precision = \"refined\"`, or \
             `predicate` with a `refinement`"
        ],
    );
    let growing = PREDICATE.replace("\"predicate\"]", "\"value\", \"predicate\"]");
    mistake(
        &format!("{growing}\n[value]\nprecision = \"growing\"\n"),
        expect!["mine.toml: `precision = \"growing\"` needs [bam]"],
    );
    mistake(
        &PREDICATE.replace("cegar", "bmc"),
        expect!["mine.toml: `domains` is for the algorithms `reachability` and `cegar`"],
    );
}

/// A configuration with a reduction, to be changed.
const REDUCED: &str = r#"description = "mine"
algorithm = "reachability"
domains = ["location", "callstack", "specification", "value", "linear", "interval"]
reductions = ["value->interval"]
"#;

#[test]
fn reductions_need_their_domains() {
    let config = Config::parse("mine.toml", REDUCED).unwrap();
    assert_eq!(config.reductions, [VALUE_TO_INTERVAL]);
    mistake(
        &REDUCED.replace("value->interval", "value->intervals"),
        expect![
            "mine.toml:4: unknown word `value->intervals`, expected one of `value->interval`, \
             `interval->value`, `linear->interval`, `interval->linear`; did you mean `value->interval`?"
        ],
    );
    mistake(
        &REDUCED.replace(", \"interval\"]", "]"),
        expect!["mine.toml: the reduction `value->interval` needs the domain `interval`"],
    );
    mistake(
        &REDUCED.replace("\"value->interval\"", "\"value->interval\", \"value->interval\""),
        expect!["mine.toml: the reduction `value->interval` is there twice"],
    );
    mistake(
        "description = \"x\"\nalgorithm = \"bmc\"\nreductions = [\"value->interval\"]\n",
        expect!["mine.toml: `reductions` is for the algorithms `reachability` and `cegar`"],
    );
}

#[test]
fn configurations_know_all_reductions() {
    for named in REDUCTIONS {
        let text = REDUCED.replace("value->interval", named.name);
        assert_eq!(Config::parse("mine.toml", &text).unwrap().reductions, [*named]);
    }
}

#[test]
fn reductions_are_applied_and_shown() {
    let loaded = summa_c::load_text("test.c", "int main(void) { return 0; }", DataModel::Lp64);
    let program = loaded.unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics)).program;
    let cfa =
        summa_transform::build(program, &BuildOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    let facts = Analyses::new(&cfa);
    let task = Task::new(&cfa, &facts, Budget::with_time(Duration::from_secs(10)), &|_| true);
    let config = Config::preset("value+interval").unwrap();
    let assembly = assemble(&config, &task).unwrap_or_else(|reason| panic!("{reason}"));
    let names: Vec<&str> = assembly.product.reductions.iter().map(|reduction| reduction.name).collect();
    assert_eq!(names, ["value->interval", "interval->value"]);
    expect![[r#"
        value+interval: Explicit values and intervals that exchange facts; intervals joined where values agree

        cegar: exploration and refinement in turn
        ├─ explore: CPA++, in the order of the unrolled program
        │  ├─ product
        │  │  ├─ location: where control is
        │  │  ├─ callstack: calls that have not returned
        │  │  ├─ specification: errors are targets
        │  │  ├─ value: explicit values; variables with few values or that refinement finds; merge sep
        │  │  └─ interval: bounds and congruences of integers; widened after 2 merges; merge join
        │  └─ reductions after each transfer
        │     ├─ value->interval: a known value is an interval of one number
        │     └─ interval->value: an interval of one number is a value, if the value is followed
        ├─ refine
        │  └─ value: interpolants of values tell which variables to track
        └─ formulas: over integers or bit-vectors, as the program needs; the other one if that fails
    "#]]
    .assert_eq(&explain(&config));
}

#[test]
fn text_that_is_no_toml_is_an_error() {
    let error = Config::parse("mine.toml", "algorithm = cegar\n").unwrap_err().to_string();
    assert!(error.starts_with("mine.toml:1: "), "{error}");
    mistake("algorithm = \"bmc\"\n", expect!["mine.toml:1: missing field `description`"]);
    mistake("description = \"x\"\nalgorithm = 7\n", expect!["mine.toml:2: wanted string or table"]);
}

#[test]
fn the_tree_of_a_configuration() {
    expect![[r#"
        predicate: Lazy predicate abstraction: boolean abstraction at loop heads, predicates from interpolants

        cegar: exploration and refinement in turn
        ├─ explore: CPA++, in the order of the unrolled program
        │  └─ product
        │     ├─ location: where control is
        │     ├─ callstack: calls that have not returned
        │     ├─ specification: errors are targets
        │     └─ predicate: formulas; abstraction at loop heads (blk^l), as BDD; merge join
        ├─ refine
        │  └─ predicate: interpolants become predicates of their location
        └─ formulas: over integers or bit-vectors, as the program needs; the other one if that fails
    "#]]
    .assert_eq(&explain(&Config::preset("predicate").unwrap()));
}
