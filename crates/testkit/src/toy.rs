//! A domain whose answers can be computed on paper, for tests of the algorithms in `cpa` and `bam`.
//!
//! It is a product. [`Toy::Place`] says where control is and which calls wait. One [`Toy::Numbers`] for each
//! followed global variable is the set of numbers that the variable may have. The precision is the largest
//! size of a set; larger sets become "any number". [`MoreNumbers`] refines by allowing one number more.
//!
//! Limits: the followed variables are `int`s whose address is never taken. `x = e` and conditions are
//! understood if `e` consists of constants, the variable itself, and operators on small numbers. Everything
//! else is any number. With [`Numbers::joins`] states at one place are merged; without it, a loop that counts
//! never ends.

use std::collections::BTreeSet;
use summa_bam::{CacheKey, Reducer, Side};
use summa_base::Id;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, PlaceId, PlaceKind, UnaryOp, VarId};
use summa_cfa::{Cfa, EdgeId, NodeId, Op};
use summa_cpa::{Arrival, Component, Cpa, Key, Move, Product, Reached, Refinement, Refiner, Step, Stop};
use summa_facts::blocks::Block;

/// A component of the product.
pub enum Toy<'a> {
    Place(Place<'a>),
    Numbers(Numbers<'a>),
}

/// Where control is. An error is a target.
pub struct Place<'a> {
    pub cfa: &'a Cfa,
    /// The number of moves after which the component gives up, if set: for tests of what happens then.
    pub patience: Option<usize>,
}

/// What numbers a global variable may have.
pub struct Numbers<'a> {
    pub cfa: &'a Cfa,
    pub variable: VarId,
    /// Merge is join.
    pub joins: bool,
    /// The precision at the beginning.
    pub most: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ToyState {
    /// The calls that wait, innermost last.
    Place { node: NodeId, calls: Vec<EdgeId>, is_error: bool },
    /// None: any number.
    Numbers(Option<BTreeSet<i128>>),
}

/// The product for a program: its places, and the numbers of these globals.
pub fn toy<'a>(cfa: &'a Cfa, variables: &[&str], joins: bool, most: usize) -> Product<Toy<'a>> {
    let mut components = vec![Toy::Place(Place { cfa, patience: None })];
    for name in variables {
        let is_it = |var: &VarId| cfa.program.name(cfa.program.vars[*var].name) == *name;
        let variable = cfa.program.vars.ids().find(is_it).unwrap();
        components.push(Toy::Numbers(Numbers { cfa, variable, joins, most }));
    }
    Product::new(components)
}

/// The sets of numbers in a state of the product, in the order of the variables; None is any number.
pub fn numbers(state: &[ToyState]) -> Vec<Option<Vec<i128>>> {
    let sets = state.iter().filter_map(|part| match part {
        ToyState::Numbers(set) => Some(set.as_ref().map(|set| set.iter().copied().collect())),
        ToyState::Place { .. } => None,
    });
    sets.collect()
}

/// Arithmetic stays far away from the limits of `int`.
const LARGEST: i128 = 1_000;

impl Numbers<'_> {
    fn is_it(&self, place: PlaceId) -> bool {
        matches!(self.cfa.program.exprs.place(place).kind, PlaceKind::Var(var) if var == self.variable)
    }

    /// The value of an expression, if the variable has this number; None: any value.
    fn value(&self, expr: ExprId, number: Option<i128>) -> Option<i128> {
        let value = match self.cfa.program.exprs.expr(expr).kind {
            ExprKind::Int(value) => value,
            ExprKind::Load(place) if self.is_it(place) => number?,
            ExprKind::Unary(UnaryOp::Neg, operand) => -self.value(operand, number)?,
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.value(left, number)?, self.value(right, number)?);
                match op {
                    BinaryOp::Add => left + right,
                    BinaryOp::Sub => left - right,
                    BinaryOp::Mul => left * right,
                    BinaryOp::Eq => i128::from(left == right),
                    BinaryOp::Ne => i128::from(left != right),
                    BinaryOp::Lt => i128::from(left < right),
                    BinaryOp::Le => i128::from(left <= right),
                    BinaryOp::Gt => i128::from(left > right),
                    BinaryOp::Ge => i128::from(left >= right),
                    _ => return None,
                }
            }
            _ => return None,
        };
        (value.abs() <= LARGEST).then_some(value)
    }

    /// The numbers after a move; None if the move cannot be made.
    fn after(&self, set: &Option<BTreeSet<i128>>, by: Move) -> Option<Option<BTreeSet<i128>>> {
        let op = &self.cfa.edges[by.step.edge()].op;
        // A result arrives when the callee is left.
        if matches!(by.step, Step::Enter(_)) {
            return Some(set.clone());
        }
        match *op {
            Op::Assign { place, value } if self.is_it(place) => Some(match set {
                None => self.value(value, None).map(|value| BTreeSet::from([value])),
                Some(set) => set.iter().map(|&number| self.value(value, Some(number))).collect(),
            }),
            Op::Zero { place } if self.is_it(place) => Some(Some(BTreeSet::from([0]))),
            Op::Assume { condition, truth, .. } => {
                let may_pass = |number| self.value(condition, number).is_none_or(|it| (it != 0) == truth);
                match set {
                    None => may_pass(None).then_some(None),
                    Some(set) => {
                        let left: BTreeSet<i128> =
                            set.iter().copied().filter(|&number| may_pass(Some(number))).collect();
                        (!left.is_empty()).then_some(Some(left))
                    }
                }
            }
            _ if op.written().is_some_and(|place| self.is_it(place)) => Some(None),
            _ => Some(set.clone()),
        }
    }
}

/// Parts of one component at a time: a mixture is a fault of the algorithm that is tested.
fn mixed_up() -> ! {
    panic!("a state of another component")
}

impl Cpa for Toy<'_> {
    type State = ToyState;
    type Precision = usize;

    fn initial(&mut self, node: NodeId) -> (ToyState, usize) {
        match self {
            Self::Place(_) => (ToyState::Place { node, calls: Vec::new(), is_error: false }, 0),
            Self::Numbers(numbers) => (ToyState::Numbers(None), numbers.most),
        }
    }

    fn moves(&self, state: &ToyState, moves: &mut Vec<Move>) {
        let (Self::Place(Place { cfa, .. }), ToyState::Place { node, calls, .. }) = (self, state) else {
            return;
        };
        moves.extend(cfa.leaving(*node).iter().map(|&edge| Move::along(cfa, edge)));
        if let Some(&call) = calls.last() {
            moves.extend(Move::back(cfa, call).filter(|back| back.from == *node));
        }
    }

    fn transfer(&mut self, state: &ToyState, _: &usize, by: Move) -> Result<Vec<ToyState>, Stop> {
        match (self, state) {
            (Self::Place(place), ToyState::Place { node, calls, .. }) => {
                match &mut place.patience {
                    Some(0) => return Err(Stop::GaveUp("no patience".to_owned())),
                    Some(left) => *left -= 1,
                    None => {}
                }
                let mut calls = calls.clone();
                let fits = by.from == *node
                    && match by.step {
                        Step::Edge(_) => true,
                        Step::Enter(call) => {
                            calls.push(call);
                            true
                        }
                        Step::Leave(call) => calls.pop() == Some(call),
                    };
                let is_error = matches!(place.cfa.edges[by.step.edge()].op, Op::Error { .. });
                Ok(fits.then_some(ToyState::Place { node: by.to, calls, is_error }).into_iter().collect())
            }
            (Self::Numbers(numbers), ToyState::Numbers(set)) => {
                Ok(numbers.after(set, by).map(ToyState::Numbers).into_iter().collect())
            }
            _ => mixed_up(),
        }
    }

    fn merge(
        &mut self,
        state: &ToyState,
        reached: &ToyState,
        most: &usize,
        at: &Arrival,
    ) -> Result<Option<ToyState>, Stop> {
        let (Self::Numbers(Numbers { joins: true, .. }), false) = (self, at.is_target) else {
            return Ok(None);
        };
        let (ToyState::Numbers(state), ToyState::Numbers(reached)) = (state, reached) else { mixed_up() };
        let both = state.as_ref().zip(reached.as_ref()).map(|(state, reached)| state | reached);
        Ok(Some(ToyState::Numbers(both.filter(|both| both.len() <= *most))))
    }

    fn never_merges(&self) -> bool {
        !matches!(self, Self::Numbers(Numbers { joins: true, .. }))
    }

    fn stop(&mut self, state: &ToyState, reached: &ToyState, _: &usize) -> Result<bool, Stop> {
        Ok(match (state, reached) {
            (ToyState::Numbers(_), ToyState::Numbers(None)) => true,
            (ToyState::Numbers(Some(state)), ToyState::Numbers(Some(reached))) => state.is_subset(reached),
            _ => state == reached,
        })
    }

    fn prec(
        &mut self,
        state: ToyState,
        most: &usize,
        _: &Arrival,
    ) -> Result<Option<(ToyState, usize)>, Stop> {
        let state = match state {
            ToyState::Numbers(set) => ToyState::Numbers(set.filter(|set| set.len() <= *most)),
            place @ ToyState::Place { .. } => place,
        };
        Ok(Some((state, *most)))
    }

    fn is_target(&self, state: &ToyState) -> bool {
        matches!(state, ToyState::Place { is_error: true, .. })
    }

    fn key(&self, state: &ToyState, key: &mut Key) {
        if let ToyState::Place { node, calls, .. } = state {
            key.push(node.index() as u32);
            key.extend(calls.iter().map(|call| call.index() as u32));
        }
    }

    fn show(&self, state: &ToyState) -> String {
        match state {
            ToyState::Place { node, .. } => node.to_string(),
            ToyState::Numbers(None) => "any".to_owned(),
            ToyState::Numbers(Some(set)) => format!("{set:?}"),
        }
    }
}

impl Component for Toy<'_> {}

/// A block sees no calls but its own, and only the variables that it mentions.
impl Reducer for Toy<'_> {
    fn reduce(&mut self, block: &Block, entry: &ToyState) -> Result<ToyState, Stop> {
        Ok(match (self, entry) {
            (Self::Place(_), ToyState::Place { node, is_error, .. }) => {
                ToyState::Place { node: *node, calls: Vec::new(), is_error: *is_error }
            }
            (Self::Numbers(numbers), _) if !block.referenced.variables.contains(numbers.variable) => {
                ToyState::Numbers(None)
            }
            _ => entry.clone(),
        })
    }

    fn reduce_precision(&mut self, block: &Block, most: &usize) -> usize {
        match self {
            Self::Numbers(numbers) if block.referenced.variables.contains(numbers.variable) => *most,
            _ => 0,
        }
    }

    fn expand(
        &mut self,
        block: &Block,
        entry: &ToyState,
        _: &ToyState,
        exit: &ToyState,
    ) -> Result<ToyState, Stop> {
        Ok(match (self, entry, exit) {
            (Self::Place(_), ToyState::Place { calls, .. }, ToyState::Place { node, is_error, .. }) => {
                ToyState::Place { node: *node, calls: calls.clone(), is_error: *is_error }
            }
            (Self::Numbers(numbers), ..) if !block.written.variables.contains(numbers.variable) => {
                entry.clone()
            }
            _ => exit.clone(),
        })
    }

    fn cache_key(&mut self, _: &Block, reduced: &ToyState, most: &usize, key: &mut CacheKey) {
        key.push(*most as u64);
        match reduced {
            ToyState::Place { node, calls, .. } => {
                key.push(node.index() as u64);
                key.extend(calls.iter().map(|call| call.index() as u64));
            }
            ToyState::Numbers(set) => {
                key.push(u64::from(set.is_some()));
                key.extend(set.iter().flatten().map(|&number| number as u64));
            }
        }
    }

    fn widen(&mut self, _: &Block, before: &ToyState, now: &ToyState, _: Side) -> Result<ToyState, Stop> {
        match now {
            _ if before == now => Ok(now.clone()),
            ToyState::Numbers(_) => Ok(ToyState::Numbers(None)),
            ToyState::Place { .. } => Err(Stop::GaveUp("places have no upper bound".to_owned())),
        }
    }
}

/// Follows the path to a target with sets of any size. If it cannot be taken, one number more is allowed in
/// each set, and the exploration begins anew.
#[derive(Debug, Default)]
pub struct MoreNumbers {
    pub refinements: usize,
}

impl<'a> Refiner<Product<Toy<'a>>> for MoreNumbers {
    type Evidence = Vec<Move>;

    fn refine(
        &mut self,
        cpa: &mut Product<Toy<'a>>,
        reached: &mut Reached<Product<Toy<'a>>>,
        target: summa_cpa::ArgId,
    ) -> Result<Refinement<Vec<Move>>, Stop> {
        let (root, path) = reached.path_to(target);
        let moves: Vec<Move> = path.iter().map(|&(by, _)| by).collect();
        if can_be_taken(cpa, &reached.nodes[root].state, &moves)? {
            return Ok(Refinement::Feasible(moves));
        }
        self.refinements += 1;
        let precision = reached.nodes[root].precision.iter().map(|most| most + 1).collect();
        for child in reached.nodes[root].children.clone() {
            reached.remove_subtree(child);
        }
        reached.requeue(root, precision);
        Ok(Refinement::Refined)
    }
}

/// Can the moves be taken from a state, with sets of any size?
pub fn can_be_taken<'a>(
    cpa: &mut Product<Toy<'a>>,
    from: &<Product<Toy<'a>> as Cpa>::State,
    moves: &[Move],
) -> Result<bool, Stop> {
    let (_, precision) = cpa.initial(moves.first().map_or(Id::from_index(0), |by| by.from));
    let mut state = from.clone();
    for &by in moves {
        match cpa.transfer(&state, &precision, by)?.pop() {
            Some(next) => state = next,
            None => return Ok(false),
        }
    }
    Ok(true)
}
