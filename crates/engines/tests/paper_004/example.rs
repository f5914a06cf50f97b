//! The program of the paper, with its places and states named as there.

use summa_base::Budget;
use summa_c::SourceMap;
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{ArgId, Cpa, CpaPlusPlus, Layer, Product, Reached, Status, cpa_plus_plus};
use summa_domains::callstack::Callstack;
use summa_domains::location::Location;
use summa_domains::predicate::{Predicate, PredicateState, Settings, predicate_of};
use summa_domains::specification::Specification;
use summa_domains::{AnyState, Domain};
use summa_encode::{Encoding, PathId};
use summa_facts::Analyses;
use summa_term::{Term, Terms};
use summa_testkit::programs::automata_with_sources;

pub(crate) type Arg<'t> = Reached<Product<Domain<'t>>>;

pub(crate) struct Example {
    pub(crate) cfa: Cfa,
    pub(crate) facts: Analyses,
    pub(crate) sources: SourceMap,
}

impl Example {
    pub(crate) fn new(text: &str) -> Self {
        let (cfa, sources) = automata_with_sources(text);
        let facts = Analyses::new(&cfa);
        Self { cfa, facts, sources }
    }

    pub(crate) fn is_error(&self, edge: EdgeId) -> bool {
        matches!(self.cfa.edges[edge].op, Op::Error { .. })
    }

    /// What the paper calls a location: the first node of its line, and what the error leads to.
    pub(crate) fn name(&self, node: NodeId) -> Option<String> {
        // `main` begins with its first statement.
        let line = |node: NodeId| self.sources.locate(self.cfa.nodes[node].span).line.max(2);
        if self.cfa.nodes[node].function != self.cfa.main {
            return None;
        }
        if self.cfa.edges.iter().any(|(id, edge)| edge.to == node && self.is_error(id)) {
            return Some("error".to_owned());
        }
        let mut of_main =
            self.cfa.nodes.ids().filter(|&other| self.cfa.nodes[other].function == self.cfa.main);
        let first = of_main.find(|&other| line(other) == line(node));
        (first == Some(node)).then(|| format!("l{}", line(node)))
    }

    pub(crate) fn node(&self, name: &str) -> NodeId {
        self.cfa.nodes.ids().find(|&node| self.name(node).as_deref() == Some(name)).unwrap()
    }

    pub(crate) fn analysis(&self, settings: Settings, encoding: Encoding) -> (Product<Domain<'_>>, Arg<'_>) {
        let cfa = &self.cfa;
        let predicate = Predicate::new(cfa, &self.facts, encoding, settings, &Budget::unlimited()).unwrap();
        let mut product = Product::new(vec![
            Domain::Location(Location { cfa }),
            Domain::Callstack(Callstack::new(cfa)),
            Domain::Specification(Specification::new(cfa, Box::new(|edge| self.is_error(edge)))),
            Domain::Predicate(predicate),
        ]);
        let mut reached = Reached::new(vec![Layer::Unrolled]);
        let (state, precision) = product.initial(cfa.entry());
        reached.add_root(cfa, &product, cfa.entry(), state, precision);
        (product, reached)
    }

    /// CPA++ until there is an error state.
    pub(crate) fn explore<'e>(
        &'e self,
        product: &mut Product<Domain<'e>>,
        reached: &mut Arg<'e>,
    ) -> CpaPlusPlus {
        let abort = |cpa: &Product<Domain<'e>>, state: &_| cpa.is_target(state);
        cpa_plus_plus(&self.cfa, product, reached, &abort, &Budget::unlimited()).unwrap()
    }

    /// The first error path, with nothing known: the abstraction states on it are those of Examples 4 and 5.
    pub(crate) fn counterexample(&self, settings: Settings) -> (Product<Domain<'_>>, Arg<'_>, ArgId) {
        let (mut product, mut reached) = self.analysis(settings, Encoding::BitVector);
        let CpaPlusPlus::Aborted(target) = self.explore(&mut product, &mut reached) else {
            panic!("no error path")
        };
        (product, reached, target)
    }

    /// The graph, a line for each state: name, location, ψ, φ, loop counter, the states that it comes from,
    /// coverage.
    pub(crate) fn draw(
        &self,
        product: &mut Product<Domain<'_>>,
        reached: &Arg<'_>,
        order: &[&str],
    ) -> String {
        let mut names: Vec<(ArgId, String)> = Vec::new();
        for (number, place) in order.iter().enumerate() {
            let mut there =
                reached.nodes.ids().filter(|&id| self.name(reached.nodes[id].node).as_deref() == Some(place));
            let free = there.find(|id| !names.iter().any(|(named, _)| named == id));
            names.extend(free.map(|id| (id, format!("e{number}"))));
        }
        // Those that the figure does not have, after the others.
        let others: Vec<ArgId> =
            reached.alive().filter(|id| !names.iter().any(|(named, _)| named == id)).collect();
        for id in others {
            names.extend(self.name(reached.nodes[id].node).map(|_| (id, "+".to_owned())));
        }
        let name_of = |id: ArgId| names.iter().find(|(named, _)| *named == id).map(|(_, name)| name.as_str());
        let mut text = String::new();
        for (id, name) in &names {
            let node = &reached.nodes[*id];
            let mut parts = vec![format!("{name}: {}", self.name(node.node).unwrap())];
            match node.status {
                Status::Removed => parts.push("removed".to_owned()),
                _ => parts.extend(self.describe(product, &node.state)),
            }
            // The way may lead through states that are left out.
            let above = |id: ArgId| reached.nodes[id].parents.first().map(|&(parent, _)| parent);
            let parent = std::iter::successors(above(*id), |&id| above(id)).find_map(name_of);
            parts.extend(parent.map(|parent| format!("from {parent}")));
            match node.status {
                Status::Covered(by) => parts.push(format!("covered by {}", name_of(by).unwrap_or("?"))),
                Status::Dormant => parts.push("below a covered state".to_owned()),
                Status::Reached if reached.waitlist.contains(*id) => parts.push("waiting".to_owned()),
                Status::Reached | Status::Removed => {}
            }
            text += &format!("{}\n", parts.join(", "));
        }
        text
    }

    /// ψ, φ and the loop counter.
    pub(crate) fn describe(&self, product: &mut Product<Domain<'_>>, state: &[AnyState]) -> Vec<String> {
        let mut parts = Vec::new();
        if let Some(AnyState::Predicate(state)) =
            state.iter().find(|state| matches!(state, AnyState::Predicate(_)))
        {
            let (_, predicate) = predicate_of(product).unwrap();
            let psi = predicate.abstractions[state.abstraction].formula;
            parts.push(format!("ψ: {}", readable(predicate, psi)));
            parts.push(format!("φ: {}", path_formula(predicate, state.path)));
        }
        for (domain, state) in product.components.iter().zip(state) {
            if let Domain::LoopBound(counters) = domain {
                let AnyState::LoopBound(state) = state else { panic!("a state of another domain") };
                let head = self.node("l4");
                parts.push(counters.show(state).replace(&head.to_string(), "l4"));
            }
        }
        parts.retain(|part| !part.is_empty());
        parts
    }
}

/// A formula over variables at the start of the block, small numbers as such.
pub(crate) fn readable(predicate: &Predicate<'_>, formula: Term) -> String {
    let text = summa_term::smtlib::print(&predicate.logic.paths.encoder.terms, formula);
    let text = text.replace("main.", "").replace("@0", "");
    (0..=2).fold(text, |text, n| text.replace(&format!("(_ bv{n} 32)"), &n.to_string()))
}

/// The condition of the path and what the variables are at its end.
pub(crate) fn path_formula(predicate: &Predicate<'_>, path: PathId) -> String {
    let guard = Some(predicate.logic.paths.guard(path)).filter(|&guard| guard != Terms::TRUE);
    let guard = guard.map(|guard| readable(predicate, guard));
    let changed = predicate.logic.paths.changed(path).into_iter().filter_map(|cell| {
        let name = predicate
            .logic
            .paths
            .name_of(cell)
            .strip_prefix("main.")
            .filter(|name| ["x", "y"].contains(name))?;
        Some(format!("{name}' = {}", readable(predicate, predicate.logic.paths.state(path).get(cell))))
    });
    let parts: Vec<String> = guard.into_iter().chain(changed).collect();
    if parts.is_empty() { "true".to_owned() } else { parts.join(" ∧ ") }
}

/// The predicate x = y.
pub(crate) fn equal(predicate: &mut Predicate<'_>) -> Term {
    let cell = |predicate: &Predicate<'_>, name: &str| {
        let cells = &predicate.logic.paths.encoder.cells.cells;
        cells
            .ids()
            .find(|&cell| predicate.logic.paths.name_of(cell) == name)
            .map(|cell| cells[cell].symbol)
            .unwrap()
    };
    let (x, y) = (cell(predicate, "main.x"), cell(predicate, "main.y"));
    let terms = &mut predicate.logic.paths.encoder.terms;
    let (x, y) = (terms.symbol(x, 0), terms.symbol(y, 0));
    terms.eq(x, y)
}

/// The abstraction states on the way to a state, without the initial one: (l4, e1), (error, e2) in Examples 4
/// and 5.
pub(crate) fn abstraction_states(
    product: &Product<Domain<'_>>,
    reached: &Arg<'_>,
    id: ArgId,
) -> Vec<(ArgId, PredicateState)> {
    let index = product.components.iter().position(|domain| matches!(domain, Domain::Predicate(_))).unwrap();
    let states = reached.path_to(id).1.into_iter().map(|(_, id)| (id, &reached.nodes[id].state[index]));
    let found = states.filter_map(|(id, state)| match state {
        AnyState::Predicate(state) if state.is_abstraction => Some((id, *state)),
        _ => None,
    });
    found.collect()
}
