//! `summa configs`: the engines by name, or the file behind one.

use crate::args::Configs;
use crate::console::Console;
use crate::verdict::Exit;
use summa_engines::Config;
use summa_engines::config::PRESETS;

pub(crate) fn list(options: &Configs) -> Exit {
    let report = Console::new(false);
    if let Some(name) = &options.name {
        return match PRESETS.iter().find(|preset| preset.name == name) {
            Some(preset) => {
                report.raw(preset.text.as_bytes());
                Exit::Holds
            }
            None => {
                // The message suggests similar names.
                let message =
                    Config::preset(name).map_or_else(|error| error.to_string(), |config| config.name);
                report.error(&message);
                Exit::Usage
            }
        };
    }
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    for preset in PRESETS {
        match Config::preset(preset.name) {
            Ok(config) => report.line(format_args!("{:width$}  {}", preset.name, config.description)),
            Err(error) => report.error(&error.to_string()),
        }
    }
    Exit::Holds
}
