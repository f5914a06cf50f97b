//! What a witness says, in terms of the statements and calls of the source.

use crate::constraint::{Comparison, RESULT, comparisons, without_blanks};
use crate::places::{Branch, Kind, Location, Places};
use crate::witness::{PointKind, Segment, Waypoint};

/// What a waypoint means for the automata.
#[derive(Clone, Debug)]
pub(super) enum Point {
    /// The results of these calls, stored.
    Stored(Vec<(usize, Comparison)>),
    /// What one of these calls returns.
    Result(Vec<usize>, Vec<Comparison>),
    Enter(usize),
    Branch(Branch, bool),
    /// The variable with this number says whether it is passed.
    Probe(usize),
    /// The statement of the error; a location where there is none, as at the end of a function.
    Target(Result<usize, Location>),
}

/// A witness that was understood.
pub struct Plan {
    pub(super) steps: Vec<Step>,
    /// Assumptions that need a variable: their number, where, and the expression.
    pub probes: Vec<Probe>,
    /// What each of them says about single variables.
    pub(super) hints: Vec<Vec<Comparison>>,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub(super) follow: Point,
    pub(super) avoid: Vec<Point>,
    text: String,
}

/// An expression whose value is wanted before a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Probe {
    pub statement: usize,
    pub value: String,
}

impl Plan {
    /// Finds what the witness speaks of; the error is the waypoint that means nothing here.
    pub fn new(places: &Places<'_>, segments: &[Segment]) -> Result<Self, String> {
        let mut plan = Self { steps: Vec::new(), probes: Vec::new(), hints: Vec::new() };
        for (number, segment) in segments.iter().enumerate() {
            let text = describe(number, &segment.follow);
            let wrong = |why: String| format!("{text}: {why}");
            let avoid = segment.avoid.iter().map(|point| plan.point(places, point));
            let avoid = avoid.collect::<Result<Vec<_>, String>>().map_err(wrong)?;
            let follow = plan.point(places, &segment.follow).map_err(wrong)?;
            plan.steps.push(Step { follow, avoid, text });
        }
        Ok(plan)
    }

    fn point(&mut self, places: &Places<'_>, waypoint: &Waypoint) -> Result<Point, String> {
        let location = &waypoint.location;
        let call = || places.call_from(location).ok_or("there is no call at this place");
        match &waypoint.kind {
            PointKind::Assumption(text) => {
                let statement = places
                    .statement_from(location)
                    .ok_or("there is no statement that begins at this place")?;
                let stored = comparisons(text).and_then(|all| stored_before(places, statement, all));
                Ok(stored.map_or_else(|| self.probe(statement, text), Point::Stored))
            }
            PointKind::After(text) => {
                let all = comparisons(text).ok_or("the assumption is not a comparison with constants")?;
                // A call may begin on a later line than its statement.
                let statement = places.statement_from(location);
                let in_statement = |at: &usize| Some(places.calls[*at].statement) == statement;
                let mut calls = places.calls_on(location.line).to_vec();
                calls.extend((0..places.calls.len()).filter(in_statement));
                match (stored_by(places, &calls, all), statement) {
                    (Some(stored), _) => Ok(Point::Stored(stored)),
                    // What is read there for the first time holds already before.
                    (None, Some(statement)) => Ok(self.probe(statement, text)),
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
                Ok(Point::Result(calls, all))
            }
            PointKind::Enter => Ok(Point::Enter(call()?)),
            PointKind::Branching(value) => {
                let branch = places.branch_from(location).ok_or("nothing branches at this place")?;
                match value.as_str() {
                    "true" => Ok(Point::Branch(branch, true)),
                    "false" => Ok(Point::Branch(branch, false)),
                    _ => Err("the case of a switch is not supported".to_owned()),
                }
            }
            PointKind::Target => {
                let call = || places.call_from(location).map(|call| places.calls[call].statement);
                let statement = places.statement_from(location).or_else(call);
                // Without a column it may be any statement of the line.
                let statement = statement.filter(|_| location.column.is_some());
                Ok(Point::Target(statement.ok_or_else(|| location.clone())))
            }
        }
    }

    fn probe(&mut self, statement: usize, value: &str) -> Point {
        let probe = Probe { statement, value: value.trim().trim_end_matches(';').to_owned() };
        let known = self.probes.iter().position(|other| *other == probe);
        Point::Probe(known.unwrap_or_else(|| {
            self.hints.push(comparisons(value).unwrap_or_default());
            self.probes.push(probe);
            self.probes.len() - 1
        }))
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
