//! Questions that a component of a product asks the others during its transfer, about the state before the
//! move.
//!
//! Paper: Vojdani, Apinis, Rõtov, Seidl, Vene, Vogler, *Static race detection for device drivers: the Goblint
//! approach*, ASE 2016 (queries between analyses). The asking component does not know which component
//! answers. A component without knowledge does not answer; several answers are met. An answer holds in every
//! concrete state that the answering state describes, so relying on it loses no run. No component asks while
//! it answers, so answers end. No component changes while answers are given.
//!
//! Expressions have the meaning that they have in the function that runs before the move. On the way back
//! from a callee names change their meaning, so there is no query.

use crate::moves::{Move, Step};
use summa_c::tree::{ExprId, PlaceId};

/// The queries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Which values can the integer expression have? Answered by a range.
    Range(ExprId),
    /// Is the pointer null, or the number zero? Answered by a truth value.
    IsZero(ExprId),
    /// How many bytes does the object have that the pointer leads to? Answered by a range.
    Size(ExprId),
    /// Can the two places have a byte in common? Answered by a truth value.
    MayAlias(PlaceId, PlaceId),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Answer {
    #[default]
    Unknown,
    /// From the first to the second, both included.
    Range(i128, i128),
    Truth(bool),
    /// The answers contradict each other: no run is here.
    Nothing,
}

impl Answer {
    pub fn number(number: i128) -> Self {
        Self::Range(number, number)
    }

    /// The conjunction of both answers.
    pub fn meet(self, other: Self) -> Self {
        match (self, other) {
            (Self::Unknown, known) | (known, Self::Unknown) => known,
            (Self::Range(a, b), Self::Range(c, d)) if a.max(c) <= b.min(d) => Self::Range(a.max(c), b.min(d)),
            (Self::Truth(a), Self::Truth(b)) if a == b => self,
            _ => Self::Nothing,
        }
    }
}

/// A component that may know something about the state before a move.
pub trait Oracle {
    fn ask(&self, query: Query) -> Answer;
}

impl dyn Oracle + '_ {
    /// The numbers that the integer expression can be.
    pub fn range(&self, expr: ExprId) -> Option<(i128, i128)> {
        match self.ask(Query::Range(expr)) {
            Answer::Range(lower, upper) => Some((lower, upper)),
            _ => None,
        }
    }

    /// The number that the expression is, if it can be one only.
    pub fn value(&self, expr: ExprId) -> Option<i128> {
        self.range(expr).filter(|(lower, upper)| lower == upper).map(|(number, _)| number)
    }

    /// Is the pointer null, or the number zero?
    pub fn is_zero(&self, expr: ExprId) -> Option<bool> {
        match self.ask(Query::IsZero(expr)) {
            Answer::Truth(truth) => Some(truth),
            _ => None,
        }
    }

    /// The least and the greatest size of the object that the pointer leads to.
    pub fn size(&self, pointer: ExprId) -> Option<(i128, i128)> {
        match self.ask(Query::Size(pointer)) {
            Answer::Range(least, most) => Some((least, most)),
            _ => None,
        }
    }

    /// Can the two places have a byte in common? Without an answer: yes.
    pub fn may_alias(&self, a: PlaceId, b: PlaceId) -> bool {
        self.ask(Query::MayAlias(a, b)) != Answer::Truth(false)
    }
}

/// The oracle of a domain that stands alone: it never answers.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Oracle for Nobody {
    fn ask(&self, _: Query) -> Answer {
        Answer::Unknown
    }
}

/// Are queries possible along a move?
pub(crate) fn is_answered(by: Move) -> bool {
    !matches!(by.step, Step::Leave(_))
}

#[cfg(test)]
mod tests {
    use super::Answer::{self, Nothing, Range, Truth, Unknown};

    #[test]
    fn answers_are_met() {
        let all = [Unknown, Range(0, 9), Range(5, 20), Range(30, 40), Truth(true), Truth(false), Nothing];
        for a in all {
            assert_eq!((a.meet(Unknown), Unknown.meet(a), a.meet(a)), (a, a, a));
            assert_eq!(a.meet(Nothing), Nothing);
            for b in all {
                assert_eq!(a.meet(b), b.meet(a));
                assert!(all.iter().all(|&c| a.meet(b).meet(c) == a.meet(b.meet(c))));
            }
        }
        assert_eq!(Range(0, 9).meet(Range(5, 20)), Range(5, 9));
        assert_eq!(Range(0, 9).meet(Range(30, 40)), Nothing);
        assert_eq!(Truth(true).meet(Truth(false)), Nothing);
        assert_eq!(Answer::number(7).meet(Range(5, 20)), Range(7, 7));
    }
}
