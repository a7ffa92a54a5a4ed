//! The rows of a level of a binary tree that a program defines.

use field::{M31, QM31};
use gpu_hal::{CircleStark, Columns, Schedule};
use rayon::prelude::*;

use super::interpreter::Executable;
use super::loads::Loads;
use super::rows::{LOG_LEAST, Plan, Run};
use crate::memory::CpuBuffer;
use crate::nodes::Block;
use crate::simd::{SimdLevel, dispatch};

/// Runs a program on the blocks of a level of a table of `height` rows.
pub(super) fn run(
    level: SimdLevel,
    program: &Schedule<CircleStark>,
    tables: &[Columns<&CpuBuffer<M31>>],
    height: usize,
    blocks: Vec<Block<'_, M31>>,
) {
    let log_block = blocks[0].rows().ilog2();
    if log_block < LOG_LEAST {
        return blocks.into_iter().for_each(|block| block.run_plainly(program.program(), tables, height));
    }
    let outputs = program.program().outputs().len();
    let log_run = Plan::log_run(program, outputs, log_block).min(Plan::longest_run(tables));
    let loads = Loads::rows(tables, log_run);
    // No output depends on a parameter.
    let params = vec![QM31::default(); program.program().params()];
    let plan = Plan {
        executable: Executable::new(program, &loads, &params),
        slots: (0..outputs).map(Some).collect(),
        arrays: outputs,
        log_run,
        log_block,
    };
    blocks.into_par_iter().for_each_init(
        || plan.scratch(),
        |scratch, mut block| {
            for at in (0..block.rows()).step_by(1 << log_run) {
                dispatch(level, Run { plan: &plan, scratch, run: (block.first + at) >> log_run });
                for (output, values) in scratch.outputs.chunks_exact(1 << log_run).enumerate() {
                    block.set(output, at, bytemuck::cast_slice(values));
                }
            }
        },
    );
}
