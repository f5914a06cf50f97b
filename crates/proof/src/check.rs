//! The checker: what it shows, and why that is a proof.
//!
//! **Theorem.** If [`check()`] confirms a proof, no execution of the program takes an edge that counts as an error or one that
//! is not understood.
//!
//! *Cut points* are loop heads with the calls that wait, and all places at which a set of points says something. They cut executions into
//! segments. Only executions count that take an error in the end, so edges are left out behind which none lies in the graph of
//! the program. A walk (see `walk.rs`) follows all executions of a segment at once; a path formula says under which condition on the
//! values at its beginning it is taken, and what the values are at its end.
//!
//! **Points** (Floyd 1967, Hoare 1969). A set of points is inductive if every walk from the entry, and from every state that satisfies a point,
//! ends at cut points only in states that satisfy a point there; where there is no point, no execution may end. Then by induction
//! over its segments every execution satisfies a point whenever it visits a cut point. This is checked for the sets of lemmas in their order,
//! each with those before it as knowledge at the beginning of a segment, and for the points of procedures. If besides no walk from
//! the entry or a point meets an error, then no segment does, and so no execution.
//!
//! **Contracts** (Hoare 1971). A procedure begins with any state that satisfies `requires`, and must end in one that satisfies `ensures`,
//! which may speak of the values at its entry. A call of a function with contracts is not followed. It is shown that `requires` of one of
//! them holds; behind the call, what the function may change has any values for which, for each contract whose `requires` held, `ensures`
//! holds. By induction over the number of steps of an execution, no error is in the callee, and what is assumed of its end is true,
//! with recursion too: a call that has ended took fewer steps than the execution around it. Variables of functions that are not active keep
//! their values over such a call, unlike in the execution; nobody reads them before they are written.
//!
//! **Induction over k segments** (Sheeran, Singh, Stålmarck 2000). For k > 0 there are no points but lemmas. *Base*: in the
//! first k + 1 segments of an execution there is no error. *Step*: from every cut point, with any values that the lemmas allow there and
//! at all further visits, the segment after k others has no error. If an execution had an error in segment n, then n > k + 1 by the base,
//! and the segments n - k, …, n contradict the step. Cut points are found on the way: where executions end their first segments, and where
//! those end that begin there.
//!
//! **Unrolling.** The walk from the start of the program is followed to its end, and meets no error.
//!
//! All of this is shown over path formulas, which may allow more than the program does and never less, so what they exclude cannot happen.
//! Most steps need no solver: values that are known at the beginning are put into the path formula, and what is left is often `true`.

use crate::formulas::{Formulas, cases, values};
use crate::proof::{Method, Place, Point, Procedure, Proof};
use crate::questions::Questions;
use crate::refusal::{Obligation, Refusal};
use crate::walk::{Hit, Until, Walked};
use std::collections::VecDeque;
use summa_base::{Budget, FxHashMap, FxHashSet};
use summa_c::tree::FuncId;
use summa_cfa::analysis::Analyses;
use summa_cfa::analysis::blocks::{BlockKind, Partition};
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_encode::{Encoder, Interface, PathId, Paths, State, Summary};
use summa_term::{Renaming, Term, Terms};

/// What a confirmed proof took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// What had to be shown.
    pub steps: u64,
    /// For how much of it the solver was asked.
    pub queries: u64,
}

/// Cases of which one holds, each a list of formulas.
type Cases = Vec<Vec<Term>>;

/// A contract, as terms.
struct Contract {
    requires: Term,
    /// The same about the copies of the inputs.
    required: Term,
    ensures: Term,
}

pub(crate) struct Contracts {
    interface: Interface,
    list: Vec<Contract>,
}

/// The points of a set, by place.
type Layer = FxHashMap<Place, Cases>;

/// More cases of a lemma than this are not told to the solver: it may know less than there is to know.
const MAX_CASES: usize = 512;
/// More cut points are not looked for.
const MAX_CUT_POINTS: usize = 20_000;

pub(crate) struct Checker<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) facts: &'a Analyses,
    pub(crate) is_error: &'a dyn Fn(EdgeId) -> bool,
    pub(crate) paths: Paths<'a>,
    pub(crate) questions: Questions,
    /// Of the functions whose calls are not followed.
    pub(crate) contracts: FxHashMap<FuncId, Contracts>,
    pub(crate) budget: Budget,
    /// What was shown to hold, set by set.
    lemmas: Vec<Layer>,
    steps: u64,
}

/// Does the proof show that no edge that `is_error` names among the error edges can be taken, nor one that is not understood?
///
/// # Errors
/// Why it does not, or why that is not known.
pub fn check(
    cfa: &Cfa,
    facts: &Analyses,
    is_error: &dyn Fn(EdgeId) -> bool,
    proof: &Proof,
    budget: &Budget,
) -> Result<Confirmed, Refusal> {
    check_with(cfa, facts, is_error, proof, budget, &mut |_, refusal| Err(refusal))
}

/// The same, but sets of lemmas that do not hold are taken out of the proof: it may do without them.
///
/// # Errors
/// Why it does not, or why that is not known.
pub fn check_and_trim(
    cfa: &Cfa,
    facts: &Analyses,
    is_error: &dyn Fn(EdgeId) -> bool,
    proof: &mut Proof,
    budget: &Budget,
) -> Result<Confirmed, Refusal> {
    let mut wrong = Vec::new();
    let confirmed = check_with(cfa, facts, is_error, proof, budget, &mut |set, refusal| {
        wrong.push(set);
        if refusal.is_wrong() { Ok(()) } else { Err(refusal) }
    })?;
    for set in wrong.into_iter().rev() {
        proof.lemmas.remove(set);
    }
    Ok(confirmed)
}

/// What happens when a set of lemmas is refused, the caller decides: it is left out, or the proof is refused.
fn check_with(
    cfa: &Cfa,
    facts: &Analyses,
    is_error: &dyn Fn(EdgeId) -> bool,
    proof: &Proof,
    budget: &Budget,
    when_lemmas_are_refused: &mut dyn FnMut(usize, Refusal) -> Result<(), Refusal>,
) -> Result<Confirmed, Refusal> {
    let Some((program, others)) = proof.procedures.split_first() else {
        return Err(Refusal::Malformed("there is no procedure".to_owned()));
    };
    if program.function != cfa.start || others.iter().any(|other| other.function == cfa.start) {
        return Err(Refusal::Malformed("the first procedure is not the program".to_owned()));
    }
    let is_plain = others.is_empty() && program.points.is_empty();
    if proof.method != (Method::Induction { k: 0 }) && !is_plain {
        return Err(Refusal::Malformed("parts that do not go together".to_owned()));
    }
    let mut encoder = Encoder::new(cfa, facts, proof.encoding);
    if !others.is_empty() {
        encoder = encoder.with_entry_copies();
    }
    let formulas = Formulas::read(&mut encoder, proof)?;
    let mut checker = Checker {
        cfa,
        facts,
        is_error,
        paths: Paths::new(encoder),
        questions: Questions::new(budget)?,
        contracts: FxHashMap::default(),
        budget: budget.clone(),
        lemmas: Vec::new(),
        steps: 0,
    };
    if formulas.get(program.requires)? != Terms::TRUE {
        return Err(Refusal::Malformed("the program is said to require something".to_owned()));
    }
    // Lemmas are about the whole program, with all its calls.
    for (set, points) in proof.lemmas.iter().enumerate() {
        let layer = checker.layer(cfa.start, points, &formulas)?;
        match checker.procedure(program, &formulas, &layer, points, false) {
            Ok(()) => checker.lemmas.push(layer),
            Err(refusal) => when_lemmas_are_refused(set, refusal)?,
        }
    }
    checker.add_contracts(others, &formulas)?;
    match proof.method {
        Method::Induction { k: 0 } => {
            for procedure in &proof.procedures {
                let layer = checker.layer(procedure.function, &procedure.points, &formulas)?;
                checker.procedure(procedure, &formulas, &layer, &procedure.points, true)?;
            }
        }
        Method::Induction { k } => checker.induction(k)?,
        Method::Unrolling { bound } => checker.unrolling(bound)?,
    }
    Ok(Confirmed { steps: checker.steps, queries: checker.questions.asked })
}

/// The beginning of a walk: values, and what is known about them.
struct Start {
    place: Place,
    path: PathId,
    premises: Vec<Term>,
    /// For the refusal: what fails here is initiation or consecution.
    step: Obligation,
}

impl<'a> Checker<'a> {
    // ---- reading ----

    /// The contracts of the functions other than the program's own.
    fn add_contracts(&mut self, procedures: &[Procedure], formulas: &Formulas) -> Result<(), Refusal> {
        if procedures.is_empty() {
            return Ok(());
        }
        let blocks = self.facts.blocks(self.cfa, Partition::Functions);
        let functions: FxHashMap<FuncId, _> = blocks
            .blocks
            .values()
            .filter_map(|block| match block.kind {
                BlockKind::Function(function) => Some((function, block)),
                BlockKind::Loop(_) => None,
            })
            .collect();
        for procedure in procedures {
            let no_body = || Refusal::Malformed("a contract of a function without a body".to_owned());
            let block = functions.get(&procedure.function).ok_or_else(no_body)?;
            let encoder = &self.paths.encoder;
            let contracts = self.contracts.entry(procedure.function).or_insert_with(|| {
                let interface = Interface::new(encoder, block).with_outer_locals(encoder, procedure.function);
                Contracts { interface, list: Vec::new() }
            });
            let requires = formulas.get(procedure.requires)?;
            let required = about_copies(&mut self.paths.encoder, &contracts.interface, requires)?;
            contracts.list.push(Contract { requires, required, ensures: formulas.get(procedure.ensures)? });
        }
        Ok(())
    }

    /// Points by place, which must be places of the function.
    fn layer(&self, function: FuncId, points: &[Point], formulas: &Formulas) -> Result<Layer, Refusal> {
        let mut layer = Layer::default();
        for point in points {
            let mut running = function;
            for &call in &point.place.calls {
                match self.cfa.edges.get(call).map(|edge| (&edge.op, self.cfa.nodes[edge.from].function)) {
                    Some((&Op::Call { callee, .. }, caller)) if caller == running => running = callee,
                    _ => {
                        return Err(Refusal::Malformed(
                            "calls that do not follow from each other".to_owned(),
                        ));
                    }
                }
            }
            if self.cfa.nodes.get(point.place.node).is_none_or(|node| node.function != running) {
                return Err(Refusal::Malformed("a place in another function".to_owned()));
            }
            let formula = formulas.get(point.formula)?;
            let holds = self.paths.encoder.terms.conjuncts(formula);
            layer.entry(point.place.clone()).or_default().push(holds);
        }
        Ok(layer)
    }

    // ---- points and contracts ----

    /// The points of a procedure are inductive, and its contract is kept; with `is_safe` also: there are no errors.
    fn procedure(
        &mut self,
        procedure: &Procedure,
        formulas: &Formulas,
        layer: &Layer,
        points: &[Point],
        is_safe: bool,
    ) -> Result<(), Refusal> {
        let requires = formulas.get(procedure.requires)?;
        let ensures = cases(&self.paths.encoder.terms, formulas.get(procedure.ensures)?);
        let mut starts = VecDeque::from([self.entry(procedure.function, requires)?]);
        let mut points = points.iter();
        loop {
            let start = match starts.pop_front() {
                Some(start) => start,
                None => match points.next() {
                    Some(point) => self.at_point(procedure.function, point, formulas)?,
                    None => return Ok(()),
                },
            };
            if start.premises.contains(&Terms::FALSE) {
                continue;
            }
            let loops = &self.facts.loops;
            let is_cut = |place: &Place| loops.is_head(place.node) || layer.contains_key(place);
            let walked = self.walk(&start.place, start.path, Until::CutPoint { passed: 0 }, &is_cut)?;
            for (place, &path) in &walked.ends {
                let there = layer.get(place).map_or(&[][..], |cases| cases);
                self.show(&start.premises, path, there, (start.step, place.node, None))?;
            }
            self.show_calls(&start, &walked)?;
            if let Some(exit) = walked.exit.filter(|_| procedure.function != self.cfa.start) {
                let at = (Obligation::Ensures, start.place.node, None);
                self.show(&start.premises, exit, &ensures, at)?;
            }
            if is_safe {
                self.exclude(&start.premises, &walked.hits)?;
            }
        }
    }

    /// The entry of a procedure; its inputs are copied.
    fn entry(&mut self, function: FuncId, requires: Term) -> Result<Start, Refusal> {
        let malformed = || Refusal::Malformed("a procedure without a body".to_owned());
        let entry = self.cfa.automaton(function).ok_or_else(malformed)?.entry;
        let place = Place { calls: Vec::new(), node: entry };
        let (path, premises) = match self.contracts.get(&function) {
            _ if function == self.cfa.start => (self.paths.program_start(), Vec::new()),
            None => return Err(malformed()),
            Some(contracts) => {
                let interface = contracts.interface.clone();
                self.with_values(&interface, &[requires])
            }
        };
        Ok(Start { place, path, premises, step: Obligation::Initiation })
    }

    /// A place with any values for which a point holds, and the lemmas.
    fn at_point(&mut self, function: FuncId, point: &Point, formulas: &Formulas) -> Result<Start, Refusal> {
        let mut known = self.paths.encoder.terms.conjuncts(formulas.get(point.formula)?);
        if self.contracts.is_empty() {
            known.extend(self.lemmas_at(&point.place));
        } else {
            known.extend(self.lemmas_within(function, &point.place));
        }
        let nothing = Interface { inputs: Vec::new(), outputs: Vec::new() };
        let (path, premises) = self.with_values(&nothing, &known);
        Ok(Start { place: point.place.clone(), path, premises, step: Obligation::Consecution })
    }

    /// A path that has just begun, with the values that the formulas give to cells, and what else the formulas say.
    fn with_values(&mut self, interface: &Interface, known: &[Term]) -> (PathId, Vec<Term>) {
        let encoder = &mut self.paths.encoder;
        let conjuncts: Vec<Term> =
            known.iter().flat_map(|&formula| encoder.terms.conjuncts(formula)).collect();
        let values = values(encoder, &conjuncts);
        let path = self.paths.summary_entry_with(interface, &values);
        let mut after = After::new(&self.paths, path);
        let mut premises: Vec<Term> =
            conjuncts.iter().map(|&formula| after.read(&mut self.paths, formula)).collect();
        premises.retain(|&premise| premise != Terms::TRUE);
        (path, premises)
    }

    /// A call that is not followed: behind it, what the contracts say. None if no execution returns.
    pub(crate) fn by_contract(
        &mut self,
        path: PathId,
        call: EdgeId,
        callee: FuncId,
        walked: &mut Walked,
    ) -> Result<Option<PathId>, Refusal> {
        let entered = self.paths.enter(path, call);
        walked.calls.push((call, entered));
        let mut after = After::new(&self.paths, entered);
        let Some(contracts) = self.contracts.get(&callee) else { return Ok(None) };
        let (mut certain, mut possible) = (Vec::new(), Vec::new());
        for contract in &contracts.list {
            match after.read(&mut self.paths, contract.requires) {
                Terms::TRUE => certain.push(contract.ensures),
                Terms::FALSE => {}
                _ => possible.push(self.paths.encoder.terms.implies(contract.required, contract.ensures)),
            }
        }
        let known = if certain.is_empty() { possible } else { certain };
        let formula = self.paths.encoder.terms.and(&known);
        if formula == Terms::FALSE {
            return Ok(None);
        }
        let interface = contracts.interface.clone();
        let behind = self.paths.summarise(path, &interface, Summary { call: Some(call), formula, exit: 0 });
        Ok(Some(self.paths.receive(behind, call)))
    }

    /// A contract applies to every call.
    fn show_calls(&mut self, start: &Start, walked: &Walked) -> Result<(), Refusal> {
        for &(call, entered) in &walked.calls {
            let Op::Call { callee, .. } = self.cfa.edge(call).op else { continue };
            let Some(contracts) = self.contracts.get(&callee) else { continue };
            let terms = &self.paths.encoder.terms;
            let requires: Cases =
                contracts.list.iter().map(|contract| terms.conjuncts(contract.requires)).collect();
            let at = (Obligation::Requires, self.cfa.edge(call).from, Some(call));
            self.show(&start.premises, entered, &requires, at)?;
        }
        Ok(())
    }

    // ---- induction and unrolling ----

    fn induction(&mut self, k: u32) -> Result<(), Refusal> {
        let loops = &self.facts.loops;
        let is_cut = |place: &Place| loops.is_head(place.node);
        let entry = Place { calls: Vec::new(), node: self.cfa.entry() };
        let (mut found, mut todo) = (FxHashSet::default(), VecDeque::new());
        let mut next = Some((entry, self.paths.program_start(), Vec::new(), 0));
        while let Some((place, path, mut premises, from)) = next {
            let mut walked = Walked::default();
            // Where lemmas exclude all values, nobody gets.
            if !premises.contains(&Terms::FALSE) {
                walked = self.walk(&place, path, Until::CutPoint { passed: k }, &is_cut)?;
            }
            for (place, path) in &walked.passed {
                premises.extend(self.lemmas_behind(place, *path));
            }
            let hits: Vec<Hit> = walked.hits.iter().copied().filter(|hit| hit.passed >= from).collect();
            self.exclude(&premises, &hits)?;
            for place in walked.passed.iter().map(|(place, _)| place).chain(walked.ends.keys()) {
                if found.insert(place.clone()) {
                    todo.push_back(place.clone());
                }
            }
            if found.len() > MAX_CUT_POINTS {
                return Err(Refusal::TooLarge("the number of cut points"));
            }
            next = todo.pop_front().map(|place| {
                let known = self.lemmas_at(&place);
                let nothing = Interface { inputs: Vec::new(), outputs: Vec::new() };
                let (path, premises) = self.with_values(&nothing, &known);
                (place, path, premises, k)
            });
        }
        Ok(())
    }

    fn unrolling(&mut self, bound: u32) -> Result<(), Refusal> {
        let entry = Place { calls: Vec::new(), node: self.cfa.entry() };
        let walked = self.walk(&entry, self.paths.program_start(), Until::End { bound }, &|_| false)?;
        self.exclude(&[], &walked.hits)
    }

    // ---- lemmas ----

    /// What lemmas say about the values at a place.
    fn lemmas_at(&mut self, place: &Place) -> Vec<Term> {
        let is_head = self.facts.loops.is_head(place.node);
        let terms = &mut self.paths.encoder.terms;
        let mut said = Vec::new();
        for layer in &self.lemmas {
            match layer.get(place) {
                Some(cases) if cases.len() > MAX_CASES => {}
                Some(cases) => {
                    let cases: Vec<Term> = cases.iter().map(|case| terms.and(case)).collect();
                    said.push(terms.or(&cases));
                }
                // A cut point without a point: nobody gets there.
                None if is_head => said.push(Terms::FALSE),
                None => {}
            }
        }
        said
    }

    /// What they say where some calls were not followed: at a place of a procedure, whoever called it. An execution and the walks of the
    /// proof agree in the variables of the functions that are active and in static ones; what else lemmas speak of, such as what a
    /// function left behind that has returned, is not used.
    fn lemmas_within(&mut self, function: FuncId, place: &Place) -> Vec<Term> {
        let cfa = self.cfa;
        let called = place.calls.iter().filter_map(|&call| match cfa.edge(call).op {
            Op::Call { callee, .. } => Some(callee),
            _ => None,
        });
        let active: FxHashSet<FuncId> = called.chain([function]).collect();
        let encoder = &mut self.paths.encoder;
        let is_seen = |encoder: &Encoder<'_>, symbol: Term| {
            let cell =
                encoder.terms.as_symbol(symbol).and_then(|(family, _)| encoder.cells.of_symbol(family));
            let variable = cell.and_then(|cell| encoder.cells.cells[cell].variable);
            variable.is_some_and(|(var, _)| {
                cfa.program.vars[var].kind.frame().is_none_or(|frame| active.contains(&frame))
            })
        };
        let mut said = Vec::new();
        for layer in &self.lemmas {
            let mut cases = Vec::new();
            // The order of cases has no say in anything but the order of a disjunction, which is sorted.
            let mut places: Vec<&Place> = layer
                .keys()
                .filter(|known| known.node == place.node && known.calls.ends_with(&place.calls))
                .collect();
            places.sort_unstable();
            for case in places.into_iter().flat_map(|place| &layer[place]) {
                let mut seen = case.clone();
                seen.retain(|&formula| {
                    encoder.terms.free_symbols(formula).into_iter().all(|symbol| is_seen(encoder, symbol))
                });
                cases.push(encoder.terms.and(&seen));
            }
            if cases.len() <= MAX_CASES && (!cases.is_empty() || self.facts.loops.is_head(place.node)) {
                said.push(encoder.terms.or(&cases));
            }
        }
        said
    }

    /// The same behind a path, if it is taken.
    fn lemmas_behind(&mut self, place: &Place, path: PathId) -> Vec<Term> {
        let said = self.lemmas_at(place);
        let mut after = After::new(&self.paths, path);
        let not_there = self.paths.guard(path);
        let not_there = self.paths.encoder.terms.not(not_there);
        let mut known = Vec::new();
        for formula in said {
            let holds = after.read(&mut self.paths, formula);
            known.push(self.paths.encoder.terms.or2(not_there, holds));
        }
        known.retain(|&fact| fact != Terms::TRUE);
        known
    }

    // ---- showing ----

    /// If the premises hold and the path is taken, one of the cases holds behind it.
    fn show(
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

    /// If the premises hold, none of these is reached.
    fn exclude(&mut self, premises: &[Term], hits: &[Hit]) -> Result<(), Refusal> {
        let hits: Vec<&Hit> = hits.iter().filter(|hit| self.paths.guard(hit.path) != Terms::FALSE).collect();
        self.steps += 1;
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
            if matches!(self.questions.is_impossible(terms, &formulas, at), Ok(true)) {
                return Ok(());
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

/// Formulas over cells as they read behind a path, in terms of the values at its beginning.
struct After {
    state: State,
    renaming: Renaming,
}

impl After {
    fn new(paths: &Paths<'_>, path: PathId) -> Self {
        Self { state: paths.state(path).clone(), renaming: Renaming::new() }
    }

    fn read(&mut self, paths: &mut Paths<'_>, formula: Term) -> Term {
        let (terms, cells, state) = (&mut paths.encoder.terms, &paths.encoder.cells, &self.state);
        self.renaming.apply(terms, formula, |terms, symbol, version| match cells.of_symbol(symbol) {
            Some(cell) if version == 0 => state.get(cell),
            _ => terms.symbol(symbol, version),
        })
    }
}

/// A formula about inputs as one about their copies.
fn about_copies(encoder: &mut Encoder<'_>, interface: &Interface, formula: Term) -> Result<Term, Refusal> {
    let mut copies = FxHashMap::default();
    for symbol in encoder.terms.free_symbols(formula) {
        let cell = encoder.terms.as_symbol(symbol).and_then(|(family, _)| encoder.cells.of_symbol(family));
        let input = cell.filter(|cell| interface.inputs.binary_search(cell).is_ok());
        let Some(copy) = input.and_then(|input| encoder.cells.entry_copy(input)) else {
            return Err(Refusal::Malformed("a contract that requires something of no input".to_owned()));
        };
        copies.insert(symbol, encoder.terms.symbol(encoder.cells.cells[copy].symbol, 0));
    }
    Ok(encoder.terms.substitute(formula, &copies))
}
