//! Sums and products of operands, and `ap += x`.

use gpu_hal::ir::RowProgramError;

use super::super::felt::{mul_check, product_limbs};
use super::super::machine::{ComponentProgram, Counter, LIMB_BITS, W, WORD27_BITS};
use super::{Flag, Offset, Step, opcode};

/// The ids of dst, op0 and op1, after the columns of offsets, flags and bases.
fn operands<'r>(step: &Step<'_, 'r>, flags: &[Flag]) -> [W<'r>; 3] {
    let bases = [step.dst_base(), step.op0_base(), step.op1_base()];
    step.offset_columns(&[Offset::Dst, Offset::Op0, Offset::Op1]);
    step.flag_columns(&[Flag::DstFp, Flag::Op0Fp, Flag::Op1Imm, Flag::Op1Fp]);
    step.flag_columns(flags);
    step.columns(&bases);
    let [dst, op0, op1] = bases;
    [step.id_at(dst, Offset::Dst), step.id_at(op0, Offset::Op0), step.id_at(op1, Offset::Op1)]
}

/// add_opcode: `dst = op0 + op1` of any felts, 103 columns.
pub(crate) fn add_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let [dst, op0, op1] = operands(step, &[Flag::AddAp1]).map(|id| step.felt_columns(id));
        // The prime is odd: whether it was subtracted shows in the lowest bits.
        step.columns(&[(dst.at(0) ^ op0.at(0) ^ op1.at(0)) & 1]);
    })
}

/// add_opcode_small: `dst = op0 + op1` of small felts, 39 columns.
pub(crate) fn add_opcode_small() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        for id in operands(step, &[Flag::AddAp1]) {
            step.small_columns(id);
        }
    })
}

/// mul_opcode: `dst = op0 * op1` of any felts, 130 columns.
pub(crate) fn mul_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let machine = step.machine;
        let [dst, op0, op1] = operands(step, &[Flag::AddAp1]).map(|id| step.felt_columns(id));
        machine.signed_columns(mul_check(machine, product_limbs(machine, op0, op1, dst)));
    })
}

/// Columns: an id and the first `count` limbs of its value, which are returned. One use of the id.
fn low_limbs<'r>(step: &Step<'_, 'r>, id: W<'r>, count: usize) -> W<'r> {
    let bits = LIMB_BITS * count as u32;
    let which: Vec<_> = (0..bits.div_ceil(WORD27_BITS) as usize).collect();
    let value = step.machine.some_words27_unused(id, &which).join(WORD27_BITS, bits.div_ceil(32) as usize);
    let limbs = step.machine.limbs(value, count);
    step.machine.uses_id(id);
    step.columns(&[id, limbs]);
    limbs
}

/// mul_opcode_small: `dst = op0 * op1` of factors below `2^36`, 37 columns.
pub(crate) fn mul_opcode_small() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let recorder = step.machine.recorder();
        let [dst, op0, op1] = operands(step, &[Flag::AddAp1]);
        let [dst, op0, op1] = [(dst, 8), (op0, 4), (op1, 4)].map(|(id, count)| low_limbs(step, id, count));
        // Two limbs at a time: carry_(j+1) = (carry_(j-1) + d_j + 2^9 d_(j+1)) / 2^18, with d the limbs of op0 op1 -
        // dst.
        let differences = recorder.pack(&[op0.convolve(op1), recorder.word(0)]) - dst;
        let (mut carry, mut carries, mut sums) = (recorder.word(0), Vec::new(), Vec::new());
        for limb in [0, 2, 4, 6] {
            let sum = carry + differences.at(limb) + (differences.at(limb + 1) << 9);
            carry = sum.sar(18);
            sums.push(sum);
            carries.push(carry);
        }
        let last = sums[3];
        let exact = (recorder.pack(&sums) & ((1 << 18) - 1)).sum().is(0);
        recorder.assert("dst of a small product is the product of op0 and op1", exact & last.is(0));
        let carries = recorder.pack(&carries[..3]);
        step.machine.uses(Counter::RangeCheck11, 0, carries);
        step.columns(&[carries]);
    })
}

/// The sum of digits that no element of M31, four limbs, may have: the digits of `2^31 - 1` are 511, 511, 511,
/// 15.
const M31_DIGITS: u32 = 3 * 511 + 15;

/// qm_31_add_mul_opcode: `dst = op0 + op1` or `dst = op0 * op1` of elements of QM31, 73 columns.
pub(crate) fn qm_31_add_mul_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        for id in operands(step, &[Flag::ResAdd, Flag::AddAp1]) {
            let limbs = low_limbs(step, id, 16);
            let [a, b, c, d] = [0, 4, 8, 12].map(|limb| (limbs.slice(limb, 4).sum() - M31_DIGITS).signed());
            let recorder = step.machine.recorder();
            recorder.column((a * b).inverse());
            recorder.column((c * d).inverse());
            let top = |coordinate: usize| limbs.at(4 * coordinate + 3);
            let row = (top(0) << 12) | (top(1) << 8) | (top(2) << 4) | top(3);
            step.machine.uses(Counter::RangeCheck4x4x4x4, 0, row);
        }
    })
}

/// add_ap_opcode: `ap += op1`, 17 columns.
pub(crate) fn add_ap_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let base = step.op1_base();
        step.offset_columns(&[Offset::Op1]);
        step.flag_columns(&[Flag::Op1Imm, Flag::Op1Fp]);
        step.columns(&[base]);
        let distance = step.small_columns(step.id_at(base, Offset::Op1));
        step.columns(&[step.check_next_ap(step.ap + distance)]);
    })
}
