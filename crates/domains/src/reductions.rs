//! Reductions between domains: facts of one component of a product make the state of another smaller, or show
//! that no concrete state satisfies both. This is the only file in which domains know each other.
//!
//! Paper: Beyer, Dangl, Wendler, Section 2.2.2 (the strengthen operator ↓); Cousot, Cousot, *Systematic
//! design of program analysis frameworks*, POPL 1979 (the reduced product). A reduction takes away no
//! concrete state that both components allow, and never makes a state larger.
//!
//! A known value makes an interval a single number. An interval of one number is a value, if that value is
//! followed. Equations bound variables for intervals: `r = 2·n + 3` with a bounded `n` bounds `r`. A
//! contradiction drops the state. Configurations name the reductions that they use.
//!
//! Values and intervals have their own names for scalars; [`SharedScalars`] says which are the same. Only
//! what the running function can name takes part. Of activations that wait, each component keeps what it knew
//! at the call.

use crate::interval::{Interval, IntervalState};
use crate::linear::{self, Unknown};
use crate::registry::{AnyPrecision, AnyState, Domain};
use crate::scalars::{Layout, Location, NumberSet, Shape};
use crate::value::{CellId, Cells, Constant, Precision, Value, Values};
use summa_base::{FxHashMap, IdVec};
use summa_c::arith::wrap_to;
use summa_c::tree::{FuncId, VarId};
use summa_cfa::{Cfa, NodeId};
use summa_cpa::product::Reduce;
use summa_cpa::{Move, Reduction};

/// A reduction by name, from one domain to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: &'static str,
    pub from: &'static str,
    pub to: &'static str,
    /// What it does, in a line.
    pub what: &'static str,
}

pub const VALUE_TO_INTERVAL: Named = Named {
    name: "value->interval",
    from: "value",
    to: "interval",
    what: "a known value is an interval of one number",
};

pub const INTERVAL_TO_VALUE: Named = Named {
    name: "interval->value",
    from: "interval",
    to: "value",
    what: "an interval of one number is a value, if the value is followed",
};

pub const LINEAR_TO_INTERVAL: Named = Named {
    name: "linear->interval",
    from: "linear",
    to: "interval",
    what: "equations bound a variable by what the others are, and make it one number if they leave it one",
};

pub const INTERVAL_TO_LINEAR: Named = Named {
    name: "interval->linear",
    from: "interval",
    to: "linear",
    what: "an interval of one number is an equation",
};

/// All reductions.
pub const REDUCTIONS: &[Named] =
    &[VALUE_TO_INTERVAL, INTERVAL_TO_VALUE, LINEAR_TO_INTERVAL, INTERVAL_TO_LINEAR];

/// The reduction for a product of these components; None if one that it needs is missing.
pub fn reduction<'a>(named: &Named, components: &[Domain<'a>]) -> Option<Reduction<Domain<'a>>> {
    let place = |domain: &str| components.iter().position(|component| component.name() == domain);
    let (from, to) = (place(named.from)?, place(named.to)?);
    if *named == LINEAR_TO_INTERVAL {
        let apply: Box<Reduce<Domain<'a>>> =
            Box::new(|to: &mut Domain<'a>, from, state, _, by| match (to, from, state) {
                (Domain::Interval(domain), AnyState::Linear(equations), AnyState::Interval(intervals)) => {
                    narrowed_by_equations(domain.cfa, domain.layout(), equations, intervals, by)
                        .map(AnyState::Interval)
                }
                _ => Some(state.clone()),
            });
        return Some(Reduction { name: named.name, from, to, apply });
    }
    if *named == INTERVAL_TO_LINEAR {
        let apply: Box<Reduce<Domain<'a>>> =
            Box::new(|to: &mut Domain<'a>, from, state, _, by| match (to, from, state) {
                (Domain::Linear(domain), AnyState::Interval(intervals), AnyState::Linear(equations)) => {
                    learnt_equations(domain, intervals, equations, by).map(AnyState::Linear)
                }
                _ => Some(state.clone()),
            });
        return Some(Reduction { name: named.name, from, to, apply });
    }
    let shared = SharedScalars::of(components)?;
    let apply: Box<Reduce<Domain<'a>>> = if *named == VALUE_TO_INTERVAL {
        Box::new(move |to: &mut Domain<'a>, from, state, _, by| match (to, from, state) {
            (Domain::Interval(domain), AnyState::Value(values), AnyState::Interval(intervals)) => {
                narrowed_by_values(domain.cfa, &shared, values, intervals, by).map(AnyState::Interval)
            }
            _ => Some(state.clone()),
        })
    } else if *named == INTERVAL_TO_VALUE {
        Box::new(move |to: &mut Domain<'a>, from, state, precision, by| match (to, from, state, precision) {
            (
                Domain::Value(domain),
                AnyState::Interval(intervals),
                AnyState::Value(values),
                AnyPrecision::Value(precision),
            ) => {
                let learnt = learnt_from_intervals(domain, &shared, intervals, values, precision, by);
                learnt.map(AnyState::Value)
            }
            _ => Some(state.clone()),
        })
    } else {
        return None;
    };
    Some(Reduction { name: named.name, from, to, apply })
}

/// A scalar that values and intervals both know.
#[derive(Clone, Copy, Debug)]
struct Shared {
    cell: CellId,
    location: Location,
    shape: Shape,
    /// For pointers, only null is a number to both domains.
    is_pointer: bool,
    frame: Option<FuncId>,
}

impl Shared {
    /// The numbers of a cell's value for intervals; None if intervals say nothing about it.
    fn numbers(&self, value: Constant) -> Option<Interval> {
        match value {
            Constant::Int(bits) => {
                let number = wrap_to(self.shape.width, self.shape.signed, bits as i128);
                let is_known = self.shape.contains(number) && (!self.is_pointer || number == 0);
                is_known.then_some(Interval::constant(number))
            }
            Constant::NonZero => Some(Interval::nonzero(self.shape)),
            Constant::Float(..) | Constant::Address { .. } | Constant::Function(_) => None,
        }
    }

    /// The value of the only number of an interval.
    fn constant(&self, set: Interval) -> Option<Constant> {
        let number = set.as_constant().filter(|&number| !self.is_pointer || number == 0)?;
        Some(Constant::Int(crate::value::constant::low(self.shape.width, number)))
    }
}

/// Cells of the value domain and locations of the interval domain that are the same bits of a variable.
#[derive(Debug, Default)]
pub struct SharedScalars {
    of_cell: IdVec<CellId, Option<Shared>>,
    of_location: FxHashMap<Location, Shared>,
}

impl SharedScalars {
    /// The shared scalars of the value domain and the interval domain of a product.
    fn of(components: &[Domain<'_>]) -> Option<Self> {
        let value = components.iter().find_map(|component| match component {
            Domain::Value(value) => Some(value),
            _ => None,
        })?;
        let interval = components.iter().find_map(|component| match component {
            Domain::Interval(interval) => Some(interval),
            _ => None,
        })?;
        Some(Self::new(value.semantics.cfa, &value.semantics.cells, interval.layout()))
    }

    pub fn new(cfa: &Cfa, cells: &Cells, layout: &Layout) -> Self {
        let program = &cfa.program;
        let mut shared = Self::default();
        for var in program.vars.ids() {
            for cell in cells.of_var(var) {
                let part = cells.get(cell);
                let location = Location { var, offset: part.at / 8 };
                let scalar = layout
                    .at(location)
                    .filter(|scalar| part.at.is_multiple_of(8) && part.width == scalar.shape.width);
                let found = scalar.map(|scalar| Shared {
                    cell,
                    location,
                    shape: scalar.shape,
                    is_pointer: program.types.is_pointer(scalar.ty),
                    frame: program.vars[var].kind.frame(),
                });
                shared.of_cell.push(found);
                shared.of_location.extend(found.map(|found| (location, found)));
            }
        }
        shared
    }

    fn of_cell(&self, cell: CellId, at: FuncId) -> Option<&Shared> {
        self.of_cell.get(cell)?.as_ref().filter(|shared| shared.is_nameable(at))
    }

    fn of_location(&self, location: Location, at: FuncId) -> Option<&Shared> {
        self.of_location.get(&location).filter(|shared| shared.is_nameable(at))
    }
}

impl Shared {
    /// Is it a variable of the whole program or of this function?
    fn is_nameable(&self, function: FuncId) -> bool {
        self.frame.is_none_or(|frame| frame == function)
    }
}

fn function_at(cfa: &Cfa, node: NodeId) -> FuncId {
    cfa.nodes[node].function
}

/// Intervals narrowed to the values of a state; None if one of these is outside.
fn narrowed_by_values(
    cfa: &Cfa,
    shared: &SharedScalars,
    values: &Values,
    intervals: &IntervalState,
    by: Move,
) -> Option<IntervalState> {
    let running = function_at(cfa, by.to);
    let mut narrowed = intervals.clone();
    for (cell, value) in values.iter() {
        let Some(scalar) = shared.of_cell(cell, running) else { continue };
        let Some(allowed) = scalar.numbers(value) else { continue };
        let all = Interval::all(scalar.shape);
        let before = intervals.store.get(scalar.location).unwrap_or(all);
        let both = before.meet(allowed)?;
        if both != before && both.is_subset(before) {
            narrowed.store.set(scalar.location, both);
        }
    }
    Some(narrowed)
}

/// Intervals narrowed to the values that equations leave variables; None if there is none.
fn narrowed_by_equations(
    cfa: &Cfa,
    layout: &Layout,
    equations: &linear::State,
    intervals: &IntervalState,
    by: Move,
) -> Option<IntervalState> {
    let mut narrowed = intervals.clone();
    for (var, value) in equations.constants(cfa, function_at(cfa, by.to)) {
        let location = Location { var, offset: 0 };
        // Of wider variables only the lower half is known.
        let Some(scalar) = layout.at(location).filter(|scalar| scalar.shape.width <= 32) else { continue };
        // A narrower variable is a number of the type `int`.
        let is_signed = scalar.shape.signed || scalar.shape.width < 32;
        let only = Interval::constant(wrap_to(32, is_signed, i128::from(value)));
        let before = intervals.store.get(location).unwrap_or(Interval::all(scalar.shape));
        let both = before.meet(only)?;
        if both != before && both.is_subset(before) {
            narrowed.store.set(location, both);
        }
    }
    // The entry value of a variable is visible in a variable that has kept it.
    let kept = |row: &linear::Row| match row[..] {
        [(Unknown::Now(var), 1), (Unknown::Entry(entry), u32::MAX)] if is_same(layout, var, entry) => {
            Some((entry, var))
        }
        _ => None,
    };
    let kept: Vec<(VarId, VarId)> = equations.equations.rows().iter().filter_map(kept).collect();
    for row in equations.equations.rows() {
        narrow_by_row(cfa, layout, (row, &kept), &mut narrowed, by)?;
    }
    Some(narrowed)
}

/// Equations extended by the variables with a single number; None if one contradicts.
fn learnt_equations(
    domain: &linear::Linear<'_>,
    intervals: &IntervalState,
    equations: &linear::State,
    by: Move,
) -> Option<linear::State> {
    let running = function_at(domain.cfa, by.to);
    let constant = |(at, set): (Location, Interval)| {
        let number = set.as_constant().filter(|_| at.offset == 0)?;
        let frame = domain.cfa.program.vars[at.var].kind.frame();
        (frame.is_none_or(|frame| frame == running)).then_some((at.var, number))
    };
    domain.with_constants(equations, intervals.store.iter().filter_map(constant))
}

/// Have both variables the same numbers?
fn is_same(layout: &Layout, one: VarId, other: VarId) -> bool {
    let shape = |var: VarId| layout.at(Location { var, offset: 0 }).map(|scalar| scalar.shape);
    shape(one) == shape(other)
}

/// In an equation modulo 2³², bounds of the other variables bound one of them: `x = 2·y + 3` with y from 0 to
/// 9 is from 3 to 21. None if no value is left.
fn narrow_by_row(
    cfa: &Cfa,
    layout: &Layout,
    (row, kept): (&linear::Row, &[(VarId, VarId)]),
    intervals: &mut IntervalState,
    by: Move,
) -> Option<()> {
    let (running, modulus) = (function_at(cfa, by.to), 1i128 << 32);
    let mut terms = Vec::with_capacity(row.len());
    let mut constant = 0;
    for &(unknown, c) in row {
        let now =
            |var: VarId| kept.iter().find(|&&(entry, _)| entry == var).map(|&(_, now)| Unknown::Now(now));
        let known = match unknown {
            Unknown::Entry(var) => now(var).unwrap_or(unknown),
            _ => unknown,
        };
        let scalar = match known {
            Unknown::One => {
                constant = c;
                continue;
            }
            Unknown::Now(var) => {
                let frame = cfa.program.vars[var].kind.frame();
                let location = Location { var, offset: 0 };
                let scalar = layout.at(location).filter(|scalar| scalar.shape.width <= 32);
                scalar
                    .filter(|_| frame.is_none_or(|frame| frame == running))
                    .map(|scalar| (location, scalar.shape))
            }
            _ => None,
        };
        let Some((location, shape)) = scalar else { return Some(()) };
        terms.push((location, shape, c));
    }
    for (i, &(location, shape, c)) in terms.iter().enumerate() {
        let Some(solved) = crate::says::equations::inverse_of(c).map(u32::wrapping_neg) else { continue };
        let number = |coefficient: u32| i128::from(solved.wrapping_mul(coefficient).cast_signed());
        let (mut lower, mut upper) = (number(constant), number(constant));
        for &(other, shape, c) in terms.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, term)| term) {
            let set = intervals.store.get(other).unwrap_or(Interval::all(shape));
            let (a, b) = (number(c) * set.lower(), number(c) * set.upper());
            (lower, upper) = (lower + a.min(b), upper + a.max(b));
        }
        let all = Interval::all(shape);
        let before = intervals.store.get(location).unwrap_or(all);
        // The number of times that the sum wraps around into the type. If it is the same for the whole sum,
        // there is no other.
        let turns = -(lower - all.lower()).div_euclid(modulus);
        let (lower, upper) = (lower + turns * modulus, upper + turns * modulus);
        let Some(sum) = Interval::between(lower, upper).filter(|_| upper <= all.upper()) else { continue };
        let both = before.meet(sum)?;
        if both != before && both.is_subset(before) {
            intervals.store.set(location, both);
        }
    }
    Some(())
}

/// Values extended by those that intervals know and that the precision would follow; None if one contradicts.
fn learnt_from_intervals(
    domain: &Value<'_>,
    shared: &SharedScalars,
    intervals: &IntervalState,
    values: &Values,
    precision: &Precision,
    by: Move,
) -> Option<Values> {
    let running = function_at(domain.semantics.cfa, by.to);
    let mut learnt = values.clone();
    for (location, set) in intervals.store.iter() {
        let Some(scalar) = shared.of_location(location, running) else { continue };
        match values.get(scalar.cell) {
            Some(value) => {
                if scalar.numbers(value).is_some_and(|numbers| set.meet(numbers).is_none()) {
                    return None;
                }
            }
            None => {
                if let Some(value) = scalar.constant(set) {
                    domain.learn(&mut learnt, scalar.cell, value, precision, by.to);
                }
            }
        }
    }
    Some(learnt)
}
