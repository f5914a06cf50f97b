//! Library functions with an exact meaning on single numbers. The result of all other functions is unknown,
//! and what they may write is forgotten.

use super::constant::{self, Constant};
use super::post::Post;
use summa_c::float;
use summa_c::tree::{BinaryOp, ExprId};
use summa_c::types::TypeId;
use summa_cfa::LibFn;
use summa_cfa::library::{Computed, Math};

impl Post<'_, '_> {
    /// The result, of the type that the function has in the library; of a declaration that differs nothing is
    /// known.
    pub(super) fn library(
        &mut self,
        model: LibFn,
        args: &[ExprId],
        declared: Option<TypeId>,
    ) -> Option<Constant> {
        let (declared, &arg) = (declared?, args.first()?);
        let ty = self.semantics.cfa.program.exprs.type_of(arg);
        match (model, self.eval(arg)?) {
            (LibFn::Math(function), Constant::Float(kind, bits)) => {
                let types = &self.semantics.cfa.program.types;
                let absolute = || {
                    let minus = float::compare(BinaryOp::Lt, kind, bits, float::from_int(0, false, kind));
                    if minus == Some(true) { float::negate(bits, kind) } else { bits }
                };
                let holds = |truth: Option<bool>| constant::of_number(types, declared, truth?.into());
                match function {
                    // Minus zero is not less than zero: leave it to others.
                    Math::Fabs if types.float_kind(declared) == Some(kind) => {
                        let is_zero =
                            float::compare(BinaryOp::Eq, kind, bits, float::from_int(0, false, kind));
                        let value =
                            if is_zero == Some(true) { float::from_int(0, false, kind) } else { absolute() };
                        Some(Constant::Float(kind, value))
                    }
                    Math::Isnan => holds(float::compare(BinaryOp::Ne, kind, bits, bits)),
                    Math::Isinf => {
                        holds(float::compare(BinaryOp::Eq, kind, absolute(), float::infinity(kind)))
                    }
                    Math::Isfinite => {
                        holds(float::compare(BinaryOp::Lt, kind, absolute(), float::infinity(kind)))
                    }
                    _ => None,
                }
            }
            (_, Constant::Int(bits)) => {
                let types = &self.semantics.cfa.program.types;
                let value = match model.of_integer(types.model, constant::number(types, ty, bits)?)? {
                    Computed::Number(value) | Computed::Overflow(value) => value,
                    Computed::Undefined => return None,
                };
                constant::of_number(types, declared, value).filter(|_| types.is_integer(declared))
            }
            _ => None,
        }
    }
}
