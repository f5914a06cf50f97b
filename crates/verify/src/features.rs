//! Features of a program that decide which engines are suitable, found in one pass over its automata.
//!
//! Only code counts that can be reached from the start and can reach an error: a helper that is never called
//! changes no plan.

use summa_base::IdSet;
use summa_c::tree::{ExprKind, FuncId, PlaceId, PlaceKind};
use summa_cfa::{Cfa, Checks, Edge, EdgeId, HavocSource, Op};
use summa_encode::Encoding;
use summa_engines::Task;
use summa_engines::encoding_choice::{Chosen, choose};
use summa_facts::Analyses;
use summa_facts::effects::Effect;

/// Programs with fewer functions are decided as fast without summaries.
const MANY_FUNCTIONS: usize = 100;

/// The features of a program that the plan looks at.
#[derive(Clone, Debug)]
pub struct Features {
    /// The first recursive function, if there is one.
    pub recursion: Option<FuncId>,
    pub loops: usize,
    /// Functions with operations that matter.
    pub functions: usize,
    /// Error edges that count.
    pub errors: usize,
    /// Operations are checked one by one, so there are many errors, and most are impossible.
    pub checks: bool,
    /// The program asks for inputs.
    pub inputs: bool,
    /// Elements are chosen by an index that is not constant.
    pub arrays: bool,
    /// Objects are allocated and not promoted to variables.
    pub heap: bool,
    /// The arithmetic to begin with, and why.
    pub arithmetic: Chosen,
    /// Edges of the program.
    pub size: usize,
}

impl Features {
    pub fn of(task: &Task<'_>) -> Self {
        let (cfa, facts) = (task.cfa, task.facts);
        let relevant = |edge: EdgeId| facts.reach.edge_can_reach(cfa, edge);
        let edges: Vec<EdgeId> = cfa.edges.ids().filter(|&edge| relevant(edge)).collect();
        let functions: IdSet<FuncId> =
            edges.iter().map(|&edge| cfa.nodes[cfa.edges[edge].from].function).collect();
        let allocates = |edge: &EdgeId| facts.effects.of(*edge).contains(&Effect::Allocate);
        Self {
            recursion: recursion(cfa, facts),
            functions: functions.len(),
            loops: cfa.nodes.ids().filter(|&node| facts.loops.is_head(node)).count(),
            checks: cfa.checks != Checks::NONE || cfa.relies_on_members(),
            errors: cfa.edges.ids().filter(|&edge| (task.violations())(edge)).count(),
            inputs: edges.iter().any(|&edge| is_input(&cfa.edges[edge])),
            arrays: edges.iter().any(|&edge| indexes(cfa, facts, edge)),
            heap: edges.iter().any(allocates),
            arithmetic: choose(cfa, facts),
            size: edges.len(),
        }
    }

    /// True if there are so many functions that following every call is slow and summaries are worth their
    /// cost.
    pub fn has_many_functions(&self) -> bool {
        self.functions >= MANY_FUNCTIONS
    }

    /// Are bit-vectors the arithmetic to begin with?
    pub fn bits(&self) -> bool {
        self.arithmetic.first == Encoding::BitVector
    }

    /// Do floating-point numbers matter?
    pub fn floats(&self) -> bool {
        self.arithmetic.because.is_some_and(|(what, _)| what == "floating point")
    }

    /// In words, for `--explain`.
    pub fn describe(&self, cfa: &Cfa) -> String {
        let mut words = vec![format!("{} operations that matter", self.size)];
        words.push(match self.loops {
            0 => "no loop".to_owned(),
            1 => "1 loop".to_owned(),
            many => format!("{many} loops"),
        });
        words.extend(self.has_many_functions().then(|| format!("{} functions", self.functions)));
        words.extend(
            self.recursion.map(|function| format!("recursion ({})", cfa.program.func_name(function))),
        );
        words.extend(self.arrays.then(|| "arrays".to_owned()));
        words.extend(self.heap.then(|| "allocated memory".to_owned()));
        words.push(match (self.arithmetic.first, self.arithmetic.because) {
            (Encoding::BitVector, Some((what, _))) => format!("{what}, so bit-vectors first"),
            (Encoding::BitVector, None) => "bit-vectors first".to_owned(),
            (Encoding::Int, _) => "integers first".to_owned(),
        });
        words.extend((!self.inputs).then(|| "no inputs".to_owned()));
        words.join(", ")
    }
}

fn recursion(cfa: &Cfa, facts: &Analyses) -> Option<FuncId> {
    cfa.defined().map(|automaton| automaton.function).find(|&function| facts.calls.is_recursive(function))
}

fn is_input(edge: &Edge) -> bool {
    use HavocSource::{Allocation, EntryArgument, Global, Input, Volatile};
    let Op::Havoc { source, .. } = edge.op else { return false };
    matches!(source, Input(_) | EntryArgument | Global | Allocation | Volatile)
}

/// Is one of the places that the edge uses an element with an index that is not constant?
fn indexes(cfa: &Cfa, facts: &Analyses, edge: EdgeId) -> bool {
    let exprs = &cfa.program.exprs;
    let is_indexed = |mut place: PlaceId| loop {
        match exprs.place(place).kind {
            PlaceKind::Index(_, index) if exprs.as_int(index).is_none() => return true,
            PlaceKind::Index(base, _) | PlaceKind::Field(base, _) => place = base,
            // A pointer that is computed from another one.
            PlaceKind::Deref(pointer) => return matches!(exprs.expr(pointer).kind, ExprKind::Binary(..)),
            PlaceKind::Var(_) => return false,
        }
    };
    facts.effects.of(edge).iter().any(|effect| match *effect {
        Effect::Read(place) | Effect::Write(place) | Effect::Address(place) => is_indexed(place),
        _ => false,
    })
}
