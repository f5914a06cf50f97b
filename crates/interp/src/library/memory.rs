//! Allocation and the `mem…` functions.

use super::Args;
use crate::machine::{Flow, Machine};
use crate::memory::object::ObjectKind;
use crate::outcome::FaultKind;
use crate::scalar::Scalar;
use summa_cfa::LibFn;

impl Machine<'_> {
    pub(super) fn memory_function(&mut self, model: LibFn, args: &Args<'_>) -> Flow<u128> {
        Ok(match model {
            LibFn::Malloc => {
                let base = self.malloc(self.size(args, 0), false)?;
                self.number_allocation(base);
                base.into()
            }
            LibFn::Calloc => {
                let size = self.size(args, 0).saturating_mul(self.size(args, 1));
                self.malloc(size, true)?.into()
            }
            LibFn::Realloc => self.realloc(args.address(0), self.size(args, 1))?.into(),
            LibFn::Free => {
                self.free(args.address(0))?;
                0
            }
            LibFn::Alloca => {
                let address = self.allocate(self.size(args, 0), ObjectKind::Alloca, false)?;
                let depth = self.frames.len();
                self.allocas.push((depth, address));
                address.into()
            }
            LibFn::Memcpy | LibFn::Memmove => {
                let (to, from, size) = (args.address(0), args.address(1), self.size(args, 2) as usize);
                if model == LibFn::Memcpy && to != from && to.abs_diff(from) < size as u64 {
                    self.note(FaultKind::OverlappingCopy)?;
                }
                self.copy_record(to, from, size)?;
                to.into()
            }
            LibFn::Memset => {
                let (at, byte, size) = (args.address(0), args.int(1) as u8, self.size(args, 2) as usize);
                self.fill(at, byte, size)?;
                at.into()
            }
            LibFn::Memcmp => {
                let (a, b, size) = (args.address(0), args.address(1), self.size(args, 2));
                for i in 0..size {
                    let (x, y) =
                        (self.read_byte(a, a.wrapping_add(i))?, self.read_byte(b, b.wrapping_add(i))?);
                    if x != y {
                        return Ok(Scalar::I32.from_int(i128::from(x) - i128::from(y)));
                    }
                }
                0
            }
            LibFn::Memchr => {
                let (at, byte, size) = (args.address(0), args.int(1) as u8, self.size(args, 2));
                for i in 0..size {
                    if self.read_byte(at, at.wrapping_add(i))? == byte {
                        return Ok(at.wrapping_add(i).into());
                    }
                }
                0
            }
            other => return Err(self.unsupported(format!("the library function {other:?}"))),
        })
    }

    /// An argument of type `size_t`.
    pub(super) fn size(&self, args: &Args<'_>, index: usize) -> u64 {
        args.as_kind(index, self.pointer_kind()) as u64
    }

    /// A new heap object. Whether there is memory for it was asked before.
    pub(super) fn malloc(&mut self, size: u64, zeroed: bool) -> Flow<u64> {
        self.allocate(size, ObjectKind::Heap, zeroed)
    }

    fn free(&mut self, address: u64) -> Flow<()> {
        if address == 0 {
            return Ok(());
        }
        self.memory.release_heap(address).map_err(|refusal| self.refuse(refusal))
    }

    fn realloc(&mut self, old: u64, size: u64) -> Flow<u64> {
        if old == 0 {
            return self.malloc(size, false);
        }
        let old_size = match self.memory.owner_of(old) {
            Some(object) if object.kind == ObjectKind::Heap && object.base == old => object.data.len() as u64,
            // What cannot be freed cannot be resized.
            _ => {
                self.free(old)?;
                return Ok(0);
            }
        };
        if size == 0 {
            // glibc frees the object.
            self.free(old)?;
            return Ok(0);
        }
        let new = self.malloc(size, false)?;
        self.copy_record(new, old, old_size.min(size) as usize)?;
        self.free(old)?;
        Ok(new)
    }
}
