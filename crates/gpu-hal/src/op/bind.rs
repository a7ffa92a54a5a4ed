//! Multilinear polynomials with their first variable bound.

use super::cost::rows;
use super::*;
use crate::{BindRequest, Multilinear};

type Request<'a, T> = BindRequest<'a, T>;

op! {
    /// [`crate::StarkBackend::bind`].
    Bind(requests: &'a [Request<'a, T>]) -> NewTables;

    check(_) {
        for Request { values, .. } in *requests {
            multilinear(Self::NAME, values)?;
            let (width, degree) = (values.table.width, T::P::DEGREE);
            require!(width % degree == 0, Self::NAME, "{width} base columns are no extension columns of {degree}");
        }
        Ok(())
    }
    reads(on) { requests.iter().for_each(|request| on.table(&request.values.table)) }
    size() { requests.iter().fold(Size::default(), |size, request| size.and(of(&request.values))) }
    makes(on) {
        let one = |Request { values, .. }: &Request<'_, T>| on.table(values.table.width, values.variables - 1);
        requests.iter().map(one).collect::<Vec<_>>()
    }
    cost(request) {
        let (rows, width) = (rows(request.values.variables - 1), request.values.table.width as f64);
        Cost { moved: 3.0 * rows * width, ext_products: rows * width / T::P::DEGREE as f64, ..Cost::default() }
    }
    uploaded() { requests.len() * size_of::<ExtOf<T>>() }
    requests() {}
    through(on, see) {
        let mut seen: Vec<Request<'_, O::T>> = Vec::with_capacity(requests.len());
        for &Request { values, challenge } in *requests {
            seen.push(Request { values: handed(values, see)?, challenge });
        }
        on.bind(&seen)
    }
    run(on) { on.bind(requests) }
}

/// Whether rows are polynomials of a variable or more.
pub(super) fn multilinear<T: Types>(op: Operation, values: &Multilinear<'_, T>) -> Result<()> {
    require!(values.variables > 0, op, "polynomials without variables: there is no first one");
    some_rows(op, values)
}

/// Whether rows are in their table.
pub(super) fn some_rows<T: Types>(op: Operation, values: &Multilinear<'_, T>) -> Result<()> {
    columns(op, &values.table)?;
    let (first, variables, height) = (values.first, values.variables, values.table.height());
    let end = 1usize.checked_shl(variables).and_then(|rows| rows.checked_add(first));
    let is_in = end.is_some_and(|end| end <= height);
    require!(is_in, op, "2^{variables} rows from row {first} on of a table of {height}");
    Ok(())
}

/// The size of rows.
pub(super) fn of<T: Types>(values: &Multilinear<'_, T>) -> Size {
    Size::of(values.table.width, 1 << values.variables)
}

/// The same rows by another backend's handle.
pub(super) fn handed<'h, T: Types, U: Types<P = T::P>>(
    Multilinear { table, first, variables }: Multilinear<'h, T>,
    see: &'h impl Handles<T, U>,
) -> Result<Multilinear<'h, U>> {
    Ok(Multilinear { table: see.table(table)?, first, variables })
}
