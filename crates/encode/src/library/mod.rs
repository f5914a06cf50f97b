//! Library functions.
//!
//! Those with a simple exact meaning are exact, and mean what the interpreter does: integer, character and
//! floating-point functions, blocks of memory of a constant size, strings in objects of a small known size.
//! All other functions, and these outside of their limits, may write anything where they may write, and
//! return anything. They are noted as approximations.

mod block;
mod integer;
mod math;
mod string;

use crate::arithmetic::Encoding;
use crate::cells::offset_shape;
use crate::encoder::Encoder;
use crate::memory::Spot;
use crate::shape::{Shape, float_sort};
use crate::state::State;
use crate::value::{Pointer, Value};
use summa_c::tree::{BinaryOp, ExprId, PlaceId};
use summa_cfa::LibFn;
use summa_cfa::library::{Description, Family, Fresh, Returned};
use summa_facts::effects::Effect;
use summa_term::{Sort, Term};

/// The result of a function, in its own type. The program's declaration may have another type.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Nothing,
    Int(Shape, Term),
    Float(Term),
    Pointer(Pointer),
}

const INT: Shape = Shape { width: 32, signed: true, is_bool: false };

impl Encoder<'_> {
    pub(crate) fn library(
        &mut self,
        state: &mut State,
        result: Option<PlaceId>,
        model: LibFn,
        args: &[ExprId],
    ) {
        // A function that turns out not to be exact must leave no trace.
        let mut after = state.clone();
        if let Some(answer) = self.exact(&mut after, model, args, result) {
            *state = after;
            return self.store_answer(state, result, answer);
        }
        let description = model.description();
        if description.is_output && description.writes.is_empty() {
            self.havoc_printed(state, &description, args);
        } else {
            self.note(format!("the library function {model:?}"));
            self.havoc_effects(state);
        }
        self.some_result(state, result, description.returned);
    }

    fn exact(
        &mut self,
        state: &mut State,
        model: LibFn,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) -> Option<Answer> {
        match (model.family(), model) {
            (Family::Allocation, LibFn::Free) | (Family::Variadic, LibFn::VaEnd) => Some(Answer::Nothing),
            (Family::Allocation, _) => match model.description().returned {
                Returned::Fresh(fresh) => self.allocate(state, fresh),
                _ => None,
            },
            (Family::Block, _) => self.block_function(state, model, args),
            (Family::Text, _) => self.string_function(state, model, args),
            (Family::Character, LibFn::Ctype(class)) => self.character_function(state, class, args),
            (Family::Real, LibFn::Math(function)) => self.math(state, function, args, result),
            (Family::Real, LibFn::Rounded(rounded)) => self.rounded(state, rounded, args, result),
            (Family::Integer, _) => self.integer_function(state, model, args),
            (Family::Output | Family::Digits | Family::Variadic | Family::Character | Family::Real, _) => {
                None
            }
        }
    }

    /// The answer converted to what the program declared; any value where that makes no sense.
    fn store_answer(&mut self, state: &mut State, result: Option<PlaceId>, answer: Answer) {
        let Some(place) = result else { return };
        let types = &self.cfa.program.types;
        let ty = self.cfa.program.exprs.place(place).ty;
        let value = match (answer, Shape::of(types, ty), float_sort(types, ty)) {
            (Answer::Int(from, term), Some(to), _) if !to.is_bool => {
                Value::Scalar(self.arithmetic.convert(&mut self.terms, from, to, term))
            }
            (Answer::Float(term), _, Some(sort)) if self.terms.sort(term) == Sort::Float(sort) => {
                Value::Scalar(term)
            }
            (Answer::Pointer(pointer), None, None) => Value::Pointer(pointer),
            _ => return self.any_result(state, result),
        };
        self.store(state, place, &value);
    }

    fn any_result(&mut self, state: &mut State, result: Option<PlaceId>) {
        if let Some(place) = result {
            let ty = self.cfa.program.exprs.place(place).ty;
            let value = self.any(ty, "the result of a library function");
            self.store(state, place, &value);
        }
    }

    /// Any result that the description allows. That a value of a new symbol lies in a range excludes no
    /// execution, since the function gives no other one.
    fn some_result(&mut self, state: &mut State, result: Option<PlaceId>, returned: Returned) {
        let Some(place) = result else { return };
        let types = &self.cfa.program.types;
        let ty = self.cfa.program.exprs.place(place).ty;
        let range = match returned {
            Returned::Number(values) => values.range(types),
            _ => None,
        };
        let (Some((least, most)), Some(shape)) = (range, Shape::of(types, ty)) else {
            return self.any_result(state, result);
        };
        // A declaration with a type that cannot hold the range may say anything.
        let fits = shape.range().is_some_and(|(lo, hi)| lo <= least && most <= hi);
        let value = self.any(ty, "the result of a library function");
        if let Value::Scalar(term) = value
            && fits
        {
            let (from, upto) =
                (self.is(BinaryOp::Ge, shape, term, least), self.is(BinaryOp::Le, shape, term, most));
            let fact = self.terms.and2(from, upto);
            self.assume(fact);
        }
        self.store(state, place, &value);
    }

    /// Output changes nothing but what `%n` counts into; the stream is the library's own.
    fn havoc_printed(&mut self, state: &mut State, description: &Description, args: &[ExprId]) {
        let facts = self.facts;
        for effect in facts.effects.of(self.edge) {
            let Effect::WriteMemory(pointer) = *effect else { continue };
            if description.stream.is_some_and(|stream| args.get(stream) == Some(&pointer)) {
                continue;
            }
            self.note("what output counts into memory");
            for &class in facts.points_to.target_objects(pointer) {
                self.havoc_class(state, class);
            }
        }
    }

    // ---- arguments ----

    /// An integer argument, converted as if passed to a parameter of this shape.
    fn int_arg(&mut self, state: &State, args: &[ExprId], index: usize, to: Shape) -> Option<Term> {
        let &arg = args.get(index)?;
        let from = Shape::of(&self.cfa.program.types, self.cfa.program.exprs.type_of(arg))?;
        let value = self.value(state, arg).scalar()?;
        Some(self.arithmetic.convert(&mut self.terms, from, to, value))
    }

    fn pointer_arg(&mut self, state: &State, args: &[ExprId], index: usize) -> Option<Pointer> {
        let &arg = args.get(index)?;
        self.value(state, arg).pointer()
    }

    /// Where a pointer argument points, and the class of memory there.
    fn spot_arg(&mut self, state: &State, args: &[ExprId], index: usize) -> Option<Spot> {
        let class = self.facts.points_to.target(*args.get(index)?)?;
        Some(Spot { class, at: self.pointer_arg(state, args, index)? })
    }

    /// The shape of `size_t`.
    fn size_shape(&self) -> Shape {
        Shape::unsigned(offset_shape(self.cfa).width)
    }

    /// An argument of type `size_t` that is constant.
    fn constant_size(&mut self, state: &State, args: &[ExprId], index: usize) -> Option<u64> {
        let shape = self.size_shape();
        let size = self.int_arg(state, args, index, shape)?;
        self.as_number(size).and_then(|size| u64::try_from(size).ok())
    }

    /// The number that a constant of an unsigned type is.
    fn as_number(&self, term: Term) -> Option<u128> {
        match self.encoding {
            Encoding::Int => self.terms.as_int(term).and_then(|value| u128::try_from(value).ok()),
            Encoding::BitVector => self.terms.as_bv(term).map(|(_, bits)| bits),
        }
    }

    // ---- small terms ----

    fn number(&mut self, shape: Shape, value: i128) -> Term {
        self.arithmetic.constant(&mut self.terms, shape, value)
    }

    /// `term op value`, as a formula.
    fn is(&mut self, op: BinaryOp, shape: Shape, term: Term, value: i128) -> Term {
        let value = self.number(shape, value);
        self.arithmetic.compare(&mut self.terms, op, shape, term, value)
    }

    fn choose(&mut self, condition: Term, a: Pointer, b: Pointer) -> Pointer {
        let object = self.terms.ite(condition, a.object, b.object);
        Pointer { object, offset: self.terms.ite(condition, a.offset, b.offset) }
    }

    // ---- allocation ----

    /// A new object; executions for which there is no memory do not get here.
    fn allocate(&mut self, state: &mut State, fresh: Fresh) -> Option<Answer> {
        let object = self.new_object(state);
        if fresh.is_zeroed
            && let Some(class) = self.facts.points_to.of_allocation(self.edge)
        {
            for &class in self.facts.points_to.siblings(class) {
                self.zero_object(state, class, object);
            }
        }
        Some(Answer::Pointer(Pointer { object, offset: self.offset(0) }))
    }
}
