//! Formulas for what abstract states say.

use summa_base::{FxHashMap, IdSet};
use summa_c::tree::{FuncId, VarId};
use summa_cfa::{EdgeId, NodeId, Op};
use summa_cpa::Product;
use summa_domains::says::{AtMost, Equations, Fact, Row, Says, ScalarFact, Unknown};
use summa_domains::scalars::is_argument;
use summa_domains::{AnyState, Domain};
use summa_encode::{CellId, Encoder, Known, State};
use summa_facts::Analyses;
use summa_proof::{Draft, Place, Point};
use summa_term::{Term, Terms};

/// The calls that wait and the location of a state; None if no component of the product knows.
pub(crate) fn place(product: &Product<Domain<'_>>, node: NodeId, state: &[AnyState]) -> Option<Place> {
    let mut components = product.components.iter().zip(state);
    let calls = components.find_map(|(component, state)| component.waiting_calls(state))?;
    Some(Place { calls, node })
}

/// Facts about scalars, each once. Facts that cannot influence whether an error is reached are left out.
#[derive(Debug)]
pub(super) struct Sayings<'t> {
    relevant: &'t IdSet<VarId>,
    facts: Vec<ScalarFact>,
    numbers: FxHashMap<ScalarFact, u32>,
    /// What always holds and states do not say: once it was asked for.
    fixed: Option<Vec<u32>>,
}

/// What a state says: facts by their numbers, formulas, equations and bounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Said {
    pub(super) facts: Vec<u32>,
    pub(super) formulas: Vec<Term>,
    pub(super) equations: Vec<Row>,
    pub(super) bounds: Vec<AtMost>,
}

impl<'t> Sayings<'t> {
    pub(super) fn new(facts: &'t Analyses) -> Self {
        let relevant = &facts.relevance.variables;
        Self { relevant, facts: Vec::new(), numbers: FxHashMap::default(), fixed: None }
    }

    pub(super) fn of_state(
        &mut self,
        product: &Product<Domain<'_>>,
        state: &[AnyState],
    ) -> Result<Said, String> {
        let mut said = Said { facts: self.fixed(product), ..Said::default() };
        for (component, state) in product.components.iter().zip(state) {
            self.add(component.facts(state)?, &mut said);
        }
        Ok(said)
    }

    /// What a state at the exit of a block says.
    pub(super) fn of_exit(&mut self, product: &Product<Domain<'_>>, state: &[AnyState]) -> Said {
        let mut said = Said { facts: self.fixed(product), ..Said::default() };
        for (component, state) in product.components.iter().zip(state) {
            self.add(component.exit_facts(state), &mut said);
        }
        said
    }

    pub(super) fn of_facts(&mut self, facts: &[ScalarFact]) -> Said {
        Said { facts: facts.iter().filter_map(|&fact| self.number(fact)).collect(), ..Said::default() }
    }

    /// What always holds, once components rely on it.
    fn fixed(&mut self, product: &Product<Domain<'_>>) -> Vec<u32> {
        if let Some(known) = &self.fixed {
            return known.clone();
        }
        let facts = product.components.iter().flat_map(|component| component.fixed_facts());
        let numbers: Vec<u32> = facts.filter_map(|fact| self.number(fact)).collect();
        self.fixed.insert(numbers).clone()
    }

    /// What one component says. What is not said at an entry must not be needed at an exit: equations lose
    /// what does not matter.
    fn add(&mut self, facts: Vec<Fact>, said: &mut Said) {
        let mut rows = Vec::new();
        for fact in facts {
            match fact {
                Fact::Scalar(fact) => said.facts.extend(self.number(fact)),
                Fact::Zero(row) => rows.push(row),
                Fact::AtMost(bound) => {
                    let is_relevant = bound.terms.iter().all(|&(var, _)| self.relevant.contains(var));
                    said.bounds.extend(Some(bound).filter(|_| is_relevant));
                }
                Fact::Formula(formula) => said.formulas.push(formula),
            }
        }
        if !rows.is_empty() {
            let relevant = Equations::of(rows).without(|unknown| self.is_irrelevant(unknown));
            said.equations.extend_from_slice(relevant.rows());
        }
    }

    fn is_irrelevant(&self, unknown: Unknown) -> bool {
        match unknown {
            Unknown::Passing(var) | Unknown::Now(var) | Unknown::Waiting(_, var) | Unknown::Entry(var) => {
                !self.relevant.contains(var)
            }
            Unknown::One => false,
        }
    }

    fn number(&mut self, fact: ScalarFact) -> Option<u32> {
        if !self.relevant.contains(fact.var) {
            return None;
        }
        let facts = &mut self.facts;
        Some(*self.numbers.entry(fact).or_insert_with(|| {
            facts.push(fact);
            facts.len() as u32 - 1
        }))
    }
}

/// Turns statements into formulas of one encoder.
pub(super) struct Writer<'w, 'a> {
    pub(super) encoder: &'w mut Encoder<'a>,
    sayings: &'w Sayings<'w>,
    /// Every cell in version 0.
    state: State,
    written: Vec<Option<Term>>,
}

impl<'w, 'a> Writer<'w, 'a> {
    pub(super) fn new(encoder: &'w mut Encoder<'a>, sayings: &'w Sayings<'w>) -> Self {
        let state = State::symbolic(&encoder.cells, &mut encoder.terms, 0);
        let written = vec![None; sayings.facts.len()];
        Self { encoder, sayings, state, written }
    }

    /// The conjunction. A fact that has no formula says nothing.
    pub(super) fn formula(&mut self, said: &Said) -> Term {
        let mut parts = said.formulas.clone();
        parts.extend(said.facts.iter().map(|&number| self.fact(number)));
        parts.extend(said.equations.iter().filter_map(|row| self.equation(row)));
        parts.extend(said.bounds.iter().filter_map(|bound| self.bound(bound)));
        self.encoder.terms.and(&parts)
    }

    /// An equation between variables of the running activations and values at the entry; None if it speaks of
    /// others.
    pub(super) fn equation(&mut self, row: &Row) -> Option<Term> {
        let (mut sum, mut constant) = (Vec::new(), 0);
        for &(unknown, coefficient) in row {
            match unknown {
                Unknown::Now(var) => sum.push((self.encoder.cell_of(var, 0)?, coefficient)),
                Unknown::Entry(var) => {
                    let cell = self.encoder.cell_of(var, 0)?;
                    sum.push((self.encoder.cells.entry_copy(cell)?, coefficient));
                }
                Unknown::One => constant = coefficient,
                Unknown::Passing(_) | Unknown::Waiting(..) => return None,
            }
        }
        self.encoder.is_zero_sum(&sum, constant)
    }

    /// A bound of variables of the running activations.
    pub(super) fn bound(&mut self, bound: &AtMost) -> Option<Term> {
        let cell = |&(var, is_negative): &(VarId, bool)| Some((self.encoder.cell_of(var, 0)?, is_negative));
        let sum: Vec<(CellId, bool)> = bound.terms.iter().map(cell).collect::<Option<_>>()?;
        self.encoder.is_at_most(&sum, bound.bound)
    }

    /// The equation that a fact is, if it says which number a variable is.
    pub(super) fn constant(&self, number: u32) -> Option<Row> {
        match self.sayings.facts[number as usize] {
            ScalarFact { var, offset: 0, known: Known::Number(value), .. } => {
                let mut row = vec![(Unknown::Now(var), 1), (Unknown::One, (value as u32).wrapping_neg())];
                row.retain(|&(_, coefficient)| coefficient != 0);
                row.sort_unstable();
                Some(row)
            }
            _ => None,
        }
    }

    /// The variable that a fact is about.
    pub(super) fn variable(&self, number: u32) -> VarId {
        self.sayings.facts[number as usize].var
    }

    pub(super) fn fact(&mut self, number: u32) -> Term {
        if let Some(written) = self.written[number as usize] {
            return written;
        }
        let ScalarFact { var, offset, ty, known } = self.sayings.facts[number as usize];
        let term = self.encoder.known(&self.state, (var, offset, ty), known).unwrap_or(Terms::TRUE);
        self.written[number as usize] = Some(term);
        term
    }

    /// A point for each that is different from the others.
    pub(super) fn points(&mut self, draft: &mut Draft, said: Vec<(Place, Said)>) -> Vec<Point> {
        self.points_with(draft, said, Terms::TRUE)
    }

    /// The same, and inside of calls these parameters are still what was passed for them.
    pub(super) fn points_in_calls(
        &mut self,
        draft: &mut Draft,
        said: Vec<(Place, Said)>,
        kept: &IdSet<VarId>,
    ) -> Vec<Point> {
        let mut by_calls: FxHashMap<Vec<EdgeId>, Term> = FxHashMap::default();
        let mut points = Vec::new();
        let mut seen = summa_base::FxHashSet::default();
        for (place, said) in said {
            let arguments = match by_calls.get(&place.calls) {
                Some(&known) => known,
                None => {
                    let known = self.arguments(&place.calls, kept);
                    by_calls.insert(place.calls.clone(), known);
                    known
                }
            };
            let formula = self.formula(&said);
            let formula = draft.formula(self.encoder.terms.and2(formula, arguments));
            if seen.insert((place.clone(), formula)) {
                points.push(Point { place, formula });
            }
        }
        points
    }

    /// Which parameters of waiting calls equal their passed values. If a function is active more than once,
    /// only the innermost activation has variables here, so such calls are left out.
    fn arguments(&mut self, calls: &[EdgeId], kept: &IdSet<VarId>) -> Term {
        let (cfa, facts) = (self.encoder.cfa, self.encoder.facts);
        let mut parts = Vec::new();
        for (depth, &call) in calls.iter().enumerate() {
            let Op::Call { callee, ref args, .. } = cfa.edge(call).op else { continue };
            let caller = cfa.nodes[cfa.edge(call).from].function;
            let is_one = |f: FuncId| f == caller || f == callee;
            let is_again =
                |&other: &EdgeId| matches!(cfa.edge(other).op, Op::Call { callee, .. } if is_one(callee));
            if callee == caller || calls[depth + 1..].iter().any(is_again) {
                continue;
            }
            for (&param, &arg) in cfa.program.functions[callee].params.iter().zip(args) {
                if is_argument((cfa, facts), kept, param, arg, call) {
                    parts.extend(self.encoder.is_value_of(&self.state, param, arg));
                }
            }
        }
        self.encoder.terms.and(&parts)
    }

    /// The same where something else holds as well, everywhere.
    pub(super) fn points_with(
        &mut self,
        draft: &mut Draft,
        said: Vec<(Place, Said)>,
        always: Term,
    ) -> Vec<Point> {
        let mut seen = summa_base::FxHashSet::default();
        let mut points = Vec::new();
        for (place, said) in said {
            let formula = self.formula(&said);
            let formula = draft.formula(self.encoder.terms.and2(formula, always));
            if seen.insert((place.clone(), formula)) {
                points.push(Point { place, formula });
            }
        }
        points
    }
}
