//! The statements of a domain about itself and about its states. Engines use them to write proofs and
//! reports, to judge targets, and to pass results from one analysis to another, without knowing any domain.
//!
//! A domain implements [`Says`] besides its operators. The default of every method is to say nothing. Saying
//! less is always right. A [`Fact`] has a form that all share: single scalars, linear equations, bounds of
//! sums, formulas.

pub mod equations;

pub use crate::predicate::PredicatePrecision;
pub use equations::{Equations, Row, Unknown};

use summa_c::tree::VarId;
use summa_c::types::TypeId;
use summa_cfa::EdgeId;
use summa_cpa::Cpa;
use summa_encode::Known;
use summa_logic::{Invariants, Workbench};
use summa_smt::Statistics;
use summa_term::Term;

/// Something that holds in a state.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    Scalar(ScalarFact),
    /// The sum is zero modulo 2³².
    Zero(Row),
    AtMost(AtMost),
    /// Over the cells in version 0 of the workbench that the domain has.
    Formula(Term),
}

/// Something about the scalar of a type at an offset (in bytes) of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScalarFact {
    pub var: VarId,
    pub offset: u64,
    pub ty: TypeId,
    pub known: Known,
}

/// A sum of variables, each as it is or negated (true), is at most a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtMost {
    pub terms: Vec<(VarId, bool)>,
    pub bound: i128,
}

/// The meaning of a state for the property.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Observed {
    Nothing,
    /// This edge violates the property.
    Violation(EdgeId),
    /// This edge is not understood.
    Unsupported(EdgeId),
}

/// The form of a proof in which states can be checked. For a product, see [`ProofStyle::and`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProofStyle {
    /// The domain speaks about numbers that wrap around. If no domain has formulas already, they are over
    /// bit-vectors.
    pub is_modular: bool,
    /// The domain keeps states apart where executions meet, so each is easier to check if it is a point
    /// there.
    pub splits_meetings: bool,
    /// The domain has path formulas: other domains need not know what these exclude between loop heads.
    pub has_paths: bool,
    /// The domain knows about parameters what it knows about the arguments after a call.
    pub keeps_arguments: bool,
    /// Nothing is abstracted: the proof is that all executions end.
    pub is_unrolled: bool,
}

impl ProofStyle {
    /// The style of a product of both.
    pub fn and(self, other: Self) -> Self {
        Self {
            is_modular: self.is_modular || other.is_modular,
            splits_meetings: self.splits_meetings || other.splits_meetings,
            has_paths: self.has_paths || other.has_paths,
            keeps_arguments: self.keeps_arguments || other.keeps_arguments,
            is_unrolled: self.is_unrolled || other.is_unrolled,
        }
    }
}

/// The statements of a domain, besides its operators.
pub trait Says<'a>: Cpa {
    // ---- about states ----

    /// What a state says about the program. A domain that says nothing takes no part in proofs.
    ///
    /// # Errors
    /// The reason why a required statement cannot be made.
    fn facts(&self, _: &Self::State) -> Result<Vec<Fact>, String> {
        Ok(Vec::new())
    }

    /// The same of a state at the exit of a block, where things may be left out.
    fn exit_facts(&self, state: &Self::State) -> Vec<Fact> {
        self.facts(state).unwrap_or_default()
    }

    /// What always holds: the domain relies on it and no state says it.
    fn fixed_facts(&self) -> Vec<ScalarFact> {
        Vec::new()
    }

    /// The calls that wait, outermost first; None from domains that do not follow them.
    fn waiting_calls(&self, _: &Self::State) -> Option<Vec<EdgeId>> {
        None
    }

    /// The subject of a target; None for domains that observe no property.
    fn observed(&self, _: &Self::State) -> Observed {
        Observed::Nothing
    }

    /// Was the exploration cut off here by the bound?
    fn is_cut_off(&self, _: &Self::State) -> bool {
        false
    }

    /// Does the state say something about values, at a cost that is small?
    fn is_telling(&self, state: &Self::State) -> bool {
        !matches!(self.show(state).as_str(), "" | "true" | "⊤")
    }

    // ---- about the domain ----

    fn proof_style(&self) -> ProofStyle {
        ProofStyle::default()
    }

    /// The bound of the next exploration, for domains that have one.
    fn set_bound(&mut self, _: u32) {}

    /// The formulas that the domain works with.
    fn workbench(&mut self) -> Option<&mut Workbench<'a>> {
        None
    }

    /// The invariants that the domain assumes.
    fn granted(&self) -> Option<&Invariants> {
        None
    }

    /// The predicates of a precision, and the workbench that they belong to.
    fn predicates<'s>(
        &'s self,
        _: &'s Self::Precision,
    ) -> Option<(&'s Workbench<'a>, &'s PredicatePrecision)> {
        None
    }

    /// Begins with more predicates, which are formulas of its workbench.
    fn add_predicates(&self, _: &mut Self::Precision, _: &PredicatePrecision) {}

    /// Counts of its work, for people: names and numbers.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }

    /// The questions that it asked a solver.
    fn solver_statistics(&self) -> Option<Statistics> {
        None
    }
}
