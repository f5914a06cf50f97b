//! Words for what `summa_verify` returns.

use crate::console::{count, grouped};
use crate::diagnostics::place;
use summa_proof::Confirmed;
use summa_verify::Automata;
use summa_verify::executions::Search;
use summa_verify::vacuity::Vacuity;

/// The number of executions and steps, in words.
pub(super) fn runs(searched: &Search) -> String {
    format!("{} ({} steps)", count(searched.runs as usize, "execution"), grouped(searched.steps))
}

/// What the second solver said about a confirmed proof, if there is one.
pub(crate) fn seconded(confirmed: &Confirmed, is_asked: bool) -> String {
    match (is_asked, confirmed.seconded) {
        (false, _) => String::new(),
        (true, 0) => "; the second solver had nothing to answer".to_owned(),
        (true, some) => format!("; the second solver agrees on {}", count(some as usize, "answer")),
    }
}

/// Why an answer may say less than it seems to.
pub(crate) fn vacuity(vacuity: Vacuity, automata: &Automata) -> String {
    let entry = automata.cfa.program.func_name(automata.cfa.main);
    match vacuity {
        Vacuity::NothingToReach => {
            "no error function is called and nothing is asserted in reachable code: there is nothing to reach"
                .to_owned()
        }
        Vacuity::OutOfReach => {
            format!("no error can be reached from {entry}, whatever the conditions are: is a call missing?")
        }
        Vacuity::NoEnd => format!(
            "neither an error nor the end of {entry} can be reached: every execution is stopped or never \
             ends"
        ),
        Vacuity::Undefined(fault) => {
            let (what, at) = (fault.kind, place(&automata.sources, automata.cfa.edge(fault.edge).span));
            format!(
                "an execution ends in undefined behaviour ({what} at {at}): \
                 the verdict does not cover what a compiled program does after it"
            )
        }
        Vacuity::Excluded(1) => "the only execution stops at an assumption that does not hold".to_owned(),
        Vacuity::Excluded(runs) => format!(
            "each of {} that were tried stopped at an assumption: perhaps no execution satisfies all of them",
            count(runs as usize, "execution")
        ),
    }
}
