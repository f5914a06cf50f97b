//! Witnesses of executions: written, read again, followed. And those that must not be accepted.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands, and says what it skips")]

use summa_base::Budget;
use summa_c::SourceMap;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, EdgeId};
use summa_interp::{End, InputRequest, InputSource, InputValue, List, Policy, Program};
use summa_verdict::follow::{Guide, Plan};
use summa_verdict::instrument::{Instrumented, with_invariants, with_probes};
use summa_verdict::metadata::Metadata;
use summa_verdict::places::{Location, Places};
use summa_verdict::record::{Style, record};
use summa_verdict::witness::{Content, Invariant, Order, PointKind, Segment, Waypoint};
use summa_verdict::{graphml, yaml};

const PROGRAM: &str = "\
extern int __VERIFIER_nondet_int(void);
extern float __VERIFIER_nondet_float(void);
extern void abort(void);
void reach_error(void) { abort(); }
int limit;
int twice(int a) { return a + __VERIFIER_nondet_int(); }
int main(void) {
  int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
  int array[3];
  float f = __VERIFIER_nondet_float();
  array[1] = __VERIFIER_nondet_int();
  char c = (char)__VERIFIER_nondet_int();
  limit = __VERIFIER_nondet_int();
  while (__VERIFIER_nondet_int() > 0 && x < limit) x++;
  if (x == 7 && y == -3 && f == 0.1f) {
    if (array[1] == twice(4) && c == 44)
      reach_error();
  }
  return 0;
}
";

const INPUTS: &str = "5,-3,0.1,9,300,7,1,1,1,5";

fn load(text: &str) -> (Cfa, SourceMap) {
    let loaded = summa_c::load_text("test.c", text, DataModel::Lp64).unwrap();
    (summa_transform::build(loaded.program, &BuildOptions::default()).unwrap(), loaded.sources)
}

fn metadata() -> Metadata {
    let specification = "CHECK( init(main()), LTL(G ! call(reach_error())) )".to_owned();
    let mut metadata = Metadata::now(&["test.c".into()], specification, DataModel::Lp64);
    metadata.creation_time = "2026-11-15T07:30:45Z".to_owned();
    metadata
}

/// The points of the execution with these inputs.
fn points(cfa: &Cfa, sources: &SourceMap, inputs: &str, style: Style) -> Vec<Segment> {
    let program = Program::new(cfa);
    // `0.1` is a double; the request makes it a float, as the comparison in the program does.
    let outcome = summa_interp::run(&program, &mut List::parse(inputs).unwrap(), &Policy::reachability());
    let End::Error { edge, .. } = outcome.end else { panic!("{:?}", outcome.end) };
    record(&program, &Places::new(sources), &Policy::reachability(), &outcome.inputs, edge, style)
}

/// Does an execution pass all points and end at the target? Else how many it passed.
fn follow(text: &str, segments: &[Segment], attempts: u64) -> Result<(), String> {
    let (cfa, sources) = load(text);
    let places = Places::new(&sources);
    let plan = Plan::new(&places, segments, Order::FirstDecides)?;
    let policy = Policy { budget: Budget::unlimited(), max_steps: 100_000, ..Policy::reachability() };
    let (changed, instrumented);
    let cfa = if plan.probes.is_empty() {
        instrumented = Instrumented::default();
        &cfa
    } else {
        instrumented = with_probes(&sources, &places, &plan.probes)?;
        let loaded = summa_c::load_texts(&instrumented.texts, DataModel::Lp64).unwrap();
        changed = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        &changed
    };
    let guide = Guide::new(&plan, &places, cfa, &instrumented);
    let mut best = 0;
    for number in 0..attempts {
        let attempt = guide.attempt(&policy, number);
        best = best.max(attempt.passed);
        let end: Option<EdgeId> = match attempt.outcome.end {
            End::Error { edge, .. } => Some(edge),
            _ => None,
        };
        let is_there = end.is_some_and(|edge| guide.is_target(edge));
        if is_there && attempt.passed + 1 == plan.len() && !attempt.is_discarded {
            return Ok(());
        }
    }
    Err(plan.describe(best).to_owned())
}

#[test]
fn a_written_witness_is_read_and_followed() {
    let (cfa, sources) = load(PROGRAM);
    let content = Content::Violation(points(&cfa, &sources, INPUTS, Style::Before));
    let text = yaml::write(&metadata(), &content);
    let read = yaml::read(&text).unwrap();
    assert_eq!(read.content, without_callees(&content));
    assert_eq!(read.metadata.unwrap(), metadata());
    let Content::Violation(segments) = read.content else { panic!() };
    follow(PROGRAM, &segments, 1).unwrap();

    let content = Content::Violation(points(&cfa, &sources, INPUTS, Style::After));
    let text = graphml::write(&metadata(), &content);
    let Content::Violation(segments) = graphml::read(&text).unwrap().content else { panic!() };
    follow(PROGRAM, &segments, 1).unwrap();
}

#[test]
fn long_witnesses_are_read() {
    let (cfa, sources) = load(PROGRAM);
    let mut segments = points(&cfa, &sources, INPUTS, Style::Before);
    let first = segments[0].clone();
    segments.splice(0..0, std::iter::repeat_n(first, 30_000));
    let content = Content::Violation(segments);
    let read = yaml::read(&yaml::write(&metadata(), &content)).unwrap();
    assert_eq!(read.content, without_callees(&content));
}

/// YAML does not say who is called.
fn without_callees(content: &Content) -> Content {
    let Content::Violation(segments) = content else { panic!() };
    let mut segments = segments.clone();
    for segment in &mut segments {
        segment.follow.callee = None;
    }
    Content::Violation(segments)
}

#[test]
fn inputs_are_where_others_look_for_them() {
    let (cfa, sources) = load(PROGRAM);
    let segments = points(&cfa, &sources, INPUTS, Style::Before);
    let lines: Vec<String> = segments
        .iter()
        .map(|segment| {
            let Waypoint { kind, location, .. } = &segment.follow;
            format!("{}:{} {kind:?}", location.line, location.column.unwrap_or(0))
        })
        .collect();
    expect_test::expect![[r#"
        9:3 Assumption("x == 5 && y == -3")
        11:3 Assumption("f == 0xcccccdp-27f")
        12:3 Assumption("array[1] == 9")
        13:3 Assumption("c == 44")
        14:3 Assumption("limit == 7")
        14:32 Return("\\result == 1")
        14:32 Return("\\result == 1")
        14:32 Return("\\result == 1")
        6:53 Return("\\result == 5")
        17:7 Target"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn a_wrong_witness_is_not_followed() {
    let (cfa, sources) = load(PROGRAM);
    let good = points(&cfa, &sources, INPUTS, Style::Before);
    // Another value, another order, another target.
    let mut value = good.clone();
    value[0].follow.kind = PointKind::Assumption("x == 8 && y == -3".to_owned());
    assert!(follow(PROGRAM, &value, 20).is_err());
    let mut order = good.clone();
    order.swap(2, 3);
    assert!(follow(PROGRAM, &order, 1).unwrap_err().starts_with("waypoint"));
    let mut target = good.clone();
    target.last_mut().unwrap().follow.location.line = 18;
    target.last_mut().unwrap().follow.location.column = None;
    assert!(follow(PROGRAM, &target, 1).is_err());
    let mut nowhere = good;
    nowhere[0].follow.location.line = 99;
    assert!(follow(PROGRAM, &nowhere, 1).unwrap_err().contains("no statement"));
}

#[test]
fn what_was_never_written_is_said() {
    let text = "\
extern void reach_error(void);
int main(void) {
  int x, y;
  double d;
  if (x == 6 && y == x + 3)
    if (d == 0.5)
      reach_error();
  return 0;
}
";
    let (cfa, sources) = load(text);
    let program = Program::new(&cfa);
    let policy = Policy::reachability();
    let values = [InputValue::Int(6), InputValue::Int(9), InputValue::Float(0.5)];
    let outcome = summa_interp::run(&program, &mut Given(values.into_iter().collect()), &policy);
    let End::Error { edge, .. } = outcome.end else { panic!("{:?}", outcome.end) };
    let segments = record(&program, &Places::new(&sources), &policy, &outcome.inputs, edge, Style::Before);
    assert_eq!(segments.len(), 3, "{segments:?}");
    assert_eq!(follow(text, &segments, 1), Ok(()));
}

/// Values for whatever is asked.
struct Given(std::collections::VecDeque<InputValue>);

impl InputSource for Given {
    fn next(&mut self, _: &InputRequest) -> Option<InputValue> {
        self.0.pop_front()
    }
}

const SMALL: &str = "\
extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int g(int a) { return a; }
int main(void) {
  int x = __VERIFIER_nondet_int();
  int y = g(x) * 2;
  if (y > 4)
    y = y + 1;
  else
    y = 0;
  while (x < 3) x++;
  if (y == 7) reach_error();
  return 0;
}
";

fn at(line: u32, column: u32, kind: PointKind) -> Segment {
    let location = Location { file: "other/test.c".to_owned(), line, column: Some(column), function: None };
    Waypoint { kind, location, callee: None }.into()
}

#[test]
fn other_kinds_of_points_are_followed() {
    let target = || at(12, 15, PointKind::Target);
    let assume = |text: &str| at(6, 3, PointKind::Assumption(text.to_owned()));
    let later = |line, text: &str| at(line, 3, PointKind::Assumption(text.to_owned()));
    let branch = |value: &str| at(7, 3, PointKind::Branching(value.to_owned()));
    let good = [
        vec![assume("x == 3"), target()],
        vec![assume("3 == x"), branch("true"), target()],
        vec![at(6, 14, PointKind::Enter), branch("true"), target()],
        vec![at(6, 14, PointKind::Return("\\result > 2".to_owned())), target()],
        vec![later(7, "y == x + 3"), later(12, "y - 1 == 2 * x && x >= 3"), target()],
        vec![at(11, 3, PointKind::Branching("false".to_owned())), target()],
    ];
    for (number, witness) in good.iter().enumerate() {
        assert_eq!(follow(SMALL, witness, 300), Ok(()), "witness {number}");
    }
    let bad = [
        vec![assume("x == 4"), target()],
        vec![branch("false"), target()],
        vec![at(11, 3, PointKind::Branching("true".to_owned())), target()],
        vec![later(7, "y == 7"), target()],
        vec![later(12, "y == 8"), target()],
    ];
    for (number, witness) in bad.iter().enumerate() {
        assert!(follow(SMALL, witness, 50).is_err(), "witness {number}");
    }
}

#[test]
fn points_to_avoid_are_avoided() {
    let mut target = at(12, 15, PointKind::Target);
    target.avoid.push(at(7, 3, PointKind::Branching("true".to_owned())).follow);
    assert!(follow(SMALL, &[target.clone()], 50).is_err());
    target.avoid[0].kind = PointKind::Branching("false".to_owned());
    assert_eq!(follow(SMALL, &[target], 300), Ok(()));
}

#[test]
fn expressions_do_nothing_but_evaluate() {
    let (_, sources) = load(SMALL);
    let places = Places::new(&sources);
    let invariant = |is_loop, line, value: &str| Invariant {
        is_loop,
        location: Location { file: "test.c".to_owned(), line, column: Some(3), function: None },
        value: value.to_owned(),
    };
    let changed = with_invariants(
        &sources,
        &places,
        &[invariant(true, 11, "x <= 3 || y >= 0"), invariant(false, 8, "1")],
        &[],
    );
    assert!(changed.is_err(), "no statement begins there");
    let good = [
        invariant(true, 11, "x <= 3 || y >= 0"),
        invariant(false, 7, "y % 2 == 0"),
        invariant(false, 12, "(x) > 2"),
    ];
    let changed = with_invariants(&sources, &places, &good, &[]).unwrap();
    assert_eq!(changed.must_be_defined.len(), 3);
    let lines: Vec<&str> = changed.texts[0].1.lines().skip(6).take(7).map(str::trim).collect();
    expect_test::expect![[r#"
        int y = g(x) * 2;
        (void)((y % 2 == 0) || (__summa_invariant_is_broken(), 0)); if (y > 4)
        y = y + 1;
        else
        y = 0;
        while (((void)((x <= 3 || y >= 0) || (__summa_invariant_is_broken(), 0)), x < 3)) x++;
        (void)(((x) > 2) || (__summa_invariant_is_broken(), 0)); if (y == 7) reach_error();"#]]
    .assert_eq(&lines.join("\n"));
    assert!(summa_c::load_texts(&changed.texts, DataModel::Lp64).is_ok());
    for bad in [
        "x = 1",
        "x++ > 0",
        "g(1) == 1",
        "1); reach_error(); (1",
        "1 } int h(void) { return (1",
        "x, y",
        "(({ x; }))",
        "1 //",
        "",
    ] {
        assert!(with_invariants(&sources, &places, &[invariant(false, 7, bad)], &[]).is_err(), "{bad}");
    }
}

#[test]
fn places_are_those_of_the_source() {
    let (_, sources) = load(SMALL);
    let places = Places::new(&sources);
    let lines: Vec<String> = places
        .statements
        .iter()
        .map(|statement| {
            let Location { line, column, .. } = places.locate(statement.span);
            let next = statement.next.map(|next| places.locate(places.statements[next].span).line);
            format!("{line}:{} {} next {next:?}", column.unwrap(), statement.function)
        })
        .collect();
    expect_test::expect![[r#"
        3:16 g next None
        5:3 main next Some(6)
        6:3 main next Some(7)
        7:3 main next Some(11)
        8:5 main next None
        10:5 main next None
        11:3 main next Some(12)
        11:17 main next None
        12:3 main next Some(13)
        12:15 main next None
        13:3 main next None"#]]
    .assert_eq(&lines.join("\n"));
}

#[test]
fn broken_files_are_refused() {
    for text in [
        "",
        "[]",
        "- entry_type: violation_sequence",
        "- entry_type: violation_sequence\n  content: []\n",
        "{",
        "- entry_type: x\n  content: []\n",
        "- entry_type: violation_sequence\n  content:\n  - segment:\n    - waypoint: {type: jump, action: \
         follow, location: {file_name: a, line: 1}}\n",
        "- entry_type: violation_sequence\n  content:\n  - segment:\n    - waypoint: {type: target, action: \
         cycle, location: {file_name: a, line: 1}}\n",
        "- entry_type: invariant_set\n  content:\n  - invariant: {type: loop_transition_invariant, location: \
         {file_name: a, line: 1}, value: x}\n",
    ] {
        assert!(yaml::read(text).is_err(), "{text}");
    }
    for text in [
        "",
        "<graphml/>",
        "<graphml><graph/></graphml>",
        "<a",
        "<graphml><graph><data key='architecture'>32bit</data><data \
         key='witness-type'>violation_witness</data></graph></graphml>",
    ] {
        assert!(graphml::read(text).is_err(), "{text}");
    }
    // What others write: other orders, numbers and truth values that are no strings, no columns.
    let foreign = "\
- content:
  - segment:
    - waypoint: {action: follow, type: branching, constraint: {value: true}, location: {line: 3, file_name: \
    a.c}}
  - segment:
    - waypoint: {action: avoid, type: branching, constraint: {value: 7}, location: {line: 4, file_name: a.c}}
    - waypoint: {action: follow, type: target, location: {line: 5, file_name: a.c, function: main}}
  entry_type: violation_sequence
  metadata: {format_version: 2.0, uuid: x, producer: {name: other}}
";
    let Content::Violation(segments) = yaml::read(foreign).unwrap().content else { panic!() };
    assert_eq!(segments.len(), 2);
    assert_eq!(segments[0].follow.kind, PointKind::Branching("true".to_owned()));
    assert_eq!(segments[1].avoid[0].kind, PointKind::Branching("7".to_owned()));
}
