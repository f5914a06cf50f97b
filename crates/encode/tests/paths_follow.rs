//! Path formulas hold for runs: a run of the interpreter is followed edge by edge and cut into blocks at
//! random positions. The instances of the blocks in sequence are satisfied by the values of the run.
//!
//! Programs as in the truth test (`tests/common`); every how many-th task is taken: `SUMMA_TASKS_STEP`; how
//! many random programs: `SUMMA_TRUTH_SEEDS`.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]
#![allow(clippy::print_stderr, reason = "tests say what they skipped")]

mod common;

use common::random_program::random_program;
use common::{constant, programs, tasks, zero};
use summa_base::FxHashMap;
use summa_c::tree::PlaceId;
use summa_c::types::DataModel;
use summa_cfa::{BuildOptions, Cfa, EdgeId, Op};
use summa_encode::{Encoder, Encoding, InputSource, PathId, Paths, Ssa, Value};
use summa_facts::Analyses;
use summa_interp::{FaultSet, Observer, Policy, Random, View, Zeros};
use summa_term::{Evaluator, SymbolId, Term, Value as Constant};
use summa_testkit::{KNOBS, Random as Dice, read};

/// Edges of a run that are followed.
const MAX_STEPS: usize = 400;

type Values = FxHashMap<(SymbolId, u32), Constant>;

struct Follower<'a> {
    paths: Paths<'a>,
    path: PathId,
    /// The versions at the entry of the block, the number of the block, and the values of all versions so
    /// far.
    entry: Ssa,
    instance: u32,
    values: Values,
    /// What the block's entry symbols and fresh symbols are, for the formula that is not instantiated.
    in_block: Values,
    /// The inputs of the block that have their values.
    seen_inputs: usize,
    dice: Dice,
    /// Recursive calls that have not returned: there is no block entry inside them.
    open: usize,
    /// An operation of the block left memory to chance.
    is_vague: bool,
    steps: usize,
    blocks: usize,
    compared: usize,
    failures: Vec<String>,
}

impl<'a> Follower<'a> {
    fn new(cfa: &'a Cfa, facts: &'a Analyses, encoding: Encoding, seed: u64) -> Self {
        let paths = Paths::new(Encoder::new(cfa, facts, encoding));
        let (path, entry) = (paths.program_start(), Ssa::zero(&paths.encoder.cells));
        let mut values = Values::default();
        // Before the program starts its memory holds anything, for example zeros.
        for cell in paths.encoder.cells.cells.values() {
            values.insert((cell.symbol, 0), zero(&paths.encoder.terms, cell.sort));
        }
        Self {
            paths,
            path,
            entry,
            instance: 0,
            in_block: values.clone(),
            values,
            seen_inputs: 0,
            dice: Dice::new(seed),
            open: 0,
            is_vague: false,
            steps: 0,
            blocks: 0,
            compared: 0,
            failures: Vec::new(),
        }
    }

    fn is_done(&self) -> bool {
        self.steps > MAX_STEPS || !self.failures.is_empty()
    }

    fn fail(&mut self, what: String) {
        let text = self.paths.show(self.path);
        self.failures.push(format!("{}: {what}\n{text}", self.paths.encoder.encoding.name()));
    }

    fn text(&self, edge: EdgeId) -> String {
        self.paths.encoder.cfa.edges[edge].op.text(&self.paths.encoder.cfa.program)
    }

    /// Inputs that are new take what the run chose, if it chose; uninitialised ones are zero.
    fn choose(&mut self, chosen: Option<&summa_interp::Value>) {
        let inputs = self.paths.inputs(self.path);
        let terms = &self.paths.encoder.terms;
        for input in &inputs[self.seen_inputs..] {
            let Value::Scalar(term) = input.value else { continue };
            let (Some(symbol), sort) = (terms.as_symbol(term), terms.sort(term)) else { continue };
            let value = match input.source {
                InputSource::Uninitialised(_) | InputSource::Contents { .. } => Some(zero(terms, sort)),
                _ => chosen.and_then(|value| constant(value, sort)),
            };
            if let Some(value) = value {
                self.in_block.insert(symbol, value);
            }
        }
        self.seen_inputs = inputs.len();
    }

    /// Whole objects that a declaration left to chance are zero, unless something else in the block is left
    /// to chance too.
    fn choose_objects(&mut self, terms: &[Term]) {
        if self.is_vague || !self.paths.approximations(self.path).is_empty() {
            return;
        }
        let store = &self.paths.encoder.terms;
        for &term in terms {
            for symbol in store.free_symbols(term) {
                let (family, version) = store.as_symbol(symbol).unwrap();
                if store.symbol_name(family).starts_with("any.c") {
                    let value = zero(store, store.sort(symbol));
                    self.in_block.entry((family, version)).or_insert(value);
                }
            }
        }
    }

    /// The value that the run gave to a place must be the one that the formula of the block has.
    fn compare(&mut self, edge: EdgeId, place: PlaceId, view: &View<'_>) {
        let state = self.paths.state(self.path).clone();
        let Value::Scalar(term) = self.paths.encoder.load(&state, place) else { return };
        let (found, sort) = (view.place(place), self.paths.encoder.terms.sort(term));
        let Some(expected) = constant(&found, sort) else { return };
        if let Some(value) = self.paths.encoder.terms.eval(term, &self.in_block) {
            self.compared += 1;
            if value != expected {
                let text = self.text(edge);
                self.fail(format!("after `{text}` the run has {found:?}, the formula {value:?}"));
            }
        }
    }

    /// The block ends here: its instance must hold, and the next block begins.
    fn cut(&mut self) {
        let (path, entry, instance) = (self.path, self.entry.clone(), self.instance);
        let changed = self.paths.changed(path);
        let mut terms = vec![self.paths.guard(path)];
        terms.extend(self.paths.facts(path));
        terms.extend(changed.iter().map(|&cell| self.paths.state(path).get(cell)));
        self.choose_objects(&terms);
        let made = self.paths.instantiate(path, &entry, instance);
        // Fresh symbols of the instance have the values of those in the block.
        let inputs = self.paths.inputs(path);
        let renamed = self.paths.instantiate_inputs(path, &entry, instance);
        let store = &self.paths.encoder.terms;
        for (old, new) in inputs.iter().zip(&renamed) {
            let (Value::Scalar(old), Value::Scalar(new)) = (&old.value, &new.value) else { continue };
            // Parts of arrays are no symbols of their own.
            let (Some(old), Some(new)) = (store.as_symbol(*old), store.as_symbol(*new)) else { continue };
            if let Some(value) = self.in_block.get(&old) {
                self.values.insert(new, value.clone());
            }
        }
        for symbol in store.free_symbols(made.formula) {
            let (family, version) = store.as_symbol(symbol).unwrap();
            let is_object = store.symbol_name(family).starts_with("any.c");
            if is_object && !self.is_vague && self.paths.approximations(path).is_empty() {
                self.values.entry((family, version)).or_insert(zero(store, store.sort(symbol)));
            }
        }
        // Exit symbols have the values that the formula of the block computes.
        let (mut evaluator, mut next) = (Evaluator::new(store, &self.in_block), Values::default());
        for cell in self.paths.encoder.cells.cells.ids() {
            let symbol = self.paths.encoder.cells.cells[cell].symbol;
            if let Some(value) = evaluator.eval(self.paths.state(path).get(cell)) {
                self.values.insert((symbol, made.exit.get(cell)), value.clone());
                next.insert((symbol, 0), value);
            }
        }
        let mut evaluator = Evaluator::new(store, &self.values);
        let mut broken = None;
        for conjunct in store.conjuncts(made.formula) {
            match evaluator.is_true(conjunct) {
                Some(true) => self.compared += 1,
                Some(false) => broken = Some(conjunct),
                None => {}
            }
        }
        if let Some(broken) = broken {
            let broken = summa_term::smtlib::print(&self.paths.encoder.terms, broken);
            self.fail(format!("the run does not satisfy {broken}"));
        }
        self.in_block = next;
        (self.entry, self.instance, self.path) = (made.exit, instance + 1, self.paths.block_entry());
        (self.seen_inputs, self.is_vague) = (0, false);
        self.blocks += 1;
    }
}

impl Observer for Follower<'_> {
    fn before(&mut self, edge: EdgeId, _: &View<'_>) {
        if self.is_done() {
            return;
        }
        self.steps += 1;
        if self.open == 0 && self.dice.below(6) == 0 {
            self.cut();
        }
        let encoder = &self.paths.encoder;
        match encoder.cfa.edges[edge].op {
            Op::Call { callee, .. } => {
                self.open += usize::from(encoder.facts.calls.is_recursive(callee));
                self.path = self.paths.enter(self.path, edge);
            }
            _ => {
                self.is_vague |= matches!(encoder.cfa.edges[edge].op, Op::External { .. });
                self.path = self.paths.edge(self.path, edge);
            }
        }
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if self.is_done() {
            return;
        }
        let cfa = self.paths.encoder.cfa;
        let written = match cfa.edges[edge].op {
            Op::Call { callee, result, .. } => {
                self.open -= usize::from(self.paths.encoder.facts.calls.is_recursive(callee));
                self.path = self.paths.leave(self.path, edge).unwrap();
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
        if let Some(place) = written {
            self.compare(edge, place, view);
        }
    }
}

/// Follows some runs of a program: how many values were compared, and how many blocks.
fn follow(cfa: &Cfa, name: &str, runs: u64) -> (usize, usize) {
    let facts = Analyses::new(cfa);
    let program = summa_interp::Program::new(cfa);
    let mut policy = Policy { max_steps: MAX_STEPS as u64, ..Policy::reachability() };
    policy.stop = FaultSet::of(&[summa_interp::FaultKind::UninitialisedRead]);
    let (mut compared, mut blocks) = (0, 0);
    for run in 0..runs {
        for encoding in [Encoding::Int, Encoding::BitVector] {
            let mut inputs: Box<dyn summa_interp::InputSource> =
                if run == 0 { Box::new(Zeros) } else { Box::new(Random::new(run)) };
            let mut follower = Follower::new(cfa, &facts, encoding, run);
            summa_interp::run_observed(&program, &mut *inputs, &policy, &mut follower);
            if !follower.is_done() {
                follower.cut();
            }
            assert!(follower.failures.is_empty(), "{name}, run {run}: {}", follower.failures.join("\n"));
            compared += follower.compared;
            blocks += follower.blocks;
        }
    }
    (compared, blocks)
}

#[test]
fn programs_satisfy_their_path_formulas() {
    let (mut compared, mut blocks) = (0, 0);
    for path in programs() {
        for model in [DataModel::Lp64, DataModel::Ilp32] {
            let Some(cfa) = read(&path, model) else { continue };
            let (values, cuts) = follow(&cfa, &path.display().to_string(), KNOBS.truth_paths.or(2));
            (compared, blocks) = (compared + values, blocks + cuts);
        }
    }
    eprintln!("{compared} values and conjuncts in {blocks} blocks");
    assert!(compared > 1000, "too little was compared: {compared}");
}

#[test]
fn random_programs_satisfy_their_path_formulas() {
    let (mut compared, mut blocks) = (0, 0);
    for seed in 0..KNOBS.truth_seeds.or(40) {
        let text = random_program(seed);
        // A few of them are not C.
        let Ok(loaded) = summa_c::load_text("random.c", &text, DataModel::Lp64) else { continue };
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        let (values, cuts) = follow(&cfa, &format!("program {seed}"), 3);
        (compared, blocks) = (compared + values, blocks + cuts);
    }
    eprintln!("{compared} values and conjuncts in {blocks} blocks");
    assert!(compared > 1000, "too little was compared: {compared}");
}

#[test]
fn tasks_satisfy_their_path_formulas() {
    let Some(tasks) = tasks(KNOBS.tasks_step.or(25) as usize) else { return };
    let (mut compared, mut blocks) = (0, 0);
    for (path, model) in &tasks {
        let Some(cfa) = read(path, *model) else { continue };
        let (values, cuts) = follow(&cfa, &path.display().to_string(), 2);
        (compared, blocks) = (compared + values, blocks + cuts);
    }
    eprintln!("{} tasks, {compared} values and conjuncts in {blocks} blocks", tasks.len());
    assert!(compared > 0, "nothing was compared");
}
