//! The work of any instruction, by the definition: of the steps that the loop leaves over.
//!
//! An operand that has no value is deduced: by the builtin that its segment belongs to, or from the other operands.

use field::{Field, QM31};

use super::blake::compress;
use super::cell::{Cell, Pointer};
use super::decode::{instruction, list};
use super::stop::NO_COMPONENT;
use super::{Machine, STACK, Stop};
use crate::instruction::{Instruction, flag};
use crate::{Opcode, qm31};

/// Words of the state and of the message of Blake2s.
const BLAKE_STATE: usize = 8;
const BLAKE_MESSAGE: usize = 16;

/// The values of the operands, and the result, if there is one.
struct Operands {
    dst: Cell,
    op0: Cell,
    op1: Cell,
    result: Option<Cell>,
}

impl Machine {
    /// Executes the instruction at the pc.
    #[inline(never)]
    pub(super) fn other(&mut self) -> Result<(), Stop> {
        let instruction = instruction(self.word(self.pc))?;
        let opcode = instruction.opcode().map_err(|_| NO_COMPONENT)?;
        let (places, operands) = self.operands(&instruction)?;
        let [dst_at, op0_at, op1_at] = places;
        // In this order; a cell that has a value keeps it.
        for (at, value) in [(op0_at, operands.op0), (op1_at, operands.op1), (dst_at, operands.dst)] {
            if !self.memory.get(at).is_known() {
                self.memory.write(at, value)?;
            } else if self.memory.get(at) != value {
                return Err(Stop::Fails("an operand is deduced as two values"));
            }
        }
        self.check(&instruction, &operands)?;
        let Operands { dst, op0, op1, .. } = operands;
        let variant = match opcode {
            Opcode::Add => [dst, op0, op1].iter().all(|operand| operand.is_small_summand()),
            Opcode::Mul => op0.is_small_factor() && op1.is_small_factor(),
            Opcode::Jnz => !dst.is_zero(),
            _ => false,
        };
        [dst, op0, op1].into_iter().for_each(|operand| self.reach(operand));
        self.log(list(opcode, variant))?;
        if instruction.is_blake() {
            self.blake(&operands, instruction.extension == 2)?;
        }
        self.update(&instruction, &operands)
    }

    /// The places of dst, op0 and op1, all of them taken, and their values.
    fn operands(&mut self, instruction: &Instruction) -> Result<([Pointer; 3], Operands), Stop> {
        const BELOW: Stop = Stop::Fails("an operand is below the first address");
        let [off0, off1, off2] = instruction.offsets.map(i64::from);
        let on_stack = |offset: usize| Pointer { segment: STACK as i64, offset: offset as u64 };
        let register = |is_fp: u16| on_stack(if instruction.is(is_fp) { self.fp } else { self.ap });
        let dst_at = register(flag::DST_FP).at(off0).ok_or(BELOW)?;
        let op0_at = register(flag::OP0_FP).at(off1).ok_or(BELOW)?;
        let op1_base = if instruction.is(flag::OP1_IMM) {
            if off2 != 1 {
                return Err(Stop::Fails("an immediate does not follow its instruction"));
            }
            Pointer { segment: self.code.segment as i64, offset: self.pc as u64 }
        } else if instruction.is(flag::OP1_FP) || instruction.is(flag::OP1_AP) {
            register(flag::OP1_FP)
        } else {
            self.memory.get(op0_at).to_pointer().ok_or(Stop::Fails("an operand is behind no pointer"))?
        };
        let op1_at = op1_base.at(off2).ok_or(BELOW)?;
        let places = [dst_at, op0_at, op1_at];
        places.into_iter().try_for_each(|at| self.memory.take(at))?;
        let [found_dst, found_op0, found_op1] = places.map(|at| self.memory.get(at));

        let dst = found_dst.is_known().then_some(found_dst);
        let mut result = None;
        let op0 = if found_op0.is_known() {
            found_op0
        } else {
            let op1 = found_op1.is_known().then_some(found_op1);
            let deduced =
                self.deduced_op0(instruction, dst, op1)?.ok_or(Stop::Fails("the first operand has no value"))?;
            if !instruction.is(flag::CALL) {
                result = dst;
            }
            deduced
        };
        let op1 = if found_op1.is_known() {
            found_op1
        } else {
            match self.builtins.deduce(&self.memory, op1_at)? {
                Some(value) => value,
                None => {
                    let deduced = deduced_op1(instruction, dst, op0)?;
                    result = result.or(dst);
                    deduced.ok_or(Stop::Fails("the second operand has no value"))?
                }
            }
        };
        if result.is_none() && !instruction.is(flag::JNZ) {
            result = Some(operation(instruction, op0, op1)?);
        }
        let dst = match dst {
            Some(dst) => dst,
            None if instruction.is(flag::ASSERT_EQ) => result.ok_or(Stop::Fails("an assertion has no result"))?,
            None if instruction.is(flag::CALL) => Cell::pointer(on_stack(self.fp)),
            None => return Err(Stop::Fails("the destination has no value")),
        };
        Ok((places, Operands { dst, op0, op1, result }))
    }

    /// The first operand, if it follows from the others.
    fn deduced_op0(
        &self,
        instruction: &Instruction,
        dst: Option<Cell>,
        op1: Option<Cell>,
    ) -> Result<Option<Cell>, Stop> {
        if instruction.is(flag::CALL) {
            return Ok(Some(self.after(instruction)));
        }
        match dst.zip(op1) {
            Some((dst, op1)) if instruction.is(flag::ASSERT_EQ) => inverted(instruction, dst, op1),
            _ => Ok(None),
        }
    }

    /// The address behind the instruction.
    fn after(&self, instruction: &Instruction) -> Cell {
        let offset = self.pc as u64 + u64::from(instruction.size());
        Cell::pointer(Pointer { segment: self.code.segment as i64, offset })
    }

    /// Checks the assertion of an instruction.
    fn check(&self, instruction: &Instruction, operands: &Operands) -> Result<(), Stop> {
        if instruction.is(flag::ASSERT_EQ) && operands.result != Some(operands.dst) {
            return Err(Stop::Fails("an assertion fails"));
        }
        let frame = Cell::pointer(Pointer { segment: STACK as i64, offset: self.fp as u64 });
        if instruction.is(flag::CALL) && (operands.op0 != self.after(instruction) || operands.dst != frame) {
            return Err(Stop::Fails("a call cannot write where it returns to"));
        }
        Ok(())
    }

    fn update(&mut self, instruction: &Instruction, operands: &Operands) -> Result<(), Stop> {
        let size = instruction.size() as usize;
        let result = || operands.result.ok_or(Stop::Fails("an instruction has no result"));
        let fp = if instruction.is(flag::CALL) {
            self.ap + 2
        } else if instruction.is(flag::RET) {
            let offset = operands.dst.to_pointer().map(|pointer| pointer.offset).or(operands.dst.to_u64());
            offset.ok_or(Stop::Fails("a frame is at no address"))? as usize
        } else {
            self.fp
        };
        let ap = if instruction.is(flag::AP_ADD) {
            let by = result()?;
            let ap = by.is_number().then(|| Cell::small(self.ap as u64).plus(by)).flatten().and_then(Cell::to_u64);
            ap.ok_or(Stop::Fails("ap leaves all addresses"))? as usize
        } else if instruction.is(flag::CALL) {
            self.ap + 2
        } else {
            self.ap + usize::from(instruction.is(flag::AP_ADD1))
        };
        let pc = if instruction.is(flag::JUMP) {
            match result()?.to_place() {
                Some((segment, pc)) => {
                    if segment != self.code.segment {
                        self.enter(segment)?;
                    }
                    pc
                }
                None => return Err(Stop::Lacks("a jump goes to a number, or into a temporary segment")),
            }
        } else if instruction.is(flag::JUMP_REL) {
            self.jumped(result()?)?
        } else if instruction.is(flag::JNZ) && !operands.dst.is_zero() {
            self.jumped(operands.op1)?
        } else {
            self.pc + size
        };
        (self.pc, self.ap, self.fp) = (pc, ap, fp);
        Ok(())
    }

    /// The words of 32 bits from where a pointer points.
    fn blake_words<const N: usize>(&self, start: Cell) -> Result<[u32; N], Stop> {
        let start = start.to_pointer().ok_or(Stop::Fails("an operand of Blake2s is no pointer"))?;
        let mut words = [0; N];
        for (index, word) in (0..).zip(&mut words) {
            let cell = start.at(index).map_or(Cell::default(), |at| self.memory.get(at));
            let number = cell.to_u64().and_then(|number| u32::try_from(number).ok());
            *word = number.ok_or(Stop::Fails("an operand of Blake2s is no word of 32 bits"))?;
        }
        Ok(words)
    }

    /// Compresses a block, and writes the result where `[ap]` points.
    fn blake(&mut self, operands: &Operands, is_last: bool) -> Result<(), Stop> {
        let bytes = operands.dst.to_u64().and_then(|bytes| u32::try_from(bytes).ok());
        let bytes = bytes.ok_or(Stop::Fails("the counter of Blake2s is no word of 32 bits"))?;
        let state = self.blake_words::<BLAKE_STATE>(operands.op0)?;
        let message = self.blake_words::<BLAKE_MESSAGE>(operands.op1)?;
        let result = self.memory.get(Pointer { segment: STACK as i64, offset: self.ap as u64 }).to_pointer();
        let result = result.ok_or(Stop::Fails("the result of Blake2s has no place"))?;
        for (index, word) in (0..).zip(compress(state, message, bytes, is_last)) {
            let at = result.at(index).ok_or(Stop::Fails("the result of Blake2s has no place"))?;
            self.memory.write(at, Cell::small(word.into()))?;
        }
        Ok(())
    }
}

/// The second operand, if it follows from the others. An assertion that is a jump as well has no result.
fn deduced_op1(instruction: &Instruction, dst: Option<Cell>, op0: Cell) -> Result<Option<Cell>, Stop> {
    match dst {
        Some(dst) if instruction.is(flag::ASSERT_EQ) => {
            let is_copy = !instruction.is(flag::RES_ADD | flag::RES_MUL | flag::JNZ);
            if is_copy { Ok(Some(dst)) } else { inverted(instruction, dst, op0) }
        }
        _ => Ok(None),
    }
}

/// The operand that makes `dst` of another one.
fn inverted(instruction: &Instruction, dst: Cell, other: Cell) -> Result<Option<Cell>, Stop> {
    let is_qm31 = instruction.extension == 3;
    if instruction.is(flag::RES_ADD) {
        let difference = if is_qm31 { in_qm31(dst, other, |a, b| Some(a - b)) } else { dst.minus(other) };
        return difference.map(Some).ok_or(Stop::Fails("there is no such difference"));
    }
    if !instruction.is(flag::RES_MUL) || !dst.is_number() || !other.is_number() || other.is_zero() {
        return Ok(None);
    }
    let quotient = if is_qm31 { in_qm31(dst, other, |a, b| Some(a * b.inverse()?)) } else { dst.over(other) };
    quotient.map(Some).ok_or(Stop::Fails("there is no such quotient"))
}

/// The result of an instruction.
fn operation(instruction: &Instruction, op0: Cell, op1: Cell) -> Result<Cell, Stop> {
    let is_qm31 = instruction.extension == 3;
    if instruction.is(flag::RES_ADD) {
        let sum = if is_qm31 { in_qm31(op0, op1, |a, b| Some(a + b)) } else { op0.plus(op1) };
        sum.ok_or(Stop::Fails("there is no such sum"))
    } else if instruction.is(flag::RES_MUL) {
        let product = if is_qm31 { in_qm31(op0, op1, |a, b| Some(a * b)) } else { op0.times(op1) };
        product.ok_or(Stop::Fails("there is no such product"))
    } else {
        Ok(op1)
    }
}

/// An operation on elements of QM31.
fn in_qm31(left: Cell, right: Cell, operation: impl Fn(QM31, QM31) -> Option<QM31>) -> Option<Cell> {
    let unpacked = |cell: Cell| qm31::unpack(&cell.to_words()?);
    let result = operation(unpacked(left)?, unpacked(right)?)?;
    Some(Cell::felt(&qm31::pack(result)))
}
