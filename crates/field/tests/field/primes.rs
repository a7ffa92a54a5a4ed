//! Reduction of integers, constants and roots of unity.

use field::{CM31, Field, Goldilocks, M31, PrimeField, QM31, TwoAdicField};
use p3_field::{PrimeField64, TwoAdicField as _};
use proptest::prelude::*;

use crate::inputs::{edges, raw};

/// Every way from an integer into the field and back.
fn check_integer<F: PrimeField>(value: u64) {
    let reduced = value % F::ORDER;
    let element = F::from_u64(value);
    assert_eq!(element.as_u64(), reduced, "{value}");
    assert!(element.is_canonical());
    assert_eq!(F::from_canonical(reduced), Some(element));
    assert_eq!(F::from_canonical(value).is_some(), value < F::ORDER, "{value}");
    assert_eq!(element.to_string(), reduced.to_string());
    assert_eq!(format!("{element:?}"), reduced.to_string());
}

#[test]
fn orders() {
    assert_eq!(u128::from(Goldilocks::ORDER), (1_u128 << 64) - (1 << 32) + 1);
    assert_eq!(M31::ORDER, (1 << 31) - 1);
}

#[test]
fn integers_at_the_edges() {
    edges::<Goldilocks>().into_iter().for_each(check_integer::<Goldilocks>);
    edges::<M31>().into_iter().for_each(check_integer::<M31>);
    for value in edges::<M31>().into_iter().filter_map(|value| u32::try_from(value).ok()).chain([u32::MAX]) {
        assert_eq!(u64::from(M31::new(value).value()), u64::from(value) % M31::ORDER);
        assert_eq!(M31::from(value), M31::new(value));
        assert_eq!(Goldilocks::from(value).value(), u64::from(value));
    }
    for value in edges::<Goldilocks>() {
        assert_eq!(Goldilocks::new(value).value(), value % Goldilocks::ORDER);
        assert_eq!(Goldilocks::from(value), Goldilocks::new(value));
    }
}

#[test]
fn wide_reduction_at_the_edges() {
    for high in edges::<Goldilocks>() {
        for low in edges::<Goldilocks>() {
            let value = u128::from(high) << 64 | u128::from(low);
            let expected = value % u128::from(Goldilocks::ORDER);
            assert_eq!(u128::from(Goldilocks::from_u128(value).value()), expected, "{value}");
        }
    }
}

proptest! {
    #[test]
    fn integers(value in raw::<Goldilocks>(), wide: u128) {
        check_integer::<Goldilocks>(value);
        check_integer::<M31>(value);
        let expected = wide % u128::from(Goldilocks::ORDER);
        prop_assert_eq!(u128::from(Goldilocks::from_u128(wide).value()), expected);
    }
}

#[test]
fn roots_of_unity() {
    assert_eq!(Goldilocks::two_adic_generator(32).value(), 1_753_635_133_440_165_772);
    assert_eq!(Goldilocks::two_adic_generator(0), Goldilocks::ONE);
    assert_eq!(Goldilocks::two_adic_generator(1), -Goldilocks::ONE);
    for bits in 1..=Goldilocks::TWO_ADICITY {
        let root = Goldilocks::two_adic_generator(bits);
        assert_eq!(root.pow(1 << bits), Goldilocks::ONE);
        assert_eq!(root.pow(1 << (bits - 1)), -Goldilocks::ONE, "the order is exactly 2^{bits}");
        assert_eq!(root.square(), Goldilocks::two_adic_generator(bits - 1));
    }
    assert_eq!(Goldilocks::TWO_ADICITY, (Goldilocks::ORDER - 1).trailing_zeros());
    // Plonky3 fixed another root, so only the subgroups agree: theirs is a power of ours.
    let theirs = Goldilocks::new(p3_goldilocks::Goldilocks::two_adic_generator(10).as_canonical_u64());
    let ours = Goldilocks::two_adic_generator(10);
    assert!((0..1024).any(|k| ours.pow(k) == theirs));
}

#[test]
#[should_panic(expected = "no root of unity of order 2^33")]
fn roots_of_unity_end_at_32() {
    let _ = Goldilocks::two_adic_generator(33);
}

#[test]
fn the_generator_generates() {
    // p - 1 = 2^32 * 3 * 5 * 17 * 257 * 65537.
    let primes = [2, 3, 5, 17, 257, 65537];
    assert_eq!(primes[1..].iter().product::<u64>() << 32, Goldilocks::ORDER - 1);
    for prime in primes {
        assert_ne!(Goldilocks::GENERATOR.pow((Goldilocks::ORDER - 1) / prime), Goldilocks::ONE);
    }
}

/// The moduli are irreducible: each extension adjoins an element that is not already there.
#[test]
fn extensions_are_fields() {
    // 2 is not a cube mod p.
    assert_ne!(Goldilocks::new(2).pow((Goldilocks::ORDER - 1) / 3), Goldilocks::ONE);
    // -1 is not a square in M31, 2 + i not in CM31: its norm to M31 is 5, which is not a square.
    assert_eq!((-M31::ONE).pow((M31::ORDER - 1) / 2), -M31::ONE);
    assert_eq!(M31::new(5).pow((M31::ORDER - 1) / 2), -M31::ONE);
    let i = CM31::new(M31::ZERO, M31::ONE);
    assert_eq!(i.square(), -CM31::ONE);
    let u = QM31::from_cm31(CM31::ZERO, CM31::ONE);
    assert_eq!(u.square(), QM31::from(CM31::from(M31::new(2)) + i));
}
