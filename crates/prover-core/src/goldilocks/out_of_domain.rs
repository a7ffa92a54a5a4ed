//! Values out of the domain, and the identity between them.

use air::Column;
use field::{ExtensionField, Field, Goldilocks, powers};
use gpu_hal::{Columns, Combination, CosetProtocol, EvalRequest, StarkBackend};

use super::ProveError;
use super::context::{Committed, Context};
use crate::table::{Ext, Table};

/// The frame, row after row, and the values of the parts.
type OutOfDomain<B> = (Vec<Vec<Ext<B>>>, Vec<Ext<B>>);

impl<B: StarkBackend<P: CosetProtocol>, S, F> Context<'_, B, S, F> {
    /// `frame[d][j] = t_j(g^d z)`, main columns first, and `H_k(z^P)` of every part: one trip to the device. A second
    /// point, if there is one, adds a row with the columns there.
    pub(crate) fn values_at(
        &self,
        main: &Table<B>,
        aux: Option<&Table<B>>,
        composition: &Committed<B>,
        z: Ext<B>,
        second: Option<Ext<B>>,
    ) -> Result<OutOfDomain<B>, ProveError> {
        let layout = self.recorded.layout();
        let frame = self.domains.trace_points().take(layout.frame_rows).map(|g| z * g);
        let points: Vec<Ext<B>> = frame.chain(second).collect();
        let rows = |table| EvalRequest { columns: Columns::as_ref(table), from: self.domains.rows(), points: &points };
        // The parts have degree below n, so n of their evaluations are enough.
        let from = self.domains.prefix(self.domains.log_trace);
        let power = [z.pow(layout.composition_parts as u64)];
        let parts = EvalRequest { columns: composition.lde.as_ref(), from, points: &power };
        let requests: Vec<_> = [parts, rows(main)].into_iter().chain(aux.map(rows)).collect();
        let mut values = self.backend.eval_at(&requests)?.into_iter();
        let parts = values.next().unwrap_or_default();
        let mut frame = values.next().unwrap_or_default();
        for (row, aux_row) in frame.iter_mut().zip(values.flatten()) {
            row.extend(combine_coordinates(&aux_row));
        }
        let parts = parts.iter().flat_map(|row| combine_coordinates::<Ext<B>>(row)).collect();
        Ok((frame, parts))
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
