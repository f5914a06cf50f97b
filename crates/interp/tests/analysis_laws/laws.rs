//! The laws that are checked on an observed run, edge by edge.

use std::collections::{BTreeMap, BTreeSet};
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, PlaceKind, VarId};
use summa_c::types::Type;
use summa_cfa::syntax::{Base, base, whole_variable};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_facts::Analyses;
use summa_facts::effects::Effect;
use summa_facts::points_to::ClassId;
use summa_interp::{ObjectOrigin, Observer, Pointer, Value, View};

/// What the laws have seen so far.
pub(crate) struct Laws<'a> {
    pub(crate) cfa: &'a Cfa,
    pub(crate) facts: &'a Analyses,
    /// Call edges that wait for their callee, with what the caller saw before; by depth.
    waiting: Vec<(usize, EdgeId, BTreeMap<VarId, Value>)>,
    /// Variables that no one should read before they are written: static ones, and those of each frame.
    dead_statics: BTreeSet<VarId>,
    dead_locals: BTreeMap<usize, BTreeSet<VarId>>,
    pub(crate) taken: BTreeSet<EdgeId>,
    pub(crate) checks: usize,
    pub(crate) broken: Vec<String>,
}

impl<'a> Laws<'a> {
    pub(crate) fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        Self {
            cfa,
            facts,
            waiting: Vec::new(),
            dead_statics: BTreeSet::new(),
            dead_locals: BTreeMap::new(),
            taken: BTreeSet::new(),
            checks: 0,
            broken: Vec::new(),
        }
    }

    pub(crate) fn fail(&mut self, edge: EdgeId, what: &str) {
        let text = self.cfa.edge(edge).op.text(&self.cfa.program);
        let function = self.cfa.program.func_name(self.function(edge));
        self.broken.push(format!("{function}: {text}: {what}"));
    }

    fn function(&self, edge: EdgeId) -> FuncId {
        self.cfa.nodes[self.cfa.edge(edge).from].function
    }

    /// The variables that the running function can name.
    fn visible(&self, edge: EdgeId) -> Vec<VarId> {
        let function = self.function(edge);
        let vars = self.cfa.program.vars.iter();
        vars.filter(|(_, v)| v.kind.is_static() || v.kind.frame() == Some(function))
            .map(|(id, _)| id)
            .collect()
    }

    // ---- points-to ----

    /// A class of the objects that the pointer points into.
    fn object_class(&self, pointer: &Pointer) -> Option<(ClassId, u64)> {
        let points_to = &self.facts.points_to;
        match *pointer {
            Pointer::Object { origin: ObjectOrigin::Variable(var), offset } => {
                Some((*points_to.of_var(var).first()?, u64::try_from(offset).ok()?))
            }
            Pointer::Object { origin: ObjectOrigin::Allocation(edge), offset } => {
                Some((points_to.of_allocation(edge)?, u64::try_from(offset).ok()?))
            }
            _ => None,
        }
    }

    /// A pointer that lies in the class points where the class says.
    fn check_content(&mut self, edge: EdgeId, holder: &[ClassId], value: &Value) {
        let Value::Pointer(pointer) = value else { return };
        let points_to = &self.facts.points_to;
        let said: Vec<ClassId> = holder.iter().filter_map(|&class| points_to.content(class)).collect();
        if let Pointer::Function(function) = pointer {
            self.checks += 1;
            if !said.iter().any(|&class| points_to.functions(class).contains(function)) {
                self.fail(edge, "points to a function that is not foreseen");
            }
        }
        if let Some((object, _)) = self.object_class(pointer) {
            self.checks += 1;
            if !said.iter().any(|&class| points_to.siblings(class).contains(&object)) {
                self.fail(edge, &format!("points to {pointer:?}, foreseen are {said:?}"));
            }
        }
    }

    /// An access through a pointer touches the class that the place says, to the byte.
    fn check_access(&mut self, edge: EdgeId, place: PlaceId, view: &View<'_>) {
        let Base::Pointer(pointer) = base(&self.cfa.program.exprs, place) else {
            return;
        };
        let (Some(Value::Pointer(pointer)), Some(delta)) =
            (self.value(pointer, view), self.offset(place, view))
        else {
            return;
        };
        let Some((object, offset)) = self.object_class(&pointer) else {
            return;
        };
        let Some(offset) = offset.checked_add_signed(delta) else {
            return;
        };
        let types = &self.cfa.program.types;
        let touched = self.facts.points_to.class_at(types, object, offset);
        self.checks += 1;
        if !self.facts.points_to.of_place(place).contains(&touched) {
            let said = self.facts.points_to.of_place(place).to_vec();
            self.fail(edge, &format!("touches {touched} at {offset}, foreseen are {said:?}"));
        }
    }

    /// The offset of a place from the pointer behind which it lies, where the view can tell.
    fn offset(&self, mut place: PlaceId, view: &View<'_>) -> Option<i64> {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        let mut offset = 0i64;
        loop {
            match exprs.place(place).kind {
                PlaceKind::Var(_) => return None,
                PlaceKind::Deref(_) => return Some(offset),
                PlaceKind::Field(inner, index) => {
                    let Type::Record(record) = *types.get(exprs.place(inner).ty) else {
                        return None;
                    };
                    offset += types.record(record).fields[index as usize].offset as i64;
                    place = inner;
                }
                PlaceKind::Index(inner, index) => {
                    let Some(Value::Int(index)) = self.value(index, view) else {
                        return None;
                    };
                    offset += types.size_of(exprs.place(place).ty)? as i64 * i64::try_from(index).ok()?;
                    place = inner;
                }
            }
        }
    }

    /// The value of an expression over variables of the frame, where the view can tell.
    fn value(&self, expr: ExprId, view: &View<'_>) -> Option<Value> {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        match exprs.expr(expr).kind {
            ExprKind::Int(value) if !types.is_pointer(exprs.type_of(expr)) => Some(Value::Int(value)),
            ExprKind::Load(place) => exprs.root(place).map(|_| view.place(place)),
            ExprKind::Cast(inner) => {
                let (from, to) = (exprs.type_of(inner), exprs.type_of(expr));
                let same_kind = types.is_pointer(from) && types.is_pointer(to)
                    || types.is_integer(from)
                        && types.is_integer(to)
                        && types.size_of(from) <= types.size_of(to);
                self.value(inner, view).filter(|_| same_kind)
            }
            ExprKind::Binary(summa_c::tree::BinaryOp::PtrAdd, pointer, index) => {
                let stride = types.stride(types.pointee(exprs.type_of(pointer))?)? as i64;
                let (Value::Pointer(Pointer::Object { origin, offset }), Value::Int(index)) =
                    (self.value(pointer, view)?, self.value(index, view)?)
                else {
                    return None;
                };
                let offset = offset + stride * i64::try_from(index).ok()?;
                Some(Value::Pointer(Pointer::Object { origin, offset }))
            }
            _ => None,
        }
    }

    // ---- effects and mod/ref ----

    /// What may change when the edge is taken and, for a call, has returned.
    fn may_write(&self, edge: EdgeId) -> BTreeSet<VarId> {
        let (points_to, mut vars) = (&self.facts.points_to, BTreeSet::new());
        let mut through = Vec::new();
        for &effect in self.facts.effects.of(edge) {
            match effect {
                Effect::Write(place) => match base(&self.cfa.program.exprs, place) {
                    Base::Variable(var) => drop(vars.insert(var)),
                    Base::Pointer(_) => through.extend_from_slice(points_to.of_place(place)),
                },
                Effect::WriteVar(var) | Effect::Lifetime(var) => drop(vars.insert(var)),
                Effect::WriteMemory(pointer) => through.extend_from_slice(points_to.target_objects(pointer)),
                Effect::Escape(_) => through.push(points_to.unknown()),
                Effect::Call(callee) => {
                    vars.extend(self.facts.mod_refs.of(&self.facts.calls, callee).writes.variables.iter());
                }
                _ => {}
            }
        }
        vars.extend(through.iter().flat_map(|&class| points_to.variables(class)));
        vars
    }

    fn check_changes(&mut self, edge: EdgeId, old: &BTreeMap<VarId, Value>, view: &View<'_>) {
        let allowed = self.may_write(edge);
        for (&var, old) in old {
            self.checks += 1;
            let new = view.variable(var);
            // That a pointer begins to dangle is no change of the pointer.
            let dangles = matches!((old, &new), (Value::Pointer(_), Value::Pointer(Pointer::Other(_))));
            if new != *old && !dangles && !allowed.contains(&var) {
                let name = self.cfa.program.var_name(var);
                self.fail(edge, &format!("changes {name} from {old:?} to {new:?}"));
            }
        }
    }

    // ---- live variables ----

    fn check_live(&mut self, edge: EdgeId, depth: usize) {
        let (facts, from) = (self.facts, self.cfa.edge(edge).from);
        for &var in facts.live.tracked(self.function(edge)) {
            if !facts.live.is_live(from, var) {
                match self.cfa.program.vars[var].kind.is_static() {
                    true => self.dead_statics.insert(var),
                    false => self.dead_locals.entry(depth).or_default().insert(var),
                };
            }
        }
        let is_call = matches!(self.cfa.edge(edge).op, Op::Call { .. });
        for &effect in facts.effects.of(edge) {
            let exprs = &self.cfa.program.exprs;
            let (read, written) = match effect {
                Effect::Read(place) => match base(exprs, place) {
                    Base::Variable(var) => (Some(var), None),
                    Base::Pointer(_) => (None, None),
                },
                Effect::ReadVar(var) if !is_call => (Some(var), None),
                Effect::Write(place) => (None, whole_variable(exprs, place)),
                Effect::WriteVar(var) if !is_call => (None, Some(var)),
                Effect::Lifetime(var) => (None, Some(var)),
                _ => (None, None),
            };
            let locals = self.dead_locals.entry(depth).or_default();
            if let Some(var) = written {
                self.dead_statics.remove(&var);
                locals.remove(&var);
            }
            if let Some(var) = read {
                self.checks += 1;
                if self.dead_statics.contains(&var) || locals.contains(&var) {
                    let name = self.cfa.program.var_name(var).to_string();
                    self.fail(edge, &format!("reads {name}, which was not live"));
                }
            }
        }
    }
}

impl Observer for Laws<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        self.taken.insert(edge);
        let depth = view.depth();
        // Deeper frames are gone.
        self.dead_locals.retain(|&frame, _| frame <= depth);
        self.waiting.retain(|&(frame, ..)| frame < depth);
        self.check_live(edge, depth);
        for &effect in self.facts.effects.of(edge) {
            if let Effect::Read(place) | Effect::Write(place) = effect {
                self.check_access(edge, place, view);
            }
            if let Effect::Read(place) = effect
                && self.cfa.program.exprs.root(place).is_some()
            {
                let holder = self.facts.points_to.of_place(place).to_vec();
                self.check_content(edge, &holder, &view.place(place));
            }
        }
        let seen = self.visible(edge).into_iter().map(|var| (var, view.variable(var))).collect();
        self.waiting.push((depth, edge, seen));
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        self.waiting.retain(|&(frame, ..)| frame <= view.depth());
        if let Some((depth, before, seen)) = self.waiting.pop() {
            assert_eq!((depth, before), (view.depth(), edge), "the observer lost track");
            self.check_changes(edge, &seen, view);
        }
        for &effect in self.facts.effects.of(edge) {
            if let Effect::Write(place) = effect
                && self.cfa.program.exprs.root(place).is_some()
            {
                let holder = self.facts.points_to.of_place(place).to_vec();
                self.check_content(edge, &holder, &view.place(place));
            }
        }
    }
}
