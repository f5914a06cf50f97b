//! The cone of influence of the errors: variables and memory that can influence whether a target is reached.
//!
//! Seeds are the conditions on the way to a target, and what can make an operation on that way undefined:
//! pointers that are followed, divisors, shift counts, lengths of arrays, arguments of functions that work on
//! memory. From there backwards: who is written from what. Control dependence needs no more, since every
//! condition on the way is a seed already. Over-approximates: order of statements and calling contexts are
//! not looked at.

use crate::effects::{self, Effect, Effects};
use crate::points_to::{ClassId, PointsTo};
use crate::reach::Reach;
use summa_base::{Csr, Id, IdSet, define_id, graph};
use summa_c::tree::{ExprId, PlaceId, VarId};
use summa_cfa::syntax::{Base, base};
use summa_cfa::{Cfa, EdgeId, Op};

define_id! {
    /// A variable that no pointer reaches, a class of memory, or one of the ways in which something gets its
    /// value.
    Item = "i";
}

#[derive(Clone, Debug, Default)]
pub struct Relevance {
    pub variables: IdSet<VarId>,
    pub classes: IdSet<ClassId>,
}

impl Relevance {
    pub fn new(cfa: &Cfa, effects: &Effects, points_to: &PointsTo, reach: &Reach) -> Self {
        let vars = cfa.program.vars.len();
        let first_way = vars + points_to.classes().len();
        let mut cone = Cone {
            cfa,
            effects,
            points_to,
            first_class: vars,
            next_way: first_way,
            flows: Vec::new(),
            seeds: Vec::new(),
        };
        for edge in cfa.edges.ids().filter(|&edge| reach.edge_can_reach(cfa, edge)) {
            cone.edge(edge);
        }
        let flows = Csr::new(cone.next_way, cone.flows.iter().copied());
        let found: IdSet<Item> = graph::reachable(cone.seeds.iter().copied(), |item| &flows[item]);
        let mut all = Self::default();
        for item in found.iter().map(Item::index).take_while(|&index| index < first_way) {
            match item.checked_sub(vars) {
                None => {
                    all.variables.insert(VarId::from_index(item));
                }
                Some(class) => {
                    let class = ClassId::from_index(class);
                    all.classes.insert(class);
                    all.variables.extend(points_to.variables(class).iter().copied());
                }
            }
        }
        all
    }
}

struct Cone<'a> {
    cfa: &'a Cfa,
    effects: &'a Effects,
    points_to: &'a PointsTo,
    /// Items: variables first, then classes, then ways.
    first_class: usize,
    next_way: usize,
    /// From what is written over the way in which it is to what is read for that.
    flows: Vec<(Item, Item)>,
    seeds: Vec<Item>,
}

impl Cone<'_> {
    fn edge(&mut self, id: EdgeId) {
        let (program, edge) = (&self.cfa.program, self.cfa.edge(id));
        let list = self.effects.of(id);
        let reads = self.reads(list);
        for &effect in list {
            if let Effect::Deref(operand) | Effect::Partial(operand) = effect {
                let operands = self.reads_of(operand);
                self.seeds.extend(operands);
            }
        }
        match edge.op {
            // The length of an array decides which accesses of it are defined.
            Op::Assume { .. } | Op::Declare { .. } => self.seeds.extend(reads),
            // Arguments flow to parameters one by one, so that an irrelevant one stays irrelevant.
            Op::Call { result, callee, ref args } => {
                let callee = &program.functions[callee];
                for (i, &arg) in args.iter().enumerate() {
                    let sources = self.reads_of(arg);
                    match callee.params.get(i) {
                        Some(&param) => {
                            let targets = self.variable(param);
                            self.way(targets, sources);
                        }
                        // Variadic arguments are not followed.
                        None => self.seeds.extend(sources),
                    }
                }
                if let Some(place) = result {
                    let mut sources: Vec<Item> = self.place_operands(place);
                    if let Some(var) = callee.result {
                        sources.extend(self.variable(var));
                    }
                    let targets = self.place(place);
                    self.way(targets, sources);
                }
            }
            _ => {
                let works_on_memory = list.iter().any(|effect| {
                    matches!(effect, Effect::ReadMemory(_) | Effect::WriteMemory(_) | Effect::Allocate)
                });
                if let (Op::Library { args, .. }, true) = (&edge.op, works_on_memory) {
                    for &arg in args {
                        let operands = self.reads_of(arg);
                        self.seeds.extend(operands);
                    }
                }
                let targets = self.writes(id, list);
                self.way(targets, reads);
            }
        }
    }

    fn way(&mut self, targets: Vec<Item>, sources: Vec<Item>) {
        if targets.is_empty() || sources.is_empty() {
            return;
        }
        let way = Item::from_index(self.next_way);
        self.next_way += 1;
        self.flows.extend(targets.into_iter().map(|target| (target, way)));
        self.flows.extend(sources.into_iter().map(|source| (way, source)));
    }

    fn class(&self, class: ClassId) -> Item {
        Item::from_index(self.first_class + class.index())
    }

    fn classes(&self, classes: &[ClassId]) -> Vec<Item> {
        classes.iter().map(|&class| self.class(class)).collect()
    }

    fn variable(&self, var: VarId) -> Vec<Item> {
        let classes = self.points_to.of_var(var);
        match classes.iter().any(|&class| self.points_to.is_pointed_to(class)) {
            true => self.classes(classes),
            false => vec![Item::from_index(var.index())],
        }
    }

    fn place(&self, place: PlaceId) -> Vec<Item> {
        let classes = self.points_to.of_place(place);
        match base(&self.cfa.program.exprs, place) {
            Base::Variable(var) if !classes.iter().any(|&class| self.points_to.is_pointed_to(class)) => {
                self.variable(var)
            }
            _ => self.classes(classes),
        }
    }

    fn reads_of(&self, value: ExprId) -> Vec<Item> {
        let mut list = Vec::new();
        effects::of_value(&self.cfa.program, value, |effect| list.push(effect));
        self.reads(&list)
    }

    fn place_operands(&self, place: PlaceId) -> Vec<Item> {
        let mut list = Vec::new();
        effects::of_access(&self.cfa.program, place, |effect| list.push(effect));
        self.reads(&list)
    }

    fn reads(&self, list: &[Effect]) -> Vec<Item> {
        let mut items = Vec::new();
        for &effect in list {
            match effect {
                Effect::Read(place) => items.extend(self.place(place)),
                Effect::ReadVar(var) => items.extend(self.variable(var)),
                Effect::ReadMemory(pointer) => {
                    items.extend(self.classes(self.points_to.target_objects(pointer)))
                }
                Effect::ReadVariadic(list) => {
                    let lists = self.points_to.target_objects(list).iter();
                    let arguments = lists.filter_map(|&class| self.points_to.content(class));
                    items.extend(arguments.flat_map(|class| self.classes(self.points_to.siblings(class))));
                }
                Effect::Escape(_) => items.push(self.class(self.points_to.unknown())),
                Effect::Deref(_) | Effect::Partial(_) | Effect::Address(_) | Effect::Call(_) => {}
                Effect::Allocate | Effect::WriteMemory(_) => {}
                Effect::Write(_) | Effect::WriteVar(_) | Effect::Lifetime(_) => {}
            }
        }
        items
    }

    fn writes(&self, edge: EdgeId, list: &[Effect]) -> Vec<Item> {
        let mut items = Vec::new();
        for &effect in list {
            match effect {
                Effect::Write(place) => items.extend(self.place(place)),
                Effect::WriteVar(var) => items.extend(self.variable(var)),
                Effect::WriteMemory(pointer) => {
                    items.extend(self.classes(self.points_to.target_objects(pointer)))
                }
                Effect::Escape(value) if self.points_to.holds_address(&self.cfa.program, value) => {
                    items.push(self.class(self.points_to.unknown()));
                }
                Effect::Allocate => {
                    let made = self.points_to.of_allocation(edge);
                    items.extend(
                        made.into_iter().flat_map(|class| self.classes(self.points_to.siblings(class))),
                    );
                }
                // A lifetime gives no value that comes from somewhere.
                Effect::Lifetime(_) | Effect::Escape(_) => {}
                Effect::Read(_) | Effect::ReadVar(_) | Effect::ReadMemory(_) | Effect::ReadVariadic(_) => {}
                Effect::Deref(_) | Effect::Partial(_) | Effect::Address(_) | Effect::Call(_) => {}
            }
        }
        items
    }
}
