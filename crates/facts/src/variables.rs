//! What variables are used for. Engines choose encodings and precisions by it.
//!
//! Integer variables are put into groups that share values: through assignments, comparisons, arguments and
//! results. What happens to one of a group counts for all. The classes nest: boolean-only ⊆ equality-only ⊆
//! add-only.
//!
//! Paper: Apel, Beyer, Friedberger, Raimondi, von Rhein, *Domain types: abstract-domain selection based on
//! variable usage*, HVC 2013. Limits: values that pass through memory are not followed, so a variable that
//! shares values with memory is in no class.

use crate::call_graph::CallGraph;
use crate::effects::{Effect, Effects};
use crate::loops::{Loop, Loops};
use crate::mod_ref::ModRefs;
use summa_base::{Id, IdMap, IdSet, IdVec, UnionFind, define_id};
use summa_c::tree::{BinaryOp, ExprId, ExprKind, Exprs, PlaceId, PlaceKind, Program, VarId, VarKind};
use summa_c::types::IntKind;
use summa_cfa::syntax::{Base, base, strip_casts, whole_variable};
use summa_cfa::{Cfa, EdgeId, Op};

#[derive(Clone, Debug, Default)]
pub struct Variables {
    /// The address of the variable or of a part of it becomes a value somewhere (`*&x` does not count).
    pub address_taken: IdSet<VarId>,
    /// Arrays, structs, unions.
    pub aggregates: IdSet<VarId>,
    /// Only ever 0, 1, or the outcome of a comparison, and only compared for equality.
    pub boolean_only: IdSet<VarId>,
    /// Only assigned and compared for equality, with constants and each other.
    pub equality_only: IdSet<VarId>,
    /// Besides that only added, subtracted, negated, ordered, and used as index.
    pub add_only: IdSet<VarId>,
    /// Changed in some loop only by constant steps, and compared where that loop ends.
    pub loop_counters: IdSet<VarId>,
}

impl Variables {
    pub fn new(cfa: &Cfa, effects: &Effects, calls: &CallGraph, mod_refs: &ModRefs, loops: &Loops) -> Self {
        let program = &cfa.program;
        let address_taken = address_taken(cfa, effects);
        let is_aggregate = |var: &VarId| program.types.is_aggregate(program.vars[*var].ty);
        let aggregates = program.vars.ids().filter(is_aggregate).collect();
        let mut uses = Uses::new(program, &address_taken);
        cfa.edges.ids().for_each(|edge| uses.edge(cfa, edge));
        let mut all = Self { aggregates, ..Self::default() };
        for var in program.vars.ids().filter(|&var| uses.is_candidate(var)) {
            let found = uses.of(var);
            let boolean = found & (NUMBER | ADDED | OTHER) == 0;
            let equality = boolean || found & (ADDED | NARROWED | OTHER) == 0;
            let add = equality || found & (NARROWED | OTHER) == 0;
            let sets = [&mut all.boolean_only, &mut all.equality_only, &mut all.add_only];
            for (set, _) in sets.into_iter().zip([boolean, equality, add]).filter(|&(_, belongs)| belongs) {
                set.insert(var);
            }
        }
        let counters = Counters::new(cfa, effects, calls, mod_refs);
        for each in loops.loops.values() {
            all.loop_counters.extend(counters.of(each).into_iter().filter(|&var| uses.is_candidate(var)));
        }
        all.address_taken = address_taken;
        all
    }
}

/// The variables that pointers may lead to.
pub fn address_taken(cfa: &Cfa, effects: &Effects) -> IdSet<VarId> {
    let all = cfa.edges.ids().flat_map(|edge| effects.of(edge));
    all.filter_map(|&effect| match effect {
        Effect::Address(place) => match base(&cfa.program.exprs, place) {
            Base::Variable(var) => Some(var),
            Base::Pointer(_) => None,
        },
        _ => None,
    })
    .collect()
}

// ---- groups of variables that share values ----

define_id! {
    Group = "group";
}

// What happens to the values of a group.
/// Values may be other than 0 and 1.
const NUMBER: u8 = 1;
/// Addition, subtraction, negation, order; use as an index.
const ADDED: u8 = 2;
/// Conversion to an integer type that does not keep all values; it does keep 0 and 1.
const NARROWED: u8 = 4;
/// Anything else, or unknown.
const OTHER: u8 = 8;

struct Uses<'a> {
    program: &'a Program,
    address_taken: &'a IdSet<VarId>,
    groups: UnionFind<Group>,
    /// By group; valid for representatives. The first groups are those of the variables, in order.
    found: IdVec<Group, u8>,
    /// Expressions whose values become part of the group's.
    todo: Vec<(ExprId, Group)>,
}

impl<'a> Uses<'a> {
    fn new(program: &'a Program, address_taken: &'a IdSet<VarId>) -> Self {
        let (mut groups, mut found) = (UnionFind::new(), IdVec::new());
        for _ in program.vars.ids() {
            groups.push();
            found.push(0);
        }
        Self { program, address_taken, groups, found, todo: Vec::new() }
    }

    fn is_candidate(&self, var: VarId) -> bool {
        let info = &self.program.vars[var];
        self.program.types.is_integer(info.ty) && !info.is_volatile && !self.address_taken.contains(var)
    }

    fn of(&self, var: VarId) -> u8 {
        self.found[self.groups.root(Group::from_index(var.index()))]
    }

    fn group_of(&self, var: VarId) -> Option<Group> {
        self.is_candidate(var).then(|| Group::from_index(var.index()))
    }

    fn mark(&mut self, group: Group, what: u8) {
        let group = self.groups.find(group);
        self.found[group] |= what;
    }

    fn new_group(&mut self, what: u8) -> Group {
        self.found.push(what);
        self.groups.push()
    }

    fn union(&mut self, a: Group, b: Group) {
        if let Some((kept, absorbed)) = self.groups.union(a, b) {
            self.found[kept] |= self.found[absorbed];
        }
    }

    fn edge(&mut self, cfa: &Cfa, edge: EdgeId) {
        let program = self.program;
        match cfa.edge(edge).op {
            Op::Skip | Op::Declare { .. } | Op::Dead { .. } => {}
            Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assume { condition, .. } => self.value_into(condition, None, 0),
            Op::Assign { place, value } => {
                let target = self.target(place);
                self.value_into(value, target, OTHER);
            }
            Op::Zero { place } => {
                self.target(place);
            }
            Op::Havoc { place, .. } => {
                let is_bool = program.types.int_kind(program.exprs.place(place).ty) == Some(IntKind::Bool);
                if let Some(group) = self.target(place)
                    && !is_bool
                {
                    self.mark(group, NUMBER);
                }
            }
            Op::Return { value } => {
                let result = program.functions[cfa.nodes[cfa.edge(edge).from].function].result;
                let target = result.and_then(|var| self.group_of(var));
                if let Some(value) = value {
                    self.value_into(value, target, OTHER);
                }
            }
            Op::Call { result, callee, ref args } => {
                let callee = &program.functions[callee];
                for (i, &arg) in args.iter().enumerate() {
                    let target = callee.params.get(i).and_then(|&param| self.group_of(param));
                    self.value_into(arg, target, OTHER);
                }
                if let (Some(place), Some(var)) = (result, callee.result) {
                    match (self.target(place), self.group_of(var)) {
                        (Some(a), Some(b)) => self.union(a, b),
                        (a, b) => a.into_iter().chain(b).for_each(|group| self.mark(group, OTHER)),
                    }
                }
            }
            Op::Library { result, ref args, .. } | Op::External { result, ref args, .. } => {
                args.iter().for_each(|&arg| self.value_into(arg, None, OTHER));
                if let Some(group) = result.and_then(|place| self.target(place)) {
                    self.mark(group, OTHER);
                }
            }
        }
    }

    /// The group of the variable that the place is; None for memory. Also visits the parts of the address.
    fn target(&mut self, place: PlaceId) -> Option<Group> {
        if let Some(var) = whole_variable(&self.program.exprs, place) {
            return self.group_of(var);
        }
        self.address(place);
        self.run();
        None
    }

    /// The value goes to the group; if that is None, to a place where `otherwise` happens to it.
    fn value_into(&mut self, value: ExprId, target: Option<Group>, otherwise: u8) {
        let group = target.unwrap_or_else(|| self.new_group(otherwise));
        self.todo.push((value, group));
        self.run();
    }

    fn address(&mut self, mut place: PlaceId) {
        loop {
            match self.program.exprs.place(place).kind {
                PlaceKind::Var(_) => return,
                PlaceKind::Field(inner, _) => place = inner,
                PlaceKind::Index(inner, index) => {
                    let group = self.new_group(ADDED);
                    self.todo.push((index, group));
                    place = inner;
                }
                PlaceKind::Deref(pointer) => {
                    let group = self.new_group(OTHER);
                    self.todo.push((pointer, group));
                    return;
                }
            }
        }
    }

    fn run(&mut self) {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        while let Some((value, group)) = self.todo.pop() {
            match exprs.expr(value).kind {
                ExprKind::Int(0 | 1) => {}
                ExprKind::Int(_) => self.mark(group, NUMBER),
                ExprKind::Float(_) | ExprKind::Function(_) => self.mark(group, OTHER),
                ExprKind::Load(place) => {
                    match whole_variable(exprs, place).and_then(|var| self.group_of(var)) {
                        Some(other) => self.union(group, other),
                        None => self.mark(group, OTHER),
                    }
                    self.address(place);
                }
                ExprKind::Addr(place) => {
                    self.mark(group, OTHER);
                    self.address(place);
                }
                ExprKind::Unary(op, inner) => {
                    use summa_c::tree::UnaryOp::{BitNot, Neg};
                    self.mark(
                        group,
                        match op {
                            Neg => ADDED,
                            BitNot => OTHER,
                        },
                    );
                    self.todo.push((inner, group));
                }
                ExprKind::Cast(inner) => {
                    let (from, to) = (exprs.type_of(inner), exprs.type_of(value));
                    if types.int_kind(to) == Some(IntKind::Bool) {
                        // A comparison with zero: the value itself stays behind.
                        let compared = self.new_group(if types.is_integer(from) { 0 } else { OTHER });
                        self.todo.push((inner, compared));
                        continue;
                    }
                    if !types.keeps_values(from, to) {
                        // 0 and 1 survive any conversion between integers.
                        let is_integer = types.is_integer(from) && types.is_integer(to);
                        self.mark(group, if is_integer { NARROWED } else { OTHER });
                    }
                    self.todo.push((inner, group));
                }
                ExprKind::Binary(op, left, right) => {
                    use BinaryOp::*;
                    match op {
                        Eq | Ne | Lt | Le | Gt | Ge => {
                            let compared = self.new_group(if matches!(op, Eq | Ne) { 0 } else { ADDED });
                            self.todo.extend([(left, compared), (right, compared)]);
                        }
                        Add | Sub => {
                            self.mark(group, ADDED);
                            self.todo.extend([(left, group), (right, group)]);
                        }
                        Mul | Div | Rem | And | Or | Xor | Shl | Shr | PtrAdd | PtrSub | PtrDiff => {
                            self.mark(group, OTHER);
                            self.todo.extend([(left, group), (right, group)]);
                        }
                    }
                }
            }
        }
    }
}

// ---- loop counters ----

struct Counters<'a> {
    cfa: &'a Cfa,
    effects: &'a Effects,
    calls: &'a CallGraph,
    mod_refs: &'a ModRefs,
    /// Intermediate values that are copies of a variable, as in `t = i; i = t + 1;` for `i++`.
    copies: IdMap<VarId, Option<VarId>>,
}

impl<'a> Counters<'a> {
    fn new(cfa: &'a Cfa, effects: &'a Effects, calls: &'a CallGraph, mod_refs: &'a ModRefs) -> Self {
        let (exprs, vars) = (&cfa.program.exprs, &cfa.program.vars);
        let mut copies: IdMap<VarId, Option<VarId>> = IdMap::with_len(vars.len(), None);
        let mut writes: IdMap<VarId, u32> = IdMap::with_len(vars.len(), 0);
        for edge in cfa.edges.ids() {
            for &effect in effects.of(edge) {
                let written = match effect {
                    Effect::Write(place) => whole_variable(exprs, place),
                    _ => None,
                };
                let Some(temp) = written.filter(|&var| matches!(vars[var].kind, VarKind::Temp(_))) else {
                    continue;
                };
                writes[temp] += 1;
                copies[temp] = match cfa.edge(edge).op {
                    Op::Assign { value, .. } if writes[temp] == 1 => loaded(exprs, value),
                    _ => None,
                };
            }
        }
        Self { cfa, effects, calls, mod_refs, copies }
    }

    fn of(&self, each: &Loop) -> Vec<VarId> {
        let (cfa, exprs) = (self.cfa, &self.cfa.program.exprs);
        let mut compared = IdSet::new();
        for &exit in each.exits.iter().filter(|&&exit| matches!(cfa.edge(exit).op, Op::Assume { .. })) {
            for &effect in self.effects.of(exit) {
                if let Effect::Read(place) = effect {
                    compared.extend(whole_variable(exprs, place).map(|var| self.copies[var].unwrap_or(var)));
                }
            }
        }
        let (mut stepped, mut otherwise) = (IdSet::new(), IdSet::new());
        let leaving = each.body.iter().flat_map(|&node| cfa.leaving(node));
        for &edge in leaving.filter(|&&edge| each.contains(cfa.edge(edge).to)) {
            let step = match cfa.edge(edge).op {
                Op::Assign { place, value } => {
                    whole_variable(exprs, place).filter(|&var| self.is_step(var, value))
                }
                _ => None,
            };
            stepped.extend(step);
            for &effect in self.effects.of(edge) {
                match effect {
                    Effect::Write(place) => {
                        otherwise.extend(whole_variable(exprs, place).filter(|&var| Some(var) != step));
                    }
                    Effect::WriteVar(var) | Effect::Lifetime(var) => otherwise.extend([var]),
                    Effect::Call(callee) => {
                        otherwise.union_with(&self.mod_refs.of(self.calls, callee).writes.variables);
                    }
                    // Through pointers: the variables that those reach are no candidates.
                    _ => {}
                }
            }
        }
        compared.iter().filter(|&var| stepped.contains(var) && !otherwise.contains(var)).collect()
    }

    /// Is the value the variable plus or minus a constant, up to conversions?
    fn is_step(&self, var: VarId, value: ExprId) -> bool {
        let exprs = &self.cfa.program.exprs;
        let is_var = |expr| loaded(exprs, expr).is_some_and(|v| v == var || self.copies[v] == Some(var));
        let is_constant = |expr| exprs.as_int(strip_casts(exprs, expr)).is_some_and(|step| step != 0);
        match exprs.expr(strip_casts(exprs, value)).kind {
            ExprKind::Binary(BinaryOp::Add, left, right) => {
                is_var(left) && is_constant(right) || is_constant(left) && is_var(right)
            }
            ExprKind::Binary(BinaryOp::Sub, left, right) => is_var(left) && is_constant(right),
            _ => false,
        }
    }
}

/// The variable whose value the expression is, up to conversions.
fn loaded(exprs: &Exprs, expr: ExprId) -> Option<VarId> {
    match exprs.expr(strip_casts(exprs, expr)).kind {
        ExprKind::Load(place) => whole_variable(exprs, place),
        _ => None,
    }
}
