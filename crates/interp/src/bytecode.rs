//! The instructions that the machine runs: a register code over the slots of a frame, 16 bytes each.
//!
//! A slot holds a scalar's canonical bits (see `scalar.rs`); wide scalars take two neighbouring slots. An
//! instruction that ends a stretch of straight-line code has in `steps` the number of edges of the automaton
//! for that stretch. Data that do not fit into an instruction are in side tables of the [`Code`], found by
//! index.

use crate::scalar::Scalar;
use summa_base::FxHashMap;
use summa_c::tree::{BinaryOp, FuncId, VarId};
use summa_cfa::{EdgeId, ErrorKind, HaltKind, LibFn, NodeId};

use crate::inputs::InputOrigin;

/// A slot of the frame.
pub(crate) type Slot = u32;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[rustfmt::skip]
pub(crate) enum Inst {
    // ---- moves ----
    Mov { dst: Slot, src: Slot },
    MovWide { dst: Slot, src: Slot },
    Const { dst: Slot, value: u64 },
    GetGlobal { dst: Slot, global: u32 },
    SetGlobal { global: u32, src: Slot },
    GetGlobalWide { dst: Slot, global: u32 },
    SetGlobalWide { global: u32, src: Slot },

    // ---- conversions ----
    /// Keeps the low bytes of an integer and extends them.
    Extend { to: Scalar, dst: Slot, src: Slot },
    ToBool { dst: Slot, src: Slot },
    Convert { from: Scalar, to: Scalar, dst: Slot, src: Slot },

    // ---- arithmetic: `S` notices overflow, `U` wraps; `I` takes a constant ----
    AddS32 { dst: Slot, a: Slot, b: Slot },
    AddS32I { dst: Slot, a: Slot, imm: i32 },
    SubS32 { dst: Slot, a: Slot, b: Slot },
    MulS32 { dst: Slot, a: Slot, b: Slot },
    AddU32 { dst: Slot, a: Slot, b: Slot },
    AddU32I { dst: Slot, a: Slot, imm: i32 },
    SubU32 { dst: Slot, a: Slot, b: Slot },
    MulU32 { dst: Slot, a: Slot, b: Slot },
    AddS64 { dst: Slot, a: Slot, b: Slot },
    AddS64I { dst: Slot, a: Slot, imm: i32 },
    SubS64 { dst: Slot, a: Slot, b: Slot },
    MulS64 { dst: Slot, a: Slot, b: Slot },
    AddU64 { dst: Slot, a: Slot, b: Slot },
    AddU64I { dst: Slot, a: Slot, imm: i32 },
    SubU64 { dst: Slot, a: Slot, b: Slot },
    MulU64 { dst: Slot, a: Slot, b: Slot },
    /// The size of an object with this many parts; the largest number if it does not fit 64 bits.
    MulSize { dst: Slot, a: Slot, b: Slot },
    And { dst: Slot, a: Slot, b: Slot },
    AndI { dst: Slot, a: Slot, imm: i32 },
    Or { dst: Slot, a: Slot, b: Slot },
    Xor { dst: Slot, a: Slot, b: Slot },
    /// Integers of at most 64 bits.
    Div { kind: Scalar, dst: Slot, a: Slot, b: Slot },
    Rem { kind: Scalar, dst: Slot, a: Slot, b: Slot },
    Shl { kind: Scalar, dst: Slot, a: Slot, b: Slot },
    Shr { kind: Scalar, dst: Slot, a: Slot, b: Slot },
    Neg { kind: Scalar, dst: Slot, a: Slot },
    Not { kind: Scalar, dst: Slot, a: Slot },
    /// `float` and `double`.
    Float { op: BinaryOp, kind: Scalar, dst: Slot, a: Slot, b: Slot },
    /// Any operator of any type: the reference implementation. Operands have type `kind`, except for shift
    /// amounts, which have at most 64 bits.
    Slow { op: BinaryOp, kind: Scalar, dst: Slot, a: Slot, b: Slot },
    /// Byte difference of pointers, signed.
    PtrDiff { dst: Slot, a: Slot, b: Slot },

    // ---- comparisons: 0 or 1 ----
    SetEq { dst: Slot, a: Slot, b: Slot },
    SetNe { dst: Slot, a: Slot, b: Slot },
    SetLtS { dst: Slot, a: Slot, b: Slot },
    SetLeS { dst: Slot, a: Slot, b: Slot },
    SetLtU { dst: Slot, a: Slot, b: Slot },
    SetLeU { dst: Slot, a: Slot, b: Slot },

    // ---- control ----
    Jump { steps: u16, target: u32 },
    JumpEq { steps: u16, a: Slot, b: Slot, target: u32 },
    JumpNe { steps: u16, a: Slot, b: Slot, target: u32 },
    JumpLtS { steps: u16, a: Slot, b: Slot, target: u32 },
    JumpLeS { steps: u16, a: Slot, b: Slot, target: u32 },
    JumpLtU { steps: u16, a: Slot, b: Slot, target: u32 },
    JumpLeU { steps: u16, a: Slot, b: Slot, target: u32 },
    JumpEqI { steps: u16, a: Slot, imm: i32, target: u32 },
    JumpNeI { steps: u16, a: Slot, imm: i32, target: u32 },
    JumpLtI { steps: u16, a: Slot, imm: i32, target: u32 },
    JumpLeI { steps: u16, a: Slot, imm: i32, target: u32 },
    JumpGtI { steps: u16, a: Slot, imm: i32, target: u32 },
    JumpGeI { steps: u16, a: Slot, imm: i32, target: u32 },
    /// Counts edges where straight code runs into a place that is jumped to.
    Count { steps: u32 },
    Call { steps: u16, function: u32, args: Slot },
    /// Back to the caller, with the result in the first slot of the frame.
    Return { steps: u16, src: Slot },
    ReturnWide { steps: u16, src: Slot },
    ReturnVoid { steps: u16 },
    /// The result is a record of `size` bytes at the address in `src`.
    ReturnRecord { steps: u16, src: Slot, size: u32 },
    /// The end of a function that promises a value: using it is a read of nothing.
    ReturnNothing { steps: u16, kind: Scalar },
    Error { kind: ErrorKind },
    Halt { kind: HaltKind },
    Unsupported { text: u32 },

    // ---- memory: addresses are `base + offset` or `base + index * stride` ----
    Address { dst: Slot, base: Slot, offset: i32 },
    AddressIndex { stride: u16, dst: Slot, base: Slot, index: Slot },
    Load { kind: Scalar, dst: Slot, base: Slot, offset: i32 },
    LoadIndex { kind: Scalar, stride: u16, dst: Slot, base: Slot, index: Slot },
    Store { kind: Scalar, src: Slot, base: Slot, offset: i32 },
    StoreIndex { kind: Scalar, stride: u16, src: Slot, base: Slot, index: Slot },
    /// Static objects: the range is known to be inside.
    LoadStatic { kind: Scalar, dst: Slot, object: u32, at: u32 },
    StoreStatic { kind: Scalar, src: Slot, object: u32, at: u32 },
    LoadBits { dst: Slot, base: Slot, site: u32 },
    StoreBits { src: Slot, base: Slot, site: u32 },
    Copy { to: Slot, from: Slot, size: u32 },
    /// The record that a call returned.
    TakeRecord { to: Slot, size: u32 },
    Zero { at: Slot, size: u32 },
    /// The variable begins to live (again).
    Begin { handle: Slot, local: u32 },
    /// Like `Begin`, for a variable in a slot: it is not written any more.
    BeginSlot { flag: Slot, local: u32 },
    /// Like `Begin`, for a variable-length array.
    BeginSized { handle: Slot, local: u32, size: Slot },
    /// Begins to live unless it lives: jumps can skip declarations.
    Ensure { handle: Slot, local: u32 },
    EndLife { handle: Slot },
    /// An object that became a variable is allocated.
    Allocated { base: u64 },
    /// String literals become read-only.
    Freeze,
    /// Lays out the variadic arguments; the address goes to `dst`.
    Variadic { dst: Slot, site: u32 },

    // ---- inputs and the world ----
    /// Unless the flag is set, the slot was never written.
    CheckWritten { kind: Scalar, slot: Slot, flag: Slot },
    Input { dst: Slot, site: u32 },
    HavocMemory { at: Slot, site: u32 },
    Library { args: Slot, site: u32 },
    External { args: Slot, site: u32 },

    // ---- only in code that shows it ----
    Cover { node: NodeId },
    Before { edge: EdgeId },
    After { edge: EdgeId },
}

/// States of the flag of a variable in a slot: without a value; with a value that the first read reveals;
/// with a value.
pub(crate) const NEVER_WRITTEN: u64 = 0;
pub(crate) const WRITTEN: u64 = 1;
pub(crate) const FORESEEN: u64 = 2;

/// The most edges that an instruction can stand for.
pub(crate) const MAX_STEPS: u32 = u16::MAX as u32;

/// From this instruction on the code belongs to `edge`, the `nth` edge since the last counting instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mark {
    pub(crate) pc: u32,
    pub(crate) edge: EdgeId,
    pub(crate) nth: u32,
}

/// Where a variable of the frame lives.
#[derive(Clone, Copy, Debug)]
pub(crate) enum VarHome {
    /// In a slot. `flag` says at run time whether it was written, if the compiler could not know.
    Slot { slot: Slot, scalar: Scalar, flag: Option<Slot> },
    /// In an object whose address is in the slot; 0 if it is not alive.
    Object { handle: Slot },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalObject {
    pub(crate) var: VarId,
    pub(crate) size: u64,
}

/// A bit-field relative to a byte address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitSite {
    pub(crate) offset: i64,
    pub(crate) shift: u32,
    pub(crate) width: u32,
    pub(crate) kind: Scalar,
}

/// The shape of a passed or requested value: a scalar, or bytes at an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ValueShape {
    Scalar(Scalar),
    Record { size: u64, align: u64 },
}

#[derive(Clone, Debug)]
pub(crate) struct InputSite {
    pub(crate) shape: ValueShape,
    pub(crate) origin: InputOrigin,
    /// Offsets of the scalars inside a record or array.
    pub(crate) leaves: Vec<(u64, Scalar)>,
}

/// A call of a library or external function. The arguments stand from `args` on, wide ones in two slots;
/// records by address.
#[derive(Clone, Debug)]
pub(crate) struct LibrarySite {
    /// None for external functions.
    pub(crate) model: Option<LibFn>,
    pub(crate) callee: FuncId,
    pub(crate) args: Vec<ValueShape>,
    /// Does a parameter have a pointer type?
    pub(crate) is_pointer: Vec<bool>,
    pub(crate) result: Option<ValueShape>,
}

#[derive(Clone, Debug)]
pub(crate) struct VariadicSite {
    pub(crate) args: Vec<(Slot, ValueShape)>,
}

/// A compiled function.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub(crate) insts: Vec<Inst>,
    pub(crate) marks: Vec<Mark>,
    /// Slots of a frame, the window of the arguments of its calls included.
    pub(crate) frame: u32,
    /// Slots that must be zero when the function is entered: handles and flags.
    pub(crate) zeroed: std::ops::Range<u32>,
    /// Slots that hold addresses of objects that die with the frame.
    pub(crate) handles: std::ops::Range<u32>,
    /// Where the caller puts the address of the variadic arguments; 0 if there are none.
    pub(crate) variadic: Option<Slot>,
    pub(crate) homes: FxHashMap<VarId, VarHome>,
    pub(crate) locals: Vec<LocalObject>,
    pub(crate) bits: Vec<BitSite>,
    pub(crate) inputs: Vec<InputSite>,
    pub(crate) libraries: Vec<LibrarySite>,
    pub(crate) variadics: Vec<VariadicSite>,
    pub(crate) texts: Vec<String>,
}

impl Code {
    /// The mark that covers an instruction.
    pub(crate) fn mark(&self, pc: u32) -> Option<Mark> {
        let after = self.marks.partition_point(|mark| mark.pc <= pc);
        after.checked_sub(1).and_then(|i| self.marks.get(i)).copied()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn instructions_are_small() {
        assert_eq!(size_of::<super::Inst>(), 16);
    }
}
