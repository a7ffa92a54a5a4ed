//! Merkle trees: a subtree on each device, and the nodes above on the host.

use std::sync::OnceLock;

use gpu_hal::hash::Top;
use gpu_hal::op::Merkle;
use gpu_hal::{
    BaseOf, DeviceTree, Digest, HashFn, Leaves, OpenRequest, Opened, Operations, Result, TableRef, Types, check,
};

use super::layout::refs;
use crate::Sharded;

/// A tree of a [`Sharded`].
#[derive(Debug)]
pub struct ShardedTree<T>(Shape<T>);

#[derive(Debug)]
enum Shape<T> {
    /// All of it, on the first device.
    Whole(T),
    /// The subtree over block `b` of the leaves on device `b`.
    Subtrees { trees: Vec<T>, leaves: Leaves, hash: HashFn, top: OnceLock<Top> },
}

impl<T> ShardedTree<T> {
    /// A tree of the first device.
    pub(crate) fn whole(tree: T) -> Self {
        Self(Shape::Whole(tree))
    }

    /// The tree, if it is on the first device alone.
    pub(crate) fn only(&self) -> Option<&T> {
        match &self.0 {
            Shape::Whole(tree) => Some(tree),
            Shape::Subtrees { .. } => None,
        }
    }
}

impl<T: DeviceTree> DeviceTree for ShardedTree<T> {
    fn log_leaves(&self) -> u32 {
        match &self.0 {
            Shape::Whole(tree) => tree.log_leaves(),
            Shape::Subtrees { leaves, .. } => leaves.log_leaves(),
        }
    }
}

/// The question to one device: the request that it belongs to, and which of its rows and leaves these are.
struct DeviceRequest {
    request: usize,
    rows: Vec<usize>,
    leaves: Vec<usize>,
}

type TreeOf<O> = <<O as Operations>::T as Types>::Tree;

impl<O: Operations> Sharded<O> {
    /// [`Operations::merkle`].
    pub(crate) fn tree(
        &self,
        tables: &[TableRef<'_, Self>],
        leaves: Leaves,
        hash: HashFn,
    ) -> Result<ShardedTree<TreeOf<O>>> {
        let log_packed = leaves.rows_per_leaf.ilog2();
        let log_block = self.common_block(tables, leaves.log_height).filter(|log_block| *log_block >= log_packed);
        let Some(log_block) = log_block else {
            return self.by_first::<Merkle>((tables, leaves, hash));
        };
        let log_parts = leaves.log_parts + self.log_count();
        let of_block = Leaves { log_height: log_block, log_parts, ..leaves };
        let trees = self.brought(
            self.count(),
            |device| self.shares(tables, device, (device << log_block, log_block), leaves.log_height),
            |_, on, parts| on.merkle(parts, of_block, hash),
        )?;
        Ok(ShardedTree(Shape::Subtrees { trees, leaves, hash, top: OnceLock::new() }))
    }

    /// The root.
    pub(crate) fn root_of(&self, tree: &ShardedTree<TreeOf<O>>) -> Result<Digest> {
        match &tree.0 {
            Shape::Whole(tree) => self.on(0, |on| on.root(tree)),
            Shape::Subtrees { trees, leaves, hash, top } => Ok(self.top(trees, *leaves, *hash, top)?.root()),
        }
    }

    /// The nodes of a tree down to the roots of the subtrees.
    fn top<'t>(&self, trees: &[TreeOf<O>], leaves: Leaves, hash: HashFn, top: &'t OnceLock<Top>) -> Result<&'t Top> {
        if let Some(top) = top.get() {
            return Ok(top);
        }
        let nodes = Top::new(self.each(|device| self.on(device, |on| on.root(&trees[device])))?, leaves, hash)?;
        Ok(top.get_or_init(|| nodes))
    }

    /// [`Operations::open`]: every device opens the rows of its block.
    pub(crate) fn opened(&self, requests: &[OpenRequest<'_, Self>]) -> Result<Vec<Opened<BaseOf<O::T>>>> {
        let log_count = self.log_count();
        // Paths end at the roots of the subtrees: the rest is in the top.
        let tops = requests.iter().map(|request| match &request.tree.0 {
            Shape::Subtrees { trees, leaves, hash, top } if !request.leaves.is_empty() => {
                self.top(trees, *leaves, *hash, top).map(Some)
            }
            _ => Ok(None),
        });
        let tops = tops.collect::<Result<Vec<_>>>()?;
        let bring = |device: usize| {
            let (mut asked, mut columns) = (Vec::new(), Vec::new());
            for (number, request) in requests.iter().enumerate() {
                let log_rows = check::open_log_rows(request);
                let log_leaves = request.tree.log_leaves();
                let is_split = matches!(request.tree.0, Shape::Subtrees { .. });
                let mine = |all: &[usize], log: u32| match is_split {
                    // Any of them may have to open all of it: queries are drawn.
                    true if self.is_rehearsal => (0..all.len()).collect(),
                    true => (0..all.len()).filter(|at| all[*at] >> (log - log_count) == device).collect(),
                    false if device == 0 => (0..all.len()).collect::<Vec<_>>(),
                    false => Vec::new(),
                };
                let (rows, leaves) = (mine(request.rows, log_rows), mine(request.leaves, log_leaves));
                if rows.is_empty() && leaves.is_empty() {
                    continue;
                }
                columns.push(match is_split {
                    true => {
                        let log_block = log_rows - log_count;
                        self.shares(request.columns, device, (device << log_block, log_block), log_rows)?
                    }
                    false => self.wholes(request.columns)?,
                });
                asked.push(DeviceRequest { request: number, rows, leaves });
            }
            Ok((asked, columns))
        };
        let brought = self.numbers().map(bring).collect::<Result<Vec<(Vec<DeviceRequest>, Vec<_>)>>>()?;
        let of_device = self.each(|device| {
            let (asked, columns) = &brought[device];
            let tables: Vec<_> = columns.iter().map(|parts| refs(parts)).collect();
            // Where they are in the block.
            let within: Vec<[Vec<usize>; 2]> = asked
                .iter()
                .map(|asked| {
                    let request = &requests[asked.request];
                    let logs = [check::open_log_rows(request), request.tree.log_leaves()];
                    let masks = logs.map(|log| match &request.tree.0 {
                        Shape::Whole(_) => usize::MAX,
                        Shape::Subtrees { .. } => (1 << (log - log_count)) - 1,
                    });
                    let rows = asked.rows.iter().map(|at| request.rows[*at] & masks[0]).collect();
                    [rows, asked.leaves.iter().map(|at| request.leaves[*at] & masks[1]).collect()]
                })
                .collect();
            let local: Vec<_> = asked
                .iter()
                .zip(tables.iter().zip(&within))
                .map(|(asked, (columns, [rows, leaves]))| {
                    let tree = match &requests[asked.request].tree.0 {
                        Shape::Whole(tree) => tree,
                        Shape::Subtrees { trees, .. } => &trees[device],
                    };
                    OpenRequest { columns, tree, rows, leaves }
                })
                .collect();
            if local.is_empty() { Ok(Vec::new()) } else { self.on(device, |on| on.open(&local)) }
        })?;
        let empty = |request: &OpenRequest<'_, Self>| Opened {
            rows: vec![Vec::new(); request.rows.len()],
            paths: vec![Vec::new(); request.leaves.len()],
        };
        let mut all: Vec<_> = requests.iter().map(empty).collect();
        for (device, (answers, (asked, _))) in of_device.into_iter().zip(&brought).enumerate() {
            for (asked, opened) in asked.iter().zip(answers) {
                let into = &mut all[asked.request];
                asked.rows.iter().zip(opened.rows).for_each(|(at, row)| into.rows[*at] = row);
                for (at, mut path) in asked.leaves.iter().zip(opened.paths) {
                    if let Some(top) = tops[asked.request] {
                        path.extend(top.path(device));
                    }
                    into.paths[*at] = path;
                }
            }
        }
        Ok(all)
    }
}
