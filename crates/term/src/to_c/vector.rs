//! Bit-vectors in C: the bits are the value of an unsigned type, masked where no type has the width. Where it
//! is short there is also an expression of the signed type.

use super::{CSymbol, Translator, int_literal, is_group};
use crate::bits;
use crate::kind::{Kind, Op};
use crate::store::Term;
use dashu_int::IBig;

/// The bits of a vector as the value of an unsigned type, and where it is short also as a signed one.
pub(super) struct CBits {
    pub(super) unsigned: String,
    pub(super) signed: Option<String>,
}

impl Translator<'_> {
    pub(super) fn bit_vector(&self, term: Term, width: u8) -> Option<CBits> {
        let (op, args) = match self.terms.kind(term) {
            Kind::Bv(bits) => {
                let signed = int_literal(&IBig::from(bits::to_signed(width, *bits)));
                let signed = signed.filter(|_| c_width(width)).map(|literal| literal.text);
                return Some(CBits { unsigned: unsigned_literal(*bits, width), signed });
            }
            Kind::Symbol(..) => return self.bv_symbol(term, width),
            Kind::App(op, args) => (*op, args),
            _ => return None,
        };
        let of = |term: Term| self.bits_of(term).map(|value| &*value.unsigned);
        let zero = unsigned_literal(0, width);
        let unsigned = match (op, &args[..]) {
            (Op::BvNot, &[a]) => masked(&format!("~{}", of(a)?), width),
            (Op::BvNeg, &[a]) => masked(&format!("-{}", of(a)?), width),
            (Op::BvAdd, &[a, b]) => masked(&format!("({} + {})", of(a)?, of(b)?), width),
            (Op::BvSub, &[a, b]) => masked(&format!("({} - {})", of(a)?, of(b)?), width),
            (Op::BvMul, &[a, b]) => masked(&format!("({} * {})", of(a)?, of(b)?), width),
            (Op::BvAnd, &[a, b]) => format!("({} & {})", of(a)?, of(b)?),
            (Op::BvOr, &[a, b]) => format!("({} | {})", of(a)?, of(b)?),
            (Op::BvXor, &[a, b]) => format!("({} ^ {})", of(a)?, of(b)?),
            (Op::BvUdiv, &[a, b]) => match self.terms.as_bv(b) {
                Some((_, divisor)) if divisor != 0 => format!("({} / {})", of(a)?, of(b)?),
                _ => {
                    let ones = unsigned_literal(bits::mask(width), width);
                    format!("({1} == {zero} ? {ones} : {0} / {1})", of(a)?, of(b)?)
                }
            },
            (Op::BvUrem, &[a, b]) => match self.terms.as_bv(b) {
                Some((_, divisor)) if divisor != 0 => format!("({} % {})", of(a)?, of(b)?),
                _ => format!("({1} == {zero} ? {0} : {0} % {1})", of(a)?, of(b)?),
            },
            // By constants only: zero and -1 can be undefined.
            (Op::BvSdiv | Op::BvSrem, &[a, b]) => {
                let (_, divisor) = self.terms.as_bv(b).filter(|&(_, d)| d != 0 && d != bits::mask(width))?;
                let operator = if op == Op::BvSdiv { '/' } else { '%' };
                let divisor = int_literal(&IBig::from(bits::to_signed(width, divisor)))?.text;
                unsigned_cast(&format!("({} {operator} {divisor})", self.signed(a)??), width)
            }
            (Op::BvShl, &[a, b]) => {
                let shifted = masked(&format!("({} << {})", of(a)?, of(b)?), width);
                self.guarded_shift(shifted, zero, b, width)?
            }
            (Op::BvLshr, &[a, b]) => {
                let shifted = format!("({} >> {})", of(a)?, of(b)?);
                self.guarded_shift(shifted, zero, b, width)?
            }
            (Op::BvAshr, &[a, b]) => {
                let a = self.signed(a)??;
                let shifted = unsigned_cast(&format!("({a} >> {})", of(b)?), width);
                let sign = unsigned_cast(&format!("({a} < 0 ? -1 : 0)"), width);
                self.guarded_shift(shifted, sign, b, width)?
            }
            (Op::BvConcat, &[high, low]) => {
                let low_width = self.terms.bv_width(low);
                format!("(({}){} << {low_width} | {})", type_of(width), of(high)?, of(low)?)
            }
            (Op::BvExtract { hi: _, lo }, &[a]) => {
                let shifted = if lo == 0 { of(a)?.to_owned() } else { format!("({} >> {lo})", of(a)?) };
                unsigned_cast(&shifted, width)
            }
            (Op::BvZeroExtend, &[a]) => {
                let same = type_of(self.terms.bv_width(a)) == type_of(width);
                if same { of(a)?.to_owned() } else { format!("({}){}", type_of(width), of(a)?) }
            }
            (Op::BvSignExtend, &[a]) => match self.signed(a)? {
                Some(signed) => {
                    let unsigned = unsigned_cast(&signed, width);
                    let cast = signed_type(width).map(|wider| format!("({wider}){signed}"));
                    return Some(CBits { unsigned, signed: cast });
                }
                None => {
                    // (a ^ sign) - sign, in the wider type
                    let sign = bits::signed_min(self.terms.bv_width(a));
                    let sign = unsigned_literal(sign, width);
                    masked(&format!("((({}){} ^ {sign}) - {sign})", type_of(width), of(a)?), width)
                }
            },
            (Op::Ite, &[c, a, b]) => {
                let c = self.bool_of(c)?;
                let (x, y) = (self.bits_of(a)?, self.bits_of(b)?);
                let signed = match (&x.signed, &y.signed) {
                    (Some(x), Some(y)) => Some(format!("({c} ? {x} : {y})")),
                    _ => None,
                };
                return Some(CBits { unsigned: format!("({c} ? {} : {})", x.unsigned, y.unsigned), signed });
            }
            _ => return None,
        };
        Some(CBits { unsigned, signed: None })
    }

    fn bv_symbol(&self, term: Term, width: u8) -> Option<CBits> {
        let CSymbol { text, bits, signed: is_signed } = self.symbol(term)?;
        if bits < width {
            return None;
        }
        let plain = is_signed && bits == width && c_width(width);
        let signed =
            if plain { Some(text.clone()) } else { signed_type(width).map(|kind| format!("({kind}){text}")) };
        // Not with 128 bits: that is also said of symbols whose type is not known.
        let is_unsigned = !is_signed && bits == width && matches!(width, 32 | 64);
        let unsigned = if is_unsigned { text } else { unsigned_cast(&text, width) };
        Some(CBits { unsigned, signed })
    }

    /// The value as an expression of a signed type of the width: outer `None` if there is no expression at
    /// all.
    fn signed(&self, term: Term) -> Option<Option<String>> {
        let value = self.bits_of(term)?;
        let width = self.terms.bv_width(term);
        let cast = || signed_type(width).map(|kind| format!("({kind}){}", value.unsigned));
        Some(value.signed.clone().or_else(cast))
    }

    /// C leaves shifts by the width or more undefined; `beyond` is their value.
    fn guarded_shift(&self, shifted: String, beyond: String, by: Term, width: u8) -> Option<String> {
        match self.terms.as_bv(by) {
            Some((_, by)) if by < u128::from(width) => Some(shifted),
            Some(_) => Some(beyond),
            None => {
                let limit = format!("{width}u");
                Some(format!("({} < {limit} ? {shifted} : {beyond})", self.bits_of(by)?.unsigned))
            }
        }
    }

    /// The signed order is the unsigned one with the sign bit flipped.
    pub(super) fn signed_comparison(&self, operator: &str, a: Term, b: Term) -> Option<String> {
        let (x, y) = (self.signed(a)?, self.signed(b)?);
        if let (Some(x), Some(y)) = (x, y) {
            return Some(format!("({x} {operator} {y})"));
        }
        let width = self.terms.bv_width(a);
        let flip = unsigned_literal(bits::signed_min(width), width);
        let (x, y) = (&self.bits_of(a)?.unsigned, &self.bits_of(b)?.unsigned);
        Some(format!("(({x} ^ {flip}) {operator} ({y} ^ {flip}))"))
    }
}

/// The unsigned type in which vectors of this width are computed.
fn type_of(width: u8) -> &'static str {
    match width {
        ..=32 => "unsigned int",
        33..=64 => "unsigned long long",
        _ => "unsigned __int128",
    }
}

/// Is there a C type of this width?
fn c_width(width: u8) -> bool {
    signed_type(width).is_some()
}

fn signed_type(width: u8) -> Option<&'static str> {
    Some(match width {
        8 => "signed char",
        16 => "short",
        32 => "int",
        64 => "long long",
        128 => "__int128",
        _ => return None,
    })
}

fn unsigned_literal(bits: u128, width: u8) -> String {
    match width {
        ..=32 => format!("{bits}u"),
        33..=64 => format!("{bits}ULL"),
        _ if bits >> 64 == 0 => format!("((unsigned __int128){bits}ULL)"),
        _ => format!("((unsigned __int128){}ULL << 64 | {}ULL)", bits >> 64, bits as u64),
    }
}

/// Conversion to the unsigned type, and only the low bits.
fn unsigned_cast(text: &str, width: u8) -> String {
    masked(&format!("({}){text}", type_of(width)), width)
}

/// Only the low bits of an expression of the type of this width.
fn masked(text: &str, width: u8) -> String {
    match width {
        32 | 64 | 128 if is_group(text) => text.to_owned(),
        32 | 64 | 128 => format!("({text})"),
        _ => format!("({text} & {})", unsigned_literal(bits::mask(width), width)),
    }
}
