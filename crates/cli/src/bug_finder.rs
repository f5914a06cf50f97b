//! The search for concrete bugs: executions with zero, small and random inputs and with constants of the program, first
//! many short ones, then fewer long ones, until one violates the property ([`hunt`]). If engines find nothing either, executions continue others
//! that led somewhere new ([`guided`]). What is found, here or by an engine, is made simpler before it is shown ([`mod@shrink`]).
//!
//! Everything is fixed by the program and the property: seeds are counted, rounds are limited in steps. Only a budget that is nearly
//! used up can end the search early. A violation counts only if a second execution with the recorded inputs ends in the same
//! way, and if nothing outside of the program had a part in it; otherwise it is reported as doubtful.

mod guided;
mod hunt;
mod inputs;
mod shrink;

use crate::property::{MemoryCheck, Property};
use guided::Guided;
pub(crate) use hunt::{Effort, Hunt};
use inputs::Inputs;
pub(crate) use shrink::shrink;
use summa_base::{Budget, Exhausted};
use summa_c::tree::{BinaryOp, ExprId, ExprKind};
use summa_cfa::{Cfa, EdgeId, ErrorKind, HavocSource};
use summa_interp::{
    End, Fault, FaultKind, FaultSet, InputOrigin, InputRecord, InputSource, List, Outcome, Policy, Program,
    Scalar, Taint, Zeros,
};

/// What a search came to.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) violation: Option<Violation>,
    /// A violation that supports no verdict, and why.
    pub(crate) doubtful: Option<(Violation, String)>,
    /// The first construct without support that an execution ran into.
    pub(crate) unsupported: Option<(String, EdgeId)>,
    /// Why the search ended before its time.
    pub(crate) stopped: Option<Exhausted>,
    /// The program asks for no inputs and its only execution ended.
    pub(crate) is_exhaustive: bool,
    /// It ended by returning from the entry function or by a call of `exit` or `abort`; nothing in it was undefined or unknown.
    is_clean: bool,
    pub(crate) runs: u64,
    /// Undefined behaviour that the property does not ask for: an execution ended there.
    pub(crate) undefined: Option<Fault>,
    /// The first executions that ran into undefined behaviour: one that ended there, and one that went on.
    faulty: [Option<(FaultKind, Vec<InputRecord>)>; 2],
    /// Of these, how many stopped at an assumption that did not hold.
    pub(crate) excluded: u64,
    pub(crate) steps: u64,
    /// Of the last execution alone.
    pub(crate) last_steps: u64,
}

/// An execution that violates the property.
#[derive(Debug)]
pub(crate) struct Violation {
    /// For the verdict: the property or the violated part of it.
    pub(crate) property: String,
    /// In words.
    pub(crate) what: String,
    pub(crate) edge: EdgeId,
    pub(crate) outcome: Outcome,
}

/// The length of an execution that continues another one.
const GUIDED_STEPS: u64 = 40_000;

/// Memory of the interpreted program; generous for a search among small executions.
const MAX_MEMORY: u64 = 256 << 20;

/// Executions that were asked for end by themselves, or with the time.
const CONFIRM_STEPS: u64 = u64::MAX;

/// Looks for a violation by executions that continue others ([`guided`]), as long as they lead somewhere new.
pub(crate) fn search_guided(cfa: &Cfa, property: &Property, effort: Effort, budget: &Budget) -> Search {
    let budget = &budget.at_most(effort.time);
    let program = Program::new(cfa);
    let again = Policy { budget: budget.clone(), max_memory: MAX_MEMORY, ..policy_for(property) };
    let policy = Policy { max_steps: GUIDED_STEPS, ..again.clone() };
    let mut search = Search::default();
    let inputs = Inputs::new(cfa);
    let mut guided = Guided::new(cfa, &inputs);
    while guided.is_promising() && guided.work() < effort.steps {
        let outcome = guided.run(&program, &policy);
        if search.take(&program, &again, property, outcome) {
            break;
        }
    }
    search
}

/// Executes the program with the given inputs: does that violate the property? If so it is repeated, in the time of the whole run.
pub(crate) fn confirm(
    cfa: &Cfa,
    property: &Property,
    inputs: &mut dyn InputSource,
    budget: &Budget,
    whole: &Budget,
) -> Search {
    let program = Program::new(cfa);
    let policy = Policy {
        budget: budget.clone(),
        max_memory: MAX_MEMORY,
        max_steps: CONFIRM_STEPS,
        ..policy_for(property)
    };
    let mut search = Search::default();
    let outcome = summa_interp::run(&program, inputs, &policy);
    let again = Policy { budget: whole.clone(), ..policy };
    search.take(&program, &again, property, outcome);
    search
}

impl Search {
    /// Is the only execution of the program a proof? It must have come to its end, on its own, and nothing in it may depend on
    /// where the interpreter puts objects, which no compiler does in the same way.
    fn is_proof(&self, cfa: &Cfa) -> bool {
        self.is_exhaustive && self.is_clean && self.doubtful.is_none() && !uses_addresses(cfa)
    }

    /// The same, and a second execution without inputs ends as the first one did.
    pub(crate) fn is_repeated_proof(&self, cfa: &Cfa, property: &Property, budget: &Budget) -> bool {
        self.is_proof(cfa) && {
            let again = confirm(cfa, property, &mut Zeros, budget, budget);
            again.is_proof(cfa) && again.violation.is_none() && again.last_steps == self.last_steps
        }
    }

    /// The properties that executions violated by their undefined behaviour, with the inputs of those.
    pub(crate) fn undefined(&self) -> impl Iterator<Item = (Property, List)> + '_ {
        let found = self.faulty.iter().flatten();
        found.filter_map(|(kind, inputs)| Some((undefined_property(*kind)?, List::replay(inputs))))
    }

    /// Learns from an execution, which is repeated with this policy if it violates the property. True: the search is over.
    fn take(&mut self, program: &Program<'_>, again: &Policy, property: &Property, outcome: Outcome) -> bool {
        self.runs += 1;
        self.steps += outcome.steps;
        self.last_steps = outcome.steps;
        self.excluded += u64::from(outcome.end == End::AssumptionFailed);
        if let End::Fault(fault) = &outcome.end {
            self.undefined.get_or_insert(*fault);
            self.faulty[0].get_or_insert_with(|| (fault.kind, outcome.inputs.clone()));
        } else if let Some(fault) =
            outcome.noted.iter().find(|fault| undefined_property(fault.kind).is_some())
        {
            self.faulty[1].get_or_insert_with(|| (fault.kind, outcome.inputs.clone()));
        }
        match &outcome.end {
            End::Interrupted(why) => self.stopped = Some(*why),
            End::Unsupported { what, edge } if self.unsupported.is_none() => {
                self.unsupported = Some((what.clone(), *edge));
            }
            End::StepLimit | End::MemoryLimit | End::AddressLimit | End::Unsupported { .. } => {}
            end => {
                self.is_exhaustive = outcome.inputs.is_empty();
                let is_end = matches!(end, End::Returned(_) | End::Exit | End::Abort);
                self.is_clean = is_end && outcome.taints.is_empty() && outcome.noted.is_empty();
            }
        }
        self.judge(program, again, property, outcome);
        self.violation.is_some() || self.stopped.is_some() || self.is_exhaustive
    }

    /// Does this execution violate the property?
    fn judge(&mut self, program: &Program<'_>, again: &Policy, property: &Property, outcome: Outcome) {
        let Some((name, what, edge)) = violated(property, &outcome) else { return };
        let doubt = doubt(program.cfa, property, &outcome);
        let violation = Violation { property: name, what, edge, outcome };
        match doubt {
            None => {
                let mut inputs = List::replay(&violation.outcome.inputs);
                let again = summa_interp::run(program, &mut inputs, again);
                let is_same = again.end == violation.outcome.end && again.steps == violation.outcome.steps;
                if is_same {
                    self.violation = Some(violation);
                } else if let End::Interrupted(why) = again.end {
                    self.stopped = Some(why);
                } else if self.doubtful.is_none() {
                    self.doubtful = Some((violation, "the execution could not be repeated".to_owned()));
                }
            }
            Some(why) if self.doubtful.is_none() => self.doubtful = Some((violation, why)),
            Some(_) => {}
        }
    }
}

/// Is there anything in the program whose value depends on the addresses of objects: numbers made of pointers, or the order of
/// pointers?
fn uses_addresses(cfa: &Cfa) -> bool {
    use BinaryOp::{Ge, Gt, Le, Lt};
    let (exprs, types) = (&cfa.program.exprs, &cfa.program.types);
    let is_pointer = |value: ExprId| types.is_pointer(exprs.type_of(value));
    exprs.expr_ids().any(|value| match exprs.expr(value).kind {
        ExprKind::Cast(inner) => is_pointer(inner) && !is_pointer(value) && exprs.as_int(inner).is_none(),
        ExprKind::Binary(Lt | Le | Gt | Ge, a, _) => is_pointer(a),
        _ => false,
    })
}

/// Which faults end an execution when this property is at stake.
pub(crate) fn policy_for(property: &Property) -> Policy {
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
fn violated(property: &Property, outcome: &Outcome) -> Option<(String, String, EdgeId)> {
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

/// The property that speaks of a fault, if whoever runs the program must fear it. A left shift out of the type is none: gcc gives it a
/// meaning. What was never written has any value.
fn undefined_property(kind: FaultKind) -> Option<Property> {
    match kind {
        FaultKind::SignedOverflow => Some(Property::NoOverflow),
        FaultKind::DivisionByZero => Some(Property::NoDivisionByZero),
        FaultKind::BadShift => Some(Property::ValidShifts),
        _ => memory_check(kind)
            .filter(|check| *check != MemoryCheck::Track)
            .map(|_| Property::MemorySafety(vec![MemoryCheck::Free, MemoryCheck::Deref])),
    }
}

/// The part of memory safety that a fault violates. Writes to constants and the like are undefined, but the property
/// does not speak of them.
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
fn doubt(cfa: &Cfa, property: &Property, outcome: &Outcome) -> Option<String> {
    let about_memory = matches!(property, Property::MemorySafety(_) | Property::MemoryCleanup);
    let is_harmless = |taint: &&Taint| match taint {
        // Such things are inputs like others, but what a pointer among them points to is unknown.
        Taint::Input(source @ (HavocSource::EntryArgument | HavocSource::Global | HavocSource::Volatile)) => {
            !(about_memory && gives_pointer(cfa, outcome, *source))
        }
        Taint::Input(HavocSource::Input(_) | HavocSource::Allocation) => true,
        Taint::Input(
            HavocSource::Assembly
            | HavocSource::ExternalObject
            | HavocSource::Abstraction
            | HavocSource::MaybeVolatile,
        ) => false,
        Taint::ExternalCall(_) | Taint::ExternalResult(_) => false,
    };
    if let Some(taint) = outcome.taints.iter().find(|taint| !is_harmless(taint)) {
        return Some(describe_taint(cfa, *taint));
    }
    let is_arbitrary = |kind| matches!(kind, FaultKind::BadShift | FaultKind::OverlappingCopy);
    let arbitrary = outcome.noted.iter().find(|fault| is_arbitrary(fault.kind));
    arbitrary.map(|fault| format!("it goes on after undefined behaviour: {}", fault.kind))
}

/// What outside of the program had a part in an execution.
pub(crate) fn describe_taint(cfa: &Cfa, taint: Taint) -> String {
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

/// Is there a pointer among the inputs from there?
fn gives_pointer(cfa: &Cfa, outcome: &Outcome, source: HavocSource) -> bool {
    let types = &cfa.program.types;
    let pointer = if types.model.pointer_size() == 4 { Scalar::U32 } else { Scalar::U64 };
    outcome.inputs.iter().any(|input| {
        let is_word = input.request.origin == InputOrigin::Havoc(source) && input.request.scalar == pointer;
        // Numbers are as wide as pointers: the place tells them apart.
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
