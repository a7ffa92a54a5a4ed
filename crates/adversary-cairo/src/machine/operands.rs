//! The operands of an instruction. One that nobody has written follows from the others.

use super::instruction::{Instruction, flag};
use super::qm31;
use super::state::{EXECUTION, Machine, Result};
use super::value::{Address, Value};

pub(super) struct Operands {
    pub(super) dst: Value,
    pub(super) op0: Value,
    pub(super) op1: Value,
    /// A conditional jump has none.
    pub(super) res: Option<Value>,
}

/// The number of the extension for sums and products of packed elements.
const QM31: u64 = 3;

impl Machine {
    /// Reads the operands, and writes missing ones.
    pub(super) fn operands(&mut self, instruction: &Instruction) -> Result<Operands> {
        let register = |is_fp: bool| if is_fp { self.fp } else { self.ap };
        let [off0, off1, off2] = instruction.offsets;
        let dst_at = self.stack(register(instruction.is(flag::DST_FP)), off0)?;
        let op0_at = self.stack(register(instruction.is(flag::OP0_FP)), off1)?;
        let (dst, op0) = (self.memory.get(dst_at), self.memory.get(op0_at));
        let op1_at = if instruction.is(flag::OP1_IMM) {
            self.pc.moved(off2).ok_or("a number is before the program")?
        } else if instruction.is(flag::OP1_FP) || instruction.is(flag::OP1_AP) {
            self.stack(register(instruction.is(flag::OP1_FP)), off2)?
        } else {
            let pointer = op0.and_then(Value::address).ok_or("a pointer is no address")?;
            pointer.moved(off2).ok_or("a pointer is before its segment")?
        };
        let op1 = self.memory.get(op1_at);

        let op0 = op0.or_else(|| self.deduced(op0_at)).or_else(|| self.missing_op0(instruction, dst, op1));
        let op0 = op0.ok_or("op0 has no value")?;
        let op1 = op1.or_else(|| self.deduced(op1_at)).or_else(|| missing_op1(instruction, dst, op0));
        let op1 = op1.ok_or("op1 has no value")?;
        let res = res(instruction, op0, op1)?;
        let dst = match (dst, res) {
            (Some(dst), _) => dst,
            (None, Some(res)) if instruction.is(flag::ASSERT) => res,
            (None, _) if instruction.is(flag::CALL) => Value::Address(Address { segment: EXECUTION, offset: self.fp }),
            _ => return Err("dst has no value"),
        };
        for (at, value) in [(op0_at, op0), (op1_at, op1), (dst_at, dst)] {
            self.memory.set(at, value).ok_or("a cell has two values")?;
        }
        Ok(Operands { dst, op0, op1, res })
    }

    fn missing_op0(&self, instruction: &Instruction, dst: Option<Value>, op1: Option<Value>) -> Option<Value> {
        if instruction.is(flag::CALL) {
            return self.pc.moved(instruction.size()).map(Value::Address);
        }
        let (dst, op1) = (dst.filter(|_| can_be_solved(instruction))?, op1?);
        if instruction.is(flag::RES_ADD) {
            dst.sub(op1)
        } else if instruction.is(flag::RES_MUL) {
            dst.div(op1)
        } else {
            None
        }
    }
}

/// Whether an operand follows from the others: operands of packed elements must be there.
fn can_be_solved(instruction: &Instruction) -> bool {
    instruction.is(flag::ASSERT) && instruction.extension == 0
}

fn missing_op1(instruction: &Instruction, dst: Option<Value>, op0: Value) -> Option<Value> {
    let dst = dst.filter(|_| can_be_solved(instruction))?;
    if instruction.is(flag::RES_ADD) {
        dst.sub(op0)
    } else if instruction.is(flag::RES_MUL) {
        dst.div(op0)
    } else {
        Some(dst)
    }
}

fn res(instruction: &Instruction, op0: Value, op1: Value) -> Result<Option<Value>> {
    let packed = |operation: fn(_, _) -> Option<_>| operation(op0.felt()?, op1.felt()?).map(Value::Felt);
    let is_qm31 = instruction.extension == QM31;
    let value = match (instruction.is(flag::RES_ADD), instruction.is(flag::RES_MUL)) {
        _ if instruction.is(flag::JNZ) => return Ok(None),
        (false, false) => Some(op1),
        (true, false) => {
            if is_qm31 {
                packed(qm31::add)
            } else {
                op0.add(op1)
            }
        }
        (false, true) => {
            if is_qm31 {
                packed(qm31::mul)
            } else {
                op0.mul(op1)
            }
        }
        (true, true) => None,
    };
    value.map(Some).ok_or("the operands have no sum or product")
}
