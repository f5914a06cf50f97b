//! Why the error follows: the condition that led to it, with its values, in one sentence.
//!
//! The condition of the last branch often only passes a value on: `check(x < 10)` becomes a parameter, `a &&
//! b` a temporary that is 0 or 1. So the value is traced back to where it was computed, and that condition is
//! shown.

use super::dependence::{Part, Record};
use super::values::{self, Values, Watcher};
use super::{Story, place};
use summa_c::print;
use summa_c::tree::{ExprId, ExprKind, PlaceId};
use summa_cfa::syntax;
use summa_cfa::{AssumeOrigin, ErrorKind, Op};
use summa_facts::effects::{self, Effect};
use summa_interp::{End, Outcome};

/// The most variables through which a condition is traced back.
const MAX_HOPS: usize = 32;

/// The condition that decided that the error is reached.
pub(super) struct Reason {
    /// Where its values can be seen.
    pub(super) record: Record,
    kind: ReasonKind,
}

enum ReasonKind {
    /// The branch was taken.
    Branch,
    /// The expression was false (or true), and that was handed on to the branch.
    Value { value: ExprId, truth: bool },
}

/// How a value reached a branch.
enum Handed {
    /// The value is used where it is made.
    Here,
    From(Reason),
    /// The value is a constant: this branch chose it.
    Decided(Record),
}

impl Story<'_> {
    /// The condition that led to the error, traced back through parameters, temporaries and constants that
    /// only pass it on.
    pub(super) fn reason(&self, criterion: Record) -> Option<Reason> {
        let mut branch = self.dependence.control(criterion)?;
        for _ in 0..MAX_HOPS {
            let edge = self.cfa.edge(self.dependence.edge(branch)?);
            let (condition, truth) = match edge.op {
                Op::Assume { condition, truth, .. } => (condition, truth),
                // Nothing in the function stands in the way; perhaps something does before its call.
                _ => {
                    branch = self.dependence.control(branch)?;
                    continue;
                }
            };
            let plain = Reason { record: branch, kind: ReasonKind::Branch };
            let Some((_, is_negated)) = self.as_truth(condition) else { return Some(plain) };
            match self.handed_on(branch, truth != is_negated) {
                Handed::Here => return Some(plain),
                Handed::From(reason) => return Some(reason),
                Handed::Decided(earlier) => branch = earlier,
            }
        }
        None
    }

    /// The place in `p`, `p != 0` or `p == 0`; and whether the condition is the negation of it.
    fn as_truth(&self, condition: ExprId) -> Option<(PlaceId, bool)> {
        use summa_c::tree::BinaryOp::{Eq, Ne};
        let exprs = &self.cfa.program.exprs;
        let (inner, is_negated) = match exprs.expr(condition).kind {
            ExprKind::Binary(Ne, left, right) if exprs.as_int(right) == Some(0) => (left, false),
            ExprKind::Binary(Eq, left, right) if exprs.as_int(right) == Some(0) => (left, true),
            _ => (condition, false),
        };
        match exprs.expr(syntax::strip_casts(exprs, inner)).kind {
            ExprKind::Load(place) if values::hands_on(self.cfa, place) => Some((place, is_negated)),
            _ => None,
        }
    }

    /// Follows the one value that the record uses to where it was computed.
    fn handed_on(&self, mut record: Record, mut truth: bool) -> Handed {
        for _ in 0..MAX_HOPS {
            let &[writer] = self.dependence.reads(record) else { return Handed::Here };
            let Some(edge) = self.dependence.edge(writer) else { return Handed::Here };
            let value = match self.cfa.edge(edge).op {
                Op::Assign { value, .. } => value,
                Op::Call { ref args, .. } => match self.dependence.part(writer) {
                    Part::Parameter(position) => match args.get(usize::from(position)) {
                        Some(&arg) => arg,
                        None => return Handed::Here,
                    },
                    Part::Whole | Part::Result => return Handed::Here,
                },
                _ => return Handed::Here,
            };
            let exprs = &self.cfa.program.exprs;
            if exprs.as_int(syntax::strip_casts(exprs, value)).is_some() {
                return self.dependence.control(writer).map_or(Handed::Here, Handed::Decided);
            }
            match self.as_truth(value) {
                Some((_, is_negated)) => {
                    truth = truth != is_negated;
                    record = writer;
                }
                None if self.reads_something(value) => {
                    return Handed::From(Reason { record: writer, kind: ReasonKind::Value { value, truth } });
                }
                None => return Handed::Here,
            }
        }
        Handed::Here
    }

    fn reads_something(&self, value: ExprId) -> bool {
        let mut reads = false;
        effects::of_value(&self.cfa.program, value, |effect| reads |= matches!(effect, Effect::Read(_)));
        reads
    }

    /// One sentence, in the words of the program.
    pub(super) fn sentence(
        &self,
        criterion: Record,
        reason: Option<&Reason>,
        watcher: &Watcher<'_>,
        outcome: &Outcome,
    ) -> String {
        let text = self.because(criterion, reason, watcher, outcome);
        self.in_words(reason.map_or(criterion, |reason| reason.record), &text)
    }

    fn because(
        &self,
        criterion: Record,
        reason: Option<&Reason>,
        watcher: &Watcher<'_>,
        outcome: &Outcome,
    ) -> String {
        let values_of =
            |record: Record| watcher.seen(record).map(|seen| list(&seen.values)).unwrap_or_default();
        let Some(error) = self.dependence.edge(criterion) else { return String::new() };
        let what = match (&outcome.end, &self.cfa.edge(error).op) {
            (End::Error { kind: ErrorKind::Call(function), .. }, _) => {
                format!("`{}` is called", self.cfa.program.func_name(*function))
            }
            (End::Error { kind: ErrorKind::Assertion, .. }, _) => "the assertion fails".to_owned(),
            (End::Fault(_), _) => {
                let values = values_of(criterion);
                return values;
            }
            _ => "the operation goes wrong".to_owned(),
        };
        let Some(reason) = reason else { return format!("{what} in every execution that gets here") };
        let Some(edge) = self.dependence.edge(reason.record).map(|edge| self.cfa.edge(edge)) else {
            return String::new();
        };
        let values = values_of(reason.record);
        let (here, there) = (place(self.sources, self.cfa.edge(error).span), place(self.sources, edge.span));
        let is_near = !there.is_known() || (&here.file, here.line) == (&there.file, there.line);
        let at = if is_near { String::new() } else { format!(" at {}", there.seen_from(&here)) };
        let is_assertion = what == "the assertion fails";
        match (&reason.kind, &edge.op) {
            (ReasonKind::Branch, Op::Assume { origin: AssumeOrigin::Check, .. }) => values,
            (ReasonKind::Branch, Op::Assume { condition, truth: false, .. })
                if is_assertion && !values.is_empty() =>
            {
                let text = print::expr(&self.cfa.program, *condition);
                format!("the assertion `{text}`{at} fails because {values}")
            }
            (ReasonKind::Branch, op) => {
                let text = op.text(&self.cfa.program);
                let text = text.trim_start_matches('[').trim_end_matches(']');
                let values = if values.is_empty() { values } else { format!(": {values}") };
                format!("{what} because `{text}`{at} holds{values}")
            }
            (ReasonKind::Value { value, truth }, _) => {
                let text = print::expr(&self.cfa.program, *value);
                let holds = if *truth { "holds" } else { "does not hold" };
                let values = if values.is_empty() { values } else { format!(": {values}") };
                format!("{what} because `{text}`{at} {holds}{values}")
            }
        }
    }
}

/// `x is 5 and y is 7`
fn list(values: &Values) -> String {
    // The result of a function has no name.
    let named = values.iter().filter(|(name, _)| !name.is_empty());
    let words: Vec<String> = named.map(|(name, value)| format!("{name} is {value}")).collect();
    match words.as_slice() {
        [] => String::new(),
        [only] => only.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
