//! The specification as an observer in the product: a state in which the property is violated is a target.
//!
//! A property of the kind "this must not be reached" is an automaton of two states. Edges that Summa does not understand are
//! targets as well, of another kind: whoever finds a feasible path there must not give a verdict.

use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{Arrival, Cpa, Key, Move, Step, Stop};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Observed {
    Nothing,
    /// This edge violates the property.
    Violation(EdgeId),
    /// This edge is not understood.
    Unsupported(EdgeId),
}

pub struct Specification<'a> {
    cfa: &'a Cfa,
    /// Does passing this error edge violate the property?
    is_violation: Box<dyn Fn(EdgeId) -> bool + 'a>,
}

impl<'a> Specification<'a> {
    pub fn new(cfa: &'a Cfa, is_violation: Box<dyn Fn(EdgeId) -> bool + 'a>) -> Self {
        Self { cfa, is_violation }
    }
}

impl Cpa for Specification<'_> {
    type State = Observed;
    type Precision = ();

    fn initial(&mut self, _: NodeId) -> (Observed, ()) {
        (Observed::Nothing, ())
    }

    fn transfer(&mut self, _: &Observed, (): &(), by: Move) -> Result<Vec<Observed>, Stop> {
        let Step::Edge(edge) = by.step else { return Ok(vec![Observed::Nothing]) };
        let observed = match self.cfa.edges[edge].op {
            Op::Unsupported { .. } => Observed::Unsupported(edge),
            Op::Error { .. } if (self.is_violation)(edge) => Observed::Violation(edge),
            _ => Observed::Nothing,
        };
        Ok(vec![observed])
    }

    fn merge(&mut self, _: &Observed, _: &Observed, (): &(), _: &Arrival) -> Result<Option<Observed>, Stop> {
        Ok(None)
    }

    fn never_merges(&self) -> bool {
        true
    }

    fn stop(&mut self, state: &Observed, reached: &Observed, (): &()) -> Result<bool, Stop> {
        Ok(state == reached)
    }

    fn prec(&mut self, state: Observed, (): &(), _: &Arrival) -> Result<Option<(Observed, ())>, Stop> {
        Ok(Some((state, ())))
    }

    fn is_target(&self, state: &Observed) -> bool {
        *state != Observed::Nothing
    }

    fn key(&self, state: &Observed, key: &mut Key) {
        key.push(match state {
            Observed::Nothing => 0,
            Observed::Violation(_) => 1,
            Observed::Unsupported(_) => 2,
        });
    }

    fn show(&self, state: &Observed) -> String {
        match state {
            Observed::Nothing => String::new(),
            Observed::Violation(_) => "violation".to_owned(),
            Observed::Unsupported(_) => "unsupported".to_owned(),
        }
    }
}
