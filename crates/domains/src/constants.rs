//! Signatures of states that are sets of facts "this has that value". A state that covers another one has a
//! subset of its facts. If both have equally many, they are equal.

use summa_cpa::Signature;

/// The signature of facts that something has a single value, each given by the number of the thing and its
/// value.
pub(crate) fn signature(things: impl Iterator<Item = (u64, u64)>) -> Signature {
    things.fold(Signature::default(), |known, (thing, value)| {
        let mixed = mix(mix(thing) ^ value);
        let mark = 1 << (mixed >> 57);
        known.and(Signature { size: 1, hash: mixed, marks: mark, kept: 0 })
    })
}

/// Every bit of the result depends on every bit of the number.
fn mix(number: u64) -> u64 {
    let number = (number ^ number >> 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    number ^ number >> 29
}

#[cfg(test)]
mod tests {
    use super::signature;

    #[test]
    fn less_may_cover_more_and_never_the_other_way_round() {
        let things = [(1, 5), (2, 7), (3, 0)];
        let (all, some) = (signature(things.into_iter()), signature(things[1..].iter().copied()));
        assert!(all.may_be_covered_by(some) && all.may_be_covered_by(all));
        assert!(!some.may_be_covered_by(all));
        assert!(!all.may_be_covered_by(signature([(1, 6)].into_iter())));
    }
}
