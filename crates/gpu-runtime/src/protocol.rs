//! The differences between the protocols: everything else is written once for both.

use std::ops::Range;

use bytemuck::Pod;
use gpu_hal::{Basis, Columns, DeepTerm, Factor, HashFn, Leaves, Protocol, Result, Shape};

use crate::buffer::{GpuBuffer, NewTable, Table};
use crate::call::{Call, Runtime};
use crate::device::{Argument, KernelDevice};
use crate::leaves::LeafTables;
use crate::library::Units;
use crate::pool::Block;

/// A protocol that there are kernels for: which kernels, and how operations are planned whose kernels differ between
/// protocols. It is implemented here, for no other protocol; its functions are not for callers.
pub trait GpuProtocol: Protocol<Base: Pod> {
    /// The kernels.
    const UNITS: &'static Units;
    /// Log2 of the rows of the highest table.
    const MAX_LOG_HEIGHT: u32;

    /// Whether there are kernels for the field of the challenges.
    fn check_extension() -> Result<()> {
        Ok(())
    }

    /// Words of the buffers of [`gpu_hal::Footprint::Kept`], made or not.
    fn kept_words<D: KernelDevice>(runtime: &Runtime<D, Self>, log_domain: u32) -> Vec<u64>;

    /// Words of the tables that are made.
    fn made_words<D: KernelDevice>(runtime: &Runtime<D, Self>) -> Vec<u64>;

    /// From values to coefficients or back, or from values in storage order to rows; in place, but values in row order
    /// take a second buffer for as long as it lasts.
    fn ntt<D: KernelDevice>(
        call: Call<'_, D, Self>,
        table: Columns<&mut GpuBuffer<D::Memory>>,
        from: Basis<Self::Domain>,
        to: Basis<Self::Domain>,
    ) -> Result<()>;

    /// Extends some columns, at least one. The workspace has room for the coefficients of as many, if they are not
    /// given.
    fn extend<D: KernelDevice>(
        call: Call<'_, D, Self>,
        table: Table<'_, D>,
        columns: Range<usize>,
        bases: (Basis<Self::Domain>, Self::Domain),
        workspace: Option<&Block<D::Memory>>,
        extended: &NewTable<D>,
    ) -> Result<()>;

    /// The first half of [`Self::extend`], of columns that are not low: coefficients, or what [`Self::evaluate`] takes
    /// for them. The place of the same columns in the extended table serves as memory.
    fn interpolate<D: KernelDevice>(
        call: Call<'_, D, Self>,
        table: Table<'_, D>,
        columns: Range<usize>,
        from: Basis<Self::Domain>,
        coefficients: Argument<'_, D::Memory>,
        extended: &NewTable<D>,
    ) -> Result<()>;

    /// The second half of [`Self::extend`], of `2^log_height` coefficients of each column.
    fn evaluate<D: KernelDevice>(
        call: Call<'_, D, Self>,
        coefficients: (Argument<'_, D::Memory>, u32),
        columns: Range<usize>,
        bases: (Basis<Self::Domain>, Self::Domain),
        extended: &NewTable<D>,
    ) -> Result<()>;

    /// Arguments of the kernels of trees for tables.
    fn leaves<'a, D: KernelDevice>(
        call: Call<'_, D, Self>,
        tables: &[Table<'a, D>],
        log_height: u32,
        rows_per_leaf: u32,
    ) -> Result<LeafTables<'a, D>>;

    /// Words of the buffers of [`Self::leaves`] at most, where there are no more tables than slots.
    fn leaf_words() -> Vec<u64>;

    /// Words of the buffers of [`Self::leaves`], without [`Self::leaf_words`].
    fn leaves_words(_tables: &[Shape]) -> Vec<u64> {
        Vec::new()
    }

    /// [`Self::leaves`] for all leaves of a tree: they may go on from a state that is made here once for all that share
    /// it.
    fn all_leaves<'a, D: KernelDevice>(
        call: Call<'_, D, Self>,
        tables: &[Table<'a, D>],
        (log_height, rows_per_leaf): (u32, u32),
        _hash: HashFn,
    ) -> Result<LeafTables<'a, D>> {
        Self::leaves(call, tables, log_height, rows_per_leaf)
    }

    /// Words of the buffers of [`Self::all_leaves`], without [`Self::leaf_words`].
    fn all_leaves_words<D: KernelDevice>(
        _runtime: &Runtime<D, Self>,
        _tables: &[Shape],
        _leaves: Leaves,
        _hash: HashFn,
    ) -> Vec<u64> {
        Vec::new()
    }

    /// Log2 of the rows, neighbours in storage order, that share the value of a factor of power 1; of power `2^k` it is
    /// `k` more.
    const LOG_SHARED: u32;
    /// Whether a table of multipliers is made of factors of one power and of a table of all higher ones, which has
    /// fewer elements.
    const ONE_POWER: bool;

    /// Log2 of the domain's size for the kernels of programs: of the whole one, or of the prefix that is evaluated.
    fn log_rows(log_size: u32, log_eval: u32) -> u32;

    /// The words that tell the kernels the contents of tables of multipliers.
    fn factor_words(wanted: &[MultiplierTable<Self::Base>]) -> Vec<u64>;

    /// Makes the tables that are wanted, from the words of [`Self::factor_words`].
    fn make_multipliers<D: KernelDevice>(
        call: Call<'_, D, Self>,
        domain: (&Self::Domain, u32),
        wanted: &[MultiplierTable<Self::Base>],
        factors: &Block<D::Memory>,
        values: &Block<D::Memory>,
    ) -> Result<()>;

    /// Most rows, and columns, of a group of threads that sums up weights times elements; columns as in the kernels.
    const DOT_ROWS: u64;
    /// See [`Self::DOT_ROWS`].
    const DOT_COLUMNS: usize;

    /// The coefficients of the first `2^log_count` rows of all columns, where values have no weights.
    fn coefficients<D: KernelDevice>(
        _call: Call<'_, D, Self>,
        _table: Table<'_, D>,
        _from: &Basis<Self::Domain>,
    ) -> Result<Option<Block<D::Memory>>> {
        Ok(None)
    }

    /// Makes the weight of every row at a point up to a common factor, which it returns.
    fn weights<D: KernelDevice>(
        call: Call<'_, D, Self>,
        weights: &Block<D::Memory>,
        from: &Basis<Self::Domain>,
        log_count: u32,
        point: &Self::Point,
    ) -> Result<Self::Ext>;

    /// Elements of the buffers that [`Self::weights`] takes.
    fn weight_elements(_log_count: u32) -> Option<u64> {
        None
    }

    /// The quotient; the arguments are checked.
    fn deep_quotient<D: KernelDevice>(
        call: Call<'_, D, Self>,
        tables: &[Table<'_, D>],
        log_cut: u32,
        domain: &Self::Domain,
        terms: &[DeepTerm<Self>],
    ) -> Result<NewTable<D>>;

    /// Words of the buffers that [`Self::deep_quotient`] takes beside its result, at most.
    fn deep_words<D: KernelDevice>(
        runtime: &Runtime<D, Self>,
        tables: &[Shape],
        log_cut: u32,
        domain: &Self::Domain,
        terms: &[DeepTerm<Self>],
    ) -> Vec<u64>;

    /// The FRI fold.
    fn fold<D: KernelDevice>(
        call: Call<'_, D, Self>,
        layer: Table<'_, D>,
        domain: &Self::Domain,
        folded: &Self::Domain,
        alpha: Self::Ext,
    ) -> Result<NewTable<D>>;
}

/// A table of multipliers.
pub struct MultiplierTable<F> {
    /// Its factors without the factors of `inner`.
    pub(crate) factors: Vec<Factor<F>>,
    /// Log2 of the rows that share an element.
    pub(crate) log_shared: u32,
    /// The first element.
    pub(crate) start: u64,
    /// The place of a table of the factors of higher powers.
    pub(crate) inner: Option<u64>,
}

/// Bits of a place that are the first element.
pub(crate) const PLACE_BITS: u32 = 56;
