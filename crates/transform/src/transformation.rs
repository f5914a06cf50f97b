//! Transformations as data: enough to carry one out again, and to say in a file which one it was.
//!
//! A transformation is deterministic. So a proof about the new program needs no copy of it: the given program
//! and the description are enough to make it again.

use crate::cells::abstract_arrays;
use crate::origin::Origin;
use serde_json::{Value as Json, json};
use summa_cfa::{Cfa, ErrorKind, Op};
use summa_facts::Analyses;

const CELLS: &str = "cells";
const NAME: &str = "name";
const ERRORS: &str = "errors";

/// What was done to a program, and for which errors: if it can reach one of them, then so can the program
/// that is made. A new one comes with that theorem, in the header of its module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transformation {
    /// A few elements instead of arrays: [`crate::cells`].
    Cells { errors: Vec<ErrorKind> },
}

/// A program that was made from another one.
#[derive(Debug)]
pub struct Transformed {
    pub cfa: Cfa,
    pub transformation: Transformation,
    pub origin: Origin,
    /// True if, provided that no error is reached, each execution of the old program corresponds to one of
    /// this program that visits the counterparts of its locations with the same values of its variables. Then
    /// what holds here of these variables also holds there.
    pub follows_all: bool,
}

impl Transformation {
    /// Cells, for errors that count.
    pub fn cells(cfa: &Cfa, counts: &dyn Fn(ErrorKind) -> bool) -> Self {
        let mut errors = Vec::new();
        for edge in cfa.edges.values() {
            if let Op::Error { kind } = edge.op
                && counts(kind)
                && !errors.contains(&kind)
            {
                errors.push(kind);
            }
        }
        Self::Cells { errors }
    }

    /// Makes the program.
    ///
    /// # Errors
    /// Why there is none.
    pub fn apply(&self, cfa: &Cfa, facts: &Analyses) -> Result<Transformed, String> {
        match self {
            Self::Cells { errors } => abstract_arrays(cfa, facts, errors)
                .map_err(|error| error.to_string())?
                .ok_or_else(|| "no array of the program can be replaced by cells".to_owned()),
        }
    }

    /// The description in the names of the given program.
    pub fn to_json(&self, cfa: &Cfa) -> Json {
        match self {
            Self::Cells { errors } => {
                let errors: Vec<String> = errors.iter().map(|&kind| error_name(cfa, kind)).collect();
                json!({ NAME: CELLS, ERRORS: errors })
            }
        }
    }

    /// Reads a description that may come from anywhere. Which errors count is for the reader to say, not for
    /// the file: it must be about the same ones.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn from_json(cfa: &Cfa, json: &Json, counts: &dyn Fn(ErrorKind) -> bool) -> Result<Self, String> {
        let meant = match json[NAME].as_str() {
            Some(CELLS) => Self::cells(cfa, counts),
            _ => {
                let name: String = json[NAME].to_string().chars().take(60).collect();
                return Err(format!("the transformation {name} is not known"));
            }
        };
        if meant.to_json(cfa) != *json {
            return Err("its transformation is for other errors than those of the property".to_owned());
        }
        Ok(meant)
    }
}

/// Unlike kinds have unlike names.
fn error_name(cfa: &Cfa, kind: ErrorKind) -> String {
    match kind {
        ErrorKind::Call(function) => format!("call of {}", cfa.names().function(function)),
        ErrorKind::Assertion => "assertion".to_owned(),
        ErrorKind::Overflow => "overflow".to_owned(),
        ErrorKind::DivisionByZero => "division by zero".to_owned(),
        ErrorKind::BadShift => "bad shift".to_owned(),
        ErrorKind::ShiftOverflow => "shift overflow".to_owned(),
        ErrorKind::NegativeShift => "negative shift".to_owned(),
    }
}
