//! Shows that something holds at the end of a path: by exact values if they are enough, else with the solver.

use crate::check::Checker;
use crate::refusal::{Obligation, Refusal};
use crate::walk::Hit;
use summa_base::FxHashSet;
use summa_cfa::{EdgeId, NodeId};
use summa_encode::{PathId, Paths, State};
use summa_term::{Renaming, Term, Terms};

impl Checker<'_> {
    /// If the premises hold and the path is taken, one of the cases holds behind it.
    pub(crate) fn show(
        &mut self,
        premises: &[Term],
        path: PathId,
        cases: &[Vec<Term>],
        (step, at, edge): (Obligation, NodeId, Option<EdgeId>),
    ) -> Result<(), Refusal> {
        self.steps += 1;
        self.budget.check()?;
        let guard = self.paths.guard(path);
        let terms = &self.paths.encoder.terms;
        let mut known: FxHashSet<Term> = premises.iter().copied().collect();
        known.extend(terms.conjuncts(guard));
        let mut after = After::new(&self.paths, path);
        let mut open = Vec::new();
        for case in cases {
            let mut rest = Vec::new();
            for &formula in case {
                let formula = after.read(&mut self.paths, formula);
                if formula != Terms::TRUE && !known.contains(&formula) {
                    rest.push(formula);
                }
                if formula == Terms::FALSE {
                    break;
                }
            }
            match rest[..] {
                [] => return Ok(()),
                [.., Terms::FALSE] => {}
                _ => open.push(self.paths.encoder.terms.and(&rest)),
            }
        }
        let terms = &mut self.paths.encoder.terms;
        let conclusion = terms.or(&open);
        let mut formulas = premises.to_vec();
        formulas.push(terms.not(conclusion));
        formulas.extend(self.paths.facts_for(path, &formulas));
        formulas.push(guard);
        if self.questions.is_impossible(&mut self.paths.encoder.terms, &formulas, (step, at))? {
            return Ok(());
        }
        Err(Refusal::Wrong { step, at, edge })
    }

    /// The hits that are not excluded without the solver. What holds on the path to the last of them is known
    /// for all, as it would be in a question about all of them.
    fn not_plainly_excluded<'h>(&mut self, premises: &[Term], hits: &'h [Hit]) -> Vec<&'h Hit> {
        let mut open: Vec<&Hit> = hits.iter().collect();
        open.retain(|hit| self.paths.guard(hit.path) != Terms::FALSE);
        let Some(last) = open.last() else { return open };
        let mut facts = self.paths.facts_for(last.path, premises);
        facts.extend(premises);
        let Self { paths, plain, .. } = self;
        let ground = plain.ground(&mut paths.encoder.terms, &facts);
        open.retain(|hit| {
            let guard = paths.guard(hit.path);
            let terms = &mut paths.encoder.terms;
            let conditions = terms.conjuncts(guard);
            !plain.is_contradiction(terms, &conditions, &ground)
        });
        open
    }

    /// If the premises hold, none of these is reached.
    pub(crate) fn exclude(&mut self, premises: &[Term], hits: &[Hit]) -> Result<(), Refusal> {
        self.steps += 1;
        let hits = self.not_plainly_excluded(premises, hits);
        let Some(first) = hits.first() else { return Ok(()) };
        // All at once; one by one if that is too hard, or to say which.
        if hits.len() > 1 {
            let guards: Vec<Term> = hits.iter().map(|hit| self.paths.guard(hit.path)).collect();
            let mut formulas = premises.to_vec();
            for hit in &hits {
                formulas.extend(self.paths.facts_for(hit.path, premises));
            }
            formulas.sort_unstable();
            formulas.dedup();
            let terms = &mut self.paths.encoder.terms;
            formulas.push(terms.or(&guards));
            let at = (first.step, self.cfa.edge(first.edge).from);
            match self.questions.is_impossible(terms, &formulas, at) {
                Ok(true) => return Ok(()),
                Err(why @ (Refusal::Disagreement | Refusal::SecondSolver(_))) => return Err(why),
                Ok(false) | Err(_) => {}
            }
            self.budget.check_now()?;
        }
        for hit in hits {
            let at = (hit.step, self.cfa.edge(hit.edge).from, Some(hit.edge));
            self.show(premises, hit.path, &[], at)?;
        }
        Ok(())
    }
}

/// Formulas over cells as they read after a path, in terms of the values at its beginning.
pub(crate) struct After {
    state: State,
    renaming: Renaming,
}

impl After {
    pub(crate) fn new(paths: &Paths<'_>, path: PathId) -> Self {
        Self { state: paths.state(path).clone(), renaming: Renaming::new() }
    }

    pub(crate) fn read(&mut self, paths: &mut Paths<'_>, formula: Term) -> Term {
        let (terms, cells, state) = (&mut paths.encoder.terms, &paths.encoder.cells, &self.state);
        self.renaming.apply(terms, formula, |terms, symbol, version| match cells.of_symbol(symbol) {
            Some(cell) if version == 0 => state.get(cell),
            _ => terms.symbol(symbol, version),
        })
    }
}
