//! The value domain (explicit values): an exact constant for each followed cell, or nothing. For cells that a
//! refinement asks for, it also follows the fact that they are not zero.
//!
//! Paper: Beyer, Löwe, *Explicit-state software model checking based on CEGAR and interpolation*, FASE 2013.
//! `cells` says what is followed, `constant` what operators mean. `post` and `learn` are the transfer
//! relation, and `refine` finds precisions.
//!
//! Limits: heap objects and large arrays are not followed. A value is known exactly, or known not to be zero,
//! or not known at all.

mod answer;
pub mod cells;
mod code;
pub mod constant;
mod eval;
mod learn;
mod library;
mod portable;
mod post;
mod precision;
mod reduce;
mod refine;
mod refine_blocks;
mod say;
mod settings;
mod state;

pub use cells::{CellId, Cells};
pub use constant::Constant;
pub use eval::Semantics;
pub use post::Limits;
pub use precision::{Precision, Scope};
pub use refine::{Refutation, Restart, Score, ValueRefiner};
pub use refine_blocks::BlockValueRefiner;
pub use settings::{ValuePrecision, ValueSettings};
pub use state::Values;

use crate::block_vars::AllBlockVars;
use summa_cfa::{Cfa, NodeId};
use summa_cpa::{Answer, Arrival, Cpa, Move, Nobody, Oracle, Query, Signature, Stop};
use summa_facts::Analyses;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// merge^sep: states stay apart.
    Sep,
    /// merge^join: what differs is forgotten.
    Join,
}

/// The cells that are followed before any refinement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    All,
    Nothing,
    /// Variables that are only assigned and compared for equality: they take few values, so that they unroll
    /// no loops.
    Simple,
}

#[derive(Clone, Copy, Debug)]
pub struct Options {
    pub merge: Merge,
    pub follow: Follow,
    /// A cell that had more than this number of different values on a path is no longer followed on it, so
    /// that loops without a bound end. If everything is followed, refinement lifts this limit for the cells
    /// that it needs.
    pub distinct_values: Option<usize>,
}

impl Default for Options {
    /// Everything is followed.
    fn default() -> Self {
        Self { merge: Merge::Sep, follow: Follow::All, distinct_values: None }
    }
}

impl Options {
    /// For refinement: nothing is followed at first.
    pub fn lazy() -> Self {
        Self { follow: Follow::Nothing, ..Self::default() }
    }

    /// For refinement: nothing is followed at first; when everything is, then as if it had been from the
    /// beginning.
    pub fn growing() -> Self {
        Self { distinct_values: Self::limited().distinct_values, ..Self::lazy() }
    }

    /// For refinement: everything is followed at first, but only as long as it takes few values on a path.
    pub fn limited() -> Self {
        Self { distinct_values: Some(22), ..Self::default() }
    }
}

pub struct Value<'a> {
    pub semantics: Semantics<'a>,
    pub options: Options,
    /// The precision with which explorations begin.
    pub precision: Precision,
    block_vars: AllBlockVars<'a>,
}

impl<'a> Value<'a> {
    pub fn new(cfa: &'a Cfa, facts: &'a Analyses, options: Options) -> Self {
        let semantics = Semantics::new(cfa, facts);
        let precision = match options.follow {
            Follow::All => Precision::all(),
            Follow::Nothing => Precision::nothing(),
            Follow::Simple => {
                let simple = facts.variables.equality_only.iter();
                Precision::of(simple.flat_map(|var| semantics.cells.of_var(var)).collect())
            }
        };
        Self { semantics, options, precision, block_vars: AllBlockVars::new(cfa, facts) }
    }

    /// Another component knows the value of a cell at a location. The value is accepted if the cell would be
    /// followed there: by the precision, by its number of values, and because it is read later.
    pub(crate) fn learn(
        &self,
        state: &mut Values,
        cell: CellId,
        value: Constant,
        precision: &Precision,
        node: NodeId,
    ) {
        let semantics = &self.semantics;
        let limit = self.options.distinct_values.filter(|_| !precision.is_exact(cell));
        let is_followed = precision.tracks(node, cell)
            && semantics.facts.live.is_live(node, semantics.cells.get(cell).var)
            && limit.is_none_or(|limit| state.count(cell, value, limit));
        if is_followed {
            state.set(cell, value);
        }
    }

    /// Nothing is known.
    pub fn unknown(&self) -> Values {
        Values::unknown(self.semantics.cells.len())
    }
}

impl Cpa for Value<'_> {
    type State = Values;
    type Precision = Precision;

    fn initial(&mut self, _: NodeId) -> (Values, Precision) {
        (self.unknown(), self.precision.clone())
    }

    fn transfer(&mut self, state: &Values, precision: &Precision, by: Move) -> Result<Vec<Values>, Stop> {
        self.transfer_asking(state, precision, by, &Nobody)
    }

    /// Others are asked for indexes.
    fn transfer_asking(
        &mut self,
        state: &Values,
        precision: &Precision,
        by: Move,
        others: &dyn Oracle,
    ) -> Result<Vec<Values>, Stop> {
        let limits = Limits { precision, distinct_values: self.options.distinct_values };
        Ok(self.semantics.post_asking(state, by, limits, others).into_iter().collect())
    }

    fn answer(&self, state: &Values, query: Query) -> Answer {
        self.semantics.answer(state, query)
    }

    fn merge(
        &mut self,
        state: &Values,
        reached: &Values,
        _: &Precision,
        at: &Arrival,
    ) -> Result<Option<Values>, Stop> {
        // Each target must be seen with its own way.
        let is_joined = self.options.merge == Merge::Join && !at.is_target;
        Ok(if is_joined { reached.join(state) } else { None })
    }

    fn never_merges(&self) -> bool {
        self.options.merge == Merge::Sep
    }

    /// stop^sep.
    fn stop(&mut self, state: &Values, reached: &Values, _: &Precision) -> Result<bool, Stop> {
        Ok(state.is_below(reached))
    }

    fn prec(
        &mut self,
        mut state: Values,
        precision: &Precision,
        at: &Arrival,
    ) -> Result<Option<(Values, Precision)>, Stop> {
        precision.restrict(&mut state, at.node);
        Ok(Some((state, precision.clone())))
    }

    /// A covering state has a subset of the facts of the covered one.
    fn signature(&self, state: &Values) -> Signature {
        state.signature()
    }

    fn show(&self, state: &Values) -> String {
        let (program, cells) = (&self.semantics.cfa.program, &self.semantics.cells);
        let bindings = state.iter().map(|(id, value)| {
            let cell = cells.get(id);
            let value = constant::show(program, cell.width, cell.is_signed, value);
            format!("{} = {value}", cells.name(program, id))
        });
        let bindings: Vec<String> = bindings.collect();
        if bindings.is_empty() { String::new() } else { format!("{{{}}}", bindings.join(", ")) }
    }
}
