//! Contradictions that need no solver: unit propagation from the last condition on a path.
//!
//! Contracts of functions say that the result is one of some numbers, or between two numbers. A condition on
//! the result, after the call, leaves few cases of a contract. If it leaves none, that is a contradiction. If
//! it leaves one, this case holds and may decide others.
//!
//! A case is excluded if a formula occurs with its negation, if bounds do not overlap, or after putting in
//! numbers.

use std::rc::Rc;
use summa_base::{FxHashMap, FxHashSet};
use summa_term::{Op, Sort, Term, Terms};

/// Facts with more cases are left to the solver.
const MAX_CASES: usize = 64;
/// The most facts that are looked at for one question.
const MAX_STEPS: usize = 200;

/// Something that holds in a case.
pub(crate) struct Part {
    formula: Term,
    negation: Term,
    symbols: Vec<Term>,
    /// A symbol that has a value.
    value: Option<(Term, Term)>,
    pub(crate) bounds: Vec<Bounds>,
}

/// One of the cases that a fact leaves open.
struct Case {
    parts: Vec<Part>,
    values: FxHashMap<Term, Term>,
}

/// In which order of numbers a bound is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Order {
    Integers,
    Signed,
    Unsigned,
}

impl Order {
    fn number(self, terms: &Terms, constant: Term) -> Option<i128> {
        match self {
            Self::Integers => i128::try_from(terms.as_int(constant)?).ok(),
            Self::Signed => terms.as_bv(constant).map(|(width, bits)| {
                let unused = 128 - u32::from(width);
                (bits as i128) << unused >> unused
            }),
            Self::Unsigned => i128::try_from(terms.as_bv(constant)?.1).ok(),
        }
    }

    /// The least and the greatest number that a symbol can be.
    pub(crate) fn range(self, terms: &Terms, symbol: Term) -> (i128, i128) {
        match (self, terms.sort(symbol)) {
            (Self::Signed, Sort::Bv(width)) => {
                let unused = 128 - u32::from(width);
                (i128::MIN >> unused, i128::MAX >> unused)
            }
            (Self::Unsigned, Sort::Bv(width)) => {
                (0, i128::try_from(u128::MAX >> (128 - u32::from(width))).unwrap_or(i128::MAX))
            }
            _ => (i128::MIN, i128::MAX),
        }
    }

    /// A number as a term of the symbol's sort.
    pub(crate) fn constant(self, terms: &mut Terms, symbol: Term, number: i128) -> Term {
        match terms.sort(symbol) {
            Sort::Bv(width) => terms.bv(width, number as u128),
            _ => terms.int(number),
        }
    }

    pub(crate) fn at_most(self, terms: &mut Terms, a: Term, b: Term) -> Term {
        match self {
            Self::Integers => terms.le(a, b),
            Self::Signed => terms.bv_sle(a, b),
            Self::Unsigned => terms.bv_ule(a, b),
        }
    }
}

/// A symbol lies between two numbers.
#[derive(Clone, Copy)]
pub(crate) struct Bounds {
    pub(crate) symbol: Term,
    pub(crate) order: Order,
    pub(crate) low: i128,
    pub(crate) high: i128,
}

impl Bounds {
    /// Bounds of a symbol with a value.
    fn point(terms: &Terms, symbol: Term, value: Term) -> Vec<Self> {
        let orders = match terms.sort(symbol) {
            Sort::Int => &[Order::Integers][..],
            Sort::Bv(_) => &[Order::Signed, Order::Unsigned],
            _ => &[],
        };
        let bounds = orders.iter().filter_map(|&order| {
            let number = order.number(terms, value)?;
            Some(Self { symbol, order, low: number, high: number })
        });
        bounds.collect()
    }

    /// What a comparison of a symbol with a number says.
    fn of(terms: &Terms, formula: Term) -> Option<Self> {
        if let Some((Op::Not, &[inner])) = terms.as_app(formula) {
            let Self { symbol, order, low, high } = Self::of(terms, inner)?;
            return match (low, high) {
                (i128::MIN, high) => Some(Self { symbol, order, low: high.checked_add(1)?, high: i128::MAX }),
                (low, i128::MAX) => Some(Self { symbol, order, low: i128::MIN, high: low.checked_sub(1)? }),
                _ => None,
            };
        }
        let (op, &[a, b]) = terms.as_app(formula)? else { return None };
        let (order, is_strict) = match op {
            Op::Le => (Order::Integers, false),
            Op::Lt => (Order::Integers, true),
            Op::BvSle => (Order::Signed, false),
            Op::BvSlt => (Order::Signed, true),
            Op::BvUle => (Order::Unsigned, false),
            Op::BvUlt => (Order::Unsigned, true),
            _ => return None,
        };
        let number = |term: Term| order.number(terms, term);
        let strict = i128::from(is_strict);
        match (terms.as_symbol(a), terms.as_symbol(b)) {
            (Some(_), None) => {
                Some(Self { symbol: a, order, low: i128::MIN, high: number(b)?.checked_sub(strict)? })
            }
            (None, Some(_)) => {
                Some(Self { symbol: b, order, low: number(a)?.checked_add(strict)?, high: i128::MAX })
            }
            _ => None,
        }
    }
}

/// Finds contradictions; remembers what formulas say.
#[derive(Default)]
pub(crate) struct Plain {
    cases: FxHashMap<Term, Rc<[Case]>>,
}

impl Plain {
    /// The ground for questions.
    pub(crate) fn ground(&mut self, terms: &mut Terms, facts: &[Term]) -> Ground {
        let mut ground = Ground::default();
        for &fact in facts {
            // Facts that contradict each other are for the solver.
            let _ = self.learn(terms, fact, &Ground::default(), &mut ground);
        }
        ground
    }

    /// Is it certain, without a solver, that the facts and the conditions have no common model? `false` says
    /// nothing.
    pub(crate) fn is_contradiction(
        &mut self,
        terms: &mut Terms,
        conditions: &[Term],
        ground: &Ground,
    ) -> bool {
        let mut more = Ground { values: ground.values.clone(), ..Ground::default() };
        if conditions.iter().any(|&condition| self.learn(terms, condition, ground, &mut more)) {
            return true;
        }
        let Some(&last) = conditions.last() else { return false };
        let mut touched = terms.free_symbols(last);
        let (mut done, mut steps): (FxHashSet<Term>, usize) = (FxHashSet::default(), 0);
        while let Some(symbol) = touched.pop() {
            let facts = [ground, &more].map(|known| known.by_symbol.get(&symbol).cloned());
            for fact in facts.into_iter().flatten().flatten() {
                steps += 1;
                if steps > MAX_STEPS {
                    return false;
                }
                if done.contains(&fact) {
                    continue;
                }
                let cases = self.cases(terms, fact);
                let mut open = cases.iter().filter(|case| !excludes(terms, [ground, &more], case, last));
                let Some(only) = open.next() else { return true };
                if open.next().is_some() {
                    continue;
                }
                done.insert(fact);
                for part in &only.parts {
                    if self.learn(terms, part.formula, ground, &mut more) {
                        return true;
                    }
                    touched.extend(&part.symbols);
                }
            }
        }
        false
    }

    /// A formula holds; true if it contradicts what else does. What has several cases is found by its
    /// symbols.
    fn learn(&mut self, terms: &mut Terms, formula: Term, ground: &Ground, more: &mut Ground) -> bool {
        let cases = self.cases(terms, formula);
        if let [case] = &cases[..] {
            return case.parts.iter().any(|part| {
                let is_whole = part.formula == formula;
                more.add(part, ground) || !is_whole && self.learn(terms, part.formula, ground, more)
            });
        }
        more.formulas.insert(formula);
        for symbol in terms.free_symbols(formula).into_iter().filter(|_| !cases.is_empty()) {
            more.by_symbol.entry(symbol).or_default().push(formula);
        }
        false
    }

    /// The cases of a formula; none if there are too many.
    fn cases(&mut self, terms: &mut Terms, formula: Term) -> Rc<[Case]> {
        if let Some(cases) = self.cases.get(&formula) {
            return cases.clone();
        }
        let mut disjuncts = terms.disjuncts(formula);
        if disjuncts.len() > MAX_CASES {
            disjuncts.clear();
        }
        let cases = disjuncts.into_iter().map(|disjunct| {
            let parts = terms.conjuncts(disjunct).into_iter().map(|part| Part::new(terms, part));
            let parts: Vec<Part> = parts.collect();
            Case { values: parts.iter().filter_map(|part| part.value).collect(), parts }
        });
        let cases: Rc<[Case]> = cases.collect();
        self.cases.insert(formula, cases.clone());
        cases
    }
}

impl Part {
    pub(crate) fn new(terms: &mut Terms, formula: Term) -> Self {
        let (value, bounds) = match terms.as_app(formula) {
            Some((Op::Eq, &[a, b])) => {
                let (place, value) = if terms.is_constant(a) { (b, a) } else { (a, b) };
                let is_value = terms.is_constant(value) && terms.as_symbol(place).is_some();
                let value = is_value.then_some((place, value));
                (value, value.map(|(place, value)| Bounds::point(terms, place, value)).unwrap_or_default())
            }
            _ => (None, Bounds::of(terms, formula).into_iter().collect()),
        };
        Self { formula, negation: terms.not(formula), symbols: terms.free_symbols(formula), value, bounds }
    }
}

/// What holds.
#[derive(Default)]
pub(crate) struct Ground {
    formulas: FxHashSet<Term>,
    values: FxHashMap<Term, Term>,
    bounds: FxHashMap<(Term, Order), (i128, i128)>,
    /// What has several cases.
    by_symbol: FxHashMap<Term, Vec<Term>>,
}

impl Ground {
    /// Adds a part to this ground; true if it contradicts the others.
    fn add(&mut self, part: &Part, ground: &Self) -> bool {
        self.formulas.insert(part.formula);
        self.values.extend(part.value);
        let is_known = |formula| self.formulas.contains(formula) || ground.formulas.contains(formula);
        let mut is_wrong = part.formula == Terms::FALSE || is_known(&part.negation);
        for bounds in &part.bounds {
            let key = (bounds.symbol, bounds.order);
            let before = || ground.bounds.get(&key).copied().unwrap_or((i128::MIN, i128::MAX));
            let (low, high) = self.bounds.entry(key).or_insert_with(before);
            (*low, *high) = (bounds.low.max(*low), bounds.high.min(*high));
            is_wrong |= low > high;
        }
        is_wrong
    }
}

/// Is the case not open? The second of the grounds has all the values, and the tighter bounds.
fn excludes(terms: &mut Terms, [ground, more]: [&Ground; 2], case: &Case, condition: Term) -> bool {
    let is_false = |part: &Part| {
        part.formula == Terms::FALSE
            || more.formulas.contains(&part.negation)
            || ground.formulas.contains(&part.negation)
            || part.bounds.iter().any(|bounds| {
                let key = (bounds.symbol, bounds.order);
                let known = more.bounds.get(&key).or_else(|| ground.bounds.get(&key));
                known.is_some_and(|&(low, high)| bounds.high < low || high < bounds.low)
            })
    };
    case.parts.iter().any(is_false)
        || !case.values.is_empty() && terms.substitute(condition, &case.values) == Terms::FALSE
        || case.parts.iter().any(|part| {
            part.symbols.iter().any(|symbol| more.values.contains_key(symbol))
                && terms.substitute(part.formula, &more.values) == Terms::FALSE
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn symbol(terms: &mut Terms, name: &str) -> Term {
        let symbol = terms.declare(name, Sort::Int);
        terms.symbol(symbol, 0)
    }

    #[test]
    fn conditions_are_false_in_every_case() {
        let mut terms = Terms::new();
        let (x, y) = (symbol(&mut terms, "x"), symbol(&mut terms, "y"));
        let numbers = [0, 1, 2].map(|number| terms.int(number));
        let is = |terms: &mut Terms, a, value: usize| terms.eq(a, numbers[value]);
        let (x0, x1, y0) = (is(&mut terms, x, 0), is(&mut terms, x, 1), is(&mut terms, y, 0));
        let first = terms.and2(x0, y0);
        let fact = terms.or2(first, x1);
        let negative = terms.lt(x, numbers[0]);
        let positive = terms.lt(numbers[0], x);
        let y_positive = terms.lt(numbers[0], y);
        let mut plain = Plain::default();
        let mut asked = |conditions: &[Term], facts: &[Term]| {
            let ground = plain.ground(&mut terms, facts);
            plain.is_contradiction(&mut terms, conditions, &ground)
        };
        assert!(asked(&[negative], &[fact]));
        assert!(asked(&[y_positive, negative], &[fact]));
        assert!(!asked(&[positive], &[fact]), "x may be 1");
        assert!(!asked(&[y_positive], &[fact]), "y is not known where x is 1");
        assert!(!asked(&[negative], &[]));
        let not_x1 = terms.not(x1);
        let ground = plain.ground(&mut terms, &[fact]);
        let conditions = [not_x1, y_positive];
        assert!(plain.is_contradiction(&mut terms, &conditions, &ground), "the case x = 1 is excluded");
    }

    #[test]
    fn bounds_are_compared_in_their_order() {
        let mut terms = Terms::new();
        let byte = terms.declare("b", Sort::Bv(8));
        let byte = terms.symbol(byte, 0);
        let [low, high] = [3, 200].map(|number| terms.bv(8, number));
        let at_least_3 = terms.bv_ule(low, byte);
        let below_200 = terms.bv_ult(byte, high);
        let fact = terms.and2(at_least_3, below_200);
        let two = terms.bv(8, 2);
        let small = terms.bv_ule(byte, two);
        let large = terms.bv_ule(high, byte);
        // 200 is negative, and so is less than 2.
        let small_signed = terms.bv_sle(byte, two);
        let mut plain = Plain::default();
        for (condition, is_excluded) in [(small, true), (large, true), (small_signed, false)] {
            let ground = plain.ground(&mut terms, &[fact]);
            assert_eq!(plain.is_contradiction(&mut terms, &[condition], &ground), is_excluded);
            let negation = terms.not(condition);
            assert!(!plain.is_contradiction(&mut terms, &[negation], &ground));
        }
    }

    #[test]
    fn conditions_beside_their_negations() {
        let mut terms = Terms::new();
        let (x, y) = (symbol(&mut terms, "x"), symbol(&mut terms, "y"));
        let less = terms.lt(x, y);
        let not_less = terms.not(less);
        let mut plain = Plain::default();
        let ground = plain.ground(&mut terms, &[not_less]);
        assert!(plain.is_contradiction(&mut terms, &[less], &ground));
        assert!(plain.is_contradiction(&mut terms, &[less, not_less], &Ground::default()));
        let ground = plain.ground(&mut terms, &[less]);
        assert!(!plain.is_contradiction(&mut terms, &[less], &ground));
    }
}
