//! The order of the code: straight runs of edges fall through, branches jump; a jump back to a loop's test
//! repeats the test instead, so that a round of a simple loop executes one jump.

use super::flow::Facts;
use super::frame;
use super::place::Storage;
use super::{Program, Shows};
use crate::bytecode::{Code, Inst, MAX_STEPS, Mark, Slot};
use summa_base::{FxHashMap, FxHashSet, Id};
use summa_c::tree::{self, ExprId, ExprKind, PlaceId, VarId};
use summa_cfa::{Automaton, EdgeId, NodeId, Op};

/// The result of an expression: a slot (the first of two if wide), or a constant of at most 64 bits. A
/// record's value is the slot with its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operand {
    Slot(Slot),
    Const(u64),
}

/// Why an edge cannot be compiled: the message for the user when a run gets there.
pub(super) type Refused = String;

pub(super) struct Compiler<'p, 'a> {
    pub(super) program: &'p Program<'a>,
    pub(super) tree: &'p tree::Program,
    pub(super) code: Code,
    pub(super) facts: Facts,
    pub(super) shows: Shows,
    /// Where the current edge starts.
    pub(super) node: NodeId,
    temp_base: Slot,
    pub(super) next_temp: Slot,
    // What was computed for the current edge: shared subexpressions are computed once.
    pub(super) values: FxHashMap<ExprId, Operand>,
    pub(super) places: FxHashMap<PlaceId, Storage>,
    pub(super) pointers: FxHashMap<ExprId, Storage>,
    pub(super) checked: FxHashSet<VarId>,
    /// Edges since the last instruction that counted them.
    pub(super) pending: u32,
    starts: FxHashMap<NodeId, u32>,
    fixups: Vec<(usize, NodeId)>,
    work: Vec<NodeId>,
}

pub(super) fn compile(program: &Program<'_>, automaton: &Automaton, shows: Shows) -> Code {
    let facts = Facts::compute(program, automaton);
    let mut code = Code::default();
    let temp_base = frame::lay_out(program, automaton.function, &facts, &mut code);
    code.frame = temp_base;
    let mut compiler = Compiler {
        program,
        tree: &program.cfa.program,
        code,
        facts,
        shows,
        node: automaton.entry,
        temp_base,
        next_temp: temp_base,
        values: FxHashMap::default(),
        places: FxHashMap::default(),
        pointers: FxHashMap::default(),
        checked: FxHashSet::default(),
        pending: 0,
        starts: FxHashMap::default(),
        fixups: Vec::new(),
        work: vec![automaton.entry],
    };
    if let Some(&edge) = program.cfa.leaving(automaton.entry).first() {
        compiler.code.marks.push(Mark { pc: 0, edge, nth: 0 });
    }
    while let Some(node) = compiler.work.pop() {
        if !compiler.starts.contains_key(&node) {
            compiler.run_from(node);
        }
    }
    compiler.patch();
    compiler.code
}

impl Compiler<'_, '_> {
    // ---- instructions and temporaries ----

    pub(super) fn emit(&mut self, inst: Inst) {
        self.code.insts.push(inst);
    }

    pub(super) fn here(&self) -> u32 {
        self.code.insts.len() as u32
    }

    /// New temporary slots, valid until the edge ends.
    pub(super) fn temp(&mut self, slots: u32) -> Slot {
        let slot = self.next_temp;
        self.next_temp += slots;
        self.code.frame = self.code.frame.max(self.next_temp);
        slot
    }

    /// The edges to be counted by the next counting instruction.
    pub(super) fn take_steps(&mut self) -> u16 {
        if self.pending > MAX_STEPS {
            self.flush_steps();
        }
        std::mem::take(&mut self.pending) as u16
    }

    fn flush_steps(&mut self) {
        let steps = std::mem::take(&mut self.pending);
        if steps > 0 {
            self.emit(Inst::Count { steps });
        }
    }

    fn begin_edge(&mut self, edge: EdgeId) {
        self.node = self.program.cfa.edge(edge).from;
        self.next_temp = self.temp_base;
        self.values.clear();
        self.places.clear();
        self.pointers.clear();
        self.checked.clear();
        if !self.shows_edges() {
            self.pending += 1;
        }
        let mark = Mark { pc: self.here(), edge, nth: self.pending };
        self.code.marks.push(mark);
    }

    fn shows_edges(&self) -> bool {
        self.shows == Shows::Edges
    }

    fn is_behind_branch(&self, node: NodeId) -> bool {
        let cfa = self.program.cfa;
        cfa.entering(node).iter().any(|&edge| matches!(cfa.edge(edge).op, Op::Assume { .. }))
    }

    // ---- runs of edges ----

    /// Emits the edges from `node` on until the run ends or meets code that is already there.
    fn run_from(&mut self, mut node: NodeId) {
        loop {
            let leaving = self.program.cfa.leaving(node);
            if self.starts.contains_key(&node) {
                match *leaving {
                    [a, b] if !self.shows_edges() && self.is_simple_test(a) => self.branch(a, b),
                    _ => self.jump(node),
                }
                return;
            }
            if self.program.cfa.entering(node).len() > 1 {
                self.flush_steps();
            }
            self.starts.insert(node, self.here());
            if self.shows == Shows::Coverage && self.is_behind_branch(node) {
                self.emit(Inst::Cover { node });
            }
            match *leaving {
                [] => {
                    // Only the exit and end nodes have no way on, and their edges have stopped the run
                    // already.
                    self.unsupported("a location without a way on".into());
                    return;
                }
                [edge] => {
                    self.begin_edge(edge);
                    if self.straight_edge(edge) {
                        return;
                    }
                    node = self.program.cfa.edge(edge).to;
                }
                [a, b] => {
                    self.branch(a, b);
                    return;
                }
                _ => {
                    self.unsupported("a location with more than two ways on".into());
                    return;
                }
            }
        }
    }

    /// One edge that is not an assumption. True: the run ends with it.
    fn straight_edge(&mut self, edge: EdgeId) -> bool {
        if self.shows_edges() {
            self.emit(Inst::Before { edge });
        }
        let from = self.code.insts.len();
        let ends = match self.operation(edge) {
            Ok(ends) => ends,
            Err(what) => {
                self.code.insts.truncate(from);
                self.unsupported(what);
                true
            }
        };
        if ends {
            self.pending = 0;
        } else if self.shows_edges() {
            self.emit(Inst::After { edge });
        }
        ends
    }

    pub(super) fn unsupported(&mut self, what: Refused) {
        let text = self.code.texts.len() as u32;
        self.code.texts.push(what);
        self.emit(Inst::Unsupported { text });
        self.pending = 0;
    }

    fn jump(&mut self, to: NodeId) {
        let steps = self.take_steps();
        self.fixups.push((self.code.insts.len(), to));
        self.emit(Inst::Jump { steps, target: 0 });
        if !self.starts.contains_key(&to) {
            self.work.push(to);
        }
    }

    /// A comparison of variables and constants: cheap enough to be there twice.
    fn is_simple_test(&self, edge: EdgeId) -> bool {
        let Op::Assume { condition, .. } = self.program.cfa.edge(edge).op else { return false };
        let is_leaf = |id: ExprId| match self.tree.exprs.expr(id).kind {
            ExprKind::Int(_) => true,
            ExprKind::Load(place) => matches!(self.tree.exprs.place(place).kind, tree::PlaceKind::Var(_)),
            _ => false,
        };
        match self.tree.exprs.expr(condition).kind {
            ExprKind::Binary(op, a, b) => op.is_comparison() && is_leaf(a) && is_leaf(b),
            _ => false,
        }
    }

    /// The two assumptions of a location: falls through to where the condition holds.
    fn branch(&mut self, a: EdgeId, b: EdgeId) {
        let cfa = self.program.cfa;
        let truth_of = |edge: EdgeId| match cfa.edge(edge).op {
            Op::Assume { condition, truth, .. } => Some((condition, truth)),
            _ => None,
        };
        let (Some((condition, first)), Some((other, second))) = (truth_of(a), truth_of(b)) else {
            self.unsupported("a location with two ways on that are not assumptions".into());
            return;
        };
        if condition != other || first == second {
            self.unsupported("assumptions that are not complements".into());
            return;
        }
        let (holds, fails) = if first { (a, b) } else { (b, a) };
        self.begin_edge(holds);
        let from = self.code.insts.len();
        let (then, otherwise) = (cfa.edge(holds).to, cfa.edge(fails).to);
        // Where the code for `then` is already there (a loop's test at its end), jump there and fall out of
        // the loop.
        let to_then = self.starts.contains_key(&then) && !self.shows_edges();
        match self.conditional_jump(condition, to_then) {
            Err(what) => {
                self.code.insts.truncate(from);
                self.unsupported(what);
            }
            Ok(jump) if self.shows_edges() => {
                self.observe_assumption(holds, then);
                if let Some(jump) = jump {
                    let here = self.here();
                    self.set_target(jump, here);
                    self.observe_assumption(fails, otherwise);
                }
            }
            // A constant that always holds here: no jump, fall through.
            Ok(None) => self.continue_at(if to_then { otherwise } else { then }),
            Ok(Some(jump)) => {
                let (near, far) = if to_then { (otherwise, then) } else { (then, otherwise) };
                self.fixups.push((jump, far));
                if !self.starts.contains_key(&far) {
                    self.work.push(far);
                }
                self.continue_at(near);
            }
        }
    }

    fn observe_assumption(&mut self, edge: EdgeId, to: NodeId) {
        let mark = Mark { pc: self.here(), edge, nth: 0 };
        self.code.marks.push(mark);
        self.emit(Inst::Before { edge });
        self.emit(Inst::After { edge });
        self.jump(to);
    }

    /// Continues at `node`: emits it here, or a jump if it was emitted before.
    fn continue_at(&mut self, node: NodeId) {
        if self.starts.contains_key(&node) {
            self.jump(node);
        } else {
            // The next node taken from the stack is emitted right here.
            self.work.push(node);
        }
    }

    fn set_target(&mut self, at: usize, to: u32) {
        use Inst::*;
        match &mut self.code.insts[at] {
            Jump { target, .. }
            | JumpEq { target, .. }
            | JumpNe { target, .. }
            | JumpLtS { target, .. }
            | JumpLeS { target, .. }
            | JumpLtU { target, .. }
            | JumpLeU { target, .. }
            | JumpEqI { target, .. }
            | JumpNeI { target, .. }
            | JumpLtI { target, .. }
            | JumpLeI { target, .. }
            | JumpGtI { target, .. }
            | JumpGeI { target, .. } => *target = to,
            other => unreachable!("not a jump: {other:?}"),
        }
    }

    fn patch(&mut self) {
        for (at, node) in std::mem::take(&mut self.fixups) {
            let target = self.starts.get(&node).copied();
            // Every node that is jumped to was put on the work list.
            self.set_target(
                at,
                target.unwrap_or_else(|| unreachable!("no code for {node} ({})", node.index())),
            );
        }
    }
}
