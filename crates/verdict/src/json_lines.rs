//! Events as JSON: one object per line, so that a reader can follow a run line by line.
//!
//! Every object has an `event`: `start`, `assumption`, `warning`, `problem`, `progress`, `verdict` (one for
//! each property), and at last `end` with the verdict of all and the exit code. Readers must ignore unknown
//! events and members.

use crate::finding::{Answer, Call, Explanation, Finding, Input, Place, Remark, Run, TraceStep};
use serde_json::{Map, Value, json};
use std::time::Duration;

/// The event for the start: program and properties.
pub fn start(run: &Run, properties: &[String]) -> Value {
    json!({
        "event": "start",
        "version": run.version,
        "arguments": run.arguments,
        "files": run.files,
        "data_model": run.data_model,
        "properties": properties,
    })
}

/// A sentence about a place; the event says of which kind.
pub fn remark(event: &str, remark: &Remark) -> Value {
    with(json!({ "event": event, "text": remark.text }), "place", place(&remark.place))
}

/// How far the run is; names as on the line that a terminal shows.
pub fn progress(seconds: f64, members: &[(&str, String)]) -> Value {
    let mut object = Map::new();
    object.insert("event".to_owned(), json!("progress"));
    object.insert("time".to_owned(), json!(seconds));
    for (name, value) in members {
        let value = value.parse::<u64>().map_or_else(|_| json!(value), |number| json!(number));
        object.insert((*name).to_owned(), value);
    }
    Value::Object(object)
}

/// The answer about one property.
pub fn verdict(finding: &Finding) -> Value {
    let mut object = json!({
        "event": "verdict",
        "property": finding.property,
        "verdict": finding.answer.word(),
        "message": finding.message,
        "time": seconds(finding.time),
    });
    if let Answer::Unknown(reason) = &finding.answer {
        object = with(object, "reason", Some(json!(reason)));
    }
    object = with(object, "place", place(&finding.place));
    object = with(object, "engine", finding.engine.as_ref().map(|engine| json!(engine)));
    object = with(object, "explanation", finding.explanation.as_ref().map(explanation));
    with(object, "proof", (!finding.proof.is_empty()).then(|| finding.proof.iter().map(proof_part).collect()))
}

/// The last line.
pub fn end(run: &Run) -> Value {
    json!({
        "event": "end",
        "verdict": run.verdict,
        "exit_code": run.exit_code,
        "time": seconds(run.time),
    })
}

/// All lines of a run that is over.
pub fn lines(run: &Run) -> Vec<String> {
    let properties: Vec<String> = run.findings.iter().map(|finding| finding.property.clone()).collect();
    let mut events = vec![start(run, &properties)];
    events.extend(run.problems.iter().map(|problem| remark("problem", problem)));
    for finding in &run.findings {
        events.extend(finding.assumptions.iter().map(|assumption| remark("assumption", assumption)));
        events.extend(finding.warnings.iter().map(|warning| remark("warning", warning)));
        events.push(verdict(finding));
    }
    events.push(end(run));
    events.iter().map(Value::to_string).collect()
}

fn explanation(explanation: &Explanation) -> Value {
    json!({
        "because": explanation.because,
        "inputs": explanation.inputs.iter().map(input).collect::<Vec<_>>(),
        "calls": explanation.calls.iter().map(call).collect::<Vec<_>>(),
        "steps": explanation.steps.iter().map(step).collect::<Vec<_>>(),
        "hidden_steps": explanation.hidden,
        "length": explanation.length,
    })
}

fn input(input: &Input) -> Value {
    let object = json!({ "what": input.what, "value": input.value, "matters": input.matters });
    with(object, "place", place(&input.place))
}

fn call(call: &Call) -> Value {
    with(json!({ "function": call.function }), "place", place(&call.place))
}

fn step(step: &TraceStep) -> Value {
    let mut object = json!({ "text": step.text, "depth": step.depth });
    if step.is_gap {
        object = with(object, "gap", Some(json!(true)));
    }
    if !step.values.is_empty() {
        let values: Vec<Value> =
            step.values.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
        object = with(object, "values", Some(json!(values)));
    }
    with(object, "place", place(&step.place))
}

fn proof_part(remark: &Remark) -> Value {
    with(json!({ "text": remark.text }), "place", place(&remark.place))
}

fn place(place: &Place) -> Option<Value> {
    if !place.is_known() {
        return None;
    }
    let object = json!({ "file": place.file, "line": place.line });
    let object = with(object, "column", place.column.map(|column| json!(column)));
    Some(with(object, "end_column", place.end_column.map(|column| json!(column))))
}

/// The object with one more member, if there is a value for it.
fn with(mut object: Value, name: &str, value: Option<Value>) -> Value {
    if let (Value::Object(members), Some(value)) = (&mut object, value) {
        members.insert(name.to_owned(), value);
    }
    object
}

fn seconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sarif::tests::example;
    use expect_test::expect;

    #[test]
    fn a_run_is_a_line_per_event() {
        let lines = lines(&example());
        for line in &lines {
            let value: Value = serde_json::from_str(line).unwrap();
            assert!(value.get("event").is_some() && !line.contains('\n'));
        }
        expect![[r#"
            {"arguments":["verify","src/my file.c"],"data_model":"LP64","event":"start","files":["src/my file.c"],"properties":["unreach-call","no-overflow","termination"],"version":"0.1.0"}
            {"event":"assumption","text":"`log` is unknown"}
            {"engine":"execution","event":"verdict","explanation":{"because":"the assertion `x < 10` fails because x is 12","calls":[{"function":"main"},{"function":"check","place":{"column":3,"end_column":7,"file":"src/my file.c","line":8}}],"hidden_steps":0,"inputs":[{"matters":true,"place":{"column":11,"end_column":15,"file":"src/my file.c","line":5},"value":"12","what":"__VERIFIER_nondet_int()"}],"length":20,"steps":[{"depth":0,"place":{"column":3,"end_column":7,"file":"src/my file.c","line":5},"text":"x = __VERIFIER_nondet_int();","values":[{"name":"","value":"12"}]},{"depth":0,"gap":true,"text":"… 3 more rounds of the same steps"}]},"message":"an assertion fails","place":{"column":3,"end_column":7,"file":"src/my file.c","line":9},"property":"unreach-call","time":0.012,"verdict":"FALSE"}
            {"event":"warning","text":"there is nothing to check"}
            {"event":"verdict","message":"no signed overflow","property":"no-overflow","time":0.0,"verdict":"TRUE"}
            {"event":"verdict","message":"","property":"termination","reason":"unsupported property","time":0.0,"verdict":"UNKNOWN"}
            {"event":"end","exit_code":10,"time":0.04,"verdict":"FALSE(unreach-call)"}"#]].assert_eq(&lines.join("\n"));
    }

    #[test]
    fn progress_has_numbers() {
        let line = progress(1.5, &[("engine", "predicate".to_owned()), ("refinements", "12".to_owned())]);
        assert_eq!(
            line.to_string(),
            r#"{"engine":"predicate","event":"progress","refinements":12,"time":1.5}"#
        );
    }
}
