//! The rules of the exchange formats for witnesses: a schema (`witness.schema.json`, formats 2.0 to 2.2, put
//! together from the public descriptions) and what a schema cannot say: the order in segments, where the
//! target is, and what a version does not have yet.
//!
//! Limits: of JSON Schema only what the file uses.

use serde_json::Value;

/// Is this document a witness? An error is the path to what is wrong, or the rule.
pub fn check(document: &Value) -> Result<(), String> {
    let schema: Value = serde_json::from_str(include_str!("witness.schema.json")).unwrap();
    fits(&schema, &schema, document, "")?;
    for entry in document.as_array().into_iter().flatten() {
        let version = entry["metadata"]["format_version"].as_str().unwrap_or("");
        let text = entry["content"].to_string();
        let later =
            ["\"cycle\"", "ext_c_expression", "function_contract", "_transition_", "\"labels\"", "thread_id"];
        if let Some(word) = later.iter().find(|word| version == "2.0" && text.contains(**word)) {
            return Err(format!("{word} in format 2.0"));
        }
        if entry["entry_type"] == "violation_sequence" {
            segments(entry["content"].as_array().unwrap())?;
        }
    }
    Ok(())
}

/// Points to avoid, then one to follow; the target is the last of all.
fn segments(all: &[Value]) -> Result<(), String> {
    for (number, segment) in all.iter().enumerate() {
        let points = segment["segment"].as_array().unwrap();
        for (at, point) in points.iter().enumerate() {
            let (kind, action) = (&point["waypoint"]["type"], &point["waypoint"]["action"]);
            let is_last = at + 1 == points.len();
            if (action == "follow") != is_last || action == "cycle" {
                return Err(format!("segment {number}: `{action}` is at the wrong place"));
            }
            if (kind == "target") != (is_last && number + 1 == all.len()) {
                return Err(format!("segment {number}: the target is not the last point"));
            }
        }
    }
    Ok(())
}

/// What of JSON Schema the file uses. An error is the path to what is wrong.
fn fits(schema: &Value, root: &Value, value: &Value, path: &str) -> Result<(), String> {
    let wrong = |why: &str| Err(format!("{path}: {why}"));
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        return fits(root.pointer(&reference[1..]).unwrap(), root, value, path);
    }
    if let Some(options) = schema.get("oneOf").and_then(Value::as_array) {
        let fits: Vec<_> = options.iter().map(|option| fits(option, root, value, path)).collect();
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
            fits(&schema["items"], root, item, &format!("{path}[{index}]"))?;
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
                (Some(schema), _) => fits(schema, root, member, &path)?,
                (None, Some(Value::Bool(false))) => return Err(format!("{path}: not allowed")),
                (None, Some(schema)) => fits(schema, root, member, &path)?,
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
