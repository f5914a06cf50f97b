//! Does an execution depend on where objects lie? Compilers place them as they like, so such an execution
//! says nothing about others.
//!
//! Numbers made from pointers depend on addresses, and so does the order of pointers. The difference and the
//! order of two pointers do not if both lead into one object, as in the `s - str` of a `strlen` that is
//! written by hand, also where it is computed with numbers, as tools print it.
//!
//! Numbers are also made from pointers by members of a union, and through pointers to pointers that become
//! pointers to something else. So both count as dependent.
//!
//! Limits: difference and order are understood between variables. Anything else counts as dependent. A struct
//! with pointers whose bytes are read one by one is not noticed.

use summa_base::{FxHashMap, FxHashSet};
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Program, VarId};
use summa_c::types::{TypeId, Types};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_interp::{Observer, View};

/// What an edge computes with addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Something that depends on the pointers of two variables only by their distance.
    Distance(VarId, VarId),
    Other,
}

/// Watches an execution for values that depend on addresses.
pub(super) struct Addresses {
    uses: FxHashMap<EdgeId, Vec<Use>>,
    pub(super) matter: bool,
}

impl Addresses {
    pub(super) fn new(cfa: &Cfa) -> Self {
        let uses = cfa.edges.ids().map(|edge| (edge, uses_of(&cfa.program, &cfa.edge(edge).op)));
        Self { uses: uses.filter(|(_, uses)| !uses.is_empty()).collect(), matter: false }
    }

    /// Nothing in the program depends on addresses, whichever way it takes.
    pub(super) fn are_never_used(&self) -> bool {
        self.uses.is_empty()
    }
}

impl Observer for Addresses {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        let uses = self.uses.get(&edge).map_or(&[][..], Vec::as_slice);
        self.matter |= uses.iter().any(|&used| match used {
            Use::Distance(one, other) => !view.point_into_one_object(one, other),
            Use::Other => true,
        });
    }

    fn after(&mut self, _: EdgeId, _: &View<'_>) {}
}

fn uses_of(program: &Program, op: &Op) -> Vec<Use> {
    let (exprs, types) = (&program.exprs, &program.types);
    let is_pointer = |value: ExprId| types.is_pointer(exprs.type_of(value));
    let (mut values, mut places) = parts(op);
    let (mut seen, mut uses) = (FxHashSet::default(), Vec::new());
    loop {
        while let Some(place) = places.pop() {
            match exprs.place(place).kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Field(inner, _) => {
                    // One member of a union may be the number of the pointer that is another.
                    let is_number = types.is_integer(exprs.place(place).ty);
                    if is_number && is_union(types, exprs.place(inner).ty) {
                        uses.push(Use::Other);
                    }
                    places.push(inner);
                }
                PlaceKind::Index(inner, index) => {
                    places.push(inner);
                    values.push(index);
                }
                PlaceKind::Deref(pointer) => values.push(pointer),
            }
        }
        let Some(value) = values.pop() else { return uses };
        if !seen.insert(value) {
            continue;
        }
        match exprs.expr(value).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            ExprKind::Load(place) | ExprKind::Addr(place) => places.push(place),
            ExprKind::Cast(inner) => {
                let is_number = is_pointer(inner) && !is_pointer(value) && exprs.as_int(inner).is_none();
                if is_number || reads_pointers_as_numbers(program, inner, value) {
                    uses.push(Use::Other);
                }
                values.push(inner);
            }
            ExprKind::Unary(_, inner) => values.push(inner),
            ExprKind::Binary(op, a, b) => {
                use BinaryOp::{Ge, Gt, Le, Lt, Sub};
                let is_order = matches!(op, Lt | Le | Gt | Ge);
                let pointers = match (as_pointer(program, a), as_pointer(program, b)) {
                    (Some(a), Some(b)) if is_order || op == Sub => Some((a, b)),
                    _ => None,
                };
                match pointers.map(|(a, b)| (variable(program, a), variable(program, b))) {
                    Some((Some(one), Some(other))) => uses.push(Use::Distance(one, other)),
                    Some(_) => uses.push(Use::Other),
                    None => {
                        uses.extend((is_order && is_pointer(a)).then_some(Use::Other));
                        values.extend([a, b]);
                    }
                }
            }
        }
    }
}

fn is_union(types: &Types, ty: TypeId) -> bool {
    types.record_of(ty).is_some_and(|record| types.record(record).is_union)
}

/// Does the cast make a pointer to pointers one to numbers, or to memory of any type?
fn reads_pointers_as_numbers(program: &Program, from: ExprId, to: ExprId) -> bool {
    let (exprs, types) = (&program.exprs, &program.types);
    let pointee = |value: ExprId| types.pointee(exprs.type_of(value));
    let (Some(from), Some(to)) = (pointee(from), pointee(to)) else { return false };
    types.is_pointer(from) && !types.is_pointer(to)
}

/// The pointer, if the value is one, or is the number of one in its full width.
fn as_pointer(program: &Program, mut value: ExprId) -> Option<ExprId> {
    let (exprs, types) = (&program.exprs, &program.types);
    loop {
        let ty = exprs.type_of(value);
        if types.is_pointer(ty) {
            return Some(value);
        }
        let is_full = types.size_of(ty) == Some(types.model.pointer_size());
        match exprs.expr(value).kind {
            ExprKind::Cast(inner) if is_full => value = inner,
            _ => return None,
        }
    }
}

fn variable(program: &Program, mut pointer: ExprId) -> Option<VarId> {
    loop {
        match program.exprs.expr(pointer).kind {
            ExprKind::Cast(inner) if program.types.is_pointer(program.exprs.type_of(inner)) => {
                pointer = inner
            }
            ExprKind::Load(place) => match program.exprs.place(place).kind {
                PlaceKind::Var(var) => return Some(var),
                _ => return None,
            },
            _ => return None,
        }
    }
}

/// The values and places that an operation names itself.
fn parts(op: &Op) -> (Vec<ExprId>, Vec<PlaceId>) {
    match op {
        Op::Assign { place, value } => (vec![*value], vec![*place]),
        Op::Assume { condition, .. } => (vec![*condition], Vec::new()),
        Op::Return { value } => (value.iter().copied().collect(), Vec::new()),
        Op::Zero { place } | Op::Havoc { place, .. } => (Vec::new(), vec![*place]),
        Op::Call { result, args, .. }
        | Op::External { result, args, .. }
        | Op::Library { result, args, .. } => (args.clone(), result.iter().copied().collect()),
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. } => (Vec::new(), Vec::new()),
    }
}
