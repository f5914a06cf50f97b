//! `summa run`: execute the program once and say how it ended.

use crate::args::Run;
use crate::console::{Console, grouped};
use crate::diagnostics::place;
use crate::process::{Limits, OutputRight, within};
use crate::trace::Printer;
use crate::verdict::Exit;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{EdgeId, ErrorKind, HavocSource};
use summa_interp::{
    End, FaultKind, FaultSet, InputRequest, InputSource, InputValue, List, Outcome, Policy, Program, Random,
    Taint, Zeros,
};
use summa_verify::Automata;
use summa_verify::executions::describe_taint;

/// Memory of the interpreted program, unless the user limits it.
const MAX_MEMORY: u64 = 2 << 30;

pub(crate) fn run(options: &Run, budget: Budget) -> Exit {
    let report = Console::new(false);
    let (word, budget) = (OutputRight::default(), within(&budget, options.time_limit, None));
    let limits = Limits::of(&budget, options.input.memory_limit, Duration::ZERO);
    word.watch(limits, Exit::Unknown, move |limit| {
        report.line(format_args!("Outcome: stopped: {}", limit.reason()));
    });
    let loaded = match super::load(&report, &options.input.source, options.input.function.as_deref()) {
        Ok(loaded) => loaded,
        Err(exit) => {
            word.take();
            return exit;
        }
    };
    let program = Program::new(&loaded.cfa);
    let policy = policy(options, loaded.wraps, budget);
    let mut inputs = inputs(options);
    let outcome = if options.trace {
        let mut printer = Printer::new(&loaded.cfa, &loaded.sources, |line| report.line(line));
        summa_interp::run_observed(&program, inputs.as_mut(), &policy, &mut printer)
    } else {
        summa_interp::run(&program, inputs.as_mut(), &policy)
    };
    word.take();
    match outcome.end {
        End::Interrupted(_) if word.is_out_of_memory() => {
            tell(&report, &loaded, &Outcome { end: End::MemoryLimit, ..outcome })
        }
        _ => tell(&report, &loaded, &outcome),
    }
}

fn policy(options: &Run, wraps: bool, budget: Budget) -> Policy {
    let mut stop = FaultSet::all();
    if options.wrap || wraps {
        stop = [FaultKind::SignedOverflow, FaultKind::ShiftOverflow, FaultKind::NegativeShift]
            .into_iter()
            .fold(stop, FaultSet::without);
    }
    Policy {
        stop,
        check_leaks: options.memory,
        max_steps: options.steps,
        max_memory: options.input.memory_limit.map_or(MAX_MEMORY, |limit| limit / 2),
        budget,
        ..Policy::strict()
    }
}

fn inputs(options: &Run) -> Box<dyn InputSource> {
    match (&options.inputs, options.seed) {
        (Some(values), _) => Box::new(Given { values: List::new(values.iter().copied()) }),
        (None, Some(seed)) => Box::new(Random::new(seed)),
        (None, None) => Box::new(Zeros),
    }
}

/// The user's values, then zeros.
struct Given {
    values: List,
}

impl InputSource for Given {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        self.values.next(request).or_else(|| Zeros.next(request))
    }
}

/// Prints the program's output, the faults that were noticed, and how the execution ended.
fn tell(report: &Console, loaded: &Automata, outcome: &Outcome) -> Exit {
    report.raw(&outcome.output);
    if outcome.output.last().is_some_and(|&byte| byte != b'\n') {
        report.line("");
    }
    let span = |edge: EdgeId| loaded.cfa.edge(edge).span;
    let at = |edge: EdgeId| place(&loaded.sources, span(edge));
    for fault in &outcome.noted {
        report.line(format_args!("Noticed: {} at {}", fault.kind, at(fault.edge)));
    }
    // Values of the environment come from the user or are zero, so there is nothing to warn about.
    let is_given = |taint: &&Taint| {
        use HavocSource::{Allocation, EntryArgument, Global, Volatile};
        matches!(taint, Taint::Input(EntryArgument | Global | Allocation | Volatile))
    };
    for taint in outcome.taints.iter().filter(|taint| !is_given(taint)) {
        report.line(format_args!("Note: {}", describe_taint(&loaded.cfa, *taint)));
    }
    let (exit, text) = match &outcome.end {
        End::Returned(value) => (Exit::Holds, format!("returned {value}")),
        End::Exit => (Exit::Holds, "exited".to_owned()),
        End::Abort => (Exit::Holds, "aborted".to_owned()),
        End::AssumptionFailed => (Exit::Holds, "assumption not fulfilled".to_owned()),
        End::Error { kind, edge } => {
            let what = match kind {
                ErrorKind::Call(function) => format!("call of {}", loaded.cfa.program.func_name(*function)),
                ErrorKind::Assertion => "assertion fails".to_owned(),
                // `run` asks for no checks: the interpreter finds these itself.
                ErrorKind::Overflow
                | ErrorKind::DivisionByZero
                | ErrorKind::BadShift
                | ErrorKind::ShiftOverflow
                | ErrorKind::NegativeShift => loaded.cfa.edge(*edge).op.text(&loaded.cfa.program),
            };
            report.snippet(&loaded.sources, span(*edge), &what, "");
            (Exit::Violated, format!("error: {what} at {}", at(*edge)))
        }
        End::Fault(fault) => {
            report.snippet(&loaded.sources, span(fault.edge), fault.kind.text(), "");
            (Exit::Violated, format!("fault: {} at {}", fault.kind, at(fault.edge)))
        }
        End::StepLimit => (Exit::Unknown, "stopped: step limit".to_owned()),
        End::MemoryLimit => (Exit::Unknown, "stopped: memory limit".to_owned()),
        End::AddressLimit => (Exit::Unknown, "stopped: no addresses left in this data model".to_owned()),
        End::OutOfInputs => (Exit::Unknown, "stopped: no inputs left".to_owned()),
        End::Unsupported { what, edge } => {
            (Exit::Unknown, format!("stopped: unsupported {what} at {}", at(*edge)))
        }
        End::Interrupted(why) => (Exit::Unknown, format!("stopped: {why}")),
    };
    report.line(format_args!("Outcome: {text} ({} steps)", grouped(outcome.steps)));
    exit
}
