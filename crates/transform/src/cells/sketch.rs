//! Automata made from other automata: every node of the old ones has a counterpart, and the edges that leave
//! it are drawn anew.

use crate::origin::Origin;
use summa_base::{FxHashMap, IdMap};
use summa_c::Span;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, FuncId, PlaceId, Program, VarId, VarKind, Variable};
use summa_c::types::TypeId;
use summa_cfa::BuildError;
use summa_cfa::build::draft::{Draft, Frozen};
use summa_cfa::verify::verify;
use summa_cfa::{AssumeOrigin, Cfa, EdgeId, HaltKind, NodeId, NodeKind, Op};

/// A function that is being drawn. Operations are added at [`Sketch::current`].
pub(super) struct Sketch<'a> {
    pub(super) old: &'a Cfa,
    pub(super) program: &'a mut Program,
    pub(super) function: FuncId,
    /// The node of the new automaton from which drawing continues.
    pub(super) current: NodeId,
    draft: Draft,
    /// The counterparts of the old nodes.
    nodes: IdMap<NodeId, NodeId>,
    /// For each edge of the draft, the old one that it belongs to.
    edges: Vec<Option<EdgeId>>,
    /// The old edge that is being drawn.
    drawing: Option<EdgeId>,
}

/// The automata that `draw` makes of the old ones, for `program`, which has everything that the old program
/// has. `draw` is called for each node and gets the edges that leave it.
pub(super) fn redraw(
    old: &Cfa,
    mut program: Program,
    mut draw: impl FnMut(&mut Sketch<'_>, &[EdgeId]),
) -> Result<(Cfa, Origin), BuildError> {
    let mut frozen = Frozen::default();
    let mut origin = Origin { variables: old.program.vars.len(), ..Origin::default() };
    for (function, automaton) in old.automata.iter() {
        let Some(automaton) = automaton else {
            frozen.append(function, None);
            continue;
        };
        let span = |node: NodeId| old.nodes[node].span;
        let mut draft = Draft::new(span(automaton.entry), span(automaton.exit));
        let mut nodes = IdMap::with_len(old.nodes.len(), draft.exit);
        for node in automaton.node_ids() {
            nodes[node] = match old.nodes[node].kind {
                NodeKind::Entry => draft.entry,
                // What leads to an end makes one.
                NodeKind::Exit | NodeKind::End => draft.exit,
                kind @ (NodeKind::Plain | NodeKind::LoopHead | NodeKind::Label(_)) => {
                    draft.node(kind, span(node))
                }
            };
        }
        let current = draft.entry;
        let (edges, drawing) = (Vec::new(), None);
        let mut sketch =
            Sketch { old, program: &mut program, function, current, draft, nodes, edges, drawing };
        for node in automaton.node_ids().filter(|&node| !old.leaving(node).is_empty()) {
            sketch.current = sketch.nodes[node];
            sketch.drawing = None;
            draw(&mut sketch, old.leaving(node));
        }
        let Sketch { draft, nodes, edges, .. } = sketch;
        let is_location = |&node: &NodeId| old.nodes[node].kind != NodeKind::End;
        let counterparts: FxHashMap<NodeId, NodeId> =
            automaton.node_ids().filter(is_location).map(|node| (nodes[node], node)).collect();
        let numbering = frozen.append(function, Some(draft));
        for node in numbering.nodes {
            origin.nodes.push(counterparts.get(&node).copied());
        }
        for edge in numbering.edges {
            origin.edges.push(edges[edge]);
        }
    }
    let mut cfa = frozen.into_cfa(program, old.start, old.main, old.assumptions.clone(), old.checks);
    cfa.promoted = promoted(old, &cfa);
    cfa.members_apart = old.members_apart;
    verify(&cfa).map_err(BuildError::Broken)?;
    Ok((cfa, origin))
}

/// The edges that were allocations: each names an object of its own.
fn promoted(old: &Cfa, new: &Cfa) -> FxHashMap<EdgeId, VarId> {
    let mut objects: FxHashMap<ExprId, VarId> = FxHashMap::default();
    for edge in old.edges.ids() {
        if let (Some(&object), Op::Assign { value, .. }) = (old.promoted.get(&edge), &old.edges[edge].op) {
            objects.insert(*value, object);
        }
    }
    let found = new.edges.iter().filter_map(|(edge, data)| match data.op {
        Op::Assign { value, .. } => objects.get(&value).map(|&object| (edge, object)),
        _ => None,
    });
    found.collect()
}

impl Sketch<'_> {
    /// All edges that are drawn from now on belong to this edge.
    pub(super) fn draw(&mut self, edge: EdgeId) {
        self.drawing = Some(edge);
    }

    fn edge(&mut self, from: NodeId, to: NodeId, op: Op, span: Span) {
        self.draft.edge(from, to, op, span);
        self.edges.push(self.drawing);
    }

    fn terminal(&mut self, from: NodeId, op: Op, span: Span) {
        self.draft.terminal(from, op, span);
        self.edges.push(self.drawing);
    }

    /// Adds an operation after which control continues.
    pub(super) fn step(&mut self, op: Op, span: Span) {
        let next = self.node(span);
        self.edge(self.current, next, op, span);
        self.current = next;
    }

    /// Adds an operation that leads to the counterpart of an old node.
    pub(super) fn lead(&mut self, op: Op, to: NodeId, span: Span) {
        if self.old.nodes[to].kind == NodeKind::End {
            self.terminal(self.current, op, span);
        } else {
            self.edge(self.current, self.nodes[to], op, span);
        }
    }

    /// The nodes where a condition holds and where it does not.
    pub(super) fn branch(&mut self, condition: ExprId, origin: AssumeOrigin, span: Span) -> (NodeId, NodeId) {
        let (yes, no) = (self.node(span), self.node(span));
        self.edge(self.current, yes, Op::Assume { condition, truth: true, origin }, span);
        self.edge(self.current, no, Op::Assume { condition, truth: false, origin }, span);
        (yes, no)
    }

    /// Executions in which the condition does not hold end here and do not count.
    pub(super) fn require(&mut self, condition: ExprId, origin: AssumeOrigin, span: Span) {
        let (yes, no) = self.branch(condition, origin, span);
        self.terminal(no, Op::Halt { kind: HaltKind::Assumption }, span);
        self.current = yes;
    }

    pub(super) fn node(&mut self, span: Span) -> NodeId {
        self.draft.node(NodeKind::Plain, span)
    }

    /// Control continues at this new node too.
    pub(super) fn join(&mut self, node: NodeId, span: Span) {
        self.edge(self.current, node, Op::Skip, span);
    }

    /// A new variable of the function that nothing declares.
    pub(super) fn temp(&mut self, name: &str, ty: TypeId, span: Span) -> PlaceId {
        let name = self.program.names.intern(name);
        let var = self.program.vars.push(Variable::new(name, ty, VarKind::Temp(self.function), span));
        self.program.exprs.var(var, ty)
    }

    pub(super) fn compare(&mut self, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
        compare(self.program, op, a, b)
    }
}

/// A comparison as a condition.
pub(super) fn compare(program: &mut Program, op: BinaryOp, a: ExprId, b: ExprId) -> ExprId {
    let int = program.types.int;
    program.exprs.intern(ExprKind::Binary(op, a, b), int)
}
