//! Boolean predicate abstraction (φ)_𝔹^ρ: the strongest boolean combination of predicates that a formula
//! implies.
//!
//! Paper: Section 3.1.6, and the example there. Solver calls are made only for what cheaper ways leave open:
//! 0. atoms that are hard and irrelevant are left open, see [`summa_logic::lighten`];
//! 1. no predicates: the abstraction is `true`, without any call;
//! 2. predicates that become constant by substitution, or that the block does not change and ψ decides;
//! 3. one check whether the formula is satisfiable at all (with `false` as the only predicate that is all);
//! 4. the *backbone*: predicates with the same truth in all models, each with one check at most, since every
//!    model found also refutes candidates;
//! 5. enumeration of all models over the predicates that are left. More combinations than [`MAX_CUBES`]: the
//!    abstraction is the cartesian one, which is weaker but sound.

use super::Predicate;
use super::regions::Region;
use std::ops::ControlFlow;
use std::time::Duration;
use summa_cpa::Stop;
use summa_encode::PathId;
use summa_logic::Plainly;
use summa_smt::{AllSat, Answer, Solver};
use summa_term::{Term, Terms};

/// Combinations of truth values that are enumerated at most.
const MAX_CUBES: usize = 256;
/// For one check of the backbone or of the enumeration; a predicate without an answer is left open.
const CHECK_TIME: Duration = Duration::from_secs(4);

/// The result: a formula over the cells in version 0, and as a region if regions are in use.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Abstracted {
    pub(super) formula: Term,
    pub(super) region: Option<Region>,
}

/// The truth of a predicate in the abstraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Known(bool),
    /// Candidate: so in all models seen.
    SoFar(bool),
    Varies,
}

impl Predicate<'_> {
    /// (ψ ∧ φ)_𝔹^ρ as a formula over the cells in version 0; None if it is empty.
    pub fn abstract_formula(
        &mut self,
        psi: Term,
        path: PathId,
        predicates: &[Term],
    ) -> Result<Option<Term>, Stop> {
        Ok(self.abstraction(psi, path, predicates)?.map(|abstracted| abstracted.formula))
    }

    /// (ψ ∧ φ)_𝔹^ρ; None if it is empty.
    pub(super) fn abstraction(
        &mut self,
        psi: Term,
        path: PathId,
        predicates: &[Term],
    ) -> Result<Option<Abstracted>, Stop> {
        if self.logic.paths.guard(path) == Terms::FALSE || psi == Terms::FALSE {
            return Ok(None);
        }
        if predicates.is_empty() {
            return self.abstracted(&[], &[]).map(Some);
        }
        let key = (psi, path, predicates.to_vec(), self.is_exact);
        if let Some(known) = self.known_abstractions.get(&key) {
            self.counters.abstractions_reused += 1;
            return Ok(known.clone());
        }
        self.counters.abstractions += 1;
        let result = self.compute(psi, path, predicates)?;
        self.known_abstractions.insert(key, result.clone());
        Ok(result)
    }

    fn compute(&mut self, psi: Term, path: PathId, predicates: &[Term]) -> Result<Option<Abstracted>, Stop> {
        let predicates: Vec<Term> = predicates.iter().copied().filter(|&p| p != Terms::FALSE).collect();
        let after: Vec<Term> = predicates.iter().map(|&p| self.logic.after(path, p)).collect();
        let premises = self.logic.premises(&[psi], path, &after);
        let (premises, after) = self.without_irrelevant(premises, after, &predicates, psi);
        let plainly = Plainly::new(&self.logic.paths.encoder.terms, &premises);
        let truths = after
            .iter()
            .map(|&formula| plainly.decide(self.logic.terms(), formula).map_or(Truth::Varies, Truth::Known))
            .collect();
        self.logic.solver.stack.push();
        for &premise in &premises {
            self.logic.solver.stack.assert(&self.logic.paths.encoder.terms, premise);
        }
        let result = self.decide(&predicates, &after, truths);
        self.logic.solver.stack.pop();
        result
    }

    /// Premises and predicates without atoms that are hard for the solver and have nothing to do with ψ or
    /// the predicates: the abstraction may become weaker by this, never wrong.
    fn without_irrelevant(
        &mut self,
        premises: Vec<Term>,
        after: Vec<Term>,
        predicates: &[Term],
        psi: Term,
    ) -> (Vec<Term>, Vec<Term>) {
        if self.is_exact {
            return (premises, after);
        }
        let relevant: Vec<Term> = predicates.iter().copied().chain([psi]).collect();
        let all: Vec<Term> = premises.iter().chain(&after).copied().collect();
        let mut light = self.logic.lighten(&all, &relevant).formulas;
        let after = light.split_off(premises.len());
        light.retain(|&premise| premise != Terms::TRUE);
        (light, after)
    }

    /// Steps 3 to 5, with the premises asserted.
    fn decide(
        &mut self,
        predicates: &[Term],
        after: &[Term],
        mut truths: Vec<Truth>,
    ) -> Result<Option<Abstracted>, Stop> {
        self.logic.solver.allow(CHECK_TIME);
        let terms = &mut self.logic.paths.encoder.terms;
        match self.logic.solver.stack.check(terms, &[]) {
            Answer::Unsat => return Ok(None),
            // Not known to be empty: the weakest abstraction is sound.
            Answer::Unknown(_) => return self.with_known(predicates, &truths, &[]).map(Some),
            Answer::Sat => {}
        }
        let Some(model) = self.logic.solver.stack.model(terms) else {
            return self.with_known(predicates, &truths, &[]).map(Some);
        };
        for (truth, &formula) in truths.iter_mut().zip(after) {
            if *truth == Truth::Varies
                && let Some(value) = model.is_true(terms, formula)
            {
                *truth = Truth::SoFar(value);
            }
        }
        self.backbone(after, &mut truths)?;
        let open: Vec<usize> = (0..after.len()).filter(|&i| truths[i] == Truth::Varies).collect();
        if self.settings.cartesian || open.is_empty() {
            return self.with_known(predicates, &truths, &[]).map(Some);
        }
        let cubes = self.enumerate(predicates, after, &truths, &open)?;
        self.with_known(predicates, &truths, &cubes).map(Some)
    }

    /// Which candidates hold in all models.
    fn backbone(&mut self, after: &[Term], truths: &mut [Truth]) -> Result<(), Stop> {
        for i in 0..after.len() {
            let Truth::SoFar(value) = truths[i] else { continue };
            self.logic.solver.allow(CHECK_TIME);
            let terms = &mut self.logic.paths.encoder.terms;
            let other = if value { terms.not(after[i]) } else { after[i] };
            self.logic.solver.stack.push();
            self.logic.solver.stack.assert(terms, other);
            let answer = self.logic.solver.stack.check(terms, &[]);
            let model = if answer.is_sat() { self.logic.solver.stack.model(terms) } else { None };
            self.logic.solver.stack.pop();
            truths[i] = if answer.is_unsat() { Truth::Known(value) } else { Truth::Varies };
            let Some(model) = model else {
                self.logic.solver.check_budget()?;
                continue;
            };
            // The new model also refutes others.
            let terms = &self.logic.paths.encoder.terms;
            for (truth, &formula) in truths.iter_mut().zip(after) {
                if let Truth::SoFar(value) = *truth
                    && model.is_true(terms, formula) != Some(value)
                {
                    *truth = Truth::Varies;
                }
            }
        }
        Ok(())
    }

    /// All combinations of the open predicates; nothing if there are too many.
    fn enumerate(
        &mut self,
        predicates: &[Term],
        after: &[Term],
        truths: &[Truth],
        open: &[usize],
    ) -> Result<Vec<Vec<(Term, bool)>>, Stop> {
        self.logic.solver.allow(CHECK_TIME);
        self.logic.solver.stack.push();
        let terms = &mut self.logic.paths.encoder.terms;
        // Facts that were found make the enumeration easier.
        for (&formula, truth) in after.iter().zip(truths) {
            if let Truth::Known(value) = truth {
                let fact = if *value { formula } else { terms.not(formula) };
                self.logic.solver.stack.assert(terms, fact);
            }
        }
        let important: Vec<Term> = open.iter().map(|&i| after[i]).collect();
        let mut cubes = Vec::new();
        let outcome = self.logic.solver.stack.all_sat(terms, &important, MAX_CUBES, &mut |values| {
            cubes.push(open.iter().zip(values).map(|(&i, &value)| (predicates[i], value)).collect());
            ControlFlow::Continue(())
        });
        self.logic.solver.stack.pop();
        self.logic.solver.check_budget()?;
        if outcome != AllSat::Complete {
            self.counters.abstractions_cut += 1;
            cubes.clear();
        }
        Ok(cubes)
    }

    fn with_known(
        &mut self,
        predicates: &[Term],
        truths: &[Truth],
        cubes: &[Vec<(Term, bool)>],
    ) -> Result<Abstracted, Stop> {
        let known: Vec<(Term, bool)> = predicates
            .iter()
            .zip(truths)
            .filter_map(|(&predicate, truth)| match truth {
                Truth::Known(value) => Some((predicate, *value)),
                Truth::SoFar(_) | Truth::Varies => None,
            })
            .collect();
        self.abstracted(&known, cubes)
    }

    /// The conjunction of literals and a disjunction of cubes (none: `true`).
    fn abstracted(
        &mut self,
        known: &[(Term, bool)],
        cubes: &[Vec<(Term, bool)>],
    ) -> Result<Abstracted, Stop> {
        let mut formula = self.cube(known);
        if !cubes.is_empty() {
            let cubes: Vec<Term> = cubes.iter().map(|cube| self.cube(cube)).collect();
            let either = self.logic.terms().or(&cubes);
            formula = self.logic.terms().and2(formula, either);
        }
        let region = match self.settings.representation {
            super::Representation::Term => None,
            super::Representation::Bdd => {
                let mut region = self.cube_region(known)?;
                if !cubes.is_empty() {
                    let mut either = self.regions.none();
                    for cube in cubes {
                        either = either.or(&self.cube_region(cube)?)?;
                    }
                    region = region.and(&either)?;
                }
                Some(region)
            }
        };
        Ok(Abstracted { formula, region })
    }

    fn cube(&mut self, literals: &[(Term, bool)]) -> Term {
        let terms = self.logic.terms();
        let parts: Vec<Term> =
            literals.iter().map(|&(p, value)| if value { p } else { terms.not(p) }).collect();
        terms.and(&parts)
    }

    fn cube_region(&mut self, literals: &[(Term, bool)]) -> Result<Region, Stop> {
        let mut region = self.regions.all();
        for &(predicate, value) in literals {
            let literal = self.regions.predicate(predicate)?;
            region = region.and(&if value { literal } else { literal.not()? })?;
        }
        Ok(region)
    }
}
