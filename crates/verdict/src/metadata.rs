//! Metadata of all exchange formats: who made this, when, about which files and which property.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};
use summa_base::files;
use summa_c::types::DataModel;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    pub producer: String,
    pub version: String,
    pub files: Vec<File>,
    /// Lines of the form `CHECK( init(main()), LTL(…) )`.
    pub specification: String,
    pub model: DataModel,
    /// ISO 8601, in UTC.
    pub creation_time: String,
}

/// An input file, as the user named it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    pub name: String,
    /// SHA-256, in hexadecimal digits.
    pub hash: String,
}

impl File {
    /// A file that can be read; otherwise the hash is that of nothing.
    pub fn read(path: &Path) -> Self {
        let hash =
            files::read(path, files::LARGE).map(|bytes| sha256(&bytes)).unwrap_or_else(|_| sha256(b""));
        Self { name: path.display().to_string(), hash }
    }
}

impl Metadata {
    /// About these files, made now.
    pub fn now(files: &[PathBuf], specification: String, model: DataModel) -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        Self {
            producer: "Summa".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files: files.iter().map(|file| File::read(file)).collect(),
            specification,
            model,
            creation_time: iso_8601(now),
        }
    }

    pub(crate) fn producer(&self) -> String {
        format!("{} {}", self.producer, self.version)
    }

    pub(crate) fn architecture(&self) -> &'static str {
        match self.model {
            DataModel::Ilp32 => "32bit",
            DataModel::Lp64 => "64bit",
        }
    }

    /// A name for the document, the same for the same content at the same time. Formats require a UUID of RFC
    /// 4122, which has no version for other hashes. So it looks like one of random bits (version 4), for
    /// which the bits of a hash serve as well.
    pub(crate) fn uuid(&self, content: &str) -> String {
        let mut digits: Vec<u8> = sha256(format!("{self:?}{content}").as_bytes()).into_bytes();
        digits.truncate(32);
        digits[12] = b'4';
        digits[16] = b'a';
        let text = String::from_utf8_lossy(&digits).into_owned();
        format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
    }
}

pub(crate) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Seconds since 1970 as a date and time (the civil calendar from days, after H. Hinnant).
fn iso_8601(seconds: u64) -> String {
    let (days, time) = (seconds / 86_400, seconds % 86_400);
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", time / 3600, time / 60 % 60, time % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_those_of_the_calendar() {
        assert_eq!(iso_8601(0), "1970-01-01T00:00:00Z");
        assert_eq!(iso_8601(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(iso_8601(1_794_727_845), "2026-11-15T07:30:45Z");
    }

    #[test]
    fn names_and_hashes_have_their_form() {
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256(b"abc"), hash);
        let metadata = Metadata::now(&[], String::new(), DataModel::Lp64);
        let uuid = metadata.uuid("x");
        assert_eq!(uuid.len(), 36);
        assert_eq!(uuid, metadata.uuid("x"));
        assert_ne!(uuid, metadata.uuid("y"));
        assert_eq!((&uuid[14..15], &uuid[19..20], &uuid[23..24]), ("4", "a", "-"));
    }
}
