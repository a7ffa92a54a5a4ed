//! The kernels' report on a row, as a [`RowFault`].

use gpu_hal::ir::{NodeId, RowEffect, RowFault, RowOp};
use gpu_hal::{RowRun, Types};

/// The fault of this order, of its node or effect, with the words that the kernels know of it. `None` if there is no
/// fault there.
pub(super) fn fault<'a, T: Types>(
    args: &RowRun<'a, T>,
    counters: &[usize],
    order: u32,
    [a, b, c]: [u32; 3],
) -> Option<RowFault<'a>> {
    let (program, element) = (args.program, |low: u32, high: u32| u64::from(low) | u64::from(high) << 32);
    let nodes = program.nodes();
    if let Some(node) = nodes.get(order as usize) {
        return match node.op {
            RowOp::Input(k) => Some(RowFault::Input { k, element: element(a, b) }),
            RowOp::Read { table, column, .. } => {
                let height = args.tables.get(table as usize)?.height();
                let beyond = a as usize >= height;
                Some(if beyond {
                    RowFault::Beyond { table, index: a, height }
                } else {
                    RowFault::Read { table, column, index: a, element: element(b, c) }
                })
            }
            RowOp::FeltAdd(..) | RowOp::FeltSub(..) | RowOp::FeltMul(..) | RowOp::FeltInv(_) => {
                Some(RowFault::Felt(NodeId(order)))
            }
            RowOp::ToWord(_) => Some(RowFault::Word(element(a, b))),
            _ => None,
        };
    }
    match *program.effects().get(order as usize - nodes.len())? {
        RowEffect::Column(_) => None,
        RowEffect::Emit { list, site, .. } => Some(RowFault::Entry { list, site, word: a, value: b }),
        RowEffect::Count { counter, .. } => {
            Some(RowFault::Place { counter, place: a, places: *counters.get(counter as usize)? })
        }
        RowEffect::Assert { claim, .. } => program.claims().get(claim as usize).map(|claim| RowFault::Claim(claim)),
    }
}
