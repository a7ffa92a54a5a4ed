//! The same battery for every pair of a field of ours and another implementation of it.

use field::{CM31, ExtensionField, Field, Fp3, Goldilocks, M31, PrimeField, QM31};
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::extensions::cubic::{CubicExtensionField, HasCubicNonResidue};
use lambdaworks_math::field::fields::mersenne31::extensions::{Degree2ExtensionField, Degree4ExtensionField};
use lambdaworks_math::field::fields::mersenne31::field::Mersenne31Field;
use lambdaworks_math::field::fields::u64_goldilocks_field::Goldilocks64Field;
use p3_field::{BasedVectorSpace, Field as _, PrimeField32, PrimeField64};
use proptest::prelude::*;
use stwo::core::fields::FieldExpOps;

use crate::inputs::{edge_elements, element};

/// `$to` and `$from` convert, `$inverse` inverts a value that is not zero, all of the other implementation.
macro_rules! battery {
    ($name:ident, $base:ty, $ours:ty, $theirs:ty, $to:expr, $from:expr, $inverse:expr) => {
        mod $name {
            use super::*;

            fn to(ours: $ours) -> $theirs {
                let convert: fn($ours) -> $theirs = $to;
                convert(ours)
            }

            fn from(theirs: $theirs) -> $ours {
                let convert: fn($theirs) -> $ours = $from;
                convert(theirs)
            }

            fn check_unary(a: $ours) {
                assert_eq!(from(to(a)), a, "conversion");
                assert_eq!(-a, from(-to(a)), "-{a}");
                assert_eq!(a.double(), from(to(a) + to(a)), "2 * {a}");
                assert_eq!(a.square(), from(to(a) * to(a)), "{a} squared");
                if a.is_zero() {
                    assert_eq!(a.inverse(), None);
                    assert_eq!(a.inverse_or_zero(), a);
                } else {
                    let invert: fn($theirs) -> $theirs = $inverse;
                    assert_eq!(a.inverse(), Some(from(invert(to(a)))), "1 / {a}");
                    assert_eq!(a.inverse(), Some(a.inverse_or_zero()));
                }
            }

            fn check_binary(a: $ours, b: $ours) {
                for result in [a + b, a - b, a * b] {
                    assert!(result.is_canonical(), "{result} from {a} and {b}");
                }
                assert_eq!(a + b, from(to(a) + to(b)), "{a} + {b}");
                assert_eq!(a - b, from(to(a) - to(b)), "{a} - {b}");
                assert_eq!(a * b, from(to(a) * to(b)), "{a} * {b}");
                let mut assigned = [a; 3];
                assigned[0] += b;
                assigned[1] -= b;
                assigned[2] *= b;
                assert_eq!(assigned, [a + b, a - b, a * b]);
            }

            #[test]
            fn edges() {
                // Every edge in every coordinate alone, and the full element.
                let edges: Vec<$ours> = edge_elements::<$base>()
                    .into_iter()
                    .flat_map(|edge| {
                        let degree = <$ours as ExtensionField<$base>>::DEGREE;
                        (0..degree)
                            .map(move |i| <$ours as ExtensionField<$base>>::basis(i) * edge)
                            .chain(<$ours as ExtensionField<$base>>::from_coordinates(&vec![edge; degree]))
                    })
                    .collect();
                for &a in &edges {
                    check_unary(a);
                    for &b in &edges {
                        check_binary(a, b);
                    }
                }
            }

            proptest! {
                #[test]
                fn anything(
                    a in element::<$base, $ours>(),
                    b in element::<$base, $ours>(),
                    exponent in prop_oneof![0..9_u64, any::<u64>()],
                ) {
                    check_unary(a);
                    check_binary(a, b);
                    // The power by their multiplications, bit by bit from the top.
                    let power = (0..64).rev().fold(to(<$ours>::ONE), |power, bit| {
                        let square = power.clone() * power;
                        if exponent >> bit & 1 == 1 { square * to(a) } else { square }
                    });
                    prop_assert_eq!(a.pow(exponent), from(power));
                    prop_assert_eq!(a.pow_two_to(5), a.pow(32));
                }
            }
        }
    };
}

type LwGoldilocks = FieldElement<Goldilocks64Field>;
type LwM31 = FieldElement<Mersenne31Field>;
type LwCM31 = FieldElement<Degree2ExtensionField>;
type LwQM31 = FieldElement<Degree4ExtensionField>;
type P3Goldilocks = p3_goldilocks::Goldilocks;
type P3M31 = p3_mersenne_31::Mersenne31;
type P3CM31 = p3_field::extension::Complex<P3M31>;
type P3QM31 = p3_mersenne_31::QM31;
type StwoM31 = stwo::core::fields::m31::M31;
type StwoCM31 = stwo::core::fields::cm31::CM31;
type StwoQM31 = stwo::core::fields::qm31::QM31;

fn goldilocks(value: u64) -> Goldilocks {
    Goldilocks::from_canonical(value).expect("the other implementation gave a canonical value")
}

fn m31(value: u32) -> M31 {
    M31::from_canonical(value.into()).expect("the other implementation gave a canonical value")
}

fn lw_m31(value: LwM31) -> M31 {
    // lambdaworks leaves p unreduced in places; its representative() does not.
    m31(value.representative())
}

fn lw_from_m31(value: M31) -> LwM31 {
    LwM31::from(u64::from(value.value()))
}

battery!(
    goldilocks_lambdaworks,
    Goldilocks,
    Goldilocks,
    LwGoldilocks,
    |a| LwGoldilocks::from(a.value()),
    |a| goldilocks(a.representative()),
    |a| a.inv().expect("not zero")
);
battery!(
    goldilocks_p3,
    Goldilocks,
    Goldilocks,
    P3Goldilocks,
    |a| P3Goldilocks::new(a.value()),
    |a| goldilocks(a.as_canonical_u64()),
    |a| a.inverse()
);

/// The residue of `w^3 = 2`.
#[derive(Clone, Debug)]
struct Two;

impl HasCubicNonResidue<Goldilocks64Field> for Two {
    fn residue() -> LwGoldilocks {
        LwGoldilocks::from(2)
    }
}

type LwCubic = FieldElement<CubicExtensionField<Goldilocks64Field, Two>>;

battery!(
    fp3_lambdaworks,
    Goldilocks,
    Fp3,
    LwCubic,
    |a| LwCubic::new(a.0.map(|c| LwGoldilocks::from(c.value()))),
    |a| Fp3(std::array::from_fn(|i| goldilocks(a.value()[i].representative()))),
    |a| a.inv().expect("not zero")
);

/// Polynomials of three coefficients over Plonky3's Goldilocks modulo `w^3 - 2`, by the definition.
#[derive(Clone, Copy)]
struct P3Cubic([P3Goldilocks; 3]);

impl std::ops::Add for P3Cubic {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + other.0[i]))
    }
}

impl std::ops::Sub for P3Cubic {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - other.0[i]))
    }
}

impl std::ops::Neg for P3Cubic {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|c| -c))
    }
}

impl std::ops::Mul for P3Cubic {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut product = [P3Goldilocks::new(0); 5];
        for (i, &a) in self.0.iter().enumerate() {
            for (j, &b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        let two = P3Goldilocks::new(2);
        Self([product[0] + two * product[3], product[1] + two * product[4], product[2]])
    }
}

impl P3Cubic {
    /// `x^(p^3 - 2) = x^(p - 2) (x^(p - 1))^p ((x^(p - 1))^p)^p ...`: simply the exponent in three base-p digits.
    /// `p^3 - 2 = (p - 1) p^2 + (p - 1) p + (p - 2)`.
    fn inverse(self) -> Self {
        let p = Goldilocks::ORDER;
        let power = |base: Self, exponent: u64| {
            (0..64).rev().fold(Self([1, 0, 0].map(P3Goldilocks::new)), |power, bit| {
                let square = power * power;
                if exponent >> bit & 1 == 1 { square * base } else { square }
            })
        };
        let to_p = power(self, p);
        let to_p_squared = power(to_p, p);
        power(to_p_squared, p - 1) * power(to_p, p - 1) * power(self, p - 2)
    }
}

battery!(
    fp3_schoolbook,
    Goldilocks,
    Fp3,
    P3Cubic,
    |a| P3Cubic(a.0.map(|c| P3Goldilocks::new(c.value()))),
    |a| Fp3(a.0.map(|c| goldilocks(c.as_canonical_u64()))),
    P3Cubic::inverse
);

battery!(m31_lambdaworks, M31, M31, LwM31, lw_from_m31, lw_m31, |a| a.inv().expect("not zero"));
battery!(m31_p3, M31, M31, P3M31, |a| P3M31::new(a.value()), |a| m31(a.as_canonical_u32()), |a| a.inverse());
battery!(m31_stwo, M31, M31, StwoM31, |a| StwoM31::from_u32_unchecked(a.value()), |a| m31(a.0), |a| {
    FieldExpOps::inverse(&a)
});

battery!(
    cm31_lambdaworks,
    M31,
    CM31,
    LwCM31,
    |a| LwCM31::new(a.0.map(lw_from_m31)),
    |a| CM31(a.value().map(lw_m31)),
    |a| a.inv().expect("not zero")
);
battery!(
    cm31_p3,
    M31,
    CM31,
    P3CM31,
    |a| P3CM31::new_complex(P3M31::new(a.re().value()), P3M31::new(a.im().value())),
    |a| CM31::new(m31(a.real().as_canonical_u32()), m31(a.imag().as_canonical_u32())),
    |a| a.inverse()
);
battery!(
    cm31_stwo,
    M31,
    CM31,
    StwoCM31,
    |a| StwoCM31::from_u32_unchecked(a.re().value(), a.im().value()),
    |a| CM31::new(m31(a.0.0), m31(a.1.0)),
    |a| FieldExpOps::inverse(&a)
);

battery!(
    qm31_lambdaworks,
    M31,
    QM31,
    LwQM31,
    |a| LwQM31::new([a.z0(), a.z1()].map(|z| LwCM31::new(z.0.map(lw_from_m31)))),
    |a| {
        let [z0, z1] = a.value();
        QM31::from_cm31(CM31(z0.value().map(lw_m31)), CM31(z1.value().map(lw_m31)))
    },
    |a| a.inv().expect("not zero")
);
battery!(
    qm31_p3,
    M31,
    QM31,
    P3QM31,
    |a| {
        let coordinates = a.0.map(|c| P3M31::new(c.value()));
        BasedVectorSpace::<P3M31>::from_basis_coefficients_slice(&coordinates).expect("degree 4")
    },
    |a| {
        let coordinates = BasedVectorSpace::<P3M31>::as_basis_coefficients_slice(&a);
        QM31(std::array::from_fn(|i| m31(coordinates[i].as_canonical_u32())))
    },
    |a| a.inverse()
);
battery!(
    qm31_stwo,
    M31,
    QM31,
    StwoQM31,
    |a| {
        let [a, b, c, d] = a.0.map(M31::value);
        StwoQM31::from_u32_unchecked(a, b, c, d)
    },
    |a| QM31(a.to_m31_array().map(|c| m31(c.0))),
    |a| FieldExpOps::inverse(&a)
);
