//! Integer functions, bit-counting builtins, and the characters of the C locale.

use super::{Answer, INT};
use crate::encoder::Encoder;
use crate::shape::Shape;
use crate::state::State;
use summa_c::tree::{BinaryOp, ExprId, UnaryOp};
use summa_cfa::LibFn;
use summa_cfa::library::Ctype;
use summa_term::Term;

impl Encoder<'_> {
    pub(super) fn integer_function(
        &mut self,
        state: &State,
        model: LibFn,
        args: &[ExprId],
    ) -> Option<Answer> {
        use LibFn::*;
        let width = model.integer_parameter(self.cfa.program.types.model)?.width as u8;
        let shape = Shape::unsigned(width);
        Some(match model {
            Abs | Labs | Llabs => {
                let signed = Shape::signed(width);
                let value = self.int_arg(state, args, 0, signed)?;
                let is_negative = self.is(BinaryOp::Lt, signed, value, 0);
                let negated = self.arithmetic.unary(&mut self.terms, UnaryOp::Neg, signed, value);
                Answer::Int(signed, self.terms.ite(is_negative, negated, value))
            }
            Bswap16 | Bswap32 | Bswap64 => {
                let value = self.int_arg(state, args, 0, shape)?;
                let mut bytes = self.arithmetic.to_bytes(&mut self.terms, shape, value);
                bytes.reverse();
                Answer::Int(shape, self.arithmetic.of_bytes(&mut self.terms, shape, &bytes))
            }
            Popcount | Popcountl | Popcountll => {
                let value = self.int_arg(state, args, 0, shape)?;
                Answer::Int(INT, self.count_ones(shape, value)?)
            }
            Parity | Parityl | Parityll => {
                let value = self.int_arg(state, args, 0, shape)?;
                let (count, two) = (self.count_ones(shape, value)?, self.number(INT, 2));
                let parity =
                    self.arithmetic.binary(&mut self.terms, BinaryOp::Rem, INT, (count, two), INT)?;
                Answer::Int(INT, parity)
            }
            Ffs | Ffsl | Ffsll => {
                let value = self.int_arg(state, args, 0, shape)?;
                Answer::Int(INT, self.lowest_one(shape, value, 1, 0))
            }
            // Undefined for zero, which ends a run.
            Ctz | Ctzl | Ctzll => {
                let value = self.int_arg(state, args, 0, shape)?;
                Answer::Int(INT, self.lowest_one(shape, value, 0, 0))
            }
            Clz | Clzl | Clzll => {
                let value = self.int_arg(state, args, 0, shape)?;
                let mut result = self.number(INT, i128::from(width));
                for bit in 0..width {
                    let reaches = self.is(BinaryOp::Ge, shape, value, 1i128 << bit);
                    let zeros = self.number(INT, i128::from(width - 1 - bit));
                    result = self.terms.ite(reaches, zeros, result);
                }
                Answer::Int(INT, result)
            }
            _ => return None,
        })
    }

    fn count_ones(&mut self, shape: Shape, value: Term) -> Option<Term> {
        let mut count = self.number(INT, 0);
        for bit in 0..u32::from(shape.width) {
            let one = self.arithmetic.field(&mut self.terms, shape, value, bit, 1);
            let one = self.arithmetic.convert(&mut self.terms, shape, INT, one);
            count = self.arithmetic.binary(&mut self.terms, BinaryOp::Add, INT, (count, one), INT)?;
        }
        Some(count)
    }

    /// The position of the lowest one, counted from `first`.
    fn lowest_one(&mut self, shape: Shape, value: Term, first: i128, if_none: i128) -> Term {
        let mut result = self.number(INT, if_none);
        for bit in (0..u32::from(shape.width)).rev() {
            let low = self.arithmetic.field(&mut self.terms, shape, value, 0, bit + 1);
            let is_inside = self.is(BinaryOp::Ne, shape, low, 0);
            let position = self.number(INT, first + i128::from(bit));
            result = self.terms.ite(is_inside, position, result);
        }
        result
    }

    // ---- characters ----

    /// The results are those of glibc, whose `is…` functions give a bit of a table.
    pub(super) fn character_function(
        &mut self,
        state: &State,
        class: Ctype,
        args: &[ExprId],
    ) -> Option<Answer> {
        let own = Shape::of(&self.cfa.program.types, self.cfa.program.exprs.type_of(*args.first()?))?;
        // Narrower arguments become `int` without change.
        let shape = if own.width < INT.width { INT } else { own };
        let c = self.int_arg(state, args, 0, shape)?;
        let (ranges, bit): (&[(u8, u8)], u32) = match class {
            Ctype::Upper => (&[(b'A', b'Z')], 8),
            Ctype::Lower => (&[(b'a', b'z')], 9),
            Ctype::Alpha => (&[(b'A', b'Z'), (b'a', b'z')], 10),
            Ctype::Digit => (&[(b'0', b'9')], 11),
            Ctype::Xdigit => (&[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')], 12),
            Ctype::Space => (&[(9, 13), (b' ', b' ')], 13),
            Ctype::Print => (&[(32, 126)], 14),
            Ctype::Graph => (&[(33, 126)], 15),
            Ctype::Blank => (&[(9, 9), (b' ', b' ')], 0),
            Ctype::Cntrl => (&[(0, 31), (127, 127)], 1),
            Ctype::Punct => (&[(33, 47), (58, 64), (91, 96), (123, 126)], 2),
            Ctype::Alnum => (&[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')], 3),
            Ctype::ToLower => return self.shifted_letter(shape, c, (b'A', b'Z'), BinaryOp::Add),
            Ctype::ToUpper => return self.shifted_letter(shape, c, (b'a', b'z'), BinaryOp::Sub),
        };
        let inside: Vec<Term> = ranges.iter().map(|&range| self.is_between(shape, c, range)).collect();
        let inside = self.terms.or(&inside);
        let (bit, none) = (self.number(INT, 1i128 << bit), self.number(INT, 0));
        Some(Answer::Int(INT, self.terms.ite(inside, bit, none)))
    }

    fn shifted_letter(
        &mut self,
        shape: Shape,
        c: Term,
        letters: (u8, u8),
        direction: BinaryOp,
    ) -> Option<Answer> {
        let (is_letter, distance) = (self.is_between(shape, c, letters), self.number(shape, 32));
        let moved = self.arithmetic.binary(&mut self.terms, direction, shape, (c, distance), shape)?;
        Some(Answer::Int(shape, self.terms.ite(is_letter, moved, c)))
    }

    fn is_between(&mut self, shape: Shape, c: Term, (first, last): (u8, u8)) -> Term {
        let from = self.is(BinaryOp::Ge, shape, c, first.into());
        let upto = self.is(BinaryOp::Le, shape, c, last.into());
        self.terms.and2(from, upto)
    }
}
