//! Elimination of existential quantifiers: `∃ symbols. formula` as a formula without them.
//!
//! In this order: solving equations ([`equation`]); bounds of integers ([`bounds`]); case splits over
//! disjunctions and conditionals; Z3's tactics and model-based projection, with a time-out. What remains is
//! dropped, which makes the result weaker than the quantified formula; [`Eliminated::exact`] says whether
//! that happened.

mod bit_sum;
mod bounds;
mod equation;

use crate::interpolate::problem::Vocabulary;
use crate::solver::Limits;
use crate::workbench::Workbench;
use crate::z3::{Family, NativeError};
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::Duration;
use summa_term::{Kind, Op, Quantifier, Sort, SymbolSets, Term, Terms};

/// A formula that `∃ symbols. formula` implies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Eliminated {
    pub formula: Term,
    /// Equivalent, not only implied.
    pub exact: bool,
}

/// A result may grow to this many nodes, counted as a tree; a larger one would not be useful.
const SIZE_LIMIT: u32 = 20_000;
/// Case splits in all of one elimination.
const SPLIT_LIMIT: u32 = 64;
/// Members of a disjunction that are split into cases.
const CASES_LIMIT: usize = 8;
/// Disjuncts that projection may need to cover everything.
const PROJECTION_LIMIT: usize = 12;
/// Larger questions are left to the solver as they are.
const EQUATIONS_PART_LIMIT: usize = 60;
const EQUATIONS_SIZE_LIMIT: u32 = 2_000;
/// For one call of a tactic.
const TACTIC_BUDGET: Duration = Duration::from_millis(300);

/// Elimination for callers with formulas of their own.
pub struct QuantifierElimination {
    bench: Workbench,
}

impl QuantifierElimination {
    /// # Errors
    /// Z3 could not make a solver: no memory.
    pub fn new(family: &Family) -> Result<Self, NativeError> {
        Ok(Self { bench: Workbench::new(family, Limits::default())? })
    }

    /// `∃ symbols. formula`.
    pub fn exists(
        &mut self,
        terms: &mut Terms,
        symbols: &[Term],
        formula: Term,
        limits: &Limits,
    ) -> Eliminated {
        self.bench.set_outer(limits.clone());
        let before = limits.timeout.and_then(|timeout| self.bench.within(timeout));
        let result = eliminate(&mut self.bench, terms, symbols, formula);
        self.bench.restore(before);
        result
    }
}

struct Eliminator<'a> {
    bench: &'a mut Workbench,
    splits_left: u32,
    /// The symbols of the formulas that were looked at.
    sets: SymbolSets,
}

/// `∃ symbols. formula`, as exactly as the budgets allow.
pub(crate) fn eliminate(
    bench: &mut Workbench,
    terms: &mut Terms,
    symbols: &[Term],
    formula: Term,
) -> Eliminated {
    let mut eliminator = Eliminator { bench, splits_left: SPLIT_LIMIT, sets: SymbolSets::new() };
    eliminator.run(terms, symbols, formula)
}

impl Eliminator<'_> {
    fn run(&mut self, terms: &mut Terms, symbols: &[Term], formula: Term) -> Eliminated {
        let mut symbols = symbols.to_vec();
        symbols.sort_unstable();
        symbols.dedup();
        let mut parts = terms.conjuncts(formula);
        let is_over = || self.bench.is_over();
        substitute_solutions(terms, &mut self.sets, &mut symbols, &mut parts, &is_over);

        let mut kept = Vec::new();
        let mut exact = true;
        for component in components(terms, &mut self.sets, &symbols, parts) {
            if component.symbols.is_empty() {
                kept.extend(component.parts);
                continue;
            }
            let result = self.component(terms, &component.symbols, component.parts);
            kept.push(result.formula);
            exact &= result.exact;
        }
        Eliminated { formula: terms.and(&kept), exact }
    }

    /// Parts that are connected by symbols, none of which can be solved for.
    fn component(&mut self, terms: &mut Terms, symbols: &[Term], mut parts: Vec<Term>) -> Eliminated {
        if self.bench.is_over() {
            return self.without(terms, symbols, parts);
        }
        let mut symbols = symbols.to_vec();
        if bounds::eliminate(terms, &mut self.sets, &mut symbols, &mut parts) {
            let formula = terms.and(&parts);
            return match symbols.is_empty() {
                true => Eliminated { formula, exact: true },
                false => self.run(terms, &symbols, formula),
            };
        }
        if let Some(result) = self.split(terms, &symbols, &parts) {
            return result;
        }
        let formula = terms.and(&parts);
        match self.by_solver(terms, &symbols, formula) {
            Some(formula) => Eliminated { formula, exact: true },
            None => self.without(terms, &symbols, parts),
        }
    }

    /// Less than is true: without the parts that mention a symbol.
    fn without(&mut self, terms: &mut Terms, symbols: &[Term], mut parts: Vec<Term>) -> Eliminated {
        parts.retain(|&part| !mentions(terms, &mut self.sets, part, symbols));
        Eliminated { formula: terms.and(&parts), exact: false }
    }

    /// `∃x. (a ∨ b) ∧ c` is `(∃x. a ∧ c) ∨ (∃x. b ∧ c)`; a conditional `if c then t else e` is split by `c`.
    fn split(&mut self, terms: &mut Terms, symbols: &[Term], parts: &[Term]) -> Option<Eliminated> {
        let (position, cases) = parts.iter().enumerate().find_map(|(i, &part)| {
            let cases = cases(terms, &mut self.sets, part, symbols)?;
            (2..=CASES_LIMIT).contains(&cases.len()).then_some((i, cases))
        })?;
        let needed = u32::try_from(cases.len()).ok()?;
        self.splits_left = self.splits_left.checked_sub(needed)?;
        let mut results = Vec::new();
        let mut exact = true;
        for case in cases {
            let mut all = parts.to_vec();
            all[position] = case;
            let body = terms.and(&all);
            let result = self.run(terms, symbols, body);
            exact &= result.exact;
            results.push(result.formula);
        }
        let formula = terms.or(&results);
        (terms.node(formula).size <= SIZE_LIMIT).then_some(Eliminated { formula, exact })
    }

    fn by_solver(&mut self, terms: &mut Terms, symbols: &[Term], formula: Term) -> Option<Term> {
        let only_integers =
            symbols.iter().all(|&symbol| matches!(terms.sort(symbol), Sort::Int | Sort::Bool));
        let before = self.bench.within(TACTIC_BUDGET);
        // Full elimination is good for linear integers; on bit-vectors it hangs or lists values.
        let result = if only_integers { self.by_tactic(terms, symbols, formula) } else { None };
        self.bench.restore(before);
        if result.is_some() {
            return result;
        }
        let before = self.bench.within(TACTIC_BUDGET);
        let result = self.by_projection(terms, symbols, formula);
        self.bench.restore(before);
        result
    }

    fn by_tactic(&mut self, terms: &mut Terms, symbols: &[Term], formula: Term) -> Option<Term> {
        let quantified = terms.quantify(Quantifier::Exists, symbols, formula);
        let family = self.bench.family.clone();
        let native = family.native(terms, quantified).ok()?;
        let goals = family.context.run_tactic("qe", &native, &self.bench.limits()).ok()?;
        let mut cases = Vec::new();
        for goal in goals {
            let parts =
                goal.iter().map(|part| family.import(terms, part)).collect::<Result<Vec<_>, _>>().ok()?;
            cases.push(terms.and(&parts));
        }
        let result = terms.or(&cases);
        let is_small = terms.node(result).size <= SIZE_LIMIT;
        (is_small && !mentions(terms, &mut self.sets, result, symbols)).then_some(result)
    }

    /// Projections of models until they cover the formula: then their disjunction is the quantified formula.
    fn by_projection(&mut self, terms: &mut Terms, symbols: &[Term], formula: Term) -> Option<Term> {
        let mut cases = Vec::new();
        let mut asserted = vec![formula];
        loop {
            match self.bench.project(terms, &asserted, symbols, formula).ok()? {
                None => return Some(terms.or(&cases)),
                Some(_) if cases.len() >= PROJECTION_LIMIT => return None,
                Some(case) => {
                    if terms.node(case).size > SIZE_LIMIT || mentions(terms, &mut self.sets, case, symbols) {
                        return None;
                    }
                    asserted.push(terms.not(case));
                    cases.push(case);
                }
            }
        }
    }
}

/// Formulas that are satisfiable together exactly if the given ones are, with fewer symbols: what equations
/// say is put in.
pub(crate) fn without_equations(terms: &mut Terms, formulas: &[Term]) -> Vec<Term> {
    let mut parts: Vec<Term> = formulas.iter().flat_map(|&formula| terms.conjuncts(formula)).collect();
    parts.sort_unstable();
    parts.dedup();
    let size = parts.iter().fold(0u32, |sum, &part| sum.saturating_add(terms.node(part).size));
    if parts.len() <= EQUATIONS_PART_LIMIT && size <= EQUATIONS_SIZE_LIMIT {
        let mut symbols = Vocabulary::of_all(terms, &parts).symbols;
        substitute_solutions(terms, &mut SymbolSets::new(), &mut symbols, &mut parts, &|| false);
    }
    parts
}

/// Replaces symbols by what equations say they are, until no equation can be solved, or the time is over.
fn substitute_solutions(
    terms: &mut Terms,
    sets: &mut SymbolSets,
    symbols: &mut Vec<Term>,
    parts: &mut Vec<Term>,
    is_over: &dyn Fn() -> bool,
) {
    // Symbols become fewer, so what could not be solved cannot be later.
    let mut unsolved: FxHashSet<Term> = FxHashSet::default();
    let mut decided: FxHashMap<Term, Term> = FxHashMap::default();
    while !is_over() {
        let direct = parts.iter().enumerate().find_map(|(i, &part)| {
            if unsolved.contains(&part) {
                return None;
            }
            let solution = equation::solve(terms, part, symbols);
            if solution.is_none() {
                unsolved.insert(part);
            }
            Some((i, solution?))
        });
        let found = direct.or_else(|| {
            let (i, solution, overwritten) = parts.iter().enumerate().find_map(|(i, &part)| {
                let (solution, overwritten) = equation::undo_store(terms, part, symbols)?;
                Some((i, solution, overwritten))
            })?;
            symbols.push(overwritten);
            unsolved.clear();
            Some((i, solution))
        });
        let Some((position, solution)) = found else { return };
        let mut others = parts.clone();
        others.remove(position);
        let (touched, mut others): (Vec<Term>, Vec<Term>) =
            others.into_iter().partition(|&part| mentions(terms, sets, part, &[solution.symbol]));
        let map = [(solution.symbol, solution.value)].into_iter().collect();
        others.extend(terms.substitute_all(&touched, &map));
        let mut next = terms.conjuncts(solution.condition);
        let mut size = 0u32;
        for part in others {
            let part = *decided.entry(part).or_insert_with(|| bit_sum::decided(terms, part));
            size = size.saturating_add(terms.node(part).size);
            next.extend(terms.conjuncts(part));
        }
        if size > SIZE_LIMIT {
            return; // the equation stays; the symbol is eliminated by other means or dropped
        }
        symbols.retain(|&symbol| symbol != solution.symbol);
        symbols.sort_unstable();
        next.sort_unstable();
        next.dedup();
        *parts = next;
    }
}

/// Parts connected by symbols that are to be eliminated.
struct Component {
    symbols: Vec<Term>,
    parts: Vec<Term>,
}

/// The first component has the parts without any of the symbols.
fn components(terms: &Terms, sets: &mut SymbolSets, symbols: &[Term], parts: Vec<Term>) -> Vec<Component> {
    let mut all = vec![Component { symbols: Vec::new(), parts: Vec::new() }];
    for part in parts {
        let used = sets.of(terms, part).iter().copied();
        let used: Vec<Term> = used.filter(|symbol| symbols.binary_search(symbol).is_ok()).collect();
        if used.is_empty() {
            all[0].parts.push(part);
            continue;
        }
        let mut merged = Component { symbols: used, parts: vec![part] };
        let (touching, apart): (Vec<_>, Vec<_>) = all
            .drain(1..)
            .partition(|component| component.symbols.iter().any(|symbol| merged.symbols.contains(symbol)));
        for component in touching {
            merged.symbols.extend(component.symbols);
            merged.parts.extend(component.parts);
        }
        merged.symbols.sort_unstable();
        merged.symbols.dedup();
        all.extend(apart);
        all.push(merged);
    }
    all
}

/// A formula that is a disjunction over the symbols, as its cases.
fn cases(terms: &mut Terms, sets: &mut SymbolSets, part: Term, symbols: &[Term]) -> Option<Vec<Term>> {
    if !mentions(terms, sets, part, symbols) {
        return None;
    }
    if matches!(terms.as_app(part), Some((Op::Or, _))) {
        return Some(terms.disjuncts(part));
    }
    if let Some((Op::Not, &[inner])) = terms.as_app(part)
        && let Some((Op::And, args)) = terms.as_app(inner)
    {
        let args = args.to_vec();
        return Some(args.into_iter().map(|arg| terms.not(arg)).collect());
    }
    let (condition, yes, no) = conditional_below(terms, sets, part, symbols)?;
    let [on, off] = [(condition, yes), (terms.not(condition), no)].map(|(guard, value)| {
        let map = [(value.0, value.1)].into_iter().collect();
        let replaced = terms.substitute(part, &map);
        terms.and2(guard, replaced)
    });
    Some(vec![on, off])
}

/// A conditional with one of the symbols somewhere below: its condition, and what it becomes when that holds
/// or not.
#[expect(clippy::type_complexity, reason = "two replacements of one subterm")]
fn conditional_below(
    terms: &Terms,
    sets: &mut SymbolSets,
    root: Term,
    symbols: &[Term],
) -> Option<(Term, (Term, Term), (Term, Term))> {
    let mut seen = FxHashSet::default();
    let mut stack = vec![root];
    while let Some(term) = stack.pop() {
        if !seen.insert(term) {
            continue;
        }
        let Kind::App(op, args) = terms.kind(term) else { continue };
        if *op == Op::Ite && mentions(terms, sets, term, symbols) {
            return Some((args[0], (term, args[1]), (term, args[2])));
        }
        stack.extend(args.iter());
    }
    None
}

/// Does one of the symbols occur?
fn mentions(terms: &Terms, sets: &mut SymbolSets, term: Term, symbols: &[Term]) -> bool {
    let set = sets.of(terms, term);
    symbols.iter().any(|symbol| set.binary_search(symbol).is_ok())
}
