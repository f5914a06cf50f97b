//! Which variables may still be read before they are written: classic backward data flow on sets of bits.
//!
//! The analysis tracks variables that a function names and no pointer can reach: those of its frame, and
//! static ones. A call reads the static variables that the called function may read. It is not relied on to
//! write any. At the exit, the result is live, and so is each static variable that is read anywhere in the
//! program. All other variables count as live everywhere.

use crate::call_graph::CallGraph;
use crate::effects::{Effect, Effects};
use crate::mod_ref::ModRefs;
use summa_base::graph::post_order;
use summa_base::{Id, IdSet, IdVec, define_id};
use summa_c::tree::{FuncId, VarId};
use summa_cfa::syntax::{Base, base, whole_variable};
use summa_cfa::{Automaton, Cfa, EdgeId, NodeId, Op};

define_id! {
    /// Position of a variable among those that its function tracks.
    Slot = "slot";
}

#[derive(Clone, Debug, Default)]
struct FunctionLive {
    /// Ascending.
    tracked: Vec<VarId>,
    first_node: usize,
    /// By node, counted from the first.
    live: Vec<IdSet<Slot>>,
}

impl FunctionLive {
    fn slot(&self, var: VarId) -> Option<Slot> {
        self.tracked.binary_search(&var).ok().map(Slot::from_index)
    }
}

#[derive(Debug)]
pub struct Live {
    functions: IdVec<FuncId, FunctionLive>,
    node_functions: IdVec<NodeId, FuncId>,
    /// Static variables that no function reads.
    never_read: IdSet<VarId>,
}

/// What the analysis builds on.
pub struct Given<'a> {
    pub cfa: &'a Cfa,
    pub effects: &'a Effects,
    pub calls: &'a CallGraph,
    pub mod_refs: &'a ModRefs,
    pub address_taken: &'a IdSet<VarId>,
}

impl Live {
    pub fn new(given: &Given<'_>) -> Self {
        let cfa = given.cfa;
        let mut read = IdSet::new();
        for automaton in cfa.defined() {
            read.union_with(&given.mod_refs.of(given.calls, automaton.function).reads.variables);
        }
        let statics = cfa.program.vars.iter().filter(|(_, var)| var.kind.is_static()).map(|(id, _)| id);
        let never_read =
            statics.filter(|&var| !read.contains(var) && !given.address_taken.contains(var)).collect();
        let mut functions = IdVec::with_capacity(cfa.automata.len());
        for automaton in cfa.automata.values() {
            let facts =
                automaton.as_ref().map(|automaton| Solver::new(given, automaton, &never_read).solve());
            functions.push(facts.unwrap_or_default());
        }
        let node_functions = cfa.nodes.values().map(|node| node.function).collect();
        Self { functions, node_functions, never_read }
    }

    /// May the value that the variable has at the node still be read? For variables of the node's function
    /// and static ones; of others the answer is always yes.
    pub fn is_live(&self, node: NodeId, var: VarId) -> bool {
        let function = &self.functions[self.node_functions[node]];
        match function.slot(var) {
            Some(slot) => {
                function.live.get(node.index() - function.first_node).is_none_or(|l| l.contains(slot))
            }
            None => !self.never_read.contains(var),
        }
    }

    /// The tracked variables that live at the node, ascending.
    pub fn at(&self, node: NodeId) -> impl Iterator<Item = VarId> + '_ {
        let function = &self.functions[self.node_functions[node]];
        let live = function.live.get(node.index() - function.first_node);
        live.into_iter().flat_map(|live| live.iter().map(|slot| function.tracked[slot.index()]))
    }

    /// The variables for which the function's nodes have an exact answer, ascending.
    pub fn tracked(&self, function: FuncId) -> &[VarId] {
        &self.functions[function].tracked
    }
}

struct Solver<'a> {
    given: &'a Given<'a>,
    automaton: &'a Automaton,
    facts: FunctionLive,
    first_edge: usize,
    /// By edge, counted from the first: what it reads, and what it replaces.
    transfer: Vec<(IdSet<Slot>, IdSet<Slot>)>,
}

impl<'a> Solver<'a> {
    fn new(given: &'a Given<'a>, automaton: &'a Automaton, never_read: &IdSet<VarId>) -> Self {
        let cfa = given.cfa;
        let mut tracked: Vec<VarId> = automaton
            .edge_ids()
            .flat_map(|edge| given.effects.of(edge))
            .filter_map(|&effect| named(cfa, effect))
            .filter(|&var| {
                let kind = cfa.program.vars[var].kind;
                let is_ours = kind.is_static() || kind.frame() == Some(automaton.function);
                is_ours && !given.address_taken.contains(var)
            })
            .collect();
        tracked.sort_unstable();
        tracked.dedup();
        let first_node = automaton.nodes.start as usize;
        let mut facts = FunctionLive { tracked, first_node, live: vec![IdSet::new(); automaton.nodes.len()] };
        let at_exit = facts.tracked.iter().enumerate().filter(|&(_, &var)| {
            cfa.program.functions[automaton.function].result == Some(var)
                || cfa.program.vars[var].kind.is_static() && !never_read.contains(var)
        });
        let at_exit: IdSet<Slot> = at_exit.map(|(i, _)| Slot::from_index(i)).collect();
        if let Some(exit) = facts.live.get_mut(automaton.exit.index() - first_node) {
            *exit = at_exit;
        }
        let first_edge = automaton.edges.start as usize;
        let mut solver = Self { given, automaton, facts, first_edge, transfer: Vec::new() };
        solver.transfer = automaton.edge_ids().map(|edge| solver.transfer(edge)).collect();
        solver
    }

    fn transfer(&self, edge: EdgeId) -> (IdSet<Slot>, IdSet<Slot>) {
        let (cfa, mut reads, mut writes) = (self.given.cfa, IdSet::new(), IdSet::new());
        // In a recursive call the parameters are those of another frame.
        let is_call = matches!(cfa.edge(edge).op, Op::Call { .. });
        for &effect in self.given.effects.of(edge) {
            match effect {
                Effect::Read(place) => {
                    if let Base::Variable(var) = base(&cfa.program.exprs, place) {
                        reads.extend(self.facts.slot(var));
                    }
                }
                Effect::ReadVar(var) => reads.extend(self.facts.slot(var)),
                Effect::Call(callee) => {
                    let below = &self.given.mod_refs.of(self.given.calls, callee).reads.variables;
                    let read =
                        self.facts.tracked.iter().enumerate().filter(|&(_, &var)| {
                            cfa.program.vars[var].kind.is_static() && below.contains(var)
                        });
                    reads.extend(read.map(|(i, _)| Slot::from_index(i)));
                }
                Effect::Write(place) => {
                    writes.extend(
                        whole_variable(&cfa.program.exprs, place).and_then(|var| self.facts.slot(var)),
                    );
                }
                Effect::WriteVar(var) if !is_call => writes.extend(self.facts.slot(var)),
                Effect::Lifetime(var) => writes.extend(self.facts.slot(var)),
                // Variables that pointers can reach are not tracked.
                Effect::WriteVar(_) | Effect::Deref(_) | Effect::Partial(_) | Effect::Address(_) => {}
                Effect::ReadMemory(_) | Effect::ReadVariadic(_) | Effect::WriteMemory(_) => {}
                Effect::Escape(_) | Effect::Allocate => {}
            }
        }
        (reads, writes)
    }

    fn solve(mut self) -> FunctionLive {
        let cfa = self.given.cfa;
        let mut order = post_order(self.automaton.entry, |node| {
            cfa.leaving(node).iter().map(|&edge| cfa.edge(edge).to).collect::<Vec<_>>()
        });
        // Nodes that cannot be reached have an answer too.
        let reached: IdSet<NodeId> = order.iter().copied().collect();
        order.extend(self.automaton.node_ids().filter(|&node| !reached.contains(node)));
        loop {
            let mut changed = false;
            for &node in &order {
                let mut live = IdSet::new();
                for &edge in cfa.leaving(node) {
                    let (reads, writes) = &self.transfer[edge.index() - self.first_edge];
                    let mut before =
                        self.facts.live[cfa.edge(edge).to.index() - self.facts.first_node].clone();
                    before.subtract(writes);
                    live.union_with(&before);
                    live.union_with(reads);
                }
                changed |= self.facts.live[node.index() - self.facts.first_node].union_with(&live);
            }
            if !changed {
                return self.facts;
            }
        }
    }
}

/// The variable that the effect reads or writes by name.
fn named(cfa: &Cfa, effect: Effect) -> Option<VarId> {
    match effect {
        Effect::Read(place) | Effect::Write(place) => match base(&cfa.program.exprs, place) {
            Base::Variable(var) => Some(var),
            Base::Pointer(_) => None,
        },
        Effect::ReadVar(var) | Effect::WriteVar(var) | Effect::Lifetime(var) => Some(var),
        Effect::Deref(_) | Effect::Partial(_) | Effect::Address(_) | Effect::Call(_) => None,
        Effect::ReadMemory(_) | Effect::ReadVariadic(_) | Effect::WriteMemory(_) => None,
        Effect::Escape(_) | Effect::Allocate => None,
    }
}
