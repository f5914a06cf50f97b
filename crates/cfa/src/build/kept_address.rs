//! Addresses of `errno` that are kept.
//!
//! Code that looks at the object through such a pointer would not see that it changes. So an edge that uses
//! the address for more than accessing the object is not supported.

use super::draft::Draft;
use crate::cfa::Op;
use summa_base::IdSet;
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind, Program, VarId};

pub(super) const KEPT_ADDRESS: &str = "the address of `errno` is kept, and the object changes unseen";

/// Edges that use the address of `errno` for more than accessing the object leave what Summa understands.
pub(super) fn refuse_kept_addresses(draft: &mut Draft, program: &Program, pointers: &IdSet<VarId>) {
    if pointers.is_empty() {
        return;
    }
    for edge in 0..draft.edges_len() {
        let keeps = match draft.op(edge) {
            Op::Assign { place, value } => {
                keeps_place(program, pointers, *place) || keeps(program, pointers, *value)
            }
            Op::Assume { condition, .. } => keeps(program, pointers, *condition),
            Op::Zero { place } | Op::Havoc { place, .. } => keeps_place(program, pointers, *place),
            Op::Call { result, args, .. }
            | Op::External { result, args, .. }
            | Op::Library { result, args, .. } => {
                args.iter().any(|&arg| keeps(program, pointers, arg))
                    || result.is_some_and(|place| keeps_place(program, pointers, place))
            }
            Op::Return { value } => value.is_some_and(|value| keeps(program, pointers, value)),
            Op::Skip
            | Op::Declare { .. }
            | Op::Dead { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. } => false,
        };
        if keeps {
            draft.make_unsupported(edge, KEPT_ADDRESS);
        }
    }
}

fn keeps(program: &Program, pointers: &IdSet<VarId>, expr: ExprId) -> bool {
    let (mut exprs, mut places) = (vec![expr], Vec::new());
    search(program, pointers, &mut exprs, &mut places)
}

fn keeps_place(program: &Program, pointers: &IdSet<VarId>, place: PlaceId) -> bool {
    let (mut exprs, mut places) = (Vec::new(), vec![place]);
    search(program, pointers, &mut exprs, &mut places)
}

/// Is one of the pointers used for anything but `*pointer`?
fn search(
    program: &Program,
    pointers: &IdSet<VarId>,
    exprs: &mut Vec<ExprId>,
    places: &mut Vec<PlaceId>,
) -> bool {
    let tree = &program.exprs;
    let is_ours = |place: PlaceId| match tree.place(place).kind {
        PlaceKind::Var(var) => pointers.contains(var),
        PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => false,
    };
    let (mut seen_exprs, mut seen_places) = (IdSet::new(), IdSet::new());
    loop {
        if let Some(expr) = exprs.pop() {
            if !seen_exprs.insert(expr) {
                continue;
            }
            match tree.expr(expr).kind {
                ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                ExprKind::Load(place) if is_ours(place) => return true,
                ExprKind::Addr(place) => match tree.place(place).kind {
                    // `&*pointer` is the pointer.
                    PlaceKind::Deref(pointer) => exprs.push(pointer),
                    _ if is_ours(place) => return true,
                    _ => places.push(place),
                },
                ExprKind::Load(place) => places.push(place),
                ExprKind::Unary(_, a) | ExprKind::Cast(a) => exprs.push(a),
                ExprKind::Binary(_, a, b) => exprs.extend([a, b]),
            }
        } else if let Some(place) = places.pop() {
            if !seen_places.insert(place) {
                continue;
            }
            match tree.place(place).kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Deref(pointer) => match tree.expr(pointer).kind {
                    ExprKind::Load(inner) if is_ours(inner) => {}
                    _ => exprs.push(pointer),
                },
                PlaceKind::Field(base, _) => places.push(base),
                PlaceKind::Index(base, index) => {
                    places.push(base);
                    exprs.push(index);
                }
            }
        } else {
            return false;
        }
    }
}
