//! A small data-flow analysis before compilation: which variables are certainly written (scalars in slots) or
//! alive (objects) at each location, on every path from the entry. Where it is certain no check is compiled.

use super::Program;
use summa_base::{FxHashMap, FxHashSet, Id};
use summa_c::tree::{ExprId, ExprKind, PlaceId, PlaceKind, VarId, VarKind};
use summa_c::types::{ArrayLen, Type, TypeId};
use summa_cfa::{Automaton, EdgeId, NodeId, Op};

/// A set of the function's variables as bits.
type Row = Vec<u64>;

/// The facts that are certain at each location of a function.
pub(super) struct Facts {
    numbers: FxHashMap<VarId, usize>,
    first_node: usize,
    /// None: never reached.
    certain: Vec<Option<Row>>,
    read_unwritten: FxHashSet<VarId>,
}

impl Facts {
    /// Is there a path on which the variable is read before it is written?
    pub(super) fn may_be_read_unwritten(&self, var: VarId) -> bool {
        self.read_unwritten.contains(&var)
    }

    /// Is the variable written (or alive, if it is an object) whenever `node` is reached?
    pub(super) fn is_certain(&self, node: NodeId, var: VarId) -> bool {
        let Some(&number) = self.numbers.get(&var) else { return true };
        let row = self.certain.get(node.index() - self.first_node).and_then(Option::as_ref);
        row.is_some_and(|row| row[number / 64] >> (number % 64) & 1 == 1)
    }

    pub(super) fn compute(program: &Program<'_>, automaton: &Automaton) -> Self {
        let tree = &program.cfa.program;
        let mut numbers = FxHashMap::default();
        for &var in &program.frames[automaton.function] {
            // Parameters are written by the caller, and only the caller reads the result.
            if !matches!(tree.vars[var].kind, VarKind::Param(_) | VarKind::Return(_)) {
                let number = numbers.len();
                numbers.insert(var, number);
            }
        }
        let words = numbers.len().div_ceil(64).max(1);
        let first_node = automaton.nodes.start as usize;
        let first_edge = automaton.edges.start as usize;
        let effects: Vec<Effect> =
            automaton.edge_ids().map(|edge| Effect::of(program, &numbers, edge)).collect();

        let mut certain: Vec<Option<Row>> = vec![None; automaton.nodes.len()];
        let order: Vec<NodeId> = {
            let successors = |node: NodeId| -> Vec<NodeId> {
                program.cfa.leaving(node).iter().map(|&e| program.cfa.edge(e).to).collect()
            };
            let mut order = summa_base::graph::post_order(automaton.entry, successors);
            order.reverse();
            order
        };
        certain[automaton.entry.index() - first_node] = Some(vec![0; words]);
        let mut changed = true;
        while changed {
            changed = false;
            for &node in &order {
                let Some(row) = certain[node.index() - first_node].clone() else { continue };
                for &edge in program.cfa.leaving(node) {
                    let mut out = row.clone();
                    effects[edge.index() - first_edge].apply(&mut out);
                    let target = &mut certain[program.cfa.edge(edge).to.index() - first_node];
                    match target {
                        None => {
                            *target = Some(out);
                            changed = true;
                        }
                        Some(old) => {
                            for (old, new) in old.iter_mut().zip(&out) {
                                changed |= *old & !new != 0;
                                *old &= new;
                            }
                        }
                    }
                }
            }
        }
        let mut facts = Self { numbers, first_node, certain, read_unwritten: FxHashSet::default() };
        for edge in automaton.edge_ids() {
            let from = program.cfa.edge(edge).from;
            for &var in &effects[edge.index() - first_edge].mentioned {
                if !program.in_memory[var] && !facts.is_certain(from, var) {
                    facts.read_unwritten.insert(var);
                }
            }
        }
        facts
    }
}

/// The effect of an edge on the certainty of variables.
struct Effect {
    /// Read as scalars or used as objects.
    mentioned: Vec<VarId>,
    /// Bits that become certain; reading makes a variable certain, as an unwritten one gets a value by it.
    sets: Vec<usize>,
    clears: Option<usize>,
}

impl Effect {
    fn of(program: &Program<'_>, numbers: &FxHashMap<VarId, usize>, edge: EdgeId) -> Self {
        let mut mentioned = Vec::new();
        let mut written = None;
        let mut clears = None;
        let op = &program.cfa.edge(edge).op;
        visit_operands(program, op, |var| mentioned.push(var), |place| written = Some(place));
        let mut sets: Vec<usize> = mentioned.iter().filter_map(|var| numbers.get(var).copied()).collect();
        if let Some(place) = written
            && let PlaceKind::Var(var) = program.cfa.program.exprs.place(place).kind
        {
            sets.extend(numbers.get(&var));
        }
        match *op {
            Op::Declare { var } if program.in_memory[var] => sets.extend(numbers.get(&var)),
            Op::Declare { var } | Op::Dead { var } => clears = numbers.get(&var).copied(),
            _ => {}
        }
        mentioned.retain(|var| numbers.contains_key(var));
        Self { mentioned, sets, clears }
    }

    fn apply(&self, row: &mut Row) {
        for &bit in &self.sets {
            row[bit / 64] |= 1 << (bit % 64);
        }
        if let Some(bit) = self.clears {
            row[bit / 64] &= !(1 << (bit % 64));
        }
    }
}

/// Calls `mention` for every variable whose value or storage the edge uses, and `write` for the place it
/// assigns. A scalar that is assigned as a whole is written, not mentioned.
fn visit_operands(
    program: &Program<'_>,
    op: &Op,
    mut mention: impl FnMut(VarId),
    mut write: impl FnMut(PlaceId),
) {
    let exprs = &program.cfa.program.exprs;
    let mut stack: Vec<Item> = Vec::new();
    let mut target = |place: PlaceId, stack: &mut Vec<Item>| {
        write(place);
        match exprs.place(place).kind {
            PlaceKind::Var(var) if !program.in_memory[var] => {}
            _ => stack.push(Item::Place(place)),
        }
    };
    match op {
        Op::Assign { place, value } => {
            target(*place, &mut stack);
            stack.push(Item::Expr(*value));
        }
        Op::Assume { condition, .. } => stack.push(Item::Expr(*condition)),
        Op::Zero { place } | Op::Havoc { place, .. } => target(*place, &mut stack),
        Op::Call { result, args, .. }
        | Op::Library { result, args, .. }
        | Op::External { result, args, .. } => {
            if let Some(place) = result {
                target(*place, &mut stack);
            }
            stack.extend(args.iter().map(|&arg| Item::Expr(arg)));
        }
        Op::Return { value } => stack.extend(value.map(Item::Expr)),
        // The lengths of a variable-length array are read when it begins.
        Op::Declare { var } => stack.push(Item::Lengths(program.cfa.program.vars[*var].ty)),
        Op::Skip | Op::Dead { .. } | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
    }
    let mut seen = FxHashSet::default();
    while let Some(item) = stack.pop() {
        if !seen.insert(item) {
            continue;
        }
        match item {
            Item::Expr(id) => {
                let expr = exprs.expr(id);
                match expr.kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                    ExprKind::Load(place) | ExprKind::Addr(place) => stack.push(Item::Place(place)),
                    ExprKind::Unary(_, a) | ExprKind::Cast(a) => stack.push(Item::Expr(a)),
                    ExprKind::Binary(_, a, b) => stack.extend([Item::Expr(a), Item::Expr(b)]),
                }
                stack.push(Item::Lengths(expr.ty));
            }
            Item::Place(id) => {
                let place = exprs.place(id);
                match place.kind {
                    PlaceKind::Var(var) => mention(var),
                    PlaceKind::Deref(pointer) => stack.push(Item::Expr(pointer)),
                    PlaceKind::Field(base, _) => stack.push(Item::Place(base)),
                    PlaceKind::Index(base, index) => {
                        stack.extend([Item::Place(base), Item::Expr(index), Item::Lengths(place.ty)]);
                    }
                }
            }
            Item::Lengths(ty) => match *program.cfa.program.types.get(ty) {
                Type::Array(element, len) => {
                    if let ArrayLen::Variable(var) = len {
                        mention(var);
                    }
                    stack.push(Item::Lengths(element));
                }
                // How far a pointer to a variable-length array moves depends on its lengths.
                Type::Pointer(target) if matches!(program.cfa.program.types.get(target), Type::Array(..)) => {
                    stack.push(Item::Lengths(target));
                }
                _ => {}
            },
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Item {
    Expr(ExprId),
    Place(PlaceId),
    Lengths(TypeId),
}
