//! Constraints of calls of modelled library functions, by their descriptions.

use super::constraints::Constraints;
use super::heap::{Shape, SlotId};
use summa_c::tree::{ExprId, FuncId, PlaceId};
use summa_cfa::EdgeId;
use summa_cfa::LibFn;
use summa_cfa::library::{Description, Flow, Returned};

impl Constraints<'_> {
    pub(super) fn library(
        &mut self,
        edge: EdgeId,
        function: FuncId,
        model: LibFn,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) {
        let description = model.description();
        match description.flow {
            Flow::Nothing | Flow::TextToResult { .. } => {}
            Flow::Bytes { from, to } | Flow::Text { from, to } => {
                if let (Some(&from), Some(&to)) = (args.get(from), args.get(to)) {
                    let (to, from) = (self.pointer(to), self.pointer(from));
                    match description.flow {
                        Flow::Bytes { .. } => self.heap.copy_bytes(from, to),
                        _ => self.heap.copy_string(from, to),
                    }
                }
            }
            Flow::Printed { to } => {
                if let Some((format, &to)) = description.format.zip(args.get(to)) {
                    self.print_strings(args.get(format + 1..).unwrap_or(&[]), to);
                }
            }
            Flow::Arguments { to } => {
                if let Some(&list) = args.get(to) {
                    let (list, variadic) = (self.list_slot(list), self.variadic_slot(function));
                    self.heap.point(list, variadic);
                }
            }
        }
        self.library_result(edge, &description, args, result);
    }

    /// `%s` copies characters from its argument, which must be a pointer to characters (7.21.6.1).
    fn print_strings(&mut self, printed: &[ExprId], buffer: ExprId) {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        for &arg in printed {
            let points_to_characters = types
                .pointee(exprs.type_of(arg))
                .is_some_and(|t| types.is_integer(t) && types.size_of(t) == Some(1));
            if points_to_characters {
                let (from, to) = (self.pointer(arg), self.pointer(buffer));
                self.heap.copy_string(from, to);
            }
        }
    }

    fn library_result(
        &mut self,
        edge: EdgeId,
        description: &Description,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) {
        let types = &self.cfa.program.types;
        let value = match description.returned {
            Returned::Nothing | Returned::Number(_) | Returned::Real | Returned::Scalar => return,
            Returned::Argument(i) => args.get(i).and_then(|&arg| self.values[arg]),
            Returned::Inside(i) => args.get(i).map(|&arg| {
                let pointer = self.pointer(arg);
                self.heap.step(pointer, types.char);
                pointer
            }),
            Returned::Bits(i) => {
                let operand = args.get(i).and_then(|&arg| self.values[arg]);
                self.computed(types.long, [operand, None])
            }
            Returned::Fresh(_) | Returned::Moved { .. } => {
                let object = self.heap.new_object(Shape::Untyped);
                let (value, slot) = (self.heap.new_value(), self.heap.slot_at(object, 0));
                self.heap.point(value, slot);
                self.sites.push((edge, slot));
                if let Returned::Moved { from, .. } = description.returned
                    && let Some(old) = args.get(from).and_then(|&arg| self.values[arg])
                {
                    self.heap.flow(old, value);
                }
                if let Flow::TextToResult { from } = description.flow
                    && let Some(&original) = args.get(from)
                {
                    let original = self.pointer(original);
                    self.heap.copy_string(original, value);
                }
                Some(value)
            }
            Returned::Variadic(i) => args.get(i).map(|&list| {
                let list = self.list_slot(list);
                let (object, offset) = self.heap.follow(list);
                self.heap.collapse(object);
                self.heap.slot_at(object, offset)
            }),
        };
        let (Some(value), Some(place)) = (value, result) else {
            return;
        };
        let (ty, location) = (self.cfa.program.exprs.place(place).ty, self.location(place));
        for (slot, _) in self.region(location, ty) {
            self.heap.flow(value, slot);
        }
    }

    /// The memory of the `va_list` behind a pointer. Its inside belongs to the compiler, so it is one slot.
    fn list_slot(&mut self, pointer: ExprId) -> SlotId {
        let pointer = self.pointer(pointer);
        let (object, _) = self.heap.follow(pointer);
        self.heap.collapse(object);
        self.heap.slot_at(object, 0)
    }
}
