//! Witnesses, independent of their file format: points that a violating execution passes in this order, or
//! invariants that hold at loops and statements.
//!
//! After "Software Verification Witnesses 2.0" (SPIN 2024). A violation witness is a list of segments. Each
//! segment ends with the point that must be passed before the next one begins, and may name points that must
//! not be passed until then.

use crate::metadata::Metadata;
use crate::places::Location;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    /// None where a file left some of it out.
    pub metadata: Option<Metadata>,
    pub content: Content,
    pub order: Order,
}

/// When the point to follow is reached and not passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// If a point is reached and not passed, the witness does not mean this execution: the YAML formats.
    FirstDecides,
    /// A point that is reached and not passed may be passed later: GraphML, whose automata wait.
    AnyTime,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    Violation(Vec<Segment>),
    Correctness(Vec<Invariant>, Vec<Contract>),
}

/// Points to avoid, then one to pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    pub avoid: Vec<Waypoint>,
    pub follow: Waypoint,
}

impl From<Waypoint> for Segment {
    fn from(follow: Waypoint) -> Self {
        Self { avoid: Vec::new(), follow }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waypoint {
    pub kind: PointKind,
    pub location: Location,
    /// The function that is called there, where a format asks for it.
    pub callee: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// The expression is true just before the statement at the location.
    Assumption(String),
    /// The expression is true right after the event on the line of the location, as in the older format.
    After(String),
    /// The branch at the location goes this way: `true`, `false`, or a case of a `switch`.
    Branching(String),
    /// The call whose closing parenthesis is at the location begins.
    Enter,
    /// The same call returns, and the expression over `\result` is true.
    Return(String),
    /// The statement at the location violates the property.
    Target,
}

/// An expression of C that is true whenever the location is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invariant {
    /// At every evaluation of a loop's condition, else before a statement.
    pub is_loop: bool,
    pub location: Location,
    pub value: String,
}

/// The contract of a function, over its parameters, globals, `\old` and `\result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    pub function: String,
    pub location: Location,
    pub requires: String,
    pub ensures: String,
}
