//! Abstraction formulas ψ as binary decision diagrams over predicates, so that coverage is a cheap entailment; or as terms only,
//! where the solver decides entailment.

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::OutOfMemory;
use oxidd::{BooleanFunction, Manager, ManagerRef};
use summa_base::FxHashMap;
use summa_cpa::Stop;
use summa_term::Term;

/// Nodes that all diagrams of a run may have together.
const NODES: usize = 1 << 20;
const CACHE: usize = 1 << 16;

/// The diagrams of a run. The manager is made with the first of them: runs without pay nothing.
#[derive(Default)]
pub(super) struct Regions {
    manager: Option<BCDDManagerRef>,
    variables: FxHashMap<Term, u32>,
}

/// A set of states: a boolean combination of predicates.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Region(BCDDFunction);

impl std::fmt::Debug for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("region")
    }
}

fn full(_: OutOfMemory) -> Stop {
    Stop::GaveUp("the decision diagrams of the abstraction are too large".to_owned())
}

impl Regions {
    fn manager(&mut self) -> &BCDDManagerRef {
        self.manager.get_or_insert_with(|| new_manager(NODES, CACHE, 1))
    }

    pub(super) fn all(&mut self) -> Region {
        Region(self.manager().with_manager_shared(BCDDFunction::t))
    }

    pub(super) fn none(&mut self) -> Region {
        Region(self.manager().with_manager_shared(BCDDFunction::f))
    }

    /// The states in which a predicate holds.
    pub(super) fn predicate(&mut self, predicate: Term) -> Result<Region, Stop> {
        let known = self.variables.get(&predicate).copied();
        let manager = self.manager();
        let variable = match known {
            Some(variable) => variable,
            None => {
                let added = manager.with_manager_exclusive(|manager| manager.add_vars(1).start);
                self.variables.insert(predicate, added);
                added
            }
        };
        let region = self.manager().with_manager_shared(|manager| BCDDFunction::var(manager, variable));
        region.map(Region).map_err(full)
    }
}

impl Region {
    pub(super) fn not(&self) -> Result<Self, Stop> {
        self.0.not().map(Self).map_err(full)
    }

    pub(super) fn and(&self, other: &Self) -> Result<Self, Stop> {
        self.0.and(&other.0).map(Self).map_err(full)
    }

    pub(super) fn or(&self, other: &Self) -> Result<Self, Stop> {
        self.0.or(&other.0).map(Self).map_err(full)
    }

    /// Is every state of this one in the other?
    pub(super) fn implies(&self, other: &Self) -> Result<bool, Stop> {
        Ok(self == other || self.0.imp(&other.0).map_err(full)?.valid())
    }
}
