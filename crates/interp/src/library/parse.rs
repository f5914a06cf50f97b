//! Numbers from digits: `strtol` and its relatives, in the C locale.

use super::Args;
use crate::machine::{Flow, Machine};
use summa_cfa::library::Digits;

/// The number at the start of a string.
struct Parsed {
    /// The number of the digits; a number that is too large becomes the largest one.
    magnitude: u128,
    is_negative: bool,
    /// The number of characters of the number, including what precedes it; zero if there is none.
    length: u64,
}

impl Machine<'_> {
    pub(super) fn parse_integer(&mut self, digits: Digits, args: &Args<'_>) -> Flow<u128> {
        let parsed = self.parse_digits(args)?;
        let is_long = matches!(digits, Digits::Long | Digits::UnsignedLong);
        let width = if is_long && self.memory.pointer_size == 4 { 32 } else { 64 };
        let (all, half) = ((1u128 << width) - 1, 1u128 << (width - 1));
        let value = match digits {
            Digits::Long | Digits::LongLong => {
                let most = if parsed.is_negative { half } else { half - 1 };
                let magnitude = parsed.magnitude.min(most);
                if parsed.is_negative { magnitude.wrapping_neg() } else { magnitude }
            }
            // Digits that fit are negated as a number of the type.
            Digits::UnsignedLong | Digits::UnsignedLongLong if parsed.magnitude > all => all,
            Digits::UnsignedLong | Digits::UnsignedLongLong => {
                if parsed.is_negative {
                    parsed.magnitude.wrapping_neg() & all
                } else {
                    parsed.magnitude
                }
            }
        };
        Ok(value)
    }

    pub(super) fn parsed_length(&mut self, args: &Args<'_>) -> Flow<u128> {
        Ok(self.parse_digits(args)?.length.into())
    }

    fn parse_digits(&mut self, args: &Args<'_>) -> Flow<Parsed> {
        let (start, base) = (args.address(0), args.int(1));
        let nothing = Parsed { magnitude: 0, is_negative: false, length: 0 };
        if base != 0 && !(2..=36).contains(&base) {
            return Ok(nothing);
        }
        let mut at = 0;
        while matches!(self.character(start, at)?, b' ' | 9..=13) {
            at += 1;
        }
        let sign = self.character(start, at)?;
        if matches!(sign, b'+' | b'-') {
            at += 1;
        }
        let mut base = base as u128;
        let has_prefix = matches!(base, 0 | 16)
            && self.character(start, at)? == b'0'
            && matches!(self.character(start, at + 1)?, b'x' | b'X')
            && self.character(start, at + 2)?.is_ascii_hexdigit();
        if has_prefix {
            (base, at) = (16, at + 2);
        } else if base == 0 {
            base = if self.character(start, at)? == b'0' { 8 } else { 10 };
        }
        let mut magnitude = 0u128;
        let first = at;
        while let Some(digit) = digit(self.character(start, at)?).filter(|&digit| digit < base) {
            magnitude = magnitude.saturating_mul(base).saturating_add(digit);
            at += 1;
        }
        let parsed = Parsed { magnitude, is_negative: sign == b'-', length: at };
        Ok(if at == first { nothing } else { parsed })
    }

    fn character(&mut self, start: u64, at: u64) -> Flow<u8> {
        self.read_byte(start, start.wrapping_add(at))
    }
}

fn digit(character: u8) -> Option<u128> {
    char::from(character).to_digit(36).map(u128::from)
}
