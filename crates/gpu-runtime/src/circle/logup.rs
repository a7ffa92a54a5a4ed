//! Columns of fractions summed up.

use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::{CircleStark, Logup, Operation, Protocol, Result, StarkBackend};

use super::from_element;
use crate::buffer::{GpuBuffer, NewTable, new_table};
use crate::call::{Call, Entry, whole};
use crate::device::KernelDevice;
use crate::library;
use crate::params::Params;
use crate::program::GpuProgram;
use crate::running::{INCLUSIVE_SUM, ratios, scan};

const DEGREE: u64 = CircleStark::DEGREE as u64;

/// The fractions of every row added up, then the running sum of the last column less the mean of every row so far.
pub(super) fn logup<D, B>(
    call: Call<'_, D>,
    program: &GpuProgram<CircleStark, D>,
    args: &Logup<'_, B>,
) -> Result<(NewTable<D>, QM31)>
where
    D: KernelDevice,
    B: StarkBackend<P = CircleStark, Buffer = GpuBuffer<D::Memory>>,
{
    let op = Operation::Logup;
    let columns = args.fractions.len();
    let count = 1u64 << args.log_height;
    let result = new_table(call, op, columns * CircleStark::DEGREE, args.log_height)?;
    let tables = (args.columns, args.log_height);
    let values = ratios(call, op, program, tables, args.params, args.fractions)?;
    // A power of two is not zero.
    let inverse = M31::from(1 << args.log_height).inverse_or_zero();
    let params = || Params::new().u64(count).u32(columns as u32).m31(inverse);
    let entry = |name| Entry { unit: &library::CIRCLE_SCAN, name, defines: &[] };
    call.launch_items(entry("logup_rows"), count, 1, &[whole(&values), whole(&result.data.block)], params())?;

    let running = call.alloc_elements(DEGREE * count)?;
    let last = from_element(&result.data.block, (columns as u64 - 1) * DEGREE * count);
    scan(call, (last, CircleStark::DEGREE as u32), &[INCLUSIVE_SUM], count, &running)?;
    call.launch_items(entry("logup_centre"), count, 1, &[whole(&running), whole(&result.data.block)], params())?;

    // The last elements of the four columns, which are one element each if there is one row.
    let mut total = [M31::ZERO; CircleStark::DEGREE];
    for (coordinate, value) in total.iter_mut().enumerate() {
        let at = (coordinate as u64 + 1) * count - 1;
        let mut word = [M31::ZERO; 2];
        call.download(&running, at / 2, bytemuck::cast_slice_mut(&mut word))?;
        *value = word[(at % 2) as usize];
    }
    let total = QM31::from_coordinates(&total).expect("as many coordinates as the extension has");
    Ok((result, total))
}
