//! The unrolled program: location, call stack, specification, loop bound and predicate domain with blk^never,
//! explored by CPA++ until nothing waits. Every state has a path formula that says exactly how it is reached.
//!
//! Paper: Section 4.1. States of one location with equal call stacks and counters are merged, so the
//! unrolling is as large as the program times the bound.

use crate::graph::Graph;
use crate::task::{Reason, Task};
use std::time::Duration;
use summa_base::Unanswered;
use summa_cfa::{EdgeId, NodeId};
use summa_cpa::{Cpa, Layer, Move, Product, Reached, Step, Stop, cpa_plus_plus};
use summa_domains::callstack::{Callstack, StackId};
use summa_domains::location::Location;
use summa_domains::loop_bound::{Counting, LoopBound};
use summa_domains::predicate::{Blocks, Predicate, Representation, Settings};
use summa_domains::specification::{Observed, Specification};
use summa_domains::{AnyState, Domain};
use summa_encode::PathId;
use summa_logic::{Counterexample, Workbench};
use summa_proof::Place;
use summa_term::Term;

const CALLSTACK: usize = 1;
const SPECIFICATION: usize = 2;
const LOOP_BOUND: usize = 3;
const PREDICATE: usize = 4;

/// BMC and k-induction in Table 1 of the paper.
const SETTINGS: Settings = Settings {
    representation: Representation::Term,
    blocks: Blocks::Never,
    prune: true,
    ..Settings::ABSTRACTION
};

pub(crate) type Arg<'t> = Reached<Product<Domain<'t>>>;

pub(crate) struct Unroller<'t> {
    task: Task<'t>,
    pub(crate) product: Product<Domain<'t>>,
}

/// The findings in an unrolling, each with its path formula.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    /// With the visits of loop heads before.
    pub(crate) errors: Vec<(PathId, EdgeId, u32)>,
    pub(crate) unsupported: Vec<(PathId, EdgeId, u32)>,
    /// The paths that the bound cut off, each at the head of a loop or the entry of a function.
    pub(crate) cut: Vec<(PathId, NodeId)>,
    /// Where loop heads were visited.
    pub(crate) heads: Vec<(PathId, NodeId)>,
}

impl Findings {
    /// The paths to errors and to constructs without support.
    pub(crate) fn targets(&self) -> Vec<PathId> {
        self.errors.iter().chain(&self.unsupported).map(|&(path, ..)| path).collect()
    }
}

impl<'t> Unroller<'t> {
    pub(crate) fn new(task: &Task<'t>) -> Result<Self, Reason> {
        Ok(Self::with(task, task.workbench(false)?))
    }

    /// On a workbench that is there already.
    pub(crate) fn with(task: &Task<'t>, logic: Workbench<'t>) -> Self {
        let (cfa, facts) = (task.cfa, task.facts);
        let mut product = Product::new(vec![
            Domain::Location(Location { cfa }),
            Domain::Callstack(Callstack::new(cfa)),
            Domain::Specification(Specification::new(cfa, task.violations())),
            Domain::LoopBound(LoopBound::new(cfa, facts, Counting::PerLoop, 1)),
            Domain::Predicate(Predicate::with(logic, SETTINGS)),
        ]);
        let board = task.board.clone();
        product.watch = Some(Box::new(move |by: Move| board.visit(by.to)));
        if task.measure {
            product.measure();
        }
        Self { task: task.clone(), product }
    }

    /// The workbench back.
    pub(crate) fn into_logic(mut self) -> Workbench<'t> {
        match self.product.components.swap_remove(PREDICATE) {
            Domain::Predicate(predicate) => predicate.logic,
            _ => unreachable!("the product was made here"),
        }
    }

    /// The path formulas of all unrollings, and the solver for questions about them.
    pub(crate) fn logic(&mut self) -> &mut Workbench<'t> {
        match &mut self.product.components[PREDICATE] {
            Domain::Predicate(predicate) => &mut predicate.logic,
            _ => unreachable!("the product was made here"),
        }
    }

    fn callstack(&mut self) -> &mut Callstack<'t> {
        match &mut self.product.components[CALLSTACK] {
            Domain::Callstack(callstack) => callstack,
            _ => unreachable!("the product was made here"),
        }
    }

    /// Unrolls from the start of the program, each loop up to the bound.
    pub(crate) fn unroll_start(&mut self, bound: u32) -> Result<Arg<'t>, Stop> {
        let empty = self.bottom();
        self.explore(self.task.cfa.entry(), empty, Counting::PerLoop, bound)
    }

    /// Unrolls from the start of the program to the first visits of loop heads.
    pub(crate) fn first_segment(&mut self) -> Result<Arg<'t>, Stop> {
        let empty = self.bottom();
        self.explore(self.task.cfa.entry(), empty, Counting::Visits, 1)
    }

    /// Unrolls from any state at a loop head, up to a number of further visits of loop heads.
    pub(crate) fn unroll_head(&mut self, head: NodeId, stack: StackId, visits: u32) -> Result<Arg<'t>, Stop> {
        self.explore(head, stack, Counting::Visits, visits)
    }

    fn bottom(&self) -> StackId {
        summa_base::Id::from_index(0)
    }

    fn explore(
        &mut self,
        node: NodeId,
        stack: StackId,
        counting: Counting,
        bound: u32,
    ) -> Result<Arg<'t>, Stop> {
        self.callstack().initial_stack = stack;
        if let Domain::LoopBound(domain) = &mut self.product.components[LOOP_BOUND] {
            domain.counting = counting;
            domain.bound = bound;
        }
        let mut reached = Reached::new(vec![Layer::Unrolled]);
        let (state, precision) = self.product.initial(node);
        reached.add_root(self.task.cfa, &self.product, node, state, precision);
        let never = |_: &Product<Domain<'t>>, _: &_| false;
        cpa_plus_plus(self.task.cfa, &mut self.product, &mut reached, &never, &self.task.budget)?;
        Ok(reached)
    }

    /// The unrolling as a graph, for display.
    pub(crate) fn graph(self, reached: Arg<'t>) -> Graph<'t> {
        Graph { cfa: self.task.cfa, product: self.product, reached }
    }

    pub(crate) fn findings(&self, reached: &Arg<'t>) -> Findings {
        let mut findings = Findings::default();
        for id in reached.reached() {
            let node = &reached.nodes[id];
            let (
                AnyState::Specification(observed),
                AnyState::LoopBound(counters),
                AnyState::Predicate(predicate),
            ) = (&node.state[SPECIFICATION], &node.state[LOOP_BOUND], &node.state[PREDICATE])
            else {
                continue;
            };
            let visits = LoopBound::visits(counters);
            match *observed {
                Observed::Violation(edge) => findings.errors.push((predicate.path, edge, visits)),
                Observed::Unsupported(edge) => findings.unsupported.push((predicate.path, edge, visits)),
                Observed::Nothing => {}
            }
            if LoopBound::is_cut(counters) {
                findings.cut.push((predicate.path, node.node));
            } else if self.task.facts.loops.is_head(node.node) {
                findings.heads.push((predicate.path, node.node));
            }
        }
        findings
    }

    /// Can one of the paths be taken, if the assumptions hold?
    pub(crate) fn is_feasible(&mut self, paths: &[PathId], assumptions: &[Term]) -> Result<bool, Stop> {
        Ok(self.logic().may_take_one(assumptions, paths)?)
    }

    /// The same with nothing assumed and in less time: no answer is yes.
    pub(crate) fn may_be_feasible(&mut self, paths: &[PathId], time: Duration) -> Result<bool, Stop> {
        let logic = self.logic();
        let usual = std::mem::replace(&mut logic.solver.query_time, time);
        let answer = logic.may_take_one(&[], paths);
        logic.solver.query_time = usual;
        match answer {
            Err(Unanswered::GaveUp(_)) => Ok(true),
            answer => Ok(answer?),
        }
    }

    /// A model of one of the paths, if one has any.
    pub(crate) fn counterexample(
        &mut self,
        paths: &[(PathId, EdgeId, u32)],
    ) -> Result<Option<(EdgeId, Counterexample)>, Stop> {
        let all: Vec<PathId> = paths.iter().map(|&(path, ..)| path).collect();
        let found = self.logic().counterexample_among(&all)?;
        Ok(found.map(|(taken, counterexample)| (paths[taken].1, counterexample)))
    }

    /// Cut points by the calls on their stacks.
    pub(crate) fn places(&mut self, points: &[(StackId, NodeId)]) -> Vec<Place> {
        let callstack = self.callstack();
        points.iter().map(|&(stack, node)| Place { calls: callstack.calls(stack), node }).collect()
    }

    /// Every loop head with every call stack under which control gets there; None if there are too many, as
    /// with recursion.
    pub(crate) fn cut_points(&mut self, limit: usize) -> Option<Vec<(StackId, NodeId)>> {
        let (cfa, facts) = (self.task.cfa, self.task.facts);
        let bottom = self.bottom();
        let callstack = self.callstack();
        let mut seen = summa_base::FxHashSet::default();
        let mut todo = vec![(bottom, cfa.entry())];
        let mut heads = Vec::new();
        while let Some((stack, node)) = todo.pop() {
            if !seen.insert((stack, node)) {
                continue;
            }
            if seen.len() > limit {
                return None;
            }
            if facts.loops.is_head(node) {
                heads.push((stack, node));
            }
            for &edge in cfa.leaving(node) {
                let by = Move::along(cfa, edge);
                let stack = match by.step {
                    Step::Enter(_) if facts.calls.is_recursive(cfa.nodes[by.to].function) => return None,
                    Step::Enter(call) => callstack.push(stack, call),
                    _ => stack,
                };
                todo.push((stack, by.to));
            }
            if let Some((call, below)) = callstack.top(stack)
                && let Some(back) = Move::back(cfa, call)
                && back.from == node
            {
                todo.push((below, back.to));
            }
        }
        heads.sort_unstable_by_key(|&(stack, node)| (node, stack));
        Some(heads)
    }
}
