//! Locals that hold known values before they are written.

mod common;

use common::run_with;
use summa_c::tree::VarId;
use summa_c::types::DataModel;
use summa_interp::{
    End, FaultKind, InputOrigin, InputRequest, InputSource, InputValue, List, Policy, Scalar, Zeros,
};

/// Locals hold 1, 2, 3, … in the order of their declarations; everything else is zero.
#[derive(Default)]
struct Counting(i128);

impl InputSource for Counting {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        Zeros.next(request)
    }

    fn knows_initial(&self) -> bool {
        true
    }

    fn initial(&mut self, _: VarId, _: Scalar) -> Option<InputValue> {
        self.0 += 1;
        Some(InputValue::Int(self.0))
    }
}

/// In slots, in memory, in every round of a loop and every activation of a function; never for what is
/// written first.
const PROGRAM: &str = "
    int f(int n) { short x; short *p = &x; return n ? *p * 10 + f(n - 1) : 0; }
    int main(void) {
        long long wide; int sum = wide == 1;
        for (int i = 0; i < 2; i++) { int x; if (i) x = 100; sum = 10 * sum + x; }
        return sum + f(2);
    }";

#[test]
fn reads_before_the_first_write_give_the_value_and_are_inputs() {
    let outcome = run_with(DataModel::Lp64, PROGRAM, &mut Counting::default(), &Policy::reachability());
    let End::Returned(result) = outcome.end else { panic!("{:?}", outcome.end) };
    assert!(outcome.noted.iter().all(|fault| fault.kind == FaultKind::UninitialisedRead));
    assert!(outcome.inputs.iter().all(|input| input.request.origin == InputOrigin::Uninitialised));
    assert_eq!(outcome.inputs.len(), 4, "the wide one, one round, two activations: {:?}", outcome.inputs);
    // A run that is asked as it goes along gives the same.
    let again =
        run_with(DataModel::Lp64, PROGRAM, &mut List::replay(&outcome.inputs), &Policy::reachability());
    assert_eq!(again.end, End::Returned(result));
    assert_eq!(again.inputs, outcome.inputs);
}

#[test]
fn faults_are_found_all_the_same() {
    let outcome = run_with(DataModel::Lp64, PROGRAM, &mut Counting::default(), &Policy::strict());
    assert!(matches!(outcome.end, End::Fault(fault) if fault.kind == FaultKind::UninitialisedRead));
}
