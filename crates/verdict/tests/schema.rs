//! Witnesses as the schema wants them ([`summa_testkit::witness`]).

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use serde_json::Value;
use summa_c::types::DataModel;
use summa_testkit::witness::check;
use summa_verdict::metadata::Metadata;
use summa_verdict::places::Location;
use summa_verdict::witness::{Content, Contract, Invariant, PointKind, Segment, Waypoint};
use summa_verdict::yaml;

fn location() -> Location {
    let function = Some("main".to_owned());
    Location { file: "a \"b\"\\c.c".to_owned(), line: 7, column: Some(3), function }
}

fn written(content: &Content) -> String {
    let specification =
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )".to_owned();
    let metadata = Metadata::now(&["a.c".into()], specification, DataModel::Ilp32);
    yaml::write(&metadata, content)
}

fn validate(content: &Content) -> Result<(), String> {
    let text = written(content);
    let value: Value = serde_saphyr::from_str(&text).map_err(|error| format!("{error}\n{text}"))?;
    check(&value)
}

#[test]
fn all_kinds_of_points_fit() {
    let point = |kind: PointKind| Waypoint { kind, location: location(), callee: None };
    let text = || "x == '\\n' && s.a == 1".to_owned();
    let segments = vec![
        Segment {
            avoid: vec![point(PointKind::Branching("true".to_owned()))],
            follow: point(PointKind::Assumption(text())),
        },
        point(PointKind::Return("\\result == 5".to_owned())).into(),
        point(PointKind::Enter).into(),
        point(PointKind::Target).into(),
    ];
    validate(&Content::Violation(segments)).unwrap();
}

#[test]
fn invariants_and_contracts_fit() {
    let invariant = |is_loop| Invariant { is_loop, location: location(), value: "x <= 10".to_owned() };
    let contract = Contract {
        function: "f".to_owned(),
        location: location(),
        requires: "x > 0".to_owned(),
        ensures: "\\result == \\old(x)".to_owned(),
    };
    validate(&Content::Correctness(Vec::new(), Vec::new())).unwrap();
    validate(&Content::Correctness(vec![invariant(true), invariant(false)], vec![contract])).unwrap();
}

#[test]
fn the_schema_refuses() {
    let point = |kind: PointKind| Waypoint { kind, location: location(), callee: None };
    let assumption = point(PointKind::Assumption("x == 1".to_owned()));
    let avoid = vec![point(PointKind::Branching("true".to_owned()))];
    let segments = vec![Segment { avoid, follow: assumption }, point(PointKind::Target).into()];
    let right = written(&Content::Violation(segments));
    let read = |text: &str| serde_saphyr::from_str::<Value>(text).map_err(|error| error.to_string());
    check(&read(&right).unwrap()).unwrap();
    for (from, to) in [
        ("entry_type: \"violation_sequence\"", "entry_type: \"invariant_set\""),
        ("entry_type", "entry"),
        ("format_version: \"2.0\"", "format_version: \"1.0\""),
        ("uuid: \"", "uuid: \"x"),
        ("data_model: \"ILP32\"", "data_model: \"32\""),
        ("language: \"C\"", "language: \"D\""),
        ("      input_files:\n      - \"a.c\"\n", ""),
        ("action: \"avoid\"", "action: \"follow\""),
        ("action: \"avoid\"", "action: \"cycle\""),
        ("type: \"assumption\"", "type: \"target\""),
        ("type: \"target\"", "type: \"function_enter\""),
        ("format: \"c_expression\"", "format: \"words\""),
        ("format: \"c_expression\"", "format: \"ext_c_expression\""),
        ("line: 7", "line: 0"),
        ("line: 7", "line: seven"),
        ("column: 3", "columns: 3"),
    ] {
        assert!(right.contains(from), "{from} is not in\n{right}");
        let value = read(&right.replace(from, to));
        assert!(value.and_then(|value| check(&value)).is_err(), "{to}");
    }
    assert!(check(&read("[]").unwrap()).is_err());
}
