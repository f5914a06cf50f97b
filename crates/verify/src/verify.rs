//! One property of one program: which automata it is asked of, in which order, and for how long.
//!
//! * An index may leave the member of its object. Members are first kept apart, then taken for one, then kept
//!   apart again with the time that is left (`Cfa::members_apart`).
//! * An undefined left shift may leave no verdict. It is then passed over, and a violation elsewhere is
//!   searched for.
//! * If the user named no property, undefined behaviour in an execution is a violation.

use crate::automata::Automata;
use crate::decide::{Decision, Question, Turn};
use crate::error::Error;
use crate::listener::{Listener, Untried};
use crate::portfolio::DEFAULT_TIME;
use crate::program::{Program, Variant};
use crate::property::Property;
use crate::settings::Settings;
use crate::specification::Specification;
use crate::verdict::{Reason, Verdict};
use summa_base::Budget;
use summa_cfa::build::UNDEFINED_SHIFT;
use summa_cfa::{BuildError, Edge, Op};

/// Share of the time for showing that no index leaves its member.
const MEMBERS_SHARE: f64 = 0.4;

/// A verdict, and the automata whose edges it speaks of.
#[derive(Debug)]
pub struct Verification {
    pub decision: Decision,
    pub automata: Automata,
    /// What the verdict is about: what was asked, or the undefined behaviour that was found where nothing was
    /// asked.
    pub property: Property,
    /// If `property` is such undefined behaviour, this is the answer to the default question.
    pub by_default: Option<Decision>,
}

impl Verification {
    pub fn verdict(&self) -> &Verdict {
        &self.decision.verdict
    }
}

impl Program {
    /// Does the program have the property?
    ///
    /// # Errors
    /// The program has no function to start in.
    pub fn verify(&self, property: &Property, settings: &Settings) -> Result<Verification, Error> {
        Ok(self.verify_aloud(&Specification::from(property.clone()), settings, &())?)
    }

    /// The same for a property together with the function that it is about. The listener receives what is
    /// done.
    ///
    /// # Errors
    /// The program has no function to start in.
    pub fn verify_aloud(
        &self,
        specification: &Specification,
        settings: &Settings,
        listener: &dyn Listener,
    ) -> Result<Verification, BuildError> {
        Rounds { program: self, specification, settings, listener }.verify()
    }
}

/// Automata with what was decided about them.
struct Round {
    variant: Variant,
    automata: Automata,
    decision: Decision,
}

struct Rounds<'r> {
    program: &'r Program,
    specification: &'r Specification,
    settings: &'r Settings,
    listener: &'r dyn Listener,
}

impl Rounds<'_> {
    fn verify(&self) -> Result<Verification, BuildError> {
        let property = &self.specification.property;
        let mut round = self.members()?;
        if let Some((automata, decision)) = self.without_shifts(&round) {
            // Automata and answer belong together: what follows speaks of edges.
            (round.automata, round.decision) = (automata, decision);
        }
        self.listener.answered();
        let Round { automata, decision, .. } = round;
        Ok(match self.undefined(&automata, &decision) {
            Some((property, found)) => {
                Verification { decision: found, automata, property, by_default: Some(decision) }
            }
            None => Verification { decision, automata, property: property.clone(), by_default: None },
        })
    }

    fn question<'q>(&'q self, automata: &'q Automata) -> Question<'q> {
        Question::new(automata, &self.specification.property, self.settings, self.listener)
    }

    /// The rounds with members apart and members merged, until one has an answer.
    fn members(&self) -> Result<Round, BuildError> {
        let property = &self.specification.property;
        let variant = Variant::with_members_apart(property);
        let automata = self.program.automata(self.specification, variant)?;
        self.listener.built(&automata);
        let (settings, budget) = (self.settings, &self.settings.budget);
        let question = self.question(&automata);
        let mut decision = match property {
            Property::Unsupported(name) => Decision::unknown(Reason::UnsupportedProperty(name.clone())),
            Property::NoOverflow if automata.wraps => {
                Decision::unknown(Reason::Other("signed overflow is defined in this program".to_owned()))
            }
            _ if automata.cfa.relies_on_members() => {
                // A first try: many indices obviously stay in their members.
                let turn = if settings.config.is_some() { Turn::Attempt } else { Turn::Glance };
                question.decide(turn, &part_of(budget, MEMBERS_SHARE))
            }
            _ => question.decide(Turn::Only, budget),
        };
        if let Some(merged) = self.members_merged(&automata, &decision) {
            let is_open = merged.decision.verdict.is_unknown() && settings.config.is_none();
            if !is_open || budget.check_now().is_err() {
                return Ok(merged);
            }
            // What is left of the time goes to engines that keep the members apart.
            decision = question.decide(Turn::Last, budget);
        }
        Ok(Round { variant, automata, decision })
    }

    /// Where no engine excludes that an index leaves a member, the members are taken for one and the program
    /// is tried again.
    fn members_merged(&self, apart: &Automata, decision: &Decision) -> Option<Round> {
        let budget = &self.settings.budget;
        let is_open = decision.verdict.is_unknown() && apart.cfa.relies_on_members();
        if !is_open || budget.check_now().is_err() {
            return None;
        }
        let variant = Variant::default();
        let automata = self.build(variant, Untried::MembersMerged)?;
        let part = part_of(budget, 1.0 - MEMBERS_SHARE);
        let question = self.question(&automata);
        let decision = match self.settings.config {
            Some(_) => question.decide(Turn::Only, budget),
            None => question.decide(Turn::Attempt, &part),
        };
        Some(Round { variant, automata, decision })
    }

    /// A left shift of a negative value is undefined but no overflow, so an execution with one gives no
    /// verdict. If another execution overflows, the verdict is still FALSE.
    fn without_shifts(&self, round: &Round) -> Option<(Automata, Decision)> {
        let budget = &self.settings.budget;
        if !round.decision.verdict.is_unknown() || budget.check_now().is_err() {
            return None;
        }
        let ends = |edge: &Edge| matches!(&edge.op, Op::Unsupported { what } if **what == *UNDEFINED_SHIFT);
        if !round.automata.cfa.edges.values().any(ends) {
            return None;
        }
        let variant = round.variant.passing_shifts(&self.specification.property)?;
        let automata = self.build(variant, Untried::ShiftsPassed)?;
        let decision = self.question(&automata).look_for_violation(budget)?;
        Some((automata, decision))
    }

    /// Undefined behaviour that an execution ran into, where nothing was asked.
    fn undefined(&self, automata: &Automata, decision: &Decision) -> Option<(Property, Decision)> {
        if !self.specification.is_open || matches!(decision.verdict, Verdict::Unsafe(_)) {
            return None;
        }
        self.question(automata).undefined(&decision.searched, &self.settings.budget)
    }

    fn build(&self, variant: Variant, untried: Untried) -> Option<Automata> {
        let built = self.program.automata(self.specification, variant);
        built.inspect_err(|why| self.listener.not_built(untried, why)).ok()
    }
}

/// A part of what is left of the time.
fn part_of(budget: &Budget, share: f64) -> Budget {
    budget.at_most(budget.remaining().unwrap_or(DEFAULT_TIME).mul_f64(share))
}
