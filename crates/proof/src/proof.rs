//! The parts of a proof.
//!
//! Formulas are rows of text over the names of cells (see [`summa_term::portable`]). So a proof belongs to no
//! run, and every checker reads it into terms of its own. Formulas speak of cells in version 0: the values at
//! the place where the formula stands. In a procedure other than that of the whole program they may also use
//! the copies that cells have of their values at its entry.

use summa_base::FxHashMap;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_encode::{CellId, CellNames, Encoder, Encoding};
use summa_facts::Analyses;
use summa_term::portable::{Rows, digests, write};
use summa_term::{Term, Terms};

/// A formula of a proof, by its number there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Formula(pub(crate) usize);

/// Where control is inside of a procedure: the calls that wait for their callee, outermost first, and the
/// location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub calls: Vec<EdgeId>,
    pub node: NodeId,
}

impl Place {
    /// The functions that are active there: the procedure's own, and those that were called on the way.
    pub fn functions(&self, cfa: &Cfa, procedure: FuncId) -> Vec<FuncId> {
        let called = self.calls.iter().filter_map(|&call| match cfa.edge(call).op {
            Op::Call { callee, .. } => Some(callee),
            _ => None,
        });
        called.chain([procedure]).collect()
    }
}

/// Whenever control is at the place, the formula of one of the points there holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub place: Place,
    pub formula: Formula,
}

/// A function with a contract: if `requires` holds when it is entered, no error is reached before it returns,
/// and then `ensures` holds. A function may have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Procedure {
    pub function: FuncId,
    /// Over the inputs of the function.
    pub requires: Formula,
    /// Over what it changes, and copies of its inputs.
    pub ensures: Formula,
    pub points: Vec<Point>,
}

/// How the formulas show that no error is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// By induction over visits of cut points; with k = 0 the rule of Floyd and Hoare.
    Induction { k: u32 },
    /// Every execution ends before it enters a loop, or a function from within itself, more often than this.
    Unrolling { bound: u32 },
}

/// A proof that no error of a program is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// How formulas are written.
    pub encoding: Encoding,
    pub method: Method,
    /// What else holds in every execution. Each of these sets of points is inductive if the sets before it
    /// hold.
    pub lemmas: Vec<Vec<Point>>,
    /// The first is that of the whole program.
    pub procedures: Vec<Procedure>,
    pub(crate) formulas: Rows,
}

impl Proof {
    /// A digest for the contract of each procedure. It depends only on what the contract says, in names by
    /// content, so equal digests are equal contracts, in this program and in one that was changed elsewhere.
    /// `hash` must have no collisions. None for a contract that speaks of something without such a name.
    pub fn contract_digests(
        &self,
        cfa: &Cfa,
        facts: &Analyses,
        hash: impl Fn(&[u8]) -> [u8; 32],
    ) -> Vec<Option<[u8; 32]>> {
        let mut encoder = Encoder::new(cfa, facts, self.encoding);
        if self.procedures.len() > 1 {
            encoder = encoder.with_entry_copies();
        }
        let names = CellNames::new(&encoder);
        let cells: FxHashMap<&str, CellId> = encoder
            .cells
            .cells
            .iter()
            .map(|(id, cell)| (encoder.terms.symbol_name(cell.symbol), id))
            .collect();
        // Objects have numbers in the order of the program: functions, then variables.
        let functions: Vec<&str> = cfa.program.functions.ids().map(|id| cfa.names().function(id)).collect();
        let variables: Vec<&str> = cfa.program.vars.ids().map(|id| cfa.names().variable(id)).collect();
        let objects = format!("{:?}", hash(format!("{functions:?} {variables:?}").as_bytes()));
        let name = |symbol: &str| match cells.get(symbol) {
            Some(&cell) if names.is_object(cell) => Some(format!("{} among {objects}", names.name(cell)?)),
            Some(&cell) => names.name(cell).map(str::to_owned),
            None => Some(format!("{symbol} among {objects}")),
        };
        let rows = digests(&self.formulas, name, &hash);
        let of = |formula: Formula| rows.get(*self.formulas.roots.get(formula.0)?).copied().flatten();
        let contracts = self.procedures.iter().map(|procedure| {
            let said = [of(procedure.requires)?, of(procedure.ensures)?].concat();
            Some(hash(&[self.encoding.name().as_bytes(), &said].concat()))
        });
        contracts.collect()
    }

    /// How many formulas it has at places of the program.
    pub fn size(&self) -> usize {
        let points = self.procedures.iter().map(|procedure| procedure.points.len() + 2);
        points.sum::<usize>() + self.lemmas.iter().map(Vec::len).sum::<usize>()
    }
}

/// A proof that is being written.
#[derive(Debug, Default)]
pub struct Draft {
    roots: Vec<Term>,
    numbers: FxHashMap<Term, Formula>,
    pub lemmas: Vec<Vec<Point>>,
    pub procedures: Vec<Procedure>,
}

impl Draft {
    /// A formula over cells in version 0. All formulas come from one store.
    pub fn formula(&mut self, term: Term) -> Formula {
        let roots = &mut self.roots;
        *self.numbers.entry(term).or_insert_with(|| {
            roots.push(term);
            Formula(roots.len() - 1)
        })
    }

    /// # Errors
    /// A formula that cannot be written.
    pub fn finish(self, terms: &Terms, encoding: Encoding, method: Method) -> Result<Proof, String> {
        let formulas = write(terms, &self.roots)?;
        Ok(Proof { encoding, method, lemmas: self.lemmas, procedures: self.procedures, formulas })
    }
}
