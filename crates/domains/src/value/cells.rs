//! The places whose values are followed: scalar variables, and the scalar parts of small structs, unions and
//! arrays.
//!
//! Cells are numbered once for a program, by variable and then by position, and never overlap. A union is cut
//! like its largest member; other members are parts of these cells or spread over several. Positions are
//! counted in bits, so that a bit-field is a cell like any other.
//!
//! These have no cells: objects of more than [`MAX_PARTS`] parts (the longer arrays of a record do not count
//! then), variable-length arrays, string literals (their bytes are constants, see [`Cells::literal`]), heap
//! objects, and variables of recursive functions whose address is taken, because their name may mean any
//! activation.

use std::ops::Range;
use summa_base::{Csr, FxHashMap, Id, IdVec, define_id};
use summa_c::tree::{ExprKind, FuncId, PlaceKind, Program, VarId, VarKind};
use summa_c::types::{Field, FloatKind, Type, TypeId, Types};
use summa_cfa::Cfa;
use summa_facts::Analyses;
use summa_facts::layout::{Dimension, Layouts, PartKind};
use summa_facts::points_to::ClassId;

/// Objects with more scalar parts are not followed.
pub const MAX_PARTS: usize = 256;
/// In a record with more parts, arrays with more elements are not followed.
const SHORT_ARRAY: u64 = 8;

define_id! {
    /// A scalar part of a variable.
    CellId = "cell";
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    pub var: VarId,
    /// Bits from the start of the variable.
    pub at: u64,
    pub width: u32,
    /// Is it declared as a signed integer? Values are kept by their bits; this is for people.
    pub is_signed: bool,
}

impl Cell {
    fn end(&self) -> u64 {
        self.at + u64::from(self.width)
    }
}

#[derive(Debug)]
pub struct Cells {
    cells: IdVec<CellId, Cell>,
    /// The first cell of each variable, and the end.
    first: IdVec<VarId, u32>,
    /// The cells that lie in a class of memory, wholly or in part.
    of_class: Csr<ClassId, CellId>,
    of_frame: Csr<FuncId, CellId>,
    literals: FxHashMap<VarId, Vec<u8>>,
}

impl Cells {
    pub fn new(cfa: &Cfa, facts: &Analyses) -> Self {
        let program = &cfa.program;
        let mut cells: IdVec<CellId, Cell> = IdVec::new();
        let mut first: IdVec<VarId, u32> = IdVec::new();
        let mut classes = Vec::new();
        let mut literals = FxHashMap::default();
        for (var, variable) in program.vars.iter() {
            first.push(cells.len() as u32);
            let is_ambiguous = variable.kind.frame().is_some_and(|f| facts.calls.is_recursive(f))
                && facts.variables.address_taken.contains(var);
            if variable.kind == VarKind::Literal {
                literals.extend(literal(program, var).map(|bytes| (var, bytes)));
                continue;
            }
            if is_ambiguous {
                continue;
            }
            for (at, width, is_signed) in
                elements(&program.types, &facts.layouts, variable.ty).unwrap_or_default()
            {
                let cell = cells.push(Cell { var, at, width, is_signed });
                let mut found: Vec<ClassId> = (at / 8..(at + u64::from(width)).div_ceil(8))
                    .filter_map(|byte| {
                        let object = *facts.points_to.of_var(var).first()?;
                        Some(facts.points_to.class_at(&program.types, object, byte))
                    })
                    .collect();
                found.dedup();
                classes.extend(found.into_iter().map(|class| (class, cell)));
            }
        }
        first.push(cells.len() as u32);
        let of_class = Csr::new(facts.points_to.classes().len(), classes.iter().copied());
        let frame = |(cell, part): (CellId, &Cell)| Some((program.vars[part.var].kind.frame()?, cell));
        let frames: Vec<(FuncId, CellId)> = cells.iter().filter_map(frame).collect();
        let of_frame = Csr::new(program.functions.len(), frames.iter().copied());
        Self { cells, first, of_class, of_frame, literals }
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }

    pub fn get(&self, cell: CellId) -> Cell {
        self.cells[cell]
    }

    fn range(&self, var: VarId) -> Range<usize> {
        let next = VarId::from_index(var.index() + 1);
        self.first[var] as usize..self.first[next] as usize
    }

    /// The cells of a variable, by position.
    pub fn of_var(&self, var: VarId) -> impl Iterator<Item = CellId> + use<> {
        self.range(var).map(CellId::from_index)
    }

    /// The cells that share a bit with these of the variable.
    pub fn overlapping(&self, var: VarId, at: u64, width: u64) -> impl Iterator<Item = CellId> + use<> {
        let range = self.range(var);
        let (first, len) = (range.start, range.len());
        let search = |is_before: &dyn Fn(Cell) -> bool| {
            let (mut low, mut high) = (0, len);
            while low < high {
                let middle = low.midpoint(high);
                let cell = self.cells[CellId::from_index(first + middle)];
                if is_before(cell) { low = middle + 1 } else { high = middle }
            }
            first + low
        };
        let start = search(&|cell| cell.end() <= at);
        let end = search(&|cell| cell.at < at.saturating_add(width));
        (start..end.max(start)).map(CellId::from_index)
    }

    pub fn of_class(&self, class: ClassId) -> &[CellId] {
        &self.of_class[class]
    }

    /// The cells of a function's variables.
    pub fn of_frame(&self, function: FuncId) -> &[CellId] {
        &self.of_frame[function]
    }

    /// The bytes of a string literal.
    pub fn literal(&self, var: VarId) -> Option<&[u8]> {
        self.literals.get(&var).map(|bytes| &bytes[..])
    }

    /// The cell as a reader of C would write it, with the function of a local.
    pub fn name(&self, program: &Program, cell: CellId) -> String {
        let Cell { var, at, .. } = self.cells[cell];
        let variable = &program.vars[var];
        let function = variable.kind.frame().map(|f| format!("{}::", program.func_name(f)));
        let mut name = format!("{}{}", function.unwrap_or_default(), program.var_name(var));
        let (mut ty, mut rest) = (variable.ty, at);
        loop {
            match *program.types.get(ty) {
                Type::Array(element, _) => {
                    let size = 8 * program.types.size_of(element).unwrap_or(1).max(1);
                    name.push_str(&format!("[{}]", rest / size));
                    (ty, rest) = (element, rest % size);
                }
                Type::Record(record) => {
                    let record = program.types.record(record);
                    let start = |field: &Field| field.bits.map_or(8 * field.offset, |bits| bits.offset);
                    // The last field that begins here or before; of a union the first that reaches this far.
                    let size = |ty| 8 * program.types.size_of(ty).unwrap_or(0);
                    let mut fields = record.fields.iter().filter(|field| start(field) <= rest);
                    let found = if record.is_union {
                        fields.find(|field| rest < start(field) + size(field.ty).max(1))
                    } else {
                        fields.next_back()
                    };
                    let Some(field) = found else { return name };
                    if let Some(field_name) = field.name {
                        name.push('.');
                        name.push_str(program.name(field_name));
                    }
                    if field.bits.is_some() {
                        return name;
                    }
                    (ty, rest) = (field.ty, rest - start(field));
                }
                _ => return name,
            }
        }
    }
}

/// The width of a scalar in memory in bits; None for other types.
pub fn width(types: &Types, ty: TypeId) -> Option<u32> {
    match *types.get(ty) {
        Type::Float(FloatKind::Float) => Some(32),
        Type::Float(FloatKind::Double) => Some(64),
        Type::Float(FloatKind::LongDouble) => Some(80),
        Type::Float(FloatKind::Float128) => Some(128),
        _ => types.int_width(ty),
    }
}

/// Position and width in bits, and is it declared as a signed integer?
type Bits = (u64, u32, bool);

/// The elements of a type by position; None if there are too many or their number is not known. Of a large
/// record the longer arrays are left out.
fn elements(types: &Types, layouts: &Layouts, ty: TypeId) -> Option<Vec<Bits>> {
    let all = elements_but_arrays(types, layouts, ty, None);
    let is_record = || types.record_of(ty).is_some();
    all.or_else(|| is_record().then(|| elements_but_arrays(types, layouts, ty, Some(SHORT_ARRAY)))?)
}

/// The same, where arrays of more elements are holes: nothing is known there.
fn elements_but_arrays(
    types: &Types,
    layouts: &Layouts,
    ty: TypeId,
    longest: Option<u64>,
) -> Option<Vec<Bits>> {
    let mut found: Vec<Bits> = Vec::new();
    let mut todo = vec![(ty, 0u64)];
    while let Some((ty, start)) = todo.pop() {
        for part in layouts.parts(types, ty)? {
            let is_long =
                |dimension: &Dimension| longest.is_some_and(|most| dimension.count.is_some_and(|n| n > most));
            if part.dimensions.iter().any(is_long) {
                continue;
            }
            if part.count().saturating_add((found.len() + todo.len()) as u64) > MAX_PARTS as u64 {
                return None;
            }
            // A flexible array member has no elements as far as its record is concerned.
            if part.count() == 0 {
                continue;
            }
            for offset in part.elements()? {
                let at = start + 8 * offset;
                match part.kind {
                    PartKind::Scalar => found.push((at, width(types, part.ty)?, types.is_signed(part.ty))),
                    PartKind::Bits { record, ref fields, .. } => {
                        let fields = &types.record(record).fields[fields.clone()];
                        // Positions of bit-fields are counted from the start of their record.
                        let record_at = at - 8 * fields[0].offset;
                        found.extend(bit_fields(types, fields, record_at));
                    }
                    PartKind::Union(_) => {
                        let fields = &types.record(types.record_of(part.ty)?).fields;
                        let size = |field: &&Field| types.size_of(field.ty).unwrap_or(0);
                        let Some(largest) = fields.iter().rev().max_by_key(size) else { continue };
                        match largest.bits {
                            Some(_) => found.extend(bit_fields(types, std::slice::from_ref(largest), at)),
                            None => todo.push((largest.ty, at + 8 * largest.offset)),
                        }
                    }
                    PartKind::Opaque => {
                        types.record_of(part.ty)?;
                    }
                }
            }
        }
    }
    found.sort_unstable();
    let is_disjoint = found.windows(2).all(|pair| pair[0].0 + u64::from(pair[0].1) <= pair[1].0);
    (found.len() <= MAX_PARTS && is_disjoint).then_some(found)
}

fn bit_fields(types: &Types, fields: &[Field], record_at: u64) -> Vec<Bits> {
    let bits = fields.iter().filter_map(|field| Some((field.bits?, types.is_signed(field.ty))));
    let bits = bits.filter(|(bits, _)| bits.width > 0);
    bits.map(|(bits, is_signed)| (record_at + bits.offset, bits.width, is_signed)).collect()
}

/// The bytes of a string literal from its initialiser.
fn literal(program: &Program, var: VarId) -> Option<Vec<u8>> {
    let variable = &program.vars[var];
    let mut bytes = vec![0; usize::try_from(program.types.size_of(variable.ty)?).ok()?];
    for &(place, value) in &variable.init {
        let PlaceKind::Index(array, index) = program.exprs.place(place).kind else { return None };
        let ExprKind::Int(value) = program.exprs.expr(value).kind else { return None };
        if program.exprs.place(array).kind != PlaceKind::Var(var) {
            return None;
        }
        let size = usize::try_from(program.types.size_of(program.exprs.place(place).ty)?).ok()?;
        let at = size.checked_mul(usize::try_from(program.exprs.as_int(index)?).ok()?)?;
        let element = bytes.get_mut(at..at.checked_add(size)?)?;
        element.copy_from_slice(value.to_le_bytes().get(..size)?);
    }
    Some(bytes)
}
