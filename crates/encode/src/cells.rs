//! The cells that hold the state of a program: an array or a single value for each class of memory that
//! points-to distinguishes, and a few cells for allocation.
//!
//! A class that can only be one object needs no object in its index. A class that can only be one scalar is a
//! plain symbol. So variables whose address is never taken, members of such structs, and most other memory
//! become symbols. Arrays become SMT arrays, indexed by byte offset. The rest is arrays of arrays, by object
//! and offset. Classes without a single scalar type (unions, bit-fields, type punning, unknown memory) hold
//! bytes.
//!
//! The encoder maps every cell to a term instead of keeping versioned variables. Symbols are introduced only
//! where a caller needs names at a border. So constants and unchanged values cost nothing, and joins are
//! `ite`s.

use crate::arithmetic::Arithmetic;
use crate::leaves::{LeafKind, Leaves};
use crate::shape::{Shape, float_sort};
use summa_base::{FxHashMap, IdMap, IdVec, define_id};
use summa_c::tree::VarId;
use summa_c::types::{Type, TypeId};
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_facts::points_to::ClassId;
use summa_term::{FloatSort, Sort, SymbolId, Terms};

define_id! {
    /// One symbol of the program's state.
    CellId = "c";
}

/// How a class of memory is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    pub layout: Layout,
    pub content: Content,
    /// The first cell; a pointer has a second one with its offset.
    pub first: CellId,
}

impl Region {
    /// The cells of all parts.
    pub fn cells(self) -> impl Iterator<Item = CellId> {
        let parts = if self.content == Content::Pointer { 2 } else { 1 };
        (0..parts).map(move |part| summa_base::Id::from_index(summa_base::Id::index(self.first) + part))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One value.
    Single,
    /// One object: an array by byte offset.
    Offsets,
    /// An array by object of arrays by byte offset.
    Objects,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Int(Shape),
    Float(FloatSort),
    /// Object and offset.
    Pointer,
    Bytes,
}

#[derive(Clone, Copy, Debug)]
pub struct Cell {
    /// Named after the variable and member that the cell holds, where it is one.
    pub symbol: SymbolId,
    pub sort: Sort,
    /// The variable whose value this is, and the offset in it in bytes; None for memory that is not one
    /// scalar.
    pub variable: Option<(VarId, u64)>,
    /// The integers that it can hold, if it holds one integer.
    pub shape: Option<Shape>,
}

#[derive(Debug)]
pub struct Cells {
    pub cells: IdVec<CellId, Cell>,
    regions: IdMap<ClassId, Option<Region>>,
    /// For locals that live in `Objects`: the cell with their object.
    handles: IdMap<VarId, Option<CellId>>,
    by_symbol: FxHashMap<SymbolId, CellId>,
    /// For each cell its entry copy, and for each copy its cell.
    copies: IdMap<CellId, Option<CellId>>,
    originals: IdMap<CellId, Option<CellId>>,
    /// The number of the next new object.
    pub next_object: CellId,
    functions: u32,
    vars: u32,
}

pub(crate) const BYTE: Shape = Shape { width: 8, signed: false, is_bool: false };
/// How the names of symbols that are no cells begin.
pub(crate) const FRESH: &str = "any.";
/// The shape of the numbers of objects. No execution has time to use them up.
pub(crate) const OBJECT: Shape = Shape { width: 64, signed: false, is_bool: false };

impl Cells {
    pub fn new(cfa: &Cfa, facts: &Analyses, arithmetic: &dyn Arithmetic, terms: &mut Terms) -> Self {
        let (functions, vars) = (cfa.program.functions.len() as u32, cfa.program.vars.len() as u32);
        let mut result = Self {
            cells: IdVec::new(),
            regions: IdMap::new(None),
            handles: IdMap::new(None),
            by_symbol: FxHashMap::default(),
            copies: IdMap::new(None),
            originals: IdMap::new(None),
            next_object: summa_base::Id::from_index(0),
            functions,
            vars,
        };
        result.next_object = result.add("next object", (arithmetic.sort(OBJECT), Some(OBJECT)), None, terms);
        for class in facts.points_to.classes() {
            let content = content(cfa, facts, class);
            let layout = layout(cfa, facts, class, content);
            result.add_region(cfa, facts, class, content, layout, arithmetic, terms);
            if layout == Layout::Objects {
                for &var in facts.points_to.variables(class) {
                    result.add_handle(cfa, var, arithmetic, terms);
                }
            }
        }
        result
    }

    /// A new cell. Its symbol is its own: a name that is taken gets the number of the cell.
    fn add(
        &mut self,
        name: &str,
        (sort, shape): (Sort, Option<Shape>),
        variable: Option<(VarId, u64)>,
        terms: &mut Terms,
    ) -> CellId {
        let cell = self.cells.next_id();
        let mut symbol = terms.declare(name, sort);
        if name.starts_with(FRESH) || self.by_symbol.contains_key(&symbol) {
            symbol = terms.declare(&format!("{name}#{cell}"), sort);
        }
        self.by_symbol.insert(symbol, cell);
        self.cells.push(Cell { symbol, sort, variable, shape })
    }

    #[allow(clippy::too_many_arguments, reason = "what a region is made of")]
    fn add_region(
        &mut self,
        cfa: &Cfa,
        facts: &Analyses,
        class: ClassId,
        content: Content,
        layout: Layout,
        arithmetic: &dyn Arithmetic,
        terms: &mut Terms,
    ) {
        let offset = offset_shape(cfa);
        let parts = match content {
            Content::Int(shape) => vec![(arithmetic.sort(shape), Some(shape))],
            Content::Float(sort) => vec![(Sort::Float(sort), None)],
            Content::Pointer => {
                vec![(arithmetic.sort(OBJECT), Some(OBJECT)), (arithmetic.sort(offset), None)]
            }
            Content::Bytes => vec![(arithmetic.sort(BYTE), Some(BYTE))],
        };
        let first = self.cells.next_id();
        let variable = facts.points_to.variables(class).first().copied();
        let offset_in = facts.points_to.offset_of(class);
        let name = match variable.filter(|_| layout != Layout::Objects) {
            Some(var) => place_name(cfa, var, offset_in),
            None => class.to_string(),
        };
        let variable = variable.filter(|_| layout == Layout::Single).map(|var| (var, offset_in));
        for (i, (part, shape)) in parts.into_iter().enumerate() {
            let by_offset = terms.array_of(arithmetic.sort(offset), part);
            let sort = match layout {
                Layout::Single => part,
                Layout::Offsets => by_offset,
                Layout::Objects => terms.array_of(arithmetic.sort(OBJECT), by_offset),
            };
            let suffix = if i == 0 { "" } else { ".offset" };
            let shape = shape.filter(|_| layout == Layout::Single);
            self.add(&format!("{name}{suffix}"), (sort, shape), variable, terms);
        }
        self.regions[class] = Some(Region { layout, content, first });
    }

    fn add_handle(&mut self, cfa: &Cfa, var: VarId, arithmetic: &dyn Arithmetic, terms: &mut Terms) {
        if cfa.program.vars[var].kind.is_static() || self.handles[var].is_some() {
            return;
        }
        let name = format!("{}.object", place_name(cfa, var, 0));
        self.handles[var] = Some(self.add(&name, (arithmetic.sort(OBJECT), Some(OBJECT)), None, terms));
    }

    /// Gives every cell a second one, for the value of the first at the entry of the block, so that a formula
    /// can relate the two. Only the entry of a block writes the second cells.
    pub(crate) fn add_entry_copies(&mut self, terms: &mut Terms) {
        let originals: Vec<CellId> = self.cells.ids().collect();
        for cell in originals {
            let Cell { symbol, sort, shape, .. } = self.cells[cell];
            let name = format!("old({})", terms.symbol_name(symbol));
            let copy = self.add(&name, (sort, shape), None, terms);
            self.copies[cell] = Some(copy);
            self.originals[copy] = Some(cell);
        }
    }

    /// The cell that remembers the value of this one at the entry of the block, if cells are remembered.
    pub fn entry_copy(&self, cell: CellId) -> Option<CellId> {
        self.copies[cell]
    }

    /// The cell whose value at the entry of the block this one remembers.
    pub fn original(&self, copy: CellId) -> Option<CellId> {
        self.originals[copy]
    }

    /// The cell that a symbol is a version of.
    pub fn of_symbol(&self, symbol: SymbolId) -> Option<CellId> {
        self.by_symbol.get(&symbol).copied()
    }

    pub fn region(&self, class: ClassId) -> Option<Region> {
        self.regions[class]
    }

    /// The cell with the object of a local, if that is not always the same object.
    pub fn handle(&self, var: VarId) -> Option<CellId> {
        self.handles[var]
    }

    /// All such locals with their cells.
    pub fn handles(&self) -> impl Iterator<Item = (VarId, CellId)> + '_ {
        self.handles.iter().filter_map(|(var, &cell)| Some((var, cell?)))
    }

    /// The number of a function as an object; 0 is no object.
    pub fn function_object(&self, function: summa_c::tree::FuncId) -> u32 {
        1 + summa_base::Id::index(function) as u32
    }

    /// The number of a variable as an object, if it is always the same object.
    pub fn var_object(&self, var: VarId) -> u32 {
        1 + self.functions + summa_base::Id::index(var) as u32
    }

    /// The first number that is free for objects made by the run.
    pub fn first_free_object(&self) -> u32 {
        1 + self.functions + self.vars
    }
}

/// `main.p`, `point.x`, `table[].key`: function, variable and members down to an offset.
fn place_name(cfa: &Cfa, var: VarId, mut offset: u64) -> String {
    let program = &cfa.program;
    let (types, variable) = (&program.types, &program.vars[var]);
    let mut name = String::new();
    if let Some(function) = variable.kind.frame() {
        name.push_str(program.name(program.functions[function].name));
        name.push('.');
    }
    name.push_str(program.name(variable.name));
    let mut ty = variable.ty;
    loop {
        match *types.get(ty) {
            Type::Array(element, _) => {
                name.push_str("[]");
                offset %= types.size_of(element).filter(|&size| size > 0).unwrap_or(1);
                ty = element;
            }
            Type::Record(record) if !types.record(record).is_union => {
                let fields = types.record(record).fields.iter();
                let Some(field) = fields.rev().find(|field| field.offset <= offset) else { return name };
                if let Some(member) = field.name {
                    name.push('.');
                    name.push_str(program.name(member));
                }
                (offset, ty) = (offset - field.offset, field.ty);
            }
            _ => return name,
        }
    }
}

/// The shape of offsets: as wide as a pointer.
pub(crate) fn offset_shape(cfa: &Cfa) -> Shape {
    Shape::signed(8 * cfa.program.types.model.pointer_size() as u8)
}

/// What the cells of a class hold: a scalar if all places in it have one type.
fn content(cfa: &Cfa, facts: &Analyses, class: ClassId) -> Content {
    let (types, points_to) = (&cfa.program.types, &facts.points_to);
    let whole = points_to
        .object_type(class)
        .filter(|_| !points_to.is_unknown(class) && !points_to.is_collapsed(class));
    let Some(list) = whole.and_then(|whole| Leaves::new(cfa, facts).parts(whole)) else {
        return Content::Bytes;
    };
    let mut mine = list.iter().filter(|leaf| points_to.class_at(types, class, leaf.offset) == class);
    match (mine.next().map(|leaf| leaf.kind), mine.next()) {
        (Some(LeafKind::Scalar(ty)), None) => scalar_content(cfa, ty),
        _ => Content::Bytes,
    }
}

fn scalar_content(cfa: &Cfa, ty: TypeId) -> Content {
    let types = &cfa.program.types;
    match (Shape::of(types, ty), float_sort(types, ty)) {
        (Some(shape), _) => Content::Int(shape),
        (None, Some(sort)) => Content::Float(sort),
        (None, None) => Content::Pointer,
    }
}

fn layout(cfa: &Cfa, facts: &Analyses, class: ClassId, content: Content) -> Layout {
    let points_to = &facts.points_to;
    if points_to.is_unknown(class) {
        return Layout::Objects;
    }
    let one_object = match (points_to.variables(class), points_to.allocations(class)) {
        (&[var], []) => one_variable(cfa, facts, class, var),
        _ => None,
    };
    let Some(ty) = one_object else { return Layout::Objects };
    let types = &cfa.program.types;
    let is_scalar = content != Content::Bytes
        && Leaves::new(cfa, facts).parts(ty).is_some_and(|list| {
            list.iter().all(|leaf| !leaf.in_array || points_to.class_at(types, class, leaf.offset) != class)
        });
    if is_scalar { Layout::Single } else { Layout::Offsets }
}

/// The type of a variable that is one object at a time.
fn one_variable(cfa: &Cfa, facts: &Analyses, class: ClassId, var: VarId) -> Option<TypeId> {
    let variable = &cfa.program.vars[var];
    let is_one = match variable.kind.frame() {
        None => true,
        // Several activations at once are several objects, if a pointer can distinguish them.
        Some(function) => !facts.points_to.is_pointed_to(class) || !facts.calls.is_recursive(function),
    };
    is_one.then_some(variable.ty)
}
