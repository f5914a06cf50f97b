//! Which memory a pointer may point to. The analysis is unification-based, works on the whole program at
//! once, and ignores the order of statements and calling contexts. It takes almost linear time.
//!
//! Memory is split into *classes*. Two accesses whose classes differ never touch the same byte. Scalar
//! variables have one class. Members of structs have one each, as long as no use of the object contradicts
//! its type (see `heap.rs`). Elements of an array share theirs. Objects of unknown code and everything that
//! it can reach are one class, [`PointsTo::unknown`].
//!
//! Paper: Steensgaard, *Points-to analysis in almost linear time*, POPL 1996; members and collapsing in the
//! manner of Lattner and Adve, *Data structure analysis*, 2003.
//!
//! *Members and their neighbours.* A pointer to an element of a member array may also be a cast pointer to
//! the whole object, so arithmetic on it may reach everything in the object. So may an index that types and
//! constants do not bound ([`summa_cfa::members`]). The members of such an object are one class. They stay
//! apart only if the automata have a branch before the index ([`Cfa::members_apart`]).
//!
//! Limits: an address belongs to the object from which it was made. Numbers that come from no object
//! (constants, inputs, differences of pointers) point to none, and arithmetic never reaches another object.

mod constraints;
mod heap;
mod layout;
mod library;

use crate::layout::{Layouts, canonical};
use constraints::Constraints;
use heap::{Shape, SlotId};
use summa_base::{Csr, Id, IdMap, IdVec, define_id};
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, Program, VarId};
use summa_c::types::{TypeId, Types};
use summa_cfa::syntax::{Base, base};
use summa_cfa::{Cfa, EdgeId};

define_id! {
    /// A part of memory that is not divided further.
    ClassId = "m";
    /// The classes that are parts of the same objects.
    GroupId = "g";
}

#[derive(Clone, Debug)]
struct Class {
    group: GroupId,
    /// Where values that are stored in it point.
    content: Option<ClassId>,
}

#[derive(Clone, Debug)]
struct Group {
    /// By canonical offset, which `offsets` has.
    classes: Vec<ClassId>,
    offsets: Vec<u64>,
    /// None: collapsed, or never accessed.
    ty: Option<TypeId>,
    is_collapsed: bool,
    is_pointed_to: bool,
}

#[derive(Debug)]
pub struct PointsTo {
    classes: IdVec<ClassId, Class>,
    groups: IdVec<GroupId, Group>,
    unknown: ClassId,
    targets: IdMap<ExprId, Option<ClassId>>,
    of_var: Csr<VarId, ClassId>,
    of_place: Csr<PlaceId, ClassId>,
    of_site: IdMap<EdgeId, Option<ClassId>>,
    variables: Csr<ClassId, VarId>,
    allocations: Csr<ClassId, EdgeId>,
    functions: Csr<ClassId, FuncId>,
}

impl PointsTo {
    pub fn new(cfa: &Cfa, layouts: &Layouts) -> Self {
        Freezer::new(Constraints::solve(cfa, layouts)).freeze(cfa)
    }

    pub fn classes(&self) -> impl DoubleEndedIterator<Item = ClassId> + ExactSizeIterator + use<> {
        self.classes.ids()
    }

    /// The memory of a variable.
    pub fn of_var(&self, var: VarId) -> &[ClassId] {
        &self.of_var[var]
    }

    /// The memory that a place may be. Empty only for places that no edge uses.
    pub fn of_place(&self, place: PlaceId) -> &[ClassId] {
        &self.of_place[place]
    }

    /// The memory that the edge allocates.
    pub fn of_allocation(&self, edge: EdgeId) -> Option<ClassId> {
        self.of_site[edge]
    }

    /// Where a value points, if it is an address: the class of the byte itself. None: to no object.
    pub fn target(&self, value: ExprId) -> Option<ClassId> {
        self.targets[value]
    }

    /// The whole objects that a value may point into.
    pub fn target_objects(&self, value: ExprId) -> &[ClassId] {
        self.targets[value].map_or(&[], |class| self.siblings(class))
    }

    /// Can an address be in the value, or in a part of it?
    pub fn holds_address(&self, program: &Program, value: ExprId) -> bool {
        match program.exprs.expr(value).kind {
            ExprKind::Load(place) => self.of_place(place).iter().any(|&class| self.content(class).is_some()),
            _ => self.target(value).is_some(),
        }
    }

    /// Where the values point that are stored in the class.
    pub fn content(&self, class: ClassId) -> Option<ClassId> {
        self.classes[class].content
    }

    /// All classes of the objects that the class is a part of, itself included.
    pub fn siblings(&self, class: ClassId) -> &[ClassId] {
        &self.groups[self.classes[class].group].classes
    }

    /// The type of the objects to which the class belongs, or of their elements. Every place there fits it;
    /// only library functions access bytes. None: it collapsed, or was never accessed.
    pub fn object_type(&self, class: ClassId) -> Option<TypeId> {
        self.groups[self.classes[class].group].ty
    }

    /// The class of the byte at `offset` in the objects that the class is a part of.
    pub fn class_at(&self, types: &Types, class: ClassId, offset: u64) -> ClassId {
        let group = &self.groups[self.classes[class].group];
        let offset = group.ty.map_or(0, |ty| canonical(types, ty, offset));
        let after = group.offsets.partition_point(|&start| start <= offset);
        group.classes[after.saturating_sub(1)]
    }

    /// Where the class begins in the objects that it is a part of; canonical, see [`PointsTo::class_at`].
    pub fn offset_of(&self, class: ClassId) -> u64 {
        let group = &self.groups[self.classes[class].group];
        group.classes.iter().position(|&c| c == class).map_or(0, |i| group.offsets[i])
    }

    /// The variables that lie in the class, wholly or in part.
    pub fn variables(&self, class: ClassId) -> &[VarId] {
        &self.variables[class]
    }

    /// The edges that allocate objects of the class.
    pub fn allocations(&self, class: ClassId) -> &[EdgeId] {
        &self.allocations[class]
    }

    /// The functions that a pointer to the class may point to.
    pub fn functions(&self, class: ClassId) -> &[FuncId] {
        &self.functions[class]
    }

    /// Is it accessed with different types or at odd offsets? Then only bytes describe it.
    pub fn is_collapsed(&self, class: ClassId) -> bool {
        self.groups[self.classes[class].group].is_collapsed
    }

    /// Can any pointer lead to objects of the class? If not, it is one variable, and only its name leads
    /// there.
    pub fn is_pointed_to(&self, class: ClassId) -> bool {
        self.groups[self.classes[class].group].is_pointed_to
    }

    /// What unseen code knows and can change.
    pub fn unknown(&self) -> ClassId {
        self.unknown
    }

    pub fn is_unknown(&self, class: ClassId) -> bool {
        class == self.unknown
    }

    /// Can the two places share a byte?
    pub fn may_alias(&self, program: &Program, a: PlaceId, b: PlaceId) -> bool {
        if let (Base::Variable(x), Base::Variable(y)) = (base(&program.exprs, a), base(&program.exprs, b))
            && x != y
        {
            return false;
        }
        let (a, b) = (self.of_place(a), self.of_place(b));
        a.is_empty() || b.is_empty() || a.iter().any(|class| b.contains(class))
    }
}

/// Numbers the slots that are left after solving.
struct Freezer<'a> {
    solved: Constraints<'a>,
    class_of: IdMap<SlotId, Option<ClassId>>,
    classes: IdVec<ClassId, Class>,
    slots: IdVec<ClassId, SlotId>,
    groups: IdVec<GroupId, Group>,
}

impl<'a> Freezer<'a> {
    fn new(solved: Constraints<'a>) -> Self {
        let class_of = IdMap::with_len(solved.heap.len(), None);
        Self { solved, class_of, classes: IdVec::new(), slots: IdVec::new(), groups: IdVec::new() }
    }

    /// The class of a slot of an object. Makes the classes of the whole object.
    fn class(&mut self, slot: SlotId) -> ClassId {
        let slot = self.solved.heap.representative(slot);
        if let Some(class) = self.class_of[slot] {
            return class;
        }
        let group = self.groups.next_id();
        let object = self.solved.heap.object_of(slot);
        let shape = object.map_or(Shape::Collapsed, |object| self.solved.heap.shape(object));
        let slots = object.map_or_else(|| vec![(0, slot)], |object| self.solved.heap.parts_of(object));
        let (mut classes, mut offsets) = (Vec::with_capacity(slots.len()), Vec::with_capacity(slots.len()));
        for (offset, part) in slots {
            offsets.push(offset);
            let class = self.classes.push(Class { group, content: None });
            self.slots.push(part);
            self.class_of[part] = Some(class);
            classes.push(class);
        }
        let ty = match shape {
            Shape::Typed(ty) => Some(ty),
            Shape::Untyped | Shape::Collapsed => None,
        };
        let is_collapsed = shape == Shape::Collapsed;
        self.groups.push(Group { classes, offsets, ty, is_collapsed, is_pointed_to: false });
        self.class_of[slot].unwrap_or_else(|| unreachable!("a slot is among the slots of its object"))
    }

    fn freeze(mut self, cfa: &Cfa) -> PointsTo {
        let program = &cfa.program;
        let unknown = self.class(self.solved.heap.unknown);
        let mut of_var = Vec::new();
        for var in program.vars.ids() {
            for slot in self.solved.heap.slots_of(self.solved.vars[var]) {
                of_var.push((var, self.class(slot)));
            }
        }
        let mut of_place = Vec::new();
        for place in self.solved.used_places.clone().iter() {
            let location = self.solved.location(place);
            let mut classes: Vec<ClassId> = self
                .solved
                .region(location, program.exprs.place(place).ty)
                .into_iter()
                .map(|(slot, _)| self.class(slot))
                .collect();
            classes.sort_unstable();
            classes.dedup();
            of_place.extend(classes.into_iter().map(|class| (place, class)));
        }
        let mut targets = IdMap::with_len(program.exprs.len(), None);
        for expr in program.exprs.expr_ids() {
            targets[expr] = self.solved.target(expr).map(|slot| self.class(slot));
        }
        let mut of_site = IdMap::with_len(cfa.edges.len(), None);
        let mut allocations = Vec::new();
        for (edge, slot) in std::mem::take(&mut self.solved.sites) {
            let class = self.class(slot);
            of_site[edge] = Some(class);
            let parts = &self.groups[self.classes[class].group].classes;
            allocations.extend(parts.iter().map(|&part| (part, edge)));
        }
        let mut functions = Vec::new();
        for (function, slot) in std::mem::take(&mut self.solved.functions) {
            functions.push((self.class(slot), function));
        }
        // Contents last: looking at them makes classes for what is pointed to, and that has contents in turn.
        let mut next = 0;
        while next < self.classes.len() {
            let class = ClassId::from_index(next);
            let content = self.solved.heap.target(self.slots[class]).map(|slot| self.class(slot));
            self.classes[class].content = content;
            next += 1;
        }
        let pointed_to = self.classes.values().filter_map(|class| class.content);
        let pointed_to: Vec<ClassId> =
            pointed_to.chain(targets.iter().filter_map(|(_, &target)| target)).collect();
        for class in pointed_to {
            self.groups[self.classes[class].group].is_pointed_to = true;
        }
        let len = self.classes.len();
        let variables = of_var.iter().map(|&(var, class)| (class, var));
        PointsTo {
            unknown,
            variables: Csr::new(len, variables),
            of_var: Csr::new(program.vars.len(), of_var.iter().copied()),
            of_place: Csr::new(program.exprs.places_len(), of_place.iter().copied()),
            allocations: Csr::new(len, allocations.iter().copied()),
            functions: Csr::new(len, functions.iter().copied()),
            targets,
            of_site,
            classes: self.classes,
            groups: self.groups,
        }
    }
}
