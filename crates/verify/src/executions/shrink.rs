//! A simpler execution with the same violation: fewer inputs, smaller inputs, fewer steps. Reports, harnesses
//! and witnesses show this execution.
//!
//! Inputs from a search or a solver are arbitrary: `2147471360` where any positive number would do, a hundred
//! rounds where three are enough. Testing tools shrink such inputs (Zeller, Hildebrandt: *Simplifying and
//! isolating failure-inducing input*, 2002), and so does Summa. Parts of the inputs are left out or set to
//! zero, large parts first. Then single inputs are moved towards zero. A change is kept if the execution ends
//! in the same violation at the same place.
//!
//! Limits: the number of steps is limited, so long executions stay as they are. Inputs are changed one at a
//! time, so inputs that must be equal or add up stay. An execution in which an allocation fails is not
//! touched.

use super::judge::{doubt, policy_for, violated};
use super::{MAX_MEMORY, ReplayedViolation, Search, Violation};
use crate::property::Property;
use std::collections::VecDeque;
use summa_base::Budget;
use summa_cfa::{Cfa, environment};
use summa_interp::{InputRequest, InputSource, InputValue, Outcome, Policy, Program, Scalar, Zeros};

/// Steps of all executions that are tried.
const STEPS: u64 = 4_000_000;
/// An execution is given up if it is this many steps longer than the best one so far.
const MORE_STEPS: u64 = 200;
/// How often everything is tried again, because what was changed may allow for more.
const ROUNDS: usize = 3;

/// The violation with a simpler execution, which was repeated as the first one was.
pub fn shrink(
    cfa: &Cfa,
    property: &Property,
    violation: ReplayedViolation,
    budget: &Budget,
) -> ReplayedViolation {
    if violation.outcome.steps > STEPS / 4 {
        return violation;
    }
    let program = Program::new(cfa);
    let policy = Policy { budget: budget.clone(), max_memory: MAX_MEMORY, ..policy_for(property) };
    let mut shrinker = Shrinker { program, policy, property, violation: &violation, best: None, left: STEPS };
    for _ in 0..ROUNDS {
        let before = shrinker.cost();
        shrinker.in_parts(|_| None);
        shrinker.in_parts(|_| Some(InputValue::Int(0)));
        shrinker.towards_zero();
        if shrinker.cost() == before {
            break;
        }
    }
    let Some(best) = shrinker.best.take() else { return violation };
    let mut search = Search::default();
    search.take(&shrinker.program, &shrinker.policy, property, best);
    search.violation.unwrap_or(violation)
}

struct Shrinker<'s> {
    program: Program<'s>,
    policy: Policy,
    property: &'s Property,
    violation: &'s Violation,
    /// The best execution so far, simpler than that of the violation.
    best: Option<Outcome>,
    /// The steps that may still be made.
    left: u64,
}

impl Shrinker<'_> {
    fn outcome(&self) -> &Outcome {
        self.best.as_ref().unwrap_or(&self.violation.outcome)
    }

    fn cost(&self) -> Cost {
        cost(self.outcome())
    }

    /// The inputs that can be chosen, with their types.
    fn inputs(&self) -> Vec<(Scalar, InputValue)> {
        self.outcome().inputs.iter().map(|input| (input.request.scalar, input.value())).collect()
    }

    /// Is an execution with these inputs simpler, with the same violation? Then it is the best one from now
    /// on.
    fn attempt(&mut self, values: Vec<InputValue>) -> bool {
        let max_steps = self.left.min(self.outcome().steps + MORE_STEPS);
        if max_steps == 0 || self.policy.budget.check_now().is_err() {
            return false;
        }
        let policy = Policy { max_steps, ..self.policy.clone() };
        let mut inputs = Chosen { values: values.into() };
        let outcome = summa_interp::run(&self.program, &mut inputs, &policy);
        self.left = self.left.saturating_sub(outcome.steps.max(1));
        let Violation { property, what, edge, .. } = self.violation;
        let is_same = violated(self.property, &outcome)
            .is_some_and(|(name, words, place)| (&name, &words, place) == (property, what, *edge));
        let is_better = is_same
            && cost(&outcome) < self.cost()
            && doubt(self.program.cfa, self.property, &outcome).is_none();
        if is_better {
            self.best = Some(outcome);
        }
        is_better
    }

    /// Replaces parts of the inputs or leaves them out: all, then halves, then quarters, at last single ones.
    fn in_parts(&mut self, replace: impl Fn(InputValue) -> Option<InputValue>) {
        let mut length = self.inputs().len();
        while length > 0 {
            let mut at = 0;
            loop {
                let inputs = self.inputs();
                if at >= inputs.len() || self.left == 0 {
                    break;
                }
                let part = at..at + length;
                let other = |(position, (_, value)): (usize, (Scalar, InputValue))| {
                    if part.contains(&position) { replace(value) } else { Some(value) }
                };
                let candidate: Vec<InputValue> = inputs.into_iter().enumerate().filter_map(other).collect();
                // If it is better, what comes next is at the same position, or cannot become better there.
                if !self.attempt(candidate) {
                    at += length;
                }
            }
            length /= 2;
        }
    }

    /// Moves each input as near to zero as possible.
    fn towards_zero(&mut self) {
        let mut at = 0;
        while let Some(&(scalar, value)) = self.inputs().get(at) {
            if self.left == 0 {
                break;
            }
            match value {
                InputValue::Int(number) => self.number(at, number),
                InputValue::Bits(bits) => self.float(at, scalar, bits),
                InputValue::Float(_) => {}
            }
            at += 1;
        }
    }

    /// Bisects between a value that is too small and one that is enough. A valid pointer has no smaller
    /// value.
    fn number(&mut self, at: usize, number: i128) {
        if u64::try_from(number).is_ok_and(|address| environment::object_at(address).is_some()) {
            return;
        }
        let (mut little, mut enough) = (number.signum(), number);
        if little == enough || self.with(at, InputValue::Int(little)) {
            return;
        }
        while enough.abs_diff(little) > 1 {
            let middle = little + (enough - little) / 2;
            match self.with(at, InputValue::Int(middle)) {
                true => enough = middle,
                false => little = middle,
            }
        }
    }

    /// A whole number is simpler than one that is not.
    fn float(&mut self, at: usize, scalar: Scalar, bits: u128) {
        let number = match scalar {
            Scalar::F32 => f64::from(f32::from_bits(bits as u32)),
            Scalar::F64 => f64::from_bits(bits as u64),
            _ => return,
        };
        let simpler = [1.0, -1.0, number.trunc(), (number * 16.0).trunc() / 16.0];
        let _found = simpler.into_iter().any(|number| self.with(at, InputValue::Float(number)));
    }

    /// The same inputs with one of them replaced.
    fn with(&mut self, at: usize, value: InputValue) -> bool {
        let mut values: Vec<InputValue> = self.inputs().into_iter().map(|(_, value)| value).collect();
        match values.get_mut(at) {
            Some(place) => *place = value,
            None => return false,
        }
        self.attempt(values)
    }
}

/// What a reader must look at: the steps and the digits of the inputs; then the magnitude of the inputs.
type Cost = (u64, u128);

fn cost(outcome: &Outcome) -> Cost {
    outcome.inputs.iter().fold((outcome.steps, 0), |(length, size), input| match input.value() {
        InputValue::Int(number) => {
            let magnitude = number.unsigned_abs();
            let digits = 2 * (i128::BITS - magnitude.leading_zeros()) + u32::from(number < 0);
            (length + 8 + u64::from(digits), size.saturating_add(magnitude))
        }
        InputValue::Bits(_) | InputValue::Float(_) => (length + 8 + 4 * input.to_string().len() as u64, size),
    })
}

/// These values in order, then zeros.
struct Chosen {
    values: VecDeque<InputValue>,
}

impl InputSource for Chosen {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        self.values.pop_front().or_else(|| Zeros.next(request))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executions::execute;
    use summa_c::types::DataModel;
    use summa_cfa::BuildOptions;
    use summa_interp::List;

    /// The inputs that are left of these.
    fn shrunk(source: &str, inputs: &[InputValue]) -> Vec<String> {
        let header = "int __VERIFIER_nondet_int(void); double __VERIFIER_nondet_double(void); \
            void reach_error(void);\n";
        let text = format!("{header}{source}");
        let loaded = summa_c::load_text("t.c", &text, DataModel::Lp64).unwrap_or_else(|_| panic!("not C"));
        let cfa = summa_transform::build(loaded.program, &BuildOptions::default()).unwrap();
        let property = Property::Unreachable { functions: vec!["reach_error".to_owned()], asserts: true };
        let budget = Budget::unlimited();
        let mut list = List::new(inputs.iter().copied());
        let found = execute(&cfa, &property, &mut list, &budget, &budget).violation.unwrap();
        let steps = found.outcome.steps;
        let violation = shrink(&cfa, &property, found, &budget);
        assert!(violation.outcome.steps <= steps + MORE_STEPS);
        violation.outcome.inputs.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn numbers_become_as_small_as_they_can_be() {
        let source = "int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();\n\
                      if (x > 1000 && y < -7) reach_error(); return 0; }";
        let [x, y] = [2_147_471_360, -1_000_000].map(InputValue::Int);
        assert_eq!(shrunk(source, &[x, y]), ["1001", "-8"]);
    }

    #[test]
    fn rounds_that_do_nothing_are_left_out() {
        let source = "int main(void) { int sum = 0;\n\
                      while (1) { int x = __VERIFIER_nondet_int(); if (x == 3) sum++; \
                      if (sum == 2) reach_error(); } }";
        let inputs = [5, 3, 0, 9, -4, 0, 7, 7, 3, 8].map(InputValue::Int);
        assert_eq!(shrunk(source, &inputs), ["3", "3"]);
    }

    #[test]
    fn floats_become_whole() {
        let source = "int main(void) { double x = __VERIFIER_nondet_double(); \
            if (x > 2.5 && x < 1e9) reach_error(); return 0; }";
        assert_eq!(shrunk(source, &[InputValue::Float(1234.56)]), ["1234.0"]);
    }

    #[test]
    fn valid_pointers_stay_valid() {
        let source = "struct s { int pad[8]; int x; }; struct s *__VERIFIER_nondet_pointer(void);\n\
                      int main(void) { if (__VERIFIER_nondet_pointer()->x == 0) reach_error(); return 0; }";
        let pointer = environment::address(3, 64);
        assert_eq!(shrunk(source, &[InputValue::Int(pointer.into())]), [pointer.to_string()]);
    }

    #[test]
    fn what_is_simple_stays() {
        let source = "int main(void) { if (__VERIFIER_nondet_int() == 0) reach_error(); return 0; }";
        assert_eq!(shrunk(source, &[InputValue::Int(0)]), ["0"]);
    }
}
