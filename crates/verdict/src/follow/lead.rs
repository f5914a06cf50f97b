//! A program that follows a witness or ends, for searches that know nothing about witnesses.
//!
//! A variable counts the points that were passed. At every place where a question of the witness is answered
//! ([`crate::instrument`]), and around the calls that it names, either the count goes on or the program ends,
//! by the rules of [`super`]. Calls of error functions count only at the target, after all other points. So
//! an error of this program, apart from the limits below, is one at the end of the witness's path. That is
//! not trusted: its inputs are replayed and watched.
//!
//! Limits: a call is entered before its arguments are evaluated. Errors other than calls are not bound to the
//! target. Results are needed as numbers. Points of GraphML that hold after something, and long witnesses,
//! are left to executions.

use super::plan::{Plan, Point, Probe};
use super::{Asked, At};
use crate::instrument::{Instrumented, Lead, PROBE, with_lead};
use crate::places::Places;
use crate::witness::Order;
use std::collections::BTreeMap;
use summa_base::FxHashMap;
use summa_c::SourceMap;

/// The number of points that were passed. Below are the functions that end the program, or check that it is
/// at the end of the witness's path.
const PASSED: &str = "__summa_passed";
const STOP: &str = "__summa_stop";
const AT_END: &str = "__summa_at_end";
const STEP: &str = "__summa_step_";
/// Variables that say whether the result of a call fits a point.
const GAVE: &str = "__summa_gave_";
const GIVEN: &str = "__summa_result";

/// Witnesses with more points are not made programs.
const MAX_POINTS: usize = 500;

/// Functions that end a program because an assertion failed.
const ASSERTIONS: [&str; 5] =
    ["__assert_fail", "__assert_perror_fail", "__assert", "__assert_rtn", "__assert_func"];

/// The program led along a witness; None if that is not possible. `errors` are the functions whose call is
/// the error.
pub fn led(sources: &SourceMap, places: &Places<'_>, plan: &Plan, errors: &[String]) -> Option<Instrumented> {
    if plan.len() > MAX_POINTS {
        return None;
    }
    let mut leader = Leader::new(places, plan);
    leader.points()?;
    leader.errors(errors);
    let (probes, lead) = leader.finish();
    with_lead(sources, places, &probes, &lead).ok()
}

/// Where something is learnt: a place of questions, the entry of a call or its return.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Moment {
    Asked(At),
    Entered(usize),
    Returned(usize),
}

/// The condition that ends the program, and the one that continues it.
#[derive(Default)]
struct Step {
    avoid: Vec<String>,
    follow: Option<String>,
}

struct Leader<'l, 's> {
    places: &'l Places<'s>,
    plan: &'l Plan,
    probes: Vec<Probe>,
    numbers: FxHashMap<Probe, usize>,
    /// The questions about each call, as expressions over its result.
    results: BTreeMap<usize, Vec<String>>,
    lead: Lead,
    /// For each moment, by the number of passed points.
    steps: BTreeMap<Moment, BTreeMap<usize, Step>>,
}

impl<'l, 's> Leader<'l, 's> {
    fn new(places: &'l Places<'s>, plan: &'l Plan) -> Self {
        let numbers = plan.probes.iter().cloned().enumerate().map(|(number, probe)| (probe, number));
        Self {
            places,
            plan,
            probes: plan.probes.clone(),
            numbers: numbers.collect(),
            results: BTreeMap::new(),
            lead: Lead::default(),
            steps: BTreeMap::new(),
        }
    }

    fn points(&mut self) -> Option<()> {
        for (number, step) in self.plan.steps.iter().enumerate() {
            for point in &step.avoid {
                let (moment, condition) = self.point(point)?;
                self.steps.entry(moment).or_default().entry(number).or_default().avoid.push(condition);
            }
            if !matches!(step.follow, Point::Target(_)) {
                let (moment, condition) = self.point(&step.follow)?;
                self.steps.entry(moment).or_default().entry(number).or_default().follow = Some(condition);
            }
        }
        Some(())
    }

    /// When it is decided whether a point is passed, and the condition for it.
    fn point(&mut self, point: &Point) -> Option<(Moment, String)> {
        Some(match point {
            Point::Probe(number, wanted) => {
                let at = self.probes[*number].at.clone();
                (Moment::Asked(at), format!("{PROBE}{number} == {}", u8::from(*wanted)))
            }
            Point::Stored { before: Some((statement, value)), .. } => {
                let at = At::Statement(*statement);
                let probe = Probe { at: at.clone(), asked: Asked::Expression(value.clone()) };
                let next = self.probes.len();
                let number = *self.numbers.entry(probe.clone()).or_insert(next);
                if number == next {
                    self.probes.push(probe);
                }
                (Moment::Asked(at), format!("{PROBE}{number}"))
            }
            Point::Result(calls, all, text) => match calls[..] {
                [call] if !all.is_empty() => {
                    let asked = self.results.entry(call).or_default();
                    let known = asked.iter().position(|other| other == text);
                    let number = known.unwrap_or_else(|| {
                        asked.push(text.clone());
                        asked.len() - 1
                    });
                    (Moment::Returned(call), format!("{GAVE}{call}_{number}"))
                }
                _ => return None,
            },
            Point::Enter(call) => (Moment::Entered(*call), "1".to_owned()),
            Point::Stored { before: None, .. } | Point::Target(_) => return None,
        })
    }

    /// Calls of error functions at the target count at the end, those elsewhere never.
    fn errors(&mut self, errors: &[String]) {
        for (at, call) in self.places.calls.iter().enumerate() {
            let text = self.places.text(call.span);
            let name = text.split('(').next().unwrap_or("").trim();
            if !errors.iter().any(|error| error == name) && !ASSERTIONS.contains(&name) {
                continue;
            }
            let is_target = self.plan.is_target_at(self.places, call.span.lo);
            let check = if is_target { AT_END } else { STOP };
            self.lead.calls.push((at, format!("({check}(), "), ")".to_owned()));
        }
    }

    fn finish(mut self) -> (Vec<Probe>, Lead) {
        let end = self.plan.len().saturating_sub(1);
        self.lead.definitions = format!("int {PASSED};\n");
        self.lead.declarations = format!(
            "extern int {PASSED};\nstatic void {STOP}(void) {{ __builtin_abort(); }}\n\
             static void {AT_END}(void) {{ if ({PASSED} != {end}) {STOP}(); }}\n"
        );
        for (&call, asked) in &self.results {
            for number in 0..asked.len() {
                self.lead.declarations.push_str(&format!("static int {GAVE}{call}_{number};\n"));
            }
        }
        let mut names: BTreeMap<Moment, String> = BTreeMap::new();
        for (number, (moment, steps)) in self.steps.iter().enumerate() {
            let name = format!("{STEP}{number}");
            let mut text = format!("static void {name}(void) {{\n  switch ({PASSED}) {{\n");
            for (passed, Step { avoid, follow }) in steps {
                text.push_str(&format!("  case {passed}:\n"));
                for condition in avoid {
                    text.push_str(&format!("    if ({condition}) {STOP}();\n"));
                }
                if let Some(condition) = follow {
                    let next = passed + 1;
                    text.push_str(&format!("    if ({condition}) {PASSED} = {next};\n"));
                    if self.plan.order == Order::FirstDecides {
                        text.push_str(&format!("    else {STOP}();\n"));
                    }
                }
                text.push_str("    break;\n");
            }
            text.push_str("  }\n}\n");
            self.lead.declarations.push_str(&text);
            names.insert(moment.clone(), name);
        }
        let mut last: BTreeMap<&At, usize> = BTreeMap::new();
        for (number, probe) in self.probes.iter().enumerate() {
            last.insert(&probe.at, number);
        }
        for (at, number) in last {
            if let Some(name) = names.get(&Moment::Asked(at.clone())) {
                self.lead.behind.insert(number, format!("{name}();"));
            }
        }
        for call in 0..self.places.calls.len() {
            if let Some(name) = names.get(&Moment::Entered(call)) {
                self.lead.calls.push((call, format!("({name}(), "), ")".to_owned()));
            }
            if let Some(name) = names.get(&Moment::Returned(call)) {
                let mut tail = String::from(";");
                for (number, text) in self.results.get(&call).into_iter().flatten().enumerate() {
                    let text = text.replace("\\result", GIVEN);
                    tail.push_str(&format!(" {GAVE}{call}_{number} = ({text}) != 0;"));
                }
                tail.push_str(&format!(" {name}(); {GIVEN}; }})"));
                self.lead.calls.push((call, format!("({{ __auto_type {GIVEN} = "), tail));
            }
        }
        (self.probes, self.lead)
    }
}
