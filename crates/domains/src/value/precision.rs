//! Which cells are followed, and where.

use super::cells::CellId;
use super::state::Values;
use std::collections::BTreeMap;
use std::rc::Rc;
use summa_base::IdSet;
use summa_cfa::NodeId;

/// Where a cell is followed that a refinement found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Everywhere: one reason is found once.
    Program,
    /// At the locations where the refinement needs it.
    Location,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precision(Rc<Followed>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Followed {
    /// Everything; the number of values of these cells is not limited.
    All {
        exact: IdSet<CellId>,
    },
    Some {
        everywhere: IdSet<CellId>,
        at: BTreeMap<NodeId, IdSet<CellId>>,
    },
}

impl Precision {
    pub fn all() -> Self {
        Self(Rc::new(Followed::All { exact: IdSet::new() }))
    }

    pub fn nothing() -> Self {
        Self::of(IdSet::new())
    }

    /// These cells, everywhere.
    pub fn of(cells: IdSet<CellId>) -> Self {
        Self(Rc::new(Followed::Some { everywhere: cells, at: BTreeMap::new() }))
    }

    #[inline]
    pub fn tracks(&self, node: NodeId, cell: CellId) -> bool {
        match &*self.0 {
            Followed::All { .. } => true,
            Followed::Some { everywhere, at } => {
                everywhere.contains(cell) || at.get(&node).is_some_and(|cells| cells.contains(cell))
            }
        }
    }

    /// Is the cell followed however many values it takes?
    pub fn is_exact(&self, cell: CellId) -> bool {
        matches!(&*self.0, Followed::All { exact } if exact.contains(cell))
    }

    /// The cells that are followed somewhere; None: all.
    pub fn cells(&self) -> Option<IdSet<CellId>> {
        match &*self.0 {
            Followed::All { .. } => None,
            Followed::Some { .. } => Some(self.every().into_iter().collect()),
        }
    }

    /// Forgets what is not followed at the location. Outer activations keep what they knew.
    pub(super) fn restrict(&self, state: &mut Values, node: NodeId) {
        match &*self.0 {
            Followed::All { .. } => {}
            Followed::Some { at, .. } if at.is_empty() && state.is_empty() => {}
            Followed::Some { .. } => state.retain(|cell, _| self.tracks(node, cell)),
        }
    }

    /// Follows the cells at the location, or everywhere; where they are followed anyway, without a limit.
    pub fn add(&mut self, scope: Scope, node: NodeId, cells: &[CellId]) {
        if cells.iter().all(|&cell| self.tracks(node, cell) && !matches!(*self.0, Followed::All { .. })) {
            return;
        }
        let set = match Rc::make_mut(&mut self.0) {
            Followed::All { exact } => exact,
            Followed::Some { everywhere, .. } if scope == Scope::Program => everywhere,
            Followed::Some { at, .. } => at.entry(node).or_default(),
        };
        set.extend(cells.iter().copied());
    }

    pub fn union_with(&mut self, other: &Self) {
        if self == other {
            return;
        }
        match (Rc::make_mut(&mut self.0), &*other.0) {
            (Followed::Some { everywhere, at }, Followed::Some { everywhere: more, at: others }) => {
                everywhere.union_with(more);
                for (&node, cells) in others {
                    at.entry(node).or_default().union_with(cells);
                }
            }
            (Followed::All { exact }, Followed::All { exact: more }) => {
                exact.union_with(more);
            }
            (Followed::All { exact }, Followed::Some { .. }) => exact.extend(other.every()),
            (Followed::Some { .. }, Followed::All { exact }) => {
                let exact = exact.iter().chain(self.every()).collect();
                self.0 = Rc::new(Followed::All { exact });
            }
        }
    }

    /// The cells that a refinement asked for.
    fn every(&self) -> Vec<CellId> {
        match &*self.0 {
            Followed::All { exact } => exact.iter().collect(),
            Followed::Some { everywhere, at } => {
                everywhere.iter().chain(at.values().flat_map(|cells| cells.iter())).collect()
            }
        }
    }
}
