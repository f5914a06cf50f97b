//! Numbers modulo others: what strides need.

pub(super) fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a as i128
}

/// Sums of numbers of 64 bits and congruences up to this one fit into 128 bits.
const WIDEST: i128 = 1 << 100;

/// The numbers that are `a` modulo `m` and `b` modulo `n`, as residue and modulus (the Chinese remainder
/// theorem); None if there are none. Where the modulus becomes too wide, the first congruence alone.
pub(super) fn both_congruences((a, m): (i128, i128), (b, n): (i128, i128)) -> Option<(i128, i128)> {
    let divisor = gcd(m, n);
    if (b - a) % divisor != 0 {
        return None;
    }
    let solve = || {
        let modulus = n / divisor;
        let steps = ((b - a) / divisor).rem_euclid(modulus);
        let steps = steps.checked_mul(inverse(m / divisor, modulus))?.rem_euclid(modulus);
        let modulus = m.checked_mul(modulus).filter(|&modulus| modulus <= WIDEST)?;
        Some((a + m * steps, modulus))
    };
    Some(solve().unwrap_or((a, m)))
}

/// The inverse of `a` modulo `n`, which have no common divisor.
fn inverse(a: i128, n: i128) -> i128 {
    let (mut old, mut new) = ((a.rem_euclid(n), 1i128), (n, 0i128));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old.1.rem_euclid(n)
}
