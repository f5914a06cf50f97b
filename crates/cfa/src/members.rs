//! Which indices may leave the member that they are applied to.
//!
//! `s.a[i]` with an `i` beyond the array `a` stays inside of `s` and means a neighbour of `a`. C leaves this
//! undefined (6.5.6), but programs do it, and the interpreter carries it out. There are two ways to analyse
//! such a program:
//!
//! * *Members as one.* Points-to takes the members of such an object for one class of bytes. That is exact,
//!   but says little.
//! * *Members apart* ([`Cfa::members_apart`](crate::Cfa::members_apart)). The automata get a branch before
//!   each index that types and constants do not bound ([`crate::build::ranges`], `build/checks/indices.rs`).
//!   The other side of the branch leaves what Summa understands, so a proof must exclude it.
//!
//! Members apart are tried first. If no engine excludes those branches, the program is built again without
//! them.
//!
//! A pointer keeps the whole object that it was made from. Pointer arithmetic in other steps than whole
//! objects makes one class of the object.
//!
//! The last member of a struct may be an array that is longer than it says (`a[]`, `a[0]`, `a[1]`): nothing
//! is behind it.

use crate::build::ranges::Ranges;
use crate::cfa::Cfa;
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind, Program};
use summa_c::types::{ArrayLen, Type, TypeId, Types};

/// How far an index may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The array is all of an object, or a row of such an array: beyond it there is nothing, or its own
    /// elements.
    Object,
    /// Inside of the member, whatever the values of variables are.
    Inside,
    /// It depends on the values of variables: allowed from 0 up to this number; None if there is no end.
    Asked(Option<u64>),
    /// Always outside.
    Outside,
    /// The array lies behind this pointer, which may lead into a member.
    Behind(ExprId),
}

/// The meaning of an index of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub reach: Reach,
    /// The array is the last member of its struct and may continue behind it.
    pub is_tail: bool,
}

/// How far `index` may go in the array that the place `array` is.
pub fn reach(program: &Program, ranges: &mut Ranges, array: PlaceId, index: ExprId) -> Use {
    let use_of = |reach| Use { reach, is_tail: false };
    let holder = under_indices(program, array);
    let is_tail = match program.exprs.place(holder).kind {
        PlaceKind::Var(_) => return use_of(Reach::Object),
        PlaceKind::Deref(_) | PlaceKind::Index(..) => false,
        PlaceKind::Field(..) if is_all_of_variable(program, holder) => return use_of(Reach::Object),
        PlaceKind::Field(..) => holder == array && is_tail(program, array),
    };
    let Type::Array(_, length) = *program.types.get(program.exprs.place(array).ty) else {
        return use_of(Reach::Object);
    };
    let last = match length {
        ArrayLen::Fixed(length) => i128::from(length) - 1,
        ArrayLen::Unknown | ArrayLen::Variable(_) => -1,
    };
    let last = if is_tail { i128::MAX } else { last };
    let (low, high) = ranges.of(program, index).unwrap_or((i128::MIN, i128::MAX));
    let reach = if low >= 0 && high <= last {
        Reach::Inside
    } else if high < 0 || low > last {
        Reach::Outside
    } else {
        Reach::Asked(u64::try_from(last).ok())
    };
    let reach = match (program.exprs.place(holder).kind, reach) {
        (PlaceKind::Deref(pointer), Reach::Asked(_) | Reach::Outside) => Reach::Behind(pointer),
        (_, reach) => reach,
    };
    Use { reach, is_tail }
}

/// Does an execution that passes the branches of the automata stay in the member (or row) `array` when it
/// uses `index` there?
pub fn stays_in_member(cfa: &Cfa, array: PlaceId, index: ExprId) -> bool {
    let found = reach(&cfa.program, &mut Ranges::default(), array, index);
    match found.reach {
        Reach::Inside => !found.is_tail,
        Reach::Asked(_) => cfa.members_apart && !found.is_tail,
        Reach::Object | Reach::Outside | Reach::Behind(_) => false,
    }
}

/// The bytes from an offset in an object of this type to the end of the scalar, or array of scalars, at this
/// offset.
pub fn room_behind(types: &Types, whole: TypeId, offset: u64) -> u64 {
    let (mut ty, mut at) = (whole, offset);
    // The rest of the outermost array that is surrounded only by arrays.
    let mut room: Option<u64> = None;
    loop {
        match *types.get(ty) {
            Type::Array(element, _) => {
                let Some(size) = types.size_of(ty) else { return 0 };
                room = room.or(size.checked_sub(at));
                let Some(step) = types.size_of(element).filter(|&step| step > 0) else { return 0 };
                (ty, at) = (element, at % step);
            }
            Type::Record(record) if !types.record(record).is_union => {
                room = None;
                let fields = &types.record(record).fields;
                let Some(field) = fields.iter().rev().find(|field| field.offset <= at) else { return 0 };
                (ty, at) = (field.ty, at - field.offset);
            }
            _ => return room.or_else(|| types.size_of(ty)?.checked_sub(at)).unwrap_or(0),
        }
    }
}

/// The place under all indices, and under `*&`.
fn under_indices(program: &Program, mut place: PlaceId) -> PlaceId {
    loop {
        match program.exprs.place(place).kind {
            PlaceKind::Index(inner, _) => place = inner,
            PlaceKind::Deref(pointer) => match program.exprs.expr(pointer).kind {
                ExprKind::Addr(inner) => place = inner,
                _ => return place,
            },
            PlaceKind::Var(_) | PlaceKind::Field(..) => return place,
        }
    }
}

/// Is it a whole variable, apart from structs around it that contain nothing else?
fn is_all_of_variable(program: &Program, mut place: PlaceId) -> bool {
    loop {
        match program.exprs.place(place).kind {
            PlaceKind::Var(_) => return true,
            PlaceKind::Field(inner, _) => {
                let record = program.types.record_of(program.exprs.place(inner).ty);
                let is_alone = |record| {
                    let record = program.types.record(record);
                    record.is_union || record.fields.len() == 1
                };
                if !record.is_some_and(is_alone) {
                    return false;
                }
                place = inner;
            }
            PlaceKind::Index(..) | PlaceKind::Deref(_) => return false,
        }
    }
}

/// Is it the last member of all that it is part of, and an array of open length?
fn is_tail(program: &Program, array: PlaceId) -> bool {
    let is_open = match *program.types.get(program.exprs.place(array).ty) {
        Type::Array(_, length) => matches!(length, ArrayLen::Unknown | ArrayLen::Fixed(0 | 1)),
        _ => false,
    };
    let mut at = array;
    while let PlaceKind::Field(inner, index) = program.exprs.place(at).kind {
        let record = program.types.record_of(program.exprs.place(inner).ty);
        let is_last = record.is_some_and(|record| {
            let record = program.types.record(record);
            !record.is_union && index as usize + 1 == record.fields.len()
        });
        if !is_last || !is_open {
            return false;
        }
        at = inner;
    }
    // An element of an array has others behind it.
    is_open && !matches!(program.exprs.place(at).kind, PlaceKind::Index(..))
}

/// The place that a pointer leads to which is made by moving from the first element of an array: `&a[0] + i`
/// is `&a[i]`. The array and the index, if the pointer counts elements of the array.
pub fn moved(program: &Program, pointer: ExprId) -> Option<PlaceId> {
    let ExprKind::Addr(first) = program.exprs.expr(pointer).kind else { return None };
    let PlaceKind::Index(array, zero) = program.exprs.place(first).kind else { return None };
    let counts_elements =
        program.types.pointee(program.exprs.type_of(pointer)) == Some(program.exprs.place(first).ty);
    (program.exprs.as_int(zero) == Some(0) && counts_elements).then_some(array)
}
