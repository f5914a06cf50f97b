//! What an unfinished run knows: how far it got, and where it spent its time.

use crate::console::{Console, count, grouped};
use crate::diagnostics::place;
use std::collections::BTreeMap;
use std::sync::Arc;
use summa_c::tree::FuncId;
use summa_cfa::NodeId;
use summa_engines::progress::{Board, Progress};
use summa_verify::Automata;

/// The board of the working engine, with words for the places on it. It refers to no program, so the thread
/// that watches the limits can own it.
#[derive(Debug)]
pub(crate) struct Known {
    board: Arc<Board>,
    /// The place of each loop in the source.
    loops: BTreeMap<NodeId, String>,
    functions: BTreeMap<FuncId, String>,
}

impl Known {
    pub(crate) fn new(board: Arc<Board>, automata: &Automata) -> Self {
        let (cfa, loops) = (&automata.cfa, &automata.facts().loops);
        let heads = cfa.nodes.ids().filter(|&node| loops.is_head(node));
        let functions = cfa.defined().map(|automaton| automaton.function);
        Self {
            board,
            loops: heads.map(|node| (node, place(&automata.sources, cfa.nodes[node].span))).collect(),
            functions: functions
                .map(|function| (function, cfa.program.func_name(function).to_owned()))
                .collect(),
        }
    }

    /// For the line of progress: which engine works, on what, and how far it is.
    pub(crate) fn members(&self) -> Vec<(&'static str, String)> {
        let progress = self.board.progress();
        let mut members = vec![("engine", progress.engine), ("phase", progress.phase)];
        members.retain(|(_, text)| !text.is_empty());
        members.extend(progress.bound.map(|bound| ("bound", bound.to_string())));
        let numbers = [("refinements", progress.refinements), ("states", progress.reached)];
        members.extend(
            numbers
                .into_iter()
                .filter(|(_, number)| *number > 0)
                .map(|(name, number)| (name, number.to_string())),
        );
        members
    }

    /// Prints what is known.
    pub(crate) fn tell(&self, report: &Console) {
        let lines = self.lines(&self.board.progress());
        if !lines.is_empty() {
            report.line("Known so far:");
            lines.iter().for_each(|line| report.line(format_args!("  {line}")));
        }
    }

    fn lines(&self, progress: &Progress) -> Vec<String> {
        let mut lines = Vec::new();
        if let Some(bound) = progress.bound {
            lines.push(format!(
                "no error within {} of each loop and nested calls",
                count(bound as usize, "round")
            ));
        }
        if let Some(depth) = progress.depth {
            lines.push(format!("no proof by induction over {}", count(depth as usize, "round")));
        }
        if progress.refinements > 0 {
            lines.push(format!("{} done", count(progress.refinements as usize, "refinement")));
        }
        if progress.reached > 0 {
            let (waiting, covered) = (grouped(progress.waiting), grouped(progress.covered));
            let states = count(progress.reached as usize, "abstract state");
            lines.push(format!("{states} reached, {waiting} of them to be expanded, {covered} more covered"));
        }
        if progress.invariants > 0 {
            let locations = count(progress.invariants as usize, "location");
            lines.push(format!("{locations} with an invariant that holds as far as was explored"));
        }
        let busiest = progress.busiest_loop.and_then(|(node, visits)| Some((self.loops.get(&node)?, visits)));
        let function = progress.busiest_function.and_then(|function| self.functions.get(&function));
        match (busiest, function) {
            (Some((at, visits)), _) => {
                let times = count(visits as usize, "time");
                lines.push(format!("most often at the loop in {at}: {times}"));
            }
            (None, Some(function)) => lines.push(format!("most often in the function {function}")),
            (None, None) => {}
        }
        if !progress.phase.is_empty() {
            lines.push(format!("stopped while {}", progress.phase));
        }
        lines
    }
}
