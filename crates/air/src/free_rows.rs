//! The rows at the end of a trace that no constraint reads.

use alloc::vec::Vec;

use gpu_hal::Protocol;
use gpu_hal::ir::NodeOp;

use crate::{GroupRole, RecordedAir, Rows};

impl<P: Protocol> RecordedAir<P> {
    /// How many rows at the end of the trace no constraint reads: whatever they hold, a trace that satisfies the AIR
    /// still does. Proofs that hide their witness fill them with masks.
    ///
    /// A transition reads from a row on which it holds down to the largest offset in its expression; one that reads
    /// beyond the last row leaves none free. A boundary reads its row. Definitions of running columns are no
    /// constraints.
    pub fn free_rows(&self) -> usize {
        let n = self.trace_length();
        let reaches = reaches(self);
        let of_transition = |(rows, reach): (&Rows, &Option<usize>)| {
            let (last, reach) = (last_row(rows, n)?, (*reach)?);
            last.checked_add(reach)
        };
        let transitions = self.transitions.iter().zip(&reaches).filter_map(of_transition);
        let read = transitions.chain(self.boundaries.iter().map(|boundary| boundary.row())).max();
        read.map_or(n, |read| n.saturating_sub(read + 1))
    }
}

/// The largest row offset at which each output reads a column; `None` if it reads none.
fn reaches<P: Protocol>(air: &RecordedAir<P>) -> Vec<Option<usize>> {
    let mut reaches: Vec<Option<usize>> = Vec::with_capacity(air.constraints.nodes().len());
    for node in air.constraints.nodes() {
        let own = match node.op {
            NodeOp::Load { group, offset, .. } => match air.groups[group as usize] {
                GroupRole::Main | GroupRole::Aux => usize::try_from(offset).ok(),
                GroupRole::Periodic { .. } | GroupRole::Exemptions => None,
            },
            _ => None,
        };
        reaches.push(node.op.operands().map(|operand| reaches[operand.index()]).fold(own, Option::max));
    }
    air.constraints.outputs().iter().map(|output| reaches[output.index()]).collect()
}

/// The last row on which a transition holds, if there is one.
fn last_row(rows: &Rows, n: usize) -> Option<usize> {
    // An exemption takes two neighbours in the set only if it takes all.
    let active = rows.active(n);
    let candidates = (active.saturating_sub(2)..active).rev();
    candidates.map(|k| rows.offset() + k * rows.period()).find(|row| rows.contains(*row, n))
}
