//! Elements of tables.

use field::{ExtensionField, Field};
use gpu_hal::{Columns, Protocol};

use crate::memory::ReferenceBuffer;

/// A borrowed table of a protocol's base columns.
pub(crate) type Table<'a, P> = Columns<&'a ReferenceBuffer<<P as Protocol>::Base>>;
/// A table that an operation makes.
pub(crate) type NewTable<P> = Columns<ReferenceBuffer<<P as Protocol>::Base>>;

/// A base column's element.
pub(crate) fn base<F: Field>(table: &Columns<&ReferenceBuffer<F>>, column: usize, row: usize) -> F {
    table.data.values[(column << table.log_height) + row]
}

/// An extension column's element: `sum of basis_k * (base column column * DEGREE + k)`.
pub(crate) fn extension<P: Protocol>(table: &Table<'_, P>, column: usize, row: usize) -> P::Ext {
    (0..P::DEGREE).map(|k| P::Ext::basis(k) * base(table, column * P::DEGREE + k, row)).sum()
}

/// Sets an extension column's element.
pub(crate) fn set_extension<P: Protocol>(table: &mut NewTable<P>, column: usize, row: usize, value: P::Ext) {
    let log_height = table.log_height;
    for (k, coordinate) in value.coordinates().iter().enumerate() {
        table.data.values[((column * P::DEGREE + k) << log_height) + row] = *coordinate;
    }
}
