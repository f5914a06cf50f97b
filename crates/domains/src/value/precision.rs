//! Which cells are followed, and where.

use super::cells::CellId;
use super::state::Values;
use crate::portable::{list, misfit, parts};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::rc::Rc;
use summa_base::{Id, IdSet};
use summa_cfa::NodeId;
use summa_cpa::Misfit;

/// Where a cell is followed that a refinement found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    #[default]
    /// Everywhere: one reason is found once.
    Program,
    /// At the locations where the refinement needs it.
    Location,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Precision {
    followed: Rc<Followed>,
    /// Cells for which it is also followed that they are not zero, if no value is known. None: all cells.
    /// Only refinement asks for this: where it does not matter, it doubles the states for every condition on
    /// an input.
    non_zero: Option<Rc<IdSet<CellId>>>,
}

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
        Self::new(Followed::All { exact: IdSet::new() })
    }

    /// All values, and also what is known not to be zero.
    pub fn everything() -> Self {
        Self { non_zero: None, ..Self::all() }
    }

    fn new(followed: Followed) -> Self {
        Self { followed: Rc::new(followed), non_zero: Some(Rc::default()) }
    }

    pub fn nothing() -> Self {
        Self::of(IdSet::new())
    }

    /// These cells, everywhere.
    pub fn of(cells: IdSet<CellId>) -> Self {
        Self::new(Followed::Some { everywhere: cells, at: BTreeMap::new() })
    }

    #[inline]
    pub fn tracks(&self, node: NodeId, cell: CellId) -> bool {
        match &*self.followed {
            Followed::All { .. } => true,
            Followed::Some { everywhere, at } => {
                everywhere.contains(cell) || at.get(&node).is_some_and(|cells| cells.contains(cell))
            }
        }
    }

    /// Is the cell followed however many values it takes? So is all that refinement found.
    pub fn is_exact(&self, cell: CellId) -> bool {
        match &*self.followed {
            Followed::All { exact } => exact.contains(cell),
            Followed::Some { .. } => true,
        }
    }

    /// Follows everything, what was followed before without a limit on its values.
    pub fn follow_all(&mut self) {
        if let Followed::Some { .. } = &*self.followed {
            self.followed = Rc::new(Followed::All { exact: self.every().into_iter().collect() });
        }
    }

    /// Is it followed that the cell is not zero?
    pub fn tracks_non_zero(&self, cell: CellId) -> bool {
        self.non_zero.as_ref().is_none_or(|cells| cells.contains(cell))
    }

    /// Follows of these cells that they are not zero.
    pub fn add_non_zero(&mut self, cells: impl IntoIterator<Item = CellId>) {
        if let Some(set) = &mut self.non_zero {
            for cell in cells {
                if !set.contains(cell) {
                    Rc::make_mut(set).insert(cell);
                }
            }
        }
    }

    /// The cells that are followed somewhere; None: all.
    pub fn cells(&self) -> Option<IdSet<CellId>> {
        match &*self.followed {
            Followed::All { .. } => None,
            Followed::Some { .. } => Some(self.every().into_iter().collect()),
        }
    }

    /// Forgets what is not followed at the location. Outer activations keep what they knew.
    pub(super) fn restrict(&self, state: &mut Values, node: NodeId) {
        match &*self.followed {
            Followed::All { .. } => {}
            Followed::Some { at, .. } if at.is_empty() && state.is_empty() => {}
            Followed::Some { .. } => state.retain(|cell, _| self.tracks(node, cell)),
        }
    }

    /// Follows the cells at the location, or everywhere; where they are followed anyway, without a limit.
    pub fn add(&mut self, scope: Scope, node: NodeId, cells: &[CellId]) {
        if cells
            .iter()
            .all(|&cell| self.tracks(node, cell) && !matches!(*self.followed, Followed::All { .. }))
        {
            return;
        }
        let set = match Rc::make_mut(&mut self.followed) {
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
        match &other.non_zero {
            Some(cells) => self.add_non_zero(cells.iter()),
            None => self.non_zero = None,
        }
        match (Rc::make_mut(&mut self.followed), &*other.followed) {
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
                self.followed = Rc::new(Followed::All { exact });
            }
        }
    }

    /// The part for these locations and cells.
    pub(super) fn within(&self, is_in: &dyn Fn(NodeId) -> bool, matters: &dyn Fn(CellId) -> bool) -> Self {
        let part = |cells: &IdSet<CellId>| cells.iter().filter(|&cell| matters(cell)).collect();
        let non_zero = self.non_zero.as_ref().map(|cells| Rc::new(part(cells)));
        let followed = match &*self.followed {
            Followed::All { exact } => Followed::All { exact: part(exact) },
            Followed::Some { everywhere, at } => {
                let at =
                    at.iter().filter(|(node, _)| is_in(**node)).map(|(&node, cells)| (node, part(cells)));
                let at = at.filter(|(_, cells): &(NodeId, IdSet<CellId>)| !cells.is_empty());
                Followed::Some { everywhere: part(everywhere), at: at.collect() }
            }
        };
        Self { followed: Rc::new(followed), non_zero }
    }

    /// Appends numbers that distinguish it from all others.
    pub(super) fn code(&self, key: &mut Vec<u64>) {
        let mut add = |number: usize, cells: &IdSet<CellId>| {
            key.extend([number as u64, cells.len() as u64]);
            key.extend(cells.iter().map(|cell| cell.index() as u64));
        };
        match &self.non_zero {
            None => add(0, &IdSet::new()),
            Some(cells) => add(1, cells),
        }
        match &*self.followed {
            Followed::All { exact } => add(0, exact),
            Followed::Some { everywhere, at } => {
                add(1, everywhere);
                at.iter().for_each(|(node, cells)| add(node.index(), cells));
            }
        }
    }

    /// As data, given those of cells and locations.
    pub(super) fn save(&self, cell: &dyn Fn(CellId) -> Json, node: &dyn Fn(NodeId) -> Json) -> Json {
        let list = |cells: &IdSet<CellId>| -> Json { cells.iter().map(cell).collect() };
        let non_zero = self.non_zero.as_ref().map(|cells| list(cells));
        match &*self.followed {
            Followed::All { exact } => json!([non_zero, "all", list(exact), []]),
            Followed::Some { everywhere, at } => {
                let at: Json = at.iter().map(|(&at, cells)| json!([node(at), list(cells)])).collect();
                json!([non_zero, "some", list(everywhere), at])
            }
        }
    }

    /// What was saved.
    pub(super) fn load(
        saved: &Json,
        cell: &dyn Fn(&Json) -> Result<CellId, Misfit>,
        node: &dyn Fn(&Json) -> Result<NodeId, Misfit>,
    ) -> Result<Self, Misfit> {
        let read = |cells: &Json| list(cells)?.iter().map(cell).collect::<Result<IdSet<CellId>, Misfit>>();
        let [non_zero, kind, cells, places] = parts(saved)?;
        let non_zero = if non_zero.is_null() { None } else { Some(Rc::new(read(non_zero)?)) };
        let mut at = BTreeMap::new();
        for place in list(places)? {
            let [place, cells] = parts(place)?;
            at.insert(node(place)?, read(cells)?);
        }
        let followed = match kind.as_str() {
            Some("all") if at.is_empty() => Followed::All { exact: read(cells)? },
            Some("some") => Followed::Some { everywhere: read(cells)?, at },
            _ => return Err(misfit("a precision", saved)),
        };
        Ok(Self { followed: Rc::new(followed), non_zero })
    }

    /// The cells that a refinement asked for.
    fn every(&self) -> Vec<CellId> {
        match &*self.followed {
            Followed::All { exact } => exact.iter().collect(),
            Followed::Some { everywhere, at } => {
                everywhere.iter().chain(at.values().flat_map(|cells| cells.iter())).collect()
            }
        }
    }
}
