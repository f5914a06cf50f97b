//! A finding as plain data: the question, the answer, the place, and the explanation. Writers of formats need
//! nothing else.

use std::time::Duration;

/// A place in the user's source. Lines and columns are counted from 1; columns count characters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// The file, as the user named it; empty if the source has no such place.
    pub file: String,
    pub line: u32,
    pub column: Option<u32>,
    /// The column after the last character, in the same line.
    pub end_column: Option<u32>,
}

impl Place {
    pub fn is_known(&self) -> bool {
        !self.file.is_empty() && self.line > 0
    }

    /// `line 9` in the same file, else `file:9`.
    pub fn seen_from(&self, other: &Self) -> String {
        if self.is_known() && self.file == other.file {
            format!("line {}", self.line)
        } else {
            self.to_string()
        }
    }

    /// The name of the file without its folder.
    pub fn base_name(&self) -> &str {
        self.file.rsplit('/').next().unwrap_or(&self.file)
    }
}

impl std::fmt::Display for Place {
    /// `file:line`, as in lists of places.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_known() { write!(f, "{}:{}", self.file, self.line) } else { f.write_str("(no source)") }
    }
}

/// The answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    True,
    False,
    /// With the reason.
    Unknown(String),
}

impl Answer {
    pub fn word(&self) -> &'static str {
        match self {
            Self::True => "TRUE",
            Self::False => "FALSE",
            Self::Unknown(_) => "UNKNOWN",
        }
    }
}

/// One step of an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceStep {
    pub place: Place,
    /// The operation in C-like text.
    pub text: String,
    /// Names and values that explain the step: what it wrote, or what its condition read.
    pub values: Vec<(String, String)>,
    /// How many callers wait below the first step that is shown.
    pub depth: u32,
    /// Not a step, but a gap: steps that were left out, as described in `text`.
    pub is_gap: bool,
}

/// A call that had not returned when the error was reached.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Call {
    pub function: String,
    /// Where it was called; unknown for the entry function.
    pub place: Place,
}

/// A value that the program took from outside.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Input {
    pub place: Place,
    /// The source of the input, e.g. `__VERIFIER_nondet_int()`.
    pub what: String,
    pub value: String,
    /// Does the error depend on it?
    pub matters: bool,
}

/// A sentence with the place that it is about: assumptions, invariants, warnings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remark {
    pub place: Place,
    pub text: String,
}

/// Why an error is reached: made from an execution, shown with FALSE.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explanation {
    /// One sentence: which condition held, with which values. Empty if nothing can be said.
    pub because: String,
    pub inputs: Vec<Input>,
    /// From the entry function to the one with the error.
    pub calls: Vec<Call>,
    /// The steps that matter, in the order of the execution.
    pub steps: Vec<TraceStep>,
    /// How many more steps have a part in the error, of how many steps at all.
    pub hidden: u64,
    pub length: u64,
}

/// The result for one property of one program.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// By its competition name, e.g. `unreach-call`; for FALSE the part that is violated.
    pub property: String,
    pub answer: Answer,
    /// In words, without the place.
    pub message: String,
    /// Where the error is, or the entry function of a program without one.
    pub place: Place,
    pub explanation: Option<Explanation>,
    /// The assumptions of the answer.
    pub assumptions: Vec<Remark>,
    /// Warnings about the answer: vacuous success and the like.
    pub warnings: Vec<Remark>,
    /// Loop invariants and contracts that prove TRUE, as C text.
    pub proof: Vec<Remark>,
    /// The engine that found the answer.
    pub engine: Option<String>,
    pub time: Duration,
}

impl Finding {
    /// With nothing but an answer.
    pub fn new(property: impl Into<String>, answer: Answer, message: impl Into<String>) -> Self {
        Self {
            property: property.into(),
            answer,
            message: message.into(),
            place: Place::default(),
            explanation: None,
            assumptions: Vec::new(),
            warnings: Vec::new(),
            proof: Vec::new(),
            engine: None,
            time: Duration::ZERO,
        }
    }
}

/// The result of a run of Summa.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// The version of Summa and the arguments it was given.
    pub version: String,
    pub arguments: Vec<String>,
    pub files: Vec<String>,
    pub data_model: String,
    pub findings: Vec<Finding>,
    /// The verdict of all findings together, as the last line says it.
    pub verdict: String,
    pub exit_code: u8,
    /// Problems that kept the program from being read.
    pub problems: Vec<Remark>,
    pub time: Duration,
}
