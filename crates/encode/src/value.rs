//! Values of C expressions as terms.

use crate::leaves::LeafKind;
use summa_term::Term;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// An integer or a float.
    Scalar(Term),
    Pointer(Pointer),
    Record(Vec<LeafValue>),
}

/// Where a pointer points. Object 0 is none: then the offset is the pointer's number, 0 for the null pointer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pointer {
    pub object: Term,
    pub offset: Term,
}

/// A part of a record's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeafValue {
    pub(crate) offset: u64,
    pub(crate) kind: LeafKind,
    /// One value of a scalar, or the bytes.
    pub(crate) values: Vec<Value>,
}

impl Value {
    /// The term of an integer or float.
    pub fn scalar(&self) -> Option<Term> {
        match self {
            Self::Scalar(term) => Some(*term),
            Self::Pointer(_) | Self::Record(_) => None,
        }
    }

    pub fn pointer(&self) -> Option<Pointer> {
        match self {
            Self::Pointer(pointer) => Some(*pointer),
            Self::Scalar(_) | Self::Record(_) => None,
        }
    }
}
