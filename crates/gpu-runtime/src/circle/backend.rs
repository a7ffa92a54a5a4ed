//! [`StarkBackend`] of the Circle protocol on a [`KernelDevice`]: check, then enqueue.

use std::marker::PhantomData;
use std::ops::Range;

use field::circle::{CirclePoint, MAX_LOG_DOMAIN};
use field::{M31, QM31};
use gpu_hal::{
    Basis, Capabilities, CircleDomain, CircleStark, Columns, ConstraintProgram, Constraints, DeepTerm, Digest,
    Footprint, GrindChallenge, HashFn, LeafLayout, Logup, Map, MemoryInfo, OpenRequest, Opened, Operation, Protocol,
    Recurrence, Result, Running, StarkBackend, TreeMap, Uploaded, check,
};

use super::{FactorCache, columns, eval_at, footprint, logup, openings, quotient, tree};
use crate::backend::{GpuBackend, check_device};
use crate::buffer::{GpuBuffer, GpuTree, NewTable, Table};
use crate::call::Runtime;
use crate::device::KernelDevice;
use crate::library::{self, Library};
use crate::ntt::RootsCache;
use crate::pool::Pool;
use crate::profile::Profiler;
use crate::program::GpuProgram;
use crate::twiddles::TwiddleCache;
use crate::{constraints, nodes, recurrence, running};

/// Nonces of the protocol's order: high words of 32 bits, low words of 20.
const LOG_NONCES: u32 = 52;
const LOG_LOW_NONCES: u32 = 20;

impl<D: KernelDevice> GpuBackend<D, CircleStark> {
    /// A backend that calls itself `name`.
    ///
    /// # Errors
    /// [`gpu_hal::ErrorKind::Unavailable`] for a device that is too small for the kernels.
    pub fn new(name: &str, device: D) -> Result<Self> {
        Self::build_circle(name, device, None)
    }

    /// A backend that takes at most `bytes` bytes from the device, live and kept for reuse; what would exceed them fails with
    /// [`gpu_hal::ErrorKind::OutOfMemory`].
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn with_memory_limit(name: &str, device: D, bytes: u64) -> Result<Self> {
        Self::build_circle(name, device, Some(bytes))
    }

    fn build_circle(name: &str, device: D, limit: Option<u64>) -> Result<Self> {
        check_device(device.info())?;
        let capabilities = Capabilities {
            backend: name.to_owned(),
            device: device.info().name.clone(),
            operations: Operation::ALL.to_vec(),
            hashes: vec![HashFn::Blake2s],
            max_log_height: MAX_LOG_DOMAIN,
        };
        let runtime = Runtime {
            pool: Pool::new(device.info().granularity, limit),
            device,
            twiddles: TwiddleCache::new(),
            roots: RootsCache::new(),
            library: Library::new(),
            profiler: Profiler::new(),
            degree: CircleStark::DEGREE as u64,
            units: &library::CIRCLE,
            factors: FactorCache::new(),
        };
        Ok(Self { runtime, capabilities, protocol: PhantomData })
    }
}

impl<D: KernelDevice> StarkBackend for GpuBackend<D, CircleStark> {
    type P = CircleStark;
    type Buffer = GpuBuffer<D::Memory>;
    type Tree = GpuTree<D::Memory>;
    type Program = GpuProgram<CircleStark, D>;

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.memory_info(footprint::made(&self.runtime))
    }

    fn footprint(&self, of: &Footprint<'_, Self>) -> u64 {
        footprint::footprint(&self.runtime, of)
    }

    fn upload(&self, data: &[M31], width: usize, log_height: u32) -> Result<NewTable<D>> {
        check::shape(Operation::Upload, data.len(), width, log_height)?;
        columns::upload(self.call(Operation::Upload), data, width, log_height)
    }

    fn download(&self, table: Table<'_, D>, rows: Range<usize>) -> Result<Vec<M31>> {
        check::download(&table, &rows)?;
        columns::download(self.call(Operation::Download), table, rows)
    }

    fn sync(&self) -> Result<()> {
        let call = self.call(Operation::Sync);
        self.runtime.device.synchronize().map_err(|error| call.named(error))
    }

    fn ntt(&self, table: Columns<&mut Self::Buffer>, from: Basis<CircleDomain>, to: Basis<CircleDomain>) -> Result<()> {
        check::ntt::<CircleStark, _>(&Columns::new(&*table.data, table.width, table.log_height), &from, &to)?;
        columns::ntt(self.call(Operation::Ntt), table, from, to)
    }

    fn lde(&self, table: Table<'_, D>, from: Basis<CircleDomain>, to: CircleDomain) -> Result<NewTable<D>> {
        check::lde::<CircleStark, _>(&table, &from, &to)?;
        columns::lde(self.call(Operation::Lde), table, from, to)
    }

    fn upload_lde(
        &self,
        columns: &[&[M31]],
        log_height: u32,
        from: Basis<CircleDomain>,
        to: CircleDomain,
        keep: bool,
    ) -> Result<Uploaded<GpuBuffer<D::Memory>>> {
        check::upload_lde::<CircleStark>(columns, log_height, &from, &to)?;
        let (rows, extended) = columns::upload_lde(self.call(Operation::UploadLde), columns, log_height, from, to)?;
        Ok((keep.then_some(rows), extended))
    }

    fn split(&self, coefficients: Table<'_, D>, parts: usize, log_part: u32) -> Result<NewTable<D>> {
        check::split::<CircleStark, _>(&coefficients, parts, log_part)?;
        columns::split(self.call(Operation::Split), coefficients, parts, log_part)
    }

    fn select(&self, tables: &[Table<'_, D>], picks: &[(usize, usize)]) -> Result<NewTable<D>> {
        check::select(tables, picks)?;
        columns::select(self.call(Operation::Select), tables, picks)
    }

    fn merkle(&self, tables: &[Table<'_, D>], layout: LeafLayout, hash: HashFn) -> Result<Self::Tree> {
        let log_height = check::merkle::<CircleStark, _>(tables, layout, hash, &self.capabilities.hashes)?;
        tree::merkle(self.call(Operation::Merkle), tables, layout, log_height)
    }

    fn root(&self, tree: &Self::Tree) -> Result<Digest> {
        crate::tree::root(self.call(Operation::Root), tree)
    }

    fn open(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<M31>>> {
        check::open(requests)?;
        openings::open(self.call(Operation::Open), requests)
    }

    fn prepare(&self, program: &ConstraintProgram<CircleStark>) -> Result<Self::Program> {
        GpuProgram::new(program)
    }

    fn running(&self, args: &Running<'_, Self>) -> Result<NewTable<D>> {
        check::running(args.program.program(), args)?;
        running::running(self.call(Operation::Running), args.program, args)
    }

    fn logup(&self, args: &Logup<'_, Self>) -> Result<(NewTable<D>, QM31)> {
        check::logup(args.program.program(), args)?;
        logup::logup(self.call(Operation::Logup), args.program, args)
    }

    fn recurrence(&self, args: &Recurrence<M31>) -> Result<NewTable<D>> {
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

    fn accumulate(&self, into: Columns<&mut Self::Buffer>, from: Table<'_, D>) -> Result<()> {
        check::accumulate::<CircleStark, _>(&Columns::new(&*into.data, into.width, into.log_height), &from)?;
        columns::accumulate(self.call(Operation::Accumulate), into, from)
    }

    fn constraint_eval(&self, args: &Constraints<'_, Self>) -> Result<NewTable<D>> {
        check::constraint_eval(args.program.program(), args)?;
        constraints::evaluate(self.call(Operation::ConstraintEval), args.program, args)
    }

    fn eval_at(
        &self,
        table: Table<'_, D>,
        from: Basis<CircleDomain>,
        points: &[CirclePoint<QM31>],
    ) -> Result<Vec<Vec<QM31>>> {
        check::eval_at::<CircleStark, _>(&table, &from)?;
        eval_at::eval_at(self.call(Operation::EvalAt), table, from, points)
    }

    fn deep_quotient(
        &self,
        tables: &[Table<'_, D>],
        domain: CircleDomain,
        terms: &[DeepTerm<CircleStark>],
    ) -> Result<NewTable<D>> {
        check::deep_quotient(tables, &domain, terms)?;
        quotient::deep(self.call(Operation::DeepQuotient), tables, &domain, terms)
    }

    fn fri_fold(&self, layer: Table<'_, D>, domain: CircleDomain, alpha: QM31) -> Result<NewTable<D>> {
        let folded = check::fri_fold::<CircleStark, _>(&layer, &domain)?;
        quotient::fold(self.call(Operation::FriFold), layer, &domain, &folded, alpha)
    }

    fn grind(&self, challenge: &GrindChallenge) -> Result<Option<u64>> {
        check::grind(challenge)?;
        // Nonces are numbered in the protocol's order.
        let number = crate::tree::grind(self.call(Operation::Grind), &library::CIRCLE_GRIND, challenge)?;
        let low = (1 << LOG_LOW_NONCES) - 1;
        let nonce = |number: u64| number >> LOG_LOW_NONCES << 32 | number & low;
        Ok(number.filter(|number| number >> LOG_NONCES == 0).map(nonce))
    }
}
