//! Summaries hold for runs: a run of the interpreter is followed function by function. Where a function
//! returns, its path from entry to exit becomes a relation between copies of its inputs and its outputs. The
//! caller continues with that summary, and the values of the run still satisfy all formulas.
//!
//! Programs as in the truth test (`tests/common`), scaled by the same environment variables.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

mod common;

use common::random_program::random_program;
use common::{constant, programs, tasks, zero};
use summa_base::FxHashMap;
use summa_c::tree::PlaceId;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, EdgeId, Op};
use summa_encode::{Encoder, Encoding, InputSource, Interface, PathId, Paths, Summary, Value};
use summa_facts::Analyses;
use summa_facts::blocks::{Block, BlockKind, Blocks, Partition};
use summa_interp::{FaultSet, Observer, Policy, Random, View, Zeros};
use summa_term::{Evaluator, SymbolId, Term, Value as Constant};
use summa_testkit::{KNOBS, read};

/// Edges of a run that are followed.
const MAX_STEPS: usize = 150;

type Values = FxHashMap<(SymbolId, u32), Constant>;

/// A function that has not returned.
struct Frame {
    path: PathId,
    /// What the entry symbols are here, and all fresh symbols so far.
    values: Values,
    seen_inputs: usize,
}

struct Follower<'a> {
    paths: Paths<'a>,
    blocks: &'a Blocks,
    frames: Vec<Frame>,
    steps: usize,
    compared: usize,
    /// Of what summaries say.
    held: usize,
    failures: Vec<String>,
}

impl<'a> Follower<'a> {
    fn new(cfa: &'a Cfa, facts: &'a Analyses, blocks: &'a Blocks, encoding: Encoding) -> Self {
        let paths = Paths::new(Encoder::new(cfa, facts, encoding).with_entry_copies());
        let mut values = Values::default();
        // Before the program starts its memory holds anything, for example zeros.
        for cell in paths.encoder.cells.cells.values() {
            values.insert((cell.symbol, 0), zero(&paths.encoder.terms, cell.sort));
        }
        let frames = vec![Frame { path: paths.program_start(), values, seen_inputs: 0 }];
        Self { paths, blocks, frames, steps: 0, compared: 0, held: 0, failures: Vec::new() }
    }

    fn is_done(&self) -> bool {
        self.steps > MAX_STEPS || !self.failures.is_empty()
    }

    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().unwrap()
    }

    fn fail(&mut self, edge: EdgeId, what: String) {
        let cfa = self.paths.encoder.cfa;
        let text = cfa.edges[edge].op.text(&cfa.program);
        self.failures.push(format!("{} at `{text}`: {what}", self.paths.encoder.encoding.name()));
    }

    /// Inputs that are new take what the run chose, if it chose; uninitialised ones are zero.
    fn choose(&mut self, chosen: Option<&summa_interp::Value>) {
        let frame = self.frames.last_mut().unwrap();
        let (inputs, terms) = (self.paths.inputs(frame.path), &self.paths.encoder.terms);
        for input in &inputs[frame.seen_inputs..] {
            let Value::Scalar(term) = input.value else { continue };
            let (Some(symbol), sort) = (terms.as_symbol(term), terms.sort(term)) else { continue };
            let value = match input.source {
                InputSource::Uninitialised(_) => Some(zero(terms, sort)),
                _ => chosen.and_then(|value| constant(value, sort)),
            };
            if let Some(value) = value {
                frame.values.insert(symbol, value);
            }
        }
        frame.seen_inputs = inputs.len();
    }

    fn eval(&self, frame: &Frame, term: Term) -> Option<Constant> {
        Evaluator::new(&self.paths.encoder.terms, &frame.values).eval(term)
    }

    /// The value that the run gave to a place must be the one that the formula has.
    fn compare(&mut self, edge: EdgeId, place: PlaceId, view: &View<'_>) {
        let path = self.top().path;
        let state = self.paths.state(path).clone();
        let Value::Scalar(term) = self.paths.encoder.load(&state, place) else { return };
        let (found, sort) = (view.place(place), self.paths.encoder.terms.sort(term));
        let Some(expected) = constant(&found, sort) else { return };
        if let Some(value) = self.eval(&self.frames[self.frames.len() - 1], term) {
            self.compared += 1;
            if value != expected {
                self.fail(edge, format!("the run has {found:?}, the formula {value:?}"));
            }
        }
    }

    /// Nothing that is said of the path is false of the run.
    fn check(&mut self, edge: EdgeId) -> usize {
        let path = self.top().path;
        let mut said = vec![self.paths.guard(path)];
        said.extend(self.paths.facts(path));
        let frame = &self.frames[self.frames.len() - 1];
        let mut evaluator = Evaluator::new(&self.paths.encoder.terms, &frame.values);
        let truths: Vec<Option<bool>> = said.iter().map(|&term| evaluator.is_true(term)).collect();
        if let Some(broken) = truths.iter().position(|&truth| truth == Some(false)) {
            let broken = summa_term::smtlib::print(&self.paths.encoder.terms, said[broken]);
            self.fail(edge, format!("the run does not satisfy {broken}"));
        }
        truths.into_iter().filter(|&truth| truth == Some(true)).count()
    }

    fn block(&self, edge: EdgeId) -> &'a Block {
        let Op::Call { callee, .. } = self.paths.encoder.cfa.edges[edge].op else { panic!("no call") };
        self.blocks.blocks.values().find(|block| block.kind == BlockKind::Function(callee)).unwrap()
    }

    fn enter(&mut self, call: EdgeId) {
        let interface = Interface::new(&self.paths.encoder, self.block(call));
        let before = self.top().path;
        let entered = self.paths.enter(before, call);
        let caller = &self.frames[self.frames.len() - 1];
        let mut values = caller.values.clone();
        for cell in self.paths.encoder.cells.cells.ids() {
            let symbol = self.paths.encoder.cells.cells[cell].symbol;
            match self.eval(caller, self.paths.state(entered).get(cell)) {
                Some(value) => drop(values.insert((symbol, 0), value)),
                None => drop(values.remove(&(symbol, 0))),
            }
        }
        let path = self.paths.summary_entry(&interface);
        self.frames.push(Frame { path, values, seen_inputs: 0 });
    }

    /// The path of the callee as a relation, in the place of the callee.
    fn leave(&mut self, call: EdgeId) {
        let interface = Interface::new(&self.paths.encoder, self.block(call));
        let callee = self.frames.pop().unwrap();
        let state = self.paths.state(callee.path).clone();
        let mut said = vec![self.paths.guard(callee.path)];
        said.extend(self.paths.facts(callee.path));
        // What the entry symbols are to the callee its copies are to others.
        let encoder = &mut self.paths.encoder;
        let mut about_entry = |term: Term| {
            let cells = &encoder.cells;
            encoder.terms.rename_symbols(term, |symbol, version| {
                let copy = cells.of_symbol(symbol).and_then(|cell| cells.entry_copy(cell));
                copy.map_or((symbol, version), |copy| (cells.cells[copy].symbol, version))
            })
        };
        let mut parts: Vec<Term> = said.into_iter().map(&mut about_entry).collect();
        let values: Vec<Term> = interface.outputs.iter().map(|&cell| about_entry(state.get(cell))).collect();
        for (&cell, value) in interface.outputs.iter().zip(values) {
            let symbol = encoder.cells.cells[cell].symbol;
            let symbol = encoder.terms.symbol(symbol, 0);
            parts.push(encoder.terms.eq(symbol, value));
        }
        let summary = Summary { call: Some(call), formula: encoder.terms.and(&parts), exit: 0 };
        let before = self.top().path;
        let made = self.paths.summarise(before, &interface, summary);
        let used = self.paths.uses(made).pop().unwrap();
        // Values of the callee's fresh symbols, of the choice, and of outputs.
        let caller = self.frames.last_mut().unwrap();
        let terms = &self.paths.encoder.terms;
        let mut evaluator = Evaluator::new(terms, &callee.values);
        caller.values.insert(terms.as_symbol(used.taken).unwrap(), Constant::Bool(true));
        for &(cell, output) in &used.outputs {
            let Some(value) = evaluator.eval(state.get(cell)) else { continue };
            match terms.as_symbol(output) {
                Some(symbol) => drop(caller.values.insert(symbol, value)),
                // The summary says which number it is.
                None => assert_eq!(evaluator.eval(output), Some(value)),
            }
        }
        #[allow(clippy::iter_over_hash_type, reason = "from one map into another")]
        for (symbol, value) in callee.values {
            if self.paths.encoder.cells.of_symbol(symbol.0).is_none() {
                caller.values.insert(symbol, value);
            }
        }
        caller.path = made;
        self.held += self.check(call);
        let received = self.paths.receive(made, call);
        self.top().path = received;
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, edge: EdgeId, _: &View<'_>) {
        if self.is_done() {
            return;
        }
        self.steps += 1;
        let path = self.top().path;
        match self.paths.encoder.cfa.edges[edge].op {
            Op::Call { .. } => self.enter(edge),
            _ => self.top().path = self.paths.edge(path, edge),
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.is_done() {
            return;
        }
        let cfa = self.paths.encoder.cfa;
        let written = match cfa.edges[edge].op {
            Op::Call { result, .. } => {
                self.leave(edge);
                result
            }
            Op::Havoc { place, .. } | Op::External { result: Some(place), .. } => {
                self.choose(Some(&view.place(place)));
                Some(place)
            }
            Op::Assign { place, .. } | Op::Zero { place } => Some(place),
            Op::Library { result, .. } => result,
            _ => None,
        };
        self.choose(None);
        self.compared += self.check(edge);
        if let Some(place) = written.filter(|_| !self.is_done()) {
            self.compare(edge, place, view);
        }
    }
}

/// Follows some runs of a program: how many values were compared, and how much of summaries held.
fn follow(cfa: &Cfa, name: &str, runs: u64) -> (usize, usize) {
    let facts = Analyses::new(cfa);
    let blocks = facts.blocks(cfa, Partition::Functions);
    let program = summa_interp::Program::new(cfa);
    let mut policy = Policy { max_steps: MAX_STEPS as u64, ..Policy::reachability() };
    policy.stop = FaultSet::of(&[summa_interp::FaultKind::UninitialisedRead]);
    let (mut compared, mut held) = (0, 0);
    for run in 0..runs {
        for encoding in [Encoding::Int, Encoding::BitVector] {
            let mut inputs: Box<dyn summa_interp::InputSource> =
                if run == 0 { Box::new(Zeros) } else { Box::new(Random::new(run)) };
            let mut follower = Follower::new(cfa, &facts, &blocks, encoding);
            summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
            assert!(follower.failures.is_empty(), "{name}, run {run}: {}", follower.failures.join("\n"));
            compared += follower.compared;
            held += follower.held;
        }
    }
    (compared, held)
}

#[test]
fn programs_satisfy_their_summaries() {
    let (mut compared, mut held) = (0, 0);
    for path in programs() {
        let Some(cfa) = read(&path, DataModel::Lp64) else { continue };
        let (values, said) = follow(&cfa, &path.display().to_string(), KNOBS.truth_paths.or(2));
        (compared, held) = (compared + values, held + said);
    }
    eprintln!("{compared} values and facts, {held} parts of summaries");
    assert!(compared > 1000 && held > 100, "too little was compared: {compared}, {held}");
}

#[test]
fn random_programs_satisfy_their_summaries() {
    let (mut compared, mut held) = (0, 0);
    for seed in 0..KNOBS.truth_seeds.or(30) {
        // A few of them are not C.
        let Ok(loaded) = summa_c::load_text("random.c", &random_program(seed), DataModel::Lp64) else {
            continue;
        };
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        let (values, said) = follow(&cfa, &format!("program {seed}"), 2);
        (compared, held) = (compared + values, held + said);
    }
    eprintln!("{compared} values and facts, {held} parts of summaries");
    assert!(compared > 1000 && held > 100, "too little was compared: {compared}, {held}");
}

#[test]
fn tasks_satisfy_their_summaries() {
    let Some(tasks) = tasks(KNOBS.tasks_step.or(40) as usize) else { return };
    let (mut compared, mut held) = (0, 0);
    for (path, model) in &tasks {
        let Some(cfa) = read(path, *model) else { continue };
        let (values, said) = follow(&cfa, &path.display().to_string(), 1);
        (compared, held) = (compared + values, held + said);
    }
    eprintln!("{} tasks, {compared} values and facts, {held} parts of summaries", tasks.len());
    assert!(compared > 0, "nothing was compared");
}
