//! `summa check-proof`: does a proof from a file hold for a program? No engine has a say.

use crate::args::CheckProof;
use crate::decide::seconded;
use crate::front_end::Job;
use crate::process::{LastWord, Limits, within};
use crate::report::Report;
use crate::symbolic;
use crate::verdict::{Exit, Verdict};
use std::time::Duration;
use summa_base::plain::Shown;
use summa_base::{Budget, files};
use summa_cfa::EdgeId;
use summa_facts::Analyses;
use summa_proof::{Certificate, Proof, check_twice};

pub(crate) fn check_proof(options: &CheckProof, budget: Budget) -> Exit {
    let report = Report::new(options.quiet);
    let word = LastWord::default();
    let budget = within(&budget, options.time_limit, options.work_limit);
    let limits = Limits::of(&budget, options.input.memory_limit, Duration::ZERO);
    let last = report;
    word.watch(limits, Exit::Unknown, move |limit| {
        last.verdict(&Verdict::Unknown(limit.reason().to_owned()));
    });
    let text = match files::read_text(&options.proof, files::LARGE) {
        Ok(text) => text,
        Err(error) => {
            word.take();
            report.error(&format!("cannot read `{}`: {error}", options.proof.shown()));
            return Exit::BadInput;
        }
    };
    let json = serde_json::from_str(&text).map_err(|error| format!("the file is not JSON: {error}"));
    let is_apart = json.as_ref().is_ok_and(Proof::is_about_members_apart);
    let read = Job::new(&options.input.source, options.property.as_deref()).and_then(|job| {
        let job = if is_apart { job.with_members_apart() } else { job };
        let loaded = job.load(&options.input.source, options.input.function.as_deref())?;
        Ok((job, loaded))
    });
    let (job, loaded) = match read {
        Ok(read) => read,
        Err(failure) => {
            word.take();
            report.failure(&failure);
            return failure.exit;
        }
    };
    report.diagnostics(&loaded.warnings, &loaded.sources);
    let property = &job.specification.property;
    let checked = if symbolic::is_for_engines(property) {
        json.and_then(|json| {
            let counts = |kind| property.is_violated_by(kind);
            let read = Certificate::from_json(&loaded.cfa, &json, &counts);
            read.map_err(|what| format!("the file is no proof: {what}"))
        })
    } else {
        Err(format!("there are no proofs of {}", property.name()))
    };
    let certificate = match checked {
        Ok(certificate) => certificate,
        Err(why) => {
            word.take();
            report.error(&why);
            return Exit::BadInput;
        }
    };
    let (cfa, proof) = (certificate.cfa(&loaded.cfa), &certificate.proof);
    let is_error = |edge: EdgeId| symbolic::counts(cfa, property, edge);
    let second = options.second_solver.clone();
    let second = second.map(|solver| solver.with_memory(options.input.memory_limit));
    let answer = check_twice(cfa, &Analyses::new(cfa), &is_error, proof, &budget, second.as_ref());
    word.take();
    let verdict = match answer {
        Ok(confirmed) => {
            report.line(format_args!(
                "Checked:     {} steps, {} of them by the solver{}",
                confirmed.steps,
                confirmed.queries,
                seconded(&confirmed, options.second_solver.is_some())
            ));
            Verdict::True
        }
        Err(refusal) => {
            if let Some(edge) = refusal.edge() {
                report.snippet(&loaded.sources, cfa.edge(edge).span, &refusal.to_string(), "here");
            } else if let Some(node) = refusal.node(cfa) {
                report.snippet(&loaded.sources, cfa.nodes[node].span, &refusal.to_string(), "here");
            }
            Verdict::Unknown(format!("the proof is not confirmed: {refusal}"))
        }
    };
    report.verdict(&verdict);
    Exit::from(&verdict)
}
