//! `switch`: a chain of comparisons before the body, whose labels it jumps to.

use super::{Lowered, Sema};
use crate::tree::{BinaryOp, BranchOrigin, ExprId, ExprKind, LabelId, Stmt, StmtKind};
use crate::types::TypeId;
use summa_syntax::Span;
use summa_syntax::ast;

/// A `switch` whose body is being lowered.
pub(crate) struct Switch {
    /// The promoted type of the controlling expression.
    ty: TypeId,
    /// Bounds (inclusive) and target of each `case`, in order.
    cases: Vec<(i128, i128, LabelId)>,
    pub(crate) default: Option<LabelId>,
}

impl Sema<'_> {
    pub(crate) fn open_switch(&mut self) -> Option<&mut Switch> {
        self.function.as_mut()?.switches.last_mut()
    }

    pub(crate) fn switch(&mut self, value: ast::ExprId, body: ast::StmtId, span: Span) -> Lowered<()> {
        let value = self.rvalue(value)?;
        let value = self.promote(value, span);
        let ty = self.exprs.type_of(value);
        if !self.types.is_integer(ty) {
            let name = self.type_name(ty);
            return self.error(span, format!("`switch` needs an integer, not a value of type `{name}`"));
        }
        let end = self.new_label(None, span);
        self.note_label(end);
        if let Some(context) = &mut self.function {
            context.breaks.push(end);
            context.switches.push(Switch { ty, cases: Vec::new(), default: None });
        }
        let (_, stmts) = self.collect(|s| s.statement(body));
        let Some(context) = &mut self.function else {
            return Ok(());
        };
        context.breaks.pop();
        let Some(switch) = context.switches.pop() else {
            return Ok(());
        };
        let otherwise = switch.default.unwrap_or(end);
        self.check_cases(&switch, span)?;
        match self.fold_int(value) {
            Some(value) => {
                let hit = switch.cases.iter().find(|(lo, hi, _)| (*lo..=*hi).contains(&value));
                self.emit(span, StmtKind::Goto(hit.map_or(otherwise, |case| case.2)));
            }
            None => {
                for &(lo, hi, label) in &switch.cases {
                    self.compare_case(value, lo, hi, label, span);
                }
                self.emit(span, StmtKind::Goto(otherwise));
            }
        }
        // Lifetimes of the body are those of its own block; execution gets in by the labels only.
        self.out.extend(stmts);
        self.emit(span, StmtKind::Label(end));
        Ok(())
    }

    fn check_cases(&mut self, switch: &Switch, span: Span) -> Lowered<()> {
        let mut sorted: Vec<(i128, i128)> = switch.cases.iter().map(|&(lo, hi, _)| (lo, hi)).collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0].1 >= pair[1].0) {
            Some(pair) => {
                self.error(span, format!("two cases of this `switch` have the value {}", pair[1].0))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn compare_case(&mut self, value: ExprId, lo: i128, hi: i128, label: LabelId, span: Span) {
        let int = self.types.int;
        let ty = self.exprs.type_of(value);
        let goto = vec![Stmt { kind: StmtKind::Goto(label), span }];
        let origin = BranchOrigin::Switch;
        let bound = self.int(ty, lo);
        if lo == hi {
            let condition = self.make(ExprKind::Binary(BinaryOp::Eq, value, bound), int, span);
            self.emit(span, StmtKind::If { condition, then: goto, otherwise: Vec::new(), origin });
            return;
        }
        let from = self.make(ExprKind::Binary(BinaryOp::Ge, value, bound), int, span);
        let bound = self.int(ty, hi);
        let to = self.make(ExprKind::Binary(BinaryOp::Le, value, bound), int, span);
        let inner = StmtKind::If { condition: to, then: goto, otherwise: Vec::new(), origin };
        let then = vec![Stmt { kind: inner, span }];
        self.emit(span, StmtKind::If { condition: from, then, otherwise: Vec::new(), origin });
    }

    pub(crate) fn case(&mut self, lo: ast::ExprId, hi: Option<ast::ExprId>, span: Span) -> Lowered<()> {
        let label = self.new_label(None, span);
        self.emit(span, StmtKind::Label(label));
        let Some(ty) = self.open_switch().map(|switch| switch.ty) else {
            return self.error(span, "`case` outside of a `switch`");
        };
        let low = self.constant(lo)?;
        let high = match hi {
            Some(hi) => self.constant(hi)?,
            None => low,
        };
        let (low, high) =
            (crate::arith::wrap(&self.types, ty, low), crate::arith::wrap(&self.types, ty, high));
        if low > high {
            self.warn(span, "this range of cases is empty");
            return Ok(());
        }
        if let Some(switch) = self.open_switch() {
            switch.cases.push((low, high, label));
        }
        Ok(())
    }
}
