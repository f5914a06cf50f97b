//! The composite of several analyses: states are tuples, operators go to the components.
//!
//! Paper: Section 2.2.2. A move is taken only if every component has a successor. A state is covered only if
//! every component is. States are merged only if every component merges them or has them equal, so that the
//! result covers both. After each transfer, reductions (the strengthen operator ↓) pass facts from one
//! component to another.

use crate::cpa::{Arrival, Cpa, Key, Signature, Stop};
use crate::moves::Move;
use crate::query::{Answer, Oracle, Query, is_answered};
use crate::reached::{ArgId, Reached};
use crate::stats::{Operator, Uses};
use std::rc::Rc;
use std::time::Instant;
use summa_cfa::NodeId;

/// A component may also cover by force, which needs to see the whole product.
pub trait Component: Cpa + Sized {
    /// Like [`Cpa::fcover`], for the component at `index`.
    fn fcover_in(
        _product: &mut Product<Self>,
        _index: usize,
        _reached: &mut Reached<Product<Self>>,
        _state: ArgId,
    ) -> Result<bool, Stop> {
        Ok(false)
    }
}

/// A reduction: facts that one component passes to another.
pub struct Reduction<D: Component> {
    pub name: &'static str,
    pub from: usize,
    pub to: usize,
    pub apply: Box<Reduce<D>>,
}

/// Given the second component, the states of both after a move, and the precision of the second: its state as
/// it becomes, which is never larger; None if together they are empty.
pub type Reduce<D> = dyn Fn(
    &mut D,
    &<D as Cpa>::State,
    &<D as Cpa>::State,
    &<D as Cpa>::Precision,
    Move,
) -> Option<<D as Cpa>::State>;

pub struct Product<D: Component> {
    pub components: Vec<D>,
    pub reductions: Vec<Reduction<D>>,
    /// For each component, if wanted: see [`Product::measure`].
    pub uses: Vec<Uses>,
    /// Called with every move that is tried, if set.
    pub watch: Option<Box<dyn FnMut(Move)>>,
}

impl<D: Component> Product<D> {
    pub fn new(components: Vec<D>) -> Self {
        Self { components, reductions: Vec::new(), uses: Vec::new(), watch: None }
    }

    /// From now on, operators are counted and timed.
    pub fn measure(&mut self) {
        self.uses = vec![Uses::default(); self.components.len()];
    }

    /// Runs an operator of one component.
    fn run<T>(&mut self, index: usize, operator: Operator, run: impl FnOnce(&mut D) -> T) -> T {
        if self.uses.is_empty() {
            return run(&mut self.components[index]);
        }
        let start = Instant::now();
        let result = run(&mut self.components[index]);
        self.uses[index].add(operator, start);
        result
    }

    /// The successors of one component, which may ask the others.
    fn transfer_of(
        &mut self,
        index: usize,
        states: &[D::State],
        precisions: &[D::Precision],
        by: Move,
    ) -> Result<Vec<D::State>, Stop> {
        let start = (!self.uses.is_empty()).then(Instant::now);
        let (before, rest) = self.components.split_at_mut(index);
        let Some((component, after)) = rest.split_first_mut() else { return Ok(Vec::new()) };
        let (state, precision) = (&states[index], &precisions[index]);
        let successors = if is_answered(by) {
            let others = Others { before, after, states };
            component.transfer_asking(state, precision, by, &others)
        } else {
            component.transfer(state, precision, by)
        };
        if let Some(start) = start {
            self.uses[index].add(Operator::Transfer, start);
        }
        successors
    }

    /// Every combination of successors, one for each component; none if some component has none.
    fn combinations(
        &mut self,
        state: &Rc<[D::State]>,
        precision: &Rc<[D::Precision]>,
        by: Move,
    ) -> Result<Vec<Vec<D::State>>, Stop> {
        let mut combinations: Vec<Vec<D::State>> = vec![Vec::with_capacity(state.len())];
        for i in 0..self.components.len() {
            let successors = self.transfer_of(i, state, precision, by)?;
            match &successors[..] {
                [] => return Ok(Vec::new()),
                [only] => combinations.iter_mut().for_each(|states| states.push(only.clone())),
                several => {
                    let mut more = Vec::with_capacity(combinations.len() * several.len());
                    for states in combinations {
                        for successor in several {
                            let mut states = states.clone();
                            states.push(successor.clone());
                            more.push(states);
                        }
                    }
                    combinations = more;
                }
            }
        }
        Ok(combinations)
    }
}

/// All components but the one between `before` and `after`.
struct Others<'o, D: Component> {
    before: &'o [D],
    after: &'o [D],
    states: &'o [D::State],
}

impl<D: Component> Oracle for Others<'_, D> {
    fn ask(&self, query: Query) -> Answer {
        let (first, last) = self.states.split_at(self.before.len());
        let others = self.before.iter().zip(first).chain(self.after.iter().zip(&last[1..]));
        others.fold(Answer::Unknown, |known, (other, state)| known.meet(other.answer(state, query)))
    }
}

impl<D: Component> Cpa for Product<D> {
    type State = Rc<[D::State]>;
    type Precision = Rc<[D::Precision]>;

    fn initial(&mut self, node: NodeId) -> (Self::State, Self::Precision) {
        let (states, precisions): (Vec<_>, Vec<_>) =
            self.components.iter_mut().map(|component| component.initial(node)).unzip();
        (states.into(), precisions.into())
    }

    fn moves(&self, state: &Self::State, moves: &mut Vec<Move>) {
        for (component, state) in self.components.iter().zip(state.iter()) {
            component.moves(state, moves);
        }
    }

    fn transfer(
        &mut self,
        state: &Self::State,
        precision: &Self::Precision,
        by: Move,
    ) -> Result<Vec<Self::State>, Stop> {
        if let Some(watch) = &mut self.watch {
            watch(by);
        }
        let mut successors = Vec::new();
        'combinations: for mut states in self.combinations(state, precision, by)? {
            for reduction in &self.reductions {
                let (from, to) = (&states[reduction.from], &states[reduction.to]);
                let precision = &precision[reduction.to];
                match (reduction.apply)(&mut self.components[reduction.to], from, to, precision, by) {
                    Some(reduced) => states[reduction.to] = reduced,
                    None => continue 'combinations,
                }
            }
            successors.push(states.into());
        }
        Ok(successors)
    }

    fn answer(&self, states: &Self::State, query: Query) -> Answer {
        let components = self.components.iter().zip(states.iter());
        components.fold(Answer::Unknown, |known, (one, state)| known.meet(one.answer(state, query)))
    }

    fn merge(
        &mut self,
        state: &Self::State,
        reached: &Self::State,
        precision: &Self::Precision,
        at: &Arrival,
    ) -> Result<Option<Self::State>, Stop> {
        // First a cheap test that distinguishes most states.
        let differs = |(i, component): (usize, &D)| component.never_merges() && state[i] != reached[i];
        if self.components.iter().enumerate().any(differs) {
            return Ok(None);
        }
        let mut merged = Vec::with_capacity(state.len());
        for i in 0..self.components.len() {
            if state[i] == reached[i] {
                merged.push(reached[i].clone());
                continue;
            }
            match self.run(i, Operator::Merge, |c| c.merge(&state[i], &reached[i], &precision[i], at))? {
                Some(both) => merged.push(both),
                None => return Ok(None),
            }
        }
        // States that are equal in every component are a matter of coverage.
        Ok((state != reached).then(|| merged.into()))
    }

    fn never_merges(&self) -> bool {
        self.components.iter().all(Cpa::never_merges)
    }

    fn stop(
        &mut self,
        state: &Self::State,
        reached: &Self::State,
        precision: &Self::Precision,
    ) -> Result<bool, Stop> {
        for i in 0..self.components.len() {
            if !self.run(i, Operator::Stop, |c| c.stop(&state[i], &reached[i], &precision[i]))? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn prec(
        &mut self,
        mut state: Self::State,
        precision: &Self::Precision,
        at: &Arrival,
    ) -> Result<Option<(Self::State, Self::Precision)>, Stop> {
        // A new state is not shared yet, so it is changed in place. A new precision is rare.
        let mut precision = precision.clone();
        for i in 0..self.components.len() {
            let adjusted = self.run(i, Operator::Prec, |c| c.prec(state[i].clone(), &precision[i], at))?;
            let Some((new_state, new_precision)) = adjusted else { return Ok(None) };
            Rc::make_mut(&mut state)[i] = new_state;
            if new_precision != precision[i] {
                Rc::make_mut(&mut precision)[i] = new_precision;
            }
        }
        Ok(Some((state, precision)))
    }

    fn fcover(&mut self, reached: &mut Reached<Self>, state: ArgId) -> Result<bool, Stop> {
        for index in 0..self.components.len() {
            if D::fcover_in(self, index, reached, state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_target(&self, state: &Self::State) -> bool {
        self.components.iter().zip(state.iter()).any(|(component, state)| component.is_target(state))
    }

    fn key(&self, state: &Self::State, key: &mut Key) {
        self.components.iter().zip(state.iter()).for_each(|(component, state)| component.key(state, key));
    }

    fn signature(&self, state: &Self::State) -> Signature {
        let parts = self.components.iter().zip(state.iter()).map(|(component, state)| {
            let signature = component.signature(state);
            // States are merged only if what never merges is equal: see `merge`.
            let kept = if component.never_merges() { signature.hash } else { signature.kept };
            Signature { kept, ..signature }
        });
        parts.fold(Signature::default(), Signature::and)
    }

    fn show(&self, state: &Self::State) -> String {
        let parts = self.components.iter().zip(state.iter()).map(|(component, state)| component.show(state));
        parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
    }
}
