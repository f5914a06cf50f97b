//! Does the interpreter reach an error with the inputs of a model?

use summa_cfa::Cfa;
use summa_encode::{Input, InputSource};
use summa_interp::{InitialPart, InitialValues, InputValue, List, Policy, Program, Scalar};
use summa_term::Value;

/// Runs the program with values that a solver chose, in the order in which the program asks; what is missing
/// is zero.
pub fn replays<'c>(cfa: &Cfa, choices: impl IntoIterator<Item = (&'c Input, Option<&'c Value>)>) -> bool {
    let (mut values, mut initial) = (Vec::new(), InitialValues::default());
    for (input, value) in choices {
        let value = match value {
            Some(Value::Int(value)) => InputValue::Int(i128::try_from(value).unwrap_or(0)),
            Some(Value::Bv(_, bits)) => InputValue::Int(*bits as i128),
            Some(Value::Float(_, bits)) => InputValue::Bits(*bits),
            Some(Value::Bool(truth)) => InputValue::Int(i128::from(*truth)),
            Some(Value::Array(_)) | None => InputValue::Int(0),
        };
        match input.source {
            InputSource::Uninitialised(var) => initial.push(var, value),
            InputSource::Contents { var, offset } => {
                if let Some(scalar) = Scalar::of(&cfa.program.types, input.ty) {
                    initial.push_part(var, InitialPart { offset, scalar, value });
                }
            }
            InputSource::Havoc(_) | InputSource::External => values.push(value),
        }
    }
    let mut inputs = List::new(values).with_initial(initial);
    summa_interp::run(&Program::new(cfa), &mut inputs, &Policy::reachability()).is_error()
}
