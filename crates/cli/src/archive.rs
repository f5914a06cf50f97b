//! Stored summaries as files of a folder: one file for each function, and beside it the contracts of that
//! function that the checker has confirmed. A failure here is no error of the run: it means fewer summaries,
//! and a note.
//!
//! The file of summaries may come from anywhere, because the checker examines what follows from it. The file
//! of confirmed contracts saves the checker that work. So every line of it is sealed with a key that only
//! this user's runs have ([`key`]).

mod key;

use key::Key;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};
use summa_base::files::{self, Unreadable};
use summa_base::plain::Shown;
use summa_engines::{Archive, ContractId};

/// Larger files are not read: no run stores so much about one function.
const MAX_BYTES: u64 = 256 << 20;

pub(crate) struct Folder {
    load: Option<PathBuf>,
    save: Option<PathBuf>,
    /// Are contracts recognised? Not if the user wants a proof that others can check.
    recognises: bool,
    key: OnceLock<Option<Key>>,
    notes: Mutex<Vec<String>>,
}

impl Folder {
    /// # Errors
    /// The folder to write to does not exist and cannot be made.
    pub(crate) fn new(
        load: Option<PathBuf>,
        save: Option<PathBuf>,
        recognises: bool,
    ) -> Result<Self, String> {
        if let Some(folder) = &save {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("cannot make the folder `{}`: {error}", folder.shown()))?;
        }
        Ok(Self { load, save, recognises, key: OnceLock::new(), notes: Mutex::default() })
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default()
    }

    fn file(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!("{name}.summary"))
    }

    fn confirmed(folder: &Path, function: &str) -> PathBuf {
        folder.join(format!("{function}.confirmed"))
    }

    /// The key is made only by runs that store something.
    fn seal(&self, contract: &ContractId) -> Option<String> {
        let find = || if self.save.is_some() { Key::find_or_make() } else { Key::find() };
        let key = self.key.get_or_init(find).as_ref()?;
        Some(key.seal(&format!("contract {} {}", contract.function, contract.digest)))
    }

    /// The seals of a function. Lines that equal none of our seals do no harm.
    fn seals(folder: &Path, function: &str) -> BTreeSet<String> {
        let file = Self::confirmed(folder, function);
        let seals = files::read_text(&file, MAX_BYTES).unwrap_or_default();
        seals.lines().map(str::to_owned).collect()
    }

    /// Under another name first, so that a reader never sees half a file.
    fn replace(file: &Path, content: &[u8]) -> std::io::Result<()> {
        let draft = file.with_extension(format!("{}.draft", std::process::id()));
        // A new file, so that a link in its place does not lead elsewhere. An existing one was left by a run
        // that was killed. It can be removed, since no other running process has this number.
        let create = || File::options().write(true).create_new(true).open(&draft);
        let opened = create().or_else(|error| match error.kind() {
            ErrorKind::AlreadyExists => std::fs::remove_file(&draft).and_then(|()| create()),
            _ => Err(error),
        });
        let written = opened.and_then(|mut draft| draft.write_all(content));
        written.and_then(|()| std::fs::rename(&draft, file)).inspect_err(|_| {
            let _ = std::fs::remove_file(&draft);
        })
    }
}

impl Archive for Folder {
    fn is_read(&self) -> bool {
        self.load.is_some()
    }

    fn is_written(&self) -> bool {
        self.save.is_some()
    }

    fn read(&self, name: &str) -> Option<Vec<u8>> {
        let file = Self::file(self.load.as_deref()?, name);
        match files::read(&file, MAX_BYTES) {
            Ok(bytes) => Some(bytes),
            Err(Unreadable::NotFound) => None,
            Err(why) => {
                self.note(format!("cannot read `{}`: {why}", file.shown()));
                None
            }
        }
    }

    fn write(&self, name: &str, content: &[u8]) {
        let Some(folder) = &self.save else { return };
        if let Err(error) = Self::replace(&Self::file(folder, name), content) {
            self.note(format!("summaries cannot be stored in `{}`: {error}", folder.shown()));
        }
    }

    fn recognises(&self, contracts: &[ContractId]) -> Vec<bool> {
        let Some(folder) = self.load.as_deref().filter(|_| self.recognises) else {
            return vec![false; contracts.len()];
        };
        let mut known: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let mut answers = Vec::with_capacity(contracts.len());
        for contract in contracts {
            let function = contract.function.as_str();
            let seals = known.entry(function).or_insert_with(|| Self::seals(folder, function));
            answers.push(self.seal(contract).is_some_and(|seal| seals.contains(&seal)));
        }
        answers
    }

    fn remember(&self, contracts: &[ContractId]) {
        let Some(folder) = &self.save else { return };
        let mut new: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for contract in contracts {
            let Some(seal) = self.seal(contract) else { return };
            new.entry(&contract.function).or_default().insert(seal);
        }
        for (function, mut seals) in new {
            seals.append(&mut Self::seals(folder, function));
            let lines: String = seals.into_iter().map(|seal| seal + "\n").collect();
            if let Err(error) = Self::replace(&Self::confirmed(folder, function), lines.as_bytes()) {
                self.note(format!("confirmed contracts cannot be stored in `{}`: {error}", folder.shown()));
            }
        }
    }

    fn note(&self, text: String) {
        let Ok(mut notes) = self.notes.lock() else { return };
        if !notes.contains(&text) {
            notes.push(text);
        }
    }
}
