//! `summa arg`: the abstract reachability graph that an engine builds.

use crate::args::{Format, ShowArg};
use crate::console::count;
use crate::diagnostics::place;
use crate::engine_run::{Asked, EngineRun};
use crate::verdict::Exit;
use crate::written;
use summa_base::Budget;
use summa_cfa::EdgeId;
use summa_engines::Task;
use summa_verify::engine::{self, Answer};

pub(crate) fn show(options: &ShowArg, budget: Budget) -> Exit {
    let asked = Asked { config: &options.config, options: &options.engine, wanted: "there is no graph" };
    let run = match EngineRun::begin(&asked, budget, |_| Ok(())) {
        Ok(run) => run,
        Err(exit) => return exit,
    };
    let EngineRun { report, config, job, loaded, budget, word } = run;
    let property = &job.specification.property;
    let is_error = |edge: EdgeId| property.is_violated_at(&loaded.cfa, edge);
    let task = Task::new(&loaded.cfa, loaded.facts(), budget, &is_error);
    let ran = engine::run(&task, &config, property);
    word.take();
    let outcome = match &ran.tried.answer {
        Answer::Safe(_) => "no error is reachable".to_owned(),
        Answer::Violation(violation) => {
            let at = place(&loaded.sources, loaded.cfa.edge(violation.edge).span);
            format!("an error is reached at {at}")
        }
        Answer::Doubtful(doubtful) => format!("an error is reached, perhaps: {}", doubtful.why),
        Answer::Contradicted(_) => "an error is reached, against the proof".to_owned(),
        Answer::Unknown(_) if word.is_out_of_memory() => "not decided: memory limit".to_owned(),
        Answer::Unknown(reason) => format!("not decided: {reason}"),
    };
    let Some(graph) = &ran.graph else {
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
            if let Err(message) = written::file(path, text.as_bytes()) {
                report.error(&message);
            }
        }
    }
    Exit::Holds
}
