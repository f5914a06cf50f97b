//! Calls, returns and variadic arguments.
//!
//! Variadic arguments are an object of their own in which each argument stands at its alignment, at least
//! that of a pointer; a `va_list` holds the address of the next one in its first bytes. So `va_list`s can be
//! copied and passed on as the program likes.

use super::{Flow, Frame, Machine};
use crate::bytecode::{Code, Inst, ValueShape};
use crate::inputs::InputOrigin;
use crate::memory::object::ObjectKind;
use crate::outcome::{End, FaultKind};
use crate::scalar::Scalar;
use summa_base::Id;
use summa_c::tree::FuncId;

/// What an activation costs besides its slots.
const FRAME_OVERHEAD: u64 = 64;

impl<'r> Machine<'r> {
    /// The code of a function, and room for its frame. Gives the code and where its frame starts.
    pub(crate) fn enter(
        &mut self,
        stack: &mut Vec<u64>,
        base: usize,
        function: u32,
        args: u32,
    ) -> Flow<(&'r Code, usize)> {
        let function = FuncId::from_index(function as usize);
        let Some(code) = self.program.code(function, self.shows()) else {
            return Err(self.unsupported("a call of a function without a body"));
        };
        if self.frames.len() >= self.policy.max_frames as usize {
            return Err(self.stop(End::MemoryLimit));
        }
        let start = base + args as usize;
        self.reserve(stack, start + code.frame as usize)?;
        self.frames.push(Frame { code: self.code, base, pc: self.pc });
        self.code = code;
        let zeroed = start + code.zeroed.start as usize..start + code.zeroed.end as usize;
        stack[zeroed].fill(0);
        Ok((code, start))
    }

    fn reserve(&mut self, stack: &mut Vec<u64>, slots: usize) -> Flow<()> {
        if slots > stack.len() {
            let bytes = 8 * slots as u64 + FRAME_OVERHEAD * self.frames.len() as u64;
            if bytes + self.memory.used() > self.policy.max_memory {
                return Err(self.stop(End::MemoryLimit));
            }
            stack.resize(slots.next_multiple_of(1024), 0);
        }
        Ok(())
    }

    /// Ends the life of the frame's objects and goes back to the caller; None: there is none.
    pub(crate) fn leave(&mut self, frame: &[u64]) -> Option<Frame<'r>> {
        let handles = self.code.handles.start as usize..self.code.handles.end as usize;
        for &handle in &frame[handles] {
            if handle != 0 {
                self.memory.kill(handle);
            }
        }
        if !self.allocas.is_empty() {
            let depth = self.frames.len();
            while let Some(&(owner, address)) = self.allocas.last()
                && owner == depth
            {
                self.memory.kill(address);
                self.allocas.pop();
            }
        }
        let caller = self.frames.pop()?;
        self.code = caller.code;
        self.pc = caller.pc;
        Some(caller)
    }

    /// A function ended without the value that it promised. For the caller the value is unwritten.
    pub(crate) fn missing_result(&mut self, kind: Scalar) -> Flow<u128> {
        let wanted = match self.frames.last() {
            Some(caller) => match caller.code.insts.get(caller.pc) {
                // The result is not used if the next instruction belongs to an edge of its own.
                Some(Inst::After { .. } | Inst::Jump { .. } | Inst::Count { .. }) => false,
                _ => caller.code.mark(caller.pc as u32).map(|mark| mark.pc) != Some(caller.pc as u32),
            },
            None => false,
        };
        if !wanted {
            return Ok(0);
        }
        self.note(FaultKind::UninitialisedRead)?;
        self.input(kind, InputOrigin::Uninitialised)
    }

    // ---- variadic arguments ----

    fn argument_align(&self, align: u64) -> u64 {
        align.max(self.memory.pointer_size as u64)
    }

    fn shape_size(&self, shape: ValueShape) -> (u64, u64) {
        match shape {
            // The argument area of i386 aligns everything to 4 bytes; elsewhere wide scalars are aligned to
            // 16.
            ValueShape::Scalar(kind) if kind.is_wide() && self.memory.pointer_size == 8 => (16, 16),
            ValueShape::Scalar(kind) => (kind.bytes() as u64, self.argument_align(1)),
            ValueShape::Record { size, align } => {
                let most = if self.memory.pointer_size == 4 { 4 } else { 16 };
                (size, self.argument_align(align.min(most)))
            }
        }
    }

    /// Lays out the arguments of a call; gives the address of the first.
    pub(crate) fn pass_variadic(&mut self, frame: &[u64], site: u32) -> Flow<u64> {
        let code = self.code;
        let args = &code.variadics[site as usize].args;
        let mut at = 0u64;
        let mut offsets = Vec::with_capacity(args.len());
        for &(_, shape) in args {
            let (size, align) = self.shape_size(shape);
            at = at.next_multiple_of(align);
            offsets.push(at);
            at += size;
        }
        let area = self.allocate(at, ObjectKind::Variadic, false)?;
        for (&(slot, shape), offset) in args.iter().zip(offsets) {
            let slot = slot as usize;
            match shape {
                ValueShape::Scalar(kind) => {
                    let high = if kind.is_wide() { u128::from(frame[slot + 1]) << 64 } else { 0 };
                    self.write(area + offset, kind, high | u128::from(frame[slot]))?;
                }
                ValueShape::Record { size, .. } => {
                    self.copy_record(area + offset, frame[slot], size as usize)?
                }
            }
        }
        Ok(area)
    }

    /// `va_start`: the list at address `list` begins with the first variadic argument of the current frame.
    pub(crate) fn va_start(&mut self, frame: &[u64], list: u64) -> Flow<()> {
        let Some(slot) = self.code.variadic else {
            return Err(self.unsupported("`va_start` in a function with a fixed number of arguments"));
        };
        let first = frame[slot as usize];
        self.write(list, self.pointer_kind(), first.into())
    }

    /// `va_arg`: the address of the next argument of this shape; the list moves on.
    pub(crate) fn va_arg(&mut self, list: u64, shape: ValueShape) -> Flow<u64> {
        let kind = self.pointer_kind();
        let next = self.read(list, kind)? as u64;
        let (size, align) = self.shape_size(shape);
        let at = next.next_multiple_of(align);
        self.place_to_read(at, at, size as usize)?;
        self.write(list, kind, u128::from(at + size))?;
        Ok(at)
    }

    pub(crate) fn pointer_kind(&self) -> Scalar {
        if self.memory.pointer_size == 4 { Scalar::U32 } else { Scalar::U64 }
    }
}
