//! Reads the text of a configuration: first its own keys, then the section of each domain as the registry
//! knows it.

use super::{Algorithm, BamConfig, Config, ConfigError, EncodingChoice, KInductionConfig, LoopBoundConfig};
use super::{Chosen, Registry, WaitlistLayer};
use serde::Deserialize;
use summa_domains::reductions::{Named, REDUCTIONS};
use toml::Spanned;
use toml::de::{DeTable, Deserializer};

/// What no domain says.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Written {
    description: String,
    algorithm: Algorithm,
    #[serde(default)]
    encoding: EncodingChoice,
    #[serde(default)]
    waitlist: Vec<WaitlistLayer>,
    #[serde(default)]
    domains: Vec<Spanned<String>>,
    #[serde(default)]
    reductions: Vec<Spanned<String>>,
    loop_bound: Option<LoopBoundConfig>,
    k_induction: Option<KInductionConfig>,
    bam: Option<BamConfig>,
}

/// Its keys, which name no section of a domain.
const KEYS: &[&str] = &[
    "description",
    "algorithm",
    "encoding",
    "waitlist",
    "domains",
    "reductions",
    "loop-bound",
    "k-induction",
    "bam",
];

/// The configuration, and the sections of domains that it does not have.
pub(super) fn read(
    name: &str,
    text: &str,
    registry: &Registry,
) -> Result<(Config, Vec<&'static str>), ConfigError> {
    let syntax = |error: toml::de::Error| ConfigError::syntax(name, text, &error);
    let mut table = DeTable::parse(text).map_err(syntax)?;
    let sections = || registry.iter().filter(|known| known.has_section && !KEYS.contains(&known.name));
    for key in table.get_ref().keys() {
        let known: Vec<&str> = KEYS.iter().copied().chain(sections().map(|known| known.name)).collect();
        let word: &str = key.get_ref();
        if !known.contains(&word) {
            return Err(ConfigError::unknown((name, text), "key", word, key.span().start, &known));
        }
    }
    let taken = sections().map(|known| (known.name, table.get_mut().remove(known.name)));
    let mut sections: Vec<(&'static str, _)> = taken.filter(|(_, section)| section.is_some()).collect();
    let written = Written::deserialize(Deserializer::from(table)).map_err(syntax)?;

    let mut domains = Vec::new();
    for word in &written.domains {
        let Some(registration) = registry.find(word.get_ref()) else {
            let known: Vec<&str> = registry.iter().map(|known| known.name).collect();
            return Err(ConfigError::unknown(
                (name, text),
                "word",
                word.get_ref(),
                word.span().start,
                &known,
            ));
        };
        let own = sections.iter_mut().find(|(known, _)| *known == registration.name);
        let section = own.and_then(|(_, section)| section.take());
        domains.push(Chosen::new(registration, section).map_err(syntax)?);
    }
    // What is wrong in a section is the better message, also where the section is not used.
    let mut unused = Vec::new();
    for (name, section) in sections {
        if let Some(registration) = registry.find(name).filter(|_| section.is_some()) {
            Chosen::new(registration, section).map_err(syntax)?;
            unused.push(name);
        }
    }
    let mut reductions: Vec<Named> = Vec::new();
    for word in &written.reductions {
        let Some(named) = REDUCTIONS.iter().find(|named| named.name == word.get_ref()) else {
            let known: Vec<&str> = REDUCTIONS.iter().map(|named| named.name).collect();
            return Err(ConfigError::unknown(
                (name, text),
                "word",
                word.get_ref(),
                word.span().start,
                &known,
            ));
        };
        reductions.push(*named);
    }
    let Written { description, algorithm, encoding, waitlist, loop_bound, k_induction, bam, .. } = written;
    let name = name.to_owned();
    let config = Config {
        name,
        description,
        algorithm,
        encoding,
        waitlist,
        domains,
        reductions,
        loop_bound,
        k_induction,
        bam,
    };
    Ok((config, unused))
}
