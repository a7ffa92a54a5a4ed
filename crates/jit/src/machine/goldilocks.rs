//! Goldilocks on eight lanes, instruction by instruction.
//!
//! A lane holds any word that is congruent to its element; the second operand of a sum or a difference is at most the
//! modulus. A carry or a borrow of `2^64 = 2^32 - 1` is put right by the modulus, for which no second one follows.

use iced_x86::{Code, Register};

use super::assembler::{Assembler, Lanes};
use crate::layout::{SPLIT_BITS, VALUE_REGISTERS};

// Registers behind those of values: work, the sums of terms, `2^32 - 1`, the modulus.
const WORK: u8 = VALUE_REGISTERS;
const SUMS: u8 = WORK + 5;
const EPSILON: u8 = 30;
const MODULUS: u8 = 31;
/// Sums of a coordinate: words that count once, and two of words that count `2^52`.
const SUMS_OF_COORDINATE: u8 = 3;

const CARRY: Register = Register::K1;
/// The upper halves of all lanes, as lanes of 32 bits.
const UPPER: Register = Register::K7;

const ADD: Code = Code::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64;
const SUB: Code = Code::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64;
const MUL: Code = Code::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64;
const MIN: Code = Code::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64;
const AND: Code = Code::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64;
const XOR: Code = Code::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64;
const RIGHT: Code = Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8;
const LEFT: Code = Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8;
const LOWER_TWICE: Code = Code::EVEX_Vmovsldup_zmm_k1z_zmmm512;
const LOW_PRODUCT: Code = Code::EVEX_Vpmadd52luq_zmm_k1z_zmm_zmmm512b64;
const HIGH_PRODUCT: Code = Code::EVEX_Vpmadd52huq_zmm_k1z_zmm_zmmm512b64;

/// The words of a factor that is equal on all rows, at an address: itself, and its upper half.
#[derive(Clone, Copy)]
pub(super) struct Factor {
    pub(super) base: Register,
    pub(super) at: i64,
    /// Whether the upper half is zero.
    pub(super) is_short: bool,
}

impl Assembler {
    /// Constants that the operations take; takes `rax`.
    pub(super) fn constants(&mut self) {
        self.splat(EPSILON, u64::from(u32::MAX));
        self.splat(MODULUS, <field::Goldilocks as field::PrimeField>::ORDER);
        self.mask(UPPER, 0xAAAA);
    }

    fn registers(&mut self, code: Code, d: u8, a: u8, b: u8) {
        self.lanes(code, d, a, Lanes::Register(b), None);
    }

    /// `d = a + b` for `b` at most the modulus.
    pub(super) fn add(&mut self, d: u8, a: u8, b: u8) {
        // The sum is below either operand if it wrapped; one of them is left to compare with, except when all are one.
        let to = if d == a && d == b { WORK } else { d };
        self.registers(ADD, to, a, b);
        self.below(CARRY, to, if to == a { b } else { a });
        self.lanes(SUB, to, to, Lanes::Register(MODULUS), Some(CARRY));
        if to != d {
            self.load(d, Lanes::Register(to));
        }
    }

    /// `d = a - b` for `b` at most the modulus.
    pub(super) fn sub(&mut self, d: u8, a: u8, b: u8) {
        self.below(CARRY, a, b);
        self.registers(SUB, d, a, b);
        self.lanes(ADD, d, d, Lanes::Register(MODULUS), Some(CARRY));
    }

    /// `d = -a` for `a` at most the modulus.
    pub(super) fn neg(&mut self, d: u8, a: u8) {
        self.registers(SUB, d, MODULUS, a);
    }

    /// `d` is the word of `a` below the modulus.
    pub(super) fn reduce(&mut self, d: u8, a: u8) {
        // Below the modulus the difference wraps to something larger.
        self.registers(SUB, WORK, a, MODULUS);
        self.registers(MIN, d, a, WORK);
    }

    /// `d = a b`.
    pub(super) fn mul(&mut self, d: u8, a: u8, b: u8) {
        let [w0, w1, w2, w3, w4] = [WORK, WORK + 1, WORK + 2, WORK + 3, WORK + 4];
        self.shift(RIGHT, w0, a, 32);
        self.registers(MUL, w3, a, b);
        if a == b {
            self.registers(MUL, w1, w0, a);
            self.registers(MUL, w0, w0, w0);
            return self.reduce_product(d, (w0, w1, w1, w3), (w2, w4));
        }
        self.shift(RIGHT, w1, b, 32);
        self.registers(MUL, w2, w0, b);
        self.registers(MUL, w0, w0, w1);
        self.registers(MUL, w1, w1, a);
        self.reduce_product(d, (w0, w1, w2, w3), (w2, w4));
    }

    /// `d = a f`.
    pub(super) fn mul_factor(&mut self, d: u8, a: u8, factor: Factor) {
        let [w0, w1, w2, w3, w4] = [WORK, WORK + 1, WORK + 2, WORK + 3, WORK + 4];
        let lower = Lanes::Broadcast(factor.base, factor.at);
        let upper = Lanes::Broadcast(factor.base, factor.at + 8);
        self.shift(RIGHT, w0, a, 32);
        self.lanes(MUL, w3, a, lower, None);
        self.lanes(MUL, w2, w0, lower, None);
        if !factor.is_short {
            self.lanes(MUL, w1, a, upper, None);
            self.lanes(MUL, w0, w0, upper, None);
            return self.reduce_product(d, (w0, w1, w2, w3), (w2, w4));
        }
        // The value has 96 bits: 2^64 times the upper 32 is as much as 2^32 - 1 times.
        self.shift(RIGHT, w4, w3, 32);
        self.registers(ADD, w2, w2, w4);
        self.unary(LOWER_TWICE, w3, w2, Some(UPPER));
        self.shift(RIGHT, w2, w2, 32);
        self.registers(MUL, w2, w2, EPSILON);
        self.add(d, w3, w2);
    }

    /// `d = 2^64 high_high + 2^32 (low_high + high_low) + low_low`, of products of 32 bits; takes the registers of the
    /// products and two of work, of which the first may be that of `high_low`.
    fn reduce_product(&mut self, d: u8, (high_high, low_high, high_low, low_low): (u8, u8, u8, u8), (t, u): (u8, u8)) {
        // None of these sums overflows: (2^32-1)^2 + 2 (2^32-1) = 2^64 - 1.
        self.shift(RIGHT, u, low_low, 32);
        self.registers(ADD, t, high_low, u);
        self.registers(AND, u, t, EPSILON);
        self.registers(ADD, u, u, low_high);
        self.shift(RIGHT, t, t, 32);
        self.registers(ADD, high_high, high_high, t);
        self.unary(LOWER_TWICE, low_low, u, Some(UPPER));
        self.shift(RIGHT, u, u, 32);
        self.registers(ADD, high_high, high_high, u);
        // 2^64 high = (2^32 - 1) (high mod 2^32) - (high >> 32).
        self.shift(RIGHT, t, high_high, 32);
        self.sub(low_low, low_low, t);
        self.registers(MUL, high_high, high_high, EPSILON);
        self.add(d, low_low, high_high);
    }

    /// Sets the sums of all coordinates to zero.
    pub(super) fn clear_sums(&mut self, degree: u8) {
        for sum in SUMS..SUMS + SUMS_OF_COORDINATE * degree {
            self.registers(XOR, sum, sum, sum);
        }
    }

    /// Adds `a` times a weight, an element of the extension, to the sums. The mask is `2^40 - 1`, everywhere. With
    /// `a = a0 + 2^40 a1` the weight `w` is there as `w` and `2^40 w`, each of 52 and of 12 bits, for each coordinate.
    pub(super) fn add_products(&mut self, a: u8, degree: u8, (base, at): (Register, i64), mask: Lanes) {
        let (a0, a1) = (WORK, WORK + 1);
        self.lanes(AND, a0, a, mask, None);
        self.shift(RIGHT, a1, a, SPLIT_BITS);
        for k in 0..degree {
            let [once, high, low] = [0, 1, 2].map(|sum| SUMS + SUMS_OF_COORDINATE * k + sum);
            let word = |index: i64| Lanes::Broadcast(base, at + 8 * (4 * i64::from(k) + index));
            self.lanes(LOW_PRODUCT, once, a0, word(0), None);
            self.lanes(HIGH_PRODUCT, high, a0, word(0), None);
            self.lanes(LOW_PRODUCT, low, a0, word(1), None);
            self.lanes(LOW_PRODUCT, once, a1, word(2), None);
            self.lanes(HIGH_PRODUCT, high, a1, word(2), None);
            self.lanes(LOW_PRODUCT, low, a1, word(3), None);
        }
    }

    /// `d` is the element of coordinate `k` of the sums; takes them.
    pub(super) fn sum(&mut self, d: u8, k: u8) {
        let [once, high, low] = [0, 1, 2].map(|sum| SUMS + SUMS_OF_COORDINATE * k + sum);
        // With s = a + 2^12 b + 2^44 c: 2^52 s = 2^52 a + (2^32 - 1) b - c.
        self.registers(ADD, high, high, low);
        self.shift(RIGHT, WORK, high, 44);
        self.shift(RIGHT, WORK + 1, high, 12);
        self.registers(MUL, WORK + 1, WORK + 1, EPSILON);
        self.shift(LEFT, high, high, 52);
        self.sub(high, high, WORK);
        self.add(high, high, WORK + 1);
        self.add(d, high, once);
    }
}
