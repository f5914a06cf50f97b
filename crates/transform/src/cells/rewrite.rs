//! Expressions with parts replaced. Parts are visited before the whole, with an explicit stack: sums in a
//! source nest as deep as they are long.

use summa_base::FxHashMap;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, Program, VarId};
use summa_cfa::syntax::strip_casts;

/// An expression or a place.
#[derive(Clone, Copy)]
enum Part {
    Value(ExprId),
    Location(PlaceId),
}

/// What has been replaced so far. Equal parts are replaced once, by the same thing.
#[derive(Default)]
pub(super) struct Rewriting {
    values: FxHashMap<ExprId, ExprId>,
    places: FxHashMap<PlaceId, PlaceId>,
}

impl Rewriting {
    /// From now on `old` becomes `new`.
    pub(super) fn replace(&mut self, old: ExprId, new: ExprId) {
        self.values.insert(old, new);
    }

    /// The expression with its parts replaced. `load` may replace the load of a place whose own parts have
    /// been replaced already.
    pub(super) fn value(
        &mut self,
        program: &mut Program,
        value: ExprId,
        load: &mut impl FnMut(&mut Program, PlaceId) -> Option<ExprId>,
    ) -> ExprId {
        self.run(program, Part::Value(value), load);
        self.values.get(&value).copied().unwrap_or(value)
    }

    /// The place with its parts replaced, without loading it.
    pub(super) fn place(
        &mut self,
        program: &mut Program,
        place: PlaceId,
        load: &mut impl FnMut(&mut Program, PlaceId) -> Option<ExprId>,
    ) -> PlaceId {
        self.run(program, Part::Location(place), load);
        self.places.get(&place).copied().unwrap_or(place)
    }

    fn run(
        &mut self,
        program: &mut Program,
        root: Part,
        load: &mut impl FnMut(&mut Program, PlaceId) -> Option<ExprId>,
    ) {
        let mut todo = vec![(root, false)];
        while let Some((part, parts_are_done)) = todo.pop() {
            if self.is_done(part) {
                continue;
            }
            if parts_are_done {
                self.finish(program, part, load);
                continue;
            }
            todo.push((part, true));
            let first = todo.len();
            for_each_part(program, part, |inner| todo.push((inner, false)));
            todo[first..].reverse();
        }
    }

    fn is_done(&self, part: Part) -> bool {
        match part {
            Part::Value(value) => self.values.contains_key(&value),
            Part::Location(place) => self.places.contains_key(&place),
        }
    }

    fn finish(
        &mut self,
        program: &mut Program,
        part: Part,
        load: &mut impl FnMut(&mut Program, PlaceId) -> Option<ExprId>,
    ) {
        let value_of = |value: &ExprId| self.values.get(value).copied().unwrap_or(*value);
        let place_of = |place: &PlaceId| self.places.get(place).copied().unwrap_or(*place);
        match part {
            Part::Value(id) => {
                let expr = program.exprs.expr(id);
                let new = match expr.kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => id,
                    ExprKind::Load(place) => {
                        let place = place_of(&place);
                        match load(program, place) {
                            Some(value) => value,
                            None => program.exprs.intern(ExprKind::Load(place), expr.ty),
                        }
                    }
                    ExprKind::Addr(place) => program.exprs.intern(ExprKind::Addr(place_of(&place)), expr.ty),
                    ExprKind::Unary(op, a) => {
                        program.exprs.intern(ExprKind::Unary(op, value_of(&a)), expr.ty)
                    }
                    ExprKind::Binary(op, a, b) => {
                        program.exprs.intern(ExprKind::Binary(op, value_of(&a), value_of(&b)), expr.ty)
                    }
                    ExprKind::Cast(a) => program.exprs.intern(ExprKind::Cast(value_of(&a)), expr.ty),
                };
                self.values.insert(id, new);
            }
            Part::Location(id) => {
                let place = program.exprs.place(id);
                let kind = match place.kind {
                    PlaceKind::Var(var) => PlaceKind::Var(var),
                    PlaceKind::Deref(pointer) => PlaceKind::Deref(value_of(&pointer)),
                    PlaceKind::Field(base, field) => PlaceKind::Field(place_of(&base), field),
                    PlaceKind::Index(base, index) => PlaceKind::Index(place_of(&base), value_of(&index)),
                };
                let new = program.exprs.intern_place(kind, place.ty);
                self.places.insert(id, new);
            }
        }
    }
}

fn for_each_part(program: &Program, part: Part, mut visit: impl FnMut(Part)) {
    match part {
        Part::Value(value) => match program.exprs.expr(value).kind {
            ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
            ExprKind::Load(place) | ExprKind::Addr(place) => visit(Part::Location(place)),
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => visit(Part::Value(a)),
            ExprKind::Binary(_, a, b) => {
                visit(Part::Value(a));
                visit(Part::Value(b));
            }
        },
        Part::Location(place) => match program.exprs.place(place).kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(pointer) => visit(Part::Value(pointer)),
            PlaceKind::Field(base, _) => visit(Part::Location(base)),
            PlaceKind::Index(base, index) => {
                visit(Part::Location(base));
                visit(Part::Value(index));
            }
        },
    }
}

/// The variables of an expression in order of occurrence, each once; None if it takes more than integer
/// variables and operators that are defined for all numbers.
pub(super) fn variables(program: &Program, value: ExprId) -> Option<Vec<VarId>> {
    let exprs = &program.exprs;
    let mut found = Vec::new();
    let mut todo = vec![value];
    while let Some(value) = todo.pop() {
        let expr = exprs.expr(value);
        if !program.types.is_integer(expr.ty) {
            return None;
        }
        match expr.kind {
            ExprKind::Int(_) => {}
            ExprKind::Load(place) => match exprs.place(place).kind {
                PlaceKind::Var(var) if !program.vars[var].is_volatile => {
                    if !found.contains(&var) {
                        found.push(var);
                    }
                }
                _ => return None,
            },
            ExprKind::Unary(_, a) | ExprKind::Cast(a) => todo.push(a),
            ExprKind::Binary(op, a, b) => {
                use BinaryOp::{Add, And, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Or, Rem, Shl, Shr, Sub, Xor};
                match op {
                    Add | Sub | Mul | And | Or | Xor | Eq | Ne | Lt | Le | Gt | Ge => {}
                    Div | Rem if exprs.as_int(b).is_some_and(|divisor| divisor > 0) => {}
                    Div | Rem | Shl | Shr | BinaryOp::PtrAdd | BinaryOp::PtrSub | BinaryOp::PtrDiff => {
                        return None;
                    }
                }
                todo.extend([b, a]);
            }
            ExprKind::Float(_) | ExprKind::Addr(_) | ExprKind::Function(_) => return None,
        }
    }
    Some(found)
}

/// Is the expression a variable or a constant, perhaps converted?
pub(super) fn is_plain(program: &Program, value: ExprId) -> bool {
    matches!(
        program.exprs.expr(strip_casts(&program.exprs, value)).kind,
        ExprKind::Load(_) | ExprKind::Int(_)
    )
}
