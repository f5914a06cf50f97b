//! From one function body to nodes and edges.
//!
//! Statements are walked with an explicit stack, since generated code nests `else if` deeper than the host's
//! stack allows. Gotos become edges at the end, when the blocks of their labels are known. A `Dead` edge
//! stands where the lifetime of a variable ends, if a pointer may outlive it: its address is taken, or it is
//! an aggregate. A return ends all lifetimes of the frame and needs no such edges.

use super::Context;
use super::draft::Draft;
use super::kept_address::refuse_kept_addresses;
use super::scopes::{Position, Scopes};
use crate::cfa::{AssumeOrigin, HavocSource, NodeId, NodeKind, Op};
use summa_base::{IdMap, IdSet};
use summa_c::Span;
use summa_c::tree::{
    BinaryOp, Body, Expr, ExprId, ExprKind, FuncId, LabelId, PlaceId, Stmt, StmtKind, VarId, VarKind,
    Variable,
};
use summa_c::types::{Type, TypeId};

pub(super) fn build(context: &mut Context, function: FuncId, body: &Body, is_main: bool) -> Draft {
    let start = context.program.functions[function].span;
    let mut builder = FunctionBuilder::new(context, function, Draft::new(start, body.end));
    builder.labels = IdMap::with_len(body.labels.len(), None);
    builder.statements(body);
    builder.fall_off_the_end(body.end, is_main);
    builder.patch_gotos();
    refuse_kept_addresses(&mut builder.draft, &builder.context.program, &builder.errno_pointers);
    builder.draft
}

pub(super) struct FunctionBuilder<'a> {
    pub context: &'a mut Context,
    pub function: FuncId,
    pub draft: Draft,
    /// Where the next edge leaves. After a jump: a node that nothing enters.
    pub current: NodeId,
    scopes: Scopes,
    labels: IdMap<LabelId, Option<(NodeId, Position)>>,
    gotos: Vec<Goto>,
    /// Variables that hold the address of `errno`.
    pub errno_pointers: IdSet<VarId>,
}

struct Goto {
    from: NodeId,
    position: Position,
    label: LabelId,
    span: Span,
}

/// Statements still to be walked, and what to do when a list ends.
enum Work<'a> {
    List(std::slice::Iter<'a, Stmt>),
    EndBlock(Span),
    /// The `then` part ends; the other part follows.
    Else {
        otherwise: &'a [Stmt],
        entry: NodeId,
        join: NodeId,
        span: Span,
    },
    /// Control continues at the node.
    Join(NodeId, Span),
    /// The body of a loop ends.
    Repeat(NodeId, Position, Span),
}

impl<'a> FunctionBuilder<'a> {
    pub(super) fn new(context: &'a mut Context, function: FuncId, draft: Draft) -> Self {
        let current = draft.entry;
        let labels = IdMap::new(None);
        Self {
            context,
            function,
            draft,
            current,
            scopes: Scopes::new(),
            labels,
            gotos: Vec::new(),
            errno_pointers: IdSet::new(),
        }
    }

    fn statements(&mut self, body: &Body) {
        let mut work = vec![Work::List(body.stmts.iter())];
        while let Some(top) = work.last_mut() {
            if let Work::List(list) = top
                && let Some(stmt) = list.next()
            {
                self.statement(stmt, body, &mut work);
                continue;
            }
            match work.pop() {
                Some(Work::EndBlock(span)) => {
                    let ended = self.scopes.leave();
                    self.end_lifetimes(&ended, span);
                }
                Some(Work::Else { otherwise, entry, join, span }) => {
                    self.jump(join, span);
                    self.current = entry;
                    work.push(Work::Join(join, span));
                    work.push(Work::List(otherwise.iter()));
                }
                Some(Work::Join(join, span)) => {
                    self.jump(join, span);
                    self.current = join;
                }
                Some(Work::Repeat(head, start, span)) => {
                    self.scopes.repeat(start);
                    self.jump(head, span);
                    self.current = self.draft.node(NodeKind::Plain, span);
                }
                Some(Work::List(_)) | None => {}
            }
        }
    }

    fn statement<'s>(&mut self, stmt: &'s Stmt, body: &Body, work: &mut Vec<Work<'s>>) {
        let span = stmt.span;
        match &stmt.kind {
            StmtKind::Declare(var) => {
                self.scopes.declare(*var);
                self.step(Op::Declare { var: *var }, span);
            }
            // A write to a register has no visible effect.
            StmtKind::Assign(place, value) if self.is_register(*place) => self.evaluate(&[*value], span),
            StmtKind::Assign(place, value) => self.step(Op::Assign { place: *place, value: *value }, span),
            StmtKind::ReadVolatile { into, place } => self.read_volatile(*into, *place, span),
            StmtKind::Zero(place) => self.step(Op::Zero { place: *place }, span),
            StmtKind::Havoc(place, _) => {
                self.step(Op::Havoc { place: *place, source: HavocSource::Assembly }, span)
            }
            StmtKind::Call(call) => self.call(call, span),
            StmtKind::If { condition, then, otherwise, origin } => {
                let origin = AssumeOrigin::Branch(*origin);
                let Some((yes, no)) = self.branch(*condition, origin, span) else {
                    return;
                };
                let join = self.draft.node(NodeKind::Plain, span);
                self.current = yes;
                work.push(Work::Else { otherwise, entry: no, join, span });
                work.push(Work::List(then.iter()));
            }
            StmtKind::Loop(inner) => {
                let head = self.draft.node(NodeKind::LoopHead, span);
                self.jump(head, span);
                self.current = head;
                work.push(Work::Repeat(head, self.scopes.here(), span));
                work.push(Work::List(inner.iter()));
            }
            StmtKind::Block(inner) => {
                self.scopes.enter();
                work.push(Work::EndBlock(span));
                work.push(Work::List(inner.iter()));
            }
            StmtKind::Label(label) => {
                let (kind, span) = match body.labels.get(*label) {
                    Some(l) if l.name.is_some() => (NodeKind::Label(*label), l.span),
                    Some(l) => (NodeKind::Plain, l.span),
                    None => (NodeKind::Plain, span),
                };
                let node = self.draft.node(kind, span);
                self.jump(node, span);
                self.current = node;
                self.labels[*label] = Some((node, self.scopes.here()));
            }
            StmtKind::Goto(label) => {
                let position = self.scopes.here();
                if let Some((_, earlier)) = self.labels[*label] {
                    self.scopes.repeat(earlier);
                }
                self.gotos.push(Goto { from: self.current, position, label: *label, span });
                self.current = self.draft.node(NodeKind::Plain, span);
            }
            StmtKind::Return(value) => self.return_value(*value, span),
            StmtKind::Unsupported(what) => self.unsupported(what.clone(), span),
        }
    }

    /// The closing brace: `main` returns 0 (5.1.2.2.3); the result of any other function is indeterminate.
    fn fall_off_the_end(&mut self, end: Span, is_main: bool) {
        let result = self.context.program.functions[self.function].result;
        let ty = result.map(|var| self.context.program.vars[var].ty);
        let zero = match ty {
            Some(ty) if is_main && self.context.program.types.is_integer(ty) => Some(self.int(ty, 0)),
            _ => None,
        };
        self.return_value(zero, end);
    }

    fn return_value(&mut self, value: Option<ExprId>, span: Span) {
        self.draft.edge(self.current, self.draft.exit, Op::Return { value }, span);
        self.current = self.draft.node(NodeKind::Plain, span);
    }

    fn patch_gotos(&mut self) {
        self.scopes.complete();
        for goto in std::mem::take(&mut self.gotos) {
            self.current = goto.from;
            let Some((node, position)) = self.labels[goto.label] else {
                self.unsupported("jump to a label that is not defined".to_string(), goto.span);
                continue;
            };
            let (ended, begun) = self.scopes.jump(goto.position, position);
            self.end_lifetimes(&ended, goto.span);
            for var in begun {
                self.step(Op::Declare { var }, goto.span);
            }
            self.jump(node, goto.span);
        }
    }

    fn end_lifetimes(&mut self, vars: &[VarId], span: Span) {
        for &var in vars {
            let ty = self.context.program.vars[var].ty;
            if self.context.addressed.contains(var) || self.context.program.types.is_aggregate(ty) {
                self.step(Op::Dead { var }, span);
            }
        }
    }

    // ---- edges, shared with `calls` and `start` ----

    /// An edge to a new node, where control continues.
    pub(super) fn step(&mut self, op: Op, span: Span) {
        let to = self.draft.node(NodeKind::Plain, span);
        self.draft.edge(self.current, to, op, span);
        self.current = to;
    }

    pub(super) fn jump(&mut self, to: NodeId, span: Span) {
        self.draft.edge(self.current, to, Op::Skip, span);
    }

    /// The last edge of a run.
    pub(super) fn stop(&mut self, op: Op, span: Span) {
        self.draft.terminal(self.current, op, span);
        self.current = self.draft.node(NodeKind::Plain, span);
    }

    pub(super) fn unsupported(&mut self, what: String, span: Span) {
        self.stop(Op::Unsupported { what: what.into() }, span);
    }

    /// Two new nodes: where `condition` holds and where it does not. None (and control has ended) if it is no
    /// scalar.
    pub(super) fn branch(
        &mut self,
        condition: ExprId,
        origin: AssumeOrigin,
        span: Span,
    ) -> Option<(NodeId, NodeId)> {
        let Some(condition) = self.truth(condition) else {
            self.unsupported("branch on a value that is not a scalar".to_string(), span);
            return None;
        };
        let yes = self.draft.node(NodeKind::Plain, span);
        let no = self.draft.node(NodeKind::Plain, span);
        self.draft.edge(self.current, yes, Op::Assume { condition, truth: true, origin }, span);
        self.draft.edge(self.current, no, Op::Assume { condition, truth: false, origin }, span);
        Some((yes, no))
    }

    // ---- expressions ----

    pub(super) fn int(&mut self, ty: TypeId, value: i128) -> ExprId {
        let program = &mut self.context.program;
        program.exprs.int(&program.types, ty, value)
    }

    /// A condition as edges want it: an `int` comparison or constant that is non-zero iff `expr` is.
    fn truth(&mut self, expr: ExprId) -> Option<ExprId> {
        let program = &mut self.context.program;
        let int = program.types.int;
        let mut inner = expr;
        loop {
            let Expr { kind, ty } = program.exprs.expr(inner);
            match kind {
                ExprKind::Binary(op, ..) if op.is_comparison() => return Some(inner),
                ExprKind::Int(_) if inner == expr && ty == int => return Some(inner),
                // A comparison is 0 or 1, and every arithmetic type has both.
                ExprKind::Cast(operand) if program.types.is_arithmetic(ty) => inner = operand,
                _ => break,
            }
        }
        let ty = program.exprs.type_of(expr);
        let zero = match program.types.get(ty) {
            Type::Int(_) | Type::Pointer(_) => program.exprs.int(&program.types, ty, 0),
            Type::Float(_) => program.exprs.intern(ExprKind::Float(0), ty),
            Type::Void | Type::Array(..) | Type::Function(_) | Type::Record(_) => return None,
        };
        Some(program.exprs.intern(ExprKind::Binary(BinaryOp::Ne, expr, zero), int))
    }

    /// A new variable of this frame.
    pub(super) fn temp(&mut self, name: &str, ty: TypeId, span: Span) -> PlaceId {
        let program = &mut self.context.program;
        let name = program.names.intern(name);
        let var = program.vars.push(Variable::new(name, ty, VarKind::Temp(self.function), span));
        program.exprs.var(var, ty)
    }
}
