//! The encoder: the data that are fixed for a program and an encoding, and the results of translation besides
//! terms: facts about fresh symbols, inputs in the order in which a run consumes them, and approximations.

use crate::arithmetic::{Arithmetic, BitVectors, Encoding, Integers};
use crate::cells::{CellId, Cells, Content, FRESH, OBJECT, offset_shape};
use crate::leaves::Leaves;
use crate::shape::{Shape, float_sort};
use crate::state::State;
use crate::value::{Pointer, Value};
use summa_base::FxHashMap;
use summa_c::tree::VarId;
use summa_c::types::{Type, TypeId};
use summa_cfa::{Cfa, EdgeId, HavocSource};
use summa_facts::Analyses;
use summa_term::{Sort, Term, Terms};

/// An operation that was translated to "any value".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approximation {
    pub edge: EdgeId,
    pub what: String,
}

/// A value that the program does not determine.
#[derive(Clone, Debug)]
pub struct Input {
    pub edge: EdgeId,
    pub source: InputSource,
    pub ty: TypeId,
    pub value: Value,
    /// The run consumes it where this holds.
    pub guard: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputSource {
    Havoc(HavocSource),
    /// The result of a function without body and model.
    External,
    /// What a scalar local holds before it is written.
    Uninitialised(VarId),
    /// What a part of another local, or of an object that became a variable, holds before it is written. The
    /// value may be a whole array by offset; the type of the input is that of its elements then.
    Contents {
        var: VarId,
        /// In bytes.
        offset: u64,
    },
}

pub struct Encoder<'a> {
    pub cfa: &'a Cfa,
    pub facts: &'a Analyses,
    pub encoding: Encoding,
    pub terms: Terms,
    pub cells: Cells,
    pub(crate) arithmetic: Box<dyn Arithmetic>,
    /// Facts about fresh symbols, which always hold.
    pub constraints: Vec<Term>,
    pub inputs: Vec<Input>,
    pub approximations: Vec<Approximation>,
    /// The last version of a fresh symbol, counted over all their families.
    pub(crate) fresh: u32,
    /// Pointers behind numbers that were made from them.
    pub(crate) numbers: FxHashMap<Term, Pointer>,
    /// The edge that is being translated, and where it is reached.
    pub(crate) edge: EdgeId,
    pub(crate) guard: Term,
}

impl<'a> Encoder<'a> {
    pub(crate) fn leaves(&self) -> Leaves<'a> {
        Leaves::new(self.cfa, self.facts)
    }

    pub fn new(cfa: &'a Cfa, facts: &'a Analyses, encoding: Encoding) -> Self {
        let mut terms = Terms::new();
        let arithmetic: Box<dyn Arithmetic> = match encoding {
            Encoding::Int => Box::new(Integers::default()),
            Encoding::BitVector => Box::new(BitVectors),
        };
        let cells = Cells::new(cfa, facts, &*arithmetic, &mut terms);
        Self {
            cfa,
            facts,
            encoding,
            terms,
            cells,
            arithmetic,
            constraints: Vec::new(),
            inputs: Vec::new(),
            approximations: Vec::new(),
            fresh: 0,
            numbers: FxHashMap::default(),
            edge: <EdgeId as summa_base::Id>::from_index(0),
            guard: Terms::TRUE,
        }
    }

    /// Adds a second cell for each, which holds its value at the entry of a block: see
    /// [`Paths::summary_entry`](crate::Paths::summary_entry). To be called before anything is translated.
    pub fn with_entry_copies(mut self) -> Self {
        self.cells.add_entry_copies(&mut self.terms);
        self
    }

    /// The state before the first edge: nothing is known but where new objects begin. A local that has not
    /// begun to live is an object of its own, older than all new ones.
    pub fn initial_state(&mut self) -> State {
        let mut state = State::symbolic(&self.cells, &mut self.terms, 0);
        let handles: Vec<(VarId, CellId)> = self.cells.handles().collect();
        for (var, handle) in handles {
            let object = self.object(i128::from(self.cells.var_object(var)));
            state.set(handle, object);
        }
        let first = i128::from(self.cells.first_free_object());
        let first = self.object(first);
        state.set(self.cells.next_object, first);
        state
    }

    /// The state that is `a` where `condition` holds and `b` elsewhere. Numbers of objects are never used
    /// twice, so the larger of two counters will do for both.
    pub fn merge(&mut self, condition: Term, a: &State, b: &State) -> State {
        let mut merged = a.merge(&mut self.terms, condition, b);
        let (x, y) = (a.get(self.cells.next_object), b.get(self.cells.next_object));
        let is_larger = match self.encoding {
            Encoding::Int => {
                let ahead = self.terms.sub(x, y);
                self.terms.as_int(ahead).and_then(|ahead| i128::try_from(ahead).ok()).map(|ahead| ahead >= 0)
            }
            Encoding::BitVector => {
                let ahead = self.terms.bv_sub(x, y);
                self.terms.as_bv(ahead).map(|(width, bits)| bits < 1 << (width - 1))
            }
        };
        if let Some(is_larger) = is_larger {
            merged.set(self.cells.next_object, if is_larger { x } else { y });
        }
        merged
    }

    pub(crate) fn note(&mut self, what: impl Into<String>) {
        let approximation = Approximation { edge: self.edge, what: what.into() };
        if !self.approximations.contains(&approximation) {
            self.approximations.push(approximation);
        }
    }

    // ---- fresh symbols ----

    /// A symbol that occurs nowhere else.
    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> Term {
        self.fresh += 1;
        debug_assert!(name.starts_with(FRESH), "{name} might be a cell");
        let symbol = self.terms.declare(name, sort);
        self.terms.symbol(symbol, self.fresh)
    }

    pub(crate) fn fresh_int(&mut self, shape: Shape) -> Term {
        // One family for each shape, since bounds are known by family.
        let sign = if shape.is_bool {
            'b'
        } else if shape.signed {
            's'
        } else {
            'u'
        };
        let name = format!("any.{sign}{}", shape.width);
        let sort = self.arithmetic.sort(shape);
        let term = self.fresh(&name, sort);
        if let Some((symbol, _)) = self.terms.as_symbol(term) {
            let fact = self.arithmetic.introduce(&mut self.terms, shape, symbol, term);
            self.assume(fact);
        }
        term
    }

    /// Any value of a scalar type.
    pub(crate) fn fresh_value(&mut self, ty: TypeId) -> Option<Value> {
        let types = &self.cfa.program.types;
        match types.get(ty) {
            Type::Int(_) => {
                let shape = Shape::of(types, ty)?;
                Some(Value::Scalar(self.fresh_int(shape)))
            }
            Type::Float(_) => {
                let sort = Sort::Float(float_sort(types, ty)?);
                Some(Value::Scalar(self.fresh("any.float", sort)))
            }
            Type::Pointer(_) => Some(Value::Pointer(self.fresh_pointer())),
            Type::Void | Type::Array(..) | Type::Function(_) | Type::Record(_) => None,
        }
    }

    pub(crate) fn fresh_pointer(&mut self) -> Pointer {
        let object = self.fresh_int(OBJECT);
        let offset = self.fresh("any.offset", self.arithmetic.sort(offset_shape(self.cfa)));
        Pointer { object, offset }
    }

    pub(crate) fn fresh_cell(&mut self, cell: CellId) -> Term {
        let sort = self.cells.cells[cell].sort;
        self.fresh(&format!("any.{cell}"), sort)
    }

    /// Any value that the cell can hold.
    pub(crate) fn fresh_content(&mut self, cell: CellId) -> Term {
        match self.cells.cells[cell].shape {
            Some(shape) => self.fresh_int(shape),
            None => self.fresh_cell(cell),
        }
    }

    /// Adds a fact that excludes no values of other symbols: fresh symbols can always be chosen so that it
    /// holds, or it holds for all values of its terms. Only such a fact may be known on other paths too, and
    /// where paths meet it is.
    pub(crate) fn assume(&mut self, fact: Term) {
        if fact != Terms::TRUE {
            self.constraints.push(fact);
        }
    }

    /// A fact about executions on the current branch. It says nothing about others.
    pub(crate) fn assume_here(&mut self, fact: Term) {
        let elsewhere = self.terms.not(self.guard);
        let fact = self.terms.or2(elsewhere, fact);
        self.assume(fact);
    }

    // ---- constants ----

    pub(crate) fn object(&mut self, number: i128) -> Term {
        self.arithmetic.constant(&mut self.terms, OBJECT, number)
    }

    pub(crate) fn offset(&mut self, bytes: i128) -> Term {
        self.arithmetic.constant(&mut self.terms, offset_shape(self.cfa), bytes)
    }

    pub(crate) fn null(&mut self) -> Pointer {
        Pointer { object: self.object(0), offset: self.offset(0) }
    }

    /// The zero of what a cell of this content holds, part by part.
    pub(crate) fn zero(&mut self, content: Content) -> Vec<Term> {
        match content {
            Content::Int(shape) => vec![self.arithmetic.constant(&mut self.terms, shape, 0)],
            Content::Bytes => vec![self.arithmetic.constant(&mut self.terms, crate::cells::BYTE, 0)],
            Content::Float(sort) => vec![self.terms.float(sort, 0)],
            Content::Pointer => {
                let null = self.null();
                vec![null.object, null.offset]
            }
        }
    }

    // ---- offsets: plain numbers in the integer encoding, since objects are smaller than the address space
    // ----

    pub(crate) fn offset_add(&mut self, a: Term, b: Term) -> Term {
        match self.encoding {
            Encoding::Int => self.terms.add2(a, b),
            Encoding::BitVector => self.terms.bv_add(a, b),
        }
    }

    pub(crate) fn offset_sub(&mut self, a: Term, b: Term) -> Term {
        match self.encoding {
            Encoding::Int => self.terms.sub(a, b),
            Encoding::BitVector => self.terms.bv_sub(a, b),
        }
    }

    pub(crate) fn offset_scale(&mut self, a: Term, by: u64) -> Term {
        let factor = self.offset(i128::from(by));
        match self.encoding {
            Encoding::Int => self.terms.mul(factor, a),
            Encoding::BitVector => self.terms.bv_mul(a, factor),
        }
    }
}
