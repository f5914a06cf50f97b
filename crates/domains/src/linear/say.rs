//! Statements of equations: the equations themselves, and their answers to queries about expressions.

use super::{Linear, State};
use crate::says::{Fact, ProofStyle, Says, Unknown};
use summa_c::arith::wrap_to;
use summa_c::tree::ExprId;
use summa_cpa::{Answer, Query};

impl Says<'_> for Linear<'_> {
    fn facts(&self, state: &State) -> Result<Vec<Fact>, String> {
        Ok(state.equations.rows().iter().cloned().map(Fact::Zero).collect())
    }

    /// Equations are about numbers that wrap around.
    fn proof_style(&self) -> ProofStyle {
        ProofStyle { is_modular: true, ..ProofStyle::default() }
    }
}

impl Linear<'_> {
    /// The number that an expression is, if equations leave it only one.
    pub(super) fn known_of(&self, state: &State, query: Query) -> Answer {
        let Query::Range(expr) = query else { return Answer::Unknown };
        self.number_of(state, expr).map_or(Answer::Unknown, Answer::number)
    }

    fn number_of(&self, state: &State, expr: ExprId) -> Option<i128> {
        let ty = self.cfa.program.exprs.type_of(expr);
        // Of wider numbers only the lower half is known.
        let width = self.width(ty).filter(|&width| width <= 32)?;
        let mut number = 0u32;
        for (unknown, factor) in self.sum(expr)? {
            let value = match unknown {
                Unknown::One => 1,
                _ => state.equations.constants().find(|&(known, _)| known == unknown)?.1,
            };
            number = number.wrapping_add(factor.wrapping_mul(value));
        }
        // A narrower number is one of the type `int`.
        let is_signed = width < 32 || self.cfa.program.types.is_signed(ty);
        Some(wrap_to(32, is_signed, number.into()))
    }
}
