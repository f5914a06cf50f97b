//! Terms mean the same to Z3 as to our evaluator: random terms of all theories under random values, and
//! models of random formulas.
#![allow(clippy::unwrap_used, reason = "a test may stop where it stands")]

use summa_smt::{Answer, Family, Limits, Solver, Z3Solver};
use summa_term::{FloatSort, FunctionId, Op, Rounding, Sort, Term, Terms, Value, bits, smtlib};
use summa_testkit::KNOBS;

/// Deterministic random numbers (xorshift).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 11) as usize % limit
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }

    fn pick<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len())]
    }
}

const WIDTHS: [u8; 5] = [1, 8, 32, 64, 128];
const FLOATS: [FloatSort; 4] = [FloatSort::F32, FloatSort::F64, FloatSort::F80, FloatSort::F128];

struct Generator {
    terms: Terms,
    random: Random,
    function: FunctionId,
    arrays: Vec<Sort>,
    /// Only what a solver decides quickly: a remainder of wide floats takes Z3 minutes that no time-out ends.
    is_small: bool,
}

impl Generator {
    fn new(seed: u64) -> Self {
        let mut terms = Terms::new();
        let function = terms.declare_function("f", vec![Sort::Int, Sort::Bv(8)], Sort::Int);
        let inner = terms.array_of(Sort::Bv(8), Sort::Int);
        let arrays = vec![
            inner,
            terms.array_of(Sort::Int, Sort::Bv(32)),
            terms.array_of(Sort::Bv(32), Sort::Float(FloatSort::F32)),
            terms.array_of(Sort::Int, inner),
        ];
        Self { terms, random: Random(seed), function, arrays, is_small: false }
    }

    fn a_float(&mut self) -> FloatSort {
        if self.is_small { FloatSort::F32 } else { self.random.pick(&FLOATS) }
    }

    fn a_width(&mut self) -> u8 {
        if self.is_small { self.random.pick(&WIDTHS[..3]) } else { self.random.pick(&WIDTHS) }
    }

    fn any_sort(&mut self) -> Sort {
        match self.random.below(10) {
            0..=2 => Sort::Bool,
            3 | 4 => Sort::Int,
            5 | 6 => Sort::Bv(self.a_width()),
            7 | 8 => Sort::Float(self.a_float()),
            _ => self.random.pick(&self.arrays.clone()),
        }
    }

    fn constant(&mut self, sort: Sort) -> Term {
        let random = self.random.wide();
        match sort {
            Sort::Bool => self.terms.bool(random & 1 == 1),
            Sort::Int => match self.random.below(6) {
                0 => self.terms.int(random.cast_signed()),
                1 => self.terms.int(i64::MAX),
                _ => self.terms.int((random % 41) as i64 - 20),
            },
            Sort::Bv(width) => {
                let choices =
                    [0, 1, u128::MAX, bits::signed_min(width), bits::signed_max(width), random, random % 8];
                let value = self.random.pick(&choices) & bits::mask(width);
                self.terms.bv(width, value)
            }
            Sort::Float(float) => {
                let small = self.terms.bv(8, random & 0xff);
                let ordinary = self.terms.float_from_sbv(small, float);
                let total = float.shape().0 + float.shape().1;
                let bits_term = self.terms.bv(total as u8, random & bits::mask(total as u8));
                let anything = self.terms.float_from_bits(bits_term, float);
                let zero = self.terms.float(float, 0);
                let nan = self.terms.float_div(zero, zero);
                let one = {
                    let one = self.terms.bv(8, 1);
                    self.terms.float_from_sbv(one, float)
                };
                let infinite = self.terms.float_div(one, zero);
                let minus_zero = self.terms.float_neg(zero);
                self.random.pick(&[ordinary, ordinary, anything, anything, zero, nan, infinite, minus_zero])
            }
            Sort::Array(array) => {
                let (index_sort, element_sort) = self.terms.array_sort(array);
                let element = self.constant(element_sort);
                let mut made = self.terms.const_array(sort, element);
                for _ in 0..self.random.below(3) {
                    let (index, element) = (self.constant(index_sort), self.constant(element_sort));
                    made = self.terms.store(made, index, element);
                }
                made
            }
        }
    }

    fn symbol(&mut self, sort: Sort) -> Term {
        let family = self.terms.declare("s", sort);
        let version = self.random.below(3) as u32;
        self.terms.symbol(family, version)
    }

    fn term(&mut self, sort: Sort, depth: u32) -> Term {
        if depth == 0 || self.random.below(8) == 0 {
            return if self.random.below(3) == 0 { self.constant(sort) } else { self.symbol(sort) };
        }
        let deeper = depth - 1;
        if self.random.below(8) == 0 {
            let condition = self.term(Sort::Bool, deeper);
            let (yes, no) = (self.term(sort, deeper), self.term(sort, deeper));
            return self.terms.ite(condition, yes, no);
        }
        // An element of an array of the right kind now and then.
        if self.random.below(8) == 0 {
            let fitting: Vec<Sort> =
                self.arrays.iter().copied().filter(|&array| self.element(array) == sort).collect();
            if !fitting.is_empty() {
                let array_sort = self.random.pick(&fitting);
                let Sort::Array(id) = array_sort else { unreachable!() };
                let index_sort = self.terms.array_sort(id).0;
                let (array, index) = (self.term(array_sort, deeper), self.term(index_sort, deeper));
                return self.terms.select(array, index);
            }
        }
        match sort {
            Sort::Bool => self.formula(deeper),
            Sort::Int => self.integer(deeper),
            Sort::Bv(width) => self.vector(width, deeper),
            Sort::Float(float) => self.float(float, deeper),
            Sort::Array(id) => {
                let (index_sort, element_sort) = self.terms.array_sort(id);
                let array = self.term(sort, deeper);
                let (index, element) = (self.term(index_sort, deeper), self.term(element_sort, deeper));
                self.terms.store(array, index, element)
            }
        }
    }

    fn element(&self, array: Sort) -> Sort {
        let Sort::Array(id) = array else { unreachable!() };
        self.terms.array_sort(id).1
    }

    fn formula(&mut self, deeper: u32) -> Term {
        match self.random.below(8) {
            0 => {
                let a = self.term(Sort::Bool, deeper);
                self.terms.not(a)
            }
            1 | 2 => {
                let all: Vec<Term> =
                    (0..2 + self.random.below(2)).map(|_| self.term(Sort::Bool, deeper)).collect();
                if self.random.below(2) == 0 { self.terms.and(&all) } else { self.terms.or(&all) }
            }
            3 => {
                let sort = self.any_sort();
                let (a, b) = (self.term(sort, deeper), self.term(sort, deeper));
                self.terms.eq(a, b)
            }
            4 => {
                let (a, b) = (self.term(Sort::Int, deeper), self.term(Sort::Int, deeper));
                if self.random.below(2) == 0 { self.terms.le(a, b) } else { self.terms.lt(a, b) }
            }
            5 => {
                let sort = Sort::Bv(self.a_width());
                let (a, b) = (self.term(sort, deeper), self.term(sort, deeper));
                let op = self.random.pick(&[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]);
                self.terms.build(op, &[a, b], Sort::Bool)
            }
            6 => {
                let sort = Sort::Float(self.a_float());
                let (a, b) = (self.term(sort, deeper), self.term(sort, deeper));
                let op = self.random.pick(&[Op::FloatEq, Op::FloatLt, Op::FloatLe]);
                self.terms.build(op, &[a, b], Sort::Bool)
            }
            _ => {
                let sort = Sort::Float(self.a_float());
                let a = self.term(sort, deeper);
                let op = self.random.pick(&[Op::FloatIsNan, Op::FloatIsInf, Op::FloatIsNegative]);
                self.terms.build(op, &[a], Sort::Bool)
            }
        }
    }

    fn integer(&mut self, deeper: u32) -> Term {
        if self.random.below(8) == 0 {
            let (a, b) = (self.term(Sort::Int, deeper), self.term(Sort::Bv(8), deeper));
            return self.terms.apply(self.function, &[a, b]);
        }
        let (a, b) = (self.term(Sort::Int, deeper), self.term(Sort::Int, deeper));
        match self.random.below(6) {
            0 => self.terms.sub(a, b),
            1 => self.terms.mul(a, b),
            2 => self.terms.div(a, b),
            3 => self.terms.modulo(a, b),
            _ => self.terms.add2(a, b),
        }
    }

    fn vector(&mut self, width: u8, deeper: u32) -> Term {
        let sort = Sort::Bv(width);
        match self.random.below(12) {
            0 => {
                let a = self.term(sort, deeper);
                if self.random.below(2) == 0 { self.terms.bv_not(a) } else { self.terms.bv_neg(a) }
            }
            1 if width == 64 => {
                let (a, b) = (self.term(Sort::Bv(32), deeper), self.term(Sort::Bv(32), deeper));
                self.terms.bv_concat(a, b)
            }
            2 if width < 128 => {
                let low = self.random.below(usize::from(128 - width)) as u8;
                let a = self.term(Sort::Bv(128), deeper);
                self.terms.bv_extract(low + width - 1, low, a)
            }
            3 if width > 8 => {
                let a = self.term(Sort::Bv(8), deeper);
                if self.random.below(2) == 0 {
                    self.terms.bv_zero_extend(a, width)
                } else {
                    self.terms.bv_sign_extend(a, width)
                }
            }
            4 => {
                let float = self.a_float();
                let a = self.term(Sort::Float(float), deeper);
                if self.random.below(2) == 0 {
                    self.terms.float_to_sbv(a, width)
                } else {
                    self.terms.float_to_ubv(a, width)
                }
            }
            _ => {
                use Op::*;
                let (a, b) = (self.term(sort, deeper), self.term(sort, deeper));
                let op = self.random.pick(&[
                    BvAdd, BvSub, BvMul, BvUdiv, BvUrem, BvSdiv, BvSrem, BvAnd, BvOr, BvXor, BvShl, BvLshr,
                    BvAshr,
                ]);
                self.terms.build(op, &[a, b], sort)
            }
        }
    }

    fn float(&mut self, float: FloatSort, deeper: u32) -> Term {
        let sort = Sort::Float(float);
        match self.random.below(10) {
            0 => {
                let from = self.a_float();
                let a = self.term(Sort::Float(from), deeper);
                self.terms.float_to_float(a, float)
            }
            1 => {
                let width = self.a_width();
                let a = self.term(Sort::Bv(width), deeper);
                if self.random.below(2) == 0 {
                    self.terms.float_from_sbv(a, float)
                } else {
                    self.terms.float_from_ubv(a, float)
                }
            }
            2 => {
                let a = self.term(sort, deeper);
                let op = self.random.pick(&[Op::FloatNeg, Op::FloatAbs, Op::FloatSqrt]);
                self.terms.build(op, &[a], sort)
            }
            3 => {
                use Rounding::{Down, NearestAway, NearestEven, Up, Zero};
                let rounding = self.random.pick(&[NearestEven, NearestAway, Down, Up, Zero]);
                let a = self.term(sort, deeper);
                self.terms.float_round_to_integral(rounding, a)
            }
            _ => {
                let (a, b) = (self.term(sort, deeper), self.term(sort, deeper));
                let all = [Op::FloatAdd, Op::FloatSub, Op::FloatMul, Op::FloatDiv, Op::FloatRem];
                let op = self.random.pick(if self.is_small { &all[..3] } else { &all });
                self.terms.build(op, &[a, b], sort)
            }
        }
    }
}

/// How many rounds; more can be asked for off-line.
fn rounds(default: u64) -> u64 {
    KNOBS.conversion_rounds.or(default)
}

#[test]
fn evaluation_agrees() {
    let mut generator = Generator::new(0x5eed_1234);
    let mut compared = 0;
    let family = Family::new().unwrap();
    let mut solver = Z3Solver::new(&family).unwrap();
    for round in 0..rounds(1500) {
        let sort = generator.any_sort();
        let term = generator.term(sort, 3);
        let mut symbols = generator.terms.free_symbols(term);
        symbols.dedup();
        solver.push();
        for symbol in symbols {
            let value = generator.constant(generator.terms.sort(symbol));
            let equation = generator.terms.eq(symbol, value);
            solver.assert(&generator.terms, equation);
        }
        assert_eq!(solver.check(&mut generator.terms, &[]), Answer::Sat, "round {round}");
        let mut model = solver.model(&mut generator.terms).unwrap();
        // The formulas have no functions: Z3's completion gives the first integer everywhere.
        model.set_function(generator.function, summa_smt::model::FunctionTable::new(Value::Int(0.into())));
        if let Some(ours) = model.eval(&generator.terms, term) {
            compared += 1;
            let theirs = solver.value(&mut generator.terms, term);
            let text = || smtlib::print(&generator.terms, term);
            match &theirs {
                Some(theirs) if *theirs == ours => {}
                // Arrays over small sorts have more than one way to be written. (Functions would be free in
                // this question.)
                Some(Value::Array(_)) | None
                    if !generator.terms.contains_op(term, |op| matches!(op, Op::Apply(_))) =>
                {
                    let ours = generator.terms.value_term(&ours, sort);
                    let differ = generator.terms.ne(term, ours);
                    let answer = solver.check(&mut generator.terms, &[differ]);
                    assert_eq!(
                        answer,
                        Answer::Unsat,
                        "round {round}: {}",
                        smtlib::print(&generator.terms, term)
                    );
                }
                Some(Value::Array(_)) | None => {}
                Some(theirs) => assert_eq!(&ours, theirs, "round {round}: {}\n{model:?}", text()),
            }
        }
        solver.pop();
    }
    assert!(compared * 2 > rounds(1500), "only {compared} terms had a value");
}

/// A model that Z3 finds for a random formula satisfies it by our evaluation.
#[test]
fn models_satisfy_their_formulas() {
    let mut generator = Generator { is_small: true, ..Generator::new(0xfeed_4321) };
    let family = Family::new().unwrap();
    let mut solver = Z3Solver::new(&family).unwrap();
    solver.set_limits(Limits::timeout(std::time::Duration::from_millis(100)));
    let mut satisfied = 0;
    for round in 0..rounds(150) {
        let formula = generator.term(Sort::Bool, 3);
        solver.push();
        solver.assert(&generator.terms, formula);
        if solver.check(&mut generator.terms, &[]) == Answer::Sat
            && let Some(model) = solver.model(&mut generator.terms)
        {
            let truth = model.is_true(&generator.terms, formula);
            assert_ne!(
                truth,
                Some(false),
                "round {round}: {}\n{model:?}",
                smtlib::print(&generator.terms, formula)
            );
            satisfied += u64::from(truth == Some(true));
        }
        solver.pop();
    }
    assert!(satisfied * 3 > rounds(150), "only {satisfied} formulas were satisfied");
}
