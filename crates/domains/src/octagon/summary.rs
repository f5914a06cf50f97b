//! Summaries of blocks for octagons: a block sees relations between its inputs, and its caller keeps the
//! rest.
//!
//! The caller loses its knowledge about variables that the block changes, including their relations with
//! others. About variables that the block does not write, both the caller's and the block's knowledge hold.

use super::matrix::{Constraint, Name, Octagon};
use super::{Octagons, State, limits};
use crate::contract::Speaker;
use crate::portable::{count, list, misfit, number, parts, read_variable, variable};
use serde_json::{Value as Json, json};
use std::rc::Rc;
use summa_bam::{CacheKey, Clause, Reducer, Side, Storable};
use summa_base::Id;
use summa_cpa::{Misfit, Move, Portable, Stop};
use summa_facts::blocks::{Block, BlockKind};

impl Reducer for Octagons<'_> {
    fn reduce(&mut self, block: &Block, entry: &State) -> Result<State, Stop> {
        let vars = self.block_vars.of(block);
        let is_input = |name: Name| matches!(name, Name::Now(var) if vars.inputs.contains(var));
        let octagon = Rc::new(entry.octagon.without(|name| !is_input(name)));
        Ok(State { octagon, is_empty: entry.is_empty, ..State::default() })
    }

    fn reduce_precision(&mut self, _: &Block, (): &()) {}

    fn expand(&mut self, block: &Block, entry: &State, _: &State, exit: &State) -> Result<State, Stop> {
        let vars = self.block_vars.of(block);
        let is_changed = |name: Name| {
            let is_written = matches!(name, Name::Now(var) if vars.written.contains(var));
            let is_own = |function| self.is_in_frame(name, function) && !is_constant(&vars.constant, name);
            is_written || matches!(block.kind, BlockKind::Function(function) if is_own(function))
        };
        let both = entry.octagon.without(is_changed).meet(&exit.octagon);
        Ok(State {
            is_empty: both.is_none() || entry.is_empty || exit.is_empty,
            octagon: both.map_or_else(|| exit.octagon.clone(), Rc::new),
            waiting: entry.waiting.clone(),
            merges: 0,
        })
    }

    /// A summary for more entries can have exits that this entry does not reach.
    fn rebuild(
        &mut self,
        _: &Block,
        _: Option<Move>,
        _: &State,
        _: &State,
        exit: State,
    ) -> Result<Option<State>, Stop> {
        Ok((!exit.is_empty).then_some(exit))
    }

    fn cache_key(&mut self, _: &Block, reduced: &State, (): &(), key: &mut CacheKey) {
        // At a loop head, rounds of widening continue from here.
        key.extend([u64::from(reduced.is_empty), u64::from(reduced.merges)]);
        for Constraint { terms, bound } in reduced.octagon.constraints() {
            key.push(terms.len() as u64);
            for (name, is_negative) in terms {
                let (Name::Now(var) | Name::Next(var)) = name;
                key.push((var.index() as u64) << 1 | u64::from(is_negative));
            }
            key.extend([bound as u64, (bound >> 64) as u64]);
        }
    }

    fn widen(&mut self, _: &Block, before: &State, now: &State, _: Side) -> Result<State, Stop> {
        if Self::is_within(now, before) {
            return Ok(before.clone());
        }
        // Reduced entries have no calls behind them, so that they fit.
        let widened = Self::widened(before, now).unwrap_or_default();
        Ok(State { merges: before.merges.saturating_add(1), ..widened })
    }

    fn contract(&mut self, block: &Block, state: &State, side: Side) -> Vec<Clause> {
        let Some(speaker) = Speaker::new(self.cfa, self.facts, block, side) else { return Vec::new() };
        if state.is_empty {
            return vec![Clause::C("\\false".to_owned())];
        }
        let mut clauses = Vec::new();
        for constraint in state.octagon.constraints() {
            let shown = || self.show_constraint(&constraint);
            clauses.extend(match self.to_c(&speaker, &constraint) {
                Some(text) => Some(Clause::C(text)),
                None => speaker.clause(None, shown),
            });
        }
        clauses
    }
}

fn is_constant(constant: &[summa_c::tree::VarId], name: Name) -> bool {
    matches!(name, Name::Now(var) if constant.contains(&var))
}

impl Octagons<'_> {
    /// The constraint in an arithmetic in which sums of two do not overflow.
    fn to_c(&self, speaker: &Speaker<'_>, constraint: &Constraint) -> Option<String> {
        let program = &self.cfa.program;
        let mut text = String::new();
        for &(name, is_negative) in &constraint.terms {
            let (Name::Now(var) | Name::Next(var)) = name;
            let ty = program.vars[var].ty;
            let named = speaker.value(var, 0, program.types.int_width(ty)?)?;
            let (least, most) = limits(self.cfa, ty)?;
            if least < i128::from(i64::MIN) / 4 || most > i128::from(i64::MAX) / 4 {
                return None;
            }
            let sign = match (is_negative, text.is_empty()) {
                (true, true) => "-",
                (true, false) => " - ",
                (false, true) => "",
                (false, false) => " + ",
            };
            text.push_str(&format!("{sign}(long long){}", named.text));
        }
        i64::try_from(constraint.bound).ok().map(|bound| format!("{text} <= {bound}LL"))
    }
}

/// Octagons as lists of constraints: that of the state, those that wait, and the counter of merges.
impl Portable for Octagons<'_> {
    fn save(&self, state: &State) -> Result<Json, Misfit> {
        let waiting: Json = state.waiting.iter().map(|octagon| self.save_octagon(octagon)).collect();
        Ok(json!([self.save_octagon(&state.octagon), waiting, state.is_empty, state.merges]))
    }

    fn load(&mut self, saved: &Json) -> Result<State, Misfit> {
        let [octagon, waiting, is_empty, merges] = parts(saved)?;
        let waiting = list(waiting)?.iter().map(|octagon| self.load_octagon(octagon));
        Ok(State {
            octagon: Rc::new(self.load_octagon(octagon)?),
            waiting: Rc::new(waiting.collect::<Result<_, Misfit>>()?),
            is_empty: is_empty.as_bool().ok_or_else(|| misfit("a truth value", is_empty))?,
            merges: count(merges)?,
        })
    }
}

impl Octagons<'_> {
    fn save_octagon(&self, octagon: &Octagon) -> Json {
        let term = |&(name, is_negative): &(Name, bool)| {
            let (Name::Now(var) | Name::Next(var)) = name;
            json!([variable(self.cfa, var), is_negative])
        };
        let constraint = |Constraint { terms, bound }: Constraint| {
            json!([terms.iter().map(term).collect::<Json>(), bound.to_string()])
        };
        octagon.constraints().into_iter().map(constraint).collect()
    }

    fn load_octagon(&self, saved: &Json) -> Result<Octagon, Misfit> {
        let mut constraints = Vec::new();
        for constraint in list(saved)? {
            let [terms, bound] = parts(constraint)?;
            let mut loaded: Vec<(Name, bool)> = Vec::new();
            for term in list(terms)? {
                let [var, is_negative] = parts(term)?;
                let var = read_variable(self.cfa, var)?;
                let is_negative = is_negative.as_bool().filter(|_| self.counted.contains(var));
                let is_negative = is_negative.ok_or_else(|| misfit("a term of a constraint", term))?;
                loaded.push((Name::Now(var), is_negative));
            }
            if !matches!(&loaded[..], [_]) && !matches!(&loaded[..], [(a, _), (b, _)] if a < b) {
                return Err(misfit("a constraint about one or two variables", constraint));
            }
            constraints.push(Constraint { terms: loaded, bound: number(bound)? });
        }
        let octagon = Octagon::default().and(&constraints);
        octagon.ok_or_else(|| misfit("constraints that have a solution", saved))
    }
}

impl Storable for Octagons<'_> {}
