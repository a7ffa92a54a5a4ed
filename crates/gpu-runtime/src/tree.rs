//! Merkle trees, openings, proof of work.

use field::Goldilocks;
use gpu_hal::{
    Columns, Digest, GrindChallenge, HalError, HashFn, LeafLayout, OpenRequest, Opened, Operation, Result, StarkBackend,
};

use crate::buffer::{GpuBuffer, GpuTree, Table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library::{self, Unit};
use crate::params::Params;
use crate::pool::Block;

/// Words of a digest.
const DIGEST_WORDS: u64 = 4;
/// Threads of a block that makes a subtree, as in the kernel, and the most levels of one.
const SUBTREE_THREADS: u32 = 256;
const SUBTREE_LEVELS: u32 = 9;
/// Levels above more than 2^17 nodes fill the device: each has a launch of its own.
const LOG_WIDE: u32 = 17;

fn unit(hash: HashFn) -> Result<&'static Unit> {
    match hash {
        HashFn::Keccak256 => Ok(&library::TREE_KECCAK),
        HashFn::Poseidon2 => Ok(&library::TREE_POSEIDON2),
        _ => Err(HalError::unsupported(Operation::Merkle.name(), format!("{hash}: no kernel"))),
    }
}

/// At most four tables in one tree: widths and buffers.
struct Leaves<'a, D: KernelDevice> {
    own: Vec<Table<'a, D>>,
    /// What comes after the third table, if that is more than one: put together.
    packed: Option<(u32, Block<D::Memory>)>,
}

impl<'a, D: KernelDevice> Leaves<'a, D> {
    fn new(call: Call<'_, D>, tables: &[Table<'a, D>]) -> Result<Self> {
        // The kernel goes on to the next table after the last column of one: there must be one.
        let mut own: Vec<Table<'a, D>> = tables.iter().filter(|table| table.width > 0).copied().collect();
        let mut packed = None;
        if own.len() > 4 {
            let rest = own.split_off(3);
            let block = call.alloc(rest.iter().map(|table| table.elements() as u64).sum())?;
            let (mut start, mut width) = (0, 0);
            for table in &rest {
                call.copy((&table.data.block, 0), (&block, start), table.elements() as u64)?;
                start += table.elements() as u64;
                width += table.width as u32;
            }
            packed = Some((width, block));
        }
        Ok(Self { own, packed })
    }

    /// Width and buffer of each.
    fn tables(&self) -> Vec<(u32, &Block<D::Memory>)> {
        let own = self.own.iter().map(|table| (table.width as u32, &table.data.block));
        own.chain(self.packed.iter().map(|(width, block)| (*width, block))).collect()
    }
}

pub(crate) fn merkle<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    layout: LeafLayout,
    hash: HashFn,
) -> Result<GpuTree<D::Memory>> {
    let unit = unit(hash)?;
    let entry = |name| Entry { unit, name, defines: &[] };
    let log_leaves = tables[0].log_height - layout.rows_per_leaf.ilog2();
    let leaves = 1u64 << log_leaves;
    let nodes = call.alloc((2 * leaves - 1) * DIGEST_WORDS)?;

    let at_most_four = Leaves::new(call, tables)?;
    let four = at_most_four.tables();
    // Slots that no table has are not read.
    let slots = four.iter().copied().chain(std::iter::repeat((0, &nodes))).take(4);
    let (widths, mut buffers): (Vec<u32>, Vec<_>) = slots.map(|(width, block)| (width, whole(block))).unzip();
    buffers.push(whole(&nodes));
    let params = widths
        .iter()
        .fold(Params::new().u64(leaves), |params, width| params.u32(*width))
        .u32(four.len() as u32)
        .u32(tables[0].log_height)
        .u32(layout.rows_per_leaf as u32);
    call.launch_items(entry("hash_leaves"), leaves, 1, &buffers, params)?;

    // The level with 2^log_below nodes is there.
    let mut log_below = log_leaves;
    while log_below > LOG_WIDE {
        let count = 1u64 << (log_below - 1);
        let params = Params::new().u64(count - 1).u64(count);
        call.launch_items(entry("hash_nodes"), count, 1, &[whole(&nodes)], params)?;
        log_below -= 1;
    }
    while log_below > 0 {
        let levels = log_below.min(SUBTREE_LEVELS);
        let (blocks, params) = (1 << (log_below - levels), Params::new().u32(log_below).u32(levels));
        call.launch_blocks(entry("hash_subtrees"), blocks, 1, SUBTREE_THREADS, &[whole(&nodes)], params)?;
        log_below -= levels;
    }
    Ok(GpuTree { nodes, log_leaves })
}

fn digest(words: &[u64]) -> Digest {
    let mut digest = Digest::default();
    digest.copy_from_slice(bytemuck::cast_slice(words));
    digest
}

pub(crate) fn root<D: KernelDevice>(call: Call<'_, D>, tree: &GpuTree<D::Memory>) -> Result<Digest> {
    let mut words = [0; DIGEST_WORDS as usize];
    call.download(&tree.nodes, 0, &mut words)?;
    Ok(digest(&words))
}

/// All rows and paths by gathers into one buffer, then one copy to the host.
pub(crate) fn open<D, B>(call: Call<'_, D>, requests: &[OpenRequest<'_, B>]) -> Result<Vec<Opened<Goldilocks>>>
where
    D: KernelDevice,
    B: StarkBackend<Buffer = GpuBuffer<D::Memory>, Tree = GpuTree<D::Memory>>,
{
    let row_width = |request: &OpenRequest<'_, B>| request.columns.iter().map(|table| table.width).sum::<usize>();
    let path_words = |request: &OpenRequest<'_, B>| request.tree.log_leaves as usize * DIGEST_WORDS as usize;
    let indices: Vec<u64> =
        requests.iter().flat_map(|request| request.rows.iter().chain(request.leaves)).map(|i| *i as u64).collect();
    let total: usize = requests
        .iter()
        .map(|request| request.rows.len() * row_width(request) + request.leaves.len() * path_words(request))
        .sum();
    let mut words = vec![0; total];
    if total > 0 {
        let indices = call.alloc_words(&indices)?;
        let gathered = call.alloc(total as u64)?;
        let (mut first_index, mut first_target) = (0, 0);
        for request in requests {
            gather_rows(
                call,
                request.columns,
                request.rows.len() as u64,
                (&indices, first_index),
                (&gathered, first_target),
            )?;
            first_index += request.rows.len() as u64;
            first_target += (request.rows.len() * row_width(request)) as u64;
            let count = (request.leaves.len() * path_words(request)) as u64;
            let params = Params::new().u64(count).u64(first_index).u64(first_target).u32(request.tree.log_leaves);
            let buffers = [whole(&request.tree.nodes), whole(&indices), whole(&gathered)];
            let entry = Entry { unit: &library::COLUMNS, name: "gather_paths", defines: &[] };
            call.launch_items(entry, count, 1, &buffers, params)?;
            first_index += request.leaves.len() as u64;
            first_target += count;
        }
        call.download(&gathered, 0, &mut words)?;
    }
    let mut rest = words.as_slice();
    let mut take = |count: usize| {
        let (taken, left) = rest.split_at(count);
        rest = left;
        taken
    };
    let opened = requests.iter().map(|request| {
        let (width, words) = (row_width(request), path_words(request));
        let rows = request.rows.iter().map(|_| bytemuck::cast_slice(take(width)).to_vec()).collect();
        let path = |words: &[u64]| words.chunks_exact(DIGEST_WORDS as usize).map(digest).collect();
        let paths = request.leaves.iter().map(|_| path(take(words))).collect();
        Opened { rows, paths }
    });
    Ok(opened.collect())
}

fn gather_rows<D: KernelDevice>(
    call: Call<'_, D>,
    tables: &[Table<'_, D>],
    rows: u64,
    (indices, first_index): (&Block<D::Memory>, u64),
    (target, first_target): (&Block<D::Memory>, u64),
) -> Result<()> {
    let stride: usize = tables.iter().map(|table| table.width).sum();
    let mut first_column = 0;
    for Columns { data, width, log_height } in tables {
        let count = rows * *width as u64;
        let params = Params::new()
            .u64(count)
            .u64(first_index)
            .u64(first_target + first_column)
            .u64(stride as u64)
            .u32(*width as u32)
            .u32(*log_height);
        let entry = Entry { unit: &library::COLUMNS, name: "gather_rows", defines: &[] };
        call.launch_items(entry, count, 1, &[whole(&data.block), whole(indices), whole(target)], params)?;
        first_column += *width as u64;
    }
    Ok(())
}

/// Threads of a block, as in the kernel.
const GRIND_THREADS: u32 = 256;
/// Log2 of the nonces of the first and of the largest batch.
const LOG_BATCHES: (u32, u32) = (10, 26);
/// Log2 of the most blocks of a batch; larger batches give each thread more nonces.
const LOG_GRIND_BLOCKS: u32 = 12;
/// What the kernel writes where no nonce was found.
const NO_NONCE: u64 = u64::MAX;

/// Batches of nonces in order; the smallest of the first batch that has one.
pub(crate) fn grind<D: KernelDevice>(call: Call<'_, D>, challenge: &GrindChallenge) -> Result<Option<u64>> {
    // One batch in three or so is enough when it has as many nonces as are tried on average.
    let log_batch = challenge.bits.clamp(LOG_BATCHES.0, LOG_BATCHES.1);
    let log_blocks = (log_batch - GRIND_THREADS.ilog2()).min(LOG_GRIND_BLOCKS);
    let (blocks, tries) = (1u64 << log_blocks, 1u64 << (log_batch - GRIND_THREADS.ilog2() - log_blocks));
    let found = call.alloc(blocks)?;
    let smallest = call.alloc(1)?;
    let words: [u64; 4] = bytemuck::pod_read_unaligned(&challenge.digest);
    let entry = |name| Entry { unit: &library::GRIND, name, defines: &[] };
    let mut first = 0u64;
    loop {
        let params = words.iter().fold(Params::new(), |params, word| params.u64(*word));
        let params = params.u64(first).u64(tries).u32(challenge.bits);
        call.launch_blocks(entry("grind"), blocks, 1, GRIND_THREADS, &[whole(&found)], params)?;
        let params = Params::new().u64(blocks);
        call.launch_blocks(entry("smallest"), 1, 1, GRIND_THREADS, &[whole(&found), whole(&smallest)], params)?;
        let mut offset = [0];
        call.download(&smallest, 0, &mut offset)?;
        if offset[0] != NO_NONCE {
            return Ok(Some(first + offset[0]));
        }
        match first.checked_add(1 << log_batch) {
            Some(next) => first = next,
            None => return Ok(None),
        }
    }
}
