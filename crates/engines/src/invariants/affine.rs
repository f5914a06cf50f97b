//! Linear equations between the variables of a loop head that always hold: the affine hull of the states that
//! are reached there.
//!
//! The hull is found from below. An execution of one segment that starts in the hulls found so far and leaves
//! the hull at its end adds a point to it, until there is no such execution. Each point adds a dimension, so
//! this ends soon.
//!
//! Papers: Karr, *Affine relationships among variables of a program*, Acta Informatica 1976; Reps, Sagiv,
//! Yorsh, *Symbolic implementation of the best transformer*, VMCAI 2004.
//!
//! Limits: over mathematical integers. Numbers that do not fit 128 bits end the search for a loop head
//! without equations.

use super::lemmas::{Equations, Segment};
use std::collections::BTreeMap;
use std::time::Duration;
use summa_base::{Budget, Unanswered};
use summa_cfa::NodeId;
use summa_cpa::Stop;
use summa_encode::CellId;
use summa_logic::{Invariants, Triple, Workbench};
use summa_term::{Sort, Term, Terms, Value};

/// For one question.
const CHECK_TIME: Duration = Duration::from_secs(1);

/// The known states at a loop head.
enum Hull {
    /// Affinely independent points; none: no state is known yet.
    Points(Vec<Vec<i128>>),
    /// Anything.
    Everything,
}

struct Search<'s> {
    known: &'s Invariants,
    variables: &'s BTreeMap<NodeId, Vec<CellId>>,
    hulls: BTreeMap<NodeId, Hull>,
    equations: Equations,
}

/// The equations of every loop head over its variables.
pub(super) fn equations(
    logic: &mut Workbench<'_>,
    segments: &[Segment],
    known: &Invariants,
    variables: &BTreeMap<NodeId, Vec<CellId>>,
    budget: &Budget,
) -> Result<Equations, Stop> {
    let hulls = variables.keys().map(|&node| (node, Hull::Points(Vec::new()))).collect();
    let mut search = Search { known, variables, hulls, equations: Equations::new() };
    let mut is_stable = false;
    while !is_stable {
        is_stable = true;
        for segment in segments {
            while search.leave(logic, segment)? {
                is_stable = false;
                budget.check_now()?;
            }
        }
    }
    // A head without any state is never reached; other analyses find that more easily.
    Ok(search.equations)
}

impl Search<'_> {
    /// Adds a state at the end of a segment that is not in the hull there; false if there is none.
    fn leave(&mut self, logic: &mut Workbench<'_>, segment: &Segment) -> Result<bool, Stop> {
        let is_reached =
            |node: NodeId| !matches!(self.hulls.get(&node), Some(Hull::Points(points)) if points.is_empty());
        if segment.from.is_some_and(|from| !is_reached(from)) {
            return Ok(false);
        }
        let Some(Hull::Points(points)) = self.hulls.get(&segment.to) else { return Ok(false) };
        let post = match self.equations.get(&segment.to) {
            Some(equations) => equations.clone(),
            None if points.is_empty() => vec![Terms::FALSE],
            None => return Ok(false),
        };
        let mut pre: Vec<Term> = Vec::new();
        if let Some(from) = segment.from {
            pre.extend(self.known.get(&from));
            pre.extend(self.equations.get(&from).into_iter().flatten());
        }
        let triple = Triple { pre: &pre, path: segment.path, post: &post };
        let model = match logic.refute(triple, CHECK_TIME) {
            Ok(None) => return Ok(false),
            Ok(Some(model)) => Some(model),
            Err(Unanswered::GaveUp(_)) => None,
            Err(over) => return Err(over.into()),
        };
        let cells = &self.variables[&segment.to];
        let state = logic.paths.state(segment.path);
        let terms = &logic.paths.encoder.terms;
        let point: Option<Vec<i128>> = model.and_then(|model| {
            cells
                .iter()
                .map(|&cell| match terms.eval(state.get(cell), &model)? {
                    Value::Int(value) => i128::try_from(&value).ok(),
                    _ => None,
                })
                .collect()
        });
        self.grow(logic, segment.to, point);
        Ok(true)
    }

    /// Adds a point to a hull; without a point nothing is known any more.
    fn grow(&mut self, logic: &mut Workbench<'_>, node: NodeId, point: Option<Vec<i128>>) {
        let Some(Hull::Points(points)) = self.hulls.get_mut(&node) else { return };
        let before = points.len();
        points.extend(point);
        let space = (points.len() > before).then(|| null_space(points)).flatten();
        match space {
            Some(space) if !space.is_empty() => {
                let cells = &self.variables[&node];
                let formulas = space.iter().map(|row| equation(logic, cells, row)).collect();
                self.equations.insert(node, formulas);
            }
            _ => {
                self.hulls.insert(node, Hull::Everything);
                self.equations.remove(&node);
            }
        }
    }
}

/// Σ cᵢ·xᵢ + c = 0.
fn equation(logic: &mut Workbench<'_>, cells: &[CellId], row: &[i128]) -> Term {
    let encoder = &mut logic.paths.encoder;
    let mut sum = Vec::new();
    for (&cell, &coefficient) in cells.iter().zip(row) {
        let (symbol, factor) = (encoder.cells.cells[cell].symbol, encoder.terms.int(coefficient));
        let variable = encoder.terms.symbol(symbol, 0);
        sum.push(encoder.terms.mul(factor, variable));
    }
    sum.push(encoder.terms.int(row[cells.len()]));
    let sum = encoder.terms.add(&sum);
    let zero = encoder.terms.int(0);
    encoder.terms.eq(sum, zero)
}

/// Is a cell one that equations are about?
pub(super) fn is_number(logic: &Workbench<'_>, cell: CellId) -> bool {
    let data = &logic.paths.encoder.cells.cells[cell];
    data.variable.is_some() && data.sort == Sort::Int
}

/// A basis of all (c₁ … cₙ, c) with Σ cᵢ·pᵢ + c = 0 for every point p, in integers without common factor;
/// None if numbers get too large.
fn null_space(points: &[Vec<i128>]) -> Option<Vec<Vec<i128>>> {
    let width = points.first()?.len() + 1;
    let mut rows: Vec<Vec<i128>> =
        points.iter().map(|point| point.iter().copied().chain([1]).collect()).collect();
    // Elimination without fractions: every row is divided by its content.
    let mut pivots: Vec<usize> = Vec::new();
    for column in 0..width {
        let rank = pivots.len();
        let Some(found) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
        rows.swap(rank, found);
        let pivot = rows[rank].clone();
        for (i, row) in rows.iter_mut().enumerate() {
            if i != rank && row[column] != 0 {
                *row = combine(row, &pivot, column)?;
            }
        }
        pivots.push(column);
    }
    let mut basis = Vec::new();
    for free in (0..width).filter(|column| !pivots.contains(column)) {
        // The free column is the common multiple of the pivots, the others follow.
        let mut scale: i128 = 1;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            if row[free] != 0 {
                scale = least_common_multiple(scale, row[pivot])?;
            }
        }
        let mut vector = vec![0; width];
        vector[free] = scale;
        for (row, &pivot) in rows.iter().zip(&pivots) {
            vector[pivot] = row[free].checked_mul(scale)?.checked_neg()? / row[pivot];
        }
        basis.push(reduced(vector));
    }
    Some(basis)
}

/// `row` with the pivot's column made zero.
fn combine(row: &[i128], pivot: &[i128], column: usize) -> Option<Vec<i128>> {
    let (a, b) = (pivot[column], row[column]);
    let entries: Option<Vec<i128>> =
        row.iter().zip(pivot).map(|(&x, &y)| x.checked_mul(a)?.checked_sub(y.checked_mul(b)?)).collect();
    Some(reduced(entries?))
}

fn reduced(row: Vec<i128>) -> Vec<i128> {
    let content = row.iter().fold(0, |gcd, &entry| greatest_common_divisor(gcd, entry));
    if content > 1 { row.into_iter().map(|entry| entry / content).collect() } else { row }
}

fn greatest_common_divisor(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1)
}

fn least_common_multiple(a: i128, b: i128) -> Option<i128> {
    (a / greatest_common_divisor(a, b).max(1)).checked_mul(b)?.checked_abs()
}

#[cfg(test)]
mod tests {
    use super::null_space;

    /// Every equation holds for every point.
    fn check(points: &[Vec<i128>], dimension: usize) {
        let space = null_space(points).unwrap_or_default();
        assert_eq!(space.len(), dimension, "{space:?}");
        for row in &space {
            for point in points {
                let sum: i128 = row.iter().zip(point.iter().chain(&[1])).map(|(c, x)| c * x).sum();
                assert_eq!(sum, 0, "{row:?} at {point:?}");
            }
        }
    }

    #[test]
    fn equations_hold_at_all_points() {
        check(&[vec![3, 5, 8]], 3);
        check(&[vec![0, 0, 7], vec![1, 2, 7]], 2);
        check(&[vec![0, 10, 10], vec![1, 9, 10], vec![5, 0, 5]], 1);
        check(&[vec![0, 0], vec![1, 0], vec![0, 1]], 0);
        check(&[vec![2, 4, 1], vec![4, 8, 2], vec![6, 12, 3]], 2);
    }

    #[test]
    fn numbers_that_are_too_large_end_the_search() {
        let huge = i128::MAX / 2;
        assert_eq!(null_space(&[vec![huge, 3, 5], vec![7, huge, 11], vec![13, 17, huge]]), None);
    }
}
