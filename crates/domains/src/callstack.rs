//! The call stack: the calls that wait for their callee, innermost last. It lets a callee return only to its
//! caller.
//!
//! Stacks are numbered: equal stacks have equal numbers, and a stack knows the one below it. The empty stack
//! has number 0. An exploration that begins inside a function begins with the empty stack, and ends where
//! that function returns, unless [`Callstack::initial_stack`] says how the function was called.

use crate::location::only_equal;
use crate::portable::{edge, list, misfit, node, parts, read_edge, read_node};
use crate::registry::{Configured, NoSettings, Setup};
use crate::says::Says;
use serde_json::{Value as Json, json};
use summa_bam::{CacheKey, Clause, Reducer, Side, Storable};
use summa_base::{FxHashMap, Id, IdVec, define_id};
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{Arrival, Cpa, Key, Misfit, Move, Portable, Step, Stop};
use summa_facts::blocks::Block;

define_id! {
    StackId = "k";
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    below: StackId,
    call: EdgeId,
    depth: u32,
}

/// A stack together with the location on top of it, which shows when the callee has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallState {
    pub stack: StackId,
    node: NodeId,
}

pub struct Callstack<'a> {
    cfa: &'a Cfa,
    /// Frame 0 is that of the empty stack, and never looked at.
    frames: IdVec<StackId, Option<Frame>>,
    known: FxHashMap<(StackId, EdgeId), StackId>,
    /// The stack with which an exploration begins.
    pub initial_stack: StackId,
    /// More calls than this on the stack are refused: a run that deep does not end in practice.
    pub max_depth: u32,
    /// Blocks see the whole stack, not only the part that they can pop. A summary is then for one stack (BAM
    /// intraprocedural).
    pub keep_stack: bool,
    /// The stack without calls.
    empty: StackId,
}

impl<'a> Callstack<'a> {
    pub fn new(cfa: &'a Cfa) -> Self {
        let mut frames = IdVec::new();
        let empty = frames.push(None);
        Self {
            cfa,
            frames,
            known: FxHashMap::default(),
            initial_stack: empty,
            max_depth: u32::MAX,
            keep_stack: false,
            empty,
        }
    }

    pub fn push(&mut self, below: StackId, call: EdgeId) -> StackId {
        if let Some(&known) = self.known.get(&(below, call)) {
            return known;
        }
        let depth = self.depth(below) + 1;
        let stack = self.frames.push(Some(Frame { below, call, depth }));
        self.known.insert((below, call), stack);
        stack
    }

    /// The innermost call and the stack below it.
    pub fn top(&self, stack: StackId) -> Option<(EdgeId, StackId)> {
        self.frames[stack].map(|frame| (frame.call, frame.below))
    }

    pub fn depth(&self, stack: StackId) -> u32 {
        self.frames[stack].map_or(0, |frame| frame.depth)
    }

    /// The calls, outermost first.
    pub fn calls(&self, stack: StackId) -> Vec<EdgeId> {
        let mut calls = Vec::new();
        let mut at = stack;
        while let Some((call, below)) = self.top(at) {
            calls.push(call);
            at = below;
        }
        calls.reverse();
        calls
    }

    fn function(&self, node: NodeId) -> FuncId {
        self.cfa.nodes[node].function
    }
}

impl Cpa for Callstack<'_> {
    type State = CallState;
    type Precision = ();

    fn initial(&mut self, node: NodeId) -> (CallState, ()) {
        (CallState { stack: self.initial_stack, node }, ())
    }

    fn moves(&self, state: &CallState, moves: &mut Vec<Move>) {
        let automaton = self.cfa.automaton(self.function(state.node));
        if automaton.is_some_and(|automaton| automaton.exit == state.node)
            && let Some((call, _)) = self.top(state.stack)
        {
            moves.extend(Move::back(self.cfa, call));
        }
    }

    fn transfer(&mut self, state: &CallState, (): &(), by: Move) -> Result<Vec<CallState>, Stop> {
        let stack = match by.step {
            Step::Edge(_) => Some(state.stack),
            Step::Enter(call) => {
                if self.depth(state.stack) >= self.max_depth {
                    let what = format!("more than {} calls on the stack", self.max_depth);
                    return Err(Stop::unsupported(what, call));
                }
                Some(self.push(state.stack, call))
            }
            Step::Leave(call) => match self.top(state.stack) {
                Some((top, below)) if top == call => Some(below),
                _ => None,
            },
        };
        Ok(stack.map(|stack| CallState { stack, node: by.to }).into_iter().collect())
    }

    fn merge(
        &mut self,
        _: &CallState,
        _: &CallState,
        (): &(),
        _: &Arrival,
    ) -> Result<Option<CallState>, Stop> {
        Ok(None)
    }

    fn never_merges(&self) -> bool {
        true
    }

    fn stop(&mut self, state: &CallState, reached: &CallState, (): &()) -> Result<bool, Stop> {
        Ok(state == reached)
    }

    fn prec(&mut self, state: CallState, (): &(), _: &Arrival) -> Result<Option<(CallState, ())>, Stop> {
        Ok(Some((state, ())))
    }

    fn key(&self, state: &CallState, key: &mut Key) {
        key.push(state.stack.index() as u32);
    }

    fn show(&self, state: &CallState) -> String {
        let caller = |call: &EdgeId| self.cfa.nodes[self.cfa.edges[*call].from].function;
        let names = self.calls(state.stack);
        let names: Vec<String> =
            names.iter().map(|call| self.cfa.program.func_name(caller(call)).to_owned()).collect();
        if names.is_empty() { String::new() } else { format!("called by {}", names.join(" > ")) }
    }
}

/// A block never pops calls that are on the stack when it begins. It sees an empty stack, and ends where it
/// would return. An exit is in the activation of its entry.
impl Reducer for Callstack<'_> {
    fn reduce(&mut self, _: &Block, entry: &CallState) -> Result<CallState, Stop> {
        let stack = if self.keep_stack { entry.stack } else { self.empty };
        Ok(CallState { stack, ..*entry })
    }

    fn reduce_precision(&mut self, _: &Block, (): &()) {}

    fn expand(
        &mut self,
        _: &Block,
        entry: &CallState,
        _: &CallState,
        exit: &CallState,
    ) -> Result<CallState, Stop> {
        Ok(CallState { stack: entry.stack, ..*exit })
    }

    /// If summaries are for one call stack, they say for which.
    fn contract(&mut self, _: &Block, state: &CallState, side: Side) -> Vec<Clause> {
        let callers = self.show(state);
        (side == Side::Entry && !callers.is_empty()).then_some(Clause::Other(callers)).into_iter().collect()
    }

    fn cache_key(&mut self, _: &Block, reduced: &CallState, (): &(), key: &mut CacheKey) {
        key.extend([reduced.stack.index() as u64, reduced.node.index() as u64]);
    }

    fn widen(&mut self, _: &Block, before: &CallState, now: &CallState, _: Side) -> Result<CallState, Stop> {
        only_equal(before, now, "recursion without a bound, where summaries keep the call stack")
    }
}

/// The calls, outermost first, and the location.
impl Portable for Callstack<'_> {
    fn save(&self, state: &CallState) -> Result<Json, Misfit> {
        let calls: Vec<Json> = self.calls(state.stack).into_iter().map(|call| edge(self.cfa, call)).collect();
        Ok(json!([calls, node(self.cfa, state.node)]))
    }

    fn load(&mut self, saved: &Json) -> Result<CallState, Misfit> {
        let [calls, node] = parts(saved)?;
        let node = read_node(self.cfa, node)?;
        let mut entered = None;
        let mut read = Vec::new();
        for call in list(calls)? {
            let call = read_edge(self.cfa, call)?;
            let Op::Call { callee, .. } = self.cfa.edges[call].op else {
                return Err(misfit("a call", saved));
            };
            let caller = self.function(self.cfa.edges[call].from);
            if entered.is_some_and(|running| running != caller) {
                return Err(misfit("calls that follow from each other", saved));
            }
            entered = Some(callee);
            read.push(call);
        }
        if entered.is_some_and(|running| running != self.function(node)) {
            return Err(misfit("a location in the function that was called last", saved));
        }
        if read.len() > self.max_depth as usize {
            return Err(Misfit(format!("more than {} calls on the stack", self.max_depth)));
        }
        // Frame 0 is that of the empty stack.
        let empty = Id::from_index(0);
        let stack = read.into_iter().fold(empty, |below, call| self.push(below, call));
        Ok(CallState { stack, node })
    }
}

impl Storable for Callstack<'_> {}

impl Says<'_> for Callstack<'_> {
    fn waiting_calls(&self, state: &CallState) -> Option<Vec<EdgeId>> {
        Some(self.calls(state.stack))
    }

    fn is_telling(&self, _: &CallState) -> bool {
        false
    }
}

impl<'a> Configured<'a> for Callstack<'a> {
    const NAME: &'static str = "callstack";
    const WHAT: &'static str = "calls that have not returned";
    const IS_ESSENTIAL: bool = true;
    type Settings = NoSettings;

    fn make(_: &NoSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        let mut domain = Self::new(setup.cfa);
        domain.keep_stack = setup.summaries.is_some_and(|summaries| summaries.keeps_stack);
        Ok(domain)
    }
}
