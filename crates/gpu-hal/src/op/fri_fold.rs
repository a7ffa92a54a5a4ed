//! A layer of FRI folded.

use super::*;

op! {
    /// [`crate::StarkBackend::fri_fold`].
    FriFold(layer: TableRef<'a, T>, domain: DomainOf<T>, folded: DomainOf<T>, alpha: ExtOf<T>) -> NewTable;

    check(_) {
        let (op, width, degree) = (Self::NAME, layer.width, T::P::DEGREE);
        columns(op, layer)?;
        check::height::<T::P>(op, "the layer", layer.log_height, domain)?;
        require!(width == degree, op, "a layer is one extension column of {degree} base columns, not {width}");
        require!(domain.folded().is_some(), op, "a single point cannot be folded");
        Ok(())
    }
    reads(on) {
        on.table(layer);
        on.domain(domain);
    }
    makes(on) { on.table(layer.width, folded.log_size()) }
    cost() {
        let (points, degree) = (layer.height() as f64, T::P::DEGREE as f64);
        let folded = points / 2.0;
        Cost {
            moved: degree * (points + folded),
            products: degree * folded,
            ext_products: folded,
            ..Cost::default()
        }
    }
    through(on, see) { on.fri_fold(see.table(*layer)?, *domain, *folded, *alpha) }
}
