//! Sets contain what exact computation gives; what the search says is true.

use super::program::Program;
use super::set::{Floats, Set, Truth, Words};
use super::{Found, few_values, halves, middle, search};
use crate::model::Model;
use crate::solver::Limits;
use std::time::Duration;
use summa_base::FxHashMap;
use summa_term::{Evaluator, FloatSort, Op, Rounding, Sort, SymbolId, Term, Terms, Value};

/// Numbers from a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }

    fn bits(&mut self) -> u64 {
        (self.below(1 << 22) as u64) << 42 ^ (self.below(1 << 22) as u64) << 21 ^ self.below(1 << 22) as u64
    }

    fn of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn float(&mut self, is_single: bool) -> f64 {
        let special = [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, 0.5, 3.0, 1e-40, 1e30];
        let number = match self.below(4) {
            0 => self.of(&special),
            1 => f64::from_bits(self.bits()),
            _ => (self.below(2_000) as f64 - 1_000.0) / 64.0,
        };
        let number = if is_single { f64::from(number as f32) } else { number };
        if number.is_nan() { 1.0 } else { number }
    }

    fn value(&mut self, sort: Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(self.below(2) == 0),
            Sort::Bv(width) => {
                let bits = if self.below(2) == 0 { self.bits() } else { self.below(40) as u64 };
                Value::Bv(width, u128::from(bits & super::set::most_of(width)))
            }
            Sort::Float(format) => {
                let floats = Floats::all(format == FloatSort::F32);
                if self.below(12) == 0 {
                    floats.value(f64::NAN)
                } else {
                    let number = self.float(floats.is_single);
                    floats.value(number)
                }
            }
            Sort::Int | Sort::Array(_) => unreachable!("not generated"),
        }
    }

    /// A set with these values in it.
    fn set_around(&mut self, values: &[Value]) -> Set {
        let mut set = values.iter().filter_map(Set::of).reduce(Set::hull).expect("a value");
        if let Set::Float(floats) = &mut set
            && self.below(5) == 0
        {
            floats.nan = true;
        }
        set
    }
}

const SINGLE: Sort = Sort::Float(FloatSort::F32);
const DOUBLE: Sort = Sort::Float(FloatSort::F64);
const SORTS: [Sort; 7] = [Sort::Bool, SINGLE, DOUBLE, Sort::Bv(8), Sort::Bv(32), Sort::Bv(64), Sort::Bv(1)];

/// Random operations over some symbols: all terms that were made.
fn generate(random: &mut Random, terms: &mut Terms) -> (Vec<Term>, Vec<(SymbolId, Sort)>) {
    let mut symbols = Vec::new();
    let mut pool: Vec<Term> = Vec::new();
    for (i, sort) in SORTS.into_iter().enumerate() {
        for j in 0..2 {
            let name = terms.declare(&format!("s{i}_{j}"), sort);
            symbols.push((name, sort));
            pool.push(terms.symbol(name, 0));
        }
        let constant = random.value(sort);
        pool.push(terms.value_term(&constant, sort));
    }
    for _ in 0..60 {
        let a = random.of(&pool);
        let sort = terms.sort(a);
        let same: Vec<Term> = pool.iter().copied().filter(|&term| terms.sort(term) == sort).collect();
        let b = random.of(&same);
        let made = match sort {
            Sort::Bool => match random.below(4) {
                0 => terms.build(Op::Not, &[a], Sort::Bool),
                1 => terms.build(Op::And, &[a, b], Sort::Bool),
                2 => terms.build(Op::Or, &[a, b], Sort::Bool),
                _ => {
                    let (x, y) = {
                        let x = random.of(&pool);
                        let like: Vec<Term> =
                            pool.iter().copied().filter(|&term| terms.sort(term) == terms.sort(x)).collect();
                        (x, random.of(&like))
                    };
                    terms.build(Op::Ite, &[a, x, y], terms.sort(x))
                }
            },
            Sort::Bv(width) => {
                use Op::*;
                let binary = [
                    BvAdd, BvSub, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvAnd, BvOr, BvXor, BvShl, BvLshr,
                    BvAshr,
                ];
                match random.below(8) {
                    0 => terms.build(random.of(&[BvNot, BvNeg]), &[a], sort),
                    1 => terms.build(random.of(&[BvUlt, BvUle, BvSlt, BvSle, Eq]), &[a, b], Sort::Bool),
                    2 if width < 64 => {
                        terms.build(random.of(&[BvZeroExtend, BvSignExtend]), &[a], Sort::Bv(64))
                    }
                    3 => {
                        let hi = random.below(usize::from(width)) as u8;
                        let lo = random.below(usize::from(hi) + 1) as u8;
                        terms.build(BvExtract { hi, lo }, &[a], Sort::Bv(hi - lo + 1))
                    }
                    4 => terms.build(
                        random.of(&[FloatFromSbv, FloatFromUbv]),
                        &[a],
                        random.of(&[SINGLE, DOUBLE]),
                    ),
                    5 if width == 32 => terms.build(FloatFromBits, &[a], SINGLE),
                    5 if width == 64 => terms.build(FloatFromBits, &[a], DOUBLE),
                    6 if width == 8 => terms.build(BvConcat, &[a, b], Sort::Bv(16)),
                    _ => terms.build(random.of(&binary), &[a, b], sort),
                }
            }
            Sort::Float(_) => {
                use Op::*;
                match random.below(6) {
                    0 => terms.build(random.of(&[FloatNeg, FloatAbs, FloatSqrt]), &[a], sort),
                    1 => terms.build(random.of(&[FloatLt, FloatLe, FloatEq, Eq]), &[a, b], Sort::Bool),
                    2 => terms.build(random.of(&[FloatIsNan, FloatIsInf, FloatIsNegative]), &[a], Sort::Bool),
                    3 => match random.below(3) {
                        0 => terms.build(FloatToFloat, &[a], if sort == SINGLE { DOUBLE } else { SINGLE }),
                        1 => terms.build(FloatRoundToIntegral(Rounding::Zero), &[a], sort),
                        _ => terms.build(random.of(&[FloatToSbv, FloatToUbv]), &[a], Sort::Bv(32)),
                    },
                    _ => terms.build(random.of(&[FloatAdd, FloatSub, FloatMul, FloatDiv]), &[a, b], sort),
                }
            }
            Sort::Int | Sort::Array(_) => unreachable!("not generated"),
        };
        pool.push(made);
    }
    (pool, symbols)
}

fn model_of(symbols: &[(SymbolId, Sort)], values: &[Value]) -> Model {
    let mut model = Model::new();
    for (&(name, _), value) in symbols.iter().zip(values) {
        model.set(name, 0, value.clone());
    }
    model
}

#[test]
fn sets_contain_exact_results() {
    let mut looked = 0;
    for seed in 0..600 {
        let (mut random, mut terms) = (Random(seed), Terms::new());
        let (pool, symbols) = generate(&mut random, &mut terms);
        let Some(program) = Program::new(&terms, &pool) else { continue };
        let order = terms.post_order(&pool);
        let points: Vec<Vec<Value>> =
            (0..3).map(|_| symbols.iter().map(|&(_, sort)| random.value(sort)).collect()).collect();
        let sets: FxHashMap<SymbolId, Set> = symbols
            .iter()
            .enumerate()
            .map(|(i, &(name, _))| {
                let values: Vec<Value> = points.iter().map(|point| point[i].clone()).collect();
                (name, random.set_around(&values))
            })
            .collect();
        let of_symbols: Vec<Set> = program.symbols.iter().map(|(name, ..)| sets[name]).collect();
        let mut results = Vec::new();
        program.evaluate(&of_symbols, &mut results);
        for point in &points {
            let model = model_of(&symbols, point);
            let mut evaluator = Evaluator::new(&terms, &model);
            for (&term, set) in order.iter().zip(&results) {
                if let Some(value) = evaluator.eval(term) {
                    looked += 1;
                    assert!(
                        set.contains(&value),
                        "seed {seed}: {value:?} is not in {set:?} of {:?}",
                        terms.kind(term)
                    );
                }
            }
        }
    }
    assert!(looked > 40_000, "{looked}");
}

#[test]
fn narrowing_keeps_every_solution() {
    let mut kept = 0;
    let short = Limits::timeout(Duration::from_millis(2));
    for seed in 0..1_500 {
        let (mut random, mut terms) = (Random(seed), Terms::new());
        let (pool, symbols) = generate(&mut random, &mut terms);
        let point: Vec<Value> = symbols.iter().map(|&(_, sort)| random.value(sort)).collect();
        let model = model_of(&symbols, &point);
        let formulas: Vec<Term> = {
            let mut evaluator = Evaluator::new(&terms, &model);
            pool.iter().copied().filter(|&term| evaluator.is_true(term) == Some(true)).collect()
        };
        let Some(program) = Program::new(&terms, &formulas) else { continue };
        let value_of = |name: SymbolId| {
            let at = symbols.iter().position(|&(symbol, _)| symbol == name).expect("declared");
            &point[at]
        };
        let mut of_symbols = program.everything();
        let mut sets = Vec::new();
        for _ in 0..3 {
            program.evaluate(&of_symbols, &mut sets);
            assert!(program.narrow(&mut of_symbols, &mut sets), "seed {seed}: a solution is lost");
            for (set, &(name, ..)) in of_symbols.iter().zip(&program.symbols) {
                assert!(set.contains(value_of(name)), "seed {seed}: {:?} is not in {set:?}", value_of(name));
                kept += 1;
            }
        }
        assert!(!matches!(search(&terms, &formulas, &short), Some(Found::Unsat)), "seed {seed}");
    }
    assert!(kept > 2_000, "{kept}");
}

#[test]
fn halves_are_smaller_and_lose_nothing() {
    for seed in 0..3_000 {
        let mut random = Random(seed);
        let sort = random.of(&SORTS);
        let values: Vec<Value> = (0..3).map(|_| random.value(sort)).collect();
        let set = random.set_around(&values);
        assert!(set.contains(&middle(&set)), "{set:?}");
        let Some((one, other)) = halves(set) else {
            assert!(!few_values(&set).is_empty(), "{set:?}");
            continue;
        };
        assert!(
            one != set && other != set && !one.is_empty() && !other.is_empty(),
            "{set:?}: {one:?}, {other:?}"
        );
        for value in values {
            assert!(one.contains(&value) || other.contains(&value), "{value:?} of {set:?}");
        }
    }
}

#[test]
fn a_polynomial_is_bounded() {
    let mut terms = Terms::new();
    let name = terms.declare("x", SINGLE);
    let x = terms.symbol(name, 0);
    let number =
        |terms: &mut Terms, value: f32| terms.value_term(&Floats::all(true).value(value.into()), SINGLE);
    let bounds = [number(&mut terms, -1.5), number(&mut terms, 1.5), number(&mut terms, 6.0)];
    let square = terms.build(Op::FloatMul, &[x, x], SINGLE);
    let cube = terms.build(Op::FloatMul, &[square, x], SINGLE);
    let sixth = terms.build(Op::FloatDiv, &[cube, bounds[2]], SINGLE);
    let sine = terms.build(Op::FloatSub, &[x, sixth], SINGLE);
    let above = terms.build(Op::FloatLt, &[bounds[0], x], Sort::Bool);
    let below = terms.build(Op::FloatLt, &[x, bounds[1]], Sort::Bool);
    let mut asks = |limit: f32| {
        let limit = number(&mut terms, limit);
        let exceeds = terms.build(Op::FloatLt, &[limit, sine], Sort::Bool);
        search(&terms, &[above, below, exceeds], &Limits::default())
    };
    // Its largest value is 0.94281 at the square root of two.
    assert!(matches!(asks(0.943), Some(Found::Unsat)));
    assert!(matches!(asks(0.942), Some(Found::Model(_))));
}

#[test]
fn words_know_both_readings() {
    let both = Words::signed(8, -3, -1);
    assert_eq!((both.low, both.high), (253, 255));
    assert_eq!(Set::Word(Words::unsigned(8, 200, 200)).single(), Some(Value::Bv(8, 200)));
    assert_eq!(Truth::known(false, true), Truth::of(false));
}
