//! The section `[bam]`: with it, blocks of the program are analysed on their own and summarised.

use serde::Deserialize;

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct BamConfig {
    pub blocks: BlockChoice,
    /// Functions without summaries of their own, because few calls would share them: those that are called
    /// from one place only, and those whose copies after the first have at most this many edges together.
    /// They are parts of their callers. With 0 every function is summarised, as it always is where summaries
    /// are printed or stored.
    pub inline: u32,
    /// Functions are summarised for every caller, and recursion is a fixed point of summaries; without it
    /// (BAM intraprocedural) a summary is for one call stack, and a recursive call ends the analysis.
    pub recursion: bool,
    /// An entry of a block that is entered from within itself more often than this is widened.
    pub widen_after: u32,
    /// Summaries of weaker entries are used until they turn out to be too weak; needs `cegar`.
    pub borrow: bool,
}

impl Default for BamConfig {
    fn default() -> Self {
        Self { blocks: BlockChoice::Functions, inline: 0, recursion: true, widen_after: 500, borrow: false }
    }
}

/// What is a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BlockChoice {
    #[default]
    Functions,
    FunctionsAndLoops,
}

impl BlockChoice {
    pub fn name(self) -> &'static str {
        match self {
            Self::Functions => "functions",
            Self::FunctionsAndLoops => "functions and loops",
        }
    }
}
