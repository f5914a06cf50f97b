//! Which objects are arrays that cells can represent: objects with which nothing happens but reads and writes
//! of single elements.
//!
//! An array is a variable of array type, or an object that a pointer variable gets from an allocation and
//! shares with no other pointer. Other pointers (mostly parameters) may lead to its first element if they
//! never lead to anything else: then what they point to is an element of this array. Any other use of an
//! array or of such a pointer disqualifies it, together with everything that shares values with it: its
//! address is stored elsewhere, the library reads it, or a pointer walks through it.
//!
//! Limits: elements are numbers, and no pieces of addresses, because no analysis knows everything that "any
//! pointer" may point to. An array of a recursive function has more than one life at a time and is left
//! alone.

use super::rows::row;
use summa_base::{FxHashMap, Id, IdSet, IdVec, UnionFind, define_id};
use summa_c::tree::{BinaryOp, ExprId, ExprKind, Exprs, PlaceId, PlaceKind, Program, VarId, VarKind};
use summa_c::types::{ArrayLen, Type, TypeId, Types};
use summa_cfa::LibFn;
use summa_cfa::syntax::strip_casts;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_facts::Analyses;
use summa_facts::effects::{Touch, touched};

define_id! {
    ArrayId = "array";
    /// A candidate, by the number of its variable.
    Member = "member";
}

pub(super) struct Array {
    /// The array itself, or the pointer that gets it from an allocation.
    pub(super) var: VarId,
    pub(super) element: TypeId,
    /// Outermost first.
    pub(super) lengths: Vec<ArrayLen>,
}

/// An element: the array and an index for each dimension.
pub(super) struct Access {
    pub(super) array: ArrayId,
    pub(super) indices: Vec<ExprId>,
}

pub(super) struct Arrays {
    pub(super) all: IdVec<ArrayId, Array>,
    /// Arrays and the pointers that lead to their first elements.
    by_var: FxHashMap<VarId, ArrayId>,
    /// The index 0.
    zero: ExprId,
}

impl Arrays {
    /// The arrays of a program; a new constant may become part of `program`, which is a copy of the
    /// automata's.
    pub(super) fn find(cfa: &Cfa, facts: &Analyses, program: &mut Program) -> Self {
        let index = program.types.ptrdiff_t;
        let zero = program.exprs.int(&program.types, index, 0);
        let mut scan = Scan::new(cfa, facts);
        for (edge, data) in cfa.edges.iter() {
            if facts.calls.reachable.contains(cfa.nodes[data.from].function) {
                scan.edge(edge);
                scan.look();
            }
        }
        let mut arrays = Self { all: IdVec::new(), by_var: FxHashMap::default(), zero };
        for members in scan.groups() {
            let Some(&(var, element, ref lengths)) = members.origin.as_ref() else { continue };
            let array = arrays.all.push(Array { var, element, lengths: lengths.clone() });
            arrays.by_var.extend(members.vars.into_iter().map(|member| (member, array)));
        }
        arrays
    }

    /// The element that a place is.
    pub(super) fn access(&self, program: &Program, place: PlaceId) -> Option<Access> {
        let (var, indices) = element(program, place)?;
        let &array = self.by_var.get(&var)?;
        let indices = if indices.is_empty() { vec![self.zero] } else { indices };
        Some(Access { array, indices })
    }

    /// The array that a variable is, or is the pointer to since its allocation.
    pub(super) fn origin(&self, var: VarId) -> Option<ArrayId> {
        self.by_var.get(&var).copied().filter(|&array| self.all[array].var == var)
    }
}

/// The variable and the indices of a scalar element: `a[i][j]`, `p[i]`, and `*p` without an index.
fn element(program: &Program, mut place: PlaceId) -> Option<(VarId, Vec<ExprId>)> {
    let exprs = &program.exprs;
    if !program.types.is_scalar(exprs.place(place).ty) {
        return None;
    }
    let mut indices = Vec::new();
    loop {
        match exprs.place(place).kind {
            PlaceKind::Var(var) => {
                indices.reverse();
                return (!indices.is_empty()).then_some((var, indices));
            }
            PlaceKind::Index(array, index) => {
                indices.push(index);
                place = array;
            }
            PlaceKind::Deref(pointer) if indices.is_empty() => {
                return match exprs.expr(pointer).kind {
                    ExprKind::Binary(BinaryOp::PtrAdd, pointer, index) => {
                        Some((loaded_variable(exprs, pointer)?, vec![index]))
                    }
                    _ => Some((loaded_variable(exprs, pointer)?, Vec::new())),
                };
            }
            PlaceKind::Deref(pointer) => {
                let row = row(program, pointer)?;
                indices.extend(row.indices.into_iter().rev());
                indices.reverse();
                return Some((row.var, indices));
            }
            PlaceKind::Field(..) => return None,
        }
    }
}

fn loaded_variable(exprs: &Exprs, value: ExprId) -> Option<VarId> {
    let ExprKind::Load(place) = exprs.expr(value).kind else { return None };
    match exprs.place(place).kind {
        PlaceKind::Var(var) => Some(var),
        _ => None,
    }
}

/// Variables that lead to one array.
struct Group {
    vars: Vec<VarId>,
    /// The array, with type and lengths of its elements; None if something is wrong with the group.
    origin: Option<(VarId, TypeId, Vec<ArrayLen>)>,
}

/// Looks at every use of every candidate.
struct Scan<'a> {
    cfa: &'a Cfa,
    facts: &'a Analyses,
    candidates: IdSet<VarId>,
    bad: IdSet<VarId>,
    /// Pointers that get objects from allocations.
    allocated: IdSet<VarId>,
    /// Those pointers among them that may get more than one array.
    repeated: IdSet<VarId>,
    /// The second always points to the first element of the first, or of what the first points to.
    flows: Vec<(VarId, VarId)>,
    readers: FxHashMap<VarId, u32>,
    /// Variables that only allocations write.
    fresh: IdSet<VarId>,
    /// Variables whose life begins where the program says so.
    declared: IdSet<VarId>,
    /// To be looked at.
    values: Vec<ExprId>,
}

impl<'a> Scan<'a> {
    fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        let mut scan = Self {
            cfa,
            facts,
            candidates: IdSet::new(),
            bad: IdSet::new(),
            allocated: IdSet::new(),
            repeated: IdSet::new(),
            flows: Vec::new(),
            readers: FxHashMap::default(),
            fresh: IdSet::new(),
            declared: IdSet::new(),
            values: Vec::new(),
        };
        scan.count_uses();
        scan.candidates = cfa.program.vars.ids().filter(|&var| scan.is_candidate(var)).collect();
        scan
    }

    fn count_uses(&mut self) {
        let exprs = &self.cfa.program.exprs;
        let mut others: IdSet<VarId> = IdSet::new();
        for (edge, data) in self.cfa.edges.iter() {
            let allocates = matches!(data.op, Op::Library { model: LibFn::Malloc | LibFn::Calloc, .. });
            for &effect in self.facts.effects.of(edge) {
                match touched(exprs, effect) {
                    Some((Touch::Read | Touch::Address, var)) => *self.readers.entry(var).or_default() += 1,
                    Some((Touch::Write, var)) if allocates => {
                        self.fresh.insert(var);
                    }
                    Some((Touch::Write | Touch::Receive, var)) => {
                        others.insert(var);
                    }
                    None => {}
                }
            }
        }
        self.fresh.subtract(&others);
    }

    fn is_candidate(&self, var: VarId) -> bool {
        let (program, variable) = (&self.cfa.program, &self.cfa.program.vars[var]);
        let is_kind = matches!(
            variable.kind,
            VarKind::Global | VarKind::Static(_) | VarKind::Local(_) | VarKind::Temp(_) | VarKind::Param(_)
        );
        if !is_kind || variable.is_volatile || variable.is_thread_local {
            return false;
        }
        match program.types.get(variable.ty) {
            Type::Array(..) => shape(&program.types, variable.ty).is_some(),
            Type::Pointer(target) => program.types.is_arithmetic(*target),
            Type::Void | Type::Int(_) | Type::Float(_) | Type::Function(_) | Type::Record(_) => false,
        }
    }

    /// Pieces of an address may lie in numbers too, and then the numbers are not all that is to be known of
    /// them.
    fn holds_addresses(&self, var: VarId) -> bool {
        let points_to = &self.facts.points_to;
        let mut classes = points_to.of_var(var).iter().copied();
        if self.is_array(var) {
            classes.any(|class| points_to.content(class).is_some())
        } else {
            classes
                .filter_map(|class| points_to.content(class))
                .any(|class| points_to.content(class).is_some())
        }
    }

    fn is_array(&self, var: VarId) -> bool {
        matches!(self.cfa.program.types.get(self.cfa.program.vars[var].ty), Type::Array(..))
    }

    fn begins(&self, var: VarId) -> bool {
        self.cfa.program.vars[var].kind.is_static() || self.declared.contains(var)
    }

    // ---- uses ----

    fn edge(&mut self, id: EdgeId) {
        let cfa = self.cfa;
        match &cfa.edges[id].op {
            Op::Skip | Op::Dead { .. } => {}
            Op::Declare { var } => {
                self.declared.insert(*var);
            }
            Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assign { place, value } => match cfa.program.exprs.place(*place).kind {
                PlaceKind::Var(var) if self.candidates.contains(var) => self.source(id, var, *value),
                _ => {
                    self.contents(*place);
                    self.value(*value);
                }
            },
            Op::Assume { condition, .. } => self.value(*condition),
            Op::Zero { place } => {
                // A null pointer leads nowhere.
                if !matches!(cfa.program.exprs.place(*place).kind, PlaceKind::Var(_)) {
                    self.contents(*place);
                }
            }
            Op::Havoc { place, .. } => match cfa.program.exprs.place(*place).kind {
                PlaceKind::Var(var) if self.is_array(var) => {}
                _ => self.contents(*place),
            },
            Op::Call { result, callee, args } => {
                result.iter().for_each(|&place| self.other(place));
                let params = &cfa.program.functions[*callee].params;
                for (number, &arg) in args.iter().enumerate() {
                    match params.get(number) {
                        Some(&param) if self.candidates.contains(param) => self.source(id, param, arg),
                        _ => self.value(arg),
                    }
                }
            }
            Op::Library { result, model, args, .. } => {
                result.iter().for_each(|&place| self.other(place));
                let is_free = *model == LibFn::Free;
                for &arg in args {
                    let pointer = loaded_variable(&cfa.program.exprs, strip_casts(&cfa.program.exprs, arg));
                    if !(is_free && pointer.is_some_and(|var| self.candidates.contains(var))) {
                        self.value(arg);
                    }
                }
            }
            Op::External { result, args, .. } => {
                result.iter().for_each(|&place| self.other(place));
                args.iter().for_each(|&arg| self.value(arg));
            }
            Op::Return { value } => value.iter().for_each(|&value| self.value(value)),
        }
    }

    /// The pointer gets this value.
    fn source(&mut self, edge: EdgeId, pointer: VarId, value: ExprId) {
        let exprs = &self.cfa.program.exprs;
        let inner = strip_casts(exprs, value);
        if exprs.as_int(inner) == Some(0) {
            return;
        }
        let is_promoted = self.cfa.promoted.contains_key(&edge);
        let temp = loaded_variable(exprs, inner);
        let is_only_reader = |var: &VarId| self.fresh.contains(*var) && self.readers.get(var) == Some(&1);
        if is_promoted || temp.is_some_and(|temp| is_only_reader(&temp)) {
            let is_new = self.allocated.insert(pointer);
            if !is_new || !self.facts.once.is_once(self.cfa, &self.facts.loops, edge) {
                self.repeated.insert(pointer);
            }
            return;
        }
        let from = match exprs.expr(value).kind {
            ExprKind::Addr(first) => match exprs.place(first).kind {
                PlaceKind::Index(array, zero) if exprs.as_int(zero) == Some(0) => {
                    match exprs.place(array).kind {
                        PlaceKind::Var(array) => Some(array),
                        _ => None,
                    }
                }
                _ => None,
            },
            _ => loaded_variable(exprs, value),
        };
        match from.filter(|&from| self.candidates.contains(from)) {
            Some(from) => self.flows.push((from, pointer)),
            None => {
                self.bad.insert(pointer);
                self.value(value);
            }
        }
    }

    fn value(&mut self, value: ExprId) {
        self.values.push(value);
    }

    /// Looks at all values that are still to be looked at.
    fn look(&mut self) {
        while let Some(value) = self.values.pop() {
            let exprs = &self.cfa.program.exprs;
            match exprs.expr(value).kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                ExprKind::Load(place) => self.contents(place),
                ExprKind::Addr(place) => self.other(place),
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => self.values.push(a),
                ExprKind::Binary(op, a, b) => {
                    // Whether a pointer is null says nothing about the array.
                    let is_null_test = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
                    let is_null = |side: ExprId| exprs.as_int(strip_casts(exprs, side)).is_some();
                    let is_pointer = |side: ExprId| {
                        loaded_variable(exprs, strip_casts(exprs, side))
                            .is_some_and(|var| !self.is_array(var))
                    };
                    if !(is_null_test && (is_null(a) && is_pointer(b) || is_null(b) && is_pointer(a))) {
                        self.values.extend([a, b]);
                    }
                }
            }
        }
    }

    /// The place is read or written.
    fn contents(&mut self, place: PlaceId) {
        let program = &self.cfa.program;
        let found = element(program, place);
        match found.filter(|&(var, _)| self.candidates.contains(var)) {
            Some((var, indices)) => {
                // Such a table may return the address, which a cell with "any value" does not.
                if indices.iter().any(|&index| self.facts.points_to.target(index).is_some()) {
                    self.bad.insert(var);
                }
                self.values.extend(indices);
            }
            None => self.other(place),
        }
    }

    /// Something else happens to the place.
    fn other(&mut self, mut place: PlaceId) {
        let exprs = &self.cfa.program.exprs;
        loop {
            match exprs.place(place).kind {
                PlaceKind::Var(var) => {
                    self.bad.insert(var);
                    break;
                }
                PlaceKind::Deref(pointer) => {
                    self.values.push(pointer);
                    break;
                }
                PlaceKind::Field(base, _) => place = base,
                PlaceKind::Index(base, index) => {
                    self.values.push(index);
                    place = base;
                }
            }
        }
    }

    // ---- what comes out ----

    fn groups(self) -> Vec<Group> {
        let program = &self.cfa.program;
        let mut sets: UnionFind<Member> = UnionFind::new();
        program.vars.ids().for_each(|_| {
            sets.push();
        });
        let member = |var: VarId| Member::from_index(var.index());
        for &(from, to) in &self.flows {
            sets.union(member(from), member(to));
        }
        let mut numbers: FxHashMap<Member, usize> = FxHashMap::default();
        let mut groups: Vec<Vec<VarId>> = Vec::new();
        for var in self.candidates.iter() {
            let number = *numbers.entry(sets.find(member(var))).or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            groups[number].push(var);
        }
        groups.into_iter().map(|vars| Group { origin: self.origin(&vars), vars }).collect()
    }

    /// The array of a group, if there is exactly one and nothing else happens to any of them.
    fn origin(&self, vars: &[VarId]) -> Option<(VarId, TypeId, Vec<ArrayLen>)> {
        let program = &self.cfa.program;
        if vars.iter().any(|&var| self.bad.contains(var) || self.holds_addresses(var)) {
            return None;
        }
        let mut origins =
            vars.iter().copied().filter(|&var| self.is_array(var) || self.allocated.contains(var));
        let (Some(var), None) = (origins.next(), origins.next()) else { return None };
        // A second object would be another one for those that still point to the first.
        if vars.len() > 1 && self.repeated.contains(var) {
            return None;
        }
        if matches!(program.vars[var].kind, VarKind::Param(_)) || self.is_array(var) && !self.begins(var) {
            return None;
        }
        let frame = program.vars[var].kind.frame();
        if frame.is_some_and(|function| self.facts.calls.is_recursive(function)) {
            return None;
        }
        let (element, lengths) = match program.types.get(program.vars[var].ty) {
            Type::Pointer(element) => (program.types.plain(*element), vec![ArrayLen::Unknown]),
            _ => shape(&program.types, program.vars[var].ty)?,
        };
        // Pointers to rows do not count, and no pointer sees elements of another type.
        let sees_elements = |&var: &VarId| match program.types.get(program.vars[var].ty) {
            Type::Pointer(target) => program.types.plain(*target) == element && lengths.len() == 1,
            _ => true,
        };
        vars.iter().all(sees_elements).then_some((var, element, lengths))
    }
}

/// Type of the elements and lengths of an array of scalars.
fn shape(types: &Types, mut ty: TypeId) -> Option<(TypeId, Vec<ArrayLen>)> {
    let mut lengths = Vec::new();
    while let Type::Array(element, length) = *types.get(ty) {
        lengths.push(length);
        ty = element;
    }
    types.is_arithmetic(ty).then_some((ty, lengths))
}
