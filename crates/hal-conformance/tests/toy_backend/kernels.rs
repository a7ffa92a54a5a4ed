//! What the toy computes, on slices of its memory. Every kernel is the formula of the contract.

use field::{CanonicalBytes, ExtensionField, Field, Fp3, Goldilocks, bit_reverse, powers};
use gpu_hal::{CosetDomain, Digest, EvalOrder, GoldilocksStark, Instruction, Multiplier, Operand, Schedule};
use sha3::{Digest as _, Keccak256};

type Domain = CosetDomain<Goldilocks>;

/// `f(x)` at `x = shift * w^k` for all `k`, natural order, from `f(x) = even(x^2) + x odd(x^2)`. The squares `x^2` are a coset
/// of half the size, on which `x` and `-x` meet.
fn evaluate(coefficients: &[Goldilocks], domain: Domain) -> Vec<Goldilocks> {
    if coefficients.len() == 1 {
        return coefficients.to_vec();
    }
    let half = CosetDomain::new(domain.shift.square(), domain.log_size - 1);
    let every_second = |first: usize| coefficients.iter().skip(first).step_by(2).copied().collect::<Vec<_>>();
    let (even, odd) = (evaluate(&every_second(0), half), evaluate(&every_second(1), half));
    let twisted = || even.iter().zip(&odd).zip(points(domain)).map(|((e, o), x)| (*e, x * *o));
    twisted().map(|(e, o)| e + o).chain(twisted().map(|(e, o)| e - o)).collect()
}

/// The way back: `even(x^2) = (f(x) + f(-x))/2`, `odd(x^2) = (f(x) - f(-x))/(2x)`.
fn interpolate(values: &[Goldilocks], domain: Domain) -> Vec<Goldilocks> {
    if values.len() == 1 {
        return values.to_vec();
    }
    let half = CosetDomain::new(domain.shift.square(), domain.log_size - 1);
    let (low, high) = values.split_at(values.len() / 2);
    let two_inverse = Goldilocks::new(2).inverse_or_zero();
    let inverses = CosetDomain::new(domain.shift, domain.log_size);
    let step = inverses.generator().inverse_or_zero();
    let inverses = powers(step).map(|power| power * domain.shift.inverse_or_zero());
    let even: Vec<_> = low.iter().zip(high).map(|(a, b)| (*a + *b) * two_inverse).collect();
    let odd: Vec<_> = low.iter().zip(high).zip(inverses).map(|((a, b), x)| (*a - *b) * two_inverse * x).collect();
    let (even, odd) = (interpolate(&even, half), interpolate(&odd, half));
    even.into_iter().zip(odd).flat_map(|(e, o)| [e, o]).collect()
}

/// The points of a domain, natural order.
fn points(domain: Domain) -> impl Iterator<Item = Goldilocks> {
    powers(domain.generator()).map(move |power| domain.shift * power).take(1 << domain.log_size)
}

/// From natural to bit-reversed order, or back.
fn reordered<T: Copy>(values: &[T]) -> Vec<T> {
    let bits = values.len().ilog2();
    (0..values.len()).map(|i| values[bit_reverse(i, bits)]).collect()
}

/// The points of a domain in storage order.
pub(crate) fn storage_points(domain: Domain) -> Vec<Goldilocks> {
    reordered(&points(domain).collect::<Vec<_>>())
}

/// Coefficients of a column from its values.
pub(crate) fn coefficients(values: &[Goldilocks], domain: Domain, order: EvalOrder) -> Vec<Goldilocks> {
    match order {
        EvalOrder::Row => interpolate(values, domain),
        EvalOrder::Storage => interpolate(&reordered(values), domain),
    }
}

/// Values of a column from its coefficients, of which there may be fewer than points.
pub(crate) fn values(coefficients: &[Goldilocks], domain: Domain, order: EvalOrder) -> Vec<Goldilocks> {
    let mut padded = coefficients.to_vec();
    padded.resize(1 << domain.log_size, Goldilocks::ZERO);
    let values = evaluate(&padded, domain);
    match order {
        EvalOrder::Row => values,
        EvalOrder::Storage => reordered(&values),
    }
}

/// `c_0 + x (c_1 + x (c_2 + ...))`.
pub(crate) fn horner(coefficients: &[Goldilocks], x: Fp3) -> Fp3 {
    coefficients.iter().rev().fold(Fp3::ZERO, |sum, c| sum * x + *c)
}

/// A column over the extension is three base columns side by side.
pub(crate) fn extension(table: &[Goldilocks], height: usize, column: usize, row: usize) -> Fp3 {
    let at = |k: usize| table[(3 * column + k) * height + row];
    Fp3::new(at(0), at(1), at(2))
}

/// Stores an element of such a column.
pub(crate) fn set_extension(table: &mut [Goldilocks], height: usize, column: usize, row: usize, value: Fp3) {
    for (k, coordinate) in value.coordinates().iter().enumerate() {
        table[(3 * column + k) * height + row] = *coordinate;
    }
}

/// Runs a scheduled program on one row: `load(group, column, offset)` reads an input, the result is all outputs.
///
/// The toy keeps every register as an extension element. A real device has two register files and multiplies base by base
/// where both operands are, which is what makes constraints cheap.
pub(crate) fn interpret(
    schedule: &Schedule<GoldilocksStark>,
    uniforms: &[Fp3],
    mut load: impl FnMut(usize, usize, i32) -> Fp3,
) -> Vec<Fp3> {
    let (bases, extensions) = (schedule.base_registers as usize, schedule.ext_registers as usize);
    let mut registers = vec![Fp3::ZERO; bases + extensions];
    let mut outputs = vec![Fp3::ZERO; schedule.program().outputs().len()];
    let register = |operand: Operand| match operand {
        Operand::Base(r) => r as usize,
        Operand::Ext(r) => bases + r as usize,
        Operand::Constant(_) | Operand::Uniform(_) => unreachable!("a schedule never writes to a constant"),
    };
    for instruction in &schedule.instructions {
        let get = |operand: Operand| match operand {
            Operand::Constant(c) => schedule.constants[c as usize].into(),
            Operand::Uniform(u) => uniforms[u as usize],
            _ => registers[register(operand)],
        };
        let (dst, value) = match *instruction {
            Instruction::Load { dst, group, column, offset } => (dst, load(group as usize, column as usize, offset)),
            Instruction::Add { dst, a, b } => (dst, get(a) + get(b)),
            Instruction::Sub { dst, a, b } => (dst, get(a) - get(b)),
            Instruction::Mul { dst, a, b } => (dst, get(a) * get(b)),
            Instruction::Neg { dst, a } => (dst, -get(a)),
            Instruction::Output { index, src } => {
                outputs[index as usize] = get(src);
                continue;
            }
        };
        registers[register(dst)] = value;
    }
    outputs
}

/// The product of `(x^(2^log_power) - constant)^(+-1)`; the inverse of zero is zero.
pub(crate) fn factors(multiplier: &Multiplier<Goldilocks>, x: Goldilocks) -> Goldilocks {
    let factor = |f: &gpu_hal::Factor<Goldilocks>| {
        let value = x.pow_two_to(f.log_power) - f.constant;
        if f.inverse { value.inverse_or_zero() } else { value }
    };
    multiplier.factors.iter().map(factor).product()
}

/// Keccak-256 of elements, big-endian.
pub(crate) fn leaf(elements: impl Iterator<Item = Goldilocks>) -> Digest {
    let mut bytes = Vec::new();
    elements.for_each(|element| element.write_bytes(&mut bytes));
    Keccak256::digest(&bytes).into()
}

/// Keccak-256 of two nodes.
pub(crate) fn parent(left: &Digest, right: &Digest) -> Digest {
    Keccak256::new().chain_update(left).chain_update(right).finalize().into()
}

/// Siblings from a leaf upward; children of node `v` are `2v + 1` (odd, left) and `2v + 2`.
pub(crate) fn path(nodes: &[Digest], leaf: usize) -> Vec<Digest> {
    let mut node = nodes.len() / 2 + leaf;
    let mut path = Vec::new();
    while node > 0 {
        path.push(nodes[if node % 2 == 1 { node + 1 } else { node - 1 }]);
        node = (node - 1) / 2;
    }
    path
}

/// The smallest nonce whose hash starts with `bits` zero bits.
pub(crate) fn grind(digest: &Digest, bits: u32) -> Option<u64> {
    (0..=u64::MAX).find(|nonce| {
        let hash = Keccak256::new().chain_update(digest).chain_update(nonce.to_be_bytes()).finalize();
        let mut first = [0; 8];
        first.copy_from_slice(&hash[..8]);
        u64::from_be_bytes(first).leading_zeros() >= bits
    })
}
