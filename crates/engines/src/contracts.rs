//! Summaries as contracts of functions, for people and other tools: what was known at the entry, what holds
//! at the exit, and which calls relied on it.

use summa_bam::{Bam, Clause, Reducer, Side};
use summa_c::tree::FuncId;
use summa_cfa::EdgeId;
use summa_cpa::Product;
use summa_domains::Domain;
use summa_facts::blocks::BlockKind;

/// A summary of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contract {
    pub function: FuncId,
    /// All of these hold at the entry; empty: any entry.
    pub requires: Vec<Clause>,
    /// One of these holds when the function returns, all clauses of it; none: it does not return.
    pub ensures: Vec<Vec<Clause>>,
    /// No error can be reached from this entry, in the function or in functions that it calls.
    pub is_safe: bool,
    /// There will be no more exits. Only then does `ensures` say something.
    pub is_complete: bool,
    /// The summary comes from another run.
    pub is_loaded: bool,
    /// The calls that used it, ascending.
    pub calls: Vec<EdgeId>,
}

/// The contracts of all functions that were summarised, by function and age.
pub(crate) fn contracts(bam: &mut Bam<'_, Product<Domain<'_>>>) -> Vec<Contract> {
    let mut found = Vec::new();
    let doubtful = bam.with_target_or_incomplete();
    for id in bam.store.held() {
        let summary = &bam.store.summaries[id];
        let block = &bam.blocks.blocks[summary.block];
        let BlockKind::Function(function) = block.kind else { continue };
        // A loaded summary that was not used says nothing about this run.
        if function == bam.cfa.start || summary.users.is_empty() {
            continue;
        }
        let mut ensures: Vec<Vec<Clause>> = summary
            .exits
            .iter()
            .map(|exit| without_repetition(bam.cpa.contract(block, &exit.state, Side::Exit)))
            .collect();
        ensures.sort_unstable();
        ensures.dedup();
        // If one of several exits says nothing, all of them together say nothing.
        if ensures.iter().any(Vec::is_empty) {
            ensures = vec![Vec::new()];
        }
        let calls = summary.users.iter().filter_map(|&user| bam.store.uses[user].call);
        let mut calls: Vec<EdgeId> = calls.map(|call| call.step.edge()).collect();
        calls.sort_unstable();
        calls.dedup();
        found.push(Contract {
            function,
            requires: without_repetition(bam.cpa.contract(block, &summary.entry, Side::Entry)),
            ensures,
            is_safe: !doubtful.contains(id),
            is_complete: summary.is_complete,
            is_loaded: summary.is_loaded,
            calls,
        });
    }
    found.sort_by_key(|contract| contract.function);
    found
}

/// Domains may say the same.
fn without_repetition(clauses: Vec<Clause>) -> Vec<Clause> {
    let mut kept: Vec<Clause> = Vec::with_capacity(clauses.len());
    for clause in clauses {
        if !kept.contains(&clause) {
            kept.push(clause);
        }
    }
    kept
}
