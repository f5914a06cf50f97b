//! Why an execution reaches its error, with only what matters.
//!
//! The execution is replayed twice. The first time its dependences are recorded (`dependence`). Everything on
//! which the error depends, directly or not, is its dynamic slice. The slice is then shortened. Of long
//! chains of conditions on the same values, as a `switch` makes them, only the last condition stays. Rounds
//! of loops are collapsed (`rounds`). If there is still too much, the steps nearest to the error remain. The
//! second time, the values of the steps that are shown are recorded (`values`), and of the condition that led
//! to the error (`reason`). The text uses the words of the program (`wording`).

mod control;
mod dependence;
mod reason;
mod recorder;
mod rounds;
mod values;
mod wording;

use crate::finding::{Call, Explanation, Input, Place, TraceStep};
use dependence::{Dependence, Part, Record};
use recorder::Recorder;
use rounds::Item;
use summa_base::FxHashMap;
use summa_c::SourceMap;
use summa_c::Span;
use summa_cfa::{AssumeOrigin, Cfa, Edge, EdgeId, HavocSource, Op};
use summa_facts::loops::Loops;
use summa_interp::{InputOrigin, InputRecord, List, Outcome, Policy, Program};
use values::{Seen, Values, Watcher};

/// The most lines of steps that are shown.
const MAX_LINES: usize = 28;
/// How many of the nearest steps are tried, until few enough lines are left.
const NEAREST: [usize; 7] = [100_000, 400, 100, 60, 40, 32, MAX_LINES];
/// If this many conditions on the same values follow each other, only the last one is shown.
const LONG_CHAIN: usize = 3;

/// Explains the end of a recorded execution; `error` is the edge that is to blame. The policy must be the one
/// of the recorded run.
pub fn explain(
    program: &Program<'_>,
    policy: &Policy,
    sources: &SourceMap,
    outcome: &Outcome,
    error: EdgeId,
) -> Explanation {
    let cfa = program.cfa;
    let mut recorder = Recorder::new(cfa, &outcome.inputs);
    summa_interp::run_observed(program, &mut List::replay(&outcome.inputs), policy, &mut recorder);
    let dependence = recorder.dependence;
    // A leak is found at the end, but it is about an allocation.
    let last = dependence.last().filter(|&last| dependence.edge(last) == Some(error));
    let Some(criterion) = last.or_else(|| dependence.last_of(error)).or_else(|| dependence.last()) else {
        return Explanation { length: outcome.steps, ..Explanation::default() };
    };
    let story = Story { cfa, sources, loops: Loops::new(cfa), dependence: &dependence };
    let slice = dependence.slice(criterion);
    let chosen = story.choose(&slice);
    let reason = story.reason(criterion);
    let wanted = chosen.records.iter().copied().chain(reason.iter().map(|reason| reason.record));
    let mut watcher = Watcher::new(cfa, wanted);
    summa_interp::run_observed(program, &mut List::replay(&outcome.inputs), policy, &mut watcher);
    let total = slice.iter().filter(|&&record| story.is_worth_showing(record)).count();
    let unshown = chosen.conditions.values().sum::<usize>();
    Explanation {
        because: story.sentence(criterion, reason.as_ref(), &watcher, outcome),
        inputs: story.inputs(&outcome.inputs, &slice),
        calls: watcher.calls.iter().map(|&call| story.call(call)).collect(),
        steps: story.steps(&chosen, &watcher),
        hidden: total.saturating_sub(chosen.records.len() + unshown) as u64,
        length: outcome.steps,
    }
}

/// The place of a span in the user's source.
pub fn place(sources: &SourceMap, span: Span) -> Place {
    let location = sources.locate(span);
    if span.is_none() || location.file.is_empty() {
        return Place::default();
    }
    let marked = sources.snippet(span);
    let width = marked.line.get(marked.marked.clone()).map_or(0, |text| text.chars().count()) as u32;
    let column = location.column;
    Place {
        file: location.file.to_owned(),
        line: location.line,
        column,
        end_column: column.filter(|_| width > 0).map(|column| column + width),
    }
}

/// The part of a slice that is shown.
#[derive(Default)]
struct Chosen {
    /// In the order of the execution.
    records: Vec<Record>,
    /// Over the records.
    items: Vec<Item>,
    /// How many conditions on the same values are left out before one.
    conditions: FxHashMap<Record, usize>,
}

struct Story<'s> {
    cfa: &'s Cfa,
    sources: &'s SourceMap,
    loops: Loops,
    dependence: &'s Dependence,
}

impl Story<'_> {
    /// Steps that only open or close a scope explain nothing, nor does a result that is passed from a callee
    /// to its caller. The value of a temporary is shown where it is used.
    fn is_worth_showing(&self, record: Record) -> bool {
        let Some(edge) = self.dependence.edge(record) else { return false };
        let in_start = self.cfa.nodes[self.cfa.edge(edge).from].function == self.cfa.start;
        match self.cfa.edge(edge).op {
            Op::Skip | Op::Declare { .. } | Op::Dead { .. } => false,
            // A check that passes is not worth showing, and the error reports one that fails.
            Op::Assume { origin: AssumeOrigin::Check, .. } => false,
            Op::Assign { place, .. } if self.temporary(place).is_some() => false,
            Op::Assign { .. } | Op::Assume { .. } | Op::Havoc { .. } | Op::Unsupported { .. } => true,
            Op::Call { .. } => !in_start && self.dependence.part(record) == Part::Whole,
            Op::Zero { .. }
            | Op::Library { .. }
            | Op::External { .. }
            | Op::Return { .. }
            | Op::Error { .. }
            | Op::Halt { .. } => !in_start,
        }
    }

    /// The slice without steps that are not worth showing, collapsed. Of a long slice only the steps nearest
    /// to the error, which comes first.
    fn choose(&self, slice: &[Record]) -> Chosen {
        let is_worth = |&(number, &record): &(usize, &Record)| number == 0 || self.is_worth_showing(record);
        let worth: Vec<Record> =
            slice.iter().enumerate().filter(is_worth).map(|(_, &record)| record).take(NEAREST[0]).collect();
        let mut best = Chosen::default();
        for nearest in NEAREST {
            let mut records: Vec<Record> = worth.iter().copied().take(nearest).collect();
            records.sort_unstable();
            best = self.without_chains(&records);
            let edges: Vec<EdgeId> =
                best.records.iter().filter_map(|&record| self.dependence.edge(record)).collect();
            best.items = rounds::collapse(&edges);
            if best.items.len() <= MAX_LINES {
                break;
            }
        }
        best
    }

    /// Leaves out all but the last one of many conditions on the same values in a row.
    fn without_chains(&self, records: &[Record]) -> Chosen {
        let mut chosen = Chosen::default();
        for chain in records.chunk_by(|&left, &right| self.are_alike(left, right)) {
            match chain {
                [.., last] if chain.len() >= LONG_CHAIN => {
                    chosen.conditions.insert(*last, chain.len() - 1);
                    chosen.records.push(*last);
                }
                _ => chosen.records.extend(chain),
            }
        }
        chosen
    }

    /// Are these branches of the program that look at the very same values?
    fn are_alike(&self, left: Record, right: Record) -> bool {
        let is_branch = |record: Record| {
            let edge = self.dependence.edge(record).map(|edge| &self.cfa.edge(edge).op);
            matches!(edge, Some(Op::Assume { origin: AssumeOrigin::Branch(_), .. }))
        };
        let reads = self.dependence.reads(left);
        is_branch(left) && is_branch(right) && !reads.is_empty() && reads == self.dependence.reads(right)
    }

    fn steps(&self, chosen: &Chosen, watcher: &Watcher<'_>) -> Vec<TraceStep> {
        let depth_of = |item: &Item| match item {
            Item::Step(position) | Item::Hidden { from: position, .. } => {
                let seen = chosen.records.get(*position).and_then(|&record| watcher.seen(record));
                // Steps before the entry function are on its level.
                seen.map(|seen| seen.depth.max(1))
            }
        };
        let lowest = chosen.items.iter().filter_map(depth_of).min().unwrap_or(0);
        let mut steps = Vec::new();
        for item in &chosen.items {
            let depth = depth_of(item).unwrap_or(lowest).saturating_sub(lowest) as u32;
            let (Item::Step(position) | Item::Hidden { from: position, .. }) = *item;
            let Some(&record) = chosen.records.get(position) else { continue };
            let Some(edge) = self.dependence.edge(record).map(|edge| self.cfa.edge(edge)) else { continue };
            let gap = |place: Place, text: String| TraceStep {
                place,
                text,
                depth,
                is_gap: true,
                values: Vec::new(),
            };
            let here = place(self.sources, edge.span);
            if let Item::Hidden { rounds, .. } = *item {
                steps.push(self.hidden_rounds(edge, rounds, gap));
                continue;
            }
            if let Some(others) = chosen.conditions.get(&record) {
                steps.push(gap(here.clone(), format!("… {others} other conditions on the same values")));
            }
            let named = |(name, value): (String, String)| (self.in_words(record, &name), value);
            steps.push(TraceStep {
                place: here,
                text: self.step_text(record).unwrap_or_default(),
                values: self.values(edge, watcher.seen(record)).into_iter().map(named).collect(),
                depth,
                is_gap: false,
            });
        }
        steps
    }

    /// The line for rounds of a loop that are not shown; the edge is the first one of them.
    fn hidden_rounds(
        &self,
        edge: &Edge,
        rounds: usize,
        gap: impl FnOnce(Place, String) -> TraceStep,
    ) -> TraceStep {
        let head = self.loops.of(edge.from).map(|id| self.cfa.nodes[self.loops.loops[id].head()].span);
        let at = head.map(|span| place(self.sources, span)).unwrap_or_default();
        let what = if at.is_known() {
            format!("the loop at {}", at.seen_from(&place(self.sources, edge.span)))
        } else {
            "the same steps".to_owned()
        };
        let plural = if rounds == 1 { "" } else { "s" };
        gap(at, format!("… {rounds} more round{plural} of {what}"))
    }

    /// A constant needs no value beside it.
    fn values(&self, edge: &Edge, seen: Option<&Seen>) -> Values {
        match edge.op {
            Op::Assign { value, .. } if self.cfa.program.exprs.as_int(value).is_some() => Vec::new(),
            _ => seen.map(|seen| seen.values.clone()).unwrap_or_default(),
        }
    }

    fn call(&self, call: EdgeId) -> Call {
        let edge = self.cfa.edge(call);
        let function = match edge.op {
            Op::Call { callee, .. } => self.cfa.program.func_name(callee),
            _ => "?",
        };
        let is_entry = self.cfa.nodes[edge.from].function == self.cfa.start;
        let place = if is_entry { Place::default() } else { place(self.sources, edge.span) };
        Call { function: function.to_owned(), place }
    }

    fn inputs(&self, inputs: &[InputRecord], slice: &[Record]) -> Vec<Input> {
        let mut sorted = slice.to_vec();
        sorted.sort_unstable();
        // Inputs from before the first record that is kept may matter.
        let kept = self.dependence.inputs.first().map_or(inputs.len(), |&(_, number)| number);
        let mut matters: Vec<bool> = (0..inputs.len()).map(|number| number < kept).collect();
        for &(record, number) in &self.dependence.inputs {
            matters[number] = sorted.binary_search(&record).is_ok();
        }
        let describe = |(input, matters): (&InputRecord, bool)| Input {
            place: place(self.sources, self.cfa.edge(input.request.edge).span),
            what: self.origin(input),
            value: input.to_string(),
            matters,
        };
        inputs.iter().zip(matters).map(describe).collect()
    }

    fn origin(&self, input: &InputRecord) -> String {
        let name = |function| self.cfa.program.func_name(function);
        match input.request.origin {
            InputOrigin::Havoc(HavocSource::Input(function)) => format!("{}()", name(function)),
            InputOrigin::Havoc(HavocSource::EntryArgument) => "argument of the program".to_owned(),
            InputOrigin::Havoc(HavocSource::Global) => "static object at the entry".to_owned(),
            InputOrigin::Havoc(HavocSource::Volatile | HavocSource::MaybeVolatile) => {
                "volatile object".to_owned()
            }
            InputOrigin::Havoc(HavocSource::Allocation) => "allocation fails".to_owned(),
            InputOrigin::Havoc(_) => "value from outside".to_owned(),
            InputOrigin::Uninitialised => "uninitialised value".to_owned(),
            InputOrigin::External(function) => format!("{}() (unknown function)", name(function)),
        }
    }
}
