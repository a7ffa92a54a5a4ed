//! The combination and its multipliers against the formulas as they are written in the protocol, with polynomials of
//! lambdaworks-math.

use crate::common::{Shapes, Stark, ext, random_trace, rng};
use air::{Air, AirBuilder, AirError, Column, GroupRole, Layout, MAX_FACTORS, RecordedAir, Rows, Trace, record};
use field::lambdaworks::GoldilocksField;
use field::{ExtensionField, Field, Fp3, Goldilocks, TwoAdicField};
use gpu_hal::GoldilocksStark;
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::polynomial::Polynomial;

/// The generator of the extension.
const W: Fp3 = Fp3::new(Goldilocks::ZERO, Goldilocks::ONE, Goldilocks::ZERO);

type Element = FieldElement<GoldilocksField>;

/// The polynomial through a column, by lambdaworks' inverse FFT.
fn interpolate(column: &[Goldilocks]) -> Vec<Goldilocks> {
    let values: Vec<Element> = column.iter().map(|&x| Element::from(x)).collect();
    let polynomial = Polynomial::interpolate_fft::<GoldilocksField>(&values).expect("a power of two of values");
    polynomial.coefficients().iter().map(|x| *x.value()).collect()
}

fn horner<E: ExtensionField<Goldilocks>>(coefficients: &[Goldilocks], x: E) -> E {
    coefficients.iter().rev().fold(E::ZERO, |sum, &c| sum * x + E::from(c))
}

/// `Z_t(x)` exactly as section 4 has it.
fn naive_multiplier<E: ExtensionField<Goldilocks>>(rows: &Rows, log_n: u32, x: E) -> E {
    let (n, g) = (1u64 << log_n, Goldilocks::two_adic_generator(log_n));
    let (period, offset) = (rows.period() as u64, rows.offset() as u64);
    let mut numerator = E::ONE;
    for k in 1..=rows.end_exemptions() as u64 {
        numerator *= x - E::from(g.pow(offset + n - k * period));
    }
    if let Some((q, u)) = rows.exempted() {
        let (q, u) = (q as u64, u as u64);
        numerator *= x.pow(n / q) - E::from(g.pow(u * n / q));
    }
    let zerofier = x.pow(n / period) - E::from(g.pow(offset * n / period));
    numerator * zerofier.inverse().expect("x is out of domain")
}

fn check<E: ExtensionField<Goldilocks>>(shapes: &Shapes, seed: u64) {
    let mut rng = rng(seed);
    let log_n = shapes.log_n;
    let recorded: RecordedAir<GoldilocksStark<E>> = record(shapes).expect("legal");
    let g = Goldilocks::two_adic_generator(log_n);
    let columns: Vec<Vec<Goldilocks>> = {
        let trace = random_trace(&mut rng, shapes.rows.len(), log_n);
        (0..trace.width()).map(|j| interpolate(trace.column(j))).collect()
    };
    let (z, beta): (E, E) = (ext(&mut rng), ext(&mut rng));
    let at = |column: usize, offset: usize| horner(&columns[column], z * g.pow(offset as u64));
    let mut expected = E::ZERO;
    for (k, rows) in shapes.rows.iter().enumerate() {
        let value = at(k, 1) * at(k, 0) - at((k + 1) % columns.len(), 0);
        expected += beta.pow(k as u64) * naive_multiplier(rows, log_n, z) * value;
    }
    for (j, &row) in shapes.boundaries.iter().enumerate() {
        let weight = beta.pow((shapes.rows.len() + j) as u64);
        let denominator = z - E::from(g.pow(row as u64));
        let difference = at(0, 0) - E::from(Goldilocks::new(row as u64 + 5));
        expected += weight * difference * denominator.inverse().expect("z is out of domain");
    }
    let combination = recorded.combination(beta);
    let params = recorded.params(&[]).expect("no challenges");
    let composition = recorded
        .composition_at(z, &params, &combination, |column, offset| match column {
            Column::Main(column) => at(column, offset),
            Column::Aux(_) => unreachable!("no auxiliary columns"),
        })
        .expect("z is out of domain");
    assert_eq!(composition, expected, "{shapes:?}");
    for group in &combination.groups {
        assert!(group.multiplier.factors.len() <= MAX_FACTORS + 2, "{shapes:?}");
    }
    check_exemption_columns(&recorded);
}

/// The coefficients against the product of the linear factors.
fn check_exemption_columns<E: ExtensionField<Goldilocks>>(recorded: &RecordedAir<GoldilocksStark<E>>) {
    let (n, g) = (recorded.trace_length(), Goldilocks::two_adic_generator(recorded.log_trace_length()));
    let coefficients = recorded.exemption_coefficients();
    let count = 1 << recorded.log_exemption_coefficients();
    assert_eq!(coefficients.len(), count * recorded.exemptions().len());
    let most = recorded.exemptions().iter().map(Rows::end_exemptions).max().unwrap_or(0);
    assert!(most < count && count <= n && (most == 0 || count <= 2 * most), "{most} exempt rows, {count} coefficients");
    assert_eq!(recorded.groups().contains(&GroupRole::Exemptions), !coefficients.is_empty());
    for (rows, column) in recorded.exemptions().iter().zip(coefficients.chunks_exact(count)) {
        let mut product = Polynomial::new(&[Element::one()]);
        for k in 1..=rows.end_exemptions() {
            let root = g.pow((rows.offset() + n - k * rows.period()) as u64);
            product = product * Polynomial::new(&[-Element::from(root), Element::one()]);
        }
        let mut expected: Vec<Goldilocks> = product.coefficients().iter().map(|x| *x.value()).collect();
        expected.resize(count, Goldilocks::ZERO);
        assert_eq!(column, expected, "{rows:?}");
    }
}

#[test]
fn end_exemptions_of_every_size() {
    for log_n in [2, 4, 6] {
        for e in 0..=1usize << log_n {
            check::<Fp3>(&Shapes::new(log_n, vec![Rows::all().except_last(e)]), e as u64);
        }
    }
    // Constraints like fibonacci-rap's for steps = 2, n/2, n - 1.
    for e in [256, 130, 3] {
        check::<Fp3>(&Shapes::new(8, vec![Rows::all().except_last(e), Rows::all().except_last(1)]), e as u64);
    }
}

#[test]
fn periods_offsets_and_end_exemptions() {
    let n = 128usize;
    for period in [2, 4, 16, 64, 128] {
        for offset in [0, 1, period / 2, period - 1] {
            let count = n / period;
            for e in [0, 1, 5, 9, 10, count / 2, count.saturating_sub(9), count.saturating_sub(3), count - 1, count] {
                if e <= count {
                    let rows = Rows::all().every(period).from(offset).except_last(e);
                    check::<Fp3>(&Shapes::new(7, vec![rows]), (period * 1000 + offset * 10 + e) as u64);
                }
            }
        }
    }
}

#[test]
fn exemption_periods() {
    for (period, offset, e, q, u) in [
        (1, 0, 0, 16, 15),
        (1, 0, 3, 2, 1),
        (1, 0, 20, 4, 0),
        (1, 0, 60, 4, 3),
        (1, 0, 64, 8, 3),
        (4, 1, 2, 16, 5),
        (4, 1, 0, 4, 1),
        (4, 1, 12, 4, 1),
        (2, 1, 0, 64, 63),
        (64, 5, 0, 2, 0),
    ] {
        let rows = Rows::all().every(period).from(offset).except_last(e).except_every(q, u);
        check::<Fp3>(&Shapes::new(6, vec![rows]), (period + offset + e + q + u) as u64);
    }
}

#[test]
fn many_constraints_share_groups_and_columns() {
    let all = Rows::all();
    let rows = vec![
        all.except_last(1),
        all.except_last(20),
        all,
        all.except_last(1),
        all.except_last(20).except_every(4, 2),
        all.every(2).except_last(12),
        all.every(2).from(1).except_last(12),
        all.except_last(20),
    ];
    let shapes = Shapes { boundaries: vec![0, 63, 0, 5], ..Shapes::new(6, rows) };
    check::<Fp3>(&shapes, 1);
    check::<Goldilocks>(&shapes, 2);
    let recorded = record::<Stark, _>(&shapes).expect("legal");
    assert_eq!(recorded.exemptions().len(), 3, "one column for each distinct end");
    let combination = recorded.combination(W);
    let groups: Vec<Vec<usize>> =
        combination.groups.iter().map(|group| group.terms.iter().map(|term| term.0).collect()).collect();
    let expected: [&[usize]; 9] = [&[0, 3], &[1, 7], &[2], &[4], &[5], &[6], &[8, 10], &[9], &[11]];
    assert_eq!(groups, expected);
    let columns: Vec<_> = combination.groups.iter().map(|group| group.multiplier.column).collect();
    let column = |k| Some((1, k));
    assert_eq!(columns, [None, column(0), None, column(0), column(1), column(2), None, None, None]);
}

#[test]
fn an_unenforced_constraint_has_multiplier_one() {
    let rows = Rows::all().every(2).except_last(8);
    let recorded = record::<Stark, _>(&Shapes::new(4, vec![rows])).expect("legal");
    let combination = recorded.combination(Fp3::ONE);
    assert!(combination.groups[0].multiplier.factors.is_empty());
    assert_eq!(combination.groups[0].multiplier.column, None);
}

#[test]
fn points_of_the_trace_domain_are_refused() {
    let cell = |_, _| Fp3::ONE;
    for e in [0, 6, 16] {
        let recorded = record::<Stark, _>(&Shapes::new(4, vec![Rows::all().except_last(e)])).expect("legal");
        let combination = recorded.combination(Fp3::ONE);
        let params = recorded.params(&[]).expect("no challenges");
        // Row 0 is a boundary, so a pole whatever the transition does.
        assert_eq!(recorded.composition_at(Fp3::ONE, &params, &combination, cell), Err(AirError::PointInDomain));
    }
}

#[test]
fn a_foreign_combination_is_refused() {
    let large = record::<Stark, _>(&Shapes::new(6, vec![Rows::all().except_last(20); 3])).expect("legal");
    let small = record::<Stark, _>(&Shapes::new(6, vec![Rows::all()])).expect("legal");
    let params = small.params(&[]).expect("no challenges");
    let z = W;
    let result = small.composition_at(z, &params, &large.combination(z), |_, _| Fp3::ONE);
    assert!(matches!(result, Err(AirError::Combination(_))), "{result:?}");
    let result = small.composition_at(z, &[], &small.combination(z), |_, _| Fp3::ONE);
    assert_eq!(result, Err(AirError::Count { what: "parameters", given: 0, needed: 1 }));
}

/// Periodic columns of all lengths, at offsets beyond their period too.
struct Cycles {
    columns: Vec<Vec<Goldilocks>>,
}

impl Air<Stark> for Cycles {
    fn name(&self) -> &str {
        "cycles"
    }

    fn log_trace_length(&self) -> u32 {
        4
    }

    fn layout(&self) -> Layout {
        Layout { main_columns: 1, aux_columns: 0, frame_rows: 4, challenges: 0, composition_parts: 4 }
    }

    fn define(&self, builder: &AirBuilder<Stark>) {
        for (k, values) in self.columns.iter().enumerate() {
            let column = builder.periodic(values);
            builder.transition(builder.periodic_at(column, k % 4) * builder.main(0, k % 3), Rows::all());
        }
    }
}

#[test]
fn periodic_columns_at_a_point() {
    let mut rng = rng(9);
    let column = |length: usize| -> Vec<Goldilocks> {
        (0..length).map(|i| Goldilocks::new((i * i + 3 * length + 1) as u64)).collect()
    };
    let air = Cycles { columns: [8, 2, 1, 8, 16, 4, 16].map(column).to_vec() };
    let recorded = record(&air).expect("legal");
    let roles: Vec<GroupRole> = [0, 1, 2, 3, 4].map(|log_period| GroupRole::Periodic { log_period }).to_vec();
    assert_eq!(recorded.groups()[1..], roles);
    assert_eq!(recorded.periodic().iter().map(Trace::width).collect::<Vec<_>>(), [1, 1, 1, 2, 2]);
    let (z, beta): (Fp3, Fp3) = (ext(&mut rng), ext(&mut rng));
    let g = Goldilocks::two_adic_generator(4);
    let main = [ext(&mut rng), ext(&mut rng), ext(&mut rng), Fp3::ONE];
    let mut expected = Fp3::ZERO;
    for (k, values) in air.columns.iter().enumerate() {
        // Repeated to n values, the polynomial through them, at g^d z.
        let repeated: Vec<Goldilocks> = values.iter().copied().cycle().take(16).collect();
        let value = horner(&interpolate(&repeated), z * g.pow(k as u64 % 4));
        expected += beta.pow(k as u64) * value * main[k % 3];
    }
    expected *= (z.pow(16) - Fp3::ONE).inverse().expect("z is out of domain");
    let composition = recorded.composition_at(z, &[], &recorded.combination(beta), |_, offset| main[offset]);
    assert_eq!(composition, Ok(expected));
}
