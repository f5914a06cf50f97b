//! Writes down what an engine found, as a proof that the checker can confirm (see `summa_proof`).
//!
//! The states of a complete exploration without targets are inductive: every successor is a state or covered
//! by one. So they are the points of a proof, at the places where the proof needs points: loop heads, and
//! where values are followed one by one also the places where executions meet, because states that are kept
//! apart there are easier to check one by one. Each summary is a procedure. Invariants that an engine took
//! for granted are lemmas.
//!
//! What a domain cannot say is left out, and so is what has no influence on whether an error is reached. Sets
//! of lemmas that do not hold are removed before the proof is handed on.
//!
//! Nothing here has to be right for a verdict to be right: what is written is checked.

mod hints;
mod lemmas;
mod say;
mod summaries;

pub(crate) use hints::{Heard, hear, predicates};
pub(crate) use lemmas::Lemmas;
pub(crate) use say::place;
pub(crate) use summaries::of_summaries;

use crate::encoding_choice::choose;
use crate::task::Task;
use say::{Said, Sayings, Writer};
use summa_base::IdSet;
use summa_cfa::NodeId;
use summa_cpa::{Product, Reached};
use summa_domains::Domain;
use summa_domains::says::{ProofStyle, Says};
use summa_domains::scalars::kept_parameters;
use summa_encode::{Encoder, Encoding};
use summa_logic::Workbench;
use summa_proof::{Draft, Method, Place, Point, Procedure, Proof};
use summa_term::Terms;

/// A proof, or why there is none.
pub type Written = Result<Proof, String>;

/// The proof of a complete exploration without targets.
pub(crate) fn of_exploration<'t>(
    task: &Task<'t>,
    product: &mut Product<Domain<'t>>,
    reached: &Reached<Product<Domain<'t>>>,
) -> Written {
    let style = style_of(product);
    if style.is_unrolled
        && let Some(logic) = workbench_of(product)
    {
        return of_unrolling(task, logic.paths.encoder.encoding, u32::MAX);
    }
    let lemmas = granted(task, product)?;
    let is_point = points_at(task, product, false);
    let mut sayings = Sayings::new(task.facts);
    let mut said: Vec<(Place, Said)> = Vec::new();
    for id in reached.reached() {
        let node = &reached.nodes[id];
        let Some(place) = place(product, node.node, &node.state).filter(|place| is_point(place)) else {
            continue;
        };
        said.push((place, sayings.of_state(product, &node.state)?));
    }
    with_encoder(task, product, false, |encoder| {
        let encoding = encoder.encoding;
        let mut draft = Draft::default();
        lemmas.write(encoder, &mut draft);
        let mut writer = Writer::new(encoder, &sayings);
        let kept = if style.keeps_arguments { kept_parameters(task.cfa, task.facts) } else { IdSet::new() };
        let points = writer.points_in_calls(&mut draft, said, &kept);
        add_program(task, &mut draft, points);
        draft.finish(&encoder.terms, encoding, Method::Induction { k: 0 })
    })
}

/// The proof that every execution ends within a bound, without an error.
pub(crate) fn of_unrolling(task: &Task<'_>, encoding: Encoding, bound: u32) -> Written {
    let mut draft = Draft::default();
    add_program(task, &mut draft, Vec::new());
    draft.finish(&Terms::new(), encoding, Method::Unrolling { bound })
}

/// The proof by induction over k segments, with lemmas; with k = 0 from any values at some places, which are
/// all cut points.
pub(crate) fn of_induction(
    encoder: &mut Encoder<'_>,
    task: &Task<'_>,
    (lemmas, places): (&Lemmas, Vec<Place>),
    k: u32,
) -> Written {
    // Intervals know more about bit operations than formulas over integers say: they are inductive over
    // bit-vectors.
    let is_inexact = encoder.encoding == Encoding::Int && choose(task.cfa, task.facts).because.is_some();
    if is_inexact && lemmas.are_states() {
        let mut exact = Encoder::new(task.cfa, task.facts, Encoding::BitVector);
        return induction_with(&mut exact, task, (lemmas, places), k);
    }
    induction_with(encoder, task, (lemmas, places), k)
}

fn induction_with(
    encoder: &mut Encoder<'_>,
    task: &Task<'_>,
    (lemmas, places): (&Lemmas, Vec<Place>),
    k: u32,
) -> Written {
    let mut draft = Draft::default();
    lemmas.write(encoder, &mut draft);
    let holds = draft.formula(Terms::TRUE);
    let points = places.into_iter().map(|place| Point { place, formula: holds }).collect();
    add_program(task, &mut draft, points);
    draft.finish(&encoder.terms, encoder.encoding, Method::Induction { k })
}

/// The procedure of the whole program.
fn add_program(task: &Task<'_>, draft: &mut Draft, points: Vec<Point>) {
    let holds = draft.formula(Terms::TRUE);
    draft.procedures.push(Procedure { function: task.cfa.start, requires: holds, ensures: holds, points });
}

/// What a proof from these domains must look like.
fn style_of(product: &Product<Domain<'_>>) -> ProofStyle {
    let styles = product.components.iter().map(|component| component.proof_style());
    styles.fold(ProofStyle::default(), ProofStyle::and)
}

/// The workbench of the component that has formulas.
fn workbench_of<'p, 't>(product: &'p mut Product<Domain<'t>>) -> Option<&'p mut Workbench<'t>> {
    product.components.iter_mut().find_map(|component| component.workbench())
}

/// The invariants that components took for granted, as lemmas.
fn granted<'t>(task: &Task<'t>, product: &mut Product<Domain<'t>>) -> Result<Lemmas, String> {
    for component in &mut product.components {
        let invariants = component.granted().filter(|invariants| !invariants.is_empty()).cloned();
        if let (Some(invariants), Some(logic)) = (invariants, component.workbench()) {
            return Lemmas::of_invariants(task, logic, &invariants);
        }
    }
    Ok(Lemmas::default())
}

/// Formulas are written with the encoder of the domain that has some already, or with a new one.
fn with_encoder<'t, R>(
    task: &Task<'t>,
    product: &mut Product<Domain<'t>>,
    with_copies: bool,
    write: impl FnOnce(&mut Encoder<'t>) -> R,
) -> R {
    let style = style_of(product);
    if let Some(logic) = workbench_of(product) {
        return write(&mut logic.paths.encoder);
    }
    let encoding = if style.is_modular { Encoding::BitVector } else { choose(task.cfa, task.facts).first };
    let encoder = Encoder::new(task.cfa, task.facts, encoding);
    write(&mut if with_copies { encoder.with_entry_copies() } else { encoder })
}

/// Where a proof from these domains has points.
fn points_at<'t>(
    task: &Task<'t>,
    product: &Product<Domain<'t>>,
    with_contracts: bool,
) -> impl Fn(&Place) -> bool + use<'t> {
    let style = style_of(product);
    // No other domain need know what path formulas exclude between loop heads.
    let is_exact = style.splits_meetings && !style.has_paths;
    let (cfa, facts) = (task.cfa, task.facts);
    let is_recursive = move |node: NodeId| facts.calls.is_recursive(cfa.nodes[node].function);
    move |place: &Place| {
        let is_meeting = |node: NodeId| is_exact && cfa.entering(node).len() > 1;
        // Path formulas must come back from a recursive call before they end, unless a contract stands for
        // it.
        let in_recursion = || {
            !with_contracts && is_recursive(place.node)
                || place.calls.iter().any(|&call| !with_contracts && is_recursive(cfa.edge(call).from))
        };
        facts.loops.is_head(place.node) || is_meeting(place.node) && !in_recursion()
    }
}
