//! lambdaworks' polynomials and FFT over our markers.

use field::lambdaworks::{CM31Field, Fp3Field, GoldilocksField, M31Field, QM31Field};
use field::{CM31, ExtensionField, Field, Fp3, Goldilocks, M31, QM31, TwoAdicField};
use lambdaworks_math::errors::CreationError;
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::traits::{IsFFTField, IsField, IsPrimeField, IsSubFieldOf};
use lambdaworks_math::polynomial::Polynomial;
use proptest::prelude::*;

use crate::inputs::element;

/// `sum c_i x^i` from the highest coefficient down.
fn horner<E: ExtensionField<Goldilocks>>(coefficients: &[E], x: Goldilocks) -> E {
    coefficients.iter().rev().fold(E::ZERO, |sum, &c| sum * x + c)
}

/// Forward, forward on a coset, and back, with coefficients in `E`.
fn check_fft<E, M>(coefficients: &[E], offset: Goldilocks)
where
    E: ExtensionField<Goldilocks>,
    M: IsField<BaseType = E>,
    GoldilocksField: IsSubFieldOf<M>,
{
    let elements: Vec<FieldElement<M>> = coefficients.iter().copied().map(FieldElement::from_raw).collect();
    let polynomial = Polynomial::new(&elements);
    let blowup = 2;
    let size = coefficients.len().next_power_of_two() * blowup;
    let root = Goldilocks::two_adic_generator(size.trailing_zeros());

    let plain = Polynomial::evaluate_fft::<GoldilocksField>(&polynomial, blowup, Some(coefficients.len()))
        .expect("the domain is small");
    let shifted = Polynomial::evaluate_offset_fft::<GoldilocksField>(
        &polynomial,
        blowup,
        Some(coefficients.len()),
        &offset.into(),
    )
    .expect("the domain is small");
    assert_eq!((plain.len(), shifted.len()), (size, size));
    for (i, x) in field::powers(root).take(size).enumerate() {
        assert_eq!(*plain[i].value(), horner(coefficients, x), "point {i}");
        assert_eq!(*shifted[i].value(), horner(coefficients, offset * x), "point {i} of the coset");
    }

    assert_eq!(Polynomial::interpolate_fft::<GoldilocksField>(&plain).expect("invertible"), polynomial);
    assert_eq!(
        Polynomial::interpolate_offset_fft::<GoldilocksField>(&shifted, &offset.into()).expect("invertible"),
        polynomial
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn fft(
        coefficients in proptest::collection::vec(element::<Goldilocks, Goldilocks>(), 1..40),
        offset in element::<Goldilocks, Goldilocks>().prop_filter("a coset", |offset| !offset.is_zero()),
    ) {
        check_fft::<Goldilocks, GoldilocksField>(&coefficients, offset);
    }

    #[test]
    fn fft_of_an_extension(
        coefficients in proptest::collection::vec(element::<Goldilocks, Fp3>(), 1..40),
        offset in element::<Goldilocks, Goldilocks>().prop_filter("a coset", |offset| !offset.is_zero()),
    ) {
        check_fft::<Fp3, Fp3Field>(&coefficients, offset);
    }

    /// lambdaworks' polynomial division, modulo w^3 - 2, gives our product.
    #[test]
    fn fp3_is_polynomials_modulo_the_cubic(a in element::<Goldilocks, Fp3>(), b in element::<Goldilocks, Fp3>()) {
        type Element = FieldElement<GoldilocksField>;
        let polynomial = |value: Fp3| Polynomial::new(&value.0.map(Element::from));
        let modulus = Polynomial::new(&[-Element::from(2), Element::zero(), Element::zero(), Element::one()]);
        let (_, remainder) = (polynomial(a) * polynomial(b)).long_division_with_remainder(&modulus);
        prop_assert_eq!(remainder, polynomial(a * b));
    }
}

/// Operators of `FieldElement` over a marker against the operators of the scalar.
macro_rules! marker {
    ($name:ident, $base:ty, $scalar:ty, $marker:ty) => {
        proptest! {
            #[test]
            fn $name(
                a in element::<$base, $scalar>(),
                b in element::<$base, $scalar>(),
                small: u64,
            ) {
                type Element = FieldElement<$marker>;
                let (x, y) = (Element::from(a), Element::from(b));
                prop_assert_eq!(<$scalar>::from(x + y), a + b);
                prop_assert_eq!(<$scalar>::from(x - y), a - b);
                prop_assert_eq!(<$scalar>::from(x * y), a * b);
                prop_assert_eq!(<$scalar>::from(-x), -a);
                prop_assert_eq!(<$scalar>::from(x.square()), a.square());
                prop_assert_eq!(<$scalar>::from(x.double()), a + a);
                prop_assert_eq!(<$scalar>::from(x.pow(small)), a.pow(small));
                prop_assert_eq!(x.inv().ok().map(<$scalar>::from), a.inverse());
                prop_assert_eq!((x / y).ok().map(<$scalar>::from), b.inverse().map(|inverse| a * inverse));
                prop_assert_eq!(x == y, a == b);
                prop_assert_eq!(<$scalar>::from(Element::zero()), <$scalar>::ZERO);
                prop_assert_eq!(<$scalar>::from(Element::one()), <$scalar>::ONE);
                let embedded = <$scalar>::from(<$base as field::PrimeField>::from_u64(small));
                prop_assert_eq!(<$scalar>::from(Element::from(small)), embedded);
            }
        }
    };
}

marker!(goldilocks, Goldilocks, Goldilocks, GoldilocksField);
marker!(fp3, Goldilocks, Fp3, Fp3Field);
marker!(m31, M31, M31, M31Field);
marker!(cm31, M31, CM31, CM31Field);
marker!(qm31, M31, QM31, QM31Field);

/// Operators between a field and its extension.
macro_rules! subfield {
    ($name:ident, $prime:ty, $base:ty, $base_marker:ty, $extension:ty, $marker:ty) => {
        proptest! {
            #[test]
            fn $name(a in element::<$prime, $base>(), b in element::<$prime, $extension>()) {
                let (x, y) = (FieldElement::<$base_marker>::from(a), FieldElement::<$marker>::from(b));
                let embedded = <$extension>::from(a);
                prop_assert_eq!(<$extension>::from(x + y), embedded + b);
                prop_assert_eq!(<$extension>::from(x - y), embedded - b);
                prop_assert_eq!(<$extension>::from(x * y), embedded * b);
                prop_assert_eq!((x / y).ok().map(<$extension>::from), b.inverse().map(|inverse| embedded * inverse));
                prop_assert_eq!(<$extension>::from(x.to_extension::<$marker>()), embedded);
                let coordinates: Vec<$base> =
                    y.to_subfield_vec::<$base_marker>().into_iter().map(<$base>::from).collect();
                prop_assert_eq!(<$extension>::from_coordinates(&coordinates), Some(b));
            }
        }
    };
}

subfield!(goldilocks_in_fp3, Goldilocks, Goldilocks, GoldilocksField, Fp3, Fp3Field);
subfield!(m31_in_cm31, M31, M31, M31Field, CM31, CM31Field);
subfield!(m31_in_qm31, M31, M31, M31Field, QM31, QM31Field);
subfield!(cm31_in_qm31, M31, CM31, CM31Field, QM31, QM31Field);

#[test]
fn prime_field_facts() {
    assert_eq!(GoldilocksField::field_bit_size(), 64);
    assert_eq!(M31Field::field_bit_size(), 31);
    assert_eq!(GoldilocksField::modulus_minus_one(), 0xFFFF_FFFF_0000_0000);
    assert_eq!(M31Field::modulus_minus_one(), (1 << 31) - 2);
    for bits in 0..=32_u32 {
        let root = GoldilocksField::get_primitive_root_of_unity(bits.into()).expect("up to 32");
        assert_eq!(Goldilocks::from(root), Goldilocks::two_adic_generator(bits));
    }
    assert!(GoldilocksField::get_primitive_root_of_unity(33).is_err());
    let nine = FieldElement::<GoldilocksField>::from(9);
    let (root, _) = nine.sqrt().expect("nine is a square");
    assert_eq!(root.square(), nine);
}

#[test]
fn hexadecimal() {
    let value = FieldElement::<GoldilocksField>::from(0xABCD_EF01);
    assert_eq!(value.to_hex(), "ABCDEF01");
    for text in ["ABCDEF01", "0xabcdef01", "0XABCDEF01"] {
        assert_eq!(FieldElement::<GoldilocksField>::from_hex(text), Ok(value));
    }
    for (text, error) in [
        ("", CreationError::EmptyString),
        ("0x", CreationError::EmptyString),
        ("+1", CreationError::InvalidHexString),
        ("xyz", CreationError::InvalidHexString),
        ("FFFFFFFF00000001", CreationError::RepresentativeOutOfRange),
        ("10000000000000000", CreationError::HexStringIsTooBig),
    ] {
        assert_eq!(FieldElement::<GoldilocksField>::from_hex(text), Err(error), "{text}");
    }
    assert_eq!(FieldElement::<M31Field>::from_hex("7FFFFFFF"), Err(CreationError::RepresentativeOutOfRange));
}
