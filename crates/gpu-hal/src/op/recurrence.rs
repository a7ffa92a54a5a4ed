//! A linear recurrence as a column.

use super::cost::rows;
use super::*;

op! {
    /// [`crate::StarkBackend::recurrence`]: an order of 1 to 4, as many values at every start, starts that ascend,
    /// canonical elements.
    Recurrence(recurrence: &'a crate::LinearRecurrence<BaseOf<T>>) -> NewTable;

    check(_) {
        let (op, order) = (Self::NAME, recurrence.coefficients.len());
        check::countable::<BaseOf<T>>(op, 1, recurrence.log_height)?;
        let (mut least, height) = (0, 1 << recurrence.log_height);
        for (row, values) in recurrence.starts() {
            let (values, is_right) = (values.len(), (1..=4).contains(&order) && values.len() == order);
            let counts = "1 to 4, as many of both";
            require!(is_right, op, "{order} coefficients and {values} values at row {row}: {counts}");
            let is_in = (least..height).contains(&row);
            let starts = "starts ascend from row 0 on and lie within the rows";
            require!(is_in, op, "a start at row {row} of {height}: {starts}");
            least = row + 1;
        }
        let mut elements = recurrence.starts().flat_map(|(_, values)| values).chain(&recurrence.coefficients);
        let is_canonical = elements.all(|x| x.is_canonical());
        require!(is_canonical, op, "an element is not canonical: reduce it modulo {}", BaseOf::<T>::ORDER);
        Ok(())
    }
    size() { Size::of(1, 1 << recurrence.log_height) }
    makes(on) {
        let (order, log_height) = (recurrence.coefficients.len(), recurrence.log_height);
        let column = on.table(1, log_height);
        on.beside(&Footprint::Recurrence { order, starts: recurrence.starts().count(), log_height });
        column
    }
    cost() {
        let rows = rows(recurrence.log_height);
        Cost { moved: rows, products: rows * recurrence.coefficients.len() as f64, ..Cost::default() }
    }
    uploaded() {
        let starts: usize = recurrence.starts().map(|(_, values)| size_of_val(values)).sum();
        size_of_val(recurrence.coefficients.as_slice()) + starts
    }
    through(on, _) { on.recurrence(recurrence) }
}
