//! SARIF 2.1.0 (OASIS): what code hosts, editors and dashboards read.
//!
//! A property is a rule, a finding a result: TRUE is a `pass`, FALSE a `fail` with the execution as a code
//! flow, UNKNOWN is `open`, and TRUE about nothing is for `review`. Columns count characters. Fingerprints
//! consist of the property, the file and the text of the message, not of lines, so that they survive changes
//! elsewhere in the file.

use crate::finding::{Answer, Call, Explanation, Finding, Input, Place, Remark, Run, TraceStep};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// The whole document.
pub fn document(run: &Run) -> Value {
    let mut rules: Vec<&str> = Vec::new();
    for finding in &run.findings {
        if !rules.contains(&finding.property.as_str()) {
            rules.push(&finding.property);
        }
    }
    let results: Vec<Value> = run.findings.iter().map(|finding| result(finding, &rules)).collect();
    let driver = json!({
        "name": "summa",
        "fullName": "Summa, a verifier for C",
        "version": run.version,
        "semanticVersion": run.version,
        "rules": rules.iter().map(|name| rule(name)).collect::<Vec<_>>(),
    });
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": driver },
            "columnKind": "unicodeCodePoints",
            "artifacts": run.files.iter().map(|file| artifact(file)).collect::<Vec<_>>(),
            "invocations": [invocation(run)],
            "results": results,
        }],
    })
}

/// The meaning of each property, for readers of the report alone.
fn rule(property: &str) -> Value {
    let (short, full) = match property {
        "unreach-call" => (
            "No error is reachable",
            "No execution calls an error function (reach_error, __VERIFIER_error) or fails an assertion.",
        ),
        "no-overflow" => (
            "No signed overflow",
            "The result of every signed arithmetic operation fits its type (C11 6.5p5).",
        ),
        "no-division-by-zero" | "division-by-zero" => {
            ("No division by zero", "No integer is divided by zero (C11 6.5.5p5).")
        }
        "shift" | "valid-shift" => (
            "Valid shifts",
            "The amount of every shift is less than the width of its type, and no shift to the left \
             overflows (C11 6.5.7).",
        ),
        "valid-memsafety" => {
            ("Memory safety", "Every dereference and every free is valid, and no allocated memory is lost.")
        }
        "valid-deref" => ("Valid dereferences", "Every pointer that is followed points into a live object."),
        "valid-free" => {
            ("Valid frees", "Only pointers to the start of allocated objects are freed, and once.")
        }
        "valid-memtrack" => ("No lost memory", "Every allocated object stays reachable from a pointer."),
        "valid-memcleanup" => {
            ("All memory is freed", "At the end of the program all allocated memory is freed.")
        }
        "termination" => ("Termination", "Every execution of the program ends."),
        "no-data-race" => ("No data races", "Conflicting accesses of threads are ordered."),
        _ => ("A property of the program", "A property that the user named."),
    };
    let help = format!(
        "{full} A violation comes with an execution that was replayed: its inputs, and the steps that \
         matter, are in the code flow. Run `summa verify --property {property}` on the file to see them \
         with their source lines."
    );
    json!({
        "id": property,
        "name": camel_case(property),
        "shortDescription": { "text": short },
        "fullDescription": { "text": full },
        "help": { "text": help },
        "defaultConfiguration": { "level": "error" },
    })
}

/// Rule names are meant to be in one word: `NoOverflow`.
fn camel_case(property: &str) -> String {
    let words = property.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let capital = |word: &str| {
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        format!("{}{rest}", first.to_uppercase())
    };
    words.map(capital).collect()
}

fn result(finding: &Finding, rules: &[&str]) -> Value {
    let (kind, level) = match &finding.answer {
        Answer::False => ("fail", "error"),
        Answer::True if finding.warnings.is_empty() => ("pass", "none"),
        Answer::True => ("review", "none"),
        Answer::Unknown(_) => ("open", "none"),
    };
    let because = finding.explanation.as_ref().map_or("", |explanation| &explanation.because);
    let text = match &finding.answer {
        Answer::Unknown(reason) => format!("{}: not decided, {reason}", finding.property),
        _ if because.is_empty() => finding.message.clone(),
        _ => format!("{}: {because}", finding.message),
    };
    let mut object = Map::new();
    object.insert("ruleId".into(), json!(finding.property));
    if let Some(index) = rules.iter().position(|rule| *rule == finding.property) {
        object.insert("ruleIndex".into(), json!(index));
    }
    object.insert("kind".into(), json!(kind));
    object.insert("level".into(), json!(level));
    object.insert("message".into(), json!({ "text": text }));
    if let Some(location) = location(&finding.place, None) {
        object.insert("locations".into(), json!([location]));
    }
    object.insert("partialFingerprints".into(), json!({ "summaFinding/v1": fingerprint(finding) }));
    if let Some(explanation) = &finding.explanation {
        add_explanation(&mut object, explanation);
    }
    let mut properties = Map::new();
    properties.insert("verdict".into(), json!(finding.answer.word()));
    properties.insert("seconds".into(), json!((finding.time.as_secs_f64() * 1000.0).round() / 1000.0));
    if let Some(engine) = &finding.engine {
        properties.insert("engine".into(), json!(engine));
    }
    for (name, remarks) in
        [("assumptions", &finding.assumptions), ("warnings", &finding.warnings), ("proof", &finding.proof)]
    {
        if !remarks.is_empty() {
            properties.insert(name.into(), remarks.iter().map(sentence).collect());
        }
    }
    object.insert("properties".into(), Value::Object(properties));
    Value::Object(object)
}

/// The execution as a code flow, its inputs as related places, the calls as a stack with the innermost first.
fn add_explanation(object: &mut Map<String, Value>, explanation: &Explanation) {
    let steps: Vec<Value> = explanation.steps.iter().map(flow_step).collect();
    if !steps.is_empty() {
        let flow = json!({ "threadFlows": [{ "locations": steps }] });
        object.insert("codeFlows".into(), json!([flow]));
    }
    let describe = |input: &Input| location(&input.place, Some(&format!("{} = {}", input.what, input.value)));
    let mut inputs: Vec<Value> =
        explanation.inputs.iter().filter(|input| input.matters).filter_map(describe).collect();
    // Equal inputs at one place are different places to the standard, which wants no equal entries.
    for (number, input) in inputs.iter_mut().enumerate() {
        if let Value::Object(members) = input {
            members.insert("id".into(), json!(number));
        }
    }
    if !inputs.is_empty() {
        object.insert("relatedLocations".into(), json!(inputs));
    }
    let frame = |call: &Call| {
        let text = if call.place.is_known() {
            format!("{} is called", call.function)
        } else {
            call.function.clone()
        };
        let location =
            location(&call.place, Some(&text)).unwrap_or_else(|| json!({ "message": { "text": text } }));
        json!({ "location": location })
    };
    let frames: Vec<Value> = explanation.calls.iter().rev().map(frame).collect();
    if !frames.is_empty() {
        object.insert("stacks".into(), json!([{ "frames": frames }]));
    }
}

fn flow_step(step: &TraceStep) -> Value {
    let location = location(&step.place, Some(&step.text))
        .unwrap_or_else(|| json!({ "message": { "text": step.text } }));
    let mut object = json!({
        "location": location,
        "nestingLevel": step.depth,
        "importance": if step.is_gap { "unimportant" } else { "essential" },
    });
    let state: Map<String, Value> = step
        .values
        .iter()
        .map(|(name, value)| {
            let name = if name.is_empty() { "value" } else { name };
            (name.to_owned(), json!({ "text": value }))
        })
        .collect();
    if let (Value::Object(members), false) = (&mut object, state.is_empty()) {
        members.insert("state".into(), Value::Object(state));
    }
    object
}

fn invocation(run: &Run) -> Value {
    let notification = |level: &str, remark: &Remark| {
        let mut object = json!({ "level": level, "message": { "text": remark.text } });
        if let (Value::Object(members), Some(location)) = (&mut object, location(&remark.place, None)) {
            members.insert("locations".into(), json!([location]));
        }
        object
    };
    let mut notifications: Vec<Value> =
        run.problems.iter().map(|problem| notification("error", problem)).collect();
    let warnings = run.findings.iter().flat_map(|finding| &finding.warnings);
    notifications.extend(warnings.map(|warning| notification("warning", warning)));
    json!({
        "arguments": run.arguments,
        "executionSuccessful": matches!(run.exit_code, 0 | 10 | 5),
        "exitCode": run.exit_code,
        "exitCodeDescription": run.verdict,
        "toolExecutionNotifications": notifications,
    })
}

fn artifact(file: &str) -> Value {
    json!({ "location": { "uri": uri(file) }, "roles": ["analysisTarget"], "sourceLanguage": "c" })
}

/// None for a place that the source does not have.
fn location(place: &Place, message: Option<&str>) -> Option<Value> {
    if !place.is_known() {
        return None;
    }
    let mut region = Map::new();
    region.insert("startLine".into(), json!(place.line));
    if let Some(column) = place.column.filter(|&column| column > 0) {
        region.insert("startColumn".into(), json!(column));
        if let Some(end) = place.end_column.filter(|&end| end >= column) {
            region.insert("endColumn".into(), json!(end));
        }
    }
    let mut object = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(&place.file) }, "region": region },
    });
    if let (Value::Object(members), Some(text)) = (&mut object, message) {
        members.insert("message".into(), json!({ "text": text }));
    }
    Some(object)
}

fn sentence(remark: &Remark) -> Value {
    if remark.place.is_known() {
        json!(format!("{}: {}", remark.place, remark.text))
    } else {
        json!(remark.text)
    }
}

/// A path as a URI reference: relative ones stay relative, so that they mean the same on another machine.
fn uri(file: &str) -> String {
    let mut text = String::new();
    if file.starts_with('/') {
        text.push_str("file://");
    }
    for byte in file.trim_start_matches("./").bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            text.push(char::from(byte));
        } else {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    text
}

/// A fingerprint that stays the same when other parts of the file change.
fn fingerprint(finding: &Finding) -> String {
    let mut hash = Sha256::new();
    for part in [&finding.property, &finding.message, &finding.place.file] {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    if let Some(explanation) = &finding.explanation {
        for call in &explanation.calls {
            hash.update(call.function.as_bytes());
            hash.update([0]);
        }
    }
    hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use expect_test::expect;
    use std::time::Duration;

    fn place(line: u32, column: u32) -> Place {
        Place { file: "src/my file.c".into(), line, column: Some(column), end_column: Some(column + 4) }
    }

    /// Three properties of one program: violated, proved about nothing, open.
    pub(crate) fn example() -> Run {
        let mut violated = Finding::new("unreach-call", Answer::False, "an assertion fails");
        violated.place = place(9, 3);
        violated.engine = Some("execution".into());
        violated.time = Duration::from_millis(12);
        violated.explanation = Some(Explanation {
            because: "the assertion `x < 10` fails because x is 12".into(),
            inputs: vec![Input {
                place: place(5, 11),
                what: "__VERIFIER_nondet_int()".into(),
                value: "12".into(),
                matters: true,
            }],
            calls: vec![
                Call { function: "main".into(), place: Place::default() },
                Call { function: "check".into(), place: place(8, 3) },
            ],
            steps: vec![
                TraceStep {
                    place: place(5, 3),
                    text: "x = __VERIFIER_nondet_int();".into(),
                    values: vec![(String::new(), "12".into())],
                    depth: 0,
                    is_gap: false,
                },
                TraceStep {
                    text: "… 3 more rounds of the same steps".into(),
                    is_gap: true,
                    ..TraceStep::default()
                },
            ],
            hidden: 0,
            length: 20,
        });
        violated.assumptions.push(Remark { place: Place::default(), text: "`log` is unknown".into() });
        let mut proved = Finding::new("no-overflow", Answer::True, "no signed overflow");
        proved.warnings.push(Remark { place: Place::default(), text: "there is nothing to check".into() });
        let open = Finding::new("termination", Answer::Unknown("unsupported property".into()), "");
        Run {
            version: "0.1.0".into(),
            arguments: vec!["verify".into(), "src/my file.c".into()],
            files: vec!["src/my file.c".into()],
            data_model: "LP64".into(),
            findings: vec![violated, proved, open],
            verdict: "FALSE(unreach-call)".into(),
            exit_code: 10,
            problems: Vec::new(),
            time: Duration::from_millis(40),
        }
    }

    #[test]
    fn the_document_has_what_the_standard_asks_for() {
        let document = document(&example());
        assert_eq!(document["version"], "2.1.0");
        let run = &document["runs"][0];
        let results = run["results"].as_array().unwrap();
        let kinds: Vec<&str> = results.iter().map(|result| result["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["fail", "review", "open"]);
        for result in results {
            // Section 3.27.10: only failures have a level.
            assert_eq!(result["level"] == "none", result["kind"] != "fail");
            assert!(!result["message"]["text"].as_str().unwrap().is_empty());
            let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().unwrap() as usize];
            assert_eq!(rule["id"], result["ruleId"]);
        }
        assert_eq!(run["invocations"][0]["exitCode"], 10);
        let region = &results[0]["locations"][0]["physicalLocation"];
        expect![[r#"{"artifactLocation":{"uri":"src/my%20file.c"},"region":{"endColumn":7,"startColumn":3,"startLine":9}}"#]]
            .assert_eq(&region.to_string());
        expect![[r#"[{"threadFlows":[{"locations":[{"importance":"essential","location":{"message":{"text":"x = __VERIFIER_nondet_int();"},"physicalLocation":{"artifactLocation":{"uri":"src/my%20file.c"},"region":{"endColumn":7,"startColumn":3,"startLine":5}}},"nestingLevel":0,"state":{"value":{"text":"12"}}},{"importance":"unimportant","location":{"message":{"text":"… 3 more rounds of the same steps"}},"nestingLevel":0}]}]}]"#]].assert_eq(&results[0]["codeFlows"].to_string());
    }

    #[test]
    fn fingerprints_do_not_depend_on_lines() {
        let run = example();
        let mut moved = run.findings[0].clone();
        moved.place.line += 10;
        assert_eq!(fingerprint(&run.findings[0]), fingerprint(&moved));
        moved.message = "an error function is called".into();
        assert_ne!(fingerprint(&run.findings[0]), fingerprint(&moved));
    }

    #[test]
    fn names_are_words_and_paths_are_uris() {
        assert_eq!(camel_case("valid-memtrack"), "ValidMemtrack");
        assert_eq!(camel_case("é-x"), "X");
        assert_eq!(uri("./a b/ü.c"), "a%20b/%C3%BC.c");
        assert_eq!(uri("/tmp/x.c"), "file:///tmp/x.c");
    }
}
