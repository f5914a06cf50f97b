//! C expressions for terms over program variables, as witnesses need them.
//!
//! The expression has exactly the value of the term, for gcc's C on x86-64 (arithmetic right shift,
//! `__int128`): integer terms are computed in the smallest of `int`, `long long` and `__int128` that holds
//! every intermediate result; bit-vectors are computed unsigned and masked. Floats, arrays, functions and
//! quantifiers have no expression, nor has what could be undefined in C.

mod vector;

use crate::kind::{Kind, Op, SymbolId};
use crate::sort::Sort;
use crate::store::{Term, Terms};
use dashu_int::IBig;
use dashu_int::ops::Abs;
use summa_base::FxHashMap;
use vector::CBits;

/// Larger terms get no expression: it would be unreadable, and sharing is lost.
const SIZE_LIMIT: u32 = 10_000;
/// Some operators need an argument twice, so short terms may have long expressions.
const LENGTH_LIMIT: usize = 16 << 10;

/// A C expression that stands for a symbol, and its type. The value of an integer symbol is its value; the
/// bits of a bit-vector symbol are its low bits.
#[derive(Clone, Debug)]
pub struct CSymbol {
    pub text: String,
    /// Bits of the type, at most 128.
    pub bits: u8,
    pub signed: bool,
}

/// An expression for `term`, if there is one. Symbols of sort Int are taken as signed with at most 64 bits;
/// those of bit-vectors may have any integer type that is at least as wide. [`to_c_typed`] knows their types.
pub fn to_c(
    terms: &Terms,
    term: Term,
    symbol_text: &dyn Fn(SymbolId, u32) -> Option<String>,
) -> Option<String> {
    to_c_typed(terms, term, &|symbol, version| {
        let (bits, signed) = match terms.symbol_info(symbol).sort {
            // The width does not determine the type; this makes every use of the symbol a cast.
            Sort::Bv(_) => (128, false),
            _ => (64, true),
        };
        Some(CSymbol { text: symbol_text(symbol, version)?, bits, signed })
    })
}

/// An expression for `term`, if there is one, given the types of the symbols.
pub fn to_c_typed(
    terms: &Terms,
    term: Term,
    symbol: &dyn Fn(SymbolId, u32) -> Option<CSymbol>,
) -> Option<String> {
    if terms.node(term).size > SIZE_LIMIT {
        return None;
    }
    let mut done: FxHashMap<Term, Expression> = FxHashMap::default();
    for next in terms.post_order(&[term]) {
        let expression = Translator { terms, done: &done, symbol }.expression(next)?;
        if expression.length() > LENGTH_LIMIT {
            return None;
        }
        done.insert(next, expression);
    }
    Some(match done.remove(&term)? {
        Expression::Bool(text) | Expression::Int(CInt { text, .. }) => text,
        Expression::Bv(value) => value.unsigned,
    })
}

/// Is it one pair of parentheses, with everything between them?
pub fn is_group(text: &str) -> bool {
    let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else { return false };
    let mut depth = 0_usize;
    inner.chars().all(|c| match c {
        '(' => {
            depth += 1;
            true
        }
        ')' => {
            let is_inside = depth > 0;
            depth = depth.saturating_sub(1);
            is_inside
        }
        _ => true,
    })
}

enum Expression {
    /// 0 or 1, in parentheses if it is no primary expression.
    Bool(String),
    Int(CInt),
    Bv(CBits),
}

impl Expression {
    fn length(&self) -> usize {
        match self {
            Self::Bool(text) | Self::Int(CInt { text, .. }) => text.len(),
            Self::Bv(value) => value.unsigned.len() + value.signed.as_ref().map_or(0, String::len),
        }
    }
}

/// A mathematical integer: an expression of a signed type that holds it.
struct CInt {
    text: String,
    kind: CType,
    low: IBig,
    high: IBig,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum CType {
    Int,
    LongLong,
    Int128,
}

impl CType {
    fn name(self) -> &'static str {
        match self {
            Self::Int => "int",
            Self::LongLong => "long long",
            Self::Int128 => "__int128",
        }
    }

    /// The smallest type that holds all values up to this magnitude.
    fn for_magnitude(magnitude: &IBig) -> Option<Self> {
        let fits = |bits: usize| *magnitude < IBig::ONE << bits;
        [(31, Self::Int), (63, Self::LongLong), (127, Self::Int128)]
            .into_iter()
            .find_map(|(bits, kind)| fits(bits).then_some(kind))
    }
}

struct Translator<'a> {
    terms: &'a Terms,
    done: &'a FxHashMap<Term, Expression>,
    symbol: &'a dyn Fn(SymbolId, u32) -> Option<CSymbol>,
}

impl Translator<'_> {
    fn expression(&self, term: Term) -> Option<Expression> {
        match self.terms.sort(term) {
            Sort::Bool => self.boolean(term).map(Expression::Bool),
            Sort::Int => self.int(term).map(Expression::Int),
            Sort::Bv(width) => self.bit_vector(term, width).map(Expression::Bv),
            Sort::Float(_) | Sort::Array(_) => None,
        }
    }

    fn bool_of(&self, term: Term) -> Option<&str> {
        match self.done.get(&term)? {
            Expression::Bool(text) => Some(text),
            _ => None,
        }
    }

    fn int_of(&self, term: Term) -> Option<&CInt> {
        match self.done.get(&term)? {
            Expression::Int(value) => Some(value),
            _ => None,
        }
    }

    fn bits_of(&self, term: Term) -> Option<&CBits> {
        match self.done.get(&term)? {
            Expression::Bv(value) => Some(value),
            _ => None,
        }
    }

    fn symbol(&self, term: Term) -> Option<CSymbol> {
        let (symbol, version) = self.terms.as_symbol(term)?;
        let mut found = (self.symbol)(symbol, version)?;
        // Names, members, elements, and what looks like a call (`\old(x)` of contracts) bind tighter than any
        // operator.
        if !found.text.chars().all(|c| c.is_ascii_alphanumeric() || "_.[]()\\".contains(c)) {
            found.text = format!("({})", found.text);
        }
        Some(found)
    }

    // ---- Bool ----

    fn boolean(&self, term: Term) -> Option<String> {
        let (op, args) = match self.terms.kind(term) {
            Kind::True => return Some("1".into()),
            Kind::False => return Some("0".into()),
            Kind::Symbol(..) => return Some(format!("({} != 0)", self.symbol(term)?.text)),
            Kind::App(op, args) => (*op, args),
            _ => return None,
        };
        Some(match (op, &args[..]) {
            (Op::Not, &[a]) => match self.terms.as_app(a) {
                Some((Op::Eq, &[x, y])) => self.equation("!=", x, y)?,
                _ => format!("!{}", self.bool_of(a)?),
            },
            (Op::And | Op::Or, args) => {
                let members = args.iter().map(|&arg| self.bool_of(arg)).collect::<Option<Vec<_>>>()?;
                format!("({})", members.join(if op == Op::And { " && " } else { " || " }))
            }
            (Op::Ite, &[c, a, b]) => {
                format!("({} ? {} : {})", self.bool_of(c)?, self.bool_of(a)?, self.bool_of(b)?)
            }
            (Op::Eq, &[a, b]) => self.equation("==", a, b)?,
            (Op::Le, &[a, b]) => self.comparison("<=", a, b)?,
            (Op::Lt, &[a, b]) => self.comparison("<", a, b)?,
            (Op::BvUlt, &[a, b]) => {
                format!("({} < {})", self.bits_of(a)?.unsigned, self.bits_of(b)?.unsigned)
            }
            (Op::BvUle, &[a, b]) => {
                format!("({} <= {})", self.bits_of(a)?.unsigned, self.bits_of(b)?.unsigned)
            }
            (Op::BvSlt, &[a, b]) => self.signed_comparison("<", a, b)?,
            (Op::BvSle, &[a, b]) => self.signed_comparison("<=", a, b)?,
            _ => return None,
        })
    }

    /// With a constant on the right, as people write it.
    fn equation(&self, operator: &str, a: Term, b: Term) -> Option<String> {
        let is_turned = self.terms.is_constant(a) && !self.terms.is_constant(b);
        if is_turned { self.comparison(operator, b, a) } else { self.comparison(operator, a, b) }
    }

    /// Equality of anything, order of integers.
    fn comparison(&self, operator: &str, a: Term, b: Term) -> Option<String> {
        let (left, right) = match (self.done.get(&a)?, self.done.get(&b)?) {
            (Expression::Bool(x), Expression::Bool(y)) => (x, y),
            (Expression::Int(x), Expression::Int(y)) => (&x.text, &y.text),
            (Expression::Bv(x), Expression::Bv(y)) => match (&x.signed, &y.signed) {
                (Some(x), Some(y)) => (x, y),
                _ => (&x.unsigned, &y.unsigned),
            },
            _ => return None,
        };
        Some(format!("({left} {operator} {right})"))
    }

    // ---- Int ----

    fn int(&self, term: Term) -> Option<CInt> {
        match self.terms.kind(term) {
            Kind::Int(value) => int_literal(value),
            Kind::Symbol(..) => {
                let CSymbol { text, bits, signed } = self.symbol(term)?;
                let one = IBig::ONE;
                let (low, high) = match signed {
                    true => (-(&one << usize::from(bits - 1)), (&one << usize::from(bits - 1)) - one),
                    false => (IBig::ZERO, (&one << usize::from(bits)) - one),
                };
                let kind = match (bits, signed) {
                    (..=32, true) | (..=31, false) => CType::Int,
                    (..=64, true) | (..=63, false) => CType::LongLong,
                    (..=128, true) | (..=127, false) => CType::Int128,
                    _ => return None,
                };
                let text = if signed { text } else { format!("({}){text}", kind.name()) };
                Some(CInt { text, kind, low, high })
            }
            Kind::App(Op::Add, args) => {
                let parts = args.iter().map(|&arg| self.int_of(arg)).collect::<Option<Vec<_>>>()?;
                let low = parts.iter().fold(IBig::ZERO, |sum, part| sum + &part.low);
                let high = parts.iter().fold(IBig::ZERO, |sum, part| sum + &part.high);
                // The sum of the magnitudes bounds every partial sum.
                let magnitude = parts.iter().fold(IBig::ZERO, |sum, part| sum + part.magnitude());
                arithmetic(&parts, " + ", low, high, &magnitude)
            }
            Kind::App(Op::Mul, args) => {
                let (a, b) = (self.int_of(args[0])?, self.int_of(args[1])?);
                let corners = [&a.low * &b.low, &a.low * &b.high, &a.high * &b.low, &a.high * &b.high];
                let (low, high) = (corners.iter().min()?.clone(), corners.iter().max()?.clone());
                let magnitude = a.magnitude() * b.magnitude();
                arithmetic(&[a, b], " * ", low, high, &magnitude)
            }
            Kind::App(op @ (Op::Div | Op::Mod), args) => {
                let divisor = self.terms.as_int(args[1]).filter(|d| **d > IBig::ZERO)?;
                self.division(*op, self.int_of(args[0])?, self.int_of(args[1])?, divisor)
            }
            Kind::App(Op::Ite, args) => {
                let (c, a, b) = (self.bool_of(args[0])?, self.int_of(args[1])?, self.int_of(args[2])?);
                let text = format!("({c} ? {} : {})", a.text, b.text);
                let (low, high) = ((&a.low).min(&b.low).clone(), (&a.high).max(&b.high).clone());
                Some(CInt { text, kind: a.kind.max(b.kind), low, high })
            }
            _ => None,
        }
    }

    /// Euclidean division by a positive constant. C truncates, which is the same only for dividends that are
    /// not negative.
    fn division(&self, op: Op, a: &CInt, b: &CInt, divisor: &IBig) -> Option<CInt> {
        let (x, d) = (&a.text, &b.text);
        let positive = a.low >= IBig::ZERO;
        let kind = CType::for_magnitude(&(a.magnitude() + divisor * IBig::from(2)))?.max(a.kind).max(b.kind);
        let x = if kind > a.kind.max(b.kind) { format!("({}){x}", kind.name()) } else { x.clone() };
        let remainder = if positive { format!("({x} % {d})") } else { format!("(({x} % {d} + {d}) % {d})") };
        Some(if op == Op::Mod {
            CInt { text: remainder, kind, low: IBig::ZERO, high: divisor - IBig::ONE }
        } else {
            let text = if positive { format!("({x} / {d})") } else { format!("(({x} - {remainder}) / {d})") };
            CInt { text, kind, low: -a.magnitude(), high: a.magnitude() }
        })
    }
}

impl CInt {
    fn magnitude(&self) -> IBig {
        (&self.low).abs().max((&self.high).abs())
    }
}

/// The parts joined by an operator, computed in a type that holds everything up to the magnitude.
fn arithmetic(parts: &[&CInt], operator: &str, low: IBig, high: IBig, magnitude: &IBig) -> Option<CInt> {
    let widest = parts.iter().map(|part| part.kind).max()?;
    let kind = CType::for_magnitude(magnitude)?.max(widest);
    let texts: Vec<&str> = parts.iter().map(|part| part.text.as_str()).collect();
    // The first operand decides: the operators associate to the left.
    let cast = if parts[0].kind < kind { format!("({})", kind.name()) } else { String::new() };
    Some(CInt { text: format!("({cast}{})", texts.join(operator)), kind, low, high })
}

fn int_literal(value: &IBig) -> Option<CInt> {
    let (low, high) = (value.clone(), value.clone());
    let done = |text: String, kind: CType| Some(CInt { text, kind, low, high });
    if let Ok(small) = i32::try_from(value) {
        // The smallest value has no literal.
        return match small {
            i32::MIN => done("(-2147483647 - 1)".into(), CType::Int),
            0.. => done(small.to_string(), CType::Int),
            _ => done(format!("({small})"), CType::Int),
        };
    }
    if let Ok(long) = i64::try_from(value) {
        return match long {
            i64::MIN => done("(-9223372036854775807LL - 1)".into(), CType::LongLong),
            0.. => done(format!("{long}LL"), CType::LongLong),
            _ => done(format!("({long}LL)"), CType::LongLong),
        };
    }
    let magnitude = u128::try_from(value.abs()).ok().filter(|m| *m <= i128::MAX as u128)?;
    let sign = if *value < IBig::ZERO { "-" } else { "" };
    let (upper, lower) = (magnitude >> 64, magnitude as u64);
    let text = match upper {
        0 => format!("({sign}(__int128){lower}ULL)"),
        _ => format!("({sign}((__int128){upper}ULL << 64 | {lower}ULL))"),
    };
    done(text, CType::Int128)
}
