//! Lemmas about loop heads that strengthen the induction step: relations between variables that are inductive
//! together.
//!
//! Linear equations come first ([`super::affine`]). Other candidates are predicates that refinement found in
//! another engine, and guesses from the paths of one segment: the atoms of their conditions, and small
//! templates (x = y, x ≤ y, -y ≤ x, x + y = z) over the variables that occur there. A candidate is dropped if
//! an execution of a segment can falsify it after all candidates held at the beginning. This is repeated
//! until none is dropped. The remaining ones hold at every visit.
//!
//! Paper: Flanagan, Leino, *Houdini, an annotation assistant for ESC/Java*, FME 2001; here with models that
//! drop many candidates at once.
//!
//! Limits: relations over single integer cells; a bounded number of variables and candidates for each loop
//! head.

use super::affine;
use super::implications::Implications;
use crate::unrolling::{Findings, Unroller};
use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::{Budget, FxHashMap, FxHashSet, Unanswered};
use summa_c::tree::VarId;
use summa_cfa::NodeId;
use summa_cpa::Stop;
use summa_domains::callstack::StackId;
use summa_domains::says::PredicatePrecision;
use summa_encode::{CellId, PathId};
use summa_logic::{Invariants, Triple, Workbench};
use summa_term::{Sort, Term, Terms};

/// Variables of one loop head that templates relate.
const MAX_VARIABLES: usize = 10;
/// The same for linear equations.
const MAX_EQUATED: usize = 16;
/// The most candidates at one loop head.
const MAX_CANDIDATES: usize = 800;
/// The most candidates that come from conditions of other loops.
const MAX_HANDED_ON: usize = 60;
/// Atoms with more symbols or nodes than a person would write are no candidates.
const MAX_ATOM_SIZE: usize = 24;
/// For one question.
const CHECK_TIME: Duration = Duration::from_secs(2);

/// An execution from one loop head (or the start of the program) to the next.
pub(super) struct Segment {
    pub(super) from: Option<NodeId>,
    pub(super) path: PathId,
    pub(super) to: NodeId,
}

/// The known invariants together with the lemmas that were found in time.
pub(crate) fn strengthen(
    unroller: &mut Unroller<'_>,
    points: &[(StackId, NodeId)],
    known: &Invariants,
    told: &PredicatePrecision,
    budget: &Budget,
) -> Result<Invariants, Stop> {
    let mut segments = Vec::new();
    let first = unroller.first_segment()?;
    let findings = unroller.findings(&first);
    segments.extend(findings.cut.iter().map(|&(path, to)| Segment { from: None, path, to }));
    let mut sources: FxHashMap<NodeId, Vec<PathId>> = FxHashMap::default();
    for &(stack, head) in points {
        let reached = unroller.unroll_head(head, stack, 1)?;
        let findings = unroller.findings(&reached);
        segments.extend(findings.cut.iter().map(|&(path, to)| Segment { from: Some(head), path, to }));
        sources.entry(head).or_default().extend(paths(&findings));
    }
    let logic = unroller.logic();
    let mut candidates = Equations::new();
    let mut variables: BTreeMap<NodeId, Vec<CellId>> = BTreeMap::new();
    let mut heads: Vec<NodeId> = points.iter().map(|&(_, head)| head).collect();
    heads.sort_unstable();
    heads.dedup();
    for head in heads {
        let paths = sources.get(&head).map_or(&[][..], |paths| paths);
        let mut cells = cells_by_importance(logic, paths);
        let related = &cells[..cells.len().min(MAX_VARIABLES)];
        let mut guessed = guess(logic, paths, told.at(head), related);
        // A loop passes on conditions that matter in loops around it and after it.
        let elsewhere = paths_of_function(logic, &sources, head);
        guessed.extend(conditions(logic, &elsewhere).into_iter().take(MAX_HANDED_ON));
        candidates.insert(head, without_repetition(guessed));
        cells.extend(cells_by_importance(logic, &elsewhere));
        cells = without_repetition(cells);
        cells.retain(|&cell| affine::is_number(logic, cell));
        cells.truncate(MAX_EQUATED);
        variables.insert(head, cells);
    }
    let equations = affine::equations(logic, &segments, known, &variables, budget)?;
    let known = conjoin(logic, known, equations);
    houdini(logic, &segments, &known, &mut candidates, budget)?;
    let known = conjoin(logic, &known, candidates);
    about_cells(logic, &segments, &sources, known, budget)
}

/// Adds lemmas about the cells of arrays, if the program has cells. Lemmas that are not found in time are
/// left out.
fn about_cells(
    logic: &mut Workbench<'_>,
    segments: &[Segment],
    sources: &FxHashMap<NodeId, Vec<PathId>>,
    mut known: Invariants,
    budget: &Budget,
) -> Result<Invariants, Stop> {
    let Some(implications) = Implications::new(logic) else { return Ok(known) };
    let mut heads: Vec<NodeId> = sources.keys().copied().collect();
    heads.sort_unstable();
    let mut rounds = [const { Equations::new() }; 3];
    for &head in &heads {
        // What matters at one loop of a function may matter at the others, because they pass on the contents
        // of the array.
        let cells = cells_by_importance(logic, &paths_of_function(logic, sources, head));
        let variables: Vec<VarId> = (cells.into_iter())
            .filter_map(|cell| logic.paths.encoder.cells.cells[cell].variable.map(|(var, _)| var))
            .collect();
        let guessed = implications.guess(logic, head, &variables);
        for (round, guessed) in rounds.iter_mut().zip(guessed) {
            round.insert(head, guessed);
        }
    }
    for mut candidates in rounds {
        match houdini(logic, segments, &known, &mut candidates, budget) {
            Ok(()) => known = conjoin(logic, &known, candidates),
            Err(Stop::Exhausted(_)) => break,
            Err(stop) => return Err(stop),
        }
    }
    Ok(known)
}

/// Formulas at loop heads, in the order of the program.
pub(super) type Equations = BTreeMap<NodeId, Vec<Term>>;

/// Invariants with more formulas.
fn conjoin(logic: &mut Workbench<'_>, known: &Invariants, more: Equations) -> Invariants {
    let terms = &mut logic.paths.encoder.terms;
    let mut result = known.clone();
    for (node, formulas) in more {
        let before = known.get(&node).copied().unwrap_or(Terms::TRUE);
        let formulas = terms.and(&formulas);
        result.insert(node, terms.and2(before, formulas));
    }
    result
}

/// The paths from all loop heads of the function of one.
fn paths_of_function(
    logic: &Workbench<'_>,
    sources: &FxHashMap<NodeId, Vec<PathId>>,
    head: NodeId,
) -> Vec<PathId> {
    let function = |head: NodeId| logic.paths.encoder.cfa.nodes[head].function;
    let mut heads: Vec<NodeId> =
        sources.keys().copied().filter(|&other| function(other) == function(head)).collect();
    heads.sort_unstable();
    heads.iter().flat_map(|head| sources.get(head).into_iter().flatten().copied()).collect()
}

fn paths(findings: &Findings) -> Vec<PathId> {
    let targets = findings.errors.iter().chain(&findings.unsupported).map(|&(path, ..)| path);
    targets.chain(findings.cut.iter().map(|&(path, _)| path)).collect()
}

// ---- guessing ----

/// The integer variables that occur in the conditions of paths and in what they change, the most frequent
/// ones first.
fn cells_by_importance(logic: &Workbench<'_>, paths: &[PathId]) -> Vec<CellId> {
    let mut cells: Vec<(CellId, usize)> = Vec::new();
    for &path in paths {
        let symbols = logic.paths.encoder.terms.free_symbols(logic.paths.guard(path));
        let of_cells = symbols.into_iter().filter_map(|symbol| cell(logic, symbol));
        for found in of_cells.chain(logic.paths.changed(path)) {
            match cells.iter_mut().find(|(cell, _)| *cell == found) {
                Some((_, count)) => *count += 1,
                None => cells.push((found, 1)),
            }
        }
    }
    cells.sort_by_key(|&(cell, count)| (std::cmp::Reverse(count), cell));
    cells.into_iter().map(|(cell, _)| cell).filter(|&cell| is_integer(logic, cell)).collect()
}

/// Candidates from predicates of other engines, from the conditions of paths that begin at a loop head, and
/// from templates over variables.
fn guess(logic: &mut Workbench<'_>, paths: &[PathId], told: &[Term], variables: &[CellId]) -> Vec<Term> {
    let mut candidates = either_way(logic, told.iter().copied());
    candidates.extend(conditions(logic, paths));
    candidates.extend(templates(logic, variables));
    candidates.retain(|&candidate| candidate != Terms::TRUE && candidate != Terms::FALSE);
    candidates = without_repetition(candidates);
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// The conditions of paths, and their negations.
fn conditions(logic: &mut Workbench<'_>, paths: &[PathId]) -> Vec<Term> {
    let mut atoms = Vec::new();
    for &path in paths {
        atoms.extend(logic.paths.encoder.terms.atoms(logic.paths.guard(path)));
    }
    atoms.sort_unstable();
    atoms.dedup();
    either_way(logic, atoms.into_iter())
}

/// Atoms about values at the loop head, each with its negation.
fn either_way(logic: &mut Workbench<'_>, atoms: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut found = Vec::new();
    for atom in atoms {
        if is_about_cells(logic, atom) {
            let negated = logic.paths.encoder.terms.not(atom);
            found.extend([atom, negated]);
        }
    }
    found
}

fn without_repetition<T: Copy + Eq + std::hash::Hash>(mut list: Vec<T>) -> Vec<T> {
    let mut seen = FxHashSet::default();
    list.retain(|&item| seen.insert(item));
    list
}

/// The cell of a symbol in version 0.
fn cell(logic: &Workbench<'_>, symbol: Term) -> Option<CellId> {
    let (symbol, version) = logic.paths.encoder.terms.as_symbol(symbol)?;
    logic.paths.encoder.cells.of_symbol(symbol).filter(|_| version == 0)
}

fn is_integer(logic: &Workbench<'_>, cell: CellId) -> bool {
    let data = &logic.paths.encoder.cells.cells[cell];
    data.variable.is_some() && matches!(data.sort, Sort::Int | Sort::Bv(_))
}

/// Small, and only about values at the loop head.
fn is_about_cells(logic: &Workbench<'_>, atom: Term) -> bool {
    let terms = &logic.paths.encoder.terms;
    terms.post_order(&[atom]).len() <= MAX_ATOM_SIZE
        && terms.free_symbols(atom).into_iter().all(|symbol| cell(logic, symbol).is_some())
}

fn templates(logic: &mut Workbench<'_>, variables: &[CellId]) -> Vec<Term> {
    let encoder = &mut logic.paths.encoder;
    let mut found = Vec::new();
    for (i, &x) in variables.iter().enumerate() {
        for (j, &y) in variables.iter().enumerate() {
            if i < j {
                found.extend(encoder.relate(x, y));
                found.extend(encoder.balance(x, y));
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
    logic: &mut Workbench<'_>,
    segments: &[Segment],
    known: &Invariants,
    candidates: &mut Equations,
    budget: &Budget,
) -> Result<(), Stop> {
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for segment in segments {
            while let Some(kept) = falsified(logic, segment, known, candidates)? {
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
    logic: &mut Workbench<'_>,
    segment: &Segment,
    known: &Invariants,
    candidates: &Equations,
) -> Result<Option<Vec<Term>>, Stop> {
    let Some(there) = candidates.get(&segment.to).filter(|there| !there.is_empty()) else { return Ok(None) };
    let mut pre: Vec<Term> = Vec::new();
    if let Some(from) = segment.from {
        pre.extend(known.get(&from));
        pre.extend(candidates.get(&from).into_iter().flatten());
    }
    let triple = Triple { pre: &pre, path: segment.path, post: there };
    let kept = match logic.refute(triple, CHECK_TIME) {
        Ok(None) => return Ok(None),
        Ok(Some(model)) => {
            let after: Vec<Term> = there.iter().map(|&lemma| logic.after(segment.path, lemma)).collect();
            let terms = logic.terms();
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
        Err(Unanswered::GaveUp(_)) => Vec::new(),
        Err(over) => return Err(over.into()),
    };
    Ok(Some(kept))
}
