//! From a solver's model to the inputs of an execution: the model has values for what the program does not
//! determine.

use std::collections::VecDeque;
use summa_c::tree::VarId;
use summa_cfa::Cfa;
use summa_encode::InputSource as Source;
use summa_engines::Choice;
use summa_interp::{InitialPart, InitialValues, InputOrigin, InputRequest, InputSource, InputValue, Scalar};
use summa_term::{ArrayValue, Value};

/// The inputs of a model, in the order in which the run asks for them, and what variables hold before they
/// are written. Other memory that is read without having been written is zero: its order of asking is not
/// that of the formulas.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelInputs {
    values: VecDeque<InputValue>,
    initial: InitialValues,
}

impl ModelInputs {
    pub fn new(cfa: &Cfa, choices: &[Choice]) -> Self {
        let mut model = Self::default();
        for choice in choices {
            let value = input_value(choice.value.as_ref());
            match choice.input.source {
                Source::Contents { var, offset } => {
                    let types = &cfa.program.types;
                    let Some(scalar) = Scalar::of(types, choice.input.ty) else { continue };
                    match &choice.value {
                        Some(Value::Array(array)) => {
                            let size = types.size_of(cfa.program.vars[var].ty).unwrap_or(0);
                            model.initial.push_array(var, size, scalar, |at| element(array, at));
                        }
                        _ => model.initial.push_part(var, InitialPart { offset, scalar, value }),
                    }
                }
                Source::Uninitialised(var) => model.initial.push(var, value),
                Source::Havoc(_) | Source::External => model.values.push_back(value),
            }
        }
        model
    }
}

impl InputSource for ModelInputs {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        match request.origin {
            InputOrigin::Havoc(_) | InputOrigin::External(_) => {
                Some(self.values.pop_front().unwrap_or(InputValue::Int(0)))
            }
            InputOrigin::Uninitialised => Some(InputValue::Int(0)),
        }
    }

    fn knows_initial(&self) -> bool {
        !self.initial.is_empty()
    }

    fn initial(&mut self, var: VarId, _: Scalar) -> Option<InputValue> {
        self.initial.take(var)
    }

    fn contents(&mut self, var: VarId) -> Option<Vec<InitialPart>> {
        self.initial.take_contents(var)
    }
}

/// The element of an array at an offset.
fn element(array: &ArrayValue, offset: u64) -> InputValue {
    // Offsets are integers, or bit-vectors of some width.
    let is_there = |index: &Value| match index {
        Value::Int(number) => u64::try_from(number) == Ok(offset),
        Value::Bv(_, bits) => *bits == u128::from(offset),
        _ => false,
    };
    let found = array.entries().find(|(index, _)| is_there(index));
    input_value(Some(found.map_or(array.default_value(), |(_, value)| value)))
}

fn input_value(value: Option<&Value>) -> InputValue {
    match value {
        Some(Value::Int(number)) => InputValue::Int(i128::try_from(number).unwrap_or(0)),
        // The request's type reads the bits with its own sign.
        Some(Value::Bv(_, bits)) => InputValue::Int(*bits as i128),
        Some(Value::Float(_, bits)) => InputValue::Bits(*bits),
        Some(Value::Bool(truth)) => InputValue::Int(i128::from(*truth)),
        Some(Value::Array(_)) | None => InputValue::Int(0),
    }
}
