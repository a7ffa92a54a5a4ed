//! The backend, and how it runs the work of its devices.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use gpu_hal::{Budget, CancelToken, Capabilities, Domain, ErrorKind, HalError, Operation, Operations, Result};
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Log2 of the rows of the smallest block, if nobody says otherwise: a device does less than this faster alone.
const LOG_LEAST_ROWS: u32 = 12;

/// Several devices as one. See the crate.
///
/// ```
/// # use backend_cpu::Cpu;
/// # use backend_placement::Sharded;
/// # use gpu_hal::{CircleStark, StarkBackend};
/// # fn main() -> gpu_hal::Result<()> {
/// let devices = vec![Cpu::<CircleStark>::with_threads(1)?, Cpu::with_threads(1)?];
/// let backend = Sharded::new(devices)?;
/// assert_eq!(backend.capabilities().backend, "2 x cpu");
/// # Ok(())
/// # }
/// ```
///
/// The devices are of one kind and do the same; results equal the results of one of them alone. A device that is lost
/// makes the whole lost. Errors name the device, unless arguments are wrong. Proofs on one `Sharded` wait for each
/// other's memory, not for the memory of other proofs on its devices.
///
/// One device is that device: it bears its name and does all that it can do, its numbers of memory are its own, and
/// proofs on others of its budget are waited for.
#[derive(Debug)]
pub struct Sharded<O> {
    devices: Vec<Arc<O>>,
    log_least: u32,
    cuts_uploads: bool,
    /// How many real devices there are: `i` and `i + reals` are parts of one, which does one thing at a time.
    reals: usize,
    capabilities: Capabilities,
    pub(crate) budget: Budget,
    /// Whether the devices are shapes, of which a plan is made.
    pub(crate) is_rehearsal: bool,
    /// The error of the first device that was lost.
    lost: OnceLock<String>,
    /// A thread for each device but the first, which stay: a thread's first call of a driver takes longer than most
    /// operations. None where there is one device, or devices are parts or shapes.
    threads: Option<ThreadPool>,
}

impl<O: Operations> Sharded<O> {
    /// The devices as one, which has the capabilities that all of them have.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidArgument`] if the number of devices is no power of two, [`ErrorKind::Unsupported`] if they
    /// have no [`Operation::Select`], by which blocks are cut out and joined.
    pub fn new(devices: Vec<O>) -> Result<Self> {
        let all = Self::without_threads(devices)?;
        Ok(Self { threads: threads_for(all.reals)?, ..all })
    }

    /// [`Self::new`], without threads.
    fn without_threads(devices: Vec<O>) -> Result<Self> {
        let count = devices.len();
        if !count.is_power_of_two() {
            let detail = format!("{count} devices: give 1, 2, 4 or another power of two");
            return Err(HalError::invalid("set-up", detail));
        }
        let mut capabilities = devices[0].capabilities().clone();
        for other in devices[1..].iter().map(Operations::capabilities) {
            capabilities.operations.retain(|operation| other.operations.contains(operation));
            capabilities.hashes.retain(|hash| other.hashes.contains(hash));
            capabilities.max_log_height = capabilities.max_log_height.min(other.max_log_height);
            capabilities.blocks &= other.blocks;
        }
        if count == 1 {
            let budget = devices[0].budget().clone();
            return Ok(Self::of(devices, capabilities, budget));
        }
        if !capabilities.operations.contains(&Operation::Select) {
            let detail = format!(
                "{} has no {}, by which tables are cut: take one device",
                capabilities.backend,
                Operation::Select
            );
            return Err(HalError::unsupported("set-up", detail));
        }
        capabilities.backend = format!("{count} x {}", capabilities.backend);
        capabilities.at_once = count;
        let names: Vec<&str> = devices.iter().map(|device| device.capabilities().device.as_str()).collect();
        capabilities.device = names.join(" and ");
        Ok(Self::of(devices, capabilities, Budget::default()))
    }

    /// Devices as one, each given as its parts, as many of each: an operation takes less of a device's memory at once.
    /// Parts of one device work one after the other, always in the same order, devices at the same time. Parts share
    /// memory and budget; all have the first part's budget. Names and errors are the devices'.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn in_parts(devices: Vec<Vec<O>>) -> Result<Self> {
        let reals = devices.len();
        let parts = devices.first().map_or(0, Vec::len);
        if !reals.is_power_of_two() || !parts.is_power_of_two() {
            let detail = format!("{reals} devices in {parts} parts: give 1, 2, 4 or another power of two of each");
            return Err(HalError::invalid("set-up", detail));
        }
        // The first blocks go to one device each, so that a table cut into fewer parts than there are goes to as many
        // devices.
        let mut devices: Vec<_> = devices.into_iter().map(Vec::into_iter).collect();
        let dealt: Vec<O> =
            (0..parts).flat_map(|_| devices.iter_mut().filter_map(Iterator::next).collect::<Vec<_>>()).collect();
        let (of_first, budget) = (dealt[0].capabilities().clone(), dealt[0].budget().clone());
        let names: Vec<String> = dealt[..reals].iter().map(|device| device.capabilities().device.clone()).collect();
        let all = Self::without_threads(dealt)?;
        let backend = if reals == 1 { of_first.backend } else { format!("{reals} x {}", of_first.backend) };
        // Another part is no other device: to deal requests out to it saves neither time nor memory.
        let capabilities = Capabilities { backend, device: names.join(" and "), at_once: reals, ..all.capabilities };
        Ok(Self { capabilities, budget, reals, threads: threads_for(reals)?, ..all })
    }

    fn of(devices: Vec<O>, capabilities: Capabilities, budget: Budget) -> Self {
        let (log_least, devices) = (LOG_LEAST_ROWS, devices.into_iter().map(Arc::new).collect::<Vec<_>>());
        Self {
            reals: devices.len(),
            devices,
            log_least,
            cuts_uploads: false,
            capabilities,
            budget,
            is_rehearsal: false,
            lost: OnceLock::new(),
            threads: None,
        }
    }

    /// The same with blocks of `2^log_rows` rows at least, 2 or more; 2^12 if nobody says otherwise. Smaller tables are
    /// whole on the first device. Results do not depend on it: it is for tests, whose tables are small.
    #[doc(hidden)]
    pub fn with_least_rows(mut self, log_rows: u32) -> Self {
        self.log_least = log_rows.max(1);
        self
    }

    /// The same with blocks of uploaded tables, too, where they are large enough. No proof is faster by it; it is for
    /// tests, which upload the inputs of operations, and so reach the code for blocks. It has no operations that make
    /// traces or are of sum-checks: its footprints of them are of whole tables.
    #[doc(hidden)]
    pub fn with_cut_uploads(mut self) -> Self {
        self.cuts_uploads = true;
        let is_kept = |operation: &Operation| !operation.makes_traces() && !operation.is_of_sumchecks();
        self.capabilities.operations.retain(is_kept);
        self
    }

    /// The same of shapes on as many devices, to make a plan.
    pub(crate) fn rehearsed<U>(&self, devices: Vec<U>) -> Sharded<U> {
        Sharded {
            devices: devices.into_iter().map(Arc::new).collect(),
            log_least: self.log_least,
            cuts_uploads: self.cuts_uploads,
            reals: self.reals,
            capabilities: self.capabilities.clone(),
            budget: self.budget.clone(),
            is_rehearsal: true,
            lost: OnceLock::new(),
            threads: None,
        }
    }

    /// Whether tables are cut when they are uploaded.
    pub(crate) fn cuts_uploads(&self) -> bool {
        self.cuts_uploads
    }

    /// How many real devices there are: the first of them are one part of each.
    pub(crate) fn reals(&self) -> usize {
        self.reals
    }

    /// Whether several of them are parts of one real device.
    pub(crate) fn are_parts(&self) -> bool {
        self.reals < self.count()
    }

    /// The number of the real device that one is a part of.
    pub(crate) fn real(&self, device: usize) -> usize {
        device % self.reals
    }

    /// The devices.
    pub fn devices(&self) -> &[Arc<O>] {
        &self.devices
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// How many devices there are.
    pub(crate) fn count(&self) -> usize {
        self.devices.len()
    }

    /// Log2 of the number of devices.
    pub(crate) fn log_count(&self) -> u32 {
        self.count().ilog2()
    }

    /// Log2 of the rows of a block of a table of `2^log_height` rows, if it is large enough to be one.
    pub(crate) fn log_block(&self, log_height: u32) -> Option<u32> {
        log_height.checked_sub(self.log_count()).filter(|log_block| *log_block >= self.log_least && self.count() > 1)
    }

    /// Log2 of the rows of the lowest table that is in blocks.
    pub(crate) fn log_smallest(&self) -> u32 {
        self.log_least + self.log_count()
    }

    /// The numbers of the devices.
    pub(crate) fn numbers(&self) -> Range<usize> {
        0..self.count()
    }

    /// Log2 of the number of parts that `2^log_rows` rows are cut in, of `2^log_least` rows or more: one for each
    /// device, or fewer where they would be too small.
    pub(crate) fn log_parts(&self, log_rows: u32, log_least: u32) -> u32 {
        log_rows.saturating_sub(self.log_least.max(log_least)).min(self.log_count())
    }

    /// The domains of the blocks of tables on a domain, if the devices take them and they are large enough.
    pub(crate) fn blocks_of<D: Domain>(&self, domain: &D) -> Option<Vec<D>> {
        self.log_block(domain.log_size())?;
        self.parts_of(domain, self.log_count())
    }

    /// The domains of `2^log_parts` parts of a domain, if the devices take them.
    pub(crate) fn parts_of<D: Domain>(&self, domain: &D, log_parts: u32) -> Option<Vec<D>> {
        let log_part = domain.log_size().checked_sub(log_parts)?;
        let blocks: Option<Vec<D>> = (0..1 << log_parts).map(|number| domain.block(log_part, number)).collect();
        blocks.filter(|blocks| self.capabilities.blocks || blocks.iter().all(|block| block.block_index() == 0))
    }

    /// The device, if there is one alone.
    pub(crate) fn only(&self) -> Option<&O> {
        if let [only] = self.devices.as_slice() { Some(only) } else { None }
    }

    /// All devices but the first.
    pub(crate) fn others(&self) -> Vec<&O> {
        self.devices[1..].iter().map(|device| &**device).collect()
    }

    /// Runs something on one device.
    pub(crate) fn on<R>(&self, device: usize, run: impl FnOnce(&O) -> Result<R>) -> Result<R> {
        if let Some(only) = self.only() {
            return run(only);
        }
        if let Some(lost) = self.lost.get() {
            return Err(HalError::new(ErrorKind::DeviceLost, "sharded", lost.clone()));
        }
        run(&self.devices[device]).map_err(|error| self.of_device(device, error))
    }

    /// An error of a device, which is named. If the device is lost, so is the whole.
    pub(crate) fn of_device(&self, device: usize, error: HalError) -> HalError {
        // Arguments are as wrong on any device, and every backend says so in the same words.
        if error.kind == ErrorKind::InvalidArgument {
            return error;
        }
        let detail = match self.reals {
            1 => error.detail,
            reals => format!("device {} of {reals}: {}", self.real(device), error.detail),
        };
        if error.kind == ErrorKind::DeviceLost {
            // If two are lost, one of them is enough to name.
            let _ = self.lost.set(detail.clone());
        }
        HalError { detail, ..error }
    }

    /// Runs something for every device at once, each on a thread of its own; parts of one device one after the other.
    /// The error is that of the first device that has one.
    ///
    /// Work that is run for a device takes memory of this device alone, so that a device's peak does not depend on the
    /// threads: data from other devices is brought before ([`Self::brought`]). Shapes take no time, and no threads.
    pub(crate) fn each<R: Send>(&self, run: impl Fn(usize) -> Result<R> + Sync) -> Result<Vec<R>> {
        self.first(self.count(), run)
    }

    /// The same for the first `count` devices.
    pub(crate) fn first<R: Send>(&self, count: usize, run: impl Fn(usize) -> Result<R> + Sync) -> Result<Vec<R>> {
        let Some(pool) = self.threads.as_ref().filter(|_| count > 1) else { return (0..count).map(run).collect() };
        // The results of each part up to the first error of its device, and the part that had it. The threads of the
        // other devices are under no flag of their own.
        let stop = CancelToken::here();
        let of_real = |real: usize| {
            let parts = || (real..count).step_by(self.reals).map(|part| run(part).map_err(|error| (part, error)));
            stop.over(|| parts().collect())
        };
        let of_real = &of_real;
        type OfReal<R> = std::result::Result<Vec<R>, (usize, HalError)>;
        let mut results: Vec<OfReal<R>> = (0..self.reals.min(count)).map(|_| Ok(Vec::new())).collect();
        pool.in_place_scope(|scope| {
            let mut reals = results.iter_mut().enumerate();
            let first = reals.next();
            reals.for_each(|(real, result)| scope.spawn(move |_| *result = of_real(real)));
            if let Some((real, result)) = first {
                *result = of_real(real);
            }
        });
        let mut errors = Vec::new();
        let mut made = Vec::with_capacity(results.len());
        for result in results {
            match result {
                Ok(parts) => made.push(parts.into_iter()),
                Err(error) => errors.push(error),
            }
        }
        match errors.into_iter().min_by_key(|(part, _)| *part) {
            Some((_, error)) => Err(error),
            None => Ok((0..count).filter_map(|part| made[self.real(part)].next()).collect()),
        }
    }
}

/// A thread for each device but the first.
fn threads_for(reals: usize) -> Result<Option<ThreadPool>> {
    if reals == 1 {
        return Ok(None);
    }
    let threads = ThreadPoolBuilder::new()
        .num_threads(reals - 1)
        .thread_name(|index| format!("polystark-device-{}", index + 1))
        .build();
    let failed = |error| HalError::new(ErrorKind::Backend, "set-up", format!("no threads for devices: {error}"));
    threads.map(Some).map_err(failed)
}
