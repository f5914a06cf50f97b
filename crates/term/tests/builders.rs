//! Every simplification keeps the meaning: terms built through the builders have the values that the
//! semantics gives for the operators as they were applied, under random assignments.

mod common;

use common::{ALL_SORTS, ARRAY_SORTS, Pool, Random};
use proptest::prelude::*;
use summa_term::{Evaluator, FloatSort, Sort};

/// Grows a pool and compares every new term with what it must be.
fn check(seed: u64, steps: usize, sorts: &[Sort], arrays: &[(Sort, Sort)]) -> Result<(), TestCaseError> {
    let mut random = Random(seed);
    let mut pool = Pool::new(&mut random, 6, sorts, arrays);
    for _ in 0..steps {
        let (op, args, term, expected) = pool.grow(&mut random);
        for (model, expected) in pool.models.iter().zip(&expected) {
            let Some(expected) = expected else { continue };
            let value = Evaluator::new(&pool.terms, model).eval(term);
            let right = value.as_ref().is_some_and(|value| value.same(expected));
            let print = |term| summa_term::smtlib::print(&pool.terms, term);
            prop_assert!(
                right,
                "{op:?} of {:#?} became {}, which is {value:?}, not {expected:?}",
                args.iter().map(|&arg| print(arg)).collect::<Vec<_>>(),
                print(term),
            );
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn of_all_sorts(seed: u64) {
        check(seed, 400, ALL_SORTS, ARRAY_SORTS)?;
    }

    #[test]
    fn of_booleans_and_integers(seed: u64) {
        check(seed, 300, &[Sort::Bool, Sort::Int], &[])?;
    }

    #[test]
    fn of_narrow_vectors(seed: u64) {
        check(seed, 300, &[Sort::Bool, Sort::Bv(1), Sort::Bv(2), Sort::Bv(3), Sort::Bv(4)], &[])?;
    }

    #[test]
    fn of_wide_vectors(seed: u64) {
        let sorts = [Sort::Bool, Sort::Bv(8), Sort::Bv(16), Sort::Bv(24), Sort::Bv(32), Sort::Bv(128)];
        check(seed, 300, &sorts, &[])?;
    }

    #[test]
    fn of_booleans(seed: u64) {
        check(seed, 300, &[Sort::Bool], &[])?;
    }

    #[test]
    fn of_arrays(seed: u64) {
        let arrays = [(Sort::Bv(2), Sort::Bv(8)), (Sort::Int, Sort::Int)];
        check(seed, 300, &[Sort::Bool, Sort::Int, Sort::Bv(2), Sort::Bv(8)], &arrays)?;
    }

    #[test]
    fn of_floats(seed: u64) {
        let sorts = [Sort::Bool, Sort::Bv(32), Sort::Float(FloatSort::F32), Sort::Float(FloatSort::F80)];
        check(seed, 300, &sorts, &[])?;
    }
}
