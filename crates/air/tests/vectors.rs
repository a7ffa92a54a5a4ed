//! Every AIR against the reference prover's intermediates: traces, auxiliary columns, coefficients, the composition on the
//! whole LDE domain, and the equation that the verifier checks at z.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use air::{Column, ExampleAir, airs, build_aux, check_trace, record};
use field::{ExtensionField, Fp3, Goldilocks, TwoAdicField, powers};
use gpu_hal::GoldilocksStark;
use serde_json::Value;

fn load(name: &str) -> Value {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../vectors/goldilocks").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("valid JSON")
}

fn base(value: &Value) -> Goldilocks {
    Goldilocks::new(value.as_str().expect("a decimal string").parse().expect("a u64"))
}

fn ext<E: ExtensionField<Goldilocks>>(value: &Value) -> E {
    let coordinates = value.as_array().map_or_else(|| vec![base(value)], |list| list.iter().map(base).collect());
    E::from_coordinates(&coordinates).expect("as many coordinates as the extension has")
}

fn list<T>(value: &Value, item: impl Fn(&Value) -> T) -> Vec<T> {
    value.as_array().map_or_else(Vec::new, |items| items.iter().map(item).collect())
}

fn check<E: ExtensionField<Goldilocks>>(name: &str) {
    let (outer, inner) = (load(&format!("{name}.json")), load(&format!("{name}.inner.json")));
    let params = &outer["params"];
    let number = |key: &str| params[key].as_u64();
    let n = number("trace_length").expect("trace_length");
    let air_name = outer["air"].as_str().expect("air");
    let air: Arc<dyn ExampleAir<GoldilocksStark<E>>> = match (number("steps"), number("composition_parts")) {
        (Some(steps), Some(parts)) if parts != 1 => {
            Box::new(airs::FibonacciRap::new(n, steps).expect("legal").with_parts(parts as usize))
        }
        (steps, _) => {
            let given: BTreeMap<String, u64> = steps.into_iter().map(|steps| ("steps".to_owned(), steps)).collect();
            airs::build(air_name, n, &given).expect("a legal AIR")
        }
    };
    let recorded = record(air.as_ref()).expect("records");
    assert_eq!(recorded.name(), air_name);
    assert_eq!(Some(recorded.layout().composition_parts as u64), number("composition_parts"), "{name}");

    // Round 1.
    let main = air.trace();
    let expected = list(&outer["main_trace_columns"], |column| list(column, base));
    assert_eq!((0..main.width()).map(|j| main.column(j).to_vec()).collect::<Vec<_>>(), expected, "{name}: main");
    let challenges: Vec<E> = list(&outer["rap_challenges"], ext);
    let aux = build_aux(&recorded, air.as_ref(), &main, &challenges).expect("fits");
    assert_eq!(aux, list(&outer["aux_trace_columns"], |column| list(column, ext)), "{name}: aux");
    check_trace(&recorded, air.as_ref(), &main, &challenges).expect("an honest trace");

    // Coefficients.
    let beta: E = ext(&outer["beta"]);
    let combination = recorded.combination(beta);
    let mut weights: Vec<(usize, E)> = combination.groups.iter().flat_map(|group| group.terms.clone()).collect();
    weights.sort_by_key(|(index, _)| *index);
    let mut expected: Vec<E> = list(&outer["transition_coefficients"], ext);
    assert_eq!(expected.len(), recorded.transitions().len());
    expected.extend(list(&outer["boundary_coefficients"], ext::<E>));
    assert_eq!(weights, expected.into_iter().enumerate().collect::<Vec<_>>(), "{name}: coefficients");

    // Round 2, at every point of the LDE domain.
    let b = number("blowup_factor").expect("blowup_factor") as usize;
    let shift = Goldilocks::new(number("coset_offset").expect("coset_offset"));
    let size = b << recorded.log_trace_length();
    let mut columns: Vec<Vec<E>> =
        list(&inner["lde_main_columns_natural_order"], |column| list(column, |x| E::from(base(x))));
    if recorded.layout().aux_columns == 1 {
        columns.push(list(&inner["lde_aux_column_natural_order"], ext));
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
    let expected: Vec<E> = list(&inner["composition_evaluations_natural_order"], ext);
    assert_eq!(expected.len(), size, "{name}");
    assert_eq!(composition, expected, "{name}: composition");

    // Round 3: the verifier's equation.
    let z: E = ext(&outer["z"]);
    let ood = list(&outer["trace_ood_rows"], |row| list(row, ext::<E>));
    assert_eq!(ood.len(), recorded.layout().frame_rows, "{name}");
    let parts: Vec<E> = list(&outer["composition_ood"], ext);
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
