//! What each step of an execution depends on: the steps that wrote what it reads, and the branch that led to
//! it.
//!
//! For each step, [`super::recorder`] notes which steps wrote what it read (Korel, Laski: *Dynamic program
//! slicing*, 1988). Following these notes back from the error gives the steps on which the error depends.
//!
//! Memory is bounded: only the last [`WINDOW`] steps are kept, and older ones have no explanation. A call is
//! several records, one for each parameter, so that arguments are not mixed up.

use std::collections::VecDeque;
use summa_cfa::{Cfa, EdgeId, Op};

/// How many records are kept at most; half of them are forgotten when it is full.
const WINDOW: usize = 4 << 20;

/// The number of a record, counted from the start of the execution.
pub(crate) type Record = u32;

pub(super) const NONE: Record = Record::MAX;

/// The part of an edge that a record is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// The edge itself.
    Whole,
    /// A parameter of a call takes its value, by its position.
    Parameter(u16),
    /// The result of a call is handed on.
    Result,
}

/// The dependences of a finished execution.
#[derive(Debug, Default)]
pub(crate) struct Dependence {
    /// The number of the first record that is kept.
    first: Record,
    edges: Vec<EdgeId>,
    parts: Vec<Part>,
    /// Where the reads of a record begin in `reads`; they end where those of the next one begin.
    starts: Vec<u32>,
    reads: Vec<Record>,
    control: Vec<Record>,
    /// The records of inputs that were taken, with the number of the input.
    pub(crate) inputs: Vec<(Record, usize)>,
}

impl Dependence {
    pub(crate) fn last(&self) -> Option<Record> {
        self.edges.len().checked_sub(1).map(|index| self.first + index as Record)
    }

    /// The last record of this edge.
    pub(crate) fn last_of(&self, edge: EdgeId) -> Option<Record> {
        self.edges.iter().rposition(|&other| other == edge).map(|index| self.first + index as Record)
    }

    pub(crate) fn edge(&self, record: Record) -> Option<EdgeId> {
        self.edges.get(self.index(record)?).copied()
    }

    pub(crate) fn part(&self, record: Record) -> Part {
        self.index(record).and_then(|index| self.parts.get(index)).copied().unwrap_or(Part::Whole)
    }

    /// The records whose values it used; some may be forgotten.
    pub(crate) fn reads(&self, record: Record) -> &[Record] {
        let Some(index) = self.index(record) else { return &[] };
        let start = self.starts.get(index).map_or(0, |&start| start as usize);
        let end = self.starts.get(index + 1).map_or(self.reads.len(), |&end| end as usize);
        self.reads.get(start..end).unwrap_or(&[])
    }

    /// The branch or call that let it happen.
    pub(crate) fn control(&self, record: Record) -> Option<Record> {
        self.control.get(self.index(record)?).copied().filter(|&control| control != NONE)
    }

    /// Everything that has a part in the record, nearest first, itself included.
    pub(crate) fn slice(&self, from: Record) -> Vec<Record> {
        let mut seen = vec![false; self.edges.len()];
        let mut found = VecDeque::new();
        let mut order = Vec::new();
        let mut add = |record: Record, found: &mut VecDeque<Record>| {
            if let Some(index) = self.index(record)
                && !std::mem::replace(&mut seen[index], true)
            {
                found.push_back(record);
            }
        };
        add(from, &mut found);
        while let Some(record) = found.pop_front() {
            order.push(record);
            self.reads(record).iter().for_each(|&read| add(read, &mut found));
            self.control(record).into_iter().for_each(|control| add(control, &mut found));
        }
        order
    }

    fn index(&self, record: Record) -> Option<usize> {
        record.checked_sub(self.first).map(|index| index as usize).filter(|&index| index < self.edges.len())
    }

    pub(super) fn push(
        &mut self,
        edge: EdgeId,
        part: Part,
        reads: &mut Vec<Record>,
        control: Option<Record>,
    ) -> Record {
        if self.edges.len() >= WINDOW {
            self.forget(WINDOW / 2);
        }
        reads.sort_unstable();
        reads.dedup();
        self.starts.push(self.reads.len() as u32);
        self.reads.append(reads);
        self.edges.push(edge);
        self.parts.push(part);
        self.control.push(control.unwrap_or(NONE));
        self.first + (self.edges.len() - 1) as Record
    }

    fn forget(&mut self, count: usize) {
        let cut = self.starts.get(count).copied().unwrap_or(0);
        self.reads.drain(..cut as usize);
        self.starts.drain(..count);
        self.starts.iter_mut().for_each(|start| *start -= cut);
        self.edges.drain(..count);
        self.parts.drain(..count);
        self.control.drain(..count);
        self.first += count as Record;
        let first = self.first;
        self.inputs.retain(|&(record, _)| record >= first);
    }
}

/// How many records come before an edge's `after`, and whether there is one at that time: the numbering of
/// [`super::recorder::Recorder`], for those who watch the same execution again.
#[derive(Debug, Default)]
pub(crate) struct Numbering {
    pub(crate) next: Record,
}

impl Numbering {
    /// The records that the edge makes when it begins: its own, and those of parameters.
    pub(crate) fn before(&mut self, cfa: &Cfa, edge: EdgeId) -> std::ops::Range<Record> {
        let own = match cfa.edge(edge).op {
            Op::Call { callee, ref args, .. } => {
                1 + cfa.program.functions[callee].params.len().min(args.len()) as Record
            }
            _ => 1,
        };
        self.next += own;
        self.next - own..self.next
    }

    /// The result of a call is one more.
    pub(crate) fn after(&mut self, cfa: &Cfa, edge: EdgeId) {
        if matches!(cfa.edge(edge).op, Op::Call { result: Some(_), .. }) {
            self.next += 1;
        }
    }
}
