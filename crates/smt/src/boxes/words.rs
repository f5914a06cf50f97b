//! Operations on intervals of words. Each interval, the signed and the unsigned one, is computed on its own;
//! where a result may wrap around, that interval says nothing.

use super::set::{Truth, Words, most_of, sign_extended};
use summa_term::Op;

fn signed(width: u8, bounds: Option<(i64, i64)>) -> Words {
    let all = Words::all(width);
    match bounds {
        Some((least, most)) if all.least <= least && most <= all.most => Words::signed(width, least, most),
        _ => all,
    }
}

fn unsigned(width: u8, bounds: Option<(u64, u64)>) -> Words {
    match bounds {
        Some((low, high)) if high <= most_of(width) => Words::unsigned(width, low, high),
        _ => Words::all(width),
    }
}

pub(super) fn binary(op: Op, a: Words, b: Words) -> Words {
    let width = a.width;
    if a.is_empty() || b.is_empty() {
        return Words::all(width);
    }
    let constant = |words: Words| (words.low == words.high).then_some(words.low);
    match op {
        Op::BvAdd => {
            let bits = a.low.checked_add(b.low).zip(a.high.checked_add(b.high));
            let numbers = a.least.checked_add(b.least).zip(a.most.checked_add(b.most));
            unsigned(width, bits).intersect(signed(width, numbers))
        }
        Op::BvSub => {
            let bits = a.low.checked_sub(b.high).zip(a.high.checked_sub(b.low));
            let numbers = a.least.checked_sub(b.most).zip(a.most.checked_sub(b.least));
            unsigned(width, bits).intersect(signed(width, numbers))
        }
        Op::BvMul => {
            let bits = a.low.checked_mul(b.low).zip(a.high.checked_mul(b.high));
            let corners = [(a.least, b.least), (a.least, b.most), (a.most, b.least), (a.most, b.most)];
            let products: Option<Vec<i64>> = corners.into_iter().map(|(x, y)| x.checked_mul(y)).collect();
            let numbers =
                products.and_then(|all| Some((all.iter().copied().min()?, all.iter().copied().max()?)));
            unsigned(width, bits).intersect(signed(width, numbers))
        }
        Op::BvUdiv => match constant(b) {
            Some(divisor) if divisor > 0 => unsigned(width, Some((a.low / divisor, a.high / divisor))),
            _ => Words::all(width),
        },
        Op::BvUrem => match constant(b) {
            Some(divisor) if divisor > a.high => a,
            Some(divisor) if divisor > 0 => unsigned(width, Some((0, divisor - 1))),
            _ => Words::all(width),
        },
        Op::BvAnd => {
            let masked =
                |words: Words, mask: u64| unsigned(width, Some((words.low & mask, words.high & mask)));
            match (constant(a), constant(b)) {
                (_, Some(mask)) if keeps_order(a, mask) => masked(a, mask),
                (Some(mask), _) if keeps_order(b, mask) => masked(b, mask),
                _ => unsigned(width, Some((0, a.high.min(b.high)))),
            }
        }
        Op::BvOr => unsigned(width, Some((a.low.max(b.low), below_power(a.high | b.high)))),
        Op::BvXor => unsigned(width, Some((0, below_power(a.high | b.high)))),
        Op::BvShl | Op::BvLshr | Op::BvAshr => match constant(b) {
            Some(by) if by < u64::from(width) => shift(op, a, by as u32),
            _ => Words::all(width),
        },
        _ => Words::all(width),
    }
}

/// The mask is all ones up to some bit, and the words have the same bits outside of it: so what is inside is
/// in order.
fn keeps_order(words: Words, mask: u64) -> bool {
    mask & mask.wrapping_add(1) == 0 && words.low & !mask == words.high & !mask
}

/// Which of the words are these when masked, if the mask is one that keeps their order.
pub(super) fn unmasked(words: Words, mask: Words, masked: Words) -> Option<Words> {
    let is_plain = mask.low == mask.high && !words.is_empty() && keeps_order(words, mask.low);
    let outside = words.low & !mask.low;
    is_plain
        .then(|| words.intersect(Words::unsigned(words.width, outside | masked.low, outside | masked.high)))
}

/// The largest number with as many bits.
fn below_power(number: u64) -> u64 {
    if number == 0 { 0 } else { u64::MAX >> number.leading_zeros() }
}

fn shift(op: Op, a: Words, by: u32) -> Words {
    match op {
        Op::BvLshr => unsigned(a.width, Some((a.low >> by, a.high >> by))),
        Op::BvAshr => signed(a.width, Some((a.least >> by, a.most >> by))),
        _ => {
            let fits = a.high <= most_of(a.width) >> by;
            unsigned(a.width, fits.then(|| (a.low << by, a.high << by)))
        }
    }
}

pub(super) fn complement(a: Words) -> Words {
    let most = most_of(a.width);
    if a.is_empty() {
        return Words::all(a.width);
    }
    unsigned(a.width, Some((most - a.high, most - a.low)))
        .intersect(signed(a.width, Some((!a.most, !a.least))))
}

pub(super) fn negated(a: Words) -> Words {
    signed(a.width, a.most.checked_neg().zip(a.least.checked_neg()))
}

pub(super) fn compare(op: Op, a: Words, b: Words) -> Truth {
    match op {
        Op::BvUlt => Truth::known(a.high < b.low, a.low >= b.high),
        Op::BvUle => Truth::known(a.high <= b.low, a.low > b.high),
        Op::BvSlt => Truth::known(a.most < b.least, a.least >= b.most),
        Op::BvSle => Truth::known(a.most <= b.least, a.least > b.most),
        _ => {
            let is_one = a.low == a.high && b.low == b.high && a.low == b.low;
            let apart = a.low > b.high || b.low > a.high || a.least > b.most || b.least > a.most;
            Truth::known(is_one, apart)
        }
    }
}

pub(super) fn extract(a: Words, high: u8, low: u8) -> Words {
    let width = high - low + 1;
    let above = u32::from(high) + 1;
    let is_fixed = above >= 64 || a.low >> above == a.high >> above;
    let cut = |word: u64| word >> low & most_of(width);
    if is_fixed && !a.is_empty() {
        unsigned(width, Some((cut(a.low), cut(a.high))))
    } else {
        Words::all(width)
    }
}

pub(super) fn concatenated(high: Words, low: Words) -> Option<Words> {
    let width = high.width.checked_add(low.width).filter(|&width| width <= super::set::WIDEST)?;
    if high.is_empty() || low.is_empty() {
        return Some(Words::all(width));
    }
    let join = |above: u64, below: u64| above << low.width | below;
    Some(unsigned(width, Some((join(high.low, low.low), join(high.high, low.high)))))
}

pub(super) fn zero_extended(a: Words, width: u8) -> Words {
    unsigned(width, Some((a.low, a.high)))
}

pub(super) fn sign_extended_to(a: Words, width: u8) -> Words {
    signed(width, Some((a.least, a.most)))
}

/// As a signed or unsigned number.
pub(super) fn as_number(word: u64, width: u8, is_signed: bool) -> i128 {
    if is_signed { sign_extended(width, word).into() } else { word.into() }
}
