//! From automata to bytecode.
//!
//! [`Program::new`] looks at the whole program once: which variables have their address taken, where static
//! storage lies. Functions are compiled when they are first called; runs share the code.

mod branch;
mod expr;
mod flow;
mod frame;
mod layout;
mod op;
mod place;

use crate::bytecode::Code;
use crate::memory::Memory;
use crate::memory::object::{ObjectKind, ObjectOrigin};
use crate::scalar::Scalar;
use std::sync::OnceLock;
use summa_base::{IdMap, IdSet, IdVec};
use summa_c::tree::{ExprKind, FuncId, PlaceId, PlaceKind, VarId, VarKind};
use summa_c::types::{ArrayLen, Type};
use summa_cfa::Cfa;

/// Where a variable with static storage lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum StaticHome {
    /// In the machine's table of global slots: a scalar whose address is never taken.
    Global {
        slot: u32,
        scalar: Scalar,
    },
    Object {
        number: u32,
        base: u64,
        size: u64,
    },
}

/// What code reports about its run to observers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shows {
    Nothing,
    /// Which branches are taken.
    Coverage,
    /// Every edge.
    Edges,
}

/// A program made ready to run; compiled on demand, shared by all runs.
pub struct Program<'a> {
    pub cfa: &'a Cfa,
    /// Local variables that need an object: aggregates and those whose address is taken.
    pub(crate) in_memory: IdMap<VarId, bool>,
    pub(crate) statics: IdMap<VarId, Option<StaticHome>>,
    /// The variables of each function's frame.
    pub(crate) frames: IdVec<FuncId, Vec<VarId>>,
    pub(crate) global_slots: u32,
    /// Global slots that hold pointers.
    pub(crate) global_pointers: Vec<u32>,
    /// Static storage before the first step of any run.
    pub(crate) memory: Memory,
    /// The code of each function, by what it reports.
    codes: [Vec<OnceLock<Box<Code>>>; 3],
    /// Static storage that does not fit anywhere: every run ends at once.
    pub(crate) too_large: Option<VarId>,
}

/// Static storage may take this much.
const STATIC_LIMIT: u64 = 1 << 36;

impl<'a> Program<'a> {
    pub fn new(cfa: &'a Cfa) -> Self {
        let tree = &cfa.program;
        let mut program = Self {
            cfa,
            in_memory: IdMap::with_len(tree.vars.len(), false),
            statics: IdMap::with_len(tree.vars.len(), None),
            frames: tree.functions.ids().map(|_| Vec::new()).collect(),
            global_slots: 0,
            global_pointers: Vec::new(),
            memory: Memory::new(tree.types.model, STATIC_LIMIT),
            codes: [(); 3].map(|()| tree.functions.ids().map(|_| OnceLock::new()).collect()),
            too_large: None,
        };
        program.find_variables_in_memory();
        program.place_variables();
        program
    }

    fn find_variables_in_memory(&mut self) {
        let tree = &self.cfa.program;
        for (var, variable) in tree.vars.iter() {
            self.in_memory[var] = Scalar::of(&tree.types, variable.ty).is_none();
        }
        for id in tree.exprs.expr_ids() {
            if let ExprKind::Addr(place) = tree.exprs.expr(id).kind
                && let Some(var) = tree.exprs.root(place)
            {
                self.in_memory[var] = true;
            }
        }
        // A variable seen through another type than its own is seen by its bytes.
        for id in tree.exprs.place_ids() {
            let place = tree.exprs.place(id);
            if let PlaceKind::Var(var) = place.kind
                && Scalar::of(&tree.types, place.ty) != Scalar::of(&tree.types, tree.vars[var].ty)
            {
                self.in_memory[var] = true;
            }
        }
    }

    fn place_variables(&mut self) {
        let tree = &self.cfa.program;
        let raw: IdSet<VarId> = self.cfa.promoted.values().copied().collect();
        for (var, variable) in tree.vars.iter() {
            if let Some(function) = variable.kind.frame() {
                self.frames[function].push(var);
                continue;
            }
            let is_raw = raw.contains(var);
            let scalar = Scalar::of(&tree.types, variable.ty).filter(|_| !self.in_memory[var] && !is_raw);
            let home = match scalar {
                Some(scalar) => {
                    let slot = self.global_slots;
                    self.global_slots += scalar.slots();
                    if tree.types.is_pointer(variable.ty) {
                        self.global_pointers.push(slot);
                    }
                    StaticHome::Global { slot, scalar }
                }
                None => {
                    let size = self.static_size(var);
                    let kind = match variable.kind {
                        VarKind::Literal => ObjectKind::Literal,
                        _ => ObjectKind::Static,
                    };
                    let origin = ObjectOrigin::Variable(var);
                    let Some(base) = self.memory.plan_static(size.unwrap_or(0), kind, origin) else {
                        self.too_large = Some(var);
                        continue;
                    };
                    let number = self.memory.objects.len() as u32 - 1;
                    let object = &mut self.memory.objects[number as usize];
                    object.is_unsized = size.is_none();
                    object.is_raw = is_raw;
                    StaticHome::Object { number, base, size: size.unwrap_or(0) }
                }
            };
            self.statics[var] = Some(home);
        }
    }

    /// The size of a static object: of its type, or more if a flexible array member is initialised. None:
    /// unknown.
    fn static_size(&self, var: VarId) -> Option<u64> {
        let tree = &self.cfa.program;
        let variable = &tree.vars[var];
        let own = match tree.types.size_of(variable.ty) {
            Some(size) => size,
            None if variable.kind == VarKind::External => return None,
            None => match *tree.types.get(variable.ty) {
                // A tentative definition of an incomplete array has one element (6.9.2p5).
                Type::Array(element, ArrayLen::Unknown) => tree.types.size_of(element)?,
                _ => return None,
            },
        };
        let written = variable.init.iter().filter_map(|&(place, _)| {
            let size = tree.types.size_of(tree.exprs.place(place).ty)?;
            self.constant_offset(place)?.checked_add(size)
        });
        Some(written.fold(own, u64::max))
    }

    /// The offset of a place in its variable, if all indices are constant.
    pub(crate) fn constant_offset(&self, mut place: PlaceId) -> Option<u64> {
        let tree = &self.cfa.program;
        let mut offset = 0u64;
        loop {
            let here = tree.exprs.place(place);
            match here.kind {
                PlaceKind::Var(_) => return Some(offset),
                PlaceKind::Deref(_) => return None,
                PlaceKind::Field(base, index) => {
                    let record = tree.types.record_of(tree.exprs.place(base).ty)?;
                    offset =
                        offset.checked_add(tree.types.record(record).fields.get(index as usize)?.offset)?;
                    place = base;
                }
                PlaceKind::Index(base, index) => {
                    let index = u64::try_from(tree.exprs.as_int(index)?).ok()?;
                    offset = offset.checked_add(index.checked_mul(tree.types.size_of(here.ty)?)?)?;
                    place = base;
                }
            }
        }
    }

    /// Static objects that nothing initialises, with their addresses.
    pub(crate) fn raw_statics(&self) -> impl Iterator<Item = (VarId, u64)> {
        self.memory.objects.iter().filter(|object| object.is_raw).filter_map(|object| match object.origin {
            ObjectOrigin::Variable(var) => Some((var, object.base)),
            ObjectOrigin::Allocation(_) => None,
        })
    }

    /// The code of a function with an automaton.
    pub(crate) fn code(&self, function: FuncId, shows: Shows) -> Option<&Code> {
        let automaton = self.cfa.automaton(function)?;
        let cell = self.codes[shows as usize].get(summa_base::Id::index(function))?;
        Some(cell.get_or_init(|| Box::new(layout::compile(self, automaton, shows))))
    }
}
