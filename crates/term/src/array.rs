//! Builders of array terms: reads look through writes to indices that are certainly different.

use crate::kind::{Kind, Op};
use crate::sort::Sort;
use crate::store::{Term, Terms};

/// A read looks through at most this many writes, so that a chain of n writes with a read each is not
/// quadratic.
const WRITES_LOOKED_THROUGH: usize = 64;

impl Terms {
    #[track_caller]
    fn index_and_element(&self, array: Term) -> (Sort, Sort) {
        match self.sort(array) {
            Sort::Array(sort) => self.array_sort(sort),
            other => panic!("an array is wanted, not {other:?}"),
        }
    }

    pub fn select(&mut self, array: Term, index: Term) -> Term {
        let (index_sort, element) = self.index_and_element(array);
        self.expect_sort(index, index_sort, "the index of select");
        let mut base = array;
        for _ in 0..WRITES_LOOKED_THROUGH {
            match self.as_app(base) {
                Some((Op::Store, &[inner, at, value])) => {
                    if at == index {
                        return value;
                    }
                    if !self.surely_different(at, index) {
                        break;
                    }
                    base = inner;
                }
                Some((Op::ConstArray, &[value])) => return value,
                _ => break,
            }
        }
        self.app(Op::Select, &[base, index], element)
    }

    pub fn store(&mut self, array: Term, index: Term, value: Term) -> Term {
        let (index_sort, element) = self.index_and_element(array);
        self.expect_sort(index, index_sort, "the index of store");
        self.expect_sort(value, element, "the value of store");
        let mut array = array;
        // The last write to an index counts.
        if let Some([inner, at, _]) = self.args_of(array, Op::Store)
            && at == index
        {
            array = inner;
        }
        // Writing back what is there.
        if self.args_of(value, Op::Select) == Some([array, index])
            || self.args_of(array, Op::ConstArray) == Some([value])
        {
            return array;
        }
        let sort = self.sort(array);
        self.app(Op::Store, &[array, index, value], sort)
    }

    /// The array of this sort with the same element everywhere.
    pub fn const_array(&mut self, sort: Sort, value: Term) -> Term {
        let Sort::Array(array) = sort else { panic!("an array sort is wanted, not {sort:?}") };
        self.expect_sort(value, self.array_sort(array).1, "the element of a constant array");
        self.app(Op::ConstArray, &[value], sort)
    }

    /// Different under every assignment: different constants, or one base with different constant offsets.
    pub fn surely_different(&self, a: Term, b: Term) -> bool {
        if a == b {
            return false;
        }
        if self.is_constant(a) && self.is_constant(b) {
            return true;
        }
        match self.sort(a) {
            Sort::Int => {
                let mut difference = self.linear(a);
                let other = self.linear(b);
                if difference.monomials != other.monomials {
                    return false;
                }
                difference.constant -= other.constant;
                !difference.constant.is_zero()
            }
            Sort::Bv(_) => {
                let offset = |term: Term| match self.kind(term) {
                    Kind::App(Op::BvAdd, args) => match self.bits_of(args[0]) {
                        Some(bits) => (args[1], bits),
                        None => (term, 0),
                    },
                    _ => (term, 0),
                };
                let ((x, k), (y, l)) = (offset(a), offset(b));
                x == y && k != l
            }
            _ => false,
        }
    }
}
