//! Domains that are no case of the sum type: of other crates, and of tests. Products hold them in a box, and
//! their states as values whose type only the domain knows.
//!
//! A call costs an allocation for each new state; a domain that is used much belongs into the list.

use crate::says::{Fact, Observed, PredicatePrecision, ProofStyle, Says, ScalarFact};
use serde_json::Value as Json;
use std::any::Any;
use std::fmt;
use std::rc::Rc;
use summa_bam::{CacheKey, Clause, Reducer, Side, Storable};
use summa_cfa::{EdgeId, NodeId};
use summa_cpa::{Answer, Arrival, Cpa, Key, Misfit, Move, Oracle, Portable, Query, Signature, Stop};
use summa_facts::blocks::Block;
use summa_logic::{Invariants, Workbench};
use summa_smt::Statistics;

/// A value whose type is not known.
trait Object: Any + fmt::Debug {
    fn equals(&self, other: &dyn Object) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<T: Any + fmt::Debug + PartialEq> Object for T {
    fn equals(&self, other: &dyn Object) -> bool {
        other.as_any().downcast_ref::<T>() == Some(self)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// A state or a precision of a domain that is not known.
#[derive(Clone)]
pub struct OpenState(Rc<dyn Object>);

pub type OpenPrecision = OpenState;

impl OpenState {
    fn new<T: Any + fmt::Debug + PartialEq>(value: T) -> Self {
        Self(Rc::new(value))
    }

    /// The value, if it is of this type.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        (*self.0).as_any().downcast_ref()
    }
}

impl fmt::Debug for OpenState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl PartialEq for OpenState {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0) || self.0.equals(&*other.0)
    }
}

/// All that a domain of a product implements.
pub trait Whole<'a>: Cpa<State: 'static, Precision: 'static> + Storable + Says<'a> + 'a {}

impl<'a, D: Cpa<State: 'static, Precision: 'static> + Storable + Says<'a> + 'a> Whole<'a> for D {}

/// The same with states whose type is not known.
pub trait Open<'a>:
    Cpa<State = OpenState, Precision = OpenPrecision> + Reducer + Storable + Says<'a>
{
    fn name(&self) -> &'static str;
}

/// A domain that is no case of the sum type.
pub type Opened<'a> = Box<dyn Open<'a> + 'a>;

pub(super) fn boxed<'a, D: Whole<'a>>(name: &'static str, domain: D) -> Opened<'a> {
    Box::new(Named { name, domain })
}

struct Named<D> {
    name: &'static str,
    domain: D,
}

impl<'a, D: Whole<'a>> Open<'a> for Named<D> {
    fn name(&self) -> &'static str {
        self.name
    }
}

/// A state of the domain itself.
fn own<T: 'static>(state: &OpenState) -> &T {
    state.get().unwrap_or_else(|| super::sum::mixed_up())
}

impl<D: Cpa<State: 'static, Precision: 'static>> Cpa for Named<D> {
    type State = OpenState;
    type Precision = OpenPrecision;

    fn initial(&mut self, node: NodeId) -> (OpenState, OpenPrecision) {
        let (state, precision) = self.domain.initial(node);
        (OpenState::new(state), OpenState::new(precision))
    }

    fn moves(&self, state: &OpenState, moves: &mut Vec<Move>) {
        self.domain.moves(own(state), moves);
    }

    fn transfer(
        &mut self,
        state: &OpenState,
        precision: &OpenState,
        by: Move,
    ) -> Result<Vec<OpenState>, Stop> {
        let successors = self.domain.transfer(own(state), own(precision), by)?;
        Ok(successors.into_iter().map(OpenState::new).collect())
    }

    fn transfer_asking(
        &mut self,
        state: &OpenState,
        precision: &OpenState,
        by: Move,
        others: &dyn Oracle,
    ) -> Result<Vec<OpenState>, Stop> {
        let successors = self.domain.transfer_asking(own(state), own(precision), by, others)?;
        Ok(successors.into_iter().map(OpenState::new).collect())
    }

    fn answer(&self, state: &OpenState, query: Query) -> Answer {
        self.domain.answer(own(state), query)
    }

    fn merge(
        &mut self,
        state: &OpenState,
        reached: &OpenState,
        precision: &OpenState,
        at: &Arrival,
    ) -> Result<Option<OpenState>, Stop> {
        Ok(self.domain.merge(own(state), own(reached), own(precision), at)?.map(OpenState::new))
    }

    fn never_merges(&self) -> bool {
        self.domain.never_merges()
    }

    fn stop(&mut self, state: &OpenState, reached: &OpenState, precision: &OpenState) -> Result<bool, Stop> {
        self.domain.stop(own(state), own(reached), own(precision))
    }

    fn prec(
        &mut self,
        state: OpenState,
        precision: &OpenState,
        at: &Arrival,
    ) -> Result<Option<(OpenState, OpenState)>, Stop> {
        let adjusted = self.domain.prec(own::<D::State>(&state).clone(), own(precision), at)?;
        Ok(adjusted.map(|(state, precision)| (OpenState::new(state), OpenState::new(precision))))
    }

    fn is_target(&self, state: &OpenState) -> bool {
        self.domain.is_target(own(state))
    }

    fn key(&self, state: &OpenState, key: &mut Key) {
        self.domain.key(own(state), key);
    }

    fn signature(&self, state: &OpenState) -> Signature {
        self.domain.signature(own(state))
    }

    fn show(&self, state: &OpenState) -> String {
        self.domain.show(own(state))
    }
}

impl<D: Reducer + Cpa<State: 'static, Precision: 'static>> Reducer for Named<D> {
    fn reduce(&mut self, block: &Block, entry: &OpenState) -> Result<OpenState, Stop> {
        self.domain.reduce(block, own(entry)).map(OpenState::new)
    }

    fn reduce_precision(&mut self, block: &Block, precision: &OpenState) -> OpenState {
        OpenState::new(self.domain.reduce_precision(block, own(precision)))
    }

    fn expand(
        &mut self,
        block: &Block,
        entry: &OpenState,
        begun: &OpenState,
        exit: &OpenState,
    ) -> Result<OpenState, Stop> {
        self.domain.expand(block, own(entry), own(begun), own(exit)).map(OpenState::new)
    }

    fn rebuild(
        &mut self,
        block: &Block,
        call: Option<Move>,
        before: &OpenState,
        entry: &OpenState,
        exit: OpenState,
    ) -> Result<Option<OpenState>, Stop> {
        let exit = own::<D::State>(&exit).clone();
        Ok(self.domain.rebuild(block, call, own(before), own(entry), exit)?.map(OpenState::new))
    }

    fn cache_key(&mut self, block: &Block, reduced: &OpenState, precision: &OpenState, key: &mut CacheKey) {
        self.domain.cache_key(block, own(reduced), own(precision), key);
    }

    fn widen(
        &mut self,
        block: &Block,
        before: &OpenState,
        now: &OpenState,
        side: Side,
    ) -> Result<OpenState, Stop> {
        self.domain.widen(block, own(before), own(now), side).map(OpenState::new)
    }

    fn contract(&mut self, block: &Block, state: &OpenState, side: Side) -> Vec<Clause> {
        self.domain.contract(block, own(state), side)
    }
}

impl<D: Portable + Cpa<State: 'static, Precision: 'static>> Portable for Named<D> {
    fn save(&self, state: &OpenState) -> Result<Json, Misfit> {
        self.domain.save(own(state))
    }

    fn load(&mut self, saved: &Json) -> Result<OpenState, Misfit> {
        self.domain.load(saved).map(OpenState::new)
    }
}

impl<D: Storable + Cpa<State: 'static, Precision: 'static>> Storable for Named<D> {
    fn save_precision(&self, precision: &OpenState) -> Result<Json, Misfit> {
        self.domain.save_precision(own(precision))
    }

    fn load_precision(&mut self, saved: &Json, into: &mut OpenState) -> Result<(), Misfit> {
        let mut precision = own::<D::Precision>(into).clone();
        self.domain.load_precision(saved, &mut precision)?;
        *into = OpenState::new(precision);
        Ok(())
    }

    fn as_reduced(&mut self, block: &Block, loaded: OpenState) -> Result<OpenState, Misfit> {
        self.domain.as_reduced(block, own::<D::State>(&loaded).clone()).map(OpenState::new)
    }
}

impl<'a, D: Says<'a> + Cpa<State: 'static, Precision: 'static>> Says<'a> for Named<D> {
    fn facts(&self, state: &OpenState) -> Result<Vec<Fact>, String> {
        self.domain.facts(own(state))
    }

    fn exit_facts(&self, state: &OpenState) -> Vec<Fact> {
        self.domain.exit_facts(own(state))
    }

    fn fixed_facts(&self) -> Vec<ScalarFact> {
        self.domain.fixed_facts()
    }

    fn waiting_calls(&self, state: &OpenState) -> Option<Vec<EdgeId>> {
        self.domain.waiting_calls(own(state))
    }

    fn observed(&self, state: &OpenState) -> Observed {
        self.domain.observed(own(state))
    }

    fn is_cut_off(&self, state: &OpenState) -> bool {
        self.domain.is_cut_off(own(state))
    }

    fn is_telling(&self, state: &OpenState) -> bool {
        self.domain.is_telling(own(state))
    }

    fn proof_style(&self) -> ProofStyle {
        self.domain.proof_style()
    }

    fn set_bound(&mut self, bound: u32) {
        self.domain.set_bound(bound);
    }

    fn workbench(&mut self) -> Option<&mut Workbench<'a>> {
        self.domain.workbench()
    }

    fn granted(&self) -> Option<&Invariants> {
        self.domain.granted()
    }

    fn predicates<'s>(
        &'s self,
        precision: &'s OpenState,
    ) -> Option<(&'s Workbench<'a>, &'s PredicatePrecision)> {
        self.domain.predicates(own(precision))
    }

    fn add_predicates(&self, precision: &mut OpenState, more: &PredicatePrecision) {
        let mut changed = own::<D::Precision>(precision).clone();
        self.domain.add_predicates(&mut changed, more);
        *precision = OpenState::new(changed);
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.domain.counts()
    }

    fn solver_statistics(&self) -> Option<Statistics> {
        self.domain.solver_statistics()
    }
}
