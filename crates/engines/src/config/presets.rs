//! The configurations that are compiled in.

/// A configuration of the house.
#[derive(Clone, Copy, Debug)]
pub struct Preset {
    pub name: &'static str,
    /// The file as it is: `summa configs NAME` prints it.
    pub text: &'static str,
}

macro_rules! presets {
    ($($name:literal,)*) => {
        &[$(Preset { name: $name, text: include_str!(concat!("../../presets/", $name, ".toml")) },)*]
    };
}

/// Simple ones first.
pub const PRESETS: &[Preset] = presets![
    "bmc",
    "k-induction",
    "predicate",
    "impact",
    "value",
    "value-cegar",
    "value+interval",
    "value+predicate",
    "interval",
    "octagon",
    "symbolic-execution",
    "value-bam",
    "value-bam-rec",
    "interval-bam",
    "interval-bam-rec",
    "interval+linear-bam-rec",
    "octagon-bam-rec",
    "predicate-bam",
    "predicate-bam-rec",
    "value+predicate-bam",
    "value+predicate-bam-rec",
];
