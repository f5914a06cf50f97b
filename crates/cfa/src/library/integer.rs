//! Functions of one integer, exactly: absolute values, bytes in another order, counts of bits.
//!
//! The interpreter and the value domain compute with this; the encoder has the same as formulas.

use super::LibFn;
use summa_c::arith::wrap_to;
use summa_c::types::DataModel;

/// The type of the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    pub width: u32,
    pub signed: bool,
}

/// What a function of one integer gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computed {
    Number(i128),
    /// The result does not fit; this is what wraps around.
    Overflow(i128),
    /// The function is undefined there.
    Undefined,
}

impl LibFn {
    /// The parameter of a function of one integer; None for all others.
    pub fn integer_parameter(self, model: DataModel) -> Option<Parameter> {
        use LibFn::*;
        let long = 8 * model.pointer_size() as u32;
        let (width, signed) = match self {
            Abs => (32, true),
            Labs => (long, true),
            Llabs => (64, true),
            Clzl | Ctzl | Popcountl | Ffsl | Parityl => (long, false),
            Bswap64 | Clzll | Ctzll | Popcountll | Ffsll | Parityll => (64, false),
            Bswap32 | Clz | Ctz | Popcount | Ffs | Parity => (32, false),
            Bswap16 => (16, false),
            _ => return None,
        };
        Some(Parameter { width, signed })
    }

    /// The result for an argument, which is converted to the parameter; None for functions of other kinds.
    pub fn of_integer(self, model: DataModel, argument: i128) -> Option<Computed> {
        use LibFn::*;
        let Parameter { width, .. } = self.integer_parameter(model)?;
        let x = wrap_to(width, false, argument) as u64;
        let number = match self {
            Abs | Labs | Llabs => {
                let value = wrap_to(width, true, argument).abs();
                let wrapped = wrap_to(width, true, value);
                return Some(if wrapped == value {
                    Computed::Number(value)
                } else {
                    Computed::Overflow(wrapped)
                });
            }
            Bswap16 => return Some(Computed::Number((x as u16).swap_bytes().into())),
            Bswap32 => return Some(Computed::Number((x as u32).swap_bytes().into())),
            Bswap64 => return Some(Computed::Number(x.swap_bytes().into())),
            Popcount | Popcountl | Popcountll => x.count_ones(),
            Parity | Parityl | Parityll => x.count_ones() & 1,
            Ffs | Ffsl | Ffsll if x == 0 => 0,
            Ffs | Ffsl | Ffsll => x.trailing_zeros() + 1,
            _ if x == 0 => return Some(Computed::Undefined),
            Clz | Clzl | Clzll => x.leading_zeros() - (64 - width),
            _ => x.trailing_zeros(),
        };
        Some(Computed::Number(number.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_and_their_limits() {
        use LibFn::*;
        let of = |function: LibFn, argument| function.of_integer(DataModel::Lp64, argument);
        assert_eq!(of(Abs, -7), Some(Computed::Number(7)));
        assert_eq!(of(Abs, i32::MIN.into()), Some(Computed::Overflow(i32::MIN.into())));
        assert_eq!(
            Labs.of_integer(DataModel::Ilp32, i32::MIN.into()),
            Some(Computed::Overflow(i32::MIN.into()))
        );
        assert_eq!(of(Labs, i32::MIN.into()), Some(Computed::Number(1 << 31)));
        assert_eq!(of(Bswap16, 0x1234), Some(Computed::Number(0x3412)));
        assert_eq!(of(Clz, 1), Some(Computed::Number(31)));
        assert_eq!(of(Clz, 0), Some(Computed::Undefined));
        assert_eq!(of(Clzll, -1), Some(Computed::Number(0)));
        assert_eq!(of(Ctz, 1 << 32), Some(Computed::Undefined), "the argument becomes an `unsigned`");
        assert_eq!(of(Ffs, 0), Some(Computed::Number(0)));
        assert_eq!(of(Popcount, -1), Some(Computed::Number(32)));
        assert_eq!(of(Parity, 7), Some(Computed::Number(1)));
        assert_eq!(of(Malloc, 7), None);
    }
}
