//! Reads of volatile objects.
//!
//! A register, or a flag of an interrupt, changes without the program. So the value of a read is an input,
//! and a second read may give another value. The rule: a read gives any value of its type if the object may
//! be volatile and something outside may know it. Such objects are: objects with static storage that are
//! declared volatile or have volatile members, memory of the environment, and addresses that are written as
//! numbers. Local variables and allocated objects belong to the program alone. Objects that are not volatile
//! themselves are memory, even if a pointer to volatile leads there. The address and the memory are still
//! read, so that invalid pointers are found.
//!
//! Lowering looks at the place as it is written ([`FunctionBuilder::read_volatile`]). Where a pointer leads
//! is known only when all automata exist; then `summa_transform` removes the inputs that are none. Registers
//! at constant addresses exist: reading one is an input, writing to it has no effect. Limits: an address in a
//! variable is not constant. A record that is copied as a whole counts as memory if only some of its members
//! are volatile.

use super::function::FunctionBuilder;
use crate::cfa::{HavocSource, Op};
use crate::syntax::{Base, base};
use summa_c::Span;
use summa_c::tree::{ExprId, ExprKind, PlaceId};

const MEMORY: &str = "volatile objects are memory: only the program writes to them (--volatile-is-memory)";

impl FunctionBuilder<'_> {
    pub(super) fn read_volatile(&mut self, into: PlaceId, place: PlaceId, span: Span) {
        let is_memory = self.context.environment.volatile_is_memory;
        let program = &mut self.context.program;
        let root = match base(&program.exprs, place) {
            Base::Variable(var) => Some(var),
            Base::Pointer(_) => None,
        };
        let is_own = root.is_some_and(|var| !program.vars[var].kind.is_static());
        if self.is_register(place) {
            return self.step(Op::Havoc { place: into, source: HavocSource::Volatile }, span);
        }
        let value = self.context.program.exprs.load(place);
        self.step(Op::Assign { place: into, value }, span);
        if is_memory && !is_own {
            self.context.assume(self.function, MEMORY.to_string(), span);
        }
        if !is_memory && !is_own {
            self.step(Op::Havoc { place: into, source: HavocSource::Volatile }, span);
        }
    }

    /// Is it a volatile place at an address that is written as a number?
    pub(super) fn is_register(&self, place: PlaceId) -> bool {
        let program = &self.context.program;
        let is_number = |mut pointer: ExprId| {
            loop {
                match program.exprs.expr(pointer).kind {
                    ExprKind::Int(address) => return address != 0,
                    ExprKind::Cast(inner) => pointer = inner,
                    _ => return false,
                }
            }
        };
        let leads_there = match base(&program.exprs, place) {
            Base::Pointer(pointer) => is_number(pointer),
            Base::Variable(_) => false,
        };
        leads_there
            && !self.context.environment.volatile_is_memory
            && program.exprs.is_volatile(&program.types, &program.vars, place)
    }
}
