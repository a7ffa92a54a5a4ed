//! Every AIR against the reference prover's intermediates: traces, auxiliary columns, coefficients, the composition on
//! the whole LDE domain, and the equation that the verifier checks at z.

use air::{Column, build_aux, check_trace, record};
use field::{ExtensionField, Fp3, Goldilocks, TwoAdicField, powers};
use golden::goldilocks::{base, element, elements, vector};
use golden::list;
use gpu_hal::GoldilocksStark;

fn check<E: ExtensionField<Goldilocks>>(name: &str) {
    let vector = vector(name);
    let (outer, inner) = (&vector.json, vector.inner());
    let number = |key: &str| outer["params"][key].as_u64();
    let air = vector.case.air::<GoldilocksStark<E>>();
    let recorded = record(air.as_ref()).expect("records");
    assert_eq!(recorded.name(), vector.case.air);
    assert_eq!(Some(recorded.layout().composition_parts as u64), number("composition_parts"), "{name}");

    // Round 1.
    let main = air.trace();
    let expected = list(&outer["main_trace_columns"], |column| list(column, base));
    assert_eq!((0..main.width()).map(|j| main.column(j).to_vec()).collect::<Vec<_>>(), expected, "{name}: main");
    let challenges: Vec<E> = elements(&outer["rap_challenges"]);
    let aux = build_aux(&recorded, air.as_ref(), &main, &challenges).expect("fits");
    assert_eq!(aux, list(&outer["aux_trace_columns"], elements), "{name}: aux");
    check_trace(&recorded, air.as_ref(), &main, &challenges, 1).expect("an honest trace");

    // Coefficients.
    let beta: E = element(&outer["beta"]);
    let combination = recorded.combination(beta);
    let mut weights: Vec<(usize, E)> = combination.groups.iter().flat_map(|group| group.terms.clone()).collect();
    weights.sort_by_key(|(index, _)| *index);
    let mut expected: Vec<E> = elements(&outer["transition_coefficients"]);
    assert_eq!(expected.len(), recorded.transitions().len());
    expected.extend(elements::<E>(&outer["boundary_coefficients"]));
    assert_eq!(weights, expected.into_iter().enumerate().collect::<Vec<_>>(), "{name}: coefficients");

    // Round 2, at every point of the LDE domain.
    let b = number("blowup_factor").expect("blowup_factor") as usize;
    let shift = Goldilocks::new(number("coset_offset").expect("coset_offset"));
    let size = b << recorded.log_trace_length();
    let mut columns: Vec<Vec<E>> =
        list(&inner["lde_main_columns_natural_order"], |column| list(column, |x| E::from(base(x))));
    if recorded.layout().aux_columns == 1 {
        columns.push(elements(&inner["lde_aux_column_natural_order"]));
    }
    let at = |column: Column| match column {
        Column::Main(j) => j,
        Column::Aux(j) => recorded.layout().main_columns + j,
    };
    let values = recorded.params(&challenges).expect("as many challenges as declared");
    let composition: Vec<E> = powers(Goldilocks::two_adic_generator(size.trailing_zeros()))
        .take(size)
        .enumerate()
        .map(|(i, root)| {
            let cell = |column, offset: usize| columns[at(column)][(i + offset * b) % size];
            recorded.composition_at(E::from(shift * root), &values, &combination, cell).expect("not in the domain")
        })
        .collect();
    let expected: Vec<E> = elements(&inner["composition_evaluations_natural_order"]);
    assert_eq!(expected.len(), size, "{name}");
    assert_eq!(composition, expected, "{name}: composition");

    // Round 3: the verifier's equation.
    let z: E = element(&outer["z"]);
    let ood = list(&outer["trace_ood_rows"], elements::<E>);
    assert_eq!(ood.len(), recorded.layout().frame_rows, "{name}");
    let parts: Vec<E> = elements(&outer["composition_ood"]);
    assert_eq!(parts.len(), recorded.layout().composition_parts, "{name}");
    let left = recorded
        .composition_at(z, &values, &combination, |column, offset| ood[offset][at(column)])
        .expect("z is out of domain");
    assert_eq!(left, parts.iter().zip(powers(z)).map(|(&part, power)| part * power).sum(), "{name}: at z");
}

#[test]
fn fibonacci_rap() {
    check::<Fp3>("fibrap_fp3_n32_s16_b4_q3_c3_g1");
    check::<Fp3>("fibrap_fp3_n16_s15_b2_q5_c7_g0");
    check::<Fp3>("fibrap_fp3_n64_s40_b8_q4_c3_g8_seed");
    check::<Fp3>("fibrap_fp3_n32_s31_b4_q3_c3_g1_parts2");
}

#[test]
fn fibonacci_rap_without_extension() {
    check::<Goldilocks>("fibrap_base_n32_s16_b4_q3_c3_g1");
}

#[test]
fn simple_fibonacci() {
    check::<Fp3>("simple-fibonacci_n16_b4_q3_c3_g1");
}

#[test]
fn fibonacci_2_columns() {
    check::<Fp3>("fibonacci-2-columns_n16_b4_q3_c3_g1");
}

#[test]
fn quadratic() {
    check::<Fp3>("quadratic_n16_b4_q3_c3_g1");
}

#[test]
fn periodic() {
    check::<Fp3>("periodic_n16_b4_q3_c3_g1");
}

#[test]
fn read_only_memory() {
    check::<Fp3>("read-only-memory_n16_b4_q3_c3_g1");
}

#[test]
fn read_only_memory_logup() {
    check::<Fp3>("read-only-memory-logup_n16_b4_q3_c3_g1");
}

#[test]
fn bit_flags() {
    check::<Fp3>("bit-flags_n32_b4_q3_c3_g1");
}
