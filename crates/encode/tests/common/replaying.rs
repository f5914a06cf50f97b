//! The replay of a model: its inputs, and the check of every step against what the model says.

use super::constant;
use super::recording::Event;
use std::collections::VecDeque;
use summa_c::tree::{PlaceId, VarId};
use summa_c::types::Types;
use summa_cfa::{EdgeId, Op};
use summa_encode::{Input, InputSource as Source, Pointer, Value};
use summa_interp::{
    InitialPart, InitialValues, InputOrigin, InputRequest, InputSource, InputValue, Observer, Scalar, View,
};
use summa_term::{Evaluator, Sort, Value as Constant};

/// The inputs of the model: in order what the program asks for, and by variable what locals hold at first.
pub(crate) struct Replay {
    asked: VecDeque<InputValue>,
    initial: InitialValues,
}

impl Replay {
    pub(crate) fn new(types: &Types, inputs: &[Input], evaluator: &mut Evaluator<'_>) -> Self {
        let mut replay = Self { asked: VecDeque::new(), initial: InitialValues::default() };
        for input in inputs {
            let value = match input.value {
                Value::Scalar(term) | Value::Pointer(Pointer { offset: term, .. }) => evaluator.eval(term),
                Value::Record(_) => None,
            };
            let value = value.map_or(InputValue::Int(0), |value| input_value(&value));
            match input.source {
                Source::Uninitialised(var) => replay.initial.push(var, value),
                Source::Contents { var, offset } => {
                    if let Some(scalar) = Scalar::of(types, input.ty) {
                        replay.initial.push_part(var, InitialPart { offset, scalar, value });
                    }
                }
                Source::Havoc(_) | Source::External => replay.asked.push_back(value),
            }
        }
        replay
    }
}

impl InputSource for Replay {
    fn next(&mut self, request: &InputRequest) -> Option<InputValue> {
        match request.origin {
            InputOrigin::Havoc(_) | InputOrigin::External(_) => {
                Some(self.asked.pop_front().unwrap_or(InputValue::Int(0)))
            }
            InputOrigin::Uninitialised => Some(InputValue::Int(0)),
        }
    }

    fn knows_initial(&self) -> bool {
        true
    }

    fn initial(&mut self, var: VarId, _: Scalar) -> Option<InputValue> {
        self.initial.take(var)
    }

    fn contents(&mut self, var: VarId) -> Option<Vec<InitialPart>> {
        self.initial.take_contents(var)
    }
}

fn input_value(value: &Constant) -> InputValue {
    match value {
        Constant::Int(number) => InputValue::Int(i128::try_from(number).unwrap_or(0)),
        Constant::Bv(_, bits) => InputValue::Int(*bits as i128),
        Constant::Float(_, bits) => InputValue::Bits(*bits),
        Constant::Bool(truth) => InputValue::Int(i128::from(*truth)),
        Constant::Array(_) => InputValue::Int(0),
    }
}

/// What the model says about a step.
pub(crate) struct Expected {
    pub(crate) event: Event,
    pub(crate) written: Option<(PlaceId, Sort, Constant)>,
}

pub(crate) struct Checker<'e> {
    expected: &'e [Expected],
    pub(crate) passed: usize,
    /// The step that was reached last, until its value is compared.
    open: Option<usize>,
    pub(crate) compared: usize,
    pub(crate) failure: Option<String>,
}

impl<'e> Checker<'e> {
    pub(crate) fn new(expected: &'e [Expected]) -> Self {
        Self { expected, passed: 0, open: None, compared: 0, failure: None }
    }

    fn reach(&mut self, event: Event, view: &View<'_>) {
        let Some(expected) = self.expected.get(self.passed).filter(|_| self.failure.is_none()) else {
            return;
        };
        if expected.event == event {
            self.open = Some(self.passed);
            self.passed += 1;
            return;
        }
        let text = |event: Event| match event {
            Event::Edge(edge) | Event::Returned(edge) => {
                format!("`{}`", view.cfa().edges[edge].op.text(&view.cfa().program))
            }
        };
        self.failure = Some(format!(
            "step {}: the run takes {}, the path {}",
            self.passed,
            text(event),
            text(expected.event)
        ));
    }

    fn compare(&mut self, event: Event, view: &View<'_>) {
        let open = self.open.take().filter(|_| self.failure.is_none());
        let Some(expected) = open.and_then(|i| self.expected.get(i)).filter(|open| open.event == event)
        else {
            return;
        };
        let Some((place, sort, value)) = &expected.written else { return };
        let found = view.place(*place);
        let Some(run) = constant(&found, *sort) else { return };
        self.compared += 1;
        if run != *value {
            let (Event::Edge(edge) | Event::Returned(edge)) = event;
            let text = view.cfa().edges[edge].op.text(&view.cfa().program);
            self.failure =
                Some(format!("step {} `{text}`: the run has {run:?}, the model {value:?}", self.passed));
        }
    }
}

impl Observer for Checker<'_> {
    fn before(&mut self, edge: EdgeId, view: &View<'_>) {
        self.reach(Event::Edge(edge), view);
    }

    fn after(&mut self, edge: EdgeId, view: &View<'_>) {
        if matches!(view.cfa().edges[edge].op, Op::Call { .. }) {
            self.reach(Event::Returned(edge), view);
            self.compare(Event::Returned(edge), view);
        } else {
            self.compare(Event::Edge(edge), view);
        }
    }
}
