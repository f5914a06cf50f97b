//! Generated controllers have the truth that the generator says: random steps violate those with a bug, and
//! never the others.
//!
//! `SUMMA_CONTROLLERS=200` takes so many seeds; `SUMMA_CONTROLLERS_FOLDER` keeps their texts, for
//! measurements.

#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_c::types::DataModel;
use summa_interp::{InputRequest, InputSource, InputValue, Policy, Program, Scalar};
use summa_testkit::generate::{LEAST, range};
use summa_testkit::{KNOBS, Random, automata_in, generate_controller};

/// Inputs that the programs accept.
struct Steps(Random);

impl InputSource for Steps {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        let random = &mut self.0;
        let (bytes, is_float) = match request.scalar {
            Scalar::I8 | Scalar::U8 => (1, false),
            Scalar::I16 | Scalar::U16 => (2, false),
            Scalar::F32 => (4, true),
            Scalar::F64 => (8, true),
            _ => (4, false),
        };
        let most = range(bytes, is_float);
        // Small ones meet each other more often.
        let most = if random.chance(50) { most.min(25) } else { most };
        let whole = random.between(-most, most);
        Some(if is_float {
            let value = whole as f64 * LEAST * *random.pick(&[1.0, 3.0, 1024.0]);
            InputValue::Float(if value.abs() < LEAST { LEAST } else { value.clamp(-1e8, 1e8) })
        } else {
            InputValue::Int(whole.into())
        })
    }
}

#[test]
fn the_truth_is_as_the_generator_says() {
    let (mut safe, mut wrong) = (0, 0);
    for seed in 0..KNOBS.controllers.or(24) {
        let controller = generate_controller(seed);
        if let Some(folder) = KNOBS.controllers_folder.text() {
            let truth = if controller.is_safe { "true" } else { "false" };
            std::fs::write(format!("{folder}/{seed:03}-{truth}.c"), &controller.text).unwrap();
        }
        let cfa = automata_in(DataModel::Ilp32, &controller.text);
        let program = Program::new(&cfa);
        let policy = Policy { max_steps: 400_000, ..Policy::reachability() };
        let outcome = summa_interp::run(&program, &mut Steps(Random::new(seed)), &policy);
        assert_eq!(outcome.is_error(), !controller.is_safe, "seed {seed}:\n{}", controller.text);
        assert!(outcome.is_error() || outcome.steps > 100_000, "seed {seed}: the inputs are refused");
        (safe, wrong) = (safe + u32::from(controller.is_safe), wrong + u32::from(!controller.is_safe));
    }
    assert!(safe > 5 && wrong > 5, "both occur: {safe} and {wrong}");
}

#[test]
fn seeds_repeat() {
    assert_eq!(generate_controller(3).text, generate_controller(3).text);
    assert_ne!(generate_controller(3).text, generate_controller(4).text);
}
