//! Values of terms.

use crate::kind::Kind;
use crate::soft_float;
use crate::sort::{FloatSort, Sort};
use crate::store::{Term, Terms};
use dashu_int::IBig;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Value {
    Bool(bool),
    Int(IBig),
    /// Width and bits.
    Bv(u8, u128),
    /// Format and bits, as in [`crate::Kind::Float`]; there is one NaN.
    Float(FloatSort, u128),
    Array(Arc<ArrayValue>),
}

/// A function that is `default` almost everywhere. Entries are never equal to the default, so over infinite
/// index sorts equal functions are equal values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArrayValue {
    default: Value,
    entries: BTreeMap<Value, Value>,
}

impl Value {
    /// A float with these bits; every NaN is the one NaN.
    pub fn float(sort: FloatSort, bits: u128) -> Self {
        Self::Float(sort, soft_float::canonical(sort, bits))
    }

    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(value) => Some(*value),
            _ => None,
        }
    }

    pub fn as_int(&self) -> Option<&IBig> {
        match self {
            Self::Int(value) => Some(value),
            _ => None,
        }
    }

    pub fn as_bv(&self) -> Option<(u8, u128)> {
        match self {
            Self::Bv(width, bits) => Some((*width, *bits)),
            _ => None,
        }
    }

    pub fn as_float(&self) -> Option<(FloatSort, u128)> {
        match self {
            Self::Float(sort, bits) => Some((*sort, *bits)),
            _ => None,
        }
    }

    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Self::Array(array) => Some(array),
            _ => None,
        }
    }

    /// The same value, which for arrays is the same function: over a finite index sort entries may hide the
    /// default.
    pub fn same(&self, other: &Self) -> bool {
        let (Self::Array(a), Self::Array(b)) = (self, other) else { return self == other };
        let keys: BTreeSet<&Value> = a.entries.keys().chain(b.entries.keys()).collect();
        keys.iter().all(|key| a.get(key).same(b.get(key))) && (a.default.same(&b.default) || are_all(&keys))
    }
}

/// Are these all the values of their sort? Floats are too many to be listed, and arrays are no indices.
fn are_all(values: &BTreeSet<&Value>) -> bool {
    match values.first() {
        Some(Value::Bool(_)) => values.len() == 2,
        Some(Value::Bv(width, _)) => u32::from(*width) < usize::BITS && values.len() == 1 << width,
        _ => false,
    }
}

impl ArrayValue {
    pub fn new(default: Value, entries: impl IntoIterator<Item = (Value, Value)>) -> Self {
        let mut array = Self { default, entries: BTreeMap::new() };
        for (index, value) in entries {
            array.set(index, value);
        }
        array
    }

    pub fn default_value(&self) -> &Value {
        &self.default
    }

    /// What differs from the default, sorted by index.
    pub fn entries(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> {
        self.entries.iter()
    }

    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    pub fn set(&mut self, index: Value, value: Value) {
        if value == self.default {
            self.entries.remove(&index);
        } else {
            self.entries.insert(index, value);
        }
    }
}

impl Terms {
    /// The value of a constant.
    pub fn constant_value(&self, term: Term) -> Option<Value> {
        Some(match (self.kind(term), self.sort(term)) {
            (Kind::True, _) => Value::Bool(true),
            (Kind::False, _) => Value::Bool(false),
            (Kind::Int(value), _) => Value::Int(value.clone()),
            (Kind::Bv(bits), Sort::Bv(width)) => Value::Bv(width, *bits),
            (Kind::Float(bits), Sort::Float(sort)) => Value::Float(sort, *bits),
            _ => return None,
        })
    }

    /// The constant of a value; an array is a chain of stores into a constant array of this sort.
    pub fn value_term(&mut self, value: &Value, sort: Sort) -> Term {
        match (value, sort) {
            (Value::Bool(value), _) => self.bool(*value),
            (Value::Int(value), _) => self.int(value.clone()),
            (Value::Bv(width, bits), _) => self.bv(*width, *bits),
            (Value::Float(format, bits), _) => self.float(*format, *bits),
            (Value::Array(array), Sort::Array(id)) => {
                let (index_sort, element) = self.array_sort(id);
                let default = self.value_term(&array.default, element);
                let mut term = self.const_array(sort, default);
                for (index, value) in &array.entries {
                    let index = self.value_term(index, index_sort);
                    let value = self.value_term(value, element);
                    term = self.store(term, index, value);
                }
                term
            }
            (Value::Array(_), other) => panic!("an array is no value of {other:?}"),
        }
    }
}
