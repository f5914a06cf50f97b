//! The sign domain: for every integer, whether it can be negative, zero, positive. It shows how little a new
//! non-relational domain needs (see CONTRIBUTING.md): the sets, C's operators on them, one line in the
//! registry.
//!
//! [`crate::scalars`] handles memory, expressions, conditions and calls. Arithmetic wraps around: the sum of
//! two positive numbers can be negative.

use crate::scalars::{NumberSet, Scalars, Shape};
use serde_json::Value as Json;
use summa_c::tree::{BinaryOp, UnaryOp};

pub type SignDomain<'a> = Scalars<'a, Signs>;

/// A set of signs, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Signs(u8);

const NEGATIVE: Signs = Signs(1);
const ZERO: Signs = Signs(2);
const POSITIVE: Signs = Signs(4);
const EACH: [Signs; 3] = [NEGATIVE, ZERO, POSITIVE];

impl Signs {
    fn has(self, sign: Signs) -> bool {
        self.0 & sign.0 != 0
    }

    /// The signs one by one.
    fn each(self) -> impl Iterator<Item = Signs> {
        EACH.into_iter().filter(move |&sign| self.has(sign))
    }

    fn or(self, other: Signs) -> Signs {
        Signs(self.0 | other.0)
    }

    fn of_number(value: i128) -> Signs {
        EACH[(value.signum() + 1) as usize]
    }
}

/// The signs that `a op b` can have, for one sign each, wrapped around.
fn binary(op: BinaryOp, shape: Shape, a: Signs, b: Signs) -> Signs {
    let all = Signs::all(shape);
    match op {
        BinaryOp::Add if a == ZERO => b,
        BinaryOp::Add | BinaryOp::Sub if b == ZERO => a,
        BinaryOp::Sub if a == ZERO => Signs::unary(UnaryOp::Neg, shape, b),
        // Without wrapping positive; at most 2 (2^(n-1) - 1), which wraps to -2 at most and never to 0.
        BinaryOp::Add if shape.signed && (a, b) == (POSITIVE, POSITIVE) => POSITIVE.or(NEGATIVE),
        BinaryOp::Mul if a == ZERO || b == ZERO => ZERO,
        // Anything.
        BinaryOp::Div | BinaryOp::Rem if b == ZERO => all,
        BinaryOp::Div | BinaryOp::Rem if a == ZERO => ZERO,
        BinaryOp::Div if (a, b) == (NEGATIVE, NEGATIVE) => all,
        BinaryOp::Div => ZERO.or(if a == b { POSITIVE } else { NEGATIVE }),
        BinaryOp::Rem => ZERO.or(a),
        // Shifts by a negative number: anything.
        BinaryOp::Shl | BinaryOp::Shr if b == ZERO => a,
        BinaryOp::And if a == ZERO || b == ZERO => ZERO,
        BinaryOp::And if shape.signed && a == NEGATIVE && b == NEGATIVE => NEGATIVE,
        BinaryOp::And => ZERO.or(POSITIVE),
        BinaryOp::Or | BinaryOp::Xor if a == ZERO => b,
        BinaryOp::Or | BinaryOp::Xor if b == ZERO => a,
        BinaryOp::Or if a == NEGATIVE || b == NEGATIVE => NEGATIVE,
        BinaryOp::Or => POSITIVE,
        BinaryOp::Xor if a == b => ZERO.or(POSITIVE),
        BinaryOp::Xor => NEGATIVE,
        _ => all,
    }
}

/// Can the comparison hold between numbers of these two signs, and can it fail?
fn compare(op: BinaryOp, a: Signs, b: Signs) -> (bool, bool) {
    use BinaryOp::*;
    let (is_less, is_equal, is_greater) = (a.0 < b.0, a == b, a.0 > b.0);
    // Equal signs: equal numbers, or two of either order unless both are zero.
    let open = is_equal && a != ZERO;
    match op {
        Eq => (is_equal, !is_equal || open),
        Ne => (!is_equal || open, is_equal),
        Lt => (is_less || open, !is_less),
        Ge => (!is_less, is_less || open),
        Gt => (is_greater || open, !is_greater),
        Le => (!is_greater, is_greater || open),
        _ => (true, true),
    }
}

impl NumberSet for Signs {
    const NAME: &'static str = "sign";
    const WHAT: &'static str = "signs of integers";

    fn all(shape: Shape) -> Self {
        if shape.signed { NEGATIVE.or(ZERO).or(POSITIVE) } else { ZERO.or(POSITIVE) }
    }

    fn only(value: i128) -> Self {
        Self::of_number(value)
    }

    fn nonzero(shape: Shape) -> Self {
        Self(Self::all(shape).0 & !ZERO.0)
    }

    fn contains(self, value: i128) -> bool {
        self.has(Self::of_number(value))
    }

    fn bounds(self, shape: Shape) -> (i128, i128) {
        let least = [(NEGATIVE, shape.min()), (ZERO, 0), (POSITIVE, 1)];
        let most = [(POSITIVE, shape.max()), (ZERO, 0), (NEGATIVE, -1)];
        let first =
            |of: [(Signs, i128); 3]| of.into_iter().find(|&(sign, _)| self.has(sign)).map_or(0, |at| at.1);
        (first(least), first(most))
    }

    fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    fn join(self, other: Self) -> Self {
        self.or(other)
    }

    fn meet(self, other: Self) -> Option<Self> {
        Some(Self(self.0 & other.0)).filter(|both| both.0 != 0)
    }

    /// There are only three signs: joining is enough.
    fn widen(self, next: Self, _: Shape, _: &[i128]) -> Self {
        self.or(next)
    }

    fn cast(self, from: Shape, to: Shape) -> Self {
        let keeps = to.contains(from.min()) && to.contains(from.max());
        let one = |sign| match sign {
            _ if keeps || sign == ZERO => sign,
            _ if to.is_bool => POSITIVE,
            // The same bits: from unsigned to signed either sign, but not zero.
            _ if to.width >= from.width => Signs::nonzero(to),
            _ => Signs::all(to),
        };
        self.each().map(one).fold(Self(0), Self::or)
    }

    fn unary(op: UnaryOp, shape: Shape, a: Self) -> Self {
        let one = |sign| match op {
            UnaryOp::Neg if sign == ZERO || !shape.signed => sign,
            UnaryOp::Neg if sign == POSITIVE => NEGATIVE,
            // The least number is its own negation.
            UnaryOp::Neg => POSITIVE.or(NEGATIVE),
            UnaryOp::BitNot if !shape.signed => {
                if sign == ZERO {
                    POSITIVE
                } else {
                    ZERO.or(POSITIVE)
                }
            }
            UnaryOp::BitNot if sign == NEGATIVE => ZERO.or(POSITIVE),
            UnaryOp::BitNot => NEGATIVE,
        };
        a.each().map(one).fold(Self(0), Self::or)
    }

    fn binary(op: BinaryOp, shape: Shape, a: Self, b: Self) -> Self {
        let pairs = a.each().flat_map(|x| b.each().map(move |y| (x, y)));
        pairs.map(|(x, y)| binary(op, shape, x, y)).fold(Self(0), Self::or)
    }

    fn compare(op: BinaryOp, a: Self, b: Self) -> Option<bool> {
        let pairs = a.each().flat_map(|x| b.each().map(move |y| compare(op, x, y)));
        let (holds, fails) = pairs.fold((false, false), |all, one| (all.0 | one.0, all.1 | one.1));
        (holds != fails).then_some(holds)
    }

    fn satisfying(self, op: BinaryOp, other: Self) -> Option<Self> {
        let can = |sign: &Signs| other.each().any(|with| compare(op, *sign, with).0);
        Some(self.each().filter(can).fold(Self(0), Self::or)).filter(|some| some.0 != 0)
    }

    fn show(self, name: &str, _: Shape) -> String {
        let words = ["", "< 0", "= 0", "≤ 0", "> 0", "≠ 0", "≥ 0"];
        format!("{name} {}", words.get(usize::from(self.0)).unwrap_or(&"any"))
    }

    fn to_c(self, name: &str, _: Shape) -> Vec<String> {
        let words = ["", "< 0", "== 0", "<= 0", "> 0", "!= 0", ">= 0"];
        words.get(usize::from(self.0)).map(|word| format!("{name} {word}")).into_iter().collect()
    }

    fn code(self) -> [i128; 3] {
        [self.0.into(), 0, 0]
    }

    fn save(self) -> Json {
        self.0.into()
    }

    fn load(saved: &Json, shape: Shape) -> Option<Self> {
        let signs = Self(u8::try_from(saved.as_u64()?).ok()?);
        (signs.0 != 0 && signs.is_subset(Self::all(shape))).then_some(signs)
    }
}
