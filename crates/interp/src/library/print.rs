//! The `printf` family. Output to standard output is kept; what goes to other streams is formatted and
//! dropped.

use super::Args;
use super::digits::{fixed, general, hexadecimal, scientific};
use crate::machine::{Flow, Machine};
use crate::outcome::{End, FaultKind};
use crate::scalar::{Scalar, convert};
use summa_cfa::LibFn;

/// One conversion specification.
#[derive(Clone, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternative: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// `hh`, `h`, `l`, `ll`, `j`, `z`, `t`, `L` or nothing.
    length: String,
    conversion: u8,
}

/// Widths and precisions beyond this are not worth an answer.
const MAX_WIDTH: usize = 1 << 20;

impl Machine<'_> {
    pub(super) fn print_function(&mut self, model: LibFn, args: &Args<'_>) -> Flow<u128> {
        let count = |text: &[u8]| Scalar::I32.from_int(text.len() as i128);
        match model {
            LibFn::Printf => {
                let text = self.format(args.address(0), args, 1)?;
                self.print(&text)?;
                Ok(count(&text))
            }
            LibFn::Fprintf => Ok(count(&self.format(args.address(1), args, 2)?)),
            LibFn::Sprintf => {
                let mut text = self.format(args.address(1), args, 2)?;
                let result = count(&text);
                text.push(0);
                self.write_bytes(args.address(0), &text)?;
                Ok(result)
            }
            LibFn::Snprintf => {
                let mut text = self.format(args.address(2), args, 3)?;
                let result = count(&text);
                let size = self.size(args, 1);
                if size > 0 {
                    text.truncate(usize::try_from(size - 1).unwrap_or(usize::MAX));
                    text.push(0);
                    self.write_bytes(args.address(0), &text)?;
                }
                Ok(result)
            }
            LibFn::Puts => {
                let mut text = self.string(args.address(0), u64::MAX)?;
                text.push(b'\n');
                self.print(&text)?;
                Ok(count(&text))
            }
            LibFn::Putchar => {
                let byte = args.int(0) as u8;
                self.print(&[byte])?;
                Ok(byte.into())
            }
            other => Err(self.unsupported(format!("the library function {other:?}"))),
        }
    }

    fn print(&mut self, text: &[u8]) -> Flow<()> {
        self.output.extend_from_slice(text);
        if self.output.len() as u64 + self.memory.used() > self.policy.max_memory {
            return Err(self.stop(End::MemoryLimit));
        }
        Ok(())
    }

    fn format(&mut self, format: u64, args: &Args<'_>, first: usize) -> Flow<Vec<u8>> {
        let template = self.string(format, u64::MAX)?;
        let mut out = Vec::with_capacity(template.len());
        let (mut rest, mut next) = (template.as_slice(), first);
        while let Some((&byte, tail)) = rest.split_first() {
            rest = tail;
            if byte != b'%' {
                out.push(byte);
                continue;
            }
            let spec = self.specification(&mut rest, args, &mut next)?;
            self.convert(&spec, args, &mut next, &mut out)?;
        }
        Ok(out)
    }

    fn specification(&mut self, rest: &mut &[u8], args: &Args<'_>, next: &mut usize) -> Flow<Spec> {
        let mut spec = Spec::default();
        let peek = |rest: &&[u8]| rest.first().copied().unwrap_or(0);
        loop {
            match peek(rest) {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                b'0' => spec.zero = true,
                _ => break,
            }
            *rest = &rest[1..];
        }
        if peek(rest) == b'*' {
            *rest = &rest[1..];
            let width = self.next_int(args, next, Scalar::I32)?;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        } else {
            spec.width = digits(rest).unwrap_or(0);
        }
        if peek(rest) == b'.' {
            *rest = &rest[1..];
            spec.precision = if peek(rest) == b'*' {
                *rest = &rest[1..];
                // A negative precision is none.
                usize::try_from(self.next_int(args, next, Scalar::I32)?).ok()
            } else {
                Some(digits(rest).unwrap_or(0))
            };
        }
        while matches!(peek(rest), b'h' | b'l' | b'j' | b'z' | b't' | b'L' | b'q') {
            spec.length.push(char::from(rest[0]));
            *rest = &rest[1..];
        }
        spec.conversion = peek(rest);
        *rest = rest.get(1..).unwrap_or(&[]);
        if spec.width > MAX_WIDTH || spec.precision.is_some_and(|p| p > MAX_WIDTH) {
            return Err(self.unsupported("a printf conversion that is megabytes wide"));
        }
        Ok(spec)
    }

    fn next_bits(&mut self, args: &Args<'_>, next: &mut usize) -> Flow<(Scalar, u128)> {
        let index = *next;
        *next += 1;
        if index >= args.len() {
            self.note(FaultKind::InvalidArgument)?;
        }
        Ok((args.kind(index), args.bits(index)))
    }

    fn next_int(&mut self, args: &Args<'_>, next: &mut usize, kind: Scalar) -> Flow<i128> {
        let (from, bits) = self.next_bits(args, next)?;
        if from.is_float() {
            return Err(self.unsupported("an integer conversion of printf with a floating argument"));
        }
        Ok(kind.to_int(convert(from, kind, bits)))
    }

    fn convert(&mut self, spec: &Spec, args: &Args<'_>, next: &mut usize, out: &mut Vec<u8>) -> Flow<()> {
        match spec.conversion {
            b'%' => out.push(b'%'),
            b'd' | b'i' => {
                let Some((signed, _)) = self.integer_kinds(&spec.length) else {
                    return Err(self.unknown(spec));
                };
                let value = self.next_int(args, next, signed)?;
                let digits = value.unsigned_abs().to_string();
                let sign = sign_of(value < 0, spec);
                out.extend(integer(spec, sign, &digits, value == 0));
            }
            conversion @ (b'u' | b'x' | b'X' | b'o') => {
                let Some((_, unsigned)) = self.integer_kinds(&spec.length) else {
                    return Err(self.unknown(spec));
                };
                let value = self.next_int(args, next, unsigned)? as u128;
                let (digits, prefix) = match conversion {
                    b'x' => (format!("{value:x}"), "0x"),
                    b'X' => (format!("{value:X}"), "0X"),
                    b'o' => (format!("{value:o}"), ""),
                    _ => (value.to_string(), ""),
                };
                let mut spec = spec.clone();
                if conversion == b'o' && spec.alternative && value != 0 {
                    // The precision grows so that the first digit is a zero.
                    spec.precision = Some(spec.precision.unwrap_or(0).max(digits.len() + 1));
                }
                let prefix = if spec.alternative && value != 0 { prefix } else { "" };
                out.extend(integer(&spec, prefix, &digits, value == 0));
            }
            b'c' if spec.length.is_empty() => {
                let byte = self.next_int(args, next, Scalar::I32)? as u8;
                out.extend(padded(spec, vec![byte]));
            }
            b's' if spec.length.is_empty() => {
                let (_, address) = self.next_bits(args, next)?;
                let most = spec.precision.map_or(u64::MAX, |p| p as u64);
                let text = match address as u64 {
                    // glibc prints null pointers.
                    0 if most >= 6 => b"(null)".to_vec(),
                    0 => Vec::new(),
                    address => self.string(address, most)?,
                };
                out.extend(padded(spec, text));
            }
            b'p' => {
                let (_, address) = self.next_bits(args, next)?;
                let text = if address == 0 { "(nil)".to_string() } else { format!("{:#x}", address as u64) };
                out.extend(padded(spec, text.into_bytes()));
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let (kind, bits) = self.next_bits(args, next)?;
                let Some(value) = exact_double(kind, bits) else {
                    return Err(self.unsupported("printf of a long double that is no double"));
                };
                if matches!(spec.conversion, b'a' | b'A') && kind != Scalar::F64 {
                    return Err(self.unknown(spec));
                }
                out.extend(float(spec, value));
            }
            _ => return Err(self.unknown(spec)),
        }
        Ok(())
    }

    fn unknown(&mut self, spec: &Spec) -> crate::machine::Stop {
        let conversion = char::from(spec.conversion);
        self.unsupported(format!("the printf conversion `%{}{conversion}`", spec.length))
    }

    /// The signed and unsigned type of a length modifier.
    fn integer_kinds(&self, length: &str) -> Option<(Scalar, Scalar)> {
        let long = if self.memory.pointer_size == 4 {
            (Scalar::I32, Scalar::U32)
        } else {
            (Scalar::I64, Scalar::U64)
        };
        Some(match length {
            "" => (Scalar::I32, Scalar::U32),
            "hh" => (Scalar::I8, Scalar::U8),
            "h" => (Scalar::I16, Scalar::U16),
            "l" | "z" | "t" => long,
            "ll" | "j" | "q" | "L" => (Scalar::I64, Scalar::U64),
            _ => return None,
        })
    }
}

fn digits(rest: &mut &[u8]) -> Option<usize> {
    let count = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let (number, tail) = rest.split_at(count);
    *rest = tail;
    if count == 0 {
        return None;
    }
    // Too long to be a number: as large as can be, which is refused.
    Some(std::str::from_utf8(number).ok().and_then(|text| text.parse().ok()).unwrap_or(usize::MAX))
}

fn exact_double(kind: Scalar, bits: u128) -> Option<f64> {
    let double = match kind {
        Scalar::F64 => bits,
        _ if kind.is_float() => convert(kind, Scalar::F64, bits),
        _ => return None,
    };
    let value = f64::from_bits(double as u64);
    (value.is_nan() || convert(Scalar::F64, kind, double) == bits).then_some(value)
}

fn sign_of(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (_, true, _) => "+",
        (_, _, true) => " ",
        _ => "",
    }
}

fn integer(spec: &Spec, prefix: &str, digits: &str, is_zero: bool) -> Vec<u8> {
    // Zero with precision zero has no digits.
    let digits = if is_zero && spec.precision == Some(0) { "" } else { digits };
    let missing = spec.precision.unwrap_or(0).saturating_sub(digits.len());
    let mut body = format!("{}{digits}", "0".repeat(missing));
    let width = prefix.len() + body.len();
    if spec.zero && !spec.left && spec.precision.is_none() && width < spec.width {
        body.insert_str(0, &"0".repeat(spec.width - width));
    }
    padded(spec, format!("{prefix}{body}").into_bytes())
}

fn padded(spec: &Spec, mut text: Vec<u8>) -> Vec<u8> {
    let missing = spec.width.saturating_sub(text.len());
    if spec.left {
        text.resize(text.len() + missing, b' ');
        return text;
    }
    let mut out = vec![b' '; missing];
    out.append(&mut text);
    out
}

fn float(spec: &Spec, value: f64) -> Vec<u8> {
    let upper = spec.conversion.is_ascii_uppercase();
    let sign = sign_of(value.is_sign_negative(), spec);
    let magnitude = value.abs();
    let is_number = magnitude.is_finite();
    let mut body = match spec.conversion.to_ascii_lowercase() {
        _ if value.is_nan() => "nan".to_string(),
        _ if !is_number => "inf".to_string(),
        b'f' => fixed(magnitude, spec.precision.unwrap_or(6), spec.alternative),
        b'e' => scientific(magnitude, spec.precision.unwrap_or(6), spec.alternative),
        b'g' => general(magnitude, spec.precision.unwrap_or(6), spec.alternative),
        _ => hexadecimal(magnitude, spec.precision, spec.alternative),
    };
    let is_hex = is_number && matches!(spec.conversion, b'a' | b'A');
    let prefix = if is_hex { format!("{sign}0x") } else { sign.to_string() };
    let width = prefix.len() + body.len();
    if spec.zero && !spec.left && is_number && width < spec.width {
        body.insert_str(0, &"0".repeat(spec.width - width));
    }
    let mut text = format!("{prefix}{body}");
    if upper {
        text.make_ascii_uppercase();
    }
    padded(spec, text.into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec(text: &str) -> Spec {
        let mut spec = Spec::default();
        let mut rest = text.as_bytes();
        while let Some(flag) = rest.first().filter(|b| b"-+ #0".contains(b)) {
            match flag {
                b'-' => spec.left = true,
                b'+' => spec.plus = true,
                b' ' => spec.space = true,
                b'#' => spec.alternative = true,
                _ => spec.zero = true,
            }
            rest = &rest[1..];
        }
        spec.width = digits(&mut rest).unwrap_or(0);
        if rest.first() == Some(&b'.') {
            rest = &rest[1..];
            spec.precision = Some(digits(&mut rest).unwrap_or(0));
        }
        spec.conversion = rest[0];
        spec
    }

    /// Expectations are what glibc prints.
    #[test]
    fn floats_print_as_in_glibc() {
        for (format, value, expected) in [
            ("f", 1.5, "1.500000"),
            (".0f", 0.5, "0"),
            (".0f", 1.5, "2"),
            ("10.2f", -2.345, "     -2.35"),
            ("010.2f", -2.345, "-000002.35"),
            ("-8.1f", 2.25, "2.2     "),
            ("e", 12345.678, "1.234568e+04"),
            ("E", 1e-300, "1.000000E-300"),
            (".0e", 15.0, "2e+01"),
            ("g", 0.0001, "0.0001"),
            ("g", 0.00001, "1e-05"),
            ("g", 1e6, "1e+06"),
            ("g", 123456.0, "123456"),
            ("g", 999999.5, "1e+06"),
            ("#g", 1.0, "1.00000"),
            (".3g", 1234.5, "1.23e+03"),
            ("+f", f64::INFINITY, "+inf"),
            ("F", f64::INFINITY, "INF"),
            ("05f", f64::NAN, "  nan"),
            ("a", 1.0, "0x1p+0"),
            ("a", 0.1, "0x1.999999999999ap-4"),
            (".2a", 1.999, "0x2.00p+0"),
            ("A", -255.5, "-0X1.FFP+7"),
            ("a", 0.0, "0x0p+0"),
            ("g", 100000.0, "100000"),
        ] {
            let printed = String::from_utf8(float(&spec(format), value)).unwrap();
            assert_eq!(printed, expected, "%{format} of {value}");
        }
    }

    #[test]
    fn integers_print_as_in_glibc() {
        let print = |format: &str, sign: &str, digits: &str| {
            String::from_utf8(integer(&spec(format), sign, digits, digits == "0")).unwrap()
        };
        assert_eq!(print("5d", "-", "42"), "  -42");
        assert_eq!(print("05d", "-", "42"), "-0042");
        assert_eq!(print("-5d", "", "42"), "42   ");
        assert_eq!(print(".4d", "-", "42"), "-0042");
        assert_eq!(print("08.4d", "", "42"), "    0042");
        assert_eq!(print(".0d", "", "0"), "");
        assert_eq!(print("#8x", "0x", "2a"), "    0x2a");
        assert_eq!(print("#08x", "0x", "2a"), "0x00002a");
    }
}
