//! Loops: endless, left by `goto`; `continue` goes to a label before the next round.

use super::{Lowered, Sema};
use crate::tree::{BranchOrigin, LabelId, StmtKind};
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    /// Emits `loop { parts(self) }` with targets for `break` and `continue`.
    fn endless(
        &mut self,
        span: Span,
        parts: impl FnOnce(&mut Self, LabelId, LabelId) -> Lowered<()>,
    ) -> Lowered<()> {
        let (end, next) = (self.new_label(None, span), self.new_label(None, span));
        self.note_label(end);
        self.note_label(next);
        if let Some(context) = &mut self.function {
            context.breaks.push(end);
            context.continues.push(next);
        }
        let (result, body) = self.collect(|s| parts(s, end, next));
        if let Some(context) = &mut self.function {
            context.breaks.pop();
            context.continues.pop();
        }
        self.emit(span, StmtKind::Loop(body));
        self.emit(span, StmtKind::Label(end));
        result
    }

    fn loop_condition(&mut self, condition: ast::ExprId, end: LabelId, span: Span) -> Lowered<()> {
        let go_on = self.new_label(None, span);
        let result = self.branch_to(condition, go_on, end, BranchOrigin::Loop);
        self.emit(span, StmtKind::Label(go_on));
        result
    }

    pub(crate) fn while_loop(
        &mut self,
        condition: ast::ExprId,
        body: ast::StmtId,
        span: Span,
    ) -> Lowered<()> {
        self.endless(span, |s, end, next| {
            let result = s.loop_condition(condition, end, span);
            s.statement(body);
            s.emit(span, StmtKind::Label(next));
            result
        })
    }

    pub(crate) fn do_loop(&mut self, body: ast::StmtId, condition: ast::ExprId, span: Span) -> Lowered<()> {
        self.endless(span, |s, end, next| {
            s.statement(body);
            s.emit(span, StmtKind::Label(next));
            s.loop_condition(condition, end, span)
        })
    }

    pub(crate) fn for_loop(
        &mut self,
        init: Option<ast::StmtId>,
        condition: Option<ast::ExprId>,
        step: Option<ast::ExprId>,
        body: ast::StmtId,
        span: Span,
    ) -> Lowered<()> {
        let (result, inner) = self.collect(|s| {
            s.in_scope(span, |s| {
                if let Some(init) = init {
                    s.statement(init);
                }
                s.endless(span, |s, end, next| {
                    let result = match condition {
                        Some(condition) => s.loop_condition(condition, end, span),
                        None => Ok(()),
                    };
                    s.statement(body);
                    s.emit(span, StmtKind::Label(next));
                    if let Some(step) = step {
                        s.discard(step);
                    }
                    result
                })
            })
        });
        self.block(inner, span);
        result
    }
}
