//! Values out of Z3's models.

use super::family::Family;
use super::native::{Ast, NativeError, NativeModel, Result, View};
use crate::interpolate::problem::Vocabulary;
use crate::model::{FunctionTable, Model};
use dashu_int::IBig;
use std::str::FromStr;
use std::sync::Arc;
use summa_term::{ArrayValue, FloatSort, Sort, Term, Terms, Value};
use z3_sys::DeclKind;

/// Nesting of arrays in a value; sorts of programs stay far below.
const DEPTH_LIMIT: u32 = 16;

/// Values for all symbols and functions of `formulas`, also where the model leaves them open.
pub(crate) fn read(
    family: &Family,
    terms: &mut Terms,
    native: &NativeModel,
    formulas: &[Term],
) -> Result<Model> {
    let vocabulary = Vocabulary::of_all(terms, formulas);
    let mut model = Model::default();
    for &symbol in &vocabulary.symbols {
        let Some((name, version)) = terms.as_symbol(symbol) else { continue };
        let value = native.eval(&family.native(terms, symbol)?, true)?;
        model.set(name, version, read_value(terms, native, &value, 0)?);
    }
    for &function in &vocabulary.functions {
        let Some((entries, otherwise)) = native.function(&family.declaration(terms, function)?)? else {
            continue; // the model does not care: the default of the sort
        };
        let default = read_value(terms, native, &otherwise, 0)?;
        let mut table = FunctionTable::new(default);
        for (args, value) in entries {
            let args = args.iter().map(|arg| read_value(terms, native, arg, 0)).collect::<Result<_>>()?;
            table.set(args, read_value(terms, native, &value, 0)?);
        }
        model.set_function(function, table);
    }
    Ok(model)
}

pub(super) fn read_value(terms: &mut Terms, model: &NativeModel, value: &Ast, depth: u32) -> Result<Value> {
    let unreadable = || NativeError(format!("a value we cannot read: {value}"));
    if depth > DEPTH_LIMIT {
        return Err(unreadable());
    }
    match value.sort(terms).ok_or_else(unreadable)? {
        Sort::Bool => value.truth().map(Value::Bool).ok_or_else(unreadable),
        Sort::Int => IBig::from_str(&value.digits()).map(Value::Int).map_err(|_| unreadable()),
        Sort::Bv(width) => {
            u128::from_str(&value.digits()).map(|bits| Value::Bv(width, bits)).map_err(|_| unreadable())
        }
        Sort::Float(float) => {
            float_bits(value, float).map(|bits| Value::float(float, bits)).ok_or_else(unreadable)
        }
        Sort::Array(_) => read_array(terms, model, value, depth),
    }
}

/// Stores into a constant array, or a function used as an array.
fn read_array(terms: &mut Terms, model: &NativeModel, array: &Ast, depth: u32) -> Result<Value> {
    let mut stores = Vec::new(); // outermost first
    let mut current = array.clone();
    let mut result = loop {
        let View::App(_, kind, args) = current.view()? else {
            return Err(NativeError(format!("an array we cannot read: {current}")));
        };
        match (kind, args.as_slice()) {
            (DeclKind::Store, [inner, index, element]) => {
                let index = read_value(terms, model, index, depth + 1)?;
                stores.push((index, read_value(terms, model, element, depth + 1)?));
                current = inner.clone();
            }
            (DeclKind::ConstArray, [element]) => {
                break ArrayValue::new(read_value(terms, model, element, depth + 1)?, []);
            }
            (DeclKind::AsArray, []) => {
                let missing = || NativeError("an array without a function".into());
                let (entries, otherwise) = model.function(&current.array_function()?)?.ok_or_else(missing)?;
                let mut table = ArrayValue::new(read_value(terms, model, &otherwise, depth + 1)?, []);
                for (index, element) in entries {
                    let [index] = index.as_slice() else { return Err(missing()) };
                    let index = read_value(terms, model, index, depth + 1)?;
                    table.set(index, read_value(terms, model, &element, depth + 1)?);
                }
                break table;
            }
            _ => return Err(NativeError(format!("an array we cannot read: {current}"))),
        }
    };
    for (index, element) in stores.into_iter().rev() {
        result.set(index, element);
    }
    Ok(Value::Array(Arc::new(result)))
}

/// Bits of a floating-point constant in its interchange format (x87: with the explicit leading one).
pub(super) fn float_bits(value: &Ast, float: FloatSort) -> Option<u128> {
    let (exponent, significand) = float.shape();
    if value.is_nan() {
        // The quiet NaN without sign or payload: SMT-LIB knows one.
        let quiet = ((1u128 << (exponent + 1)) - 1) << (significand - 2);
        return Some(with_leading_one(quiet, float));
    }
    let bits = u128::from_str(&value.ieee_bits().ok()?.digits()).ok()?;
    Some(with_leading_one(bits, float))
}

/// From SMT-LIB's 79 bits to the 80 of x87: all but zeros and subnormal numbers have a leading one.
fn with_leading_one(bits: u128, float: FloatSort) -> u128 {
    if float != FloatSort::F80 {
        return bits;
    }
    let fraction = bits & ((1 << 63) - 1);
    let sign_and_exponent = bits >> 63;
    let leading = u128::from(sign_and_exponent & 0x7fff != 0) << 63;
    (sign_and_exponent << 64) | leading | fraction
}
