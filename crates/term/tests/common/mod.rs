//! Random terms with the values they must have: a pool grows by one operator at a time, and every new term
//! comes with the values computed from the values of its arguments, by the semantics and without any
//! simplification.

#![allow(dead_code, unreachable_pub, reason = "each test takes what it needs")]
#![allow(clippy::unwrap_used, reason = "this is a test")]

use summa_base::FxHashMap;
use summa_term::{
    ArrayValue, FloatSort, Op, Rounding, Sort, SymbolId, Term, Terms, Value, semantics, soft_float,
};

/// A small generator of pseudo-random numbers (splitmix64): the seed comes from the property test.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    pub fn bits(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

pub type Model = FxHashMap<(SymbolId, u32), Value>;

/// A random value, often one where rules change their mind.
pub fn random_value(terms: &Terms, random: &mut Random, sort: Sort) -> Value {
    match sort {
        Sort::Bool => Value::Bool(random.next() & 1 == 1),
        Sort::Int => Value::Int(match random.below(4) {
            0 => (random.below(5) as i64 - 2).into(),
            1 => (random.below(300) as i64 - 150).into(),
            2 => random.pick(&[255i64, 256, -256, 65535, 1 << 31, -(1 << 31), 1 << 32, i64::MAX]).into(),
            _ => (random.bits() as i128 >> random.below(120)).into(),
        }),
        Sort::Bv(width) => {
            let mask = u128::MAX >> (128 - u32::from(width));
            let edge = random.pick(&[0, 1, 2, mask, mask >> 1, (mask >> 1) + 1, mask - 1, 3]);
            Value::Bv(width, (if random.below(2) == 0 { edge } else { random.bits() }) & mask)
        }
        Sort::Float(format) => {
            let bits = match random.below(4) {
                0 => soft_float::from_signed(format, random.below(9) as i128 - 4),
                1 => {
                    let infinity = soft_float::convert(FloatSort::F32, format, 0x7f80_0000);
                    let minus_zero = soft_float::convert(FloatSort::F32, format, 0x8000_0000);
                    random.pick(&[0, 1, 2, infinity, minus_zero, soft_float::nan(format), infinity - 1])
                }
                2 => soft_float::convert(FloatSort::F32, format, random.bits() & 0xffff_ffff),
                _ => {
                    let bits = soft_float::storage_bits(format);
                    random.bits() & (u128::MAX >> (128 - bits))
                }
            };
            Value::float(format, bits)
        }
        Sort::Array(array) => {
            let (index, element) = terms.array_sort(array);
            let default = random_value(terms, random, element);
            let count = random.below(4);
            let entries = (0..count)
                .map(|_| (random_value(terms, random, index), random_value(terms, random, element)))
                .collect::<Vec<_>>();
            Value::Array(ArrayValue::new(default, entries).into())
        }
    }
}

/// A term and the value it must have under each model, where it is determined.
pub type Entry = (Term, Vec<Option<Value>>);

/// Terms of all sorts with their values under each model.
pub struct Pool {
    pub terms: Terms,
    pub models: Vec<Model>,
    pub by_sort: Vec<(Sort, Vec<Entry>)>,
}

impl Pool {
    pub fn new(random: &mut Random, models: usize, sorts: &[Sort], array_sorts: &[(Sort, Sort)]) -> Self {
        let mut terms = Terms::new();
        let mut all: Vec<Sort> = sorts.to_vec();
        all.extend(array_sorts.iter().map(|&(index, element)| terms.array_of(index, element)));
        let mut pool = Self { terms, models: vec![Model::default(); models], by_sort: Vec::new() };
        for sort in all {
            let mut entries = Vec::new();
            for name in ["x", "y", "z"] {
                let symbol = pool.terms.declare(name, sort);
                let term = pool.terms.symbol(symbol, 0);
                let mut values = Vec::new();
                for model in &mut pool.models {
                    let value = random_value(&pool.terms, random, sort);
                    model.insert((symbol, 0), value.clone());
                    values.push(Some(value));
                }
                entries.push((term, values));
            }
            for _ in 0..3 {
                let value = random_value(&pool.terms, random, sort);
                let term = pool.terms.value_term(&value, sort);
                entries.push((term, vec![Some(value); models]));
            }
            pool.by_sort.push((sort, entries));
        }
        pool
    }

    fn sorts_like(&self, wanted: impl Fn(Sort) -> bool) -> Vec<Sort> {
        self.by_sort.iter().map(|&(sort, _)| sort).filter(|&sort| wanted(sort)).collect()
    }

    fn random_term(&self, random: &mut Random, sort: Sort) -> Entry {
        let entries = &self.by_sort.iter().find(|(s, _)| *s == sort).unwrap().1;
        // Recent terms are large, old ones make rules with shared parts apply.
        let index = if random.below(2) == 0 {
            random.below(entries.len())
        } else {
            random.below(entries.len().min(8))
        };
        entries[index].clone()
    }

    /// One operator on terms of the pool: the term built, and what it must evaluate to under each model.
    pub fn grow(&mut self, random: &mut Random) -> (Op, Vec<Term>, Term, Vec<Option<Value>>) {
        let (op, arg_sorts, sort) = self.random_signature(random);
        let args: Vec<_> = arg_sorts.iter().map(|&sort| self.random_term(random, sort)).collect();
        let arg_terms: Vec<Term> = args.iter().map(|(term, _)| *term).collect();
        let term = self.terms.build(op, &arg_terms, sort);
        let values: Vec<Option<Value>> = (0..self.models.len())
            .map(|model| {
                let values: Option<Vec<Value>> =
                    args.iter().map(|(_, values)| values[model].clone()).collect();
                semantics::apply(op, sort, &values?)
            })
            .collect();
        self.by_sort.iter_mut().find(|(s, _)| *s == sort).unwrap().1.push((term, values.clone()));
        (op, arg_terms, term, values)
    }

    fn random_signature(&self, random: &mut Random) -> (Op, Vec<Sort>, Sort) {
        let any = self.sorts_like(|_| true);
        let sort = random.pick(&any);
        match random.below(5) {
            0 => return (Op::Ite, vec![Sort::Bool, sort, sort], sort),
            1 => return (Op::Eq, vec![sort, sort], Sort::Bool),
            _ => {}
        }
        match sort {
            Sort::Bool => match random.below(4) {
                0 => (Op::Not, vec![Sort::Bool], Sort::Bool),
                1 => (Op::And, vec![Sort::Bool; random.below(5)], Sort::Bool),
                2 => (Op::Or, vec![Sort::Bool; random.below(5)], Sort::Bool),
                _ => self.random_comparison(random),
            },
            Sort::Int => match random.below(6) {
                0 => (Op::Mul, vec![sort; 2], sort),
                1 => (Op::Div, vec![sort; 2], sort),
                2 => (Op::Mod, vec![sort; 2], sort),
                _ => (Op::Add, vec![sort; random.below(4)], sort),
            },
            Sort::Bv(width) => self.random_bv(random, width),
            Sort::Float(format) => self.random_float(random, format),
            Sort::Array(array) => {
                let (index, element) = self.terms.array_sort(array);
                match random.below(5) {
                    0 => (Op::ConstArray, vec![element], sort),
                    1 | 2 => (Op::Select, vec![sort, index], element),
                    _ => (Op::Store, vec![sort, index, element], sort),
                }
            }
        }
    }

    fn random_comparison(&self, random: &mut Random) -> (Op, Vec<Sort>, Sort) {
        let sorts = self.sorts_like(|sort| !matches!(sort, Sort::Bool | Sort::Array(_)));
        if sorts.is_empty() {
            return (Op::Not, vec![Sort::Bool], Sort::Bool);
        }
        let sort = random.pick(&sorts);
        let op = match sort {
            Sort::Int => random.pick(&[Op::Le, Op::Lt]),
            Sort::Bv(_) => random.pick(&[Op::BvUlt, Op::BvUle, Op::BvSlt, Op::BvSle]),
            _ => random.pick(&[
                Op::FloatEq,
                Op::FloatLt,
                Op::FloatLe,
                Op::FloatIsNan,
                Op::FloatIsInf,
                Op::FloatIsNegative,
            ]),
        };
        let unary = matches!(op, Op::FloatIsNan | Op::FloatIsInf | Op::FloatIsNegative);
        (op, vec![sort; if unary { 1 } else { 2 }], Sort::Bool)
    }

    fn random_bv(&self, random: &mut Random, width: u8) -> (Op, Vec<Sort>, Sort) {
        let sort = Sort::Bv(width);
        let widths: Vec<u8> = self
            .sorts_like(|sort| matches!(sort, Sort::Bv(_)))
            .into_iter()
            .map(|sort| if let Sort::Bv(width) = sort { width } else { 0 })
            .collect();
        let other = random.pick(&widths);
        match random.below(8) {
            0 if other > width => {
                let lo = random.below(usize::from(other - width) + 1) as u8;
                (Op::BvExtract { hi: lo + width - 1, lo }, vec![Sort::Bv(other)], sort)
            }
            1 if other < width && widths.contains(&(width - other)) => {
                (Op::BvConcat, vec![Sort::Bv(other), Sort::Bv(width - other)], sort)
            }
            2 | 3 if other <= width => {
                (random.pick(&[Op::BvZeroExtend, Op::BvSignExtend]), vec![Sort::Bv(other)], sort)
            }
            4 => (random.pick(&[Op::BvNot, Op::BvNeg]), vec![sort], sort),
            _ => {
                let op = random.pick(&[
                    Op::BvAdd,
                    Op::BvAdd,
                    Op::BvSub,
                    Op::BvSub,
                    Op::BvMul,
                    Op::BvUdiv,
                    Op::BvUrem,
                    Op::BvSdiv,
                    Op::BvSrem,
                    Op::BvAnd,
                    Op::BvOr,
                    Op::BvXor,
                    Op::BvShl,
                    Op::BvLshr,
                    Op::BvAshr,
                ]);
                (op, vec![sort; 2], sort)
            }
        }
    }

    fn random_float(&self, random: &mut Random, format: FloatSort) -> (Op, Vec<Sort>, Sort) {
        let sort = Sort::Float(format);
        let floats = self.sorts_like(|sort| matches!(sort, Sort::Float(_)));
        let vectors = self.sorts_like(|sort| matches!(sort, Sort::Bv(_)));
        match random.below(8) {
            0 => (Op::FloatToFloat, vec![random.pick(&floats)], sort),
            1 if !vectors.is_empty() => {
                (random.pick(&[Op::FloatFromSbv, Op::FloatFromUbv]), vec![random.pick(&vectors)], sort)
            }
            2 if !vectors.is_empty() => {
                (random.pick(&[Op::FloatToSbv, Op::FloatToUbv]), vec![sort], random.pick(&vectors))
            }
            3 | 4 => {
                let rounding = random.pick(&[
                    Rounding::NearestEven,
                    Rounding::NearestAway,
                    Rounding::Down,
                    Rounding::Up,
                    Rounding::Zero,
                ]);
                let op = random.pick(&[
                    Op::FloatNeg,
                    Op::FloatAbs,
                    Op::FloatSqrt,
                    Op::FloatRoundToIntegral(rounding),
                ]);
                (op, vec![sort], sort)
            }
            5 => {
                let (exponent, significand) = format.shape();
                let bits = Sort::Bv((exponent + significand) as u8);
                match vectors.contains(&bits) {
                    true => (Op::FloatFromBits, vec![bits], sort),
                    false => (Op::FloatNeg, vec![sort], sort),
                }
            }
            _ => {
                let op = random.pick(&[Op::FloatAdd, Op::FloatSub, Op::FloatMul, Op::FloatDiv, Op::FloatRem]);
                (op, vec![sort; 2], sort)
            }
        }
    }
}

pub const ALL_SORTS: &[Sort] = &[
    Sort::Bool,
    Sort::Int,
    Sort::Bv(1),
    Sort::Bv(3),
    Sort::Bv(4),
    Sort::Bv(8),
    Sort::Bv(32),
    Sort::Bv(64),
    Sort::Bv(79),
    Sort::Bv(128),
    Sort::Float(FloatSort::F32),
    Sort::Float(FloatSort::F64),
    Sort::Float(FloatSort::F80),
    Sort::Float(FloatSort::F128),
];
pub const ARRAY_SORTS: &[(Sort, Sort)] =
    &[(Sort::Int, Sort::Int), (Sort::Bv(4), Sort::Bv(8)), (Sort::Bv(1), Sort::Bool)];
