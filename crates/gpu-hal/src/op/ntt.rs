//! A transform in place.

use super::cost::Transform;
use super::*;
use crate::EvalOrder;

op! {
    /// [`crate::StarkBackend::ntt`]: one side coefficients, the other evaluations on a domain of the table's size.
    Ntt(table: Columns<&'a mut T::Buffer>, from: Basis<DomainOf<T>>, to: Basis<DomainOf<T>>) -> Nothing;

    check(_) {
        let op = Self::NAME;
        columns(op, &table.as_shared())?;
        check::basis::<T::P>(op, table.log_height, from)?;
        check::basis::<T::P>(op, table.log_height, to)?;
        let allowed = match (from, to) {
            (Basis::Coefficients, to) => !matches!(to, Basis::Coefficients),
            (_, Basis::Coefficients) => true,
            (Basis::Evaluations { domain, order }, Basis::Evaluations { domain: same, order: to }) => {
                domain == same && (*order, *to) == (EvalOrder::Storage, EvalOrder::Row)
            }
        };
        let instead = "or from storage order to rows; use lde to change the domain";
        require!(allowed, op, "a transform goes from coefficients to evaluations or back, {instead}");
        Ok(())
    }
    reads(on) {
        on.table(&table.as_shared());
        on.basis(from);
        on.basis(to);
    }
    makes(on) {
        let table = table.shape();
        on.beside(&Footprint::Ntt { table, from: *from, to: *to });
    }
    cost() {
        let elements = table.elements() as f64;
        let transform = Transform { elements, log_size: table.log_height };
        Cost { moved: 2.0 * elements, transforms: vec![transform], ..Cost::default() }
    }
    changes(each) { each(table) }
    through(on, see) { on.ntt(see.table_mut(table.reborrow())?, *from, *to) }
    outcome(_) { Outcome::InPlace(table.reborrow()) }
}
