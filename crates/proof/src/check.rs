//! The checker: what it shows, and why that is a proof.
//!
//! **Theorem.** If [`check()`] confirms a proof, no execution of the program takes an edge that counts as an
//! error or an edge that is not understood.
//!
//! *Cut points* are loop heads together with the calls that wait, and all places at which a set of points
//! says something. They cut executions into segments. Only executions that reach an error count, so edges
//! from which the graph of the program reaches no error are left out. A walk (see `walk.rs`) follows all
//! executions of a segment at once. A path formula says under which condition on the values at its beginning
//! the segment is taken, and what the values are at its end.
//!
//! **Points** (Floyd 1967, Hoare 1969). A set of points is inductive if every walk from the entry, and from
//! every state that satisfies a point, ends at cut points only in states that satisfy a point there. Where
//! there is no point, no execution may end. Then, by induction over its segments, every execution satisfies a
//! point whenever it visits a cut point. This is checked for the sets of lemmas in their order, each with the
//! sets before it as knowledge at the beginning of a segment, and for the points of procedures. If in
//! addition no walk from the entry or from a point meets an error, then no segment does, and so no execution.
//!
//! **Contracts** (Hoare 1971). A procedure begins in any state that satisfies `requires`, and must end in a
//! state that satisfies `ensures`, which may speak of the values at its entry. A call of a function with
//! contracts is not followed. Instead it is shown that `requires` of one contract holds. Behind the call,
//! everything that the function may change has any values such that `ensures` holds for each contract whose
//! `requires` held. By induction over the number of steps of an execution, no error is in the callee, and
//! what is assumed about its end is true. This covers recursion too: a call that has ended took fewer steps
//! than the execution around it. Variables of functions that are not active keep their values over such a
//! call, unlike in the execution; but they are written before they are read again.
//!
//! **Induction over k segments** (Sheeran, Singh, Stålmarck 2000). For k > 0 there are no points, only
//! lemmas. *Base*: in the first k + 1 segments of an execution there is no error. *Step*: from every cut
//! point, with any values that the lemmas allow there and at all further visits, the segment after k others
//! has no error. If an execution had an error in segment n, then n > k + 1 by the base, and the segments n -
//! k, …, n contradict the step. Cut points are found on the way: where executions end their first segments,
//! and where segments that begin there end.
//!
//! **Unrolling.** The walk from the start of the program is followed to its end, and meets no error.
//!
//! **Known contracts.** A contract is a fact about the function and all that it calls. If it was shown once,
//! for the same code, it need not be shown again. The caller of the checker is responsible for such claims.
//!
//! All of this is shown over path formulas. They may allow more than the program does, but never less, so
//! what they exclude cannot happen. [`crate::axioms`] lists what they assume. Most steps need no solver:
//! values that are known at the beginning are put into the path formula, and what is left is often `true`.

use crate::contracts::Contracts;
use crate::formulas::{Formulas, cases, values};
use crate::plain::Plain;
use crate::proof::{Method, Place, Point, Procedure, Proof};
use crate::questions::Questions;
use crate::refusal::{Obligation, Refusal};
use crate::show::After;
use crate::walk::{Hit, Until, Walked};
use std::collections::VecDeque;
use summa_base::{Budget, FxHashMap, FxHashSet};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_encode::{Encoder, Interface, PathId, Paths};
use summa_facts::Analyses;
use summa_smt::SecondSolver;
use summa_term::{Term, Terms};

/// What a confirmed proof took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Confirmed {
    /// What had to be shown.
    pub steps: u64,
    /// For how much of it the solver was asked.
    pub queries: u64,
    /// Contracts that were shown earlier, and were not shown again.
    pub known: u64,
    /// How often the second solver was asked, and agreed.
    pub seconded: u64,
}

/// Cases, one of which holds. Each is a list of formulas.
pub(crate) type Cases = Vec<Vec<Term>>;

/// The points of a set, by place.
pub(crate) type Layer = FxHashMap<Place, Cases>;

/// The most cut points that are searched for.
const MAX_CUT_POINTS: usize = 20_000;

pub(crate) struct Checker<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) facts: &'a Analyses,
    pub(crate) is_error: &'a dyn Fn(EdgeId) -> bool,
    pub(crate) paths: Paths<'a>,
    pub(crate) questions: Questions,
    pub(crate) plain: Plain,
    /// Contracts of the functions whose calls are not followed.
    pub(crate) contracts: FxHashMap<FuncId, Contracts>,
    pub(crate) budget: Budget,
    /// What was shown to hold, set by set.
    pub(crate) lemmas: Vec<Layer>,
    pub(crate) steps: u64,
}

/// Does the proof show that no edge that `is_error` names among the error edges can be taken, nor one that is
/// not understood?
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
    check_twice(cfa, facts, is_error, proof, budget, None)
}

/// The same where a second solver must agree with the first.
///
/// # Errors
/// Why the proof does not, or why that is not known.
pub fn check_twice(
    cfa: &Cfa,
    facts: &Analyses,
    is_error: &dyn Fn(EdgeId) -> bool,
    proof: &Proof,
    budget: &Budget,
    second: Option<&SecondSolver>,
) -> Result<Confirmed, Refusal> {
    check_with((cfa, facts, is_error), proof, (budget, second), &|_| false, &mut |_, refusal| Err(refusal))
}

/// The same with two differences. Sets of lemmas that do not hold are removed from the proof, which may do
/// without them. Contracts of procedures that are known to hold in this program (`is_known`, by their
/// numbers) are not shown again.
///
/// # Errors
/// Why it does not, or why that is not known.
pub fn check_and_trim(
    cfa: &Cfa,
    facts: &Analyses,
    is_error: &dyn Fn(EdgeId) -> bool,
    proof: &mut Proof,
    means: (&Budget, Option<&SecondSolver>),
    is_known: &dyn Fn(usize) -> bool,
) -> Result<Confirmed, Refusal> {
    let mut wrong = Vec::new();
    let confirmed = check_with((cfa, facts, is_error), proof, means, is_known, &mut |set, refusal| {
        wrong.push(set);
        if refusal.is_wrong() { Ok(()) } else { Err(refusal) }
    })?;
    for set in wrong.into_iter().rev() {
        proof.lemmas.remove(set);
    }
    Ok(confirmed)
}

/// The caller decides what happens when a set of lemmas is refused: it is left out, or the proof is refused.
fn check_with(
    (cfa, facts, is_error): (&Cfa, &Analyses, &dyn Fn(EdgeId) -> bool),
    proof: &Proof,
    (budget, second): (&Budget, Option<&SecondSolver>),
    is_known: &dyn Fn(usize) -> bool,
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
        questions: Questions::new(budget, second),
        plain: Plain::default(),
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
    let mut known = 0;
    match proof.method {
        Method::Induction { k: 0 } => {
            for (number, procedure) in proof.procedures.iter().enumerate() {
                if number > 0 && is_known(number) {
                    known += 1;
                    continue;
                }
                let layer = checker.layer(procedure.function, &procedure.points, &formulas)?;
                checker.procedure(procedure, &formulas, &layer, &procedure.points, true)?;
            }
        }
        Method::Induction { k } => checker.induction(k)?,
        Method::Unrolling { bound } => checker.unrolling(bound)?,
    }
    let Questions { asked, seconded, .. } = checker.questions;
    Ok(Confirmed { steps: checker.steps, queries: asked, known, seconded })
}

/// The beginning of a walk: values, and what is known about them.
pub(crate) struct Start {
    place: Place,
    path: PathId,
    pub(crate) premises: Vec<Term>,
    /// For the refusal: what fails here is initiation or consecution.
    step: Obligation,
}

impl<'a> Checker<'a> {
    // ---- reading ----

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

    /// The points of a procedure are inductive, and its contract is kept; with `is_safe` also: there are no
    /// errors.
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

    /// A path that has just begun, with the values that the formulas give to cells, and what else the
    /// formulas say.
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

    // ---- induction and unrolling ----

    fn induction(&mut self, k: u32) -> Result<(), Refusal> {
        let loops = &self.facts.loops;
        let is_cut = |place: &Place| loops.is_head(place.node);
        let entry = Place { calls: Vec::new(), node: self.cfa.entry() };
        let (mut found, mut todo) = (FxHashSet::default(), VecDeque::new());
        let mut next = Some((entry, self.paths.program_start(), Vec::new(), 0));
        while let Some((place, path, mut premises, from)) = next {
            let mut walked = Walked::default();
            // No execution gets to a place where lemmas exclude all values.
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
}
