//! Forward evaluation: the address of a place, and the set of values that an expression can have.

use super::Scalars;
use super::layout::{Location, Scalar};
use super::set::{NumberSet, Shape};
use super::store::Store;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, VarId};
use summa_c::types::TypeId;
use summa_cfa::syntax::{Base, base};

/// Where a place may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    Exactly(Location),
    /// At one of these offsets of the variable, both ends included.
    Within(VarId, u64, u64),
    /// Somewhere in the memory that a pointer can lead to.
    Behind(PlaceId),
}

/// The locations that an access may mean.
pub(super) struct Candidates {
    /// Ascending.
    pub(super) locations: Vec<Location>,
    /// If the access means one of the locations, it means exactly all of it.
    pub(super) is_typed: bool,
    /// The access certainly means one of the locations.
    pub(super) is_complete: bool,
}

enum Task {
    Evaluate(ExprId),
    /// The operands are on the stack of values.
    Apply(ExprId),
}

impl<V: NumberSet> Scalars<'_, V> {
    pub(super) fn shape(&self, ty: TypeId) -> Option<Shape> {
        Shape::of(&self.cfa.program.types, ty)
    }

    pub(super) fn type_of(&self, expr: ExprId) -> TypeId {
        self.cfa.program.exprs.type_of(expr)
    }

    /// The values that the expression can have; None if its type has no shape.
    pub fn evaluate(&self, store: &Store<V>, expr: ExprId) -> Option<V> {
        let exprs = &self.cfa.program.exprs;
        // Explicit stacks: expressions nest as deep as the source is long.
        let (mut tasks, mut values) = (vec![Task::Evaluate(expr)], Vec::new());
        while let Some(task) = tasks.pop() {
            match task {
                Task::Evaluate(id) => match exprs.expr(id).kind {
                    ExprKind::Load(place) => {
                        tasks.push(Task::Apply(id));
                        tasks.extend(self.indexes(place).map(|(index, _)| Task::Evaluate(index)));
                    }
                    ExprKind::Unary(_, a) | ExprKind::Cast(a) => {
                        tasks.extend([Task::Apply(id), Task::Evaluate(a)]);
                    }
                    ExprKind::Binary(_, a, b) => {
                        tasks.extend([Task::Apply(id), Task::Evaluate(b), Task::Evaluate(a)]);
                    }
                    _ => values.push(self.atom(id)),
                },
                Task::Apply(id) => {
                    let value = self.apply(store, id, &mut values);
                    values.push(value);
                }
            }
        }
        values.pop().flatten()
    }

    fn atom(&self, id: ExprId) -> Option<V> {
        let expr = self.cfa.program.exprs.expr(id);
        let shape = self.shape(expr.ty)?;
        Some(match expr.kind {
            ExprKind::Int(value) => V::only(value),
            ExprKind::Function(_) => V::nonzero(shape),
            ExprKind::Addr(place) => match base(&self.cfa.program.exprs, place) {
                Base::Variable(_) => V::nonzero(shape),
                Base::Pointer(_) => V::all(shape),
            },
            _ => V::all(shape),
        })
    }

    /// Takes the operands of the expression from the stack.
    fn apply(&self, store: &Store<V>, id: ExprId, values: &mut Vec<Option<V>>) -> Option<V> {
        let exprs = &self.cfa.program.exprs;
        let expr = exprs.expr(id);
        let shape = self.shape(expr.ty);
        match expr.kind {
            ExprKind::Load(place) => {
                let target = self.target(place, &mut || values.pop().flatten());
                self.read(store, &target, shape?)
            }
            ExprKind::Cast(a) => {
                let (value, from, to) = (values.pop()?, self.shape(exprs.type_of(a)), shape?);
                Some(value.zip(from).map_or(V::all(to), |(value, from)| value.cast(from, to)))
            }
            ExprKind::Unary(op, _) => {
                let value = values.pop()?;
                shape.map(|shape| value.map_or(V::all(shape), |value| V::unary(op, shape, value)))
            }
            ExprKind::Binary(op, ..) => {
                let (b, a) = (values.pop()?, values.pop()?);
                let shape = shape?;
                Some(match (op, a.zip(b)) {
                    (BinaryOp::PtrAdd | BinaryOp::PtrSub | BinaryOp::PtrDiff, _) => V::all(shape),
                    (_, Some((a, b))) if op.is_comparison() => {
                        let outcome = V::compare(op, a, b);
                        outcome.map_or(V::only(0).join(V::only(1)), |truth| V::only(truth.into()))
                    }
                    (_, None) if op.is_comparison() => V::only(0).join(V::only(1)),
                    (_, Some((a, b))) => V::binary(op, shape, a, b),
                    (_, None) => V::all(shape),
                })
            }
            _ => shape.map(V::all),
        }
    }

    /// The indexes on the way from a variable to the place with what one step is worth, outermost array last.
    fn indexes(&self, place: PlaceId) -> impl Iterator<Item = (ExprId, Option<u64>)> + '_ {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        let mut next = Some(place);
        std::iter::from_fn(move || {
            loop {
                let at = exprs.place(next?);
                match at.kind {
                    PlaceKind::Var(_) => return None,
                    PlaceKind::Field(inner, _) => next = Some(inner),
                    PlaceKind::Index(inner, index) => {
                        next = Some(inner);
                        return Some((index, types.size_of(at.ty)));
                    }
                    PlaceKind::Deref(pointer) => match exprs.expr(pointer).kind {
                        ExprKind::Addr(inner) => next = Some(inner),
                        _ => return None,
                    },
                }
            }
        })
    }

    /// The sum of the offsets of the members on the way to the place.
    fn members(&self, place: PlaceId) -> i128 {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        let (mut at, mut sum) = (place, 0);
        loop {
            match exprs.place(at).kind {
                PlaceKind::Var(_) => return sum,
                PlaceKind::Index(inner, _) => at = inner,
                PlaceKind::Field(inner, number) => {
                    if let Some(record) = types.record_of(exprs.place(inner).ty) {
                        sum += i128::from(types.record(record).fields[number as usize].offset);
                    }
                    at = inner;
                }
                PlaceKind::Deref(pointer) => match exprs.expr(pointer).kind {
                    ExprKind::Addr(inner) => at = inner,
                    _ => return sum,
                },
            }
        }
    }

    pub(super) fn locate(&self, store: &Store<V>, place: PlaceId) -> Target {
        let indexes: Vec<ExprId> = self.indexes(place).map(|(index, _)| index).collect();
        let mut values = indexes.into_iter().map(|index| self.evaluate(store, index));
        self.target(place, &mut || values.next().flatten())
    }

    /// The address of the place. The values of its indexes are requested in the order of `indexes`.
    fn target(&self, place: PlaceId, value: &mut dyn FnMut() -> Option<V>) -> Target {
        let program = &self.cfa.program;
        let member = self.members(place);
        let (mut low, mut high, mut is_known) = (member, member, true);
        for (index, stride) in self.indexes(place) {
            let bounds = value().zip(self.shape(program.exprs.type_of(index)));
            match (bounds.map(|(value, shape)| value.bounds(shape)), stride) {
                (Some((first, last)), Some(stride)) => {
                    low = low.saturating_add(first.saturating_mul(i128::from(stride)));
                    high = high.saturating_add(last.saturating_mul(i128::from(stride)));
                }
                _ => is_known = false,
            }
        }
        let var = match base(&program.exprs, place) {
            Base::Variable(var) => var,
            Base::Pointer(_) => return self.behind(place),
        };
        let size = program.types.size_of(program.vars[var].ty).unwrap_or(u64::MAX);
        let part = program.types.size_of(program.exprs.place(place).ty).unwrap_or(0);
        let last = i128::from(size.saturating_sub(part));
        match (u64::try_from(low), u64::try_from(high)) {
            (Ok(low), Ok(high)) if is_known && i128::from(high) <= last => {
                if low == high {
                    Target::Exactly(Location { var, offset: low })
                } else {
                    Target::Within(var, low, high)
                }
            }
            // An index may leave the variable; which part is then meant is unknown.
            _ => Target::Within(var, 0, size),
        }
    }

    /// What a pointer leads to is exact if it can only be one scalar variable.
    fn behind(&self, place: PlaceId) -> Target {
        let points_to = &self.facts.points_to;
        if let &[class] = points_to.of_place(place)
            && let &[var] = points_to.variables(class)
            && points_to.allocations(class).is_empty()
            && !points_to.is_unknown(class)
            && !points_to.is_collapsed(class)
            && let [scalar] = self.layout.scalars(var)
            && scalar.ty == self.cfa.program.vars[var].ty
        {
            return Target::Exactly(Location { var, offset: 0 });
        }
        Target::Behind(place)
    }

    /// The scalars that an access of this shape and size at a target may mean.
    pub(super) fn candidates(&self, target: &Target, size: u64, shape: Option<Shape>) -> Candidates {
        let mut locations = Vec::new();
        let (mut is_typed, mut is_complete) = (shape.is_some(), true);
        let mut add = |var: VarId, scalar: Scalar| {
            is_typed &= Some(scalar.shape) == shape;
            locations.push(Location { var, offset: scalar.offset });
        };
        match *target {
            Target::Exactly(Location { var, offset }) => {
                self.layout
                    .within(var, offset, offset.saturating_add(size))
                    .for_each(|scalar| add(var, scalar));
                is_typed &= matches!(locations[..], [only] if only.offset == offset);
            }
            Target::Within(var, low, high) => {
                self.layout.within(var, low, high.saturating_add(size)).for_each(|scalar| add(var, scalar));
                // Only if all of the range consists of such scalars, one of them is meant.
                let covered = locations.len() as u64 * size;
                is_complete = covered >= (high - low).saturating_add(size);
            }
            Target::Behind(place) => {
                let (points_to, types) = (&self.facts.points_to, &self.cfa.program.types);
                let mut is_punned = false;
                for &class in points_to.of_place(place) {
                    let collapsed = points_to.is_collapsed(class) || points_to.is_unknown(class);
                    is_punned |= collapsed;
                    is_complete &= points_to.allocations(class).is_empty();
                    for &var in points_to.variables(class) {
                        let Some(&object) = points_to.of_var(var).first() else { continue };
                        is_complete &= !self.layout.scalars(var).is_empty();
                        for &scalar in self.layout.scalars(var) {
                            if collapsed || points_to.class_at(types, object, scalar.offset) == class {
                                add(var, scalar);
                            }
                        }
                    }
                }
                is_typed &= !is_punned;
                locations.sort_unstable();
                locations.dedup();
            }
        }
        is_complete &= !locations.is_empty();
        Candidates { locations, is_typed, is_complete }
    }

    /// The values that can be read at the target.
    fn read(&self, store: &Store<V>, target: &Target, shape: Shape) -> Option<V> {
        let meant = self.candidates(target, u64::from(shape.width / 8), Some(shape));
        if !meant.is_typed || !meant.is_complete {
            return Some(V::all(shape));
        }
        let values = meant.locations.into_iter().map(|location| store.get(location).unwrap_or(V::all(shape)));
        Some(values.reduce(V::join).unwrap_or(V::all(shape)))
    }
}
