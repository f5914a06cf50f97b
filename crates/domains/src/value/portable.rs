//! Values as data. Cells are named by their variable and their position in it. The number of times that a
//! cell changed its value on the way is not saved, because it describes the history of a state and not the
//! state.

use super::cells::{Cell, CellId};
use super::constant::Constant;
use super::state::{Frame, Values};
use super::{Precision, Value};
use crate::portable::{
    count, function, list, misfit, node, number, parts, read_function, read_node, read_variable, variable,
};
use serde_json::{Value as Json, json};
use summa_bam::Storable;
use summa_c::types::FloatKind;
use summa_cpa::{Misfit, Portable};

const FLOATS: [(&str, FloatKind, u32); 4] = [
    ("float", FloatKind::Float, 32),
    ("double", FloatKind::Double, 64),
    ("long double", FloatKind::LongDouble, 80),
    ("__float128", FloatKind::Float128, 128),
];

impl Value<'_> {
    fn save_binding(&self, cell: CellId, value: Constant) -> Json {
        let cfa = self.semantics.cfa;
        let Cell { var, at, width, .. } = self.semantics.cells.get(cell);
        let value = match value {
            Constant::Int(bits) => json!(["int", bits.to_string()]),
            Constant::Float(kind, bits) => {
                let name = FLOATS.iter().find(|(_, known, _)| *known == kind).map_or("", |found| found.0);
                json!([name, bits.to_string()])
            }
            Constant::Address { var, offset } => json!(["address", [variable(cfa, var), offset.to_string()]]),
            Constant::Function(f) => json!(["function", function(cfa, f)]),
            Constant::NonZero => json!(["non-zero", null]),
        };
        json!([variable(cfa, var), at.to_string(), width, value])
    }

    fn find_cell(&self, var: &Json, at: &Json, width: &Json) -> Result<CellId, Misfit> {
        let (found, position) = (read_variable(self.semantics.cfa, var)?, number::<u64>(at)?);
        let width = count(width)?;
        let is_meant = |&cell: &CellId| {
            let cell = self.semantics.cells.get(cell);
            (cell.at, cell.width) == (position, width)
        };
        let cell = self.semantics.cells.of_var(found).find(is_meant);
        cell.ok_or_else(|| misfit("a scalar of the variable", at))
    }

    fn load_binding(&self, saved: &Json) -> Result<(CellId, Constant), Misfit> {
        let cfa = self.semantics.cfa;
        let [var, at, width, value] = parts(saved)?;
        let cell = self.find_cell(var, at, width)?;
        let width = count(width)?;
        let fits = |bits: u128| width >= 128 || bits >> width == 0;
        let [kind, content] = parts(value)?;
        let pointer = 8 * cfa.program.types.model.pointer_size() as u32;
        let constant = match kind.as_str() {
            Some("int") => Some(Constant::Int(number(content)?)).filter(|c| c.bits().is_some_and(fits)),
            Some("address") if width == pointer => {
                let [var, offset] = parts(content)?;
                Some(Constant::Address { var: read_variable(cfa, var)?, offset: number(offset)? })
            }
            Some("function") if width == pointer => Some(Constant::Function(read_function(cfa, content)?)),
            Some("non-zero") => Some(Constant::NonZero),
            name => {
                let kind = FLOATS.iter().find(|&&(known, _, bits)| name == Some(known) && bits == width);
                let bits = number(content)?;
                kind.filter(|_| fits(bits)).map(|&(_, kind, _)| Constant::Float(kind, bits))
            }
        };
        constant.map(|constant| (cell, constant)).ok_or_else(|| misfit("a value that fits", saved))
    }

    /// Ascending, each cell once.
    fn load_bindings(&self, saved: &Json) -> Result<Vec<(CellId, Constant)>, Misfit> {
        let bindings =
            list(saved)?.iter().map(|binding| self.load_binding(binding)).collect::<Result<Vec<_>, _>>()?;
        let is_ascending = bindings.windows(2).all(|pair| pair[0].0 < pair[1].0);
        if is_ascending { Ok(bindings) } else { Err(misfit("every scalar once, in order", saved)) }
    }
}

/// What is known now, and what outer activations of recursive functions know.
impl Portable for Value<'_> {
    fn save(&self, state: &Values) -> Result<Json, Misfit> {
        let known: Json = state.iter().map(|(cell, value)| self.save_binding(cell, value)).collect();
        let frame = |frame: &Frame| -> Json {
            frame.iter().map(|&(cell, value)| self.save_binding(cell, value)).collect()
        };
        let frames: Json = state.frames().iter().map(frame).collect();
        Ok(json!([known, frames]))
    }

    fn load(&mut self, saved: &Json) -> Result<Values, Misfit> {
        let [known, frames] = parts(saved)?;
        let mut state = self.unknown();
        for (cell, value) in self.load_bindings(known)? {
            state.set(cell, value);
        }
        for frame in list(frames)? {
            state.push_frame(self.load_bindings(frame)?.into());
        }
        Ok(state)
    }
}

impl Storable for Value<'_> {
    fn save_precision(&self, precision: &Precision) -> Result<Json, Misfit> {
        let cfa = self.semantics.cfa;
        let cell = |cell: CellId| {
            let Cell { var, at, width, .. } = self.semantics.cells.get(cell);
            json!([variable(cfa, var), at.to_string(), width])
        };
        Ok(precision.save(&cell, &|at| node(cfa, at)))
    }

    fn load_precision(&mut self, saved: &Json, into: &mut Precision) -> Result<(), Misfit> {
        let cell = |saved: &Json| {
            let [var, at, width] = parts(saved)?;
            self.find_cell(var, at, width)
        };
        let cfa = self.semantics.cfa;
        into.union_with(&Precision::load(saved, &cell, &|saved| read_node(cfa, saved))?);
        Ok(())
    }
}
