//! Values to test with: a lot of edges, and anything.

use field::{ExtensionField, PrimeField};
use proptest::prelude::*;

/// Representatives around every place where a reduction could go wrong, canonical or not.
pub(crate) fn edges<F: PrimeField>() -> Vec<u64> {
    let p = F::ORDER;
    let mut edges = vec![u64::MAX, u64::MAX - 1, (p - 1) / 2, p.div_ceil(2)];
    for middle in [2, 1 << 16, 1 << 31, 1 << 32, 1 << 33, 1 << 62, 1 << 63, p] {
        edges.extend((middle - 2)..=(middle + 2));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// The edges as elements, each once.
pub(crate) fn edge_elements<F: PrimeField>() -> Vec<F> {
    let mut values: Vec<u64> = edges::<F>().into_iter().map(|raw| raw % F::ORDER).collect();
    values.sort_unstable();
    values.dedup();
    values.into_iter().map(|value| F::from_canonical(value).expect("reduced above")).collect()
}

/// Any `u64`, an edge half of the time.
pub(crate) fn raw<F: PrimeField>() -> impl Strategy<Value = u64> {
    prop_oneof![proptest::sample::select(edges::<F>()), any::<u64>(),]
}

/// An element whose coordinates are edges half of the time.
pub(crate) fn element<F: PrimeField, E: ExtensionField<F>>() -> impl Strategy<Value = E> {
    proptest::collection::vec(raw::<F>(), E::DEGREE).prop_map(|raws| {
        // Reduced by `%`, not by the code under test.
        let coordinates: Vec<F> =
            raws.into_iter().map(|raw| F::from_canonical(raw % F::ORDER).expect("reduced above")).collect();
        E::from_coordinates(&coordinates).expect("one coordinate per dimension")
    })
}
