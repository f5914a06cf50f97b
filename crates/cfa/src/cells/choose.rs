//! Which cells there are: those that the last reads before an error look at.
//!
//! Before every doomed branch lies a piece of straight program. The elements that it reads, at indices whose variables do not change up
//! to the branch, are the cells: `assert(a[i] == b[n - i])` makes `a[K1]` and `b[K2 - K1]`, where the *chosen numbers* `K1`, `K2` stand
//! for what `i` and `n` are when the branch is passed. Different branches share chosen numbers and so, mostly, cells. Elements that flow
//! into cells are cells too ([`super::flow`]).

use super::arrays::{Access, Array, ArrayId, Arrays};
use super::doom::{DEEP, doom, evaluate};
use super::flags::{Flag, flags};
use super::flow::{Flow, flows};
use super::rewrite::{Rewriting, is_plain, variables};
use super::sketch::compare;
use crate::analysis::effects::{Effects, Touch, touched};
use crate::cfa::{Cfa, Checks, EdgeId, ErrorKind, NodeId, Op};
use summa_base::{FxHashMap, FxHashSet, Id, IdMap, IdSet, IdVec, define_id};
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceKind, Program, VarId, VarKind, Variable};
use summa_c::types::{ArrayLen, TypeId};

define_id! {
    CellId = "cell";
}

/// More cells of one array are not worth the branches that they cost.
const CELLS_PER_ARRAY: usize = 4;
/// Nothing flows into more cells than these.
const FLOWING_CELLS: usize = 16;
/// A doomed branch with more index variables than this is about something else.
const CHOSEN_NUMBERS: usize = 6;
/// How far back from a branch reads are looked for.
const BACK: usize = 100;
/// The bounds of indices are used if one of these, for all chosen numbers, is within them.
const WITNESSES: std::ops::Range<i128> = 0..20;

/// One element of an array, at an index that never changes.
pub(super) struct Cell {
    array: ArrayId,
    /// For each dimension an index over chosen numbers.
    pub(super) indices: Vec<ExprId>,
    /// What the element holds.
    pub(super) var: VarId,
}

/// The cells of a program, and where the chosen numbers must be what they stand for.
pub(super) struct Choice {
    pub(super) chosen: Vec<VarId>,
    pub(super) cells: IdVec<CellId, Cell>,
    pub(super) by_array: IdMap<ArrayId, Vec<CellId>>,
    /// For doomed branches: what executions need not go on without. For bad constants of flags: without what they are not written.
    pub(super) required: FxHashMap<EdgeId, Required>,
    /// Conditions on chosen numbers for the whole run.
    pub(super) bounds: Vec<ExprId>,
}

/// What is asked of executions that pass a doomed branch, or set a flag.
pub(super) struct Required {
    /// Chosen numbers are what they stand for,
    pub(super) equations: Vec<ExprId>,
    /// if the elements that were read are within their rows.
    pub(super) reads: Vec<Access>,
}

/// A doomed branch, or a bad constant that a flag gets: the elements that are read before it, and the edges behind it.
struct Doomed {
    edge: EdgeId,
    reads: Vec<Read>,
    behind: Vec<EdgeId>,
}

/// An element that is read, and the variables of its indices.
pub(super) struct Read {
    pub(super) array: ArrayId,
    pub(super) indices: Vec<ExprId>,
    pub(super) variables: Vec<VarId>,
}

impl Choice {
    pub(super) fn new(
        cfa: &Cfa,
        program: &mut Program,
        arrays: &Arrays,
        counts: &dyn Fn(ErrorKind) -> bool,
    ) -> Self {
        let constants = Constants::new(cfa);
        let mut chooser = Chooser {
            cfa,
            program,
            arrays,
            constants: &constants,
            numbers: FxHashMap::default(),
            known: FxHashMap::default(),
            choice: Self {
                chosen: Vec::new(),
                cells: IdVec::new(),
                by_array: IdMap::with_len(arrays.all.len(), Vec::new()),
                required: FxHashMap::default(),
                bounds: Vec::new(),
            },
        };
        let doomed = find_doomed(cfa, arrays, counts);
        // An execution passes one of these branches at most: those behind another one are like any other branch.
        let mut flags = flags(cfa, counts);
        let by_flags = flags.iter().flat_map(|flag| &flag.doomed).flat_map(|(_, behind)| behind);
        let by_reads = doomed.iter().flat_map(|doomed| &doomed.behind);
        let behind: IdSet<EdgeId> = by_flags.chain(by_reads).copied().collect();
        // Nor does one that fails by a flag fail by anything else.
        let is_other = |edge: EdgeId| behind.contains(edge) || doomed.iter().any(|other| other.edge == edge);
        flags.retain(|flag| !flag.doomed.iter().any(|&(edge, _)| is_other(edge)));
        let first = doomed.iter().filter(|doomed| !behind.contains(doomed.edge));
        let set: Vec<Doomed> = flags.iter().flat_map(|flag| sets(cfa, arrays, flag)).collect();
        let mut everywhere: Option<Vec<CellId>> = None;
        for doomed in first.chain(&set) {
            let cells = chooser.branch(doomed);
            if chooser.choice.required.contains_key(&doomed.edge) {
                let so_far = everywhere.take().unwrap_or_else(|| cells.clone());
                everywhere = Some(so_far.into_iter().filter(|cell| cells.contains(cell)).collect());
            }
        }
        chooser.flow(&flows(cfa, arrays));
        chooser.bound(&everywhere.unwrap_or_default());
        chooser.choice
    }
}

/// The places where a flag gets a bad constant, with what was read there.
fn sets<'a>(cfa: &'a Cfa, arrays: &'a Arrays, flag: &'a Flag) -> impl Iterator<Item = Doomed> + use<'a> {
    let set = |&edge: &EdgeId| {
        let reads = reads_before(cfa, arrays, cfa.edges[edge].from);
        Doomed { edge, reads, behind: Vec::new() }
    };
    flag.sets.iter().map(set).filter(|set| !set.reads.is_empty())
}

/// The branches with reads before them after which nothing but an error follows.
fn find_doomed(cfa: &Cfa, arrays: &Arrays, counts: &dyn Fn(ErrorKind) -> bool) -> Vec<Doomed> {
    let mut found = Vec::new();
    for (edge, data) in cfa.edges.iter() {
        if !matches!(data.op, Op::Assume { .. }) {
            continue;
        }
        let reads = reads_before(cfa, arrays, data.from);
        if reads.is_empty() {
            continue;
        }
        if let Some(behind) = doom(cfa, edge, counts) {
            found.push(Doomed { edge, reads, behind });
        }
    }
    found
}

/// The reads on the straight way to a node, in the order of the program; only those whose index is the same when the node is reached.
pub(super) fn reads_before(cfa: &Cfa, arrays: &Arrays, mut node: NodeId) -> Vec<Read> {
    let program = &cfa.program;
    let mut written: IdSet<VarId> = IdSet::new();
    let mut reads = Vec::new();
    for _ in 0..BACK {
        let &[before] = cfa.entering(node) else { break };
        let edge = &cfa.edges[before];
        node = edge.from;
        match edge.op {
            Op::Skip | Op::Assume { .. } => {}
            Op::Declare { var } | Op::Dead { var } => {
                written.insert(var);
            }
            Op::Assign { place, .. } | Op::Zero { place } | Op::Havoc { place, .. } => {
                if arrays.access(program, place).is_none() {
                    let PlaceKind::Var(var) = program.exprs.place(place).kind else { break };
                    written.insert(var);
                }
                if let Op::Assign { value, .. } = edge.op
                    && let Some(read) = read(cfa, arrays, value)
                    && read.variables.iter().all(|&var| !written.contains(var))
                {
                    reads.push(read);
                }
            }
            // What others do to the variables is not looked at.
            Op::Call { .. } | Op::Library { .. } | Op::External { .. } => break,
            Op::Return { .. } | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => break,
        }
    }
    reads.reverse();
    reads
}

fn read(cfa: &Cfa, arrays: &Arrays, value: ExprId) -> Option<Read> {
    let program = &cfa.program;
    let ExprKind::Load(element) = program.exprs.expr(value).kind else { return None };
    let access = arrays.access(program, element)?;
    let mut all = Vec::new();
    for &index in &access.indices {
        // Where overflow is an error, no operation overflows; with other numbers than it was meant for, an index could.
        if cfa.checks != Checks::NONE && !is_plain(program, index) {
            return None;
        }
        for var in variables(program, index)? {
            if !all.contains(&var) {
                all.push(var);
            }
        }
    }
    Some(Read { array: access.array, indices: access.indices, variables: all })
}

struct Chooser<'a> {
    cfa: &'a Cfa,
    program: &'a mut Program,
    arrays: &'a Arrays,
    constants: &'a Constants,
    /// The n-th chosen number of a type.
    numbers: FxHashMap<(TypeId, usize), VarId>,
    known: FxHashMap<(ArrayId, Vec<ExprId>), CellId>,
    choice: Choice,
}

impl Chooser<'_> {
    /// Makes the cells of a branch and requires that it is passed with their indices.
    fn branch(&mut self, doomed: &Doomed) -> Vec<CellId> {
        let mut rewriting = Rewriting::default();
        let mut counts: FxHashMap<TypeId, usize> = FxHashMap::default();
        let mut numbers: Vec<(VarId, VarId)> = Vec::new();
        let mut constant: IdSet<VarId> = IdSet::new();
        let mut cells = Vec::new();
        for read in &doomed.reads {
            let new: Vec<VarId> = (read.variables.iter().copied())
                .filter(|&var| !constant.contains(var) && numbers.iter().all(|&(known, _)| known != var))
                .collect();
            if numbers.len() + new.len() > CHOSEN_NUMBERS {
                continue;
            }
            for var in new {
                let ty = self.program.vars[var].ty;
                let place = self.program.exprs.var(var, ty);
                let old = self.program.exprs.load(place);
                let number = match self.constants.at(self.cfa, var, self.cfa.edges[doomed.edge].from) {
                    Some(number) => {
                        constant.insert(var);
                        self.program.exprs.int(&self.program.types, ty, number)
                    }
                    None => {
                        let count = counts.entry(ty).or_default();
                        let chosen = self.number(ty, *count);
                        *count += 1;
                        numbers.push((var, chosen));
                        let place = self.program.exprs.var(chosen, ty);
                        self.program.exprs.load(place)
                    }
                };
                rewriting.replace(old, number);
            }
            let indices: Vec<ExprId> = (read.indices.iter())
                .map(|&index| rewriting.value(self.program, index, &mut |_, _| None))
                .collect();
            cells.extend(self.cell(read.array, indices));
        }
        let equations: Vec<ExprId> = numbers
            .into_iter()
            .map(|(var, chosen)| {
                let ty = self.program.vars[var].ty;
                let [var, chosen] = [var, chosen].map(|var| {
                    let place = self.program.exprs.var(var, ty);
                    self.program.exprs.load(place)
                });
                compare(self.program, BinaryOp::Eq, var, chosen)
            })
            .collect();
        if !cells.is_empty() {
            let access = |read: &Read| Access { array: read.array, indices: read.indices.clone() };
            let reads = doomed.reads.iter().map(access).collect();
            self.choice.required.insert(doomed.edge, Required { equations, reads });
        }
        cells
    }

    fn number(&mut self, ty: TypeId, count: usize) -> VarId {
        let next = self.numbers.len();
        *self.numbers.entry((ty, count)).or_insert_with(|| {
            let name = self.program.names.intern(&format!("chosen${next}"));
            let var = self.program.vars.push(Variable::new(name, ty, VarKind::Global, Span::NONE));
            self.choice.chosen.push(var);
            var
        })
    }

    fn cell(&mut self, array: ArrayId, indices: Vec<ExprId>) -> Option<CellId> {
        if let Some(&cell) = self.known.get(&(array, indices.clone())) {
            return Some(cell);
        }
        let siblings = &mut self.choice.by_array[array];
        if siblings.len() == CELLS_PER_ARRAY {
            return None;
        }
        let Array { var, element, .. } = self.arrays.all[array];
        let name = format!("{}$cell{}", self.program.var_name(var), siblings.len());
        let name = self.program.names.intern(&name);
        let span = self.program.vars[var].span;
        let var = self.program.vars.push(Variable::new(name, element, VarKind::Global, span));
        let cell = self.choice.cells.push(Cell { array, indices: indices.clone(), var });
        siblings.push(cell);
        self.known.insert((array, indices), cell);
        Some(cell)
    }

    /// Makes cells of the elements that flow into cells, and so on.
    fn flow(&mut self, flows: &[Flow]) {
        let mut next = 0;
        while next < self.choice.cells.len().min(FLOWING_CELLS) {
            let Cell { array, indices, .. } = &self.choice.cells[CellId::from_index(next)];
            let (array, indices) = (*array, indices.clone());
            for flow in flows.iter().filter(|flow| flow.into.array == array) {
                for (source, indices) in flow.sources(self.program, &indices) {
                    self.cell(source, indices);
                }
            }
            next += 1;
        }
    }

    /// Elements that are read exist: an index that is none ends the execution, and of one that leaves its row nothing is required. So the
    /// indices of cells that every doomed branch reads are within bounds from the start. Other executions need some numbers that are
    /// allowed too.
    fn bound(&mut self, everywhere: &[CellId]) {
        let index = self.program.types.ptrdiff_t;
        let mut bounds = Vec::new();
        for (array, cells) in self.choice.by_array.iter() {
            for &cell in cells.iter().filter(|cell| everywhere.contains(cell)) {
                let indices = self.choice.cells[cell].indices.iter();
                for (&at, &length) in indices.zip(&self.arrays.all[array].lengths) {
                    let zero = self.program.exprs.int(&self.program.types, index, 0);
                    bounds.push(compare(self.program, BinaryOp::Ge, at, zero));
                    if let ArrayLen::Fixed(length) = length {
                        let length = self.program.exprs.int(&self.program.types, index, i128::from(length));
                        bounds.push(compare(self.program, BinaryOp::Lt, at, length));
                    }
                }
            }
        }
        let mut seen = FxHashSet::default();
        bounds.retain(|&bound| seen.insert(bound));
        let holds = |number: i128| {
            let holds = |&bound: &ExprId| evaluate(self.program, bound, &|_| Some(number), DEEP) == Some(1);
            bounds.iter().all(holds)
        };
        if WITNESSES.into_iter().any(holds) {
            self.choice.bounds = bounds;
        }
    }
}

/// Variables that get one constant in one place.
struct Constants {
    /// The only edge that writes the variable, and the value.
    written: FxHashMap<VarId, (EdgeId, i128)>,
}

impl Constants {
    fn new(cfa: &Cfa) -> Self {
        let program = &cfa.program;
        let effects = Effects::new(cfa);
        let mut writers: FxHashMap<VarId, Option<(EdgeId, i128)>> = FxHashMap::default();
        let mut hidden: IdSet<VarId> = IdSet::new();
        for (edge, data) in cfa.edges.iter() {
            let value = match data.op {
                Op::Assign { value, .. } => program.exprs.as_int(value),
                _ => None,
            };
            for &effect in effects.of(edge) {
                match touched(&program.exprs, effect) {
                    Some((Touch::Write, var)) => {
                        let once = value.map(|value| (edge, value));
                        writers.entry(var).and_modify(|writer| *writer = None).or_insert(once);
                    }
                    Some((Touch::Receive | Touch::Address, var)) => {
                        hidden.insert(var);
                    }
                    Some((Touch::Read, _)) | None => {}
                }
            }
        }
        let mut written = FxHashMap::default();
        for var in program.vars.ids().filter(|&var| !hidden.contains(var)) {
            if let Some(Some(once)) = writers.get(&var) {
                written.insert(var, *once);
            }
        }
        Self { written }
    }

    /// The value of a variable wherever a run is at this node.
    fn at(&self, cfa: &Cfa, var: VarId, node: NodeId) -> Option<i128> {
        let &(writer, value) = self.written.get(&var)?;
        let from = cfa.nodes[cfa.edges[writer].from].function;
        let function = cfa.nodes[node].function;
        if from == cfa.start && function != cfa.start {
            return Some(value);
        }
        // Every way from the entry to the node writes the variable, after its life has begun.
        let is_local = cfa.program.vars[var].kind.frame() == Some(function) && from == function;
        let entry = cfa.automaton(function)?.entry;
        let begins = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Declare { var: begun } if begun == var);
        let starts =
            cfa.edges.ids().filter(|&edge| begins(edge)).map(|edge| cfa.edges[edge].to).chain([entry]);
        let unwritten = summa_base::graph::reachable(starts, |at| {
            let leaving = cfa.leaving(at).iter().filter(|&&edge| edge != writer);
            leaving.map(|&edge| cfa.edges[edge].to).collect::<Vec<NodeId>>()
        });
        (is_local && !unwritten.contains(node)).then_some(value)
    }
}
