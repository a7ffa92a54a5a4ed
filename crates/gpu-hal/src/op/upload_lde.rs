//! Columns of the host, extended.

use super::lde::extension;
use super::*;

op! {
    /// [`crate::StarkBackend::upload_lde`].
    UploadLde(
        columns: &'a [&'a [BaseOf<T>]],
        log_height: u32,
        from: Basis<DomainOf<T>>,
        to: DomainOf<T>,
        keep: bool
    ) -> Extended;

    check(_) {
        let height = 1usize.checked_shl(*log_height);
        for (at, column) in columns.iter().enumerate() {
            let is_whole = Some(column.len()) == height;
            require!(is_whole, Self::NAME, "column {at} has {} elements, not 2^{log_height}", column.len());
        }
        check::extension::<T::P>(Self::NAME, *log_height, from, to)
    }
    reads(on) {
        on.basis(from);
        on.domain(to);
    }
    size() { Size::of(columns.len(), 1 << log_height) }
    makes(on) {
        let (width, from, keep) = (columns.len(), *from, *keep);
        let table = Columns::new((), width, *log_height);
        let rows = keep.then(|| on.table(width, *log_height));
        let extended = on.table(width, to.log_size());
        on.beside(&Footprint::UploadLde { table, from, keep });
        (rows, extended)
    }
    cost() {
        let table = Columns::new((), columns.len(), *log_height);
        Cost { transferred: table.elements() as f64, ..extension(table, from, to) }
    }
    uploaded() { (columns.len() << log_height) * size_of::<BaseOf<T>>() }
    through(on, _) { on.upload_lde(columns, *log_height, *from, *to, *keep) }
    by_others(on) {
        let rows = on.upload(&columns.concat(), columns.len(), log_height)?;
        let extended = on.lde(rows.as_ref(), from, to)?;
        Ok((keep.then_some(rows), extended))
    }
}
