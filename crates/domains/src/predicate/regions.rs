//! Abstraction formulas ψ as binary decision diagrams over predicates, so that coverage is a cheap
//! entailment; or as terms only, where the solver decides entailment.

use oxidd::bcdd::{BCDDFunction, BCDDManagerRef, new_manager};
use oxidd::util::OutOfMemory;
use oxidd::{BooleanFunction, BooleanFunctionQuant, Function, HasLevel, Manager, ManagerRef, Node};
use summa_base::{FxHashMap, FxHashSet};
use summa_cpa::Stop;
use summa_term::{Term, Terms};

/// Nodes that all diagrams of a run may have together.
const NODES: usize = 1 << 20;
const CACHE: usize = 1 << 16;

/// The diagrams of a run. The manager is made with the first of them: runs without pay nothing.
#[derive(Default)]
pub(super) struct Regions {
    manager: Option<BCDDManagerRef>,
    variables: FxHashMap<Term, u32>,
    /// By variable.
    predicates: Vec<Term>,
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
                self.predicates.push(predicate);
                added
            }
        };
        let region = self.manager().with_manager_shared(|manager| BCDDFunction::var(manager, variable));
        region.map(Region).map_err(full)
    }

    /// The predicates that a region depends on.
    pub(super) fn support(&self, region: &Region) -> Vec<Term> {
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        let mut todo = vec![region.0.clone()];
        while let Some(at) = todo.pop() {
            if let (Some(predicate), Some((high, low))) = (self.top(&at), at.cofactors())
                && seen.insert(at)
            {
                found.push(predicate);
                todo.extend([high, low]);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The region whatever these predicates may be: ∃ p₁ … pₙ.
    pub(super) fn without(&mut self, region: &Region, predicates: &[Term]) -> Result<Region, Stop> {
        if predicates.is_empty() {
            return Ok(region.clone());
        }
        let mut variables = self.all();
        for &predicate in predicates {
            variables = variables.and(&self.predicate(predicate)?)?;
        }
        region.0.exists(&variables.0).map(Region).map_err(full)
    }

    /// The region as a formula over its predicates; equal regions have the same.
    #[allow(clippy::mutable_key_type, reason = "only counters inside of a diagram change")]
    pub(super) fn formula(&self, terms: &mut Terms, region: &Region) -> Term {
        let mut done: FxHashMap<BCDDFunction, Term> = FxHashMap::default();
        let mut todo = vec![region.0.clone()];
        while let Some(at) = todo.last().cloned() {
            let made = match (self.top(&at), at.cofactors()) {
                (Some(predicate), Some((high, low))) => match (done.get(&high), done.get(&low)) {
                    (Some(&high), Some(&low)) => {
                        let negated = terms.not(predicate);
                        match (high, low) {
                            (Terms::TRUE, _) => terms.or2(predicate, low),
                            (_, Terms::TRUE) => terms.or2(negated, high),
                            _ => {
                                let (high, low) = (terms.and2(predicate, high), terms.and2(negated, low));
                                terms.or2(high, low)
                            }
                        }
                    }
                    _ => {
                        todo.extend([high, low]);
                        continue;
                    }
                },
                _ => terms.bool(at.valid()),
            };
            done.insert(at, made);
            todo.pop();
        }
        done.get(&region.0).copied().unwrap_or(Terms::TRUE)
    }

    /// The predicate that a diagram asks for first.
    fn top(&self, diagram: &BCDDFunction) -> Option<Term> {
        let variable = diagram.with_manager_shared(|manager, edge| match manager.get_node(edge) {
            Node::Inner(node) => Some(manager.level_to_var(node.level())),
            Node::Terminal(_) => None,
        });
        self.predicates.get(variable? as usize).copied()
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
