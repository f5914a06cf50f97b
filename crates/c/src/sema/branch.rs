//! Conditions as control flow: `&&`, `||`, `!` and `?:` become branches between labels.

use super::convert::Operand;
use super::{Lowered, Sema, Stop};
use crate::tree::{BranchOrigin, ExprId, LabelId, Stmt, StmtKind};
use crate::types::TypeId;
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    /// Emits control flow that goes to `yes` if the condition holds and to `no` otherwise. If the condition
    /// is constant, no jump is emitted: the answer is returned, and the caller continues accordingly.
    pub(crate) fn branch(
        &mut self,
        condition: ast::ExprId,
        yes: LabelId,
        no: LabelId,
        origin: BranchOrigin,
    ) -> Lowered<Option<bool>> {
        self.nested(self.span_of(condition), |s| s.branch_here(condition, yes, no, origin))
    }

    fn branch_here(
        &mut self,
        condition: ast::ExprId,
        yes: LabelId,
        no: LabelId,
        origin: BranchOrigin,
    ) -> Lowered<Option<bool>> {
        use ast::ExprKind::*;
        let ast = self.ast;
        let ast::Expr { kind, span } = &ast.exprs[condition];
        let span = *span;
        match kind {
            Binary(op @ (ast::BinaryOp::LogicalAnd | ast::BinaryOp::LogicalOr), left, right) => {
                let is_and = *op == ast::BinaryOp::LogicalAnd;
                let next = self.new_label(None, span);
                let (on_yes, on_no) = if is_and { (next, no) } else { (yes, next) };
                match self.branch(*left, on_yes, on_no, BranchOrigin::Logical)? {
                    // `0 && x` and `1 || x`: the right side is never evaluated.
                    Some(value) if value != is_and => Ok(Some(value)),
                    Some(_) => self.branch(*right, yes, no, origin),
                    None => {
                        self.emit(span, StmtKind::Label(next));
                        if let Some(value) = self.branch(*right, yes, no, origin)? {
                            self.emit(span, StmtKind::Goto(if value { yes } else { no }));
                        }
                        Ok(None)
                    }
                }
            }
            Unary(ast::UnaryOp::Not, operand) => {
                Ok(self.branch(*operand, no, yes, origin)?.map(|value| !value))
            }
            Comma(first, second) => {
                self.discard(*first);
                self.branch(*second, yes, no, origin)
            }
            // Its argument becomes a `long`. A truth value survives that, but a number may lose the bits that
            // make it non-zero.
            Call { callee, args, .. }
                if args.len() == 2 && self.is_builtin_expect(*callee) && self.is_truth_value(args[0]) =>
            {
                self.branch(args[0], yes, no, origin)
            }
            _ => {
                let value = self.rvalue(condition)?;
                let truth = self.truth(value, span)?;
                if let Some(value) = self.fold_int(truth) {
                    return Ok(Some(value != 0));
                }
                self.emit_branch(truth, yes, no, origin, span);
                Ok(None)
            }
        }
    }

    /// Is this 0 or 1 by its operator?
    fn is_truth_value(&self, expr: ast::ExprId) -> bool {
        use ast::BinaryOp::*;
        match self.ast.exprs[expr].kind {
            ast::ExprKind::Unary(op, _) => op == ast::UnaryOp::Not,
            ast::ExprKind::Binary(op, ..) => {
                matches!(op, LogicalAnd | LogicalOr | Lt | Gt | Le | Ge | Eq | Ne)
            }
            _ => false,
        }
    }

    /// Like [`Sema::branch`], but always jumps.
    pub(crate) fn branch_to(
        &mut self,
        condition: ast::ExprId,
        yes: LabelId,
        no: LabelId,
        origin: BranchOrigin,
    ) -> Lowered<()> {
        if let Some(value) = self.branch(condition, yes, no, origin)? {
            self.emit(self.span_of(condition), StmtKind::Goto(if value { yes } else { no }));
        }
        Ok(())
    }

    pub(crate) fn emit_branch(
        &mut self,
        condition: ExprId,
        yes: LabelId,
        no: LabelId,
        origin: BranchOrigin,
        span: Span,
    ) {
        let goto = |label| vec![Stmt { kind: StmtKind::Goto(label), span }];
        self.emit(span, StmtKind::If { condition, then: goto(yes), otherwise: goto(no), origin });
    }

    /// `a && b` or `a || b` as a value.
    pub(crate) fn logical_value(&mut self, expr: ast::ExprId) -> Lowered<Operand> {
        let (span, int) = (self.span_of(expr), self.types.int);
        let labels = (self.new_label(None, span), self.new_label(None, span), self.new_label(None, span));
        let (yes, no, end) = labels;
        if let Some(value) = self.branch(expr, yes, no, BranchOrigin::Logical)? {
            return Ok(Operand::Value(self.int(int, i128::from(value))));
        }
        let result = self.new_temp(int, span);
        let (one, zero) = (self.int(int, 1), self.int(int, 0));
        self.emit(span, StmtKind::Label(yes));
        self.emit(span, StmtKind::Assign(result, one));
        self.emit(span, StmtKind::Goto(end));
        self.emit(span, StmtKind::Label(no));
        self.emit(span, StmtKind::Assign(result, zero));
        self.emit(span, StmtKind::Label(end));
        Ok(Operand::Value(self.exprs.load(result)))
    }

    /// `a && b;` as a statement: only the effects of b depend on a.
    pub(crate) fn discard_logical(&mut self, expr: ast::ExprId) -> Lowered<()> {
        let span = self.span_of(expr);
        let ast::ExprKind::Binary(op, left, right) = self.ast.exprs[expr].kind else {
            return Err(Stop);
        };
        let (go_on, end) = (self.new_label(None, span), self.new_label(None, span));
        let (yes, no) = if op == ast::BinaryOp::LogicalAnd { (go_on, end) } else { (end, go_on) };
        self.branch_to(left, yes, no, BranchOrigin::Logical)?;
        self.emit(span, StmtKind::Label(go_on));
        self.discard(right);
        self.emit(span, StmtKind::Label(end));
        Ok(())
    }

    /// `c ? a : b` as a value. The arms are lowered apart, since their common type decides the conversions.
    pub(crate) fn conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        question: Span,
        span: Span,
    ) -> Lowered<Operand> {
        let (yes, no, end) =
            (self.new_label(None, question), self.new_label(None, question), self.new_label(None, question));
        let (constant, then_part) = match then {
            Some(then) => {
                let constant = self.branch(condition, yes, no, BranchOrigin::Conditional)?;
                (constant, self.collect(|s| s.arm(then)))
            }
            None => {
                // GNU `c ?: b`: c is evaluated once.
                let value = self.rvalue(condition)?;
                let value = if self.fold_int(value).is_some() { value } else { self.save(value, span) };
                let truth = self.truth(value, span)?;
                let constant = self.fold_int(truth).map(|value| value != 0);
                if constant.is_none() {
                    self.emit_branch(truth, yes, no, BranchOrigin::Conditional, question);
                }
                (constant, (Ok(Some(value)), Vec::new()))
            }
        };
        let (then_value, then_stmts) = then_part;
        let (else_value, else_stmts) = self.collect(|s| s.arm(otherwise));
        // An arm that stopped as unsupported still has its statements; the other arm gives the type.
        let (then_value, else_value) = match (then_value, else_value) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                self.emit(span, StmtKind::Label(yes));
                self.out.extend(then_stmts);
                self.emit(span, StmtKind::Label(no));
                self.out.extend(else_stmts);
                return a.and(b).map(|_| Operand::Void);
            }
        };
        let common = match (then_value, else_value) {
            (Some(a), Some(b)) => Some(self.common_type(a, b, span)?),
            _ => None,
        };
        if let Some(value) = constant {
            let (chosen, stmts) = if value { (then_value, then_stmts) } else { (else_value, else_stmts) };
            self.out.extend(stmts);
            return match (chosen, common) {
                (Some(chosen), Some(ty)) => Ok(Operand::Value(self.cast(chosen, ty, span))),
                _ => Ok(Operand::Void),
            };
        }
        let result = common.map(|ty| self.new_temp(ty, span));
        for (label, value, stmts) in [(yes, then_value, then_stmts), (no, else_value, else_stmts)] {
            self.emit(question, StmtKind::Label(label));
            self.out.extend(stmts);
            if let (Some(result), Some(ty), Some(value)) = (result, common, value) {
                let value = self.cast(value, ty, span);
                self.emit(span, StmtKind::Assign(result, value));
            }
            if label == yes {
                self.emit(question, StmtKind::Goto(end));
            }
        }
        self.emit(question, StmtKind::Label(end));
        Ok(result.map_or(Operand::Void, |result| Operand::Value(self.exprs.load(result))))
    }

    /// The value of one arm of `?:`, `None` if it is void.
    fn arm(&mut self, expr: ast::ExprId) -> Lowered<Option<ExprId>> {
        let span = self.span_of(expr);
        match self.operand(expr)? {
            Operand::Void => Ok(None),
            operand if self.types.is_void(self.operand_type(operand)) => Ok(None),
            operand => self.value_of(operand, span).map(Some),
        }
    }

    /// The type of `c ? a : b` (6.5.15).
    fn common_type(&mut self, a: ExprId, b: ExprId, span: Span) -> Lowered<TypeId> {
        let (x, y) = (self.exprs.type_of(a), self.exprs.type_of(b));
        // Equal types too: two values of type `char` are promoted.
        if self.types.is_arithmetic(x) && self.types.is_arithmetic(y) {
            return Ok(self.types.usual_conversion(x, y));
        }
        if x == y {
            return Ok(x);
        }
        match (self.types.pointee(x), self.types.pointee(y)) {
            (Some(p), Some(_)) if self.types.is_void(p) && self.fold_int(a) == Some(0) => Ok(y),
            (Some(_), Some(p)) if self.types.is_void(p) && self.fold_int(b) == Some(0) => Ok(x),
            (Some(p), Some(_)) if self.types.is_void(p) || self.types.compatible(x, y) => Ok(x),
            (Some(_), Some(_)) => Ok(self.types.void_ptr),
            (Some(_), None) if self.types.is_integer(y) => Ok(x),
            (None, Some(_)) if self.types.is_integer(x) => Ok(y),
            _ => {
                let (x, y) = (self.type_name(x), self.type_name(y));
                self.error(span, format!("the arms of `?:` have types `{x}` and `{y}`"))
            }
        }
    }

    /// `c ? a : b;` as a statement.
    pub(crate) fn discard_conditional(
        &mut self,
        condition: ast::ExprId,
        then: Option<ast::ExprId>,
        otherwise: ast::ExprId,
        question: Span,
    ) -> Lowered<()> {
        let (yes, no, end) =
            (self.new_label(None, question), self.new_label(None, question), self.new_label(None, question));
        self.branch_to(condition, yes, no, BranchOrigin::Conditional)?;
        self.emit(question, StmtKind::Label(yes));
        if let Some(then) = then {
            self.discard(then);
        }
        self.emit(question, StmtKind::Goto(end));
        self.emit(question, StmtKind::Label(no));
        self.discard(otherwise);
        self.emit(question, StmtKind::Label(end));
        Ok(())
    }
}
