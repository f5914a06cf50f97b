//! Sets of values: a truth value, an interval of floats perhaps with NaN, an interval of words.

use summa_term::{FloatSort, Sort, Value, soft_float};

/// Wider words are not followed.
pub(super) const WIDEST: u8 = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Set {
    Bool(Truth),
    Float(Floats),
    Word(Words),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Truth {
    pub(super) may_hold: bool,
    pub(super) may_fail: bool,
}

/// Numbers from `low` to `high`, both in the set; there are none if `low > high`. Zeros of both signs are one
/// number here, so whoever looks at the sign of a zero learns nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Floats {
    /// Single precision; bounds are numbers of it.
    pub(super) is_single: bool,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) nan: bool,
}

/// Words that lie between two unsigned numbers, and between two signed ones. Empty if one of these is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    pub(super) width: u8,
    pub(super) low: u64,
    pub(super) high: u64,
    pub(super) least: i64,
    pub(super) most: i64,
}

impl Set {
    /// All values of the sort; none if values of the sort are not followed.
    pub(super) fn all(sort: Sort) -> Option<Self> {
        match sort {
            Sort::Bool => Some(Self::Bool(Truth::ANY)),
            Sort::Bv(width) if width <= WIDEST => Some(Self::Word(Words::all(width))),
            Sort::Float(FloatSort::F32) => Some(Self::Float(Floats::all(true))),
            Sort::Float(FloatSort::F64) => Some(Self::Float(Floats::all(false))),
            Sort::Bv(_) | Sort::Float(_) | Sort::Int | Sort::Array(_) => None,
        }
    }

    pub(super) fn of(value: &Value) -> Option<Self> {
        match *value {
            Value::Bool(value) => Some(Self::Bool(Truth::of(value))),
            Value::Bv(width, bits) if width <= WIDEST => {
                Some(Self::Word(Words::unsigned(width, bits as u64, bits as u64)))
            }
            Value::Float(sort, bits) => {
                let is_single = match sort {
                    FloatSort::F32 => true,
                    FloatSort::F64 => false,
                    FloatSort::F80 | FloatSort::F128 => return None,
                };
                let number = number(is_single, bits);
                Some(Self::Float(Floats {
                    nan: number.is_nan(),
                    ..Floats::between(is_single, number, number)
                }))
            }
            Value::Bv(..) | Value::Int(_) | Value::Array(_) => None,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Bool(truth) => !truth.may_hold && !truth.may_fail,
            Self::Float(floats) => !floats.has_numbers() && !floats.nan,
            Self::Word(words) => words.is_empty(),
        }
    }

    /// Both sets have the same sort, or the result is this one.
    pub(super) fn intersect(self, other: Self) -> Self {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => {
                Self::Bool(Truth { may_hold: a.may_hold && b.may_hold, may_fail: a.may_fail && b.may_fail })
            }
            (Self::Float(a), Self::Float(b)) => Self::Float(Floats {
                low: a.low.max(b.low),
                high: a.high.min(b.high),
                nan: a.nan && b.nan,
                ..a
            }),
            (Self::Word(a), Self::Word(b)) => Self::Word(a.intersect(b)),
            _ => self,
        }
    }

    pub(super) fn hull(self, other: Self) -> Self {
        match (self, other) {
            (Self::Bool(a), Self::Bool(b)) => {
                Self::Bool(Truth { may_hold: a.may_hold || b.may_hold, may_fail: a.may_fail || b.may_fail })
            }
            (Self::Float(a), Self::Float(b)) => Self::Float(Floats {
                low: a.low.min(b.low),
                high: a.high.max(b.high),
                nan: a.nan || b.nan,
                ..a
            }),
            (Self::Word(a), Self::Word(b)) if a.is_empty() => Self::Word(b),
            (Self::Word(a), Self::Word(b)) if !b.is_empty() => Self::Word(Words {
                low: a.low.min(b.low),
                high: a.high.max(b.high),
                least: a.least.min(b.least),
                most: a.most.max(b.most),
                ..a
            }),
            _ => self,
        }
    }

    /// The value, if there is one only. A zero may be two.
    pub(super) fn single(&self) -> Option<Value> {
        match *self {
            Self::Bool(Truth { may_hold, may_fail }) => {
                (may_hold != may_fail).then_some(Value::Bool(may_hold))
            }
            Self::Float(floats) => {
                let is_one = floats.low == floats.high && floats.low != 0.0 && !floats.nan;
                is_one.then(|| floats.value(floats.low))
            }
            Self::Word(words) => (words.low == words.high).then(|| Value::Bv(words.width, words.low.into())),
        }
    }

    #[cfg(test)]
    pub(super) fn contains(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Bool(truth), Value::Bool(value)) => {
                if *value {
                    truth.may_hold
                } else {
                    truth.may_fail
                }
            }
            (Self::Word(words), &Value::Bv(width, bits)) => {
                let one = Words::unsigned(width, bits as u64, bits as u64);
                words.low <= one.low
                    && one.high <= words.high
                    && words.least <= one.least
                    && one.most <= words.most
            }
            (Self::Float(floats), &Value::Float(_, bits)) => {
                let number = number(floats.is_single, bits);
                if number.is_nan() { floats.nan } else { floats.low <= number && number <= floats.high }
            }
            _ => false,
        }
    }
}

impl Truth {
    pub(super) const ANY: Self = Self { may_hold: true, may_fail: true };

    pub(super) fn of(value: bool) -> Self {
        Self { may_hold: value, may_fail: !value }
    }

    /// Known to hold, known to fail, or neither.
    pub(super) fn known(holds: bool, fails: bool) -> Self {
        Self { may_hold: !fails, may_fail: !holds }
    }

    pub(super) fn not(self) -> Self {
        Self { may_hold: self.may_fail, may_fail: self.may_hold }
    }
}

/// The number that the bits of a float mean.
pub(super) fn number(is_single: bool, bits: u128) -> f64 {
    if is_single { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits as u64) }
}

impl Floats {
    pub(super) fn all(is_single: bool) -> Self {
        Self { is_single, low: f64::NEG_INFINITY, high: f64::INFINITY, nan: true }
    }

    /// No numbers.
    pub(super) fn none(is_single: bool, nan: bool) -> Self {
        Self { is_single, low: f64::INFINITY, high: f64::NEG_INFINITY, nan }
    }

    /// No NaN; a bound that is NaN leaves no numbers.
    pub(super) fn between(is_single: bool, low: f64, high: f64) -> Self {
        if low <= high { Self { is_single, low, high, nan: false } } else { Self::none(is_single, false) }
    }

    pub(super) fn has_numbers(self) -> bool {
        self.low <= self.high
    }

    pub(super) fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    pub(super) fn has_infinity(self) -> bool {
        self.has_numbers() && (self.low == f64::NEG_INFINITY || self.high == f64::INFINITY)
    }

    pub(super) fn value(self, number: f64) -> Value {
        let (sort, bits) = if self.is_single {
            (FloatSort::F32, u128::from((number as f32).to_bits()))
        } else {
            (FloatSort::F64, u128::from(number.to_bits()))
        };
        Value::Float(sort, soft_float::canonical(sort, bits))
    }

    /// The next number above.
    pub(super) fn above(self, number: f64) -> f64 {
        if self.is_single { (number as f32).next_up().into() } else { number.next_up() }
    }

    pub(super) fn below(self, number: f64) -> f64 {
        if self.is_single { (number as f32).next_down().into() } else { number.next_down() }
    }
}

impl Words {
    pub(super) fn all(width: u8) -> Self {
        Self { width, low: 0, high: most_of(width), least: least_of(width), most: -(least_of(width) + 1) }
    }

    pub(super) fn unsigned(width: u8, low: u64, high: u64) -> Self {
        Self { low, high, ..Self::all(width) }.reduced()
    }

    pub(super) fn signed(width: u8, least: i64, most: i64) -> Self {
        Self { least, most, ..Self::all(width) }.reduced()
    }

    pub(super) fn is_empty(self) -> bool {
        self.low > self.high || self.least > self.most
    }

    pub(super) fn intersect(self, other: Self) -> Self {
        Self {
            low: self.low.max(other.low),
            high: self.high.min(other.high),
            least: self.least.max(other.least),
            most: self.most.min(other.most),
            ..self
        }
        .reduced()
    }

    /// What each interval says about the other one.
    pub(super) fn reduced(mut self) -> Self {
        if self.is_empty() {
            return self;
        }
        let half = 1u64 << (self.width - 1);
        let word = |number: i64| number as u64 & most_of(self.width);
        if self.least >= 0 || self.most < 0 {
            self.low = self.low.max(word(self.least));
            self.high = self.high.min(word(self.most));
        }
        if self.low > self.high {
            return self;
        }
        if self.high < half || self.low >= half {
            let number = |word: u64| sign_extended(self.width, word);
            self.least = self.least.max(number(self.low));
            self.most = self.most.min(number(self.high));
        } else if self.low > self.most as u64 {
            // Nothing is left of the words below the half.
            (self.low, self.most) = (half.max(word(self.least)), -1);
        } else if self.high < word(self.least) {
            (self.high, self.least) = (self.most as u64, self.low as i64);
        }
        self
    }

    /// The numbers that are not negative, and the others, if there are both.
    pub(super) fn by_sign(self) -> Option<(Self, Self)> {
        let half = 1u64 << (self.width - 1);
        (self.low < half && self.high >= half).then(|| {
            let other = Self { most: -1, ..self };
            (Self { least: 0, ..self }.reduced(), other.reduced())
        })
    }
}

pub(super) fn most_of(width: u8) -> u64 {
    u64::MAX >> (64 - u32::from(width.clamp(1, 64)))
}

fn least_of(width: u8) -> i64 {
    i64::MIN >> (64 - u32::from(width.clamp(1, 64)))
}

pub(super) fn sign_extended(width: u8, word: u64) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    (word << shift) as i64 >> shift
}
