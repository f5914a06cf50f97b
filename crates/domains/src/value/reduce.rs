//! Summaries of blocks for constants: a block sees what it depends on, and its caller keeps the rest.
//!
//! Paper: Beyer, Friedberger, ESEC/FSE 2020, Section 4, Value-CPA. There rebuild restores the caller's
//! variables. Here `enter` sets aside the frame that a recursive call hides, `reduce` removes all such
//! frames, `expand` restores them, and `leave` restores the innermost, with and without blocks.
//!
//! Values are counted anew in each block, so that a summary does not depend on how its entry was reached. The
//! caller counts what the block did as if it had done it itself.

use super::cells::CellId;
use super::constant::{self, Constant};
use super::eval::Semantics;
use super::state::Values;
use super::{Merge, Precision, Value};
use crate::contract::{Named, Speaker, literal};
use summa_bam::{CacheKey, Clause, Reducer, Side};
use summa_base::Id;
use summa_c::tree::Program;
use summa_cpa::{Move, Stop};
use summa_facts::blocks::{Block, BlockKind};

impl Reducer for Value<'_> {
    fn reduce(&mut self, block: &Block, entry: &Values) -> Result<Values, Stop> {
        let (vars, cells) = (self.block_vars.of(block), &self.semantics.cells);
        let inputs = vars.inputs.iter().flat_map(|var| cells.of_var(var));
        Ok(entry.beginning(inputs))
    }

    fn reduce_precision(&mut self, block: &Block, precision: &Precision) -> Precision {
        let (vars, cells) = (self.block_vars.of(block), &self.semantics.cells);
        precision.within(&|node| vars.nodes.contains(node), &|cell| vars.named.contains(cells.get(cell).var))
    }

    fn expand(&mut self, block: &Block, entry: &Values, _: &Values, exit: &Values) -> Result<Values, Stop> {
        let (vars, cells) = (self.block_vars.of(block), &self.semantics.cells);
        let mut expanded = entry.clone();
        // Values that are not read any more are forgotten everywhere, so that states meet.
        let others = vars.done.iter().copied();
        for cell in vars.written.iter().chain(others).flat_map(|var| cells.of_var(var)) {
            expanded.forget(cell);
        }
        // Of what it did not write, the block may have learned more, or have known less.
        for (cell, value) in exit.iter() {
            let known = expanded.get(cell).filter(|&known| known != Constant::ZERO);
            if known.is_none() || value != Constant::NonZero {
                expanded.set(cell, value);
            }
        }
        let program = &self.semantics.cfa.program;
        let gone = match block.kind {
            BlockKind::Function(function) => Some(function),
            BlockKind::Loop(_) => None,
        };
        let is_counted = |cell: CellId| {
            let var = cells.get(cell).var;
            let frame = program.vars[var].kind.frame();
            vars.written.contains(var) && (frame.is_none() || frame != gone)
        };
        expanded.count_all(exit, self.options.distinct_values, &is_counted);
        Ok(expanded)
    }

    /// A summary for more entries can have exits that this entry does not reach: they have another value for
    /// something that the block does not write. Pointers and floats can be equal without being the same.
    fn rebuild(
        &mut self,
        block: &Block,
        _: Option<Move>,
        _: &Values,
        entry: &Values,
        exit: Values,
    ) -> Result<Option<Values>, Stop> {
        let (vars, cells) = (self.block_vars.of(block), &self.semantics.cells);
        let differs = |cell: CellId| match (entry.get(cell), exit.get(cell)) {
            (Some(Constant::Int(before)), Some(Constant::Int(behind))) => before != behind,
            (Some(Constant::Int(number)), Some(Constant::NonZero)) => number == 0,
            (Some(Constant::NonZero), Some(Constant::Int(number))) => number == 0,
            _ => false,
        };
        let is_empty = vars.constant.iter().flat_map(|&var| cells.of_var(var)).any(differs);
        Ok((!is_empty).then_some(exit))
    }

    fn cache_key(&mut self, _: &Block, reduced: &Values, precision: &Precision, key: &mut CacheKey) {
        key.push(u64::from(self.options.merge == Merge::Join));
        key.push(self.options.distinct_values.map_or(u64::MAX, |limit| limit as u64));
        key.push(reduced.len() as u64);
        for (cell, value) in reduced.iter() {
            key.push(cell.index() as u64);
            key.extend(words(value));
        }
        precision.code(key);
    }

    fn contract(&mut self, block: &Block, state: &Values, side: Side) -> Vec<Clause> {
        let Semantics { cfa, facts, cells, .. } = &self.semantics;
        let Some(speaker) = Speaker::new(cfa, facts, block, side) else { return Vec::new() };
        let clause = |(id, value): (CellId, Constant)| {
            let cell = cells.get(id);
            let text = speaker.value(cell.var, cell.at, cell.width);
            let text = text.and_then(|named| equation(&speaker, &cfa.program, &named, cell.width, value));
            speaker.clause(text, || {
                let value = constant::show(&cfa.program, cell.width, cell.is_signed, value);
                format!("{} = {value}", cells.name(&cfa.program, id))
            })
        };
        state.iter().filter_map(clause).collect()
    }

    /// What is equal in both. Each step forgets something or changes nothing.
    fn widen(&mut self, _: &Block, before: &Values, now: &Values, _: Side) -> Result<Values, Stop> {
        // Reduced entries have no outer activations, so that they fit.
        Ok(before.join(now).unwrap_or_else(|| self.unknown()))
    }
}

/// The scalar has the value, in C.
fn equation(
    speaker: &Speaker<'_>,
    program: &Program,
    scalar: &Named,
    width: u32,
    value: Constant,
) -> Option<String> {
    let (types, text) = (&program.types, &scalar.text);
    let is_pointer = types.is_pointer(scalar.ty);
    match value {
        Constant::NonZero => Some(format!("{text} != 0")),
        Constant::Int(0) if is_pointer => Some(format!("{text} == 0")),
        Constant::Int(bits) if types.is_integer(scalar.ty) => {
            let number = constant::number(types, scalar.ty, bits)?;
            Some(format!("{text} == {}", literal(number, width)?))
        }
        Constant::Address { var, offset } if is_pointer => {
            let object = speaker.address(var)?;
            Some(match offset {
                0 => format!("(void *){text} == (void *)&{object}"),
                _ => format!("(char *){text} == (char *)&{object} + {offset}"),
            })
        }
        Constant::Function(function) if is_pointer => {
            Some(format!("(void *){text} == (void *){}", program.func_name(function)))
        }
        _ => None,
    }
}

fn words(value: Constant) -> [u64; 3] {
    match value {
        Constant::Int(bits) => [0, bits as u64, (bits >> 64) as u64],
        Constant::Float(kind, bits) => [4 + kind as u64, bits as u64, (bits >> 64) as u64],
        Constant::Address { var, offset } => [1, var.index() as u64, offset as u64],
        Constant::Function(function) => [2, function.index() as u64, 0],
        Constant::NonZero => [3, 0, 0],
    }
}
