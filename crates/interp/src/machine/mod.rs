//! One run: the state of the machine, and everything around the instructions: faults, inputs, the end.

mod access;
mod arith;
mod call;
mod execute;

use crate::bytecode::Code;
use crate::compile::{Program, Shows};
use crate::coverage::Coverage;
use crate::inputs::{InputOrigin, InputRecord, InputRequest, InputSource};
use crate::memory::object::ObjectKind;
use crate::memory::shared::Hole;
use crate::memory::{Memory, Refusal};
use crate::observer::Observer;
use crate::outcome::{End, Fault, FaultKind, Outcome, Taint, work};
use crate::policy::Policy;
use crate::scalar::Scalar;
use summa_base::FxHashSet;
use summa_base::clock::{self, Unit};
use summa_c::tree::VarId;
use summa_cfa::{EdgeId, HaltKind, HavocSource, NodeId};

/// The run is over; `Machine::end` says how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop;

pub(crate) type Flow<T> = Result<T, Stop>;

/// A caller waiting for its callee.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'r> {
    pub(crate) code: &'r Code,
    pub(crate) base: usize,
    /// The next instruction.
    pub(crate) pc: usize,
}

/// The bytes of a record that a function returned.
#[derive(Default)]
pub(crate) struct ReturnedRecord {
    pub(crate) data: Vec<u8>,
    /// Bytes that were never written.
    pub(crate) holes: Vec<Hole>,
}

pub(crate) struct Machine<'r> {
    pub(crate) program: &'r Program<'r>,
    pub(crate) policy: &'r Policy,
    pub(crate) memory: Memory,
    pub(crate) globals: Vec<u64>,
    pub(crate) frames: Vec<Frame<'r>>,
    /// Objects from `alloca` with the depth of their frame.
    pub(crate) allocas: Vec<(usize, u64)>,
    pub(crate) returned: ReturnedRecord,
    inputs: &'r mut dyn InputSource,
    /// The inputs give values for locals that are not written yet.
    pub(crate) foresees: bool,
    pub(crate) observer: Option<&'r mut dyn Observer>,
    coverage: Option<&'r mut Coverage>,
    pub(crate) records: Vec<InputRecord>,
    noted: Vec<Fault>,
    noted_before: FxHashSet<(FaultKind, EdgeId)>,
    taints: Vec<Taint>,
    /// Calls of `malloc` so far.
    pub(crate) allocations: u32,
    /// Calls of all functions that ask for memory.
    pub(crate) requests: u64,
    pub(crate) output: Vec<u8>,
    pub(crate) end: Option<End>,
    exit_code: i32,
    // Where the machine is, kept up to date at slow instructions.
    pub(crate) code: &'r Code,
    /// One past the current instruction.
    pub(crate) pc: usize,
    /// Steps left of those granted so far.
    pub(crate) fuel: i64,
    granted: u64,
    /// The work that was counted so far.
    counted: u64,
}

/// Steps between two looks at the clock.
const FUEL: u64 = 1 << 14;

impl<'r> Machine<'r> {
    pub(crate) fn run(
        program: &'r Program<'r>,
        inputs: &'r mut dyn InputSource,
        policy: &'r Policy,
        observer: Option<&'r mut dyn Observer>,
        coverage: Option<&'r mut Coverage>,
    ) -> Outcome {
        static NOTHING: std::sync::LazyLock<Code> = std::sync::LazyLock::new(Code::default);
        let memory = program.memory.instantiate(policy.max_memory).filter(|_| program.too_large.is_none());
        let too_large = memory.is_none();
        let mut machine = Self {
            program,
            policy,
            memory: memory.unwrap_or_else(|| Memory::new(program.cfa.program.types.model, 0)),
            globals: vec![0; program.global_slots as usize],
            frames: Vec::new(),
            allocas: Vec::new(),
            returned: ReturnedRecord::default(),
            foresees: inputs.knows_initial(),
            inputs,
            observer,
            coverage,
            records: Vec::new(),
            noted: Vec::new(),
            noted_before: FxHashSet::default(),
            taints: Vec::new(),
            allocations: 0,
            requests: 0,
            output: Vec::new(),
            end: None,
            exit_code: 0,
            code: &NOTHING,
            pc: 0,
            fuel: 0,
            granted: 0,
            counted: 0,
        };
        let mut stack = Vec::new();
        let Stop = if too_large {
            machine.stop(End::MemoryLimit)
        } else {
            match machine.foresee_statics() {
                Ok(()) => machine.execute(&mut stack),
                Err(stop) => stop,
            }
        };
        machine.finish(&stack)
    }

    /// `stack` are the slots of the frames that are still there.
    fn finish(mut self, stack: &[u64]) -> Outcome {
        let mut end = self.end.take().unwrap_or(End::StepLimit);
        // Ends in the middle of a straight run: its edges up to here are not counted yet.
        let inside =
            !matches!(end, End::StepLimit | End::Interrupted(_) | End::MemoryLimit | End::AddressLimit);
        let uncounted = if inside { self.code.mark(self.current_pc()).map_or(0, |mark| mark.nth) } else { 0 };
        // An error call ends the program too: memory that is not freed by then never will be.
        let is_end = matches!(end, End::Returned(_) | End::Exit)
            || matches!(end, End::Error { .. }) && self.policy.stop.contains(FaultKind::UnfreedMemory);
        if self.policy.check_leaks && is_end {
            end = self.check_leaks(end, stack);
        }
        let steps = self.granted.saturating_add_signed(-self.fuel) + u64::from(uncounted);
        self.count(steps);
        Outcome {
            end,
            steps,
            moved: self.memory.moved,
            inputs: self.records,
            noted: self.noted,
            taints: self.taints,
            output: self.output,
            requests: self.requests,
        }
    }

    fn check_leaks(&mut self, end: End, stack: &[u64]) -> End {
        let globals = self.program.global_pointers.iter().map(|&slot| self.globals[slot as usize]);
        // After `main` returned the frames are gone; otherwise they are still there.
        let locals = if matches!(end, End::Returned(_)) { &[] } else { stack };
        let leaks = self.memory.leaks(globals.chain(locals.iter().copied()));
        for (found, kind) in [(leaks.lost, FaultKind::LostMemory), (leaks.unfreed, FaultKind::UnfreedMemory)]
        {
            if found > 0 && self.note(kind).is_err() {
                return self.end.take().unwrap_or(end);
            }
        }
        end
    }

    // ---- ends and faults ----

    fn current_pc(&self) -> u32 {
        self.pc.saturating_sub(1) as u32
    }

    /// The edge that is being executed.
    pub(crate) fn edge(&self) -> EdgeId {
        let first = || summa_base::Id::from_index(0);
        self.code.mark(self.current_pc()).map_or_else(first, |mark| mark.edge)
    }

    #[cold]
    pub(crate) fn stop(&mut self, end: End) -> Stop {
        self.end.get_or_insert(end);
        Stop
    }

    #[cold]
    pub(crate) fn unsupported(&mut self, what: impl Into<String>) -> Stop {
        let edge = self.edge();
        self.stop(End::Unsupported { what: what.into(), edge })
    }

    /// A fault happened: the run ends, or the fault is noted and the run continues.
    #[cold]
    pub(crate) fn note(&mut self, kind: FaultKind) -> Flow<()> {
        let fault = Fault { kind, edge: self.edge() };
        if self.policy.stops_at(kind) {
            return Err(self.stop(End::Fault(fault)));
        }
        if self.noted_before.insert((kind, fault.edge)) {
            self.noted.push(fault);
        }
        Ok(())
    }

    /// Memory refused an access, so the run cannot continue.
    #[cold]
    pub(crate) fn refuse(&mut self, refusal: Refusal) -> Stop {
        let edge = self.edge();
        match refusal {
            Refusal::Fault(kind) => self.stop(End::Fault(Fault { kind, edge })),
            Refusal::MemoryLimit => self.stop(End::MemoryLimit),
            Refusal::AddressLimit => self.stop(End::AddressLimit),
            Refusal::Unsized => self.unsupported("access to an object that is declared without a size"),
        }
    }

    pub(crate) fn halt(&mut self, kind: HaltKind) -> Stop {
        let edge = self.edge();
        let end = match kind {
            HaltKind::Exit if self.frames.is_empty() => End::Returned(self.exit_code),
            HaltKind::Exit => End::Exit,
            HaltKind::Abort => End::Abort,
            HaltKind::Assumption => End::AssumptionFailed,
            HaltKind::Undefined => End::Fault(Fault { kind: self.undefined_kind(edge), edge }),
        };
        self.stop(end)
    }

    /// Undefined behaviour that is an edge of its own: a call through a bad pointer, or a broken promise.
    fn undefined_kind(&self, edge: EdgeId) -> FaultKind {
        let cfa = self.program.cfa;
        let from_pointer = cfa.entering(cfa.edge(edge).from).iter().any(|&before| {
            let pointer = summa_cfa::AssumeOrigin::FunctionPointer;
            matches!(cfa.edge(before).op, summa_cfa::Op::Assume { origin, .. } if origin == pointer)
        });
        if from_pointer { FaultKind::InvalidCall } else { FaultKind::Unreachable }
    }

    /// Counts steps, and bytes that were moved without steps, as work of this thread.
    fn count(&mut self, steps: u64) {
        let work = work(steps, self.memory.moved);
        clock::count(Unit::Step, work.saturating_sub(self.counted));
        self.counted = work;
    }

    /// The fuel is used up: grants more, or ends the run.
    #[cold]
    pub(crate) fn refuel(&mut self) -> Flow<()> {
        let used = self.granted.saturating_add_signed(-self.fuel);
        if used >= self.policy.max_steps {
            return Err(self.stop(End::StepLimit));
        }
        self.count(used);
        if let Err(why) = self.policy.budget.check_now() {
            return Err(self.stop(End::Interrupted(why)));
        }
        let more = FUEL.min(self.policy.max_steps - used);
        self.granted = used + more;
        self.fuel = more as i64;
        Ok(())
    }

    // ---- inputs ----

    /// Takes a value from the inputs and records it.
    pub(crate) fn input(&mut self, scalar: Scalar, origin: InputOrigin) -> Flow<u128> {
        match origin {
            InputOrigin::Havoc(source) if !matches!(source, HavocSource::Input(_)) => {
                self.taint(Taint::Input(source));
            }
            InputOrigin::External(function) => self.taint(Taint::ExternalResult(function)),
            _ => {}
        }
        let request = InputRequest { scalar, origin, edge: self.edge() };
        let Some(value) = self.inputs.next(&request) else {
            return Err(self.stop(End::OutOfInputs));
        };
        let bits = value.to_bits(scalar);
        self.record(scalar, origin, bits)?;
        Ok(bits)
    }

    /// An undetermined value was used. If it is a pointer, it may lead to memory of the environment. Such
    /// pointers come from input functions, from the environment, or from memory that the program has not
    /// written.
    pub(crate) fn record(&mut self, scalar: Scalar, origin: InputOrigin, bits: u128) -> Flow<()> {
        let request = InputRequest { scalar, origin, edge: self.edge() };
        self.records.push(InputRecord { request, bits, allocated: None });
        let recorded = (self.records.len() * size_of::<InputRecord>()) as u64;
        if recorded + self.memory.used() > self.policy.max_memory {
            return Err(self.stop(End::MemoryLimit));
        }
        use HavocSource::{EntryArgument, Global, Input, Volatile};
        let is_given = matches!(
            origin,
            InputOrigin::Havoc(Input(_) | EntryArgument | Global | Volatile) | InputOrigin::Uninitialised
        );
        if is_given && scalar == self.pointer_kind() {
            self.memory.take_from_environment(bits as u64, request.edge);
        }
        Ok(())
    }

    /// The value of a local until it is written, if the inputs know it.
    pub(crate) fn initial(&mut self, var: VarId, scalar: Scalar) -> Option<u128> {
        self.inputs.initial(var, scalar).map(|value| value.to_bits(scalar))
    }

    pub(crate) fn taint(&mut self, taint: Taint) {
        if !self.taints.contains(&taint) {
            self.taints.push(taint);
        }
    }

    /// What code must report to observers.
    pub(crate) fn shows(&self) -> Shows {
        match (&self.observer, &self.coverage) {
            (Some(_), _) => Shows::Edges,
            (None, Some(_)) => Shows::Coverage,
            (None, None) => Shows::Nothing,
        }
    }

    /// A branch led here.
    #[inline]
    pub(crate) fn cover(&mut self, node: NodeId) {
        if let Some(coverage) = &mut self.coverage {
            coverage.reach(node, self.records.len());
        }
    }

    /// Literals become read-only once the program proper runs.
    pub(crate) fn freeze(&mut self) {
        for object in &mut self.memory.objects {
            object.read_only |= object.kind == ObjectKind::Literal;
        }
    }
}
