//! Unrolling: the program as one acyclic formula, loops and recursion up to a bound.
//!
//! States are followed in the weak topological order of each function, so that all ways to a location are merged before it
//! is left; calls are entered in place. What is constant stays constant on the way: loops with known bounds unroll
//! themselves without a solver.

use crate::task::Task;
use std::collections::BTreeMap;
use std::rc::Rc;
use summa_base::{Exhausted, FxHashMap};
use summa_c::tree::FuncId;
use summa_cfa::analysis::wto::{ComponentId, Wto};
use summa_cfa::{EdgeId, NodeId, Op};
use summa_encode::{Encoder, State};
use summa_term::{Term, Terms};

/// What was found on the way, each with the condition under which it is reached.
#[derive(Debug, Default)]
pub struct Findings {
    pub errors: Vec<(Term, EdgeId)>,
    /// Edges that are not understood.
    pub unsupported: Vec<(Term, EdgeId)>,
    /// Where the bound cut the run off.
    pub cut: Vec<(Term, EdgeId)>,
}

/// Asked before a loop is repeated or a recursive call entered: can this condition hold at all?
pub trait Oracle {
    fn is_feasible(&mut self, encoder: &mut Encoder<'_>, condition: Term) -> bool;
}

pub struct Unroller<'u, 'a> {
    encoder: &'u mut Encoder<'a>,
    oracle: &'u mut dyn Oracle,
    task: &'u Task<'a>,
    /// Rounds of a loop, and activations of a function on the stack.
    bound: u32,
    orders: FxHashMap<FuncId, Rc<Wto>>,
    /// Activations on the stack.
    active: FxHashMap<FuncId, u32>,
    pub findings: Findings,
}

/// A state that waits at a node: where it is reached, and the rounds of the loops around.
struct Waiting {
    guard: Term,
    state: State,
    rounds: Vec<(ComponentId, u32)>,
    node: NodeId,
}

/// Position in the unrolled order; what a state depends on has smaller keys.
type Key = Vec<u32>;

impl<'u, 'a> Unroller<'u, 'a> {
    pub fn new(
        encoder: &'u mut Encoder<'a>,
        oracle: &'u mut dyn Oracle,
        task: &'u Task<'a>,
        bound: u32,
    ) -> Self {
        let (orders, active) = (FxHashMap::default(), FxHashMap::default());
        Self { encoder, oracle, task, bound, orders, active, findings: Findings::default() }
    }

    /// Unrolls the whole program.
    pub fn program(&mut self) -> Result<(), Exhausted> {
        let state = self.encoder.initial_state();
        self.function(self.encoder.cfa.start, state, Terms::TRUE).map(drop)
    }

    /// Runs a function from its entry; the condition and state in which it returns, if it can.
    fn function(
        &mut self,
        function: FuncId,
        state: State,
        guard: Term,
    ) -> Result<Option<(Term, State)>, Exhausted> {
        let cfa = self.encoder.cfa;
        let Some(automaton) = cfa.automaton(function) else { return Ok(None) };
        let order = self.order(function);
        let mut waiting: BTreeMap<Key, Vec<Waiting>> = BTreeMap::new();
        wait(&order, &mut waiting, Waiting { guard, state, rounds: Vec::new(), node: automaton.entry });
        let mut returned = None;
        while let Some((_, entries)) = waiting.pop_first() {
            // A single merge can take long, so the clock is read each time.
            self.task.budget.check_now()?;
            let Some(here) = self.merge(entries) else { continue };
            self.task.board.visit(here.node);
            if here.node == automaton.exit {
                // Nothing leaves the exit, but ways that end the run may stand behind it in the order.
                returned = Some((here.guard, here.state));
                continue;
            }
            for &edge in cfa.leaving(here.node) {
                let Some((guard, state)) = self.step(&here, edge)? else { continue };
                let to = cfa.edges[edge].to;
                let Some(rounds) = self.rounds(&order, &here, to, guard, edge) else { continue };
                wait(&order, &mut waiting, Waiting { guard, state, rounds, node: to });
            }
        }
        Ok(returned)
    }

    fn order(&mut self, function: FuncId) -> Rc<Wto> {
        let cfa = self.encoder.cfa;
        self.orders.entry(function).or_insert_with(|| Rc::new(Wto::new(cfa, function))).clone()
    }

    /// All ways to one location as one.
    fn merge(&mut self, entries: Vec<Waiting>) -> Option<Waiting> {
        let mut entries = entries.into_iter();
        let mut merged = entries.next()?;
        for entry in entries {
            merged.state = self.encoder.merge(merged.guard, &merged.state, &entry.state);
            merged.guard = self.either(merged.guard, entry.guard);
        }
        Some(merged)
    }

    /// `a ∨ b`, where both sides of a branch give back the condition before it.
    fn either(&mut self, a: Term, b: Term) -> Term {
        let terms = &mut self.encoder.terms;
        let (left, right) = (terms.conjuncts(a), terms.conjuncts(b));
        let common: Vec<Term> = left.iter().copied().filter(|term| right.contains(term)).collect();
        let rest =
            |all: &[Term]| -> Vec<Term> { all.iter().copied().filter(|t| !common.contains(t)).collect() };
        let (left, right) = (rest(&left), rest(&right));
        let (left, right) = (terms.and(&left), terms.and(&right));
        let either = terms.or2(left, right);
        let mut parts = common;
        parts.push(either);
        terms.and(&parts)
    }

    /// One edge; None if it is not passed.
    fn step(&mut self, here: &Waiting, edge: EdgeId) -> Result<Option<(Term, State)>, Exhausted> {
        let cfa = self.encoder.cfa;
        let mut state = here.state.clone();
        match &cfa.edges[edge].op {
            Op::Call { callee, .. } => return self.call(here, edge, *callee),
            Op::Error { .. } => {
                if (self.task.is_error)(edge) {
                    self.findings.errors.push((here.guard, edge));
                }
                return Ok(None);
            }
            Op::Halt { .. } => return Ok(None),
            Op::Unsupported { .. } => {
                self.findings.unsupported.push((here.guard, edge));
                return Ok(None);
            }
            _ => {}
        }
        let passes = self.encoder.edge(&mut state, edge, here.guard);
        let guard = self.encoder.terms.and2(here.guard, passes);
        Ok((guard != Terms::FALSE).then_some((guard, state)))
    }

    fn call(
        &mut self,
        here: &Waiting,
        edge: EdgeId,
        callee: FuncId,
    ) -> Result<Option<(Term, State)>, Exhausted> {
        let is_recursive = self.encoder.facts.calls.is_recursive(callee);
        let depth = self.active.get(&callee).copied().unwrap_or(0);
        if is_recursive && depth > 0 {
            if depth > self.bound {
                self.findings.cut.push((here.guard, edge));
                return Ok(None);
            }
            if !self.oracle.is_feasible(self.encoder, here.guard) {
                return Ok(None);
            }
        }
        let mut state = here.state.clone();
        self.encoder.enter(&mut state, edge, here.guard);
        self.active.insert(callee, depth + 1);
        let returned = self.function(callee, state, here.guard);
        self.active.insert(callee, depth);
        let Some((guard, mut state)) = returned? else { return Ok(None) };
        if is_recursive {
            // The result is read before the caller's own activation gets its variables back.
            let frame = self.encoder.frame(callee);
            let results = self.encoder.frame_result(callee);
            for cell in frame.into_iter().filter(|cell| !results.contains(cell)) {
                state.set(cell, here.state.get(cell));
            }
        }
        self.encoder.leave(&mut state, edge, guard);
        Ok(Some((guard, state)))
    }

    /// The rounds of the loops around `to` when it is reached from `here`; None if the bound cuts this off.
    fn rounds(
        &mut self,
        order: &Wto,
        here: &Waiting,
        to: NodeId,
        guard: Term,
        edge: EdgeId,
    ) -> Option<Vec<(ComponentId, u32)>> {
        let mut rounds = Vec::new();
        for &(_, component) in &order.position(to).around {
            let before = here.rounds.iter().find(|(c, _)| *c == component).map(|&(_, round)| round);
            let round = match before {
                Some(round) if order.is_head(to, component) => {
                    if round + 1 > self.bound {
                        self.findings.cut.push((guard, edge));
                        return None;
                    }
                    if !self.oracle.is_feasible(self.encoder, guard) {
                        return None;
                    }
                    round + 1
                }
                Some(round) => round,
                None => 0,
            };
            rounds.push((component, round));
        }
        Some(rounds)
    }
}

fn wait(order: &Wto, waiting: &mut BTreeMap<Key, Vec<Waiting>>, entry: Waiting) {
    let position = order.position(entry.node);
    let mut key = Vec::with_capacity(2 * position.around.len() + 1);
    for (&(place, _), &(_, round)) in position.around.iter().zip(&entry.rounds) {
        key.extend([place, round]);
    }
    key.push(position.place);
    waiting.entry(key).or_default().push(entry);
}
