//! Headers that are not regular files, which a compiler would read without end or wait for.
//!
//! `#include "/dev/urandom"` never ends, and a FIFO waits for a writer. So the directives of the sources are
//! followed before the preprocessor is started, through all headers of the user's folders, ignoring
//! conditions. Limits: names that macros make, and headers that headers of the system include, are left to
//! the preprocessor and its limits.

use super::{LoadError, PreprocessOptions};
use crate::source::decode;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use summa_base::files;
use summa_base::plain::Shown;

/// After this many headers the rest is left to the limits.
const MAX_HEADERS: usize = 20_000;
/// Larger headers are not looked into.
const MAX_HEADER: u64 = 16 << 20;

/// Is every header that the file can include a regular file?
pub(super) fn check(path: &Path, text: &str, options: &PreprocessOptions) -> Result<(), LoadError> {
    let mut seen = BTreeSet::new();
    let mut todo: Vec<PathBuf> = Vec::new();
    let (folders, files) = options.headers();
    for file in &files {
        found(path, file, file, &mut seen, &mut todo)?;
    }
    names_in(text, path, path, &folders, &mut seen, &mut todo)?;
    while let Some(header) = todo.pop() {
        if seen.len() > MAX_HEADERS {
            break;
        }
        if let Ok(bytes) = files::read(&header, MAX_HEADER) {
            names_in(&decode(bytes), path, &header, &folders, &mut seen, &mut todo)?;
        }
    }
    Ok(())
}

/// Looks up what the text of `file` includes.
fn names_in(
    text: &str,
    source: &Path,
    file: &Path,
    folders: &[PathBuf],
    seen: &mut BTreeSet<PathBuf>,
    todo: &mut Vec<PathBuf>,
) -> Result<(), LoadError> {
    let beside = file.parent().unwrap_or(Path::new(""));
    for (name, is_quoted) in included(text) {
        let near = is_quoted.then_some(beside);
        let folders = near.into_iter().chain(folders.iter().map(PathBuf::as_path));
        let candidates = folders.map(|folder| folder.join(name)).chain(absolute(name));
        if let Some(header) = candidates.into_iter().find(|candidate| candidate.exists()) {
            found(source, &header, Path::new(name), seen, todo)?;
        }
    }
    Ok(())
}

fn absolute(name: &str) -> Option<PathBuf> {
    Some(PathBuf::from(name)).filter(|path| path.is_absolute())
}

/// One header that is there.
fn found(
    source: &Path,
    header: &Path,
    name: &Path,
    seen: &mut BTreeSet<PathBuf>,
    todo: &mut Vec<PathBuf>,
) -> Result<(), LoadError> {
    match files::not_a_file(header) {
        // Compilers pass over folders.
        Some("a directory") | None => {}
        Some(what) => {
            let (source, name) = (source.shown(), name.shown());
            let message = format!("cannot read `{source}`: it includes `{name}`, which is {what}");
            return Err(LoadError::new(header, message));
        }
    }
    if seen.insert(header.to_owned()) {
        todo.push(header.to_owned());
    }
    Ok(())
}

/// The names in directives that include something, and whether they are quoted.
fn included(text: &str) -> impl Iterator<Item = (&str, bool)> {
    text.lines().filter_map(|line| {
        let line = line.trim_start();
        let directive = line.strip_prefix('#').or_else(|| line.strip_prefix("%:"))?.trim_start();
        let rest = ["include_next", "include", "import", "embed"]
            .iter()
            .find_map(|word| directive.strip_prefix(word))?
            .trim_start();
        let (end, is_quoted) = match rest.chars().next()? {
            '"' => ('"', true),
            '<' => ('>', false),
            _ => return None,
        };
        let name = rest[1..].split(end).next()?;
        Some((name, is_quoted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_found() {
        let text = "#include <a.h>\n  # include\t\"b/c.h\" // x\n%:include_next <d.h>\n#define X\n\
            #include M\nint include;\n";
        let all: Vec<_> = included(text).collect();
        assert_eq!(all, [("a.h", false), ("b/c.h", true), ("d.h", false)]);
    }
}
