//! Predicates under block-abstraction memoization: a block is a relation between the values at its entry and
//! at its exit.
//!
//! Paper: Beyer, Friedberger, *Domain-independent interprocedural program analysis using block-abstraction
//! memoization*, ESEC/FSE 2020, Section 4 (Predicate-CPA). The analysis of a block begins with a path that
//! copies every input c to c° (`old(c)`). The copy is a cell like others, so predicates may relate c° to
//! later values. The abstraction at the exit is therefore the summary. Where it is used, rebuild conjoins it
//! to the path formula of the caller, with the caller's values for the copies: see [`summa_encode::path`].
//! The rebuilt state is not abstracted; that is left to the end of the caller's next block.
//!
//! Known constants cross the borders of blocks from which recursion can be reached, without a predicate or a
//! question to the solver. A call with 5 uses another summary than a call with 4, and its result is a number
//! where its path says so. So recursion over numbers is computed, and only the rest is refined.
//!
//! Refinement replaces summaries by the blocks behind them: see `refine_tree`.
//!
//! Limits: IMPACT changes abstractions from which summaries were made, so it cannot be combined with them.

use super::{
    Abstraction, AbstractionId, Constants, Predicate, PredicatePrecision, PredicateState, Representation,
};
use std::rc::Rc;
use summa_bam::{CacheKey, Clause, Reducer, Side};
use summa_base::{FxHashMap, Id, IdSet};
use summa_c::tree::FuncId;
use summa_cfa::{EdgeId, NodeId, Op};
use summa_cpa::{Arrival, Move, Step, Stop};
use summa_encode::{CellId, Interface, Summary};
use summa_facts::blocks::{Block, BlockKind, Blocks, Partition};
use summa_term::{Kind, Term, Terms};

/// Data about blocks that are summarised.
#[derive(Debug, Default)]
pub(super) struct Summaries {
    /// By entry, functions apart from loops.
    interfaces: FxHashMap<(NodeId, bool), Rc<Interface>>,
    /// Where blocks are left.
    ends: IdSet<NodeId>,
    /// First abstractions of blocks by entry and formula.
    entries: FxHashMap<(NodeId, Term), AbstractionId>,
    /// Abstractions that another run made, by location and formula.
    pub(super) loaded: FxHashMap<(NodeId, Term), AbstractionId>,
    /// The functions that are blocks.
    functions: Option<Rc<Blocks>>,
    /// The functions from which recursion can be reached.
    recurring: Option<IdSet<FuncId>>,
}

/// Each atom that is quantified may double a formula.
const MAX_QUANTIFIED: usize = 8;

impl Predicate<'_> {
    /// Is a block entered here, or is an entered block left here?
    pub(super) fn begins_or_ends_summary(&mut self, at: &Arrival) -> bool {
        self.enters_block(at) || self.summaries.ends.contains(at.node)
    }

    fn enters_block(&mut self, at: &Arrival) -> bool {
        matches!(at.by, Some(Move { step: Step::Enter(call), .. }) if self.is_summarised(call))
    }

    /// Does a summary stand for the call?
    pub(super) fn is_summarised(&mut self, call: EdgeId) -> bool {
        let Op::Call { callee, .. } = self.cfa.edges[call].op else { return false };
        self.settings.summaries && !self.functions().inlined.contains(callee)
    }

    /// Did the two paths leave a recursive function through different exits? Then they are kept apart: each
    /// exit has exits of the same function behind it, and the trees of all combinations are too many.
    pub(super) fn left_recursion_differently(
        &mut self,
        a: &PredicateState,
        b: &PredicateState,
        at: NodeId,
    ) -> bool {
        if !self.may_recur(self.cfa.nodes[at].function) {
            return false;
        }
        let (cfa, calls) = (self.cfa, &self.facts.calls);
        let is_recursive = |call: EdgeId| match cfa.edges[call].op {
            Op::Call { callee, .. } => calls.is_recursive(callee),
            _ => false,
        };
        let recursive = |state: &PredicateState| {
            let mut taken = self.logic.paths.exits_taken(state.path);
            taken.retain(|&(call, _)| is_recursive(call));
            taken
        };
        let (ours, theirs) = (recursive(a), recursive(b));
        ours.iter().any(|(call, exit)| theirs.iter().any(|(other, left)| call == other && exit != left))
    }

    pub(super) fn interface(&mut self, block: &Block) -> Rc<Interface> {
        let key = (block.entry, matches!(block.kind, BlockKind::Function(_)));
        if let Some(known) = self.summaries.interfaces.get(&key) {
            return known.clone();
        }
        let interface = Rc::new(Interface::new(&self.logic.paths.encoder, block));
        self.summaries.interfaces.insert(key, interface.clone());
        interface
    }

    /// P_B: is the predicate about nothing but these cells?
    pub(super) fn is_about(&self, predicate: Term, cells: &[CellId]) -> bool {
        let encoder = &self.logic.paths.encoder;
        let symbols = encoder.terms.free_symbols(predicate);
        symbols.into_iter().filter_map(|symbol| encoder.terms.as_symbol(symbol)).all(|(family, _)| {
            encoder.cells.of_symbol(family).is_some_and(|cell| cells.binary_search(&cell).is_ok())
        })
    }

    /// The cells with a known constant where a block is entered, and where a block is left that was entered
    /// with constants. They are known without a question to the solver, and calls with other numbers have
    /// summaries of their own. Elsewhere only the entry copies count: constants at loop heads would unroll
    /// loops.
    pub(super) fn constants_at(&mut self, state: &PredicateState, at: &Arrival) -> Constants {
        if !self.settings.summaries {
            return Rc::default();
        }
        let function = self.cfa.nodes[at.node].function;
        let automaton = self.cfa.automaton(function).map(|automaton| (automaton.entry, automaton.exit));
        let Some((entry, exit)) = automaton else { return Rc::default() };
        let Some(interface) = self.function_interface(entry) else {
            // In an inlined function: what was known stays known.
            let (cells, before) =
                (&self.logic.paths.encoder.cells, &self.abstractions[state.abstraction].constants);
            let copy =
                |cell: CellId| cells.original(cell).map_or_else(|| cells.entry_copy(cell), |_| Some(cell));
            let copies: Vec<CellId> = before.iter().filter_map(|&(cell, _)| copy(cell)).collect();
            let mut known: Vec<(CellId, Term)> = self.numbers(state, copies.into_iter()).collect();
            known.sort_unstable();
            return known.into();
        };
        if self.enters_block(at) {
            if !self.may_recur(function) {
                return Rc::default();
            }
            return self.numbers(state, interface.inputs.iter().copied()).collect();
        }
        let cells = &self.logic.paths.encoder.cells;
        let copies: Vec<CellId> =
            interface.inputs.iter().filter_map(|&cell| cells.entry_copy(cell)).collect();
        let mut known: Vec<(CellId, Term)> = self.numbers(state, copies.into_iter()).collect();
        if at.node == exit && !known.is_empty() {
            known.extend(self.numbers(state, interface.outputs.iter().copied()));
        }
        known.sort_unstable();
        known.into()
    }

    /// Can a call of the function lead to recursion? Only then numbers are worth summaries of their own.
    /// Elsewhere they multiply the explored states, and a predicate says the same where it matters.
    fn may_recur(&mut self, function: FuncId) -> bool {
        let calls = &self.facts.calls;
        let found = self.summaries.recurring.get_or_insert_with(|| {
            let mut found = calls.recursive.clone();
            for function in calls.callees_first() {
                if calls.callees(function).iter().any(|&callee| found.contains(callee)) {
                    found.insert(function);
                }
            }
            found
        });
        found.contains(function)
    }

    /// The cells among these that have a constant value after a path.
    fn numbers(
        &self,
        state: &PredicateState,
        cells: impl Iterator<Item = CellId>,
    ) -> impl Iterator<Item = (CellId, Term)> {
        let encoder = &self.logic.paths.encoder;
        let (before, after) =
            (&self.abstractions[state.abstraction].constants, self.logic.paths.state(state.path));
        let number = |cell: CellId| {
            let value = after.get(cell);
            let is_same = encoder.terms.as_symbol(value) == Some((encoder.cells.cells[cell].symbol, 0));
            let known = before.iter().find(|(other, _)| is_same && *other == cell).map(|&(_, value)| value);
            let value = known.unwrap_or(value);
            matches!(encoder.terms.kind(value), Kind::Int(_) | Kind::Bv(_)).then_some((cell, value))
        };
        let found: Vec<_> =
            cells.filter(|&cell| cell != encoder.cells.next_object).filter_map(number).collect();
        found.into_iter()
    }

    /// The interface of the function that begins here, if functions are summarised.
    fn function_interface(&mut self, entry: NodeId) -> Option<Rc<Interface>> {
        if let Some(known) = self.summaries.interfaces.get(&(entry, true)) {
            return Some(known.clone());
        }
        let functions = self.functions();
        let block = functions.entered_at(entry)?;
        Some(self.interface(&functions.blocks[block]))
    }

    /// The functions that are blocks.
    fn functions(&mut self) -> Rc<Blocks> {
        let (cfa, facts, inline) = (self.cfa, self.facts, self.settings.inline);
        let made = || Rc::new(Blocks::new(cfa, facts, Partition::Functions, inline));
        self.summaries.functions.get_or_insert_with(made).clone()
    }

    /// For each constant: cell = number.
    fn equations(&mut self, constants: &[(CellId, Term)]) -> Vec<Term> {
        let encoder = &mut self.logic.paths.encoder;
        let equation = |&(cell, number): &(CellId, Term)| {
            let symbol = encoder.terms.symbol(encoder.cells.cells[cell].symbol, 0);
            encoder.terms.eq(symbol, number)
        };
        constants.iter().map(equation).collect()
    }

    pub(super) fn with_constants(&mut self, formula: Term, constants: &[(CellId, Term)]) -> Term {
        if constants.is_empty() {
            return formula;
        }
        let mut parts = self.equations(constants);
        parts.push(formula);
        self.logic.terms().and(&parts)
    }

    /// ∃ P_¬B: ψ, the same for equal regions.
    fn without_irrelevant_predicates(
        &mut self,
        psi: &Abstraction,
        inputs: &[CellId],
    ) -> Result<Abstraction, Stop> {
        let (formula, region) = match (&psi.region, self.settings.representation) {
            (Some(region), Representation::Bdd) => {
                let mut irrelevant = self.regions.support(region);
                irrelevant.retain(|&predicate| !self.is_about(predicate, inputs));
                let region = self.regions.without(region, &irrelevant)?;
                (self.regions.formula(self.logic.terms(), &region), Some(region))
            }
            _ => (self.without_irrelevant_atoms(psi.formula, inputs), None),
        };
        let known = psi.constants.iter().filter(|(cell, _)| inputs.binary_search(cell).is_ok());
        let constants: Constants = known.copied().collect();
        let formula = self.with_constants(formula, &constants);
        Ok(Abstraction { formula, region, node: psi.node, block: None, constants })
    }

    /// Atom by atom: ψ implies ψ[p := true] ∨ ψ[p := false]. Conjuncts with too many such atoms are left out.
    fn without_irrelevant_atoms(&mut self, psi: Term, inputs: &[CellId]) -> Term {
        let mut kept = Vec::new();
        for conjunct in self.logic.terms().conjuncts(psi) {
            let mut irrelevant = self.logic.terms().atoms(conjunct);
            irrelevant.retain(|&atom| !self.is_about(atom, inputs));
            if irrelevant.len() > MAX_QUANTIFIED {
                continue;
            }
            let terms = self.logic.terms();
            let without = |formula: Term, atom: Term| {
                let sides = [Terms::TRUE, Terms::FALSE]
                    .map(|value| terms.substitute(formula, &std::iter::once((atom, value)).collect()));
                terms.or2(sides[0], sides[1])
            };
            kept.push(irrelevant.into_iter().fold(conjunct, without));
        }
        self.logic.terms().and(&kept)
    }

    /// The abstraction at the end of a block; the weakest one if none was made there.
    fn exit_abstraction(&mut self, block: &Block, exit: &PredicateState) -> AbstractionId {
        if self.logic.paths.is_entry(exit.path) {
            return exit.abstraction;
        }
        let region = match self.settings.representation {
            Representation::Bdd => Some(self.regions.all()),
            Representation::Term => None,
        };
        let node = block.exits.first().copied().unwrap_or(block.entry);
        let before = Some((exit.abstraction, exit.path));
        let constants = Rc::default();
        self.abstractions.push(Abstraction { formula: Terms::TRUE, region, node, block: before, constants })
    }
}

impl Reducer for Predicate<'_> {
    /// reduce_P(B, e_I) = (∃ P_¬B: ψ_I, l, c° = c).
    fn reduce(&mut self, block: &Block, entry: &PredicateState) -> Result<PredicateState, Stop> {
        self.summaries.ends.extend(block.exits.iter().copied());
        if entry.path == self.logic.paths.program_start() {
            return Ok(*entry);
        }
        let interface = self.interface(block);
        let psi = self.abstractions[entry.abstraction].clone();
        let reduced = if self.logic.paths.is_entry(entry.path) {
            self.without_irrelevant_predicates(&psi, &interface.inputs)?
        } else {
            // ψ is about values before the block is entered.
            let region = psi.region.is_some().then(|| self.regions.all());
            let constants = Rc::default();
            Abstraction { formula: Terms::TRUE, region, node: block.entry, block: None, constants }
        };
        let path = self.logic.paths.summary_entry_with(&interface, &reduced.constants);
        let key = (block.entry, reduced.formula);
        let abstraction = match self.summaries.entries.get(&key) {
            Some(&known) => known,
            None => self.abstractions.push(Abstraction { node: block.entry, ..reduced }),
        };
        self.summaries.entries.insert(key, abstraction);
        Ok(PredicateState { abstraction, path, is_abstraction: true })
    }

    fn reduce_precision(&mut self, block: &Block, precision: &PredicatePrecision) -> PredicatePrecision {
        let cfa = self.cfa;
        // Exits of loops and ends of the run are not in the block, but edges of the block lead there.
        let is_left_to =
            |node: NodeId| cfa.entering(node).iter().any(|&edge| block.contains(cfa.edge(edge).from));
        let is_own = |node: NodeId| block.contains(node) || is_left_to(node);
        let own = precision.at.iter().filter(|&(&node, _)| is_own(node));
        let at = own.map(|(&node, predicates)| (node, predicates.clone())).collect();
        PredicatePrecision { at: Rc::new(at), is_exact: precision.is_exact }
    }

    /// The removed part is still in the path formula of the caller, to which `rebuild` adds the summary.
    fn expand(
        &mut self,
        _: &Block,
        _: &PredicateState,
        _: &PredicateState,
        exit: &PredicateState,
    ) -> Result<PredicateState, Stop> {
        Ok(*exit)
    }

    /// rebuild_P(e_call, e_I, e_O) = (ψ_call, l_call, φ_call ∧ ψ_O[c° := c after the parameters took the
    /// arguments]).
    fn rebuild(
        &mut self,
        block: &Block,
        call: Option<Move>,
        before: &PredicateState,
        _: &PredicateState,
        exit: PredicateState,
    ) -> Result<Option<PredicateState>, Stop> {
        let interface = self.interface(block);
        let end = self.exit_abstraction(block, &exit);
        let summary = Summary {
            call: call.map(|by| by.step.edge()),
            formula: self.abstractions[end].formula,
            exit: end.index() as u32,
        };
        let path = self.logic.paths.summarise(before.path, &interface, summary);
        let is_reached = self.logic.paths.guard(path) != Terms::FALSE && summary.formula != Terms::FALSE;
        let state = PredicateState { abstraction: before.abstraction, path, is_abstraction: false };
        Ok(is_reached.then_some(state))
    }

    fn cache_key(
        &mut self,
        _: &Block,
        reduced: &PredicateState,
        precision: &PredicatePrecision,
        key: &mut CacheKey,
    ) {
        let formula = self.abstractions[reduced.abstraction].formula;
        key.extend([formula.index() as u64, u64::from(precision.is_exact)]);
        for (node, predicates) in precision.iter() {
            key.extend([node.index() as u64, predicates.len() as u64]);
            key.extend(predicates.iter().map(|predicate| predicate.index() as u64));
        }
    }

    /// Entries and exits are combinations of finitely many predicates, but for their constants.
    fn widen(
        &mut self,
        block: &Block,
        _: &PredicateState,
        now: &PredicateState,
        side: Side,
    ) -> Result<PredicateState, Stop> {
        let psi = self.abstractions[now.abstraction].clone();
        if psi.constants.is_empty() {
            return Ok(*now);
        }
        let formula = match &psi.region {
            Some(region) => self.regions.formula(self.logic.terms(), region),
            None => {
                let known = self.equations(&psi.constants);
                let mut rest = self.logic.terms().conjuncts(psi.formula);
                rest.retain(|conjunct| !known.contains(conjunct));
                self.logic.terms().and(&rest)
            }
        };
        let path = match side {
            Side::Exit => now.path,
            Side::Entry => {
                let interface = self.interface(block);
                self.logic.paths.summary_entry(&interface)
            }
        };
        let abstraction = self.abstractions.push(Abstraction { formula, constants: Rc::default(), ..psi });
        Ok(PredicateState { abstraction, path, ..*now })
    }

    fn contract(&mut self, block: &Block, state: &PredicateState, side: Side) -> Vec<Clause> {
        self.clauses(block, state, side)
    }
}
