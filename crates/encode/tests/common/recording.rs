//! The run that gives a path: its inputs and its events.

use std::cell::Cell;
use std::rc::Rc;
use summa_c::tree::VarId;
use summa_cfa::{EdgeId, Op};
use summa_interp::{InputOrigin, InputRequest, InputSource, InputValue, Observer, Random, Scalar, View};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Edge(EdgeId),
    Returned(EdgeId),
}

/// Random inputs that remember what they gave, and when unwritten memory was read for which they had to
/// invent a value.
pub(crate) struct Recording {
    pub(crate) random: Random,
    pub(crate) given: Vec<(Scalar, u128)>,
    pub(crate) events: Rc<Cell<usize>>,
    pub(crate) invented: Option<usize>,
}

impl InputSource for Recording {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        let value = self.random.next(request)?;
        match request.origin {
            InputOrigin::Havoc(_) | InputOrigin::External(_) => {
                self.given.push((request.scalar, value.to_bits(request.scalar)));
            }
            InputOrigin::Uninitialised => {
                self.invented.get_or_insert(self.events.get());
            }
        }
        Some(value)
    }

    fn knows_initial(&self) -> bool {
        true
    }

    fn initial(&mut self, _: VarId, scalar: Scalar) -> Option<InputValue> {
        let request =
            InputRequest { scalar, origin: InputOrigin::Uninitialised, edge: summa_base::Id::from_index(0) };
        self.random.next(&request)
    }
}

#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) events: Vec<Event>,
    pub(crate) count: Rc<Cell<usize>>,
}

impl Recorder {
    fn push(&mut self, event: Event) {
        self.events.push(event);
        self.count.set(self.events.len());
    }
}

impl Observer for Recorder {
    fn before(&mut self, edge: EdgeId, _: &View<'_>) {
        self.push(Event::Edge(edge));
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if matches!(view.cfa().edges[edge].op, Op::Call { .. }) {
            self.push(Event::Returned(edge));
        }
    }
}
