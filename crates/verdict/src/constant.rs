//! Values as constant expressions of C, exact to the last bit.

use summa_c::types::FloatKind;
use summa_interp::{InputRecord, Scalar};

/// The value of an input; one of pointer type needs a cast around it.
pub fn of_input(input: &InputRecord) -> String {
    of_scalar(input.request.scalar, input.bits)
}

/// The scalar with these bits. Integers have no suffix that they do not need.
pub fn of_scalar(scalar: Scalar, bits: u128) -> String {
    match scalar.float_kind() {
        Some(kind) => float(bits, kind),
        None if scalar == Scalar::U128 => wide(bits),
        None => integer(scalar.to_int(bits)),
    }
}

/// An integer as an expression with this value, for all sizes of the types.
pub fn integer(value: i128) -> String {
    match value {
        // The least values have no constant of their own: `-` is an operator.
        -2_147_483_648 => "(-2147483647 - 1)".to_owned(),
        -9_223_372_036_854_775_808 => "(-9223372036854775807LL - 1)".to_owned(),
        -2_147_483_647..=2_147_483_647 => value.to_string(),
        2_147_483_648..=4_294_967_295 => format!("{value}U"),
        -9_223_372_036_854_775_807..=-2_147_483_649 | 4_294_967_296..=9_223_372_036_854_775_807 => {
            format!("{value}LL")
        }
        9_223_372_036_854_775_808..=18_446_744_073_709_551_615 => format!("{value}ULL"),
        _ => format!("(__int128)({})", wide(value as u128)),
    }
}

/// 128 bits, for which C has no constants.
fn wide(bits: u128) -> String {
    format!("((unsigned __int128){:#x}ULL << 64 | {:#x}ULL)", bits >> 64, bits as u64)
}

/// A floating-point number: hexadecimal, since that is exact.
pub fn float(bits: u128, kind: FloatKind) -> String {
    let shape = Shape::of(kind);
    let negative = bits >> (shape.width - 1) & 1 == 1;
    let exponent = (bits >> shape.stored & ((1 << shape.exponent_bits) - 1)) as i32;
    let mut mantissa = bits & ((1 << shape.stored) - 1);
    let sign = if negative { "-" } else { "" };
    if exponent == (1 << shape.exponent_bits) - 1 {
        let fraction = mantissa & ((1 << shape.fraction) - 1);
        return match (fraction, sign) {
            (0, "") => format!("__builtin_inf{}()", shape.builtin),
            (0, _) => format!("(-__builtin_inf{}())", shape.builtin),
            _ => format!("__builtin_nan{}(\"\")", shape.builtin),
        };
    }
    // Of subnormal numbers the leading digit is 0, and the exponent that of the least normal one.
    if exponent > 0 && shape.stored == shape.fraction {
        mantissa |= 1 << shape.fraction;
    }
    let power = exponent.max(1) - shape.bias - shape.fraction as i32;
    let text = if mantissa == 0 { "0x0p0".to_owned() } else { format!("{mantissa:#x}p{power}") };
    format!("{sign}{text}{}", shape.suffix)
}

/// How the bits of a format lie.
struct Shape {
    width: u32,
    exponent_bits: u32,
    /// Bits of the mantissa that are stored: those after the point, and of x87 also the one before it.
    stored: u32,
    fraction: u32,
    bias: i32,
    suffix: &'static str,
    builtin: &'static str,
}

impl Shape {
    fn of(kind: FloatKind) -> Self {
        let shape = |width, exponent_bits, stored, fraction, suffix, builtin| Self {
            width,
            exponent_bits,
            stored,
            fraction,
            bias: (1 << (exponent_bits - 1)) - 1,
            suffix,
            builtin,
        };
        match kind {
            FloatKind::Float => shape(32, 8, 23, 23, "f", "f"),
            FloatKind::Double => shape(64, 11, 52, 52, "", ""),
            FloatKind::LongDouble => shape(80, 15, 64, 63, "L", "l"),
            FloatKind::Float128 => shape(128, 15, 112, 112, "Q", "q"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_constants_of_a_type_that_holds_them() {
        let all =
            [0, -1, 42, i128::from(i32::MIN), 4_000_000_000, i128::from(i64::MIN), i128::from(u64::MAX)];
        let texts: Vec<String> = all.iter().map(|&value| integer(value)).collect();
        assert_eq!(
            texts,
            [
                "0",
                "-1",
                "42",
                "(-2147483647 - 1)",
                "4000000000U",
                "(-9223372036854775807LL - 1)",
                "18446744073709551615ULL"
            ]
        );
        assert_eq!(of_scalar(Scalar::U128, 1 << 64), "((unsigned __int128)0x1ULL << 64 | 0x0ULL)");
    }

    /// The front end reads them back with the same bits.
    #[test]
    fn floats_are_exact() {
        for value in [0.0, -0.0, 1.5, -3.25e-7, f64::MIN_POSITIVE, 5e-324, f64::MAX, 0.1] {
            let text = float(value.to_bits().into(), FloatKind::Double);
            let digits = text.trim_start_matches('-');
            let read = summa_c::float::parse(digits, FloatKind::Double).unwrap();
            let read =
                if text.starts_with('-') { summa_c::float::negate(read, FloatKind::Double) } else { read };
            assert_eq!(read, u128::from(value.to_bits()), "{text}");
        }
        for value in [1.0f32, 0.1, 1e-45, f32::MAX] {
            let text = float(value.to_bits().into(), FloatKind::Float);
            let read = summa_c::float::parse(text.trim_end_matches('f'), FloatKind::Float);
            assert_eq!(read, Some(u128::from(value.to_bits())), "{text}");
        }
        let tenth = summa_c::float::parse("0.1", FloatKind::LongDouble).unwrap();
        let text = float(tenth, FloatKind::LongDouble);
        assert_eq!(
            summa_c::float::parse(text.trim_end_matches('L'), FloatKind::LongDouble),
            Some(tenth),
            "{text}"
        );
        assert_eq!(float(f64::NEG_INFINITY.to_bits().into(), FloatKind::Double), "(-__builtin_inf())");
        assert_eq!(float(f32::NAN.to_bits().into(), FloatKind::Float), "__builtin_nanf(\"\")");
    }
}
