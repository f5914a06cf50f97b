//! Doomed branches: an execution that passes one can only reach an error.
//!
//! From the branch on, the execution is followed as long as the program alone decides where it goes:
//! constants that were assigned on the way decide conditions, and calls are entered. If that ends in an error
//! that counts, the branch is doomed. This covers assertions that are functions of the program: `check(0)` is
//! followed into `check`.

use summa_base::{FxHashMap, FxHashSet};
use summa_c::arith;
use summa_c::tree::{ExprId, ExprKind, FuncId, PlaceId, PlaceKind, Program, VarId};
use summa_cfa::{Cfa, EdgeId, ErrorKind, NodeId, Op};
use summa_facts::call_graph::CallGraph;

/// The most edges that are followed.
const FAR: usize = 200;
/// Expressions that are nested deeper are not the conditions of assertions.
pub(super) const DEEP: u32 = 50;

/// Functions for which one argument that is zero means an error.
pub(super) struct AssertLike {
    arguments: FxHashMap<FuncId, usize>,
}

impl AssertLike {
    pub(super) fn find(cfa: &Cfa, calls: &CallGraph, counts: &dyn Fn(ErrorKind) -> bool) -> Self {
        let mut arguments = FxHashMap::default();
        for automaton in cfa.defined().filter(|automaton| calls.reachable.contains(automaton.function)) {
            let params = &cfa.program.functions[automaton.function].params;
            let is_truth = |&(_, &param): &(usize, &VarId)| {
                let mut walk = Walk::new(cfa, automaton.entry);
                walk.is_candidate(param) && {
                    walk.known.insert(param, 0);
                    walk.walk_to_error(counts).is_some()
                }
            };
            if let Some((number, _)) = params.iter().enumerate().find(is_truth) {
                arguments.insert(automaton.function, number);
            }
        }
        Self { arguments }
    }

    pub(super) fn argument(&self, callee: FuncId) -> Option<usize> {
        self.arguments.get(&callee).copied()
    }
}

/// The edges that an execution passes after this edge, if it then must reach an error that counts.
pub(super) fn doom(cfa: &Cfa, edge: EdgeId, counts: &dyn Fn(ErrorKind) -> bool) -> Option<Vec<EdgeId>> {
    Walk::new(cfa, cfa.edges[edge].to).walk_to_error(counts)
}

/// A run that nothing but the program decides.
struct Walk<'c> {
    cfa: &'c Cfa,
    node: NodeId,
    /// The call edges that have been entered.
    calls: Vec<EdgeId>,
    /// Functions that are active: none is entered twice, so that every variable has one value.
    active: FxHashSet<FuncId>,
    known: FxHashMap<VarId, i128>,
}

impl<'c> Walk<'c> {
    fn new(cfa: &'c Cfa, node: NodeId) -> Self {
        let active = std::iter::once(cfa.nodes[node].function).collect();
        Self { cfa, node, calls: Vec::new(), active, known: FxHashMap::default() }
    }

    fn walk_to_error(mut self, counts: &dyn Fn(ErrorKind) -> bool) -> Option<Vec<EdgeId>> {
        let mut passed = Vec::new();
        for _ in 0..FAR {
            let cfa = self.cfa;
            let edge = match *cfa.leaving(self.node) {
                // The end of a function.
                [] => {
                    self.end_call()?;
                    continue;
                }
                [only] => only,
                [yes, no, ..] => {
                    let Op::Assume { condition, .. } = cfa.edges[yes].op else { return None };
                    if self.value(condition)? != 0 { yes } else { no }
                }
            };
            passed.push(edge);
            if let Op::Error { kind } = cfa.edges[edge].op {
                return counts(kind).then_some(passed);
            }
            self.pass(edge)?;
        }
        None
    }

    /// Passes an edge; None if the walk cannot go on.
    fn pass(&mut self, edge: EdgeId) -> Option<()> {
        let cfa = self.cfa;
        self.node = cfa.edges[edge].to;
        match &cfa.edges[edge].op {
            Op::Skip | Op::Assume { .. } => {}
            Op::Assign { place, value } => {
                let value = self.value(*value);
                self.set(*place, value);
            }
            Op::Zero { place } => self.set(*place, Some(0)),
            Op::Havoc { place, .. } => self.set(*place, None),
            Op::Declare { var } | Op::Dead { var } => {
                self.known.remove(var);
            }
            Op::Call { callee, args, .. } => {
                let automaton = cfa.automaton(*callee)?;
                if !self.active.insert(*callee) {
                    return None;
                }
                let params = &cfa.program.functions[*callee].params;
                let values: Vec<Option<i128>> = args.iter().map(|&arg| self.value(arg)).collect();
                for (&param, value) in params.iter().zip(values) {
                    self.set_variable(param, value);
                }
                self.calls.push(edge);
                self.node = automaton.entry;
            }
            Op::Return { value } => {
                let value = value.and_then(|value| self.value(value));
                let result = cfa.program.functions[cfa.nodes[self.node].function].result;
                result.into_iter().for_each(|result| self.set_variable(result, value));
            }
            Op::Library { .. }
            | Op::External { .. }
            | Op::Error { .. }
            | Op::Halt { .. }
            | Op::Unsupported { .. } => return None,
        }
        Some(())
    }

    /// Goes back to the caller.
    fn end_call(&mut self) -> Option<()> {
        let cfa = self.cfa;
        let call = &cfa.edges[self.calls.pop()?];
        let Op::Call { result, callee, .. } = &call.op else { return None };
        self.active.remove(callee);
        if let Some(place) = result {
            let value = cfa.program.functions[*callee].result.and_then(|var| self.known.get(&var).copied());
            self.set(*place, value);
        }
        self.node = call.to;
        Some(())
    }

    fn set(&mut self, place: PlaceId, value: Option<i128>) {
        match self.cfa.program.exprs.place(place).kind {
            PlaceKind::Var(var) => self.set_variable(var, value),
            // An element or member: aggregates are not followed.
            PlaceKind::Index(..) | PlaceKind::Field(..) if self.cfa.program.exprs.root(place).is_some() => {}
            // Any variable, as far as is known here.
            PlaceKind::Deref(_) | PlaceKind::Index(..) | PlaceKind::Field(..) => self.known.clear(),
        }
    }

    fn set_variable(&mut self, var: VarId, value: Option<i128>) {
        match value.filter(|_| self.is_candidate(var)) {
            Some(value) => self.known.insert(var, value),
            None => self.known.remove(&var),
        };
    }

    fn is_candidate(&self, var: VarId) -> bool {
        let variable = &self.cfa.program.vars[var];
        self.cfa.program.types.is_integer(variable.ty) && !variable.is_volatile
    }

    /// The value of an expression over variables that are known.
    fn value(&self, value: ExprId) -> Option<i128> {
        evaluate(&self.cfa.program, value, &|var| self.known.get(&var).copied(), DEEP)
    }
}

/// The value of an integer expression that is not nested too deeply, given those of its variables.
pub(super) fn evaluate(
    program: &Program,
    value: ExprId,
    known: &dyn Fn(VarId) -> Option<i128>,
    depth: u32,
) -> Option<i128> {
    let (exprs, types) = (&program.exprs, &program.types);
    let depth = depth.checked_sub(1)?;
    let expr = exprs.expr(value);
    match expr.kind {
        ExprKind::Int(number) => Some(number),
        ExprKind::Load(place) => match exprs.place(place).kind {
            PlaceKind::Var(var) => known(var),
            PlaceKind::Deref(_) | PlaceKind::Field(..) | PlaceKind::Index(..) => None,
        },
        ExprKind::Cast(inner) => {
            let number = evaluate(program, inner, known, depth)?;
            (types.is_integer(exprs.type_of(inner)) && types.is_integer(expr.ty))
                .then(|| arith::wrap(types, expr.ty, number))
        }
        ExprKind::Unary(op, a) => {
            let (width, signed) = arith::shape(types, expr.ty)?;
            arith::unary(op, width, signed, evaluate(program, a, known, depth)?).exact()
        }
        ExprKind::Binary(op, a, b) => {
            let (width, signed) = arith::shape(types, exprs.type_of(a))?;
            let operands = (evaluate(program, a, known, depth)?, evaluate(program, b, known, depth)?);
            arith::binary(op, width, signed, operands.0, operands.1)?.exact()
        }
        ExprKind::Float(_) | ExprKind::Addr(_) | ExprKind::Function(_) => None,
    }
}
