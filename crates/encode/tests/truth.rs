//! The truth test: a concrete execution satisfies the formulas of its path. Every condition that the run
//! passes holds, and every value that the run assigns is the value of its term, step by step, in both
//! encodings.
//!
//! Programs: those of the conformance suite and of `tests/programs` here (or the folder
//! `SUMMA_TRUTH_PROGRAMS`), random ones (`SUMMA_TRUTH_SEEDS` of them) and the task set (`SUMMA_TASKS`), with
//! zero and random inputs; the number of paths for each program is `SUMMA_TRUTH_PATHS` (default 2), every how
//! many-th task is taken `SUMMA_TASKS_STEP`.

#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

mod common;

use common::random_program::random_program;
use common::{constant, programs, tasks};
use std::path::Path;
use summa_base::FxHashMap;
use summa_c::tree::PlaceId;
use summa_c::types::DataModel;
use summa_cfa::{Cfa, EdgeId, Op};
use summa_encode::{CellId, Encoder, Encoding, State, Value};
use summa_facts::Analyses;
use summa_interp::{FaultSet, InputSource, Observer, Policy, Random, View, Zeros};
use summa_term::{SymbolId, Term, Terms, Value as Constant};
use summa_testkit::{KNOBS, read};

/// Edges of a path that are followed.
const MAX_STEPS: usize = 400;
/// After so many edges the state is replaced by its values, so that terms stay small.
const CONCRETISE_EVERY: usize = 40;

/// Follows a run with the encoder.
struct Follower<'a> {
    encoder: Encoder<'a>,
    state: State,
    values: FxHashMap<(SymbolId, u32), Constant>,
    /// What recursive calls restore.
    frames: Vec<Vec<(CellId, Term)>>,
    steps: usize,
    compared: usize,
    failures: Vec<String>,
}

impl<'a> Follower<'a> {
    fn new(cfa: &'a Cfa, facts: &'a Analyses, encoding: Encoding) -> Self {
        let mut encoder = Encoder::new(cfa, facts, encoding);
        let state = encoder.initial_state();
        let (values, frames, failures) = (FxHashMap::default(), Vec::new(), Vec::new());
        Self { encoder, state, values, frames, steps: 0, compared: 0, failures }
    }

    fn is_done(&self) -> bool {
        self.steps > MAX_STEPS || !self.failures.is_empty()
    }

    fn eval(&self, term: Term) -> Option<Constant> {
        self.encoder.terms.eval(term, &self.values)
    }

    fn fail(&mut self, edge: EdgeId, what: String) {
        let program = &self.encoder.cfa.program;
        let text = self.encoder.cfa.edges[edge].op.text(program);
        self.failures.push(format!("{} at `{text}`: {what}", self.encoder.encoding.name()));
    }

    /// The value that the run gave to a place must be the value of its term.
    fn compare(&mut self, edge: EdgeId, place: PlaceId, view: &View<'_>) {
        let found = view.place(place);
        let Value::Scalar(term) = self.encoder.load(&self.state, place) else { return };
        let Some(expected) = constant(&found, self.encoder.terms.sort(term)) else { return };
        if let Some(value) = self.eval(term) {
            self.compared += 1;
            if value != expected {
                self.fail(edge, format!("the run has {found:?}, the formula {value:?}"));
            }
        }
    }

    fn concretise(&mut self) {
        let cells: Vec<CellId> = self.encoder.cells.cells.ids().collect();
        for cell in cells {
            let Some(value) = self.eval(self.state.get(cell)) else { continue };
            let terms = &mut self.encoder.terms;
            let constant = match value {
                Constant::Bool(value) => terms.bool(value),
                Constant::Int(value) => terms.int(value),
                Constant::Bv(width, bits) => terms.bv(width, bits),
                Constant::Float(sort, bits) => terms.float(sort, bits),
                Constant::Array(_) => continue,
            };
            self.state.set(cell, constant);
        }
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, edge: EdgeId, _: &View<'_>) {
        if self.is_done() {
            return;
        }
        self.steps += 1;
        if self.steps.is_multiple_of(CONCRETISE_EVERY) {
            self.concretise();
        }
        let cfa = self.encoder.cfa;
        if let Op::Call { callee, .. } = cfa.edges[edge].op {
            let is_recursive = self.encoder.facts.calls.is_recursive(callee);
            let cells = if is_recursive { self.encoder.frame(callee) } else { Vec::new() };
            self.frames.push(cells.into_iter().map(|cell| (cell, self.state.get(cell))).collect());
            self.encoder.enter(&mut self.state, edge, Terms::TRUE);
            return;
        }
        let passes = self.encoder.edge(&mut self.state, edge, Terms::TRUE);
        match self.eval(passes).and_then(|value| value.as_bool()) {
            Some(true) => self.compared += 1,
            Some(false) => self.fail(edge, "the run passes, the formula does not".to_string()),
            None => {}
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.is_done() {
            return;
        }
        let cfa = self.encoder.cfa;
        match &cfa.edges[edge].op {
            Op::Call { callee, result, .. } => {
                let results = self.encoder.frame_result(*callee);
                for (cell, term) in self.frames.pop().unwrap_or_default() {
                    if !results.contains(&cell) {
                        self.state.set(cell, term);
                    }
                }
                self.encoder.leave(&mut self.state, edge, Terms::TRUE);
                if let Some(place) = result {
                    self.compare(edge, *place, view);
                }
            }
            Op::Havoc { place, .. } | Op::External { result: Some(place), .. } => {
                // The run has chosen: the symbol takes that value.
                let Some(input) = self.encoder.inputs.last().filter(|input| input.edge == edge) else {
                    return;
                };
                let Value::Scalar(term) = input.value else { return };
                let chosen = constant(&view.place(*place), self.encoder.terms.sort(term));
                if let (Some(value), Some(symbol)) = (chosen, self.encoder.terms.as_symbol(term)) {
                    self.values.insert(symbol, value);
                }
                self.compare(edge, *place, view);
            }
            Op::Assign { place, .. } | Op::Zero { place } | Op::Library { result: Some(place), .. } => {
                self.compare(edge, *place, view);
            }
            _ => {}
        }
    }
}

/// Follows some runs of a program; how many values were compared.
fn follow(cfa: &Cfa, name: &str, paths: u64) -> usize {
    let facts = Analyses::new(cfa);
    let program = summa_interp::Program::new(cfa);
    let mut policy = Policy { max_steps: MAX_STEPS as u64, ..Policy::reachability() };
    policy.stop = FaultSet::of(&[summa_interp::FaultKind::UninitialisedRead]);
    let mut compared = 0;
    for path in 0..paths {
        for encoding in [Encoding::Int, Encoding::BitVector] {
            let mut inputs: Box<dyn InputSource> =
                if path == 0 { Box::new(Zeros) } else { Box::new(Random::new(path)) };
            let mut follower = Follower::new(cfa, &facts, encoding);
            summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
            assert!(follower.failures.is_empty(), "{name}, path {path}: {:?}", follower.failures);
            compared += follower.compared;
        }
    }
    compared
}

fn check(path: &Path, model: DataModel) -> usize {
    let Some(cfa) = read(path, model) else { return 0 };
    follow(&cfa, &path.display().to_string(), KNOBS.truth_paths.or(2))
}

#[test]
fn programs_satisfy_their_formulas() {
    let sources = programs();
    let compared: usize =
        sources.iter().map(|path| check(path, DataModel::Lp64) + check(path, DataModel::Ilp32)).sum();
    eprintln!("{compared} values compared");
}

#[test]
fn random_programs_satisfy_their_formulas() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let mut compared = 0;
    for seed in 0..KNOBS.truth_seeds.or(60) {
        let path = folder.join(format!("truth-{seed}.c"));
        std::fs::write(&path, random_program(seed)).unwrap();
        compared += check(&path, if seed % 2 == 0 { DataModel::Lp64 } else { DataModel::Ilp32 });
    }
    eprintln!("{compared} values compared");
    assert!(compared > 0, "nothing was compared");
}

#[test]
fn tasks_satisfy_their_formulas() {
    let Some(tasks) = tasks(KNOBS.tasks_step.or(20) as usize) else { return };
    let compared: usize = tasks.iter().map(|(path, model)| check(path, *model)).sum();
    eprintln!("{} tasks, {compared} values compared", tasks.len());
    assert!(compared > 0, "nothing was compared");
}
