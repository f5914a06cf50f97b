//! Interpolants of a tree of blocks, computed level by level from interpolants of sequences. Used where a
//! solver has no answer for the whole tree.
//!
//! The blocks behind a summary first get a binary interpolant between them and all the rest: what the summary
//! must say. With these interpolants in place of the blocks, a chain is a sequence. Then each branch is a
//! problem of its own: its chain must imply the interpolant that was found for it.
//!
//! Paper: Heizmann, Hoenicke, Podelski, *Nested interpolants*, POPL 2010, Section 4 (from sequences to nested
//! sequences).

use crate::tree::BlockTree;
use crate::workbench::Workbench;
use summa_base::Unanswered;
use summa_term::{Term, Terms};

/// A chain of blocks, and what must not hold behind it.
struct Level<'t> {
    chain: &'t [usize],
    excluded: Option<Term>,
}

/// The blocks behind a summary.
struct Branch<'t> {
    /// The place in the chain of the block that uses it.
    user: usize,
    chain: &'t [usize],
    /// The formulas of the block, later the interpolant that replaces them.
    formula: Term,
}

impl Workbench<'_> {
    /// One interpolant for each block of the tree.
    pub(crate) fn interpolants_by_levels(
        &mut self,
        tree: &BlockTree,
        formulas: &[Term],
        plainly: bool,
    ) -> Result<Vec<Term>, Unanswered> {
        let mut found = vec![Terms::TRUE; formulas.len()];
        let mut todo = vec![Level { chain: &tree.trunk, excluded: None }];
        while let Some(Level { chain, excluded }) = todo.pop() {
            let mut branches = self.branches(tree, formulas, chain);
            for i in 0..branches.len() {
                let others = branches.iter().enumerate().filter(|&(other, _)| other != i);
                let mut rest: Vec<Term> = others.map(|(_, branch)| branch.formula).collect();
                rest.extend(chain.iter().map(|&block| formulas[block]).chain(excluded));
                let terms = &mut self.paths.encoder.terms;
                let sides = [branches[i].formula, terms.and(&rest)];
                let summary = self.solver.interpolants(terms, &sides, plainly)?[1];
                branches[i].formula = summary;
                let excluded = Some(self.terms().not(summary));
                todo.push(Level { chain: branches[i].chain, excluded });
            }
            let mut sequence: Vec<Term> = Vec::with_capacity(chain.len() + 1);
            for (place, &block) in chain.iter().enumerate() {
                let mut parts = vec![formulas[block]];
                parts.extend(
                    branches.iter().filter(|branch| branch.user == place).map(|branch| branch.formula),
                );
                sequence.push(self.terms().and(&parts));
            }
            sequence.extend(excluded);
            let interpolants = self.solver.interpolants(&mut self.paths.encoder.terms, &sequence, plainly)?;
            for (&block, interpolant) in chain.iter().zip(interpolants.into_iter().skip(1)) {
                found[block] = interpolant;
            }
        }
        Ok(found)
    }

    fn branches<'t>(&mut self, tree: &'t BlockTree, formulas: &[Term], chain: &[usize]) -> Vec<Branch<'t>> {
        let mut branches = Vec::new();
        for (user, &block) in chain.iter().enumerate() {
            for chain in tree.blocks[block].chains.iter().filter(|chain| !chain.is_empty()) {
                let (mut all, mut todo) = (Vec::new(), chain.clone());
                while let Some(block) = todo.pop() {
                    all.push(formulas[block]);
                    todo.extend(tree.blocks[block].chains.iter().flatten());
                }
                branches.push(Branch { user, chain, formula: self.terms().and(&all) });
            }
        }
        branches
    }
}
