//! All domains by name, as one type: the components of products.
//!
//! A new domain is its file and one line below. The macro writes the sum type of the domains, of their states
//! and of their precisions, and sends each operator to the domain; a state of one domain never meets another
//! domain, because products keep their components in order.

use crate::callstack::Callstack;
use crate::interval::Intervals;
use crate::linear::Linear;
use crate::location::Location;
use crate::loop_bound::LoopBound;
use crate::octagon::Octagons;
use crate::predicate::Predicate;
use crate::sign::SignDomain;
use crate::specification::Specification;
use crate::value::Value;
use serde_json::Value as Json;
use summa_bam::{CacheKey, Clause, Reducer, Side, Storable};
use summa_cfa::NodeId;
use summa_cpa::{
    ArgId, Arrival, Component, Cpa, Key, Misfit, Move, Portable, Product, Reached, Signature, Stop,
};
use summa_facts::blocks::Block;

macro_rules! domains {
    ($($name:literal => $variant:ident($domain:ident),)*) => {
        /// Any domain.
        #[allow(clippy::large_enum_variant, reason = "a product has a handful of them, and they are never \
            moved")]
        pub enum Domain<'a> { $($variant($domain<'a>),)* }

        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyState { $($variant(<$domain<'static> as Cpa>::State),)* }

        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyPrecision { $($variant(<$domain<'static> as Cpa>::Precision),)* }

        impl Domain<'_> {
            /// The names of all domains, as configurations write them.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            pub fn name(&self) -> &'static str {
                match self { $(Self::$variant(_) => $name,)* }
            }
        }

        impl<'a> Cpa for Domain<'a> {
            type State = AnyState;
            type Precision = AnyPrecision;

            fn initial(&mut self, node: NodeId) -> (AnyState, AnyPrecision) {
                match self { $(Self::$variant(domain) => {
                    let (state, precision) = domain.initial(node);
                    (AnyState::$variant(state), AnyPrecision::$variant(precision))
                })* }
            }

            fn moves(&self, state: &AnyState, moves: &mut Vec<Move>) {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.moves(state, moves),)*
                    _ => mixed_up(),
                }
            }

            fn transfer(
                &mut self,
                state: &AnyState,
                precision: &AnyPrecision,
                by: Move,
            ) -> Result<Vec<AnyState>, Stop> {
                match (self, state, precision) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(state),
                        AnyPrecision::$variant(precision),
                    ) => {
                        let successors = domain.transfer(state, precision, by)?;
                        Ok(successors.into_iter().map(AnyState::$variant).collect())
                    })*
                    _ => mixed_up(),
                }
            }

            fn merge(
                &mut self,
                state: &AnyState,
                reached: &AnyState,
                precision: &AnyPrecision,
                at: &Arrival,
            ) -> Result<Option<AnyState>, Stop> {
                match (self, state, reached, precision) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(state),
                        AnyState::$variant(reached),
                        AnyPrecision::$variant(precision),
                    ) => Ok(domain.merge(state, reached, precision, at)?.map(AnyState::$variant)),)*
                    _ => mixed_up(),
                }
            }

            fn never_merges(&self) -> bool {
                match self { $(Self::$variant(domain) => domain.never_merges(),)* }
            }

            fn stop(
                &mut self,
                state: &AnyState,
                reached: &AnyState,
                precision: &AnyPrecision,
            ) -> Result<bool, Stop> {
                match (self, state, reached, precision) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(state),
                        AnyState::$variant(reached),
                        AnyPrecision::$variant(precision),
                    ) => domain.stop(state, reached, precision),)*
                    _ => mixed_up(),
                }
            }

            fn prec(
                &mut self,
                state: AnyState,
                precision: &AnyPrecision,
                at: &Arrival,
            ) -> Result<Option<(AnyState, AnyPrecision)>, Stop> {
                match (self, state, precision) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(state),
                        AnyPrecision::$variant(precision),
                    ) => {
                        let adjusted = domain.prec(state, precision, at)?;
                        Ok(adjusted.map(|(s, p)| (AnyState::$variant(s), AnyPrecision::$variant(p))))
                    })*
                    _ => mixed_up(),
                }
            }

            fn is_target(&self, state: &AnyState) -> bool {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.is_target(state),)*
                    _ => mixed_up(),
                }
            }

            fn key(&self, state: &AnyState, key: &mut Key) {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.key(state, key),)*
                    _ => mixed_up(),
                }
            }

            fn signature(&self, state: &AnyState) -> Signature {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.signature(state),)*
                    _ => mixed_up(),
                }
            }

            fn show(&self, state: &AnyState) -> String {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.show(state),)*
                    _ => mixed_up(),
                }
            }
        }

        impl Reducer for Domain<'_> {
            fn reduce(&mut self, block: &Block, entry: &AnyState) -> Result<AnyState, Stop> {
                match (self, entry) {
                    $((Self::$variant(domain), AnyState::$variant(entry)) => {
                        Ok(AnyState::$variant(domain.reduce(block, entry)?))
                    })*
                    _ => mixed_up(),
                }
            }

            #[allow(clippy::unit_arg, reason = "some precisions say nothing")]
            fn reduce_precision(&mut self, block: &Block, precision: &AnyPrecision) -> AnyPrecision {
                match (self, precision) {
                    $((Self::$variant(domain), AnyPrecision::$variant(precision)) => {
                        AnyPrecision::$variant(domain.reduce_precision(block, precision))
                    })*
                    _ => mixed_up(),
                }
            }

            fn expand(
                &mut self,
                block: &Block,
                entry: &AnyState,
                begun: &AnyState,
                exit: &AnyState,
            ) -> Result<AnyState, Stop> {
                match (self, entry, begun, exit) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(entry),
                        AnyState::$variant(begun),
                        AnyState::$variant(exit),
                    ) => Ok(AnyState::$variant(domain.expand(block, entry, begun, exit)?)),)*
                    _ => mixed_up(),
                }
            }

            fn rebuild(
                &mut self,
                block: &Block,
                call: Option<Move>,
                before: &AnyState,
                entry: &AnyState,
                exit: AnyState,
            ) -> Result<Option<AnyState>, Stop> {
                match (self, before, entry, exit) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(before),
                        AnyState::$variant(entry),
                        AnyState::$variant(exit),
                    ) => Ok(domain.rebuild(block, call, before, entry, exit)?.map(AnyState::$variant)),)*
                    _ => mixed_up(),
                }
            }

            fn cache_key(
                &mut self,
                block: &Block,
                reduced: &AnyState,
                precision: &AnyPrecision,
                key: &mut CacheKey,
            ) {
                match (self, reduced, precision) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(reduced),
                        AnyPrecision::$variant(precision),
                    ) => {
                        domain.cache_key(block, reduced, precision, key);
                    })*
                    _ => mixed_up(),
                }
            }

            fn contract(&mut self, block: &Block, state: &AnyState, side: Side) -> Vec<Clause> {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => {
                        domain.contract(block, state, side)
                    })*
                    _ => mixed_up(),
                }
            }

            fn widen(
                &mut self,
                block: &Block,
                before: &AnyState,
                now: &AnyState,
                side: Side,
            ) -> Result<AnyState, Stop> {
                match (self, before, now) {
                    $((Self::$variant(domain), AnyState::$variant(before), AnyState::$variant(now)) => {
                        Ok(AnyState::$variant(domain.widen(block, before, now, side)?))
                    })*
                    _ => mixed_up(),
                }
            }
        }

        impl Portable for Domain<'_> {
            fn save(&self, state: &AnyState) -> Result<Json, Misfit> {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.save(state),)*
                    _ => mixed_up(),
                }
            }

            fn load(&mut self, saved: &Json) -> Result<AnyState, Misfit> {
                match self { $(Self::$variant(domain) => Ok(AnyState::$variant(domain.load(saved)?)),)* }
            }
        }

        impl Storable for Domain<'_> {
            fn save_precision(&self, precision: &AnyPrecision) -> Result<Json, Misfit> {
                match (self, precision) {
                    $((Self::$variant(domain), AnyPrecision::$variant(precision)) => {
                        domain.save_precision(precision)
                    })*
                    _ => mixed_up(),
                }
            }

            fn load_precision(&mut self, saved: &Json, into: &mut AnyPrecision) -> Result<(), Misfit> {
                match (self, into) {
                    $((Self::$variant(domain), AnyPrecision::$variant(into)) => {
                        domain.load_precision(saved, into)
                    })*
                    _ => mixed_up(),
                }
            }

            fn as_reduced(&mut self, block: &Block, loaded: AnyState) -> Result<AnyState, Misfit> {
                match (self, loaded) {
                    $((Self::$variant(domain), AnyState::$variant(loaded)) => {
                        Ok(AnyState::$variant(domain.as_reduced(block, loaded)?))
                    })*
                    _ => mixed_up(),
                }
            }
        }
    };
}

domains! {
    "location" => Location(Location),
    "callstack" => Callstack(Callstack),
    "specification" => Specification(Specification),
    "loop-bound" => LoopBound(LoopBound),
    "value" => Value(Value),
    "interval" => Interval(Intervals),
    "sign" => Sign(SignDomain),
    "linear" => Linear(Linear),
    "octagon" => Octagon(Octagons),
    "predicate" => Predicate(Predicate),
}

/// A bug: a product was put together from other components than its states.
fn mixed_up() -> ! {
    unreachable!("the state of one domain was given to another")
}

impl Component for Domain<'_> {
    fn fcover_in(
        product: &mut Product<Self>,
        index: usize,
        reached: &mut Reached<Product<Self>>,
        state: ArgId,
    ) -> Result<bool, Stop> {
        match &product.components[index] {
            Self::Predicate(predicate) if predicate.settings.forced_covering => {
                crate::predicate::fcover(product, index, reached, state)
            }
            _ => Ok(false),
        }
    }
}
