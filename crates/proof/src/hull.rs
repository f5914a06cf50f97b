//! What many cases have in common: the parts that occur in each of them, and for each variable the numbers
//! between which it lies in all of them.
//!
//! An analysis of single values proves a loop of a hundred rounds by a hundred cases. These are unreadable,
//! but `0 <= i && i <= 100` follows from them. It says less than the cases together, and holds wherever they
//! do.

use crate::plain::{Bounds, Order, Part};
use summa_base::FxHashMap;
use summa_term::{Term, Terms};

/// A conjunction that follows from each of the cases. It is empty if there are no cases, or if they have
/// nothing in common. Bounds of bit-vectors are signed or unsigned, as the variable is.
pub(crate) fn hull(terms: &mut Terms, cases: &[Vec<Term>], is_signed: &dyn Fn(Term) -> bool) -> Vec<Term> {
    let Some((first, others)) = cases.split_first() else { return Vec::new() };
    let mut common: Vec<Term> = first.clone();
    let mut bounds = bounds_of(terms, first);
    for case in others {
        common.retain(|part| case.contains(part));
        let theirs = bounds_of(terms, case);
        bounds.retain(|key, (low, high)| {
            let Some(&(their_low, their_high)) = theirs.get(key) else { return false };
            (*low, *high) = ((*low).min(their_low), (*high).max(their_high));
            true
        });
    }
    let mut bounds: Vec<_> = bounds.into_iter().collect();
    bounds.sort_unstable_by_key(|&((symbol, order), _)| (symbol, order));
    for ((symbol, order), (low, high)) in bounds {
        let fits = match order {
            Order::Integers => true,
            Order::Signed => is_signed(symbol),
            Order::Unsigned => !is_signed(symbol),
        };
        if !fits {
            continue;
        }
        let (least, greatest) = order.range(terms, symbol);
        // Below zero there is nothing without a sign.
        let least = if is_signed(symbol) { least } else { least.max(0) };
        if least < low {
            let low = order.constant(terms, symbol, low);
            common.push(order.at_most(terms, low, symbol));
        }
        if high < greatest {
            let high = order.constant(terms, symbol, high);
            common.push(order.at_most(terms, symbol, high));
        }
    }
    let mut known = Vec::new();
    common.retain(|&part| {
        let is_new = !known.contains(&part);
        known.push(part);
        is_new
    });
    common
}

/// Between which numbers the symbols of a case lie.
fn bounds_of(terms: &mut Terms, case: &[Term]) -> FxHashMap<(Term, Order), (i128, i128)> {
    let mut known = FxHashMap::default();
    for &part in case {
        for Bounds { symbol, order, low, high } in Part::new(terms, part).bounds {
            let (least, greatest) = known.entry((symbol, order)).or_insert((i128::MIN, i128::MAX));
            (*least, *greatest) = (low.max(*least), high.min(*greatest));
        }
    }
    known
}

#[cfg(test)]
mod tests {
    use super::hull;
    use summa_term::{Sort, Term, Terms};

    fn symbol(terms: &mut Terms, name: &str, sort: Sort) -> Term {
        let symbol = terms.declare(name, sort);
        terms.symbol(symbol, 0)
    }

    #[test]
    fn values_become_ranges_and_what_is_not_in_all_cases_is_gone() {
        let mut terms = Terms::new();
        let [x, y, z] = ["x", "y", "z"].map(|name| symbol(&mut terms, name, Sort::Int));
        let [zero, five, nine] = [0, 5, 9].map(|number| terms.int(number));
        let cases = [
            vec![terms.eq(x, zero), terms.le(y, z), terms.eq(z, five)],
            vec![terms.eq(x, nine), terms.le(y, z)],
            vec![terms.le(five, x), terms.lt(x, nine), terms.le(y, z), terms.le(y, five)],
        ];
        let expected = [terms.le(y, z), terms.le(zero, x), terms.le(x, nine)];
        assert_eq!(hull(&mut terms, &cases, &|_| true), expected);
        assert_eq!(
            hull(&mut terms, &cases, &|_| false),
            [expected[0], expected[2]],
            "what else than at least 0"
        );
        assert!(hull(&mut terms, &[], &|_| true).is_empty());
    }

    #[test]
    fn bit_vectors_lie_among_numbers_of_their_kind() {
        let mut terms = Terms::new();
        let byte = symbol(&mut terms, "b", Sort::Bv(8));
        let [small, large] = [3, 200].map(|number| terms.bv(8, number));
        let cases = [vec![terms.eq(byte, small)], vec![terms.eq(byte, large)]];
        let unsigned = [terms.bv_ule(small, byte), terms.bv_ule(byte, large)];
        assert_eq!(hull(&mut terms, &cases, &|_| false), unsigned);
        let signed = [terms.bv_sle(large, byte), terms.bv_sle(byte, small)];
        assert_eq!(hull(&mut terms, &cases, &|_| true), signed, "200 is below 3 there");
    }
}
