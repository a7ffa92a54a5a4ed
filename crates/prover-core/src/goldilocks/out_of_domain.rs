//! Values out of the domain, and the identity between them.

use air::Column;
use field::{ExtensionField, Field, Goldilocks, powers};
use gpu_hal::{Combination, CosetProtocol, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use crate::table::{Ext, Table};

impl<B: StarkBackend<P: CosetProtocol>, S> Context<'_, B, S> {
    /// `frame[d][j] = t_j(g^d z)`, main columns first.
    pub(crate) fn frame(
        &self,
        main: &Table<B>,
        aux: Option<&Table<B>>,
        z: Ext<B>,
    ) -> Result<Vec<Vec<Ext<B>>>, ProveError> {
        let rows = self.recorded.layout().frame_rows;
        let points: Vec<Ext<B>> = self.domains.trace_points().take(rows).map(|g| z * g).collect();
        let mut frame = self.backend.eval_at(main.as_ref(), self.domains.rows(), &points)?;
        if let Some(aux) = aux {
            let values = self.backend.eval_at(aux.as_ref(), self.domains.rows(), &points)?;
            for (row, aux_row) in frame.iter_mut().zip(values) {
                row.extend(combine_coordinates(&aux_row));
            }
        }
        Ok(frame)
    }

    /// `H_k(z^P)` of every part: the parts have degree below n, so n of their evaluations are enough.
    pub(crate) fn parts_at(&self, composition: &Committed<B>, z: Ext<B>) -> Result<Vec<Ext<B>>, ProveError> {
        let from = self.domains.prefix(self.domains.log_trace);
        let point = z.pow(self.recorded.layout().composition_parts as u64);
        let values = self.backend.eval_at(composition.lde.as_ref(), from, &[point])?;
        Ok(values.iter().flat_map(|row| combine_coordinates::<Ext<B>>(row)).collect())
    }

    /// The identity that the verifier checks: constraints at z, from the frame, against the parts.
    pub(crate) fn check_identity(
        &self,
        params: &[Ext<B>],
        combination: &Combination<B::P>,
        z: Ext<B>,
        frame: &[Vec<Ext<B>>],
        parts: &[Ext<B>],
    ) -> Result<(), ProveError> {
        let main_columns = self.recorded.layout().main_columns;
        let cell = |column: Column, row: usize| match column {
            Column::Main(index) => frame[row][index],
            Column::Aux(index) => frame[row][main_columns + index],
        };
        let expected = self.recorded.composition_at(z, params, combination, cell)?;
        let claimed = powers(z).zip(parts).fold(Ext::<B>::ZERO, |sum, (power, part)| sum + power * *part);
        if expected != claimed {
            return Err(ProveError::Unsatisfied("the out-of-domain identity fails"));
        }
        Ok(())
    }
}

/// Values of extension columns from the values of their coordinate columns: `sum_c value_c * basis_c`.
fn combine_coordinates<E: ExtensionField<Goldilocks>>(values: &[E]) -> Vec<E> {
    let combine = |column: &[E]| column.iter().enumerate().fold(E::ZERO, |sum, (c, value)| sum + *value * E::basis(c));
    values.chunks_exact(E::DEGREE).map(combine).collect()
}
