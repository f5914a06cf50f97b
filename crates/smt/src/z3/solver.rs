//! [`Solver`] by Z3.
//!
//! Questions go to an incremental solver first, with a limit on its work. What it cannot decide with that is
//! asked again as a whole, of the solver that looks for a strategy: preprocessing, which an incremental
//! solver cannot do, decides questions in a fraction of a second that it does not decide in minutes. The
//! limit counts work, not time, so runs repeat.
//!
//! Before it gets all of that work, a question about few floats is asked of intervals (`crate::boxes`), and
//! one with floats, products or quotients in outline (`outline.rs`). A question about bits alone does not get
//! more of it (`bits.rs`), unless a core is wanted.

use super::bits::BitTerms;
use super::family::Family;
use super::native::{Ast, CheckResult, NativeError, NativeSolver, Stopped};
use super::outline::{Outlined, Outlines};
use super::values;
use crate::boxes::{self, Found};
use crate::model::Model;
use crate::solver::{Answer, Limits, Reason, Solver, Statistics};
use rustc_hash::FxHashMap;
use summa_base::clock::{self, Work};
use summa_term::{Kind, Op, Sort, Term, Terms, Value};

/// Z3's own count; a second or so.
const INCREMENTAL_WORK: u32 = 3_000_000;
/// What a question may take before it is worth an outline.
const FIRST_WORK: u32 = 300_000;
/// The part of a check's time that goes to its outline at most.
const OUTLINE_SHARE: f64 = 0.4;

/// A stack of assertions in Z3.
pub struct Z3Solver {
    family: Family,
    native: NativeSolver,
    /// The work that the incremental solver may do for one check.
    work: u32,
    outlines: Outlines,
    bits: BitTerms,
    /// The incremental solver gave the last answer.
    by_increment: bool,
    /// The solver of the last question, if that was asked as a whole.
    whole: Option<NativeSolver>,
    scopes: Vec<Scope>,
    limits: Limits,
    /// Native assumptions of the last check and the terms they stand for.
    assumed: Vec<(Ast, Term)>,
    last: Option<Answer>,
    statistics: Statistics,
}

/// What must be undone with a scope. The first one is never popped.
#[derive(Default)]
struct Scope {
    /// A formula that could not be asserted: every check in this scope is `Unknown`.
    failure: Option<NativeError>,
    /// Literals that imply an assumption which is not a literal itself.
    proxies: FxHashMap<Term, Ast>,
    /// What was asserted: models are asked for its symbols.
    formulas: Vec<Term>,
}

impl Z3Solver {
    /// # Errors
    /// Z3 could not make a solver: no memory.
    pub fn new(family: &Family) -> Result<Self, NativeError> {
        let native = NativeSolver::new(&family.context)?;
        Ok(Self {
            family: family.clone(),
            native,
            work: INCREMENTAL_WORK,
            outlines: Outlines::default(),
            bits: BitTerms::default(),
            by_increment: true,
            whole: None,
            scopes: vec![Scope::default()],
            limits: Limits::default(),
            assumed: Vec::new(),
            last: None,
            statistics: Statistics::default(),
        })
    }

    /// The work that the incremental solver may do for one check before the question is asked as a whole. The
    /// unit is Z3's own; it does some millions of them in a second.
    pub fn set_incremental_work(&mut self, limit: u32) {
        self.work = limit;
    }

    pub fn family(&self) -> &Family {
        &self.family
    }

    /// After `Sat`: a formula without `symbols` that implies `∃ symbols. body` and holds in the model found
    /// (model-based projection).
    ///
    /// # Errors
    /// Z3 cannot project here, or made something we cannot read.
    pub fn project(&mut self, terms: &mut Terms, symbols: &[Term], body: Term) -> Result<Term, NativeError> {
        let model = self.answering().model()?;
        let natives =
            symbols.iter().map(|&symbol| self.family.native(terms, symbol)).collect::<Result<Vec<_>, _>>()?;
        let body = self.family.native(terms, body)?;
        let projected = model.project(&natives, &body, &self.limits)?;
        self.family.import(terms, &projected)
    }

    /// After `Sat`: the value of a term in the model found, computed by Z3 itself.
    pub fn value(&mut self, terms: &mut Terms, term: Term) -> Option<Value> {
        let model = self.answering().model().ok()?;
        let native = self.family.native(terms, term).ok()?;
        values::read_value(terms, &model, &model.eval(&native, true).ok()?, 0).ok()
    }

    fn scope(&mut self) -> &mut Scope {
        if self.scopes.is_empty() {
            self.scopes.push(Scope::default());
        }
        let top = self.scopes.len() - 1;
        &mut self.scopes[top]
    }

    /// Z3 takes literals as assumptions; for other formulas a fresh literal is made to imply them.
    fn literal(&mut self, terms: &Terms, assumption: Term) -> Result<Ast, NativeError> {
        if is_literal(terms, assumption) {
            return self.family.native(terms, assumption);
        }
        if let Some(known) = self.scopes.iter().find_map(|scope| scope.proxies.get(&assumption)) {
            return Ok(known.clone());
        }
        let context = &self.family.context;
        let proxy = context.constant(terms, &format!("assume!{assumption}"), Sort::Bool)?;
        let formula = self.family.native(terms, assumption)?;
        let not_proxy = context.apply(terms, Op::Not, std::slice::from_ref(&proxy), Sort::Bool, None)?;
        let implied = context.apply(terms, Op::Or, &[not_proxy, formula], Sort::Bool, None)?;
        self.native.assert(&implied)?;
        self.scope().proxies.insert(assumption, proxy.clone());
        Ok(proxy)
    }

    fn assume(&mut self, terms: &Terms, assumptions: &[Term]) -> Result<Vec<Ast>, NativeError> {
        self.assumed.clear();
        for &assumption in assumptions {
            let literal = self.literal(terms, assumption)?;
            self.assumed.push((literal, assumption));
        }
        Ok(self.assumed.iter().map(|(literal, _)| literal.clone()).collect())
    }

    fn answer(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Answer {
        if let Some(failure) = self.scopes.iter().find_map(|scope| scope.failure.as_ref()) {
            return Answer::Unknown(Reason::Unsupported(failure.0.clone()));
        }
        if self.limits.is_interrupted() {
            return Answer::Unknown(Reason::Interrupted);
        }
        let literals = match self.assume(terms, assumptions) {
            Ok(literals) => literals,
            Err(failure) => return Answer::Unknown(Reason::Unsupported(failure.0)),
        };
        self.whole = None;
        let result = self.decide(terms, assumptions, &literals);
        match result {
            Ok(CheckResult::Sat) => Answer::Sat,
            Ok(CheckResult::Unsat) => Answer::Unsat,
            Ok(CheckResult::Unknown(Some(Stopped::TimeOut), _)) => Answer::Unknown(Reason::TimeOut),
            Ok(CheckResult::Unknown(Some(Stopped::Interrupted), _)) => Answer::Unknown(Reason::Interrupted),
            Ok(CheckResult::Unknown(None, reason)) => Answer::Unknown(Reason::Incomplete(reason)),
            Err(failure) => Answer::Unknown(Reason::Unsupported(failure.0)),
        }
    }

    /// Incrementally with little work, in outline, incrementally with more, and as a whole.
    fn decide(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        literals: &[Ast],
    ) -> Result<CheckResult, NativeError> {
        let start = Work::start();
        let mut result = self.native.check(literals, &self.limits, Some(self.work.min(FIRST_WORK)));
        self.by_increment = true;
        if let CheckResult::Unknown(None, _) = result {
            let limits = self.limits_since(&start);
            self.by_increment = false;
            match self.ask_in_boxes(terms, assumptions, &limits)? {
                Outlined::Unsat => return Ok(CheckResult::Unsat),
                Outlined::Sat(solver) => {
                    self.whole = Some(solver);
                    return Ok(CheckResult::Sat);
                }
                Outlined::Unknown => {}
            }
            match self.ask_in_outline(terms, assumptions, &limits)? {
                Outlined::Unsat => return Ok(CheckResult::Unsat),
                Outlined::Sat(solver) => {
                    self.whole = Some(solver);
                    return Ok(CheckResult::Sat);
                }
                Outlined::Unknown => {}
            }
            if self.work > FIRST_WORK && !(assumptions.is_empty() && self.is_about_bits(terms)) {
                result = self.native.check(literals, &self.limits_since(&start), Some(self.work));
                self.by_increment = true;
            }
        }
        match result {
            CheckResult::Unknown(None, _) => {
                self.by_increment = false;
                self.check_whole(terms, assumptions, &self.limits_since(&start))
            }
            decided => Ok(decided),
        }
    }

    fn is_about_bits(&mut self, terms: &Terms) -> bool {
        let mut asserted = self.scopes.iter().flat_map(|scope| &scope.formulas);
        asserted.all(|&formula| self.bits.is_about_bits(terms, formula))
    }

    /// What is left of the limits of a check.
    fn limits_since(&self, start: &Work) -> Limits {
        match self.limits.timeout {
            Some(timeout) => self.limits.at_most(timeout.saturating_sub(start.elapsed())),
            None => self.limits.clone(),
        }
    }

    /// Asks whether intervals decide it; Z3 has the model, if there is one.
    fn ask_in_boxes(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Outlined, NativeError> {
        let question = self.question(assumptions);
        match boxes::search(terms, &question, limits) {
            Some(Found::Unsat) => Ok(Outlined::Unsat),
            Some(Found::Model(model)) => {
                self.outlines.confirmed(&self.family, terms, &question, &model, limits)
            }
            None => Ok(Outlined::Unknown),
        }
    }

    /// All formulas that must hold.
    fn question(&self, assumptions: &[Term]) -> Vec<Term> {
        let asserted = self.scopes.iter().flat_map(|scope| &scope.formulas);
        asserted.chain(assumptions).copied().collect()
    }

    fn ask_in_outline(
        &mut self,
        terms: &mut Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<Outlined, NativeError> {
        let question = self.question(assumptions);
        // Most of the time is for the question itself, if that has a limit.
        let limits = match limits.timeout {
            Some(timeout) => limits.at_most(timeout.mul_f64(OUTLINE_SHARE)),
            None => limits.clone(),
        };
        self.outlines.ask(&self.family, terms, &question, &limits)
    }

    /// The whole question to a fresh solver.
    fn check_whole(
        &mut self,
        terms: &Terms,
        assumptions: &[Term],
        limits: &Limits,
    ) -> Result<CheckResult, NativeError> {
        let solver = NativeSolver::strategic(&self.family.context)?;
        for &formula in self.scopes.iter().flat_map(|scope| &scope.formulas).chain(assumptions) {
            solver.assert(&self.family.native(terms, formula)?)?;
        }
        let result = solver.check(&[], limits, None);
        self.whole = Some(solver);
        Ok(result)
    }

    /// The solver that gave the last answer.
    fn answering(&self) -> &NativeSolver {
        self.whole.as_ref().unwrap_or(&self.native)
    }
}

impl Solver for Z3Solver {
    fn push(&mut self) {
        self.native.push();
        self.scopes.push(Scope::default());
    }

    fn pop(&mut self) {
        if self.scopes.len() > 1 {
            self.scopes.pop();
            self.native.pop();
        }
    }

    fn level(&self) -> usize {
        self.scopes.len().saturating_sub(1)
    }

    fn assert(&mut self, terms: &Terms, formula: Term) {
        let asserted = self.family.native(terms, formula).and_then(|native| self.native.assert(&native));
        let scope = self.scope();
        scope.formulas.push(formula);
        if let Err(failure) = asserted {
            scope.failure.get_or_insert(failure);
        }
    }

    fn check(&mut self, terms: &mut Terms, assumptions: &[Term]) -> Answer {
        let start = clock::of_thread();
        let answer = self.answer(terms, assumptions);
        self.statistics.time += clock::of_thread().saturating_sub(start);
        self.statistics.count(&answer);
        self.last = Some(answer.clone());
        answer
    }

    fn model(&mut self, terms: &mut Terms) -> Option<Model> {
        if self.last != Some(Answer::Sat) {
            return None;
        }
        let native = self.answering().model().ok()?;
        let assumed = self.assumed.iter().map(|&(_, term)| term);
        let formulas: Vec<Term> =
            self.scopes.iter().flat_map(|scope| scope.formulas.iter().copied()).chain(assumed).collect();
        values::read(&self.family, terms, &native, &formulas).ok()
    }

    fn unsat_core(&mut self) -> Vec<Term> {
        if self.last != Some(Answer::Unsat) {
            return Vec::new();
        }
        // All assumptions are a core. Only the incremental solver gives a smaller one, and only of its own
        // answer.
        let core = if self.by_increment { self.native.core().ok() } else { None };
        let Some(core) = core else { return self.assumed.iter().map(|&(_, term)| term).collect() };
        self.assumed.iter().filter(|(literal, _)| core.contains(literal)).map(|&(_, term)| term).collect()
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn statistics(&self) -> Statistics {
        self.statistics
    }
}

fn is_literal(terms: &Terms, term: Term) -> bool {
    let atom = match terms.as_app(term) {
        Some((Op::Not, &[inner])) => inner,
        _ => term,
    };
    matches!(terms.kind(atom), Kind::Symbol(..))
}
