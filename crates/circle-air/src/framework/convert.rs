//! Field elements of stwo and of this project: the same numbers in two types.

use field::{M31, QM31};
use stwo::core::fields::m31::BaseField;
use stwo::core::fields::qm31::SecureField;

/// stwo's form of a base element.
#[must_use]
pub const fn base(value: M31) -> BaseField {
    BaseField::from_u32_unchecked(value.value())
}

/// stwo's form of an extension element.
#[must_use]
pub fn secure(value: QM31) -> SecureField {
    SecureField::from_m31_array(value.0.map(base))
}

/// The extension element of stwo. A coordinate of `p`, which stwo's unchecked constructors let through, becomes zero.
#[must_use]
pub fn qm31(value: SecureField) -> QM31 {
    QM31(value.to_m31_array().map(|x| M31::new(x.0)))
}
