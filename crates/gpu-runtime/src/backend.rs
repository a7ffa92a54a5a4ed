//! [`StarkBackend`] on a [`KernelDevice`]: check, then enqueue.

use std::marker::PhantomData;
use std::ops::Range;

use field::{ExtensionField, Goldilocks, TwoAdicField};
use gpu_hal::{
    Basis, Capabilities, Columns, ConstraintProgram, Constraints, CosetDomain, DeepTerm, Digest, ErrorKind, Footprint,
    GoldilocksStark, GrindChallenge, HalError, HashFn, LeafLayout, Map, MemoryInfo, OpenRequest, Opened, Operation,
    Protocol, Recurrence, Result, Running, StarkBackend, TreeMap, Uploaded, check,
};

use crate::buffer::{GpuBuffer, GpuTree, NewTable, Table};
use crate::call::{Call, Runtime};
use crate::circle::FactorCache;
use crate::device::{DeviceInfo, KernelDevice};
use crate::library::{self, Library};
use crate::ntt::RootsCache;
use crate::pool::Pool;
use crate::profile::{Profile, Profiler};
use crate::program::GpuProgram;
use crate::twiddles::TwiddleCache;
use crate::{columns, constraints, deep, footprint, nodes, openings, quotient, recurrence, running, tree};

/// The hash functions that there are kernels for.
const HASHES: [HashFn; 2] = [HashFn::Keccak256, HashFn::Poseidon2];

/// Operations that there are no kernels for.
const ABSENT: [Operation; 2] = [Operation::Logup, Operation::Accumulate];

/// The backend of a protocol on a device. Every operation is done by kernels (or copies on the device); none is done by the host.
pub struct GpuBackend<D: KernelDevice, P: Protocol> {
    pub(crate) runtime: Runtime<D>,
    pub(crate) capabilities: Capabilities,
    pub(crate) protocol: PhantomData<P>,
}

impl<D: KernelDevice, E: ExtensionField<Goldilocks>> GpuBackend<D, GoldilocksStark<E>> {
    /// A backend that calls itself `name`.
    ///
    /// # Errors
    /// [`ErrorKind::Unsupported`] for an extension that there are no kernels for, [`ErrorKind::Unavailable`] for a device that is too
    /// small for them.
    pub fn new(name: &str, device: D) -> Result<Self> {
        Self::build(name, device, None)
    }

    /// A backend that takes at most `bytes` bytes from the device, live and kept for reuse; what would exceed them fails with
    /// [`ErrorKind::OutOfMemory`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_memory_limit(name: &str, device: D, bytes: u64) -> Result<Self> {
        Self::build(name, device, Some(bytes))
    }

    fn build(name: &str, device: D, limit: Option<u64>) -> Result<Self> {
        if ![1, 3].contains(&E::DEGREE) {
            let detail = format!("an extension of degree {}: there are kernels for 1 and 3", E::DEGREE);
            return Err(HalError::unsupported("open device", detail));
        }
        check_device(device.info())?;
        let capabilities = Capabilities {
            backend: name.to_owned(),
            device: device.info().name.clone(),
            operations: Operation::ALL.into_iter().filter(|op| !ABSENT.contains(op)).collect(),
            hashes: HASHES.to_vec(),
            max_log_height: Goldilocks::TWO_ADICITY,
        };
        let runtime = Runtime {
            pool: Pool::new(device.info().granularity, limit),
            device,
            twiddles: TwiddleCache::new(),
            roots: RootsCache::new(),
            library: Library::new(),
            profiler: Profiler::new(),
            degree: E::DEGREE as u64,
            units: &library::GOLDILOCKS,
            factors: FactorCache::new(),
        };
        Ok(Self { runtime, capabilities, protocol: PhantomData })
    }
}

impl<D: KernelDevice, P: Protocol> GpuBackend<D, P> {
    /// The device.
    pub fn device(&self) -> &D {
        &self.runtime.device
    }

    /// Kernels, copies and fills enqueued for an operation since the last reset: what the device did of it.
    pub fn launches(&self, op: Operation) -> u64 {
        self.runtime.profiler.launches(op)
    }

    /// What the device did since the last [`Self::reset_profile`]; waits if times are taken.
    ///
    /// # Errors
    /// Those of the device.
    pub fn profile(&self) -> Result<Profile> {
        self.runtime.profiler.profile(&self.runtime.device)
    }

    /// Counts anew. With `timed` every kernel, copy and fill is put between two moments of the device, which costs it a microsecond
    /// or two each; [`Self::profile`] has their times.
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

    /// What is left and taken; `made` bytes of what is kept for all statements are made already.
    pub(crate) fn memory_info(&self, made: u64) -> Result<MemoryInfo> {
        let (in_use, peak, kept) = self.runtime.pool.counts();
        // What is kept can be given back.
        let free = self.runtime.device.free_memory()?.map(|free| free.saturating_add(kept));
        let allowed = self.runtime.pool.limit().map(|limit| limit.saturating_sub(in_use));
        let available = match (free, allowed) {
            (Some(free), Some(allowed)) => Some(free.min(allowed)),
            (one, other) => one.or(other),
        };
        let available = available.map(|bytes| bytes.saturating_add(made));
        Ok(MemoryInfo { available, in_use, peak })
    }

    pub(crate) fn call(&self, op: Operation) -> Call<'_, D> {
        self.runtime.call(op)
    }
}

impl<D: KernelDevice, E: ExtensionField<Goldilocks>> StarkBackend for GpuBackend<D, GoldilocksStark<E>> {
    type P = GoldilocksStark<E>;
    type Buffer = GpuBuffer<D::Memory>;
    type Tree = GpuTree<D::Memory>;
    type Program = GpuProgram<GoldilocksStark<E>, D>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.memory_info(footprint::made(&self.runtime))
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        footprint::footprint(&self.runtime, of)
    }

    fn upload(&self, data: &[Goldilocks], width: usize, log_height: u32) -> Result<NewTable<D>> {
        check::shape(Operation::Upload, data.len(), width, log_height)?;
        columns::upload(self.call(Operation::Upload), data, width, log_height)
    }

    fn download(&self, table: Table<'_, D>, rows: Range<usize>) -> Result<Vec<Goldilocks>> {
        check::download(&table, &rows)?;
        columns::download(self.call(Operation::Download), table, rows)
    }

    fn sync(&self) -> Result<()> {
        let call = self.call(Operation::Sync);
        self.runtime.device.synchronize().map_err(|error| call.named(error))
    }

    fn ntt(
        &self,
        table: Columns<&mut Self::Buffer>,
        from: Basis<CosetDomain<Goldilocks>>,
        to: Basis<CosetDomain<Goldilocks>>,
    ) -> Result<()> {
        check::ntt::<Self::P, _>(&Columns::new(&*table.data, table.width, table.log_height), &from, &to)?;
        columns::ntt(self.call(Operation::Ntt), table, from, to)
    }

    fn lde(
        &self,
        table: Table<'_, D>,
        from: Basis<CosetDomain<Goldilocks>>,
        to: CosetDomain<Goldilocks>,
    ) -> Result<NewTable<D>> {
        check::lde::<Self::P, _>(&table, &from, &to)?;
        columns::lde(self.call(Operation::Lde), table, from, to)
    }

    fn upload_lde(
        &self,
        columns: &[&[Goldilocks]],
        log_height: u32,
        from: Basis<CosetDomain<Goldilocks>>,
        to: CosetDomain<Goldilocks>,
        keep: bool,
    ) -> Result<Uploaded<GpuBuffer<D::Memory>>> {
        check::upload_lde::<Self::P>(columns, log_height, &from, &to)?;
        let (rows, extended) = columns::upload_lde(self.call(Operation::UploadLde), columns, log_height, from, to)?;
        Ok((keep.then_some(rows), extended))
    }

    fn split(&self, coefficients: Table<'_, D>, parts: usize, log_part: u32) -> Result<NewTable<D>> {
        check::split::<Self::P, _>(&coefficients, parts, log_part)?;
        columns::split(self.call(Operation::Split), coefficients, parts, log_part)
    }

    fn select(&self, tables: &[Table<'_, D>], picks: &[(usize, usize)]) -> Result<NewTable<D>> {
        check::select(tables, picks)?;
        columns::select(self.call(Operation::Select), tables, picks)
    }

    fn merkle(&self, tables: &[Table<'_, D>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        check::merkle::<Self::P, _>(tables, layout, hash, &self.capabilities.hashes)?;
        tree::merkle(self.call(Operation::Merkle), tables, layout, hash)
    }

    fn root(&self, tree: &Self::Tree) -> Result<Digest> {
        tree::root(self.call(Operation::Root), tree)
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<Goldilocks>>> {
        check::open(requests)?;
        openings::open(self.call(Operation::Open), requests)
    }

    fn prepare(&self, program: &ConstraintProgram<Self::P>) -> Result<Self::Program> {
        GpuProgram::new(program)
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable<D>> {
        check::running(args.program.program(), args)?;
        running::running(self.call(Operation::Running), args.program, args)
    }

    fn recurrence(&self, args: &Recurrence<Goldilocks>) -> Result<NewTable<D>> {
        check::recurrence(args)?;
        recurrence::recurrence(self.call(Operation::Recurrence), args)
    }

    fn map(&self, args: &Map<'_, Self>) -> Result<NewTable<D>> {
        check::map(args.program.program(), args)?;
        constraints::map(self.call(Operation::Map), args.program, args)
    }

    fn tree_map(&self, args: &TreeMap<'_, Self>) -> Result<NewTable<D>> {
        let values = check::tree_map(args.leaf.program(), args.node.program(), args)?;
        nodes::tree_map(self.call(Operation::TreeMap), values, args)
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable<D>> {
        check::constraint_eval(args.program.program(), args)?;
        constraints::evaluate(self.call(Operation::ConstraintEval), args.program, args)
    }

    fn eval_at(&self, table: Table<'_, D>, from: Basis<CosetDomain<Goldilocks>>, points: &[E]) -> Result<Vec<Vec<E>>> {
        check::eval_at::<Self::P, _>(&table, &from)?;
        quotient::eval_at::<D, Self::P>(self.call(Operation::EvalAt), table, from, points)
    }

    fn deep_quotient(
        &self,
        tables: &[Table<'_, D>],
        domain: CosetDomain<Goldilocks>,
        terms: &[DeepTerm<Self::P>],
    ) -> Result<NewTable<D>> {
        check::deep_quotient(tables, &domain, terms)?;
        deep::deep(self.call(Operation::DeepQuotient), tables, &domain, terms)
    }

    fn fri_fold(&self, layer: Table<'_, D>, domain: CosetDomain<Goldilocks>, alpha: E) -> Result<NewTable<D>> {
        let folded = check::fri_fold::<Self::P, _>(&layer, &domain)?;
        quotient::fold::<D, Self::P>(self.call(Operation::FriFold), layer, &domain, &folded, alpha)
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        tree::grind(self.call(Operation::Grind), &library::GRIND, challenge)
    }
}

/// The kernels need blocks of so many threads with so much shared memory.
pub(crate) fn check_device(info: &DeviceInfo) -> Result<()> {
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
