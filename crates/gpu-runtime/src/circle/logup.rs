//! Columns of fractions summed up.

use field::{ExtensionField, Field, M31, QM31};
use gpu_hal::{CircleStark, Logup, Operation, Protocol, Result};

use super::{Call, units};
use crate::backend::GpuBackend;
use crate::buffer::{NewTable, new_table};
use crate::call::{Entry, whole};
use crate::device::KernelDevice;
use crate::params::Params;
use crate::protocol::from_element;
use crate::running::{INCLUSIVE_SUM, ratios, scan};

const DEGREE: u64 = CircleStark::DEGREE as u64;

/// The fractions of every row added up, then the running sum of the last column less the mean of every row so far.
pub(super) fn logup<D: KernelDevice>(
    call: Call<'_, D>,
    args: &Logup<'_, GpuBackend<D, CircleStark>>,
) -> Result<(NewTable<D>, QM31)> {
    let op = Operation::Logup;
    let columns = args.fractions.len();
    let count = 1u64 << args.log_height;
    let result = new_table(call, op, columns * CircleStark::DEGREE, args.log_height)?;
    let tables = (args.columns, args.log_height);
    let values = ratios(call, op, args.program, tables, args.params, args.fractions)?;
    // A power of two is not zero.
    let inverse = M31::from(1 << args.log_height).inverse_or_zero();
    let params = || Params::new().u64(count).u32(columns as u32).m31(inverse);
    let degree = call.degree();
    let entry = |name| Entry { unit: &units::SCAN, name, defines: &degree };
    call.launch_items(entry("logup_rows"), count, 1, &[whole(&values), whole(&result.data.block)], params())?;

    let running = call.alloc_elements(DEGREE * count)?;
    let last = from_element::<CircleStark, _>(&result.data.block, (columns as u64 - 1) * DEGREE * count);
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
