//! Which branches executions have taken, all of them together: what a search for new behaviour goes by.

use summa_base::IdMap;
use summa_cfa::{Cfa, NodeId};

/// The locations after branches that some run has reached.
#[derive(Clone, Debug)]
pub struct Coverage {
    is_reached: IdMap<NodeId, bool>,
    /// How many inputs the current run had taken each time it reached something new.
    new: Vec<usize>,
}

impl Coverage {
    pub fn new(cfa: &Cfa) -> Self {
        Self { is_reached: IdMap::with_len(cfa.nodes.len(), false), new: Vec::new() }
    }

    #[inline]
    pub(crate) fn reach(&mut self, node: NodeId, inputs: usize) {
        if !self.is_reached[node] {
            self.is_reached[node] = true;
            self.new.push(inputs);
        }
    }

    /// How many inputs a run took until it had reached everything that was new. None if nothing was. Forgets
    /// it.
    pub fn take_new(&mut self) -> Option<usize> {
        std::mem::take(&mut self.new).pop()
    }
}
