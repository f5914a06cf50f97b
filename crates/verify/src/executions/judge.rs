//! Judges executions by a property: which ends violate it, how that is worded, and why some executions
//! support no verdict.

use crate::property::{MemoryCheck, Property};
use summa_c::tree::{FuncId, PlaceKind};
use summa_cfa::library::is_object_of_the_library;
use summa_cfa::{Cfa, EdgeId, ErrorKind, HavocSource, Op};
use summa_facts::idle::Idle;
use summa_interp::{End, FaultKind, FaultSet, InputOrigin, Outcome, Policy, Scalar, Taint};

/// Which faults end an execution when this property is verified.
pub fn policy_for(property: &Property) -> Policy {
    match property {
        Property::Unreachable { .. }
        | Property::NoOverflow
        | Property::NoDivisionByZero
        | Property::ValidShifts
        | Property::Unsupported(_) => {
            Policy { stop: FaultSet::of(checked_faults(property)), ..Policy::reachability() }
        }
        Property::MemorySafety(checks) => {
            let tracks = checks.contains(&MemoryCheck::Track);
            let stop = if tracks { FaultSet::of(&[FaultKind::LostMemory]) } else { FaultSet::NONE };
            Policy { stop, check_leaks: tracks, ..Policy::reachability() }
        }
        Property::MemoryCleanup => Policy {
            stop: FaultSet::of(&[FaultKind::UnfreedMemory]),
            check_leaks: true,
            ..Policy::reachability()
        },
    }
}

/// The violated (sub-)property by name, what happened in words, and where.
pub(super) fn violated(property: &Property, outcome: &Outcome) -> Option<(String, String, EdgeId)> {
    match (property, &outcome.end) {
        (_, End::Error { kind, edge }) if property.is_violated_by(*kind) => {
            Some((property.name().to_owned(), describe_error(*kind), *edge))
        }
        // In automata without checks the interpreter itself finds these.
        (_, End::Fault(fault)) if checked_faults(property).contains(&fault.kind) => {
            Some((property.name().to_owned(), fault.kind.to_string(), fault.edge))
        }
        (Property::MemorySafety(checks), End::Fault(fault)) => {
            let check = memory_check(fault.kind).filter(|check| checks.contains(check))?;
            Some((check.name().to_owned(), fault.kind.to_string(), fault.edge))
        }
        (Property::MemoryCleanup, End::Fault(fault)) if fault.kind == FaultKind::UnfreedMemory => {
            Some((property.name().to_owned(), fault.kind.to_string(), fault.edge))
        }
        _ => None,
    }
}

fn describe_error(kind: ErrorKind) -> String {
    match kind {
        ErrorKind::Call(_) => "an error function is called".to_owned(),
        ErrorKind::Assertion => "an assertion fails".to_owned(),
        ErrorKind::Overflow => FaultKind::SignedOverflow.to_string(),
        ErrorKind::DivisionByZero => FaultKind::DivisionByZero.to_string(),
        ErrorKind::BadShift => FaultKind::BadShift.to_string(),
        ErrorKind::ShiftOverflow => FaultKind::ShiftOverflow.to_string(),
        ErrorKind::NegativeShift => FaultKind::NegativeShift.to_string(),
    }
}

/// The faults of the interpreter that violate a property of arithmetic.
fn checked_faults(property: &Property) -> &'static [FaultKind] {
    match property {
        Property::NoOverflow => &[FaultKind::SignedOverflow, FaultKind::ShiftOverflow],
        Property::NoDivisionByZero => &[FaultKind::DivisionByZero],
        Property::ValidShifts => &[FaultKind::BadShift, FaultKind::ShiftOverflow, FaultKind::NegativeShift],
        Property::Unreachable { .. }
        | Property::MemorySafety(_)
        | Property::MemoryCleanup
        | Property::Unsupported(_) => &[],
    }
}

/// The property that a fault violates, if the fault is a danger for users of the program. A left shift out of
/// the type is none: gcc gives it a meaning. Nor is the use of memory that was never written, which has any
/// value.
pub(super) fn undefined_property(kind: FaultKind) -> Option<Property> {
    match kind {
        FaultKind::SignedOverflow => Some(Property::NoOverflow),
        FaultKind::DivisionByZero => Some(Property::NoDivisionByZero),
        FaultKind::BadShift => Some(Property::ValidShifts),
        _ => memory_check(kind)
            .filter(|check| *check != MemoryCheck::Track)
            .map(|_| Property::MemorySafety(vec![MemoryCheck::Free, MemoryCheck::Deref])),
    }
}

/// The part of memory safety that a fault violates. Writes to constants and the like are undefined, but the
/// property does not speak of them.
fn memory_check(kind: FaultKind) -> Option<MemoryCheck> {
    use FaultKind::*;
    match kind {
        NullDereference | InvalidDereference | OutOfBounds | UseAfterFree | UseAfterScope => {
            Some(MemoryCheck::Deref)
        }
        DoubleFree | InvalidFree => Some(MemoryCheck::Free),
        LostMemory => Some(MemoryCheck::Track),
        SignedOverflow | ShiftOverflow | NegativeShift | DivisionByZero | BadShift | WriteToConstant
        | UninitialisedRead | InvalidCall | OverlappingCopy | UnfreedMemory | Unreachable
        | InvalidArgument => None,
    }
}

/// Why the compiled program may not do what this execution did.
pub(super) fn doubt(cfa: &Cfa, property: &Property, outcome: &Outcome) -> Option<String> {
    let about_memory = matches!(property, Property::MemorySafety(_) | Property::MemoryCleanup);
    let is_harmless = |taint: &&Taint| match taint {
        // Such things are inputs like others, but what a pointer among them points to is unknown.
        Taint::Input(source @ (HavocSource::EntryArgument | HavocSource::Global | HavocSource::Volatile)) => {
            !(about_memory && gives_pointer(cfa, outcome, *source))
        }
        // What another file of the program defines is the environment's choice too, but the C library's
        // objects have values of their own.
        Taint::Input(source @ HavocSource::ExternalObject) => {
            !(about_memory && gives_pointer(cfa, outcome, *source) || uses_library_objects(cfa))
        }
        Taint::Input(HavocSource::Input(_) | HavocSource::Allocation) => true,
        Taint::Input(HavocSource::Assembly | HavocSource::Abstraction | HavocSource::MaybeVolatile) => false,
        Taint::ExternalCall(_) => false,
        Taint::ExternalResult(function) => decides_nothing(cfa, outcome, *function),
    };
    if let Some(taint) = outcome.taints.iter().find(|taint| !is_harmless(taint)) {
        return Some(describe_taint(cfa, *taint));
    }
    if let Some(function) = reads_unwritten_text(cfa, outcome) {
        return Some(format!(
            "where the text ends that `{function}` reads depends on bytes that were never written"
        ));
    }
    let is_arbitrary = |kind| matches!(kind, FaultKind::BadShift | FaultKind::OverlappingCopy);
    let arbitrary = outcome.noted.iter().find(|fault| is_arbitrary(fault.kind));
    arbitrary.map(|fault| format!("it continues after undefined behaviour: {}", fault.kind))
}

/// The function that prints a text beyond its object, after bytes that were never written. Whether that
/// happens depends on those bytes, which the execution chose and a compiled program does not.
fn reads_unwritten_text<'c>(cfa: &'c Cfa, outcome: &Outcome) -> Option<&'c str> {
    let End::Fault(fault) = outcome.end else { return None };
    let Op::Library { model, callee, .. } = cfa.edge(fault.edge).op else { return None };
    let chosen = outcome.inputs.last().is_some_and(|input| {
        input.request.origin == InputOrigin::Uninitialised && input.request.edge == fault.edge
    });
    (chosen && model.description().is_output).then(|| cfa.program.func_name(callee))
}

/// Is the result of this unknown function of no influence wherever an execution got it?
fn decides_nothing(cfa: &Cfa, outcome: &Outcome, function: FuncId) -> bool {
    let idle = Idle::new(cfa);
    let mut results =
        outcome.inputs.iter().filter(|input| input.request.origin == InputOrigin::External(function));
    results.all(|input| idle.edges.contains(input.request.edge))
}

/// What outside of the program took part in an execution.
pub fn describe_taint(cfa: &Cfa, taint: Taint) -> String {
    let name = |function| cfa.program.func_name(function);
    match taint {
        Taint::ExternalCall(function) => format!("`{}` is unknown and got a pointer", name(function)),
        Taint::ExternalResult(function) => format!("the result of `{}` is unknown", name(function)),
        Taint::Input(HavocSource::EntryArgument) => {
            "what the pointers among the arguments of the entry function point to is unknown".to_owned()
        }
        Taint::Input(HavocSource::Global) => {
            "what the pointers in static objects point to at the entry is unknown".to_owned()
        }
        Taint::Input(HavocSource::Volatile) => "what a volatile pointer points to is unknown".to_owned(),
        Taint::Input(HavocSource::MaybeVolatile) => {
            "a pointer leads to volatile objects and to others, and a read through it gave any value"
                .to_owned()
        }
        Taint::Input(HavocSource::Allocation) => "an allocation may fail".to_owned(),
        Taint::Input(HavocSource::Assembly) => "assembly was skipped".to_owned(),
        Taint::Input(HavocSource::ExternalObject) => "it uses an object that no file defines".to_owned(),
        Taint::Input(HavocSource::Abstraction) => "it is one of an abstraction of the program".to_owned(),
        Taint::Input(HavocSource::Input(function)) => {
            format!("the result of `{}` is an input", name(function))
        }
    }
}

/// Is an object of the C library among those that no file defines?
fn uses_library_objects(cfa: &Cfa) -> bool {
    let program = &cfa.program;
    cfa.edges.values().any(|edge| match edge.op {
        Op::Havoc { place, source: HavocSource::ExternalObject } => match program.exprs.place(place).kind {
            PlaceKind::Var(var) => is_object_of_the_library(program.var_name(var)),
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => true,
        },
        _ => false,
    })
}

/// Is there a pointer among the inputs from there?
fn gives_pointer(cfa: &Cfa, outcome: &Outcome, source: HavocSource) -> bool {
    let types = &cfa.program.types;
    let pointer = if types.model.pointer_size() == 4 { Scalar::U32 } else { Scalar::U64 };
    outcome.inputs.iter().any(|input| {
        let is_word = input.request.origin == InputOrigin::Havoc(source) && input.request.scalar == pointer;
        // Numbers are as wide as pointers, so the place distinguishes them.
        is_word
            && cfa
                .edge(input.request.edge)
                .op
                .written()
                .is_none_or(|place| !types.is_integer(cfa.program.exprs.place(place).ty))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_memory_fault_has_a_part_of_the_property() {
        let named: Vec<_> = FaultKind::ALL
            .iter()
            .filter_map(|&kind| Some(format!("{kind}: {}", memory_check(kind)?.name())))
            .collect();
        expect_test::expect![[r#"
            [
                "dereference of a null pointer: valid-deref",
                "dereference of an invalid pointer: valid-deref",
                "access out of bounds: valid-deref",
                "use after free: valid-deref",
                "use of an object after its scope: valid-deref",
                "double free: valid-free",
                "free of an invalid pointer: valid-free",
                "allocated memory to which no pointer is left: valid-memtrack",
            ]
        "#]]
        .assert_debug_eq(&named);
    }
}
