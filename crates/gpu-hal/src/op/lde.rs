//! Columns evaluated on another domain.

use super::*;
use crate::{Extension, Shape};

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
        on.step(|_| Step::Lde(extension(table, from, to)));
        let extended = on.table(table.width, to.log_size());
        on.beside(&Footprint::Lde { table, from: *from });
        extended
    }
    through(on, see) { on.lde(see.table(*table)?, *from, *to) }
}

/// The work of an extension.
pub(super) fn extension<D: Domain>(table: Shape, from: &Basis<D>, to: &D) -> Extension {
    Extension { table, log_to: to.log_size(), from_values: !matches!(from, Basis::Coefficients) }
}
