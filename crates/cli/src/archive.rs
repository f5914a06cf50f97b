//! Stored summaries as files of a folder, one for each function. Nothing that goes wrong here is an error of the run: there are fewer
//! summaries then, and a note.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use summa_engines::Archive;

/// Larger files are not read: no run stores so much about one function.
const MAX_BYTES: u64 = 256 << 20;

pub(crate) struct Folder {
    load: Option<PathBuf>,
    save: Option<PathBuf>,
    notes: Mutex<Vec<String>>,
}

impl Folder {
    /// # Errors
    /// The folder to write to does not exist and cannot be made.
    pub(crate) fn new(load: Option<PathBuf>, save: Option<PathBuf>) -> Result<Self, String> {
        if let Some(folder) = &save {
            std::fs::create_dir_all(folder)
                .map_err(|error| format!("cannot make the folder `{}`: {error}", folder.display()))?;
        }
        Ok(Self { load, save, notes: Mutex::default() })
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.notes.lock().map(|mut notes| std::mem::take(&mut *notes)).unwrap_or_default()
    }

    fn file(folder: &Path, name: &str) -> PathBuf {
        folder.join(format!("{name}.summary"))
    }

    /// Under another name first, so that a reader never sees half a file.
    fn replace(folder: &Path, name: &str, content: &[u8]) -> std::io::Result<()> {
        let draft = folder.join(format!("{name}.{}.draft", std::process::id()));
        std::fs::write(&draft, content)?;
        std::fs::rename(&draft, Self::file(folder, name)).inspect_err(|_| {
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
        if std::fs::metadata(&file).ok()?.len() > MAX_BYTES {
            self.note(format!("`{}` is too large", file.display()));
            return None;
        }
        std::fs::read(&file)
            .inspect_err(|error| self.note(format!("cannot read `{}`: {error}", file.display())))
            .ok()
    }

    fn write(&self, name: &str, content: &[u8]) {
        let Some(folder) = &self.save else { return };
        if let Err(error) = Self::replace(folder, name, content) {
            self.note(format!("summaries cannot be stored in `{}`: {error}", folder.display()));
        }
    }

    fn note(&self, text: String) {
        let Ok(mut notes) = self.notes.lock() else { return };
        if !notes.contains(&text) {
            notes.push(text);
        }
    }
}
