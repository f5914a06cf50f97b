//! The three operators that make a domain interprocedural: reduce, expand, rebuild.
//!
//! Paper: Beyer, Friedberger, *Domain-Independent Interprocedural Program Analysis using Block-Abstraction
//! Memoization*, ESEC/FSE 2020, Section 3.1. A call of a function is taken apart so:
//!
//! ```text
//! e_call ──Enter──▶ e_I ──reduce──▶ e_i ──the block──▶ e_o
//!     ──expand──▶ e_O ──rebuild──▶ e_r ──Leave──▶ behind the call
//! ```
//!
//! `e_call` is before the call, `e_I` and `e_i` are at the entry of the block, `e_o`, `e_O` and `e_r` at its
//! exit. A loop as a block has no moves around it: `e_call` is `e_I`, and `e_r` is after the loop.
//!
//! What must hold, and is tested for every domain:
//! * *Over-approximation*: every concrete way from `e_call` through the block to behind it that exists is
//!   also one of the states that come out of the chain above.
//! * *The key holds all that the block reads*: states with equal keys have the same exits.
//! * *Widening ends*: a chain of entries, or of exits, in which each is the widening of the one before and
//!   anything else becomes stable.

use summa_cpa::product::Component;
use summa_cpa::{Cpa, Move, Product, Stop};
use summa_facts::blocks::Block;

/// Distinguishes entries of one block: equal keys mean equal summaries.
pub type CacheKey = Vec<u64>;

/// The end of a block at which a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Entry,
    Exit,
}

/// A part of what a state says to the callers of a function.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Clause {
    /// A C expression that is not zero; with `\old(x)`, `\result` and `\false`.
    C(String),
    /// A fact without a C expression.
    Other(String),
}

pub trait Reducer: Cpa {
    /// reduce(B, e_I): the entry without what the block does not read.
    fn reduce(&mut self, block: &Block, entry: &Self::State) -> Result<Self::State, Stop>;

    /// `reduce` for precisions: the precision without what does not matter in the block itself (its callees
    /// have their own).
    fn reduce_precision(&mut self, block: &Block, precision: &Self::Precision) -> Self::Precision;

    /// expand(e_I, B, e_o): the exit together with what `reduce` removed. `begun` is the reduced entry with
    /// which the summary began: `reduce` of `entry`, or a state that covers it, because the entry was widened
    /// or a weaker summary is used. If exits of a domain refer to things at the entry, `begun` says how they
    /// were named.
    fn expand(
        &mut self,
        block: &Block,
        entry: &Self::State,
        begun: &Self::State,
        exit: &Self::State,
    ) -> Result<Self::State, Stop>;

    /// rebuild(e_call, e_I, e_O): the exit from the caller's view. `call` is the move into a function, None
    /// for a loop. The result is None if no concrete state fits all three. By default `expand` and the move
    /// back do everything.
    fn rebuild(
        &mut self,
        _block: &Block,
        _call: Option<Move>,
        _before: &Self::State,
        _entry: &Self::State,
        exit: Self::State,
    ) -> Result<Option<Self::State>, Stop> {
        Ok(Some(exit))
    }

    /// Appends everything on which the analysis of a block from a reduced state depends. This must be
    /// complete: an incomplete key makes summaries wrong.
    fn cache_key(
        &mut self,
        block: &Block,
        reduced: &Self::State,
        precision: &Self::Precision,
        key: &mut CacheKey,
    );

    /// Widens the entry of a block that is entered from within itself again and again, or the exit of one
    /// that returns new states without end: an upper bound of the new reduced entry, or of the new exit, so
    /// that this ends. It need not cover the previous one, which keeps its own summary, or is an exit
    /// already.
    fn widen(
        &mut self,
        block: &Block,
        before: &Self::State,
        now: &Self::State,
        side: Side,
    ) -> Result<Self::State, Stop>;

    /// What a reduced entry or an exit says, for contracts of functions. At the entry everything must be
    /// said. At the exit facts may be left out.
    fn contract(&mut self, _block: &Block, _state: &Self::State, _side: Side) -> Vec<Clause> {
        Vec::new()
    }
}

/// By component.
impl<D: Component + Reducer> Reducer for Product<D> {
    fn reduce(&mut self, block: &Block, entry: &Self::State) -> Result<Self::State, Stop> {
        let states = self.components.iter_mut().zip(entry.iter());
        states.map(|(component, state)| component.reduce(block, state)).collect()
    }

    fn reduce_precision(&mut self, block: &Block, precision: &Self::Precision) -> Self::Precision {
        let precisions = self.components.iter_mut().zip(precision.iter());
        precisions.map(|(component, precision)| component.reduce_precision(block, precision)).collect()
    }

    fn expand(
        &mut self,
        block: &Block,
        entry: &Self::State,
        begun: &Self::State,
        exit: &Self::State,
    ) -> Result<Self::State, Stop> {
        let components = self.components.iter_mut().enumerate();
        components.map(|(i, component)| component.expand(block, &entry[i], &begun[i], &exit[i])).collect()
    }

    fn rebuild(
        &mut self,
        block: &Block,
        call: Option<Move>,
        before: &Self::State,
        entry: &Self::State,
        exit: Self::State,
    ) -> Result<Option<Self::State>, Stop> {
        let mut rebuilt = Vec::with_capacity(exit.len());
        for (i, component) in self.components.iter_mut().enumerate() {
            match component.rebuild(block, call, &before[i], &entry[i], exit[i].clone())? {
                Some(state) => rebuilt.push(state),
                None => return Ok(None),
            }
        }
        Ok(Some(rebuilt.into()))
    }

    fn cache_key(
        &mut self,
        block: &Block,
        reduced: &Self::State,
        precision: &Self::Precision,
        key: &mut CacheKey,
    ) {
        for (i, component) in self.components.iter_mut().enumerate() {
            // The length before each part keeps parts of different lengths apart.
            let start = key.len();
            key.push(0);
            component.cache_key(block, &reduced[i], &precision[i], key);
            key[start] = (key.len() - start) as u64;
        }
    }

    fn widen(
        &mut self,
        block: &Block,
        before: &Self::State,
        now: &Self::State,
        side: Side,
    ) -> Result<Self::State, Stop> {
        let states = self.components.iter_mut().zip(before.iter().zip(now.iter()));
        states.map(|(component, (before, now))| component.widen(block, before, now, side)).collect()
    }

    fn contract(&mut self, block: &Block, state: &Self::State, side: Side) -> Vec<Clause> {
        let states = self.components.iter_mut().zip(state.iter());
        states.flat_map(|(component, state)| component.contract(block, state, side)).collect()
    }
}
