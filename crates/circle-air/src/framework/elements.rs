//! The drawn elements of a relation.

use field::{QM31, powers};
use stwo_constraint_framework::logup::LookupElements;

use super::convert::secure;

/// The elements of a relation of `N` values, the first being number 0, out of the elements that a statement has drawn.
/// stwo's `LookupElements::draw` gives the same if it is called for each relation in turn, on the same channel. A type
/// of stwo's macro `relation!` takes them as its field.
///
/// # Panics
/// If fewer elements are drawn.
pub fn lookup_elements<const N: usize>(drawn: &[QM31], relation: usize) -> LookupElements<N> {
    let Some(&[z, alpha]) = drawn.get(2 * relation..2 * relation + 2) else {
        panic!("{} elements drawn: relation {relation} has numbers {} and the next", drawn.len(), 2 * relation)
    };
    let mut powers = powers(alpha).map(secure);
    let alpha_powers = std::array::from_fn(|_| powers.next().unwrap_or_default());
    LookupElements { z: secure(z), alpha: secure(alpha), alpha_powers }
}
