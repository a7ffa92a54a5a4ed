//! What a relation is drawn as.

use num_traits::One;
use stwo::core::fields::qm31::SecureField;
use stwo_constraint_framework::logup::LookupElements;

/// The elements of a relation of `N` values, the first being number 0, out of those that a statement has drawn: what stwo's
/// `LookupElements::draw` gives that is called for each relation in turn, on the same channel. A type of stwo's macro `relation!` takes
/// them as its field.
///
/// # Panics
/// If fewer elements are drawn.
pub fn lookup_elements<const N: usize>(drawn: &[SecureField], relation: usize) -> LookupElements<N> {
    let Some(&[z, alpha]) = drawn.get(2 * relation..2 * relation + 2) else {
        panic!("{} elements drawn: relation {relation} has numbers {} and the next", drawn.len(), 2 * relation)
    };
    let mut power = SecureField::one();
    let alpha_powers = std::array::from_fn(|_| {
        let current = power;
        power *= alpha;
        current
    });
    LookupElements { z, alpha, alpha_powers }
}
