//! [`Operations`] on a [`KernelDevice`]: each enqueues kernels and copies.

use std::ops::Range;

use gpu_hal::clock::{ElapsedTimer, Profile};
use gpu_hal::decorate::Rehearsed;
use gpu_hal::{
    Accumulated, Basis, BindRequest, BindSumRequest, BoundSums, Budget, Capabilities, Columns, ConstraintProgram,
    Constraints, DeepTerm, DeferredFault, DeviceClock, Digest, ErrorKind, EvalRequest, Footprint, HalError, HashFn,
    Leaves, LinearRecurrence, MakeElements, MapArgs, MemoryInfo, NonceSearch, OpenRequest, Opened, Operation,
    Operations, RandomRows, Result, RowRun, RowsOutput, RunningRequest, SumRequest, TreeMapArgs, Uploaded, Values,
};

use crate::buffer::{GpuBuffer, GpuTree, NewTable, Table};
use crate::cache::Cache;
use crate::call::{Call, Runtime};
use crate::device::{DeviceInfo, KernelDevice};
use crate::generated::GeneratedKernels;
use crate::host_store::HostStore;
use crate::library::Library;
use crate::pool::Pool;
use crate::profile::Profiler;
use crate::program::GpuProgram;
use crate::protocol::GpuProtocol;
use crate::row_programs::kept::KeptPrograms;
use crate::types::GpuTypes;
use crate::{
    columns, constraints, eval_at, footprint, nodes, openings, random, recurrence, row_programs, running, sumchecks,
    tree,
};

/// The backend of a protocol on a device. Every operation is done by kernels (or copies on the device); none is done by
/// the host.
pub struct GpuBackend<D: KernelDevice, P: GpuProtocol> {
    pub(crate) runtime: Runtime<D, P>,
    capabilities: Capabilities,
}

impl<D: KernelDevice, P: GpuProtocol> GpuBackend<D, P> {
    /// A backend that calls itself `name`.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for an extension that there are no kernels for, [`ErrorKind::Unavailable`] for a
    /// device that is too small for them.
    pub fn new(name: &str, device: D) -> Result<Self> {
        Self::build(name, device, None)
    }

    /// A backend that takes at most `bytes` bytes from the device, live and kept for reuse; an allocation beyond them
    /// fails with [`ErrorKind::OutOfMemory`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_memory_limit(name: &str, device: D, bytes: u64) -> Result<Self> {
        Self::build(name, device, Some(bytes))
    }

    fn build(name: &str, device: D, limit: Option<u64>) -> Result<Self> {
        P::check_extension()?;
        check_device(device.info())?;
        let capabilities = Capabilities {
            backend: name.to_owned(),
            device: device.info().name.clone(),
            operations: Operation::ALL.to_vec(),
            hashes: P::UNITS.hashes.iter().map(|units| units.hash).collect(),
            max_log_height: P::MAX_LOG_HEIGHT,
            blocks: true,
            at_once: 1,
            stops: false,
        };
        let runtime = Runtime {
            pool: Pool::new(device.info().granularity, limit),
            budget: device.budget(),
            device,
            library: Library::new(),
            generated: GeneratedKernels::new(),
            row_programs: KeptPrograms::default(),
            profiler: Profiler::new(),
            store: HostStore::new(),
            units: P::UNITS,
            roots: Cache::default(),
            factors: Cache::default(),
        };
        Ok(Self { runtime, capabilities })
    }

    /// The device.
    pub fn device(&self) -> &D {
        &self.runtime.device
    }

    /// The kernels, copies and fills that the device enqueued for an operation since the last reset.
    pub fn launches(&self, op: Operation) -> u64 {
        self.runtime.profiler.launches(op)
    }

    /// The device's work since the last [`Self::reset_profile`]; waits if times are taken.
    ///
    /// # Errors
    /// The errors of the device.
    pub fn profile(&self) -> Result<Profile> {
        self.runtime.profiler.profile(&self.runtime.device)
    }

    /// Counts anew. With `timed` every kernel, copy and fill is put between two moments of the device, which costs it a
    /// microsecond or two each; [`Self::profile`] has their times.
    pub fn reset_profile(&self, timed: bool) {
        self.runtime.profiler.reset(timed);
    }

    /// Bytes that are kept for reuse.
    pub fn kept_bytes(&self) -> u64 {
        self.runtime.pool.counts().2
    }

    /// Gives memory that was kept for reuse back to the device.
    pub fn trim(&self) {
        self.runtime.pool.trim();
    }

    pub(crate) fn call(&self, op: Operation) -> Call<'_, D, P> {
        self.runtime.call(op)
    }
}

/// Events in the device's queue.
impl<D: KernelDevice, P: GpuProtocol> DeviceClock for GpuBackend<D, P> {
    fn name(&self) -> &'static str {
        "device events before and after"
    }

    fn start(&self) -> Result<Option<ElapsedTimer<'_>>> {
        let device = self.device();
        device.synchronize()?;
        let start = device.record()?;
        Ok(Some(Box::new(move || device.elapsed(&start, &device.record()?))))
    }

    fn profile(&self) -> Result<Profile> {
        Self::profile(self)
    }

    fn reset_profile(&self, timed: bool) {
        Self::reset_profile(self, timed);
    }
}

impl<D: KernelDevice, P: GpuProtocol> Operations for GpuBackend<D, P> {
    type T = GpuTypes<D, P>;
    type Shapes = Rehearsed<Self>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let (in_use, peak, kept) = self.runtime.pool.counts();
        // Kept memory can be given back.
        let free = self.runtime.device.free_memory()?.map(|free| free.saturating_add(kept));
        let allowed = self.runtime.pool.limit().map(|limit| limit.saturating_sub(in_use));
        let available = match (free, allowed) {
            (Some(free), Some(allowed)) => Some(free.min(allowed)),
            (one, other) => one.or(other),
        };
        // A plan counts tables that are kept for all statements; some may be made already.
        let made = footprint::made(&self.runtime);
        Ok(MemoryInfo {
            available: available.map(|bytes| bytes.saturating_add(made)),
            in_use,
            peak,
            is_host: false,
            moved: None,
        })
    }

    fn budget(&self) -> &Budget {
        &self.runtime.budget
    }

    fn footprint(&self, of: &Footprint<'_, GpuTypes<D, P>>) -> u64 {
        footprint::footprint(&self.runtime, of)
    }

    fn clock(&self) -> Option<&dyn DeviceClock> {
        Some(self)
    }

    fn upload(&self, data: &[P::Base], width: usize, log_height: u32) -> Result<NewTable<D>> {
        columns::upload(self.call(Operation::Upload), data, width, log_height)
    }

    fn upload_made(&self, make: &MakeElements<'_, P::Base>, width: usize, log_height: u32) -> Result<NewTable<D>> {
        columns::upload_made(self.call(Operation::Upload), make, width, log_height)
    }

    fn download(&self, table: Table<'_, D>, rows: Range<usize>) -> Result<Vec<P::Base>> {
        columns::download(self.call(Operation::Download), table, rows)
    }

    fn sync(&self) -> Result<()> {
        self.call(Operation::Sync).runtime.device.synchronize()
    }

    fn ntt(
        &self,
        table: Columns<&mut GpuBuffer<D::Memory>>,
        from: Basis<P::Domain>,
        to: Basis<P::Domain>,
    ) -> Result<()> {
        P::ntt(self.call(Operation::Ntt), table, from, to)
    }

    fn lde(&self, table: Table<'_, D>, from: Basis<P::Domain>, to: P::Domain) -> Result<NewTable<D>> {
        columns::lde(self.call(Operation::Lde), table, from, to)
    }

    fn upload_lde(
        &self,
        columns: &[&[P::Base]],
        log_height: u32,
        from: Basis<P::Domain>,
        to: P::Domain,
        keep: bool,
    ) -> Result<Uploaded<GpuBuffer<D::Memory>>> {
        let (rows, extended) = columns::upload_lde(self.call(Operation::UploadLde), columns, log_height, from, to)?;
        Ok((keep.then_some(rows), extended))
    }

    fn split(&self, coefficients: Table<'_, D>, parts: usize, log_part: u32) -> Result<NewTable<D>> {
        columns::split(self.call(Operation::Split), coefficients, parts, log_part)
    }

    fn select(&self, tables: &[Table<'_, D>], picks: &[(usize, usize)]) -> Result<NewTable<D>> {
        columns::select(self.call(Operation::Select), tables, picks)
    }

    fn merkle(&self, tables: &[Table<'_, D>], leaves: Leaves, hash: HashFn) -> Result<GpuTree<D::Memory>> {
        tree::merkle(self.call(Operation::Merkle), tables, leaves, hash)
    }

    fn root(&self, tree: &GpuTree<D::Memory>) -> Result<Digest> {
        tree::root(self.call(Operation::Root), tree)
    }

    fn open(&self, requests: &[OpenRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<Opened<P::Base>>> {
        openings::open(self.call(Operation::Open), requests)
    }

    fn prepare(&self, program: &ConstraintProgram<P>) -> Result<GpuProgram<P, D>> {
        GpuProgram::new(program)
    }

    fn running(&self, requests: &[RunningRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<Accumulated<GpuTypes<D, P>>>> {
        running::running(self.call(Operation::Running), requests)
    }

    fn constraint_eval(&self, requests: &[Constraints<'_, GpuTypes<D, P>>]) -> Result<Vec<NewTable<D>>> {
        let call = self.call(Operation::ConstraintEval);
        requests.iter().map(|args| constraints::evaluate(call, args)).collect()
    }

    fn accumulate(&self, into: Columns<&mut GpuBuffer<D::Memory>>, from: Table<'_, D>) -> Result<()> {
        columns::accumulate(self.call(Operation::Accumulate), into, from)
    }

    fn random(&self, into: Columns<&mut GpuBuffer<D::Memory>>, rows: &RandomRows) -> Result<()> {
        random::random(self.call(Operation::Random), into, rows)
    }

    fn bind(&self, requests: &[BindRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<NewTable<D>>> {
        sumchecks::bind(self.call(Operation::Bind), requests)
    }

    fn sum(&self, requests: &[SumRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<Vec<P::Ext>>> {
        sumchecks::sum(self.call(Operation::Sum), requests)
    }

    fn bind_sum(&self, requests: &[BindSumRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<BoundSums<GpuTypes<D, P>>>> {
        sumchecks::bind_sum(self.call(Operation::BindSum), requests)
    }

    fn eval_at(&self, requests: &[EvalRequest<'_, GpuTypes<D, P>>]) -> Result<Vec<Values<GpuTypes<D, P>>>> {
        eval_at::eval_at(self.call(Operation::EvalAt), requests)
    }

    fn deep_quotient(
        &self,
        tables: &[Table<'_, D>],
        log_cut: u32,
        domain: P::Domain,
        terms: &[DeepTerm<P>],
    ) -> Result<NewTable<D>> {
        P::deep_quotient(self.call(Operation::DeepQuotient), tables, log_cut, &domain, terms)
    }

    fn fri_fold(
        &self,
        layer: Table<'_, D>,
        domain: P::Domain,
        folded: P::Domain,
        alpha: P::Ext,
    ) -> Result<NewTable<D>> {
        P::fold(self.call(Operation::FriFold), layer, &domain, &folded, alpha)
    }

    fn grind(&self, challenge: &NonceSearch, windows: Range<u64>) -> Result<Option<u64>> {
        tree::grind(self.call(Operation::Grind), challenge, windows)
    }

    fn recurrence(&self, args: &LinearRecurrence<P::Base>) -> Result<NewTable<D>> {
        recurrence::recurrence(self.call(Operation::Recurrence), args)
    }

    fn map(&self, args: &MapArgs<'_, GpuTypes<D, P>>) -> Result<NewTable<D>> {
        constraints::map(self.call(Operation::Map), args)
    }

    fn tree_map(&self, args: &TreeMapArgs<'_, GpuTypes<D, P>>) -> Result<NewTable<D>> {
        nodes::tree_map(self.call(Operation::TreeMap), args)
    }

    fn rows(
        &self,
        args: &RowRun<'_, GpuTypes<D, P>>,
        counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
    ) -> Result<RowsOutput<GpuTypes<D, P>>> {
        row_programs::run(self.call(Operation::Rows), args, counters)
    }

    fn rows_ahead(
        &self,
        args: &RowRun<'_, GpuTypes<D, P>>,
        counters: &mut [Columns<&mut GpuBuffer<D::Memory>>],
        verdict: &mut DeferredFault,
    ) -> Result<RowsOutput<GpuTypes<D, P>>> {
        row_programs::run_ahead(self.call(Operation::Rows), args, counters, verdict)
    }

    fn had_fault(&self, verdict: &DeferredFault) -> Result<bool> {
        row_programs::had_fault(self.call(Operation::Rows), verdict)
    }
}

/// The kernels need blocks of `THREADS` threads with `SHARED` bytes of shared memory.
fn check_device(info: &DeviceInfo) -> Result<()> {
    const THREADS: u32 = 256;
    const SHARED: u32 = 32 << 10;
    if info.max_threads < THREADS || info.shared_bytes < SHARED {
        let detail = format!(
            "{} has blocks of {} threads with {} bytes of shared memory; {THREADS} and {SHARED} are needed",
            info.name, info.max_threads, info.shared_bytes
        );
        return Err(HalError::new(ErrorKind::Unavailable, "open device", detail));
    }
    Ok(())
}
