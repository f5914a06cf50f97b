//! Interpolants out of candidates: which atoms that others proposed are inductive along the tree, and which are needed?
//!
//! Bottom-up, a node keeps the candidates that its children's kept ones and its formula imply. If the root is then
//! contradictory, the conjunctions are interpolants by construction. Top-down, each node drops what its parent does not need,
//! so that relations between symbols remain and values of single steps go.
//!
//! Paper: Flanagan, Leino, *Houdini, an annotation assistant*, 2001 (the filter).

use super::problem::{Tree, Vocabulary};
use super::quality::formula_cost;
use crate::workbench::Workbench;
use rustc_hash::{FxHashMap, FxHashSet};
use summa_term::{Op, SymbolId, Term, Terms};

/// Candidates of one node; the cheapest are kept.
const CANDIDATE_LIMIT: usize = 40;
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

    /// Proposes the atoms of each node to all others, with the versions of symbols that the other node has: what holds at one
    /// round of a loop or one level of a recursion is worth trying at all.
    fn share(&mut self, terms: &mut Terms, vocabularies: &[Vocabulary]) {
        let versions: Vec<FxHashMap<SymbolId, Vec<u32>>> =
            vocabularies.iter().map(|v| by_family(terms, v)).collect();
        let mut patterns: Vec<(Term, FxHashMap<SymbolId, Vec<u32>>)> = Vec::new();
        let mut known = FxHashSet::default();
        for node in &self.nodes {
            for &atom in node {
                let pattern = terms.rename_symbols(atom, |symbol, _| (symbol, 0));
                let vocabulary = Vocabulary::of(terms, atom);
                let versions = by_family(terms, &vocabulary);
                // Atoms over several versions of a family are only the same pattern if all versions were told apart.
                if versions.values().any(|all| all.len() > 1) || known.insert(pattern) {
                    patterns.push((atom, versions));
                }
            }
        }
        patterns.sort_by_key(|&(atom, _)| (formula_cost(terms, atom), atom));
        patterns.truncate(2 * CANDIDATE_LIMIT);
        for node in 0..self.nodes.len().saturating_sub(1) {
            for (atom, from) in &patterns {
                let fits = |(symbol, all): (&SymbolId, &Vec<u32>)| {
                    versions[node].get(symbol).is_some_and(|here| all.len() == 1 || all.len() == here.len())
                };
                #[expect(clippy::iter_over_hash_type, reason = "only whether all fit counts, not the order")]
                let all_fit = {
                    let mut all_fit = true;
                    for entry in from {
                        all_fit &= fits(entry);
                    }
                    all_fit
                };
                if !all_fit {
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

/// Those candidates that the premises imply: each model of the premises refutes some, until none can be refuted.
fn implied(
    bench: &mut Workbench,
    terms: &mut Terms,
    premises: &[Term],
    mut candidates: Vec<Term>,
) -> Option<Vec<Term>> {
    loop {
        if candidates.is_empty() {
            return Some(candidates);
        }
        let all = terms.and(&candidates);
        let mut question = premises.to_vec();
        question.push(terms.not(all));
        let Some(model) = bench.model(terms, &question).ok()? else { return Some(candidates) };
        let before = candidates.len();
        candidates.retain(|&candidate| model.is_true(terms, candidate) == Some(true));
        if candidates.len() == before {
            return None; // the model does not refute what it should: a value that is not determined
        }
    }
}

/// From the root down, what each node needs of its children.
fn needed(bench: &mut Workbench, terms: &mut Terms, tree: &Tree, kept: &[Vec<Term>]) -> Option<Vec<Term>> {
    // How many nodes have an atom, but for versions: an atom of many nodes is a better explanation than one of few.
    let mut popularity: FxHashMap<Term, u64> = FxHashMap::default();
    for &atom in kept.iter().flatten() {
        let pattern = terms.rename_symbols(atom, |symbol, _| (symbol, 0));
        *popularity.entry(pattern).or_default() += 1;
    }
    let count = kept.len() as u64;
    let price = |terms: &mut Terms, atom: Term| {
        let pattern = terms.rename_symbols(atom, |symbol, _| (symbol, 0));
        let nodes = popularity.get(&pattern).copied().unwrap_or(1).max(1);
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

/// A small part of `available`, sorted by price, that contradicts `hard`: out of the shortest prefix that does.
fn cheap_core(
    bench: &mut Workbench,
    terms: &mut Terms,
    hard: &[Term],
    available: &[Term],
) -> Option<Vec<Term>> {
    let mut length = 2.min(available.len());
    let mut core = loop {
        match bench.core(terms, hard, &available[..length]) {
            Some(core) => break core,
            None if length == available.len() || bench.is_over() => return None,
            None => length = (2 * length).min(available.len()),
        }
    };
    for &candidate in available.iter().rev() {
        if core.contains(&candidate) {
            let rest: Vec<Term> = core.iter().copied().filter(|&atom| atom != candidate).collect();
            if let Some(smaller) = bench.core(terms, hard, &rest) {
                core = smaller;
            }
        }
    }
    Some(core)
}
