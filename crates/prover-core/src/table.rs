//! Tables and the work on them in every protocol.

use field::{ExtensionField, Field};
use gpu_hal::{Columns, Protocol, Result, Shape, StarkBackend};

/// Elements of a backend's columns.
pub(crate) type Base<B> = <<B as StarkBackend>::P as Protocol>::Base;
/// Extension field of a backend's protocol.
pub(crate) type Ext<B> = <<B as StarkBackend>::P as Protocol>::Ext;
/// Domains of a backend's protocol.
pub(crate) type Domain<B> = <<B as StarkBackend>::P as Protocol>::Domain;
/// A table on a backend's device.
pub(crate) type Table<B> = Columns<<B as StarkBackend>::Buffer>;

/// A table without its elements.
pub(crate) fn shape(width: usize, log_height: u32) -> Shape {
    Columns::new((), width, log_height)
}

/// The result of an operation that was asked for one.
#[cfg(feature = "goldilocks")]
pub(crate) fn only<T>(mut results: Vec<T>) -> T {
    results.pop().expect("the front gives a result for each request")
}

/// The element that has these coordinates, as many as its degree.
pub(crate) fn element<F: Field, E: ExtensionField<F>>(coordinates: &[F]) -> E {
    E::from_coordinates(coordinates).expect("one coordinate per base column")
}

/// All elements of one extension column, which leave the device.
pub(crate) fn download<B: StarkBackend>(backend: &B, column: &Table<B>) -> Result<Vec<Ext<B>>> {
    let height = column.height();
    let values = backend.download(column.as_ref(), 0..height)?;
    let at = |row: usize| {
        let coordinates: Vec<Base<B>> = values[row..].iter().step_by(height).copied().collect();
        element(&coordinates)
    };
    Ok((0..height).map(at).collect())
}

/// One table of single columns of one height.
pub(crate) fn join<B: StarkBackend>(backend: &B, columns: Vec<Table<B>>) -> Result<Table<B>> {
    match <[_; 1]>::try_from(columns) {
        Ok([only]) => Ok(only),
        Err(columns) => {
            let tables: Vec<_> = columns.iter().map(Columns::as_ref).collect();
            let picks: Vec<_> = (0..tables.len()).map(|table| (table, 0)).collect();
            backend.select(&tables, &picks)
        }
    }
}
