//! Every instruction that no component of its own takes.

use gpu_hal::ir::{FELT_WORDS, RowProgramError};

use super::super::felt::{distance_from_prime, felt_limbs, mul_check, product_limbs, rc99, small_from_limbs, top_bit};
use super::super::machine::{ComponentProgram, LIMBS, W};
use super::{Flag, Offset, Step, opcode};

/// An operand: the integer of eight words and its limbs.
#[derive(Clone, Copy)]
struct Operand<'r> {
    value: W<'r>,
    limbs: W<'r>,
}

impl<'r> Operand<'r> {
    fn of(step: &Step<'_, 'r>, value: W<'r>) -> Self {
        Self { value, limbs: felt_limbs(step.machine, value) }
    }

    /// Columns: the base of the offset, the id, the limbs.
    fn read(step: &Step<'_, 'r>, base: W<'r>, offset: Offset) -> Self {
        let id = step.id_at(base, offset);
        let operand = Self::of(step, step.machine.value(id));
        step.columns(&[base, id, operand.limbs]);
        operand
    }

    /// The value as an address, if it is one.
    fn address(self) -> W<'r> {
        self.value.at(0)
    }
}

/// The base of op1's offset: one of pc, fp, ap and the address that op0 is.
fn op1_base<'r>(step: &Step<'_, 'r>, op0: Operand<'r>) -> W<'r> {
    let [imm, fp, ap] = [Flag::Op1Imm, Flag::Op1Fp, Flag::Op1Ap].map(|flag| step.flag(flag));
    let by_op0 = (imm | fp | ap) ^ 1;
    imm * step.pc + fp * step.fp + ap * step.ap + by_op0 * op0.address()
}

/// Columns: the sum of op0 and op1, whether the prime was subtracted, their product, its check. Returns sum and
/// product.
fn sum_and_product<'r>(step: &Step<'_, 'r>, op0: Operand<'r>, op1: Operand<'r>) -> [Operand<'r>; 2] {
    let machine = step.machine;
    let sum = Operand::of(step, op0.value.felt_add(op1.value));
    let product = Operand::of(step, op0.value.felt_mul(op1.value));
    rc99(machine, sum.value, LIMBS / 2);
    rc99(machine, product.value, LIMBS / 2);
    step.columns(&[sum.limbs, (op0.limbs.at(0) ^ op1.limbs.at(0) ^ sum.limbs.at(0)) & 1, product.limbs]);
    machine.signed_columns(mul_check(machine, product_limbs(machine, op0.limbs, op1.limbs, product.limbs)));
    [sum, product]
}

/// The result of the operation: nothing in a conditional jump.
fn result<'r>(step: &Step<'_, 'r>, op1: W<'r>, sum: W<'r>, product: W<'r>) -> W<'r> {
    let select = |flag, a, b| step.machine.recorder().select(step.flag(flag), a, b);
    select(Flag::Jnz, step.machine.felt([0; FELT_WORDS]), select(Flag::ResAdd, sum, select(Flag::ResMul, product, op1)))
}

/// generic_opcode: 243 columns.
pub(crate) fn generic_opcode() -> Result<ComponentProgram, RowProgramError> {
    opcode(|step| {
        let machine = step.machine;
        let recorder = machine.recorder();
        step.offset_columns(&[Offset::Dst, Offset::Op0, Offset::Op1]);
        step.flag_columns(&Flag::ALL);
        let dst = Operand::read(step, step.dst_base(), Offset::Dst);
        let op0 = Operand::read(step, step.op0_base(), Offset::Op0);
        step.columns(&[top_bit(op0.limbs)]);
        let op1 = Operand::read(step, op1_base(step, op0), Offset::Op1);
        let [sum, product] = sum_and_product(step, op0, op1);
        let res = Operand::of(step, result(step, op1.value, sum.value, product.value));
        let relative = small_from_limbs(machine, res.limbs);
        // The bit of dst twice: for the frame of a call, and as the `fp` after a return.
        step.columns(&[res.limbs, top_bit(dst.limbs), top_bit(op0.limbs), top_bit(dst.limbs)]);
        step.columns(&[relative.columns.slice(0, 2), top_bit(res.limbs)]);

        let flag = |flag| step.flag(flag);
        let dst_sum = dst.limbs.sum();
        let dst_is_zero = dst_sum.is(0);
        recorder.column(distance_from_prime(machine, dst.limbs).element().inverse());
        recorder.column((dst_sum + dst_is_zero).element().inverse());
        let distance = small_from_limbs(machine, op1.limbs);
        step.columns(&[flag(Flag::Jnz) * dst_sum, distance.columns.slice(0, 2), top_bit(op1.limbs)]);

        let next = step.pc + flag(Flag::Op1Imm) + 1;
        let if_jnz = recorder.select(dst_is_zero, next, step.pc + distance.value);
        let [absolute, rel, jnz] = [Flag::JumpAbs, Flag::JumpRel, Flag::Jnz].map(flag);
        let choose = |condition, a, b| recorder.select(condition, a, b);
        let next_pc = choose(absolute, res.address(), choose(rel, step.pc + relative.value, choose(jnz, if_jnz, next)));
        let [call, ret] = [Flag::Call, Flag::Ret].map(flag);
        let next_ap = step.ap + flag(Flag::AddAp) * relative.value + flag(Flag::AddAp1) + (call << 1);
        let next_fp = choose(call, step.ap + 2, choose(ret, dst.address(), step.fp));
        machine.signed_columns(if_jnz);
        step.columns(&[next_pc, next_ap, step.check_next_ap(next_ap), next_fp]);
    })
}
