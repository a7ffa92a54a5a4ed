//! The DEEP quotient.

use field::{ExtensionField, Field, Goldilocks, powers};
use gpu_hal::{CosetProtocol, DeepTerm, Protocol, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use crate::table::{Ext, Table};

/// The points out of the domain, with the values there.
pub(crate) struct Points<'a, E> {
    pub(crate) z: E,
    /// The second one, if there are two.
    pub(crate) second: Option<E>,
    /// The columns at `g^d z`, row by row, then at the second point.
    pub(crate) rows: &'a [Vec<E>],
    /// The parts at `z^P`.
    pub(crate) parts: &'a [E],
}

impl<B: StarkBackend<P: CosetProtocol>, S, F> Context<'_, B, S, F> {
    /// The sum of all DEEP terms on the LDE domain: for each row of the frame the trace columns, then the parts, then
    /// the trace columns at the second point. The powers of gamma go through the frame column by column, then through
    /// the parts, then through the columns. The mask word is added, if there is one.
    pub(crate) fn deep(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        composition: &Committed<B>,
        gamma: Ext<B>,
        points: &Points<'_, Ext<B>>,
    ) -> Result<Table<B>, ProveError> {
        let layout = self.recorded.layout();
        let (rows, columns) = (layout.frame_rows, layout.main_columns + layout.aux_columns);
        let Points { z, second, parts, .. } = *points;
        // A mask word has the weight 1.
        let of_word = usize::from(composition.word.is_some());
        let weights: Vec<Ext<B>> = powers(gamma).skip(of_word).take((rows + 1) * columns + parts.len()).collect();
        let (of_frame, rest) = weights.split_at(rows * columns);
        let (of_parts, of_second) = rest.split_at(parts.len());
        let of_columns = |point, values: &[Ext<B>], weight: &dyn Fn(usize) -> Ext<B>| {
            let mut term = no_term::<B>(point);
            for (column, value) in values.iter().enumerate() {
                match column.checked_sub(layout.main_columns) {
                    None => {
                        term.constant += weight(column) * *value;
                        term.weights.push((0, column, weight(column)));
                    }
                    Some(aux) => add::<B>(&mut term, (1, aux), weight(column), *value),
                }
            }
            term
        };
        let frame = self.domains.trace_points().zip(points.rows).take(rows).enumerate();
        let frame = frame.map(|(row, (g, values))| of_columns(z * g, values, &|column| of_frame[column * rows + row]));
        let mut terms: Vec<DeepTerm<B::P>> = frame.collect();
        let parts_table = 1 + usize::from(aux.is_some());
        let mut term = no_term::<B>(z.pow(parts.len() as u64));
        for (part, (value, weight)) in parts.iter().zip(of_parts).enumerate() {
            add::<B>(&mut term, (parts_table, part), *weight, *value);
        }
        terms.push(term);
        terms.extend(
            second
                .zip(points.rows.get(rows))
                .map(|(point, values)| of_columns(point, values, &|column| of_second[column])),
        );
        let mut tables = vec![main.lde.as_ref()];
        tables.extend(aux.map(|aux| aux.lde.as_ref()));
        tables.push(composition.lde.as_ref());
        let mut quotient = self.backend.deep_quotient(&tables, self.domains.lde, &terms)?;
        if let Some(word) = &composition.word {
            self.backend.accumulate(quotient.as_mut(), word.as_ref())?;
        }
        Ok(quotient)
    }
}

fn no_term<B: StarkBackend<P: CosetProtocol>>(point: Ext<B>) -> DeepTerm<B::P> {
    DeepTerm { point, weights: Vec::new(), constant: Ext::<B>::ZERO, slope: Ext::<B>::ZERO }
}

/// Adds an extension column of a table, which is one base column for each coordinate.
fn add<B: StarkBackend<P: CosetProtocol>>(
    term: &mut DeepTerm<B::P>,
    (table, column): (usize, usize),
    weight: Ext<B>,
    value: Ext<B>,
) {
    let degree = <B::P as Protocol>::DEGREE;
    let coordinate = |c: usize| weight * <Ext<B> as ExtensionField<Goldilocks>>::basis(c);
    term.constant += weight * value;
    term.weights.extend((0..degree).map(|c| (table, column * degree + c, coordinate(c))));
}
