//! Floating-point functions that IEEE 754 and the solver's theory define alike.
//!
//! Limits: the sign of a NaN is not part of the theory, so functions that show it are any value there;
//! `fmod`, `remainder` and functions of exponents are exact for constants and choices of constants only,
//! since solvers unfold them into numbers of thousands of bits.

use super::{Answer, INT};
use crate::arithmetic::Encoding;
use crate::encoder::Encoder;
use crate::shape::{Shape, float_sort};
use crate::state::State;
use crate::value::Value;
use summa_c::float::{self, Direction};
use summa_c::tree::{BinaryOp, ExprId, PlaceId};
use summa_c::types::FloatKind;
use summa_cfa::library::{Math, Rounded};
use summa_term::{FloatOp, FloatSort, Rounding, Sort, Term, Terms, bits};

impl Encoder<'_> {
    pub(super) fn math(
        &mut self,
        state: &mut State,
        function: Math,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) -> Option<Answer> {
        let &first = args.first()?;
        let sort = float_sort(&self.cfa.program.types, self.cfa.program.exprs.type_of(first))?;
        let x = self.value(state, first).scalar()?;
        if let Some(answer) = self.classify(function, sort, x) {
            return Some(answer);
        }
        let kind = self.cfa.program.types.float_kind(self.cfa.program.exprs.type_of(first))?;
        match function {
            Math::Modf => return self.modf(state, args, sort, x),
            Math::Frexp | Math::Ldexp | Math::Ilogb => {
                return self.exponent(state, function, args, kind, x);
            }
            _ => {}
        }
        let y = match args.get(1) {
            Some(&second) => {
                let value = self.value(state, second).scalar()?;
                matches!(self.terms.sort(value), Sort::Float(_))
                    .then(|| self.terms.float_to_float(value, sort))?
            }
            None => x,
        };
        use Rounding::*;
        let to_integral = |encoder: &mut Self, rounding| encoder.terms.float_round_to_integral(rounding, x);
        Some(Answer::Float(match function {
            Math::Fabs => self.terms.float_abs(x),
            Math::Sqrt => self.terms.float_sqrt(x),
            Math::Floor => to_integral(self, Down),
            Math::Ceil => to_integral(self, Up),
            Math::Trunc => to_integral(self, Zero),
            Math::Round => to_integral(self, NearestAway),
            Math::Rint | Math::Nearbyint => to_integral(self, NearestEven),
            Math::Lround | Math::Llround => return self.rounded_number(NearestAway, x, result),
            Math::Lrint | Math::Llrint => return self.rounded_number(NearestEven, x, result),
            Math::Fmin | Math::Fmax => self.extremum(function, x, y),
            Math::Fdim => self.positive_difference(sort, x, y),
            Math::Copysign => {
                let is_negative = self.sign_bit(y);
                self.with_sign(is_negative, x)
            }
            Math::Remainder if self.are_known(x, y) => self.terms.float_rem(x, y),
            Math::Fmod if self.are_known(x, y) => self.truncated_remainder(x, y),
            Math::Fma => {
                let &third = args.get(2)?;
                let z = self.value(state, third).scalar()?;
                let z = matches!(self.terms.sort(z), Sort::Float(_))
                    .then(|| self.terms.float_to_float(z, sort))?;
                self.terms.float_rounded(FloatOp::Fma, NearestEven, &[x, y, z], sort)
            }
            Math::Logb => {
                let of = |bits| float::exponent_as_float(kind, bits);
                self.of_constants(&[x], |terms, args| terms.float(sort, of(args[0])))?
            }
            Math::Nextafter => {
                let of = |x, y| float::next_after(kind, x, y);
                self.of_constants(&[x, y], |terms, args| terms.float(sort, of(args[0], args[1])))?
            }
            _ => return None,
        }))
    }

    fn are_known(&self, x: Term, y: Term) -> bool {
        self.terms.is_choice_of_constants(x) && self.terms.is_choice_of_constants(y)
    }

    /// A function of constants, or of choices among them, by their bits.
    fn of_constants(&mut self, args: &[Term], of: impl Fn(&mut Terms, &[u128]) -> Term) -> Option<Term> {
        let mut build = |terms: &mut Terms, args: &[Term]| {
            let bits: Option<Vec<u128>> =
                args.iter().map(|&arg| terms.as_float(arg).map(|(_, bits)| bits)).collect();
            Some(of(terms, &bits?))
        };
        build(&mut self.terms, args).or_else(|| self.terms.by_cases(args, &mut build))
    }

    /// `frexp`, `ldexp`, `ilogb`: numbers are taken apart and put together.
    fn exponent(
        &mut self,
        state: &mut State,
        function: Math,
        args: &[ExprId],
        kind: FloatKind,
        x: Term,
    ) -> Option<Answer> {
        let (sort, encoding) = (self.terms.float_sort(x), self.encoding);
        let number = |terms: &mut Terms, value: i32| match encoding {
            Encoding::Int => terms.int(value),
            Encoding::BitVector => terms.bv(INT.width, u128::from(value as u32)),
        };
        match function {
            Math::Ilogb => {
                let exponent =
                    self.of_constants(&[x], |terms, args| number(terms, float::exponent(kind, args[0])))?;
                Some(Answer::Int(INT, exponent))
            }
            Math::Frexp => {
                let exponent =
                    self.of_constants(&[x], |terms, args| number(terms, float::split(kind, args[0]).1))?;
                let fraction =
                    self.of_constants(&[x], |terms, args| terms.float(sort, float::split(kind, args[0]).0))?;
                let (spot, int) = (self.spot_arg(state, args, 1)?, self.cfa.program.types.int);
                self.store_at(state, spot, int, &Value::Scalar(exponent))?;
                Some(Answer::Float(fraction))
            }
            Math::Ldexp => {
                let by = self.int_arg(state, args, 1, INT)?;
                let build = |terms: &mut Terms, args: &[Term]| {
                    let (_, bits) = terms.as_float(args[0])?;
                    let by = match encoding {
                        Encoding::Int => i128::try_from(terms.as_int(args[1])?).ok()?,
                        Encoding::BitVector => {
                            terms.as_bv(args[1]).map(|(width, bits)| bits::to_signed(width, bits))?
                        }
                    };
                    let by = by.clamp(-100_000, 100_000) as i32;
                    Some(terms.float(sort, float::scale(kind, bits, by)))
                };
                let scaled = build(&mut self.terms, &[x, by]);
                let scaled = scaled.or_else(|| self.terms.by_cases(&[x, by], &mut { build }));
                Some(Answer::Float(scaled?))
            }
            _ => None,
        }
    }

    /// An operation in the rounding mode that is the first argument; a number that is no mode does not occur.
    pub(super) fn rounded(
        &mut self,
        state: &State,
        rounded: Rounded,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) -> Option<Answer> {
        let mode = self.int_arg(state, args, 0, INT)?;
        let types = &self.cfa.program.types;
        let source = self.cfa.program.exprs.type_of(*args.get(1)?);
        let (from, from_float) = (Shape::of(types, source), float_sort(types, source));
        let to = float_sort(types, self.cfa.program.exprs.place(result?).ty)?;
        let mut operands = Vec::new();
        for &arg in &args[1..] {
            operands.push(self.value(state, arg).scalar()?);
        }
        let op = match rounded {
            Rounded::Add => Some(FloatOp::Add),
            Rounded::Sub => Some(FloatOp::Sub),
            Rounded::Mul => Some(FloatOp::Mul),
            Rounded::Div => Some(FloatOp::Div),
            Rounded::Sqrt => Some(FloatOp::Sqrt),
            Rounded::Fma => Some(FloatOp::Fma),
            Rounded::Convert if from_float.is_some() => Some(FloatOp::FromFloat),
            Rounded::Integral | Rounded::Convert => None,
        };
        let in_mode = |encoder: &mut Self, rounding: Rounding| match (op, rounded) {
            (Some(op), _) => Some(encoder.terms.float_rounded(op, rounding, &operands, to)),
            (None, Rounded::Integral) => Some(encoder.terms.float_round_to_integral(rounding, operands[0])),
            (None, _) => encoder.arithmetic.to_float(&mut encoder.terms, rounding, from?, to, operands[0]),
        };
        let mut value = in_mode(self, Rounding::NearestEven)?;
        let directed = [
            (Direction::Down, Rounding::Down),
            (Direction::Up, Rounding::Up),
            (Direction::Zero, Rounding::Zero),
        ];
        for (direction, rounding) in directed {
            let is_set = self.is(BinaryOp::Eq, INT, mode, direction.number());
            if self.terms.as_bool(is_set) == Some(false) {
                continue;
            }
            let other = in_mode(self, rounding)?;
            value = self.terms.ite(is_set, other, value);
        }
        Some(Answer::Float(value))
    }

    /// Questions about a float; the answer is an `int`.
    fn classify(&mut self, function: Math, sort: FloatSort, x: Term) -> Option<Answer> {
        let number = |encoder: &mut Self, condition: Term, yes: i128, no: Term| {
            let yes = encoder.number(INT, yes);
            encoder.terms.ite(condition, yes, no)
        };
        let (is_nan, is_inf) = (self.terms.float_is_nan(x), self.terms.float_is_inf(x));
        let zero = self.number(INT, 0);
        let answer = match function {
            Math::Isnan => number(self, is_nan, 1, zero),
            Math::Isinf => number(self, is_inf, 1, zero),
            Math::IsinfSign => {
                let is_negative = self.terms.float_is_negative(x);
                let (minus, plus) = (self.number(INT, -1), self.number(INT, 1));
                let signed = self.terms.ite(is_negative, minus, plus);
                self.terms.ite(is_inf, signed, zero)
            }
            Math::Isfinite => {
                let neither = self.terms.or2(is_nan, is_inf);
                let is_finite = self.terms.not(neither);
                number(self, is_finite, 1, zero)
            }
            Math::Isnormal => {
                let (is_large, is_finite) = (self.reaches_normal(sort, x), self.terms.not(is_inf));
                let is_normal = self.terms.and2(is_large, is_finite);
                number(self, is_normal, 1, zero)
            }
            Math::Signbit => {
                let is_negative = self.sign_bit(x);
                number(self, is_negative, 1, zero)
            }
            // FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL.
            Math::Fpclassify => {
                let none = self.terms.float(sort, 0);
                let (is_zero, is_large) = (self.terms.float_eq(x, none), self.reaches_normal(sort, x));
                let subnormal = self.number(INT, 3);
                let rest = number(self, is_large, 4, subnormal);
                let rest = number(self, is_zero, 2, rest);
                let rest = number(self, is_inf, 1, rest);
                self.terms.ite(is_nan, zero, rest)
            }
            _ => return None,
        };
        Some(Answer::Int(INT, answer))
    }

    /// Is the magnitude at least that of the smallest normal number?
    fn reaches_normal(&mut self, sort: FloatSort, x: Term) -> Term {
        let bits = match sort {
            FloatSort::F32 => 1 << 23,
            FloatSort::F64 => 1 << 52,
            FloatSort::F80 => 0b11 << 63,
            FloatSort::F128 => 1 << 112,
        };
        let (smallest, magnitude) = (self.terms.float(sort, bits), self.terms.float_abs(x));
        self.terms.float_le(smallest, magnitude)
    }

    /// The sign bit, which may be anything if the value is no number.
    fn sign_bit(&mut self, x: Term) -> Term {
        let (is_nan, is_negative) = (self.terms.float_is_nan(x), self.terms.float_is_negative(x));
        if self.terms.as_bool(is_nan) == Some(false) {
            return is_negative;
        }
        self.note("the sign of a NaN");
        let any = self.fresh("any.truth", Sort::Bool);
        self.terms.ite(is_nan, any, is_negative)
    }

    fn with_sign(&mut self, is_negative: Term, x: Term) -> Term {
        let magnitude = self.terms.float_abs(x);
        let negated = self.terms.float_neg(magnitude);
        self.terms.ite(is_negative, negated, magnitude)
    }

    fn extremum(&mut self, function: Math, x: Term, y: Term) -> Term {
        let (x_is_nan, y_is_nan) = (self.terms.float_is_nan(x), self.terms.float_is_nan(y));
        let first = match function {
            Math::Fmin => self.terms.float_le(x, y),
            _ => self.terms.float_ge(x, y),
        };
        let first = self.terms.or2(y_is_nan, first);
        let smaller = self.terms.ite(first, x, y);
        self.terms.ite(x_is_nan, y, smaller)
    }

    fn positive_difference(&mut self, sort: FloatSort, x: Term, y: Term) -> Term {
        let (x_is_nan, y_is_nan) = (self.terms.float_is_nan(x), self.terms.float_is_nan(y));
        let (is_greater, difference) = (self.terms.float_gt(x, y), self.terms.float_sub(x, y));
        let none = self.terms.float(sort, 0);
        let result = self.terms.ite(is_greater, difference, none);
        let result = self.terms.ite(y_is_nan, y, result);
        self.terms.ite(x_is_nan, x, result)
    }

    /// `fmod`: from the remainder that rounds to nearest, one period up where it is negative; both steps are
    /// exact.
    fn truncated_remainder(&mut self, x: Term, y: Term) -> Term {
        let (magnitude, period) = (self.terms.float_abs(x), self.terms.float_abs(y));
        let nearest = self.terms.float_rem(magnitude, period);
        let none = self.terms.float(self.terms.float_sort(x), 0);
        let (is_below, raised) = (self.terms.float_lt(nearest, none), self.terms.float_add(nearest, period));
        let remainder = self.terms.ite(is_below, raised, nearest);
        let is_negative = self.terms.float_is_negative(x);
        self.with_sign(is_negative, remainder)
    }

    /// `lround` and the like: rounded, then converted to the type of the result.
    fn rounded_number(&mut self, rounding: Rounding, x: Term, result: Option<PlaceId>) -> Option<Answer> {
        let Some(place) = result else { return Some(Answer::Nothing) };
        let to = Shape::of(&self.cfa.program.types, self.cfa.program.exprs.place(place).ty)?;
        let whole = self.terms.float_round_to_integral(rounding, x);
        Some(Answer::Int(to, self.arithmetic.of_float(&mut self.terms, to, whole)?))
    }

    /// The whole part goes to memory, the fraction is the answer; both have the sign of the argument.
    fn modf(&mut self, state: &mut State, args: &[ExprId], sort: FloatSort, x: Term) -> Option<Answer> {
        let spot = self.spot_arg(state, args, 1)?;
        let ty = self.cfa.program.exprs.type_of(*args.first()?);
        let whole = self.terms.float_round_to_integral(Rounding::Zero, x);
        self.store_at(state, spot, ty, &Value::Scalar(whole))?;
        let (is_inf, none) = (self.terms.float_is_inf(x), self.terms.float(sort, 0));
        let difference = self.terms.float_sub(x, whole);
        let fraction = self.terms.ite(is_inf, none, difference);
        // Of a NaN the fraction is one too, whatever its sign.
        let is_negative = self.terms.float_is_negative(x);
        Some(Answer::Float(self.with_sign(is_negative, fraction)))
    }
}
