//! Integer functions and bit-counting builtins, as [`LibFn::of_integer`] computes them.

use super::Args;
use crate::machine::{Flow, Machine};
use crate::outcome::FaultKind;
use summa_cfa::LibFn;
use summa_cfa::library::Computed;

impl Machine<'_> {
    /// The result as canonical bits.
    pub(super) fn integer_function(&mut self, model: LibFn, args: &Args<'_>) -> Flow<u128> {
        let data_model = self.program.cfa.program.types.model;
        let (value, fault) = match model.of_integer(data_model, args.int(0)) {
            Some(Computed::Number(value)) => (value, None),
            Some(Computed::Overflow(value)) => (value, Some(FaultKind::SignedOverflow)),
            Some(Computed::Undefined) => (0, Some(FaultKind::InvalidArgument)),
            None => return Err(self.unsupported(format!("the library function {model:?}"))),
        };
        if let Some(kind) = fault {
            self.note(kind)?;
        }
        // Negative numbers are canonical in 64 bits, whatever the width.
        Ok(u128::from(value as u64))
    }
}
