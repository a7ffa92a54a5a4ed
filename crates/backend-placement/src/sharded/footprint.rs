//! The memory that things take, for callers without a plan on shapes of every device: as if the fullest device had all
//! of them, times the number of devices.

use gpu_hal::{Columns, Footprint, Leaves, MemoryInfo, Operations, Protocol, Result, Shape, Types};

use crate::Sharded;

impl<O: Operations> Sharded<O> {
    /// [`Operations::memory`], in the unit of [`Self::bytes_of`].
    pub(crate) fn memory_info(&self) -> Result<MemoryInfo> {
        if let Some(only) = self.only() {
            return only.memory();
        }
        let infos = self.numbers().map(|device| self.on(device, Operations::memory));
        let infos = infos.collect::<Result<Vec<_>>>()?;
        // Devices that have the host's memory share it, unless they move tables there: then each is told of its share.
        let is_host = infos.iter().any(|info| info.is_host);
        let moved: Option<u64> = infos[..self.reals()].iter().map(|info| info.moved).sum();
        let least = infos.iter().map(|info| info.available).min().flatten();
        let all = |bytes: u64| bytes.saturating_mul(self.count() as u64);
        let fullest = |of: fn(&MemoryInfo) -> u64| all(infos.iter().map(of).max().unwrap_or(0));
        Ok(MemoryInfo {
            available: match (moved, is_host) {
                (Some(_), _) => least.map(|bytes| bytes.saturating_mul(self.reals() as u64)),
                (None, true) => least,
                (None, false) => least.map(all),
            },
            in_use: fullest(|info| info.in_use),
            peak: fullest(|info| info.peak),
            is_host,
            moved,
        })
    }

    /// [`Operations::footprint`].
    pub(crate) fn bytes_of(&self, of: &Footprint<'_, Self>) -> u64 {
        if let Some(only) = self.only() {
            return only.footprint(&of.with_program(|program| program.on(0)));
        }
        let on_one = |of: &Footprint<'_, O::T>| self.devices().iter().map(|on| on.footprint(of)).max().unwrap_or(0);
        let plain = on_one(&of.with_program(|program| program.on(0)));
        // Low tables may take other ways than high ones.
        let in_blocks = match *of {
            Footprint::Tree { log_leaves } => {
                on_one(&Footprint::Tree { log_leaves: log_leaves.saturating_sub(self.log_count()) })
            }
            Footprint::Merkle { tables, leaves, hash } => {
                let low = |log_height: u32| log_height.saturating_sub(self.log_count());
                let tables: Vec<_> = tables.iter().map(|t| Columns::new((), t.width, low(t.log_height))).collect();
                let leaves = Leaves { log_height: low(leaves.log_height), ..leaves };
                on_one(&Footprint::Merkle { tables: &tables, leaves, hash })
            }
            _ => 0,
        };
        // Tables joined or cut on a device for an operation, whose arguments count as if they were there in one piece
        // already.
        let table = |shape: &Shape| on_one(&Footprint::Table(*shape));
        let tables = |shapes: &[Shape]| shapes.iter().map(table).sum();
        let moved: u64 = match *of {
            Footprint::Ntt { table: moved, .. }
            | Footprint::Lde { table: moved, .. }
            | Footprint::EvalAt { table: moved, .. } => table(&moved),
            Footprint::Merkle { tables: moved, .. }
            | Footprint::Running { tables: moved, .. }
            | Footprint::Map { tables: moved, .. }
            | Footprint::TreeMap { tables: moved, .. }
            | Footprint::Sum { tables: moved, .. }
            | Footprint::ConstraintEval { tables: moved, .. }
            | Footprint::DeepQuotient { tables: moved, .. } => tables(moved),
            Footprint::Rows { source, tables: read, .. } => tables(source) + tables(read),
            Footprint::Open { trees, .. } => trees.iter().map(|(moved, _)| tables(moved)).sum(),
            // Layers of which the blocks become too small are joined, which no plan says: copies of the blocks, and the
            // layer.
            Footprint::Kept { .. } => 2 * table(&Columns::new((), <O::T as Types>::P::DEGREE, self.log_smallest())),
            _ => 0,
        };
        (plain.max(in_blocks) + moved).saturating_mul(self.count() as u64)
    }
}
