//! A table added to another.

use super::*;

op! {
    /// [`crate::StarkBackend::accumulate`].
    Accumulate(into: Columns<&'a mut T::Buffer>, from: TableRef<'a, T>) -> Nothing;

    check(_) {
        let (op, into) = (Self::NAME, into.as_shared());
        columns(op, &into)?;
        columns(op, from)?;
        require!(into.width == from.width, op, "{} columns added to {}", from.width, into.width);
        // A circle's lift keeps the last bit of the index.
        let lifts = !DomainOf::<T>::LIFTS || from.log_height > 0 || into.log_height == 0;
        let is_lifted = from.log_height <= into.log_height && lifts;
        require!(is_lifted, op, "2^{} rows cannot be lifted to 2^{}", from.log_height, into.log_height);
        Ok(())
    }
    reads(on) {
        on.table(&into.as_shared());
        on.table(from);
    }
    size() { Size::of(from.width, from.height()) }
    makes(_) {}
    cost() { Cost::moves(from.elements() + 2 * into.elements()) }
    changes(each) { each(into) }
    through(on, see) { on.accumulate(see.table_mut(into.reborrow())?, see.table(*from)?) }
    outcome(_) { Outcome::InPlace(into.reborrow()) }
}
