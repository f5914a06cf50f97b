//! Reads of volatile objects.
//!
//! A register, or a flag of an interrupt, changes without the program: what one read gives is an input, and a second read may give
//! something else. The rule: a read gives any value of its type if the object may be volatile and something else may know it: an object
//! with static storage that is declared volatile or has volatile members, memory of the environment, an address that is written as a
//! number. Variables of functions and allocated objects are the program's own, and so are objects that are not volatile themselves,
//! even if a pointer to volatile leads there. Where an access is valid and what it reads from memory is still evaluated, so that invalid
//! pointers are found.
//!
//! Lowering goes by the place as it is written ([`FunctionBuilder::read_volatile`]); which objects a pointer leads to is known when all
//! automata are there, and then inputs that are none are left out ([`settle`]). Where one pointer leads to both kinds of objects, any
//! value is too much for some: proofs hold, but an execution that was given one supports no verdict. Registers at constant addresses exist: reading one is
//! an input, writing to it has no effect. Limits: an address in a variable is not constant. A record that is copied as a whole is
//! memory if only some of its members are volatile.

use super::function::FunctionBuilder;
use crate::analysis::effects::{Base, base};
use crate::analysis::points_to::PointsTo;
use crate::cfa::{Cfa, EdgeId, HavocSource, Op};
use summa_base::IdSet;
use summa_c::Span;
use summa_c::tree::{ExprId, ExprKind, PlaceId, VarId};
use summa_c::types::{RecordId, Type, TypeId, Types};

const MEMORY: &str =
    "volatile objects are memory: nothing but the program writes to them (--volatile-is-memory)";

impl FunctionBuilder<'_> {
    pub(super) fn read_volatile(&mut self, into: PlaceId, place: PlaceId, span: Span) {
        let is_memory = self.context.environment.volatile_is_memory;
        let program = &mut self.context.program;
        let root = match base(&program.exprs, place) {
            Base::Variable(var) => Some(var),
            Base::Pointer(_) => None,
        };
        let is_own = root.is_some_and(|var| !program.vars[var].kind.is_static());
        if self.is_register(place) {
            return self.step(Op::Havoc { place: into, source: HavocSource::Volatile }, span);
        }
        let value = self.context.program.exprs.load(place);
        self.step(Op::Assign { place: into, value }, span);
        if is_memory && !is_own {
            self.context.assume(self.function, MEMORY.to_string(), span);
        }
        if !is_memory && !is_own {
            self.step(Op::Havoc { place: into, source: HavocSource::Volatile }, span);
        }
    }

    /// Is it a volatile place at an address that is written as a number?
    pub(super) fn is_register(&self, place: PlaceId) -> bool {
        let program = &self.context.program;
        let is_number = |mut pointer: ExprId| {
            loop {
                match program.exprs.expr(pointer).kind {
                    ExprKind::Int(address) => return address != 0,
                    ExprKind::Cast(inner) => pointer = inner,
                    _ => return false,
                }
            }
        };
        let leads_there = match base(&program.exprs, place) {
            Base::Pointer(pointer) => is_number(pointer),
            Base::Variable(_) => false,
        };
        leads_there
            && !self.context.environment.volatile_is_memory
            && program.exprs.is_volatile(&program.types, &program.vars, place)
    }
}

/// The program without inputs for reads that lead to its own objects only.
pub(super) fn settle(mut cfa: Cfa) -> Cfa {
    let is_read = |op: &Op| matches!(op, Op::Havoc { source: HavocSource::Volatile, .. });
    let reads: Vec<(EdgeId, PlaceId)> = cfa
        .edges
        .iter()
        .filter(|(_, edge)| is_read(&edge.op))
        .filter_map(|(id, edge)| Some((id, place_of(&cfa, cfa.entering(edge.from))?)))
        .filter(|&(_, place)| matches!(base(&cfa.program.exprs, place), Base::Pointer(_)))
        .collect();
    if reads.is_empty() {
        return cfa;
    }
    let points_to = PointsTo::new(&cfa);
    let (mut own, mut mixed) = (Vec::new(), Vec::new());
    for (edge, place) in reads {
        match seen_objects(&cfa, &points_to, place) {
            Seen::None => own.push(edge),
            Seen::Some => mixed.push(edge),
            Seen::All => {}
        }
    }
    for edge in own {
        cfa.edges[edge].op = Op::Skip;
    }
    for edge in mixed {
        if let Op::Havoc { source, .. } = &mut cfa.edges[edge].op {
            *source = HavocSource::MaybeVolatile;
        }
    }
    cfa
}

/// The place that the edge before such an input reads.
fn place_of(cfa: &Cfa, entering: &[EdgeId]) -> Option<PlaceId> {
    let &[before] = entering else { return None };
    let Op::Assign { value, .. } = cfa.edges[before].op else { return None };
    match cfa.program.exprs.expr(value).kind {
        ExprKind::Load(place) => Some(place),
        _ => None,
    }
}

/// Which of the objects that a place may lie in can something else write to?
enum Seen {
    None,
    Some,
    All,
}

fn seen_objects(cfa: &Cfa, points_to: &PointsTo, place: PlaceId) -> Seen {
    let classes = points_to.of_place(place);
    let objects = classes.iter().flat_map(|&class| points_to.variables(class));
    let (seen, own): (Vec<VarId>, Vec<VarId>) = objects.partition(|&&var| is_seen(cfa, var));
    let has_own = !own.is_empty() || classes.iter().any(|&class| !points_to.allocations(class).is_empty());
    let is_outside = classes.iter().any(|&class| points_to.is_unknown(class));
    match (has_own, is_outside || !seen.is_empty()) {
        (true, false) => Seen::None,
        (true, true) => Seen::Some,
        (false, _) => Seen::All,
    }
}

/// May something else write to the variable?
fn is_seen(cfa: &Cfa, var: VarId) -> bool {
    let (types, variable) = (&cfa.program.types, &cfa.program.vars[var]);
    variable.kind.is_static()
        && (variable.is_volatile || has_volatile_member(types, variable.ty, &mut IdSet::new()))
}

fn has_volatile_member(types: &Types, ty: TypeId, seen: &mut IdSet<RecordId>) -> bool {
    let mut todo = vec![ty];
    while let Some(ty) = todo.pop() {
        match *types.get(ty) {
            Type::Array(element, _) => todo.push(element),
            Type::Record(record) if seen.insert(record) => {
                let fields = &types.record(record).fields;
                if fields.iter().any(|field| field.is_volatile) {
                    return true;
                }
                todo.extend(fields.iter().map(|field| field.ty));
            }
            _ => {}
        }
    }
    false
}
