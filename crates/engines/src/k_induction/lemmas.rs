//! Lemmas about loop heads that strengthen the induction step: relations between variables that are inductive together.
//!
//! Candidates are guessed from the paths of one segment: the atoms of their conditions, and small templates (x = y, x ≤ y,
//! x + y = z) over the variables that occur there. What an execution of a segment can falsify, when all candidates held at its
//! beginning, is dropped, until nothing is: what is left holds at every visit.
//! Paper: Flanagan, Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001; with models that drop many candidates at
//! once.
//!
//! Limits: relations over single integer cells; a bounded number of variables and candidates for each loop head.

use super::unrolling::{Findings, Unroller};
use std::time::Duration;
use summa_base::{Budget, FxHashMap};
use summa_cfa::NodeId;
use summa_cpa::Stop;
use summa_domains::callstack::StackId;
use summa_domains::predicate::{Invariants, Predicate};
use summa_encode::{CellId, PathId};
use summa_term::{Sort, Term, Terms};

/// Variables of one loop head that templates relate.
const MAX_VARIABLES: usize = 10;
/// Candidates at one loop head.
const MAX_CANDIDATES: usize = 600;
/// Atoms with more symbols or nodes than a person would write are no candidates.
const MAX_ATOM_SIZE: usize = 24;
/// For one question.
const CHECK_TIME: Duration = Duration::from_secs(2);

/// An execution from one loop head (or the start of the program) to the next.
struct Segment {
    from: Option<NodeId>,
    path: PathId,
    to: NodeId,
}

/// The known invariants together with the lemmas that were found in time.
pub(super) fn strengthen(
    unroller: &mut Unroller<'_>,
    points: &[(StackId, NodeId)],
    known: &Invariants,
    budget: &Budget,
) -> Result<Invariants, Stop> {
    let mut segments = Vec::new();
    let first = unroller.first_segment()?;
    let findings = unroller.findings(&first);
    segments.extend(findings.cut.iter().map(|&(path, to)| Segment { from: None, path, to }));
    let mut sources: FxHashMap<NodeId, Vec<PathId>> = FxHashMap::default();
    for &(stack, head) in points {
        let reached = unroller.from_head(head, stack, 1)?;
        let findings = unroller.findings(&reached);
        segments.extend(findings.cut.iter().map(|&(path, to)| Segment { from: Some(head), path, to }));
        sources.entry(head).or_default().extend(paths(&findings));
    }
    let predicate = unroller.predicate();
    let mut candidates: Invariant = Invariant::new();
    for &(_, head) in points {
        if !candidates.contains_key(&head) {
            let found = guess(predicate, sources.get(&head).map_or(&[], |paths| paths));
            candidates.insert(head, found);
        }
    }
    houdini(predicate, &segments, known, &mut candidates, budget)?;
    let mut result = known.clone();
    for (node, lemmas) in candidates {
        let terms = &mut predicate.paths.encoder.terms;
        let before = known.get(&node).copied().unwrap_or(Terms::TRUE);
        let lemmas = terms.and(&lemmas);
        result.insert(node, terms.and2(before, lemmas));
    }
    Ok(result)
}

/// Formulas at loop heads, in the order of the program.
type Invariant = std::collections::BTreeMap<NodeId, Vec<Term>>;

fn paths(findings: &Findings) -> Vec<PathId> {
    let targets = findings.errors.iter().chain(&findings.unsupported).map(|&(path, ..)| path);
    targets.chain(findings.cut.iter().map(|&(path, _)| path)).collect()
}

// ---- guessing ----

/// Candidates from the conditions of paths that begin at a loop head.
fn guess(predicate: &mut Predicate<'_>, paths: &[PathId]) -> Vec<Term> {
    let (mut atoms, mut cells) = (Vec::new(), Vec::<(CellId, usize)>::new());
    for &path in paths {
        let guard = predicate.paths.guard(path);
        atoms.extend(predicate.paths.encoder.terms.atoms(guard));
        let changed = predicate.paths.changed(path);
        let symbols = predicate.paths.encoder.terms.free_symbols(guard);
        let of_cells = symbols.into_iter().filter_map(|symbol| cell(predicate, symbol)).collect::<Vec<_>>();
        for found in of_cells.into_iter().chain(changed) {
            match cells.iter_mut().find(|(cell, _)| *cell == found) {
                Some((_, count)) => *count += 1,
                None => cells.push((found, 1)),
            }
        }
    }
    atoms.sort_unstable();
    atoms.dedup();
    let mut candidates = Vec::new();
    for atom in atoms {
        if is_about_cells(predicate, atom) {
            let negated = predicate.paths.encoder.terms.not(atom);
            candidates.extend([atom, negated]);
        }
    }
    // Those that occur most matter most.
    cells.sort_by_key(|&(cell, count)| (std::cmp::Reverse(count), cell));
    let variables: Vec<CellId> = cells
        .into_iter()
        .map(|(cell, _)| cell)
        .filter(|&cell| is_integer(predicate, cell))
        .take(MAX_VARIABLES)
        .collect();
    candidates.extend(templates(predicate, &variables));
    candidates.retain(|&candidate| candidate != Terms::TRUE && candidate != Terms::FALSE);
    let mut seen = summa_base::FxHashSet::default();
    candidates.retain(|&candidate| seen.insert(candidate));
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// The cell of a symbol in version 0.
fn cell(predicate: &Predicate<'_>, symbol: Term) -> Option<CellId> {
    let (symbol, version) = predicate.paths.encoder.terms.as_symbol(symbol)?;
    predicate.paths.encoder.cells.of_symbol(symbol).filter(|_| version == 0)
}

fn is_integer(predicate: &Predicate<'_>, cell: CellId) -> bool {
    let data = &predicate.paths.encoder.cells.cells[cell];
    data.variable.is_some() && matches!(data.sort, Sort::Int | Sort::Bv(_))
}

/// Small, and only about values at the loop head.
fn is_about_cells(predicate: &Predicate<'_>, atom: Term) -> bool {
    let terms = &predicate.paths.encoder.terms;
    terms.post_order(&[atom]).len() <= MAX_ATOM_SIZE
        && terms.free_symbols(atom).into_iter().all(|symbol| cell(predicate, symbol).is_some())
}

fn templates(predicate: &mut Predicate<'_>, variables: &[CellId]) -> Vec<Term> {
    let encoder = &mut predicate.paths.encoder;
    let mut found = Vec::new();
    for (i, &x) in variables.iter().enumerate() {
        for (j, &y) in variables.iter().enumerate() {
            if i < j {
                found.extend(encoder.relate(x, y));
                for &z in variables.iter().filter(|&&z| z != x && z != y) {
                    found.extend(encoder.sum_is(x, y, z));
                }
            }
        }
    }
    found
}

// ---- checking ----

/// Drops candidates until the rest is inductive over all segments.
fn houdini(
    predicate: &mut Predicate<'_>,
    segments: &[Segment],
    known: &Invariants,
    candidates: &mut Invariant,
    budget: &Budget,
) -> Result<(), Stop> {
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for segment in segments {
            while let Some(kept) = falsified(predicate, segment, known, candidates)? {
                candidates.insert(segment.to, kept);
                is_stable = false;
                budget.check_now()?;
            }
        }
    }
    Ok(())
}

/// The candidates that are left at the end of a segment, if one of them can be false there.
fn falsified(
    predicate: &mut Predicate<'_>,
    segment: &Segment,
    known: &Invariants,
    candidates: &Invariant,
) -> Result<Option<Vec<Term>>, Stop> {
    let Some(there) = candidates.get(&segment.to).filter(|there| !there.is_empty()) else { return Ok(None) };
    let mut premises = vec![predicate.paths.guard(segment.path)];
    if let Some(from) = segment.from {
        premises.extend(known.get(&from));
        premises.extend(candidates.get(&from).into_iter().flatten());
    }
    let after: Vec<Term> = there.iter().map(|&lemma| predicate.after(segment.path, lemma)).collect();
    let mentioned: Vec<Term> = premises.iter().chain(&after).copied().collect();
    premises.extend(predicate.paths.facts(segment.path));
    premises.extend(predicate.paths.entry_facts_of(&mentioned));
    let terms = &mut predicate.paths.encoder.terms;
    let all = terms.and(&after);
    premises.push(terms.not(all));
    let kept = match predicate.logic.find_model_within(terms, &premises, CHECK_TIME) {
        Ok(None) => return Ok(None),
        Ok(Some(model)) => {
            let holds = |formula: Term| model.is_true(terms, formula) == Some(true);
            let kept: Vec<Term> = there
                .iter()
                .zip(&after)
                .filter(|&(_, &formula)| holds(formula))
                .map(|(&lemma, _)| lemma)
                .collect();
            // A model that decides nothing: better no lemmas than no end.
            if kept.len() == there.len() { Vec::new() } else { kept }
        }
        Err(Stop::GaveUp(_)) => Vec::new(),
        Err(stop) => return Err(stop),
    };
    Ok(Some(kept))
}
