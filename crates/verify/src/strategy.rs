//! The automatic strategy: which engines run, in which order and for how long, by features of the program.
//!
//! 1. *A first look* ([`first_look`]). The engines that decide most programs get a moment each, before longer
//!    executions are tried. A program that is simple for one of them should not wait for the shares of
//!    others.
//! 2. *The plan* ([`plan`]). Cheap engines come first, with small shares of the time. An engine that ends
//!    without an answer leaves the rest of its share to those after it. [`crate::portfolio`] carries the plan
//!    out, one engine after the other or several at once.
//!
//! A program without inputs has a single execution. That execution is a proof, if nothing in it depends on
//! addresses. If it is long, it is a stage among the others. So are executions that continue others
//! (`executions/guided.rs`): they walk through a state machine in a second that no engine unrolls far
//! enough.
//!
//! Engines of one run share their results (`summa_engines`, `shared.rs`).

use crate::features::Features;
use std::time::Duration;
use summa_engines::config::{Algorithm, Config, ConfigError, EncodingChoice};

/// The name of the stage in which the program is executed.
pub const EXECUTION: &str = "execution";

/// What is done in a stage.
#[derive(Clone, Debug)]
pub enum Work {
    Engine(Config),
    /// The engine gets the program with cells instead of arrays (`summa_transform::cells`), and so can only
    /// prove.
    OnCells(Config),
    /// The program takes no inputs: its only execution is carried out.
    Execution,
    /// Executions that continue others, as long as they take new branches.
    Exploration,
}

/// One engine of a strategy.
#[derive(Clone, Debug)]
pub struct Stage {
    pub work: Work,
    /// Its share of the time that is left when it begins.
    pub share: f64,
    /// The most time that it gets.
    pub at_most: Duration,
    /// Its share is not less than this, as long as that is not more than half of the time left.
    pub at_least: Duration,
    /// Why it is there, for people.
    pub why: &'static str,
}

impl Stage {
    /// For people: the configuration, and its arithmetic where the plan says which.
    pub fn name(&self) -> String {
        let name = |config: &Config| match config.encoding {
            EncodingChoice::Auto => config.name.clone(),
            encoding => format!("{} ({})", config.name, encoding.name()),
        };
        match &self.work {
            Work::Engine(config) => name(config),
            Work::OnCells(config) => format!("{} on cells", name(config)),
            Work::Execution => EXECUTION.to_owned(),
            Work::Exploration => "executions".to_owned(),
        }
    }
}

/// The time of interval analysis for an operation of a function that it summarises, including the check of
/// its proof.
const SUMMARISING_AN_OPERATION: Duration = Duration::from_micros(100);

/// What a first look takes for a moment.
const MOMENT: Duration = Duration::from_millis(100);

/// What summaries of all functions take with the check of their proof: each function once, so it grows with
/// the program.
pub fn time_for_summaries(features: &Features) -> Duration {
    let size = u32::try_from(features.size).unwrap_or(u32::MAX);
    MOMENT.saturating_add(SUMMARISING_AN_OPERATION.saturating_mul(size))
}

/// Engines for a moment each, before anything that takes longer.
pub fn first_look(features: &Features) -> Result<Vec<Stage>, ConfigError> {
    use EncodingChoice::{Auto, Bitvector, Int};
    let mut plan = Plan::default();
    let [moment, longer, longest] = [MOMENT, 3 * MOMENT, 6 * MOMENT];
    let summaries = time_for_summaries(features);
    if features.recursion.is_some() {
        plan.look("interval-bam-rec", Auto, summaries)?;
        if features.checks {
            plan.look("octagon-bam-rec", Auto, moment)?;
        }
        plan.look("interval+linear-bam-rec", Auto, longer)?;
        plan.look("value+predicate-bam-rec", Auto, longer)?;
    } else {
        if features.has_many_functions() {
            plan.look("interval-bam-rec", Auto, summaries)?;
        }
        if features.checks {
            plan.look("interval", Auto, moment)?;
            plan.look("octagon", Auto, moment)?;
        }
        plan.look("value-cegar", Auto, moment)?;
        plan.look("predicate", Auto, longer)?;
        if features.arrays {
            // If this look fails, the stages before its share of the plan take seconds.
            plan.look("k-induction", Int, longest)?;
            plan.on_cells();
        }
        plan.look("k-induction", if features.bits() { Bitvector } else { Int }, longer)?;
    }
    Ok(plan.stages)
}

/// The engines for a program, in order.
pub fn plan(features: &Features) -> Result<Vec<Stage>, ConfigError> {
    use EncodingChoice::{Auto, Bitvector, Int};
    let mut plan = Plan::default();
    if features.recursion.is_some() {
        plan.add(
            "interval-bam-rec",
            Auto,
            0.02,
            "recursion needs summaries; intervals are the cheapest ones",
        )?;
        plan.add("octagon-bam-rec", Auto, 0.05, "what parameters are together, and not each alone")?;
        let cases = "interval+linear-bam-rec";
        plan.add(cases, Auto, 0.25, "recursion by cases, and by equations where they are many")?;
        if features.checks {
            let why = "the same with ranges that grow step by step, which equations may stop";
            plan.add(cases, Auto, 0.5, why)?;
            plan.grow_step_by_step()?;
        }
        plan.add("value+predicate-bam-rec", Auto, 0.45, "summaries that relate what goes in and comes out")?;
        plan.executions(features);
    } else {
        if features.has_many_functions() {
            let why = "with many functions, each is looked at once and not at every call";
            plan.add("interval-bam-rec", Auto, 0.1, why)?;
            plan.at_least(time_for_summaries(features));
        }
        if features.checks {
            plan.add("interval", Auto, 0.1, "most checks of arithmetic hold by the bounds of variables")?;
            plan.add("octagon", Auto, 0.05, "others hold by bounds of sums and differences")?;
        }
        plan.add("value-cegar", Auto, 0.06, "state machines and flags are decided by values")?;
        plan.executions(features);
        if features.arrays {
            plan.add("k-induction", Int, 0.25, "what arrays hold everywhere is what one cell holds")?;
            plan.on_cells();
        }
        if features.bits() && !features.floats() {
            let why = "induction where bits matter, before integers that would be inexact";
            plan.unroll(features, 0.2)?;
            plan.add("k-induction", Bitvector, 0.3, why)?;
        }
        plan.add("predicate", Auto, 0.12, "loops with few relations are decided by predicates")?;
        if features.inputs && features.loops > 0 {
            let why = "loops that soon end, whatever they compute: only the inputs are ranges";
            plan.add("value+interval", Auto, 0.04, why)?;
            plan.follow_all_values()?;
        }
    }
    if !features.inputs {
        let why = "without inputs there is one execution, and it may end";
        plan.push(Work::Execution, 0.4, why);
    }
    if features.floats() {
        plan.add("k-induction", Bitvector, 1.0, "floating point is exact only over bits")?;
    } else {
        let share = if features.bits() { 0.3 } else { 0.5 };
        plan.add("k-induction", Int, share, "induction, with linear invariants over integers")?;
        if !features.bits() {
            plan.unroll(features, 0.5)?;
        }
        plan.add("k-induction", Bitvector, 1.0, "induction where wrap-around and bits matter")?;
    }
    Ok(plan.stages)
}

#[derive(Default)]
struct Plan {
    stages: Vec<Stage>,
}

impl Plan {
    fn add(
        &mut self,
        name: &str,
        encoding: EncodingChoice,
        share: f64,
        why: &'static str,
    ) -> Result<(), ConfigError> {
        let config = Config { encoding, ..Config::preset(name)? };
        self.push(Work::Engine(config), share, why);
        Ok(())
    }

    fn push(&mut self, work: Work, share: f64, why: &'static str) {
        self.stages.push(Stage { work, share, at_most: Duration::MAX, at_least: Duration::ZERO, why });
    }

    fn look(&mut self, name: &str, encoding: EncodingChoice, at_most: Duration) -> Result<(), ConfigError> {
        let work = Work::Engine(Config { encoding, ..Config::preset(name)? });
        let (at_least, why) = (Duration::ZERO, "a first look");
        self.stages.push(Stage { work, share: 1.0, at_most, at_least, why });
        Ok(())
    }

    /// The share of the last stage grows with the program.
    fn at_least(&mut self, time: Duration) {
        if let Some(stage) = self.stages.last_mut() {
            stage.at_least = time;
        }
    }

    /// The last stage gets the program with cells instead of arrays.
    fn on_cells(&mut self) {
        if let Some(Stage { work, .. }) = self.stages.last_mut()
            && let Work::Engine(config) = work
        {
            *work = Work::OnCells(config.clone());
        }
    }

    /// In the last stage every value that is known is followed, without refinement.
    fn follow_all_values(&mut self) -> Result<(), ConfigError> {
        if let Some(Stage { work: Work::Engine(config), .. }) = self.stages.last_mut() {
            config.algorithm = Algorithm::Reachability;
            config.set("value", "precision", "all")?;
        }
        Ok(())
    }

    /// In the last stage, ranges of entries grow step by step, and equations learn which variables have a
    /// single value.
    fn grow_step_by_step(&mut self) -> Result<(), ConfigError> {
        if let Some(Stage { work: Work::Engine(config), .. }) = self.stages.last_mut() {
            config.set("interval", "entry-steps", true)?;
            config.reduce_first("interval->linear")?;
        }
        Ok(())
    }

    /// Unrolls loops in bit-vectors.
    fn unroll(&mut self, features: &Features, share: f64) -> Result<(), ConfigError> {
        if features.loops > 0 {
            let why = "errors that some rounds of loops lead to: bits are the fastest way there";
            self.add("bmc", EncodingChoice::Bitvector, share, why)?;
        }
        Ok(())
    }

    /// Executions that continue others, if there is more than one input.
    fn executions(&mut self, features: &Features) {
        if features.inputs && features.loops > 0 {
            let why = "inputs of a loop lead further when those before them did";
            self.push(Work::Exploration, 0.15, why);
        }
    }
}
