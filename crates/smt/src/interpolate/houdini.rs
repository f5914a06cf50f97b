//! Interpolants out of candidates: which of the atoms that other sources proposed are inductive along the
//! tree, and which are needed?
//!
//! Bottom-up, a node keeps the candidates that follow from its formula and from what its children kept. If
//! the root is then contradictory, the conjunctions are interpolants by construction. Top-down, each node
//! drops what its parent does not need. So relations between symbols remain, and values of single steps go.
//!
//! Paper: Flanagan, Leino, *Houdini, an annotation assistant*, 2001 (the filter).

use super::problem::{Tree, Vocabulary};
use super::quality::{formula_cost, pattern};
use crate::workbench::Workbench;
use rustc_hash::{FxHashMap, FxHashSet};
use summa_term::{Op, Sort, SymbolId, Term, Terms};

/// Candidates of one node; the cheapest are kept.
const CANDIDATE_LIMIT: usize = 40;
/// Equations of one node that are combined with each other.
const EQUATION_LIMIT: usize = 5;
/// Costlier candidates are hardly more general than what they come from.
const COST_LIMIT: u64 = 120;

/// Proposed atoms for each node.
pub(crate) struct Candidates {
    nodes: Vec<Vec<Term>>,
    seen: Vec<FxHashSet<Term>>,
}

impl Candidates {
    pub(crate) fn new(tree: &Tree) -> Self {
        let count = tree.nodes().len();
        Self { nodes: vec![Vec::new(); count], seen: vec![FxHashSet::default(); count] }
    }

    /// All parts of a formula that could be an interpolant of this node.
    pub(crate) fn add(&mut self, terms: &mut Terms, vocabulary: &Vocabulary, node: usize, formula: Term) {
        let formula = terms.nnf(formula);
        for part in terms.conjuncts(formula) {
            self.push(terms, vocabulary, node, part);
            if let Some((Op::Or, _)) = terms.as_app(part) {
                for literal in terms.disjuncts(part) {
                    self.push(terms, vocabulary, node, literal);
                }
            }
        }
    }

    fn push(&mut self, terms: &Terms, vocabulary: &Vocabulary, node: usize, part: Term) {
        if terms.as_bool(part).is_none()
            && formula_cost(terms, part) <= COST_LIMIT
            && self.seen[node].insert(part)
            && vocabulary.includes(&Vocabulary::of(terms, part))
        {
            self.nodes[node].push(part);
        }
    }

    /// Sums and differences of equations: of `y = 4` and `n = x + 4` the difference is `y = n - x`, which
    /// holds in every round.
    fn combine(&mut self, terms: &mut Terms, vocabularies: &[Vocabulary]) {
        for (node, vocabulary) in vocabularies.iter().enumerate() {
            let mut equations: Vec<(Term, Term)> = Vec::new();
            for &atom in &self.nodes[node] {
                if let Some((Op::Eq, &[left, right])) = terms.as_app(atom)
                    && matches!(terms.sort(left), Sort::Int | Sort::Bv(_))
                {
                    equations.push((left, right));
                }
            }
            equations.truncate(EQUATION_LIMIT);
            for (i, &first) in equations.iter().enumerate() {
                for &second in &equations[..i] {
                    if let Some(combination) = combination(terms, first, second) {
                        self.push(terms, vocabulary, node, combination);
                    }
                }
            }
        }
    }

    /// Proposes the atoms of each node to all others, with the versions of symbols that the other node has:
    /// what holds at one round of a loop or one level of a recursion is worth trying at all.
    fn share(&mut self, terms: &mut Terms, vocabularies: &[Vocabulary]) {
        let versions: Vec<FxHashMap<SymbolId, Vec<u32>>> =
            vocabularies.iter().map(|v| by_family(terms, v)).collect();
        let mut patterns: Vec<(Term, FxHashMap<SymbolId, Vec<u32>>)> = Vec::new();
        let mut known = FxHashSet::default();
        for node in &self.nodes {
            for &atom in node {
                if known.insert(pattern(terms, atom)) {
                    let versions = by_family(terms, &Vocabulary::of(terms, atom));
                    patterns.push((atom, versions));
                }
            }
        }
        patterns.sort_by_key(|&(atom, _)| (formula_cost(terms, atom), atom));
        patterns.truncate(2 * CANDIDATE_LIMIT);
        for node in 0..self.nodes.len().saturating_sub(1) {
            for (atom, from) in &patterns {
                let fits = from.iter().all(|(symbol, all)| {
                    versions[node].get(symbol).is_some_and(|here| all.len() == 1 || all.len() == here.len())
                });
                if !fits {
                    continue;
                }
                let renamed = terms.rename_symbols(*atom, |symbol, version| {
                    let place =
                        from.get(&symbol).and_then(|all| all.iter().position(|&v| v == version)).unwrap_or(0);
                    let here = versions[node].get(&symbol);
                    let target = match from.get(&symbol).map_or(0, Vec::len) {
                        1 => here.and_then(|here| here.last()),
                        _ => here.and_then(|here| here.get(place)),
                    };
                    (symbol, target.copied().unwrap_or(version))
                });
                self.push(terms, &vocabularies[node], node, renamed);
            }
        }
    }

    fn cheapest(&mut self, terms: &Terms) {
        for node in &mut self.nodes {
            node.sort_by_key(|&atom| (formula_cost(terms, atom), atom));
            node.truncate(CANDIDATE_LIMIT);
        }
    }
}

/// Sum or difference of two equations, if something cancels out: the cheapest, if it is cheaper than both.
/// Equations have no sides, so the second one counts in both directions.
fn combination(terms: &mut Terms, (a, b): (Term, Term), (c, d): (Term, Term)) -> Option<Term> {
    if terms.sort(a) != terms.sort(c) {
        return None;
    }
    let operators: [fn(&mut Terms, Term, Term) -> Term; 2] = match terms.sort(a) {
        Sort::Int => [Terms::add2, Terms::sub],
        _ => [Terms::bv_add, Terms::bv_sub],
    };
    let mut made = Vec::new();
    for (c, d) in [(c, d), (d, c)] {
        for combine in operators {
            let (left, right) = (combine(terms, a, c), combine(terms, b, d));
            made.push(terms.eq(left, right));
        }
    }
    let parents = [terms.eq(a, b), terms.eq(c, d)].map(|equation| formula_cost(terms, equation));
    made.retain(|&equation| parents.iter().all(|&parent| formula_cost(terms, equation) < parent));
    made.into_iter().min_by_key(|&equation| (formula_cost(terms, equation), equation))
}

/// The versions of each family of symbols, in order.
fn by_family(terms: &Terms, vocabulary: &Vocabulary) -> FxHashMap<SymbolId, Vec<u32>> {
    let mut families: FxHashMap<SymbolId, Vec<u32>> = FxHashMap::default();
    let mut symbols: Vec<(SymbolId, u32)> =
        vocabulary.symbols.iter().filter_map(|&term| terms.as_symbol(term)).collect();
    symbols.sort_unstable();
    for (symbol, version) in symbols {
        families.entry(symbol).or_default().push(version);
    }
    families
}

/// `None` if the candidates do not suffice, or not in time.
pub(crate) fn filter(
    bench: &mut Workbench,
    terms: &mut Terms,
    tree: &Tree,
    vocabularies: &[Vocabulary],
    mut candidates: Candidates,
) -> Option<Vec<Term>> {
    candidates.combine(terms, vocabularies);
    candidates.share(terms, vocabularies);
    candidates.cheapest(terms);
    let mut kept: Vec<Vec<Term>> = Vec::with_capacity(tree.nodes().len());
    for (i, node) in tree.nodes().iter().enumerate() {
        let mut premises: Vec<Term> =
            node.children.iter().flat_map(|&child| kept[child].iter().copied()).collect();
        premises.push(node.formula);
        if i == tree.root() {
            return match bench.is_unsat(terms, &premises) {
                Some(true) => needed(bench, terms, tree, &kept),
                _ => None,
            };
        }
        kept.push(implied(bench, terms, &premises, std::mem::take(&mut candidates.nodes[i]))?);
    }
    None
}

/// Those candidates that the premises imply: each model of the premises refutes some, until none can be
/// refuted.
fn implied(
    bench: &mut Workbench,
    terms: &mut Terms,
    premises: &[Term],
    candidates: Vec<Term>,
) -> Option<Vec<Term>> {
    // Equations are easy on terms and hard on bits: what follows by putting them in is not asked of the
    // solver.
    let (mut certain, mut candidates): (Vec<Term>, Vec<Term>) =
        candidates.into_iter().partition(|&candidate| {
            let mut question = premises.to_vec();
            question.push(terms.not(candidate));
            Workbench::is_refuted(terms, &question)
        });
    loop {
        if candidates.is_empty() {
            return Some(certain);
        }
        let all = terms.and(&candidates);
        let mut question = premises.to_vec();
        question.push(terms.not(all));
        let Some(model) = bench.model(terms, &question).ok()? else {
            certain.extend(candidates);
            return Some(certain);
        };
        let before = candidates.len();
        candidates.retain(|&candidate| model.is_true(terms, candidate) == Some(true));
        if candidates.len() == before {
            return None; // the model does not refute what it should: a value that is not determined
        }
    }
}

/// From the root down, what each node needs of its children.
fn needed(bench: &mut Workbench, terms: &mut Terms, tree: &Tree, kept: &[Vec<Term>]) -> Option<Vec<Term>> {
    // How many nodes have an atom, ignoring versions: an atom of many nodes is a better explanation than one
    // of few.
    let mut popularity: FxHashMap<Term, u64> = FxHashMap::default();
    for &atom in kept.iter().flatten() {
        *popularity.entry(pattern(terms, atom)).or_default() += 1;
    }
    let count = kept.len() as u64;
    let price = |terms: &mut Terms, atom: Term| {
        let nodes = popularity.get(&pattern(terms, atom)).copied().unwrap_or(1).max(1);
        formula_cost(terms, atom) * (count + nodes) / nodes
    };
    let mut interpolants = vec![Terms::TRUE; tree.nodes().len()];
    interpolants[tree.root()] = Terms::FALSE;
    for (i, node) in tree.nodes().iter().enumerate().rev() {
        let mut available: Vec<(u64, Term)> = Vec::new();
        for &atom in node.children.iter().flat_map(|&child| &kept[child]) {
            available.push((price(terms, atom), atom));
        }
        available.sort_unstable();
        available.dedup();
        let available: Vec<Term> = available.into_iter().map(|(_, atom)| atom).collect();
        let hard = [node.formula, terms.not(interpolants[i])];
        let core = cheap_core(bench, terms, &hard, &available)?;
        for &child in &node.children {
            let mine: Vec<Term> = kept[child].iter().copied().filter(|atom| core.contains(atom)).collect();
            interpolants[child] = terms.and(&mine);
        }
    }
    Some(interpolants)
}

/// A small part of `available`, sorted by price, that contradicts `hard`: out of the shortest prefix that
/// does.
fn cheap_core(
    bench: &mut Workbench,
    terms: &mut Terms,
    hard: &[Term],
    available: &[Term],
) -> Option<Vec<Term>> {
    let mut length = 2.min(available.len());
    let mut found = loop {
        match core(bench, terms, hard, &available[..length]) {
            Some(found) => break found,
            None if length == available.len() || bench.is_over() => return None,
            None => length = (2 * length).min(available.len()),
        }
    };
    for &candidate in available.iter().rev() {
        if found.contains(&candidate) {
            let rest: Vec<Term> = found.iter().copied().filter(|&atom| atom != candidate).collect();
            if let Some(smaller) = core(bench, terms, hard, &rest) {
                found = smaller;
            }
        }
    }
    Some(found)
}

/// Members of `soft` that contradict `hard`; all of them if that can be seen without the solver.
fn core(bench: &mut Workbench, terms: &mut Terms, hard: &[Term], soft: &[Term]) -> Option<Vec<Term>> {
    let all: Vec<Term> = hard.iter().chain(soft).copied().collect();
    if Workbench::is_refuted(terms, &all) {
        return Some(soft.to_vec());
    }
    bench.core(terms, hard, soft)
}
