//! Runs the sources within budgets, the most promising for the kind of problem first, and takes the best
//! answer that passes the check: the first good one, or the cheapest of all when none is good.

use super::as_integers::{self, Integers};
use super::houdini::{self, Candidates};
use super::problem::{Tree, Vocabulary};
use super::slice::{Slice, slice};
use super::{Failure, Interpolator, check, functions, mbi, quality, simplify, sp_wp, spacer};
use crate::solver::Limits;
use crate::workbench::Workbench;
use crate::z3::{Family, NativeError};
use std::time::Duration;
use summa_base::clock::Work;
use summa_term::{Sort, Term, Terms};

/// Where interpolants come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// One formula is contradictory alone.
    Single,
    /// Z3's Horn engine.
    Spacer,
    /// Strongest postconditions of the core.
    Post,
    /// Weakest preconditions of the core.
    Pre,
    /// Candidates of the others and of the trace over integers, filtered.
    Filter,
    ModelBased,
}

impl Source {
    pub const ALL: [Self; 6] =
        [Self::Single, Self::Spacer, Self::Post, Self::Pre, Self::Filter, Self::ModelBased];
}

/// What became of the questions to one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceStatistics {
    pub asked: u64,
    /// Answers that passed the check.
    pub answered: u64,
    /// Answers that did not.
    pub failed_check: u64,
    /// Answers that were taken.
    pub taken: u64,
    pub time: Duration,
}

#[derive(Clone, Debug)]
pub struct ChooserOptions {
    /// For one problem, all sources together.
    pub budget: Duration,
    /// For one source.
    pub source_budget: Duration,
    /// For checking one answer.
    pub check_budget: Duration,
    /// Sources that may be used.
    pub sources: Vec<Source>,
}

impl Default for ChooserOptions {
    fn default() -> Self {
        Self {
            budget: Duration::from_secs(4),
            source_budget: Duration::from_millis(1000),
            check_budget: Duration::from_millis(500),
            sources: Source::ALL.to_vec(),
        }
    }
}

/// The interpolator of this crate.
pub struct Chooser {
    bench: Workbench,
    options: ChooserOptions,
    statistics: [SourceStatistics; Source::ALL.len()],
    last: Option<Source>,
}

/// One problem on its way through the sources.
struct Problem<'a> {
    tree: &'a Tree,
    start: Work,
    is_branching: bool,
    vocabularies: Vec<Vocabulary>,
    sliced: Tree,
    sliced_vocabularies: Vec<Vocabulary>,
    /// Everything that sources said, right or wrong: material for the filter.
    proposals: Vec<Vec<Term>>,
    posts: Option<Vec<Term>>,
    best: Option<(u64, Source, Vec<Term>)>,
}

impl Chooser {
    /// # Errors
    /// Z3 could not make a solver: no memory.
    pub fn new(family: &Family, options: ChooserOptions) -> Result<Self, NativeError> {
        let bench = Workbench::new(family, Limits::default())?;
        Ok(Self { bench, options, statistics: Default::default(), last: None })
    }

    /// Interruption from outside, and a bound on the time besides that of the options.
    pub fn set_limits(&mut self, limits: Limits) {
        self.bench.set_outer(limits);
    }

    pub fn statistics(&self, source: Source) -> SourceStatistics {
        self.statistics[source as usize]
    }

    /// The source of the last answer.
    pub fn last_source(&self) -> Option<Source> {
        self.last
    }

    fn run(&mut self, terms: &mut Terms, tree: &Tree) -> Result<Vec<Term>, Failure> {
        let sliced = match slice(&mut self.bench, terms, tree) {
            Slice::Sliced(sliced) => sliced,
            Slice::Satisfiable => return Err(Failure::Satisfiable),
            Slice::Unknown => tree.clone(),
        };
        let mut problem = Problem {
            tree,
            start: Work::start(),
            is_branching: tree.nodes().iter().any(|node| node.children.len() > 1),
            vocabularies: tree.vocabularies(terms),
            sliced_vocabularies: sliced.vocabularies(terms),
            sliced,
            proposals: Vec::new(),
            posts: None,
            best: None,
        };
        let kind = Kind::of(terms, &problem.sliced);
        let stages = kind
            .stages()
            .iter()
            .map(|stage| stage.iter().filter(|source| self.options.sources.contains(source)));
        let stages: Vec<Vec<Source>> = stages.map(|stage| stage.copied().collect()).collect();
        for (i, stage) in stages.iter().enumerate() {
            for &source in stage {
                if !self.bench.is_over() {
                    self.ask(terms, &mut problem, source);
                }
            }
            let Some((_, _, interpolants)) = &problem.best else { continue };
            // The last stages are only for those who have nothing.
            if i + 1 >= kind.stages_for_quality() || kind.is_enough(terms, tree, interpolants) {
                break;
            }
        }
        let Some((_, source, interpolants)) = problem.best else {
            return Err(Failure::Unknown("no source has an answer".into()));
        };
        self.statistics[source as usize].taken += 1;
        self.last = Some(source);
        Ok(interpolants)
    }

    /// A better answer for a tree must not cost much more than the one that is there: trees have many nodes,
    /// and their sources take long for each.
    fn budget_of_source(&self, problem: &Problem<'_>) -> Duration {
        if problem.is_branching && problem.best.is_some() {
            self.options.source_budget.min(problem.start.elapsed() / 2 + Duration::from_millis(20))
        } else {
            self.options.source_budget
        }
    }

    /// Asks one source and checks what it says.
    fn ask(&mut self, terms: &mut Terms, problem: &mut Problem<'_>, source: Source) {
        let start = Work::start();
        let before = self.bench.within(self.budget_of_source(problem));
        let answer = answer(&mut self.bench, terms, problem, source);
        self.bench.restore(before);
        let statistics = &mut self.statistics[source as usize];
        statistics.asked += 1;
        if let Some(interpolants) = answer {
            problem.proposals.push(interpolants.clone());
            let simple: Vec<Term> = interpolants
                .iter()
                .map(|&formula| simplify::simplify(&mut self.bench, terms, formula))
                .collect();
            let before = self.bench.within(self.options.check_budget);
            let checked = check::check(&mut self.bench, terms, problem.tree, &problem.vocabularies, &simple);
            self.bench.restore(before);
            match checked {
                Ok(()) => {
                    statistics.answered += 1;
                    let cost = quality::cost(terms, problem.tree, &simple);
                    if problem.best.as_ref().is_none_or(|(best, ..)| cost < *best) {
                        problem.best = Some((cost, source, simple));
                    }
                }
                Err(_flaw) => statistics.failed_check += 1,
            }
        }
        statistics.time += start.elapsed();
    }
}

impl Interpolator for Chooser {
    fn tree(&mut self, terms: &mut Terms, tree: &Tree) -> Result<Vec<Term>, Failure> {
        self.last = None;
        let before = self.bench.within(self.options.budget.min(self.bench.outer_time()));
        let result = self.run(terms, tree);
        self.bench.restore(before);
        result
    }
}

/// Kinds of problems that differ in which sources are good at them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integers,
    BitVectors,
    /// Bit-vectors in arrays.
    Memory,
    Floats,
}

impl Kind {
    fn of(terms: &Terms, tree: &Tree) -> Self {
        let formulas: Vec<Term> = tree.nodes().iter().map(|node| node.formula).collect();
        let symbols = Vocabulary::of_all(terms, &formulas).symbols;
        let has = |wanted: fn(Sort) -> bool| symbols.iter().any(|&symbol| wanted(terms.sort(symbol)));
        if has(|sort| matches!(sort, Sort::Float(_))) {
            Self::Floats
        } else if has(|sort| matches!(sort, Sort::Bv(_))) {
            if has(|sort| matches!(sort, Sort::Array(_))) { Self::Memory } else { Self::BitVectors }
        } else {
            Self::Integers
        }
    }

    /// The sources in the order that measurements suggest, in stages. After each stage the chooser decides
    /// whether to go on.
    fn stages(self) -> &'static [&'static [Source]] {
        use Source::{Filter, ModelBased, Post, Pre, Single, Spacer};
        match self {
            Self::Integers => &[&[Single], &[Spacer], &[Pre, Post, Filter], &[ModelBased]],
            Self::BitVectors => &[&[Single], &[Pre], &[Post, Filter], &[Spacer], &[ModelBased]],
            Self::Memory => &[&[Single], &[Spacer], &[Pre, Post, Filter], &[ModelBased]],
            Self::Floats => &[&[Single], &[Pre, Post, Filter], &[ModelBased]],
        }
    }

    /// The number of stages after which any answer is accepted.
    fn stages_for_quality(self) -> usize {
        match self {
            Self::Integers | Self::BitVectors | Self::Memory => 3,
            Self::Floats => 2,
        }
    }

    /// Is the answer so good that the next stage is not worth its time? On bit-vectors the first answers are
    /// often values of single steps; only relations are taken at once.
    fn is_enough(self, terms: &mut Terms, tree: &Tree, interpolants: &[Term]) -> bool {
        match self {
            Self::Integers | Self::Floats => quality::is_good(terms, tree, interpolants),
            Self::BitVectors | Self::Memory => quality::is_excellent(terms, tree, interpolants),
        }
    }
}

fn answer(
    bench: &mut Workbench,
    terms: &mut Terms,
    problem: &mut Problem<'_>,
    source: Source,
) -> Option<Vec<Term>> {
    let (tree, vocabularies) = (&problem.sliced, &problem.sliced_vocabularies);
    match source {
        Source::Single => single(tree),
        Source::Spacer => by_spacer(bench, terms, tree),
        Source::Post => {
            let posts = sp_wp::post(bench, terms, tree, vocabularies)?;
            problem.posts = Some(posts.clone());
            Some(posts)
        }
        Source::Pre => {
            let posts = match &problem.posts {
                Some(posts) => posts.clone(),
                None => sp_wp::post(bench, terms, tree, vocabularies)?,
            };
            let pres = sp_wp::pre(bench, terms, tree, vocabularies, &posts);
            problem.posts = Some(posts);
            pres
        }
        Source::ModelBased => mbi::interpolate(bench, terms, tree, vocabularies),
        Source::Filter => by_filter(bench, terms, problem),
    }
}

/// If only one node has formulas left, it is contradictory: `false` from there to the root, `true` elsewhere.
fn single(tree: &Tree) -> Option<Vec<Term>> {
    let mut nodes = tree.nodes().iter().enumerate().filter(|(_, node)| node.formula != Terms::TRUE);
    let (culprit, _) = nodes.next()?;
    if nodes.next().is_some() {
        return None;
    }
    let above = |node: usize| tree.subtree(node).contains(&culprit);
    Some((0..tree.nodes().len()).map(|node| if above(node) { Terms::FALSE } else { Terms::TRUE }).collect())
}

fn by_spacer(bench: &mut Workbench, terms: &mut Terms, tree: &Tree) -> Option<Vec<Term>> {
    let without = functions::remove(terms, tree)?;
    let vocabularies = without.tree.vocabularies(terms);
    let interpolants = spacer::interpolate(bench, terms, &without.tree, &vocabularies).ok()?;
    if !without.is_needed() {
        return Some(interpolants);
    }
    interpolants.into_iter().map(|formula| without.restore(terms, formula)).collect()
}

fn by_filter(bench: &mut Workbench, terms: &mut Terms, problem: &Problem<'_>) -> Option<Vec<Term>> {
    let (tree, vocabularies) = (&problem.sliced, &problem.sliced_vocabularies);
    let mut candidates = Candidates::new(tree);
    for proposal in &problem.proposals {
        for i in tree.inner() {
            candidates.add(terms, &vocabularies[i], i, proposal[i]);
        }
    }
    if let Some(integers) = as_integers::abstracted(terms, tree) {
        add_integers(bench, terms, tree, vocabularies, &integers, &mut candidates);
    }
    houdini::filter(bench, terms, tree, vocabularies, candidates)
}

/// Candidates from the same trace over integers, if that is a contradiction too.
fn add_integers(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
    integers: &Integers,
    candidates: &mut Candidates,
) {
    let before = bench.within(Duration::from_millis(400));
    let proposal = by_spacer(bench, terms, &integers.tree);
    bench.restore(before);
    let Some(proposal) = proposal else { return };
    for i in tree.inner() {
        let simple = simplify::simplify(bench, terms, proposal[i]);
        for atom in terms.atoms(simple) {
            for candidate in integers.candidates(terms, atom) {
                candidates.add(terms, &vocabularies[i], i, candidate);
                let negated = terms.not(candidate);
                candidates.add(terms, &vocabularies[i], i, negated);
            }
        }
    }
}
