//! The operator traits, all derived from four `const fn`s that each type writes by hand.

/// Operators of a type that has `const_add`, `const_sub`, `const_mul`, `const_neg`.
macro_rules! field_operators {
    ($field:ty) => {
        impl core::ops::Add for $field {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.const_add(other)
            }
        }
        impl core::ops::Sub for $field {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.const_sub(other)
            }
        }
        impl core::ops::Mul for $field {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.const_mul(other)
            }
        }
        impl core::ops::Neg for $field {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                self.const_neg()
            }
        }
        impl core::ops::AddAssign for $field {
            #[inline(always)]
            fn add_assign(&mut self, other: Self) {
                *self = self.const_add(other);
            }
        }
        impl core::ops::SubAssign for $field {
            #[inline(always)]
            fn sub_assign(&mut self, other: Self) {
                *self = self.const_sub(other);
            }
        }
        impl core::ops::MulAssign for $field {
            #[inline(always)]
            fn mul_assign(&mut self, other: Self) {
                *self = self.const_mul(other);
            }
        }
        impl core::iter::Sum for $field {
            fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(<Self as $crate::Field>::ZERO, |a, b| a + b)
            }
        }
        impl<'a> core::iter::Sum<&'a $field> for $field {
            fn sum<I: Iterator<Item = &'a $field>>(iter: I) -> Self {
                iter.copied().sum()
            }
        }
        impl core::iter::Product for $field {
            fn product<I: Iterator<Item = Self>>(iter: I) -> Self {
                iter.fold(<Self as $crate::Field>::ONE, |a, b| a * b)
            }
        }
        impl<'a> core::iter::Product<&'a $field> for $field {
            fn product<I: Iterator<Item = &'a $field>>(iter: I) -> Self {
                iter.copied().product()
            }
        }
        // A field is its own extension of degree 1.
        impl $crate::ExtensionField<$field> for $field {
            const DEGREE: usize = 1;
            #[inline]
            fn coordinates(&self) -> &[$field] {
                core::slice::from_ref(self)
            }
            #[inline]
            fn from_coordinates(coordinates: &[$field]) -> Option<Self> {
                match coordinates {
                    [only] => Some(*only),
                    _ => None,
                }
            }
            #[inline]
            fn basis(index: usize) -> Self {
                assert!(index == 0, "basis element {index} of an extension of degree 1");
                <Self as $crate::Field>::ONE
            }
        }
    };
}

/// Text of a field stored as `.0`, a number.
macro_rules! shown_as_number {
    ($field:ty) => {
        impl core::fmt::Debug for $field {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Debug::fmt(&self.0, f)
            }
        }
        impl core::fmt::Display for $field {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

/// `CanonicalBytes` of an extension stored as `.0: [base; degree]`.
macro_rules! extension_bytes {
    ($extension:ident, $base:ty, $degree:literal) => {
        impl $crate::CanonicalBytes for $extension {
            const BYTES: usize = $degree * <$base as $crate::CanonicalBytes>::BYTES;

            #[inline]
            fn write_bytes(&self, out: &mut alloc::vec::Vec<u8>) {
                for coordinate in &self.0 {
                    coordinate.write_bytes(out);
                }
            }

            #[inline]
            fn read_bytes(bytes: &[u8]) -> Option<Self> {
                if bytes.len() != Self::BYTES {
                    return None;
                }
                let width = <$base as $crate::CanonicalBytes>::BYTES;
                let mut result = Self::default();
                for (coordinate, chunk) in result.0.iter_mut().zip(bytes.chunks_exact(width)) {
                    *coordinate = <$base as $crate::CanonicalBytes>::read_bytes(chunk)?;
                }
                Some(result)
            }
        }
    };
}

/// `ExtensionField` over the base of an extension stored as `.0: [base; degree]`, `extension op base`, and its text.
macro_rules! extension_coordinates {
    ($extension:ident, $base:ty, $degree:literal) => {
        impl core::ops::Add<$base> for $extension {
            type Output = Self;
            #[inline(always)]
            fn add(mut self, other: $base) -> Self {
                self.0[0] += other;
                self
            }
        }
        impl core::ops::Sub<$base> for $extension {
            type Output = Self;
            #[inline(always)]
            fn sub(mut self, other: $base) -> Self {
                self.0[0] -= other;
                self
            }
        }
        impl core::ops::Mul<$base> for $extension {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: $base) -> Self {
                Self(self.0.map(|coordinate| coordinate * other))
            }
        }
        impl From<$base> for $extension {
            #[inline(always)]
            fn from(value: $base) -> Self {
                let mut result = Self::default();
                result.0[0] = value;
                result
            }
        }
        impl core::fmt::Debug for $extension {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
        impl core::fmt::Display for $extension {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                for (index, coordinate) in self.0.iter().enumerate() {
                    write!(f, "{}{coordinate}", if index == 0 { "(" } else { ", " })?;
                }
                f.write_str(")")
            }
        }
        impl $crate::ExtensionField<$base> for $extension {
            const DEGREE: usize = $degree;

            #[inline]
            fn coordinates(&self) -> &[$base] {
                &self.0
            }

            #[inline]
            fn from_coordinates(coordinates: &[$base]) -> Option<Self> {
                coordinates.try_into().ok().map(Self)
            }

            #[inline]
            fn basis(index: usize) -> Self {
                assert!(index < $degree, "basis element {index} of an extension of degree {}", $degree);
                let mut result = Self::default();
                result.0[index] = <$base as $crate::Field>::ONE;
                result
            }
        }
    };
}

pub(crate) use {extension_bytes, extension_coordinates, field_operators, shown_as_number};
