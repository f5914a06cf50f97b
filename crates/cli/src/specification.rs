//! The property that a user names: a short name, or a file in the words of the software-verification
//! competition.

use std::fmt;
use std::path::Path;
use summa_base::files;
use summa_base::plain::Shown;
use summa_verify::{Malformed, Property, Specification};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PropertyError {
    /// Neither a known name nor a file: a mistake on the command line.
    NoSuchProperty(String),
    Unreadable(String),
    Malformed(Malformed),
}

impl fmt::Display for PropertyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoSuchProperty(name) => write!(
                f,
                "`{name}` is neither a property file nor one of: unreach-call, no-overflow, \
                 division-by-zero, shift, valid-memsafety, valid-deref, valid-free, valid-memtrack, \
                 valid-memcleanup, termination, no-data-race"
            ),
            Self::Unreadable(message) => f.write_str(message),
            Self::Malformed(malformed) => write!(f, "{malformed}"),
        }
    }
}

impl From<Malformed> for PropertyError {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// From the argument of `--property`: a short name, else the path of a property file.
pub(crate) fn from_argument(argument: &str) -> Result<Specification, PropertyError> {
    if let Some(property) = Property::by_name(argument) {
        return Ok(Specification::from(property));
    }
    let path = Path::new(argument);
    if path.extension().is_none() && !path.exists() {
        return Err(PropertyError::NoSuchProperty(argument.to_owned()));
    }
    from_file(path)
}

pub(crate) fn from_file(path: &Path) -> Result<Specification, PropertyError> {
    let file = path.shown().to_string();
    match files::read_text(path, files::SMALL) {
        Ok(text) => Ok(Specification::parse(&file, &text)?),
        Err(error) => {
            Err(PropertyError::Unreadable(format!("cannot read the property file `{file}`: {error}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_an_error() {
        assert!(matches!(from_argument("unreach"), Err(PropertyError::NoSuchProperty(_))));
        assert!(matches!(from_argument("no/such.prp"), Err(PropertyError::Unreadable(_))));
    }
}
