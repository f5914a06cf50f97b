//! Library functions with an exact meaning on single numbers. The result of all other functions is unknown,
//! and what they may write is forgotten.

use super::constant::{self, Constant};
use super::post::Post;
use summa_c::tree::{BinaryOp, ExprId};
use summa_c::types::TypeId;
use summa_c::{arith, float};
use summa_cfa::LibFn;
use summa_cfa::library::Math;

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
                let value = integer(model, types.model.pointer_size(), constant::number(types, ty, bits)?)?;
                constant::of_number(types, declared, value).filter(|_| types.is_integer(declared))
            }
            _ => None,
        }
    }
}

/// An integer function of an argument that is converted to its parameter.
fn integer(model: LibFn, pointer_size: u64, number: i128) -> Option<i128> {
    use LibFn::*;
    let width = match model {
        Labs | Clzl | Ctzl | Popcountl | Ffsl | Parityl => 8 * pointer_size as u32,
        Llabs | Bswap64 | Clzll | Ctzll | Popcountll | Ffsll | Parityll => 64,
        Bswap16 => 16,
        Abs | Bswap32 | Clz | Ctz | Popcount | Ffs | Parity => 32,
        _ => return None,
    };
    let x = constant::low(width, number);
    let count = match model {
        Abs | Labs | Llabs => {
            let value = arith::wrap_to(width, true, number);
            return Some(arith::wrap_to(width, true, value.abs()));
        }
        Bswap16 => return Some((x as u16).swap_bytes().into()),
        Bswap32 => return Some((x as u32).swap_bytes().into()),
        Bswap64 => return Some((x as u64).swap_bytes().into()),
        Popcount | Popcountl | Popcountll => x.count_ones(),
        Parity | Parityl | Parityll => x.count_ones() & 1,
        Ffs | Ffsl | Ffsll if x == 0 => 0,
        Ffs | Ffsl | Ffsll => x.trailing_zeros() + 1,
        // Undefined for zero.
        _ if x == 0 => return None,
        Clz | Clzl | Clzll => x.leading_zeros() - (128 - width),
        _ => x.trailing_zeros(),
    };
    Some(count.into())
}
