//! A linear recurrence as a column.

use super::*;

op! {
    /// [`crate::StarkBackend::recurrence`]: an order of 1 to 4, as many values at every start, starts that ascend,
    /// canonical elements.
    Recurrence(recurrence: &'a crate::Recurrence<BaseOf<T>>) -> NewTable;

    check(_) {
        let op = Self::NAME;
        let invalid = |detail| Err(HalError::invalid(op, detail));
        check::countable::<BaseOf<T>>(op, 1, recurrence.log_height)?;
        let order = recurrence.coefficients.len();
        let is_right = |values: &[_]| (1..=4).contains(&order) && values.len() == order;
        if let Some((row, values)) = recurrence.starts().find(|(_, values)| !is_right(values)) {
            let values = values.len();
            return invalid(format!("{order} coefficients and {values} values at row {row}: 1 to 4, as many of both"));
        }
        let (mut before, height) = (None, 1 << recurrence.log_height);
        for (row, _) in recurrence.starts() {
            if before.is_some_and(|before| row <= before) || row >= height {
                return invalid(format!(
                    "a start at row {row} of {height}: starts ascend from row 0 on and lie within the rows"
                ));
            }
            before = Some(row);
        }
        let mut elements = recurrence.starts().flat_map(|(_, values)| values).chain(&recurrence.coefficients);
        if elements.any(|x| !x.is_canonical()) {
            return invalid(format!("an element is not canonical: reduce it modulo {}", BaseOf::<T>::ORDER));
        }
        Ok(())
    }
    size() { Size::of(1, 1 << recurrence.log_height) }
    makes(on) {
        let (order, log_height) = (recurrence.coefficients.len(), recurrence.log_height);
        on.step(|_| Step::Recurrence { order, log_height });
        let column = on.table(1, log_height);
        on.beside(&Footprint::Recurrence { order, starts: recurrence.starts().count(), log_height });
        column
    }
    uploaded() {
        let starts: usize = recurrence.starts().map(|(_, values)| size_of_val(values)).sum();
        size_of_val(recurrence.coefficients.as_slice()) + starts
    }
    through(on, _) { traces_of(on)?.recurrence(recurrence) }
}
