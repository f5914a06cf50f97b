//! Facts about the values of cells that hold in every state that a program can reach, so that a block may
//! rely on them at its entry: integers lie in the range of their type, and objects have numbers that are in
//! use.
//!
//! Why they hold: only values of a cell's type are ever stored in it, and before the first store it holds any
//! value of the type. Numbers of objects are given in ascending order. So the numbers of locals are smaller
//! than the next number, and two live locals have different numbers. A local that is not alive yet has the
//! number of its variable.
//!
//! The integer arithmetic leaves out wrap-around where bounds of symbols show that there is none. The bounds
//! of the symbols of cells are declared here, and users of a formula must add the facts about the symbols in
//! it.
//!
//! Limits: a run makes fewer than 2^63 objects, which at one a nanosecond would take it 292 years.

use crate::cells::{CellId, Content, Layout, OBJECT};
use crate::encoder::Encoder;
use summa_base::{IdMap, IdSet};
use summa_c::tree::{BinaryOp, VarId};
use summa_term::{Term, Terms};

/// Facts about the first versions of the cells' symbols.
#[derive(Debug)]
pub(super) struct EntryFacts {
    /// The facts that belong to a cell. They may mention another cell.
    of: IdMap<CellId, Vec<Term>>,
    /// The cells whose facts mention the next object.
    mentions_next: IdSet<CellId>,
    /// Two locals are two objects.
    distinct: Vec<(CellId, CellId, Term)>,
}

/// With more locals than this, the fact that they are all different objects is left out.
const MAX_DISTINCT: usize = 24;

impl EntryFacts {
    /// Makes the bounds of all cells known to the arithmetic.
    pub(super) fn new(encoder: &mut Encoder<'_>) -> Self {
        let mut result =
            Self { of: IdMap::new(Vec::new()), mentions_next: IdSet::new(), distinct: Vec::new() };
        let regions: Vec<_> =
            encoder.facts.points_to.classes().filter_map(|class| encoder.cells.region(class)).collect();
        for region in regions.into_iter().filter(|region| region.layout == Layout::Single) {
            // What holds of a value holds of one that is remembered.
            for cell in std::iter::once(region.first).chain(encoder.cells.entry_copy(region.first)) {
                match region.content {
                    Content::Int(shape) => {
                        let symbol = encoder.cells.cells[cell].symbol;
                        let term = encoder.terms.symbol(symbol, 0);
                        let fact = encoder.arithmetic.introduce(&mut encoder.terms, shape, symbol, term);
                        result.add(cell, fact);
                    }
                    Content::Pointer => result.add_object(encoder, cell),
                    Content::Float(_) | Content::Bytes => {}
                }
            }
        }
        let next = result.symbol(encoder, encoder.cells.next_object);
        let first = encoder.object(i128::from(encoder.cells.first_free_object()));
        let fact = encoder.arithmetic.compare(&mut encoder.terms, BinaryOp::Le, OBJECT, first, next);
        result.add(encoder.cells.next_object, fact);
        let fact = encoder.few_objects(next);
        result.add(encoder.cells.next_object, fact);
        let handles: Vec<(VarId, CellId)> = encoder.cells.handles().collect();
        for (index, &(var, cell)) in handles.iter().enumerate() {
            let handle = result.symbol(encoder, cell);
            let own = encoder.object(i128::from(encoder.cells.var_object(var)));
            let mut compare = |op, a, b| encoder.arithmetic.compare(&mut encoder.terms, op, OBJECT, a, b);
            let (is_new, is_given) =
                (compare(BinaryOp::Le, first, handle), compare(BinaryOp::Lt, handle, next));
            let lives = encoder.terms.and2(is_new, is_given);
            let unborn = encoder.terms.eq(handle, own);
            result.add(cell, encoder.terms.or2(unborn, lives));
            result.mentions_next.insert(cell);
            for &(_, other) in handles[..index].iter().filter(|_| handles.len() <= MAX_DISTINCT) {
                let others = result.symbol(encoder, other);
                result.distinct.push((cell, other, encoder.terms.ne(handle, others)));
            }
        }
        result
    }

    fn symbol(&self, encoder: &mut Encoder<'_>, cell: CellId) -> Term {
        encoder.terms.symbol(encoder.cells.cells[cell].symbol, 0)
    }

    fn add_object(&mut self, encoder: &mut Encoder<'_>, cell: CellId) {
        let (none, object) = (encoder.object(0), self.symbol(encoder, cell));
        let fact = encoder.arithmetic.compare(&mut encoder.terms, BinaryOp::Le, OBJECT, none, object);
        self.add(cell, fact);
    }

    fn add(&mut self, cell: CellId, fact: Term) {
        if fact != Terms::TRUE {
            self.of[cell].push(fact);
        }
    }

    /// The facts about these cells and about those that are mentioned in these facts.
    pub(super) fn about(&self, encoder: &Encoder<'_>, cells: &[CellId]) -> Vec<Term> {
        let mut facts: Vec<Term> = cells.iter().flat_map(|&cell| &self.of[cell]).copied().collect();
        // Facts about other cells mention only the next object, and facts about the next object mention no
        // other cell.
        let next = encoder.cells.next_object;
        if !cells.contains(&next) && cells.iter().any(|&cell| self.mentions_next.contains(cell)) {
            facts.extend_from_slice(&self.of[next]);
        }
        let both = self.distinct.iter().filter(|(a, b, _)| cells.contains(a) && cells.contains(b));
        facts.extend(both.map(|&(.., fact)| fact));
        facts
    }
}
