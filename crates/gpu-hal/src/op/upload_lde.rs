//! Columns of the host, extended.

use super::lde::extension;
use super::*;

op! {
    /// [`crate::StarkBackend::upload_lde`] of so many columns. A rehearsal need not have their elements.
    UploadLde(
        columns: &'a [&'a [BaseOf<T>]],
        width: usize,
        log_height: u32,
        from: Basis<DomainOf<T>>,
        to: DomainOf<T>,
        keep: bool
    ) -> Extended;

    check(_) {
        let height = 1usize.checked_shl(*log_height);
        if let Some((at, column)) = columns.iter().enumerate().find(|(_, column)| Some(column.len()) != height) {
            let detail = format!("column {at} has {} elements, not 2^{log_height}", column.len());
            return Err(HalError::invalid(Self::NAME, detail));
        }
        check::extension::<T::P>(Self::NAME, *log_height, from, to)
    }
    reads(on) {
        on.basis(from);
        on.domain(to);
    }
    size() { Size::of(*width, 1 << log_height) }
    makes(on) {
        let (table, from, keep) = (Columns::new((), *width, *log_height), *from, *keep);
        on.step(|_| Step::UploadLde(extension(table, &from, to)));
        let rows = keep.then(|| on.table(*width, *log_height));
        let extended = on.table(*width, to.log_size());
        on.beside(&Footprint::UploadLde { table, from, keep });
        (rows, extended)
    }
    uploaded() { (width << log_height) * size_of::<BaseOf<T>>() }
    through(on, _) { on.upload_lde(columns, *log_height, *from, *to, *keep) }
}
