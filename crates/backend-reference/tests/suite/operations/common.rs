//! Random data, conversions and shorthands of these tests.

use backend_reference::{CpuReference, ReferenceBuffer};
use field::lambdaworks::{Fp3Field, GoldilocksField};
use field::{ExtensionField, Fp3, Goldilocks, PrimeField};
use gpu_hal::{Basis, Columns, CosetDomain, EvalOrder, GoldilocksStark, StarkBackend};
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::polynomial::Polynomial;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

pub(crate) type Backend = CpuReference<GoldilocksStark>;
pub(crate) type Table<F> = Columns<ReferenceBuffer<F>>;
pub(crate) type LwBase = FieldElement<GoldilocksField>;
pub(crate) type LwExt = FieldElement<Fp3Field>;

/// Elements of which a quarter are next to the places where a carry or a reduction happens.
pub(crate) fn random<F: PrimeField>(seed: u64, len: usize) -> Vec<F> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    let edges = [0, 1, F::ORDER - 1, 0xFFFF_FFFF, 0x1_0000_0000, F::ORDER / 2];
    (0..len)
        .map(|_| {
            let value = if rng.random_ratio(1, 4) { edges[rng.random_range(0..edges.len())] } else { rng.random() };
            F::from_u64(value)
        })
        .collect()
}

pub(crate) fn random_ext(seed: u64, len: usize) -> Vec<Fp3> {
    random::<Goldilocks>(seed, 3 * len).chunks_exact(3).map(|c| Fp3::new(c[0], c[1], c[2])).collect()
}

/// Extension values as `DEGREE` base columns.
pub(crate) fn flatten<E: ExtensionField<Goldilocks>>(values: &[E]) -> Vec<Goldilocks> {
    (0..E::DEGREE).flat_map(|k| values.iter().map(move |value| value.coordinates()[k])).collect()
}

/// `DEGREE` base columns as extension values.
pub(crate) fn unflatten<E: ExtensionField<Goldilocks>>(columns: &[Goldilocks]) -> Vec<E> {
    let height = columns.len() / E::DEGREE;
    (0..height)
        .map(|row| {
            let coordinates: Vec<_> = (0..E::DEGREE).map(|k| columns[k * height + row]).collect();
            E::from_coordinates(&coordinates).expect("as many coordinates as the degree")
        })
        .collect()
}

pub(crate) fn download<B: StarkBackend>(
    backend: &B,
    table: &Columns<B::Buffer>,
) -> Vec<<B::P as gpu_hal::Protocol>::Base> {
    backend.download(table.as_ref(), 0..table.height()).expect("a whole table")
}

/// Natural order to storage order, and back.
pub(crate) fn bit_reversed<T: Clone>(values: &[T]) -> Vec<T> {
    let bits = values.len().ilog2();
    (0..values.len()).map(|i| values[field::bit_reverse(i, bits)].clone()).collect()
}

pub(crate) fn coset(shift: u64, log_size: u32) -> CosetDomain<Goldilocks> {
    CosetDomain::new(Goldilocks::new(shift), log_size)
}

pub(crate) fn evaluations<D>(domain: D, order: EvalOrder) -> Basis<D> {
    Basis::Evaluations { domain, order }
}

pub(crate) fn polynomial(coefficients: &[Goldilocks]) -> Polynomial<LwBase> {
    Polynomial::new(&coefficients.iter().map(|c| LwBase::from(*c)).collect::<Vec<_>>())
}

/// The polynomial of degree below the number of values with these values on a subgroup, natural order, by lambdaworks.
pub(crate) fn interpolate(values: &[Goldilocks]) -> Polynomial<LwBase> {
    let values: Vec<_> = values.iter().map(|c| LwBase::from(*c)).collect();
    Polynomial::interpolate_fft::<GoldilocksField>(&values).expect("a power of two")
}

/// Values on a coset in natural order, by lambdaworks.
pub(crate) fn evaluate(polynomial: &Polynomial<LwBase>, domain: CosetDomain<Goldilocks>) -> Vec<Goldilocks> {
    let size = Some(1 << domain.log_size);
    let values = Polynomial::evaluate_offset_fft::<GoldilocksField>(polynomial, 1, size, &LwBase::from(domain.shift));
    values.expect("a size that the field has").into_iter().map(Goldilocks::from).collect()
}

/// The points of a coset in natural order, each as a power of its own.
pub(crate) fn natural_points(domain: CosetDomain<Goldilocks>) -> Vec<Goldilocks> {
    use field::Field;
    (0..1u64 << domain.log_size).map(|i| domain.shift * domain.generator().pow(i)).collect()
}

/// The result of an operation that was asked for one.
pub(crate) fn one<T>(results: Vec<T>) -> T {
    let [one] = <[T; 1]>::try_from(results).unwrap_or_else(|results| panic!("{} results", results.len()));
    one
}
