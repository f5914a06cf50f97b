//! The frame of a function: which slot or object each of its variables gets.
//!
//! Slots, in order: parameters (as the caller passes them), the address of the variadic arguments, handles of
//! objects, flags of variables that may be read before they are written, scalars, temporaries, and last the
//! window for the arguments of calls, which becomes the start of the callee's frame.

use super::Program;
use super::flow::Facts;
use crate::bytecode::{Code, Inst, LocalObject, Slot, VarHome};
use crate::scalar::Scalar;
use summa_c::tree::{FuncId, VarKind};

/// Lays out the frame, and emits the code that moves parameters with an address into objects.
/// Gives the first slot for temporaries.
pub(super) fn lay_out(program: &Program<'_>, function: FuncId, facts: &Facts, code: &mut Code) -> Slot {
    let tree = &program.cfa.program;
    let definition = &tree.functions[function];
    let mut next: Slot = 0;
    let mut take = |count: u32| {
        next += count;
        next - count
    };

    let mut arrivals = Vec::new();
    for &param in &definition.params {
        let scalar = Scalar::of(&tree.types, tree.vars[param].ty);
        let slot = take(scalar.map_or(1, Scalar::slots));
        if program.in_memory[param] {
            arrivals.push((param, slot, scalar));
        } else if let Some(scalar) = scalar {
            code.homes.insert(param, VarHome::Slot { slot, scalar, flag: None });
        }
    }
    let handles_start = take(0);
    code.variadic = is_variadic(program, function).then(|| take(1));
    let zeroed_start = take(0);

    let vars = &program.frames[function];
    let in_memory = vars.iter().copied().filter(|&v| program.in_memory[v]);
    for var in in_memory {
        // The result of a function never needs an object: it goes straight to the caller.
        if !matches!(tree.vars[var].kind, VarKind::Return(_)) {
            code.homes.insert(var, VarHome::Object { handle: take(1) });
        }
    }
    let handles_end = take(0);
    code.handles = handles_start..handles_end;
    let scalars: Vec<_> = vars
        .iter()
        .copied()
        .filter(|&v| !program.in_memory[v] && !matches!(tree.vars[v].kind, VarKind::Param(_)))
        .collect();
    let flags: Vec<Option<Slot>> =
        scalars.iter().map(|&v| facts.may_be_read_unwritten(v).then(|| take(1))).collect();
    code.zeroed = zeroed_start..take(0);
    for (&var, flag) in scalars.iter().zip(flags) {
        let Some(scalar) = Scalar::of(&tree.types, tree.vars[var].ty) else { continue };
        code.homes.insert(var, VarHome::Slot { slot: take(scalar.slots()), scalar, flag });
    }

    for (param, slot, scalar) in arrivals {
        let Some(&VarHome::Object { handle }) = code.homes.get(&param) else { continue };
        let size = tree.types.size_of(tree.vars[param].ty).unwrap_or(0);
        let local = code.locals.len() as u32;
        code.locals.push(LocalObject { var: param, size });
        code.insts.push(Inst::Begin { handle, local });
        code.insts.push(match scalar {
            Some(kind) => Inst::Store { kind, src: slot, base: handle, offset: 0 },
            None => Inst::Copy { to: handle, from: slot, size: size as u32 },
        });
    }
    take(0)
}

/// Slots that the parameters of a function take, the variadic one not counted.
pub(super) fn param_slots(program: &Program<'_>, function: FuncId) -> u32 {
    let tree = &program.cfa.program;
    let slots = |&param: &_| Scalar::of(&tree.types, tree.vars[param].ty).map_or(1, Scalar::slots);
    tree.functions[function].params.iter().map(slots).sum()
}

pub(super) fn is_variadic(program: &Program<'_>, function: FuncId) -> bool {
    let tree = &program.cfa.program;
    tree.types.function_type(tree.functions[function].ty).is_some_and(|ty| ty.is_variadic)
}
