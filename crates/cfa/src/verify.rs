//! The invariants of frozen automata, and the check that they hold. Engines rely on them without looking.
//!
//! **Shape**
//!
//! 1. The nodes and edges of an automaton are the ids of its ranges; the ranges follow each other without
//!    gap, and the only `Entry` and `Exit` nodes are its entry and exit.
//! 2. Both ends of an edge lie in the automaton that owns the edge.
//! 3. `leaving` and `entering` list every edge once, at its source and at its target.
//! 4. No edge enters the entry. No edge leaves the exit or an `End` node. Some edge leaves every other node.
//! 5. Every node but the exit is reachable from the entry of its automaton.
//! 6. A node has one leaving edge, or two that assume the same condition, first true, then false.
//! 7. `Return` edges and no others enter the exit; `Error`, `Halt` and `Unsupported` edges and no others
//!    enter `End` nodes.
//!
//! **Meaning**
//!
//! 8. Expressions and places have the types that `summa_c::tree` promises (see [`expressions`]).
//! 9. An edge mentions static variables and those of its own function only.
//! 10. Operations are well typed: an assignment's value has the type of its place (or a record of the same
//!     tag), a condition is an `int` comparison or constant, arguments have the types of the parameters,
//!     results and returned values the function's result type. `Declare` and `Dead` name variables of the
//!     frame.
//! 11. `Call` names functions with an automaton; `Library` and `External` functions without one. A `Library`
//!     call fits its signature.
//! 12. `start` and `main` have automata; no function has a statement body left.
//! 13. An error that stands for a check ([`crate::ErrorKind::checks`]) is there only if the automata have
//!     that check, and only branches of checks lead to it.
//!
//! The check is linear: every expression is looked at once.

mod expressions;

use crate::cfa::{AssumeOrigin, Automaton, Cfa, EdgeId, NodeId, NodeKind, Op};
use expressions::{Facts, Frame};
use summa_base::graph::reachable;
use summa_base::{Id, IdMap};
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, VarId};
use summa_c::types::TypeId;

/// A broken invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The number of the rule in the list above.
    pub rule: u8,
    pub text: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "invariant {}: {}", self.rule, self.text)
    }
}

/// Checks every invariant.
pub fn verify(cfa: &Cfa) -> Result<(), Vec<Violation>> {
    let mut check = Check { cfa, found: Vec::new() };
    check.ranges();
    check.adjacency();
    if check.found.is_empty() {
        // The rest follows ids that are known to be good only now.
        let facts = Facts::collect(&cfa.program);
        for automaton in cfa.defined() {
            check.nodes(automaton);
            automaton.edge_ids().for_each(|edge| check.edge(automaton, edge, &facts));
        }
    }
    if check.found.is_empty() { Ok(()) } else { Err(check.found) }
}

struct Check<'a> {
    cfa: &'a Cfa,
    found: Vec<Violation>,
}

impl Check<'_> {
    /// Reports a broken rule. The list is cut: a bug in one place can break thousands of edges.
    fn broken(&mut self, rule: u8, text: impl FnOnce() -> String) {
        if self.found.len() < 100 {
            self.found.push(Violation { rule, text: text() });
        }
    }

    fn expect(&mut self, holds: bool, rule: u8, text: impl FnOnce() -> String) {
        if !holds {
            self.broken(rule, text);
        }
    }

    // ---- shape ----

    fn ranges(&mut self) {
        let cfa = self.cfa;
        let (mut node, mut edge) = (0, 0);
        for (function, automaton) in cfa.automata.iter() {
            let Some(a) = automaton else { continue };
            let follows = a.nodes.start == node && a.edges.start == edge && a.function == function;
            self.expect(follows, 1, || format!("the ranges of {function} do not follow those before"));
            (node, edge) = (a.nodes.end, a.edges.end);
            let inside = [a.entry, a.exit].iter().all(|n| a.nodes.contains(&(n.index() as u32)));
            self.expect(inside, 1, || format!("entry or exit of {function} lies outside"));
        }
        let complete = node as usize == cfa.nodes.len() && edge as usize == cfa.edges.len();
        self.expect(complete, 1, || "nodes or edges belong to no automaton".to_string());
        let functions = cfa.program.functions.len();
        self.expect(cfa.automata.len() == functions, 1, || {
            "functions and automata differ in number".to_string()
        });
        for function in [cfa.start, cfa.main] {
            let defined = cfa.automata.get(function).is_some_and(Option::is_some);
            self.expect(defined, 12, || format!("{function} has no automaton"));
        }
        let bodies = cfa.program.functions.iter().filter(|(_, f)| f.body.is_some()).count();
        self.expect(bodies == 0, 12, || format!("{bodies} functions still have a body"));
    }

    fn adjacency(&mut self) {
        let cfa = self.cfa;
        if !self.found.is_empty() {
            return;
        }
        for automaton in cfa.defined() {
            for edge in automaton.edge_ids() {
                let inside = |node: NodeId| automaton.nodes.contains(&(node.index() as u32));
                let good = inside(cfa.edges[edge].from) && inside(cfa.edges[edge].to);
                self.expect(good, 2, || format!("{edge} leads out of {}", automaton.function));
            }
        }
        let (mut left, mut entered) =
            (IdMap::with_len(cfa.edges.len(), 0), IdMap::with_len(cfa.edges.len(), 0));
        for node in cfa.nodes.ids() {
            for &edge in cfa.leaving(node) {
                left[edge] += if cfa.edges[edge].from == node { 1 } else { 2 };
            }
            for &edge in cfa.entering(node) {
                entered[edge] += if cfa.edges[edge].to == node { 1 } else { 2 };
            }
        }
        for edge in cfa.edges.ids() {
            self.expect(left[edge] == 1 && entered[edge] == 1, 3, || format!("{edge} is listed wrongly"));
        }
    }

    fn nodes(&mut self, automaton: &Automaton) {
        let cfa = self.cfa;
        let successors = |node: NodeId| -> Vec<NodeId> {
            cfa.leaving(node).iter().map(|&edge| cfa.edges[edge].to).collect()
        };
        let reached = reachable([automaton.entry], successors);
        for node in automaton.node_ids() {
            let kind = cfa.nodes[node].kind;
            let leaving = cfa.leaving(node);
            let own = cfa.nodes[node].function == automaton.function;
            self.expect(own, 1, || format!("{node} says that it belongs to {}", cfa.nodes[node].function));
            let marked = (kind == NodeKind::Entry) == (node == automaton.entry)
                && (kind == NodeKind::Exit) == (node == automaton.exit);
            self.expect(marked, 1, || format!("{node} is {kind:?}"));
            if kind == NodeKind::Entry {
                self.expect(cfa.entering(node).is_empty(), 4, || format!("an edge enters the entry {node}"));
            }
            let is_last = matches!(kind, NodeKind::Exit | NodeKind::End);
            self.expect(leaving.is_empty() == is_last, 4, || {
                format!("{} edges leave {node}, which is {kind:?}", leaving.len())
            });
            let known = reached.contains(node) || node == automaton.exit;
            self.expect(known, 5, || format!("{node} is not reachable"));
            if !is_last {
                self.expect(self.is_deterministic(leaving), 6, || {
                    format!("the edges that leave {node} do not fit")
                });
            }
        }
    }

    fn is_deterministic(&self, leaving: &[EdgeId]) -> bool {
        let op = |edge: EdgeId| &self.cfa.edges[edge].op;
        match *leaving {
            [only] => !matches!(op(only), Op::Assume { .. }),
            [yes, no] => match (op(yes), op(no)) {
                (
                    Op::Assume { condition: a, truth: true, origin: p },
                    Op::Assume { condition: b, truth: false, origin: q },
                ) => a == b && p == q,
                _ => false,
            },
            _ => false,
        }
    }

    // ---- meaning ----

    fn edge(&mut self, automaton: &Automaton, id: EdgeId, facts: &Facts) {
        let cfa = self.cfa;
        let edge = &cfa.edges[id];
        let is_return = matches!(edge.op, Op::Return { .. });
        let is_terminal = matches!(edge.op, Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. });
        let target = cfa.nodes[edge.to].kind;
        let leads_well = is_return == (edge.to == automaton.exit) && is_terminal == (target == NodeKind::End);
        if let Op::Error { kind } = edge.op
            && !kind.checks().is_empty()
        {
            let mut before = cfa.entering(edge.from).iter().map(|&before| &cfa.edges[before].op);
            let is_branch =
                |op: &Op| matches!(op, Op::Assume { truth: true, origin: AssumeOrigin::Check, .. });
            let is_stated = kind.is_checked_by(cfa.checks) && before.all(is_branch);
            self.expect(is_stated, 13, || format!("{id} is the error {kind:?} without its check"));
        }
        self.expect(leads_well, 7, || format!("{id} ({:?}) leads to {target:?}", edge.op));

        let mut at = Operands { check: self, facts, function: automaton.function, edge: id };
        match &edge.op {
            Op::Skip | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assign { place, value } => {
                let (to, from) = (at.place(*place), at.expr(*value));
                at.same(to, from, "value");
            }
            Op::Assume { condition, .. } => at.condition(*condition),
            Op::Declare { var } | Op::Dead { var } => at.frame_variable(*var),
            Op::Zero { place } | Op::Havoc { place, .. } => {
                at.place(*place);
            }
            Op::Call { result, callee, args } => at.call(*result, *callee, args),
            Op::Library { result, model, callee, args } => {
                let result = result.map(|place| at.place(place));
                let args: Vec<TypeId> = args.iter().map(|&arg| at.expr(arg)).collect();
                let fits = model.fits(&cfa.program.types, result, &args);
                at.expect(fits, 11, || format!("arguments do not fit {model:?}"));
                at.has_automaton(*callee, false);
            }
            Op::External { result, callee, args } => {
                args.iter().for_each(|&arg| {
                    at.expr(arg);
                });
                at.has_automaton(*callee, false);
                if let Some(place) = result {
                    let ty = at.place(*place);
                    let function = cfa.program.types.function_type(cfa.program.functions[*callee].ty);
                    function.into_iter().for_each(|function| at.same(ty, function.result, "result"));
                }
            }
            Op::Return { value } => {
                if let Some(value) = value {
                    let ty = at.expr(*value);
                    match cfa.program.functions[automaton.function].result {
                        Some(result) => at.same(cfa.program.vars[result].ty, ty, "returned value"),
                        None => at.expect(false, 10, || "value returned from a void function".to_string()),
                    }
                }
            }
        }
    }
}

/// The check of one edge's operands.
struct Operands<'a, 'b> {
    check: &'b mut Check<'a>,
    facts: &'b Facts,
    function: FuncId,
    edge: EdgeId,
}

impl Operands<'_, '_> {
    fn expect(&mut self, holds: bool, rule: u8, text: impl FnOnce() -> String) {
        let edge = self.edge;
        self.check.expect(holds, rule, || format!("{edge}: {}", text()));
    }

    fn expr(&mut self, id: ExprId) -> TypeId {
        let facts = self.facts;
        if let Some(problem) = facts.expr_problem(id) {
            self.expect(false, 8, || problem.to_string());
        }
        self.owned(facts.expr_frame(id));
        self.check.cfa.program.exprs.type_of(id)
    }

    fn place(&mut self, id: PlaceId) -> TypeId {
        let facts = self.facts;
        if let Some(problem) = facts.place_problem(id) {
            self.expect(false, 8, || problem.to_string());
        }
        self.owned(facts.place_frame(id));
        self.check.cfa.program.exprs.place(id).ty
    }

    fn owned(&mut self, frame: Frame) {
        let own = frame == Frame::Static || frame == Frame::Of(self.function);
        self.expect(own, 9, || "a variable of another function is used".to_string());
    }

    fn frame_variable(&mut self, var: VarId) {
        let own = self.check.cfa.program.vars[var].kind.frame() == Some(self.function);
        self.expect(own, 10, || format!("{var} is no variable of the frame"));
    }

    /// Equal types, or records that different files declare alike.
    fn same(&mut self, to: TypeId, from: TypeId, what: &str) {
        let program = &self.check.cfa.program;
        let types = &program.types;
        let copies = types.is_scalar(to) || types.record_of(to).is_some();
        let holds = copies && (to == from || types.record_of(to).is_some() && types.compatible(to, from));
        self.expect(holds, 10, || {
            let text = |ty| types.declare(ty, "", &program.names);
            format!("the {what} has type `{}` where `{}` is wanted", text(from), text(to))
        });
    }

    fn condition(&mut self, condition: ExprId) {
        let ty = self.expr(condition);
        let program = &self.check.cfa.program;
        let is_truth = match program.exprs.expr(condition).kind {
            ExprKind::Binary(op, ..) => op.is_comparison(),
            ExprKind::Int(_) => true,
            _ => false,
        };
        self.expect(is_truth && ty == program.types.int, 10, || "no condition".to_string());
    }

    fn has_automaton(&mut self, callee: FuncId, wanted: bool) {
        let has = self.check.cfa.automata.get(callee).is_some_and(Option::is_some);
        self.expect(has == wanted, 11, || format!("{callee} has an automaton: {has}"));
    }

    fn call(&mut self, result: Option<PlaceId>, callee: FuncId, args: &[ExprId]) {
        self.has_automaton(callee, true);
        let program = &self.check.cfa.program;
        let function = &program.functions[callee];
        let is_variadic = program.types.function_type(function.ty).is_some_and(|ty| ty.is_variadic);
        let (params, count) = (&function.params, args.len());
        let enough = if is_variadic { count >= params.len() } else { count == params.len() };
        self.expect(enough, 10, || format!("{count} arguments for {} parameters", params.len()));
        for (i, &arg) in args.iter().enumerate() {
            let ty = self.expr(arg);
            if let Some(&param) = params.get(i) {
                self.same(program.vars[param].ty, ty, "argument");
            }
        }
        if let Some(place) = result {
            let ty = self.place(place);
            match function.result {
                Some(var) => self.same(ty, program.vars[var].ty, "result"),
                None => self.expect(false, 10, || "result of a void function".to_string()),
            }
        }
    }
}
