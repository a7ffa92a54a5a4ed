//! A layer of FRI folded.

use super::*;

op! {
    /// [`crate::StarkBackend::fri_fold`].
    FriFold(layer: TableRef<'a, T>, domain: DomainOf<T>, folded: DomainOf<T>, alpha: ExtOf<T>) -> NewTable;

    check(_) {
        let op = Self::NAME;
        columns(op, layer)?;
        check::height::<T::P>(op, "the layer", layer.log_height, domain)?;
        if layer.width != T::P::DEGREE {
            let degree = T::P::DEGREE;
            let detail = format!("a layer is one extension column of {degree} base columns, not {}", layer.width);
            return Err(HalError::invalid(op, detail));
        }
        match domain.folded() {
            Some(_) => Ok(()),
            None => Err(HalError::invalid(op, "a single point cannot be folded")),
        }
    }
    reads(on) {
        on.table(layer);
        on.domain(domain);
    }
    makes(on) {
        on.step(|_| Step::FriFold { log_size: layer.log_height });
        on.table(layer.width, folded.log_size())
    }
    through(on, see) { on.fri_fold(see.table(*layer)?, *domain, *folded, *alpha) }
}
