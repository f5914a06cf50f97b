//! The automatic strategy: which engines run one after the other, for how long, by what the program has in it.
//!
//! Cheap engines come first, with a small part of the time: what they can decide they decide at once. An engine that ends without an
//! answer gives the rest of its share to those behind it. A proof over integers is asked again over bit-vectors for a moment: a second
//! opinion that can only take the answer back.

use crate::config::{Config, ConfigError, EncodingChoice};
use summa_cfa::Cfa;
use summa_cfa::analysis::Analyses;

/// One engine of a strategy.
#[derive(Clone, Debug)]
pub struct Stage {
    pub config: Config,
    /// The part of the time that is left when it begins.
    pub share: f64,
    /// Why it is there, for people.
    pub why: &'static str,
}

/// The engines for a program, in order.
pub fn plan(cfa: &Cfa, facts: &Analyses) -> Result<Vec<Stage>, ConfigError> {
    let is_recursive = cfa.defined().any(|automaton| facts.calls.is_recursive(automaton.function));
    let mut stages = Vec::new();
    let mut add = |name: &str, encoding: EncodingChoice, share: f64, why: &'static str| {
        let config = Config { encoding, ..Config::preset(name)? };
        stages.push(Stage { config, share, why });
        Ok(())
    };
    if is_recursive {
        add(
            "interval-bam-rec",
            EncodingChoice::Auto,
            0.1,
            "the program is recursive: summaries with intervals",
        )?;
        add(
            "value+predicate-bam-rec",
            EncodingChoice::Auto,
            0.45,
            "the program is recursive: summaries with values and predicates",
        )?;
    } else {
        add("value-cegar", EncodingChoice::Auto, 0.06, "values decide state machines at once")?;
        add("predicate", EncodingChoice::Auto, 0.12, "predicates decide loops with few relations at once")?;
    }
    add("k-induction", EncodingChoice::Int, 0.5, "induction over integers")?;
    add("k-induction", EncodingChoice::Bitvector, 1.0, "induction over bit-vectors, which are exact")?;
    Ok(stages)
}
