//! Constraints of calls of modelled library functions, by the table in `models`.

use super::constraints::Constraints;
use super::heap::{CellId, Shape};
use crate::models::{MemoryModel, ResultAddress};
use summa_c::tree::{ExprId, FuncId, PlaceId};
use summa_cfa::EdgeId;
use summa_cfa::LibFn;

impl Constraints<'_> {
    pub(super) fn library(
        &mut self,
        edge: EdgeId,
        function: FuncId,
        model: LibFn,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) {
        let memory = MemoryModel::of(model);
        if let Some(copying) = memory.copies
            && let (Some(&to), Some(&from)) = (args.get(copying.to), args.get(copying.from))
        {
            let (to, from) = (self.pointer(to), self.pointer(from));
            if copying.is_string {
                self.heap.copy_string(from, to);
            } else {
                self.heap.copy_bytes(from, to);
            }
        }
        if let (Some(format), [0]) = (memory.format, memory.writes)
            && !matches!(model, LibFn::Fprintf)
        {
            self.print_strings(args, format);
        }
        // The list points to the arguments.
        if let (LibFn::VaStart, Some(&list)) = (model, args.first()) {
            let (list, variadic) = (self.list_cell(list), self.variadic_cell(function));
            self.heap.point(list, variadic);
        }
        self.library_result(edge, model, memory, args, result);
    }

    /// `%s` copies characters from its argument, which must be a pointer to characters (7.21.6.1).
    fn print_strings(&mut self, args: &[ExprId], format: usize) {
        let (exprs, types) = (&self.cfa.program.exprs, &self.cfa.program.types);
        for &arg in args.get(format + 1..).unwrap_or(&[]) {
            let points_to_characters = types
                .pointee(exprs.type_of(arg))
                .is_some_and(|t| types.is_integer(t) && types.size_of(t) == Some(1));
            if points_to_characters && let Some(&buffer) = args.first() {
                let (from, to) = (self.pointer(arg), self.pointer(buffer));
                self.heap.copy_string(from, to);
            }
        }
    }

    fn library_result(
        &mut self,
        edge: EdgeId,
        model: LibFn,
        memory: MemoryModel,
        args: &[ExprId],
        result: Option<PlaceId>,
    ) {
        let types = &self.cfa.program.types;
        let value = match memory.result {
            ResultAddress::None => return,
            ResultAddress::Argument(i) => args.get(i).and_then(|&arg| self.values[arg]),
            ResultAddress::Inside(i) => args.get(i).map(|&arg| {
                let pointer = self.pointer(arg);
                self.heap.step(pointer, types.char);
                pointer
            }),
            ResultAddress::Bits(i) => {
                let operand = args.get(i).and_then(|&arg| self.values[arg]);
                self.computed(types.long, [operand, None])
            }
            ResultAddress::Fresh | ResultAddress::Moved(_) => {
                let object = self.heap.new_object(Shape::Untyped);
                let (value, cell) = (self.heap.new_value(), self.heap.cell_at(object, 0));
                self.heap.point(value, cell);
                self.sites.push((edge, cell));
                if let ResultAddress::Moved(i) = memory.result
                    && let Some(old) = args.get(i).and_then(|&arg| self.values[arg])
                {
                    self.heap.flow(old, value);
                }
                if model == LibFn::Strdup
                    && let Some(&original) = args.first()
                {
                    let original = self.pointer(original);
                    self.heap.copy_string(original, value);
                }
                Some(value)
            }
            ResultAddress::Variadic(i) => args.get(i).map(|&list| {
                let list = self.list_cell(list);
                let (object, offset) = self.heap.follow(list);
                self.heap.collapse(object);
                self.heap.cell_at(object, offset)
            }),
        };
        let (Some(value), Some(place)) = (value, result) else {
            return;
        };
        let (ty, location) = (self.cfa.program.exprs.place(place).ty, self.location(place));
        for (cell, _) in self.region(location, ty) {
            self.heap.flow(value, cell);
        }
    }

    /// The memory of the `va_list` behind a pointer. Its inside belongs to the compiler, so it is one cell.
    fn list_cell(&mut self, pointer: ExprId) -> CellId {
        let pointer = self.pointer(pointer);
        let (object, _) = self.heap.follow(pointer);
        self.heap.collapse(object);
        self.heap.cell_at(object, 0)
    }
}
