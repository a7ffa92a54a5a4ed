//! A committed tree over tables of several heights (circle.md, sections 6 and 7).

use circle_proof::CircleOptions;
use field::M31;
use gpu_hal::hash::Top;
use gpu_hal::{
    Basis, CircleDomain, CircleStark, Columns, Digest, Domain, EvalOrder, LeafLayout, Leaves, Shape, StarkBackend,
    Uploaded,
};

use super::ProveError;
use crate::mode::ModeOn;
use crate::table::{Table, shape};

/// Columns of one height, extended, and which columns of the tree they are.
pub(crate) struct Part<B: StarkBackend> {
    pub(crate) table: Table<B>,
    pub(crate) columns: Vec<usize>,
}

/// An extended table of a tree.
pub(crate) enum Extended<'a, B: StarkBackend> {
    Kept(Columns<&'a B::Buffer>),
    Own(Table<B>),
}

impl<B: StarkBackend> Extended<'_, B> {
    pub(crate) fn as_ref(&self) -> Columns<&B::Buffer> {
        match self {
            Self::Kept(table) => *table,
            Self::Own(table) => table.as_ref(),
        }
    }
}

/// The part of its tables that a tree keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KeptPart {
    Extensions,
    /// For each column the prefix that fixes it.
    Prefixes,
    Nothing,
}

/// A committed tree. Without columns it is the hash of nothing, and the device has no part in it.
pub(crate) struct Tree<B: StarkBackend> {
    /// The tables in the order in which a leaf takes them, lowest first, as they are kept; none if nothing is.
    pub(crate) tables: Vec<Table<B>>,
    /// The same, extended.
    pub(crate) shapes: Vec<Shape>,
    pub(crate) kept: KeptPart,
    /// Where each column of the tree is: (table, column of the table).
    pub(crate) places: Vec<(usize, usize)>,
    /// The table that each part became.
    pub(crate) parts: Vec<usize>,
    /// Log2 of the blocks of rows that were committed to one after the other.
    pub(crate) log_blocks: u32,
    /// The tree over each block.
    pub(crate) blocks: Vec<B::Tree>,
    /// The nodes above these; none before all are there, and without columns.
    pub(crate) top: Option<Top>,
    pub(crate) root: Digest,
    /// Log2 of the leaves.
    pub(crate) height: u32,
}

impl<B: StarkBackend<P = CircleStark>> Tree<B> {
    /// Commits to parts that together have the columns 0, 1, ...; the options' lifting is the height if it is set.
    pub(crate) fn commit(backend: &B, parts: Vec<Part<B>>, options: &CircleOptions) -> Result<Self, ProveError> {
        Self::begin(backend, parts, options, 0)
    }

    /// [`Self::commit`] to the first of `2^log_blocks` blocks of rows. The parts have these rows alone, and there is no
    /// root before all blocks [are added](Self::add_block).
    pub(crate) fn begin(
        backend: &B,
        parts: Vec<Part<B>>,
        options: &CircleOptions,
        log_blocks: u32,
    ) -> Result<Self, ProveError> {
        let Some(highest) = parts.iter().map(|part| part.table.log_height).max() else {
            let root = options.suite.empty_root();
            return Ok(Self {
                tables: vec![],
                shapes: vec![],
                kept: KeptPart::Extensions,
                places: vec![],
                parts: vec![],
                log_blocks: 0,
                blocks: vec![],
                top: None,
                root,
                height: 0,
            });
        };
        let height = options.lifting.unwrap_or(highest + log_blocks);
        // Leaves take columns by length, columns of one length in their own order.
        let mut order: Vec<usize> = (0..parts.len()).collect();
        order.sort_by_key(|part| parts[*part].table.log_height);
        let mut places = vec![(0, 0); parts.iter().map(|part| part.columns.len()).sum()];
        let mut ranks = vec![0; parts.len()];
        for (rank, part) in order.iter().enumerate() {
            ranks[*part] = rank;
            parts[*part].columns.iter().enumerate().for_each(|(at, column)| places[*column] = (rank, at));
        }
        let mut slots: Vec<Option<Table<B>>> = parts.into_iter().map(|part| Some(part.table)).collect();
        let tables: Vec<Table<B>> = order.iter().filter_map(|part| slots[*part].take()).collect();
        let shapes = tables.iter().map(|table| shape(table.width, table.log_height + log_blocks)).collect();
        let mut tree = Self {
            tables: vec![],
            shapes,
            kept: KeptPart::Extensions,
            places,
            parts: ranks,
            log_blocks,
            blocks: vec![],
            top: None,
            root: Digest::default(),
            height,
        };
        tree.add_block(backend, &tables, options)?;
        tree.tables = tables;
        Ok(tree)
    }

    /// Commits to the next block of rows of all tables; after the last one there is the root.
    pub(crate) fn add_block(
        &mut self,
        backend: &B,
        tables: &[Table<B>],
        options: &CircleOptions,
    ) -> Result<(), ProveError> {
        let columns: Vec<_> = tables.iter().map(Columns::as_ref).collect();
        let layout = LeafLayout::lifted(self.log_block()).of_part(self.log_blocks);
        self.blocks.push(backend.merkle(&columns, layout, options.suite.tree())?);
        if self.blocks.len() == 1 << self.log_blocks {
            let roots = self.blocks.iter().map(|block| backend.root(block)).collect::<Result<_, _>>()?;
            let leaves = Leaves { rows_per_leaf: 1, log_height: self.height, log_parts: 0 };
            let top = Top::new(roots, leaves, options.suite.tree())?;
            self.root = top.root();
            self.top = Some(top);
        }
        Ok(())
    }

    /// Log2 of the leaves of a block.
    pub(crate) fn log_block(&self) -> u32 {
        self.height - self.log_blocks
    }

    /// The domain of a block of rows of a table.
    pub(crate) fn block_of(&self, table: usize, block: usize) -> CircleDomain {
        let log_whole = self.log_extended(table);
        let domain = CircleDomain::canonic(log_whole).block(log_whole - self.log_blocks, block as u32);
        domain.expect("every table has a point or more in every block")
    }

    /// Keeps of the extended tables no more than that: as many values of each as it has rows, or nothing.
    pub(crate) fn keep(&mut self, backend: &B, kept: KeptPart, log_blowup: u32) -> Result<(), ProveError> {
        match kept {
            KeptPart::Extensions => {}
            KeptPart::Prefixes => {
                for table in &mut self.tables {
                    *table = backend.split(table.as_ref(), 1, table.log_height - log_blowup)?;
                }
            }
            KeptPart::Nothing => self.tables.clear(),
        }
        self.kept = kept;
        Ok(())
    }

    /// The tables as they are kept.
    pub(crate) fn columns(&self) -> Vec<Columns<&B::Buffer>> {
        self.tables.iter().map(Columns::as_ref).collect()
    }

    /// Whether it keeps its tables extended.
    pub(crate) fn is_whole(&self) -> bool {
        self.kept == KeptPart::Extensions
    }

    /// Log2 of the extended values of a column of a table.
    pub(crate) fn log_extended(&self, table: usize) -> u32 {
        self.shapes[table].log_height
    }

    /// Cells of an extended table.
    pub(crate) fn cells(&self, table: usize) -> u64 {
        self.shapes[table].elements() as u64
    }
}

/// The first values of an extension.
pub(crate) fn prefix(log_size: u32, log_extended: u32) -> Basis<CircleDomain> {
    Basis::Evaluations { domain: CircleDomain::prefix_of(log_extended, log_size), order: EvalOrder::Storage }
}

/// The domain of the extension of `2^log_size` rows, or of the first of `2^log_blocks` blocks of it.
pub(crate) fn extension(log_size: u32, log_blowup: u32, log_blocks: u32) -> CircleDomain {
    let log_extended = log_size + log_blowup;
    CircleDomain::prefix_of(log_extended, log_extended - log_blocks)
}

/// Values on the rows, in an order.
pub(super) fn evaluations(log_height: u32, order: EvalOrder) -> Basis<CircleDomain> {
    Basis::Evaluations { domain: CircleDomain::canonic(log_height), order }
}

/// Extends a table in the given order.
pub(crate) fn extend<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    table: Columns<&B::Buffer>,
    order: EvalOrder,
    to: CircleDomain,
) -> Result<Table<B>, ProveError> {
    Ok(backend.lde(table, evaluations(table.log_height, order), to)?)
}

/// Extends a table in the given order; gives it in row order, if `keep`, and its extension.
pub(crate) fn extend_ordered<B: StarkBackend<P = CircleStark>>(
    backend: &B,
    mut table: Table<B>,
    order: EvalOrder,
    to: CircleDomain,
    keep: bool,
) -> Result<Uploaded<B::Buffer>, ProveError> {
    let extended = extend(backend, table.as_ref(), order, to)?;
    if keep && order == EvalOrder::Storage {
        let [from, to] = [order, EvalOrder::Row].map(|order| evaluations(table.log_height, order));
        backend.ntt(table.as_mut(), from, to)?;
    }
    Ok((keep.then_some(table), extended))
}

/// Uploads columns of one height, in the given order; gives them in row order, if `keep`, and their extension.
pub(crate) fn upload_extended<'d, B: StarkBackend<P = CircleStark>>(
    mode: impl ModeOn<B>,
    backend: &B,
    table: Shape,
    columns: impl FnOnce() -> Vec<&'d [M31]>,
    (order, to): (EvalOrder, CircleDomain),
    keep: bool,
) -> Result<Uploaded<B::Buffer>, ProveError> {
    let from = evaluations(table.log_height, order);
    let (mut rows, extended) = mode.upload_lde(backend, table, columns, (from, to), keep)?;
    if let (EvalOrder::Storage, Some(rows)) = (order, &mut rows) {
        backend.ntt(rows.as_mut(), from, evaluations(table.log_height, EvalOrder::Row))?;
    }
    Ok((rows, extended))
}
