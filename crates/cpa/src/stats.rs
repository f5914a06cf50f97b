//! How often and how long each operator of each component was used.

use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    Transfer,
    Merge,
    Stop,
    Prec,
}

impl Operator {
    pub const ALL: [Self; 4] = [Self::Transfer, Self::Merge, Self::Stop, Self::Prec];

    pub fn name(self) -> &'static str {
        match self {
            Self::Transfer => "transfer",
            Self::Merge => "merge",
            Self::Stop => "stop",
            Self::Prec => "prec",
        }
    }
}

/// The uses of one component's operators.
#[derive(Clone, Debug, Default)]
pub struct Uses {
    uses: [(u64, Duration); Operator::ALL.len()],
}

impl Uses {
    pub fn of(&self, operator: Operator) -> (u64, Duration) {
        self.uses[operator as usize]
    }

    pub(crate) fn add(&mut self, operator: Operator, since: Instant) {
        let (count, time) = &mut self.uses[operator as usize];
        *count += 1;
        *time += since.elapsed();
    }
}
