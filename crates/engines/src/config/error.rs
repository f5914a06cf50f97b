//! Errors of a configuration, for users: file and line, what is not known, and what may have been meant.

use super::PRESETS;
use std::fmt;

/// A mistake in a configuration or in the name of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError {
    /// Name of the preset or path, and the line from 1, where there is one.
    place: Option<(String, Option<usize>)>,
    message: String,
    /// What may have been meant.
    suggestion: Option<String>,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some((file, Some(line))) => write!(f, "{file}:{line}: ")?,
            Some((file, None)) => write!(f, "{file}: ")?,
            None => {}
        }
        f.write_str(&self.message)?;
        match &self.suggestion {
            Some(meant) => write!(f, "; did you mean `{meant}`?"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ConfigError {}

impl ConfigError {
    pub(super) fn no_such_preset(name: &str) -> Self {
        let names: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
        let message =
            format!("`{name}` is neither a file nor one of the configurations {}", names.join(", "));
        Self { place: None, message, suggestion: suggest(name, &names) }
    }

    /// The parts do not fit together.
    pub(super) fn meaning(file: &str, message: String) -> Self {
        Self { place: Some((file.to_owned(), None)), message, suggestion: None }
    }

    /// A key or a word at this byte of the text is none of those that are known.
    pub(super) fn unknown(
        (file, text): (&str, &str),
        what: &str,
        word: &str,
        at: usize,
        known: &[&str],
    ) -> Self {
        let list: Vec<String> = known.iter().map(|word| format!("`{word}`")).collect();
        let message = format!("unknown {what} `{word}`, expected one of {}", list.join(", "));
        let place = Some((file.to_owned(), Some(line_of(text, at))));
        Self { place, message, suggestion: suggest(word, known) }
    }

    /// The text is no TOML, or has keys or words that are not known.
    pub fn syntax(file: &str, text: &str, error: &toml::de::Error) -> Self {
        let line = error.span().map(|span| line_of(text, span.start));
        let message = error.message().trim().to_owned();
        // `unknown field `blcks`, expected one of `abstraction`, `blocks`, …`: the first word is wrong, the
        // others are known.
        let mut words = message.split('`').skip(1).step_by(2);
        let is_unknown = message.starts_with("unknown");
        let suggestion = words.next().filter(|_| is_unknown).and_then(|wrong| {
            let known: Vec<&str> = words.collect();
            suggest(wrong, &known)
        });
        Self { place: Some((file.to_owned(), line)), message: readable(message), suggestion }
    }
}

/// The line, from 1, of a byte.
fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&byte| byte == b'\n').count()
}

/// serde's words in ours.
fn readable(message: String) -> String {
    let renamed = message.strip_prefix("unknown field ").map(|rest| format!("unknown key {rest}"));
    let renamed = renamed
        .or_else(|| message.strip_prefix("unknown variant ").map(|rest| format!("unknown word {rest}")));
    renamed.unwrap_or(message)
}

/// The known word that is nearest to a wrong one, if one is near.
fn suggest(wrong: &str, known: &[&str]) -> Option<String> {
    let far = wrong.chars().count().max(3) / 2;
    let nearest = known.iter().map(|word| (distance(wrong, word), *word)).min();
    nearest.filter(|&(distance, _)| distance <= far).map(|(_, word)| word.to_owned())
}

/// Levenshtein's: how many letters to insert, drop or change.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
