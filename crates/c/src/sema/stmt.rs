//! Statements: loops become endless loops left by `goto`, `switch` a chain of comparisons before its body.

use super::convert::Operand;
use super::scope::Binding;
use super::{Lowered, Sema};
use crate::tree::{BranchOrigin, PlaceId, Stmt, StmtKind};
use summa_base::Symbol;
use summa_syntax::Span;
use summa_syntax::ast;

impl Sema<'_> {
    /// The statements of a function body (a compound), in a scope of their own.
    pub(crate) fn statement_list(&mut self, body: ast::StmtId) {
        match &self.ast.stmts[body].kind {
            ast::StmtKind::Compound(stmts) => {
                self.in_scope(self.ast.stmts[body].span, |s| stmts.iter().for_each(|&stmt| s.statement(stmt)))
            }
            _ => self.statement(body),
        }
    }

    /// Runs `f` in a new scope of names; local labels declared in it end with it.
    pub(crate) fn in_scope<T>(&mut self, span: Span, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push();
        let labels = self.function.as_ref().map(|context| context.local_labels.len());
        let cleanups = self.cleanup_mark();
        let result = f(self);
        self.end_cleanups(&cleanups, span);
        if let (Some(context), Some(labels)) = (&mut self.function, labels) {
            let mut missing = Vec::new();
            for (name, outer) in context.local_labels.split_off(labels).into_iter().rev() {
                let local = match outer {
                    Some(label) => context.named_labels.insert(name, label),
                    None => context.named_labels.remove(&name),
                };
                missing.extend(local.filter(|&label| !context.defined_labels.contains(label)));
            }
            self.report_missing_labels(&missing);
        }
        self.scopes.pop();
        result
    }

    /// Lowers one statement. Errors have been reported when this returns, and the following statements are
    /// still lowered.
    pub(crate) fn statement(&mut self, stmt: ast::StmtId) {
        let _ = self.nested(self.ast.stmts[stmt].span, |s| s.try_statement(stmt));
    }

    fn try_statement(&mut self, stmt: ast::StmtId) -> Lowered<()> {
        use ast::StmtKind::*;
        let ast = self.ast;
        let ast::Stmt { kind, span } = &ast.stmts[stmt];
        let span = *span;
        match kind {
            Empty => Ok(()),
            Expr(expr) => {
                self.discard(*expr);
                Ok(())
            }
            Declaration(declaration) => self.local_declaration(*declaration),
            StaticAssert(assertion) => self.static_assert(assertion),
            Compound(stmts) => {
                let (_, inner) =
                    self.collect(|s| s.in_scope(span, |s| stmts.iter().for_each(|&stmt| s.statement(stmt))));
                self.block(inner, span);
                Ok(())
            }
            If { .. } => self.if_chain(stmt),
            While { condition, body } => self.while_loop(*condition, *body, span),
            DoWhile { body, condition } => self.do_loop(*body, *condition, span),
            For { init, condition, step, body } => self.for_loop(*init, *condition, *step, *body, span),
            Switch { value, body } => self.switch(*value, *body, span),
            Case { lo, hi, body } => {
                let result = self.case(*lo, *hi, span);
                self.statement(*body);
                result
            }
            Default(body) => {
                let label = self.new_label(None, span);
                let first = self.open_switch().map(|switch| switch.default.replace(label).is_none());
                self.emit(span, StmtKind::Label(label));
                self.statement(*body);
                match first {
                    Some(true) => Ok(()),
                    Some(false) => self.error(span, "a second `default` in one `switch`"),
                    None => self.error(span, "`default` outside of a `switch`"),
                }
            }
            Label { name, body } => {
                self.place_label(*name, span)?;
                self.statement(*body);
                Ok(())
            }
            LocalLabels(names) => {
                for &name in names {
                    if let Some(context) = &mut self.function {
                        let outer = context.named_labels.remove(&name);
                        context.local_labels.push((name, outer));
                    }
                }
                Ok(())
            }
            Goto(name) => {
                let label = self.named_label(*name, span);
                self.leave_to(label, span);
                Ok(())
            }
            GotoComputed(target) => self.computed_goto(*target, span),
            Break => match self.function.as_ref().and_then(|context| context.breaks.last().copied()) {
                Some(label) => {
                    self.leave_to(label, span);
                    Ok(())
                }
                None => self.error(span, "`break` outside of a loop or `switch`"),
            },
            Continue => match self.function.as_ref().and_then(|context| context.continues.last().copied()) {
                Some(label) => {
                    self.leave_to(label, span);
                    Ok(())
                }
                None => self.error(span, "`continue` outside of a loop"),
            },
            Return(value) => self.return_statement(*value, span),
            Asm(asm) => self.asm(asm, span),
            NestedFunction(function) => {
                if let Some(name) = ast.functions[*function].declarator.name {
                    self.scopes.bind(name, Binding::Unsupported("nested function".to_string()));
                }
                Ok(())
            }
        }
    }

    /// Statements with declarations keep their block, which ends the lifetimes; others need none.
    pub(crate) fn block(&mut self, stmts: Vec<Stmt>, span: Span) {
        if stmts.iter().any(|stmt| matches!(stmt.kind, StmtKind::Declare(_))) {
            self.emit(span, StmtKind::Block(stmts));
        } else {
            self.out.extend(stmts);
        }
    }

    /// `if … else if … else …`, in a loop since generated code has thousands of arms.
    fn if_chain(&mut self, mut stmt: ast::StmtId) -> Lowered<()> {
        let ast = self.ast;
        let end = self.new_label(None, ast.stmts[stmt].span);
        loop {
            let span = ast.stmts[stmt].span;
            let ast::StmtKind::If { condition, then, otherwise } = ast.stmts[stmt].kind else {
                self.statement(stmt);
                break;
            };
            let (yes, no) = (self.new_label(None, span), self.new_label(None, span));
            let result = self.branch_to(condition, yes, no, BranchOrigin::If);
            self.emit(span, StmtKind::Label(yes));
            self.statement(then);
            self.emit(span, StmtKind::Goto(end));
            self.emit(span, StmtKind::Label(no));
            result?;
            match otherwise {
                Some(otherwise) => stmt = otherwise,
                None => break,
            }
        }
        self.emit(ast.stmts[stmt].span, StmtKind::Label(end));
        Ok(())
    }

    fn return_statement(&mut self, value: Option<ast::ExprId>, span: Span) -> Lowered<()> {
        let result = self.function.as_ref().and_then(|context| self.functions[context.id].result);
        let value = match (value, result) {
            (None, _) => None,
            (Some(value), None) => {
                self.discard(value);
                None
            }
            (Some(value), Some(result)) => {
                let value = self.rvalue(value)?;
                Some(self.convert(value, self.vars[result].ty, span)?)
            }
        };
        self.leave_function(value, span);
        Ok(())
    }

    fn asm(&mut self, asm: &ast::Asm, span: Span) -> Lowered<()> {
        if !asm.labels.is_empty() {
            return self.unsupported(span, "`asm goto`");
        }
        for &input in &asm.inputs {
            let _ = self.operand(input)?;
        }
        for &output in &asm.outputs {
            let place = self.asm_output(output)?;
            self.emit(span, StmtKind::Havoc(place, "inline assembly".to_string()));
        }
        let is_barrier = asm.template_is_empty && asm.outputs.is_empty();
        if !is_barrier {
            self.assume(span, "inline assembly is skipped: its outputs take any value, nothing else changes");
        }
        Ok(())
    }

    /// The place of an output operand. Memory operands may be whole arrays.
    fn asm_output(&mut self, output: ast::ExprId) -> Lowered<PlaceId> {
        let (operand, stmts) = self.collect(|s| s.operand(output));
        match operand? {
            Operand::Place(place) if self.types.element(self.exprs.place(place).ty).is_some() => {
                self.out.extend(stmts);
                Ok(place)
            }
            _ => self.assignable(output),
        }
    }

    /// Control can come here by the name of a label.
    fn place_label(&mut self, name: Symbol, span: Span) -> Lowered<()> {
        let label = self.named_label(name, span);
        let is_new = self.function.as_mut().is_some_and(|context| {
            context.labels[label].span = span;
            context.defined_labels.insert(label)
        });
        if !is_new {
            let name = self.text(name);
            return self.error(span, format!("the label `{name}` is defined twice"));
        }
        self.note_label(label);
        self.emit(span, StmtKind::Label(label));
        Ok(())
    }

    /// `({ …; value; })`
    pub(crate) fn statement_expr(&mut self, body: ast::StmtId, span: Span) -> Lowered<Operand> {
        let ast = self.ast;
        if self.function.is_none() {
            return self.error(span, "a statement expression outside of a function");
        }
        let ast::StmtKind::Compound(stmts) = &ast.stmts[body].kind else {
            return self.error(span, "a statement expression needs a block");
        };
        let (result, inner) = self.collect(|s| {
            s.in_scope(span, |s| {
                let Some((&last, before)) = stmts.split_last() else {
                    return Ok(None);
                };
                before.iter().for_each(|&stmt| s.statement(stmt));
                s.last_value(last)
            })
        });
        self.block(inner, span);
        Ok(match result? {
            Some(temp) => Operand::Value(self.exprs.load(temp)),
            None => Operand::Void,
        })
    }

    /// The last statement of a statement expression: its value, saved before the scope ends.
    fn last_value(&mut self, stmt: ast::StmtId) -> Lowered<Option<PlaceId>> {
        let ast = self.ast;
        match ast.stmts[stmt].kind {
            ast::StmtKind::Label { name, body } => {
                self.place_label(name, ast.stmts[stmt].span)?;
                self.last_value(body)
            }
            ast::StmtKind::Expr(expr) => {
                let span = self.span_of(expr);
                let operand = self.operand(expr)?;
                if self.types.is_void(self.operand_type(operand)) {
                    return Ok(None);
                }
                let value = self.value_of(operand, span)?;
                let temp = self.new_temp(self.exprs.type_of(value), span);
                self.emit(span, StmtKind::Assign(temp, value));
                Ok(Some(temp))
            }
            _ => {
                self.statement(stmt);
                Ok(None)
            }
        }
    }
}
