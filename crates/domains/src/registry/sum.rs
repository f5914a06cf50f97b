//! The sum type of the domains: each operator goes to the domain whose state it is given.
//!
//! A state of one domain never meets another domain, because products keep their components in order.

use super::Domain;
use summa_cpa::{ArgId, Component, Product, Reached, Stop};

/// The list of domains as types, and as data.
macro_rules! domains {
    ($($variant:ident($module:ident::$domain:ident),)*) => {
        /// Any domain.
        #[allow(clippy::large_enum_variant, reason = "a product has a handful of them, and they are never \
            moved")]
        pub enum Domain<'a> {
            $($variant(crate::$module::$domain<'a>),)*
            /// One that is not in the list.
            Opened(Opened<'a>),
        }

        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyState {
            $($variant(<crate::$module::$domain<'static> as summa_cpa::Cpa>::State),)*
            Opened(OpenState),
        }

        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyPrecision {
            $($variant(<crate::$module::$domain<'static> as summa_cpa::Cpa>::Precision),)*
            Opened(OpenPrecision),
        }

        impl Domain<'_> {
            /// The names of the domains in the list, as configurations write them.
            pub const NAMES: &'static [&'static str] =
                &[$(<crate::$module::$domain<'static> as Configured<'static>>::NAME),*];

            pub fn name(&self) -> &'static str {
                match self {
                    $(Self::$variant(_) => <crate::$module::$domain<'static> as Configured<'static>>::NAME,)*
                    Self::Opened(domain) => domain.name(),
                }
            }
        }

        /// The domains of the list.
        const REGISTRATIONS: &[Registration] = &[$(
            Registration::of::<crate::$module::$domain<'static>>(|settings, setup| {
                let settings = settings_of(settings);
                let domain = Domain::$variant(<crate::$module::$domain<'_>>::make(settings, setup)?);
                Ok(Made { domain, refiners: <crate::$module::$domain<'_>>::refiners(settings, setup) })
            }),
        )*];

        $crate::registry::sum::operators! { $($variant)* Opened }
    };
}

/// All operators, for the cases of the sum type.
macro_rules! operators {
    ($($variant:ident)*) => {
        use $crate::registry::sum::mixed_up;
        use $crate::says::{Fact, Observed, PredicatePrecision, ProofStyle, Says, ScalarFact};
        use serde_json::Value as Json;
        use summa_bam::{CacheKey, Clause, Reducer, Side, Storable};
        use summa_cfa::{EdgeId, NodeId};
        use summa_cpa::{
            Answer, Arrival, Cpa, Key, Misfit, Move, Oracle, Portable, Query, Signature,
        };
        use summa_facts::blocks::Block;
        use summa_logic::{Invariants, Workbench};
        use summa_smt::Statistics;

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

            fn transfer_asking(
                &mut self,
                state: &AnyState,
                precision: &AnyPrecision,
                by: Move,
                others: &dyn Oracle,
            ) -> Result<Vec<AnyState>, Stop> {
                match (self, state, precision) {
                    $((
                        Self::$variant(domain),
                        AnyState::$variant(state),
                        AnyPrecision::$variant(precision),
                    ) => {
                        let successors = domain.transfer_asking(state, precision, by, others)?;
                        Ok(successors.into_iter().map(AnyState::$variant).collect())
                    })*
                    _ => mixed_up(),
                }
            }

            fn answer(&self, state: &AnyState, query: Query) -> Answer {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.answer(state, query),)*
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

        impl<'a> Says<'a> for Domain<'a> {
            fn facts(&self, state: &AnyState) -> Result<Vec<Fact>, String> {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.facts(state),)*
                    _ => mixed_up(),
                }
            }

            fn exit_facts(&self, state: &AnyState) -> Vec<Fact> {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.exit_facts(state),)*
                    _ => mixed_up(),
                }
            }

            fn fixed_facts(&self) -> Vec<ScalarFact> {
                match self { $(Self::$variant(domain) => domain.fixed_facts(),)* }
            }

            fn waiting_calls(&self, state: &AnyState) -> Option<Vec<EdgeId>> {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.waiting_calls(state),)*
                    _ => mixed_up(),
                }
            }

            fn observed(&self, state: &AnyState) -> Observed {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.observed(state),)*
                    _ => mixed_up(),
                }
            }

            fn is_cut_off(&self, state: &AnyState) -> bool {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.is_cut_off(state),)*
                    _ => mixed_up(),
                }
            }

            fn is_telling(&self, state: &AnyState) -> bool {
                match (self, state) {
                    $((Self::$variant(domain), AnyState::$variant(state)) => domain.is_telling(state),)*
                    _ => mixed_up(),
                }
            }

            fn proof_style(&self) -> ProofStyle {
                match self { $(Self::$variant(domain) => domain.proof_style(),)* }
            }

            fn set_bound(&mut self, bound: u32) {
                match self { $(Self::$variant(domain) => domain.set_bound(bound),)* }
            }

            fn workbench(&mut self) -> Option<&mut Workbench<'a>> {
                match self { $(Self::$variant(domain) => domain.workbench(),)* }
            }

            fn granted(&self) -> Option<&Invariants> {
                match self { $(Self::$variant(domain) => domain.granted(),)* }
            }

            fn predicates<'s>(
                &'s self,
                precision: &'s AnyPrecision,
            ) -> Option<(&'s Workbench<'a>, &'s PredicatePrecision)> {
                match (self, precision) {
                    $((Self::$variant(domain), AnyPrecision::$variant(precision)) => {
                        domain.predicates(precision)
                    })*
                    _ => mixed_up(),
                }
            }

            fn add_predicates(&self, precision: &mut AnyPrecision, more: &PredicatePrecision) {
                match (self, precision) {
                    $((Self::$variant(domain), AnyPrecision::$variant(precision)) => {
                        domain.add_predicates(precision, more);
                    })*
                    _ => mixed_up(),
                }
            }

            fn counts(&self) -> Vec<(&'static str, u64)> {
                match self { $(Self::$variant(domain) => domain.counts(),)* }
            }

            fn solver_statistics(&self) -> Option<Statistics> {
                match self { $(Self::$variant(domain) => domain.solver_statistics(),)* }
            }
        }
    };
}

pub(crate) use {domains, operators};

/// A bug: a product was put together from other components than its states.
pub(crate) fn mixed_up() -> ! {
    unreachable!("the state of one domain was given to another")
}

impl Component for Domain<'_> {
    fn fcover_in(
        product: &mut Product<Self>,
        index: usize,
        reached: &mut Reached<Product<Self>>,
        state: ArgId,
    ) -> Result<bool, Stop> {
        crate::predicate::fcover(product, index, reached, state)
    }
}
