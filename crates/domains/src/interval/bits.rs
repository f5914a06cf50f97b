//! Bounds of `&`, `|` and `^` over two ranges: the least and the greatest result, exactly.
//!
//! Source: Warren, *Hacker's Delight*, 2nd edition, Section 4-3 ("Propagating bounds through logical
//! operations"). A signed range is cut at zero; each part is a range of bit patterns.

use crate::scalars::Shape;
use summa_c::tree::BinaryOp;

/// The range of `a op b` for all pairs from the two ranges.
pub(super) fn bounds(op: BinaryOp, shape: Shape, a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let mut all: Option<(i128, i128)> = None;
    let modulus = 1i128 << shape.width;
    for x in patterns(a, modulus) {
        for y in patterns(b, modulus) {
            let patterns = pattern_bounds(op, shape.width, x, y);
            // Operands of one sign each: the sign of the result is the same for all.
            let back = |bits: u64| {
                let value = i128::from(bits);
                if value > shape.max() { value - modulus } else { value }
            };
            let (lo, hi) = (back(patterns.0), back(patterns.1));
            all = Some(all.map_or((lo, hi), |(low, high)| (low.min(lo), high.max(hi))));
        }
    }
    all
}

/// The negative and the other part of a range, as ranges of bit patterns.
fn patterns((lo, hi): (i128, i128), modulus: i128) -> impl Iterator<Item = (u64, u64)> {
    let negative = (lo < 0).then(|| ((lo + modulus) as u64, (hi.min(-1) + modulus) as u64));
    let other = (hi >= 0).then(|| (lo.max(0) as u64, hi as u64));
    [negative, other].into_iter().flatten()
}

fn pattern_bounds(op: BinaryOp, width: u32, x: (u64, u64), y: (u64, u64)) -> (u64, u64) {
    let mask = u64::MAX >> (64 - width);
    let not = |(lo, hi): (u64, u64)| (!hi & mask, !lo & mask);
    match op {
        BinaryOp::And => {
            // a & b = ~(~a | ~b)
            let (nx, ny) = (not(x), not(y));
            (!max_or(width, nx, ny) & mask, !min_or(width, nx, ny) & mask)
        }
        BinaryOp::Or => (min_or(width, x, y), max_or(width, x, y)),
        _ => (min_xor(width, x, y), max_xor(width, x, y)),
    }
}

fn highest(width: u32) -> u64 {
    1 << (width - 1)
}

fn min_or(width: u32, (mut a, b): (u64, u64), (mut c, d): (u64, u64)) -> u64 {
    let mut m = highest(width);
    while m != 0 {
        if !a & c & m != 0 {
            let raised = (a | m) & m.wrapping_neg();
            if raised <= b {
                a = raised;
                break;
            }
        } else if a & !c & m != 0 {
            let raised = (c | m) & m.wrapping_neg();
            if raised <= d {
                c = raised;
                break;
            }
        }
        m >>= 1;
    }
    a | c
}

fn max_or(width: u32, (a, mut b): (u64, u64), (c, mut d): (u64, u64)) -> u64 {
    let mut m = highest(width);
    while m != 0 {
        if b & d & m != 0 {
            let lowered = (b - m) | (m - 1);
            if lowered >= a {
                b = lowered;
                break;
            }
            let lowered = (d - m) | (m - 1);
            if lowered >= c {
                d = lowered;
                break;
            }
        }
        m >>= 1;
    }
    b | d
}

fn min_xor(width: u32, (mut a, b): (u64, u64), (mut c, d): (u64, u64)) -> u64 {
    let mut m = highest(width);
    while m != 0 {
        if !a & c & m != 0 {
            let raised = (a | m) & m.wrapping_neg();
            if raised <= b {
                a = raised;
            }
        } else if a & !c & m != 0 {
            let raised = (c | m) & m.wrapping_neg();
            if raised <= d {
                c = raised;
            }
        }
        m >>= 1;
    }
    a ^ c
}

fn max_xor(width: u32, (a, mut b): (u64, u64), (c, mut d): (u64, u64)) -> u64 {
    let mut m = highest(width);
    while m != 0 {
        if b & d & m != 0 {
            let lowered = (b - m) | (m - 1);
            if lowered >= a {
                b = lowered;
            } else {
                let lowered = (d - m) | (m - 1);
                if lowered >= c {
                    d = lowered;
                }
            }
        }
        m >>= 1;
    }
    b ^ d
}
