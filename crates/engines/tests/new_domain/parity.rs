//! The parity domain: of every integer, whether it can be even, and whether it can be odd. All that a new
//! non-relational domain needs, in one file: see `crates/domains/src/sign.rs` and CONTRIBUTING.md.
//!
//! Wrapping around changes a number by a power of two, and so never its parity.

use serde_json::Value as Json;
use summa_c::tree::{BinaryOp, UnaryOp};
use summa_domains::scalars::{NumberSet, Scalars, Shape};

pub(crate) type ParityDomain<'a> = Scalars<'a, Parity>;

/// A set of parities, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Parity(u8);

const EVEN: Parity = Parity(1);
const ODD: Parity = Parity(2);
const ANY: Parity = Parity(3);

/// The parities of the results for one parity each.
fn results(a: Parity, b: Parity, is_odd: impl Fn(bool, bool) -> bool) -> Parity {
    let each = |set: Parity| [EVEN, ODD].into_iter().filter(move |&one| one.is_subset(set));
    let pairs = each(a).flat_map(|x| each(b).map(move |y| (x, y)));
    let result = |(x, y)| if is_odd(x == ODD, y == ODD) { ODD } else { EVEN };
    pairs.map(result).reduce(Parity::join).unwrap_or(ANY)
}

impl NumberSet for Parity {
    const NAME: &'static str = "parity";
    const WHAT: &'static str = "which integers are even, and which are odd";

    fn all(_: Shape) -> Self {
        ANY
    }

    fn only(value: i128) -> Self {
        if value % 2 == 0 { EVEN } else { ODD }
    }

    fn nonzero(_: Shape) -> Self {
        ANY
    }

    fn contains(self, value: i128) -> bool {
        Self::only(value).is_subset(self)
    }

    fn bounds(self, shape: Shape) -> (i128, i128) {
        (shape.min(), shape.max())
    }

    fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    fn join(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    fn meet(self, other: Self) -> Option<Self> {
        Some(Self(self.0 & other.0)).filter(|both| both.0 != 0)
    }

    /// There are only two parities: joining is enough.
    fn widen(self, next: Self, _: Shape, _: &[i128]) -> Self {
        self.join(next)
    }

    fn cast(self, _: Shape, to: Shape) -> Self {
        // An even number is zero or not.
        if to.is_bool && self != ODD { ANY } else { self }
    }

    fn unary(op: UnaryOp, _: Shape, a: Self) -> Self {
        match op {
            UnaryOp::Neg => a,
            UnaryOp::BitNot => results(a, EVEN, |a, _| !a),
        }
    }

    fn binary(op: BinaryOp, _: Shape, a: Self, b: Self) -> Self {
        match op {
            BinaryOp::Add | BinaryOp::Sub | BinaryOp::Xor => results(a, b, |a, b| a != b),
            BinaryOp::Mul | BinaryOp::And => results(a, b, |a, b| a && b),
            BinaryOp::Or => results(a, b, |a, b| a || b),
            // Quotients, and shifts by numbers that may be too large.
            _ => ANY,
        }
    }

    fn compare(op: BinaryOp, a: Self, b: Self) -> Option<bool> {
        let differ = a.meet(b).is_none();
        match op {
            BinaryOp::Eq if differ => Some(false),
            BinaryOp::Ne if differ => Some(true),
            _ => None,
        }
    }

    fn satisfying(self, op: BinaryOp, other: Self) -> Option<Self> {
        if op == BinaryOp::Eq { self.meet(other) } else { Some(self) }
    }

    fn congruence(self) -> Option<(i128, i128)> {
        match self {
            EVEN => Some((2, 0)),
            ODD => Some((2, 1)),
            _ => None,
        }
    }

    fn show(self, name: &str, _: Shape) -> String {
        format!("{name} {}", if self == ODD { "odd" } else { "even" })
    }

    fn to_c(self, name: &str, _: Shape) -> Vec<String> {
        vec![format!("{name} % 2 {} 0", if self == ODD { "!=" } else { "==" })]
    }

    fn code(self) -> [i128; 3] {
        [self.0.into(), 0, 0]
    }

    fn save(self) -> Json {
        self.0.into()
    }

    fn load(saved: &Json, _: Shape) -> Option<Self> {
        Some(Self(u8::try_from(saved.as_u64()?).ok()?)).filter(|set| (1..=2).contains(&set.0))
    }
}
