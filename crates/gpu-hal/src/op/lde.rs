//! Columns evaluated on another domain.

use super::cost::{Transform, rows};
use super::*;
use crate::Shape;

op! {
    /// [`crate::StarkBackend::lde`].
    Lde(table: TableRef<'a, T>, from: Basis<DomainOf<T>>, to: DomainOf<T>) -> NewTable;

    check(_) {
        columns(Self::NAME, table)?;
        check::extension::<T::P>(Self::NAME, table.log_height, from, to)
    }
    reads(on) {
        on.table(table);
        on.basis(from);
        on.domain(to);
    }
    makes(on) {
        let table = table.shape();
        let extended = on.table(table.width, to.log_size());
        on.beside(&Footprint::Lde { table, from: *from });
        extended
    }
    cost() { extension(table.shape(), from, to) }
    through(on, see) { on.lde(see.table(*table)?, *from, *to) }
}

/// The work of an extension. From values, the last pass of the inverse is the first of the forward transform.
pub(super) fn extension<D: Domain>(table: Shape, from: &Basis<D>, to: &D) -> Cost {
    let (small, large) = (table.elements() as f64, table.width as f64 * rows(to.log_size()));
    let forth = Transform { elements: large, log_size: to.log_size() };
    let back = Transform { elements: small, log_size: table.log_height };
    Cost {
        moved: small + large,
        shifts: small,
        transforms: if matches!(from, Basis::Coefficients) { vec![forth] } else { vec![forth, back] },
        progress: large as u64,
        ..Cost::default()
    }
}
