//! The `str…` functions. Strings are read byte by byte, so running off an object is noticed where it happens.

use super::Args;
use crate::machine::{Flow, Machine};
use crate::outcome::FaultKind;
use crate::scalar::Scalar;
use summa_cfa::LibFn;

impl Machine<'_> {
    /// The bytes before the terminating zero, at most `most` of them.
    pub(super) fn string(&mut self, at: u64, most: u64) -> Flow<Vec<u8>> {
        let mut bytes = Vec::new();
        while (bytes.len() as u64) < most {
            match self.read_byte(at, at.wrapping_add(bytes.len() as u64))? {
                0 => break,
                byte => bytes.push(byte),
            }
        }
        Ok(bytes)
    }

    pub(super) fn string_function(&mut self, model: LibFn, args: &Args<'_>) -> Flow<u128> {
        const ALL: u64 = u64::MAX;
        let (a, b) = (args.address(0), args.address(1));
        let pointer = |found: Option<usize>| found.map_or(0, |i| u128::from(a + i as u64));
        Ok(match model {
            LibFn::Strlen => self.string(a, ALL)?.len() as u128,
            LibFn::Strnlen => self.string(a, self.size(args, 1))?.len() as u128,
            LibFn::Strcpy => {
                let mut text = self.string(b, ALL)?;
                text.push(0);
                self.check_overlap(a, b, text.len())?;
                self.write_bytes(a, &text)?;
                a.into()
            }
            LibFn::Strncpy => {
                let size = self.size(args, 2);
                let mut text = self.string(b, size)?;
                self.check_overlap(a, b, text.len())?;
                // The rest is filled with zeros; the range is checked before room for it is made.
                if size > 0 {
                    self.place_to_write(a, a, usize::try_from(size).unwrap_or(usize::MAX))?;
                }
                text.resize(size as usize, 0);
                self.write_bytes(a, &text)?;
                a.into()
            }
            LibFn::Strcat | LibFn::Strncat => {
                let most = if model == LibFn::Strncat { self.size(args, 2) } else { ALL };
                let old = self.string(a, ALL)?.len() as u64;
                let mut text = self.string(b, most)?;
                text.push(0);
                self.check_overlap(a.wrapping_add(old), b, text.len())?;
                // Through `a`, so that the object of `a` bounds the whole.
                let whole = old as usize + text.len();
                self.place_to_write(a, a, whole)?;
                self.write_bytes(a.wrapping_add(old), &text)?;
                a.into()
            }
            LibFn::Strcmp => self.compare_strings(a, b, ALL)?,
            LibFn::Strncmp => self.compare_strings(a, b, self.size(args, 2))?,
            LibFn::Strchr | LibFn::Strrchr => {
                let wanted = args.int(1) as u8;
                let mut text = self.string(a, ALL)?;
                text.push(0);
                let found = match model {
                    LibFn::Strchr => text.iter().position(|&c| c == wanted),
                    _ => text.iter().rposition(|&c| c == wanted),
                };
                pointer(found)
            }
            LibFn::Strstr => {
                let (text, wanted) = (self.string(a, ALL)?, self.string(b, ALL)?);
                match wanted.len() {
                    0 => a.into(),
                    n => pointer(text.windows(n).position(|window| window == wanted)),
                }
            }
            LibFn::Strspn | LibFn::Strcspn | LibFn::Strpbrk => {
                let (text, set) = (self.string(a, ALL)?, self.string(b, ALL)?);
                let inside = model == LibFn::Strspn;
                let end = text.iter().position(|c| set.contains(c) != inside);
                match model {
                    LibFn::Strpbrk => pointer(end),
                    _ => end.unwrap_or(text.len()) as u128,
                }
            }
            LibFn::Strdup => {
                let mut text = self.string(a, ALL)?;
                text.push(0);
                let copy = self.malloc(text.len() as u64, false)?;
                self.write_bytes(copy, &text)?;
                copy.into()
            }
            other => return Err(self.unsupported(format!("the library function {other:?}"))),
        })
    }

    /// The difference of the first bytes that differ, as glibc gives it.
    fn compare_strings(&mut self, a: u64, b: u64, most: u64) -> Flow<u128> {
        for i in 0..most {
            let (x, y) = (self.read_byte(a, a.wrapping_add(i))?, self.read_byte(b, b.wrapping_add(i))?);
            if x != y || x == 0 {
                return Ok(Scalar::I32.from_int(i128::from(x) - i128::from(y)));
            }
        }
        Ok(0)
    }

    fn check_overlap(&mut self, to: u64, from: u64, size: usize) -> Flow<()> {
        if size > 0 && to.abs_diff(from) < size as u64 {
            self.note(FaultKind::OverlappingCopy)
        } else {
            Ok(())
        }
    }
}
