//! The digits of a double as `printf` writes them, without sign and padding. The decimal forms are exact: the
//! value is rounded half to even at the last digit that is printed.

pub(super) fn fixed(value: f64, precision: usize, alternative: bool) -> String {
    let mut text = format!("{value:.precision$}");
    if alternative && precision == 0 {
        text.push('.');
    }
    text
}

pub(super) fn scientific(value: f64, precision: usize, alternative: bool) -> String {
    let text = format!("{value:.precision$e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let dot = if alternative && precision == 0 { "." } else { "" };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{mantissa}{dot}e{sign}{:02}", exponent.abs())
}

pub(super) fn general(value: f64, precision: usize, alternative: bool) -> String {
    let precision = precision.max(1);
    // The exponent that `%e` would show with this precision.
    let rounded = format!("{value:.*e}", precision - 1);
    let exponent: i64 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let is_fixed = (-4..precision as i64).contains(&exponent);
    let text = if is_fixed {
        fixed(value, (precision as i64 - 1 - exponent) as usize, alternative)
    } else {
        scientific(value, precision - 1, alternative)
    };
    if alternative {
        return text;
    }
    let (mantissa, tail) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text.as_str(), ""),
    };
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    format!("{mantissa}{tail}")
}

/// The digits after `0x` of `%a` for a double.
pub(super) fn hexadecimal(value: f64, precision: Option<usize>, alternative: bool) -> String {
    let bits = value.to_bits();
    let biased = (bits >> 52) as i32;
    let mut fraction = bits & ((1 << 52) - 1);
    let mut lead = u64::from(biased != 0);
    let exponent = match (biased, fraction) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => biased - 1023,
    };
    let digits = match precision {
        Some(precision) if precision < 13 => {
            // Round half to even at the last digit kept.
            let drop = 4 * (13 - precision as u32);
            let whole = lead << 52 | fraction;
            let (kept, rest, half) = (whole >> drop, whole & ((1 << drop) - 1), 1u64 << (drop - 1));
            let up = rest > half || (rest == half && kept & 1 == 1);
            let kept = kept + u64::from(up);
            lead = kept >> (4 * precision);
            fraction = kept & ((1u64 << (4 * precision)) - 1);
            if precision == 0 { String::new() } else { format!("{fraction:0precision$x}") }
        }
        Some(precision) => format!("{fraction:013x}{}", "0".repeat(precision - 13)),
        None => format!("{fraction:013x}").trim_end_matches('0').to_string(),
    };
    let dot = if digits.is_empty() && !alternative { "" } else { "." };
    format!("{lead:x}{dot}{digits}p{exponent:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_even_digit() {
        assert_eq!([fixed(0.5, 0, false), fixed(1.5, 0, false), fixed(2.5, 0, false)], ["0", "2", "2"]);
        assert_eq!(fixed(0.125, 2, false), "0.12");
        assert_eq!(scientific(2.5, 0, true), "2.e+00");
        assert_eq!(hexadecimal(1.03125, Some(1), false), "1.0p+0");
        assert_eq!(general(5e-324, 3, false), "4.94e-324");
    }
}
