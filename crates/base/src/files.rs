//! Reads files that others wrote, within limits from the first byte on. Every file is read here.
//!
//! Only regular files are read. A FIFO would wait for a writer, a device may never end, and a file can be
//! larger than the memory. An input of such a kind is an error, however it was named. The process neither
//! hangs nor grows.

use std::fmt;
use std::fs::{File, FileType, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// The largest source, proof, or witness.
pub const LARGE: u64 = 256 << 20;
/// The largest file that is written by hand: settings, properties, tasks, configurations.
pub const SMALL: u64 = 4 << 20;

/// Why a file was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unreadable {
    NotFound,
    Permission,
    /// What it is instead of a regular file.
    NotAFile(&'static str),
    /// It has more bytes than this.
    TooLarge(u64),
    NotText,
    /// An error of the system, in its words.
    Other(String),
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound => f.write_str("there is no such file"),
            Self::Permission => f.write_str("no permission to read it"),
            Self::NotAFile(what) => write!(f, "it is {what}"),
            Self::TooLarge(limit) => write!(f, "it is larger than {} MB", limit >> 20),
            Self::NotText => f.write_str("it is not text in UTF-8"),
            Self::Other(words) => f.write_str(words),
        }
    }
}

impl std::error::Error for Unreadable {}

impl From<io::Error> for Unreadable {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::NotFound => Self::NotFound,
            ErrorKind::PermissionDenied => Self::Permission,
            ErrorKind::IsADirectory => Self::NotAFile("a directory"),
            _ => Self::Other(error.to_string()),
        }
    }
}

/// The bytes of a regular file of at most `limit` bytes.
pub fn read(path: &Path, limit: u64) -> Result<Vec<u8>, Unreadable> {
    let mut file = open(path)?;
    let size = file.metadata()?.len();
    if size > limit {
        return Err(Unreadable::TooLarge(limit));
    }
    // It may grow while it is read.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    file.by_ref().take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(Unreadable::TooLarge(limit)) } else { Ok(bytes) }
}

/// The same as text.
pub fn read_text(path: &Path, limit: u64) -> Result<String, Unreadable> {
    String::from_utf8(read(path, limit)?).map_err(|_| Unreadable::NotText)
}

/// Opens a regular file. The kind is asked of the open file, which can no longer be replaced.
fn open(path: &Path) -> Result<File, Unreadable> {
    /// With this flag, opening a FIFO does not wait for a writer.
    const NONBLOCK: i32 = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path).map_err(|error| {
        // Sockets and some devices cannot be opened at all.
        let kind = std::fs::metadata(path).ok().and_then(|about| other_kind(about.file_type()));
        kind.map_or_else(|| error.into(), Unreadable::NotAFile)
    })?;
    match other_kind(file.metadata()?.file_type()) {
        Some(what) => Err(Unreadable::NotAFile(what)),
        None => Ok(file),
    }
}

/// The kind of the file in words; None for a regular file.
fn other_kind(kind: FileType) -> Option<&'static str> {
    let kinds = [
        (kind.is_dir(), "a directory"),
        (kind.is_fifo(), "a pipe"),
        (kind.is_socket(), "a socket"),
        (kind.is_char_device() || kind.is_block_device(), "a device"),
    ];
    let named = kinds.iter().find_map(|&(is_so, name)| is_so.then_some(name));
    named.or((!kind.is_file()).then_some("no regular file"))
}

/// What the path leads to, if it exists and is not a regular file.
pub fn not_a_file(path: &Path) -> Option<&'static str> {
    other_kind(std::fs::metadata(path).ok()?.file_type())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn only_regular_files_are_read() {
        let folder = std::env::temp_dir().join(format!("summa-files-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let (plain, fifo, link) = (folder.join("plain"), folder.join("fifo"), folder.join("link"));
        std::fs::write(&plain, "text").expect("a file");
        assert_eq!(read_text(&plain, 4).as_deref(), Ok("text"));
        assert_eq!(read_text(&plain, 3), Err(Unreadable::TooLarge(3)));
        assert_eq!(read(&folder, 9), Err(Unreadable::NotAFile("a directory")));
        assert_eq!(read(&folder.join("none"), 9), Err(Unreadable::NotFound));
        assert_eq!(read(Path::new("/dev/zero"), 9), Err(Unreadable::NotAFile("a device")));
        std::os::unix::fs::symlink("/dev/urandom", &link).expect("a link");
        assert_eq!(read(&link, 9), Err(Unreadable::NotAFile("a device")));
        if Command::new("mkfifo").arg(&fifo).status().is_ok_and(|status| status.success()) {
            assert_eq!(read(&fifo, 9), Err(Unreadable::NotAFile("a pipe")), "nobody writes");
        }
        std::fs::write(&plain, [0xff]).expect("a file");
        assert_eq!(read_text(&plain, 4), Err(Unreadable::NotText));
        std::fs::remove_dir_all(&folder).expect("the folder");
    }
}
