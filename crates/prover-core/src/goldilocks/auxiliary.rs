//! Auxiliary columns: running columns by the device, others by the host.

use goldilocks_proof::FormatOptions;
use gpu_hal::{Columns, CosetProtocol, HalError, Protocol, RunningForm, RunningRequest, StarkBackend};

use super::ProveError;
use super::context::Context;
use super::witness::Witness;
use crate::mode::ModeOn;
use crate::table::{Ext, Table, only, shape};

impl<B: StarkBackend<P: CosetProtocol>, S: ModeOn<B>, F: FormatOptions> Context<'_, B, S, F> {
    /// The auxiliary trace, in row order: running columns by the device, host columns uploaded.
    pub(crate) fn auxiliary(
        &self,
        witness: Witness<'_>,
        main_rows: &Table<B>,
        challenges: &[Ext<B>],
    ) -> Result<Table<B>, ProveError> {
        let (backend, recorded) = (self.backend, self.recorded);
        let running = match recorded.running().zip(self.programs.running) {
            None => None,
            Some((spec, program)) => {
                let periodic = self.upload_periodic()?;
                let mut tables = vec![main_rows.as_ref()];
                tables.extend(periodic.iter().map(Columns::as_ref));
                let args = RunningRequest {
                    program,
                    columns: &tables,
                    log_height: recorded.log_trace_length(),
                    params: challenges,
                    form: RunningForm::Columns(&spec.columns),
                };
                Some((spec, only(backend.running(&[args])?).columns))
            }
        };
        let host = self.host_columns(witness, challenges)?;
        match (running, host) {
            (Some((_, table)), None) | (None, Some(table)) => Ok(table),
            (Some((spec, running)), Some(host)) => {
                // Back into the order of declaration.
                let mut source = vec![(0, 0); recorded.layout().aux_columns];
                spec.aux_index.iter().enumerate().for_each(|(at, &index)| source[index] = (0, at));
                recorded.host_aux().iter().enumerate().for_each(|(at, &index)| source[index] = (1, at));
                let picks: Vec<(usize, usize)> = source
                    .into_iter()
                    .flat_map(|(table, at)| {
                        (0..<B::P as Protocol>::DEGREE).map(move |c| (table, at * <B::P as Protocol>::DEGREE + c))
                    })
                    .collect();
                Ok(backend.select(&[running.as_ref(), host.as_ref()], &picks)?)
            }
            (None, None) => unreachable!("the recorder refuses auxiliary columns that nothing declares"),
        }
    }

    /// Uploads the periodic tables, one period each, in the order of their groups.
    pub(crate) fn upload_periodic(&self) -> Result<Vec<Table<B>>, ProveError> {
        let tables = self.recorded.periodic().iter();
        Ok(tables
            .map(|table| {
                let data = || Ok(table.data());
                self.mode.upload::<HalError>(self.backend, shape(table.width(), table.log_height()), data)
            })
            .collect::<Result<_, _>>()?)
    }
}
