//! Values at outside points, DEEP quotients and FRI folds, against polynomial arithmetic of lambdaworks.

use backend_reference::CpuReference;
use field::lambdaworks::GoldilocksField;
use field::{Field, Fp3, Goldilocks};
use gpu_hal::{Basis, CosetDomain, DeepTerm, EvalOrder, EvalRequest, GoldilocksStark, StarkBackend};
use lambdaworks_math::polynomial::Polynomial;

use crate::operations::common::{
    Backend, LwBase, LwExt, bit_reversed, coset, download, evaluate, evaluations, flatten, natural_points, one,
    polynomial, random, random_ext, unflatten,
};

#[test]
fn eval_at_is_horner_of_lambdaworks() {
    let backend: Backend = Backend::new();
    let points = random_ext(5, 3);
    for log_size in [0, 1, 4] {
        let size = 1 << log_size;
        let coefficients: Vec<Goldilocks> = random(u64::from(log_size), 3 * size);
        let expected: Vec<Vec<Fp3>> = points
            .iter()
            .map(|z| coefficients.chunks_exact(size).map(|c| polynomial(c).evaluate(&LwExt::from(*z)).into()).collect())
            .collect();
        let table = backend.upload(&coefficients, 3, log_size).expect("upload");
        let values = backend
            .eval_at(&[EvalRequest { columns: table.as_ref(), from: Basis::Coefficients, points: &points }])
            .map(one)
            .expect("values");
        assert_eq!(values, expected, "coefficients, 2^{log_size}");
        for order in [EvalOrder::Row, EvalOrder::Storage] {
            let from = evaluations(coset(7, log_size), order);
            let mut table = backend.upload(&coefficients, 3, log_size).expect("upload");
            backend.ntt(table.as_mut(), Basis::Coefficients, from).expect("ntt");
            assert_eq!(
                backend
                    .eval_at(&[EvalRequest { columns: table.as_ref(), from, points: &points }])
                    .map(one)
                    .expect("values"),
                expected,
                "{order:?}"
            );
        }
        // The first rows of an extension are the evaluations on the prefix domain.
        let domain = coset(3, log_size + 2);
        let extended = backend.lde(table.as_ref(), Basis::Coefficients, domain).expect("lde");
        let prefix = evaluations(domain.prefix(log_size), EvalOrder::Storage);
        assert_eq!(
            backend
                .eval_at(&[EvalRequest { columns: extended.as_ref(), from: prefix, points: &points }])
                .map(one)
                .expect("values"),
            expected,
            "prefix"
        );
    }
}

#[test]
fn eval_at_a_prefix_ignores_the_rows_behind_it() {
    let backend: Backend = Backend::new();
    let rows: Vec<Goldilocks> = random(8, 16);
    let table = backend.upload(&rows, 1, 4).expect("upload");
    let domain = coset(3, 2);
    let natural: Vec<LwBase> = bit_reversed(&rows[..4]).into_iter().map(LwBase::from).collect();
    let polynomial = Polynomial::interpolate_offset_fft::<GoldilocksField>(&natural, &LwBase::from(domain.shift))
        .expect("four values");
    let z = random_ext(9, 1)[0];
    let values = backend
        .eval_at(&[EvalRequest {
            columns: table.as_ref(),
            from: evaluations(domain, EvalOrder::Storage),
            points: &[z],
        }])
        .map(one)
        .expect("values");
    assert_eq!(values, vec![vec![Fp3::from(polynomial.evaluate(&LwExt::from(z)))]]);
}

#[test]
fn deep_quotient_is_polynomial_division() {
    let backend: Backend = Backend::new();
    let (log_size, domain) = (4, coset(3, 6));
    let columns: Vec<Vec<Goldilocks>> = (0..3).map(|seed| random(20 + seed, 1 << log_size)).collect();
    let upload = |columns: &[Vec<Goldilocks>]| {
        let table = backend.upload(&columns.concat(), columns.len(), log_size).expect("upload");
        backend.lde(table.as_ref(), Basis::Coefficients, domain).expect("lde")
    };
    let tables = [upload(&columns[..2]), upload(&columns[2..])];
    let (points, weights) = (random_ext(30, 2), random_ext(31, 4));
    // Column (0, 1) twice in the first term; the second sees all of them.
    let picks = [vec![(0, 1), (1, 0), (0, 1)], vec![(0, 0), (0, 1), (1, 0)]];

    let lift = |coefficients: &[Goldilocks], weight: Fp3| {
        let scaled: Vec<LwExt> = coefficients.iter().map(|c| LwExt::from(weight * *c)).collect();
        Polynomial::new(&scaled)
    };
    let mut terms = Vec::new();
    let mut quotient = Polynomial::<LwExt>::zero();
    for (point, picks) in points.iter().zip(picks) {
        let weighted: Vec<_> =
            picks.into_iter().zip(&weights).map(|((table, column), w)| (table, column, *w)).collect();
        let sum = weighted
            .iter()
            .fold(Polynomial::zero(), |sum, (table, column, weight)| sum + lift(&columns[2 * table + column], *weight));
        let value = sum.evaluate(&LwExt::from(*point));
        quotient = quotient + sum.ruffini_division(&LwExt::from(*point));
        terms.push(DeepTerm::<GoldilocksStark> {
            point: *point,
            weights: weighted,
            constant: value.into(),
            slope: Fp3::ZERO,
        });
    }
    let result = backend.deep_quotient(&[tables[0].as_ref(), tables[1].as_ref()], domain, &terms).expect("a quotient");
    let expected: Vec<Fp3> =
        natural_points(domain).into_iter().map(|x| quotient.evaluate(&LwExt::from(Fp3::from(x))).into()).collect();
    assert_eq!(unflatten::<Fp3>(&download(&backend, &result)), bit_reversed(&expected));
}

#[test]
fn deep_quotient_takes_any_constant_and_points_of_the_domain() {
    // With E = F a point can be in the domain; its inverse of zero is zero.
    let backend = CpuReference::<GoldilocksStark<Goldilocks>>::new();
    let domain = coset(3, 3);
    let values: Vec<Goldilocks> = random(50, 8);
    let table = backend.upload(&values, 1, 3).expect("upload");
    let (point, weight, constant) = (domain.shift * domain.generator(), Goldilocks::new(11), Goldilocks::new(12));
    let term = DeepTerm { point, weights: vec![(0, 0, weight)], constant, slope: Goldilocks::ZERO };
    let result = backend.deep_quotient(&[table.as_ref()], domain, &[term]).expect("a quotient");
    let points = bit_reversed(&natural_points(domain));
    let expected: Vec<_> = points
        .iter()
        .zip(&values)
        .map(|(x, value)| (weight * *value - constant) * (*x - point).inverse_or_zero())
        .collect();
    assert_eq!(expected.iter().filter(|x| x.is_zero()).count(), 1);
    assert_eq!(download(&backend, &result), expected);
    let nothing = backend.deep_quotient(&[], domain, &[]).expect("the empty sum");
    assert_eq!(download(&backend, &nothing), [Goldilocks::ZERO; 8]);
}

#[test]
fn fold_is_twice_the_even_plus_alpha_times_the_odd_coefficients() {
    let backend: Backend = Backend::new();
    for (log_degree, log_size) in [(0, 1), (1, 1), (1, 3), (4, 6)] {
        let domain = coset(3, log_size);
        let coefficients = random_ext(60 + u64::from(log_size), 1 << log_degree);
        let alpha = random_ext(61, 1)[0];
        let values = |coefficients: &[Fp3], domain: CosetDomain<Goldilocks>| -> Vec<Goldilocks> {
            flatten(coefficients)
                .chunks_exact(coefficients.len())
                .flat_map(|column| bit_reversed(&evaluate(&polynomial(column), domain)))
                .collect()
        };
        let zero = Fp3::ZERO;
        let folded: Vec<Fp3> = coefficients
            .chunks(2)
            .map(|pair| (pair[0] + alpha * pair.get(1).copied().unwrap_or(zero)).double())
            .collect();
        let layer = backend.upload(&values(&coefficients, domain), 3, log_size).expect("upload");
        let result = backend.fri_fold(layer.as_ref(), domain, alpha).expect("a fold");
        let half = CosetDomain::new(domain.shift.square(), log_size - 1);
        assert_eq!(
            download(&backend, &result),
            values(&folded, half),
            "2^{log_degree} coefficients, 2^{log_size} points"
        );
    }
}
