//! Values at points.
//!
//! A polynomial is fixed by any block of an extension that has as many points as it has coefficients, and every device
//! has such a block. So points are dealt out to the devices, and nothing crosses but the values. So they are if every
//! device has all of a table. For other tables the first device's rows count.

use gpu_hal::{Basis, Domain, DomainOf, ErrorKind, EvalOrder, EvalRequest, HalError, Operations, Result, Values};

use crate::Sharded;

/// Points of a request, by their numbers.
struct DeviceRequest {
    request: usize,
    points: Vec<usize>,
}

impl<O: Operations> Sharded<O> {
    /// [`Operations::eval_at`].
    pub(crate) fn values(&self, requests: &[EvalRequest<'_, Self>]) -> Result<Vec<Values<O::T>>> {
        let dealt = self.dealt(requests);
        let bring = |device: usize| {
            let (mut parts, mut domains) = (Vec::new(), Vec::new());
            for asked in &dealt[device] {
                let request = &requests[asked.request];
                let (table, of_device) = (request.columns, self.share_domain(request, device));
                let log_block = table.log_height.saturating_sub(self.log_count());
                let (first, log_rows, from) = match (of_device, request.from) {
                    (_, from) if table.data.is_everywhere() => (0, table.log_height, from),
                    (Some(domain), _) => {
                        let from = Basis::Evaluations { domain, order: EvalOrder::Storage };
                        (device << log_block, log_block, from)
                    }
                    // The first device's block serves as it is, if the rows that count are there.
                    (None, from @ Basis::Evaluations { domain, order: EvalOrder::Storage })
                        if table.data.is_split() =>
                    {
                        (0, domain.log_size().max(log_block), from)
                    }
                    (None, from) => (0, table.log_height, from),
                };
                parts.push(self.rows(table, device, first, log_rows)?);
                domains.push(from);
            }
            Ok((parts, domains))
        };
        let brought = self.numbers().map(bring).collect::<Result<Vec<(Vec<_>, Vec<_>)>>>()?;
        let of_devices = self.each(|device| {
            let (parts, domains) = &brought[device];
            let points = dealt[device].iter().map(|asked| {
                let all = requests[asked.request].points;
                asked.points.iter().map(|point| all[*point]).collect::<Vec<_>>()
            });
            let points: Vec<_> = points.collect();
            let mut local: Vec<EvalRequest<'_, O::T>> = Vec::with_capacity(parts.len());
            for ((part, from), points) in parts.iter().zip(domains).zip(&points) {
                local.push(EvalRequest { columns: part.as_ref(), from: *from, points });
            }
            if local.is_empty() { Ok(Vec::new()) } else { self.on(device, |on| on.eval_at(&local)) }
        })?;
        let mut all: Vec<Values<O::T>> =
            requests.iter().map(|request| vec![Vec::new(); request.points.len()]).collect();
        for (dealt, values) in dealt.iter().zip(of_devices) {
            if dealt.len() != values.len() {
                let detail = format!("{} results for {} requests of a device", values.len(), dealt.len());
                return Err(HalError::new(ErrorKind::Backend, "sharded", detail));
            }
            for (asked, values) in dealt.iter().zip(values) {
                asked.points.iter().zip(values).for_each(|(point, value)| all[asked.request][*point] = value);
            }
        }
        Ok(all)
    }

    /// The requests to each device: each point goes to the device that has least to do up to then, the first of these.
    fn dealt(&self, requests: &[EvalRequest<'_, Self>]) -> Vec<Vec<DeviceRequest>> {
        let mut dealt: Vec<Vec<DeviceRequest>> = self.numbers().map(|_| Vec::new()).collect();
        let mut loads = vec![0; self.count()];
        for (number, request) in requests.iter().enumerate() {
            let is_shared = request.columns.data.is_everywhere() || self.share_domain(request, 0).is_some();
            let log_size = match request.from {
                Basis::Evaluations { domain, .. } => domain.log_size(),
                Basis::Coefficients => request.columns.log_height,
            };
            for point in 0..request.points.len() {
                let least = self.numbers().min_by_key(|device| loads[*device]).unwrap_or(0);
                let device = if is_shared { least } else { 0 };
                loads[device] += (request.columns.width as u64) << log_size;
                match dealt[device].last_mut().filter(|asked| asked.request == number) {
                    Some(asked) => asked.points.push(point),
                    None => dealt[device].push(DeviceRequest { request: number, points: vec![point] }),
                }
            }
        }
        dealt
    }

    /// The domain of the first rows of a device's part of a request's table, as many as count, if these fix the same
    /// polynomials.
    fn share_domain(&self, request: &EvalRequest<'_, Self>, device: usize) -> Option<DomainOf<O::T>> {
        let Basis::Evaluations { domain, order: EvalOrder::Storage } = request.from else { return None };
        let extension = request.columns.data.extension.as_ref().filter(|_| self.capabilities().blocks)?;
        let log_size = domain.log_size();
        let log_more = extension.on.log_size().checked_sub(self.log_count())?.checked_sub(log_size)?;
        let is_same = log_size >= extension.log_degree && extension.on.prefix(log_size) == Some(domain);
        is_same.then(|| extension.on.block(log_size, (device as u32) << log_more)).flatten()
    }
}
