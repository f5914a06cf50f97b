//! Reports an answer: what a proof says, why an error follows, which two answers contradict each other.

use super::Telling;
use super::words::seconded;
use crate::console::{count, grouped};
use crate::trace::Printer;
use summa_interp::{List, Program};
use summa_proof::{Audience, Confirmed, InC};
use summa_verdict::finding::{Explanation, Place, Remark};
use summa_verdict::{explain, text};
use summa_verify::confirm::Basis;
use summa_verify::executions::policy_for;
use summa_verify::{Automata, Bug, ConfirmedProof, Decision, Finder, Property, ReplayedViolation, Verdict};

/// Longer executions are reported without their path: watching every step takes many times longer than
/// running it.
const EXPLAINED_STEPS: u64 = 10_000_000;

/// Contracts beyond these are only counted: calls with many numbers have a contract each.
const SHOWN_CONTRACTS: usize = 8;

/// The answer's explanation as data, for other formats.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Why the execution behind FALSE ends as it does.
    pub(crate) explanation: Option<Explanation>,
    /// What the proof behind TRUE says.
    pub(crate) proof: Vec<Remark>,
}

impl Telling<'_> {
    /// Prints what the verdict rests on.
    pub(crate) fn answer(&self, automata: &Automata, property: &Property, decision: &Decision) -> Told {
        match (&decision.verdict, &decision.found_by) {
            (Verdict::Safe(proof), Some(finder)) => {
                self.proved(proof, finder);
                let said = proof.in_c(&automata.cfa, automata.facts(), Audience::People);
                Told { proof: self.proof_summary(automata, &said), ..Told::default() }
            }
            (Verdict::Unsafe(violation), _) => {
                Told { explanation: self.explain(automata, property, violation), ..Told::default() }
            }
            (Verdict::Internal(Bug::Contradiction(both)), _) => {
                self.contradiction(automata, both);
                Told::default()
            }
            (Verdict::Safe(_), None) | (Verdict::Unknown(_), _) | (Verdict::Internal(Bug::Noticed(_)), _) => {
                Told::default()
            }
        }
    }

    fn proved(&self, proof: &ConfirmedProof, finder: &Finder) {
        let confirmed = match proof.basis() {
            Basis::Executed(execution) => return self.executed_to_its_end(execution.steps()),
            Basis::Checked { by, .. } => by,
        };
        let progress = &finder.progress;
        let encoding =
            finder.encoding.map(|encoding| format!(", {} encoding", encoding.name())).unwrap_or_default();
        let mut work = Vec::new();
        if progress.reached > 0 {
            work.push(count(progress.reached as usize, "abstract state"));
            work.push(count(progress.own_refinements as usize, "refinement"));
        }
        work.extend(progress.own_bound.map(|bound| format!("bound {bound}")));
        work.extend(
            progress.own_depth.map(|depth| format!("induction over {}", count(depth as usize, "round"))),
        );
        let work = if work.is_empty() { String::new() } else { format!(": {}", work.join(", ")) };
        self.report.line("Proved:      no error is reachable");
        self.report.line(format_args!("             (configuration {}{encoding}{work})", finder.name));
        self.checked(confirmed);
    }

    fn executed_to_its_end(&self, steps: u64) {
        let steps = grouped(steps);
        self.report.line("Proved:      the program takes no inputs, and its only execution violates nothing");
        self.report
            .line(format_args!("Checked:     executed a second time, {steps} steps with the same end"));
    }

    fn checked(&self, confirmed: &Confirmed) {
        let steps = count(confirmed.steps as usize, "step");
        let known = match confirmed.known {
            0 => String::new(),
            some => format!("; {} confirmed by an earlier run", count(some as usize, "contract")),
        };
        let queries = confirmed.queries;
        let seconded = seconded(confirmed, self.options.second_solver.is_some());
        self.report.line(format_args!(
            "Checked:     the proof, {steps}, {queries} with fresh queries{known}{seconded}"
        ));
    }

    /// Prints the invariants and contracts, and returns them as remarks.
    fn proof_summary(&self, automata: &Automata, said: &InC) -> Vec<Remark> {
        let (cfa, sources) = (&automata.cfa, &automata.sources);
        let invariants: Vec<(Place, String)> = said
            .invariants
            .iter()
            .map(|(node, text)| (explain::place(sources, cfa.nodes[*node].span), text.clone()))
            .collect();
        let contracts: Vec<text::Contract> = said
            .contracts
            .iter()
            .filter(|contract| contract.requires != "1" || contract.ensures != "1")
            .map(|contract| {
                let function = &cfa.program.functions[contract.function];
                text::Contract {
                    place: explain::place(sources, function.span),
                    function: cfa.program.func_name(contract.function).to_owned(),
                    requires: contract.requires.clone(),
                    ensures: contract.ensures.clone(),
                }
            })
            .collect();
        let nodes = said.invariants.iter().map(|(node, _)| cfa.nodes[*node].span);
        let functions = said.contracts.iter().map(|contract| cfa.program.functions[contract.function].span);
        let lines: Vec<(Place, String)> = nodes
            .chain(functions)
            .map(|span| (explain::place(sources, span), sources.snippet(span).line.to_owned()))
            .collect();
        let line_of = |at: &Place| lines.iter().find(|(place, _)| place == at).map(|(_, line)| line.clone());
        let shown = &contracts[..contracts.len().min(SHOWN_CONTRACTS)];
        for line in text::proof_summary(&invariants, shown, &line_of) {
            self.report.line(line);
        }
        if contracts.len() > shown.len() {
            let hidden = contracts.len() - shown.len();
            self.report.line(format_args!("    … and {} more", count(hidden, "contract")));
        }
        let of_contract = |contract: text::Contract| Remark {
            text: format!(
                "{}: requires {}; ensures {}",
                contract.function, contract.requires, contract.ensures
            ),
            place: contract.place,
        };
        let of_invariant = |(place, text)| Remark { place, text: format!("invariant {text}") };
        invariants.into_iter().map(of_invariant).chain(contracts.into_iter().map(of_contract)).collect()
    }

    /// The counterexample: where, why, with which inputs, along which calls and steps.
    fn explain(
        &self,
        automata: &Automata,
        property: &Property,
        violation: &ReplayedViolation,
    ) -> Option<Explanation> {
        let (report, sources) = (self.report, &automata.sources);
        let span = automata.cfa.edge(violation.edge).span;
        report.snippet(sources, span, &violation.what, "");
        let program = Program::new(&automata.cfa);
        let policy = policy_for(property);
        let outcome = &violation.outcome;
        let explanation = (outcome.steps <= EXPLAINED_STEPS)
            .then(|| explain::explain(&program, &policy, sources, outcome, violation.edge));
        explanation.iter().flat_map(text::explanation).for_each(|line| report.line(line));
        if self.options.formats.full_trace {
            report.line("All steps:");
            let mut printer = Printer::new(&automata.cfa, sources, |step: String| report.line(step));
            summa_interp::run_observed(&program, &mut List::replay(&outcome.inputs), &policy, &mut printer);
        }
        report
            .line(format_args!("Replayed:    {} steps, with the same end", grouped(violation.outcome.steps)));
        report.line("");
        explanation
    }
}
