//! What the engines of one run share about a program, so that the same work is not done twice.
//!
//! * Interval analyses that ended: they hold for every engine, in any arithmetic.
//! * Predicates that refinement found. They are candidates: an engine that uses them keeps those that are
//!   inductive (Houdini, see [`crate::invariants`]). They are formulas, so they are for engines with the same
//!   arithmetic.
//! * Summaries of functions, by intervals and equations. They are contracts, and the atoms in them are the
//!   first predicates of other engines ([`crate::proof::hear`]).
//!
//! Nothing here is trusted without a reason. A shared analysis covers the whole program and came to its end,
//! and proofs that use it are checked like all others. A [`Shared`] belongs to one program; another program
//! has another one.

use crate::invariants::intervals::Analysed;
use crate::proof::Heard;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use summa_cfa::NodeId;
use summa_cpa::Stop;
use summa_domains::says::{PredicatePrecision, Says};
use summa_domains::{AnyPrecision, Domain};
use summa_encode::Encoding;
use summa_logic::{SavedFormulas, Workbench};

/// The most predicates that are taken from one engine: others would have to look at all of them.
const MAX_PREDICATES: usize = 200;

#[derive(Default)]
pub struct Shared {
    told: Mutex<Told>,
}

#[derive(Default)]
struct Told {
    /// By the number of the analysis; None if it became too large.
    intervals: BTreeMap<usize, Option<Arc<Analysed>>>,
    predicates: Vec<(Encoding, NodeId, SavedFormulas)>,
    summaries: Vec<Heard>,
}

/// How much was shared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub analyses: usize,
    pub predicates: usize,
    pub summaries: usize,
}

impl Shared {
    /// The result of the analysis with this number, which is carried out if it was not done before.
    ///
    /// # Errors
    /// The analysis did not end.
    pub(crate) fn analysed(
        &self,
        number: usize,
        analyse: impl FnOnce() -> Result<Option<Analysed>, Stop>,
    ) -> Result<Option<Arc<Analysed>>, Stop> {
        if let Some(known) = self.told().intervals.get(&number) {
            return Ok(known.clone());
        }
        let found = analyse()?.map(Arc::new);
        self.told().intervals.insert(number, found.clone());
        Ok(found)
    }

    /// The predicates in some precisions, for others.
    pub(crate) fn tell_predicates<'p>(
        &self,
        components: &[Domain<'_>],
        precisions: impl IntoIterator<Item = &'p [AnyPrecision]>,
    ) {
        let (mut all, mut workbench) = (PredicatePrecision::default(), None);
        for precision in precisions {
            for (component, precision) in components.iter().zip(precision) {
                if let Some((logic, predicates)) = component.predicates(precision) {
                    all.join(predicates);
                    workbench = Some(logic);
                }
            }
        }
        let Some(logic) = workbench else { return };
        let encoding = logic.paths.encoder.encoding;
        // Those that mean nothing outside of the engine are left out.
        let saved = all
            .iter()
            .flat_map(|(at, predicates)| predicates.iter().map(move |&one| (at, one)))
            .filter_map(|(at, one)| Some((encoding, at, logic.save(&[one]).ok()?)));
        let mut told = self.told();
        for predicate in saved.take(MAX_PREDICATES) {
            if !told.predicates.contains(&predicate) {
                told.predicates.push(predicate);
            }
        }
    }

    /// The predicates that others found, as formulas of this workbench at their locations.
    pub(crate) fn predicates(&self, logic: &mut Workbench<'_>) -> PredicatePrecision {
        let encoding = logic.paths.encoder.encoding;
        let told = self.told().predicates.clone();
        let mut found = PredicatePrecision::default();
        for &(_, at, ref saved) in told.iter().filter(|(of, ..)| *of == encoding) {
            // What was shared about this program can be loaded; otherwise there is nothing to use.
            if let Ok(predicates) = logic.load(saved) {
                found.add(at, &predicates);
            }
        }
        found
    }

    /// Takes the complete summaries of an engine that has no answer. Those of an earlier engine, which knew
    /// less, are forgotten.
    pub(crate) fn tell_summaries(&self, summaries: Vec<Heard>) {
        if !summaries.is_empty() {
            self.told().summaries = summaries;
        }
    }

    pub(crate) fn summaries(&self) -> Vec<Heard> {
        self.told().summaries.clone()
    }

    pub fn counts(&self) -> Counts {
        let told = self.told();
        Counts {
            analyses: told.intervals.len(),
            predicates: told.predicates.len(),
            summaries: told.summaries.len(),
        }
    }

    fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.counts())
    }
}
