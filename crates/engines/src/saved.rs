//! Summaries that outlive a run: stored by the content of what they are about, and used again only for the
//! same content.
//!
//! The summaries of a function are stored under a hash of everything on which they depend: the format, the
//! configuration, the arithmetic, the data model, and the texts ([`summa_facts::fingerprint`]) of the
//! function and of all that it can call. So a file cannot be stale: if a function changed, or calls one that
//! changed, it has another name. What is found is checked (its own sum, its name, every state in it), and
//! left out with a note if something is wrong. That is never an error, and never changes a verdict:
//! * A loaded summary has no targets, and its exits cover everything that the function does. It serves
//!   proofs.
//! * Before a target is examined, the loaded summaries behind it are dropped and computed again. So neither
//!   an error nor a refinement relies on a loaded summary.
//! * A run that ends without an answer is repeated without loaded summaries.
//! * The proof contains what follows from a loaded summary, and the checker asks why it holds. Either the
//!   archive recognises its contract ([`crate::contents`]), or the run is repeated without the summary. So a
//!   forged file gains nothing.
//!
//! For functions that changed, their stored precision is found by name. It is a place to begin, and only the
//! time depends on it.
//!
//! Limits: invariants of the whole program are not part of the content, so runs that store or load summaries
//! do not use them.

use crate::config::{Config, EncodingChoice};
use crate::contents::{Contents, ContractId};
use crate::task::Task;
use serde_json::{Value as Json, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use summa_bam::{Bam, SavedFunction};
use summa_base::{FxHashMap, IdSet};
use summa_c::tree::FuncId;
use summa_cfa::Cfa;
use summa_cpa::Product;
use summa_domains::Domain;
use summa_facts::Analyses;
use summa_facts::blocks::Blocks;
use summa_facts::fingerprint::Fingerprints;
use summa_proof::Proof;

/// The number changes whenever the stored data, the meaning of a domain's states, or what the checker accepts
/// changes.
const FORMAT: u32 = 4;

/// Where summaries are kept.
pub trait Archive: Sync {
    /// Does it have anything to read?
    fn is_read(&self) -> bool;
    fn is_written(&self) -> bool;
    /// The data that were stored under a name.
    fn read(&self, name: &str) -> Option<Vec<u8>>;
    fn write(&self, name: &str, content: &[u8]);
    /// Which of these contracts were stored by a run that can be trusted?
    fn recognises(&self, contracts: &[ContractId]) -> Vec<bool>;
    /// The checker has confirmed these contracts.
    fn remember(&self, contracts: &[ContractId]);
    /// Something that a user may want to know.
    fn note(&self, text: String);
}

/// The summaries of one program in one configuration.
pub(crate) struct Saved<'t, 'b> {
    archive: &'t dyn Archive,
    cfa: &'t Cfa,
    facts: &'t Analyses,
    fingerprints: Fingerprints<'b>,
    /// All that the summaries of every function depend on.
    common: String,
    texts: RefCell<FxHashMap<FuncId, blake3::Hash>>,
}

impl<'t: 'b, 'b> Saved<'t, 'b> {
    /// None if the user did not ask for it. Summaries depend only on the functions that they are about: see
    /// `assemble`.
    pub(crate) fn new(config: &Config, task: &Task<'t>, blocks: &'b Blocks) -> Option<Self> {
        let archive = task.archive.filter(|archive| archive.is_read() || archive.is_written())?;
        // The name and the description do not matter, and the encoding is added separately.
        let config = Config {
            name: String::new(),
            description: String::new(),
            encoding: EncodingChoice::Auto,
            ..config.clone()
        };
        let version = env!("CARGO_PKG_VERSION");
        let common = format!("summa {version} {FORMAT}\n{config:?}\n{}\n", task.encoding.name());
        let fingerprints = Fingerprints::new(task.cfa, task.facts, blocks, task.is_error);
        Some(Self {
            archive,
            cfa: task.cfa,
            facts: task.facts,
            fingerprints,
            common,
            texts: RefCell::default(),
        })
    }

    pub(crate) fn is_read(&self) -> bool {
        self.archive.is_read()
    }

    /// The name under which the summaries of a function are stored.
    fn name(&self, function: FuncId) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.common.as_bytes());
        hasher.update(self.text(function).as_bytes());
        for callee in self.fingerprints.reachable(function) {
            hasher.update(self.text(callee).as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    fn text(&self, function: FuncId) -> blake3::Hash {
        let hash = || blake3::hash(self.fingerprints.text(function).as_bytes());
        *self.texts.borrow_mut().entry(function).or_insert_with(hash)
    }

    /// Gives the analysis the stored data of the program's functions. False if there are none.
    pub(crate) fn load(&self, bam: &mut Bam<'_, Product<Domain<'t>>>) -> bool {
        let mut found = Vec::new();
        for automaton in self.cfa.defined().filter(|automaton| automaton.function != self.cfa.start) {
            let function = automaton.function;
            let name = self.name(function);
            let Some(content) = self.archive.read(&name) else { continue };
            match parse(&content, &name) {
                Some(data) => found.push((function, data)),
                None => self.note(function, "the file is damaged"),
            }
        }
        for (function, misfit) in bam.load(&found) {
            self.note(function, &misfit.0);
        }
        let unchanged: IdSet<FuncId> = found.iter().map(|&(function, _)| function).collect();
        let hints = self.precisions().into_iter().filter_map(|(name, precision)| {
            let function = self.cfa.names().find_function(&name)?;
            (!unchanged.contains(function)).then_some(precision)
        });
        let has_precisions = bam.load_precisions(&hints.collect::<Vec<_>>());
        has_precisions || bam.counters.loaded > 0
    }

    /// The name under which the precisions of all functions are stored.
    fn name_of_precisions(&self) -> String {
        blake3::hash(format!("{}precisions", self.common).as_bytes()).to_hex().to_string()
    }

    /// The precisions that are stored, by the names of functions.
    fn precisions(&self) -> BTreeMap<String, Json> {
        let name = self.name_of_precisions();
        let stored = self.archive.read(&name).and_then(|content| body_of(&content, &name));
        match stored.as_ref().and_then(|body| body.get("precisions")) {
            Some(Json::Object(all)) => all.iter().map(|(name, one)| (name.clone(), one.clone())).collect(),
            _ => BTreeMap::new(),
        }
    }

    /// Those of functions that this program does not have stay.
    fn save_precisions(&self, bam: &mut Bam<'_, Product<Domain<'t>>>) {
        let mut all = self.precisions();
        let new = bam.save_precisions().into_iter();
        all.extend(new.map(|(function, one)| (self.cfa.names().function(function).to_owned(), one)));
        if !all.is_empty() {
            let name = self.name_of_precisions();
            let content = with_sum(&json!({ "name": name, "precisions": all }));
            self.archive.write(&name, content.as_bytes());
        }
    }

    /// Stores what is proved, and the precisions that were needed for it.
    pub(crate) fn save(&self, bam: &mut Bam<'_, Product<Domain<'t>>>) {
        if !self.archive.is_written() {
            return;
        }
        self.save_precisions(bam);
        for (function, data) in bam.save() {
            let name = self.name(function);
            let content = text_of(&data, &name, self.cfa.names().function(function));
            self.archive.write(&name, content.as_bytes());
        }
    }

    /// The contracts of a proof.
    pub(crate) fn contents(&self, proof: &Proof) -> Contents {
        let name = |number: usize| self.name(proof.procedures[number].function);
        Contents::new(proof, (self.cfa, self.facts), self.archive, name)
    }

    fn note(&self, function: FuncId, why: &str) {
        let name = self.cfa.names().function(function);
        self.archive.note(format!("stored summaries of `{name}` are not used: {why}"));
    }
}

fn text_of(data: &SavedFunction, name: &str, function: &str) -> String {
    let summaries: Json = data.summaries.iter().map(|(entry, exits)| json!([entry, exits])).collect();
    with_sum(
        &json!({ "name": name, "function": function, "precision": data.precision, "summaries": summaries }),
    )
}

fn parse(content: &[u8], name: &str) -> Option<SavedFunction> {
    let body = body_of(content, name)?;
    let summary = |saved: &Json| match saved.as_array().map(|parts| &parts[..]) {
        Some([entry, Json::Array(exits)]) => Some((entry.clone(), exits.clone())),
        _ => None,
    };
    let summaries = body.get("summaries")?.as_array()?.iter().map(summary).collect::<Option<_>>()?;
    Some(SavedFunction { precision: body.get("precision")?.clone(), summaries })
}

/// A checksum of the data, then the data.
fn with_sum(body: &Json) -> String {
    let body = body.to_string();
    format!("{}\n{body}\n", blake3::hash(body.as_bytes()).to_hex())
}

/// The data, if the checksum is right and the name fits.
fn body_of(content: &[u8], name: &str) -> Option<Json> {
    let (sum, body) = std::str::from_utf8(content).ok()?.split_once('\n')?;
    let body = body.strip_suffix('\n')?;
    if blake3::hash(body.as_bytes()).to_hex().as_str() != sum {
        return None;
    }
    let body: Json = serde_json::from_str(body).ok()?;
    (body.get("name")?.as_str()? == name).then_some(body)
}
