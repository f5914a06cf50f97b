//! The loop-bound domain 𝕃𝔹: how often each loop was entered on the path; its precision is the bound k.
//!
//! Paper: Section 4.1. A counter starts at 0 when control reaches a loop head for the first time, and grows
//! with every further visit. A state with a counter equal to k has no successors. That is unsound on purpose.
//! So the states that were cut off stay recognisable ([`LoopBound::is_cut`]), and users of the domain must
//! show that they are unreachable (the forward condition). Loops of a callee are counted anew in each call.
//! The counter of a loop is forgotten when the loop is left, so that states after it meet again. Recursive
//! calls count as a loop that each activation enters.
//!
//! [`Counting::Visits`] counts visits of all loop heads together instead, which cuts paths into segments.
//! K-induction for programs with several loops needs this.

use crate::location::only_equal;
use crate::portable::{count, function, list, misfit, node, parts, read_function, read_node};
use crate::registry::{Around, Configured, Settings, Setup};
use crate::says::Says;
use serde::Deserialize;
use serde_json::{Value as Json, json};
use std::rc::Rc;
use summa_bam::{CacheKey, Reducer, Side, Storable};
use summa_base::Id;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, NodeId, Op};
use summa_cpa::{Arrival, Cpa, Key, Misfit, Move, Portable, Step, Stop};
use summa_facts::Analyses;
use summa_facts::blocks::Block;
use summa_facts::loops::LoopId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// Each loop for itself, and each recursive function.
    PerLoop,
    /// All visits of loop heads and recursive entries together.
    Visits,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counters {
    /// One for each function on the stack, the current one last.
    frames: Rc<Frames>,
    /// Visits in all.
    visits: u32,
    is_cut: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
struct Frames {
    loops: Vec<Vec<(LoopId, u32)>>,
    /// Activations of recursive functions on the stack.
    activations: Vec<(FuncId, u32)>,
}

pub struct LoopBound<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    pub counting: Counting,
    /// The bound with which explorations begin.
    pub bound: u32,
}

impl<'a> LoopBound<'a> {
    pub fn new(cfa: &'a Cfa, facts: &'a Analyses, counting: Counting, bound: u32) -> Self {
        Self { cfa, facts, counting, bound }
    }

    /// The bound stopped the exploration here.
    pub fn is_cut(state: &Counters) -> bool {
        state.is_cut
    }

    /// Visits of loop heads on the path.
    pub fn visits(state: &Counters) -> u32 {
        state.visits
    }

    /// The counter of the loop that the location heads, after one more visit.
    fn visit(&self, frames: &mut Frames, node: NodeId) -> Option<u32> {
        let counters = frames.loops.last_mut()?;
        let around: Vec<LoopId> = self.facts.loops.around(node).collect();
        counters.retain(|(id, _)| around.contains(id));
        let headed = self.facts.loops.headed_by(node)?;
        match counters.iter_mut().find(|(id, _)| *id == headed) {
            Some((_, count)) => {
                *count += 1;
                Some(*count)
            }
            None => {
                counters.push((headed, 0));
                Some(0)
            }
        }
    }

    /// One more activation of a recursive function; how many there are now besides the first.
    fn activate(&self, frames: &mut Frames, callee: FuncId) -> Option<u32> {
        if !self.facts.calls.is_recursive(callee) {
            return None;
        }
        match frames.activations.iter_mut().find(|(function, _)| *function == callee) {
            Some((_, count)) => {
                *count += 1;
                Some(*count)
            }
            None => {
                frames.activations.push((callee, 0));
                frames.activations.sort_unstable();
                Some(0)
            }
        }
    }

    fn deactivate(frames: &mut Frames, callee: FuncId) {
        frames.activations.retain_mut(|(function, count)| {
            if *function != callee {
                return true;
            }
            let others = *count;
            *count = count.saturating_sub(1);
            others > 0
        });
    }
}

impl Cpa for LoopBound<'_> {
    type State = Counters;
    type Precision = u32;

    fn initial(&mut self, node: NodeId) -> (Counters, u32) {
        let mut frames = Frames { loops: vec![Vec::new()], activations: Vec::new() };
        self.visit(&mut frames, node);
        (Counters { frames: Rc::new(frames), visits: 0, is_cut: false }, self.bound)
    }

    fn transfer(&mut self, state: &Counters, bound: &u32, by: Move) -> Result<Vec<Counters>, Stop> {
        if state.is_cut {
            return Ok(Vec::new());
        }
        let mut next = state.clone();
        let call = &self.cfa.edges[by.step.edge()].op;
        let count = match (by.step, call) {
            (Step::Enter(_), Op::Call { callee, .. }) => {
                let frames = Rc::make_mut(&mut next.frames);
                frames.loops.push(Vec::new());
                let activation = self.activate(frames, *callee);
                activation.or(self.visit(frames, by.to))
            }
            (Step::Leave(_), Op::Call { callee, .. }) => {
                let frames = Rc::make_mut(&mut next.frames);
                frames.loops.pop();
                if frames.loops.is_empty() {
                    frames.loops.push(Vec::new());
                }
                Self::deactivate(frames, *callee);
                self.visit(frames, by.to)
            }
            _ => {
                let has_counters = next.frames.loops.last().is_some_and(|counters| !counters.is_empty());
                if has_counters || self.facts.loops.is_head(by.to) {
                    self.visit(Rc::make_mut(&mut next.frames), by.to)
                } else {
                    None
                }
            }
        };
        if let Some(count) = count {
            next.visits += 1;
            next.is_cut = match self.counting {
                Counting::PerLoop => count >= *bound,
                Counting::Visits => next.visits >= *bound,
            };
        }
        if self.counting == Counting::PerLoop {
            next.visits = 0;
        }
        Ok(vec![next])
    }

    fn merge(&mut self, _: &Counters, _: &Counters, _: &u32, _: &Arrival) -> Result<Option<Counters>, Stop> {
        Ok(None)
    }

    fn never_merges(&self) -> bool {
        true
    }

    fn stop(&mut self, state: &Counters, reached: &Counters, _: &u32) -> Result<bool, Stop> {
        Ok(state == reached)
    }

    fn prec(&mut self, state: Counters, bound: &u32, _: &Arrival) -> Result<Option<(Counters, u32)>, Stop> {
        Ok(Some((state, *bound)))
    }

    fn key(&self, state: &Counters, key: &mut Key) {
        match self.counting {
            Counting::Visits => key.push(state.visits),
            Counting::PerLoop => {
                key.extend(state.frames.loops.iter().flatten().map(|&(_, count)| count));
            }
        }
    }

    fn show(&self, state: &Counters) -> String {
        let frame = state.frames.loops.last().into_iter().flatten();
        let counters: Vec<String> =
            frame.map(|&(id, count)| format!("{} ↦ {count}", self.facts.loops.loops[id].head())).collect();
        let cut = if state.is_cut { ", cut" } else { "" };
        if counters.is_empty() { String::new() } else { format!("{{{}}}{cut}", counters.join(", ")) }
    }
}

/// Bounds cannot be summarised: how far a block goes depends on all earlier counts, so all of them are in the
/// key.
impl Reducer for LoopBound<'_> {
    fn reduce(&mut self, _: &Block, entry: &Counters) -> Result<Counters, Stop> {
        Ok(entry.clone())
    }

    fn reduce_precision(&mut self, _: &Block, bound: &u32) -> u32 {
        *bound
    }

    fn expand(&mut self, _: &Block, _: &Counters, _: &Counters, exit: &Counters) -> Result<Counters, Stop> {
        Ok(exit.clone())
    }

    fn cache_key(&mut self, _: &Block, reduced: &Counters, bound: &u32, key: &mut CacheKey) {
        let Counters { frames, visits, is_cut } = reduced;
        let counting = u64::from(self.counting == Counting::Visits);
        key.extend([u64::from(*bound), counting, u64::from(*visits), u64::from(*is_cut)]);
        key.push(frames.loops.len() as u64);
        for frame in &frames.loops {
            key.push(frame.len() as u64);
            key.extend(frame.iter().flat_map(|&(id, count)| [id.index() as u64, u64::from(count)]));
        }
        let activations = frames.activations.iter();
        key.extend(activations.flat_map(|&(callee, count)| [callee.index() as u64, u64::from(count)]));
    }

    fn widen(&mut self, _: &Block, before: &Counters, now: &Counters, _: Side) -> Result<Counters, Stop> {
        only_equal(before, now, "recursion without a bound, where loops have bounds")
    }
}

/// Loops are named by their heads.
impl Portable for LoopBound<'_> {
    fn save(&self, state: &Counters) -> Result<Json, Misfit> {
        let head = |id: LoopId| node(self.cfa, self.facts.loops.loops[id].head());
        let frame = |counters: &Vec<(LoopId, u32)>| -> Json {
            counters.iter().map(|&(id, count)| json!([head(id), count])).collect()
        };
        let frames: Json = state.frames.loops.iter().map(frame).collect();
        let activations = state.frames.activations.iter();
        let activations: Json =
            activations.map(|&(f, count)| json!([function(self.cfa, f), count])).collect();
        Ok(json!([frames, activations, state.visits, state.is_cut]))
    }

    fn load(&mut self, saved: &Json) -> Result<Counters, Misfit> {
        let [frames, active, visits, is_cut] = parts(saved)?;
        let mut loops = Vec::new();
        for frame in list(frames)? {
            let mut counters: Vec<(LoopId, u32)> = Vec::new();
            for counter in list(frame)? {
                let [head, rounds] = parts(counter)?;
                let headed = self.facts.loops.headed_by(read_node(self.cfa, head)?);
                let is_new = |id: &LoopId| counters.iter().all(|(other, _)| other != id);
                let id = headed.filter(is_new).ok_or_else(|| misfit("the head of a loop", counter))?;
                counters.push((id, count(rounds)?));
            }
            loops.push(counters);
        }
        if loops.is_empty() {
            return Err(misfit("at least one frame", saved));
        }
        let mut activations: Vec<(FuncId, u32)> = Vec::new();
        for activation in list(active)? {
            let [callee, times] = parts(activation)?;
            let callee = read_function(self.cfa, callee)?;
            let is_new = activations.last().is_none_or(|&(last, _)| last < callee);
            if !is_new || !self.facts.calls.is_recursive(callee) {
                return Err(misfit("a recursive function", activation));
            }
            activations.push((callee, count(times)?));
        }
        let is_cut = is_cut.as_bool().ok_or_else(|| misfit("a truth value", is_cut))?;
        Ok(Counters { frames: Rc::new(Frames { loops, activations }), visits: count(visits)?, is_cut })
    }
}

impl Storable for LoopBound<'_> {}

impl Says<'_> for LoopBound<'_> {
    fn is_cut_off(&self, state: &Counters) -> bool {
        state.is_cut
    }

    fn set_bound(&mut self, bound: u32) {
        self.bound = bound;
    }

    fn is_telling(&self, _: &Counters) -> bool {
        false
    }
}

/// The section of this name is about the exploration, which is repeated with greater bounds.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LoopBoundSettings {}

impl Settings for LoopBoundSettings {
    const HAS_KEYS: bool = false;

    fn explain(&self) -> String {
        String::new()
    }

    fn check(&self, around: &Around) -> Result<(), String> {
        match around {
            Around { is_summarised: true, .. } => {
                Err("a loop bound cuts runs off, and a summary must not: leave out `loop-bound` or [bam]"
                    .to_owned())
            }
            Around { is_refined: true, .. } => {
                Err("a loop bound goes with the algorithm `reachability`".to_owned())
            }
            Around { .. } => Ok(()),
        }
    }
}

impl<'a> Configured<'a> for LoopBound<'a> {
    const NAME: &'static str = "loop-bound";
    const WHAT: &'static str = "cuts paths at the bound";
    const IS_BOUNDED: bool = true;
    type Settings = LoopBoundSettings;

    /// The exploration sets the bound.
    fn make(_: &LoopBoundSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        Ok(Self::new(setup.cfa, setup.facts, Counting::PerLoop, 1))
    }
}
