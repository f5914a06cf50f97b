//! Which version of each cell's symbol stands for its value at a point of a path: static single assignment by
//! blocks.

use crate::cells::{CellId, Cells};
use crate::chunks::Chunks;
use summa_base::Id;

/// The version of each cell. Copies are cheap.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ssa {
    versions: Chunks<u32>,
}

impl Ssa {
    /// Every cell in its first version, as at the entry of a block.
    pub fn zero(cells: &Cells) -> Self {
        Self::uniform(cells, 0)
    }

    /// Every cell in this version.
    pub fn uniform(cells: &Cells, version: u32) -> Self {
        Self { versions: Chunks::new(&vec![version; cells.cells.len()]) }
    }

    pub fn get(&self, cell: CellId) -> u32 {
        self.versions.get(cell.index())
    }

    pub fn set(&mut self, cell: CellId, version: u32) {
        self.versions.set(cell.index(), version);
    }

    /// The cells whose versions differ.
    pub fn difference<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = CellId> + 'a {
        self.versions.difference(&other.versions).map(|(index, ..)| CellId::from_index(index))
    }
}
