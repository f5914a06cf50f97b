//! One object: its bytes, which of them were written, and what it is.

use super::shared::Share;
use summa_base::FxHashMap;
use summa_c::tree::VarId;
use summa_cfa::EdgeId;

/// What kind of storage an object is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    /// File scope and `static`.
    Static,
    /// A string literal: read-only once `main` runs.
    Literal,
    /// A local, a parameter or a temporary.
    Local,
    /// The variadic arguments of a call.
    Variadic,
    /// From `alloca`: lives as long as the frame.
    Alloca,
    /// From `malloc` and the like.
    Heap,
}

/// Where an object comes from: its name in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectOrigin {
    Variable(VarId),
    Allocation(EdgeId),
}

/// Which bytes were never written. Dropped as soon as there are none.
#[derive(Clone, Debug)]
pub(crate) struct Unwritten {
    /// Bit set: not written.
    bits: Vec<u64>,
    left: usize,
    /// The share of each unwritten byte; empty as long as there are no copies.
    shares: Vec<Share>,
    /// The bits that bit-fields have written of bytes that count as unwritten.
    bits_written: FxHashMap<usize, u8>,
}

impl Unwritten {
    fn all(size: usize) -> Self {
        let mut bits = vec![u64::MAX; size.div_ceil(64)];
        if let (Some(last), tail @ 1..) = (bits.last_mut(), size % 64) {
            *last = (1 << tail) - 1;
        }
        Self { bits, left: size, shares: Vec::new(), bits_written: FxHashMap::default() }
    }

    /// The bits of up to 64 bytes from `at` on.
    #[inline]
    fn window(&self, at: usize, len: usize) -> u64 {
        let (word, shift) = (at / 64, at % 64);
        let low = self.bits.get(word).copied().unwrap_or(0) >> shift;
        let high = match shift {
            0 => 0,
            _ => self.bits.get(word + 1).copied().unwrap_or(0) << (64 - shift),
        };
        let mask = if len >= 64 { u64::MAX } else { (1 << len) - 1 };
        (low | high) & mask
    }

    fn set(&mut self, at: usize, unwritten: bool) {
        let Some(word) = self.bits.get_mut(at / 64) else { return };
        let bit = 1u64 << (at % 64);
        if (*word & bit != 0) != unwritten {
            *word ^= bit;
            self.left = if unwritten { self.left + 1 } else { self.left - 1 };
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) base: u64,
    pub(crate) data: Vec<u8>,
    /// None: every byte was written.
    pub(crate) unwritten: Option<Box<Unwritten>>,
    pub(crate) kind: ObjectKind,
    pub(crate) origin: ObjectOrigin,
    pub(crate) read_only: bool,
    /// The size of a static object whose bytes are not made yet.
    pub(crate) planned: usize,
    /// A static object that nothing initialises: its bytes are not zero but unwritten.
    pub(crate) is_raw: bool,
    /// The unwritten bytes are known: reading them asks for no input.
    pub(crate) is_foreseen: bool,
    /// Declared without a size and defined nowhere: nothing is known about its extent.
    pub(crate) is_unsized: bool,
    /// The number of calls of `malloc` before the one that made it, if one did.
    pub(crate) allocation: Option<u32>,
}

impl Object {
    pub(crate) fn new(base: u64, size: usize, kind: ObjectKind, origin: ObjectOrigin, zeroed: bool) -> Self {
        let unwritten = (!zeroed && size > 0).then(|| Box::new(Unwritten::all(size)));
        Self {
            base,
            data: vec![0; size],
            unwritten,
            kind,
            origin,
            read_only: false,
            planned: 0,
            is_raw: false,
            is_foreseen: false,
            is_unsized: false,
            allocation: None,
        }
    }

    /// A planned static object with its bytes: zeros, unless nothing initialises it.
    pub(crate) fn made(&self) -> Self {
        let object = Self::new(self.base, self.planned, self.kind, self.origin, !self.is_raw);
        Self { is_unsized: self.is_unsized, ..object }
    }

    /// Was every byte of the range written?
    #[inline]
    pub(crate) fn is_written(&self, at: usize, len: usize) -> bool {
        match &self.unwritten {
            None => true,
            Some(unwritten) if len <= 64 => unwritten.window(at, len) == 0,
            Some(unwritten) => {
                (at..at + len).step_by(64).all(|i| unwritten.window(i, (at + len - i).min(64)) == 0)
            }
        }
    }

    #[inline]
    pub(crate) fn mark_written(&mut self, at: usize, len: usize) {
        if self.unwritten.is_some() {
            self.mark(at, len, false);
        }
    }

    #[inline(never)]
    fn mark(&mut self, at: usize, len: usize, as_unwritten: bool) {
        let Some(unwritten) = &mut self.unwritten else { return };
        (at..at + len).for_each(|i| unwritten.set(i, as_unwritten));
        if !unwritten.bits_written.is_empty() {
            unwritten.bits_written.retain(|i, _| !(at..at + len).contains(i));
        }
        if unwritten.left == 0 {
            self.unwritten = None;
        }
    }

    /// The share of an unwritten byte; zero if it has no copies.
    pub(crate) fn share_of(&self, at: usize) -> Share {
        self.unwritten.as_ref().and_then(|unwritten| unwritten.shares.get(at)).copied().unwrap_or(0)
    }

    pub(crate) fn set_share(&mut self, at: usize, share: Share) {
        let size = self.data.len();
        let Some(unwritten) = &mut self.unwritten else { return };
        if unwritten.shares.is_empty() {
            unwritten.shares.resize(size, 0);
        }
        unwritten.shares[at] = share;
    }

    /// The bits of an unwritten byte that bit-fields have written.
    pub(crate) fn bits_written(&self, at: usize) -> u8 {
        self.unwritten.as_ref().and_then(|unwritten| unwritten.bits_written.get(&at)).copied().unwrap_or(0)
    }

    /// These bits of the byte are written; the others stay as they are.
    pub(crate) fn write_bits(&mut self, at: usize, mask: u8, value: u8) {
        let Some(byte) = self.data.get_mut(at) else { return };
        *byte = *byte & !mask | value & mask;
        let Some(unwritten) = &mut self.unwritten else { return };
        if unwritten.window(at, 1) == 0 {
            return;
        }
        let written = unwritten.bits_written.entry(at).or_default();
        *written |= mask;
        if *written == u8::MAX {
            self.mark_written(at, 1);
        }
    }

    /// Are all these bits of the byte written?
    pub(crate) fn are_bits_written(&self, at: usize, mask: u8) -> bool {
        self.is_written(at, 1) || mask & !self.bits_written(at) == 0
    }

    /// The range becomes indeterminate: bytes of its own, copies of none.
    pub(crate) fn mark_unwritten(&mut self, at: usize, len: usize) {
        if self.unwritten.is_none() {
            let mut unwritten = Unwritten::all(self.data.len());
            unwritten.bits.fill(0);
            unwritten.left = 0;
            self.unwritten = Some(Box::new(unwritten));
        }
        self.mark(at, len, true);
        if let Some(unwritten) = &mut self.unwritten
            && let Some(shares) = unwritten.shares.get_mut(at..at + len)
        {
            shares.fill(0);
        }
    }

    /// Up to 8 bytes as a little-endian number. The caller has checked the range.
    #[inline]
    pub(crate) fn read(&self, at: usize, len: usize) -> u64 {
        let data = &self.data;
        match len {
            1 => data.get(at).map_or(0, |&b| u64::from(b)),
            4 => data
                .get(at..at + 4)
                .and_then(|s| s.try_into().ok())
                .map_or(0, |b| u64::from(u32::from_le_bytes(b))),
            8 => data.get(at..at + 8).and_then(|s| s.try_into().ok()).map_or(0, u64::from_le_bytes),
            2 => data
                .get(at..at + 2)
                .and_then(|s| s.try_into().ok())
                .map_or(0, |b| u64::from(u16::from_le_bytes(b))),
            _ => self.read_wide(at, len) as u64,
        }
    }

    /// Up to 16 bytes as a little-endian number.
    pub(crate) fn read_wide(&self, at: usize, len: usize) -> u128 {
        let mut bytes = [0; 16];
        if let Some(source) = self.data.get(at..at + len) {
            bytes[..len].copy_from_slice(source);
        }
        u128::from_le_bytes(bytes)
    }

    /// Writes the low `len` bytes of a number. The caller has checked the range.
    #[inline]
    pub(crate) fn write(&mut self, at: usize, len: usize, value: u64) {
        match len {
            1 => self.put(at, [value as u8]),
            4 => self.put(at, (value as u32).to_le_bytes()),
            8 => self.put(at, value.to_le_bytes()),
            2 => self.put(at, (value as u16).to_le_bytes()),
            _ => self.write_wide(at, len, u128::from(value)),
        }
    }

    #[inline]
    fn put<const N: usize>(&mut self, at: usize, bytes: [u8; N]) {
        if let Some(target) = self.data.get_mut(at..at + N) {
            target.copy_from_slice(&bytes);
        }
        self.mark_written(at, N);
    }

    pub(crate) fn write_wide(&mut self, at: usize, len: usize, value: u128) {
        if let Some(target) = self.data.get_mut(at..at + len) {
            target.copy_from_slice(&value.to_le_bytes()[..len]);
        }
        self.mark_written(at, len);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use summa_base::Id;

    fn object(size: usize) -> Object {
        Object::new(0, size, ObjectKind::Local, ObjectOrigin::Variable(VarId::from_index(0)), false)
    }

    #[test]
    fn written_bytes_are_tracked_one_by_one() {
        let mut o = object(130);
        assert!(!o.is_written(0, 1));
        o.write(62, 4, 0x0403_0201);
        assert!(o.is_written(62, 4) && !o.is_written(61, 4) && !o.is_written(62, 5));
        assert_eq!(o.read(62, 4), 0x0403_0201);
        assert_eq!(o.read(63, 2), 0x0302);
        o.mark_written(0, 130);
        assert!(o.unwritten.is_none());
        o.mark_unwritten(100, 2);
        assert!(o.is_written(0, 100) && !o.is_written(0, 130) && o.is_written(102, 28));
    }

    #[test]
    fn wide_values_keep_their_bytes() {
        let mut o = object(16);
        o.write_wide(0, 10, 0x0102_0304_0506_0708_090a);
        assert_eq!(o.read_wide(0, 10), 0x0102_0304_0506_0708_090a);
        assert_eq!(o.read(0, 1), 0x0a);
        assert!(!o.is_written(0, 11));
    }
}
