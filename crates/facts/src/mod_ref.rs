//! Which variables and which memory a function may read and write, including all functions that it calls.
//!
//! One summary per strongly connected part of the call graph, callees first; so recursion needs no iteration.
//! Variables of the function's own frame are left out, because no other function can name them. They are
//! still included if they share a class with something that is accessed through a pointer: the access may
//! then mean an older frame.
//!
//! Paper: Cooper, Kennedy, *Interprocedural side-effect analysis in linear time*, PLDI 1988 (aliases by
//! points-to).

use crate::call_graph::CallGraph;
use crate::effects::{Effect, Effects};
use crate::points_to::{ClassId, PointsTo};
use summa_base::IdSet;
use summa_c::tree::{FuncId, VarId};
use summa_cfa::syntax::{Base, base};
use summa_cfa::{Cfa, EdgeId, Op};

/// Variables, by name or through pointers, and the classes of memory that pointers can lead to. A variable
/// whose address is taken appears in both.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    pub variables: IdSet<VarId>,
    pub classes: IdSet<ClassId>,
}

impl Access {
    pub fn union_with(&mut self, other: &Self) {
        self.variables.union_with(&other.variables);
        self.classes.union_with(&other.classes);
    }

    pub fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.classes.is_empty()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ModRef {
    pub reads: Access,
    pub writes: Access,
}

impl ModRef {
    pub fn union_with(&mut self, other: &Self) {
        self.reads.union_with(&other.reads);
        self.writes.union_with(&other.writes);
    }

    /// Read or written.
    pub fn touched(&self) -> IdSet<VarId> {
        let mut all = self.reads.variables.clone();
        all.union_with(&self.writes.variables);
        all
    }

    pub fn touched_classes(&self) -> IdSet<ClassId> {
        let mut all = self.reads.classes.clone();
        all.union_with(&self.writes.classes);
        all
    }
}

#[derive(Debug)]
pub struct ModRefs {
    /// By number of the strongly connected part.
    summaries: Vec<ModRef>,
    nothing: ModRef,
}

impl ModRefs {
    pub fn new(cfa: &Cfa, effects: &Effects, calls: &CallGraph, points_to: &PointsTo) -> Self {
        let mut summaries: Vec<ModRef> = Vec::with_capacity(calls.sccs.len());
        for (number, group) in calls.sccs.iter().enumerate() {
            let mut collector = Collector::new(cfa, points_to);
            for automaton in group.iter().filter_map(|&function| cfa.automaton(function)) {
                automaton.edge_ids().for_each(|edge| collector.edge(effects, edge));
            }
            let mut summary = collector.finish(&|var| cfa.program.vars[var].kind.is_static());
            let mut below: Vec<usize> = group
                .iter()
                .flat_map(|&f| calls.callees(f))
                .filter_map(|&callee| calls.scc_of(callee))
                .collect();
            below.sort_unstable();
            below.dedup();
            for callee in below.into_iter().filter(|&callee| callee != number) {
                if let Some(callee) = summaries.get(callee) {
                    summary.union_with(callee);
                }
            }
            summaries.push(summary);
        }
        Self { summaries, nothing: ModRef::default() }
    }

    /// What the function and its callees may do that others can notice; nothing for functions without an
    /// automaton, whose effects are those of the edges that call them.
    pub fn of(&self, calls: &CallGraph, function: FuncId) -> &ModRef {
        calls.scc_of(function).and_then(|number| self.summaries.get(number)).unwrap_or(&self.nothing)
    }
}

/// Gathers the effects of edges, without those of the functions that they call.
pub(crate) struct Collector<'a> {
    cfa: &'a Cfa,
    points_to: &'a PointsTo,
    all: ModRef,
    /// Classes accessed through pointers, reads and writes: all their variables may be meant.
    through: [IdSet<ClassId>; 2],
}

impl<'a> Collector<'a> {
    pub(crate) fn new(cfa: &'a Cfa, points_to: &'a PointsTo) -> Self {
        Self { cfa, points_to, all: ModRef::default(), through: Default::default() }
    }

    pub(crate) fn edge(&mut self, effects: &Effects, edge: EdgeId) {
        let points_to = self.points_to;
        // Parameters and results of the callee belong to a frame that is not there yet or gone: only memory
        // counts.
        let is_call = matches!(self.cfa.edge(edge).op, Op::Call { .. });
        for &effect in effects.of(edge) {
            match effect {
                Effect::Deref(_) | Effect::Partial(_) | Effect::Address(_) | Effect::Call(_) => {}
                Effect::Read(place) => match base(&self.cfa.program.exprs, place) {
                    Base::Variable(var) => self.read(var, points_to.of_place(place)),
                    Base::Pointer(_) => self.through[0].extend(points_to.of_place(place).iter().copied()),
                },
                Effect::Write(place) => match base(&self.cfa.program.exprs, place) {
                    Base::Variable(var) => self.write(var, points_to.of_place(place)),
                    Base::Pointer(_) => self.through[1].extend(points_to.of_place(place).iter().copied()),
                },
                Effect::ReadVar(var) | Effect::WriteVar(var) if is_call && !self.is_own(edge, var) => {
                    let pointed_to =
                        points_to.of_var(var).iter().filter(|&&class| points_to.is_pointed_to(class));
                    self.all.writes.classes.extend(pointed_to.copied());
                }
                Effect::ReadVar(var) => self.read(var, points_to.of_var(var)),
                Effect::WriteVar(var) | Effect::Lifetime(var) => self.write(var, points_to.of_var(var)),
                Effect::ReadMemory(pointer) => {
                    self.through[0].extend(points_to.target_objects(pointer).iter().copied());
                }
                Effect::WriteMemory(pointer) => {
                    self.through[1].extend(points_to.target_objects(pointer).iter().copied());
                }
                Effect::ReadVariadic(list) => {
                    let lists = points_to.target_objects(list).iter();
                    let arguments = lists.filter_map(|&class| points_to.content(class));
                    self.through[0].extend(arguments.flat_map(|class| points_to.siblings(class)).copied());
                }
                Effect::Escape(value) => {
                    if points_to.holds_address(&self.cfa.program, value) {
                        let unknown = points_to.siblings(points_to.unknown());
                        self.through.iter_mut().for_each(|classes| classes.extend(unknown.iter().copied()));
                    }
                }
                Effect::Allocate => {
                    let made =
                        points_to.of_allocation(edge).map_or(&[][..], |class| points_to.siblings(class));
                    self.all.writes.classes.extend(made.iter().copied());
                }
            }
        }
    }

    /// Does the variable belong to the frame that takes the edge, or to static storage?
    fn is_own(&self, edge: EdgeId, var: VarId) -> bool {
        let function = self.cfa.nodes[self.cfa.edge(edge).from].function;
        self.cfa.program.vars[var].kind.frame().is_none_or(|frame| frame == function)
    }

    fn read(&mut self, var: VarId, classes: &[ClassId]) {
        self.all.reads.variables.insert(var);
        self.all.reads.classes.extend(classes.iter().copied().filter(|&c| self.points_to.is_pointed_to(c)));
    }

    fn write(&mut self, var: VarId, classes: &[ClassId]) {
        self.all.writes.variables.insert(var);
        self.all.writes.classes.extend(classes.iter().copied().filter(|&c| self.points_to.is_pointed_to(c)));
    }

    /// Variables accessed by name are kept if `is_visible`.
    pub(crate) fn finish(mut self, is_visible: &dyn Fn(VarId) -> bool) -> ModRef {
        for (access, through) in [&mut self.all.reads, &mut self.all.writes].into_iter().zip(&self.through) {
            access.variables = access.variables.iter().filter(|&var| is_visible(var)).collect();
            access.classes.union_with(through);
            for class in through.iter() {
                access.variables.extend(self.points_to.variables(class).iter().copied());
            }
        }
        self.all
    }
}
