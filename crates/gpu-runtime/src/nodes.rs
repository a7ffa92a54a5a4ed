//! Tables of binary trees: a launch for every level, from the leaves to the root.

use gpu_hal::{DeviceProgram, Result, Shape, TreeMapArgs};
use ir::text::constraints::{Encoded, Purpose, Sink};

use crate::buffer::{NewTable, Table, new_table};
use crate::call::{Call, whole};
use crate::constraints::{Buffers, run_program};
use crate::device::KernelDevice;
use crate::elements;
use crate::params::Params;
use crate::placed::{PlacedProgram, placed};
use crate::pool::Block;
use crate::program::{GpuProgram, handed_words};
use crate::protocol::GpuProtocol;
use crate::slots::{Slots, packed_words};
use crate::types::GpuTypes;

/// The table of the values that go up: row `i` has them from rows `2i` and `2i + 1`. A level reads other rows of it
/// than it writes.
fn handed_up(values: usize, log_height: u32) -> Shape {
    Shape::new((), 2 * values, log_height - 1)
}

/// The sinks of a program's outputs: the first `width` are columns, the others go up.
fn sinks<D: KernelDevice, P: GpuProtocol>(program: &GpuProgram<P, D>, width: usize) -> Vec<Vec<Sink<P::Ext>>> {
    let sink = |output: usize| match output.checked_sub(width) {
        None => vec![Sink::StoreBase { column: output as u32 }],
        Some(value) => vec![Sink::HandUp { value: value as u32 }],
    };
    (0..program.program().outputs().len()).map(sink).collect()
}

/// Words of the buffers that [`tree_map`] takes beside its result, at most.
pub(crate) fn tree_map_words<P: GpuProtocol, D: KernelDevice>(
    device: &D,
    [leaf, node]: [&GpuProgram<P, D>; 2],
    tables: &[Shape],
    log_height: u32,
    width: usize,
) -> Vec<u64> {
    let outputs = leaf.program().outputs().len();
    let children = handed_up(outputs.saturating_sub(width), log_height.max(1));
    let mut words = vec![elements::words::<P>(children.elements() as u64)];
    words.extend(packed_words::<P>(tables, P::UNITS.slots));
    words.extend(packed_words::<P>(tables, P::UNITS.slots - 1));
    // The levels run one after the other, and both programs run on as many rows at most.
    let rows = 1 << log_height.saturating_sub(1);
    let taken = [(leaf, tables.len()), (node, tables.len() + 1)]
        .map(|(program, tables)| program.taken(device, (0, &sinks(program, width)), tables));
    words.extend(taken.iter().map(|taken| taken.read).filter(|words| *words > 0));
    words.extend(handed_words::<P>(taken.iter().map(|taken| taken.handed).max().unwrap_or(0) * rows));
    words
}

/// A program on the device with its tables.
struct Rows<'a, D: KernelDevice, P: GpuProtocol> {
    program: &'a GpuProgram<P, D>,
    encoded: Encoded,
    placed: PlacedProgram<D::Memory>,
    slots: Slots<'a, D>,
}

impl<'a, D: KernelDevice, P: GpuProtocol> Rows<'a, D, P> {
    fn new(
        call: Call<'_, D, P>,
        program: &'a GpuProgram<P, D>,
        tables: &[Table<'a, D>],
        children: Option<Table<'a, D>>,
        width: usize,
    ) -> Result<Self> {
        let sinks = sinks(program, width);
        // No output depends on a parameter.
        let params = vec![P::Ext::default(); program.program().params()];
        let encoded = program.encode(call.op, &params, 0, &sinks)?;
        let slots = Slots::with_written(call, tables, children)?;
        let tables: Vec<_> = tables.iter().copied().chain(children).collect();
        let placed = placed(program, &encoded, &tables, &slots);
        Ok(Self { program, encoded, placed, slots })
    }

    /// Makes `count` rows from row `first` on.
    fn run(
        &self,
        call: Call<'_, D, P>,
        (first, count): (u64, u64),
        log_height: u32,
        (result, children): (&Block<D::Memory>, &Block<D::Memory>),
        values: usize,
    ) -> Result<()> {
        let params =
            Params::new().u64(1 << log_height).u64(first).u64(count).u32(self.placed.instructions).u32(values as u32);
        let buffers = Buffers { tables: self.slots.arguments(result), others: vec![whole(result), whole(children)] };
        run_program(call, self.program, (&self.encoded, &self.placed), Purpose::Nodes, (count, count), buffers, params)
    }
}

/// The columns; the arguments are checked.
pub(crate) fn tree_map<D: KernelDevice, P: GpuProtocol>(
    call: Call<'_, D, P>,
    args: &TreeMapArgs<'_, GpuTypes<D, P>>,
) -> Result<NewTable<D>> {
    let log_height = args.log_height;
    // The other outputs go up.
    let values = args.leaf.program().outputs().len() - args.width;
    let result = new_table(call, args.width, log_height)?;
    let shape = handed_up(values, log_height);
    let children = new_table(call, shape.width, shape.log_height)?;
    let leaves = Rows::new(call, args.leaf, args.columns, None, args.width)?;
    let nodes = Rows::new(call, args.node, args.columns, Some(children.as_ref()), args.width)?;
    let buffers = (&result.data.block, &children.data.block);
    leaves.run(call, (0, 1), log_height, buffers, values)?;
    for log_rows in (0..log_height).rev() {
        let rows = if log_rows + 1 == log_height { &leaves } else { &nodes };
        rows.run(call, (1 << log_rows, 1 << log_rows), log_height, buffers, values)?;
    }
    Ok(result)
}
