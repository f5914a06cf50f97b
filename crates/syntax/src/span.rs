//! Positions: a [`Span`] is a range of bytes in the preprocessed text of all inputs laid end to end;
//! `source.rs` maps it back to file, line and column of what the user wrote.

/// A half-open range of bytes in the text of all inputs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    pub lo: u32,
    pub hi: u32,
}

impl Span {
    /// The span of things that no source text stands for.
    pub const NONE: Self = Self { lo: 0, hi: 0 };

    pub fn new(lo: u32, hi: u32) -> Self {
        Self { lo, hi }
    }

    /// From the start of `self` to the end of `other`.
    pub fn to(self, other: Self) -> Self {
        Self { lo: self.lo, hi: other.hi.max(self.hi) }
    }

    pub fn is_none(self) -> bool {
        self == Self::NONE
    }
}

impl std::fmt::Debug for Span {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}..{}", self.lo, self.hi)
    }
}
