//! One type for what several files declare alike (6.2.7), after all files are linked.
//!
//! A header that two files include gives each of them structs of its own. Code after the front end should not
//! have to know that. So records of different files become one if they agree in tag, layout and members. A
//! record that is incomplete in one file and complete in others becomes one with them, if these agree.
//! Classes of records are the coarsest partition that is stable under the types of members (as states of a
//! minimal automaton), so recursive types need no special case. Then places and expressions are built again
//! over the remaining types. A program of one file stays as it is.

use crate::tree::{
    Call, Callee, ExprId, ExprKind, Exprs, PlaceId, PlaceKind, Program, Stmt, StmtKind, Variable,
};
use crate::types::{FunctionType, Record, RecordId, Type, TypeId, Types};
use summa_base::{FxHashMap, FxHashSet, Id, IdMap, IdVec, Symbol};

/// Makes compatible records of different files one.
pub(crate) fn unify(program: &mut Program) {
    let Some(kept) = kept_records(&program.types) else { return };
    let types = kept_types(&mut program.types, &kept);
    let mut rebuild = Rebuild {
        types,
        old: std::mem::take(&mut program.exprs),
        new: Exprs::default(),
        exprs: IdMap::default(),
        places: IdMap::default(),
    };
    for (_, Variable { ty, init, .. }) in program.vars.iter_mut() {
        *ty = rebuild.types[*ty];
        for (place, value) in init {
            (*place, *value) = (rebuild.place(*place), rebuild.expr(*value));
        }
    }
    for (_, function) in program.functions.iter_mut() {
        function.ty = rebuild.types[function.ty];
        if let Some(body) = &mut function.body {
            rebuild.statements(&mut body.stmts);
        }
    }
    program.exprs = rebuild.new;
}

/// The record that stands for each; None if each stands for itself.
fn kept_records(types: &Types) -> Option<IdVec<RecordId, RecordId>> {
    let units: FxHashSet<u32> = types.records().map(|(_, record)| record.unit).collect();
    if units.len() < 2 {
        return None;
    }
    let classes = classes(types);
    // For each class: whether it has records of several files, and the first that is complete, or the first
    // of all.
    let mut best: FxHashMap<u32, (RecordId, bool)> = FxHashMap::default();
    for (id, record) in types.records() {
        let (kept, several) = best.entry(classes[id]).or_insert((id, false));
        *several |= types.record(*kept).unit != record.unit;
        if record.is_complete && !types.record(*kept).is_complete {
            *kept = id;
        }
    }
    let mut kept: IdVec<RecordId, RecordId> = IdVec::new();
    for (id, _) in types.records() {
        let (first, several) = best[&classes[id]];
        kept.push(if several { first } else { id });
    }
    let is_smaller = kept.iter().any(|(id, kept)| id != *kept);
    is_smaller.then_some(kept)
}

/// The part of a complete record that does not depend on its members' types. Records with different heads are
/// different.
fn head(record: &Record) -> impl Eq + std::hash::Hash {
    let fields: Vec<_> = record
        .fields
        .iter()
        .map(|field| (field.name, field.offset, field.bits.map(|bits| (bits.offset, bits.width))))
        .collect();
    (record.tag, record.is_union, record.size, record.align, fields)
}

/// The class of each record.
fn classes(types: &Types) -> IdVec<RecordId, u32> {
    let mut numbers = FxHashMap::default();
    let mut classes: IdVec<RecordId, u32> = IdVec::new();
    for (_, record) in types.records() {
        let next = numbers.len() as u32;
        classes.push(if record.is_complete { *numbers.entry(head(record)).or_insert(next) } else { 0 });
    }
    let mut count = numbers.len();
    loop {
        join_incomplete(types, &mut classes, count);
        let shapes = shapes(types, &classes);
        let mut numbers: FxHashMap<(u32, Vec<u32>), u32> = FxHashMap::default();
        let mut finer: IdVec<RecordId, u32> = IdVec::new();
        for (id, record) in types.records() {
            let members = record.fields.iter().map(|field| shapes[field.ty]).collect();
            let next = numbers.len() as u32;
            finer.push(if record.is_complete {
                *numbers.entry((classes[id], members)).or_insert(next)
            } else {
                0
            });
        }
        classes = finer;
        if numbers.len() == count {
            join_incomplete(types, &mut classes, count);
            return classes;
        }
        count = numbers.len();
    }
}

/// Incomplete records belong to the class of the complete ones with their tag, if there is only one, else to
/// a class for the tag.
fn join_incomplete(types: &Types, classes: &mut IdVec<RecordId, u32>, count: usize) {
    let mut by_tag: FxHashMap<(Symbol, bool), Option<u32>> = FxHashMap::default();
    for (id, record) in types.records().filter(|(_, record)| record.is_complete) {
        if let Some(tag) = record.tag {
            let class = by_tag.entry((tag, record.is_union)).or_insert(Some(classes[id]));
            *class = class.filter(|&class| class == classes[id]);
        }
    }
    let mut own: FxHashMap<(Option<Symbol>, bool), u32> = FxHashMap::default();
    for (id, record) in types.records().filter(|(_, record)| !record.is_complete) {
        let known = record.tag.and_then(|tag| by_tag.get(&(tag, record.is_union)).copied().flatten());
        let next = (count + own.len()) as u32;
        classes[id] = known.unwrap_or_else(|| *own.entry((record.tag, record.is_union)).or_insert(next));
    }
}

/// The shape of each type if records of one class are the same.
fn shapes(types: &Types, classes: &IdVec<RecordId, u32>) -> IdVec<TypeId, u32> {
    let mut shapes: IdVec<TypeId, u32> = IdVec::new();
    let mut numbers: FxHashMap<(Option<Type>, Vec<u32>), u32> = FxHashMap::default();
    let placeholder = types.void;
    for index in 0..types.len() {
        // The parts of a type are older than the type.
        let (rest, parts) = match types.get(TypeId::from_index(index)) {
            Type::Record(record) => (None, vec![classes[*record]]),
            Type::Pointer(target) => (Some(Type::Pointer(placeholder)), vec![shapes[*target]]),
            Type::Array(element, len) => (Some(Type::Array(placeholder, *len)), vec![shapes[*element]]),
            Type::Function(function) => {
                let rest = FunctionType { result: placeholder, params: Box::new([]), ..function.clone() };
                let parts = std::iter::once(&function.result).chain(&function.params);
                (Some(Type::Function(rest)), parts.map(|part| shapes[*part]).collect())
            }
            plain @ (Type::Void | Type::Int(_) | Type::Float(_)) => (Some(plain.clone()), Vec::new()),
        };
        let next = numbers.len() as u32;
        shapes.push(*numbers.entry((rest, parts)).or_insert(next));
    }
    shapes
}

/// The representative of each type. New types are added, for example a pointer to a type to which only
/// another file has pointers.
fn kept_types(types: &mut Types, kept: &IdVec<RecordId, RecordId>) -> IdVec<TypeId, TypeId> {
    let mut map: IdVec<TypeId, TypeId> = IdVec::new();
    for index in 0..types.len() {
        let ty = match types.get(TypeId::from_index(index)).clone() {
            Type::Record(record) => Type::Record(kept[record]),
            Type::Pointer(target) => Type::Pointer(map[target]),
            Type::Array(element, len) => Type::Array(map[element], len),
            Type::Function(function) => Type::Function(FunctionType {
                result: map[function.result],
                params: function.params.iter().map(|&param| map[param]).collect(),
                ..function
            }),
            plain @ (Type::Void | Type::Int(_) | Type::Float(_)) => plain,
        };
        let (old, new) = (TypeId::from_index(index), types.intern(ty));
        map.push(if types.plain(old) == old { new } else { types.volatile(new) });
    }
    for record in kept.ids() {
        for field in &mut types.record_mut(record).fields {
            field.ty = map[field.ty];
        }
    }
    map
}

/// Builds expressions and places again, over other types.
struct Rebuild {
    types: IdVec<TypeId, TypeId>,
    old: Exprs,
    new: Exprs,
    exprs: IdMap<ExprId, Option<ExprId>>,
    places: IdMap<PlaceId, Option<PlaceId>>,
}

impl Rebuild {
    /// Expressions are of limited depth, so that this may recurse.
    fn expr(&mut self, id: ExprId) -> ExprId {
        if let Some(known) = self.exprs[id] {
            return known;
        }
        let expr = self.old.expr(id);
        let kind = match expr.kind {
            plain @ (ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_)) => plain,
            ExprKind::Load(place) => ExprKind::Load(self.place(place)),
            ExprKind::Addr(place) => ExprKind::Addr(self.place(place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, self.expr(a), self.expr(b)),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(a)),
        };
        let new = self.new.intern(kind, self.types[expr.ty]);
        self.exprs[id] = Some(new);
        new
    }

    fn place(&mut self, id: PlaceId) -> PlaceId {
        if let Some(known) = self.places[id] {
            return known;
        }
        let place = self.old.place(id);
        let kind = match place.kind {
            plain @ PlaceKind::Var(_) => plain,
            PlaceKind::Deref(pointer) => PlaceKind::Deref(self.expr(pointer)),
            PlaceKind::Field(base, field) => PlaceKind::Field(self.place(base), field),
            PlaceKind::Index(base, index) => PlaceKind::Index(self.place(base), self.expr(index)),
        };
        let new = self.new.intern_place(kind, self.types[place.ty]);
        self.places[id] = Some(new);
        new
    }

    fn statements(&mut self, stmts: &mut [Stmt]) {
        for stmt in stmts {
            match &mut stmt.kind {
                StmtKind::Declare(_)
                | StmtKind::Label(_)
                | StmtKind::Goto(_)
                | StmtKind::Return(None)
                | StmtKind::Unsupported(_) => {}
                StmtKind::Assign(place, value) => {
                    (*place, *value) = (self.place(*place), self.expr(*value));
                }
                StmtKind::ReadVolatile { into, place } => {
                    (*into, *place) = (self.place(*into), self.place(*place));
                }
                StmtKind::Zero(place) | StmtKind::Havoc(place, _) => *place = self.place(*place),
                StmtKind::Call(Call { result, callee, args }) => {
                    *result = result.map(|result| self.place(result));
                    if let Callee::Pointer(pointer) = callee {
                        *pointer = self.expr(*pointer);
                    }
                    args.iter_mut().for_each(|arg| *arg = self.expr(*arg));
                }
                StmtKind::If { condition, then, otherwise, .. } => {
                    *condition = self.expr(*condition);
                    self.statements(then);
                    self.statements(otherwise);
                }
                StmtKind::Loop(inner) | StmtKind::Block(inner) => self.statements(inner),
                StmtKind::Return(Some(value)) => *value = self.expr(*value),
            }
        }
    }
}
