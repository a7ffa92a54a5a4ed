//! Interactions as auxiliary columns: running sums of fractions over the rows.
//!
//! With `f(r)` the sum of some fractions on row `r`, their column is `S(r) = f(0) + ... + f(r)`. On the first row
//! `S = f`, on all rows but the last `S(next) - S = f(next)`, and on the last row all columns sum up to zero.

use std::ops::Range;

use air::{AirBuilder, Expr, Rows, Scan};
use gpu_hal::Protocol;

use crate::P3Field;
use crate::p3_air::{P3Air, Tables};

/// Numerator and denominator.
type Fraction<'e, F> = (Expr<'e, <F as P3Field>::Protocol>, Expr<'e, <F as P3Field>::Protocol>);

/// Declares the columns, which sum up as many fractions each as `sizes` say, and their constraints.
pub(crate) fn define<F: P3Field>(
    air: &P3Air<F>,
    sizes: &[usize],
    builder: &AirBuilder<F::Protocol>,
    tables: &mut Tables,
) {
    let (this, next) = (fractions(air, builder, tables, 0), fractions(air, builder, tables, 1));
    let (mut start, mut total) = (0, builder.number(0));
    for (column, size) in sizes.iter().enumerate() {
        let range: Range<usize> = start..start + size;
        start = range.end;
        builder.running_sum(&this[range.clone()], Scan::Inclusive);
        let (sum, sum_next) = (builder.aux(column, 0), builder.aux(column, 1));
        let (numerator, denominator) = together(&this[range.clone()]);
        builder.transition(sum * denominator - numerator, Rows::all().every(air.rows()));
        let (numerator, denominator) = together(&next[range]);
        builder.transition((sum_next - sum) * denominator - numerator, Rows::all().except_last(1));
        total = if column == 0 { sum } else { total + sum };
    }
    builder.transition(total, Rows::all().every(air.rows()).from(air.rows() - 1));
}

/// The fraction of each message, a number of rows ahead.
fn fractions<'e, F: P3Field>(
    air: &P3Air<F>,
    builder: &'e AirBuilder<F::Protocol>,
    tables: &mut Tables,
    ahead: usize,
) -> Vec<Fraction<'e, F>> {
    let made = air.expressions(builder, tables, &air.graph.needed(air.lookups.roots()), ahead);
    let at = |id: u32| made[id as usize].expect("roots are needed");
    let (z, alpha) = (builder.challenge(0), builder.challenge(1));
    let fraction = |(message, bus): (&crate::lookups::Message, &u64)| {
        let values = message.values.iter().rev().map(|value| at(*value)).reduce(|sum, value| sum * alpha + value);
        let bus = builder.number(*bus);
        (at(message.count), z - values.map_or(bus, |values| values * alpha + bus))
    };
    air.lookups.messages.iter().zip(&air.buses).map(fraction).collect()
}

/// `a/b + c/d = (a d + c b)/(b d)`, of at least one.
fn together<'e, P: Protocol>(fractions: &[(Expr<'e, P>, Expr<'e, P>)]) -> (Expr<'e, P>, Expr<'e, P>) {
    let sum = |(a, b): (Expr<'e, P>, Expr<'e, P>), (c, d): (Expr<'e, P>, Expr<'e, P>)| (a * d + c * b, b * d);
    fractions.iter().copied().reduce(sum).expect("a column sums up at least one fraction")
}
