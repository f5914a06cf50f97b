//! What library functions compute, and calls of functions that have no model. What they may access and give
//! is in their description ([`LibFn::description`]), with which `tests/descriptions.rs` compares this.
//!
//! Arguments stand in the window of the call; the result goes to its first slots. A record result (of
//! `va_arg`) is given as the address of the record.

mod ctype;
mod digits;
mod integer;
mod math;
mod memory;
mod parse;
mod print;
mod string;

use crate::bytecode::{LibrarySite, ValueShape};
use crate::machine::{Flow, Machine};
use crate::outcome::Taint;
use crate::scalar::{Scalar, convert};
use summa_cfa::LibFn;
use summa_cfa::library::Family;

/// The arguments of a call with their shapes; records by address.
pub(crate) struct Args<'s> {
    values: Vec<u128>,
    shapes: &'s [ValueShape],
}

impl Args<'_> {
    /// An argument as bits of its type. The builder of the automata has checked that all arguments of the
    /// signature exist.
    fn bits(&self, index: usize) -> u128 {
        self.values.get(index).copied().unwrap_or(0)
    }

    fn kind(&self, index: usize) -> Scalar {
        match self.shapes.get(index) {
            Some(&ValueShape::Scalar(kind)) => kind,
            _ => Scalar::U64,
        }
    }

    /// An integer argument as a number.
    fn int(&self, index: usize) -> i128 {
        self.kind(index).to_int(self.bits(index))
    }

    /// An argument converted as if passed to a parameter of this kind.
    fn as_kind(&self, index: usize, kind: Scalar) -> u128 {
        convert(self.kind(index), kind, self.bits(index))
    }

    fn address(&self, index: usize) -> u64 {
        self.bits(index) as u64
    }

    fn len(&self) -> usize {
        self.values.len()
    }
}

impl Machine<'_> {
    pub(crate) fn call_library(&mut self, frame: &mut [u64], window: u32, site: &LibrarySite) -> Flow<()> {
        let args = collect(frame, window, site);
        let Some(model) = site.model else { return Ok(()) };
        let result = match model.family() {
            _ if model.asks_for_memory() && self.is_refused() => 0,
            Family::Allocation | Family::Block => self.memory_function(model, &args)?,
            Family::Text => self.string_function(model, &args)?,
            Family::Output => self.print_function(model, &args)?,
            Family::Integer => self.integer_function(model, &args)?,
            Family::Variadic => self.variadic_function(model, frame, &args, site.result)?,
            Family::Character | Family::Real | Family::Digits => match model {
                LibFn::Ctype(class) => ctype::classify(class, args.int(0)),
                LibFn::Math(function) => self.math(function, &args, site.result)?,
                LibFn::Rounded(rounded) => self.rounded(rounded, &args, site.result)?,
                LibFn::ParseInteger(digits) => self.parse_integer(digits, &args)?,
                _ => self.parsed_length(&args)?,
            },
        };
        let slot = window as usize;
        if let Some(shape) = site.result {
            let is_wide = matches!(shape, ValueShape::Scalar(kind) if kind.is_wide());
            // Models give canonical bits of the result's own type; narrower declarations keep the low part.
            frame[slot] = match shape {
                ValueShape::Scalar(kind) if !is_wide => kind.extend(result as u64),
                _ => result as u64,
            };
            if is_wide {
                frame[slot + 1] = (result >> 64) as u64;
            }
        }
        Ok(())
    }

    /// Counts a request for memory. True: the policy says that it is refused.
    fn is_refused(&mut self) -> bool {
        self.requests += 1;
        self.policy.refused.is_some_and(|refused| refused + 1 == self.requests)
    }

    fn variadic_function(
        &mut self,
        model: LibFn,
        frame: &[u64],
        args: &Args<'_>,
        result: Option<ValueShape>,
    ) -> Flow<u128> {
        match (model, result) {
            (LibFn::VaStart, _) => self.va_start(frame, args.address(0))?,
            (LibFn::VaCopy, _) => {
                let kind = self.pointer_kind();
                let next = self.read(args.address(1), kind)?;
                self.write(args.address(0), kind, next)?;
            }
            (LibFn::VaArg, None) => return Err(self.unsupported("`va_arg` of an unknown type")),
            (LibFn::VaArg, Some(shape)) => {
                let at = self.va_arg(args.address(0), shape)?;
                return match shape {
                    ValueShape::Scalar(kind) => self.read(at, kind),
                    ValueShape::Record { .. } => Ok(at.into()),
                };
            }
            _ => {}
        }
        Ok(0)
    }

    /// A function without body and model. Its result is an input (taken by the next instruction). Its effect
    /// on memory is unknown, so the run is marked.
    pub(crate) fn call_external(&mut self, frame: &mut [u64], window: u32, site: &LibrarySite) -> Flow<()> {
        let args = collect(frame, window, site);
        let reaches_memory = (0..args.len()).any(|i| match site.args[i] {
            // A number may be an address too, but only a pointer is expected to be written through.
            ValueShape::Scalar(_) => site.is_pointer[i] && self.memory.owner_of(args.address(i)).is_some(),
            ValueShape::Record { .. } => true,
        });
        // The target of a pointer from outside of the program has no declaration: it may not even be a
        // function.
        let undeclared = self.program.cfa.program.functions[site.callee].span.is_none();
        if reaches_memory || undeclared {
            self.taint(Taint::ExternalCall(site.callee));
        }
        Ok(())
    }
}

fn collect<'s>(frame: &[u64], window: u32, site: &'s LibrarySite) -> Args<'s> {
    let mut slot = window as usize;
    let mut take = |shape: &ValueShape| {
        let is_wide = matches!(shape, ValueShape::Scalar(kind) if kind.is_wide());
        let high = if is_wide { u128::from(frame[slot + 1]) << 64 } else { 0 };
        let value = u128::from(frame[slot]) | high;
        slot += 1 + usize::from(is_wide);
        value
    };
    Args { values: site.args.iter().map(&mut take).collect(), shapes: &site.args }
}
