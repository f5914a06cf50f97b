//! The loop that runs the instructions.
//!
//! The stack of slots is one vector; `frame` is the part of the running function, so that a slot costs one
//! bounds check against a register. Rare operations are calls of methods marked cold. Before such a call the
//! macro `slow!` stores the machine's position (`pc`, `fuel`).

use super::{Machine, Stop, arith};
use crate::bytecode::{FORESEEN, Inst, NEVER_WRITTEN, ValueShape, WRITTEN};
use crate::inputs::InputOrigin;
use crate::observer::View;
use crate::outcome::{End, Fault, FaultKind};
use crate::scalar::{Scalar, convert};
use summa_base::Id;
use summa_c::tree::UnaryOp;

impl Machine<'_> {
    /// Runs from the start function until the run ends.
    pub(crate) fn execute(&mut self, stack: &mut Vec<u64>) -> Stop {
        let start = self.program.cfa.start.index() as u32;
        let (mut code, mut base) = match self.enter(stack, 0, start, 0) {
            Ok(entered) => entered,
            Err(stop) => return stop,
        };
        self.frames.clear();
        let (mut pc, mut fuel) = (0usize, self.fuel);
        loop {
            let frame = &mut stack[base..base + code.frame as usize];
            let insts = code.insts.as_slice();

            macro_rules! slot {
                ($slot:expr) => {
                    frame[$slot as usize]
                };
            }
            macro_rules! wide {
                ($slot:expr) => {
                    u128::from(slot!($slot)) | u128::from(slot!($slot + 1)) << 64
                };
            }
            macro_rules! bits {
                ($kind:expr, $slot:expr) => {
                    if $kind.is_wide() { wide!($slot) } else { u128::from(slot!($slot)) }
                };
            }
            macro_rules! put {
                ($kind:expr, $slot:expr, $bits:expr) => {{
                    let bits: u128 = $bits;
                    slot!($slot) = bits as u64;
                    if $kind.is_wide() {
                        slot!($slot + 1) = (bits >> 64) as u64;
                    }
                }};
            }
            // A rare operation that can end the run.
            macro_rules! slow {
                ($result:expr) => {{
                    self.pc = pc;
                    self.fuel = fuel;
                    match $result {
                        Ok(value) => value,
                        Err(stop) => return stop,
                    }
                }};
            }
            macro_rules! end {
                ($stop:expr) => {{
                    self.pc = pc;
                    self.fuel = fuel;
                    return $stop;
                }};
            }
            macro_rules! count {
                ($steps:expr) => {{
                    fuel -= i64::from($steps);
                    if fuel < 0 {
                        slow!(self.refuel());
                        fuel = self.fuel;
                    }
                }};
            }
            macro_rules! jump_if {
                ($steps:expr, $condition:expr, $target:expr) => {{
                    if $condition {
                        pc = $target as usize;
                    }
                    count!($steps);
                }};
            }
            // A signed result computed in a wider type; wraps and notes if it does not fit.
            macro_rules! signed {
                ($dst:expr, $narrow:ty, $exact:expr) => {{
                    let (value, overflows): ($narrow, bool) = $exact;
                    if overflows {
                        slow!(self.note(FaultKind::SignedOverflow));
                    }
                    slot!($dst) = value as i64 as u64;
                }};
            }
            macro_rules! computed {
                ($kind:expr, $dst:expr, $computed:expr) => {{
                    let (bits, fault) = $computed;
                    if let Some(fault) = fault {
                        slow!(self.note(fault));
                    }
                    put!($kind, $dst, bits);
                }};
            }
            macro_rules! load {
                ($kind:expr, $dst:expr, $origin:expr, $address:expr) => {{
                    let (kind, bytes) = ($kind, $kind.bytes());
                    let spot = match self.memory.resolve($origin, $address, bytes) {
                        Ok(spot) => spot,
                        Err(refusal) => end!(self.refuse(refusal)),
                    };
                    if !self.memory.object(spot).is_written(spot.at, bytes) {
                        slow!(self.fill_unwritten(spot, kind));
                    }
                    let object = self.memory.object(spot);
                    if kind.is_wide() {
                        put!(kind, $dst, object.read_wide(spot.at, bytes));
                    } else {
                        slot!($dst) = kind.extend(object.read(spot.at, bytes));
                    }
                }};
            }
            macro_rules! store {
                ($kind:expr, $src:expr, $origin:expr, $address:expr) => {{
                    let (kind, bytes) = ($kind, $kind.bytes());
                    let spot = match self.memory.resolve_for_write($origin, $address, bytes) {
                        Ok(spot) => spot,
                        Err(refusal) => end!(self.refuse(refusal)),
                    };
                    let object = self.memory.object_mut(spot);
                    if kind.is_wide() {
                        object.write_wide(spot.at, bytes, wide!($src));
                    } else {
                        object.write(spot.at, bytes, slot!($src));
                    }
                }};
            }
            macro_rules! indexed {
                ($base:expr, $index:expr, $stride:expr) => {{
                    let distance = slot!($index).wrapping_mul(u64::from($stride));
                    self.memory.wrap(slot!($base).wrapping_add(distance))
                }};
            }
            macro_rules! observe {
                ($edge:expr, $when:ident) => {{
                    self.pc = pc;
                    self.fuel = fuel;
                    if let Some(observer) = self.observer.as_deref_mut() {
                        let view = View {
                            program: self.program,
                            code,
                            frame,
                            globals: &self.globals,
                            memory: &self.memory,
                            depth: self.frames.len(),
                        };
                        observer.$when($edge, &view);
                    }
                }};
            }
            // Back to the caller; the result, if any, goes to the first slots of the frame that ends.
            macro_rules! give_back {
                ($steps:expr, $value:expr, $wide:expr) => {{
                    let value: u128 = $value;
                    count!($steps);
                    self.pc = pc;
                    self.fuel = fuel;
                    let Some(caller) = self.leave(frame) else {
                        end!(self.halt(summa_cfa::HaltKind::Exit));
                    };
                    if self.frames.is_empty() {
                        self.exit_code = value as i32;
                    }
                    if let Some(slot) = stack.get_mut(base) {
                        *slot = value as u64;
                    }
                    if $wide && let Some(slot) = stack.get_mut(base + 1) {
                        *slot = (value >> 64) as u64;
                    }
                    (code, base, pc) = (caller.code, caller.base, caller.pc);
                    break;
                }};
            }

            // Left only by calls and returns, which change the frame.
            loop {
                let inst = insts[pc];
                pc += 1;
                match inst {
                    Inst::Mov { dst, src } => slot!(dst) = slot!(src),
                    Inst::MovWide { dst, src } => (slot!(dst), slot!(dst + 1)) = (slot!(src), slot!(src + 1)),
                    Inst::Const { dst, value } => slot!(dst) = value,
                    Inst::GetGlobal { dst, global } => slot!(dst) = self.globals[global as usize],
                    Inst::SetGlobal { global, src } => self.globals[global as usize] = slot!(src),
                    Inst::GetGlobalWide { dst, global } => {
                        slot!(dst) = self.globals[global as usize];
                        slot!(dst + 1) = self.globals[global as usize + 1];
                    }
                    Inst::SetGlobalWide { global, src } => {
                        self.globals[global as usize] = slot!(src);
                        self.globals[global as usize + 1] = slot!(src + 1);
                    }

                    Inst::Extend { to, dst, src } => slot!(dst) = to.extend(slot!(src)),
                    Inst::ToBool { dst, src } => slot!(dst) = u64::from(slot!(src) != 0),
                    Inst::Convert { from, to, dst, src } => {
                        let bits = convert(from, to, bits!(from, src));
                        put!(to, dst, bits);
                    }

                    Inst::AddS32 { dst, a, b } => {
                        signed!(dst, i32, (slot!(a) as i32).overflowing_add(slot!(b) as i32));
                    }
                    Inst::AddS32I { dst, a, imm } => {
                        signed!(dst, i32, (slot!(a) as i32).overflowing_add(imm))
                    }
                    Inst::SubS32 { dst, a, b } => {
                        signed!(dst, i32, (slot!(a) as i32).overflowing_sub(slot!(b) as i32));
                    }
                    Inst::MulS32 { dst, a, b } => {
                        signed!(dst, i32, (slot!(a) as i32).overflowing_mul(slot!(b) as i32));
                    }
                    Inst::AddU32 { dst, a, b } => {
                        slot!(dst) = (slot!(a) as u32).wrapping_add(slot!(b) as u32).into()
                    }
                    Inst::AddU32I { dst, a, imm } => {
                        slot!(dst) = (slot!(a) as u32).wrapping_add(imm as u32).into()
                    }
                    Inst::SubU32 { dst, a, b } => {
                        slot!(dst) = (slot!(a) as u32).wrapping_sub(slot!(b) as u32).into()
                    }
                    Inst::MulU32 { dst, a, b } => {
                        slot!(dst) = (slot!(a) as u32).wrapping_mul(slot!(b) as u32).into()
                    }
                    Inst::AddS64 { dst, a, b } => {
                        signed!(dst, i64, (slot!(a) as i64).overflowing_add(slot!(b) as i64));
                    }
                    Inst::AddS64I { dst, a, imm } => {
                        signed!(dst, i64, (slot!(a) as i64).overflowing_add(i64::from(imm)));
                    }
                    Inst::SubS64 { dst, a, b } => {
                        signed!(dst, i64, (slot!(a) as i64).overflowing_sub(slot!(b) as i64));
                    }
                    Inst::MulS64 { dst, a, b } => {
                        signed!(dst, i64, (slot!(a) as i64).overflowing_mul(slot!(b) as i64));
                    }
                    Inst::AddU64 { dst, a, b } => slot!(dst) = slot!(a).wrapping_add(slot!(b)),
                    Inst::AddU64I { dst, a, imm } => {
                        slot!(dst) = slot!(a).wrapping_add(i64::from(imm) as u64)
                    }
                    Inst::SubU64 { dst, a, b } => slot!(dst) = slot!(a).wrapping_sub(slot!(b)),
                    Inst::MulU64 { dst, a, b } => slot!(dst) = slot!(a).wrapping_mul(slot!(b)),
                    Inst::MulSize { dst, a, b } => slot!(dst) = slot!(a).saturating_mul(slot!(b)),
                    Inst::And { dst, a, b } => slot!(dst) = slot!(a) & slot!(b),
                    Inst::AndI { dst, a, imm } => slot!(dst) = slot!(a) & i64::from(imm) as u64,
                    Inst::Or { dst, a, b } => slot!(dst) = slot!(a) | slot!(b),
                    Inst::Xor { dst, a, b } => slot!(dst) = slot!(a) ^ slot!(b),
                    Inst::Div { kind, dst, a, b } => match (kind, slot!(a), slot!(b)) {
                        (_, _, 0) => end!(self.fault(FaultKind::DivisionByZero)),
                        (Scalar::I32, x, y) => signed!(dst, i32, (x as i32).overflowing_div(y as i32)),
                        (Scalar::I64, x, y) => signed!(dst, i64, (x as i64).overflowing_div(y as i64)),
                        (Scalar::U32 | Scalar::U64, x, y) => slot!(dst) = x / y,
                        (_, x, y) => {
                            computed!(
                                kind,
                                dst,
                                arith::binary(summa_c::tree::BinaryOp::Div, kind, x.into(), y.into())
                            )
                        }
                    },
                    Inst::Rem { kind, dst, a, b } => match (kind, slot!(a), slot!(b)) {
                        (_, _, 0) => end!(self.fault(FaultKind::DivisionByZero)),
                        (Scalar::I32, x, y) => signed!(dst, i32, (x as i32).overflowing_rem(y as i32)),
                        (Scalar::I64, x, y) => signed!(dst, i64, (x as i64).overflowing_rem(y as i64)),
                        (Scalar::U32 | Scalar::U64, x, y) => slot!(dst) = x % y,
                        (_, x, y) => {
                            computed!(
                                kind,
                                dst,
                                arith::binary(summa_c::tree::BinaryOp::Rem, kind, x.into(), y.into())
                            )
                        }
                    },
                    Inst::Shl { kind, dst, a, b } => {
                        let (x, y) = (slot!(a), slot!(b));
                        match kind {
                            Scalar::U32 if y < 32 => slot!(dst) = u64::from((x as u32) << y),
                            Scalar::U64 if y < 64 => slot!(dst) = x << y,
                            // Nothing is lost and the sign stays clear.
                            Scalar::I32 if y < 32 && (x as i64) < (1i64 << (31 - y)) && (x as i64) >= 0 => {
                                slot!(dst) = x << y;
                            }
                            _ => computed!(
                                kind,
                                dst,
                                arith::binary(summa_c::tree::BinaryOp::Shl, kind, x.into(), y.into())
                            ),
                        }
                    }
                    Inst::Shr { kind, dst, a, b } => {
                        let (x, y) = (slot!(a), slot!(b));
                        match kind {
                            Scalar::U32 if y < 32 => slot!(dst) = x >> y,
                            Scalar::U64 if y < 64 => slot!(dst) = x >> y,
                            Scalar::I32 if y < 32 => slot!(dst) = ((x as i64) >> y) as u64,
                            Scalar::I64 if y < 64 => slot!(dst) = ((x as i64) >> y) as u64,
                            _ => computed!(
                                kind,
                                dst,
                                arith::binary(summa_c::tree::BinaryOp::Shr, kind, x.into(), y.into())
                            ),
                        }
                    }
                    Inst::Neg { kind, dst, a } => match kind {
                        Scalar::I32 => signed!(dst, i32, (slot!(a) as i32).overflowing_neg()),
                        Scalar::U64 => slot!(dst) = slot!(a).wrapping_neg(),
                        Scalar::F64 => slot!(dst) = slot!(a) ^ (1 << 63),
                        Scalar::F32 => slot!(dst) = slot!(a) ^ (1 << 31),
                        _ => computed!(kind, dst, arith::unary(UnaryOp::Neg, kind, bits!(kind, a))),
                    },
                    Inst::Not { kind, dst, a } => match kind {
                        Scalar::I32 | Scalar::I64 | Scalar::U64 => slot!(dst) = !slot!(a),
                        Scalar::U32 => slot!(dst) = u64::from(!(slot!(a) as u32)),
                        _ => computed!(kind, dst, arith::unary(UnaryOp::BitNot, kind, bits!(kind, a))),
                    },
                    Inst::Float { op, kind, dst, a, b } => {
                        slot!(dst) = arith::host_float(op, kind, slot!(a), slot!(b));
                    }
                    Inst::Slow { op, kind, dst, a, b } => {
                        let shift = matches!(op, summa_c::tree::BinaryOp::Shl | summa_c::tree::BinaryOp::Shr);
                        let right = if shift { u128::from(slot!(b)) } else { bits!(kind, b) };
                        let (value, fault) = arith::binary(op, kind, bits!(kind, a), right);
                        if let Some(fault) = fault {
                            slow!(self.note(fault));
                        }
                        if op.is_comparison() {
                            slot!(dst) = value as u64;
                        } else {
                            put!(kind, dst, value);
                        }
                    }
                    Inst::PtrDiff { dst, a, b } => {
                        let bytes = slot!(a).wrapping_sub(slot!(b));
                        slot!(dst) = if self.memory.pointer_size == 4 { bytes as i32 as u64 } else { bytes };
                    }

                    Inst::SetEq { dst, a, b } => slot!(dst) = u64::from(slot!(a) == slot!(b)),
                    Inst::SetNe { dst, a, b } => slot!(dst) = u64::from(slot!(a) != slot!(b)),
                    Inst::SetLtS { dst, a, b } => slot!(dst) = u64::from((slot!(a) as i64) < slot!(b) as i64),
                    Inst::SetLeS { dst, a, b } => slot!(dst) = u64::from(slot!(a) as i64 <= slot!(b) as i64),
                    Inst::SetLtU { dst, a, b } => slot!(dst) = u64::from(slot!(a) < slot!(b)),
                    Inst::SetLeU { dst, a, b } => slot!(dst) = u64::from(slot!(a) <= slot!(b)),

                    Inst::Jump { steps, target } => jump_if!(steps, true, target),
                    Inst::JumpEq { steps, a, b, target } => jump_if!(steps, slot!(a) == slot!(b), target),
                    Inst::JumpNe { steps, a, b, target } => jump_if!(steps, slot!(a) != slot!(b), target),
                    Inst::JumpLtS { steps, a, b, target } => {
                        jump_if!(steps, (slot!(a) as i64) < slot!(b) as i64, target);
                    }
                    Inst::JumpLeS { steps, a, b, target } => {
                        jump_if!(steps, slot!(a) as i64 <= slot!(b) as i64, target);
                    }
                    Inst::JumpLtU { steps, a, b, target } => jump_if!(steps, slot!(a) < slot!(b), target),
                    Inst::JumpLeU { steps, a, b, target } => jump_if!(steps, slot!(a) <= slot!(b), target),
                    Inst::JumpEqI { steps, a, imm, target } => {
                        jump_if!(steps, slot!(a) as i64 == i64::from(imm), target);
                    }
                    Inst::JumpNeI { steps, a, imm, target } => {
                        jump_if!(steps, slot!(a) as i64 != i64::from(imm), target);
                    }
                    Inst::JumpLtI { steps, a, imm, target } => {
                        jump_if!(steps, (slot!(a) as i64) < i64::from(imm), target);
                    }
                    Inst::JumpLeI { steps, a, imm, target } => {
                        jump_if!(steps, slot!(a) as i64 <= i64::from(imm), target);
                    }
                    Inst::JumpGtI { steps, a, imm, target } => {
                        jump_if!(steps, slot!(a) as i64 > i64::from(imm), target);
                    }
                    Inst::JumpGeI { steps, a, imm, target } => {
                        jump_if!(steps, slot!(a) as i64 >= i64::from(imm), target);
                    }
                    Inst::Count { steps } => count!(steps),
                    Inst::Call { steps, function, args } => {
                        count!(steps);
                        (code, base) = slow!(self.enter(stack, base, function, args));
                        pc = 0;
                        break;
                    }
                    Inst::Return { steps, src } => give_back!(steps, u128::from(slot!(src)), false),
                    Inst::ReturnWide { steps, src } => give_back!(steps, wide!(src), true),
                    Inst::ReturnVoid { steps } => give_back!(steps, 0, false),
                    Inst::ReturnRecord { steps, src, size } => {
                        slow!(self.keep_record(slot!(src), size as usize));
                        give_back!(steps, 0, false);
                    }
                    Inst::ReturnNothing { steps, kind } => {
                        let value = slow!(self.missing_result(kind));
                        give_back!(steps, value, kind.is_wide());
                    }
                    Inst::Error { kind } => {
                        self.pc = pc;
                        let edge = self.edge();
                        end!(self.stop(End::Error { kind, edge }));
                    }
                    Inst::Halt { kind } => {
                        stack.truncate(base + code.frame as usize);
                        end!(self.halt(kind));
                    }
                    Inst::Unsupported { text } => {
                        self.pc = pc;
                        let what = code.texts[text as usize].clone();
                        end!(self.unsupported(what));
                    }

                    Inst::Address { dst, base, offset } => {
                        slot!(dst) = self.memory.wrap(slot!(base).wrapping_add(i64::from(offset) as u64));
                    }
                    Inst::AddressIndex { stride, dst, base, index } => {
                        slot!(dst) = indexed!(base, index, stride)
                    }
                    Inst::Load { kind, dst, base, offset } => {
                        let origin = slot!(base);
                        let address = self.memory.wrap(origin.wrapping_add(i64::from(offset) as u64));
                        load!(kind, dst, origin, address);
                    }
                    Inst::LoadIndex { kind, stride, dst, base, index } => {
                        let address = indexed!(base, index, stride);
                        load!(kind, dst, slot!(base), address);
                    }
                    Inst::Store { kind, src, base, offset } => {
                        let origin = slot!(base);
                        let address = self.memory.wrap(origin.wrapping_add(i64::from(offset) as u64));
                        store!(kind, src, origin, address);
                    }
                    Inst::StoreIndex { kind, stride, src, base, index } => {
                        let address = indexed!(base, index, stride);
                        store!(kind, src, slot!(base), address);
                    }
                    Inst::LoadStatic { kind, dst, object, at } => {
                        let object = &self.memory.objects[object as usize];
                        // Static objects are written from the start.
                        if kind.is_wide() {
                            put!(kind, dst, object.read_wide(at as usize, kind.bytes()));
                        } else {
                            slot!(dst) = kind.extend(object.read(at as usize, kind.bytes()));
                        }
                    }
                    Inst::StoreStatic { kind, src, object, at } => {
                        let object = &mut self.memory.objects[object as usize];
                        if object.read_only {
                            end!(self.fault(FaultKind::WriteToConstant));
                        }
                        if kind.is_wide() {
                            object.write_wide(at as usize, kind.bytes(), wide!(src));
                        } else {
                            object.write(at as usize, kind.bytes(), slot!(src));
                        }
                    }
                    Inst::LoadBits { dst, base, site } => {
                        slot!(dst) = slow!(self.load_bits(slot!(base), code.bits[site as usize]));
                    }
                    Inst::StoreBits { src, base, site } => {
                        slow!(self.store_bits(slot!(base), code.bits[site as usize], slot!(src)));
                    }
                    Inst::Copy { to, from, size } => {
                        slow!(self.copy_record(slot!(to), slot!(from), size as usize));
                    }
                    Inst::TakeRecord { to, size } => slow!(self.take_record(slot!(to), size as usize)),
                    Inst::Zero { at, size } => slow!(self.fill(slot!(at), 0, size as usize)),
                    Inst::Begin { handle, local } => {
                        slot!(handle) = slow!(self.begin_local(slot!(handle), local, None));
                        if self.foresees {
                            slow!(self.foresee_object(slot!(handle), local));
                        }
                    }
                    Inst::BeginSlot { flag, local } => {
                        slot!(flag) = NEVER_WRITTEN;
                        if self.foresees {
                            self.foresee_slot(frame, local);
                        }
                    }
                    Inst::BeginSized { handle, local, size } => {
                        slot!(handle) = slow!(self.begin_local(slot!(handle), local, Some(slot!(size))));
                    }
                    Inst::Ensure { handle, local } => {
                        if slot!(handle) == 0 {
                            slot!(handle) = slow!(self.begin_local(0, local, None));
                        }
                    }
                    Inst::EndLife { handle } => {
                        if slot!(handle) != 0 {
                            self.memory.kill(slot!(handle));
                            slot!(handle) = 0;
                        }
                    }
                    Inst::Allocated { base } => self.number_allocation(base),
                    Inst::Cover { node } => self.cover(node),
                    Inst::Freeze => self.freeze(),
                    Inst::Variadic { dst, site } => slot!(dst) = slow!(self.pass_variadic(frame, site)),

                    Inst::CheckWritten { kind, slot, flag } => {
                        if slot!(flag) != WRITTEN {
                            slow!(self.note(FaultKind::UninitialisedRead));
                            if slot!(flag) == FORESEEN {
                                let value = if kind.is_wide() { wide!(slot) } else { slot!(slot).into() };
                                slow!(self.record(kind, InputOrigin::Uninitialised, value));
                            } else {
                                let value = slow!(self.input(kind, InputOrigin::Uninitialised));
                                put!(kind, slot, value);
                            }
                            slot!(flag) = WRITTEN;
                        }
                    }
                    Inst::Input { dst, site } => {
                        let site = &code.inputs[site as usize];
                        if let ValueShape::Scalar(kind) = site.shape {
                            let value = slow!(self.input(kind, site.origin));
                            put!(kind, dst, value);
                        }
                    }
                    Inst::HavocMemory { at, site } => {
                        slow!(self.havoc_memory(slot!(at), &code.inputs[site as usize]));
                    }
                    Inst::Library { args, site } => {
                        slow!(self.call_library(frame, args, &code.libraries[site as usize]));
                    }
                    Inst::External { args, site } => {
                        slow!(self.call_external(frame, args, &code.libraries[site as usize]));
                    }

                    Inst::Before { edge } => {
                        count!(1u16);
                        observe!(edge, before);
                    }
                    Inst::After { edge } => observe!(edge, after),
                }
            }
        }
    }

    #[cold]
    fn fault(&mut self, kind: FaultKind) -> Stop {
        let edge = self.edge();
        self.stop(End::Fault(Fault { kind, edge }))
    }
}
