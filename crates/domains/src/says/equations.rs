//! Systems of linear equations modulo 2³², in a normal form that answers all questions about them.
//!
//! An equation Σ cᵢ·xᵢ + c = 0 is a row of coefficients; the constant belongs to the unknown
//! [`Unknown::One`]. The equations that hold for a set of states are a module: sums and multiples of them
//! hold as well. The module is kept as a basis in Howell's normal form. Its rows are in echelon form with
//! powers of two as leading coefficients. If a multiple of a row has leading coefficient zero, it is a
//! combination of the rows below. So the rows that do not mention the first unknowns generate *all* equations
//! without them.
//!
//! Papers: Howell, *Spans in the module (Zₘ)ˢ*, 1986; Müller-Olm, Seidl, *Analysis of modular arithmetic*,
//! TOPLAS 2007.
//!
//! Limits: equations beyond a maximal number are forgotten, which says less.

use std::collections::BTreeMap;
use std::rc::Rc;
use summa_c::tree::VarId;

/// The unknowns of equations. Their order is that of elimination: rows are solved for the first one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unknown {
    /// A value on the way, for elimination.
    Passing(VarId),
    /// The variable, of the running activation if it is in a frame.
    Now(VarId),
    /// The variable of a waiting activation, with the number of recursive calls that had begun, including the
    /// one for which it waits.
    Waiting(u32, VarId),
    /// The variable when the block was entered.
    Entry(VarId),
    /// 1.
    One,
}

/// Coefficients that are not zero, ascending.
pub type Row<U = Unknown> = Vec<(U, u32)>;

/// More equations are forgotten.
const MAX_ROWS: usize = 64;

/// Equations that hold together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equations {
    /// Howell's form, ascending by the leading unknown, and every coefficient above a leading one is smaller
    /// than that.
    rows: Rc<Vec<Row>>,
}

impl Equations {
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// All consequences of some equations.
    pub fn of(rows: impl IntoIterator<Item = Row>) -> Self {
        let mut basis = Basis::default();
        rows.into_iter().for_each(|row| basis.insert(row));
        Self::finished(basis)
    }

    fn finished(basis: Basis<Unknown>) -> Self {
        let mut rows = basis.reduced();
        // Those at the end do not need those at the beginning to be in Howell's form.
        let excess = rows.len().saturating_sub(MAX_ROWS);
        rows.drain(..excess);
        Self { rows: Rc::new(rows) }
    }

    /// Were equations forgotten, or will the next one be? Then some consequences are missing.
    pub fn is_full(&self) -> bool {
        self.rows.len() >= MAX_ROWS
    }

    /// Is there no solution? Then some multiple of 1 is 0.
    pub fn is_empty(&self) -> bool {
        self.rows.last().is_some_and(|row| matches!(row[..], [(Unknown::One, _)]))
    }

    /// With more equations.
    pub fn and(&self, more: impl IntoIterator<Item = Row>) -> Self {
        let mut basis = Basis { rows: self.rows.iter().map(|row| (row[0].0, row.clone())).collect() };
        more.into_iter().for_each(|row| basis.insert(row));
        Self::finished(basis)
    }

    /// Does the equation follow?
    pub fn implies(&self, row: &Row) -> bool {
        let mut left = row.clone();
        for row in self.rows.iter() {
            let (unknown, leading) = row[0];
            if let Ok(at) = left.binary_search_by_key(&unknown, |term| term.0) {
                // A leading coefficient is a power of two.
                left = plus(&left, (left[at].1 >> leading.trailing_zeros()).wrapping_neg(), row);
            }
        }
        left.is_empty()
    }

    /// Do all equations of the other follow?
    pub fn implies_all(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.rows, &other.rows) || other.rows.iter().all(|row| self.implies(row))
    }

    /// The equations that hold on both sides: the intersection of two modules, by Zassenhaus' algorithm. Rows
    /// are written twice, (a, a) for the one and (b, 0) for the other; combinations whose left half is zero
    /// have a right half that is in both.
    pub fn join(&self, other: &Self) -> Self {
        if Rc::ptr_eq(&self.rows, &other.rows) || self == other {
            return self.clone();
        }
        let mut basis: Basis<(bool, Unknown)> = Basis::default();
        let half = |row: &Row, right: bool| -> Row<(bool, Unknown)> {
            row.iter().map(|&(unknown, c)| ((right, unknown), c)).collect()
        };
        for row in self.rows.iter() {
            let mut twice = half(row, false);
            twice.extend(half(row, true));
            basis.insert(twice);
        }
        other.rows.iter().for_each(|row| basis.insert(half(row, false)));
        let in_both = basis.rows.into_iter().filter(|((right, _), _)| *right);
        let rows = in_both.map(|(_, row)| row.into_iter().map(|((_, unknown), c)| (unknown, c)).collect());
        Self::of(rows.collect::<Vec<Row>>())
    }

    /// The equations with new names for the unknowns. Unknowns without a new name are eliminated. Different
    /// unknowns have different new names.
    pub fn rename(&self, name: impl Fn(Unknown) -> Option<Unknown>) -> Self {
        // The unknowns to eliminate come first, so that no row needs them for its rest.
        let renamed = |row: &Row| {
            let terms = row.iter().map(|&(old, c)| match name(old) {
                Some(new) => ((true, new), c),
                None => ((false, old), c),
            });
            let mut terms: Row<(bool, Unknown)> = terms.collect();
            terms.sort_unstable_by_key(|term| term.0);
            terms
        };
        let mut basis: Basis<(bool, Unknown)> = Basis::default();
        self.rows.iter().for_each(|row| basis.insert(renamed(row)));
        let kept = basis.rows.into_iter().filter(|((is_kept, _), _)| *is_kept);
        let rows = kept.map(|(_, row)| row.into_iter().map(|((_, unknown), c)| (unknown, c)).collect());
        Self::of(rows.collect::<Vec<Row>>())
    }

    /// The equations without these unknowns.
    pub fn without(&self, gone: impl Fn(Unknown) -> bool) -> Self {
        if !self.mentions(&gone) {
            return self.clone();
        }
        self.rename(|unknown| (!gone(unknown)).then_some(unknown))
    }

    pub fn mentions(&self, which: impl Fn(Unknown) -> bool) -> bool {
        self.rows.iter().flatten().any(|&(unknown, _)| which(unknown))
    }

    /// The unknowns that can have one value only, with it.
    pub fn constants(&self) -> impl Iterator<Item = (Unknown, u32)> + '_ {
        self.rows.iter().filter_map(|row| match row[..] {
            [(unknown, 1)] if unknown != Unknown::One => Some((unknown, 0)),
            [(unknown, 1), (Unknown::One, c)] => Some((unknown, c.wrapping_neg())),
            _ => None,
        })
    }
}

/// `a + factor·b`.
pub fn plus<U: Copy + Ord>(a: &[(U, u32)], factor: u32, b: &[(U, u32)]) -> Row<U> {
    let mut sum = Vec::with_capacity(a.len() + b.len());
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (unknown, c) = match (a.get(i), b.get(j)) {
            (Some(&(x, c)), Some(&(y, d))) if x == y => {
                (i, j) = (i + 1, j + 1);
                (x, c.wrapping_add(factor.wrapping_mul(d)))
            }
            (Some(&(x, c)), other) if other.is_none_or(|&(y, _)| x < y) => {
                i += 1;
                (x, c)
            }
            (_, Some(&(y, d))) => {
                j += 1;
                (y, factor.wrapping_mul(d))
            }
            (_, None) => break,
        };
        if c != 0 {
            sum.push((unknown, c));
        }
    }
    sum
}

/// `factor·row`.
pub fn times<U: Copy>(factor: u32, row: &[(U, u32)]) -> Row<U> {
    row.iter().map(|&(unknown, c)| (unknown, c.wrapping_mul(factor))).filter(|term| term.1 != 0).collect()
}

/// The number that makes this one 1; even ones have none.
pub(crate) fn inverse_of(number: u32) -> Option<u32> {
    (number % 2 == 1).then(|| inverse(number))
}

/// By Newton's iteration: each step doubles the bits that are right.
fn inverse(odd: u32) -> u32 {
    (0..5).fold(odd, |x, _| x.wrapping_mul(2u32.wrapping_sub(odd.wrapping_mul(x))))
}

/// Rows by their leading unknown, in Howell's form.
struct Basis<U> {
    rows: BTreeMap<U, Row<U>>,
}

impl<U> Default for Basis<U> {
    fn default() -> Self {
        Self { rows: BTreeMap::new() }
    }
}

impl<U: Copy + Ord> Basis<U> {
    fn insert(&mut self, row: Row<U>) {
        let mut todo = vec![row];
        while let Some(row) = todo.pop() {
            let Some(&(unknown, leading)) = row.first() else { continue };
            // The leading coefficient becomes a power of two.
            let power = leading.trailing_zeros();
            let row = times(inverse(leading >> power), &row);
            match self.rows.get(&unknown) {
                Some(known) if known[0].1.trailing_zeros() <= power => {
                    let factor = 1 << (power - known[0].1.trailing_zeros());
                    todo.push(plus(&row, u32::wrapping_neg(factor), known));
                }
                _ => {
                    if power > 0 {
                        todo.push(times(1 << (32 - power), &row));
                    }
                    // The previous leading row is a multiple of this one, apart from the rest of the row.
                    todo.extend(self.rows.insert(unknown, row));
                }
            }
        }
    }

    /// Ascending; every coefficient above a leading one is made smaller than that, so that equal modules have
    /// equal rows.
    fn reduced(mut self) -> Vec<Row<U>> {
        let mut done: Vec<Row<U>> = Vec::with_capacity(self.rows.len());
        while let Some((_, mut row)) = self.rows.pop_last() {
            for below in done.iter().rev() {
                let (unknown, leading) = below[0];
                if let Ok(at) = row.binary_search_by_key(&unknown, |term| term.0) {
                    row = plus(&row, (row[at].1 >> leading.trailing_zeros()).wrapping_neg(), below);
                }
            }
            done.push(row);
        }
        done.reverse();
        done
    }
}

#[cfg(test)]
mod tests {
    use super::{Equations, Row, Unknown, inverse};
    use summa_base::Id;
    use summa_c::tree::VarId;

    fn x(i: usize) -> Unknown {
        Unknown::Now(VarId::from_index(i))
    }

    /// Σ cᵢ·xᵢ + c = 0.
    fn row(coefficients: &[i64], constant: i64) -> Row {
        let terms = coefficients.iter().enumerate().map(|(i, &c)| (x(i), c as u32));
        terms.chain([(Unknown::One, constant as u32)]).filter(|term| term.1 != 0).collect()
    }

    /// The point as equations.
    fn point(values: &[i64]) -> Equations {
        let unit = |i: usize| (0..values.len()).map(|j| i64::from(i == j)).collect::<Vec<_>>();
        Equations::of(values.iter().enumerate().map(|(i, &value)| row(&unit(i), -value)))
    }

    #[test]
    fn odd_numbers_have_inverses() {
        for odd in [1, 3, 5, 7, 0x1234_5677, u32::MAX] {
            assert_eq!(odd.wrapping_mul(inverse(odd)), 1);
        }
    }

    #[test]
    fn points_on_a_line_have_its_equation() {
        let line = point(&[0, 3]).join(&point(&[1, 5]));
        assert_eq!(line, Equations::of([row(&[2, -1], 3)]));
        assert!(line.implies_all(&line.join(&point(&[7, 17]))));
        assert!(line.join(&point(&[7, 18])).rows().is_empty());
    }

    #[test]
    fn steps_of_a_power_of_two_are_a_congruence() {
        // 4 and 12: x ≡ 4 (mod 8).
        let both = point(&[4]).join(&point(&[12]));
        assert_eq!(both, Equations::of([row(&[1 << 29], -(4 << 29))]));
        assert!(both.and([row(&[1], -5)]).is_empty());
        assert!(!both.and([row(&[1], -20)]).is_empty());
    }

    #[test]
    fn contradictions_are_found() {
        assert!(Equations::of([row(&[2], -1)]).is_empty());
        assert!(Equations::of([row(&[2, 4], 1)]).is_empty());
        assert!(!Equations::of([row(&[2, 3], 1)]).is_empty());
    }

    #[test]
    fn elimination_keeps_what_follows() {
        // x0 = x1 + 1, x1 = 2·x2.
        let equations = Equations::of([row(&[1, -1, 0], -1), row(&[0, 1, -2], 0)]);
        let without = equations.without(|unknown| unknown == x(1));
        assert_eq!(without, Equations::of([row(&[1, 0, -2], -1)]));
        // 2·x0 = x1 says that x1 is even.
        let even = Equations::of([row(&[2, -1], 0)]).without(|unknown| unknown == x(0));
        assert_eq!(even, Equations::of([row(&[0, 1 << 31], 0)]));
    }

    #[test]
    fn constants_are_seen() {
        let equations = Equations::of([row(&[1, 1], -10), row(&[0, 1], -4)]);
        assert_eq!(equations.constants().collect::<Vec<_>>(), [(x(0), 6), (x(1), 4)]);
    }
}
