//! Instances of path formulas: a block at a place on a longer path. Its entry symbols are renamed to the
//! versions that the cells have there, and its fresh symbols to symbols that no other instance has.

use super::{PathId, Paths, Ssa};
use crate::encoder::Input;
use crate::value::{LeafValue, Pointer, Value};
use summa_base::FxHashMap;
use summa_term::{Renaming, Term};

/// A path formula with versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The condition under which the path is taken.
    pub guard: Term,
    /// The guard, the facts, and for each cell that changed an equation of its exit symbol.
    pub formula: Term,
    /// The versions after the path.
    pub exit: Ssa,
}

/// What was instantiated, so that the same instance is the same formula.
#[derive(Debug, Default)]
pub(super) struct Instances {
    done: FxHashMap<(PathId, Ssa, u32), Instance>,
    renamings: FxHashMap<(Ssa, u32), Renaming>,
    /// By instance and old version; versions of fresh symbols are counted over all families.
    fresh: FxHashMap<(u32, u32), u32>,
    /// Exit versions where the rule cannot be followed, by instance and entry version.
    late: FxHashMap<(u32, u32), u32>,
}

/// From here on versions are given by the table of late ones.
const LATE: u32 = 1 << 31;

impl Instances {
    /// A changed cell has the number of the block that changed it, counted from 1. Where instances do not
    /// grow along the path, so that this version may be in use, it gets one of its own.
    fn exit_version(&mut self, entry: u32, instance: u32) -> u32 {
        if entry <= instance && instance < LATE - 1 {
            return instance + 1;
        }
        let next = LATE + self.late.len() as u32;
        *self.late.entry((instance, entry)).or_insert(next)
    }
}

impl Paths<'_> {
    /// The path after a point with the versions `entry`. `instance` is the number of the block on the longer
    /// path, from 0 on; two blocks of one path need different numbers, and the numbers should grow along the
    /// path. The same arguments give the same result.
    pub fn instantiate(&mut self, path: PathId, entry: &Ssa, instance: u32) -> Instance {
        let key = (path, entry.clone(), instance);
        if let Some(known) = self.instances.done.get(&key) {
            return known.clone();
        }
        let changed = self.changed(path);
        let values: Vec<Term> = changed.iter().map(|&cell| self.state(path).get(cell)).collect();
        let mut parts = vec![self.guard(path)];
        parts.extend(self.facts(path));
        let mut parts = self.rename(&parts, entry, instance);
        let guard = parts[0];
        let values = self.rename(&values, entry, instance);
        let mut exit = entry.clone();
        for (&cell, value) in changed.iter().zip(values) {
            exit.set(cell, self.instances.exit_version(entry.get(cell), instance));
            parts.push(self.is_value(cell, &exit, value));
        }
        let instance = Instance { guard, formula: self.encoder.terms.and(&parts), exit };
        self.instances.done.insert(key, instance.clone());
        instance
    }

    /// The inputs of the path in this instance.
    pub fn instantiate_inputs(&mut self, path: PathId, entry: &Ssa, instance: u32) -> Vec<Input> {
        let mut inputs = self.inputs(path);
        inputs.iter_mut().for_each(|input| self.instantiate_input(input, entry, instance));
        inputs
    }

    pub(super) fn instantiate_input(&mut self, input: &mut Input, entry: &Ssa, instance: u32) {
        input.guard = self.rename(&[input.guard], entry, instance)[0];
        input.value = map_terms(&input.value, &mut |term| self.rename(&[term], entry, instance)[0]);
    }

    /// A formula over cells in version 0 (a predicate, an invariant) at a point with these versions. Other
    /// symbols stay.
    pub fn instantiate_term(&mut self, term: Term, versions: &Ssa) -> Term {
        let (cells, terms) = (&self.encoder.cells, &mut self.encoder.terms);
        terms.rename_symbols(term, |symbol, version| match cells.of_symbol(symbol) {
            Some(cell) if version == 0 => (symbol, versions.get(cell)),
            _ => (symbol, version),
        })
    }

    /// The way back: a formula over the cells at a point with these versions, in version 0. None if something
    /// else occurs: an older version, a fresh symbol.
    pub fn uninstantiate(&mut self, term: Term, versions: &Ssa) -> Option<Term> {
        let (cells, terms) = (&self.encoder.cells, &mut self.encoder.terms);
        let is_current = |symbol: Term| {
            let (family, version) = terms.as_symbol(symbol)?;
            (versions.get(cells.of_symbol(family)?) == version).then_some(())
        };
        terms.free_symbols(term).into_iter().try_for_each(is_current)?;
        Some(terms.rename_symbols(term, |symbol, _| (symbol, 0)))
    }

    /// The cell has this value in its version.
    pub(super) fn is_value(&mut self, cell: crate::CellId, versions: &Ssa, value: Term) -> Term {
        let symbol = self.encoder.cells.cells[cell].symbol;
        let symbol = self.encoder.terms.symbol(symbol, versions.get(cell));
        self.encoder.terms.eq(symbol, value)
    }

    pub(super) fn exit_version(&mut self, entry: u32, instance: u32) -> u32 {
        self.instances.exit_version(entry, instance)
    }

    /// Terms of a path formula in an instance.
    pub fn rename(&mut self, list: &[Term], entry: &Ssa, instance: u32) -> Vec<Term> {
        let Instances { renamings, fresh, .. } = &mut self.instances;
        let encoder = &mut self.encoder;
        let (cells, terms, last) = (&encoder.cells, &mut encoder.terms, &mut encoder.fresh);
        let renaming = renamings.entry((entry.clone(), instance)).or_default();
        let mut replace = |terms: &mut summa_term::Terms, symbol, version| {
            let version = match cells.of_symbol(symbol) {
                Some(cell) => {
                    debug_assert!(version == 0, "a path formula has entry symbols");
                    entry.get(cell)
                }
                None => *fresh.entry((instance, version)).or_insert_with(|| {
                    *last += 1;
                    *last
                }),
            };
            terms.symbol(symbol, version)
        };
        list.iter().map(|&term| renaming.apply(terms, term, &mut replace)).collect()
    }
}

/// The value with every term replaced.
fn map_terms(value: &Value, replace: &mut dyn FnMut(Term) -> Term) -> Value {
    match value {
        Value::Scalar(term) => Value::Scalar(replace(*term)),
        Value::Pointer(Pointer { object, offset }) => {
            Value::Pointer(Pointer { object: replace(*object), offset: replace(*offset) })
        }
        // The parts of a record are scalars and pointers.
        Value::Record(parts) => Value::Record(
            parts
                .iter()
                .map(|part| LeafValue {
                    values: part.values.iter().map(|value| map_terms(value, replace)).collect(),
                    ..*part
                })
                .collect(),
        ),
    }
}
