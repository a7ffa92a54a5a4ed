//! Columns of felts next to big integers, at the edges and at random.

use backend_reference::CpuReference;
use cairo_run::felt::PRIME;
use field::M31;
use gpu_hal::{CircleStark, Columns, HalError, RowRun, StarkBackend};
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use sha2::{Digest, Sha256};

use super::super::machine::{ComponentProgram, record};
use super::*;

fn prime() -> BigUint {
    BigUint::new(PRIME.to_vec())
}

fn digits(value: &BigUint, bits: u64, count: usize) -> Vec<u32> {
    let digit = |index: u64| (value >> (bits * index)) & BigUint::from((1u32 << bits) - 1);
    (0..count as u64).map(|index| digit(index).iter_u32_digits().next().unwrap_or(0)).collect()
}

/// Felts with long carries, borders, and random ones: 32 of them.
fn felts() -> Vec<BigUint> {
    let (one, prime) = (BigUint::one(), prime());
    let bits = |count: u64| (BigUint::one() << count) - 1u32;
    let mut felts = vec![BigUint::zero(), one.clone(), BigUint::from(2u32)];
    felts.extend([1u32, 2, 3].map(|back| &prime - back));
    felts.extend([29, 72, 192, 251].map(bits));
    felts.extend([bits(192) << 59, one.clone() << 251, (one << 251) + (BigUint::from(16u32) << 192)]);
    felts.push((&prime - 1u32) >> 1);
    let random = |seed: u8| BigUint::from_bytes_le(&Sha256::digest([seed])) % &prime;
    felts.extend((felts.len() as u8..32).map(random));
    felts
}

/// The output of a program.
#[derive(Debug)]
struct Made {
    /// The columns of each row, as signed numbers.
    rows: Vec<Vec<i64>>,
    counters: Vec<Vec<M31>>,
}

/// Runs a program without tables on these source entries.
fn run(component: &ComponentProgram, entries: &[Vec<u32>]) -> Result<Made, HalError> {
    let backend = CpuReference::<CircleStark>::new();
    let (rows, width) = (entries.len(), component.program.inputs());
    let source: Vec<_> = (0..width).flat_map(|value| entries.iter().map(move |entry| M31::new(entry[value]))).collect();
    let source = backend.upload(&source, width, rows.ilog2())?;
    let zeros = |counter: &Counter| {
        let (_, log_rows, columns) = counter.table().expect("programs of felts count at tables");
        backend.upload(&vec![M31::new(0); columns << log_rows], columns, log_rows)
    };
    let mut counters = component.counters.iter().map(zeros).collect::<Result<Vec<_>, _>>()?;
    let (program, source) = (&component.program, [source.as_ref()]);
    let args = RowRun { program, source: &source, period: rows, tables: &[], log_height: rows.ilog2() };
    let columns = backend.rows(&args, &mut counters.iter_mut().map(Columns::as_mut).collect::<Vec<_>>())?.columns;
    let columns = backend.download(columns.as_ref(), 0..rows)?;
    let signed = |element: &M31| match i64::from(element.value()) {
        value if value < 1 << 30 => value,
        value => value - ((1 << 31) - 1),
    };
    let counters = counters.iter().map(|counter| backend.download(counter.as_ref(), 0..counter.height()));
    let counters = counters.collect::<Result<_, _>>()?;
    Ok(Made {
        rows: (0..rows).map(|row| columns[row..].iter().step_by(rows).map(signed).collect()).collect(),
        counters,
    })
}

/// The ten words that are the source entry for a felt.
fn words(felt: &BigUint) -> Vec<u32> {
    digits(felt, 27, 10)
}

/// The numbers `m_i` of a product check, case by case.
fn folded(c: &[i64], i: usize) -> i64 {
    match i {
        0 => 32 * c[0] - 4 * c[21] + 8 * c[49],
        1..=5 => c[i - 1] + 32 * c[i] - 4 * c[i + 21] + 8 * c[i + 49],
        6 => c[5] + 32 * c[6] - 4 * c[27],
        7..=20 => 2 * c[i - 7] + c[i - 1] + 32 * c[i] - 4 * c[i + 21],
        21 => 2 * c[14] + c[20] - 4 * c[42] + 64 * c[49],
        22..=26 => 2 * c[i - 7] - 4 * c[i + 21] + 2 * c[i + 27] + 64 * c[i + 28],
        _ => 2 * c[20] - 4 * c[48] + 2 * c[54],
    }
}

#[test]
fn products_have_carries_that_fit() {
    let component = record(20, |machine| {
        let felt = |from| felt_of_words27(machine.recorder().inputs(from, 10));
        let (a, b) = (felt(0), felt(10));
        let [a, b, r] = [a, b, a.felt_mul(b)].map(|felt| felt_limbs(machine, felt));
        machine.signed_columns(mul_check(machine, product_limbs(machine, a, b, r)));
    });
    let component = component.unwrap();
    let felts = felts();
    let pairs: Vec<_> = felts.iter().flat_map(|a| felts.iter().map(move |b| (a, b))).collect();
    let entries: Vec<_> = pairs.iter().map(|(a, b)| [words(a), words(b)].concat()).collect();
    let Made { rows, counters } = run(&component, &entries).unwrap();
    let mut uses = vec![0u32; 8 << 20];
    for (row, (a, b)) in rows.iter().zip(pairs) {
        let limbs = |value: &BigUint| digits(value, 9, LIMBS).into_iter().map(i64::from).collect::<Vec<_>>();
        let (a, b, r) = (limbs(a), limbs(b), limbs(&(a * b % prime())));
        let mut c = vec![0; 55];
        (0..LIMBS * LIMBS).for_each(|term| c[term / LIMBS + term % LIMBS] += a[term / LIMBS] * b[term % LIMBS]);
        (0..LIMBS).for_each(|limb| c[limb] -= r[limb]);
        let (k, carries) = (row[0], &row[1..]);
        for i in 0..LIMBS {
            let of_prime = [(0, 1), (21, 136), (27, 256)].iter().find(|(limb, _)| *limb == i).map_or(0, |(_, p)| *p);
            let before = if i == 0 { 0 } else { carries[i - 1] };
            let after = carries.get(i).copied().unwrap_or(0);
            assert_eq!(folded(&c, i) + before - k * of_prime, 512 * after, "limb {i} of {a:?} * {b:?}");
        }
        for (item, value) in row.iter().enumerate() {
            assert!((-(1 << 19)..1 << 19).contains(value), "{value}");
            uses[((item % 8) << 20) + (value + (1 << 19)) as usize] += 1;
        }
    }
    assert!(uses.iter().zip(&counters[0]).all(|(uses, counted)| *uses == counted.value()));
}

#[test]
fn small_felts_are_what_their_columns_say() {
    let component = record(10, |machine| {
        let limbs = felt_limbs(machine, felt_of_words27(machine.recorder().inputs(0, 10)));
        let small = small_from_limbs(machine, limbs);
        machine.columns(small.columns);
        machine.signed_columns(small.value);
    });
    let border = 1i64 << 29;
    let values =
        [0, 1, -1, 2, -2, 511, -511, -512, -513, border - 1, border - 2, -border - 1, -border, 1 - border, 1 << 28, 77];
    let felt = |value: i64| match BigInt::from(value).into_parts() {
        (Sign::Minus, value) => prime() - value,
        (_, value) => value,
    };
    let entries: Vec<_> = values.iter().map(|value| words(&felt(*value))).collect();
    let Made { rows, .. } = run(&component.unwrap(), &entries).unwrap();
    for (row, value) in rows.iter().zip(values) {
        let [msb, mid, low @ .., rem, top, signed] = &row[..] else { panic!("{} columns", row.len()) };
        assert_eq!((*signed, *top), (value, rem >> 1));
        // The limbs that the AIR looks up for these columns.
        let mut limbs = low.to_vec();
        limbs.push(rem + 508 * mid);
        limbs.extend([511 * mid; 17]);
        limbs.extend([136 * msb - mid, 0, 0, 0, 0, 0, 256 * msb]);
        let expected: Vec<_> = digits(&felt(value), 9, LIMBS).into_iter().map(i64::from).collect();
        assert_eq!(limbs, expected, "{value}");
    }
}

#[test]
fn only_felts_below_the_prime_are_reduced() {
    let component = record(10, |machine| {
        let limbs = felt_limbs(machine, felt_of_words27(machine.recorder().inputs(0, 10)));
        machine.columns(reduced(machine, limbs));
        machine.columns(distance_from_prime(machine, limbs));
    });
    let component = component.unwrap();
    let felts = felts();
    let Made { rows, .. } = run(&component, &felts.iter().map(words).collect::<Vec<_>>()).unwrap();
    for (row, felt) in rows.iter().zip(&felts) {
        let limbs = digits(felt, 9, LIMBS);
        let (hi, both) = (limbs[27] == 256, limbs[27] == 256 && limbs[21] == 136);
        let rc = if hi { 120 + i64::from(limbs[21]) - i64::from(both) } else { 0 };
        assert_eq!(row[..3], [i64::from(hi), i64::from(both), rc], "{felt}");
        assert!(row[3] > 0, "{felt}");
    }
    let Made { rows, .. } = run(&component, &[words(&prime())]).unwrap();
    assert_eq!(rows[0][3], 0, "the prime is at no distance from itself");
    for beyond in [prime() + (BigUint::one() << 192), prime() + (BigUint::one() << 243)] {
        let error = run(&component, &[words(&beyond)]).expect_err("limbs beyond the prime");
        assert!(error.to_string().contains("counter 0"), "{error}");
    }
}
