//! Conditions of branches: comparisons of integers and pointers are one instruction with the jump.

use super::layout::{Compiler, Operand, Refused};
use crate::bytecode::Inst;
use crate::scalar::Scalar;
use summa_c::tree::{BinaryOp, ExprId, ExprKind};

impl Compiler<'_, '_> {
    /// Emits a jump that is taken if the condition equals `truth`; gives its position, or None if the
    /// condition is a constant and the jump is never taken.
    pub(super) fn conditional_jump(
        &mut self,
        condition: ExprId,
        truth: bool,
    ) -> Result<Option<usize>, Refused> {
        let expr = self.tree.exprs.expr(condition);
        if let ExprKind::Binary(op, a, b) = expr.kind
            && op.is_comparison()
        {
            let kind = self.scalar(self.tree.exprs.type_of(a))?;
            if !kind.is_wide() && !kind.is_float() {
                let (a, b) = (self.value(a)?, self.value(b)?);
                let op = if truth { op } else { negated(op) };
                return Ok(Some(self.compare_and_jump(op, kind, a, b)));
            }
        }
        let kind = self.scalar(expr.ty)?;
        let value = self.value(condition)?;
        if let Operand::Const(value) = value {
            if (value != 0) != truth {
                return Ok(None);
            }
            let steps = self.take_steps();
            self.emit(Inst::Jump { steps, target: 0 });
            return Ok(Some(self.code.insts.len() - 1));
        }
        let mut a = self.slot(value);
        if kind.is_wide() || kind.is_float() {
            let dst = self.temp(1);
            self.emit(Inst::Convert { from: kind, to: Scalar::Bool, dst, src: a });
            a = dst;
        }
        let steps = self.take_steps();
        self.emit(match truth {
            true => Inst::JumpNeI { steps, a, imm: 0, target: 0 },
            false => Inst::JumpEqI { steps, a, imm: 0, target: 0 },
        });
        Ok(Some(self.code.insts.len() - 1))
    }

    fn compare_and_jump(&mut self, op: BinaryOp, kind: Scalar, a: Operand, b: Operand) -> usize {
        use BinaryOp as B;
        let unsigned = kind == Scalar::U64;
        let imm = match b {
            Operand::Const(value) => i32::try_from(value as i64).ok(),
            Operand::Slot(_) => None,
        };
        let a = self.slot(a);
        if let Some(imm) = imm.filter(|_| !unsigned || matches!(op, B::Eq | B::Ne)) {
            let steps = self.take_steps();
            self.emit(match op {
                B::Eq => Inst::JumpEqI { steps, a, imm, target: 0 },
                B::Ne => Inst::JumpNeI { steps, a, imm, target: 0 },
                B::Lt => Inst::JumpLtI { steps, a, imm, target: 0 },
                B::Le => Inst::JumpLeI { steps, a, imm, target: 0 },
                B::Gt => Inst::JumpGtI { steps, a, imm, target: 0 },
                _ => Inst::JumpGeI { steps, a, imm, target: 0 },
            });
            return self.code.insts.len() - 1;
        }
        let b = self.slot(b);
        let steps = self.take_steps();
        self.emit(match op {
            B::Eq => Inst::JumpEq { steps, a, b, target: 0 },
            B::Ne => Inst::JumpNe { steps, a, b, target: 0 },
            B::Lt if unsigned => Inst::JumpLtU { steps, a, b, target: 0 },
            B::Le if unsigned => Inst::JumpLeU { steps, a, b, target: 0 },
            B::Gt if unsigned => Inst::JumpLtU { steps, a: b, b: a, target: 0 },
            B::Ge if unsigned => Inst::JumpLeU { steps, a: b, b: a, target: 0 },
            B::Lt => Inst::JumpLtS { steps, a, b, target: 0 },
            B::Le => Inst::JumpLeS { steps, a, b, target: 0 },
            B::Gt => Inst::JumpLtS { steps, a: b, b: a, target: 0 },
            _ => Inst::JumpLeS { steps, a: b, b: a, target: 0 },
        });
        self.code.insts.len() - 1
    }
}

fn negated(op: BinaryOp) -> BinaryOp {
    use BinaryOp::*;
    match op {
        Eq => Ne,
        Ne => Eq,
        Lt => Ge,
        Le => Gt,
        Gt => Le,
        Ge => Lt,
        other => other,
    }
}
