//! The text of kernels that are generated for row programs: every operation, in both dialects, of both fields.

use std::path::Path;

use backend_emulated::{Dialect, Emulated, EmulatedDevice, NAME, Options};
use backend_reference::{CpuReference, ReferenceProtocol};
use field::PrimeField;
use gpu_hal::decorate::Dual;
use gpu_hal::ir::RowRecorder;
use gpu_hal::{CircleStark, GoldilocksStark, RowProgram};
use gpu_runtime::GpuProtocol;
use hal_conformance::{HostTable, Random, RowCase, TestProtocol};

/// Cairo's prime.
const PRIME: [u32; 8] = [1, 0, 0, 0, 0, 0, 17, 0x0800_0000];

/// Every operation but division. `a` and `b` are felts of a random row of the table.
fn program<F: PrimeField>() -> RowProgram<F> {
    let recorder = RowRecorder::<F>::new(2);
    let recorder = recorder.with_modulus(PRIME);
    let table = recorder.table(8);
    let (counter, list) = (recorder.counter(), recorder.list(2, 2));
    let (row, index) = (recorder.row(), recorder.input(0) & 15);
    let words: Vec<_> = (0..8).map(|column| recorder.read(table, column, index)).collect();
    let small = recorder.read_if(table, 3, index + 16, index.less(recorder.word(0)));
    let a = recorder.pack(&[recorder.pack(&words[..7]), words[7] & 0x07ff_ffff]);
    let b = recorder.pack(&[a.slice(1, 7), recorder.input(1) & 0xffff]);
    let felts = [a.felt_add(b), a.felt_sub(b), a.felt_mul(b), a.felt_inverse(), recorder.words(&[0; 8]).felt_inverse()];
    felts.iter().for_each(|felt| recorder.signed_columns(*felt));
    let all = [a + b, a - b, a * b, a & b, a | b, a ^ b, a.equal(b), a.less(b), a << 7, a >> 9, a.sar(11)];
    all.iter().for_each(|words| recorder.columns(*words));
    recorder.columns(recorder.select(index & 1, a, b).convolve(b.slice(2, 3)));
    let digits = a.split(9, 28);
    recorder.columns(digits);
    recorder.columns(digits.join(9, 8) + digits.join(5, 3).sum() + small);
    recorder.columns(a.int_add(b));
    recorder.columns(a.int_sub(b));
    recorder.columns(a.int_less(b));
    recorder.columns(a.int_mul(b.slice(0, 3)));
    let (x, y) = (a.at(0).element(), b.at(3).signed());
    let zero = recorder.element(F::ZERO);
    for element in [x + y, x - y, x * y, y.inverse(), zero.inverse()] {
        recorder.column(element);
    }
    recorder.columns((row.element() + recorder.element(F::ONE)).word());
    recorder.emit(list, 1, recorder.pack(&[row, index]) & 0x3fff_ffff);
    recorder.emit(list, 0, recorder.pack(&[digits.at(3), a.at(2) & 0x3fff_ffff]));
    recorder.count(counter, recorder.pack(&[index, digits.at(5) & 15]));
    recorder.count_if(counter, row & 15, index & 2);
    recorder.assert("a digit is below 2^9", digits.at(27).less(recorder.word(512)));
    recorder.finish().expect("a program")
}

fn run<P: GpuProtocol + TestProtocol + ReferenceProtocol>(name: &str, dialect: Dialect) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("row-kernels-{name}"));
    let random = &mut Random::new(7);
    let table = |random: &mut Random, width, log_height| HostTable::<P::Base>::of_words(random, width, log_height);
    let case = RowCase {
        program: program::<P::Base>(),
        source: vec![table(random, 2, 5), table(random, 4, 3)],
        period: 3,
        tables: vec![table(random, 8, 4)],
        counters: vec![table(random, 1, 4)],
        log_height: 9,
    };
    let options = Options { dialect, generated_row_words: 5_000, cache: Some(folder.clone()), ..Options::default() };
    let backend = Emulated::<P>::new(NAME, EmulatedDevice::new(options).expect("a C++ compiler")).expect("a backend");
    case.run(&Dual::new(backend, CpuReference::<P>::new())).map(drop).expect("what the reference makes");
    let files = std::fs::read_dir(folder).expect("a cache").filter_map(Result::ok);
    let kernels = files.filter(|file| file.file_name().to_string_lossy().contains("row_program-")).count();
    assert!(kernels > 0, "the program was interpreted");
}

#[test]
fn of_circle() {
    run::<CircleStark>("circle", Dialect::Emulated);
    run::<CircleStark>("circle-metal", Dialect::METAL);
}

#[test]
fn of_goldilocks() {
    run::<GoldilocksStark>("goldilocks", Dialect::Emulated);
    run::<GoldilocksStark>("goldilocks-metal", Dialect::METAL);
}
