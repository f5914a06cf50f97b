//! States of non-relational domains as data: scalars are named by their variable and their offset in it, sets
//! say themselves how.

use super::{Frame, Location, NumberSet, Scalars, State};
use crate::portable::{count, list, misfit, number, parts, read_variable, variable};
use serde_json::{Value as Json, json};
use std::rc::Rc;
use summa_bam::Storable;
use summa_cpa::{Misfit, Portable};

impl<V: NumberSet> Scalars<'_, V> {
    fn save_entry(&self, (at, set): (Location, V)) -> Json {
        json!([variable(self.cfa, at.var), at.offset.to_string(), set.save()])
    }

    /// Ascending, each location once.
    fn load_entries(&self, saved: &Json) -> Result<Vec<(Location, V)>, Misfit> {
        let mut entries: Vec<(Location, V)> = Vec::new();
        for entry in list(saved)? {
            let [var, offset, set] = parts(entry)?;
            let at = Location { var: read_variable(self.cfa, var)?, offset: number(offset)? };
            let scalar = self.layout.at(at).ok_or_else(|| misfit("a scalar of the variable", entry))?;
            // A set of all values is no entry.
            let set = V::load(set, scalar.shape).filter(|&set| set != V::all(scalar.shape));
            let set = set.ok_or_else(|| misfit("a set of some of its values", entry))?;
            if entries.last().is_some_and(|&(last, _)| last >= at) {
                return Err(misfit("every scalar once, in order", saved));
            }
            entries.push((at, set));
        }
        Ok(entries)
    }
}

/// What is known now, what waiting activations know, and how often the state was merged.
impl<V: NumberSet> Portable for Scalars<'_, V> {
    fn save(&self, state: &State<V>) -> Result<Json, Misfit> {
        let known: Json = state.store.iter().map(|entry| self.save_entry(entry)).collect();
        let frame =
            |frame: &Frame<V>| -> Json { frame.iter().map(|&entry| self.save_entry(entry)).collect() };
        let frames: Json = state.frames.iter().map(frame).collect();
        Ok(json!([known, frames, state.merges]))
    }

    fn load(&mut self, saved: &Json) -> Result<State<V>, Misfit> {
        let [known, frames, merges] = parts(saved)?;
        let mut state = State { merges: count(merges)?, ..State::default() };
        for (at, set) in self.load_entries(known)? {
            state.store.set(at, set);
        }
        let frames = list(frames)?.iter().map(|frame| Ok(self.load_entries(frame)?.into()));
        state.frames = Rc::new(frames.collect::<Result<Vec<Frame<V>>, Misfit>>()?);
        Ok(state)
    }
}

impl<V: NumberSet> Storable for Scalars<'_, V> {}
