//! Builders of floating-point terms: constants are folded exactly, and only rules that hold for NaN,
//! infinities and signed zeros are applied.

use crate::kind::{FloatOp, Kind, Op, Rounding};
use crate::soft_float;
use crate::sort::{FloatSort, Sort};
use crate::store::{Term, Terms};
use std::cmp::Ordering;

impl Terms {
    /// The constant with these bits of the interchange format (x87: 80 bits). All NaNs are one constant.
    pub fn float(&mut self, sort: FloatSort, bits: u128) -> Term {
        self.intern(Kind::Float(soft_float::canonical(sort, bits)), Sort::Float(sort))
    }

    #[track_caller]
    pub fn float_sort(&self, term: Term) -> FloatSort {
        match self.sort(term) {
            Sort::Float(sort) => sort,
            other => panic!("a float is wanted, not {other:?}"),
        }
    }

    fn float_bits(&self, term: Term) -> Option<u128> {
        self.as_float(term).map(|(_, bits)| bits)
    }

    /// The float equal to an integer, if it is exact; for the neutral elements of rules.
    fn is_float_value(&self, term: Term, value: i128) -> bool {
        self.as_float(term).is_some_and(|(sort, bits)| bits == soft_float::from_signed(sort, value))
    }

    pub fn float_add(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        // x + -0 = x, also for x = -0; x + +0 is not.
        for (x, y) in [(a, b), (b, a)] {
            if self.is_negative_zero(y) {
                return x;
            }
        }
        self.float_binary(Op::FloatAdd, a, b)
    }

    pub fn float_sub(&mut self, a: Term, b: Term) -> Term {
        if self.is_float_value(b, 0) {
            return a;
        }
        self.float_binary(Op::FloatSub, a, b)
    }

    pub fn float_mul(&mut self, a: Term, b: Term) -> Term {
        let (a, b) = (a.min(b), a.max(b));
        for (x, y) in [(a, b), (b, a)] {
            if self.is_float_value(y, 1) {
                return x;
            }
        }
        self.float_binary(Op::FloatMul, a, b)
    }

    pub fn float_div(&mut self, a: Term, b: Term) -> Term {
        if self.is_float_value(b, 1) {
            return a;
        }
        self.float_binary(Op::FloatDiv, a, b)
    }

    /// IEEE remainder, as in SMT-LIB: the quotient is rounded to nearest. This is C's `remainder`, not
    /// `fmod`.
    pub fn float_rem(&mut self, a: Term, b: Term) -> Term {
        self.float_binary(Op::FloatRem, a, b)
    }

    fn is_negative_zero(&self, term: Term) -> bool {
        self.as_float(term).is_some_and(|(sort, bits)| {
            soft_float::is_negative(sort, bits) && soft_float::compare(sort, bits, 0) == Some(Ordering::Equal)
        })
    }

    fn float_binary(&mut self, op: Op, a: Term, b: Term) -> Term {
        let sort = self.float_sort(a);
        self.expect_sort(b, Sort::Float(sort), "float arithmetic");
        if let (Some(x), Some(y)) = (self.float_bits(a), self.float_bits(b))
            && let Some(result) = soft_float::binary(op, sort, x, y)
        {
            return self.float(sort, result);
        }
        for x in [a, b] {
            if self.float_bits(x) == Some(soft_float::nan(sort)) {
                return x;
            }
        }
        let cases = self.by_cases(&[a, b], &mut |terms, args| Some(terms.float_binary(op, args[0], args[1])));
        cases.unwrap_or_else(|| self.app(op, &[a, b], Sort::Float(sort)))
    }

    pub fn float_sqrt(&mut self, a: Term) -> Term {
        self.float_unary(Op::FloatSqrt, a)
    }

    pub fn float_neg(&mut self, a: Term) -> Term {
        match self.args_of(a, Op::FloatNeg) {
            Some([inner]) => inner,
            None => self.float_unary(Op::FloatNeg, a),
        }
    }

    pub fn float_abs(&mut self, a: Term) -> Term {
        if let Some([inner]) = self.args_of(a, Op::FloatNeg) {
            return self.float_abs(inner);
        }
        match self.args_of::<1>(a, Op::FloatAbs) {
            Some(_) => a,
            None => self.float_unary(Op::FloatAbs, a),
        }
    }

    pub fn float_round_to_integral(&mut self, rounding: Rounding, a: Term) -> Term {
        // Integral already.
        if let Some((Op::FloatRoundToIntegral(_), _)) = self.as_app(a) {
            return a;
        }
        self.float_unary(Op::FloatRoundToIntegral(rounding), a)
    }

    fn float_unary(&mut self, op: Op, a: Term) -> Term {
        let sort = self.float_sort(a);
        if let Some(bits) = self.float_bits(a)
            && let Some(result) = soft_float::unary(op, sort, bits)
        {
            return self.float(sort, result);
        }
        let cases = self.by_cases(&[a], &mut |terms, args| Some(terms.float_unary(op, args[0])));
        cases.unwrap_or_else(|| self.app(op, &[a], Sort::Float(sort)))
    }

    /// An operator that rounds in this direction, to the format `to`.
    pub fn float_rounded(&mut self, op: FloatOp, rounding: Rounding, args: &[Term], to: FloatSort) -> Term {
        if rounding == Rounding::NearestEven {
            match (op, args) {
                (FloatOp::Add, &[a, b]) => return self.float_add(a, b),
                (FloatOp::Sub, &[a, b]) => return self.float_sub(a, b),
                (FloatOp::Mul, &[a, b]) => return self.float_mul(a, b),
                (FloatOp::Div, &[a, b]) => return self.float_div(a, b),
                (FloatOp::Sqrt, &[a]) => return self.float_sqrt(a),
                (FloatOp::FromFloat, &[a]) => return self.float_to_float(a, to),
                (FloatOp::FromSbv, &[a]) => return self.float_from_sbv(a, to),
                (FloatOp::FromUbv, &[a]) => return self.float_from_ubv(a, to),
                _ => {}
            }
        }
        if let Some(bits) = self.rounded_constant(op, rounding, args, to) {
            return self.float(to, bits);
        }
        let cases = self.by_cases(args, &mut |terms, args| Some(terms.float_rounded(op, rounding, args, to)));
        cases.unwrap_or_else(|| self.app(Op::FloatRounded(op, rounding), args, Sort::Float(to)))
    }

    fn rounded_constant(
        &self,
        op: FloatOp,
        rounding: Rounding,
        args: &[Term],
        to: FloatSort,
    ) -> Option<u128> {
        if let (FloatOp::FromSbv | FloatOp::FromUbv, &[a]) = (op, args) {
            let (width, bits) = (self.bv_width(a), self.bits_of(a)?);
            let value =
                if op == FloatOp::FromSbv { crate::bits::to_signed(width, bits) } else { bits as i128 };
            return Some(soft_float::from_int_rounded(rounding, to, value, op == FloatOp::FromSbv));
        }
        let bits: Option<Vec<u128>> = args.iter().map(|&arg| self.float_bits(arg)).collect();
        let bits = bits?;
        match (op, bits.as_slice()) {
            (FloatOp::FromFloat, &[a]) => {
                Some(soft_float::convert_rounded(rounding, self.float_sort(args[0]), to, a))
            }
            _ => soft_float::rounded(op, rounding, to, &bits),
        }
    }

    /// C's `==`.
    pub fn float_eq(&mut self, a: Term, b: Term) -> Term {
        self.float_comparison(Op::FloatEq, a.min(b), a.max(b))
    }

    pub fn float_lt(&mut self, a: Term, b: Term) -> Term {
        self.float_comparison(Op::FloatLt, a, b)
    }

    pub fn float_le(&mut self, a: Term, b: Term) -> Term {
        self.float_comparison(Op::FloatLe, a, b)
    }

    pub fn float_gt(&mut self, a: Term, b: Term) -> Term {
        self.float_lt(b, a)
    }

    pub fn float_ge(&mut self, a: Term, b: Term) -> Term {
        self.float_le(b, a)
    }

    fn float_comparison(&mut self, op: Op, a: Term, b: Term) -> Term {
        let sort = self.float_sort(a);
        self.expect_sort(b, Sort::Float(sort), "float comparison");
        if a == b {
            // NaN differs from itself.
            if op == Op::FloatLt {
                return Self::FALSE;
            }
            let is_nan = self.float_is_nan(a);
            return self.not(is_nan);
        }
        let (left, right) = (self.float_bits(a), self.float_bits(b));
        if let (Some(x), Some(y)) = (left, right) {
            let holds = soft_float::compare(sort, x, y).is_some_and(|ordering| match op {
                Op::FloatEq => ordering.is_eq(),
                Op::FloatLt => ordering.is_lt(),
                _ => ordering.is_le(),
            });
            return self.bool(holds);
        }
        if left.or(right) == Some(soft_float::nan(sort)) {
            return Self::FALSE;
        }
        let pushed = if right.is_some() {
            self.push_comparison(a, |terms, leaf| terms.float_comparison(op, leaf, b))
        } else if left.is_some() {
            self.push_comparison(b, |terms, leaf| terms.float_comparison(op, a, leaf))
        } else {
            None
        };
        pushed.unwrap_or_else(|| self.app(op, &[a, b], Sort::Bool))
    }

    pub fn float_is_nan(&mut self, a: Term) -> Term {
        let mut inner = a;
        // These make no NaN of what is none, and none of a NaN.
        while let Some((Op::FloatNeg | Op::FloatAbs | Op::FloatToFloat | Op::FloatRoundToIntegral(_), args)) =
            self.as_app(inner)
        {
            inner = args[0];
        }
        match self.as_app(inner) {
            Some((Op::FloatFromSbv | Op::FloatFromUbv, _)) => Self::FALSE,
            _ => self.float_test(Op::FloatIsNan, inner, soft_float::is_nan),
        }
    }

    pub fn float_is_inf(&mut self, a: Term) -> Term {
        match self.as_app(a) {
            Some((Op::FloatNeg | Op::FloatAbs, args)) => {
                let inner = args[0];
                self.float_is_inf(inner)
            }
            _ => self.float_test(Op::FloatIsInf, a, soft_float::is_infinite),
        }
    }

    /// The sign bit of what is no NaN.
    pub fn float_is_negative(&mut self, a: Term) -> Term {
        if self.args_of::<1>(a, Op::FloatAbs).is_some() {
            return Self::FALSE;
        }
        self.float_test(Op::FloatIsNegative, a, soft_float::is_negative)
    }

    fn float_test(&mut self, op: Op, a: Term, test: fn(FloatSort, u128) -> bool) -> Term {
        let sort = self.float_sort(a);
        if let Some(bits) = self.float_bits(a) {
            return self.bool(test(sort, bits));
        }
        if let Some(pushed) = self.push_comparison(a, |terms, leaf| terms.float_test(op, leaf, test)) {
            return pushed;
        }
        self.app(op, &[a], Sort::Bool)
    }

    pub fn float_to_float(&mut self, a: Term, to: FloatSort) -> Term {
        let from = self.float_sort(a);
        if from == to {
            return a;
        }
        if let Some(bits) = self.float_bits(a) {
            return self.float(to, soft_float::convert(from, to, bits));
        }
        // To a wider format and back.
        if let Some([inner]) = self.args_of(a, Op::FloatToFloat)
            && self.float_sort(inner) == to
            && to < from
        {
            return inner;
        }
        let cases = self.by_cases(&[a], &mut |terms, args| Some(terms.float_to_float(args[0], to)));
        cases.unwrap_or_else(|| self.app(Op::FloatToFloat, &[a], Sort::Float(to)))
    }

    pub fn float_from_sbv(&mut self, a: Term, to: FloatSort) -> Term {
        let width = self.bv_width(a);
        if let Some(bits) = self.bits_of(a) {
            return self.float(to, soft_float::from_signed(to, crate::bits::to_signed(width, bits)));
        }
        self.float_from_int(Op::FloatFromSbv, a, to)
    }

    pub fn float_from_ubv(&mut self, a: Term, to: FloatSort) -> Term {
        if let Some(bits) = self.bits_of(a) {
            return self.float(to, soft_float::from_unsigned(to, bits));
        }
        self.float_from_int(Op::FloatFromUbv, a, to)
    }

    fn float_from_int(&mut self, op: Op, a: Term, to: FloatSort) -> Term {
        self.bv_width(a); // asserts the sort
        let pushed = self.push_unary(a, |terms, leaf| match op {
            Op::FloatFromSbv => terms.float_from_sbv(leaf, to),
            _ => terms.float_from_ubv(leaf, to),
        });
        pushed.unwrap_or_else(|| self.app(op, &[a], Sort::Float(to)))
    }

    /// Truncation to a signed integer; anything if it does not fit.
    pub fn float_to_sbv(&mut self, a: Term, width: u8) -> Term {
        self.float_to_int(Op::FloatToSbv, a, width)
    }

    /// Truncation to an unsigned integer; anything if it does not fit.
    pub fn float_to_ubv(&mut self, a: Term, width: u8) -> Term {
        self.float_to_int(Op::FloatToUbv, a, width)
    }

    fn float_to_int(&mut self, op: Op, a: Term, width: u8) -> Term {
        let sort = self.float_sort(a);
        assert!((1..=128).contains(&width), "bit-vectors have 1 to 128 bits, not {width}");
        if let Some(bits) = self.float_bits(a)
            && let Some(result) = soft_float::to_int(sort, bits, width, op == Op::FloatToSbv)
        {
            return self.bv(width, result);
        }
        let cases = self.by_cases(&[a], &mut |terms, args| Some(terms.float_to_int(op, args[0], width)));
        cases.unwrap_or_else(|| self.app(op, &[a], Sort::Bv(width)))
    }

    /// The float with these bits; x87 takes 79, without the leading one.
    pub fn float_from_bits(&mut self, a: Term, to: FloatSort) -> Term {
        let (exponent, significand) = to.shape();
        let width = self.bv_width(a);
        assert!(u32::from(width) == exponent + significand, "{to:?} has not {width} bits");
        match self.bits_of(a) {
            Some(bits) => self.float(to, soft_float::from_smt_bits(to, bits)),
            None => self.app(Op::FloatFromBits, &[a], Sort::Float(to)),
        }
    }
}
