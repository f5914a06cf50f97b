//! Which variables still hold what was read from an element. In `if (a[i] > max) max = a[i];` the second read
//! gives the same value as the first, even if the element is no cell.
//!
//! A read is kept in its variable as long as nothing is written to the array, to variables of the indices, or
//! to the variable itself. These are the available expressions of compilers: a forward analysis with
//! intersection where paths meet.
//!
//! Limits: within one function; calls and writes through pointers end everything.

use super::arrays::Arrays;
use super::reads::Read;
use std::collections::VecDeque;
use summa_base::FxHashMap;
use summa_c::tree::{ExprKind, PlaceId, PlaceKind, Program, VarId};
use summa_cfa::{Cfa, Edge, EdgeId, NodeId, Op};

/// For reads of elements, the variable that holds the same value already.
pub(super) type Kept = FxHashMap<EdgeId, VarId>;

/// `holder = element` somewhere in the program.
struct Holding {
    element: PlaceId,
    holder: VarId,
    read: Read,
}

impl Holding {
    /// What an edge reads; None if it is no read that can be kept.
    fn of(program: &Program, arrays: &Arrays, edge: &Edge) -> Option<Self> {
        let Op::Assign { place, value } = edge.op else { return None };
        let exprs = &program.exprs;
        let read = Read::of(program, arrays, value)?;
        let (ExprKind::Load(element), PlaceKind::Var(holder)) =
            (exprs.expr(value).kind, exprs.place(place).kind)
        else {
            return None;
        };
        let holds = &program.vars[holder];
        let is_same = holds.ty == exprs.place(element).ty;
        let is_held = is_same && !holds.is_volatile && !read.variables.contains(&holder);
        is_held.then_some(Self { element, holder, read })
    }

    fn is_ended_by(&self, arrays: &Arrays, written: VarId) -> bool {
        self.holder == written
            || self.read.variables.contains(&written)
            || arrays.origin(written) == Some(self.read.array)
    }
}

/// Numbers of reads, in order.
type State = Vec<usize>;

pub(super) fn kept_reads(cfa: &Cfa, arrays: &Arrays) -> Kept {
    let mut reads: Vec<Holding> = Vec::new();
    let mut number_of: FxHashMap<(PlaceId, VarId), usize> = FxHashMap::default();
    let mut read_by: FxHashMap<EdgeId, usize> = FxHashMap::default();
    for (id, edge) in cfa.edges.iter() {
        if let Some(read) = Holding::of(&cfa.program, arrays, edge) {
            let number = *number_of.entry((read.element, read.holder)).or_insert_with(|| {
                reads.push(read);
                reads.len() - 1
            });
            read_by.insert(id, number);
        }
    }
    let states = states(cfa, arrays, &reads, &read_by);
    let mut kept = Kept::default();
    for edge in cfa.edges.ids() {
        let Some(&number) = read_by.get(&edge) else { continue };
        let state = states.get(&cfa.edges[edge].from).into_iter().flatten();
        let same = state.copied().find(|&other| reads[other].element == reads[number].element);
        kept.extend(same.map(|other| (edge, reads[other].holder)));
    }
    kept
}

/// The reads that are kept at each node, whatever the way to it.
fn states(
    cfa: &Cfa,
    arrays: &Arrays,
    reads: &[Holding],
    read_by: &FxHashMap<EdgeId, usize>,
) -> FxHashMap<NodeId, State> {
    let mut states: FxHashMap<NodeId, State> = FxHashMap::default();
    let entries = cfa.automata.values().flatten().map(|automaton| automaton.entry);
    let mut todo: VecDeque<NodeId> = entries.collect();
    states.extend(todo.iter().map(|&entry| (entry, State::new())));
    while let Some(node) = todo.pop_front() {
        for &edge in cfa.leaving(node) {
            let mut after = states.get(&node).cloned().unwrap_or_default();
            pass(cfa, arrays, reads, &cfa.edges[edge].op, &mut after);
            if let Some(&number) = read_by.get(&edge)
                && let Err(at) = after.binary_search(&number)
            {
                after.insert(at, number);
            }
            let to = cfa.edges[edge].to;
            match states.get_mut(&to) {
                None => {
                    states.insert(to, after);
                }
                Some(known) => {
                    let before = known.len();
                    known.retain(|number| after.binary_search(number).is_ok());
                    if known.len() == before {
                        continue;
                    }
                }
            }
            todo.push_back(to);
        }
    }
    states
}

/// Leaves what is still kept after an operation.
fn pass(cfa: &Cfa, arrays: &Arrays, reads: &[Holding], op: &Op, state: &mut State) {
    let program = &cfa.program;
    match *op {
        Op::Skip | Op::Assume { .. } => {}
        Op::Declare { var } | Op::Dead { var } => {
            state.retain(|&number| !reads[number].is_ended_by(arrays, var));
        }
        Op::Assign { place, .. } | Op::Zero { place } | Op::Havoc { place, .. } => {
            match (arrays.access(program, place), program.exprs.place(place).kind) {
                (Some(access), _) => state.retain(|&number| reads[number].read.array != access.array),
                (None, PlaceKind::Var(var)) => {
                    state.retain(|&number| !reads[number].is_ended_by(arrays, var));
                }
                (None, _) => state.clear(),
            }
        }
        Op::Call { .. }
        | Op::Library { .. }
        | Op::External { .. }
        | Op::Return { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. } => state.clear(),
    }
}
