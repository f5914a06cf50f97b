//! What tests read from the environment: each makes a test larger, or chooses what it looks at.
//!
//! Without any of them a test does what `make test` needs. No other file of the workspace reads such a
//! variable (`crates/cli/tests/tidy.rs`), and CONTRIBUTING.md has the table of all: `UPDATE_GOLDEN=1 cargo
//! test -p summa-testkit --test knobs` writes it.

/// A variable of the environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Knob {
    pub variable: &'static str,
    /// The tests that read it.
    pub tests: &'static str,
    pub what: &'static str,
}

impl Knob {
    /// The number that it is set to, or what the test takes otherwise.
    pub fn or(&self, otherwise: u64) -> u64 {
        self.text().and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    }

    pub fn text(&self) -> Option<String> {
        std::env::var(self.variable).ok()
    }

    pub fn is_set(&self) -> bool {
        std::env::var_os(self.variable).is_some()
    }
}

macro_rules! knobs {
    ($($field:ident: $variable:literal, $tests:literal, $what:literal;)*) => {
        /// All of them.
        #[derive(Debug)]
        pub struct Knobs {
            $(#[doc = $what] pub $field: Knob,)*
        }

        pub const KNOBS: Knobs = Knobs {
            $($field: Knob { variable: $variable, tests: $tests, what: $what },)*
        };

        impl Knobs {
            /// In the order of the table.
            pub const ALL: &[Knob] = &[$(KNOBS.$field,)*];
        }
    };
}

knobs! {
    tasks: "SUMMA_TASKS", "all tests over the task set",
        "folder of the task set, with its `manifest.csv` (otherwise beside the workspace)";
    tasks_step: "SUMMA_TASKS_STEP", "tests over the task set", "every how many-th task is taken; 1 takes all";
    tasks_seconds: "SUMMA_TASKS_SECONDS", "`interval_tasks`, `value_tasks`", "limit for each task";
    tasks_category: "SUMMA_TASKS_CATEGORY", "`interval_tasks`, `value_tasks`",
        "only tasks whose category contains this text";
    tasks_verbose: "SUMMA_TASKS_VERBOSE", "`interval_tasks`", "if set: what became of each task";
    breadth: "SUMMA_BREADTH", "`value_tasks`", "if set: explores breadth-first";
    pivot: "SUMMA_PIVOT", "`value_tasks`", "if set: refinement cuts the graph at the pivot";
    location: "SUMMA_LOCATION", "`value_tasks`", "if set: refinement is for locations";
    reasons: "SUMMA_REASONS", "`value_tasks`", "how many reasons of a path are looked for";
    truth_paths: "SUMMA_TRUTH_PATHS", "`truth`, `truth_model`, `paths_follow`, `summaries_follow`",
        "how many paths of each program are followed";
    truth_seeds: "SUMMA_TRUTH_SEEDS", "the same", "how many random programs";
    truth_first_seed: "SUMMA_TRUTH_FIRST_SEED", "`truth_model`", "the first of them";
    truth_programs: "SUMMA_TRUTH_PROGRAMS", "`truth` and those beside it",
        "folder of other programs, instead of those of the workspace";
    differential: "SUMMA_DIFFERENTIAL", "`differential`", "how many random programs";
    differential_typed: "SUMMA_DIFFERENTIAL_TYPED", "`differential`",
        "how many random programs about types, builtins and calls";
    differential_members: "SUMMA_DIFFERENTIAL_MEMBERS", "`differential`",
        "how many random programs whose accesses leave members";
    differential_from: "SUMMA_DIFFERENTIAL_FROM", "`differential`", "the first seed";
    differential_ms: "SUMMA_DIFFERENTIAL_MS", "`differential`",
        "limit for each engine and program, in milliseconds";
    environment: "SUMMA_ENVIRONMENT", "`environment`", "how many random programs about what is around them";
    environment_ms: "SUMMA_ENVIRONMENT_MS", "`environment`",
        "limit for each engine and program, in milliseconds";
    families: "SUMMA_FAMILIES", "`families`",
        "how many random programs about rounding and indeterminate bytes";
    families_ms: "SUMMA_FAMILIES_MS", "`families` of engines",
        "limit for each engine and program, in milliseconds";
    typed: "SUMMA_TYPED", "`typed`", "how many random programs about types, builtins and calls";
    typed_from: "SUMMA_TYPED_FROM", "`typed`", "the first seed";
    controllers: "SUMMA_CONTROLLERS", "`controllers`", "how many controllers";
    controllers_folder: "SUMMA_CONTROLLERS_FOLDER", "`controllers`", "folder in which their texts are kept";
    cells: "SUMMA_CELLS", "`cells`", "how many random programs with arrays";
    proofs: "SUMMA_PROOFS", "`proofs`", "how many tasks are proved";
    proofs_presets: "SUMMA_PROOFS_PRESETS", "`proofs`", "only these presets";
    proofs_category: "SUMMA_PROOFS_CATEGORY", "`proofs`", "only tasks whose category contains this text";
    proofs_ms: "SUMMA_PROOFS_MS", "`proofs`", "limit for each engine and task, in milliseconds";
    proofs_seed: "SUMMA_PROOFS_SEED", "`proofs`", "the seed by which tasks are chosen";
    refused: "SUMMA_REFUSED", "`refused`", "how many random programs";
    refused_seed: "SUMMA_REFUSED_SEED", "`refused`", "the first seed";
    refused_ms: "SUMMA_REFUSED_MS", "`refused`", "limit for each engine and program, in milliseconds";
    forgeries: "SUMMA_FORGERIES", "`forgeries`", "how many programs with an error";
    forgeries_from: "SUMMA_FORGERIES_FROM", "`forgeries`", "the first of them";
    forgeries_edits: "SUMMA_FORGERIES_EDITS", "`forgeries`", "how many edits of each proof";
    forged_summaries: "SUMMA_FORGED_SUMMARIES", "`summaries` of cli",
        "how many programs whose stored summaries are edited";
    bam_seeds: "SUMMA_BAM_SEEDS", "`bam`, `predicate_summaries`", "how many random recursive programs";
    seeds: "SUMMA_SEEDS", "`summaries` of domains", "how many random recursive programs";
    mutants: "SUMMA_MUTANTS", "`mutants`", "how many broken programs";
    first_mutant: "SUMMA_FIRST_MUTANT", "`mutants` of cli", "the first of them";
    conversion_rounds: "SUMMA_CONVERSION_ROUNDS", "`conversion`", "how many random formulas";
    python: "SUMMA_PYTHON", "`second_solver`", "the Python that has the second solver's module";
}
