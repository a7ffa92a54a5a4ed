//! The function of each hint.

use cairo_lang_casm::hints::{CoreHint, DeprecatedHint};
use cairo_vm::Felt252;
use cairo_vm::vm::errors::hint_errors::HintError;

use super::{CairoHints, Machine, circuit, custom, ec, felt, integer, operand, text};

impl CairoHints<'_> {
    /// Hints that the compiler emits.
    pub(super) fn core(&mut self, vm: &mut Machine<'_>, hint: &CoreHint) -> Result<(), HintError> {
        match hint {
            CoreHint::AllocSegment { dst } => {
                let segment = vm.add_memory_segment()?;
                operand::write(vm, dst, segment)
            }
            CoreHint::AllocConstantSize { size, dst } => {
                let size = operand::count(vm, size)?;
                let start = match self.boxes {
                    Some(start) => start,
                    None => vm.add_memory_segment()?,
                };
                self.boxes = Some((start + size)?);
                operand::write(vm, dst, start)
            }
            CoreHint::DebugPrint { start, end } => {
                let (start, end) = (operand::pointer(vm, start)?, operand::pointer(vm, end)?);
                vm.work((end - start)?.min(text::MAX_PRINTED_FELTS))?;
                self.printed.print(vm, start, end)
            }

            CoreHint::TestLessThan { lhs, rhs, dst } => {
                let less = operand::integer(vm, lhs)? < operand::integer(vm, rhs)?;
                integer::write_flag(vm, dst, less)
            }
            CoreHint::TestLessThanOrEqual { lhs, rhs, dst } => {
                let less = operand::integer(vm, lhs)? <= operand::integer(vm, rhs)?;
                integer::write_flag(vm, dst, less)
            }
            CoreHint::TestLessThanOrEqualAddress { lhs, rhs, dst } => {
                let less = operand::pointer(vm, lhs)? <= operand::pointer(vm, rhs)?;
                integer::write_flag(vm, dst, less)
            }
            CoreHint::WideMul128 { lhs, rhs, high, low } => integer::wide_mul(vm, (lhs, rhs), (high, low)),
            CoreHint::DivMod { lhs, rhs, quotient, remainder } => {
                integer::div_mod(vm, &[lhs], &[rhs], &[quotient], &[remainder])
            }
            CoreHint::Uint256DivMod {
                dividend0,
                dividend1,
                divisor0,
                divisor1,
                quotient0,
                quotient1,
                remainder0,
                remainder1,
            } => integer::div_mod(
                vm,
                &[dividend0, dividend1],
                &[divisor0, divisor1],
                &[quotient0, quotient1],
                &[remainder0, remainder1],
            ),
            CoreHint::Uint512DivModByUint256 {
                dividend0,
                dividend1,
                dividend2,
                dividend3,
                divisor0,
                divisor1,
                quotient0,
                quotient1,
                quotient2,
                quotient3,
                remainder0,
                remainder1,
            } => integer::div_mod(
                vm,
                &[dividend0, dividend1, dividend2, dividend3],
                &[divisor0, divisor1],
                &[quotient0, quotient1, quotient2, quotient3],
                &[remainder0, remainder1],
            ),
            CoreHint::SquareRoot { value, dst } => integer::square_root(vm, value, dst),
            CoreHint::Uint256SquareRoot {
                value_low,
                value_high,
                sqrt0,
                sqrt1,
                remainder_low,
                remainder_high,
                sqrt_mul_2_minus_remainder_ge_u128,
            } => integer::u256_square_root(
                vm,
                &[value_low, value_high],
                &[sqrt0, sqrt1],
                &[remainder_low, remainder_high],
                sqrt_mul_2_minus_remainder_ge_u128,
            ),
            CoreHint::LinearSplit { value, scalar, max_x, x, y } => {
                integer::linear_split(vm, (value, scalar, max_x), (x, y))
            }
            CoreHint::U256InvModN { b0, b1, n0, n1, g0_or_no_inv, g1_option, s_or_r0, s_or_r1, t_or_k0, t_or_k1 } => {
                let cells = integer::InverseCells {
                    divisor: [g0_or_no_inv, g1_option],
                    s_or_r: [s_or_r0, s_or_r1],
                    t_or_k: [t_or_k0, t_or_k1],
                };
                integer::u256_inverse(vm, &[b0, b1], &[n0, n1], &cells)
            }

            CoreHint::FieldSqrt { val, sqrt } => felt::square_root(vm, val, sqrt),
            CoreHint::AssertLeFindSmallArcs { range_check_ptr, a, b } => self.arcs.find(vm, range_check_ptr, (a, b)),
            CoreHint::AssertLeIsFirstArcExcluded { skip_exclude_a_flag } => {
                self.arcs.write_is_not(vm, 0, skip_exclude_a_flag)
            }
            CoreHint::AssertLeIsSecondArcExcluded { skip_exclude_b_minus_a } => {
                self.arcs.write_is_not(vm, 1, skip_exclude_b_minus_a)
            }
            CoreHint::RandomEcPoint { x, y } => {
                self.points += 1;
                ec::random_point(vm, self.points, (x, y))
            }
            CoreHint::EvalCircuit { n_add_mods, add_mod_builtin, n_mul_mods, mul_mod_builtin } => {
                circuit::evaluate(vm, (n_add_mods, add_mod_builtin), (n_mul_mods, mul_mod_builtin))
            }

            CoreHint::AllocFelt252Dict { segment_arena_ptr } => self.dicts.allocate(vm, segment_arena_ptr),
            CoreHint::Felt252DictEntryInit { dict_ptr, key } => self.dicts.begin_access(vm, dict_ptr, key),
            CoreHint::Felt252DictEntryUpdate { dict_ptr, value } => self.dicts.end_access(vm, dict_ptr, value),
            CoreHint::GetSegmentArenaIndex { dict_end_ptr, dict_index } => {
                self.dicts.number(vm, dict_end_ptr, dict_index)
            }
            CoreHint::InitSquashData { dict_accesses, ptr_diff, n_accesses, big_keys, first_key } => {
                self.squash.begin(vm, dict_accesses, (ptr_diff, n_accesses), (big_keys, first_key))
            }
            CoreHint::GetCurrentAccessIndex { range_check_ptr } => self.squash.first_access(vm, range_check_ptr),
            CoreHint::ShouldSkipSquashLoop { should_skip_loop } => {
                integer::write_flag(vm, should_skip_loop, self.squash.is_last_access())
            }
            CoreHint::GetCurrentAccessDelta { index_delta_minus1 } => self.squash.next_access(vm, index_delta_minus1),
            CoreHint::ShouldContinueSquashLoop { should_continue } => {
                integer::write_flag(vm, should_continue, !self.squash.is_last_access())
            }
            CoreHint::GetNextDictKey { next_key } => self.squash.next_key(vm, next_key),
        }
    }

    /// Hints that only older compilers emitted.
    pub(super) fn deprecated(&mut self, vm: &mut Machine<'_>, hint: &DeprecatedHint) -> Result<(), HintError> {
        let ensure = |condition: bool, what: &str| if condition { Ok(()) } else { Err(custom(what)) };
        match hint {
            DeprecatedHint::AssertCurrentAccessIndicesIsEmpty => {
                ensure(self.squash.is_last_access(), "a key of a dictionary has accesses that were not squashed")
            }
            DeprecatedHint::AssertAllAccessesUsed { n_used_accesses } => {
                let address = operand::address(vm, n_used_accesses)?;
                let used = vm.get_integer(address)?;
                ensure(
                    used == Felt252::from(self.squash.accesses()),
                    "not all accesses of a dictionary's key were squashed",
                )
            }
            DeprecatedHint::AssertAllKeysUsed => {
                ensure(self.squash.is_last_key(), "a dictionary has keys that were not squashed")
            }
            DeprecatedHint::AssertLeAssertThirdArcExcluded => self.arcs.assert_third(),
            DeprecatedHint::AssertLtAssertValidInput { a, b } => {
                let (a, b) = (operand::integer(vm, a)?, operand::integer(vm, b)?);
                ensure(a < b, "a number is not below its bound")
            }
            DeprecatedHint::Felt252DictRead { dict_ptr, key, value_dst } => {
                self.dicts.read(vm, dict_ptr, key, value_dst)
            }
            DeprecatedHint::Felt252DictWrite { dict_ptr, key, value } => self.dicts.write(vm, dict_ptr, key, value),
        }
    }
}
