//! Path formulas: what happened since the last block entry, translated once and instantiated by renaming.
//!
//! A path formula is functional: a guard, and for each cell its value as a term over the block's *entry
//! symbols* (each cell in version 0) and fresh symbols. Entry symbols have the same version in every block.
//! So exploring a block again (after a refinement, in the next round of a loop, for another analysis) finds
//! its paths in the memo tables. Versions are introduced when blocks are put in sequence, see
//! [`Paths::instantiate`].
//!
//! Paper: Beyer, Keremoglu, Wendler, *Predicate abstraction with adjustable-block encoding*, FMCAD 2010: SP
//! over edges and disjunction where paths meet. The functional form is that of a let-normal weakest
//! precondition: Flanagan, Saxe, *Avoiding exponential explosion*, POPL 2001.
//!
//! Limits: the values that a recursive call must restore are part of the path. So a recursive call must
//! return in the block in which it was entered (or be a [`Relation`] or a [`Summary`]).

mod cone;
mod entry;
mod frames;
mod instance;
mod relation;
mod show;
mod ssa;
mod summary;
mod trace;

pub use instance::Instance;
pub use relation::{Application, Relation};
pub use ssa::Ssa;
pub use summary::{Event, Interface, Linked, Summary, SummaryUse};

use crate::cells::CellId;
use crate::encoder::{Approximation, Encoder, Input};
use crate::state::State;
use cone::Cone;
use entry::EntryFacts;
use frames::{FrameId, Frames};
use instance::Instances;
use std::fmt;
use summa_base::{FxHashMap, FxHashSet, IdVec, define_id};
use summa_c::tree::ExprId;
use summa_cfa::{EdgeId, Op};
use summa_term::{Sort, SymbolSets, Term, Terms};
use trace::{Added, TraceId, Traces};

define_id! {
    /// A path formula: everything that happened since the last block entry.
    PathId = "p";
}

/// Why a path cannot be continued.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    pub edge: EdgeId,
    pub reason: &'static str,
}

impl fmt::Display for Unsupported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.reason)
    }
}

impl std::error::Error for Unsupported {}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Path {
    /// The entry values and inputs for which the path is taken.
    guard: Term,
    state: State,
    /// What recursive calls restore when they return.
    frames: Option<FrameId>,
    past: Option<TraceId>,
}

/// The ways to extend a path with an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    Edge,
    Enter,
    Leave,
    Receive,
}

/// Cells with their numbers.
type Numbers = Vec<(CellId, Term)>;

/// All path formulas of a program.
pub struct Paths<'a> {
    pub encoder: Encoder<'a>,
    paths: IdVec<PathId, Path>,
    pasts: Traces,
    frames: Frames,
    entry_facts: EntryFacts,
    /// The symbols of facts.
    symbol_sets: SymbolSets,
    instances: Instances,
    block_entry: PathId,
    program_start: PathId,
    steps: FxHashMap<(PathId, EdgeId, Step), PathId>,
    /// Conditions with what their translation added: one for both sides of a branch, so that one excludes the
    /// other.
    conditions: FxHashMap<(PathId, ExprId), (Term, Option<TraceId>)>,
    joins: FxHashMap<(PathId, PathId), PathId>,
    /// By inputs, and those that are numbers.
    summary_entries: FxHashMap<(Vec<CellId>, Numbers), PathId>,
    summarised: FxHashMap<(PathId, Summary), PathId>,
}

impl<'a> Paths<'a> {
    pub fn new(mut encoder: Encoder<'a>) -> Self {
        let entry_facts = EntryFacts::new(&mut encoder);
        let any = State::symbolic(&encoder.cells, &mut encoder.terms, 0);
        let initial = encoder.initial_state();
        let mut paths = IdVec::new();
        let nothing = |state| Path { guard: Terms::TRUE, state, frames: None, past: None };
        let block_entry = paths.push(nothing(any));
        let program_start = paths.push(nothing(initial));
        Self {
            encoder,
            paths,
            pasts: Traces::default(),
            frames: Frames::default(),
            entry_facts,
            symbol_sets: SymbolSets::new(),
            instances: Instances::default(),
            block_entry,
            program_start,
            steps: FxHashMap::default(),
            conditions: FxHashMap::default(),
            joins: FxHashMap::default(),
            summary_entries: FxHashMap::default(),
            summarised: FxHashMap::default(),
        }
    }

    // ---- making paths ----

    /// Nothing happened since the program started.
    pub fn program_start(&self) -> PathId {
        self.program_start
    }

    /// Nothing happened since a block was entered, with any values: the formula `true`.
    pub fn block_entry(&self) -> PathId {
        self.block_entry
    }

    /// SP: the path, then the edge. A call edge is jumped over: what it may write takes any value, which is
    /// noted; see [`Self::enter`] for the exact way. Edges that end the run change nothing.
    pub fn edge(&mut self, path: PathId, edge: EdgeId) -> PathId {
        self.memoised((path, edge, Step::Edge), |paths| {
            let before = paths.paths[path].clone();
            match paths.encoder.cfa.edges[edge].op {
                Op::Assume { condition, truth, .. } => paths.assume(path, edge, condition, truth),
                Op::Call { callee, .. } => paths.translate(path, before, |encoder, state, guard| {
                    relation::jump_over(encoder, state, edge, callee, guard);
                    Terms::TRUE
                }),
                _ => paths.translate(path, before, |encoder, state, guard| encoder.edge(state, edge, guard)),
            }
        })
    }

    /// The path, then the beginning of a call: parameters take the arguments.
    pub fn enter(&mut self, path: PathId, call: EdgeId) -> PathId {
        self.memoised((path, call, Step::Enter), |paths| {
            let mut before = paths.paths[path].clone();
            if let Some(callee) = frames::given_back(&paths.encoder, call) {
                let cells = paths.encoder.frame(callee).into_iter();
                let saved = cells.map(|cell| (cell, before.state.get(cell))).collect();
                before.frames = Some(paths.frames.push(call, saved, before.frames));
            }
            paths.translate(path, before, |encoder, state, guard| {
                encoder.enter(state, call, guard);
                Terms::TRUE
            })
        })
    }

    /// The path, which is at the exit of the callee, then the return to the caller, which gets its variables
    /// back and takes the result. It fails if the call is recursive and was not entered on this path.
    pub fn leave(&mut self, path: PathId, call: EdgeId) -> Result<PathId, Unsupported> {
        if let Some(&known) = self.steps.get(&(path, call, Step::Leave)) {
            return Ok(known);
        }
        let mut before = self.paths[path].clone();
        if let Some(callee) = frames::given_back(&self.encoder, call) {
            let frame = before.frames.map(|id| self.frames.get(id)).filter(|frame| frame.call == call);
            let reason = "recursion across an abstraction point";
            let Some(frame) = frame else { return Err(Unsupported { edge: call, reason }) };
            let results = self.encoder.frame_result(callee);
            for &(cell, value) in frame.saved.iter().filter(|(cell, _)| !results.contains(cell)) {
                before.state.set(cell, value);
            }
            before.frames = frame.below;
        }
        let left = self.translate(path, before, |encoder, state, guard| {
            encoder.leave(state, call, guard);
            Terms::TRUE
        });
        self.steps.insert((path, call, Step::Leave), left);
        Ok(left)
    }

    /// The path, then only the last part of a return: the caller takes the result, and its variables are as
    /// they are. For callers that have them back already, as after [`Relation::apply`].
    pub fn receive(&mut self, path: PathId, call: EdgeId) -> PathId {
        self.memoised((path, call, Step::Receive), |paths| {
            let before = paths.paths[path].clone();
            paths.translate(path, before, |encoder, state, guard| {
                encoder.leave(state, call, guard);
                Terms::TRUE
            })
        })
    }

    /// The meeting of two paths from one block entry: one of them was taken. They must be different ways of
    /// one run, so that at most one of them is taken (the program is deterministic except for its inputs). A
    /// path and an extension of it are distinguished by a fresh symbol.
    pub fn or(&mut self, a: PathId, b: PathId) -> PathId {
        if a == b || self.guard(b) == Terms::FALSE {
            return a;
        }
        if self.guard(a) == Terms::FALSE {
            return b;
        }
        let (a, b) = (a.min(b), a.max(b));
        if let Some(&known) = self.joins.get(&(a, b)) {
            return known;
        }
        let (left, right) = (self.paths[a].clone(), self.paths[b].clone());
        let terms = &mut self.encoder.terms;
        let (common, mut is_left, mut is_right) = without_common(terms, left.guard, right.guard);
        if (is_left == Terms::TRUE || is_right == Terms::TRUE) && left.state != right.state {
            let choice = self.encoder.fresh("any.way", Sort::Bool);
            let terms = &mut self.encoder.terms;
            let other = terms.not(choice);
            (is_left, is_right) = (terms.and2(choice, is_left), terms.and2(other, is_right));
        }
        let either = self.encoder.terms.or2(is_left, is_right);
        let guard = self.encoder.terms.and2(common, either);
        let state = self.encoder.merge(is_left, &left.state, &right.state);
        let frames = self.frames.merge(&mut self.encoder.terms, is_left, left.frames, right.frames);
        let past = self.pasts.join(left.past, right.past);
        let joined = self.paths.push(Path { guard, state, frames, past });
        self.joins.insert((a, b), joined);
        joined
    }

    // ---- looking at paths ----

    /// The condition under which the path is taken, over entry symbols and fresh symbols. `Terms::FALSE` if
    /// it visibly is not.
    pub fn guard(&self, path: PathId) -> Term {
        self.paths[path].guard
    }

    pub fn state(&self, path: PathId) -> &State {
        &self.paths[path].state
    }

    /// Is the formula `true`: did nothing happen since a block was entered?
    pub fn is_entry(&self, path: PathId) -> bool {
        path == self.block_entry
    }

    /// How many path formulas there are.
    pub fn len(&self) -> usize {
        self.paths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    /// The facts that always hold for the fresh symbols and entry symbols in the path, including the facts of
    /// summaries.
    pub fn facts(&mut self, path: PathId) -> Vec<Term> {
        self.facts_about(path, &[], true)
    }

    /// The facts about the symbols of the path and of other terms of its instances.
    fn facts_about(&mut self, path: PathId, others: &[Term], with_summaries: bool) -> Vec<Term> {
        let changed = self.changed(path);
        let state = &self.paths[path].state;
        let roots = changed.iter().map(|&cell| state.get(cell)).chain(others.iter().copied()).collect();
        self.facts_from(path, roots, with_summaries)
    }

    /// The facts about symbols in the guard of the path and in these terms, which may be values after the
    /// path: those facts of the path that matter for a question about nothing else.
    pub fn facts_for(&mut self, path: PathId, terms: &[Term]) -> Vec<Term> {
        self.facts_from(path, terms.to_vec(), true)
    }

    fn facts_from(&mut self, path: PathId, mut roots: Vec<Term>, with_summaries: bool) -> Vec<Term> {
        let Path { guard, past, .. } = &self.paths[path];
        roots.push(*guard);
        let mut facts: Vec<Term> = Vec::new();
        for step in self.pasts.steps(*past) {
            facts.extend_from_slice(&step.facts);
            facts.extend(step.summary.iter().filter(|_| with_summaries).map(|summary| summary.fact));
        }
        let (terms, cells) = (&self.encoder.terms, &self.encoder.cells);
        let mut cone = Cone::of(terms, roots);
        let mut facts = cone.relevant(terms, cells, &mut self.symbol_sets, &facts);
        facts.extend(self.entry_facts.about(&self.encoder, &cone.cells(terms, cells)));
        without_duplicates(facts)
    }

    /// The facts that hold in every state for the entry symbols in the terms (predicates, invariants).
    pub fn entry_facts_of(&self, formulas: &[Term]) -> Vec<Term> {
        let cone = Cone::of(&self.encoder.terms, formulas.iter().copied());
        let cells = cone.cells(&self.encoder.terms, &self.encoder.cells);
        without_duplicates(self.entry_facts.about(&self.encoder, &cells))
    }

    /// The inputs of the run, in order. Guards are relative to the block entry.
    pub fn inputs(&self, path: PathId) -> Vec<Input> {
        let steps = self.pasts.steps(self.paths[path].past);
        steps.into_iter().flat_map(|step| &step.inputs).cloned().collect()
    }

    /// What the formula does not say exactly.
    pub fn approximations(&self, path: PathId) -> Vec<Approximation> {
        let mut found: Vec<Approximation> = Vec::new();
        for step in self.pasts.steps(self.paths[path].past) {
            for approximation in &step.approximations {
                if !found.contains(approximation) {
                    found.push(approximation.clone());
                }
            }
        }
        found
    }

    /// The cells that do not have their entry value.
    pub fn changed(&self, path: PathId) -> Vec<CellId> {
        self.paths[path].state.difference(&self.paths[self.block_entry].state).collect()
    }

    // ---- translation ----

    fn memoised(&mut self, key: (PathId, EdgeId, Step), make: impl FnOnce(&mut Self) -> PathId) -> PathId {
        if let Some(&known) = self.steps.get(&key) {
            return known;
        }
        let made = make(self);
        self.steps.insert(key, made);
        made
    }

    /// `before` (the path, perhaps with another frame) after an operation, which gives the condition to pass.
    fn translate(
        &mut self,
        path: PathId,
        before: Path,
        operation: impl FnOnce(&mut Encoder<'a>, &mut State, Term) -> Term,
    ) -> PathId {
        let Path { guard, mut state, frames, past } = before;
        if guard == Terms::FALSE {
            return path;
        }
        let (passes, added) = self.collect(|encoder| operation(encoder, &mut state, guard));
        let guard = self.encoder.terms.and2(guard, passes);
        let past = self.pasts.step(past, added);
        self.extend(path, Path { guard, state, frames, past })
    }

    fn assume(&mut self, path: PathId, edge: EdgeId, condition: ExprId, truth: bool) -> PathId {
        let before = self.paths[path].clone();
        if before.guard == Terms::FALSE {
            return path;
        }
        let (holds, past) = match self.conditions.get(&(path, condition)) {
            Some(&known) => known,
            None => {
                let (holds, added) = self.collect(|encoder| {
                    (encoder.edge, encoder.guard) = (edge, before.guard);
                    encoder.condition(&before.state, condition)
                });
                let past = self.pasts.step(before.past, added);
                self.conditions.insert((path, condition), (holds, past));
                (holds, past)
            }
        };
        let terms = &mut self.encoder.terms;
        let passes = if truth { holds } else { terms.not(holds) };
        let guard = terms.and2(before.guard, passes);
        self.extend(path, Path { guard, past, ..before })
    }

    /// The extension of a path; the path itself if nothing happened.
    fn extend(&mut self, path: PathId, extended: Path) -> PathId {
        if self.paths[path] == extended { path } else { self.paths.push(extended) }
    }

    /// Runs the encoder and collects the facts, inputs and approximations of the translation.
    fn collect<R>(&mut self, run: impl FnOnce(&mut Encoder<'a>) -> R) -> (R, Added) {
        let encoder = &mut self.encoder;
        let (facts, inputs) = (encoder.constraints.len(), encoder.inputs.len());
        // The encoder notes each approximation once, but each path with an approximation must know it.
        let noted = std::mem::take(&mut encoder.approximations);
        let result = run(encoder);
        let added = Added {
            facts: encoder.constraints.split_off(facts),
            inputs: encoder.inputs.split_off(inputs),
            approximations: std::mem::replace(&mut encoder.approximations, noted),
            summary: None,
        };
        (result, added)
    }
}

fn without_duplicates(mut terms: Vec<Term>) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    terms.retain(|&term| seen.insert(term));
    terms
}

/// Splits two conjunctions into their common part and the rests: `a ∨ b` is `common ∧ (left ∨ right)`. After
/// both sides of a branch, the common part is the condition before the branch.
fn without_common(terms: &mut Terms, a: Term, b: Term) -> (Term, Term, Term) {
    let (left, right) = (terms.conjuncts(a), terms.conjuncts(b));
    let in_right: FxHashSet<Term> = right.iter().copied().collect();
    let common: Vec<Term> = left.iter().copied().filter(|term| in_right.contains(term)).collect();
    let in_both: FxHashSet<Term> = common.iter().copied().collect();
    let mut rest = |all: Vec<Term>| {
        let rest: Vec<Term> = all.into_iter().filter(|term| !in_both.contains(term)).collect();
        terms.and(&rest)
    };
    let (left, right) = (rest(left), rest(right));
    (terms.and(&common), left, right)
}
