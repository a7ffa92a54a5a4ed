//! The curve `y^2 = x^3 + x + b` over the Cairo field: the Pedersen hash and the ec_op builtin.
//!
//! | component | a row is |
//! |---|---|
//! | pedersen_aggregator_window_bits_18, _9 | one hash: operands and result in memory, and where its chains of additions end |
//! | partial_ec_mul_window_bits_18, _9 | one addition of a point of a table, which a window of an operand chooses |
//! | ec_op_builtin | one instance `p + m q` |
//! | partial_ec_mul_generic | one bit of `m`: an addition and a doubling |
//!
//! A coordinate between components is ten words of 27 bits, least significant first. The point at infinity has no place
//! in a row, so that an addition of points with one x, and a doubling of a point with y zero, cannot be proven: the
//! assertions of the programs say so.

mod generic;
mod line;
mod op;
mod pedersen;
#[cfg(test)]
mod tests;
mod window;

pub(crate) use generic::partial_ec_mul_generic;
pub(crate) use op::ec_op_builtin;
pub(crate) use pedersen::{pedersen_aggregator_window_bits_9, pedersen_aggregator_window_bits_18};
pub(crate) use window::{partial_ec_mul_window_bits_9, partial_ec_mul_window_bits_18};

use super::felt::{felt_limbs, felt_of_words27, felt_words27, reduced};
use cairo_run::felt::PRIME;

use super::machine::{Machine, W};

/// Words of 27 bits of a coordinate.
const WORDS: usize = 10;
/// Words of 27 bits of a point.
const POINT_WORDS: usize = 2 * WORDS;

/// The columns and requests that show that a number is below the prime, which is a fault of the row where it is not: 3
/// columns.
fn below_prime<'r>(machine: &Machine<'r>, number: W<'r>) {
    // Limbs of some numbers of p or more would pass the requests.
    machine.recorder().assert("an operand in memory is below the Cairo prime", number.int_less(machine.felt(PRIME)));
    machine.columns(reduced(machine, felt_limbs(machine, number)));
}

/// A point, not the one at infinity.
#[derive(Clone, Copy, Debug)]
struct Point<'r> {
    x: W<'r>,
    y: W<'r>,
}

impl<'r> Point<'r> {
    /// From twenty words of 27 bits.
    fn from_words(words: W<'r>) -> Self {
        let coordinate = |from| felt_of_words27(words.slice(from, WORDS));
        Self { x: coordinate(0), y: coordinate(WORDS) }
    }

    /// Its twenty words of 27 bits.
    fn words(self) -> [W<'r>; 2] {
        [felt_words27(self.x), felt_words27(self.y)]
    }

    /// The limbs of both coordinates: 56 columns.
    fn columns(self, machine: &Machine<'r>) {
        machine.columns(felt_limbs(machine, self.x));
        machine.columns(felt_limbs(machine, self.y));
    }

    /// The first point if the condition is not zero, else the second.
    fn select(machine: &Machine<'r>, condition: W<'r>, a: Self, b: Self) -> Self {
        let select = |a, b| machine.recorder().select(condition, a, b);
        Self { x: select(a.x, b.x), y: select(a.y, b.y) }
    }
}
