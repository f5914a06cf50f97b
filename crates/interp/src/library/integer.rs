//! Integer functions and bit-counting builtins.

use super::Args;
use crate::outcome::FaultKind;
use crate::scalar::Scalar;
use summa_cfa::LibFn;

pub(super) fn is_integer(model: LibFn) -> bool {
    use LibFn::*;
    matches!(
        model,
        Abs | Labs
            | Llabs
            | Bswap16
            | Bswap32
            | Bswap64
            | Clz
            | Clzl
            | Clzll
            | Ctz
            | Ctzl
            | Ctzll
            | Popcount
            | Popcountl
            | Popcountll
            | Ffs
            | Ffsl
            | Ffsll
            | Parity
            | Parityl
            | Parityll
    )
}

/// The result as canonical bits, and the fault that went with it.
pub(super) fn compute(model: LibFn, args: &Args<'_>, pointer_size: usize) -> (u128, Option<FaultKind>) {
    use LibFn::*;
    let long = if pointer_size == 4 { (Scalar::I32, Scalar::U32) } else { (Scalar::I64, Scalar::U64) };
    let (signed, unsigned) = match model {
        Labs | Clzl | Ctzl | Popcountl | Ffsl | Parityl => long,
        Llabs | Bswap64 | Clzll | Ctzll | Popcountll | Ffsll | Parityll => (Scalar::I64, Scalar::U64),
        Bswap16 => (Scalar::I16, Scalar::U16),
        _ => (Scalar::I32, Scalar::U32),
    };
    let x = args.as_kind(0, unsigned) as u64;
    let width = unsigned.width();
    let count = |n: u32| (u128::from(n), None);
    match model {
        Abs | Labs | Llabs => {
            let value = signed.to_int(args.as_kind(0, signed));
            let bits = signed.from_int(value.abs());
            let fits = signed.to_int(bits) == value.abs();
            (bits, (!fits).then_some(FaultKind::SignedOverflow))
        }
        Bswap16 => ((x as u16).swap_bytes().into(), None),
        Bswap32 => ((x as u32).swap_bytes().into(), None),
        Bswap64 => (x.swap_bytes().into(), None),
        Popcount | Popcountl | Popcountll => count(x.count_ones()),
        Parity | Parityl | Parityll => count(x.count_ones() & 1),
        Ffs | Ffsl | Ffsll => count(if x == 0 { 0 } else { x.trailing_zeros() + 1 }),
        // The builtins are undefined for zero.
        Clz | Clzl | Clzll | Ctz | Ctzl | Ctzll if x == 0 => (0, Some(FaultKind::InvalidArgument)),
        Clz | Clzl | Clzll => count(x.leading_zeros() - (64 - width)),
        _ => count(x.trailing_zeros()),
    }
}
