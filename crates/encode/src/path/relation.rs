//! A function as a relation between the values at its entry and at its exit, for procedure summaries.
//!
//! Inputs are the cells whose entry values matter: parameters, and globals and memory that are read. Outputs
//! are the result, and changed cells that other functions can see. Variables of the frame are neither: after
//! the call the caller has its own again, also in recursion.

use super::cone::Cone;
use super::{PathId, Paths, Ssa};
use crate::cells::{CellId, OBJECT};
use crate::encoder::Encoder;
use crate::state::State;
use summa_base::IdSet;
use summa_c::tree::{BinaryOp, FuncId};
use summa_cfa::{EdgeId, Op};
use summa_facts::mod_ref::Access;
use summa_term::Term;

/// A path from the entry of a function to its exit, seen from outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relation {
    pub function: FuncId,
    /// Begins with a block entry.
    pub path: PathId,
    /// Cells whose entry value occurs in the formula.
    pub inputs: Vec<CellId>,
    /// Cells that have another value at the exit.
    pub outputs: Vec<CellId>,
}

/// A relation at a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Application {
    pub guard: Term,
    /// Guard, facts, and an equation for each output.
    pub formula: Term,
    /// The versions when the callee has returned, before the caller takes the result.
    pub exit: Ssa,
}

impl Relation {
    /// `path` leads from the entry of the function (with [`Paths::block_entry`]) to its exit.
    pub fn new(paths: &mut Paths<'_>, function: FuncId, path: PathId) -> Self {
        let encoder = &paths.encoder;
        let written = written_cells(encoder, function);
        let results: IdSet<CellId> = encoder.frame_result(function).into_iter().collect();
        let private = frame_cells(encoder);
        let is_output =
            |cell: &CellId| results.contains(*cell) || written.contains(*cell) || !private.contains(*cell);
        let outputs: Vec<CellId> = paths.changed(path).into_iter().filter(is_output).collect();
        let mut relation = Self { function, path, inputs: Vec::new(), outputs };
        let mut terms = relation.conditions(paths);
        terms.extend(relation.values(paths));
        relation.inputs =
            Cone::of(&paths.encoder.terms, terms).cells(&paths.encoder.terms, &paths.encoder.cells);
        relation
    }

    /// The relation at a call: `before` has the caller's versions before the call, `entry` those after the
    /// parameters took their arguments (the exit of an instance of [`Paths::enter`]). What is not an output
    /// is as it was before. The caller then takes the result by [`Paths::receive`]. `instance` as in
    /// [`Paths::instantiate`].
    pub fn apply(&self, paths: &mut Paths<'_>, before: &Ssa, entry: &Ssa, instance: u32) -> Application {
        let conditions = self.conditions(paths);
        let mut parts = paths.rename(&conditions, entry, instance);
        let guard = parts[0];
        let values = self.values(paths);
        let values = paths.rename(&values, entry, instance);
        let mut exit = before.clone();
        for (&cell, value) in self.outputs.iter().zip(values) {
            let last = before.get(cell).max(entry.get(cell));
            exit.set(cell, paths.exit_version(last, instance));
            parts.push(paths.is_value(cell, &exit, value));
        }
        Application { guard, formula: paths.encoder.terms.and(&parts), exit }
    }

    /// Guard and facts.
    fn conditions(&self, paths: &mut Paths<'_>) -> Vec<Term> {
        let mut conditions = vec![paths.guard(self.path)];
        conditions.extend(paths.facts(self.path));
        conditions
    }

    fn values(&self, paths: &Paths<'_>) -> Vec<Term> {
        self.outputs.iter().map(|&cell| paths.state(self.path).get(cell)).collect()
    }
}

/// The cells that a function and its callees may write so that others can see it, by mod/ref.
pub(super) fn written_cells(encoder: &Encoder<'_>, function: FuncId) -> IdSet<CellId> {
    let facts = encoder.facts;
    let mut cells = access_cells(encoder, &facts.mod_refs.of(&facts.calls, function).writes);
    cells.insert(encoder.cells.next_object);
    cells
}

pub(super) fn access_cells(encoder: &Encoder<'_>, access: &Access) -> IdSet<CellId> {
    let points_to = &encoder.facts.points_to;
    let of_variables = access.variables.iter().flat_map(|var| points_to.of_var(var).iter().copied());
    let classes = of_variables.chain(access.classes.iter());
    classes.filter_map(|class| encoder.cells.region(class)).flat_map(|region| region.cells()).collect()
}

/// The cells that belong to the frame of any function, so that no other function can name them.
fn frame_cells(encoder: &Encoder<'_>) -> IdSet<CellId> {
    encoder.cfa.program.functions.ids().flat_map(|function| encoder.frame(function)).collect()
}

/// A call without looking into the callee: what it may write takes any value.
pub(super) fn jump_over(
    encoder: &mut Encoder<'_>,
    state: &mut State,
    call: EdgeId,
    callee: FuncId,
    guard: Term,
) {
    (encoder.edge, encoder.guard) = (call, guard);
    encoder.note("a call that was not entered");
    let facts = encoder.facts;
    let writes = &facts.mod_refs.of(&facts.calls, callee).writes;
    let of_variables = writes.variables.iter().flat_map(|var| facts.points_to.of_var(var).iter().copied());
    let mut classes: Vec<_> = of_variables.chain(writes.classes.iter()).collect();
    classes.sort_unstable();
    classes.dedup();
    for class in classes {
        encoder.havoc_class(state, class);
    }
    let (old, new) = (state.get(encoder.cells.next_object), encoder.fresh_int(OBJECT));
    let is_later = encoder.arithmetic.compare(&mut encoder.terms, BinaryOp::Le, OBJECT, old, new);
    encoder.assume_here(is_later);
    let are_few = encoder.few_objects(new);
    encoder.assume_here(are_few);
    state.set(encoder.cells.next_object, new);
    if let Op::Call { result: Some(place), .. } = encoder.cfa.edges[call].op {
        encoder.havoc_place(state, place);
    }
}
