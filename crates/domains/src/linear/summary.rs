//! Summaries of blocks: equations between inputs and outputs.
//!
//! A block begins with the knowledge that each of its inputs has its entry value, and nothing else. So there
//! is one summary for all entries. Where it is used, its equations are about the values that the caller
//! passed. The caller's equations about variables that the block changes speak of their values before the
//! block, which are eliminated.

use super::{Linear, State, signed};
use crate::contract::Speaker;
use crate::portable::{count, list, misfit, number, parts, read_variable, text, variable};
use crate::says::equations::{Equations, Row, Unknown, plus};
use serde_json::{Value as Json, json};
use summa_bam::{CacheKey, Clause, Reducer, Side, Storable};
use summa_c::tree::VarId;
use summa_cpa::{Misfit, Move, Portable, Stop};
use summa_facts::blocks::{Block, BlockKind};

/// Inputs of a block that equations follow.
const MAX_INPUTS: usize = 32;

impl Reducer for Linear<'_> {
    fn reduce(&mut self, block: &Block, _: &State) -> Result<State, Stop> {
        let vars = self.block_vars.of(block);
        let inputs = vars.inputs.iter().filter(|&var| self.counted.contains(var)).take(MAX_INPUTS);
        let stays = |var: VarId| plus(&[(Unknown::Now(var), 1)], u32::MAX, &[(Unknown::Entry(var), 1)]);
        Ok(State { equations: Equations::of(inputs.map(stays)), depth: 0 })
    }

    fn reduce_precision(&mut self, _: &Block, (): &()) {}

    fn expand(&mut self, block: &Block, entry: &State, _: &State, exit: &State) -> Result<State, Stop> {
        let vars = self.block_vars.of(block);
        let changes = |var: VarId| {
            let is_own =
                matches!(block.kind, BlockKind::Function(function) if self.is_in_frame(var, function));
            is_own || vars.written.contains(var)
        };
        // Entry values of the block: if the block changes a variable, its entry value is an unknown of its
        // own, otherwise it is the value after the block.
        let at_entry = |var: VarId| if changes(var) { Unknown::Passing(var) } else { Unknown::Now(var) };
        let before = entry.equations.rename(|unknown| {
            Some(match unknown {
                Unknown::Now(var) => at_entry(var),
                other => other,
            })
        });
        let summary = exit.equations.rows().iter().map(|row| {
            row.iter().fold(Row::new(), |sum, &(unknown, c)| {
                let renamed = match unknown {
                    Unknown::Entry(var) => at_entry(var),
                    other => other,
                };
                plus(&sum, c, &[(renamed, 1)])
            })
        });
        let both = before.and(summary);
        let equations = both.without(|unknown| matches!(unknown, Unknown::Passing(_)));
        Ok(State { equations, depth: entry.depth })
    }

    fn rebuild(
        &mut self,
        _: &Block,
        _: Option<Move>,
        _: &State,
        _: &State,
        exit: State,
    ) -> Result<Option<State>, Stop> {
        Ok((!exit.equations.is_empty()).then_some(exit))
    }

    /// All entries of a block are one.
    fn cache_key(&mut self, _: &Block, _: &State, (): &(), _: &mut CacheKey) {}

    fn widen(&mut self, _: &Block, before: &State, now: &State, _: Side) -> Result<State, Stop> {
        if Self::is_within(now, before) {
            return Ok(before.clone());
        }
        Ok(State { equations: before.equations.join(&now.equations), depth: now.depth })
    }

    fn contract(&mut self, block: &Block, state: &State, side: Side) -> Vec<Clause> {
        let Some(speaker) = Speaker::new(self.cfa, self.facts, block, side) else { return Vec::new() };
        // At an entry nothing is known, except that each value is itself.
        if side == Side::Entry {
            return Vec::new();
        }
        state.equations.rows().iter().filter_map(|row| self.to_c(&speaker, row)).map(Clause::C).collect()
    }
}

impl Linear<'_> {
    /// The equation in unsigned arithmetic, solved for its first unknown.
    fn to_c(&self, speaker: &Speaker<'_>, row: &Row) -> Option<String> {
        let program = &self.cfa.program;
        let name = |unknown: Unknown| {
            let (var, is_before) = match unknown {
                Unknown::Now(var) => (var, false),
                Unknown::Entry(var) => (var, true),
                _ => return None,
            };
            let width = program.types.int_width(program.vars[var].ty)?;
            let named =
                if is_before { speaker.value_before(var, 0, width) } else { speaker.value(var, 0, width) };
            named.map(|named| format!("(unsigned){}", named.text))
        };
        let term = |factor: u32, name: String| if factor == 1 { name } else { format!("{factor}U * {name}") };
        let (&(first, leading), rest) = row.split_first()?;
        let left = term(leading, name(first)?);
        let mut right = String::new();
        for &(unknown, c) in rest {
            // On the other side the sign changes.
            let c = -i64::from(signed(c));
            let factor = u32::try_from(c.unsigned_abs()).ok()?;
            let word =
                if unknown == Unknown::One { format!("{factor}U") } else { term(factor, name(unknown)?) };
            match (right.is_empty(), c < 0) {
                (true, false) => right = word,
                (true, true) => right = format!("0U - {word}"),
                (false, false) => right.push_str(&format!(" + {word}")),
                (false, true) => right.push_str(&format!(" - {word}")),
            }
        }
        let right = if right.is_empty() { "0U".to_owned() } else { right };
        // An equation of equal sides says nothing.
        (left != right).then(|| format!("{left} == {right}"))
    }
}

/// The equations as lists of terms, and the number of recursive calls on the way.
impl Portable for Linear<'_> {
    fn save(&self, state: &State) -> Result<Json, Misfit> {
        let term = |&(unknown, c): &(Unknown, u32)| {
            let (kind, depth, var) = match unknown {
                Unknown::Passing(var) => ("passing", 0, Some(var)),
                Unknown::Now(var) => ("now", 0, Some(var)),
                Unknown::Waiting(depth, var) => ("waiting", depth, Some(var)),
                Unknown::Entry(var) => ("entry", 0, Some(var)),
                Unknown::One => ("one", 0, None),
            };
            json!([kind, depth, var.map_or(Json::Null, |var| variable(self.cfa, var)), c.to_string()])
        };
        let rows: Json =
            state.equations.rows().iter().map(|row| row.iter().map(term).collect::<Json>()).collect();
        Ok(json!([rows, state.depth]))
    }

    fn load(&mut self, saved: &Json) -> Result<State, Misfit> {
        let [rows, depth] = parts(saved)?;
        let mut loaded = Vec::new();
        for row in list(rows)? {
            let mut sum = Row::new();
            for term in list(row)? {
                let [kind, depth, var, c] = parts(term)?;
                let var = |counted: &summa_base::IdSet<VarId>| {
                    let var = read_variable(self.cfa, var)?;
                    counted.contains(var).then_some(var).ok_or_else(|| misfit("an integer variable", term))
                };
                let unknown = match text(kind)? {
                    "now" => Unknown::Now(var(&self.counted)?),
                    "waiting" => Unknown::Waiting(count(depth)?, var(&self.counted)?),
                    "entry" => Unknown::Entry(var(&self.counted)?),
                    "one" => Unknown::One,
                    _ => return Err(misfit("an unknown of an equation", term)),
                };
                sum = plus(&sum, number(c)?, &[(unknown, 1)]);
            }
            loaded.push(sum);
        }
        let equations = Equations::of(loaded);
        if equations.is_empty() {
            return Err(misfit("equations that have a solution", saved));
        }
        Ok(State { equations, depth: count(depth)? })
    }
}

impl Storable for Linear<'_> {}
