//! What an edge does to variables and memory, in one place: all other analyses are built on these lists.
//!
//! [`Effects`] holds the effects of every edge, reads before writes. Places appear as in the program.
//! `points_to` says what a pointer may point to, `mod_ref` what a called function does. A write is *strong*
//! if its target is a whole variable: it replaces the whole old value. All others are weak.

use summa_base::Csr;
use summa_c::tree::{BinaryOp, ExprId, ExprKind, Exprs, FuncId, PlaceId, PlaceKind, Program, VarId, VarKind};
use summa_c::types::{ArrayLen, Type, TypeId, Types};
use summa_cfa::library::{Description, Extent, Returned};
use summa_cfa::syntax::{Base, base, strip_casts};
use summa_cfa::{Cfa, EdgeId, Op};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// The value of the place is read.
    Read(PlaceId),
    /// The variable is read without a place that says so: results of calls, lengths of arrays.
    ReadVar(VarId),
    /// The pointer is followed to a place that is read or written.
    Deref(ExprId),
    /// The operation is undefined for some values of this operand: divisors and shift counts.
    Partial(ExprId),
    /// The address of the place becomes a value.
    Address(PlaceId),
    /// Any bytes of the object that the pointer points into are read.
    ReadMemory(ExprId),
    /// A variadic argument is read from the list that the pointer points to.
    ReadVariadic(ExprId),
    /// The function is called, and does what it does.
    Call(FuncId),
    /// Everything reachable from the value may be read and written by unknown code.
    Escape(ExprId),
    /// The edge makes a new object.
    Allocate,
    /// Any bytes of the object that the pointer points into are written.
    WriteMemory(ExprId),
    /// The place takes a new value; strong if the place is a variable.
    Write(PlaceId),
    /// The variable takes a new value (strong): parameters at calls, the result at `return`.
    WriteVar(VarId),
    /// The lifetime of the variable begins or ends: contents indeterminate (strong).
    Lifetime(VarId),
}

/// How an effect touches a variable that it names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    Read,
    Address,
    Write,
    /// A write without a place that says so: [`Effect::WriteVar`].
    Receive,
}

/// The variable in which the effect reads, writes or takes an address; None if it does so behind a pointer,
/// or nothing of that kind.
pub fn touched(exprs: &Exprs, effect: Effect) -> Option<(Touch, VarId)> {
    let (touch, place) = match effect {
        Effect::Read(place) => (Touch::Read, place),
        Effect::Address(place) => (Touch::Address, place),
        Effect::Write(place) => (Touch::Write, place),
        Effect::ReadVar(var) => return Some((Touch::Read, var)),
        Effect::WriteVar(var) => return Some((Touch::Receive, var)),
        Effect::Deref(_)
        | Effect::Partial(_)
        | Effect::ReadMemory(_)
        | Effect::ReadVariadic(_)
        | Effect::Call(_)
        | Effect::Escape(_)
        | Effect::Allocate
        | Effect::WriteMemory(_)
        | Effect::Lifetime(_) => return None,
    };
    match base(exprs, place) {
        Base::Variable(var) => Some((touch, var)),
        Base::Pointer(_) => None,
    }
}

/// The effects of every edge.
#[derive(Debug)]
pub struct Effects {
    lists: Csr<EdgeId, Effect>,
}

impl Effects {
    pub fn new(cfa: &Cfa) -> Self {
        let mut pairs = Vec::with_capacity(4 * cfa.edges.len());
        let mut visitor = Visitor::new(&cfa.program);
        for edge in cfa.edges.ids() {
            visitor.edge(cfa, edge, &mut |effect| pairs.push((edge, effect)));
        }
        Self { lists: Csr::new(cfa.edges.len(), pairs.iter().copied()) }
    }

    /// Reads before writes, calls between them.
    pub fn of(&self, edge: EdgeId) -> &[Effect] {
        &self.lists[edge]
    }
}

/// Calls `visit` for every effect of evaluating the expression.
pub fn of_value(program: &Program, value: ExprId, mut visit: impl FnMut(Effect)) {
    Visitor::new(program).value(value, &mut visit);
}

/// Calls `visit` for every effect of computing the address of a place and then using the place.
pub fn of_access(program: &Program, place: PlaceId, mut visit: impl FnMut(Effect)) {
    Visitor::new(program).access(place, &mut visit);
}

/// What is still to be walked. An explicit stack: chains like `a + a + …` nest as deep as the source is long.
enum Todo {
    Value(ExprId),
    /// The address of a place; with `used`, its contents are read or written too.
    Location {
        place: PlaceId,
        used: bool,
    },
}

struct Visitor<'a> {
    program: &'a Program,
    todo: Vec<Todo>,
}

impl<'a> Visitor<'a> {
    fn new(program: &'a Program) -> Self {
        Self { program, todo: Vec::new() }
    }

    fn edge(&mut self, cfa: &Cfa, edge: EdgeId, visit: &mut impl FnMut(Effect)) {
        let (program, edge) = (self.program, cfa.edge(edge));
        match edge.op {
            Op::Skip | Op::Error { .. } | Op::Halt { .. } | Op::Unsupported { .. } => {}
            Op::Assign { place, value } => {
                self.access(place, visit);
                self.value(value, visit);
                self.write(place, visit);
            }
            Op::Assume { condition, .. } => self.value(condition, visit),
            Op::Declare { var } => {
                lengths(&program.types, program.vars[var].ty, visit);
                visit(Effect::Lifetime(var));
            }
            Op::Dead { var } => visit(Effect::Lifetime(var)),
            Op::Zero { place } | Op::Havoc { place, .. } => {
                self.access(place, visit);
                self.write(place, visit);
            }
            Op::Return { value } => {
                if let Some(value) = value {
                    self.value(value, visit);
                }
                let function = cfa.nodes[edge.from].function;
                if let Some(result) = program.functions[function].result {
                    visit(Effect::WriteVar(result));
                }
            }
            Op::Call { result, callee, ref args } => {
                self.operands(result, args, visit);
                visit(Effect::Call(callee));
                let callee = &program.functions[callee];
                callee.params.iter().for_each(|&param| visit(Effect::WriteVar(param)));
                if let Some(place) = result {
                    callee.result.into_iter().for_each(|var| visit(Effect::ReadVar(var)));
                    self.write(place, visit);
                }
            }
            Op::External { result, ref args, .. } => {
                self.operands(result, args, visit);
                args.iter().for_each(|&arg| visit(Effect::Escape(arg)));
                result.into_iter().for_each(|place| self.write(place, visit));
            }
            Op::Library { result, model, ref args, .. } => {
                self.operands(result, args, visit);
                self.library(&model.description(), args, visit);
                result.into_iter().for_each(|place| self.write(place, visit));
            }
        }
    }

    fn operands(&mut self, result: Option<PlaceId>, args: &[ExprId], visit: &mut impl FnMut(Effect)) {
        result.into_iter().for_each(|place| self.access(place, visit));
        args.iter().for_each(|&arg| self.value(arg, visit));
    }

    /// Lengths are ignored: every access is taken to touch any byte of the object that the argument points
    /// into. What is freed may not be looked at any more: to the rest of the program that is a write.
    fn library(&self, description: &Description, args: &[ExprId], visit: &mut impl FnMut(Effect)) {
        let at = |position: Option<usize>| position.and_then(|i| args.get(i).copied());
        let behind = |list: &'static [(usize, Extent)]| list.iter().filter_map(move |&(i, _)| at(Some(i)));
        at(description.stream).into_iter().for_each(|arg| visit(Effect::ReadMemory(arg)));
        behind(description.reads).for_each(|arg| visit(Effect::ReadMemory(arg)));
        let formatted = description.format.map_or(&[][..], |i| args.get(i + 1..).unwrap_or(&[]));
        formatted.iter().for_each(|&arg| visit(Effect::ReadMemory(arg)));
        if let Returned::Variadic(i) = description.returned {
            args.get(i).into_iter().for_each(|&list| visit(Effect::ReadVariadic(list)));
        }
        if description.allocates() {
            visit(Effect::Allocate);
        }
        for position in [description.stream, description.frees] {
            at(position).into_iter().for_each(|arg| visit(Effect::WriteMemory(arg)));
        }
        behind(description.writes).for_each(|arg| visit(Effect::WriteMemory(arg)));
        if at(description.format).is_some_and(|format| may_store_count(self.program, format)) {
            formatted.iter().for_each(|&arg| visit(Effect::WriteMemory(arg)));
        }
    }

    fn write(&self, place: PlaceId, visit: &mut impl FnMut(Effect)) {
        visit(Effect::Write(place));
    }

    fn value(&mut self, value: ExprId, visit: &mut impl FnMut(Effect)) {
        self.todo.push(Todo::Value(value));
        self.run(visit);
    }

    fn access(&mut self, place: PlaceId, visit: &mut impl FnMut(Effect)) {
        lengths(&self.program.types, self.program.exprs.place(place).ty, visit);
        self.todo.push(Todo::Location { place, used: true });
        self.run(visit);
    }

    fn run(&mut self, visit: &mut impl FnMut(Effect)) {
        let (exprs, types) = (&self.program.exprs, &self.program.types);
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Value(value) => match exprs.expr(value).kind {
                    ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Function(_) => {}
                    ExprKind::Load(place) => {
                        visit(Effect::Read(place));
                        self.todo.push(Todo::Location { place, used: true });
                    }
                    ExprKind::Addr(place) => {
                        visit(Effect::Address(place));
                        self.todo.push(Todo::Location { place, used: false });
                    }
                    ExprKind::Unary(_, inner) | ExprKind::Cast(inner) => self.todo.push(Todo::Value(inner)),
                    ExprKind::Binary(op, left, right) => {
                        use BinaryOp::*;
                        if matches!(op, Div | Rem | Shl | Shr) {
                            visit(Effect::Partial(right));
                        }
                        if let (PtrAdd | PtrSub | PtrDiff, Some(target)) =
                            (op, types.pointee(exprs.type_of(left)))
                        {
                            lengths(types, target, visit);
                        }
                        self.todo.push(Todo::Value(right));
                        self.todo.push(Todo::Value(left));
                    }
                },
                Todo::Location { place, used } => match exprs.place(place).kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Field(inner, _) => self.todo.push(Todo::Location { place: inner, used }),
                    PlaceKind::Index(inner, index) => {
                        lengths(types, exprs.place(place).ty, visit);
                        self.todo.push(Todo::Value(index));
                        self.todo.push(Todo::Location { place: inner, used });
                    }
                    PlaceKind::Deref(pointer) => match exprs.expr(pointer).kind {
                        ExprKind::Addr(inner) => self.todo.push(Todo::Location { place: inner, used }),
                        _ => {
                            if used {
                                visit(Effect::Deref(pointer));
                            }
                            self.todo.push(Todo::Value(pointer));
                        }
                    },
                },
            }
        }
    }
}

/// The variables that hold the lengths of a variable-length array: its size and strides depend on them.
fn lengths(types: &Types, mut ty: TypeId, visit: &mut impl FnMut(Effect)) {
    while let Type::Array(element, len) = *types.get(ty) {
        if let ArrayLen::Variable(var) = len {
            visit(Effect::ReadVar(var));
        }
        ty = element;
    }
}

/// Could the format contain `%n`? Yes, unless it is a string literal that shows that it does not.
fn may_store_count(program: &Program, format: ExprId) -> bool {
    let ExprKind::Addr(place) = program.exprs.expr(strip_casts(&program.exprs, format)).kind else {
        return true;
    };
    let PlaceKind::Index(array, index) = program.exprs.place(place).kind else {
        return true;
    };
    let PlaceKind::Var(var) = program.exprs.place(array).kind else {
        return true;
    };
    let var = &program.vars[var];
    let is_literal = var.kind == VarKind::Literal;
    if !is_literal || program.exprs.as_int(index) != Some(0) {
        return true;
    }
    let mut in_conversion = false;
    for &(_, value) in &var.init {
        let Some(byte) = program.exprs.as_int(value).and_then(|v| u8::try_from(v).ok()) else {
            return true;
        };
        match byte {
            b'%' => in_conversion = !in_conversion,
            b'n' if in_conversion => return true,
            _ if byte.is_ascii_alphabetic() && !b"hlLqjzt".contains(&byte) => in_conversion = false,
            _ => {}
        }
    }
    // No bytes at all: an empty format, or one whose contents are given in another way.
    var.init.is_empty() && program.types.size_of(var.ty) != Some(1)
}
