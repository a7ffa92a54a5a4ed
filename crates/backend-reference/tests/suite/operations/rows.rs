//! Row programs against numbers computed by hand or by the machine's own integers.

use backend_reference::CpuReference;
use field::{M31, PrimeField};
use gpu_hal::ir::{RowRecorder, Words};
use gpu_hal::{CircleStark, RowRun, StarkBackend};

use crate::operations::common::download;

/// Cairo's prime, `2^251 + 17 2^192 + 1`.
const PRIME: [u32; 8] = [1, 0, 0, 0, 0, 0, 17, 0x0800_0000];

fn numbers(elements: &[M31]) -> Vec<u64> {
    elements.iter().map(|element| element.as_u64()).collect()
}

fn elements(values: &[u64]) -> Vec<M31> {
    values.iter().map(|value| M31::from_u64(*value)).collect()
}

/// The words that `record` gives; they come in halves, of which every one is an element.
fn words(record: impl for<'r> FnOnce(&'r RowRecorder<M31>) -> Words<'r, M31>) -> Vec<u32> {
    let recorder = RowRecorder::new(0).with_modulus(PRIME);
    record(&recorder).iter().for_each(|word| recorder.columns(word.split(16, 2)));
    let program = recorder.finish().expect("a right program");
    let backend = CpuReference::<CircleStark>::new();
    let args = RowRun { program: &program, source: &[], period: 0, tables: &[], log_height: 0 };
    let made = backend.rows(&args, &mut []).expect("no fault");
    let halves = numbers(&download(&backend, &made.columns));
    halves.chunks_exact(2).map(|halves| (halves[0] | halves[1] << 16) as u32).collect()
}

fn of_u128(value: u128) -> Vec<u32> {
    (0..4).map(|k| (value >> (32 * k)) as u32).collect()
}

#[test]
fn vectors_go_word_by_word_and_wrap() {
    assert_eq!(words(|r| r.words(&[u32::MAX, 5]) + 2), [1, 7]);
    assert_eq!(words(|r| r.word(1) - r.words(&[2, 1])), [u32::MAX, 0]);
    assert_eq!(words(|r| r.words(&[1 << 31, 65537]) * r.words(&[3, 65537])), [1 << 31, 131_073]);
    assert_eq!(words(|r| r.words(&[12, 10]) & r.words(&[10, 12])), [8, 8]);
    assert_eq!(words(|r| r.words(&[12, 10]) | 1), [13, 11]);
    assert_eq!(words(|r| r.words(&[12, 10]) ^ 6), [10, 12]);
    assert_eq!(words(|r| r.words(&[3, 4]).equal(r.word(4))), [0, 1]);
    assert_eq!(words(|r| r.words(&[0, u32::MAX, 7]).less(r.word(7))), [1, 0, 0]);
    assert_eq!(words(|r| r.words(&[0x8000_0001, 1]) << 31), [1 << 31, 1 << 31]);
    assert_eq!(words(|r| r.words(&[0x8000_0001, 1]) >> 31), [1, 0]);
    assert_eq!(words(|r| r.words(&[0x8000_0000, (-5i32) as u32, 5]).sar(1)), [0xc000_0000, (-3i32) as u32, 2]);
    assert_eq!(words(|r| r.words(&[u32::MAX, 3]).sum()), [2]);
    assert_eq!(words(|r| r.select(r.word(2), r.words(&[1, 2]), r.words(&[3, 4]))), [1, 2]);
    assert_eq!(words(|r| r.select(r.word(0), r.words(&[1, 2]), r.words(&[3, 4]))), [3, 4]);
    assert_eq!(words(|r| r.pack(&[r.words(&[1, 2, 3]).slice(1, 2), r.word(9)])), [2, 3, 9]);
    // (1 + 2x + 3x^2)(4 + 5x)
    assert_eq!(words(|r| r.words(&[1, 2, 3]).convolve(r.words(&[4, 5]))), [4, 13, 22, 15]);
}

#[test]
fn digits_are_cut_and_joined() {
    let value = 0x0123_4567_89ab_cdef_0f1e_2d3c_4b5a_6978_u128;
    for bits in [1, 7, 9, 16, 27, 31, 32] {
        let count = (128u32.div_ceil(bits) + 1).min(64);
        let digits: Vec<u32> = (0..count)
            .map(|k| value.checked_shr(bits * k).unwrap_or(0) as u64 & ((1 << bits) - 1))
            .map(|digit| digit as u32)
            .collect();
        assert_eq!(words(|r| r.words(&of_u128(value)).split(bits, count as usize)), digits, "{bits} bits");
        let covered = if bits * count >= 128 { u128::MAX } else { (1 << (bits * count)) - 1 };
        assert_eq!(words(|r| r.words(&digits).join(bits, 4)), of_u128(value & covered), "{bits} bits");
    }
    // Bits of a word above a digit's, and bits of the integer beyond its words, are dropped.
    assert_eq!(words(|r| r.words(&[0xfff, 0xfff]).join(9, 1)), [0x3_ffff]);
    assert_eq!(words(|r| r.words(&[1, 1, 0xff]).join(16, 1)), [0x1_0001]);
}

#[test]
fn integers_are_those_of_the_machine() {
    let numbers = [0, 1, 5, u128::from(u64::MAX), u128::MAX, 1 << 127, 0x1234_5678_9abc_def0_0fed_cba9_8765_4321];
    for a in numbers {
        for b in numbers {
            let (sum, carry) = a.overflowing_add(b);
            let sum = [of_u128(sum), vec![u32::from(carry)]].concat();
            assert_eq!(words(|r| r.words(&of_u128(a)).int_add(r.words(&of_u128(b)))), sum);
            let difference = of_u128(a.wrapping_sub(b));
            assert_eq!(words(|r| r.words(&of_u128(a)).int_sub(r.words(&of_u128(b)))), difference);
            assert_eq!(words(|r| r.words(&of_u128(a)).int_less(r.words(&of_u128(b)))), [u32::from(a < b)]);
            let quotient = [a.checked_div(b), a.checked_rem(b)].map(|part| of_u128(part.unwrap_or(0))).concat();
            let made = words(|r| {
                let (quotient, remainder) = r.words(&of_u128(a)).int_div_rem(r.words(&of_u128(b)));
                r.pack(&[quotient, remainder])
            });
            assert_eq!(made, quotient, "{a} by {b}");
            let (low, high) = (a as u64, b as u64);
            let product = words(|r| r.words(&of_u128(a)[..2]).int_mul(r.words(&of_u128(b)[..2])));
            assert_eq!(product, of_u128(u128::from(low) * u128::from(high)));
        }
    }
}

#[test]
fn felts_wrap_at_the_prime() {
    let (zero, one) = ([0; 8], [1, 0, 0, 0, 0, 0, 0, 0]);
    let last = [0, 0, 0, 0, 0, 0, 17, 0x0800_0000];
    assert_eq!(words(|r| r.words(&last).felt_add(r.words(&one))), zero);
    assert_eq!(words(|r| r.words(&zero).felt_sub(r.words(&one))), last);
    assert_eq!(words(|r| r.words(&last).felt_mul(r.words(&last))), one);
    assert_eq!(words(|r| r.words(&zero).felt_inverse()), zero);
    assert_eq!(words(|r| r.words(&last).felt_inverse()), last);
    // (p + 1)/2 = 2^250 + 17 2^191 + 1.
    let half = [1, 0, 0, 0, 0, 1 << 31, 8, 1 << 26];
    assert_eq!(words(|r| r.words(&[2, 0, 0, 0, 0, 0, 0, 0]).felt_inverse()), half);
    // 2^128 2^128 = 2^256 = 32 (p - 17 2^192 - 1) = p - 544 2^192 - 32 modulo p.
    let power = [u32::MAX - 30, u32::MAX, u32::MAX, u32::MAX, u32::MAX, u32::MAX, 0xffff_fdf0, 0x07ff_ffff];
    assert_eq!(words(|r| r.words(&[0, 0, 0, 0, 1, 0, 0, 0]).felt_mul(r.words(&[0, 0, 0, 0, 1, 0, 0, 0]))), power);
}

#[test]
fn entries_tables_lists_and_counters_are_where_the_contract_says() {
    let recorder = RowRecorder::<M31>::new(2);
    let (table, counter, list) = (recorder.table(2), recorder.counter(), recorder.list(2, 2));
    let (a, b) = (recorder.input(0), recorder.input(1));
    recorder.columns(recorder.pack(&[recorder.row(), a, b]));
    // Row 7 is beyond the table and not read.
    recorder.columns(recorder.read_if(table, 1, a, a.less(recorder.word(4))));
    recorder.signed_columns(recorder.word(0) - a);
    recorder.column(a.element().inverse() * a.element());
    recorder.emit(list, 1, recorder.pack(&[a, b]));
    recorder.emit(list, 0, recorder.pack(&[b, a]));
    recorder.count_if(counter, recorder.pack(&[a, recorder.word(3)]), a.less(recorder.word(4)));
    let program = recorder.finish().expect("a right program");

    let backend = CpuReference::<CircleStark>::new();
    let upload = |values: &[u64], width, log| backend.upload(&elements(values), width, log).expect("a small table");
    // Entries (1, 10), (2, 20) and (0, 30), (7, 40) side by side; then (3, 50).
    let parts = [upload(&[1, 2, 10, 20, 0, 7, 30, 40], 4, 1), upload(&[3, 50], 2, 0)];
    let source = [parts[0].as_ref(), parts[1].as_ref()];
    let values = upload(&[0, 0, 0, 0, 100, 101, 102, 103], 2, 2);
    let tables = [values.as_ref()];
    // Two columns of two rows, one of them at the field's last element.
    let mut counter = upload(&[0, 0, 5, M31::ORDER - 1], 2, 1);
    let args = RowRun { program: &program, source: &source, period: 2, tables: &tables, log_height: 3 };
    let made = backend.rows(&args, &mut [counter.as_mut()]).expect("no fault");

    let (a, b) = ([1, 2, 0, 7, 3, 2, 1, 2], [10, 20, 30, 40, 50, 20, 10, 20]);
    let columns = numbers(&download(&backend, &made.columns));
    let columns: Vec<&[u64]> = columns.chunks_exact(8).collect();
    assert_eq!(columns[..3], [[0, 1, 2, 3, 4, 5, 6, 7], a, b]);
    assert_eq!(columns[3], [101, 102, 100, 0, 103, 102, 101, 102]);
    assert_eq!(columns[4], a.map(|a| numbers(&[-M31::from_u64(a)])[0]));
    assert_eq!(columns[5], a.map(|a| u64::from(a != 0)));
    let entries = numbers(&download(&backend, &made.lists[0]));
    assert_eq!(entries, [b, a, a, b].concat());
    // Place 3, which every row but one counts, has p - 1 before.
    assert_eq!(numbers(&download(&backend, &counter)), [1, 2, 5 + 3, 7]);
}
