//! What is around a program means the same to executions and to all engines: on random programs about failing
//! allocations, volatile objects and arguments, whose truth is known, no answer contradicts it, and every
//! error replays.
//!
//! A sample of fixed seeds runs always; `SUMMA_ENVIRONMENT=2000` takes so many. Time only decides how often
//! there is an answer.

use std::time::Duration;
use summa_base::Budget;
use summa_cfa::{EdgeId, Op};
use summa_engines::{Choice, Claim, Config, Outcome, Task, run};
use summa_facts::Analyses;
use summa_interp::{End, List, Policy, Program, Random};
use summa_proof::check_and_trim;
use summa_testkit::programs::automata_around;
use summa_testkit::{AboutEnvironment, KNOBS, generate_environment, replays};

const CONFIGS: [&str; 6] =
    ["bmc", "k-induction", "value-cegar", "predicate", "interval", "symbolic-execution"];
const EXECUTIONS: u64 = 300;

#[test]
fn executions_agree_with_the_truth() {
    let (mut found, mut unsafe_ones) = (0, 0);
    for seed in 0..KNOBS.environment.or(200) {
        let AboutEnvironment { text, environment, is_safe } = generate_environment(seed);
        let cfa = automata_around(&text, environment);
        let program = Program::new(&cfa);
        let policy = Policy { max_steps: 20_000, max_memory: 1 << 20, ..Policy::reachability() };
        let fails = (0..EXECUTIONS).any(|draw| {
            let outcome = summa_interp::run(&program, &mut Random::new(draw), &policy);
            let is_error = matches!(outcome.end, End::Error { .. });
            if is_error {
                let again = summa_interp::run(&program, &mut List::replay(&outcome.inputs), &policy);
                assert_eq!((&again.end, again.steps), (&outcome.end, outcome.steps), "{text}");
            }
            is_error
        });
        assert!(!(fails && is_safe), "seed {seed}: an execution fails\n{text}");
        unsafe_ones += usize::from(!is_safe);
        found += usize::from(fails);
    }
    assert!(unsafe_ones > 40 && 2 * found > unsafe_ones, "{found} of {unsafe_ones} errors are found");
}

#[test]
fn engines_agree_with_the_truth() {
    let time = Duration::from_millis(KNOBS.environment_ms.or(150));
    let configs: Vec<Config> = CONFIGS.iter().map(|name| Config::preset(name).unwrap()).collect();
    for seed in 0..KNOBS.environment.or(40) {
        let AboutEnvironment { text, environment, is_safe } = generate_environment(seed);
        let cfa = automata_around(&text, environment);
        let facts = Analyses::new(&cfa);
        let is_error = |edge: EdgeId| matches!(cfa.edges[edge].op, Op::Error { .. });
        let replay = |choices: &[Choice]| replays(&cfa, choices.iter().map(|c| (&c.input, c.value.as_ref())));
        for config in &configs {
            let task = Task::new(&cfa, &facts, Budget::with_time(time), &is_error);
            let report = run(config, &task, &mut |choices| replay(choices));
            match report.outcome {
                Outcome::Claimed(Claim { proof: Ok(mut proof), .. }) if !is_safe => {
                    let budget = Budget::unlimited();
                    let checked =
                        check_and_trim(&cfa, &facts, &is_error, &mut proof, (&budget, None), &|_| false);
                    assert!(checked.is_err(), "seed {seed}: {} proves what is wrong\n{text}", config.name);
                }
                Outcome::Error { inputs, .. } => {
                    assert!(replay(&inputs), "seed {seed}: {}: no replay\n{text}", config.name);
                    assert!(!is_safe, "seed {seed}: {} finds an error\n{text}", config.name);
                }
                _ => {}
            }
        }
    }
}
