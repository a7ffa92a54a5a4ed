//! Values that generated kernels do not reduce to the end, on inputs whose products show it:
//! `(2^32 - 1)(2^32 + 1) = 2^64 - 1` fits in a word and is not canonical. Random elements would show it once in 2^32
//! products.

use backend_emulated::{Emulated, EmulatedDevice, NAME, Options};
use backend_reference::CpuReference;
use field::{Fp3, Goldilocks};
use gpu_hal::{Columns, Constraints, CosetDomain, GoldilocksStark, StarkBackend};
use hal_conformance::{Random, random_combination, random_program};

type P = GoldilocksStark;

const LOG_SIZE: u32 = 4;
const LOG_TRACE: u32 = 3;

fn element(random: &mut Random) -> Goldilocks {
    Goldilocks::new([u64::from(u32::MAX), (1 << 32) + 1, 0, 1][random.below(4)])
}

/// A random program on such inputs, with such parameters and weights. Equal seeds give equal cases.
fn evaluate<B: StarkBackend<P = P>>(backend: &B, seed: u64) -> gpu_hal::Result<Vec<Goldilocks>> {
    let random = &mut Random::new(seed);
    let program = random_program::<P>(random, 3, 40);
    let domain = CosetDomain::new(Goldilocks::new(7), LOG_SIZE);
    let mut combination = random_combination::<P>(random, &program, &domain, LOG_TRACE);
    let ext = |random: &mut Random| Fp3::new(element(random), element(random), element(random));
    for (_, weight) in combination.groups.iter_mut().flat_map(|group| &mut group.terms) {
        *weight = ext(random);
    }
    let mut tables = Vec::new();
    for group in 0..program.groups().len() {
        let width = program.base_width(group);
        let data: Vec<Goldilocks> = (0..width << LOG_SIZE).map(|_| element(random)).collect();
        tables.push(backend.upload(&data, width, LOG_SIZE)?);
    }
    let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
    let params: Vec<Fp3> = (0..program.params()).map(|_| ext(random)).collect();
    let mut values = backend.constraint_eval(&[Constraints {
        program: &backend.prepare(&program)?,
        columns: &columns,
        domain,
        log_trace: LOG_TRACE,
        log_eval: LOG_SIZE,
        params: &params,
        combination: &combination,
    }])?;
    let values = values.remove(0);
    backend.download(values.as_ref(), 0..1 << LOG_SIZE)
}

#[test]
fn products_that_are_not_canonical_give_what_the_reference_gives() {
    let options = Options { generated_operations: 4_000, ..Options::default() };
    let device = EmulatedDevice::new(options).expect("a C++ compiler");
    let (emulated, reference) = (Emulated::<P>::new(NAME, device).expect("a backend"), CpuReference::<P>::new());
    for seed in 0..60 {
        let expected = evaluate(&reference, seed).expect("the reference evaluates all programs");
        assert_eq!(evaluate(&emulated, seed).expect("a generated kernel"), expected, "program {seed}");
    }
}
