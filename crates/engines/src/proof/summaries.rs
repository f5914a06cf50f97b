//! Summaries as procedures of a proof: the entry is what is required, the exits are what is ensured, and
//! states at loop heads are points.
//!
//! A block that is entered with fewer values than its summary was made for satisfies what the summary
//! requires. Domains of single values also say something at the exit about variables that the block does not
//! write. These still have their entry values, so it is said of their entry copies, which callers understand.
//!
//! A loaded summary has no states, so its procedure has no points. That is enough if there are no loops, or
//! if the contract is known to hold ([`crate::contents`]).

use super::say::{Said, Sayings, Writer};
use super::{Lemmas, granted, place, points_at, with_encoder};
use crate::task::Task;
use summa_bam::{Bam, SummaryId};
use summa_base::{FxHashMap, IdSet};
use summa_c::tree::{FuncId, VarId, VarKind};
use summa_cfa::Cfa;
use summa_cpa::Product;
use summa_domains::Domain;
use summa_domains::says::{Equations, Unknown};
use summa_domains::scalars::kept_parameters;
use summa_encode::{CellId, Encoder, Interface};
use summa_facts::blocks::{Block, BlockKind, Partition};
use summa_proof::{Draft, Method, Place, Procedure, Proof};
use summa_term::{Term, Terms};

/// A summary in the words of its domains.
struct Spoken<'b> {
    function: FuncId,
    block: &'b Block,
    entry: Said,
    exits: Vec<Said>,
    states: Vec<(Place, Said)>,
}

/// A proof, and the procedures in it that come from loaded summaries.
pub(crate) struct Told {
    pub(crate) proof: Proof,
    pub(crate) loaded: Vec<usize>,
}

/// The proof of a program all of whose summaries are complete and without targets. A loaded summary is a
/// contract that was shown in another run; what it relied on there is a part of the proof only
/// `with_all_loaded`.
pub(crate) fn of_summaries<'t>(
    task: &Task<'t>,
    bam: &mut Bam<'_, Product<Domain<'t>>>,
    with_all_loaded: bool,
) -> Result<Told, String> {
    let Some(root) = bam.root else { return Err("there are no summaries".to_owned()) };
    let is_recursive = has_recursion(task);
    // Lemmas are about the whole program, which recursion makes too large.
    let lemmas = if is_recursive { Lemmas::default() } else { granted(task, &mut bam.cpa)? };
    // The blocks as the checker sees them, even if some functions were inlined here.
    let blocks = task.facts.blocks(task.cfa, Partition::Functions);
    let mut sayings = Sayings::new(task.facts);
    let is_point = points_at(task, &bam.cpa, true);
    let (mut spoken, mut loaded) = (Vec::new(), Vec::new());
    for id in needed(bam, root, with_all_loaded) {
        let summary = &bam.store.summaries[id];
        if summary.is_loaded {
            loaded.push(spoken.len());
        }
        let BlockKind::Function(function) = bam.blocks.blocks[summary.block].kind else {
            return Err("loops are summarised".to_owned());
        };
        let entered = task.cfa.automaton(function).and_then(|automaton| blocks.entered_at(automaton.entry));
        let Some(block) = entered.map(|id| &blocks.blocks[id]) else {
            return Err("a function without a body".to_owned());
        };
        let product = &bam.cpa;
        let outer = place(product, block.entry, &summary.entry).map_or(0, |place| place.calls.len());
        let mut states = Vec::new();
        for id in summary.reached.reached() {
            let node = &summary.reached.nodes[id];
            let Some(mut place) = place(product, node.node, &node.state) else { continue };
            // Where summaries keep the call stack, the calls around the block are not in it.
            place.calls.drain(..outer.min(place.calls.len()));
            if is_point(&place) {
                states.push((place, sayings.of_state(product, &node.state)?));
            }
        }
        let exits = summary.exits.iter().map(|exit| sayings.of_exit(product, &exit.state)).collect();
        let entry = sayings.of_state(product, &summary.entry)?;
        spoken.push(Spoken { function, block, entry, exits, states });
    }
    with_encoder(task, &mut bam.cpa, true, |encoder| {
        let mut draft = Draft::default();
        lemmas.write(encoder, &mut draft);
        let mut writer = Writer::new(encoder, &sayings);
        let kept = kept_parameters(task.cfa, task.facts);
        for summary in spoken {
            let procedure = procedure(task.cfa, &kept, &mut writer, &mut draft, summary);
            draft.procedures.push(procedure);
        }
        let encoding = encoder.encoding;
        let proof = draft.finish(&encoder.terms, encoding, Method::Induction { k: 0 })?;
        Ok(Told { proof, loaded })
    })
}

/// Is there recursion in what the program calls?
fn has_recursion(task: &Task<'_>) -> bool {
    let calls = &task.facts.calls;
    calls.below(task.cfa.start).iter().any(|function| calls.is_recursive(function))
}

/// The program's summary, then all that it relies on.
fn needed(bam: &Bam<'_, Product<Domain<'_>>>, root: SummaryId, with_all_loaded: bool) -> Vec<SummaryId> {
    let (mut seen, mut todo) = (IdSet::new(), vec![root]);
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        let summary = &bam.store.summaries[id];
        todo.extend(summary.uses.iter().map(|&each| bam.store.uses[each].callee));
        if summary.is_loaded && with_all_loaded {
            // The summaries on which it relied were not computed in this run.
            todo.extend(bam.store.held().into_iter().filter(|&id| bam.store.summaries[id].is_loaded));
        }
    }
    let others = seen.iter().filter(|&id| id != root);
    std::iter::once(root).chain(others).collect()
}

fn procedure(
    cfa: &Cfa,
    kept: &IdSet<VarId>,
    writer: &mut Writer<'_, '_>,
    draft: &mut Draft,
    summary: Spoken<'_>,
) -> Procedure {
    let Spoken { function, block, entry, exits, mut states } = summary;
    let interface = Interface::new(writer.encoder, block).with_outer_locals(writer.encoder, function);
    let holds = draft.formula(Terms::TRUE);
    if function == cfa.start {
        let points = writer.points(draft, states);
        return Procedure { function, requires: holds, ensures: holds, points };
    }
    let (requires, ensures) = contract(cfa, kept, writer, &interface, function, (&entry, exits));
    // What was required of the inputs is known about their copies. A parameter that is never assigned equals
    // its copy, and so does the object of a local of another function.
    let mut always = vec![of_copies(writer.encoder, requires, &|_| true)];
    for &param in cfa.program.functions[function].params.iter().filter(|&&param| kept.contains(param)) {
        let cell = writer.encoder.cell_of(param, 0);
        always.extend(cell.and_then(|cell| is_copy(writer.encoder, &interface, cell)));
    }
    let outer = writer.encoder.cells.handles().filter(|&(var, cell)| {
        cfa.program.vars[var].kind.frame() != Some(function)
            && interface.outputs.binary_search(&cell).is_err()
    });
    for cell in outer.map(|(_, cell)| cell).collect::<Vec<CellId>>() {
        always.extend(is_copy(writer.encoder, &interface, cell));
    }
    let always = writer.encoder.terms.and(&always);
    for (place, said) in &mut states {
        let active = place.functions(cfa, function);
        said.facts.retain(|&number| is_seen(cfa, &active, writer, &interface, number));
    }
    let points = writer.points_with(draft, states, always);
    Procedure { function, requires: draft.formula(requires), ensures: draft.formula(ensures), points }
}

/// What a summary requires of the inputs, and ensures of the outputs and of the copies of the inputs.
pub(super) fn contract(
    cfa: &Cfa,
    kept: &IdSet<VarId>,
    writer: &mut Writer<'_, '_>,
    interface: &Interface,
    function: FuncId,
    (entry, mut exits): (&Said, Vec<Said>),
) -> (Term, Term) {
    let requires = writer.formula(entry);
    let requires = about_inputs(writer.encoder, interface, requires);
    let common = common(&exits);
    if !common.equations.is_empty() {
        for exit in &mut exits {
            leave_out_common(writer, &common, exit);
        }
    }
    let common = at_exit(cfa, kept, writer, interface, function, &common);
    let ensures: Vec<Term> =
        exits.iter().map(|exit| at_exit(cfa, kept, writer, interface, function, exit)).collect();
    let ensures = writer.encoder.terms.or(&ensures);
    (requires, writer.encoder.terms.and2(common, ensures))
}

/// The equations that several exits have in common. Stated once, they need not be found by the solver in
/// every case.
fn common(exits: &[Said]) -> Said {
    let mut all = exits.iter().map(|exit| Equations::of(exit.equations.iter().cloned()));
    let first = all.next().filter(|_| exits.len() > 1);
    let hull = first.map(|first| all.fold(first, |hull, next| hull.join(&next)));
    let equations = hull.map_or(Vec::new(), |hull| hull.rows().to_vec());
    Said { equations, ..Said::default() }
}

/// Equations of an exit that follow from the common ones and from the values that are known there.
fn leave_out_common(writer: &Writer<'_, '_>, common: &Said, exit: &mut Said) {
    let constants = exit.facts.iter().filter_map(|&number| writer.constant(number));
    let known = Equations::of(common.equations.iter().cloned()).and(constants);
    exit.equations.retain(|row| !known.implies(row));
}

/// Can this be known where these functions are active? A state may also speak of other locals, reached
/// through pointers. These facts were required only if they are inputs.
fn is_seen(
    cfa: &Cfa,
    active: &[FuncId],
    writer: &mut Writer<'_, '_>,
    interface: &Interface,
    number: u32,
) -> bool {
    let kind = cfa.program.vars[writer.variable(number)].kind;
    kind.frame().is_none_or(|frame| active.contains(&frame)) || {
        let formula = writer.fact(number);
        cells_of(writer.encoder, formula).iter().all(|cell| interface.inputs.binary_search(cell).is_ok())
    }
}

/// An input has the value of its copy.
fn is_copy(encoder: &mut Encoder<'_>, interface: &Interface, cell: CellId) -> Option<Term> {
    interface.inputs.binary_search(&cell).ok()?;
    let copy = encoder.cells.entry_copy(cell)?;
    let [now, before] = [cell, copy].map(|cell| encoder.terms.symbol(encoder.cells.cells[cell].symbol, 0));
    Some(encoder.terms.eq(now, before))
}

/// The statement of an exit for callers.
fn at_exit(
    cfa: &Cfa,
    kept: &IdSet<VarId>,
    writer: &mut Writer<'_, '_>,
    interface: &Interface,
    function: FuncId,
    exit: &Said,
) -> Term {
    let mut parts = exit.formulas.clone();
    for number in exit.facts.iter().copied() {
        let var = writer.variable(number);
        let kind = cfa.program.vars[var].kind;
        // Others of its frame are gone.
        let is_known =
            kind.frame() != Some(function) || kind == VarKind::Return(function) || kept.contains(var);
        let formula = writer.fact(number);
        let encoder = &mut *writer.encoder;
        let cells = cells_of(encoder, formula);
        let is_output = |cell: &CellId| interface.outputs.binary_search(cell).is_ok();
        let is_input = |cell: &CellId| interface.inputs.binary_search(cell).is_ok();
        if cells.iter().all(is_output) {
            parts.push(formula);
        } else if is_known && cells.iter().all(|cell| is_output(cell) || is_input(cell)) {
            parts.push(of_copies(encoder, formula, &|cell| !is_output(&cell)));
        }
    }
    for bound in &exit.bounds {
        let is_known = |&(var, _): &(VarId, bool)| {
            let kind = cfa.program.vars[var].kind;
            kind.frame().is_none() || kind == VarKind::Return(function) || kept.contains(var)
        };
        let Some(formula) = writer.bound(bound).filter(|_| bound.terms.iter().all(is_known)) else {
            continue;
        };
        let encoder = &mut *writer.encoder;
        let is_output = |cell: &CellId| interface.outputs.binary_search(cell).is_ok();
        let is_input = |cell: &CellId| interface.inputs.binary_search(cell).is_ok();
        if cells_of(encoder, formula).iter().all(|cell| is_output(cell) || is_input(cell)) {
            parts.push(of_copies(encoder, formula, &|cell| !is_output(&cell)));
        }
    }
    for row in &exit.equations {
        let is_gone = |var: VarId| {
            let kind = cfa.program.vars[var].kind;
            kind.frame().is_some() && kind != VarKind::Return(function) && !kept.contains(var)
        };
        if row.iter().any(|&(unknown, _)| matches!(unknown, Unknown::Now(var) if is_gone(var))) {
            continue;
        }
        let Some(formula) = writer.equation(row) else { continue };
        let encoder = &mut *writer.encoder;
        let is_output = |cell: &CellId| interface.outputs.binary_search(cell).is_ok();
        let is_input = |cell: &CellId| interface.inputs.binary_search(cell).is_ok();
        let is_copy_of_input =
            |cell: &CellId| encoder.cells.original(*cell).is_some_and(|cell| is_input(&cell));
        if cells_of(encoder, formula).iter().all(|c| is_output(c) || is_input(c) || is_copy_of_input(c)) {
            parts.push(of_copies(encoder, formula, &|cell| is_input(&cell) && !is_output(&cell)));
        }
    }
    writer.encoder.terms.and(&parts)
}

/// The part of a formula that speaks of inputs only.
fn about_inputs(encoder: &mut Encoder<'_>, interface: &Interface, formula: Term) -> Term {
    let mut conjuncts = encoder.terms.conjuncts(formula);
    let is_input = |cell: CellId| interface.inputs.binary_search(&cell).is_ok();
    conjuncts.retain(|&conjunct| cells_of(encoder, conjunct).into_iter().all(is_input));
    encoder.terms.and(&conjuncts)
}

pub(super) fn cells_of(encoder: &Encoder<'_>, formula: Term) -> Vec<CellId> {
    let symbols = encoder.terms.free_symbols(formula).into_iter();
    symbols.filter_map(|symbol| encoder.cells.of_symbol(encoder.terms.as_symbol(symbol)?.0)).collect()
}

/// The formula about the copies of these cells.
fn of_copies(encoder: &mut Encoder<'_>, formula: Term, is_copied: &dyn Fn(CellId) -> bool) -> Term {
    let mut copies = FxHashMap::default();
    for symbol in encoder.terms.free_symbols(formula) {
        let cell = encoder.terms.as_symbol(symbol).and_then(|(family, _)| encoder.cells.of_symbol(family));
        let copy = cell.filter(|&cell| is_copied(cell)).and_then(|cell| encoder.cells.entry_copy(cell));
        if let Some(copy) = copy {
            copies.insert(symbol, encoder.terms.symbol(encoder.cells.cells[copy].symbol, 0));
        }
    }
    encoder.terms.substitute(formula, &copies)
}
