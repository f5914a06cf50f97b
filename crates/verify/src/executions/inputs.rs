//! The inputs of each execution of the search, by its number. Programs mostly compare inputs with values that
//! are among their constants.

use std::rc::Rc;
use summa_c::float;
use summa_c::tree::ExprKind;
use summa_c::types::FloatKind;
use summa_cfa::{Cfa, HavocSource};
use summa_interp::{InputOrigin, InputRequest, InputSource, InputValue, Random, Zeros};

/// How many different constants of a program are tried as inputs.
const MAX_CONSTANTS: usize = 4_000;

/// Executions with smaller numbers have inputs of their own kind, the others take turns.
const SPECIAL: u64 = 10;

/// The constants that occur in a program.
pub(super) struct Inputs {
    numbers: Rc<[i128]>,
    floats: Rc<[f64]>,
}

impl Inputs {
    pub(super) fn new(cfa: &Cfa) -> Self {
        let (exprs, types) = (&cfa.program.exprs, &cfa.program.types);
        let mut numbers: Vec<i128> = exprs.expr_ids().filter_map(|id| exprs.as_int(id)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let float = |id| match exprs.expr(id).kind {
            ExprKind::Float(bits) => {
                let kind = types.float_kind(exprs.type_of(id))?;
                Some(f64::from_bits(float::convert(bits, kind, FloatKind::Double) as u64).abs())
            }
            _ => None,
        };
        let mut floats: Vec<f64> = exprs.expr_ids().filter_map(float).collect();
        floats.sort_unstable_by(f64::total_cmp);
        floats.dedup();
        Self { numbers: some_of(numbers), floats: some_of(floats) }
    }

    /// Special executions are tried with every length.
    pub(super) fn is_special(number: u64) -> bool {
        number < SPECIAL
    }

    /// Zeros come first. Then one value followed by another one without end: such data are not all equal, and
    /// where executions are long, few are tried. Then other constants. Then, in turn, small ranges, constants
    /// of the program, borders of the types, and values from the whole types.
    pub(super) fn of(&self, number: u64) -> Box<dyn InputSource> {
        let range = |low, high| Drawn::boxed(number, Choice::Range(low, high));
        match number {
            0 => Box::new(Zeros),
            1..=4 => Box::new(Parameter::new(number - 1)),
            5..=8 => range(number as i128 - 4, number as i128 - 4),
            9..SPECIAL => range(-1, -1),
            _ => match number % 8 {
                0 => range(0, 1),
                1 => range(0, 3),
                2 => range(-1, 7),
                3 => range(-16, 128),
                4 | 5 => Drawn::boxed(number, Choice::Near(self.numbers.clone(), self.floats.clone())),
                6 => Drawn::boxed(number, Choice::Border),
                _ => Box::new(Random::new(number)),
            },
        }
    }
}

/// One value first, and then always the same other one: a value that the program searches for in data that do
/// not contain it.
struct Parameter {
    first: Option<i128>,
    rest: i128,
}

impl Parameter {
    fn new(number: u64) -> Self {
        let (first, rest) = [(1, 0), (0, 1), (-1, 0), (0, -1)][number as usize % 4];
        Self { first: Some(first), rest }
    }
}

impl InputSource for Parameter {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        if request.origin == InputOrigin::Havoc(HavocSource::Allocation) && self.rest != 1 {
            return Some(InputValue::Int(0));
        }
        // Arguments of the program and uninitialised memory are used before the program asks for inputs.
        let is_asked = matches!(request.origin, InputOrigin::Havoc(HavocSource::Input(_)));
        let first = if is_asked { self.first.take() } else { None };
        let value = first.unwrap_or(self.rest);
        Some(match request.scalar.is_float() {
            true => InputValue::Float(value as f64),
            false => InputValue::Int(value),
        })
    }
}

/// If there are too many, a selection from all over.
fn some_of<T>(found: Vec<T>) -> Rc<[T]> {
    let step = found.len().div_ceil(MAX_CONSTANTS).max(1);
    found.into_iter().step_by(step).collect()
}

/// The sets from which values are drawn.
enum Choice {
    Range(i128, i128),
    /// One of these, or next to it; a float also from between such a number and its negation.
    Near(Rc<[i128]>, Rc<[f64]>),
    /// The least or the greatest value of the type, or next to it.
    Border,
}

struct Drawn {
    state: u64,
    choice: Choice,
}

impl Drawn {
    fn boxed(seed: u64, choice: Choice) -> Box<dyn InputSource> {
        Box::new(Self { state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1, choice })
    }

    /// Marsaglia's xorshift64; the state is never zero. 53 bits, as many as a float has.
    fn draw(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state >> 11
    }

    fn number(&mut self, width: u32) -> i128 {
        let (draw, offset) = (self.draw(), i128::from(self.draw() % 8));
        // Mostly the value itself.
        let nearby = if offset < 2 { 2 * offset - 1 } else { 0 };
        match &self.choice {
            Choice::Range(low, high) => low + i128::from(draw % ((high - low) as u64 + 1)),
            Choice::Near(numbers, _) => {
                let chosen = numbers.get(draw as usize % numbers.len().max(1)).copied().unwrap_or(0);
                chosen.wrapping_add(nearby)
            }
            Choice::Border => {
                let least = (1i128 << (width.clamp(1, 127) - 1)).wrapping_neg();
                let border = if draw.is_multiple_of(2) { least } else { !least };
                border.wrapping_add(nearby)
            }
        }
    }

    fn float(&mut self) -> f64 {
        let (draw, way) = (self.draw(), self.draw() % 8);
        // From -1 to 1.
        let part = self.draw() as f64 / (1u64 << 52) as f64 - 1.0;
        match &self.choice {
            Choice::Range(low, high) => {
                let (low, high) = (*low as f64, *high as f64);
                let drawn = low + (high - low) * (part + 1.0) / 2.0;
                if way < 4 { drawn.round() } else { drawn }
            }
            Choice::Near(numbers, floats) => {
                let count = numbers.len() + floats.len();
                let at = draw as usize % count.max(1);
                let chosen = match floats.get(at) {
                    Some(&float) => float,
                    None => numbers.get(at.saturating_sub(floats.len())).map_or(1.0, |&number| number as f64),
                };
                match way {
                    0 => chosen,
                    1 => -chosen,
                    // One of the next for a `float` or for a `double`.
                    2 => chosen * (1.0 + part.signum() * f64::from(f32::EPSILON)),
                    3 => chosen * (1.0 + part.signum() * f64::EPSILON),
                    _ => chosen * part,
                }
            }
            Choice::Border => match way {
                0 => f64::INFINITY,
                1 => f64::NEG_INFINITY,
                2 => f64::NAN,
                3 => f64::from(f32::MAX) * part.signum(),
                4 => f64::MAX * part.signum(),
                5 => f64::from(f32::MIN_POSITIVE) * part.signum(),
                6 => f64::MIN_POSITIVE * part.signum(),
                _ => -0.0,
            },
        }
    }
}

impl InputSource for Drawn {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        Some(if request.origin == InputOrigin::Havoc(HavocSource::Allocation) {
            // Rarely, because otherwise nothing after it is ever reached.
            InputValue::Int(i128::from(self.draw().is_multiple_of(16)))
        } else if request.scalar.is_float() {
            InputValue::Float(self.float())
        } else {
            InputValue::Int(self.number(request.scalar.width()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_interp::Scalar;

    fn draw(scalar: Scalar, number: u64) -> Vec<InputValue> {
        let edge = summa_base::Id::from_index(0);
        let function = summa_base::Id::from_index(0);
        let origin = InputOrigin::Havoc(HavocSource::Input(function));
        let request = InputRequest { scalar, origin, edge };
        let mut source = Inputs { numbers: Rc::new([100]), floats: Rc::new([0.8]) }.of(number);
        (0..60).filter_map(|_| source.next(&request)).collect()
    }

    #[test]
    fn executions_are_fixed_by_their_number() {
        // Written out: a float that is no number is not equal to itself.
        let text = |scalar, number| format!("{:?}", draw(scalar, number));
        for number in 0..40 {
            assert_eq!(text(Scalar::I32, number), text(Scalar::I32, number));
            assert_eq!(text(Scalar::F32, number), text(Scalar::F32, number));
        }
        assert_ne!(draw(Scalar::I32, 10), draw(Scalar::I32, 18));
    }

    #[test]
    fn one_value_and_then_another() {
        let drawn = draw(Scalar::I32, 2);
        assert_eq!(drawn[0], InputValue::Int(0));
        assert!(drawn[1..].iter().all(|value| *value == InputValue::Int(1)));
    }

    #[test]
    fn numbers_are_small_or_those_of_the_program() {
        let draw = |number| draw(Scalar::I32, number);
        assert!(draw(7).iter().all(|value| *value == InputValue::Int(3)));
        assert!(draw(9).iter().all(|value| *value == InputValue::Int(-1)));
        assert!([100, 101].iter().all(|&number| draw(12).contains(&InputValue::Int(number))));
        assert!(draw(14).contains(&InputValue::Int(i32::MIN.into())));
    }

    #[test]
    fn floats_are_also_between_the_numbers_of_the_program() {
        let drawn: Vec<InputValue> =
            [12, 13, 20].into_iter().flat_map(|number| draw(Scalar::F32, number)).collect();
        let is = |wanted: &dyn Fn(f64) -> bool| {
            drawn.iter().any(|value| matches!(value, InputValue::Float(value) if wanted(*value)))
        };
        assert!(is(&|value| value == 0.8) && is(&|value| value == -0.8) && is(&|value| value == 100.0));
        assert!(is(&|value| value > 0.4 && value < 0.79) && is(&|value| value < -0.4 && value > -0.79));
        assert!(is(&|value| value > 0.8 && value < 0.800_001));
        let borders = draw(Scalar::F64, 14);
        assert!(borders.iter().any(|value| matches!(value, InputValue::Float(value) if value.is_nan())));
    }
}
