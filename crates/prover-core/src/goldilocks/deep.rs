//! The DEEP quotient.

use field::{ExtensionField, Field, Goldilocks, powers};
use gpu_hal::{CosetProtocol, DeepTerm, Protocol, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use crate::table::{Ext, Table};

impl<B: StarkBackend<P: CosetProtocol>, S> Context<'_, B, S> {
    #[expect(clippy::too_many_arguments, reason = "the inputs of one protocol step, each named by the protocol")]
    /// The sum of all DEEP terms on the LDE domain: for each row of the frame the trace columns, then the parts.
    pub(crate) fn deep(
        &self,
        main: &Committed<B>,
        aux: Option<&Committed<B>>,
        composition: &Committed<B>,
        gamma: Ext<B>,
        z: Ext<B>,
        frame: &[Vec<Ext<B>>],
        parts: &[Ext<B>],
    ) -> Result<Table<B>, ProveError> {
        let layout = self.recorded.layout();
        let degree = <B::P as Protocol>::DEGREE;
        let (rows, columns) = (layout.frame_rows, layout.main_columns + layout.aux_columns);
        let weights: Vec<Ext<B>> = powers(gamma).take(rows * columns + parts.len()).collect();
        let coordinates = |table: usize, column: usize, weight: Ext<B>| {
            (0..degree)
                .map(move |c| (table, column * degree + c, weight * <Ext<B> as ExtensionField<Goldilocks>>::basis(c)))
        };
        let mut terms = Vec::with_capacity(rows + 1);
        for (row, (g, values)) in self.domains.trace_points().zip(frame).enumerate() {
            let weight = |column: usize| weights[column * rows + row];
            let mut term =
                DeepTerm { point: z * g, weights: Vec::new(), constant: Ext::<B>::ZERO, slope: Ext::<B>::ZERO };
            for (column, value) in values.iter().enumerate() {
                term.constant += weight(column) * *value;
                match column.checked_sub(layout.main_columns) {
                    None => term.weights.push((0, column, weight(column))),
                    Some(aux_column) => term.weights.extend(coordinates(1, aux_column, weight(column))),
                }
            }
            terms.push(term);
        }
        let parts_table = 1 + usize::from(aux.is_some());
        let mut term = DeepTerm {
            point: z.pow(parts.len() as u64),
            weights: Vec::new(),
            constant: Ext::<B>::ZERO,
            slope: Ext::<B>::ZERO,
        };
        for (part, (value, weight)) in parts.iter().zip(&weights[rows * columns..]).enumerate() {
            term.constant += *weight * *value;
            term.weights.extend(coordinates(parts_table, part, *weight));
        }
        terms.push(term);
        let mut tables = vec![main.lde.as_ref()];
        tables.extend(aux.map(|aux| aux.lde.as_ref()));
        tables.push(composition.lde.as_ref());
        Ok(self.backend.deep_quotient(&tables, self.domains.lde, &terms)?)
    }
}
