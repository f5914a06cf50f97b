//! Reads of volatile objects through pointers, when it is known where the pointers lead.
//!
//! The builder makes an input of each read through a pointer to volatile (`summa_cfa::build`). A read that
//! can only lead to the program's own objects is none. Where one pointer leads to both kinds of objects, any
//! value is too much for some: proofs hold, but an execution that was given one supports no verdict.

use crate::build::checked;
use summa_base::IdSet;
use summa_c::tree::{ExprKind, PlaceId, VarId};
use summa_c::types::{RecordId, Type, TypeId, Types};
use summa_cfa::syntax::{Base, base};
use summa_cfa::{BuildError, Cfa, EdgeId, HavocSource, Op};
use summa_facts::layout::Layouts;
use summa_facts::points_to::PointsTo;

/// The program without inputs for reads that lead to its own objects only.
pub(crate) fn settle(mut cfa: Cfa) -> Result<Cfa, BuildError> {
    let is_read = |op: &Op| matches!(op, Op::Havoc { source: HavocSource::Volatile, .. });
    let reads: Vec<(EdgeId, PlaceId)> = cfa
        .edges
        .iter()
        .filter(|(_, edge)| is_read(&edge.op))
        .filter_map(|(id, edge)| Some((id, place_of(&cfa, cfa.entering(edge.from))?)))
        .filter(|&(_, place)| matches!(base(&cfa.program.exprs, place), Base::Pointer(_)))
        .collect();
    if reads.is_empty() {
        return Ok(cfa);
    }
    let points_to = PointsTo::new(&cfa, &Layouts::new(&cfa.program.types));
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
    checked(cfa)
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
