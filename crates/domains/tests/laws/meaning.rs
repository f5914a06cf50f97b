//! What the states of each domain mean: when does one describe a moment of a concrete run? And how each
//! domain is made.

use summa_base::Id;
use summa_c::tree::VarId;
use summa_c::types::{Type, TypeId, Types};
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_domains::interval::Intervals;
use summa_domains::linear::{Linear, Unknown};
use summa_domains::loop_bound::{Counting, LoopBound};
use summa_domains::octagon::{Name, Octagons};
use summa_domains::scalars::{NumberSet, Options, Scalars, State};
use summa_domains::sign::SignDomain;
use summa_domains::specification::{Observed, Specification};
use summa_domains::value::{Constant, Merge, Options as ValueOptions, Value as ValueDomain};
use summa_domains::{AnyState, Domain};
use summa_facts::Analyses;
use summa_interp::{Pointer, Value, View};

/// A moment of a run.
pub(crate) struct Concrete<'c, 'v> {
    pub(crate) cfa: &'c Cfa,
    pub(crate) node: NodeId,
    pub(crate) calls: &'c [EdgeId],
    pub(crate) view: &'c View<'v>,
}

impl Concrete<'_, '_> {
    /// The value of a scalar in a variable that the running function can name.
    fn scalar(&self, var: VarId, offset: u64, ty: TypeId) -> Value {
        let program = &self.cfa.program;
        let function = self.cfa.nodes[self.node].function;
        let info = &program.vars[var];
        match info.kind.frame() {
            Some(frame) if frame != function => Value::Unknown,
            _ if info.ty == ty => self.view.variable(var),
            _ => self.view.address(var).map_or(Value::Unknown, |base| self.view.at(base + offset, ty)),
        }
    }
}

pub(crate) fn location(_: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    *state == AnyState::Location(now.node)
}

pub(crate) fn callstack(domain: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    let (Domain::Callstack(domain), AnyState::Callstack(state)) = (domain, state) else { return false };
    domain.calls(state.stack) == now.calls
}

pub(crate) fn specification<'a>(cfa: &'a Cfa, _: &'a Analyses) -> Domain<'a> {
    let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
    Domain::Specification(Specification::new(cfa, Box::new(is_error)))
}

/// A run that goes on has not violated anything.
pub(crate) fn nothing_observed(_: &Domain<'_>, state: &AnyState, _: &Concrete<'_, '_>) -> bool {
    *state == AnyState::Specification(Observed::Nothing)
}

pub(crate) fn loop_bound<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::LoopBound(LoopBound::new(cfa, facts, Counting::PerLoop, u32::MAX))
}

pub(crate) fn not_cut(_: &Domain<'_>, state: &AnyState, _: &Concrete<'_, '_>) -> bool {
    matches!(state, AnyState::LoopBound(counters) if !LoopBound::is_cut(counters))
}

pub(crate) fn numbers<V: NumberSet>(
    domain: &Scalars<'_, V>,
    state: &State<V>,
    now: &Concrete<'_, '_>,
) -> bool {
    state.store.iter().all(|(at, set)| {
        let Some(scalar) = domain.layout().at(at) else { return false };
        match now.scalar(at.var, at.offset, scalar.ty) {
            Value::Int(value) => set.contains(value),
            Value::Pointer(Pointer::Null) => set.contains(0),
            Value::Pointer(_) => set.truth() != Some(false),
            _ => true,
        }
    })
}

pub(crate) fn interval<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::Interval(Intervals::new(cfa, facts, Options::default()))
}

pub(crate) fn interval_describes(domain: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    let (Domain::Interval(domain), AnyState::Interval(state)) = (domain, state) else { return false };
    numbers(domain, state, now)
}

pub(crate) fn sign<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::Sign(SignDomain::new(cfa, facts, Options::default()))
}

pub(crate) fn sign_describes(domain: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    let (Domain::Sign(domain), AnyState::Sign(state)) = (domain, state) else { return false };
    numbers(domain, state, now)
}

pub(crate) fn linear<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::Linear(Linear::new(cfa, facts))
}

/// Equations hold between variables that the running function can name. Others cannot be checked.
pub(crate) fn linear_describes(_: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    let AnyState::Linear(state) = state else { return false };
    let term = |&(unknown, c): &(Unknown, u32)| match unknown {
        Unknown::One => Some(c),
        Unknown::Now(var) => match now.scalar(var, 0, now.cfa.program.vars[var].ty) {
            Value::Int(value) => Some(c.wrapping_mul(value as u32)),
            _ => None,
        },
        _ => None,
    };
    let sums = state.equations.rows().iter().map(|row| row.iter().map(term).collect::<Option<Vec<u32>>>());
    sums.flatten().all(|terms| terms.into_iter().fold(0, u32::wrapping_add) == 0)
}

pub(crate) fn octagon<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::Octagon(Octagons::new(cfa, facts))
}

/// Constraints hold between variables that the running function can name. Others cannot be checked.
pub(crate) fn octagon_describes(_: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    let AnyState::Octagon(state) = state else { return false };
    let term = |&(name, is_negative): &(Name, bool)| {
        let Name::Now(var) = name else { return None };
        match now.scalar(var, 0, now.cfa.program.vars[var].ty) {
            Value::Int(value) => Some(if is_negative { -value } else { value }),
            _ => None,
        }
    };
    state.octagon.constraints().iter().all(|constraint| {
        let terms: Option<Vec<i128>> = constraint.terms.iter().map(term).collect();
        terms.is_none_or(|terms| terms.iter().sum::<i128>() <= constraint.bound)
    })
}

pub(crate) fn value<'a>(cfa: &'a Cfa, facts: &'a Analyses) -> Domain<'a> {
    Domain::Value(ValueDomain::new(
        cfa,
        facts,
        ValueOptions { merge: Merge::Join, ..ValueOptions::default() },
    ))
}

/// An unsigned type of the width that the program has.
pub(crate) fn unsigned(types: &Types, width: u32) -> Option<TypeId> {
    let ids = (0..types.len()).map(TypeId::from_index);
    let fits =
        |ty: &TypeId| matches!(types.get(*ty), Type::Int(kind) if !kind.is_signed() && *ty != types.bool);
    ids.filter(fits).find(|&ty| types.int_width(ty) == Some(width))
}

pub(crate) fn value_describes(domain: &Domain<'_>, state: &AnyState, now: &Concrete<'_, '_>) -> bool {
    let (Domain::Value(domain), AnyState::Value(state)) = (domain, state) else { return false };
    let types = &now.cfa.program.types;
    state.iter().all(|(id, constant)| {
        let cell = domain.semantics.cells.get(id);
        let whole = now.cfa.program.vars[cell.var].ty;
        let is_whole = types.is_scalar(whole) && cell.at == 0;
        let ty = if is_whole { Some(whole) } else { unsigned(types, cell.width) };
        let Some(ty) = ty.filter(|_| cell.at % 8 == 0) else { return true };
        let low = |number: i128| number as u128 & (u128::MAX >> (128 - cell.width));
        match (now.scalar(cell.var, cell.at / 8, ty), constant) {
            (Value::Int(number), Constant::Int(bits)) => low(number) == bits,
            (Value::Int(number), Constant::NonZero) => low(number) != 0,
            (Value::Pointer(Pointer::Null), Constant::NonZero) => false,
            (Value::Pointer(Pointer::Null), Constant::Int(bits)) => bits == 0,
            (Value::Pointer(Pointer::Null), Constant::Address { .. } | Constant::Function(_)) => false,
            (Value::Pointer(Pointer::Function(found)), Constant::Function(said)) => found == said,
            (Value::Float { bits, kind }, Constant::Float(_, said)) => {
                let is_number = summa_c::float::compare(summa_c::tree::BinaryOp::Eq, kind, bits, bits);
                bits == said || is_number == Some(false)
            }
            _ => true,
        }
    })
}
