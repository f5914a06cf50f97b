//! Intervals with a stride, and C's arithmetic on them.
//!
//! `[lo, hi]` with step s is { lo, lo + s, …, hi }: bounds and a congruence in one, always in normal form
//! (both ends are elements, the step is 0 exactly for one number). Operators compute the exact result first,
//! in numbers that are wide enough, then wrap it around into the type: a result that crosses the border of
//! the type once becomes the hull of its two pieces.
//!
//! Paper: Reps, Balakrishnan, Lim, *Intermediate-representation recovery from low-level code*, PEPM 2006
//! (strided intervals). Best possible for + - and unary operators (as an interval), for & | ^ on intervals
//! without stride.

use super::bits;
use super::congruence::{both_congruences, gcd};
use crate::scalars::{NumberSet, Shape};
use serde_json::Value as Json;
use summa_c::tree::{BinaryOp, UnaryOp};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Interval {
    lo: i128,
    hi: i128,
    step: i128,
}

impl Interval {
    pub const fn constant(value: i128) -> Self {
        Self { lo: value, hi: value, step: 0 }
    }

    /// All numbers from `lo` to `hi`; none if `hi` is smaller.
    pub fn between(lo: i128, hi: i128) -> Option<Self> {
        Self::strided(lo, hi, lo, 1)
    }

    /// The numbers from `lo` to `hi` that are `residue` modulo `step` (0: that are `residue`).
    pub fn strided(lo: i128, hi: i128, residue: i128, step: i128) -> Option<Self> {
        if step == 0 {
            return (lo..=hi).contains(&residue).then_some(Self::constant(residue));
        }
        let first = lo + (residue - lo).rem_euclid(step);
        let last = hi - (hi - residue).rem_euclid(step);
        (first <= last).then_some(Self { lo: first, hi: last, step: if first == last { 0 } else { step } })
    }

    fn of_shape(shape: Shape) -> Self {
        Self { lo: shape.min(), hi: shape.max(), step: 1 }
    }

    pub fn lower(self) -> i128 {
        self.lo
    }

    pub fn upper(self) -> i128 {
        self.hi
    }

    /// Elements differ by multiples of it; 0 if there is only one.
    pub fn step(self) -> i128 {
        self.step
    }

    pub fn as_constant(self) -> Option<i128> {
        (self.step == 0).then_some(self.lo)
    }

    fn is_within(self, lo: i128, hi: i128) -> bool {
        lo <= self.lo && self.hi <= hi
    }

    /// The part between two bounds.
    fn clip(self, lo: i128, hi: i128) -> Option<Self> {
        Self::strided(self.lo.max(lo), self.hi.min(hi), self.lo, self.step)
    }

    fn offset(self, by: i128) -> Self {
        Self { lo: self.lo + by, hi: self.hi + by, ..self }
    }

    fn union(self, other: Self) -> Self {
        let step = gcd(gcd(self.step, other.step), self.lo.abs_diff(other.lo) as i128);
        Self { lo: self.lo.min(other.lo), hi: self.hi.max(other.hi), step }
    }

    /// The exact numbers, reduced modulo 2^width into the type; `_Bool` is no such type.
    fn wrap(self, shape: Shape) -> Self {
        let (min, max) = (shape.min(), shape.max());
        if self.is_within(min, max) {
            return self;
        }
        let modulus = max - min + 1;
        if self.hi.checked_sub(self.lo).is_none_or(|extent| extent >= modulus) {
            // Every number that the congruence modulo a power of two allows.
            let step = gcd(self.step, modulus);
            return Self::strided(min, max, self.lo, step).unwrap_or(Self::of_shape(shape));
        }
        let turns = (self.lo - min).div_euclid(modulus);
        let moved = self.offset(-turns * modulus);
        match (moved.clip(min, max), moved.clip(max + 1, max + modulus)) {
            (Some(below), Some(above)) => below.union(above.offset(-modulus)),
            (Some(below), None) => below,
            (None, Some(above)) => above.offset(-modulus),
            (None, None) => Self::of_shape(shape),
        }
    }

    // ---- exact arithmetic; None where 128 bits are too few ----

    fn add(self, other: Self) -> Self {
        Self { lo: self.lo + other.lo, hi: self.hi + other.hi, step: gcd(self.step, other.step) }
    }

    fn negate(self) -> Self {
        Self { lo: -self.hi, hi: -self.lo, ..self }
    }

    fn multiply(self, other: Self) -> Option<Self> {
        let (mut lo, mut hi) = (i128::MAX, i128::MIN);
        for a in [self.lo, self.hi] {
            for b in [other.lo, other.hi] {
                let product = a.checked_mul(b)?;
                (lo, hi) = (lo.min(product), hi.max(product));
            }
        }
        // (a + i s)(b + j t) = ab + i s b + j t a + i j s t
        let across = self.step.checked_mul(other.lo)?;
        let along = other.step.checked_mul(self.lo)?;
        let both = self.step.checked_mul(other.step)?;
        let step = gcd(gcd(across, along), both);
        Some(Self { lo, hi, step: if lo == hi { 0 } else { step } })
    }

    /// Division towards zero by numbers of one sign.
    fn divide(self, by: Self) -> Option<Self> {
        if let Some(divisor) = by.as_constant()
            && self.lo % divisor == 0
            && self.step % divisor == 0
        {
            let (a, b) = (self.lo / divisor, self.hi / divisor);
            return Some(Self { lo: a.min(b), hi: a.max(b), step: (self.step / divisor).abs() });
        }
        let corners = [self.lo / by.lo, self.lo / by.hi, self.hi / by.lo, self.hi / by.hi];
        Self::between(corners.into_iter().min()?, corners.into_iter().max()?)
    }

    /// Remainder, with the sign of the dividend; the divisor is not zero.
    fn remainder(self, by: Self) -> Option<Self> {
        if let Some(divisor) = by.as_constant()
            && self.lo / divisor == self.hi / divisor
            && (self.lo >= 0) == (self.hi >= 0)
        {
            return Some(self.offset(-(self.lo / divisor) * divisor));
        }
        let smallest = if by.lo > 0 {
            by.lo
        } else if by.hi < 0 {
            -by.hi
        } else {
            1
        };
        if self.is_within(1 - smallest, smallest - 1) {
            return Some(self);
        }
        let most = by.lo.abs().max(by.hi.abs()) - 1;
        let lo = if self.lo < 0 { self.lo.max(-most) } else { 0 };
        let hi = if self.hi > 0 { self.hi.min(most) } else { 0 };
        // What is subtracted is a multiple of the divisor.
        Self::strided(lo, hi, self.lo, gcd(self.step, gcd(by.lo, by.step)))
    }

    /// The parts below and above zero.
    fn without_zero(self) -> [Option<Self>; 2] {
        [self.clip(self.lo, -1), self.clip(1, self.hi)]
    }

    fn shift(op: BinaryOp, shape: Shape, a: Self, b: Self) -> Option<Self> {
        if !b.is_within(0, i128::from(shape.width) - 1) {
            return None;
        }
        let mut all: Option<Self> = None;
        let mut amount = b.lo;
        while amount <= b.hi {
            let power = 1i128 << amount;
            let shifted = if op == BinaryOp::Shl {
                a.multiply(Self::constant(power))?.wrap(shape)
            } else {
                let (lo, hi) = (a.lo >> amount, a.hi >> amount);
                let step = if a.step % power == 0 { a.step >> amount } else { 1 };
                Self { lo, hi, step: if lo == hi { 0 } else { step } }
            };
            all = Some(all.map_or(shifted, |all| all.union(shifted)));
            amount += b.step.max(1);
        }
        all
    }

    fn bitwise(op: BinaryOp, shape: Shape, a: Self, b: Self) -> Option<Self> {
        let (lo, hi) = bits::bounds(op, shape, (a.lo, a.hi), (b.lo, b.hi))?;
        // Low bits that both operands know are known in the result; bits below a mask are zero.
        let known = trailing(a.step).min(trailing(b.step)).min(shape.width);
        let low = match op {
            BinaryOp::And => a.lo & b.lo,
            BinaryOp::Or => a.lo | b.lo,
            _ => a.lo ^ b.lo,
        };
        let cleared = if op == BinaryOp::And {
            trailing(a.lo).min(trailing(a.step)).max(trailing(b.lo).min(trailing(b.step))).min(shape.width)
        } else {
            0
        };
        let (residue, step) = if cleared > known { (0, 1 << cleared) } else { (low, 1 << known) };
        Self::strided(lo, hi, residue, step).or_else(|| Self::between(lo, hi))
    }
}

/// Trailing zeros; all of them for 0.
fn trailing(value: i128) -> u32 {
    if value == 0 { 127 } else { value.trailing_zeros() }
}

impl NumberSet for Interval {
    const NAME: &'static str = "interval";
    const WHAT: &'static str = "bounds and congruences of integers";

    fn all(shape: Shape) -> Self {
        Self::of_shape(shape)
    }

    fn only(value: i128) -> Self {
        Self::constant(value)
    }

    fn nonzero(shape: Shape) -> Self {
        let all = Self::of_shape(shape);
        all.satisfying(BinaryOp::Ne, Self::constant(0)).unwrap_or(all)
    }

    fn contains(self, value: i128) -> bool {
        (self.lo..=self.hi).contains(&value) && (self.step == 0 || (value - self.lo) % self.step == 0)
    }

    fn bounds(self, _: Shape) -> (i128, i128) {
        (self.lo, self.hi)
    }

    fn congruence(self) -> Option<(i128, i128)> {
        let modulus = self.step.max(1);
        Some((modulus, self.lo.rem_euclid(modulus)))
    }

    fn is_subset(self, other: Self) -> bool {
        other.contains(self.lo)
            && other.contains(self.hi)
            && (self.step == 0 || other.step != 0 && self.step % other.step == 0)
    }

    fn join(self, other: Self) -> Self {
        self.union(other)
    }

    fn meet(self, other: Self) -> Option<Self> {
        let (lo, hi) = (self.lo.max(other.lo), self.hi.min(other.hi));
        let (residue, step) = match (self.step, other.step) {
            (0, _) => return other.contains(self.lo).then_some(self),
            (_, 0) => return self.contains(other.lo).then_some(other),
            _ => both_congruences((self.lo, self.step), (other.lo, other.step))?,
        };
        Self::strided(lo, hi, residue, step)
    }

    fn widen(self, next: Self, shape: Shape, thresholds: &[i128]) -> Self {
        let both = self.union(next);
        let lo = if both.lo < self.lo {
            let below = thresholds[..thresholds.partition_point(|&t| t <= both.lo)].last();
            below.copied().unwrap_or(shape.min()).max(shape.min())
        } else {
            both.lo
        };
        let hi = if both.hi > self.hi {
            let above = thresholds[thresholds.partition_point(|&t| t < both.hi)..].first();
            above.copied().unwrap_or(shape.max()).min(shape.max())
        } else {
            both.hi
        };
        Self::strided(lo, hi, both.lo, both.step).unwrap_or(both)
    }

    fn cast(self, _: Shape, to: Shape) -> Self {
        if to.is_bool {
            return match self.truth() {
                Some(truth) => Self::constant(truth.into()),
                None => Self::of_shape(to),
            };
        }
        self.wrap(to)
    }

    fn unary(op: UnaryOp, shape: Shape, a: Self) -> Self {
        match op {
            UnaryOp::Neg => a.negate().wrap(shape),
            UnaryOp::BitNot => a.negate().offset(-1).wrap(shape),
        }
    }

    fn binary(op: BinaryOp, shape: Shape, a: Self, b: Self) -> Self {
        let result = match op {
            BinaryOp::Add => Some(a.add(b)),
            BinaryOp::Sub => Some(a.add(b.negate())),
            BinaryOp::Mul => a.multiply(b),
            // Division by zero: anything.
            BinaryOp::Div | BinaryOp::Rem if b.contains(0) => None,
            BinaryOp::Div => {
                let parts = b.without_zero().into_iter().flatten().map(|part| a.divide(part));
                parts.reduce(|x, y| Some(x?.union(y?))).flatten()
            }
            BinaryOp::Rem => a.remainder(b),
            BinaryOp::Shl | BinaryOp::Shr => Self::shift(op, shape, a, b),
            BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => Self::bitwise(op, shape, a, b),
            _ => None,
        };
        result.map_or(Self::of_shape(shape), |exact| exact.wrap(shape))
    }

    fn compare(op: BinaryOp, a: Self, b: Self) -> Option<bool> {
        use BinaryOp::*;
        let known = |holds: bool, fails: bool| {
            if holds {
                Some(true)
            } else if fails {
                Some(false)
            } else {
                None
            }
        };
        match op {
            Eq => known(a == b && a.step == 0, a.meet(b).is_none()),
            Ne => known(a.meet(b).is_none(), a == b && a.step == 0),
            Lt => known(a.hi < b.lo, a.lo >= b.hi),
            Le => known(a.hi <= b.lo, a.lo > b.hi),
            Gt => known(a.lo > b.hi, a.hi <= b.lo),
            Ge => known(a.lo >= b.hi, a.hi < b.lo),
            _ => None,
        }
    }

    fn satisfying(self, op: BinaryOp, other: Self) -> Option<Self> {
        use BinaryOp::*;
        match op {
            Eq => self.meet(other),
            Ne => match other.as_constant() {
                Some(hole) if hole == self.lo => self.clip(hole + 1, self.hi),
                Some(hole) if hole == self.hi => self.clip(self.lo, hole - 1),
                _ => Some(self),
            },
            Lt => self.clip(self.lo, other.hi - 1),
            Le => self.clip(self.lo, other.hi),
            Gt => self.clip(other.lo + 1, self.hi),
            Ge => self.clip(other.lo, self.hi),
            _ => Some(self),
        }
    }

    fn left_operand(op: BinaryOp, shape: Shape, result: Self, left: Self, right: Self) -> Option<Self> {
        let factor = right.as_constant()?;
        match op {
            BinaryOp::Mul if factor != 0 => {
                // Only where no product wraps around.
                let exact = left.multiply(right)?;
                if !exact.is_within(shape.min(), shape.max()) {
                    return None;
                }
                let (least, most) = if factor > 0 { (result.lo, result.hi) } else { (result.hi, result.lo) };
                Self::between(-floor(-least, factor), floor(most, factor))
            }
            BinaryOp::Div if factor > 0 => {
                // Truncation drops up to factor - 1, towards zero.
                let low = result.lo.checked_mul(factor)?;
                let high = result.hi.checked_mul(factor)?;
                let low = if result.lo <= 0 { low.checked_sub(factor - 1)? } else { low };
                let high = if result.hi >= 0 { high.checked_add(factor - 1)? } else { high };
                Self::between(low, high)
            }
            BinaryOp::Shr if (0..i128::from(shape.width)).contains(&factor) => {
                let power = 1i128 << factor;
                Self::between(
                    result.lo.checked_mul(power)?,
                    result.hi.checked_mul(power)?.checked_add(power - 1)?,
                )
            }
            // x % m = r: x ≡ r (mod m).
            BinaryOp::Rem if factor != 0 => {
                Self::strided(left.lo, left.hi, result.as_constant()?, factor.checked_abs()?)
            }
            // x & (2^k - 1) = r: x ≡ r (mod 2^k), also for negative x.
            BinaryOp::And if factor > 0 && (factor & (factor + 1)) == 0 => {
                Self::strided(left.lo, left.hi, result.as_constant()?, factor + 1)
            }
            _ => None,
        }
    }

    fn elements(self, most: usize) -> Option<Vec<i128>> {
        let step = self.step().max(1);
        let count = (self.upper() - self.lower()) / step;
        (count < most as i128).then(|| (0..=count).map(|i| self.lower() + i * step).collect())
    }

    fn to_c(self, name: &str, shape: Shape) -> Vec<String> {
        let number = |value: i128| crate::contract::literal(value, shape.width);
        if let Some(value) = self.as_constant() {
            return number(value).map(|value| format!("{name} == {value}")).into_iter().collect();
        }
        let lower = (self.lo > shape.min()).then(|| number(self.lo)).flatten();
        let upper = (self.hi < shape.max()).then(|| number(self.hi)).flatten();
        let mut clauses: Vec<String> = lower.map(|lower| format!("{lower} <= {name}")).into_iter().collect();
        clauses.extend(upper.map(|upper| format!("{name} <= {upper}")));
        // C's remainder has the sign of the dividend.
        let (step, rest) = (self.step, self.lo.rem_euclid(self.step.max(1)));
        clauses.extend(match (number(step), number(rest), number(rest - step)) {
            _ if step <= 1 => None,
            (Some(step), ..) if rest == 0 => Some(format!("{name} % {step} == 0")),
            (Some(step), Some(rest), _) if self.lo >= 0 => Some(format!("{name} % {step} == {rest}")),
            (Some(step), Some(rest), Some(below)) => {
                Some(format!("({name} % {step} == {rest} || {name} % {step} == {below})"))
            }
            _ => None,
        });
        clauses
    }

    fn show(self, name: &str, shape: Shape) -> String {
        if let Some(value) = self.as_constant() {
            return format!("{name} = {value}");
        }
        let range = match (self.lo - shape.min() >= self.step, shape.max() - self.hi >= self.step) {
            (true, true) => format!("{} ≤ {name} ≤ {}", self.lo, self.hi),
            (true, false) => format!("{} ≤ {name}", self.lo),
            (false, true) => format!("{name} ≤ {}", self.hi),
            (false, false) => name.to_owned(),
        };
        match self.step {
            1 => range,
            step => format!("{range} ≡ {} mod {step}", self.lo.rem_euclid(step)),
        }
    }

    fn code(self) -> [i128; 3] {
        [self.lo, self.hi, self.step]
    }

    fn save(self) -> Json {
        [self.lo, self.hi, self.step].iter().map(i128::to_string).collect()
    }

    fn load(saved: &Json, shape: Shape) -> Option<Self> {
        let parts = saved.as_array()?.iter().map(|part| part.as_str()?.parse().ok());
        let &[lo, hi, step] = &parts.collect::<Option<Vec<i128>>>()?[..] else { return None };
        let is_within = shape.contains(lo) && shape.contains(hi) && lo <= hi;
        // In normal form; numbers of the type have differences that fit.
        let is_normal = || if lo == hi { step == 0 } else { step >= 1 && (hi - lo) % step == 0 };
        (is_within && is_normal()).then_some(Self { lo, hi, step })
    }
}

/// Division towards minus infinity.
fn floor(a: i128, by: i128) -> i128 {
    let quotient = a / by;
    if a % by != 0 && (a < 0) != (by < 0) { quotient - 1 } else { quotient }
}
