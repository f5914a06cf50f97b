//! The laws about entries of blocks: keys, widening, and that reduce and expand fit together.

use crate::follow::Counts;
use std::collections::BTreeMap;
use summa_bam::{CacheKey, Reducer, Side};
use summa_c::tree::VarId;
use summa_cpa::Cpa;
use summa_domains::scalars::{NumberSet, Scalars, State};
use summa_domains::{AnyPrecision, AnyState, Domain};
use summa_facts::Analyses;
use summa_facts::blocks::{Block, BlockId, Blocks};

/// As it was, reduced, and its key.
struct Entry {
    state: AnyState,
    reduced: AnyState,
    precision: AnyPrecision,
    key: CacheKey,
}

/// Entries kept for each block.
const MAX_ENTRIES: usize = 12;

#[derive(Default)]
pub(crate) struct Entries(BTreeMap<BlockId, Vec<Entry>>);

impl Entries {
    pub(crate) fn add(
        &mut self,
        domain: &mut Domain<'_>,
        id: BlockId,
        block: &Block,
        state: &AnyState,
        reduced: &AnyState,
        precision: &AnyPrecision,
    ) {
        let entries = self.0.entry(id).or_default();
        if entries.len() < MAX_ENTRIES {
            let (state, reduced, precision) = (state.clone(), reduced.clone(), precision.clone());
            let key = key(domain, block, &reduced, &precision);
            entries.push(Entry { state, reduced, precision, key });
        }
    }

    /// The first reduced entry of the block.
    pub(crate) fn reduced(&self, id: BlockId) -> Option<&AnyState> {
        self.0.get(&id)?.first().map(|entry| &entry.reduced)
    }

    pub(crate) fn check(
        &self,
        facts: &Analyses,
        blocks: &Blocks,
        domain: &mut Domain<'_>,
        counts: &mut Counts,
    ) -> Result<(), String> {
        for (&id, entries) in &self.0 {
            let block = &blocks.blocks[id];
            let say = |what: &str| format!("{what}, at {} of {:?}", block.entry, block.kind);
            for entry in entries {
                there_and_back(domain, block, entry).map_err(|what| say(&what))?;
                counts.keys += bindings(facts, domain, block, entry).map_err(|what| say(&what))?;
            }
            counts.keys += keys(domain, entries).map_err(|what| say(&what))?;
            for side in [Side::Entry, Side::Exit] {
                counts.widenings += widenings(domain, block, entries, side).map_err(|what| say(&what))?;
            }
        }
        Ok(())
    }
}

fn key(domain: &mut Domain<'_>, block: &Block, reduced: &AnyState, precision: &AnyPrecision) -> CacheKey {
    let mut key = CacheKey::new();
    domain.cache_key(block, reduced, precision, &mut key);
    key
}

fn is_below(domain: &mut Domain<'_>, a: &AnyState, b: &AnyState, precision: &AnyPrecision) -> bool {
    domain.stop(a, b, precision).unwrap()
}

fn there_and_back(domain: &mut Domain<'_>, block: &Block, entry: &Entry) -> Result<(), String> {
    let back = domain.expand(block, &entry.state, &entry.reduced, &entry.reduced).unwrap();
    let shown =
        |domain: &Domain<'_>| format!(": {} became {}", domain.show(&entry.state), domain.show(&back));
    if !is_below(domain, &entry.state, &back, &entry.precision) {
        return Err("reduce and expand make up something".to_owned() + &shown(domain));
    }
    if block.written.is_empty() && !is_below(domain, &back, &entry.state, &entry.precision) {
        return Err("reduce and expand lose something".to_owned() + &shown(domain));
    }
    // What is reduced has nothing more to lose.
    let again = domain.reduce(block, &entry.reduced).unwrap();
    if key(domain, block, &again, &entry.precision) != entry.key {
        return Err("reducing twice is not reducing once".to_owned());
    }
    Ok(())
}

fn keys(domain: &mut Domain<'_>, entries: &[Entry]) -> Result<usize, String> {
    let mut checks = 0;
    for a in entries {
        for b in entries {
            checks += 1;
            let precision = &a.precision;
            let are_equal = is_below(domain, &a.reduced, &b.reduced, precision)
                && is_below(domain, &b.reduced, &a.reduced, precision);
            if (a.key == b.key) != are_equal {
                let shown = (domain.show(&a.reduced), domain.show(&b.reduced));
                return Err(format!("equal keys: {}, equal states: {are_equal}: {shown:?}", a.key == b.key));
            }
        }
    }
    Ok(checks)
}

/// The state without each of its bindings.
fn without(domain: &Domain<'_>, state: &AnyState) -> Vec<(VarId, AnyState)> {
    fn numbers<V: NumberSet>(state: &State<V>, any: fn(State<V>) -> AnyState) -> Vec<(VarId, AnyState)> {
        let one = |at: summa_domains::scalars::Location| {
            let mut less = state.clone();
            less.store.forget(at);
            (at.var, any(less))
        };
        state.store.iter().map(|(at, _)| one(at)).collect()
    }
    match (domain, state) {
        (Domain::Value(domain), AnyState::Value(values)) => {
            let one = |cell| {
                let mut less = values.clone();
                less.forget(cell);
                (domain.semantics.cells.get(cell).var, AnyState::Value(less))
            };
            values.iter().map(|(cell, _)| one(cell)).collect()
        }
        (_, AnyState::Interval(state)) => numbers(state, AnyState::Interval),
        (_, AnyState::Sign(state)) => numbers(state, AnyState::Sign),
        _ => Vec::new(),
    }
}

/// The key holds what the block reads, and nothing that it does not touch.
fn bindings(
    facts: &Analyses,
    domain: &mut Domain<'_>,
    block: &Block,
    entry: &Entry,
) -> Result<usize, String> {
    let mut checks = 0;
    for (var, less) in without(domain, &entry.state) {
        let reduced = domain.reduce(block, &less).unwrap();
        let changes = key(domain, block, &reduced, &entry.precision) != entry.key;
        let classes = facts.points_to.of_var(var);
        let is_touched = block.referenced.variables.contains(var)
            || classes.iter().any(|&class| block.referenced.classes.contains(class));
        checks += 1;
        if block.inputs.variables.contains(var) && !changes || !is_touched && changes {
            return Err(format!("{var} is touched: {is_touched}, and in the key: {changes}"));
        }
    }
    Ok(checks)
}

/// Changes of a chain before it must have ended, for each thing that can change.
const MAX_CHANGES: usize = 80;

/// Reduced entries stand for exits too: states of the same block.
fn widenings(domain: &mut Domain<'_>, block: &Block, entries: &[Entry], side: Side) -> Result<usize, String> {
    let Some(first) = entries.first() else { return Ok(0) };
    let mut chain: Vec<AnyState> = entries.iter().map(|entry| entry.reduced.clone()).collect();
    chain.extend(growing(domain, &first.reduced));
    let (mut widened, mut changes) = (first.reduced.clone(), 0);
    for next in &chain {
        let Ok(wider) = domain.widen(block, &widened, next, side) else {
            // Domains that cannot say so; never for equal states.
            return if widened == *next { Err("no upper bound of equal states".to_owned()) } else { Ok(0) };
        };
        for below in [&widened, next] {
            if !is_below(domain, below, &wider, &first.precision) {
                return Err(format!("{} is not within {}", domain.show(below), domain.show(&wider)));
            }
        }
        let is_stable = is_below(domain, &wider, &widened, &first.precision);
        if is_stable && wider != widened {
            return Err("a stable entry changes".to_owned());
        }
        changes += usize::from(!is_stable);
        widened = wider;
    }
    if changes > MAX_CHANGES { Err(format!("{changes} changes in a chain")) } else { Ok(chain.len()) }
}

/// Entries that go on and on, in both directions and with every stride.
fn growing(domain: &Domain<'_>, entry: &AnyState) -> Vec<AnyState> {
    fn numbers<V: NumberSet>(domain: &Scalars<'_, V>, entry: &State<V>) -> Vec<State<V>> {
        let one = |i: i128| {
            let mut next = entry.clone();
            for (at, _) in entry.store.iter() {
                let shape = domain.layout().at(at).unwrap().shape;
                let number = (i * i * i * if i % 2 == 0 { 1 } else { -3 }).clamp(shape.min(), shape.max());
                next.store.set(at, V::only(number));
            }
            next
        };
        (0..400).map(one).collect()
    }
    match (domain, entry) {
        (Domain::Interval(domain), AnyState::Interval(entry)) => {
            numbers(domain, entry).into_iter().map(AnyState::Interval).collect()
        }
        (Domain::Sign(domain), AnyState::Sign(entry)) => {
            numbers(domain, entry).into_iter().map(AnyState::Sign).collect()
        }
        _ => Vec::new(),
    }
}
