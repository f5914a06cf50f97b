//! A question as a list of operations, evaluated on sets forwards, and backwards to what its symbols can be.

use super::set::{Floats, Set, Truth, Words};
use super::{floats, words};
use summa_term::{FloatSort, Kind, Op, Sort, SymbolId, Term, Terms, Value, semantics};

/// Larger questions are not looked at.
const MOST_OPERATIONS: usize = 4_000;
/// Nor are those with more symbols.
const MOST_SYMBOLS: usize = 24;

pub(super) enum Node {
    Constant(Set),
    /// A symbol, by its position among all.
    Symbol(usize),
    Apply(Op, Box<[usize]>),
}

/// The operations of a question, arguments first.
pub(super) struct Program {
    pub(super) nodes: Vec<Node>,
    sorts: Vec<Sort>,
    /// The formulas that must hold together.
    pub(super) roots: Vec<usize>,
    pub(super) symbols: Vec<(SymbolId, u32, Sort)>,
    /// The symbols that each root depends on, as bits.
    pub(super) depends: Vec<u64>,
}

impl Program {
    /// None if there is something in the question that sets do not follow, or no float at all.
    pub(super) fn new(terms: &Terms, question: &[Term]) -> Option<Self> {
        let order = terms.post_order(question);
        if order.len() > MOST_OPERATIONS {
            return None;
        }
        let place: rustc_hash::FxHashMap<Term, usize> =
            order.iter().enumerate().map(|(at, &term)| (term, at)).collect();
        let mut program = Self {
            nodes: Vec::with_capacity(order.len()),
            sorts: Vec::with_capacity(order.len()),
            roots: question.iter().map(|formula| place[formula]).collect(),
            symbols: Vec::new(),
            depends: Vec::new(),
        };
        let mut uses: Vec<u64> = Vec::with_capacity(order.len());
        let mut has_floats = false;
        for &term in &order {
            let sort = terms.sort(term);
            Set::all(sort)?;
            has_floats |= matches!(sort, Sort::Float(_));
            let (node, used) = match terms.kind(term) {
                Kind::Symbol(name, version) => {
                    program.symbols.push((*name, *version, sort));
                    let at = program.symbols.len() - 1;
                    (Node::Symbol(at), 1 << at.min(63))
                }
                Kind::App(op, args) => {
                    if matches!(op, Op::Apply(_) | Op::Select | Op::Store | Op::ConstArray) {
                        return None;
                    }
                    let args: Box<[usize]> = args.iter().map(|arg| place[arg]).collect();
                    let used = args.iter().fold(0, |used, &arg| used | uses[arg]);
                    (Node::Apply(*op, args), used)
                }
                Kind::Quantified(..) => return None,
                _ => (Node::Constant(Set::of(&terms.constant_value(term)?)?), 0),
            };
            program.nodes.push(node);
            program.sorts.push(sort);
            uses.push(used);
        }
        program.depends = program.roots.iter().map(|&root| uses[root]).collect();
        (has_floats && program.symbols.len() <= MOST_SYMBOLS).then_some(program)
    }

    pub(super) fn everything(&self) -> Vec<Set> {
        self.symbols.iter().filter_map(|&(_, _, sort)| Set::all(sort)).collect()
    }

    /// The sets of all operations, where symbols have these.
    pub(super) fn evaluate(&self, of_symbols: &[Set], sets: &mut Vec<Set>) {
        sets.clear();
        for (node, &sort) in self.nodes.iter().zip(&self.sorts) {
            let set = match node {
                Node::Constant(set) => *set,
                Node::Symbol(at) => of_symbols[*at],
                Node::Apply(op, args) => apply(*op, sort, args, sets),
            };
            sets.push(set);
        }
    }

    /// Takes from the sets of the symbols what makes a formula false; `sets` are those of all operations.
    /// False: nothing is left.
    pub(super) fn narrow(&self, of_symbols: &mut [Set], sets: &mut [Set]) -> bool {
        let holds = Set::Bool(Truth::of(true));
        let mut todo: Vec<(usize, Set)> = self.roots.iter().map(|&root| (root, holds)).collect();
        while let Some((at, wanted)) = todo.pop() {
            let both = sets[at].intersect(wanted);
            if both.is_empty() {
                return false;
            }
            let is_new = both != sets[at];
            sets[at] = both;
            match &self.nodes[at] {
                Node::Constant(_) => {}
                Node::Symbol(symbol) => of_symbols[*symbol] = of_symbols[*symbol].intersect(both),
                Node::Apply(op, args) if is_new => demand(*op, args, both, sets, &mut todo),
                // What was known before demands nothing new.
                Node::Apply(..) => {}
            }
        }
        true
    }
}

fn apply(op: Op, sort: Sort, args: &[usize], sets: &[Set]) -> Set {
    let any = Set::all(sort).unwrap_or(Set::Bool(Truth::ANY));
    let found = match (op, args) {
        (Op::And | Op::Or, _) => {
            let is_and = op == Op::And;
            let truths = args.iter().filter_map(|&arg| truth(sets[arg]));
            let joined = truths.fold(Truth::of(is_and), |a, b| {
                if is_and {
                    Truth { may_hold: a.may_hold && b.may_hold, may_fail: a.may_fail || b.may_fail }
                } else {
                    Truth { may_hold: a.may_hold || b.may_hold, may_fail: a.may_fail && b.may_fail }
                }
            });
            Some(Set::Bool(joined))
        }
        (_, &[a]) => unary(op, sort, sets[a]),
        (_, &[a, b]) => binary(op, sets[a], sets[b], a == b),
        (Op::Ite, &[condition, a, b]) => match truth(sets[condition]) {
            Some(Truth { may_fail: false, .. }) => Some(sets[a]),
            Some(Truth { may_hold: false, .. }) => Some(sets[b]),
            _ => Some(sets[a].hull(sets[b])),
        },
        _ => None,
    };
    // What has one value is computed as everywhere else.
    match found {
        Some(found) => found,
        None => exactly(op, sort, args, sets).unwrap_or(any),
    }
}

fn exactly(op: Op, sort: Sort, args: &[usize], sets: &[Set]) -> Option<Set> {
    let values: Option<Vec<Value>> = args.iter().map(|&arg| sets[arg].single()).collect();
    Set::of(&semantics::apply(op, sort, &values?)?)
}

fn truth(set: Set) -> Option<Truth> {
    match set {
        Set::Bool(truth) => Some(truth),
        Set::Float(_) | Set::Word(_) => None,
    }
}

fn unary(op: Op, sort: Sort, a: Set) -> Option<Set> {
    let by_value = |is_single: bool, floats: Floats| {
        floats::monotone(floats, is_single, |number| {
            let value = semantics::apply(op, sort, &[floats.value(number)])?;
            let (_, bits) = value.as_float()?;
            Some(super::set::number(is_single, bits))
        })
    };
    Some(match (op, a, sort) {
        (Op::Not, Set::Bool(a), _) => Set::Bool(a.not()),
        (Op::FloatNeg, Set::Float(a), _) => Set::Float(floats::negated(a)),
        (Op::FloatAbs, Set::Float(a), _) => Set::Float(floats::absolute(a)),
        (Op::FloatSqrt, Set::Float(a), _) => Set::Float(floats::square_root(a)),
        (Op::FloatRoundToIntegral(_), Set::Float(a), _) => Set::Float(by_value(a.is_single, a)?),
        (Op::FloatToFloat, Set::Float(a), Sort::Float(to)) => Set::Float(by_value(to == FloatSort::F32, a)?),
        (Op::FloatIsNan, Set::Float(a), _) => Set::Bool(Truth { may_hold: a.nan, may_fail: a.has_numbers() }),
        (Op::FloatIsInf, Set::Float(a), _) => {
            let is_infinite = a.low == a.high && a.low.is_infinite() && !a.nan;
            Set::Bool(Truth::known(is_infinite, !a.has_infinity()))
        }
        (Op::FloatIsNegative, Set::Float(a), _) => {
            let is_known = a.has_numbers() && !a.nan;
            Set::Bool(Truth::known(is_known && a.high < 0.0, is_known && a.low > 0.0))
        }
        (Op::FloatFromBits, Set::Word(a), Sort::Float(to)) => {
            Set::Float(floats::from_bits(to == FloatSort::F32, a))
        }
        (Op::FloatFromSbv | Op::FloatFromUbv, Set::Word(a), Sort::Float(to)) => {
            let is_signed = op == Op::FloatFromSbv;
            let (low, high) = if is_signed { (a.least as u64, a.most as u64) } else { (a.low, a.high) };
            let float = |word: u64| {
                let number = words::as_number(word, if is_signed { 64 } else { a.width }, is_signed);
                let nearest = if to == FloatSort::F32 { f64::from(number as f32) } else { number as f64 };
                (!a.is_empty()).then_some(nearest)
            };
            Set::Float(Floats::between(to == FloatSort::F32, float(low)?, float(high)?))
        }
        (Op::FloatToSbv | Op::FloatToUbv, Set::Float(a), Sort::Bv(width)) => {
            Set::Word(floats::truncated(a, width, op == Op::FloatToSbv))
        }
        (Op::BvNot, Set::Word(a), _) => Set::Word(words::complement(a)),
        (Op::BvNeg, Set::Word(a), _) => Set::Word(words::negated(a)),
        (Op::BvExtract { hi, lo }, Set::Word(a), _) => Set::Word(words::extract(a, hi, lo)),
        (Op::BvZeroExtend, Set::Word(a), Sort::Bv(width)) => Set::Word(words::zero_extended(a, width)),
        (Op::BvSignExtend, Set::Word(a), Sort::Bv(width)) => Set::Word(words::sign_extended_to(a, width)),
        _ => return None,
    })
}

fn binary(op: Op, a: Set, b: Set, is_same: bool) -> Option<Set> {
    Some(match (op, a, b) {
        (Op::FloatAdd | Op::FloatSub | Op::FloatMul | Op::FloatDiv, Set::Float(a), Set::Float(b)) => {
            Set::Float(floats::arithmetic(op, a, b, is_same))
        }
        (Op::FloatLt | Op::FloatLe | Op::FloatEq, Set::Float(a), Set::Float(b)) => {
            Set::Bool(floats::compare(op, a, b))
        }
        (Op::Eq, Set::Float(a), Set::Float(b)) => {
            let is_one = Set::Float(a).single().is_some_and(|a| Set::Float(b).single() == Some(a));
            let apart = a.low > b.high || b.low > a.high;
            Set::Bool(Truth::known(is_one, apart && !(a.nan && b.nan)))
        }
        (Op::Eq, Set::Bool(a), Set::Bool(b)) => {
            let (one, other) = (Set::Bool(a).single(), Set::Bool(b).single());
            let is_known = one.is_some() && other.is_some();
            Set::Bool(Truth::known(is_known && one == other, is_known && one != other))
        }
        (Op::Eq | Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, Set::Word(a), Set::Word(b)) => {
            Set::Bool(words::compare(op, a, b))
        }
        (Op::BvConcat, Set::Word(a), Set::Word(b)) => Set::Word(words::concatenated(a, b)?),
        // These are left to exact computation on single values.
        (Op::BvSdiv | Op::BvSrem | Op::FloatRem | Op::FloatRounded(..), ..) => return None,
        (_, Set::Word(a), Set::Word(b)) => {
            let single = a.low == a.high && b.low == b.high;
            if single {
                return None;
            }
            Set::Word(words::binary(op, a, b))
        }
        _ => return None,
    })
}

/// What the arguments must be for the result to be one of these.
fn demand(op: Op, args: &[usize], result: Set, sets: &[Set], todo: &mut Vec<(usize, Set)>) {
    let fixed = match result {
        Set::Bool(Truth { may_hold, may_fail }) if may_hold != may_fail => Some(may_hold),
        _ => None,
    };
    match (op, args, fixed) {
        (Op::Not, &[a], Some(value)) => todo.push((a, Set::Bool(Truth::of(!value)))),
        (Op::And, _, Some(true)) | (Op::Or, _, Some(false)) => {
            todo.extend(args.iter().map(|&arg| (arg, Set::Bool(Truth::of(op == Op::And)))));
        }
        (Op::And | Op::Or, _, Some(value)) => {
            // One argument decides; if only one can, it does.
            let can = |arg: &&usize| {
                let Some(truth) = truth(sets[**arg]) else { return true };
                if value { truth.may_hold } else { truth.may_fail }
            };
            let mut able = args.iter().filter(can);
            if let (Some(&only), None) = (able.next(), able.next()) {
                todo.push((only, Set::Bool(Truth::of(value))));
            }
        }
        (Op::Ite, &[condition, a, b], _) => {
            let excludes = |branch: usize| sets[branch].intersect(result).is_empty();
            match truth(sets[condition]) {
                Some(Truth { may_fail: false, .. }) => todo.push((a, result)),
                Some(Truth { may_hold: false, .. }) => todo.push((b, result)),
                _ if excludes(a) => todo.extend([(condition, Set::Bool(Truth::of(false))), (b, result)]),
                _ if excludes(b) => todo.extend([(condition, Set::Bool(Truth::of(true))), (a, result)]),
                _ => {}
            }
        }
        (Op::FloatLt | Op::FloatLe | Op::FloatEq | Op::Eq, &[a, b], Some(holds)) => {
            match (sets[a], sets[b]) {
                (Set::Float(x), Set::Float(y)) => order_floats(op, holds, (a, x), (b, y), todo),
                (Set::Word(x), Set::Word(y)) => order_words(op, holds, (a, x), (b, y), todo),
                (x @ Set::Bool(_), y @ Set::Bool(_)) if holds => todo.extend([(a, y), (b, x)]),
                _ => {}
            }
        }
        (Op::BvUlt | Op::BvUle | Op::BvSlt | Op::BvSle, &[a, b], Some(holds)) => {
            if let (Set::Word(x), Set::Word(y)) = (sets[a], sets[b]) {
                order_words(op, holds, (a, x), (b, y), todo);
            }
        }
        (Op::FloatNeg, &[a], _) => {
            if let Set::Float(floats) = result {
                todo.push((a, Set::Float(floats::negated(floats))));
            }
        }
        (Op::FloatToFloat, &[a], _) => {
            // To the wider format, which is exact. The nearest singles of the bounds are bounds too.
            if let (Set::Float(wide), Set::Float(narrow)) = (result, sets[a])
                && narrow.is_single
                && !wide.is_single
                && wide.has_numbers()
            {
                let single = |number: f64| f64::from(number as f32);
                let bounds =
                    Floats { nan: wide.nan, ..Floats::between(true, single(wide.low), single(wide.high)) };
                todo.push((a, Set::Float(bounds)));
            }
        }
        (Op::FloatFromBits, &[a], _) => {
            if let Set::Float(floats) = result
                && let Some(bits) = floats::to_bits(floats)
            {
                todo.push((a, Set::Word(bits)));
            }
        }
        (Op::BvAnd, &[a, b], _) => {
            if let (Set::Word(x), Set::Word(y), Set::Word(masked)) = (sets[a], sets[b], result) {
                let inside = |words: Words, mask: Words| words::unmasked(words, mask, masked).map(Set::Word);
                todo.extend(inside(x, y).map(|set| (a, set)));
                todo.extend(inside(y, x).map(|set| (b, set)));
            }
        }
        (Op::BvZeroExtend | Op::BvSignExtend, &[a], _) => {
            if let (Set::Word(wide), Set::Word(narrow)) = (result, sets[a]) {
                let bounds = if op == Op::BvZeroExtend {
                    Words { low: wide.low, high: wide.high, ..Words::all(narrow.width) }
                } else {
                    Words { least: wide.least, most: wide.most, ..Words::all(narrow.width) }
                };
                todo.push((a, Set::Word(narrow.intersect(bounds))));
            }
        }
        _ => {}
    }
}

/// The bounds of two floats from how they compare.
fn order_floats(
    op: Op,
    holds: bool,
    (a, x): (usize, Floats),
    (b, y): (usize, Floats),
    todo: &mut Vec<(usize, Set)>,
) {
    let nan = op == Op::Eq && x.nan && y.nan;
    if !holds && (x.nan || y.nan || !matches!(op, Op::FloatLt | Op::FloatLe)) {
        return;
    }
    if matches!(op, Op::FloatEq | Op::Eq) {
        let both = Floats { low: x.low.max(y.low), high: x.high.min(y.high), nan, ..x };
        todo.extend([(a, Set::Float(both)), (b, Set::Float(Floats { is_single: y.is_single, ..both }))]);
        return;
    }
    // `¬(a < b)` is `b ≤ a` where both are numbers, and the other way round.
    let is_strict = (op == Op::FloatLt) == holds;
    let ((small, lower), (large, upper)) = if holds { ((a, x), (b, y)) } else { ((b, y), (a, x)) };
    let (below, above) =
        if is_strict { (upper.below(upper.high), lower.above(lower.low)) } else { (upper.high, lower.low) };
    let lower = Floats { high: lower.high.min(below), nan: false, ..lower };
    let upper = Floats { low: upper.low.max(above), nan: false, ..upper };
    todo.extend([(small, Set::Float(lower)), (large, Set::Float(upper))]);
}

/// The bounds of two words from how they compare.
fn order_words(
    op: Op,
    holds: bool,
    (a, x): (usize, Words),
    (b, y): (usize, Words),
    todo: &mut Vec<(usize, Set)>,
) {
    if op == Op::Eq {
        if holds {
            let both = x.intersect(y);
            todo.extend([(a, Set::Word(both)), (b, Set::Word(both))]);
        }
        return;
    }
    let is_strict = matches!(op, Op::BvUlt | Op::BvSlt) == holds;
    let ((small, mut lower), (large, mut upper)) = if holds { ((a, x), (b, y)) } else { ((b, y), (a, x)) };
    if matches!(op, Op::BvUlt | Op::BvUle) {
        let gap = u64::from(is_strict);
        if upper.high < gap || lower.low > u64::MAX - gap {
            return;
        }
        (lower.high, upper.low) = (lower.high.min(upper.high - gap), upper.low.max(lower.low + gap));
    } else {
        let gap = i64::from(is_strict);
        let (Some(most), Some(least)) = (upper.most.checked_sub(gap), lower.least.checked_add(gap)) else {
            return;
        };
        (lower.most, upper.least) = (lower.most.min(most), upper.least.max(least));
    }
    todo.extend([(small, Set::Word(lower.reduced())), (large, Set::Word(upper.reduced()))]);
}
