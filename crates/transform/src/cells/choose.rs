//! Which cells there are: those that the last reads before an error look at.
//!
//! Before every doomed branch lies a piece of straight-line program. It reads elements at indices whose
//! variables do not change up to the branch. These elements are the cells: `assert(a[i] == b[n - i])` makes
//! `a[K1]` and `b[K2 - K1]`, where the *chosen numbers* `K1`, `K2` stand for the values of `i` and `n` when
//! the branch is passed. Different branches share chosen numbers and therefore, mostly, cells. If an
//! assertion reads a flag, the reads are those before the flag was set ([`super::flags`]). Elements that flow
//! into cells are cells too ([`super::flow`]).

use super::arrays::{Access, Array, ArrayId, Arrays};
use super::constants::Constants;
use super::doom::{DEEP, doom, evaluate};
use super::flags::flags;
use super::flow::{Flow, flows};
use super::reads::{Read, reads_before};
use super::rewrite::Rewriting;
use super::sketch::compare;
use summa_base::{FxHashMap, FxHashSet, Id, IdMap, IdSet, IdVec, define_id};
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, Program, VarId, VarKind, Variable};
use summa_c::types::{ArrayLen, TypeId};
use summa_cfa::{Cfa, EdgeId, ErrorKind, Op};

define_id! {
    ArrayCellId = "cell";
}

/// More cells of one array are not worth the branches that they cost.
const CELLS_PER_ARRAY: usize = 4;
/// Nothing flows into more cells than these.
const FLOWING_CELLS: usize = 16;
/// Doomed branches with more index variables than this get no cells.
const CHOSEN_NUMBERS: usize = 6;
/// The bounds of indices are used if one of these, for all chosen numbers, is within them.
const WITNESSES: std::ops::Range<i128> = 0..20;

/// One element of an array, at an index that never changes.
pub(super) struct ArrayCell {
    array: ArrayId,
    /// For each dimension an index over chosen numbers.
    pub(super) indices: Vec<ExprId>,
    /// What the element holds.
    pub(super) var: VarId,
}

/// The cells of a program, and the places where chosen numbers must equal the variables that they stand for.
pub(super) struct Choice {
    pub(super) chosen: Vec<VarId>,
    pub(super) cells: IdVec<ArrayCellId, ArrayCell>,
    pub(super) by_array: IdMap<ArrayId, Vec<ArrayCellId>>,
    /// For doomed branches: the condition under which executions must be able to go on. For bad constants of
    /// flags: the condition under which they are written.
    pub(super) required: FxHashMap<EdgeId, Required>,
    /// Conditions on chosen numbers for the whole run.
    pub(super) bounds: Vec<ExprId>,
}

/// The demand on executions that pass a doomed branch or set a flag: if `reads` are within their rows,
/// `equations` must hold.
pub(super) struct Required {
    /// Chosen numbers equal the variables that they stand for.
    pub(super) equations: Vec<ExprId>,
    /// The elements that were read.
    pub(super) reads: Vec<Access>,
}

/// Where numbers are chosen: a doomed branch, or an edge that sets a flag.
struct Site {
    edge: EdgeId,
    /// The elements that are read before it.
    reads: Vec<Read>,
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
        let mut everywhere: Option<Vec<ArrayCellId>> = None;
        for site in sites(cfa, arrays, counts) {
            let cells = chooser.choose_at(&site);
            if chooser.choice.required.contains_key(&site.edge) {
                let so_far = everywhere.take().unwrap_or_else(|| cells.clone());
                everywhere = Some(so_far.into_iter().filter(|cell| cells.contains(cell)).collect());
            }
        }
        chooser.flow(&flows(cfa, arrays));
        chooser.bound(&everywhere.unwrap_or_default());
        chooser.choice
    }

    /// Is there a bad constant whose write has a demand on the chosen numbers?
    pub(super) fn has_flags(&self, cfa: &Cfa) -> bool {
        cfa.edges
            .iter()
            .any(|(edge, data)| self.required.contains_key(&edge) && !matches!(data.op, Op::Assume { .. }))
    }
}

/// Where numbers are chosen. An execution passes one of the branches at most, those behind another one are
/// like any other branch; and if it fails by a flag, then by nothing else.
fn sites(cfa: &Cfa, arrays: &Arrays, counts: &dyn Fn(ErrorKind) -> bool) -> Vec<Site> {
    let doomed = doomed_branches(cfa, arrays, counts);
    let mut flags = flags(cfa, counts);
    let by_flags = flags.iter().flat_map(|flag| &flag.doomed).flat_map(|(_, behind)| behind);
    let by_reads = doomed.iter().flat_map(|(_, behind)| behind);
    let behind: IdSet<EdgeId> = by_flags.chain(by_reads).copied().collect();
    let is_other = |edge: EdgeId| behind.contains(edge) || doomed.iter().any(|(site, _)| site.edge == edge);
    flags.retain(|flag| !flag.doomed.iter().any(|&(edge, _)| is_other(edge)));
    let branches = doomed.into_iter().map(|(site, _)| site).filter(|site| !behind.contains(site.edge));
    let sets = flags.iter().flat_map(|flag| &flag.sets).filter_map(|&edge| Site::at(cfa, arrays, edge));
    branches.chain(sets).collect()
}

/// The branches with reads before them after which nothing but an error follows, and the edges behind each.
fn doomed_branches(
    cfa: &Cfa,
    arrays: &Arrays,
    counts: &dyn Fn(ErrorKind) -> bool,
) -> Vec<(Site, Vec<EdgeId>)> {
    let branches = cfa.edges.iter().filter(|(_, edge)| matches!(edge.op, Op::Assume { .. }));
    let doomed = |edge| Some((Site::at(cfa, arrays, edge)?, doom(cfa, edge, counts)?));
    branches.filter_map(|(edge, _)| doomed(edge)).collect()
}

impl Site {
    /// None if nothing is read before the edge.
    fn at(cfa: &Cfa, arrays: &Arrays, edge: EdgeId) -> Option<Self> {
        let reads = reads_before(cfa, arrays, cfa.edges[edge].from);
        (!reads.is_empty()).then_some(Self { edge, reads })
    }
}

struct Chooser<'a> {
    cfa: &'a Cfa,
    program: &'a mut Program,
    arrays: &'a Arrays,
    constants: &'a Constants,
    /// The n-th chosen number of a type.
    numbers: FxHashMap<(TypeId, usize), VarId>,
    known: FxHashMap<(ArrayId, Vec<ExprId>), ArrayCellId>,
    choice: Choice,
}

impl Chooser<'_> {
    /// Makes the cells of a branch and requires that it is passed with their indices; the same where a flag
    /// is set.
    fn choose_at(&mut self, site: &Site) -> Vec<ArrayCellId> {
        let mut rewriting = Rewriting::default();
        let mut counts: FxHashMap<TypeId, usize> = FxHashMap::default();
        let mut numbers: Vec<(VarId, VarId)> = Vec::new();
        let mut constant: IdSet<VarId> = IdSet::new();
        let mut cells = Vec::new();
        for read in &site.reads {
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
                let number = match self.constants.at(self.cfa, var, self.cfa.edges[site.edge].from) {
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
            let reads = site.reads.iter().map(access).collect();
            self.choice.required.insert(site.edge, Required { equations, reads });
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

    fn cell(&mut self, array: ArrayId, indices: Vec<ExprId>) -> Option<ArrayCellId> {
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
        let cell = self.choice.cells.push(ArrayCell { array, indices: indices.clone(), var });
        siblings.push(cell);
        self.known.insert((array, indices), cell);
        Some(cell)
    }

    /// Makes cells of the elements that flow into cells, and so on.
    fn flow(&mut self, flows: &[Flow]) {
        let mut next = 0;
        while next < self.choice.cells.len().min(FLOWING_CELLS) {
            let ArrayCell { array, indices, .. } = &self.choice.cells[ArrayCellId::from_index(next)];
            let (array, indices) = (*array, indices.clone());
            for flow in flows.iter().filter(|flow| flow.into.array == array) {
                for (source, indices) in flow.sources(self.program, &indices) {
                    self.cell(source, indices);
                }
            }
            next += 1;
        }
    }

    /// Elements that are read exist: an index that is none ends the execution, and of one that leaves its row
    /// nothing is required. So the indices of cells that every doomed branch reads are within bounds from the
    /// start. Other executions need some numbers that are allowed too.
    fn bound(&mut self, everywhere: &[ArrayCellId]) {
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
