//! Strings in objects of a small known size: a string ends inside its object, so there are few places for its
//! end.
//!
//! Limits: objects of at most [`MAX_STRING`] bytes, or a constant bound given by the call. The writing
//! functions read all of the source first, as the interpreter does.

use super::Answer;
use super::block::MAX_UNITS;
use crate::cells::{BYTE, Content};
use crate::encoder::Encoder;
use crate::memory::Spot;
use crate::state::State;
use crate::value::Pointer;
use summa_c::tree::{BinaryOp, ExprId};
use summa_cfa::LibFn;
use summa_cfa::members::room_behind;
use summa_term::{Term, Terms};

/// Objects with more bytes are not followed character by character.
const MAX_STRING: u64 = 64;

/// The characters that a string may have, each with the condition that no terminator stands before it.
struct Text {
    bytes: Vec<Term>,
    is_alive: Vec<Term>,
}

impl Encoder<'_> {
    pub(super) fn string_function(
        &mut self,
        state: &mut State,
        model: LibFn,
        args: &[ExprId],
    ) -> Option<Answer> {
        let first = self.spot_arg(state, args, 0)?;
        let size = self.size_shape();
        match model {
            LibFn::Strlen | LibFn::Strnlen => {
                let text = self.text(state, first, None)?;
                let most = match model {
                    LibFn::Strnlen => Some(self.int_arg(state, args, 1, size)?),
                    _ => None,
                };
                let mut length = self.number(size, text.bytes.len() as i128);
                for (i, &byte) in text.bytes.iter().enumerate().rev() {
                    let (mut ends, here) =
                        (self.is(BinaryOp::Eq, BYTE, byte, 0), self.number(size, i as i128));
                    if let Some(most) = most {
                        let is_most = self.terms.eq(most, here);
                        ends = self.terms.or2(ends, is_most);
                    }
                    length = self.terms.ite(ends, here, length);
                }
                Some(Answer::Int(size, length))
            }
            LibFn::Strcmp | LibFn::Strncmp => {
                let most = match model {
                    LibFn::Strncmp => Some(self.constant_size(state, args, 2)?),
                    _ => None,
                };
                self.compare_strings(state, args, most)
            }
            LibFn::Strcpy => {
                let second = self.spot_arg(state, args, 1)?;
                let text = self.text(state, second, None)?;
                self.write_text(state, first, &text)?;
                Some(Answer::Pointer(first.at))
            }
            LibFn::Strncpy => {
                let most = self.constant_size(state, args, 2)?.min(MAX_UNITS as u64 + 1);
                if most > MAX_UNITS as u64 {
                    return None;
                }
                let second = self.spot_arg(state, args, 1)?;
                let text = self.text(state, second, Some(most))?;
                let zero = self.number(BYTE, 0);
                if most > self.string_room(first) {
                    return None;
                }
                for i in 0..most {
                    let mine = text.bytes.get(i as usize).zip(text.is_alive.get(i as usize));
                    let byte = mine.map_or(zero, |(&byte, &alive)| self.terms.ite(alive, byte, zero));
                    let at = self.moved(first.at, i);
                    self.write_char(state, first, at, Terms::TRUE, byte)?;
                }
                Some(Answer::Pointer(first.at))
            }
            LibFn::Strcat | LibFn::Strncat => self.append(state, model, args, first),
            LibFn::Strchr | LibFn::Strrchr => {
                let wanted = self.int_arg(state, args, 1, BYTE)?;
                let text = self.text(state, first, None)?;
                Some(Answer::Pointer(self.find_char(first.at, &text, wanted, model == LibFn::Strrchr)))
            }
            LibFn::Strspn | LibFn::Strcspn | LibFn::Strpbrk => self.span(state, model, args, first),
            LibFn::Strdup => {
                let text = self.text(state, first, None)?;
                let class = self.facts.points_to.of_allocation(self.edge)?;
                let object = self.new_object(state);
                let at = Pointer { object, offset: self.offset(0) };
                self.write_text(state, Spot { class, at }, &text)?;
                Some(Answer::Pointer(at))
            }
            _ => None,
        }
    }

    fn compare_strings(&mut self, state: &State, args: &[ExprId], most: Option<u64>) -> Option<Answer> {
        let (a, b) = (self.spot_arg(state, args, 0)?, self.spot_arg(state, args, 1)?);
        // The shorter object bounds both: after its end nothing is read.
        let bounds = [most, self.string_bound(a), self.string_bound(b)];
        let bound = bounds.into_iter().flatten().min().filter(|&bound| bound <= MAX_STRING)?;
        let (a, b) = (self.text(state, a, Some(bound))?, self.text(state, b, Some(bound))?);
        let mut result = self.number(super::INT, 0);
        for (&x, &y) in a.bytes.iter().zip(&b.bytes).rev() {
            let (ends, zero) = (self.is(BinaryOp::Eq, BYTE, x, 0), self.number(super::INT, 0));
            let rest = self.terms.ite(ends, zero, result);
            result = self.difference_or(x, y, rest)?;
        }
        Some(Answer::Int(super::INT, result))
    }

    fn append(&mut self, state: &mut State, model: LibFn, args: &[ExprId], to: Spot) -> Option<Answer> {
        let most = match model {
            LibFn::Strncat => Some(self.constant_size(state, args, 2)?),
            _ => None,
        };
        let old = self.text(state, to, None)?;
        let from = self.spot_arg(state, args, 1)?;
        let bound = self.string_bound(from).filter(|&bound| most.is_none_or(|most| bound <= most));
        let mut added = match (bound, most) {
            (Some(_), _) | (None, None) => self.text(state, from, None)?,
            (None, Some(most)) => self.text(state, from, Some(most))?,
        };
        if bound.is_none() && most.is_some() {
            // What is cut off gets a terminator of its own.
            let alive = self.alive_behind(&added);
            added.bytes.push(self.number(BYTE, 0));
            added.is_alive.push(alive);
        }
        let mut end = to.at;
        for (i, &byte) in old.bytes.iter().enumerate().rev() {
            let (ends, here) = (self.is(BinaryOp::Eq, BYTE, byte, 0), self.moved(to.at, i as u64));
            end = self.choose(ends, here, end);
        }
        self.write_text(state, Spot { at: end, ..to }, &added)?;
        Some(Answer::Pointer(to.at))
    }

    fn find_char(&mut self, at: Pointer, text: &Text, wanted: Term, is_last: bool) -> Pointer {
        let mut found = self.null();
        let places: Vec<usize> = (0..text.bytes.len()).collect();
        // The choice made last decides.
        let order: Vec<usize> = if is_last { places } else { places.into_iter().rev().collect() };
        for i in order {
            let is_it = self.terms.eq(text.bytes[i], wanted);
            let (is_it, here) = (self.terms.and2(text.is_alive[i], is_it), self.moved(at, i as u64));
            found = self.choose(is_it, here, found);
        }
        found
    }

    /// Where the first character stands that is (or is not) in a set.
    fn span(&mut self, state: &State, model: LibFn, args: &[ExprId], first: Spot) -> Option<Answer> {
        let second = self.spot_arg(state, args, 1)?;
        let (text, set) = (self.text(state, first, None)?, self.text(state, second, None)?);
        if text.bytes.len() * set.bytes.len() > 16 * MAX_UNITS {
            return None;
        }
        let size = self.size_shape();
        let mut length = self.number(size, text.bytes.len() as i128);
        let mut found = self.null();
        for (i, &byte) in text.bytes.iter().enumerate().rev() {
            let ends = self.is(BinaryOp::Eq, BYTE, byte, 0);
            let mut members = Vec::new();
            for (&member, &alive) in set.bytes.iter().zip(&set.is_alive) {
                let same = self.terms.eq(byte, member);
                members.push(self.terms.and2(alive, same));
            }
            // The terminator of the set is compared too, but what ends the text is asked first.
            let is_member = self.terms.or(&members);
            let stops = if model == LibFn::Strspn { self.terms.not(is_member) } else { is_member };
            let (here, pointer) = (self.number(size, i as i128), self.moved(first.at, i as u64));
            let stops_or_ends = self.terms.or2(ends, stops);
            length = self.terms.ite(stops_or_ends, here, length);
            let none = self.null();
            found = self.choose(stops, pointer, found);
            found = self.choose(ends, none, found);
        }
        Some(if model == LibFn::Strpbrk { Answer::Pointer(found) } else { Answer::Int(size, length) })
    }

    // ---- characters ----

    /// How many bytes from a place on can belong to a string, by the size of the objects that may be meant.
    fn string_bound(&mut self, spot: Spot) -> Option<u64> {
        let (points_to, program) = (&self.facts.points_to, &self.cfa.program);
        let classes = points_to.siblings(spot.class);
        let is_open = |&class| points_to.is_unknown(class) || !points_to.allocations(class).is_empty();
        if classes.iter().any(is_open) {
            return None;
        }
        let mut bound = 0;
        for &var in classes.iter().flat_map(|&class| points_to.variables(class)) {
            bound = bound.max(program.types.size_of(program.vars[var].ty)?);
        }
        // Memory without a variable is not known at all.
        if bound == 0 {
            return None;
        }
        let from = self.as_number(spot.at.offset).and_then(|offset| u64::try_from(offset).ok());
        Some(bound.saturating_sub(from.unwrap_or(0))).filter(|&bound| bound <= MAX_STRING)
    }

    /// The number of bytes from a place to the next member of the object in another class.
    fn string_room(&self, spot: Spot) -> u64 {
        let points_to = &self.facts.points_to;
        let Some(ty) = points_to.object_type(spot.class) else { return u64::MAX };
        if points_to.siblings(spot.class).len() == 1 {
            return u64::MAX;
        }
        let offset = self.as_number(spot.at.offset).and_then(|offset| u64::try_from(offset).ok());
        offset.map_or(0, |offset| room_behind(&self.cfa.program.types, ty, offset))
    }

    /// The bytes from a place on: all bytes that the object can have, but at most `most`.
    fn text(&mut self, state: &State, spot: Spot, most: Option<u64>) -> Option<Text> {
        let bound = match (self.string_bound(spot), most) {
            (Some(bound), Some(most)) => bound.min(most),
            (Some(bound), None) => bound,
            (None, Some(most)) if most <= MAX_STRING => most,
            (None, _) => return None,
        };
        let mut text = Text { bytes: Vec::new(), is_alive: Vec::new() };
        let room = self.string_room(spot);
        for i in 0..bound {
            let alive = self.alive_behind(&text);
            if alive == Terms::FALSE {
                break;
            }
            if i >= room {
                return None;
            }
            let at = self.moved(spot.at, i);
            text.bytes.push(self.read_char(state, spot, at)?);
            text.is_alive.push(alive);
        }
        Some(text)
    }

    /// The condition that the string continues beyond these bytes.
    fn alive_behind(&mut self, text: &Text) -> Term {
        let (Some(&byte), Some(&alive)) = (text.bytes.last(), text.is_alive.last()) else {
            return Terms::TRUE;
        };
        let goes_on = self.is(BinaryOp::Ne, BYTE, byte, 0);
        self.terms.and2(alive, goes_on)
    }

    fn read_char(&mut self, state: &State, spot: Spot, at: Pointer) -> Option<Term> {
        let region = self.cells.region(spot.class)?;
        let shape = match region.content {
            Content::Bytes => BYTE,
            Content::Int(shape) if shape.width == 8 && !shape.is_bool => shape,
            _ => return None,
        };
        let term = self.read_cell(state, region, 0, at);
        self.element_fact(shape, term);
        Some(self.arithmetic.convert(&mut self.terms, shape, BYTE, term))
    }

    /// Writes the characters up to and with the terminator.
    fn write_text(&mut self, state: &mut State, to: Spot, text: &Text) -> Option<()> {
        if text.bytes.len() as u64 > self.string_room(to) {
            return None;
        }
        for (i, (&byte, &alive)) in text.bytes.iter().zip(&text.is_alive).enumerate() {
            let at = self.moved(to.at, i as u64);
            self.write_char(state, to, at, alive, byte)?;
        }
        Some(())
    }

    /// Writes a character where the condition holds.
    fn write_char(
        &mut self,
        state: &mut State,
        spot: Spot,
        at: Pointer,
        condition: Term,
        byte: Term,
    ) -> Option<()> {
        let region = self.cells.region(spot.class)?;
        let shape = match region.content {
            Content::Bytes => BYTE,
            Content::Int(shape) if shape.width == 8 && !shape.is_bool => shape,
            _ => return None,
        };
        let new = self.arithmetic.convert(&mut self.terms, BYTE, shape, byte);
        let value = if condition == Terms::TRUE {
            new
        } else {
            let old = self.read_cell(state, region, 0, at);
            self.element_fact(shape, old);
            self.terms.ite(condition, new, old)
        };
        self.write_cell(state, region, 0, at, value);
        Some(())
    }
}
