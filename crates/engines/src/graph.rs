//! The abstract reachability graph that a run built, for display.

use std::fmt::Write;
use summa_cfa::{Cfa, NodeId};
use summa_cpa::{Cpa, Product, Reached, Status};
use summa_domains::Domain;
use summa_domains::says::Says;

/// An analysis together with its reached states.
pub struct Graph<'t> {
    pub cfa: &'t Cfa,
    pub product: Product<Domain<'t>>,
    pub reached: Reached<Product<Domain<'t>>>,
}

impl Graph<'_> {
    /// For Graphviz.
    pub fn dot(&self) -> String {
        summa_cpa::export::dot(self.cfa, &self.product, &self.reached)
    }

    /// For programs: one JSON object.
    pub fn json(&self) -> String {
        let value = summa_cpa::export::json(self.cfa, &self.product, &self.reached);
        format!("{value:#}\n")
    }

    /// A paragraph for each state, parents before children: the state, and how it is reached from which
    /// others.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for id in self.reached.alive() {
            let node = &self.reached.nodes[id];
            let mark = match node.status {
                _ if node.is_target => " (target)".to_owned(),
                Status::Covered(by) => format!(" (covered by {by})"),
                Status::Dormant => " (below a covered state)".to_owned(),
                _ if self.reached.waitlist.contains(id) => " (waiting)".to_owned(),
                Status::Reached | Status::Removed => String::new(),
            };
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{id}: {}{mark}", self.product.show(&node.state));
            for (parent, by) in &node.parents {
                let _ = writeln!(out, "    from {parent} by {}", by.text(self.cfa));
            }
        }
        out
    }

    /// Reached, waiting and covered states.
    pub fn sizes(&self) -> (usize, usize, usize) {
        let covered =
            self.reached.alive().filter(|&id| matches!(self.reached.nodes[id].status, Status::Covered(_)));
        (self.reached.reached().count(), self.reached.waitlist.len(), covered.count())
    }

    /// The locations where every reached state says something about values. With an empty waitlist these are
    /// invariants, else only what holds as far as the exploration got.
    pub fn invariants(&self) -> Vec<NodeId> {
        let mut known: Vec<Option<bool>> = vec![None; self.cfa.nodes.len()];
        for id in self.reached.reached() {
            let node = &self.reached.nodes[id];
            let parts = self.product.components.iter().zip(node.state.iter());
            let says = parts.into_iter().any(|(domain, state)| domain.is_telling(state));
            let slot = &mut known[summa_base::Id::index(node.node)];
            *slot = Some(slot.unwrap_or(true) && says);
        }
        self.cfa.nodes.ids().filter(|&node| known[summa_base::Id::index(node)] == Some(true)).collect()
    }
}
