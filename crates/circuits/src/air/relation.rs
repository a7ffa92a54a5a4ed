//! The tuples that the components exchange. All are of one relation; the first element says of which kind they are.

use field::QM31;
use stwo_constraint_framework::logup::LookupElements;
use stwo_constraint_framework::{Relation, RelationEFTraitBound};

/// A wire: its address, then the words of its value, of which the last may be missing if they are zero.
pub(crate) const GATE: u32 = 378_353_459;
/// A number of 16 bits.
pub(super) const RANGE_CHECK_16: u32 = 1_008_385_708;
/// Numbers `(x, y, x ^ y)` of 4 bits.
pub(super) const XOR_4: u32 = 45_448_144;
/// The same of 7 bits.
pub(super) const XOR_7: u32 = 62_225_763;
/// The same of 8 bits.
pub(super) const XOR_8: u32 = 112_558_620;
/// A second kind of the same, by which uses are spread over two columns.
pub(super) const XOR_8_B: u32 = 521_092_554;
/// The same of 9 bits.
pub(super) const XOR_9: u32 = 95_781_001;
/// The same of 12 bits.
pub(super) const XOR_12: u32 = 648_362_599;

/// Values of the longest tuple: kind, address, four words.
pub(crate) const TUPLE: usize = 6;

/// The relation with its drawn elements.
#[derive(Clone, Debug)]
pub(super) struct Tuples(LookupElements<TUPLE>);

impl Tuples {
    /// The only relation of a statement.
    ///
    /// # Panics
    /// If there are not two elements.
    pub(super) fn new(drawn: &[QM31]) -> Self {
        Self(circle_air::lookup_elements(drawn, 0))
    }
}

impl<F: Clone, EF: RelationEFTraitBound<F>> Relation<F, EF> for Tuples {
    fn combine(&self, values: &[F]) -> EF {
        self.0.combine(values)
    }

    fn get_name(&self) -> &str {
        "Tuples"
    }

    fn get_size(&self) -> usize {
        TUPLE
    }
}
