//! Character classes of the C locale. The results are those of glibc, whose `is…` functions give a bit of a
//! table.

use summa_cfa::library::Ctype;

pub(super) fn classify(class: Ctype, c: i128) -> u128 {
    let Ok(byte) = u8::try_from(c) else {
        // EOF, or outside of what the functions allow: no character. Conversions give it back.
        return match class {
            Ctype::ToLower | Ctype::ToUpper => u128::from(c as i64 as u64),
            _ => 0,
        };
    };
    let is_space = byte == b' ' || (9..=13).contains(&byte);
    // The bits of <ctype.h> on a little-endian machine.
    let bit = |holds: bool, bit: u32| u128::from(holds) << bit;
    match class {
        Ctype::Upper => bit(byte.is_ascii_uppercase(), 8),
        Ctype::Lower => bit(byte.is_ascii_lowercase(), 9),
        Ctype::Alpha => bit(byte.is_ascii_alphabetic(), 10),
        Ctype::Digit => bit(byte.is_ascii_digit(), 11),
        Ctype::Xdigit => bit(byte.is_ascii_hexdigit(), 12),
        Ctype::Space => bit(is_space, 13),
        Ctype::Print => bit((32..127).contains(&byte), 14),
        Ctype::Graph => bit(byte.is_ascii_graphic(), 15),
        Ctype::Blank => bit(byte == b' ' || byte == b'\t', 0),
        Ctype::Cntrl => bit(byte.is_ascii_control(), 1),
        Ctype::Punct => bit(byte.is_ascii_punctuation(), 2),
        Ctype::Alnum => bit(byte.is_ascii_alphanumeric(), 3),
        Ctype::ToLower => byte.to_ascii_lowercase().into(),
        Ctype::ToUpper => byte.to_ascii_uppercase().into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_some_characters() {
        assert_ne!(classify(Ctype::Alpha, i128::from(b'x')), 0);
        assert_eq!(classify(Ctype::Alpha, i128::from(b'1')), 0);
        assert_ne!(classify(Ctype::Space, 11), 0);
        assert_eq!(classify(Ctype::Print, 127), 0);
        assert_eq!(classify(Ctype::Digit, -1), 0);
        assert_eq!(classify(Ctype::ToUpper, i128::from(b'q')), u128::from(b'Q'));
        assert_eq!(classify(Ctype::ToLower, -1), u128::from(u64::MAX));
        assert_eq!(classify(Ctype::Alpha, 0xe9), 0);
    }
}
