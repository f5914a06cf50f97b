//! `summa verify`: read the program, say what is asked, look for a violation, give the verdict.

use crate::args::Verify;
use crate::bug_finder::{Search, Violation, policy_for, search};
use crate::diagnostics::place;
use crate::front_end::{Job, Loaded};
use crate::process::LastWord;
use crate::property::Property;
use crate::report::{Report, count, grouped};
use crate::symbolic::{self, Answer};
use crate::trace::History;
use crate::verdict::{Exit, Verdict};
use std::time::{Duration, Instant};
use summa_base::Budget;
use summa_cfa::Op;
use summa_interp::Program;

/// What the search for concrete bugs may take at most; its rounds usually end earlier.
const SEARCH_TIME: Duration = Duration::from_millis(2000);

/// Longer executions are reported without their path: to watch every step takes many times longer than to run it.
const EXPLAINED_STEPS: u64 = 10_000_000;

pub(crate) fn verify(options: &Verify, budget: Budget) -> Exit {
    let report = Report::new(options.quiet);
    let started = Instant::now();
    let word = LastWord::default();
    if let Some(limit) = options.time_limit {
        let verdict = Verdict::Unknown("time limit".to_owned());
        word.give_up_after(limit, Exit::from(&verdict).code(), move || report.verdict(&verdict));
    }
    let budget = options.time_limit.map_or(budget.clone(), |limit| budget.at_most(limit));
    let job = Job::new(&options.input.source, options.property.as_deref());
    let read = job.and_then(|job| {
        let loaded = job.load(&options.input.source, options.input.function.as_deref())?;
        Ok((job, loaded))
    });
    let (job, loaded) = match read {
        Ok(read) => read,
        Err(failure) => {
            word.take();
            report.failure(&failure);
            if failure.exit != Exit::Usage {
                report.verdict(&Verdict::Unknown(failure.reason));
            }
            return failure.exit;
        }
    };
    let front_end = started.elapsed();
    report.diagnostics(&loaded.warnings, &loaded.sources);
    report.job(&job, &loaded);
    report.assumptions(&loaded.cfa.assumptions, &loaded.sources, options.stats);

    let property = &job.specification.property;
    if matches!(property, Property::Unreachable { .. }) && !has_errors(&loaded) {
        report.line(
            "Note:        no error function is called and nothing is asserted: there is nothing to reach",
        );
    }
    let (verdict, searched) = if let Property::Unsupported(name) = property {
        (Verdict::Unknown(format!("unsupported property: {name}")), Search::default())
    } else {
        let search_time = budget.remaining().map_or(SEARCH_TIME, |left| SEARCH_TIME.min(left.mul_f64(0.2)));
        let searched = search(&loaded.cfa, property, &budget.at_most(search_time));
        (judge(&report, &job, &loaded, &searched, &budget, &word), searched)
    };
    word.take();
    if options.stats {
        statistics(&report, &loaded, &searched, front_end, started.elapsed());
    }
    report.verdict(&verdict);
    Exit::from(&verdict)
}

/// Is there anything to reach? An answer about nothing should not pass unnoticed.
fn has_errors(loaded: &Loaded) -> bool {
    loaded.cfa.edges.values().any(|edge| matches!(edge.op, Op::Error { .. }))
}

/// Explains what was found and gives the verdict.
fn judge(
    report: &Report,
    job: &Job,
    loaded: &Loaded,
    searched: &Search,
    budget: &Budget,
    word: &LastWord,
) -> Verdict {
    if searched.violation.is_some() || searched.doubtful.is_some() || searched.unsupported.is_some() {
        word.take();
    }
    report.line("");
    if let Some(violation) = &searched.violation {
        explain(report, job, loaded, violation);
        return Verdict::False(violation.property.clone());
    }
    let runs = format!("{} ({} steps)", count(searched.runs as usize, "execution"), grouped(searched.steps));
    if let Some((violation, why)) = &searched.doubtful {
        let what = format!("{} (perhaps)", violation.what);
        report.snippet(
            &loaded.sources,
            loaded.cfa.edge(violation.edge).span,
            &what,
            "here, in one execution",
        );
        report.line(format_args!("This is no verdict, because {why}."));
        report.line(format_args!("Tried: {runs} with zero, small and random inputs."));
        return Verdict::Unknown(format!("possible violation, but {why}"));
    }
    if searched.is_exhaustive {
        report.line("The program takes no inputs, and its execution violates nothing.");
    } else {
        report.line(format_args!("No violation in {runs} with zero, small and random inputs."));
    }
    // The end of the search's own time is not the end of the user's.
    if let Err(why) = budget.check_now() {
        return Verdict::Unknown(why.to_string());
    }
    if let Some((what, edge)) = &searched.unsupported {
        let span = loaded.cfa.edge(*edge).span;
        report.snippet(&loaded.sources, span, &format!("not supported: {what}"), "an execution gets here");
        return Verdict::Unknown(format!("unsupported: {what} at {}", place(&loaded.sources, span)));
    }
    if !matches!(job.specification.property, Property::Unreachable { .. }) {
        report.line("Proofs of this property are not possible yet: engines for them are being built.");
        return Verdict::Unknown("no engine yet".to_owned());
    }
    let answer = symbolic::check(&loaded.cfa, &job.specification.property, budget);
    word.take();
    match answer {
        Answer::Safe { bound, encoding } => {
            report.line(format_args!(
                "Proved:      no error is reachable; no execution takes more than {bound} rounds of a loop or nested calls"
            ));
            report.line(format_args!("             (bounded model checking, {} encoding)", encoding.name()));
            Verdict::True
        }
        Answer::Violation(violation) => {
            explain(report, job, loaded, &violation);
            Verdict::False(violation.property.clone())
        }
        Answer::Doubtful(doubtful) => {
            let why = &doubtful.1;
            report.line(format_args!("A violation was found, but this is no verdict, because {why}."));
            Verdict::Unknown(format!("possible violation, but {why}"))
        }
        Answer::Unknown(reason) => Verdict::Unknown(reason),
    }
}

/// The counterexample: where, with which inputs, along which calls and last steps.
fn explain(report: &Report, job: &Job, loaded: &Loaded, violation: &Violation) {
    let span = loaded.cfa.edge(violation.edge).span;
    report.snippet(&loaded.sources, span, &violation.what, "");
    if violation.outcome.steps <= EXPLAINED_STEPS {
        let program = Program::new(&loaded.cfa);
        let history = History::of(&program, &policy_for(&job.specification.property), &violation.outcome);
        for line in history.describe(&loaded.sources, &violation.outcome.inputs) {
            report.line(line);
        }
    }
    report.line(format_args!("Replayed:    {} steps, with the same end", grouped(violation.outcome.steps)));
    report.line("");
}

/// `Name: value` lines, which benchmark tools turn into columns.
fn statistics(report: &Report, loaded: &Loaded, searched: &Search, front_end: Duration, total: Duration) {
    let cfa = &loaded.cfa;
    report.line("");
    report.line(format_args!("Functions: {}", cfa.defined().count()));
    report.line(format_args!("Nodes: {}", cfa.nodes.len()));
    report.line(format_args!("Edges: {}", cfa.edges.len()));
    report.line(format_args!("Variables: {}", cfa.program.vars.len()));
    report.line(format_args!("Front end time: {:.3} ms", milliseconds(front_end)));
    report.line(format_args!("Executions: {}", searched.runs));
    report.line(format_args!("Steps executed: {}", searched.steps));
    report.line(format_args!("Execution time: {:.3} ms", milliseconds(total.saturating_sub(front_end))));
    report.line(format_args!("Total time: {:.3} ms", milliseconds(total)));
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}
