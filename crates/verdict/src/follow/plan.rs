//! A witness in terms of the statements and calls of the source.

use crate::constraint::{Comparison, RESULT, comparisons, without_blanks};
use crate::places::{ForkKind, Kind, Location, Places};
use crate::witness::{Order, PointKind, Segment, Waypoint};
use summa_base::{FxHashMap, FxHashSet};
use summa_c::Span;

/// The meaning of a waypoint for the automata.
#[derive(Clone, Debug)]
pub(super) enum Point {
    /// The variable with this number gets this value.
    Probe(usize, bool),
    /// The results of these calls, stored by one statement. They determine the condition before the next
    /// statement.
    Stored {
        all: Vec<(usize, Comparison)>,
        before: Option<(usize, String)>,
    },
    /// The result of one of these calls.
    Result(Vec<usize>, Vec<Comparison>, String),
    Enter(usize),
    /// Where the error is.
    Target(Location),
}

/// A witness that was understood.
pub struct Plan {
    pub(super) order: Order,
    pub(super) steps: Vec<Step>,
    /// The questions that need a variable: their places and expressions. Those of one place stand in the
    /// order of their evaluation.
    pub probes: Vec<Probe>,
    numbers: FxHashMap<Probe, usize>,
    /// What each point says about single variables.
    pub(super) hints: Vec<Vec<Comparison>>,
    /// Is it the last one that is asked at its place?
    pub(super) is_last: Vec<bool>,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) follow: Point,
    pub(super) avoid: Vec<Point>,
    text: String,
}

/// A question to an execution, whose answer a variable holds.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Probe {
    pub at: At,
    pub asked: Asked,
}

/// When it is asked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum At {
    /// Before the statement with this number.
    Statement(usize),
    /// When the fork with this number has evaluated its condition.
    Fork(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Asked {
    /// Is the expression true?
    Expression(String),
    /// Is the condition true?
    Condition,
    /// Does a `switch` go by this value?
    Value(i128),
    /// Does it go by none of its cases?
    Default,
}

impl Plan {
    /// Finds the statements and calls of the witness. The error is the waypoint without a meaning here.
    pub fn new(places: &Places<'_>, segments: &[Segment], order: Order) -> Result<Self, String> {
        let mut plan = Self {
            order,
            steps: Vec::new(),
            probes: Vec::new(),
            numbers: FxHashMap::default(),
            hints: Vec::new(),
            is_last: Vec::new(),
        };
        for (number, segment) in segments.iter().enumerate() {
            let mut read = |point: &Waypoint| {
                let wrong = |why: String| format!("{}: {why}", describe(number, point));
                plan.point(places, point).map_err(wrong)
            };
            let avoid = segment.avoid.iter().map(&mut read).collect::<Result<Vec<_>, String>>()?;
            let follow = read(&segment.follow)?;
            plan.steps.push(Step { follow, avoid, text: describe(number, &segment.follow) });
        }
        let mut seen = FxHashSet::default();
        plan.is_last = plan.probes.iter().rev().map(|probe| seen.insert(probe.at.clone())).collect();
        plan.is_last.reverse();
        Ok(plan)
    }

    fn point(&mut self, places: &Places<'_>, waypoint: &Waypoint) -> Result<Point, String> {
        let location = &waypoint.location;
        let call = || {
            let call = places.call_from(location).ok_or("there is no call at this place")?;
            in_function(places, places.calls[call].span, location).map(|()| call)
        };
        match &waypoint.kind {
            PointKind::Assumption(text) => {
                let statement = places
                    .statement_from(location)
                    .ok_or("there is no statement that begins at this place")?;
                in_function(places, places.statements[statement].span, location)?;
                Ok(self.assumption(places, statement, text))
            }
            PointKind::After(text) => {
                let all = comparisons(text).ok_or("the assumption is not a comparison with constants")?;
                // A call may begin on a later line than its statement.
                let statement = places.statement_from(location);
                let in_statement = |at: &usize| Some(places.calls[*at].statement) == statement;
                let mut calls = places.calls_on(location.line).to_vec();
                calls.extend((0..places.calls.len()).filter(in_statement));
                match (stored_by(places, &calls, all), statement) {
                    (Some(all), _) => Ok(Point::Stored { all, before: None }),
                    // A value that is read there for the first time is already there before.
                    (None, Some(statement)) => Ok(self.assumption(places, statement, text)),
                    (None, None) => Err("no input is stored there, and there is no statement".to_owned()),
                }
            }
            PointKind::Return(text) => {
                let all = comparisons(text).filter(|all| all.iter().all(|one| one.place == RESULT));
                let all = all.ok_or("the constraint is not a comparison of \\result with constants")?;
                // Without a column it may be any call of the function on that line.
                let calls: Vec<usize> = match (location.column, &waypoint.callee) {
                    (None, Some(callee)) => {
                        let is_it =
                            |&&at: &&usize| places.text(places.calls[at].span).starts_with(callee.as_str());
                        places.calls_on(location.line).iter().filter(is_it).copied().collect()
                    }
                    _ => vec![call()?],
                };
                if calls.is_empty() {
                    return Err("there is no call at this place".to_owned());
                }
                Ok(Point::Result(calls, all, text.trim().trim_end_matches(';').to_owned()))
            }
            PointKind::Enter => Ok(Point::Enter(call()?)),
            PointKind::Branching(value) => self.branching(places, location, value.trim()),
            PointKind::Target => {
                let known = places.statement_from(location).map(|at| places.statements[at].span);
                if let Some(span) = known {
                    in_function(places, span, location)?;
                }
                Ok(Point::Target(location.clone()))
            }
        }
    }

    fn branching(&mut self, places: &Places<'_>, location: &Location, value: &str) -> Result<Point, String> {
        let fork = places.fork_from(location).ok_or("nothing branches at this place")?;
        in_function(places, places.forks[fork].at, location)?;
        let truth = match value {
            "true" => Some(true),
            "false" => Some(false),
            _ => None,
        };
        let asked = match (&places.forks[fork].kind, truth) {
            (ForkKind::WithoutMiddle, _) => return Err("`?:` without a middle is not supported".to_owned()),
            (ForkKind::Condition(_) | ForkKind::Always(_), Some(_)) => Asked::Condition,
            (ForkKind::Condition(_) | ForkKind::Always(_), None) => {
                return Err(format!("it goes `true` or `false`, not `{value}`"));
            }
            (ForkKind::Switch(..), _) if value == "default" => Asked::Default,
            (ForkKind::Switch(..), _) => match comparisons(&format!("{RESULT} == {value}")).as_deref() {
                Some([one]) if truth.is_none() => {
                    Asked::Value(one.integer().ok_or_else(|| format!("`{value}` is no integer constant"))?)
                }
                _ => return Err(format!("a `switch` goes by an integer or `default`, not `{value}`")),
            },
        };
        let probe = Probe { at: At::Fork(fork), asked };
        Ok(Point::Probe(self.probe(probe, Vec::new()), truth.unwrap_or(true)))
    }

    fn assumption(&mut self, places: &Places<'_>, statement: usize, value: &str) -> Point {
        let value = value.trim().trim_end_matches(';').to_owned();
        let all = comparisons(&value).unwrap_or_default();
        // Control may come to a label from elsewhere, but not to the statement behind it.
        let behind = places.behind_labels(statement);
        if let Some(all) = stored_before(places, statement, all.clone()) {
            return Point::Stored { all, before: Some((behind, value)) };
        }
        let probe = Probe { at: At::Statement(behind), asked: Asked::Expression(value) };
        Point::Probe(self.probe(probe, all), true)
    }

    fn probe(&mut self, probe: Probe, hints: Vec<Comparison>) -> usize {
        if let Some(&known) = self.numbers.get(&probe) {
            return known;
        }
        self.hints.push(hints);
        self.numbers.insert(probe.clone(), self.probes.len());
        self.probes.push(probe);
        self.probes.len() - 1
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The waypoint with this number, for people.
    pub fn describe(&self, number: usize) -> &str {
        self.steps.get(number).map_or("", |step| &step.text)
    }

    /// Is a position in the original text where the target is?
    pub fn is_target_at(&self, places: &Places<'_>, offset: u32) -> bool {
        match self.steps.last().map(|step| &step.follow) {
            Some(Point::Target(location)) => places.happens_at(offset, location),
            _ => false,
        }
    }
}

/// A location that names another function than its own is contradictory.
fn in_function(places: &Places<'_>, span: Span, location: &Location) -> Result<(), String> {
    let Some(named) = &location.function else { return Ok(()) };
    match places.statement_at(span.lo).map(|at| &places.statements[at].function) {
        Some(function) if function != named => {
            Err(format!("the place is in the function `{function}`, not in `{named}`"))
        }
        _ => Ok(()),
    }
}

fn describe(number: usize, waypoint: &Waypoint) -> String {
    let location = &waypoint.location;
    let column = location.column.map(|column| format!(":{column}")).unwrap_or_default();
    let what = match &waypoint.kind {
        PointKind::Assumption(text) | PointKind::After(text) => format!("assumption `{text}`"),
        PointKind::Branching(value) => format!("branching `{value}`"),
        PointKind::Enter => "function_enter".to_owned(),
        PointKind::Return(text) => format!("function_return `{text}`"),
        PointKind::Target => "target".to_owned(),
    };
    format!("waypoint {} ({what} at {}:{}{column})", number + 1, location.file, location.line)
}

/// The inputs that the statement before this one stores, if the comparisons are about them.
fn stored_before(
    places: &Places<'_>,
    statement: usize,
    all: Vec<Comparison>,
) -> Option<Vec<(usize, Comparison)>> {
    let before = places.statements.iter().position(|other| other.next == Some(statement))?;
    if places.statements[statement].kind == Kind::Label {
        return None;
    }
    let calls: Vec<usize> =
        (0..places.calls.len()).filter(|&at| places.calls[at].statement == before).collect();
    stored_by(places, &calls, all)
}

fn stored_by(places: &Places<'_>, calls: &[usize], all: Vec<Comparison>) -> Option<Vec<(usize, Comparison)>> {
    let find = |comparison: Comparison| {
        let is_it = |&&at: &&usize| {
            let stored = places.calls[at].assigned.map(|place| without_blanks(places.text(place)));
            stored.as_deref() == Some(comparison.place.as_str())
        };
        calls.iter().find(is_it).map(|&at| (at, comparison))
    };
    let found: Option<Vec<_>> = all.into_iter().map(find).collect();
    found.filter(|found| !found.is_empty())
}
