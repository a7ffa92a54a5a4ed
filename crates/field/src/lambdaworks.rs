//! Our scalars as fields of lambdaworks-math 0.13.
//!
//! lambdaworks-math describes a field by a marker type and wraps values in `FieldElement<Marker>`. Its own Goldilocks
//! has no FFT, panics in its byte conversion, and has no cubic extension, so these are markers of ours whose base type
//! is the scalar itself: a conversion in either direction costs nothing.
//!
//! ```
//! use field::lambdaworks::GoldilocksField;
//! use lambdaworks_math::field::element::FieldElement;
//! use lambdaworks_math::polynomial::Polynomial;
//!
//! let coefficients = [FieldElement::from(1_u64), FieldElement::from(2_u64)];
//! let polynomial = Polynomial::<FieldElement<GoldilocksField>>::new(&coefficients);
//! let values = Polynomial::evaluate_fft::<GoldilocksField>(&polynomial, 1, None).expect("two points");
//! assert_eq!(values[0], FieldElement::from(3_u64));
//! ```
//!
//! **Bytes.** `ByteConversion` and `AsBytes` are implemented for the scalars (`element.value().to_bytes_be()`), not for
//! `FieldElement<Marker>`: Rust lets only lambdaworks-math do that. Coordinates are written in order in both byte
//! orders. Reading demands the exact length and values below the prime. `AsBytes` is [`CanonicalBytes`], the
//! encoding that is hashed.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lambdaworks_math::errors::{ByteConversionError, CreationError};
use lambdaworks_math::field::element::FieldElement;
use lambdaworks_math::field::errors::FieldError;
use lambdaworks_math::field::traits::{IsFFTField, IsField, IsPrimeField, IsSubFieldOf};
use lambdaworks_math::traits::{AsBytes, ByteConversion};

use crate::{CM31, CanonicalBytes, ExtensionField, Field, Fp3, Goldilocks, M31, PrimeField, QM31, TwoAdicField};

/// A marker, its field operations, and the conversions between `FieldElement<Marker>` and the scalar.
macro_rules! marker {
    ($(#[$doc:meta])* $marker:ident, $scalar:ty, $base:ty) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub struct $marker;

        impl IsField for $marker {
            type BaseType = $scalar;

            #[inline(always)]
            fn add(a: &$scalar, b: &$scalar) -> $scalar {
                *a + *b
            }
            #[inline(always)]
            fn double(a: &$scalar) -> $scalar {
                Field::double(*a)
            }
            #[inline(always)]
            fn sub(a: &$scalar, b: &$scalar) -> $scalar {
                *a - *b
            }
            #[inline(always)]
            fn mul(a: &$scalar, b: &$scalar) -> $scalar {
                *a * *b
            }
            #[inline(always)]
            fn square(a: &$scalar) -> $scalar {
                Field::square(*a)
            }
            #[inline(always)]
            fn neg(a: &$scalar) -> $scalar {
                -*a
            }
            fn inv(a: &$scalar) -> Result<$scalar, FieldError> {
                Field::inverse(*a).ok_or(FieldError::InvZeroError)
            }
            fn div(a: &$scalar, b: &$scalar) -> Result<$scalar, FieldError> {
                Ok(*a * Field::inverse(*b).ok_or(FieldError::DivisionByZero)?)
            }
            #[inline(always)]
            fn eq(a: &$scalar, b: &$scalar) -> bool {
                a == b
            }
            #[inline(always)]
            fn zero() -> $scalar {
                <$scalar as Field>::ZERO
            }
            #[inline(always)]
            fn one() -> $scalar {
                <$scalar as Field>::ONE
            }
            #[inline(always)]
            fn from_u64(x: u64) -> $scalar {
                <$scalar>::from(<$base as PrimeField>::from_u64(x))
            }
            #[inline(always)]
            fn from_base_type(x: $scalar) -> $scalar {
                x
            }
        }

        impl From<$scalar> for FieldElement<$marker> {
            #[inline(always)]
            fn from(value: $scalar) -> Self {
                FieldElement::from_raw(value)
            }
        }

        impl From<FieldElement<$marker>> for $scalar {
            #[inline(always)]
            fn from(element: FieldElement<$marker>) -> Self {
                element.to_raw()
            }
        }

        impl AsBytes for $scalar {
            fn as_bytes(&self) -> Vec<u8> {
                let mut bytes = Vec::with_capacity(<Self as CanonicalBytes>::BYTES);
                self.write_bytes(&mut bytes);
                bytes
            }
        }

        impl ByteConversion for $scalar {
            fn to_bytes_be(&self) -> Vec<u8> {
                let mut bytes = self.as_bytes();
                if <$base as HashedOrder>::LITTLE_ENDIAN {
                    reverse_each::<$base>(&mut bytes);
                }
                bytes
            }
            fn to_bytes_le(&self) -> Vec<u8> {
                let mut bytes = self.as_bytes();
                if !<$base as HashedOrder>::LITTLE_ENDIAN {
                    reverse_each::<$base>(&mut bytes);
                }
                bytes
            }
            fn from_bytes_be(bytes: &[u8]) -> Result<Self, ByteConversionError> {
                let mut bytes = bytes.to_vec();
                if <$base as HashedOrder>::LITTLE_ENDIAN {
                    reverse_each::<$base>(&mut bytes);
                }
                Self::read_bytes(&bytes).ok_or(ByteConversionError::FromBEBytesError)
            }
            fn from_bytes_le(bytes: &[u8]) -> Result<Self, ByteConversionError> {
                let mut bytes = bytes.to_vec();
                if !<$base as HashedOrder>::LITTLE_ENDIAN {
                    reverse_each::<$base>(&mut bytes);
                }
                Self::read_bytes(&bytes).ok_or(ByteConversionError::FromLEBytesError)
            }
        }
    };
}

/// The byte order of a base field's [`CanonicalBytes`].
trait HashedOrder {
    const LITTLE_ENDIAN: bool;
}

impl HashedOrder for Goldilocks {
    const LITTLE_ENDIAN: bool = false;
}

impl HashedOrder for M31 {
    const LITTLE_ENDIAN: bool = true;
}

/// Reverses the bytes of every coordinate. A last incomplete one is left for the reader to refuse.
fn reverse_each<B: CanonicalBytes>(bytes: &mut [u8]) {
    for coordinate in bytes.chunks_exact_mut(B::BYTES) {
        coordinate.reverse();
    }
}

/// The operations between a field and an extension of it.
macro_rules! subfield {
    ($base_marker:ident, $base:ty, $extension_marker:ident, $extension:ty) => {
        impl IsSubFieldOf<$extension_marker> for $base_marker {
            #[inline(always)]
            fn mul(a: &$base, b: &$extension) -> $extension {
                *b * *a
            }
            #[inline(always)]
            fn add(a: &$base, b: &$extension) -> $extension {
                *b + *a
            }
            #[inline(always)]
            fn sub(a: &$base, b: &$extension) -> $extension {
                -*b + *a
            }
            fn div(a: &$base, b: &$extension) -> Result<$extension, FieldError> {
                Ok(Field::inverse(*b).ok_or(FieldError::DivisionByZero)? * *a)
            }
            #[inline(always)]
            fn embed(a: $base) -> $extension {
                a.into()
            }
            fn to_subfield_vec(b: $extension) -> Vec<$base> {
                ExtensionField::<$base>::coordinates(&b).to_vec()
            }
        }
    };
}

/// `IsPrimeField` with the representative as `u64`.
macro_rules! prime {
    ($marker:ident, $scalar:ty) => {
        impl IsPrimeField for $marker {
            type RepresentativeType = u64;

            fn representative(a: &$scalar) -> u64 {
                a.as_u64()
            }

            /// Refuses values that are not below the prime.
            fn from_hex(hex_string: &str) -> Result<$scalar, CreationError> {
                let digits =
                    hex_string.strip_prefix("0x").or_else(|| hex_string.strip_prefix("0X")).unwrap_or(hex_string);
                if digits.is_empty() {
                    return Err(CreationError::EmptyString);
                }
                // from_str_radix would also take a sign.
                if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                    return Err(CreationError::InvalidHexString);
                }
                let value = u64::from_str_radix(digits, 16).map_err(|_| CreationError::HexStringIsTooBig)?;
                <$scalar>::from_canonical(value).ok_or(CreationError::RepresentativeOutOfRange)
            }

            fn to_hex(a: &$scalar) -> String {
                format!("{:X}", a.as_u64())
            }

            fn field_bit_size() -> usize {
                (u64::BITS - (<$scalar>::ORDER - 1).leading_zeros()) as usize
            }
        }
    };
}

marker!(
    /// Marker of [`Goldilocks`].
    GoldilocksField,
    Goldilocks,
    Goldilocks
);
marker!(
    /// Marker of [`Fp3`].
    Fp3Field,
    Fp3,
    Goldilocks
);
marker!(
    /// Marker of [`M31`].
    M31Field,
    M31,
    M31
);
marker!(
    /// Marker of [`CM31`].
    CM31Field,
    CM31,
    M31
);
marker!(
    /// Marker of [`QM31`].
    QM31Field,
    QM31,
    M31
);

prime!(GoldilocksField, Goldilocks);
prime!(M31Field, M31);

subfield!(GoldilocksField, Goldilocks, Fp3Field, Fp3);
subfield!(M31Field, M31, CM31Field, CM31);
subfield!(M31Field, M31, QM31Field, QM31);
subfield!(CM31Field, CM31, QM31Field, QM31);

impl IsFFTField for GoldilocksField {
    const TWO_ADICITY: u64 = <Goldilocks as TwoAdicField>::TWO_ADICITY as u64;
    const TWO_ADIC_PRIMITVE_ROOT_OF_UNITY: Goldilocks = Goldilocks::TWO_ADIC_ROOT;
}
