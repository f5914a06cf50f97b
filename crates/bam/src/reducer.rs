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
//! exit. A loop as a block has no moves around it: `e_call` is `e_I`, and `e_r` is behind the loop.
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

/// At which end of a block a state is.
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
    /// What has no C expression.
    Other(String),
}

pub trait Reducer: Cpa {
    /// reduce(B, e_I): without what the block does not read.
    fn reduce(&mut self, block: &Block, entry: &Self::State) -> Result<Self::State, Stop>;

    /// `reduce` for precisions: without what does not matter in the block itself (its callees have their
    /// own).
    fn reduce_precision(&mut self, block: &Block, precision: &Self::Precision) -> Self::Precision;

    /// expand(e_I, B, e_o): with what `reduce` took away. `begun` is the reduced entry with which the summary
    /// began. It is `reduce` of `entry`, or a state that covers that: an entry that was widened, or that of a
    /// weaker summary. Domains whose exits speak of things at the entry find there what they were called.
    fn expand(
        &mut self,
        block: &Block,
        entry: &Self::State,
        begun: &Self::State,
        exit: &Self::State,
    ) -> Result<Self::State, Stop>;

    /// rebuild(e_call, e_I, e_O): in the words of the caller. `call` is the move into a function, None for a
    /// loop; None is the answer if the three have nothing in common. By default `expand` and the move back
    /// did it all.
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

    /// Appends all that the analysis of a block that begins with a reduced state depends on. Mandatory: a key
    /// that lacks something makes summaries wrong.
    fn cache_key(
        &mut self,
        block: &Block,
        reduced: &Self::State,
        precision: &Self::Precision,
        key: &mut CacheKey,
    );

    /// Where a block is entered from within itself again and again, or returns ever new states: an upper
    /// bound of the new reduced entry, or of the new exit, so that this ends. It need not cover the one
    /// before, which keeps its own summary, or is an exit already.
    fn widen(
        &mut self,
        block: &Block,
        before: &Self::State,
        now: &Self::State,
        side: Side,
    ) -> Result<Self::State, Stop>;

    /// What a reduced entry, or an exit, says, for contracts of functions. At the entry everything must be
    /// said, at the exit things may be left out.
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
            // The length before each part: parts of different lengths must not run into each other.
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
