//! Branch and prune: questions about few floats, decided by intervals.
//!
//! A polynomial of one float is a circuit of a hundred thousand gates, and bits say little about its range.
//! Intervals say much: where each symbol lies in an interval, every operation has bounds, and formulas that
//! no value in these bounds satisfies exclude the whole box. A box that is not excluded is narrowed by what
//! comparisons demand of symbols, and then split in two. If no box is left, the question is unsatisfiable. A
//! point of a box that satisfies all formulas, computed exactly, is a model.
//!
//! Compare Van Hentenryck, McAllester, Kapur, "Solving polynomial systems using a branch and prune approach",
//! SIAM J. Numer. Anal. 1997; Benhamou and others, "Revising hull and box consistency", ICLP 1999. Here sets
//! are those of the machine's numbers: rounding is monotone, so bounds are exact and need no outward
//! rounding.
//!
//! Engines and checker both ask through here, so the checker relies on these intervals as it does on Z3. The
//! tests compare them with exact computation on random terms.
//!
//! Limits: floats of 32 and 64 bits, words up to 64 bits and truth values; no arrays, integers or functions.
//! Questions without floats are left to the solver. The number of boxes is bounded by the work they take, and
//! then there is no answer.

mod floats;
mod program;
mod set;
#[cfg(test)]
mod tests;
mod words;

use crate::model::Model;
use crate::solver::Limits;
use program::Program;
use set::{Floats, Set, Truth, Words};
use summa_base::clock::{self, Unit};
use summa_term::{Evaluator, Term, Terms, Value};

/// Operations on sets that one question may take; a fraction of a second.
const MOST_WORK: u64 = 40_000_000;
/// Times that a box is narrowed before it is split.
const NARROWINGS: usize = 8;
/// The work of exact computation, compared with that on sets.
const EXACT: u64 = 20;
/// Symbols that are zero with either sign, all combinations of which are tried.
const MOST_ZEROS: usize = 4;
/// Operations between two looks at the limits.
const PATIENCE: u64 = 1_000_000;

pub(crate) enum Found {
    Unsat,
    /// Satisfies the question, computed exactly.
    Model(Model),
}

/// Decides the conjunction, if boxes can.
pub(crate) fn search(terms: &Terms, question: &[Term], limits: &Limits) -> Option<Found> {
    let program = Program::new(terms, question)?;
    let most = limits.timeout.map_or(MOST_WORK, |time| clock::steps(time).min(MOST_WORK));
    let mut search = Search { terms, question, program, sets: Vec::new(), work: 0, most };
    let found = search.run(limits);
    clock::count(Unit::Step, search.work);
    found
}

struct Search<'s> {
    terms: &'s Terms,
    question: &'s [Term],
    program: Program,
    /// The sets of all operations in the current box.
    sets: Vec<Set>,
    work: u64,
    most: u64,
}

/// What is known of a box.
enum Judged {
    Excluded,
    /// It has a point that is a model.
    Model(Model),
    Open,
}

impl Search<'_> {
    fn run(&mut self, limits: &Limits) -> Option<Found> {
        let mut boxes = vec![(self.program.everything(), 0)];
        let mut looked = 0;
        while let Some((mut of_symbols, depth)) = boxes.pop() {
            if self.work > self.most {
                return None;
            }
            if self.work - looked > PATIENCE {
                looked = self.work;
                if limits.is_interrupted() {
                    return None;
                }
            }
            match self.judge(&mut of_symbols)? {
                Judged::Excluded => {}
                Judged::Model(model) => return Some(Found::Model(model)),
                Judged::Open => {
                    let at = self.to_split(&of_symbols, depth)?;
                    let (one, other) = halves(of_symbols[at])?;
                    let mut second = of_symbols.clone();
                    (of_symbols[at], second[at]) = (one, other);
                    boxes.extend([(second, depth + 1), (of_symbols, depth + 1)]);
                }
            }
        }
        Some(Found::Unsat)
    }

    /// None: it is a single point, and its value is not determined.
    fn judge(&mut self, of_symbols: &mut [Set]) -> Option<Judged> {
        for _ in 0..NARROWINGS {
            self.evaluate(of_symbols);
            if self.roots().any(|truth| !truth.may_hold) {
                return Some(Judged::Excluded);
            }
            let before = of_symbols.to_vec();
            if !self.program.narrow(of_symbols, &mut self.sets) || of_symbols.iter().any(Set::is_empty) {
                return Some(Judged::Excluded);
            }
            if before == of_symbols {
                break;
            }
        }
        let values: Vec<Vec<Value>> = of_symbols.iter().map(few_values).collect();
        if values.iter().all(|few| !few.is_empty()) {
            return self.judge_points(&values);
        }
        let point: Vec<Value> = of_symbols.iter().map(middle).collect();
        let of_point: Option<Vec<Set>> = point.iter().map(Set::of).collect();
        self.evaluate(&of_point?);
        if self.roots().all(|truth| truth.may_hold)
            && let Some((model, Some(true))) = self.exactly(point)
        {
            return Some(Judged::Model(model));
        }
        // The sets of the box again, which tell what to split.
        self.evaluate(of_symbols);
        Some(Judged::Open)
    }

    /// Each symbol has one value, or is a zero of either sign.
    fn judge_points(&mut self, values: &[Vec<Value>]) -> Option<Judged> {
        let doubled = values.iter().filter(|few| few.len() > 1).count();
        if doubled > MOST_ZEROS {
            return None;
        }
        for number in 0..1usize << doubled {
            let mut choices = number;
            let point = values.iter().map(|few| {
                let choice = if few.len() > 1 { choices & 1 } else { 0 };
                choices >>= few.len() - 1;
                few[choice].clone()
            });
            let (model, holds) = self.exactly(point.collect())?;
            if holds? {
                return Some(Judged::Model(model));
            }
        }
        Some(Judged::Excluded)
    }

    /// The point as a model, and whether it satisfies the question; none if that is not determined.
    fn exactly(&mut self, point: Vec<Value>) -> Option<(Model, Option<bool>)> {
        let mut model = Model::new();
        for (&(name, version, _), value) in self.program.symbols.iter().zip(point) {
            model.set(name, version, value);
        }
        let mut evaluator = Evaluator::new(self.terms, &model);
        let truths: Option<Vec<bool>> =
            self.question.iter().map(|&formula| evaluator.is_true(formula)).collect();
        let holds = truths.map(|truths| truths.iter().all(|&holds| holds));
        self.work += EXACT * self.sets.len() as u64;
        Some((model, holds))
    }

    fn evaluate(&mut self, of_symbols: &[Set]) {
        self.program.evaluate(of_symbols, &mut self.sets);
        self.work += self.sets.len() as u64;
    }

    fn roots(&self) -> impl Iterator<Item = Truth> + '_ {
        self.program.roots.iter().map(|&root| match self.sets[root] {
            Set::Bool(truth) => truth,
            Set::Float(_) | Set::Word(_) => Truth::ANY,
        })
    }

    /// A symbol that matters to an open formula with few symbols, each in its turn.
    fn to_split(&self, of_symbols: &[Set], depth: usize) -> Option<usize> {
        let can_split = |at: &usize| halves(of_symbols[*at]).is_some();
        let open = self.roots().zip(&self.program.depends).filter(|(truth, _)| truth.may_fail);
        let symbols_of = |mask: u64| {
            (0..of_symbols.len())
                .filter(move |&at| mask >> at & 1 == 1)
                .filter(can_split)
                .collect::<Vec<usize>>()
        };
        let choices = open.map(|(_, &mask)| symbols_of(mask)).filter(|symbols| !symbols.is_empty());
        let symbols = choices.min_by_key(Vec::len)?;
        Some(symbols[depth % symbols.len()])
    }
}

/// All values, if there is one, or two zeros; none otherwise.
fn few_values(set: &Set) -> Vec<Value> {
    match *set {
        Set::Float(floats) if floats.low == 0.0 && floats.high == 0.0 && !floats.nan => {
            vec![floats.value(0.0), floats.value(-0.0)]
        }
        Set::Float(floats) if floats.nan && !floats.has_numbers() => vec![floats.value(f64::NAN)],
        _ => set.single().into_iter().collect(),
    }
}

/// A value of the set.
fn middle(set: &Set) -> Value {
    match *set {
        Set::Bool(truth) => Value::Bool(truth.may_hold),
        Set::Word(words) => {
            let Words { width, low, high, .. } = words.by_sign().map_or(words, |(natural, _)| natural);
            Value::Bv(width, u128::from(low + (high - low) / 2))
        }
        Set::Float(floats) => floats.value(if floats.has_numbers() { between(floats) } else { f64::NAN }),
    }
}

/// Two parts that together are the whole; none if it has one value only.
fn halves(set: Set) -> Option<(Set, Set)> {
    match set {
        Set::Bool(truth) => {
            (truth == Truth::ANY).then_some((Set::Bool(Truth::of(true)), Set::Bool(Truth::of(false))))
        }
        Set::Word(words) => {
            if let Some((natural, negative)) = words.by_sign() {
                return Some((Set::Word(natural), Set::Word(negative)));
            }
            let middle = words.low + (words.high.checked_sub(words.low)?) / 2;
            let part =
                |low: u64, high: u64| Set::Word(words.intersect(Words::unsigned(words.width, low, high)));
            (words.low < words.high).then(|| (part(words.low, middle), part(middle + 1, words.high)))
        }
        Set::Float(floats) if floats.nan => {
            let numbers = Set::Float(Floats { nan: false, ..floats });
            let nan = Set::Float(Floats::none(floats.is_single, true));
            floats.has_numbers().then_some((numbers, nan))
        }
        Set::Float(floats) if floats.low < floats.high => {
            let middle = between(floats);
            // The middle is below the upper bound, so both parts are smaller.
            let middle = if middle >= floats.high { floats.below(floats.high) } else { middle };
            let part = |low: f64, high: f64| Set::Float(Floats { low, high, ..floats });
            Some((part(floats.low, middle), part(floats.above(middle), floats.high)))
        }
        // A zero of unknown sign, too: nothing here can tell the two apart.
        Set::Float(_) => None,
    }
}

/// A number between the bounds: in the middle by size if both have one sign and differ much, so that a few
/// steps lead from the largest numbers to small ones; otherwise in the middle.
fn between(floats: Floats) -> f64 {
    let (low, high) = (floats.low, floats.high);
    if low < 0.0 && high > 0.0 {
        // Symmetric sets are cut at zero. So are infinite ones.
        return if (low + high) == 0.0 || low.is_infinite() || high.is_infinite() {
            0.0
        } else {
            nearest(floats, low / 2.0 + high / 2.0)
        };
    }
    let (small, large) = if high <= 0.0 { (-high, -low) } else { (low, high) };
    if large > 16.0 * small.max(1e-9) {
        let least = small.max(f64::from(f32::MIN_POSITIVE));
        let most = large.min(f64::MAX).max(least);
        let middle = least.sqrt() * most.sqrt();
        return nearest(floats, if high <= 0.0 { -middle } else { middle });
    }
    nearest(floats, low / 2.0 + high / 2.0)
}

/// The number as one of the format, and between the bounds.
fn nearest(floats: Floats, number: f64) -> f64 {
    let number = if floats.is_single { f64::from(number as f32) } else { number };
    number.clamp(floats.low, floats.high)
}
