//! The predicate domain ℙ: predicate abstraction with adjustable-block encoding. BMC, k-induction, predicate
//! abstraction, IMPACT and symbolic execution are settings of it.
//!
//! Paper: Beyer, Dangl, Wendler, *A Unifying View on SMT-Based Software Verification*, Section 3. A state is
//! a triple (ψ, l^ψ, φ): the abstraction formula, where it was computed, and the path formula since. ψ and
//! l^ψ live in a table. So a state is two numbers, intermediate states share their abstraction by identity,
//! and IMPACT can strengthen ψ for all of them at once. An entry of the table also keeps its block formula
//! and the abstraction before it, from which counterexamples are read.
//!
//! Limits: recursion must return in the block in which it was entered, because otherwise the call stack grows
//! without bound. The exception is block-abstraction memoization, where blocks are relations between values
//! at entry and exit: see `summaries`.

mod abstraction;
mod configured;
mod contract;
mod forced_cover;
mod impact;
mod portable;
mod refine;
mod refine_blocks;
mod refine_tree;
mod regions;
mod say;
mod settings;
mod summaries;

pub use configured::{PredicateRefinement, PredicateSettings};
pub(crate) use forced_cover::fcover;
pub use refine::{PredicateRefiner, predicate_of};
pub use refine_blocks::BlockPredicateRefiner;
pub use refine_tree::OpenFrame;
pub use settings::{Blocks, Representation, Settings, Strategy};

use abstraction::Abstracted;
use regions::{Region, Regions};
use std::collections::BTreeMap;
use std::rc::Rc;
use std::time::Duration;
use summa_base::{Budget, FxHashMap, IdVec, Unanswered, define_id};
use summa_cfa::{Cfa, NodeId};
use summa_cpa::{Arrival, Cpa, Move, Step, Stop};
use summa_encode::{CellId, Encoder, Encoding, PathId};
use summa_facts::Analyses;
use summa_logic::{Invariants, Workbench};
use summa_term::{Term, Terms};
use summaries::Summaries;

define_id! {
    /// An abstraction formula with its place.
    AbstractionId = "ψ";
}

/// (ψ, l^ψ, φ). Two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PredicateState {
    pub abstraction: AbstractionId,
    pub path: PathId,
    /// φ = true, by an abstraction and not because nothing happened yet.
    pub is_abstraction: bool,
}

/// For every location the predicates that its abstractions use; `false` asks for a satisfiability check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PredicatePrecision {
    at: Rc<BTreeMap<NodeId, Vec<Term>>>,
    /// Was it found that abstractions must leave out nothing?
    is_exact: bool,
}

impl PredicatePrecision {
    pub fn at(&self, node: NodeId) -> &[Term] {
        self.at.get(&node).map_or(&[], |predicates| predicates)
    }

    /// Adds predicates; true if one is new.
    pub fn add(&mut self, node: NodeId, predicates: &[Term]) -> bool {
        let missing: Vec<Term> =
            predicates.iter().copied().filter(|predicate| !self.at(node).contains(predicate)).collect();
        if missing.is_empty() {
            return false;
        }
        let list = Rc::make_mut(&mut self.at).entry(node).or_default();
        list.extend(missing);
        list.sort_unstable();
        list.dedup();
        true
    }

    pub fn join(&mut self, other: &Self) {
        self.is_exact |= other.is_exact;
        if !Rc::ptr_eq(&self.at, &other.at) {
            for (&node, predicates) in other.at.iter() {
                self.add(node, predicates);
            }
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (NodeId, &[Term])> {
        self.at.iter().map(|(&node, predicates)| (node, &predicates[..]))
    }
}

/// An entry of the table of abstractions.
#[derive(Clone, Debug)]
pub struct Abstraction {
    /// Over the cells in version 0.
    pub formula: Term,
    region: Option<Region>,
    pub node: NodeId,
    /// The block formula, and where the block began; the first abstraction has none.
    pub block: Option<(AbstractionId, PathId)>,
    /// Cells that have a known number: part of the formula, but not of the region. Only under summaries.
    constants: Constants,
}

/// Cells with their numbers, ascending.
type Constants = Rc<[(CellId, Term)]>;

/// Counts of what the domain did.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    pub abstractions: u64,
    pub abstractions_reused: u64,
    /// Too many combinations: cartesian instead.
    pub abstractions_cut: u64,
    pub refinements: u64,
    pub forced_covers: u64,
}

pub struct Predicate<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    pub settings: Settings,
    pub logic: Workbench<'a>,
    pub abstractions: IdVec<AbstractionId, Abstraction>,
    pub counters: Counters,
    /// Invariants of locations, found by other analyses.
    pub invariants: Invariants,
    /// Abstractions leave out nothing: set when a counterexample comes back.
    is_exact: bool,
    regions: Regions,
    known_abstractions: FxHashMap<(Term, PathId, Vec<Term>, bool), Option<Abstracted>>,
    known_entailments: FxHashMap<(Term, Term), bool>,
    summaries: Summaries,
}

/// For the question whether a loop head can be reached at all.
const PRUNE_TIME: Duration = Duration::from_millis(100);

impl<'a> Predicate<'a> {
    /// # Errors
    /// The solver does not start.
    pub fn new(
        cfa: &'a Cfa,
        facts: &'a Analyses,
        encoding: Encoding,
        settings: Settings,
        budget: &Budget,
    ) -> Result<Self, Stop> {
        let encoder = Encoder::new(cfa, facts, encoding);
        let encoder = if settings.summaries { encoder.with_entry_copies() } else { encoder };
        Ok(Self::with(Workbench::new(encoder, budget)?, settings))
    }

    /// On a workbench that is there already. Its encoder has copies of entries if the settings ask for
    /// summaries.
    pub fn with(logic: Workbench<'a>, settings: Settings) -> Self {
        let (cfa, facts) = (logic.paths.encoder.cfa, logic.paths.encoder.facts);
        Self {
            cfa,
            facts,
            settings,
            logic,
            abstractions: IdVec::new(),
            counters: Counters::default(),
            invariants: Invariants::default(),
            is_exact: false,
            regions: Regions::default(),
            known_abstractions: FxHashMap::default(),
            known_entailments: FxHashMap::default(),
            summaries: Summaries::default(),
        }
    }

    /// blk: does a block end here?
    fn is_block_end(&mut self, at: &Arrival) -> bool {
        let crosses = at.by.is_some_and(|by| !matches!(by.step, Step::Edge(_)));
        if self.settings.summaries && self.begins_or_ends_summary(at) {
            return true;
        }
        match self.settings.blocks {
            Blocks::Never => false,
            Blocks::Loops => at.is_target || self.facts.loops.is_head(at.node),
            Blocks::LoopsAndFunctions => at.is_target || crosses || self.facts.loops.is_head(at.node),
        }
    }

    /// A formula about states at a location, and what always holds there.
    fn with_invariant(&mut self, node: NodeId, formula: Term) -> Term {
        match self.invariants.get(&node) {
            Some(&invariant) => self.logic.terms().and2(formula, invariant),
            None => formula,
        }
    }

    /// Where an unrolling could continue without end: loop heads and recursive calls.
    fn may_repeat(&self, at: &Arrival) -> bool {
        let enters = at.by.is_some_and(|by| matches!(by.step, Step::Enter(_)));
        self.facts.loops.is_head(at.node)
            || enters && self.facts.calls.is_recursive(self.cfa.nodes[at.node].function)
    }

    /// ψ₁ ⇒ ψ₂.
    pub(super) fn entails(&mut self, first: AbstractionId, second: AbstractionId) -> Result<bool, Stop> {
        let (a, b) = (&self.abstractions[first], &self.abstractions[second]);
        if a.formula == b.formula || b.formula == Terms::TRUE || a.formula == Terms::FALSE {
            return Ok(true);
        }
        if let (Some(region), Some(other)) = (&a.region, &b.region) {
            return Ok(b.constants.iter().all(|known| a.constants.contains(known)) && region.implies(other)?);
        }
        let (node, premise, conclusion) = (a.node, a.formula, b.formula);
        let premise = self.with_invariant(node, premise);
        if let Some(&known) = self.known_entailments.get(&(premise, conclusion)) {
            return Ok(known);
        }
        let holds = match self.logic.implies(&[premise], conclusion) {
            // A state that is not known to be covered is expanded: sound.
            Err(Unanswered::GaveUp(_)) => false,
            answer => answer?,
        };
        self.known_entailments.insert((premise, conclusion), holds);
        Ok(holds)
    }
}

impl Cpa for Predicate<'_> {
    type State = PredicateState;
    type Precision = PredicatePrecision;

    fn initial(&mut self, node: NodeId) -> (PredicateState, PredicatePrecision) {
        let region = match self.settings.representation {
            Representation::Bdd => Some(self.regions.all()),
            Representation::Term => None,
        };
        let abstraction = self.abstractions.push(Abstraction {
            formula: Terms::TRUE,
            region,
            node,
            block: None,
            constants: Rc::default(),
        });
        let is_start = node == self.cfa.entry();
        let path = if is_start { self.logic.paths.program_start() } else { self.logic.paths.block_entry() };
        (PredicateState { abstraction, path, is_abstraction: true }, PredicatePrecision::default())
    }

    /// φ' = SP_op(φ); ψ and l^ψ stay.
    fn transfer(
        &mut self,
        state: &PredicateState,
        _: &PredicatePrecision,
        by: Move,
    ) -> Result<Vec<PredicateState>, Stop> {
        let path = match by.step {
            Step::Edge(edge) => self.logic.paths.edge(state.path, edge),
            Step::Enter(call) => self.logic.paths.enter(state.path, call),
            // After a summary the caller has its variables.
            Step::Leave(call) if self.is_summarised(call) => self.logic.paths.receive(state.path, call),
            Step::Leave(call) => self
                .logic
                .paths
                .leave(state.path, call)
                .map_err(|unsupported| Stop::unsupported(unsupported.reason, unsupported.edge))?,
        };
        if self.logic.paths.guard(path) == Terms::FALSE {
            return Ok(Vec::new());
        }
        Ok(vec![PredicateState { abstraction: state.abstraction, path, is_abstraction: false }])
    }

    /// merge_P: φ₁ ∨ φ₂ for intermediate states of one block.
    fn merge(
        &mut self,
        state: &PredicateState,
        reached: &PredicateState,
        _: &PredicatePrecision,
        at: &Arrival,
    ) -> Result<Option<PredicateState>, Stop> {
        let is_same_block = state.abstraction == reached.abstraction;
        if !self.settings.merge || !is_same_block || state.is_abstraction || reached.is_abstraction {
            return Ok(None);
        }
        if self.settings.summaries && self.left_recursion_differently(state, reached, at.node) {
            return Ok(None);
        }
        let path = self.logic.paths.or(reached.path, state.path);
        Ok(Some(PredicateState { path, ..*reached }))
    }

    /// stop_P: only abstraction states are covered. The first state of a summary is one in which the entry
    /// values were copied: it covers no others.
    fn stop(
        &mut self,
        state: &PredicateState,
        reached: &PredicateState,
        _: &PredicatePrecision,
    ) -> Result<bool, Stop> {
        let is_weaker = reached.path == state.path || self.logic.paths.is_entry(reached.path);
        if state.is_abstraction && reached.is_abstraction && is_weaker {
            return self.entails(state.abstraction, reached.abstraction);
        }
        Ok(state == reached)
    }

    fn prec(
        &mut self,
        state: PredicateState,
        precision: &PredicatePrecision,
        at: &Arrival,
    ) -> Result<Option<(PredicateState, PredicatePrecision)>, Stop> {
        if !self.is_block_end(at) {
            if self.settings.prune && self.may_repeat(at) && !self.may_be_reached(state)? {
                return Ok(None);
            }
            return Ok(Some((state, precision.clone())));
        }
        let &Abstraction { formula: psi, node, .. } = &self.abstractions[state.abstraction];
        let psi = self.with_invariant(node, psi);
        let Some(abstracted) = self.abstraction(psi, state.path, precision.at(at.node))? else {
            return Ok(None);
        };
        let Abstracted { formula, region } = abstracted;
        let constants = self.constants_at(&state, at);
        let formula = self.with_constants(formula, &constants);
        let block = Some((state.abstraction, state.path));
        let abstraction =
            self.abstractions.push(Abstraction { formula, region, node: at.node, block, constants });
        let path = self.logic.paths.block_entry();
        Ok(Some((PredicateState { abstraction, path, is_abstraction: true }, precision.clone())))
    }

    fn show(&self, state: &PredicateState) -> String {
        let psi = self.show_formula(self.abstractions[state.abstraction].formula);
        if state.is_abstraction {
            return format!("ψ: {psi}");
        }
        format!("ψ: {psi}, φ: {}", self.show_formula(self.logic.paths.guard(state.path)))
    }
}

/// Formulas are cut off after this many characters.
const SHOWN: usize = 400;

impl Predicate<'_> {
    /// A formula over cells in version 0, by the names of the variables.
    pub fn show_formula(&self, formula: Term) -> String {
        let text = summa_term::smtlib::print(&self.logic.paths.encoder.terms, formula).replace("@0", "");
        match text.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{} …", &text[..end]),
            None => text,
        }
    }

    /// Not refuted by a short question.
    fn may_be_reached(&mut self, state: PredicateState) -> Result<bool, Stop> {
        let guard = self.logic.paths.guard(state.path);
        if guard == Terms::TRUE {
            return Ok(true);
        }
        let mut formulas = self.logic.paths.facts(state.path);
        formulas.extend([guard, self.abstractions[state.abstraction].formula]);
        Ok(self.logic.may_be_sat(&formulas, PRUNE_TIME)?)
    }
}
