//! The specification as an observer in the product: a state in which the property is violated is a target.
//!
//! A property of the kind "this must not be reached" is an automaton of two states. Edges that Summa does not
//! understand are targets too, of another kind: if a path to one is feasible, there must be no verdict.

pub use crate::says::Observed;

use crate::location::only_equal;
use crate::portable::{edge, misfit, parts, read_edge};
use crate::registry::{Configured, NoSettings, Setup};
use crate::says::Says;
use serde_json::{Value as Json, json};
use summa_bam::{CacheKey, Reducer, Side, Storable};
use summa_base::Id;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{Arrival, Cpa, Key, Misfit, Move, Portable, Step, Stop};
use summa_facts::blocks::Block;

pub struct Specification<'a> {
    cfa: &'a Cfa,
    /// Does passing this error edge violate the property?
    is_violation: Box<dyn Fn(EdgeId) -> bool + 'a>,
}

impl<'a> Specification<'a> {
    pub fn new(cfa: &'a Cfa, is_violation: Box<dyn Fn(EdgeId) -> bool + 'a>) -> Self {
        Self { cfa, is_violation }
    }

    /// The meaning of passing an edge.
    fn observe(&self, edge: EdgeId) -> Observed {
        match self.cfa.edges[edge].op {
            Op::Unsupported { .. } => Observed::Unsupported(edge),
            Op::Error { .. } if (self.is_violation)(edge) => Observed::Violation(edge),
            _ => Observed::Nothing,
        }
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
        Ok(vec![self.observe(edge)])
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

/// The observer has no memory: blocks begin with nothing observed, and an observation is a target, which is
/// never left.
impl Reducer for Specification<'_> {
    fn reduce(&mut self, _: &Block, entry: &Observed) -> Result<Observed, Stop> {
        Ok(*entry)
    }

    fn reduce_precision(&mut self, _: &Block, (): &()) {}

    fn expand(&mut self, _: &Block, _: &Observed, _: &Observed, exit: &Observed) -> Result<Observed, Stop> {
        Ok(*exit)
    }

    fn cache_key(&mut self, _: &Block, reduced: &Observed, (): &(), key: &mut CacheKey) {
        key.extend(match reduced {
            Observed::Nothing => [0, 0],
            Observed::Violation(edge) => [1, edge.index() as u64],
            Observed::Unsupported(edge) => [2, edge.index() as u64],
        });
    }

    fn widen(&mut self, _: &Block, before: &Observed, now: &Observed, _: Side) -> Result<Observed, Stop> {
        only_equal(before, now, "a block that is entered behind a target")
    }
}

/// Null, or the kind of a target with its edge, which must be one of that kind here as well.
impl Portable for Specification<'_> {
    fn save(&self, state: &Observed) -> Result<Json, Misfit> {
        Ok(match state {
            Observed::Nothing => Json::Null,
            Observed::Violation(at) => json!(["violation", edge(self.cfa, *at)]),
            Observed::Unsupported(at) => json!(["unsupported", edge(self.cfa, *at)]),
        })
    }

    fn load(&mut self, saved: &Json) -> Result<Observed, Misfit> {
        if saved.is_null() {
            return Ok(Observed::Nothing);
        }
        let [kind, at] = parts(saved)?;
        let observed = self.observe(read_edge(self.cfa, at)?);
        let fits = match observed {
            Observed::Nothing => false,
            Observed::Violation(_) => kind == "violation",
            Observed::Unsupported(_) => kind == "unsupported",
        };
        if fits { Ok(observed) } else { Err(misfit("an edge that the specification observes", saved)) }
    }
}

impl Storable for Specification<'_> {}

impl Says<'_> for Specification<'_> {
    fn observed(&self, state: &Observed) -> Observed {
        *state
    }

    fn is_telling(&self, _: &Observed) -> bool {
        false
    }
}

impl<'a> Configured<'a> for Specification<'a> {
    const NAME: &'static str = "specification";
    const WHAT: &'static str = "errors are targets";
    const IS_ESSENTIAL: bool = true;
    type Settings = NoSettings;

    fn make(_: &NoSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        Ok(Self::new(setup.cfa, setup.surroundings.violations()))
    }
}
