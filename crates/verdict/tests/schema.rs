//! Witnesses as the schema wants them. The published schema of format 2.0 could not be had here: the one beside this file is written
//! after the public description of the format, and is stricter where this project always writes the same (times, hashes, names).

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use serde_json::Value;
use summa_c::types::DataModel;
use summa_verdict::metadata::Metadata;
use summa_verdict::places::Location;
use summa_verdict::witness::{Content, Contract, Invariant, PointKind, Segment, Waypoint};
use summa_verdict::yaml;

/// What of JSON Schema the file uses. An error is the path to what is wrong.
fn check(schema: &Value, root: &Value, value: &Value, path: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("{path}: {why}"));
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return check(root.pointer(&reference[1..]).unwrap(), root, value, path);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let fits: Vec<_> = options.iter().map(|option| check(option, root, value, path)).collect();
        return match fits.iter().filter(|fit| fit.is_ok()).count() {
            1 => Ok(()),
            _ => Err(format!("{path}: not exactly one of {fits:?}")),
        };
    }
    if let Some(options) = schema.get("enum").and_then(Value::as_array) {
        return if options.contains(value) { Ok(()) } else { wrong("not one of the values") };
    }
    match schema.get("type").and_then(Value::as_str) {
        Some("object") if !value.is_object() => return wrong("no object"),
        Some("array") if !value.is_array() => return wrong("no list"),
        Some("string") if !value.is_string() => return wrong("no string"),
        Some("integer") if !value.is_i64() && !value.is_u64() => return wrong("no integer"),
        _ => {}
    }
    if let Some(text) = value.as_str() {
        if text.len() < schema.get("minLength").and_then(Value::as_u64).unwrap_or(0) as usize {
            return wrong("too short");
        }
        if let Some(pattern) = schema.get("pattern").and_then(Value::as_str) {
            return if matches(pattern, text) { Ok(()) } else { wrong("not of the form") };
        }
    }
    if value.as_i64() < schema.get("minimum").and_then(Value::as_i64) && value.is_number() {
        return wrong("too small");
    }
    if let Some(items) = value.as_array() {
        if (items.len() as u64) < schema.get("minItems").and_then(Value::as_u64).unwrap_or(0) {
            return wrong("too few");
        }
        for (index, item) in items.iter().enumerate() {
            check(&schema["items"], root, item, &format!("{path}[{index}]"))?;
        }
    }
    if let Some(object) = value.as_object() {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten() {
            if !object.contains_key(name.as_str().unwrap()) {
                return wrong(&format!("no {name}"));
            }
        }
        for (name, member) in object {
            let path = format!("{path}.{name}");
            match (schema["properties"].get(name), schema.get("additionalProperties")) {
                (Some(schema), _) => check(schema, root, member, &path)?,
                (None, Some(Value::Bool(false))) => return Err(format!("{path}: not allowed")),
                (None, Some(schema)) => check(schema, root, member, &path)?,
                (None, None) => {}
            }
        }
    }
    Ok(())
}

/// The few patterns of the schema: classes with a count, and alternatives.
fn matches(pattern: &str, text: &str) -> bool {
    let pattern = pattern.trim_start_matches('^').trim_end_matches('$');
    if let Some(words) = pattern.strip_prefix('(') {
        let words: Vec<&str> = words.trim_end_matches(')').split('|').collect();
        return words.contains(&text) || text.trim_start_matches('-').parse::<u64>().is_ok();
    }
    let mut rest = text.chars();
    let mut parts = pattern.chars().peekable();
    while let Some(part) = parts.next() {
        let class: Option<String> = (part == '[').then(|| parts.by_ref().take_while(|&c| c != ']').collect());
        let count = match (class.is_some(), parts.peek()) {
            (true, Some('{')) => {
                let digits: String = parts.by_ref().skip(1).take_while(|&c| c != '}').collect();
                digits.parse().unwrap()
            }
            _ => 1,
        };
        for _ in 0..count {
            let Some(c) = rest.next() else { return false };
            let fits = match &class {
                Some(class) => {
                    class.contains(c)
                        || class.contains("0-9") && c.is_ascii_digit()
                        || class.contains("a-f") && ('a'..='f').contains(&c)
                        || class.contains("1-5") && ('1'..='5').contains(&c)
                }
                None => c == part,
            };
            if !fits {
                return false;
            }
        }
    }
    rest.next().is_none()
}

fn schema() -> Value {
    serde_json::from_str(include_str!("witness-2.0.schema.json")).unwrap()
}

fn location() -> Location {
    let function = Some("main".to_owned());
    Location { file: "a \"b\"\\c.c".to_owned(), line: 7, column: Some(3), function }
}

fn validate(content: &Content) -> Result<(), String> {
    let specification =
        "CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )".to_owned();
    let metadata = Metadata::now(&["a.c".into()], specification, DataModel::Ilp32);
    let text = yaml::write(&metadata, content);
    let value: Value = serde_saphyr::from_str(&text).map_err(|error| format!("{error}\n{text}"))?;
    check(&schema(), &schema(), &value, "")
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
    let bad = [
        "[]",
        "[{\"entry_type\": \"violation_sequence\", \"content\": []}]",
        "[{\"entry_type\": \"other\", \"metadata\": {}, \"content\": []}]",
    ];
    for text in bad {
        let value: Value = serde_json::from_str(text).unwrap();
        assert!(check(&schema(), &schema(), &value, "").is_err(), "{text}");
    }
    assert!(matches("^[0-9]{4}-[0-9]{2}$", "2026-11") && !matches("^[0-9]{4}-[0-9]{2}$", "2026-1x"));
    assert!(matches("^(true|false|-?[0-9]+)$", "-7") && !matches("^(true|false|-?[0-9]+)$", "maybe"));
}
