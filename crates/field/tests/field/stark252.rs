//! Numbers that are reduced late against elements that are always reduced.

use field::stark252::lazy::{Number, canonical, folded, is_zero, minus, montgomery, multiple, plus, product, square};
use field::stark252::{Felt252, MODULUS, inverse};
use proptest::prelude::*;

/// Numbers below `2^256`, often next to multiples of p and to powers of two.
fn numbers() -> impl Strategy<Value = Number> {
    let near = (0u64..32, 0u64..3, any::<bool>()).prop_map(|(times, more, is_less)| {
        let number = multiple(times);
        if is_less { minus(number, [more.min(number[0]), 0, 0, 0]) } else { plus(number, [more, 0, 0, 0]) }
    });
    let power = (0u32..256).prop_map(|bit| {
        let mut number = [0; 4];
        number[bit as usize / 64] = 1 << (bit % 64);
        number
    });
    prop_oneof![4 => any::<Number>(), 2 => near, 1 => power, 1 => Just([u64::MAX; 4])]
}

fn exact(number: Number) -> Felt252 {
    Felt252::reduced(number)
}

fn is_below(number: Number, times: u64) -> bool {
    number.iter().rev().lt(multiple(times).iter().rev())
}

proptest! {
    #[test]
    fn numbers_are_those_of_elements(a in numbers(), b in numbers()) {
        let (x, y) = (montgomery(a), montgomery(b));
        prop_assert!(is_below(x, 2) && is_below(folded(a), 2));
        prop_assert_eq!(canonical(x), exact(a).limbs());
        prop_assert_eq!(exact(folded(a)), exact(a));
        prop_assert_eq!(canonical(product(x, y)), (exact(a) * exact(b)).limbs());
        prop_assert_eq!(canonical(square(x)), (exact(a) * exact(a)).limbs());
        prop_assert_eq!(canonical(plus(x, y)), (exact(a) + exact(b)).limbs());
        prop_assert_eq!(canonical(minus(plus(x, multiple(2)), y)), (exact(a) - exact(b)).limbs());
        // Any number and one below 2p.
        let (wide, narrow) = (product(a, y), product(y, a));
        prop_assert_eq!(canonical(wide), canonical(narrow));
        prop_assert!(is_below(wide, 3));
        prop_assert_eq!(square(a), product(a, a));
        prop_assert_eq!(is_zero(a), exact(a) == Felt252::ZERO);
    }

    #[test]
    fn a_number_times_its_inverse_is_1(a in numbers()) {
        let inverse = inverse(a);
        prop_assert!(is_below(inverse, 2));
        let one = if is_zero(a) { [0; 4] } else { [1, 0, 0, 0] };
        prop_assert_eq!(canonical(product(folded(a), inverse)), one);
    }
}

#[test]
fn the_modulus_is_the_prime() {
    assert_eq!(multiple(1), MODULUS);
    assert_eq!(Felt252::reduced(MODULUS), Felt252::ZERO);
}
