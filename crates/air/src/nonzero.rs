//! Where the outputs of a constraint program are not zero, row by row: the base of the checks of all protocols.

use alloc::collections::BTreeSet;
use alloc::vec;
use alloc::vec::Vec;

use field::Field;
use gpu_hal::ir::NodeOp;
use gpu_hal::{ConstraintProgram, Protocol};

/// An output that is not zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonZero<P: Protocol> {
    /// Number of the output.
    pub output: usize,
    /// The row.
    pub row: usize,
    /// Its value there.
    pub value: P::Ext,
}

/// Evaluates a program on the rows `0..rows`. Returns the first `limit` outputs that are not zero where they should be,
/// by output and then by row, and how many there are in all.
///
/// `holds(output, row)` says whether the output should be zero on that row; `load(row, group, column, offset)` reads
/// the tables.
pub fn nonzero<P: Protocol>(
    program: &ConstraintProgram<P>,
    params: &[P::Ext],
    rows: usize,
    holds: &dyn Fn(usize, usize) -> bool,
    load: &dyn Fn(usize, usize, usize, i32) -> P::Ext,
    limit: usize,
) -> (Vec<NonZero<P>>, usize) {
    let mut found: Vec<Vec<NonZero<P>>> = vec![Vec::new(); program.outputs().len()];
    let mut count = 0;
    for row in 0..rows {
        let values = program.evaluate(params, |group, column, offset| load(row, group, column, offset));
        for (output, value) in values.into_iter().enumerate() {
            if value.is_zero() || !holds(output, row) {
                continue;
            }
            count += 1;
            if found[output].len() < limit {
                found[output].push(NonZero { output, row, value });
            }
        }
    }
    (found.into_iter().flatten().take(limit).collect(), count)
}

/// The inputs of an output: group, column and row offset of each, ascending, each once.
///
/// # Panics
/// If there is no such output.
pub fn inputs<P: Protocol>(program: &ConstraintProgram<P>, output: usize) -> BTreeSet<(usize, usize, i32)> {
    let last = program.outputs()[output].index();
    let mut needed = vec![false; last + 1];
    needed[last] = true;
    let mut inputs = BTreeSet::new();
    for (index, node) in program.nodes()[..=last].iter().enumerate().rev() {
        if !needed[index] {
            continue;
        }
        match node.op {
            NodeOp::Load { group, column, offset } => {
                inputs.insert((group as usize, column as usize, offset));
            }
            NodeOp::Add(a, b) | NodeOp::Sub(a, b) | NodeOp::Mul(a, b) => {
                needed[a.index()] = true;
                needed[b.index()] = true;
            }
            NodeOp::Neg(a) => needed[a.index()] = true,
            NodeOp::ConstBase(_) | NodeOp::ConstExt(_) | NodeOp::Param(_) => {}
        }
    }
    inputs
}
