//! `summa arg`: the abstract reachability graph that an engine builds.

use crate::args::{Format, ShowArg};
use crate::diagnostics::place;
use crate::front_end::Job;
use crate::process::{LastWord, Limits, time_limit};
use crate::property::Property;
use crate::report::{Report, count};
use crate::symbolic::{self, Answer};
use crate::verdict::Exit;
use std::time::Duration;
use summa_base::Budget;
use summa_cfa::EdgeId;
use summa_cfa::analysis::Analyses;
use summa_engines::Task;

/// The exploration ends at the limit; to put the graph together may take a little longer.
const TIME_FOR_THE_GRAPH: Duration = Duration::from_secs(5);

pub(crate) fn show(options: &ShowArg, budget: Budget) -> Exit {
    let report = Report::new(false);
    let config = match crate::config::load(&options.config, options.encoding) {
        Ok(config) => config,
        Err(message) => {
            report.error(&message);
            return Exit::Usage;
        }
    };
    let word = LastWord::default();
    let limits = Limits {
        time: time_limit(options.time_limit).map(|limit| limit + TIME_FOR_THE_GRAPH),
        memory: options.input.memory_limit,
        interrupt: budget.interrupt(),
    };
    word.watch(limits, Exit::Unknown.code(), move |limit| {
        report.error(&format!("{}: the solver did not stop in time, and there is no graph", limit.reason()));
    });
    let budget = time_limit(options.time_limit).map_or(budget.clone(), |limit| budget.at_most(limit));
    let (job, loaded) = match Job::read(&options.input, options.property.as_deref()) {
        Ok(read) => read,
        Err(failure) => {
            word.take();
            report.failure(&failure);
            return failure.exit;
        }
    };
    report.diagnostics(&loaded.warnings, &loaded.sources);
    let property = &job.specification.property;
    if !matches!(property, Property::Unreachable { .. }) {
        report.error(&format!("the engines decide reachability, not {}", property.name()));
        return Exit::Usage;
    }
    let facts = Analyses::new(&loaded.cfa);
    let is_error = |edge: EdgeId| symbolic::counts(&loaded.cfa, property, edge);
    let task = Task::new(&loaded.cfa, &facts, budget, &is_error);
    let ran = symbolic::run(&task, &config, property);
    word.take();
    let outcome = match &ran.answer {
        Answer::Safe => "no error is reachable".to_owned(),
        Answer::Violation(violation) => {
            let at = place(&loaded.sources, loaded.cfa.edge(violation.edge).span);
            format!("an error is reached at {at}")
        }
        Answer::Doubtful(doubtful) => format!("an error is reached, perhaps: {}", doubtful.1),
        Answer::Unknown(_) if word.is_out_of_memory() => "not decided: memory limit".to_owned(),
        Answer::Unknown(reason) => format!("not decided: {reason}"),
    };
    let Some(graph) = &ran.report.graph else {
        report.error(&format!("{outcome}; the configuration `{}` builds no graph", config.name));
        return Exit::Unknown;
    };
    let text = match options.format {
        Format::Text => graph.text(),
        Format::Dot => graph.dot(),
        Format::Json => graph.json(),
    };
    let (reached, waiting, covered) = graph.sizes();
    let states = count(reached, "state");
    report.note(&format!(
        "{outcome}; {states} reached, {waiting} of them to be expanded, {covered} more covered"
    ));
    match &options.output {
        None => report.raw(text.as_bytes()),
        Some(path) => {
            if let Err(error) = std::fs::write(path, text) {
                report.error(&format!("cannot write `{}`: {error}", path.display()));
                return Exit::BadInput;
            }
        }
    }
    Exit::Holds
}
