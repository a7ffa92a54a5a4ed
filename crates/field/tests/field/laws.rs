//! Laws that tie the parts of an interface together, for every field.

use field::{CM31, ExtensionField, Field, Fp3, Goldilocks, M31, PrimeField, QM31};
use proptest::prelude::*;

use crate::inputs::element;

macro_rules! laws {
    ($name:ident, $base:ty, $field:ty) => {
        mod $name {
            use super::*;

            const DEGREE: usize = <$field as ExtensionField<$base>>::DEGREE;

            #[test]
            fn constants() {
                assert_eq!(<$field>::default(), <$field>::ZERO);
                assert!(<$field>::ZERO.is_zero());
                assert!(!<$field>::ONE.is_zero());
                assert_eq!(<$field>::from(<$base>::ONE), <$field>::ONE);
                assert_eq!(size_of::<$field>(), DEGREE * size_of::<$base>());
                let sum: $field = std::iter::empty::<$field>().sum();
                let product: $field = std::iter::empty::<$field>().product();
                assert_eq!((sum, product), (<$field>::ZERO, <$field>::ONE));
            }

            #[test]
            fn foreign_bytes_are_recognised() {
                for bad in 0..DEGREE {
                    let mut bytes = vec![0_u8; size_of::<$field>()];
                    let width = size_of::<$base>();
                    // p itself: the smallest value that is not canonical.
                    bytes[bad * width..][..width].copy_from_slice(&<$base>::ORDER.to_le_bytes()[..width]);
                    let value: $field = bytemuck::pod_read_unaligned(&bytes);
                    assert!(!value.is_canonical());
                    // Arithmetic with it must not panic, whatever the result.
                    let _ = (value + value, value - value, value * value, -value, value.inverse());
                }
                let value: $field = bytemuck::pod_read_unaligned(&[0xFF_u8; size_of::<$field>()]);
                assert!(!value.is_canonical());
                let _ = (value + value, value - value, value * value, -value, value.inverse());
            }

            proptest! {
                #[test]
                fn ring(
                    a in element::<$base, $field>(),
                    b in element::<$base, $field>(),
                    c in element::<$base, $field>(),
                ) {
                    prop_assert_eq!((a * b) * c, a * (b * c));
                    prop_assert_eq!(a * (b + c), a * b + a * c);
                    prop_assert_eq!(a - b, a + -b);
                    prop_assert_eq!([a, b, c].iter().sum::<$field>(), a + b + c);
                    prop_assert_eq!([a, b, c].into_iter().product::<$field>(), a * b * c);
                }

                #[test]
                fn coordinates(a in element::<$base, $field>(), scalar in element::<$base, $base>()) {
                    let coordinates: &[$base] = a.coordinates();
                    prop_assert_eq!(coordinates.len(), DEGREE);
                    prop_assert_eq!(<$field>::from_coordinates(coordinates), Some(a));
                    prop_assert_eq!(<$field as ExtensionField<$base>>::from_coordinates(&coordinates[1..]), None);
                    let longer = [coordinates, coordinates].concat();
                    prop_assert_eq!(<$field as ExtensionField<$base>>::from_coordinates(&longer), None);
                    let rebuilt: $field = coordinates
                        .iter()
                        .enumerate()
                        .map(|(i, &c)| <$field as ExtensionField<$base>>::basis(i) * c)
                        .sum();
                    prop_assert_eq!(rebuilt, a);
                    // Mixed operations agree with operations on the embedded scalar.
                    let embedded = <$field>::from(scalar);
                    prop_assert_eq!(a + scalar, a + embedded);
                    prop_assert_eq!(a - scalar, a - embedded);
                    prop_assert_eq!(a * scalar, a * embedded);
                    prop_assert_eq!(embedded.as_base(), Some(scalar));
                    let in_base = coordinates[1..].iter().all(<$base>::is_zero);
                    prop_assert_eq!(ExtensionField::<$base>::as_base(&a), in_base.then_some(coordinates[0]));
                }
            }
        }
    };
}

laws!(goldilocks, Goldilocks, Goldilocks);
laws!(fp3, Goldilocks, Fp3);
laws!(m31, M31, M31);
laws!(cm31, M31, CM31);
laws!(qm31, M31, QM31);

proptest! {
    #[test]
    fn qm31_over_cm31(a in element::<M31, QM31>(), scalar in element::<M31, CM31>()) {
        let [z0, z1]: [CM31; 2] = a.coordinates().try_into().expect("degree 2");
        prop_assert_eq!((z0, z1), (a.z0(), a.z1()));
        prop_assert_eq!(QM31::from_coordinates(&[z0, z1]), Some(a));
        prop_assert_eq!(QM31::from_coordinates(&[z0]), None);
        let u = <QM31 as ExtensionField<CM31>>::basis(1);
        prop_assert_eq!(QM31::from(z0) + u * z1, a);
        prop_assert_eq!(a + scalar, a + QM31::from(scalar));
        prop_assert_eq!(a - scalar, a - QM31::from(scalar));
        prop_assert_eq!(a * scalar, a * QM31::from(scalar));
        // Conjugation is the automorphism that fixes CM31.
        prop_assert_eq!(a.conjugate() * u.conjugate(), (a * u).conjugate());
        prop_assert_eq!(ExtensionField::<CM31>::as_base(&(a * a.conjugate())).is_some(), true);
        prop_assert_eq!(z0.conjugate() * z1.conjugate(), (z0 * z1).conjugate());
        prop_assert_eq!(ExtensionField::<M31>::as_base(&(z0 * z0.conjugate())).is_some(), true);
    }
}

#[test]
#[should_panic(expected = "basis element 3 of an extension of degree 3")]
fn basis_is_bounded() {
    let _ = <Fp3 as ExtensionField<Goldilocks>>::basis(3);
}
