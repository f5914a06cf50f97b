//! Error paths through blocks: the chain of open blocks from the program to a target, and the path that it
//! stands for.
//!
//! Nothing is copied. A frame is a summary and a state in its graph. For a nested block on the way there is a
//! use, and the exit that led on. [`Bam::flatten`] writes the whole path out as moves. That can be much
//! longer than the graphs: a summary that is used a thousand times is written a thousand times.

use crate::engine::{Bam, Target};
use crate::reducer::Reducer;
use crate::store::{SummaryId, UseId};
use summa_cpa::{ArgId, Move, Stop};

/// A block that is open when the target is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    pub summary: SummaryId,
    /// The state at which the next block is entered; the target in the innermost frame.
    pub at: ArgId,
    /// How the next block is entered; None in the innermost frame.
    pub next: Option<UseId>,
}

/// Longer paths are not written out.
const MAX_MOVES: usize = 20_000_000;

/// A part of a path that is being written out.
struct Part {
    summary: SummaryId,
    steps: Vec<(Move, ArgId)>,
    next: usize,
    /// The move behind it.
    back: Option<Move>,
}

impl<C: Reducer> Bam<'_, C> {
    /// The open blocks, outermost first.
    pub fn frames(&self, target: Target) -> Vec<Frame> {
        let mut frames = vec![Frame { summary: target.summary, at: target.node, next: None }];
        let mut creator = target.through.or(self.store.summaries[target.summary].creator);
        while let Some(id) = creator {
            let each = &self.store.uses[id];
            frames.push(Frame { summary: each.caller, at: each.at, next: Some(id) });
            creator = self.store.summaries[each.caller].creator;
        }
        frames.reverse();
        frames
    }

    /// The uses on the way whose summary began with a weaker entry, those inside nested blocks included.
    pub fn borrowed_on(&self, frames: &[Frame]) -> Vec<UseId> {
        let mut found = Vec::new();
        let mut seen = summa_base::FxHashSet::default();
        let mut todo: Vec<(SummaryId, ArgId)> = Vec::new();
        for frame in frames {
            found.extend(frame.next.filter(|&id| self.store.uses[id].is_borrowed));
            todo.push((frame.summary, frame.at));
        }
        while let Some((summary, at)) = todo.pop() {
            if !seen.insert((summary, at)) {
                continue;
            }
            let data = &self.store.summaries[summary];
            for (_, child) in data.reached.path_to(at).1 {
                if let Some(&(id, index)) = data.via.get(&child) {
                    let each = &self.store.uses[id];
                    if each.is_borrowed {
                        found.push(id);
                    }
                    todo.push((each.callee, self.store.summaries[each.callee].exits[index].node));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The whole path as moves.
    pub fn flatten(&self, frames: &[Frame]) -> Result<Vec<Move>, Stop> {
        let mut moves = Vec::new();
        for frame in frames {
            self.write_out(frame.summary, frame.at, &mut moves)?;
            moves.extend(frame.next.and_then(|id| self.store.uses[id].call));
        }
        Ok(moves)
    }

    /// The moves from the entry of a summary to one of its states.
    fn write_out(&self, summary: SummaryId, at: ArgId, moves: &mut Vec<Move>) -> Result<(), Stop> {
        let part = |summary: SummaryId, at: ArgId, back: Option<Move>| {
            let steps = self.store.summaries[summary].reached.path_to(at).1;
            Part { summary, steps, next: 0, back }
        };
        let mut parts = vec![part(summary, at, None)];
        while let Some(top) = parts.last_mut() {
            if moves.len() > MAX_MOVES {
                return Err(Stop::GaveUp("the path to the error is too long to be written out".to_owned()));
            }
            let Some(&(by, child)) = top.steps.get(top.next) else {
                moves.extend(top.back);
                parts.pop();
                continue;
            };
            top.next += 1;
            match self.store.summaries[top.summary].via.get(&child) {
                None => moves.push(by),
                Some(&(id, index)) => {
                    let each = &self.store.uses[id];
                    moves.extend(each.call);
                    let exit = self.store.summaries[each.callee].exits[index].node;
                    // A loop's own path ends with the move that leaves it.
                    parts.push(part(each.callee, exit, each.call.map(|_| by)));
                }
            }
        }
        Ok(())
    }
}
