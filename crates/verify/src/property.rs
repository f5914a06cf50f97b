//! Properties to verify, and which errors of the automata violate them. The names are those of the
//! competition on software verification, whose files [`crate::Specification`] reads.

use summa_cfa::{Cfa, Checks, EdgeId, ErrorKind, Op};

/// The functions whose call is the error if the user names none.
pub const DEFAULT_ERROR_FUNCTIONS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Property {
    /// No call of one of these functions is reachable; with `asserts`, no failing assertion either.
    Unreachable { functions: Vec<String>, asserts: bool },
    /// No signed arithmetic overflows.
    NoOverflow,
    /// No integer is divided by zero.
    NoDivisionByZero,
    /// The amount of every shift is less than the width of the type, and the operand of a left shift is not
    /// negative and loses no bits.
    ValidShifts,
    /// Memory is used as these say; never empty.
    MemorySafety(Vec<MemoryCheck>),
    /// All memory is freed at the end of the program.
    MemoryCleanup,
    /// A property without an engine, by its name.
    Unsupported(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum MemoryCheck {
    Free,
    Deref,
    /// Every live object stays reachable from a pointer.
    Track,
}

impl MemoryCheck {
    pub(crate) const ALL: [Self; 3] = [Self::Free, Self::Deref, Self::Track];

    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "valid-free",
            Self::Deref => "valid-deref",
            Self::Track => "valid-memtrack",
        }
    }
}

impl Property {
    /// The default property: no error function is called and no assertion fails.
    pub fn default_property() -> Self {
        Self::Unreachable { functions: DEFAULT_ERROR_FUNCTIONS.map(str::to_owned).to_vec(), asserts: true }
    }

    /// The property with this short name.
    pub fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "unreach-call" | "assert" => Self::default_property(),
            "no-overflow" | "overflow" => Self::NoOverflow,
            "division-by-zero" | "no-div-zero" | "no-division-by-zero" => Self::NoDivisionByZero,
            "shift" | "shifts" => Self::ValidShifts,
            "valid-memsafety" | "memsafety" | "memory-safety" => {
                Self::MemorySafety(MemoryCheck::ALL.to_vec())
            }
            "valid-memcleanup" | "memcleanup" => Self::MemoryCleanup,
            "termination" | "no-data-race" => Self::Unsupported(name.to_owned()),
            _ => Self::MemorySafety(vec![MemoryCheck::ALL.into_iter().find(|check| check.name() == name)?]),
        })
    }

    /// The name that competitions and their tools use.
    pub fn name(&self) -> &str {
        match self {
            Self::Unreachable { .. } => "unreach-call",
            Self::NoOverflow => "no-overflow",
            Self::NoDivisionByZero => "division-by-zero",
            Self::ValidShifts => "shift",
            Self::MemorySafety(checks) => match checks.as_slice() {
                [only] => only.name(),
                _ => "valid-memsafety",
            },
            Self::MemoryCleanup => "valid-memcleanup",
            Self::Unsupported(name) => name,
        }
    }

    /// In words.
    pub fn describe(&self, entry: &str) -> String {
        match self {
            Self::Unreachable { functions, asserts } => {
                let asserts = if *asserts { " and no failing assertion" } else { "" };
                format!("no call of {}{asserts} is reachable from {entry}", functions.join(" or "))
            }
            Self::NoOverflow => "no signed integer arithmetic overflows".to_owned(),
            Self::NoDivisionByZero => "no integer is divided by zero".to_owned(),
            Self::ValidShifts => "every shift is defined".to_owned(),
            Self::MemorySafety(checks) => {
                let words = checks.iter().map(|check| match check {
                    MemoryCheck::Free => "every free is valid",
                    MemoryCheck::Deref => "every dereference is valid",
                    MemoryCheck::Track => "no allocated memory is lost",
                });
                words.collect::<Vec<_>>().join(", ")
            }
            Self::MemoryCleanup => "all allocated memory is freed at the end".to_owned(),
            Self::Unsupported(name) => name.clone(),
        }
    }

    /// The checks that turn the property into reachability of errors; none for properties that are
    /// reachability already, or that no check stands for.
    pub fn checks(&self) -> Checks {
        match self {
            Self::NoOverflow => Checks::OVERFLOW,
            Self::NoDivisionByZero => Checks::DIVISION,
            Self::ValidShifts => Checks::SHIFT,
            Self::Unreachable { .. } | Self::MemorySafety(_) | Self::MemoryCleanup | Self::Unsupported(_) => {
                Checks::NONE
            }
        }
    }

    /// Is the property that certain errors of the automata cannot be reached?
    pub fn is_reachability(&self) -> bool {
        matches!(self, Self::Unreachable { .. }) || self.checks() != Checks::NONE
    }

    /// May a witness for the one property be about the other? Witnesses of memory safety serve for its parts,
    /// and calls of one error function are among those of several.
    pub fn is_of_the_kind_of(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Unreachable { functions, .. }, Self::Unreachable { functions: others, .. }) => {
                functions.iter().any(|function| others.contains(function))
            }
            (Self::MemorySafety(checks), Self::MemorySafety(others)) => {
                checks.iter().any(|check| others.contains(check))
            }
            (a, b) => a == b,
        }
    }

    /// Does taking this edge violate the property?
    pub fn is_violated_at(&self, cfa: &Cfa, edge: EdgeId) -> bool {
        matches!(cfa.edges[edge].op, Op::Error { kind } if self.is_violated_by(kind))
    }

    /// Does reaching such an error violate the property?
    pub fn is_violated_by(&self, kind: ErrorKind) -> bool {
        match (self, kind) {
            (Self::Unreachable { .. }, ErrorKind::Call(_)) => true,
            (Self::Unreachable { asserts, .. }, ErrorKind::Assertion) => *asserts,
            _ => kind.is_checked_by(self.checks()),
        }
    }
}

impl Default for Property {
    fn default() -> Self {
        Self::default_property()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn properties_of_arithmetic_are_checks() {
        for (name, checks, error) in [
            ("no-overflow", Checks::OVERFLOW, ErrorKind::Overflow),
            ("no-overflow", Checks::OVERFLOW, ErrorKind::ShiftOverflow),
            ("division-by-zero", Checks::DIVISION, ErrorKind::DivisionByZero),
            ("shift", Checks::SHIFT, ErrorKind::BadShift),
            ("shift", Checks::SHIFT, ErrorKind::ShiftOverflow),
            ("shift", Checks::SHIFT, ErrorKind::NegativeShift),
        ] {
            let property = Property::by_name(name).unwrap();
            assert_eq!((property.name(), property.checks()), (name, checks));
            assert!(property.is_reachability() && property.is_violated_by(error));
            assert!(!property.is_violated_by(ErrorKind::Assertion));
            assert!(!Property::default_property().is_violated_by(error));
        }
        let memory = Property::MemorySafety(MemoryCheck::ALL.to_vec());
        assert!(!memory.is_reachability() && memory.checks() == Checks::NONE);
    }
}
