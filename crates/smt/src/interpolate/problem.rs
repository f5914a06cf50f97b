//! What is to be interpolated: a tree of formulas whose conjunction is unsatisfiable. A sequence is a tree
//! that is a chain.
//!
//! Notation: node `i` has formula `φᵢ` and interpolant `Iᵢ`; the root is the last node.
//! * `⋀ I_c ∧ φᵢ ⇒ Iᵢ` for the children `c` of `i` (a leaf has none), and `I_root = false`;
//! * `Iᵢ` has only symbols and functions that occur in the subtree of `i` and outside of it.

use std::ops::Range;
use summa_term::{FunctionId, Kind, Op, Term, Terms};

/// One formula of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeNode {
    pub formula: Term,
    /// Positions of the children, all smaller than that of the node.
    pub children: Vec<usize>,
}

/// Formulas in post-order: children before their parent, each subtree contiguous, the root last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    /// The first node of each subtree.
    starts: Vec<usize>,
}

impl Tree {
    /// `None` if the nodes are not one tree in post-order.
    pub fn new(nodes: Vec<TreeNode>) -> Option<Self> {
        let mut starts = Vec::with_capacity(nodes.len());
        for (i, node) in nodes.iter().enumerate() {
            // From the last child to the first, each subtree must end where the next one starts.
            let mut start = i;
            for &child in node.children.iter().rev() {
                if child + 1 != start {
                    return None;
                }
                start = starts[child];
            }
            starts.push(start);
        }
        (starts.last() == Some(&0)).then_some(Self { nodes, starts })
    }

    /// `φ₁ … φₙ` as a chain; `None` if there are none.
    pub fn sequence(formulas: &[Term]) -> Option<Self> {
        let node = |(i, &formula): (usize, &Term)| TreeNode {
            formula,
            children: (i > 0).then(|| i - 1).into_iter().collect(),
        };
        Self::new(formulas.iter().enumerate().map(node).collect())
    }

    pub fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    pub fn root(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Positions of all nodes but the root: those that get an interpolant.
    pub(crate) fn inner(&self) -> Range<usize> {
        0..self.root()
    }

    /// Positions of the subtree of `node`.
    pub(crate) fn subtree(&self, node: usize) -> Range<usize> {
        self.starts[node]..node + 1
    }

    /// Number of nodes on the longest path.
    pub(crate) fn depth(&self) -> usize {
        let mut depths: Vec<usize> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            depths.push(1 + node.children.iter().map(|&child| depths[child]).max().unwrap_or(0));
        }
        depths.last().copied().unwrap_or(0)
    }

    /// The same tree with other formulas.
    pub(crate) fn with_formulas(&self, mut formula: impl FnMut(usize, Term) -> Term) -> Self {
        let mut tree = self.clone();
        for (i, node) in tree.nodes.iter_mut().enumerate() {
            node.formula = formula(i, node.formula);
        }
        tree
    }

    /// For every node the symbols and functions that its interpolant may have.
    pub(crate) fn vocabularies(&self, terms: &Terms) -> Vec<Vocabulary> {
        let own: Vec<Vocabulary> =
            self.nodes.iter().map(|node| Vocabulary::of(terms, node.formula)).collect();
        // The last node with an occurrence tells whether there is one after a subtree, the first whether
        // there is one before.
        let symbols = Occurrences::new(own.iter().map(|vocabulary| vocabulary.symbols.as_slice()));
        let functions = Occurrences::new(own.iter().map(|vocabulary| vocabulary.functions.as_slice()));
        (0..self.nodes.len())
            .map(|i| Vocabulary {
                symbols: symbols.shared(self.subtree(i)),
                functions: functions.shared(self.subtree(i)),
            })
            .collect()
    }
}

/// For each thing the nodes in which it occurs.
struct Occurrences<T> {
    /// Sorted by thing, then node.
    pairs: Vec<(T, usize)>,
}

impl<T: Copy + Ord> Occurrences<T> {
    fn new<'a>(things: impl Iterator<Item = &'a [T]>) -> Self
    where
        T: 'a,
    {
        let mut pairs: Vec<(T, usize)> =
            things.enumerate().flat_map(|(i, all)| all.iter().map(move |&thing| (thing, i))).collect();
        pairs.sort_unstable();
        Self { pairs }
    }

    /// Things that occur both in these nodes and in others, sorted.
    fn shared(&self, nodes: Range<usize>) -> Vec<T> {
        let groups = self.pairs.chunk_by(|a, b| a.0 == b.0);
        groups
            .filter(|group| {
                let inside = group.iter().filter(|(_, node)| nodes.contains(node)).count();
                inside > 0 && inside < group.len()
            })
            .map(|group| group[0].0)
            .collect()
    }
}

/// Free symbols and functions, sorted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Vocabulary {
    pub(crate) symbols: Vec<Term>,
    pub(crate) functions: Vec<FunctionId>,
}

impl Vocabulary {
    pub(crate) fn of(terms: &Terms, term: Term) -> Self {
        Self::of_all(terms, &[term])
    }

    pub(crate) fn of_all(terms: &Terms, roots: &[Term]) -> Self {
        let mut found = Self::default();
        let mut seen = rustc_hash::FxHashSet::default();
        let mut stack = roots.to_vec();
        while let Some(term) = stack.pop() {
            if !seen.insert(term) {
                continue;
            }
            match terms.kind(term) {
                Kind::Symbol(..) => found.symbols.push(term),
                Kind::App(op, args) => {
                    if let Op::Apply(function) = op {
                        found.functions.push(*function);
                    }
                    stack.extend(args.iter());
                }
                Kind::Quantified(_, bound, body) => {
                    let inner = Self::of(terms, *body);
                    found.symbols.extend(inner.symbols.iter().filter(|&symbol| !bound.contains(symbol)));
                    found.functions.extend(inner.functions);
                }
                Kind::True | Kind::False | Kind::Int(_) | Kind::Bv(_) | Kind::Float(_) => {}
            }
        }
        found.symbols.sort_unstable();
        found.symbols.dedup();
        found.functions.sort_unstable();
        found.functions.dedup();
        found
    }

    pub(crate) fn has(&self, symbol: Term) -> bool {
        self.symbols.binary_search(&symbol).is_ok()
    }

    pub(crate) fn includes(&self, other: &Self) -> bool {
        other.symbols.iter().all(|&symbol| self.has(symbol))
            && other.functions.iter().all(|function| self.functions.binary_search(function).is_ok())
    }

    /// Symbols of this one that the other does not have.
    pub(crate) fn symbols_beyond(&self, other: &Self) -> Vec<Term> {
        self.symbols.iter().copied().filter(|&symbol| !other.has(symbol)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_term::Sort;

    fn node(formula: Term, children: &[usize]) -> TreeNode {
        TreeNode { formula, children: children.to_vec() }
    }

    #[test]
    fn only_trees_in_post_order() {
        let t = Terms::TRUE;
        assert!(Tree::new(vec![]).is_none());
        assert!(Tree::new(vec![node(t, &[]), node(t, &[])]).is_none(), "two trees");
        assert!(Tree::new(vec![node(t, &[0])]).is_none(), "its own child");
        assert!(Tree::new(vec![node(t, &[]), node(t, &[]), node(t, &[0])]).is_none(), "not contiguous");
        assert!(Tree::new(vec![node(t, &[]), node(t, &[]), node(t, &[1, 0])]).is_none(), "not in order");
        let tree = Tree::new(vec![node(t, &[]), node(t, &[0]), node(t, &[]), node(t, &[1, 2])]).unwrap();
        assert_eq!((tree.root(), tree.depth(), tree.subtree(1)), (3, 3, 0..2));
    }

    #[test]
    fn vocabularies_are_what_is_shared() {
        let mut terms = Terms::new();
        let family = terms.declare("x", Sort::Bool);
        let x: Vec<Term> = (0..4).map(|version| terms.symbol(family, version)).collect();
        // Two leaves share x1 with each other, the first has x0 alone, both share x2 with the root.
        let formulas = [terms.and(&[x[0], x[1], x[2]]), terms.or(&[x[1], x[2]]), terms.and(&[x[2], x[3]])];
        let tree =
            Tree::new(vec![node(formulas[0], &[]), node(formulas[1], &[]), node(formulas[2], &[0, 1])])
                .unwrap();
        let shared: Vec<Vec<Term>> = tree.vocabularies(&terms).into_iter().map(|v| v.symbols).collect();
        assert_eq!(shared, [vec![x[1], x[2]], vec![x[1], x[2]], vec![]]);
    }
}
