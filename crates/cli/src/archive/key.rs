//! The secret with which a user's runs seal what they confirmed, so that later runs recognise it.
//!
//! The key is 32 random bytes in `$XDG_STATE_HOME/summa/key` (`~/.local/state/summa/key`), which no other
//! user may read or change. It is created when something is sealed for the first time. If there is no such
//! file, because there is no home folder or the file is accessible to others, nothing is recognised and
//! everything is confirmed again.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const BYTES: usize = 32;

pub(crate) struct Key([u8; BYTES]);

impl Key {
    /// The key of the user, if there is one that no other user can read.
    pub(crate) fn find() -> Option<Self> {
        let mut file = File::open(place()?).ok()?;
        let about = file.metadata().ok()?;
        if !about.is_file() || about.mode() & 0o077 != 0 || about.len() != BYTES as u64 {
            return None;
        }
        let mut bytes = [0; BYTES];
        file.read_exact(&mut bytes).ok()?;
        Some(Self(bytes))
    }

    /// The same, or a new one. If several runs make one at the same time, one of them wins.
    pub(crate) fn find_or_make() -> Option<Self> {
        Self::find().or_else(|| {
            let path = place()?;
            make(&path)?;
            Self::find()
        })
    }

    pub(crate) fn seal(&self, text: &str) -> String {
        blake3::keyed_hash(&self.0, text.as_bytes()).to_hex().to_string()
    }
}

fn place() -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let state = folder("XDG_STATE_HOME").or_else(|| Some(folder("HOME")?.join(".local/state")))?;
    Some(state.join("summa").join("key"))
}

/// Written under another name first, so that no process reads half a key, and an existing key stays.
fn make(path: &Path) -> Option<()> {
    let folder = path.parent()?;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).ok()?;
    let mut bytes = [0; BYTES];
    File::open("/dev/urandom").ok()?.read_exact(&mut bytes).ok()?;
    let draft = folder.join(format!("key.{}.draft", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft).ok()?;
    let is_written = file.write_all(&bytes).and_then(|()| std::fs::hard_link(&draft, path));
    let _ = std::fs::remove_file(&draft);
    is_written.ok()
}
