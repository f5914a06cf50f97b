//! The position of a state in the unrolled program: a state depends only on states with smaller ranks.
//!
//! A rank follows from the path alone. For every call on the stack, and then for the current location, it has
//! the place in the weak topological order of the function, with the round of each loop around it. States
//! taken from the waitlist in this order meet at joins before anything after the join is expanded.
//! Adjustable-block encoding relies on that: a late merge would make formulas twice.

use crate::moves::{Move, Step};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::rc::Rc;
use summa_base::FxHashMap;
use summa_c::tree::FuncId;
use summa_cfa::{Cfa, NodeId};
use summa_facts::wto::{ComponentId, Wto};

/// Compared lexicographically, callers first. The frames of callers are shared.
#[derive(Clone, Debug)]
pub struct Rank(Rc<Frame>);

#[derive(Debug)]
struct Frame {
    caller: Option<Rank>,
    /// How many callers there are.
    depth: u32,
    node: NodeId,
    /// Place and round of every loop around the node, then the place of the node.
    place: Box<[u32]>,
}

impl Drop for Frame {
    /// One by one: call stacks can be deeper than the host's.
    fn drop(&mut self) {
        let mut next = self.caller.take();
        while let Some(mut frame) = next.and_then(|rank| Rc::into_inner(rank.0)) {
            next = frame.caller.take();
        }
    }
}

impl Rank {
    /// Rounds of the loops around, innermost last.
    pub fn rounds(&self) -> impl Iterator<Item = u32> + '_ {
        self.0.place.chunks_exact(2).map(|component| component[1])
    }

    pub fn call_depth(&self) -> u32 {
        self.0.depth
    }

    /// The frame with this many callers.
    fn at_depth(&self, depth: u32) -> Option<&Self> {
        std::iter::successors(Some(self), |rank| rank.0.caller.as_ref()).find(|rank| rank.0.depth == depth)
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Self) -> Ordering {
        let depth = self.0.depth.min(other.0.depth);
        let (mut a, mut b) = (self.at_depth(depth), other.at_depth(depth));
        let mut result = Ordering::Equal;
        while let (Some(x), Some(y)) = (a, b) {
            if Rc::ptr_eq(&x.0, &y.0) {
                break;
            }
            // An outer difference outweighs what was found inside.
            result = x.0.place.cmp(&y.0.place).then(result);
            (a, b) = (x.0.caller.as_ref(), y.0.caller.as_ref());
        }
        result.then(self.0.depth.cmp(&other.0.depth))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Gives ranks; knows the order of every function that was asked about. Copies share what they know.
#[derive(Clone, Debug, Default)]
pub struct Ranks {
    orders: Rc<RefCell<FxHashMap<FuncId, Rc<Wto>>>>,
}

impl Ranks {
    /// The rank of a state where an exploration begins.
    pub fn initial(&mut self, cfa: &Cfa, node: NodeId) -> Rank {
        self.frame(cfa, node, None, None)
    }

    /// The rank after a move.
    pub fn after(&mut self, cfa: &Cfa, rank: &Rank, by: Move) -> Rank {
        match by.step {
            Step::Edge(_) => self.frame(cfa, by.to, rank.0.caller.clone(), Some(rank)),
            Step::Enter(_) => self.frame(cfa, by.to, Some(rank.clone()), None),
            Step::Leave(_) => match &rank.0.caller {
                Some(call) => self.frame(cfa, by.to, call.0.caller.clone(), Some(call)),
                // The callee was not entered but summarised: this is a step of the caller.
                None if cfa.nodes[rank.0.node].function == cfa.nodes[by.to].function => {
                    self.frame(cfa, by.to, None, Some(rank))
                }
                // An exploration that began inside the callee.
                None => self.frame(cfa, by.to, None, None),
            },
        }
    }

    /// The rank of a node whose loops are in the rounds of `before`, a rank in the same function.
    fn frame(&mut self, cfa: &Cfa, node: NodeId, caller: Option<Rank>, before: Option<&Rank>) -> Rank {
        let function = cfa.nodes[node].function;
        let mut orders = self.orders.borrow_mut();
        let order = orders.entry(function).or_insert_with(|| Rc::new(Wto::new(cfa, function))).clone();
        drop(orders);
        let position = order.position(node);
        let round_of = |component: ComponentId| {
            let before = before?;
            let mut around = order.position(before.0.node).around.iter().zip(before.rounds());
            around.find(|((_, c), _)| *c == component).map(|(_, round)| round)
        };
        let mut place = Vec::with_capacity(2 * position.around.len() + 1);
        for &(at, component) in &position.around {
            let round = match round_of(component) {
                Some(round) if order.is_head(node, component) => round + 1,
                Some(round) => round,
                None => 0,
            };
            place.extend([at, round]);
        }
        place.push(position.place);
        let depth = caller.as_ref().map_or(0, |caller| caller.0.depth + 1);
        Rank(Rc::new(Frame { caller, depth, node, place: place.into() }))
    }
}
