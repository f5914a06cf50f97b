//! Names of cells that mean the same in a program that was changed elsewhere.
//!
//! Names of symbols do not: they are for people, and count cells and classes of memory if variables have the
//! same name or none.

use crate::cells::{CellId, Content};
use crate::encoder::Encoder;
use summa_base::{FxHashMap, IdMap, IdSet};
use summa_facts::fingerprint::{COUNTED, class_names};

#[derive(Debug)]
pub struct CellNames {
    names: IdMap<CellId, Option<String>>,
    by_name: FxHashMap<String, CellId>,
    /// Cells with numbers of objects.
    objects: IdSet<CellId>,
}

impl CellNames {
    pub fn new(encoder: &Encoder<'_>) -> Self {
        let mut all = Self { names: IdMap::new(None), by_name: FxHashMap::default(), objects: IdSet::new() };
        let (cells, cfa) = (&encoder.cells, encoder.cfa);
        all.are_objects(encoder, cells.next_object);
        all.add(encoder, cells.next_object, "next object");
        for (class, name) in class_names(cfa, encoder.facts).iter() {
            let Some(region) = cells.region(class) else { continue };
            for (part, cell) in region.cells().enumerate() {
                let is_object = region.content == Content::Pointer && part == 0;
                if is_object {
                    all.are_objects(encoder, cell);
                }
                if !name.starts_with(COUNTED) {
                    all.add(encoder, cell, &format!("{part} {name}"));
                }
            }
        }
        for (var, cell) in cells.handles() {
            all.are_objects(encoder, cell);
            all.add(encoder, cell, &format!("object {}", cfa.names().variable(var)));
        }
        all
    }

    fn are_objects(&mut self, encoder: &Encoder<'_>, cell: CellId) {
        self.objects.insert(cell);
        self.objects.extend(encoder.cells.entry_copy(cell));
    }

    fn add(&mut self, encoder: &Encoder<'_>, cell: CellId, name: &str) {
        for (cell, name) in
            [(Some(cell), name.to_owned()), (encoder.cells.entry_copy(cell), format!("old {name}"))]
        {
            let Some(cell) = cell else { continue };
            // A name that is not unique names nothing.
            match self.by_name.insert(name.clone(), cell) {
                None => self.names[cell] = Some(name),
                Some(other) => self.names[other] = None,
            }
        }
    }

    pub fn name(&self, cell: CellId) -> Option<&str> {
        self.names[cell].as_deref()
    }

    pub fn find(&self, name: &str) -> Option<CellId> {
        self.by_name.get(name).copied().filter(|&cell| self.name(cell) == Some(name))
    }

    /// Does the cell hold the number of an object?
    pub fn is_object(&self, cell: CellId) -> bool {
        self.objects.contains(cell)
    }
}
