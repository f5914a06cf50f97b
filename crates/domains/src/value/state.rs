//! The state at one point of a run: constants for some cells, everything else unknown.

use super::cells::CellId;
use super::constant::Constant;
use std::rc::Rc;
use summa_base::Id;
use summa_base::persistent::Tree;
use summa_cpa::Signature;

/// A caller's activation of a function that was entered again: the known cells of its frame, ascending.
pub(super) type Frame = Rc<[(CellId, Constant)]>;

#[derive(Clone, Debug)]
pub struct Values {
    known: Tree<Constant>,
    /// Outer activations of recursive functions, innermost last.
    saved: Rc<Vec<Frame>>,
    /// The values that a cell had on the path, if they are counted.
    seen: Tree<Rc<[Constant]>>,
}

/// Counts describe the history of a state, not the state.
impl PartialEq for Values {
    fn eq(&self, other: &Self) -> bool {
        self.known == other.known && self.saved == other.saved
    }
}

fn key(cell: CellId) -> u32 {
    cell.index() as u32
}

impl Values {
    /// Nothing is known.
    pub fn unknown(cells: usize) -> Self {
        Self { known: Tree::new(cells), saved: Rc::default(), seen: Tree::new(cells) }
    }

    #[inline]
    pub fn get(&self, cell: CellId) -> Option<Constant> {
        self.known.get(key(cell)).copied()
    }

    pub fn set(&mut self, cell: CellId, value: Constant) {
        self.known.insert(key(cell), value);
    }

    #[inline]
    pub fn forget(&mut self, cell: CellId) {
        self.known.remove(key(cell));
    }

    /// How many cells are known.
    pub fn len(&self) -> usize {
        self.known.len()
    }

    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }

    /// Outer activations have no part in it.
    pub fn signature(&self) -> Signature {
        let known = &self.known;
        Signature { size: known.len() as u32, hash: known.hash(), marks: known.marks(), kept: 0 }
    }

    /// What is known, ascending by cell.
    pub fn iter(&self) -> impl Iterator<Item = (CellId, Constant)> {
        self.known.iter().map(|(key, value)| (CellId::from_index(key as usize), *value))
    }

    pub fn retain(&mut self, keep: impl Fn(CellId, Constant) -> bool) {
        self.known.retain(|key, value| keep(CellId::from_index(key as usize), *value));
    }

    /// ⊑: everything that `other` knows is known here, and the same.
    pub fn is_below(&self, other: &Self) -> bool {
        other.known.is_within(&self.known)
            && (Rc::ptr_eq(&self.saved, &other.saved)
                || self.saved.len() == other.saved.len()
                    && self
                        .saved
                        .iter()
                        .zip(other.saved.iter())
                        .all(|(mine, theirs)| is_within(theirs, mine)))
    }

    /// ⊔: the facts that both have; None if their frames do not fit.
    pub fn join(&self, other: &Self) -> Option<Self> {
        if self.saved.len() != other.saved.len() {
            return None;
        }
        let mut joined = self.clone();
        joined.known.intersect(&other.known);
        let frames = self.saved.iter().zip(other.saved.iter());
        joined.saved =
            Rc::new(frames.map(|(a, b)| a.iter().filter(|x| b.contains(x)).copied().collect()).collect());
        for (key, theirs) in other.seen.iter() {
            let mut values: Vec<Constant> = joined.seen.get(key).map(|v| v.to_vec()).unwrap_or_default();
            values.extend(theirs.iter().filter(|value| !values.contains(value)).copied().collect::<Vec<_>>());
            joined.seen.insert(key, values.into());
        }
        Some(joined)
    }

    /// Only what is known of these cells (ascending), in all frames.
    pub fn restricted(&self, cells: &[CellId]) -> Self {
        let mut restricted =
            Self { known: self.known.emptied(), saved: Rc::default(), seen: self.seen.emptied() };
        for &cell in cells {
            if let Some(value) = self.get(cell) {
                restricted.set(cell, value);
            }
        }
        let kept = |frame: &Frame| {
            frame.iter().filter(|(cell, _)| cells.binary_search(cell).is_ok()).copied().collect()
        };
        restricted.saved = Rc::new(self.saved.iter().map(kept).collect());
        restricted
    }

    /// Is anything known of the cell, in any frame?
    pub fn mentions(&self, cell: CellId) -> bool {
        self.get(cell).is_some()
            || self.saved.iter().any(|frame| frame.iter().any(|&(other, _)| other == cell))
    }

    /// The cells with a known fact in any frame, ascending.
    pub fn cells(&self) -> Vec<CellId> {
        let saved = self.saved.iter().flat_map(|frame| frame.iter().map(|&(cell, _)| cell));
        let mut cells: Vec<CellId> = self.iter().map(|(cell, _)| cell).chain(saved).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    /// The cells that are only known not to be zero, in any frame.
    pub fn non_zero(&self) -> Vec<CellId> {
        let saved = self.saved.iter().flat_map(|frame| frame.iter().copied());
        let found = self.iter().chain(saved).filter(|&(_, value)| value == Constant::NonZero);
        found.map(|(cell, _)| cell).collect()
    }

    // ---- frames of recursive functions ----

    pub(super) fn frames(&self) -> &[Frame] {
        &self.saved
    }

    pub(super) fn push_frame(&mut self, frame: Frame) {
        Rc::make_mut(&mut self.saved).push(frame);
    }

    /// None where an exploration began inside the function.
    pub(super) fn pop_frame(&mut self) -> Option<Frame> {
        if self.saved.is_empty() { None } else { Rc::make_mut(&mut self.saved).pop() }
    }

    // ---- blocks ----

    /// What is known of these cells, where a run begins: without outer activations, and nothing was counted.
    pub(super) fn beginning(&self, cells: impl Iterator<Item = CellId>) -> Self {
        let mut beginning =
            Self { known: self.known.emptied(), saved: Rc::default(), seen: self.seen.emptied() };
        for cell in cells {
            if let Some(value) = self.get(cell) {
                beginning.set(cell, value);
            }
        }
        beginning
    }

    /// Counts the values that cells had on another path, which continued this one.
    pub(super) fn count_all(
        &mut self,
        other: &Self,
        limit: Option<usize>,
        is_counted: &dyn Fn(CellId) -> bool,
    ) {
        let Some(limit) = limit else { return };
        for (key, values) in other.seen.iter() {
            let cell = CellId::from_index(key as usize);
            if is_counted(cell) {
                // Beyond the limit nothing more is counted.
                if !values.iter().all(|&value| self.count(cell, value, limit)) {
                    self.forget(cell);
                }
            }
        }
    }

    // ---- counting values along a path ----

    /// The cell takes this value; false if it has had more than `limit` different ones by now.
    pub(super) fn count(&mut self, cell: CellId, value: Constant, limit: usize) -> bool {
        let seen = self.seen.get(key(cell));
        let len = seen.map_or(0, |seen| seen.len());
        if len > limit {
            return false;
        }
        if !seen.is_some_and(|seen| seen.contains(&value)) {
            let values = seen.into_iter().flat_map(|seen| seen.iter().copied()).chain([value]).collect();
            self.seen.insert(key(cell), values);
            return len < limit;
        }
        true
    }
}

/// Both ascending.
fn is_within(few: &Frame, many: &Frame) -> bool {
    Rc::ptr_eq(few, many)
        || few.len() <= many.len()
            && few.iter().all(|(cell, value)| {
                many.binary_search_by_key(cell, |&(cell, _)| cell).is_ok_and(|place| many[place].1 == *value)
            })
}
