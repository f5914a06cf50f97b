//! Indeterminate bytes that were copied. Copies of one byte are the same byte, whatever its value turns out
//! to be.
//!
//! A copy of an unwritten byte asks for no input. Both places get one number instead, a *share*. The first
//! read of any of these bytes decides the value of all. So a copy of a large object that is never read asks
//! for no inputs. In formulas a fresh symbol has this role.

use super::{Memory, Spot};
use crate::inputs::AllocatedPart;
use crate::memory::object::Object;

/// The common data of all copies of one indeterminate byte.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SharedByte {
    value: u8,
    state: State,
    /// Where the byte was first, if that is memory from `malloc`.
    allocated: Option<AllocatedPart>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// None of the copies was read yet.
    Open,
    /// The same, but the inputs know the value beforehand.
    Foreseen,
    /// One was read.
    Known,
}

/// The number of a share; zero is none.
pub(crate) type Share = u32;

/// An indeterminate byte of a range that is copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hole {
    /// From the start of the range.
    distance: usize,
    share: Share,
    /// The bits that bit-fields have written.
    written: u8,
}

/// How an unwritten range is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Every byte has its value by now.
    Nothing,
    /// An input that is known already.
    Foreseen,
    /// An input.
    Input,
}

impl Memory {
    /// The share of an unwritten byte, made if there is none; `None`: the byte was written.
    fn share(&mut self, spot: Spot) -> Option<Share> {
        let next = self.shared.len() as Share + 1;
        let object = &mut self.objects[spot.object as usize];
        if object.is_written(spot.at, 1) {
            return None;
        }
        let old = object.share_of(spot.at);
        if old != 0 {
            return Some(old);
        }
        object.set_share(spot.at, next);
        let state = if object.is_foreseen { State::Foreseen } else { State::Open };
        let allocated =
            object.allocation.map(|allocation| AllocatedPart { allocation, offset: spot.at as u64 });
        let value = object.data.get(spot.at).copied().unwrap_or(0);
        self.shared.push(SharedByte { value, state, allocated });
        Some(next)
    }

    /// The byte becomes an unread copy of others.
    fn join(&mut self, spot: Spot, hole: Hole) {
        let byte = self.shared[hole.share as usize - 1];
        let object = &mut self.objects[spot.object as usize];
        if byte.state == State::Known {
            let written = object.read(spot.at, 1) as u8 & hole.written;
            object.write(spot.at, 1, u64::from(written | byte.value & !hole.written));
        } else {
            let bits = object.read(spot.at, 1) as u8;
            object.mark_unwritten(spot.at, 1);
            object.set_share(spot.at, hole.share);
            if hole.written != 0 {
                object.write_bits(spot.at, hole.written, bits);
            }
        }
    }

    /// The indeterminate bytes of a range, as copies of it have them.
    pub(crate) fn holes(&mut self, from: Spot, size: usize) -> Vec<Hole> {
        if self.object(from).unwritten.is_none() {
            return Vec::new();
        }
        let mut holes = Vec::new();
        for distance in 0..size {
            let spot = Spot { at: from.at + distance, ..from };
            if let Some(share) = self.share(spot) {
                holes.push(Hole { distance, share, written: self.object(spot).bits_written(spot.at) });
            }
        }
        holes
    }

    /// Marks these bytes of a range as copies of indeterminate ones; their written bits are there already.
    pub(crate) fn fill_holes(&mut self, to: Spot, holes: &[Hole]) {
        for &hole in holes {
            self.join(Spot { at: to.at + hole.distance, ..to }, hole);
        }
    }

    /// Gives unwritten bytes of a range the values of their copies, and returns which inputs the others need.
    pub(crate) fn settle(&mut self, spot: Spot, len: usize) -> Wanted {
        let object = &mut self.objects[spot.object as usize];
        let mut wanted = Wanted::Nothing;
        for at in spot.at..spot.at + len {
            if object.is_written(at, 1) {
                continue;
            }
            let (share, written) = (object.share_of(at), object.bits_written(at));
            let byte = (share != 0).then(|| self.shared[share as usize - 1]);
            let merged = |value: u8| object.data[at] & written | value & !written;
            match byte {
                Some(SharedByte { state: State::Known, value, .. }) => {
                    object.write(at, 1, merged(value).into());
                }
                Some(SharedByte { state: State::Foreseen, value, .. }) => {
                    object.data[at] = merged(value);
                    wanted = Wanted::Foreseen;
                }
                _ if object.is_foreseen => wanted = Wanted::Foreseen,
                _ if wanted == Wanted::Nothing => wanted = Wanted::Input,
                _ => {}
            }
        }
        wanted
    }

    /// Gives the unwritten bytes of a range, and their copies, these bits.
    pub(crate) fn decide(&mut self, spot: Spot, len: usize, bits: u128) {
        let object = &mut self.objects[spot.object as usize];
        for (at, byte) in (spot.at..spot.at + len).zip(bits.to_le_bytes()) {
            if object.is_written(at, 1) {
                continue;
            }
            let share = object.share_of(at);
            if share != 0 {
                let shared = &mut self.shared[share as usize - 1];
                (shared.value, shared.state) = (byte, State::Known);
            }
            let written = object.bits_written(at);
            object.write(at, 1, u64::from(object.data[at] & written | byte & !written));
        }
    }

    /// Where an unwritten byte was first, if that is memory from `malloc`.
    pub(crate) fn allocated_part(&self, spot: Spot) -> Option<AllocatedPart> {
        let object = self.object(spot);
        match object.share_of(spot.at) {
            0 => object.allocation.map(|allocation| AllocatedPart { allocation, offset: spot.at as u64 }),
            share => self.shared[share as usize - 1].allocated,
        }
    }

    /// Up to 16 bytes as a number, if each was written or is a copy of one that was read.
    pub(crate) fn peek(&self, spot: Spot, len: usize) -> Option<u128> {
        let object = self.object(spot);
        if object.is_written(spot.at, len) {
            return Some(object.read_wide(spot.at, len));
        }
        let mut bits = 0;
        for i in 0..len {
            let byte = self.byte(object, spot.at + i)?;
            bits |= u128::from(byte) << (8 * i);
        }
        Some(bits)
    }

    /// The bits of a mask in up to 16 bytes, if each is known.
    pub(crate) fn peek_bits(&self, spot: Spot, len: usize, mask: u128) -> Option<u128> {
        let object = self.object(spot);
        let masks = mask.to_le_bytes();
        let is_there = (0..len).all(|i| {
            object.are_bits_written(spot.at + i, masks[i]) || self.byte(object, spot.at + i).is_some()
        });
        let byte = |i: usize| match self.byte(object, spot.at + i) {
            Some(byte) => byte,
            None => object.data[spot.at + i],
        };
        is_there.then(|| (0..len).fold(0, |bits, i| bits | u128::from(byte(i)) << (8 * i)))
    }

    fn byte(&self, object: &Object, at: usize) -> Option<u8> {
        if object.is_written(at, 1) {
            return object.data.get(at).copied();
        }
        let (share, written) = (object.share_of(at), object.bits_written(at));
        let byte = self.shared.get((share as usize).checked_sub(1)?)?;
        (byte.state == State::Known).then(|| object.data[at] & written | byte.value & !written)
    }
}
