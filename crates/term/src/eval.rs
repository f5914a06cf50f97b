//! Exact evaluation of terms under an assignment. `None` means that the value is not determined: a symbol
//! without value counts, or an operator that may be anything there.

use crate::kind::{FunctionId, Kind, Op, SymbolId};
use crate::semantics;
use crate::sort::Sort;
use crate::store::{Term, Terms};
use crate::value::Value;
use dashu_int::IBig;
use summa_base::FxHashMap;

/// The least number of indices of a chain of writes that are evaluated before the chain is looked at again.
const INDICES_AT_ONCE: usize = 64;

/// Values of symbols and functions.
pub trait Assignment {
    fn value(&self, symbol: SymbolId, version: u32, sort: Sort) -> Option<Value>;

    /// The value of an uninterpreted function at these arguments.
    fn function(&self, _function: FunctionId, _args: &[Value]) -> Option<Value> {
        None
    }
}

impl Assignment for FxHashMap<(SymbolId, u32), Value> {
    fn value(&self, symbol: SymbolId, version: u32, _sort: Sort) -> Option<Value> {
        self.get(&(symbol, version)).cloned()
    }
}

/// Evaluates terms of one store under one assignment and remembers the values of all subterms it needed.
pub struct Evaluator<'a> {
    terms: &'a Terms,
    assignment: &'a dyn Assignment,
    values: FxHashMap<Term, Option<Value>>,
}

impl Terms {
    /// The value of one term; [`Evaluator`] shares the work between many.
    pub fn eval(&self, term: Term, assignment: &dyn Assignment) -> Option<Value> {
        Evaluator::new(self, assignment).eval(term)
    }
}

/// What to do with a term on the stack.
enum Step {
    Done(Option<Value>),
    /// What is needed first is on the stack.
    Wait,
}

impl<'a> Evaluator<'a> {
    pub fn new(terms: &'a Terms, assignment: &'a dyn Assignment) -> Self {
        Self { terms, assignment, values: FxHashMap::default() }
    }

    pub fn eval(&mut self, term: Term) -> Option<Value> {
        let mut stack = vec![term];
        while let Some(&next) = stack.last() {
            if self.values.contains_key(&next) {
                stack.pop();
                continue;
            }
            match self.step(next, &mut stack) {
                Step::Wait => {}
                Step::Done(value) => {
                    self.values.insert(next, value);
                    stack.pop();
                }
            }
        }
        self.values.get(&term).cloned().flatten()
    }

    /// A formula under the assignment.
    pub fn is_true(&mut self, formula: Term) -> Option<bool> {
        self.eval(formula)?.as_bool()
    }

    fn step(&self, term: Term, stack: &mut Vec<Term>) -> Step {
        match self.terms.kind(term) {
            Kind::Symbol(symbol, version) => {
                Step::Done(self.assignment.value(*symbol, *version, self.terms.sort(term)))
            }
            Kind::App(Op::Ite, args) => self.step_ite(args, stack),
            Kind::App(Op::And, args) => self.step_junction(args, false, stack),
            Kind::App(Op::Or, args) => self.step_junction(args, true, stack),
            Kind::App(Op::Select, args) => self.step_select(args[0], args[1], stack),
            Kind::App(op, args) => self.step_app(*op, args, self.terms.sort(term), stack),
            Kind::Quantified(..) => Step::Done(None),
            _ => Step::Done(self.terms.constant_value(term)),
        }
    }

    /// Only the branch that counts is evaluated; both if the condition is unknown.
    fn step_ite(&self, args: &[Term], stack: &mut Vec<Term>) -> Step {
        let Some(condition) = self.values.get(&args[0]) else {
            stack.push(args[0]);
            return Step::Wait;
        };
        if let Some(Value::Bool(condition)) = condition {
            let branch = if *condition { args[1] } else { args[2] };
            return self.value_or_wait(branch, stack);
        }
        match (self.values.get(&args[1]), self.values.get(&args[2])) {
            (Some(a), Some(b)) => Step::Done(match (a, b) {
                (Some(a), Some(b)) if a.same(b) => Some(a.clone()),
                _ => None,
            }),
            (a, b) => {
                stack.extend(a.is_none().then_some(args[1]));
                stack.extend(b.is_none().then_some(args[2]));
                Step::Wait
            }
        }
    }

    /// One member with the deciding value is enough, whatever the others are. All that are not known yet are
    /// pushed at once: to wait for one after the other would scan a long list again and again.
    fn step_junction(&self, args: &[Term], deciding: bool, stack: &mut Vec<Term>) -> Step {
        let (mut unknown, waiting) = (false, stack.len());
        for &arg in args {
            match self.values.get(&arg) {
                Some(Some(Value::Bool(value))) if *value == deciding => {
                    stack.truncate(waiting);
                    return Step::Done(Some(Value::Bool(deciding)));
                }
                Some(Some(_)) => {}
                Some(None) => unknown = true,
                None => stack.push(arg),
            }
        }
        if stack.len() > waiting {
            return Step::Wait;
        }
        Step::Done((!unknown).then_some(Value::Bool(!deciding)))
    }

    /// Reads go down a chain of writes without making the arrays in between.
    fn step_select(&self, array: Term, index: Term, stack: &mut Vec<Term>) -> Step {
        let Some(index_value) = self.values.get(&index) else {
            stack.push(index);
            return Step::Wait;
        };
        let Some(at) = index_value else { return Step::Done(None) };
        let (mut base, mut scanned, waiting) = (array, 0, stack.len());
        while let Some((Op::Store, &[inner, written, value])) = self.terms.as_app(base) {
            if self.values.contains_key(&base) {
                break;
            }
            match self.values.get(&written) {
                // Indices are taken together, as the chain is scanned again when they are known; the more
                // there are before them, the more, so that all the scanning is linear.
                None if stack.len() - waiting < scanned.max(INDICES_AT_ONCE) => stack.push(written),
                None => break,
                // Below an unknown index nothing is certain yet.
                _ if stack.len() > waiting => {}
                Some(None) => return Step::Done(None),
                Some(Some(index)) if index.same(at) => return self.value_or_wait(value, stack),
                Some(Some(_)) => scanned += 1,
            }
            base = inner;
        }
        if stack.len() > waiting {
            return Step::Wait;
        }
        match self.values.get(&base) {
            Some(Some(Value::Array(array))) => Step::Done(Some(array.get(at).clone())),
            Some(_) => Step::Done(None),
            None => {
                stack.push(base);
                Step::Wait
            }
        }
    }

    fn value_or_wait(&self, term: Term, stack: &mut Vec<Term>) -> Step {
        match self.values.get(&term) {
            Some(value) => Step::Done(value.clone()),
            None => {
                stack.push(term);
                Step::Wait
            }
        }
    }

    fn step_app(&self, op: Op, args: &[Term], sort: Sort, stack: &mut Vec<Term>) -> Step {
        let waiting = stack.len();
        let mut values = Vec::with_capacity(args.len());
        for &arg in args {
            match self.values.get(&arg) {
                Some(Some(value)) => values.push(value.clone()),
                Some(None) => {}
                None => stack.push(arg),
            }
        }
        if stack.len() > waiting {
            return Step::Wait;
        }
        if values.len() < args.len() {
            // Zero times anything is zero.
            let zero = Value::Int(IBig::ZERO);
            return Step::Done((op == Op::Mul && values.contains(&zero)).then_some(zero));
        }
        Step::Done(match op {
            Op::Apply(function) => self.assignment.function(function, &values),
            _ => semantics::apply(op, sort, &values),
        })
    }
}
