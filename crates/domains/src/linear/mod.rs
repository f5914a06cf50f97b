//! Linear equations between integers modulo 2³², also between those at the entry of a function and those at
//! its exit.
//!
//! Papers: Karr, *Affine relationships among variables of a program*, Acta Informatica 1976; Müller-Olm,
//! Seidl, *Analysis of modular arithmetic*, TOPLAS 2007. Arithmetic of C wraps around, and so do these
//! equations. So wrap-around loses nothing, and every chain of joins ends. With summaries ([`mod@summary`]) a
//! recursive function gets an equation between its inputs and outputs: the hull of what its first calls do,
//! if the later ones stay in it.
//!
//! Every integer variable counts with its value modulo 2³². Narrower variables count as the numbers that they
//! are in C, wider ones with their lower half.
//!
//! Limits: variables that are scalars, that are not volatile and whose address is never taken.

mod say;
mod summary;
mod transfer;

pub use crate::says::equations::{Equations, Row, Unknown};

use crate::block_vars::AllBlockVars;
use crate::registry::{Configured, NoSettings, Setup};
use crate::relational::counted;
use summa_base::{Id, IdSet};
use summa_c::tree::{FuncId, Program, VarId};
use summa_cfa::{Cfa, NodeId, Op};
use summa_cpa::{Answer, Arrival, Cpa, Move, Query, Signature, Step, Stop};
use summa_facts::Analyses;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub equations: Equations,
    /// Recursive calls on the way.
    depth: u32,
}

pub struct Linear<'a> {
    pub(crate) cfa: &'a Cfa,
    facts: &'a Analyses,
    /// The variables that equations are about.
    counted: IdSet<VarId>,
    block_vars: AllBlockVars<'a>,
    /// States that meet are joined; otherwise they are kept apart.
    pub merges: bool,
}

impl<'a> Linear<'a> {
    pub fn new(cfa: &'a Cfa, facts: &'a Analyses) -> Self {
        let counted = counted(cfa, facts);
        Self { cfa, facts, counted, block_vars: AllBlockVars::new(cfa, facts), merges: true }
    }

    /// Is it a variable of the frame of the function?
    fn is_in_frame(&self, var: VarId, function: FuncId) -> bool {
        self.cfa.program.vars[var].kind.frame() == Some(function)
    }

    /// The state with the given values of variables added; None if they contradict the equations.
    pub(crate) fn with_constants(
        &self,
        state: &State,
        constants: impl Iterator<Item = (VarId, i128)>,
    ) -> Option<State> {
        let counted = constants.filter(|&(var, _)| self.counted.contains(var));
        let row = |(var, value): (VarId, i128)| {
            let mut row: Row = vec![(Unknown::Now(var), 1), (Unknown::One, (value as u32).wrapping_neg())];
            row.retain(|&(_, c)| c != 0);
            row
        };
        let new: Vec<Row> = counted.map(row).filter(|row| !state.equations.implies(row)).collect();
        if new.is_empty() {
            return Some(state.clone());
        }
        let equations = state.equations.and(new);
        // Where there is no room, others would be forgotten.
        let is_more = equations.implies_all(&state.equations);
        let equations = if is_more { equations } else { state.equations.clone() };
        (!equations.is_empty()).then_some(State { equations, ..*state })
    }

    fn is_within(state: &State, wider: &State) -> bool {
        state.depth == wider.depth && state.equations.implies_all(&wider.equations)
    }
}

impl State {
    /// The variables of the running function and of the program that can have one value only, with it modulo
    /// 2³².
    pub(crate) fn constants<'s>(
        &'s self,
        cfa: &'s Cfa,
        running: FuncId,
    ) -> impl Iterator<Item = (VarId, u32)> + 's {
        self.equations.constants().filter_map(move |(unknown, value)| match unknown {
            Unknown::Now(var) => {
                let frame = cfa.program.vars[var].kind.frame();
                frame.is_none_or(|frame| frame == running).then_some((var, value))
            }
            _ => None,
        })
    }
}

impl Cpa for Linear<'_> {
    type State = State;
    type Precision = ();

    fn initial(&mut self, _: NodeId) -> (State, ()) {
        (State::default(), ())
    }

    fn transfer(&mut self, state: &State, (): &(), by: Move) -> Result<Vec<State>, Stop> {
        let next = match (by.step, &self.cfa.edges[by.step.edge()].op) {
            (Step::Enter(_), Op::Call { callee, args, .. }) => Some(self.enter(state, *callee, args)),
            (Step::Leave(_), Op::Call { callee, result, .. }) => Some(self.leave(state, *callee, *result)),
            _ => self.edge(state, by.step.edge()),
        };
        Ok(next.into_iter().collect())
    }

    fn answer(&self, state: &State, query: Query) -> Answer {
        self.known_of(state, query)
    }

    /// Joins end by themselves: each leaves fewer equations, or weaker ones.
    fn merge(&mut self, state: &State, reached: &State, (): &(), _: &Arrival) -> Result<Option<State>, Stop> {
        if !self.merges || state.depth != reached.depth {
            return Ok(None);
        }
        Ok(Some(State { equations: reached.equations.join(&state.equations), depth: state.depth }))
    }

    fn never_merges(&self) -> bool {
        !self.merges
    }

    fn stop(&mut self, state: &State, reached: &State, (): &()) -> Result<bool, Stop> {
        Ok(Self::is_within(state, reached))
    }

    fn prec(&mut self, state: State, (): &(), _: &Arrival) -> Result<Option<(State, ())>, Stop> {
        Ok(Some((state, ())))
    }

    fn signature(&self, state: &State) -> Signature {
        let code = |(unknown, value): (Unknown, u32)| match unknown {
            Unknown::Now(var) => Some((var.index() as u64, value.into())),
            _ => None,
        };
        crate::constants::signature(state.equations.constants().filter_map(code))
    }

    fn show(&self, state: &State) -> String {
        let rows = state.equations.rows().iter().map(|row| show(&self.cfa.program, row));
        rows.collect::<Vec<_>>().join(", ")
    }
}

/// A coefficient, as the smaller of the two numbers that it can be.
fn signed(coefficient: u32) -> i32 {
    coefficient.cast_signed()
}

fn show(program: &Program, row: &Row) -> String {
    let term = |&(unknown, c): &(Unknown, u32)| {
        let name = match unknown {
            Unknown::Passing(var) => format!("'{}", program.var_name(var)),
            Unknown::Now(var) => program.var_name(var).to_owned(),
            Unknown::Waiting(depth, var) => format!("{}@{depth}", program.var_name(var)),
            Unknown::Entry(var) => format!("old({})", program.var_name(var)),
            Unknown::One => return signed(c).to_string(),
        };
        if c == 1 { name } else { format!("{}·{name}", signed(c)) }
    };
    format!("{} = 0", row.iter().map(term).collect::<Vec<_>>().join(" + "))
}

impl<'a> Configured<'a> for Linear<'a> {
    const NAME: &'static str = "linear";
    const WHAT: &'static str = "linear equations between integers modulo 2³²";
    type Settings = NoSettings;

    fn make(_: &NoSettings, setup: &Setup<'a, '_>) -> Result<Self, Stop> {
        Ok(Self::new(setup.cfa, setup.facts))
    }
}
