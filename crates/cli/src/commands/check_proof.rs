//! `summa check-proof`: does a proof from a file hold for a program? No engine takes part.

use crate::args::CheckProof;
use crate::console::Console;
use crate::front_end::Job;
use crate::process::{Limits, OutputRight, within};
use crate::telling::seconded;
use crate::verdict::{Exit, Verdict};
use std::time::Duration;
use summa_base::plain::Shown;
use summa_base::{Budget, files};
use summa_proof::{Certificate, Proof};
use summa_verify::{Variant, confirm};

pub(crate) fn check_proof(options: &CheckProof, budget: Budget) -> Exit {
    let report = Console::new(options.quiet);
    let word = OutputRight::default();
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
        let variant = match is_apart {
            true => Variant::with_members_apart(&job.specification.property),
            false => Variant::default(),
        };
        let loaded = job.load_as(&options.input.source, options.input.function.as_deref(), variant)?;
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
    let checked = if property.is_reachability() {
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
    let second = options.second_solver.clone();
    let second = second.map(|solver| solver.with_memory(options.input.memory_limit));
    let about = certificate.about.clone();
    let answer = confirm::check(&loaded, property, certificate, (&budget, second.as_ref()));
    word.take();
    let verdict = match answer {
        Ok(proof) => {
            let confirmed = proof.checked().copied().unwrap_or_default();
            report.line(format_args!(
                "Checked:     {} steps, {} of them by the solver{}",
                confirmed.steps,
                confirmed.queries,
                seconded(&confirmed, options.second_solver.is_some())
            ));
            Verdict::True
        }
        Err(refusal) => {
            let cfa = about.as_ref().map_or(&loaded.cfa, |made| &made.cfa);
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
