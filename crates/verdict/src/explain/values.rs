//! The second replay of an execution: the values, but only of the steps that are shown.

use super::dependence::{Numbering, Record};
use std::collections::BTreeMap;
use summa_c::print;
use summa_c::tree::{ExprId, ExprKind, PlaceId, VarKind};
use summa_cfa::syntax;
use summa_cfa::{Cfa, EdgeId, Op, environment};
use summa_facts::effects::{self, Effect};
use summa_interp::{Observer, Pointer, Value, View};

/// Names with values, as they are shown.
pub(crate) type Values = Vec<(String, String)>;

/// More values than these explain nothing.
const MAX_VALUES: usize = 6;

/// The values at a step that is shown.
#[derive(Clone, Debug, Default)]
pub(crate) struct Seen {
    pub(crate) values: Values,
    pub(crate) depth: usize,
}

/// Watches the execution for the steps in `wanted`.
pub(crate) struct Watcher<'a> {
    cfa: &'a Cfa,
    /// The steps that are shown, with their values as soon as these are known.
    pub(crate) wanted: BTreeMap<Record, Option<Seen>>,
    numbering: Numbering,
    /// The record of the edge that is under way.
    now: Record,
    /// The calls that have not returned.
    pub(crate) calls: Vec<EdgeId>,
}

impl<'a> Watcher<'a> {
    pub(crate) fn new(cfa: &'a Cfa, wanted: impl Iterator<Item = Record>) -> Self {
        Self {
            cfa,
            wanted: wanted.map(|record| (record, None)).collect(),
            numbering: Numbering::default(),
            now: 0,
            calls: Vec::new(),
        }
    }

    pub(crate) fn seen(&self, record: Record) -> Option<&Seen> {
        self.wanted.get(&record)?.as_ref()
    }

    fn note(&mut self, record: Record, depth: usize, values: impl FnOnce() -> Values) {
        if let Some(seen) = self.wanted.get_mut(&record) {
            *seen = Some(Seen { values: values(), depth });
        }
    }
}

impl Observer for Watcher<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        // Not popped at a return: if that is where the execution ends, its call still counts.
        let depth = view.depth();
        self.calls.truncate(depth);
        let records = self.numbering.before(self.cfa, edge);
        self.now = records.start;
        let cfa = self.cfa;
        if let Op::Call { callee, ref args, .. } = cfa.edge(edge).op {
            self.calls.push(edge);
            if self.wanted.range(records.clone()).next().is_some() {
                let params = &cfa.program.functions[callee].params;
                let pairs = params.iter().zip(args).filter_map(|(&param, &arg)| {
                    Some((cfa.program.var_name(param).to_owned(), value_of(view, arg)?))
                });
                let values: Values = pairs.take(MAX_VALUES).collect();
                self.note(records.start, depth, || values);
            }
            // A parameter shows the expression of its argument.
            for (record, &arg) in (records.start + 1..records.end).zip(args) {
                self.note(record, depth, || {
                    values_in(cfa, view, |visit| effects::of_value(&cfa.program, arg, visit))
                });
            }
            return;
        }
        // The values read; the written value replaces them when the step is done.
        self.note(records.start, depth, || match cfa.edge(edge).op {
            Op::Return { value: Some(value) } => {
                value_of(view, value).map(|value| (String::new(), value)).into_iter().collect()
            }
            ref op => reads_of(cfa, view, op),
        });
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        let cfa = self.cfa;
        let op = &cfa.edge(edge).op;
        if matches!(op, Op::Call { .. }) {
            self.numbering.after(cfa, edge);
            return;
        }
        if let Some(place) = op.written() {
            let depth = view.depth();
            self.note(self.now, depth, || {
                text_of(view, place).map(|value| (String::new(), value)).into_iter().collect()
            });
        }
    }
}

/// The values of the operands of an operation.
fn reads_of(cfa: &Cfa, view: &View<'_>, op: &Op) -> Values {
    let program = &cfa.program;
    match *op {
        Op::Assume { condition, .. } => {
            values_in(cfa, view, |visit| effects::of_value(program, condition, visit))
        }
        Op::Assign { place, value } => values_in(cfa, view, |visit| {
            effects::of_value(program, value, &mut *visit);
            effects::of_access(program, place, visit);
        }),
        Op::Library { ref args, .. } | Op::External { ref args, .. } => values_in(cfa, view, |visit| {
            args.iter().for_each(|&arg| effects::of_value(program, arg, &mut *visit));
        }),
        Op::Skip
        | Op::Declare { .. }
        | Op::Dead { .. }
        | Op::Zero { .. }
        | Op::Havoc { .. }
        | Op::Call { .. }
        | Op::Return { .. }
        | Op::Error { .. }
        | Op::Halt { .. }
        | Op::Unsupported { .. } => Vec::new(),
    }
}

/// The places that are read, with their values; each once, in the order of the text.
fn values_in(cfa: &Cfa, view: &View<'_>, walk: impl FnOnce(&mut dyn FnMut(Effect))) -> Values {
    let mut places: Vec<PlaceId> = Vec::new();
    walk(&mut |effect| {
        if let Effect::Read(place) = effect
            && !places.contains(&place)
        {
            places.push(place);
        }
    });
    let named = places.into_iter().filter_map(|place| {
        let value = text_of(view, place)?;
        Some((print::place(&cfa.program, place), value))
    });
    named.take(MAX_VALUES).collect()
}

/// The value of a place as text, if it is a scalar with one.
fn text_of(view: &View<'_>, place: PlaceId) -> Option<String> {
    match view.read(place) {
        Value::Unknown | Value::Aggregate => None,
        // An address means nothing to a reader, but its object does.
        Value::Pointer(Pointer::Other(address)) => {
            let whose = environment::object_at(address).map_or("no live object", |_| "given from outside");
            Some(format!("{address:#x} ({whose})"))
        }
        value => Some(view.text(&value)),
    }
}

/// The value of an expression as text.
fn value_of(view: &View<'_>, expr: ExprId) -> Option<String> {
    let program = &view.cfa().program;
    if let ExprKind::Load(place) = program.exprs.expr(expr).kind {
        return text_of(view, place);
    }
    let value = view.evaluate(expr)?;
    if program.types.is_pointer(program.exprs.type_of(expr)) {
        return Some(view.text(&Value::Pointer(view.pointer(u64::try_from(value).ok()?))));
    }
    Some(value.to_string())
}

/// Is the place a variable that the user did not name, or a parameter: something that only hands a value on?
pub(crate) fn hands_on(cfa: &Cfa, place: PlaceId) -> bool {
    syntax::whole_variable(&cfa.program.exprs, place)
        .is_some_and(|var| matches!(cfa.program.vars[var].kind, VarKind::Temp(_) | VarKind::Param(_)))
}
