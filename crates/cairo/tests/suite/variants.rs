//! The preprocessed columns that hold a run.

use cairo::air_1_3::Air13;
use cairo::preprocessed::Variant::{Canonical, CanonicalSmall, CanonicalWithoutPedersen};
use cairo::witness::{check_variant, smallest_variant};
use cairo_run::Reason;

use super::witness::run;

#[test]
fn the_smallest_is_taken() {
    let is = |name: &str, variant| assert_eq!(smallest_variant::<Air13>(&run(name)).unwrap(), variant, "{name}");
    for name in ["bitwise_40", "fib_10", "modops_5_20", "pedersen_20", "poseidon_20", "range_check96_30", "tiny"] {
        is(name, CanonicalSmall);
    }
    is("builtins_3", Canonical);
    is("ec_op_3", CanonicalWithoutPedersen);
}

#[test]
fn what_does_not_fit_is_refused() {
    let reason = |name: &str, variant| check_variant::<Air13>(&run(name), variant).unwrap_err().reason;
    assert_eq!(reason("ec_op_3", CanonicalSmall), Reason::Preprocessed);
    assert_eq!(reason("pedersen_20", CanonicalWithoutPedersen), Reason::Preprocessed);
    // 2^20 + 1 different values need more rows than the small columns number.
    let mut input = run("fib_10");
    input.memory.small_values = (0..(1 << 20) + 1).collect::<Vec<_>>().into();
    assert!(check_variant::<Air13>(&input, CanonicalSmall).is_err());
    assert_eq!(smallest_variant::<Air13>(&input).unwrap(), CanonicalWithoutPedersen);
    input.memory.small_values.truncate(1 << 20);
    assert_eq!(smallest_variant::<Air13>(&input).unwrap(), CanonicalSmall);
    assert!(check_variant::<Air13>(&input, Canonical).is_ok());
}
