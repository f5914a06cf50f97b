//! Arguments of calls: cases before a call, conclusions after it.
//!
//! Before a call, variables of few values on which its arguments depend are split into cases. The effects of
//! a function on each value say more than its effect on all of them, and with summaries each case is computed
//! once. After the call, a parameter that is never assigned still has the passed value. So everything known
//! about it at the exit holds for the argument, if that has not changed either.

use super::evaluate::Target;
use super::layout::Location;
use super::set::NumberSet;
use super::store::Store;
use super::{Scalars, State};
use summa_base::IdSet;
use summa_c::tree::{ExprId, FuncId, VarId};
use summa_cfa::syntax::{Base, base};
use summa_cfa::{Cfa, EdgeId, Op};
use summa_facts::Analyses;
use summa_facts::effects::{Effect, of_value};

/// The parameters that keep their passed values: they are never assigned, and their address is never taken.
pub fn kept_parameters(cfa: &Cfa, facts: &Analyses) -> IdSet<VarId> {
    let mut changed = facts.variables.address_taken.clone();
    for (edge, data) in cfa.edges.iter() {
        for &effect in facts.effects.of(edge) {
            match effect {
                Effect::Write(place) => {
                    if let Base::Variable(var) = base(&cfa.program.exprs, place) {
                        changed.insert(var);
                    }
                }
                // A call gives parameters their first value.
                Effect::WriteVar(var) if !matches!(data.op, Op::Call { .. }) => {
                    changed.insert(var);
                }
                _ => {}
            }
        }
    }
    let parameters = cfa.defined().flat_map(|automaton| &cfa.program.functions[automaton.function].params);
    parameters.copied().filter(|&param| !changed.contains(param)).collect()
}

impl<V: NumberSet> Scalars<'_, V> {
    /// The state; or, if there are few combinations of values of the variables on which arguments depend, one
    /// state for each.
    pub(super) fn split(&self, state: &State<V>, args: &[ExprId]) -> Vec<State<V>> {
        let mut states = vec![state.clone()];
        for at in self.read_by(&state.store, args) {
            let most = self.options.split_calls / states.len();
            let Some(values) = state.store.get(at).and_then(|set| set.elements(most)) else { continue };
            let with = |state: &State<V>, value: i128| {
                let mut state = state.clone();
                state.store.set(at, V::only(value));
                state
            };
            states =
                states.iter().flat_map(|state| values.iter().map(move |&value| with(state, value))).collect();
        }
        states
    }

    /// The scalars that the arguments read, those of the first argument first.
    fn read_by(&self, store: &Store<V>, args: &[ExprId]) -> Vec<Location> {
        let mut found = Vec::new();
        for &arg in args {
            of_value(&self.cfa.program, arg, |effect| {
                if let Effect::Read(place) = effect
                    && let Target::Exactly(at) = self.locate(store, place)
                    && !found.contains(&at)
                {
                    found.push(at);
                }
            });
        }
        found
    }

    /// After a call, before its result is stored: the arguments have the values that the callee's parameters
    /// had when it returned (`returned`). False if that is impossible.
    pub(super) fn learn_arguments(
        &self,
        store: &mut Store<V>,
        returned: &Store<V>,
        callee: FuncId,
        call: EdgeId,
    ) -> bool {
        let Op::Call { ref args, .. } = self.cfa.edges[call].op else { return true };
        let params = &self.cfa.program.functions[callee].params;
        params.iter().zip(args).all(|(&param, &arg)| match returned.get(Location { var: param, offset: 0 }) {
            Some(set) if is_argument((self.cfa, self.facts), &self.kept, param, arg, call) => {
                self.assume_in(store, arg, set)
            }
            _ => true,
        })
    }
}

/// Does the parameter keep its passed value as long as the callee runs?
pub fn is_argument(
    (cfa, facts): (&Cfa, &Analyses),
    kept: &IdSet<VarId>,
    param: VarId,
    arg: ExprId,
    call: EdgeId,
) -> bool {
    let is_typed = cfa.program.exprs.type_of(arg) == cfa.program.vars[param].ty;
    is_typed && kept.contains(param) && is_unchanged(cfa, facts, arg, call)
}

/// Has the expression the same value before and after the call, because it only reads variables of the caller
/// that no pointer leads to?
fn is_unchanged(cfa: &Cfa, facts: &Analyses, arg: ExprId, call: EdgeId) -> bool {
    let caller = cfa.nodes[cfa.edges[call].from].function;
    let program = &cfa.program;
    let mut is_unchanged = true;
    of_value(program, arg, |effect| {
        is_unchanged &= match effect {
            Effect::Read(place) => match base(&program.exprs, place) {
                Base::Variable(var) => {
                    program.vars[var].kind.frame() == Some(caller)
                        && !program.vars[var].is_volatile
                        && !facts.variables.address_taken.contains(var)
                }
                Base::Pointer(_) => false,
            },
            Effect::Partial(_) => true,
            _ => false,
        };
    });
    is_unchanged
}
