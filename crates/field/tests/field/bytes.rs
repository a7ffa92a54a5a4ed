//! The byte encodings that the protocols hash.

use field::{CM31, CanonicalBytes, Fp3, Goldilocks, M31, PrimeField, QM31};
use lambdaworks_math::traits::{AsBytes, ByteConversion};
use proptest::prelude::*;

use crate::inputs::element;

fn written<T: CanonicalBytes>(value: &T) -> Vec<u8> {
    // Written after something else: it must append.
    let mut bytes = vec![0xAB];
    value.write_bytes(&mut bytes);
    assert_eq!(bytes[0], 0xAB);
    bytes.split_off(1)
}

macro_rules! encoding {
    ($name:ident, $base:ty, $field:ty, $word:ty, $hashed:ident, $bytes:literal) => {
        proptest! {
            #[test]
            fn $name(a in element::<$base, $field>()) {
                let words: Vec<$word> = field::ExtensionField::<$base>::coordinates(&a)
                    .iter()
                    .map(|c| <$word>::try_from(c.as_u64()).expect("fits"))
                    .collect();
                let big: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
                let little: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let hashed: Vec<u8> = words.iter().flat_map(|word| word.$hashed()).collect();

                prop_assert_eq!(<$field as CanonicalBytes>::BYTES, $bytes);
                prop_assert_eq!(written(&a), hashed.clone());
                prop_assert_eq!(a.as_bytes(), hashed.clone());
                prop_assert_eq!(a.to_bytes_be(), big.clone());
                prop_assert_eq!(a.to_bytes_le(), little.clone());
                prop_assert_eq!(<$field>::from_bytes_be(&big), Ok(a));
                prop_assert_eq!(<$field>::from_bytes_le(&little), Ok(a));
                prop_assert_eq!(<$field>::read_bytes(&hashed), Some(a));

                // Too short, too long, and each coordinate replaced by p.
                prop_assert_eq!(<$field>::read_bytes(&hashed[1..]), None);
                prop_assert_eq!(<$field>::read_bytes(&[hashed.clone(), vec![0]].concat()), None);
                prop_assert_eq!(<$field>::read_bytes(&[]), None);
                prop_assert!(<$field>::from_bytes_be(&big[1..]).is_err());
                prop_assert!(<$field>::from_bytes_le(&little[1..]).is_err());
                let p = <$word>::try_from(<$base>::ORDER).expect("fits");
                for i in 0..words.len() {
                    let mut bad = words.clone();
                    bad[i] = p;
                    let hashed: Vec<u8> = bad.iter().flat_map(|word| word.$hashed()).collect();
                    let big: Vec<u8> = bad.iter().flat_map(|word| word.to_be_bytes()).collect();
                    let little: Vec<u8> = bad.iter().flat_map(|word| word.to_le_bytes()).collect();
                    prop_assert_eq!(<$field>::read_bytes(&hashed), None);
                    prop_assert!(<$field>::from_bytes_be(&big).is_err());
                    prop_assert!(<$field>::from_bytes_le(&little).is_err());
                }
            }
        }
    };
}

encoding!(goldilocks, Goldilocks, Goldilocks, u64, to_be_bytes, 8);
encoding!(fp3, Goldilocks, Fp3, u64, to_be_bytes, 24);
encoding!(m31, M31, M31, u32, to_le_bytes, 4);
encoding!(cm31, M31, CM31, u32, to_le_bytes, 8);
encoding!(qm31, M31, QM31, u32, to_le_bytes, 16);
