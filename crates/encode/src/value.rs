//! Values of C expressions as terms.

use crate::leaves::LeafKind;
use summa_cfa::environment;
use summa_term::{Evaluator, Term};

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

    /// The input with which the run follows the assignment: the number of a scalar. The number of a pointer
    /// into an object cannot be known in advance. It is replaced by pointers into memory of the environment,
    /// different ones for different places.
    pub fn chosen(&self, evaluator: &mut Evaluator<'_>) -> Option<summa_term::Value> {
        let &Self::Pointer(Pointer { object, offset }) = self else { return evaluator.eval(self.scalar()?) };
        let mut number = |term| match evaluator.eval(term)? {
            summa_term::Value::Int(number) => i64::try_from(&number).ok(),
            summa_term::Value::Bv(_, bits) => i64::try_from(bits).ok(),
            _ => None,
        };
        let (object, offset) = (number(object)?, number(offset)?);
        Some(summa_term::Value::Int(match object {
            0 => offset.into(),
            _ => environment::address(object, offset).into(),
        }))
    }

    pub fn pointer(&self) -> Option<Pointer> {
        match self {
            Self::Pointer(pointer) => Some(*pointer),
            Self::Scalar(_) | Self::Record(_) => None,
        }
    }
}
