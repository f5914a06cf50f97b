//! Where nondeterministic values come from, and the record of them by which a run can be repeated.

use crate::scalar::{Scalar, convert};
use std::collections::VecDeque;
use summa_base::FxHashMap;
use summa_c::tree::{FuncId, VarId};
use summa_cfa::{EdgeId, HavocSource};

/// Why the machine needs a value that the program does not determine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputOrigin {
    Havoc(HavocSource),
    /// A read of something never written.
    Uninitialised,
    /// The result of an unmodelled function.
    External(FuncId),
}

/// A request for an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputRequest {
    pub scalar: Scalar,
    pub origin: InputOrigin,
    pub edge: EdgeId,
}

/// A value given for a request; converted to the requested type as by a cast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputValue {
    Int(i128),
    Float(f64),
    /// The bits of the requested type.
    Bits(u128),
}

impl InputValue {
    /// Reads `42`, `-7`, `0xff`, `1.5`, `1e3`, `inf`, `nan`, and `bits:0x3ff…` for the exact bits of a float.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(bits) = text.strip_prefix("bits:0x") {
            return u128::from_str_radix(bits, 16).ok().map(Self::Bits);
        }
        let (negative, digits) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let magnitude = match hex {
            Some(hex) => u128::from_str_radix(hex, 16).ok(),
            None if digits.starts_with(|c: char| c.is_ascii_digit()) => digits.parse::<u128>().ok(),
            None => None,
        };
        match magnitude {
            Some(m) => Some(Self::Int(if negative { (m as i128).wrapping_neg() } else { m as i128 })),
            None => text.parse().ok().map(Self::Float),
        }
    }

    /// The bits that this value has as a scalar of the requested type.
    pub fn to_bits(self, scalar: Scalar) -> u128 {
        match self {
            Self::Int(value) => convert(Scalar::I128, scalar, value as u128),
            Self::Float(value) => convert(Scalar::F64, scalar, value.to_bits().into()),
            Self::Bits(bits) if scalar.is_wide() => bits,
            Self::Bits(bits) => u128::from(scalar.extend(bits as u64)),
        }
    }
}

/// One input of a run, as it was used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputRecord {
    pub request: InputRequest,
    /// Canonical bits of the requested scalar.
    pub bits: u128,
    /// Where it was read from, if that is memory that `malloc` gave and nothing has written.
    pub allocated: Option<AllocatedPart>,
}

/// A part of an allocated object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllocatedPart {
    /// How many calls of `malloc` came before the one that made the object.
    pub allocation: u32,
    /// In bytes from the start of the object.
    pub offset: u64,
}

impl InputRecord {
    /// The value for a replay.
    pub fn value(&self) -> InputValue {
        if self.request.scalar.is_float() {
            InputValue::Bits(self.bits)
        } else {
            InputValue::Int(self.request.scalar.to_int(self.bits))
        }
    }
}

impl std::fmt::Display for InputRecord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.value() {
            InputValue::Int(value) if self.request.scalar == Scalar::U128 => write!(f, "{}", value as u128),
            InputValue::Int(value) => write!(f, "{value}"),
            InputValue::Float(value) => write!(f, "{value:?}"),
            InputValue::Bits(bits) => {
                let scalar = self.request.scalar;
                // The shortest number that means these bits, if it is read as one.
                let number = match scalar {
                    Scalar::F32 => format!("{:?}", f32::from_bits(bits as u32)),
                    Scalar::F64 => format!("{:?}", f64::from_bits(bits as u64)),
                    _ => String::new(),
                };
                match InputValue::parse(&number).map(|value| value.to_bits(scalar)) {
                    Some(same) if same == bits => f.write_str(&number),
                    _ => write!(f, "bits:{bits:#x}"),
                }
            }
        }
    }
}

/// Gives values to a run. `None` ends it.
pub trait InputSource {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue>;

    /// Does [`InputSource::initial`] ever give a value? Asked once, before the run.
    fn knows_initial(&self) -> bool {
        false
    }

    /// The value of a scalar local when its declaration is passed. A read before the first write then gives
    /// this value and asks for no other. Such a read is still a fault, and is recorded as an input when it
    /// happens.
    fn initial(&mut self, _var: VarId, _scalar: Scalar) -> Option<InputValue> {
        None
    }

    /// The same for the parts of a variable that is no scalar, or of an allocated object that became a
    /// variable.
    fn contents(&mut self, _var: VarId) -> Option<Vec<InitialPart>> {
        None
    }
}

/// Always zero: so allocations succeed.
#[derive(Clone, Copy, Debug, Default)]
pub struct Zeros;

impl InputSource for Zeros {
    fn next(&mut self, _: &InputRequest) -> Option<InputValue> {
        Some(InputValue::Int(0))
    }
}

/// A part of an object that nothing has written yet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InitialPart {
    /// In bytes from the start of the object.
    pub offset: u64,
    pub scalar: Scalar,
    pub value: InputValue,
}

/// Values of locals before they are written: by variable, in the order in which its declaration is passed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InitialValues {
    of_var: FxHashMap<VarId, VecDeque<InputValue>>,
    contents: FxHashMap<VarId, VecDeque<Vec<InitialPart>>>,
}

impl InitialValues {
    /// Adds a value after those that the variable already has.
    pub fn push(&mut self, var: VarId, value: InputValue) {
        self.of_var.entry(var).or_default().push_back(value);
    }

    /// The declaration of the variable is passed.
    pub fn take(&mut self, var: VarId) -> Option<InputValue> {
        self.of_var.get_mut(&var)?.pop_front()
    }

    /// Adds a part of a variable that is no scalar. Parts come in ascending order. Where they start again,
    /// the next life of the variable begins.
    pub fn push_part(&mut self, var: VarId, part: InitialPart) {
        let lives = self.contents.entry(var).or_default();
        match lives.back_mut() {
            Some(parts) if parts.last().is_some_and(|last| last.offset < part.offset) => parts.push(part),
            _ => lives.push_back(vec![part]),
        }
    }

    /// The same for an array by offset: `of` gives the element at an offset.
    pub fn push_array(&mut self, var: VarId, size: u64, scalar: Scalar, of: impl Fn(u64) -> InputValue) {
        let offsets = (0..size).step_by(scalar.bytes().max(1));
        let parts = offsets.map(|offset| InitialPart { offset, scalar, value: of(offset) }).collect();
        self.contents.entry(var).or_default().push_back(parts);
    }

    /// The parts of the variable, whose life begins.
    pub fn take_contents(&mut self, var: VarId) -> Option<Vec<InitialPart>> {
        self.contents.get_mut(&var)?.pop_front()
    }

    pub fn is_empty(&self) -> bool {
        self.of_var.is_empty() && self.contents.is_empty()
    }
}

/// The values of a list, in order.
#[derive(Clone, Debug, Default)]
pub struct List {
    values: VecDeque<InputValue>,
    initial: InitialValues,
    /// Serves every request, not only those that the program makes by itself.
    serves_all: bool,
}

impl List {
    /// Values for inputs of the program (`__VERIFIER_nondet_int()` and the like), and for choices of the
    /// environment: arguments, failing allocations, volatile objects. All other unknowns are zero.
    pub fn new(values: impl IntoIterator<Item = InputValue>) -> Self {
        let initial = InitialValues::default();
        Self { values: values.into_iter().collect(), initial, serves_all: false }
    }

    /// The same, with values of locals before they are written.
    #[must_use]
    pub fn with_initial(self, initial: InitialValues) -> Self {
        Self { initial, ..self }
    }

    /// Like [`List::new`], from a comma-separated list; the error is the part that is no value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let values = parts.map(|part| InputValue::parse(part).ok_or_else(|| part.to_string()));
        Ok(Self::new(values.collect::<Result<Vec<_>, _>>()?))
    }

    /// The inputs of an earlier run, of any origin.
    pub fn replay(records: &[InputRecord]) -> Self {
        Self { serves_all: true, ..Self::new(records.iter().map(InputRecord::value)) }
    }
}

impl InputSource for List {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        use HavocSource::{Allocation, EntryArgument, Global, Input, MaybeVolatile, Volatile};
        let is_given = matches!(
            request.origin,
            InputOrigin::Havoc(Input(_) | EntryArgument | Global | Allocation | Volatile | MaybeVolatile)
        );
        if self.serves_all || is_given { self.values.pop_front() } else { Zeros.next(request) }
    }

    fn knows_initial(&self) -> bool {
        !self.initial.is_empty()
    }

    fn initial(&mut self, var: VarId, _: Scalar) -> Option<InputValue> {
        self.initial.take(var)
    }

    fn contents(&mut self, var: VarId) -> Option<Vec<InitialPart>> {
        self.initial.take_contents(var)
    }
}

/// Pseudo-random values from a seed, mostly small or at the borders of their type: where branches are.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next 64 bits: SplitMix64 (Steele, Lea, Flood, 2014).
    pub fn draw(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn integer(&mut self, width: u32) -> i128 {
        let choice = self.draw() % 16;
        let random = self.draw();
        match choice {
            0..=3 => i128::from(random % 2),
            4..=8 => i128::from(random % 16),
            9 => -1 - i128::from(random % 8),
            10..=11 => i128::from(random % 256),
            // Near a power of two, the borders of the type among them.
            12..=13 => {
                let power = 1i128 << (random % u64::from(width.min(127)));
                power - 1 + i128::from(self.draw() % 3)
            }
            _ => (i128::from(random) << 64) | i128::from(self.draw()),
        }
    }

    fn float(&mut self) -> f64 {
        let choice = self.draw() % 8;
        let random = self.draw();
        match choice {
            0..=2 => (random % 16) as f64,
            3 => -((random % 16) as f64),
            4..=5 => (random % 2048) as f64 / 1024.0 - 1.0,
            _ => f64::from_bits(random),
        }
    }
}

impl InputSource for Random {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        let scalar = request.scalar;
        Some(match request.origin {
            InputOrigin::Havoc(HavocSource::Allocation) => {
                InputValue::Int(i128::from(self.draw().is_multiple_of(16)))
            }
            _ if scalar.is_float() => InputValue::Float(self.float()),
            _ => InputValue::Int(self.integer(scalar.width())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_inputs() {
        assert_eq!(InputValue::parse("-7"), Some(InputValue::Int(-7)));
        assert_eq!(InputValue::parse("0xff"), Some(InputValue::Int(255)));
        assert_eq!(InputValue::parse("1e3"), Some(InputValue::Float(1000.0)));
        assert_eq!(InputValue::parse("bits:0x7f"), Some(InputValue::Bits(127)));
        assert_eq!(InputValue::parse("zebra"), None);
        assert_eq!(InputValue::Int(300).to_bits(Scalar::U8), 44);
        assert_eq!(InputValue::Int(2).to_bits(Scalar::F64), 2f64.to_bits().into());
        assert!(List::parse("1, 2,x").is_err_and(|part| part == "x"));
    }

    #[test]
    fn floats_are_shown_as_numbers_that_mean_their_bits() {
        let shown = |scalar, bits: u128| {
            let origin = InputOrigin::Uninitialised;
            let request = InputRequest { scalar, origin, edge: summa_base::Id::from_index(0) };
            let text = InputRecord { request, bits, allocated: None }.to_string();
            assert_eq!(InputValue::parse(&text).map(|value| value.to_bits(scalar)), Some(bits), "{text}");
            text
        };
        for (number, text) in [(0.1_f32, "0.1"), (-0.0, "-0.0"), (1e30, "1e30"), (f32::INFINITY, "inf")] {
            assert_eq!(shown(Scalar::F32, number.to_bits().into()), text);
        }
        assert_eq!(shown(Scalar::F64, 0.1_f64.to_bits().into()), "0.1");
        assert_eq!(shown(Scalar::F32, 0x7fc0_0001), "bits:0x7fc00001", "one of many that are no number");
    }

    #[test]
    fn equal_seeds_give_equal_values() {
        let request = InputRequest {
            scalar: Scalar::I32,
            origin: InputOrigin::Uninitialised,
            edge: summa_base::Id::from_index(0),
        };
        let (mut a, mut b) = (Random::new(7), Random::new(7));
        let draws: Vec<_> = (0..100).map(|_| a.next(&request)).collect();
        assert!(draws.iter().all(|&v| v == b.next(&request)));
        assert!(draws.iter().any(|v| *v != draws[0]));
    }
}
