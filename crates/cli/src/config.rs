//! The configuration that a user names: a preset or a file.

use crate::args::EncodingName;
use std::path::Path;
use summa_base::files;
use summa_engines::Config;
use summa_engines::config::EncodingChoice;

/// A preset by its name, else the file at this path; `Err` is a message for the user.
pub(crate) fn load(name_or_path: &str, encoding: Option<EncodingName>) -> Result<Config, String> {
    let path = Path::new(name_or_path);
    let looks_like_file =
        path.extension().is_some_and(|extension| extension == "toml") || name_or_path.contains('/');
    let config = if looks_like_file {
        let text = files::read_text(path, files::SMALL)
            .map_err(|error| format!("cannot read the configuration `{name_or_path}`: {error}"))?;
        Config::parse(name_or_path, &text)
    } else {
        Config::preset(name_or_path)
    };
    let mut config = config.map_err(|error| error.to_string())?;
    if let Some(encoding) = encoding {
        config.encoding = match encoding {
            EncodingName::Auto => EncodingChoice::Auto,
            EncodingName::Int => EncodingChoice::Int,
            EncodingName::Bitvector => EncodingChoice::Bitvector,
        };
    }
    Ok(config)
}
