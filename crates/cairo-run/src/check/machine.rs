//! One step of the Cairo machine over a memory that is complete: the demands of an instruction on it, and the next
//! state.

use num_traits::ToPrimitive;

use crate::felt::to_words;
use crate::instruction::{Instruction, Opcode, flag};
use crate::run::memory::{is_small_factor, is_small_summand};
use crate::{Cells, Felt252, MAX_ADDRESSES, State, qm31};

/// A step that its instruction makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub opcode: Opcode,
    /// The one of an opcode's two components that proves the step: the small one of `Add` and `Mul`, the taken one of
    /// `Jnz`.
    pub variant: bool,
    pub next: State,
}

/// Makes the step from `state`, or names its fault.
pub(super) fn step(cells: &Cells<'_>, state: State) -> Result<Step, String> {
    let State { pc, ap, fp } = state;
    let word = cells.u128(pc).ok_or("there is no instruction")?;
    let instruction = Instruction::decode(word);
    let opcode = instruction.opcode().map_err(|pattern| format!("no component proves {pattern}"))?;
    if !instruction.is_valid() {
        return Err("no machine has an instruction with these flags".into());
    }
    let operands = Operands::read(cells, &instruction, state)?;
    match opcode {
        Opcode::Blake => blake(cells, &operands, ap)?,
        Opcode::Qm31 => qm31(&instruction, &operands)?,
        _ => {}
    }
    let Operands { dst, op0, op1 } = &operands;
    let res = if instruction.is(flag::RES_ADD) {
        op0.value + op1.value
    } else if instruction.is(flag::RES_MUL) {
        op0.value * op1.value
    } else {
        op1.value
    };

    let after = Felt252::from(pc + instruction.size());
    if instruction.is(flag::CALL) && (dst.value != Felt252::from(fp) || op0.value != after) {
        return Err("a call does not store fp and the address of the next instruction".into());
    }
    if instruction.is(flag::ASSERT_EQ) && opcode != Opcode::Qm31 && dst.value != res {
        return Err(format!("the assertion {} = {res} does not hold", dst.value));
    }
    if matches!(opcode, Opcode::AssertEq | Opcode::AssertEqImm | Opcode::AssertEqDoubleDeref) && dst.id != op1.id {
        return Err("two equal values have different ids".into());
    }

    let taken = instruction.is(flag::JNZ) && dst.value != Felt252::ZERO;
    let next_pc = if instruction.is(flag::JUMP) {
        res
    } else if instruction.is(flag::JUMP_REL) {
        res + u64::from(pc)
    } else if taken {
        op1.value + u64::from(pc)
    } else {
        after
    };
    let advance = if instruction.is(flag::AP_ADD) {
        res
    } else {
        Felt252::from(u32::from(instruction.is(flag::AP_ADD1)) + 2 * u32::from(instruction.is(flag::CALL)))
    };
    let next_fp = if instruction.is(flag::CALL) {
        Felt252::from(ap + 2)
    } else if instruction.is(flag::RET) {
        dst.value
    } else {
        fp.into()
    };
    let register = |name: &str, value: Felt252| {
        let value = value.to_u32().filter(|value| *value < MAX_ADDRESSES);
        value.ok_or_else(|| format!("{name} leaves the 2^29 addresses of a proof"))
    };
    let variant = match opcode {
        Opcode::Add => [dst, op0, op1].iter().all(|operand| is_small_summand(&to_words(&operand.value))),
        Opcode::Mul => [op0, op1].iter().all(|factor| is_small_factor(&to_words(&factor.value))),
        Opcode::Jnz => taken,
        _ => false,
    };
    let (pc, ap) = (register("pc", next_pc)?, register("ap", advance + u64::from(ap))?);
    Ok(Step { opcode, variant, next: State { pc, ap, fp: register("fp", next_fp)? } })
}

/// A cell that an instruction reads.
struct Operand {
    id: u32,
    value: Felt252,
}

struct Operands {
    dst: Operand,
    op0: Operand,
    op1: Operand,
}

impl Operands {
    fn read(cells: &Cells<'_>, instruction: &Instruction, State { pc, ap, fp }: State) -> Result<Self, String> {
        let operand = |name: &str, base: u32, offset: i32| {
            let address = base.checked_add_signed(offset).ok_or_else(|| format!("{name} has a negative address"))?;
            let found = cells.id(address).zip(cells.felt(address));
            found
                .map(|(id, value)| Operand { id, value })
                .ok_or_else(|| format!("{name}, at address {address}, has no value"))
        };
        let register = |is_fp: bool| if is_fp { fp } else { ap };
        let [off0, off1, off2] = instruction.offsets;
        let dst = operand("dst", register(instruction.is(flag::DST_FP)), off0)?;
        let op0 = operand("op0", register(instruction.is(flag::OP0_FP)), off1)?;
        let base = if instruction.is(flag::OP1_IMM) {
            pc
        } else if instruction.is(flag::OP1_FP) || instruction.is(flag::OP1_AP) {
            register(instruction.is(flag::OP1_FP))
        } else {
            address(&op0.value).ok_or("op0 is dereferenced, but it is no address")?
        };
        let op1 = operand("op1", base, off2)?;
        Ok(Self { dst, op0, op1 })
    }
}

fn address(value: &Felt252) -> Option<u32> {
    value.to_u32().filter(|value| *value < MAX_ADDRESSES)
}

/// Words of 32 bits at the pointers of a Blake2s instruction: 8 of state at op0, 16 of message at op1, 8 of result
/// where `[ap]` points, and the counter in dst. The component computes the result; one that differs leaves the sums of
/// the lookups unequal.
fn blake(cells: &Cells<'_>, operands: &Operands, ap: u32) -> Result<(), String> {
    let result = cells.address(ap).ok_or("[ap] is no address")?;
    let pointers = [
        ("state", address(&operands.op0.value), 8),
        ("message", address(&operands.op1.value), 16),
        ("result", Some(result), 8),
    ];
    for (name, start, count) in pointers {
        let start = start.ok_or_else(|| format!("the pointer to the {name} of Blake2s is no address"))?;
        for address in start..start + count {
            cells
                .u32(address)
                .ok_or_else(|| format!("address {address}, in the {name} of Blake2s, has no word of 32 bits"))?;
        }
    }
    operands.dst.value.to_u32().map(drop).ok_or_else(|| "the counter of Blake2s has more than 32 bits".into())
}

/// The result must be the sum or the product.
fn qm31(instruction: &Instruction, operands: &Operands) -> Result<(), String> {
    let unpack = |operand: &Operand| {
        let number = &operand.value;
        qm31::unpack(&to_words(number)).ok_or_else(|| format!("{number} is no element of QM31"))
    };
    let (dst, op0, op1) = (unpack(&operands.dst)?, unpack(&operands.op0)?, unpack(&operands.op1)?);
    let res = if instruction.is(flag::RES_ADD) { op0 + op1 } else { op0 * op1 };
    if dst == res { Ok(()) } else { Err("a QM31 operation has another result".into()) }
}
