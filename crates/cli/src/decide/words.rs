//! What is said about a decision on the terminal: what was tried, why an error follows, what a proof says.

use super::Case;
use crate::bug_finder::{Search, Violation, policy_for};
use crate::report::{count, grouped};
use crate::symbolic::{Answer, Tried};
use crate::trace::Printer;
use summa_engines::Task;
use summa_engines::features::Features;
use summa_engines::portfolio::Attempt;
use summa_engines::shared::Counts;
use summa_engines::strategy::{EXECUTION, Stage};
use summa_interp::{List, Program};
use summa_proof::{Confirmed, InC};
use summa_verdict::finding::{Explanation, Place, Remark};
use summa_verdict::{explain, text};

/// Longer executions are reported without their path: to watch every step takes many times longer than to run it.
const EXPLAINED_STEPS: u64 = 10_000_000;

/// Contracts beyond these are only counted: calls with many numbers have a contract each.
const SHOWN_CONTRACTS: usize = 8;

/// For people: how much was executed.
pub(super) fn runs(searched: &Search) -> String {
    format!("{} ({} steps)", count(searched.runs as usize, "execution"), grouped(searched.steps))
}

/// For people: what the second solver said about a confirmed proof, if there is one.
pub(crate) fn seconded(confirmed: &Confirmed, is_asked: bool) -> String {
    match (is_asked, confirmed.seconded) {
        (false, _) => String::new(),
        (true, 0) => "; the second solver had nothing to answer".to_owned(),
        (true, some) => format!("; the second solver agrees on {}", count(some as usize, "answer")),
    }
}

impl Case<'_> {
    /// Executions have found nothing.
    pub(super) fn searched(&self, searched: &Search) {
        let runs = runs(searched);
        self.report.line(format_args!("No violation in {runs} with zero, small and random inputs."));
    }

    pub(super) fn executed_to_its_end(&self, steps: u64) {
        let steps = grouped(steps);
        self.report.line("Proved:      the program takes no inputs, and its only execution violates nothing");
        self.report
            .line(format_args!("Checked:     executed a second time, {steps} steps with the same end"));
    }

    /// An attempt in a line: what, why, how long, what came of it.
    pub(super) fn describe(&self, attempt: &Attempt<Tried>, stage: &Stage) -> String {
        let outcome = match &attempt.answer.answer {
            Answer::Safe => "no error is reachable".to_owned(),
            Answer::Violation(_) => "an error is reached".to_owned(),
            Answer::Doubtful(doubtful) => format!("an error, perhaps: {}", doubtful.1),
            Answer::Contradicted(_) => "no error is reachable, and an error is reached".to_owned(),
            Answer::Unknown(reason) => {
                let at = reason.edge().map(|edge| self.place_of(edge));
                let at = at.map(|at| format!(" at {at}")).unwrap_or_default();
                format!("not decided: {reason}{at}")
            }
        };
        format!("{} ({:.1} s; {}): {outcome}", stage.name(), attempt.time.as_secs_f64(), stage.why)
    }

    /// What the plan was made for, and what engines told each other.
    pub(super) fn explain_plan(&self, task: &Task<'_>) {
        let features = Features::of(task);
        self.report.line(format_args!("Program has: {}", features.describe(&self.loaded.cfa)));
        let told = task.shared.counts();
        if told != Counts::default() {
            let intervals = count(told.analyses, "interval result");
            let predicates = count(told.predicates, "predicate");
            let summaries = count(told.summaries, "contract");
            self.report.line(format_args!(
                "Shared:      {intervals}, {predicates} and {summaries}, from engine to engine"
            ));
        }
    }

    pub(super) fn proved(&self, tried: &Tried) {
        if let Some(confirmed) = tried.confirmed.filter(|_| tried.engine == EXECUTION) {
            return self.executed_to_its_end(confirmed.steps);
        }
        let progress = &tried.progress;
        let encoding =
            tried.encoding.map(|encoding| format!(", {} encoding", encoding.name())).unwrap_or_default();
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
        self.report.line(format_args!("             (configuration {}{encoding}{work})", tried.engine));
        if let Some(confirmed) = tried.confirmed {
            let steps = count(confirmed.steps as usize, "step");
            let known = match confirmed.known {
                0 => String::new(),
                some => format!("; {} confirmed by an earlier run", count(some as usize, "contract")),
            };
            let queries = confirmed.queries;
            let seconded = seconded(&confirmed, self.options.second_solver.is_some());
            self.report.line(format_args!(
                "Checked:     the proof, {steps}, {queries} with fresh queries{known}{seconded}"
            ));
        }
    }

    /// Prints the invariants and contracts, and gives them as remarks.
    pub(super) fn proof_summary(&self, said: &InC) -> Vec<Remark> {
        let (cfa, sources) = (&self.loaded.cfa, &self.loaded.sources);
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
    pub(super) fn explain(&self, violation: &Violation) -> Option<Explanation> {
        let Self { report, loaded, .. } = self;
        let span = loaded.cfa.edge(violation.edge).span;
        report.snippet(&loaded.sources, span, &violation.what, "");
        let program = Program::new(&loaded.cfa);
        let policy = policy_for(&self.job.specification.property);
        let (outcome, sources) = (&violation.outcome, &loaded.sources);
        let explanation = (outcome.steps <= EXPLAINED_STEPS)
            .then(|| explain::explain(&program, &policy, sources, outcome, violation.edge));
        explanation.iter().flat_map(text::explanation).for_each(|line| report.line(line));
        if self.options.formats.full_trace {
            report.line("All steps:");
            let mut printer = Printer::new(&loaded.cfa, sources, |step: String| report.line(step));
            summa_interp::run_observed(&program, &mut List::replay(&outcome.inputs), &policy, &mut printer);
        }
        report
            .line(format_args!("Replayed:    {} steps, with the same end", grouped(violation.outcome.steps)));
        report.line("");
        explanation
    }
}
