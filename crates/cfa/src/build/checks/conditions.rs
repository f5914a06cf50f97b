//! When each operator goes wrong: the conditions of the branches, in a form that suits intervals and linear
//! arithmetic.

use super::{Branches, Signed};
use crate::build::ranges::{Range, exact};
use crate::cfa::{ErrorKind, NodeKind, Op};
use summa_c::tree::{BinaryOp, ExprId, ExprKind};
use summa_c::types::{IntKind, TypeId};

/// Results of types up to this width are computed in `long long`.
const NARROW: u32 = 32;

/// The reason why there is no verdict about overflow after such a shift.
pub const UNDEFINED_SHIFT: &str = "left shift of a negative value or by a bad amount, which is undefined \
                                   (the property `shift` decides it)";

impl Branches<'_> {
    pub(super) fn absolute(&mut self, argument: ExprId, width: u32) {
        let signed = self.signed(self.program.exprs.type_of(argument));
        // Narrower arguments have a positive counterpart; others do not occur.
        if let Some(signed) = signed.filter(|signed| self.checks.overflow && signed.width == width) {
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, argument, signed.min);
        }
    }

    /// `MIN / -1` and `MIN % -1`.
    pub(super) fn quotient(&mut self, signed: Signed, a: ExprId, b: ExprId) {
        if !self.may_be(a, signed.min) || !self.may_be(b, -1) {
            return;
        }
        if self.program.exprs.as_int(b) == Some(-1) {
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, a, signed.min);
        } else if self.program.exprs.as_int(a) == Some(signed.min) {
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, b, -1);
        } else {
            let minus_one = self.int(signed.ty, -1);
            let (yes, no) = self.branch(BinaryOp::Eq, b, minus_one);
            self.current = yes;
            self.fail_if(ErrorKind::Overflow, BinaryOp::Eq, a, signed.min);
            self.join(no);
        }
    }

    /// Sum, difference or product.
    pub(super) fn result(&mut self, signed: Signed, op: BinaryOp, a: ExprId, b: ExprId) {
        let (left, right) = (self.range(a), self.range(b));
        let values = left.zip(right).and_then(|(left, right)| exact(op, left, right));
        // Which limits the result may exceed.
        let above = values.is_none_or(|(_, high)| high > signed.max);
        let below = values.is_none_or(|(low, _)| low < signed.min);
        if !above && !below {
            return;
        }
        match (self.program.exprs.as_int(a), self.program.exprs.as_int(b)) {
            (_, Some(constant)) => self.with_constant(signed, op, a, constant),
            (Some(constant), None) if op == BinaryOp::Sub => {
                // constant - b > MAX, constant - b < MIN
                self.fail_beyond(BinaryOp::Lt, b, constant.checked_sub(signed.max));
                self.fail_beyond(BinaryOp::Gt, b, constant.checked_sub(signed.min));
            }
            (Some(constant), None) => self.with_constant(signed, op, b, constant),
            (None, None) if signed.width <= NARROW => {
                let wide = self.program.types.int_type(IntKind::LongLong);
                let [x, y] = [a, b].map(|operand| self.program.exprs.intern(ExprKind::Cast(operand), wide));
                let value = self.program.exprs.intern(ExprKind::Binary(op, x, y), wide);
                for (is_needed, side, limit) in
                    [(above, BinaryOp::Gt, signed.max), (below, BinaryOp::Lt, signed.min)]
                {
                    if is_needed {
                        let limit = self.int(wide, limit);
                        self.fail_on(ErrorKind::Overflow, side, value, limit);
                    }
                }
            }
            (None, None) if op == BinaryOp::Mul => self.wide_product(signed, a, b, (above, below)),
            // The right operand decides which limit is near, so it is better if its sign is known.
            (None, None) if op == BinaryOp::Add && has_sign(left) && !has_sign(right) => {
                self.wide_sum(signed, op, b, a, (above, below));
            }
            (None, None) => self.wide_sum(signed, op, a, b, (above, below)),
        }
    }

    /// `x op constant`, or the other way round where that is the same.
    fn with_constant(&mut self, signed: Signed, op: BinaryOp, x: ExprId, constant: i128) {
        let Signed { min, max, .. } = signed;
        match op {
            BinaryOp::Add => {
                self.fail_beyond(BinaryOp::Gt, x, max.checked_sub(constant));
                self.fail_beyond(BinaryOp::Lt, x, min.checked_sub(constant));
            }
            BinaryOp::Sub => {
                self.fail_beyond(BinaryOp::Gt, x, max.checked_add(constant));
                self.fail_beyond(BinaryOp::Lt, x, min.checked_add(constant));
            }
            // Division truncates, and that is the right side: for 3 x > 7 the border is 2, for 3 x < -7 it is
            // -2.
            _ if constant > 0 => {
                self.fail_beyond(BinaryOp::Gt, x, max.checked_div(constant));
                self.fail_beyond(BinaryOp::Lt, x, min.checked_div(constant));
            }
            _ if constant < 0 => {
                self.fail_beyond(BinaryOp::Lt, x, max.checked_div(constant));
                self.fail_beyond(BinaryOp::Gt, x, min.checked_div(constant));
            }
            _ => {}
        }
    }

    /// `a + b` and `a - b` in a type without a wider one: where b ≥ 0, `a > MAX - b` and `a < MIN + b`,
    /// elsewhere `a < MIN - b` and `a > MAX + b`.
    fn wide_sum(&mut self, signed: Signed, op: BinaryOp, a: ExprId, b: ExprId, (above, below): (bool, bool)) {
        let is_sum = op == BinaryOp::Add;
        // The value of b from the limit towards zero; it does not overflow on its side.
        let inverse = if is_sum { BinaryOp::Sub } else { BinaryOp::Add };
        let border = |this: &mut Self, limit: i128| {
            let limit = this.int(signed.ty, limit);
            this.program.exprs.intern(ExprKind::Binary(inverse, limit, b), signed.ty)
        };
        let on_side = |this: &mut Self, is_positive: bool| {
            let is_above = is_positive == is_sum;
            let (is_needed, side, limit) =
                if is_above { (above, BinaryOp::Gt, signed.max) } else { (below, BinaryOp::Lt, signed.min) };
            if is_needed {
                let border = border(this, limit);
                this.fail_on(ErrorKind::Overflow, side, a, border);
            }
        };
        match self.range(b) {
            Some((low, _)) if low >= 0 => on_side(self, true),
            Some((_, high)) if high <= 0 => on_side(self, false),
            _ => {
                let zero = self.int(signed.ty, 0);
                let (positive, negative) = self.branch(BinaryOp::Ge, b, zero);
                self.current = positive;
                on_side(self, true);
                let after = self.current;
                self.current = negative;
                on_side(self, false);
                self.join(after);
            }
        }
    }

    /// `a * b` in a type without a wider one: the limits are divided by b. `MIN / -1` is avoided; it is no
    /// limit.
    fn wide_product(&mut self, signed: Signed, a: ExprId, b: ExprId, (above, below): (bool, bool)) {
        let quotient = |this: &mut Self, limit: i128| {
            let limit = this.int(signed.ty, limit);
            this.program.exprs.intern(ExprKind::Binary(BinaryOp::Div, limit, b), signed.ty)
        };
        let zero = self.int(signed.ty, 0);
        let (positive, others) = self.branch(BinaryOp::Gt, b, zero);
        self.current = positive;
        for (is_needed, side, limit) in [(above, BinaryOp::Gt, signed.max), (below, BinaryOp::Lt, signed.min)]
        {
            if is_needed {
                let border = quotient(self, limit);
                self.fail_on(ErrorKind::Overflow, side, a, border);
            }
        }
        let after = self.current;
        self.current = others;
        if self.range(b).is_none_or(|(low, _)| low < 0) {
            let (negative, none) = self.branch(BinaryOp::Lt, b, zero);
            self.current = negative;
            if above {
                let border = quotient(self, signed.max);
                self.fail_on(ErrorKind::Overflow, BinaryOp::Lt, a, border);
            }
            if below {
                let minus_one = self.int(signed.ty, -1);
                let (further, one) = self.branch(BinaryOp::Lt, b, minus_one);
                self.current = further;
                let border = quotient(self, signed.min);
                self.fail_on(ErrorKind::Overflow, BinaryOp::Gt, a, border);
                self.join(one);
            }
            self.join(none);
        }
        self.join(after);
    }

    /// The amount is negative or not less than the width; a value that is shifted to the left is negative or
    /// loses bits.
    pub(super) fn shift(&mut self, op: BinaryOp, ty: TypeId, signed: Option<Signed>, a: ExprId, b: ExprId) {
        let Some(width) = self.program.types.int_width(ty) else { return };
        self.fail_if(ErrorKind::BadShift, BinaryOp::Lt, b, 0);
        self.fail_if(ErrorKind::BadShift, BinaryOp::Gt, b, i128::from(width) - 1);
        let Some(signed) = signed.filter(|_| op == BinaryOp::Shl) else { return };
        self.failing = None;
        self.fail_if(ErrorKind::NegativeShift, BinaryOp::Lt, a, 0);
        self.failing = None;
        self.loses_bits(signed, a, b);
    }

    /// The same for overflow alone: only lost bits are an overflow. Other undefined shifts end without a
    /// verdict, or are ignored.
    pub(super) fn shifted(&mut self, signed: Signed, a: ExprId, b: ExprId) {
        let width = i128::from(signed.width);
        let fits = self.range(a).zip(self.range(b)).and_then(|(x, y)| {
            let is_defined = x.0 >= 0 && y.0 >= 0 && y.1 < width;
            exact(BinaryOp::Shl, x, y).filter(|_| is_defined)
        });
        if fits.is_some_and(|(_, most)| most <= signed.max) {
            return;
        }
        let after = self.draft.node(NodeKind::Plain, self.span);
        let undefined = if self.checks.undefined_shift {
            let node = self.draft.node(NodeKind::Plain, self.span);
            self.draft.terminal(node, Op::Unsupported { what: UNDEFINED_SHIFT.into() }, self.span);
            node
        } else {
            after
        };
        self.failing = Some(undefined);
        self.fail_if(ErrorKind::BadShift, BinaryOp::Lt, b, 0);
        self.fail_if(ErrorKind::BadShift, BinaryOp::Gt, b, width - 1);
        if self.checks.undefined_shift {
            self.fail_if(ErrorKind::NegativeShift, BinaryOp::Lt, a, 0);
        }
        self.failing = None;
        self.loses_bits(signed, a, b);
        self.join(after);
    }

    /// `a << b` is more than the largest number of the type. The amount is known to be good.
    fn loses_bits(&mut self, signed: Signed, a: ExprId, b: ExprId) {
        let width = i128::from(signed.width);
        match (self.program.exprs.as_int(a), self.program.exprs.as_int(b)) {
            (_, Some(amount)) if (0..width).contains(&amount) => {
                self.fail_if(ErrorKind::ShiftOverflow, BinaryOp::Gt, a, signed.max >> amount);
            }
            // Shifts by a bad amount were handled above.
            (_, Some(_)) => {}
            (Some(value), None) if value >= 0 => {
                // The highest bit must stay below the sign.
                let bits = 128 - value.leading_zeros();
                let most = width - 1 - i128::from(bits);
                if bits > 0 {
                    self.fail_if(ErrorKind::ShiftOverflow, BinaryOp::Gt, b, most);
                }
            }
            _ => {
                if self.range(a).is_none_or(|(_, high)| high > 0) {
                    let limit = self.int(signed.ty, signed.max);
                    let border =
                        self.program.exprs.intern(ExprKind::Binary(BinaryOp::Shr, limit, b), signed.ty);
                    self.fail_on(ErrorKind::ShiftOverflow, BinaryOp::Gt, a, border);
                }
            }
        }
    }
}

/// Is it known whether the values are positive or negative?
fn has_sign(range: Option<Range>) -> bool {
    range.is_some_and(|(low, high)| low >= 0 || high <= 0)
}
