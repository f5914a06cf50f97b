//! Facts about the cells of arrays that the program itself states: what it writes into a cell (`c_K = a_K +
//! b_K`), and what it asks about one (the same, if that is what it asserts).
//!
//! They are exact, including wrap-around. What a loop establishes for one index after the other is mostly
//! among them: see [`super::implications`].
//!
//! Reads of an array go through temporaries. A temporary holds the cell if the index is that of the cell, and
//! any value otherwise. Here it counts as the cell.

use super::linear::{is_temporary, saved_values};
use summa_c::tree::{ExprKind, PlaceKind, VarId};
use summa_cfa::Op;
use summa_encode::{Encoder, State};
use summa_term::{Term, Terms};

/// More are not worth the time.
const MAX_SAYINGS: usize = 12;
const MAX_SIZE: usize = 60;

/// A formula over cells, and the other variables in it.
pub(super) struct Saying {
    pub(super) formula: Term,
    pub(super) variables: Vec<VarId>,
    /// True for a fact about what is written into a cell.
    pub(super) is_write: bool,
}

/// What the program says about these cells.
pub(super) fn sayings(encoder: &mut Encoder<'_>, cells: &[VarId]) -> Vec<Saying> {
    let state = with_cells_read(encoder, cells);
    let cfa = encoder.cfa;
    let mut found: Vec<Saying> = Vec::new();
    for edge in cfa.edges.values() {
        let formula = match edge.op {
            Op::Assume { condition, truth: true, .. } => {
                exactly(encoder, |encoder| Some(encoder.condition(&state, condition)))
            }
            Op::Assign { place, value } => match cfa.program.exprs.place(place).kind {
                PlaceKind::Var(var) if cells.contains(&var) => exactly(encoder, |encoder| {
                    let cell = encoder.cell_of(var, 0)?;
                    let value = encoder.value(&state, value).scalar()?;
                    let symbol = encoder.terms.symbol(encoder.cells.cells[cell].symbol, 0);
                    let is_same = encoder.terms.sort(symbol) == encoder.terms.sort(value);
                    is_same.then(|| encoder.terms.eq(symbol, value))
                }),
                _ => None,
            },
            _ => None,
        };
        let is_write = matches!(edge.op, Op::Assign { .. });
        let negation = formula.map(|formula| encoder.terms.not(formula));
        for formula in formula.into_iter().chain(negation) {
            let is_new = !found.iter().any(|saying| saying.formula == formula);
            if let Some(variables) = others(encoder, formula, cells).filter(|_| is_new) {
                found.push(Saying { formula, variables, is_write });
            }
        }
    }
    found.truncate(MAX_SAYINGS);
    found
}

/// Replaces every temporary by what it holds wherever it is used: a cell, or the one expression that is ever
/// assigned to it.
fn with_cells_read(encoder: &mut Encoder<'_>, cells: &[VarId]) -> State {
    let cfa = encoder.cfa;
    let exprs = &cfa.program.exprs;
    let mut state = State::symbolic(&encoder.cells, &mut encoder.terms, 0);
    for edge in cfa.edges.values() {
        let Op::Assign { place, value } = edge.op else { continue };
        let (PlaceKind::Var(temp), ExprKind::Load(read)) = (exprs.place(place).kind, exprs.expr(value).kind)
        else {
            continue;
        };
        let PlaceKind::Var(cell) = exprs.place(read).kind else { continue };
        if is_temporary(cfa, temp)
            && cells.contains(&cell)
            && let (Some(temp), Some(cell)) = (encoder.cell_of(temp, 0), encoder.cell_of(cell, 0))
        {
            state.set(temp, encoder.terms.symbol(encoder.cells.cells[cell].symbol, 0));
        }
    }
    let mut saved: Vec<_> = saved_values(cfa).into_iter().collect();
    saved.sort_unstable_by_key(|&(temp, _)| temp);
    for (temp, value) in saved {
        if let Some(cell) = encoder.cell_of(temp, 0)
            && let Some(value) = exactly(encoder, |encoder| encoder.value(&state, value).scalar())
        {
            state.set(cell, value);
        }
    }
    state
}

/// A term, if it says everything: nothing in it is left open, nothing is remembered about it.
fn exactly(
    encoder: &mut Encoder<'_>,
    translate: impl FnOnce(&mut Encoder<'_>) -> Option<Term>,
) -> Option<Term> {
    let (constraints, approximations) = (encoder.constraints.len(), encoder.approximations.len());
    let term = translate(encoder);
    let is_exact = encoder.constraints.len() == constraints && encoder.approximations.len() == approximations;
    encoder.constraints.truncate(constraints);
    encoder.approximations.truncate(approximations);
    term.filter(|_| is_exact)
}

/// The variables besides cells; None if it is not about cells, not about whole variables, or too long.
fn others(encoder: &Encoder<'_>, formula: Term, cells: &[VarId]) -> Option<Vec<VarId>> {
    if matches!(formula, Terms::TRUE | Terms::FALSE) || encoder.terms.size(formula) > MAX_SIZE {
        return None;
    }
    let mut variables = Vec::new();
    let mut is_about_cells = false;
    for symbol in encoder.terms.free_symbols(formula) {
        let (symbol, 0) = encoder.terms.as_symbol(symbol)? else { return None };
        let cell = encoder.cells.of_symbol(symbol)?;
        let (var, 0) = encoder.cells.cells[cell].variable? else { return None };
        match cells.contains(&var) {
            true => is_about_cells = true,
            false if is_temporary(encoder.cfa, var) => return None,
            false => variables.push(var),
        }
    }
    is_about_cells.then_some(variables)
}
